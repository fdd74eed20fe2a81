"""C2: a collective that never completed: frozen survivors, and the rank that did not come."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._collectives import standing
from inquest.analyze.families._ended_waits import by_own_timer, by_pulses, left_early, link_lost, went_on
from inquest.analyze.families._frozen import Frozen, frozen
from inquest.analyze.families._gpu import medians, stopped
from inquest.analyze.families._latecomers import called_another, did_not_come
from inquest.analyze.families._missed_heartbeats import by_missed_heartbeats
from inquest.analyze.families._printed_ras import by_printed_ras
from inquest.analyze.families._rows import exception_title, failing, named, who
from inquest.analyze.families._silent_freeze import silent
from inquest.analyze.families._some_came import some_came
from inquest.analyze.families._stacks import of_ranks, sentence
from inquest.analyze.families._stood_together import by_places
from inquest.analyze.families._story import when
from inquest.analyze.families._telling import tell
from inquest.analyze.families._where import node_of
from inquest.analyze.families._witnesses import (
    RANKS_CLAIMED,
    add_cold,
    add_end,
    add_launches,
    add_places,
    add_standing,
    listed,
    look_at,
    ranks_of,
    ranks_on,
)
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import ChainLink, Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._collectives import Standing
    from inquest.analyze.families._failures import Crash, Failure
    from inquest.analyze.families._launches import Launches
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._stacks import Place
    from inquest.analyze.families._story import Story

_OPERATION: Final = re.compile(r"OpType=(\w+)")
_RAN: Final = re.compile(r"ran for (\d{1,12}) milliseconds")
_REPORTS: Final = (Kind.COLLECTIVE_TIMEOUT, Kind.COLLECTIVE_MISMATCH, Kind.LATE_RANKS, Kind.WATCHDOG_STUCK)
_SAME_CALLS: Final = "Make every rank call the same collectives in the same order and shapes."


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
        crashes = story.crashes_of(*((Cause.COLLECTIVE, Cause.STORE_WAIT) if met else (Cause.COLLECTIVE,)))
        events = [
            row
            for row in story.of(*_REPORTS)
            if row["role"] != "progress" and not _said_by_crash(story, row) and not _resolved(story, row)
        ]
        stood = standing(ev)
        if crashes or events:
            return _reported(ev, story, crashes, events, stood)
        if stood is not None and not story.ended_well:
            return _counted(ev, story, stood)
        ended = link_lost(ev, story) or by_own_timer(ev, story) or left_early(ev, story)
        told = by_missed_heartbeats(ev, story) or by_printed_ras(ev, story) or by_pulses(ev, story)
        return ended or told or by_places(ev, story) or some_came(ev, story) or silent(ev, story)


def _reported(ev: Evidence, story: Story, crashes: list[Crash], events: list[Row], stood: Standing | None) -> RuledIn:
    """Ranks that waited reported it: a time-out, a disagreement, or an exception."""
    claims = Claims(ev, FAMILY.id)
    support: list[Support] = []
    timeouts = [row for row in events if row["kind"] == Kind.COLLECTIVE_TIMEOUT]
    _add_reports(claims, support, events, crashes)
    add_end(claims, support, story)
    if stood is not None:
        add_standing(claims, support, stood)
    row = events[0] if events else crashes[0].speaking
    victims = ({e["rank"] for e in timeouts} | {c.shown["rank"] for c in crashes}) - {None}
    apart = called_another(timeouts)
    mismatch = bool(apart) or _disagreed(crashes, events, stood)
    trigger = _trigger(story, row)
    cold = add_cold(claims, support, frozen(ev) or _while_waiting(ev, row))
    counted = stood.culprits if stood is not None else ()
    own = add_places(ev, claims, support)
    launched = add_launches(ev, claims, support) if not counted and not own else None
    culprits = (
        counted
        or apart
        or ranks_of(own)
        or (launched.culprits if launched is not None else ())
        or ranks_on(ev, cold)
        or did_not_come(ev, story, crashes=[str(c.speaking["message"]) for c in crashes], victims=victims)
    )
    if trigger is not None and trigger.row.get("rank") is not None:
        culprits = (int(trigger.row["rank"]),)
    what = _awaited(timeouts, stood, several=bool(apart))
    names = named(culprits) if culprits else f"the rank on {listed(cold)}" if cold else None
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
        sub_mode="mismatch" if mismatch else _mode(trigger, stood, own, launched),
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
        next=Next("job", _SAME_CALLS if mismatch else _advice(trigger, own, names)),
    )


def _counted(ev: Evidence, story: Story, stood: Standing) -> Finding:
    """No report, but dumps of what every rank had enqueued and completed: a watchdog writes them when it fires."""
    culprits = stood.culprits
    if not culprits:
        seen = silent(ev, story)
        if isinstance(seen, RuledIn):
            return seen
        return CannotDecide(
            because=f"{len(stood.waiting)} ranks had a collective open when their state was dumped, and none was"
            " behind the others; an instant of healthy training looks the same.",
            missing=("a time-out in a log, or the time of the dumps", "stacks of the ranks at that time"),
        )
    claims = Claims(ev, FAMILY.id)
    support: list[Support] = []
    add_end(claims, support, story)
    add_standing(claims, support, stood)
    stacks = {stack.rank: stack for stack in of_ranks(ev)}
    own = tuple(stacks[rank] for rank in culprits if rank in stacks and not stacks[rank].waits_for_peers)
    for stack in own[:RANKS_CLAIMED]:
        stack.claim(claims, named((stack.rank,) if stack.rank is not None else ()))
    waited = named(set(stood.waiting) - set(culprits))
    names = named(culprits)
    where = when(story) if story.progressed else ""
    headline = f"{names[0].upper()}{names[1:]} {stood.words()}{where}, and {waited} waited in {stood.awaited}."
    mismatch = stood.mode == "mismatch"
    alone = culprits[0] if len(culprits) == 1 else None
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
        first_failing=Failing(rank=alone, node=None if alone is None else ev.node_of(alone), ts_ns=stood.since_ns),
        culprit_ranks=culprits,
        culprit_nodes=_nodes(ev, culprits),
        chain=(ChainLink("C2", "trigger", stood.since_ns, f"{stood.awaited} did not complete"),),
        implies=(f"{waited[0].upper()}{waited[1:]} waited for a peer; their state is a consequence.",),
        cannot_decide=()
        if mismatch or own
        else (Missing(f"Why {names} {stood.words()}", "stacks, kernel log and GPU samples of that time"),),
        next=Next(
            "job",
            _SAME_CALLS
            if mismatch
            else f"Look at the GPU of {names}: kernel log (XID), ECC, and the kernel that was running."
            if stood.gpu_stopped
            else look_at(own)
            if own
            else f"Look at what the process of {names} did on the host (its stack, its log, its node).",
        ),
    )


def _said_by_crash(story: Story, row: Row) -> bool:
    """True when the line is part of a traceback that is judged as the job's own crash (models that differ by rank)."""
    return row["line_seq"] is not None and any(
        (crash.shown["node"], crash.shown["source"]) == (row["node"], row["source"])
        and crash.root["line_seq"] <= row["line_seq"] <= (crash.shown["line_seq_last"] or crash.shown["line_seq"])
        for crash in story.crashes_of(Cause.APPLICATION)
    )


def _resolved(story: Story, row: Row) -> bool:
    """True for ranks that Horovod's stall inspector misses, where a step was reported later: they came after all."""
    return bool(row["framework"] == "horovod") and went_on(story, row)


def _add_reports(claims: Claims, support: list[Support], events: list[Row], crashes: list[Crash]) -> None:
    """Claims and support from the first report of each kind."""
    if events:
        claims.row("First report of the freeze", "fact_events", events[0], "text")
        support.append(Support("logs", f"{events[0]['kind']} reported", decisive=True))
    if crashes:
        claims.row("Exception that ended the wait", "fact_exceptions", crashes[0].speaking, "message")
        support.append(Support("logs", exception_title(crashes[0].speaking, 90), decisive=True))


def _disagreed(crashes: list[Crash], events: list[Row], stood: Standing | None) -> bool:
    """Whether the ranks called different collectives, by reports or by counts."""
    return (
        any(row["kind"] == Kind.COLLECTIVE_MISMATCH for row in events)
        or any("mismatch between collectives" in str(c.speaking["message"]) for c in crashes)
        or (stood is not None and stood.mode == "mismatch")
    )


def _trigger(story: Story, report: Row) -> Failure | None:
    """The first failure that is not itself a collective's report, when it came before the report."""
    for failure in story.failures:
        if failure.cause.cause in (Cause.COLLECTIVE, Cause.STORE_WAIT, Cause.RENDEZVOUS):
            continue
        return failure if story.earlier(failure.row, report) is True else None
    return None


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


def _awaited(timeouts: list[Row], stood: Standing | None, *, several: bool) -> str:
    """The collective that did not complete, for a sentence."""
    told = (found for row in timeouts if (found := _OPERATION.search(str(row["text"]))))
    first = None if several else next(told, None)
    if first is not None:
        return f"collective {first[1]}"
    return "a collective" if stood is None else stood.awaited


def _mode(trigger: Failure | None, stood: Standing | None, own: tuple[Place, ...], launched: Launches | None) -> str:
    """How the rank was lost that the others waited for."""
    if trigger is not None:
        return "peer_lost"
    if stood is not None and stood.culprits:
        return stood.mode or "timeout"
    if own:
        return "host_stopped"
    return "timeout" if launched is None else launched.mode


def _advice(trigger: Failure | None, own: tuple[Place, ...], names: str | None) -> str:
    """Where to look for what kept the others."""
    if trigger is not None:
        words = _words(trigger)
        return f"Find out why {words[0].lower()}{words[1:]}; the waiting ranks need no fix."
    if own:
        return look_at(own)
    return (
        f"Look at what {names or 'the rank that reported nothing'} did when the others waited"
        " (its stack, its log, its node)."
    )


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


FAMILY: Final = CollectiveFreeze()
