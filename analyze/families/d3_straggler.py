"""D3: one slow rank holds the others: it does the work (high SM activity) while its peers only wait."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.families._around_saves import idled_for
from inquest.analyze.families._case import Claims
from inquest.analyze.families._clocks import apart, each_time, straggling
from inquest.analyze.families._compared import model_of
from inquest.analyze.families._detectors import detected
from inquest.analyze.families._extremes import extremes
from inquest.analyze.families._gpu import (
    Gpu,
    done_before,
    mean_sql,
    rank_of_gpu,
    sampled_of,
    span,
    trained_on,
    while_training,
)
from inquest.analyze.families._host_side import beside_a_slow_gpu
from inquest.analyze.families._low_clocks import Clocked, clocked, equal_work, held_by_nothing
from inquest.analyze.families._pace import paces, saved_times, slowdown, steps_done
from inquest.analyze.families._ranks_by_lines import slowest_by_lines
from inquest.analyze.families._ranks_in_a_line import slowest_in_a_line
from inquest.analyze.families._rows import at_node, gpu_called, its_node, named
from inquest.analyze.families._slow_speaker import SlowSpeaker, slow_speaker, slower_speaker
from inquest.analyze.families._telling import tell
from inquest.analyze.families._unseen_nodes import waits_for_unseen
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.families.d2_throughput_bound import save_storm
from inquest.analyze.model import Failing, Missing, Next
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Straggler:
    """See the module."""

    id: str = "D3"
    name: str = "straggler"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("gpu_samples", "steps")
    helps: tuple[str, ...] = ("nccl_collectives", "cuda_calls", "gpu_processes", "steps", "sched_samples")

    def judge(self, ev: Evidence) -> Finding:
        """The GPU whose SM activity stands far above the others', or the rank that its own clocks tell apart."""
        story = tell(ev)
        sampled = ev.has("gpu_samples")
        found = self._found(ev, story) if sampled else _UNSAMPLED
        if not isinstance(found, RuledIn):
            low = _at_a_low_clock(ev, story) if sampled else None
            told = _by_clocks(ev, story) or _by_detector(ev, story) or _by_a_line(ev, story) or _by_speakers(ev, story)
            found = _told_as_well(low, told) or low or told or found
        if not isinstance(found, RuledIn):
            return found
        return _slower_by_model(ev, story, found) or beside_a_slow_gpu(ev, story, found)

    def _found(self, ev: Evidence, story: Story) -> Finding:
        untold = not ev.job_spoke() and story.steps.is_empty() and story.ended_well is not False
        if steps_done(story) < ev.threshold("d.least_steps") and not untold:
            return CannotDecide(because="Too few steps were done to compare ranks.", missing=("a longer run",))
        done = done_before(ev, story)
        used = tuple(gpu for gpu in while_training(ev, story) if (gpu.node, gpu.gpu_uuid) not in done)
        used = tuple(map(_measured_at_all, used))
        late = _late(ev, story, used)
        if late is not None and (storm := save_storm(ev, story)) is not None:
            return CannotDecide(
                because="A GPU idles while its peers wait for it, but a checkpoint was saved"
                f" {saved_times(story, storm[0])} in {storm[1]} steps: who writes it keeps the others waiting.",
                missing=("the same run with fewer saves",),
            )
        if late is not None and idled_for(ev, story) is not None:
            return CannotDecide(
                because="A GPU idles while its peers wait for it, not in every step, but in the rhythm of the saves:"
                " who writes a checkpoint keeps the others waiting.",
                missing=("the same run with fewer saves",),
            )
        if late is not None:
            return late
        gpus = [gpu for gpu in used if gpu.sm is not None]
        if len(gpus) < 2 and (found := _by_work(ev, story, used)) is not None:
            return found
        if len(gpus) < 2 and (found := _by_power(ev, story)) is not None:
            return found
        if len(gpus) < 2:
            return CannotDecide(
                because="SM activity of two GPUs or more is needed to compare them.",
                missing=("SM activity of every GPU (NVML GPM or DCGM)",),
            )
        stand = _standing_apart([(gpu.sm or 0.0, gpu) for gpu in gpus], ev.threshold("d3.sm_apart"))
        if stand is None and (unseen := waits_for_unseen(ev, story)) is not None:
            return CannotDecide(
                because=f"{unseen}: whether one of those keeps the others waiting is not known.",
                missing=("GPU samples of every node of the job",),
            )
        worked = story.progressed or (untold and stand is not None and _of_one_job(ev, stand))
        if stand is None or not worked or not _spin(ev, stand.rest):
            highest = max(gpu.sm or 0.0 for gpu in gpus)
            return RuledOut(
                because=f"No GPU's SM activity stands out (highest {highest:.2f}, typical {_typical(gpus):.2f}).",
                would_change_if="one GPU far above the others in SM activity while their engines spin",
                stores=("metrics",),
            )
        top, other, typical = stand.slow[0], stand.rest[0], stand.typical
        if _is_a_pipeline(ev):
            return CannotDecide(
                because=f"The SM activity of a GPU is {top.sm:.2f}, that of the others {typical:.2f}, and the model"
                " is cut into a pipeline, whose stages may have more or less to do by design.",
                missing=("which stage that GPU has, and a run in which it was as busy as the others",),
            )
        claims = Claims(ev, self.id)
        for whose, gpu in (("the slow rank's", top), ("another", other)):
            where = trained_on(ev, gpu, story)
            claims.over(f"Median SM activity of {whose} GPU", "MEDIAN", "sm_active", "gpu_samples", where, unit="1")
        rank, name = _named(ev, stand.slow)
        waited = _kept_waiting(ev, story, rank, claims)
        text = f"{name} does the work of a step (SM activity {top.sm:.2f}) while its peers wait ({typical:.2f})"
        return RuledIn(
            because=f"{text}: it is the slow one.",
            would_change_if="a different amount of work given to this rank on purpose",
            headline=f"{name} slows all others down: its SM activity is {top.sm:.2f}, theirs {typical:.2f}.",
            claims=claims.all,
            support=(Support("metrics", "SM activity far above that of the peers", decisive=True),),
            attribution="infrastructure",
            severity="low",
            **_culprits(ev, stand.slow),
            implies=() if waited is None else (waited,),
            cannot_decide=(Missing("How much time was lost", "a baseline run (--baseline)"),),
            next=Next(
                "infrastructure", _STARVED.format(its_node(top.node)) if waited else _COMPARE.format(its_node(top.node))
            ),
        )


def _told_as_well(low: Finding | None, told: Finding | None) -> Finding | None:
    """A GPU's low clock with the rank that the job itself says is slow, where samples do not tell whose GPU it is."""
    if not isinstance(low, RuledIn) or not isinstance(told, RuledIn) or low.culprit_ranks or len(low.culprit_gpus) > 1:
        return None
    return replace(
        low, culprit_ranks=told.culprit_ranks, claims=(*low.claims, *told.claims), support=(*low.support, *told.support)
    )


def _slower_by_model(ev: Evidence, story: Story, found: RuledIn) -> CannotDecide | None:
    """GPUs of different models work at one pace by waiting for the slower one: that is how the job was laid out."""
    models = model_of(ev) if found.culprit_gpus else {}
    slow = {models.get(uuid) for uuid in found.culprit_gpus}
    peers = {gpu.gpu_uuid for gpu in while_training(ev, story)} - set(found.culprit_gpus)
    waiting = {models.get(uuid) for uuid in peers}
    if not peers or None in slow | waiting or slow & waiting:
        return None
    busy, idle = (", ".join(sorted(filter(None, names))) for names in (slow, waiting))
    return CannotDecide(
        because=f"The GPUs that compute all the time are of another model ({busy}) than those that wait for them"
        f" ({idle}): a job laid out over both goes at the pace of the slower.",
        missing=("the pace of each model alone, or the shares of work they were given",),
    )


def _measured_at_all(gpu: Gpu) -> Gpu:
    """A GPU without what reads 0 from the first step to the last: its profiling was paused, for it trained as well."""
    if gpu.sm_mean != 0:
        return gpu
    told = replace(gpu, sm=None, sm_mean=None, tensor_mean=None, dram_mean=None)
    return replace(told, engine=None, engine_mean=None) if gpu.engine_mean == 0 else told


def _by_detector(ev: Evidence, story: Story) -> Finding | None:
    """The rank that the job's own detector names report after report, where it is as slow as a straggler has to be."""
    least = ev.threshold("d3.work_ratio")
    told = detected(ev, least) or extremes(ev)
    if told is None or told.ratio < least or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    if told.by_loop and _is_a_pipeline(ev):
        return None
    claims = Claims(ev, "D3")
    source = "lines that tell the time of every rank" if told.by_loop else "reports of the job's own detector"
    kept = "text" in told.row
    table, column = ("log_lines", "text") if kept else ("metrics", "value")
    claims.row(f"The last of the {source}", table, told.row, column)
    where = "" if told.node is None else f" on {told.node}"
    text = (
        f"Rank {told.rank}{where} is the slowest in nearly all of {told.reports} {source}, and"
        f" takes {told.ratio:.1f} times as long as the others"
    )
    return RuledIn(
        because=f"{text}.",
        would_change_if="reports that name now one rank and now another",
        headline=f"{text}: it slows all others down.",
        claims=claims.all,
        support=(Support("logs" if kept else "metrics", text, decisive=True),),
        attribution="infrastructure",
        scope="rank",
        severity="low",
        first_failing=Failing(rank=told.rank, node=told.node),
        culprit_ranks=(told.rank,),
        culprit_nodes=() if told.node is None else (told.node,),
        cannot_decide=(Missing("Why it is slow", "samples of its GPU and host"),),
        next=Next("infrastructure", _COMPARE.format(told.node or f"the node of rank {told.rank}")),
    )


def _is_a_pipeline(ev: Evidence) -> bool:
    """Whether the job says that its model is cut into stages."""
    if not ev.has("logs"):
        return False
    stages = pl.col("text").str.extract(_STAGES).cast(pl.Int64, strict=False)
    most = ev.scan("log_lines").filter(pl.col("seq") < _HEAD).select(stages.max()).collect().item()
    return most is not None and most > 1


_STAGES: Final = (
    r"(?i)\b(?:pipeline[-_ ](?:model[-_ ])?parallel(?:ism)?(?:[-_ ](?:world[-_ ])?(?:size|degree))?"
    r"|pp[-_ ](?:size|degree))[ .:=]{1,40}(\d{1,4})\b"
)
_HEAD: Final = 2000
"""Lines of a log in which a job says how it is laid out."""


def _of_one_job(ev: Evidence, stand: _Apart) -> bool:
    """Whether GPUs tell by themselves that they work together, one long and the others little, where no log does.

    They hold as much memory, were read often enough, and the peers do less than half of what the slow one does.
    """
    gpus = (*stand.slow, *stand.rest)
    held = [gpu.memory_bytes for gpu in gpus]
    often = min(gpu.samples for gpu in gpus) >= _READINGS
    apart_by = max(gpu.sm or 0.0 for gpu in stand.rest) <= _LITTLE * min(gpu.sm or 0.0 for gpu in stand.slow)
    return often and apart_by and _alike(held, ev.threshold("d3.alike")) is not False


_LITTLE: Final = 0.5
_READINGS: Final = 60


def _typical(gpus: Sequence[Gpu]) -> float:
    return statistics.median(gpu.sm or 0.0 for gpu in gpus)


def _spin(ev: Evidence, gpus: Sequence[Gpu]) -> bool:
    """Whether kernels were resident on these GPUs nearly all the time, as while they wait for each other."""
    return statistics.median(gpu.engine or 0.0 for gpu in gpus) >= ev.threshold("d2.engine_busy")


@dataclass(frozen=True, slots=True)
class _Apart:
    """GPUs that stand far above the others by a reading, the farthest first, and the others, highest first."""

    slow: tuple[Gpu, ...]
    rest: tuple[Gpu, ...]
    typical: float


def _standing_apart(readings: Sequence[tuple[float, Gpu]], least: float) -> _Apart | None:
    """The few GPUs, or those of one node, that read at least so much more than a typical one of the others.

    None where none does, where many do, or where others stand between: stages of a pipeline differ as well.
    """
    told = sorted(readings, key=lambda each: (-each[0], each[1].node, each[1].gpu_uuid))
    # A quarter from below: half of the GPUs may be the slow ones, where they are those of a node.
    typical = told[len(told) - 1 - (len(told) - 1) // 4][0]
    slow = [each for each in told if each[0] - typical >= least]
    rest = told[len(slow) :]
    if not slow or not rest or rest[0][0] - typical > least / 2:
        return None
    nodes = {gpu.node for _, gpu in slow}
    whole_node = len(nodes) == 1 and not nodes & {gpu.node for _, gpu in rest}
    if len(nodes) > 1 or not (whole_node or 3 * len(slow) <= len(told) or len(slow) == 1):
        return None
    return _Apart(tuple(gpu for _, gpu in slow), tuple(gpu for _, gpu in rest), typical)


def _culprits(ev: Evidence, slow: Sequence[Gpu], since_ns: int | None = None) -> dict[str, Any]:
    """Who they are, as a finding names them."""
    first = slow[0]
    ranks = sorted({rank for gpu in slow if (rank := rank_of_gpu(ev, gpu.gpu_uuid)) is not None})
    return {
        "scope": "gpu" if len(slow) == 1 else "node",
        "first_failing": Failing(
            rank=rank_of_gpu(ev, first.gpu_uuid), node=first.node, gpu_uuid=first.gpu_uuid, ts_ns=since_ns
        ),
        "culprit_ranks": tuple(ranks),
        "culprit_nodes": tuple(sorted({gpu.node for gpu in slow})),
        "culprit_gpus": tuple(sorted(gpu.gpu_uuid for gpu in slow)),
    }


_UNSAMPLED: Final = CannotDecide(
    because="Whether one rank slows the others down cannot be seen without samples of their GPUs.",
    missing=("GPU samples (NVML)", "the clocks of every rank's steps"),
)


def _by_clocks(ev: Evidence, story: Story) -> Finding | None:
    """The rank, or few ranks, whose own part of a step takes far longer by the loop's own clocks; None: none does."""
    found = apart(story, *straggling(ev))
    if found is None:
        return None
    if _is_a_pipeline(ev):
        return None
    done, least = steps_done(story), ev.threshold("d.least_steps")
    if done < least / 2 or (done < least and not each_time(story, found, straggling(ev)[0])):
        return None
    slow, peer = found.slow[0], found.peer
    mine, theirs = slow.of(found.measure) or 0.0, peer.of(found.measure) or 0.0
    claims = Claims(ev, "D3")
    found.claim(claims)
    ranks = tuple(sorted(each.rank for each in found.slow if each.rank is not None))
    nodes = tuple(sorted({each.node for each in found.slow} - {UNKNOWN_NODE}))
    name = f"{named(ranks)[0].upper()}{named(ranks)[1:]}{f' on {nodes[0]}' if len(nodes) == 1 else ''}"
    many = len(ranks) > 1
    what = ("wait for data and compute", "waits for data and computes") if found.by_data else ("are busy", "is busy")
    text = (
        f"{name} {what[0 if many else 1]} {mine:.3g} s of a step by {'their' if many else 'its'} own clocks,"
        f" {'their' if many else 'its'} peers {theirs:.3g} s"
    )
    where = nodes[0] if len(nodes) == 1 else "its node"
    return RuledIn(
        because=f"{text}{', which wait' if found.waits else ''}.",
        would_change_if="more work given to this rank on purpose, or steps in which its peers do not wait for it",
        headline=f"{text}: {'they slow' if many else 'it slows'} all others down.",
        claims=claims.all,
        support=(Support(slow.store, text, decisive=found.waits),),
        attribution="unknown" if found.by_data else "infrastructure",
        scope="rank" if len(ranks) == 1 else "node" if len(nodes) == 1 else "rank",
        severity="low",
        sub_mode="late_host" if found.by_data else None,
        first_failing=Failing(rank=slow.rank, node=nodes[0] if len(nodes) == 1 else None),
        culprit_ranks=ranks,
        culprit_nodes=nodes,
        cannot_decide=(Missing("Why it is slow", "samples of its GPU and host"),),
        next=Next("job", f"Look at what the loader of rank {slow.rank} waits for: storage, CPUs, a long sample.")
        if found.by_data
        else Next("infrastructure", _COMPARE.format(where)),
    )


def _by_a_line(ev: Evidence, story: Story) -> Finding | None:
    """The rank that takes far longer than all others by lines that tell what each of them takes; None: none does."""
    ratio = straggling(ev)[0]
    found = slowest_in_a_line(ev, story, ratio) or slowest_by_lines(ev, story, ratio)
    if found is None or _is_a_pipeline(ev) or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    claims = Claims(ev, "D3")
    claims.row("What its last report tells of each rank", "log_lines", found.row, "text")
    own, typical = (f"{each:.3g}{found.unit}" for each in (found.own, found.typical))
    text = (
        f"Rank {found.rank} takes {found.own / found.typical:.1f} times as long for its own part of a step as its peers"
        f" ({own} against {typical}, medians of {found.reports} reports that tell of all of them)"
    )
    return RuledIn(
        because=f"{text}.",
        would_change_if="more work given to this rank on purpose, or steps in which its peers do not wait for it",
        headline=f"{text}: it slows all others down.",
        claims=claims.all,
        support=(Support("logs", text),),
        attribution="unknown",
        scope="rank",
        severity="low",
        first_failing=Failing(rank=found.rank),
        culprit_ranks=(found.rank,),
        cannot_decide=(Missing("Why it is slow", "samples of its GPU and host"),),
        next=Next("job", f"Look at the share of the data that rank {found.rank} has; then at its GPU and host."),
    )


def slower_by_its_word(ev: Evidence) -> SlowSpeaker | None:
    """A speaker that tells far more of its own work than the others in most rounds; None: none does, or by design."""
    return None if _is_a_pipeline(ev) else slower_speaker(ev, straggling(ev)[0])


def _by_speakers(ev: Evidence, story: Story) -> Finding | None:
    """The speaker for whom all others wait by what each of them tells, round after round; None: none is."""
    found = slow_speaker(ev, straggling(ev)[0])
    if found is None or _is_a_pipeline(ev) or steps_done(story) < ev.threshold("d.least_steps") / 2:
        return None
    claims = Claims(ev, "D3")
    kept = "text" in found.row
    table, column = ("log_lines", "text") if kept else ("metrics", "value")
    claims.row("The last that was told of it side by side", table, found.row, column)
    first, *more = found.who
    name = f"{first.name[0].upper()}{first.name[1:]}{f', as {len(more)} more,' if more else ''}"
    unit = f" {found.unit}" if found.unit and found.kind in ("own", "wait") else ""
    mine, theirs = (f"{each:.3g}{unit}" for each in (found.mine, found.theirs))
    told = f"{mine} against {theirs}, medians of {found.rounds} rounds in which all tell it"
    does = {
        "own": f"takes {found.mine / found.theirs:.1f} times as long as its peers" if found.theirs else "takes longest",
        "wait": "waits least for the others, which wait for it",
    }.get(found.kind, f"is {found.theirs / found.mine:.1f} times as slow as its peers" if found.mine else "is slowest")
    text = f"{name} {does} ({told})"
    ranks = tuple(sorted(who.rank for who in found.who if who.rank is not None))
    nodes = tuple(sorted({who.node for who in found.who if who.node is not None}))
    return RuledIn(
        because=f"{text}.",
        would_change_if="more work given to it on purpose, or rounds in which its peers do not wait for it",
        headline=f"{text}: it slows all others down.",
        claims=claims.all,
        support=(Support("logs" if kept else "metrics", text, decisive=found.seen),),
        attribution="unknown",
        scope="rank" if ranks else "node",
        severity="low",
        first_failing=Failing(rank=first.rank, node=first.node),
        culprit_ranks=ranks,
        culprit_nodes=nodes,
        cannot_decide=(Missing("Why it is slow", "samples of its GPU and host"),),
        next=Next("job", f"Look at the share of the data that {first.name} has; then at its GPU and host."),
    )


def _named(ev: Evidence, gpus: Sequence[Gpu]) -> tuple[int | None, str]:
    """The rank that computes on the first GPU, where it is known, and what to call it and those with it."""
    gpu, *more = gpus
    rank = rank_of_gpu(ev, gpu.gpu_uuid)
    name = (
        f"The rank on {gpu_called(gpu.gpu_uuid)}{at_node(gpu.node, 'of')}"
        if rank is None
        else f"Rank {rank}{at_node(gpu.node)}"
    )
    return rank, f"{name}, as {len(more)} more there," if more else name


def _claim_means(ev: Evidence, story: Story, claims: Claims, whose: str, gpu: Gpu, units: Mapping[str, str]) -> None:
    """Claim the means of a GPU's readings while it trained; ``units`` by column of ``gpu_samples``."""
    where = trained_on(ev, gpu, story)
    for column, unit in units.items():
        text, rows = f"Mean {column} of {whose} GPU", ev.rows("gpu_samples", where)
        claims.sql(text, mean_sql(column, where), "gpu_samples", unit, rows)


def _late(ev: Evidence, story: Story, gpus: Sequence[Gpu]) -> Finding | None:
    """The GPU, or those of a node, that idle while their peers are busy, and do no less work: all wait for their host.

    Who waits in a collective keeps its engine busy and computes nothing by it: what is more in the engines of the peers
    than in that of this GPU, and not in their work, is waiting.
    """
    stand = _idlers(ev, story, gpus)
    if stand is None:
        return None
    late, peers = stand.slow, stand.rest
    typical = _busy(peers)
    work = _measured((*late, *peers))
    if work is None:
        return None
    theirs = statistics.median(getattr(gpu, work) for gpu in peers)
    if min(getattr(gpu, work) for gpu in late) < (1 - ev.threshold("d3.alike")) * theirs:
        return None
    if any((gpu.sm_mean or 0.0) > _ROUNDED * (gpu.engine_mean or 0.0) for gpu in late):
        return None  # SMs work only while a kernel is resident: one of the two readings is false
    idle = late[0].engine_mean or 0.0
    claims = Claims(ev, "D3")
    for whose, gpu in (("the late rank's", late[0]), ("another", peers[0])):
        _claim_means(ev, story, claims, whose, gpu, {"engine_active": "1", _WORK[work]: "1"})
    _, name = _named(ev, late)
    text = f"{name} idles while its peers wait for it (kernels resident {idle:.0%} of the time against {typical:.0%})"
    return RuledIn(
        because=f"{text}, and does as much work as they: it comes late from its host.",
        would_change_if="less work on this GPU than on its peers, or steps without it",
        headline=f"{text}: its host brings it late to every step.",
        claims=claims.all,
        support=(
            Support("metrics", "GPUs of one host idle while their peers spin, at equal work", decisive=True),
            Support("logs", "steps advanced"),
        ),
        attribution="unknown",
        severity="low",
        sub_mode="late_host",
        **_culprits(ev, late),
        cannot_decide=(Missing("What its host was busy with", "stacks of its process, CPU time and waits for a CPU"),),
        next=Next(
            "job",
            f"Look at what the process of this GPU does{at_node(late[0].node)} between steps: data, CPUs, storage.",
        ),
    )


_ROUNDED: Final = 1.1
"""Means of readings of two digits agree to some per cent."""


def _idlers(ev: Evidence, story: Story, gpus: Sequence[Gpu]) -> _Apart | None:
    """The GPU, or those of a node, that idle while their peers are busy."""
    told = [gpu for gpu in gpus if gpu.engine_mean is not None]
    if len(told) < 3 or not story.progressed:
        return None
    stand = _standing_apart([(1 - (gpu.engine_mean or 0.0), gpu) for gpu in told], ev.threshold("d3.engine_apart"))
    return None if stand is None or _busy(stand.rest) < ev.threshold("d2.engine_busy") else stand


def _busy(gpus: Sequence[Gpu]) -> float:
    return statistics.median(gpu.engine_mean or 0.0 for gpu in gpus)


def idles_unexplained(ev: Evidence, story: Story) -> str | None:
    """What is to be said of a GPU that idled half of the time beside busy peers, and is not said to come late.

    One that stood still throughout took no part, and one of a pipeline may have less to do: these explain themselves.
    """
    if not ev.has("gpu_samples") or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    used = tuple(map(_measured_at_all, while_training(ev, story)))
    stand = _idlers(ev, story, used)
    if stand is None or _is_a_pipeline(ev) or _late(ev, story, used) is not None:
        return None
    idle = stand.slow[0].engine_mean or 0.0
    _, name = _named(ev, stand.slow)
    return f"{name} was busy {idle:.0%} of the time, its peers {_busy(stand.rest):.0%}" if idle >= _TAKES_PART else None


_TAKES_PART: Final = 0.05
"""Share of the time in which the engine of a GPU that takes part in training is active, at the least."""


def _by_work(ev: Evidence, story: Story, gpus: Sequence[Gpu]) -> Finding | None:
    """The GPU, or GPUs of one node, computing far more of the time and at far more power than all others, as busy.

    By the tensor pipe or device memory, else by NVML's memory traffic; None where they and power do not agree.
    """
    told = [gpu for gpu in gpus if gpu.engine_mean is not None and gpu.power_mean is not None]
    work = _measured(told)
    if len(told) < 3 or work is None or not story.progressed:
        return None
    if min(gpu.engine_mean or 0.0 for gpu in told) < ev.threshold("d2.engine_busy"):
        return None
    top = max(gpu.power_mean or 0.0 for gpu in told)
    found = _standing_apart([(gpu.power_mean or 0.0, gpu) for gpu in told], ev.threshold("d3.power_apart") * top)
    if found is None:
        return None
    held_up, peers, typical = found.slow, found.rest, found.typical
    slow = held_up[0]
    mine, theirs = min(getattr(gpu, work) for gpu in held_up), statistics.median(getattr(gpu, work) for gpu in peers)
    if mine < ev.threshold("d3.work_ratio") * theirs:
        return None
    claims = Claims(ev, "D3")
    for whose, gpu in (("the slow rank's", slow), ("another", peers[0])):
        _claim_means(ev, story, claims, whose, gpu, {_WORK[work]: "1", "power_w": "W"})
    _, name = _named(ev, held_up)
    text = f"{name} computes while its peers wait ({top:.0f} W against {typical:.0f} W, all engines busy)"
    return RuledIn(
        because=f"{text}: it is the slow one.",
        would_change_if="SM activity that is alike on all GPUs, or more work given to this rank on purpose",
        headline=f"{text}: it slows all others down.",
        claims=claims.all,
        support=(
            Support(
                "metrics", "work and power of one GPU far above its peers' while all engines are busy", decisive=True
            ),
        ),
        attribution="infrastructure",
        severity="low",
        **_culprits(ev, held_up),
        cannot_decide=(Missing("How much time was lost", "a baseline run (--baseline)"),),
        next=Next("infrastructure", _COMPARE.format(its_node(slow.node))),
    )


_WORK: Final = {
    "tensor_mean": "tensor_active",
    "dram_mean": "dram_active",
    "sm_mean": "sm_active",
    "traffic_mean": "mem_util",
}
"""Means that rise with work, those that rise least with waiting first, with their columns."""
_SEEN: Final = 0.01
"""Where a counter reads less on most GPUs, the job does not use what it counts."""


def _measured(gpus: Sequence[Gpu]) -> str | None:
    """The first of these means that all GPUs have, and that tells of work on most of them."""
    for name in _WORK:
        told = [value for gpu in gpus if (value := getattr(gpu, name)) is not None]
        if len(told) == len(gpus) and told and statistics.median(told) >= _SEEN:
            return name
    return None


def _by_power(ev: Evidence, story: Story) -> Finding | None:
    """The GPU that draws power as in computing while its peers, as busy by their engines, draw as in waiting.

    Power is a proxy: where steps did not become slower as well, the finding stays below an even chance, and boards have
    to be alike. None where power does not show it.
    """
    slower = _slower(ev, story)
    late = slower is not None and slower[0] >= ev.threshold("b3.step_ratio")
    ratio, since_ns, last = slower if slower is not None and late else (1.0, *span(ev, story))
    if since_ns is None or last is None or not story.progressed:
        return None
    drawn = _drawn(ev, since_ns, last)
    if len(drawn) < 3 or any((gpu.engine or 0.0) < ev.threshold("d2.engine_busy") for gpu, _ in drawn):
        return None
    highest = max(gpu.power_mean or 0.0 for gpu, _ in drawn)
    found = _standing_apart(
        [(gpu.power_mean or 0.0, gpu) for gpu, _ in drawn], ev.threshold("d3.power_apart") * highest
    )
    if found is None:
        return None
    top, typical = found.slow[0].power_mean or 0.0, found.typical
    if not late and (top < ev.threshold("d3.work_ratio") * typical or not _same_boards(ev, drawn)):
        return None
    if late and not _draws_as_before(ev, story, found.slow, since_ns):
        return None
    claims = Claims(ev, "D3")
    for whose, gpu in (("the slow rank's", found.slow[0]), ("another", found.rest[0])):
        where = sampled_of(gpu, since_ns, last)
        claims.over(f"Median power of {whose} GPU", "MEDIAN", "power_w", "gpu_samples", where, unit="W")
    _, name = _named(ev, found.slow)
    text = f"{name} draws {top:.0f} W while its peers, as busy, draw {typical:.0f} W"
    slow_steps = (Support("logs", f"steps {ratio:.1f} times as long as before"),) if late else ()
    cost = f", and steps take {ratio:.1f} times as long as before" if late else ""
    return RuledIn(
        because=f"{text}{cost}: it computes while they wait.",
        would_change_if="SM activity that is alike on all GPUs, or more work given to this rank on purpose",
        headline=f"{text}: they most likely wait for it"
        + (f", and steps take {ratio:.1f} times as long." if late else "."),
        claims=claims.all,
        support=(Support("metrics", "power far above that of peers while all engines are busy"), *slow_steps),
        attribution="infrastructure",
        severity="low",
        onset_ns=since_ns if late else None,
        **_culprits(ev, found.slow, since_ns if late else None),
        cannot_decide=(Missing("How much time was lost", "SM activity of every GPU (NVML GPM or DCGM)"),),
        next=Next("infrastructure", _COMPARE.format(its_node(found.slow[0].node))),
    )


def _at_a_low_clock(ev: Evidence, story: Story) -> Finding | None:
    """The GPU whose clock somebody set far below its peers', by which all go at its pace; None where none is seen.

    Either steps came to take longer when it fell, and no longer than it explains, or, where nobody reported steps, all
    do equal work, for which it needs far more of its time than they do.
    """
    if steps_done(story) >= ev.threshold("d.least_steps"):
        slower = _slower(ev, story)
        if slower is None or slower[0] < ev.threshold("b3.step_ratio"):
            return None
        ratio, since_ns, last = slower
        stand, told = _slowest_clock(ev, clocked(ev, story, since_ns, last))
        first, _ = span(ev, story)
        before = clocked(ev, story, first, since_ns)
        if stand is None or not _fell_alone(ev, stand, told, before):
            return None
        mine, theirs = told[stand.slow[0].gpu_uuid, stand.slow[0].node].clock, _typical_clock(stand, told)
        if ratio > _EXPLAINED * theirs / mine:
            return None
        cost = f"steps take {ratio:.1f} times as long since it fell"
        supports: tuple[Support, ...] = (
            Support("metrics", "the clock of one GPU fell far below its peers', none of which fell", decisive=True),
            Support("logs", f"steps {ratio:.1f} times as long as before"),
        )
    else:
        if not story.steps.is_empty() or ev.has("logs") or story.ended_well is False:
            return None
        since_ns = None
        stand, told = _slowest_clock(ev, clocked(ev, story, None, None))
        if stand is None or not equal_work(ev, list(told.values())):
            return None
        slow, peer = stand.slow[0], stand.rest[0]
        apart_by = (slow.sm or 0.0) - max(gpu.sm or 0.0 for gpu in stand.rest)
        if apart_by < ev.threshold("d3.sm_apart") or not _spin(ev, stand.rest):
            return None
        mine, theirs = told[slow.gpu_uuid, slow.node].clock, _typical_clock(stand, told)
        cost = f"for equal work its SMs are active {slow.sm:.0%} of the time, those of its peers {peer.sm:.0%}"
        supports = (
            Support("metrics", "a clock far below its peers', and equal work that takes it far longer", decisive=True),
        )
    claims = Claims(ev, "D3")
    for whose, gpu in (("the slow rank's", stand.slow[0]), ("another", stand.rest[0])):
        where = f"{sampled_of(gpu, since_ns, None)} AND engine_active >= 0.5"
        words = f"Median SM clock of {whose} GPU under load"
        claims.over(words, "MEDIAN", "sm_clock_mhz", "gpu_samples", where, unit="MHz")
    _, name = _named(ev, stand.slow)
    text = f"{name} runs at {mine:.0f} MHz, its peers at {theirs:.0f} MHz, and neither heat nor power holds it back"
    return RuledIn(
        because=f"{text}: {cost}.",
        would_change_if="peers at the same clock, or a heat or power reason for it",
        headline=f"{text}: {cost}.",
        claims=claims.all,
        support=supports,
        attribution="infrastructure",
        severity="low",
        sub_mode="low_clock",
        onset_ns=since_ns,
        **_culprits(ev, stand.slow, since_ns),
        cannot_decide=(Missing("Who set this clock", "the node's clock settings (nvidia-smi -q -d CLOCK)"),),
        next=Next(
            "infrastructure", f"Reset the clocks of this GPU{at_node(stand.slow[0].node)} (nvidia-smi -rgc, -rac)."
        ),
    )


def low_clock_unexplained(ev: Evidence, story: Story) -> str | None:
    """What is to be said of a GPU that ran all the time at a clock far below its peers', which were as busy.

    They most likely wait for it, but no slower step and no measure of work shows it.
    """
    if not ev.has("gpu_samples") or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    stand, told = _slowest_clock(ev, clocked(ev, story, *span(ev, story)))
    if stand is None:
        return None
    models = model_of(ev)
    if {models.get(gpu.gpu_uuid) for gpu in stand.slow} != {models.get(gpu.gpu_uuid) for gpu in stand.rest}:
        return None
    mine = told[stand.slow[0].gpu_uuid, stand.slow[0].node].clock
    _, name = _named(ev, stand.slow)
    return f"{name} ran at {mine:.0f} MHz, its peers at {_typical_clock(stand, told):.0f} MHz"


_EXPLAINED: Final = 1.25
"""How far beyond the ratio of the clocks steps may have become slower, where the clock is the reason."""

_ByGpu = dict[tuple[str, str], Clocked]


def _slowest_clock(ev: Evidence, each: list[Clocked]) -> tuple[_Apart | None, _ByGpu]:
    """The GPUs whose clock stands far below that of their peers, all under load, where nothing told holds it back."""
    told = {(one.gpu.gpu_uuid, one.gpu.node): one for one in each}
    if len(each) < 2 or any((one.gpu.engine or 0.0) < ev.threshold("d2.engine_busy") for one in each):
        return None, told
    top = max(one.clock for one in each)
    stand = _standing_apart([(1 - one.clock / top, one.gpu) for one in each], ev.threshold("b3.untold_drop"))
    if stand is None or not held_by_nothing(ev, [told[gpu.gpu_uuid, gpu.node] for gpu in stand.slow]):
        return None, told
    return stand, told


def _typical_clock(stand: _Apart, told: _ByGpu) -> float:
    return statistics.median(told[gpu.gpu_uuid, gpu.node].clock for gpu in stand.rest)


def _fell_alone(ev: Evidence, stand: _Apart, now: _ByGpu, before: list[Clocked]) -> bool:
    """Whether these clocks were as high as all others before, and the others fell no further."""
    was = {(one.gpu.gpu_uuid, one.gpu.node): one.clock for one in before}
    if len(was) != len(now):
        return False
    least = (1 - ev.threshold("b3.clock_drop")) * max(was.values())
    others = [now[gpu.gpu_uuid, gpu.node].clock for gpu in stand.rest]
    return min(was.values()) >= least and min(others) >= least


def _drawn(ev: Evidence, since_ns: int, last: int) -> list[tuple[Gpu, float | None]]:
    """Median power, engine activity and memory of each GPU, and beside it its median clock."""
    told = ev.scan("gpu_samples").filter(pl.col("power_w").is_not_null() & pl.col("gpu_uuid").is_not_null())
    rows = (
        told.filter(pl.col("ts_ns").is_between(since_ns, last))
        .group_by("node", "gpu_uuid")
        .agg(pl.len(), pl.col("power_w", "engine_active", "fb_used_bytes", "sm_clock_mhz").median())
        .sort("node", "gpu_uuid")
        .collect()
        .rows()
    )
    return [
        (Gpu(node, uuid, samples, engine, None, memory, power_mean=power), clock)
        for node, uuid, samples, power, engine, memory, clock in rows
    ]


def _draws_as_before(ev: Evidence, story: Story, slow: Sequence[Gpu], since_ns: int) -> bool:
    """Whether GPUs draw about what they drew before steps became slower: one that fell with them waits as well."""
    first, _ = span(ev, story)
    before = {} if first is None else {gpu.gpu_uuid: gpu.power_mean for gpu, _ in _drawn(ev, first, since_ns)}
    told = [(gpu.power_mean or 0.0, was) for gpu in slow if (was := before.get(gpu.gpu_uuid)) is not None]
    return all(now >= (1 - ev.threshold("d3.alike")) * was for now, was in told)


def _same_boards(ev: Evidence, drawn: Sequence[tuple[Gpu, float | None]]) -> bool:
    """Whether GPUs run at one clock and hold as much memory: those of other models, or with other work, do not."""
    clocks, held = [clock for _, clock in drawn], [gpu.memory_bytes for gpu, _ in drawn]
    judged = (_alike(clocks, ev.threshold("b3.clock_drop")), _alike(held, ev.threshold("d3.alike")))
    return True in judged and False not in judged


def _alike(values: Sequence[float | None], apart: float) -> bool | None:
    """Whether readings differ by less; None where they were not sampled."""
    told = [value for value in values if value is not None]
    return None if not told else len(told) == len(values) and min(told) >= (1 - apart) * max(told)


def _slower(ev: Evidence, story: Story) -> tuple[float, int, int] | None:
    """How much longer steps took from when to when; where reports have no time, by their share of the busy time."""
    steps = paces(story)
    seconds = steps["seconds"] if steps.height else story.steps["step_time_s"].drop_nulls()
    change = slowdown(seconds)
    first, last = span(ev, story)
    if change is None or first is None or last is None:
        return None
    ratio, number = change
    if steps.height:
        return ratio, int(steps["ts_ns"][number]), last
    told = seconds.to_list()
    return ratio, last - round((last - first) * sum(told[number:]) / sum(told)), last


_COMPARE: Final = "Compare clocks, PCIe width, CPU steal and memory errors of {} with its peers; swap it out."
_STARVED: Final = "Give this rank CPUs of its own on {}, or move away who takes them."


def _kept_waiting(ev: Evidence, story: Story, rank: int | None, claims: Claims) -> str | None:
    """Whether the slow rank's processes stood in line for a CPU while its peers' did not, and behind whom."""
    first, last = story.steps["ts_ns"].min(), story.steps["ts_ns"].max()
    if rank is None or not ev.has("sched_samples") or not isinstance(first, int) or not isinstance(last, int):
        return None
    seen = ev.scan("sched_samples").filter(pl.col("ts_ns").is_between(first, last), pl.col("rank").is_not_null())
    totals = dict(seen.group_by("rank").agg(pl.col("total_ns").sum()).collect().iter_rows())
    mine = totals.pop(rank, 0)
    # A rank that waited less than a millisecond in every second has no row.
    others = sorted([*totals.values(), *[0] * max(0, len(ev.ranks()) - 1 - len(totals))])
    typical = others[len(others) // 2] if others else 0
    if mine < ev.threshold("d3.cpu_wait") * (last - first) or mine < 3 * typical:
        return None
    during = f"rank = {rank} AND ts_ns BETWEEN {first} AND {last}"
    sql = f"SELECT SUM(total_ns) AS waited FROM sched_samples WHERE {during}"
    text = f"Time the processes of rank {rank} could have run and waited for a CPU"
    claims.sql(text, sql, "sched_samples", "ns", ev.rows("sched_samples", during))
    behind = (
        seen.filter(pl.col("rank") == rank, pl.col("preemptor_pid").is_not_null())
        .group_by("preemptor", "preemptor_pid")
        .agg(pl.col("preemptor_ns").sum())
        .sort("preemptor_ns", "preemptor_pid", descending=[True, False])
        .collect()
    )
    whom = f", longest behind {behind['preemptor'][0]} (pid {behind['preemptor_pid'][0]})" if len(behind) else ""
    return f"Rank {rank} waited for a CPU {mine / (last - first):.0%} of the time{whom}; its peers did not."


FAMILY: Final = Straggler()
