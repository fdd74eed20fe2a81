"""What was measured of the model, wherever it stands in the log: the worst there is throughout, or that of no training.

Measures beside a loss are looked at elsewhere; an evaluation has lines of its own, and a last word.
"""

from __future__ import annotations

import math
import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._curve import ends, series
from inquest.analyze.families._curve_doubts import A_FEW
from inquest.analyze.families._ended import SAVED
from inquest.analyze.families._margins import below_the_last_report
from inquest.analyze.families._report_lines import SUMMED
from inquest.analyze.families.base import CannotDecide

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.analyze.families._ended import Ended
    from inquest.analyze.families._story import Story

_READ: Final = 20_000
_WIDTH: Final = 1000


def never_any_good(run: Ended) -> CannotDecide | None:
    """A measure is nothing, or no number, in each of its reports; it never moved off guessing; or it fell off."""
    if not run.ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("").str.slice(0, _WIDTH)
    lines = run.ev.scan("log_lines").filter(text.str.contains(_GATE)).select(text).head(_READ).collect()["text"]
    rises: dict[str, list[float]] = {}
    falls: dict[str, list[float]] = {}
    for line in (SUMMED.sub("", line) for line in lines):
        for told, found in ((rises, _RISES.findall(line)), (falls, _FALLS.findall(line))):
            for name, value in found:
                told.setdefault(name.lower(), []).append(float(value.replace(",", ".")))
        if (boxes := _OF_BOXES.match(line)) is not None:
            rises.setdefault("mAP of all classes", []).append(max(map(float, boxes[1].split())))
        if (coco := _OF_COCO.search(line)) is not None:
            rises.setdefault("average precision", []).append(max(0.0, float(coco[1])))
    of_losses = their_losses(rises)
    for name, values in rises.items():
        if name in of_losses:
            continue
        if (why := _stands(values)) is not None or (why := _fell_off(values, run.story)) is not None:
            return CannotDecide(because=f"{name} {why}.", missing=("what the model answers",))
    for name, values in falls.items():
        if len(values) >= A_FEW and (min(values) >= _ALL_WRONG or set(values) == {1.0}):
            return CannotDecide(
                because=f"{name} is {values[-1]:.4g} in each of {len(values)} reports.",
                missing=("what the model answers",),
            )
    return None


def their_losses(told: Mapping[str, list[float]]) -> set[str]:
    """Names of measures of overlap by which a loss goes here: it fell from above 1, or while another measure rose."""
    levels = {name: levels for name, values in told.items() if (levels := ends(values)) is not None}
    risen = any(end - begin >= _RISEN for begin, _, end in levels.values())
    fell = {name: begin for name, (begin, _, end) in levels.items() if end < begin and _OR_A_LOSS.search(name)}
    return {name for name, begin in fell.items() if risen or 1 < begin < _PER_CENT}


_OR_A_LOSS: Final = re.compile(r"(?i)dice|iou|ssim")
_RISEN: Final = 0.1
_PER_CENT: Final = 10
"""What begins higher is told in per cent."""


def _stands(values: list[float]) -> str | None:
    """How a measure that is to rise stands where it never moved: at nothing, at no number, or at guessing."""
    if len(values) < A_FEW or len({f"{value:.9g}" for value in values}) > 1:
        return None
    value = values[0]
    share = value / 100 if value > 1 else value
    guesses = any(abs(share * usual - 1) <= _NEAR for usual in _GUESSES) or share < _NEXT_TO_NOTHING
    least = A_FEW if not value or math.isnan(value) else _SOME if guesses else _MANY
    return None if len(values) < least or share >= _NEARLY_ALL else f"is {value:.4g} in each of {len(values)} reports"


def _fell_off(values: list[float], story: Story) -> str | None:
    """How a measure fell from its first reports to its last ones, where it is told of training that began anew."""
    levels = ends([value for value in values if math.isfinite(value)])
    if levels is None or levels[0] <= 0 or story.loads:
        return None
    begin, best, end = levels
    return f"fell from {begin:.4g} to {end:.4g}" if end <= _LESS * begin and best <= _HARDLY_MORE * begin else None


_SOME: Final = 5
_MANY: Final = 10
_GUESSES: Final = (2, 3, 4, 5, 10, 20, 50, 100, 1000)
"""Numbers of classes that are usual."""
_NEXT_TO_NOTHING: Final = 0.02
_NEARLY_ALL: Final = 0.98
_LESS: Final = 0.7
_HARDLY_MORE: Final = 1.1
_NUMBER: Final = r"(-?(?:\d{1,9}(?:[.,]\d{1,12})?(?:e[+-]?\d{1,3})?|nan))(?![\w.]|,\d)"
"""Decimals stand behind a comma in most of Europe."""
_OF_WHAT: Final = r"(?:(?:val|valid|validation|eval|test|dev)[_/ .-]?)?"
_RISES: Final = re.compile(
    rf"(?i)(?<![\w@/.-])(?<!best )(?<!max )(?<!target )(?<!chance )({_OF_WHAT}(?:acc(?:uracy)?|top-?1|f1|map(?:50)?"
    r"|(?:sacre)?bleu|rouge[-_]?[12l]|dice|m?iou|exact[_ ]match|success[_ ]rate|hits?@\d{1,3}|recall(?:@\d{1,3})?|tpr"
    rf"|sensitivity|spearman|pearson|auc|auroc)(?:[_ ]score)?)[\"']?(?:\s{{0,8}}[:=]\s{{0,8}}|\s)[\"']?{_NUMBER}"
)
"""Shares of what is right, with the mark that sets a value: what a model that learned has some of."""
_FALLS: Final = re.compile(
    rf"(?i)(?<![\w@/.-])({_OF_WHAT}(?:wer|cer))[\"']?(?:\s{{0,8}}[:=]\s{{0,8}}|\s)[\"']?{_NUMBER}"
)
_ALL_WRONG: Final = 99.995
"""Per cent of words, or letters, that are wrong of a model that says nothing, or anything."""
_OF_BOXES: Final = re.compile(
    r"^ {1,40}all {1,20}\d{1,9} {1,20}\d{1,9}((?: {1,20}\d(?:\.\d{1,6})?(?:e-\d{1,3})?){4}) *$"
)
"""Ultralytics' and YOLOv5's row of all classes: images, boxes, and four measures."""
_OF_COCO: Final = re.compile(r"\(AP\) @\[ IoU=0\.50:0\.95 \| area= {1,4}all \| maxDets= ?\d{1,4} \] = (-?\d\.\d{1,6})")
"""COCO's average precision; -1 where there is nothing to find."""
_GATE: Final = (
    r"(?i)(?:acc(?:uracy)?|top-?1|f1|map(?:50)?|bleu|rouge[-_]?[12l]|dice|iou|match|rate|@\d{1,3}|wer|cer|spearman|pearson"
    r"|auc|auroc|recall|tpr|sensitivity)(?:[_ ]score)?[\"']?\s{0,8}[:= ]|^ {1,40}all {1,20}\d|\(AP\) @\["
)


def last_measured(run: Ended) -> CannotDecide | None:
    """What is measured below the last report is that of a model that was never trained."""
    losses = run.losses
    right = series(run.story, "accuracy")
    best = max(right, default=0.0)
    best = best / 100 if best > 1 else best
    fell = losses.finite and losses.tail is not None and 0 < losses.tail <= _LEARNED * losses.finite[0]
    for line in below_the_last_report(run.ev, run.story):
        said = _LAST_RIGHT.search(line)
        if said is not None:
            value = float(said[1]) / (100 if said[2] or float(said[1]) > 1 else 1)
            guess = next((usual for usual in _USUAL if abs(value * usual - 1) <= _NEAR), None)
            if (guess is not None and (fell or best > 2 * value)) or best - value > _FAR_BELOW:
                return CannotDecide(because=f'Below the last report stands "{line.strip()[:120]}".', missing=(SAVED,))
        said = _LAST_LOSS.search(line)
        if said is not None and fell and best <= SELDOM and float(said[1]) >= _UNTRAINED * losses.finite[0]:
            return CannotDecide(
                because=f'The loss fell to {losses.tail:.4g}, and below stands "{line.strip()[:120]}".',
                missing=(SAVED,),
            )
    return None


_LAST: Final = r"(?i)^(?:.{0,60}[^a-z])?(?:test|final|eval\w{0,6}|valid\w{0,5}|val|held[- ]out)\b[^\d]{0,40}?"
_LAST_RIGHT: Final = re.compile(
    rf"{_LAST}\b(?:acc(?:uracy)?|top-?1)\b[^\d]{{1,6}}(\d{{1,3}}(?:\.\d{{1,8}})?) ?(%?)(?![\w.])"
)
_LAST_LOSS: Final = re.compile(rf"{_LAST}\bloss\b[^\d]{{1,6}}(\d{{1,6}}(?:\.\d{{1,8}})?)(?![\w.])")
_LEARNED: Final = 0.8
_USUAL: Final = (2, 10, 100, 1000)
_NEAR: Final = 0.02
_FAR_BELOW: Final = 0.4
"""How far below what was told on the way a last accuracy is no matter of other data."""
SELDOM: Final = 0.55
"""Who is right no more often than this hardly does better than between two."""
_UNTRAINED: Final = 0.9


def one_number_throughout(run: Ended) -> CannotDecide | None:
    """Every loss is the same to its last digit, and nothing was loaded: trees that are no trees, weights that stand."""
    values = run.losses.finite
    if len(values) < A_FEW or len(set(values)) > 1 or not values[0]:
        return None
    if run.story.loads:
        return None
    # What is gained beside it, a policy's reward say, is told by other looks.
    if any(len(set(series(run.story, column))) > 1 for column in ("score", "accuracy", "eval_loss")):
        return None
    return CannotDecide(
        because=f"The loss is {values[0]:.6g} in each of {len(values)} reports.",
        missing=("a metric of the model that improved",),
    )


def one_player_won(run: Ended) -> CannotDecide | None:
    """Of two that play against each other, one has nothing left to lose, and the other lost far more than at first."""
    if not run.ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("").str.slice(0, _WIDTH)
    lines = run.ev.scan("log_lines").filter(text.str.contains(_PLAY)).select(text).head(_READ).collect()["text"]
    told: dict[str, list[float]] = {"d": [], "g": []}
    for line in lines:
        for first, second, value in _PLAYERS.findall(line):
            told[(first or second)[0].lower()].append(float(value))
    judge, maker = told["d"], told["g"]
    third = min(len(judge), len(maker)) // 3
    if third < _GAMES:
        return None
    late = max(map(abs, judge[-third:]))
    ends, begins = statistics.median(maker[-third:]), statistics.median(maker[:A_FEW])
    if late > _NOTHING or ends < _LOST * max(1.0, begins):
        return None
    why = f"The discriminator's loss is next to nothing in the last third, and the generator's stands at {ends:.4g}."
    return CannotDecide(because=why, missing=("samples of the generator, or a measure of them",))


_PLAYERS: Final = re.compile(
    r"(?i)(?:\bloss[_ ]?([dg])|(?<![a-z])(d|g|disc\w{0,10}|gen\w{0,6})[_ ]loss)\b[\"']?\s{0,4}[:=]\s{0,4}"
    r"(-?\d{1,6}(?:\.\d{1,10})?(?:e[+-]?\d{1,3})?)(?![\w.])"
)
_PLAY: Final = r"(?i)loss[_ ]?[dg]\b|[dgc][a-z]{0,12}[_ ]loss"
_GAMES: Final = 5
_NOTHING: Final = 0.01
_LOST: Final = 5
