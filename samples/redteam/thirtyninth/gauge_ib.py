"""Boards that behave, and the forms in which their numbers are handed over.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What one kind of board draws, holds and how warm it gets."""

    name: str
    total: int
    idle: float
    resident: float
    spin: float
    top: float
    clock: int
    rest: int
    memory_clock: int
    cool: float
    slope: float


A40 = Board("NVIDIA A40", 46068, 24, 74, 118, 300, 1740, 210, 7251, 27, 0.155)
L4 = Board("NVIDIA L4", 23034, 12.6, 28, 41, 72, 2040, 210, 6251, 33, 0.56)
H100 = Board("NVIDIA H100 80GB HBM3", 81559, 71, 116, 238, 700, 1980, 345, 2619, 26, 0.062)
H200 = Board("NVIDIA H200", 143771, 76, 121, 251, 700, 1980, 345, 3201, 25, 0.066)
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 58, 86, 148, 400, 1410, 210, 1593, 28, 0.088)


@dataclass
class Load:
    """What a GPU is asked to do at one moment."""

    kind: str
    memory: float = 0
    busy: float = 0.97
    work: float = 0.6
    draw: float = 0.8


@dataclass
class Sample:
    """One reading of one GPU."""

    when: float
    util: int
    copy: int
    memory: int
    power: float
    clock: int
    memory_clock: int
    temperature: int
    engine: float
    sm: float
    tensor: float
    dram: float
    link: float
    energy: int
    sbe: int = 0
    dbe: int = 0
    xid: int = 0
    remapped: int = 0


def follow(board: Board, times: Sequence[float], load: Callable[[float], Load | None], rng: Random) -> list[Sample]:
    """Readings of a GPU; none where ``load`` gives None (the node does not answer)."""
    cool, slope = board.cool + rng.uniform(-2, 3), board.slope * rng.uniform(0.93, 1.08)
    trim, warm = rng.uniform(0.97, 1.03), cool + board.idle * slope
    energy, before, out = rng.uniform(4e11, 9e11), times[0] - 30, []
    for when in times:
        now, gap = load(when), when - before
        before = when
        if now is None:
            continue
        engine = sm = tensor = dram = link = 0.0
        util = copy = 0
        clock, memory_clock = board.clock, board.memory_clock
        if now.kind == "idle":
            power = board.idle + rng.gauss(0, 0.5)
            clock = board.rest
        elif now.kind == "resident":
            power = board.resident + rng.gauss(0, 0.9)
        elif now.kind == "spin":
            power = board.spin + rng.gauss(0, 1.3)
            util, copy, engine = 100, rng.choice((0, 0, 1)), rng.uniform(0.9985, 1.0)
            sm, dram = rng.uniform(0.014, 0.031), rng.uniform(0.0004, 0.0016)
        else:
            util = max(0, min(100, round(now.busy * 100 + rng.gauss(0, 2.2))))
            engine = max(0.0, min(1.0, now.busy - 0.01 + rng.gauss(0, 0.012)))
            sm = max(0.0, min(0.97, now.work + rng.gauss(0, 0.022)))
            tensor, dram = sm * rng.uniform(0.5, 0.56), sm * rng.uniform(0.55, 0.63)
            copy = round(dram * 100)
            power = min(board.top * 1.01, board.resident + (board.top - board.resident) * now.draw + rng.gauss(0, 6))
            clock = board.clock - rng.choice((0, 0, 15, 15, 30, 45)) * (2 if now.draw > 0.75 else 1)
            link = sm * rng.uniform(0.8, 1.2)
        power = max(board.idle * 0.9, power * trim)
        share = 1 - 2.718 ** (-gap / 35)
        warm += (cool + power * slope - warm) * share
        energy += power * gap * 1000
        out.append(
            Sample(
                when,
                util,
                copy,
                round(now.memory),
                power,
                clock,
                memory_clock,
                round(warm + rng.gauss(0, 0.35)),
                engine,
                sm,
                tensor,
                dram,
                link,
                round(energy),
            )
        )
    return out


def ticks(samples: Sequence[Sample], start: int, chance: float, rng: Random) -> None:
    """Corrected errors that come now and then."""
    count = start
    for sample in samples:
        if rng.random() < chance:
            count += rng.choice((1, 1, 1, 2))
        sample.sbe = count


def stamp(when: float, hours: int, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """A local time."""
    return datetime.fromtimestamp(when, timezone(timedelta(hours=hours))).strftime(form)


def at(text: str) -> float:
    """Seconds of a UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def uuid(rng: Random) -> str:
    """A GPU's UUID."""
    text = f"{rng.getrandbits(128):032x}"
    return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


GAUGES: dict[str, Callable[[Sample], str]] = {
    "DCGM_FI_DEV_GPU_UTIL": lambda s: str(s.util),
    "DCGM_FI_DEV_MEM_COPY_UTIL": lambda s: str(s.copy),
    "DCGM_FI_DEV_FB_USED": lambda s: str(s.memory),
    "DCGM_FI_DEV_POWER_USAGE": lambda s: f"{s.power:.3f}",
    "DCGM_FI_DEV_SM_CLOCK": lambda s: str(s.clock),
    "DCGM_FI_DEV_MEM_CLOCK": lambda s: str(s.memory_clock),
    "DCGM_FI_DEV_GPU_TEMP": lambda s: str(s.temperature),
    "DCGM_FI_DEV_MEMORY_TEMP": lambda s: str(s.temperature + 6 + s.copy // 12),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda s: str(s.energy),
    "DCGM_FI_DEV_XID_ERRORS": lambda s: str(s.xid),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda s: str(s.sbe),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda s: str(s.dbe),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda s: str(s.remapped),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda s: "0",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": lambda s: "1" if s.clock < 400 else ("4" if s.power > 640 else "0"),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda s: f"{s.engine:.6f}",
    "DCGM_FI_PROF_SM_ACTIVE": lambda s: f"{s.sm:.6f}",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda s: f"{s.tensor:.6f}",
    "DCGM_FI_PROF_DRAM_ACTIVE": lambda s: f"{s.dram:.6f}",
    "DCGM_FI_PROF_PCIE_TX_BYTES": lambda s: str(round(2.1e5 + s.link * 2.9e9)),
    "DCGM_FI_PROF_PCIE_RX_BYTES": lambda s: str(round(2.6e5 + s.link * 3.3e9)),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda s: str(round(s.link * 6.1e10)),
}


def prometheus(path: Path, series: Sequence[tuple[dict[str, str], list[Sample]]], names: Sequence[str]) -> None:
    """Write one answer of query_range."""
    result: list[dict[str, object]] = [
        {"metric": {"__name__": name, **labels}, "values": [[s.when, GAUGES[name](s)] for s in samples]}
        for name in names
        for labels, samples in series
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    path.write_text(json.dumps(answer, separators=(",", ":")) + "\n")


def smi(path: Path, board: Board, gpus: Sequence[tuple[str, Sequence[Sample]]], hours: int, rng: Random) -> None:
    """Write what nvidia-smi --query-gpu in a loop writes."""
    lines = [
        "timestamp, index, uuid, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
        "memory.total [MiB], power.draw [W], clocks.current.sm [MHz], temperature.gpu, pstate, "
        "ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total"
    ]
    for row in range(len(gpus[0][1])):
        late = rng.uniform(0.02, 0.4)
        for index, (name, samples) in enumerate(gpus):
            s = samples[row]
            moment = s.when + late + index * 0.004
            text = stamp(moment, hours, "%Y/%m/%d %H:%M:%S.") + f"{int(moment % 1 * 1000):03d}"
            state = "P8" if s.clock <= board.rest and board is A40 else "P0"
            lines.append(
                f"{text}, {index}, {name}, {board.name}, {s.util} %, {s.copy} %, {s.memory} MiB, {board.total} MiB, "
                f"{s.power:.2f} W, {s.clock} MHz, {s.temperature}, {state}, {s.sbe}, {s.dbe}"
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


COLUMNS: dict[str, Callable[[Sample], str]] = {
    "GPUTL": lambda s: str(s.util),
    "MCUTL": lambda s: str(s.copy),
    "FBUSD": lambda s: str(s.memory),
    "POWER": lambda s: f"{s.power:.3f}",
    "SMCLK": lambda s: str(s.clock),
    "TMPTR": lambda s: str(s.temperature),
    "GRACT": lambda s: f"{s.engine:.3f}",
    "SMACT": lambda s: f"{s.sm:.3f}",
    "TENSO": lambda s: f"{s.tensor:.3f}",
    "DRAMA": lambda s: f"{s.dram:.3f}",
    "XIDER": lambda s: str(s.xid),
    "SBE_V": lambda s: str(s.sbe),
    "EDVTL": lambda s: str(s.dbe),
}


def dmon(path: Path, gpus: Sequence[Sequence[Sample]], columns: Sequence[str], hours: int, form: str) -> None:
    """Write what dcgmi dmon prints, each line with the time put before it."""
    units = {"POWER": "W", "TMPTR": "C", "SMCLK": "MHz", "FBUSD": "MiB"}
    lines = []
    for row in range(len(gpus[0])):
        when = stamp(gpus[0][row].when, hours, form)
        if row % 24 == 0:
            lines.append(f"{when} #Entity   " + "".join(f"{c:<12}" for c in columns).rstrip())
            lines.append(f"{when} ID        " + "".join(f"{units.get(c, ''):<12}" for c in columns).rstrip())
        for index, samples in enumerate(gpus):
            s = samples[row]
            lines.append(f"{when} GPU {index}     " + "".join(f"{COLUMNS[c](s):<12}" for c in columns).rstrip())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def put(path: Path, lines: Sequence[str]) -> None:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
