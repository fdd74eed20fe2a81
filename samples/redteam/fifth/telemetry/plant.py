"""A site: boards, what they read at work and at rest, and the files that an operator exports of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """A model of GPU."""

    name: str
    mib: int
    watts: float
    idle: float
    mhz: int
    rest_mhz: int
    memory_mhz: int


V100: Final = Board("Tesla V100-SXM2-32GB", 32768, 300, 41, 1530, 135, 877)
A100: Final = Board("NVIDIA A100-SXM4-80GB", 81920, 400, 62, 1410, 210, 1593)
A100_40: Final = Board("NVIDIA A100-SXM4-40GB", 40960, 400, 53, 1410, 210, 1215)
L40S: Final = Board("NVIDIA L40S", 46068, 350, 34, 2520, 210, 9001)
H100: Final = Board("NVIDIA H100 80GB HBM3", 81559, 700, 71, 1980, 345, 2619)
H200: Final = Board("NVIDIA H200", 143771, 700, 76, 1980, 345, 3201)
B200: Final = Board("NVIDIA B200", 183359, 1000, 141, 1965, 120, 3996)


@dataclass(frozen=True)
class State:
    """What a GPU reads: shares of 1, power of its limit, clock of its highest, memory of its whole."""

    util: float = 0.0
    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    power: float = 0.0
    clock: float = 0.0
    memory: float = 0.0
    nvlink: float = 0.0
    pcie: float = 1e6
    reasons: int = 1
    hot: float = 0.0
    bursts: float = 0.0


EMPTY: Final = State()
HELD: Final = State(memory=0.62, clock=1.0, power=0.06)
"""A process holds memory and does nothing."""
WORK: Final = State(0.99, 0.975, 0.71, 0.42, 0.39, 0.9, 0.965, 0.78, 2.1e11, 1.4e9, 4)
SPIN: Final = State(1.0, 0.998, 0.07, 0.0, 0.012, 0.2, 1.0, 0.78, 3e4, 4e6, 0)
"""Waits in a kernel of NCCL."""
STARVED: Final = State(0.06, 0.05, 0.035, 0.018, 0.02, 0.16, 1.0, 0.66, 9e9, 1.2e8, 0, bursts=0.05)


Mode = Callable[[int, int, float], State | None]
Count = Callable[[int, int, float], float]

DEFAULT: Final = [
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_MEM_CLOCK",
    "DCGM_FI_DEV_MEMORY_TEMP",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_MEM_COPY_UTIL",
    "DCGM_FI_DEV_XID_ERRORS",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
    "DCGM_FI_PROF_PCIE_TX_BYTES",
    "DCGM_FI_PROF_PCIE_RX_BYTES",
]
"""What dcgm-exporter exports where nobody chose."""
RICH: Final = [
    *DEFAULT,
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "DCGM_FI_PROF_NVLINK_TX_BYTES",
]
LEAN: Final = [
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_XID_ERRORS",
]


@dataclass
class Site:
    """A job on its nodes, and who writes of it."""

    rng: Random
    job: int
    name: str
    nodes: Sequence[str]
    gpus: int
    board: Board
    begin: float
    end: float
    every: int = 30
    hours: float = 0.0
    user: str = "mkorhonen"
    uid: int = 10417
    partition: str = "gpu"
    limit: str = "1-00:00:00"
    counts: Mapping[str, Count] = field(default_factory=dict)
    bare: bool = False
    """Its Prometheus drops labels that it can do without."""
    missed: float = 0.0
    """Share of scrapes that came too late to be kept."""
    away: tuple[float, float] = (0.0, 0.0)
    """While Prometheus itself was restarted."""

    def local(self, epoch: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
        return datetime.fromtimestamp(epoch, timezone(timedelta(hours=self.hours))).strftime(form)

    def millis(self, epoch: float, mark: str = ",") -> str:
        return f"{self.local(epoch, '%Y-%m-%d %H:%M:%S')}{mark}{int(epoch % 1 * 1000):03d}"

    def uuid(self, node: int, gpu: int) -> str:
        word = sha256(f"{self.nodes[node]} {gpu}".encode()).hexdigest()
        return f"GPU-{word[:8]}-{word[8:12]}-{word[12:16]}-{word[16:20]}-{word[20:32]}"

    def metrics(
        self,
        out: Path,
        names: Iterable[str],
        mode: Mode,
        *,
        one_file: bool = True,
        around: tuple[float, float] = (300, 300),
    ) -> None:
        """Answers of query_range, in one file or one a metric."""
        names = list(names)
        found: dict[str, list[dict[str, object]]] = {name: [] for name in names}
        first = math.ceil((self.begin - around[0]) / self.every) * self.every
        for node, host in enumerate(self.nodes):
            for gpu in range(self.gpus):
                values = self._series(names, mode, node, gpu, range(first, int(self.end + around[1]), self.every))
                for name in names:
                    labels = {
                        "__name__": name,
                        "DCGM_FI_DRIVER_VERSION": "550.90.12",
                        "Hostname": host,
                        "UUID": self.uuid(node, gpu),
                        "device": f"nvidia{gpu}",
                        "gpu": str(gpu),
                        "instance": f"{host}:9400",
                        "job": "dcgm",
                        "modelName": self.board.name,
                        "pci_bus_id": bus(gpu),
                    }
                    if self.bare:
                        labels = {key: labels[key] for key in ("__name__", "UUID", "gpu", "instance", "modelName")}
                    if values[name]:
                        found[name].append({"metric": labels, "values": values[name]})
        if one_file:
            answer(out / "dcgm.json", [row for name in names for row in found[name]])
        else:
            (out / "prometheus").mkdir()
            for name in names:
                answer(out / "prometheus" / f"{name}.json", found[name])

    def _series(
        self, names: Sequence[str], mode: Mode, node: int, gpu: int, times: range
    ) -> dict[str, list[list[object]]]:
        rng, board = self.rng, self.board
        heat, own = 31.0 + rng.uniform(-2, 2), rng.gauss(0, 0.012)
        values: dict[str, list[list[object]]] = {name: [] for name in names}
        for at in times:
            state = mode(node, gpu, at)
            if state is None or self.away[0] < at < self.away[1] or (self.missed and rng.random() < self.missed):
                continue
            burst = rng.random() < state.bursts
            busy = state.util > 0.5 or burst
            power = (
                board.idle
                + max(0.0, state.power - 0.06) * (board.watts - board.idle) * (1 + own + rng.gauss(0, 0.02))
                + rng.gauss(0, 0.8)
            )
            heat += (28.0 + state.hot + 42.0 * power / board.watts - heat) * (
                1 - math.exp(-self.every / 45)
            ) + rng.gauss(0, 0.3)
            used = 4 + state.memory * board.mib * (1 + own / 10)

            def near(share: float, spread: float = 0.02) -> float:
                return min(1.0, max(0.0, share + (rng.gauss(0, spread * min(1.0, share * 3)) if share else 0.0)))

            clock = (
                board.mhz * min(1.0, state.clock + (rng.gauss(0, 0.006) if 0 < state.clock < 1 else 0))
                if state.clock
                else board.rest_mhz
            )
            seen = {
                "DCGM_FI_DEV_SM_CLOCK": f"{round(clock / 15) * 15}",
                "DCGM_FI_DEV_MEM_CLOCK": f"{board.memory_mhz}",
                "DCGM_FI_DEV_MEMORY_TEMP": f"{heat + 9 + rng.gauss(0, 0.5):.0f}",
                "DCGM_FI_DEV_GPU_TEMP": f"{heat:.0f}",
                "DCGM_FI_DEV_POWER_USAGE": f"{power:.3f}",
                "DCGM_FI_DEV_GPU_UTIL": f"{100 * (near(state.util, 0.012) if not state.bursts else 0.9 if burst else 0.0):.0f}",
                "DCGM_FI_DEV_MEM_COPY_UTIL": f"{80 * near(state.dram) if busy or not state.bursts else 0:.0f}",
                "DCGM_FI_DEV_FB_USED": f"{used:.0f}",
                "DCGM_FI_DEV_FB_FREE": f"{board.mib - used - 551:.0f}",
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE": f"{near(state.engine, 0.012):.6f}",
                "DCGM_FI_PROF_SM_ACTIVE": f"{near(state.sm):.6f}",
                "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": f"{near(state.tensor):.6f}",
                "DCGM_FI_PROF_DRAM_ACTIVE": f"{near(state.dram):.6f}",
                "DCGM_FI_PROF_PCIE_TX_BYTES": f"{state.pcie * rng.uniform(0.8, 1.2):.0f}",
                "DCGM_FI_PROF_PCIE_RX_BYTES": f"{state.pcie * rng.uniform(0.9, 1.6):.0f}",
                "DCGM_FI_PROF_NVLINK_TX_BYTES": f"{state.nvlink * rng.uniform(0.9, 1.1):.0f}",
                "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": f"{state.reasons}",
            }
            for name in names:
                if name in self.counts:
                    values[name].append([at, f"{self.counts[name](node, gpu, at):.0f}"])
                else:
                    values[name].append([at, seen.get(name, "0")])
        return values

    def sacct(
        self,
        path: Path,
        state: str,
        code: str,
        steps: Sequence[tuple[str, str, str, str]],
        *,
        wide: bool = False,
        derived: str = "",
    ) -> None:
        """Accounting: the job, its batch script, and steps as (suffix, name, state, code)."""
        begin, end = self.local(self.begin), self.local(self.end)
        tres = f"billing={len(self.nodes) * 96},cpu={len(self.nodes) * 96},gres/gpu={len(self.nodes) * self.gpus},mem={len(self.nodes) * 960}G,node={len(self.nodes)}"
        rows = [
            [
                str(self.job),
                self.name,
                self.partition,
                self.user,
                state,
                code,
                derived or code,
                begin,
                end,
                elapsed(self.end - self.begin),
                self.limit,
                str(len(self.nodes)),
                short(self.nodes),
                tres,
            ]
        ]
        for suffix, name, how, exit_code in steps:
            some = self.nodes[:1] if suffix == "batch" else self.nodes
            rows.append(
                [
                    f"{self.job}.{suffix}",
                    name,
                    "",
                    "",
                    how,
                    exit_code,
                    "",
                    begin,
                    end,
                    elapsed(self.end - self.begin),
                    "",
                    str(len(some)),
                    short(some),
                    tres,
                ]
            )
        account(path, rows, wide=wide)


def account(path: Path, rows: Iterable[Sequence[str]], *, wide: bool = False) -> None:
    """Rows of accounting as `sacct -P` prints them, or padded."""
    header = [
        "JobID",
        "JobName",
        "Partition",
        "User",
        "State",
        "ExitCode",
        "DerivedExitCode",
        "Start",
        "End",
        "Elapsed",
        "Timelimit",
        "NNodes",
        "NodeList",
        "AllocTRES",
    ]
    if not wide:
        path.write_text("".join("|".join(row) + "\n" for row in [header, *rows]))
        return
    body = [list(row)[:13] for row in rows]
    widths = [max(len(row[at]) for row in [header[:13], *body]) for at in range(13)]
    told = [header[:13], ["-" * width for width in widths], *body]
    path.write_text(
        "".join(" ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + " \n" for row in told)
    )


def answer(path: Path, result: list[dict[str, object]]) -> None:
    path.write_text(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}))


def bus(gpu: int) -> str:
    return f"00000000:{(0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)[gpu]:02X}:00.0"


def pci(gpu: int) -> str:
    """As the kernel writes it."""
    return f"PCI:0000:{bus(gpu)[9:14].lower()}"


def elapsed(seconds: float) -> str:
    days, rest = divmod(int(seconds), 86400)
    return (f"{days}-" if days else "") + f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"


def short(nodes: Sequence[str]) -> str:
    """A list of nodes as Slurm writes it."""
    stems: dict[str, list[list[str]]] = {}
    for node in nodes:
        stem = node.rstrip("0123456789")
        number, runs = node[len(stem) :], stems.setdefault(stem, [])
        if runs and int(number) == int(runs[-1][-1]) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = []
    for stem, runs in stems.items():
        ranges = ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
        told.append(f"{stem}[{ranges}]" if len(runs) > 1 or len(runs[0]) > 1 else f"{stem}{ranges}")
    return ",".join(told)


def steps(
    rng: Random, begin: float, until: float, seconds: Callable[[float], float], spread: float = 0.015, first: int = 1
) -> list[tuple[int, float, float]]:
    """Steps, as (number, when it ended, how long it took)."""
    found, now, step = list[tuple[int, float, float]](), begin, first
    while True:
        took = seconds(now) * math.exp(rng.gauss(0, spread))
        if now + took > until:
            return found
        now += took
        found.append((step, now, took))
        step += 1


def write(path: Path, rows: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row}\n" for row in rows))


def dmesg(path: Path, site: Site, rows: Sequence[tuple[float, str]], *, iso: bool = False) -> None:
    """`dmesg -T`, or with times of ISO; a node always has something to say."""
    boot = site.begin - 611_000
    usual = [
        (boot, "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"),
        (boot + 21, "nvidia-nvlink: Nvlink Core is being initialized, major device number 235"),
        (boot + 22, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.12  Mon Sep 16 20:34:37 UTC 2024"),
        (boot + 31, "mlx5_core 0000:0c:00.0: firmware version: 28.41.1000"),
        (boot + 47, "nvidia-uvm: Loaded the UVM driver, major device number 510."),
    ]
    told = sorted([*usual, *rows], key=lambda row: row[0])
    if iso:
        zone = f"{'-' if site.hours < 0 else '+'}{abs(int(site.hours)):02d}:00"
        write(path, (f"{site.local(at)},{int(at % 1 * 1e6):06d}{zone} {text}" for at, text in told))
    else:
        write(path, (f"[{site.local(at, '%a %b %e %H:%M:%S %Y')}] {text}" for at, text in told))


__all__ = [
    "A100",
    "A100_40",
    "B200",
    "DEFAULT",
    "EMPTY",
    "H100",
    "H200",
    "HELD",
    "L40S",
    "LEAN",
    "RICH",
    "SPIN",
    "STARVED",
    "V100",
    "WORK",
    "Board",
    "Site",
    "State",
    "account",
    "answer",
    "dmesg",
    "elapsed",
    "pci",
    "replace",
    "short",
    "steps",
    "write",
]
