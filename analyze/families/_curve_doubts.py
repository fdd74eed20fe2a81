"""What keeps a run that ended as planned from being called healthy: its losses stand, leap, repeat or fall silent."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._admissions import next_to_none
from inquest.analyze.families._curve import LANGUAGE, Curve, series, swings
from inquest.analyze.families._margins import said_first
from inquest.analyze.families._resumes import GOES_ON
from inquest.analyze.families._signs import SURE, least_rise, level_throughout
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.metric_names import column_of

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_STOOD: Final = 0.0005
"""What batches alone make a loss move by, at the least."""
ENOUGH: Final = 20
"""Reports among which chance alone hides no fall worth the name."""
A_FEW: Final = 3
"""Reports in a row that no single hard batch explains."""


def ends_high(ev: Evidence, losses: Curve) -> tuple[float, float] | None:
    """The level before the last reports, and theirs, where all of them stand far above it; None where they do not."""
    values = losses.finite
    tenth = max(1, len(values) // 10)
    if len(values) < ev.threshold("e1.plateau_losses"):
        return None
    level, last = statistics.median(values[-A_FEW - tenth : -A_FEW]), values[-A_FEW:]
    far = min(last) >= ev.threshold("e1.climbed") * level and min(last) - level > least_rise(ev, values)
    return (level, statistics.median(last)) if far else None


def learns_anew(losses: Curve) -> tuple[int, float, float] | None:
    """Where the count of a run began far from nought, and the loss then fell as it only does at the beginning.

    What learns from what it had is past the steep part: losses fall as a power of the steps that were made, of 1 at the
    most in what is published of scaling and of convex problems. A fall that is steeper in all of the steps that were
    counted, from the first report on, is that of weights that began anew. Its first step, and the loss there and at
    the end; None where it fell no faster.
    """
    told = losses.frame.filter(pl.col("step").is_not_null() & pl.col("loss").is_finite())
    if told.is_empty() or (told["line_seq"][0] or 0) < _HEADED:
        return None
    told = told.filter(pl.col("step") >= pl.col("step").first()).unique("step", keep="last").sort("step")
    third = told.height // 3
    if told.height < _SHAPED or told["loss"].min() <= 0:  # type: ignore[operator]
        return None
    first, last = int(told["step"][0]), int(told["step"][-1])
    stride = told["step"].diff().median()
    if not isinstance(stride, float) or first < max(_FAR_REPORTS * stride, _FAR * last):
        return None
    level, count = told["loss"].to_list(), told["step"].to_list()

    def steep(begin: int, end: int) -> float:
        """The power of the steps by which the loss fell between two places."""
        fall = statistics.median(level[begin : begin + A_FEW]) / statistics.median(level[end - A_FEW : end])
        return math.log(fall) / math.log(count[end - 2] / count[begin + 1])

    begins, sixth = statistics.median(level[:A_FEW]), max(2, third // 2)
    before, then = statistics.median(level[sixth : sixth + A_FEW]), statistics.median(level[third : third + A_FEW])
    at_once = begins - before >= _AS_MUCH * (before - then) > 0
    if not at_once or min(steep(0, third + A_FEW), steep(0, len(level))) < _STEEPEST:
        return None
    return first, begins, statistics.median(level[-A_FEW:])


_HEADED: Final = 3
"""Lines above the first report of a log that holds the begin of its run: the tail of one goes on from anywhere."""
_SHAPED: Final = 10
"""Reports that show where a curve falls most."""
_FAR: Final = 0.25
_FAR_REPORTS: Final = 5
"""What has to lie before the first report: a part of all steps, and so many times what lies between two reports."""
_STEEPEST: Final = 1.0
_AS_MUCH: Final = 0.6
"""What of the fall of the first third lies in its first half, at the least: the drop of a schedule comes later."""


def went_on_from(story: Story, losses: Curve) -> bool:
    """Whether another file tells the losses up to where this one's count begins, and they stood where it begins."""
    told = losses.frame.filter(pl.col("step").is_not_null() & pl.col("loss").is_finite())
    if told.height < A_FEW:
        return False
    row = told.row(0, named=True)
    others = story.all_steps.filter(
        pl.col("source").ne_missing(pl.lit(row["source"], dtype=pl.String))
        & pl.col("step").is_between(0, row["step"])
        & pl.col("loss").is_finite()
    ).sort("step")
    if others.height < ENOUGH or others["step"][0] > row["step"] // 2:
        return False
    before, begins = statistics.median(others["loss"][-A_FEW:]), statistics.median(told["loss"][:A_FEW])
    return bool(before > 0 and begins <= _NO_HIGHER * before and others["loss"][0] > _NO_HIGHER * begins)


_NO_HIGHER: Final = 1.5
"""What batches make the losses of a few reports differ by, where nothing was lost."""


def at_guessing(ev: Evidence, losses: Curve) -> float | None:
    """The final loss where it is that of guessing among the tokens of any usual vocabulary: ln(8000) is 9.

    Of a loop that does not say what it trains, only where the loss has not come down from there.
    """
    tail = losses.tail
    language = not losses.frame.is_empty() and losses.frame["framework"][-1] in LANGUAGE
    still = losses.head is not None and tail is not None and tail > losses.head * ev.threshold("g1.no_fall")
    language = language or (still and len(losses.finite) >= ev.threshold("e1.plateau_losses"))
    return tail if language and tail is not None and tail >= ev.threshold("g1.guessing_loss") else None


def skipped_to_the_end(story: Story, losses: Curve) -> int:
    """How many reports, where in each of the last ones an update was skipped; 0 where training had come out of it."""
    lines = losses.frame["line_seq"].drop_nulls().to_list()[-A_FEW - 1 :]
    source = None if losses.frame.is_empty() else losses.frame["source"][-1]
    told = [row for row in story.of(Kind.UPDATE_SKIPPED) if row["source"] == source]
    said = [row["line_seq"] for row in told if not next_to_none(str(row["text"]))]
    held = [any(low < at <= high for at in said) for low, high in itertools.pairwise(lines)]
    return A_FEW if len(held) == A_FEW and all(held) else 0


def without_a_loss(ev: Evidence, losses: Curve) -> tuple[int, int] | None:
    """Steps of the last loss and of the last report of a tracker's table in which only the loss fell silent."""
    if losses.store != "metrics" or not ev.has("metrics"):
        return None
    names = {
        name: column_of(name)
        for name in ev.scan("metrics").select(pl.col("name").drop_nulls().unique()).collect()["name"]
    }
    column = pl.col("name").replace_strict(names, default=None, return_dtype=pl.String)
    told = ev.scan("metrics").filter(pl.col("step").is_not_null()).select("source", "run", "step", column=column)
    table = told.filter(pl.col("column").is_in(("loss", *_TRAINS_ON))).collect()
    of = table.filter(pl.col("column") == "loss").group_by("source", "run").len().sort("len", "source", "run")
    own = table.join(of.tail(1), on=("source", "run"), nulls_equal=True, how="semi")
    steps = own.filter(pl.col("column") == "loss")["step"].unique().sort()
    beside = own.filter(pl.col("column") != "loss").group_by("column").agg(pl.col("step").unique())["step"]
    for on in beside:
        after, together = on.filter(on > steps[-1]), on.filter(on <= steps[-1]).is_in(steps.implode())
        if len(after) >= _SILENT and together.all() and len(together) >= _SILENT:
            return int(steps[-1]), int(after.max())
    return None


_TRAINS_ON: Final = ("lr", "grad_norm", "loss_scale")
"""What a loop tells of each step beside its loss, and of nothing but steps."""
_SILENT: Final = 5
"""Reports without a loss that are no chance, where each before them told one."""


def broken_beside(story: Story, losses: Curve) -> str | None:
    """The file of another training than the one judged, whose losses end as no numbers; None where there is none."""
    told = story.steps.filter(
        pl.col("kind").ne_missing("validation") & pl.col("loss").is_not_null() & pl.col("source").is_not_null()
    ).sort("line_seq", "seq", nulls_last=True)
    judged = set(losses.frame["source"])
    for (source, *_), frame in told.group_by("source", "node", "rank", maintain_order=True):
        other = Curve(frame)
        if source not in judged and other.finite and other.bad_at_end:
            return str(source)
    return None


def standing_beside(ev: Evidence, story: Story, losses: Curve) -> tuple[str, float] | None:
    """The file of another training than the one judged, whose loss never moved, far above the judged one's end."""
    told = story.steps.filter(
        pl.col("kind").ne_missing("validation") & pl.col("loss").is_finite() & pl.col("source").is_not_null()
    ).sort("line_seq", "seq", nulls_last=True)
    judged = set(losses.frame["source"])
    for (source, *_), frame in told.group_by("source", "node", "rank", maintain_order=True):
        if source in judged or losses.tail is None or losses.tail <= 0:
            continue
        level = stood_throughout(ev, Curve(frame))
        if level is not None and frame.height >= ENOUGH and level > ev.threshold("e1.climbed") * losses.tail:
            return str(source), level
    return None


def nothing_but_zero(losses: Curve) -> bool:
    """Whether every loss is exactly 0 and no gradient tells of more; GRPO's loss is 0 while it learns.

    A single one, as Lightning's last bar has it, is a small loss of three digits as a rule.
    """
    values, norms = losses.finite, losses.frame["grad_norm"].drop_nulls() if losses.finite else None
    return norms is not None and len(values) > 1 and not any(values) and not (norms > 0).any()


def zero_all_at_once(losses: Curve) -> float | None:
    """The level from which a loss fell to exactly 0 between two reports, and stayed; None where it came there."""
    values = losses.finite
    zeros = sum(1 for _ in itertools.takewhile(lambda value: value == 0, reversed(values)))
    if zeros < A_FEW or len(values) - zeros < A_FEW:
        return None
    level = statistics.median(values[-zeros - A_FEW : -zeros])
    return level if level > _NEAR_NOTHING * values[0] > 0 else None


_NEAR_NOTHING: Final = 0.1


def repeats(losses: Curve) -> int | None:
    """After how many reports losses that differ begin again, digit by digit, to the end; None where they do not.

    The least period, by the prefix function of Knuth, Morris and Pratt: linear, as flat losses agree nearly everywhere.
    """
    values = losses.finite
    borders = [0] * len(values)
    for at in range(1, len(values)):
        border = borders[at - 1]
        while border and values[at] != values[border]:
            border = borders[border - 1]
        borders[at] = border + (values[at] == values[border])
    apart = len(values) - borders[-1] if borders else 0
    return apart if 2 * apart <= len(values) and len(set(values[:apart])) > A_FEW else None


def stood_throughout(ev: Evidence, losses: Curve) -> float | None:
    """The loss where it never moved, far from nothing, by more than its printed digits round or its batches differ."""
    values = losses.finite
    if len(values) < ev.threshold("e1.least_third"):
        return None
    level, ordered, edge = statistics.median(values), sorted(values), len(values) // 20
    still = ordered[-1] - ordered[0] <= _STOOD * level
    if len(values) >= ENOUGH:
        still |= ordered[-1] - ordered[0] <= ev.threshold("e1.plateau_spread") * level
        noise = ordered[-1 - edge] - ordered[edge] <= _WIDE * ev.threshold("e1.noisy_plateau") * level
        still |= noise and (level_throughout(ev, values, SURE) or _within_its_scatter(ev, values))
    return level if still and level >= ev.threshold("e1.plateau_level") else None


def no_lower(values: list[float]) -> tuple[float, float] | None:
    """Level of the first and the last third, where no more than chance parts them; None where a fall is told."""
    third = len(values) // 3
    if len(values) < ENOUGH:
        return None
    parts = [values[:third], values[-third:]]
    begin, end = (statistics.median(part) for part in parts)
    apart = statistics.median(
        abs(value - level) for part, level in zip(parts, (begin, end), strict=True) for value in part
    )
    error = _OF_A_MEDIAN * apart * math.sqrt(2 / third)
    if values[0] - end > _NO_CHANCE * apart or min(values[:A_FEW]) - end > A_FEW * apart:
        return None  # it fell in the first reports
    tenth = len(values) // 10
    levels = [statistics.median(values[at : at + tenth]) for at in range(0, len(values) - tenth + 1, tenth)]
    fell = max(high - min(levels[at:]) for at, high in enumerate(levels))
    if fell > _NO_CHANCE * _OF_A_MEDIAN * apart / math.sqrt(tenth):
        return None  # it fell, and harder data came
    # However few reports tell it, a loss that ends so far below its first third fell.
    return (begin, end) if begin - end < 2 * error and end > _MUCH_LEFT * begin else None


_MUCH_LEFT: Final = 0.75
_NO_CHANCE: Final = 6
"""Median deviations that a single report is from its median by no chance."""
_OF_A_MEDIAN: Final = 1.86
"""Error of the median of normal values, in median deviations from it, times the root of their number."""


def _within_its_scatter(ev: Evidence, values: list[float]) -> bool:
    """Whether a curve came down by no more than half of its reports lie apart, and by next to nothing of its level."""
    third, ordered = len(values) // 3, sorted(values)
    fell = statistics.median(values[:third]) - statistics.median(values[-third:])
    apart = ordered[3 * len(values) // 4] - ordered[len(values) // 4]
    return fell <= min(apart, ev.threshold("e1.noisy_plateau") * statistics.median(values))


_WIDE: Final = 2
"""How much wider than a plateau's the scatter of batches may be in which a fall has to show."""


def bursts(losses: Curve) -> float | None:
    """The highest loss, where several reports stand far above all that came early; None where they do not."""
    values = losses.finite
    early = values[1 : max(A_FEW, len(values) // 4)]
    if not early or min(early) <= 0:
        return None
    level = max(_BURST**2 * statistics.median(values), _BURST * max(early))
    found = [value for value in values[1 + len(early) :] if value > level]
    return max(found) if len(found) > 1 and len(found) * ENOUGH >= len(values) else None


_BURST: Final = 10


def learned_anew(losses: Curve) -> tuple[float, float] | None:
    """Losses before and after the one place where all that was learned was gone, and took as long again to learn.

    A spike comes back faster; where it happens often, or the counter begins anew as well, these are trainings in turn.
    """
    values, steps = losses.finite, losses.numbers["step"].to_list()
    if len(values) < 2 * _SIDE or (losses.numbers["kind"] == "bar").any():  # bars begin anew with each epoch
        return None
    if swings(values):
        return None
    start, found, at = statistics.median(values[:A_FEW]), [], _SIDE
    near = start - (start - min(values)) / 10
    while at <= len(values) - _SIDE:
        if max(values[at : at + 2]) < near:
            at += 1
            continue
        low, high = statistics.median(values[at - A_FEW : at]), statistics.median(values[at : at + A_FEW])
        half = (start + low) / 2
        if start - low < abs(start) / 2 or high < start - (start - low) / 10:
            at += 1
            continue
        first, again = (
            next((n - begin for n in range(begin, len(values)) if values[n] <= half), 0) for begin in (0, at)
        )
        around = [step for step in steps[at - A_FEW : at + A_FEW] if step is not None]
        if again >= max(A_FEW, 3 * first / 4) and around == sorted(around):
            found.append((low, high))
        at += max(1, again)
    return found[0] if len(found) == 1 else None


_SIDE: Final = 20
"""Reports on either side of a place that show a loss falling."""


def above_what_was_saved(ev: Evidence, story: Story, losses: Curve) -> tuple[float, float] | None:
    """The loss that a line tells of the state a run goes on from, and the first ones after it, far above it."""
    began, validated = losses.finite[:A_FEW], series(story, "eval_loss")[:A_FEW]
    loads = (str(row["text"]) for row in story.of(Kind.CHECKPOINT_LOAD_BEGIN, Kind.CHECKPOINT_LOADED))
    found = [(told[1], began) for text in loads if (told := _SAVED_LOSS.search(text)) is not None]
    went_on = filter(None, map(_WENT_ON_AT.search, said_first(ev, story)))
    found += [(told["at"], validated if told["held_out"] else began) for told in went_on]
    for number, values in found:
        saved, first = float(number), statistics.median(values) if values else 0.0
        if first > saved * ev.threshold("e1.climbed") and first - saved > ev.threshold("e1.divergence_rise"):
            return saved, first
    return None


_WENT_ON_AT: Final = re.compile(
    rf"{GOES_ON}.{{0,120}}?"
    r"\b(?:(?P<held_out>val(?:id(?:ation)?)?|eval|dev)[_ ]?(?:loss)?|(?:train(?:ing)?[_ ])?loss)"
    r"(?: (?:was|there|then))?\W{1,3}"
    r"(?P<at>\d{1,9}\.\d{1,12}(?:e[+-]?\d{1,3})?)(?![\w%])"
)
"""A line of the start that says of what loss a run goes on from; no accuracy, and no best one of old."""
_SAVED_LOSS: Final = re.compile(r"(?i)\bloss\W{1,3}(\d{1,9}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\b")


def held_out_falls(story: Story, *, settled: bool = False) -> bool:
    """Whether each of several validation losses is lower than the one before, or nearly as low, and the last lowest.

    What knows no more than how often things come has nothing to gain on what was held out, once it knows that: with
    ``settled`` the first third, in which it comes to know it, is left out.
    """
    told = series(story, "eval_loss")
    if len(told) < _HELD_OUT or not all(math.isfinite(value) for value in told):
        return False
    told = told[len(told) // 3 :] if settled else told
    fell = told[0] - told[-1]
    back = max(after - before for before, after in itertools.pairwise(told))
    return fell >= _ONE_PERCENT * abs(told[0]) and back <= _A_TENTH_OF_IT * fell and told[-1] == min(told)


_HELD_OUT: Final = 6
"""Validations that chance puts in order once in 720 times."""
_ONE_PERCENT: Final = 0.01
_A_TENTH_OF_IT: Final = 0.1
LARGEST_GUESS: Final = math.log(262_144)
"""The loss of guessing among as many tokens as the largest usual vocabulary has: no guess among tokens is above it."""


def at_frequencies(ev: Evidence, losses: Curve) -> float | None:
    """The final loss where it began as guessing, and stands for the last two thirds where the tokens' entropy is."""
    values = losses.finite
    rest = values[len(values) // 3 :]
    if len(rest) < ev.threshold("e1.plateau_losses") or values[0] < ev.threshold("g1.guessing_loss"):
        return None
    level = statistics.median(rest)
    moved = abs(statistics.median(rest[: len(rest) // 2]) - statistics.median(rest[len(rest) // 2 :]))
    still = moved <= ev.threshold("e1.plateau_spread") * level
    return level if still and level >= ev.threshold("g1.frequencies_loss") else None
