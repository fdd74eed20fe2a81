"""Waits for a peer that ended without a time-out of a collective: by a lost link, by a timer, by a peer that left."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._latecomers import said_world
from inquest.analyze.families._missed_heartbeats import missed
from inquest.analyze.families._pulses import last_pulses, stood_to_the_end
from inquest.analyze.families._rows import failing, named, place
from inquest.analyze.families._story import when
from inquest.analyze.families._witnesses import RANKS_CLAIMED, add_end
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_COMPLETION: Final = "nccl.ib_completion"
_RAN_OUT: Final = (12, 13)
"""ibv_wc_status of a send that was retried until it failed: RETRY_EXC_ERR and RNR_RETRY_EXC_ERR."""
_RETRIED: Final = re.compile(r"IBV_WC_(?:RETRY_EXC|RNR_RETRY)|RETRY_EXC_ERR|transport retry counter exceeded")


def link_lost(ev: Evidence, story: Story) -> RuledIn | None:
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
    for row in down[:RANKS_CLAIMED]:
        claims.row("Link that went down", "fact_events", row, "text")
    nodes = tuple(sorted({node for row in down if (node := place(row)) is not None}))
    where = ", ".join(nodes) or "a node"
    support = [
        Support("logs", "sends were retried until they failed", decisive=True),
        Support("kernel", f"a link of {where} went down", decisive=len(nodes) == 1),
    ]
    add_end(claims, support, story)
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


def by_own_timer(ev: Evidence, story: Story) -> RuledIn | None:
    """Several ranks stood still until a timer of the job's own printed their stacks and ended them."""
    fired = [row for row in story.of(Kind.OWN_TIMER) if not went_on(story, row)]
    world = max(said_world(story), len(story.ranks))
    if not fired or world <= 1 or (story.ended_well is not False and not story.of(Kind.LAUNCHER_FAILURE)):
        return None
    if story.first is not None and story.earlier(story.first.row, fired[0]) is not False:
        return None
    claims = Claims(ev, "C2")
    claims.row("What the job's own timer printed", "fact_events", fired[0], "text")
    support = [Support("logs", "a timer of the job's own fired")]
    add_end(claims, support, story)
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


def by_pulses(ev: Evidence, story: Story) -> RuledIn | None:
    """Several processes that each went on telling where it stood, all to the end; a guard of the job's own ended it."""
    pulses = [pulse for pulse in last_pulses(ev, story) if pulse.length_s >= ev.threshold("stall.least_silence") / 2]
    # Where a service missed a task, what became of that one is the question, and its peers' waits a consequence.
    if len(pulses) < 2 or not stood_to_the_end(story, tuple(pulses)) or missed(ev):
        return None
    # Who never began may have waited for those who never came: that is no collective.
    if not story.progressed and story.of(Kind.RENDEZVOUS_TIMEOUT):
        return None
    claims = Claims(ev, "C2")
    for pulse in pulses[:RANKS_CLAIMED]:
        claims.row("What one of them told last", "log_lines", pulse.last, "text")
    seconds = min(pulse.length_s for pulse in pulses)
    support = [Support("logs", f"{len(pulses)} processes each told the same for {seconds:.0f} s and more")]
    add_end(claims, support, story)
    text = f"{len(pulses)} processes stood still for {seconds:.0f} s and more until the end, each where its pulse tells"
    return RuledIn(
        because=f"{text}; none had failed before.",
        would_change_if="progress of any of them after that, or processes that do not wait for each other",
        headline=f"{text}.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=min(pulse.rows[0]["ts_ns"] or 0 for pulse in pulses) or None,
        sub_mode="silent",
        first_failing=failing(pulses[0].rows[0]),
        cannot_decide=(Missing("Which rank did not come", "stacks, or collective counts, of every rank by name"),),
        next=Next("job", "Look at where each of them stood: the one that was in no collective kept the others."),
    )


def left_early(ev: Evidence, story: Story) -> RuledIn | None:
    """Ranks lost one that the launcher's summary does not list as failed and did not have to end: it had left well."""
    lost = story.crashes_of(Cause.PEER_LOST)
    listed = {death.row["rank"] for death in story.deaths if death.row["said_by"] == "torchrun"} - {None}
    gone = tuple(sorted(set(range(said_world(story))) - listed))
    if not lost or not listed or story.failures or not gone or len(gone) > len(listed) / 2:
        return None
    if max(listed) >= said_world(story):
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
    add_end(claims, support, story)
    names = named(gone)
    text = f"{names[0].upper()}{names[1:]} ended without a failure{when(story)} while {named(listed)} needed it"
    return RuledIn(
        because=f"{text}: of {said_world(story)} ranks the launcher lists all others.",
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


def went_on(story: Story, row: Row) -> bool:
    """True where a step was reported after it."""
    return not story.steps.is_empty() and story.earlier(row, story.steps.row(-1, named=True)) is True


def _aborted_after(story: Story, error: Row) -> bool:
    """Whether the rank that told of the error told of no more steps, and aborted."""
    mine = story.all_steps.filter(pl.col("source").eq_missing(pl.lit(error["source"], dtype=pl.String)))
    if error["line_seq"] is None or (mine["line_seq"] > error["line_seq"]).any():
        return False
    ends = story.of(Kind.ABORT, Kind.PEER_LOST)
    return any(row["source"] == error["source"] and (row["line_seq"] or 0) > error["line_seq"] for row in ends)
