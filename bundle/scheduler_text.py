"""``sacct --parsable2`` and ``scontrol show job`` text that lies beside a log, as rows of ``slurm_*`` tables.

Only what a post-mortem from logs needs; forms are in ``shared/reference/log-formats-system-slurm.md``, sections 5 and
6. Times without a zone are read as UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER: Final = re.compile(rb"^(?:[^\n|]+\|)*JobID(?:Raw)?\|[^\n]*\bState\b")
_SCONTROL: Final = re.compile(r"(?:^|\s)([A-Z][A-Za-z:/]*)=(\S*)")
_DURATION: Final = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?$")
_SIZE: Final = re.compile(r"([\d.]+)([KMGT]?)$")
_SCALE: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_OPEN: Final = frozenset(
    {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED", "RESIZING", "STAGE_OUT"}
)
"""States of a run that had not ended when it was asked for."""

_TO_RUN_AGAIN: Final = frozenset({"REQUEUED", "PREEMPTED", "NODE_FAIL"})
"""Last words on a run after which the job may wait for its next one."""

Rows = dict[str, list[dict[str, Any]]]


def scheduler_rows(head: bytes) -> Rows | None:
    """Rows of ``slurm_jobs`` and ``slurm_steps`` when the text is scheduler output; None when it is not.

    Args:
        head: the whole text of a small file.
    """
    text = head.decode("utf-8", "replace")
    if _HEADER.match(head):
        return _sacct(text)
    if text.lstrip().startswith("JobId=") and "JobState=" in text:
        records = [dict(_SCONTROL.findall(block)) for block in re.split(r"\n\s*\n", text) if "JobId=" in block]
        return {
            "slurm_jobs": [_job_of_scontrol(record) for record in records],
            "slurm_events": [event for record in records for event in _events_of_scontrol(record)],
        }
    return None


def one_row_a_run(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Job or step rows of several sources (accounting, ``scontrol``, job completion log) as one row a run.

    A run is known by its job, its step and its start. What a source saw while the run was on, or while the job waited
    for a run that is told elsewhere, says nothing that the record of its end does not.
    """
    runs: dict[tuple[Any, ...], dict[str, Any]] = {}
    waiting: list[dict[str, Any]] = []
    for row in rows:
        if _state(row) == "PENDING":
            waiting.append(row)
            continue
        began = row["start_ns"] if row["start_ns"] is not None else row["end_ns"]
        key = (row["job_id"], row.get("step_id"), began)
        runs[key] = _joined(runs[key], row) if key in runs else row
    latest: dict[Any, dict[str, Any]] = {}
    for row in sorted(runs.values(), key=lambda run: run["start_ns"] or run["end_ns"] or 0):
        latest[row["job_id"]] = row
    told = list(runs.values())
    for row in waiting:
        last = latest.get(row["job_id"])
        if last is None or _follows(row, last):
            told.append(row)
            latest[row["job_id"]] = row
    return told


def _state(row: dict[str, Any]) -> str:
    return str((row["state"] or "?").split()[0])


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Both records of one run: the ended one leads, the other fills its gaps."""
    if _state(one) in _OPEN and _state(other) not in _OPEN:
        one, other = other, one
    return {name: other.get(name) if one.get(name) is None else one[name] for name in {**one, **other}}


def _follows(waiting: dict[str, Any], last: dict[str, Any]) -> bool:
    """True when the job waits for a run after the last one told."""
    if waiting["restarts"] is not None and last["restarts"] is not None:
        return bool(waiting["restarts"] > last["restarts"])
    return _state(last) in _TO_RUN_AGAIN


def _sacct(text: str) -> Rows:
    """Lines that do not have the header's number of fields are continuations or damage, and are left out."""
    names, *lines = [line.rstrip("|").split("|") for line in text.splitlines() if line]
    rows: Rows = {"slurm_jobs": [], "slurm_steps": []}
    for fields in lines:
        if len(fields) > len(names) or len(fields) < len(names) - 1:
            continue
        record = dict(zip(names, fields, strict=False))
        job, _, step = (record.get("JobID") or record.get("JobIDRaw") or "").partition(".")
        if not job[:1].isdigit():
            continue
        code, term = _exit(record.get("ExitCode"))
        common: dict[str, Any] = {
            "job_id": job,
            "state": (record.get("State") or "").rstrip("+") or None,
            "exit_code": code,
            "term_signal": term,
            "start_ns": _time(record.get("Start")),
            "end_ns": _time(record.get("End")),
            "elapsed_s": _seconds(record.get("Elapsed")),
            "node_list": record.get("NodeList") or None,
        }
        common["ts_ns"] = common["end_ns"] or common["start_ns"]
        if step:
            peak, tasks = _bytes(record.get("MaxRSS")), record.get("NTasks") or ""
            name = record.get("JobName")
            number = int(tasks) if tasks.isdigit() else None
            rows["slurm_steps"].append(
                {**common, "step_id": step, "step_name": name, "tasks": number, "rss_peak_bytes": peak}
            )
        else:
            rows["slurm_jobs"].append({**common, **_job_fields(record)})
    return rows


def _job_fields(record: dict[str, str]) -> dict[str, Any]:
    derived, _ = _exit(record.get("DerivedExitCode"))
    restarts, nodes = record.get("Restarts") or "", record.get("NNodes") or record.get("AllocNodes") or ""
    return {
        "job_name": record.get("JobName"),
        "user": record.get("User"),
        "partition": record.get("Partition"),
        "qos": record.get("QOS"),
        "reason": record.get("Reason"),
        "derived_exit_code": derived,
        "restarts": int(restarts) if restarts.isdigit() else None,
        "nodes": int(nodes) if nodes.isdigit() else None,
        "submit_ns": _time(record.get("Submit")),
        "time_limit_s": _seconds(record.get("Timelimit")),
        "comment": record.get("Comment"),
        "submit_line": record.get("SubmitLine"),
    }


def _events_of_scontrol(record: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A preemption that ended the run: one that left in its grace time is listed as FAILED, with its own exit code."""
    told = _time(record.get("PreemptTime"))
    if told is not None and record.get("JobState") not in {"COMPLETED", "RUNNING"}:
        yield {"job_id": record.get("JobId"), "event": "preempted", "state": record.get("JobState"), "ts_ns": told}


def _job_of_scontrol(record: dict[str, str]) -> dict[str, Any]:
    code, term = _exit(record.get("ExitCode"))
    restarts = record.get("Restarts", "")
    return {
        "job_id": record.get("JobId"),
        "job_name": record.get("JobName"),
        "user": record.get("UserId", "").split("(")[0] or None,
        "partition": record.get("Partition"),
        "qos": record.get("QOS"),
        "state": record.get("JobState"),
        "reason": record.get("Reason"),
        "exit_code": code,
        "term_signal": term,
        "restarts": int(restarts) if restarts.isdigit() else None,
        "submit_ns": _time(record.get("SubmitTime")),
        "start_ns": _time(record.get("StartTime")),
        "end_ns": _time(record.get("EndTime")),
        "ts_ns": _time(record.get("EndTime")) or _time(record.get("StartTime")),
        "elapsed_s": _seconds(record.get("RunTime")),
        "time_limit_s": _seconds(record.get("TimeLimit")),
        "node_list": record.get("NodeList"),
        "stdout_path": record.get("StdOut"),
        "stderr_path": record.get("StdErr"),
    }


def _exit(text: str | None) -> tuple[int | None, int | None]:
    """Exit code and signal of ``code:signal``; the code is null where a signal ended the process."""
    code, colon, number = (text or "").partition(":")
    if not (colon and code.isdigit() and number.isdigit()):
        return None, None
    return (None, int(number)) if int(number) and not int(code) else (int(code), int(number) or None)


def _time(text: str | None) -> int | None:
    try:
        stamp = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    stamp = stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)
    return int(stamp.timestamp()) * 1_000_000_000


def _seconds(text: str | None) -> int | None:
    found = _DURATION.match(text or "")
    if not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _bytes(text: str | None) -> int | None:
    found = _SIZE.match(text or "")
    return int(float(found[1]) * _SCALE[found[2]]) if found else None
