"""Real processes, watched by the real programs in the real kernel."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from inquest.capture import proc
from inquest.capture.collector import Context
from inquest.capture.ebpf import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from inquest.capture.collector import Collector, Row

PYTHON = [os.path.realpath(sys.executable), "-I", "-S", "-c"]
PATIENCE_S = 60.0
"""How long a test waits for what must come; only a failing one waits that long."""


def need_probes() -> None:
    """Skip, and say why, where the kernel lets nobody probe; from here on a refusal is a failure."""
    if (reason := session.why_not()) is not None:
        pytest.skip(f"no eBPF here: {reason}")


def context(tmp_path: Path, pid: int) -> Context:
    """What a recorder beside process ``pid`` would tell its collectors."""
    return Context(
        capture_dir=tmp_path,
        node="node-a",
        boot_id=proc.boot_id(),
        child_pid=pid,
        began_mono_ns=time.monotonic_ns(),
        environ={},
    )


class Watched:
    """A job that waits for ``go`` before it does anything, and the collectors beside it."""

    def __init__(self, tmp_path: Path, *command: str, **options: Any) -> None:
        gate = 'read -r _ && exec "$@"'
        self.process = subprocess.Popen(["sh", "-c", gate, "job", *command], stdin=subprocess.PIPE, **options)
        self.pid = self.process.pid
        self.ctx = context(tmp_path, self.pid)
        self._running: list[Collector] = []
        self.rows: dict[str, list[Row]] = {}

    def start(self, *collectors: Collector) -> None:
        """Start collectors beside the job."""
        for collector in collectors:
            self._take(collector.start(self.ctx))
            self._running.append(collector)

    def go(self) -> None:
        """Let the job begin."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.close()

    def tick(self) -> None:
        """One turn of every collector."""
        for collector in self._running:
            self._take(collector.tick(self.ctx))

    def wait_for(self, table: str, wanted: Callable[[list[Row]], bool]) -> list[Row]:
        """Turn after turn until the rows of a table are as wanted."""
        deadline = time.monotonic() + PATIENCE_S
        while not wanted(self.rows.get(table, [])):
            assert time.monotonic() < deadline, f"{table} never came to be as wanted: {self.rows.get(table, [])[-5:]}"
            time.sleep(0.05)
            self.tick()
        return self.rows[table]

    def end(self) -> int:
        """Wait for the job, and stop the collectors. Returns the job's status as subprocess has it."""
        status = self.process.wait(PATIENCE_S)
        self.stop()
        return status

    def stop(self) -> None:
        """Stop the collectors."""
        for collector in self._running:
            self._take(collector.stop(self.ctx))
        self._running = []

    def of(self, table: str, **columns: object) -> list[Row]:
        """Rows of a table with these values."""
        return [row for row in self.rows.get(table, []) if all(row.get(k) == v for k, v in columns.items())]

    def _take(self, batches: Any) -> None:
        for table, rows in batches:
            self.rows.setdefault(table, []).extend(rows)


@contextlib.contextmanager
def watched(tmp_path: Path, *command: str, **options: Any) -> Iterator[Watched]:
    """The job, ended and reaped with all its collectors whatever the test did."""
    job = Watched(tmp_path, *command, **options)
    try:
        yield job
    finally:
        job.process.kill()
        job.process.wait()
        job.stop()
        for stream in (job.process.stdin, job.process.stdout, job.process.stderr):
            if stream is not None:
                stream.close()
