"""Verdicts on logs of real small jobs of real frameworks: right or abstaining, and never sure of what is wrong.

Run ``python -m tests.analyze.framework_logs`` for the list of what is not right.
"""

from __future__ import annotations

import pytest

from tests.analyze.framework_logs import LOGS, UNDECIDABLE, Answer, answer, cases, totals

SURE = 0.6
"""No wrong verdict may be surer than this."""

RIGHT_OF_DECIDED = 0.95
DECIDED_OF_DECIDABLE = 0.85


@pytest.fixture(scope="module", params=[True, False], ids=["with_status", "log_alone"])
def answers(request: pytest.FixtureRequest) -> list[Answer]:
    """All jobs, judged with the exit status of the job's shell, and without."""
    found = [answer(case, with_status=request.param) for case in cases()]
    print("\n" + totals(found))
    return found


def test_jobs_are_kept_with_their_truth() -> None:
    """Each folder with a log says what was arranged, by what script and command, and how it ended."""
    folders = {path.parent for path in LOGS.glob("*/*/job.log")}
    assert folders == {case.folder for case in cases()}
    assert len(folders) > 100
    for case in cases():
        assert {"group", "right", "how", "script", "command", "exit_code"} <= set(case.truth), case.name


def test_no_wrong_verdict_is_sure(answers: list[Answer]) -> None:
    """A wrong verdict, where there is one, says that it may be."""
    assert [item.case.name for item in answers if item.grade == "wrong" and item.verdict.confidence > SURE] == []


def test_sound_runs_raise_no_alarm(answers: list[Answer]) -> None:
    """Frightening words, handled tracebacks, retries and restarts do not make a failure of a run that went well."""
    assert [item.case.name for item in answers if item.case.sound and item.grade == "wrong"] == []


def test_most_are_decided_and_right(answers: list[Answer]) -> None:
    """The bars of the project: of what was decided, and of what can be."""
    decidable = [item for item in answers if UNDECIDABLE not in item.right]
    decided = [item for item in decidable if item.grade != "abstained"]
    assert sum(item.grade == "right" for item in decided) >= RIGHT_OF_DECIDED * len(decided)
    assert len(decided) >= DECIDED_OF_DECIDABLE * len(decidable)


def test_details_are_those_arranged(answers: list[Answer]) -> None:
    """Fault class, mode and rank are right in nearly all right verdicts: they decide who is asked to act."""
    right = [item for item in answers if item.grade == "right"]
    flawed = [f"{item.case.name}: {'; '.join(item.flaws)}" for item in right if item.flaws]
    assert len(flawed) <= 0.05 * len(right), flawed
