"""Labelled logs, changed in a way that leaves the truth as it is, and judged again.

``python -m samples.redteam.changed [--only TRANSFORMATION,...] [--cases WORD] [--each N] [--json FILE]`` prints what became of
cases whose verdict is right as they are: kept, abstained, flipped (and how many of these at 0.8 or more).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from .changes import CHANGES, FORGETS
from .complications import COMPLICATIONS, LOSES
from .complications_more import MORE

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE: Final = Path(__file__).parent
SETS: Final = (
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "twentysecond",
    "twentythird",
    "twentyfourth",
    "twentyfifth",
    "twentysixth",
    "twentyseventh",
    "twentyeighth",
    "twentyninth",
    "thirtieth",
    "thirtyfirst",
    "thirtysecond",
    "thirtythird",
    "thirtyfourth",
    "thirtyfifth",
    "thirtysixth",
    "thirtyseventh",
    "thirtyeighth",
    "thirtyninth",
    "fortieth",
    "fortyfirst",
)
AS_IT_IS: Final = "as it is"
EVERY: Final = CHANGES | COMPLICATIONS | MORE
_LARGEST: Final = 300_000
_TABLE: Final = (".csv", ".json", ".jsonl", ".tsv", ".xml", ".yaml", ".yml", ".db", ".parquet", ".png", ".pt")


class Case(NamedTuple):
    """Files of a job, its status where it was told, and the right answers."""

    name: str
    paths: tuple[Path, ...]
    status: int | None
    right: tuple[str, ...]


class Judged(NamedTuple):
    """What the engine said of a case after a transformation."""

    change: str
    case: str
    right: tuple[str, ...]
    answer: str
    confidence: float
    headline: str


def of_calibration() -> Iterator[Case]:
    """Logs of ours, and of the collections beside the checkout."""
    from benchmarks.calibration.cases import of_logs

    for case in of_logs():
        yield Case(f"{case.source}/{case.name}", tuple(map(Path, case.paths)), case.exit_code, case.right)


def of_blind_sets() -> Iterator[Case]:
    """Logs recorded for the blind sets."""
    for name in SETS:
        recorded = HERE / name / "logs" / "recorded"
        for row in (json.loads(line) for file in (HERE / name).glob("truth*.jsonl") for line in file.open()):
            place = next((p for p in (recorded / row["case"], recorded / f"{row['case']}.log") if p.exists()), None)
            if row["kind"] == "logs" and place:
                files = tuple(sorted(p for p in place.rglob("*") if p.is_file())) if place.is_dir() else (place,)
                right = tuple({"cannot_decide": "-"}.get(each, each) for each in row["truth"])
                yield Case(f"{name}/{row['case']}", files, None, right)
    for name in ("blind_logs", "unseen_logs"):
        for row in map(json.loads, (HERE / name / "truth.jsonl").open()):
            place = HERE / name / "recorded" / row["name"]
            if place.is_dir():
                told = json.loads((place / "status.json").read_text())["exit_code"] if row["status"] == "told" else None
                files = tuple(sorted(p for p in place.iterdir() if p.name != "status.json"))
                yield Case(f"{name}/{row['name']}", files, told, tuple(row["right"].split()))


def of_curves() -> Iterator[Case]:
    """Curves, written anew into a folder of ours."""
    from .unseen_curves.cases import CASES
    from .unseen_curves.score import write

    place = Path(tempfile.gettempdir()) / "changed-curves"
    for name, case in CASES.items():
        folder = place / name
        folder = folder if folder.is_dir() else write(name, 601, place)
        yield Case(
            f"curves/{name}",
            tuple(p for p in sorted(folder.rglob("*")) if p.is_file()),
            case.status,
            tuple(case.right.split()),
        )


def cases() -> list[Case]:
    """All whose files are logs of text, none of them long."""
    found = [*of_calibration(), *of_blind_sets(), *of_curves()]
    return [case for case in found if case.paths and "-" not in case.right and all(map(_is_log, case.paths))]


def _some(found: list[Case], each: int, skip: int) -> list[Case]:
    families = {
        right: [case for case in found if case.right[0] == right] for right in {case.right[0]: 0 for case in found}
    }
    return [case for mine in families.values() for case in mine[skip :: max(1, len(mine) // each)][:each]]


def _is_log(path: Path) -> bool:
    data = path.read_bytes()[: _LARGEST + 1]
    begin = data.lstrip()[:1]
    return path.suffix not in _TABLE and len(data) <= _LARGEST and b"\0" not in data and begin not in (b"{", b"[", b"<")


def judge(change: str, case: Case) -> Judged | None:
    """The verdict on a case after a change; None where the change is none."""
    from inquest.analyze.engine import analyze
    from inquest.bundle.logs_import import import_logs

    top = Path(os.path.commonpath([path.parent for path in case.paths]))
    texts = {str(path.relative_to(top)): path.read_bytes().decode("utf-8", "replace") for path in case.paths}
    changed = texts if change == AS_IT_IS else EVERY[change](texts, case.right)
    if changed is None or (changed == texts and change != AS_IT_IS):
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, text in changed.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_bytes(text.encode())
        try:
            verdict, _ = analyze(import_logs([folder], exit_code=case.status))
        except Exception as error:  # a table with one broken case is worth more than none
            return Judged(change, case.name, case.right, f"{type(error).__name__}", 1.0, str(error)[:200])
    answer = {"decided": verdict.family or "", "outside_families": "outside"}.get(verdict.outcome, "-")
    return Judged(change, case.name, case.right, answer, verdict.confidence, verdict.headline)


def grade(row: Judged) -> str:
    """Kept, abstained (as is right where the change takes evidence away) or flipped."""
    return "kept" if row.answer in row.right else "abstained" if row.answer == "-" else "flipped"


def main() -> None:
    """Judge and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="TRANSFORMATION,...", default=",".join(EVERY))
    parser.add_argument("--cases", default="", metavar="WORD")
    parser.add_argument("--family", default="", metavar="F,...")
    parser.add_argument("--each", type=int, default=1000, metavar="N", help="cases of a family, at the most")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="take others of them")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    chosen = _some(
        [case for case in cases() if asked.cases in case.name and (case.right[0] in asked.family or not asked.family)],
        asked.each,
        asked.skip,
    )
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
        plain = list(pool.map(partial(judge, AS_IT_IS), chosen, chunksize=4))
        right = [case for case, row in zip(chosen, plain, strict=True) if row and row.answer in row.right]
        print(f"{len(chosen)} cases, {len(right)} of them right as they are", flush=True)
        for change in asked.only.split(","):
            rows = [row for row in pool.map(partial(judge, change), right, chunksize=4) if row]
            for row in rows:
                if grade(row) == "flipped" or (grade(row) == "abstained" and change not in FORGETS | LOSES):
                    want = "/".join(row.right)
                    print(
                        f"  {grade(row)} {row.case}: {want} -> {row.answer} ({row.confidence:.2f}) {row.headline[:160]}"
                    )
            told = Counter(map(grade, rows))
            sure = sum(grade(row) == "flipped" and row.confidence >= 0.8 for row in rows)
            print(f"| {change} | {told['kept']} | {told['abstained']} | {told['flipped']} | {sure} |", flush=True)
            if asked.json:
                with asked.json.open("a") as file:
                    file.writelines(json.dumps(row._asdict()) + "\n" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
