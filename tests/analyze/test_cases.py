"""Verdicts on the constructed cases of ``cases/``: right, abstained or wrong, and never sure of what is wrong.

Run ``python -m tests.analyze.test_cases [NAME...]`` for the list of what is not right; ``-s`` prints the totals.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from tests.analyze.cases import ALL
from tests.analyze.cases.model import OUTSIDE, UNDECIDABLE, Case

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

SURE = 0.6
"""No wrong verdict may be surer than this."""

RIGHT_OF_DECIDED = 0.95
DECIDED_OF_DECIDABLE = 0.85


@dataclass(frozen=True)
class Answer:
    """What became of a case."""

    case: Case
    verdict: Verdict
    family: str

    @property
    def grade(self) -> str:
        """``right``, ``abstained`` (though it could be decided) or ``wrong``."""
        if self.family in self.case.answers:
            return "right"
        return "abstained" if self.family == UNDECIDABLE else "wrong"


def answer(case: Case) -> Answer:
    """Analyze the files of a case as ``inquest explain`` does."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in case.files.items():
            path = Path(folder, name)
            path.write_bytes(text.encode())
            paths.append(path)
        verdict, _ = analyze(import_logs(paths, exit_code=case.exit_code, signal=case.signal), strict=True)
    named = {"decided": verdict.family or "", "outside_families": OUTSIDE}.get(verdict.outcome, UNDECIDABLE)
    return Answer(case, verdict, named)


@pytest.fixture(scope="module")
def answers() -> list[Answer]:
    """All cases, judged once."""
    found = [answer(case) for case in ALL]
    print("\n" + totals(found))
    return found


def totals(answers: list[Answer]) -> str:
    """Right, abstained and wrong by the family a case was built for."""
    rows = Counter((item.case.right.split()[0], item.grade) for item in answers)
    grades = ("right", "abstained", "wrong")
    lines = [f"{'built for':10}" + "".join(f"{grade:>11}" for grade in grades)]
    lines += [
        f"{family:10}" + "".join(f"{rows[family, grade]:11d}" for grade in grades)
        for family in sorted({family for family, _ in rows})
    ]
    sums = Counter(item.grade for item in answers)
    return "\n".join([*lines, f"{'all':10}" + "".join(f"{sums[grade]:11d}" for grade in grades)])


def _text(items: list[Answer]) -> str:
    return "\n".join(
        f"{item.case.name}: {item.family} ({item.verdict.confidence}), right is {item.case.right}:"
        f" {item.verdict.headline}"
        for item in items
    )


def test_there_are_many_cases_with_names_of_their_own() -> None:
    assert len(ALL) >= 80
    assert len({case.name for case in ALL}) == len(ALL)


def test_nothing_wrong_is_said_with_confidence(answers: list[Answer]) -> None:
    sure = [item for item in answers if item.grade == "wrong" and item.verdict.confidence > SURE]
    assert not sure, _text(sure)


def test_a_sound_run_never_raises_an_alarm(answers: list[Answer]) -> None:
    alarms = [item for item in answers if item.case.sound and item.grade == "wrong"]
    assert not alarms, _text(alarms)


def test_what_is_decided_is_right_and_what_can_be_decided_is(answers: list[Answer]) -> None:
    decided = [item for item in answers if item.family != UNDECIDABLE]
    wrong = [item for item in decided if item.grade == "wrong"]
    assert len(wrong) <= (1 - RIGHT_OF_DECIDED) * len(decided), _text(wrong)
    decidable = [item for item in answers if item.case.decidable]
    open_ones = [item for item in decidable if item.family == UNDECIDABLE]
    assert len(open_ones) <= (1 - DECIDED_OF_DECIDABLE) * len(decidable), _text(open_ones)


def _details(item: Answer) -> list[str]:
    case, verdict = item.case, item.verdict
    wanted = (
        ("fault_class", case.fault_class, verdict.fault_class),
        ("attribution", case.attribution, verdict.attribution),
        ("ranks", case.ranks, verdict.culprit_ranks),
        ("nodes", case.nodes, verdict.culprit_nodes),
    )
    if item.grade != "right" or item.family == UNDECIDABLE:
        return []
    return [f"{name} {found!r}, right is {right!r}" for name, right, found in wanted if right not in (None, found)]


def test_fault_attribution_and_culprits_are_right(answers: list[Answer]) -> None:
    odd = [f"{item.case.name}: {'; '.join(_details(item))}" for item in answers if _details(item)]
    assert not odd, "\n".join(odd)


if __name__ == "__main__":
    chosen = [answer(case) for case in ALL if not sys.argv[1:] or any(word in case.name for word in sys.argv[1:])]
    print(_text([item for item in chosen if item.grade != "right" or sys.argv[1:]]))
    print("\n".join(f"{item.case.name}: {'; '.join(_details(item))}" for item in chosen if _details(item)))
    print(totals(chosen))
