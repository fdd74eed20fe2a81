"""How much the last report tells of how much, in units of its own, where nothing counts them otherwise."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve_doubts import A_FEW
from inquest.analyze.families._report_lines import report_blocks

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._rows import Row


@dataclass(frozen=True, slots=True)
class OfHowMuch:
    """Two numbers of the last report, the first of which grows from report to report, and the second never changes."""

    have: float
    want: float
    unit: str
    """The word right before them, in small letters; empty where none stands there."""


def of_how_much(ev: Evidence, losses: Curve) -> OfHowMuch | None:
    """The first such pair of the last report; None where reports are few, or one of them tells no such pair."""
    texts = report_blocks(ev, losses)
    if len(texts) < A_FEW:
        return None
    found = [
        [OfHowMuch(_amount(have), _amount(want), unit.lower()) for unit, have, want in _PAIR.findall(text)]
        for text in texts
    ]
    pairs: list[tuple[OfHowMuch, ...]] = list(zip(*found, strict=False))
    for told in pairs:
        if all(low.have < high.have and low.want == high.want for low, high in itertools.pairwise(told)):
            return told[-1]
    return None


def last_line(ev: Evidence, losses: Curve) -> Row | None:
    """The line of ``log_lines`` that is the last report of a curve."""
    told = losses.frame.filter(pl.col("line_seq").is_not_null())
    if told.is_empty() or not ev.has("log_lines"):
        return None
    last = told.row(-1, named=True)
    lines = ev.scan("log_lines").filter(same_stream(last) & (pl.col("seq") == last["line_seq"])).collect()
    return None if lines.is_empty() else lines.row(0, named=True)


_PAIR: Final = re.compile(
    r"(?i)(?:\b([a-z]{2,16})[ :=#]{1,3}\[?)?(?<![\d.,/:-])(\d[\d,]*(?:\.\d+)?[kmb]?)(?: ?[a-z]{2,10})? ?"
    r"(?:/|\bout of\b|\bof\b|\bvon\b|\bsur\b) ?(\d[\d,]*(?:\.\d+)?[kmb]?)\b(?![/:.]\d)"
)


def _amount(text: str) -> float:
    """A number with thousands set apart, or in them."""
    plain = text.replace(",", "").lower()
    return float(plain.rstrip("kmb")) * {"k": 1e3, "m": 1e6, "b": 1e9}.get(plain[-1], 1)
