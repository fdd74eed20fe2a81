"""What is new in an answer of Slurm: rows that say something else than before, and the events between them.

Slurm is asked again and again and mostly says the same. Rows come from the readers that the import has, so that a
recording and an import of the same cluster say the same words; here is only remembered what was told already.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.imports._slurm_values import ENDING, OPEN, WAITING, state_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports._slurm_values import Row

Found = tuple[str, "Row"]

_PASSING: Final = frozenset({"elapsed_s", "ts_ns", "suspended_s", "cpu_used_s"})
"""Columns that change by themselves while a run goes on."""
_MAY_BE_UPDATED: Final = (
    "time_limit_s",
    "priority",
    "partition",
    "qos",
    "account",
    "node_list",
    "nodes",
    "dependency",
    "reservation",
    "job_name",
    "may_requeue",
    "tres_requested",
)
"""What ``scontrol update`` or the scheduler may change under a job."""
_AGAIN: Final = frozenset({"REQUEUED", "PREEMPTED", "NODE_FAIL"})
_NODE_READINGS: Final = frozenset({"ts_ns", "seen_ns", "cpu_load", "memory_free_bytes"})
_NODE_EVERY: Final = 10
"""Looks between two rows of a node whose state stays: load and free memory are sampled, not followed."""
_MOST_KNOWN: Final = 20_000
_OTHERS: Final = "rpcs_by_user."
"""Calls by user name everybody who uses the cluster: they are nobody's business in the bundle of one job."""

_BY_ACCOUNTING: Final = " accounting"
"""How the name of a run ends that accounting told of: it words some columns in its own way."""


class News:
    """What of a job, its nodes and the controller was told already.

    Args:
        state: what the ``state`` property of a predecessor gave; any JSON object, believed as far as it has the form.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        told, jobs = (state or {}).get("events"), (state or {}).get("jobs")
        self._events = set(filter(lambda e: isinstance(e, str), told)) if isinstance(told, list) else set()
        self._jobs: dict[str, dict[str, Any]] = (
            {key: value for key, value in jobs.items() if isinstance(value, dict)} if isinstance(jobs, dict) else {}
        )
        self._why: dict[Any, str] = {}
        self._steps: dict[tuple[Any, ...], str] = {}
        self._running: set[tuple[Any, ...]] = set()
        self._nodes: dict[str, tuple[Row, int]] = {}
        self._readings: dict[str, tuple[float | None, str | None]] = {}
        self.job_ended = False
        """Whether an answer said that a run of the job is over, or is being cleared up after."""
        self.step_ended = False
        """Whether a step was no longer among those that run; whoever asks accounting for it sets it back."""

    @property
    def state(self) -> dict[str, Any]:
        """What a successor needs in order not to tell it again: a small JSON object without free text."""
        return {"events": sorted(self._events), "jobs": self._jobs}

    @property
    def over(self) -> bool:
        """Whether the job's last run is over, and Slurm has cleared up after it, by the controller's last word."""
        states = [state_word(job.get("state")) for key, job in self._jobs.items() if not key.endswith(_BY_ACCOUNTING)]
        return bool(states) and states[-1] not in OPEN | ENDING

    def of_controller(self, rows: Iterable[Found], at_ns: int) -> Iterator[Found]:
        """What is new in an answer about the job or its nodes (``scontrol``), or in the controller's statistics.

        Args:
            rows: as the reader gave them.
            at_ns: when it was asked, UTC.
        """
        found: dict[str, list[Row]] = {}
        for table, row in rows:
            found.setdefault(table, []).append(row)
        for row in found.get("slurm_events", ()):
            yield from self._event(row)
        for row in found.get("slurm_jobs", ()):
            yield from self._job(row, at_ns)
        if "slurm_steps" in found:
            yield from self._running_steps(found["slurm_steps"])
        for row in found.get("slurm_nodes", ()):
            yield from self._node(row, at_ns)
        for row in found.get("slurm_controller", ()):
            name, told = row["name"], (row["value"], row.get("text"))
            if self._readings.get(name) != told and not name.startswith(_OTHERS):
                self._readings[name] = told
                yield "slurm_controller", row

    def no_steps(self) -> None:
        """Slurm knows no step of the job that runs."""
        self.step_ended |= bool(self._running)
        self._running = set()

    def of_accounting(self, rows: Iterable[Found]) -> Iterator[Found]:
        """What is new in an answer of accounting: runs and steps that have ended, and why the job had to wait.

        What still runs is left to the controller, which knows more of it.
        """
        jobs = []
        for table, row in rows:
            if table == "slurm_jobs":
                jobs.append(row)
            elif _ended(row):
                yield from self._step(row)
        for row in sorted(jobs, key=lambda row: row["start_ns"] or 0):
            if row["reason"]:
                self._why[row["job_id"]] = row["reason"]
            if not _ended(row):
                continue
            yield from self._job(row, row["end_ns"] or 0, of_accounting=True)
            again = any((other["start_ns"] or 0) > (row["end_ns"] or 0) for other in jobs if other is not row)
            if again or state_word(row["state"]) in _AGAIN:
                yield from self._event(_happened(row, "requeued", row["end_ns"]))

    # --- the job --------------------------------------------------------------------------------------------------

    def _job(self, row: Row, at_ns: int, *, of_accounting: bool = False) -> Iterator[Found]:
        run = f"{row['job_id']}@{row['start_ns']}"
        key = run + _BY_ACCOUNTING if of_accounting else run
        digest = _digest(row, _PASSING)
        before = self._jobs.get(key)
        ended = _ended(row)
        if not of_accounting or row["start_ns"] == self._last_start(row["job_id"]):
            self.job_ended |= ended or state_word(row["state"]) in ENDING
        if before is not None and before.get("digest") == digest:
            return
        told = {name: row.get(name) for name in _MAY_BE_UPDATED if row.get(name) is not None}
        self._jobs[key] = {"digest": digest, "state": row["state"], "start_ns": row["start_ns"], "told": told}
        yield "slurm_jobs", row
        if not of_accounting:
            yield from self._first(row) if before is None else self._changes(row, before, at_ns)
        if ended:
            yield from self._event(_happened(row, "terminal", row["end_ns"] or at_ns, detail=_how(row)), once=run)

    def _last_start(self, job: Any) -> int | None:  # noqa: ANN401  (any value of the column)
        starts = [
            known["start_ns"]
            for key, known in self._jobs.items()
            if key.startswith(f"{job}@") and isinstance(known.get("start_ns"), int)
        ]
        return max(starts, default=None)

    def _first(self, row: Row) -> Iterator[Found]:
        """What came before the job was first seen, as far as its record tells."""
        if row["submit_ns"] is not None:
            yield from self._event(_happened(row, "submitted", row["submit_ns"], state="PENDING"))
        if state_word(row["state"]) in WAITING:
            yield from self._event(_happened(row, "pending", row["eligible_ns"] or row["submit_ns"]))
            return
        began, eligible = row["start_ns"], row["eligible_ns"]
        if began is not None and eligible is not None and began - eligible >= 1_000_000_000:
            waited = f"waited {(began - eligible) // 1_000_000_000} s"
            why = self._why.get(row["job_id"])
            yield from self._event(_happened(row, "pending", eligible, state="PENDING", reason=why, detail=waited))
        if row.get("restarts") and not any(event.split()[1] == "requeued" for event in self._events):
            detail = f"this is run {row['restarts'] + 1}"
            yield from self._event(_happened(row, "requeued", began, state="REQUEUED", detail=detail))
        if began is not None:
            yield from self._event(_happened(row, "started", began, state="RUNNING", detail=row["node_list"]))

    def _changes(self, row: Row, before: dict[str, Any], at_ns: int) -> Iterator[Found]:
        was, now = state_word(before.get("state")), state_word(row["state"])
        told = before.get("told")
        if isinstance(told, dict):
            changed = [
                f"{name}: {told.get(name)} -> {row.get(name)}"
                for name in _MAY_BE_UPDATED
                if row.get(name) is not None and told.get(name) != row.get(name)
            ]
            if changed:
                yield from self._event(_happened(row, "updated", at_ns, detail="; ".join(changed)))
        if was == now:
            return
        if now in WAITING:
            yield from self._event(_happened(row, "pending", at_ns))
        elif now == "SUSPENDED":
            if not any(event.startswith(f"{row['job_id']} suspended ") for event in self._events):
                yield from self._event(_happened(row, "suspended", at_ns))
        elif was == "SUSPENDED" and now == "RUNNING":
            self._events -= {event for event in self._events if event.startswith(f"{row['job_id']} suspended ")}
            yield from self._event(_happened(row, "resumed", at_ns))
        elif now == "REQUEUED":
            yield from self._event(_happened(row, "requeued", at_ns))

    def _event(self, row: Row, *, once: str = "") -> Iterator[Found]:
        """An event, unless it was told."""
        key = f"{row['job_id']} {row['event']} {once or row.get('ts_ns')}"
        if key not in self._events and len(self._events) < _MOST_KNOWN:
            self._events.add(key)
            yield "slurm_events", row

    # --- steps, nodes ---------------------------------------------------------------------------------------------

    def _running_steps(self, rows: list[Row]) -> Iterator[Found]:
        running = {_step_key(row) for row in rows}
        self.step_ended |= bool(self._running - running)
        self._running = running
        for row in rows:
            yield from self._step(row)

    def _step(self, row: Row) -> Iterator[Found]:
        digest = _digest(row, _PASSING)
        if self._steps.get(_step_key(row)) != digest and len(self._steps) < _MOST_KNOWN:
            self._steps[_step_key(row)] = digest
            yield "slurm_steps", row

    def _node(self, row: Row, at_ns: int) -> Iterator[Found]:
        before, looks = self._nodes.get(row["slurm_node_name"], (None, 0))
        same = before is not None and _digest(before, _NODE_READINGS) == _digest(row, _NODE_READINGS)
        if same and looks + 1 < _NODE_EVERY:
            self._nodes[row["slurm_node_name"]] = row, looks + 1
            return
        self._nodes[row["slurm_node_name"]] = row, 0
        if before is not None and before["reason_ns"] is not None and before["reason_ns"] != row["reason_ns"]:
            yield "slurm_nodes", {**before, "end_ns": at_ns, "seen_ns": at_ns}  # it was resumed, or failed anew
        yield "slurm_nodes", row


def _happened(row: Row, event: str, ts_ns: int | None, **more: Any) -> Row:  # noqa: ANN401  (values of columns)
    return {
        "job_id": row["job_id"],
        "event": event,
        "state": row["state"],
        "reason": row["reason"],
        "ts_ns": ts_ns,
        **more,
    }


def _how(row: Row) -> str | None:
    """How a run ended, in words."""
    if row["term_signal"] is not None:
        return f"signal {row['term_signal']}"
    return None if row["exit_code"] is None else f"exit code {row['exit_code']}"


def _ended(row: Row) -> bool:
    return row["state"] is not None and state_word(row["state"]) not in OPEN | WAITING | ENDING


def _step_key(row: Row) -> tuple[Any, ...]:
    return row["job_id"], row["step_id"], row["start_ns"]


def _digest(row: Row, without: frozenset[str]) -> str:
    kept = sorted((name, value) for name, value in row.items() if name not in without and value is not None)
    return hashlib.sha256(json.dumps(kept).encode()).hexdigest()[:16]
