"""The node as a whole: CPU, load, memory, swap, OOM kills, pressure."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_CPU_FIELDS: Final = {
    "cpu_user_share": (0, 1),  # user, nice
    "cpu_system_share": (2, 5, 6),  # system, irq, softirq
    "cpu_iowait_share": (4,),
    "cpu_steal_share": (7,),
}


def pressure(path: str) -> dict[str, float]:
    """``some`` and ``full`` avg10 of a PSI file in percent; empty where the kernel has no PSI."""
    found: dict[str, float] = {}
    for line in (proc.read_text(path, 4096) or "").splitlines():
        kind, _, rest = line.partition(" ")
        value = rest.partition("avg10=")[2].partition(" ")[0]
        try:
            found[kind] = float(value)
        except ValueError:
            continue
    return found


class Host(Collector):
    """One row a tick from /proc/stat, loadavg, meminfo, vmstat and pressure."""

    name = "host"
    tables = ("host_samples",)
    budget = Budget(seconds=3.0, bytes=8192)
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Take the first counters, against which the first tick is measured."""
        self._cpu = self._cpu_times(proc.read_text("/proc/stat") or "")
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """One row."""
        row: Row = {"ts_mono_ns": time.monotonic_ns()}
        self._from_stat(row)
        self._from_meminfo(row)
        load = (proc.read_text("/proc/loadavg", 256) or "").split()
        if load:
            row["load_1m"] = float(load[0])
        row["oom_kills"] = proc.counter(proc.read_text("/proc/vmstat"), "oom_kill")
        for what in ("cpu", "memory", "io"):
            for kind, value in pressure(f"/proc/pressure/{what}").items():
                if not (what == "cpu" and kind == "full"):  # the kernel defines no such thing for a whole node
                    row[f"psi_{what}_{kind}_avg10"] = value
        yield "host_samples", [row]

    @staticmethod
    def _cpu_times(stat: str) -> list[int]:
        first = stat.partition("\n")[0].split()
        return [int(field) for field in first[1:9]] if first[:1] == ["cpu"] else []

    def _from_stat(self, row: Row) -> None:
        stat = proc.read_text("/proc/stat") or ""
        now = self._cpu_times(stat)
        if len(now) == len(self._cpu) == 8:
            # Counters of a busy virtual machine may step back by a tick; a share is never negative.
            spent = [max(0, after - before) for before, after in zip(self._cpu, now, strict=True)]
            total = sum(spent)
            for column, indices in _CPU_FIELDS.items():
                row[column] = round(sum(spent[i] for i in indices) / total, 4) if total else None
        self._cpu = now
        row["procs_running"] = proc.counter(stat, "procs_running")
        row["procs_blocked"] = proc.counter(stat, "procs_blocked")

    @staticmethod
    def _from_meminfo(row: Row) -> None:
        kib = proc.key_values(proc.read_text("/proc/meminfo"))

        def amount(*names: str) -> int | None:
            return sum(kib[name] for name in names) * 1024 if all(name in kib for name in names) else None

        row["memory_total_bytes"] = amount("MemTotal")
        row["memory_available_bytes"] = amount("MemAvailable")
        row["shmem_bytes"] = amount("Shmem")
        row["dirty_bytes"] = amount("Dirty", "Writeback")
        row["swap_total_bytes"] = amount("SwapTotal")
        if "SwapTotal" in kib and "SwapFree" in kib:
            row["swap_used_bytes"] = (kib["SwapTotal"] - kib["SwapFree"]) * 1024
