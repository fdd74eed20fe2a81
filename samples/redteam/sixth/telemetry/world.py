"""A job on a small site: what its Prometheus, its accounting and its kernels keep of it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from random import Random

Reading = dict[str, float]

PROF: Final = ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE")
UTIL, POWER, TEMP, CLOCK, USED, FREE = "GPU_UTIL", "POWER_USAGE", "GPU_TEMP", "SM_CLOCK", "FB_USED", "FB_FREE"

_MODES: Final[dict[str, Reading]] = {
    "off": {UTIL: 0, POWER: 71, TEMP: 29, CLOCK: 345, USED: 4, **dict.fromkeys(PROF, 0.0)},
    "held": {UTIL: 0, POWER: 116, TEMP: 36, CLOCK: 1980, USED: 61000, **dict.fromkeys(PROF, 0.0)},
    "train": {
        UTIL: 98,
        POWER: 590,
        TEMP: 58,
        CLOCK: 1905,
        USED: 69400,
        **dict(zip(PROF, (0.97, 0.74, 0.36, 0.41), strict=True)),
    },
    "spin": {
        UTIL: 100,
        POWER: 205,
        TEMP: 43,
        CLOCK: 1980,
        USED: 69400,
        **dict(zip(PROF, (1.0, 0.06, 0.0, 0.01), strict=True)),
    },
}
_NOISE: Final = {UTIL: 0.01, POWER: 0.03, TEMP: 0.015, CLOCK: 0.004, USED: 0.0, **dict.fromkeys(PROF, 0.025)}
_WHOLE: Final = (UTIL, TEMP, CLOCK, USED, FREE)


def mode(name: str, **change: float) -> Reading:
    """What a GPU shows while it is idle, holds memory, trains or waits in a collective; with some of it changed."""
    return _MODES[name] | change


@dataclass
class Job:
    """One job and the machines it was given."""

    out: Path
    rng: Random
    id: int
    nodes: tuple[str, ...]
    gpus: int
    start: float
    length: float
    name: str = "train"
    zone: float = 0.0
    """Hours of the cluster's clock east of UTC."""
    counts: dict[tuple[int, int, str], float] = field(default_factory=dict)

    @property
    def end(self) -> float:
        return self.start + self.length

    def local(self, at: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
        """The time of ``at`` seconds after the start, as clocks on the wall say it."""
        return (datetime.fromtimestamp(self.start + at, UTC) + timedelta(hours=self.zone)).strftime(form)

    def bus(self, gpu: int) -> str:
        return ("1b", "43", "52", "61", "9d", "c3", "d1", "df")[gpu]

    def uuid(self, node: int, gpu: int) -> str:
        word = f"{self.id * 7919 + node * 101 + gpu * 13:08x}"
        return f"GPU-{word[-8:]}-5a{gpu}{node:x}-c1d2-88e0-{self.id:06d}{node:03d}{gpu:03d}"

    def metrics(
        self,
        state: Callable[[int, int, float], Reading],
        every: float = 15,
        *,
        lead: float = 300,
        tail: float = 300,
        model: str = "NVIDIA H100 80GB HBM3",
        host: str = "Hostname",
        split: str = "",
        lost: Callable[[int, int, float], bool] = lambda _node, _gpu, _at: False,
        extra: Iterable[str] = (),
    ) -> None:
        """``query_range`` of DCGM's series; ``split`` is ``node`` or ``metric`` for a file of each, else it is one file."""
        series: dict[tuple[str, int, int], list[list[Any]]] = {}
        for node in range(len(self.nodes)):
            for gpu in range(self.gpus):
                warm = 29.0
                for tick in range(int(-lead // every), int((self.length + tail) // every) + 1):
                    at = tick * every + 3.217
                    if lost(node, gpu, at):
                        continue
                    shown = state(node, gpu, at) if 0 <= at < self.length else mode("off")
                    if shown.get(TEMP, 0) <= 70:  # a heat sink needs minutes
                        warm += (shown[TEMP] - warm) * (1 - math.exp(-every / 60))
                        shown = shown | {TEMP: warm}
                    shown = dict.fromkeys(extra, 0.0) | shown
                    shown[FREE] = 81000 - shown[USED]
                    for name, value in shown.items():
                        moved = value * (1 + self.rng.gauss(0, _NOISE.get(name, 0)))
                        moved = min(1.0, moved) if name in PROF else min(100.0, moved) if name == UTIL else moved
                        text = f"{round(moved)}" if name in _WHOLE or name not in _NOISE else f"{moved:.6g}"
                        series.setdefault((name, node, gpu), []).append([round(self.start + at, 3), text])
        files: dict[str, list[Any]] = {}
        for (name, node, gpu), values in series.items():
            full = f"DCGM_FI_{'PROF' if name in PROF or name.startswith(('NVLINK_T', 'NVLINK_R', 'PCIE_T', 'PCIE_R')) else 'DEV'}_{name}"
            label = {"__name__": full, "UUID": self.uuid(node, gpu), "device": f"nvidia{gpu}", "gpu": str(gpu)}
            label |= {
                host: self.nodes[node],
                "instance": f"{self.nodes[node]}:9400",
                "job": "dcgm-exporter",
                "modelName": model,
            }
            key = {"node": self.nodes[node], "metric": full.lower()}.get(split, "metrics")
            files.setdefault(key, []).append({"metric": label, "values": values})
        for key, result in files.items():
            answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            (self.out / f"{key}.json").write_text(json.dumps(answer))

    def sacct(
        self, state: str, code: str, steps: Iterable[tuple[str, str, str]] = (), limit: str = "2-00:00:00"
    ) -> None:
        """``sacct -D -P``: the job and its steps (name, state, code), all of the job's length."""
        names = "JobID|JobName|Partition|User|State|ExitCode|DerivedExitCode|Submit|Start|End|ElapsedRaw|Timelimit|NNodes|NodeList|AllocTRES"
        tres = f"billing=512,cpu={len(self.nodes) * 96},gres/gpu={len(self.nodes) * self.gpus},mem={len(self.nodes) * 960}G,node={len(self.nodes)}"
        when = f"{self.local(-912)}|{self.local(0)}|{self.local(self.length)}|{int(self.length)}"
        rest = f"{len(self.nodes)}|{','.join(self.nodes)}|{tres}"
        text = [names, f"{self.id}|{self.name}|gpu|mlee|{state}|{code}|{code}|{when}|{limit}|{rest}"]
        for step, how, what in steps:
            text.append(f"{self.id}.{step}|{step if step != '0' else 'python'}|||{how}|{what}||{when}||{rest}")
        self.write("sacct.txt", text)

    def kernel(self, node: int, events: Iterable[tuple[float, str]], form: str = "T") -> None:
        """The kernel log of a node: ``dmesg -T``, ``--time-format iso``, or the journal's."""
        text = []
        for at, said in sorted(events):
            if form == "T":
                text.append(f"[{self.local(at, '%a %b %e %H:%M:%S %Y')}] {said}")
            elif form == "iso":
                sign = f"{int(self.zone):+03d}:00"
                text.append(f"{self.local(at, '%Y-%m-%dT%H:%M:%S,%f')}{sign} {said}")
            else:
                text.append(f"{self.local(at)}{int(self.zone):+03d}00 {self.nodes[node]} kernel: {said}")
        self.write(f"{self.nodes[node]}/{'dmesg.txt' if form != 'journal' else 'kernel.log'}", text)

    def boot(self) -> list[tuple[float, str]]:
        """What any kernel says that has nothing to do with the job."""
        return [
            (-86400.0 * 11, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  550.90.07  Release Build"),
            (-86400.0 * 11 + 9, "mlx5_core 0000:18:00.0: firmware version: 28.39.1002"),
            (
                -7200.0,
                "perf: interrupt took too long (2516 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
            ),
        ]

    def write(self, name: str, text: Iterable[str]) -> None:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in text))
