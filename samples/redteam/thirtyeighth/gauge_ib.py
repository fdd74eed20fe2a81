"""Gauges of pretended GPUs: states over time, written as Prometheus answers or nvidia-smi tables.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What one kind of board shows when it idles, waits, spins and works."""

    name: str
    idle_w: float
    held_w: float
    spin_w: float
    limit_w: float
    clock_idle: int
    clock_max: int
    mem_idle: int
    mem_clock: int
    fb_total: int
    fb_empty: int
    warm: float
    driver: str
    buses: tuple[str, ...]


SXM4 = (
    "00000000:18:00.0",
    "00000000:2A:00.0",
    "00000000:3A:00.0",
    "00000000:5D:00.0",
    "00000000:9A:00.0",
    "00000000:AB:00.0",
    "00000000:BA:00.0",
    "00000000:DB:00.0",
)
V_BUS = (
    "00000000:15:00.0",
    "00000000:16:00.0",
    "00000000:3A:00.0",
    "00000000:3B:00.0",
    "00000000:89:00.0",
    "00000000:8A:00.0",
    "00000000:B2:00.0",
    "00000000:B3:00.0",
)
A_BUS = ("00000000:07:00.0", "00000000:0A:00.0", "00000000:47:00.0", "00000000:4D:00.0")
H100 = Board("NVIDIA H100 80GB HBM3", 71, 118, 246, 700, 345, 1980, 2619, 2619, 81559, 1, 0.056, "550.90.12", SXM4)
A100 = Board("NVIDIA A100-SXM4-80GB", 59, 84, 148, 400, 210, 1410, 1593, 1593, 81920, 3, 0.083, "535.183.06", A_BUS)
V100 = Board("Tesla V100-SXM2-32GB", 43, 61, 97, 300, 135, 1530, 877, 877, 32768, 1, 0.105, "535.161.08", V_BUS)
B200 = Board("NVIDIA B200", 141, 197, 330, 1000, 120, 1965, 3996, 3996, 183359, 2, 0.037, "570.148.08", SXM4)
A6000 = Board(
    "NVIDIA RTX A6000",
    21,
    74,
    112,
    300,
    210,
    1950,
    405,
    7600,
    46068,
    4,
    0.15,
    "550.127.05",
    ("00000000:01:00.0", "00000000:25:00.0", "00000000:81:00.0", "00000000:C1:00.0"),
)


@dataclass
class Point:
    """What a GPU does in one sampling interval."""

    util: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    fb: float = 0.0
    power: float = 0.0
    held: bool = False
    link: float = 0.0
    mask: int = 1
    clock: float = 0.0


@dataclass
class Device:
    """One GPU of one node with its plan and its counters."""

    node: str
    index: int
    board: Board
    uuid: str
    plan: Callable[[float], Point]
    sbe: list[float] = field(default_factory=list)
    dbe: list[float] = field(default_factory=list)
    sbe_base: int = 0
    room: float = 27.0
    replays: int = 0


def uuid(rng: Random) -> str:
    """Give a GPU's name as the driver writes it."""
    text = "".join(rng.choice("0123456789abcdef") for _ in range(32))
    return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def off(board: Board) -> Point:
    """Nobody is on the GPU."""
    return Point(fb=board.fb_empty, power=board.idle_w)


def held(board: Board, fb: float) -> Point:
    """A process holds memory and launches nothing."""
    return Point(fb=fb, power=board.held_w, held=True)


def spin(board: Board, fb: float, rng: Random) -> Point:
    """A collective's kernel waits for a peer that does not come."""
    return Point(
        100,
        rng.uniform(0.012, 0.035),
        0.0,
        rng.uniform(0.001, 0.003),
        fb,
        board.spin_w * rng.gauss(1, 0.006),
        True,
        rng.uniform(2e3, 9e3),
        0,
    )


def busy(board: Board, fb: float, rng: Random, level: float = 0.75, *, link: float = 4e10, cap: bool = False) -> Point:
    """The GPU works; level is the share of its power limit that is drawn."""
    part = min(1.0, max(0.2, rng.gauss(level, 0.03)))
    util = min(100.0, max(55.0, rng.gauss(97 if level > 0.6 else 88, 2.2)))
    clock = board.clock_max - (board.clock_max * rng.uniform(0.04, 0.13) if cap else rng.choice((0, 0, 0, 15)))
    return Point(
        util,
        min(0.96, part * rng.gauss(0.98, 0.03)),
        part * rng.uniform(0.38, 0.47),
        part * rng.uniform(0.4, 0.5),
        fb,
        board.limit_w * (min(1.0, rng.gauss(0.992, 0.006)) if cap else part),
        True,
        link * rng.gauss(1, 0.08),
        4 if cap else 0,
        clock,
    )


@dataclass
class Reading:
    """One sample of one GPU."""

    at: float
    point: Point
    power: float
    temp: float
    mem_temp: float
    clock: int
    mem_clock: int
    energy: int
    sbe: int
    dbe: int


def readings(dev: Device, start: float, begin: float, end: float, step: float, rng: Random) -> Iterable[Reading]:
    """Sample a GPU from begin to end (seconds since the job's start)."""
    board, temp, energy = dev.board, 0.0, rng.randint(10**11, 9 * 10**12)
    at, first = begin, True
    while at <= end:
        point = dev.plan(at)
        power = max(board.idle_w * 0.9, point.power * rng.gauss(1, 0.008))
        goal = dev.room + board.warm * power
        temp = goal if first else temp + (goal - temp) * (1 - math.exp(-step / 42))
        first = False
        energy += int(power * step * 1000)
        clock = point.clock or (board.clock_max if point.held else board.clock_idle)
        yield Reading(
            start + at,
            point,
            power,
            temp + rng.uniform(-0.4, 0.4),
            temp + 8 + rng.uniform(-0.6, 0.6),
            int(clock // 15 * 15),
            board.mem_clock if point.held else board.mem_idle,
            energy,
            dev.sbe_base + sum(1 for tick in dev.sbe if tick <= at),
            sum(1 for tick in dev.dbe if tick <= at),
        )
        at += step


def series(
    devices: Iterable[Device],
    start: float,
    begin: float,
    end: float,
    step: float,
    rng: Random,
    *,
    prof: bool = True,
    remaps: bool = True,
) -> list[dict[str, Any]]:
    """Give the series of a query_range answer for dcgm-exporter's names."""
    out: list[dict[str, Any]] = []
    for dev in devices:
        board = dev.board
        rows = list(readings(dev, start, begin, end, step, rng))
        table: dict[str, list[str]] = {}
        for row in rows:
            pt = row.point
            fields: dict[str, str] = {
                "DCGM_FI_DEV_SM_CLOCK": str(row.clock),
                "DCGM_FI_DEV_MEM_CLOCK": str(row.mem_clock),
                "DCGM_FI_DEV_GPU_TEMP": str(round(row.temp)),
                "DCGM_FI_DEV_MEMORY_TEMP": str(round(row.mem_temp)),
                "DCGM_FI_DEV_POWER_USAGE": f"{row.power:.3f}",
                "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": str(row.energy),
                "DCGM_FI_DEV_GPU_UTIL": str(round(pt.util)),
                "DCGM_FI_DEV_MEM_COPY_UTIL": str(round(pt.dram * 100)),
                "DCGM_FI_DEV_FB_USED": str(round(pt.fb)),
                "DCGM_FI_DEV_FB_FREE": str(round(board.fb_total - pt.fb - board.fb_total * 0.0078)),
                "DCGM_FI_DEV_XID_ERRORS": "0",
                "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": str(dev.replays),
                "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": str(row.sbe),
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": str(row.dbe),
                "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": str(pt.mask),
            }
            if remaps:
                fields |= {
                    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": "0",
                    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "0",
                    "DCGM_FI_DEV_ROW_REMAP_FAILURE": "0",
                }
            if prof:
                engine = min(1.0, pt.util / 100 * rng.uniform(0.985, 1.005)) if pt.util else 0.0
                fields |= {
                    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": f"{engine:.6f}",
                    "DCGM_FI_PROF_SM_ACTIVE": f"{pt.sm:.6f}",
                    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": f"{pt.tensor:.6f}",
                    "DCGM_FI_PROF_DRAM_ACTIVE": f"{pt.dram:.6f}",
                    "DCGM_FI_PROF_NVLINK_TX_BYTES": str(round(pt.link)),
                    "DCGM_FI_PROF_NVLINK_RX_BYTES": str(round(pt.link * rng.uniform(0.97, 1.03))),
                    "DCGM_FI_PROF_PCIE_RX_BYTES": str(round(pt.link * 0.03 + rng.uniform(1e5, 3e5))),
                }
            for name, value in fields.items():
                table.setdefault(name, []).append(value)
        for name, values in table.items():
            labels = {
                "__name__": name,
                "DCGM_FI_DRIVER_VERSION": board.driver,
                "Hostname": dev.node,
                "UUID": dev.uuid,
                "device": f"nvidia{dev.index}",
                "gpu": str(dev.index),
                "instance": f"{dev.node}:9400",
                "job": "dcgm-exporter",
                "modelName": board.name,
                "pci_bus_id": board.buses[dev.index],
            }
            out.append(
                {
                    "metric": labels,
                    "values": [[round(row.at, 3), value] for row, value in zip(rows, values, strict=True)],
                }
            )
    return out


def answer(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write a query_range answer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"status": "success", "data": {"resultType": "matrix", "result": rows}}
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n")


def smi(path: Path, devices: list[Device], clock: Clock, begin: float, end: float, step: float, rng: Random) -> None:
    """Write what nvidia-smi -l wrote on one node."""
    head = (
        "timestamp, name, index, uuid, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
        "memory.total [MiB], power.draw [W], enforced.power.limit [W], temperature.gpu, clocks.current.sm [MHz], "
        "clocks.current.memory [MHz], clocks_throttle_reasons.active, ecc.errors.corrected.volatile.total, "
        "ecc.errors.uncorrected.volatile.total"
    )
    columns = [list(readings(dev, 0, begin, end, step, rng)) for dev in devices]
    lines = [head]
    for rows in zip(*columns, strict=True):
        drift = rng.uniform(0, 0.3)
        for dev, row in zip(devices, rows, strict=True):
            pt, board = row.point, dev.board
            when = clock.at(row.at + drift + 0.004 * dev.index)
            state = "P0" if pt.held or board is not A6000 else "P8"
            if board is A6000 and pt.held:
                state = "P2"
            lines.append(
                f"{when:%Y/%m/%d %H:%M:%S}.{when.microsecond // 1000:03d}, {board.name}, {dev.index}, {dev.uuid},"
                f" {state}, {round(pt.util)} %, {round(pt.dram * 100)} %, {round(pt.fb)} MiB, {board.fb_total} MiB,"
                f" {row.power:.2f} W, {board.limit_w:.2f} W, {round(row.temp)}, {row.clock} MHz, {row.mem_clock} MHz,"
                f" 0x{pt.mask:016X}, {row.sbe}, {row.dbe}"
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


@dataclass(frozen=True)
class Clock:
    """A job's start, in the time zone of its logs."""

    start: str
    hours: float

    @property
    def zero(self) -> datetime:
        """The job's start."""
        return datetime.fromisoformat(self.start).replace(tzinfo=timezone(timedelta(hours=self.hours)))

    @property
    def epoch(self) -> float:
        """The job's start since 1970."""
        return self.zero.timestamp()

    def at(self, seconds: float) -> datetime:
        """Give the time so many seconds after the start."""
        return self.zero + timedelta(seconds=seconds)

    def iso(self, seconds: float) -> str:
        """Give a time as Slurm writes it."""
        return f"{self.at(seconds):%Y-%m-%dT%H:%M:%S}"

    def full(self, seconds: float) -> str:
        """Give a time as Python's logging writes it."""
        when = self.at(seconds)
        return f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}"

    def secs(self, seconds: float) -> str:
        """Give a time to the second."""
        return f"{self.at(seconds):%Y-%m-%d %H:%M:%S}"


def hms(seconds: float) -> str:
    """Write a span as Slurm does."""
    total = int(seconds)
    return f"{total // 3600:02d}:{total // 60 % 60:02d}:{total % 60:02d}"


def bar(seconds: float) -> str:
    """Write a span as progress bars do."""
    total = int(seconds)
    hours = total // 3600
    return f"{hours}:{total // 60 % 60:02d}:{total % 60:02d}" if hours else f"{total // 60:02d}:{total % 60:02d}"


def piped(path: Path, rows: list[dict[str, str]]) -> None:
    """Write sacct -P."""
    names = list(rows[0])
    lines = ["|".join(names)] + ["|".join(row.get(name, "") for name in names) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def columns(path: Path, rows: list[dict[str, str]], widths: dict[str, int]) -> None:
    """Write sacct's columns: names and values set to the right, cut ones marked by a plus sign."""
    lines = [
        " ".join(name[:width].rjust(width) for name, width in widths.items()) + " ",
        " ".join("-" * width for width in widths.values()) + " ",
    ]
    for row in rows:
        cells = []
        for name, width in widths.items():
            value = row.get(name, "")
            value = value if len(value) <= width else value[: width - 1] + "+"
            cells.append(value.ljust(width) if name == "JobID" else value.rjust(width))
        lines.append(" ".join(cells) + " ")
    path.write_text("\n".join(lines) + "\n")


def journal(path: Path, node: str, clock: Clock, events: list[tuple[float, str]], *, iso: bool = True) -> None:
    """Write journalctl -k."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for at, text in sorted(events, key=lambda event: event[0]):
        when = clock.at(at)
        stamp = f"{when:%Y-%m-%dT%H:%M:%S%z}" if iso else f"{when:%b %d %H:%M:%S}"
        lines.append(f"{stamp} {node} kernel: {text}")
    path.write_text("\n".join(lines) + "\n")


def syslog(path: Path, node: str, clock: Clock, events: list[tuple[float, str]], up: float) -> None:
    """Write a kernel's part of syslog."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{clock.at(at):%b %d %H:%M:%S} {node} kernel: [{up + at:.6f}] {text}"
        for at, text in sorted(events, key=lambda event: event[0])
    ]
    path.write_text("\n".join(lines) + "\n")


def dmesg(path: Path, clock: Clock, events: list[tuple[float, str]]) -> None:
    """Write dmesg -T."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "\n".join(
            f"[{clock.at(at):%a %b %e %H:%M:%S %Y}] {text}" for at, text in sorted(events, key=lambda event: event[0])
        )
        + "\n"
    )


CHATTER = (
    "perf: interrupt took too long (2507 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
    "TCP: request_sock_TCP: Possible SYN flooding on port 6818. Sending cookies.  Check SNMP counters.",
    'audit: type=1400 audit(0.0:4411): apparmor="STATUS" operation="profile_replace" profile="unconfined"',
    "device eth0 entered promiscuous mode",
    "device eth0 left promiscuous mode",
    "loop3: detected capacity change from 0 to 8",
    "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.",
)


def chatter(rng: Random, begin: float, end: float, count: int) -> list[tuple[float, str]]:
    """Give a kernel's usual words."""
    return [(rng.uniform(begin, end), rng.choice(CHATTER)) for _ in range(count)]
