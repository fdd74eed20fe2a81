"""Calls of CUDA by the job's processes: how many, how long, how many bytes which way, and which failed.

Added up in the kernel by programs on the functions themselves (capture/ebpf), so nothing is sampled and nothing of the
job is changed. Launches are counted only, and no longer where they come so often that even this costs too much.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Denied, Row
from inquest.capture.ebpf import session
from inquest.capture.ebpf.calls import CudaCalls as Probes
from inquest.capture.ebpf.calls import described
from inquest.capture.ebpf.functions import FUNCTIONS, Direction, What
from inquest.capture.ebpf.inflight import InFlight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.capture.ebpf.calls import Sum, SumKey

MOST_COST: Final = 0.01
"""Share of a thread's time that counting its launches may cost."""
_TOO_OFTEN: Final = 3
"""Ticks in a row above that before launches are no longer counted: a burst is no reason."""
_DIRECTIONS: Final[dict[int, str]] = {
    Direction.H2H: "h2h",
    Direction.H2D: "h2d",
    Direction.D2H: "d2h",
    Direction.D2D: "d2d",
}
_NOTHING: Final = (0,) * 32


class CudaCalls(Collector):
    """A row for each process, function, direction and result that had calls since the last tick."""

    name = "cuda_calls"
    tables = ("cuda_calls", "inflight_calls")
    requires = "eBPF: root, or CAP_BPF and CAP_PERFMON; Linux 5.15 or later"
    budget = Budget(seconds=30.0, bytes=1 << 20)

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Try the probes on a process of our own, then load them."""
        self._session = session.shared()
        self._costs = self._session.costs()
        try:
            self._probes = Probes(self._session)
        except PermissionError as error:
            raise Denied(f"eBPF is off: {error.strerror}") from error
        self._in_flight = InFlight(self._probes)
        self._before: dict[SumKey, Sum] = {}
        self._ranks: dict[int, int | None] = {}
        self._read_ns = time.monotonic_ns()
        self._too_often = 0
        self._stopped = ""
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """What was called since the last tick."""
        self._ranks |= {pid: member.rank for pid, member in ctx.members.items()}
        self._session.follow(ctx.members)
        self._session.libraries.look(ctx.members.values())
        self._probes.attach()
        yield "cuda_calls", list(self._rows())
        yield "inflight_calls", list(self._in_flight.rows(self._ranks))
        self.drops = self._probes.drops()
        self.note = described(self._session, self._probes, self._costs, self._stopped)

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last sums, and every call that never returned."""
        yield from self.tick(ctx)
        yield "inflight_calls", list(self._in_flight.rows(self._ranks, last=True))

    def _rows(self) -> Iterator[Row]:
        now = time.monotonic_ns()
        since, self._read_ns = now - self._read_ns, now
        launches: dict[int, float] = {}
        for key, total in self._probes.sums():
            before = self._before.get(key)
            self._before[key] = total
            calls = total.calls - (before.calls if before else 0)
            if calls:
                yield self._row(key, total, before, now, since)
            elif proc.stat(key.pid) is None:
                self._probes.forget(key)
                del self._before[key]
            function = FUNCTIONS[key.number]
            if function.what is What.LAUNCH:
                cost = self._costs.stepped_ns if self._probes.is_stepped(function) else self._costs.counted_ns
                launches[key.pid] = launches.get(key.pid, 0.0) + calls * cost
        self._watch_cost(max(launches.values(), default=0.0) / max(1, since))

    def _row(self, key: SumKey, total: Sum, before: Sum | None, now: int, since: int) -> Row:
        function = FUNCTIONS[key.number]
        row: dict[str, Any] = {
            "ts_mono_ns": now,
            "pid": key.pid,
            "rank": self._ranks.get(key.pid),
            "api": function.name,
            "duration_ns": since,
            "count": total.calls - (before.calls if before else 0),
        }
        if function.what is What.LAUNCH:
            return row
        told = before.histogram if before else _NOTHING
        histogram = [now_ - then for now_, then in zip(total.histogram, told, strict=True)]
        while histogram and not histogram[-1]:
            histogram.pop()
        return row | {
            "total_ns": total.ns - (before.ns if before else 0),
            "max_ns": total.max_ns,
            "histogram": ",".join(map(str, histogram)),
            "bytes": total.bytes - (before.bytes if before else 0) if function.bytes_arg else None,
            "failures": row["count"] if key.result else 0,
            "direction": _DIRECTIONS.get(key.direction),
            "return_code": key.result,
        }

    def _watch_cost(self, share: float) -> None:
        """Stop counting launches where that takes more of a process's time than it may."""
        self._too_often = self._too_often + 1 if share > MOST_COST else 0
        if self._too_often >= _TOO_OFTEN and self._probes.counts_launches:
            self._probes.stop_counting_launches()
            self._stopped = f"launches no longer counted: that took {100 * share:.1f} % of a process's time"
