"""SIMULATED clusters: GPUs that go through states of work, and the stores that tell of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from random import Random


class Model(NamedTuple):
    """A GPU as its data sheet and a quiet evening with nvidia-smi describe it."""

    name: str
    clock: int
    rest_clock: int
    memory: int
    rest_power: float
    full_power: float


MODELS: Final = {
    "H100": Model("NVIDIA H100 80GB HBM3", 1980, 345, 81559, 71, 700),
    "H200": Model("NVIDIA H200", 1980, 345, 143771, 76, 700),
    "A100": Model("NVIDIA A100-SXM4-80GB", 1410, 210, 81920, 58, 400),
    "A40": Model("NVIDIA A40-48Q", 1740, 210, 46068, 31, 300),
    "L40S": Model("NVIDIA L40S", 2520, 210, 46068, 34, 350),
    "V100": Model("Tesla V100-SXM2-32GB", 1530, 135, 32510, 43, 300),
}


class State(NamedTuple):
    """What a GPU shows in a state; power is a part of what lies between rest and full, memory and clock of what there is."""

    util: float
    engine: float
    sm: float
    tensor: float
    dram: float
    power: float
    memory: float
    clock: float
    wire: float


STATES: Final = {
    "off": State(0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0),
    "load": State(1, 0.01, 0.004, 0, 0.005, 0.06, 0.3, 1.0, 0),
    "cold": State(0, 0, 0, 0, 0, 0.05, 0.006, 1.0, 0),
    "train": State(97, 0.96, 0.58, 0.31, 0.36, 0.84, 0.86, 0.93, 1.0),
    "spin": State(100, 1.0, 0.09, 0, 0.004, 0.24, 0.86, 1.0, 0),
    "held": State(0, 0, 0, 0, 0, 0.06, 0.86, 1.0, 0),
    "starve": State(9, 0.07, 0.045, 0.02, 0.03, 0.13, 0.86, 0.99, 0.07),
    "wire": State(99, 0.98, 0.15, 0.045, 0.05, 0.33, 0.86, 0.98, 0.2),
    "waits": State(98, 0.98, 0.26, 0.14, 0.16, 0.46, 0.86, 0.98, 0.45),
    "host": State(54, 0.52, 0.3, 0.15, 0.18, 0.45, 0.86, 0.99, 0.45),
    "slow": State(97, 0.95, 0.57, 0.28, 0.3, 0.62, 0.86, 0.93, 0.45),
}


@dataclass
class Change:
    """Of one metric, in a span of time, for GPUs that ``who`` picks: what it was becomes what ``what`` makes of it."""

    metric: str
    begin: float
    end: float
    who: Callable[[int, int], bool]
    what: Callable[[float, float], float]


BASE: Final = (
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_XID_ERRORS",
)
PROF: Final = (
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
)
ECC: Final = (
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
)
REASONS: Final = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"
NVLINK: Final = "DCGM_FI_PROF_NVLINK_TX_BYTES"


class Lab:
    """A job's nodes for a while. Times are seconds after ``begin``; what states say is noisy at every scrape."""

    def __init__(
        self,
        place: Path,
        rng: Random,
        nodes: Sequence[str],
        per: int,
        model: str,
        begin: str,
        length: float,
        every: int = 15,
        zone: int = 0,
        saves: tuple[float, float] = (0, 0),
    ) -> None:
        self.place, self.rng, self.nodes, self.per, self.model = place, rng, list(nodes), per, MODELS[model]
        self.begin = datetime.fromisoformat(begin).replace(tzinfo=UTC)
        self.length, self.every, self.zone, self.saves = length, every, zone, saves
        self.cells = [(node, gpu) for node in range(len(nodes)) for gpu in range(per)]
        self.plan: dict[tuple[int, int], list[tuple[float, str]]] = {cell: [(0, "off")] for cell in self.cells}
        self.uuid = {cell: self._uuid() for cell in self.cells}
        self.inlet = {cell: rng.gauss(29, 2.2) for cell in self.cells}
        self.quality = {cell: rng.gauss(1, 0.02) for cell in self.cells}
        self.changes: list[Change] = []

    def _uuid(self) -> str:
        raw = "".join(self.rng.choice("0123456789abcdef") for _ in range(32))
        return f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"

    def go(
        self, when: float, state: str, nodes: Iterable[int] | None = None, gpus: Iterable[int] | None = None
    ) -> None:
        """From ``when`` on the GPUs picked are in ``state``; "gone" means that nothing tells of them."""
        for node in range(len(self.nodes)) if nodes is None else nodes:
            for gpu in range(self.per) if gpus is None else gpus:
                self.plan[node, gpu].append((when, state))

    def change(
        self,
        metric: str,
        begin: float,
        end: float,
        who: Callable[[int, int], bool],
        what: Callable[[float, float], float],
    ) -> None:
        self.changes.append(Change(metric, begin, end, who, what))

    def _sample(self, cell: tuple[int, int], when: float, heat: float) -> dict[str, float] | None:
        past = [state for since, state in sorted(self.plan[cell], key=lambda step: step[0]) if since <= when]
        state = past[-1]
        if state == "gone":
            return None
        rng, model, of = self.rng, self.model, STATES[state]
        if state == "train" and self.saves[0] and when % self.saves[0] < self.saves[1]:
            of = STATES["held"]
        busy = of.engine > 0.02
        part = of.power * self.quality[cell]
        power = model.rest_power + (model.full_power - model.rest_power) * max(
            0, part + (rng.gauss(0, 0.025) if busy else 0)
        )
        wide = of.engine * (1 + rng.gauss(0, 0.012)) if busy else of.engine
        if state == "starve":
            wide = max(0, rng.gauss(0.07, 0.05))
        scale = wide / of.engine if of.engine else 0
        clock = of.clock * model.clock if of.clock else model.rest_clock
        jitter = rng.gauss(0, 18) if state in ("train", "slow") else 0
        values = {
            "DCGM_FI_DEV_GPU_UTIL": min(100, round(of.util * (scale or 1) + (rng.gauss(0, 1.2) if busy else 0))),
            "DCGM_FI_DEV_FB_USED": round(4 + of.memory * model.memory),
            "DCGM_FI_DEV_FB_FREE": round(model.memory - 4 - of.memory * model.memory),
            "DCGM_FI_DEV_POWER_USAGE": round(power + rng.gauss(0, 0.8), 3),
            "DCGM_FI_DEV_GPU_TEMP": round(heat),
            "DCGM_FI_DEV_MEMORY_TEMP": round(heat + 9),
            "DCGM_FI_DEV_SM_CLOCK": min(model.clock, round((clock + jitter) / 15) * 15),
            "DCGM_FI_DEV_XID_ERRORS": 0,
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": round(min(1, wide), 6),
            "DCGM_FI_PROF_SM_ACTIVE": round(max(0, of.sm * scale * (1 + rng.gauss(0, 0.02))), 6),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": round(max(0, of.tensor * scale * (1 + rng.gauss(0, 0.03))), 6),
            "DCGM_FI_PROF_DRAM_ACTIVE": round(max(0, of.dram * scale * (1 + rng.gauss(0, 0.03))), 6),
            REASONS: 0 if of.clock else 1,
            NVLINK: round(of.wire * 4.1e10 * (1 + rng.gauss(0, 0.05))) if of.wire else rng.randrange(0, 900),
            "DCGM_FI_PROF_PCIE_RX_BYTES": round(max(4e5, of.wire * 2.2e9 * (1 + rng.gauss(0, 0.1)))),
        }
        values.update(dict.fromkeys(ECC, 0))
        for change in self.changes:
            if change.begin <= when < change.end and change.metric in values and change.who(*cell):
                values[change.metric] = change.what(values[change.metric], when)
        return values

    def measure(self) -> dict[tuple[int, int], list[tuple[float, dict[str, float]]]]:
        """What an exporter at every GPU had to tell at every scrape."""
        out: dict[tuple[int, int], list[tuple[float, dict[str, float]]]] = {}
        for cell in self.cells:
            heat, rows = self.inlet[cell] + 3, out.setdefault(cell, [])
            when = 0.0
            while when <= self.length:
                values = self._sample(cell, when, heat)
                if values is not None:
                    part = (values["DCGM_FI_DEV_POWER_USAGE"] - self.model.rest_power) / self.model.full_power
                    goal = self.inlet[cell] + 3 + 38 * part
                    heat += (goal - heat) * (1 - math.exp(-self.every / 45)) + self.rng.gauss(0, 0.25)
                    if self.rng.random() > 0.002:
                        rows.append((when, values))
                when += self.every
        return out

    def dcgm(
        self,
        names: Sequence[str] = (*BASE, *PROF),
        nodes: Iterable[int] | None = None,
        file: str = "dcgm.json",
        split: str = "",
        host: str = "Hostname",
        rename: Callable[[str], str] = str,
        telling: Callable[[int, str], bool] = lambda _node, _name: True,
    ) -> None:
        """Answers of query_range: in one file, or ``split`` by "metric" or "node"."""
        told = set(range(len(self.nodes)) if nodes is None else nodes)
        files: dict[str, list[dict[str, Any]]] = {}
        base = int(self.begin.timestamp())
        measured = self.measure()
        for name in names:
            for cell in self.cells:
                node, gpu = cell
                if node not in told or not telling(node, name):
                    continue
                labels = {
                    "__name__": rename(name),
                    "UUID": self.uuid[cell],
                    "device": f"nvidia{gpu}",
                    "gpu": str(gpu),
                    host: self.nodes[node],
                    "instance": f"{self.nodes[node]}:9400",
                    "job": "dcgm",
                    "modelName": self.model.name,
                }
                values = [
                    [base + when, f"{row[name]:g}" if row[name] < 1e5 else str(int(row[name]))]
                    for when, row in measured[cell]
                ]
                where = {"metric": f"{rename(name)}.json", "node": f"{self.nodes[node]}/dcgm.json"}.get(split, file)
                files.setdefault(where, []).append({"metric": labels, "values": values})
        for where, result in files.items():
            answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            self.write(where, json.dumps(answer) + "\n")

    def write(self, file: str, text: str | Iterable[str]) -> None:
        path = self.place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else "".join(f"{line}\n" for line in text), encoding="utf-8")

    def local(self, when: float) -> datetime:
        """The cluster's own time of day."""
        return self.begin.replace(tzinfo=None) + timedelta(minutes=self.zone, seconds=when)

    def comma(self, when: float) -> str:
        at = self.local(when)
        return at.strftime("%Y-%m-%d %H:%M:%S,") + f"{at.microsecond // 1000:03}"

    def iso(self, when: float) -> str:
        return self.local(when).strftime("%Y-%m-%dT%H:%M:%S")

    def glog(self, when: float) -> str:
        """As PyTorch's C++ side stamps a line."""
        at = self.local(when)
        return f"{at:%m%d %H:%M:%S}.{self.rng.randrange(10**6):06}"

    def offset(self) -> str:
        sign = "-" if self.zone < 0 else "+"
        return f"{sign}{abs(self.zone) // 60:02}{abs(self.zone) % 60:02}"

    def progress(
        self,
        begin: float,
        end: float,
        took: float,
        first: int = 0,
        every: int = 10,
        start: float = 10.9,
        floor: float = 2.1,
    ) -> Iterator[tuple[float, int, float]]:
        """When a step was told, which, and its loss; steps take ``took`` seconds, and some a little more."""
        when, step = begin, first
        while True:
            step += 1
            when += took * (1 + abs(self.rng.gauss(0, 0.015)))
            if when > end:
                return
            if step % every == 0:
                yield when, step, (floor + (start - floor) / (1 + step / 60) ** 0.6) * (1 + self.rng.gauss(0, 0.02))

    def dmesg(self, node: int, rows: Iterable[tuple[float, str]], form: str = "T", off: float = 0) -> None:
        """The node's kernel: as ``dmesg -T``, ``dmesg --time-format iso`` or ``journalctl -k -o short-iso`` print it."""
        name, out = self.nodes[node], []
        for when, text in sorted(rows):
            at = self.local(when + off)
            if form == "T":
                out.append(f"[{at:%a %b} {at.day:2d} {at:%H:%M:%S %Y}] {text}")
            elif form == "iso":
                zone = self.offset()
                out.append(f"{at:%Y-%m-%dT%H:%M:%S},{at.microsecond:06}{zone[:3]}:{zone[3:]} {text}")
            else:
                out.append(f"{at:%Y-%m-%dT%H:%M:%S}{self.offset()} {name} kernel: {text}")
        self.write(f"{name}/{'journal-k.txt' if form == 'journal' else 'dmesg.txt'}", out)

    def quiet(self, node: int, until: float) -> list[tuple[float, str]]:
        """What any kernel says on any day."""
        rng = self.rng
        pool = (
            "perf: interrupt took too long (2507 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
            "EXT4-fs (nvme0n1p2): re-mounted. Quota mode: none.",
            "systemd-journald[1123]: Time jumped backwards, rotating.",
            "nvidia-nvlink: Nvlink Core is being initialized, major device number 507",
            "TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies.",
            "workqueue: drain_vmap_area_work hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
            f"mlx5_core 0000:{17 + node:02x}:00.0: Port module event: module 0, Cable plugged",
        )
        return [(rng.uniform(0, until), text) for text in rng.sample(pool, rng.randrange(2, 5))]


def sacct(rows: Sequence[dict[str, str]]) -> str:
    """As ``sacct -P`` prints these columns."""
    head = list(rows[0])
    return "".join("|".join(line) + "\n" for line in (head, *([row[key] for key in head] for row in rows)))


def columns(rows: Sequence[dict[str, str]], widths: Sequence[int]) -> str:
    """As sacct prints columns without ``-P``: right-aligned, cut to their widths."""
    head = list(rows[0])
    out = [" ".join(f"{key[:wide]:>{wide}}" for key, wide in zip(head, widths, strict=True)) + " "]
    out.append(" ".join("-" * wide for wide in widths) + " ")
    for row in rows:
        cells = (
            value if len(value) <= wide else value[: wide - 1] + "+"
            for value, wide in zip(row.values(), widths, strict=True)
        )
        out.append(" ".join(f"{value:>{wide}}" for value, wide in zip(cells, widths, strict=True)) + " ")
    return "".join(f"{line}\n" for line in out)
