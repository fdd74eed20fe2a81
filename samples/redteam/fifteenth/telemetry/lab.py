"""SIMULATED cards: what a GPU draws, how warm it gets, how fast it may run, and what DCGM would have said of it to Prometheus."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from samples.redteam.fifteenth.lot_data import Incident


@dataclass(frozen=True)
class Card:
    """A kind of GPU."""

    model: str
    idle_w: float
    limit_w: float
    clock: int
    rest_clock: int
    mem_clock: int
    memory: int
    links: bool


CARDS: Final = (
    Card("NVIDIA H100 80GB HBM3", 71, 700, 1980, 345, 2619, 81559, True),
    Card("NVIDIA H200", 76, 700, 1980, 345, 3201, 143771, True),
    Card("NVIDIA A100-SXM4-80GB", 58, 400, 1410, 210, 1593, 81920, True),
    Card("NVIDIA A100-SXM4-40GB", 52, 400, 1410, 210, 1215, 40960, True),
    Card("NVIDIA L40S", 34, 350, 2520, 210, 9001, 46068, False),
)
IDLE, CAP, SLOWDOWN, SW_THERMAL, HW_THERMAL, BRAKE = 0x1, 0x4, 0x8, 0x20, 0x40, 0x80
"""Bits of the reasons for which clocks are held down."""


@dataclass(frozen=True)
class Mode:
    """What the card is made to do: shares of time, GB/s, and the share of its memory that is taken."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    mem: float = 0.0
    link: float = 0.0
    pcie: float = 0.02
    duty: float = 1.0
    clock: float = 1.0
    why: int = 0


OFF: Final = Mode()
"""Nobody is on it."""


@dataclass
class Gpu:
    """One card of one node and its story: until when it was in which mode."""

    host: str
    index: int
    uuid: str
    bus: str
    warmth: float
    lag: float
    air: float
    story: list[tuple[float, Mode]] = field(default_factory=list)
    gone: float = math.inf
    xid: list[tuple[float, int]] = field(default_factory=list)
    single: list[float] = field(default_factory=list)
    double: list[float] = field(default_factory=list)
    base_single: int = 0
    heat: tuple[float, float] = (math.inf, 1.0)

    def mode(self, t: float) -> Mode:
        """What it does at this moment."""
        return next((mode for until, mode in self.story if t < until), OFF)


@dataclass
class Lab:
    """An incident in the making: cards, clocks, and what was written down."""

    lot: Incident
    rng: Random
    card: Card
    hosts: list[str]
    start: datetime
    job: int
    user: str
    uid: int
    gpus: list[Gpu]
    zone: timedelta
    window: float
    log: list[tuple[float, str]] = field(default_factory=list)
    kernel: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    others: list[Gpu] = field(default_factory=list)
    skew: dict[str, float] = field(default_factory=dict)
    begun: float = 150.0
    lost: float = 0.0
    """When Slurm gave up a node, where it did."""

    def local(self, t: float, host: str = "") -> datetime:
        """The node's own clock, in the cluster's zone."""
        return self.start + self.zone + timedelta(seconds=t + self.skew.get(host, 0.0))

    def utc(self, t: float) -> datetime:
        """The true time."""
        return self.start + timedelta(seconds=t)

    def of(self, host: str) -> list[Gpu]:
        """The job's cards on this node."""
        return [gpu for gpu in self.gpus if gpu.host == host]

    def all_until(self, t: float, mode: Mode, *, but: Gpu | None = None) -> None:
        """All cards do this until then, each in its own way by a little."""
        for gpu in self.gpus:
            if gpu is not but:
                lean = self.rng.uniform(0.985, 1.015)
                gpu.story.append(
                    (
                        t,
                        replace(
                            mode,
                            sm=mode.sm * lean,
                            tensor=mode.tensor * lean,
                            mem=min(0.99, mode.mem * self.rng.uniform(0.99, 1.01)),
                        ),
                    )
                )

    def say(self, t: float, text: str) -> None:
        """A line of the job's log."""
        self.log.append((t, text))


_NAMES: Final = ("gpu{:03d}", "hgx-{:02d}", "r{:02d}n4", "node{:03d}", "cn-{:04d}")


def lab(lot: Incident, rng: Random) -> Lab:
    """The machine an incident happens on."""
    card = rng.choice(CARDS)
    name, first = rng.choice(_NAMES), rng.randrange(1, 60)
    hosts = [name.format(first + k) for k in range(lot.nodes)]
    start = datetime(
        2026,
        rng.randrange(8, 12),
        rng.randrange(1, 22),
        rng.randrange(24),
        rng.randrange(60),
        rng.randrange(60),
        tzinfo=UTC,
    )
    buses = rng.sample(range(0x05, 0xF0), 8)
    gpus = [
        Gpu(
            host,
            index,
            "GPU-" + "-".join("".join(rng.choice("0123456789abcdef") for _ in range(n)) for n in (8, 4, 4, 4, 12)),
            f"0000:{bus:02x}:00",
            rng.uniform(0.9, 1.1),
            rng.uniform(24, 60),
            rng.uniform(24, 31),
        )
        for host in hosts
        for index, bus in zip(range(lot.gpus), sorted(buses), strict=False)
    ]
    zone = timedelta(hours=rng.choice((-7, -5, 1, 2, 8, 9))) if lot.oddity == "time zone" else timedelta()
    out = Lab(
        lot,
        rng,
        card,
        hosts,
        start,
        rng.randrange(40000, 980000),
        rng.choice(("mira", "olek", "tsu", "bea")),
        rng.randrange(2000, 9000),
        gpus,
        zone,
        lot.minutes * 60.0,
    )
    for host in hosts:
        out.kernel[host] = []
    return out


def training(made: Lab, rng: Random) -> Mode:
    """A healthy mode of this job, of its own strength."""
    sm = rng.uniform(0.52, 0.82)
    many = len(made.gpus) > 1
    return Mode(
        engine=rng.uniform(0.94, 0.995),
        sm=sm,
        tensor=sm * rng.uniform(0.4, 0.6),
        dram=rng.uniform(0.32, 0.58),
        mem=rng.uniform(0.55, 0.9),
        link=rng.uniform(30, 140) if many and made.card.links else 0.0,
        pcie=rng.uniform(0.4, 3.0),
    )


_FIELDS: Final = {
    "DCGM_FI_DEV_SM_CLOCK": 0,
    "DCGM_FI_DEV_MEM_CLOCK": 0,
    "DCGM_FI_DEV_GPU_TEMP": 1,
    "DCGM_FI_DEV_MEMORY_TEMP": 0,
    "DCGM_FI_DEV_POWER_USAGE": 1,
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": 0,
    "DCGM_FI_DEV_GPU_UTIL": 1,
    "DCGM_FI_DEV_MEM_COPY_UTIL": 0,
    "DCGM_FI_DEV_FB_USED": 1,
    "DCGM_FI_DEV_FB_FREE": 0,
    "DCGM_FI_DEV_XID_ERRORS": 0,
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": 0,
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": 0,
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 0,
    "DCGM_FI_PROF_SM_ACTIVE": 0,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": 0,
    "DCGM_FI_PROF_DRAM_ACTIVE": 0,
    "DCGM_FI_PROF_NVLINK_TX_BYTES": 0,
    "DCGM_FI_PROF_NVLINK_RX_BYTES": 0,
    "DCGM_FI_PROF_PCIE_TX_BYTES": 0,
    "DCGM_FI_PROF_PCIE_RX_BYTES": 0,
}
"""What the exporter was told to export; 1 where a lean exporter has it too."""


def _readings(made: Lab, gpu: Gpu) -> dict[str, list[tuple[float, str]]]:
    """What DCGM said of one card over the window: first-order heat, power of what it does, clocks of heat and power."""
    rng, card, step = made.rng, made.card, made.lot.step_s
    out: dict[str, list[tuple[float, str]]] = {name: [] for name in _FIELDS}
    warm, energy, clock = gpu.air + 9.0, rng.uniform(1e9, 9e9), 1.0
    reach = (rng.uniform(60, 66) - 27) / (card.limit_w * 0.85)
    t = 0.0
    while t < made.window and t < gpu.gone:
        mode = gpu.mode(t)
        busy = mode.engine > 0.02 or mode.mem > 0.01
        resist = reach * gpu.warmth * (gpu.heat[1] if t >= gpu.heat[0] else 1.0)
        wobble = lambda spread: max(0.0, rng.gauss(1.0, spread))  # noqa: E731  # a short name for noise
        engine, sm = min(1.0, mode.engine * mode.duty * wobble(0.008)), min(0.99, mode.sm * mode.duty * wobble(0.025))
        tensor, dram = mode.tensor * mode.duty * wobble(0.03), mode.dram * mode.duty * wobble(0.03)
        load = 0.12 * engine + 0.5 * sm + 0.34 * tensor / 0.5 + 0.18 * dram
        speed = clock * mode.clock
        power = card.idle_w * (wobble(0.006) if not busy else 1.45) + (card.limit_w - card.idle_w * 1.45) * min(
            1.0, load * (0.35 + 0.65 * speed**1.6)
        ) * wobble(0.015)
        power = min(power, card.limit_w * rng.uniform(0.992, 1.004))
        goal = gpu.air + resist * power
        if gpu.warmth > 1.2 and t < gpu.heat[0]:
            goal = min(goal, 85.5)
        for _ in range(max(1, step // 3)):  # the card looks at itself far more often than DCGM is asked
            held = 0.35 + 0.65 * (clock * mode.clock) ** 1.6
            now_goal = gpu.air + (goal - gpu.air) * held / (0.35 + 0.65 * speed**1.6)
            warm += (now_goal - warm) * (1 - math.exp(-step / max(1, step // 3) / gpu.lag))
            clock = max(0.34, clock * (1 - 0.02 * (warm - 86.5))) if warm > 87.5 else min(1.0, clock * 1.002)
        why = mode.why
        if clock < 0.97 and engine > 0.3:
            why |= HW_THERMAL | SLOWDOWN if warm > 88.5 or clock < 0.7 else SW_THERMAL
        if not busy:
            why |= IDLE
        elif power > 0.985 * card.limit_w:
            why |= CAP
        seen = card.rest_clock if not busy else card.clock * min(1.0, speed) * (0.965 if why & CAP else 1.0)
        energy += power * step * 1000
        used = int(mode.mem * card.memory) if mode.mem > 0 else 4
        now = {
            "DCGM_FI_DEV_SM_CLOCK": int(seen // 15 * 15),
            "DCGM_FI_DEV_MEM_CLOCK": card.mem_clock,
            "DCGM_FI_DEV_GPU_TEMP": round(warm),
            "DCGM_FI_DEV_MEMORY_TEMP": round(warm + 6 + 9 * dram) if "L40S" not in card.model else 0,
            "DCGM_FI_DEV_POWER_USAGE": round(power, 3),
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": int(energy),
            "DCGM_FI_DEV_GPU_UTIL": _gauge(rng, mode),
            "DCGM_FI_DEV_MEM_COPY_UTIL": round(100 * dram * 0.9),
            "DCGM_FI_DEV_FB_USED": used,
            "DCGM_FI_DEV_FB_FREE": card.memory - used - 620,
            "DCGM_FI_DEV_XID_ERRORS": next((code for when, code in reversed(gpu.xid) if when <= t), 0),
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": why,
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": gpu.base_single + sum(when <= t for when in gpu.single),
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": sum(when <= t for when in gpu.double),
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": sum(when + 1 <= t for when in gpu.double),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(engine, 6),
            "DCGM_FI_PROF_SM_ACTIVE": round(sm, 6),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(tensor, 6),
            "DCGM_FI_PROF_DRAM_ACTIVE": round(dram, 6),
            "DCGM_FI_PROF_NVLINK_TX_BYTES": int(mode.link * 1e9 * mode.duty * wobble(0.04)),
            "DCGM_FI_PROF_NVLINK_RX_BYTES": int(mode.link * 1e9 * mode.duty * wobble(0.04)),
            "DCGM_FI_PROF_PCIE_TX_BYTES": int(mode.pcie * 4e8 * wobble(0.1)),
            "DCGM_FI_PROF_PCIE_RX_BYTES": int(mode.pcie * 1e9 * wobble(0.1)),
        }
        for name, value in now.items():
            out[name].append((t, str(value)))
        t += step
    if not made.card.links:
        out.pop("DCGM_FI_PROF_NVLINK_TX_BYTES")
        out.pop("DCGM_FI_PROF_NVLINK_RX_BYTES")
    return out


def _gauge(rng: Random, mode: Mode) -> int:
    """GPU_UTIL: the last second only, so that it is all or nothing where work comes in bursts."""
    if mode.engine < 0.02:
        return 0
    if rng.random() > mode.duty:
        return 0 if mode.duty < 0.9 else rng.randrange(60, 95)
    return min(100, max(0, round(100 * mode.engine * rng.uniform(0.98, 1.02))))


def metrics(made: Lab, place: Path) -> None:
    """Write the answers of Prometheus: one file, one a node, or one a metric."""
    rng = made.rng
    away = rng.choice(made.hosts[1:]) if made.lot.missing == "DCGM of one node" else ""
    lean = made.lot.missing == "most DCGM fields"
    rows: list[tuple[str, str, dict[str, object]]] = []
    for gpu in [*made.gpus, *made.others]:
        if gpu.host == away:
            continue
        for name, values in _readings(made, gpu).items():
            if lean and not _FIELDS[name]:
                continue
            labels = {
                "__name__": name,
                "DCGM_FI_DRIVER_VERSION": "550.54.15",
                "Hostname": gpu.host,
                "UUID": gpu.uuid,
                "device": f"nvidia{gpu.index}",
                "gpu": str(gpu.index),
                "instance": f"{gpu.host}:9400",
                "job": "dcgm-exporter",
                "modelName": made.card.model,
                "pci_bus_id": f"0000{gpu.bus.upper()}.0",
            }
            rows.append(
                (
                    name,
                    gpu.host,
                    {"metric": labels, "values": [[round(made.utc(t).timestamp(), 3), value] for t, value in values]},
                )
            )

    def answer(file: Path, result: list[dict[str, object]]) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
        )

    how = rng.choice(("one", "node", "metric"))
    if how == "one":
        answer(place / "prom.json", [row for _, _, row in rows])
    for name in sorted({row[0 if how == "metric" else 1] for row in rows}) if how != "one" else []:
        chosen = [row for metric, host, row in rows if name == (metric if how == "metric" else host)]
        answer(
            place / ("metrics" if how == "metric" else name) / (f"{name}.json" if how == "metric" else "dcgm.json"),
            chosen,
        )
