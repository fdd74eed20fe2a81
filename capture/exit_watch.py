"""How processes that are not our children end: seen through their pidfds.

A pidfd becomes readable the moment its process ends. Its wait status is then read from the pidfd itself (Linux 6.15
and later keep it there after the parent has reaped), else from the zombie in /proc, if it has not been reaped yet;
else the end is known and the status is not. Both ways need the same user or CAP_SYS_PTRACE.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Final

from inquest.capture import proc

MOST_WATCHED: Final = 1024
"""Each takes a file descriptor; beyond this the process list alone says that a process has gone."""

# struct pidfd_info of linux/pidfd.h: mask, cgroupid, then 32-bit pid, tgid, ppid, 8 credentials, exit_code.
_INFO: Final = struct.Struct("=QQ11Ii")
_GET_INFO: Final = (3 << 30) | (_INFO.size << 16) | (0xFF << 8) | 11
_INFO_EXIT: Final = 1 << 3


@dataclass(frozen=True, slots=True)
class Exit:
    """One ended process; ``status`` as wait(2) gives it, null when nobody could read it any more."""

    pid: int
    mono_ns: int
    status: int | None


class ExitWatch:
    """Watches pids from a thread of its own, so that a zombie is met before its parent reaps it."""

    def __init__(self) -> None:
        self._fds: dict[int, int] = {}
        self._ended: deque[Exit] = deque()
        self._epoll = select.epoll()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="exit-watch", daemon=True)
        self._thread.start()

    def add(self, pid: int) -> bool:
        """Watch ``pid``; False when it is gone, or when there are too many."""
        if len(self._fds) >= MOST_WATCHED:
            return False
        try:
            fd = os.pidfd_open(pid)
        except OSError:
            return False
        with self._lock:
            self._fds[fd] = pid
            self._epoll.register(fd, select.EPOLLIN)
        return True

    def ended(self) -> list[Exit]:
        """Ends since the last call, also those of this moment: whoever is gone from /proc is among them."""
        self._take_ready()
        found = []
        while self._ended:
            found.append(self._ended.popleft())
        return found

    def _run(self) -> None:
        while True:
            try:
                self._epoll.poll()
            except (OSError, ValueError):
                return
            self._take_ready()

    def _take_ready(self) -> None:
        # Asked again under the lock: a descriptor that the other thread has closed may bear another process's end.
        with self._lock:
            for fd, _ in self._epoll.poll(0):
                pid = self._fds.pop(fd)
                self._ended.append(Exit(pid, time.monotonic_ns(), _status(fd, pid)))
                with contextlib.suppress(OSError):
                    self._epoll.unregister(fd)
                os.close(fd)


def _status(fd: int, pid: int) -> int | None:
    status = _kept_status(fd)
    if status is None:
        status = _zombie_status(pid)
    # Reaped between the two looks: by now the kernel has kept it, where it does so at all.
    return _kept_status(fd) if status is None else status


def _kept_status(fd: int) -> int | None:
    """The status the kernel keeps with the pidfd once the process is reaped."""
    info = bytearray(_INFO.size)
    _INFO.pack_into(info, 0, _INFO_EXIT, *([0] * 13))
    try:
        fcntl.ioctl(fd, _GET_INFO, info)
    except OSError:
        return None
    mask, *_, status = _INFO.unpack(info)
    return int(status) if mask & _INFO_EXIT else None


def _zombie_status(pid: int) -> int | None:
    """The status a zombie shows; to other users the kernel shows 0, which would read as success."""
    seen = proc.stat(pid)
    if seen is None or seen.state not in "ZX":
        return None
    try:
        ours = os.stat(f"/proc/{pid}").st_uid == os.geteuid()  # noqa: PTH116
    except OSError:
        return None
    return seen.exit_status if ours or os.geteuid() == 0 else None
