"""F1: a node of the allocation went down, by the scheduler or by all of its samples; never by a GPU's health flag."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._dark_node import dark_node
from inquest.analyze.families._gpu import fell_silent
from inquest.analyze.families._lost_node import bereaved, failed_nodes, node_of
from inquest.analyze.families._resumes import outlived
from inquest.analyze.families._rows import Row, failing, place
from inquest.analyze.families._stall import stall
from inquest.analyze.families._story import when
from inquest.analyze.families._telling import tell
from inquest.analyze.families._window import run_span
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Failing, Missing, Next
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class NodeDown:
    """See the module."""

    id: str = "F1"
    name: str = "node down"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("scheduler", "gpu_samples")
    helps: tuple[str, ...] = ("slurm_nodes", "slurm_jobs", "host_samples")

    def judge(self, ev: Evidence) -> Finding:
        """The scheduler's word on the job or on a node of it, near the end."""
        story = tell(ev)
        near_ns = int(ev.threshold("f1.near_end") * 1e9)
        about_job, about_node = failed_nodes(ev, story)
        if not ev.has("scheduler") and not about_job and not about_node:
            return _unscheduled(ev, story)
        if about_job and all(outlived(ev, story, row) for row in (*about_job, *about_node)):
            return RuledOut(
                because="Training was resumed after the node's failure, and came to its end.",
                would_change_if="a node of the last attempt down at its end",
                stores=("scheduler",),
            )
        if story.ended_well or (not about_job and not about_node):
            return RuledOut(
                because="The scheduler reports no failed node at the end of the run.",
                would_change_if="a job state NODE_FAIL, or a node of the job down at the end",
                stores=("scheduler",),
            )
        row = (about_job or about_node)[0]
        claims = Claims(ev, self.id)
        if (lost := bereaved(story, row)) is not None:
            claims.row("First word of a peer that was gone", "fact_events", lost, "text")
        claims.row("What the scheduler says", "fact_events", row, "text")
        support = [Support("scheduler", "a node failure ended the job", decisive=bool(about_job))]
        node = next((str(node_of(r)) for r in (*about_node, *about_job) if _is_node(ev, r)), None)
        if node is None and row["framework"] == "kube":
            node = place(row)
        silent = fell_silent(ev)
        if node is None and len(silent) == 1:
            node = next(iter(silent))
        away = _was_away(ev, row["ts_ns"], near_ns) if node is None and about_job else {}
        if len(away) == 1:
            node = next(iter(away))
        onset = row["ts_ns"]
        began = _began_anew(ev)
        if node is None and len(began) == 1:
            (node,) = began
        if node is not None and began == {node}:
            claims.over(f"Boot of {node}", "MAX", "ts_ns", "kernel_log", _boot(node), unit="ns")
            support.append(Support("kernel", f"of all nodes the kernel of {node} began anew"))
        if node in silent:
            at, table = silent[node]
            seen = f"node = {literal(node)} AND ts_ns <= {at}"
            claims.over(f"Last sample of {node} in the run", "MAX", "ts_ns", table, seen, unit="ns")
            support.append(Support("metrics", f"{node} was sampled no more while other nodes were", decisive=True))
            onset = at
        elif node in away:
            onset, table = away[node]
            seen = f"node = {literal(node)} AND ts_ns <= {onset}"
            claims.over(f"Last sample of {node} before it was away", "MAX", "ts_ns", table, seen, unit="ns")
            support.append(Support("metrics", f"{node} was not sampled for a while, and other nodes were"))
        pause = stall(ev, story)
        if onset is not None and pause is not None and 0 <= onset - pause.since_ns <= near_ns:
            # The scheduler notices minutes later; that all work stopped is the first that is seen of a lost node, and
            # the node was lost before the others waited for it.
            onset = pause.since_ns - 1
        if about_node and about_job:
            claims.row("State of the node", "fact_events", about_node[0], "text")
            support.append(Support("metrics", "the node's own state turned bad at that time"))
        if lost is not None and lost["ts_ns"] is not None:
            onset = min(onset or lost["ts_ns"], lost["ts_ns"] - 1)
        elif story.failures and story.earlier(story.failures[0].row, row):
            return RuledOut(
                because="The job had failed before the node was reported down.",
                would_change_if="the node going down before the first failure",
                claims=claims.all,
                stores=("scheduler",),
            )
        name = f"Node {node}" if node else "A node of the allocation"
        # Without its output nobody knows how far it had come.
        where = when(story) if story.progressed or ev.has("logs") else ""
        return RuledIn(
            because=f"{name} failed, as the scheduler reports, and took the job down{where}.",
            would_change_if="a failure of the job before the node went down",
            headline=f"{name} went down{where}, and the job ended with it.",
            claims=claims.all,
            support=tuple(support),
            attribution="infrastructure",
            scope="node",
            onset_ns=onset,
            first_failing=replace(failing(row), node=node, rank=None, ts_ns=onset),
            culprit_nodes=(node,) if node else (),
            next=Next("infrastructure", f"Find out why {node or 'the node'} went down (BMC log, power, kernel panic)."),
        )


def _unscheduled(ev: Evidence, story: Story) -> Finding:
    """Where no scheduler was asked, a node that fell silent in mid-work, with which the work of all others ended."""
    dark = dark_node(ev, story)
    if dark is None:
        return CannotDecide(
            because="No scheduler was asked, and no node's silence tells that it went down in mid-work.",
            missing=("the scheduler's records of nodes and jobs",),
        )
    claims = Claims(ev, "F1")
    claims.over(f"Last sample of {dark.node} in the run", "MAX", "ts_ns", "gpu_samples", dark.where, unit="ns")
    text = f"{dark.node} was sampled no more while other nodes were, and the others computed no more"
    support = [Support("metrics", text, decisive=dark.host)]
    lost = next((row for row in story.of(Kind.RENDEZVOUS_TIMEOUT) if (row["ts_ns"] or 0) > dark.last_ns), None)
    if lost is not None:
        claims.row("What its peers said", "fact_events", lost, "text")
        support.append(Support("logs", "its peers lost it"))
    if story.failures and (story.failures[0].row["ts_ns"] or dark.last_ns) < dark.last_ns:
        return CannotDecide(
            because=f"{dark.node} fell silent after the job had failed.",
            missing=("the scheduler's records of nodes and jobs",),
            claims=claims.all,
        )
    whole = "with all its exporters" if dark.host else "as far as it was sampled"
    return RuledIn(
        because=f"{dark.node} fell silent in mid-work, {whole}; the other nodes' GPUs computed no more after it.",
        would_change_if="the job going on after it, or an exporter that stopped by itself",
        headline=f"Node {dark.node} fell silent in mid-work, {whole}, and the job's work ended with it.",
        claims=claims.all,
        support=tuple(support),
        attribution="infrastructure",
        scope="node",
        onset_ns=dark.last_ns,
        first_failing=Failing(node=dark.node, ts_ns=dark.last_ns),
        culprit_nodes=(dark.node,),
        cannot_decide=(Missing(f"Whether {dark.node} or its network went down", "the scheduler's word, or its BMC"),),
        next=Next("infrastructure", f"Find out what became of {dark.node} (BMC log, power, network, kernel panic)."),
    )


_BOOT: Final = "%Linux version %"
"""First line of a kernel: init/version.c, linux_banner."""
_FARTHEST_ZONE_NS: Final = 14 * 3_600_000_000_000


def _boot(node: str) -> str:
    return f"node = {literal(node)} AND text LIKE {literal(_BOOT)}"


def _began_anew(ev: Evidence) -> set[str]:
    """Nodes whose kernel began to run while the job was on, or at its end.

    Kernel logs tell times of an unknown zone more often than not, so that hours count for nothing here: one node among
    several tells, not when.
    """
    begin, end = run_span(ev)
    if begin is None or end is None or not ev.has("kernel_log"):
        return set()
    rows = ev.scan("kernel_log").filter(
        pl.col("text").str.contains(_BOOT.strip("%"), literal=True)
        & pl.col("ts_ns").is_between(begin - _FARTHEST_ZONE_NS, end + _FARTHEST_ZONE_NS)
    )
    return set(rows.select(pl.col("node").unique()).collect()["node"])


def _was_away(ev: Evidence, told_ns: int | None, near_ns: int) -> dict[str, tuple[int, str]]:
    """Nodes that were not sampled for a while before the scheduler told of a failed one, and came back.

    With the time and table of the last sample before. All others must have been sampled without such a hole.
    """
    gap = pl.col("ts_ns").diff().over("node")
    silence = int(ev.threshold("f1.silence") * 1e9)
    for table in ("gpu_samples", "host_samples"):
        if told_ns is None or not ev.has(table):
            continue
        near = pl.col("ts_ns").is_between(told_ns - 2 * near_ns, told_ns + 2 * near_ns)
        times = ev.scan(table).filter(near).select("node", "ts_ns").unique().sort("node", "ts_ns").collect()
        gaps = times.with_columns(gap=gap, usual=gap.median().over("node"))
        holes = gaps.filter(
            (pl.col("gap") >= silence)
            & (pl.col("gap") >= _HOLE * pl.col("usual"))
            & (pl.col("ts_ns") - pl.col("gap") <= told_ns)
            & (pl.col("ts_ns") >= told_ns - near_ns)
        )
        nodes = holes["node"].unique()
        if len(nodes) == 1 and times["node"].n_unique() > 1:
            last = holes.row(-1, named=True)
            return {str(last["node"]): (int(last["ts_ns"] - last["gap"]), table)}
    return {}


_HOLE: Final = 3
"""How many usual intervals a node must miss."""


def _is_node(ev: Evidence, row: Row) -> bool:
    subject = node_of(row)
    return bool(subject) and (
        row["pattern"] == "slurm.node" or row["framework"] != "slurm" or not str(subject)[0].isdigit()
    )


FAMILY: Final = NodeDown()
