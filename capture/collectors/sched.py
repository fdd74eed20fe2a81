"""How long the job's processes waited for a CPU, and for whom: kernel events, summed up in the kernel.

The programs are in capture/ebpf/programs/sched.bpf.c.
"""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.capture.collector import Batch, Budget, Collector, Context, Row
from inquest.capture.ebpf.kernel import SCHED, SUM, SUM_KEY, KernelEvents, text

if TYPE_CHECKING:
    from collections.abc import Iterable

_ZERO: Final = bytes(4)
_STATES: Final = ("sleeping", "runnable")
_WORTH_NS: Final = 2_000_000
"""Least delay of a process between two looks that is worth a row: a thousandth of the time."""


@dataclass(slots=True)
class _Delay:
    """Of one process and one previous state, all who ran instead taken together."""

    count: int = 0
    total_ns: int = 0
    max_ns: int = 0
    by_ns: int = 0
    by_pid: int = 0
    by_name: str | None = None


class Sched(Collector):
    """A row a process, previous state and look; none where the delay since the last look was below two milliseconds.

    ``count``, ``total_ns`` and ``max_ns`` are of waits that ended since then. ``drops`` counts waits the kernel
    program had no room for.
    """

    name = "sched"
    tables = ("sched_samples",)
    requires = "eBPF: root, or CAP_BPF and CAP_PERFMON; a kernel with BTF (5.8 and later)"
    budget = Budget(seconds=20.0, bytes=1 << 20)
    period = 2

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Attach; processes are tracked by ``process_life``."""
        self._events = KernelEvents(SCHED)
        self.note = self._events.note
        self._sums = self._events.map("sums")
        self._half = 0
        self._ranks: dict[int, int | None] = {}
        """By process, at this look and the one before: who has just ended still has a rank."""
        self._since_ns = time.monotonic_ns()
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """The sums since the last look."""
        self._events.follow(ctx.members)
        done, self._half = self._half, 1 - self._half
        self._events.map("half_in_use").put(_ZERO, struct.pack("<I", self._half))
        now = time.monotonic_ns()
        ranks = {pid: member.rank for pid, member in ctx.members.items()}
        known, self._ranks = self._ranks | ranks, ranks
        delays: dict[tuple[int, int], _Delay] = {}
        read = []
        for key, value in self._sums.items():
            pid, by, before, half = SUM_KEY.unpack(key)
            if half != done:
                continue
            count, total, longest, name = SUM.unpack(value)
            delay = delays.setdefault((pid, before), _Delay())
            delay.count += count
            delay.total_ns += total
            delay.max_ns = max(delay.max_ns, longest)
            if by and total > delay.by_ns:
                delay.by_ns, delay.by_pid, delay.by_name = total, by, text(name)
            read.append(key)
        self._sums.delete_all(read)
        self.drops = self._events.lost()
        lasted, self._since_ns = now - self._since_ns, now
        yield (
            "sched_samples",
            [
                self._row(now, lasted, pid, known.get(pid), before, delay)
                for (pid, before), delay in sorted(delays.items())
                if delay.total_ns >= _WORTH_NS
            ],
        )

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last sums."""
        yield from self.tick(ctx)
        self._events.close()

    @staticmethod
    def _row(now: int, lasted: int, pid: int, rank: int | None, before: int, delay: _Delay) -> Row:
        return {
            "ts_mono_ns": now,
            "pid": pid,
            "rank": rank,
            "count": delay.count,
            "total_ns": delay.total_ns,
            "max_ns": delay.max_ns,
            "prev_state": _STATES[before],
            "preemptor_pid": delay.by_pid or None,
            "preemptor": delay.by_name,
            "preemptor_ns": delay.by_ns or None,
            "duration_ns": lasted,
        }
