"""Clock triples: one instant on the monotonic, wall and boot clocks, so that merge can align nodes.

How far the wall clock may be off is asked of the kernel with each, and once a minute of chrony where it runs.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import time
from typing import TYPE_CHECKING, Final

from inquest.capture.asking import Asking
from inquest.capture.collector import Batch, Budget, Collector, Context, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRIES: Final = 5
_TIME_ERROR: Final = 5
"""adjtimex(2) returns it while the kernel's clock is not synchronised: its error is then not known."""

_CHRONY_EVERY: Final = 6
"""Turns between two questions to chrony: each starts a process."""
_CHRONYC: Final = ("-c", "-n", "tracking")
"""In the form for programs, without looking up names; it talks to nobody but the daemon of this machine."""
_CHRONY_FIELDS: Final = 14
_OWN_CLOCK: Final = "7F7F0101"
"""Reference id of a chrony that follows nothing but its own clock: it then claims to be off by nothing."""
_ANSWERS_S: Final = 0.1
_ENDED_S: Final = 5.0


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


def chrony_error_us(answer: str) -> float | None:
    """Greatest error chrony admits the wall clock to have; null where it follows no other clock.

    Source: chronyc(1), tracking: an absolute bound is the offset of the system clock, the root dispersion and half the
    root delay; fields 5, 12 and 11 of what ``-c`` prints, in seconds.
    """
    fields = answer.strip().split(",")
    if len(fields) != _CHRONY_FIELDS or fields[0] == _OWN_CLOCK or fields[-1] == "Not synchronised":
        return None
    try:
        offset, delay, dispersion = float(fields[4]), float(fields[10]), float(fields[11])
    except ValueError:
        return None
    return round((abs(offset) + dispersion + delay / 2) * 1e6, 3)


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
        self._chronyc = shutil.which("chronyc")
        self._asking: Asking | None = None
        self._turns = 0
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """One triple."""
        yield "clock_samples", [{**triple(), "kernel_error_us": kernel_error_us(), "chrony_error_us": self._chrony()}]

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last triple; chrony is not asked again."""
        if self._asking is not None:
            self._asking.give_up()
        yield "clock_samples", [{**triple(), "kernel_error_us": kernel_error_us()}]

    def _chrony(self) -> float | None:
        """Chrony's word, where it is its turn and it answers at once: it is true of this moment."""
        self._turns += 1
        if self._asking is None and self._chronyc is not None and self._turns % _CHRONY_EVERY == 1:
            arguments = (self._chronyc, *_CHRONYC)
            self._asking = Asking(arguments, os.environ, limit_s=_ENDED_S, limit_bytes=1024)
        reply = None if self._asking is None else self._asking.reply(_ANSWERS_S)
        if reply is None:
            return None
        self._asking = None
        return chrony_error_us(reply.output.decode(errors="replace")) if reply.seconds <= 2 * _ANSWERS_S else None
