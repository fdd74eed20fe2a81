"""Ends a process the way its child ended, so that whoever waits for it cannot tell the difference."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Final, NoReturn
else:
    import _signal as signal  # the same functions, without the enumerations that cost milliseconds

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
OUR_FAILURE: Final = 125

# Signals whose default is a core file (signal(7)), by number because not every machine has a name for each.
_CORE: Final = frozenset((3, 4, 5, 6, 7, 8, 11, 24, 25, 31))
_PR_SET_DUMPABLE: Final = 4


def end_like(status: int) -> NoReturn:
    """End this process with a wait status: the same exit code, or death by the same signal.

    No core file is written for this process, so the job's own is never overwritten. Where a signal does not kill (as
    PID 1 of a container) the exit code is 128 + the signal, as a shell reports it.
    """
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    if number in _CORE:
        _forbid_core()
    if os.getpid() != 1:
        # 32 and 33 belong to the C library, which refuses to touch them: their disposition is the default anyway.
        if number in signal.valid_signals() and number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ())  # a point where a pending signal is acted on
    os._exit(128 + number)


def _forbid_core() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    try:
        import ctypes

        # A core_pattern that is a pipe ignores the limit; it does not ignore this.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return
