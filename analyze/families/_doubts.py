"""What keeps a run that did its work and ended as planned from being called healthy, where no family can be proved."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._admissions import of_too_little, of_trouble
from inquest.analyze.families._came_to_nothing import (
    ended_in_its_fall,
    part_of_the_data,
    read_back_otherwise,
    stopped_too_soon,
)
from inquest.analyze.families._chance import at_chance
from inquest.analyze.families._curve import ends, series
from inquest.analyze.families._curve_doubts import A_FEW
from inquest.analyze.families._ended import SAVED
from inquest.analyze.families._improved import never_lower
from inquest.analyze.families._margins import said_first
from inquest.analyze.families._measured import (
    SELDOM,
    last_measured,
    never_any_good,
    one_number_throughout,
    one_player_won,
    their_losses,
)
from inquest.analyze.families._of_how_much import of_how_much
from inquest.analyze.families._pace_doubts import (
    aside,
    held_back,
    retried,
    saved_all_along,
    slowed,
    starved_all_along,
    stood_once,
)
from inquest.analyze.families._report_lines import MOST_READ, named_values, report_blocks, report_lines
from inquest.analyze.families._resumes import from_scratch
from inquest.analyze.families._several_starts import (
    another_curve_beside,
    as_from_nothing,
    began_again_unseen,
    begun_below,
    done_twice,
    fold_lost,
    folds_to_come,
    loaded_nothing,
    stopped_beside,
    told_again,
    unfinished_beside,
)
from inquest.analyze.families._signs import level_throughout
from inquest.analyze.families._unnamed_times import unnamed_times
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.families.e3_undertrained import BY_RULE, FOR_NOW
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._ended import Ended, Look
    from inquest.analyze.families._story import Story

_REPORTS: Final = 20


# --- numbers beside the loss -----------------------------------------------------------------------------------------


def _part_is_none(run: Ended) -> CannotDecide | None:
    """One of the numbers beside a loss that is one came to be NaN, and stayed so."""
    losses = run.losses
    if losses.store == "metrics":
        return _column_is_none(run.ev, losses)
    forms: dict[str, list[list[str]]] = {}
    texts = report_lines(run.ev, losses)
    for text in texts if any(_NAN.search(text) for text in texts) else ():
        forms.setdefault(_VALUE.sub("#", text), []).append(_CELLS.split(text.strip()))
    for rows in forms.values():
        for at, cell in enumerate(rows[-1]):
            if not _NAN.fullmatch(cell):
                continue
            told = [row[at] for row in rows if len(row) > at]
            since = _none_since([_NAN.fullmatch(value) is not None for value in told])
            if since is not None:
                name = rows[-1][at - 1] if at and re.match("[A-Za-z]", rows[-1][at - 1]) else "?"
                return _broke(name, since)
    return None


def _column_is_none(ev: Evidence, losses: Curve) -> CannotDecide | None:
    """The same of the columns of a tracker's table."""
    if not ev.has("metrics"):
        return None
    source = losses.frame["source"][0]
    mine = ev.scan("metrics").filter(pl.col("source").eq_missing(pl.lit(source, dtype=pl.String)))
    told = mine.filter(pl.col("value").is_not_null()).sort("step", "seq", nulls_last=True)
    columns = told.group_by("name").agg(pl.col("value").is_nan().tail(MOST_READ)).collect()
    for name, values in columns.sort("name").iter_rows():
        if (since := _none_since(values)) is not None:
            return _broke(name, since)
    return None


def _none_since(told: list[bool]) -> int | None:
    """How long to its end a series is NaN, where it was a number before, and never NaN for as long."""
    stretches = [len(list(group)) for bad, group in itertools.groupby(told) if bad]
    if not told or not told[-1] or told.count(False) < A_FEW:
        return None
    return stretches[-1] if stretches[-1] >= max(A_FEW, 1 + max(stretches[:-1], default=0)) else None


def _broke(name: str, since: int) -> CannotDecide:
    why = f'What stands beside the loss as "{name[:40]}" is NaN in the last {since} reports, and was a number before.'
    return CannotDecide(because=why, missing=("whether the gradient is taken of it",))


_NAN: Final = re.compile(r"(?i)(?<![\w.])[-+]?nan(?![\w.])")
_VALUE: Final = re.compile(r"(?i)(?<![a-z_])[-+]?(?:nan\b|\d[\d.:,]*(?:e[+-]?\d+)?)| {2,}")
_CELLS: Final = re.compile(r"[\s|│┃║,;:={}\[\]()\"'<>/]+")


def _gradient(run: Ended) -> CannotDecide | None:
    """The norm of the gradients grew beyond all measure, or came to be nothing, to the end."""
    losses = run.losses
    norms = losses.frame["grad_norm"].drop_nulls().to_list() if not losses.frame.is_empty() else []
    norms = norms or next(iter(named_values(run.ev, losses, _NORM).values()), [])
    finite = [norm for norm in norms if math.isfinite(norm)]
    levels = _tenths(finite)
    if levels is not None and levels[0] > 0 and levels[-1] >= _BEYOND * max(levels[0], min(levels)):
        rises = sum(low < high for low, high in itertools.pairwise(levels))
        if levels[-1] == max(levels) and levels[-1] > _BEYOND / 10 and rises >= len(levels) - 2:
            return CannotDecide(
                because=f"The norm of the gradients grew from {levels[0]:.4g} to {levels[-1]:.4g}.", missing=(SAVED,)
            )
    scales = next(iter(named_values(run.ev, losses, _SCALE).values()), [])
    if len(scales) >= _REPORTS and scales == sorted(scales, reverse=True) and scales[-1] < _SUNK < 1 <= scales[0]:
        return CannotDecide(
            because=f"The loss scale sank from {scales[0]:.4g} to {scales[-1]:.4g}.",
            missing=("whether updates were made",),
        )
    still = sum(1 for _ in itertools.takewhile(lambda norm: norm == 0, reversed(finite)))
    if still >= max(A_FEW, len(finite) // 10) and still < len(finite) and len(losses.finite) > still:
        before, after = losses.finite[-still - A_FEW : -still], losses.finite[-still:]
        if statistics.median(after) >= _HARDLY * statistics.median(before):
            return CannotDecide(
                because=f"The gradients are exactly 0 in the last {still} reports.", missing=("what is trained still",)
            )
    return None


_BEYOND: Final = 1000
_SUNK: Final = 0.01
"""A loss scale so far below the least that libraries allow skips all updates."""
_HARDLY: Final = 0.9


def _tenths(values: list[float]) -> list[float] | None:
    """Medians of ten parts; None of few."""
    part = len(values) // 10
    if part < 1:
        return None
    return [statistics.median(values[at : at + part]) for at in range(0, 10 * part, part)]


def _climbed_back(run: Ended) -> CannotDecide | None:
    """The last levels all lie far above the lowest, on the way back to the first, and rise to the end."""
    ev = run.ev
    values = run.losses.finite
    if len(values) >= ev.threshold("e1.plateau_losses"):
        values = _tenths(values) or []
    if len(values) < 2 * A_FEW + 2 or values[0] <= 0 or min(values) <= 0:
        return None
    best, late = min(values), values[-A_FEW:]
    noise = statistics.median(abs(high - low) for low, high in itertools.pairwise(values))
    learned = values[0] - best >= ev.threshold("e1.learned") * values[0]
    least = max(_BACK * (values[0] - best), (ev.threshold("g1.above_best") - 1) * best, A_FEW * noise)
    if learned and late == sorted(late) and late[0] - best >= least / 4 and late[-1] - best >= least:
        return CannotDecide(
            because=f"The loss had come down to {best:.4g}, and climbed to {values[-1]:.4g} to its end.",
            missing=(SAVED,),
        )
    return None


_BACK: Final = 0.3


def _below_all(run: Ended) -> CannotDecide | None:
    """A loss that ran away below zero: what is minimised has no least value, and grew beyond all measure."""
    head, tail = run.losses.head, run.losses.tail
    if head is None or tail is None or tail > -_BELOW * max(abs(head), 1.0):
        return None
    return CannotDecide(because=f"The loss went from {head:.4g} to {tail:.4g}.", missing=("what the loss is made of",))


_BELOW: Final = 100_000


def _guesses(run: Ended) -> CannotDecide | None:
    """The loss stood at the level of guessing from the first report on, whatever was loaded before."""
    guess = at_chance(run.ev, run.story, run.losses, ended=True)
    if guess is None or guess.since:
        return None
    return CannotDecide(
        because=f"The loss stood at {guess.loss:.4g}, as it does by guessing among {guess.classes}.", missing=(SAVED,)
    )


# --- how much was done -----------------------------------------------------------------------------------------------


def _tried_out(run: Ended) -> CannotDecide | None:
    """The start says that the run was to try the job out, and it was that short; or that next to no data is used."""
    story = run.story
    short = (story.last_step or 0) - (story.first_step or 0) <= _SHORT
    texts = said_first(run.ev, story)
    said = next((text for text in texts if (short and _TRIES.search(text)) or of_too_little(text)), None)
    if said is None:
        return None
    return CannotDecide(
        because=f'It said at its start: "{said.strip()[:120]}".', missing=("whether this was the run itself",)
    )


_SHORT: Final = 200
_TRIES: Final = re.compile(
    r"(?i)\b(?:dry[-_ ]?run|fast[-_ ]dev[-_ ]run|smoke[-_ ]?test|sanity[-_ ]?run|debug[-_ ]?(?:mode|run))\b"
    r"(?!\W{0,4}(?:false|off|no\b|none|0|disabled))(?! (?:is|was) (?:off|disabled))"
    r"|\b(?:max_(?:train_)?samples|limit_train_batches|overfit_batches|max_batches|train_subset)\b[\"']?\s?[:=]\s?\d{1,2}\b(?![.\d])"
)


def _out_of_data(run: Ended) -> CannotDecide | None:
    """The program says that its data came to their end before as many steps were done as it was to do."""
    for row in run.story.of(Kind.DATA_EXHAUSTED):
        total = str(row["subject"] or run.story.total_steps or "")
        if row["num"] and total.isdecimal() and row["num"] < _ALL_BUT * int(total):
            return CannotDecide(
                because=f"Its data came to their end at step {row['num']:.0f} of {total}.",
                missing=("whether that was meant",),
            )
    return None


_ALL_BUT: Final = 0.95


def _short_by_its_reports(run: Ended) -> CannotDecide | None:
    """The last report itself says of how much it tells, in units of its own, and that this is less than half."""
    # A trainer sums up what a callback stopped, and what it was set to do.
    ruled = any(row["pattern"] in (*BY_RULE, _AS_SET) for row in run.story.of(Kind.TRAINING_END))
    if ruled or run.story.of(*FOR_NOW, Kind.TRAIN_SUMMARY, Kind.EARLY_STOP):
        return None
    texts = report_blocks(run.ev, run.losses)
    if len(texts) < A_FEW:
        return None
    told = of_how_much(run.ev, run.losses)
    if told is not None and told.have <= told.want / 2:
        return CannotDecide(
            because=f"Its last report tells of {told.have:g} of {told.want:g}.",
            missing=("what ended it: a rule of its own, or its data",),
        )
    shares = [[float(share) for share in _PER_CENT.findall(text)] for text in texts]
    if all(shares) and 0 < shares[-1][0] <= _HALF:
        steps = [high[0] - low[0] for low, high in itertools.pairwise(shares)]
        if min(steps) > 0 and max(steps) <= _EVEN * min(steps) + _EDGE:
            return CannotDecide(
                because=f"Its last report tells of {shares[-1][0]:g} per cent.",
                missing=("what ended it: a rule of its own, or its data",),
            )
    return None


_AS_SET: Final = "lightning.end"
_PER_CENT: Final = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{1,3})?) ?%")
_HALF: Final = 50
_EVEN: Final = 1.5
_EDGE: Final = 0.2
"""Per cent are printed with a digit behind the point, or none."""


# --- what was held out -----------------------------------------------------------------------------------------------


def _held_out(run: Ended) -> CannotDecide | None:
    """Validation gained nothing while the loss of training fell, or lost all that it had gained."""
    ev, story, losses = run.ev, run.story, run.losses
    values = [value for value in series(story, "eval_loss") if math.isfinite(value)]
    for name, named in () if values else named_values(ev, losses, _VALIDATED_LOSS).items():
        values = [math.log(value) for value in named if value > 0] if _EXPONENTIAL.search(name) else named
        if never_lower(ev, values) is not None:
            return CannotDecide(
                because=f"{name} never came down: it ended at {named[-1]:.4g}, after {named[0]:.4g}.", missing=(SAVED,)
            )
        break
    if len(values) >= _VALIDATED and values[0] > 0:
        part = max(1, len(values) // 10)
        levels = [statistics.median(values[at : at + part]) for at in range(0, len(values) - part + 1, part)]
        leap = max((high - low for low, high in itertools.pairwise(levels)), default=0.0)
        lost = levels[-1] >= max(levels[0], ev.threshold("e1.climbed") * min(levels))
        if lost and leap >= _AT_ONCE * (levels[-1] - min(levels)):  # what is learned by heart rises bit by bit
            return CannotDecide(
                because=f"The validation loss had come to {min(levels):.4g}, and ended at {levels[-1]:.4g}.",
                missing=(SAVED,),
            )
        begun = losses.finite[0] if losses.finite else math.inf
        still = min(levels) >= _GAINED * levels[0] and levels[0] >= _UNTRAINED * begun
        still &= levels[-1] < ev.threshold("g1.above_best") * levels[0]  # what rises was learned by heart
        answers = max(series(story, "accuracy"), default=0.0) > SELDOM
        if still and not answers and _learned(ev, losses) and _begun(story):
            why = f"The loss fell to {losses.tail:.4g}, and in validation it stands where it began ({values[-1]:.4g})."
            return CannotDecide(because=why, missing=(SAVED,))
    right = series(story, "accuracy")
    told = ends(right)
    if told is None:
        return None
    begin, best, end = told
    if best - begin >= _A_TENTH and end - begin <= _A_TENTH * (best - begin):
        return CannotDecide(
            because=f"The accuracy had come from {begin:.4g} to {best:.4g}, and ended at {end:.4g}.", missing=(SAVED,)
        )
    if begin - end >= max(_A_TENTH, _FELL_OFF * begin):
        return CannotDecide(because=f"The accuracy fell from {begin:.4g} to {end:.4g}.", missing=(SAVED,))
    if len(set(right)) == 1 and end < _NEARLY_ALL and _begun(story):
        return CannotDecide(
            because=f"The accuracy is {end:.4g} in each of {len(right)} reports.",
            missing=("whether it answers more than one thing",),
        )
    seldom = best <= SELDOM and level_throughout(ev, [-value for value in right], A_FEW) and _begun(story)
    if seldom and _learned(ev, losses) and not _holds_elsewhere(story, losses):
        return CannotDecide(
            because=f"The loss fell to {losses.tail:.4g}, and {end:.4g} of the answers are right, as at first.",
            missing=(SAVED,),
        )
    return None


def _holds_elsewhere(story: Story, losses: Curve) -> bool:
    """Whether what was learned of the training data, beyond how often each answer comes, did not harm on others.

    A model that knows shares only has the same loss on both; one that learns the rest by heart is the surer, and the
    more wrong, on others: their loss rises. Where it came down with training's, and stands lowest, both are ruled out.
    """
    told = ends(series(story, "eval_loss"))
    if told is None or losses.tail is None or not 0 < losses.tail <= _BELOW_HELD_OUT * told[2]:
        return False
    lowest = min(value for value in series(story, "eval_loss"))
    return told[2] <= _NEAR_LOWEST * lowest and told[2] <= _CAME_DOWN * told[0]


def _quality(run: Ended) -> CannotDecide | None:
    """A measure that is to rise, by a name that stands beside the loss in a text, fell back or is one and the same."""
    ev, story, losses = run.ev, run.story, run.losses
    told = {name: values for name, values in named_values(ev, losses, _MEASURE).items() if any(values)}
    if scores := series(story, "score"):
        told["the reward"] = scores
    of_losses = their_losses(told)
    for name, values in told.items():
        levels = ends(values)
        if levels is None:
            continue
        begin, best, end = levels
        if name in of_losses:
            continue
        if best - begin >= _A_TENTH * abs(best) and end - begin <= _A_TENTH * (best - begin):
            return CannotDecide(
                because=f"{name} had come from {begin:.4g} to {best:.4g}, and ended at {end:.4g}.", missing=(SAVED,)
            )
        if begin - end >= _FELL_OFF * abs(begin) and end == min(_tenths(values) or values):
            return CannotDecide(because=f"{name} fell from {begin:.4g} to {end:.4g}.", missing=(SAVED,))
        if len(set(values)) == 1 and len(values) >= _REPORTS and _begun(story) and 0 <= end < _NEARLY_ALL:
            return CannotDecide(because=f"{name} is {end:.4g} in each of {len(values)} reports.", missing=(SAVED,))
        stands = len(values) >= _REPORTS and best <= SELDOM
        stands = stands and level_throughout(ev, [-value for value in values], A_FEW)
        stands = stands and not (_ANSWERS.search(name) and _holds_elsewhere(story, losses))
        if stands and _learned(ev, losses) and _begun(story):
            return CannotDecide(
                because=f"The loss fell to {losses.tail:.4g}, and {name} stands at {end:.4g}, as at first.",
                missing=(SAVED,),
            )
    return None


_MEASURE: Final = (
    r"(?:(?:val|valid|validation|eval|test|dev)[_/ .-]?)?(?:acc(?:uracy)?(?:@1)?|top-?1|(?:roc_)?auc|auroc|f1|map|bleu"
    r"|rouge\w{0,3}|dice|m?iou|r2|psnr|ssim|ndcg|mrr|mcc|kappa)"
    r"|(?:(?:ep|episode|mean|avg|average)[_ ])*(?:rewards?|returns?)(?:[_ ]mean)?"
)
_ANSWERS: Final = re.compile(r"(?i)acc|top-?1")
"""A measure that is a share of right answers."""
_VALIDATED_LOSS: Final = r"(?:val|valid|validation|eval|test|dev)[_/ .-]?(?:loss|ppl|perplexity)"
_EXPONENTIAL: Final = re.compile(r"(?i)ppl|perplexity")
_SCALE: Final = r"(?:loss|grad)[_ ]?scale"
_NORM: Final = r"(?:grad(?:ient)?[_ ]?norm|gnorm)"
_VALIDATED: Final = 5
_AT_ONCE: Final = 0.8
_GAINED: Final = 0.98
_UNTRAINED: Final = 0.9
_A_TENTH: Final = 0.1
_NEARLY_ALL: Final = 0.98
_FELL_OFF: Final = 0.3
_BELOW_HELD_OUT: Final = 0.9
_NEAR_LOWEST: Final = 1.01
_CAME_DOWN: Final = 0.95
"""What is left of a validation loss that came down by more than it moves from one epoch to the next."""


def _begun(story: Story) -> bool:
    """Whether it began anew, by its steps or its epochs."""
    first = story.steps["epoch"].min()
    early = isinstance(first, float) and first <= 1 and not story.loads
    return early or from_scratch(story)


def _learned(ev: Evidence, losses: Curve) -> bool:
    """Whether the loss of training came down by much."""
    head, tail = losses.head, losses.tail
    return head is not None and tail is not None and 0 < tail <= (1 - ev.threshold("e1.learned")) * head


LOOKS: Final[tuple[Look, ...]] = (
    of_trouble,
    _part_is_none,
    _gradient,
    _climbed_back,
    _below_all,
    _guesses,
    _tried_out,
    _out_of_data,
    _short_by_its_reports,
    _held_out,
    _quality,
    stopped_too_soon,
    ended_in_its_fall,
    part_of_the_data,
    read_back_otherwise,
    never_any_good,
    last_measured,
    one_number_throughout,
    one_player_won,
    begun_below,
    done_twice,
    told_again,
    loaded_nothing,
    as_from_nothing,
    began_again_unseen,
    fold_lost,
    folds_to_come,
    stopped_beside,
    another_curve_beside,
    unfinished_beside,
    slowed,
    stood_once,
    saved_all_along,
    starved_all_along,
    held_back,
    retried,
    aside,
    unnamed_times,
)
