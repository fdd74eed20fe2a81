"""The lines of a curve's reports, read again for what stands beside the loss."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve

MOST_READ: Final = 2000
"""Reports that are read again at the most."""
_READ: Final = 80
"""Reports at the end that tell how far it came."""
_INDENTED: Final = 12
"""Lines below a report that may belong to it."""


def report_lines(ev: Evidence, losses: Curve) -> list[str]:
    """The lines from the first of the last reports on that are read again, in their order."""
    told = losses.frame["line_seq"].drop_nulls().tail(MOST_READ)
    if told.is_empty() or not ev.has("log_lines"):
        return []
    row = losses.frame.row(-1, named=True)
    place = (pl.col("node") == row["node"]) & pl.col("source").eq_missing(pl.lit(row["source"], dtype=pl.String))
    lines = ev.scan("log_lines").filter(place & (pl.col("seq") >= told.min())).sort("seq")
    text = pl.col("text").fill_null("").str.slice(0, 1000)
    return lines.select(text).head(_INDENTED * MOST_READ).collect()["text"].to_list()


def report_blocks(ev: Evidence, losses: Curve, read: int = _READ) -> list[str]:
    """The lines of the last reports, each with the indented ones below it; none of bars in one line."""
    told = losses.frame.filter(pl.col("line_seq").is_not_null()).tail(read)
    if told.is_empty() or told["line_seq"].is_duplicated().any() or not ev.has("log_lines"):
        return []
    row = told.row(-1, named=True)
    place = (pl.col("node") == row["node"]) & pl.col("source").eq_missing(pl.lit(row["source"], dtype=pl.String))
    first, last = told["line_seq"].min(), told["line_seq"].max()
    near = place & (pl.col("seq") >= first) & (pl.col("seq") <= last + _INDENTED)  # type: ignore[operator]
    lines = ev.scan("log_lines").filter(near).sort("seq").select("seq", pl.col("text").str.slice(0, 1000)).collect()
    lines = lines.tail(_INDENTED * read)
    heads, blocks = set(told["line_seq"].to_list()), []
    for seq, text in lines.iter_rows():
        if seq in heads:
            blocks.append(text or "")
        elif blocks and (text or "")[:1].isspace():
            blocks[-1] += f" {text}"
    return blocks


def named_values(ev: Evidence, losses: Curve, what: str) -> dict[str, list[float]]:
    """What stands beside the losses by names of a kind, in a text or in a tracker's table."""
    told: dict[str, list[float]] = {}
    if losses.store == "metrics" and ev.has("metrics"):
        source = losses.frame["source"][0]
        mine = ev.scan("metrics").filter(pl.col("source").eq_missing(pl.lit(source, dtype=pl.String)))
        mine = mine.filter(pl.col("value").is_finite() & pl.col("name").str.contains(rf"(?i)^(?:{what})$"))
        rows = mine.sort("name", "step", "seq", nulls_last=True).select("name", "value").head(MOST_READ).collect()
        for name, value in rows.iter_rows():
            told.setdefault(name, []).append(value)
        return told
    # COCO's ``(AP) @[ IoU=0.50:0.95 | area=   all ]`` says at what it measures.
    find = re.compile(
        rf"(?i)(?<!@\[ )(?<![\w@/+])({what})[\"']?"
        rf"\s*(?:[:=]\s*)?[\"']?(-?\d{{1,9}}(?:[.,]\d{{1,12}})?(?:e[+-]?\d{{1,3}})?)(?![\w.]|,\d)"
    )
    for text in report_blocks(ev, losses, MOST_READ):
        for name, value in find.findall(SUMMED.sub("", text)):
            told.setdefault(name, []).append(float(value.replace(",", ".")))
    return told


_TERM: Final = r"\s{0,4}[^\W\d][\w/-]{0,30}\s{0,4}[:=]?\s{0,4}\d{1,9}(?:[.,]\d{1,12})?\s{0,4}"
SUMMED: Final = re.compile(rf"\({_TERM}(?:\+{_TERM}){{1,8}}\)")
"""What a loss is the sum of, behind it: ``(dice 0.2510 + ce 0.1412)``. A Dice among its terms is one to go down."""
