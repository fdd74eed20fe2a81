"""Who of the job's recorders asks the scheduler: one, and another when that one falls silent.

The recorders of a job may share their output directory or not; nothing else connects them. The one on the job's first
node begins. It says so in a small file, ``OUT/.peers/JOB.lease``, and touches the file as long as it lives. The others
look at the file: where they once saw it alive and then saw it rest or vanish, the next one in line takes over. Where
the directory is not shared they never see it, and never ask. Times of two nodes are never compared: a file is alive
when it changed between two of our own looks.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

BEAT_S: Final = 20.0
"""How often the holder touches the file, and the others look at it."""
SILENT_S: Final = 90.0
"""A holder that did not touch the file for so long is gone: some four beats, for a file system that is slow to tell."""
_IN_LINE_S: Final = 5.0
"""How much longer each further node waits before it takes over, so that one does and the others see it."""
_LAST_IN_LINE: Final = 60
_MOST_BYTES: Final = 65536


class Lease:
    """The right to ask, for one recorder.

    Args:
        path: The file; its directory exists, is ours, and may be written.
        who: Name of this recorder, unlike any other's.
        node: Name of its node.
        place: Place of its node in the job's list; 0 begins.

    ``state`` is what the holder leaves to its successor: any JSON object.
    """

    def __init__(self, path: Path | None, *, who: str, node: str, place: int) -> None:
        self._path = path
        self._about = {"who": who, "node": node, "pid": os.getpid()}
        self._place = place
        self._next_s = 0.0
        self._seen: tuple[Any, ...] | None = None
        self._changed_s = 0.0
        self.held = False
        self.state: dict[str, Any] = {}

    def hold(self) -> bool:
        """Whether we may ask now. Cheap: the file is looked at every `BEAT_S` only."""
        now = time.monotonic()
        if now >= self._next_s:
            self._next_s = now + BEAT_S
            if self.held:
                self._keep()
            elif self._may_take(now):
                self.held = True
                self._write()
        return self.held

    def note(self, state: dict[str, Any]) -> None:
        """Leave ``state`` to whoever comes after us."""
        if self.held and state != self.state:
            self.state = state
            self._write()

    def release(self) -> None:
        """Withdraw: the file stays, marked as left, so that a successor finds the state."""
        if self.held:
            self.held = False
            self._write(left=True)

    def _may_take(self, now: float) -> bool:
        """Whether nobody else asks, as far as we can tell."""
        if self._path is None:
            return self._place == 0
        told, stamp = self._read()
        if told is None:
            # Nobody has begun, or it was removed: on another node than the first, only who once saw it knows of it.
            return self._place == 0 or (self._seen is not None and self._rested(now, 0.0))
        if stamp != self._seen:
            self._seen, self._changed_s = stamp, now
        here = told.get("node") == self._about["node"] and not self._runs(told)
        if here or self._rested(now, 0.0 if told.get("left") else SILENT_S):
            state = told.get("state")
            self.state = state if isinstance(state, dict) else {}
            return True
        return False

    def _rested(self, now: float, silent_s: float) -> bool:
        """Whether the file has not changed for so long, and for our place in line."""
        return now - self._changed_s >= silent_s + _IN_LINE_S * min(self._place, _LAST_IN_LINE)

    def _runs(self, told: dict[str, Any]) -> bool:
        """Whether the process that holds it on our own node still runs, for all we know."""
        pid = told.get("pid")
        if told.get("left") or not isinstance(pid, int) or not 0 < pid < 1 << 31:
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return pid != os.getpid()

    def _keep(self) -> None:
        """Touch the file; who finds another's name in it has slept too long and steps back."""
        if self._path is None:
            return
        told, _ = self._read()
        if told is not None and told.get("who") != self._about["who"] and not told.get("left"):
            self.held = False
            return
        self._write()

    def _read(self) -> tuple[dict[str, Any] | None, tuple[Any, ...]]:
        assert self._path is not None
        try:
            with open(os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
                told = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None, ()
        if not isinstance(told, dict):
            return None, ()
        return told, (told.get("who"), told.get("beat"), told.get("left"))

    def _write(self, *, left: bool = False) -> None:
        if self._path is None:
            return
        told = self._about | {"beat": time.monotonic_ns(), "left": left, "state": self.state}
        new = self._path.with_name(f"{self._path.name}.{self._about['who']}")
        with contextlib.suppress(OSError):  # a directory that vanished costs the hand-over, not the recording
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            with open(os.open(new, flags, 0o600), "w", encoding="utf-8") as file:
                json.dump(told, file)
            new.replace(self._path)
