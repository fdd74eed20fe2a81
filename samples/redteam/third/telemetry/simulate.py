"""Simulate incidents as a site would hand them over: DCGM query_range JSON, sacct, dmesg and the job's log. SIMULATED.

`python simulate.py OUT [CASE...]` writes one folder per case. What each case is stands in `../truth.jsonl`.
"""

from __future__ import annotations

import json
import math
import random
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS = {  # name, board power, top SM clock, memory clock, memory MiB
    "h100": ("NVIDIA H100 80GB HBM3", 700, 1980, 2619, 81079),
    "a100": ("NVIDIA A100-SXM4-80GB", 400, 1410, 1593, 81050),
    "a100-40": ("NVIDIA A100-SXM4-40GB", 400, 1410, 1215, 40325),
    "l40s": ("NVIDIA L40S", 350, 2520, 9001, 45458),
    "h200": ("NVIDIA H200", 700, 1980, 3201, 143156),
    "v100": ("Tesla V100-SXM2-32GB", 300, 1530, 877, 32501),
    "b200": ("NVIDIA B200", 1000, 1965, 3996, 182642),
}


@dataclass
class Gpu:
    """One board and what it is doing at this sample."""

    node: int
    index: int
    uuid: str
    temp: float = 34.0
    xid: int = 0
    sbe: int = 0
    dbe: int = 0
    remapped: int = 0
    replay: int = 0
    thermal: int = 0
    power_violation: int = 0
    energy: float = 0.0
    seen: bool = True


@dataclass
class State:
    """What one GPU does at one moment: activity in 0..1, clock as a part of the top clock."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    fb: float = 0.0
    clock: float = 0.18
    reasons: int = 1
    heat: float = 0.0
    power: float | None = None
    nvlink: float = 0.0
    pcie: float = 0.0


IDLE = State()
CONTEXT = State(fb=0.01, clock=1.0, reasons=0)


def work(sm: float = 0.68, fb: float = 0.8, engine: float = 0.97, clock: float = 0.93, reasons: int = 0) -> State:
    """A GPU that computes."""
    return State(engine, sm, sm * 0.55, fb, clock, reasons, nvlink=0.4, pcie=0.1)


def spin(fb: float = 0.8, sm: float = 0.0) -> State:
    """A GPU that only waits in a collective."""
    return State(1.0, sm, 0.0, fb, 1.0, 0)


Behaviour = "Callable[[Fleet, Gpu, float], State]"


@dataclass
class Fleet:
    """One incident: who, where, when, what each GPU does, and every file about it."""

    case: str
    model: str = "h100"
    nodes: list[str] = field(default_factory=lambda: ["gpu01", "gpu02"])
    gpus: int = 8
    minutes: float = 50
    cadence: int = 15
    zone: int = 0
    job: str = "48213"
    name: str = "pretrain"
    user: str = "mlee"
    start: float = 1_792_000_000.0
    setup: float = 70.0
    seed: int = 1
    prof: bool = True
    new_names: bool = False
    host_label: str = "Hostname"
    extra: float = 120.0
    reasons: bool = True
    per_node_files: bool = False
    log: list[str] = field(default_factory=list)
    kernel: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    sacct_rows: list[dict[str, str]] = field(default_factory=list)
    host_metrics: list[tuple[str, dict[str, str], list[tuple[float, float]]]] = field(default_factory=list)
    on_sample: list[Callable[[Fleet, Gpu, float], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Draw the boards."""
        self.rng = random.Random(f"{self.case}-{self.seed}")
        self.fleet = [
            Gpu(n, g, "GPU-" + "-".join(f"{self.rng.getrandbits(4 * w):0{w}x}" for w in (8, 4, 4, 4, 12)))
            for n in range(len(self.nodes))
            for g in range(self.gpus)
        ]
        self.log_file = f"slurm-{self.job}.out"

    def at(self, t: float) -> datetime:
        """The cluster's local time of second t of the job."""
        return datetime.fromtimestamp(self.start + t, UTC) + timedelta(minutes=self.zone)

    def stamp(self, t: float) -> str:
        """As logs print it."""
        return self.at(t).strftime("%Y-%m-%d %H:%M:%S")

    def say(self, text: str) -> None:
        """A line of the job's log."""
        self.log.append(text)

    def dmesg(self, node: int, t: float, text: str) -> None:
        """A line of a node's kernel log."""
        self.kernel.setdefault(node, []).append((t, text))

    def bus(self, index: int) -> str:
        """The PCI address of a board, as the driver prints it."""
        return f"0000:{(0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)[index % 8]:02x}:00"

    def acct(
        self, step: str, name: str, state: str, code: str, t: float, nodes: str | None = None, begin: float = 0
    ) -> None:
        """A row of sacct."""
        span = int(t - begin)
        clock = f"{span // 3600:02d}:{span // 60 % 60:02d}:{span % 60:02d}"
        n = len(self.nodes)
        self.sacct_rows.append(
            {
                "JobID": self.job + step,
                "JobName": name,
                "User": "" if step else self.user,
                "Partition": "" if step else "gpu",
                "State": state,
                "ExitCode": code,
                "Start": self.at(begin).strftime("%Y-%m-%dT%H:%M:%S"),
                "End": self.at(t).strftime("%Y-%m-%dT%H:%M:%S"),
                "Elapsed": clock,
                "Timelimit": "" if step else self.limit,
                "NNodes": str(n),
                "NodeList": nodes or ",".join(self.nodes),
                "AllocTRES": f"cpu={n * 96},gres/gpu={n * self.gpus},mem={n}T,node={n}",
            }
        )

    limit: str = "12:00:00"

    def write(self, out: Path, behave: Callable[[Fleet, Gpu, float], State], end: float) -> None:
        """Write every file of the incident."""
        folder = out / self.case
        folder.mkdir(parents=True, exist_ok=True)
        self._metrics(folder, behave, end)
        if self.log:
            (folder / self.log_file).write_text("\n".join(self.log) + "\n")
        if self.sacct_rows:
            keys = list(self.sacct_rows[0])
            rows = ["|".join(keys), *("|".join(row[k] for k in keys) for row in self.sacct_rows)]
            (folder / "sacct.txt").write_text("\n".join(rows) + "\n")
        for node, lines in sorted(self.kernel.items()):
            name = self.nodes[node]
            text = [f"[{self.at(t).strftime('%a %b %e %H:%M:%S %Y')}] {line}" for t, line in sorted(lines)]
            (folder / f"dmesg-{name}.txt").write_text("\n".join(text) + "\n")
        if self.zone:
            (folder / "meta.json").write_text(json.dumps({"job_id": self.job, "utc_offset_minutes": self.zone}))

    def _metrics(self, folder: Path, behave: Callable[[Fleet, Gpu, float], State], end: float) -> None:
        _, tdp, top, mem, total = MODELS[self.model]
        series: dict[tuple[str, int, int], list[list[object]]] = {}
        t = -self.extra
        while t <= end + self.extra:
            for gpu in self.fleet:
                state = behave(self, gpu, t) if 0 <= t <= end else IDLE
                for hook in self.on_sample:
                    hook(self, gpu, t)
                if not gpu.seen:
                    continue
                part = 0.13 + 0.08 * state.engine + 0.85 * state.sm * state.clock if state.fb else 0.11
                part = min(1.0, state.power if state.power is not None else part)
                goal = 28 + 38 * part + state.heat
                gpu.temp += (goal - gpu.temp) * (1 - math.exp(-self.cadence / 45))
                watts = tdp * part * self.rng.uniform(0.97, 1.03)
                gpu.energy += watts * self.cadence * 1000
                if state.reasons & 0x60:
                    gpu.thermal += int(self.cadence * 1e6 * 0.7)
                if state.reasons & 0x84:
                    gpu.power_violation += int(self.cadence * 1e6 * 0.3)
                clock = top * state.clock * (self.rng.uniform(0.985, 1.0) if state.clock < 0.99 else 1)
                values: dict[str, float] = {
                    "GPU_UTIL": round(100 * min(1, state.engine * self.rng.uniform(0.98, 1.02))),
                    "MEM_COPY_UTIL": round(55 * state.sm * self.rng.uniform(0.9, 1.1)),
                    "GPU_TEMP": round(gpu.temp + self.rng.uniform(-0.6, 0.6)),
                    "MEMORY_TEMP": round(gpu.temp + 8 + self.rng.uniform(-0.6, 0.6)),
                    "POWER_USAGE": round(watts, 3),
                    "TOTAL_ENERGY_CONSUMPTION": round(gpu.energy),
                    "SM_CLOCK": round(clock / 15) * 15,
                    "MEM_CLOCK": mem,
                    "FB_USED": round(total * state.fb) + 4,
                    "FB_FREE": total - round(total * state.fb),
                    "XID_ERRORS": gpu.xid,
                    "ECC_SBE_VOL_TOTAL": gpu.sbe,
                    "ECC_DBE_VOL_TOTAL": gpu.dbe,
                    "PCIE_REPLAY_COUNTER": gpu.replay,
                    "UNCORRECTABLE_REMAPPED_ROWS": gpu.remapped,
                    "ROW_REMAP_FAILURE": 0,
                    "THERMAL_VIOLATION": gpu.thermal,
                    "POWER_VIOLATION": gpu.power_violation,
                }
                if self.reasons:
                    values["CLOCKS_EVENT_REASONS" if self.new_names else "CLOCK_THROTTLE_REASONS"] = state.reasons
                names = {f"DCGM_FI_DEV_{k}": v for k, v in values.items()}
                if self.prof:
                    jitter = self.rng.uniform(0.96, 1.04)
                    names["DCGM_FI_PROF_GR_ENGINE_ACTIVE"] = round(
                        min(1.0, state.engine * self.rng.uniform(0.995, 1.005)), 6
                    )
                    names["DCGM_FI_PROF_SM_ACTIVE"] = round(min(1.0, state.sm * jitter), 6)
                    names["DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"] = round(state.tensor * jitter, 6)
                    names["DCGM_FI_PROF_DRAM_ACTIVE"] = round(state.sm * 0.5 * jitter, 6)
                    names["DCGM_FI_PROF_PCIE_RX_BYTES"] = round(4e9 * state.pcie * jitter)
                    names["DCGM_FI_PROF_NVLINK_TX_BYTES"] = round(9e10 * state.nvlink * jitter)
                for key, value in names.items():
                    series.setdefault((key, gpu.node, gpu.index), []).append(
                        [self.start + t, f"{value:g}" if isinstance(value, float) and value < 1e6 else str(int(value))]
                    )
            t += self.cadence
        files: dict[str, list[object]] = {}
        for (key, node, index), values_ in series.items():
            host = self.nodes[node]
            metric = {
                "__name__": key,
                self.host_label: host,
                "UUID": self.fleet[node * self.gpus + index].uuid,
                "device": f"nvidia{index}",
                "gpu": str(index),
                "instance": f"{host}:9400",
                "job": "dcgm-exporter",
                "modelName": MODELS[self.model][0],
                "pci_bus_id": f"0000{self.bus(index).upper()}.0",
            }
            where = f"dcgm-{host}.json" if self.per_node_files else "dcgm.json"
            files.setdefault(where, []).append({"metric": metric, "values": values_})
        for key, labels, points in self.host_metrics:
            where = "node.json"
            metric = {"__name__": key, **labels}
            files.setdefault(where, []).append(
                {"metric": metric, "values": [[self.start + a, f"{b:g}"] for a, b in points]}
            )
        for where, result in files.items():
            answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            (folder / where).write_text(json.dumps(answer))


class Loop:
    """The training loop of a log: steps with times and losses, in one of the usual shapes."""

    def __init__(self, fleet: Fleet, shape: str, every: int = 10, planned: int = 100000) -> None:
        self.f, self.shape, self.every, self.planned = fleet, shape, every, planned
        self.step, self.t = 0, fleet.setup
        self.first_loss, self.floor, self.tau = 10.9, 2.3, 400.0
        f, n = fleet, len(fleet.nodes) * fleet.gpus
        if shape == "megatron":
            f.say(
                f"using world size: {n}, data-parallel size: {n // 4}, tensor-model-parallel size: 4, pipeline-model-parallel size: 1"
            )
            f.say("> initialized tensor model parallel with size 4")
            f.say(f"[before the start of training step] datetime: {f.stamp(f.setup)}")
        elif shape == "hf":
            f.say("***** Running training *****")
            f.say("  Num examples = 1,204,331")
            f.say(f"  Total optimization steps = {planned:,}")
        else:
            f.say(f"{f.stamp(f.setup - 40)} INFO train.py: world_size={n} backend=nccl")
            f.say(f"{f.stamp(f.setup - 2)} INFO train.py: start training, max_steps={planned}")

    def loss(self) -> float:
        """A loss that falls with noise."""
        value = self.floor + (self.first_loss - self.floor) * math.exp(-self.step / self.tau)
        return value * self.f.rng.uniform(0.985, 1.015)

    def run(self, until: float, seconds: Callable[[float], float], note: str = "") -> None:
        """Train until second `until`, a step taking seconds(t)."""
        while True:
            took = seconds(self.t) * self.f.rng.uniform(0.97, 1.03)
            if self.t + took > until or self.step >= self.planned:
                return
            self.t += took
            self.step += 1
            if self.step % self.every == 0:
                self.line(took, note)

    def line(self, took: float, note: str = "") -> None:
        """One line of progress."""
        f, loss = self.f, self.loss()
        lr = 3e-4 * min(1, self.step / 200)
        norm = f.rng.uniform(0.3, 0.9)
        if self.shape == "megatron":
            f.say(
                f" [{f.stamp(self.t)}] iteration {self.step:8d}/{self.planned:8d} | consumed samples: {self.step * 512:12d} | "
                f"elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: {lr:.6E} | global batch size:   512 | "
                f"lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations:   0 | "
                f"number of nan iterations:   0 |"
            )
        elif self.shape == "hf":
            f.say(
                str(
                    {
                        "loss": round(loss, 4),
                        "grad_norm": round(norm, 6),
                        "learning_rate": lr,
                        "epoch": round(self.step / self.planned, 4),
                    }
                )
            )
        else:
            f.say(
                f"{f.stamp(self.t)} INFO train.py: step {self.step}/{self.planned} loss={loss:.4f} lr={lr:.2e} gnorm={norm:.2f} step_time={took:.2f}s{note}"
            )


def const(seconds: float) -> Callable[[float], float]:
    """A step that always takes as long."""
    return lambda t: seconds


def main() -> None:
    """Write the cases that were asked for, or all."""
    from hard import HARD
    from incidents import CASES
    from more import MORE

    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    for name, make in (CASES | MORE | HARD).items():
        if not wanted or name in wanted:
            make(out)


if __name__ == "__main__":
    main()
