"""What Slurm's commands print with ``--json``: accounting, jobs, nodes, partitions' nodes, controller statistics.

The shape differs by version and is told by itself, never by the number of the version: up to 22.05 numbers and states
are bare; from 23.02 on numbers are ``{set, infinite, number}``; from 23.11 on states and status are lists.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._slurm_controller import ROWS_OF_RPC, reading
from inquest.bundle.imports._slurm_nodes import Names, node_row
from inquest.bundle.imports._slurm_stream import records
from inquest.bundle.imports._slurm_values import (
    ENDING,
    JOB_ID,
    NO_VALUE,
    OPEN,
    WAITING,
    Row,
    batches,
    ended_with,
    ending,
    epoch_ns,
    gpus,
    integer,
    job_ids,
    resources,
    run_times,
    state_word,
    text_of,
    tres,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_LISTS: Final = frozenset({"jobs", "nodes", "sinfo", "steps"})
_SIGNS: Final = re.compile(
    rb'"(?:job_id|association|server_thread_count|slurmd_start_time|data_parser|accrue_time|openapi\\?/\w+)"|'
    rb'"(?:Slurm|slurm)"\s*:\s*\{\s*"version"|"type"\s*:\s*"openapi'
)
_TOP: Final = re.compile(rb'\s*\{\s*"(?:meta|jobs|nodes|sinfo|statistics|errors|warnings|steps|last_\w+)"\s*:')
_FLAGS: Final = WAITING | OPEN | {"REQUEUED", "REVOKED"}
_MIB: Final = 1 << 20


class SlurmJson:
    """Output of ``--json``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "slurm-json"
    title: str = "Slurm's own JSON (sacct, scontrol, squeue, sinfo, sdiag --json)"
    tables: tuple[str, ...] = ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes", "slurm_controller")
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """An object with Slurm's top-level keys, and keys within that only Slurm has."""
        return _TOP.match(source.head) is not None and _SIGNS.search(source.head) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """Rows of whatever the command was asked for.

        Raises:
            InputError: the JSON is broken; what came before is given.
            UnsafeInput: one record is larger than any of Slurm's.
        """
        return batches(_rows(source, context))


def _rows(source: Source, context: Context) -> Iterator[tuple[str, Row]]:
    names = Names(source.name)
    for key, record in records(source, _LISTS):
        if key == "errors" and record:
            context.warn("Slurm reported errors beside these records: they may not be all.")
        if key not in _LISTS and key != "statistics":
            continue
        if not isinstance(record, dict):
            context.refuse("an item that is no record")
        elif key == "jobs":
            yield from _job(record, context)
        elif key == "nodes":
            yield from _node(record, context)
        elif key == "sinfo":
            yield from _group(record, names, context)
        elif key == "steps":
            context.refuse("a step of scontrol --json, a form that is not known; scontrol show step prints one that is")
        elif key == "statistics":
            yield from (("slurm_controller", row) for row in _statistics(record))


# --- values of three shapes -----------------------------------------------------------------------------------------


def _at(record: Any, *path: str) -> Any:  # noqa: ANN401  (any JSON value)
    """What stands under a path of keys; None where one is missing."""
    for key in path:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def _number(value: object) -> int | None:
    """A number, bare or as ``{set, infinite, number}``; None for one that is not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    return integer(value) if isinstance(value, int | float) and value not in {NO_VALUE, NO_VALUE + 1} else None


def _time(value: object) -> int | None:
    return epoch_ns(_number(value))


def _words(value: object) -> list[str]:
    """Words of a state or status, which newer versions give as a list of a base and its flags."""
    return [str(word) for word in value] if isinstance(value, list) else [str(value)] if value else []


def _exit(value: object, state: str | None) -> tuple[int | None, int | None]:
    """Exit code and signal of any version; None for both where they cannot be known."""
    if isinstance(value, int):  # squeue of 22.05: the status as wait(2) gives it
        return ended_with(value >> 8 & 255, value & 127, state) if value >= 0 else (None, None)
    status = " ".join(_words(_at(value, "status")))
    code, number = _number(_at(value, "return_code")), _number(_at(value, "signal", "id"))
    if number is None:
        number = _number(_at(value, "signal", "signal_id"))
    bare = isinstance(_at(value, "return_code"), int)
    if bare and code == 0 and status == "SUCCESS" and state_word(state) != "COMPLETED":
        return None, None  # 22.05 says so of every exit code that is not 0
    return (None, None) if code is None and number is None else ended_with(code, number, state)


def _tres(value: object) -> str | None:
    """A list of resources as one line, in the words of the text forms; a line as it is."""
    if isinstance(value, str):
        return text_of(value)
    told = []
    for item in value if isinstance(value, list) else ():
        kind, name, count = _at(item, "type"), _at(item, "name"), _number(_at(item, "count"))
        if isinstance(kind, str) and count is not None:
            told.append(f"{kind}{f'/{name}' if name else ''}={count}{'M' if kind == 'mem' else ''}")
    return ",".join(told) or None


def _most(step: object, kind: str, name: str | None = None) -> Any:  # noqa: ANN401  (a JSON object)
    """The task that used most of a resource."""
    items = _at(step, "tres", "requested", "max")
    for item in items if isinstance(items, list) else ():
        if _at(item, "type") == kind and (name is None or _at(item, "name") == name):
            return item
    return {}


# --- jobs and steps ---------------------------------------------------------------------------------------------------


def _job(job: dict[str, Any], context: Context) -> Iterator[tuple[str, Row]]:
    number = _number(job.get("job_id"))
    if number is None:
        context.refuse("a job without its id")
        return
    if isinstance(job.get("time"), dict):
        row = _accounted(job, number)
        yield "slurm_jobs", row
        steps = job.get("steps")
        for step in steps if isinstance(steps, list) else ():
            told = _step(step, row)
            if told is None:
                context.refuse("a step without its id")
            else:
                yield "slurm_steps", told
        return
    row = _controlled(job, number)
    yield "slurm_jobs", row
    preempted = _time(job.get("preempt_time"))
    if preempted is not None and row["state"] not in {"COMPLETED", "RUNNING"}:
        # A preemption counts when the run ended with it.
        event = {"job_id": row["job_id"], "event": "preempted", "state": row["state"], "ts_ns": preempted}
        yield "slurm_events", event


def _name(number: int, array: object, task: object, tasks: object, het: object, offset: object) -> dict[str, Any]:
    """``job_id`` and ``job_id_raw``."""
    leading, index = _number(array), _number(task)
    name = None
    if leading and index is not None:
        name = f"{leading}_{index}"
    elif leading and text_of(tasks):
        name = f"{leading}_[{tasks}]"
    component = _number(het)
    job, raw = job_ids(str(number), name, (str(component), str(_number(offset) or 0)) if component else None)
    return {"job_id": job, "job_id_raw": raw}


def _state(value: object) -> str | None:
    """The state that text forms would print: a flag stands in place of the base state.

    Only ``COMPLETING`` gives way to how the run ended, which text forms hide while they clear up after it.
    """
    words = _words(value)
    if not words:
        return None
    base, *flags = words
    for flag in flags:
        if flag in _FLAGS or (flag in ENDING and base == "PENDING"):
            return flag
    return base


def _accounted(job: dict[str, Any], number: int) -> Row:
    """A row of ``sacct --json``."""
    state = _state(_at(job, "state", "current"))
    when = job["time"]
    start_ns, end_ns = run_times(state, _time(_at(when, "start")), _time(_at(when, "end")))
    exits = [_exit(job.get(key), state) for key in ("exit_code", "derived_exit_code")]
    minutes = _number(_at(when, "limit"))
    requested, allocated = _tres(_at(job, "tres", "requested")), _tres(_at(job, "tres", "allocated"))
    comments = [text_of(_at(job, "comment", who)) for who in ("job", "administrator", "system")]
    names = _name(
        number,
        _at(job, "array", "job_id"),
        _at(job, "array", "task_id"),
        _at(job, "array", "task"),
        _at(job, "het", "job_id"),
        _at(job, "het", "job_offset"),
    )
    return {
        **names,
        **ending((start_ns, end_ns), *exits),
        **resources(allocated, requested),
        "restarts": _number(job.get("restart_cnt")),
        "job_name": text_of(job.get("name")),
        "user": text_of(job.get("user")) or text_of(_at(job, "association", "user")),
        "account": text_of(job.get("account")),
        "cluster": text_of(job.get("cluster")),
        "partition": text_of(job.get("partition")),
        "qos": text_of(job.get("qos")),
        "state": state,
        "reason": text_of(_at(job, "state", "reason")),
        "cancelled_by": text_of(job.get("kill_request_user")),
        "submit_ns": _time(_at(when, "submission")),
        "eligible_ns": _time(_at(when, "eligible")),
        "elapsed_s": _number(_at(when, "elapsed")),
        "suspended_s": _number(_at(when, "suspended")),
        "planned_s": _number(_at(when, "planned")),
        "time_limit_s": None if minutes is None else minutes * 60,
        "cpu_used_s": _cpu_used(when) or None,  # 22.05 says 0 of every job
        "node_list": text_of(job.get("nodes")),
        "nodes": _number(job.get("allocation_nodes")),
        "priority": _number(job.get("priority")),
        "flags": ",".join(_words(job.get("flags"))) or None,
        "failed_node": text_of(job.get("failed_node")),
        "reservation": text_of(_at(job, "reservation", "name") or None),
        "work_dir": text_of(job.get("working_directory")),
        "submit_line": text_of(job.get("submit_line")),
        "stdout_path": text_of(job.get("stdout_expanded")) or text_of(job.get("stdout")),
        "stderr_path": text_of(job.get("stderr_expanded")) or text_of(job.get("stderr")),
        "comment": "; ".join(comment for comment in comments if comment) or None,
    }


def _cpu_used(when: object) -> float | None:
    seconds, micros = _number(_at(when, "total", "seconds")), _number(_at(when, "total", "microseconds"))
    return None if seconds is None else seconds + (micros or 0) / 1e6


def _step(step: object, job: Row) -> Row | None:
    told = _at(step, "step", "id")
    if isinstance(told, str) and (ids := JOB_ID.fullmatch(told)) is not None and ids["step"]:
        step_id = ids["step"]
    elif isinstance(told, dict):  # 23.02: {job_id, step_het_component, step_id}
        step_id = str(_at(told, "step_id") or "")
    else:
        step_id = str(told) if isinstance(told, str | int) else ""
    if not re.fullmatch(r"[A-Za-z]{1,20}|\d{1,10}(?:\+\d{1,6})?", step_id):
        return None
    state = _state(_at(step, "state"))
    when = _at(step, "time")
    start_ns, end_ns = run_times(state, _time(_at(when, "start")), _time(_at(when, "end")))
    code, term = _exit(_at(step, "exit_code"), state)
    memory = _most(step, "mem")
    allocated = _tres(_at(step, "tres", "allocated"))
    return {
        "job_id": job["job_id"],
        "job_id_raw": job["job_id_raw"],
        "step_id": step_id,
        "step_name": text_of(_at(step, "step", "name")),
        "state": state,
        "cancelled_by": text_of(_at(step, "kill_request_user")),
        "exit_code": code,
        "term_signal": term,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "ts_ns": end_ns or start_ns,
        "elapsed_s": _number(_at(when, "elapsed")),
        "suspended_s": _number(_at(when, "suspended")),
        "cpu_used_s": _cpu_used(when),
        "node_list": text_of(_at(step, "nodes", "range")),
        "tasks": _number(_at(step, "tasks", "count")),
        "rss_peak_bytes": _number(_at(memory, "count")),
        "rss_peak_node": text_of(_at(memory, "node")),
        "rss_peak_task": _number(_at(memory, "task")),
        "cpus_allocated": integer(tres(allocated).get("cpu")),
        "gpus_allocated": gpus(allocated),
        "tres_allocated": allocated,
        "gpu_memory_peak_bytes": _number(_at(_most(step, "gres", "gpumem"), "count")),
        "submit_line": text_of(_at(step, "submit_line")),
    }


def _controlled(job: dict[str, Any], number: int) -> Row:
    """A row of ``squeue --json`` or ``scontrol show job --json``."""
    state = _state(job.get("job_state"))
    # A requeued run that is cleared up has the base state PENDING, and forecasts of the next run.
    known = "PENDING" if state in ENDING and "PENDING" in _words(job.get("job_state")) else state
    start_ns, end_ns = run_times(known, _time(job.get("start_time")), _time(job.get("end_time")))
    exits = [_exit(job.get(key), state) for key in ("exit_code", "derived_exit_code")]
    minutes = _number(job.get("time_limit"))
    waits = state_word(state) in WAITING
    requested, allocated = text_of(job.get("tres_req_str")), None if waits else text_of(job.get("tres_alloc_str"))
    names = _name(
        number,
        job.get("array_job_id"),
        job.get("array_task_id"),
        job.get("array_task_string"),
        job.get("het_job_id"),
        job.get("het_job_offset"),
    )
    comments = [text_of(job.get(key)) for key in ("comment", "admin_comment", "system_comment")]
    detail = job.get("gres_detail")
    return {
        **names,
        **ending((start_ns, end_ns), *exits),
        **resources(allocated, requested),
        "restarts": _number(job.get("restart_cnt")),
        "job_name": text_of(job.get("name")),
        "user": text_of(job.get("user_name")),
        "account": text_of(job.get("account")),
        "cluster": text_of(job.get("cluster")),
        "partition": text_of(job.get("partition")),
        "qos": text_of(job.get("qos")),
        "state": state,
        "reason": text_of(job.get("state_reason")),
        "may_requeue": job.get("requeue") if isinstance(job.get("requeue"), bool) else None,
        "submit_ns": _time(job.get("submit_time")),
        "eligible_ns": _time(job.get("eligible_time")),
        "elapsed_s": (end_ns - start_ns) // 1_000_000_000 if start_ns and end_ns else None,
        "time_limit_s": None if minutes is None else minutes * 60,
        "node_list": text_of(job.get("nodes")),
        "nodes": _number(job.get("node_count")),
        "gres_detail": "; ".join(map(str, detail)) or None if isinstance(detail, list) else None,
        "priority": _number(job.get("priority")),
        "dependency": text_of(job.get("dependency")),
        "flags": ",".join(_words(job.get("flags"))) or None,
        "failed_node": text_of(job.get("failed_node")),
        "batch_host": text_of(job.get("batch_host")),
        "reservation": text_of(job.get("resv_name")),
        "work_dir": text_of(job.get("current_working_directory")),
        "batch_command": text_of(job.get("command")),
        "submit_line": text_of(job.get("submit_line")),
        "stdout_path": text_of(job.get("stdout_expanded")) or text_of(job.get("standard_output")),
        "stderr_path": text_of(job.get("stderr_expanded")) or text_of(job.get("standard_error")),
        "comment": "; ".join(comment for comment in comments if comment) or None,
    }


# --- nodes ------------------------------------------------------------------------------------------------------------


def _node(node: dict[str, Any], context: Context) -> Iterator[tuple[str, Row]]:
    """A node of ``scontrol show node --json``, or of ``sinfo --json`` up to 22.05."""
    name = text_of(node.get("name"))
    if name is None:
        context.refuse("a node without its name")
        return
    flags = node.get("state_flags")
    load = _number(node.get("cpu_load"))
    free = _number(node.get("free_mem", node.get("free_memory")))
    yield (
        "slurm_nodes",
        node_row(
            name=name,
            state="+".join(_words(node.get("state")) + (_words(flags) if isinstance(flags, list) else [])).upper()
            or None,
            reason=text_of(node.get("reason")),
            reason_by=text_of(node.get("reason_set_by_user")),
            reason_ns=_time(node.get("reason_changed_at")),
            seen_ns=context.collected_at_ns,
            boot_ns=_time(node.get("boot_time")),
            slurmd_start_ns=_time(node.get("slurmd_start_time")),
            cpu_load=None if load is None or not 0 <= load < 1 << 32 else load / 100,
            memory_free_bytes=None if free is None or free < 0 else free * _MIB,
            gres=text_of(node.get("gres")),
            gres_used=text_of(node.get("gres_used")),
        ),
    )


def _group(group: dict[str, Any], names: Names, context: Context) -> Iterator[tuple[str, Row]]:
    """Nodes of one partition that are alike, in ``sinfo --json`` from 23.02 on."""
    listed = _at(group, "nodes", "nodes")
    if not isinstance(listed, list):
        context.refuse("a group of nodes without their names")
        return
    state = "+".join(_words(_at(group, "node", "state"))).upper() or None
    for name in names.new(",".join(map(str, listed)), state):
        yield (
            "slurm_nodes",
            node_row(
                name=name,
                state=state,
                reason=text_of(_at(group, "reason", "description")),
                reason_by=text_of(_at(group, "reason", "user")),
                reason_ns=_time(_at(group, "reason", "time")),
                seen_ns=context.collected_at_ns,
                gres=text_of(_at(group, "gres", "total")),
            ),
        )


# --- the controller ---------------------------------------------------------------------------------------------------


def _statistics(record: dict[str, Any]) -> Iterator[Row]:
    """Readings of ``sdiag --json``, by the names it gives them."""
    at_ns = _time(record.get("req_time"))
    for key, value in record.items():
        if key in ROWS_OF_RPC and isinstance(value, list):
            for item in value:
                name = text_of(_at(item, ROWS_OF_RPC[key]))
                for told in ("count", "average_time", "total_time"):
                    number = _number(_at(item, told))
                    if name and number is not None:
                        yield reading(f"{key}.{name}.{told}", number, at_ns)
        elif isinstance(value, dict) and "number" not in value:
            for inner, number in value.items():
                if (told_number := _number(number)) is not None:
                    yield reading(f"{key}.{inner}", told_number, at_ns)
        elif (number := _number(value)) is not None:
            yield reading(key, number, at_ns)


KIND: Final = SlurmJson()
