"""Parts of a file that was split for media: joined, or refused with nothing left behind."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.bundle.errors import InquestError
from inquest.bundle.parts import join, split
from tests.fuzz.packed import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    paths = []
    for number, content in enumerate(unpack(data)):
        path = place.scratch / f"part-{number}"
        path.write_bytes(content)
        paths.append(path)
    out = place.scratch / "out" / "job.inquest"
    out.parent.mkdir()
    try:
        joined = join(paths, out)
    except InquestError:
        assert not list(out.parent.iterdir())
        raise
    assert hashlib.sha256(out.read_bytes()).hexdigest() == joined.sha256
    return joined.sha256


def seeds() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.inquest"
        path.write_bytes(bytes(range(256)) * 40)
        parts = split(path, Path(folder), size=4096)
        yield pack(part.read_bytes() for part in parts)
        yield pack(part.read_bytes() for part in parts[1:])
