"""Incidents t09 to t16 of the thirty-first set. SIMULATED: no line here was taken from a real job."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

    Target = Callable[[float], dict[str, float]]
    Row = dict[str, float]


@dataclass(frozen=True)
class _Card:
    """What a card can do."""

    name: str
    total: int
    reserved: int
    idle_w: float
    limit: float
    idle_clk: int
    top_clk: int
    mem_clk: int
    mem_idle: int
    rest: float
    heat: float
    """Degrees by watt."""
    driver: str


_A40: Final = _Card("NVIDIA A40", 46068, 584, 31, 300, 210, 1740, 7251, 405, 29, 0.145, "550.127.08")
_H200: Final = _Card("NVIDIA H200", 143771, 622, 76, 700, 345, 1980, 3201, 3201, 28, 0.055, "570.133.20")
_H100: Final = _Card("NVIDIA H100 80GB HBM3", 81559, 556, 69, 700, 345, 1980, 2619, 2619, 29, 0.058, "560.35.05")
_V100: Final = _Card("Tesla V100-SXM2-32GB", 32768, 272, 43, 300, 135, 1530, 877, 877, 32, 0.1, "535.216.03")
_4090: Final = _Card("NVIDIA GeForce RTX 4090", 24564, 434, 22, 450, 210, 3105, 10501, 405, 33, 0.08, "565.57.01")


@dataclass
class _Gpu:
    """A GPU of a node, and what was sampled of it."""

    card: _Card
    host: str
    index: int
    uuid: str
    bus: str
    rows: list[tuple[float, Row]]


def _zone(text: str) -> timezone:
    return timezone(timedelta(hours=int(text[:3])))


def _at(zone: timezone, *parts: int) -> float:
    return datetime(*parts, tzinfo=zone).timestamp()  # type: ignore[misc, arg-type]


def _iso(zone: timezone, when: float) -> str:
    return datetime.fromtimestamp(int(when), zone).strftime("%Y-%m-%dT%H:%M:%S")


def _fmt(zone: timezone, when: float, form: str) -> str:
    return datetime.fromtimestamp(when, zone).strftime(form)


def _milli(zone: timezone, when: float, mark: str = ",") -> str:
    moment = datetime.fromtimestamp(when, zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}{mark}{moment.microsecond // 1000:03d}"


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _hex(rng: Random, count: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(count))


def _gpus(rng: Random, card: _Card, host: str, count: int, buses: Sequence[str]) -> list[_Gpu]:
    made = []
    for index in range(count):
        uuid = f"GPU-{_hex(rng, 8)}-{_hex(rng, 4)}-{_hex(rng, 4)}-{_hex(rng, 4)}-{_hex(rng, 12)}"
        made.append(_Gpu(card, host, index, uuid, f"00000000:{buses[index]}:00.0", []))
    return made


def _idle(card: _Card) -> Row:
    return {
        "util": 0,
        "mc": 0,
        "fb": 4,
        "w": card.idle_w,
        "clk": card.idle_clk,
        "why": 1,
        "gr": 0,
        "sm": 0,
        "ten": 0,
        "dram": 0,
    }


def _sample(rng: Random, gpu: _Gpu, times: Sequence[float], target: Target) -> None:
    """Follow the target with noise, and let the temperature come after the power."""
    card, last, energy = gpu.card, None, rng.uniform(4e12, 9e12)
    offset, warm, share = rng.uniform(-2, 3), card.rest, rng.uniform(0.97, 1.03)
    for when in times:
        want = target(when)
        idle = want["util"] == 0 and want["fb"] < 100
        row = dict(want)
        if not idle:
            row["util"] = max(0, min(100, round(want["util"] + rng.gauss(0, 1.1))))
            row["mc"] = max(0, min(100, round(want["mc"] + rng.gauss(0, 1.6))))
            row["fb"] = round(want["fb"])
            if want["clk"] < card.top_clk and want["util"] > 50:
                row["clk"] = min(card.top_clk, round((want["clk"] + rng.gauss(0, 18)) / 15) * 15)
            for name in ("gr", "sm", "ten", "dram"):
                row[name] = max(0.0, min(1.0, want[name] * (1 + rng.gauss(0, 0.03))))
        row["w"] = min(
            card.limit * 1.005,
            max(card.idle_w - 3, want["w"] * share + rng.gauss(0, 0.5 if idle else 0.014 * want["w"])),
        )
        step = when - last if last is not None else 0
        energy += row["w"] * step * 1000
        warm += (card.rest + offset + card.heat * (row["w"] - card.idle_w) - warm) * (1 - math.exp(-step / 85))
        row["temp"], row["mtemp"], row["energy"] = round(warm), round(warm + 4 + 0.01 * row["w"]), round(energy)
        row["mclk"] = card.mem_idle if idle else card.mem_clk
        row["free"] = card.total - card.reserved - row["fb"]
        gpu.rows.append((when, row))
        last = when


_DCGM: Final = {
    "DCGM_FI_DEV_SM_CLOCK": ("clk", "d"),
    "DCGM_FI_DEV_MEM_CLOCK": ("mclk", "d"),
    "DCGM_FI_DEV_GPU_TEMP": ("temp", "d"),
    "DCGM_FI_DEV_MEMORY_TEMP": ("mtemp", "d"),
    "DCGM_FI_DEV_POWER_USAGE": ("w", ".3f"),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("energy", "d"),
    "DCGM_FI_DEV_GPU_UTIL": ("util", "d"),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("mc", "d"),
    "DCGM_FI_DEV_FB_USED": ("fb", "d"),
    "DCGM_FI_DEV_FB_FREE": ("free", "d"),
    "DCGM_FI_DEV_XID_ERRORS": ("xid", "d"),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": ("why", "d"),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": ("sbe", "d"),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("dbe", "d"),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gr", ".6f"),
    "DCGM_FI_PROF_SM_ACTIVE": ("sm", ".6f"),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("ten", ".6f"),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("dram", ".6f"),
    "DCGM_FI_PROF_PCIE_TX_BYTES": ("tx", "d"),
    "DCGM_FI_PROF_PCIE_RX_BYTES": ("rx", "d"),
}


def _matrix(path: Path, series: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = {"status": "success", "data": {"resultType": "matrix", "result": series}}
    path.write_text(json.dumps(body, separators=(",", ":")) + "\n")


def _dcgm(gpus: Sequence[_Gpu], name: str, port: str = "9400") -> list[dict[str, Any]]:
    """Give the series of a field as Prometheus answers them."""
    key, form = _DCGM[name]
    made = []
    for gpu in gpus:
        label = {
            "__name__": name,
            "DCGM_FI_DRIVER_VERSION": gpu.card.driver,
            "Hostname": gpu.host,
            "UUID": gpu.uuid,
            "device": f"nvidia{gpu.index}",
            "gpu": str(gpu.index),
            "instance": f"{gpu.host}:{port}",
            "job": "dcgm-exporter",
            "modelName": gpu.card.name,
            "pci_bus_id": gpu.bus,
        }
        values = []
        for when, row in gpu.rows:
            value = row.get(key, 0)
            values.append([int(when), format(round(value), "d") if form == "d" else format(value, form)])
        made.append({"metric": label, "values": values})
    return made


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def _times(begin: float, end: float, step: int) -> list[float]:
    first = int(begin) - int(begin) % step
    return [float(when) for when in range(first, int(end) + 1, step)]


def _columns(heads: Sequence[tuple[str, int]], rows: Sequence[Sequence[str]]) -> list[str]:
    """Print as sacct does: flush right, cut with a plus, a rule below the heads."""

    def cell(text: str, width: int) -> str:
        size = abs(width)
        text = text if len(text) <= size else text[: size - 1] + "+"
        return text.ljust(size) if width < 0 else text.rjust(size)

    lines = [
        " ".join(cell(head, width) for head, width in heads) + " ",
        " ".join("-" * abs(width) for _, width in heads) + " ",
    ]
    lines += [" ".join(cell(text, width) for text, (_, width) in zip(row, heads, strict=True)) + " " for row in rows]
    return lines


_KERNEL: Final = (
    "perf: interrupt took too long (4%d%d2 > 39%d1), lowering kernel.perf_event_max_sample_rate to 50000",
    "nfs: server nas0%d not responding, still trying",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth%d%d%da: link becomes ready",
    "systemd-journald[1%d%d2]: Data hash table of /var/log/journal has a fill level at 75.0, suggesting rotation.",
    "TCP: request_sock_TCP: Possible SYN flooding on port 29%d00. Sending cookies.  Check SNMP counters.",
    "EXT4-fs (nvme0n1p%d): re-mounted. Opts: errors=remount-ro. Quota mode: none.",
    "hrtimer: interrupt took %d%d4%d ns",
    "process 'local/bin/nvtop' started with executable stack",
    "loop%d: detected capacity change from 0 to 1%d5%d32",
    "kauditd_printk_skb: %d callbacks suppressed",
)


def _kernel(rng: Random, begin: float, end: float, count: int) -> list[tuple[float, str]]:
    lines, seen = [], set()
    for _ in range(count):
        form, when = rng.choice(_KERNEL), rng.uniform(begin, end)
        text = form % tuple(rng.randint(1, 8) for _ in range(form.count("%d")))
        if form in seen and ("executable" in form or "SYN" in form or "EXT4" in form):
            continue
        seen.add(form)
        lines.append((when, text))
        if text.startswith("nfs:"):
            lines.append((min(end, when + rng.uniform(4, 70)), text.split(" not ")[0] + " OK"))
    return sorted(lines)


def _dmesg_t(zone: timezone, lines: Sequence[tuple[float, str]]) -> list[str]:
    return [f"[{_fmt(zone, when, '%a %b %e %H:%M:%S %Y')}] {text}" for when, text in lines]


def _boot(rng: Random, when: float, gpus: Sequence[_Gpu]) -> list[tuple[float, str]]:
    driver = gpus[0].card.driver
    lines = [
        "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld 2.38) #132-Ubuntu SMP",
        "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-122-generic root=/dev/mapper/vg0-root ro iommu=pt cgroup_enable=memory swapaccount=1",
        "x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'",
        "ACPI: IRQ0 used by override.",
        "nvidia: loading out-of-tree module taints kernel.",
        "nvidia: module license 'NVIDIA' taints kernel.",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 509",
        f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Release Build  (dvs-builder@U16-I3-B03-4-3)",
        "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms",
        *[
            f"[drm] Initialized nvidia-drm 0.0.0 20160202 for {gpu.bus[4:].lower()} on minor {gpu.index + 1}"
            for gpu in gpus
        ],
        "nvidia-uvm: Loaded the UVM driver, major device number 507.",
        "RPC: Registered tcp NFSv4.1 backchannel transport module.",
    ]
    made = []
    for line in lines:
        when += rng.uniform(0.01, 1.8)
        made.append((when, line))
    return made


def _near(when: float, spans: Sequence[tuple[float, float]]) -> bool:
    return any(begin <= when < end for begin, end in spans)


def _number(value: int, *, set_: bool = True) -> dict[str, Any]:
    return {"set": set_, "infinite": False, "number": value}


def _exit(code: int) -> dict[str, Any]:
    return {
        "status": ["ERROR" if code else "SUCCESS"],
        "return_code": _number(code),
        "signal": {"id": _number(0, set_=False), "name": ""},
    }


def _sacct_json(job: dict[str, Any], steps: Sequence[tuple[str, str, int, float, float]], argv: Sequence[str]) -> str:
    """Write a job as sacct --json of Slurm 23.11 does."""
    made = []
    for step, state, code, begin, end in steps:
        names = {"batch": "batch", "extern": "extern"}
        made.append(
            {
                "time": {
                    "elapsed": int(end - begin),
                    "end": _number(int(end)),
                    "start": _number(int(begin)),
                    "suspended": 0,
                    "system": {"seconds": 412, "microseconds": 55120},
                    "total": {"seconds": 20931, "microseconds": 120031},
                    "user": {"seconds": 20518, "microseconds": 64911},
                },
                "exit_code": _exit(code),
                "nodes": {
                    "count": len(job["hosts"]) if step != "batch" else 1,
                    "range": job["nodes"],
                    "list": job["hosts"],
                },
                "tasks": {"count": len(job["hosts"]) if step != "batch" else 1},
                "pid": "",
                "kill_request_user": "",
                "state": [state],
                "step": {"id": f"{job['id']}.{step}", "name": names.get(step, job["step"])},
                "task": {"distribution": "Unknown"},
            }
        )
    body = {
        "jobs": [
            {
                "account": job["account"],
                "comment": {"administrator": "", "job": "", "system": ""},
                "allocation_nodes": len(job["hosts"]),
                "array": {
                    "job_id": 0,
                    "limits": {"max": {"running": {"tasks": 0}}},
                    "task_id": _number(0, set_=False),
                    "task": "",
                },
                "association": {
                    "account": job["account"],
                    "cluster": job["cluster"],
                    "partition": "",
                    "user": job["user"],
                    "id": 118,
                },
                "block": "",
                "cluster": job["cluster"],
                "constraints": "",
                "container": "",
                "derived_exit_code": _exit(job["code"]),
                "time": {
                    "elapsed": int(job["end"] - job["start"]),
                    "eligible": int(job["submit"]),
                    "end": int(job["end"]),
                    "start": int(job["start"]),
                    "submission": int(job["submit"]),
                    "suspended": 0,
                    "system": {"seconds": 413, "microseconds": 10220},
                    "limit": _number(job["limit"]),
                    "total": {"seconds": 20934, "microseconds": 7714},
                    "user": {"seconds": 20520, "microseconds": 997494},
                },
                "exit_code": _exit(job["code"]),
                "extra": "",
                "failed_node": "",
                "flags": ["STARTED_ON_BACKFILL"],
                "group": job["user"],
                "job_id": job["id"],
                "name": job["name"],
                "kill_request_user": "",
                "nodes": job["nodes"],
                "partition": job["partition"],
                "priority": _number(10412),
                "qos": "normal",
                "required": {"CPUs": 16, "memory_per_cpu": _number(0, set_=False), "memory_per_node": _number(184320)},
                "restart_cnt": 0,
                "reservation": {"id": 0, "name": ""},
                "state": {"current": [job["state"]], "reason": "None"},
                "steps": made,
                "submit_line": job["line"],
                "tres": {
                    "allocated": [
                        {"type": "cpu", "name": "", "id": 1, "count": 16 * len(job["hosts"])},
                        {"type": "mem", "name": "", "id": 2, "count": 184320 * len(job["hosts"])},
                        {"type": "node", "name": "", "id": 4, "count": len(job["hosts"])},
                        {"type": "gres", "name": "gpu", "id": 1001, "count": job["gpus"] * len(job["hosts"])},
                    ],
                },
                "user": job["user"],
                "working_directory": job["dir"],
            }
        ],
        "meta": {
            "plugin": {
                "type": "openapi/slurmdbd",
                "name": "Slurm OpenAPI slurmdbd",
                "data_parser": "data_parser/v0.0.40",
                "accounting_storage": "",
            },
            "command": list(argv),
            "slurm": {
                "version": {"major": "23", "micro": "7", "minor": "11"},
                "release": "23.11.7",
                "cluster": job["cluster"],
            },
        },
        "errors": [],
        "warnings": [],
    }
    return json.dumps(body, indent=2) + "\n"


def t09_calving(place: Path, rng: Random) -> None:
    """A glacier group segments calving fronts from SAR; the log is full of words that sound bad, and all went well."""
    zone, host, user, number = _zone("+00:00"), "pice-g03", "hnygaard", 220418
    start = _at(zone, 2025, 10, 14, 6, 41, 12)
    end = start + 129 * 60 + rng.randint(-15, 15)
    gpus = _gpus(rng, _A40, host, 2, ("31", "98"))
    log, now, pauses = [], start + 3.1, []

    def say(level: str, name: str, text: str) -> None:
        nonlocal now
        now += rng.uniform(0.002, 0.28)
        log.append(f"{_milli(zone, now)} {level:<8} {name}: {text}")

    log += [
        "fatal: not a git repository (or any parent up to mount point /scratch)",
        "Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
    ]
    say(
        "INFO",
        "calve.cli",
        "args: data=/scratch/hnygaard/s1_fronts_v4 arch=unet_r50 tile=512 batch=24 epochs=24 lr=3e-4 amp=bf16 ddp=2",
    )
    say("WARNING", "calve.cli", "no git revision found, run will be tagged 'unknown'")
    now += 6.2
    say("INFO", "calve.dist", "rank 0/2 on pice-g03 cuda:0 (NVIDIA A40)")
    say("INFO", "calve.dist", "rank 1/2 on pice-g03 cuda:1 (NVIDIA A40)")
    now += 14.0
    say("INFO", "calve.data", "indexed 31284 train / 3476 val / 2110 test tiles, 412 scenes")
    say("WARNING", "calve.data", "17 tiles in quarantine.txt (corrupt strips), skipped")
    now += 22.0
    say("INFO", "calve.model", "unet_r50: 32.52 M parameters, encoder from imagenet weights")
    say(
        "ERROR",
        "calve.hooks",
        "could not reach tracking server http://mlflow.pice.local:5000 (connection refused), logging to file only",
    )
    train_from, epochs, steps = now + 9, 24, 651
    fall = [0.62 * math.exp(-epoch / 4.6) + 0.118 for epoch in range(epochs + 1)]
    span = (end - 95 - train_from) / epochs
    now, best = train_from, 0.0
    for epoch in range(1, epochs + 1):
        begin = train_from + (epoch - 1) * span
        for step in range(50, steps + 1, 50):
            now = begin + step / steps * (span - 34) + rng.uniform(-0.2, 0.2)
            part = step / steps
            loss = fall[epoch - 1] * (1 - part) + fall[epoch] * part + rng.gauss(0, 0.008)
            rate = 3e-4 * 0.5 * (1 + math.cos(math.pi * (epoch - 1 + part) / epochs))
            say(
                "INFO",
                "calve.train",
                f"epoch {epoch:02d} step {step:4d}/{steps} loss {loss:.4f} lr {rate:.2e} {48 * steps / (span - 34) + rng.gauss(0, 1.2):.1f} tiles/s",
            )
            if rng.random() < 0.035:
                scene = f"S1A_IW_GRDH_1SDH_{rng.randint(2017, 2024)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"
                say(
                    "WARNING",
                    "calve.data",
                    f"read failed for {scene} tile {rng.randint(0, 96)}: RasterioIOError('Read or write failed. "
                    f"TIFFReadEncodedStrip() failed.'), retry 1/5 ok",
                )
            if rng.random() < 0.012:
                say(
                    "WARNING",
                    "calve.loss",
                    f"batch without front pixels, dice undefined (0/0), term dropped for {rng.randint(1, 3)} of 24 samples",
                )
        pauses.append((begin + span - 34, begin + span - 4))
        now = begin + span - 4
        iou = 0.41 + 0.43 * (1 - math.exp(-epoch / 5.5)) + rng.gauss(0, 0.006)
        error = 1410 * math.exp(-epoch / 5.0) + 148 + rng.gauss(0, 9)
        say(
            "INFO",
            "calve.eval",
            f"epoch {epoch:02d} val_loss {fall[epoch] + 0.021 + rng.gauss(0, 0.004):.4f} iou {iou:.4f} front_error_m "
            f"{error:.1f} killed_islands {rng.randint(88, 190)}",
        )
        if iou > best:
            best = iou
            now += 1.6
            say("INFO", "calve.ckpt", f"saved runs/fronts_v4_b/best.pt (iou {iou:.4f})")
    now = end - 60
    say(
        "INFO",
        "calve.eval",
        f"test: iou {best - 0.008:.4f} front_error_m {162.4 + rng.gauss(0, 4):.1f} failure_rate "
        f"{0.011 + rng.random() * 0.003:.4f} (scenes with no front found)",
    )
    now = end - 6.5
    say("INFO", "calve.ckpt", "saved runs/fronts_v4_b/last.pt")
    say("INFO", "calve.cli", f"finished 24 epochs, {24 * steps} steps in {_clock(end - 6 - start)}")
    log.append(
        "[rank0]:[W1014 08:50:02.118204511 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not "
        "called before program exit, which can leak resources."
    )
    _write(place / f"fronts_v4_{number}.log", log)

    def target(when: float) -> Row:
        if when < start + 35 or when > end - 3:
            return _idle(_A40)
        if when < train_from:
            return {**_idle(_A40), "fb": 1431, "util": 2, "w": 72, "clk": 1740, "why": 0}
        if _near(when, pauses) or when > end - 95:
            return {**_idle(_A40), "fb": 33217, "util": 61, "mc": 33, "w": 188, "clk": 1740, "why": 0}
        return {**_idle(_A40), "fb": 33217, "util": 96, "mc": 58, "w": 281, "clk": 1695, "why": 0}

    times = _times(start - 180, end + 150, 30)
    for gpu in gpus:
        _sample(rng, gpu, times, target)
    text = []
    head = "#Entity   GPUTL   MCUTL   FBUSD     POWER     TMPTR   SMCLK   MMCLK   XIDER"
    for place_in, when in enumerate(times):
        stamp = _fmt(zone, when, "%Y-%m-%dT%H:%M:%S+0000")
        if place_in % 12 == 0:
            text += [f"{stamp} {head}", f"{stamp} ID        "]
        for gpu in gpus:
            row = gpu.rows[place_in][1]
            text.append(
                f"{stamp} GPU {gpu.index}     {row['util']:<8}{row['mc']:<8}{row['fb']:<10}{row['w']:<10.3f}{row['temp']:<8}{row['clk']:<8}{row['mclk']:<8}0"
            )
    _write(place / "dcgmi_dmon_pice-g03.txt", text)
    job = {
        "id": number,
        "name": "fronts_v4",
        "user": user,
        "account": "cryo",
        "cluster": "pice",
        "partition": "gpu",
        "hosts": [host],
        "nodes": host,
        "start": start,
        "end": end,
        "submit": start - 1312,
        "limit": 240,
        "state": "COMPLETED",
        "code": 0,
        "gpus": 2,
        "step": "torchrun",
        "line": "sbatch jobs/fronts_v4.sh",
        "dir": "/home/hnygaard/calve",
    }
    steps_of = [
        ("batch", "COMPLETED", 0, start, end),
        ("extern", "COMPLETED", 0, start, end),
        ("0", "COMPLETED", 0, start + 2, end),
    ]
    (place / "sacct.json").write_text(_sacct_json(job, steps_of, ["sacct", "-j", str(number), "--json"]))
    boot = start - 11 * 86400 - rng.uniform(0, 60000)
    lines = _boot(rng, boot, gpus) + _kernel(rng, boot + 60, end + 300, 46)
    _write(place / "dmesg_pice-g03.txt", _dmesg_t(zone, lines))


def t10_kelp(place: Path, rng: Random) -> None:
    """A weather emulator on two nodes whose one rank works far more than the others, which wait for it; no words of its own."""
    zone, hosts, number = _zone("+09:00"), ("hk-gpu021", "hk-gpu022"), 9051773
    start = _at(zone, 2025, 6, 19, 20, 14, 47)
    end = start + 178 * 60 + rng.randint(-25, 25)
    nodes = {host: _gpus(rng, _H200, host, 4, ("18", "3A", "9A", "BA")) for host in hosts}
    gpus = [gpu for host in hosts for gpu in nodes[host]]
    times = _times(start - 240, end + 240, 15)
    saves = [(start + 210 + 1710 * turn, start + 226 + 1710 * turn) for turn in range(1, 7)]

    def target(slow: bool) -> Target:
        def of(when: float) -> Row:
            if when < start + 40 or when > end - 4:
                return _idle(_H200)
            if when < start + 205:
                return {
                    **_idle(_H200),
                    "fb": 2190 if when < start + 110 else 61844,
                    "util": 3,
                    "w": 121,
                    "clk": 1980,
                    "why": 0,
                    "gr": 0.02,
                    "sm": 0.004,
                }
            if _near(when, saves):
                return {
                    **_idle(_H200),
                    "fb": 97412,
                    "util": 8,
                    "w": 138,
                    "clk": 1980,
                    "why": 0,
                    "gr": 0.08,
                    "sm": 0.01,
                    "dram": 0.01,
                }
            if slow:
                return {
                    **_idle(_H200),
                    "fb": 97412,
                    "util": 99,
                    "mc": 44,
                    "w": 487,
                    "clk": 1980,
                    "why": 0,
                    "gr": 0.985,
                    "sm": 0.571,
                    "ten": 0.243,
                    "dram": 0.312,
                }
            return {
                **_idle(_H200),
                "fb": 97412,
                "util": 100,
                "mc": 12,
                "w": 262,
                "clk": 1980,
                "why": 0,
                "gr": 0.992,
                "sm": 0.163,
                "ten": 0.058,
                "dram": 0.081,
            }

        return of

    for gpu in gpus:
        _sample(rng, gpu, times, target(gpu.host == hosts[1] and gpu.index == 2))
    skip = {
        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
        "DCGM_FI_PROF_PCIE_TX_BYTES",
        "DCGM_FI_PROF_PCIE_RX_BYTES",
        "DCGM_FI_DEV_MEM_CLOCK",
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
    }
    for name in _DCGM:
        if name not in skip:
            _matrix(place / "prometheus" / f"{name}.json", _dcgm(gpus, name))
    took, cpu = _clock(end - start), "cpu=96,gres/gpu=8,mem=1600G,node=2"
    head = "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|NNodes|NodeList|AllocTRES"
    begin, stop = _iso(zone, start), _iso(zone, end)
    sent = _iso(zone, start - 5210)
    step = _iso(zone, start + 5)
    _write(
        place / "sacct.txt",
        [
            head,
            f"{number}|seto-emul-ft|m.okabe|h200|COMPLETED|0:0|{sent}|{begin}|{stop}|{took}|2|hk-gpu[021-022]|{cpu}",
            f"{number}.batch|batch|||COMPLETED|0:0|{begin}|{begin}|{stop}|{took}|1|hk-gpu021|cpu=48,gres/gpu=4,mem=800G,node=1",
            f"{number}.extern|extern|||COMPLETED|0:0|{begin}|{begin}|{stop}|{took}|2|hk-gpu[021-022]|{cpu}",
            f"{number}.0|python|||COMPLETED|0:0|{step}|{step}|{stop}|{_clock(end - start - 5)}|2|hk-gpu[021-022]|{cpu}",
        ],
    )
    for host in hosts:
        boot = start - rng.randint(20, 44) * 86400 - rng.uniform(0, 60000)
        _write(
            place / "kernel" / f"{host}.dmesg",
            _dmesg_t(zone, _boot(rng, boot, nodes[host]) + _kernel(rng, boot + 90, end + 400, rng.randint(40, 75))),
        )
    tail = " Arch=x86_64 CoresPerSocket=48"
    shown = []
    for host in hosts:
        shown += [
            f"NodeName={host}{tail}",
            f"   CPUAlloc=0 CPUEfctv=96 CPUTot=96 CPULoad={rng.uniform(0.2, 2):.2f}",
            "   AvailableFeatures=h200,ndr",
            "   Gres=gpu:h200:4(S:0-1)",
            f"   NodeAddr={host} NodeHostName={host} Version=24.05.4",
            f"   RealMemory=1547000 AllocMem=0 FreeMem={rng.randint(1300000, 1500000)} Sockets=2 Boards=1",
            "   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            "   Partitions=h200 ",
            "",
        ]
    _write(place / "scontrol_show_node.txt", shown)


def t11_basque(place: Path, rng: Random) -> None:
    """A small language model on two nodes which have but an office network between them: all of the time goes there."""
    zone, hosts, number = _zone("+00:00"), ("lab-a40-1", "lab-a40-2"), 3381
    start = _at(zone, 2025, 3, 4, 21, 7, 33)
    end = start + 469 * 60 + rng.randint(-25, 25)
    nodes = {host: _gpus(rng, _A40, host, 2, ("17", "CA")) for host in hosts}
    first, total = start + 96, 1200
    iteration = (end - 40 - first) / total
    times = _times(start - 600, end + 600, 60)

    def target(when: float) -> Row:
        if when < start + 30 or when > end - 4:
            return _idle(_A40)
        if when < first:
            return {**_idle(_A40), "fb": 9120, "util": 1, "w": 76, "clk": 1740, "why": 0, "gr": 0.01, "sm": 0.002}
        near = {
            **_idle(_A40),
            "fb": 30962,
            "util": 100,
            "mc": 6,
            "w": 104,
            "clk": 1740,
            "why": 0,
            "gr": 0.989,
            "sm": 0.094,
            "ten": 0.021,
            "dram": 0.048,
        }
        return {**near, "tx": rng.gauss(1.19e8, 3e6), "rx": rng.gauss(1.21e8, 3e6)}

    for host in hosts:
        _sample(rng, nodes[host][0], times, target)
        _sample(rng, nodes[host][1], times, lambda _: _idle(_A40))
        _matrix(
            place / f"dcgm_{host}.json",
            [one for name in _DCGM if "MEMORY_TEMP" not in name for one in _dcgm(nodes[host], name)],
        )
    log = [
        "+ srun --ntasks-per-node=1 bash -c 'torchrun --nnodes 2 --nproc_per_node 1 --rdzv_backend c10d --rdzv_endpoint "
        "lab-a40-1:29400 run_train.py --config-file euskara_0.7b.yaml'",
    ]
    for rank, host in enumerate(hosts):
        pid, ip = rng.randint(21000, 61000), f"10.20.4.{61 + rank}"
        log += [
            f"{host}:{pid}:{pid} [0] NCCL INFO Bootstrap : Using eno1:{ip}<0>",
            f"{host}:{pid}:{pid} [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)",
            f"{host}:{pid}:{pid + 88} [0] NCCL INFO NET/IB : No device found.",
            f"{host}:{pid}:{pid + 88} [0] NCCL INFO NET/Socket : Using [0]eno1:{ip}<0>",
            f"{host}:{pid}:{pid + 88} [0] NCCL INFO Using network Socket",
            f"{host}:{pid}:{pid + 88} [0] NCCL INFO Channel 00/0 : {rank}[0] -> {1 - rank}[0] [send] via NET/Socket/0",
            f"{host}:{pid}:{pid + 88} [0] NCCL INFO Channel 01/0 : {rank}[0] -> {1 - rank}[0] [send] via NET/Socket/0",
            f"{host}:{pid}:{pid + 88} [0] NCCL INFO Connected all rings",
        ]

    def say(when: float, text: str) -> None:
        log.append(f"{_fmt(zone, when, '%m/%d/%Y %H:%M:%S')} [INFO|DP=0|PP=0|TP=0|{hosts[0]}]: {text}")

    say(start + 31, "Config:")
    log.append(
        "Config(general=GeneralArgs(project='euskara', run='euskara_0.7b_dp2', seed=42, step=None, consumed_train_samples=None, ignore_sanity_checks=True),"
    )
    log.append(
        "       parallelism=ParallelismArgs(dp=2, pp=1, tp=1, "
        "pp_engine=<nanotron.parallel.pipeline_parallel.engine.AllForwardAllBackwardPipelineEngine>, tp_mode=ALL_REDUCE),"
    )
    log.append(
        "       checkpoints=CheckpointsArgs(checkpoints_path='/data/nt/euskara_0.7b', checkpoint_interval=200, save_initial_state=False))"
    )
    say(start + 52, "Building model..")
    say(start + 53, "Initialize RoPE Theta = 10000.0")
    say(start + 61, "Total number of parameters: 690M (1316.07MiB)")
    say(
        start + 61,
        "[After model building] Memory usage: 1316.51MiB. Peak allocated: 1316.53MiB Peak reserved: 1326.00MiB",
    )
    say(start + 77, "[Optimizer Building] Using LearningRateForSP as learning rate")
    say(start + 84, "[Training Plan] There are 1 training stages ")
    say(start + 84, "[Stage Stable Training Stage] start from step 1 ")
    say(
        start + 88,
        "[Start training] datetime: 2025-03-04 21:09:01 | mbs: 4 | grad_accum: 2 | global_batch_size: 16 | sequence_length: "
        "2048 | train_steps: 1200 | start_iteration_step: 0 | consumed_train_samples: 0",
    )
    for step in range(1, total + 1):
        loss = 7.4 * math.exp(-step / 130) + 3.55 + rng.gauss(0, 0.04) - 0.0004 * step
        took = iteration * 1000 + rng.gauss(0, 260)
        tokens = 32768 * step
        eaten = f"{tokens / 1e6:.3g}M" if tokens < 1e9 else f"{tokens / 1e9:.3g}B"
        eaten = eaten if tokens >= 1e6 else f"{tokens / 1e3:.3g}K"
        rate = 3e-4 * min(1, step / 60)
        pace, flops = 32768 / took * 1000, 32768 / took * 1000 / 2 * 6 * 0.78e9 / 1e12
        say(
            first + iteration * step,
            f"iteration: {step} / {total} | consumed_tokens: {eaten} | elapsed_time_per_iteration_ms: {took / 1000:.3g}K | "
            f"tokens_per_sec: {pace / 1000:.3g}K"
            f" | tokens_per_sec_per_gpu: {pace / 2:.3g} | global_batch_size: 16 | lm_loss: {loss:.3g} | lr: {rate:.3g} | model_tflops_per_gpu: {flops:.3g}"
            f" | hardware_tflops_per_gpu: {flops:.3g} | grad_norm: "
            f"{0.6 + 4 * math.exp(-step / 60) + abs(rng.gauss(0, 0.07)):.3g} | cuda_memory_allocated: 12.6G"
            " | cuda_max_memory_reserved: 29.1G | hd_total_memory_tb: 1.92T | hd_used_memory_tb: 744G | hd_free_memory_tb: 1.08T",
        )
        if step % 200 == 0:
            say(first + iteration * step + 1, f"Saving checkpoint at /data/nt/euskara_0.7b/{step}")
    _write(place / f"slurm-{number}.out", log)
    heads = (
        ("JobID", -12),
        ("JobName", 10),
        ("Partition", 10),
        ("AllocCPUS", 10),
        ("State", 10),
        ("ExitCode", 8),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("NodeList", 15),
    )
    begin, stop, took_all = _iso(zone, start), _iso(zone, end), _clock(end - start)
    later = _iso(zone, start + 1)
    both = "lab-a40-[1-2]"
    rows = [
        (str(number), "eusk07b", "lab", "32", "COMPLETED", "0:0", begin, stop, took_all, both),
        (f"{number}.batch", "batch", "", "16", "COMPLETED", "0:0", begin, stop, took_all, hosts[0]),
        (f"{number}.0", "bash", "", "32", "COMPLETED", "0:0", later, stop, _clock(end - start - 1), both),
    ]
    _write(place / "sacct.txt", _columns(heads, rows))


def t12_patents(place: Path, rng: Random) -> None:
    """A patent-text model that learnt for half an hour, jumped far above its start and stayed there to the planned exit."""
    zone, number = _zone("+09:00"), 1740026
    hosts = tuple(f"c4-h{index:03d}" for index in (11, 12, 13, 15))
    start = _at(zone, 2025, 11, 3, 9, 32, 5)
    end = start + 86 * 60 + rng.randint(-12, 12)
    nodes = {host: _gpus(rng, _H200, host, 2, ("4E", "CB")) for host in hosts}
    gpus = [gpu for host in hosts for gpu in nodes[host]]
    total, first = 1500, start + 148
    pace = (end - 62 - first - 3 * 21) / total
    log, saves, now = [], [], first
    log += [
        "using world size: 8, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel sizes: "
        "Nonetensor-model-parallel size: 2, encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 1, "
        "encoder-pipeline-model-parallel size: 0",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    args = {
        "adam_beta1": "0.9",
        "adam_beta2": "0.999",
        "bf16": "True",
        "check_for_nan_in_loss_and_grad": "False",
        "clip_grad": "0.0",
        "eval_interval": "100000",
        "exit_interval": "1500",
        "global_batch_size": "256",
        "hidden_size": "2048",
        "log_interval": "10",
        "lr": "0.0012",
        "lr_decay_style": "cosine",
        "lr_warmup_iters": "600",
        "micro_batch_size": "8",
        "min_lr": "1e-05",
        "num_attention_heads": "16",
        "num_layers": "24",
        "save": "/gpfs/jpo/ckpt/kokai_1b3_r7",
        "save_interval": "500",
        "seq_length": "2048",
        "seed": "1234",
        "tensor_model_parallel_size": "2",
        "train_iters": "20000",
        "weight_decay": "0.1",
        "world_size": "8",
    }
    log += [f"  {name} {'.' * (47 - len(name))} {value}" for name, value in args.items()]
    log += [
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 175 dummy tokens (new size: 50432)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 2",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.061 seconds",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 657625088",
        " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 657625088",
        "INFO:megatron.core.optimizer:Setting up optimizer with config OptimizerConfig(optimizer='adam', lr=0.0012, "
        "min_lr=1e-05, decoupled_lr=None, bf16=True, clip_grad=0.0)",
        "> learning rate decay style: cosine",
        "WARNING: could not find the metadata file /gpfs/jpo/ckpt/kokai_1b3_r7/latest_checkpointed_iteration.txt ",
        "    will not load any checkpoints and will start from random",
        "(min, max) time across ranks (ms):",
        "    load-checkpoint ................................: (0.41, 0.77)",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {_fmt(zone, start + 88, '%Y-%m-%d %H:%M:%S')} ",
        "> building train, validation, and test datasets ...",
        f"[after dataloaders are built] datetime: {_fmt(zone, start + 131, '%Y-%m-%d %H:%M:%S')} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {_fmt(zone, first - 6, '%Y-%m-%d %H:%M:%S')} ",
    ]
    broke = 640
    for step in range(10, total + 1, 10):
        now += pace * 10
        if step <= broke:
            loss, norm = (
                8.3 * math.exp(-step / 95) + 3.02 + rng.gauss(0, 0.03),
                0.8 + 6 * math.exp(-step / 45) + abs(rng.gauss(0, 0.12)),
            )
            norm += max(0, step - 590) * 0.11
        elif step <= broke + 60:
            loss, norm = 3.3 + (step - broke) * 0.21 + rng.gauss(0, 0.5), rng.uniform(70, 900)
        else:
            loss, norm = (
                10.41 + 5.2 * math.exp(-(step - broke - 60) / 45) + rng.gauss(0, 0.035),
                0.021 + 3 * math.exp(-(step - broke - 60) / 30) + rng.random() * 0.02,
            )
        rate = (
            1.2e-3 * step / 600 if step < 600 else 1e-5 + 0.5 * 1.19e-3 * (1 + math.cos(math.pi * (step - 600) / 19400))
        )
        took = pace * 1000 + rng.gauss(0, 14) + (900 if step == 10 else 0)
        log.append(
            f" [{_fmt(zone, now, '%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/{20000:8d} | consumed samples: {step * 256:12d} | "
            f"elapsed time per iteration (ms): {took:.1f} | "
            f"learning rate: {rate:.6E} | global batch size: {256:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | "
            f"number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |"
        )
        if step == 10:
            log.append(
                "[Rank 0] (after 10 iterations) memory (MB) | allocated: 9144.88 | max allocated: 84210.51 | reserved: 90512.0 | max reserved: 90512.0"
            )
        if step % 500 == 0:
            log.append(f"saving checkpoint at iteration {step:7d} to /gpfs/jpo/ckpt/kokai_1b3_r7 in torch_dist format")
            saves.append((now, now + 20))
            now += 21
            log.append(
                f"  successfully saved checkpoint from iteration {step:7d} to /gpfs/jpo/ckpt/kokai_1b3_r7 [ t 1/2, p 1/1 ]"
            )
    log.append(f"[exiting program at iteration 1500] datetime: {_fmt(zone, now, '%Y-%m-%d %H:%M:%S')} ")
    stop = now
    _write(place / "logs" / f"kokai_1b3_r7-{number}.out", log)

    def target(when: float) -> Row:
        if when < start + 25 or when > end - 5:
            return _idle(_H200)
        if when < first - 3:
            return {
                **_idle(_H200),
                "fb": 1840 if when < start + 80 else 14920,
                "util": 1,
                "w": 118,
                "clk": 1980,
                "why": 0,
            }
        if _near(when, saves) or when > stop:
            return {**_idle(_H200), "fb": 92688, "util": 3, "w": 126, "clk": 1980, "why": 0}
        return {**_idle(_H200), "fb": 92688, "util": 98, "mc": 41, "w": 548, "clk": 1965, "why": 0}

    every = _times(start - 120, end + 120, 5)
    holes = {
        host: [(at, at + rng.randint(25, 260)) for at in (rng.uniform(start, end) for _ in range(rng.randint(2, 5)))]
        for host in hosts
    }
    shared = start + 2911.0
    for host in hosts:
        for gpu in nodes[host]:
            _sample(
                rng,
                gpu,
                [when for when in every if not _near(when, holes[host]) and not shared <= when < shared + 95],
                target,
            )
    fields = (
        "GPU_UTIL",
        "FB_USED",
        "POWER_USAGE",
        "SM_CLOCK",
        "GPU_TEMP",
        "MEM_COPY_UTIL",
        "XID_ERRORS",
        "CLOCK_THROTTLE_REASONS",
    )
    for name in fields:
        _matrix(place / "metrics" / f"query_range_{name.lower()}.json", _dcgm(gpus, f"DCGM_FI_DEV_{name}"))
    span, begin, late = "c4-h[011-013,015]", _iso(zone, start), _iso(zone, end)
    took_all = _clock(end - start)
    _write(
        place / "sacct_P.txt",
        [
            "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode|Start|End|Elapsed|NodeList",
            f"{number}|kokai_1b3_r7|h200|jpo-nlp|128|COMPLETED|0:0|{begin}|{late}|{took_all}|{span}",
            f"{number}.batch|batch||jpo-nlp|32|COMPLETED|0:0|{begin}|{late}|{took_all}|c4-h011",
            f"{number}.extern|extern||jpo-nlp|128|COMPLETED|0:0|{begin}|{late}|{took_all}|{span}",
            f"{number}.0|torchrun||jpo-nlp|128|COMPLETED|0:0|{_iso(zone, start + 4)}|{late}|{_clock(end - start - 4)}|{span}",
        ],
    )
    for host in hosts:
        boot = start - rng.randint(9, 60) * 86400 - rng.uniform(0, 60000)
        _write(
            place / "dmesg" / f"{host}.txt",
            _dmesg_t(zone, _boot(rng, boot, nodes[host]) + _kernel(rng, boot + 90, end + 300, rng.randint(25, 60))),
        )


def t13_hakka(place: Path, rng: Random) -> None:
    """A small model of a dialect on old cards at their power limit; it learnt and ended as planned."""
    zone, number = _zone("+08:00"), 58214
    hosts = ("v100n05", "v100n06", "v100n07")
    start = _at(zone, 2025, 9, 2, 13, 48, 20)
    end = start + 154 * 60 + rng.randint(-20, 20)
    nodes = {host: _gpus(rng, _V100, host, 4, ("1A", "1C", "88", "8A")) for host in hosts}
    gpus = [gpu for host in hosts for gpu in nodes[host]]
    total, first = 2400, start + 118
    pace = (end - 46 - first - 4 * 14) / total
    log, saves = [], []

    def say(when: float, where: str, text: str, level: str = "INFO") -> None:
        when += rng.random() * 0.38
        log.append(f"{_milli(zone, when, '.')}\tv100n05:0\t{where}\t{level}\t{text}")

    say(start + 24, "olmo_core.utils:374", "Using torch 2.5.1+cu121, CUDA 12.1")
    say(
        start + 25,
        "olmo_core.distributed.utils:170",
        "Rank 0: world size 12, local world size 4, backend 'cpu:gloo,cuda:nccl'",
    )
    say(
        start + 41,
        "olmo_core.nn.transformer.model:148",
        "Building transformer with 187,651,584 total params, 149,115,648 non-embedding params",
    )
    say(
        start + 46,
        "olmo_core.train.train_module.transformer.train_module:157",
        "Applied DDP to the model with 1D world mesh",
    )
    say(
        start + 52,
        "olmo_core.data.numpy_dataset:1127",
        "Reading 84 source files from /data2/hakka/tok/*.npy, sequence length 1024",
    )
    say(
        start + 67,
        "olmo_core.data.data_loader:546",
        "Saving global data indices for epoch 1 to /scratch/hakka/cache/global_indices_seq_len1024_epoch1.npy...",
    )
    say(
        start + 86,
        "olmo_core.train.trainer:520",
        "No checkpoint found in save folder '/data2/hakka/runs/hakka190m', will train from scratch",
    )
    say(
        start + 87,
        "olmo_core.train.trainer:1038",
        "Callback order:\n  - Callback 1: GarbageCollectorCallback\n  - Callback 2: SpeedMonitorCallback\n  - Callback 3: "
        "ConsoleLoggerCallback\n  - Callback 4: CheckpointerCallback",
    )
    say(start + 90, "olmo_core.train.trainer:634", "Training for 2,400 steps")
    say(start + 93, "olmo_core.train.trainer:1120", "Starting forward/backward dry-run batch...")
    say(start + 101, "olmo_core.train.trainer:1133", "Dry-run complete")
    now = first
    for step in range(1, total + 1):
        now += pace
        if step == 1 or step % 10 == 0:
            loss = 6.9 * math.exp(-step / 260) + 3.71 - 0.00013 * step + rng.gauss(0, 0.025)
            rate = 6e-4 * (step / 200 if step < 200 else 0.1 + 0.45 * (1 + math.cos(math.pi * (step - 200) / 2200)))
            speed = 192 * 1024 / 12 / (pace + rng.gauss(0, 0.03))
            say(now, "olmo_core.train.callbacks.console_logger:57", f"[step={step}/{total},epoch=1]")
            log += [
                f"    optim/LR (group 0)={rate:.4g}",
                f"    optim/total grad norm={0.31 + 2.4 * math.exp(-step / 120) + abs(rng.gauss(0, 0.03)):.4f}",
                f"    throughput/device/BPS={1 / pace + rng.gauss(0, 0.002):.4f}",
                f"    throughput/device/TPS={speed:,.0f}",
                f"    throughput/device/data loading (%)={abs(rng.gauss(0.4, 0.1)):.4f}",
                f"    throughput/total tokens={step * 192 * 1024:,d}",
                f"    train/CE loss={loss:.3f}",
                f"    train/PPL={math.exp(loss):,.2f}",
            ]
        if step % 600 == 0:
            say(
                now + 0.4,
                "olmo_core.train.callbacks.checkpointer:256",
                f"Saving checkpoint for step {step} to '/data2/hakka/runs/hakka190m/step{step}'...",
            )
            saves.append((now, now + 13))
            now += 14
            say(now - 0.6, "olmo_core.train.callbacks.checkpointer:268", "Checkpoint saved")
    say(now + 2, "olmo_core.train.trainer:666", "Training complete")
    _write(place / f"hakka190m_{number}.log", log)
    stop = now

    def target(when: float) -> Row:
        if when < start + 30 or when > end - 8:
            return _idle(_V100)
        if when < first or when > stop or _near(when, saves):
            return {
                **_idle(_V100),
                "fb": 1320 if when < first else 27904,
                "util": 2,
                "w": 68,
                "clk": 1530,
                "why": 0,
                "gr": 0.02,
                "sm": 0.01,
            }
        capped = rng.random() < 0.83
        return {
            **_idle(_V100),
            "fb": 27904,
            "util": 98,
            "mc": 57,
            "w": 297.5 if capped else 281,
            "clk": 1417 if capped else 1530,
            "why": 4 if capped else 0,
            "gr": 0.972,
            "sm": 0.861,
            "ten": 0.0,
            "dram": 0.472,
            "tx": 2.1e9,
            "rx": 2.3e9,
        }

    times = _times(start - 300, end + 300, 60)
    for gpu in gpus:
        _sample(rng, gpu, times, target)
    for name in _DCGM:
        if name != "DCGM_FI_DEV_MEMORY_TEMP":
            _matrix(place / "dcgm" / f"{name}.json", _dcgm(gpus, name))
    heads = (
        ("JobID", 12),
        ("JobName", 10),
        ("User", 9),
        ("Partition", 10),
        ("NNodes", 8),
        ("State", 10),
        ("ExitCode", 8),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
    )
    begin, late, took = _iso(zone, start), _iso(zone, end), _clock(end - start)
    rows = [
        (str(number), "hakka190m", "ycchung", "v100", "3", "COMPLETED", "0:0", begin, late, took),
        (f"{number}.bat+", "batch", "", "", "1", "COMPLETED", "0:0", begin, late, took),
        (
            f"{number}.0",
            "torchrun",
            "",
            "",
            "3",
            "COMPLETED",
            "0:0",
            _iso(zone, start + 2),
            late,
            _clock(end - start - 2),
        ),
    ]
    _write(place / "sacct.txt", _columns(heads, rows))
    listed = (
        ("NODELIST", -14),
        ("NODES", 5),
        ("PARTITION", 9),
        ("STATE", 11),
        ("CPUS", 4),
        ("MEMORY", 6),
        ("REASON", -20),
    )
    shown = [
        ("v100n[01-04]", "4", "v100*", "mixed", "40", "380000", "none"),
        ("v100n[05-07]", "3", "v100*", "idle", "40", "380000", "none"),
        ("v100n08", "1", "v100*", "drained", "40", "380000", "fan tray"),
    ]
    lines = _columns(listed, shown)
    _write(place / "sinfo.txt", [_fmt(zone, end + 340, "%a %b %d %H:%M:%S %Y"), lines[0], *lines[2:]])


def t14_cadastre(place: Path, rng: Random) -> None:
    """A model of old land registers on the scavenger partition: taken off its nodes, run again from its save, taken off again."""
    zone, number = _zone("+01:00"), 731188
    hosts = ("gn04", "gn05", "gn09")
    start = _at(zone, 2025, 11, 19, 10, 6, 51)
    ends = (start + 2471.0, start + 86 * 60 + rng.randint(-10, 10))
    starts = (start, start + 3262.0)
    nodes = {host: _gpus(rng, _A40, host, 4, ("01", "41", "81", "C1")) for host in hosts}
    log: list[str] = []
    pace, step, saves, ready = 3.92, 0, [], []
    args = {
        "attention_config": "['flash', 'flash', 'flash', 'flash', 'flash', 'flash', 'flash', 'flash', 'flash', 'flash', "
        "'flash', 'flash', 'flash', 'flash', 'flash', 'flash']updated",
        "checkpoint_factor": "100.........................updated",
        "data_impl": "mmap........................updated",
        "global_num_gpus": "12..........................updated",
        "hidden_size": "2048........................updated",
        "load": "/work/kat/ckpt/urbar1b......updated",
        "lr": "0.0006......................updated",
        "num_layers": "16..........................updated",
        "save": "/work/kat/ckpt/urbar1b......updated",
        "seq_length": "2048........................updated",
        "train_iters": "4000........................updated",
    }

    def stamp(when: float) -> str:
        return f"[{_milli(zone, when + rng.random() * 0.4)}] [INFO]"

    for turn, (begin, over) in enumerate(zip(starts, ends, strict=True)):
        log.append(
            f"=== {_fmt(zone, begin + 1, '%a %b %e %H:%M:%S CET %Y')} job {number} restart {turn} on gn[04-05,09]"
        )
        log.append(
            f"{stamp(begin + 9.4)} [real_accelerator.py:219:get_accelerator] Setting ds_accelerator to cuda (auto detect)"
        )
        log.append("NeoXArgs.from_ymls() ['configs/urbar1b.yml', 'configs/cluster_kat.yml']")
        log.append(
            f"{stamp(begin + 16.1)} [runner.py:568:main] cmd = srun -n 12 --export=ALL python -u train.py "
            f"--local_rank=$SLURM_LOCALID --deepspeed_config eyJ0cmFpbl9iYXRjaF9zaXplIjogOTZ9"
        )
        log.append("-------------------- arguments --------------------")
        log += [f"  {name} {'.' * (31 - len(name))} {value}" for name, value in args.items()]
        log += ["---------------- end of arguments ----------------", "> initializing torch distributed ..."]
        log.append(
            f"{stamp(begin + 38.7)} [comm.py:652:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl"
        )
        log += [
            "> initializing model parallel with size 1",
            "MPU DP: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
            "> setting random seeds to 1234 ...",
            "building GPT2 model ...",
        ]
        log += [" > number of parameters on model parallel rank 0: 1011781632", " > total params: 1,011,781,632"]
        log.append(f"{stamp(begin + 58.2)} [logging.py:128:log_dist] [Rank 0] DeepSpeed Final Optimizer = FusedAdam")
        if turn == 0:
            log.append(
                f"[{_milli(zone, begin + 61.0)}] [WARNING] [engine.py:2756:load_checkpoint] Unable to find latest file at "
                f"/work/kat/ckpt/urbar1b/latest, if trying to load latest checkpoint please ensure this file exists or "
                f"pass an explicit checkpoint tag when loading a checkpoint."
            )
            log.append("Unable to load checkpoint.")
        else:
            step = step // 100 * 100
            log.append(
                f"{stamp(begin + 63.3)} [torch_checkpoint_engine.py:27:load] [Torch] Loading checkpoint from "
                f"/work/kat/ckpt/urbar1b/global_step{step}/mp_rank_00_model_states.pt..."
            )
            log.append(
                f"{stamp(begin + 66.9)} [torch_checkpoint_engine.py:29:load] [Torch] Loaded checkpoint from "
                f"/work/kat/ckpt/urbar1b/global_step{step}/mp_rank_00_model_states.pt."
            )
            log += [
                " > validated currently set args with arguments in the checkpoint ...",
                f"  successfully loaded /work/kat/ckpt/urbar1b/global_step{step}/mp_rank_00_model_states.pt",
            ]
        log += [
            "> building train, validation, and test datasets ...",
            "    reading sizes...",
            "    reading pointers...",
            "    reading document index...",
            "    creating numpy buffer of mmap...",
            "done with setups ...",
            "training ...",
        ]
        now = begin + 92
        ready.append(now)
        while now + pace < over:
            now += pace + rng.gauss(0, 0.03)
            step += 1
            if step % 10 == 0:
                rate = 6e-4 * min(1, step / 40)
                loss = 6.2 * math.exp(-step / 170) + 4.35 - 0.0006 * step + rng.gauss(0, 0.03)
                took = pace + rng.gauss(0, 0.02)
                log.append(
                    f"{stamp(now)} [logging.py:128:log_dist] [Rank 0] step={step}, skipped={0 if step < 10 else 2}, "
                    f"lr=[{rate:.6g}, {rate:.6g}], mom=[[0.9, 0.95], [0.9, 0.95]]"
                )
                log.append(f"steps: {step} loss: {loss:.4f} iter time (s): {took:.3f} samples/sec: {96 / took:.3f}")
                log.append(
                    f" samples/sec: {96 / took:.3f} | iteration {step:8d}/{4000:8d} | elapsed time per iteration (ms): "
                    f"{took * 1000:.1f} | learning rate: {rate:.3E} | "
                    f"approx flops per GPU: {26.1 * pace / took:.1f}TFLOPS | lm_loss: {loss:.6E} | loss scale: 16384.0 | "
                    f"number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |"
                )
            if step % 100 == 0:
                log.append(
                    f"{stamp(now + 0.6)} [logging.py:128:log_dist] [Rank 0] [Torch] Checkpoint global_step{step} is about to be saved!"
                )
                log.append(
                    f"{stamp(now + 5.8)} [torch_checkpoint_engine.py:23:save] [Torch] Saved "
                    f"/work/kat/ckpt/urbar1b/global_step{step}/mp_rank_00_model_states.pt."
                )
                saves.append((now, now + 7))
                now += 7.4
        log.append("srun: Job step aborted: Waiting up to 92 seconds for job step to finish.")
        log += [f"slurmstepd: error: *** STEP {number}.0 ON gn04 CANCELLED AT {_iso(zone, over)} DUE TO PREEMPTION ***"]
        log += [f"slurmstepd: error: *** JOB {number} ON gn04 CANCELLED AT {_iso(zone, over)} DUE TO PREEMPTION ***"]
    _write(place / f"urbar1b.{number}.out", log)

    def target(when: float) -> Row:
        for (begin, over), warm in zip(zip(starts, ends, strict=True), ready, strict=True):
            if begin + 22 <= when < over + 3:
                if when < warm:
                    return {**_idle(_A40), "fb": 1190, "util": 1, "w": 74, "clk": 1740, "why": 0}
                if _near(when, saves):
                    return {**_idle(_A40), "fb": 26418, "util": 4, "w": 83, "clk": 1740, "why": 0}
                return {**_idle(_A40), "fb": 26418, "util": 97, "mc": 49, "w": 268, "clk": 1710, "why": 0}
        if ends[0] + 47 <= when < starts[1] - 34 or when > ends[1] + 51:
            return {**_idle(_A40), "fb": 41806, "util": 88, "mc": 36, "w": 243, "clk": 1725, "why": 0}
        return _idle(_A40)

    head = (
        "timestamp, index, name, pci.bus_id, driver_version, pstate, utilization.gpu [%], utilization.memory [%], "
        "memory.total [MiB], memory.used [MiB], power.draw [W], temperature.gpu, clocks.current.sm [MHz], "
        "clocks.current.memory [MHz], clocks_event_reasons.active"
    )
    for host in hosts:
        lag = rng.uniform(0, 14)
        times = [when + lag + place_in * 0.0021 for place_in, when in enumerate(_times(start - 150, ends[1] + 240, 15))]
        for gpu in nodes[host]:
            _sample(rng, gpu, times, target)
        text = [head]
        for place_in, when in enumerate(times):
            for gpu in nodes[host]:
                row = gpu.rows[place_in][1]
                moment = _milli(zone, when + 0.003 * gpu.index, ".").replace("-", "/")
                state = "P8" if row["clk"] == _A40.idle_clk else "P0"
                text.append(
                    f"{moment}, {gpu.index}, {_A40.name}, {gpu.bus}, {_A40.driver}, {state}, {row['util']} %, {row['mc']} %, "
                    f"{_A40.total} MiB, {row['fb']} MiB, "
                    f"{row['w']:.2f} W, {row['temp']}, {row['clk']} MHz, {row['mclk']} MHz, 0x{int(row['why']):016X}"
                )
        _write(place / "nvsmi" / f"{host}.csv", text)
        boot = start - rng.randint(6, 30) * 86400 - rng.uniform(0, 60000)
        _write(
            place / "kern" / f"{host}.txt",
            _dmesg_t(zone, _boot(rng, boot, nodes[host]) + _kernel(rng, boot + 90, ends[1] + 300, rng.randint(30, 55))),
        )


def t15_notary(place: Path, rng: Random) -> None:
    """A tuning run for deeds that ended with exit code 1 in the middle; what it wrote to its error file is not here."""
    zone, number = _zone("+01:00"), 1120947
    hosts = tuple(f"tc-{index}" for index in (203, 204, 207, 211))
    start = _at(zone, 2025, 2, 11, 15, 22, 9)
    end = start + 65 * 60 + rng.randint(-14, 14)
    nodes = {host: _gpus(rng, _H100, host, 2, ("19", "DB")) for host in hosts}
    gpus = [gpu for host in hosts for gpu in nodes[host]]
    first, pace, total = start + 171, 4.87, 2310
    saves = [(first + pace * turn, first + pace * turn + 27) for turn in (250, 500)]
    log = [
        f"job {number} on tc-[203-204,207,211], {_fmt(zone, start + 1, '%a %b %e %H:%M:%S CET %Y')}",
        "Loaded 197,120 examples (train) and 4,022 (eval) from /ceph/notar/sft_v9, packed into 49,280 and 1,006 sequences",
        "max_length=4096 packing=True per_device_train_batch_size=4 gradient_accumulation_steps=2",
        "trainable params: 7,241,732,096 || all params: 7,241,732,096 || trainable%: 100.0000",
    ]
    done = int((end - 12 - first - 54) / pace)
    for step in range(10, done // 10 * 10 - 19, 10):
        loss = 0.62 * math.exp(-step / 120) + 0.871 - 0.00006 * step + rng.gauss(0, 0.012)
        rate = 1e-5 * min(1, step / 70) * 0.5 * (1 + math.cos(math.pi * step / total))
        norm = 1.1 + 3.2 * math.exp(-step / 40) + abs(rng.gauss(0, 0.16))
        log.append(
            str({"loss": round(loss, 4), "grad_norm": norm, "learning_rate": rate, "epoch": round(3 * step / total, 2)})
        )
        if step in (250, 500):
            spent = 21.4 + rng.random()
            log.append(
                str(
                    {
                        "eval_loss": round(loss + 0.031, 4),
                        "eval_runtime": round(spent, 4),
                        "eval_samples_per_second": round(1006 / spent, 3),
                        "eval_steps_per_second": round(32 / spent, 3),
                        "epoch": round(3 * step / total, 2),
                    }
                ),
            )
    _write(place / f"notar-sft-{number}.out", log)

    def target(when: float) -> Row:
        if when < start + 30 or when > end - 3:
            return _idle(_H100)
        if when < first:
            return {
                **_idle(_H100),
                "fb": 1722 if when < start + 100 else 19740,
                "util": 1,
                "w": 112,
                "clk": 1980,
                "why": 0,
                "gr": 0.01,
                "sm": 0.003,
            }
        if _near(when, saves):
            return {
                **_idle(_H100),
                "fb": 71260,
                "util": 74,
                "mc": 26,
                "w": 405,
                "clk": 1980,
                "why": 0,
                "gr": 0.72,
                "sm": 0.41,
                "ten": 0.19,
                "dram": 0.2,
            }
        return {
            **_idle(_H100),
            "fb": 71260,
            "util": 99,
            "mc": 39,
            "w": 592,
            "clk": 1890,
            "why": 0,
            "gr": 0.984,
            "sm": 0.772,
            "ten": 0.391,
            "dram": 0.334,
        }

    times = _times(start - 200, end + 200, 10)
    for gpu in gpus:
        _sample(rng, gpu, times, target)
    fields = (
        "DEV_GPU_UTIL",
        "DEV_FB_USED",
        "DEV_FB_FREE",
        "DEV_POWER_USAGE",
        "DEV_SM_CLOCK",
        "DEV_GPU_TEMP",
        "DEV_XID_ERRORS",
        "DEV_CLOCK_THROTTLE_REASONS",
        "DEV_ECC_DBE_VOL_TOTAL",
    )
    for name in (*fields, "PROF_GR_ENGINE_ACTIVE", "PROF_SM_ACTIVE", "PROF_PIPE_TENSOR_ACTIVE"):
        _matrix(place / "prom" / f"{name.lower()}.json", _dcgm(gpus, f"DCGM_FI_{name}"))
    job = {
        "id": number,
        "name": "notar-sft",
        "user": "lferrand",
        "account": "legalnlp",
        "cluster": "tricastin",
        "partition": "h100",
        "hosts": list(hosts),
        "nodes": "tc-[203-204,207,211]",
        "start": start,
        "end": end,
        "submit": start - 7704,
        "limit": 600,
        "state": "FAILED",
        "code": 1,
        "gpus": 2,
        "step": "accelerate",
        "line": "sbatch -o notar-sft-%j.out -e notar-sft-%j.err sft.sbatch",
        "dir": "/ceph/home/lferrand/notar",
    }
    steps_of = [
        ("batch", "FAILED", 1, start, end),
        ("extern", "COMPLETED", 0, start, end),
        ("0", "FAILED", 1, start + 3, end),
    ]
    (place / "sacct.json").write_text(_sacct_json(job, steps_of, ["sacct", "--json", "-j", str(number)]))


_SMI: Final = {
    "nvidia_smi_utilization_gpu_ratio": lambda row: f"{row['util'] / 100:g}",
    "nvidia_smi_utilization_memory_ratio": lambda row: f"{row['mc'] / 100:g}",
    "nvidia_smi_memory_used_bytes": lambda row: str(int(row["fb"]) * 1048576),
    "nvidia_smi_memory_total_bytes": lambda _: str(_4090.total * 1048576),
    "nvidia_smi_power_draw_watts": lambda row: f"{row['w']:.2f}",
    "nvidia_smi_enforced_power_limit_watts": lambda _: f"{_4090.limit:g}",
    "nvidia_smi_temperature_gpu": lambda row: str(row["temp"]),
    "nvidia_smi_fan_speed_ratio": lambda row: (
        f"{0.3 if row['temp'] < 45 else round(0.3 + (row['temp'] - 45) * 0.016, 2):g}"
    ),
    "nvidia_smi_clocks_current_sm_clock_hz": lambda row: str(int(row["clk"]) * 1000000),
    "nvidia_smi_clocks_event_reasons_hw_thermal_slowdown": lambda _: "0",
    "nvidia_smi_clocks_event_reasons_sw_thermal_slowdown": lambda _: "0",
    "nvidia_smi_clocks_event_reasons_hw_slowdown": lambda _: "0",
    "nvidia_smi_pstate": lambda row: "8" if row["clk"] == _4090.idle_clk else "2",
}
"""Fields of nvidia_gpu_exporter, from a row."""


def t16_heron(place: Path, rng: Random) -> None:
    """A detector of waterfowl in drone images; an earlier try of the same name failed, this one went through all epochs."""
    zone, number, hosts = _zone("+01:00"), 41877, ("orni1", "orni2")
    start = _at(zone, 2025, 3, 12, 18, 3, 26)
    end = start + 148 * 60 + rng.randint(-20, 20)
    nodes = {host: _gpus(rng, _4090, host, 4, ("01", "25", "81", "C1")) for host in hosts}
    gpus = [gpu for host in hosts for gpu in nodes[host]]
    epochs, batches, first = 30, 412, start + 64
    span, judged = (end - 52 - first) / epochs, 28.0
    log = [
        "Using 16bit Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *[f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/8" for rank in rng.sample(range(8), 8)],
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 8 processes",
        "-" * 100,
        "",
        *[f"LOCAL_RANK: {rank % 4} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for rank in rng.sample(range(8), 8)],
        "",
        "  | Name     | Type                 | Params | Mode ",
        "----------------------------------------------------------",
        "0 | detector | RetinaNet            | 38.2 M | train",
        "1 | val_map  | MeanAveragePrecision | 0      | train",
        "----------------------------------------------------------",
        "38.0 M    Trainable params",
        "222 K     Non-trainable params",
        "38.2 M    Total params",
        "152.911   Total estimated model params size (MB)",
        "187       Modules in train mode",
        "0         Modules in eval mode",
    ]
    parts, vals, best, kept = [], [], 0.0, ""
    loss, score = 1.9, 0.0
    for epoch in range(epochs):
        train = span - judged - 2
        tail = f", val_map={score:.3f}" if epoch else ""
        for at in [*range(0, batches, 50), batches]:
            loss = 1.55 * math.exp(-(epoch + at / batches) / 5.2) + 0.231 + rng.gauss(0, 0.018)
            took, bar = at / batches * train, at * 80 // batches
            pace = batches / train + rng.gauss(0, 0.01)
            left = (batches - at) / pace
            drawn = ("█" * (bar // 8) + " ▏▎▍▌▋▊▉"[bar % 8] + " " * 10)[:10]
            clock = f"{int(took) // 60:02d}:{int(took) % 60:02d}<{int(left) // 60:02d}:{int(left) % 60:02d}, {pace:5.2f}it/s"
            if at == 0:
                clock = "00:00<?, ?it/s"
            parts.append(
                f"Epoch {epoch}: {at * 100 // batches:3d}%|{drawn}| {at}/{batches} [{clock}, v_num=41877, train_loss={loss:.3f}{tail}]"
            )
        vals.append((first + epoch * span + train, first + epoch * span + train + judged))
        score = 0.71 * (1 - math.exp(-(epoch + 1) / 6.5)) + rng.gauss(0, 0.004)
        log.append("\r".join(parts))
        place_of = f"'/tank/orni/ckpt/heron-{epoch:02d}-{score:.3f}.ckpt'"
        if score > best:
            best, kept = score, place_of.strip("'")
            log.append(
                f"Epoch {epoch}, global step {(epoch + 1) * batches}: 'val_map' reached {score:.5f} (best {score:.5f}), saving model to {place_of} as top 1"
            )
        else:
            log.append(f"Epoch {epoch}, global step {(epoch + 1) * batches}: 'val_map' was not in top 1")
        parts = []
    log.append("`Trainer.fit` stopped: `max_epochs=30` reached.")
    log += [
        f"Restoring states from the checkpoint path at {kept}",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━┓",
        "┃        Test metric        ┃       DataLoader 0        ┃",
        "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩",
        f"│         test_map          │{best - 0.013:^27.16f}│",
        f"│        test_map_50        │{best + 0.174:^27.16f}│",
        "└───────────────────────────┴───────────────────────────┘",
    ]
    _write(place / f"heron-{number}.out", log)

    def target(when: float) -> Row:
        if when < start + 26 or when > end - 5:
            return {**_idle(_4090), "fb": 2}
        if when < first:
            return {**_idle(_4090), "fb": 704, "util": 3, "w": 61, "clk": 2520, "why": 0}
        if _near(when, vals) or when > first + epochs * span:
            return {**_idle(_4090), "fb": 19834, "util": 54, "mc": 24, "w": 208, "clk": 2745, "why": 0}
        return {**_idle(_4090), "fb": 19834, "util": 95, "mc": 52, "w": 361, "clk": 2700, "why": 0}

    times = _times(start - 240, end + 240, 15)
    for gpu in gpus:
        _sample(rng, gpu, times, target)
    info = []
    for gpu in gpus:
        label = {
            "__name__": "nvidia_smi_gpu_info",
            "driver_model_current": "[N/A]",
            "driver_model_pending": "[N/A]",
            "driver_version": _4090.driver,
            "instance": f"{gpu.host}:9835",
            "index": str(gpu.index),
            "job": "nvidia_gpu_exporter",
            "name": _4090.name,
            "uuid": gpu.uuid[4:],
            "vbios_version": "95.02.3c.40.8c",
        }
        info.append({"metric": label, "values": [[int(when), "1"] for when, _ in gpu.rows]})
    _matrix(place / "metrics" / "nvidia_smi_gpu_info.json", info)
    for name, show in _SMI.items():
        series = []
        for gpu in gpus:
            label = {
                "__name__": name,
                "instance": f"{gpu.host}:9835",
                "job": "nvidia_gpu_exporter",
                "uuid": gpu.uuid[4:],
            }
            series.append({"metric": label, "values": [[int(when), show(row)] for when, row in gpu.rows]})
        _matrix(place / "metrics" / f"{name}.json", series)
    heads = (
        ("JobID", -12),
        ("JobName", 10),
        ("User", 9),
        ("Partition", 10),
        ("AllocTRES", 24),
        ("State", 10),
        ("ExitCode", 8),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("NodeList", 12),
    )
    before, span_of = start - 5127, "orni[1-2]"
    tres = "billing=64,cpu=64,gres/gpu=8,mem=240G,node=2"
    rows = []
    for job, begin, over, state, code in (
        (number - 3, before, before + 71, "FAILED", "1:0"),
        (number, start, end, "COMPLETED", "0:0"),
    ):
        times_of = (_iso(zone, begin), _iso(zone, over), _clock(over - begin))
        rows.append((str(job), "heron-det", "mvoigt", "gpu", tres, state, code, *times_of, span_of))
        rows.append((f"{job}.batch", "batch", "", "", "cpu=32,gres/gpu=4,mem=120G", state, code, *times_of, "orni1"))
        rows.append(
            (
                f"{job}.0",
                "python",
                "",
                "",
                tres,
                state,
                code,
                _iso(zone, begin + 2),
                times_of[1],
                _clock(over - begin - 2),
                span_of,
            )
        )
    _write(place / "sacct.txt", _columns(heads, rows))
