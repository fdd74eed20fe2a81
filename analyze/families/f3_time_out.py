"""F3: the time limit ended the run: a disposition, never masking a hang, never called a crash."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._frozen import at_end
from inquest.analyze.families._limits import limit_of
from inquest.analyze.families._other_runs import which_of_several
from inquest.analyze.families._rows import Row, failing
from inquest.analyze.families._settings import grace, overtime
from inquest.analyze.families._stacks import of_the_job
from inquest.analyze.families._stall import AT_LEAST_S, Stall, cadence_ns, cpu_used_s, fell_silent, stall
from inquest.analyze.families._standstill import standstill, until_the_end
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._limits import Limit
    from inquest.analyze.families._stacks import Place


@dataclass(frozen=True, slots=True)
class TimeOut:
    """See the module."""

    id: str = "F3"
    name: str = "time-out"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("scheduler", "exits", "logs")
    helps: tuple[str, ...] = ("slurm_jobs", "steps", "processes")

    def judge(self, ev: Evidence) -> Finding:
        """The scheduler's limit, or a timeout command as the sender of the signal; with progress until then."""
        story = tell(ev)
        limit = limit_of(ev, story)
        if limit is None:
            return RuledOut(
                because="Training was resumed after its time limit, and came to its end."
                if story.of(Kind.TIME_LIMIT)
                else "Nothing says that a time limit ended the run.",
                would_change_if="a state TIMEOUT, a message DUE TO TIME LIMIT, or a signal sent by a timeout command",
                stores=("scheduler",) if ev.has("scheduler") else ("logs",),
            )
        claims = Claims(ev, self.id)
        support = [limit.claim(ev, claims)]
        course = _course(ev, story, limit)
        if (unclear := _may_have_hung(ev, limit, course, claims)) is not None:
            return unclear
        if (idled := _idled(ev, limit, course)) is not None:
            return idled
        if (stopped := _stopped(ev, story, limit, course)) is not None:
            return stopped
        still = standstill(ev, story, limit.until_ns) if course.stood is None and not limit.own else None
        gpus = None if story.progressed else at_end(ev)
        if gpus == "never" and not ev.has("logs"):
            return CannotDecide(
                because="The time limit ended a run that never used its GPUs, and no log tells what it waited for.",
                missing=("the job's log",),
                claims=claims.all,
            )
        computing = gpus == "computing"
        support += _of_the_course(ev, story, course, claims, computing=computing)
        ended = self._ended(ev, story, limit, course, claims, tuple(support), computing=computing)
        return ended if still is None else _over_standstill(ended, still)

    def _ended(
        self,
        ev: Evidence,
        story: Story,
        limit: Limit,
        course: _Course,
        claims: Claims,
        support: tuple[Support, ...],
        *,
        computing: bool,
    ) -> RuledIn:
        """The limit ended it: how far the run had come, and how it stood."""
        implies = (*overtime(ev, claims), *grace(ev, claims)) if limit.told is not None else ()
        sub_mode, how = _how(ev, story, course, computing=computing)
        limit_s = _limit_s(ev)
        length = f" of {limit_s // 60} min" if limit_s else ""
        of = f" of {story.total_steps}" if story.total_steps and story.last_step is not None else ""
        run = which_of_several(story, limit.row)
        unheard = not story.progressed and not ev.has("logs")
        where = "" if computing or unheard else when(story, None if run is None else limit.row)
        which = "" if run is None else run.text
        stood = course.stood
        return RuledIn(
            because=f"The time limit{length} ended the run{where}{of}, {how}.",
            would_change_if="progress that stopped long before the limit (a hang), or a failure before it",
            headline=f"The time limit{length} ended the run{where}{of}, {how}{which}.",
            claims=claims.all,
            support=support,
            attribution="scheduler" if stood is None else "job",
            scope="allocation",
            severity="low" if course.advanced else "high",
            onset_ns=limit.row["ts_ns"],
            sub_mode=sub_mode,
            first_failing=replace(failing(limit.row), rank=None),
            implies=implies,
            cannot_decide=()
            if course.advanced or stood is not None
            else (Missing("Whether the job hung before the limit", "times of the last steps, stacks at the end"),),
            next=Next(
                "job",
                f"Look at {stood.guilty.line}: what the process waited for there; a longer limit would not have helped."
                if stood is not None
                else "Ask for a longer limit, or save and resume across jobs (signal before the limit, requeue).",
                _last_checkpoint(story),
            ),
        )


def _over_standstill(ended: RuledIn, still: str) -> RuledIn:
    """A limit that ended a job which had long been silent: what it hung on is another family's to tell."""
    text = f"The time limit ended a job that had stood still, as it seems: {still}."
    return replace(ended, because=text, headline=text, over_standstill=True)


@dataclass(frozen=True, slots=True)
class _Course:
    """How the run moved before the limit."""

    quiet: Stall | None
    """The silence at its end."""
    stood: Place | None
    """Where it stood in that silence, by stacks."""
    clocked: bool
    """Whether times of its reports tell how often they came."""
    advanced: bool
    unclear: bool
    """Whether it may have stood still, as far as reports, clocks and bars tell."""


def _course(ev: Evidence, story: Story, limit: Limit) -> _Course:
    """How the run moved, by its reports, the time of its processes' last output, a bar, and stacks."""
    cadence, until_ns = cadence_ns(story), limit.until_ns
    # Too short a silence to tell of a stall by itself is no sign that the job advanced.
    quiet = (
        stall(ev, story, until_ns=until_ns)
        or stall(ev, story, AT_LEAST_S, until_ns)
        or _overdue(ev, story, limit.ended)
        or (fell_silent(ev) if cadence is None and not story.progressed else None)
    )
    # Without clocks a run that reported steps was ended by its limit all the same; what is open is said in the verdict.
    still = quiet is not None or (cadence is None and (_bar_stood(ev) or _unaccounted(ev, story)))
    # What a script printed of its own status is all there is: nobody saw how the program stood.
    by_script = limit.status is not None and limit.status.row["said_by"] == "shell"
    alone = limit.told is None and limit.sender is None and cadence is None
    untold = alone and (by_script or not story.progressed)
    return _Course(
        quiet=quiet,
        stood=of_the_job(ev) if quiet is not None else None,
        clocked=cadence is not None,
        advanced=quiet is None and story.progressed and (cadence is not None or until_the_end(ev, story, until_ns)),
        unclear=still or untold,
    )


def _unaccounted(ev: Evidence, story: Story) -> bool:
    """Whether the steps that were told, by the time each is said to take, fill but a small part of the log's time."""
    took = story.steps["step_time_s"].drop_nulls().to_list()
    if not took or story.last_step is None or not ev.has("log_lines"):
        return False
    begin, end = ev.scan("log_lines").select(a=pl.col("ts_ns").min(), b=pl.col("ts_ns").max()).collect().row(0)
    if begin is None or end is None:
        return False
    done = story.last_step - (story.first_step or 0) + 1
    return bool(max(took) * done < ev.threshold("f3.accounted") * (end - begin) / 1e9)


def _may_have_hung(ev: Evidence, limit: Limit, course: _Course, claims: Claims) -> CannotDecide | None:
    """A limit of the job's own may be what ends a hang: without stacks its silence is no slow run."""
    if not limit.own or course.stood is not None or not course.unclear:
        return None
    what = "Exit status 124 tells of a timeout command" if limit.sender is None else "A timeout command ended the job"
    if limit.told is not None or limit.by_alarm:
        what = "A limit of its own ended the job"
    if course.quiet is None:
        return CannotDecide(
            because=f"{what}, but whether the job still advanced is not known.",
            missing=("times of the lines (inquest run), to tell a slow run from a hang",),
            claims=claims.all,
        )
    silent_s = course.quiet.silent_ns / 1e9
    used = cpu_used_s(ev, course.quiet.since_ns)
    return CannotDecide(
        because=f"{what}, but whether the job still advanced is not known (its last report came {silent_s:.0f} s"
        " before)."
        if used is None
        else f"{what}; its last report came {silent_s:.0f} s before, and its processes used {used:.1f} s of CPU time"
        " from then on: it stood still, and what for is not known.",
        missing=("stacks at the end",),
        claims=claims.all,
    )


def _idled(ev: Evidence, limit: Limit, course: _Course) -> CannotDecide | None:
    """Where no clock tells the steps, what its processes used of the CPU shows that they stood still."""
    if limit.told is not None or course.stood is not None or course.clocked or (idle := _idle(ev)) is None:
        return None
    return CannotDecide(
        because=f"A limit ended the job, and {idle}: it stood still, and what for is not known.",
        missing=("stacks at the end",),
    )


def _stopped(ev: Evidence, story: Story, limit: Limit, course: _Course) -> CannotDecide | None:
    """What counted in words of its own had fallen silent long before the limit."""
    if story.progressed or story.counted is None or course.stood is not None:
        return None
    until_ns = limit.until_ns if limit.until_ns is not None else limit.row["ts_ns"]
    silent_s = story.counted.silent_s(until_ns, ev.threshold("c3.host_cadences"), AT_LEAST_S)
    if silent_s is None:
        return None
    return CannotDecide(
        because=f"A limit ended the job, which had counted to {story.counted.number} and told nothing more for"
        f" {silent_s:.0f} s: it stood still, and what for is not known.",
        missing=("stacks at the end",),
    )


def _of_the_course(ev: Evidence, story: Story, course: _Course, claims: Claims, *, computing: bool) -> list[Support]:
    """Claims of how the run moved, and who tells it."""
    support = []
    if computing:
        busy = f"engine_active > {ev.threshold('c3.idle_engine')}"
        claims.over("Last sample of a GPU at work", "MAX", "ts_ns", "gpu_samples", busy, unit="ns")
        support.append(Support("metrics", "GPUs computed until the limit"))
    if course.advanced:
        unit = story.counted_in
        claims.over(f"Highest {unit} reported", "MAX", "step", "fact_steps", unit=f"{unit}s")
        support.append(Support("metrics" if ev.has("processes") else "logs", "steps advanced until the limit"))
    if course.stood is not None and course.quiet is not None:
        course.stood.claim(claims, "the process")
        text = f"its process {course.stood.words()}, for the last {course.quiet.silent_ns / 1e9:.0f} s"
        support.append(Support("traces", text, decisive=course.stood.waits_for is not None))
    return support


def _how(ev: Evidence, story: Story, course: _Course, *, computing: bool) -> tuple[str, str]:
    """How the run stood at the limit: the sub-mode, and the same in words."""
    if course.advanced:
        return "advancing", "still advancing"
    if course.stood is not None and course.quiet is not None:
        silent_s = course.quiet.silent_ns / 1e9
        return "hung", f"after {silent_s:.0f} s in which its process {course.stood.words()}"
    if story.progressed or story.counted is not None:
        return "unknown_progress", "with progress at the end unknown"
    if computing:
        return "no_progress", "its GPUs computing"
    heard = ev.has("logs") or ev.has("metrics")
    return "no_progress", "no step done" if heard else "and how far it had come was not captured"


def _overdue(ev: Evidence, story: Story, end: Row | None) -> Stall | None:
    """The silence before the timeout command sent its signal, or left, where many reports were due in it."""
    return None if end is None or end["ts_ns"] is None else stall(ev, story, _NOTICED_S, end["ts_ns"])


def _idle(ev: Evidence) -> str | None:
    """How a job of which no clock tells the steps stood still at its end, in words; None where it may have computed.

    What is said in a file and shown at the end says nothing of when.
    """
    start_ns, end_ns = ev.start_ns(), ev.end_ns()
    if start_ns is None or end_ns is None or end_ns - start_ns < _LOOKED_AT_S * 1e9:
        return None
    used = cpu_used_s(ev, end_ns - int(_LOOKED_AT_S * 1e9))
    return None if used is None else f"its processes used {used:.1f} s of CPU time in the last {_LOOKED_AT_S} s"


_LOOKED_AT_S: Final = 15
"""In so long a time processes are looked at more than once."""


def _bar_stood(ev: Evidence) -> bool:
    """Whether the last progress bar stood at one step for long, by its own clock: drawn again, as a process ends."""
    text = pl.col("text")
    bars = ev.scan("log_lines").filter(text.str.contains(r"\d/\d+ \[(?:\d+:)?\d+:\d\d<"))
    shown = bars.select(
        "source",
        step=text.str.extract(r"(\d{1,12})/\d+ \[").cast(pl.Int64),
        minutes=text.str.extract(r"\[(?:\d{1,4}:)?(\d{1,4}):\d\d<").cast(pl.Int64),
        seconds=text.str.extract(r"\[(?:\d{1,4}:)?\d{1,4}:(\d\d)<").cast(pl.Int64),
        hours=text.str.extract(r"\[(\d{1,4}):\d{1,4}:\d\d<").cast(pl.Int64).fill_null(0),
    )
    last = shown.tail(_BARS).with_columns(at=3600 * pl.col("hours") + 60 * pl.col("minutes") + pl.col("seconds"))
    at = last.collect().drop_nulls()
    if at.is_empty():
        return False
    at = at.filter(pl.col("source").eq_missing(at["source"][-1]))
    final = at.filter(pl.col("step") == at["step"][-1])["at"]
    stood, whole, steps = final[-1] - final[0], int(final[0]), int(at["step"][-1])
    far = ev.threshold("f3.bar_steps")
    return bool(stood >= AT_LEAST_S and stood * max(steps, 1) > far * max(whole, 1))


_BARS: Final = 200
_NOTICED_S: Final = 2


def _limit_s(ev: Evidence) -> int | None:
    """The limit of the jobs that theirs ended; None where it is not told, or one of several."""
    if not ev.has("slurm_jobs"):
        return None
    jobs = ev.frame("slurm_jobs")
    ended = jobs.filter(pl.col("state").str.starts_with("TIMEOUT"))
    limits = set((ended if ended.height else jobs)["time_limit_s"].drop_nulls())
    return int(limits.pop()) if len(limits) == 1 else None


def _last_checkpoint(story: Story) -> str | None:
    saved = [row for row in story.of(Kind.CHECKPOINT_SAVED) if row["subject"]]
    return str(saved[-1]["subject"]) if saved else None


FAMILY: Final = TimeOut()
