"""Losses that no line calls so: ``iter 015 train 1.66 val 1.70``, and criteria by names of their own that are all NaN.

What such a number is, its line does not say. A training value beside a validation value is read as a loss where it
falls from above 1, as no share of right answers does; of other names only that all of them turned into NaN, for good.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.bundle.store import Store

GATE: Final = r"[tT]ra?i?n[ :=]{1,2}\d|[ =]nan\b|[ =]NaN\b|[ ,|][lL][:=]"
"""Lines that can hold one."""
_NAMED: Final = r"(?i)loss|acc(?:uracy)?\b|\bf1\b|\bauc\b|\berr(?:or)?\b|score|bleu|rouge|reward|map\b|iou\b|top-?\d"
"""What names a value of another kind, or is read elsewhere."""
_NUMBER: Final = r"(-?(?:nan|NaN|inf|\d{1,12}(?:\.\d{1,12})?(?:[eE][+-]?\d{1,3})?))"
_VALUE: Final = re.compile(rf"([A-Za-z_][\w/.-]{{0,30}}?)(?:\s?[:=]\s?|\s)\[?{_NUMBER}(?=[\s,;|\])}}]|$)")
_TRAIN: Final = r"(?i)(?:^|[\s,;|(])(?:train|training|trn|tr)(?:\s?[:=]\s?|\s)"
_VALIDATION: Final = r"(?i)(?:^|[\s,;|(])(?:val|valid|validation|test|dev)(?:\s?[:=]\s?|\s)"
_STEP: Final = re.compile(r"(?i)(?:step|iter|iteration|it|epoch|ep|batch|update|round)$")
_COUNT: Final = re.compile(r"(?i)(?:^|[\s\[(])(?:step|iter(?:ation)?|it|epoch|ep|update|round)[ :=#]{0,2}(\d{1,12})\b")
_OF: Final = re.compile(r"^\s?(?:/|of) ?(\d{1,12})\b")
_JUDGES: Final = re.compile(r"(?i)(?:wer|cer|per|ter|eer)$")
"""Rates of errors that stand beside a pair."""
BESIDE: Final = re.compile(
    r"(?i)(?:.*[_/])?(?:lr|rate|time|eta|sec|secs|s|ms|dt|mem|memory|gpu|tok\w*|img\w*|samples?|speed|scale|rank|beta|temp|took|elapsed|wd|mfu)$"
)
"""Names of what is told beside a loss."""
CRITERION: Final = re.compile(
    r"(?i)(?:.*[_/])?(?:l1|l2|mse|mae|rmse|ssim|lpips|psnr|b?ce|kld?|kl_?div|recon\w*|rec|dice|focal|tv|percep\w*|vgg|gp"
    r"|huber|smooth_?l1|charb\w*|nll|elbo|nelbo|vq|commit\w*|hinge|triplet|cos|ctc|giou|box|cls|obj|dfl)$"
)
"""Names of criteria."""
_BEFORE: Final = 3
"""Finite lines of the same form, or values of a pair, that show what it told before."""
_HIGHEST: Final = 20.0
"""A share of right answers in per cent that falls is above it, where it means anything."""
_LINES: Final = 20_000


def unnamed_losses(store: Store, lines: pl.DataFrame) -> pl.DataFrame:
    """Those of ``lines`` that tell such a loss, with ``step``, ``total_steps``, ``loss`` and ``eval_loss``."""
    text = pl.col("text")
    told = lines.filter(text.str.contains(GATE) & ~text.str.contains(_NAMED)).tail(_LINES)
    if told.is_empty():
        return told
    pairs = told.filter(text.str.contains(_TRAIN) & text.str.contains(_VALIDATION))
    lost = told.filter(text.str.contains(r"(?i)[ =]nan\b.*[ =]nan\b"))
    parts = []
    letters = told.filter(text.str.contains(_LETTERS))
    for rows, read in ((pairs, _pairs), (lost, _lost), (letters, _letters)):
        for _, group in rows.group_by("node", "capture", "source", "rank", maintain_order=True):
            found = read(store, group.sort("seq"))
            if found:
                parts.append(pl.DataFrame(found, schema=READ | {"eval_loss": pl.Float64}, orient="row"))
    if not parts:
        return told.clear()
    read_lines = pl.concat(parts).unique(["node", "capture", "seq"], keep="first", maintain_order=True)
    return lines.join(read_lines, on=["node", "capture", "seq"], how="inner", maintain_order="left")


READ: Final = {
    "node": pl.String,
    "capture": pl.String,
    "seq": pl.Int64,
    "step": pl.Int64,
    "total_steps": pl.Int64,
    "loss": pl.Float64,
}
"""What is read of a line, and which it is."""


def _pairs(store: Store, group: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Values of training and validation that fall, to the end or to NaN."""
    del store
    found = []
    for row in group.iter_rows(named=True):
        values = dict(_VALUE.findall(row["text"]))
        train = _one(values, r"train|training|trn|tr")
        validation = _one(values, r"val|valid|validation|test|dev")
        told = (name for name in values if not _STEP.match(name) and not BESIDE.match(name))
        rest = [name for name in told if not _JUDGES.match(name)]
        count = _counted(row["text"])
        if train is not None and validation is not None and len(rest) == 2 and count is not None:
            found.append((row["node"], row["capture"], row["seq"], *count, train, validation))
    finite = [row[5] for row in found if row[5] == row[5] and abs(row[5]) != float("inf")]
    third = len(finite) // 3
    if third < 1 or finite[0] <= 1 or max(finite) > _HIGHEST or min(finite) < 0:
        return []
    falls = sorted(finite[-third:])[third // 2] < sorted(finite[:third])[third // 2]
    return found if falls else []


def _lost(store: Store, group: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Lines of criteria that are all NaN, after lines of the same form in which they were numbers, and before none."""
    found = []
    names: tuple[str, ...] | None = None
    for row in group.iter_rows(named=True):
        values = _VALUE.findall(row["text"])
        mine = tuple(name for name, value in values if value.lower() == "nan" and not BESIDE.match(name))
        others = [n for n, v in values if v.lower() != "nan" and not _STEP.match(n) and not BESIDE.match(n)]
        count = _counted(row["text"])
        if len(mine) > 1 and not others and count is not None and any(map(CRITERION.match, mine)):
            if names is None:
                names = mine
            if mine == names:
                found.append((row["node"], row["capture"], row["seq"], *count, float("nan"), None))
    if names is None:
        return []
    first = group.row(0, named=True)
    form = r"[^\n]*?".join(rf"\b{re.escape(name)}(?:\s?[:=]\s?|\s)-?\d[\d.]*" for name in names)
    numbers = (
        store.scan("log_lines")
        .filter(
            pl.col("node") == first["node"],
            pl.col("capture") == first["capture"],
            pl.col("source").eq_missing(pl.lit(first["source"])),
            pl.col("text").str.contains(form),
        )
        .select(before=(pl.col("seq") < found[0][2]).sum(), after=(pl.col("seq") > found[0][2]).sum())
        .collect()
    )
    before, after = numbers.row(0)
    return found if before >= _BEFORE and not after else []


def _letters(store: Store, group: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Values called ``L`` or ``l`` beside a count called by one letter, which rises but for a few restarts."""
    del store
    values = pl.col("text").str.extract_groups(_LETTERS).struct
    rows = group.with_columns(
        step=values.field("1").cast(pl.Int64, strict=False), loss=values.field("2").cast(pl.Float64, strict=False)
    ).drop_nulls("step")
    apart = rows["step"].diff().drop_nulls()
    again = int((apart <= 0).sum())  # a run that is restarted
    if rows.height < _LETTERED or again * _LETTERED > rows.height or rows["loss"].is_null().any():
        return []
    # A small letter may be a length or a latency: a loss of one falls, to the end or to NaN.
    finite, third = rows["loss"].filter(rows["loss"].is_finite()), rows.height // 3
    levels = [part.median() for part in (finite.head(third), finite.tail(third))]
    falls = all(isinstance(level, float) for level in levels) and levels[1] < levels[0]  # type: ignore[operator]
    if rows["text"].str.contains(_SMALL).all() and not falls:
        return []
    place = ("node", "capture", "seq")
    return [(*at, step, None, loss, None) for *at, step, loss in rows.select(*place, "step", "loss").rows()]


_LETTERS: Final = (
    r"(?:^|[\s,;|\[(])[a-z][:=] ?(\d{1,12})(?:[\s,;|/\])].{0,120}?)?[\s,;|\])][lL][:=] ?"
    r"(-?(?:nan|inf|\d{1,9}\.\d{1,12}(?:[eE][+-]?\d{1,3})?))(?:[\s,;|)\]]|$)"
)
_SMALL: Final = r"[\s,;|\])]l[:=]"
_LETTERED: Final = 10


def _one(values: dict[str, str], names: str) -> float | None:
    told = [value for name, value in values.items() if re.fullmatch(f"(?i){names}", name)]
    return float(told[0]) if len(told) == 1 and ("." in told[0] or told[0].lower() == "nan") else None


def _counted(text: str) -> tuple[int, int | None] | None:
    found = _COUNT.search(text)
    if found is None:
        return None
    of = _OF.match(text[found.end() :])
    return int(found[1]), int(of[1]) if of else None
