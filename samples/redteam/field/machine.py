"""What GPUs do and what an exporter reads of it. SIMULATED.

Other physics than ``samples/redteam/fleet.py``: ranks are followed step by step (wait for data, compute, meet the
others, exchange), and whatever a counter shows follows from the time each rank spent in each state during that
counter's own window: profiling counters average since the exporter's last collection, NVML's utilisation looks at the
last second, power at half a second, temperature lags. Nothing is set to "straggler" or "frozen" by hand.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

OFF, HOST, COMPUTE, WAIT, COPY = range(5)
"""No context; context but the host is at it; kernels; a waiting collective; copies (load, save)."""


@dataclass(frozen=True)
class Model:
    """A board by its data sheet."""

    name: str
    tdp_w: float
    idle_w: float
    boost_mhz: int
    idle_mhz: int
    memory_mhz: int
    memory_mib: int
    limit_c: int = 87


MODELS = {
    "v100": Model("Tesla V100-SXM2-16GB", 300, 41, 1530, 135, 877, 16160, 83),
    "a100": Model("NVIDIA A100-SXM4-80GB", 400, 60, 1410, 210, 1593, 81920),
    "a100p": Model("NVIDIA A100-PCIE-40GB", 250, 33, 1410, 210, 1215, 40960),
    "h100": Model("NVIDIA H100 80GB HBM3", 700, 70, 1980, 345, 2619, 81559),
    "h100n": Model("NVIDIA H100 NVL", 400, 61, 1785, 345, 2619, 95830),
    "l40s": Model("NVIDIA L40S", 350, 33, 2520, 210, 9001, 46068),
    "a10": Model("NVIDIA A10", 150, 16, 1695, 210, 6251, 23028),
    "b200": Model("NVIDIA B200", 1000, 140, 1965, 120, 3996, 183359),
}


@dataclass
class Load:
    """How hard this job's kernels work; shares 0..1, drawn anew for every incident."""

    sm: float
    tensor: float
    dram: float
    power: float
    wait_sm: float
    wait_power: float
    host_power: float
    memory: float


def load(rng: random.Random) -> Load:
    """Kernels of some model on some board."""
    sm = rng.uniform(0.45, 0.93)
    return Load(
        sm,
        sm * rng.uniform(0.25, 0.7),
        rng.uniform(0.2, 0.65),
        rng.uniform(0.5, 0.93),
        rng.choice([0.02, 0.05, 0.08, 0.12]) * rng.uniform(0.7, 1.2),
        rng.uniform(0.07, 0.24),
        rng.uniform(0.02, 0.09),
        rng.uniform(0.4, 0.93),
    )


@dataclass
class Strain:
    """Something that holds one GPU's clock down, or heats it, for a while; ``reasons`` are NVML's bits."""

    begin: float
    end: float
    clock: float = 1.0
    heat_c: float = 0.0
    reasons: int = 0
    power: float = 1.0


@dataclass
class Gpu:
    """One GPU and what was running on it: segments of states in time order, then counters by hand."""

    model: Model
    node: int
    index: int
    uuid: str
    load: Load
    at: list[float] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    effort: list[float] = field(default_factory=list)
    strains: list[Strain] = field(default_factory=list)
    jumps: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    gone: float = math.inf
    _sums: list[list[float]] = field(default_factory=list)

    def enter(self, t: float, state: int, effort: float = 1.0) -> None:
        """From ``t`` on the GPU is in ``state``; ``effort`` scales how hard its kernels work."""
        self.at.append(t)
        self.states.append(state)
        self.effort.append(effort)

    def settle(self) -> None:
        """Sum up the time in each state, so that any window costs two searches."""
        sums = [[0.0] * 6]
        for k in range(1, len(self.at)):
            row = list(sums[-1])
            spent = self.at[k] - self.at[k - 1]
            row[self.states[k - 1]] += spent
            if self.states[k - 1] == COMPUTE:
                row[5] += spent * self.effort[k - 1]
            sums.append(row)
        self._sums = sums

    def _until(self, t: float) -> list[float]:
        k = bisect_right(self.at, t) - 1
        if k < 0:
            return [0.0] * 6
        row = list(self._sums[k])
        row[self.states[k]] += t - self.at[k]
        if self.states[k] == COMPUTE:
            row[5] += (t - self.at[k]) * self.effort[k]
        return row

    def shares(self, begin: float, end: float) -> list[float]:
        """Shares of the window in each state; the last is compute weighted by effort."""
        a, b = self._until(begin), self._until(end)
        return [(y - x) / (end - begin) for x, y in zip(a, b, strict=True)]

    def state(self, t: float) -> int:
        """What it does at ``t``."""
        k = bisect_right(self.at, t) - 1
        return OFF if k < 0 else self.states[k]

    def strain(self, t: float) -> Strain:
        """All that holds it down at ``t``, as one."""
        out = Strain(t, t)
        for s in self.strains:
            if s.begin <= t < s.end:
                out = Strain(t, t, min(out.clock, s.clock), out.heat_c + s.heat_c, out.reasons | s.reasons, s.power)
        return out

    def counter(self, name: str, t: float) -> float:
        """A counter that jumps: its value at ``t``."""
        value = 0.0
        for when, new in self.jumps.get(name, ()):
            if when <= t:
                value = new
        return value


class Exporter:
    """dcgm-exporter on one node: what it collected at its ticks, for one GPU after the other."""

    def __init__(self, rng: random.Random, window_s: float, ambient_c: float) -> None:
        self.rng, self.window_s, self.ambient_c = rng, window_s, ambient_c
        self.rise_c = rng.uniform(36, 47)
        self.lag_s = rng.uniform(35, 140)
        self.idles_down = rng.random() < 0.4

    def read(self, gpu: Gpu, ticks: list[float]) -> list[dict[str, float]]:
        """Values at each of ``ticks``, in DCGM's units."""
        rng, model, work = self.rng, gpu.model, gpu.load
        gain, ambient = rng.gauss(1, 0.015), self.ambient_c + rng.gauss(0, 2)
        temp, energy, thermal_ns, power_ns = ambient + 5, rng.uniform(1e11, 4e12), 0.0, 0.0
        idle_since: float | None = None
        base = {"tx": rng.uniform(1e3, 1e6), "link": 0.0}
        out: list[dict[str, float]] = []
        previous = ticks[0] - self.window_s
        for t in ticks:
            span = max(1.0, t - previous)
            prof = gpu.shares(t - self.window_s, t)
            second = gpu.shares(t - 1.0, t)
            held = gpu.strain(t)
            long = gpu.shares(previous, t) if t > previous else second
            context = gpu.state(t) != OFF
            drawn = 0.0
            for shares, weight in ((second, 1.0),):
                kernels = shares[5] * work.power * held.clock**1.8 * held.power
                drawn += weight * (
                    kernels + shares[WAIT] * work.wait_power + (shares[HOST] + shares[COPY]) * work.host_power
                )
            power = (model.idle_w + (model.tdp_w - model.idle_w) * drawn) * gain * (1 + rng.gauss(0, 0.02))
            capped = power >= 0.985 * model.tdp_w
            power = min(max(power, model.idle_w * 0.9), model.tdp_w * rng.uniform(0.985, 1.003))
            mean_draw = long[5] * work.power * held.clock**1.8 + long[WAIT] * work.wait_power
            goal = ambient + self.rise_c * (model.idle_w / model.tdp_w + mean_draw) + held.heat_c
            temp += (goal - temp) * (1 - math.exp(-span / self.lag_s))
            energy += power * span * 1000
            reasons = held.reasons
            idle_since = None if context and second[HOST] < 0.99 else (idle_since or t)
            if not context or (self.idles_down and idle_since is not None and t - idle_since > 20):
                clock, reasons = float(model.idle_mhz), reasons | 0x1
            else:
                clock = model.boost_mhz * held.clock * (rng.uniform(0.9, 0.97) if capped and held.clock == 1 else 1.0)
                reasons |= 0x4 if capped else 0
            if held.reasons & 0x68:
                thermal_ns += span * 1e9 * (1 - held.clock)
            if capped or held.reasons & 0x84:
                power_ns += span * 1e9 * 0.1
            used = model.memory_mib * work.memory if context else rng.choice([0, 0, 4])
            used = gpu.counter("used", t) or used
            busy = prof[COMPUTE] + prof[WAIT]
            base["tx"] = 2e8 * prof[5] + 3e5
            base["link"] += span * (4e4 * prof[WAIT] + 9e4 * prof[5])
            wobble = 1 + rng.gauss(0, 0.015)
            out.append(
                {
                    "DCGM_FI_DEV_SM_CLOCK": 15 * round(clock / 15),
                    "DCGM_FI_DEV_MEM_CLOCK": model.memory_mhz,
                    "DCGM_FI_DEV_MEMORY_TEMP": round(temp + 6),
                    "DCGM_FI_DEV_GPU_TEMP": round(temp),
                    "DCGM_FI_DEV_POWER_USAGE": round(power, 3),
                    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": round(energy),
                    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": gpu.counter("replay", t),
                    "DCGM_FI_DEV_GPU_UTIL": min(
                        100, round(100 * (second[COMPUTE] + second[WAIT] + 0.04 * second[COPY]))
                    ),
                    "DCGM_FI_DEV_MEM_COPY_UTIL": min(100, round(100 * (second[5] * work.dram + 0.02 * second[WAIT]))),
                    "DCGM_FI_DEV_ENC_UTIL": 0,
                    "DCGM_FI_DEV_DEC_UTIL": 0,
                    "DCGM_FI_DEV_XID_ERRORS": gpu.counter("xid", t),
                    "DCGM_FI_DEV_FB_USED": round(used),
                    "DCGM_FI_DEV_FB_FREE": round(model.memory_mib - 600 - used),
                    "DCGM_FI_DEV_FB_RESERVED": 600,
                    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": gpu.counter("remap_unc", t),
                    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": gpu.counter("remap_cor", t),
                    "DCGM_FI_DEV_ROW_REMAP_FAILURE": gpu.counter("remap_fail", t),
                    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": round(base["link"]),
                    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(
                        min(1.0, busy * rng.uniform(0.985, 1.0) + 0.02 * prof[COPY]), 6
                    ),
                    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(prof[5] * work.tensor * wobble, 6),
                    "DCGM_FI_PROF_DRAM_ACTIVE": round(min(1.0, prof[5] * work.dram * wobble + 0.008 * prof[WAIT]), 6),
                    "DCGM_FI_PROF_PCIE_TX_BYTES": round(base["tx"] * wobble),
                    "DCGM_FI_PROF_PCIE_RX_BYTES": round(1.6 * base["tx"] * wobble),
                    "DCGM_FI_PROF_SM_ACTIVE": round(
                        min(1.0, prof[5] * work.sm * wobble + prof[WAIT] * work.wait_sm), 6
                    ),
                    "DCGM_FI_PROF_SM_OCCUPANCY": round(prof[5] * work.sm * 0.35 + prof[WAIT] * work.wait_sm * 0.3, 6),
                    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": gpu.counter("sbe", t),
                    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": gpu.counter("dbe", t),
                    "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL": gpu.counter("sbe", t) + gpu.counter("sbe_old", t),
                    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": gpu.counter("dbe", t) + gpu.counter("dbe_old", t),
                    "REASONS": reasons,
                    "DCGM_FI_DEV_POWER_VIOLATION": round(power_ns / 1000),
                    "DCGM_FI_DEV_THERMAL_VIOLATION": round(thermal_ns / 1000),
                }
            )
            previous = t
        return out


_BARE = ["GPU_UTIL", "FB_USED", "FB_FREE", "POWER_USAGE", "GPU_TEMP", "SM_CLOCK", "MEM_COPY_UTIL"]
_DEFAULT = [
    *_BARE,
    *[
        "MEM_CLOCK",
        "MEMORY_TEMP",
        "TOTAL_ENERGY_CONSUMPTION",
        "PCIE_REPLAY_COUNTER",
        "ENC_UTIL",
        "DEC_UTIL",
        "XID_ERRORS",
    ],
    *["UNCORRECTABLE_REMAPPED_ROWS", "CORRECTABLE_REMAPPED_ROWS", "ROW_REMAP_FAILURE", "NVLINK_BANDWIDTH_TOTAL"],
]
_PROF = ["GR_ENGINE_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE", "PCIE_TX_BYTES", "PCIE_RX_BYTES"]
_MORE = [
    "ECC_SBE_VOL_TOTAL",
    "ECC_DBE_VOL_TOTAL",
    "ECC_SBE_AGG_TOTAL",
    "ECC_DBE_AGG_TOTAL",
    "POWER_VIOLATION",
    "THERMAL_VIOLATION",
    "FB_RESERVED",
]

PROFILES = {
    "util": ["DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED"],
    "bare": [f"DCGM_FI_DEV_{name}" for name in _BARE],
    "old": [f"DCGM_FI_DEV_{name}" for name in _DEFAULT],
    "default": [f"DCGM_FI_DEV_{name}" for name in _DEFAULT] + [f"DCGM_FI_PROF_{name}" for name in _PROF],
    "full": [f"DCGM_FI_DEV_{name}" for name in (*_DEFAULT, *_MORE)]
    + [f"DCGM_FI_PROF_{name}" for name in (*_PROF, "SM_ACTIVE", "SM_OCCUPANCY")]
    + ["REASONS"],
}
"""What exporters are set to: a dashboard's few, no profiling, the shipped default-counters.csv, and a careful site's."""
