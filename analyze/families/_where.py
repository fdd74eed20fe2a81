"""On which node a rank ran that left no trace of its own: the rank that did not come is often such a one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._rows import Row, failing, place
from inquest.analyze.families._telling import tell
from inquest.analyze.logs.kinds import Kind
from inquest.bundle import hostlist

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import Failing

_NCCL: Final = re.compile(r"(?:^|\s)(?P<host>[\w.-]{1,253}):\d+:\d+ \[\d+\] NCCL ")
_TWO: Final = 2


def node_of(ev: Evidence, rank: int) -> str | None:
    """The node: by the rank's own rows, else by what NCCL or a launcher says of it, else by the only node left.

    Launchers give neighbouring ranks to one node, as many as it has GPUs; which block is whose only two nodes tell.
    """
    own = place({"node": ev.node_of(rank)})
    if own is not None:
        return own
    nodes = _nodes(ev)
    for row in tell(ev).of(Kind.NCCL_INIT_DONE, Kind.NCCL_INIT_BEGIN):
        if row["num"] is not None and int(row["num"]) == rank and (told := _NCCL.search(str(row["text"]))):
            return nodes.get(told["host"].partition(".")[0], told["host"])
    for death in tell(ev).deaths:
        host, told_rank, local = place(death.row), death.row["rank"], death.row["local_rank"]
        if host is None or told_rank is None:
            continue
        host = nodes.get(host.partition(".")[0], host)
        if told_rank == rank:
            return host
        each = _gpus_a_node(ev)
        if local is None or each is None or len(nodes) != _TWO or host not in nodes.values():
            continue
        return host if 0 <= rank - (told_rank - local) < each else next(name for name in nodes.values() if name != host)
    return None


def failing_by_launcher(story: Story, claims: Claims, row: Row) -> Failing:
    """Where a fact was seen; its rank, where nothing tells it, by the launcher's word on the first that failed."""
    found = failing(row)
    if found.rank is not None:
        return found
    first = [d.row for d in story.deaths if d.exit_code and d.row["first_failure"] and d.row["rank"] is not None]
    if len({told["rank"] for told in first}) != 1:
        return found
    claims.row("Rank that failed first, as its launcher says", "fact_exits", first[0], "rank")
    return replace(found, rank=first[0]["rank"])


def _nodes(ev: Evidence) -> dict[str, str]:
    """The job's nodes by their short names."""
    named = [node for node in ev.nodes() if place({"node": node}) is not None]
    if ev.has("slurm_jobs"):
        lists = ev.frame("slurm_jobs")["node_list"].drop_nulls().unique().to_list()
        named += hostlist.assigned(sorted(lists))
    return {node.partition(".")[0]: node for node in reversed(named)}


def _gpus_a_node(ev: Evidence) -> int | None:
    """GPUs that were sampled on each node; None where nodes differ."""
    if not ev.has("gpu_samples"):
        return None
    each = ev.scan("gpu_samples").group_by("node").agg(pl.col("gpu_uuid").n_unique()).collect()["gpu_uuid"].unique()
    return int(each[0]) if len(each) == 1 else None
