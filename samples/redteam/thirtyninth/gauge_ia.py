"""Gauges of simulated GPUs and the forms they are handed over in.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What a board is by its data sheet and its driver."""

    name: str
    memory: int
    limit: float
    idle: float
    clock: int
    rest: int
    memory_clock: int
    hbm: bool = True
    held: int = 0
    driver: str = "550.90.07"


A6000 = Board("NVIDIA RTX A6000", 49140, 300, 23, 1800, 210, 7600, False, 512)
B200 = Board("NVIDIA B200", 183359, 1000, 142, 1965, 120, 3996, True, 716, "570.133.20")
H200 = Board("NVIDIA H200", 143771, 700, 77, 1980, 345, 3201, True, 611, "550.127.08")
H100 = Board("NVIDIA H100 80GB HBM3", 81559, 700, 70, 1980, 345, 2619, True, 551, "535.183.06")
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 400, 63, 1410, 210, 1593, True, 640, "535.161.08")
V100 = Board("Tesla V100-SXM2-32GB", 32768, 300, 43, 1530, 135, 877, True, 0, "535.129.03")


@dataclass
class Load:
    """What a GPU is asked to do at one time."""

    engine: float = 0.0
    sm: float = 0.0
    dram: float = 0.0
    tensor: float = 0.0
    power: float = 0.0
    used: float = 0.0
    rx: float = 2.0e5
    tx: float = 1.5e5
    nvlink: float = 0.0
    clock: float = 1.0
    noise: float = 0.03
    throttle: int = 0


@dataclass
class Gpu:
    """One GPU: where it sits, what it does, and what its counters tell."""

    node: str
    index: int
    board: Board
    uuid: str
    pci: str
    ambient: float
    load: Callable[[float], Load]
    ticks: list[float] = field(default_factory=list)
    corrected: int = 0
    rows: list[tuple[float, dict[str, float]]] = field(default_factory=list)


def identifier(rng: Random) -> str:
    """A UUID as the driver writes it."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


PCI = {8: ["07", "0F", "47", "4E", "87", "90", "B7", "BD"], 4: ["01", "41", "81", "C1"], 1: ["9A"]}


def gpus(rng: Random, board: Board, node: str, count: int, load: Callable[[int], Callable[[float], Load]]) -> list[Gpu]:
    """The GPUs of a node, with ``load(index)`` what each is asked for."""
    return [
        Gpu(node, index, board, identifier(rng), f"00000000:{PCI[count][index]}:00.0", rng.uniform(25, 31), load(index))
        for index in range(count)
    ]


def sample(rng: Random, gpu: Gpu, start: float, times: Sequence[float], share: float = 50.0) -> None:
    """Fill the rows of a GPU at the given epochs; the job began at ``start``."""
    board, heat, energy, last = gpu.board, gpu.ambient + 5, rng.uniform(2e11, 9e12), times[0]
    link, violation = 0.0, 0.0
    for now in times:
        load, gap = gpu.load(now - start), now - last
        wave = 1 + rng.gauss(0, load.noise)

        def part(value: float, wave: float = wave) -> float:
            return max(0.0, min(1.0, value * wave * (1 + rng.gauss(0, 0.012)))) if value else 0.0

        busy, resident = load.engine > 0.02, load.used > 200
        floor = board.idle * (1.0 if not resident else 1.22)
        power = floor + (board.limit - floor) * load.power * (wave if load.engine < 0.999 or load.sm > 0.2 else 1.0)
        power = min(board.limit * 1.01, power) * (1 + rng.gauss(0, 0.007))
        aim = gpu.ambient + 4 + share * power / board.limit
        heat += (aim - heat) * (1 - 2.718 ** (-gap / 55)) if gap else 0.0
        energy, link, last = energy + power * gap * 1000, load.nvlink * (wave if load.sm > 0.2 else 1), now
        violation += gap * 1e9 * 0.93 if load.throttle & 0x68 else 0.0
        engine = 1.0 if load.engine >= 0.999 else part(load.engine)
        clock = board.rest if not resident and not busy else round(board.clock * load.clock / 15) * 15
        if busy and load.sm > 0.2 and load.clock == 1.0:
            clock -= 15 * rng.choice((0, 0, 1, 1, 2, 3))
        gpu.rows.append(
            (
                now,
                {
                    "SM_CLOCK": clock,
                    "MEM_CLOCK": board.memory_clock if resident or board.hbm else 405,
                    "GPU_TEMP": round(heat),
                    "MEMORY_TEMP": round(heat + 6) if board.hbm else 0,
                    "POWER_USAGE": round(power, 3),
                    "TOTAL_ENERGY_CONSUMPTION": round(energy),
                    "GPU_UTIL": round(engine * 100),
                    "MEM_COPY_UTIL": round(part(load.dram) * 92),
                    "FB_USED": round(load.used),
                    "FB_FREE": round(board.memory - board.held - load.used),
                    "PCIE_REPLAY_COUNTER": 0,
                    "XID_ERRORS": 0,
                    "CLOCK_THROTTLE_REASONS": load.throttle if busy else (0 if resident else 1),
                    "THERMAL_VIOLATION": round(violation),
                    "ECC_SBE_VOL_TOTAL": gpu.corrected + sum(tick <= now - start for tick in gpu.ticks),
                    "ECC_DBE_VOL_TOTAL": 0,
                    "UNCORRECTABLE_REMAPPED_ROWS": 0,
                    "CORRECTABLE_REMAPPED_ROWS": 0,
                    "ROW_REMAP_FAILURE": 0,
                    "NVLINK_BANDWIDTH_TOTAL": round(link / 1e6),
                    "PROF_GR_ENGINE_ACTIVE": round(engine if engine < 1 else rng.uniform(0.992, 0.99999), 6),
                    "PROF_SM_ACTIVE": round(part(load.sm), 6),
                    "PROF_SM_OCCUPANCY": round(part(load.sm * 0.41), 6),
                    "PROF_PIPE_TENSOR_ACTIVE": round(part(load.tensor), 6),
                    "PROF_DRAM_ACTIVE": round(part(load.dram), 6),
                    "PROF_PCIE_RX_BYTES": round(load.rx * abs(rng.gauss(1, 0.08))),
                    "PROF_PCIE_TX_BYTES": round(load.tx * abs(rng.gauss(1, 0.08))),
                },
            )
        )


ECC = {
    "ECC_SBE_VOL_TOTAL",
    "ECC_DBE_VOL_TOTAL",
    "UNCORRECTABLE_REMAPPED_ROWS",
    "CORRECTABLE_REMAPPED_ROWS",
    "ROW_REMAP_FAILURE",
}


def dcgm(
    path: Path,
    fleet: Sequence[Gpu],
    omit: set[str] | None = None,
    holes: Callable[[Gpu, str, float], bool] | None = None,
    labels: Callable[[Gpu, float], dict[str, str]] | None = None,
) -> None:
    """Write a Prometheus query_range answer with dcgm-exporter's names."""
    result = []
    for name in fleet[0].rows[0][1]:
        if omit and name in omit:
            continue
        for gpu in fleet:
            base = {
                "__name__": f"DCGM_FI_{'' if name.startswith('PROF') else 'DEV_'}{name}",
                "DCGM_FI_DRIVER_VERSION": gpu.board.driver,
                "Hostname": gpu.node,
                "UUID": gpu.uuid,
                "device": f"nvidia{gpu.index}",
                "gpu": str(gpu.index),
                "instance": f"{gpu.node}:9400",
                "job": "dcgm-exporter",
                "modelName": gpu.board.name,
                "pci_bus_id": gpu.pci,
            }
            series: dict[str, dict[str, object]] = {}
            for now, row in gpu.rows:
                if holes and holes(gpu, name, now):
                    continue
                extra = labels(gpu, now) if labels else {}
                held = series.setdefault(json.dumps(extra), {"metric": base | extra, "values": []})
                held["values"].append([now, f"{row[name]}"])  # type: ignore[attr-defined]
            result.extend(series.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(
            {"status": "success", "data": {"resultType": "matrix", "result": result}},
            separators=(",", ":"),
            ensure_ascii=False,
        )
        + "\n",
        encoding="utf-8",
    )


def exporter(path: Path, fleet: Sequence[Gpu]) -> None:
    """Write a query_range answer with the names of nvidia_gpu_exporter."""
    result = []
    names: dict[str, Callable[[dict[str, float], Gpu], float]] = {
        "utilization_gpu_ratio": lambda row, _: row["GPU_UTIL"] / 100,
        "utilization_memory_ratio": lambda row, _: row["MEM_COPY_UTIL"] / 100,
        "memory_used_bytes": lambda row, _: int(row["FB_USED"]) * 1048576,
        "memory_free_bytes": lambda row, _: int(row["FB_FREE"]) * 1048576,
        "memory_total_bytes": lambda _, gpu: gpu.board.memory * 1048576,
        "power_draw_watts": lambda row, _: round(row["POWER_USAGE"], 2),
        "enforced_power_limit_watts": lambda _, gpu: gpu.board.limit,
        "clocks_current_sm_clock_hz": lambda row, _: int(row["SM_CLOCK"]) * 1000000,
        "clocks_current_memory_clock_hz": lambda row, _: int(row["MEM_CLOCK"]) * 1000000,
        "temperature_gpu": lambda row, _: row["GPU_TEMP"],
        "temperature_memory": lambda row, _: row["MEMORY_TEMP"],
        "ecc_errors_corrected_volatile_total": lambda row, _: row["ECC_SBE_VOL_TOTAL"],
        "ecc_errors_uncorrected_volatile_total": lambda row, _: 0,
        "retired_pages_double_bit_count": lambda row, _: 0,
        "clocks_throttle_reasons_active": lambda row, _: row["CLOCK_THROTTLE_REASONS"],
        "clocks_throttle_reasons_gpu_idle": lambda row, _: int(row["CLOCK_THROTTLE_REASONS"]) & 1,
        "clocks_throttle_reasons_hw_slowdown": lambda row, _: 0,
        "clocks_throttle_reasons_sw_power_cap": lambda row, _: 0,
        "pstate": lambda row, _: 0,
    }
    for gpu in fleet:
        short = gpu.uuid.removeprefix("GPU-")
        base = {"instance": f"{gpu.node}:9835", "job": "nvidia-gpu", "uuid": short}
        result.append(
            {
                "metric": {
                    "__name__": "nvidia_smi_gpu_info",
                    **base,
                    "driver_version": gpu.board.driver,
                    "name": gpu.board.name,
                    "vbios_version": "88.00.4f.00.09",
                    "driver_model_current": "[N/A]",
                    "driver_model_pending": "[N/A]",
                },
                "values": [[now, "1"] for now, _ in gpu.rows],
            }
        )
        result.append(
            {
                "metric": {"__name__": "nvidia_smi_index", **base},
                "values": [[now, str(gpu.index)] for now, _ in gpu.rows],
            }
        )
        for name, get in names.items():
            result.append(
                {
                    "metric": {"__name__": f"nvidia_smi_{name}", **base},
                    "values": [[now, f"{get(row, gpu)}"] for now, row in gpu.rows],
                }
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
        + "\n",
        encoding="utf-8",
    )


def clock(hours: int, year: int, month: int, day: int, hour: int, minute: int, second: int = 0) -> datetime:
    """A time of the wall at a zone's offset."""
    return datetime(year, month, day, hour, minute, second, tzinfo=timezone(timedelta(hours=hours)))


def grid(start: datetime, minutes: float, step: int, before: float = 5, after: float = 4) -> list[float]:
    """The epochs of the scrapes, on multiples of the step."""
    first = int(start.timestamp() - before * 60) // step * step
    return list(range(first, int(start.timestamp() + (minutes + after) * 60), step))
