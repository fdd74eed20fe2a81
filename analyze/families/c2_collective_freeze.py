"""C2: a collective that never completed: frozen survivors, and the rank that did not come."""

from __future__ import annotations

import re
import signal
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._collectives import COMPLETED, ENQUEUED, standing
from inquest.analyze.families._frozen import Frozen, advanced, frozen
from inquest.analyze.families._gpu import Gpu, medians, rank_of_gpu, sampled_of, stopped
from inquest.analyze.families._launches import launches
from inquest.analyze.families._rows import Row, exception_title, failing, named, place, who
from inquest.analyze.families._stacks import kept_waiting, of_ranks, sentence
from inquest.analyze.families._stall import named_in_reports, stall
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._telling import tell
from inquest.analyze.families._where import node_of
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.families.f3_time_out import stood_still
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import ChainLink, Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._collectives import Standing
    from inquest.analyze.families._failures import Failure
    from inquest.analyze.families._launches import Launches
    from inquest.analyze.families._stacks import Place

_NUMBERS: Final = re.compile(r"\d+")
_BARRIER: Final = re.compile(r"Ranks? ([\d, ]+) failed to pass monitoredBarrier")
_OPERATION: Final = re.compile(r"OpType=(\w+)")
_RANKS_CLAIMED: Final = 8
"""Ranks whose counts are claimed one by one; the rest is named."""


_ENDS: Final = (Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.FAREWELL)


@dataclass(frozen=True, slots=True)
class CollectiveFreeze:
    """See the module."""

    id: str = "C2"
    name: str = "collective freeze"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("logs", "nccl_collectives", "flight_recorder", "gpu_samples")
    helps: tuple[str, ...] = ("flight_recorder", "nccl_collectives", "gpu_samples", "stacks", "exits")

    def judge(self, ev: Evidence) -> Finding:
        """Time-outs and disagreements of collectives; else all ranks falling silent together while held."""
        story = tell(ev)
        met = story.progressed or bool(story.of(Kind.PROCESS_GROUP_READY, Kind.NCCL_INIT_DONE))
        causes = (Cause.COLLECTIVE, Cause.STORE_WAIT) if met else (Cause.COLLECTIVE,)
        crashes = story.crashes_of(*causes)
        events = [
            row
            for row in story.of(Kind.COLLECTIVE_TIMEOUT, Kind.COLLECTIVE_MISMATCH, Kind.LATE_RANKS, Kind.WATCHDOG_STUCK)
            if row["role"] != "progress" and not _said_by_crash(story, row) and not _resolved(story, row)
        ]
        stood = standing(ev)
        if not crashes and not events:
            if stood is not None and not story.ended_well:
                return self._counted(ev, story, stood)
            return (
                _link_lost(ev, story) or _by_own_timer(ev, story) or _left_early(ev, story) or self._silent(ev, story)
            )
        claims = Claims(ev, self.id)
        support: list[Support] = []
        timeouts = [row for row in events if row["kind"] == Kind.COLLECTIVE_TIMEOUT]
        if events:
            claims.row("First report of the freeze", "fact_events", events[0], "text")
            support.append(Support("logs", f"{events[0]['kind']} reported", decisive=True))
        if crashes:
            claims.row("Exception that ended the wait", "fact_exceptions", crashes[0].speaking, "message")
            support.append(Support("logs", exception_title(crashes[0].speaking, 90), decisive=True))
        _add_end(claims, support, story)
        if stood is not None:
            _add_standing(claims, support, stood)
        row = events[0] if events else crashes[0].speaking
        victims = {e["rank"] for e in timeouts} | {c.shown["rank"] for c in crashes}
        victims.discard(None)
        apart = _called_another(timeouts)
        mismatch = (
            bool(apart)
            or any(row["kind"] == Kind.COLLECTIVE_MISMATCH for row in events)
            or any("mismatch between collectives" in str(c.speaking["message"]) for c in crashes)
        )
        trigger = _trigger(story, row)
        cold = _add_cold(claims, support, frozen(ev) or _while_waiting(ev, row))
        counted = stood.culprits if stood is not None else ()
        own = _add_places(ev, claims, support)
        launched = _add_launches(ev, claims, support) if not counted and not own else None
        culprits = (
            counted
            or apart
            or _ranks_of(own)
            or (launched.culprits if launched is not None else ())
            or _ranks_on(ev, cold)
            or _culprits(ev, story, crashes=[str(c.speaking["message"]) for c in crashes], victims=victims)
        )
        mismatch = mismatch or (stood is not None and stood.mode == "mismatch")
        if trigger is not None and trigger.row.get("rank") is not None:
            culprits = (int(trigger.row["rank"]),)
        operation = None if apart else next((m[1] for e in timeouts if (m := _OPERATION.search(str(e["text"])))), None)
        what = f"collective {operation}" if operation else "a collective"
        if operation is None and stood is not None:
            what = _named_operation(stood)
        mode = "mismatch" if mismatch else "peer_lost" if trigger is not None else "timeout"
        if mode == "timeout" and counted and stood is not None:
            mode = stood.mode or mode
        elif mode == "timeout" and own:
            mode = "host_stopped"
        elif mode == "timeout" and launched is not None:
            mode = launched.mode
        names = named(culprits) if culprits else f"the rank on {_listed(cold)}" if cold else None
        waiting = victims - set(culprits)
        headline = _headline(what, when(story), names, waiting, trigger, mismatch=mismatch)
        return RuledIn(
            because=f"{headline} {sentence(own)}".rstrip(),
            would_change_if="the collective completing after all, or an exception of the survivors before the time-out",
            headline=headline,
            claims=claims.all,
            support=tuple(support),
            attribution="job" if mismatch or (trigger is not None and trigger.crash is not None) else "unknown",
            scope="allocation",
            onset_ns=row["ts_ns"],
            sub_mode=mode,
            first_failing=_first(trigger, row, culprits),
            culprit_ranks=culprits,
            culprit_nodes=tuple(sorted({*_nodes(ev, culprits), *(gpu.node for gpu in cold)})),
            culprit_gpus=tuple(gpu.gpu_uuid for gpu in cold),
            chain=_chain(trigger, row, what),
            implies=(f"What {named(waiting)} reported is a consequence: they waited for a peer that did not come.",)
            if waiting and not mismatch
            else (),
            cannot_decide=()
            if culprits or cold
            else (
                Missing(
                    "Which rank did not come",
                    "a flight-recorder dump or NCCL collective counts of every rank (TORCH_NCCL_TRACE_BUFFER_SIZE)",
                ),
            ),
            next=Next(
                "job",
                "Make every rank call the same collectives in the same order and shapes."
                if mismatch
                else f"Find out why {_words(trigger)[0].lower()}{_words(trigger)[1:]}; the waiting ranks need no fix."
                if trigger is not None
                else _look_at(own)
                if own
                else f"Look at what {names or 'the rank that reported nothing'} did when the others waited"
                " (its stack, its log, its node).",
            ),
        )

    def _counted(self, ev: Evidence, story: Story, stood: Standing) -> Finding:
        """No report, but dumps of what every rank had enqueued and completed: a watchdog writes them when it fires."""
        culprits = stood.culprits
        if not culprits:
            silent = self._silent(ev, story)
            if isinstance(silent, RuledIn):
                return silent
            return CannotDecide(
                because=f"{len(stood.waiting)} ranks had a collective open when their state was dumped, and none was"
                " behind the others; an instant of healthy training looks the same.",
                missing=("a time-out in a log, or the time of the dumps", "stacks of the ranks at that time"),
            )
        claims = Claims(ev, self.id)
        support: list[Support] = []
        _add_end(claims, support, story)
        _add_standing(claims, support, stood)
        stacks = {stack.rank: stack for stack in of_ranks(ev)}
        own = tuple(stacks[rank] for rank in culprits if rank in stacks and not stacks[rank].waits_for_peers)
        for stack in own[:_RANKS_CLAIMED]:
            stack.claim(claims, named((stack.rank,) if stack.rank is not None else ()))
        what = _named_operation(stood)
        waited = named(set(stood.waiting) - set(culprits))
        names = named(culprits)
        where = when(story) if story.progressed else ""
        headline = f"{names[0].upper()}{names[1:]} {_how(stood)}{where}, and {waited} waited in {what}."
        mismatch = stood.mode == "mismatch"
        return RuledIn(
            because=f"{headline} {sentence(own)}".rstrip(),
            would_change_if="counts that show the named ranks level with their peers, or the job going on afterwards",
            headline=headline,
            claims=claims.all,
            support=tuple(support),
            attribution="job" if mismatch else "unknown",
            scope="allocation",
            onset_ns=stood.since_ns,
            sub_mode=stood.mode,
            first_failing=Failing(
                rank=culprits[0] if len(culprits) == 1 else None,
                node=ev.node_of(culprits[0]) if len(culprits) == 1 else None,
                ts_ns=stood.since_ns,
            ),
            culprit_ranks=culprits,
            culprit_nodes=_nodes(ev, culprits),
            chain=(ChainLink("C2", "trigger", stood.since_ns, f"{what} did not complete"),),
            implies=(f"{waited[0].upper()}{waited[1:]} waited for a peer; their state is a consequence.",),
            cannot_decide=()
            if mismatch or own
            else (Missing(f"Why {names} {_how(stood)}", "stacks, kernel log and GPU samples of that time"),),
            next=Next(
                "job",
                "Make every rank call the same collectives in the same order and shapes."
                if mismatch
                else f"Look at the GPU of {names}: kernel log (XID), ECC, and the kernel that was running."
                if stood.gpu_stopped
                else _look_at(own)
                if own
                else f"Look at what the process of {names} did on the host (its stack, its log, its node).",
            ),
        )

    def _silent(self, ev: Evidence, story: Story) -> Finding:
        """No report at all: progress that stopped while the job was held tells of a freeze, if many ranks stopped."""
        pause = stall(ev, story, until_ns=_launcher_told(ev, story))
        still = None if pause is not None or ev.has("gpu_samples") else stood_still(ev, story)
        if still is not None and still[0].table == "fact_steps":
            pause = still[0]
        seen = frozen(ev)
        if seen is not None and (story.ended_well or advanced(ev, story, seen)):
            seen = None
        if still is None and story.last_planned is not None and story.of(*_ENDS):
            pause = None  # all was done, and said to be: samples may go on for longer
        if pause is None and seen is not None and seen.unlike_a_pause(ev):
            return _still(ev, story, seen)
        world = ev.world_size() or len(ev.ranks())
        if pause is not None and world <= 1 and seen is not None:
            world = len(seen.spinning) + len(seen.cold)
        if pause is not None and world <= 1:
            world = max(world, named_in_reports(ev, story))
        if pause is None:
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
        if world <= 1:
            return RuledOut(
                because="Only one rank is known, and one rank waits for no other.",
                would_change_if="more than one rank",
                stores=("logs",),
            )
        claims = Claims(ev, self.id)
        claims.over("Time of the last progress of any rank", "MAX", "ts_ns", "fact_steps", unit="ns")
        seconds = pause.silent_ns / 1e9
        # The last step may still have run for a while after it was reported.
        after_ns = pause.since_ns + min(pause.silent_ns // 4, int(ev.threshold("stall.least_silence") * 1e9))
        cold = stopped(ev, after_ns) or (seen.cold if seen is not None else ())
        support = [Support("logs", f"no progress for {seconds:.0f} s before the end")]
        if still is not None:
            support.append(Support("processes", f"its processes used {still[1]:.1f} s of CPU time meanwhile"))
        ranks = tuple(sorted(rank for gpu in cold if (rank := rank_of_gpu(ev, gpu.gpu_uuid)) is not None))
        names = named(ranks) if ranks else ", ".join(f"{gpu.gpu_uuid} on {gpu.node}" for gpu in cold)
        for gpu in cold[:_RANKS_CLAIMED]:
            what = f"Median engine activity of {gpu.gpu_uuid} after that"
            claims.over(what, "MEDIAN", "engine_active", "gpu_samples", sampled_of(gpu, after_ns), unit="1")
        if cold:
            support.append(
                Support("metrics", f"nothing ran on the GPU of {names} while the others spun", decisive=True)
            )
        own = _add_places(ev, claims, support)
        text = f"All {world} ranks froze after step {story.last_step} and did nothing for {seconds:.0f} s"
        if story.last_step is None:
            text = f"All {world} ranks froze and did nothing for {seconds:.0f} s"
        launched = _add_launches(ev, claims, support) if not own else None
        if own:
            ranks = _ranks_of(own)
            names = named(ranks)
            text += f": {names} {own[0].words()}, and the others waited for it"
        elif launched is not None:
            ranks = launched.culprits
            names = named(ranks)
            text += f": {names} {launched.words()}, and the others waited for it"
        elif cold:
            text += f": nothing ran on the GPU of {names}, and the others waited for it"
        return RuledIn(
            because=f"All {world} ranks were silent for {seconds:.0f} s, {pause.factor:.0f} times a usual step.",
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
            else (
                Missing(f"Why {names} {launched.words()}", "stacks of its process at that time")
                if launched is not None
                else Missing(f"Why nothing ran on the GPU of {names}", "stacks of its process at that time")
                if cold
                else Missing(
                    "Which rank did not come", "stacks, collective counts or a flight-recorder dump of every rank"
                ),
            ),
            next=Next(
                "job",
                _look_at(own) if own else _RECORD,
            ),
        )


def _launcher_told(ev: Evidence, story: Story) -> int | None:
    """When a launcher told of a failed rank, where no accounting tells of the end: telemetry goes on after the job."""
    if ev.has("slurm_jobs"):
        return None
    return min((row["ts_ns"] for row in story.of(Kind.LAUNCHER_FAILURE) if row["ts_ns"] is not None), default=None)


def _still(ev: Evidence, story: Story, seen: Frozen) -> Finding:
    """A freeze that only the samples of the GPUs show: the log has no times, or there is none."""
    claims = Claims(ev, FAMILY.id)
    support: list[Support] = []
    cold = _add_cold(claims, support, seen)
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
    ranks = _ranks_on(ev, cold)
    names = named(ranks) if ranks else f"the rank on {_listed(cold)}" if cold else None
    minutes = seen.length_ns / 60e9
    spun_text = f"{len(seen.spinning)} GPUs spun for {minutes:.0f} min without computing"
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
        cannot_decide=(Missing(f"Why nothing ran on {_listed(cold)}", "stacks of its process at that time"),)
        if cold
        else (Missing("Which rank did not come", "stacks, collective counts or a flight-recorder dump of every rank"),),
        next=Next("job", _RECORD),
    )


_RECORD: Final = (
    "Set a collective time-out and TORCH_NCCL_TRACE_BUFFER_SIZE, and record stacks at the stall (inquest attach)."
)


def _add_cold(claims: Claims, support: list[Support], seen: Frozen | None) -> tuple[Gpu, ...]:
    """Claims and support from the GPUs on which nothing ran while the others spun; returns them."""
    if seen is None or not seen.cold:
        return ()
    for gpu in seen.cold[:_RANKS_CLAIMED]:
        idle = sampled_of(gpu, seen.since_ns, seen.until_ns)
        if gpu.samples:
            text = f"Median engine activity of {gpu.gpu_uuid} while the others spun"
            claims.over(text, "MEDIAN", "engine_active", "gpu_samples", idle, unit="1")
        else:
            text = f"Samples of {gpu.gpu_uuid} while the others spun"
            claims.over(text, "COUNT", "*", "gpu_samples", idle, unit="samples")
    text = f"nothing ran on {_listed(seen.cold)} while {len(seen.spinning)} GPUs spun"
    support.append(Support("metrics", text, decisive=True))
    return seen.cold


def _while_waiting(ev: Evidence, row: Row) -> Frozen | None:
    """GPUs on which nothing ran while the others waited as long as the report says; it may be before any step."""
    waited = _RAN.search(str(row.get("text") or row["message"]))
    if waited is None or row["ts_ns"] is None or not ev.has("gpu_samples"):
        return None
    length = int(waited[1]) * 1_000_000
    since, until = row["ts_ns"] - length * 3 // 4, row["ts_ns"]
    cold = stopped(ev, since, until)
    others = tuple(gpu for gpu in medians(ev, since, until) if gpu not in cold)
    return Frozen(since, until, 0, others, cold) if cold else None


_RAN: Final = re.compile(r"ran for (\d{1,12}) milliseconds")


def _ranks_on(ev: Evidence, gpus: tuple[Gpu, ...]) -> tuple[int, ...]:
    """Ranks of GPUs, where each is known."""
    ranks = [rank for gpu in gpus if (rank := rank_of_gpu(ev, gpu.gpu_uuid)) is not None]
    return tuple(sorted(ranks)) if len(ranks) == len(gpus) else ()


def _listed(gpus: tuple[Gpu, ...]) -> str:
    return ", ".join(f"GPU {gpu.gpu_uuid} of {gpu.node}" for gpu in gpus[:_RANKS_CLAIMED])


def _called_another(timeouts: list[Row]) -> tuple[int, ...]:
    """Ranks that waited in another collective than most, where all waited in the same place of one group's order.

    Numbers of different groups count apart, so that all ranks must name one number and each of them once.
    """
    told: dict[int, tuple[str, str]] = {}
    for row in timeouts:
        work = _WORK.search(str(row["text"]))
        if row["rank"] is None or work is None:
            return ()
        told.setdefault(int(row["rank"]), (work["seq"], f"{work['op']} {work['size'] or ''}"))
    counted = Counter(what for _, what in told.values())
    if len({seq for seq, _ in told.values()}) != 1 or len(counted) < 2:
        return ()
    usual, times = counted.most_common(1)[0]
    return tuple(sorted(r for r, (_, what) in told.items() if what != usual)) if times * 2 > len(told) else ()


_WORK: Final = re.compile(r"SeqNum=(?P<seq>\d+), OpType=(?P<op>\w+)(?:, NumelIn=(?P<size>\d+))?")


def _said_by_crash(story: Story, row: Row) -> bool:
    """True when the line is part of a traceback that is judged as the job's own crash (models that differ by rank)."""
    return row["line_seq"] is not None and any(
        (crash.shown["node"], crash.shown["source"]) == (row["node"], row["source"])
        and crash.root["line_seq"] <= row["line_seq"] <= (crash.shown["line_seq_last"] or crash.shown["line_seq"])
        for crash in story.crashes_of(Cause.APPLICATION)
    )


def _trigger(story: Story, report: Row) -> Failure | None:
    """The first failure that is not itself a collective's report, when it came before the report."""
    for failure in story.failures:
        if failure.cause.cause in (Cause.COLLECTIVE, Cause.STORE_WAIT, Cause.RENDEZVOUS):
            continue
        return failure if story.earlier(failure.row, report) is True else None
    return None


def _link_lost(ev: Evidence, story: Story) -> RuledIn | None:
    """Sends that were retried until they failed, while the kernel of a node says that its link went down."""
    lost = [crash for crash in story.crashes_of(Cause.PEER_LOST) if _RETRIED.search(str(crash.speaking["message"]))]
    told = [row for row in story.of(Kind.NET_ERROR) if row["pattern"] == _COMPLETION and row["num"] in _RAN_OUT]
    told = [row for row in told if _aborted_after(story, row)]
    last = {(row["node"], row["subject"]): row for row in story.of(Kind.LINK_DOWN, Kind.LINK_UP)}
    down = [row for row in last.values() if row["kind"] == Kind.LINK_DOWN]
    if not (lost or told) or not down or story.failures:
        return None
    claims = Claims(ev, "C2")
    if lost:
        claims.row("What a rank said whose sends failed", "fact_exceptions", lost[0].speaking, "message")
    else:
        claims.row("What a rank said whose sends failed", "fact_events", told[0], "text")
    for row in down[:_RANKS_CLAIMED]:
        claims.row("Link that went down", "fact_events", row, "text")
    nodes = tuple(sorted({node for row in down if (node := place(row)) is not None}))
    where = ", ".join(nodes) or "a node"
    support = [
        Support("logs", "sends were retried until they failed", decisive=True),
        Support("kernel", f"a link of {where} went down", decisive=len(nodes) == 1),
    ]
    _add_end(claims, support, story)
    sent = {rank for crash in lost for rank in crash.ranks} or {row["rank"] for row in told if row["rank"] is not None}
    ranks = named(sent or {0})
    text = f"A link of {where} went down{when(story)}, and what {ranks} sent was retried until it failed"
    return RuledIn(
        because=f"{text}.",
        would_change_if="the link coming up again before the sends failed, or a rank that failed before",
        headline=f"{text}.",
        claims=claims.all,
        support=tuple(support),
        attribution="infrastructure",
        scope="node",
        onset_ns=down[0]["ts_ns"] or (lost[0].speaking if lost else told[0])["ts_ns"],
        sub_mode="link_down",
        first_failing=failing(down[0]),
        culprit_nodes=nodes,
        implies=("Tracebacks of the ranks that sent are consequences.",),
        next=Next("infrastructure", f"Look at the link of {where}: cable, port of the switch, adapter."),
    )


def _aborted_after(story: Story, error: Row) -> bool:
    """Whether the rank that told of the error told of no more steps, and aborted."""
    mine = story.all_steps.filter(pl.col("source").eq_missing(pl.lit(error["source"], dtype=pl.String)))
    if error["line_seq"] is None or (mine["line_seq"] > error["line_seq"]).any():
        return False
    ends = story.of(Kind.ABORT, Kind.PEER_LOST)
    return any(row["source"] == error["source"] and (row["line_seq"] or 0) > error["line_seq"] for row in ends)


_COMPLETION: Final = "nccl.ib_completion"
_RAN_OUT: Final = (12, 13)
"""ibv_wc_status of a send that was retried until it failed: RETRY_EXC_ERR and RNR_RETRY_EXC_ERR."""
_RETRIED: Final = re.compile(r"IBV_WC_(?:RETRY_EXC|RNR_RETRY)|RETRY_EXC_ERR|transport retry counter exceeded")


def _by_own_timer(ev: Evidence, story: Story) -> RuledIn | None:
    """Several ranks stood still until a timer of the job's own printed their stacks and ended them."""
    fired = [row for row in story.of(Kind.OWN_TIMER) if not _went_on(story, row)]
    world = max(_world(story), len(story.ranks))
    if not fired or world <= 1 or (story.ended_well is not False and not story.of(Kind.LAUNCHER_FAILURE)):
        return None
    if story.first is not None and story.earlier(story.first.row, fired[0]) is not False:
        return None
    claims = Claims(ev, "C2")
    claims.row("What the job's own timer printed", "fact_events", fired[0], "text")
    support = [Support("logs", "a timer of the job's own fired")]
    _add_end(claims, support, story)
    text = f"All {world} ranks stood still{when(story)} until a timer of the job's own ended them"
    return RuledIn(
        because=f"{text}; no rank had failed before.",
        would_change_if="progress of any rank after the timer fired, or an exception of one of them before it",
        headline=f"{text}.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=fired[0]["ts_ns"],
        sub_mode="silent",
        first_failing=failing(fired[0]),
        cannot_decide=(
            Missing("Which rank did not come", "stacks, collective counts or a dump of every rank by name"),
        ),
        next=Next("job", "Read the stacks that the timer printed: the rank that is in no collective kept the others."),
    )


def _left_early(ev: Evidence, story: Story) -> RuledIn | None:
    """Ranks lost one that the launcher's summary does not list as failed and did not have to end: it had left well."""
    lost = story.crashes_of(Cause.PEER_LOST)
    listed = {death.row["rank"] for death in story.deaths if death.row["said_by"] == "torchrun"} - {None}
    gone = tuple(sorted(set(range(_world(story))) - listed))
    if not lost or not listed or story.failures or not gone or len(gone) > len(listed) / 2:
        return None
    if max(listed) >= _world(story):
        return None  # what told the size of the world spoke of another one
    # A launcher ends who still waits, by SIGTERM.
    killed = any(death.term_signal not in (None, signal.SIGTERM) for death in story.deaths)
    if killed or not {crash.shown["rank"] for crash in lost} <= listed:
        return None
    claims = Claims(ev, "C2")
    claims.row("What a rank that was left said", "fact_exceptions", lost[0].speaking, "message")
    listing = "said_by = 'torchrun' AND rank IS NOT NULL"
    claims.sql(
        "Ranks that the launcher lists as failed",
        f"SELECT COUNT(DISTINCT rank) FROM fact_exits WHERE {listing}",
        "fact_exits",
        "ranks",
        ev.rows("fact_exits", listing),
    )
    support = [Support("logs", f"{named(listed)} lost a peer, and the launcher lists no failure of {named(gone)}")]
    _add_end(claims, support, story)
    names = named(gone)
    text = f"{names[0].upper()}{names[1:]} ended without a failure{when(story)} while {named(listed)} needed it"
    return RuledIn(
        because=f"{text}: of {_world(story)} ranks the launcher lists all others.",
        would_change_if=f"a failure or a signal of {names}, or steps of it after that",
        headline=f"{text} for a collective.",
        claims=claims.all,
        support=tuple(support),
        attribution="job",
        scope="allocation",
        onset_ns=lost[0].speaking["ts_ns"],
        sub_mode="peer_lost",
        first_failing=Failing(rank=gone[0] if len(gone) == 1 else None),
        culprit_ranks=gone,
        implies=(f"What {named(listed)} reported is a consequence: their peer had gone.",),
        cannot_decide=(Missing(f"Why {names} left", f"the output of {names}"),),
        next=Next("job", "Give every rank the same number of steps (uneven data: torch's Join, or drop_last)."),
    )


_WORLD: Final = re.compile(r"(?i)\bworld[_ ]size\s*(?:[=:]\s*)?(\d{1,6})\b|\bnum_processes=(\d{1,6})\b")


def _world(story: Story) -> int:
    """Ranks of the job, as what tells of its process group says; 0 where nothing does."""
    told = [row for row in story.of(Kind.PROCESS_GROUP_READY, Kind.PROCESS_GROUP_INIT) if row["text"]]
    sizes = [int(found[1] or found[2]) for row in told if (found := _WORLD.search(row["text"]))]
    sizes += [int(row["num"]) for row in told if row["num_unit"] == "ranks" and row["num"] is not None]
    return max(sizes, default=0)


def _went_on(story: Story, row: Row) -> bool:
    """True where a step was reported after it."""
    return not story.steps.is_empty() and story.earlier(row, story.steps.row(-1, named=True)) is True


def _resolved(story: Story, row: Row) -> bool:
    """True for ranks that Horovod's stall inspector misses, where a step was reported later: they came after all."""
    return bool(row["framework"] == "horovod") and _went_on(story, row)


def _culprits(ev: Evidence, story: Story, *, crashes: list[str], victims: set[int]) -> tuple[int, ...]:
    """Ranks named late; else the ranks that reported no time-out while all others did; else the lowest sequence."""
    named: set[int] = set()
    for row in story.of(Kind.LATE_RANKS):
        named |= {int(n) for n in _NUMBERS.findall(str(row["subject"] or ""))}
    for message in crashes:
        if match := _BARRIER.search(message):
            named |= {int(n) for n in _NUMBERS.findall(match[1])}
    if named:
        return tuple(sorted(named))
    pids = {death.row["pid"] for death in story.deaths if death.row["rank"] not in victims}
    known = set(range(ev.world_size() or 0)) or set(ev.ranks())
    if known <= victims:
        # Who left no trace of any kind is seen by the gap in the numbers.
        known = set(range(max(_world(story), max(known, default=-1) + 1)))
    absent = known - victims
    # One silent rank among many is the suspect; half of them silent says nothing about one.
    if victims and absent and len(absent) * 2 < len(known) + 1 and pids is not None:
        return tuple(sorted(absent))
    return _behind(story)


def _behind(story: Story) -> tuple[int, ...]:
    """Ranks whose watchdog was stuck at a lower sequence number than most; in the group of all ranks only.

    Sequence numbers of different process groups, and ranks within them, say nothing about each other.
    """
    reached = {
        int(row["rank"]): int(row["num"])
        for row in story.of(Kind.COLLECTIVE_STATUS)
        if row["rank"] is not None and row["num"] is not None and "default_pg" in str(row["text"])
    }
    late = [rank for rank, number in reached.items() if number == min(reached.values())]
    if reached:
        return tuple(sorted(late)) if len(late) * 2 < len(reached) else ()
    return _in_the_one_before(story)


def _in_the_one_before(story: Story) -> tuple[int, ...]:
    """Ranks that waited in the collective right before the one that most waited in; all in the group of all ranks.

    Numbers next to each other are of one order: those of other groups run apart.
    """
    told: dict[int, int] = {}
    for row in story.of(Kind.COLLECTIVE_TIMEOUT):
        if row["rank"] is not None and (work := _WORK.search(str(row["text"]))):
            told.setdefault(int(row["rank"]), int(work["seq"]))
    counted = Counter(told.values())
    if len(counted) != 2 or len(told) < _LEAST_IN_ORDER:
        return ()
    (usual, times), (other, few) = counted.most_common()
    late = tuple(sorted(rank for rank, number in told.items() if number == other))
    return late if other == usual - 1 and few * _LEAST_IN_ORDER <= times else ()


_LEAST_IN_ORDER: Final = 4
"""Ranks that one may be told from, and how many must agree for each that does not."""


def _first(trigger: Failure | None, row: Row, culprits: tuple[int, ...]) -> Failing:
    """The trigger's place; else the one rank that did not come, whose place is not the reporter's."""
    if trigger is not None:
        return failing(trigger.row)
    if len(culprits) == 1 and culprits[0] != row["rank"]:
        return Failing(rank=culprits[0], ts_ns=row["ts_ns"])
    return failing(row)


def _nodes(ev: Evidence, ranks: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(sorted({node for rank in ranks if (node := node_of(ev, rank)) is not None}))


def _chain(trigger: Failure | None, row: Row, what: str) -> tuple[ChainLink, ...]:
    freeze = ChainLink(
        "C2",
        "consequence" if trigger else "trigger",
        row["ts_ns"],
        f"{what} did not complete",
        row["rank"],
        row["node"],
    )
    if trigger is None:
        return (freeze,)
    first = trigger.row
    return (
        ChainLink(_family_of(trigger), "trigger", first["ts_ns"], _words(trigger), first["rank"], first["node"]),
        freeze,
    )


def _family_of(failure: Failure) -> str:
    if failure.death is not None:
        return "A2"
    return {
        Cause.GPU_MEMORY: "B1",
        Cause.GPU_FAULT: "B2",
        Cause.CHECKPOINT: "E2",
        Cause.NUMERIC: "E1",
        Cause.WORKER_KILLED: "A2",
        Cause.INPUT_STALL: "D1",
    }.get(failure.cause.cause, "A1")


def _words(failure: Failure) -> str:
    if failure.death is not None:
        return f"{who(failure.row)} was ended by {failure.death.signal_name}"
    return f"{who(failure.row)}: {failure.crash.title}" if failure.crash else who(failure.row)


def _headline(
    what: str, where: str, names: str | None, victims: set[int], trigger: Failure | None, *, mismatch: bool
) -> str:
    if mismatch:
        others = f": {names} called another one than {named(victims)}" if names and victims else ""
        return f"The ranks called different collectives{where}{others}, so none could complete."
    waited = named(victims) if victims else "the other ranks"
    if trigger is not None:
        return f"{_words(trigger)}, and {waited} waited in {what}{where} until it timed out."
    if names:
        return f"{names[0].upper()}{names[1:]} did not join {what}{where}, and {waited} waited until it timed out."
    return f"{what[0].upper()}{what[1:]} did not complete{where}: {waited} waited until it timed out."


def _how(stood: Standing) -> str:
    """What the named ranks did, as the predicate of a sentence."""
    if stood.mode == "gpu_stopped":
        return "did not finish on the GPU what the others finished"
    if stood.mode == "host_stopped":
        return "stopped calling collectives while nothing of theirs was open"
    if stood.mode == "mismatch":
        return f"called another collective ({stood.mismatch[0][3]}) than the others ({stood.mismatch[0][4]})"
    return "left no dump although the others waited in a group with them"


def _named_operation(stood: Standing) -> str:
    return f"collective {stood.operation}" if stood.operation else "a collective"


def _add_standing(claims: Claims, support: list[Support], stood: Standing) -> None:
    """Claims and support from the counts of each rank."""
    for lag in stood.host_stopped[:_RANKS_CLAIMED]:
        lag.claim(claims, ENQUEUED)
    for lag in stood.gpu_stopped[:_RANKS_CLAIMED]:
        lag.claim(claims, COMPLETED)
    if stood.culprits:
        decisive = bool(stood.host_stopped or stood.gpu_stopped or stood.mismatch)
        support.append(Support("traces", f"{named(stood.culprits)} {_how(stood)}", decisive=decisive))
    else:
        support.append(Support("traces", f"{len(stood.waiting)} ranks had a collective open"))


def _add_places(ev: Evidence, claims: Claims, support: list[Support]) -> tuple[Place, ...]:
    """Claims and support from the stacks of all ranks; returns where those stood that the others waited for."""
    own, waiting = kept_waiting(ev)
    for stack in (*own[:_RANKS_CLAIMED], *waiting[:1]):
        stack.claim(claims, named(_ranks_of((stack,))))
    if own:
        waited = named(_ranks_of(waiting))
        support.append(
            Support("traces", f"{sentence(own)[:-1]}, while {waited} waited for a collective", decisive=True)
        )
    return own


def _add_launches(ev: Evidence, claims: Claims, support: list[Support]) -> Launches | None:
    """Claims and support from counts of launches; None where they name nobody."""
    launched = launches(ev)
    if launched is not None:
        launched.claim(claims)
        support.append(
            Support("traces", f"{named(launched.culprits)} {launched.words()}", decisive=bool(launched.behind))
        )
    return launched


def _ranks_of(places: tuple[Place, ...]) -> tuple[int, ...]:
    return tuple(sorted(stack.rank for stack in places if stack.rank is not None))


def _look_at(own: tuple[Place, ...]) -> str:
    """What to do where the stacks name the line."""
    stack = own[0].guilty
    where = stack.line or stack.text.partition("\n")[0]
    waited = f", which waited for {stack.waits_for}" if stack.waits_for else ""
    return f"Look at {where} on {stack.node}{waited}; the ranks that waited in the collective need no fix."


def _add_end(claims: Claims, support: list[Support], story: Story) -> None:
    end = story.end_status
    if end is not None and (end.exit_code or end.term_signal):
        claims.ending("the command", end.row)
        support.append(Support("processes", "the command ended with a failure"))


FAMILY: Final = CollectiveFreeze()
