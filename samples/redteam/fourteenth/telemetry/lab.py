"""SIMULATED GPU clusters for the incidents of the fourteenth set: a small physics of cards, clocks and jobs.

A case says what each card does at each moment (an `Act`); the cards turn that into power, heat, clocks and counters, and the
laboratory writes what a site would have at hand: answers of query_range, text of sacct and sinfo, ``dmesg -T``, logs of ranks.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

    from samples.redteam.fourteenth.lot_data import Incident

IDLE, POWER_CAP, HW_SLOW, SW_HEAT, HW_HEAT, BRAKE = 0x1, 0x4, 0x8, 0x20, 0x40, 0x80
"""Bits of the reasons why clocks are down, as DCGM counts them."""


class Card(NamedTuple):
    """What a kind of GPU can do."""

    idle_w: float
    limit_w: float
    clock: int
    rest_clock: int
    memory_mib: int
    links_gb: float


CARDS: Final = {
    "A100-SXM4-40GB": Card(49, 400, 1410, 210, 40370, 250),
    "A100-SXM4-80GB": Card(61, 400, 1410, 210, 81050, 250),
    "H100-SXM5-80GB": Card(71, 700, 1980, 345, 81079, 380),
    "H200": Card(77, 700, 1980, 345, 143167, 390),
    "L40S": Card(34, 350, 2520, 210, 45589, 0),
    "V100-SXM2-32GB": Card(42, 300, 1530, 135, 32494, 120),
}


@dataclass(frozen=True)
class Act:
    """What a card does for a while: fractions of its engine, SMs, tensor cores, memory; and what befalls it."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    link: float = 0.0
    pcie_gb: float = 0.02
    memory: float = 0.0
    """Of the card's memory, in use; 0: nobody is on it."""
    clock: float = 1.0
    reasons: int = 0
    heat: float = 0.0
    """Degrees above what its power would explain."""
    shake: float = 0.02
    """Relative noise."""
    lost: bool = False
    """It no longer answers: no samples."""


NOBODY: Final = Act()


def train(sm: float = 0.7, memory: float = 0.8, link: float = 0.3) -> Act:
    """A card at work."""
    return Act(min(1.0, 0.93 + sm / 12), sm, sm * 0.55, sm * 0.6, link, 0.8, memory)


def spin(memory: float = 0.8) -> Act:
    """A card whose kernel waits for others in a collective."""
    return Act(1.0, 0.02, 0.0, 0.004, 0.0, 0.02, memory, shake=0.005)


def held(memory: float = 0.8) -> Act:
    """A card with a process on it that launches nothing."""
    return Act(memory=memory)


Script = "Callable[[float], Act]"


@dataclass
class Gpu:
    """One card: where it is, how good it is, what it is told to do."""

    node: str
    index: int
    uuid: str
    bus: str
    script: Callable[[float], Act]
    ambient: float
    resistance: float
    drive: float
    """How much better or worse than its kind."""
    xids: list[tuple[float, int]] = field(default_factory=list)
    counters: dict[str, Callable[[float], float]] = field(default_factory=dict)


FEW: Final = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP")
USUAL: Final = (
    *FEW,
    *("DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_XID_ERRORS"),
    *("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE"),
    *("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PCIE_RX_BYTES", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"),
    *("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"),
    *(
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    ),
)
LINKED: Final = ("DCGM_FI_PROF_NVLINK_TX_BYTES", "DCGM_FI_PROF_NVLINK_RX_BYTES")
VIOLATIONS: Final = ("DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION")


class Lab:
    """A cluster with one incident on it."""

    def __init__(
        self, place: Path, rng: Random, lot: Incident, start: str, *, names: Sequence[str], zone: int = 0, job: int = 0
    ) -> None:
        """Set up the nodes.

        Args:
            place: Folder of the case.
            rng: The case's randomness.
            lot: What was drawn for it.
            start: When the job began, cluster time.
            names: Its nodes.
            zone: Minutes east of UTC of everything that is printed.
            job: Number of the job.
        """
        self.place, self.rng, self.lot, self.names = place, rng, lot, list(names)
        assert len(self.names) == lot.nodes, lot
        self.name = rng.choice(("train", "lm-pre", "sft-7b", "vit-l", "run.sh"))
        self.zone = timezone(timedelta(minutes=zone))
        self.start = datetime.fromisoformat(start).replace(tzinfo=self.zone).timestamp()
        self.end = self.start + lot.minutes * 60
        self.job = job or rng.randint(30_000, 9_000_000)
        self.card = CARDS[lot.model]
        self.step = 60 if lot.missing == "coarse_60s" else rng.choice((10, 15, 15, 30))
        if lot.nodes * lot.gpus > 16:
            self.step = max(self.step, 30)
        self.gpus = [self._gpu(node, index) for node in names for index in range(lot.gpus)]
        self.dark: set[str] = set()
        self.skew: dict[str, float] = {}

    def _gpu(self, node: str, index: int) -> Gpu:
        rng = self.rng
        text = f"{rng.getrandbits(128):032x}"
        uuid = f"GPU-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
        bus = f"00000000:{(0x07 + 0x1A * index) % 256:02X}:00.0"
        warm = rng.uniform(24, 31) + 2 * (index % 2)
        return Gpu(node, index, uuid, bus, lambda _: NOBODY, warm, 36 / self.card.limit_w, rng.gauss(1, 0.015))

    def at(self, node: int, index: int) -> Gpu:
        """The card of this index on the node of this number."""
        return self.gpus[node * self.lot.gpus + index]

    def all_do(self, script: Callable[[float], Act]) -> None:
        """Tell every card the same; seconds count from the start of the job."""
        for gpu in self.gpus:
            gpu.script = script

    def when(self, seconds: float) -> datetime:
        """The moment so many seconds after the start, in the cluster's zone."""
        return datetime.fromtimestamp(self.start + seconds, UTC).astimezone(self.zone)

    def stamp(self, seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """That moment, printed."""
        return self.when(seconds).strftime(form)

    # What it writes.

    def prometheus(
        self, before: float = 300, after: float = 300, *, fields: Iterable[str] = (), job_label: str = "dcgm-exporter"
    ) -> None:
        """Write the answers of query_range, of all metrics in one file or of one metric each."""
        names = tuple(fields) or (FEW if self.lot.missing == "few_fields" else self._fields())
        series: dict[str, list[dict[str, object]]] = {name: [] for name in names}
        for gpu in self.gpus:
            if gpu.node in self.dark:
                continue
            measured = self._measure(gpu, -before, self.end - self.start + after)
            for name in names:
                values = [[t, row[name]] for t, row in measured if name in row]
                if values:
                    series[name].append({"metric": self._labels(gpu, name, job_label), "values": values})
        one = self.rng.random() < 0.4
        folder = self.place if one else self.place / "prom"
        folder.mkdir(parents=True, exist_ok=True)
        files = (
            {"prometheus.json": [row for rows in series.values() for row in rows]}
            if one
            else {f"{name.removeprefix('DCGM_FI_').lower()}.json": rows for name, rows in series.items()}
        )
        for name, rows in files.items():
            answer = {"status": "success", "data": {"resultType": "matrix", "result": rows}}
            (folder / name).write_text(json.dumps(answer, separators=(",", ":")))

    def _fields(self) -> tuple[str, ...]:
        links = LINKED if self.card.links_gb and self.lot.gpus > 1 else ()
        return (*USUAL, *links, *(VIOLATIONS if self.rng.random() < 0.5 else ()))

    def _labels(self, gpu: Gpu, name: str, job_label: str) -> dict[str, str]:
        return {
            "__name__": name,
            "Hostname": gpu.node,
            "UUID": gpu.uuid,
            "device": f"nvidia{gpu.index}",
            "gpu": str(gpu.index),
            "instance": f"{gpu.node}:9400",
            "job": job_label,
            "pci_bus_id": gpu.bus,
            "modelName": f"NVIDIA {self.lot.model}",
        }

    def _measure(self, gpu: Gpu, first: float, last: float) -> list[tuple[int, dict[str, str]]]:
        """Let the card live through the time and read it at each scrape."""
        rng, card, step = self.rng, self.card, self.step
        offset = rng.uniform(0, 1) * 0.3 * step
        heat = gpu.ambient + gpu.resistance * card.idle_w
        power = card.idle_w
        violations = [rng.uniform(0, 4e11), rng.uniform(0, 9e9)]
        out = []
        time = first + offset
        while time <= last:
            act = gpu.script(time)
            load = self._shaken(act)
            busy = act.engine > 0.01
            speed = act.clock if busy else 1.0
            goal = 0.15 * load.engine + 0.68 * load.sm * speed**2 + 0.24 * load.dram
            power += (card.idle_w + (card.limit_w - card.idle_w) * goal * gpu.drive - power) * 0.85
            capped = power > card.limit_w * 0.985
            power = min(power, card.limit_w * rng.uniform(0.985, 1.004)) if capped else power
            goal_heat = gpu.ambient + gpu.resistance * power + act.heat
            heat += (goal_heat - heat) * (1 - math.exp(-step / 70))
            reasons = act.reasons | (POWER_CAP if capped else 0) | (0 if busy else IDLE)
            clock = card.clock if act.memory else card.rest_clock
            if busy:
                clock = 15 * round(card.clock * act.clock * (rng.uniform(0.9, 0.97) if capped else 1) / 15)
            violations[0] += step * 1e9 * (0.08 if capped else 0.6 if act.reasons & BRAKE else 0)
            violations[1] += step * 1e9 * (0.55 if act.reasons & (SW_HEAT | HW_HEAT) else 0)
            if not act.lost:
                used = round(card.memory_mib * act.memory) if act.memory else rng.choice((0, 0, 4))
                out.append(
                    (
                        round(self.start + time, 3).__floor__(),
                        self._reading(gpu, time, load, power, heat, clock, used, reasons, violations),
                    )
                )
            time += step
        return out

    def _shaken(self, act: Act) -> Act:
        def shake(value: float) -> float:
            return min(1.0, max(0.0, value * self.rng.gauss(1, act.shake)))

        return replace(
            act,
            engine=shake(act.engine),
            sm=shake(act.sm),
            tensor=shake(act.tensor),
            dram=shake(act.dram),
            link=shake(act.link),
        )

    def _reading(
        self,
        gpu: Gpu,
        time: float,
        act: Act,
        power: float,
        heat: float,
        clock: int,
        used: int,
        reasons: int,
        violations: list[float],
    ) -> dict[str, str]:
        rng, card = self.rng, self.card
        seen = [code for moment, code in gpu.xids if moment <= time]
        link = act.link * card.links_gb * 1e9
        row = {
            "DCGM_FI_DEV_GPU_UTIL": str(round(100 * act.engine)),
            "DCGM_FI_DEV_MEM_COPY_UTIL": str(round(85 * act.dram)),
            "DCGM_FI_DEV_FB_USED": str(used),
            "DCGM_FI_DEV_FB_FREE": str(card.memory_mib - used),
            "DCGM_FI_DEV_POWER_USAGE": f"{power * rng.gauss(1, 0.006):.3f}",
            "DCGM_FI_DEV_GPU_TEMP": str(round(heat + rng.gauss(0, 0.3))),
            "DCGM_FI_DEV_SM_CLOCK": str(clock),
            "DCGM_FI_DEV_XID_ERRORS": str(seen[-1] if seen else 0),
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": f"{act.engine:.6f}",
            "DCGM_FI_PROF_SM_ACTIVE": f"{act.sm:.6f}",
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": f"{act.tensor:.6f}",
            "DCGM_FI_PROF_DRAM_ACTIVE": f"{act.dram:.6f}",
            "DCGM_FI_PROF_PCIE_RX_BYTES": str(round(1e9 * act.pcie_gb * rng.uniform(0.8, 1.2))),
            "DCGM_FI_PROF_NVLINK_TX_BYTES": str(round(link * rng.uniform(0.97, 1.03))),
            "DCGM_FI_PROF_NVLINK_RX_BYTES": str(round(link * rng.uniform(0.97, 1.03))),
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": str(reasons),
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": "0",
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "0",
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": "0",
            "DCGM_FI_DEV_ROW_REMAP_FAILURE": "0",
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": "0",
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "0",
            "DCGM_FI_DEV_POWER_VIOLATION": str(round(violations[0])),
            "DCGM_FI_DEV_THERMAL_VIOLATION": str(round(violations[1])),
        }
        row.update({name: str(round(count(time))) for name, count in gpu.counters.items()})
        return row

    def text(self, name: str, lines: Iterable[str]) -> None:
        """Write a file of lines."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def dmesg(self, node: int, lines: Iterable[tuple[float, str]]) -> None:
        """Write a node's ``dmesg -T``: what it always says, and what befell it. Absent where the lot says so."""
        if self.lot.missing == "no_dmesg":
            return
        name, rng = self.names[node], self.rng
        skew = self.skew.get(name, 0)
        noise = [
            (-rng.uniform(8e4, 9e5), "systemd[1]: Started Slurm node daemon."),
            (
                -rng.uniform(4e4, 7e4),
                "perf: interrupt took too long (2507 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
            ),
            (-rng.uniform(3600, 3e4), "nfs: server stor01 not responding, still trying"),
        ]
        noise.append((noise[-1][0] + rng.uniform(3, 40), "nfs: server stor01 OK"))
        told = list(lines)
        if any(line.startswith("Linux version") for _, line in told):
            noise = []  # what was before the boot is gone
        rows = sorted([*noise, *told], key=lambda row: row[0])
        self.text(
            f"dmesg/{name}.txt" if self.lot.nodes > 1 else f"dmesg-{name}.txt",
            [f"[{self.stamp(t + skew, '%a %b %e %H:%M:%S %Y')}] {line}" for t, line in rows],
        )

    def sacct(self, rows: Sequence[Sequence[str]], columns: str, *, fixed: bool = False) -> None:
        """Write accounting; absent where the lot says so."""
        if self.lot.missing == "no_sacct":
            return
        table = [columns.split(), *rows]
        if not fixed:
            self.text("sacct.txt", ["|".join(row) for row in table])
            return
        widths = [max(len(row[k]) for row in table) + 1 for k in range(len(table[0]))]
        table.insert(1, ["-" * width for width in widths])
        self.text("sacct.txt", [" ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in table])

    def accounting(
        self,
        state: str,
        code: str,
        end: float | None,
        *,
        step: tuple[str, str] | None = None,
        limit: str = "1-00:00:00",
    ) -> list[list[str]]:
        """Rows of one run: the job, its batch, extern and first step, for the columns of `COLUMNS`."""
        first, last = (
            self.stamp(0, "%Y-%m-%dT%H:%M:%S"),
            "Unknown" if end is None else self.stamp(end, "%Y-%m-%dT%H:%M:%S"),
        )
        took = self.end - self.start if end is None else end
        span = f"{int(took) // 3600:02}:{int(took) // 60 % 60:02}:{int(took) % 60:02}"
        nodes, count = node_list(self.names), str(len(self.names))
        batch = {"TIMEOUT": "CANCELLED", "NODE_FAIL": "CANCELLED", "PREEMPTED": "CANCELLED"}.get(
            state.split()[0], state
        )
        inner = step or (batch, "0:15" if batch == "CANCELLED" else code)
        cards = len(self.names) * self.lot.gpus
        tres = f"billing={16 * cards},cpu={16 * cards},gres/gpu={cards},mem={120 * cards}G,node={count}"
        rows = [[str(self.job), self.name, "gpu", state, code, first, last, span, limit, count, nodes, tres]]
        for part, what, exit_code in (
            *((".batch", batch, inner[1] if batch == "CANCELLED" else code), (".extern", "COMPLETED", "0:0")),
            (".0", *inner),
        ):
            name = {".0": "python"}.get(part, part[1:])
            where = (self.names[0], "1") if part == ".batch" else (nodes, count)
            rows.append(
                [f"{self.job}{part}", name, "", what, exit_code, first, last, span, "", where[1], where[0], tres]
            )
        return rows


COLUMNS: Final = "JobID JobName Partition State ExitCode Start End Elapsed Timelimit NNodes NodeList AllocTRES"


def node_list(names: Sequence[str]) -> str:
    """Names as Slurm folds them."""
    if len(names) == 1:
        return names[0]
    stem = names[0].rstrip("0123456789")
    numbers = [name.removeprefix(stem) for name in names]
    runs: list[list[str]] = []
    for number in numbers:
        if runs and int(number) == int(runs[-1][-1]) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return f"{stem}[{','.join(run[0] if len(run) == 1 else f'{run[0]}-{run[-1]}' for run in runs)}]"


def steps(
    start: float, end: float, seconds: float, rng: Random, first: int = 1, shake: float = 0.02
) -> list[tuple[int, float]]:
    """Numbers and times of the steps of a loop that runs from start to end."""
    out: list[tuple[int, float]] = []
    now, number = start, first
    while True:
        now += seconds * max(0.3, rng.gauss(1, shake))
        if now > end:
            return out
        out.append((number, now))
        number += 1


def loss_at(
    step: int, rng: Random, *, top: float = 10.9, floor: float = 2.2, pace: float = 60, shake: float = 0.012
) -> float:
    """A language model's loss."""
    return (floor + (top - floor) / math.pow(1 + step / pace, 0.55)) * rng.gauss(1, shake)
