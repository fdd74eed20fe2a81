"""Logs that quote logs: a program that reads or writes them prints how other runs ended.

A run ends once. A source in which two different ends are each stated again, word for word and apart from each other,
states them of others: what it says so, and whatever else is said of an end before its last lines, is a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Place = tuple[str, str, str | None]

_ENDS: Final = {
    Kind.TIME_LIMIT: "limit",
    Kind.PREEMPTED: "preempted",
    Kind.NODE_FAILURE: "node",
    Kind.COLLECTIVE_TIMEOUT: "freeze",
    Kind.WATCHDOG_STUCK: "freeze",
    Kind.OOM_KILLER: "memory",
    Kind.CGROUP_OOM: "memory",
    Kind.SLURM_OOM: "memory",
    Kind.CUDA_OOM: "gpu memory",
    Kind.XID: "gpu",
    Kind.GPU_LOST: "gpu",
    Kind.ECC_ERROR: "gpu",
    Kind.SEGFAULT: "crash",
    Kind.LAUNCHER_FAILURE: "launcher",
}
"""Kinds that tell of an end, and of which one."""
_NO_STATEMENT: Final = frozenset(
    {Kind.BANNER, Kind.TRAINING_BEGIN, Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN, Kind.EVAL, Kind.NEXT_RUN}
)
_DIGITS: Final = 4
"""Digits of a line that names an instant, a process or a place in an order, which no two ends share."""
_APART: Final = 2
_LAST_LINES: Final = 3


def quoting(events: Iterable[dict[str, Any]]) -> frozenset[Place]:
    """Sources in which two different ends are stated more than once, word for word."""
    said: dict[tuple[Place, str, str], list[int]] = {}
    for event in events:
        end, text = _ENDS.get(event["kind"]), str(event["text"])
        if end and event["source"] != "kernel_log" and sum(map(str.isdigit, text)) >= _DIGITS:
            said.setdefault((_place(event), end, text), []).append(event["line_seq"])
    again: dict[Place, set[str]] = {}
    for (place, end, _), lines in said.items():
        if max(lines) - min(lines) >= _APART and len(set(lines)) > 1:
            again.setdefault(place, set()).add(end)
    return frozenset(place for place, ends in again.items() if len(ends) > 1)


def without_quotations(
    events: list[dict[str, Any]], places: frozenset[Place], last: Mapping[Place, int]
) -> list[dict[str, Any]]:
    """``events`` without what sources at ``places`` say of others: all but phases, and the unique at their very end."""
    if not places:
        return events
    counts: dict[tuple[Place, str], int] = {}
    for event in events:
        key = _place(event), str(event["text"])
        counts[key] = counts.get(key, 0) + 1
    return [
        event
        for event in events
        if (place := _place(event)) not in places
        or event["kind"] in _NO_STATEMENT
        or (at_the_end(event["line_seq"], last.get(place)) and counts[place, str(event["text"])] == 1)
    ]


def at_the_end(line: int, last: int | None) -> bool:
    """Whether a line is among the last ones of its source."""
    return last is None or last - line < _LAST_LINES


def _place(event: dict[str, Any]) -> Place:
    return event["node"], event["capture"], event["source"]
