"""What training reported around a line of a log: whether it went on from there, began anew, or told no more.

Buffered output makes lines appear late, so clocks weigh more than the order of the lines, where there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.logs.frames import Place
    from inquest.analyze.logs.tracebacks import Traceback

REPORTS_AFTER: Final = 3
"""Reports, each with a clock of its own, that prove that a process went on."""
_APART_NS: Final = 10_000_000
"""Between two of them, where the clock is that of reading: what comes out of a buffer comes at once."""
_HELD_BACK_NS: Final = 1_000_000_000
_PARTS_OF_AN_EPOCH: Final = 10_000
"""Reports come no closer than that."""
_OF_STEPS: Final = ("line_seq", "kind", "step", "total_steps", "rank", "speaker", "ts_ns")


class Reports:
    """What was counted, by the streams that told it."""

    def __init__(self, steps: pl.DataFrame) -> None:
        """Take ``fact_steps``."""
        self.steps: dict[Place, pl.DataFrame] = {
            (str(key[0]), str(key[1]), key[2]): part.select(_OF_STEPS)
            for key, part in _counted(steps).group_by("node", "capture", "source")
        }
        self._of_ranks: dict[tuple[Place, int | None], pl.DataFrame] = {}

    def stepped_after(self, place: Place, last: int) -> bool:
        """Something was counted below a line."""
        steps = self.steps.get(place)
        return steps is not None and bool((steps["line_seq"] > last).any())

    def trained_after(self, place: Place, last: int) -> bool:
        """The same of what is no validation."""
        steps = self.steps.get(place)
        evaluated = pl.col("kind").eq_missing(str(Kind.VALIDATION))
        return steps is not None and not steps.filter((pl.col("line_seq") > last) & ~evaluated).is_empty()

    def beside(self, place: Place, start: int, last: int, rank: int | None) -> tuple[int | None, pl.Series]:
        """The greatest step before a traceback, and all steps after it."""
        if (told := self._told(place, rank)) is None:
            return None, pl.Series(dtype=pl.Int64)
        above = told["line_seq"].search_sorted(start, side="left")
        below = told["line_seq"].search_sorted(last, side="right")
        return told["reached"][above - 1] if above else None, told["step"][below:]

    def _told(self, place: Place, rank: int | None) -> pl.DataFrame | None:
        """Steps that one rank may have told, in order, and the greatest up to each; of many tracebacks it is asked."""
        if (place, rank) not in self._of_ranks and (steps := self.steps.get(place)) is not None:
            if rank is not None:
                steps = steps.filter(pl.col("rank").is_null() | (pl.col("rank") == rank))
            # What is evaluated may be counted otherwise than what is trained, as by epochs beside steps.
            trained = steps.filter(pl.col("kind").ne_missing(str(Kind.VALIDATION)))
            steps = trained if trained.height >= REPORTS_AFTER else steps
            steps = steps.sort("line_seq", maintain_order=True)
            self._of_ranks[place, rank] = steps.select("line_seq", "step", reached=pl.col("step").cum_max())
        return self._of_ranks.get((place, rank))

    def beyond(self, place: Place, traceback: Traceback) -> pl.Series:
        """Steps below a traceback that are greater than all above it."""
        before, after = self.beside(place, traceback.first.seq, traceback.last_seq, traceback.first.rank)
        return (after if before is None else after.filter(after > before)).unique()

    def began_again(self, place: Place, start: int, last: int, rank: int | None) -> bool:
        """The next report is of a much smaller step: a script ran the program anew."""
        before, after = self.beside(place, start, last, rank)
        return before is not None and len(after) > 1 and after[0] * 2 <= before and bool(after[1] < before)

    def went_on(self, place: Place, start: int, last: int, rank: int | None) -> bool:
        """More than one report came farther than all above, and no process fell silent that had told its own."""
        steps, line = self.steps.get(place), pl.col("line_seq")
        both = None if rank is not None or steps is None else (steps.filter(line < start), steps.filter(line > last))
        if both is not None and one_fell_silent(*both):
            return False
        before, after = self.beside(place, start, last, rank)
        return len(after if before is None else after.filter(after > before)) >= 2

    def goes_on(self, place: Place, start: int, last: int, rank: int | None) -> bool:
        """The count goes on from where it stood, and does not come there a second time."""
        before, after = self.beside(place, start, last, rank)
        return before is not None and len(after) >= REPORTS_AFTER and bool((after > before).all())

    def outlived(self, place: Place, traceback: Traceback, reports: int = REPORTS_AFTER) -> bool:
        """Later reports of greater steps bear later clocks of their own, so they were no lines left in a pipe."""
        first, rank = traceback.first, traceback.first.rank
        steps = self.steps.get(place)
        if steps is None or first.ts_ns is None or self.began_again(place, first.seq, traceback.last_seq, rank):
            return False
        before, _ = self.beside(place, first.seq, traceback.last_seq, rank)
        later = steps.filter(
            (pl.col("line_seq") > traceback.last_seq)
            & (pl.col("ts_ns") > first.ts_ns)
            & (pl.col("rank").eq_missing(rank) if rank is not None else pl.lit(value=True))
            & (pl.col("step") > (-1 if before is None else before))
        )
        return later["ts_ns"].n_unique() >= reports

    def went_on_beside(self, traceback: Traceback, reports: int = REPORTS_AFTER) -> bool:
        """The process reported greater steps on its other stream, one after the other as they were read.

        What it had printed before and left in a buffer is read at once when it ends.
        """
        first = traceback.first
        mine = [
            steps
            for (node, capture, source), steps in self.steps.items()
            if (node, capture) == (first.node, first.capture) and source != first.source
        ]
        if not mine or first.ts_ns is None:
            return False
        steps = pl.concat(mine).filter(pl.col("ts_ns").is_not_null())
        if first.rank is not None:
            steps = steps.filter(pl.col("rank").is_null() | (pl.col("rank") == first.rank))
        is_later = pl.col("ts_ns") > first.ts_ns
        before = steps.filter(~is_later).select(pl.col("step").max()).item()
        if one_fell_silent(steps.filter(~is_later), steps.filter(is_later)):
            return False
        later = steps.filter(is_later & (pl.col("step") > (-1 if before is None else before)))
        times = later["ts_ns"].unique().sort()
        return int((times.diff() >= _APART_NS).sum()) >= reports

    def came_at_once(self, place: Place, traceback: Traceback) -> bool:
        """Every report stands below, and all were read in the moment of the traceback: a pipe had held them back."""
        steps, at_ns = self.steps.get(place), traceback.first.ts_ns
        if steps is None or at_ns is None or steps.height < REPORTS_AFTER or steps["ts_ns"].null_count():
            return False
        below = bool((steps["line_seq"] > traceback.last_seq).all())
        return below and bool(((steps["ts_ns"] - at_ns).abs() <= _HELD_BACK_NS).all())


def one_fell_silent(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    """One of several processes reported often until then, and never again, while others did."""
    who = ["rank", "speaker"]
    told = before.group_by(who).len().filter(pl.col("len") >= REPORTS_AFTER)
    others = after.select(who).unique()
    if told.height < 2 or others.is_empty():
        return False
    return not told.join(others, on=who, how="anti", nulls_equal=True).is_empty()


def _counted(steps: pl.DataFrame) -> pl.DataFrame:
    """Reports with what they count; where a source counts none of its steps, the part of an epoch that it tells."""
    parts = (pl.col("epoch") * _PARTS_OF_AN_EPOCH).round().cast(pl.Int64, strict=False)
    uncounted = pl.col("step").is_null().all().over("node", "capture", "source")
    return steps.with_columns(step=pl.when(uncounted).then(parts).otherwise("step")).filter(
        pl.col("step").is_not_null()
    )
