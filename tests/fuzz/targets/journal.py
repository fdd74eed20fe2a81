"""A journal whose frames are whole and whose payloads are not: first the header (JSON), then Arrow messages."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.bundle.frames import FrameWriter, read_frames
from inquest.bundle.journal import Journal, JournalReader
from tests.fuzz.packed import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    header, *payloads = unpack(data) or [b""]
    path = place.scratch / "host_samples.0.journal"
    framed(path, header, payloads)
    try:
        reader = JournalReader(path)
    except ValueError as error:  # what JournalReader promises
        return str(error).replace(str(place.scratch), "")
    rows = []
    for batch in reader:
        batch.validate(full=True)
        rows.append(batch.to_pydict())
    return repr(rows), reader.bad_frames, reader.state


def framed(path: Path, header: bytes, payloads: list[bytes]) -> None:
    """A file of frames with these payloads; a header that is no JSON object is an empty one."""
    try:
        facts = json.loads(header)
    except (ValueError, RecursionError):
        facts = None
    with FrameWriter(path, facts if isinstance(facts, dict) else {}, fsync=False) as writer:
        for payload in payloads:
            if payload:
                writer.append(payload)


def seeds() -> Iterator[bytes]:
    for table, rows in (
        ("host_samples", [{"ts_mono_ns": 1}, {"ts_mono_ns": 2}]),
        ("stacks", [{"text": "a" * 30}, {"text": None}]),
        ("clock_samples", [{"ts_mono_ns": 7}]),
    ):
        with tempfile.TemporaryDirectory() as folder:
            journal = Journal(folder, "c", "n0", "b", fsync=False)
            journal.append(table, rows)
            journal.append(table, rows)
            journal.close()
            (path,) = Path(folder).iterdir()
            header = {"kind": "journal", "table": table, "segment": 0, "node": "n0", "capture": "c", "boot_id": "b"}
            yield pack([json.dumps(header).encode(), *read_frames(path)])
