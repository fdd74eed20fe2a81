"""A job that used no CPU until a limit or somebody ended it, by what was seen of the host alone."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._limits import by_status, timeout_sender
from inquest.analyze.families._stall import AT_LEAST_S, Stall, cpu_used_s, fell_silent, stall
from inquest.analyze.families._swallowed import lived_through
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


def stood_still(ev: Evidence, story: Story) -> tuple[Stall, float] | None:
    """The silence in which a job used no CPU until a limit or somebody ended it, by the host alone; what it used."""
    limit = story.of(Kind.TIME_LIMIT) or by_status(story) or timeout_sender(ev, story, helpers=False) is not None
    done = _done(story)
    killed = _killed_at_last(story) or _ended_by_its_script(ev, story) or _interrupted(story)
    if not (limit or killed is not None) or (story.failures and killed is None) or (done and not limit):
        return None
    pause = stall(ev, story, AT_LEAST_S, killed) if story.progressed else fell_silent(ev)
    if pause is None or pause.factor < ev.threshold("c3.host_cadences"):
        return None
    # Who is killed for another reason is silent for a moment, before its end is noted.
    if killed is not None and not limit and killed - pause.since_ns < AT_LEAST_S * 1e9:
        return None
    used = cpu_used_s(ev, pause.since_ns)
    # Who uploads or writes when training is over works a little.
    if used is None or (done and used > _NO_WORK * pause.silent_ns / 1e9):
        return None
    return pause, used


def _done(story: Story) -> bool:
    """Whether the last of its trainings was over: that of a sweep, another one, may have been before."""
    told = [*story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED)]
    if story.last_planned is not None:
        told.append(story.last_planned)
    times = [row["ts_ns"] for row in told if row["ts_ns"] is not None]
    if not told or len(times) < len(told):
        return bool(told)
    last = max(times)
    again = (pl.col("ts_ns") > last) & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    fewer = pl.col("step") < pl.col("total_steps")
    return story.steps.filter(again & fewer.fill_null(value=False)).is_empty()


_NO_WORK: Final = 0.002
"""Part of a CPU that who stands still uses at the most."""


def _killed_at_last(story: Story) -> int | None:
    """When the job was ended by a signal that somebody sends, where that is all that failed; None: otherwise."""
    end = story.end_status
    if end is None or end.term_signal not in SENT or end.row["ts_ns"] is None:
        return None
    if story.of(Kind.CGROUP_OOM, Kind.OOM_KILLER, Kind.SLURM_OOM, Kind.SEGFAULT):
        return None
    alone = all(failure.death is not None and failure.death.term_signal in SENT for failure in story.failures)
    times = [failure.row["ts_ns"] for failure in story.failures if failure.row["ts_ns"] is not None]
    return min([int(at) for at in (*times, end.row["ts_ns"])]) if alone and len(times) == len(story.failures) else None


def _interrupted(story: Story) -> int | None:
    """When a person's Ctrl-C ended it, which a program may turn into a status of its own."""
    told = [row["ts_ns"] for row in story.of(Kind.USER_INTERRUPT) if row["role"] == "root"]
    return None if story.failures or not told or told[-1] is None else int(told[-1])


def _ended_by_its_script(ev: Evidence, story: Story) -> int | None:
    """When the only program that had reported was ended by a signal, and its script left with a status of its own.

    Of a script that left with 0 it is one that was there from the first report on; of one that failed, one that was
    there at the last: a sweep runs one after the other.
    """
    end = story.end_status
    failed = end is not None and end.exit_code and not story.failures
    if not (story.ended_well or failed) or not ev.has("processes"):
        return None
    there = lived_through(ev, story.steps, last=True) if failed else story.lived_through
    ended = ev.scan("processes").filter(
        (pl.col("event") == "exit")
        & pl.col("pid").is_in([pid for _, pid in there])
        & pl.col("term_signal").is_in([int(number) for number in SENT])
        & pl.col("ts_ns").is_not_null()
    )
    last_ns = story.steps["ts_ns"].max()
    if failed and isinstance(last_ns, int):
        ended = ended.filter(pl.col("ts_ns") > last_ns)
    times = [row["ts_ns"] for row in ended.collect().iter_rows(named=True) if (row["node"], row["pid"]) in there]
    return int(times[0]) if len(times) == 1 else None


SENT: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL)
"""Signals by which a person or a script ends what does not move."""


def ended_by_somebody(ev: Evidence, story: Story) -> int | None:
    """Number of the first line of a person's Ctrl-C, or of a launcher's word that it was told to end; None: neither."""
    told = (
        ev.facts("fact_exceptions").filter(pl.col("exc_type").str.ends_with("KeyboardInterrupt"))["line_seq"].to_list()
    )
    told += [row["line_seq"] for row in story.of(Kind.USER_INTERRUPT) if row["role"] == "root"]
    told += [row["line_seq"] for row in story.of(Kind.SIGNAL_RECEIVED) if row["role"] == "root" and row["num"] in SENT]
    return min((int(seq) for seq in told if seq is not None), default=None)
