"""What a site keeps of a job: readings of its GPUs, accounting, kernels' messages, logs of ranks."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

Reading = dict[str, float]
_IDLE: Reading = {
    "DEV_GPU_UTIL": 0,
    "PROF_GR_ENGINE_ACTIVE": 0,
    "PROF_SM_ACTIVE": 0,
    "PROF_PIPE_TENSOR_ACTIVE": 0,
    "PROF_DRAM_ACTIVE": 0,
    "DEV_POWER_USAGE": 72,
    "DEV_GPU_TEMP": 31,
    "DEV_SM_CLOCK": 345,
    "DEV_FB_USED": 4,
    "DEV_FB_FREE": 81000,
    "DEV_CLOCK_THROTTLE_REASONS": 1,
    "DEV_XID_ERRORS": 0,
    "DEV_ECC_DBE_VOL_TOTAL": 0,
    "DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
    "DEV_PCIE_REPLAY_COUNTER": 0,
}
SPIN: Reading = {
    "DEV_GPU_UTIL": 100,
    "PROF_GR_ENGINE_ACTIVE": 1,
    "PROF_SM_ACTIVE": 0.015,
    "PROF_PIPE_TENSOR_ACTIVE": 0,
    "PROF_DRAM_ACTIVE": 0.002,
    "DEV_POWER_USAGE": 131,
    "DEV_GPU_TEMP": 41,
}
"""One that waits in a collective for another."""
_WHOLE = {key for key in _IDLE if key.startswith("DEV") and "POWER" not in key}


@dataclass
class Site:
    """One job on some nodes, from ``begin`` for ``minutes``."""

    place: Path
    rng: Random
    job: int
    nodes: Sequence[str]
    gpus: int
    minutes: float
    begin: datetime = datetime(2026, 10, 6, 21, 40, tzinfo=UTC)
    busy: Reading = field(default_factory=dict)

    def at(self, minute: float) -> datetime:
        """The moment so many minutes after the begin."""
        return self.begin + timedelta(minutes=minute)

    def clock(self, minute: float) -> str:
        """The same, without its day."""
        return f"{self.at(minute):%H:%M:%S}"

    def stamp(self, minute: float) -> str:
        """The same with its day, as a log shows it."""
        return f"{self.at(minute):%Y-%m-%d %H:%M:%S}"

    def iso(self, minute: float) -> str:
        """The same, as Slurm shows it."""
        return f"{self.at(minute):%Y-%m-%dT%H:%M:%S}"

    def write(self, file: str, text: Iterable[str]) -> None:
        """Write lines to a file of the case."""
        path = self.place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in text))

    def metrics(self, change: Callable[[float, int, int, Reading], Reading | None], every: int = 15) -> None:
        """Answers of Prometheus, one file a metric; ``change(minute, node, gpu, reading)`` is what is not usual."""
        full = {
            "DEV_GPU_UTIL": 99,
            "PROF_GR_ENGINE_ACTIVE": 0.98,
            "PROF_SM_ACTIVE": 0.79,
            "PROF_PIPE_TENSOR_ACTIVE": 0.42,
            "PROF_DRAM_ACTIVE": 0.51,
            "DEV_POWER_USAGE": 622,
            "DEV_GPU_TEMP": 62,
            "DEV_SM_CLOCK": 1965,
            "DEV_FB_USED": 63410,
            "DEV_FB_FREE": 17594,
            "DEV_CLOCK_THROTTLE_REASONS": 0,
        }
        found: dict[str, list[dict[str, object]]] = {name: [] for name in _IDLE}
        for n, node in enumerate(self.nodes):
            for gpu in range(self.gpus):
                word = f"{self.rng.getrandbits(128):032x}"
                uuid = "GPU-" + "-".join((word[:8], word[8:12], word[12:16], word[16:20], word[20:]))
                values: dict[str, list[tuple[int, str]]] = {name: [] for name in _IDLE}
                for second in range(-120, int(self.minutes * 60) + 120, every):
                    reading = dict(_IDLE)
                    if 40 <= second < self.minutes * 60:
                        reading.update(full, **self.busy)
                    told = change(second / 60, n, gpu, reading)
                    for name, value in (told or {}).items():
                        if name not in _WHOLE and value:
                            value *= 1 + self.rng.gauss(0, 0.015)
                        if "PROF" in name:
                            value = min(value, 1)
                        shown = str(round(value)) if name in _WHOLE else f"{value:.6f}"
                        values[name].append((int(self.begin.timestamp()) + second, shown))
                for name, series in values.items():
                    metric = {
                        "__name__": f"DCGM_FI_{name}",
                        "Hostname": node,
                        "UUID": uuid,
                        "device": f"nvidia{gpu}",
                        "gpu": str(gpu),
                        "instance": f"{node}:9400",
                        "job": "dcgm-exporter",
                        "modelName": "NVIDIA H100 80GB HBM3",
                    }
                    found[name].append({"metric": metric, "values": series})
        for name, result in found.items():
            answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            self.write(f"prometheus/{name.lower()}.json", [json.dumps(answer)])

    def sacct(self, state: str, code: str, step: str = "", limit: str = "1-00:00:00") -> None:
        """Accounting of a job that ran once: of itself, its batch script and its one step."""
        span = f"{self.iso(0)}|{self.iso(self.minutes)}|0{timedelta(minutes=self.minutes)}"
        names = f"{len(self.nodes)}|{','.join(self.nodes)}"
        self.write(
            "sacct.txt",
            [
                "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|NNodes|NodeList|Timelimit|User",
                f"{self.job}|pretrain|h100|{state}|{code}|{span}|{names}|{limit}|mira",
                f"{self.job}.batch|batch||{step or state.split()[0]}|{code}|{span}|1|{self.nodes[0]}||",
                f"{self.job}.extern|extern||COMPLETED|0:0|{span}|{names}||",
                f"{self.job}.0|python||{step or state.split()[0]}|{code}|{span}|{names}||",
            ],
        )

    def kernel(self, node: str, rows: Iterable[tuple[float, str]] = ()) -> None:
        """Messages of a node's kernel, at minutes, among those of every day."""
        usual = [
            (-9.4, "systemd-journald[911]: Received client request to flush runtime journal."),
            (-1.7, f"slurmstepd: cgroup job_{self.job} set up"),
            (self.minutes / 3, "perf: interrupt took too long (2511 > 2500)"),
        ]
        self.write(
            f"dmesg/{node}.txt",
            [f"{self.at(t):%Y-%m-%dT%H:%M:%S,%f}+00:00 {text}" for t, text in sorted([*usual, *rows])],
        )

    def loss(self, step: int, start: float = 11.1, end: float = 2.6, scale: float = 300) -> float:
        """Of a model that learns."""
        return (end + (start - end) * math.exp(-step / scale)) * (1 + self.rng.gauss(0, 0.012))
