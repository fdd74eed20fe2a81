"""A job in its life: hosts, GPUs, what its log says, what the kernels said, and how Slurm accounts for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from .machine import BOARDS, GONE, Gpu, Mode, holding, training, varied

if TYPE_CHECKING:
    import random

HOSTS: Final = ("gpu{:03d}", "hgx-r{:02d}", "node{:04d}", "dgx{:02d}", "cn-{:03d}.ai.example.org", "w{}-a100")
OFFSETS: Final = (0, 60, -300, 120, 540, 330)
DEFAULT: Final = "default"
FULL: Final = "full"


@dataclass
class Run:
    """One row of accounting."""

    begin: float
    end: float | None
    state: str
    exit_code: str = "0:0"
    step_state: str = ""
    step_exit: str = ""
    nodes: tuple[str, ...] = ()
    derived: str = ""


@dataclass
class Job:
    """``now`` is in seconds since the job began; ``epoch`` is when that was."""

    rng: random.Random
    model: str = "h100"
    nodes: int = 2
    per_node: int = 8
    framework: str = "megatron"
    every: int = 30
    minutes: float = 150
    step_s: float = 4.0
    limit_min: int = 1440
    metrics: str = DEFAULT
    memory: float = 0.8
    warm_s: float = 240
    first: float = 10.9
    last: float = 2.7
    log: list[tuple[float, int, str]] = field(default_factory=list)
    kernel: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    papers: set[str] = field(default_factory=lambda: {"log", "sacct", "dmesg", "dcgm"})
    options: dict[str, str] = field(default_factory=dict)
    others: list[tuple[str, Gpu, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = self.rng
        self.board = BOARDS[self.model]
        pattern = rng.choice(HOSTS)
        first = rng.randint(2, 70)
        self.hosts = [pattern.format(first + i) for i in range(self.nodes)]
        self.job_id = rng.randint(41_000, 9_990_000)
        self.epoch = int(
            datetime(
                2026, rng.randint(1, 10), rng.randint(2, 27), rng.randint(0, 23), rng.randint(0, 59), tzinfo=UTC
            ).timestamp()
        )
        self.offset_min = rng.choice(OFFSETS)
        self.work = training(rng, self.memory, self.step_s)
        self.gpus = {host: [self._gpu(i) for i in range(self.per_node)] for host in self.hosts}
        self.pids = {(host, i): rng.randint(20_000, 900_000) for host in self.hosts for i in range(self.per_node)}
        self.end = self.minutes * 60
        self.kernel = {host: [] for host in self.hosts}

    def _gpu(self, index: int) -> Gpu:
        rng = self.rng
        uuid = "-".join(f"{rng.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12))
        bus = f"00000000:{(0x0F, 0x2D, 0x44, 0x5B, 0x89, 0xA8, 0xC0, 0xD8)[index]:02X}:00.0"
        return Gpu(f"GPU-{uuid}", index, bus, inlet_k=rng.uniform(24, 33), chip=rng.gauss(1, 0.02))

    def share(self, count: int) -> list[Gpu]:
        """Another job's GPUs on the first host, after ours."""
        whose = str(self.job_id - self.rng.randint(3, 900))
        them = [self._gpu(self.per_node + i) for i in range(count)]
        self.others += [(self.hosts[0], gpu, whose) for gpu in them]
        return them

    def every_gpu(self) -> list[tuple[str, Gpu]]:
        """All GPUs in the order of ranks."""
        return [(host, gpu) for host in self.hosts for gpu in self.gpus[host]]

    def rank(self, rank: int) -> tuple[str, Gpu]:
        """Host and GPU of a rank."""
        return self.every_gpu()[rank]

    # ---- what the GPUs do

    def train(self, begin: float | None = None, until: float | None = None, mode: Mode | None = None) -> None:
        """Load, then train until the end, and be gone from the GPUs after it."""
        begin = self.warm_s if begin is None else begin
        for _, gpu in self.every_gpu():
            gpu.plan = [(18 + self.rng.uniform(0, 4), holding(0.03)), (begin * 0.6, holding(self.memory * 0.5))]
            gpu.plan += [(begin, varied(self.rng, mode or self.work))]
        self.stop(self.end if until is None else until)

    def saves(self, each_s: float = 2100) -> None:
        """Short pauses of all GPUs, now and then, in which a checkpoint is written."""
        second = self.warm_s + each_s
        while second < self.end - 300:
            lasting = self.rng.uniform(12, 45)
            for _, gpu in self.every_gpu():
                gpu.between(second, second + lasting, holding(self.memory))
            second += each_s

    def stop(self, second: float) -> None:
        """The job leaves its GPUs."""
        for _, gpu in self.every_gpu():
            gpu.then(second + self.rng.uniform(0, 6), Mode())

    def silent(self, host: str, second: float) -> None:
        """Nothing is heard of the host's exporter any more."""
        for gpu in self.gpus[host]:
            gpu.then(second, GONE)

    # ---- what is said

    def when(self, second: float) -> datetime:
        """Local time of the cluster."""
        return datetime.fromtimestamp(self.epoch + second, UTC) + timedelta(minutes=self.offset_min)

    def say(self, second: float, *lines: str, rank: int = 0) -> None:
        """Lines of one rank."""
        self.log += [(second, rank, line) for line in lines]

    def kernel_says(self, second: float, host: str, *lines: str) -> None:
        """Lines of a host's kernel."""
        self.kernel[host] += [(second + 0.0004 * i, line) for i, line in enumerate(lines)]

    def loss(self, step: int, of: int) -> float:
        """The loss at a step: a power law of its own."""
        knee = max(2.0, of / 45)
        rest = (1 + of / knee) ** -0.5
        share = ((1 + step / knee) ** -0.5 - rest) / (1 - rest)
        value: float = (self.last + (self.first - self.last) * share) * self.rng.gauss(1, 0.006)
        return value

    def slurm_ends(
        self, state: str, exit_code: str = "0:0", step: str = "", step_exit: str = "", derived: str = ""
    ) -> None:
        """One row of accounting over the whole job."""
        self.runs.append(Run(0, self.end, state, exit_code, step or state, step_exit or exit_code, derived=derived))


def steps_until(job: Job, second: float, begin: float | None = None, step_s: float | None = None) -> int:
    """How many steps were done by then."""
    begin = job.warm_s if begin is None else begin
    return max(0, math.floor((second - begin) / (step_s or job.step_s)))
