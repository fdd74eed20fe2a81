"""What became of a node after the job had ended on it is not the job's, unless it had been lost before."""

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
71|train|{state}|0:0|2026-03-01T10:00:00|2026-03-01T10:05:00|n[1-2]
"""
NODE = """\
NodeName=n2 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUTot=16 CPULoad=0.10
   State=DOWN* ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   BootTime=2026-02-28T20:00:00 SlurmdStartTime=2026-02-28T21:00:00
   Reason=Not responding [slurm@{down}]
"""


STEPS = "".join(f"[2026-03-01 10:{k // 60:02}:{k % 60:02}] step {k} loss {9 - k / 50:.3f}\n" for k in range(2, 298, 2))


@pytest.mark.parametrize(
    ("state", "down", "steps", "family"),
    [
        ("COMPLETED", "10:07:00", 148, "G1"),
        ("NODE_FAIL", "10:07:00", 0, "F1"),
        ("CANCELLED by 7", "10:07:00", 0, None),
        ("CANCELLED by 7", "10:04:50", 0, "F1"),
        ("TIMEOUT", "10:07:00", 0, "F3"),
        ("CANCELLED by 7", "10:07:00", 148, None),
        ("TIMEOUT", "10:07:00", 148, "F3"),
        ("CANCELLED by 7", "10:07:00", 40, "F1"),  # it stood still for minutes: somebody lost patience
    ],
)
def test_a_node_that_goes_down_about_the_end(
    tmp_path: Path, state: str, down: str, steps: int, family: str | None
) -> None:
    (tmp_path / "sacct.txt").write_text(SACCT.format(state=state))
    (tmp_path / "node.txt").write_text(NODE.format(down=f"2026-03-01T{down}"))
    (tmp_path / "train.log").write_text("".join(STEPS.splitlines(keepends=True)[:steps]))
    write(import_paths(sorted(tmp_path.iterdir())), tmp_path / "job.inquest")
    verdict = analyze(BundleStore(tmp_path / "job.inquest"))[0]
    assert verdict.family == family, verdict.headline
    assert verdict.outcome == ("outside_families" if family is None else "decided")
