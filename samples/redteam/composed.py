"""Incidents of known truth, two changes laid over each by lot, and judged before and after.

``python -m samples.redteam.composed PLACE [--rounds 0,1] [--cases WORD] [--only CHANGE,...] [--json FILE]`` writes the incidents
below PLACE where they are not there yet, and prints what became of those whose verdict is right as they are: kept,
abstained (as is right where a change takes evidence away), flipped (and how many of these at 0.8 or more).
A round is a seed of the lot: every third one is to be held out from whoever mends.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from . import composed_curves as curves
from . import composed_folder as folders
from . import composed_kernel as kernel
from . import composed_series as series
from . import composed_stores as stores
from .composed_known import Known, known
from .composed_more import MORE

if TYPE_CHECKING:
    from collections.abc import Callable

    from .composed_folder import Folder

    Apply = Callable[[Folder, Random], Folder | None]


class Change(NamedTuple):
    """What is done to a folder, whether it takes evidence away, and for which truths it would change the truth."""

    apply: Apply
    forgets: bool = False
    unless: str = ""


_WAITS: Final = "C1 C2 C3"
TELEMETRY: Final[dict[str, Change]] = {
    "no metrics": Change(series.no_metrics, forgets=True),
    "no accounting": Change(stores.no_accounting, forgets=True),
    "no kernel": Change(stores.no_kernel, forgets=True),
    "no logs": Change(stores.no_logs, forgets=True),
    "no nodes": Change(stores.no_nodes, forgets=True),
    "no meta": Change(stores.no_meta),
    "one node dark": Change(series.one_node_dark, forgets=True),
    "every second node dark": Change(series.every_second_node_dark, forgets=True),
    "each minute": Change(series.each_minute, forgets=True),
    "each five minutes": Change(series.each_five_minutes, forgets=True),
    "five fields": Change(series.five_fields, forgets=True),
    "counters reset": Change(series.counters_reset),
    "hole": Change(series.hole),
    "begins late": Change(series.begins_late, forgets=True),
    "goes on idle": Change(series.goes_on_idle),
    "goes on with the next job": Change(series.goes_on_with_the_next_job),
    "hot": Change(series.hot),
    "corrected": Change(series.corrected),
    "pauses": Change(series.pauses, unless=_WAITS),
    "half of each node": Change(series.half_of_each_node),
    "stranger node": Change(series.stranger_node, forgets=True),
    "long names": Change(series.long_names),
    "addresses": Change(series.addresses, forgets=True),
    "other host label": Change(series.other_host_label),
    "index only": Change(series.index_only, forgets=True),
    "uuid only": Change(series.uuid_only),
    "by bus": Change(series.by_bus),
    "rank 0 only": Change(stores.rank_0_only, forgets=True),
    "log without clock": Change(stores.log_without_clock, forgets=True),
    "log by another zone": Change(stores.log_by_another_zone, forgets=True),
    "another log beside": Change(stores.another_log_beside, forgets=True),
    "clock off": Change(kernel.clock_off, forgets=True),
    "kernel by another zone": Change(kernel.kernel_by_another_zone, forgets=True),
    "kernel since boot": Change(kernel.kernel_since_boot, forgets=True),
    "killed before": Change(kernel.killed_before),
    "killed after": Change(kernel.killed_after),
    "killed beside": Change(kernel.killed_beside),
    "faults before": Change(kernel.faults_before),
    "lost the day before": Change(kernel.lost_the_day_before),
    "faults after": Change(kernel.faults_after),
    "stranger kernel": Change(kernel.stranger_kernel),
    "job before": Change(stores.job_before),
    "job after": Change(stores.job_after),
    "job beside": Change(stores.job_beside),
    "drained neighbour": Change(stores.drained_neighbour),
    "idle warm-up": Change(stores.idle_warm_up, unless="C1 C3 A1 F3 F2 E2 D1 D2 -"),
}
TELEMETRY.update({name: Change(*more) for name, more in MORE.items()})
CURVES: Final[dict[str, Change]] = {name: Change(apply, forgets) for name, (apply, forgets) in curves.CHANGES.items()}


def changes_of(kind: str) -> dict[str, Change]:
    """Those for a kind of incident."""
    return CURVES if kind == "curves" else TELEMETRY


@dataclass
class Judged:
    """What the engine said of an incident after some changes."""

    name: str
    changes: tuple[str, ...]
    right: tuple[str, ...]
    answer: str
    confidence: float
    nodes: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()
    headline: str = ""
    blamed: str = ""
    """Whom it blames wrongly."""


def drawn(one: Known, lot: int, only: frozenset[str]) -> tuple[tuple[str, ...], Folder] | None:
    """Two changes by lot, and the folder after them; None where fewer can be made of it."""
    rng = Random(f"{one.name} {lot}")
    folder = folders.read(Path(one.place))
    if folder is not None:
        folder.right = one.right
    pool = [name for name, each in changes_of(one.kind).items() if not set(one.right) & set(each.unless.split())]
    rng.shuffle(pool)
    pool.sort(key=lambda name: name not in only)
    made: tuple[str, ...] = ()
    for name in pool:
        if folder is None:
            return None
        changed = changes_of(one.kind)[name].apply(folder, rng)
        if changed is not None and changed.files:
            folder, made = changed, (*made, name)
        if len(made) == (1 if only else 2):
            return (made, folder) if not only or only & set(made) else None
    return None


def judged(lot: int | None, only: frozenset[str], keep: Path | None, one: Known) -> Judged | None:
    """The verdict on an incident as it is (no lot), or after what is drawn."""
    made: tuple[str, ...] = ()
    folder = folders.read(Path(one.place))
    if lot is not None:
        drawing = drawn(one, lot, only)
        made, folder = drawing if drawing is not None else ((), None)
    if folder is None:
        return None
    with tempfile.TemporaryDirectory(prefix="composed-") as scratch:
        place = Path(scratch) if keep is None else keep / one.name.replace("/", "-")
        where = place / "case"
        folders.write(folder, where)
        try:
            return _compared(one, made, folder, where, place / "case.inquest")
        except Exception as error:  # a table with one broken case is worth more than none
            said = f"{type(error).__name__}: {error}"
            refused = type(error).__name__ in ("InputError", "UnsafeInput")
            return Judged(one.name, made, one.right, "-" if refused else "broken", 1.0, headline=said[:300])


def _compared(one: Known, made: tuple[str, ...], folder: Folder, where: Path, bundled: Path) -> Judged:
    from inquest.analyze.engine import analyze
    from inquest.bundle.imports import bundle
    from inquest.bundle.imports.core import import_paths
    from inquest.bundle.logs_import import import_logs
    from inquest.bundle.store import BundleStore

    if one.kind == "curves":
        verdict, _ = analyze(import_logs([str(where)], exit_code=one.status))
    else:
        bundled.unlink(missing_ok=True)
        bundle.write(import_paths([str(where)]), bundled)
        verdict, _ = analyze(BundleStore(bundled))
    answer = {"decided": verdict.family or "", "outside_families": "outside"}.get(verdict.outcome, "-")
    nodes = tuple(folders.short(folder.names.get(node, node)) for node in verdict.culprit_nodes)
    gpus = () if folder.blind else tuple(verdict.culprit_gpus)
    return Judged(
        one.name, made, one.right, answer, verdict.confidence, nodes, gpus, f"{folder.words} {verdict.headline}".strip()
    )


def judge(lot: int, only: frozenset[str], keep: Path | None, one: Known) -> Judged | None:
    """The verdict after what is drawn; None where nothing is, or where the one on the incident as it is was not right.

    That is only asked where the other one is no more the right one.
    """
    row = judged(lot, only, keep, one)
    if row is None:
        return None
    row.blamed = blame(one, row)
    if grade(row) == "kept":
        return row
    plain = judged(None, only, None, one)
    return row if plain and not blame(one, plain) and plain.answer in one.right else None


def blame(one: Known, row: Judged) -> str:
    """Whom it blames that is not to blame."""
    nodes = {folders.short(node) for node in one.nodes}
    for what, true, told in (("nodes", nodes, set(row.nodes)), ("GPUs", set(one.gpus), set(row.gpus))):
        if row.answer == one.right[0] and true and told - true:
            return f"{what} {sorted(told)} instead of {sorted(true)}"
    return ""


_SEEN_BY_METRICS: Final = frozenset(("B3", "D1", "D2", "D3"))
_DARK: Final = frozenset(("no metrics", "one node dark", "every second node dark", "each five minutes", "five fields"))


def grade(row: Judged) -> str:
    """Kept, abstained or flipped; what only metrics show is no failure of what was captured without them."""
    if row.blamed:
        return "flipped"
    slow_at_most = row.right[0] in _SEEN_BY_METRICS and _DARK & set(row.changes)
    if row.answer == "G1" and row.confidence <= 0.7 and slow_at_most:
        return "abstained"
    return "kept" if row.answer in row.right else "abstained" if row.answer == "-" else "flipped"


def forgets(row: Judged) -> bool:
    """Whether the changes took evidence away."""
    return any(name in each and each[name].forgets for name in row.changes for each in (TELEMETRY, CURVES))


def tell(rows: list[Judged]) -> None:
    """Every flip, what was given up though nothing was taken away, and the table."""
    for row in sorted(rows, key=lambda row: (grade(row), -row.confidence)):
        if grade(row) == "flipped" or (grade(row) == "abstained" and not forgets(row)):
            want, how = "/".join(row.right), " + ".join(row.changes)
            said = f"{row.blamed} {row.headline[:170]}"
            print(f"{grade(row)} {row.name} [{how}]: {want} -> {row.answer} ({row.confidence:.2f}) {said}")
    names = [name for name in (*TELEMETRY, *CURVES) if any(name in row.changes for row in rows)]
    for name in dict.fromkeys(names):
        print(_line(name, [row for row in rows if name in row.changes]))
    print(_line("all", rows))


def _line(name: str, rows: list[Judged]) -> str:
    told = Counter(map(grade, rows))
    sure = sum(grade(row) == "flipped" and row.confidence >= 0.8 for row in rows)
    idle = sum(grade(row) == "abstained" and not forgets(row) for row in rows)
    return f"| {name} | {told['kept']} | {told['abstained']} ({idle}) | {told['flipped']} | {sure} |"


def main() -> None:
    """Compose, judge and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", type=Path, metavar="PLACE")
    parser.add_argument("--rounds", default="0", metavar="N,...")
    parser.add_argument("--cases", default="", metavar="WORD,...")
    parser.add_argument("--only", default="", metavar="CHANGE,...", help="these alone, one of an incident")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth of the incidents")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="from this one on")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the folders there")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    found = [one for one in known(asked.place) if any(word in one.name for word in asked.cases.split(","))]
    only = frozenset(asked.only.split(",")) - {""}
    rows: list[Judged] = []
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
        for lot in map(int, asked.rounds.split(",")):
            for row in pool.map(partial(judge, lot, only, asked.keep), found[asked.first :: asked.every], chunksize=2):
                if row is None:
                    continue
                rows.append(row)
                if asked.json:
                    with asked.json.open("a") as file:
                        file.write(json.dumps({**asdict(row), "lot": lot, "grade": grade(row)}) + "\n")
    tell(rows)


if __name__ == "__main__":
    main()
