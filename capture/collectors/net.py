"""Network interfaces and TCP retransmissions, as counters since boot."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Row

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_FIELDS: Final = {
    "rx_bytes": 0,
    "rx_packets": 1,
    "rx_errors": 2,
    "rx_drops": 3,
    "tx_bytes": 8,
    "tx_packets": 9,
    "tx_errors": 10,
    "tx_drops": 11,
}
_FASTEST: Final = 100_000_000
_SPEED_EVERY: Final = 30
"""Looks, a minute: some drivers ask the adapter for it."""
_MOST_INTERFACES: Final = 64
"""A container host has thousands of veth pairs; the job's traffic is on the first few."""


def speed_mbps(interface: str | Path) -> int | None:
    """Speed of the interface with this directory in sysfs; None where the driver gives none (-1, or all ones)."""
    speed = proc.read_int(f"{interface}/speed")
    return speed if speed and 0 < speed <= _FASTEST else None


def _retransmits(snmp: str) -> int | None:
    lines = [line.split() for line in snmp.splitlines() if line.startswith("Tcp:")]
    if len(lines) != 2 or "RetransSegs" not in lines[0]:
        return None
    return int(lines[1][lines[0].index("RetransSegs")])


class Net(Collector):
    """One row an interface and look from /proc/net/dev."""

    name = "net"
    tables = ("net_samples",)
    budget = Budget(seconds=3.0, bytes=32 * 1024)
    node_wide = True
    period = 2

    def __init__(self) -> None:
        super().__init__()
        self._ticks = 0
        self._dev = proc.Kept("/proc/net/dev", records=True)
        self._snmp = proc.Kept("/proc/net/snmp")

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """All interfaces of our network namespace."""
        now = time.monotonic_ns()
        rows: list[Row] = []
        speeds = self._ticks % _SPEED_EVERY == 0
        self._ticks += 1
        for line in (self._dev.text() or "").splitlines()[2:]:
            name, _, rest = line.strip().partition(":")
            fields = rest.split()
            if len(fields) < 12:
                continue
            if len(rows) == _MOST_INTERFACES:
                self.drops += 1
                continue
            carrier = proc.read_int(f"/sys/class/net/{name}/carrier")
            rows.append(
                {
                    "ts_mono_ns": now,
                    "interface": name,
                    **{column: int(fields[index]) for column, index in _FIELDS.items()},
                    "carrier": None if carrier is None else carrier == 1,
                    "speed_mbps": speed_mbps(f"/sys/class/net/{name}") if speeds else None,
                    "tcp_retransmits": _retransmits(self._snmp.text() or "") if name == "lo" else None,
                }
            )
        yield "net_samples", rows
