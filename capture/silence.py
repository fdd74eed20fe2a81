"""When output last came, and how long a silence must last to be worth a look: judged by the job's own cadence.

Output is seen by the size of the raw logs, once a second: whoever prints faster is simply busy. A line that is printed
by a timer, whatever the training does, hides a stall from this; the stacks at the end are then all there is.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

LEAST_S: Final = 60
"""Shorter silences happen in healthy jobs: saving, evaluating, compiling (as in verdicts: stall.least_silence)."""
FACTOR: Final = 3
"""A silence this many times the job's own 99th percentile gap is unusual. A verdict asks for ten usual steps; here a
look in vain costs milliseconds, and one that comes after the watchdog's ten minutes sees nothing."""
MOST_S: Final = 420
"""The longest wait: torch ends a job whose NCCL watchdog hangs after 480 s, and one whose collective does not complete
after 600 s; the second look comes ten seconds after the first."""
FIRST_S: Final = 300
"""Before there is a cadence: loading and compiling a model is silent for minutes."""
KNOWN_GAPS: Final = 10
"""Gaps from which a cadence is told."""
_GROWTH: Final = 2
"""After a look the next one comes when the silence has lasted this many times as long."""


class Silence:
    """One job's output over time. Moments are seconds on the monotonic clock.

    Attributes:
        heard_s: When output came last, or when the watch began.
    """

    def __init__(self, began_s: float) -> None:
        self.heard_s = began_s
        self._gaps: Counter[int] = Counter()
        self._printed = False
        self._longest_in_vain = 0.0
        self._looked_at = 0.0

    def heard(self, now_s: float) -> None:
        """Output came."""
        gap = now_s - self.heard_s
        if self._printed:
            self._gaps[max(1, round(gap))] += 1
        if self._looked_at:  # it was no stall: the next silence must be twice as long as the one that misled us
            self._longest_in_vain = max(self._longest_in_vain, gap)
        self._printed, self.heard_s, self._looked_at = True, now_s, 0.0

    def elsewhere(self, now_s: float) -> None:
        """Output came from another task of the job: it goes on, at a cadence that we do not know."""
        self.heard_s, self._looked_at = now_s, 0.0

    @property
    def usual_s(self) -> int | None:
        """The 99th percentile of gaps between output, in seconds; None until there are enough."""
        gaps = self._gaps.total()
        if gaps < KNOWN_GAPS:
            return None
        left = math.ceil(gaps * 0.99)
        for gap, count in sorted(self._gaps.items()):
            left -= count
            if left <= 0:
                return gap
        raise AssertionError("the gaps do not add up")

    @property
    def limit_s(self) -> float:
        """How long a silence must last until it is worth a look, in seconds."""
        usual = self.usual_s
        limit = FIRST_S if usual is None else max(LEAST_S, min(FACTOR * usual, MOST_S))
        return max(limit, _GROWTH * self._longest_in_vain, _GROWTH * self._looked_at)

    def due(self, now_s: float) -> bool:
        """Whether the job has been silent for so long that it is worth a look."""
        return now_s - self.heard_s >= self.limit_s

    def near(self, now_s: float) -> bool:
        """Whether half of that has passed, so that others should be listened to."""
        return now_s - self.heard_s >= self.limit_s / 2

    def looked(self, now_s: float) -> None:
        """A look was taken; the next one waits until the silence has doubled."""
        self._looked_at = now_s - self.heard_s
