"""Failures that an exit status of 0 hides: of a pipe, or of the next command of a script."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze import programs
from inquest.analyze.evidence import same_stream
from inquest.analyze.families._causes import Cause, classify
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.last_words import CUT

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_LAST_WORDS: Final = (Kind.ABORT, Kind.SEGFAULT, Kind.UNCAUGHT, Kind.USAGE_ERROR)
"""What the process that prints it does not outlive."""
_FAILED: Final = ("loop.failed", "loop.gave_up", "loop.child_failed")
"""The lines by which a program admits that its training failed."""
_OF_IT: Final = re.compile(
    r"\s*$|\s|(?:Current t|T)hread 0x|Extension modules: |#\d|@ |\*\*\* |frame #|goroutine \d|stack backtrace:"
    r"|Stack trace|note: run with|Node\.js v|exit status \d|Aborted|\d{1,3}: "
    r"|\[\S{1,80}:\d{1,8}\] (?:\*\*\*|\[ ?\d|Signal)"
    r"|.{0,200}(?:\(core dumped\)|Segmentation fault|Bus error|Illegal instruction|Aborted)"
)
"""What stands below: stacks, and what a shell adds."""
_LINES: Final = 400
"""A longer stack than this is another's text."""
_COMMAND: Final = re.compile(r"\S(?: *\([^)]{1,40}\))? {2,}(?!\d{1,9} [A-Z])(\S.*)$")
"""The command behind the words by which a shell tells how it ended."""
_PROGRAM: Final = re.compile(rf"{programs.RUNS}(?<=\.py)(?!\S)")

_TOOL: Final = re.compile(
    r"(?:sudo |nohup |nice |exec |timeout \S{1,12} )?(?:/[\w./-]{0,200}/)?"
    r"(?:nvidia-smi|nvtop|gpustat|dcgmi|tensorboard|wandb|mlflow|tail|tee|watch|top|htop|sleep|rsync|scp|ssh|aws|gsutil"
    r"|gcloud|curl|wget|tar|gzip|pigz|zstd|ffmpeg|sox|vmstat|iostat|sar|dstat|iotop|py-spy|tcpdump|inotifywait)(?:\s|$)"
)


def last_word(ev: Evidence, story: Story) -> Row | None:
    """An end of its process by which a log ends, behind a status 0, where nothing says that all was done."""
    done = story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED, Kind.CLEAN_EXIT)
    if not story.ended_well or story.last_planned is not None or done:
        return None
    admitted = [row for row in story.of(Kind.BARE_ERROR) if row["pattern"] in _FAILED]
    if admitted and not _trained_after(story, admitted[-1]):
        return admitted[-1]
    cut = [row for row in story.of(Kind.BARE_ERROR) if row["pattern"] == CUT]
    if cut and failed_program(ev) is not None and not _trained_after(story, cut[-1]):
        kind, _, message = str(cut[-1]["text"]).partition(": ")
        return cut[-1] if classify(kind, message).cause is Cause.APPLICATION else None
    for row in story.of(*_LAST_WORDS):
        if row["role"] != "root" or row["line_seq"] is None or row["source"] in (None, "kernel_log"):
            continue
        below = (
            ev.scan("log_lines")
            .filter(same_stream(row), pl.col("seq") > row["line_seq"])
            .sort("seq")
            .select("text")
            .head(_LINES)
            .collect()["text"]
        )
        if len(below) and (below[0] or "").strip() in str(row["text"]):
            below = below.slice(1)  # where Rust puts the message
        later = story.steps.filter(pl.col("ts_ns") > row["ts_ns"]) if row["ts_ns"] is not None else story.steps.clear()
        if len(below) < _LINES and later.is_empty() and all(_OF_IT.match(text or "") for text in below):
            return row
    return None


def _trained_after(story: Story, row: Row) -> bool:
    """Whether progress was told after a line, in its stream or, by the time, on another."""
    beside = same_stream(row)
    later = beside & (pl.col("line_seq") > row["line_seq"])
    if row["ts_ns"] is not None:
        later |= ~beside & (pl.col("ts_ns") > row["ts_ns"])
    return not story.steps.filter(later).is_empty()


def is_of_another(row: Row) -> bool:
    """True for a shell's word on a command that does not train by its name."""
    told = _COMMAND.search(str(row["text"]))
    return told is not None and programs.TRAINS.search(told[1]) is None


def is_of_a_tool(row: Row) -> bool:
    """True for a shell's word on a tool that watches, copies or converts beside a training."""
    told = _COMMAND.search(str(row["text"]))
    return told is not None and _TOOL.match(told[1]) is not None


def is_python_itself(ev: Evidence) -> bool:
    """Whether the wrapped command is a Python program of the job's, and no shell or launcher."""
    if not ev.has("processes"):
        return False
    rows = ev.scan("processes").filter((pl.col("event") == "start") & (pl.col("role") == "task"))
    commands = rows.select("argv").unique().collect()["argv"].to_list()
    return bool(commands) and all(_PROGRAM.match(command or "") for command in commands)


def failed_program(ev: Evidence) -> str | None:
    """Which program of the job's left with an error that the status of the whole hides, and how, in words."""
    row = ev.once(("failed program",), lambda: _failed_program(ev))
    if row is None:
        return None
    ended = f"was ended by {signal.Signals(row['term_signal']).name}" if row["term_signal"] else None
    return f"{row['program'][:80]} {ended or 'left with exit code ' + str(row['exit_code'])}"


def _failed_program(ev: Evidence) -> Row | None:
    row = programs.failed_program(ev.store)
    last_ns = ev.facts("fact_steps")["ts_ns"].max()
    if row is None or not isinstance(last_ns, int):
        return row
    if row["exit_code"] and _came_to_its_end(ev, row):
        return None
    # What make ran when nobody reported any more, and ignored as its rule has it, the job can do without.
    told = ev.scan("log_lines").select(pl.col("text").str.extract(_IGNORED, 1).cast(pl.Int64)).drop_nulls()
    codes = told.unique().collect()["text"].to_list()
    return programs.failed_program(ev.store, codes, last_ns) if row["exit_code"] in codes else row


def _came_to_its_end(ev: Evidence, row: Row) -> bool:
    """Whether the same command was begun anew after that end, and the last step of its plan was told since then."""
    begun = ev.scan("processes").filter(
        (pl.col("event") == "start") & pl.col("role").ne_missing("outside") & (pl.col("ts_ns") > row["ts_ns"])
    )
    again = begun.filter(pl.col("argv").str.extract(programs.RUNS).str.split("/").list.last() == row["program"])
    since = again.select(pl.col("ts_ns").max()).collect().item()
    if since is None:
        return False
    done = (pl.col("step") == pl.col("total_steps")) & (pl.col("ts_ns") > since)
    return not ev.facts("fact_steps").filter(done).is_empty()


_IGNORED: Final = r"^g?make(?:\[\d+\])?: \[.{1,200}\] Error (\d{1,3}) \(ignored\)"


def worker_end(ev: Evidence, crash: Crash) -> Row | None:
    """How a worker left that a crash tells of by its process id, where a recorder saw it."""
    told = _PIDS.search(str(crash.speaking["message"]))
    pids = [] if told is None else [int(pid) for pid in told[1].split(",")]
    return programs.bad_end(ev.store, crash.speaking["node"], pids) if pids else None


_PIDS: Final = re.compile(r"\(pid(?:\(s\))? (\d{1,9}(?:, \d{1,9}){0,63})\)")


def lived_through(ev: Evidence, steps: pl.DataFrame, *, last: bool = False) -> frozenset[tuple[str, int]]:
    """Nodes and pids of recorded processes that had begun when the first step was reported, or the last one."""
    first = steps["ts_ns"].max() if last else steps["ts_ns"].min()
    if first is None or not ev.has("processes"):
        return frozenset()
    # What is noted of a start comes late; the kernel's own number of it does not.
    late = (pl.col("ts_mono_ns") - pl.col("start_mono_ns")).clip(lower_bound=0).fill_null(0)
    seen = (
        ev.scan("processes")
        .filter(pl.col("event").is_in(["start", "seen"]) & (pl.col("ts_ns") - late <= first))
        .select("node", "pid")
        .drop_nulls()
        .unique()
    )
    return frozenset(seen.collect().iter_rows())
