"""What became of a node after the job had completed on it is not the job's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    from pathlib import Path

SACCT = """\
JobID|JobName|State|ExitCode|Start|End|NodeList
71|train|{state}|{code}|2026-03-01T10:00:00|2026-03-01T10:05:00|n[1-2]
"""
NODE = """\
NodeName=n2 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUTot=16 CPULoad=0.10
   State=DOWN* ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   BootTime=2026-02-28T20:00:00 SlurmdStartTime=2026-02-28T21:00:00
   Reason=Not responding [slurm@2026-03-01T10:07:00]
"""


@pytest.mark.parametrize(("state", "code", "told"), [("COMPLETED", "0:0", 0), ("NODE_FAIL", "0:0", 1)])
def test_a_node_that_goes_down_later(tmp_path: Path, state: str, code: str, told: int) -> None:
    (tmp_path / "sacct.txt").write_text(SACCT.format(state=state, code=code))
    (tmp_path / "node.txt").write_text(NODE)
    write(import_paths([tmp_path / "sacct.txt", tmp_path / "node.txt"]), tmp_path / "job.inquest")
    verdict, evidence = analyze(BundleStore(tmp_path / "job.inquest"))
    events = evidence.frame("fact_events")
    assert events.filter(events["pattern"] == "slurm.node").height == told
    assert (verdict.family == "F1") == bool(told), verdict.headline
