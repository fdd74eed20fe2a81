"""Cards that differ from each other, and what they do: SIMULATED readings, from no real card."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


@dataclass(frozen=True)
class Board:
    """A model of card by its data sheet."""

    name: str
    memory_mib: int
    idle_w: float
    limit_w: float
    boost_mhz: int
    memory_mhz: int
    idle_mhz: int
    kelvin_a_watt: float
    settle_s: float
    """Time constant of its heat sink."""
    nvlink_gbs: float
    """0: it has none."""
    pcie_gbs: float


BOARDS: Final = {
    board.name: board
    for board in (
        Board("Tesla V100-SXM2-32GB", 32768, 42, 300, 1530, 877, 135, 0.115, 75, 150, 12),
        Board("NVIDIA A100-SXM4-40GB", 40960, 52, 400, 1410, 1215, 210, 0.088, 90, 300, 24),
        Board("NVIDIA A100-SXM4-80GB", 81920, 61, 400, 1410, 1593, 210, 0.086, 90, 300, 24),
        Board("NVIDIA A100 80GB PCIe", 81920, 47, 300, 1410, 1512, 210, 0.132, 110, 0, 24),
        Board("NVIDIA H100 80GB HBM3", 81559, 72, 700, 1980, 2619, 345, 0.052, 70, 450, 52),
        Board("NVIDIA H100 PCIe", 81559, 48, 350, 1755, 1593, 345, 0.118, 110, 0, 50),
        Board("NVIDIA H200", 143771, 78, 700, 1980, 3201, 345, 0.053, 70, 450, 52),
        Board("NVIDIA L40S", 46068, 33, 350, 2520, 9001, 210, 0.121, 120, 0, 24),
        Board("NVIDIA A10", 23028, 16, 150, 1695, 6251, 210, 0.26, 140, 0, 24),
        Board("NVIDIA GH200 480GB", 97871, 92, 900, 1980, 2619, 345, 0.034, 45, 450, 55),
        Board("NVIDIA RTX 6000 Ada Generation", 49140, 24, 300, 3105, 10001, 210, 0.148, 100, 0, 24),
        Board("Tesla T4", 15360, 11, 70, 1590, 5000, 300, 0.62, 160, 0, 11),
        Board("NVIDIA B200", 183359, 138, 1000, 1965, 3996, 120, 0.031, 40, 900, 55),
    )
}


@dataclass(frozen=True)
class Work:
    """What training of a kind asks of a card; every part is a mean over its active time."""

    active: float
    sm: float
    tensor: float
    dram: float
    watts: float
    """Part of what lies between idle and the limit."""
    link: float
    """Bytes a second over NVLink, or PCIe where there is none, as a part of what it can carry."""
    period_s: float = 0.0
    """Of its bursts, where they are longer than a sample."""
    duty: float = 1.0
    dips: float = 0.0
    """How often a moment finds it waiting."""


WORKS: Final = {
    "dense language model": Work(0.98, 0.81, 0.47, 0.38, 0.86, 0.22),
    "vision with loader": Work(0.86, 0.62, 0.19, 0.51, 0.66, 0.05, dips=0.09),
    "bursts of reinforcement learning": Work(0.93, 0.55, 0.21, 0.33, 0.62, 0.06, period_s=71.0, duty=0.44),
    "graphs, bound by memory": Work(0.91, 0.68, 0.04, 0.78, 0.58, 0.04, dips=0.04),
    "pipeline with bubbles": Work(0.95, 0.58, 0.31, 0.29, 0.64, 0.11),
    "experts, all to all": Work(0.97, 0.52, 0.22, 0.35, 0.60, 0.47, dips=0.02),
    "small model, low duty": Work(0.46, 0.19, 0.06, 0.11, 0.24, 0.02, dips=0.05),
    "diffusion": Work(0.98, 0.86, 0.41, 0.46, 0.91, 0.08),
}
SPIN: Final = Work(1.0, 0.021, 0.0, 0.004, 0.17, 0.0)
"""A rank that waits in a collective."""


@dataclass(frozen=True)
class Phase:
    """What a card does until then."""

    until_s: float
    does: str
    """off, loads, trains, evaluates, waits, spins, starves or exchanges."""
    scale: float = 1.0
    memory: float = 0.0
    """Part of the memory in use at its end; 0: as before."""


@dataclass
class Card:
    """One card, as it came out of its factory and hangs in its chassis."""

    board: Board
    rng: Random
    index: int
    node: str
    inlet_c: float
    uuid: str = ""
    cap_w: float = 0.0
    sink: float = 1.0
    """Its heat sink, against the data sheet."""
    thirst: float = 1.0
    idle_w: float = 0.0
    temp_c: float = 0.0
    energy_mj: float = 0.0
    sbe: int = 0
    phase_s: float = 0.0
    bus: str = ""
    linked: bool = True
    """Whether another card of the job is in its node."""
    rows: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Draw what differs from card to card."""
        rng = self.rng
        word = f"{rng.getrandbits(128):032x}"
        self.uuid = f"GPU-{word[:8]}-{word[8:12]}-{word[12:16]}-{word[16:20]}-{word[20:]}"
        self.cap_w = self.cap_w or self.board.limit_w
        self.sink *= max(0.8, rng.gauss(1.0, 0.06))
        self.thirst = max(0.9, rng.gauss(1.0, 0.03))
        self.idle_w = self.board.idle_w * max(0.8, rng.gauss(1.0, 0.07))
        self.inlet_c += 1.4 * (self.index % 4) + rng.gauss(0, 0.7)
        self.temp_c = self.inlet_c + self.idle_w * self.board.kelvin_a_watt * self.sink
        self.energy_mj = rng.uniform(1e11, 9e12)
        self.phase_s = rng.uniform(0, 2)
        self.bus = f"00000000:{(0x0A, 0x18, 0x3B, 0x44, 0x87, 0x90, 0xB7, 0xC1)[self.index % 8]:02X}:00.0"


def follow(card: Card, work: Work, phases: Sequence[Phase], times: Sequence[float], every_s: float) -> None:
    """Give the card its readings at these seconds since the job began."""
    rng, board = card.rng, card.board
    memory, place, memory_from = 0.0, 0, 0.0
    begun = times[0]
    for at in times:
        while place < len(phases) - 1 and at >= phases[place].until_s:
            memory_from = phases[place].memory or memory_from
            if phases[place].does == "off":
                memory_from = 0.0
            begun = phases[place].until_s
            place += 1
        phase = phases[place]
        active, sm, tensor, dram, watts, link, now = _moment(rng, work, phase, at, card.phase_s, every_s)
        if phase.does == "off":
            memory = 0.0
        else:
            grown = min(1.0, (at - begun) / max(1.0, min(90.0, phase.until_s - begun)))
            goal = phase.memory or memory_from
            memory = memory_from + (goal - memory_from) * (
                grown if phase.does == "loads" else (at - begun) / max(1.0, phase.until_s - begun)
            )
        warm = 0.0 if phase.does == "off" else 0.09
        power = card.idle_w + (board.limit_w - card.idle_w) * max(watts, warm) * card.thirst + 0.25 * (card.temp_c - 50)
        reasons = 0
        clock = float(board.boost_mhz)
        if power > card.cap_w * 0.985:
            clock *= (card.cap_w / power) ** 0.6
            power, reasons = card.cap_w * rng.uniform(0.985, 1.0), 4
        elif phase.does == "off":
            clock, reasons = float(board.idle_mhz), 1
        clock = 15.0 * round((clock - (0 if phase.does == "off" else rng.choice((0, 0, 15)))) / 15.0)
        power = max(card.idle_w * 0.9, power * (1 + rng.gauss(0, 0.012)))
        goal_c = card.inlet_c + power * board.kelvin_a_watt * card.sink
        card.temp_c += (goal_c - card.temp_c) * (1 - math.exp(-every_s / board.settle_s))
        card.energy_mj += power * every_s * 1000
        card.rows.append(
            {
                "util": min(100, round(100 * now)),
                "copy": min(100, round(100 * dram * rng.uniform(0.9, 1.05))),
                "used": 0 if phase.does == "off" else round(max(430.0, memory * board.memory_mib)),
                "power": power,
                "temp": round(card.temp_c),
                "sm_clock": clock,
                "mem_clock": board.memory_mhz,
                "reasons": reasons,
                "active": active,
                "sm": sm,
                "tensor": tensor,
                "dram": dram,
                "link": link * 1e9 * (board.nvlink_gbs * card.linked or board.pcie_gbs * (not board.nvlink_gbs)),
                "energy": card.energy_mj,
            }
        )


def _moment(rng: Random, work: Work, phase: Phase, at: float, shift: float, every_s: float) -> tuple[float, ...]:
    """Engine, SM, tensor, DRAM, power, link, and the moment's utilisation, over one sample."""
    does = phase.does
    if does in ("off", "waits"):
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if does == "loads":
        busy = rng.random() < 0.12
        return (0.01, 0.004, 0.0, 0.01, 0.05, 0.01, rng.uniform(0.01, 0.2) if busy else 0.0)
    if does == "spins":
        return (0.999, SPIN.sm * rng.uniform(0.8, 1.1), 0.0, SPIN.dram, SPIN.watts * rng.uniform(0.96, 1.04), 0.0, 1.0)
    if does == "exchanges":
        part = rng.uniform(0.93, 1.06)
        return (rng.uniform(0.982, 0.996), 0.093 * part, 0.017 * part, 0.05 * part, 0.2 * part, phase.scale, 1.0)
    part = 0.0
    count = 8
    for sub in range(count):
        moment = at - every_s * (1 - sub / count) + shift
        on = 1.0 if not work.period_s or (moment % work.period_s) < work.duty * work.period_s else 0.04
        if rng.random() < work.dips:
            on *= rng.uniform(0.1, 0.6)
        part += on / count
    now = work.active * on
    scale = phase.scale
    if does == "evaluates":
        scale *= 0.7
    if does == "starves":
        on = 1.0 if rng.random() < min(1.0, every_s / 30.0) else 0.0
        burst = on * rng.uniform(0.2, 1.4) * phase.scale
        return tuple(
            one * burst
            for one in (
                work.active,
                work.sm,
                work.tensor,
                work.dram,
                work.watts,
                work.link,
                work.active * (rng.random() < 0.08),
            )
        )
    wobble = rng.gauss(1.0, 0.015)
    whole = part * scale * wobble
    return (
        min(0.999, work.active * part * wobble),
        work.sm * whole,
        work.tensor * whole,
        work.dram * whole,
        work.watts * whole,
        work.link * whole,
        min(1.0, now * rng.uniform(0.97, 1.02)),
    )
