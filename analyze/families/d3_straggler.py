"""D3: one slow rank holds the others: it does the work (high SM activity) while its peers only wait."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._gpu import mean_sql, rank_of_gpu, span, trained_on, while_training
from inquest.analyze.families._pace import paces, slowdown, steps_done
from inquest.analyze.families._story import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.model import Failing, Missing, Next
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._gpu import Gpu
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Straggler:
    """See the module."""

    id: str = "D3"
    name: str = "straggler"
    needs: tuple[str, ...] = ("gpu_samples",)
    any_of: tuple[str, ...] = ()
    helps: tuple[str, ...] = ("nccl_collectives", "cuda_calls", "gpu_processes", "steps", "sched_samples")

    def judge(self, ev: Evidence) -> Finding:
        """The GPU whose SM activity stands far above the others' while all engines are busy."""
        story = tell(ev)
        if steps_done(story) < ev.threshold("d.least_steps"):
            return CannotDecide(because="Too few steps were done to compare ranks.", missing=("a longer run",))
        used = while_training(ev, story)
        late = _late(ev, story, used)
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
        top = max(gpus, key=lambda gpu: (gpu.sm or 0.0, gpu.gpu_uuid))
        others = [gpu for gpu in gpus if gpu is not top]
        typical = statistics.median([gpu.sm or 0.0 for gpu in others])
        spinning = statistics.median([gpu.engine or 0.0 for gpu in others]) >= ev.threshold("d2.engine_busy")
        apart = (top.sm or 0.0) - typical
        if apart < ev.threshold("d3.sm_apart") or not spinning or not story.progressed:
            return RuledOut(
                because=f"No GPU's SM activity stands out ({top.sm:.2f} against a median of {typical:.2f}).",
                would_change_if="one GPU far above the others in SM activity while their engines spin",
                stores=("metrics",),
            )
        claims = Claims(ev, self.id)
        for whose, gpu in (("the slow rank's", top), ("another", others[0])):
            where = trained_on(ev, gpu, story)
            claims.over(f"Median SM activity of {whose} GPU", "MEDIAN", "sm_active", "gpu_samples", where, unit="1")
        rank, name = _named(ev, top)
        waited = _kept_waiting(ev, story, rank, claims)
        text = f"{name} does the work of a step (SM activity {top.sm:.2f}) while its peers wait ({typical:.2f})"
        return RuledIn(
            because=f"{text}: it is the slow one.",
            would_change_if="a different amount of work given to this rank on purpose",
            headline=f"{name} slows all others down: its SM activity is {top.sm:.2f}, theirs {typical:.2f}.",
            claims=claims.all,
            support=(Support("metrics", "SM activity of one GPU far above its peers'", decisive=True),),
            attribution="infrastructure",
            scope="gpu",
            severity="low",
            first_failing=Failing(rank=rank, node=top.node, gpu_uuid=top.gpu_uuid),
            culprit_ranks=() if rank is None else (rank,),
            culprit_nodes=(top.node,),
            culprit_gpus=(top.gpu_uuid,),
            implies=() if waited is None else (waited,),
            cannot_decide=(Missing("How much time was lost", "a baseline run (--baseline)"),),
            next=Next("infrastructure", _STARVED.format(top.node) if waited else _COMPARE.format(top.node)),
        )


def _named(ev: Evidence, gpu: Gpu) -> tuple[int | None, str]:
    """The rank that computes on a GPU, where it is known, and what to call it at the beginning of a sentence."""
    rank = rank_of_gpu(ev, gpu.gpu_uuid)
    return rank, f"The rank on GPU {gpu.gpu_uuid} of {gpu.node}" if rank is None else f"Rank {rank} on {gpu.node}"


def _claim_means(ev: Evidence, story: Story, claims: Claims, whose: str, gpu: Gpu, units: Mapping[str, str]) -> None:
    """Claim the means of a GPU's readings while it trained; ``units`` by column of ``gpu_samples``."""
    where = trained_on(ev, gpu, story)
    for column, unit in units.items():
        text, rows = f"Mean {column} of {whose} GPU", ev.rows("gpu_samples", where)
        claims.sql(text, mean_sql(column, where), "gpu_samples", unit, rows)


def _late(ev: Evidence, story: Story, gpus: Sequence[Gpu]) -> Finding | None:
    """The one GPU that idles while its peers are busy, and does no less work than they: they wait for its host.

    Who waits in a collective keeps its engine busy and computes nothing by it: what is more in the engines of the peers
    than in that of this GPU, and not in their work, is waiting.
    """
    told = sorted((gpu for gpu in gpus if gpu.engine_mean is not None), key=lambda gpu: gpu.engine_mean or 0.0)
    if len(told) < 3 or not story.progressed:
        return None
    late, *peers = told
    second, typical = peers[0].engine_mean or 0.0, statistics.median(gpu.engine_mean or 0.0 for gpu in peers)
    apart, idle = ev.threshold("d3.engine_apart"), late.engine_mean or 0.0
    if idle > typical - apart or second < typical - apart / 2 or typical < ev.threshold("d2.engine_busy"):
        return None
    work = _measured(told)
    if work is None:
        return None
    theirs = statistics.median(getattr(gpu, work) for gpu in peers)
    if getattr(late, work) < (1 - ev.threshold("d3.alike")) * theirs:
        return None
    claims = Claims(ev, "D3")
    for whose, gpu in (("the late rank's", late), ("another", peers[0])):
        _claim_means(ev, story, claims, whose, gpu, {"engine_active": "1", _WORK[work]: "1"})
    rank, name = _named(ev, late)
    text = f"{name} idles while its peers wait for it (kernels resident {idle:.0%} of the time against {typical:.0%})"
    return RuledIn(
        because=f"{text}, and does as much work as they: it comes late from its host.",
        would_change_if="less work on this GPU than on its peers, or steps without it",
        headline=f"{text}: its host brings it late to every step.",
        claims=claims.all,
        support=(
            Support("metrics", "one GPU idles while its peers spin, at equal work", decisive=True),
            Support("logs", "steps advanced"),
        ),
        attribution="unknown",
        scope="gpu",
        severity="low",
        sub_mode="late_host",
        first_failing=Failing(rank=rank, node=late.node, gpu_uuid=late.gpu_uuid),
        culprit_ranks=() if rank is None else (rank,),
        culprit_nodes=(late.node,),
        culprit_gpus=(late.gpu_uuid,),
        cannot_decide=(Missing("What its host was busy with", "stacks of its process, CPU time and waits for a CPU"),),
        next=Next(
            "job", f"Look at what the process of this GPU does on {late.node} between steps: data, CPUs, storage."
        ),
    )


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
    by_power = sorted(told, key=lambda gpu: (-(gpu.power_mean or 0.0), gpu.gpu_uuid))
    top, typical = by_power[0].power_mean or 0.0, statistics.median(gpu.power_mean or 0.0 for gpu in told)
    apart = ev.threshold("d3.power_apart") * top
    held_up = [gpu for gpu in by_power if (gpu.power_mean or 0.0) - typical >= apart]
    peers = by_power[len(held_up) :]
    if not held_up or len({gpu.node for gpu in held_up}) > 1 or 3 * len(held_up) > len(told):
        return None
    if (peers[0].power_mean or 0.0) - typical > apart / 2:
        return None
    slow = held_up[0]
    mine, theirs = min(getattr(gpu, work) for gpu in held_up), statistics.median(getattr(gpu, work) for gpu in peers)
    if mine < ev.threshold("d3.work_ratio") * theirs:
        return None
    claims = Claims(ev, "D3")
    for whose, gpu in (("the slow rank's", slow), ("another", peers[0])):
        _claim_means(ev, story, claims, whose, gpu, {_WORK[work]: "1", "power_w": "W"})
    rank, name = _named(ev, slow)
    name = name if len(held_up) == 1 else f"{name}, as {len(held_up) - 1} more there,"
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
        scope="gpu" if len(held_up) == 1 else "node",
        severity="low",
        first_failing=Failing(rank=rank, node=slow.node, gpu_uuid=slow.gpu_uuid),
        culprit_ranks=() if rank is None or len(held_up) > 1 else (rank,),
        culprit_nodes=(slow.node,),
        culprit_gpus=tuple(sorted(gpu.gpu_uuid for gpu in held_up)),
        cannot_decide=(Missing("How much time was lost", "a baseline run (--baseline)"),),
        next=Next("infrastructure", _COMPARE.format(slow.node)),
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
    """The one GPU that draws power as in computing while its peers, as busy by their engines, draw as in waiting.

    None where power does not show that: it is a proxy, and without slower steps no finding rests on it.
    """
    scan = ev.scan("gpu_samples").filter(pl.col("power_w").is_not_null() & pl.col("gpu_uuid").is_not_null())
    highest = scan.select(pl.col("power_w").max()).collect().item()
    slower = _slower(ev, story)
    if not highest or slower is None or slower[0] < ev.threshold("b3.step_ratio"):
        return None
    ratio, since_ns, last = slower
    drawn = (
        scan.filter(pl.col("ts_ns").is_between(since_ns, last))
        .group_by("node", "gpu_uuid")
        .agg(power=pl.col("power_w").median(), engine=pl.col("engine_active").median())
        .sort("power", "gpu_uuid", descending=[True, False])
        .collect()
        .rows()
    )
    if len(drawn) < 3 or any((engine or 0.0) < ev.threshold("d2.engine_busy") for *_, engine in drawn):
        return None
    (node, uuid, top, _), (*_, second, _) = drawn[:2]
    typical = statistics.median([power for _, _, power, _ in drawn[1:]])
    apart = ev.threshold("d3.power_apart") * highest
    if top - typical < apart or second - typical > apart / 2:
        return None
    claims = Claims(ev, "D3")
    for whose, (other_node, other) in (("the slow rank's", (node, uuid)), ("another", drawn[1][:2])):
        where = (
            f"node = {literal(other_node)} AND gpu_uuid = {literal(other)} AND ts_ns >= {since_ns} AND ts_ns <= {last}"
        )
        claims.over(f"Median power of {whose} GPU", "MEDIAN", "power_w", "gpu_samples", where, unit="W")
    text = f"The rank on GPU {uuid} of {node} draws {top:.0f} W while its peers, as busy, draw {typical:.0f} W"
    return RuledIn(
        because=f"{text}, and steps take {ratio:.1f} times as long as before: it computes while they wait.",
        would_change_if="SM activity that is alike on all GPUs, or more work given to this rank on purpose",
        headline=f"{text}: they most likely wait for it, and steps take {ratio:.1f} times as long.",
        claims=claims.all,
        support=(
            Support("metrics", "power of one GPU far above its peers' while all engines are busy"),
            Support("logs", f"steps {ratio:.1f} times as long as before"),
        ),
        attribution="infrastructure",
        scope="gpu",
        severity="low",
        onset_ns=since_ns,
        first_failing=Failing(rank=(rank := rank_of_gpu(ev, uuid)), node=node, gpu_uuid=uuid, ts_ns=since_ns),
        culprit_ranks=() if rank is None else (rank,),
        culprit_nodes=(node,),
        culprit_gpus=(uuid,),
        cannot_decide=(Missing("How much time was lost", "SM activity of every GPU (NVML GPM or DCGM)"),),
        next=Next("infrastructure", _COMPARE.format(node)),
    )


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
    claims.sql(f"Time the processes of rank {rank} could have run and waited for a CPU", sql, "sched_samples", "ns")
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
