"""Many bundles, one question: which node, which GPU, which cause keeps coming back, and what it cost.

A ``Case`` is what one bundle says in a few fields (``triage_read`` makes it, one bundle in memory at a time); here
cases are summed up. Sums are over fixed order, medians are order statistics: the same bundles give the same bytes.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SCHEMA: Final = "inquest-triage/1"

LOW: Final = 0.95
"""A node is low in a job when its median SM clock while busy is below this share of its peers' median."""

OFTEN: Final = 2
"""Jobs in which something must be seen to be called recurring or chronic."""

CHANCE: Final = 0.05
"""What is less likely than this by chance alone, over all names looked at together, stands out."""

ScheduledBy = Literal["scheduler", "recording", "nobody"]
Fate = Literal["healthy", "failed", "undecided", "ended"]
"""What became of a job: G1; a failure was found; cannot decide; ended by a person or a plan."""


@dataclass(frozen=True, slots=True)
class Board:
    """A GPU a verdict looks at. Its UUID stays with the board, also in another node; the serial is on its label."""

    uuid: str
    serial: str | None = None
    node: str | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Low:
    """A node whose GPUs ran slower than those of its peers in one job: median SM clocks while busy, in MHz."""

    node: str
    clock_mhz: float
    peers_mhz: float


@dataclass(frozen=True, slots=True)
class Case:
    """One bundle. None: not captured.

    ``hours_scheduled`` is what the scheduler gave (or, where it said nothing, what was recorded: see
    ``scheduled_by``); ``hours_delivered`` is between first and last training step; ``wait_s`` is the time in the queue.
    """

    path: str
    digest: str
    job_id: str | None
    user: str | None
    partition: str | None
    start_ns: int | None
    nodes: tuple[str, ...]
    gpus: tuple[str, ...]
    gpu_count: int
    fate: Fate
    family: str | None
    cause: str
    headline: str
    attribution: str
    confidence: float
    blamed_nodes: tuple[str, ...]
    blamed_gpus: tuple[Board, ...]
    hours_scheduled: float | None
    scheduled_by: ScheduledBy
    hours_delivered: float | None
    hours_lost: float | None
    wait_s: float | None
    energy_kwh: float | None
    clocked_nodes: tuple[str, ...]
    low_nodes: tuple[Low, ...]
    simulated: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be counted, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause, and what it cost; jobs are named by their bundles."""

    cause: str
    family: str | None
    jobs: int
    hours_lost: float | None
    attributions: tuple[tuple[str, int], ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recurring:
    """A node or a GPU that verdicts look at.

    ``jobs`` are those it took part in. ``expected`` is in how many of the failed ones it would have been blamed had
    each drawn the blame by lot among its nodes (or GPUs); ``chance`` is how likely that gives ``blamed`` or more.
    """

    name: str
    also: str
    jobs: int
    blamed: int
    expected: float
    chance: float
    stands_out: bool
    hours_lost: float | None
    causes: tuple[tuple[str, int], ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chronic:
    """A node that is slower than its peers in job after job; ``worst`` is the least share of its peers' clock."""

    node: str
    jobs: int
    low: int
    worst: float
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """GPU-hours of one user or partition."""

    name: str
    jobs: int
    failed: int
    hours_scheduled: float | None
    hours_lost: float | None


@dataclass(frozen=True, slots=True)
class Waits:
    """Time in the queue, in seconds, over the jobs whose wait is known."""

    jobs: int
    median_s: float
    p90_s: float
    longest_s: float
    longest_path: str


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of the GPUs where it was measured."""

    jobs: int
    kwh: float
    healthy: int
    healthy_per_kwh: float | None
    kwh_lost: float


@dataclass(frozen=True, slots=True)
class Triage:
    """The whole answer."""

    tool_version: str
    cases: tuple[Case, ...]
    skipped: tuple[Skipped, ...]
    fates: tuple[tuple[Fate, int], ...]
    hours_scheduled: float | None
    hours_delivered: float | None
    hours_lost: float | None
    hours_unknown: int
    causes: tuple[Cause, ...]
    nodes: tuple[Recurring, ...]
    gpus: tuple[Recurring, ...]
    chronic: tuple[Chronic, ...]
    users: tuple[Share, ...]
    partitions: tuple[Share, ...]
    waits: Waits | None
    energy: Energy | None
    schema: str = SCHEMA


def triage(cases: Iterable[Case], skipped: Iterable[Skipped] = ()) -> Triage:
    """Sum up cases; a bundle met twice (the same evidence in another file) counts once."""
    from inquest import __version__

    kept: dict[str, Case] = {}
    left = list(skipped)
    for case in sorted(cases, key=lambda c: (c.start_ns is None, c.start_ns or 0, c.path)):
        first = kept.setdefault(case.digest, case)
        if first is not case:
            left.append(Skipped(case.path, f"the same evidence as {first.path}: counted once"))
    every = tuple(kept.values())
    counts = Counter(case.fate for case in every)
    fates: tuple[Fate, ...] = ("healthy", "failed", "undecided", "ended")
    return Triage(
        __version__,
        every,
        tuple(sorted(left, key=lambda item: item.path)),
        tuple((fate, counts[fate]) for fate in fates),
        _sum(case.hours_scheduled for case in every),
        _sum(case.hours_delivered for case in every),
        _sum(case.hours_lost for case in every),
        sum(case.hours_lost is None for case in every),
        _causes(every),
        _recurring(every, lambda c: c.nodes, lambda c: c.blamed_nodes, _no_more),
        _recurring(every, lambda c: c.gpus, lambda c: tuple(board.uuid for board in c.blamed_gpus), _where),
        _chronic(every),
        _shares(every, lambda c: c.user),
        _shares(every, lambda c: c.partition),
        _waits(every),
        _energy(every),
    )


# --- causes, nodes, GPUs --------------------------------------------------------------------------------------------
def _causes(cases: Sequence[Case]) -> tuple[Cause, ...]:
    groups: dict[str, list[Case]] = {}
    for case in cases:
        if case.fate in ("failed", "undecided"):
            groups.setdefault(case.cause, []).append(case)
    found = [
        Cause(
            cause,
            mine[0].family,
            len(mine),
            _sum(case.hours_lost for case in mine),
            _counted(case.attribution for case in mine),
            tuple(case.path for case in mine),
        )
        for cause, mine in groups.items()
    ]
    return tuple(sorted(found, key=lambda c: (-(c.hours_lost or 0), -c.jobs, c.cause)))


def _recurring(
    cases: Sequence[Case],
    members: Callable[[Case], tuple[str, ...]],
    blamed: Callable[[Case], tuple[str, ...]],
    also: Callable[[Sequence[Case], str], str],
) -> tuple[Recurring, ...]:
    """Names that are blamed at least once; those that stand out first."""
    names = sorted({name for case in cases for name in blamed(case)})
    takers: dict[str, list[Case]] = {name: [] for name in names}
    for case in cases:
        for name in {*members(case), *blamed(case)} & takers.keys():
            takers[name].append(case)
    found = []
    for name, mine in takers.items():
        drawn = [case for case in mine if blamed(case)]
        chances = [len(blamed(case)) / max(len({*members(case), *blamed(case)}), 1) for case in drawn]
        guilty = [case for case in drawn if name in blamed(case)]
        chance = tail(chances, len(guilty))
        found.append(
            Recurring(
                name,
                also(guilty, name),
                len(mine),
                len(guilty),
                round(math.fsum(chances), 3),
                float(f"{chance:.3g}"),
                len(guilty) >= OFTEN and chance * len(names) < CHANCE,
                _sum(case.hours_lost for case in guilty),
                _counted(case.cause for case in guilty),
                tuple(case.path for case in guilty),
            )
        )
    return tuple(sorted(found, key=lambda r: (not r.stands_out, -r.blamed, r.chance, r.name)))


def tail(chances: Sequence[float], least: int) -> float:
    """How likely at least ``least`` of independent events happen, each with a chance of its own (Poisson binomial)."""
    counts = [1.0]
    for chance in chances:
        counts = [
            (counts[k] if k < len(counts) else 0.0) * (1 - chance) + (counts[k - 1] * chance if k else 0.0)
            for k in range(len(counts) + 1)
        ]
    return min(1.0, math.fsum(counts[least:]))


def _no_more(cases: Sequence[Case], name: str) -> str:
    del cases, name
    return ""


def _where(cases: Sequence[Case], name: str) -> str:
    """Serial number and places of a board: one that was moved names several."""
    boards = [board for case in cases for board in case.blamed_gpus if board.uuid == name]
    serials = sorted({f"serial {board.serial}" for board in boards if board.serial})
    places = {f"{b.node}{'' if b.index is None else f' GPU {b.index}'}" for b in boards if b.node}
    return "; ".join((*serials, *sorted(places)))


def _chronic(cases: Sequence[Case]) -> tuple[Chronic, ...]:
    """Nodes low in several jobs and in at least half of those in which their clocks are known."""
    lows: dict[str, list[tuple[Case, Low]]] = {}
    for case in cases:
        for low in case.low_nodes:
            lows.setdefault(low.node, []).append((case, low))
    found = []
    for node, mine in lows.items():
        jobs = sum(node in case.clocked_nodes for case in cases)
        if len(mine) >= OFTEN and 2 * len(mine) >= jobs:
            worst = min(low.clock_mhz / low.peers_mhz for _, low in mine)
            found.append(Chronic(node, jobs, len(mine), round(worst, 4), tuple(case.path for case, _ in mine)))
    return tuple(sorted(found, key=lambda c: (-c.low, c.worst, c.node)))


# --- hours, waits, energy -------------------------------------------------------------------------------------------
def _shares(cases: Sequence[Case], of: Callable[[Case], str | None]) -> tuple[Share, ...]:
    groups: dict[str, list[Case]] = {}
    for case in cases:
        name = of(case)
        if name:
            groups.setdefault(name, []).append(case)
    found = [
        Share(
            name,
            len(mine),
            sum(case.fate == "failed" for case in mine),
            _sum(case.hours_scheduled for case in mine),
            _sum(case.hours_lost for case in mine),
        )
        for name, mine in groups.items()
    ]
    return tuple(sorted(found, key=lambda s: (-(s.hours_lost or 0), -s.failed, s.name)))


def _waits(cases: Sequence[Case]) -> Waits | None:
    known = sorted((case.wait_s, case.path) for case in cases if case.wait_s is not None)
    if not known:
        return None
    seconds = [wait for wait, _ in known]
    ninth = seconds[min(len(seconds) - 1, math.ceil(0.9 * len(seconds)) - 1)]
    return Waits(len(known), seconds[(len(seconds) - 1) // 2], ninth, seconds[-1], known[-1][1])


def _energy(cases: Sequence[Case]) -> Energy | None:
    measured = [case for case in cases if case.energy_kwh is not None]
    if not measured:
        return None
    kwh = _sum(case.energy_kwh for case in measured) or 0.0
    healthy = sum(case.fate == "healthy" for case in measured)
    lost = _sum(case.energy_kwh for case in measured if case.fate == "failed") or 0.0
    return Energy(len(measured), kwh, healthy, round(healthy / kwh, 4) if kwh > 0 else None, lost)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(math.fsum(known), 3) if known else None


def _counted(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
