"""A loss that rises as it was meant to: it is to be large, it is another one from there on, or a part weighs more.

A curve shows how a loss moved, not what it was made of. Where the job itself says that this changed, or what it is
after, a rise is no divergence that anybody could tell from what was planned.
"""

from __future__ import annotations

import itertools
import math
import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._signs import Sign

_CLIMBS: Final = re.compile(
    r"(?i)\bgradient[- ]ascent\b|\bunlearn|\bforget(?:[- ]set|_loss)\b"
    r"|\bmaximi[sz](?:e|es|ing|ation of) (?:(?:the|its|model's) )?"
    r"(?:loss|cross[- ]?entropy|(?:prediction )?error|nll)\b"
    r"|\bmaximize ?[=:] ?true\b"
)
"""What a job says whose loss is to rise."""
_RAMPS: Final = re.compile(
    r"(?i)\b(?:ramp|warm|anneal)(?:s|ed|ing)?\b(?: up)?[^.]{0,40}"
    r"\b(?:penalty|weight(?! decay)|lambda|beta|coefficient|kl|regulari[sz]ation)\b[^.]{0,20}\bfrom 0"
)
_ANOTHER: Final = re.compile(
    r"(?i)\b(?:stage|phase|task|lesson|curriculum|level)(?: stage)?[ #:_-]{0,3}\d{1,4}\b"
    r"|\b(?:enabl|switch|activat|turn|add|introduc|start|begin)(?:e|es|ed|ing|s)?\b[^.]{0,60}"
    r"(?:\bloss\b|\bobjective\b|mix-?up|cut-?mix|augment|label[- ]smoothing|penalty|discriminator|adversarial"
    r"|sequence length|curriculum)"
    # Among more negatives it is harder to be right.
    r"|\b(?:batch[ _-]?size|negatives|queue(?:[ _-]size)?)\b[^.]{0,24}"
    r"(?:->|=>|\u2192|\bto\b|\bnow\b|doubl|increas|gr[eo]w)"
    r"|\bloss (?:is|are|was) not comparable\b|\bnew (?:loss|objective)\b"
)
"""What a job says as it goes over to another loss, or to harder data."""
_WEIGHT: Final = (
    r"(?i)(?:^|[^a-z_])(?:beta|kl_?weight|lambda\w{0,12}|lam|anneal\w{0,8}|[a-z]{1,12}_weight)[\"']?\s?[:= ]\s?"
    r"(\d[\d.]{0,12}(?:e[+-]?\d{1,3})?)"
)
"""A part's weight within the loss, beside it in a report."""
_HEAD: Final = 60
"""Lines of a log before its first report that are looked at."""
_BETWEEN: Final = 40
"""Lines before the first high report that are looked at, back to the reports below it."""
_AT_ONCE: Final = 3
"""Reports within which a loss that became another one stands where it will stand."""
_GROWS_ON: Final = 1.25
"""A loss that rises by so much more after its leap diverges, whatever was said."""
_WEIGHS_MORE: Final = 1.5


def by_design(ev: Evidence, losses: Curve, sign: Sign) -> str | None:
    """What the job says that a rise of its loss may come of, in words; None where nothing speaks of it."""
    rise = sign.row
    if sign.mode != "diverged" or sign.table != "fact_steps" or sign.column != "loss":
        return None
    if rise["line_seq"] is None:
        return "chooses among more and more at a time" if _among_more(ev, losses) else None
    lines = ev.scan("log_lines").filter(same_stream(rise)).select("seq", text=pl.col("text").fill_null(""))
    told = losses.numbers.filter(same_stream(rise))["line_seq"].drop_nulls().to_list()
    if not told:
        return None
    if _says(lines, told[0] - _HEAD, told[0] + 1, _CLIMBS):
        return "says that its loss is to rise"
    if _says(lines, told[0] - _HEAD, told[0] + 1, _RAMPS):
        return "says that a part of its loss is to weigh more and more"
    if _leapt(losses, rise["line_seq"], _next(lines, rise["line_seq"])):
        below = [seq for seq in told if seq < rise["line_seq"]]
        since = max(below[-_AT_ONCE] if len(below) >= _AT_ONCE else 0, rise["line_seq"] - _BETWEEN)
        if _says(lines, since, rise["line_seq"], _ANOTHER):
            return "went over to another stage or loss right before"
    if _weighs_more(lines, told):
        return "gives a part of its loss more and more weight"
    return None


def _says(lines: pl.LazyFrame, since: int, until: int, words: re.Pattern[str]) -> bool:
    """Whether a line from one number up to another has such words."""
    near = lines.filter(pl.col("seq").is_between(since, until, closed="left")).collect()["text"]
    return any(words.search(text[:_LONG]) for text in near)


_LONG: Final = 400


def _next(lines: pl.LazyFrame, rise: int) -> int | None:
    """The line after a rise by which the job goes over to yet another loss."""
    words = pl.col("text").str.slice(0, _LONG).str.contains(_ANOTHER.pattern)
    found = lines.filter((pl.col("seq") > rise) & words).select(pl.col("seq").min()).collect().item()
    return None if found is None else int(found)


def _leapt(losses: Curve, rise: int, until: int | None) -> bool:
    """Whether a loss stands, within a few reports of its rise, where it stands later on, or comes down from there."""
    mine = pl.col("line_seq") >= rise
    mine = mine if until is None else mine & (pl.col("line_seq") < until)
    after = losses.numbers.filter(mine)["loss"].to_list()[_AT_ONCE:]
    third = len(after) // 3
    if third < 1:
        return True
    return bool(statistics.median(after[-third:]) <= _GROWS_ON * statistics.median(after[:third]))


def asks_among_many(ev: Evidence, losses: Curve) -> bool:
    """Whether a loss asks which of a batch is the right one, or the batch grew: then its level tells of the batch."""
    if _among_more(ev, losses):
        return True
    if losses.frame.is_empty() or losses.frame["line_seq"].is_null().all() or not ev.has("log_lines"):
        return False
    words = pl.col("text").fill_null("").str.slice(0, _LONG).str.contains(_AMONG)
    mine = ev.scan("log_lines").filter(same_stream(losses.frame.row(0, named=True)))
    return bool(mine.select(words.any()).collect().item())


_AMONG: Final = (
    r"(?i)contrastive|\binfo-?nce\b|\bnt-?xent\b|in-batch negatives|\b(?:clip|siglip|simclr|moco)\b"
    r"|\b(?:batch[ _-]?size|negatives|queue(?:[ _-]size)?)\b[^.]{0,24}(?:->|=>|\bto\b|\bnow\b|doubl|increas|gr[eo]w)"
)
"""Words of losses that lie at the logarithm of a batch's size, and of batches that grow."""


def _among_more(ev: Evidence, losses: Curve) -> bool:
    """Whether a tracker's table tells of a batch that grew, and the loss rose by no more than that makes it harder.

    Of losses that ask which of a batch is the right one, guessing costs the logarithm of the size.
    """
    values = losses.finite
    if not ev.has("metrics") or len(values) < _AT_ONCE:
        return False
    source = pl.lit(losses.frame["source"][0], dtype=pl.String)
    told = ev.scan("metrics").filter(pl.col("source").eq_missing(source) & pl.col("name").str.contains(_SIZE))
    sizes = told.sort("seq").select("value").collect()["value"].drop_nulls().to_list()
    if not sizes or min(sizes) <= 0 or sizes != sorted(sizes):
        return False
    harder = math.log(sizes[-1] / sizes[0])
    return harder > 0 and statistics.median(values[-_AT_ONCE:]) - min(values) <= _GROWS_ON * harder


_SIZE: Final = r"(?i)^(?:.*[/_])?(?:batch_?size|bs|num_negatives|negatives|queue_?size)$"


def _weighs_more(lines: pl.LazyFrame, told: list[int]) -> bool:
    """Whether a weight beside the loss grew from first to last, and never fell."""
    reports = lines.filter(pl.col("seq").is_in(told)).sort("seq")
    weights = reports.select(pl.col("text").str.extract(_WEIGHT).cast(pl.Float64, strict=False)).collect()
    values = weights["text"].drop_nulls().to_list()
    if 2 * len(values) < len(told) or len(values) < _AT_ONCE:
        return False
    grows = all(low <= high for low, high in itertools.pairwise(values))
    return bool(grows and values[-1] > _WEIGHS_MORE * statistics.median(values[: len(values) // 3 + 1]))
