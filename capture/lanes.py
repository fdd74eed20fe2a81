"""A lane runs one collector in a thread of its own and keeps the book on it.

A call that hangs (a lost GPU, a dead mount, a process stuck in the kernel) blocks its own lane and nobody else.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from inquest.capture.collector import Batch, Collector, Context, Denied, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Callable

Step = Literal["start", "tick", "stop"]

_LONGEST_REST: Final = 256
"""Ticks. A collector that fails or overruns rests 1, 2, 4 ... of its turns, and is tried again."""
_VALUE_BYTES: Final = 9
"""What a number costs in the journal, with its share of the validity bitmap."""


@dataclass(frozen=True, slots=True)
class Done:
    """One finished step of a collector."""

    lane: Lane
    step: Step
    batches: list[Batch]
    error: Exception | None
    cpu_ns: int
    wall_ns: int


@dataclass(slots=True)
class Lane:
    """One collector, its thread, and what became of its attempts.

    All methods are for the recorder's thread; ``deliver`` is called from the lane's thread.
    """

    collector: Collector
    ctx: Context
    deliver: Callable[[Done], None]
    outcome: str = "ok"
    detail: str = ""
    rows: int = 0
    bytes: int = 0
    lost: int = 0
    cpu_ns: int = 0
    from_mono_ns: int = field(default_factory=time.monotonic_ns)
    started: bool = False
    closed: bool = False
    busy_since_ns: int | None = None
    _overrun: bool = False
    _strikes: int = 0
    _rest: int = 0
    _turn: int = 0
    _inbox: queue.SimpleQueue[Step | None] = field(default_factory=queue.SimpleQueue)

    def open(self) -> None:
        """Start the thread and the collector."""
        threading.Thread(target=self._run, name=self.collector.name, daemon=True).start()
        self._send("start")

    def tick(self, skipped: int) -> None:
        """Give the collector its turn; count the ones it misses because we are late or it is still busy."""
        if self.closed:
            return
        turns = 0
        for _ in range(skipped + 1):
            self._turn += 1
            turns += self._turn % self.collector.period == 0
        if turns == 0:
            return
        self.lost += turns - 1
        if self.busy_since_ns is not None or not self.started:
            self.lost += 1
        elif self._rest > 0:
            self._rest -= 1
            self.lost += 1
        else:
            self._send("tick")

    def close(self) -> None:
        """Ask the collector for its last rows, unless it hangs."""
        if not self.closed and self.busy_since_ns is None and self.started:
            self._send("stop")

    def overran(self, now_ns: int) -> bool:
        """True once for each call that has taken longer than its budget and has not returned."""
        if self.busy_since_ns is None or self._overrun:
            return False
        self._overrun = now_ns - self.busy_since_ns > self.collector.budget.seconds * 1e9
        if self._overrun:
            self._strike("timed_out", f"a call has not returned within {self.collector.budget.seconds:g} s")
        return self._overrun

    def settle(self, done: Done) -> list[Batch]:
        """Book a finished step and give its rows, cut to the byte budget."""
        self.busy_since_ns = None
        self.cpu_ns += done.cpu_ns
        if done.error is not None:
            self._book_error(done)
        elif done.step == "start":
            self.started = True
        elif not self._overrun and self._strikes and self._rest == 0:
            self._strikes, self.outcome = 0, "ok"  # it works again; what happened stays in detail and drops
        self._overrun = False
        if done.step == "stop":
            self.closed = True
        return self._within_budget(done.batches)

    def row(self, *, final: bool = False) -> Row:
        """The row of ``collection`` that says how it went so far."""
        drops = self.lost + self.collector.drops
        outcome = self.outcome
        if final and outcome == "ok" and self.rows == 0:
            outcome = "empty"
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": self.collector.name,
            "outcome": outcome,
            "tables": ",".join(self.collector.tables),
            "detail": self.detail or self.collector.note or None,
            "from_mono_ns": self.from_mono_ns,
            "to_mono_ns": time.monotonic_ns(),
            "rows": self.rows,
            "drops": drops,
            "bytes": self.bytes,
            "cpu_ns": self.cpu_ns + self.collector.cpu_ns,
        }

    def _book_error(self, done: Done) -> None:
        match done.error:
            case Missing():
                self.outcome, self.detail, self.closed = "missing", str(done.error), True
            case Denied():
                self.outcome, self.detail, self.closed = "denied", str(done.error), True
            case error:
                self._strike("failed", f"{done.step}: {type(error).__name__}: {error}"[:500])
                self.lost += 1
                self.closed |= done.step == "start"

    def _strike(self, outcome: str, detail: str) -> None:
        self.outcome, self.detail = outcome, detail
        self._rest = min(1 << self._strikes, _LONGEST_REST)
        self._strikes += 1

    def _within_budget(self, batches: list[Batch]) -> list[Batch]:
        room = self.collector.budget.bytes
        kept: list[Batch] = []
        for table, rows in batches:
            fitting: list[Row] = []
            for row in rows:
                size = sum(len(value) if isinstance(value, str) else _VALUE_BYTES for value in row.values())
                if size > room:
                    break
                room -= size
                self.bytes += size
                fitting.append(row)
            self.rows += len(fitting)
            if len(fitting) < len(rows):
                room = 0
                self.lost += len(rows) - len(fitting)
                if self.outcome == "ok":
                    self.outcome, self.detail = (
                        "truncated",
                        f"more than {self.collector.budget.bytes} bytes in one tick",
                    )
            if fitting:
                kept.append((table, fitting))
        return kept

    def _send(self, step: Step) -> None:
        self.busy_since_ns = time.monotonic_ns()
        self._inbox.put(step)

    def _run(self) -> None:
        while (step := self._inbox.get()) is not None:
            cpu, wall = time.thread_time_ns(), time.monotonic_ns()
            batches: list[Batch] = []
            error: Exception | None = None
            try:
                batches.extend(getattr(self.collector, step)(self.ctx))
            except Exception as raised:  # whatever a collector does must not end the recording
                error = raised
            self.deliver(Done(self, step, batches, error, time.thread_time_ns() - cpu, time.monotonic_ns() - wall))
