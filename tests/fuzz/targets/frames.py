"""A file of frames: header, frames, state."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.bundle.frames import FrameReader, FrameWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    path = place.scratch / "log-0.raw"
    path.write_bytes(data)
    try:
        reader = FrameReader(path)
    except ValueError as error:  # what FrameReader promises for a damaged header
        return str(error).replace(str(place.scratch), "")
    frames = list(reader)
    assert reader.valid_bytes + reader.lost_bytes == len(data)
    assert sum(map(len, frames)) <= len(data)
    return frames, reader.state, reader.valid_bytes


def seeds() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        writer = FrameWriter(path, {"kind": "raw", "task": 0}, fsync=False)
        for payload in (b"a", b"{}" * 90, bytes(300)):
            writer.append(payload)
        yield path.read_bytes()
        writer.close()
        yield path.read_bytes()
        yield path.read_bytes()[:-9]
