"""A small plant of GPUs: what exporters, the scheduler, the kernel and the ranks would leave behind. SIMULATED.

Nothing here models an engine that reads it: a state says what a GPU does, and the rest follows from the state.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import random
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

State = Mapping[str, float]
Play = Callable[[int, int, float], State | None]  # node, GPU, seconds since the job began; None: not to be read

IDLE: State = {
    "util": 0,
    "gr": 0,
    "sm": 0,
    "tensor": 0,
    "dram": 0,
    "heat": 0.06,
    "clock": 0.18,
    "fb": 0.0,
    "why": 1,
    "link": 0,
}
LOAD: State = {
    "util": 3,
    "gr": 0.02,
    "sm": 0.01,
    "tensor": 0,
    "dram": 0.01,
    "heat": 0.17,
    "clock": 1,
    "fb": 0.3,
    "why": 0,
    "link": 0,
}
WORK: State = {
    "util": 98,
    "gr": 0.95,
    "sm": 0.66,
    "tensor": 0.4,
    "dram": 0.37,
    "heat": 0.84,
    "clock": 1,
    "fb": 0.82,
    "why": 0,
    "link": 1,
}
SPIN: State = {
    "util": 100,
    "gr": 1.0,
    "sm": 0.03,
    "tensor": 0,
    "dram": 0.005,
    "heat": 0.24,
    "clock": 1,
    "fb": 0.82,
    "why": 0,
    "link": 0,
}
COLD: State = {
    "util": 0,
    "gr": 0,
    "sm": 0,
    "tensor": 0,
    "dram": 0,
    "heat": 0.16,
    "clock": 1,
    "fb": 0.82,
    "why": 0,
    "link": 0,
}

MODELS = {
    "A100": ("NVIDIA A100-SXM4-80GB", 400, 1410, 1593, 81920),
    "H100": ("NVIDIA H100 80GB HBM3", 700, 1980, 2619, 81559),
    "H200": ("NVIDIA H200", 700, 1980, 3201, 143771),
}


def mix(a: State, b: State, part: float) -> State:
    """`part` of b in a."""
    return {key: a[key] * (1 - part) + b[key] * part for key in a}


@dataclass
class Plant:
    """One job on some nodes."""

    rng: random.Random
    job: int
    name: str
    nodes: list[str]
    gpus: int
    begin: str  # UTC
    seconds: float
    model: str = "H100"
    cadence: int = 15
    prof: bool = True
    ecc: bool = True
    reasons: str = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"
    start: float = field(init=False)

    def __post_init__(self) -> None:
        self.start = dt.datetime.fromisoformat(self.begin).replace(tzinfo=dt.UTC).timestamp()

    def at(self, t: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
        """Seconds of the job as a time of day, UTC."""
        return dt.datetime.fromtimestamp(self.start + t, dt.UTC).strftime(form)

    def uuid(self, node: int, gpu: int) -> str:
        """Always the same for the same place."""
        return "GPU-" + str(uuid.UUID(int=random.Random(f"{self.nodes[node]} {gpu}").getrandbits(128)))

    def bus(self, gpu: int) -> str:
        """Where the GPU sits."""
        return f"0000:{(0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)[gpu]:02x}:00"

    # ---- metrics ----

    def series(
        self,
        play: Play,
        counters: Mapping[str, Callable[[int, int, float], float]] | None = None,
        before: float = 180,
        after: float = 240,
    ) -> list[dict[str, object]]:
        """What `query_range` returns of every GPU."""
        rng = self.rng
        model, watts, clock, mem_clock, memory = MODELS[self.model]
        out: list[dict[str, object]] = []
        first = self.start - before
        ticks = [first + k * self.cadence for k in range(int((before + self.seconds + after) / self.cadence) + 1)]
        for n, node in enumerate(self.nodes):
            phase = rng.random() * self.cadence
            for g in range(self.gpus):
                values: dict[str, list[list[object]]] = {}
                warm, energy, cool = 33.0 + rng.gauss(0, 1.5), rng.uniform(1e11, 9e11), rng.uniform(0.9, 1.1)
                for tick in ticks:
                    now = round(tick + phase, 3)
                    t = now - self.start
                    state = play(n, g, t) if 0 <= t < self.seconds else IDLE
                    if state is None:
                        continue
                    power = max(60.0, watts * state["heat"] * rng.gauss(1, 0.025))
                    warm += (state.get("temp", 29 + 0.05 * power * cool) - warm) * (1 - math.exp(-self.cadence / 45))
                    energy += power * self.cadence * 1000
                    noisy = 0.0 if state["gr"] == 0 else rng.gauss(1, 0.02)
                    hz = clock * state["clock"]
                    row: dict[str, float | int] = {
                        "DCGM_FI_DEV_GPU_UTIL": round(min(100, max(0, state["util"] * (noisy or 1)))),
                        "DCGM_FI_DEV_MEM_COPY_UTIL": round(min(100, state["dram"] * 100 * noisy)),
                        "DCGM_FI_DEV_SM_CLOCK": round(hz / 15) * 15
                        if state["clock"] > 0.95
                        else round(hz * rng.gauss(1, 0.03) / 15) * 15,
                        "DCGM_FI_DEV_MEM_CLOCK": mem_clock,
                        "DCGM_FI_DEV_GPU_TEMP": round(warm + rng.gauss(0, 0.4)),
                        "DCGM_FI_DEV_MEMORY_TEMP": round(warm + 9 + rng.gauss(0, 0.5)),
                        "DCGM_FI_DEV_POWER_USAGE": round(power, 3),
                        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": round(energy),
                        "DCGM_FI_DEV_FB_USED": round(memory * state["fb"]) + (4 if state["fb"] == 0 else 0),
                        "DCGM_FI_DEV_FB_FREE": memory - 600 - round(memory * state["fb"]),
                        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
                        "DCGM_FI_DEV_XID_ERRORS": 0,
                        self.reasons: int(state["why"]),
                    }
                    if self.ecc:
                        row |= {
                            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
                            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
                            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 0,
                            "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0,
                        }
                    if self.prof:
                        row |= {
                            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(min(1.0, state["gr"] * noisy), 6),
                            "DCGM_FI_PROF_SM_ACTIVE": round(min(1.0, state["sm"] * noisy * rng.gauss(1, 0.03)), 6),
                            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(min(1.0, state["tensor"] * noisy), 6),
                            "DCGM_FI_PROF_DRAM_ACTIVE": round(min(1.0, state["dram"] * noisy), 6),
                            "DCGM_FI_PROF_NVLINK_TX_BYTES": round(state["link"] * 4.1e10 * noisy),
                            "DCGM_FI_PROF_PCIE_TX_BYTES": round((0.02 + state["link"]) * 1.9e9 * (noisy or 1)),
                        }
                    for name, counter in (counters or {}).items():
                        row[name] = counter(n, g, t)
                    for name, value in row.items():
                        values.setdefault(name, []).append([now, str(value)])
                for name, points in values.items():
                    labels = {
                        "__name__": name,
                        "DCGM_FI_DRIVER_VERSION": "550.127.08",
                        "Hostname": node,
                        "UUID": self.uuid(n, g),
                        "device": f"nvidia{g}",
                        "gpu": str(g),
                        "instance": f"{node}:9400",
                        "job": "dcgm",
                        "modelName": model,
                        "pci_bus_id": f"0000{self.bus(g)}.0",
                    }
                    out.append({"metric": labels, "values": points})
        return out

    def host(self, name: str, value: Callable[[int, float], float]) -> list[dict[str, object]]:
        """A metric of node_exporter."""
        ticks = range(-120, int(self.seconds) + 120, self.cadence)
        return [
            {
                "metric": {"__name__": name, "instance": f"{node}:9100", "job": "node"},
                "values": [[self.start + t, str(round(value(n, t), 3))] for t in ticks],
            }
            for n, node in enumerate(self.nodes)
        ]

    # ---- scheduler ----

    def sacct(self, rows: Iterable[Sequence[object]], partition: str = "train", limit: str = "04:00:00") -> str:
        """(suffix, name, state, exit, from, to[, nodes[, job]]) in the form `sacct -P`."""
        head = "JobID|JobName|User|Partition|NNodes|NodeList|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|ReqTRES"
        out = [head]
        for suffix, name, state, code, since, until, *more in rows:
            a, b = float(str(since)), float(str(until))
            nodes = more[0] if more else self.node_list()
            took = int(b) - int(a)
            whole = not suffix
            out.append(
                f"{self.job}{suffix}|{name}|{'mira' if whole else ''}|{partition if whole else ''}|{len(self.nodes)}|{nodes}|{state}|{code}|{self.at(-95)}|{self.at(a)}|{self.at(b)}|{took // 3600:02d}:{took // 60 % 60:02d}:{took % 60:02d}|{limit if whole else ''}|"
                + (
                    f"billing={len(self.nodes) * self.gpus},gres/gpu={len(self.nodes) * self.gpus},node={len(self.nodes)}"
                    if whole
                    else ""
                )
            )
        return "\n".join(out) + "\n"

    def node_list(self) -> str:
        """As Slurm folds it, where the names count up."""
        return ",".join(self.nodes)

    def ended(self, state: str, code: str, batch: str, step: str, step_code: str, limit: str = "04:00:00") -> str:
        """The usual three or four rows of a job that ran once."""
        end = self.seconds
        return self.sacct(
            [
                ("", self.name, state, code, 0, end),
                (
                    ".batch",
                    "batch",
                    batch,
                    code if batch == "FAILED" else "0:15" if "CANC" in batch else "0:0",
                    0,
                    end,
                    self.nodes[0],
                ),
                (".extern", "extern", "COMPLETED", "0:0", 0, end),
                (".0", "python", step, step_code, 3, end - 1),
            ],
            limit=limit,
        )

    # ---- kernel ----

    def dmesg(self, node: int, lines: Sequence[tuple[float, str]] = ()) -> str:
        """`dmesg -T` of one node, with what always stands there."""
        boot = self.start - 86400 * 9
        usual = [
            (boot, "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0) 11.4.0)"),
            (boot + 21, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08  Tue Oct  8 10:21:07 UTC 2024"),
            (boot + 34, "mlx5_core 0000:5e:00.0: Port module event: module 0, Cable plugged"),
            (boot + 61, "nvidia-uvm: Loaded the UVM driver, major device number 510."),
            (
                self.start - 40000 + node * 77,
                "systemd-journald[1203]: File /var/log/journal/system.journal corrupted or uncleanly shut down, renaming and replacing.",
            ),
            (self.start - 3100, 'audit: type=1400 audit(1.0:99): apparmor="STATUS" operation="profile_load"'),
        ]
        every = sorted([*usual, *((self.start + t, text) for t, text in lines)])
        return "".join(
            f"[{dt.datetime.fromtimestamp(s, dt.UTC).strftime('%a %b %e %H:%M:%S %Y')}] {text}\n" for s, text in every
        )

    # ---- the loop ----

    def steps(
        self, times: Sequence[tuple[float, float]], until: float, first: float = 60, at_step: int = 0
    ) -> list[tuple[int, float, float]]:
        """(step, end of it, its seconds); `times` are (from this second of the job, a step takes so long)."""
        out: list[tuple[int, float, float]] = []
        t, step = first, at_step
        while True:
            pace = [p for since, p in times if since <= t][-1] * max(0.5, self.rng.gauss(1, 0.012))
            t += pace
            if t > until:
                return out
            step += 1
            out.append((step, t, pace))

    def loss(self, step: int, start: float = 10.7, floor: float = 2.2, knee: float = 150.0) -> float:
        """A loss that falls."""
        mean: float = floor + (start - floor) * (1 + step / knee) ** -0.7
        return mean * self.rng.gauss(1, 0.008)


def dump(place: Path, series: Sequence[Mapping[str, object]], how: str = "one") -> None:
    """`curl .../query_range` kept in one file, one a metric, or one a node."""

    def answer(part: Sequence[Mapping[str, object]]) -> str:
        return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": part}})

    if how == "one":
        (place / "dcgm.json").write_text(answer(series))
        return
    parts: dict[str, list[Mapping[str, object]]] = {}
    for one in series:
        labels = one["metric"]
        assert isinstance(labels, dict)
        parts.setdefault(labels["__name__" if how == "metric" else "Hostname"], []).append(one)
    for name, part in parts.items():
        (place / f"{name}.json").write_text(answer(part))
