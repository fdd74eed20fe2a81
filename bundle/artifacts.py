"""Files that a recording took along (``artifact-N-NAME`` in its directory): their content, and the rows they hold.

Content goes into ``artifact_parts`` whole. What an importer knows (flight-recorder dumps, profiler traces, answers of
NCCL's RAS, the Inspector's files) is read by it too, as if the files had been given to ``inquest import``; that needs
Polars, which the agent has not: a merge by the agent keeps the content, and says that it was not read.
"""

from __future__ import annotations

import base64
import importlib.util
import os
import re
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from inquest.bundle import parquet
from inquest.bundle.errors import InputError
from inquest.bundle.journal import DERIVED_SEQ
from inquest.bundle.seal import identity_columns, read_identity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMBER: Final = re.compile(r"artifact-(\d{1,6})-[A-Za-z0-9._-]{1,160}")
MOST_BYTES: Final = 1 << 30
"""Content of one recording that is read at most; the recorder's own limit is lower."""
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PART: Final = 192 << 10
"""Bytes of content in a row: a multiple of three, so that parts joined as base64 are still base64."""


def of_node(node_dir: Path) -> list[Path]:
    """The recordings in a node directory that took files along."""
    return sorted(path for path in node_dir.iterdir() if path.is_dir() and not path.is_symlink() and members(path))


def members(capture: Path) -> list[Path]:
    """The files a recording took along, in the order they were taken."""
    numbered = [(int(match[1]), path) for path in capture.iterdir() if (match := MEMBER.fullmatch(path.name))]
    return [path for _, path in sorted(numbered) if path.is_file() and not path.is_symlink()]


def rows(capture: Path) -> Iterator[tuple[str, pa.RecordBatch]]:
    """All rows that the files of a recording give, in ``parquet.plain_schema``."""
    try:
        identity = identity_columns(read_identity(capture))
    except ValueError:
        identity = {"node": capture.parent.name, "boot_id": None, "capture": capture.name}
    files, unreadable = [], []
    for path in members(capture):
        try:
            os.close(os.open(path, _FLAGS))
            files.append(path)
        except OSError as error:
            unreadable.append(f"{path.name}: {error.strerror}")
    if unreadable:
        detail = f"{len(unreadable)} files cannot be read ({'; '.join(unreadable[:3])})"
        row = {"seq": DERIVED_SEQ + 1, "collector": "artifacts_read", "outcome": "denied", "detail": detail}
        yield "collection", _batch("collection", [{**identity, **row}])
    if not files:
        return
    yield from _parts(files, identity)
    if importlib.util.find_spec("polars") is None:
        yield "collection", _batch("collection", [{**identity, **_UNREAD}])
        return
    from inquest.bundle.imports.bundle import masked
    from inquest.bundle.imports.core import import_paths

    try:
        imported = import_paths([str(path) for path in files])
    except InputError:
        return  # files of no kind we know: their content is there, and the recorder's row of each says what it is
    yield from masked(imported)


_UNREAD: Final = {
    "seq": DERIVED_SEQ,
    "collector": "artifacts_read",
    "outcome": "missing",
    "detail": "merged without Polars: the files are in artifact_parts, and their rows were not read",
}


def _parts(files: list[Path], identity: dict[str, str | None]) -> Iterator[tuple[str, pa.RecordBatch]]:
    left = MOST_BYTES
    for path in files:
        number = int(path.name.split("-")[1])
        fd = os.open(path, _FLAGS)
        with os.fdopen(fd, "rb") as file:
            offset = 0
            while left > 0 and (part := file.read(min(_PART, left))):
                row: dict[str, object] = {
                    **identity,
                    "seq": (number << 20) + offset // _PART,
                    "member": path.name,
                    "offset": offset,
                    "bytes": len(part),
                    "content": base64.b64encode(part).decode(),
                }
                yield "artifact_parts", _batch("artifact_parts", [row])
                offset += len(part)
                left -= len(part)


def _batch(table: str, found: list[dict[str, object]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(found, schema=parquet.plain_schema(table))
