"""Incidents with something true but irrelevant added, or with evidence taken away, judged again.

``python -m samples.redteam.distracted [--sets SET,...] [--groups GROUP,...] [--each N] [--skip N]
[--only WORD] [--seed N] [--json FILE]`` takes incidents whose verdict is right as they are. All distractions of a group are added at
once; where that turns the verdict, each alone, to tell which it was. SIMULATED.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial, reduce
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .blind_telemetry import score as of_blind
from .distractions import DISTRACTIONS, FORGETS, Papers
from .sets import NAMES, write
from .unseen_telemetry import score as of_unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .distractions import Change

SETS: Final[dict[str, tuple[Sequence[str], Callable[[str, int, Path], dict[str, Any]]]]] = {
    **{which: (tuple(NAMES[which]), partial(write, which)) for which in ("first", "field", "hard")},
    "blind": (tuple(of_blind.CASES), of_blind.write),
    "unseen": (tuple(of_unseen.CASES), of_unseen.write),
}
"""Sets with telemetry: the names of their incidents, and what writes one and returns its truth."""
FORGOTTEN: Final = "forgotten"
_LARGEST: Final = 3_000_000
"""Characters of an incident, at the most: a larger one costs a minute and shows the same."""


class Judged(NamedTuple):
    """What the engine said of an incident after a change."""

    change: str
    case: str
    want: str
    got: str
    grade: str
    confidence: float
    headline: str


def verdict_of(papers: Papers, truth: dict[str, Any]) -> tuple[str, str, float, str]:
    """The answer, whether it is right, its confidence and headline."""
    from inquest.analyze.engine import analyze
    from inquest.bundle.errors import InputError
    from inquest.bundle.imports import bundle
    from inquest.bundle.imports.core import import_paths
    from inquest.bundle.store import BundleStore

    from .score import compared

    with tempfile.TemporaryDirectory() as place:
        for name, text in papers.files.items():
            path = Path(place, "case", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        try:
            bundle.write(import_paths([str(Path(place, "case"))], job_id=papers.job), Path(place, "case.inquest"))
        except InputError as refusal:
            return "cannot_decide", "abstained", 0.0, f"refused: {refusal}"
        verdict, _ = analyze(BundleStore(Path(place, "case.inquest")))
    # Slurm calls a host by its short name, the exporter by its long one: both are right.
    hosts = {host.split(".")[0]: host for host in truth["nodes"]}
    named = tuple(hosts.get(node.split(".")[0], node) for node in verdict.culprit_nodes)
    row = compared(truth, replace(verdict, culprit_nodes=named))
    return row.got, row.grade, row.confidence, f"{row.headline} {row.note}"


def judged(case: tuple[str, str], seed: int, groups: Sequence[str]) -> list[Judged]:
    """The verdicts on one incident, as it is and after each change."""
    which, name = case
    with tempfile.TemporaryDirectory() as place:
        truth = SETS[which][1](name, seed, Path(place))
        papers = Papers.of(Path(place, name))
    if sum(map(len, papers.files.values())) > _LARGEST:
        return []
    want = truth["family"] or truth["outcome"]

    def row(change: str, changed: Papers) -> Judged:
        try:
            got, grade, confidence, headline = verdict_of(changed, truth)
        except Exception as error:  # a table with one broken case is worth more than none
            got, grade, confidence, headline = type(error).__name__, "wrong", 1.0, str(error)[:200]
        kept = {"right": "kept", "wrong": "flipped"}.get(grade, grade)
        return Judged(change, f"{which}/{name}", want, got, kept, confidence, headline)

    plain = row("as it is", papers)
    if plain.grade != "kept":
        return [plain]
    return [plain, *(found for group in groups for found in _of_group(group, papers, row))]


def _of_group(group: str, papers: Papers, row: Callable[[str, Papers], Judged]) -> Iterator[Judged]:
    if group == FORGOTTEN:
        yield from (row(name, left) for name, forget in FORGETS.items() if (left := forget(papers)) is not None)
        return
    changes = DISTRACTIONS[group]
    changed = reduce(_also, changes.values(), papers)
    if changed.files == papers.files:
        return
    together = row(f"{group}, all at once", changed)
    yield together
    if together.grade != "kept":
        alone = ((name, change(papers)) for name, change in changes.items())
        yield from (told for name, one in alone if one and (told := row(f"{group}: {name}", one)).grade != "kept")


def _also(papers: Papers, change: Change) -> Papers:
    return change(papers) or papers


def main() -> None:
    """Judge and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS), metavar="SET,...")
    parser.add_argument("--groups", default=",".join((*DISTRACTIONS, FORGOTTEN)), metavar="GROUP,...")
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose name holds it")
    parser.add_argument("--each", type=int, default=1000, metavar="N", help="incidents of a set, at the most")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="take others of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    cases = []
    for which in asked.sets.split(","):
        names = [name for name in SETS[which][0] if asked.only in name]
        cases += [(which, name) for name in names[asked.skip :: max(1, len(names) // asked.each)][: asked.each]]
    counts: Counter[tuple[str, str]] = Counter()
    sure: Counter[str] = Counter()
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
        for rows in pool.map(partial(judged, seed=asked.seed, groups=asked.groups.split(",")), cases):
            print(f"  {time.strftime('%H:%M:%S')} {rows[0].case if rows else 'large'}", file=sys.stderr, flush=True)
            for row in rows:
                counts[row.change, row.grade] += 1
                sure[row.change] += row.grade == "flipped" and row.confidence >= 0.8
                if row.grade == "flipped" or (row.grade == "abstained" and row.change not in FORGETS):
                    said = f"{row.want} -> {row.got} ({row.confidence:.2f}) {row.headline}"
                    print(f"  {row.grade} {row.case} [{row.change}]: {said}", flush=True)
            if asked.json:
                with asked.json.open("a") as file:
                    file.writelines(json.dumps(row._asdict()) + "\n" for row in rows)
    for change in dict.fromkeys(change for change, _ in counts):
        told = " | ".join(str(counts[change, grade]) for grade in ("kept", "abstained", "flipped"))
        print(f"| {change} | {told} | {sure[change]} |")


if __name__ == "__main__":
    sys.exit(main())
