"""Logs of real small jobs of real frameworks, kept in ``samples/logs``, and how verdicts on them are graded.

Run ``python -m tests.analyze.framework_logs [FOLDER]`` for the score; every run failed, or did not, in a way that was
arranged before it started, so the truth beside each log is known by construction.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

LOGS = Path(__file__).resolve().parents[2] / "samples" / "logs"
OUTSIDE = "outside"
UNDECIDABLE = "-"

Grade = Literal["right", "abstained", "wrong"]


@dataclass(frozen=True)
class Case:
    """One job: its folder and the truth of it.

    ``truth["right"]`` holds the families that are right answers, or ``outside`` or ``-`` (abstain); the first one is
    what was arranged; ``right_without_status`` where the log alone tells less. ``exit_code`` is the status of the
    job's own shell.
    """

    folder: Path
    truth: dict[str, Any]

    @property
    def name(self) -> str:
        """Batch and name of the job."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def sound(self) -> bool:
        """True where nothing was wrong with the run."""
        return "G1" in self.truth["right"]


@dataclass(frozen=True)
class Answer:
    """What the engine said of a job."""

    case: Case
    with_status: bool
    verdict: Verdict

    @property
    def right(self) -> list[str]:
        """The right answers to what was handed in."""
        truth: dict[str, list[str]] = self.case.truth
        return truth["right"] if self.with_status else truth.get("right_without_status", truth["right"])

    @property
    def family(self) -> str:
        """The family, ``outside``, or ``-`` where the verdict abstains."""
        return {"decided": self.verdict.family or "", "outside_families": OUTSIDE}.get(
            self.verdict.outcome, UNDECIDABLE
        )

    @property
    def grade(self) -> Grade:
        """``abstained`` also where abstaining is the right answer and nothing else is."""
        if self.family == UNDECIDABLE:
            return "abstained"
        return "right" if self.family in self.right else "wrong"

    @property
    def flaws(self) -> list[str]:
        """Details of a right verdict that are not what was arranged."""
        truth, verdict = self.case.truth, self.verdict
        found = []
        # A family of the second choice has a class and a mode of its own.
        if self.family == truth["right"][0]:
            if "fault_class" in truth and verdict.fault_class not in truth["fault_class"]:
                found.append(f"fault_class {verdict.fault_class} not in {truth['fault_class']}")
            if "sub_mode" in truth and verdict.sub_mode != truth["sub_mode"]:
                found.append(f"sub_mode {verdict.sub_mode} is not {truth['sub_mode']}")
            # The first to fail may stand as such, or as the one to look at.
            named = verdict.culprit_ranks or tuple(rank for rank in [verdict.first_failing.rank] if rank is not None)
            if "ranks" in truth and named != tuple(truth["ranks"]):
                found.append(f"ranks {named} are not {truth['ranks']}")
        return found


def cases(root: Path = LOGS) -> list[Case]:
    """All jobs under a folder, in the order of their names."""
    return [Case(path.parent, json.loads(path.read_text())) for path in sorted(root.glob("**/truth.json"))]


def answer(case: Case, *, with_status: bool) -> Answer:
    """Judge one job as ``inquest explain`` does, with or without its exit status."""
    logs = [path for path in sorted(case.folder.rglob("*")) if path.is_file() and path.name != "truth.json"]
    store = import_logs(logs, exit_code=case.truth["exit_code"] if with_status else None)
    return Answer(case, with_status, analyze(store, strict=True)[0])


def totals(answers: list[Answer]) -> str:
    """Right, abstained and wrong by group, of the jobs that can be decided; then of those that cannot."""
    grades: tuple[Grade, ...] = ("right", "abstained", "wrong")
    decidable = [item for item in answers if UNDECIDABLE not in item.right]
    counts = Counter((item.case.truth["group"], item.grade) for item in decidable)
    lines = [f"{'group':12}" + "".join(f"{grade:>11}" for grade in grades)]
    lines += [
        f"{group:12}" + "".join(f"{counts[group, grade]:11d}" for grade in grades)
        for group in sorted({group for group, _ in counts})
    ]
    sums = Counter(item.grade for item in decidable)
    lines.append(f"{'all':12}" + "".join(f"{sums[grade]:11d}" for grade in grades))
    rest = Counter(item.grade for item in answers if UNDECIDABLE in item.right)
    lines.append(f"undecidable: {rest['abstained']} abstained, {rest['right']} decided right, {rest['wrong']} wrong")
    return "\n".join(lines)


def main(root: Path) -> None:
    """Print what is not right, and the totals, with and without exit status."""
    for with_status in (True, False):
        answers = [answer(case, with_status=with_status) for case in cases(root)]
        print(f"== {'with' if with_status else 'without'} exit status")
        for item in answers:
            if item.grade != "right" or item.flaws:
                right = " ".join(item.right)
                print(
                    f"{item.grade:10}{item.case.name:42} {right:8} -> {item.family:8}"
                    f"{item.verdict.confidence:.2f} {'; '.join(item.flaws)} | {item.verdict.headline[:110]}"
                )
        print(totals(answers))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LOGS)
