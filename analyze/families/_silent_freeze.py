"""A freeze that nothing reported: all ranks fell silent together while they were held, or their GPUs only spun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.analyze.families._case import Claims
from inquest.analyze.families._frozen import advanced, frozen, frozen_after, frozen_of_all
from inquest.analyze.families._gpu import rank_of_gpu, sampled_of, stopped
from inquest.analyze.families._rows import at_node, named
from inquest.analyze.families._stall import named_in_reports, stall
from inquest.analyze.families._standstill import nodes_allocated, standstill
from inquest.analyze.families._stood_still import stood_still
from inquest.analyze.families._story import when
from inquest.analyze.families._window import recorded_span
from inquest.analyze.families._witnesses import (
    RANKS_CLAIMED,
    add_cold,
    add_launches,
    add_places,
    listed,
    look_at,
    ranks_of,
    ranks_on,
)
from inquest.analyze.families.base import CannotDecide, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._frozen import Frozen
    from inquest.analyze.families._gpu import Gpu
    from inquest.analyze.families._launches import Launches
    from inquest.analyze.families._stacks import Place
    from inquest.analyze.families._stall import Stall
    from inquest.analyze.families._story import Story
    from inquest.analyze.families.base import Finding

_ENDS: Final = (Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.FAREWELL)
_RECORD: Final = (
    "Set a collective time-out and TORCH_NCCL_TRACE_BUFFER_SIZE, and record stacks at the stall (inquest attach)."
)
_WHO: Final = Missing("Which rank did not come", "stacks, collective counts or a flight-recorder dump of every rank")


def silent(ev: Evidence, story: Story) -> Finding:
    """Progress that stopped while the job was held tells of a freeze, if many ranks stopped."""
    pause = stall(ev, story, until_ns=_told_its_end(ev, story))
    still = None if pause is not None or ev.has("gpu_samples") else stood_still(ev, story)
    if still is not None and still[0].table == "fact_steps":
        pause = still[0]
    seen = frozen(ev) or frozen_of_all(ev) or _lost_one(ev, story)
    if seen is not None and (story.ended_well or advanced(ev, story, seen)):
        seen = None
    if still is None and story.last_planned is not None and story.of(*_ENDS):
        pause = None  # all was done, and said to be: samples may go on for longer
    if pause is None:
        return _spun(ev, story, seen) if seen is not None and seen.unlike_a_pause(ev) else _went_on(story)
    world = ev.world_size() or len(ev.ranks())
    if world <= 1 and seen is not None:
        world = len(seen.spinning) + len(seen.cold)
    if world <= 1:
        world = max(world, named_in_reports(ev, story))
    whose = f"All {world} ranks"
    # A program that several nodes were held for has ranks on them, whatever its log calls them.
    # One that the scheduler still had for running may have been copied while it was well.
    if world <= 1 and pause.factor >= ev.threshold("c2.buffered_reports") and _ended_standing(ev, story):
        world = nodes_allocated(ev)
        whose = f"The ranks on {world} nodes"
    if world <= 1:
        return RuledOut(
            because="Only one rank is known, and one rank waits for no other.",
            would_change_if="more than one rank",
            stores=("logs",),
        )
    return _stopped_together(ev, story, pause, seen, whose, None if still is None else still[1])


def _lost_one(ev: Evidence, story: Story) -> Frozen | None:
    """The freeze of those that were left when a signal ended a process of the job, be they no more than one."""
    first = story.first
    if first is None or first.death is None or first.row["ts_ns"] is None:
        return None
    return frozen_after(ev, first.row["ts_ns"])


def _went_on(story: Story) -> Finding:
    if story.failures or story.ended_well or story.crashes:
        return RuledOut(
            because="No collective timed out, and progress did not stop while the job was held.",
            would_change_if="a collective time-out, or a silence far longer than a step before the end",
            stores=("logs",),
        )
    return CannotDecide(
        because="No collective reported a time-out; whether the ranks still advanced at the end is not known.",
        missing=("times of the lines (inquest run)", "collective counts or a flight-recorder dump"),
    )


def _stopped_together(
    ev: Evidence, story: Story, pause: Stall, seen: Frozen | None, whose: str, cpu_s: float | None
) -> Finding:
    """All ranks stopped at once; who kept the others is told by stacks, else by launches, else by GPUs at rest."""
    claims = Claims(ev, "C2")
    claims.over("Time of the last progress of any rank", "MAX", "ts_ns", "fact_steps", unit="ns")
    seconds = pause.silent_ns / 1e9
    support = [Support("logs", f"no progress for {seconds:.0f} s before the end")]
    if cpu_s is not None:
        support.append(Support("processes", f"its processes used {cpu_s:.1f} s of CPU time meanwhile"))
    if (limit := next(iter(story.of(Kind.TIME_LIMIT, Kind.CANCELLED)), None)) is not None and cpu_s is None:
        claims.row("What ended the wait", "fact_events", limit, "text")
        support.append(Support("scheduler", "nothing but the scheduler ended it"))
    cold = _add_stopped(ev, claims, support, pause, seen)
    own = add_places(ev, claims, support)
    launched = add_launches(ev, claims, support) if not own else None
    ranks, why = _whom(ev, own, launched, cold)
    text = f"{whose} froze" + ("" if story.last_step is None else f" after step {story.last_step}")
    text += f" and did nothing for {seconds:.0f} s" + (f": {why}, and the others waited for it" if why else "")
    return RuledIn(
        because=f"{whose} were silent for {seconds:.0f} s, {pause.factor:.0f} times a usual step.",
        would_change_if="progress of any rank in that time, or a phase (evaluation, saving) that explains it",
        headline=f"{text}, until the job was ended.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=pause.since_ns,
        sub_mode="host_stopped" if own else launched.mode if launched is not None else "silent",
        first_failing=Failing(
            rank=ranks[0] if len(ranks) == 1 else None,
            node=own[0].node if len(own) == 1 else cold[0].node if len(cold) == 1 else None,
            gpu_uuid=cold[0].gpu_uuid if len(cold) == 1 else None,
            ts_ns=pause.since_ns,
        ),
        culprit_ranks=ranks,
        culprit_nodes=tuple(sorted({stack.node for stack in own} or {gpu.node for gpu in cold})),
        culprit_gpus=tuple(gpu.gpu_uuid for gpu in cold),
        cannot_decide=()
        if own
        else (Missing(f"Why {why}", "stacks of its process at that time") if why is not None else _WHO,),
        next=Next("job", look_at(own) if own else _RECORD),
    )


def _add_stopped(
    ev: Evidence, claims: Claims, support: list[Support], pause: Stall, seen: Frozen | None
) -> tuple[Gpu, ...]:
    """Claims and support from the GPUs on which nothing ran after progress had stopped; returns them."""
    # The last step may still have run for a while after it was reported.
    after_ns = pause.since_ns + min(pause.silent_ns // 4, int(ev.threshold("stall.least_silence") * 1e9))
    cold = stopped(ev, after_ns) or (seen.cold if seen is not None else ())
    for gpu in cold[:RANKS_CLAIMED]:
        what = f"Median engine activity of {gpu.gpu_uuid} after that"
        claims.over(what, "MEDIAN", "engine_active", "gpu_samples", sampled_of(gpu, after_ns), unit="1")
    if cold:
        _, nothing_ran = _whose(ev, cold)
        support.append(Support("metrics", f"{nothing_ran} while the others spun", decisive=True))
    return cold


def _whom(
    ev: Evidence, own: tuple[Place, ...], launched: Launches | None, cold: tuple[Gpu, ...]
) -> tuple[tuple[int, ...], str | None]:
    """The ranks that the others waited for, and what is known of them as a clause."""
    if own:
        return ranks_of(own), f"{named(ranks_of(own))} {own[0].words()}"
    if launched is not None:
        return launched.culprits, f"{named(launched.culprits)} {launched.words()}"
    return _whose(ev, cold) if cold else ((), None)


def _whose(ev: Evidence, cold: tuple[Gpu, ...]) -> tuple[tuple[int, ...], str]:
    """Ranks of GPUs as far as they are known, and that nothing ran there."""
    ranks = tuple(sorted(rank for gpu in cold if (rank := rank_of_gpu(ev, gpu.gpu_uuid)) is not None))
    names = named(ranks) if ranks else ", ".join(f"{gpu.gpu_uuid}{at_node(gpu.node)}" for gpu in cold)
    return ranks, f"nothing ran on the GPU of {names}"


def _spun(ev: Evidence, story: Story, seen: Frozen) -> Finding:
    """A freeze that only the samples of the GPUs show: the log has no times, or there is none."""
    claims = Claims(ev, "C2")
    support: list[Support] = []
    cold = add_cold(claims, support, seen)
    for gpu in seen.spinning[:1]:
        spun = sampled_of(gpu, seen.since_ns, seen.until_ns)
        claims.over(
            f"Median engine activity of {gpu.gpu_uuid} then", "MEDIAN", "engine_active", "gpu_samples", spun, unit="1"
        )
        for column, unit in (("sm_active", "1"), ("power_w", "W")):
            claims.over(f"Median {column} of {gpu.gpu_uuid} then", "MEDIAN", column, "gpu_samples", spun, unit=unit)
    if not cold:
        support.append(Support("metrics", f"{len(seen.spinning)} GPUs spun without computing"))
    if (limit := next(iter(story.of(Kind.TIME_LIMIT, Kind.CANCELLED)), None)) is not None:
        claims.row("What ended the wait", "fact_events", limit, "text")
        support.append(Support("scheduler", "nothing but the scheduler ended it"))
    ranks = ranks_on(ev, cold)
    names = named(ranks) if ranks else f"the rank on {listed(cold)}" if cold else None
    minutes = seen.length_ns / 60e9
    many = len(seen.spinning)
    spun_text = f"{'the other GPU' if many == 1 else f'{many} GPUs'} spun for {minutes:.0f} min without computing"
    headline = f"{names[0].upper()}{names[1:]} ran nothing while {spun_text}" if names else f"All {spun_text}"
    return RuledIn(
        because=f"{headline}: their ranks waited in a collective{when(story) if story.progressed else ''}.",
        would_change_if="steps in that time, or a phase (evaluation, saving) that explains it",
        headline=f"{headline}, until the job was ended.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=seen.since_ns,
        sub_mode="silent",
        first_failing=Failing(
            rank=ranks[0] if len(ranks) == 1 else None,
            node=cold[0].node if len(cold) == 1 else None,
            gpu_uuid=cold[0].gpu_uuid if len(cold) == 1 else None,
            ts_ns=seen.since_ns,
        ),
        culprit_ranks=ranks,
        culprit_nodes=tuple(sorted({gpu.node for gpu in cold})),
        culprit_gpus=tuple(gpu.gpu_uuid for gpu in cold),
        cannot_decide=(Missing(f"Why nothing ran on {listed(cold)}", "stacks of its process at that time"),)
        if cold
        else (_WHO,),
        next=Next("job", _RECORD),
    )


def _told_its_end(ev: Evidence, story: Story) -> int | None:
    """When the log tells that the job ended, where no accounting does: telemetry goes on after the job.

    A launcher tells of a failed rank, a scheduler of what it took; a rank that leaves its loop when it is told to was
    at work until then.
    """
    if ev.has("slurm_jobs"):
        return None
    last = story.steps["ts_ns"].max()
    ends = [row["ts_ns"] for row in story.of(Kind.LAUNCHER_FAILURE) if row["ts_ns"] is not None]
    ended = (row["ts_ns"] for row in story.of(*_ENDED_BY) if row["ts_ns"] is not None)
    return min([*ends, *(at for at in ended if isinstance(last, int) and at > last)], default=None)


_ENDED_BY: Final = (Kind.PREEMPTED, Kind.CANCELLED, Kind.TIME_LIMIT, Kind.PLANNED_EXIT)


def _ended_standing(ev: Evidence, story: Story) -> bool:
    """Whether the scheduler ended a job that had long stood still, and nothing else did."""
    ended = story.of(Kind.TIME_LIMIT, Kind.CANCELLED, Kind.PREEMPTED) and not story.failures
    return bool(ended) and recorded_span(ev)[1] is not None and standstill(ev, story) is not None
