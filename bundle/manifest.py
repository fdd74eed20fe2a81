"""The manifest: what a bundle says of itself, and the digest of its evidence.

Everything but ``provenance`` follows from the evidence alone, so that two merges of the same recordings differ in
nothing else. ``content_digest`` covers the members and the schema they were written with.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import types
import typing
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from inquest.bundle.container import MANIFEST, MAX_MANIFEST_BYTES, Container
from inquest.bundle.errors import DamagedBundle, UnsafeInput, UnsupportedFormat
from inquest.bundle.schema import FORMAT_NAME, FORMAT_VERSION, RECORDED

if TYPE_CHECKING:
    from pathlib import Path

MAX_ROWS: Final = 1 << 40
"""More rows than any job records; a member that claims more is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One Parquet member. ``node`` is null where one member holds the rows of all nodes; ``size`` is in bytes."""

    name: str
    table: str
    node: str | None
    sha256: str
    size: int
    rows: int
    tool_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One recording on one node. ``tool_version`` is that of the recorder, null when it left no ``node_info``."""

    capture: str
    boot_id: str | None
    tool_version: str | None
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """How one boot of a node is aligned to UTC; see the table ``clock_alignment`` for the pieces.

    ``offset_ns`` is UTC minus monotonic where the first piece begins; ``bound_ns`` the greatest of any piece, relative
    to the reference that the table names, and null where nothing bounds it.
    """

    boot_id: str | None
    offset_ns: int
    bound_ns: int | None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node: its recordings, the collectors that ran on it, its clocks, and the span of its rows in UTC."""

    node: str
    captures: tuple[Capture, ...]
    collectors: tuple[str, ...]
    clocks: tuple[Clock, ...]
    start_ns: int | None
    end_ns: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """How often a rule masked something in one column."""

    rule: str
    table: str | None
    column: str | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who made this file, where, when, how, and of what. Not evidence, and not in the digest."""

    user: str
    host: str
    created: str
    arguments: tuple[str, ...]
    sources: tuple[str, ...]
    duplicates: dict[str, int]
    tool_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The whole manifest.

    ``schema_digest`` is that of the build that merged; ``world_size`` the number of ranks the job had, null where no
    process told.
    """

    content_digest: str
    schema_digest: str
    job_id: str | None
    simulated: bool
    nodes: tuple[Node, ...]
    ranks: tuple[int, ...]
    world_size: int | None
    missing_nodes: tuple[str, ...]
    missing_ranks: tuple[int, ...]
    redactions: tuple[Redaction, ...]
    members: tuple[Member, ...]
    provenance: Provenance
    format: Literal["inquest-bundle"] = field(default=FORMAT_NAME)
    version: int = FORMAT_VERSION

    def to_json(self) -> bytes:
        """Canonical JSON: keys sorted, one space of indent, ASCII."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, indent=1, ensure_ascii=True).encode() + b"\n"

    @classmethod
    def from_json(cls, data: bytes | memoryview, path: object) -> Self:
        """Read and validate a manifest; ``path`` is named in errors.

        Raises:
            UnsupportedFormat: A newer format than this build reads.
            DamagedBundle: Not a manifest, or one that contradicts itself.
            UnsafeInput: It is larger than any manifest.
        """
        plain = _load(data, path)
        try:
            manifest: Self = _build(cls, plain)
        except (TypeError, ValueError) as error:
            raise _damaged(path, str(error)) from error
        names = [member.name for member in manifest.members]
        if names != sorted(set(names)):
            raise _damaged(path, "members are not sorted or named twice")
        if any(not 0 < member.rows <= MAX_ROWS or member.size < 0 for member in manifest.members):
            raise _damaged(path, "a member claims a number of rows that cannot be")
        if manifest.content_digest != content_digest(manifest.members, manifest.schema_digest):
            raise _damaged(path, "content_digest does not follow from the members")
        return manifest


def open_bundle(path: Path) -> tuple[Container, Manifest]:
    """Open a bundle for reading: container and manifest are checked against each other, members are not read.

    Raises:
        InputError: One of its kinds, see ``Container.open``, ``Manifest.from_json`` and ``Container.check``.
    """
    container = Container.open(path)
    manifest = Manifest.from_json(container.member(MANIFEST), path)
    container.check()
    stated = {member.name: member.size for member in manifest.members}
    if stated != {entry.name: entry.size for entry in container.entries if entry.name != MANIFEST}:
        raise _damaged(path, "it lists other members than the file holds")
    return container, manifest


def content_digest(members: typing.Iterable[Member], schema: str) -> str:
    """SHA-256 in hex over format, schema and sorted members: equal for equal evidence, whoever merged it."""
    digest = hashlib.sha256(f"{FORMAT_NAME} {FORMAT_VERSION} {schema}\n".encode())
    for member in sorted(members, key=lambda m: m.name):
        line = [member.name, member.table, member.node, member.rows, member.size, member.sha256]
        digest.update(json.dumps(line).encode() + b"\n")
    return digest.hexdigest()


@cache
def schema_digest() -> str:
    """SHA-256 in hex over the name, type and unit of every stored column of this build.

    A bundle keeps the digest it was written with: a column added later reads as null in it.
    """
    lines = [[t.name, c.name, c.type, c.unit, c.nullable] for t in RECORDED for c in t.columns]
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


def _damaged(path: object, what: str) -> DamagedBundle:
    return DamagedBundle(f"{path} holds a manifest that cannot be right ({what[:200]}): copy the bundle again")


def _load(data: bytes | memoryview, path: object) -> dict[str, Any]:
    if len(data) > MAX_MANIFEST_BYTES:
        raise UnsafeInput(f"{path} holds a manifest of {len(data)} bytes, more than any bundle: do not trust the file")
    try:
        plain = json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "it is not JSON") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT_NAME:
        raise _damaged(path, "it does not name its format")
    version = plain.get("version")
    if not isinstance(version, int) or version < 1:
        raise _damaged(path, "it does not name its version")
    if version > FORMAT_VERSION:
        raise UnsupportedFormat(
            f"{path} has bundle format {version}, this build reads up to {FORMAT_VERSION}: use a newer inquest"
        )
    return plain


def _build(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any type a field may have
    """``value`` (plain JSON) as ``kind``, a type used in the dataclasses above; TypeError when it is another."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        if not isinstance(value, dict) or value.keys() != hints.keys():
            raise TypeError(f"{kind.__name__} has other fields")
        return kind(**{name: _build(hint, value[name]) for name, hint in hints.items()})
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return None if value is None else _build(arguments[0], value)
    if origin is tuple and isinstance(value, list):
        return tuple(_build(arguments[0], item) for item in value)
    if origin is dict and isinstance(value, dict):
        return {key: _build(arguments[1], item) for key, item in value.items()}
    if origin is Literal and value in arguments:
        return value
    if type(value) is not kind:
        raise TypeError(f"{str(value)[:50]!r} is not a {kind}")
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
