"""One command that answers a question, run beside us and looked at now and then: it is never waited for.

Its output is held in memory files of bounded size, so that no disk and no directory of the job's is needed. It belongs
to nobody's terminal or process group, and is ended where it takes too long.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOOK_S: Final = 0.005
_COMPLAINT_BYTES: Final = 65536


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a command.

    Attributes:
        status: as `subprocess.Popen.returncode`; None where it was ended because its time was over.
        output: its standard output, cut after the last whole line where it was too long.
        complaint: the beginning of its standard error.
        seconds: how long it ran.
        cut: whether there was more output than it was allowed.
    """

    status: int | None
    output: bytes
    complaint: bytes
    seconds: float
    cut: bool


class Asking:
    """A command that has been started.

    Args:
        arguments: The command line; no shell reads it.
        environ: Its environment.
        limit_s: Seconds after which it is ended.
        limit_bytes: Most that it may print.

    Raises:
        OSError: It could not be started.
    """

    def __init__(
        self, arguments: Sequence[str], environ: Mapping[str, str], *, limit_s: float, limit_bytes: int
    ) -> None:
        self._limit_bytes = limit_bytes
        self._limit_s = limit_s
        self._out = _bounded_file("inquest-answer", limit_bytes + 1)
        self._err = _bounded_file("inquest-complaint", _COMPLAINT_BYTES)
        try:
            self._child = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=self._out,
                stderr=self._err,
                env=dict(environ),
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            self._close()
            raise
        self._began = time.monotonic()

    def reply(self, wait_s: float = 0.0) -> Reply | None:
        """What became of it; None while it runs. Waits for at most ``wait_s``."""
        until = time.monotonic() + wait_s
        while (status := self._child.poll()) is None:
            now = time.monotonic()
            if now - self._began >= self._limit_s:
                self._kill()
                return self._read(None)
            if now >= until:
                return None
            time.sleep(_LOOK_S)
        return self._read(status)

    def give_up(self) -> None:
        """End it and forget what it said."""
        self._kill()
        self._close()

    def _kill(self) -> None:
        """End it and what it started: it leads a process group of its own."""
        os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def _read(self, status: int | None) -> Reply:
        seconds = time.monotonic() - self._began
        # What it has written ends where the offset stands that we share with it.
        output = os.pread(self._out, os.lseek(self._out, 0, os.SEEK_CUR), 0)
        complaint = os.pread(self._err, min(4096, os.lseek(self._err, 0, os.SEEK_CUR)), 0)
        cut = len(output) > self._limit_bytes
        if cut:
            output = output[: output.rfind(b"\n", 0, self._limit_bytes) + 1]
        self._close()
        return Reply(status, output, complaint, seconds, cut)

    def _close(self) -> None:
        os.close(self._out)
        os.close(self._err)


def _bounded_file(name: str, least: int) -> int:
    """A file in memory that takes ``least`` bytes or a little more, whoever writes: a seal binds descendants too."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, -(-least // mmap.PAGESIZE) * mmap.PAGESIZE)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return fd
