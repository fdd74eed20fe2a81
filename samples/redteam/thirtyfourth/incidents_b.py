"""Incidents t09 to t16 of the thirty-fourth set, as folders an operator hands over.

SIMULATED: no line here was taken from a real job; hosts, people, projects and numbers are invented.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


class _Card(NamedTuple):
    """What a card is: memory in MiB, power in W, clocks in MHz."""

    model: str
    total: int
    reserved: int
    idle_w: float
    held_w: float
    cap_w: float
    sm: int
    idle_sm: int
    mem: int
    idle_mem: int
    driver: str


class _Load(NamedTuple):
    """What a GPU does at one moment."""

    util: float = 0.0
    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    watt: float = 0.0
    used: int = 0
    clock: int = 0
    pcie: float = 0.0


class _Gpu(NamedTuple):
    """A GPU of a host."""

    host: str
    index: int
    uuid: str
    bus: str


_H100 = _Card("NVIDIA H100 80GB HBM3", 81559, 551, 71, 117, 700, 1980, 345, 2619, 2619, "550.90.07")
_A40 = _Card("NVIDIA A40", 46068, 597, 30, 78, 300, 1740, 210, 7251, 405, "535.183.06")
_A6000 = _Card("NVIDIA RTX A6000", 49140, 549, 22, 74, 300, 1935, 210, 7600, 405, "550.54.15")
_A100 = _Card("NVIDIA A100-SXM4-80GB", 81920, 869, 61, 84, 400, 1410, 210, 1593, 1593, "535.161.08")
_L40S = _Card("NVIDIA L40S", 46068, 598, 34, 86, 350, 2520, 210, 9001, 405, "550.127.05")
_V100 = _Card("Tesla V100-SXM2-32GB", 32768, 258, 42, 57, 300, 1530, 135, 877, 877, "535.129.03")
_BUSES = ("07:00.0", "0A:00.0", "47:00.0", "4D:00.0", "87:00.0", "8D:00.0", "C7:00.0", "CA:00.0")


def _zone(hours: int) -> timezone:
    return timezone(timedelta(hours=hours))


def _at(text: str, hours: int = 0) -> float:
    """Seconds since 1970 of a local time."""
    return datetime.fromisoformat(text).replace(tzinfo=_zone(hours)).timestamp()


def _say(when: float, form: str, hours: int = 0) -> str:
    return datetime.fromtimestamp(when, _zone(hours)).strftime(form)


def _comma(when: float, hours: int = 0) -> str:
    """A time as Python's logging prints it."""
    return _say(when, "%Y-%m-%d %H:%M:%S", hours) + f",{int(when * 1000) % 1000:03d}"


def _text(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _json(path: Path, data: object, indent: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    separators = (",", ":") if indent is None else (",", ": ")
    path.write_text(json.dumps(data, indent=indent, separators=separators) + "\n", encoding="utf-8")


def _hex(rng: Random, digits: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(digits))


def _uuid(rng: Random) -> str:
    return "-".join(_hex(rng, digits) for digits in (8, 4, 4, 4, 12))


def _gpus(rng: Random, hosts: Sequence[str], count: int, first: int = 0) -> list[_Gpu]:
    return [
        _Gpu(host, index, f"GPU-{_uuid(rng)}", f"00000000:{_BUSES[index]}")
        for host in hosts
        for index in range(first, first + count)
    ]


class _Row(NamedTuple):
    """A GPU's reading."""

    when: float
    util: int
    copy: int
    used: int
    watt: float
    temp: int
    mem_temp: int
    clock: int
    mem_clock: int
    load: _Load


def _rows(
    card: _Card, gpu: _Gpu, times: Sequence[float], plan: Callable[[_Gpu, float], _Load | None], rng: Random
) -> list[_Row]:
    """Readings of a GPU; none where the plan gives none. Temperature follows power slowly."""
    base = rng.uniform(25, 31)
    span = rng.uniform(34, 41)
    gain = rng.uniform(0.975, 1.02)
    warm, rows, last = base, [], None
    for when in times:
        load = plan(gpu, when)
        if load is None:
            continue
        none = not load.used
        watt = load.watt or (card.idle_w if none else card.held_w)
        watt = min(watt * gain * rng.gauss(1, 0.004 if load.util < 2 else 0.022), card.cap_w * 1.012)
        goal = base + span * max(0.0, watt - card.idle_w) / (card.cap_w - card.idle_w)
        warm = goal if last is None else warm + (goal - warm) * min(1.0, (when - last) / 70)
        last = when
        util = 0 if load.util <= 0 else max(0, min(100, round(rng.gauss(load.util, 0.7 if load.util > 95 else 5))))
        copy = 0 if none else max(0, round(load.dram * 100 * rng.gauss(0.92, 0.05)))
        clock = load.clock or (card.idle_sm if none else card.sm)
        idle = none and not load.clock
        rows.append(
            _Row(
                when,
                util,
                copy,
                load.used,
                watt,
                round(warm),
                round(warm + 3 + 9 * load.dram),
                clock,
                card.idle_mem if idle else card.mem,
                load,
            )
        )
    return rows


def _wob(rng: Random, value: float, rel: float = 0.05) -> str:
    return f"{min(0.999999, max(0.0, rng.gauss(value, value * rel))):.6f}" if value else "0"


_DEV = (
    "GPU_UTIL",
    "MEM_COPY_UTIL",
    "FB_USED",
    "FB_FREE",
    "POWER_USAGE",
    "GPU_TEMP",
    "MEMORY_TEMP",
    "SM_CLOCK",
    "MEM_CLOCK",
    "XID_ERRORS",
)
_PROF = (
    "GR_ENGINE_ACTIVE",
    "SM_ACTIVE",
    "SM_OCCUPANCY",
    "PIPE_TENSOR_ACTIVE",
    "DRAM_ACTIVE",
    "PCIE_TX_BYTES",
    "PCIE_RX_BYTES",
)


def _dcgm(
    card: _Card,
    gpu: _Gpu,
    rows: Sequence[_Row],
    rng: Random,
    fields: Sequence[str],
    labels: dict[str, str],
    instance: str,
) -> list[dict[str, object]]:
    """Series of a GPU as Prometheus gives dcgm-exporter's fields."""

    def value(field: str, row: _Row) -> str:
        load = row.load
        match field:
            case "GPU_UTIL":
                return str(row.util)
            case "MEM_COPY_UTIL":
                return str(row.copy)
            case "FB_USED":
                return str(row.used)
            case "FB_FREE":
                return str(card.total - card.reserved - row.used)
            case "POWER_USAGE":
                return f"{row.watt:.3f}"
            case "GPU_TEMP":
                return str(row.temp)
            case "MEMORY_TEMP":
                return str(row.mem_temp if card.mem < 4000 else 0)
            case "SM_CLOCK":
                return str(row.clock)
            case "MEM_CLOCK":
                return str(row.mem_clock)
            case "GR_ENGINE_ACTIVE":
                return _wob(rng, load.engine, 0.006 if load.engine > 0.9 else 0.06)
            case "SM_ACTIVE":
                return _wob(rng, load.sm)
            case "SM_OCCUPANCY":
                return _wob(rng, load.sm * 0.34)
            case "PIPE_TENSOR_ACTIVE":
                return _wob(rng, load.tensor)
            case "DRAM_ACTIVE":
                return _wob(rng, load.dram)
            case "PCIE_TX_BYTES":
                return str(round(abs(rng.gauss(load.pcie, load.pcie / 8)) + rng.uniform(9e4, 4e5)))
            case "PCIE_RX_BYTES":
                return str(round(abs(rng.gauss(load.pcie * 1.2, load.pcie / 8)) + rng.uniform(1e5, 7e5)))
            case _:
                return "0"

    result: list[dict[str, object]] = []
    for field in fields:
        name = f"DCGM_FI_{'PROF' if field in _PROF else 'DEV'}_{field}"
        metric = {
            "__name__": name,
            "DCGM_FI_DRIVER_VERSION": card.driver,
            "Hostname": gpu.host,
            "UUID": gpu.uuid,
            "device": f"nvidia{gpu.index}",
            "gpu": str(gpu.index),
            "instance": instance,
            "job": "dcgm-exporter",
            "modelName": card.model,
            "pci_bus_id": gpu.bus,
            **labels,
        }
        result.append({"metric": metric, "values": [[int(row.when), value(field, row)] for row in rows]})
    return result


def _matrix(result: Sequence[object]) -> dict[str, object]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(result)}}


def _smi_exporter(
    card: _Card, gpu: _Gpu, rows: Sequence[_Row], instance: str, cap: Callable[[_Row], bool]
) -> list[dict[str, object]]:
    """Series of a GPU as Prometheus gives nvidia_gpu_exporter's fields."""
    fields: dict[str, Callable[[_Row], str]] = {
        "utilization_gpu_ratio": lambda row: f"{row.util / 100:g}",
        "utilization_memory_ratio": lambda row: f"{row.copy / 100:g}",
        "memory_used_bytes": lambda row: str(row.used * 1048576),
        "memory_total_bytes": lambda _: str(card.total * 1048576),
        "power_draw_watts": lambda row: f"{row.watt:.2f}",
        "enforced_power_limit_watts": lambda _: f"{card.cap_w:g}",
        "temperature_gpu": lambda row: str(row.temp),
        "clocks_current_sm_clock_hz": lambda row: str(row.clock * 1000000),
        "clocks_current_memory_clock_hz": lambda row: str(row.mem_clock * 1000000),
        "pstate": lambda row: (
            "8" if row.clock == card.idle_sm and card.idle_mem != card.mem else "2" if card is _A6000 else "0"
        ),
        "clocks_throttle_reasons_gpu_idle": lambda row: str(int(not row.util)),
        "clocks_throttle_reasons_sw_power_cap": lambda row: str(int(cap(row))),
        "clocks_throttle_reasons_hw_slowdown": lambda _: "0",
        "clocks_throttle_reasons_hw_thermal_slowdown": lambda _: "0",
        "clocks_throttle_reasons_sw_thermal_slowdown": lambda _: "0",
        "ecc_errors_uncorrected_volatile_total": lambda _: "0",
    }
    uuid = gpu.uuid.removeprefix("GPU-")
    info = {
        "__name__": "nvidia_smi_gpu_info",
        "driver_model_current": "[N/A]",
        "driver_version": card.driver,
        "index": str(gpu.index),
    }
    info |= {"instance": instance, "job": "nvidia_gpu_exporter", "name": card.model, "uuid": uuid}
    series: list[dict[str, object]] = [{"metric": info, "values": [[int(row.when), "1"] for row in rows]}]
    for name, give in fields.items():
        metric = {"__name__": f"nvidia_smi_{name}", "instance": instance, "job": "nvidia_gpu_exporter", "uuid": uuid}
        series.append({"metric": metric, "values": [[int(row.when), give(row)] for row in rows]})
    return series


_NOISE = (
    "systemd-journald[{a}]: Time jumped backwards, rotating.",
    "perf: interrupt took too long ({b} > {f}), lowering kernel.perf_event_max_sample_rate to 61000",
    (
        'audit: type=1400 audit({e}.{d}:{b}): apparmor="STATUS" operation="profile_replace" info="same '
        'as current profile, skipping" profile="unconfined"'
    ),
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{h}: link becomes ready",
    "EXT4-fs (nvme0n1p2): re-mounted. Opts: errors=remount-ro. Quota mode: none.",
    "hrtimer: interrupt took {b} ns",
    "NFS: __nfs4_reclaim_open_state: Lock reclaim failed!",
    "mce: [Hardware Error]: Machine check events logged",
    "nvidia-uvm: Loaded the UVM driver, major device number 509.",
    "device-mapper: uevent: version 1.0.3",
    "TCP: request_sock_TCP: Possible SYN flooding on port {c}. Sending cookies.  Check SNMP counters.",
    "cgroup: fork rejected by pids controller in /user.slice/user-{c}.slice",
)
_CALM = (0, 1, 3, 4, 5, 9, 10)


class _Kernel:
    """Lines of a kernel log in one of the usual forms."""

    def __init__(self, host: str, form: str, hours: int, boot: float, rng: Random) -> None:
        self.host, self.form, self.hours, self.boot, self.rng = host, form, hours, boot, rng
        self.lines: list[tuple[float, str]] = []

    def add(self, when: float, text: str) -> None:
        self.lines.append((when, text))

    def noise(self, first: float, last: float, count: int, which: Sequence[int] = _CALM) -> None:
        for _ in range(count):
            when = self.rng.uniform(first, last)
            words = _NOISE[self.rng.choice(which)]
            number = self.rng.randrange
            took = number(2500, 9000)
            self.add(
                when,
                words.format(
                    a=number(400, 900),
                    b=took,
                    f=took * 4 // 5 - 3,
                    c=number(20000, 60000),
                    d=number(100, 999),
                    e=int(when),
                    h=_hex(self.rng, 7),
                ),
            )

    def out(self, path: Path) -> None:
        lines = []
        for when, text in sorted(self.lines):
            mono = f"[{when - self.boot:12.6f}]"
            head = {
                "dmesg": mono,
                "dmesg -T": f"[{_say(when, '%a %b %e %H:%M:%S %Y', self.hours)}]",
                "journalctl": f"{_say(when, '%b %d %H:%M:%S', self.hours)} {self.host} kernel:",
                "syslog": f"{_say(when, '%b %e %H:%M:%S', self.hours)} {self.host} kernel: {mono}",
            }[self.form]
            lines.append(f"{head} {text}")
        _text(path, lines)


def _scrapes(first: float, last: float, step: int) -> list[float]:
    start = int(first) // step * step
    return [float(when) for when in range(start, int(last) + 1, step)]


def _number(value: int) -> dict[str, object]:
    return {"set": True, "infinite": False, "number": value}


def _exit(status: str, code: int, signal: int = 0) -> dict[str, object]:
    name = {0: "NONE", 6: "ABRT", 9: "KILL", 15: "TERM"}[signal]
    return {
        "status": [status],
        "return_code": {"set": not signal, "infinite": False, "number": code},
        "signal": {"id": {"set": bool(signal), "infinite": False, "number": signal}, "name": name},
    }


def _icefall_epoch(
    rng: Random,
    lines: list[str],
    rank: int,
    epoch: int,
    first: float,
    last: float,
    loss: tuple[float, float],
    lr: tuple[float, float],
    seen: int,
) -> None:
    """An epoch of icefall's log, a line every 50 batches; loss and lr fall from the first to the second value."""

    def parts(total: float, frames: float) -> str:
        simple = total * rng.gauss(1.06, 0.02) if total > 2 else total * rng.gauss(0.93, 0.03) + 0.012
        return f"loss={total:.4g}, simple_loss={simple:.4g}, pruned_loss={total * rng.gauss(0.9, 0.02):.4g}, over {frames:.2f} frames. "

    batches = 1890
    threshold = 70.0 if loss[0] > 2 else 310.0
    for batch in range(0, batches, 50):
        part = batch / batches
        when = first + (last - first) * (part + 0.0005 * rng.random()) + rng.random() * 0.3
        fall = part ** (0.32 if loss[0] > 2 else 0.8)
        total = loss[0] + (loss[1] - loss[0]) * fall
        here = total * rng.gauss(1.0, 0.05)
        rate = lr[0] + (lr[1] - lr[0]) * part
        scale = 2.0 ** min(6, 1 + (seen + batch) // 700)
        head = f"{_comma(when, 9)} INFO"
        over = min(200.0, batch + 1.0) * 7100 * rng.gauss(1, 0.01)
        own = rng.uniform(5800, 7600) // 1
        lines.append(
            f"{head} [train.py:1031] ({rank}/2) Epoch {epoch}, batch {batch}, loss[{parts(here, own)}], tot_loss[{parts(total, over)}], "
            f"batch size: {rng.randint(17, 64)}, lr: {rate:.2e}, grad_scale: {scale}"
        )
        if batch % 200 == 150:
            marks = sorted(abs(rng.gauss(threshold / 2, threshold / 6)) + 5 for _ in range(5))
            lines.append(
                f"{_comma(when + 1.1, 9)} INFO [optim.py:487] ({rank}/2) Clipping_scale=2.0, grad-norm quartiles "
                + " ".join(f"{mark:.3e}" for mark in marks)
                + f", threshold={2 * marks[2]:.3e}, percent-clipped={rng.choice((0.0, 0.0, 1.0, 2.0))}"
            )
        if batch == 0:
            valid = total * (1.0 if total > 2 else 0.9)
            lines.append(f"{_comma(when + 0.2, 9)} INFO [train.py:1054] ({rank}/2) Computing validation loss")
            lines.append(
                f"{_comma(when + 9.4, 9)} INFO [train.py:1063] ({rank}/2) Epoch {epoch}, validation: {parts(valid, 611340)}"
            )
            lines.append(
                f"{_comma(when + 9.5, 9)} INFO [train.py:1064] ({rank}/2) Maximum memory allocated so far is {rng.randint(33100, 33300)}MB"
            )


def t09_tohoku(place: Path, rng: Random) -> None:
    """Speech of northern dialects on a university's Kubernetes; slices of four epochs, a Job each."""
    hosts = ("knode-h100-03", "knode-h100-06")
    start = _at("2026-03-05T22:06:12", 9)
    end = start + 83 * 60
    train = start + 205
    gpus = _gpus(rng, hosts, 1)
    length = (end - train - 25) / 4
    params = {
        "best_train_loss": "inf",
        "best_valid_loss": "inf",
        "best_train_epoch": -1,
        "best_valid_epoch": -1,
        "batch_idx_train": 0,
        "log_interval": 50,
        "reset_interval": 200,
        "valid_interval": 3000,
        "feature_dim": 80,
        "subsampling_factor": 4,
        "warm_step": 2000,
        "env_info": {
            "k2-version": "1.24.4",
            "torch-version": "2.3.1",
            "icefall-git-branch": "tohoku",
            "icefall-git-sha1": "5df24c16-dirty",
        },
        "world_size": 2,
        "master_port": 12354,
        "tensorboard": True,
    }

    def log(rank: int) -> list[str]:
        def head(when: float, line: str) -> str:
            return f"{_comma(when, 9)} INFO [{line}"

        own = {
            **params,
            "num_epochs": 4,
            "start_epoch": 1,
            "start_batch": 0,
            "exp_dir": "PosixPath('/exp/zipformer-tohoku/slice-04')",
            "base_lr": 0.045,
        }
        own |= {
            "max_duration": 900,
            "enable_musan": True,
            "use_fp16": True,
            "manifest_dir": "PosixPath('/data/fbank')",
            "vocab_size": 3200,
            "seed": 42,
        }
        shown = str(own).replace("'inf'", "inf").replace('"Posix', "Posix").replace("')\"", "')")
        lines = [
            head(start + 96 + rank, f"train.py:1277] ({rank}/2) Training started"),
            head(start + 96.2 + rank, f"train.py:1287] ({rank}/2) Device: cuda:0"),
            head(start + 97 + rank, f"train.py:1296] ({rank}/2) {shown}"),
            head(start + 97.1 + rank, f"train.py:1298] ({rank}/2) About to create model"),
            head(start + 98.8 + rank, f"train.py:1302] ({rank}/2) Number of model parameters: 68154831"),
            head(start + 104 + rank, f"train.py:1317] ({rank}/2) Using DDP"),
            head(
                start + 106 + rank,
                f"asr_datamodule.py:422] ({rank}/2) About to get train cuts from /data/fbank/tohoku_cuts_train.jsonl.gz",
            ),
            head(start + 106.3 + rank, f"asr_datamodule.py:239] ({rank}/2) Enable MUSAN"),
            head(start + 108.9 + rank, f"asr_datamodule.py:264] ({rank}/2) Enable SpecAugment"),
            head(start + 109 + rank, f"asr_datamodule.py:330] ({rank}/2) Using DynamicBucketingSampler."),
            head(start + 119 + rank, f"asr_datamodule.py:347] ({rank}/2) About to create train dataloader"),
            head(start + 121 + rank, f"asr_datamodule.py:431] ({rank}/2) About to get dev cuts"),
            head(
                start + 121.6 + rank,
                f"train.py:1448] ({rank}/2) Sanity check -- see if any of the batches in epoch 1 would cause OOM.",
            ),
            head(
                start + 188 + rank,
                f"train.py:1476] ({rank}/2) Maximum memory allocated so far is {33020 + 61 * rank}MB",
            ),
        ]
        losses = ((7.61, 0.884), (0.79, 0.534), (0.501, 0.412), (0.402, 0.351))
        rates = ((2.25e-2, 4.41e-2), (4.13e-2, 3.91e-2), (3.66e-2, 3.44e-2), (3.24e-2, 3.06e-2))
        for epoch, (loss, rate) in enumerate(zip(losses, rates, strict=True), 1):
            first = train + length * (epoch - 1)
            _icefall_epoch(rng, lines, rank, epoch, first, first + length - 6, loss, rate, 1890 * (epoch - 1))
            if not rank:
                lines.append(
                    head(
                        first + length - 4,
                        f"checkpoint.py:75] ({rank}/2) Saving checkpoint to /exp/zipformer-tohoku/slice-04/epoch-{epoch}.pt",
                    )
                )
        lines.append(head(end - 21, f"train.py:1423] ({rank}/2) Done!"))
        return lines

    _text(place / "logs" / "zipf-tohoku-s04-master-0.log", log(0))
    _text(place / "logs" / "zipf-tohoku-s04-worker-0.log", log(1))
    before = _at("2026-03-05T17:58:40", 9)
    old: list[str] = []
    for epoch, loss in ((11, (0.2262, 0.2231)), (12, (0.2214, 0.2187))):
        first = before + (epoch - 11) * 1190
        _icefall_epoch(rng, old, 0, epoch, first, first + 1180, loss, (1.62e-2, 1.55e-2), 18900)
        old.append(
            f"{_comma(first + 1184, 9)} INFO [checkpoint.py:75] (0/2) Saving checkpoint to /exp/zipformer-tohoku/slice-03/epoch-{epoch}.pt"
        )
    old.append(f"{_comma(before + 2377, 9)} INFO [train.py:1423] (0/2) Done!")
    _text(place / "logs" / "previous" / "zipf-tohoku-s03-master-0.tail.log", old)

    pods = [("zipf-tohoku-s03-master-0", hosts[0], "5h41m"), ("zipf-tohoku-s03-worker-0", hosts[1], "5h41m")]
    pods += [("zipf-tohoku-s04-master-0", hosts[0], "97m"), ("zipf-tohoku-s04-worker-0", hosts[1], "97m")]
    table = [
        "NAME                       READY   STATUS      RESTARTS   AGE     IP             NODE            NOMINATED NODE   READINESS GATES"
    ]
    table += [
        f"{name:<27}0/1     Completed   0          {age:<8}10.42.{7 + slot % 2}.{31 + slot:<7}{host:<16}<none>           <none>"
        for slot, (name, host, age) in enumerate(pods)
    ]
    _text(place / "kube" / "get-pods-wide.txt", table)
    for role, host, rank in (("master", hosts[0], 0), ("worker", hosts[1], 1)):
        form = "%a, %d %b %Y %H:%M:%S +0900"
        _text(
            place / "kube" / f"describe-zipf-tohoku-s04-{role}-0.txt",
            [
                f"Name:             zipf-tohoku-s04-{role}-0",
                "Namespace:        speech",
                "Priority:         0",
                "Service Account:  default",
                f"Node:             {host}/10.11.4.{13 + 3 * rank}",
                f"Start Time:       {_say(start, form, 9)}",
                "Labels:           lab.speech/previous=zipf-tohoku-s03",
                "                  training.kubeflow.org/job-name=zipf-tohoku-s04",
                f"                  training.kubeflow.org/replica-index=0\n                  training.kubeflow.org/replica-type={role}",
                "Status:           Succeeded",
                f"IP:               10.42.{7 + rank}.{33 + rank}",
                "Controlled By:    PyTorchJob/zipf-tohoku-s04",
                "Containers:",
                "  pytorch:",
                f"    Container ID:  containerd://{_hex(rng, 64)}",
                "    Image:         registry.speech.lab/icefall:2.3.1-cu121-k2-1.24.4",
                "    Command:\n      bash\n      /exp/tools/slice.sh",
                "    State:          Terminated",
                "      Reason:       Completed\n      Exit Code:    0",
                f"      Started:      {_say(start + 58, form, 9)}",
                f"      Finished:     {_say(end - 4 + rank, form, 9)}",
                "    Ready:          False\n    Restart Count:  0",
                "    Limits:\n      cpu:             24\n      memory:          200Gi\n      nvidia.com/gpu:  1",
                "    Environment:",
                "      SLICE:             04",
                "      EPOCHS_PER_SLICE:  4",
                "      EXP_ROOT:          /exp/zipformer-tohoku",
                (
                    f"      MASTER_ADDR:       {'localhost' if not rank else 'zipf-tohoku-s04-master-0'}\n      WORLD_SIZE: "
                    f"       2\n      RANK:              {rank}"
                ),
                "    Mounts:\n      /data from fbank (ro)\n      /dev/shm from shm (rw)\n      /exp from exp (rw)",
                (
                    "Conditions:\n  Type              Status\n  Initialized       True\n  Ready             False\n "
                    " ContainersReady   False\n  PodScheduled      True"
                ),
                "QoS Class:                   Burstable",
                "Events:",
                "  Type    Reason     Age   From               Message\n  ----    ------     ----  ----               -------",
                f"  Normal  Scheduled  97m   default-scheduler  Successfully assigned speech/zipf-tohoku-s04-{role}-0 to {host}",
                '  Normal  Pulling    97m   kubelet            Pulling image "registry.speech.lab/icefall:2.3.1-cu121-k2-1.24.4"',
                (
                    '  Normal  Pulled     96m   kubelet            Successfully pulled image "registry.speech.lab/icefall:2.3.1-cu121-k2-1.24.4" '
                    "in 52.118s"
                ),
                (
                    "  Normal  Created    96m   kubelet            Created container pytorch\n  Normal  Started "
                    "   96m   kubelet            Started container pytorch"
                ),
            ],
        )
    _text(
        place / "kube" / "get-pytorchjobs.txt",
        [
            "NAME              STATE       AGE",
            "zipf-tohoku-s01   Succeeded   19h",
            "zipf-tohoku-s02   Succeeded   13h",
            "zipf-tohoku-s03   Succeeded   5h41m",
            "zipf-tohoku-s04   Succeeded   97m",
        ],
    )

    def plan(_: _Gpu, when: float) -> _Load | None:
        if when < start + 94 or when > end - 12:
            return _Load()
        if when < start + 122:
            return _Load(used=1180)
        if when < train - 6:
            return _Load(93, 0.91, 0.62, 0.2, 0.4, 470, 36410, 0, 3e8)
        if (when - train) % length > length - 14:
            return _Load(31, 0.3, 0.2, 0.06, 0.1, 210, 41736, 0, 1e8)
        return _Load(96, 0.93, 0.68, 0.21, 0.44, 505, 41736, 0, 4e8)

    times = _scrapes(start - 240, end + 240, 30)
    rows = _rows(_H100, gpus[0], times, plan, rng)
    series = _dcgm(
        _H100, gpus[0], rows, rng, (*_DEV, *_PROF, "PCIE_REPLAY_COUNTER", "ECC_DBE_VOL_TOTAL"), {}, "10.11.4.13:9400"
    )
    _json(place / "metrics" / f"dcgm_{hosts[0]}.json", _matrix(series))
    for host in hosts:
        kernel = _Kernel(host, "dmesg -T", 9, start - 3_100_000, rng)
        kernel.noise(start - 40_000, end + 300, 22, (1, 3, 5, 9))
        for when in (start + 4.1, end + 1):
            kernel.add(
                when, f"cni0: port 5(veth{_hex(rng, 8)}) entered {'forwarding' if when < end else 'disabled'} state"
            )
        kernel.out(place / "kernel" / f"dmesg_{host}.txt")


def t10_kelp(place: Path, rng: Random) -> None:
    """Segmentation of kelp forests from aerial pictures, on a shared node of a marine institute."""
    host = "mar-gpu2"
    start = _at("2026-05-19T06:31:08")
    end = start + 56 * 60
    idle, own = _gpus(rng, (host,), 2)
    busy = start + 71
    still = start + 301

    def plan(gpu: _Gpu, when: float) -> _Load | None:
        if gpu is idle or when < start + 24 or when > end:
            return _Load()
        if when < busy:
            return _Load(used=438)
        if when < busy + 40:
            return _Load(used=6214)
        if when < still:
            return _Load(88, 0.86, 0.61, 0.22, 0.47, 252, 21876, 1695, 6e8)
        return _Load(used=21876)

    times = _scrapes(start - 300, end + 180, 10)
    result: list[dict[str, object]] = []
    for gpu in (idle, own):
        rows = _rows(_A40, gpu, times, plan, rng)
        fields = (*_DEV, *_PROF, "ECC_DBE_VOL_TOTAL", "PCIE_REPLAY_COUNTER")
        series = _dcgm(_A40, gpu, rows, rng, fields, {}, f"{host}:9400")
        if gpu is own:
            # dcgm-exporter's job mapping: the label stands only while the job holds the GPU.
            mapped = []
            for one in series:
                metric, values = one["metric"], one["values"]
                assert isinstance(metric, dict)
                assert isinstance(values, list)
                mapped.append({"metric": metric, "values": [pair for pair in values if not start <= pair[0] <= end]})
                mapped.append(
                    {
                        "metric": {**metric, "hpc_job": "90417"},
                        "values": [pair for pair in values if start <= pair[0] <= end],
                    }
                )
            series = mapped
        result += series
    _json(place / "query_range_mar-gpu2.json", _matrix(result))
    _text(
        place / "job" / "kelp.sbatch",
        [
            "#!/bin/bash",
            "#SBATCH -J kelp-seg",
            "#SBATCH -p gpu",
            "#SBATCH --gres=gpu:a40:1",
            "#SBATCH -c 12",
            "#SBATCH --mem=90G",
            "#SBATCH -t 08:00:00",
            "#SBATCH -o /scratch/msolberg/kelp/out/%j.out",
            "",
            "source ~/miniforge3/bin/activate kelp",
            "cd ~/kelp-seg",
            "python fit.py --tiles /nas/aerial/2025/tiles --arch unet_b4 --epochs 40 --batch 24 --quiet",
        ],
    )
    (place / "job" / "90417.out").write_text("", encoding="utf-8")
    boot = _at("2026-04-28T14:02:51")
    _text(
        place / "node" / "scontrol_show_node.txt",
        [
            f"NodeName={host} Arch=x86_64 CoresPerSocket=24",
            "   CPUAlloc=0 CPUEfctv=48 CPUTot=48 CPULoad=1.03",
            "   AvailableFeatures=a40\n   ActiveFeatures=a40\n   Gres=gpu:a40:2",
            f"   NodeAddr={host} NodeHostName={host} Version=23.02.7",
            "   OS=Linux 5.15.0-113-generic #123-Ubuntu SMP Mon Jun 10 08:16:17 UTC 2024",
            "   RealMemory=385000 AllocMem=0 FreeMem=291874 Sockets=2 Boards=1",
            "   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            "   Partitions=gpu",
            f"   BootTime={_say(boot, '%Y-%m-%dT%H:%M:%S')} SlurmdStartTime={_say(boot + 74, '%Y-%m-%dT%H:%M:%S')}",
            f"   LastBusyTime={_say(end + 3, '%Y-%m-%dT%H:%M:%S')} ResumeAfterTime=None",
            "   CfgTRES=cpu=48,mem=385000M,billing=48,gres/gpu=2\n   AllocTRES=",
        ],
    )
    kernel = _Kernel(host, "dmesg", 0, boot, rng)
    kernel.add(
        boot + 11.4, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {_A40.driver}  Sun Nov 12 15:12:40 UTC 2023"
    )
    kernel.add(boot + 11.9, "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms")
    kernel.add(boot + 40.2, "FS-Cache: Netfs 'nfs' registered for caching")
    kernel.noise(boot + 90, end, 26, (1, 5, 9, 10))
    kernel.out(place / "node" / "dmesg_mar-gpu2.txt")


def t11_loanword(place: Path, rng: Random) -> None:
    """A small language model of loanwords by MaxText on two workstations of a linguistics lab."""
    hosts = ("babel1", "babel2")
    start = _at("2026-02-17T13:12:40")
    end = start + 28 * 60
    gpus = _gpus(rng, hosts, 1)
    first = start + 94
    step, lines = 3.42, []
    still = start + 734
    for rank in (0, 1):
        head = f"{rank}: "
        lines += [
            (start + 21 + rank, f"{head}Running Model: maxtext"),
            (start + 22 + rank, f"{head}Attempting to initialize the jax distributed system for GPU backend..."),
            (start + 26.5, f"{head}Jax distributed system initialized on GPU!"),
            (start + 27, f"{head}System Information: Jax Version: 0.4.35"),
            (start + 27.1, f"{head}System Information: Jaxlib Version: 0.4.35"),
            (start + 27.2, f"{head}System Information: Jax Backend: PJRT C API"),
            (start + 28, f"{head}Config param base_emb_dim: 1280"),
            (start + 28, f"{head}Config param base_num_decoder_layers: 20"),
            (start + 28, f"{head}Config param dataset_type: grain"),
            (start + 28, f"{head}Config param grain_train_files: /net/corpora/loan/v3/train-*.array_record"),
            (start + 28, f"{head}Config param per_device_batch_size: 24.0"),
            (start + 28, f"{head}Config param steps: 6000"),
            (start + 28, f"{head}Config param enable_checkpointing: True"),
            (start + 30, f"{head}Num_devices: 2, shape (1, 2, 1, 1, 1, 1, 1, 1, 1, 1)"),
            (start + 39, f"{head}No existing checkpoints found, not restoring checkpoint."),
            (start + 41, f"{head}number parameters: 0.512 billion"),
            (start + 88, f"{head}Memstats: After params initialized:"),
            (start + 88, f"{head}\tUsing (GB) 3.12 / 38.54 (8.095485%) on cuda:{rank}"),
        ]
    count = int((still - first) / step)
    for number in range(count):
        when = first + (number + 1) * step
        seconds = 39.12 if not number else step * rng.gauss(1, 0.006)
        loss = 3.31 + 7.6 * 2.718 ** (-number / 46) + rng.gauss(0, 0.035)
        rate = 24 * 2048 / seconds
        lines.extend(
            (
                when + rank / 100,
                (
                    f"{rank}: completed step: {number}, seconds: {seconds:.3f}, TFLOP/s/device: {168.4 / seconds:.3f}, "
                    f"Tokens/s/device: {rate:.3f}, total_weights: {98304 - rng.randrange(1200)}, loss: {loss:.3f}"
                ),
            )
            for rank in (0, 1)
        )
        if number == 100:
            lines.append((when + 0.4, "0: saved a checkpoint at step 100"))
    lines.append((end - 1.4, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."))
    lines.append(
        (
            end - 1.4,
            f"slurmstepd: error: *** STEP 7713.0 ON babel1 CANCELLED AT {_say(end - 1.4, '%Y-%m-%dT%H:%M:%S')} ***",
        )
    )
    _text(
        place / "loanword-7713.log",
        [f"{_say(when, '%H:%M:%S')} {text}" for when, text in sorted(lines, key=lambda pair: pair[0])],
    )

    def plan(gpu: _Gpu, when: float) -> _Load | None:
        if when < start + 25 or when > end:
            return _Load()
        if when < first - 45:
            return _Load(used=577)
        if when < first:
            return _Load(12, used=37204, watt=92, clock=1935, dram=0.02)
        if when < still:
            return _Load(99, dram=0.52, watt=299.3, used=37412, clock=rng.choice((1560, 1575, 1590, 1605, 1620)))
        if gpu.host == hosts[1]:
            return _Load(used=37412)
        return _Load(100, watt=117, used=37412, clock=1935)

    times = _scrapes(start - 200, end + 150, 10)
    series: list[dict[str, object]] = []
    for gpu in gpus:
        rows = _rows(_A6000, gpu, times, plan, rng)
        series += _smi_exporter(_A6000, gpu, rows, f"{gpu.host}:9835", lambda row: row.watt > 280)
    _json(place / "prom" / "nvidia_smi_range.json", _matrix(series))

    boot = {hosts[0]: start - 912_344.2, hosts[1]: start - 911_870.9}
    for host in hosts:
        kernel = _Kernel(host, "dmesg", 0, boot[host], rng)
        kernel.add(
            boot[host] + 7.31,
            f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {_A6000.driver}  Thu Feb 22 01:44:30 UTC 2024",
        )
        kernel.add(boot[host] + 31, "NFS: Registering the id_resolver key type")
        kernel.noise(boot[host] + 60, end, 17, (1, 5, 9))
        if host == hosts[1]:
            for turn in (1, 2, 3, 4):
                when = still + 41 + 120.83 * turn
                kernel.add(when, f"INFO: task python3:48213 blocked for more than {120 * turn} seconds.")
                kernel.add(when + 0.00001, "      Not tainted 6.8.0-45-generic #45~22.04.1-Ubuntu")
                kernel.add(when + 0.00002, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.')
                kernel.add(
                    when + 0.00003,
                    "task:python3         state:D stack:0     pid:48213 tgid:48213 ppid:48190  flags:0x00000002",
                )
                for depth, call in enumerate(
                    (
                        "__schedule+0x27c/0x6a0",
                        "schedule+0x33/0x110",
                        "io_schedule+0x46/0x80",
                        "folio_wait_bit_common+0x136/0x330",
                        "filemap_fault+0x5f2/0xb60",
                    )
                ):
                    kernel.add(when + 0.00004 + depth / 1e6, f" {call}")
        kernel.out(place / f"dmesg.{host}")

    at = int(start)
    job = {
        "account": "ling",
        "allocation_nodes": 2,
        "association": {"account": "ling", "cluster": "babel", "partition": "", "user": "hokafor", "id": 31},
        "cluster": "babel",
        "comment": {"administrator": "", "job": "", "system": ""},
        "derived_exit_code": _exit("SUCCESS", 0),
        "exit_code": _exit("SUCCESS", 0),
        "group": "ling",
        "job_id": 7713,
        "kill_request_user": "hokafor",
        "name": "loanword-0.5b",
        "nodes": "babel[1-2]",
        "partition": "ws",
        "qos": "normal",
        "required": {"CPUs": 16, "memory_per_cpu": _number(0), "memory_per_node": _number(98304)},
        "state": {"current": ["CANCELLED"], "reason": "None"},
        "submit_line": "sbatch loanword.sh",
        "time": {
            "elapsed": int(end - start),
            "eligible": at - 3,
            "end": int(end),
            "start": at,
            "submission": at - 3,
            "suspended": 0,
            "limit": _number(720),
            "total": {"seconds": 18214, "microseconds": 402113},
        },
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": 32},
                {"type": "mem", "name": "", "id": 2, "count": 196608},
                {"type": "gres", "name": "gpu", "id": 1001, "count": 2},
            ]
        },
        "user": "hokafor",
        "working_directory": "/net/home/hokafor/maxtext",
        "steps": [
            {
                "step": {"id": f"7713.{name}", "name": title},
                "state": ["CANCELLED"],
                "exit_code": _exit("SIGNALED", 0, 15),
                "nodes": {"count": nodes, "range": spread},
                "time": {
                    "elapsed": int(end - start),
                    "start": {"set": True, "infinite": False, "number": at},
                    "end": {"set": True, "infinite": False, "number": int(end)},
                },
            }
            for name, title, nodes, spread in (("batch", "batch", 1, "babel1"), ("0", "python3", 2, "babel[1-2]"))
        ],
    }
    meta = {
        "plugin": {"type": "openapi/slurmdbd", "name": "Slurm OpenAPI slurmdbd", "data_parser": "data_parser/v0.0.41"},
        "command": ["sacct", "-j", "7713", "--json"],
        "slurm": {"version": {"major": "24", "micro": "2", "minor": "05"}, "release": "24.05.2", "cluster": "babel"},
    }
    _json(place / "sacct_7713.json", {"jobs": [job], "meta": meta, "errors": [], "warnings": []}, 2)


def t12_pollen(place: Path, rng: Random) -> None:
    """A language model over palynology texts by nanotron on three nodes of a regional centre."""
    hosts = ("ra-n041", "ra-n042", "ra-n047")
    start = _at("2026-06-23T09:14:22")
    end = start + 10 * 60 + 4
    dead = start + 447
    gpus = _gpus(rng, hosts, 4)
    first = start + 81
    pace = 2.61

    def tag(when: float, level: str, place_: str, host: str) -> str:
        return f"{_say(when, '%m/%d/%Y %H:%M:%S')} [{level}|{place_}|{host}]: "

    lines = [
        (
            "+ srun --nodes=3 --ntasks-per-node=1 torchrun --nnodes=3 --nproc_per_node=4 --rdzv_backend=c10d "
            f"--rdzv_endpoint={hosts[0]}:29502 run_train.py --config-file configs/pollen_1b.yaml"
        ),
        tag(start + 31, "INFO", "DP=0|PP=0|TP=0", hosts[0]) + "Config:",
        (
            "Config(general=GeneralArgs(project='pollen', run='pollen_1b_s2', seed=42, step=None, consumed_train_samples=None, "
            "benchmark_csv_path=None, ignore_sanity_checks=True),"
        ),
        (
            "       parallelism=ParallelismArgs(dp=6, pp=1, tp=2, pp_engine=<nanotron.parallel.pipeline_parallel.engine.OneForwardOneBackwardPipelineEngine "
            "object>, tp_mode=<TensorParallelLinearMode.REDUCE_SCATTER: 2>),"
        ),
        (
            "       tokens=TokensArgs(sequence_length=2048, train_steps=12000, micro_batch_size=8, batch_accumulation_per_replica=4, "
            "val_check_interval=-1, limit_val_batches=0, limit_test_batches=0))"
        ),
        tag(start + 33, "INFO", "DP=0|PP=0|TP=0", hosts[0]) + "Building model..",
        tag(start + 33, "INFO", "DP=0|PP=0|TP=0", hosts[0]) + "Initialize RoPE Theta = 10000.0",
        tag(start + 36, "INFO", "DP=0|PP=0|TP=0", hosts[0]) + "Total number of parameters: 1.24G (2365.31MiB)",
        tag(start + 36, "INFO", "DP=0|PP=0|TP=0", hosts[0])
        + "[After model building] Memory usage: 1197.02MiB. Peak allocated: 1221.11MiB Peak reserved: 1284.00MiB",
        tag(start + 38, "INFO", "DP=0|PP=0|TP=0", hosts[0]) + "No checkpoint path provided.",
        tag(start + 38, "INFO", "DP=0|PP=0|TP=0", hosts[0])
        + "Parametrizing model parameters using StandardParametrizator",
        tag(start + 44, "INFO", "DP=0|PP=0|TP=0", hosts[0])
        + "[Training Plan] Stage Training Stage has 12000 remaining training steps and has consumed 0 samples",
        tag(start + 77, "INFO", "DP=0|PP=0|TP=0", hosts[0])
        + (
            "[Start training] datetime: 2026-06-23 09:15:39.118204 | mbs: 8 | grad_accum: 4 | global_batch_size: "
            "192 | sequence_length: 2048 | train_steps: 12000 | start_iteration_step: 0 | consumed_train_samples: "
            "0"
        ),
    ]
    number = 0
    when = first + 6.4
    while when < dead:
        number += 1
        seconds = (6.4 if number == 1 else pace) * rng.gauss(1, 0.008)
        tokens = number * 192 * 2048
        rate = 192 * 2048 / seconds
        loss = 3.9 + 7.3 * 2.718 ** (-number / 52) + rng.gauss(0, 0.03)
        flops = 11.3e15 * 0.28 / seconds / 12e12
        eaten = f"{tokens / 1e6:.3g}M"
        lines.append(
            tag(when, "INFO", "DP=0|PP=0|TP=0", hosts[0])
            + (
                f"iteration: {number} / 12000 | consumed_tokens: {eaten} | elapsed_time_per_iteration_ms: {seconds:.3g}K "
                f"| tokens_per_sec: {rate / 1e3:.3g}K | tokens_per_sec_per_gpu: {rate / 12e3:.3g}K | global_batch_size: "
                f"192 | lm_loss: {loss:.3g} | lr: {min(3e-4, 1.5e-6 * number):.3g} | model_tflops_per_gpu: {flops:.3g} "
                f"| hardware_tflops_per_gpu: {flops:.3g} | grad_norm: {abs(rng.gauss(1.6, 0.2)) + 8 / number:.3g} "
                "| cuda_memory_allocated: 9.34G | cuda_max_memory_reserved: 41.7G | hd_total_memory_tb: 3.84T "
                "| hd_used_memory_tb: 1.12T | hd_free_memory_tb: 2.72T"
            )
        )
        when += seconds
    lines += [
        "srun: error: Node failure on ra-n047",
        (
            f"slurmstepd-ra-n041: error: *** STEP 330518.0 ON ra-n041 CANCELLED AT {_say(end - 3, '%Y-%m-%dT%H:%M:%S')} "
            "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
        ),
        (
            f"slurmstepd-ra-n041: error: *** JOB 330518 ON ra-n041 CANCELLED AT {_say(end - 3, '%Y-%m-%dT%H:%M:%S')} "
            "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
        ),
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        "W0623 09:24:24.011000 23177 torch/distributed/elastic/agent/server/api.py:704] Received Signals.SIGTERM death signal, shutting down workers",
        "W0623 09:24:24.013000 23177 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 23240 closing signal SIGTERM",
    ]
    _text(place / "pollen_1b-330518.out", lines)

    def plan(gpu: _Gpu, when: float) -> _Load | None:
        if gpu.host == hosts[2] and when > dead:
            return None
        if when < start + 32 or when > end:
            return _Load()
        if when < first:
            return _Load(used=3702)
        if when < dead + 1:
            return _Load(98, dram=0.42, watt=338, used=44218 + 64 * gpu.index)
        return _Load(100, watt=112, used=44218 + 64 * gpu.index)

    times = _scrapes(start - 300, end + 300, 15)
    series: list[dict[str, object]] = []
    for gpu in gpus:
        series += _smi_exporter(_A100, gpu, _rows(_A100, gpu, times, plan, rng), f"{gpu.host}:9835", lambda _: False)
    _json(place / "metrics" / "nvidia_gpu_exporter_range.json", _matrix(series))
    iso = "%Y-%m-%dT%H:%M:%S"
    _text(
        place / "slurm" / "scontrol_show_job_330518.txt",
        [
            "JobId=330518 JobName=pollen_1b",
            "   UserId=cvasquez(20611) GroupId=palyno(2040) MCS_label=N/A",
            "   Priority=10422 Nice=0 Account=palyno QOS=normal",
            "   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:1",
            f"   RunTime=00:10:04 TimeLimit=1-00:00:00 TimeMin=N/A\n   SubmitTime={_say(start - 1290, iso)} EligibleTime={_say(start - 1290, iso)}",
            f"   AccrueTime={_say(start - 1290, iso)}\n   StartTime={_say(start, iso)} EndTime={_say(end, iso)} Deadline=N/A",
            "   SuspendTime=None SecsPreSuspend=0 Partition=a100 AllocNode:Sid=ra-login1:88120",
            "   ReqNodeList=(null) ExcNodeList=(null)\n   NodeList=ra-n[041-042,047]\n   BatchHost=ra-n041",
            "   NumNodes=3 NumCPUs=192 NumTasks=3 CPUs/Task=64 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=192,mem=1440G,node=3,billing=192,gres/gpu=12\n   AllocTRES=cpu=192,mem=1440G,node=3,billing=192,gres/gpu=12",
            "   Command=/home/cvasquez/pollen/launch.slurm\n   WorkDir=/home/cvasquez/pollen\n   StdOut=/home/cvasquez/pollen/pollen_1b-330518.out",
            "   TresPerNode=gres/gpu:4",
        ],
    )
    _text(
        place / "slurm" / "scontrol_show_node_ra-n047.txt",
        [
            "NodeName=ra-n047 Arch=x86_64 CoresPerSocket=32",
            "   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=9.71\n   Gres=gpu:a100:4\n   NodeAddr=ra-n047 NodeHostName=ra-n047 Version=23.11.8",
            "   RealMemory=500000 AllocMem=0 FreeMem=402218 Sockets=2 Boards=1",
            "   State=DOWN* ThreadsPerCore=1 TmpDisk=0 Weight=10 Owner=N/A MCS_label=N/A\n   Partitions=a100",
            f"   BootTime={_say(start - 2_004_113, iso)} SlurmdStartTime={_say(start - 2_003_920, iso)}",
            f"   LastBusyTime={_say(end, iso)} ResumeAfterTime=None",
            "   CfgTRES=cpu=64,mem=500000M,billing=64,gres/gpu=4\n   AllocTRES=",
            f"   Reason=Not responding [slurm@{_say(end - 3, iso)}]",
        ],
    )
    _text(
        place / "slurm" / "sinfo.txt",
        [
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST",
            "a100*        up 2-00:00:00      1  down* ra-n047",
            "a100*        up 2-00:00:00     11  alloc ra-n[033-040,043-045]",
            "a100*        up 2-00:00:00      4   idle ra-n[041-042,046,048]",
        ],
    )
    for host in hosts:
        kernel = _Kernel(host, "journalctl", 0, start - 2_000_000, rng)
        kernel.noise(start - 30_000, dead - 300 if host == hosts[2] else end + 260, 15, (1, 3, 5, 9))
        kernel.out(place / "kernel" / f"journal-k_{host}.txt")


def t13_manuscript(place: Path, rng: Random) -> None:
    """A text model over letters of a national archive by the Hugging Face trainer, two nodes of eight."""
    hosts = ("hal-g12", "hal-g15")
    start = _at("2026-01-14T20:41:17")
    end = start + 40 * 60 + 9
    fault = end - 31.4
    gpus = _gpus(rng, hosts[1:], 8)
    bad = gpus[5]
    first, pace, total = start + 102, 2.384, 5400
    job = 1184402

    lines = [
        f"== job {job} on hal-g[12,15], {_say(start, '%a %b %e %H:%M:%S UTC %Y')}",
        "fatal: detected dubious ownership in repository at '/project/letters/src'",
        "To add an exception for this directory, call:",
        "",
        "\tgit config --global --add safe.directory /project/letters/src",
        (
            "ERROR: pip's dependency resolver does not currently take into account all the packages that "
            "are installed. This behaviour is the source of the following dependency conflicts."
        ),
        "datasets 2.19.1 requires fsspec[http]<=2024.3.1,>=2023.1.0, but you have fsspec 2024.6.0 which is incompatible.",
        (
            "W0114 20:41:33.402000 140211 torch/distributed/run.py:779] Setting OMP_NUM_THREADS environment "
            "variable for each process to be 1 in default, to avoid your system being overloaded."
        ),
        (
            "2026-01-14 20:41:41.118093: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] "
            "Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one "
            "has already been registered"
        ),
        (
            "2026-01-14 20:41:41.140215: E external/local_xla/xla/stream_executor/cuda/cuda_blas.cc:1515] "
            "Unable to register cuBLAS factory: Attempting to register factory for plugin cuBLAS when one "
            "has already been registered"
        ),
        "01/14/2026 20:41:52 - WARNING - __main__ - Process rank: 0, device: cuda:0, n_gpu: 1, distributed training: True, 16-bits training: False",
        (
            "01/14/2026 20:41:53 - ERROR - letters.ocr - page 0x3fe1: decoder crashed on 3 of 118204 scans "
            "(corrupt JPEG: premature end of data segment), skipped"
        ),
        "01/14/2026 20:41:53 - WARNING - letters.ocr - killed stale lock /project/letters/cache/.lock of dead process 99120",
        "[INFO|trainer.py:2134] 2026-01-14 20:42:49,871 >> ***** Running training *****",
        "[INFO|trainer.py:2135] 2026-01-14 20:42:49,871 >>   Num examples = 1,382,400",
        "[INFO|trainer.py:2136] 2026-01-14 20:42:49,871 >>   Num Epochs = 1",
        "[INFO|trainer.py:2137] 2026-01-14 20:42:49,871 >>   Instantaneous batch size per device = 8",
        "[INFO|trainer.py:2140] 2026-01-14 20:42:49,871 >>   Total train batch size (w. parallel, distributed & accumulation) = 256",
        "[INFO|trainer.py:2141] 2026-01-14 20:42:49,871 >>   Gradient Accumulation steps = 2",
        "[INFO|trainer.py:2142] 2026-01-14 20:42:49,871 >>   Total optimization steps = 5,400",
        "[INFO|trainer.py:2143] 2026-01-14 20:42:49,873 >>   Number of trainable parameters = 2,506,172,416",
        (
            "[rank0]:[W114 20:42:55.114 reducer.cpp:1400] Warning: find_unused_parameters=True was specified "
            "in DDP constructor, but did not find any unused parameters in the forward pass."
        ),
    ]

    def span(seconds: float) -> str:
        whole = int(seconds)
        return (
            f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
            if whole >= 3600
            else f"{whole // 60:02d}:{whole % 60:02d}"
        )

    done = int((fault - first) / pace)
    for step in range(10, done + 1, 10):
        loss = 1.72 + 1.15 * 2.718 ** (-step / 210) + rng.gauss(0, 0.021)
        rate = 2e-5 * min(1, step / 160) * (1 - max(0, step - 160) / (total - 160))
        bar = "█" * (step * 10 // total)
        left = span((total - step) * pace)
        lines.append(
            f"{step * 100 // total:3d}%|{bar:<10}| {step}/{total} [{span(step * pace)}<{left},  {rng.gauss(pace, 0.006):.2f}s/it]"
        )
        lines.append(
            str(
                {
                    "loss": round(loss, 4),
                    "grad_norm": round(abs(rng.gauss(0.94, 0.08)), 6),
                    "learning_rate": rate,
                    "epoch": round(step / total, 2),
                }
            )
        )
        if step == 500:
            lines.append(
                f"[INFO|trainer.py:3478] {_comma(first + step * pace)} >> Saving model checkpoint to /project/letters/run7/checkpoint-500"
            )
    trace = [
        "Traceback (most recent call last):",
        '  File "/project/letters/src/run_clm.py", line 688, in <module>',
        "    main()",
        '  File "/project/letters/src/run_clm.py", line 636, in main',
        "    train_result = trainer.train(resume_from_checkpoint=checkpoint)",
        '  File "/opt/conda/lib/python3.10/site-packages/transformers/trainer.py", line 1932, in train',
        "    return inner_training_loop(",
        '  File "/opt/conda/lib/python3.10/site-packages/transformers/trainer.py", line 2268, in _inner_training_loop',
        "    tr_loss_step = self.training_step(model, inputs)",
        '  File "/opt/conda/lib/python3.10/site-packages/transformers/trainer.py", line 3324, in training_step',
        "    self.accelerator.backward(loss, **kwargs)",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/autograd/__init__.py", line 267, in backward',
        "    _engine_run_backward(",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    ]
    lines += [f"[rank13]: {line}" for line in trace] + [""]
    stamp = _say(fault + 9, "%m%d %H:%M:%S")
    pids = [77120 + 3 * slot for slot in range(8)]
    lines += [
        f"W{stamp}.{210 + slot}000 77051 torch/distributed/elastic/multiprocessing/api.py:858] Sending process {pid} closing signal SIGTERM"
        for slot, pid in enumerate(pids)
        if slot != 5
    ]
    lines += [
        (
            f"E{_say(fault + 13, '%m%d %H:%M:%S')}.880000 77051 torch/distributed/elastic/multiprocessing/api.py:833] "
            f"failed (exitcode: 1) local_rank: 5 (pid: {pids[5]}) of binary: /opt/conda/bin/python"
        ),
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "/project/letters/src/run_clm.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {_say(fault + 9, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : hal-g15.hal.archiv.example",
        "  rank      : 13 (local_rank: 5)",
        "  exitcode  : 1 (pid: 77135)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        "srun: error: hal-g15: task 1: Exited with exit code 1",
        f"srun: Terminating StepId={job}.0",
        f"slurmstepd: error: *** STEP {job}.0 ON hal-g12 CANCELLED AT {_say(fault + 15, '%Y-%m-%dT%H:%M:%S')} ***",
        "srun: error: hal-g12: task 0: Terminated",
    ]
    _text(place / f"letters-{job}.log", lines)

    def plan(gpu: _Gpu, when: float) -> _Load | None:
        if when < start + 33 or when > fault + 13 or (gpu is bad and when > fault + 5):
            return _Load()
        if when < first:
            return _Load(used=1417 if when < start + 70 else 11862)
        if when > fault:
            return _Load(100, 1.0, 0.07, 0, 0.01, 118, 66820)
        return _Load(98, 0.965, 0.78, 0.39, 0.41, 366, 66820 + 12 * gpu.index)

    times = _scrapes(start - 120, end + 120, 5)
    by_time: dict[float, list[str]] = {}
    for gpu in gpus:
        for row in _rows(_A100, gpu, times, plan, rng):
            load, hit = row.load, gpu is bad and row.when > fault
            cells = [str(row.util), str(row.used), f"{row.watt:.3f}", str(row.temp), str(row.clock)]
            cells += [f"{float(_wob(rng, part, 0.008)):.3f}" for part in (load.engine, load.sm, load.tensor, load.dram)]
            cells += ["1" if hit else "0", "94" if hit else "0"]
            stamp = _say(row.when, "%Y-%m-%dT%H:%M:%S+0000")
            by_time.setdefault(row.when, []).append(
                f"{stamp} GPU {gpu.index}     " + "".join(f"{cell:<11}" for cell in cells).rstrip()
            )
    names = ("GPUTL", "FBUSD", "POWER", "TMPTR", "SMCLK", "GRACT", "SMACT", "TENSO", "DRAMA", "EDVTL", "XIDER")
    out = []
    for number, when in enumerate(times):
        if number % 12 == 0:
            stamp = _say(when, "%Y-%m-%dT%H:%M:%S+0000")
            out.append(f"{stamp} #Entity   " + "".join(f"{name:<11}" for name in names).rstrip())
            out.append(f"{stamp} ID                              W          C")
        out += by_time[when]
    _text(place / "dmon_hal-g15.txt", out)
    _text(
        place / "dmon.sh",
        [
            "#!/bin/sh",
            "# one for each node, from the prolog",
            (
                "exec dcgmi dmon -e 203,252,155,150,100,1001,1002,1004,1005,311,230 -d 5000 | ts '%Y-%m-%dT%H:%M:%S%z' "
                ">> /var/log/dmon_$(hostname -s).txt"
            ),
        ],
    )
    for host in hosts:
        kernel = _Kernel(host, "syslog", 0, start - 3_811_402.3, rng)
        kernel.noise(start - 20_000, end, 14, (1, 5, 9, 10))
        kernel.add(
            start - 8402.5, "ACPI Error: No handler for Region [SYSI] (00000000b2c1d1f0) [IPMI] (20210730/evregion-130)"
        )
        kernel.add(start - 5210.1, "nfs: server archiv-nas2 not responding, still trying")
        kernel.add(start - 5187.4, "nfs: server archiv-nas2 OK")
        if host == hosts[1]:
            kernel.add(fault + 0.21, "NVRM: GPU at PCI:0000:8d:00: " + bad.uuid)
            kernel.add(
                fault + 0.22,
                (
                    f"NVRM: Xid (PCI:0000:8d:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row ({_hex(rng, 4)}) "
                    "marked for remapping, reset gpu to activate."
                ),
            )
            kernel.add(
                fault + 0.31,
                "NVRM: Xid (PCI:0000:8d:00): 94, pid=77135, name=python, Contained: SM (0x1). RST: No, D-RST: No",
            )
        kernel.out(place / f"syslog_{host}")
    at = int(start)
    record = {
        "account": "archive",
        "allocation_nodes": 2,
        "cluster": "hal",
        "derived_exit_code": _exit("ERROR", 1),
        "exit_code": _exit("ERROR", 1),
        "group": "letters",
        "job_id": job,
        "name": "letters-2b5",
        "nodes": "hal-g[12,15]",
        "partition": "gpu-long",
        "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
        "submit_line": "sbatch run7.sh",
        "time": {
            "elapsed": int(end) - at,
            "eligible": at - 4012,
            "end": int(end),
            "start": at,
            "submission": at - 4012,
            "suspended": 0,
            "limit": _number(2880),
        },
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": 256},
                {"type": "node", "name": "", "id": 4, "count": 2},
                {"type": "gres", "name": "gpu", "id": 1001, "count": 16},
            ]
        },
        "user": "ilindqvist",
        "working_directory": "/project/letters",
        "steps": [
            {
                "step": {"id": f"{job}.{name}", "name": title},
                "state": [state],
                "exit_code": code,
                "nodes": {"count": nodes, "range": spread},
                "time": {"elapsed": int(end) - at, "start": _number(at), "end": _number(int(end))},
            }
            for name, title, state, code, nodes, spread in (
                ("batch", "batch", "FAILED", _exit("ERROR", 1), 1, "hal-g12"),
                ("0", "torchrun", "FAILED", _exit("ERROR", 1), 2, "hal-g[12,15]"),
            )
        ],
    }
    meta = {
        "plugin": {"type": "openapi/slurmdbd", "data_parser": "data_parser/v0.0.40"},
        "slurm": {"version": {"major": "23", "micro": "6", "minor": "11"}, "release": "23.11.6", "cluster": "hal"},
    }
    _json(place / f"sacct-{job}.json", {"jobs": [record], "meta": meta, "errors": [], "warnings": []}, 2)


def t14_recipes(place: Path, rng: Random) -> None:
    """A try of torchtune over cooking recipes in the short queue of a technical college."""
    host = "lyra04"
    start = _at("2026-04-09T15:20:06", 1)
    end = start + 10 * 60 + 18
    gpu = _gpus(rng, (host,), 1)[0]

    def plan(_: _Gpu, when: float) -> _Load | None:
        if when < start + 22 or when > end:
            return _Load()
        if when < start + 47:
            return _Load(used=491)
        return _Load(used=7068)

    rows = _rows(_L40S, gpu, _scrapes(start - 400, end + 200, 10), plan, rng)
    _json(
        place / "metrics" / f"{host}.dcgm.json",
        _matrix(_dcgm(_L40S, gpu, rows, rng, (*_DEV, *_PROF), {}, f"{host}:9400")),
    )
    tag = "INFO:torchtune.utils._logging:"
    lines = [
        f"{tag}Running LoRAFinetuneRecipeSingleDevice with resolved config:",
        "",
        "batch_size: 4",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /data/hf/Llama-3.2-3B-Instruct",
        "  checkpoint_files:\n  - model-00001-of-00002.safetensors\n  - model-00002-of-00002.safetensors",
        "  model_type: LLAMA3_2\n  output_dir: /scratch/adubois/recipes/out\n  recipe_checkpoint: null",
        "compile: false",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  data_files: /scratch/adubois/recipes/cooking_train.jsonl\n  packed: false\n  source: json\n  split: train",
        "device: cuda\ndtype: bf16\nenable_activation_checkpointing: true\nepochs: 1\ngradient_accumulation_steps: 8",
        "log_every_n_steps: 1\nloss:\n  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss",
        (
            "max_steps_per_epoch: 60\nmetric_logger:\n  _component_: torchtune.training.metric_logging.DiskLogger\n "
            " log_dir: /scratch/adubois/recipes/logs"
        ),
        "num_workers: 4\noptimizer:\n  _component_: torch.optim.AdamW\n  fused: true\n  lr: 0.0003\n  weight_decay: 0.01",
        "seed: 7\nshuffle: true",
        "",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 7. Local seed is seed + rank = 7 + 0",
        f"Writing logs to /scratch/adubois/recipes/logs/log_{int(start) + 25}.txt",
        f"{tag}Model is initialized with precision torch.bfloat16.",
        f"{tag}Memory stats after model init:",
        "\tGPU peak memory allocation: 6.21 GiB\n\tGPU peak memory reserved: 6.29 GiB\n\tGPU peak memory active: 6.21 GiB",
        f"{tag}Tokenizer is initialized from file.",
        f"{tag}Optimizer is initialized.",
        f"{tag}Loss is initialized.",
        f"{tag}Dataset and Sampler are initialized.",
        f"{tag}Learning rate scheduler is initialized.",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
        f"{tag} Profiler config after instantiation: {{'enabled': False}}",
        "",
        "  0%|          | 0/60 [00:00<?, ?it/s]",
        f"slurmstepd: error: *** JOB 208815 ON {host} CANCELLED AT {_say(end - 1, '%Y-%m-%dT%H:%M:%S', 1)} DUE TO TIME LIMIT ***",
    ]
    _text(place / "slurm-208815.out", lines)
    _text(
        place / "pyspy_15h27.txt",
        [
            "Process 31502: /opt/tune/bin/python /opt/tune/bin/tune run lora_finetune_single_device --config recipes.yaml",
            "Python v3.11.9 (/opt/tune/bin/python3.11)",
            "",
            'Thread 31502 (idle): "MainThread"',
            "    wait (threading.py:331)",
            "    wait (multiprocessing/connection.py:948)",
            "    _poll (multiprocessing/connection.py:440)",
            "    poll (multiprocessing/connection.py:257)",
            "    get (multiprocessing/queues.py:113)",
            "    _try_get_data (torch/utils/data/dataloader.py:1131)",
            "    _get_data (torch/utils/data/dataloader.py:1294)",
            "    _next_data (torch/utils/data/dataloader.py:1327)",
            "    __next__ (torch/utils/data/dataloader.py:630)",
            "    train (lora_finetune_single_device.py:662)",
            "    recipe_main (lora_finetune_single_device.py:779)",
            "    wrapper (torchtune/config/_parse.py:99)",
            "    <module> (lora_finetune_single_device.py:784)",
            "",
            "Process 31561: /opt/tune/bin/python /opt/tune/bin/tune run lora_finetune_single_device --config recipes.yaml",
            'Thread 31561 (idle): "MainThread"',
            "    encode (tiktoken/core.py:124)",
            "    encode (torchtune/modules/tokenizers/_tiktoken.py:112)",
            "    tokenize_messages (torchtune/models/llama3/_tokenizer.py:248)",
            "    __getitem__ (torchtune/datasets/_sft.py:118)",
            "    fetch (torch/utils/data/_utils/fetch.py:52)",
            "    _worker_loop (torch/utils/data/_utils/worker.py:309)",
        ],
    )
    form = "{:<12} {:>12} {:>9} {:>9} {:>10} {:>8} {:>19} {:>19} {:>10} {:>10} {:>10}"
    head = (
        "JobID",
        "JobName",
        "Partition",
        "User",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "Timelimit",
        "NodeList",
    )
    rule = tuple("-" * width for width in (12, 12, 9, 9, 10, 8, 19, 19, 10, 10, 10))
    iso = "%Y-%m-%dT%H:%M:%S"
    ago = start - 5531
    old = (_say(ago, iso, 1), _say(ago + 461, iso, 1), "00:07:41")
    now = (_say(start, iso, 1), _say(end, iso, 1), "00:10:18")
    table = [
        head,
        rule,
        ("208790", "cook-lora", "short", "adubois", "COMPLETED", "0:0", *old, "00:10:00", host),
        ("208790.batch", "batch", "", "", "COMPLETED", "0:0", *old, "", host),
        ("208815", "cook-lora", "short", "adubois", "TIMEOUT", "0:0", *now, "00:10:00", host),
        ("208815.batch", "batch", "", "", "CANCELLED", "0:15", *now, "", host),
    ]
    _text(place / "sacct.txt", [form.format(*row) for row in table])
    kernel = _Kernel(host, "dmesg -T", 1, start - 700_000, rng)
    kernel.noise(start - 50_000, end, 16, (1, 5, 9))
    kernel.out(place / "dmesg.txt")


def t15_fjordwave(place: Path, rng: Random) -> None:
    """Waves in fjords by a graph network on one old node of a weather office's Kubernetes."""
    host, pod = "k8s-v100-2", "fjordwave-b9d4m"
    start = _at("2026-08-11T11:03:25")
    end = start + 34 * 60
    gpus = _gpus(rng, (host,), 2)
    first, steps = start + 68, 266
    pace = (end - 9 - first) / steps
    lines = []
    for rank in (0, 1):
        lines += [
            (
                start + 14 + rank / 9,
                f"[rank {rank}] fjordwave 0.9.2, torch 2.1.2+cu118, {host} gpu {rank} (Tesla V100-SXM2-32GB)",
            ),
            (start + 19 + rank / 9, f"[rank {rank}] process group nccl up, world 2"),
            (
                start + 34 + rank / 9,
                f"[rank {rank}] mesh 2.41M nodes, 14.4M edges; model 264.1M parameters; save_every=1 keep=3 dir=/ckpt/fw-11",
            ),
            (start + 66 + rank / 9, f"[rank {rank}] plan: {steps} steps"),
        ]
    busy: list[tuple[float, float]] = []
    when, late = first, 0.0
    for step in range(1, steps + 1):
        loss = 0.118 + 0.79 * 2.718 ** (-step / 58) + rng.gauss(0, 0.006)
        work = rng.gauss(1.43, 0.02)
        whole = pace + 0.35 * (drift := rng.uniform(-1, 1)) - 0.35 * late
        late = drift
        save = whole - work
        busy.append((when, when + work))
        for rank in (0, 1):
            took = save + rng.gauss(0, 0.03)
            lines.append(
                (
                    when + whole + rank * rng.uniform(0.001, 0.04),
                    (
                        f"[rank {rank}] step {step:>4} loss {loss:.4f} | data {abs(rng.gauss(0.03, 0.005)):.2f}s fwd "
                        f"{work * 0.34:.2f}s bwd {work * 0.58:.2f}s opt {work * 0.07:.2f}s save {took:.2f}s (1.58 GB)"
                    ),
                )
            )
        when += whole
    lines += [
        (end - 4 + rank / 9, f"[rank {rank}] all {steps} steps done, rmse on held-out buoys {0.2114:.4f} m, bye")
        for rank in (0, 1)
    ]
    _text(
        place / f"{pod}.log",
        [
            f"{_say(at, '%Y-%m-%dT%H:%M:%S')}.{int(at * 1000) % 1000:03d}Z {text}"
            for at, text in sorted(lines, key=lambda pair: pair[0])
        ],
    )

    def plan(_: _Gpu, at: float) -> _Load | None:
        if at < start + 13 or at > end - 3:
            return _Load()
        if at < first:
            return _Load(used=1288, clock=1290)
        if any(low <= at <= high for low, high in busy):
            return _Load(94, dram=0.46, watt=241, used=21406, clock=1530)
        return _Load(used=21406, clock=1290, watt=63)

    csv = [
        (
            "timestamp, index, name, uuid, pstate, utilization.gpu [%], utilization.memory [%], memory.used "
            "[MiB], memory.total [MiB], power.draw [W], temperature.gpu, clocks.current.sm [MHz], clocks_throttle_reasons.active, "
            "ecc.errors.uncorrected.volatile.total"
        )
    ]
    table = {gpu.index: _rows(_V100, gpu, _scrapes(start - 120, end + 90, 5), plan, rng) for gpu in gpus}
    for both in zip(*table.values(), strict=True):
        for gpu, row in zip(gpus, both, strict=True):
            stamp = _say(row.when, "%Y/%m/%d %H:%M:%S") + f".{rng.randint(100, 180) + 3 * gpu.index:03d}"
            reason = "0x0000000000000000" if row.util else "0x0000000000000001"
            csv.append(
                f"{stamp}, {gpu.index}, {_V100.model}, {gpu.uuid}, P0, {row.util} %, {row.copy} %, {row.used} "
                f"MiB, {_V100.total} MiB, {row.watt:.2f} W, {row.temp}, {row.clock} MHz, {reason}, 0"
            )
    _text(place / f"nvidia-smi_{host}.csv", csv)
    form = "%a, %d %b %Y %H:%M:%S +0000"
    _text(
        place / "kubectl" / "describe_pod.txt",
        [
            f"Name:             {pod}",
            "Namespace:        waves",
            "Priority:         0",
            f"Node:             {host}/10.60.1.22",
            f"Start Time:       {_say(start, form)}",
            (
                f"Labels:           batch.kubernetes.io/controller-uid={_uuid(rng)}\n                  batch.kubernetes.io/job-name=fjordwave\n "
                "                 job-name=fjordwave"
            ),
            "Status:           Succeeded",
            "Controlled By:    Job/fjordwave",
            "Containers:",
            "  train:",
            "    Image:         harbor.waves.example/fjordwave:0.9.2",
            "    Command:\n      torchrun\n      --nproc_per_node=2\n      -m\n      fjordwave.train\n      --conf\n      /conf/fw-11.toml",
            "    State:          Terminated\n      Reason:       Completed\n      Exit Code:    0",
            f"      Started:      {_say(start + 5, form)}\n      Finished:     {_say(end, form)}",
            "    Ready:          False\n    Restart Count:  0",
            "    Limits:\n      cpu:             16\n      memory:          120Gi\n      nvidia.com/gpu:  2",
            "    Environment:  <none>",
            "    Mounts:\n      /ckpt from ckpt (rw)\n      /conf from conf (ro)\n      /mesh from mesh (ro)",
            "Volumes:",
            (
                "  ckpt:\n    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the "
                "same namespace)\n    ClaimName:  ckpt-cephfs"
            ),
            "QoS Class:                   Burstable",
            "Events:\n  Type    Reason     Age   From               Message\n  ----    ------     ----  ----               -------",
            f"  Normal  Scheduled  41m   default-scheduler  Successfully assigned waves/{pod} to {host}",
            '  Normal  Pulled     41m   kubelet            Container image "harbor.waves.example/fjordwave:0.9.2" already present on machine',
            (
                "  Normal  Created    41m   kubelet            Created container train\n  Normal  Started   "
                " 41m   kubelet            Started container train"
            ),
        ],
    )
    _text(
        place / "kubectl" / "get_pods.txt",
        [
            "NAME              READY   STATUS      RESTARTS   AGE    IP            NODE         NOMINATED NODE   READINESS GATES",
            f"fjordwave-7xk2p   0/1     Error       0          27h    10.244.9.18   {host}   <none>           <none>",
            f"{pod}   0/1     Completed   0          41m    10.244.9.31   {host}   <none>           <none>",
        ],
    )
    _text(
        place / "kubectl" / "get_job.txt",
        ["NAME        STATUS     COMPLETIONS   DURATION   AGE", "fjordwave   Complete   1/1           34m        41m"],
    )
    kernel = _Kernel(host, "dmesg -T", 0, start - 5_100_000, rng)
    kernel.noise(start - 60_000, end, 18, (1, 3, 5, 9))
    kernel.out(place / f"dmesg_{host}.txt")


def t16_antenna(place: Path, rng: Random) -> None:
    """Surrogate of antenna fields in a home-made loop on two nodes of an electronics firm."""
    hosts = ("sz-l40s-07", "sz-l40s-11")
    start = _at("2026-07-03T09:02:50", 8)
    end = start + 175 * 60
    still = end - 1800 - 62
    gpus = _gpus(rng, hosts, 8)
    first, pace = start + 118, 1.874
    lost = 11

    def say(when: float, name: str, text: str, level: str = "INFO") -> str:
        return f"{_comma(when, 8)} {level:<7} {name}: {text}"

    lines = [
        say(start + 31, "emfield.main", "config /cfg/patch_array_v5.yaml, run id pa5-0703a"),
        say(start + 31.2, "emfield.main", "world size 16, backend nccl, collective timeout 30 min"),
        say(start + 52, "emfield.model", "FieldNet-L: 412.8 M parameters, bf16, 24 blocks"),
        say(start + 61, "emfield.data", "index of 18204 shards read, 3.3 M samples"),
        say(start + 110, "emfield.main", "starting from step 0"),
    ]
    step, when = 0, first
    while when + pace < still:
        step += 1
        when += pace * rng.gauss(1, 0.003)
        if step % 20 == 0:
            loss = 0.0412 + 0.52 * 2.718 ** (-step / 640) + rng.gauss(0, 0.0009)
            lines.append(
                say(
                    when,
                    "emfield.loop",
                    (
                        f"step {step} loss {loss:.5f} lr {min(4e-4, 4e-7 * step):.2e} gnorm {abs(rng.gauss(0.41, 0.05)):.3f} "
                        f"{16 * 24 / pace * rng.gauss(1, 0.004):.1f} samples/s"
                    ),
                )
            )
        if step % 1000 == 0:
            lines.append(say(when + 0.1, "emfield.ckpt", f"wrote /mnt/ckpt/pa5-0703a/{step:06d}.pt"))
    seq = step * 7 + 31
    fired = still + 1801
    day = _say(fired, "%m%d", 8).lstrip("0")
    clock = _say(fired, "%H:%M:%S", 8)
    order = [rank for rank in range(16) if rank != lost]
    rng.shuffle(order)
    for rank in order:
        ran = 1800000 + rng.randint(3, 95)
        head = f"[rank{rank}]:[E{day} {clock}.{rng.randrange(10**8, 10**9)} ProcessGroupNCCL.cpp"
        what = (
            f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, "
            f"NumelIn=26214400, NumelOut=26214400, Timeout(ms)=1800000) ran for {ran} milliseconds before timing out."
        )
        lines += [
            f"{head}:607] {what}",
            (
                f"{head}:1664] [PG 0 (default_pg) Rank {rank}] Exception (either an error or timeout) detected "
                f"by watchdog at work: {seq}, last enqueued NCCL work: {seq + 6}, last completed NCCL work: {seq - 1}."
            ),
            (
                f"{head}:621] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous "
                "nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."
            ),
            f"{head}:627] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        ]
    for node, host in enumerate(hosts):
        stamp = _say(fired + 21 + node, "%m%d %H:%M:%S", 8)
        base = 51820 if not node else 40377
        worst = 4 if not node else 6
        lines += [
            (
                f"W{stamp}.{300 + slot}000 {base} torch/distributed/elastic/multiprocessing/api.py:858] Sending "
                f"process {base + 70 + slot} closing signal SIGTERM"
            )
            for slot in range(8)
            if slot != worst
        ]
        lines += [
            (
                f"E{stamp}.912000 {base} torch/distributed/elastic/multiprocessing/api.py:833] failed (exitcode: "
                f"-6) local_rank: {worst} (pid: {base + 70 + worst}) of binary: /opt/py311/bin/python"
            ),
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "======================================================",
            "emfield.main FAILED",
            "------------------------------------------------------",
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {_say(fired + 21 + node, '%Y-%m-%d_%H:%M:%S', 8)}",
            f"  host      : {host}",
            f"  rank      : {node * 8 + worst} (local_rank: {worst})",
            f"  exitcode  : -6 (pid: {base + 70 + worst})",
            "  error_file: <N/A>",
            f"  traceback : Signal 6 (SIGABRT) received by PID {base + 70 + worst}",
            "======================================================",
        ]
    _text(place / "log" / "pa5-0703a.log", lines)

    shards = []
    when = first
    while when < still - 16:
        shards.append(
            say(when, "emfield.data.r11", f"shard {rng.randrange(18204):05d} opened, {rng.randint(176, 184)} samples")
        )
        when += rng.gauss(14.1, 0.2)
    shards.append(
        say(still - 1.2, "emfield.data.r11", f"shard {rng.randrange(18204):05d}: fetching from objstore sz-obj-3")
    )
    _text(place / "log" / "pa5-0703a.rank11.data.log", shards)

    def plan(gpu: _Gpu, at: float) -> _Load | None:
        rank = gpu.index + 8 * hosts.index(gpu.host)
        if at < start + 33 or at > end - 38:
            return _Load()
        if at < first - 4:
            return _Load(used=2630)
        if at < still:
            return _Load(
                97, 0.95, 0.71, 0.3, 0.49, 312, 37902 + 8 * gpu.index, rng.choice((2445, 2460, 2475, 2490)), 3.1e9
            )
        if rank == lost:
            return _Load(used=37902 + 8 * gpu.index)
        return _Load(100, 1.0, 0.06, 0, 0.002, 121, 37902 + 8 * gpu.index, 2520)

    fields = (
        "GPU_UTIL",
        "FB_USED",
        "POWER_USAGE",
        "GPU_TEMP",
        "SM_CLOCK",
        "XID_ERRORS",
        "GR_ENGINE_ACTIVE",
        "SM_ACTIVE",
        "PIPE_TENSOR_ACTIVE",
        "DRAM_ACTIVE",
        "PCIE_TX_BYTES",
    )
    by_field: dict[str, list[object]] = {field: [] for field in fields}
    for gpu in gpus:
        rows = _rows(_L40S, gpu, _scrapes(start - 300, end + 300, 15), plan, rng)
        for field, series in zip(fields, _dcgm(_L40S, gpu, rows, rng, fields, {}, f"{gpu.host}:9400"), strict=True):
            by_field[field].append(series)
    for field, found in by_field.items():
        _json(place / "prometheus" / f"{field.lower()}.json", _matrix(found))
    _text(
        place / "sinfo.txt",
        [
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST",
            "l40s*        up 5-00:00:00      9    mix sz-l40s-[01-06,08-10]",
            "l40s*        up 5-00:00:00      3   idle sz-l40s-[07,11-12]",
        ],
    )
