"""NFS and Lustre mounts: traffic, waiting, retransmissions, and servers that do not answer.

Facts: /proc/self/mountstats as linux/fs/nfs/super.c and net/sunrpc/stats.c print it (nfs-utils' ``mountstats`` reads
the same): ``bytes:`` fifth and sixth number are read from and written to the server; a ``per-op`` line has operations,
transmissions, major time-outs, bytes sent, bytes received, and in ms time in queue, on the wire and in all, and since
Linux 5.3 errors. Lustre: llite's ``stats`` (name, samples, unit, min, max, sum) lie in /proc up to 2.11 and in debugfs
for root after; ``import`` of each target says whether its connection is up (``state: FULL``).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row
from inquest.capture.mounts import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_MOUNTS: Final = 64
_MOST_TARGETS: Final = 4096
_LONGEST: Final = 4 << 20
_LUSTRE: Final = ("proc/fs/lustre", "sys/kernel/debug/lustre", "sys/fs/lustre")


def nfs_rows(mountstats: str) -> Iterator[Row]:
    """One row a NFS mount of the text of mountstats."""
    row: Row | None = None
    in_operations = False
    for line in mountstats.splitlines():
        fields = line.split()
        if line.startswith("device "):
            if row is not None:
                yield row
            row = None
            mount, _, kind = line.partition(" mounted on ")[2].rpartition(" with fstype ")
            if kind.partition(" ")[0] in ("nfs", "nfs4"):
                row = {"device": unescaped(mount), "fs_type": kind.partition(" ")[0]}
            in_operations = False
        elif row is None:
            continue
        elif in_operations and len(fields) >= 9 and fields[0].endswith(":"):
            _add_operation(row, [int(field) for field in fields[1:] if field.isdigit()])
        elif fields[:1] == ["bytes:"] and len(fields) >= 7:
            row |= {"read_bytes": int(fields[5]), "written_bytes": int(fields[6])}
        elif fields[:1] == ["per-op"]:
            in_operations = True
    if row is not None:
        yield row


def _add_operation(row: Row, numbers: list[int]) -> None:
    if len(numbers) < 8:
        return
    operations, sent, timeouts, _, _, _, _, waited = numbers[:8]
    errors = numbers[8] if len(numbers) > 8 else None
    told = {
        "operations": operations,
        "retransmits": max(0, sent - operations),
        "timeouts": timeouts,
        "wait_ms": waited,
        "io_errors": errors,
    }
    for column, value in told.items():
        if value is not None:
            row[column] = row.get(column, 0) + value


def lustre_rows(root: Path, mounts: str) -> Iterator[Row]:
    """One row a Lustre file system of this client; ``mounts`` is the text of /proc/self/mounts."""
    points = {}
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) >= 3 and fields[2] == "lustre":
            points[fields[0].rpartition(":/")[2].partition("/")[0]] = unescaped(fields[1])
    for name, point in sorted(points.items()):
        row: Row = {"device": point, "fs_type": "lustre"}
        stats = _first(root, f"llite/{name}-*/stats")
        for line in (proc.read_text(stats) or "").splitlines() if stats else ():
            fields = line.split()
            if len(fields) >= 7 and fields[0] in ("read_bytes", "write_bytes"):
                row["read_bytes" if fields[0] == "read_bytes" else "written_bytes"] = int(fields[6])
                row["operations"] = row.get("operations", 0) + int(fields[1])
        states = [state for state in map(_import_state, _imports(root, name)) if state]
        if states:
            row |= {"targets": len(states), "targets_down": sum(state not in ("FULL", "IDLE") for state in states)}
        yield row


def _first(root: Path, pattern: str) -> Path | None:
    return next((path for base in _LUSTRE for path in sorted((root / base).glob(pattern))), None)


def _imports(root: Path, name: str) -> list[Path]:
    """The import files of a file system's targets, each target once."""
    found: dict[str, Path] = {}
    for base in _LUSTRE:
        for kind in ("osc", "mdc"):
            for path in (root / base / kind).glob(f"{name}-*/import"):
                if len(found) < _MOST_TARGETS:
                    found.setdefault(path.parent.name, path)
    return list(found.values())


def _import_state(path: Path) -> str | None:
    for line in (proc.read_text(path, 8192) or "").splitlines():
        key, _, value = line.strip().partition(":")
        if key == "state":
            return value.strip()
    return None


class NetworkMounts(Collector):
    """One row a NFS or Lustre mount every ten seconds."""

    name = "network_mounts"
    tables = ("disk_samples",)
    requires = "a mounted NFS or Lustre file system"
    budget = Budget(seconds=3.0, bytes=64 * 1024)
    period = 10
    node_wide = True
    root = Path("/")

    def start(self, ctx: Context) -> Iterable[Batch]:
        """A first reading; nothing to do where nothing of the kind is mounted."""
        rows = self._read()
        if not rows:
            raise Missing("no NFS or Lustre file system is mounted here")
        yield "disk_samples", rows

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """All mounts."""
        yield "disk_samples", self._read()

    def _read(self) -> list[Row]:
        now = time.monotonic_ns()
        mountstats = proc.read_text(self.root / "proc/self/mountstats", _LONGEST) or ""
        rows = list({row["device"]: {"ts_mono_ns": now, **row} for row in nfs_rows(mountstats)}.values())
        mounts = proc.read_text(self.root / "proc/self/mounts", _LONGEST) or ""
        if " lustre " in mounts:
            rows += [{"ts_mono_ns": now, **row} for row in lustre_rows(self.root, mounts)]
        self.drops += max(0, len(rows) - _MOST_MOUNTS)
        return rows[:_MOST_MOUNTS]
