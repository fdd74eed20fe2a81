"""A cluster of our own: what Prometheus, Slurm and the kernel say of a job."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from random import Random

Reading = dict[str, float]
"""What the exporter says of one GPU at one instant, by the name of the metric less ``DCGM_FI_``."""

BUSES = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
"""Where the GPUs of a node sit on the PCI bus."""


def clock(seconds: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """A time as text, in UTC, which is this cluster's zone."""
    return datetime.fromtimestamp(seconds, UTC).strftime(form)


def span(seconds: float) -> str:
    """A duration as Slurm prints it."""
    days, rest = divmod(int(seconds), 86400)
    return (f"{days}-" if days else "") + f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"


@dataclass
class Job:
    """A job, and the folder where what is left of it is written; ``scars`` are what a GPU counts from a time on."""

    out: Path
    rng: Random
    number: int
    nodes: tuple[str, ...]
    per_node: int
    begin: int
    seconds: int
    name: str = "train"
    user: str = "mkowalski"
    limit: int = 86400
    every: int = 30
    memory: float = 71000.0
    card: tuple[str, float, float] = ("NVIDIA H100 80GB HBM3", 81559.0, 1980.0)
    scars: dict[tuple[str, int], tuple[float, Reading]] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """When it was over."""
        return self.begin + self.seconds

    def uuid(self, node: str, gpu: int) -> str:
        """The card in this slot."""
        digits = f"{abs(hash_of(f'{node}/{gpu}/{self.number}')):032x}"
        return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"

    def idle(self) -> Reading:
        """A GPU that nobody uses."""
        return {
            "DEV_GPU_UTIL": 0,
            "PROF_GR_ENGINE_ACTIVE": 0,
            "PROF_SM_ACTIVE": 0,
            "PROF_PIPE_TENSOR_ACTIVE": 0,
            "PROF_DRAM_ACTIVE": 0,
            "DEV_POWER_USAGE": self.rng.gauss(74, 2),
            "DEV_GPU_TEMP": round(self.rng.gauss(32, 1)),
            "DEV_SM_CLOCK": 345,
            "DEV_FB_USED": 4,
            "DEV_CLOCK_THROTTLE_REASONS": 1,
            "DEV_XID_ERRORS": 0,
            "DEV_ECC_DBE_VOL_TOTAL": 0,
            "DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
            "DEV_CORRECTABLE_REMAPPED_ROWS": 0,
            "DEV_ROW_REMAP_FAILURE": 0,
            "DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": 0,
        }

    def busy(self, sm: float = 0.62, engine: float = 0.98, spread: float = 0.03) -> Reading:
        """A GPU at work: ``sm`` of its multiprocessors, ``engine`` of the time."""
        active = min(0.99, max(0.0, self.rng.gauss(sm, spread)))
        share = min(1.0, max(0.0, self.rng.gauss(engine, 0.01)))
        return self.idle() | {
            "DEV_GPU_UTIL": round(100 * share),
            "PROF_GR_ENGINE_ACTIVE": share,
            "PROF_SM_ACTIVE": active,
            "PROF_PIPE_TENSOR_ACTIVE": active * 0.55,
            "PROF_DRAM_ACTIVE": active * 0.6,
            "DEV_POWER_USAGE": 120 + 830 * active + self.rng.gauss(0, 9),
            "DEV_GPU_TEMP": round(36 + 44 * active + self.rng.gauss(0, 1.5)),
            "DEV_SM_CLOCK": self.card[2] - 15 * self.rng.randrange(6),
            "DEV_FB_USED": self.memory,
            "DEV_CLOCK_THROTTLE_REASONS": 0,
        }

    def spinning(self) -> Reading:
        """A GPU whose only kernel waits for a peer."""
        return self.busy(0.05, 1.0, 0.003) | {"PROF_PIPE_TENSOR_ACTIVE": 0, "PROF_DRAM_ACTIVE": 0.004}

    def loading(self) -> Reading:
        """A GPU with the model on it and nothing to do."""
        return self.idle() | {"DEV_FB_USED": self.memory, "DEV_SM_CLOCK": self.card[2], "DEV_POWER_USAGE": 118}

    def gauges(self, at: Callable[[str, int, float], Reading | None], name: str = "dcgm.json") -> None:
        """Prometheus' answer to a query_range of all metrics; None where the exporter was not heard."""
        series: dict[tuple[str, str, int], list[list[object]]] = {}
        for now in range(self.begin - 300, self.end + 301, self.every):
            for node in self.nodes:
                for gpu in range(self.per_node):
                    reading = at(node, gpu, now) if self.begin + 40 <= now < self.end else self.idle()
                    since, scar = self.scars.get((node, gpu), (0.0, Reading()))
                    if reading and now >= since:
                        reading |= scar
                    for metric, value in (reading or {}).items():
                        series.setdefault((metric, node, gpu), []).append([now, f"{value:.6g}"])
        result = [
            {
                "metric": {
                    "__name__": f"DCGM_FI_{metric}",
                    "Hostname": node,
                    "UUID": self.uuid(node, gpu),
                    "device": f"nvidia{gpu}",
                    "gpu": str(gpu),
                    "instance": f"{node}:9400",
                    "job": "dcgm-exporter",
                    "modelName": self.card[0],
                    "pci_bus_id": f"00000000:{BUSES[gpu]}:00.0",
                },
                "values": values,
            }
            for (metric, node, gpu), values in series.items()
        ]
        answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        self.text(name, [json.dumps(answer)])

    def accounting(
        self, state: str, code: str, step: tuple[str, str], runs: Sequence[tuple[int, int, str, str]] = ()
    ) -> None:
        """What sacct says: earlier ``runs`` of the same job, the job, its batch script and its one step."""
        head = (
            "JobID|JobName|User|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList"
            "|AllocTRES"
        )
        count, gpus = len(self.nodes), self.per_node * len(self.nodes)
        tres = f"billing={2 * gpus},cpu={16 * gpus},gres/gpu={gpus},node={count}"
        first, last = self.nodes[0], self.nodes[-1]
        where = first if count == 1 else f"{first[:-2]}[{first[-2:]}-{last[-2:]}]"
        submit = clock(min([self.begin, *(run[0] for run in runs)]) - 611)
        rows = [head]
        for begin, end, how, exit_code in (*runs, (self.begin, self.end, state, code)):
            parts = [("", how, exit_code, self.name, self.user, "gpu")]
            if (begin, end) == (self.begin, self.end):
                own = state in ("COMPLETED", "FAILED", "OUT_OF_MEMORY")
                batch = (state, code) if own else ("CANCELLED", "0:15")
                parts.append((".batch", *batch, "batch", "", ""))
                parts.append((".0", *step, "python", "", ""))
            for suffix, word, number, name, user, partition in parts:
                rows.append(
                    "|".join(
                        (
                            f"{self.number}{suffix}",
                            name,
                            user,
                            partition,
                            word,
                            number,
                            "" if suffix else number,
                            submit,
                        )
                        + (clock(begin), clock(end), span(end - begin), "" if suffix else span(self.limit))
                        + (("1", first, "") if suffix == ".batch" else (str(count), where, tres))
                    )
                )
        self.text("sacct.txt", rows)

    def kernel(self, node: str, events: Iterable[tuple[float, str]]) -> None:
        """The kernel log of a node, with what every node of this site says now and then."""
        noise = [
            (self.begin - 86400 * 3, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07"),
            (self.begin - 4000, "mlx5_core 0000:0c:00.0 ib0: Link up"),
            (
                self.begin + self.rng.randrange(5, 60),
                "perf: interrupt took too long (2512 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
            ),
        ]
        rows = [
            f"[{clock(at, '%a %b %e %H:%M:%S %Y')}] {text}"
            for at, text in sorted([*noise, *events], key=lambda one: one[0])
        ]
        self.text(f"{node}/dmesg.txt", rows)

    def quiet(self, *but: str) -> None:
        """Kernel logs of the nodes where nothing happened."""
        for node in self.nodes:
            if node not in but:
                self.kernel(node, ())

    def steps(self, seconds: float, until: float | None = None, first: int = 1) -> Iterator[tuple[int, float]]:
        """The steps of the run, and when each was done."""
        now, step = self.begin + 75.0, first
        while (now := now + seconds * self.rng.lognormvariate(0, 0.015)) < (until or self.end):
            yield step, now
            step += 1

    def text(self, name: str, rows: Iterable[str]) -> None:
        """A file of lines."""
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(rows) + "\n")


def hash_of(name: str) -> int:
    """A number of 128 bits that stands for a name, the same every time."""
    value = 0x6C62272E07BB014262B821756295C58D
    for letter in name.encode():
        value = (value ^ letter) * 0x0000000001000000000000000000013B % 2**128
    return value
