"""Shared parts of incidents t09 to t16 of the thirty-second set: cards, phases, exporters' formats; SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Card:
    """What a card is at rest and at work."""

    name: str
    total: int
    tdp: float
    idle_w: float
    sm: int
    mem: int
    sm_idle: int
    mem_idle: int
    cool: float
    hot: float


A6000 = Card("NVIDIA RTX A6000", 49140, 300, 22, 1890, 7601, 210, 405, 31, 80)
RTX4090 = Card("NVIDIA GeForce RTX 4090", 24564, 450, 19, 2655, 10251, 210, 405, 32, 68)
L4 = Card("NVIDIA L4", 23034, 72, 13, 1890, 6251, 210, 405, 36, 72)
A40 = Card("NVIDIA A40", 46068, 300, 23, 1740, 7250, 210, 405, 29, 72)
H100 = Card("NVIDIA H100 80GB HBM3", 81559, 700, 71, 1980, 2619, 345, 2619, 28, 58)


@dataclass(frozen=True)
class Work:
    """How a GPU is used in a phase: shares of time and power, memory at its end."""

    util: float = 0.0
    power: float = 0.0
    mem: int = 0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    jitter: float = 0.02
    clock: float = 1.0
    held: bool = False


@dataclass
class Gpu:
    """One GPU over time."""

    card: Card
    host: str
    index: int
    uuid: str
    bus: str
    skew: float
    rows: list[tuple[float, dict[str, float]]] = field(default_factory=list)


def gpu(card: Card, host: str, index: int, rng: Random) -> Gpu:
    h = f"{rng.getrandbits(128):032x}"
    uuid = f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
    bus = f"00000000:{(0x17, 0x31, 0x65, 0xB1, 0xCA, 0xE3)[index % 6]:02X}:00.0"
    return Gpu(card, host, index, uuid, bus, rng.uniform(-2.5, 3.5))


def clamp(x: float, low: float = 0.0, high: float = 1.0) -> float:
    return max(low, min(high, x))


def fill(one: Gpu, begin: float, step: float, phases: Sequence[tuple[float, Work]], rng: Random) -> None:
    """Sample a GPU from begin on; phases are (seconds after begin at which it ends, work)."""
    card, now, at, mem = one.card, 0.0, 0, float(phases[0][1].mem)
    temp = card.cool + one.skew + rng.uniform(-1, 1)
    energy = rng.uniform(4e9, 9e11)
    while at < len(phases):
        until, work = phases[at]
        if now >= until:
            at += 1
            continue
        util = clamp(rng.gauss(work.util, work.jitter)) if work.util else 0.0
        share = util / work.util if work.util else 0.0
        idle = card.idle_w * (1.35 if work.held and not work.util else 1.0)
        watts = (
            idle
            + (card.tdp - card.idle_w) * work.power * (share or 1.0)
            + rng.gauss(0, 0.006 * card.tdp if work.util else 0.02 * card.idle_w)
        )
        watts = clamp(watts, card.idle_w * 0.93, card.tdp * 1.006)
        busy = work.util > 0 or work.held
        aim = card.cool + one.skew + (card.hot - card.cool) * watts / card.tdp
        temp += (aim - temp) * min(1.0, step / 70)
        mem += (work.mem - mem) * (1.0 if work.mem < mem else min(1.0, step / 12))
        sm_clock = card.sm * work.clock + rng.choice((-30, -15, 0, 0, 0, 15)) if busy else card.sm_idle
        energy += watts * step * 1000
        row = {
            "util": round(100 * util),
            "memutil": round(100 * clamp(work.dram * share * rng.uniform(0.9, 1.1))),
            "mem": round(mem),
            "power": round(watts, 3),
            "temp": round(temp + rng.uniform(-0.4, 0.4)),
            "smclk": 15 * round(min(sm_clock, card.sm) / 15),
            "memclk": card.mem if busy else card.mem_idle,
            "gract": round(clamp(util * rng.uniform(0.96, 1.0)), 6),
            "smact": round(clamp(work.sm * share * rng.uniform(0.95, 1.05)), 6),
            "tensor": round(clamp(work.tensor * share * rng.uniform(0.93, 1.07)), 6),
            "dram": round(clamp(work.dram * share * rng.uniform(0.94, 1.06)), 6),
            "energy": round(energy),
            "cap": float(work.clock < 1.0),
            "busy": float(busy),
        }
        one.rows.append((begin + now, row))
        now += step


DCGM = {
    "DCGM_FI_DEV_GPU_UTIL": "util",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "memutil",
    "DCGM_FI_DEV_FB_USED": "mem",
    "DCGM_FI_DEV_FB_FREE": "free",
    "DCGM_FI_DEV_POWER_USAGE": "power",
    "DCGM_FI_DEV_GPU_TEMP": "temp",
    "DCGM_FI_DEV_SM_CLOCK": "smclk",
    "DCGM_FI_DEV_MEM_CLOCK": "memclk",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": "energy",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": "reasons",
    "DCGM_FI_DEV_XID_ERRORS": "zero",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "gract",
    "DCGM_FI_PROF_SM_ACTIVE": "smact",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "tensor",
    "DCGM_FI_PROF_DRAM_ACTIVE": "dram",
}


def _cell(one: Gpu, row: dict[str, float], key: str) -> float:
    if key == "free":
        return one.card.total - 420 - row["mem"]
    if key == "reasons":
        return 4 if row["cap"] else (0 if row["busy"] else 1)
    return 0 if key == "zero" else row[key]


def num(x: float) -> str:
    return f"{x:g}" if abs(x) < 1e5 and x != int(x) else str(int(x))


def write(path: Path, text: str | Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else "\n".join(text) + "\n", encoding="utf-8")


def query_range(path: Path, series: Iterable[tuple[dict[str, str], list[tuple[float, str]]]]) -> None:
    result = [{"metric": labels, "values": [[int(at), cell] for at, cell in cells]} for labels, cells in series]
    text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
    write(path, text + "\n")


def dcgm(path: Path, gpus: Sequence[Gpu], driver: str, *, uuid_only: bool = False, without: Sequence[str] = ()) -> None:
    """What Prometheus answers for the DCGM exporter's fields of these GPUs."""
    series = []
    for name, key in DCGM.items():
        if name in without:
            continue
        for one in gpus:
            labels = {"__name__": name, "UUID": one.uuid}
            if not uuid_only:
                labels = {
                    "__name__": name,
                    "DCGM_FI_DRIVER_VERSION": driver,
                    "Hostname": one.host,
                    "UUID": one.uuid,
                    "device": f"nvidia{one.index}",
                    "gpu": str(one.index),
                    "instance": f"{one.host}:9400",
                    "job": "dcgm-exporter",
                    "modelName": one.card.name,
                    "pci_bus_id": one.bus,
                }
            series.append((labels, [(at, num(_cell(one, row, key))) for at, row in one.rows]))
    query_range(path, series)


def gpu_exporter(
    path: Path, gpus: Sequence[Gpu], driver: str, pods: dict[str, str], remapped: dict[str, int] | None = None
) -> None:
    """What Prometheus answers for nvidia_gpu_exporter's metrics."""
    mib = 1048576
    fields = {
        "nvidia_smi_utilization_gpu_ratio": lambda r: num(r["util"] / 100),
        "nvidia_smi_utilization_memory_ratio": lambda r: num(r["memutil"] / 100),
        "nvidia_smi_memory_used_bytes": lambda r: f"{int(r['mem']) * mib}",
        "nvidia_smi_power_draw_watts": lambda r: f"{r['power']:.2f}",
        "nvidia_smi_temperature_gpu": lambda r: num(r["temp"]),
        "nvidia_smi_clocks_current_sm_clock_hz": lambda r: f"{int(r['smclk']) * 1000000}",
        "nvidia_smi_clocks_current_memory_clock_hz": lambda r: f"{int(r['memclk']) * 1000000}",
        "nvidia_smi_pstate": lambda r: ("2" if one.card is RTX4090 else "0") if r["busy"] else "8",
        "nvidia_smi_clocks_throttle_reasons_sw_power_cap": lambda r: num(r["cap"]),
        "nvidia_smi_clocks_throttle_reasons_hw_thermal_slowdown": lambda r: "0",
    }
    series = []
    for one in gpus:
        base = {
            "instance": f"{one.host}:9835",
            "job": "nvidia-gpu-exporter",
            "pod": pods[one.host],
            "uuid": one.uuid.removeprefix("GPU-"),
        }
        info = {
            "__name__": "nvidia_smi_gpu_info",
            **base,
            "name": one.card.name,
            "driver_version": driver,
            "index": str(one.index),
        }
        series.append((info, [(at, "1") for at, _ in one.rows]))
        series.extend(
            ({"__name__": name, **base}, [(at, get(row)) for at, row in one.rows]) for name, get in fields.items()
        )
        if remapped is not None:
            for kind in ("correctable", "uncorrectable", "pending", "failure"):
                count = remapped.get(one.uuid, 0) if kind == "correctable" else 0
                series.append(
                    ({"__name__": f"nvidia_smi_remapped_rows_{kind}", **base}, [(at, str(count)) for at, _ in one.rows])
                )
    query_range(path, series)


def when(at: float, zone: int = 0) -> datetime:
    return datetime.fromtimestamp(at, timezone(timedelta(hours=zone)))


def iso(at: float, zone: int = 0) -> str:
    return when(at, zone).strftime("%Y-%m-%dT%H:%M:%S")


def epoch(text: str, zone: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=zone))).timestamp()


def hms(seconds: float) -> str:
    s = int(seconds)
    return f"{s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


def short(seconds: float) -> str:
    """As tqdm writes durations."""
    s = int(seconds)
    return f"{s // 3600}:{s % 3600 // 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"
