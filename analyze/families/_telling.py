"""The story of a run, told once from its fact tables: which attempt counts, what is another's, what was outlived.

Everything here is derived from fact tables, sorted before use, and cached for one evidence.
"""

from __future__ import annotations

import re
import signal
import weakref
from collections import Counter
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._announced import announced
from inquest.analyze.families._attempts import judged, of_a_launcher_before, of_an_earlier_training, rows_of, steps_of
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._causes import Kind as CauseKind
from inquest.analyze.families._chain import job_of_the_last
from inquest.analyze.families._counted import counted
from inquest.analyze.families._failures import Crash, Death, crash_of, death_of
from inquest.analyze.families._of_others import (
    KERNEL_KILLS,
    at_its_own_time,
    before_the_job,
    began_at,
    beside_any_job,
    foreign,
    foreign_exit,
    job_nodes,
    job_numbers,
    last_job,
    of_a_job_before,
    of_another_job,
    of_another_node,
    of_another_time,
    of_other_jobs,
    of_the_system,
    outlived_kills,
    recorded,
    recorded_pids,
    without_announcements,
)
from inquest.analyze.families._pods import of_other_pods
from inquest.analyze.families._story import GOES_ON, Story
from inquest.analyze.families._swallowed import is_python_itself, last_word, lived_through
from inquest.analyze.families._units import SYSTEMD, of_other_units
from inquest.analyze.families._window import every_run
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.programs import all_left_well

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_CACHE: weakref.WeakKeyDictionary[Evidence, Story] = weakref.WeakKeyDictionary()


def tell(ev: Evidence) -> Story:
    """The story of this evidence, worked out once."""
    story = _CACHE.get(ev)
    if story is None:
        story = _CACHE[ev] = _tell(ev)
    return story


def _tell(ev: Evidence) -> Story:
    attempts = ev.facts("fact_attempts")
    last = judged(ev)
    ours = recorded_pids(ev)
    began, runs = began_at(ev), every_run(ev)
    others = of_other_jobs(ev) | of_other_pods(ev) | beside_any_job(ev) | of_the_system(ev) | outlived_kills(ev, ours)
    units, job, nodes = of_other_units(ev), job_numbers(ev), job_nodes(ev)
    all_events = tuple(
        row
        for row in at_its_own_time(ev, ev.facts("fact_events").iter_rows(named=True))
        if not foreign(row, ours) and not before_the_job(row, began) and not of_another_time(row, runs)
        if not of_another_job(row, job) and not of_another_node(row, nodes)
        if row["kind"] not in KERNEL_KILLS or (row["node"], row["num"]) not in others
        if row["framework"] != SYSTEMD or (row["node"], row["source"]) not in units
    )
    all_events = without_announcements(all_events, ev, others)
    logs = attempts.filter(pl.col("first_line_seq").is_not_null())
    sources = {(row["node"], row["source"]) for row in logs.iter_rows(named=True)}
    draft = Story(
        all_events=all_events,
        events=(),
        crashes=(),
        deaths=(),
        all_steps=ev.facts("fact_steps"),
        steps=ev.facts("fact_steps"),
        attempts=attempts,
        one_stream=len(sources) <= 1 and not recorded(ev),
        watched=frozenset(ours),
    )
    newest = last_job(ev, last) or job_of_the_last(ev)
    events = [row for row in rows_of(all_events, last) if not of_a_job_before(row, newest)]
    events.sort(key=draft.order)
    done = _status_zero(ev) or _completed(ev)
    if done:
        events = _without_the_outlived(events, draft.all_steps)
        events = [row for row in events if row["kind"] not in KERNEL_KILLS or not _read_out(row, draft.all_steps)]
    else:
        late_ns = int(ev.threshold("b2.report_lag") * 1e9)
        events = [row for row in events if not _trained_past(row, draft.all_steps, late_ns)]
    exceptions = rows_of(ev.facts("fact_exceptions").iter_rows(named=True), last)
    ends = [
        row
        for row in ev.facts("fact_exits").iter_rows(named=True)
        if not foreign_exit(row, ours) and not of_another_time(row, runs) and not of_another_node(row, nodes)
        if not of_a_launcher_before(ev, row)
        if row["said_by"] != "kernel" or (row["node"], row["pid"]) not in others
        if row["said_by"] != SYSTEMD or (row["node"], row["source"]) not in units
    ]
    if _status_zero(ev):
        ends = [row for row in ends if not _passed_by(row, draft.all_steps)]
    if done:
        ends = [row for row in ends if row["said_by"] != "kernel" or not _read_out(row, draft.all_steps)]
    exits = sorted(rows_of(ends, last), key=draft.order)
    steps = steps_of(draft.all_steps, last)
    raised = ev.facts("fact_exceptions").iter_rows(named=True)
    earlier = [row for row in raised if of_an_earlier_training(row, attempts)]
    story = replace(
        draft,
        events=tuple(events),
        crashes=announced(ev, _crashes(exceptions, draft)),
        handled=announced(ev, _crashes(exceptions, draft, handled=True)),
        deaths=tuple(_own_number(ev, death_of(row)) for row in exits),
        steps=steps,
        lived_through=lived_through(ev, steps),
        by_python=is_python_itself(ev),
        left_behind=_crashes(earlier, draft),
        killed_before=tuple(
            death
            for death in map(death_of, ends)
            if death.row["said_by"] == "shell" and death.term_signal and of_an_earlier_training(death.row, attempts)
        ),
        timed_out=_timed_out(ev),
    )
    story = _without_other_programs(story)
    if not story.progressed:
        story = replace(story, crashes=_refused(story))
        story = replace(story, crashes=_at_a_load(story))
    unread = None if story.progressed else counted(ev)
    story = replace(story, counted=unread, last_word=last_word(ev, story))
    later = _after_all(ev, story)
    return story if later is None else replace(story, deaths=_without(story.deaths, later), after_all=later)


def _own_number(ev: Evidence, death: Death) -> Death:
    """``death``, a plain number where a program that was wrapped itself left with it, and no process of its so died.

    A shell's status of 137 stands for a signal; Python itself, ended by one, leaves none.
    """
    row = death.row
    if row["said_by"] != "wrapper" or row["term_signal"] is not None or death.term_signal is None:
        return death
    if not is_python_itself(ev):
        return death
    so = (pl.col("event") == "exit") & (pl.col("term_signal") == death.term_signal)
    so |= (pl.col("event") == "signal") & (pl.col("signal") == death.term_signal)
    if not ev.scan("processes").filter(so).head(1).collect().is_empty():
        return death
    return Death(row, None, row["exit_code"])


def _timed_out(ev: Evidence) -> frozenset[tuple[str, int]]:
    """Processes that a timeout command killed: what it was told to run, where that does not obey, and itself.

    The last signals of a job may come too late to be recorded; that it had begun to end it tells as much of itself.
    """
    if not ev.has("processes"):
        return frozenset()
    sent = ev.scan("processes").filter(
        (pl.col("event") == "signal")
        & pl.col("signal").is_in([int(signal.SIGKILL), int(signal.SIGTERM), int(signal.SIGINT)])
        & (pl.col("sender_command") == "timeout")
    )
    told = sent.select("node", "pid", "sender_pid", killed=pl.col("signal") == int(signal.SIGKILL)).collect()
    killed = told.filter("killed").select("node", "pid")
    return frozenset((*killed.drop_nulls().iter_rows(), *told.select("node", "sender_pid").drop_nulls().iter_rows()))


def _without_other_programs(story: Story) -> Story:
    """``story`` without what logs of other programs tell, where training came to its planned end in a log of its own.

    An evaluation or an export has a log beside it, by another name; how the whole ended is not known.
    """
    if story.ended_well is not None or not story.crashes:
        return story
    counting = set(story.all_steps["source"].to_list())
    ends = [end for end in story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) if end["source"] in counting]
    if not ends or ends[-1]["source"] is None or story.reports_after(ends[-1]):
        return story
    others = {
        source
        for crash in story.crashes
        if (source := crash.root["source"]) is not None and not crash.ranks and source not in counting
        if _is_of_its_own(source, ends[-1]["source"])
    }
    if not others:
        return story
    return replace(
        story,
        events=tuple(row for row in story.events if row["source"] not in others),
        crashes=tuple(crash for crash in story.crashes if crash.root["source"] not in others),
        deaths=tuple(death for death in story.deaths if death.row["source"] not in others),
        beside=tuple(crash for crash in story.crashes if crash.root["source"] in others),
    )


def _is_of_its_own(source: str, training: str) -> bool:
    """Whether a file's name is no other stream, rank or run of the program whose log ``training`` is."""
    names = [re.sub(r"\d+", "", PurePath(name).name.casefold()).partition(".")[0] for name in (source, training)]
    return names[0] != names[1] and not any(_A_STREAM.search(PurePath(name).name) for name in (source, training))


_A_STREAM: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:std)?(?:err|out|error|output)s?(?:[^a-z]|$)|console|rank|slurm|node|worker"
)


def _after_all(ev: Evidence, story: Story) -> Death | None:
    """The exit code of the wrapped script, where it is that of a command which it ran when all was done."""
    end = story.end_status
    if end is None or not end.exit_code or end.row["said_by"] != "wrapper" or story.by_python or story.crashes:
        return None
    done = story.last_planned is not None or story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY)
    others = [death for death in _without(story.deaths, end) if death.exit_code or death.term_signal]
    return end if done and not others and all_left_well(ev.store) else None


def _without(deaths: tuple[Death, ...], one: Death) -> tuple[Death, ...]:
    """``deaths`` but for one: who was watched by wrapper and kernel alike ended once, and is told of twice."""
    name, pid = one.row["node"], one.row["pid"]
    return tuple(
        death
        for death in deaths
        if death is not one and (pid is None or (death.row["node"], death.row["pid"]) != (name, pid))
    )


# --- what was outlived -----------------------------------------------------------------------------------------------


_TERMINAL: Final = frozenset(
    {
        *(Kind.TIME_LIMIT, Kind.NODE_FAILURE, Kind.COLLECTIVE_TIMEOUT, Kind.WATCHDOG_STUCK, Kind.SLURM_OOM),
        *(Kind.TASK_EXIT, Kind.LAUNCHER_FAILURE),
    }
)
"""What no process outlives: said in the middle of a training that goes on and ends well, it was said of another."""


def _trained_past(row: Row, steps: pl.DataFrame, late_ns: int) -> bool:
    """True for an end that a log tells of, long after which the count in the same log still went on as before.

    How the whole ended is not known here, and what stood in a buffer is printed below what was told at once: so the
    reports' own clocks tell, or more lines than a buffer holds.
    """
    seq, at = row["line_seq"], row["ts_ns"]
    if row["kind"] not in _OF_ALL or seq is None or row["source"] == "kernel_log":
        return False
    mine = steps.filter(same_stream(row) & pl.col("attempt").eq_missing(row["attempt"]) & pl.col("step").is_not_null())
    before, after = mine.filter(pl.col("line_seq") < seq)["step"].max(), mine.filter(pl.col("line_seq") > seq)
    if before is None or after.filter(pl.col("step") <= before).height:
        return False
    late = pl.col("line_seq") > seq + _BUFFERED_LINES
    if at is not None:
        late |= pl.col("ts_ns") > at + late_ns
    return after.filter(late)["step"].n_unique() > GOES_ON


_OF_ALL: Final = _TERMINAL - {Kind.TASK_EXIT, Kind.LAUNCHER_FAILURE}
"""Of those, the ones that end all ranks: training that goes on did so without whom they speak of."""
_BUFFERED_LINES: Final = 400
"""A buffer of 8 KiB holds no more of lines that tell of steps."""
_OFF_THE_BUS: Final = 79
"""The XID of a GPU that is gone: of another GPU, or a text, where the job's own log goes on."""


def _completed(ev: Evidence) -> bool:
    """Whether accounting has the last run of each job as completed: what a log says of a limit was of a step's."""
    order = ("restarts", "start_ns")
    jobs = ev.scan("slurm_jobs").select("job_id", "state", *order).collect().sort(*order, nulls_last=False)
    states = jobs.unique("job_id", keep="last", maintain_order=True)["state"]
    return len(states) > 0 and bool(states.str.starts_with("COMPLETED").fill_null(value=False).all())


def _status_zero(ev: Evidence) -> bool:
    told = ev.facts("fact_exits").filter(pl.col("said_by").is_in(["wrapper", "user"]) & pl.col("rank").is_null())
    return not told.is_empty() and bool((told["exit_code"] == 0).fill_null(value=False).all())


def _without_the_outlived(events: list[Row], steps: pl.DataFrame) -> list[Row]:
    last = dict(steps.group_by("source").agg(pl.col("line_seq").max()).iter_rows())

    def terminal(row: Row) -> bool:
        lost = row["kind"] == Kind.GPU_LOST or (row["kind"] == Kind.XID and row["num"] == _OFF_THE_BUS)
        return row["kind"] in _TERMINAL or (lost and row["source"] != "kernel_log")

    def outlived(row: Row) -> bool:
        seq = row["line_seq"]
        return terminal(row) and seq is not None and seq < (last.get(row["source"]) or 0)

    # What was said and outlived several times ends nothing where it stands after the last step, either.
    said = Counter((row["source"], row["text"]) for row in events if outlived(row))
    return [
        row
        for row in events
        if not outlived(row) and not (terminal(row) and said[row["source"], row["text"]] >= GOES_ON)
    ]


def _passed_by(row: Row, steps: pl.DataFrame) -> bool:
    """True for the end of another process that a line tells of, while the count of a training went on as before.

    Or began only afterwards: what is shown of an earlier job, or was tried again. On another stream than the steps, the
    line is held against them by the time at which it was read.
    """
    seq, at = row["line_seq"], row["ts_ns"]
    if seq is None or row["said_by"] == "kernel":
        return False
    mine = steps.filter(pl.col("node") == row["node"])
    own = mine.filter(pl.col("source").eq_missing(row["source"]))
    if not own.is_empty():
        earlier = (pl.col("line_seq") < seq) & pl.col("attempt").eq_missing(row["attempt"])
        before, after = own.filter(earlier)["step"].max(), own.filter(pl.col("line_seq") > seq)["step"].drop_nulls()
    elif at is not None:
        before, after = (
            mine.filter(pl.col("ts_ns") < at)["step"].max(),
            mine.filter(pl.col("ts_ns") > at)["step"].drop_nulls(),
        )
    else:
        return False
    return len(after) > GOES_ON and (before is None or bool((after > before).all()))


def _read_out(row: Row, steps: pl.DataFrame) -> bool:
    """True for a kernel's word on a kill that stands in the very log in which training counted on as before.

    All ended well: it was of no process that training needed, or in a text that a model was given or wrote.
    """
    seq = row["line_seq"]
    if seq is None or row["source"] == "kernel_log":
        return False
    mine = steps.filter(same_stream(row) & pl.col("step").is_not_null())
    before = mine.filter((pl.col("line_seq") < seq) & pl.col("attempt").eq_missing(row["attempt"]))["step"].max()
    after = mine.filter(pl.col("line_seq") > seq)["step"]
    return len(after) > GOES_ON and (before is None or bool((after > before).all()))


# --- crashes in order ------------------------------------------------------------------------------------------------


def _crashes(rows: Iterable[Row], draft: Story, *, handled: bool = False) -> tuple[Crash, ...]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["node"], row["source"], row["attempt"], row["group"]), []).append(row)
    found: list[Crash] = []
    for chain in groups.values():
        chain.sort(key=lambda row: (row["chain_index"] or 0, row["seq"]))
        if (chain[-1]["fatal"] is False) is not handled:
            continue
        found.append(crash_of(chain))
    found.sort(key=lambda crash: draft.order(crash.root))
    return tuple(_with_ranks(found))


def _refused(story: Story) -> tuple[Crash, ...]:
    """The crashes, of which one that only hands on a system's error is what NCCL warned of above it.

    The lines of a message below its first, in which NCCL repeats its warning, may be lost on the way.
    """
    warned = [row for row in story.of(Kind.CONNECT_ERROR) if row["framework"] == "nccl" and row["role"] == "root"]
    return tuple(
        replace(crash, cause=CauseKind(Cause.RENDEZVOUS))
        if crash.cause.cause is Cause.APPLICATION
        and _NCCL_SYSTEM in str(crash.shown["message"])
        and any(story.earlier(row, crash.shown) for row in warned)
        else crash
        for crash in story.crashes
    )


_NCCL_SYSTEM: Final = "unhandled system error"


def _at_a_load(story: Story) -> tuple[Crash, ...]:
    """The crashes, of which one over shapes right below the word that a state is taken is one of that state."""
    begun = [row for row in story.all_events if row["kind"] == Kind.CHECKPOINT_LOAD_BEGIN and row["line_seq"]]
    return tuple(
        replace(crash, cause=CauseKind(Cause.CHECKPOINT))
        if crash.cause.cause is Cause.APPLICATION
        and _SHAPES.search(str(crash.speaking["message"]))
        and any(_right_above(row, crash.root) for row in begun)
        else crash
        for crash in story.crashes
    )


def _right_above(row: Row, crash: Row) -> bool:
    here = all(row[name] == crash[name] for name in ("node", "source", "rank"))
    return here and crash["line_seq"] is not None and 0 < crash["line_seq"] - row["line_seq"] <= _NEXT_LINES


_NEXT_LINES: Final = 3
_SHAPES: Final = re.compile(
    r"(?i)could not broadcast|shapes? .{0,80}(?:mismatch|not (?:compatible|match|aligned|equal)|incompatible|different)"
    r"|(?:mismatch|incompatible|different|not match).{0,80}\bshapes?\b|size of tensor .{0,20} must match"
    r"|dimensions? mismatch"
)
"""What is said of arrays that do not fit each other."""


def _with_ranks(crashes: list[Crash]) -> list[Crash]:
    alike: dict[Any, set[int]] = {}
    streams: dict[Any, set[tuple[str, str | None]]] = {}
    for crash in crashes:
        row = crash.shown
        if row["rank"] is not None:
            alike.setdefault(row["signature"], set()).add(int(row["rank"]))
        else:
            streams.setdefault(row["signature"], set()).add((row["node"], row["source"]))
    return [
        replace(
            crash,
            ranks=tuple(sorted(alike.get(crash.shown["signature"], ()))),
            streams=len(streams.get(crash.shown["signature"], ())) or 1,
        )
        for crash in crashes
    ]
