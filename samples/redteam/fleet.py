"""The machines: GPU models, what a GPU can be doing, and the readings that come of it.

Figures of boards (TDP, clocks, memory) are NVIDIA's data sheets; the shapes of work (an NCCL kernel keeps the engine at
100 % on a handful of SMs, a GPU without context falls to its idle clock, ...) are common knowledge of operators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random


@dataclass(frozen=True)
class Board:
    """A GPU model: names and limits as its data sheet has them."""

    name: str
    tdp_w: float
    idle_w: float
    boost_mhz: int
    idle_mhz: int
    memory_mhz: int
    memory_mib: int
    profiled: bool = True  # DCGM's PROF fields exist from Volta on, but many clusters do not collect them


BOARDS = {
    "v100": Board("Tesla V100-SXM2-32GB", 300, 43, 1530, 135, 877, 32510),
    "a100": Board("NVIDIA A100-SXM4-80GB", 400, 62, 1410, 210, 1593, 81251),
    "a100-40": Board("NVIDIA A100-SXM4-40GB", 400, 55, 1410, 210, 1215, 40537),
    "h100": Board("NVIDIA H100 80GB HBM3", 700, 71, 1980, 345, 2619, 81089),
    "h200": Board("NVIDIA H200", 700, 76, 1980, 345, 3201, 143167),
    "l40s": Board("NVIDIA L40S", 350, 34, 2520, 210, 9001, 45631),
}


@dataclass(frozen=True)
class Work:
    """What a GPU does: shares of time or of units, 0..1.

    duty and period_s make the on/off wave of a step; power is the share of the range between idle and TDP while on.
    """

    engine: float
    sm: float
    tensor: float
    dram: float
    power: float
    duty: float = 1.0
    period_s: float = 0.5
    context: bool = True


OFF = Work(0, 0, 0, 0, 0, context=False)
RESIDENT = Work(0, 0, 0, 0, 0.06)
TRAIN = Work(0.97, 0.72, 0.38, 0.45, 0.82, 0.97, 1.0)
EVALUATE = Work(0.92, 0.55, 0.25, 0.40, 0.55, 0.9, 0.6)
SPIN = Work(1.0, 0.06, 0.0, 0.01, 0.12)
COMPILE = Work(0.06, 0.02, 0.0, 0.01, 0.08, 0.5, 7.0)
SAVE = Work(0.02, 0.01, 0.0, 0.05, 0.08)


@dataclass
class Change:
    """One GPU (or all of a node, or all) does something else from begin to end, seconds of epoch."""

    begin: float
    end: float
    node: int | None = None
    gpu: int | None = None
    work: Work | None = None
    clock: float | None = None  # share of boost
    reasons: int = 0  # bits set on top
    heat_c: float = 0.0  # added to the temperature it drifts to
    gone: bool = False  # no series any more

    def touches(self, node: int, gpu: int, t: float) -> bool:
        return self.begin <= t < self.end and self.node in (None, node) and self.gpu in (None, gpu)


@dataclass
class Phase:
    """A stretch of the job in which all GPUs do the same; step_s > 0 where it trains."""

    kind: str
    begin: float
    end: float
    work: Work
    step_s: float = 0.0


@dataclass
class Reading:
    """One GPU at one tick, in DCGM's units (utilisation in %, memory in MiB, energy in mJ)."""

    t: float
    values: dict[str, float] = field(default_factory=dict)


def wave(work: Work, t: float, skew: float) -> float:
    """1 while the step is busy, 0 in its gap; the duty itself where a step is shorter than a second."""
    if work.period_s <= 1.0:
        return work.duty
    return 1.0 if ((t + skew) / work.period_s) % 1.0 < work.duty else 0.0


class Gpu:
    """Readings of one GPU along the ticks: inertia of heat, integration of energy, counters."""

    def __init__(self, board: Board, rng: random.Random, memory_share: float, ambient_c: float) -> None:
        self.board, self.rng = board, rng
        self.memory_mib = memory_share * board.memory_mib * rng.uniform(0.985, 1.0)
        self.ambient_c = ambient_c + rng.gauss(0, 1.5)
        self.silicon = rng.gauss(1.0, 0.012)
        self.temp_c = self.ambient_c + 4
        self.energy_mj = rng.uniform(1e12, 9e12)
        self.skew = rng.uniform(0, 0.2)

    def read(self, t: float, dt: float, work_at: object, change: list[Change]) -> dict[str, float]:
        """What the exporter shows at ``t``; ``work_at(t)`` gives (Work, ramp of memory 0..1)."""
        rng, board = self.rng, self.board
        parts = [work_at(t - dt * k / 8) for k in range(8)]  # type: ignore[operator]
        busy = [wave(w, t - dt * k / 8, self.skew) for k, (w, _) in enumerate(parts)]
        work, ramp = parts[0]
        clock_share = min((c.clock for c in change if c.clock is not None), default=1.0)
        reasons = 0
        for c in change:
            reasons |= c.reasons

        def mean(name: str, noise: float) -> float:
            value = sum(getattr(w, name) * b for (w, _), b in zip(parts, busy, strict=True)) / 8
            return min(1.0, max(0.0, value * (1 + rng.gauss(0, noise)))) if value > 0 else 0.0

        demand = (
            sum(w.power * b + (0.06 * (1 - b) if w.context else 0) for (w, _), b in zip(parts, busy, strict=True)) / 8
        )
        power = board.idle_w + (board.tdp_w - board.idle_w) * demand * self.silicon * (0.35 + 0.65 * clock_share**2)
        power = max(board.idle_w * 0.93, power * (1 + rng.gauss(0, 0.025)))
        capped = power > board.tdp_w * 0.985
        power = min(power, board.tdp_w * rng.uniform(0.985, 1.004))
        goal = self.ambient_c + 44 * power / board.tdp_w + sum(c.heat_c for c in change)
        self.temp_c += (goal - self.temp_c) * (1 - math.exp(-dt / 75.0))
        self.energy_mj += power * dt * 1000
        engine_now = work.engine * (wave(work, t, self.skew) if work.period_s > 1.0 else work.duty)
        if work.context:
            share = clock_share if clock_share < 1 else (rng.uniform(0.88, 0.95) if capped else 1.0)
            clock = board.boost_mhz * share
            if capped:
                reasons |= 0x4
        else:
            clock, reasons = board.idle_mhz, reasons | 0x1
        clock = 15 * round(clock * (1 + (rng.gauss(0, 0.004) if work.context and clock_share < 1 else 0)) / 15)
        used = (self.memory_mib * ramp + 520) if work.context else 3
        used = min(used, board.memory_mib - 200)
        return {
            "DCGM_FI_DEV_GPU_UTIL": round(
                100 * min(1, max(0, engine_now + (rng.gauss(0, 0.012) if engine_now else 0)))
            ),
            "DCGM_FI_DEV_MEM_COPY_UTIL": round(100 * mean("dram", 0.1)),
            "DCGM_FI_DEV_FB_USED": round(used),
            "DCGM_FI_DEV_FB_FREE": round(board.memory_mib - used),
            "DCGM_FI_DEV_SM_CLOCK": clock,
            "DCGM_FI_DEV_MEM_CLOCK": board.memory_mhz,
            "DCGM_FI_DEV_GPU_TEMP": round(self.temp_c + rng.gauss(0, 0.4)),
            "DCGM_FI_DEV_MEMORY_TEMP": round(self.temp_c + 7 + rng.gauss(0, 0.5)),
            "DCGM_FI_DEV_POWER_USAGE": round(power, 3),
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": round(self.energy_mj),
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": reasons,
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(mean("engine", 0.01), 6),
            "DCGM_FI_PROF_SM_ACTIVE": round(mean("sm", 0.05), 6),
            "DCGM_FI_PROF_SM_OCCUPANCY": round(mean("sm", 0.08) * 0.4, 6),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(mean("tensor", 0.06), 6),
            "DCGM_FI_PROF_DRAM_ACTIVE": round(mean("dram", 0.06), 6),
        }


def scaled(work: Work, **shares: float) -> Work:
    """The same work with some of its shares replaced."""
    return replace(work, **shares)
