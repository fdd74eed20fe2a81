"""What the scheduler's settings add to a time-out and a preemption: what a job has left, and what becomes of it."""

from __future__ import annotations

import pytest

from inquest.analyze.claims import wrong_with
from inquest.analyze.engine import judge
from inquest.analyze.logs.kinds import Kind

from .builders import Run, at


def ended_by(kind: Kind, **settings: tuple[str, float | None]) -> tuple[str, list[str], list[object]]:
    """Family, implications and values of claims about settings, of a job the scheduler ended."""
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    run.event(kind, f"JOB 7 CANCELLED AT ... DUE TO {kind}", framework="slurm", t=52, subject="7")
    for name, (text, value) in settings.items():
        row = {"name": f"config.{name}", "setting": text, "value": value, "unit": None if value is None else "s"}
        run.row("slurm_controller", ts_ns=at(1), **row)
    evidence = run.ended(None, term=15, t=53).evidence()
    verdict = judge(evidence, strict=True)
    assert not [problem for claim in verdict.shows for problem in wrong_with(claim, evidence)]
    told = [claim for claim in verdict.shows if claim.table == "slurm_controller"]
    assert all(claim.rows for claim in told)
    return verdict.family or "", list(verdict.implies), [claim.value for claim in told]


def test_a_time_limit_tells_what_was_left() -> None:
    family, implies, values = ended_by(Kind.TIME_LIMIT, KillWait=("30 sec", 30), OverTimeLimit=("5 min", 300))
    assert family == "F3"
    assert values == [300, 30]
    assert "5 min beyond its limit" in implies[0]
    assert "has 30 s" in implies[1]


def test_what_is_not_set_or_not_captured_tells_nothing() -> None:
    assert ended_by(Kind.TIME_LIMIT, OverTimeLimit=("0 min", 0.0)) == ("F3", [], [])
    assert ended_by(Kind.TIME_LIMIT, KillWait=("UNLIMITED", None)) == ("F3", [], [])
    assert ended_by(Kind.TIME_LIMIT) == ("F3", [], [])
    assert ended_by(Kind.PREEMPTED, PreemptMode=("OFF", None)) == ("F2", [], [])


@pytest.mark.parametrize(
    ("mode", "word"), [("REQUEUE", "is put back"), ("CANCEL", "is not"), ("GANG,CANCEL", "is not")]
)
def test_a_preemption_tells_what_becomes_of_the_job(mode: str, word: str) -> None:
    family, implies, values = ended_by(Kind.PREEMPTED, PreemptMode=(mode, None))
    assert (family, values) == ("F2", [mode])
    assert word in implies[0]
