"""Block devices, as counters since boot."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_SECTOR: Final = 512
"""/proc/diskstats counts in sectors of 512 bytes whatever the device's own sector size is."""
_NOT_REAL: Final = ("loop", "ram", "zram", "sr", "fd", "nbd")


class Disk(Collector):
    """One row a whole block device and tick from /proc/diskstats; partitions and loop devices are left out."""

    name = "disk"
    tables = ("disk_samples",)
    budget = Budget(seconds=3.0, bytes=32 * 1024)
    node_wide = True
    period = 2

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Nothing to do where the kernel shows no block device."""
        self._real: dict[str, bool] = {}
        self._stats = proc.Kept("/proc/diskstats", records=True)
        if not self._stats.text():
            raise Missing("/proc/diskstats shows no block device")
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """All real devices."""
        now = time.monotonic_ns()
        rows: list[Row] = []
        for line in (self._stats.text() or "").splitlines():
            fields = line.split()
            if len(fields) < 14 or not self._is_real(fields[2]):
                continue
            rows.append(
                {
                    "ts_mono_ns": now,
                    "device": fields[2],
                    "reads": int(fields[3]),
                    "read_bytes": int(fields[5]) * _SECTOR,
                    "read_ms": int(fields[6]),
                    "writes": int(fields[7]),
                    "written_bytes": int(fields[9]) * _SECTOR,
                    "write_ms": int(fields[10]),
                    "inflight": int(fields[11]),
                    "io_ms": int(fields[12]),
                }
            )
        yield "disk_samples", rows

    def _is_real(self, name: str) -> bool:
        if name not in self._real:
            self._real[name] = not name.startswith(_NOT_REAL) and Path("/sys/block", name).exists()
        return self._real[name]
