"""Gauges of simulated GPUs, and the forms in which operators keep them.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

Row = dict[str, float]

PROM = {
    "util": "DCGM_FI_DEV_GPU_UTIL",
    "copy": "DCGM_FI_DEV_MEM_COPY_UTIL",
    "fb": "DCGM_FI_DEV_FB_USED",
    "free": "DCGM_FI_DEV_FB_FREE",
    "power": "DCGM_FI_DEV_POWER_USAGE",
    "temp": "DCGM_FI_DEV_GPU_TEMP",
    "mtemp": "DCGM_FI_DEV_MEMORY_TEMP",
    "clock": "DCGM_FI_DEV_SM_CLOCK",
    "mclock": "DCGM_FI_DEV_MEM_CLOCK",
    "xid": "DCGM_FI_DEV_XID_ERRORS",
    "sbe": "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "dbe": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "urow": "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "crow": "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "rpend": "DCGM_FI_DEV_ROW_REMAP_PENDING",
    "rfail": "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "replay": "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "why": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "pviol": "DCGM_FI_DEV_POWER_VIOLATION",
    "engine": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "sm": "DCGM_FI_PROF_SM_ACTIVE",
    "tensor": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "dram": "DCGM_FI_PROF_DRAM_ACTIVE",
    "tx": "DCGM_FI_PROF_PCIE_TX_BYTES",
    "rx": "DCGM_FI_PROF_PCIE_RX_BYTES",
}
FLOATS = {"power": 3, "engine": 6, "sm": 6, "tensor": 6, "dram": 6}


@dataclass(frozen=True)
class Board:
    """What a GPU model can do."""

    name: str
    mib: int
    cap: float
    idle: float
    clock: int
    rest: int
    mclock: int
    mrest: int
    cool: float
    hot: float


A40 = Board("NVIDIA A40", 46068, 300, 31, 1740, 210, 7251, 405, 33, 74)
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 400, 62, 1410, 210, 1593, 1593, 31, 66)
A6000 = Board("NVIDIA RTX A6000", 49140, 300, 22, 1890, 210, 8000, 405, 36, 79)
B200 = Board("NVIDIA B200", 183359, 1000, 141, 1965, 120, 3996, 3996, 30, 63)
V100 = Board("Tesla V100-SXM2-32GB", 32768, 300, 42, 1530, 135, 877, 877, 34, 67)
L40S = Board("NVIDIA L40S", 46068, 350, 34, 2520, 210, 9001, 405, 31, 71)


@dataclass
class Load:
    """What a GPU is asked for at a moment; fractions of one."""

    util: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    fb: float = 0.0
    draw: float = 0.0
    link: float = 0.0
    held: bool = False


@dataclass
class Gpu:
    """A GPU with its samples."""

    host: str
    index: int
    uuid: str
    bus: str
    board: Board
    rows: list[tuple[float, Row]]


def uuid(rng: Random) -> str:
    """Return a GPU's UUID."""
    text = f"{rng.getrandbits(128):032x}"
    return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def spin(fb: float, sm: float = 0.05, draw: float = 0.24) -> Load:
    """Return the load of a rank waiting in a collective."""
    return Load(1.0, sm, 0.0, 0.015, fb, draw, 0.0, held=True)


def ticks(rng: Random, start: float, end: float, step: float) -> list[float]:
    """Return the times of the scrapes."""
    first = start + rng.uniform(0, step)
    return [round(first + i * step, 3) for i in range(int((end - first) / step) + 1)]


def gpu(
    rng: Random,
    board: Board,
    place: tuple[str, int, str],
    times: Iterable[float],
    want: Callable[[float], Load | None],
    touch: Callable[[float, Row], None] | None = None,
) -> Gpu:
    """Return a GPU with samples as its load would make them.

    Args:
        rng: Randomness.
        board: The model.
        place: Host, index and bus id.
        times: The scrapes.
        want: The load at a time; None where nothing answers.
        touch: Changes a sample: counters.
    """
    offset = rng.uniform(-3, 3)
    gain = rng.uniform(0.96, 1.04)
    base = rng.uniform(0.96, 1.06)
    temp, before = board.cool + offset, None
    rows: list[tuple[float, Row]] = []
    for time in times:
        load = want(time)
        if load is None:
            before, temp = None, board.cool + offset
            continue

        def jit(value: float, spread: float) -> float:
            return min(1.0, max(0.0, value * (1 + rng.gauss(0, spread))))

        busy = load.util > 0.02
        draw = min(1.0, max(0.0, load.draw * gain * (1 + rng.gauss(0, 0.03))))
        power = board.idle * base + (board.cap - board.idle * base) * draw + rng.gauss(0, 0.4)
        if load.held and not busy:
            power += board.idle * 0.35
        aim = board.cool + offset + (board.hot - board.cool) * (power - board.idle) / (board.cap - board.idle)
        gap = 0 if before is None else time - before
        temp += (aim - temp) * (1 - 2.718 ** (-gap / 85))
        before = time
        full = load.util > 0.985
        util = min(1.0, 0.99 + rng.choice((0.0, 0.01, 0.01, 0.01))) if full else jit(load.util, 0.05)
        sm, tensor, dram = (jit(load.sm, 0.05), jit(load.tensor, 0.06), jit(load.dram, 0.05)) if busy else (0, 0, 0)
        clock = board.clock if busy or load.held else board.rest
        if busy and draw > 0.8:
            clock -= 15 * rng.randint(2, 9)
        elif busy and rng.random() < 0.06:
            clock -= 15
        fb = load.fb * board.mib if load.fb else 3 + (board.mib > 100000) * 1
        row: Row = {
            "util": round(util * 100),
            "copy": round(dram * 100 * 0.9),
            "fb": round(fb),
            "free": round(board.mib * 0.989 - fb),
            "power": min(power, board.cap * 1.01),
            "temp": round(temp + rng.gauss(0, 0.3)),
            "mtemp": round(temp + 4 + 6 * dram + rng.gauss(0, 0.4)),
            "clock": clock,
            "mclock": board.mclock if busy or load.held else board.mrest,
            "xid": 0,
            "sbe": 0,
            "dbe": 0,
            "urow": 0,
            "crow": 0,
            "rpend": 0,
            "rfail": 0,
            "replay": 0,
            "why": (4 if busy and draw > 0.92 else 0) if busy or load.held else 1,
            "pviol": 0,
            "engine": min(1.0, 0.992 + rng.uniform(0, 0.008)) if full else util,
            "sm": sm,
            "tensor": tensor,
            "dram": dram,
            "tx": round(max(2e5, load.link * 1e9 * (1 + rng.gauss(0, 0.08)) + rng.uniform(1e5, 9e5))) if busy else 0,
            "rx": round(max(2e5, load.link * 1.03e9 * (1 + rng.gauss(0, 0.08)) + rng.uniform(1e5, 9e5))) if busy else 0,
        }
        if touch:
            touch(time, row)
        rows.append((time, row))
    return Gpu(place[0], place[1], uuid(rng), place[2], board, rows)


def text_of(key: str, value: float) -> str:
    """Return a value as an exporter prints it."""
    return f"{value:.{FLOATS[key]}f}" if key in FLOATS else str(round(value))


def prom(
    path: Path,
    gpus: Sequence[Gpu],
    keys: Sequence[str],
    labels: Callable[[Gpu, float, float], dict[str, str]] | None = None,
    cuts: Callable[[Gpu], Sequence[tuple[float, float]]] | None = None,
) -> None:
    """Write one query_range answer.

    Args:
        path: The file.
        gpus: Whose series.
        keys: The metrics.
        labels: More labels of a series between two times.
        cuts: The stretches into which the labels split a GPU's series.
    """
    result = []
    for key in keys:
        for one in gpus:
            for low, high in cuts(one) if cuts else ((0.0, 9e12),):
                values = [[t, text_of(key, r[key])] for t, r in one.rows if low <= t < high and key in r]
                if not values:
                    continue
                metric = {
                    "__name__": PROM[key],
                    "Hostname": one.host,
                    "UUID": one.uuid,
                    "device": f"nvidia{one.index}",
                    "gpu": str(one.index),
                    "instance": f"{one.host}:9400",
                    "job": "dcgm-exporter",
                    "modelName": one.board.name,
                    "pci_bus_id": f"00000000:{one.bus}:00.0",
                }
                if labels:
                    metric.update(labels(one, low, high))
                result.append({"metric": metric, "values": values})
    path.parent.mkdir(parents=True, exist_ok=True)
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    path.write_text(json.dumps(answer, separators=(",", ":")))


DMON = {
    "util": ("GPUTL", ""),
    "copy": ("MCUTL", ""),
    "fb": ("FBUSD", ""),
    "power": ("POWER", "W"),
    "temp": ("TMPTR", "C"),
    "clock": ("SMCLK", ""),
    "why": ("DVCCTR", ""),
    "sbe": ("ESVTL", ""),
    "dbe": ("EDVTL", ""),
    "xid": ("XIDER", ""),
    "sm": ("SMACT", ""),
    "tensor": ("TENSO", ""),
    "dram": ("DRAMA", ""),
    "rx": ("PCIRX", ""),
}


def dmon(path: Path, gpus: Sequence[Gpu], keys: Sequence[str], hours: float) -> None:
    """Write ``dcgmi dmon -e ... | ts '%Y-%m-%dT%H:%M:%S%z'`` of a node."""
    lines = []
    for number, (time, _) in enumerate(gpus[0].rows):
        stamp = at(time, hours, "%Y-%m-%dT%H:%M:%S%z")
        if number % 20 == 0:
            lines.append(f"{stamp} #Entity   " + "".join(f"{DMON[k][0]:<12}" for k in keys).rstrip())
            lines.append(f"{stamp} ID        " + "".join(f"{DMON[k][1]:<12}" for k in keys).rstrip())
        for one in gpus:
            row = one.rows[number][1]
            cells = [f"{row[k]:.3f}" if k in FLOATS else str(round(row[k])) for k in keys]
            lines.append(f"{stamp} GPU {one.index}     " + "".join(f"{c:<12}" for c in cells).rstrip())
    write(path, lines)


def smi(path: Path, gpus: Sequence[Gpu], hours: float) -> None:
    """Write ``nvidia-smi --query-gpu=... --format=csv -l N`` of a node."""
    lines = [
        "timestamp, index, name, pci.bus_id, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
        "memory.total [MiB], power.draw [W], temperature.gpu, clocks.current.sm [MHz], clocks_throttle_reasons.active, "
        "ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total, retired_pages.pending"
    ]
    for number, (time, _) in enumerate(gpus[0].rows):
        for one in gpus:
            row = one.rows[number][1]
            stamp = at(time + 0.004 * one.index, hours, "%Y/%m/%d %H:%M:%S.%f")[:-3]
            lines.append(
                f"{stamp}, {one.index}, {one.board.name}, 00000000:{one.bus}:00.0, {row['util']} %, {row['copy']} %, "
                f"{row['fb']} MiB, {one.board.mib} MiB, {row['power']:.2f} W, {row['temp']}, {row['clock']} MHz, "
                f"0x{round(row['why']):016X}, {row['sbe']}, {row['dbe']}, No"
            )
    write(path, lines)


def at(time: float, hours: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """Return a time as written in a zone."""
    return datetime.fromtimestamp(time, timezone(timedelta(hours=hours))).strftime(form)


def epoch(hours: float, *parts: int) -> float:
    """Return the epoch of a local time."""
    year, month, day, hour, minute, second = parts
    return datetime(year, month, day, hour, minute, second, tzinfo=timezone(timedelta(hours=hours))).timestamp()


def write(path: Path, lines: Iterable[str]) -> None:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
