"""PyTorch's own analyzer of flight-recorder dumps: who is named, and how long it takes.

It is found as ``$TORCHFRTRACE``, else on PATH: it comes with torch. It opens dumps with ``pickle.load``: give it only
what you trust.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from benchmarks.peers import Absent, Row
from benchmarks.peers.gpualert import INQUEST

JOBS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "flight-recorder"


def rows() -> list[Row]:
    """A row for each recorded job.

    Raises:
        Absent: torch, or the dumps, are not here.
    """
    found = os.environ.get("TORCHFRTRACE") or shutil.which("torchfrtrace")
    if not found:
        raise Absent("torchfrtrace is not here: pip install torch into an environment of its own, and set TORCHFRTRACE")
    if not JOBS.is_dir():
        raise Absent("the dumps of ../shared/corpora/flight-recorder are not here")
    return [_job(found, job) for job in sorted(JOBS.iterdir())]


def _job(found: str, job: Path) -> Row:
    truth = re.search(r"Fault ranks: (\[.*\])", (job / "fault_injection.log").read_text())
    begin = time.perf_counter()
    said = subprocess.run([found, "-p", "_dump_", str(job)], capture_output=True, text=True, check=False)
    there = time.perf_counter() - begin
    named = {
        int(rank)
        for ranks in re.findall(r"missing ranks: \{(.*)\}", said.stderr + said.stdout)
        for rank in ranks.split(",")
    }
    begin = time.perf_counter()
    verdict = subprocess.run([INQUEST, "explain", str(job), "--json"], capture_output=True, text=True, check=False)
    here = time.perf_counter() - begin
    ours = json.loads(verdict.stdout)["culprit_ranks"]
    return Row(
        f"16 ranks hang, faults at {truth[1] if truth else '?'} ({job.name}): ranks named, whole command",
        f"{sorted(named)}, {there:.1f} s",
        f"{ours}, {here:.1f} s",
    )
