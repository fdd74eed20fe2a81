"""Whether the job prints: the raw logs of this recording, and those of its other tasks and nodes under the same OUT.

Sizes and times are all that is read. Most ranks of a job never print; what the others print, on this node or on one
that shares the directory, says for them that the job goes on. Others are looked at only once our own output has fallen
silent. Whoever notices a stall calls the others by the time of one file, OUT/.stalls/JOB, so that all are looked at.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from typing import TYPE_CHECKING, Final

from inquest.bundle.nodedir import NODE_JSON

if TYPE_CHECKING:
    from pathlib import Path

MOST_OTHERS: Final = 64
"""Other recordings that are looked at, first by name: on a shared file system each look is a request to its server."""
_MOST_LISTED: Final = 4096
_IS_OUTPUT: Final = re.compile(r"log-.*\.raw|log_lines\..*\.journal").fullmatch
_INSTANT_NS: Final = 2_000_000_000
"""A directory that was written this long ago was listed after that: file systems count in up to two seconds."""


class Outputs:
    """Sizes of raw logs, and whether they change."""

    def __init__(self, capture_dir: Path) -> None:
        self._own = capture_dir
        self._seen = (0, 0)
        self._listed_ns = 0
        """When the directory had been written last as its output was listed; 0: it must be listed."""
        self._listed: list[Path] = []
        self._others: dict[str, tuple[int, int]] = {}
        self._job = _job_of(capture_dir)
        self._is_of_job: dict[str, bool] = {}
        name = "".join(char if char.isalnum() else "-" for char in self._job or "")[:100]
        self._bell = capture_dir.parent.parent / ".stalls" / name if name else None
        self._rung = self._rung_at()

    def grew(self) -> bool:
        """Whether output of our own task was recorded since the last call."""
        before, self._seen = self._seen, self._own_state()
        return _grew(before, self._seen)

    def _own_state(self) -> tuple[int, int]:
        """As `_state` of our own recording, listed only where files have come or gone: there are dozens in it."""
        try:
            written_ns = self._own.stat().st_mtime_ns
            if written_ns != self._listed_ns:
                self._listed = [self._own / name for name in os.listdir(self._own) if _IS_OUTPUT(name)]  # noqa: PTH208
                # A file may come in the same instant, as the file system counts them.
                self._listed_ns = written_ns if time.time_ns() - written_ns > _INSTANT_NS else 0
            states = [(path.name, path.stat()) for path in self._listed]
        except OSError:
            self._listed_ns = 0
            return _state(self._own)
        logs = [status.st_mtime_ns for name, status in states if name.startswith("log-")]
        return sum(status.st_size for _, status in states), max(logs, default=0)

    def others_grew(self) -> bool:
        """Whether output of another recording of the job was recorded since the last call; the first call says no."""
        now = {str(path): _state(path) for path in self._found()}
        before, self._others = self._others, now
        return any(_grew(before.get(path, state), state) for path, state in now.items())

    def call(self) -> None:
        """Let all other recorders of the job know of a stall."""
        if self._bell is not None:
            with contextlib.suppress(OSError):  # a full or lost disk: each then looks by its own silence
                self._bell.parent.mkdir(mode=0o700, exist_ok=True)
                self._bell.touch(mode=0o600)
                self._rung = self._rung_at()

    def called(self) -> bool:
        """Whether another recorder has called since the last call of this or of `call`."""
        before, self._rung = self._rung, self._rung_at()
        return self._rung > before

    def _rung_at(self) -> int:
        try:
            return self._bell.stat(follow_symlinks=False).st_mtime_ns if self._bell is not None else 0
        except OSError:
            return 0

    def _found(self) -> list[Path]:
        """Other recordings of our job, at most MOST_OTHERS."""
        if self._job is None:
            return []
        out = self._own.parent.parent
        try:
            nodes = [node for node in sorted(out.iterdir())[:_MOST_LISTED] if not node.name.startswith(".")]
        except OSError:
            return []
        found: list[Path] = []
        for node in nodes:
            try:
                captures = sorted(node.iterdir(), reverse=True) if node.is_dir() else []
            except OSError:
                continue
            found += [capture for capture in captures if capture != self._own and self._same_job(capture)]
            if len(found) >= MOST_OTHERS:
                break
        return found[:MOST_OTHERS]

    def _same_job(self, capture: Path) -> bool:
        path = str(capture)
        if path not in self._is_of_job:
            self._is_of_job[path] = _job_of(capture) == self._job
        return self._is_of_job[path]


class Redirected(threading.Thread):
    """Listens to files that processes of the job print into past us (``> train.log``, torchrun's --redirects).

    A thread of its own: asking a server that answers no more takes for ever, and is silence too.
    """

    def __init__(self) -> None:
        super().__init__(name="redirected", daemon=True)
        self.files: frozenset[Path] = frozenset()
        """The files; replaced as a whole by whoever knows the processes."""
        self._heard = threading.Event()
        self._sizes: dict[Path, int] = {}

    def grew(self) -> bool:
        """Whether one of them grew since the last call."""
        heard = self._heard.is_set()
        self._heard.clear()
        return heard

    def run(self) -> None:
        """Look once a second."""
        while True:
            self.look()
            time.sleep(1.0)

    def look(self) -> None:
        """Look once."""
        for path in self.files:
            try:
                size = path.stat().st_size
            except OSError:
                continue
            if size > self._sizes.get(path, size):
                self._heard.set()
            self._sizes[path] = size


def _job_of(capture: Path) -> str | None:
    try:
        with open(capture / NODE_JSON, encoding="utf-8") as file:
            job = json.load(file).get("job_id")
    except (OSError, ValueError, AttributeError):
        return None
    return job if isinstance(job, str) else None


def _state(capture: Path) -> tuple[int, int]:
    """Bytes of output that a recording holds, and when its raw logs were last written (ns).

    Lines that were seen otherwise than by a wrapper are in a journal, which shrinks when it is sealed.
    """
    size = written = 0
    try:
        with os.scandir(capture) as entries:
            for entry in entries:
                if _IS_OUTPUT(entry.name):
                    status = entry.stat()
                    size += status.st_size
                    if entry.name.startswith("log-"):
                        written = max(written, status.st_mtime_ns)
    except OSError:
        pass
    return size, written


def _grew(before: tuple[int, int], now: tuple[int, int]) -> bool:
    return now[0] > before[0] or now[1] > before[1]
