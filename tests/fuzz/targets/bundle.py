"""Bytes of a whole bundle: opened, every row read, verified."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.bundle.errors import InputError
from inquest.bundle.store import BundleStore
from inquest.bundle.verify import verify
from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

ROWS: dict[str, list[dict[str, Any]]] = {
    "log_lines": [
        {"text": f"step {i} loss {9 / (i + 1)}", "stream": "stdout", "ts_ns": i, "rank": i % 2} for i in range(9)
    ],
    "processes": [
        {"rank": 0, "world_size": 2, "job_id": "1", "event": "start", "ts_ns": 0},
        {"rank": 1, "world_size": 2, "job_id": "1", "event": "exit", "exit_code": 1, "ts_ns": 9},
    ],
}


def run(data: bytes, place: Place) -> object:
    path = place.scratch / "job.inquest"
    path.write_bytes(data)
    return read(path)


def read(path: Path) -> object:
    """What reading all of a bundle gives."""
    report = verify(path)
    store = BundleStore(path)
    rows: list[object] = [report.problems, report.rows, store.info.nodes, store.info.job_id]
    for table in (*store.tables(), "stacks"):
        try:
            frame = store.scan(table).collect()
        except InputError as error:
            rows.append(str(error).replace(str(path), "PATH"))
            if report.ok:
                raise AssertionError("a bundle that verifies cannot be read") from error
        else:
            rows.append(frame.hash_rows().sum() if frame.height else 0)
    return rows


def seeds() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        yield write_bundle(Path(folder) / "b", ROWS).read_bytes()
        yield write_bundle(Path(folder) / "c", {"host_samples": [{"ts_ns": 5, "ts_mono_ns": 5}]}).read_bytes()
