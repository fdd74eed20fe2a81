"""What the agent's launcher has started before there was a Python to run, told in one word."""

from __future__ import annotations

import os


class Launched:
    """The word, read: `hand_over` of packaging/launcher/launcher.c.

    Attributes:
        child: The job.
        exec_errno: Why it could not be executed, or None.
        began_ns: When it began (monotonic).
        life: The pipe whose end tells the guards that we are gone.
        channels: Arguments of a `pump.Channel` and the pid of its pump, each.
        guards: Pids of guards, and the signals that each has told of.
    """

    __slots__ = ("began_ns", "channels", "child", "exec_errno", "guards", "life")

    def __init__(self, word: str) -> None:
        numbers = iter(map(int, word.split(",")))
        self.child, failure, self.began_ns = next(numbers), next(numbers), next(numbers)
        self.exec_errno = None if failure < 0 else failure
        self.life = next(numbers), next(numbers)
        self.channels = [tuple(next(numbers) for _ in range(7)) for _ in range(next(numbers))]
        self.guards = list(zip(numbers, numbers, strict=True))
        for fd in (*self.life, *(fd for channel in self.channels for fd in channel[1:6])):
            if fd > 2:
                os.set_inheritable(fd, False)
