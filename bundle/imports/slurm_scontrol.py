"""Jobs, steps and nodes as ``scontrol show`` prints them: ``Key=Value`` pairs, a record over several lines or on one.

Values are not quoted. A name, a command or a comment may hold anything, so each is taken from where Slurm puts it: the
end of its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports._slurm_nodes import node_row
from inquest.bundle.imports._slurm_tables import MAX_RECORD, lines, opening
from inquest.bundle.imports._slurm_values import (
    JOB_ID,
    WAITING,
    Row,
    Times,
    batches,
    ending,
    exit_status,
    gpus,
    integer,
    job_ids,
    resources,
    run_times,
    size_bytes,
    state_of,
    state_word,
    text_of,
    whole_s,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_BEGIN: Final = re.compile(
    rb"JobId=\d{1,10} (?:ArrayJobId=|HetJobId=|JobName=)|StepId=[\w+.\[\]%,-]{1,200} UserId=|"
    rb"NodeName=[\w.-]{1,255} (?:Arch=\S{1,64} )?CoresPerSocket=|"
    rb"ReservationName=\S{1,255} StartTime=|PartitionName=\S{1,255}[ \r]*$"
)
_KEY: Final = re.compile(r"(?:^|\s)([A-Z][A-Za-z0-9_/:.\-]{0,40})=")
_NAME: Final = re.compile(r"(?s) JobName=(.*)$")
_NAME_ON_ONE_LINE: Final = re.compile(r" JobName=(.*?)(?= UserId=\S{1,255}\(\d{1,10}\) GroupId=)")
_GRES: Final = re.compile(r"\s+Nodes=(\S+) CPU_IDs=\S* Mem=\S* GRES=(\S*)")
_ALONE: Final = "Command Container Extra OS Reason StdErr StdIn StdOut SubmitLine WorkDir"
_WHOLE_LINE: Final = frozenset((*_ALONE.split(), "AdminComment", "Comment", "SystemComment"))
"""Keys that stand alone on their line when they begin it."""
_INDENT: Final = "   "
"""Slurm's own lines of a record stand in by this much; what does not is the rest of a broken text."""
_MAX_LINES: Final = 20_000
"""Lines of one record: ``show job -d`` prints one for each node."""


class ScontrolText:
    """``scontrol show job | step | node``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "scontrol"
    title: str = "Slurm jobs, steps and nodes (scontrol show)"
    tables: tuple[str, ...] = ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """The first line begins a record of a job, a step or a node."""
        return _BEGIN.match(opening(source.head, "scontrol")[0]) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a job, step or node, and an event where a job was preempted or stands suspended."""
        times = Times(context)
        found = _records(lines(source.chunks()), context)
        return batches(pair for record in found for pair in _rows(record, times, context))


def _records(source: Iterable[bytes], context: Context) -> Iterator[list[str]]:
    """Lines of each record."""
    record: list[str] = []
    size = 0
    gap = False
    for raw in source:
        line = raw.rstrip(b"\r").decode("utf-8", "replace")
        if _BEGIN.match(raw):
            if record:
                yield record
            record, size, gap = [line], len(line), False
        elif not line.strip():
            gap = True  # newer versions print a node's reason below an empty line
        elif record and (line[0].isspace() or not gap) and len(record) < _MAX_LINES and size < 16 * MAX_RECORD:
            record.append(line)
            size += len(line)
        else:
            context.refuse("a line that belongs to no record of a job, step or node")
    if record:
        yield record


def _rows(record: list[str], times: Times, context: Context) -> Iterator[tuple[str, Row]]:
    pairs = _pairs(record)
    if "NodeName" in pairs and "State" in pairs:
        yield "slurm_nodes", _node(pairs, times, context)
    elif "StepId" in pairs and (step := _step(pairs, times)) is not None:
        yield "slurm_steps", step
    elif "JobId" in pairs and "JobState" in pairs:
        job = _job(pairs, times, record)
        yield "slurm_jobs", job
        yield from (("slurm_events", event) for event in _events(pairs, job, times))
    elif "ReservationName" in pairs or "PartitionName" in pairs:
        context.refuse("a reservation or a partition: it is of no job")
    else:
        context.refuse("a record without its id or its state")


def _pairs(record: list[str]) -> dict[str, str]:
    """Values by key; where a key comes twice, the first counts, so that no comment can overrule it."""
    first, *rest = record
    pairs: dict[str, str] = {}
    name = _NAME_ON_ONE_LINE.search(first) or (_NAME.search(first) if rest or " UserId=" not in first else None)
    if name:
        pairs["JobName"] = name[1]
        first = first[: name.start()] + first[name.end() :]
    last = ""
    for line in (first, *rest):
        keys = list(_KEY.finditer(line))
        if line is not first and last and (not keys or not line.startswith(_INDENT)):
            pairs[last] += f"\n{line}"  # a line break inside a value
            continue
        if keys and keys[0][1] in _WHOLE_LINE and rest:
            keys = keys[:1]
        for key, following in zip(keys, [*keys[1:], None], strict=True):
            value = line[key.end() : following.start() if following else len(line)]
            if key[1] not in pairs:
                pairs[key[1]] = value.strip()
                last = key[1]
        if line is first and name:
            last = "JobName"  # it ends its line, so what is broken off belongs to it
    return pairs


def _job(pairs: dict[str, str], times: Times, record: list[str]) -> Row:
    array, task = pairs.get("ArrayJobId", "0"), pairs.get("ArrayTaskId", "")
    name = None
    if array != "0" and task:
        name = f"{array}_{task}" if task.isdigit() else f"{array}_[{task}]"
    het = pairs.get("HetJobId", "0")
    job, raw = job_ids(pairs["JobId"], name, (het, pairs.get("HetJobOffset", "0")) if het != "0" else None)
    state = state_of(pairs["JobState"])
    exits = [exit_status(pairs.get(key), state) for key in ("ExitCode", "DerivedExitCode")]
    elapsed_s = whole_s(pairs.get("RunTime"))
    span = run_times(state, times.ns(pairs.get("StartTime")), times.ns(pairs.get("EndTime")), elapsed_s)
    held = None if state_word(state) in WAITING else pairs.get("TRES")
    allocated = text_of(pairs.get("AllocTRES", held))
    requested = text_of(pairs.get("ReqTRES", pairs.get("TRES")))
    comments = [pairs.get(key, "") for key in ("Comment", "AdminComment", "SystemComment")]
    detail = [f"{found[1]}={found[2]}" for line in record if (found := _GRES.fullmatch(line.rstrip())) and found[2]]
    return {
        **ending(span, *exits),
        **resources(allocated, requested),
        "job_id": job,
        "job_id_raw": raw,
        "job_name": pairs.get("JobName") or None,
        "user": pairs.get("UserId", "").split("(")[0] or None,
        "account": text_of(pairs.get("Account")),
        "partition": text_of(pairs.get("Partition")),
        "qos": text_of(pairs.get("QOS")),
        "state": state,
        "reason": text_of(pairs.get("Reason")),
        "restarts": integer(pairs.get("Restarts")),
        "may_requeue": {"0": False, "1": True}.get(pairs.get("Requeue", "")),
        "submit_ns": times.ns(pairs.get("SubmitTime")),
        "eligible_ns": times.ns(pairs.get("EligibleTime")),
        "elapsed_s": elapsed_s,
        "time_limit_s": whole_s(pairs.get("TimeLimit")),
        "node_list": text_of(pairs.get("NodeList")),
        "nodes": integer(pairs.get("NumNodes", "").split("-")[0]),
        "gres_detail": "; ".join(detail) or None,
        "priority": integer(pairs.get("Priority")),
        "dependency": text_of(pairs.get("Dependency")),
        "reservation": text_of(pairs.get("Reservation")),
        "failed_node": text_of(pairs.get("FailedNode")),
        "batch_host": text_of(pairs.get("BatchHost")),
        "work_dir": text_of(pairs.get("WorkDir")),
        "batch_command": text_of(pairs.get("Command")),
        "submit_line": text_of(pairs.get("SubmitLine")),
        "stdout_path": text_of(pairs.get("StdOut")),
        "stderr_path": text_of(pairs.get("StdErr")),
        "comment": "; ".join(comment for comment in comments if text_of(comment)) or None,
    }


def _events(pairs: dict[str, str], job: Row, times: Times) -> Iterator[Row]:
    """A preemption counts when the run ended with it: one that left in its grace time is FAILED by its own code."""
    told = times.ns(pairs.get("PreemptTime"))
    if told is not None and job["state"] not in {"COMPLETED", "RUNNING"}:
        yield {"job_id": job["job_id"], "event": "preempted", "state": job["state"], "ts_ns": told}
    told = times.ns(pairs.get("SuspendTime"))
    if told is not None and job["state"] == "SUSPENDED":
        yield {"job_id": job["job_id"], "event": "suspended", "state": job["state"], "ts_ns": told}


def _step(pairs: dict[str, str], times: Times) -> Row | None:
    ids = JOB_ID.fullmatch(pairs["StepId"])
    if ids is None or ids["step"] is None:
        return None
    start_ns = times.ns(pairs.get("StartTime"))
    allocated = text_of(pairs.get("TRES"))
    return {
        "job_id": ids["job"],
        "step_id": ids["step"],
        "step_name": text_of(pairs.get("Name")),
        "state": state_of(pairs.get("State")),
        "start_ns": start_ns,
        "ts_ns": start_ns,
        "node_list": text_of(pairs.get("NodeList")),
        "tasks": integer(pairs.get("Tasks")),
        "cpus_allocated": integer(pairs.get("CPUs")),
        "gpus_allocated": gpus(allocated),
        "tres_allocated": allocated,
    }


_SET_BY: Final = re.compile(r"(?s)(.*?)\s*\[([^\[\]@]{1,64})@([^\[\]]{1,40})\]\s*")


def _node(pairs: dict[str, str], times: Times, context: Context) -> Row:
    reason, by, at = text_of(pairs.get("Reason")), None, None
    if reason and (found := _SET_BY.fullmatch(reason)):
        reason, by, at = found.groups()
    load = pairs.get("CPULoad", "")
    return node_row(
        name=pairs["NodeName"],
        state=pairs["State"],
        reason=reason,
        reason_by=by,
        reason_ns=times.ns(at),
        seen_ns=context.collected_at_ns,
        boot_ns=times.ns(pairs.get("BootTime")),
        slurmd_start_ns=times.ns(pairs.get("SlurmdStartTime")),
        cpu_load=float(load) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", load) else None,
        memory_free_bytes=size_bytes(pairs.get("FreeMem"), "M"),
        gres=text_of(pairs.get("Gres")),
        gres_used=text_of(pairs.get("GresUsed")),
    )


KIND: Final = ScontrolText()
