"""Memory, CPU quota and OOM counters of the job's control groups, version 1 and 2."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row
from inquest.capture.collectors.host import pressure

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNLIMITED: Final = 1 << 60
"""Version 1 says "no limit" as a number near 2**63."""
_MEMORY_FILES: Final = {
    "memory": ("memory.usage_in_bytes", "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
    "": ("memory.current", "memory.max", "memory.peak"),
}
"""Used, limit and peak, by controller: of version 1 and of version 2."""
_MOST_GROUPS: Final = 64
_LOOK_AGAIN: Final = 10
_FORGET: Final = 30
"""In ticks."""
_MOST_KEPT: Final = 64
"""Files that are kept open: those of the few groups a job has as a rule."""


@dataclass(frozen=True, slots=True)
class _Mount:
    """Where a hierarchy is mounted, and which of its directories is visible there."""

    point: Path
    root: str

    def directory(self, path: str) -> Path | None:
        """Directory of cgroup ``path``; None when it is outside of what is mounted here."""
        if self.root not in ("/", ""):
            if path != self.root and not path.startswith(self.root + "/"):
                return None
            path = path[len(self.root) :]
        found = self.point / path.lstrip("/")
        return found if ".." not in found.parts and found.is_dir() else None


def mounts() -> dict[str, _Mount]:
    """Mounted hierarchies by controller; the unified one (version 2) has the empty name."""
    found: dict[str, _Mount] = {}
    for line in (proc.read_text("/proc/self/mountinfo") or "").splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.partition(" ")
        fields = left.split()
        if len(fields) < 5 or kind not in ("cgroup", "cgroup2"):
            continue
        mount = _Mount(Path(fields[4]), fields[3])
        names = [""] if kind == "cgroup2" else options.rpartition(" ")[2].split(",")
        for name in names:
            found.setdefault(name, mount)
    return found


def paths(pid: int) -> dict[str, str]:
    """Cgroup of a process by controller, "" for version 2; empty when the process has gone."""
    found: dict[str, str] = {}
    for line in (proc.read_text(f"/proc/{pid}/cgroup", 65536) or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        for name in controllers.split(","):
            found[name] = path
    return found


@dataclass(frozen=True, slots=True)
class _Group:
    """Directories that count for one group; looking for them costs more than to read what they hold."""

    version: int
    memory: Path
    cpu: Path | None
    pids: Path | None


@dataclass(frozen=True, slots=True)
class _Limit:
    """The limit that a group meets first: its own or that of an ancestor."""

    bytes: int | None = None
    levels_up: int = 0
    """How far above the group it is set."""


def _lowest_limit(directory: Path, top: Path, name: str) -> _Limit:
    """Lowest limit of a group and its ancestors up to the mount; the group's own where they are equal."""
    lowest, levels = _Limit(), 0
    while True:
        limit = proc.read_int(directory / name)
        if limit is not None and limit < _UNLIMITED and (lowest.bytes is None or limit < lowest.bytes):
            lowest = _Limit(limit, levels)
        if directory == top or directory == directory.parent:
            return lowest
        directory, levels = directory.parent, levels + 1


class Cgroup(Collector):
    """One row a memory cgroup of the wrapped command and its descendants, and tick.

    Where the limit they share is set above them (Slurm sets it on the job or step, tasks live below), the group that
    has it gets a row too: what counts against a limit is the memory of all below it.
    """

    name = "cgroup"
    tables = ("cgroup_samples",)
    requires = "a mounted cgroup hierarchy with the memory controller"
    budget = Budget(seconds=3.0, bytes=64 * 1024)

    def __init__(self) -> None:
        """Find the hierarchies."""
        super().__init__()
        self._mounts = mounts()
        self._known: set[int] = set()
        self._groups: dict[str, tuple[dict[str, str], int]] = {}
        self._limits: dict[str, _Limit] = {}
        self._read_at: dict[str, _Group] = {}
        self._ticks = 0
        self._files: dict[str, proc.Kept] = {}

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find the job's place in the hierarchies."""
        if not self._mounts:
            raise Missing("no cgroup hierarchy is mounted")
        return self.tick(ctx)

    def once(self, pid: int, task: int) -> Row:
        """What the group of a process counts at this moment; empty where nothing can be told."""
        where = paths(pid)
        path = where.get("memory", where.get("", ""))
        return self._read(task, path, where) if path else {}

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Every group of the job; where each process lives, and the limits, are looked up every ten seconds."""
        self._find_groups({ctx.child_pid, *ctx.members}, ctx.child_pid)
        if self._ticks % _LOOK_AGAIN == 0:
            self._limits.clear()
            self._read_at.clear()
            self._files.clear()
        self._ticks += 1
        rows = [row for path, (where, _) in sorted(self._groups.items()) if (row := self._read(ctx.task, path, where))]
        above = {up for row in rows if (up := self._limiting(row["cgroup"])) and up not in self._groups}
        rows += [row for path in sorted(above) if (row := self._read_shared(ctx, path))]
        yield "cgroup_samples", rows

    def _find_groups(self, pids: set[int], child: int) -> None:
        again = self._ticks % _LOOK_AGAIN == 0
        for pid in sorted(pids if again else pids - self._known | {child}):
            where = paths(pid)
            if not where and not self._groups:
                where = paths(os.getpid())  # the command was over before we looked; it was started where we were
            path = where.get("memory", where.get("", ""))
            if not path:
                continue
            if path in self._groups or len(self._groups) < _MOST_GROUPS:
                self._groups[path] = where, self._ticks
            else:
                self.drops += 1
        self._known = pids
        # A group outlives its last process for a while: its OOM counter is read after the kill, not before.
        self._groups = {
            path: (where, seen) for path, (where, seen) in self._groups.items() if self._ticks - seen < _FORGET
        }

    def _read(self, task: int, path: str, where: dict[str, str]) -> Row:
        row: Row = {"ts_mono_ns": time.monotonic_ns(), "cgroup": path, "task": task}
        group = self._read_at.get(path) or self._group(where)
        if group is None:
            return {}
        if group.version == 1:
            self._version_1(row, group)
        else:
            self._version_2(row, group.memory)
        if row["memory_used_bytes"] is None and not group.memory.is_dir():
            self._read_at.pop(path, None)
            self._files.clear()
            return {}
        self._read_at[path] = group
        return row

    def _group(self, where: dict[str, str]) -> _Group | None:
        unified = self._directory("", where)
        if "memory" in where and (directory := self._directory("memory", where)):
            return _Group(1, directory, self._directory("cpu", where), self._directory("pids", where))
        if unified and (unified / "memory.current").exists():
            return _Group(2, unified, None, None)
        return None

    def _directory(self, controller: str, where: dict[str, str]) -> Path | None:
        mount = self._mounts.get(controller)
        return mount.directory(where[controller]) if mount and controller in where else None

    def _limiting(self, path: str) -> str | None:
        """The group above this one that sets the limit it meets first."""
        levels = self._limits[path].levels_up if path in self._limits else 0
        return "/".join(path.rstrip("/").split("/")[:-levels]) or "/" if levels else None

    def _read_shared(self, ctx: Context, path: str) -> Row:
        """Memory of a group that others live in. Its counters of kills hold theirs too, and are left to theirs."""
        controller = "memory" if "memory" in self._mounts else ""
        group = self._directory(controller, {controller: path})
        if group is None:
            return {}
        used, limit, peak = _MEMORY_FILES[controller]
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "cgroup": path,
            "task": ctx.task,
            "version": 1 if controller else 2,
            "memory_used_bytes": proc.read_int(group / used),
            "memory_limit_bytes": proc.read_int(group / limit),
            "memory_peak_bytes": proc.read_int(group / peak),
        }

    def _limit(self, path: str, group: Path, controller: str) -> int | None:
        if path not in self._limits:
            self._limits[path] = _lowest_limit(group, self._mounts[controller].point, _MEMORY_FILES[controller][1])
        return self._limits[path].bytes

    def _version_1(self, row: Row, group: _Group) -> None:
        memory = group.memory
        row["version"] = 1
        row["memory_used_bytes"] = self._file(f"{memory}/memory.usage_in_bytes").number()
        row["memory_limit_bytes"] = self._limit(row["cgroup"], memory, "memory")
        row["memory_peak_bytes"] = self._file(f"{memory}/memory.max_usage_in_bytes").number()
        row["memory_anon_bytes"] = self._count(memory, "memory.stat", "total_rss")
        row["oom_events"] = self._file(f"{memory}/memory.failcnt").number()
        row["oom_kills"] = self._count(memory, "memory.oom_control", "oom_kill")
        if group.cpu:
            row["cpu_throttled_ns"] = self._count(group.cpu, "cpu.stat", "throttled_time")
        if group.pids:
            row["pids"] = self._file(f"{group.pids}/pids.current").number()

    def _version_2(self, row: Row, group: Path) -> None:
        row["version"] = 2
        row["memory_used_bytes"] = self._file(f"{group}/memory.current").number()
        row["memory_limit_bytes"] = self._limit(row["cgroup"], group, "")
        row["memory_peak_bytes"] = self._file(f"{group}/memory.peak").number()
        row["memory_anon_bytes"] = self._count(group, "memory.stat", "anon")
        events = self._file(f"{group}/memory.events").text()
        row["oom_events"] = proc.counter(events, "oom")
        row["oom_kills"] = proc.counter(events, "oom_kill")
        throttled = self._count(group, "cpu.stat", "throttled_usec")
        row["cpu_throttled_ns"] = None if throttled is None else throttled * 1000
        row["pids"] = self._file(f"{group}/pids.current").number()
        row["psi_memory_full_avg10"] = pressure(self._file(f"{group}/memory.pressure").text()).get("full")

    def _count(self, group: Path, file: str, name: str) -> int | None:
        return proc.counter(self._file(f"{group}/{file}").text(), name)

    def _file(self, path: str) -> proc.Kept:
        """A file of a group, open until the groups are looked for again."""
        known = self._files.get(path)
        if known is None:
            known = proc.Kept(path)
            if len(self._files) < _MOST_KEPT:
                self._files[path] = known
        return known
