"""A recording with damaged files: recovered, merged, and the bundle verified.

Pairs of parts: a byte that names the file (and whether its content is put into frames), and its content.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.bundle import rawlog
from inquest.bundle.frames import read_frames
from inquest.bundle.journal import Journal
from inquest.bundle.merge import merge
from inquest.bundle.nodedir import checksum
from inquest.bundle.recovery import RecoveryReport, recover
from inquest.bundle.verify import verify
from tests.fuzz.packed import pack, unpack
from tests.fuzz.targets.journal import framed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_NAMES = (
    "node.json",
    "task.raw",
    "log-0.raw",
    "log-0.1.raw",
    "host_samples.0.journal",
    "clock_samples.0.journal",
    "processes.0.journal",
    "stacks.1.journal",
    "host_samples.0.parquet",
    "host_samples.0.seal",
    "log_lines.log-0.parquet",
    "log-0.seal",
)
_FRAMED = 0x80


def run(data: bytes, place: Place) -> object:
    parts = unpack(data)
    capture = place.scratch / "node-a" / "20261120T000000Z-00000000-1-abcd"
    capture.mkdir(parents=True)
    for which, content in zip(parts[::2], parts[1::2], strict=False):
        number = which[0] if which else 0
        path = capture / _NAMES[(number & ~_FRAMED) % len(_NAMES)]
        if path.exists():
            continue
        if number & _FRAMED:
            header, *payloads = unpack(content) or [b""]
            framed(path, header, payloads)
        else:
            path.write_bytes(content)
    report = RecoveryReport()
    rows = 0
    for _, batch in recover(capture.parent, report):
        batch.validate(full=True)
        rows += batch.num_rows
    out = place.scratch / "job.inquest"
    merged = merge([place.scratch / "node-a"], out, job_id="1", workers=1)
    found = verify(out)
    assert found.ok, found.problems
    assert {
        table: merged.rows_out[table] + merged.duplicates.get(table, 0) for table in merged.rows_out
    } == merged.rows_in
    return rows, merged.content_digest, [(s.name, s.state, s.rows, s.lost_bytes) for s in report.segments]


def seeds() -> Iterator[bytes]:
    identity = {
        "format": 1,
        "node": "n0",
        "boot_id": "b",
        "capture": "c",
        "mono_ns": 5,
        "wall_ns": 10**18,
        "mask_key": "00" * 16,
    }
    node = json.dumps({**identity, "crc32": checksum(identity)}).encode()
    events = [
        {"event": "start", "pid": 7, "mono_ns": 5, "ts_mono_ns": 5},
        {"event": "signal", "signal": 15, "ts_mono_ns": 8},
        {"event": "exit", "exit_code": 1, "ts_mono_ns": 9},
        {"event": "delivered"},
    ]
    task = pack([b'{"task": 0}', *(json.dumps(event).encode() for event in events)])
    log = pack(
        [b'{"task": 0}', rawlog.encode(0, 6, 0, b"step 1\npassword=hunter2\n"), rawlog.encode_gap(1, 6, 0, 9, "x")]
    )
    yield pack([b"\0", node, b"\x81", task, b"\x82", log])
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(folder, "c", "n0", "b", fsync=False)
        journal.append("host_samples", [{"ts_mono_ns": 6}, {"ts_mono_ns": 8}])
        journal.close()
        (path,) = Path(folder).iterdir()
        header = {
            "kind": "journal",
            "table": "host_samples",
            "segment": 0,
            "node": "n0",
            "capture": "c",
            "boot_id": "b",
        }
        yield pack([b"\0", node, b"\x81", task, b"\x84", pack([json.dumps(header).encode(), *read_frames(path)])])
        yield pack([b"\0", node, b"\4", path.read_bytes()])
