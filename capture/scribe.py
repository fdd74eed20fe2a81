"""Writes down what the wrapper's parent saw, without the parent ever waiting for a disk.

A hung disk (a dead NFS server, a frozen file system) blocks whoever writes to it, and a process with a thread blocked
there cannot even end. So the parent writes nothing once the job runs: it keeps its events in memory and forks a
short-lived process that writes and syncs those that wait. One at a time, so that they stay in order. The parent knows
what is whole in the file, because only a process that ended with success counts; what one that was killed has left
behind is cut off by the next, which writes the same events again.
"""

from __future__ import annotations

import os
import select

from inquest.bundle.frames import FRAME_OVERHEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from inquest.bundle.frames import FrameWriter

MOST_WAITING: Final = 4096
"""Events kept in memory while the disk hangs; later ones are lost, and counted."""


class Scribe:
    """The writing process, and the events that wait for it.

    Attributes:
        pid: The process, or -1 while there is none.
        lost: Events that were not kept: too many waited, or the file was closed.
    """

    __slots__ = (
        "_closed",
        "_closing",
        "_frames",
        "_in_hand",
        "_prepare",
        "_size",
        "_waiting",
        "_writer",
        "lost",
        "pid",
    )

    def __init__(self, writer: FrameWriter, prepare: Callable[[set[int]], None]) -> None:
        """Take over ``writer``; ``prepare`` is called in each new process with the descriptors that alone it keeps."""
        self.pid = -1
        self.lost = 0
        self._writer = writer
        self._prepare = prepare
        self._waiting: list[bytes] = []
        self._in_hand = 0  # how many of them the process writes
        self._frames = writer.frames
        self._size = writer.size
        self._closing = self._closed = False

    @property
    def idle(self) -> bool:
        """Whether no process is at work: everything told so far is on disk, or was refused by it."""
        return self.pid < 0

    def tell(self, event: bytes) -> None:
        """Have an event written; returns at once."""
        if self._closing or len(self._waiting) >= MOST_WAITING:
            self.lost += 1
            return
        self._waiting.append(event)
        self._start()

    def close(self) -> None:
        """Have the end mark written behind all events; nothing may be told after it."""
        self._closing = True
        self._start()

    def ended(self, status: int) -> None:
        """Act on the end of the process, which the caller has reaped with this wait status."""
        self.pid = -1
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            written = self._waiting[: self._in_hand]
            del self._waiting[: self._in_hand]
            self._frames += len(written)
            self._size += sum(FRAME_OVERHEAD + len(event) for event in written)
            if self._closed or not (self._waiting or self._closing):
                return
        else:
            self._closed = False
            if code > 0:  # a full disk: with the next event it is tried again
                return
        self._start()

    def leave(self) -> None:
        """Close without waiting, before the caller ends: the last process takes its turn after the one at work.

        That one may hang with its disk. Whether it succeeded cannot be known then, and need not: its successor writes
        the same events again from where the file was last known to be whole.
        """
        self._closing = True
        if self.pid < 0:
            self._start()
            return
        if self._closed and self._in_hand == len(self._waiting):
            return
        try:
            before = os.pidfd_open(self.pid)
        except OSError:  # it has just ended, or a kernel before 5.3
            return
        self.pid = -1
        self._start(before)
        os.close(before)

    def _start(self, after: int | None = None) -> None:
        """Fork the writing process; with ``after``, a pidfd, it begins when that process has ended."""
        if self.pid >= 0:
            return
        self._in_hand = len(self._waiting)
        self._closed = self._closing  # if it succeeds
        try:
            self.pid = os.fork()
        except OSError:  # too many processes: with the next event it is tried again
            self._closed = False
            return
        if self.pid == 0:
            code = 1
            try:
                self._prepare({self._writer.fileno()} | ({after} if after is not None else set()))
                if after is not None:
                    select.select([after], [], [])
                self._writer.resume(self._frames, self._size)
                for event in self._waiting:
                    self._writer.append(event)
                if self._closing:
                    self._writer.close()
                else:
                    self._writer.sync()
                code = 0
            finally:
                os._exit(code)
