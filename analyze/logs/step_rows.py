"""Rows of ``fact_steps`` made of lines: the words of a loss, and how the numbers beside them are read."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.scan import stored_schema

if TYPE_CHECKING:
    from inquest.analyze.logs.kinds import Kind

NUM: Final = r"\+?(-?(?:nan|NaN|inf|Infinity|\d[\d_,]*(?:\.\d+)?|\.\d+)(?:[eEf][+-]?\d+)?)"
SEP: Final = r"""["']?\s*(?:[:=↓↑→]\s*)?[\[("']{0,2}"""
START: Final = r"""(?:^|[\s,;|{\[("'/>_-])"""

LOSS_WORD: Final = r"(?:train(?:ing)?|batch|av[gr]|average|smooth(?:ed)?|ema|mean|total|running|cur(?:rent)?|step|lm|mlm|ce|cross[_ ]?entropy|reduced_train|policy|train_batch|epoch)"
_AT: Final = r"(?: (?:at|after|in|for) (?:step|iter(?:ation)?|epoch|batch|update) \d{1,12})?"
"""Between the name of a loss and its value: when it was."""
LOSS: Final = (
    rf"(?i){START}(?:{LOSS_WORD}[_ /-]?){{0,2}}loss(?:[_ ]?(?:avg|mean|val(?:ue)?|train(?:ing)?))?\)?{_AT}{SEP}{NUM}"
)
_PART: Final = r"(?:b?ce|ctc|rnn_?t|focal|dice|huber|hinge|smooth_?l1|l1|mse|mae|iou|tversky|lovasz)"
CRITERIA: Final = rf"(?:{_PART}(?:[_+]{_PART}){{1,3}}|b?ce|ctc|focal|huber|hinge|x_?ent|cross[_ -]?entropy|mse|mae)"
EVAL_LOSS: Final = rf"(?i){START}(?:(?:val(?:id|idation)?|eval(?:uation)?|test|dev|held[_ -]?out)[_ /-]{{0,2}}(?:loss|verlust|nll|{CRITERIA})|(?:perte|verlust|p[ée]rdida|perda|perdita)[_ /-](?:val\w{{0,8}}|test)){SEP}{NUM}"
_ACCURACY: Final = rf"(?i){START}(?:(?:train(?:ing)?|val(?:id(?:ation)?)?|test|eval|dev|token|binary|(?:sparse_)?categorical|top-?1|mean)[_ /-]?){{0,3}}(?:acc(?:uracy)?(?:@1|[_-]?top-?1)?|exactitude|(?:pr(?:ü|ue)f|validierungs|test|trainings|treffer)?genauigkeit|(?:top-?1|acc@1)){SEP}(\d{{0,3}}\.\d{{1,8}}|\d{{1,3}} ?%)"
"""A share of right answers; a number without a point or a per cent sign counts something else."""
LR: Final = rf"(?i){START}(?:lr|learning[_ ]rate){SEP}{NUM}"
_ACCURATE: Final = (
    r"(?i)acc(?:uracy)?[\x22']?(?:@1|[_-]?top-?1)?[\x22']?[:= ]|top-?1[\x22']?[:= ]|exactitude|genauigkeit"
)
"""Words of lines that may tell an accuracy."""
KEYS: Final = ("node", "capture", "source", "task", "rank")
_BASE: Final = ("node", "capture", "source", "task", "stream", "rank", "rank_by", "seq", "ts_ns", "offset")


@cache
def no_steps() -> pl.DataFrame:
    """What ``progress`` gives of a store without any."""
    schema = {name: dtype for name, dtype in stored_schema("fact_steps").items() if name not in {"seq", "attempt"}}
    extra = {"capture": pl.String, "speaker": pl.String, "task": pl.Int64, "sub": pl.Int64, "back": pl.Boolean}
    extra["nan_part"] = pl.Boolean
    return pl.DataFrame(schema={**schema, **extra})


def as_steps(frame: pl.DataFrame, kind: Kind, framework: str | pl.Expr, **columns: pl.Expr) -> pl.DataFrame:
    """Rows of ``fact_steps``, one of each line of ``frame``, with ``columns`` as they are read of it."""
    if frame.is_empty():  # as for most readers of most logs: a dozen patterns need not be made ready for nothing
        return no_steps()
    values = {"sub": pl.lit(0, pl.Int64), **columns}
    return frame.select(
        *(name for name in _BASE if name not in {"seq", "stream"}),
        "speaker",
        pl.col("seq").alias("line_seq"),
        pl.lit(str(kind)).alias("kind"),
        (pl.lit(framework) if isinstance(framework, str) else framework).alias("framework"),
        **values,
    )


@cache
def number_of(regex: str, group: int = 1) -> pl.Expr:
    """The number a regex finds; NaN and infinity kept, thousands separators dropped."""
    return parsed(pl.col("text").str.extract(regex, group))


def parsed(number: pl.Expr) -> pl.Expr:
    """A number as a line writes it; thousands separators dropped."""
    return number.str.replace_many(_AS_WRITTEN).cast(pl.Float64, strict=False)


_AS_WRITTEN: Final = {",": "", "_": "", **{f"{digit}f": f"{digit}e" for digit in range(10)}}
"""Separators, and the exponent of Julia's numbers of 32 bits: 2.5f-5."""


@cache
def first_number(regex: str, groups: int) -> pl.Expr:
    """The number of whichever group took part."""
    found = pl.col("text").str.extract_groups(regex).struct
    return parsed(pl.coalesce(*(found.field(str(group)) for group in range(1, groups + 1))))


def where(rows: pl.DataFrame, words: str, **columns: pl.Expr) -> dict[str, pl.Expr]:
    """``columns``, where any row holds one of ``words``: what nobody prints need not be looked for twice."""
    return columns if rows["text"].str.contains(words).any() else {}


def accuracies(rows: pl.DataFrame) -> dict[str, pl.Expr]:
    """What share of answers was right, where rows tell; in per cent where any of a source is above 1."""
    told = parsed(pl.col("text").str.extract(_ACCURACY).str.strip_chars(" %"))
    parts = pl.when((told > 1).any().over("node", "capture", "source")).then(100.0).otherwise(1.0)
    return where(rows, _ACCURATE, accuracy=told / parts)


@cache
def integer_of(regex: str, group: int = 1) -> pl.Expr:
    """The count a regex finds."""
    return pl.col("text").str.extract(regex, group).cast(pl.Int64, strict=False)
