"""A cluster as its own tools remember it: dcgm-exporter through Prometheus, sacct, dmesg, logs of ranks. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from samples.redteam.ninth.shapes import stamp, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from random import Random

    Row = dict[str, float]
    Change = Callable[[float, int, int, Row], None]

CARDS = {
    "H100": ("NVIDIA H100 80GB HBM3", 1980, 2619, 700, 81559),
    "A100": ("NVIDIA A100-SXM4-80GB", 1410, 1593, 400, 81920),
    "H200": ("NVIDIA H200", 1980, 3201, 700, 143771),
}
"""Model, clocks of SM and memory in MHz, watts, MiB."""
BUSES = ("1b", "43", "52", "61", "9d", "c3", "d1", "df")


@dataclass
class Site:
    """One job: from ``begin``, at work from ``begin + start``, to ``end`` (epoch seconds); readings go on a little."""

    place: Path
    rng: Random
    nodes: Sequence[str]
    gpus: int
    card: str
    begin: float
    end: float
    job: int
    name: str
    start: float = 150
    cadence: int = 15
    resident: float = 0.8
    memory: dict[tuple[int, int], float] = field(default_factory=dict)

    def busy(self, node: int, gpu: int) -> Row:
        """A GPU in the middle of a step."""
        _, clock, memory_clock, watts, mib = CARDS[self.card]
        gauss, warm = self.rng.gauss, 54 + 2.2 * gpu + node
        used = self.memory.setdefault((node, gpu), int(mib * self.resident + gauss(0, 300)))
        return {
            "DEV_GPU_UTIL": min(100, round(gauss(98, 1.2))),
            "DEV_SM_CLOCK": round(gauss(clock - 15, 8)) // 15 * 15,
            "DEV_MEM_CLOCK": memory_clock,
            "DEV_GPU_TEMP": round(gauss(warm, 1)),
            "DEV_MEMORY_TEMP": round(gauss(warm + 9, 1)),
            "DEV_POWER_USAGE": round(gauss(0.83 * watts, 9), 3),
            "DEV_FB_USED": used,
            "DEV_FB_FREE": mib - used - 512,
            "DEV_XID_ERRORS": 0,
            "DEV_ECC_SBE_VOL_TOTAL": 0,
            "DEV_ECC_DBE_VOL_TOTAL": 0,
            "DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
            "DEV_ROW_REMAP_FAILURE": 0,
            "DEV_CLOCK_THROTTLE_REASONS": 0,
            "DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": 0,
            "PROF_GR_ENGINE_ACTIVE": round(min(0.999, gauss(0.965, 0.01)), 4),
            "PROF_SM_ACTIVE": round(gauss(0.61, 0.02), 4),
            "PROF_PIPE_TENSOR_ACTIVE": round(gauss(0.38, 0.02), 4),
            "PROF_DRAM_ACTIVE": round(gauss(0.42, 0.02), 4),
            "PROF_PCIE_RX_BYTES": round(abs(gauss(2.1e9, 2e8))),
            "PROF_NVLINK_TX_BYTES": round(abs(gauss(6.1e10, 3e9))),
        }

    def idle(self, node: int, gpu: int, resident: bool = False) -> Row:
        """A GPU that nothing is asked of, its memory held or not."""
        row = self.busy(node, gpu)
        clock, watts = (1980, 117) if resident else (345, 71)
        calm: Row = {
            "DEV_GPU_UTIL": 0,
            "DEV_SM_CLOCK": min(clock, CARDS[self.card][1]),
            "DEV_GPU_TEMP": 32 + gpu // 2,
            "DEV_MEMORY_TEMP": 38 + gpu // 2,
        }
        calm |= {"DEV_POWER_USAGE": round(self.rng.gauss(watts, 1), 3), "DEV_CLOCK_THROTTLE_REASONS": 1}
        if not resident:
            calm |= {"DEV_FB_USED": 4, "DEV_FB_FREE": CARDS[self.card][4] - 516}
        return row | {key: 0 for key in row if key.startswith("PROF")} | calm

    def waiting(self, node: int, gpu: int) -> Row:
        """A GPU that spins in a collective whose peers do not come."""
        row = self.busy(node, gpu)
        spin: Row = {
            "DEV_GPU_UTIL": 100,
            "PROF_GR_ENGINE_ACTIVE": 1,
            "PROF_SM_ACTIVE": round(abs(self.rng.gauss(0.03, 0.004)), 4),
            "DEV_GPU_TEMP": 41 + gpu,
        }
        still = {
            "PROF_PIPE_TENSOR_ACTIVE": 0,
            "PROF_DRAM_ACTIVE": 0.0012,
            "PROF_PCIE_RX_BYTES": 120000,
            "PROF_NVLINK_TX_BYTES": 0,
        }
        return row | spin | still | {"DEV_POWER_USAGE": round(self.rng.gauss(0.27 * CARDS[self.card][3], 3), 3)}

    def uuid(self, node: int, gpu: int) -> str:
        """The same every time."""
        return f"GPU-{UUID(int=(self.job * 7919 + node * 104729 + gpu * 1299709) ** 6 % 2**128)}"

    def metrics(self, change: Change, split: str = "", hide: Iterable[str] = ()) -> None:
        """Answers of query_range: one, or one a ``node`` or ``metric``; a row that ``change`` empties was never scraped."""
        series: dict[tuple[str, int, int], list[list[object]]] = {}
        hidden = set(hide)
        for node in range(len(self.nodes)):
            for gpu in range(self.gpus):
                for at in range(int(self.begin) - 300, int(self.end) + 180, self.cadence):
                    works = self.begin + self.start <= at < self.end
                    row = self.busy(node, gpu) if works else self.idle(node, gpu)
                    change(at - self.begin, node, gpu, row)
                    for key, value in row.items():
                        if key not in hidden:
                            series.setdefault((key, node, gpu), []).append([at, str(value)])
        files: dict[str, list[dict[str, object]]] = {}
        for (key, node, gpu), values in series.items():
            labels = {
                "__name__": f"DCGM_FI_{key}",
                "Hostname": self.nodes[node],
                "UUID": self.uuid(node, gpu),
                "device": f"nvidia{gpu}",
                "gpu": str(gpu),
            }
            labels |= {
                "instance": f"{self.nodes[node]}:9400",
                "job": "dcgm",
                "modelName": CARDS[self.card][0],
                "pci_bus_id": f"00000000:{BUSES[gpu].upper()}:00.0",
            }
            where = {"node": f"dcgm_{self.nodes[node]}", "metric": f"DCGM_FI_{key}"}.get(split, "dcgm")
            files.setdefault(where, []).append({"metric": labels, "values": values})
        for where, result in files.items():
            answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            write(self.place / "prom" / f"{where}.json", [json.dumps(answer, separators=(",", ":"))])

    def steps(
        self, pace: Callable[[float], float], until: float, total: int = 10**9, every: int = 10
    ) -> Iterator[tuple[int, float, float]]:
        """Step, time and seconds per step of each line a loop prints, as long as time and plan allow."""
        at, before = self.begin + self.start, self.begin + self.start
        for step in range(1, total + 1):
            at += pace(at - self.begin) * self.rng.gauss(1, 0.01)
            if at > until:
                return
            if step % every == 0:
                yield step, at, (at - before) / every
                before = at

    def sacct(
        self,
        state: str,
        code: str,
        *,
        step: tuple[str, str] | None = None,
        limit: str = "2-00:00:00",
        hosts: str = "",
        more: Iterable[str] = (),
    ) -> None:
        """``sacct -D -P``: the job, its batch step and step 0."""
        listed = hosts or ",".join(self.nodes)
        spent = int(self.end - self.begin)
        span = f"{stamp(self.begin, '%Y-%m-%dT%H:%M:%S')}|{stamp(self.end, '%Y-%m-%dT%H:%M:%S')}|{spent // 3600:02d}:{spent // 60 % 60:02d}:{spent % 60:02d}"
        count, gpus = len(self.nodes), len(self.nodes) * self.gpus
        inner, inner_code = step or (state, code)
        batch = (
            "CANCELLED|0:15"
            if state.startswith(("TIMEOUT", "CANCELLED", "PREEMPTED"))
            else f"{inner if state != 'NODE_FAIL' else 'CANCELLED'}|{code}"
        )
        write(
            self.place / "sacct.txt",
            [
                "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES",
                *more,
                f"{self.job}|{self.name}|gpu|{state}|{code}|{span}|{limit}|{count}|{listed}|billing={gpus * 12},cpu={gpus * 12},gres/gpu={gpus},node={count}",
                f"{self.job}.batch|batch||{batch}|{span}||1|{self.nodes[0]}|cpu={self.gpus * 12},gres/gpu={self.gpus},node=1",
                f"{self.job}.0|python||{inner}|{inner_code}|{span}||{count}|{listed}|cpu={gpus * 12},gres/gpu={gpus},node={count}",
            ],
        )

    def dmesg(self, node: int, events: Iterable[tuple[float, str]]) -> None:
        """``dmesg --time-format iso`` of a node; events by seconds since the job began."""
        boot = "EXT4-fs (nvme0n1p2): re-mounted. Quota mode: none."
        said = [
            (-86400.0 * 9, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build"),
            (-86400.0 * 9 + 41, boot),
            *events,
        ]
        write(
            self.place / self.nodes[node] / "dmesg.txt",
            [f"{stamp(self.begin + at, '%Y-%m-%dT%H:%M:%S,%f')}+00:00 {text}" for at, text in said],
        )
