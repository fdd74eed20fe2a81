"""Artifacts: files about the job that its libraries leave, copied before somebody removes them.

torchrun removes its error files when it ends, a requeue overwrites dumps, and /tmp is wiped: a file is taken as soon as
it has not changed between two looks, and again when it changes later. What is left out is named with the reason.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from inquest.capture.artifacts import Keeper
from inquest.capture.collector import Batch, Budget, Collector, Context, Row
from inquest.capture.dumps import Process, Spot, in_work_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MOST_VERSIONS: Final = 3
"""States of one file that are kept."""
_WALK_EVERY: Final = 30
"""Turns between two walks through working directories."""
_LAST_S: Final = 0.25
"""Time to take files at the end: the recorder must be gone a second after the job."""
_SETTLED_NS: Final = 10_000_000_000
_MOST_PROCESSES: Final = 512


class Artifacts(Collector):
    """Looks for files at the places that processes name, and in their working directories."""

    name: ClassVar[str] = "artifacts"
    tables: ClassVar[tuple[str, ...]] = ("artifacts",)
    budget: ClassVar[Budget] = Budget(seconds=30.0, bytes=1 << 20)
    period: ClassVar[int] = 2

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Begin; only files written from now on count."""
        self._keeper = Keeper(ctx.capture_dir)
        self._since_ns = time.time_ns() - 2_000_000_000
        self._processes: dict[int, Process] = {}
        self._first_seen: dict[int, int] = {}
        self._kept: set[int] = set()
        self._walked: dict[Path, Spot] = {}
        self._seen: dict[Path, tuple[int, int]] = {}
        self._taken: dict[Path, list[tuple[int, int]]] = {}
        self._turns = 0
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Take what has come to rest since the last look."""
        self._know(ctx)
        if self._turns % _WALK_EVERY == 0:
            self._walk(ctx)
        self._turns += 1
        rows = [row for spot, owner in self._spots() if not spot.grows for row in self._look(spot, owner)]
        if rows:
            yield "artifacts", rows

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Take what is there, moving or not, as long as there is time; name the rest."""
        until = time.monotonic() + _LAST_S
        rows: list[Row] = []
        for spot, owner in sorted(self._spots(), key=lambda found: found[0].grows):
            rows += self._look(spot, owner, last=True, until=until)
        yield "artifacts", rows

    def _know(self, ctx: Context) -> None:
        """Processes are looked at again while they are young: between fork and exec they have another environment.

        Ranks that have gone are remembered, and those whose output went to files: what they left is taken later.
        """
        now = time.monotonic_ns()
        gone = self._processes.keys() - ctx.members.keys()
        for pid in gone - self._kept:
            del self._processes[pid]
        for pid in sorted(gone & self._kept, key=self._first_seen.__getitem__)[:-_MOST_PROCESSES]:
            del self._processes[pid]
            self._kept.discard(pid)
        for pid, member in ctx.members.items():
            first = self._first_seen.setdefault(pid, now)
            if pid in self._processes and now - first > _SETTLED_NS:
                continue
            if len(self._processes) < 2 * _MOST_PROCESSES or member.role == "rank":
                process = Process.of(pid, member.rank)
                if process is not None:
                    if ctx.attached:  # output_files follows what they print into
                        process = replace(process, outputs=())
                    self._processes[pid] = process
                    if member.role == "rank" or process.outputs:
                        self._kept.add(pid)
        self._first_seen = {
            pid: at for pid, at in self._first_seen.items() if pid in ctx.members or pid in self._processes
        }

    def _walk(self, ctx: Context) -> None:
        out = ctx.capture_dir.parent.parent
        for work_dir in {process.work_dir for process in self._processes.values() if process.work_dir is not None}:
            for spot in in_work_dir(work_dir, out):
                self._walked[spot.path] = spot

    def _spots(self) -> Iterator[tuple[Spot, int]]:
        """Every file that may be there, once, with the user whose it must be."""
        told: set[Path] = set()
        ranks: dict[Path, set[int | None]] = {}
        for process in self._processes.values():
            for path in process.outputs:
                ranks.setdefault(path, set()).add(process.rank)
        for process in self._processes.values():
            for spot in process.spots():
                if spot.path not in told:
                    told.add(spot.path)
                    # What several ranks print into is no rank's own.
                    yield (spot if len(ranks.get(spot.path, ())) < 2 else replace(spot, name=None)), process.owner
        owner = next((process.owner for process in self._processes.values()), os.getuid())
        yield from ((spot, owner) for path, spot in self._walked.items() if path not in told)

    def _look(self, spot: Spot, owner: int, *, last: bool = False, until: float = float("inf")) -> Iterator[Row]:
        try:
            status = spot.path.stat(follow_symlinks=False)
        except OSError:
            return
        if status.st_mtime_ns < self._since_ns or status.st_size == 0 or status.st_uid != owner:
            return  # of before, or of somebody else: not even its name is ours to tell
        state = (status.st_size, status.st_mtime_ns)
        rests = self._seen.get(spot.path) == state
        self._seen[spot.path] = state
        versions = self._taken.setdefault(spot.path, [])
        if state in versions or len(versions) >= MOST_VERSIONS or not (rests or last):
            return
        versions.append(state)
        if time.monotonic() > until:
            yield {
                "ts_mono_ns": time.monotonic_ns(),
                "path": str(spot.path),
                "kind": spot.kind.name,
                "bytes": status.st_size,
                "reason": "there was no time for it at the end",
            }
        else:
            yield self._keeper.take(spot.kind, spot.path, owner, spot.name)
