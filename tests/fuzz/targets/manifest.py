"""The manifest of a bundle whose other bytes are right: the JSON as it is, or with a digest that fits its members."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.bundle import container
from inquest.bundle.container import MANIFEST, Container
from inquest.bundle.manifest import Member, content_digest
from tests.bundle.forge import write_bundle
from tests.fuzz.targets.bundle import ROWS, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_NAME = "log_lines.parquet"


def run(data: bytes, place: Place) -> object:
    table = place.scratch / "table"
    table.write_bytes(_part(_NAME))
    path = place.scratch / "job.inquest"
    container.write(path, [(_NAME, table)], lambda _: _digested(data))
    return read(path)


def _digested(data: bytes) -> bytes:
    """The manifest with the digest its members ask for, where it has members at all."""
    try:
        plain: dict[str, Any] = json.loads(data)
        members = [Member(**member) for member in plain["members"]]
        plain["content_digest"] = content_digest(members, plain["schema_digest"])
        return json.dumps(plain).encode()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return data


@cache
def _part(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = write_bundle(Path(folder) / "b", {"log_lines": ROWS["log_lines"]})
        return bytes(Container.open(path).member(name))


def seeds() -> Iterator[bytes]:
    yield _part(MANIFEST)
