"""SIMULATED GPU metrics: a small model of power, clocks, temperature and activity, and the forms it is written in."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from random import Random


@dataclass
class Board:
    """What a GPU model can do."""

    name: str
    total: int  # MiB
    reserved: int
    limit: float
    idle: float
    clock: int
    idle_clock: int
    mem_clock: int
    idle_mem_clock: int
    ambient: float
    full: float  # temperature at the limit
    nvlink: bool = False
    hbm: bool = False


BOARDS = {
    "a100": Board("NVIDIA A100-SXM4-80GB", 81920, 868, 400, 62, 1410, 210, 1593, 1593, 29, 60, True, True),
    "h100": Board("NVIDIA H100 80GB HBM3", 81559, 613, 700, 72, 1980, 345, 2619, 2619, 27, 66, True, True),
    "l40s": Board("NVIDIA L40S", 46068, 584, 350, 33, 2520, 210, 9001, 405, 28, 71),
    "a40": Board("NVIDIA A40", 46068, 576, 300, 29, 1740, 210, 7251, 405, 28, 74),
    "4090": Board("NVIDIA GeForce RTX 4090", 24564, 350, 450, 17, 2745, 210, 10501, 405, 31, 67),
}


@dataclass
class Load:
    """How a GPU is used around a moment."""

    util: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    mem: float = 0.0  # MiB in use
    power: float = 0.0  # share of the way from idle to the limit
    capped: bool = False
    awake: bool = False  # a context keeps the clocks up
    link: float = 0.0  # GB/s
    pcie: float = 0.0  # GB/s


IDLE = Load()


@dataclass
class Gpu:
    """One device and its samples: time and fields, or None where none came."""

    node: str
    index: int
    board: Board
    rng: Random
    uid: str = ""
    serial: str = ""
    bus: str = ""
    skew: float = 0.0
    remapped: int = 0
    temp: float = 0.0
    energy: float = 0.0
    lag: float = 0.0
    rows: list[tuple[float, dict[str, float]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Give the device its own ways."""
        self.uid = "GPU-" + str(uuid.UUID(int=self.rng.getrandbits(128), version=4))
        self.serial = str(self.rng.randrange(1320021000000, 1659923999999))
        self.bus = f"00000000:{[0x07, 0x0F, 0x47, 0x4E, 0x87, 0x90, 0xB7, 0xBD][self.index % 8]:02X}:00.0"
        self.skew = self.rng.uniform(-2.5, 3.0)
        self.energy = self.rng.uniform(4e11, 9e12)
        self.temp = self.board.ambient + self.skew
        self.lag = self.rng.uniform(0.0, 0.02)

    def sample(self, at: float, load: Load, step: float) -> None:
        b, rng = self.board, self.rng
        busy = load.util > 0 or load.awake
        watts = b.idle + self.skew + (27 if busy and b.hbm else 47 if busy else 0) + rng.gauss(0, 0.35)
        if load.power:
            watts = b.idle + (b.limit - b.idle) * min(1.0, load.power * (1 + rng.gauss(0, 0.012)) - self.lag)
        if load.capped:
            watts = b.limit * (1 + rng.gauss(-0.004, 0.004))
        target = b.ambient + self.skew + (b.full - b.ambient) * (watts - b.idle) / (b.limit - b.idle)
        self.temp += (target - self.temp) * (1 - 2.718 ** (-step / 55.0))
        clock = b.clock if busy else b.idle_clock
        if load.capped:
            clock = int(b.clock * rng.uniform(0.86, 0.93) // 15 * 15)
        elif load.power > 0.82 and not b.hbm:
            clock = int(b.clock * rng.uniform(0.955, 0.99) // 15 * 15)
        reason = 4 if load.capped else 0 if busy else 1
        self.energy += watts * step * 1000
        util = max(0, min(100, round(load.util + (rng.gauss(0, 0.7) if 0 < load.util < 100 else 0))))
        jit = rng.gauss(0, 0.011)
        self.rows.append(
            (
                at,
                {
                    "util": util,
                    "memutil": round(max(0, min(100, load.dram * 100 * 0.85 + rng.gauss(0, 1)))) if load.dram else 0,
                    "sm": round(max(0.0, load.sm * (1 + jit)), 6),
                    "occ": round(max(0.0, load.sm * 0.46 * (1 + jit)), 6),
                    "tensor": round(max(0.0, load.tensor * (1 + jit)), 6),
                    "dram": round(max(0.0, load.dram * (1 + jit)), 6),
                    "gract": round(max(0.0, min(1.0, load.util / 100 + rng.gauss(-0.004, 0.003))), 6)
                    if load.util
                    else 0.0,
                    "used": round(load.mem),
                    "free": round(b.total - b.reserved - load.mem),
                    "power": round(watts, 3),
                    "temp": round(self.temp),
                    "memtemp": round(self.temp + (9 if watts > b.idle * 2 else 3)) if b.hbm else 0,
                    "clock": clock,
                    "memclock": b.mem_clock if busy else b.idle_mem_clock,
                    "reason": reason,
                    "energy": round(self.energy),
                    "link": round(load.link * 1e9 * (1 + jit)) if b.nvlink else 0,
                    "tx": round(load.pcie * 0.4e9 * (1 + jit)),
                    "rx": round(load.pcie * 1e9 * (1 + jit)) + (rng.randrange(2000, 60000) if busy else 0),
                    "zero": 0,
                    "remapped": self.remapped,
                },
            )
        )


def rack(nodes: Iterable[str], each: int, board: str, rng: Random) -> list[Gpu]:
    return [Gpu(n, i, BOARDS[board], rng) for n in nodes for i in range(each)]


def watch(gpus: list[Gpu], begin: float, end: float, step: float, load: Callable[[float, Gpu], Load | None]) -> None:
    at = begin
    while at <= end:
        for gpu in gpus:
            now = load(at, gpu)
            if now is not None:
                gpu.sample(at, now, step)
        at += step


DCGM = {
    "DCGM_FI_DEV_GPU_UTIL": "util",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "memutil",
    "DCGM_FI_DEV_FB_USED": "used",
    "DCGM_FI_DEV_FB_FREE": "free",
    "DCGM_FI_DEV_POWER_USAGE": "power",
    "DCGM_FI_DEV_GPU_TEMP": "temp",
    "DCGM_FI_DEV_SM_CLOCK": "clock",
    "DCGM_FI_DEV_MEM_CLOCK": "memclock",
    "DCGM_FI_DEV_XID_ERRORS": "zero",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": "reason",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": "energy",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "zero",
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": "zero",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "remapped",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": "zero",
    "DCGM_FI_PROF_SM_ACTIVE": "sm",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "tensor",
    "DCGM_FI_PROF_DRAM_ACTIVE": "dram",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "gract",
    "DCGM_FI_PROF_NVLINK_TX_BYTES": "link",
    "DCGM_FI_PROF_PCIE_RX_BYTES": "rx",
    "DCGM_FI_PROF_PCIE_TX_BYTES": "tx",
}


def text(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def matrix(place: Path, name: str, series: list[tuple[dict[str, str], list[tuple[float, float]]]]) -> None:
    result = [
        {"metric": labels, "values": [[int(t) if t == int(t) else t, text(v)] for t, v in points]}
        for labels, points in series
        if points
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    (place / f"{name}.json").write_text(json.dumps(answer, separators=(",", ":")) + "\n")


def query_range(place: Path, gpus: list[Gpu], fields: list[str], labels: Callable[[Gpu], dict[str, str]]) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for name in fields:
        matrix(place, name, [({"__name__": name, **labels(g)}, [(t, r[DCGM[name]]) for t, r in g.rows]) for g in gpus])


def dmon(path: Path, gpus: list[Gpu], zone: timezone, lost: Callable[[float], bool]) -> None:
    head = "#Entity   GPUTL   MCUTL   POWER                  TMPTR   MMTMP   SMCLK   MMCLK   FBUSD   GRACT        SMACT        TENSO        DRAMA        NVLTX                  DRTR"
    unit = "ID                       W                      C       C                       MB"
    lines: list[str] = []
    shown = 0
    for k in range(len(gpus[0].rows)):
        at = gpus[0].rows[k][0]
        if lost(at):
            continue
        stamp = datetime.fromtimestamp(at, UTC).astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S%z")
        if shown % 20 == 0:
            lines += [f"{stamp} {head}", f"{stamp} {unit}"]
        shown += 1
        for g in gpus:
            r = g.rows[k][1]
            lines.append(
                f"{stamp} GPU {g.index}     {r['util']:<8}{r['memutil']:<8}{r['power']:<23.3f}{r['temp']:<8}{r['memtemp']:<8}"
                f"{r['clock']:<8}{r['memclock']:<8}{r['used']:<8}{r['gract']:<13.3f}{r['sm']:<13.3f}{r['tensor']:<13.3f}"
                f"{r['dram']:<13.3f}{r['link']:<23}{r['reason']}"
            )
    path.write_text("\n".join(lines) + "\n")


def smi_csv(path: Path, gpus: list[Gpu], zone: timezone) -> None:
    lines = [
        "timestamp, index, name, uuid, pci.bus_id, pstate, temperature.gpu, utilization.gpu [%], utilization.memory [%], "
        "memory.total [MiB], memory.used [MiB], power.draw [W], clocks.current.sm [MHz], clocks.current.memory [MHz], "
        "clocks_event_reasons.active, ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total"
    ]
    for k in range(len(gpus[0].rows)):
        for g in gpus:
            at, r = g.rows[k]
            stamp = (
                datetime.fromtimestamp(at + 0.011 * (g.index + 1) + k * 0.0021 % 0.9, UTC)
                .astimezone(zone)
                .strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
            )
            state = "P0" if r["clock"] > 300 else "P8"
            lines.append(
                f"{stamp}, {g.index}, {g.board.name}, {g.uid}, {g.bus}, {state}, {r['temp']}, {r['util']} %, {r['memutil']} %, "
                f"{g.board.total} MiB, {r['used']} MiB, {r['power']:.2f} W, {r['clock']} MHz, {r['memclock']} MHz, "
                f"0x{int(r['reason']):016x}, 0, 0"
            )
    path.write_text("\n".join(lines) + "\n")


def epoch(year: int, month: int, day: int, hour: int, minute: int, second: int = 0, zone: int = 0) -> float:
    return datetime(year, month, day, hour, minute, second, tzinfo=timezone(timedelta(hours=zone))).timestamp()


def show(at: float, form: str, zone: int = 0) -> str:
    return datetime.fromtimestamp(at, UTC).astimezone(timezone(timedelta(hours=zone))).strftime(form)


def span(seconds: float) -> str:
    s = round(seconds)
    return f"{s // 3600:02}:{s % 3600 // 60:02}:{s % 60:02}"


def kernel(path: Path, node: str, zone: int, form: str, boot: float, lines: list[tuple[float, str]]) -> None:
    """Write a kernel log: journalctl's, dmesg -T's or syslog's form."""
    out = []
    for at, words in lines:
        if form == "dmesg -T":
            out.append(f"[{show(at, '%a %b %e %H:%M:%S %Y', zone)}] {words}")
        elif form == "syslog":
            out.append(f"{show(at, '%b %e %H:%M:%S', zone)} {node} kernel: [{at - boot:12.6f}] {words}")
        else:
            out.append(f"{show(at, '%b %d %H:%M:%S', zone)} {node} kernel: {words}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(out) + "\n")
