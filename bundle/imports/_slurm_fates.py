"""Runs of jobs as the controller's log tells them: begin, end and how, where nobody asked accounting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.bundle.hostlist import expand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports._slurm_values import Row

MAX_JOBS: Final = 500_000
"""Jobs that are followed in one log; those after them have events, and no runs."""
_SECOND: Final = 1_000_000_000
_STATUS: Final = re.compile(r"(WEXITSTATUS|WTERMSIG) (\d{1,9})")
_UID: Final = re.compile(r"uid (\d{1,10})")
_KILLED: Final = "9"
"""The signal that ends a job which is cancelled; others go to jobs that may live on."""
_OWN: Final = frozenset({"COMPLETED", "FAILED"})
"""Ends that a status alone tells."""
_NODES: Final = re.compile(r"(?:NodeList=|on )(\S+)")


_HELD: Final = 10_000
"""Ended runs that wait for what the controller may still say of them."""


@dataclass(slots=True)
class _Job:
    raw: str | None = None
    submit_ns: int | None = None
    restarts: int | None = None
    """Runs before the one at hand; None where the log does not tell of the job from its submission on."""
    start_ns: int | None = None
    node_list: str | None = None
    cancelled_by: str | None = None
    again: bool = False
    """It was requeued, and has not begun again."""


class Fates:
    """Follows jobs through the events of one controller's log, and gives a row of ``slurm_jobs`` for each run.

    Only runs whose begin stands in the log: of others nobody could tell whether accounting tells of them too.
    """

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._ended: dict[str, Row] = {}

    def take(self, job_id: str, raw: str | None, event: Row) -> Iterator[Row]:
        """An event of a job; gives runs of which no more will be said.

        Args:
            job_id: The job.
            raw: The controller's own number of it, where that differs.
            event: A row of ``slurm_events``.
        """
        job = self._jobs.get(job_id)
        if job is None:
            if len(self._jobs) >= MAX_JOBS or event["event"] not in {"submitted", "started"}:
                return
            job = self._jobs[job_id] = _Job()
        job.raw = raw or job.raw
        at_ns, reason = event["ts_ns"], event["reason"] or ""
        match event["event"]:
            case "submitted":
                job.submit_ns, job.restarts = at_ns, 0
            case "started" if job.start_ns is None:
                nodes = _NODES.search(reason)
                job.start_ns, job.node_list = at_ns, nodes[1] if nodes else None
                job.cancelled_by, job.again = None, False
                if job_id in self._ended:
                    yield self._ended.pop(job_id)
            case "cancel_asked":
                asked = _UID.search(reason)
                job.cancelled_by = asked[1] if asked else None
            case "signalled" if reason == _KILLED and job.cancelled_by is not None:
                yield from self._end(job_id, job, "CANCELLED", at_ns, "")
            case "terminal":
                yield from self._end(job_id, job, event["state"], at_ns, reason)
            case "preempted":
                yield from self._end(job_id, job, "PREEMPTED", at_ns, reason)
            case "requeued":
                yield from self._end(job_id, job, "REQUEUED", at_ns, "")
                job.again = True

    def left(self) -> Iterator[Row]:
        """At the end of the log: what ended last, what goes on as far as it tells, and what waits to run again."""
        yield from self._ended.values()
        for job_id, job in self._jobs.items():
            if job.start_ns is not None:
                yield _row(job_id, job, "RUNNING", None)
            elif job.again:
                yield _row(job_id, job, "PENDING", None)

    def _end(self, job_id: str, job: _Job, state: str, at_ns: int | None, reason: str) -> Iterator[Row]:
        """A run ends, or more is said of its end: a run that exited may turn out to be cancelled or requeued."""
        told = self._ended.get(job_id)
        if job.start_ns is None:
            if told is not None and told["state"] in _OWN and state not in _OWN:
                told["state"] = state
            return
        status = _STATUS.search(reason)
        code = term = None
        if status is not None:
            code, term = (int(status[2]), None) if status[1] == "WEXITSTATUS" else (None, int(status[2]))
        if term is not None and job.cancelled_by is not None:
            state = "CANCELLED"
        self._ended[job_id] = _row(job_id, job, state, at_ns) | {"exit_code": code, "term_signal": term}
        job.start_ns, job.cancelled_by = None, None
        job.restarts = None if job.restarts is None else job.restarts + 1
        if len(self._ended) > _HELD:
            yield self._ended.pop(next(iter(self._ended)))


def _row(job_id: str, job: _Job, state: str | None, end_ns: int | None) -> Row:
    began, ended = _whole(job.start_ns), _whole(end_ns)
    return {
        "job_id": job_id,
        "job_id_raw": job.raw,
        "restarts": job.restarts,
        "state": state,
        "cancelled_by": job.cancelled_by if state == "CANCELLED" else None,
        "exit_code": None,
        "term_signal": None,
        "submit_ns": _whole(job.submit_ns),
        "start_ns": began,
        "end_ns": ended,
        "ts_ns": ended or began,
        "elapsed_s": None if began is None or ended is None else (ended - began) // _SECOND,
        "node_list": job.node_list if began is not None else None,
        "nodes": len(expand(job.node_list)) or None if job.node_list and began is not None else None,
    }


def _whole(ns: int | None) -> int | None:
    """Whole seconds, as Slurm keeps them."""
    return None if ns is None else ns // _SECOND * _SECOND
