"""What a simulated job is: drawn from a seed, so that no two jobs share their constants."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

# What ends in the verdict: family, sub_mode (None: not asked for), attribution.
TRUTH: dict[str, dict[str, Any]] = {
    "healthy": {"family": "G1"},
    "latent_ecc": {"family": "G1"},
    "mild_starvation": {"family": "G1"},
    "throttling": {"family": "B3", "attribution": "infrastructure"},
    "ecc": {"family": "B2", "attribution": "infrastructure"},
    "fallen_off_the_bus": {"family": "B2", "attribution": "infrastructure"},
    "straggler": {"family": "D3"},
    "starvation": {"family": "D1", "attribution": "job"},
    "interconnect": {"family": "D2", "sub_mode": "interconnect"},
    "save_storm": {"family": "D2", "sub_mode": "save_storm"},
    "idle_hang": {"family": "C3"},
    "freeze": {"family": "C2"},
    "silent_freeze": {"family": "C2"},
    "rendezvous": {"family": "C1"},
    "node_down": {"family": "F1", "attribution": "infrastructure"},
    "preempted": {"family": "F2", "attribution": "scheduler"},
    "time_limit": {"family": "F3"},
    "nan": {"family": "E1", "attribution": "job"},
    "three_steps": {"family": "E3"},
    "traceback": {"family": "A1", "attribution": "job"},
    "cuda_oom": {"family": "B1", "attribution": "job"},
    "host_oom": {"family": "A2"},
}
"""Faults, and the truth of each."""

# Name, memory in MiB, highest SM clock in MHz, power limit in W.
_MODELS = (
    ("NVIDIA H100 80GB HBM3", 81559, 1980, 700),
    ("NVIDIA A100-SXM4-80GB", 81920, 1410, 400),
    ("NVIDIA H200", 143771, 1980, 700),
    ("NVIDIA L40S", 46068, 2520, 350),
)
_SECOND = 1_000_000_000


@dataclass(frozen=True)
class Plan:
    """A job. Times are seconds from its start unless a name says otherwise; shares are 0 to 1."""

    seed: int
    fault: str
    nodes: tuple[str, ...]
    gpus_per_node: int
    model: str
    memory_mib: int
    clock_mhz: int
    power_w: int
    steps: int
    compute_s: float
    comm_s: float
    data_s: float
    sm: float
    memory_share: float
    dialect: str
    start_ns: int
    job_id: int
    sick: int
    """Rank the fault is on."""
    onset: float
    """When it begins, as a share of the planned steps."""
    slowdown: float
    time_limit_s: int
    truth: dict[str, Any] = field(default_factory=dict)

    @property
    def world(self) -> int:
        """Number of ranks; one a GPU."""
        return len(self.nodes) * self.gpus_per_node

    def node_of(self, rank: int) -> str:
        """Node of a rank."""
        return self.nodes[rank // self.gpus_per_node]

    def uuid(self, rank: int) -> str:
        """UUID of the GPU of a rank."""
        digest = random.Random(f"{self.seed}/{rank}").getrandbits(128)
        text = f"{digest:032x}"
        return f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def bus_id(self, rank: int) -> str:
        """PCI bus id of the GPU of a rank, as the kernel prints it."""
        return f"0000:{0x0A + 0x10 * (rank % self.gpus_per_node):02x}:00"

    def pid(self, rank: int) -> int:
        """Process of a rank on its node."""
        return 21000 + 7 * (rank % self.gpus_per_node)


def draw(fault: str, seed: int) -> Plan:
    """The job of one seed with one fault; everything that is not the fault varies with the seed."""
    chance = random.Random(f"{fault}/{seed}")
    model, memory, clock, power = chance.choice(_MODELS)
    alone = fault == "idle_hang"
    count = 1 if alone else chance.choice((1, 2, 2, 3, 4))
    if fault in ("node_down", "interconnect"):
        count = max(count, 2)
    gpus = 1 if alone else chance.choice((2, 4, 8))
    prefix = chance.choice(("gpu", "node", "dgx-", "nid00"))
    first = chance.randrange(1, 80)
    compute = chance.uniform(0.6, 3.0)
    steps = 3 if fault == "three_steps" else chance.randrange(150, 320)
    sick = chance.randrange(count * gpus)
    plan = Plan(
        seed=seed,
        fault=fault,
        nodes=tuple(f"{prefix}{number:03d}" for number in range(first, first + count)),
        gpus_per_node=gpus,
        model=model,
        memory_mib=memory,
        clock_mhz=clock,
        power_w=power,
        steps=steps,
        compute_s=compute,
        comm_s=compute * chance.uniform(0.05, 0.25),
        data_s=compute * chance.uniform(0.0, 0.05),
        sm=chance.uniform(0.42, 0.78),
        memory_share=chance.uniform(0.4, 0.9),
        dialect=chance.choice(("plain", "megatron", "hf")),
        start_ns=1_793_600_000 * _SECOND + chance.randrange(10**6) * _SECOND + chance.randrange(_SECOND),
        job_id=chance.randrange(10_000, 9_000_000),
        sick=sick,
        onset=chance.uniform(0.3, 0.7),
        slowdown=chance.uniform(2.6, 4.0) if fault == "straggler" else chance.uniform(1.5, 2.2),
        time_limit_s=chance.choice((3600, 7200, 14400)),
    )
    culprits = {"ecc", "fallen_off_the_bus", "freeze", "silent_freeze", "straggler"}
    truth = dict(TRUTH[fault])
    if fault in culprits:
        truth["culprit_ranks"] = [sick]
    if fault in ("throttling", "ecc", "fallen_off_the_bus", "node_down", "straggler"):
        truth["culprit_nodes"] = [plan.node_of(sick)]
    if fault in ("throttling", "ecc", "straggler"):
        truth["culprit_gpus"] = [plan.uuid(sick)]
    return Plan(**{**plan.__dict__, "truth": truth})
