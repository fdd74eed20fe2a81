"""What an error was, or whose limit ended, where the line that tells of it does not say: lines beside it do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import around, read
from inquest.analyze.logs.registry.sweeps import CALL
from inquest.analyze.programs import TRAINS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.exits import Exit
    from inquest.analyze.logs.reader import Line
    from inquest.bundle.store import Store

_ABOVE: Final = 40
_BELOW: Final = 3
_EVENTS: Final = 50
_REFUSALS: Final = {
    "python.argparse_own": (r"usage: (?:\S{{0,200}}/)?{subject}(?:\s|$)", 1),
    "python.usage_click_own": (r"Usage: \S|Try '.{{1,120}}' for help\.", 2),
    "python.usage_framed": (r"Usage: \S|Try '.{{1,120}}' for help\.", 2),
}
"""Patterns by whose words any program may speak, what stands above where it is a parser that refuses, and how often."""
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


_FRAMED: Final = re.compile("\u2502 +\\S")
_FRAME: Final = "\u2502 "


def refused(store: Store, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``events``, of words that any program may say those alone that a parser of command lines says below its usage.

    argparse and click print whatever the program hands to their ``error``, in the same form.
    """
    asked = [event for event in events if event["pattern"] in _REFUSALS][-_EVENTS:]
    others = [event for event in events if event["pattern"] not in _REFUSALS]
    if not asked:
        return others
    starts = pl.DataFrame(
        [{"node": event["node"], "capture": event["capture"], "seq": event["line_seq"]} for event in asked]
    )
    lines = list(read(around(store, starts, _BELOW + 1, before=_ABOVE)))
    confirmed = []
    for event in asked:
        form, times = _REFUSALS[event["pattern"]]
        words = re.compile(form.format(subject=re.escape(str(event["subject"]))))
        above = (
            line
            for line in lines
            if (line.node, line.capture, line.source) == (event["node"], event["capture"], event["source"])
            and 0 < event["line_seq"] - line.seq <= _ABOVE
            and words.match(line.text)
        )
        if len(list(above)) >= times:
            framed = _nearest(lines, event, 1, _FRAMED) if event["pattern"] == "python.usage_framed" else None
            confirmed.append(event if framed is None else {**event, "text": f"Error: {framed.strip(_FRAME)}"})
    return others + confirmed


_TIMED: Final = re.compile(r"timeout: sending signal \w{3,7} to command .(?P<command>.{1,300}).$")
_GOES_ON: Final = re.compile(
    r"(?i)\b(?:skipp(?:ed|ing)|continuing|(?:go(?:es|ing)?|carry(?:ing)?) on|proceeding|ignor(?:ed|ing)|anyway"
    r"|without (?:it|them))\b"
)
"""What a script says that does without a command."""
_REPORTS: Final = 3


def without_helpers(store: Store, events: list[dict[str, Any]], steps: pl.DataFrame) -> list[dict[str, Any]]:
    """``events`` without limits at which timeout(1) ended a command that does not train by its name.

    The script says right below that it goes on, or all of several reports stand below.
    """
    limits = [event for event in events if event["kind"] == Kind.TIME_LIMIT and _is_a_helpers(event["text"])]
    if not limits:
        return events
    starts = [{"node": event["node"], "capture": event["capture"], "seq": event["line_seq"]} for event in limits]
    lines = list(read(around(store, pl.DataFrame(starts), _BELOW + 1, before=-1)))
    helpers = {
        id(event)
        for event in limits
        if _nearest(lines, event, 1, _GOES_ON, anywhere=True) is not None or _precedes_all(event, steps)
    }
    return [event for event in events if id(event) not in helpers]


def _is_a_helpers(text: str) -> bool:
    told = _TIMED.search(text)
    return told is not None and not TRAINS.search(told["command"]) and not _OF_ANYTHING.search(told["command"])


_OF_ANYTHING: Final = re.compile(
    r"(?:^|/)(?:python|pypy|ipython|bash|dash|sh|zsh|fish|env|nice|nohup|stdbuf|sudo|time|conda|micromamba|uv|poetry|pixi|docker|podman"
    r"|apptainer|singularity|enroot|julia|Rscript|R|perl|ruby|node|java|make|mpiexec|prterun|horovodrun|jsrun|flux|ray"
    r"|papermill|jupyter|xvfb-run|numactl|taskset|strace|nsys|ncu)[\d.]{0,8}$"
)
"""What runs a program that timeout(1) does not name."""


def _precedes_all(event: dict[str, Any], steps: pl.DataFrame) -> bool:
    place = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(event[name])) for name in ("node", "capture", "source"))
    told = steps.filter(place)["line_seq"]
    return len(told) >= _REPORTS and bool((told > event["line_seq"]).all())


_COMMAND: Final = re.compile(
    r"\S {2,}(?!\d{1,9} [A-Z])(?:\([^)]{1,40}\) +)?(?P<command>[^\s|&;<>()]{1,300})(?P<rest>.{0,2000})"
)
"""The command behind the words by which a shell tells how it ended."""
_VICTIM: Final = re.compile(r"Killed process \d{1,9} \((?P<name>[^()]{1,40})\)")
_OF_THE_JOB: Final = re.compile(r"(?i)python|^pt_|torch|ray|node|java|julia|\.out$|^MainThread")
"""Names that processes of trainings bear in the kernel's log."""


def without_the_dead_before(store: Store, ends: list[Exit], steps: pl.DataFrame) -> list[Exit]:
    """``ends`` without those of others that stand above all a training reported.

    A shell's word on a command that does not train by its name, below which the script may also say that it goes on
    without, or on one that it does not name and that began anew; the kernel's, in the text of a log, on a program of
    another name; and srun's on tasks of a step before.
    """
    others = [
        end
        for end in ends
        if end.said_by == "slurm"
        or (end.rank is None and end.line.source != "kernel_log" and (_is_of_another(end) or _names_no_command(end)))
    ]
    if not others:
        return ends
    starts = [{"node": end.line.node, "capture": end.line.capture, "seq": end.line.seq} for end in others]
    lines = list(read(around(store, pl.DataFrame(starts), _BELOW + 1, before=-1)))
    before = {
        id(end)
        for end in others
        if (_precedes_all(end.line.where, steps) and (not _names_no_command(end) or _began_anew(store, end)))
        or (_names_no_command(end) and _called_below(lines, end) and _precedes_any(end.line.where, steps))
        or (end.said_by == "kernel" and _is_nowhere_else(store, end))
        or (end.said_by == "shell" and _nearest(lines, end.line.where, 1, _GOES_ON, anywhere=True) is not None)
    }
    return [end for end in ends if id(end) not in before]


def is_told_by(end: Exit, event: dict[str, Any]) -> bool:
    """Whether an event is that very end, or what a program that aborted printed right above a shell's word on it."""
    if (event["node"], event["capture"], event["source"]) != (end.line.node, end.line.capture, end.line.source):
        return False
    above = end.line.seq - event["line_seq"]
    return above == 0 or (end.said_by == "shell" and event["kind"] == Kind.ABORT and 0 < above <= _ABOVE)


def _is_of_another(end: Exit) -> bool:
    if end.said_by == "kernel":
        victim = _VICTIM.search(end.line.text)
        return victim is not None and not _OF_THE_JOB.search(victim["name"]) and not TRAINS.search(victim["name"])
    told = _COMMAND.search(end.line.text) if end.said_by == "shell" else None
    if told is None or _OF_ANYTHING.search(told["command"]):
        return False
    return not TRAINS.search(told["command"] + told["rest"])  # "setsid torchrun"


def _names_no_command(end: Exit) -> bool:
    return end.said_by == "shell" and _COMMAND.search(end.line.text) is None


def _called_below(lines: Iterable[Line], end: Exit) -> bool:
    """Whether a shell calls the next program right below."""
    place = end.line.place[:3]
    return any(
        line.place[:3] == place and 0 < line.seq - end.line.seq <= _BELOW and CALL.match(line.text) is not None
        for line in lines
    )


def _precedes_any(event: dict[str, Any], steps: pl.DataFrame) -> bool:
    place = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(event[name])) for name in ("node", "capture", "source"))
    return steps.filter(place & (pl.col("line_seq") < event["line_seq"])).is_empty()


def _began_anew(store: Store, end: Exit) -> bool:
    """Whether a shell's word names no command, and what stands first in the log stands there again right below it."""
    if not _names_no_command(end):
        return False
    place = {"node": end.line.node, "capture": end.line.capture, "source": end.line.source}
    here = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(value, pl.String)) for name, value in place.items())
    lines = store.scan("log_lines").filter(here).sort("seq")
    first = lines.head(_HEAD).collect()
    below = lines.filter(pl.col("seq") > end.line.seq).head(_HEAD).collect()
    heads, again = ([_NUMBER.sub("#", text or "").strip() for text in part["text"]] for part in (first, below))
    told = {text for text in heads[: max(0, int((first["seq"] < end.line.seq).sum()))] if len(text) > _A_WORD}
    return len(told.intersection(again)) >= _REPORTS


_HEAD: Final = 20
_NUMBER: Final = re.compile(r"\d+")
_A_WORD: Final = 8


def _is_nowhere_else(store: Store, end: Exit) -> bool:
    """Whether the program that the kernel killed is named by nobody else: no command line, no program's own words."""
    victim = _VICTIM.search(end.line.text)
    if victim is None:
        return False
    text = pl.col("text")
    named = store.scan("log_lines").filter(text.str.contains(victim["name"], literal=True))
    others = named.filter(~text.str.contains(_KERNELS)).select(pl.len()).collect(engine="streaming").item()
    return int(others) == 0


_KERNELS: Final = r"Killed? process \d|invoked oom-killer|oom-kill:|oom_reaper|task=|\[ *\d+\] +\d+ +\d+ "
"""What the kernel itself says of those it chooses from."""


def _nearest(
    lines: Iterable[Line], event: dict[str, Any], way: int, form: re.Pattern[str], *, anywhere: bool = False
) -> str | None:
    mine = [
        line
        for line in lines
        if (line.node, line.capture, line.source) == (event["node"], event["capture"], event["source"])
        and 0 < (line.seq - event["line_seq"]) * way <= (_ABOVE if way < 0 else _BELOW)
        and (form.search(line.text) if anywhere else form.match(line.text))
    ]
    found = min(mine, key=lambda line: abs(line.seq - event["line_seq"]), default=None)
    return None if found is None else found.text[:1000]
