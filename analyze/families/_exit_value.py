"""The value that Python prints where a program gives something else than a number to ``sys.exit``: its status is 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_VALUE: Final = (
    r"^(?:\{'[^{}]{1,2000}\}|\{\d[^{}]{1,2000}\}|\[[^\[\]]{1,2000}\]|\([^()]{0,1000},[^()]{0,1000}\)|-?\d{1,12}\.\d{1,20}"
    r"|(?:tensor|np\.float\d\d)\([^()]{1,200}\))\s*$"
)
"""Dictionaries, lists, tuples and fractions as Python prints them; of whole numbers none is printed."""


def value_at_exit(ev: Evidence) -> str | None:
    """The last line of an output where it is a value, and the only line of that output that is one; None elsewhere."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("")
    said = ev.scan("log_lines").filter(text.str.strip_chars() != "").sort("seq")
    ends = said.group_by("node", "source", maintain_order=True).agg(
        text.last().alias("last"), text.str.contains(_VALUE).sum().alias("values")
    )
    told = ends.filter((pl.col("values") == 1) & pl.col("last").str.contains(_VALUE)).collect()
    return None if told.is_empty() else str(told.sort("node", "source")["last"][0]).strip()
