"""InfiniBand and RoCE ports: state, rate, traffic, and the errors and congestion that slow collectives down.

Facts (Linux, Documentation/ABI/stable/sysfs-class-infiniband, and NVIDIA's "Understanding mlx5 ethtool/hw counters"):
``port_*_data`` count in words of four bytes; ``counters`` are asked of the adapter one by one, which is why they are
not read every second; not every adapter has every file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD: Final = 4
_MOST: Final = (1 << 63) - 1
"""A counter beyond it is none: adapters answer all ones for what they cannot count."""
_COUNTERS: Final = {
    "counters/port_rcv_data": ("rx_bytes", _WORD),
    "counters/port_xmit_data": ("tx_bytes", _WORD),
    "counters/port_rcv_packets": ("rx_packets", 1),
    "counters/port_xmit_packets": ("tx_packets", 1),
    "counters/port_rcv_errors": ("rx_errors", 1),
    "counters/port_xmit_discards": ("tx_drops", 1),
    "counters/port_rcv_remote_physical_errors": ("remote_errors", 1),
    "counters/port_xmit_wait": ("tx_waits", 1),
    "counters/symbol_error": ("symbol_errors", 1),
    "counters/link_error_recovery": ("link_recoveries", 1),
    "counters/link_downed": ("link_downs", 1),
    "counters/local_link_integrity_errors": ("integrity_errors", 1),
    "hw_counters/rx_bytes": ("rx_bytes", 1),  # adapters that have no "counters": EFA
    "hw_counters/tx_bytes": ("tx_bytes", 1),
    "hw_counters/rx_pkts": ("rx_packets", 1),
    "hw_counters/tx_pkts": ("tx_packets", 1),
    "hw_counters/rx_drops": ("rx_drops", 1),
    "hw_counters/out_of_sequence": ("out_of_sequence", 1),
    "hw_counters/packet_seq_err": ("nak_sequence_errors", 1),
    "hw_counters/local_ack_timeout_err": ("ack_timeouts", 1),
    "hw_counters/rnr_nak_retry_err": ("rnr_naks", 1),
    "hw_counters/out_of_buffer": ("out_of_buffer", 1),
    "hw_counters/np_ecn_marked_roce_packets": ("ecn_marked", 1),
    "hw_counters/np_cnp_sent": ("cnp_sent", 1),
    "hw_counters/rp_cnp_handled": ("cnp_handled", 1),
}
_CLASS: Final = "sys/class/infiniband"
_MOST_PORTS: Final = 64


def ports(root: Path) -> list[tuple[str, Path]]:
    """``(adapter/port, directory)`` of all ports, as node_exporter names them too: mlx5_0/1."""
    found = sorted((root / _CLASS).glob("*/ports/*"))
    return [(f"{path.parent.parent.name}/{path.name}", path) for path in found]


def state(port: Path) -> str | None:
    """State of a port, lower case: active | down | init | armed."""
    return (proc.read_text(port / "state", 64) or "").partition(":")[2].strip().lower() or None


def speed_mbps(port: Path) -> int | None:
    """Rate of a port; its file says ``400 Gb/sec (4X NDR)``."""
    try:
        return int(float((proc.read_text(port / "rate", 64) or "").split()[0]) * 1000)
    except (IndexError, ValueError):
        return None


class InfiniBand(Collector):
    """One row a port every five seconds from /sys/class/infiniband."""

    name = "infiniband"
    tables = ("net_samples",)
    requires = "an InfiniBand or RoCE adapter with its driver loaded"
    budget = Budget(seconds=3.0, bytes=64 * 1024)
    period = 5
    node_wide = True
    root = Path("/")

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find the ports, and the counters each of them has."""
        found = ports(self.root)
        if not found:
            raise Missing("no InfiniBand or RoCE adapter: /sys/class/infiniband has no port")
        self.drops += max(0, len(found) - _MOST_PORTS)
        self._ports = [
            (name, port, [file for file in _COUNTERS if proc.read_int(port / file) is not None])
            for name, port in found[:_MOST_PORTS]
        ]
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """All ports."""
        yield "net_samples", [self._read(*port) for port in self._ports]

    @staticmethod
    def _read(name: str, port: Path, files: list[str]) -> Row:
        now = state(port)
        row: Row = {
            "ts_mono_ns": time.monotonic_ns(),
            "interface": name,
            "state": now,
            "carrier": None if now is None else now == "active",
            "speed_mbps": speed_mbps(port),
        }
        for file in files:
            column, scale = _COUNTERS[file]
            if row.get(column) is None:
                value = proc.read_int(port / file)
                row[column] = None if value is None or value * scale > _MOST else value * scale
        return row
