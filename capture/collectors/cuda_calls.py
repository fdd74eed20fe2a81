"""Calls of CUDA by the job's processes: how many, how long, how many bytes which way, and which failed.

Added up in the kernel by programs on the functions themselves (capture/ebpf), so nothing is sampled and nothing of the
job is changed. Launches are counted only, and no longer where they come so often that even this costs too much.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from inquest.capture.ebpf import session
from inquest.capture.ebpf.call_collector import CallCollector
from inquest.capture.ebpf.calls import CudaCalls as Probes
from inquest.capture.ebpf.functions import FUNCTIONS, Direction, What

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.capture.collector import Batch, Row
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


class CudaCalls(CallCollector[Probes]):
    """A row for each process, function, direction and result that had calls since the last tick."""

    name = "cuda_calls"
    tables = ("cuda_calls", "inflight_calls")
    kind = Probes

    def __init__(self) -> None:
        super().__init__()
        self._before: dict[SumKey, Sum] = {}
        self._read_ns: int | None = None
        self._too_often = 0

    def known(self) -> set[int]:
        """Processes whose sums are in the kernel."""
        return {key.pid for key in self._before}

    def rows(self, *, last: bool) -> Iterable[Batch]:
        """What was added since the last time."""
        now = time.monotonic_ns()
        since, self._read_ns = now - (self._read_ns or self.stood_ns), now
        sums = dict(self.probes.sums())
        gone = session.ended({key.pid for key in sums})
        launch_ns: dict[int, int] = {}
        rows = []
        for key, total in sums.items():
            before = self._before.get(key)
            calls = total.calls - (before.calls if before else 0)
            if calls:
                rows.append(self._row(key, total, before, now, since))
            elif key.pid in gone:
                self.probes.forget(key)
            function = FUNCTIONS[key.number]
            if function.what is What.LAUNCH:
                cost = self.costs.stepped_ns if self.probes.is_stepped(function) else self.costs.counted_ns
                launch_ns[key.pid] = launch_ns.get(key.pid, 0) + calls * cost
        self._before = sums
        self._watch_cost(max(launch_ns.values(), default=0) / max(1, since))
        yield "cuda_calls", rows

    def _row(self, key: SumKey, total: Sum, before: Sum | None, now: int, since: int) -> Row:
        function = FUNCTIONS[key.number]
        row: dict[str, Any] = {
            "ts_mono_ns": now,
            "pid": key.pid,
            "rank": self.ranks.get(key.pid),
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
        if self._too_often >= _TOO_OFTEN and self.probes.counts_launches:
            self.probes.stop_counting_launches()
            self.trouble = f"launches no longer counted: that took {100 * share:.1f} % of a process's time"
