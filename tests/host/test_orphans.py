"""Daemons of a job: started through a parent that ends at once, in a session of their own, adopted by init."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collectors.process_life import ProcessLife
from inquest.capture.collectors.processes import Processes
from tests.capture.ebpf_life.kit import PATIENCE_S, need_probes, watched

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.capture.collector import Collector, Row

DAEMONS = """
sh -c 'setsid sh -c "read x < first; exit 7" & setsid sh -c "read x < second; kill -11 \\$\\$" & :'
read x < last
"""
"""Each waits for its word, so that nothing hangs on anybody being quick."""


def ended_with(exit_code: int | None, term_signal: int | None) -> Callable[[list[Row]], bool]:
    """Whether a row says that a process ended so."""
    wanted = (exit_code, term_signal)
    return lambda rows: any((row.get("exit_code"), row.get("term_signal")) == wanted for row in rows)


@pytest.mark.parametrize("collectors", [(Processes, ProcessLife), (ProcessLife,)], ids=["both", "kernel events"])
def test_how_daemons_of_a_job_end(tmp_path: Path, collectors: tuple[type[Collector], ...]) -> None:
    need_probes()
    for name in ("first", "second", "last"):
        os.mkfifo(tmp_path / name)
    with watched(tmp_path, "sh", "-c", DAEMONS, cwd=tmp_path) as job:
        job.start(*(kind() for kind in collectors))
        job.go()
        for name, status in (("first", (7, None)), ("second", (None, 11))):
            with (tmp_path / name).open("w"):
                pass  # opens once the daemon reads, and has it read the end
            job.wait_for("processes", ended_with(*status))
        with (tmp_path / "last").open("w"):
            pass
        assert job.process.wait(PATIENCE_S) == 1  # read met the end
        job.stop()
        ends = [(row["exit_code"], row["term_signal"]) for row in job.of("processes", event="exit")]
    assert (ends.count((7, None)), ends.count((None, 11))) == (1, 1), "each is told once"
