"""Calls of CUDA by the job's processes: how many, how long, how many bytes which way, and which failed.

Added up in the kernel by programs on the functions themselves (capture/ebpf): nothing of the job is changed. Launches
are counted only, and at the driver only once it is seen that the runtime's end there. Where they come so often that
even this costs too much, they are counted in turns: a tick, and a rest, which is a row without a count. Where other
calls do, their probes come off, costliest first. The recording says both.
"""

from __future__ import annotations

import math
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

MOST_COST: Final = 0.0025
"""Share of one thread's time that probes may cost a process: a quarter of what recording may take of a job. The rest
is the recorder's, should the job be one rank with one thread."""
_TOO_OFTEN: Final = 3
"""Ticks in a row above that before anything is done: a burst is no reason."""
_SHORTEST_REST: Final = 4
_LONGEST_REST: Final = 59
"""Ticks. Probes that come and go take some CPU time themselves; and once a minute is the least that shows a change."""
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
        self._in_turns = False
        self._rest = 0
        self._resting_since: int | None = None

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
        resting = self._resting_since is not None
        rows = []
        for key, total in sums.items():
            before = self._before.get(key)
            calls = total.calls - (before.calls if before else 0)
            if calls and not (resting and _is_launch(key)):  # a few more came before the probes were off
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
        if self._resting_since is not None:
            self._rest -= 1
            if last or self._rest <= 0 or not self.probes.resting:
                rows += self._rested(self._resting_since, now, gone)
        self._watch_cost(max(spent_ns.values(), key=Counter.total, default=Counter()), since, now)
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

    def _watch_cost(self, spent_ns: Counter[Group], since: int, now: int) -> None:
        """Have launches counted in turns, or take off what costs most, where probes take more than they may.

        Args:
            spent_ns: What probes took of the busiest process's time since the last tick.
            since: How long ago that was, in ns.
            now: On the monotonic clock, in ns.
        """
        shares = {group: ns / max(1, since) for group, ns in spent_ns.items()}
        calls = {group: share for group, share in shares.items() if not group.launch}
        launches = sum(shares.values()) - sum(calls.values())
        share = sum(calls.values()) + (0 if self._in_turns else launches)
        self._too_often = self._too_often + 1 if share > MOST_COST else 0
        if self._too_often >= _TOO_OFTEN:
            if launches and not self._in_turns and self.probes.may_rest:
                self._in_turns = True
                self._say(f"launches counted in turns since {_when()}", share)
            elif calls:
                group = max(calls, key=calls.__getitem__)
                self.probes.leave_alone(group)
                self._say(f"{group.words()} no longer counted since {_when()}", share)
        if self._in_turns and self._resting_since is None:
            ticks = math.ceil(launches / max(MOST_COST - sum(calls.values()), MOST_COST / 10))
            if ticks > 1:
                self._rest = min(max(ticks - 1, _SHORTEST_REST), _LONGEST_REST)
                self._resting_since = now
                self.probes.rest()

    def _rested(self, since_ns: int, now: int, gone: set[int]) -> list[Row]:
        """Count launches again; a row without a count for each process and function that had some."""
        self._resting_since = None
        if self.probes.resting:
            self.probes.resume()
        return [
            {
                "ts_mono_ns": now,
                "pid": key.pid,
                "rank": self.ranks.get(key.pid),
                "api": FUNCTIONS[key.number].name,
                "duration_ns": now - since_ns,
            }
            for key in self._before
            if _is_launch(key) and key.pid not in gone
        ]

    def _say(self, what: str, share: float) -> None:
        self._too_often = 0
        said = f"{what} UTC by the node's clock: probes took {100 * share:.1f} % of a process's time"
        self.trouble = f"{self.trouble}; {said}" if self.trouble else said
        self.truncated = True


def _is_launch(key: SumKey) -> bool:
    return FUNCTIONS[key.number].what is What.LAUNCH


def _when() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
