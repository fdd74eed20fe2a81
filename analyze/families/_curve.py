"""The loss curve of the last attempt, in order statistics only."""

from __future__ import annotations

import itertools
import re
import statistics
import weakref
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import literal
from inquest.analyze.families._rows import told_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName

_BAD: Final = pl.col("loss").is_finite().not_().fill_null(value=False) | pl.col("grad_norm").is_nan().fill_null(
    value=False
)
"""A report that says NaN or infinity. A gradient norm of infinity alone is an fp16 overflow, and normal."""

_TAIL: Final = 3
_AGAIN: Final = 2
"""How often what swings, or what batches scatter, lies on either side of its first and last level."""
FLOOR: Final = 1.0
"""The least loss scale: Megatron-LM's --min-loss-scale and DeepSpeed's min_loss_scale are 1 by default."""

_HALF: Final = (0.2, 0.51)
"""What is left of a loss scale where one or two steps were skipped between two reports, as it is printed."""
_PRINTED: Final = 0.05
"""How far a power of two may be off by its printed digits, in powers."""
_SUNK: Final = 4
"""Below the floor a scale that still works stands; one that was halved so often there does not."""

LANGUAGE: Final = frozenset({"huggingface", "megatron", "nemo", "torchtitan"})
"""Frameworks whose training loss is nearly always the cross entropy of a language model."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Reports with a loss (or a gradient norm) of one rank, in printed order."""

    frame: pl.DataFrame
    blind: bool = False
    """True when validation losses were reported, and none is a number."""
    scaled: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Reports of the same rank with an fp16 loss scale, with a loss or without."""

    @property
    def store(self) -> StoreName:
        """Who told it."""
        return "logs" if self.frame.is_empty() else told_by(self.frame.row(-1, named=True))

    @property
    def where(self) -> str:
        """Condition of SQL for the rows of its source and rank in ``fact_steps``."""
        if self.frame.is_empty():
            return "TRUE"
        row = self.frame.row(0, named=True)
        source = "source IS NULL" if row["source"] is None else f"source = {literal(row['source'])}"
        rank = "rank IS NULL" if row["rank"] is None else f"rank = {row['rank']}"
        return f"node = {literal(row['node'])} AND {source} AND {rank}"

    @cached_property
    def numbers(self) -> pl.DataFrame:
        """Reports whose loss is a number, in order; broken reports are left out."""
        return self.frame.filter(~_BAD & pl.col("loss").is_not_null())

    @cached_property
    def finite(self) -> list[float]:
        """The losses that are numbers, in order."""
        return self.numbers["loss"].to_list()

    @cached_property
    def bad(self) -> list[bool]:
        """For each report, whether it is broken."""
        return self.frame.select(_BAD.alias("bad"))["bad"].to_list()

    @property
    def bad_at_end(self) -> bool:
        """True when the last reports (three, or all there are) are all broken; of losses that are NaN, the last two.

        An infinite loss may come back; weights that are NaN do not.
        """
        if not self.bad or not all(self.bad[-2:]):
            return False
        return all(self.bad[-_TAIL:]) or bool(self.frame["loss"][-2:].is_nan().fill_null(value=False).all())

    @property
    def ends_broken(self) -> bool:
        """True when the very last report is no number."""
        return bool(self.bad) and self.bad[-1]

    @cached_property
    def skipped(self) -> pl.DataFrame | None:
        """Reports up to the end whose steps were all skipped: their loss scale is at its floor, and none tells a loss.

        None where another report came last, or the scale was never above its floor (bf16 is told as a scale of 1) and
        the absence of a loss means nothing: Megatron-LM leaves it out for skipped iterations only.
        """
        scaled = self.scaled
        if scaled.is_empty():
            return None
        works = pl.col("loss").is_finite().fill_null(value=False) | (pl.col("loss_scale") > FLOOR)
        since = scaled.select(works.arg_true().max()).item()
        highest = scaled["loss_scale"].max()
        says = highest is not None and (highest > FLOOR or scaled["framework"][-1] == "megatron")  # type: ignore[operator]
        if since is None or not says:
            return None
        return scaled[since + 1 :]

    @property
    def first_skipped(self) -> Row | None:
        """The first report after the last loss that is a number: the scale may have come to its floor later."""
        sound = self.scaled.select(pl.col("loss").is_finite().arg_true().max()).item()
        rest = self.scaled[0 if sound is None else sound + 1 :]
        return None if rest.is_empty() else rest.row(0, named=True)

    @property
    def sinking(self) -> pl.DataFrame | None:
        """Reports from which on the loss scale only fell, below any floor: gradients overflow at whatever scale.

        A scale is halved where a step is skipped, and raised again after some thousand steps that were not.
        """
        if self.scaled.is_empty():
            return None
        told = self.scaled.filter(pl.col("loss_scale") > 0)
        rose = told.select((pl.col("loss_scale").diff() > 0).arg_true().max()).item()
        rest = told[0 if rose is None else rose :]
        below = rest.filter(pl.col("loss_scale") < FLOOR)
        left = below["loss_scale"] / below["loss_scale"].shift()
        # Of several steps between two reports each halves it.
        times = left.log(2)
        halved = left.is_between(*_HALF) | ((times <= -1) & ((times - times.round()).abs() <= _PRINTED))
        return below if halved.sum() >= _SUNK else None

    @property
    def first_of_the_bad_end(self) -> Row:
        """First report of the broken stretch that lasted to the end."""
        begin = len(self.bad)
        while begin > 0 and self.bad[begin - 1]:
            begin -= 1
        return self.frame.row(begin, named=True)

    @cached_property
    def hardly_back(self) -> tuple[int, int] | None:
        """Reports of the last broken stretch, and those after it where they are fewer; None where it is no stretch.

        Weights that are NaN stay so: a number or two after many that were none prove no recovery.
        """
        if not any(self.bad):
            return None
        after = self.bad[::-1].index(True)
        before = self.bad[: len(self.bad) - after]
        stretch = next((at for at, bad in enumerate(reversed(before)) if not bad), len(before))
        return (stretch, after) if stretch >= _TAIL and 0 < after < stretch else None

    @cached_property
    def with_loss(self) -> pl.DataFrame:
        """Reports that name a loss, broken or not."""
        return self.frame.filter(pl.col("loss").is_not_null())

    @cached_property
    def head(self) -> float | None:
        """Median loss of the first tenth."""
        return statistics.median(self.finite[: self._tenth]) if self.finite else None

    @cached_property
    def tail(self) -> float | None:
        """Median loss of the last tenth."""
        return statistics.median(self.finite[-self._tenth :]) if self.finite else None

    @property
    def fell(self) -> bool | None:
        """True when the loss ended lower than it began, and that is no swing of it; None with fewer than two losses."""
        if self.head is None or self.tail is None or len(self.finite) < 2:
            return None
        return self.tail < self.head and not self._swings

    @property
    def _swings(self) -> bool:
        """Whether it lay higher than it began, and lower than it ended, again and again on its way."""
        tenth = self._tenth
        if tenth < 2 or self.head is None or self.tail is None:
            return False
        between = range(tenth, len(self.finite) - 2 * tenth + 1, tenth)
        levels = [statistics.median(self.finite[at : at + tenth]) for at in between]
        above, below = (sum(held) for held in zip(*((x >= self.head, x <= self.tail) for x in levels), strict=True))
        return min(above, below) >= _AGAIN and statistics.median(self.finite[:_TAIL]) <= max(levels)

    @property
    def _tenth(self) -> int:
        return max(1, len(self.finite) // 10)


_CURVES: weakref.WeakKeyDictionary[Story, Curve] = weakref.WeakKeyDictionary()


def curve(story: Story) -> Curve:
    """The curve of the rank and stream that reported most losses; training reports only, worked out once."""
    known = _CURVES.get(story)
    if known is None:
        known = _CURVES[story] = _curve(story)
    return known


def _curve(story: Story) -> Curve:
    steps = story.steps.filter(pl.col("kind").ne_missing("validation"))
    validated = story.steps["eval_loss"].drop_nulls()
    blind = len(validated) > 0 and bool(validated.is_nan().all())
    told = steps.filter(pl.col("loss").is_not_null() | pl.col("grad_norm").is_not_null())
    if told.is_empty():
        return Curve(told, blind)
    # A bar repeats one smoothed loss many times: where lines with metrics exist, they are the better record.
    lines = told.filter(pl.col("kind").ne_missing("bar"))
    told = told if lines.is_empty() else lines
    # Of a log and a tracker that tell as much, the log: its lines stand in order with everything else it says.
    streams = (
        told.group_by("node", "source", "rank")
        .agg(n=pl.len(), tracked=pl.col("line_seq").is_null().all())
        .sort("n", "tracked", "node", "source", "rank", descending=[True, *[False] * 4], nulls_last=True)
    )
    node, source, rank, *_ = streams.row(0)
    chosen = told.filter(
        (pl.col("node") == node) & pl.col("source").eq_missing(source) & pl.col("rank").eq_missing(rank)
    )
    scaled = steps.filter(
        pl.col("loss_scale").is_not_null()
        & (pl.col("node") == node)
        & pl.col("source").eq_missing(source)
        & pl.col("rank").eq_missing(rank)
    )
    in_order = ["line_seq", "seq"]
    return Curve(chosen.sort(in_order, nulls_last=True), blind, scaled.sort(in_order, nulls_last=True))


def held_out(story: Story) -> Curve:
    """The curve of a validation loss, for those that tell none of training; its frame calls it the loss."""
    told = story.steps.filter(pl.col("eval_loss").is_not_null())
    keys = ["node", "source", "rank"]
    order = told.group_by(keys).len().sort("len", *keys, descending=[True, *[False] * 3], nulls_last=True)
    mine = told.join(order.head(1), on=keys, nulls_equal=True, how="semi").sort("line_seq", "seq", nulls_last=True)
    return Curve(mine.with_columns(loss="eval_loss", grad_norm=pl.lit(None, pl.Float64)))


def gone_astray(story: Story, factor: float) -> Iterator[Curve]:
    """Curves of other ranks, seeds or folds whose last losses are no numbers, or so many times the judged one's."""
    mine = curve(story)
    if mine.tail is None:
        return
    source, rank = mine.frame["source"][0], mine.frame["rank"][0]
    keys = ["node", "source", "rank"]
    told = story.steps.filter(pl.col("kind").ne_missing("validation") & pl.col("loss").is_not_null())
    if rank is None:
        seeds = () if source is None or _SWEEP.search(source) else (_form(source),)
        told = told.filter(
            pl.col("source").ne_missing(source) & pl.col("source").str.replace_all(_NUMBER, "#").is_in(seeds)
        )
    else:
        told = told.filter(pl.col("rank").is_not_null())
    last = pl.col("loss").tail(_TAIL)
    in_order = told.sort("line_seq", "seq", nulls_last=True)
    late = in_order.group_by(keys).agg(pl.len(), level=last.median(), broken=~last.is_finite().any())
    far = late.filter(
        (pl.col("len") * 2 >= mine.frame.height) & (pl.col("broken") | (pl.col("level") > factor * mine.tail))
    )
    for place in far.sort(keys).select(keys).iter_rows(named=True):
        whose = pl.DataFrame([place], schema=told.select(keys).schema)
        yield Curve(in_order.join(whose, on=keys, nulls_equal=True, how="semi"))


_NUMBER: Final = r"\d+"
_SWEEP: Final = re.compile(r"(?i)(?:^|[/_.-])(?:trial|sweep|search|hpo|config|exp|experiment|lr|wd|bs)(?:[/_.-]|\d)")
"""Names of trainings that are tried: of these, some may fail."""


def _form(source: str) -> str:
    """The name of a file without its numbers."""
    return re.sub(_NUMBER, "#", source)


def series(story: Story, column: str) -> list[float]:
    """Numbers of a column other than the loss, in order, by the rank and stream that told it most often."""
    told = story.steps.filter(pl.col(column).is_finite())
    if told.is_empty():
        return []
    keys = ["node", "source", "rank"]
    order = told.group_by(keys).len().sort("len", *keys, descending=[True, *[False] * 3], nulls_last=True)
    mine = told.join(order.head(1), on=keys, nulls_equal=True, how="semi")
    values: list[float] = mine.sort("line_seq", "seq", nulls_last=True)[column].to_list()
    return values


def rated(story: Story) -> pl.DataFrame:
    """The reports that tell how the learning rate went: the curve's, or those of a reward where there is none."""
    frame = curve(story).frame
    if not frame.is_empty():
        return frame
    told = story.steps.filter(pl.col("score").is_finite())
    one = told.select("node", "source", "rank").n_unique() == 1
    return told.sort("line_seq", "seq", nulls_last=True) if one else told.clear()


def ends(values: list[float]) -> tuple[float, float, float] | None:
    """Medians of the first, the highest and the last tenth; None of fewer than ten."""
    tenth = len(values) // 10
    if not tenth:
        return None
    levels = [statistics.median(values[at : at + tenth]) for at in range(0, 10 * tenth, tenth)]
    return levels[0], max(levels), levels[-1]


def swings(losses: list[float]) -> bool:
    """Whether a loss is now above and now below nothing, as that of a policy is: its level tells nothing."""
    return sum(one * other < 0 for one, other in itertools.pairwise(losses)) >= _TURNS


_TURNS: Final = 4
