"""A small cluster's stores: DCGM by Prometheus, Slurm's accounting, kernels' rings, logs of ranks. SIMULATED."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

    State = Callable[[int, int, float], str]

STATES = {
    # engine, SM, tensor, DRAM, watts, MHz, MiB in use, NVLink GB/s
    "cold": (0.0, 0.0, 0.0, 0.0, 72, 345, 4, 0.0),
    "load": (0.02, 0.01, 0.0, 0.01, 118, 1980, 9200, 0.0),
    "work": (0.965, 0.61, 0.37, 0.41, 565, 1740, 70900, 61.0),
    "spin": (1.0, 0.03, 0.0, 0.01, 168, 1980, 70900, 0.0),
    "wait": (0.0, 0.0, 0.0, 0.0, 121, 1980, 70900, 0.0),
    "behind": (1.0, 0.16, 0.09, 0.11, 262, 1965, 70900, 17.0),
    "slow": (0.98, 0.56, 0.33, 0.37, 331, 990, 70900, 17.0),
    "hot": (0.97, 0.6, 0.36, 0.4, 302, 930, 70900, 33.0),
    "lag": (1.0, 0.33, 0.2, 0.22, 371, 1950, 70900, 33.0),
}
"""What the counters of an H100 say while it does one thing."""


@dataclass
class Lab:
    """One job on a few nodes, whose stores are asked for afterwards."""

    place: Path
    rng: Random
    nodes: Sequence[str]
    gpus: int
    seconds: float
    state: State
    begin: datetime = datetime(2026, 10, 12, 6, 41, 9, tzinfo=UTC)
    scrape: int = 15
    offset: int = 0
    job: int = 412207
    series: dict[tuple[str, int, int], list[tuple[float, float]]] = field(default_factory=dict)

    def local(self, after: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
        """A time of the run in the cluster's zone."""
        return (self.begin + timedelta(seconds=after, hours=self.offset)).strftime(form)

    def put(self, name: str, lines: Sequence[str]) -> None:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def measure(
        self,
        warm: Callable[[int, int], float] = lambda node, gpu: 27.0,
        seen: Callable[[int, int, float], bool] = lambda node, gpu, at: True,
        used: Callable[[int, int, float], float | None] = lambda node, gpu, at: None,
        constant: Callable[[str, int, int, float], float] = lambda name, node, gpu, at: 0.0,
    ) -> None:
        """Scrape all GPUs from five minutes before the job to four after it."""
        for node in range(len(self.nodes)):
            lag = self.rng.random() * self.scrape
            for gpu in range(self.gpus):
                heat, drift = warm(node, gpu) + 4.0, 0.0
                energy = 4.1e12 + self.rng.random() * 1e11
                for tick in range(int((self.seconds + 540) / self.scrape)):
                    at = tick * self.scrape + lag - 300
                    name = self.state(node, gpu, at) if 0 <= at < self.seconds else "cold"
                    engine, sm, tensor, dram, watts, clock, mib, link = STATES[name]
                    drift = 0.7 * drift + self.rng.gauss(0, 0.012)
                    live = 1 + drift if watts > 130 else 1 + drift / 8
                    power = watts * live
                    heat += (warm(node, gpu) + power * 0.067 - heat) * (1 - math.exp(-self.scrape / 45))
                    energy += power * self.scrape * 1000
                    memory = used(node, gpu, at) if 0 <= at < self.seconds else None
                    kept = int(mib + (gpu * 6 if mib > 9000 else 0) if memory is None else memory)
                    reasons = (
                        0x40
                        if name == "hot"
                        else 0x4
                        if name == "work" and self.rng.random() < 0.06
                        else 0x1
                        if name == "cold"
                        else 0
                    )
                    values = {
                        "DCGM_FI_DEV_GPU_UTIL": round(100 * engine) if engine > 0.9 else round(100 * engine * live),
                        "DCGM_FI_DEV_SM_CLOCK": max(
                            345, 15 * round(clock * (1 + (drift if 345 < clock < 1900 else 0)) / 15)
                        ),
                        "DCGM_FI_DEV_GPU_TEMP": round(heat + self.rng.gauss(0, 0.4)),
                        "DCGM_FI_DEV_MEMORY_TEMP": round(heat * 1.08 + 5),
                        "DCGM_FI_DEV_POWER_USAGE": round(power, 3),
                        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": int(energy),
                        "DCGM_FI_DEV_FB_USED": kept,
                        "DCGM_FI_DEV_FB_FREE": 81079 - kept,
                        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": reasons,
                        "DCGM_FI_DEV_XID_ERRORS": constant("xid", node, gpu, at),
                        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": constant("sbe", node, gpu, at),
                        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": constant("dbe", node, gpu, at),
                        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": constant("rows", node, gpu, at),
                        "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(min(1.0, engine * (1 if engine >= 1 else live)), 6),
                        "DCGM_FI_PROF_SM_ACTIVE": round(min(1.0, sm * live), 6),
                        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(min(1.0, tensor * live), 6),
                        "DCGM_FI_PROF_DRAM_ACTIVE": round(min(1.0, dram * live), 6),
                        "DCGM_FI_PROF_NVLINK_TX_BYTES": int(link * 1e9 * live),
                    }
                    if seen(node, gpu, at):
                        for metric, value in values.items():
                            self.series.setdefault((metric, node, gpu), []).append((self.begin.timestamp() + at, value))

    def prometheus(self, name: str = "dcgm.json", nodes: Sequence[int] | None = None) -> None:
        """The answer of query_range."""
        rows = []
        for (metric, node, gpu), values in sorted(self.series.items()):
            if nodes is None or node in nodes:
                host = self.nodes[node]
                labels = {
                    "__name__": metric,
                    "DCGM_FI_DRIVER_VERSION": "550.127.08",
                    "Hostname": host,
                    "UUID": f"GPU-{self.job:08x}-{node:04x}-4b1d-9a{gpu:02x}-0c42a17e{node:02x}{gpu:02x}",
                    "device": f"nvidia{gpu}",
                    "gpu": str(gpu),
                    "instance": f"{host}:9400",
                    "job": "dcgm-exporter",
                    "modelName": "NVIDIA H100 80GB HBM3",
                    "pci_bus_id": f"00000000:{self.bus(gpu).upper()}:00.0",
                }
                rows.append({"metric": labels, "values": [[round(at, 3), str(value)] for at, value in values]})
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps({"status": "success", "data": {"resultType": "matrix", "result": rows}}), encoding="utf-8"
        )

    def bus(self, gpu: int) -> str:
        return ["19", "3b", "4c", "5d", "9b", "bb", "cb", "db"][gpu]

    def host_list(self) -> str:
        head = self.nodes[0].rstrip("0123456789")
        return f"{head}[{','.join(node[len(head) :] for node in self.nodes)}]" if len(self.nodes) > 1 else self.nodes[0]

    def sacct(
        self, state: str, code: str, step: tuple[str, str], limit: str = "1-00:00:00", name: str = "pretrain"
    ) -> None:
        """``sacct -j JOB -D -P`` with the fields operators ask for."""
        took = str(timedelta(seconds=int(self.seconds))).rjust(8, "0")
        begin, end, cores = self.local(0), self.local(self.seconds), len(self.nodes) * 96
        batch = (
            ("CANCELLED", "0:15")
            if state.startswith(("TIMEOUT", "NODE", "PREEMPTED", "CANCELLED"))
            else (state.split()[0], code)
        )
        out = [
            "JobID|JobName|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|AllocCPUS|NodeList|MaxRSS|ReqMem"
        ]
        out.append(
            f"{self.job}|{name}|h100|{state}|{code}|{step[1]}|{self.local(-1742)}|{begin}|{end}|{took}|{limit}|{len(self.nodes)}|{cores}|{self.host_list()}||{len(self.nodes) * 900}G"
        )
        out.append(
            f"{self.job}.batch|batch||{batch[0]}|{batch[1]}||{begin}|{begin}|{end}|{took}||1|96|{self.nodes[0]}|41772K|"
        )
        out.append(
            f"{self.job}.extern|extern||COMPLETED|0:0||{begin}|{begin}|{end}|{took}||{len(self.nodes)}|{cores}|{self.host_list()}|0|"
        )
        out.append(
            f"{self.job}.0|python||{step[0]}|{step[1]}||{self.local(6)}|{self.local(6)}|{end}|{took}||{len(self.nodes)}|{cores}|{self.host_list()}|{212 + self.rng.randrange(90)}104212K|"
        )
        self.put("sacct.txt", out)

    def dmesg(self, node: int, events: Sequence[tuple[float, str]]) -> None:
        """``dmesg -T`` of one node: its day, and what happened to it."""
        daily = [
            (-86000.0, "audit: backlog limit exceeded"),
            (
                -4100.0,
                "perf: interrupt took too long (3141 > 3132), lowering kernel.perf_event_max_sample_rate to 63500",
            ),
            (-211.5, "nvidia-uvm: Loaded the UVM driver, major device number 508."),
            (11.0 + node, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08  Wed Oct  9 00:21:21 UTC 2024"),
        ]
        lines = [f"[{self.local(at, '%a %b %e %H:%M:%S %Y')}] {text}" for at, text in sorted([*daily[:3], *events])]
        self.put(f"{self.nodes[node]}/dmesg.txt", lines)

    def steps(
        self,
        until: float,
        total: int,
        each: Callable[[float], float],
        extra: Callable[[int, float], str] = lambda step, took: "",
        first: float = 74.0,
    ) -> tuple[list[str], int, float]:
        """The log of rank 0 until a moment: its lines, its last step and that step's time."""
        out = [
            f"{self.local(9, '%Y-%m-%d %H:%M:%S')} [rank0] world size {len(self.nodes) * self.gpus}, backend nccl, 7.24B parameters, bf16",
            f"{self.local(48, '%Y-%m-%d %H:%M:%S')} [rank0] data: 211 shards, 1.9T tokens; seed 42",
        ]
        at, step, memory = first, 0, 0.0
        while step < total:
            took = each(at) * (1 + self.rng.gauss(0, 0.012))
            if at + took > until:
                break
            at, step = at + took, step + 1
            memory = 0.7 * memory + self.rng.gauss(0, 0.012)
            if step % 10 == 0 or step == 1:
                loss = (1.84 + 9.1 * (1 + step / 35) ** -0.8) * (1 + memory)
                out.append(
                    f"{self.local(at, '%Y-%m-%d %H:%M:%S')} [rank0] step {step}/{total} loss {loss:.4f} grad_norm {0.7 * math.exp(self.rng.gauss(0, 0.15)):.3f} lr {3e-4 * min(1, step / 200):.3e} step_time {took:.3f}s{extra(step, took)}"
                )
        return out, step, at
