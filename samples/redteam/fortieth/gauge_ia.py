"""Gauges of simulated GPUs and the forms they are handed over in. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

IDLE, POWER_CAP, HW_SLOW, SW_THERMAL, HW_THERMAL, HW_BRAKE = 0x1, 0x4, 0x8, 0x20, 0x40, 0x80


@dataclass(frozen=True)
class Board:
    """What a board's data sheet and its idle state say."""

    name: str
    total: int
    reserved: int
    idle_watts: float
    limit: float
    top_clock: int
    idle_clock: int
    memory_clock: int
    idle_memory_clock: int
    ambient: float
    resistance: float
    hbm: bool = True
    driver: str = "550.127.08"


H100 = Board("NVIDIA H100 80GB HBM3", 81559, 551, 71, 700, 1980, 345, 2619, 2619, 25, 0.058)
H200 = Board("NVIDIA H200", 143771, 614, 76, 700, 1980, 345, 3201, 3201, 24, 0.055, driver="560.35.05")
B200 = Board("NVIDIA B200", 183359, 722, 141, 1000, 1965, 120, 3996, 3996, 26, 0.037, driver="570.124.06")
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 640, 61, 400, 1410, 210, 1593, 1593, 26, 0.089, driver="535.183.06")
L4 = Board("NVIDIA L4", 23034, 462, 12, 72, 2040, 210, 6251, 405, 29, 0.52, hbm=False, driver="550.90.12")
L40S = Board("NVIDIA L40S", 46068, 584, 34, 350, 2520, 210, 9001, 405, 26, 0.118, hbm=False, driver="560.35.03")


@dataclass
class Load:
    """What a GPU does at a moment; watts and clocks are targets that noise is put on."""

    util: float = 0.0
    active: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    used: float = 0.0
    watts: float | None = None
    clock: float | None = None
    send: float = 0.0
    receive: float = 0.0
    link: float = 0.0
    reasons: int | None = None
    celsius: float | None = None


@dataclass
class Counts:
    """Counters of a GPU at a moment."""

    corrected: int = 0
    uncorrected: int = 0
    remap_corrected: int = 0
    remap_uncorrected: int = 0
    remap_pending: int = 0
    remap_failure: int = 0
    xid: int = 0


@dataclass
class Sample:
    """A reading."""

    time: float
    util: int
    copy: int
    active: float
    occupancy: float
    tensor: float
    dram: float
    used: int
    watts: float
    clock: int
    memory_clock: int
    celsius: int
    memory_celsius: int
    send: float
    receive: float
    link: float
    reasons: int
    energy: int
    thermal: int
    counts: Counts


@dataclass
class Gpu:
    """A GPU with its readings."""

    board: Board
    host: str
    index: int
    uuid: str
    bus: str
    samples: list[Sample] = field(default_factory=list)


def uuid(rng: Random) -> str:
    """Return a GPU's UUID."""
    text = f"{rng.getrandbits(128):032x}"
    return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def clamp(value: float, low: float, high: float) -> float:
    """Return the value within the bounds."""
    return max(low, min(high, value))


def simulate(
    board: Board,
    host: str,
    index: int,
    bus: str,
    times: Sequence[float],
    load: Callable[[float], Load],
    rng: Random,
    counts: Callable[[float], Counts] | None = None,
) -> Gpu:
    """Return a GPU with a reading at each time; temperature follows power with a lag of about a minute."""
    gpu = Gpu(board, host, index, uuid(rng), bus)
    unit, offset = rng.uniform(0.97, 1.03), rng.uniform(-1.5, 2.5)
    celsius = board.ambient + offset + board.idle_watts * board.resistance
    energy, thermal, before = rng.randrange(10**11, 9 * 10**12), rng.randrange(0, 5000) * 1000, times[0]
    for time in times:
        now = load(time)
        step = max(time - before, 0.0)
        before = time
        busy = now.used > 0
        idle_watts = board.idle_watts * (1.25 if busy and board.hbm else 1.0)
        watts = (now.watts if now.watts is not None else idle_watts) * unit * rng.gauss(1, 0.018)
        watts = clamp(watts, 6, board.limit * 1.006)
        target = now.celsius if now.celsius is not None else board.ambient + offset + watts * board.resistance
        celsius += (target - celsius) * (1 - math.exp(-step / 55))
        clock = now.clock if now.clock is not None else (board.top_clock if busy else board.idle_clock)
        if now.util > 0 and now.clock is None:
            clock = board.top_clock
        clock = int(round(clock / 15) * 15 - (15 * rng.choice((0, 0, 1, 1, 2)) if now.util > 20 else 0))
        reasons = now.reasons
        if reasons is None:
            reasons = 0 if busy else IDLE
            if watts > board.limit * 0.985:
                reasons = POWER_CAP
        energy += int(watts * step * 1000)
        thermal += int(step * 1e6 * rng.uniform(0.85, 0.99)) if reasons & (HW_THERMAL | SW_THERMAL) else 0
        active = clamp(now.active * rng.gauss(1, 0.02), 0, 0.995)
        util = round(clamp(now.util + (rng.choice((-2, -1, 0, 0, 0, 1)) if 3 < now.util < 99.5 else 0), 0, 100))
        memory = board.memory_clock if busy else board.idle_memory_clock
        gpu.samples.append(
            Sample(
                time,
                util,
                int(clamp(now.dram * 110 * rng.gauss(1, 0.03), 0, 100)),
                active,
                active * rng.uniform(0.28, 0.31),
                clamp(now.tensor * rng.gauss(1, 0.03), 0, 1),
                clamp(now.dram * rng.gauss(1, 0.03), 0, 1),
                int(now.used),
                watts,
                clock,
                memory,
                round(celsius + rng.uniform(-0.4, 0.4)),
                round(celsius + 6 + now.dram * 8) if board.hbm else 0,
                abs(now.send * rng.gauss(1, 0.06)) + rng.uniform(2e4, 9e4),
                abs(now.receive * rng.gauss(1, 0.06)) + rng.uniform(2e4, 9e4),
                abs(now.link * rng.gauss(1, 0.04)),
                reasons,
                energy,
                thermal,
                counts(time) if counts else Counts(),
            )
        )
    return gpu


def local(time: float, hours: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """Return a time in the zone so many hours east."""
    return datetime.fromtimestamp(time, timezone(timedelta(hours=hours))).strftime(form)


def epoch(text: str, hours: float) -> float:
    """Return the seconds of a local time."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def span(seconds: float) -> str:
    """Return Slurm's form of a duration."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def write(path: Path, lines: Iterable[str]) -> None:
    """Write the lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


DCGM: dict[str, Callable[[Sample], str]] = {
    "DCGM_FI_DEV_SM_CLOCK": lambda s: str(s.clock),
    "DCGM_FI_DEV_MEM_CLOCK": lambda s: str(s.memory_clock),
    "DCGM_FI_DEV_GPU_TEMP": lambda s: str(s.celsius),
    "DCGM_FI_DEV_MEMORY_TEMP": lambda s: str(s.memory_celsius),
    "DCGM_FI_DEV_POWER_USAGE": lambda s: f"{s.watts:.3f}",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda s: str(s.energy),
    "DCGM_FI_DEV_GPU_UTIL": lambda s: str(s.util),
    "DCGM_FI_DEV_MEM_COPY_UTIL": lambda s: str(s.copy),
    "DCGM_FI_DEV_FB_USED": lambda s: str(s.used),
    "DCGM_FI_DEV_XID_ERRORS": lambda s: str(s.counts.xid),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": lambda s: str(s.reasons),
    "DCGM_FI_DEV_THERMAL_VIOLATION": lambda s: str(s.thermal),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda s: str(s.counts.corrected),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda s: str(s.counts.uncorrected),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda s: str(s.counts.remap_corrected),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda s: str(s.counts.remap_uncorrected),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda s: str(s.counts.remap_failure),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda s: f"{s.util / 100 * 0.998:.6f}",
    "DCGM_FI_PROF_SM_ACTIVE": lambda s: f"{s.active:.6f}",
    "DCGM_FI_PROF_SM_OCCUPANCY": lambda s: f"{s.occupancy:.6f}",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda s: f"{s.tensor:.6f}",
    "DCGM_FI_PROF_DRAM_ACTIVE": lambda s: f"{s.dram:.6f}",
    "DCGM_FI_PROF_PCIE_TX_BYTES": lambda s: f"{s.send:.0f}",
    "DCGM_FI_PROF_PCIE_RX_BYTES": lambda s: f"{s.receive:.0f}",
    "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda s: f"{s.link:.0f}",
    "DCGM_FI_PROF_NVLINK_RX_BYTES": lambda s: f"{s.link * 1.003:.0f}",
}


def matrix(series: Iterable[dict[str, object]]) -> str:
    """Return a query_range answer."""
    answer = {"status": "success", "data": {"resultType": "matrix", "result": list(series)}}
    return json.dumps(answer, separators=(",", ":"))


def dcgm(
    gpus: Iterable[Gpu], drop: Iterable[str] = (), rename: dict[str, str] | None = None, only: str | None = None
) -> list[dict[str, object]]:
    """Return dcgm-exporter's series."""
    found: list[dict[str, object]] = []
    gone = set(drop)
    for name, read in DCGM.items():
        if name in gone or (only and name != only):
            continue
        for gpu in gpus:
            if not gpu.board.hbm and ("NVLINK" in name or "MEMORY_TEMP" in name or "REMAP" in name):
                continue
            metric = {
                "__name__": (rename or {}).get(name, name),
                "DCGM_FI_DRIVER_VERSION": gpu.board.driver,
                "Hostname": gpu.host,
                "UUID": gpu.uuid,
                "device": f"nvidia{gpu.index}",
                "gpu": str(gpu.index),
                "instance": f"{gpu.host}:9400",
                "job": "dcgm-exporter",
                "modelName": gpu.board.name,
                "pci_bus_id": gpu.bus,
            }
            found.append({"metric": metric, "values": [[int(s.time), read(s)] for s in gpu.samples]})
    return found


EXPORTER: dict[str, Callable[[Gpu, Sample], float]] = {
    "nvidia_smi_utilization_gpu_ratio": lambda g, s: s.util / 100,
    "nvidia_smi_utilization_memory_ratio": lambda g, s: s.copy / 100,
    "nvidia_smi_memory_used_bytes": lambda g, s: s.used * 1048576,
    "nvidia_smi_memory_total_bytes": lambda g, s: g.board.total * 1048576,
    "nvidia_smi_power_draw_watts": lambda g, s: round(s.watts, 2),
    "nvidia_smi_enforced_power_limit_watts": lambda g, s: g.board.limit,
    "nvidia_smi_temperature_gpu": lambda g, s: s.celsius,
    "nvidia_smi_temperature_memory": lambda g, s: s.memory_celsius,
    "nvidia_smi_clocks_current_sm_clock_hz": lambda g, s: s.clock * 1000000,
    "nvidia_smi_clocks_current_memory_clock_hz": lambda g, s: s.memory_clock * 1000000,
    "nvidia_smi_clocks_max_sm_clock_hz": lambda g, s: g.board.top_clock * 1000000,
    "nvidia_smi_clocks_event_reasons_active": lambda g, s: s.reasons,
    "nvidia_smi_clocks_event_reasons_gpu_idle": lambda g, s: int(bool(s.reasons & IDLE)),
    "nvidia_smi_clocks_event_reasons_sw_power_cap": lambda g, s: int(bool(s.reasons & POWER_CAP)),
    "nvidia_smi_clocks_event_reasons_hw_slowdown": lambda g, s: int(bool(s.reasons & HW_SLOW)),
    "nvidia_smi_clocks_event_reasons_hw_thermal_slowdown": lambda g, s: int(bool(s.reasons & HW_THERMAL)),
    "nvidia_smi_clocks_event_reasons_hw_power_brake_slowdown": lambda g, s: int(bool(s.reasons & HW_BRAKE)),
    "nvidia_smi_clocks_event_reasons_sw_thermal_slowdown": lambda g, s: int(bool(s.reasons & SW_THERMAL)),
    "nvidia_smi_ecc_errors_corrected_volatile_total": lambda g, s: s.counts.corrected,
    "nvidia_smi_ecc_errors_uncorrected_volatile_total": lambda g, s: s.counts.uncorrected,
    "nvidia_smi_pstate": lambda g, s: 0,
}


def exporter(gpus: Iterable[Gpu]) -> list[dict[str, object]]:
    """Return nvidia_gpu_exporter's series; it names a GPU by its UUID and the scraped address only."""
    found: list[dict[str, object]] = []
    for name, read in EXPORTER.items():
        for gpu in gpus:
            metric = {"__name__": name, "instance": f"{gpu.host}:9835", "job": "nvidia-gpu", "uuid": gpu.uuid[4:]}
            found.append({"metric": metric, "values": [[int(s.time), f"{read(gpu, s):.15g}"] for s in gpu.samples]})
    return found


CSV: dict[str, Callable[[Gpu, Sample], str]] = {
    "index": lambda g, s: str(g.index),
    "uuid": lambda g, s: g.uuid,
    "pci.bus_id": lambda g, s: g.bus,
    "name": lambda g, s: g.board.name,
    "temperature.gpu": lambda g, s: str(s.celsius),
    "utilization.gpu [%]": lambda g, s: f"{s.util} %",
    "utilization.memory [%]": lambda g, s: f"{s.copy} %",
    "memory.used [MiB]": lambda g, s: f"{s.used} MiB",
    "memory.total [MiB]": lambda g, s: f"{g.board.total} MiB",
    "power.draw [W]": lambda g, s: f"{s.watts:.2f} W",
    "clocks.current.sm [MHz]": lambda g, s: f"{s.clock} MHz",
    "clocks.current.memory [MHz]": lambda g, s: f"{s.memory_clock} MHz",
    "clocks_event_reasons.active": lambda g, s: f"0x{s.reasons:016X}",
    "clocks_throttle_reasons.active": lambda g, s: f"0x{s.reasons:016X}",
    "ecc.errors.corrected.volatile.total": lambda g, s: str(s.counts.corrected),
    "ecc.errors.uncorrected.volatile.total": lambda g, s: str(s.counts.uncorrected),
}


def smi(path: Path, gpus: Sequence[Gpu], columns: Sequence[str], hours: float, rng: Random) -> None:
    """Write what nvidia-smi --format=csv -l left on a node, in the node's local time."""
    lines = ["timestamp, " + ", ".join(columns)]
    for row in range(len(gpus[0].samples)):
        moment = gpus[0].samples[row].time + rng.uniform(0.0, 0.04) + row * 0.0003
        for gpu in gpus:
            moment += rng.uniform(0.002, 0.006)
            shown = f"{local(moment, hours, '%Y/%m/%d %H:%M:%S')}.{int(moment % 1 * 1000):03d}"
            lines.append(shown + ", " + ", ".join(CSV[name](gpu, gpu.samples[row]) for name in columns))
    write(path, lines)


def times(start: float, end: float, every: float) -> list[float]:
    """Return the times of samples."""
    first = math.ceil(start / every) * every
    return [first + every * n for n in range(int((end - first) // every) + 1)]


def ramp(time: float, start: float, seconds: float) -> float:
    """Return how far of the way, 0 to 1."""
    return clamp((time - start) / seconds, 0.0, 1.0)
