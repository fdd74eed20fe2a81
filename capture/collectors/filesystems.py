"""Room left on the file systems a job may write to: those of this node, and those of a network that it uses.

Apart from the block devices, because statvfs on a dead network mount does not return. Where a job writes is not known
before it does (a scratch that its configuration names), so all file systems of the node are looked at; of those of a
network only the ones its working directory, our output, TMPDIR or an argument of its command lie on.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Row
from inquest.capture.mounts import Mount, mount_of, mounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST: Final = 48
_LOOK_ROUND_TICKS: Final = 30
"""Ticks between two looks at what is mounted."""
_USUAL_NS: Final = 10_000_000_000
"""Time between two rows of a file system that keeps its room."""
_MOVED: Final = 64
"""A row comes at once where the room has changed by one part in so many of the whole."""


class FileSystems(Collector):
    """Rows of ``disk_samples``: of the job's own places every ten seconds, of others when their room changes.

    At the start and at the end there is a row of each: a disk may fill up within seconds.
    """

    name = "filesystems"
    tables = ("disk_samples",)
    budget = Budget(seconds=3.0, bytes=16384)
    period = 2
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find out what is mounted."""
        self._places = [place for place in self._named(ctx) if place.startswith("/")]
        self._ticks = 0
        self._told: dict[str, tuple[int, int, int]] = {}
        """When a file system was told of last, its free bytes and its free inodes."""
        self._look_round()
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Of all of them those whose time has come; one that has gone is left out."""
        self._ticks += 1
        if self._ticks % _LOOK_ROUND_TICKS == 0:
            self._look_round()
        yield "disk_samples", list(self._rows(all_of_them=False))

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Of each what was left at the end."""
        yield "disk_samples", list(self._rows(all_of_them=True))

    def _named(self, ctx: Context) -> Iterator[str]:
        yield proc.link(f"/proc/{ctx.child_pid}/cwd") or ""
        yield str(ctx.capture_dir.absolute())
        yield ctx.environ.get("TMPDIR", "/tmp")
        for argument in (proc.argv(ctx.child_pid) or "").split():
            yield argument.partition("=")[2] if argument.startswith("-") else argument

    def _look_round(self) -> None:
        mounted = mounts()
        used = {mount.point for place in self._places if (mount := mount_of(place, mounted)) is not None}
        seen: set[str] = set()
        self._own: list[Mount] = []
        self._others: list[Mount] = []
        for mount in sorted(mounted.values(), key=lambda mount: (mount.point not in used, mount.point)):
            if not mount.writable or mount.device in seen or len(seen) >= _MOST:
                continue
            if mount.point in used:
                self._own.append(mount)
            elif mount.local:
                self._others.append(mount)
            else:
                continue
            seen.add(mount.device)

    def _rows(self, *, all_of_them: bool) -> Iterator[Row]:
        for mount in (*self._own, *self._others):
            try:
                room = os.statvfs(mount.point)
            except OSError:
                self.drops += 1
                continue
            free, total = room.f_bavail * room.f_frsize, room.f_blocks * room.f_frsize
            if not total:
                continue  # proc and its like
            now = time.monotonic_ns()
            if not all_of_them and not self._due(mount, now, free, total, room.f_favail):
                continue
            self._told[mount.point] = (now, free, room.f_favail)
            yield {
                "ts_mono_ns": now,
                "device": mount.point,
                "fs_type": mount.kind,
                "fs_free_bytes": free,
                "fs_total_bytes": total,
                "fs_free_inodes": room.f_favail,
            }

    def _due(self, mount: Mount, now: int, free: int, total: int, inodes: int) -> bool:
        """Whether a row is due: the first, one after the usual time, or one because the room has changed."""
        if (told := self._told.get(mount.point)) is None:
            return True
        at, had, had_inodes = told
        moved = abs(free - had) * _MOVED >= total or (had > 0) != (free > 0) or (had_inodes > 0) != (inodes > 0)
        return moved or (mount in self._own and now - at >= _USUAL_NS)
