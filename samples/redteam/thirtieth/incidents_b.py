"""Incidents t09 to t16 of the thirtieth set, as an operator hands each over.

SIMULATED: nothing here was taken from a real job, cluster or person.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class _Card:
    """What the drivers say of a card, and how it behaves."""

    model: str
    mem: int
    cap: int
    idle_w: float
    clk: int
    idle_clk: int
    mem_clk: int
    idle_mem_clk: int
    ambient: float
    warm: float
    """Degrees for each watt."""


_L40S: Final = _Card("NVIDIA L40S", 46068, 350, 34, 2520, 210, 9001, 405, 26, 0.115)
_H100: Final = _Card("NVIDIA H100 80GB HBM3", 81559, 700, 72, 1980, 345, 2619, 2619, 25, 0.057)
_H200: Final = _Card("NVIDIA H200", 143771, 700, 77, 1980, 345, 3201, 3201, 24, 0.058)
_B200: Final = _Card("NVIDIA B200", 183359, 1000, 142, 1965, 120, 3996, 3996, 25, 0.037)
_A40: Final = _Card("NVIDIA A40", 46068, 300, 29, 1740, 210, 7251, 405, 27, 0.142)
_4090: Final = _Card("NVIDIA GeForce RTX 4090", 24564, 450, 19, 2730, 210, 10501, 405, 27, 0.088)
_V100: Final = _Card("Tesla V100-SXM2-32GB", 32768, 300, 42, 1530, 135, 877, 877, 27, 0.12)


@dataclass(frozen=True)
class _Level:
    """How a GPU is busy at one moment."""

    util: float
    watts: float
    mem: float
    clk: float = 0
    gr: float = 0
    sm: float = 0
    tensor: float = 0
    dram: float = 0
    copy: float = 0
    tx: float = 0
    rx: float = 0
    nvl: float = 0
    reason: int = 0
    spread: float = 0.02


@dataclass(frozen=True)
class _Gpu:
    """One GPU of one node."""

    host: str
    index: int
    uuid: str
    bus: str
    ip: str


_BUSES: Final = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
Row = dict[str, float]


def _zone(hours: int) -> timezone:
    """A fixed zone."""
    return timezone(timedelta(hours=hours))


def _local(when: float, hours: int, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """A local time."""
    return datetime.fromtimestamp(when, _zone(hours)).strftime(form)


def _at(text: str, hours: int) -> float:
    """Seconds of the epoch of a local time."""
    return datetime.fromisoformat(text).replace(tzinfo=_zone(hours)).timestamp()


def _hex(rng: Random, digits: int) -> str:
    """So many hexadecimal digits."""
    return "".join(rng.choice("0123456789abcdef") for _ in range(digits))


def _uuid(rng: Random) -> str:
    """The UUID of a GPU or pod."""
    return "-".join(_hex(rng, size) for size in (8, 4, 4, 4, 12))


def _gpus(rng: Random, hosts: Sequence[str], each: int, net: str, first: int) -> list[_Gpu]:
    """The GPUs of these hosts."""
    buses = _BUSES if each > 2 else ("3B", "AF")
    return [
        _Gpu(host, index, f"GPU-{_uuid(rng)}", f"00000000:{buses[index]}:00.0", f"{net}.{first + number}")
        for number, host in enumerate(hosts)
        for index in range(each)
    ]


def _idle(card: _Card) -> _Level:
    """No process on the card."""
    return _Level(0, card.idle_w, {"NVIDIA B200": 4, "NVIDIA GeForce RTX 4090": 13}.get(card.model, 1), reason=1)


def _rows(rng: Random, card: _Card, times: Iterable[float], state: Callable[[float], _Level]) -> list[Row]:
    """What an exporter would see of one GPU."""
    bias, place = rng.gauss(0, 0.015), rng.uniform(-2, 4)
    temp, last, energy, rows = card.ambient + place + card.idle_w * card.warm, 0.0, rng.uniform(2e11, 9e11), []
    for when in times:
        level = state(when)
        step = when - last if last else 60.0
        last = when
        busy = level.watts > card.idle_w * 1.05
        watts = level.watts * (1 + (bias if busy else bias / 3)) + rng.gauss(0, level.watts * level.spread)
        if watts > card.cap * 0.998:
            watts = card.cap * (0.995 + rng.gauss(0, 0.004))
        watts = max(card.idle_w * 0.96, watts)
        goal = card.ambient + place + watts * card.warm
        temp += (goal - temp) * (1 - math.exp(-step / 70))
        energy += watts * step * 1000

        def near(value: float, top: float = 1.0, spread: float = level.spread) -> float:
            return min(top, max(0.0, value * (1 + rng.gauss(0, spread * 1.3)))) if value else 0.0

        clk = level.clk or (card.clk if busy else card.idle_clk)
        if level.reason == 4:
            clk += rng.gauss(0, 28)
        rows.append(
            {
                "t": when,
                "util": float(round(near(level.util, 100))),
                "copy": float(round(near(level.copy, 100))),
                "watts": watts,
                "temp": float(round(temp)),
                "mtemp": float(round(temp + 3 + watts * 0.012)),
                "mem": float(round(level.mem)),
                "clk": float(min(card.clk, round(clk / 15) * 15)),
                "mclk": float(card.mem_clk if busy else card.idle_mem_clk),
                "gr": near(level.gr),
                "sm": near(level.sm),
                "tensor": near(level.tensor),
                "dram": near(level.dram),
                "tx": near(level.tx, 6e10, 0.08),
                "rx": near(level.rx, 6e10, 0.08),
                "nvl": near(level.nvl, 9e11, 0.05),
                "reason": float(level.reason),
                "energy": energy,
                "xid": 0.0,
                "sbe": 0.0,
                "dbe": 0.0,
                "pend": 0.0,
                "remap": 0.0,
                "cremap": 0.0,
            }
        )
    return rows


_FIELDS: Final = {
    "DCGM_FI_DEV_GPU_UTIL": ("util", 0),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("copy", 0),
    "DCGM_FI_DEV_POWER_USAGE": ("watts", 3),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("energy", 0),
    "DCGM_FI_DEV_GPU_TEMP": ("temp", 0),
    "DCGM_FI_DEV_MEMORY_TEMP": ("mtemp", 0),
    "DCGM_FI_DEV_FB_USED": ("mem", 0),
    "DCGM_FI_DEV_FB_FREE": ("free", 0),
    "DCGM_FI_DEV_SM_CLOCK": ("clk", 0),
    "DCGM_FI_DEV_MEM_CLOCK": ("mclk", 0),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": ("reason", 0),
    "DCGM_FI_DEV_XID_ERRORS": ("xid", 0),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": ("sbe", 0),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("dbe", 0),
    "DCGM_FI_DEV_ROW_REMAP_PENDING": ("pend", 0),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": ("remap", 0),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": ("cremap", 0),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gr", 6),
    "DCGM_FI_PROF_SM_ACTIVE": ("sm", 6),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("tensor", 6),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("dram", 6),
    "DCGM_FI_PROF_PCIE_TX_BYTES": ("tx", 0),
    "DCGM_FI_PROF_PCIE_RX_BYTES": ("rx", 0),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": ("nvl", 0),
}
_PLAIN: Final = tuple(name for name in _FIELDS if "PROF" not in name and "REMAP" not in name and "ECC" not in name)
_PROF: Final = tuple(name for name in _FIELDS if "PROF" in name)
_ECC: Final = ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")


def _matrix(card: _Card, seen: dict[_Gpu, list[Row]], names: Sequence[str], labels: str, driver: str) -> dict[str, Any]:
    """An answer of query_range."""
    result = []
    for name in names:
        key, digits = _FIELDS[name]
        for gpu, rows in seen.items():
            metric = {"__name__": name, "UUID": gpu.uuid}
            if labels != "uuid":
                metric |= {
                    "DCGM_FI_DRIVER_VERSION": driver,
                    "Hostname": gpu.host,
                    "device": f"nvidia{gpu.index}",
                    "gpu": str(gpu.index),
                    "instance": f"{gpu.ip}:9400",
                    "job": labels,
                    "modelName": card.model,
                    "pci_bus_id": gpu.bus,
                }
            reserved = card.mem * 0.0085 + 120
            values = []
            for row in rows:
                value = card.mem - reserved - row["mem"] if key == "free" else row[key]
                values.append([int(row["t"]), f"{value:.{digits}f}"])
            result.append({"metric": metric, "values": values})
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def _dump(path: Path, answer: dict[str, Any]) -> None:
    """Write an answer as curl leaves it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(answer, separators=(",", ":")) + "\n", encoding="utf-8")


def _smi(path: Path, card: _Card, seen: dict[_Gpu, list[Row]], hours: int, rng: Random, *, reasons: bool) -> None:
    """The CSV of nvidia-smi --query-gpu of one node, in a loop."""
    head = "timestamp, index, uuid, name, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB]"
    head += ", power.draw [W], power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz]"
    lines = [head + (", clocks_event_reasons.active" if reasons else "")]
    for moment in zip(*seen.values(), strict=True):
        milli = rng.randrange(20, 900)
        for gpu, row in zip(seen, moment, strict=True):
            milli += rng.randrange(1, 9)
            idle = row["reason"] == 1
            state = "P8" if idle and card.idle_mem_clk < card.mem_clk else "P0"
            cells = [
                _local(row["t"], hours, "%Y/%m/%d %H:%M:%S") + f".{milli:03d}",
                str(gpu.index),
                gpu.uuid,
                card.model,
                state,
                f"{row['util']:.0f} %",
                f"{row['copy']:.0f} %",
                f"{row['mem']:.0f} MiB",
                f"{card.mem} MiB",
                f"{row['watts']:.2f} W",
                f"{card.cap:.2f} W",
                f"{row['temp']:.0f}",
                f"{row['clk']:.0f} MHz",
                f"{row['mclk']:.0f} MHz",
            ]
            if reasons:
                cells.append(f"0x{int(row['reason']):016X}")
            lines.append(", ".join(cells))
    _text(path, lines)


def _text(path: Path, lines: Iterable[str]) -> None:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


Entry = tuple[float, str, str]


def _kernel(form: str, entries: Iterable[Entry], host: str, hours: int, boot: float, rng: Random) -> list[str]:
    """Entries (time, program, text) in the form of a kernel log or syslog."""
    lines = []
    jittered = [(when + rng.random() * 0.009, program, text) for when, program, text in entries]
    for when, program, text in sorted(jittered):
        part = int(when % 1 * 1_000_000)
        if form == "dmesg -T":
            lines.append(f"[{_local(when, hours, '%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "dmesg iso":
            lines.append(f"{_local(when, hours)},{part:06d}{'+' if hours >= 0 else '-'}{abs(hours):02d}:00 {text}")
        elif form == "journalctl":
            lines.append(f"{_local(when, hours, '%b %d %H:%M:%S')} {host} {program}: {text}")
        else:
            stamp = f"[{when - boot:12.6f}] " if program == "kernel" else ""
            lines.append(f"{_local(when, hours, '%b %e %H:%M:%S')} {host} {program}: {stamp}{text}")
    return lines


def _calm(rng: Random, start: float, end: float, *, daemons: bool, kube: bool = False) -> list[Entry]:
    """What any node says on any day."""
    out: list[Entry] = []
    session, port, late = rng.randrange(2000, 9000), 0, rng.randrange(2500, 3300)
    once = [
        "hrtimer: interrupt took 6413 ns",
        "TCP: eth0: Driver has suspect GRO implementation, TCP performance may be compromised.",
        "process 'docker/tmp/qemu-check' started with executable stack",
    ]
    when = start + rng.uniform(5, 400)
    while when < end:
        kind = rng.random()
        if daemons and kind < 0.35:
            minute = when - when % 600 + 301
            if all(one[0] != minute for one in out):
                out.append(
                    (
                        minute,
                        f"CRON[{rng.randrange(100_000, 990_000)}]",
                        "(root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
                    )
                )
        elif daemons and kind < 0.6:
            session += rng.randrange(1, 4)
            out.append((when, "systemd-logind[1322]", f"New session {session} of user root."))
            out.append((when + 0.1, "systemd[1]", f"Started Session {session} of User root."))
        elif daemons and kind < 0.8:
            unit = rng.choice(("logrotate", "sysstat-collect", "fwupd-refresh", "motd-news", "man-db"))
            out.append((when, "systemd[1]", f"{unit}.service: Deactivated successfully."))
        elif daemons and kind < 0.9:
            out.append((when, "chronyd[1043]", f"Selected source 10.0.{rng.randrange(4)}.1"))
        elif kube:
            port, veth = port + 1, f"veth{_hex(rng, 8)}"
            for number, text in enumerate(("blocking", "forwarding")):
                out.append((when + number * 0.2, "kernel", f"cni0: port {port + 7}({veth}) entered {text} state"))
            out.append((when + 0.1, "kernel", f"device {veth} entered promiscuous mode"))
            out.append((when + 0.3, "kernel", f"IPv6: ADDRCONF(NETDEV_CHANGE): {veth}: link becomes ready"))
        elif once and kind > 0.97:
            out.append((when, "kernel", once.pop(rng.randrange(len(once)))))
        elif late < 9000 and rng.random() < 0.3:
            more = int(late * 1.2532)
            text = f"perf: interrupt took too long ({more} > {late}), lowering kernel.perf_event_max_sample_rate to {int(250_000_000 / more / 250) * 250}"
            out.append((when, "kernel", text))
            late = more
        else:
            name = rng.choice(
                ("/usr/sbin/chronyd", "/usr/bin/man", "lsb_release", "nvidia_modprobe", "/usr/lib/snapd/snap-confine")
            )
            stamp = f"{when:.3f}:{rng.randrange(80, 900)}"
            out.append(
                (
                    when,
                    "kernel",
                    f'audit: type=1400 audit({stamp}): apparmor="STATUS" operation="profile_replace" info="same as current profile, skipping"'
                    f' profile="unconfined" name="{name}" pid={rng.randrange(4000, 900_000)} comm="apparmor_parser"',
                )
            )
        when += rng.expovariate(1 / max(110.0, (end - start) / (22 if daemons or kube else 9)))
    return [one for one in out if start <= one[0] <= end]


def _boot(card: _Card, gpus: Sequence[_Gpu], boot: float, driver: str) -> list[Entry]:
    """The driver's lines when the node came up."""
    out: list[Entry] = [
        (
            boot,
            "kernel",
            "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #132-Ubuntu SMP",
        ),
        (boot + 14, "kernel", "nvidia: loading out-of-tree module taints kernel."),
        (boot + 14, "kernel", "nvidia-nvlink: Nvlink Core is being initialized, major device number 508"),
        (
            boot + 15,
            "kernel",
            f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Release Build  (dvs-builder@U16-I1-N07-12-3)",
        ),
    ]
    for gpu in gpus:
        bus = gpu.bus[4:].lower()
        out.append(
            (
                boot + 17 + gpu.index,
                "kernel",
                f"[drm] Initialized nvidia-drm 0.0.0 20160202 for {bus} on minor {gpu.index + 1}",
            )
        )
    if "SXM" in card.model or "HBM" in card.model:
        out.append((boot + 31, "kernel", "nvidia-uvm: Loaded the UVM driver, major device number 506."))
    return out


def _curve(step: float, start: float, floor: float, scale: float, power: float = 0.6) -> float:
    """A loss that falls."""
    return float(floor + (start - floor) / (1 + (step / scale)) ** power)


def _hms(seconds: float) -> str:
    """Slurm's elapsed."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _tqdm(done: int, of: int, seconds: float, rate: float) -> str:
    """A progress bar's line."""

    def clock(value: float) -> str:
        whole = int(value)
        return (
            f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
            if whole >= 3600
            else f"{whole // 60:02d}:{whole % 60:02d}"
        )

    blocks = done * 80 // of
    bar = ("█" * (blocks // 8) + (" ▏▎▍▌▋▊▉"[blocks % 8] if blocks < 80 else "")).ljust(10)
    if not done:
        return f"  0%|          | 0/{of} [00:00<?, ?it/s]"
    speed = f"{rate:5.2f}s/it" if rate >= 1 else f"{1 / rate:5.2f}it/s"
    return f"{done * 100 // of:3d}%|{bar}| {done}/{of} [{clock(seconds)}<{clock((of - done) * rate)}, {speed}]"


def _grid(start: float, end: float, step: int) -> list[float]:
    """The times of the scrapes."""
    first = math.ceil(start / step) * step
    return [float(one) for one in range(first, int(end) + 1, step)]


def _holes(times: Sequence[float], gaps: Sequence[tuple[float, float]]) -> list[float]:
    """The times without those in a gap."""
    return [one for one in times if not any(low <= one < high for low, high in gaps)]


def t09_floe(place: Path, rng: Random) -> None:
    """Sea ice segmentation on two L40S, in a cluster of a polar institute."""
    hours, node, pod = -8, "gke-polar-l40s-pool-7c1e22d0-x4kd", "floeseg-abl-14-r7tqv"
    start = _at("2026-02-10T20:41:16", hours)
    end = start + 85 * 60 - 11
    cfg = {
        "name": "floeseg-abl-14",
        "arch": "swin_l_upernet",
        "world_size": 2,
        "batch_per_gpu": 12,
        "tile": 512,
        "amp": "bf16",
        "lr": 6e-5,
        "max_steps": 400,
        "val_every": 200,
        "ckpt": {
            "every": 1,
            "keep_last": 3,
            "dir": "/mnt/filestore/floeseg/abl-14",
            "optimizer": True,
            "sharded": True,
        },
        "data": {"root": "/mnt/filestore/s1-tiles/v5", "workers": 12, "scenes": 1874},
    }
    lines: list[str] = []

    def say(when: float, event: str, **more: object) -> None:
        stamp = datetime.fromtimestamp(when, _zone(hours)).isoformat(timespec="milliseconds")
        lines.append(json.dumps({"ts": stamp, "level": "info", "event": event, **more}))

    say(start + 9.2, "start", host=pod, torch="2.5.1+cu124", gpus=["NVIDIA L40S", "NVIDIA L40S"], pid=1)
    say(start + 9.4, "config", **cfg)
    say(start + 31.7, "dataset", split="train", tiles=61284)
    say(start + 33.1, "dataset", split="val", tiles=4096)
    say(start + 52.6, "model", params_m=233.7, weights="swin_large_patch4_window12_384_22k", missing=38, unexpected=0)
    when, busy, evals = start + 61.0, [], []
    for step in range(1, 401):
        compute = rng.gauss(1.31, 0.05) + (5.4 if step == 1 else 0)
        data = abs(rng.gauss(0.03, 0.012))
        busy.append((when, when + compute))
        when += compute + data
        loss = _curve(step, 1.94, 0.24, 14, 0.9) + rng.gauss(0, 0.025)
        lr = 6e-5 * min(1, step / 40) * (1 - max(0, step - 40) / 420) ** 0.9
        say(
            when,
            "step",
            step=step,
            loss=round(loss, 4),
            lr=float(f"{lr:.3e}"),
            t_data=round(data, 3),
            t_fwd_bwd=round(compute - 0.06, 3),
            t_opt=0.06,
        )
        save = max(7.1, rng.gauss(10.72, 0.7)) + (rng.expovariate(0.5) if rng.random() < 0.06 else 0)
        size = 1337.4
        for rank in (0, 1):
            late = save - abs(rng.gauss(0, 0.2)) * rank
            say(
                when + late,
                "ckpt",
                step=step,
                rank=rank,
                file=f"step{step:06d}.rank{rank}.pt",
                mb=size,
                t_save=round(late, 2),
            )
        lines[-2:] = sorted(lines[-2:])
        when += save + 0.08
        if step % 200 == 0:
            evals.append((when, when + 74))
            when += 74 + rng.random() * 3
            say(
                when,
                "val",
                step=step,
                loss=round(0.41 if step == 200 else 0.355, 4),
                miou=0.683 if step == 200 else 0.7261,
                t_val=74.0,
            )
    say(when + 0.3, "done", steps=400, wall_s=round(when - start, 1), best_miou=0.7261, best_step=400)
    end = when + 4
    _text(place / "pod_log" / f"{pod}.jsonl", lines)

    gpus = _gpus(rng, [node], 2, "10.148.0", 37)
    gaps = [(start + 17.4 * 60, start + 26.2 * 60), (start + 58 * 60, start + 64.7 * 60)]
    times = _holes(_grid(start - 240, end + 180, 60), gaps)

    def state(now: float) -> _Level:
        if now < start + 40 or now > end - 1:
            return _idle(_L40S)
        if now < start + 61:
            return _Level(0, 88, 1480, spread=0.01)
        if any(low <= now <= high for low, high in evals):
            return _Level(86, 246, 39120, copy=38, spread=0.06)
        inside = any(low <= now <= high + 0.4 for low, high in busy)
        if inside:
            return _Level(rng.uniform(40, 99), rng.uniform(190, 290), 39120, copy=rng.uniform(20, 46))
        return _Level(rng.choice((0, 0, 0, 0, 2, 11)), rng.uniform(89, 104), 39120, copy=rng.choice((0, 0, 1)))

    seen = {gpu: _rows(rng, _L40S, times, state) for gpu in gpus}
    names = [name for name in _PLAIN if name != "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"] + list(_ECC)
    _dump(place / "prometheus" / "dcgm_range.json", _matrix(_L40S, seen, names, "gke-dcgm-exporter", "550.90.07"))

    ended = _local(end, hours, "%a, %d %b %Y %H:%M:%S -0800")
    began = _local(start + 6, hours, "%a, %d %b %Y %H:%M:%S -0800")
    _text(
        place / "kubectl_get_pods.txt",
        [
            "$ kubectl -n icegroup get pods -o wide -l job-name=floeseg-abl-14",
            "NAME                   READY   STATUS      RESTARTS   AGE    IP            NODE                                NOMINATED NODE   READINESS GATES",
            f"{pod}   0/1     Completed   0          102m   10.84.11.29   {node}   <none>           <none>",
        ],
    )
    _text(
        place / "kubectl_describe_pod.txt",
        [
            f"Name:             {pod}",
            "Namespace:        icegroup",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {node}/10.148.0.37",
            f"Start Time:       {_local(start, hours, '%a, %d %b %Y %H:%M:%S -0800')}",
            "Labels:           batch.kubernetes.io/job-name=floeseg-abl-14",
            "                  job-name=floeseg-abl-14",
            "Annotations:      <none>",
            "Status:           Succeeded",
            "IP:               10.84.11.29",
            "Controlled By:    Job/floeseg-abl-14",
            "Containers:",
            "  train:",
            f"    Container ID:  containerd://{_hex(rng, 64)}",
            "    Image:         us-west1-docker.pkg.dev/icegroup/train/floeseg:2026.02.06",
            "    Port:          <none>",
            "    Command:",
            "      torchrun",
            "    Args:",
            "      --standalone",
            "      --nproc-per-node=2",
            "      train.py",
            "      --config=conf/abl-14.yaml",
            "    State:          Terminated",
            "      Reason:       Completed",
            "      Exit Code:    0",
            f"      Started:      {began}",
            f"      Finished:     {ended}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             30",
            "      memory:          180Gi",
            "      nvidia.com/gpu:  2",
            "    Requests:",
            "      cpu:             30",
            "      memory:          180Gi",
            "      nvidia.com/gpu:  2",
            "    Environment:",
            "      OMP_NUM_THREADS:  4",
            "      WANDB_MODE:       disabled",
            "    Mounts:",
            "      /dev/shm from shm (rw)",
            "      /mnt/filestore from filestore (rw)",
            "Conditions:",
            "  Type              Status",
            "  Initialized       True ",
            "  Ready             False ",
            "  ContainersReady   False ",
            "  PodScheduled      True ",
            "QoS Class:                   Guaranteed",
            "Events:                      <none>",
        ],
    )
    boot = start - 6.3 * 86400
    entries = _boot(_L40S, gpus, boot, "550.90.07") + _calm(rng, start - 7200, end + 600, daemons=False, kube=True)
    _text(place / f"dmesg_{node}.txt", _kernel("dmesg -T", entries, node, hours, boot, rng))


def t10_lyra(place: Path, rng: Random) -> None:
    """A language model of a Nordic consortium, NeMo 2 on 32 H100."""
    hours, hosts = 1, ["lyra11", "lyra12", "lyra13", "lyra14"]
    start = _at("2026-01-20T03:07:44", hours)
    hit = start + 161 * 60 + 14.371
    end = hit + 38
    gpus = _gpus(rng, hosts, 8, "172.20.4", 11)
    times = _grid(start - 180, end + 420, 60)
    bad = next(gpu for gpu in gpus if gpu.host == "lyra13" and gpu.index == 5)
    ticking = next(gpu for gpu in gpus if gpu.host == "lyra11" and gpu.index == 2)
    saves = [(start + 420 + k * 2280, start + 420 + k * 2280 + 46) for k in range(1, 5)]
    seen = {}
    for gpu in gpus:

        def state(now: float, *, struck: bool = gpu == bad) -> _Level:
            if now < start + 48 or now > end:
                return _idle(_H100)
            if now < start + 210:
                return _Level(0, 118, 1190 if now < start + 120 else 17420, gr=0.0, spread=0.01)
            if any(low <= now <= high for low, high in saves):
                return _Level(
                    12, 205, 71204, gr=0.1, sm=0.05, tensor=0.01, dram=0.02, copy=2, tx=4.1e9, rx=3e8, spread=0.1
                )
            if now > hit and struck:
                return _Level(0, 121, 71204, spread=0.01)
            if now > hit:
                return _Level(100, 212, 71204, gr=1.0, sm=0.12, dram=0.01, spread=0.01)
            return _Level(99, 618, 71204, 1905, 0.968, 0.834, 0.462, 0.394, 44, 2.2e9, 2.6e9, 9.1e10, 0, 0.018)

        rows = _rows(rng, _H100, times, state)
        count = 31.0
        for row in rows:
            if gpu == ticking:
                count += rng.choice((0, 0, 0, 0, 0, 0, 1, 1, 2)) if start + 210 < row["t"] < hit else 0
                row["sbe"] = count
                row["cremap"] = 2
            if gpu == bad and row["t"] > hit:
                row |= {"dbe": 1.0, "xid": 94.0, "pend": 1.0}
                if row["t"] > hit + 30:
                    row["xid"] = 45.0
        seen[gpu] = rows
    for name in _FIELDS:
        _dump(place / "prom" / f"{name}.json", _matrix(_H100, seen, [name], "dcgm", "535.183.06"))

    _text(
        place / "scontrol_show_job_771903.txt",
        [
            "JobId=771903 JobName=nordlm8b-p2",
            "   UserId=ehaugen(20417) GroupId=nlp(20000) MCS_label=N/A",
            "   Priority=124113 Nice=0 Account=nn9851k QOS=large",
            "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
            f"   RunTime={_hms(end - start)} TimeLimit=1-12:00:00 TimeMin=N/A",
            f"   SubmitTime={_local(start - 9412, hours)} EligibleTime={_local(start - 9412, hours)}",
            f"   AccrueTime={_local(start - 9412, hours)}",
            f"   StartTime={_local(start, hours)} EndTime={_local(end, hours)} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={_local(start, hours)} Scheduler=Backfill",
            "   Partition=h100 AllocNode:Sid=login2:2210944",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList=lyra[11-14]",
            "   BatchHost=lyra11",
            "   NumNodes=4 NumCPUs=384 NumTasks=32 CPUs/Task=12 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=384,mem=6000G,node=4,billing=3072,gres/gpu=32",
            "   AllocTRES=cpu=384,mem=6000G,node=4,billing=3072,gres/gpu=32",
            "   Socks/Node=* NtasksPerN:B:S:C=8:0:*:* CoreSpec=*",
            "   MinCPUsNode=96 MinMemoryNode=1500G MinTmpDiskNode=0",
            "   Features=(null) DelayBoot=00:00:00",
            "   OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)",
            "   Command=/cluster/projects/nn9851k/nordlm/nemo2/pretrain_8b_phase2.sbatch",
            "   WorkDir=/cluster/projects/nn9851k/nordlm/nemo2",
            "   StdErr=/cluster/projects/nn9851k/nordlm/nemo2/logs/nordlm8b-p2_771903.out",
            "   StdIn=/dev/null",
            "   StdOut=/cluster/projects/nn9851k/nordlm/nemo2/logs/nordlm8b-p2_771903.out",
            "   Power=",
            "   TresPerNode=gres/gpu:8",
            "",
        ],
    )
    _text(
        place / "sinfo.txt",
        [
            f"# sinfo -N -p h100 -o '%N %T %G %E'   {_local(end + 1560, hours, '%d.%m.%Y %H:%M')}",
            "NODELIST STATE GRES REASON",
            "lyra09 allocated gpu:h100:8 none",
            "lyra10 allocated gpu:h100:8 none",
            "lyra11 allocated gpu:h100:8 none",
            "lyra12 allocated gpu:h100:8 none",
            "lyra13 drained gpu:h100:8 gpu5 row remap pending, reset",
            "lyra14 idle gpu:h100:8 none",
        ],
    )
    pid = rng.randrange(1_200_000, 1_900_000)
    for number, host in enumerate(hosts):
        boot = start - 23.4 * 86400 - number * 300
        entries = _calm(rng, start - 3600, end + 1200, daemons=True)
        entries += [
            (
                start + 0.4,
                "slurmd[2731]",
                "Launching batch job 771903 for UID 20417"
                if not number
                else "launch task StepId=771903.0 request from UID:20417 GID:20000",
            ),
            (end + 0.6, f"slurmstepd[{pid - 4117 + number * 31}]", "done with step 771903.0"),
        ]
        if host == "lyra13":
            xid = "NVRM: Xid (PCI:0000:c3:00):"
            entries += [
                (hit, "kernel", f"{xid} 48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error"),
                (
                    hit + 0.02,
                    "kernel",
                    f"{xid} 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000005d1a3c0) marked for remapping, reset gpu to activate.",
                ),
                (
                    hit + 0.1,
                    "kernel",
                    f"{xid} 94, pid={pid}, name=python3, Contained: LTC (0x2,0x0). RST: No, D-RST: No",
                ),
                (hit + 19.5, "kernel", f"{xid} 45, pid={pid}, name=python3, Ch 0000000e"),
                (hit + 19.6, "kernel", f"{xid} 45, pid={pid}, name=python3, Ch 0000000f"),
                (hit + 19.7, "kernel", f"{xid} 45, pid={pid}, name=python3, Ch 00000010"),
            ]
        _text(place / "syslog" / f"{host}.log", _kernel("syslog", entries, host, hours, boot, rng))


def t11_tide(place: Path, rng: Random) -> None:
    """A small language model of legal texts, nanotron on two H200 of two nodes in Kubernetes."""
    hours, job = 8, "lexllm-1b2-anneal"
    start = _at("2026-03-05T09:12:20", hours)
    total, every = 5550, 10
    nodes = ("sg-h200-03", "sg-h200-08")
    lines: list[str] = []

    def say(when: float, text: str, rank: int = 0) -> None:
        lines.append(
            f"{_local(when, hours, '%m/%d/%Y %H:%M:%S')} [INFO|DP={rank}|PP=0|TP=0|{job}-{'worker-0' if rank else 'master-0'}]: {text}"
        )

    when = start + 34
    say(when, "Config:")
    for text in (
        "Config(general=GeneralArgs(project='lexllm',",
        f"                           run='{job}',",
        "                           seed=42,",
        "                           step=None,",
        "                           consumed_train_samples=None,",
        "                           benchmark_csv_path=None,",
        "                           ignore_sanity_checks=True),",
        "       parallelism=ParallelismArgs(dp=2,",
        "                                   pp=1,",
        "                                   tp=1,",
        "                                   pp_engine=<nanotron.parallel.pipeline_parallel.engine.OneForwardOneBackwardPipelineEngine object at"
        " 0x7f31c04b7d90>,",
        "                                   tp_mode=<TensorParallelLinearMode.REDUCE_SCATTER: 2>,",
        "                                   tp_linear_async_communication=True,",
        "                                   expert_parallel_size=1),",
        "       tokens=TokensArgs(sequence_length=4096,",
        f"                         train_steps={total},",
        "                         micro_batch_size=8,",
        "                         batch_accumulation_per_replica=4,",
        "                         val_check_interval=-1,",
        "                         limit_val_batches=0,",
        "                         limit_test_batches=0),",
        "       checkpoints=CheckpointsArgs(checkpoints_path=PosixPath('/data/ckpt/lexllm-1b2-anneal'),",
        "                                   checkpoint_interval=1000,",
        "                                   save_initial_state=False,",
        "                                   save_final_state=True,",
        "                                   resume_checkpoint_path=None,",
        "                                   checkpoints_path_is_shared_file_system=True))",
    ):
        say(when, text)
    when += 6
    say(when, "Building model..")
    say(when + 1, "Initialize RoPE Theta = 10000")
    say(when + 1, "Setting PP block ranks...")
    say(when + 3, "Total number of parameters: 1.24G (2363.20MiB)")
    say(when + 3, "Local number of parameters: 1.24G (2363.20MiB)")
    say(
        when + 3,
        "[After model building] Memory usage: 2364.21MiB. Peak allocated: 2364.22MiB Peak reserved: 2392.00MiB",
    )
    say(when + 3, "No checkpoint path provided.")
    say(when + 3, "Parametrizing model parameters using StandardParametrizator")
    say(when + 5, "[Optimizer Building] Using LearningRateForSP as learning rate")
    say(when + 6, "[ZeRO sharding] Size of optimizer params per rank:")
    say(when + 6, "[ZeRO sharding] DP Rank 0 has 620M out of 1.24G (50.00%) params' optimizer states")
    say(when + 6, "[ZeRO sharding] DP Rank 1 has 620M out of 1.24G (50.00%) params' optimizer states")
    say(when + 21, "[Training Plan] Stage Stable has 4600 remaining training steps and has consumed 0 samples")
    say(when + 21, "[Training Plan] Stage Anneal has 950 remaining training steps and has consumed 0 samples")
    say(
        when + 22,
        "[Start training] datetime: "
        + _local(when + 22, hours, "%Y-%m-%d %H:%M:%S.%f")
        + " | mbs: 8 | grad_accum: 4 | global_batch_size: 64 | sequence_length: 4096"
        f" | train_steps: {total} | start_iteration_step: 0 | consumed_train_samples: 0",
    )
    say(
        when + 22,
        "Resuming training from stage Stable, it has trained for 0 samples and has 4600 remaining train steps",
    )
    begin = when = when + 22
    saves = []
    for step in range(1, total + 1):
        seconds = (
            rng.gauss(3.46, 0.012) + (6.2 if step == 1 else 0) + (rng.uniform(0.2, 0.9) if rng.random() < 0.02 else 0)
        )
        when += seconds
        if step % every == 0 or step == 1:
            tokens = step * 262144
            shown = f"{tokens / 1e6:.3g}M" if tokens < 1e9 else f"{tokens / 1e9:.3g}G"
            rate = 262144 / seconds
            loss = _curve(step, 11.1, 1.93, 60, 0.78) - (0.08 * max(0, step - 4600) / 950) + rng.gauss(0, 0.022)
            lr = 3e-4 * min(1, step / 200) if step <= 4600 else 3e-4 * (1 - (step - 4600) / 960)
            grad = _curve(step, 6.1, 0.31, 30, 0.9) * rng.lognormvariate(0, 0.09)
            flops = 9.35e9 * rate / 2 / 1e12
            say(
                when,
                f"iteration: {step} / {total} | consumed_tokens: {shown} | elapsed_time_per_iteration_ms: {seconds:.3g}K | tokens_per_sec: {rate / 1e3:.3g}K"
                f" | tokens_per_sec_per_gpu: {rate / 2e3:.3g}K | global_batch_size: 64 | lm_loss: {loss:.3g} | lr: {lr:.3g} | model_tflops_per_gpu: {flops:.3g}"
                f" | hardware_tflops_per_gpu: {flops:.3g} | grad_norm: {grad:.3g} | cuda_memory_allocated: 14.9G | cuda_max_memory_reserved: 91.4G"
                " | hd_total_memory_tb: 7.68T | hd_used_memory_tb: 2.31T | hd_free_memory_tb: 5.37T",
            )
        if step == 4600:
            say(when, "[Training Stage: Anneal] Clearing the previous training stage's dataloader from memory")
            say(when + 6, "Training Stage: Anneal has 950 remaining training steps")
            when += 8
        if step % 1000 == 0 or step == total:
            saves.append((when, when + 21))
            say(when, f"Saving checkpoint at /data/ckpt/lexllm-1b2-anneal/{step}")
            say(when + 1, "Saving weights: 100%|██████████| 219/219")
            when += 21 + rng.random() * 3
    end = when + 9
    _text(place / "logs" / f"{job}-master-0.log", lines)
    lines.clear()
    say(start + 40, "Local number of parameters: 1.24G (2363.20MiB)", 1)
    say(
        start + 40,
        "[After model building] Memory usage: 2364.21MiB. Peak allocated: 2364.22MiB Peak reserved: 2392.00MiB",
        1,
    )
    _text(place / "logs" / f"{job}-worker-0.log", lines)

    gpus = _gpus(rng, nodes[:1], 1, "10.60.7", 23)
    times = _grid(start - 300, end + 300, 60)

    def state(now: float) -> _Level:
        if now < start + 36 or now > end - 3:
            return _idle(_H200)
        if now < begin:
            return _Level(0, 124, 2950 if now < begin - 15 else 18800, spread=0.01)
        if any(low <= now <= high for low, high in saves):
            return _Level(4, 168, 94870, gr=0.03, sm=0.01, dram=0.02, tx=2.9e9, rx=1e8, spread=0.1)
        return _Level(99, 611, 94870, 1920, 0.962, 0.851, 0.437, 0.421, 47, 1.4e9, 1.5e9, 0, 0, 0.015)

    seen = {gpu: _rows(rng, _H200, times, state) for gpu in gpus}
    _dump(
        place / "metrics" / "query_range.json",
        _matrix(_H200, seen, [*_PLAIN, *_ECC, *_PROF[:-1]], "dcgm-exporter", "560.35.05"),
    )

    age = "5h41m"
    _text(
        place / "kubectl.txt",
        [
            "$ kubectl get pytorchjob,pod -n lexllm -o wide",
            "NAME                                          STATE       AGE",
            f"pytorchjob.kubeflow.org/{job}     Succeeded   {age}",
            "",
            "NAME                               READY   STATUS      RESTARTS   AGE     IP             NODE         NOMINATED NODE   READINESS GATES",
            f"pod/{job}-master-0     0/1     Completed   0          {age}   10.244.3.118   {nodes[0]}   <none>           <none>",
            f"pod/{job}-worker-0     0/1     Completed   0          {age}   10.244.8.41    {nodes[1]}   <none>           <none>",
            "",
            "$ kubectl get pytorchjob -n lexllm " + job + " -o jsonpath='{.status}' | jq .",
            json.dumps(
                {
                    "completionTime": datetime.fromtimestamp(end + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "conditions": [
                        {"reason": "PyTorchJobCreated", "status": "True", "type": "Created"},
                        {"reason": "PyTorchJobRunning", "status": "False", "type": "Running"},
                        {
                            "lastTransitionTime": datetime.fromtimestamp(end + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                            "message": f"PyTorchJob {job} is successfully completed.",
                            "reason": "PyTorchJobSucceeded",
                            "status": "True",
                            "type": "Succeeded",
                        },
                    ],
                    "replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {"succeeded": 1}},
                    "startTime": datetime.fromtimestamp(start, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                },
                indent=2,
            ),
            "",
            "$ kubectl get events -n lexllm --sort-by=.lastTimestamp | tail -3",
            "LAST SEEN   TYPE     REASON                OBJECT                                        MESSAGE",
            f"4m          Normal   PyTorchJobSucceeded   pytorchjob/{job}   PyTorchJob {job} is successfully completed.",
        ],
    )
    for node in nodes:
        boot = start - 31.2 * 86400
        entries = _calm(rng, start - 5000, end + 600, daemons=False, kube=True)
        _text(place / "dmesg" / f"{node}.dmesg", _kernel("dmesg -T", entries, node, hours, boot, rng))


def t12_atelier(place: Path, rng: Random) -> None:
    """Pictures and captions of a museum's textiles, open_clip on eight B200."""
    hours, hosts = 1, ["bw-04", "bw-05"]
    start = _at("2025-12-09T15:26:08", hours)
    per_epoch, batch, epochs = 288, 4096, 3
    lines: list[str] = []

    def say(when: float, text: str) -> None:
        lines.append(f"{_local(when, hours, '%Y-%m-%d,%H:%M:%S')} | INFO | {text}")

    when = start + 22
    say(
        when,
        "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.",
    )
    say(when, "Loaded ViT-B-16 model config.")
    say(when + 3, "Loading pretrained ViT-B-16 weights (laion2b_s34b_b88k).")
    say(when + 6, "Model:")
    say(when + 6, "CLIP(")
    lines += [
        "  (visual): VisionTransformer(",
        "    (conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16), bias=False)",
        "    (patch_dropout): Identity()",
        "    (ln_pre): LayerNorm((768,), eps=1e-05, elementwise_affine=True)",
        "    (transformer): Transformer(",
        "      (resblocks): ModuleList(",
        "        (0-11): 12 x ResidualAttentionBlock(",
        "        )",
        "      )",
        "    )",
        "  )",
        "  (token_embedding): Embedding(49408, 512)",
        "  (ln_final): LayerNorm((512,), eps=1e-05, elementwise_affine=True)",
        ")",
    ]
    say(when + 6, "Params:")
    for key, value in (
        ("accum_freq", 1),
        ("aug_cfg", "{}"),
        ("batch_size", 512),
        ("beta1", 0.9),
        ("beta2", 0.98),
        ("checkpoint_path", "./logs/textil_b16_ft3/checkpoints"),
        ("dataset_type", "webdataset"),
        ("dist_backend", "nccl"),
        ("distributed", "True"),
        ("epochs", epochs),
        ("gather_with_grad", "True"),
        ("grad_checkpointing", "False"),
        ("local_loss", "True"),
        ("log_every_n_steps", 16),
        ("lr", 1e-05),
        ("model", "ViT-B-16"),
        ("name", "textil_b16_ft3"),
        ("precision", "amp_bf16"),
        ("pretrained", "laion2b_s34b_b88k"),
        ("save_frequency", 1),
        ("train_data", "/scratch/textil/shards/train-{00000..00117}.tar"),
        ("train_num_samples", per_epoch * batch),
        ("val_data", "/scratch/textil/shards/val-{00000..00001}.tar"),
        ("warmup", 100),
        ("wd", 0.1),
        ("workers", 14),
        ("world_size", 8),
        ("zeroshot_frequency", 2),
    ):
        say(when + 6, f"  {key}: {value}")
    when += 12
    train, loss_mean = [], 0.0
    for epoch in range(epochs):
        say(when, f"Start epoch {epoch}")
        begin = when
        seen_losses: list[float] = []
        for step in range(per_epoch):
            first = step == 0
            seconds = rng.gauss(0.345, 0.012) + (7.8 if first and not epoch else 3.1 if first else 0)
            data = abs(rng.gauss(0.021, 0.008)) + (6.1 if first and not epoch else 2.7 if first else 0)
            when += seconds
            total = epoch * per_epoch + step
            if step % 16 == 0 or step == per_epoch - 1:
                loss = _curve(total, 2.63, 0.71, 90, 0.8) + rng.gauss(0, 0.03)
                seen_losses.append(loss)
                loss_mean = sum(seen_losses) / len(seen_losses)
                lr = (
                    1e-5 * (total + 1) / 100
                    if total < 100
                    else 5e-6 * (1 + math.cos(math.pi * (total - 100) / (per_epoch * epochs - 100)))
                )
                done = (step + 1) * batch
                speed = batch / seconds
                say(
                    when,
                    f"Train Epoch: {epoch} [{done:>7d}/{per_epoch * batch} ({100 * (step + 1) / per_epoch:.0f}%)] Data (t): {data:.3f} Batch (t):"
                    f" {seconds:.3f},"
                    f" {speed:#g}/s, {speed / 8:#g}/s/gpu LR: {lr:.6f} Logit Scale: {100 - total * 0.0006:.3f}"
                    f" Contrastive_loss: {loss:#.5g} ({loss_mean:#.5g}) Loss: {loss:#.5g} ({loss_mean:#.5g})",
                )
        train.append((begin, when))
        when += 7
        mean = (5.93, 4.41, 4.02)[epoch]
        say(when, f"Eval Epoch: {epoch + 1} [512 / 8192]\tClip Loss: {(0.6412, 0.5581, 0.5327)[epoch]:.6f}\t")
        when += 2
        say(
            when,
            f"Eval Epoch: {epoch + 1} image_to_text_mean_rank: {mean * 8.1:.4f}\timage_to_text_median_rank: {(4, 3, 3)[epoch]:.4f}\timage_to_text_R@1:"
            f" {(0.2719, 0.3316, 0.3502)[epoch]:.4f}"
            f"\timage_to_text_R@5: {(0.5530, 0.6247, 0.6431)[epoch]:.4f}\timage_to_text_R@10: {(0.6690, 0.7352, 0.7516)[epoch]:.4f}"
            f"\ttext_to_image_mean_rank: {mean * 8.4:.4f}\ttext_to_image_median_rank: {(4, 3, 3)[epoch]:.4f}\ttext_to_image_R@1:"
            f" {(0.2694, 0.3287, 0.3479)[epoch]:.4f}"
            f"\ttext_to_image_R@5: {(0.5511, 0.6212, 0.6410)[epoch]:.4f}\ttext_to_image_R@10: {(0.6672, 0.7339, 0.7498)[epoch]:.4f}"
            f"\tclip_val_loss: {(0.6412, 0.5581, 0.5327)[epoch]:.4f}\tepoch: {epoch + 1:.4f}\tnum_samples: 8192.0000",
        )
        when += 5
    end = when + 6
    _text(place / "logs" / "textil_b16_ft3" / "out.log", lines)

    gpus = _gpus(rng, hosts, 4, "10.3.0", 4)
    for number, host in enumerate(hosts):
        gaps = [(start + 151, start + 207)] if number else [(start + 289, start + 322), (start + 366, start + 384)]
        times = _holes([one + number * 4 for one in _grid(start - 60, end + 60, 15)], gaps)

        def state(now: float) -> _Level:
            if now < start + 20 or now > end - 2:
                return _idle(_B200)
            if any(low + 8 <= now <= high for low, high in train):
                return _Level(94, 742, 61388, 1965, copy=41, spread=0.05)
            return _Level(3, 232, 61388 if now > train[0][0] + 5 else 2210, 1965, copy=1, spread=0.03)

        mine = {gpu: _rows(rng, _B200, times, state) for gpu in gpus if gpu.host == host}
        _smi(place / "gpu" / f"smi_{host}.csv", _B200, mine, hours, rng, reasons=False)
        boot = start - 3.1 * 86400
        entries = _calm(rng, start - 1800, end + 600, daemons=True)
        entries.append(
            (
                start + 0.5,
                "slurmd[3120]",
                "launch task StepId=18842.0 request from UID:1207 GID:1200 HOST:10.3.0.4 PORT:51244",
            )
        )
        _text(place / "syslog" / f"{host}.syslog", _kernel("syslog", entries, host, hours, boot, rng))
    _text(
        place / "sacct.txt",
        [
            "JobID|JobName|User|Partition|NNodes|NodeList|AllocTRES|Submit|Start|End|Elapsed|State|ExitCode",
            f"18842|textil_b16_ft3|mvogt|b200|2|bw-[04-05]|billing=128,cpu=128,gres/gpu=8,mem=1000G,node=2|{_local(start - 41, hours)}"
            f"|{_local(start, hours)}|{_local(end, hours)}"
            f"|{_hms(end - start)}|COMPLETED|0:0",
        ],
    )


def t13_schule(place: Path, rng: Random) -> None:
    """School mathematics by reinforcement, TRL's GRPO on eight A40 of a university of teachers."""
    hours, hosts = 0, ["a40n02", "a40n03", "a40n05", "a40n06"]
    start = _at("2026-02-17T06:03:51", hours)
    steps, every = 620, 5
    out: list[str] = [
        "== job 20944 on a40n[02-03,05-06] ==",
        "-- my last runs of grpo-qwen-math",
        "20931        grpo-qwen-math 2026-02-16T21:40:02   00:02:37     FAILED      1:0 ",
        "20944        grpo-qwen-math 2026-02-17T06:03:51   00:00:02    RUNNING      0:0 ",
        "--",
        "[2026-02-17 06:04:20,118] [INFO] [real_accelerator.py:239:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        "INFO 02-17 06:04:27 [__init__.py:244] Automatically detected platform cuda.",
        "2026-02-17 06:04:31 - INFO - __main__ - Model parameters ModelConfig(model_name_or_path='Qwen/Qwen2.5-1.5B-Instruct', model_revision='main',"
        " torch_dtype='bfloat16',"
        " trust_remote_code=False, attn_implementation='flash_attention_2', use_peft=False)",
        "2026-02-17 06:04:31 - INFO - __main__ - Training parameters GRPOConfig(beta=0.0, bf16=True, gradient_accumulation_steps=4,"
        " gradient_checkpointing=True, learning_rate=1e-06,"
        f" logging_steps=5, loss_type='dapo', max_completion_length=768, max_prompt_length=512, max_steps={steps}, num_generations=8,"
        " output_dir='runs/grpo-qwen-math',"
        " per_device_train_batch_size=8, save_steps=200, temperature=1.0, use_vllm=True, vllm_gpu_memory_utilization=0.32, vllm_mode='colocate',"
        " warmup_ratio=0.05)",
        "Generating train split: 7473 examples [00:00, 51877.14 examples/s]",
        "INFO 02-17 06:04:58 [config.py:823] This model supports multiple tasks: {'classify', 'generate', 'embed', 'score', 'reward'}. Defaulting to"
        " 'generate'.",
        "INFO 02-17 06:05:12 [gpu_model_runner.py:1719] Model loading took 2.8871 GiB and 3.117302 seconds",
        "INFO 02-17 06:05:31 [gpu_worker.py:232] Available KV cache memory: 10.62 GiB",
        "INFO 02-17 06:05:31 [kv_cache_utils.py:716] GPU KV cache size: 397,824 tokens",
        "INFO 02-17 06:06:02 [gpu_model_runner.py:2048] Graph capturing finished in 30 secs, took 0.46 GiB",
        "*** *** Number of trainable parameters: 1,543,714,304",
    ]
    begin = when = start + 141
    phases: list[tuple[float, float]] = []
    saves: list[tuple[float, float]] = []
    sum_loss, tokens = 0.0, 0.0
    text = "\n".join(out) + "\n"
    bar = f"\r{_tqdm(0, steps, 0, 17.0)}"
    text += bar
    for step in range(1, steps + 1):
        length = 232 + 61 * (1 - math.exp(-step / 180)) + rng.gauss(0, 13)
        gen = 5.4 + length * 0.0102 + abs(rng.gauss(0, 0.35))
        learn = 8.6 + rng.gauss(0, 0.12)
        phases.append((when, when + gen))
        when += gen + learn
        tokens += 256 * (length + 98)
        if step % every == 0:
            right = 0.36 + 0.33 * (1 - math.exp(-step / 170)) + rng.gauss(0, 0.028)
            shape = 0.55 + 0.4 * (1 - math.exp(-step / 60)) + rng.gauss(0, 0.012)
            shape = min(shape, 0.994)
            loss = rng.gauss(0.0, 0.011)
            sum_loss += loss
            lr = 1e-6 * step / 31 if step < 31 else 1e-6 * (steps - step) / (steps - 31)
            entry = {
                "loss": round(loss, 4),
                "grad_norm": round(abs(rng.gauss(0.31, 0.05)), 8),
                "learning_rate": float(f"{lr:.8e}"),
                "num_tokens": float(int(tokens)),
                "completions/mean_length": round(length, 4),
                "completions/min_length": float(rng.randrange(58, 96)),
                "completions/max_length": 768.0 if rng.random() < 0.8 else float(rng.randrange(640, 768)),
                "completions/clipped_ratio": round(abs(rng.gauss(0.011, 0.006)), 6),
                "completions/mean_terminated_length": round(length - abs(rng.gauss(5, 2)), 4),
                "rewards/accuracy_reward/mean": round(right, 6),
                "rewards/accuracy_reward/std": round(math.sqrt(right * (1 - right)), 6),
                "rewards/format_reward/mean": round(shape, 6),
                "rewards/format_reward/std": round(math.sqrt(shape * (1 - shape)), 6),
                "reward": round(right + shape, 6),
                "reward_std": round(abs(rng.gauss(0.42 - 0.12 * step / steps, 0.025)), 6),
                "frac_reward_zero_std": round(0.18 + 0.22 * step / steps + rng.gauss(0, 0.03), 5),
                "entropy": round(0.37 - 0.14 * step / steps + rng.gauss(0, 0.012), 6),
                "clip_ratio/low_mean": 0.0,
                "clip_ratio/high_mean": 0.0,
                "clip_ratio/region_mean": 0.0,
                "epoch": round(step * 32 / 7473, 2),
            }
            bar = f"\r{_tqdm(step, steps, when - begin, (when - begin) / step)}"
            text += f"{bar}\r{' ' * 60}\r{entry}\n{bar}"
        if step % 200 == 0 or step == steps:
            saves.append((when, when + 19))
            when += 19
    took = when - begin
    done = {
        "train_runtime": round(took, 4),
        "train_samples_per_second": round(steps * 256 / took, 3),
        "train_steps_per_second": round(steps / took, 3),
        "train_loss": sum_loss / (steps / every),
        "epoch": round(steps * 32 / 7473, 2),
    }
    text += f"\r{_tqdm(steps, steps, took, took / steps)}\r{' ' * 60}\r{done}\n\r{_tqdm(steps, steps, took, took / steps)}\n"
    stamp = _local(when + 1, hours, "%Y-%m-%d %H:%M:%S")
    text += f"{stamp} - INFO - __main__ - *** Training complete ***\n{stamp} - INFO - __main__ - *** Save model ***\n"
    stamp = _local(when + 14, hours, "%Y-%m-%d %H:%M:%S")
    text += f"{stamp} - INFO - __main__ - Model saved to runs/grpo-qwen-math\n"
    end = when + 21
    (place / "grpo-qwen-math-20944.out").write_text(text, encoding="utf-8")

    gpus = _gpus(rng, hosts, 2, "192.168.61", 12)
    for number, host in enumerate(hosts):
        times = [one + number * 7 for one in _grid(start - 60, end + 90, 30)]

        def state(now: float) -> _Level:
            if now < start + 38 or now > end - 4:
                return _idle(_A40)
            if now < begin:
                return _Level(
                    rng.choice((0, 0, 7, 34)), 82, 4720 if now < start + 95 else 21388, 1740, copy=3, spread=0.04
                )
            if any(low <= now <= high for low, high in saves):
                return _Level(0, 80, 42806, 1740, copy=0)
            if any(low <= now <= high for low, high in phases):
                return _Level(96, 231, 42806, 1665, copy=71, spread=0.05)
            return _Level(98, 259, 42806, 1635, copy=52, spread=0.03)

        mine = {gpu: _rows(rng, _A40, times, state) for gpu in gpus if gpu.host == host}
        _smi(place / f"nvsmi_{host}.csv", _A40, mine, hours, rng, reasons=True)


def t14_owl(place: Path, rng: Random) -> None:
    """A small model of bird call transcripts and field notes, gpt-neox on eight RTX 4090 of a hobby cluster."""
    hours, hosts = 0, ["rig1", "rig2"]
    card = replace(_4090, cap=330)
    start = _at("2025-11-14T18:22:37", hours)
    total, every = 5000, 10
    lines: list[str] = []

    def say(when: float, text: str, where: str = "logging.py:96:log_dist] [Rank 0]") -> None:
        lines.append(f"[{_local(when, hours, '%Y-%m-%d %H:%M:%S')},{rng.randrange(1000):03d}] [INFO] [{where} {text}")

    when = start + 11
    say(when, "Setting ds_accelerator to cuda (auto detect)", "real_accelerator.py:161:get_accelerator]")
    lines += [
        "NeoXArgs.from_ymls() ['configs/owl_410m.yml', 'configs/rigs.yml']",
        "NeoXArgs.configure_distributed_args() using world size: 8 and model-parallel size: 1 ",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "-------------------- arguments --------------------",
        "  attention_config ................ ['flash', 'flash', 'flash', 'flash', 'flash', 'flash', 'flash', 'flash']updated",
        "  checkpoint_factor ............... 1000........................updated",
        "  clip_grad ....................... 1.0.........................default",
        "  data_path ....................... data/owl/owl_text_document..updated",
        f"  eval_interval ................... {1000}........................updated",
        "  hidden_size ..................... 1024........................updated",
        "  launcher ........................ slurm.......................updated",
        "  log_interval .................... 10..........................updated",
        "  lr .............................. 0.0003......................updated",
        "  num_layers ...................... 24..........................updated",
        "  pipe_parallel_size .............. 1...........................updated",
        "  seq_length ...................... 2048........................updated",
        "  train_batch_size ................ 64..........................updated",
        "  train_iters ..................... 5000........................updated",
        "  train_micro_batch_size_per_gpu .. 4...........................updated",
        "  zero_optimization ............... {'stage': 1, 'allgather_partitions': True, 'overlap_comm': True, 'reduce_scatter': True,"
        " 'contiguous_gradients': True}updated",
        "---------------- end of arguments ----------------",
    ]
    say(when + 8, "Initializing TorchBackend in DeepSpeed with backend nccl", "comm.py:637:init_distributed]")
    lines += [
        "> initializing torch distributed ...",
        "> initializing model parallel with size 1",
        "MPU DP: [0, 1, 2, 3, 4, 5, 6, 7]",
        "MPU PP: [0]",
        "MPU MP: [0]",
        "> setting random seeds to 1234 ...",
        "building GPT2 model ...",
        "SEED_LAYERS=False BASE_SEED=1234 SEED_FN=None",
    ]
    say(when + 17, "Using DeepSpeed Optimizer param name adam as basic optimizer")
    say(when + 18, "CONFIG: micro_batches=2 micro_batch_size=4", "engine.py:88:__init__]")
    say(
        when + 19,
        "RANK=0 STAGE=0 LAYERS=29 [0, 29) STAGE_PARAMS=405334016 (405.334M) TOTAL_PARAMS=405334016 (405.334M) UNIQUE_PARAMS=405334016 (405.334M)",
        "engine.py:152:__init__]",
    )
    lines += [
        " > number of parameters on model parallel rank 0: 405334016",
        " > total params: 405,334,016",
        "Unable to load checkpoint.",
        "Loading checkpoint and starting from iteration 0",
        "> building train, validation, and test datasets ...",
        "    reading sizes...",
        "    reading pointers...",
        "    reading document index...",
        "    number of documents: 1184230",
        " > loading doc-idx mapping from data/owl/owl_text_document_train_indexmap_320000ns_2048sl_1234s_doc_idx.npy",
        "    total number of samples: 331874",
        "    total number of epochs: 1",
        "setting training data start iteration to 0",
        "setting validation data start iteration to 0",
        "done with setups ...",
        "time (ms) | model and optimizer: 9871.22 | train/valid/test data iterators: 2133.40",
        "training ...",
    ]
    say(when + 33, "step=0, skipped=0, lr=[0.0, 0.0], mom=[[0.9, 0.95], [0.9, 0.95]]")
    lines.pop()
    begin = when = when + 33
    pauses: list[tuple[float, float]] = []
    rule = "-" * 101
    for step in range(1, total + 1):
        seconds = (
            rng.gauss(1.716, 0.014) + (9.0 if step == 1 else 0) + (rng.uniform(0.1, 0.5) if rng.random() < 0.01 else 0)
        )
        when += seconds
        loss = _curve(step, 10.94, 2.61, 55, 0.72) + rng.gauss(0, 0.035)
        if step % every == 0:
            lr = (
                3e-4 * step / 50 if step < 50 else 3e-5 + 1.35e-4 * (1 + math.cos(math.pi * (step - 50) / (total - 50)))
            )
            say(when, f"step={step}, skipped=0, lr=[{lr!r}, {lr!r}], mom=[[0.9, 0.95], [0.9, 0.95]]")
            lines.append(f"steps: {step} loss: {loss:.4f} iter time (s): {seconds:.3f} samples/sec: {64 / seconds:.3f}")
            flops = 8 * 405e6 * 64 * 2048 / seconds / 8 / 1e12
            lines.append(
                f" samples/sec: {64 / seconds:.3f} | iteration {step:8d}/{total:8d} | elapsed time per iteration (ms): {seconds * 1000:.1f} | learning"
                f" rate: {lr:.3E}"
                f" | approx flops per GPU: {flops:.1f}TFLOPS | lm_loss: {loss:.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
            if step == 10:
                lines.append(
                    "after 10 iterations memory (MB) | allocated: 4102.77392578125 | max allocated: 17220.92529296875 | reserved: 19122.0 | max"
                    " reserved: 19122.0"
                )
                lines.append("time (ms)")
        if step % 1000 == 0:
            pauses.append((when, when + 31))
            when += 14
            value = _curve(step, 10.94, 2.61, 55, 0.72) + 0.04 + rng.gauss(0, 0.008)
            lines += [
                rule,
                f" validation results at iteration {step} | lm_loss value: {value:.6E} | lm_loss_ppl value: {math.exp(value):.6E} | ",
                rule,
            ]
            say(when + 1, f"[Torch] Checkpoint global_step{step} is about to be saved!")
            say(when + 2, f"Saving model checkpoint: checkpoints/owl_410m/global_step{step}/mp_rank_00_model_states.pt")
            say(
                when + 15,
                f"zero checkpoint saved checkpoints/owl_410m/global_step{step}/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt",
                "engine.py:3417:_save_zero_checkpoint]",
            )
            when += 17
    value = _curve(total, 10.94, 2.61, 55, 0.72) + 0.05
    for number in range(1, 11):
        lines.append(f"Evaluating iter {number}/10")
    lines += [
        rule,
        f" validation results at the end of training for val data | lm_loss value: {value:.6E} | lm_loss_ppl value: {math.exp(value):.6E} | ",
        rule,
    ]
    when += 15
    end = when + 7
    _text(place / "owl_410m-407.log", lines)

    gpus = _gpus(rng, hosts, 4, "10.0.0", 11)
    times = _grid(start - 90, end + 90, 15)

    def state(now: float) -> _Level:
        if now < start + 24 or now > end - 3:
            return _idle(card)
        if now < begin:
            return _Level(0, 57, 1210 if now < begin - 15 else 5120, 2610)
        if any(low + 14 <= now <= high for low, high in pauses) or now > when:
            return _Level(1, 61, 20466, 2610, copy=0)
        capped = rng.random() < 0.86
        return _Level(
            98,
            327 if capped else 309,
            20466,
            2370 if capped else 2520,
            copy=44,
            reason=4 if capped else 0,
            spread=0.012,
        )

    seen = {gpu: _rows(rng, card, times, state) for gpu in gpus}
    for name in _PLAIN:
        if name not in ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"):
            _dump(
                place / "prom" / f"{name.removeprefix('DCGM_FI_DEV_').lower()}.json",
                _matrix(card, seen, [name], "rigs-dcgm", "550.120"),
            )
    head = "JobID|JobName|Partition|NodeList|AllocCPUS|State|ExitCode|Start|End|Elapsed|MaxRSS"
    span = f"COMPLETED|0:0|{_local(start, hours)}|{_local(end, hours)}|{_hms(end - start)}"
    _text(
        place / "sacct_407.txt",
        [
            head,
            f"407|owl_410m|rigs|rig[1-2]|64|{span}|",
            f"407.batch|batch||rig1|32|{span}|41872K",
            f"407.extern|extern||rig[1-2]|64|{span}|1032K",
            f"407.0|python||rig[1-2]|64|COMPLETED|0:0|{_local(start + 3, hours)}|{_local(end, hours)}|{_hms(end - start - 3)}|25170412K",
        ],
    )
    for number, host in enumerate(hosts):
        boot = start - 9.7 * 86400 - number * 55
        entries = _boot(card, [gpu for gpu in gpus if gpu.host == host], boot, "550.120") + _calm(
            rng, start - 7200, end + 900, daemons=False
        )
        _text(place / "dmesg" / f"{host}.txt", _kernel("dmesg iso", entries, host, hours, boot, rng))


def t15_narrative(place: Path, rng: Random) -> None:
    """Narratives of aviation incidents sorted by cause, HF trainer on eight RTX 4090."""
    hours, hosts = -6, ["tulsa-a1", "tulsa-a2", "tulsa-a3", "tulsa-a4"]
    start = _at("2026-01-27T13:40:09", hours)
    per_epoch, epochs, every, rate = 2380, 3, 50, 0.655
    total = per_epoch * epochs
    shown = (
        ("ENGINE FIRE INDICATION ON CLIMBOUT, BOTH BOTTLES FIRED, RETURNED TO DEP ARPT", "powerplant_failure"),
        ("FMS FROZE THEN FULL SYSTEM CRASH ON APCH, CREW REBOOTED, NO FURTHER ERROR", "avionics_fault"),
        ("PLT ABORTED TKOF AT 80 KTS, DOOR OPEN LIGHT, BRAKE TEMP OUT OF LIMITS", "rejected_takeoff"),
        ("CTLR LOST COMM WITH ACFT, TIMEOUT OF DATALINK, TFC CONFLICT WITH FATAL POTENTIAL", "communication_loss"),
        ("GND CREW KILLED POWER TO GPU CART DURING FUELING, SMOKE IN CABIN", "ground_handling"),
        ("DUAL GENERATOR FAILURE, BUS FELL OFF LINE, DIVERTED", "electrical_failure"),
    )
    out = [
        "Job 55120 starts on tulsa-a[1-4]",
        "preflight: cat /proc/sys/vm/overcommit_memory -> 1",
        "preflight: ibstat failed (no ib on this partition), going on with eth",
        "01/27/2026 13:40:51 - WARNING - __main__ - Process rank: 0, device: cuda:0, n_gpu: 1distributed training: True, 16-bits training: False",
        "01/27/2026 13:40:51 - INFO - __main__ - labels: 24, largest class: communication_loss (11%)",
        "01/27/2026 13:41:02 - INFO - __main__ - train 152320 eval 8192, examples:",
    ]
    out += [f"    [{label}] {words}" for words, label in shown]
    err = [
        f"[W127 13:40:2{number}.{rng.randrange(10**9):09d} socket.cpp:752] [c10d] The client socket cannot be initialized to connect to"
        " [tulsa-a1.lan]:29511 (errno: 97 -"
        " Address family not supported by protocol)."
        for number in (3, 3, 4, 4)
    ]
    err += [
        "Some weights of RobertaForSequenceClassification were not initialized from the model checkpoint at roberta-large and are newly initialized:"
        " ['classifier.dense.bias',"
        " 'classifier.dense.weight', 'classifier.out_proj.bias', 'classifier.out_proj.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.",
        "Token indices sequence length is longer than the specified maximum sequence length for this model (871 > 512). Running this sequence through"
        " the model will result in"
        " indexing errors",
        "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [503]>)",
        "wandb: Network error (ConnectTimeout), entering retry loop.",
        "wandb: W&B API communication has been restored after 41.8 seconds.",
    ]
    begin = when = start + 74
    evals: list[tuple[float, float]] = []
    bars = ""
    losses = 0.0
    for step in range(1, total + 1):
        when += rng.gauss(rate, 0.012) + (3 if step == 1 else 0)
        if step % every == 0:
            loss = _curve(step, 3.19, 0.36, 420, 0.95) + rng.gauss(0, 0.03)
            losses += loss
            lr = 2e-5 * min(1, step / 428) * (1 if step < 428 else (total - step) / (total - 428))
            entry = {
                "loss": round(loss, 4),
                "grad_norm": round(rng.lognormvariate(1.3, 0.3), 6),
                "learning_rate": lr,
                "epoch": round(step / per_epoch, 2),
            }
            out.append(str(entry))
            bars += f"\r{_tqdm(step, total, when - begin, rate)}"
        if step % per_epoch == 0:
            number = step // per_epoch
            evals.append((when, when + 27))
            when += 27
            out.append(
                str(
                    {
                        "eval_loss": (0.78214, 0.64072, 0.61953)[number - 1],
                        "eval_accuracy": (0.7606, 0.8021, 0.8113)[number - 1],
                        "eval_f1_macro": (0.6918, 0.7533, 0.7691)[number - 1],
                        "eval_runtime": round(rng.gauss(22.4, 0.3), 4),
                        "eval_samples_per_second": round(rng.gauss(365, 4), 3),
                        "eval_steps_per_second": round(rng.gauss(5.7, 0.06), 3),
                        "epoch": float(number),
                    }
                )
            )
            out.append("hardest of the eval set, by loss:")
            out += [f"    [{label}] {words}" for words, label in rng.sample(shown, 3)]
    took = when - begin
    final = {
        "train_runtime": round(took, 4),
        "train_samples_per_second": round(total * 64 / took, 3),
        "train_steps_per_second": round(total / took, 3),
        "train_loss": losses / (total / every),
        "epoch": 3.0,
    }
    out += [
        str(final),
        "***** train metrics *****",
        "  epoch                    =        3.0",
        f"  train_loss               = {final['train_loss']:>10.4f}",
        f"  train_runtime            = {timedelta(seconds=round(took))!s:>10}",
        f"  train_samples_per_second = {final['train_samples_per_second']:>10}",
        f"  train_steps_per_second   = {final['train_steps_per_second']:>10}",
        "***** eval metrics *****",
        "  epoch                    =        3.0",
        "  eval_accuracy            =     0.8113",
        "  eval_f1_macro            =     0.7691",
        "  eval_loss                =     0.6195",
    ]
    end = when + 19
    err_text = "\n".join(err) + f"\n\r{_tqdm(0, total, 0, rate)}" + bars + "\n"
    err_text += (
        f"[rank0]:[W127 {_local(when + 12, hours, '%H:%M:%S')}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group"
        " has NOT been destroyed before we"
        " destruct ProcessGroupNCCL. On normal program exit, the application should call destroy_process_group to ensure that any pending NCCL"
        " operations have finished in this"
        " process. In rare cases this process can exit before this point and block the progress of another member of the process group. (function operator())\n"
    )
    _text(place / "slurm" / "narr-55120.out", out)
    (place / "slurm" / "narr-55120.err").write_text(err_text, encoding="utf-8")

    gpus = _gpus(rng, hosts, 2, "10.20.30", 41)
    times = _grid(start - 60, end + 60, 10)

    def state(now: float) -> _Level:
        if now < start + 30 or now > end - 4:
            return _idle(_4090)
        if now < begin:
            return _Level(0, 58, 910 if now < begin - 14 else 2604, 2625)
        if any(low <= now <= high for low, high in evals):
            return _Level(88, 301, 19874, 2625, copy=39, spread=0.06)
        if now > when:
            return _Level(0, 62, 19874, 2625)
        return _Level(97, 371, 19874, 2610, copy=51, spread=0.025)

    seen = {gpu: _rows(rng, _4090, times, state) for gpu in gpus if gpu.host != "tulsa-a3"}
    names = [
        name
        for name in _PLAIN
        if name
        not in ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS")
    ]
    _dump(place / "prometheus_55120.json", _matrix(_4090, seen, names, "dcgm_exporter", "565.57.01"))
    span = f"COMPLETED|0:0|{_local(start, hours)}|{_local(end, hours)}|{_hms(end - start)}"
    _text(
        place / "slurm" / "sacct.txt",
        [
            "JobID|JobName|Account|Partition|State|ExitCode|Start|End|Elapsed|NNodes|NodeList|ReqTRES",
            f"55120|narr-rl3|safety|ada|{span}|4|tulsa-a[1-4]|billing=96,cpu=96,gres/gpu=8,mem=480G,node=4",
            f"55120.batch|batch|safety||{span}|1|tulsa-a1|",
            f"55120.extern|extern|safety||{span}|4|tulsa-a[1-4]|",
            f"55120.0|bash|safety||COMPLETED|0:0|{_local(start + 2, hours)}|{_local(end, hours)}|{_hms(end - start - 2)}|4|tulsa-a[1-4]|",
        ],
    )
    for host in hosts:
        boot = start - 17.9 * 86400
        entries = _calm(rng, start - 3600, end + 600, daemons=True)
        entries += [
            (
                start - 2100,
                "kernel",
                "ACPI Error: AE_NOT_FOUND, While resolving a named reference package element - \\_SB_.PR00 (20210730/dspkginit-438)",
            ),
            (
                start + 1312 + rng.random() * 400,
                "kernel",
                "pcieport 0000:00:1c.4: AER: Corrected error received: 0000:05:00.0",
            ),
            (
                start + 1.2,
                "slurmd[1711]",
                "launch task StepId=55120.0 request from UID:3309 GID:3300 HOST:10.20.30.41 PORT:39822",
            ),
        ]
        _text(place / "syslog" / f"{host}.log", _kernel("syslog", entries, host, hours, boot, rng))


def t16_seis(place: Path, rng: Random) -> None:
    """Picking of seismic waves on two V100 of two nodes at an observatory; nobody kept the job's words."""
    hours, hosts = 0, ["gpu014", "gpu015"]
    start = _at("2026-03-11T09:16:02", hours)
    earlier = start - 2710
    tries = (start + 9, start + 9 + 1886)
    span = 1869.0
    end = tries[1] + span + 4
    gpus = _gpus(rng, hosts, 1, "10.14.3", 21)
    _text(
        place / "gpu_inventory.txt",
        [f"{gpu.host}: GPU 0: {_V100.model} (UUID: {gpu.uuid})" for gpu in gpus],
    )
    first_end = earlier + 1731
    seen = {}
    for number, gpu in enumerate(gpus):
        times = _grid(start - 120, end + 120, 10)

        def state(now: float, number: int = number) -> _Level:
            for begin in tries:
                if begin + 14 + number <= now <= begin + span:
                    return _Level(0, 56.5, 309, 1290, spread=0.006)
            return _idle(_V100)

        seen[gpu] = _rows(rng, _V100, times, state)
    names = [name for name in (*_PLAIN, *_ECC, *_PROF) if "TOTAL_ENERGY" not in name and "NVLINK" not in name]
    for name in names:
        _dump(place / "dcgm" / f"{name}.json", _matrix(_V100, seen, [name], "uuid", ""))

    for number, host in enumerate(hosts):
        boot = start - 44.2 * 86400
        entries = _calm(rng, earlier - 900, end + 900, daemons=True)
        slurmd, uid = f"slurmd[{2207 + number * 14}]", "UID:5122 GID:500 HOST:10.14.3.21 PORT:"
        entries += [
            (earlier, slurmd, f"launch task StepId=90417.0 request from {uid}47112"),
            (first_end, f"slurmstepd[{41822 + number}]", "done with step"),
            (start + 0.2, slurmd, "task/affinity: batch_bind: job 90422 CPU input mask for node: 0x000FFF"),
            (tries[0], slurmd, f"launch task StepId=90422.0 request from {uid}47530"),
            (tries[0] + span + 2, f"slurmstepd[{43117 + number}]", "done with step"),
            (tries[1], slurmd, f"launch task StepId=90422.1 request from {uid}48004"),
            (tries[1] + span + 2, f"slurmstepd[{44260 + number}]", "done with step"),
        ]
        if number == 0:
            entries = [one for one in entries if "StepId=90417" not in one[2] and one[0] != first_end]
            entries.append((earlier, slurmd, f"launch task StepId=90417.0 request from {uid}47112"))
            entries.append((first_end, "slurmstepd[41822]", "done with step"))
            mac = "MAC=ac:1f:6b:8e:20:54:ac:1f:6b:8e:21:0a:08:00"
            for begin in tries:
                when = begin + 13.6 + rng.random()
                while when < begin + span - 4:
                    port, ident = rng.randrange(33000, 60900), rng.randrange(2000, 65000)
                    for number_of, wait in enumerate((0, 1.02, 3.05, 7.2, 15.4, 31.5, 64.3)):
                        if when + wait < begin + span - 4:
                            entries.append(
                                (
                                    when + wait,
                                    "kernel",
                                    f"[UFW BLOCK] IN=eno1 OUT= {mac} SRC=10.14.3.22 DST=10.14.3.21 LEN=60 TOS=0x00 PREC=0x00 TTL=64"
                                    f" ID={(ident + number_of) % 65536} DF"
                                    f" PROTO=TCP SPT={port} DPT=29500 WINDOW=64240 RES=0x00 SYN URGP=0 ",
                                )
                            )
                    when += 130.6 + rng.uniform(0.6, 2.5)
            rule = "Invoked with rule=allow from_ip=10.14.0.0/23 to_port=22 proto=tcp state=enabled default=deny direction=incoming logging=low"
            entries.append((start - 611, "ansible-community.general.ufw[52217]", rule))
            for _ in range(5):
                entries.append(
                    (
                        rng.uniform(earlier, end),
                        "kernel",
                        f"[UFW BLOCK] IN=eno1 OUT= {mac[:-29]}{_hex(rng, 2)}:08:00 SRC=10.14.0.{rng.randrange(2, 250)} DST=224.0.0.1 LEN=32 TOS=0x00"
                        " PREC=0xC0 TTL=1 ID=0 DF PROTO=2 ",
                    )
                )
        _text(place / "journal" / f"{host}.txt", _kernel("journalctl", entries, host, hours, boot, rng))
    _text(
        place / "sinfo.txt",
        [
            f"{_local(end + 2400, hours, '%a %b %d %H:%M:%S %Y')}",
            "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              ",
            "gpu014         1       gpu        idle 24     2:12:1 191000        0      1     v100 none                ",
            "gpu015         1       gpu        idle 24     2:12:1 191000        0      1     v100 none                ",
        ],
    )
