"""SIMULATED clusters: what a GPU does from moment to moment, and how Prometheus, Slurm and the kernel tell of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """A GPU by its data sheet."""

    name: str
    mib: int
    idle_w: float
    tdp: float
    clock: int
    idle_clock: int
    memory_clock: int


V100 = Board("Tesla V100-SXM2-32GB", 32510, 42, 300, 1530, 135, 877)
A100_40 = Board("NVIDIA A100-SXM4-40GB", 40536, 52, 400, 1410, 210, 1215)
A100 = Board("NVIDIA A100-SXM4-80GB", 81050, 58, 400, 1410, 210, 1593)
L40S = Board("NVIDIA L40S", 45589, 33, 350, 2520, 210, 9001)
H100 = Board("NVIDIA H100 80GB HBM3", 81079, 72, 700, 1980, 345, 2619)
H200 = Board("NVIDIA H200", 143156, 76, 700, 1980, 345, 3201)
B200 = Board("NVIDIA B200", 182642, 140, 1000, 1965, 120, 3996)


@dataclass(frozen=True)
class Doing:
    """What a GPU does: shares of time, of the board's power between idle and its limit, of its clock and its memory."""

    engine: float
    sm: float
    tensor: float
    dram: float
    watts: float
    clock: float
    memory: float
    gusty: float = 0.0
    """How often a look falls into a pause."""


IDLE = Doing(0, 0, 0, 0, 0, 0, 0.0)
LOADING = Doing(0.04, 0.01, 0, 0.02, 0.09, 1, 0.25)
TRAIN = Doing(0.97, 0.78, 0.42, 0.48, 0.82, 0.93, 0.86)
SPIN = Doing(1.0, 0.07, 0, 0.01, 0.17, 1, 0.86)
"""A collective's kernel that waits for a peer."""
HELD = Doing(0, 0, 0, 0, 0.08, 1, 0.86)
"""Memory is held and nothing runs."""

BASIC = (
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_SM_CLOCK",
)
PROFILING = (
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
)
FAULTS = ("DCGM_FI_DEV_XID_ERRORS",)
ECC = ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")
REMAP = (
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
)
REASONS = ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",)
MEMORY_TEMP = ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_MEM_COPY_UTIL")


def number(value: float, digits: int = 6) -> str:
    """As Prometheus prints it."""
    value = round(value, digits)
    return str(int(value)) if value == int(value) else repr(value)


@dataclass
class Fleet:
    """GPUs of a job's nodes under an exporter that is asked every so many seconds."""

    rnd: Random
    board: Board
    nodes: Sequence[str]
    gpus: int
    begin: float
    end: float
    every: int
    doing: Callable[[int, int, float], Doing | None]
    metrics: Sequence[str]
    told: Callable[[int, int, float], dict[str, float]] = lambda _node, _gpu, _t: {}
    """Values that stand over those of the simulation."""
    cool: float = 38
    """Degrees that full power adds."""
    label: str = "Hostname"
    hosts: dict[str, Callable[[int, float], float]] = field(default_factory=dict)
    """Metrics of node_exporter."""

    def uuid(self, node: int, gpu: int) -> str:
        word = f"{(hash_of(self.nodes[node]) * 64 + gpu) * 2654435761 % 16**12:012x}"
        return f"GPU-{word[:8]}-{word[4:8]}-4{word[1:4]}-9{word[8:11]}-{word}"

    def write(self, out: Path, split: str = "one") -> None:
        """One answer for all (``one``), one a node (``node``), or one a metric (``metric``)."""
        answers: dict[str, list[dict[str, object]]] = {}
        for node, name in enumerate(self.nodes):
            for gpu in range(self.gpus):
                for metric, values in self._gpu(node, gpu).items():
                    labels = {
                        "__name__": metric,
                        "DCGM_FI_DRIVER_VERSION": "550.127.08",
                        "UUID": self.uuid(node, gpu),
                        "device": f"nvidia{gpu}",
                        "gpu": str(gpu),
                        "instance": f"{name}:9400",
                        "job": "dcgm",
                        "modelName": self.board.name,
                    }
                    if self.label:
                        labels[self.label] = name
                    key = {"one": "dcgm", "node": f"dcgm_{name}", "metric": metric}[split]
                    answers.setdefault(key, []).append({"metric": labels, "values": values})
            for metric, value in self.hosts.items():
                labels = {"__name__": metric, "instance": f"{name}:9100", "job": "node"}
                values = [[t, number(value(node, t), 2)] for t in self._times()]
                key = {"one": "dcgm", "node": f"dcgm_{name}", "metric": metric}[split]
                answers.setdefault(key, []).append({"metric": labels, "values": values})
        for key, series in answers.items():
            out.mkdir(parents=True, exist_ok=True)
            body = {"status": "success", "data": {"resultType": "matrix", "result": series}}
            (out / f"{key}.json").write_text(json.dumps(body))

    def _times(self) -> range:
        first = int(self.begin) // self.every * self.every
        return range(first, int(self.end) + 1, self.every)

    def _gpu(self, node: int, gpu: int) -> dict[str, list[list[object]]]:
        rnd, board, temp, out = self.rnd, self.board, 0.0, {}
        inlet, lucky = 27 + rnd.random() * 6, rnd.gauss(1, 0.015)
        for t in self._times():
            now = self.doing(node, gpu, t)
            if now is None:
                continue
            if now.gusty and rnd.random() < now.gusty:
                now = replace(now, engine=0, sm=0, tensor=0, dram=0, watts=0.1)

            def near(share: float, by: float = 0.03) -> float:
                return min(1.0, max(0.0, share * rnd.gauss(1, by)))

            watts = board.idle_w + (board.tdp - board.idle_w) * now.watts * lucky * rnd.gauss(1, 0.03)
            aim = inlet + 6 + self.cool * watts / board.tdp
            temp = aim if temp == 0 else temp + (aim - temp) * min(1.0, self.every / 60)
            used = 4 if now.memory == 0 else board.mib * now.memory * (1 + 0.002 * (gpu % 3))
            clock = board.idle_clock + (board.clock - board.idle_clock) * min(1.0, now.clock * rnd.gauss(1, 0.006))
            all_values = {
                "DCGM_FI_DEV_GPU_UTIL": round(100 * near(now.engine, 0.012)),
                "DCGM_FI_DEV_FB_USED": round(used),
                "DCGM_FI_DEV_FB_FREE": round(board.mib - used),
                "DCGM_FI_DEV_POWER_USAGE": round(watts, 3),
                "DCGM_FI_DEV_GPU_TEMP": round(temp),
                "DCGM_FI_DEV_SM_CLOCK": clock // 15 * 15,
                "DCGM_FI_DEV_MEM_CLOCK": board.memory_clock,
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE": near(now.engine, 0.01),
                "DCGM_FI_PROF_SM_ACTIVE": near(now.sm),
                "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": near(now.tensor, 0.05),
                "DCGM_FI_PROF_DRAM_ACTIVE": near(now.dram, 0.05),
                "DCGM_FI_DEV_MEMORY_TEMP": round(temp * 1.08 + 4),
                "DCGM_FI_DEV_MEM_COPY_UTIL": round(100 * near(now.dram * 0.8, 0.05)),
                "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": 1 if now.engine == 0 and now.clock == 0 else 0,
                **self.told(node, gpu, t),
            }
            for metric in self.metrics:
                out.setdefault(metric, []).append([t, number(all_values.get(metric, 0))])
        return out


def hash_of(word: str) -> int:
    """A number for a word, the same on every machine."""
    value = 7
    for char in word:
        value = (value * 131 + ord(char)) % (1 << 40)
    return value


@dataclass(frozen=True)
class Zone:
    """The cluster's clock."""

    minutes: int

    def at(self, t: float) -> datetime:
        return datetime.fromtimestamp(t, UTC) + timedelta(minutes=self.minutes)

    def iso(self, t: float) -> str:
        return f"{self.at(t):%Y-%m-%dT%H:%M:%S}"

    def plain(self, t: float) -> str:
        return f"{self.at(t):%Y-%m-%d %H:%M:%S}"

    def dmesg(self, t: float, words: str) -> str:
        """As ``dmesg -T``."""
        here = self.at(t)
        return f"[{here:%a %b} {here.day:2d} {here:%H:%M:%S %Y}] {words}"

    def dmesg_iso(self, t: float, words: str) -> str:
        """As ``dmesg --time-format iso``."""
        sign, m = ("-" if self.minutes < 0 else "+"), abs(self.minutes)
        return f"{self.at(t):%Y-%m-%dT%H:%M:%S},{int(t * 1e6) % 1000000:06d}{sign}{m // 60:02d}:{m % 60:02d} {words}"

    def journal(self, t: float, node: str, words: str) -> str:
        """As ``journalctl -k -o short-iso``."""
        sign, m = ("-" if self.minutes < 0 else "+"), abs(self.minutes)
        return f"{self.iso(t)}{sign}{m // 60:02d}{m % 60:02d} {node} kernel: {words}"

    def glog(self, t: float) -> str:
        """The time in lines of PyTorch's C++ logger."""
        return f"{self.at(t):%m%d %H:%M:%S}.{int(t * 1e9) % 10**9:09d}"[1 if self.at(t).month < 10 else 0 :]


def span(seconds: float) -> str:
    """Of sacct: [D-]HH:MM:SS."""
    days, rest = divmod(int(seconds), 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def write(path: Path, lines: Iterable[str]) -> None:
    """Lines of text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


@dataclass(frozen=True)
class Accounting:
    """A run as ``sacct -P`` tells it."""

    zone: Zone
    job: int
    name: str
    hosts: str
    count: int
    gpus: int
    limit: float

    def header(self) -> str:
        return (
            "JobID|JobName|Partition|User|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES"
        )

    def rows(self, begin: float, end: float, state: str, code: str, steps: Sequence[tuple[str, str, str]]) -> list[str]:
        """The job's line and those of its steps: (step, state, code)."""
        tres = f"billing=64,cpu={self.count * 96},gres/gpu={self.count * self.gpus},mem={self.count * 900}G,node={self.count}"
        head = f"{self.job}|{self.name}|gpu|mlops|{state}|{code}|{self.zone.iso(begin - 41)}|{self.zone.iso(begin)}|{self.zone.iso(end)}|{span(end - begin)}|{span(self.limit)}|{self.count}|{self.hosts}|{tres}"
        return [
            head,
            *(
                f"{self.job}.{step}|{name_of(step, self.name)}|||{how}|{with_code}|{self.zone.iso(begin)}|{self.zone.iso(begin)}|{self.zone.iso(end)}|{span(end - begin)}||{1 if step == 'batch' else self.count}|{self.hosts}|{tres}"
                for step, how, with_code in steps
            ),
        ]


def name_of(step: str, name: str) -> str:
    """What accounting calls a step."""
    return {"batch": "batch", "extern": "extern"}.get(step, name)
