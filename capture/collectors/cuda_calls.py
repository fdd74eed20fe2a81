"""Calls of CUDA by the job's processes: how many, how long, how many bytes which way, and which failed.

Added up in the kernel by programs on the functions themselves (capture/ebpf), so nothing is sampled and nothing of the
job is changed. Launches are counted only, and at the driver only once it is seen that the runtime's end there. Where
calls come so often that even this costs too much, the probes that cost most come off, and the recording says so.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from operator import sub
from typing import TYPE_CHECKING, Any, Final

from inquest.capture.ebpf import session
from inquest.capture.ebpf.call_collector import CallCollector
from inquest.capture.ebpf.calls import CudaCalls as Probes
from inquest.capture.ebpf.functions import FUNCTIONS, Direction, What

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.capture.collector import Batch, Row
    from inquest.capture.ebpf.calls import Group, Sum, SumKey

MOST_COST: Final = 0.005
"""Share of one thread's time that probes may cost a process: half of what recording may take of a job. The other half
is the recorder's, should the job be one rank with one thread."""
_TOO_OFTEN: Final = 3
"""Ticks in a row above that before probes come off: a burst is no reason."""
_DIRECTIONS: Final[dict[int, str]] = {
    Direction.H2H: "h2h",
    Direction.H2D: "h2d",
    Direction.D2H: "d2h",
    Direction.D2D: "d2d",
}
_NOTHING: Final = (0,) * 32
_EMPTY_TAIL: Final = re.compile(r"(?:^0)?(?:,0)*$")
"""Buckets at the end in which there is nothing."""


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
        since, self._read_ns = now - (self._read_ns or self.since_ns or now), now
        sums = dict(self.probes.sums())
        gone = session.ended({key.pid for key in sums})
        spent_ns: dict[int, Counter[Group]] = defaultdict(Counter)
        launched: Counter[int] = Counter()
        within: Counter[int] = Counter()
        rows = []
        for key, total in sums.items():
            before = self._before.get(key)
            calls = total.calls - (before.calls if before else 0)
            if calls:
                rows.append(self._row(key, total, before, now, since))
                group = self.probes.group_of(key.number)
                spent_ns[key.pid][group] += calls * group.cost_ns(self.costs)
                if group.runtime:
                    launched[key.pid] += calls
                elif group.launch:
                    within[key.pid] += total.bytes - (before.bytes if before else 0)
            elif key.pid in gone:
                self.probes.forget(key)
        self._before = sums
        self.probes.judge(launched, within)
        self._watch_cost(max(spent_ns.values(), key=Counter.total, default=Counter()), since)
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
        histogram = list(map(sub, total.histogram, before.histogram if before else _NOTHING))
        return row | {
            "total_ns": total.ns - (before.ns if before else 0),
            "max_ns": total.max_ns,
            "histogram": _EMPTY_TAIL.sub("", ",".join(map(str, histogram))),
            "bytes": total.bytes - (before.bytes if before else 0) if function.bytes_arg else None,
            "failures": row["count"] if key.result else 0,
            "direction": _DIRECTIONS.get(key.direction),
            "return_code": key.result,
        }

    def _watch_cost(self, spent_ns: Counter[Group], since: int) -> None:
        """Take off what costs most, where the probes take more of the busiest process's time than they may."""
        share = spent_ns.total() / max(1, since)
        self._too_often = self._too_often + 1 if share > MOST_COST else 0
        if self._too_often >= _TOO_OFTEN:
            self._too_often = 0
            (group, _), *_ = spent_ns.most_common(1)
            self.probes.leave_alone(group)
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
            took = f"probes took {100 * share:.1f} % of a process's time"
            said = f"{group.words()} no longer counted since {when} UTC by the node's clock: {took}"
            self.trouble = f"{self.trouble}; {said}" if self.trouble else said
            self.truncated = True
