"""What the scheduler says of failed nodes, as far as it is about the end of this run."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._gpu import fell_silent
from inquest.analyze.families._stall import stall
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def failed_nodes(ev: Evidence, story: Story) -> tuple[list[Row], list[Row]]:
    """Its words on the job, and those on a node of the job, each near the end of the run and in order of time.

    A node that went down only after the scheduler had ended the job for another reason did not end it, unless work had
    stopped or the node had fallen silent before: a lost node is noticed minutes later, and whoever waits for it may
    cancel the job meanwhile.
    """
    end_ns = ev.end_ns()
    near_ns = int(ev.threshold("f1.near_end") * 1e9)
    near = [row for row in story.of(Kind.NODE_FAILURE) if _near(row, end_ns, near_ns)]
    of_job = [row for row in near if row["pattern"] not in _OF_ANY_NODE]
    of_node = [row for row in near if row["pattern"] == "slurm.node" and _of_job(ev, row)]
    of_job += [row for row in near if row["pattern"] == _OF_A_POOL and _ran_on(ev, row)]
    of_job += [row for row in near if row["pattern"] == _OF_A_DAEMON and _is_down(ev, row)]
    ended_ns = _ended_ns(story)
    later = [row for row in of_node if None not in (ended_ns, row["ts_ns"]) and row["ts_ns"] > ended_ns]
    if later and not of_job and not fell_silent(ev) and stall(ev, story) is None:
        of_node = [row for row in of_node if row not in later]
    return of_job, of_node


def _ran_on(ev: Evidence, row: Row) -> bool:
    """Whether records of a pool tell, above, that a task ran on this machine, or the job's own output names it."""
    name = pl.col("text").str.contains(str(row["subject"] or "\n"), literal=True)
    above = same_stream(row) & (pl.col("seq") < row["line_seq"]) & pl.col("text").str.contains(_RUNS)
    elsewhere = pl.col("source").ne_missing(pl.lit(row["source"], dtype=pl.String))
    return not ev.scan("log_lines").filter(name & (above | elsewhere)).head(1).collect().is_empty()


def node_of(row: Row) -> str | None:
    """The machine that a word on one names."""
    found = _NAMED.search(str(row["text"] or "")) if row["pattern"] == _OF_A_DAEMON else None
    return found[1] if found is not None else row["subject"]


def _is_down(ev: Evidence, row: Row) -> bool:
    """Whether somebody else says that the machine is down whose daemon was lost: a daemon may end by itself."""
    name = node_of(row)
    if not name:
        return False
    text = pl.col("text")
    said = text.str.contains(
        rf"(?i)\b{re.escape(name)}\b.{{0,80}}(?:{_DOWN})|(?:{_DOWN}).{{0,40}}\b{re.escape(name)}\b"
    )
    return not ev.scan("log_lines").filter(said & ~text.str.contains(_NOT_DOWN)).head(1).collect().is_empty()


_NAMED: Final = re.compile(r"\bon (?:node )?([\w.-]{1,80})$")
_DOWN: Final = (
    r"\bdown\b|power(?:ed)?[ -]off|no route to host|host is (?:down|unreachable)|\bunreachable\b|not respond"
    r"|\brebooted\b|\bwas reset\b|panic"
)
"""What is said of a machine that is not there."""
_NOT_DOWN: Final = (
    r"(?i)\b(?:not|never|if|was) down\b|shut(?:ting)? down|cool(?:ed|ing)? down|slow(?:ed|ing)? down|scal\w+ down"
)
_OF_A_POOL: Final = "batch.machine_gone"
_OF_A_DAEMON: Final = "batch.daemon_lost"
_OF_ANY_NODE: Final = frozenset({"slurm.node", _OF_A_POOL, _OF_A_DAEMON})
"""Words on one of the cluster's machines, which need not be the job's."""
_RUNS: Final = r"(?i)\brunning\b|\"(?:task|job)(?:Id|_id)?\": ?\""


def _ended_ns(story: Story) -> int | None:
    """When the scheduler ended the job by its own word, UTC ns; None: it does not say."""
    said = [row for row in story.of(Kind.CANCELLED, Kind.TIME_LIMIT, Kind.PREEMPTED) if of_accounting(row)]
    return min((row["ts_ns"] for row in said if row["ts_ns"] is not None), default=None)


def of_accounting(row: Row) -> bool:
    """Whether accounting says this of the job itself, not of one of its steps."""
    return bool(row["pattern"] == "slurm.accounting" and "." not in str(row["subject"]))


def _near(row: Row, end_ns: int | None, margin_ns: int) -> bool:
    """A node that failed long before or after the end did not end the job.

    What the job's own step printed is about the job; so is, for want of better, what has no clock.
    """
    if str(row["text"]).startswith(("srun:", "slurmstepd")):
        return True
    return row["ts_ns"] is None or end_ns is None or abs(row["ts_ns"] - end_ns) <= margin_ns


def _of_job(ev: Evidence, row: Row) -> bool:
    nodes = {*ev.nodes(), *ev.info.missing_nodes}
    return not nodes or row["subject"] in nodes


def bereaved(story: Story, failed: Row) -> Row | None:
    """The first word of a peer that had gone away, where all that failed before the scheduler's on a node failed of it.

    A scheduler notices a dead node minutes later than the ranks that talk to it do; NCCL's watchdog aborts those.
    """
    told = [failure for failure in story.failures if story.earlier(failure.row, failed)]
    lost = [row for row in story.of(Kind.PEER_LOST, Kind.NET_ERROR) if story.earlier(row, failed)]
    if not told or not lost or failed["pattern"] not in _OF_THE_JOB:
        return None
    # An abort is what a watchdog does, once it has told of the peer.
    aborts = all(each.death is not None and each.death.term_signal == signal.SIGABRT for each in told)
    return lost[0] if aborts and story.earlier(told[0].row, lost[0]) is not True else None


_OF_THE_JOB: Final = frozenset({"slurm.srun_node_failure", "slurm.node_failure"})
