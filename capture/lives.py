"""What is known of the lives of the job's processes, and who reports each: shared by the collectors that see them.

The process collector looks once a second and sees whoever is there; the kernel's events tell how everybody ended, also
those that lived for milliseconds. Each process is reported by one of the two, never by both and never by none.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.capture.collector import Row
    from inquest.capture.exit_watch import Exit

Key = tuple[int, int]
"""Process id, and when it started in ticks since boot (field 22 of /proc/PID/stat): numbers come again."""
_MOST: Final = 16384
"""Beyond this, those that are over and reported are forgotten."""


@dataclass(slots=True)
class Life:
    """One process. ``identity`` holds columns of ``processes`` read when it called exec, at ``learned_ns``."""

    identity: Row = field(default_factory=dict)
    learned_ns: int = 0
    exit: Exit | None = None
    claimed: bool = False
    told: bool = False
    """A row says how it ended, or will."""
    closed: bool = False


class Lives:
    """The book. Safe to use from several threads."""

    def __init__(self) -> None:
        self.listening = False
        """Whether somebody hears the kernel's events, and calls `learn` and `end`."""
        self._lives: dict[Key, Life] = {}
        self._lock = threading.Lock()

    def claim(self, key: Key) -> bool:
        """The process collector has met a process and will report its end; False when that has been reported."""
        with self._lock:
            life = self._of(key)
            if life.closed:
                return False
            life.claimed = True
            return True

    def close(self, key: Key, *, status_known: bool, final: bool) -> Life | None:
        """The process collector reports an end now: what else is known of it.

        None, unless ``final``, where the status is not known and the kernel's event may tell it in a moment: then the
        end is still to be reported.
        """
        with self._lock:
            life = self._of(key)
            told = status_known or life.exit is not None
            if self.listening and not told and not final:
                return None
            life.closed, life.told = True, told
            return life

    def learn(self, key: Key, identity: Row, mono_ns: int) -> None:
        """A process has become another program."""
        with self._lock:
            life = self._of(key)
            life.identity, life.learned_ns = identity, mono_ns

    def identity(self, key: Key) -> Row:
        """What was read when it last called exec; empty when that was not seen."""
        with self._lock:
            life = self._lives.get(key)
            return {} if life is None else life.identity

    def end(self, key: Key, ended: Exit) -> Life | None:
        """The kernel says how a process ended; the life, when it is up to the caller to report it."""
        with self._lock:
            life = self._of(key)
            life.exit = ended
            if life.told or (life.claimed and not life.closed):
                return None
            life.told = life.closed = True
            return life

    def _of(self, key: Key) -> Life:
        life = self._lives.get(key)
        if life is None:
            if len(self._lives) >= _MOST:
                self._lives = {known: other for known, other in self._lives.items() if not other.closed}
            life = self._lives[key] = Life()
        return life
