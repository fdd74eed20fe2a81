"""One recorder a node samples what belongs to the node: whoever holds the seat.

The seat is an abstract Unix socket, so the kernel frees it the moment its holder dies, however it dies. Where such a
socket cannot be had, an flock on a node-local file stands in; a network file system is never used.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import socket
from pathlib import Path


class Seat:
    """The right to record node-wide tables for one user, job, step, node and output directory.

    The output directory is part of the name: recorders that write to different places each need the node's data.
    """

    def __init__(self, *, node: str, job: str | None, step: str | None, out: Path) -> None:
        name = "\0".join((str(os.getuid()), job or "", step or "", node, str(out.resolve())))
        self._key = hashlib.sha256(name.encode()).hexdigest()[:32]
        self._socket: socket.socket | None = None
        self._lock: int | None = None

    @property
    def held(self) -> bool:
        """Whether we hold it."""
        return self._socket is not None or self._lock is not None

    def take(self) -> bool:
        """Try to take the seat without waiting; True when it is ours, now or before."""
        if self.held:
            return True
        seat = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            seat.bind(f"\0inquest-{self._key}")
        except OSError as error:
            seat.close()
            return error.errno != errno.EADDRINUSE and self._take_lock()
        self._socket = seat
        return True

    def leave(self) -> None:
        """Free the seat for the next recorder."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> bool:
        directory = Path(f"/run/user/{os.getuid()}")
        if not os.access(directory, os.W_OK):
            directory = Path("/tmp")  # the name is ours alone: owner and type are checked below
        try:
            lock = os.open(
                directory / f"inquest-{self._key}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
        except OSError:
            return False
        try:
            if os.fstat(lock).st_uid != os.getuid():
                raise PermissionError
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return False
        self._lock = lock
        return True
