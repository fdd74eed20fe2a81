"""Room left on the file systems the job uses: its working directory, our output, TMPDIR.

Apart from the block devices, because statvfs on a dead network mount does not return.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Row

if TYPE_CHECKING:
    from collections.abc import Iterable


def mount_point(path: Path) -> Path:
    """The mount point ``path`` lies on."""
    while not path.is_mount() and path != path.parent:
        path = path.parent
    return path


class FileSystems(Collector):
    """One row a file system every ten seconds."""

    name = "filesystems"
    tables = ("disk_samples",)
    budget = Budget(seconds=3.0, bytes=8192)
    period = 10
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find the mount points once: they do not move."""
        places = (proc.link(f"/proc/{ctx.child_pid}/cwd"), str(ctx.capture_dir), ctx.environ.get("TMPDIR", "/tmp"))
        self._mounts = sorted({mount_point(Path(place)) for place in places if place and place.startswith("/")})
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """All of them; one that has gone is left out."""
        rows: list[Row] = []
        for mount in self._mounts:
            try:
                room = os.statvfs(mount)
            except OSError:
                self.drops += 1
                continue
            rows.append(
                {
                    "ts_mono_ns": time.monotonic_ns(),
                    "device": str(mount),
                    "fs_free_bytes": room.f_bavail * room.f_frsize,
                    "fs_total_bytes": room.f_blocks * room.f_frsize,
                    "fs_free_inodes": room.f_favail,
                }
            )
        yield "disk_samples", rows
