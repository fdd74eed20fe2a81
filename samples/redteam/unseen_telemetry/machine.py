"""Boards and what they do: modes of work over time, and the power, clocks, heat and counters that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random


@dataclass(frozen=True, slots=True)
class Board:
    """A model: watts at its limit, idle and with a context; MHz of SMs (highest, idle) and memory; MiB; K per watt."""

    name: str
    limit_w: float
    idle_w: float
    rest_w: float
    sm_mhz: int
    idle_mhz: int
    memory_mhz: int
    memory_mib: int
    heat: float
    driver: str


BOARDS: Final = {
    "a100": Board("NVIDIA A100-SXM4-80GB", 400, 58, 78, 1410, 210, 1593, 81251, 0.082, "550.90.07"),
    "a100p": Board("NVIDIA A100-PCIE-40GB", 250, 36, 46, 1410, 210, 1215, 40536, 0.135, "535.183.01"),
    "h100": Board("NVIDIA H100 80GB HBM3", 700, 72, 118, 1980, 345, 2619, 81079, 0.053, "570.86.15"),
    "h200": Board("NVIDIA H200", 700, 76, 121, 1980, 345, 3201, 143276, 0.051, "570.124.06"),
    "l40s": Board("NVIDIA L40S", 350, 33, 79, 2520, 210, 9001, 45589, 0.118, "560.35.05"),
}


@dataclass(frozen=True, slots=True)
class Mode:
    """What a GPU does: shares of all time with the engine, the SMs, the tensor pipe and memory at work.

    ``step_s`` is the period in which work and waiting alternate, ``clock`` what is left of the highest clock,
    ``memory`` the share of memory in use; ``gone`` means that the exporter tells nothing.
    """

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    step_s: float = 0.8
    memory: float = 0.0
    clock: float = 1.0
    pcie: float = 0.02
    link: float = 0.0
    hot_k: float = 0.0
    reasons: int = 0
    watts: float | None = None
    gone: bool = False


FREE: Final = Mode()
GONE: Final = Mode(gone=True)


def holding(memory: float) -> Mode:
    """A context and its memory, and nothing launched."""
    return Mode(memory=memory)


def training(rng: random.Random, memory: float = 0.8, step_s: float = 0.9) -> Mode:
    """Sound training of a dense model."""
    tensor = rng.uniform(0.34, 0.48)
    return Mode(
        engine=rng.uniform(0.965, 0.995),
        sm=rng.uniform(0.78, 0.9),
        tensor=tensor,
        dram=rng.uniform(0.3, 0.42),
        step_s=step_s,
        memory=memory,
        pcie=0.8,
        link=62,
    )


def waiting(memory: float) -> Mode:
    """A collective's kernel that polls for a peer."""
    return Mode(engine=1.0, sm=0.07, tensor=0.0, dram=0.004, memory=memory, pcie=0.01)


@dataclass
class Gpu:
    """One board in a slot, what befalls it (``plan``: from second, mode), and its counters by second."""

    uuid: str
    index: int
    bus: str
    plan: list[tuple[float, Mode]] = field(default_factory=list)
    xids: list[tuple[float, int]] = field(default_factory=list)
    remapped: list[tuple[float, int]] = field(default_factory=list)
    remap_failed_s: float | None = None
    replays: list[tuple[float, int]] = field(default_factory=list)
    crc: list[tuple[float, int]] = field(default_factory=list)
    dbe: list[tuple[float, int]] = field(default_factory=list)
    inlet_k: float = 29.0
    chip: float = 1.0

    def at(self, second: float) -> Mode:
        """What it does then."""
        now = FREE
        for since, mode in self.plan:
            if second < since:
                break
            now = mode
        return now

    def then(self, second: float, mode: Mode) -> None:
        """From ``second`` on it does this, and nothing that was planned for later."""
        self.plan = [(since, planned) for since, planned in self.plan if since < second] + [(second, mode)]

    def between(self, begin: float, end: float, mode: Mode) -> None:
        """For a while it does this, then what it did before."""
        back = self.at(end)
        later = [(since, planned) for since, planned in self.plan if since > end]
        self.plan = [(since, planned) for since, planned in self.plan if since < begin] + [
            (begin, mode),
            (end, back),
            *later,
        ]


def _last(steps: list[tuple[float, int]], second: float, first: int = 0) -> int:
    for since, value in steps:
        if second >= since:
            first = value
    return first


def readings(board: Board, gpu: Gpu, seconds: range, rng: random.Random) -> dict[str, list[tuple[int, float]]]:
    """Every metric of the GPU at these seconds, by the name DCGM gives it."""
    out: dict[str, list[tuple[int, float]]] = {}
    heat: float | None = None
    energy, linked = rng.uniform(1e11, 9e11), rng.uniform(1e9, 5e9)
    thermal, powered = rng.randint(0, 10**9), rng.randint(10**9, 10**12)
    every = seconds.step
    offset = rng.uniform(0, 40)
    for second in seconds:
        mode, past = gpu.at(second), gpu.at(second - 8)
        if mode.gone:
            continue
        held = mode.memory > 0
        rest = board.rest_w if held else board.idle_w
        load = 0.16 * past.engine + 1.35 * past.tensor + 0.55 * past.dram
        share = 1.0
        if mode.engine < 0.9 and mode.step_s > 1.5 and mode.engine > 0:
            at = ((second + offset) % mode.step_s) / mode.step_s
            share = 1.0 if at < mode.engine else 0.0
            load = load / mode.engine * share
        wanted = rest + (board.limit_w - rest) * load * gpu.chip * mode.clock**1.3
        watts = mode.watts if mode.watts is not None else min(wanted, board.limit_w * rng.gauss(0.995, 0.006))
        watts = max(board.idle_w * 0.97, watts * rng.gauss(1, 0.012))
        clock = board.sm_mhz if held else board.idle_mhz
        capped = wanted > board.limit_w and mode.watts is None
        if capped:
            clock = int(clock * max(0.72, (board.limit_w / wanted) ** 0.6))
        if mode.clock < 1:
            clock = int(clock * mode.clock * rng.gauss(1, 0.02))
        clock = clock // 15 * 15
        aim = gpu.inlet_k + board.heat * watts + mode.hot_k
        heat = aim if heat is None else heat + (aim - heat) * (1 - math.exp(-every / 70))
        energy += watts * every * 1000
        linked += mode.link * every * 1000
        thermal += int(every * 1e9 * (0.6 if mode.reasons & 0x68 else 0))
        powered += int(every * 1e9 * (0.5 if capped or mode.reasons & 0x84 else 0))
        busy = mode.engine
        if busy >= 0.9 or busy == 0:
            util = round(100 * min(1, busy + 0.012)) if busy else 0
        elif mode.step_s > 1.5:
            util = rng.randint(92, 100) if share else rng.randint(0, 2)
        else:
            util = max(0, min(100, round(100 * busy + rng.gauss(0, 4))))

        def ratio(value: float, spread: float = 0.02) -> float:
            return 0.0 if value <= 0 else min(1.0, max(0.0, value * rng.gauss(1, spread)))

        used = round(board.memory_mib * mode.memory + rng.uniform(0, 3)) if held else (4 if board.idle_w > 50 else 1)
        told = {
            "DCGM_FI_DEV_SM_CLOCK": clock,
            "DCGM_FI_DEV_MEM_CLOCK": board.memory_mhz,
            "DCGM_FI_DEV_GPU_TEMP": round(heat),
            "DCGM_FI_DEV_MEMORY_TEMP": round(heat + 8),
            "DCGM_FI_DEV_POWER_USAGE": round(watts, 3),
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": round(energy),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": _last(gpu.replays, second),
            "DCGM_FI_DEV_GPU_UTIL": util,
            "DCGM_FI_DEV_MEM_COPY_UTIL": round(100 * ratio(mode.dram * share)),
            "DCGM_FI_DEV_XID_ERRORS": _last(gpu.xids, second),
            "DCGM_FI_DEV_FB_USED": used,
            "DCGM_FI_DEV_FB_FREE": board.memory_mib - used,
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": _last(gpu.remapped, second),
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 0,
            "DCGM_FI_DEV_ROW_REMAP_FAILURE": int(gpu.remap_failed_s is not None and second >= gpu.remap_failed_s),
            "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": round(linked),
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(ratio(past.engine, 0.006), 6),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(ratio(past.tensor), 6),
            "DCGM_FI_PROF_DRAM_ACTIVE": round(ratio(past.dram), 6),
            "DCGM_FI_PROF_PCIE_TX_BYTES": round(1e9 * past.pcie * rng.uniform(0.5, 0.8)),
            "DCGM_FI_PROF_PCIE_RX_BYTES": round(1e9 * past.pcie * rng.uniform(0.8, 1.3)),
            "DCGM_FI_PROF_SM_ACTIVE": round(ratio(past.sm), 6),
            "DCGM_FI_PROF_SM_OCCUPANCY": round(ratio(past.sm * 0.31), 6),
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": mode.reasons or (4 if capped else 0 if held and busy else 1),
            "DCGM_FI_DEV_THERMAL_VIOLATION": thermal,
            "DCGM_FI_DEV_POWER_VIOLATION": powered,
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": _last(gpu.dbe, second),
            "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": _last(gpu.crc, second),
        }
        for name, value in told.items():
            out.setdefault(name, []).append((second, value))
    return out


def varied(rng: random.Random, mode: Mode, spread: float = 0.015) -> Mode:
    """The same work on another board: boards differ a little."""
    return replace(
        mode,
        engine=min(1.0, mode.engine * rng.gauss(1, spread / 4)),
        sm=mode.sm * rng.gauss(1, spread),
        tensor=mode.tensor * rng.gauss(1, spread),
        dram=mode.dram * rng.gauss(1, spread),
        memory=min(0.995, mode.memory * rng.gauss(1, 0.002)),
    )
