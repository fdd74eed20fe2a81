"""What a process does first that the wrapper's parent has forked: its name, and what it lets go of."""

from __future__ import annotations

import os


class Suppressed:
    """Goes on after an OSError or ValueError (a closed record): contextlib, whose import costs more, made small."""

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> bool:
        return kind is not None and issubclass(kind, (OSError, ValueError))


def call_ourselves(name: bytes) -> None:
    """Set the name that ps shows for this process."""
    with Suppressed(), open("/proc/self/comm", "wb", buffering=0) as file:
        file.write(name)


def close_all_but(keep: set[int]) -> None:
    """Close every descriptor but these: a pipe of the job that one of ours holds would never end."""
    low = 0
    for fd in sorted(keep):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX") if low < 1 << 16 else low)
