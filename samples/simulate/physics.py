"""What GPUs and hosts do while a simulated job runs: phases of each rank, then samples of them.

A step is: wait for data, compute, wait for the slowest rank, exchange. Engine activity counts any resident kernel, and
a waiting collective is one; SM activity counts work. So a slow rank shows the higher SM activity, and its peers spin.
"""

from __future__ import annotations

import bisect
import random
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .plan import Plan

NCCL_TIMEOUT_S = 600.0
_SPIN_SM = 0.015
THERMAL, IDLE, POWER_CAP = 0x60, 0x1, 0x4


@dataclass
class Track:
    """Phases of one rank: from when on, engine and SM activity; the last one lasts until ``end``."""

    begins: list[float] = field(default_factory=list)
    engine: list[float] = field(default_factory=list)
    sm: list[float] = field(default_factory=list)

    def add(self, begin: float, engine: float, sm: float) -> None:
        """Begin a phase."""
        self.begins.append(begin)
        self.engine.append(engine)
        self.sm.append(sm)

    def shares(self, times: list[float], window: float) -> list[tuple[float, float]]:
        """Engine and SM activity averaged over the window before each time."""
        lengths = [b - a for a, b in zip(self.begins, [*self.begins[1:], self.begins[-1]], strict=True)]
        sums = [
            [0.0, *accumulate(v * n for v, n in zip(values, lengths, strict=True))] for values in (self.engine, self.sm)
        ]

        def integral(which: int, values: list[float], at: float) -> float:
            index = max(0, bisect.bisect_right(self.begins, at) - 1)
            return sums[which][index] + values[index] * max(0.0, at - self.begins[index])

        return [
            (
                (integral(0, self.engine, t) - integral(0, self.engine, t - window)) / window,
                (integral(1, self.sm, t) - integral(1, self.sm, t - window)) / window,
            )
            for t in times
        ]


@dataclass
class Run:
    """How it went: when each step ended, phases of each rank, when it all ended, and when the fault struck."""

    step_ends: list[float]
    saves: list[tuple[int, float]]
    tracks: list[Track]
    end: float
    struck: float | None


def run(plan: Plan) -> Run:
    """Let the job run."""
    chance = random.Random(f"physics/{plan.seed}/{plan.fault}")
    tracks = [Track() for _ in range(plan.world)]
    setup = chance.uniform(20, 60)
    for track in tracks:
        track.add(0.0, 0.0, 0.0)
    now = setup
    ends: list[float] = []
    saves: list[tuple[int, float]] = []
    struck: float | None = None
    if plan.fault == "rendezvous":
        return Run([], [], tracks, setup + NCCL_TIMEOUT_S * 1.5, setup)
    last = int(plan.steps * plan.onset)
    ends_early = plan.fault in {
        "ecc", "fallen_off_the_bus", "freeze", "silent_freeze", "idle_hang", "node_down", "preempted", "traceback",
        "cuda_oom", "host_oom", "time_limit",
    }  # fmt: skip
    for step in range(1, (last if ends_early else plan.steps) + 1):
        onset = step > last
        computes, waits = [], []
        for rank in range(plan.world):
            compute = plan.compute_s * chance.uniform(0.98, 1.03)
            data = plan.data_s * chance.expovariate(1.0)
            if plan.fault == "straggler" and rank == plan.sick:
                compute *= plan.slowdown
            if plan.fault == "throttling" and onset and rank == plan.sick:
                compute *= plan.slowdown
                struck = now if struck is None else struck
            if plan.fault == "starvation":
                data = plan.compute_s * chance.uniform(14, 24)
            if plan.fault == "mild_starvation":
                data = plan.compute_s * chance.uniform(0.5, 0.9)
            computes.append(compute)
            waits.append(data)
        comm = plan.comm_s * chance.uniform(0.9, 1.2)
        if plan.fault == "interconnect":
            comm = plan.compute_s * chance.uniform(9, 14)
        if plan.world == 1:
            comm = 0.0
        ready = now + max(d + c for d, c in zip(waits, computes, strict=True))
        for track, data, compute in zip(tracks, waits, computes, strict=True):
            track.add(now, 0.0, 0.0)
            track.add(now + data, 1.0, plan.sm)
            track.add(now + data + compute, 1.0 if plan.world > 1 else 0.0, _SPIN_SM if plan.world > 1 else 0.0)
        now = ready + comm
        ends.append(now)
        storm = plan.fault == "save_storm"
        if storm or (step % max(40, plan.steps // 3) == 0 and plan.fault != "three_steps"):
            for track in tracks:
                track.add(now, 0.0, 0.0)
            now += plan.compute_s * (chance.uniform(8, 12) if storm else 3.0)
            saves.append((step, now))
    if ends_early and plan.fault not in ("preempted", "time_limit"):
        struck = now + 0.4 * plan.compute_s
        for rank, track in enumerate(tracks):
            track.add(now, 1.0, plan.sm)
            gone = rank == plan.sick or (plan.fault == "node_down" and plan.node_of(rank) == plan.node_of(plan.sick))
            spins = plan.fault != "idle_hang" and not gone
            track.add(struck, 1.0 if spins else 0.0, 0.0)
        held = {"freeze": NCCL_TIMEOUT_S + 30, "silent_freeze": 2400.0, "idle_hang": 2400.0, "node_down": 330.0}
        end = struck + held.get(plan.fault, 12.0)
    else:
        end = now + 4.0
    for track in tracks:
        track.add(end, 0.0, 0.0)
    return Run(ends, saves, tracks, end, struck)


def gpu_samples(plan: Plan, done: Run, interval: float) -> list[dict[str, Any]]:
    """Samples of all GPUs, with ``at`` (s) and ``rank`` beside columns of ``gpu_samples``; null: not measured."""
    rows: list[dict[str, Any]] = []
    for rank in range(plan.world):
        chance = random.Random(f"gpu/{plan.seed}/{rank}")
        until = done.end
        if plan.fault in ("node_down", "fallen_off_the_bus") and done.struck is not None:
            lost = plan.node_of(rank) == plan.node_of(plan.sick) if plan.fault == "node_down" else rank == plan.sick
            until = done.struck if lost else until
        phase = chance.uniform(0, interval)
        times = [phase + i * interval for i in range(int((until - phase) / interval))]
        energy = float(chance.randrange(10**9))
        temperature = chance.uniform(32, 38)
        base_ecc = 0 if plan.fault != "latent_ecc" or rank != plan.sick else chance.randrange(2, 9)
        for at, (engine, sm) in zip(times, done.tracks[rank].shares(times, min(1.0, interval)), strict=True):
            hot = plan.fault == "throttling" and rank == plan.sick and done.struck is not None and at >= done.struck
            sick = plan.fault == "ecc" and rank == plan.sick and done.struck is not None and at >= done.struck
            power = plan.power_w * (0.12 + 0.2 * engine + 0.62 * min(1.0, sm / 0.8)) * chance.uniform(0.98, 1.02)
            power = min(power, plan.power_w * (0.62 if hot else 1.0))
            energy += power * 1000 * interval
            goal = 89.5 if hot else 32 + 42 * power / plan.power_w
            temperature += (goal - temperature) * min(1.0, interval / 20)
            busy = engine > 0.02
            clock = plan.clock_mhz if busy else int(plan.clock_mhz * 0.18)
            if hot:
                clock = int(plan.clock_mhz / plan.slowdown * chance.uniform(0.97, 1.03))
            resident = plan.memory_share if at > 15 else 0.01
            rows.append(
                {
                    "at": at,
                    "rank": rank,
                    "gpu_uuid": plan.uuid(rank),
                    "gpu_index": rank % plan.gpus_per_node,
                    "fb_used_bytes": int(plan.memory_mib * resident) << 20,
                    "fb_total_bytes": plan.memory_mib << 20,
                    "engine_active": round(min(1.0, max(0.0, engine)), 2),
                    "sm_active": round(min(1.0, max(0.0, sm * chance.uniform(0.96, 1.04))), 4),
                    "tensor_active": round(min(1.0, max(0.0, 0.55 * sm)), 4),
                    "dram_active": round(min(1.0, max(0.0, 0.6 * sm)), 4),
                    "power_w": round(power, 3),
                    "power_limit_w": float(plan.power_w),
                    "energy_mj": int(energy),
                    "temp_core_c": round(temperature),
                    "sm_clock_mhz": clock,
                    "sm_clock_max_mhz": plan.clock_mhz,
                    "throttle_reasons": THERMAL
                    if hot
                    else POWER_CAP
                    if power > 0.97 * plan.power_w
                    else 0
                    if busy
                    else IDLE,
                    "ecc_uncorrected_volatile": int(sick),
                    "ecc_uncorrected_aggregate": base_ecc + int(sick),
                    "ecc_corrected_volatile": 0,
                    "pcie_gen": 5,
                    "pcie_width": 16,
                    "pcie_replays": 0,
                }
            )
    rows.sort(key=lambda row: (row["at"], row["rank"]))
    return rows


def host_samples(plan: Plan, done: Run, interval: float) -> list[dict[str, Any]]:
    """Samples of all hosts, with ``at`` and ``node`` beside columns of ``host_samples``."""
    rows = []
    for node in plan.nodes:
        chance = random.Random(f"host/{plan.seed}/{node}")
        total = 1 << 40
        until = done.end
        if plan.fault == "node_down" and node == plan.node_of(plan.sick) and done.struck is not None:
            until = done.struck
        for tick in range(int(until / interval)):
            at = tick * interval + chance.uniform(0, 0.01)
            used = 0.3 + 0.01 * chance.random()
            if plan.fault == "host_oom" and node == plan.node_of(plan.sick) and done.struck is not None:
                used = min(0.995, 0.3 + 0.7 * at / done.struck)
            rows.append(
                {
                    "at": at,
                    "node": node,
                    "cpu_user_share": round(0.2 + 0.05 * chance.random(), 4),
                    "load_1m": round(chance.uniform(8, 20), 2),
                    "memory_total_bytes": total,
                    "memory_available_bytes": int(total * (1 - used)),
                    "oom_kills": int(
                        plan.fault == "host_oom"
                        and node == plan.node_of(plan.sick)
                        and done.struck is not None
                        and at > done.struck
                    ),
                }
            )
    return rows
