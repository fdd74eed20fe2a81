"""What the kernel counts of trouble: reclaim, swap, faults, refused and dropped connections, soft interrupts.

Of hundreds of counters those that explain why a node was slow or a connection failed. Sources: /proc/vmstat,
/proc/net/netstat, /proc/net/snmp and /proc/softirqs (of all CPUs together); which of them exist depends on the kernel.
A counter has a row at the first look and at the last, and whenever it has moved in between.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MEMORY: Final = (
    *(
        "pgfault",
        "pgmajfault",
        "pswpin",
        "pswpout",
        "pgmigrate_fail",
        "oom_kill",
        "thp_fault_fallback",
        "thp_split_page",
    ),
    *("pgscan_kswapd", "pgscan_direct", "pgsteal_kswapd", "pgsteal_direct", "kswapd_low_wmark_hit_quickly"),
    *("compact_stall", "compact_fail", "compact_success", "workingset_refault_anon", "workingset_refault_file"),
    *("numa_miss", "numa_foreign", "numa_hint_faults", "numa_pages_migrated", "nr_dirtied", "nr_written"),
    *("allocstall_dma32", "allocstall_normal", "allocstall_movable", "thp_fault_alloc", "drop_pagecache", "drop_slab"),
)
_NETWORK: Final = {
    "Tcp": (
        *("ActiveOpens", "PassiveOpens", "AttemptFails", "EstabResets", "RetransSegs", "InErrs", "OutRsts"),
        *("InSegs", "OutSegs"),
    ),
    "TcpExt": (
        *("TCPTimeouts", "TCPSynRetrans", "TCPLostRetransmit", "TCPFastRetrans", "TCPSlowStartRetrans"),
        *("TCPSpuriousRTOs", "TCPRetransFail", "TCPAbortOnTimeout", "TCPAbortOnData", "TCPAbortOnClose"),
        *("TCPAbortOnMemory", "TCPMemoryPressures", "TCPBacklogDrop", "TCPRcvQDrop", "TCPZeroWindowDrop"),
        *("TCPReqQFullDrop", "TCPOFOQueue", "TCPKeepAlive", "ListenOverflows", "ListenDrops", "PruneCalled"),
        *("RcvPruned", "OutOfWindowIcmps", "TCPWantZeroWindowAdv"),
    ),
    "Udp": ("InDatagrams", "OutDatagrams", "NoPorts", "InErrors", "RcvbufErrors", "SndbufErrors"),
    "Ip": ("InDiscards", "OutDiscards", "InHdrErrors", "InAddrErrors", "OutNoRoutes", "ReasmFails", "FragFails"),
    "Icmp": ("InDestUnreachs", "OutDestUnreachs", "InTimeExcds"),
}
"""By protocol, as the files call it."""
_NET_FILES: Final = ("/proc/net/snmp", "/proc/net/netstat")


class KernelCounters(Collector):
    """A row a counter that has moved, every ten seconds."""

    name = "kernel_counters"
    tables = ("kernel_counters",)
    budget = Budget(seconds=3.0, bytes=64 * 1024)
    period = 10
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """All counters once."""
        self._told: dict[tuple[str, str], int] = {}
        if not any(_read()):
            raise Missing("neither /proc/vmstat nor /proc/net/snmp can be read")
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """What has moved."""
        return self._rows(everything=False)

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """All of them."""
        return self._rows(everything=True)

    def _rows(self, *, everything: bool) -> Iterator[Batch]:
        now = time.monotonic_ns()
        rows: list[Row] = []
        for area, name, value in _read():
            if everything or self._told.get((area, name)) != value:
                self._told[area, name] = value
                rows.append({"ts_mono_ns": now, "area": area, "name": name, "events": value})
        yield "kernel_counters", rows


def _read() -> Iterator[tuple[str, str, int]]:
    """Area, name and value of every counter there is."""
    memory = proc.key_values(proc.read_text("/proc/vmstat"))
    yield from (("memory", name, memory[name]) for name in _MEMORY if name in memory)
    for path in _NET_FILES:
        lines = (proc.read_text(path) or "").splitlines()
        for names, values in zip(lines[::2], lines[1::2], strict=False):  # a line of names, and one of numbers
            area, _, rest = names.partition(":")
            wanted = _NETWORK.get(area, ())
            for name, value in zip(rest.split(), values.split()[1:], strict=False):
                if name in wanted and value.isdigit():
                    yield area, name, int(value)
    for line in (proc.read_text("/proc/softirqs") or "").splitlines()[1:]:
        name, _, counts = line.partition(":")
        yield "softirq", name.strip(), sum(map(int, counts.split()))
