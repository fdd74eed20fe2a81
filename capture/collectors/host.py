"""The node as a whole: CPU, load, memory, swap, OOM kills, pressure; and each CPU."""

from __future__ import annotations

import re
import time
from itertools import chain
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_CPU_FIELDS: Final = {
    "cpu_user_share": (0, 1),  # user, nice
    "cpu_system_share": (2, 5, 6),  # system, irq, softirq
    "cpu_iowait_share": (4,),
    "cpu_steal_share": (7,),
}
_IRQ_FIELDS: Final = (5, 6)  # irq, softirq
_STAT: Final = {
    "task_switches": "ctxt",
    "forks": "processes",
    "procs_running": "procs_running",
    "procs_blocked": "procs_blocked",
}
_MEMORY: Final = {
    "memory_total_bytes": ("MemTotal",),
    "memory_available_bytes": ("MemAvailable",),
    "memory_free_bytes": ("MemFree",),
    "memory_cached_bytes": ("Cached", "Buffers"),
    "memory_anon_bytes": ("AnonPages",),
    "memory_mapped_bytes": ("Mapped",),
    "memory_locked_bytes": ("Mlocked",),
    "slab_bytes": ("SUnreclaim",),
    "page_table_bytes": ("PageTables",),
    "committed_bytes": ("Committed_AS",),
    "shmem_bytes": ("Shmem",),
    "dirty_bytes": ("Dirty", "Writeback"),
    "swap_total_bytes": ("SwapTotal",),
}
"""Columns by the lines of /proc/meminfo that they add up."""
_MEMORY_LINES: Final = re.compile(
    rf"^({'|'.join(sorted({'SwapFree', *chain.from_iterable(_MEMORY.values())}))}): +(\d+)", re.MULTILINE
)
_CPUS_EVERY: Final = 10
"""Ticks: a core that interrupts or one thread keep busy shows over seconds, and nodes have hundreds of CPUs."""
_MOST_CPUS: Final = 1024


def cpu_times(stat: str) -> dict[str, list[int]]:
    """Ticks of /proc/stat by mode: of all CPUs together (``cpu``) and of each (``cpu0`` ...)."""
    found: dict[str, list[int]] = {}
    for line in stat.splitlines():
        if not line.startswith("cpu"):
            break  # the rest is interrupts, thousands of columns of them
        fields = line.split(maxsplit=9)
        if len(fields) >= 9:
            found[fields[0]] = [int(field) for field in fields[1:9]]
    return found


def cpu_waits(schedstat: str) -> dict[int, tuple[int, int]]:
    """By CPU: nanoseconds that tasks waited for it, and how often one was given it.

    Source: sched-stats.rst, fields 8 and 9 of a line ``cpuN``; the file is there on kernels with CONFIG_SCHEDSTATS.
    """
    found = {}
    for line in schedstat.splitlines():
        fields = line.split()
        if line.startswith("cpu") and len(fields) >= 10 and fields[0][3:].isdigit():
            found[int(fields[0][3:])] = int(fields[8]), int(fields[9])
    return found


def shares(before: list[int], now: list[int], wanted: Mapping[str, tuple[int, ...]] = _CPU_FIELDS) -> Row:
    """Columns of shares of CPU time between two readings; null where no time has passed."""
    # Counters of a busy virtual machine may step back by a tick; a share is never negative.
    spent = [max(0, after - first) for first, after in zip(before, now, strict=True)]
    total = sum(spent)
    return {
        column: round(sum(spent[i] for i in indices) / total, 4) if total else None
        for column, indices in wanted.items()
    }


def pressure(said: str | None) -> dict[str, float]:
    """``some`` and ``full`` avg10 by the text of a PSI file in percent; empty where the kernel has no PSI."""
    found: dict[str, float] = {}
    for line in (said or "").splitlines():
        kind, _, rest = line.partition(" ")
        value = rest.partition("avg10=")[2].partition(" ")[0]
        try:
            found[kind] = float(value)
        except ValueError:
            continue
    return found


class Host(Collector):
    """One row a tick from /proc/stat, loadavg, meminfo, vmstat and pressure; one a CPU every ten, with schedstat."""

    name = "host"
    tables = ("host_samples", "cpu_samples")
    budget = Budget(seconds=3.0, bytes=128 * 1024)
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Take the first counters, against which the first tick is measured."""
        self._stat = proc.Kept("/proc/stat")
        self._meminfo = proc.Kept("/proc/meminfo")
        self._load = proc.Kept("/proc/loadavg")
        self._vmstat = proc.Kept("/proc/vmstat", records=True)
        self._pressure = {what: proc.Kept(f"/proc/pressure/{what}") for what in ("cpu", "memory", "io")}
        self._all = self._each = cpu_times(self._stat.text() or "")
        self._ticks = 0
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """One row, and now and then one a CPU."""
        row: Row = {"ts_mono_ns": time.monotonic_ns()}
        stat = self._stat.text() or ""
        self._from_stat(stat, row)
        self._from_meminfo(row)
        load = (self._load.text() or "").split()
        if load:
            row["load_1m"] = float(load[0])
        row["oom_kills"] = proc.counter(self._vmstat.text(), "oom_kill")
        for what, kept in self._pressure.items():
            for kind, value in pressure(kept.text()).items():
                if not (what == "cpu" and kind == "full"):  # the kernel defines no such thing for a whole node
                    row[f"psi_{what}_{kind}_avg10"] = value
        yield "host_samples", [row]
        self._ticks += 1
        if self._ticks % _CPUS_EVERY == 0:
            yield "cpu_samples", self._cpus(row["ts_mono_ns"], cpu_times(stat))

    def _cpus(self, now_ns: int, now: dict[str, list[int]]) -> list[Row]:
        before, self._each = self._each, now
        waits = cpu_waits(proc.read_text("/proc/schedstat") or "")
        cpus = sorted(int(name[3:]) for name in now.keys() & before.keys() if name != "cpu")
        self.drops += max(0, len(cpus) - _MOST_CPUS)
        rows: list[Row] = []
        for cpu in cpus[:_MOST_CPUS]:
            first, after = before[f"cpu{cpu}"], now[f"cpu{cpu}"]
            delay, switches = waits.get(cpu, (None, None))
            rows.append(
                {
                    "ts_mono_ns": now_ns,
                    "cpu": cpu,
                    **shares(first, after),
                    **shares(first, after, {"cpu_irq_share": _IRQ_FIELDS}),
                    "run_delay_ns": delay,
                    "task_switches": switches,
                }
            )
        return rows

    def _from_stat(self, stat: str, row: Row) -> None:
        now = cpu_times(stat.partition("\n")[0])
        if "cpu" in now and "cpu" in self._all:
            row |= shares(self._all["cpu"], now["cpu"])
        self._all = now
        _, _, rest = stat.partition("\nintr ")  # thousands of columns, of which the first is the sum
        interrupts, rest = rest.partition(" ")[0], rest[rest.find("\n") + 1 :]
        row["interrupts"] = int(interrupts) if interrupts.isdigit() else None
        for column, name in _STAT.items():
            row[column] = proc.counter(rest, name)

    def _from_meminfo(self, row: Row) -> None:
        kib = {name: int(value) for name, value in _MEMORY_LINES.findall(self._meminfo.text() or "")}

        def amount(*names: str) -> int | None:
            return sum(kib[name] for name in names) * 1024 if all(name in kib for name in names) else None

        for column, names in _MEMORY.items():
            row[column] = amount(*names)
        if "SwapTotal" in kib and "SwapFree" in kib:
            row["swap_used_bytes"] = (kib["SwapTotal"] - kib["SwapFree"]) * 1024
