"""What a loop's own clocks say of its steps: how long one took, and how long each part of it, rank by rank."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.sql import literal
from inquest.bundle.timers import CLOCKS, COMM, COMPUTE, DATA, SAVE, STEP

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName

REPORTS: Final = 5
"""Reports of which a median tells something."""
FELT_IN_ALL_S: Final = 60
"""Seconds of saving or evaluating in all below which nobody minds: runs of seconds do little else."""
COUNTED: Final = (str(Kind.STEP), str(Kind.TRACKED))
"""Kinds of reports whose clocks are those of a step."""
COUNTED_SQL: Final = f"kind IN ({', '.join(map(literal, COUNTED))})"
_STREAM: Final = ("node", "source", "rank")


@dataclass(frozen=True, slots=True)
class Clocks:
    """One rank's clocks over the last attempt: medians, in seconds of a step; None: not told.

    Attributes:
        where: SQL condition of the reports they are medians of.
        last: Highest step they tell of.
    """

    node: str
    rank: int | None
    reports: int
    store: StoreName
    where: str
    last: int | None
    step_time_s: float | None
    data_time_s: float | None
    compute_time_s: float | None
    comm_time_s: float | None
    save_time_s: float | None

    def of(self, measure: tuple[str, ...]) -> float | None:
        """The first clock of ``measure``, less those after it that begin with a minus; None where one is untold."""
        values = [getattr(self, name.removeprefix("-")) for name in measure]
        if None in values:
            return None
        return float(sum(-value if name[0] == "-" else value for name, value in zip(measure, values, strict=True)))

    def claim(self, claims: Claims, *names: str) -> None:
        """Claim the medians of these clocks."""
        whose = "" if self.rank is None else f" of rank {self.rank}"
        for name in names:
            if getattr(self, name) is not None:
                text = f"Median {name}{whose}, by its own clock"
                claims.over(text, "MEDIAN", name, "fact_steps", self.where, unit="s")


def clocks(story: Story, since: int | None = None) -> tuple[Clocks, ...]:
    """The clocks of every rank that told them often enough, by rank; of two sources on a rank the fuller one.

    Args:
        story: What the ranks reported.
        since: The first step of which they are taken; None takes all.
    """
    told = story.steps.filter(pl.col("kind").is_in(COUNTED) & pl.any_horizontal(pl.col(CLOCKS).is_not_null()))
    told = told if since is None else told.filter(pl.col("step") >= since)
    if told.is_empty():
        return ()
    first = told["attempt"].min()
    attempt = "" if first is None else f" AND attempt >= {int(str(first))}"
    attempt += "" if since is None else f" AND step >= {since}"
    streams = (
        told.group_by(_STREAM)
        .agg(
            pl.col(CLOCKS).median(),
            reports=pl.len(),
            last=pl.col("step").max(),
            tracked=pl.col("line_seq").is_null().all(),
        )
        .filter(pl.col("reports") >= REPORTS)
        .sort("reports", "tracked", *_STREAM, descending=[True, *[False] * 4], nulls_last=True)
        .unique("rank", keep="first", maintain_order=True)
        .sort("rank", nulls_last=True)
    )
    return tuple(
        Clocks(
            node=row["node"],
            rank=row["rank"],
            reports=row["reports"],
            store="metrics" if row["tracked"] else "logs",
            where=f"{_of_stream(row['node'], row['source'], row['rank'])} AND {COUNTED_SQL}{attempt}",
            last=row["last"],
            **{name: row[name] for name in CLOCKS},
        )
        for row in streams.iter_rows(named=True)
    )


def _of_stream(node: str, source: str | None, rank: int | None) -> str:
    named = "source IS NULL" if source is None else f"source = {literal(source)}"
    ranked = "rank IS NULL" if rank is None else f"rank = {rank}"
    return f"node = {literal(node)} AND {named} AND {ranked}"


# --- one rank slower than the others ----------------------------------------------------------------------------------
_OWN: Final = ((STEP, f"-{COMM}"), (COMPUTE, DATA), (COMPUTE,), (DATA,), (STEP,))
"""What a rank does itself in a step, the most telling measure first: clocks that add up, and those taken away."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Ranks whose own part of a step takes far longer than that of their peers.

    Attributes:
        slow: They, the slowest first.
        peer: A typical one of the others.
        measure: The clocks it is told by.
        by_data: Whether it is the wait for data that makes the difference.
        waits: Whether the peers are seen to wait: their clocks of communication, or steps that take all as long.
    """

    slow: tuple[Clocks, ...]
    peer: Clocks
    measure: tuple[str, ...]
    by_data: bool
    waits: bool

    def claim(self, claims: Claims) -> None:
        """Claim the medians that tell it."""
        names = dict.fromkeys(part.removeprefix("-") for part in (*self.measure, STEP, COMM))
        for rank in (self.slow[0], self.peer):
            rank.claim(claims, *names)


def straggling(ev: Evidence) -> tuple[float, float]:
    """How many times as long, and how much of a step longer, the own part of a slow rank takes."""
    return ev.threshold("d3.work_ratio"), ev.threshold("d3.sm_apart")


def apart(story: Story, ratio: float, share: float) -> Apart | None:
    """The ranks that stand apart; None where none does, or no clock tells ranks apart.

    Args:
        story: What the ranks reported.
        ratio: How many times as long as a peer's their own part of a step must take.
        share: The part of a step that the difference must be.
    """
    for since in (None, late) if (late := _late(story)) is not None else (None,):
        ranks = [each for each in clocks(story, since) if each.rank is not None]
        for measure in _OWN:
            told = [(value, each) for each in ranks if (value := each.of(measure)) is not None]
            if len(told) == len(ranks) > 1:
                found = _apart(sorted(told, key=lambda each: (each[0], each[1].rank)), measure, ratio, share)
                if found is not None:
                    return found
                break
    return None


def each_time(story: Story, found: Apart, ratio: float) -> bool:
    """Whether the slowest rank stands apart from the typical one in nearly every report that both made of a step.

    A median of few steps tells little; that the same rank is the slow one time and again is no chance.
    """
    own = pl.sum_horizontal(-pl.col(name[1:]) if name[0] == "-" else pl.col(name) for name in found.measure)
    told = story.steps.filter(pl.col("kind").is_in(COUNTED) & pl.col("step").is_not_null())
    told = told.drop_nulls([name.removeprefix("-") for name in found.measure])
    told = told.unique(["rank", "step"], keep="last", maintain_order=True).with_columns(own=own)
    slow, peer = (
        told.filter(pl.col("rank") == each.rank).select("step", "own") for each in (found.slow[0], found.peer)
    )
    both = slow.join(peer, on="step", suffix="_peer")
    alike = both.filter(pl.col("own") < ratio * pl.col("own_peer")).height
    return both.height >= _TIMES and alike <= both.height * _BUT


_TIMES: Final = 8
_BUT: Final = 0.1
"""Reports of one step by two ranks that tell, and the part of them that may not: eight coins fall alike once in 128."""


def _late(story: Story) -> int | None:
    """The step that was reported when three fifths of the time were over: slow steps are few, and take most of it."""
    told = story.steps.filter(pl.col("step").is_not_null() & pl.col("ts_ns").is_not_null())
    first, last = told["ts_ns"].min(), told["ts_ns"].max()
    if not isinstance(first, int) or not isinstance(last, int) or last <= first:
        return None
    step = told.filter(pl.col("ts_ns") >= first + (last - first) * 3 // 5)["step"].min()
    return step if isinstance(step, int) else None


def _apart(told: list[tuple[float, Clocks]], measure: tuple[str, ...], ratio: float, share: float) -> Apart | None:
    # Half of the ranks may be the slow ones, where they are those of a node.
    typical, peer = told[(len(told) - 1) // 4]
    step = max(statistics.median(value for value, _ in told), peer.step_time_s or 0.0)
    slow = [(value, each) for value, each in told if value >= ratio * typical and value - typical >= share * step]
    rest = told[: len(told) - len(slow)]
    if not slow or not _few(slow, rest):
        return None
    least = slow[0][0] - typical
    if rest[-1][0] - typical > least / 2:
        return None
    steps = [each.step_time_s for _, each in told]
    alike = None not in steps and max(steps) <= ratio * min(steps)  # type: ignore[type-var, operator]
    talks = [each.comm_time_s for _, each in told]
    waits = alike and measure != (STEP,)
    if None not in talks:
        waits = statistics.median(talks[: len(rest)]) - max(talks[len(rest) :]) >= least / 2  # type: ignore[type-var, operator]
    if not waits and not _in_step([each for _, each in told]):
        return None
    slowest = slow[-1][1]
    later = (slowest.data_time_s or 0.0) - (peer.data_time_s or 0.0)
    found = tuple(each for _, each in reversed(slow))
    return Apart(found, peer, measure, by_data=later > (slow[-1][0] - typical) / 2, waits=bool(waits))


def _few(slow: list[tuple[float, Clocks]], rest: list[tuple[float, Clocks]]) -> bool:
    """Whether the slow ones are few, or all those of one node and of no other."""
    if 3 * len(slow) <= len(slow) + len(rest) or len(slow) == len(rest) == 1:
        return True
    return len({each.node for _, each in slow}) == 1 and not {slow[0][1].node} & {each.node for _, each in rest}


def _in_step(ranks: list[Clocks]) -> bool:
    """Whether all ranks did as many steps, but for a report that is lost: who goes alone does as many as it can."""
    lasts = [each.last for each in ranks if each.last is not None]
    return len(lasts) == len(ranks) and max(lasts) - min(lasts) <= _LOST * max(lasts)


_LOST: Final = 0.05
"""Part of the reports of a rank, at the most, whose lines were torn or never read."""


# --- saves ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Saving:
    """How much of the time of its steps a loop spent in saving, by its own clocks.

    Attributes:
        saves: Steps that saved.
        steps: Steps it tells of.
        share: Part of the time of these steps that went into it.
        seconds: What a save took, the median.
        where: SQL condition of the reports that tell.
        store: Who told it.
    """

    saves: int
    steps: int
    share: float
    seconds: float
    where: str
    store: StoreName
    of: Row | None = None
    """The report of a save that took about as long, where reports of saves tell it and no clock of the loop."""
    table: str = "fact_events"
    """Where ``of`` stands."""
    stepped: bool = True
    """Whether clocks tell what a step took, too, and not only the times of the reports."""

    def claim(self, claims: Claims) -> None:
        """Claim what a save took, and a step that saved where the same reports tell."""
        if self.of is not None:
            claims.row("A save that took about as long as most of them", self.table, self.of, "text")
            return
        for column, text in ((SAVE, "a save took"), (STEP, "a step took"))[: 1 + self.stepped]:
            words = f"Median time {text}, by the loop's own clocks"
            claims.over(words, "MEDIAN", column, "fact_steps", self.where, unit="s")


def saving(story: Story) -> Saving | None:
    """What the clocks tell of saving; None where no stream tells of saves and of steps, or of the time that is."""
    counted = story.steps.filter(pl.col("kind").is_in(COUNTED))
    stepped = bool((counted[STEP] > 0).any())
    # A timer that runs at saves alone tells of no step.
    alone = (pl.col(SAVE) > 0) & pl.col(STEP).is_null()
    timed = counted.filter((pl.col(STEP) > 0) | alone) if stepped else counted.drop_nulls("ts_ns")
    timed = timed.filter((pl.col(SAVE) > 0).any().over(_STREAM))
    if timed.height < REPORTS:
        return None
    streams = timed.group_by(_STREAM).len().sort("len", *_STREAM, descending=[True, *[False] * 3], nulls_last=True)
    node, source, rank, _ = streams.row(0)
    mine = timed.filter(
        (pl.col("node") == node) & pl.col("source").eq_missing(source) & pl.col("rank").eq_missing(rank)
    )
    saves = mine.filter(pl.col(SAVE) > 0)
    first, last = mine["step"].min(), mine["step"].max()
    spanned = last - first + 1 if isinstance(first, int) and isinstance(last, int) else mine.height
    # Sums of whole nanoseconds: the same whatever the order.
    spent, whole = mine.select((pl.col(SAVE, STEP) * 1e9).round().cast(pl.Int64).sum()).row(0)
    if not stepped:
        whole = int(mine["ts_ns"].max()) - int(mine["ts_ns"].min())  # type: ignore[arg-type]
        if not 0 < spent <= whole:
            return None
    seconds = saves[SAVE].median()
    stride = mine["step"].drop_nulls().unique().sort().diff().median()
    apart = stepped and saves[STEP].is_null().all()
    if stepped and isinstance(stride, float) and stride > 1 and (apart or 2 * saves.height < mine.height):
        whole *= stride  # a report tells the time of one step, and a save that there was one
    return Saving(
        saves=saves.height,
        steps=max(spanned, mine.height),
        share=min(1.0, spent / max(whole, 1)),
        seconds=seconds if isinstance(seconds, float) else 0.0,
        where=" AND ".join(
            (
                _of_stream(node, source, rank),
                COUNTED_SQL,
                *([f"{STEP} > 0"] if stepped and not apart else []),
                f"{SAVE} > 0",
            )
        ),
        store="metrics" if mine["line_seq"].is_null().all() else "logs",
        stepped=stepped,
    )
