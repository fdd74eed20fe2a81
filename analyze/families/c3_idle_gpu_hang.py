"""C3: one GPU, memory resident, and nothing launched: the job hangs on the host side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._alone import alone, of_several, waits_for_its_loader
from inquest.analyze.families._case import Claims
from inquest.analyze.families._frozen import Still, idle_stretch
from inquest.analyze.families._gpu import medians, never_touched, sampled_of
from inquest.analyze.families._limits import limit_of
from inquest.analyze.families._never_began import never_began
from inquest.analyze.families._pace import reports
from inquest.analyze.families._printed_stacks import stood_by_its_stacks
from inquest.analyze.families._pulses import Pulse, last_pulses, stood_to_the_end
from inquest.analyze.families._rows import at_node, told_by
from inquest.analyze.families._some_came import counted
from inquest.analyze.families._stacks import of_the_job
from inquest.analyze.families._stall import AT_LEAST_S, Stall, cadence_ns, one_worked, stall
from inquest.analyze.families._standstill import standstill
from inquest.analyze.families._stood_still import SENT, stood_still
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._telling import tell
from inquest.analyze.families._wall import own_clock, usual_gap_s
from inquest.analyze.families._window import recorded_span
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._gpu import Gpu
    from inquest.analyze.families._rows import Row


@dataclass(frozen=True, slots=True)
class IdleGpuHang:
    """See the module."""

    id: str = "C3"
    name: str = "idle-GPU hang"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("gpu_samples", "processes", "logs")
    helps: tuple[str, ...] = ("cuda_calls", "stacks", "gpu_processes", "steps")

    def judge(self, ev: Evidence) -> Finding:
        """A single GPU that held memory and did nothing, with no progress."""
        story = tell(ev)
        if not ev.has("gpu_samples"):
            return (
                self._by_the_host(ev, story)
                or self._by_its_silence(ev, story)
                or self._by_its_pulse(ev, story)
                or never_began(ev, story)
                or self._by_its_log(ev, story)
            )
        pause: Stall | Still | None = stall(ev, story)
        if pause is None and not _announced_end(story):
            seen = idle_stretch(ev)
            pause = seen if seen is not None and seen.unlike_a_pause(ev) else None
        until = pause.until_ns if isinstance(pause, Still) else None
        since = pause.since_ns if pause else None
        if pause is None and not story.progressed:
            since, until = recorded_span(ev)  # the GPU may have been another job's until then
        gpus = medians(ev, since, until)
        own = [gpu for gpu in gpus if (gpu.node, gpu.gpu_uuid) not in never_touched(ev)]
        gpus = tuple(own) if len(own) == 1 else gpus  # whoever asked the exporters, asked for its neighbours, too
        seen_gpus = len(gpus)
        world = ev.world_size() or 1
        if not seen_gpus:
            return CannotDecide(
                because="No GPU was sampled in the time without progress.",
                missing=("GPU samples of the end of the run, on a clock that fits that of the log",),
            )
        if seen_gpus != 1 or world > 1:
            return RuledOut(
                because=f"The job has {max(seen_gpus, world)} ranks or GPUs; ranks that wait for each other are C2.",
                would_change_if="a single GPU",
                stores=("metrics",),
            )
        (gpu,) = gpus
        if gpu.engine is None or gpu.memory_bytes is None:
            return CannotDecide(because="GPU activity or memory was not sampled.", missing=("GPU activity (NVML)",))
        idle = gpu.engine <= ev.threshold("c3.idle_engine") and not _works_now_and_then(ev, gpu, since, until)
        resident = gpu.memory_bytes >= ev.threshold("c3.resident_memory")
        failed = story.failures and not _ended_while_idle(ev, story, pause)
        if not idle or not resident or (story.progressed and pause is None) or failed or story.ended_well:
            return RuledOut(
                because="The GPU was not idle with memory resident and no progress until the end.",
                would_change_if="memory resident, no kernels and no progress for the rest of the run",
                stores=("metrics",),
            )
        claims = Claims(ev, self.id)
        held = sampled_of(gpu, since, until)
        for text, column, unit in (
            ("Median share of time a kernel was resident", "engine_active", "1"),
            ("Median memory held on the GPU", "fb_used_bytes", "bytes"),
        ):
            claims.over(text, "MEDIAN", column, "gpu_samples", held, unit=unit)
        where = f" (on {gpu.node})" if at_node(gpu.node) else ""
        text = f"The only GPU{where} held memory and ran nothing{_since_when(ev, story, pause)}"
        support = [Support("metrics", "memory resident, engine idle", decisive=True)]
        if ev.has("logs"):
            support.append(Support("logs", "no progress was reported in that time"))
        stood = of_the_job(ev)
        if stood is not None:
            stood.claim(claims, "the process")
            support.append(Support("traces", f"its process {stood.words()}", decisive=stood.waits_for is not None))
        reason = f": its process {stood.words()}," if stood is not None else ""
        return RuledIn(
            because=f"{text}{reason.rstrip(',')}.",
            would_change_if="kernel launches or progress in that time",
            headline=f"{text}{reason} until the job was ended.",
            claims=claims.all,
            support=tuple(support),
            attribution="job",
            scope="gpu",
            onset_ns=pause.since_ns if pause else ev.start_ns(),
            first_failing=Failing(
                node=gpu.node,
                gpu_uuid=gpu.gpu_uuid,
                pid=stood.pid if stood is not None else None,
                ts_ns=pause.since_ns if pause else None,
            ),
            culprit_nodes=(gpu.node,),
            culprit_gpus=(gpu.gpu_uuid,),
            cannot_decide=()
            if stood is not None
            else (Missing("What the process waited for", "stacks of the process at the stall"),),
            next=Next(
                "job",
                f"Look at {stood.guilty.line}: what the process waited for there."
                if stood is not None
                else "Record stacks at the stall (inquest attach): data, lock, network or file system.",
            ),
        )

    @staticmethod
    def _by_the_host(ev: Evidence, story: Story) -> RuledIn | None:
        """A single process that reported often, then was silent and used no CPU until a limit or somebody ended it."""
        pause, used = stood_still(ev, story) or (None, 0.0)
        several = (ev.world_size() or 1) > 1 or len(story.ranks) > 1
        if pause is None or several or not one_worked(ev, pause.since_ns):
            return None
        silent_s = pause.silent_ns / 1e9
        claims = Claims(ev, "C3")
        claims.row("Last report before the silence", pause.table, pause.row, "ts_ns", "ns")
        stood = of_the_job(ev)
        support = [
            Support("logs", f"nothing was reported for {silent_s:.0f} s, {pause.factor:.0f} times the usual"),
            Support("processes", f"its processes used {used:.1f} s of CPU time meanwhile"),
        ]
        if stood is not None:
            stood.claim(claims, "the process")
            support.append(Support("traces", f"its process {stood.words()}", decisive=stood.waits_for is not None))
        reason = "" if stood is None else f": its process {stood.words()}"
        told = story.progressed or story.counted is not None
        where = when(story).replace(" at ", " after ") if told else ""
        text = f"The job stood still{where} for {silent_s:.0f} s until it was ended{reason}"
        return RuledIn(
            because=f"{text}; its processes used {used:.1f} s of CPU time meanwhile.",
            would_change_if="progress, or work on a GPU, in that time",
            headline=f"{text}; it used {used:.1f} s of CPU time meanwhile.",
            claims=claims.all,
            support=tuple(support),
            attribution="job",
            scope="rank",
            onset_ns=pause.since_ns,
            sub_mode="host_side",
            first_failing=Failing(
                node=pause.row["node"], pid=None if stood is None else stood.pid, ts_ns=pause.since_ns
            ),
            cannot_decide=(Missing("Whether a GPU was held meanwhile", "GPU samples (NVML or DCGM)"),)
            if stood is not None
            else (
                Missing("Whether a GPU was held meanwhile", "GPU samples (NVML or DCGM)"),
                Missing("What the process waited for", "stacks of the process at the stall"),
            ),
            next=Next(
                "job",
                f"Look at {stood.guilty.line}: what the process waited for there."
                if stood is not None
                else "Look for what it waited for: a lock, a queue, a reader or the network (stacks: inquest attach).",
            ),
        )

    @staticmethod
    def _by_its_silence(ev: Evidence, story: Story) -> RuledIn | None:
        """A single process that reported often, and then nothing for a hundred times as long, until it was ended."""
        limit, cancelled = limit_of(ev, story), _cancelled(story)
        by_limit = limit is not None and not limit.own and limit.told is not None
        if not (by_limit or cancelled is not None) or reports(story) < _REPORTS:
            return None
        until_ns = limit.until_ns if limit is not None else None
        pause = stall(ev, story, AT_LEAST_S, until_ns)
        if pause is None or standstill(ev, story, until_ns) is None:
            return None
        long = pause.silent_ns >= 2 * ev.threshold("c2.frozen_least") * 1e9
        surely = long and pause.factor >= _SURELY * ev.threshold("c3.host_cadences")
        if not surely or not alone(ev, story):
            return None
        claims = Claims(ev, "C3")
        claims.row("Last report before the silence", pause.table, pause.row, "ts_ns", "ns")
        claims.over("Lines that speak of several ranks", "COUNT", "*", "log_lines", of_several(), unit="lines")
        if limit is not None and by_limit:
            ended, until = replace(limit.claim(ev, claims), decisive=False), "its time limit"
        else:
            assert cancelled is not None
            claims.row("What says that it was cancelled", "fact_events", cancelled, "text")
            ended, until = Support(told_by(cancelled), "it was cancelled"), "it was cancelled"
        length, factor = f"{pause.silent_ns / 60e9:.0f} min", f"{pause.factor:.0f} times"
        text = f"The job stood still{when(story).replace(' at ', ' after ')} for {length} until {until}"
        return RuledIn(
            because=f"{text}, {factor} what had lain between reports, and nothing tells of a second process.",
            would_change_if="progress, or work on a GPU, in that time; a second rank, which it may have waited for",
            headline=f"{text}; nothing was reported for {factor} as long as usual.",
            claims=claims.all,
            support=(Support("logs", f"nothing was reported for {length}, {factor} the usual"), ended),
            attribution="job",
            scope="rank",
            onset_ns=pause.since_ns,
            sub_mode="host_side",
            first_failing=Failing(node=pause.row["node"], ts_ns=pause.since_ns),
            cannot_decide=(
                Missing("Whether a GPU was held meanwhile", "GPU samples (NVML or DCGM)"),
                Missing("What the process waited for", "stacks of the process at the stall"),
            ),
            next=Next(
                "job", "Look for what it waited for: a lock, a queue, a reader or the network (stacks: inquest attach)."
            ),
        )

    @staticmethod
    def _by_its_pulse(ev: Evidence, story: Story) -> RuledIn | None:
        """A single process that went on telling the count of its last report, and for how long, to its end."""
        pulses, cadence = last_pulses(ev, story), _usual_ns(ev, story)
        if len(pulses) != 1 or cadence is None or not stood_to_the_end(story, pulses):
            return None
        (pulse,) = pulses
        if counted(ev, pulse) is not None:
            return None  # it waits for one of several
        loading = pulse.idle and waits_for_its_loader(ev, pulse.rows[0])
        if not _of_the_last(story, pulse) or not alone(ev, story, wrapped=loading):
            return None
        factor = pulse.length_s * 1e9 / cadence
        due = ev.threshold("c3.host_cadences")
        if reports(story) < (_REPORTS if factor < 2 * due else _FEW):
            return None
        long = pulse.length_s >= 2 * ev.threshold("c2.frozen_least") and factor >= _SURELY * due
        slept = pulse.no_cpu or pulse.waits is not None or pulse.idle
        # That neither its work nor a processor moves is told by two numbers of their own.
        still = due / 2 if pulse.idle and pulse.no_cpu and len(pulse.rows) >= _REPORTS else due
        slept = slept and pulse.length_s >= _NO_CPU_S and factor >= still
        # What is done once an epoch at that place, if anything, took no time in the epoch before.
        passed = _passed_before(story) and pulse.length_s >= _PASSED_S and factor >= 2 * due
        watched = pulse.since_last and pulse.length_s >= 2 * ev.threshold("c2.frozen_least") and factor >= 2 * due
        if not (long or slept or passed or watched):
            return None
        claims = Claims(ev, "C3")
        claims.row("What it told last", "log_lines", pulse.last, "text")
        claims.row("What it told first of those", "log_lines", pulse.rows[0], "text")
        why = "its stack waits for its own loader" if loading else "nothing tells of a second process"
        if not loading:
            claims.over("Lines that speak of several ranks", "COUNT", "*", "log_lines", of_several(), unit="lines")
        none = " and that it used no processor" if pulse.no_cpu else ""
        text = f"The job stood still{when(story).replace(' at ', ' after ')} for {pulse.length_s:.0f} s"
        what = "the same count"
        if pulse.waits is not None:
            what = f"that it slept in {pulse.waits}, and the same processor time"
        elif pulse.idle:
            what = "that nothing was done"
        elif pulse.since_last and not pulse.counts:
            what = "how long ago the last of its work was"
        told = f"{len(pulse.rows)} times it told {what}{none}"
        return RuledIn(
            because=f"{text}: {told}, and {why}.",
            would_change_if="progress, or work on a GPU, in that time; a second rank, which it may have waited for",
            headline=f"{text}: {told}.",
            claims=claims.all,
            support=(Support("logs", f"{told}, {factor:.0f} times as long as between two reports"),),
            attribution="job",
            scope="rank",
            onset_ns=pulse.rows[0]["ts_ns"],
            sub_mode="host_side",
            first_failing=Failing(node=pulse.last["node"], ts_ns=pulse.rows[0]["ts_ns"]),
            cannot_decide=(
                Missing("Whether a GPU was held meanwhile", "GPU samples (NVML or DCGM)"),
                Missing("What the process waited for", "stacks of the process at the stall"),
            ),
            next=Next(
                "job", "Look for what it waited for: a lock, a queue, a reader or the network (stacks: inquest attach)."
            ),
        )

    @staticmethod
    def _by_its_log(ev: Evidence, story: Story) -> Finding:
        """A single process that printed its stacks again and again where it stood, and reported nothing any more."""
        stood = stood_by_its_stacks(ev, story)
        if stood is None:
            return CannotDecide(because="No GPU was sampled.", missing=("GPU samples (NVML or DCGM)",))
        claims = Claims(ev, "C3")
        claims.row("What the process printed of where it stood", "log_lines", stood.row, "text")
        told = story.progressed or story.counted is not None
        where = when(story).replace(" at ", " after ") if told else ""
        text = f"The job stood still{where} for {stood.silent_s:.0f} s to the end of its log: it {stood.words()}"
        return RuledIn(
            because=f"{text}; {stood.why}.",
            would_change_if="a report after the stacks were printed, or work on a GPU in that time",
            headline=f"{text}.",
            claims=claims.all,
            support=(Support("logs", f"{stood.why}, and nothing was reported for {stood.silent_s:.0f} s"),),
            attribution="job",
            scope="rank",
            onset_ns=stood.since_ns,
            sub_mode="host_side",
            first_failing=Failing(node=stood.row["node"], ts_ns=stood.since_ns),
            cannot_decide=(Missing("Whether a GPU was held meanwhile", "GPU samples (NVML or DCGM)"),),
            next=Next("job", f"Look at {stood.line}: what the process waited for there."),
        )


def _of_the_last(story: Story, pulse: Pulse) -> bool:
    """Whether a pulse tells the count of the last report, of a run or of its epoch, or that nothing is done since."""
    last = story.last_step
    if pulse.waits is not None or pulse.idle or pulse.since_last:
        return True
    if last is None:
        return False
    epoch = _an_epoch(story)
    at = {last, last % epoch} if epoch else {last}
    return any(abs(count - each) <= 1 for count in pulse.counts for each in at)


def _an_epoch(story: Story) -> int | None:
    """Steps of an epoch, where both its number and that of all steps are told."""
    steps, epochs = story.steps.select(pl.col("total_steps", "total_epochs").drop_nulls().last()).row(0)
    return steps // epochs if steps and epochs and steps > epochs else None


def _passed_before(story: Story) -> bool:
    """Whether an earlier epoch had come past the place where the last one is."""
    epoch = _an_epoch(story)
    return epoch is not None and story.last_step is not None and story.last_step - (story.first_step or 0) > epoch


def _cancelled(story: Story) -> Row | None:
    """What says that somebody cancelled the job as a whole."""
    return next((row for row in story.of(Kind.CANCELLED) if "." not in str(row["subject"] or "")), None)


def _usual_ns(ev: Evidence, story: Story) -> int | None:
    """Usual time between two reports, by the clock of the lines or the program's own; None where neither tells."""
    if (cadence := cadence_ns(story)) is not None:
        return cadence
    own = own_clock(ev, story)
    if own is not None:
        return int(own.usual_s * 1e9)
    # A bar tells how long a step takes.
    bars = story.steps.filter(pl.col("kind") == str(Kind.BAR)).sort("line_seq")
    apart_s = bars.select(pl.col("step").diff() * pl.col("step_time_s"))["step"].drop_nulls().median()
    if not isinstance(apart_s, float) or apart_s <= 0:
        apart_s = usual_gap_s(ev, story)
    return int(apart_s * 1e9) if apart_s else None


def _since_when(ev: Evidence, story: Story, pause: Stall | Still | None) -> str:
    """From when on, in words: without its output nobody knows of steps, and a GPU may tell that it had worked."""
    if story.progressed:
        return when(story).replace(" at ", " after ")
    if isinstance(pause, Still):
        return f" for the last {pause.length_ns / 60e9:.0f} min"
    return when(story).replace(" at ", " after ") if ev.has("logs") else ""


def _ended_while_idle(ev: Evidence, story: Story, pause: Stall | Still | None) -> bool:
    """Whether all that failed is that somebody ended the job by a signal, when its GPU had long been idle."""
    if pause is None or story.of(Kind.CGROUP_OOM, Kind.OOM_KILLER, Kind.SLURM_OOM, Kind.SEGFAULT):
        return False
    late_ns = pause.since_ns + int(ev.threshold("c2.frozen_least") * 1e9)
    return all(
        failure.death is not None
        and failure.death.term_signal in SENT
        and failure.row["ts_ns"] is not None
        and failure.row["ts_ns"] >= late_ns
        for failure in story.failures
    )


def _works_now_and_then(ev: Evidence, gpu: Gpu, since: int | None, until: int | None) -> bool:
    """Whether kernels were seen time and again to the end of the time in question: it works little, and is no hang."""
    at, mine = pl.col("ts_ns"), (pl.col("node") == gpu.node) & pl.col("gpu_uuid").eq_missing(gpu.gpu_uuid)
    told = ev.scan("gpu_samples").filter(mine & at.is_not_null() & pl.col("engine_active").is_not_null())
    told = told.filter(at >= since) if since is not None else told
    told = told.filter(at <= until) if until is not None else told
    engine = told.select("ts_ns", "engine_active").sort("ts_ns").collect()["engine_active"]
    parts = [engine[k * len(engine) // _PARTS : (k + 1) * len(engine) // _PARTS] for k in range(_PARTS)]
    idle = ev.threshold("c3.idle_engine")
    return all((part > idle).sum() >= max(2, _NOW_AND_THEN * len(part)) for part in parts)


_SURELY: Final = 3
"""A silence as many times as long as what may be a standstill."""
_NO_CPU_S: Final = 30
"""For how long a process may tell that it used no processor before that is a standstill."""
_PASSED_S: Final = 45
"""For how long a count may stand where an earlier epoch came past without a pause."""
_REPORTS: Final = 8
"""Reports that tell a cadence which could be missed."""
_FEW: Final = 5
"""The same, where so many were due that a cadence half as long would have been missed, too."""
_PARTS: Final = 4
_NOW_AND_THEN: Final = 0.05
"""Share of the readings in each quarter that see a kernel, where a GPU is given work too seldom and not never."""


def _announced_end(story: Story) -> bool:
    """True where training had come to its end: what a job does after that needs no GPU."""
    return bool(story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED))


FAMILY: Final = IdleGpuHang()
