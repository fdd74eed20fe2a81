"""What the incidents of the twentieth set write with: clocks, GPUs under load, exporters, kernel logs. SIMULATED."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

Values = dict[str, float]


def epoch(text: str, east: int) -> float:
    """Seconds of epoch of a local time, ``east`` minutes from UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() - east * 60


def local(t: float, east: int) -> datetime:
    """The wall clock there."""
    return datetime.fromtimestamp(t, UTC) + timedelta(minutes=east)


def clock(t: float, east: int, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """The same as words."""
    return local(t, east).strftime(form)


def milli(t: float, east: int, mark: str = ",") -> str:
    """With milliseconds, as Python's logging has it."""
    return f"{clock(t, east)}{mark}{int(t * 1000) % 1000:03d}"


def took(seconds: float) -> str:
    """As Slurm prints a span."""
    whole = int(seconds)
    days = f"{whole // 86400}-" if whole >= 86400 else ""
    return f"{days}{whole % 86400 // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def put(place: Path, name: str, lines: Sequence[str] | str) -> None:
    """Write a file of the case."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((lines if isinstance(lines, str) else "\n".join(lines) + "\n").encode())


def curve(rng: Random, at: float, first: float, floor: float, pace: float, noise: float = 0.015) -> float:
    """A loss that learns, quickly and then slowly."""
    clean = floor + (first - floor) * (0.7 * math.exp(-at / pace) + 0.3 * math.exp(-at / (7 * pace)))
    return clean * (1 + rng.gauss(0, noise))


@dataclass(frozen=True)
class Card:
    """One model of GPU."""

    model: str
    cap: float
    idle: float
    mib: int
    boost: int
    rest: int
    mem: int
    warm: float
    ecc: str = "rows"
    driver: str = "570.133.20"


CARDS: Final = {
    "A100": Card("NVIDIA A100-SXM4-80GB", 400, 61, 81920, 1410, 210, 1593, 0.096),
    "H800": Card("NVIDIA H800", 700, 71, 81559, 1980, 345, 2619, 0.055),
    "H20": Card("NVIDIA H20", 500, 74, 97871, 1980, 345, 2619, 0.066),
    "H200NVL": Card("NVIDIA H200 NVL", 600, 72, 143771, 1785, 345, 3201, 0.07),
    "A10G": Card("NVIDIA A10G", 300, 16, 23028, 1710, 210, 6251, 0.13),
    "5090": Card("NVIDIA GeForce RTX 5090", 575, 21, 32607, 2850, 180, 14001, 0.075, ecc="none"),
    "RTX8000": Card("Quadro RTX 8000", 260, 24, 46080, 1770, 300, 7001, 0.2, ecc="pages"),
}


@dataclass(frozen=True)
class Load:
    """What is asked of a GPU at a moment."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    used: float = 0.0
    rx: float = 0.0
    tx: float = 0.0
    held: bool = True


NOBODY: Final = Load(held=False)
PROFILED: Final = (
    "GR_ENGINE_ACTIVE",
    "SM_ACTIVE",
    "PIPE_TENSOR_ACTIVE",
    "DRAM_ACTIVE",
    "PCIE_TX_BYTES",
    "PCIE_RX_BYTES",
)


@dataclass
class Fleet:
    """GPUs of some nodes, sampled.

    ``load`` is asked with the number of the node and the GPU and the time; ``alter`` may change what was read, or
    return None where nothing could be read.
    """

    card: str
    nodes: Sequence[str]
    gpus: int
    load: Callable[[int, int, float], Load]
    begin: float
    end: float
    every: int
    seed: int
    alter: Callable[[int, int, float, Values], Values | None] | None = None
    gaps: Sequence[tuple[float, float]] = ()
    inlet: float = 25.0
    cap: float | None = None
    _rows: dict[tuple[int, int], list[tuple[float, Values]]] = field(default_factory=dict)

    def uuid(self, node: int, gpu: int) -> str:
        """Of one GPU."""
        r = Random(f"{self.seed}-{node}-{gpu}")
        a, b, c, d, e = (r.getrandbits(n) for n in (32, 16, 16, 16, 48))
        return f"GPU-{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}"

    def bus(self, gpu: int) -> str:
        """Where on the bus it sits, without the domain."""
        return f"{(0x1B, 0x3A, 0x4E, 0x5F, 0x9C, 0xBA, 0xCB, 0xDC)[gpu]:02X}:00.0"

    def rows(self, node: int, gpu: int) -> list[tuple[float, Values]]:
        """All samples of one GPU."""
        if (node, gpu) in self._rows:
            return self._rows[node, gpu]
        of, rng = CARDS[self.card], Random(f"{self.seed}/{node}/{gpu}")
        cap = self.cap or of.cap
        spot = self.inlet + rng.uniform(-1.5, 3.5) + 0.7 * (gpu % 4)
        thirst, heat = rng.uniform(0.96, 1.04), spot + of.warm * of.idle
        joule = rng.randrange(10**9, 2 * 10**10)
        out, at = [], self.begin
        while at <= self.end:
            now = self.load(node, gpu, at)
            busy = now.engine > 0.02
            wish = of.idle * (1.2 if now.held else rng.uniform(0.99, 1.01))
            wish += (
                (of.cap - of.idle) * thirst * (0.12 * now.engine + 0.4 * now.sm + 0.4 * now.tensor + 0.33 * now.dram)
            )
            wish *= rng.gauss(1, 0.02 if busy else 0.006)
            capped = wish > cap * 0.99
            watts = min(wish, cap * rng.uniform(0.98, 1.003))
            hertz = of.boost if now.held else of.rest
            if capped:
                hertz = int(of.boost * max(0.72, 1 - 0.6 * (wish / cap - 0.99)) * rng.uniform(0.985, 1) // 15 * 15)
            heat += (spot + of.warm * watts - heat) * min(1.0, self.every / 50)
            joule += int(watts * self.every * 1000)
            kept = now.used + (480 if now.held else 3)
            util = 100 * now.engine
            one: Values = {
                "GPU_UTIL": min(100, max(0, round(util + (rng.gauss(0, 0.9) if busy else 0)))),
                "MEM_COPY_UTIL": min(100, max(0, round(78 * now.dram))),
                "FB_USED": round(kept),
                "FB_FREE": round(of.mib * 0.9925 - kept),
                "POWER_USAGE": round(watts, 3),
                "TOTAL_ENERGY_CONSUMPTION": joule,
                "GPU_TEMP": round(heat),
                "SM_CLOCK": hertz,
                "MEM_CLOCK": of.mem if now.held or of.mem < 4000 else 405,
                "CLOCK_THROTTLE_REASONS": 4 if capped else 0 if now.held else 1,
                "XID_ERRORS": 0,
                "PCIE_REPLAY_COUNTER": 0,
                "GR_ENGINE_ACTIVE": min(1.0, max(0.0, now.engine + (rng.gauss(0, 0.006) if busy else 0))),
                "SM_ACTIVE": max(0.0, min(1.0, now.sm * rng.gauss(1, 0.025))),
                "PIPE_TENSOR_ACTIVE": max(0.0, now.tensor * rng.gauss(1, 0.03)),
                "DRAM_ACTIVE": max(0.0, now.dram * rng.gauss(1, 0.03)),
                "PCIE_TX_BYTES": int(max(0.0, now.tx * rng.gauss(1, 0.08)) * 1e6 + 21000),
                "PCIE_RX_BYTES": int(max(0.0, now.rx * rng.gauss(1, 0.08)) * 1e6 + 47000),
            }
            if of.ecc != "none":
                one |= {"ECC_SBE_VOL_TOTAL": 0, "ECC_DBE_VOL_TOTAL": 0}
            if of.ecc == "rows":
                one |= {"CORRECTABLE_REMAPPED_ROWS": 0, "UNCORRECTABLE_REMAPPED_ROWS": 0, "ROW_REMAP_FAILURE": 0}
            if of.ecc == "pages":
                one |= {"RETIRED_SBE": 0, "RETIRED_DBE": 0}
            seen = self.alter(node, gpu, at, one) if self.alter else one
            if seen is not None and not any(low <= at < high for low, high in self.gaps):
                out.append((at, seen))
            at += self.every
        self._rows[node, gpu] = out
        return out

    def every_gpu(self, only: Iterable[int] | None = None) -> list[tuple[int, int]]:
        """Numbers of node and GPU."""
        return [(n, g) for n in (range(len(self.nodes)) if only is None else only) for g in range(self.gpus)]


def _text(name: str, value: float) -> str:
    """A value as the exporter prints it."""
    if name in ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE"):
        return f"{value:.6f}"
    return f"{value:.3f}" if name == "POWER_USAGE" else str(int(value))


def series(
    fleet: Fleet,
    labels: Callable[[int, int], dict[str, str]],
    *,
    only: Iterable[int] | None = None,
    drop: Sequence[str] = (),
) -> list[tuple[dict[str, str], list[tuple[float, str]]]]:
    """All series of dcgm-exporter, with the site's labels."""
    out = []
    for node, gpu in fleet.every_gpu(only):
        rows = fleet.rows(node, gpu)
        names = [name for name in rows[0][1] if name not in drop] if rows else []
        for name in names:
            full = f"DCGM_FI_{'PROF' if name in PROFILED else 'DEV'}_{name}"
            found = [(at, _text(name, one[name])) for at, one in rows if name in one]
            out.append(({"__name__": full, **labels(node, gpu)}, found))
    return out


def plain(fleet: Fleet) -> Callable[[int, int], dict[str, str]]:
    """Labels as dcgm-exporter has them on bare metal."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": CARDS[fleet.card].driver,
        "Hostname": fleet.nodes[n],
        "UUID": fleet.uuid(n, g),
        "device": f"nvidia{g}",
        "gpu": str(g),
        "instance": f"{fleet.nodes[n]}:9400",
        "job": "dcgm",
        "modelName": CARDS[fleet.card].model,
        "pci_bus_id": f"00000000:{fleet.bus(g)}",
    }


def kube(fleet: Fleet, space: str, pods: Sequence[str]) -> Callable[[int, int], dict[str, str]]:
    """Labels as the GPU operator's exporter has them."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": CARDS[fleet.card].driver,
        "Hostname": fleet.nodes[n],
        "UUID": fleet.uuid(n, g),
        "container": "nvidia-dcgm-exporter",
        "device": f"nvidia{g}",
        "endpoint": "gpu-metrics",
        "exported_container": "pytorch",
        "exported_namespace": space,
        "exported_pod": pods[n],
        "gpu": str(g),
        "job": "nvidia-dcgm-exporter",
        "modelName": CARDS[fleet.card].model,
        "namespace": "gpu-operator",
        "pci_bus_id": f"00000000:{fleet.bus(g)}",
    }


def query_range(place: Path, name: str, found: list[tuple[dict[str, str], list[tuple[float, str]]]]) -> None:
    """The answer of Prometheus' API."""
    result = [{"metric": m, "values": [[int(t), v] for t, v in values]} for m, values in found if values]
    put(
        place,
        name,
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
        + "\n",
    )


def victoria(place: Path, name: str, found: list[tuple[dict[str, str], list[tuple[float, str]]]]) -> None:
    """What VictoriaMetrics' /api/v1/export writes: a series a line."""
    lines = []
    for metric, values in found:
        if values:
            numbers = [float(v) for _, v in values]
            whole = [int(v) if v == int(v) else v for v in numbers]
            one = {"metric": metric, "values": whole, "timestamps": [int(t * 1000) for t, _ in values]}
            lines.append(json.dumps(one, separators=(",", ":")))
    put(place, name, lines)


DMON: Final = {
    "TMPTR": "GPU_TEMP",
    "POWER": "POWER_USAGE",
    "GPUTL": "GPU_UTIL",
    "FBUSD": "FB_USED",
    "SMCLK": "SM_CLOCK",
    "DVCCTR": "CLOCK_THROTTLE_REASONS",
    "XIDER": "XID_ERRORS",
    "EDVTL": "ECC_DBE_VOL_TOTAL",
    "GRACT": "GR_ENGINE_ACTIVE",
    "SMACT": "SM_ACTIVE",
    "TENSO": "PIPE_TENSOR_ACTIVE",
    "DRAMA": "DRAM_ACTIVE",
}


def dmon(place: Path, name: str, fleet: Fleet, node: int, east: int, *, head_every: int = 20) -> None:
    """What ``dcgmi dmon`` prints, through ``ts`` so that each line has its time."""
    lines = []
    head = "#Entity   " + "".join(f"{c:<13}" for c in DMON)
    unit = "ID        " + "".join(f"{ {'TMPTR': 'C', 'POWER': 'W'}.get(c, ''):<13}" for c in DMON)
    samples = [fleet.rows(node, g) for g in range(fleet.gpus)]
    for i in range(max(len(one) for one in samples)):
        stamp = clock(next(one[i][0] for one in samples if i < len(one)), east, "%Y-%m-%dT%H:%M:%S")
        if i % head_every == 0:
            lines += [f"{stamp} {head.rstrip()}", f"{stamp} {unit.rstrip()}"]
        for g, one in enumerate(samples):
            if i < len(one):
                cells = []
                for c, field_ in DMON.items():
                    v = one[i][1].get(field_)
                    frac = c in ("POWER", "GRACT", "SMACT", "TENSO", "DRAMA")
                    cells.append("N/A" if v is None else f"{v:.3f}" if frac else str(int(v)))
                lines.append(f"{stamp} GPU {g}     " + "".join(f"{c:<13}" for c in cells).rstrip())
    put(place, name, lines)


def smi_exporter(place: Path, name: str, fleet: Fleet, node: int) -> None:
    """The answer of Prometheus for utkuozdemir's nvidia_gpu_exporter."""
    of, out = CARDS[fleet.card], []
    kinds: dict[str, Callable[[Values], float]] = {
        "nvidia_smi_utilization_gpu_ratio": lambda v: v["GPU_UTIL"] / 100,
        "nvidia_smi_utilization_memory_ratio": lambda v: v["MEM_COPY_UTIL"] / 100,
        "nvidia_smi_memory_used_bytes": lambda v: v["FB_USED"] * 1048576,
        "nvidia_smi_memory_total_bytes": lambda v: of.mib * 1048576,
        "nvidia_smi_power_draw_watts": lambda v: round(v["POWER_USAGE"], 2),
        "nvidia_smi_enforced_power_limit_watts": lambda v: of.cap,
        "nvidia_smi_temperature_gpu": lambda v: v["GPU_TEMP"],
        "nvidia_smi_clocks_current_sm_clock_hz": lambda v: v["SM_CLOCK"] * 1000000,
        "nvidia_smi_clocks_current_memory_clock_hz": lambda v: v["MEM_CLOCK"] * 1000000,
        "nvidia_smi_clocks_throttle_reasons_active": lambda v: v["CLOCK_THROTTLE_REASONS"],
        "nvidia_smi_clocks_throttle_reasons_sw_power_cap": lambda v: int(v["CLOCK_THROTTLE_REASONS"] == 4),
        "nvidia_smi_clocks_throttle_reasons_hw_slowdown": lambda v: 0,
        "nvidia_smi_ecc_errors_uncorrected_volatile_total": lambda v: 0,
        "nvidia_smi_ecc_errors_corrected_volatile_total": lambda v: 0,
        "nvidia_smi_pstate": lambda v: 0,
    }
    for g in range(fleet.gpus):
        for kind, read in kinds.items():
            labels = {
                "__name__": kind,
                "instance": f"{fleet.nodes[node]}:9835",
                "job": "nvidia_gpu_exporter",
                "uuid": fleet.uuid(node, g).removeprefix("GPU-"),
            }
            out.append(
                (labels, [(t, f"{read(v):g}" if read(v) < 1e5 else str(int(read(v)))) for t, v in fleet.rows(node, g)])
            )
    query_range(place, name, out)


def quiet(rng: Random, begin: float, kind: str = "ib") -> list[tuple[float, str]]:
    """What a node's kernel says anyway; the first is the boot."""
    boot = begin - rng.uniform(4, 45) * 86400
    lines = [
        (boot, "Linux version 5.15.0-139-generic (buildd@lcy02-amd64-067) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"),
        (boot + 0.8, "ACPI: PM: (supports S0 S5)"),
        (boot + 11.2, "nvidia: module license 'NVIDIA' taints kernel."),
        (boot + 11.9, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.20  Sun Mar 30 04:21:01 UTC 2025"),
        (boot + 14.4, "nvidia-uvm: Loaded the UVM driver, major device number 511."),
        (
            boot + 31.0,
            "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.",
        ),
    ]
    if kind == "ib":
        lines.append((boot + 35.6, "mlx5_core 0000:0f:00.0 ibs15: Link up"))
    if kind == "k8s":
        lines += [
            (begin - 40 + i, f"cni0: port {7 + i}(veth{rng.getrandbits(32):08x}) entered forwarding state")
            for i in (0, 1)
        ]
    far = begin - rng.uniform(30000, 200000)
    lines.append(
        (far, "perf: interrupt took too long (2507 > 2500), lowering kernel.perf_event_max_sample_rate to 79750")
    )
    lines.append(
        (
            far + 9071.4,
            "systemd-journald[1033]: Data hash table of /run/log/journal has a fill level at 75.0, suggesting rotation.",
        )
    )
    return lines


def kernel(
    place: Path, name: str, lines: Iterable[tuple[float, str]], form: str, east: int, host: str = "node"
) -> None:
    """Write the kernel log in one of its forms; the first line in time is the boot."""
    sort = sorted(lines, key=lambda one: one[0])
    boot, out = sort[0][0], []
    for t, text in sort:
        if form == "dmesg -T":
            out.append(f"[{clock(t, east, '%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "dmesg":
            out.append(f"[{t - boot:12.6f}] {text}")
        elif form == "journalctl":
            out.append(f"{clock(t, east, '%b %d %H:%M:%S')} {host} kernel: {text}")
        else:
            out.append(f"{clock(t, east, '%b %e %H:%M:%S')} {host} kernel: [{t - boot:12.6f}] {text}")
    put(place, name, out)
