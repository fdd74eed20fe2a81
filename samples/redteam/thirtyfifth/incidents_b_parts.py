"""SIMULATED: GPU tracks and the forms in which they are kept, for incidents_b. Nothing here was recorded on a GPU."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Model:
    """What a GPU model does at rest and at work."""

    name: str
    mib: int
    limit: float
    rest_w: float
    context_w: float
    rest_mhz: int
    boost: int
    mem_mhz: int
    rest_mem_mhz: int
    rest_c: float
    c_per_w: float
    reserved: int = 600


V100 = Model("Tesla V100-SXM2-32GB", 32768, 300, 41, 57, 135, 1530, 877, 877, 33, 0.11)
H100 = Model("NVIDIA H100 80GB HBM3", 81559, 700, 70, 117, 345, 1980, 2619, 2619, 29, 0.058)
R4090 = Model("NVIDIA GeForce RTX 4090", 24564, 450, 17, 58, 210, 2730, 10501, 405, 31, 0.083)
A40 = Model("NVIDIA A40", 46068, 300, 27, 76, 210, 1740, 7251, 405, 30, 0.155)
H200 = Model("NVIDIA H200", 143771, 700, 76, 121, 345, 1980, 3201, 3201, 28, 0.055)
A100 = Model("NVIDIA A100-SXM4-80GB", 81920, 400, 60, 84, 210, 1410, 1593, 1593, 30, 0.082)
A6000 = Model("NVIDIA RTX A6000", 49140, 300, 19, 74, 210, 1860, 8001, 405, 34, 0.14)


@dataclass
class Phase:
    """A stretch of one GPU's life: from ``start`` on (epoch seconds) until the next phase."""

    start: float
    util: float = 0
    jitter: float = 0
    memory: int = 0
    watts: float = 0  # at this phase's utilisation; 0 = at rest
    sm: float = 0
    tensor: float = 0
    dram: float = 0
    mhz: int = 0
    cap: bool = False
    dip: float = 0  # share of samples that fall into a pause (a save, an evaluation)


@dataclass
class Gpu:
    """One GPU: who it is and what it went through."""

    host: str
    index: int
    model: Model
    uuid: str
    bus: str
    phases: list[Phase]
    warm: float = 0
    samples: list[dict[str, float]] = field(default_factory=list)


def uuid(rng: Random) -> str:
    word = f"{rng.getrandbits(128):032x}"
    return f"GPU-{word[:8]}-{word[8:12]}-{word[12:16]}-{word[16:20]}-{word[20:]}"


def sample(rng: Random, gpu: Gpu, times: Sequence[float]) -> Gpu:
    """Fill the samples: temperature follows power with a lag, energy adds up."""
    model, heat, before = gpu.model, 0.0, times[0]
    energy, heat = rng.uniform(2e11, 9e12), gpu.model.rest_w
    for now in times:
        phase = next((one for one in reversed(gpu.phases) if now >= one.start), gpu.phases[0])
        util = phase.util + rng.gauss(0, phase.jitter) if phase.jitter else phase.util
        paused = phase.dip and rng.random() < phase.dip
        if paused:
            util *= rng.uniform(0.05, 0.6)
        util = max(0.0, min(100.0, util))
        share = min(1.0, util / phase.util) if phase.util else 0.0
        floor = model.context_w if phase.memory else model.rest_w
        watts = floor + (phase.watts - floor) * share if phase.watts else floor
        watts += rng.gauss(0, 0.008 * watts + 0.3)
        mhz = model.boost if phase.memory else model.rest_mhz
        if phase.mhz and share > 0.5:
            mhz = phase.mhz + 15 * rng.randint(-2, 2)
        if phase.cap and share > 0.7:
            watts = model.limit - abs(rng.gauss(0, 0.006 * model.limit))
            mhz -= 15 * rng.randint(4, 13)
        lag = min(1.0, (now - before) / 70)
        heat += (watts - heat) * lag
        energy += watts * (now - before) * 1000
        before = now
        gpu.samples.append(
            {
                "t": now,
                "util": round(util),
                "memutil": round(util * (0.25 + 0.6 * phase.dram)),
                "mem": phase.memory,
                "watts": round(watts, 3),
                "temp": round(model.rest_c + gpu.warm + model.c_per_w * (heat - model.rest_w)),
                "memtemp": round(model.rest_c + gpu.warm + 4 + 1.1 * model.c_per_w * (heat - model.rest_w)),
                "mhz": mhz,
                "mem_mhz": model.mem_mhz if phase.memory else model.rest_mem_mhz,
                "energy": int(energy),
                "cap": 1 if phase.cap and share > 0.7 else 0,
                "idle": 0 if phase.memory else 1,
                "engine": max(0.0, min(1.0, util / 100 * rng.uniform(0.97, 1.0))),
                "sm": max(0.0, phase.sm * share * rng.uniform(0.95, 1.05)),
                "tensor": max(0.0, phase.tensor * share * rng.uniform(0.93, 1.07)),
                "dram": max(0.0, phase.dram * share * rng.uniform(0.94, 1.06)),
            }
        )
    return gpu


def grid(start: float, end: float, step: int) -> list[float]:
    return [float(now) for now in range(int(start) // step * step, int(end), step)]


def local(epoch: float, hours: int) -> datetime:
    return datetime.fromtimestamp(epoch, UTC).astimezone(timezone(timedelta(hours=hours)))


PROFILING = (
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
)
DCGM: dict[str, Callable[[Gpu, dict[str, float]], float]] = {
    "DCGM_FI_DEV_SM_CLOCK": lambda gpu, one: one["mhz"],
    "DCGM_FI_DEV_MEM_CLOCK": lambda gpu, one: one["mem_mhz"],
    "DCGM_FI_DEV_GPU_TEMP": lambda gpu, one: one["temp"],
    "DCGM_FI_DEV_MEMORY_TEMP": lambda gpu, one: one["memtemp"],
    "DCGM_FI_DEV_POWER_USAGE": lambda gpu, one: one["watts"],
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda gpu, one: one["energy"],
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": lambda gpu, one: 0,
    "DCGM_FI_DEV_GPU_UTIL": lambda gpu, one: one["util"],
    "DCGM_FI_DEV_MEM_COPY_UTIL": lambda gpu, one: one["memutil"],
    "DCGM_FI_DEV_XID_ERRORS": lambda gpu, one: 0,
    "DCGM_FI_DEV_FB_USED": lambda gpu, one: one["mem"],
    "DCGM_FI_DEV_FB_FREE": lambda gpu, one: gpu.model.mib - gpu.model.reserved - one["mem"],
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda gpu, one: 0,
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda gpu, one: 0,
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda gpu, one: 0,
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda gpu, one: 0,
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda gpu, one: round(one["engine"], 6),
    "DCGM_FI_PROF_SM_ACTIVE": lambda gpu, one: round(one["sm"], 6),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda gpu, one: round(one["tensor"], 6),
    "DCGM_FI_PROF_DRAM_ACTIVE": lambda gpu, one: round(one["dram"], 6),
}


def answer(series: list[dict[str, Any]]) -> str:
    return (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}}, separators=(",", ":"))
        + "\n"
    )


def query_range(
    folder: Path,
    gpus: Sequence[Gpu],
    skip: Iterable[str] = (),
    holes: Callable[[Gpu, float], bool] = lambda gpu, now: False,
    labels: Callable[[Gpu, float], dict[str, str]] = lambda gpu, now: {},
    instance: Callable[[Gpu], str] = lambda gpu: f"{gpu.host}:9400",
    driver: str = "550.90.07",
    scrape: str = "dcgm-exporter",
) -> None:
    """Write one answer a metric; a change of labels makes a series of its own, as in Prometheus."""
    folder.mkdir(parents=True, exist_ok=True)
    for metric, read in DCGM.items():
        if metric in skip:
            continue
        found: dict[str, dict[str, Any]] = {}
        for gpu in gpus:
            for one in gpu.samples:
                if holes(gpu, one["t"]):
                    continue
                names = {
                    "__name__": metric,
                    "DCGM_FI_DRIVER_VERSION": driver,
                    "Hostname": gpu.host,
                    "UUID": gpu.uuid,
                    "device": f"nvidia{gpu.index}",
                    "gpu": str(gpu.index),
                    "instance": instance(gpu),
                    "job": scrape,
                    "modelName": gpu.model.name,
                    "pci_bus_id": gpu.bus,
                    **labels(gpu, one["t"]),
                }
                key = json.dumps(names, sort_keys=True)
                series = found.setdefault(key, {"metric": dict(sorted(names.items())), "values": []})
                value = read(gpu, one)
                series["values"].append(
                    [int(one["t"]), f"{value:g}" if isinstance(value, float) and value < 1e5 else str(int(value))]
                )
        (folder / f"{metric}.json").write_text(answer(list(found.values())))


def exporter(folder: Path, gpus: Sequence[Gpu], port: int = 9835) -> None:
    """nvidia_gpu_exporter's metrics as query_range gives them."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted: dict[str, Callable[[Gpu, dict[str, float]], float]] = {
        "nvidia_smi_utilization_gpu_ratio": lambda gpu, one: one["util"] / 100,
        "nvidia_smi_utilization_memory_ratio": lambda gpu, one: one["memutil"] / 100,
        "nvidia_smi_memory_used_bytes": lambda gpu, one: one["mem"] * 1048576,
        "nvidia_smi_memory_total_bytes": lambda gpu, one: gpu.model.mib * 1048576,
        "nvidia_smi_temperature_gpu": lambda gpu, one: one["temp"],
        "nvidia_smi_power_draw_watts": lambda gpu, one: round(one["watts"], 2),
        "nvidia_smi_enforced_power_limit_watts": lambda gpu, one: gpu.model.limit,
        "nvidia_smi_clocks_current_sm_clock_hz": lambda gpu, one: one["mhz"] * 1000000,
        "nvidia_smi_clocks_current_memory_clock_hz": lambda gpu, one: one["mem_mhz"] * 1000000,
        "nvidia_smi_clocks_throttle_reasons_gpu_idle": lambda gpu, one: one["idle"],
        "nvidia_smi_clocks_throttle_reasons_sw_power_cap": lambda gpu, one: one["cap"],
        "nvidia_smi_clocks_throttle_reasons_hw_slowdown": lambda gpu, one: 0,
        "nvidia_smi_ecc_errors_uncorrected_volatile_total": lambda gpu, one: 0,
        "nvidia_smi_pstate": lambda gpu, one: 0,
    }
    for metric, read in wanted.items():
        series = []
        for gpu in gpus:
            names = {"__name__": metric, "instance": f"{gpu.host}:{port}", "job": "nvidia-gpu", "uuid": gpu.uuid[4:]}
            series.append(
                {"metric": names, "values": [[int(one["t"]), f"{read(gpu, one):.12g}"] for one in gpu.samples]}
            )
        (folder / f"{metric}.json").write_text(answer(series))
    series = [
        {
            "metric": {
                "__name__": "nvidia_smi_gpu_info",
                "driver_model_current": "N/A",
                "driver_version": "535.183.01",
                "index": str(gpu.index),
                "instance": f"{gpu.host}:{port}",
                "job": "nvidia-gpu",
                "name": gpu.model.name,
                "uuid": gpu.uuid[4:],
                "vbios_version": "88.00.80.00.01",
            },
            "values": [[int(one["t"]), "1"] for one in gpu.samples],
        }
        for gpu in gpus
    ]
    (folder / "nvidia_smi_gpu_info.json").write_text(answer(series))


def smi_csv(path: Path, rng: Random, gpus: Sequence[Gpu], hours: int, until: float = 1e12, ecc: bool = True) -> None:
    """nvidia-smi --query-gpu=... --format=csv -l N of one node, in its local time."""
    head = (
        "timestamp, index, uuid, name, pstate, temperature.gpu, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], "
        "power.draw [W], enforced.power.limit [W], clocks.current.sm [MHz], clocks.current.memory [MHz], clocks_event_reasons.active"
    )
    lines = [head + (", ecc.errors.uncorrected.volatile.total" if ecc else "")]
    offset = rng.uniform(0.05, 0.9)
    for at, first in enumerate(gpus[0].samples):
        if first["t"] >= until:
            break
        offset += rng.uniform(0, 0.004)
        for gpu in gpus:
            one = gpu.samples[at]
            when = local(one["t"] + offset + 0.003 * gpu.index, hours)
            reasons = 0x4 if one["cap"] else 0x1 if one["idle"] or not one["util"] else 0
            state = "P8" if one["mem_mhz"] == 405 else "P2" if not ecc and one["util"] else "P0"
            line = (
                f"{when:%Y/%m/%d %H:%M:%S}.{when.microsecond // 1000:03d}, {gpu.index}, {gpu.uuid}, {gpu.model.name}, {state}, {one['temp']}, {one['util']} %, "
                f"{one['memutil']} %, {max(one['mem'], 1)} MiB, {gpu.model.mib} MiB, {one['watts']:.2f} W, {gpu.model.limit:.2f} W, {one['mhz']} MHz, "
                f"{one['mem_mhz']} MHz, 0x{reasons:016x}"
            )
            lines.append(line + (", 0" if ecc else ""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def dmon(path: Path, gpus: Sequence[Gpu], hours: int) -> None:
    """Dcgmi dmon through ts(1): fields 203,204,252,155,150,100,101,230."""
    lines = []
    for at, first in enumerate(gpus[0].samples):
        stamp = f"{local(first['t'], hours):%Y-%m-%dT%H:%M:%S%z} "
        if at % 10 == 0:
            lines.append(
                stamp + "#Entity   GPUTL     MCUTL     FBUSD       POWER       TMPTR     SMCLK     MMCLK     XIDER     "
            )
            lines.append(
                stamp
                + "ID                                          W           C                                       "
            )
        for gpu in gpus:
            one = gpu.samples[at]
            cells = [
                (one["util"], 10),
                (one["memutil"], 10),
                (one["mem"], 12),
                (f"{one['watts']:.3f}", 12),
                (one["temp"], 10),
                (one["mhz"], 10),
            ]
            cells += [(one["mem_mhz"], 10), (0, 10)]
            lines.append(stamp + f"GPU {gpu.index}     " + "".join(f"{value!s:<{wide}}" for value, wide in cells))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def kernel(path: Path, form: str, host: str, hours: int, boot: float, events: Sequence[tuple[float, str]]) -> None:
    """A kernel log with events at epoch seconds; form is iso, -T, journalctl or syslog."""
    lines = []
    for when, text in sorted(events, key=lambda event: event[0]):
        at = local(when, hours)
        if form == "iso":
            lines.append(f"{at:%Y-%m-%dT%H:%M:%S},{at.microsecond:06d}{at.isoformat()[-6:]} {text}")
        elif form == "-T":
            lines.append(f"[{at:%a %b} {at.day:>2} {at:%H:%M:%S %Y}] {text}")
        elif form == "journalctl":
            lines.append(f"{at:%b %d %H:%M:%S} {host} kernel: {text}")
        else:
            lines.append(f"{at:%b} {at.day:>2} {at:%H:%M:%S} {host} kernel: [{when - boot:12.6f}] {text}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def ordinary(rng: Random, start: float, end: float, extra: Sequence[str] = ()) -> list[tuple[float, str]]:
    """What a kernel says on any day, some of it days before."""
    nic = rng.choice(["ens3f0", "eno1np0", "enp65s0f0"])
    pool = [
        'audit: type=1400 audit(1770000000.412:98): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="/usr/lib/snapd/snap-confine" pid=3381 comm="apparmor_parser"',
        f"mlx5_core 0000:41:00.0 {nic}: Link up",
        "perf: interrupt took too long (3196 > 3130), lowering kernel.perf_event_max_sample_rate to 62500",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 509",
        "hrtimer: interrupt took 16211 ns",
        "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none.",
        "TCP: request_sock_TCP: Possible SYN flooding on port 9100. Sending cookies.  Check SNMP counters.",
        "nfs: server 10.20.0.5 not responding, still trying",
        "nfs: server 10.20.0.5 OK",
        "systemd-journald[611]: Data hash table of /run/log/journal has a fill level at 75.0, suggesting rotation.",
        *extra,
    ]
    nfs = rng.uniform(start - 5 * 86400, start - 40000)
    rare = ("nvlink", "Link up", "EXT4", "fill level")  # not while a job computes
    found = [
        (rng.uniform(start - 3 * 86400, start - 900 if any(word in text for word in rare) else end), text)
        for text in rng.sample(pool[:7] + pool[9:], 6)
    ]
    return [*found, (nfs, pool[7]), (nfs + rng.uniform(4, 20), pool[8])]


def loss(step: float, high: float, low: float, half: float, power: float = 0.6) -> float:
    return low + (high - low) / (1 + step / half) ** power
