"""A cluster, a job on it, and what each GPU was doing when. SIMULATED.

A GPU's life is a list of spells; what an exporter reads at a scrape is the mean of the spell's activity over the window
before it, with the noise of the board. Times are seconds of epoch (UTC).
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Board:
    """A model of GPU: ``mib`` of memory, watts, MHz, and degrees at rest and at work."""

    name: str
    mib: int
    idle_w: float
    cap_w: float
    idle_mhz: int
    top_mhz: int
    mem_mhz: int
    rest_c: float
    work_c: float


RAW: Final = "\0"

BOARDS: Final = {
    "a100-80": Board("NVIDIA A100-SXM4-80GB", 81920, 62, 400, 210, 1410, 1593, 31, 58),
    "a100-40p": Board("NVIDIA A100-PCIE-40GB", 40960, 35, 250, 210, 1410, 1215, 34, 68),
    "h100": Board("NVIDIA H100 80GB HBM3", 81559, 71, 700, 345, 1980, 2619, 27, 56),
    "h100p": Board("NVIDIA H100 PCIe", 81559, 48, 350, 210, 1755, 1593, 36, 66),
    "l40s": Board("NVIDIA L40S", 46068, 33, 350, 210, 2520, 9001, 30, 64),
    "a10": Board("NVIDIA A10", 23028, 16, 150, 210, 1695, 6251, 33, 71),
    "b200": Board("NVIDIA B200", 183359, 142, 1000, 120, 1965, 3996, 29, 52),
    "a6000": Board("NVIDIA RTX A6000", 49140, 22, 300, 210, 2100, 8001, 35, 76),
}


@dataclass(slots=True)
class Spell:
    """What one GPU does from ``a`` to ``b``: a kind, and its figures.

    ``step`` is the period of a training step; ``work`` the share of it that computes, ``wait`` the share in a collective,
    and what remains idles. ``sm`` is the SM activity while computing, ``power`` the share of the cap while computing.
    """

    a: float
    b: float
    kind: str
    step: float = 1.0
    work: float = 0.8
    wait: float = 0.15
    sm: float = 0.8
    power: float = 0.8
    clock: float = 1.0
    hot: float = 0.0
    reason: int = 0
    memory: float = 0.7


def moment(spell: Spell, t: float) -> tuple[float, float, float, float]:
    """Engine, SM activity, share of power above idle, and tensor activity at one instant."""
    if spell.kind in ("absent", "idle", "host"):
        return 0.0, 0.0, (0.0 if spell.kind == "absent" else 0.03), 0.0
    if spell.kind == "spin":
        return 1.0, 0.045, 0.19, 0.0
    part = math.fmod(t - spell.a, spell.step) / spell.step
    if part < spell.work:
        return 1.0, spell.sm, spell.power, spell.sm * 0.55
    if part < spell.work + spell.wait:
        return 1.0, 0.05, 0.22, 0.0
    return 0.0, 0.0, 0.06, 0.0


@dataclass(slots=True)
class Row:
    """One row of accounting."""

    suffix: str
    name: str
    state: str
    code: str
    start: float | None
    end: float | None


@dataclass
class Truth:
    """What is right; ``family`` None with outcome cannot_decide or outside_families."""

    family: str | None
    why: str
    outcome: str = "decided"
    nodes: list[str] = field(default_factory=list)
    gpus: list[str] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    also: list[str] = field(default_factory=list)


class World:
    """A job under way; ``now`` is its clock."""

    def __init__(
        self, name: str, seed: int, nodes: int | None = None, gpus: int | None = None, board: str | None = None
    ) -> None:
        self.name = name
        self.rng = rng = random.Random(f"{name}/{seed}")
        self.n = nodes or rng.choice([1, 2, 2, 3, 4, 6, 8])
        self.g = gpus or rng.choice([2, 4, 8, 8])
        self.board = BOARDS[board or rng.choice(list(BOARDS))]
        first = rng.randint(1, 200)
        form = rng.choice(
            [
                "c{:03d}-gpu",
                "lrz-hgx{:02d}",
                "ip-10-2-{0}-17",
                "gn{:04d}",
                "tiger-h{:02d}g1",
                "worker{:d}",
                "compute-{:d}-1",
                "node-{:03d}",
            ]
        )
        self.nodes = [form.format(first + k) for k in range(self.n)]
        self.domain = rng.choice(["", "", "", ".cluster.local", ".hpc.uni.edu"])
        self.job = rng.randint(900, 9_000_000)
        self.start = self.now = 1_790_000_000.0 + rng.randint(0, 3_000_000)
        self.boot = self.start - rng.uniform(2, 60) * 86400
        self.spells: list[list[Spell]] = [[] for _ in range(self.n * self.g)]
        self.scrape = rng.choice([5, 15, 15, 30, 60])
        self.log: list[tuple[float, int, str]] = []
        self.kernel: list[tuple[float, int, str]] = []
        self.rows: list[Row] = []
        self.bumps: list[tuple[float, int, str, float]] = []
        self.gauges: list[tuple[float, float, int, str, float]] = []
        self.bases: dict[tuple[int, str], float] = {}
        self.limit_min = rng.choice([480, 1440, 2880, 4320])
        self.offset_min = rng.choice([0, 0, 60, 120, -420, -300, 540])
        self.step = 0
        self.planned = 0
        self.step_s = rng.choice([0.42, 0.9, 1.7, 3.3, 6.1, 11.0])
        self.sm = rng.uniform(0.48, 0.9)
        self.power = min(0.97, self.sm + rng.uniform(0.0, 0.12))
        self.comm = rng.uniform(0.04, 0.2) if self.n * self.g > 1 else 0.0
        self.work = 1 - self.comm - rng.uniform(0.01, 0.06)
        self.memory = rng.uniform(0.42, 0.95)
        self.loss0, self.floor = rng.choice([(10.9, 2.6), (8.4, 1.9), (6.9, 0.8), (2.3, 0.31)])
        self.tau = rng.uniform(30, 140)
        self.every = 1
        self.style = "own"
        self.metrics = rng.choice(["shipped", "profiled", "profiled", "everything", "dashboard"])
        self.scheme = rng.choice(["exporter", "operator", "relabelled", "federated", "noname", "instance"])
        self.layout = rng.choice(["one", "metric", "node", "chunks", "dict", "gz"])
        self.sacct = rng.choice(["parsable", "long", "columns", "json", "json-old"])
        self.dmesg = rng.choice(["ctime", "raw", "journal", "journal-iso", "journal-json"])
        self.rank_files = rng.random() < 0.3
        self.has = {"telemetry": True, "sacct": True, "dmesg": True, "log": True}
        self.holes: list[tuple[float, float, int | None]] = []
        self.lost: dict[int, float] = {}
        self.margin = rng.choice([0, 60, 240, 600])
        self.rated = ""  # a window: counters were asked for as rates, which carry no name
        self.blank = False  # profiling fields answer DCGM's blank value
        self.by_node = False  # averages of each node's GPUs
        self.drift_s = 0.0  # the kernel's clock against that of the site
        self.one_kernel_file = False
        self.log_offset_min: int | None = None  # where the log's clock is another than the site's
        self.other_jobs = False  # accounting lists other jobs of the user too
        self.headless = False  # sacct -n
        self.uuids = [
            f"GPU-{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-{rng.getrandbits(16):04x}-{rng.getrandbits(16):04x}-{rng.getrandbits(48):012x}"
            for _ in self.spells
        ]
        self.bus = rng.sample(
            ["07", "0F", "1A", "3B", "47", "4E", "5D", "87", "90", "9B", "AB", "B7", "BD", "CB", "DA", "E1"], self.g
        )
        self.speed = [rng.gauss(1, 0.012) for _ in self.spells]
        self.coolness = [rng.gauss(0, 2.4) for _ in self.spells]

    @property
    def world(self) -> int:
        """How many ranks."""
        return self.n * self.g

    def node_of(self, rank: int) -> str:
        """The name Slurm gives to a rank's node."""
        return self.nodes[rank // self.g]

    def all(self) -> range:
        return range(self.world)

    # ---- what GPUs do

    def put(self, ranks: Iterable[int], kind: str, seconds: float, **how: float) -> None:
        """A spell from now; the clock does not move."""
        for rank in ranks:
            memory = {"absent": 0.0, "idle": 0.0}.get(kind, self.memory)
            self.spells[rank].append(Spell(self.now, self.now + seconds, kind, **{"memory": memory, **how}))  # type: ignore[arg-type]

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def everyone(self, kind: str, seconds: float, **how: float) -> None:
        """All GPUs alike, and time passes."""
        self.put(self.all(), kind, seconds, **how)
        self.go(seconds)

    def say(self, text: str, rank: int = -1, t: float | None = None) -> None:
        """A line of the job's log; rank -1 speaks for the launcher."""
        self.log.append((self.now if t is None else t, rank, text))

    def shout(self, text: str, rank: int = -1) -> None:
        """A line straight to stderr, past the job's logger."""
        self.log.append((self.now, rank, RAW + text))

    def kern(self, node: int, text: str, t: float | None = None) -> None:
        """A line of a node's kernel log."""
        self.kernel.append((self.now if t is None else t, node, text))

    def bump(self, rank: int, metric: str, by: float, t: float | None = None) -> None:
        """A counter grows."""
        self.bumps.append((self.now if t is None else t, rank, metric, by))

    def steady(self, **how: float) -> dict[str, float]:
        """The figures of a sound step."""
        return {"step": self.step_s, "work": self.work, "wait": self.comm, "sm": self.sm, "power": self.power, **how}

    def loss(self, step: int) -> float:
        """A loss that falls, with noise."""
        return (self.floor + (self.loss0 - self.floor) * (1 + step / self.tau) ** -0.6) * self.rng.gauss(1, 0.012)

    def read(self, rank: int, t: float) -> dict[str, float] | None:
        """What the exporter reads of a GPU at ``t``; None where it is gone."""
        node = rank // self.g
        if t >= self.lost.get(node, math.inf) or any(a <= t < b and who in (None, node) for a, b, who in self.holes):
            return None
        spell = next((s for s in reversed(self.spells[rank]) if s.a <= t < s.b), None) or Spell(
            t - 1, t + 1, "absent", memory=0
        )
        window = min(self.scrape, 30)
        looks = [t - window * (k + 0.5) / 12 for k in range(12)]
        felt = [
            moment(s, u)
            for u in looks
            for s in (
                next((s for s in reversed(self.spells[rank]) if s.a <= u < s.b), None)
                or Spell(u - 1, u + 1, "absent", memory=0),
            )
        ]
        engine, sm, power, tensor = (sum(v[k] for v in felt) / len(felt) for k in range(4))
        board, rng = self.board, self.rng
        now = moment(spell, t)
        busy = engine > 0.02 or spell.kind == "host"
        noise = lambda v, by=0.02: max(0.0, v * rng.gauss(1, by))  # noqa: E731
        slow = spell.clock
        watts = board.idle_w + (board.cap_w - board.idle_w) * noise(
            power * (0.35 + 0.65 * slow if slow < 0.97 else 1.0)
        )
        return {
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(min(1.0, noise(engine, 0.004)), 6),
            "DCGM_FI_PROF_SM_ACTIVE": round(min(1.0, noise(sm)), 6),
            "DCGM_FI_PROF_SM_OCCUPANCY": round(noise(sm * 0.31), 6),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(noise(tensor, 0.04), 6),
            "DCGM_FI_PROF_DRAM_ACTIVE": round(noise(sm * 0.42, 0.03), 6),
            "DCGM_FI_PROF_PCIE_TX_BYTES": float(int(noise(3e6 + 9e8 * sm, 0.2))),
            "DCGM_FI_PROF_PCIE_RX_BYTES": float(int(noise(2e6 + 6e8 * sm, 0.2))),
            "DCGM_FI_DEV_GPU_UTIL": float(round(100 * (0.6 * engine + 0.4 * now[0])) if busy else 0),
            "DCGM_FI_DEV_MEM_COPY_UTIL": float(round(100 * noise(sm * 0.4, 0.1))),
            "DCGM_FI_DEV_FB_USED": float(round(board.mib * spell.memory) if spell.memory else rng.choice([4, 4, 5])),
            "DCGM_FI_DEV_FB_FREE": float(board.mib - 600 - round(board.mib * spell.memory)),
            "DCGM_FI_DEV_SM_CLOCK": float(
                round((board.top_mhz * slow * (0.985 if power > 0.9 else 1.0)) / 15) * 15 if busy else board.idle_mhz
            ),
            "DCGM_FI_DEV_MEM_CLOCK": float(board.mem_mhz),
            "DCGM_FI_DEV_POWER_USAGE": round(min(watts, board.cap_w * 1.01), 3),
            "DCGM_FI_DEV_GPU_TEMP": float(
                round(
                    board.rest_c
                    + self.coolness[rank]
                    + (board.work_c - board.rest_c) * min(1.05, power * 1.2)
                    + spell.hot
                )
            ),
            "DCGM_FI_DEV_MEMORY_TEMP": float(
                round(
                    board.rest_c
                    + 8
                    + self.coolness[rank]
                    + (board.work_c - board.rest_c) * min(1.05, power * 1.2)
                    + spell.hot
                )
            ),
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": float(spell.reason or (1 if not busy else 4 if power > 0.9 else 0)),
            "DCGM_FI_DEV_POWER_VIOLATION": 0.0,
            "DCGM_FI_DEV_THERMAL_VIOLATION": 0.0,
        }
