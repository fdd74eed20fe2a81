"""Which ranks Horovod's stall inspector waits for: a list below its warning, one line a rank, in no line of its own.

Form: horovod/common/stall_inspector.cc, ``Missing ranks:`` and lines ``3: [tensor, ...]`` (``3!:`` where it shuts the
job down); before 0.18 ``Stalled ops:`` and lines ``tensor [missing ranks: 3, 5]``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI, around

if TYPE_CHECKING:
    from inquest.bundle.store import Store

STALL: Final = "horovod.stall"
"""The pattern of the warning."""
_LINES: Final = 400
"""Lines below a warning that its list may take; ranks that write at the same time put theirs between."""
_WARNINGS: Final = 50
_TAG: Final = re.compile(r"^\[(?:[\w.-]{1,80}@)?\d{1,9},\d{1,5}\]<std(?:out|err)>: ?")
_HEAD: Final = "Missing ranks:"
_RANK: Final = re.compile(r"(\d{1,6})!?: \[")
_OLD: Final = re.compile(r"\[missing ranks: (\d[\d, ]*)\]")


def name_late_ranks(store: Store, events: list[dict[str, Any]]) -> None:
    """Put the ranks that a warning lists into its ``subject``; the last warnings tell, and all before are alike."""
    warnings = [event for event in events if event["pattern"] == STALL][-_WARNINGS:]
    if not warnings:
        return
    starts = pl.DataFrame(
        [{"node": event["node"], "capture": event["capture"], "seq": event["line_seq"]} for event in warnings]
    )
    near = around(store, starts, _LINES, before=0).with_columns(pl.col("text").str.replace_all(ANSI, ""))
    lines: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for node, capture, seq, text in near.select("node", "capture", "seq", "text").iter_rows():
        lines.setdefault((node, capture), []).append((seq, text or ""))
    for event in warnings:
        below = [text for seq, text in lines.get((event["node"], event["capture"]), ()) if seq > event["line_seq"]]
        if late := _listed(below[:_LINES]):
            event["subject"] = ", ".join(map(str, sorted(late)))


def _listed(below: list[str]) -> set[int]:
    late: set[int] = set()
    begun = False
    for line in below:
        text = _TAG.sub("", line)
        if old := _OLD.search(text):
            late |= {int(number) for number in re.findall(r"\d+", old[1])}
        elif text.startswith(_HEAD):
            if begun:
                break
            begun = True
        elif begun and (found := _RANK.match(text)):
            late.add(int(found[1]))
        elif begun and late:
            break
    return late
