"""The channels of the job's output, and the pumps that serve them, as the wrapper's parent keeps them.

The parent holds every end of every pipe, so a pump can be killed at any time: its successor goes on where it stood
(inquest.capture.pump).
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import time

from inquest.capture import pump
from inquest.capture.forked import Suppressed, call_ourselves, close_all_but

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterable, Iterator
    from typing import Final

    from inquest.bundle.frames import FrameWriter
else:
    import _signal as signal  # the same functions, without the enumerations that cost milliseconds

_PLAIN_AFTER: Final = 3
"""Unexpected exceptions of a pump after which its successors only pass on."""
DEV_NULL: Final = os.makedev(1, 3)
_STDOUT, _STDERR, _PTY = range(3)  # rawlog.STREAMS


class Channels:
    """The channels of one job, and the living pump of each."""

    __slots__ = ("_all", "_failures", "_first_part", "_note", "_pumps", "_recording")

    def __init__(self, note: Callable[[str], None]) -> None:
        """None yet; ``note`` writes down what became of a pump."""
        self._note = note
        self._all: list[pump.Channel] = []
        self._pumps: dict[int, pump.Channel] = {}
        self._failures: dict[pump.Channel, int] = {}
        self._recording: pump.Recording | None = None
        self._first_part: FrameWriter | None = None

    def record(self, recording: pump.Recording, first_part: FrameWriter) -> None:
        """Have pumps that are started from now on record, the first of them into a part that is open already."""
        self._recording, self._first_part = recording, first_part

    def lay(self, closed: set[int]) -> tuple[dict[int, int], list[int]]:
        """Make a channel for each destination; what replaces 1 and 2 in the job, and which ends are the job's only.

        Raises:
            OSError: There are too many files, or too little memory.
        """
        replaced: dict[int, int] = {}
        ends: list[int] = []
        places: dict[tuple[int, int], int] = {}
        for fd in (1, 2):
            seen = None if fd in closed else os.fstat(fd)
            terminal = seen is not None and os.isatty(fd)
            if seen is None or not (terminal or _takes_a_pipe(fd, seen)):
                continue
            place = (seen.st_dev, seen.st_ino)
            if place in places and seen.st_rdev != DEV_NULL:
                replaced[fd] = places[place]  # 2>&1: one channel, or the order of the lines would be lost
                continue
            if terminal:
                from inquest.capture import pty

                source, end = pty.open_like(fd)
                taken = any(channel.stream == _PTY for channel in self._all)
                stream = _STDERR if taken else _PTY
            else:
                source, end = pump.wide_pipe()
                stream = _STDOUT if fd == 1 else _STDERR
            places[place] = replaced[fd] = end
            ends.append(end)
            self._all.append(pump.Channel(stream, source, fd, mmap.mmap(-1, 8 * pump.SLOTS)))
        return replaced, ends

    def take_over(self, begun: Iterable[tuple[int, ...]]) -> None:
        """Go on with the launcher's; its pumps die as any pump may.

        Raises:
            OSError: There is too little memory.
        """
        for stream, source, sink, hold_read, hold_write, memory, pid in begun:
            state = mmap.mmap(memory, 0)
            os.close(memory)
            if source < 0:  # its pump has seen the end; what it kept is still to be recorded
                source, end = os.pipe()
                os.close(end)
            channel = pump.Channel(stream, source, sink, state, (hold_read, hold_write))
            if pid > 0:
                os.kill(pid, signal.SIGKILL)
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
                channel.bury(pid)
                os.waitpid(pid, 0)
            channel.state[pump.ENDED] = channel.state[pump.APART] = 0
            self._all.append(channel)

    def start(self) -> None:
        """Start a pump for each.

        Raises:
            OSError: There are too many processes, or too little memory.
        """
        if self._recording is not None:
            self._recording.budget //= max(1, len(self._all))
        for number, channel in enumerate(self._all):
            self._start_pump(channel, self._first_part if number == 0 else None)

    def _start_pump(self, channel: pump.Channel, part: FrameWriter | None) -> None:
        plain = self._failures.get(channel, 0) >= _PLAIN_AFTER
        pid = os.fork()
        if pid == 0:
            call_ourselves(b"inquest-pump")
            keep = {channel.source, channel.sink, channel.hold_read, channel.hold_write}
            if part is not None:
                keep.add(part.fileno())
            close_all_but(keep)
            channel.state[pump.APART] = 1
            if plain:
                pump.serve_plainly(channel)
            pump.serve(channel, self._recording, part)
        self._pumps[pid] = channel

    # --- while it runs --------------------------------------------------------------------------------------------

    def served_by(self, pid: int) -> bool:
        """Whether this child is a pump."""
        return pid in self._pumps

    def reap(self, pid: int) -> None:
        """Look at a dead pump before it is gone, and replace it unless it was done."""
        channel = self._pumps.pop(pid)
        channel.bury(pid)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code in (pump.DONE, pump.BROKEN):
            os.close(channel.source)  # with BROKEN this is what the job meets as SIGPIPE
            channel.source = -1
            if code == pump.BROKEN:
                reason = os.strerror(channel.state[pump.ERRNO] or errno.EPIPE)
                self._note(f"the reader of {_name(channel)} went away: {reason}")
            return
        if code >= 0:
            self._failures[channel] = self._failures.get(channel, 0) + 1
            time.sleep(0.01 * self._failures[channel])
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        self._start_pump(channel, None)
        self._note(f"the pump of {_name(channel)} ended by {how} and was replaced")

    def resize(self, child: int) -> None:
        """Hand a new window size on, and tell the job, which may have asked for the size before we knew."""
        from inquest.capture import pty

        for channel in self._all:
            if channel.source >= 0 and os.isatty(channel.sink):
                with Suppressed():
                    pty.resize(channel.source, channel.sink)
                    os.kill(child, signal.SIGWINCH)

    # --- end ------------------------------------------------------------------------------------------------------

    def drained(self) -> bool:
        """Whether everything printed so far has been delivered."""
        return all(channel.drained() for channel in self._all)

    def closed(self) -> bool:
        """Whether no pump is left."""
        return not self._pumps

    def apart(self) -> bool:
        """Whether every pump that is left has let go of what it was forked with."""
        return all(channel.state[pump.APART] for channel in self._pumps.values())

    def ending(self) -> bool:
        """Whether a pump is about to end, or still writes its log; others wait for descendants of the job."""
        return any(channel.at_end() for channel in self._pumps.values())

    def losses(self) -> Iterator[str]:
        """What could not be delivered, in words."""
        for channel in self._all:
            if channel.state[pump.DROPPED]:
                reason = os.strerror(channel.state[pump.ERRNO])
                yield f"{channel.state[pump.DROPPED]} bytes of {_name(channel)} could not be written: {reason}"

    def printed(self) -> dict[str, int]:
        """How many bytes came through each, by its stream."""
        return {str(channel.stream): channel.state[pump.TAKEN] for channel in self._all}


def _takes_a_pipe(fd: int, seen: os.stat_result) -> bool:
    """Whether the job may get a pipe in place of this: not for a device such as /dev/full, nor what is not writable."""
    import fcntl

    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        return False
    return not stat.S_ISCHR(seen.st_mode) or seen.st_rdev == DEV_NULL


def _name(channel: pump.Channel) -> str:
    return ("stdout", "stderr", "the terminal")[channel.stream]
