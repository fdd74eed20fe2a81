"""A small cluster in words and numbers: what DCGM, Slurm and the kernel say of one job."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from random import Random

Row = dict[str, float]
"""What one GPU shows at one moment."""
_DCGM = {
    "util": "DCGM_FI_DEV_GPU_UTIL",
    "fb": "DCGM_FI_DEV_FB_USED",
    "free": "DCGM_FI_DEV_FB_FREE",
    "temp": "DCGM_FI_DEV_GPU_TEMP",
    "power": "DCGM_FI_DEV_POWER_USAGE",
    "clock": "DCGM_FI_DEV_SM_CLOCK",
    "xid": "DCGM_FI_DEV_XID_ERRORS",
    "remap_c": "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "remap_u": "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "remap_bad": "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "engine": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "tensor": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "dram": "DCGM_FI_PROF_DRAM_ACTIVE",
    "sm": "DCGM_FI_PROF_SM_ACTIVE",
    "reasons": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "dbe": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "sbe": "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "crc": "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
    "replay": "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL",
}
DEFAULT = tuple(_DCGM)[:13]
"""What dcgm-exporter shows unless told otherwise."""


class Site:
    """One job on some nodes; ``zone`` is the hours by which the cluster's own time is ahead of UTC."""

    def __init__(
        self, place: Path, rng: Random, job: int, nodes: Sequence[str], gpus: int, begin: float, minutes: float,
        *, zone: int = 0, chip: str = "NVIDIA H100 80GB HBM3", memory: float = 81079, busy: Row | None = None,
    ) -> None:  # fmt: skip
        self.place, self.rng, self.job, self.nodes, self.gpus = place, rng, job, list(nodes), gpus
        self.begin, self.end, self.zone, self.chip, self.memory = begin, begin + 60 * minutes, zone, chip, memory
        self.busy = {
            "engine": 0.97,
            "sm": 0.82,
            "tensor": 0.41,
            "dram": 0.44,
            "temp": 63,
            "power": 640,
            "clock": 1980,
            "fb": 0.84 * memory,
        }
        self.busy |= busy or {}

    def local(self, at: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
        return datetime.fromtimestamp(at, timezone(timedelta(hours=self.zone))).strftime(form)

    def write(self, name: str, lines: Iterable[str]) -> None:
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n")

    def metrics(
        self,
        change: Callable[[float, str, int, Row], bool | None],
        *,
        cadence: int = 15,
        fields: Sequence[str] = tuple(_DCGM),
        setup: float = 80,
        until: float | None = None,
        tail: float = 75,
        also: Sequence[tuple[str, dict[str, str], list[tuple[float, float]]]] = (),
    ) -> None:
        """An answer of query_range; ``change`` alters what a working GPU shows, or drops the sample by False.

        Args:
            change: Called with the time, node, GPU and row of every sample while the job works.
            cadence: Seconds between samples.
            fields: Of ``_DCGM``, what the site exports.
            setup: Seconds before the first step.
            until: When work stopped, where not at the end.
            tail: Seconds of readings after the end.
            also: Other series: name, labels, values.
        """
        stop = self.end if until is None else until
        result: list[object] = []
        for node in self.nodes:
            for gpu in range(self.gpus):
                uuid = f"GPU-{self.rng.getrandbits(32):08x}-{self.rng.getrandbits(16):04x}-4{self.rng.getrandbits(12):03x}-9{self.rng.getrandbits(12):03x}-{self.rng.getrandbits(48):012x}"
                warm = self.rng.gauss(0, 2)
                kept: dict[str, list[tuple[int, str]]] = {name: [] for name in fields}
                at = int(self.begin) - 90 - int(self.begin) % cadence
                while at < self.end + tail:
                    row = self._row(at, stop, setup, warm)
                    if not (self.begin <= at < self.end and change(at, node, gpu, row) is False):
                        row["util"] = round(100 * row["engine"])
                        row["free"] = self.memory - row["fb"]
                        for name in fields:
                            kept[name].append(
                                (
                                    at,
                                    f"{row[name]:.6f}"
                                    if name in {"engine", "sm", "tensor", "dram"}
                                    else f"{row[name]:.3f}"
                                    if name == "power"
                                    else str(round(row[name])),
                                )
                            )
                    at += cadence
                labels = {
                    "DCGM_FI_DRIVER_VERSION": "550.127.05",
                    "Hostname": node,
                    "UUID": uuid,
                    "device": f"nvidia{gpu}",
                    "gpu": str(gpu),
                    "instance": f"{node}:9400",
                    "job": "dcgm",
                    "modelName": self.chip,
                }
                result += [_series(_DCGM[name], labels, kept[name]) for name in fields if kept[name]]
        result += [
            _series(name, labels, [(round(at), f"{value:.10g}") for at, value in values])
            for name, labels, values in also
        ]
        self.write("prom.json", [json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})])

    def _row(self, at: float, stop: float, setup: float, warm: float) -> Row:
        row: Row = dict.fromkeys(_DCGM, 0.0) | {
            "temp": 34 + warm,
            "power": 72 + warm,
            "clock": 345,
            "fb": 4,
            "reasons": 1,
        }
        if self.begin + 20 <= at < self.end:
            row |= {"fb": 0.2 * self.memory, "clock": self.busy["clock"], "power": 118, "reasons": 0}
        if self.begin + setup <= at < stop:
            row |= self.busy
            for name in ("engine", "sm", "tensor", "dram"):
                row[name] = min(1.0, max(0.0, row[name] * self.rng.gauss(1, 0.02)))
            row["temp"] += warm + self.rng.gauss(0, 0.7)
            row["power"] *= self.rng.gauss(1, 0.02)
        return row

    def steps(
        self, pace: Callable[[float], float], begin: float | None = None, until: float | None = None, first: int = 1
    ) -> Iterator[tuple[int, float, float]]:
        """Number, end and seconds of each step."""
        at, step = self.begin + 80 if begin is None else begin, first
        while True:
            seconds = pace(at) * self.rng.gauss(1, 0.01)
            at += seconds
            if at > (self.end if until is None else until):
                return
            yield step, at, seconds
            step += 1

    def sacct(
        self,
        state: str,
        code: str,
        steps: Sequence[tuple[str, str, str]] = (),
        *,
        limit: str = "2-00:00:00",
        name: str = "train",
    ) -> None:
        """Text of ``sacct -P``: the job's state and exit code, then those of its steps."""
        self.write("sacct.txt", [self.SACCT, *self.account(state, code, steps, limit=limit, name=name)])

    SACCT = "JobID|JobName|User|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES|MaxRSS"

    def account(
        self,
        state: str,
        code: str,
        steps: Sequence[tuple[str, str, str]] = (),
        *,
        limit: str = "2-00:00:00",
        name: str = "train",
    ) -> list[str]:
        span = round(self.end) - round(self.begin)
        took = f"{span // 3600:02d}:{span // 60 % 60:02d}:{span % 60:02d}"
        ends = f"{self.local(self.begin - 40)}|{self.local(self.begin)}|{'Unknown' if state == 'RUNNING' else self.local(self.end)}|{took}"
        count = len(self.nodes)
        tres = f"billing={count * 96},cpu={count * 96},gres/gpu={count * self.gpus},mem={count}000G,node={count}"
        rows = [
            f"{self.job}|{name}|mira|gpu|{state}|{code}|{steps[-1][2] if steps else code}|{ends}|{limit}|{count}|{','.join(self.nodes)}|{tres}|"
        ]
        for step, how, left in steps or (("batch", state, code), ("extern", state, "0:0")):
            nodes = self.nodes[:1] if step == "batch" else self.nodes
            title = step if step in {"batch", "extern"} else "python"
            rows.append(
                f"{self.job}.{step}|{title}|||{how}|{left}||{ends}||{len(nodes)}|{','.join(nodes)}|{tres.split(',', 1)[1]}|{'' if state == 'RUNNING' else '1204K' if step == 'extern' else f'{self.rng.randrange(40, 90)}118204K'}"
            )
        return rows

    def dmesg(self, node: str, lines: Iterable[tuple[float, str]]) -> None:
        """Text of ``dmesg -T``, with what every node says at some time."""
        form = "[%a %b %e %H:%M:%S %Y]"
        early = [
            (self.begin - 86400, "nvidia-nvlink: Nvlink Core is being initialized, major device number 237"),
            (self.begin - 86390, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05"),
            (
                self.begin - 4000,
                "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
            ),
        ]
        self.write(f"{node}/dmesg.txt", [f"{self.local(at, form)} {text}" for at, text in [*early, *lines]])


def _series(name: str, labels: dict[str, str], values: list[tuple[int, str]]) -> object:
    return {"metric": {"__name__": name} | labels, "values": values}


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
