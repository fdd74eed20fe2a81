"""A lane runs one collector and keeps the book on it; the hands are the threads in which all lanes run.

A call that hangs (a lost GPU, a dead mount, a process stuck in the kernel) blocks its own lane and nobody else: another
thread goes on with the lanes behind it. As long as none hangs, one thread serves all, since to wake one for each costs
more than most collectors do.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle import schema
from inquest.capture.collector import Batch, Collector, Context, Denied, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Callable

Step = Literal["start", "tick", "stop"]

_LONGEST_REST: Final = 256
"""Ticks. A collector that fails or overruns rests 1, 2, 4 ... of its turns, and is tried again."""
_STUCK_NS: Final = 40_000_000
"""How long a step may take until those behind it no longer wait for it; most take less than a millisecond."""
_VALUE_BYTES: Final = 9
"""What a value costs in the journal, with its share of the validity bitmap; a text costs its length on top."""


@dataclass(slots=True)
class Done:
    """One finished step of a collector."""

    lane: Lane
    step: Step
    batches: list[Batch]
    error: Exception | None
    cpu_ns: int
    wall_ns: int


@dataclass(slots=True)
class _Round:
    """Steps that are due together, and since when the one at their head runs (0: none has begun)."""

    steps: deque[tuple[Lane, Step]]
    since_ns: int = 0


class Hands:
    """The threads that run the steps of all lanes, one after the other.

    All methods are for the recorder's thread; ``deliver`` is called from the others.
    """

    def __init__(self, deliver: Callable[[Done], None]) -> None:
        self._deliver = deliver
        self._due: deque[tuple[Lane, Step]] = deque()
        self._given: queue.SimpleQueue[_Round] = queue.SimpleQueue()
        self._rounds: list[_Round] = []
        self._lock = threading.Lock()
        self._threads = self._busy = 0

    def want(self, lane: Lane, step: Step) -> None:
        """Note a step, to be begun with `go`."""
        self._due.append((lane, step))

    def go(self, *, abreast: bool = False) -> None:
        """Begin all that is wanted; ``abreast``: each step in a thread of its own, where there is no time to lose.

        Where the job has all CPUs, the kernel gives each of our threads its small share.
        """
        if self._due:
            round_, self._due = _Round(self._due, time.monotonic_ns()), deque()
            self._rounds.append(round_)
            for _ in range(len(round_.steps) if abreast else 1):
                self._give(round_)

    def relieve(self) -> bool:
        """Have another thread go on where one is stuck; whether steps still wait for their turn."""
        self._rounds = [round_ for round_ in self._rounds if round_.steps]
        now = time.monotonic_ns()
        for round_ in self._rounds:
            if now - round_.since_ns > _STUCK_NS:
                round_.since_ns = now
                self._give(round_)
        return bool(self._rounds)

    def _give(self, round_: _Round) -> None:
        with self._lock:
            self._busy += 1
            if self._busy > self._threads:
                self._threads += 1
                threading.Thread(target=self._run, name="lanes", daemon=True).start()
        self._given.put(round_)

    def _run(self) -> None:
        while True:
            round_ = self._given.get()
            while round_.steps:
                try:
                    lane, step = round_.steps.popleft()
                except IndexError:  # another thread was faster
                    break
                round_.since_ns = time.monotonic_ns()
                self._deliver(lane.run(step))
            with self._lock:
                self._busy -= 1
                if self._threads - self._busy > 1:  # one waits already, and is always the same: its memory stays warm
                    self._threads -= 1
                    return


@dataclass(slots=True)
class Lane:
    """One collector, and what became of its attempts.

    All methods but `run` are for the recorder's thread.
    """

    collector: Collector
    ctx: Context
    hands: Hands
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

    def open(self) -> None:
        """Have the collector started."""
        self._want("start")

    def tick(self, skipped: int) -> None:
        """Give the collector its turn; count the ones it misses because we are late or it is still busy."""
        if self.closed:
            return
        before, self._turn = self._turn, self._turn + skipped + 1
        turns = self._turn // self.collector.period - before // self.collector.period
        if turns == 0:
            return
        self.lost += turns - 1
        if self.busy_since_ns is not None or not self.started:
            self.lost += 1
        elif self._rest > 0:
            self._rest -= 1
            self.lost += 1
        else:
            self._want("tick")

    def close(self) -> None:
        """Ask the collector for its last rows, unless it hangs."""
        if not self.closed and self.busy_since_ns is None and self.started:
            self._want("stop")

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
        if outcome == "ok" and self.collector.truncated:
            outcome = "truncated"
        elif final and outcome == "ok" and self.rows == 0:
            outcome = "empty"
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": self.collector.name,
            "outcome": outcome,
            "tables": ",".join(self.collector.tables),
            "detail": "; ".join(filter(None, (self.detail, self.collector.note))) or None,
            "from_mono_ns": self.collector.since_ns or self.from_mono_ns,
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
            if not rows:
                continue
            sizes = _sizes(table, rows)
            fitting, size = rows, sum(sizes)
            if size > room:
                fits = [so_far <= room for so_far in accumulate(sizes)]
                fitting = rows[: sum(fits)]
                size = sum(sizes[: len(fitting)])
            room -= size
            self.bytes += size
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

    def run(self, step: Step) -> Done:
        """Do a step, in whatever thread."""
        cpu, wall = time.thread_time_ns(), time.monotonic_ns()
        batches: list[Batch] = []
        error: Exception | None = None
        try:
            batches.extend(getattr(self.collector, step)(self.ctx))
        except Exception as raised:  # whatever a collector does must not end the recording
            error = raised
        return Done(self, step, batches, error, time.thread_time_ns() - cpu, time.monotonic_ns() - wall)

    def _want(self, step: Step) -> None:
        self.busy_since_ns = time.monotonic_ns()
        self.hands.want(self, step)


def _sizes(table: str, rows: list[Row]) -> list[int]:
    """What each row takes in the journal."""
    shapes = set(map(tuple, rows))
    if len(shapes) == 1:  # as a rule a collector fills the same columns of all
        names = _texts(table, shapes.pop())
        fixed = _VALUE_BYTES * len(rows[0])
        if not names:
            return [fixed] * len(rows)
        return [fixed + sum([len(row[name] or "") for name in names]) for row in rows]
    return [_VALUE_BYTES * len(row) + sum([len(row[name] or "") for name in _texts(table, tuple(row))]) for row in rows]


@lru_cache(maxsize=256)
def _texts(table: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the columns that hold text."""
    of_text = {column.name for column in schema.BY_NAME[table].columns if column.type in ("str", "dict")}
    return tuple(name for name in names if name in of_text)
