"""Logs of Slurm's daemons as events: what slurmctld and slurmd did to jobs and nodes, and what failed on the way.

The wording was seen in the records of ``shared/reference/slurm`` (22.05 and 24.11, ``verbose``) and in the sources of
other versions. A log of a cluster tells of all its jobs; lines that tell of no job and no node are counted, not kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.hostlist import expand
from inquest.bundle.imports._slurm_fates import Fates
from inquest.bundle.imports._slurm_nodes import MAX_NODES
from inquest.bundle.imports._slurm_tables import lines
from inquest.bundle.imports._slurm_values import JOB_ID, Row, batches
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_STAMP: Final = re.compile(
    r"\[("
    r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?"  # iso8601, rfc3339, rfc5424
    r"|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: 20\d\d| \d{1,6})?"  # short, thread_id
    r"|\d{6,20}"  # clock
    r")(?: \d{1,9} \S{1,32})?\] "
)
_SHORT: Final = re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{1,6})?")
_STEP: Final = re.compile(r"\[(\d{1,10}(?:[_+]\d{1,10})?\.(?:batch|extern|interactive|\d{1,10}(?:\+\d{1,6})?))\] ")
_SAYS: Final = re.compile(
    r"(?:error: |debug\d?: |verbose: |info: )?(?:"
    r"slurmctld version |slurmd version |slurmd started on |Running as primary controller|_slurm_rpc_\w+|sched: \w"
    r"|sched/(?:backfill|builtin): |prolog_running_decr: |_?job_complete: |(?:_job_)?(?:update_node|drain_nodes): "
    r"|update_node: node |agent/is_node_resp: |Nodes? \S+ (?:not|now) responding|[Nn]ode \S+ returned to service"
    r"|node_did_resp: |Killing (?:JobId=|job_id )|Requeuing JobId=|requeue job |preempted JobId=|Time limit exhausted "
    r"|job_signal: |job_step_signal: |Recovered JobId=|cleanup_completing: |validate_node_specs: "
    r"|launch task (?:StepId=|\d)|Launching batch job |_handle_stray_script: |Node \S+ rebooted "
    r"|_job_create: |_pick_best_nodes: |_build_node_list: |Warning: Note very large processing time "
    r"|step_partial_comp: |Extending JobId="
    r")"
)
"""How messages of the daemons begin; no program writes such lines but they."""
_ERROR: Final = "error: "
_JOB: Final = (
    r"(?:[Jj]ob(?:Id=| ?[Ii]d[= ]| )|JobID=)"
    r"(?P<job>\d{1,10}(?:_(?:\d{1,10}|\[[^\]]{1,200}\]))?(?:\+\d{1,6})?)(?:\((?P<raw>\d{1,10})\))?"
)
"""A job, and behind it the controller's own number of an array's task or a part of a het job."""
_ANY_JOB: Final = re.compile(rf"(?:Step(?:Id|ID)=|\b{_JOB})")
_ANY_STEP: Final = re.compile(r"StepI[dD]=(\d{1,10}(?:[_+]\d{1,10})?\.\w{1,20})")
_OOM: Final = re.compile(r"Detected \d{1,9} oom[-_]kill events?(?:\(s\))? in StepId=(\S{1,40}?)\. ")
_NODES: Final = r"(?P<nodes>[A-Za-z][\w.,\[\]-]{0,4000})"
_SAMPLED: Final = 300
_SHARE_STAMPED: Final = 0.6
_SHARE_SAID: Final = 0.2
_DETAIL_CAP: Final = 600
_LINE_CAP: Final = 8192
_OF_NODE: Final = re.compile(r"slurmd[-_.]([A-Za-z0-9][\w-]*?)(?:\.log.*|\.gz|\.zst)?$")
_SIGNAL_OF_CHECK: Final = 998
"""Numbers from here on are no signals but questions that slurmctld puts to a step."""

Table = Literal["slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes"]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A message and what it tells: an ``event`` of a job, or the ``state`` of nodes where there is no event.

    Groups ``job``, ``nodes``, ``state`` and ``reason`` are taken from the message; ``gate`` is text that stands in it.
    """

    gate: str
    pattern: re.Pattern[str]
    event: str | None = None
    state: str | None = None


def _rule(gate: str, pattern: str, event: str | None = None, state: str | None = None) -> _Rule:
    return _Rule(gate, re.compile(pattern), event, state)


_RULES: Final[tuple[_Rule, ...]] = (
    # --- slurmctld on jobs
    _rule("submit", rf"_slurm_rpc_submit_batch(?:_het)?_job:? {_JOB}", "submitted"),
    _rule(
        "Allocate ",
        rf"sched: (?:_slurm_rpc_allocate_resources )?(?:Allocate )?{_JOB} (?P<reason>NodeList=\S+)",
        "started",
    ),
    _rule("NodeList=", rf"_slurm_rpc_allocate_resources {_JOB} (?P<reason>NodeList=\S+)", "started"),
    _rule("Started ", rf"_start_job: Started {_JOB} in \S+ (?P<reason>on \S+)", "started"),
    _rule("_suspend(", r"_slurm_rpc_suspend\(suspend\) for (?P<job>\d{1,10})\b", "suspended"),
    _rule("_suspend(", r"_slurm_rpc_suspend\(resume\) for (?P<job>\d{1,10})\b", "resumed"),
    _rule("KILL_JOB", rf"REQUEST_KILL_JOB {_JOB} (?P<reason>uid \d+)", "cancel_asked"),
    _rule("job_signal", rf"job_signal:? (?P<reason>\d{{1,3}}) of (?:running|pending|suspended) {_JOB}", "signalled"),
    _rule("timeout: sent", r"Job (?P<job>\d{1,10}): (?P<reason>timeout: sent SIG\w+) to \d+ active steps", "signalled"),
    _rule(" has been ", rf"preempted {_JOB} has been (?P<reason>\w+ to reclaim resources for JobId=\S+)", "preempted"),
    _rule("Time limit", rf"Time limit exhausted for {_JOB}", "terminal", "TIMEOUT"),
    _rule("deadline", rf"{_JOB} with (?P<reason>time_limit \d+ exceeded deadline)", "terminal", "DEADLINE"),
    _rule("Killing ", rf"Killing {_JOB} (?P<reason>on failed node \S+)", "terminal", "NODE_FAIL"),
    _rule("requeue job", rf"requeue job {_JOB} (?P<reason>due to failure of node \S+)", "terminal", "NODE_FAIL"),
    _rule("requeue ", rf"_job_complete: requeue {_JOB} (?P<reason>.{{1,80}})", "requeued"),
    _rule("equeuing", rf"Batch {_JOB} (?P<reason>missing from batch node .{{1,120}})", "requeued"),
    _rule("equeuing", rf"Requeuing {_JOB}", "requeued"),
    _rule("OOM failure", rf"_?job_complete: {_JOB} (?P<reason>OOM failure)", "terminal", "OUT_OF_MEMORY"),
    _rule(
        "cancelled by",
        rf"_?job_complete: {_JOB} (?P<reason>cancelled by .{{1,60}})",
        "terminal",
        "CANCELLED",
    ),
    _rule("WEXITSTATUS 0", rf"_?job_complete: {_JOB}.{{0,60}} (?P<reason>WEXITSTATUS 0)\b", "terminal", "COMPLETED"),
    _rule(
        "_complete: ",
        rf"_?job_complete: {_JOB}.{{0,60}} (?P<reason>(?:WEXITSTATUS|WTERMSIG) \d+)",
        "terminal",
        "FAILED",
    ),
    _rule("cancelling", rf"(?P<reason>Job dependency can't be satisfied), cancelling {_JOB}", "terminal", "CANCELLED"),
    _rule("_hold_job", rf"(?P<reason>hold on) {_JOB} by", "updated"),
    _rule("release hold", rf"(?P<reason>release hold on) {_JOB} by", "updated"),
    _rule("_update_job: set", rf"_update_job: (?P<reason>set.{{1,80}}) for {_JOB}", "updated"),
    _rule("completion process", rf"{_JOB} (?P<reason>completion process took \d+ seconds)", "error"),
    _rule("Resending", rf"(?P<reason>Resending TERMINATE_JOB request) {_JOB} ", "error"),
    # --- slurmctld on nodes
    _rule("not responding", rf"Nodes? {_NODES} (?P<reason>not responding), setting DOWN", state="DOWN+NOT_RESPONDING"),
    _rule("not responding", rf"Nodes? {_NODES} (?P<reason>not responding)", state="NOT_RESPONDING"),
    _rule("state set to", rf"node {_NODES} state set to (?P<state>[A-Z_+*]{{2,40}})"),
    _rule("reason set to", rf"node {_NODES} reason set to: (?P<reason>.{{1,400}})"),
    _rule("responding", rf"Node {_NODES} (?P<reason>now responding)"),
    _rule("returned to", rf"[Nn]ode {_NODES} (?P<reason>returned to service)", state="IDLE"),
    _rule("rebooted", rf"[Nn]ode {_NODES} (?P<reason>(?:unexpectedly )?rebooted.{{0,80}})"),
    _rule("draining the node", rf"(?P<reason>.{{1,200}}) on node {_NODES}, draining the node", state="DRAIN"),
    _rule("draining the node", rf"(?P<reason>{_JOB}.{{1,80}}) on {_NODES}, draining the node", state="DRAIN"),
    _rule("is_node_resp", rf"node:{_NODES} RPC:(?P<reason>\w+ : .{{1,200}})"),
    # --- slurmd on jobs and steps
    _rule(
        "DUE TO TIME", r"\*\*\* JOB (?P<job>\S{1,30}) ON \S+ CANCELLED AT \S+ DUE TO TIME LIMIT", "terminal", "TIMEOUT"
    ),
    _rule("DUE TO PREEM", r"\*\*\* JOB (?P<job>\S{1,30}) ON \S+ CANCELLED AT \S+ DUE TO PREEMPTION", "preempted"),
    _rule(
        "DUE TO NODE", r"\*\*\* JOB (?P<job>\S{1,30}) ON \S+ CANCELLED AT \S+ DUE TO NODE FAIL", "terminal", "NODE_FAIL"
    ),
    _rule("DUE TO JOB REQ", r"\*\*\* JOB (?P<job>\S{1,30}) ON \S+ CANCELLED AT \S+ DUE TO JOB REQUEUE", "requeued"),
    _rule("*** JOB ", r"\*\*\* JOB (?P<job>\d\S{0,29}) ON \S+ CANCELLED AT \S+ \*\*\*", "terminal", "CANCELLED"),
    _rule("exited", r"(?P<reason>task \d+ \(\d+\) exited\. Killed by signal \d+)", "task_ended"),
    _rule("exited", r"(?P<reason>task \d+ \(\d+\) exited with exit code (?!0\b)\d+)", "task_ended"),
)
"""In order; the first that fits a message tells what it means."""
_GATE: Final = re.compile("|".join(sorted({re.escape(rule.gate) for rule in _RULES} | {re.escape(_ERROR)})))


class SlurmDaemons:
    """Logs of slurmctld and slurmd; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "slurm-daemons"
    title: str = "Logs of Slurm's daemons (slurmctld, slurmd)"
    tables: tuple[str, ...] = ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """Most lines begin with the daemons' clock, and enough of those say what only they say."""
        found = [line for line in source.head.decode("utf-8", "replace").splitlines() if line.strip()][:_SAMPLED]
        stamped = [line[stamp.end() :] for line in found if (stamp := _STAMP.match(line[:_LINE_CAP]))]
        said = sum(bool(_STEP.match(message) or _SAYS.match(message)) for message in stamped)
        return len(stamped) >= max(1, _SHARE_STAMPED * len(found)) and said >= max(1, _SHARE_SAID * len(stamped))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row an event of a job, one a run of it, and one a state or complaint of a node."""
        return batches(_Reader(source, context).rows())


class _Reader:
    """Lines of one log, in order."""

    def __init__(self, source: Source, context: Context) -> None:
        self._source = source
        self._context = context
        named = _OF_NODE.search(PurePosixPath(source.name).name)
        self._node = source.node or (named[1] if named else None)
        self._reasons: dict[str, tuple[str, str]] = {}
        self._fates = Fates()

    def rows(self) -> Iterator[tuple[Table, Row]]:
        """Rows of all lines."""
        for raw in lines(self._source.chunks()):
            line = raw[:_LINE_CAP].decode("utf-8", "replace").rstrip()
            if not line:
                continue
            stamp = _STAMP.match(line)
            if stamp is None:
                self._context.refuse("lines without the daemons' clock")
                continue
            message = line[stamp.end() :]
            told = list(self._told(message, stamp[1])) if _GATE.search(message) else []
            if not told:
                self._context.refuse("lines that tell nothing of a job's or a node's fate")
            yield from told
        yield from (("slurm_jobs", run) for run in self._fates.left())

    def _told(self, message: str, stamp: str) -> Iterator[tuple[Table, Row]]:
        step = _STEP.match(message)
        said = message[step.end() :] if step else message
        about = step[1] if step else None
        for rule in _RULES:
            if rule.gate in said and (found := rule.pattern.search(said)):
                groups = found.groupdict()
                reason = groups.get("reason")
                if rule.event is None:
                    yield from self._nodes(groups["nodes"], groups.get("state") or rule.state, reason, stamp)
                    if _ERROR not in said:
                        return
                    break
                job = groups.get("job") or about
                if job is not None and not _is_question(rule, reason):
                    event = self._event(job, rule.event, rule.state, reason, message, stamp)
                    yield "slurm_events", event
                    runs = self._fates.take(event["job_id"], groups.get("raw"), event)
                    yield from (("slurm_jobs", run) for run in runs)
                return
        if said.startswith(_ERROR) or f": {_ERROR}" in said:
            step_told, job_told = _ANY_STEP.search(said), _ANY_JOB.search(said)
            job = about or (step_told[1] if step_told else job_told["job"] if job_told else None)
            if job is None and (bare := re.match(r"error: \[job (\d{1,10})\] ", said)):
                job = bare[1]
            if job is not None:
                reason = said.partition(_ERROR)[2]
                yield "slurm_events", self._event(job, "error", None, reason, message, stamp)
            if (killed := _OOM.search(said)) and (ids := JOB_ID.fullmatch(killed[1])) and ids["step"]:
                # What accounting calls the step for it.
                told = {"job_id": ids["job"], "step_id": ids["step"], "state": "OUT_OF_MEMORY"}
                yield "slurm_steps", {**told, "ts_ns": self._ns(stamp)}

    def _event(self, job: str, event: str, state: str | None, reason: str | None, message: str, stamp: str) -> Row:
        ids = JOB_ID.match(job)
        row = {
            "job_id": ids["job"] if ids else job[:64],
            "event": event,
            "state": state,
            "reason": None if reason is None else reason.strip()[:_DETAIL_CAP],
            "detail": message[:_DETAIL_CAP],
            "ts_ns": self._ns(stamp),
        }
        return {**row, "node": self._node} if self._node else row

    def _nodes(self, names: str, state: str | None, reason: str | None, stamp: str) -> Iterator[tuple[Table, Row]]:
        """States of nodes. Slurm tells reason and state on two lines; the later one repeats the earlier."""
        for name in (expand(names) or (names,))[:MAX_NODES]:
            before, known = self._reasons.get(name, ("", ""))
            if state is None and reason is not None:
                if len(self._reasons) < MAX_NODES:
                    self._reasons[name] = (stamp, reason)
            elif reason is None and before == stamp:
                reason = known
            row = {
                "slurm_node_name": name,
                "state": state.replace("*", "+NOT_RESPONDING") if state else None,
                "reason": reason,
                "ts_ns": self._ns(stamp),
            }
            yield "slurm_nodes", {**row, "node": self._node} if self._node else row

    def _ns(self, stamp: str) -> int | None:
        return _stamp_ns(stamp, self._context.year, self._context.utc_offset_minutes)


def _is_question(rule: _Rule, reason: str | None) -> bool:
    """True for a signal that is none: slurmctld asks whether processes are there."""
    if rule.event != "signalled" or reason is None or not reason.isdecimal():
        return False
    return int(reason) == 0 or int(reason) >= _SIGNAL_OF_CHECK


@lru_cache(maxsize=4096)
def _stamp_ns(stamp: str, year: int | None, utc_offset_minutes: int) -> int | None:
    if _SHORT.fullmatch(stamp):
        return None if year is None else told_ns(f"{stamp[:15]} {year}", utc_offset_minutes)
    return told_ns(stamp, utc_offset_minutes)


KIND: Final = SlurmDaemons()
