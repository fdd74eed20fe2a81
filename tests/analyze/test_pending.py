"""A job that the queue holds: nothing ran, and the verdict says what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

SHOWN = """\
JobId=71 JobName=train
   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A
   JobState={state} Reason={reason} Dependency=(null)
   Requeue=1 Restarts={restarts} BatchFlag=1 Reboot=0 ExitCode=0:0
   SubmitTime=2026-03-01T10:00:00 EligibleTime=2026-03-01T10:00:00
   StartTime={start} EndTime=Unknown Deadline=N/A
"""


def judged(tmp_path: Path, state: str, reason: str, *more: tuple[str, str]) -> Verdict:
    told = tmp_path / "scontrol.txt"
    told.write_text(SHOWN.format(state=state, reason=reason, restarts=0, start="Unknown"))
    sources = [told]
    for name, text in more:
        (tmp_path / name).write_text(text)
        sources.append(tmp_path / name)
    write(import_paths(sources), tmp_path / "job.inquest")
    return analyze(BundleStore(tmp_path / "job.inquest"))[0]


@pytest.mark.parametrize(
    ("reason", "attribution"),
    [("Resources", "scheduler"), ("QOSMaxGRESPerUser", "scheduler"), ("JobHeldUser", "job"), ("BeginTime", "job")],
)
def test_it_says_what_the_job_waits_for(tmp_path: Path, reason: str, attribution: str) -> None:
    verdict = judged(tmp_path, "PENDING", reason)
    assert (verdict.outcome, verdict.family, verdict.sub_mode) == ("outside_families", None, "pending")
    assert verdict.attribution == attribution
    assert verdict.headline == f"The job has not begun: the scheduler keeps it waiting ({reason})."
    assert [claim.value for claim in verdict.shows] == ["PENDING", reason]


def test_a_job_that_runs_does_not_wait(tmp_path: Path) -> None:
    assert judged(tmp_path, "RUNNING", "None").sub_mode != "pending"


def test_output_says_that_it_has_begun(tmp_path: Path) -> None:
    """The record was looked up before."""
    log = ("slurm-71.out", "step 1 loss 5.0\nstep 2 loss 4.0\nRuntimeError: boom\n")
    assert judged(tmp_path, "PENDING", "Resources", log).sub_mode != "pending"
