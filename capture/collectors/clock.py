"""Clock triples: one instant on the monotonic, wall and boot clocks, so that merge can align nodes."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING, Final

from inquest.capture.collector import Batch, Budget, Collector, Context, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRIES: Final = 5
_TIME_ERROR: Final = 5
"""adjtimex(2) returns it while the kernel's clock is not synchronised: its error is then not known."""


class _Timex(ctypes.Structure):
    """struct timex of adjtimex(2), up to what we read, padded to its size."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("rest", ctypes.c_char * 256),
    )


def kernel_error_us() -> float | None:
    """Greatest error the kernel admits its wall clock to have; null when it is not synchronised."""
    timex = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(timex))
    except (AttributeError, OSError):
        return None
    return None if state in (-1, _TIME_ERROR) else float(timex.maxerror)


def triple() -> Row:
    """The tightest of five readings of the three clocks."""
    best: Row = {}
    for _ in range(_TRIES):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        bound = (after - before + 1) // 2
        if not best or bound < best["read_bound_ns"]:
            best = {
                "ts_mono_ns": (before + after) // 2,
                "wall_ns": wall,
                "boottime_ns": boot,
                "read_bound_ns": bound,
            }
    return best


class Clock(Collector):
    """A triple at the start, every ten seconds, and at the end."""

    name = "clock"
    tables = ("clock_samples",)
    budget = Budget(seconds=3.0, bytes=4096)
    period = 10

    def start(self, ctx: Context) -> Iterable[Batch]:
        """First triple."""
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """One triple."""
        yield "clock_samples", [{**triple(), "kernel_error_us": kernel_error_us()}]
