"""Lightning's own profile of a fit: every action of its loops with its calls and its seconds, once, at the end.

Source: lightning/pytorch/profilers/simple.py (``SimpleProfiler.summary``, extended).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI
from inquest.bundle.timers import DATA, SAVE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_LINE: Final = (
    r"^\|  (?P<action>\S.{0,400}?)\s+\|  (?P<mean>[\d.e+-]{1,16}|-)\s+\|  (?P<calls>\d{1,12})\s+\|"
    r"  (?P<total>[\d.e+-]{1,16})\s+\|  (?P<share>[\d.e+-]{1,16})(?: %)?\s+\|\s*$"
)
_ROW: Final = re.compile(_LINE)
_MOST: Final = 2000
_ACTIONS: Final = {
    SAVE: re.compile(r"^save_checkpoint$|\bModelCheckpoint\b.*\.on_(?:train_batch|train_epoch|validation)_end$"),
    DATA: re.compile(r"\btrain_dataloader_next$"),
}
"""What an action is called that is a part of each step and no computing: a callback that saves does it in its hooks."""


def profiled(ev: Evidence) -> dict[str, tuple[int, float, float, Row]]:
    """By clock of a step: calls, share of the whole, seconds in all, and the line that tells it.

    Empty without a profile; of several the last one counts.
    """
    if not ev.has("log_lines"):
        return {}
    text = pl.col("text").fill_null("").str.replace_all(ANSI, "")
    lines = ev.scan("log_lines").filter(text.str.contains(_LINE)).sort("node", "source", "seq").tail(_MOST)
    whole = 0.0
    found: dict[str, tuple[int, float, float, Row]] = {}
    for row in lines.with_columns(plain=text).collect().iter_rows(named=True):
        if (told := _ROW.match(str(row["plain"]))) is None:
            continue
        seconds = float(told["total"])
        if told["action"] == "Total":
            whole, found = seconds, {}
        for column, action in _ACTIONS.items():
            if whole > 0 and action.search(told["action"]) and seconds > found.get(column, _NONE)[2]:
                found[column] = (int(told["calls"]), seconds / whole, seconds, row)
    return found


_NONE: Final = (0, 0.0, -1.0, None)
