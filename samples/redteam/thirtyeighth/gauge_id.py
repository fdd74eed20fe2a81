"""Boards, their physics and the forms in which their metrics, accounting and kernel lines are kept.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What a kind of GPU is like when idle and when busy."""

    name: str
    total: int
    idle_w: float
    held_w: float
    spin_w: float
    cap_w: float
    boost: int
    idle_mhz: int
    mem_mhz: int
    cool: float
    per_watt: float
    remap: bool = True
    driver: str = "550.127.08"


H100 = Board("NVIDIA H100 80GB HBM3", 81559, 71, 118, 196, 700, 1980, 345, 2619, 27, 0.050)
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 58, 78, 117, 400, 1410, 210, 1593, 29, 0.085, driver="535.216.03")
V100 = Board("Tesla V100-SXM2-32GB", 32768, 42, 56, 84, 300, 1530, 135, 877, 32, 0.100, False, "535.183.06")
B200 = Board("NVIDIA B200", 183359, 141, 188, 320, 1000, 1965, 120, 3996, 28, 0.035, driver="570.148.08")
A6000 = Board("NVIDIA RTX A6000", 46068, 21, 78, 112, 300, 1860, 210, 8001, 31, 0.155, driver="550.90.07")


@dataclass(frozen=True)
class Point:
    """What one GPU does at an instant."""

    util: float = 0.0
    sm: float = 0.0
    fb: float = 4.0
    watts: float = 0.0
    engine: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    link: float = 0.0
    host: float = 0.0
    awake: bool = False
    capped: bool = False


def idle(board: Board, fb: float = 4.0) -> Point:
    """Nobody on the GPU."""
    return Point(fb=fb, watts=board.idle_w)


def held(board: Board, fb: float) -> Point:
    """A context with memory, and nothing launched."""
    return Point(fb=fb, watts=board.held_w, awake=True)


def spin(board: Board, fb: float) -> Point:
    """A collective's kernel that waits for a peer."""
    return Point(100, 0.064, fb, board.spin_w, 1.0, 0.0, 0.003, 0.0, 2.0e5, True)


def busy(
    board: Board, fb: float, sm: float = 0.78, share: float = 0.8, link: float = 0.0, capped: bool = False
) -> Point:
    """A training step in full swing, at a share of the power cap."""
    return Point(98, sm, fb, board.cap_w * share, 0.96, sm * 0.48, sm * 0.52, link, 9.0e8, True, capped)


@dataclass
class Card:
    """A GPU of a node, what it does by the second after the job's start, and its counters."""

    host: str
    index: int
    plan: Callable[[float], Point]
    board: Board
    ecc: Callable[[float], int] = lambda _: 0
    dbe: Callable[[float], int] = lambda _: 0
    pending: Callable[[float], int] = lambda _: 0
    rows: list[dict[str, float]] = field(default_factory=list)
    uuid: str = ""

    def run(self, rng: Random, times: Sequence[float]) -> None:
        """Fill the rows."""
        self.uuid = "GPU-" + "-".join(f"{rng.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12))
        board, lean = self.board, rng.uniform(-1.5, 2.5)
        temp, energy, last = board.cool + lean, rng.uniform(2e10, 9e11), times[0] - 30
        for when in times:
            point = self.plan(when)
            gap, last = when - last, when
            active = point.util > 0
            spinning = point.util >= 100 and point.sm < 0.1
            watts = point.watts * (1 + rng.gauss(0, 0.004 if not active or spinning else 0.035)) + rng.gauss(0, 0.4)
            watts = min(watts, board.cap_w * 1.012)
            goal = board.cool + lean + (watts - board.idle_w) * board.per_watt
            temp = goal + (temp - goal) * 2.718 ** (-gap / 45)
            energy += watts * gap * 1000
            clock = board.boost if point.awake else board.idle_mhz
            if point.capped:
                clock -= rng.choice((105, 120, 135, 150, 165, 180, 210, 225))
            elif active and not spinning and rng.random() < 0.3:
                clock -= 15
            noise = 0.0 if not active else rng.gauss(0, 0.002 if spinning else 0.03)
            util = 100 if spinning else max(0, min(100, round(point.util + (rng.gauss(0, 1.6) if active else 0))))
            self.rows.append(
                {
                    "t": when,
                    "util": util,
                    "copy": round(min(100, max(0, point.dram * 95 + noise * 30))),
                    "fb": round(point.fb + (rng.choice((0, 0, 0, 2)) if active and not spinning else 0)),
                    "watts": round(watts, 3),
                    "temp": round(temp),
                    "mtemp": round(temp + 5 + point.dram * 9),
                    "clock": clock,
                    "energy": round(energy),
                    "reason": 4 if point.capped else (0 if point.awake else 1),
                    "engine": min(1.0, max(0.0, point.engine + (noise * 0.4 if not spinning else 0))),
                    "sm": max(0.0, point.sm + noise),
                    "tensor": max(0.0, point.tensor + noise / 2 if point.tensor else 0.0),
                    "dram": max(0.0, point.dram + (noise / 2 if not spinning else noise / 20)),
                    "link": max(0.0, point.link * (1 + rng.gauss(0, 0.05))),
                    "tx": max(3e4, point.host * (0.3 + rng.gauss(0, 0.02))) + rng.uniform(0, 9e3),
                    "rx": max(5e4, point.host * (0.7 + rng.gauss(0, 0.04))) + rng.uniform(0, 9e3),
                    "ecc": self.ecc(when),
                    "dbe": self.dbe(when),
                    "pending": self.pending(when),
                }
            )


def times_of(minutes: float, every: int, rng: Random, before: int = 480, after: int = 420) -> list[float]:
    """Sample times, in seconds after the job's start."""
    first = -before + rng.randrange(every)
    return [float(n) for n in range(first, int(minutes * 60) + after, every)]


FIELDS = {
    "DCGM_FI_DEV_SM_CLOCK": "clock",
    "DCGM_FI_DEV_GPU_TEMP": "temp",
    "DCGM_FI_DEV_MEMORY_TEMP": "mtemp",
    "DCGM_FI_DEV_POWER_USAGE": "watts",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": "energy",
    "DCGM_FI_DEV_GPU_UTIL": "util",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "copy",
    "DCGM_FI_DEV_FB_USED": "fb",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": "reason",
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": "ecc",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "dbe",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "engine",
    "DCGM_FI_PROF_SM_ACTIVE": "sm",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "tensor",
    "DCGM_FI_PROF_DRAM_ACTIVE": "dram",
    "DCGM_FI_PROF_PCIE_TX_BYTES": "tx",
    "DCGM_FI_PROF_PCIE_RX_BYTES": "rx",
    "DCGM_FI_PROF_NVLINK_TX_BYTES": "link",
}
SHARES = {"engine", "sm", "tensor", "dram"}


def bus(index: int) -> str:
    """Address of a GPU."""
    return f"00000000:{(0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)[index]:02X}:00.0"


def query_range(path: Path, cards: Sequence[Card], start: datetime, drop: Sequence[str] = ()) -> None:
    """One answer of Prometheus with everything in it."""
    zero, result = int(start.timestamp()), []
    for name, key in FIELDS.items():
        if key in drop:
            continue
        for card in cards:
            values = []
            for row in card.rows:
                value = row[key]
                text = f"{value:.6f}" if key in SHARES else (f"{value:.3f}" if key == "watts" else f"{value:.0f}")
                values.append([zero + int(row["t"]), text])
            result.append({"metric": labels(card, name), "values": values})
    extra = ["DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_MEM_CLOCK"]
    if cards[0].board.remap:
        extra += [
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
            "DCGM_FI_DEV_ROW_REMAP_FAILURE",
        ]
    for name in extra:
        for card in cards:
            fixed = {"DCGM_FI_DEV_MEM_CLOCK": card.board.mem_mhz}.get(name, 0)
            values = [
                [zero + int(row["t"]), str(round(card.board.total * 0.993 - row["fb"]) if "FREE" in name else fixed)]
                for row in card.rows
            ]
            result.append({"metric": labels(card, name), "values": values})
    put(path, json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}) + "\n")


def labels(card: Card, name: str) -> Mapping[str, str]:
    """What dcgm-exporter says of a series."""
    return {
        "__name__": name,
        "DCGM_FI_DRIVER_VERSION": card.board.driver,
        "Hostname": card.host,
        "UUID": card.uuid,
        "device": f"nvidia{card.index}",
        "gpu": str(card.index),
        "instance": f"{card.host}:9400",
        "job": "dcgm-exporter",
        "modelName": card.board.name,
        "pci_bus_id": bus(card.index),
    }


def smi_csv(path: Path, cards: Sequence[Card], start: datetime, rng: Random, remap: bool = False) -> None:
    """What nvidia-smi's loop writes on a node."""
    head = [
        "timestamp",
        "index",
        "uuid",
        "name",
        "utilization.gpu [%]",
        "utilization.memory [%]",
        "memory.used [MiB]",
        "memory.total [MiB]",
        "power.draw [W]",
        "power.limit [W]",
        "temperature.gpu",
        "clocks.current.sm [MHz]",
        "clocks.current.memory [MHz]",
        "clocks_event_reasons.active",
        "ecc.errors.corrected.volatile.total",
        "ecc.errors.uncorrected.volatile.total",
        *(["remapped_rows.pending"] if remap else []),
    ]
    lines = [", ".join(head)]
    for rows in zip(*(card.rows for card in cards), strict=True):
        milli = rng.randrange(300, 420)
        for card, row in zip(cards, rows, strict=True):
            milli += rng.randrange(2, 7)
            when = start + timedelta(seconds=row["t"])
            board = card.board
            cells = [
                f"{when:%Y/%m/%d %H:%M:%S}.{milli:03d}",
                str(card.index),
                card.uuid,
                board.name,
                f"{row['util']} %",
                f"{row['copy']} %",
                f"{row['fb']} MiB",
                f"{board.total} MiB",
                f"{row['watts']:.2f} W",
                f"{board.cap_w:.2f} W",
                str(row["temp"]),
                f"{row['clock']} MHz",
                f"{405 if row['reason'] == 1 and board is A6000 else board.mem_mhz} MHz",
                f"0x{int(row['reason']):016x}",
                str(row["ecc"]),
                str(row["dbe"]),
                *((["Yes" if row["pending"] else "No"]) if remap else []),
            ]
            lines.append(", ".join(cells))
    put(path, "\n".join(lines) + "\n")


def put(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def piped(rows: Sequence[Mapping[str, str]]) -> str:
    """As sacct -P prints."""
    keys = list(rows[0])
    return "\n".join(["|".join(keys), *("|".join(row.get(key, "") for key in keys) for row in rows)]) + "\n"


def columns(rows: Sequence[Mapping[str, str]], widths: Mapping[str, int]) -> str:
    """As sacct prints without -P."""

    def cell(text: str, width: int) -> str:
        return text.rjust(width) if len(text) <= width else text[: width - 1] + "+"

    lines = [
        " ".join(cell(key, width) for key, width in widths.items()) + " ",
        " ".join("-" * width for width in widths.values()) + " ",
    ]
    lines += [" ".join(cell(row.get(key, ""), width) for key, width in widths.items()) + " " for row in rows]
    return "\n".join(lines) + "\n"


def zone(hours: int) -> timezone:
    """A time zone."""
    return timezone(timedelta(hours=hours))


def stamp(when: datetime) -> str:
    """As sacct prints a time."""
    return f"{when:%Y-%m-%dT%H:%M:%S}"


def span(seconds: float) -> str:
    """As sacct prints a span."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def kernel(style: str, host: str, lines: Sequence[tuple[datetime, str]], up: float = 2.1e6) -> str:
    """A node's kernel lines, in order, as journalctl, dmesg -T or syslog have them."""
    ordered = sorted(lines, key=lambda pair: pair[0])
    first, out = ordered[0][0], []
    for when, text in ordered:
        if style == "dmesg":
            out.append(f"[{when:%a %b} {when.day:2d} {when:%H:%M:%S %Y}] {text}")
        elif style == "journal":
            out.append(f"{when:%b %d %H:%M:%S} {host} kernel: {text}")
        else:
            passed = up + (when - first).total_seconds() + when.microsecond / 1e6
            out.append(f"{when:%b} {when.day:2d} {when:%H:%M:%S} {host} kernel: [{passed:14.6f}] {text}")
    return "\n".join(out) + "\n"


def dull(rng: Random, start: datetime, minutes: float, nic: str = "ens") -> list[tuple[datetime, str]]:
    """Lines that stand in any kernel log."""
    pool = [
        "perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
        "TCP: request_sock_TCP: Possible SYN flooding on port 9400. Sending cookies.",
        f"usb 1-{rng.randrange(2, 12)}: new high-speed USB device number {rng.randrange(4, 19)} using xhci_hcd",
        f"IPv6: ADDRCONF(NETDEV_CHANGE): {nic}{rng.randrange(1, 9)}np0: link becomes ready",
        "nvidia-uvm: Loaded the UVM driver, major device number 510.",
        "systemd-journald[812]: Received client request to flush runtime journal.",
        "process 'local/bin/node_probe' started with executable stack",
        "hrtimer: interrupt took 21034 ns",
    ]
    picked = rng.sample(pool, 5)
    return [
        (start + timedelta(seconds=rng.uniform(-90000, minutes * 60 + 200), microseconds=rng.randrange(999999)), text)
        for text in picked
    ]


__all__ = [
    "A100",
    "A6000",
    "B200",
    "H100",
    "V100",
    "Board",
    "Card",
    "Point",
    "busy",
    "columns",
    "dull",
    "held",
    "idle",
    "kernel",
    "piped",
    "put",
    "query_range",
    "replace",
    "smi_csv",
    "span",
    "spin",
    "stamp",
    "times_of",
    "zone",
]
