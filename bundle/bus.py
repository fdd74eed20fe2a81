"""A bundle that is cut short while it is mapped: one sentence instead of a silent death.

The kernel sends SIGBUS to whoever touches a page of a mapped file behind its new end. Python's own handlers cannot
help: they run after the instruction that faulted, and it never ends. A C callback runs at once, and the fault only ever
lies in our reading of mapped bytes, so a line on standard error and an exit are safe there. A bundle that has to
survive such things cannot be mapped, and copying each would cost more than all else that is done with it.
"""

from __future__ import annotations

import os
import signal
from typing import Final

_kept: Final[list[object]] = []
"""The handler: the C library has only its address."""


def end_with(said: bytes, status: int, descriptor: int = 2) -> None:
    """From now on SIGBUS writes ``said`` to ``descriptor`` and ends the process with ``status``.

    For programs only, not for libraries: it holds for the whole process.
    """
    import ctypes  # here, as a library that never calls this needs none of it

    def handler(_: int) -> None:
        try:
            os.write(descriptor, said)
        finally:
            os._exit(status)  # to return would be to fault again, for ever

    _kept[:] = [ctypes.CFUNCTYPE(None, ctypes.c_int)(handler)]
    ctypes.CDLL(None).signal(int(signal.SIGBUS), _kept[0])
