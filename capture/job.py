"""The user's command: the environment and the signals it is to find, and how to become it."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any
else:
    import _signal as signal  # the same functions, without the enumerations that cost milliseconds


class Job:
    """The command, as the caller would have started it."""

    def __init__(self, command: list[str], mask: set[Any], ignores_children: bool) -> None:
        """``mask`` holds the signals that the caller had blocked; SIGCHLD it may have ignored, and we cannot."""
        self.command = command
        self._mask = mask
        self._ignores_children = ignores_children
        self._environ = _environment()

    def become(self) -> OSError:
        """Execute the command in this process, with signals as the caller had them; returns only what went wrong."""
        # Python ignores these two and nobody can tell whether the caller did: as subprocess does, we think not.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        if self._ignores_children:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        try:
            os.execvpe(self.command[0], self.command, self._environ)
        except OSError as error:
            failure = error
        except ValueError:  # Python's word for an empty name
            failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        if failure.errno == errno.ENOEXEC:  # a script without "#!": execvp(3) and every shell hand it to sh
            import shutil

            path = shutil.which(self.command[0])
            if path is not None:
                try:
                    os.execve("/bin/sh", ["/bin/sh", path, *self.command[1:]], self._environ)
                except OSError as error:
                    failure = error
        return failure


def _environment() -> dict[str, str]:
    """Our environment as the caller gave it to us: without what starting Python has changed in it."""
    environ = dict(os.environ)
    if environ.get("LC_CTYPE") == "C.UTF-8":  # Python sets it in the C locale (PEP 538)
        try:
            with open("/proc/self/environ", "rb") as file:
                given = b"\0" + file.read()
        except OSError:
            given = b"\0LC_CTYPE="
        if b"\0LC_CTYPE=" not in given:
            del environ["LC_CTYPE"]
    if getattr(sys, "frozen", False):  # PyInstaller's bootloader
        library_path = environ.pop("LD_LIBRARY_PATH_ORIG", None)
        environ.pop("LD_LIBRARY_PATH", None)
        if library_path is not None:
            environ["LD_LIBRARY_PATH"] = library_path
        for name in [name for name in environ if name.startswith(("_PYI_", "_MEIPASS"))]:
            del environ[name]
    return environ
