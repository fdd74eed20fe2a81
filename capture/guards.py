"""Which signals went to the job's whole process group, and so reached the job without its parent.

The job is in its parent's process group, so what is sent to the group (Ctrl-C, ``kill -- -PGID``) or to every process
of a step (scancel) reaches it without the parent, and what is sent to the parent's pid alone (``kill``, ``timeout``, a
batch system that knows one pid) must be passed on: each exactly once. Nothing in a signal says which it was. A guard
does: it is a process in the same group and cgroup that blocks all signals and does nothing, so a signal to all of them
is *pending* there, which /proc/PID/status shows without its help (it may be stopped or starved). A signal that is not
pending there within `_GROUP_WAIT_S` is passed on. A guard that was hit is succeeded by a fresh one.

Limits: the same sender that signals the group and then the parent's pid within `_SAME_GROUP_S` is taken to have
signalled the group once; the value of sigqueue(3) is not passed on; SIGSTOP to the parent's pid alone stops it and not
the job; the order of two different signals sent at once may change.
"""

from __future__ import annotations

import os
import select
import time

from inquest.capture.forked import Suppressed, call_ourselves, close_all_but

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Final
else:
    import _signal as signal  # the same functions, without the enumerations that cost milliseconds

_GROUP_WAIT_S: Final = (0.0, 0.001, 0.004, 0.01, 0.02, 0.04)
"""Pauses between looks at the guards: 75 ms in all, for a sender that walks the group process by process."""
_SAME_GROUP_S: Final = 0.1
_MOST_GUARDS: Final = 8


class _Guard:
    """One process; it can tell of each signal once."""

    __slots__ = ("pid", "since", "told")

    def __init__(self, pid: int, told: set[int]) -> None:
        self.pid = pid
        self.since = time.monotonic()
        self.told = told


class Guards:
    """The guards of one job, the freshest last."""

    __slots__ = ("_group_signals", "_guards", "_life")

    def __init__(self, life: int) -> None:
        """Each guard ends when the pipe ``life`` hangs up, whose other end its parent alone holds."""
        self._life = life
        self._guards: list[_Guard] = []
        self._group_signals: dict[tuple[int, int], float] = {}

    def take_over(self, pid: int, told: int) -> None:
        """Go on with a guard that somebody else has forked, and the mask of signals that it has told of."""
        self._guards.append(_Guard(pid, {number for number in range(1, signal.NSIG) if told >> (number - 1) & 1}))

    def begin(self) -> None:
        """Fork the first one, unless some were taken over."""
        if not self._guards:
            self._start()

    def ended(self, pid: int) -> None:
        """Act on the end of a child of ours: where it was a guard, another takes its place."""
        if any(guard.pid == pid for guard in self._guards):
            self._guards = [guard for guard in self._guards if guard.pid != pid]
            self._start()

    def hit(self, number: int, sender: int) -> bool:
        """Whether a signal was sent to more than the parent's pid: see the module's text."""
        earlier = self._group_signals.get((number, sender))
        if earlier is not None and time.monotonic() - earlier < _SAME_GROUP_S:
            return True
        for pause in _GROUP_WAIT_S:
            time.sleep(pause)
            hit = [guard for guard in self._guards if number not in guard.told and _is_pending(guard.pid, number)]
            if hit:
                self._group_signals[number, sender] = time.monotonic()
                for guard in hit:
                    guard.told.add(number)
                self._start()
                return True
        return False

    def dismiss(self) -> None:
        """End them all: each ends when its parent does, but for one that somebody stopped."""
        for guard in self._guards:
            os.kill(guard.pid, signal.SIGKILL)

    def _start(self) -> None:
        """Fork a fresh guard. The one before it stays for a while: a signal sent meanwhile is pending only there."""
        pid = os.fork()
        if pid == 0:
            try:
                call_ourselves(b"inquest-guard")
                close_all_but({self._life})
                gone = select.poll()
                gone.register(self._life, 0)  # not for what is in it: it hangs up when the parent is gone
                gone.poll()
            finally:
                os._exit(0)
        fresh = _Guard(pid, set())
        self._guards.append(fresh)
        while len(self._guards) > 2 and (len(self._guards) > _MOST_GUARDS or fresh.since - self._guards[1].since > 1.0):
            with Suppressed():
                os.kill(self._guards.pop(0).pid, signal.SIGKILL)


def _is_pending(pid: int, number: int) -> bool:
    """Whether a signal waits in a process that blocks it."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith((b"SigPnd:", b"ShdPnd:")) and int(line.split()[1], 16) >> (number - 1) & 1:
                    return True
    except (OSError, ValueError):
        return False
    return False
