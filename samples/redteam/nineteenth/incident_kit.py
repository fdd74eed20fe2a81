"""What the nineteenth set's incidents are written with: GPUs as exporters show them, accounting, kernels."""

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

ISO: Final = "%Y-%m-%dT%H:%M:%S"


def put(place: Path, name: str, lines: Iterable[str] | str) -> None:
    """Write a file below the case's folder."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((lines if isinstance(lines, str) else "\n".join(lines) + "\n").encode())


@dataclass(frozen=True)
class Site:
    """Where it is: the zone in minutes and its name."""

    zone: int = 0
    name: str = "UTC"

    def epoch(self, text: str) -> float:
        """Seconds of epoch of a local time."""
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() - self.zone * 60

    def at(self, t: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """Local time; %L is milliseconds."""
        when = datetime.fromtimestamp(t, UTC) + timedelta(minutes=self.zone)
        return when.strftime(form.replace("%L", f"{when.microsecond // 1000:03d}"))

    def offset(self, colon: str = ":") -> str:
        """As +05:30."""
        low = abs(self.zone)
        return f"{'-' if self.zone < 0 else '+'}{low // 60:02d}{colon}{low % 60:02d}"

    def date(self, t: float) -> str:
        """What ``date`` prints."""
        return self.at(t, f"%a %b %e %H:%M:%S {self.name} %Y")


@dataclass(frozen=True)
class Card:
    """One model of GPU."""

    model: str
    cap: float
    idle: float
    held: float
    mib: int
    boost: int
    low: int
    mem: int
    per_w: float
    driver: str
    prof: bool = True
    rows: bool = True
    sleeps: bool = False
    """Whether clocks fall while a context is held and nothing runs."""


CARDS: Final = {
    "RTX-6000-Ada": Card(
        "NVIDIA RTX 6000 Ada Generation",
        300,
        19,
        27,
        49140,
        2505,
        210,
        10001,
        0.15,
        "550.120",
        prof=False,
        sleeps=True,
    ),
    "GH200": Card("NVIDIA GH200 480GB", 900, 78, 118, 97871, 1980, 345, 2619, 0.042, "560.35.05"),
    "T4": Card("Tesla T4", 70, 10, 27, 15360, 1590, 300, 5001, 0.62, "535.183.06", rows=False),
    "B200": Card("NVIDIA B200", 1000, 141, 186, 183359, 1965, 120, 3996, 0.031, "570.124.06"),
    "H100-NVL": Card("NVIDIA H100 NVL", 400, 61, 92, 95830, 1785, 345, 2619, 0.1, "550.127.08"),
    "A100-PCIE": Card("NVIDIA A100-PCIE-40GB", 250, 34, 52, 40960, 1410, 210, 1215, 0.15, "535.216.01"),
    "H100-PCIE": Card("NVIDIA H100 PCIe", 350, 48, 83, 81559, 1755, 345, 1593, 0.105, "550.90.07"),
}


@dataclass(frozen=True)
class Load:
    """What one GPU does at one moment; ``power`` is the share of what lies between idle and cap."""

    util: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    power: float = 0.0
    mem: float = 0.0
    rx: float = 0.0
    tx: float = 0.0
    held: bool = True


OFF: Final = Load(held=False)
BUSES: Final = {
    1: ("0A",),
    2: ("41", "C1"),
    4: ("17", "65", "CA", "E3"),
    8: ("18", "2A", "3A", "5D", "9A", "AB", "BA", "DB"),
}


def uuid(rng: Random) -> str:
    """A GPU's name for life."""
    bits = rng.getrandbits
    return f"GPU-{bits(32):08x}-{bits(16):04x}-{bits(16):04x}-{bits(16):04x}-{bits(48):012x}"


@dataclass
class Rack:
    """The GPUs of some nodes; ``load`` is called with node, GPU, time and randomness, None: nothing answers."""

    card: str
    hosts: Sequence[str]
    gpus: int
    load: Callable[[int, int, float, Random], Load | None]
    begin: float
    end: float
    every: int
    seed: int
    inlet: Callable[[int, float], float] = lambda _n, _t: 25.0
    twist: Callable[[int, int, float, dict[str, float]], None] | None = None
    gaps: Sequence[tuple[int, float, float]] = ()
    """Node (-1: all), from, to: nothing was scraped."""
    drop: Sequence[str] = ()
    addresses: Sequence[str] = ()
    uuids: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = Random(self.seed)
        self.uuids = [[uuid(rng) for _ in range(self.gpus)] for _ in self.hosts]

    @property
    def bus(self) -> tuple[str, ...]:
        """Bus numbers."""
        return BUSES[self.gpus]

    def samples(self, node: int, gpu: int) -> list[tuple[int, dict[str, float]]]:
        """All that DCGM would say of one GPU."""
        of, rng = CARDS[self.card], Random(f"{self.seed} {node} {gpu}")
        slot, thirst = rng.uniform(-1.5, 3.0), rng.uniform(0.97, 1.03)
        joule = float(rng.randrange(10**9, 9 * 10**10))
        replay = rng.choice((0, 0, 0, 0, 2, 7))
        heat = self.inlet(node, self.begin) + slot + of.per_w * of.idle
        out = []
        t = self.begin
        while t <= self.end:
            now = self.load(node, gpu, t, rng)
            if now is not None:
                awake = now.held and not (of.sleeps and now.util < 1)
                floor = of.idle if not now.held else of.held
                wish = floor * rng.gauss(1, 0.007) + (of.cap - floor) * now.power * thirst * rng.gauss(
                    1, 0.02 if now.power else 0.004
                )
                capped = wish > of.cap * 0.99
                watts = min(wish, of.cap * rng.uniform(0.984, 1.003))
                clock = of.boost if awake else of.low
                if capped:
                    clock = int(of.boost * rng.uniform(0.9, 0.97) // 15 * 15)
                heat += (self.inlet(node, t) + slot + of.per_w * watts - heat) * min(1.0, self.every / 60)
                joule += watts * self.every * 1000
                util = min(100, max(0, round(now.util + (rng.gauss(0, 0.7) if now.util > 2 else 0))))
                mem = now.mem + (of.mib * 0.006 if now.held else 3)
                row: dict[str, float] = {
                    "DEV_SM_CLOCK": clock,
                    "DEV_MEM_CLOCK": of.mem if awake or of.mem < 4000 else 405,
                    "DEV_GPU_TEMP": round(heat),
                    "DEV_POWER_USAGE": round(watts, 3),
                    "DEV_TOTAL_ENERGY_CONSUMPTION": int(joule),
                    "DEV_PCIE_REPLAY_COUNTER": replay,
                    "DEV_GPU_UTIL": util,
                    "DEV_MEM_COPY_UTIL": min(100, round(now.dram * 100)),
                    "DEV_XID_ERRORS": 0,
                    "DEV_FB_FREE": round(of.mib * 0.99 - mem),
                    "DEV_FB_USED": round(mem),
                    "DEV_CLOCKS_EVENT_REASONS": 4 if capped else 0 if now.util > 2 else 1,
                    "DEV_ECC_SBE_VOL_TOTAL": 0,
                    "DEV_ECC_DBE_VOL_TOTAL": 0,
                }
                if of.rows:
                    row |= {
                        "DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
                        "DEV_CORRECTABLE_REMAPPED_ROWS": 0,
                        "DEV_ROW_REMAP_FAILURE": 0,
                    }
                else:
                    row |= {"DEV_RETIRED_SBE": 0, "DEV_RETIRED_DBE": 0}
                if of.prof:
                    j = rng.gauss
                    row |= {
                        "PROF_GR_ENGINE_ACTIVE": _share(now.util / 100 * j(1, 0.006)),
                        "PROF_SM_ACTIVE": _share(now.sm * j(1, 0.025)),
                        "PROF_PIPE_TENSOR_ACTIVE": _share(now.tensor * j(1, 0.03)),
                        "PROF_DRAM_ACTIVE": _share(now.dram * j(1, 0.03)),
                        "PROF_PCIE_RX_BYTES": int(max(0.0, now.rx * j(1, 0.1)) * 1e6 + 38000),
                        "PROF_PCIE_TX_BYTES": int(max(0.0, now.tx * j(1, 0.1)) * 1e6 + 21000),
                    }
                if self.twist:
                    self.twist(node, gpu, t, row)
                if not any(one in (-1, node) and low <= t < high for one, low, high in self.gaps):
                    out.append((round(t), {k: v for k, v in row.items() if k not in self.drop}))
            t += self.every
        return out

    def labels(self, style: str, node: int, gpu: int) -> dict[str, str]:
        """Labels of a series."""
        of, host, name = CARDS[self.card], self.hosts[node], self.uuids[node][gpu]
        address = self.addresses[node] if self.addresses else host
        if style == "uuid":
            return {"UUID": name, "cluster": "research", "instance": f"{address}:9400", "job": "gpu-metrics"}
        if style == "smi":
            return {"instance": f"{address}:9835", "job": "nvidia_gpu_exporter", "uuid": name[4:]}
        return {
            "DCGM_FI_DRIVER_VERSION": of.driver,
            "Hostname": host,
            "UUID": name,
            "device": f"nvidia{gpu}",
            "gpu": str(gpu),
            "instance": f"{address}:9400",
            "job": "dcgm-exporter",
            "modelName": of.model,
            "pci_bus_id": f"00000000:{self.bus[gpu]}:00.0",
        }

    def series(
        self,
        style: str = "plain",
        only: Sequence[int] | None = None,
        more: Callable[[int, int, float], dict[str, str]] | None = None,
    ) -> list[dict[str, object]]:
        """The result of a query of all of it; ``more`` gives further labels, which may change with time."""
        out: list[dict[str, object]] = []
        for node in range(len(self.hosts)) if only is None else only:
            for gpu in range(self.gpus):
                base = self.labels(style, node, gpu)
                found: dict[tuple[str, ...], dict[str, object]] = {}
                for t, row in self.samples(node, gpu):
                    extra = {k: v for k, v in more(node, gpu, t).items() if v} if more else {}
                    for key, value in (_smi(row, self.card, gpu) if style == "smi" else row).items():
                        name = key if style == "smi" else f"DCGM_FI_{key}"
                        one = found.setdefault(
                            (name, *extra.values()),
                            {"metric": {"__name__": name, **base, **extra}, "values": []},
                        )
                        one["values"].append([t, _number(value)])  # type: ignore[attr-defined]
                if style == "smi":
                    first = self.samples(node, gpu)
                    info = {"__name__": "nvidia_smi_gpu_info", **base, "name": CARDS[self.card].model}
                    info |= {"driver_version": CARDS[self.card].driver, "vbios_version": "95.02.5c.00.03"}
                    out.append({"metric": info, "values": [[t, "1"] for t, _ in first]})
                out += found.values()
        return out


def _share(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 6)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _smi(row: dict[str, float], card: str, gpu: int) -> dict[str, float]:
    """As nvidia_gpu_exporter names it."""
    of = CARDS[card]
    reasons = int(row["DEV_CLOCKS_EVENT_REASONS"])
    return {
        "nvidia_smi_index": gpu,
        "nvidia_smi_pstate": 0 if row["DEV_SM_CLOCK"] > of.low else 8,
        "nvidia_smi_utilization_gpu_ratio": row["DEV_GPU_UTIL"] / 100,
        "nvidia_smi_utilization_memory_ratio": row["DEV_MEM_COPY_UTIL"] / 100,
        "nvidia_smi_memory_total_bytes": of.mib * 1048576,
        "nvidia_smi_memory_used_bytes": row["DEV_FB_USED"] * 1048576,
        "nvidia_smi_memory_free_bytes": row["DEV_FB_FREE"] * 1048576,
        "nvidia_smi_power_draw_watts": round(row["DEV_POWER_USAGE"], 2),
        "nvidia_smi_enforced_power_limit_watts": of.cap,
        "nvidia_smi_temperature_gpu": row["DEV_GPU_TEMP"],
        "nvidia_smi_clocks_current_sm_clock_hz": row["DEV_SM_CLOCK"] * 1000000,
        "nvidia_smi_clocks_current_memory_clock_hz": row["DEV_MEM_CLOCK"] * 1000000,
        "nvidia_smi_clocks_throttle_reasons_gpu_idle": reasons & 1,
        "nvidia_smi_clocks_throttle_reasons_sw_power_cap": int(bool(reasons & 4)),
        "nvidia_smi_clocks_throttle_reasons_hw_slowdown": 0,
        "nvidia_smi_clocks_throttle_reasons_hw_thermal_slowdown": 0,
        "nvidia_smi_clocks_throttle_reasons_sw_thermal_slowdown": 0,
        "nvidia_smi_command_exit_code": 0,
    }


def answer(place: Path, name: str, result: Sequence[dict[str, object]]) -> None:
    """The body of /api/v1/query_range."""
    whole = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    put(place, name, json.dumps(whole, separators=(",", ":")) + "\n")


def by_metric(place: Path, folder: str, result: Sequence[dict[str, object]]) -> None:
    """A file a metric."""
    names = sorted({one["metric"]["__name__"] for one in result})  # type: ignore[index]
    for name in names:
        answer(place, f"{folder}/{name}.json", [one for one in result if one["metric"]["__name__"] == name])  # type: ignore[index]


# ---- scheduler ------------------------------------------------------------------------------------------------------


def elapsed(seconds: float) -> str:
    """[D-]HH:MM:SS."""
    s = int(seconds)
    return (f"{s // 86400}-" if s >= 86400 else "") + f"{s % 86400 // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


def bars(place: Path, name: str, head: Sequence[str], rows: Sequence[dict[str, str]]) -> None:
    """Sacct -P."""
    put(place, name, ["|".join(head), *("|".join(row.get(one, "") for one in head) for row in rows)])


def columns(place: Path, name: str, wide: dict[str, int], rows: Sequence[dict[str, str]]) -> None:
    """Sacct in its columns, cut with a plus where too narrow."""

    def cell(text: str, width: int) -> str:
        return (text if len(text) <= width else text[: width - 1] + "+").rjust(width)

    lines = [" ".join(cell(one, w) for one, w in wide.items()) + " ", " ".join("-" * w for w in wide.values()) + " "]
    for row in rows:
        first, *rest = wide.items()
        text = row.get(first[0], "")
        lines.append(
            " ".join([text[: first[1]].ljust(first[1]), *(cell(row.get(one, ""), w) for one, w in rest)]) + " "
        )
    put(place, name, lines)


# ---- kernel ---------------------------------------------------------------------------------------------------------


def quiet(rng: Random, rack: Rack, node: int, begin: float) -> list[tuple[float, str]]:
    """What the kernel of a quiet node says."""
    of = CARDS[rack.card]
    boot = begin - rng.uniform(6, 45) * 86400
    lines = [
        (boot, "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"),
        (boot + 11.2, "nvidia: loading out-of-tree module taints kernel."),
        (boot + 11.9, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {of.driver}"),
        (boot + 13.1, f"[drm] Initialized nvidia-drm 0.0.0 for 0000:{rack.bus[0].lower()}:00.0 on minor 1"),
        (boot + 29.5, "nvidia-uvm: Loaded the UVM driver, major device number 511."),
    ]
    pool = (
        "perf: interrupt took too long (2504 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
        "mlx5_core 0000:a1:00.0: Port module event: module 0, Cable plugged",
        "TCP: request_sock_TCP: Possible SYN flooding on port 6818. Sending cookies.  Check SNMP counters.",
        "hrtimer: interrupt took 11382 ns",
        "ACPI Error: No handler for Region [POWR] (00000000f1a2b3c4) [IPMI] (20210730/evregion-130)",
        "usb 1-2.1: USB disconnect, device number 7",
        "EDAC MC3: 1 CE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x6aa15f)",
    )
    lines += [(begin - rng.uniform(600, 250000), one) for one in rng.sample(pool, rng.randrange(2, 6))]
    return sorted(lines)


def kernel(place: Path, name: str, form: str, site: Site, host: str, lines: Sequence[tuple[float, str]]) -> None:
    """The kernel log in one of the forms people send."""
    out = []
    for t, text in sorted(lines, key=lambda one: one[0]):
        who = (
            ""
            if text.startswith(("systemd", "earlyoom", "kubelet", "slurmd", "CRON", "sshd", "raylet"))
            else "kernel: "
        )
        if form == "dmesg -T":
            out.append(f"[{site.at(t, '%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "iso":
            out.append(f"{site.at(t, ISO)},{int(t * 1e6) % 1000000:06d}{site.offset()} {text}")
        elif form == "journal":
            out.append(f"{site.at(t, '%b %d %H:%M:%S')} {host} {who}{text}")
        elif form == "journal iso":
            out.append(f"{site.at(t, ISO)}{site.offset('')} {host} {who}{text}")
        elif form == "rsyslog":
            out.append(f"{site.at(t, ISO)}.{int(t * 1e6) % 1000000:06d}{site.offset()} {host} {who}{text}")
        else:
            out.append(f"{site.at(t, '%b %e %H:%M:%S')} {host} {who}{text}")
    put(place, name, out)


# ---- what jobs do ---------------------------------------------------------------------------------------------------


def falls(rng: Random, step: float, start: float, floor: float, pace: float, noise: float = 0.012) -> float:
    """A loss that learns."""
    clean = floor + (start - floor) * (0.7 * math.exp(-step / pace) + 0.3 / (1 + step / (4 * pace)))
    return clean * (1 + rng.gauss(0, noise))


def clocked(rng: Random, mem: float, hard: float = 0.8, rx: float = 250, tx: float = 120) -> Load:
    """A GPU that trains as it should."""
    dip = rng.random() < 0.04
    util = rng.uniform(71, 90) if dip else rng.uniform(96, 100)
    return Load(util, 0.78, 0.36, 0.42, hard * (0.8 if dip else 1), mem, rx, tx)


def spins(mem: float, rng: Random) -> Load:
    """A GPU that waits in a collective."""
    return Load(rng.uniform(99.4, 100), 0.11, 0.0, 0.004, 0.21, mem, 0.4, 0.4)


def resident(mem: float) -> Load:
    """A GPU that holds memory and runs nothing."""
    return Load(0, mem=mem)


def torchrun(
    site: Site, t: float, host: str, script: str, local: int, rank: int, pid: int, sig: tuple[int, str]
) -> list[str]:
    """The words of torchrun when a signal took one of its workers."""
    number, name = sig
    where = "torch/distributed/elastic/multiprocessing/api.py"
    agent = pid - 71
    return [
        *(
            f"W{site.at(t, '%m%d %H:%M:%S')}.{411 + i}000 {agent} {where}:898] Sending process {pid - local + i} closing signal SIGTERM"
            for i in range(4)
            if i != local
        ),
        f"E{site.at(t + 3, '%m%d %H:%M:%S')}.127000 {agent} {where}:870] failed (exitcode: -{number}) local_rank: {local} (pid: {pid}) of binary: /opt/conda/envs/clip/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/envs/clip/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/conda/envs/clip/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        '  File "/opt/conda/envs/clip/lib/python3.11/site-packages/torch/distributed/run.py", line 918, in main',
        "    run(args)",
        '  File "/opt/conda/envs/clip/lib/python3.11/site-packages/torch/distributed/run.py", line 909, in run',
        "    elastic_launch(",
        '  File "/opt/conda/envs/clip/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        '  File "/opt/conda/envs/clip/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 52,
        f"{script} FAILED",
        "-" * 52,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 52,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {site.at(t, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : -{number} (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : Signal {number} ({name}) received by PID {pid}",
        "=" * 52,
    ]
