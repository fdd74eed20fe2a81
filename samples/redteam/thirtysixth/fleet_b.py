"""Boards and what their meters say, for the incidents t09 to t16 of the thirty-sixth set.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """A model of GPU."""

    name: str
    idle: float
    cap: float
    memory: int
    clock: int
    rest: int
    memory_clock: int
    cool: float
    warm: float
    driver: str


H100: Final = Board("NVIDIA H100 80GB HBM3", 71, 700, 81559, 1980, 345, 2619, 28, 63, "570.124.06")
B200: Final = Board("NVIDIA B200", 142, 1000, 183359, 1965, 120, 3996, 27, 61, "580.65.06")
L40S: Final = Board("NVIDIA L40S", 36, 350, 46068, 2520, 210, 9001, 29, 71, "560.35.05")
RTX: Final = Board("NVIDIA GeForce RTX 4090", 21, 450, 24564, 2745, 210, 10501, 31, 69, "565.57.01")


@dataclass(frozen=True)
class Load:
    """What a board is asked to do: utilisation in percent, share of its power, memory in MiB, activities 0 to 1."""

    util: float = 0
    work: float = 0
    memory: float = 0
    sm: float = 0
    tensor: float = 0
    dram: float = 0


@dataclass
class Gpu:
    """A board in a node, and its samples: one dict a moment."""

    board: Board
    node: str
    index: int
    uuid: str
    bus: str
    samples: list[dict[str, float]]


def stamp(moment: float, zone: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """Tell a moment in a zone's local time."""
    return (datetime.fromtimestamp(moment, UTC) + timedelta(hours=zone)).strftime(form)


def epoch(text: str, zone: float) -> float:
    """Read a local time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() - zone * 3600


def ident(rng: Random) -> str:
    """Make a UUID of a board."""
    raw = f"{rng.getrandbits(128):032x}"
    return f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"


BUSES: Final = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")


def gpus(board: Board, nodes: Sequence[str], each: int, rng: Random) -> list[Gpu]:
    """Rack the boards."""
    return [Gpu(board, n, i, ident(rng), f"00000000:{BUSES[i]}:00.0", []) for n in nodes for i in range(each)]


def measure(gpu: Gpu, rng: Random, times: Sequence[float], load: Callable[[float], Load]) -> None:
    """Fill in the samples of a board by what it is asked to do."""
    board = gpu.board
    bias = rng.gauss(0, 2.0)
    heat = board.cool + bias
    draw = rng.uniform(0.97, 1.03)
    energy = rng.uniform(3e11, 9e11)
    last = times[0]
    for moment in times:
        want = load(moment)
        base = board.idle * (1.6 if want.memory and board.idle > 60 else 1.25 if want.memory else 1)
        asked = base + want.work * draw * (board.cap - base) + rng.gauss(0, 0.008 * board.cap if want.util else 0.6)
        capped = asked > 0.985 * board.cap
        power = min(asked, board.cap * rng.uniform(0.985, 1.003)) if capped else asked
        span = max(0.0, moment - last)
        energy += power * span * 1000
        aim = board.cool + bias + (board.warm - board.cool) * (power - board.idle) / (board.cap - board.idle)
        heat += (aim - heat) * (1 - math.exp(-span / 75))
        clock = board.clock
        if not want.memory and not want.util:
            clock = board.rest
        elif capped:
            clock = round((board.clock - rng.uniform(0.03, 0.14) * board.clock) / 15) * 15
        gpu.samples.append(
            {
                "time": moment,
                "util": max(0, min(100, round(want.util + (rng.gauss(0, 1.0) if 3 < want.util < 100 else 0)))),
                "copy": round(want.dram * 100 * 0.85),
                "memory": round(want.memory) if want.memory else (4 if board.idle > 30 else 12),
                "power": round(power, 3),
                "temp": round(heat + rng.uniform(-0.4, 0.4)),
                "hot": round(heat + 7 + 4 * want.dram + rng.uniform(-0.5, 0.5)),
                "clock": clock,
                "mclock": board.memory_clock if want.memory or board.idle > 60 else 405,
                "reasons": 4 if capped else 0 if want.util else 1,
                "energy": round(energy),
                "sm": round(max(0.0, want.sm * (1 + rng.gauss(0, 0.02))), 6),
                "tensor": round(max(0.0, want.tensor * (1 + rng.gauss(0, 0.03))), 6),
                "dram": round(max(0.0, want.dram * (1 + rng.gauss(0, 0.03))), 6),
                "engine": round(min(1.0, want.util / 100 * (1 + rng.gauss(0, 0.004))), 6),
                "xid": 0,
                "dbe": 0,
                "sbe": 0,
                "remap": 0,
            },
        )
        last = moment


DCGM: Final = {
    "DCGM_FI_DEV_GPU_UTIL": "util",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "copy",
    "DCGM_FI_DEV_FB_USED": "memory",
    "DCGM_FI_DEV_FB_FREE": "free",
    "DCGM_FI_DEV_POWER_USAGE": "power",
    "DCGM_FI_DEV_GPU_TEMP": "temp",
    "DCGM_FI_DEV_MEMORY_TEMP": "hot",
    "DCGM_FI_DEV_SM_CLOCK": "clock",
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "reasons",
    "DCGM_FI_DEV_XID_ERRORS": "xid",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "dbe",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "remap",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": "energy",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "engine",
    "DCGM_FI_PROF_SM_ACTIVE": "sm",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "tensor",
    "DCGM_FI_PROF_DRAM_ACTIVE": "dram",
}


def series(gpu: Gpu, metric: str, field: str, labels: Mapping[str, str]) -> dict[str, object]:
    """Make one series of a Prometheus answer."""
    values = []
    for sample in gpu.samples:
        value = gpu.board.memory - 520 - sample["memory"] if field == "free" else sample[field]
        values.append([sample["time"], f"{value:g}" if abs(value) < 1e5 else f"{value:.0f}"])
    return {"metric": {"__name__": metric, **labels}, "values": values}


def dcgm_labels(gpu: Gpu) -> dict[str, str]:
    """Label a series as dcgm-exporter does."""
    return {
        "DCGM_FI_DRIVER_VERSION": gpu.board.driver,
        "Hostname": gpu.node,
        "UUID": gpu.uuid,
        "device": f"nvidia{gpu.index}",
        "gpu": str(gpu.index),
        "instance": f"{gpu.node}:9400",
        "job": "dcgm",
        "modelName": gpu.board.name,
        "pci_bus_id": gpu.bus,
    }


def answer(path: Path, result: Sequence[Mapping[str, object]]) -> None:
    """Write a Prometheus answer."""
    body = {"status": "success", "data": {"resultType": "matrix", "result": list(result)}}
    path.write_text(json.dumps(body, separators=(",", ":")) + "\n")


def smi(path: Path, boards: Sequence[Gpu], zone: float, rng: Random) -> None:
    """Write what nvidia-smi --query-gpu --format=csv -l says."""
    lines = [
        "timestamp, index, name, pci.bus_id, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
        "memory.total [MiB], temperature.gpu, power.draw [W], power.limit [W], clocks.current.sm [MHz], "
        "clocks.current.memory [MHz], clocks_event_reasons.active, ecc.errors.uncorrected.volatile.total",
    ]
    for row in zip(*(gpu.samples for gpu in boards), strict=True):
        part = rng.randrange(20, 900)
        for gpu, s in zip(boards, row, strict=True):
            part += rng.randrange(1, 8)
            busy = s["util"] > 0 or s["clock"] > gpu.board.rest
            lines.append(
                f"{stamp(s['time'], zone, '%Y/%m/%d %H:%M:%S')}.{part:03d}, {gpu.index}, {gpu.board.name}, {gpu.bus}, "
                f"{'P2' if busy else 'P8'}, {s['util']} %, {s['copy']} %, {s['memory']} MiB, {gpu.board.memory} MiB, "
                f"{s['temp']}, {s['power']:.2f} W, {gpu.board.cap:.2f} W, {s['clock']} MHz, {s['mclock']} MHz, "
                f"0x{int(s['reasons']):016X}, [N/A]",
            )
    path.write_text("\n".join(lines) + "\n")


def grid(first: float, last: float, step: float) -> list[float]:
    """Tell the moments of the samples, whole multiples of the step."""
    start = math.ceil(first / step) * step
    return [start + step * i for i in range(int((last - start) // step) + 1)]


def columns(heads: Sequence[tuple[str, int]], rows: Sequence[Sequence[str]]) -> str:
    """Lay out rows as sacct does: JobID to the left, the others to the right, cut with a plus."""

    def cell(text: str, width: int, left: bool) -> str:
        text = text if len(text) <= width else text[: width - 1] + "+"
        return text.ljust(width) if left else text.rjust(width)

    out = [" ".join(cell(h, w, i == 0) for i, (h, w) in enumerate(heads)) + " "]
    out.append(" ".join("-" * w for _, w in heads) + " ")
    out += [
        " ".join(cell(t, w, i == 0) for i, (t, (_, w)) in enumerate(zip(r, heads, strict=True))) + " " for r in rows
    ]
    return "\n".join(out) + "\n"
