"""What an error was that nobody caught, where the line that tells of the end does not say: lines beside it do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.reader import around, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.reader import Line
    from inquest.bundle.store import Store

_ABOVE: Final = 40
_BELOW: Final = 3
_EVENTS: Final = 50
_TELLS: Final = {
    "runtime.node": (-1, re.compile(r"(?:Uncaught )?(?:\w+Error|Error)\b.*")),
    "runtime.r_halted": (-1, re.compile(r"Error\b.{0,300}:.*")),
    "runtime.stack_below": (-1, re.compile(r"(?!\s|error: called)\S.{0,300}: \S.*")),
    "runtime.matlab": (1, re.compile(r"(?!\s)\S.*")),
    "runtime.rust_panic": (1, re.compile(r"(?!note: )\S.*")),
}
"""Patterns, whether to look above or below, and what the line that says it looks like."""


def name_uncaught(store: Store, events: list[dict[str, Any]]) -> None:
    """Put the words of the nearest telling line into ``text``, before those of the line itself where both tell."""
    unnamed = [event for event in events if event["pattern"] in _TELLS][-_EVENTS:]
    if not unnamed:
        return
    starts = pl.DataFrame(
        [{"node": event["node"], "capture": event["capture"], "seq": event["line_seq"]} for event in unnamed]
    )
    lines = list(read(around(store, starts, _BELOW + 1, before=_ABOVE)))
    for event in unnamed:
        way, form = _TELLS[event["pattern"]]
        if said := _nearest(lines, event, way, form):
            event["text"] = said if way < 0 else f"{event['text']} {said}"[:2000]


def _nearest(lines: Iterable[Line], event: dict[str, Any], way: int, form: re.Pattern[str]) -> str | None:
    mine = [
        line
        for line in lines
        if (line.node, line.capture, line.source) == (event["node"], event["capture"], event["source"])
        and 0 < (line.seq - event["line_seq"]) * way <= (_ABOVE if way < 0 else _BELOW)
        and form.match(line.text)
    ]
    found = min(mine, key=lambda line: abs(line.seq - event["line_seq"]), default=None)
    return None if found is None else found.text[:1000]
