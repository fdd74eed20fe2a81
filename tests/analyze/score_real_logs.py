"""Score verdicts on real logs whose truth is known: right, abstained, wrong.

Run ``python -m tests.analyze.score_real_logs``; ``--wrong`` lists only the wrong ones. The logs lie beside the checkout
(``../shared``), not in it. What was DONE to a run is the truth; which answers are right for it is decided here, once,
by the words of the index, never by the name of a log.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = Path(__file__).resolve().parents[3] / "shared"
REFERENCE = SHARED / "reference" / "real-logs"
CORPUS = SHARED / "corpora" / "real-logs"

Grade = Literal["right", "abstained", "wrong"]

# Words of the index (first match) and the answers that are right for them; "outside" stands for outside_families.
_RIGHT = (
    (r"D1/A1", {"D1", "A1"}),
    (r"A1/D2 \(disk full\)", {"A1", "outside"}),
    (r"A1/E2|E2/A1", {"A1", "E2"}),
    (r"C1/A1", {"C1", "A1"}),
    (r"C2/C3", {"C2", "C3"}),
    (r"^(A2|host OOM \(A2\))", {"A2"}),
    (r"host OOM", {"A1", "A2"}),
    (r"^F1-like", {"F1", "A2", "C2"}),
    (r"^F2-like", {"F2", "G1"}),
    (r"^external", {"outside", "A2", "F3"}),
    (r"^D2-like", {"D2", "G1"}),
    (r"^data", {"G1", "A2", "outside"}),
    (r"^(D1 hint|E2 hint|benign|silent|environment|consequence)", {"G1", "D1", "E2", "E3", "outside"}),
    (r"crash", {"A1"}),
    # A healthy toy run of five steps or fewer is what E3 means.
    (r"^healthy", {"G1", "E3"}),
    (r"^([A-G]\d)", set()),
)
_RIGHT_E2_CRASH = re.compile(r"^E2")


@dataclass(frozen=True)
class Case:
    """One log and what is right for it."""

    name: str
    paths: tuple[Path, ...]
    right: frozenset[str]
    healthy: bool
    exit_code: int | None = None


@dataclass(frozen=True)
class Scored:
    """What became of a case."""

    case: Case
    answer: str
    confidence: float
    headline: str
    grade: Grade


def _right(words: str) -> frozenset[str]:
    if _RIGHT_E2_CRASH.match(words) and "hint" not in words and "/" not in words:
        return frozenset({"E2"})
    for pattern, answers in _RIGHT:
        if match := re.search(pattern, words):
            return frozenset(answers or {match[1]})
    raise ValueError(f"no answer is declared for {words!r}")


def reference_cases() -> Iterator[Case]:
    """The 195 recorded runs of the reference folder."""
    for line in (REFERENCE / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) >= 3 and (REFERENCE / cells[0] / "log.txt").is_file():
            folder = REFERENCE / cells[0]
            healthy = cells[1].startswith(("healthy", "benign"))
            yield Case(cells[0], (folder / "log.txt",), _right(cells[1]), healthy, _status(folder / "cmd.txt"))


def corpus_cases() -> Iterator[Case]:
    """Logs as pasted in public threads, with labels; ended by a person or a terminal counts as outside the families."""
    for folder in sorted(path for path in CORPUS.iterdir() if (path / "case.json").is_file()):
        case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
        right = {case["family"], *case["also_ok"]}
        if case["family"] == "A2" and "F2" in case["also_ok"]:
            right.add("outside")
        yield Case(f"corpus/{folder.name}", (folder / "log.txt",), frozenset(right), case["family"] == "G1")


def _status(command_file: Path) -> int | None:
    """Exit status of the job, where the recorded command ends with the job itself."""
    text = command_file.read_text(encoding="utf-8", errors="replace")
    command = re.search(r"^# command.*\n(.+)$", text, re.MULTILINE)
    status = re.search(r"^# exit status of the command: (\d+)$", text, re.MULTILINE)
    if command is None or status is None:
        return None
    last = command[1].split(";")[-1].strip()
    return int(status[1]) if re.match(r"(\w+=\S+ )*(timeout|python3?|torchrun|accelerate|deepspeed)\b", last) else None


def score(case: Case) -> Scored:
    """Analyze one log as a user would."""
    verdict, _ = analyze(import_logs(list(case.paths), exit_code=case.exit_code), strict=True)
    answer = {"decided": verdict.family or "", "outside_families": "outside"}.get(verdict.outcome, "")
    grade: Grade = "abstained" if not answer else "right" if answer in case.right else "wrong"
    return Scored(case, answer or "-", verdict.confidence, verdict.headline, grade)


def run(cases: list[Case], workers: int = 2) -> list[Scored]:
    """Score all cases, in order."""
    if workers == 1:
        return [score(case) for case in cases]
    # Polars has threads by now, and a forked child of a process with threads may wait for ever.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(score, cases, chunksize=8))


def main() -> None:
    """Print what is not right, then the totals."""
    wanted = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    cases = [*reference_cases(), *corpus_cases()]
    cases = [case for case in cases if not wanted or any(word in case.name for word in wanted)]
    scored = run(cases)
    for item in scored:
        if item.grade == "wrong" or (item.grade == "abstained" and "--wrong" not in sys.argv) or wanted:
            right = "/".join(sorted(item.case.right))
            print(f"{item.grade:9} {item.case.name:36}", item.answer, item.confidence, f"want {right}: {item.headline}")
    print("wanted -> answered:")
    for (wanted_answers, answer), count in sorted(
        Counter(("/".join(sorted(i.case.right)), i.answer) for i in scored).items()
    ):
        print(f"  {wanted_answers:24} {answer:8} {count}")
    print(dict(Counter(item.grade for item in scored)))


if __name__ == "__main__":
    main()
