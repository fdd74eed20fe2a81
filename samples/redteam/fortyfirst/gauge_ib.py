"""SIMULATED: nothing here was taken from a real job. Gauges of invented GPUs, and the forms in which they are kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What a board does by itself."""

    name: str
    total: int
    reserved: int
    idle_w: float
    cap_w: float
    clock: int
    idle_clock: int
    mem_clock: int
    idle_mem_clock: int
    driver: str


V100 = Board("Tesla V100-SXM2-32GB", 32768, 274, 41.0, 300.0, 1530, 135, 877, 877, "535.183.06")
H100 = Board("NVIDIA H100 80GB HBM3", 81559, 551, 69.0, 700.0, 1980, 345, 2619, 2619, "550.127.08")
L40S = Board("NVIDIA L40S", 46068, 582, 34.0, 350.0, 2520, 210, 9001, 405, "560.35.05")
R4090 = Board("NVIDIA GeForce RTX 4090", 24564, 366, 17.0, 450.0, 2730, 210, 10501, 405, "565.57.01")
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 868, 61.0, 400.0, 1410, 210, 1593, 1593, "535.216.03")


@dataclass(frozen=True)
class Load:
    """What a GPU shows at one moment."""

    util: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    fb: float = 0.0
    watt: float = 0.0
    clock: float = 0.0
    mem_clock: float = 0.0
    temp: float = 0.0
    reasons: int = 0
    pcie: float = 0.0
    nvlink: float = 0.0
    xid: int = 0
    dbe: int = 0
    rows_u: int = 0
    rows_c: int = 0
    pending: int = 0
    joule: float = 0.0
    thermal_us: float = 0.0
    power_us: float = 0.0


def rest(board: Board, fb: float = 0.0) -> Load:
    """A GPU without work; with memory held it keeps some of its clocks."""
    return Load(fb=fb, watt=board.idle_w, clock=board.idle_clock, mem_clock=board.idle_mem_clock, reasons=1)


def ticks(rng: Random, start: float, end: float, every: float, jitter: float = 0.0) -> list[float]:
    """The moments of the samples."""
    out, now = [], start
    while now < end:
        out.append(now)
        now += every + (rng.uniform(0.0, jitter) if jitter else 0.0)
    return out


def play(
    rng: Random, board: Board, times: Sequence[float], load: Callable[[float], Load], cool: float, per_watt: float
) -> list[tuple[float, Load]]:
    """Follow a GPU through the times: noise upon the load, and a temperature that lags behind the power."""
    out: list[tuple[float, Load]] = []
    temp = cool + per_watt * board.idle_w
    joule = rng.uniform(2e8, 6e9)
    thermal = power = 0.0
    before = times[0] - 15.0
    for now in times:
        want = load(now)
        step = now - before
        before = now
        busy = want.util > 1.0
        watt = want.watt * (rng.gauss(1.0, 0.035) if busy else rng.gauss(1.0, 0.006))
        watt = min(watt, board.cap_w * 1.015)
        aim = want.temp or cool + per_watt * watt
        temp += (aim - temp) * (1.0 - 2.718281828 ** (-step / 55.0))
        joule += watt * step
        if want.reasons & 0x68:
            thermal += step * 1e6 * rng.uniform(0.55, 0.8)
        if want.reasons & 0x4:
            power += step * 1e6 * rng.uniform(0.05, 0.2)
        clock = want.clock
        if busy and clock > board.idle_clock:
            clock = min(board.clock, 15 * round(clock * rng.gauss(1.0, 0.004) / 15))
        util = want.util
        if 3.0 < util < 99.5:
            util = max(0.0, min(100.0, rng.gauss(util, 2.5)))
        out.append(
            (
                now,
                replace(
                    want,
                    util=float(round(util)),
                    sm=shake(rng, want.sm),
                    tensor=shake(rng, want.tensor),
                    dram=shake(rng, want.dram),
                    pcie=want.pcie * rng.uniform(0.8, 1.2),
                    nvlink=want.nvlink * rng.uniform(0.9, 1.1),
                    watt=watt,
                    temp=temp + rng.gauss(0.0, 0.3),
                    clock=clock,
                    joule=joule,
                    thermal_us=thermal,
                    power_us=power,
                ),
            )
        )
    return out


def shake(rng: Random, value: float) -> float:
    """A share with noise."""
    return max(0.0, min(1.0, rng.gauss(value, 0.04 * value + 0.0004))) if value else 0.0


def uuid(rng: Random) -> str:
    """A GPU's name for life."""
    h = f"{rng.getrandbits(128):032x}"
    return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


Track = list[tuple[float, Load]]


def dcgm(board: Board, profiling: bool = True, nvlink: bool = True) -> dict[str, Callable[[Load], str]]:
    """The exporter's metrics, by name."""
    out: dict[str, Callable[[Load], str]] = {
        "DCGM_FI_DEV_GPU_UTIL": lambda s: f"{s.util:.0f}",
        "DCGM_FI_DEV_MEM_COPY_UTIL": lambda s: f"{min(100.0, s.dram * 105):.0f}",
        "DCGM_FI_DEV_FB_USED": lambda s: f"{s.fb:.0f}",
        "DCGM_FI_DEV_FB_FREE": lambda s: f"{board.total - board.reserved - s.fb:.0f}",
        "DCGM_FI_DEV_POWER_USAGE": lambda s: f"{s.watt:.3f}",
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda s: f"{s.joule * 1000:.0f}",
        "DCGM_FI_DEV_SM_CLOCK": lambda s: f"{s.clock:.0f}",
        "DCGM_FI_DEV_MEM_CLOCK": lambda s: f"{s.mem_clock:.0f}",
        "DCGM_FI_DEV_GPU_TEMP": lambda s: f"{s.temp:.0f}",
        "DCGM_FI_DEV_MEMORY_TEMP": lambda s: f"{s.temp + 6 + 9 * s.dram:.0f}",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": lambda s: f"{s.reasons}",
        "DCGM_FI_DEV_XID_ERRORS": lambda s: f"{s.xid}",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda s: f"{s.dbe}",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda s: f"{s.rows_u}",
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda s: f"{s.rows_c}",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda _: "0",
        "DCGM_FI_DEV_ROW_REMAP_PENDING": lambda s: f"{s.pending}",
        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": lambda _: "0",
    }
    if profiling:
        out |= {
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda s: f"{min(1.0, s.util / 100 * 0.998):.6f}",
            "DCGM_FI_PROF_SM_ACTIVE": lambda s: f"{s.sm:.6f}",
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda s: f"{s.tensor:.6f}",
            "DCGM_FI_PROF_DRAM_ACTIVE": lambda s: f"{s.dram:.6f}",
            "DCGM_FI_PROF_PCIE_RX_BYTES": lambda s: f"{s.pcie:.0f}",
            "DCGM_FI_PROF_PCIE_TX_BYTES": lambda s: f"{s.pcie * 0.7:.0f}",
        }
        if nvlink:
            out["DCGM_FI_PROF_NVLINK_TX_BYTES"] = lambda s: f"{s.nvlink:.0f}"
            out["DCGM_FI_PROF_NVLINK_RX_BYTES"] = lambda s: f"{s.nvlink * 1.003:.0f}"
    return out


def series(
    names: dict[str, Callable[[Load], str]], labels: dict[str, str], track: Track, round_to: int = 0
) -> list[dict[str, object]]:
    """One GPU's series as Prometheus gives them."""
    return [
        {
            "metric": {"__name__": name} | labels,
            "values": [[round(t, round_to) if round_to else int(t), form(s)] for t, s in track],
        }
        for name, form in names.items()
    ]


def matrix(path: Path, rows: Iterable[dict[str, object]]) -> None:
    """Write a query_range answer."""
    body = {"status": "success", "data": {"resultType": "matrix", "result": list(rows)}}
    write(path, json.dumps(body, separators=(",", ":")) + "\n")


def write(path: Path, text: str) -> None:
    """Write a text, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def clock(t: float, hours: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A moment in a zone's clock."""
    return datetime.fromtimestamp(t, timezone(timedelta(hours=hours))).strftime(form)


def milli(t: float, hours: float, form: str = "%Y-%m-%d %H:%M:%S", mark: str = ".") -> str:
    """A moment with milliseconds."""
    return clock(t, hours, form) + f"{mark}{int(t % 1 * 1000):03d}"


def at(text: str, hours: float) -> float:
    """The epoch of a zone's clock."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def dmon(
    path: Path,
    hours: float,
    tracks: Sequence[tuple[int, Track]],
    columns: Sequence[tuple[str, str, Callable[[Load], str]]],
) -> None:
    """Write dcgmi dmon's lines, with the time that ts puts before them."""
    head = "#Entity   " + "".join(f"{name:<12}" for name, _, _ in columns)
    units = "ID        " + "".join(f"{unit:<12}" for _, unit, _ in columns)
    out = []
    for i in range(len(tracks[0][1])):
        when = clock(tracks[0][1][i][0], hours)
        if i % 25 == 0:
            out += [f"{when} {head.rstrip()}", f"{when} {units.rstrip()}"]
        for index, track in tracks:
            cells = "".join(f"{form(track[i][1]):<12}" for _, _, form in columns)
            out.append(f"{when} GPU {index:<6}{cells.rstrip()}")
    write(path, "\n".join(out) + "\n")


def curve(rng: Random, step: int, floor: float, height: float, pace: float, noise: float) -> float:
    """A loss that falls as losses do."""
    return (floor + height / (1.0 + step / pace) ** 0.7) * rng.gauss(1.0, noise)
