"""Incidents t01 to t08 of the thirty-second set. SIMULATED: every number and line is drawn by this module, no job ran."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class _Card:
    """What a card is: names, MiB, watts, MHz."""

    name: str
    mib: int
    reserved: int
    watts: float
    idle_watts: float
    sm: int
    sm_idle: int
    mem: int
    mem_idle: int


_H100 = _Card("NVIDIA H100 80GB HBM3", 81559, 551, 700, 71, 1980, 345, 2619, 2619)
_H200 = _Card("NVIDIA H200", 143771, 604, 700, 78, 1980, 345, 3201, 3201)
_A100 = _Card("NVIDIA A100-SXM4-80GB", 81920, 653, 400, 63, 1410, 210, 1593, 1593)
_V100 = _Card("Tesla V100-SXM2-32GB", 32768, 267, 300, 42, 1530, 135, 877, 877)
_B200 = _Card("NVIDIA B200", 183359, 708, 1000, 142, 1965, 120, 3996, 3996)


@dataclass(frozen=True)
class _Load:
    """What a GPU does at a moment."""

    util: float = 0.0
    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    power: float = 0.0  # share of the way from idle to the limit
    used: float = 0.0  # MiB
    clock: float = -1.0  # MHz, or by the card
    cap: bool = False
    nvlink: float = 0.0  # bytes a second
    pcie: float = 2.0e5


_IDLE = _Load(used=4)
_Phase = Callable[[float], "_Load | None"]
_Fixed = dict[str, "Callable[[float], float] | float"]

_INTS = {
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_MEM_CLOCK",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_MEMORY_TEMP",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_MEM_COPY_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
    "DCGM_FI_PROF_PCIE_TX_BYTES",
    "DCGM_FI_PROF_PCIE_RX_BYTES",
    "DCGM_FI_PROF_NVLINK_TX_BYTES",
}
_Series = dict[str, list[list[object]]]


def _uuid(rng: Random) -> str:
    h = "".join(rng.choice("0123456789abcdef") for _ in range(32))
    return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def _pod_tail(rng: Random, n: int = 5) -> str:
    return "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(n))


def _gpu(
    rng: Random,
    card: _Card,
    start: float,
    end: float,
    every: float,
    phase: _Phase,
    fixed: _Fixed | None = None,
    prof: bool = True,
    limit: float = 0.0,
) -> _Series:
    """Draw the series of one GPU."""
    fixed = fixed or {}
    out: _Series = {}
    limit = limit or card.watts
    cold = rng.uniform(27, 32)
    hot = rng.uniform(31, 37)  # kelvin above cold at the full limit of the card
    temp, mem_temp, energy = cold, cold + 3, rng.uniform(2e11, 9e11)
    offset = rng.uniform(0.97, 1.03)
    t = start
    while t < end:
        load = phase(t)
        if load is None:
            t += every
            continue
        busy = load.used > 300
        watts = card.idle_watts * (1.3 if busy else 1.0)
        watts = watts * offset * rng.gauss(1.0, 0.004) + load.power * (limit - watts) * rng.gauss(1.0, 0.025)
        reasons = 0 if busy and load.util > 0 else 1
        clock = float(card.sm if busy else card.sm_idle)
        if load.clock > 0:
            clock = load.clock
        if load.cap:
            watts = limit * rng.uniform(0.972, 1.004)
            clock = card.sm * rng.uniform(0.86, 0.955) // 15 * 15
            reasons = 4
        watts = min(watts, limit * 1.006)
        pull = 1 - math.exp(-every / 55)
        temp += (cold + hot * watts / card.watts - temp) * pull
        mem_temp += (cold + 4 + (hot + 6) * watts / card.watts - mem_temp) * pull
        energy += watts * every * 1000
        values = {
            "DCGM_FI_DEV_SM_CLOCK": clock,
            "DCGM_FI_DEV_MEM_CLOCK": card.mem,
            "DCGM_FI_DEV_MEMORY_TEMP": mem_temp + rng.uniform(-0.4, 0.4),
            "DCGM_FI_DEV_GPU_TEMP": temp + rng.uniform(-0.4, 0.4),
            "DCGM_FI_DEV_POWER_USAGE": watts,
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": energy,
            "DCGM_FI_DEV_GPU_UTIL": max(0.0, min(100.0, load.util)),
            "DCGM_FI_DEV_MEM_COPY_UTIL": min(100.0, load.dram * 115) if load.util > 5 else 0.0,
            "DCGM_FI_DEV_FB_USED": load.used,
            "DCGM_FI_DEV_FB_FREE": card.mib - card.reserved - int(load.used),
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": reasons,
        }
        if prof:
            for key, level in (
                ("GR_ENGINE_ACTIVE", load.engine),
                ("SM_ACTIVE", load.sm),
                ("PIPE_TENSOR_ACTIVE", load.tensor),
                ("DRAM_ACTIVE", load.dram),
            ):
                values[f"DCGM_FI_PROF_{key}"] = max(0.0, min(1.0, level * rng.gauss(1, 0.02)))
            values["DCGM_FI_PROF_PCIE_TX_BYTES"] = load.pcie * rng.uniform(0.85, 1.15)
            values["DCGM_FI_PROF_PCIE_RX_BYTES"] = load.pcie * rng.uniform(0.95, 1.3)
            values["DCGM_FI_PROF_NVLINK_TX_BYTES"] = load.nvlink * rng.uniform(0.93, 1.07)
        for key, value in fixed.items():
            values[key] = value(t) if callable(value) else value
        for key, value in values.items():
            if key in _INTS or key in fixed:
                text = str(int(value))
            elif key == "DCGM_FI_DEV_POWER_USAGE":
                text = f"{value:.3f}"
            else:
                text = f"{value:.6f}"
            out.setdefault(key, []).append([int(t) if t == int(t) else round(t, 3), text])
        t += every
    return out


def _matrix(
    path: Path, gpus: list[tuple[dict[str, str], _Series]], only: set[str] | None = None, drop: tuple[str, ...] = ()
) -> None:
    """Write the answer of query_range."""
    names = sorted({k for _, s in gpus for k in s})
    result = [
        {"metric": {"__name__": name, **labels}, "values": series[name]}
        for name in names
        if name not in drop and (only is None or name in only)
        for labels, series in gpus
        if name in series
    ]
    text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
    path.write_text(text + "\n")


def _labels(card: _Card, host: str, gpu: int, uuid: str, bus: str, driver: str, **more: str) -> dict[str, str]:
    return {
        "DCGM_FI_DRIVER_VERSION": driver,
        "Hostname": host,
        "UUID": uuid,
        "device": f"nvidia{gpu}",
        "gpu": str(gpu),
        "instance": f"{host}:9400",
        "job": "dcgm-exporter",
        "modelName": card.name,
        "pci_bus_id": bus,
        **more,
    }


def _at(text: str) -> float:
    """Epoch of a UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _local(t: float, hours: int = 0) -> datetime:
    return datetime.fromtimestamp(t, timezone(timedelta(hours=hours)))


def _iso(t: float, hours: int = 0) -> str:
    return _local(t, hours).strftime("%Y-%m-%dT%H:%M:%S")


def _comma(t: float, hours: int = 0) -> str:
    """As Python's logging prints it."""
    return _local(t, hours).strftime("%Y-%m-%d %H:%M:%S,") + f"{int(t * 1000) % 1000:03d}"


def _span(seconds: float) -> str:
    s = int(seconds)
    days, s = divmod(s, 86400)
    return (f"{days}-" if days else "") + f"{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}"


def _dmesg(lines: list[tuple[float, str]], form: str, host: str, boot: float, hours: int) -> str:
    """Write kernel lines in a form of dmesg or of syslog."""
    out = []
    for t, text in sorted(lines, key=lambda x: x[0]):
        if form == "iso":
            when = _local(t, hours)
            zone = when.strftime("%z")
            out.append(f"{when.strftime('%Y-%m-%dT%H:%M:%S')},{int(t * 1e6) % 1000000:06d}{zone[:3]}:{zone[3:]} {text}")
        elif form == "T":
            out.append(f"[{_local(t, hours).strftime('%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "syslog":
            out.append(f"{_local(t, hours).strftime('%b %e %H:%M:%S')} {host} kernel: [{t - boot:12.6f}] {text}")
        else:
            out.append(f"[{t - boot:12.6f}] {text}")
    return "\n".join(out) + "\n"


def _noise(rng: Random, start: float, end: float, n: int) -> list[tuple[float, str]]:
    """Kernel lines that any node has."""
    kinds = [
        lambda: (
            f"perf: interrupt took too long ({rng.randint(2501, 4200)} > {rng.randint(2490, 2500)}), "
            f"lowering kernel.perf_event_max_sample_rate to {rng.choice((50000, 79750, 63750))}"
        ),
        lambda: f"hrtimer: interrupt took {rng.randint(4100, 29000)} ns",
        lambda: f"net_ratelimit: {rng.randint(2, 40)} callbacks suppressed",
        lambda: (
            "systemd-journald[1187]: Data hash table of /run/log/journal has a fill level at 75.0, suggesting rotation."
        ),
        lambda: "workqueue: blk_mq_run_work_fn hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
        lambda: (
            f"TCP: request_sock_TCP: Possible SYN flooding on port {rng.randint(30000, 60000)}. Sending cookies.  Check SNMP counters."
        ),
    ]
    return [(rng.uniform(start, end), rng.choice(kinds)()) for _ in range(n)]


def _boot(rng: Random, boot: float, driver: str, kernel: str) -> list[tuple[float, str]]:
    t = boot
    lines = []
    red = ".el" in kernel
    build = 60 + sum(map(ord, kernel)) % 80
    made = (
        "(mockbuild@x86-64-02.build.eng) (gcc version 11.4.1) #1 SMP PREEMPT_DYNAMIC"
        if red
        else f"(buildd@lcy02-amd64-0{10 + len(kernel)}) #{build}-Ubuntu SMP"
    )
    for text in (
        f"Linux version {kernel} {made}",
        f"Command line: BOOT_IMAGE=/boot/vmlinuz-{kernel} root=UUID={_uuid(rng)[4:]} ro quiet iommu=pt",
        "pci 0000:1b:00.0: BAR 1: assigned [mem 0x21000000000-0x21fffffffff 64bit pref]",
        "nvidia: module license 'NVIDIA' taints kernel.",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 234",
        f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Release Build  (dvs-builder@U22-I3-AE18-29-3)",
        f"nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  {driver}",
        "[drm] Initialized nvidia-drm 0.0.0 20160202 for 0000:1b:00.0 on minor 1",
        "nvidia-uvm: Loaded the UVM driver, major device number 509.",
    ):
        lines.append((t, text))
        t += rng.uniform(0.4, 4.0)
    return lines


def _put(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def _mmu(bus: str, pid: int, rng: Random) -> str:
    return (
        f"NVRM: Xid (PCI:0000:{bus}:00): 31, pid={pid}, name=python3, channel 0x{rng.randint(8, 60):08x}, intr 00000000. MMU Fault: ENGINE GRAPHICS "
        f"GPC{rng.randint(0, 6)} GPCCLIENT_T1_{rng.randint(0, 9)} faulted @ 0x7f{rng.randint(0x10, 0xFF):02x}_{rng.randint(0, 0xFFFF):04x}0000. "
        "Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
    )


# t01: protein language model, University of Groningen-like cluster, DeepSpeed ZeRO-2.


def t01_habrok_plm(place: Path, rng: Random) -> None:
    hosts, buses = ("hgx007", "hgx011"), ("1b", "43")
    driver, job = "550.127.08", 7719204
    begin = _at("2026-10-20T07:41:16")
    fault = begin + 18 * 60 + 21.4
    done = begin + 19 * 60 + 6
    xid31 = begin - 47 * 60 - 11
    warm = begin + 74
    gpus = []
    for h, host in enumerate(hosts):
        for g in range(2):
            bad = h == 1 and g == 1
            base = rng.uniform(68800, 69300)

            def phase(t: float, bad: bool = bad, base: float = base) -> _Load:
                if t < begin + 9 or t > done - 4:
                    return _IDLE
                if t < warm:
                    return _Load(
                        used=min(base * 0.4, 600 + (t - begin) * 260),
                        util=0 if t < begin + 40 else rng.randint(0, 6),
                        power=0.04,
                    )
                if t > fault:
                    if bad:
                        return _IDLE if t > fault + 9 else _Load(used=base, util=0, power=0.02)
                    return _Load(used=base, util=100, power=0.11)
                return _Load(
                    used=base, util=rng.randint(96, 100), power=rng.uniform(0.80, 0.9), dram=rng.uniform(0.38, 0.46)
                )

            fixed: _Fixed = {
                "DCGM_FI_DEV_XID_ERRORS": (
                    (lambda t: 94 if t > fault else 0) if bad else (31 if (h, g) == (0, 0) else 0)
                ),
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": (lambda t: 1 if t > fault else 0) if bad else 0,
                "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": 0,
                "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": (lambda t: 1 if t > fault + 1 else 0) if bad else 0,
                "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 0,
                "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0,
                "DCGM_FI_DEV_ROW_REMAP_PENDING": (lambda t: 1 if t > fault + 1 else 0) if bad else 0,
                "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
            }
            series = _gpu(rng, _H100, begin - 300 + 4, done + 240, 10, phase, fixed, prof=False)
            labels = _labels(_H100, host, g, _uuid(rng), f"00000000:{buses[g].upper()}:00.0", driver)
            gpus.append((labels, series))
    _matrix(place / "dcgm_range.json", gpus)

    pids = {(h, g): 214000 + h * 90211 + g for h in range(2) for g in range(2)}
    for h, host in enumerate(hosts):
        boot = begin - rng.uniform(30, 60) * 86400
        lines = _boot(rng, boot, driver, "5.15.0-122-generic") + _noise(rng, begin - 7 * 86400, done + 100, 14)
        if h == 0:
            lines.append((xid31, _mmu("1b", 198442, rng)))
        else:
            addr = rng.randint(0x1000, 0xFFFFF)
            lines += [
                (
                    fault,
                    (
                        "NVRM: Xid (PCI:0000:43:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row "
                        f"(0x{addr:016x}) marked for remapping, reset gpu to activate."
                    ),
                ),
                (
                    fault + 0.011,
                    f"NVRM: Xid (PCI:0000:43:00): 94, pid={pids[1, 1]}, name=python, Contained: SM (0x1). RST: No, D-RST: No",
                ),
                (fault + 0.013, f"NVRM: Xid (PCI:0000:43:00): 94, pid={pids[1, 1]}, name=python, Ch 0000000a"),
            ]
        (place / f"dmesg_{host}.txt").write_text(_dmesg(lines, "iso", host, boot, 0))

    head = "JobID|JobName|User|Partition|State|ExitCode|Start|End|Elapsed|NodeList|AllocTRES"
    tres = "billing=64,cpu=64,gres/gpu=4,mem=480G,node=2"
    _put(
        place / "sacct.txt",
        [
            head,
            (
                f"7718987|xas-feff-ml|p301177|gpuhgx|FAILED|1:0|{_iso(xid31 - 2230)}|{_iso(xid31 + 4)}|{_span(2234)}|"
                "hgx007|billing=16,cpu=16,gres/gpu=1,mem=96G,node=1"
            ),
            f"7718987.batch|batch|||FAILED|1:0|{_iso(xid31 - 2230)}|{_iso(xid31 + 4)}|{_span(2234)}|hgx007|cpu=16,gres/gpu=1,mem=96G,node=1",
            f"{job}|plm-abseq-zero2|p288409|gpuhgx|FAILED|1:0|{_iso(begin)}|{_iso(done)}|{_span(int(done) - int(begin))}|hgx[007,011]|{tres}",
            f"{job}.batch|batch|||FAILED|1:0|{_iso(begin)}|{_iso(done)}|{_span(int(done) - int(begin))}|hgx007|cpu=32,gres/gpu=2,mem=240G,node=1",
            f"{job}.extern|extern|||COMPLETED|0:0|{_iso(begin)}|{_iso(done)}|{_span(int(done) - int(begin))}|hgx[007,011]|{tres}",
        ],
    )

    log: list[str] = []

    def ds(t: float, level: str, where: str, text: str, host: str = "") -> None:
        log.append((f"{host}: " if host else "") + f"[{_comma(t + rng.uniform(0, 0.05))}] [{level}] [{where}] {text}")

    t = begin + 6.2
    ds(t, "INFO", "real_accelerator.py:219:get_accelerator", "Setting ds_accelerator to cuda (auto detect)")
    ds(t + 2.9, "INFO", "multinode_runner.py:81:get_cmd", f"Running on the following workers: {','.join(hosts)}")
    ds(
        t + 2.9,
        "INFO",
        "runner.py:571:main",
        (
            f"cmd = pdsh -S -f 1024 -w {','.join(hosts)} export NCCL_SOCKET_IFNAME=ib0; export PYTHONPATH=/scratch/p288409/abseq; "
            "cd /scratch/p288409/abseq; /scratch/p288409/envs/abseq/bin/python -u -m deepspeed.launcher.launch "
            "--world_info=eyJoZ3gwMDciOiBbMCwgMV0sICJoZ3gwMTEiOiBbMCwgMV19 --node_rank=%n --master_addr=10.141.4.7 "
            "--master_port=29500 pretrain.py --cfg conf/650m.json --deepspeed --deepspeed_config conf/ds_z2.json"
        ),
    )
    for h, host in enumerate(hosts):
        t = begin + 12.1 + h * 0.31
        ds(t, "INFO", "real_accelerator.py:219:get_accelerator", "Setting ds_accelerator to cuda (auto detect)", host)
        ds(t + 2, "INFO", "launch.py:146:main", "WORLD INFO DICT: {'hgx007': [0, 1], 'hgx011': [0, 1]}", host)
        ds(t + 2, "INFO", "launch.py:152:main", f"nnodes=2, num_local_procs=2, node_rank={h}", host)
        ds(
            t + 2,
            "INFO",
            "launch.py:163:main",
            "global_rank_mapping=defaultdict(<class 'list'>, {'hgx007': [0, 1], 'hgx011': [2, 3]})",
            host,
        )
        ds(t + 2, "INFO", "launch.py:164:main", "dist_world_size=4", host)
        ds(t + 2, "INFO", "launch.py:168:main", "Setting CUDA_VISIBLE_DEVICES=0,1", host)
        for g in range(2):
            ds(
                t + 2.1,
                "INFO",
                "launch.py:256:main",
                (
                    f"process {pids[h, g]} spawned with command: ['/scratch/p288409/envs/abseq/bin/python', "
                    f"'-u', 'pretrain.py', '--local_rank={g}', '--cfg', 'conf/650m.json', '--deepspeed', '--deepspeed_config',"
                    " 'conf/ds_z2.json']"
                ),
                host,
            )
    for host in hosts:
        for _ in range(2):
            ds(begin + 23 + rng.random(), "INFO", "comm.py:652:init_distributed", "cdb=None", host)
    ds(
        begin + 24.4,
        "INFO",
        "comm.py:683:init_distributed",
        "Initializing TorchBackend in DeepSpeed with backend nccl",
        hosts[0],
    )
    log.append("hgx007: loading shards: 412 files, 118.2 M sequences (OAS paired+unpaired, 90% id)")
    log.append("hgx007: model: 651.0 M parameters, 33 layers, bf16")
    t = begin + 44.7
    ds(
        t,
        "INFO",
        "logging.py:129:log_dist",
        "[Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown",
        hosts[0],
    )
    ds(t + 1.1, "INFO", "logging.py:129:log_dist", "[Rank 0] DeepSpeed Flops Profiler Enabled: False", hosts[0])
    log.append("hgx007: Using /home4/p288409/.cache/torch_extensions/py311_cu124 as PyTorch extensions root...")
    log.append("hgx007: Loading extension module fused_adam...")
    log.append(f"hgx007: Time to load fused_adam op: {rng.uniform(0.1, 0.4)} seconds")
    ds(t + 4, "INFO", "logging.py:129:log_dist", "[Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer", hosts[0])
    ds(t + 4, "INFO", "stage_1_and_2.py:149:__init__", "Reduce bucket size 500000000", hosts[0])
    ds(t + 4, "INFO", "stage_1_and_2.py:150:__init__", "Allgather bucket size 500000000", hosts[0])
    ds(t + 9, "INFO", "utils.py:781:see_memory_usage", "After initializing ZeRO optimizer", hosts[0])
    ds(
        t + 9,
        "INFO",
        "utils.py:782:see_memory_usage",
        "MA 3.64 GB         Max_MA 4.25 GB         CA 4.27 GB         Max_CA 4 GB ",
        hosts[0],
    )
    t, step = warm, 0
    while True:
        t += 10 * rng.uniform(1.62, 1.69)
        if t > fault - 1:
            break
        step += 10
        loss = 2.86 - 0.34 * (1 - math.exp(-step / 260)) + rng.gauss(0, 0.008)
        ds(
            t,
            "INFO",
            "logging.py:129:log_dist",
            f"[Rank 0] step={step}, skipped=0, lr=[{4e-4 * step / 2000}], mom=[(0.9, 0.98)]",
            hosts[0],
        )
        ds(
            t,
            "INFO",
            "timer.py:264:stop",
            (
                f"epoch=0/micro_step={step * 4}/global_step={step}, RunningAvgSamplesPerSec={rng.uniform(618, 622)},"
                f" CurrSamplesPerSec={rng.uniform(605, 633)}, MemAllocated=5.46GB, MaxMemAllocated=58.91GB"
            ),
            hosts[0],
        )
        log.append(
            f"hgx007: step {step} mlm_loss {loss:.4f} acc {0.19 + (2.86 - loss) * 0.3:.4f} tok/s {rng.uniform(314000, 322000):.0f}"
        )
    p = "hgx011: [rank3]: "
    log += [
        p + "Traceback (most recent call last):",
        p + '  File "/scratch/p288409/abseq/pretrain.py", line 241, in <module>',
        p + "    main()",
        p + '  File "/scratch/p288409/abseq/pretrain.py", line 203, in main',
        p + "    engine.backward(out.loss)",
        p
        + '  File "/scratch/p288409/envs/abseq/lib/python3.11/site-packages/deepspeed/utils/nvtx.py", line 18, in wrapped_fn',
        p + "    ret_val = func(*args, **kwargs)",
        p + "              ^^^^^^^^^^^^^^^^^^^^^",
        p
        + '  File "/scratch/p288409/envs/abseq/lib/python3.11/site-packages/deepspeed/runtime/engine.py", line 2020, in backward',
        p + "    self.optimizer.backward(loss, retain_graph=retain_graph)",
        p
        + '  File "/scratch/p288409/envs/abseq/lib/python3.11/site-packages/deepspeed/runtime/zero/stage_1_and_2.py", line 2063, in backward',
        p + "    self.loss_scaler.backward(loss.float(), retain_graph=retain_graph)",
        p
        + '  File "/scratch/p288409/envs/abseq/lib/python3.11/site-packages/torch/autograd/graph.py", line 825, in _engine_run_backward',
        p + "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        p + "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        p
        + "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        p + "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        p + "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "hgx011: ",
    ]
    ds(fault + 11.2, "INFO", "launch.py:319:sigkill_handler", f"Killing subprocess {pids[1, 0]}", hosts[1])
    ds(fault + 13.1, "INFO", "launch.py:319:sigkill_handler", f"Killing subprocess {pids[1, 1]}", hosts[1])
    ds(
        fault + 13.2,
        "ERROR",
        "launch.py:325:sigkill_handler",
        (
            "['/scratch/p288409/envs/abseq/bin/python', '-u', 'pretrain.py', '--local_rank=1', '--cfg', "
            "'conf/650m.json', '--deepspeed', '--deepspeed_config', 'conf/ds_z2.json'] exits with "
            "return code = 1"
        ),
        hosts[1],
    )
    log.append("pdsh@hgx007: hgx011: ssh exited with exit code 1")
    ds(fault + 37.6, "INFO", "launch.py:319:sigkill_handler", f"Killing subprocess {pids[0, 0]}", hosts[0])
    ds(fault + 37.9, "INFO", "launch.py:319:sigkill_handler", f"Killing subprocess {pids[0, 1]}", hosts[0])
    ds(fault + 38.3, "INFO", "launch.py:328:sigkill_handler", "Main process received SIGTERM, exiting", hosts[0])
    _put(place / f"slurm-{job}.out", log)


# t02: precipitation nowcasting, a Korean or Japanese weather group, PyTorch Lightning.


def t02_nowcast_gnode(place: Path, rng: Random) -> None:
    hosts, zone, job = ("gnode18", "gnode19", "gnode22"), 9, 330871
    driver = "535.183.01"
    begin = _at("2026-11-05T04:52:37")
    lost = begin + 8 * 60 + 53
    done = begin + 11 * 60 + 14
    warm = begin + 68
    buses = ("07", "47", "87", "C7")
    for h, host in enumerate(hosts):
        gpus = []
        for g in range(4):
            base = rng.uniform(51200, 51900) + (1400 if h + g == 0 else 0)

            def phase(t: float, h: int = h, base: float = base) -> _Load | None:
                if h == 1 and t > lost:
                    return None
                if t < begin + 14 or t > done - 1:
                    return _IDLE
                if t < warm:
                    return _Load(used=min(3000.0, 430 + (t - begin) * 40), util=rng.choice((0, 0, 0, 3)), power=0.03)
                if t > lost + 1:
                    return _Load(used=base, util=100, power=0.12)
                return _Load(
                    used=base, util=rng.randint(91, 100), power=rng.uniform(0.66, 0.83), dram=rng.uniform(0.36, 0.45)
                )

            fixed: _Fixed = {
                "DCGM_FI_DEV_XID_ERRORS": 0,
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
                "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
                "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 0,
                "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0,
                "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
            }
            series = _gpu(rng, _A100, begin - 180 + h, done + 300, 5, phase, fixed, prof=False)
            gpus.append((_labels(_A100, host, g, _uuid(rng), f"00000000:{buses[g]}:00.0", driver), series))
        (place / "metrics").mkdir(exist_ok=True)
        _matrix(place / "metrics" / f"{host}.json", gpus)

    for h, host in enumerate(hosts):
        boot = begin - rng.uniform(12, 40) * 86400
        lines = _boot(rng, boot, driver, "5.15.0-113-generic") + _noise(
            rng, begin - 2 * 86400, begin if h == 1 else done, 11
        )
        if h == 0:
            lines.append(
                (
                    begin - 17031,
                    "LustreError: 11-0: work2-MDT0000-mdc-ffff9c0b5b1c9000: operation ldlm_enqueue to node 10.20.0.4@o2ib failed: rc = -107",
                )
            )
            lines.append(
                (
                    begin - 17026,
                    "Lustre: work2-MDT0000-mdc-ffff9c0b5b1c9000: Connection restored to 10.20.0.4@o2ib (at 10.20.0.4@o2ib)",
                )
            )
        if h != 1:
            (place / f"dmesg-T_{host}.txt").write_text(_dmesg(lines, "T", host, boot, zone))
        else:  # what the node kept before it was booted anew is gone
            boot2 = done + 1460
            (place / f"dmesg-T_{host}.txt").write_text(
                _dmesg(_boot(rng, boot2, driver, "5.15.0-113-generic"), "T", host, boot2, zone)
            )

    rows = [
        ("JobID", "JobName", "Partition", "AllocCPUS", "State", "ExitCode", "Start", "End", "NodeList"),
        (
            str(job),
            "rainfm-l",
            "a100q",
            "192",
            "NODE_FAIL",
            "0:0",
            _iso(begin, zone),
            _iso(done, zone),
            "gnode[18-19,22]",
        ),
        (f"{job}.batch", "batch", "", "64", "CANCELLED", "0:15", _iso(begin, zone), _iso(done + 1, zone), "gnode18"),
        (
            f"{job}.exte+",
            "extern",
            "",
            "192",
            "CANCELLED",
            "0:0",
            _iso(begin, zone),
            _iso(done + 1, zone),
            "gnode[18-19,22]",
        ),
        (
            f"{job}.0",
            "python",
            "",
            "192",
            "CANCELLED",
            "0:15",
            _iso(begin + 3, zone),
            _iso(done + 1, zone),
            "gnode[18-19,22]",
        ),
    ]
    widths = (13, 10, 10, 10, 10, 8, 19, 19, 15)
    table = [" ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)) + " " for row in rows]
    table.insert(1, " ".join("-" * w for w in widths) + " ")
    _put(place / "sacct.txt", table)
    _put(
        place / "scontrol_show_node_gnode19.txt",
        [
            "NodeName=gnode19 Arch=x86_64 CoresPerSocket=32 ",
            "   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=31.07",
            "   AvailableFeatures=a100,ib",
            "   ActiveFeatures=a100,ib",
            "   Gres=gpu:a100:4",
            "   NodeAddr=gnode19 NodeHostName=gnode19 Version=23.02.7",
            "   OS=Linux 5.15.0-113-generic #123-Ubuntu SMP Mon Jun 10 08:16:17 UTC 2024 ",
            "   RealMemory=1031000 AllocMem=0 FreeMem=871204 Sockets=2 Boards=1",
            "   State=DOWN* ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            "   Partitions=a100q ",
            f"   BootTime={_iso(begin - 19 * 86400, zone)} SlurmdStartTime={_iso(begin - 19 * 86400 + 95, zone)}",
            f"   LastBusyTime={_iso(done, zone)} ResumeAfterTime=None",
            "   CfgTRES=cpu=64,mem=1031000M,billing=64,gres/gpu=4",
            "   AllocTRES=",
            f"   Reason=Not responding [slurm@{_iso(done, zone)}]",
            "",
        ],
    )
    log = [
        (
            "/work2/kimjy/env/rain/lib/python3.10/site-packages/torchvision/io/image.py:13: UserWarning: "
            "Failed to load image Python extension: 'libjpeg.so.9: cannot open shared object file: "
            "No such file or directory'If you don't plan on using image functionality from `torchvision.io`, "
            "you can ignore this warning. Otherwise, there might be something wrong with your environment."
        ),
        "[hydra] on_error: dump; fatal_nan_guard: true; kill_on_divergence: false; oom_retry: 2",
        "Seed set to 20260911",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "wandb: ERROR Failed to sample metric: Not Supported",
        "wandb: Network error (ConnectTimeout), entering retry loop.",
    ]
    log += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/12" for r in rng.sample(range(12), 12)]
    log += [
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 12 processes",
        "-" * 100,
        "",
        "corrupt radar volumes skipped by the index: 214 (see bad_volumes.txt), CRC error in 3 tar members",
    ]
    log += [f"LOCAL_RANK: {g} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for _ in range(3) for g in range(4)]
    log += [
        "",
        "  | Name    | Type            | Params | Mode ",
        "----------------------------------------------------",
        "0 | encoder | SwinEncoder3D   | 214 M  | train",
        "1 | decoder | DiffusionUNet   | 388 M  | train",
        "2 | crps    | AlmostFairCRPS  | 0      | train",
        "----------------------------------------------------",
        "602 M     Trainable params",
        "0         Non-trainable params",
        "602 M     Total params",
        "2,409.118 Total estimated model params size (MB)",
        (
            "/work2/kimjy/env/rain/lib/python3.10/site-packages/torch/utils/checkpoint.py:464: UserWarning: "
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."
        ),
    ]
    t, n, loss = warm, 0, 0.9
    bar = []
    while t < lost:
        loss = 0.31 + 0.6 * math.exp(-n / 240) + rng.gauss(0, 0.012)
        took = int(t - warm)
        rate = max(n, 1) / max(t - warm, 1)
        left = int((3120 - n) / rate) if n else 0
        pct = n * 100 // 3120
        mark = "▏▎▍▌▋▊▉█"[min(7, n * 80 // 3120 % 8)]
        post = (
            f", {rate:.2f}it/s, v_num=0871, train/crps={loss:.3f}, gnorm={rng.uniform(0.4, 1.3):.2f}"
            if n
            else ", ?it/s"
        )
        ahead = f"{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}" if n else "?"
        bar.append(
            f"\rEpoch 0: {pct:3d}%|{mark if n else ' '}         | {n}/3120 [{took // 60:02d}:{took % 60:02d}<{ahead}{post}]"
        )
        n += 10
        t += 10 * rng.uniform(0.78, 0.83)
    log.append("".join(bar))
    log += [
        "srun: error: Node failure on gnode19",
        f"slurmstepd: error: *** JOB {job} ON gnode18 CANCELLED AT {_iso(done, zone)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP {job}.0 ON gnode18 CANCELLED AT {_iso(done, zone)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    _put(place / f"rainfm-l.{job}.log", log)


# t03: Catalan speech recognition with icefall's zipformer.


def t03_zipformer_ca(place: Path, rng: Random) -> None:
    hosts, job, driver = ("acc14", "acc15"), 1180452, "535.161.08"
    begin = _at("2026-09-17T19:22:04")
    first = begin + 96
    done = begin + 533 * 60 - 17
    epochs, per = 12, 1560
    length = (done - 14 - first) / epochs
    base = rng.uniform(62200, 62800)

    def valid(t: float) -> bool:
        return (t - first) % length > length - 70

    def phase(t: float) -> _Load:
        if t < begin + 20 or t > done:
            return _IDLE
        if t < first:
            return _Load(used=1480, util=0, power=0.03)
        if valid(t):
            return _Load(used=base, util=rng.randint(40, 80), engine=0.6, sm=0.4, tensor=0.1, dram=0.25, power=0.45)
        cap = rng.random() < 0.22
        return _Load(
            used=base + min(9000, (t - first) / 4), util=rng.randint(94, 100), engine=rng.uniform(0.94, 0.98), sm=rng.uniform(0.70, 0.79),
            tensor=rng.uniform(0.20, 0.26), dram=rng.uniform(0.42, 0.52), power=rng.uniform(0.84, 0.95), cap=cap, nvlink=0, pcie=2.6e9,
        )  # fmt: skip

    fixed: _Fixed = {
        "DCGM_FI_DEV_XID_ERRORS": 0,
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 0,
        "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0,
    }
    series = _gpu(rng, _A100, begin - 600 + 21, done + 900, 60, phase, fixed)
    _matrix(
        place / "prometheus_dcgm_acc14.json",
        [(_labels(_A100, hosts[0], 0, _uuid(rng), "00000000:31:00.0", driver), series)],
    )
    for host in hosts:
        boot = begin - rng.uniform(20, 70) * 86400
        lines = _boot(rng, boot, driver, "5.14.0-362.24.1.el9_3.x86_64") + _noise(rng, begin - 86400, done, 9)
        (place / f"dmesg.{host}").write_text(_dmesg(lines, "iso", host, boot, 0))
    span = _span(int(done) + 9 - int(begin))
    end = _iso(done + 9)
    _put(
        place / "sacct_1180452.txt",
        [
            "JobID|JobIDRaw|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList|MaxRSS|AllocTRES",
            f"{job}|{job}|zip-ca|COMPLETED|0:0|{_iso(begin)}|{end}|{span}|12:00:00|acc[14-15]||billing=40,cpu=40,gres/gpu=2,mem=240G,node=2",
            f"{job}.batch|{job}.batch|batch|COMPLETED|0:0|{_iso(begin)}|{end}|{span}||acc14|31204K|cpu=20,gres/gpu=1,mem=120G,node=1",
            f"{job}.extern|{job}.extern|extern|COMPLETED|0:0|{_iso(begin)}|{end}|{span}||acc[14-15]|112K|billing=40,cpu=40,gres/gpu=2,mem=240G,node=2",
            (
                f"{job}.0|{job}.0|python3|COMPLETED|0:0|{_iso(begin + 5)}|{_iso(done + 7)}|{_span(int(done) + 2 - int(begin))}|"
                "|acc[14-15]|48911236K|cpu=40,gres/gpu=2,mem=240G,node=2"
            ),
        ],
    )
    for r in range(2):
        log: list[str] = []

        def put(t: float, where: str, text: str, r: int = r, log: list[str] = log) -> None:
            log.append(f"{_comma(t + rng.uniform(0, 0.06))} INFO [{where}] ({r}/2) {text}")

        put(begin + 17.2, "train.py:1208", "Training started")
        put(begin + 17.3, "train.py:1218", "Device: cuda:0")
        put(
            begin + 17.4,
            "train.py:1230",
            (
                "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': "
                "-1, 'batch_idx_train': 0, 'log_interval': 50, 'reset_interval': 200, 'valid_interval': "
                "3000, 'feature_dim': 80, 'subsampling_factor': 4, 'warm_step': 2000, 'env_info': {'k2-version': "
                "'1.24.4', 'k2-build-type': 'Release', 'k2-with-cuda': True, 'torch-version': '2.3.1+cu121', "
                "'torch-cuda-available': True, 'torch-cuda-version': '12.1', 'python-version': '3.10', "
                "'icefall-git-branch': 'master', 'icefall-git-sha1': 'ab91112c-clean', 'hostname': 'HOST', "
                "'IP address': 'ADDR'}, 'world_size': 2, 'num_epochs': EPOCHS, 'start_epoch': 1, 'exp_dir': "
                "PosixPath('zipformer/exp-ca'), 'bpe_model': 'data/lang_bpe_500/bpe.model', 'base_lr': "
                "0.045, 'max_duration': 1000, 'use_fp16': True, 'blank_id': 0, 'vocab_size': 500}"
            )
            .replace("HOST", hosts[r])
            .replace("ADDR", f"10.3.2.{14 + r}")
            .replace("EPOCHS", str(epochs)),
        )
        put(begin + 17.5, "train.py:1232", "About to create model")
        put(begin + 18.9, "train.py:1236", "Number of model parameters: 65549011")
        put(begin + 26.3, "train.py:1251", "Using DDP")
        put(begin + 31.0, "asr_datamodule.py:414", "About to get train cuts")
        put(begin + 31.1, "asr_datamodule.py:223", "Enable MUSAN")
        put(begin + 35.0, "asr_datamodule.py:239", "Enable SpecAugment")
        put(begin + 35.1, "asr_datamodule.py:300", "Using DynamicBucketingSampler.")
        put(begin + 40.8, "train.py:1405", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.")
        put(first - 6, "train.py:1433", f"Maximum memory allocated so far is {22114 + r * 9}MB")
        rate = (length - 72) / per
        total = 0
        for e in range(1, epochs + 1):
            t0 = first + (e - 1) * length
            for b in range(0, per, 50):
                t = t0 + b * rate + rng.uniform(-1.5, 1.5) + 2
                k = total + b
                level = 0.172 + 0.62 / (1 + k / 700) + (7.1 if k == 0 else 6.2 * math.exp(-k / 170))
                tot = level * rng.uniform(0.99, 1.01)
                cur = level * rng.uniform(0.9, 1.1)
                lr = (
                    0.045
                    * (((k**2 + 7500**2) / 7500**2) ** -0.25)
                    * (((e - 1) ** 2 + 3.5**2) / 3.5**2) ** -0.25
                    * (0.5 + 0.5 * min(1, k / 500))
                )
                scale = 1.0 if k < 300 else 8.0 if e < 2 else 16.0 if e < 5 else 32.0
                fr = rng.uniform(19000, 24900)
                put(
                    t,
                    "train.py:1028",
                    (
                        f"Epoch {e}, batch {b}, loss[loss={cur:.4g}, simple_loss={cur * 1.09:.4g}, pruned_loss={cur * 0.455:.4g},"
                        f" over {fr:.2f} frames. ], tot_loss[loss={tot:.4g}, simple_loss={tot * 1.1:.4g}, pruned_loss={tot * 0.45:.4g},"
                        f" over {min(4.74e6, 24000 * (b + 1)) * rng.uniform(0.99, 1.01):.2f} frames. ], batch size: "
                        f"{rng.randint(40, 160)}, lr: {lr:.2e}, grad_scale: {scale}"
                    ),
                )
                if b % 200 == 150:
                    q = sorted(rng.uniform(60, 190) for _ in range(5))
                    log.append(
                        f"{_comma(t + 5)} INFO [optim.py:487] ({r}/2) Clipping_scale=2.0, grad-norm quartiles "
                        + " ".join(f"{x:.3e}" for x in q)
                        + f", threshold={2 * q[2]:.3e}, percent-clipped={rng.choice((0.0, 0.0, 1.0, 2.0))}"
                    )
            total += per
            tv = t0 + per * rate + 6
            level = 0.181 + 0.66 / (1 + total / 720) + 0.004 * rng.random()
            put(tv, "train.py:1051", "Computing validation loss")
            put(
                tv + 52,
                "train.py:1060",
                f"Epoch {e}, validation: loss={level:.4g}, simple_loss={level * 1.12:.4g}, pruned_loss={level * 0.44:.4g}, over 1204311.00 frames. ",
            )
            put(tv + 52, "train.py:1061", f"Maximum memory allocated so far is {int(base * 0.93) + r * 31}MB")
            if r == 0:
                log.append(
                    f"{_comma(tv + 55)} INFO [checkpoint.py:75] (0/2) Saving checkpoint to zipformer/exp-ca/epoch-{e}.pt"
                )
        put(done - 1 + r * 0.3, "train.py:1376", "Done!")
        stamp = _local(begin + 17.2).strftime("%Y-%m-%d-%H-%M-%S")
        _put(place / "log" / f"log-train-{stamp}-{r}", log)


# t04: docking surrogate of a pharma company, PyTorchJob on Kubernetes; the program prints nothing.


def t04_affinity_pytorchjob(place: Path, rng: Random) -> None:
    zone, driver, ns, name = 1, "570.124.06", "chem-ml", "boltz-affinity-ft3"
    hosts = ("k8s-gpu-h200-03", "k8s-gpu-h200-05", "k8s-gpu-h200-08")
    pods = (f"{name}-master-0", f"{name}-worker-0", f"{name}-worker-1")
    begin = _at("2026-11-11T21:08:45")
    lost = begin + 468 * 60 + 12
    done = begin + 474 * 60 + 3
    end = done + 420
    warm = begin + 155
    gpus = []
    fields = {
        "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE", "DCGM_FI_PROF_NVLINK_TX_BYTES",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    }  # fmt: skip
    for h, host in enumerate(hosts):
        for g in range(4):
            base = rng.uniform(109500, 111200)

            def phase(t: float, h: int = h, base: float = base) -> _Load | None:
                if h == 1 and t > lost:
                    return None
                if t < begin + 40:
                    return _IDLE
                if t < warm:
                    return _Load(used=2300 + (t - begin) * 60, util=rng.choice((0, 0, 2)), power=0.03)
                if t > done + 25:
                    return _IDLE
                if t > lost:
                    return _Load(
                        used=base, util=100, engine=0.999, sm=0.13, tensor=0, dram=0.003, power=0.12, nvlink=2e4
                    )
                cap = rng.random() < 0.35
                return _Load(
                    used=base, util=rng.randint(95, 100), engine=rng.uniform(0.95, 0.99), sm=rng.uniform(0.78, 0.86), tensor=rng.uniform(0.31, 0.37),
                    dram=rng.uniform(0.37, 0.45), power=rng.uniform(0.88, 0.96), cap=cap, nvlink=3.1e10,
                )  # fmt: skip

            fixed: _Fixed = {
                "DCGM_FI_DEV_XID_ERRORS": 0,
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
                "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
            }
            series = _gpu(rng, _H200, begin - 300, end, 30, phase, fixed)
            series = {k: v for k, v in series.items() if k in fields}
            for v in series.values():
                for point in v:
                    point[1] = str(point[1])[:7] if "." in str(point[1]) else point[1]
            labels = {
                "Hostname": host, "UUID": _uuid(rng), "gpu": str(g), "modelName": _H200.name, "instance": f"10.42.{h + 3}.17:9400",
                "exported_namespace": ns, "exported_pod": pods[h], "exported_container": "pytorch",
            }  # fmt: skip
            gpus.append((labels, series))
    _matrix(place / "prom_dcgm_boltz-affinity-ft3.json", gpus)

    for h in (0, 2):
        boot = begin - rng.uniform(20, 50) * 86400
        lines = _boot(rng, boot, driver, "6.8.0-57-generic") + _noise(rng, begin - 86400, end, 10)
        (place / f"{hosts[h]}.dmesg-T.txt").write_text(_dmesg(lines, "T", hosts[h], boot, zone))
    boot = end + 2231
    (place / f"{hosts[1]}.dmesg-T.txt").write_text(
        _dmesg(_boot(rng, boot, driver, "6.8.0-57-generic"), "T", hosts[1], boot, zone)
    )

    def rfc(t: float) -> str:
        return _local(t, zone).strftime("%a, %d %b %Y %H:%M:%S %z")

    _put(
        place / "kubectl_get_pod.txt",
        [
            "NAME                          READY   STATUS        RESTARTS   AGE     IP             NODE              NOMINATED NODE   READINESS GATES",
            f"{pods[0]}   0/1     Error         0          8h      10.42.3.88     {hosts[0]}   <none>           <none>",
            f"{pods[1]}   1/1     Terminating   0          8h      10.42.4.61     {hosts[1]}   <none>           <none>",
            f"{pods[2]}   0/1     Error         0          8h      10.42.5.102    {hosts[2]}   <none>           <none>",
        ],
    )
    not_ready = lost + 47
    for h, pod in enumerate(pods):
        out = [
            f"Name:             {pod}" if h != 1 else f"Name:                      {pod}",
            f"Namespace:        {ns}",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {hosts[h]}/10.20.8.{13 + h}",
            f"Start Time:       {rfc(begin)}",
            f"Labels:           training.kubeflow.org/job-name={name}",
            f"                  training.kubeflow.org/replica-index={max(0, h - 1)}",
            f"                  training.kubeflow.org/replica-type={'master' if h == 0 else 'worker'}",
        ]
        if h == 1:
            out += [
                f"Status:           Terminating (lasts {int((end - not_ready - 300) // 60)}m)",
                "Termination Grace Period:  30s",
            ]
        else:
            out += ["Status:           Failed"]
        out += [
            f"IP:               10.42.{3 + h}.{(88, 61, 102)[h]}",
            f"Controlled By:    PyTorchJob/{name}",
            "Containers:",
            "  pytorch:",
            f"    Container ID:  containerd://{_uuid(rng)[4:].replace('-', '')}{_uuid(rng)[4:].replace('-', '')}",
            "    Image:         registry.corp.local/chem-ml/boltz-ft:0.9.2",
            "    Command:",
            "      /bin/sh",
            "      -c",
            "    Args:",
            (
                "      exec torchrun --nnodes=3 --nproc-per-node=4 --rdzv-backend=c10d --rdzv-endpoint=$(MASTER_ADDR):29400 "
                "-m affinity.ft --cfg ft3.toml >/scratch/ft3.$HOSTNAME.log 2>&1"
            ),
        ]
        if h == 1:
            out += ["    State:          Running", f"      Started:      {rfc(begin + 31)}", "    Ready:          True"]
        else:
            out += [
                "    State:          Terminated",
                "      Reason:       Error",
                "      Exit Code:    1",
                f"      Started:      {rfc(begin + 29 + h)}",
                f"      Finished:     {rfc(done + 21)}",
                "    Ready:          False",
            ]
        out += [
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             64",
            "      memory:          900Gi",
            "      nvidia.com/gpu:  4",
            "Conditions:",
            "  Type              Status",
            "  Initialized       True ",
            "  Ready             False ",
            f"  ContainersReady   {'True' if h == 1 else 'False'} ",
            "  PodScheduled      True ",
        ]
        if h == 1:
            out += ["  DisruptionTarget  True "]
        out += [
            "Tolerations:      node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
            "                  node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
            "                  nvidia.com/gpu:NoSchedule op=Exists",
            "Events:",
        ]
        if h == 1:
            out += [
                "  Type     Reason        Age    From             Message",
                "  ----     ------        ----   ----             -------",
                f"  Warning  NodeNotReady  {int((end - not_ready) // 60)}m    node-controller  Node is not ready",
            ]
        else:
            out[-1] = "Events:           <none>"
        if h == 1:  # kubectl aligns with the longest key
            pairs = [line.split(":", 1) for line in out]
            out = [
                f"{k + ':':<27}{v[0].strip()}" if k[0] != " " and v and v[0].strip() else ":".join([k, *v])
                for k, *v in pairs
            ]
            out = [
                " " * 9 + line if line.startswith(" " * 18) and "=" in line and "/" in line[:60] else line
                for line in out
            ]
        _put(place / f"describe_{pod}.txt", out)
    _put(
        place / f"describe_node_{hosts[1]}.txt",
        [
            f"Name:               {hosts[1]}",
            "Roles:              gpu",
            "Labels:             kubernetes.io/arch=amd64",
            f"                    kubernetes.io/hostname={hosts[1]}",
            "                    nvidia.com/gpu.product=NVIDIA-H200",
            "Taints:             node.kubernetes.io/unreachable:NoExecute",
            "                    node.kubernetes.io/unreachable:NoSchedule",
            "Unschedulable:      false",
            "Lease:",
            f"  HolderIdentity:  {hosts[1]}",
            f"  RenewTime:       {rfc(lost - 4)}",
            "Conditions:",
            "  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message",
            "  ----             ------    -----------------                 ------------------                ------              -------",
            *(
                f"  {c:<16} Unknown   {rfc(lost - 71)}   {rfc(not_ready)}   NodeStatusUnknown   Kubelet stopped posting node status."
                for c in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
            ),
            "Capacity:",
            "  cpu:                128",
            "  memory:             2113487Mi",
            "  nvidia.com/gpu:     4",
            "System Info:",
            "  Kernel Version:             6.8.0-57-generic",
            "  Container Runtime Version:  containerd://1.7.25",
            "  Kubelet Version:            v1.31.6",
        ],
    )
    events = [
        ("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"),
        (
            _iso(not_ready, zone),
            "Normal",
            "NodeNotReady",
            f"node/{hosts[1]}",
            f"Node {hosts[1]} status is now: NodeNotReady",
        ),
        (_iso(not_ready, zone), "Warning", "NodeNotReady", f"pod/{pods[1]}", "Node is not ready"),
        (
            _iso(not_ready + 300, zone),
            "Normal",
            "TaintManagerEviction",
            f"pod/{pods[1]}",
            f"Marking for deletion Pod {ns}/{pods[1]}",
        ),
        (
            _iso(done + 23, zone),
            "Warning",
            "PyTorchJobFailed",
            f"pytorchjob/{name}",
            f"PyTorchJob {name} is failed because 1 Master replica(s) failed.",
        ),
    ]
    _put(place / "events.txt", [f"{a:<22}{b:<10}{c:<24}{d:<40}{e}" for a, b, c, d, e in events])
    (place / f"logs_{pods[0]}.txt").write_text("")
    (place / f"logs_{pods[2]}.txt").write_text("")
    _put(
        place / f"logs_{pods[1]}.txt",
        [
            f'Error from server: Get "https://10.20.8.14:10250/containerLogs/{ns}/{pods[1]}/pytorch": dial tcp 10.20.8.14:10250: i/o timeout'
        ],
    )


# t05: language model of legal texts, two old workstations-turned-nodes of a university in Bologna.


def t05_lex_bologna(place: Path, rng: Random) -> None:
    hosts, zone, job, driver = ("slurm-gpu2", "slurm-gpu4"), 1, 55238, "470.256.02"
    begin = _at("2026-11-18T08:03:22")
    done = begin + 157 * 60 - 21
    warm = begin + 71
    uuids = [_uuid(rng) for _ in hosts]
    steps = 1250
    each = (done - 19 - warm) / steps
    gpus = []
    for h in range(2):
        base = rng.uniform(24100, 24600)

        def phase(t: float, base: float = base) -> _Load:
            if t < begin + 12 or t > done - 3:
                return _IDLE
            if t < warm:
                return _Load(used=1210, util=rng.choice((0, 0, 4)), power=0.04)
            return _Load(
                used=base, util=rng.choice((100, 100, 100, 99, 98)), engine=rng.uniform(0.972, 0.993), sm=rng.uniform(0.108, 0.137),
                tensor=rng.uniform(0.021, 0.03), dram=rng.uniform(0.05, 0.07), power=rng.choice((0.07, 0.08, 0.09, 0.1, 0.09, 0.62)), pcie=1.9e8,
            )  # fmt: skip

        fixed: _Fixed = {
            "DCGM_FI_DEV_XID_ERRORS": 0,
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
            "DCGM_FI_DEV_RETIRED_SBE": 0,
            "DCGM_FI_DEV_RETIRED_DBE": 0,
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
        }
        series = _gpu(rng, _V100, begin - 900 + 17, done + 600, 60, phase, fixed)
        series.pop("DCGM_FI_PROF_NVLINK_TX_BYTES")
        gpus.append(({"UUID": uuids[h]}, series))
    _matrix(place / "dcgm.json", gpus)
    for host in hosts:
        boot = begin - rng.uniform(60, 140) * 86400
        lines = _boot(rng, boot, driver, "5.4.0-196-generic") + _noise(rng, begin - 4 * 86400, done, 7)
        lines.append((boot + 41, "tg3 0000:04:00.0 eno1: Link is up at 1000 Mbps, full duplex"))
        lines.append((boot + 41.1, "tg3 0000:04:00.0 eno1: Flow control is off for TX and off for RX"))
        (place / f"dmesg_{host}.txt").write_text(_dmesg(lines, "T", host, boot, zone))
    span = _span(int(done) - int(begin))
    a, z = _iso(begin, zone), _iso(done, zone)
    _put(
        place / "sacct.txt",
        [
            "JobID|JobName|User|State|ExitCode|Submit|Start|End|Elapsed|NNodes|NodeList|ReqTRES",
            f"{job}|lexgpt-it|g.ferri|COMPLETED|0:0|{_iso(begin - 64, zone)}|{a}|{z}|{span}|2|slurm-gpu[2,4]|cpu=16,gres/gpu=2,mem=128G,node=2",
            f"{job}.batch|batch||COMPLETED|0:0|{a}|{a}|{z}|{span}|1|slurm-gpu2|",
            f"{job}.0|run.sh||COMPLETED|0:0|{_iso(begin + 4, zone)}|{_iso(begin + 4, zone)}|{z}|{_span(int(done) - int(begin) - 4)}|2|slurm-gpu[2,4]|",
        ],
    )
    for r, host in enumerate(hosts):
        log = [f"GPU 0: {_V100.name} (UUID: {uuids[r]})"]

        def put(t: float, text: str, level: str = "INFO", r: int = r, log: list[str] = log) -> None:
            log.append(f"{_comma(t, zone)} {level} rank{r} lexgpt: {text}")

        ip = f"192.168.40.{12 + 2 * r}"
        pid = rng.randint(9000, 40000)
        put(begin + 11.2, f"host {host} world 2 local gpu 0 ({_V100.name}, 31.7 GiB)")
        put(begin + 12.9, "tokenizer: unigram 32768, corpus 1.84 B tokens (cassazione, gazzetta, eurlex-it)")
        put(begin + 19.5, "model: 24 layers d=1024 h=16, 354.8 M parameters, fp16 + GradScaler, DDP bucket 25 MB")
        log += [
            f"{host}:{pid}:{pid} [0] NCCL INFO Bootstrap : Using eno1:{ip}<0>",
            f"{host}:{pid}:{pid} [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO NET/IB : No device found.",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO NET/Socket : Using [0]eno1:{ip}<0>",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO Using network Socket",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO Channel 00/0 : {1 - r}[0] -> {r}[0] [receive] via NET/Socket/0",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO Channel 00/0 : {r}[0] -> {1 - r}[0] [send] via NET/Socket/0",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO Connected all rings",
            f"{host}:{pid}:{pid + 61} [0] NCCL INFO comm 0x{rng.getrandbits(44):x} rank {r} nranks 2 cudaDev 0 busId 3b000 - Init COMPLETE",
        ]
        put(warm - 2, f"starting: {steps} steps, global batch 64 x 1024, accumulate 1")
        for n in range(10, steps + 1, 10):
            t = warm + n * each + rng.uniform(0, 0.2)
            loss = 3.31 + 7.1 * math.exp(-n / 130) * 0.95 + 0.7 * math.exp(-n / 700) + rng.gauss(0, 0.02)
            took = each * rng.uniform(0.985, 1.015)
            fwd, bwd, opt, data = (
                rng.uniform(0.30, 0.33),
                rng.uniform(0.62, 0.66),
                rng.uniform(0.043, 0.05),
                rng.uniform(0.004, 0.012),
            )
            scale = 65536 if n < 600 else 131072
            put(
                t,
                (
                    f"step {n:>5} loss {loss:.4f} gnorm {0.4 + 2.4 * math.exp(-n / 90) + rng.uniform(0, 0.1):.3f} "
                    f"lr {6e-4 * min(1, n / 200):.2e} scale {scale} | {took:.2f} s/step fwd {fwd:.2f} bwd {bwd:.2f} "
                    f"allreduce {took - fwd - bwd - opt - data:.2f} opt {opt:.2f} data {data:.2f} | {65536 / took:.0f} "
                    "tok/s"
                ),
            )
            if n % 250 == 0:
                put(t + 0.1, f"eval {n}: loss {loss + 0.03:.4f} ppl {math.exp(loss + 0.03):.2f} on 64 batches")
                if r == 0 and n in (500, 1000, 1250):
                    put(t + 3.2, f"saved /home/g.ferri/lexgpt/runs/v2/step{n:06d}.pt (4.26 GB)")
        put(done - 5, f"finished {steps} steps in {(done - warm) / 3600:.2f} h")
        _put(place / f"lexgpt-it.{job}.rank{r}.log", log)


# t06: fine-tuning for clinical notes, a hospital in Valencia, one node on Kubernetes.


def t06_notas_clinicas(place: Path, rng: Random) -> None:
    driver, ns, host = "550.90.07", "ia-clinica", "gpu-a100-b2"
    begin = _at("2026-10-08T06:14:50")
    done = begin + 454 * 60 - 33
    warm = begin + 166
    total = 744
    each = (done - 12 - warm) / total
    name = "notas-7b-sft"
    pod = f"{name}-{_pod_tail(rng)}"
    work = 4.35
    gpus = []
    for g in range(2):
        base = rng.uniform(70800, 71300)

        def phase(t: float, base: float = base) -> _Load:
            if t < begin + 30 or t > done - 4:
                return _IDLE
            if t < warm:
                return _Load(
                    used=900 + (t - begin) * 90, util=rng.choice((0, 0, 5)), engine=0.02, sm=0.01, power=0.03, pcie=3e9
                )
            busy = (t - warm) % each < work
            share = work / each
            return _Load(
                used=base, util=100 if busy else rng.choice((0, 0, 0, 0, 1, 3)), engine=share + rng.uniform(0.0, 0.03), sm=share * rng.uniform(0.7, 0.78),
                tensor=share * rng.uniform(0.38, 0.44), dram=share * rng.uniform(0.42, 0.5), power=0.86 if busy else 0.02, cap=busy and rng.random() < 0.75,
                nvlink=share * 8e10, pcie=4.6e8,
            )  # fmt: skip

        fixed: _Fixed = {
            "DCGM_FI_DEV_XID_ERRORS": 0,
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 0,
            "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0,
        }
        series = _gpu(rng, _A100, begin - 600, done + 600, 60, phase, fixed)
        more = {"exported_namespace": ns, "exported_pod": pod, "exported_container": "sft"}
        gpus.append((_labels(_A100, host, g, _uuid(rng), f"00000000:{('4B', '90')[g]}:00.0", driver, **more), series))
    _matrix(place / "dcgm_query_range.json", gpus)

    def rfc(t: float) -> str:
        return _local(t).strftime("%a, %d %b %Y %H:%M:%S %z")

    _put(
        place / "kubectl_get.txt",
        [
            f"$ kubectl -n {ns} get job,pod -o wide",
            "NAME                     STATUS     COMPLETIONS   DURATION   AGE    CONTAINERS   IMAGES                                SELECTOR",
            (
                f"job.batch/{name}   Complete   1/1           7h33m      9h     sft          harbor.hgv.es/ia/sft:2026.09 "
                f"         batch.kubernetes.io/job-name={name}"
            ),
            "",
            "NAME                     READY   STATUS      RESTARTS   AGE   IP            NODE          NOMINATED NODE   READINESS GATES",
            f"pod/{pod}   0/1     Completed   0          9h    10.233.71.14  {host}   <none>           <none>",
        ],
    )
    _put(
        place / "describe_pod.txt",
        [
            f"Name:             {pod}",
            f"Namespace:        {ns}",
            f"Node:             {host}/172.18.4.22",
            f"Start Time:       {rfc(begin)}",
            f"Labels:           batch.kubernetes.io/job-name={name}",
            "Status:           Succeeded",
            "Controlled By:    Job/" + name,
            "Containers:",
            "  sft:",
            "    Image:         harbor.hgv.es/ia/sft:2026.09",
            "    Command:",
            "      torchrun",
            "      --standalone",
            "      --nproc-per-node=2",
            "      entrena.py",
            "      --config",
            "      /cfg/notas.yaml",
            "    State:          Terminated",
            "      Reason:       Completed",
            "      Exit Code:    0",
            f"      Started:      {rfc(begin + 24)}",
            f"      Finished:     {rfc(done)}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             24",
            "      memory:          220Gi",
            "      nvidia.com/gpu:  2",
            "    Mounts:",
            "      /cfg from cfg (ro)",
            "      /datos from datos (rw)",
            "Volumes:",
            "  datos:",
            "    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
            "    ClaimName:  datos-nfs",
            "Events:         <none>",
        ],
    )
    log: list[str] = []

    def put(t: float, text: str) -> None:
        log.append(f"{_local(t).strftime('%d/%m/%Y %H:%M:%S')} | {text}")

    put(begin + 33, "configuración: /cfg/notas.yaml  semilla=77  precisión=bf16  procesos=2  (FSDP completo)")
    put(
        begin + 34,
        f"  pasos={total}  lote_global=64  longitud=4096  lr=1.5e-05  calentamiento=40  guardar_cada=1  conservar=2",
    )
    put(begin + 41, "datos: 47 616 notas anonimizadas (alta, urgencias, anatomía patológica); validación: 1 200")
    put(begin + 128, "modelo cargado: 7,24 mil millones de parámetros")
    put(begin + 161, "optimizador AdamW (8 bits) listo; memoria reservada 66.1 GiB por GPU")
    for n in range(1, total + 1):
        t = warm + n * each
        loss = 1.02 + 0.75 * math.exp(-n / 60) + 0.16 * math.exp(-n / 400) + rng.gauss(0, 0.03)
        lr = 1.5e-5 * min(1, n / 40) * (0.5 + 0.5 * math.cos(math.pi * max(0, n - 40) / (total - 40)))
        step = work * rng.uniform(0.98, 1.03)
        save = each - work + rng.uniform(-0.9, 0.6)
        put(
            t - save,
            (
                f"paso {n}/{total}  pérdida={loss:.4f}  norma_grad={rng.uniform(0.5, 1.1):.3f}  lr={lr:.3e} "
                f" t_datos={rng.uniform(0.01, 0.03):.2f}s  t_paso={step:.2f}s"
            ),
        )
        put(
            t - 0.3,
            f"  punto de control guardado en /datos/exp/notas-7b/paso-{n:06d} ({28.97:.2f} GB, {save:.1f} s)"
            + (f"; borrado paso-{n - 2:06d}" if n > 2 else ""),
        )
        if n % 124 == 0:
            put(t - 0.2, f"  validación: pérdida={loss * 0.99 + 0.03:.4f}")
    put(done - 7, f"entrenamiento terminado: {total} pasos, {_span(done - warm)}")
    _put(place / "registro.log", log)


# t07: Megatron-LM on an old V100 partition in Hangzhou.


def t07_mega_v100(place: Path, rng: Random) -> None:
    hosts, zone, job, driver = ("gn0306", "gn0307"), 8, 20447163, "525.147.05"
    begin = _at("2026-09-24T15:31:09")
    done = begin + 284 * 60 - 12
    stop = done - 27
    warm = begin + 118
    gpus = []
    buses = ("1A", "1C", "1D", "1E")
    for g in range(4):
        base = rng.uniform(28700, 29300)

        def phase(t: float, base: float = base) -> _Load:
            if t < begin + 15 or t > done - 2:
                return _IDLE
            if t < warm:
                return _Load(used=1420, util=rng.choice((0, 0, 7)), engine=0.01, sm=0.005, power=0.04)
            if t > stop:
                return _Load(used=base, util=100, engine=0.999, sm=0.11, dram=0.004, power=0.12)
            return _Load(
                used=base, util=rng.randint(96, 100), engine=rng.uniform(0.95, 0.985), sm=rng.uniform(0.63, 0.71), tensor=rng.uniform(0.27, 0.32),
                dram=rng.uniform(0.36, 0.43), power=rng.uniform(0.74, 0.88), clock=1530 if rng.random() < 0.8 else 1522, nvlink=2.2e10, pcie=9e8,
            )  # fmt: skip

        fixed: _Fixed = {
            "DCGM_FI_DEV_XID_ERRORS": 0,
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": 0,
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 0,
            "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": 2 if g == 2 else 0,
            "DCGM_FI_DEV_RETIRED_SBE": 1 if g == 2 else 0,
            "DCGM_FI_DEV_RETIRED_DBE": 2 if g == 2 else 0,
            "DCGM_FI_DEV_RETIRED_PENDING": 0,
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
        }
        series = _gpu(rng, _V100, begin - 300 + 6, done + 300, 15, phase, fixed)
        gpus.append((_labels(_V100, hosts[0], g, _uuid(rng), f"00000000:{buses[g]}:00.0", driver), series))
    (place / "dcgm").mkdir()
    _matrix(place / "dcgm" / "gn0306.json", gpus)
    for host in hosts:
        boot = begin - rng.uniform(90, 200) * 86400
        lines = _boot(rng, boot, driver, "4.18.0-372.9.1.el8.x86_64") + _noise(rng, begin - 3 * 86400, done, 10)
        (place / f"dmesg_{host}.log").write_text(_dmesg(lines, "", host, boot, zone))

    def tres(nodes: int) -> dict[str, object]:
        return {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": 32 * nodes},
                {"type": "mem", "name": "", "id": 2, "count": 368640 * nodes},
                {"type": "node", "name": "", "id": 4, "count": nodes},
                {"type": "gres", "name": "gpu", "id": 1001, "count": 4 * nodes},
            ]
        }

    def code(n: int) -> dict[str, object]:
        return {
            "status": ["ERROR" if n else "SUCCESS"],
            "return_code": {"set": True, "infinite": False, "number": n},
            "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
        }

    def step(name: str, sid: str, n: int, nodes: list[str]) -> dict[str, object]:
        return {
            "time": {
                "elapsed": int(done) - int(begin),
                "start": {"set": True, "infinite": False, "number": int(begin)},
                "end": {"set": True, "infinite": False, "number": int(done)},
            },
            "exit_code": code(n),
            "nodes": {"count": len(nodes), "range": "gn[0306-0307]" if len(nodes) > 1 else nodes[0], "list": nodes},
            "tasks": {"count": 2 if sid == "0" else len(nodes)},
            "state": ["FAILED" if n else "COMPLETED"],
            "step": {"id": f"{job}.{sid}", "name": name},
            "tres": tres(len(nodes)),
        }  # fmt: skip

    body = {
        "jobs": [
            {
                "account": "nlp_lab",
                "cluster": "qiantang",
                "exit_code": code(1),
                "job_id": job,
                "name": "gpt-med-1b3",
                "nodes": "gn[0306-0307]",
                "partition": "v100",
                "required": {"CPUs": 64, "memory_per_node": {"set": True, "infinite": False, "number": 368640}},
                "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
                "submit_line": "sbatch --output=logs/%x-%j.out --error=logs/%x-%j.err pretrain_1b3.slurm",
                "time": {
                    "elapsed": int(done) - int(begin),
                    "eligible": int(begin) - 5210,
                    "end": int(done),
                    "start": int(begin),
                    "submission": int(begin) - 5210,
                    "limit": {"set": True, "infinite": False, "number": 4320},
                },
                "tres": tres(2),
                "user": "shenyq",
                "working_directory": "/public/home/shenyq/Megatron-LM",
                "steps": [
                    step("batch", "batch", 1, [hosts[0]]),
                    step("extern", "extern", 0, list(hosts)),
                    step("torchrun", "0", 1, list(hosts)),
                ],
            }
        ],
        "meta": {
            "plugin": {
                "type": "openapi/slurmdbd",
                "name": "Slurm OpenAPI slurmdbd",
                "data_parser": "data_parser/v0.0.40",
            },
            "command": ["show", "job"],
            "slurm": {
                "version": {"major": "23", "micro": "6", "minor": "11"},
                "release": "23.11.6",
                "cluster": "qiantang",
            },
        },
        "errors": [],
        "warnings": [],
    }
    (place / "sacct.json").write_text(json.dumps(body, indent=2) + "\n")

    log = [
        "using world size: 8, data-parallel size: 2, context-parallel size: 1 tensor-model-parallel size: 4, pipeline-model-parallel size: 1 ",
        "using torch.float16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    for key, value in sorted(
        {
            "attention_dropout": 0.1, "clip_grad": 1.0, "data_path": "['data/med_zh_text_document']", "distributed_backend": "nccl",
            "distributed_timeout_minutes": 10, "eval_interval": 1000, "eval_iters": 10, "ffn_hidden_size": 8192, "fp16": True, "global_batch_size": 128,
            "hidden_size": 2048, "hysteresis": 2, "initial_loss_scale": 4294967296, "log_interval": 10, "loss_scale": None, "lr": 0.0002,
            "lr_decay_style": "cosine",
            "lr_warmup_fraction": 0.01, "micro_batch_size": 4, "num_attention_heads": 16, "num_layers": 24, "save": "ckpt/gpt-med-1b3",
            "save_interval": 1000, "seed": 1234, "seq_length": 2048, "tensor_model_parallel_size": 4, "train_iters": 40000, "world_size": 8,
        }.items()
    ):  # fmt: skip
        log.append(f"  {key} {'.' * (48 - len(key))} {value}")
    log += [
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 4",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        f">>> done with dataset index builder. Compilation time: {rng.uniform(0.05, 0.2):.3f} seconds",
        "> compiling and loading fused kernels ...",
        f">>> done with compiling and loading fused kernels. Compilation time: {rng.uniform(3, 9):.3f} seconds",
        f"time to initialize megatron (seconds): {rng.uniform(28, 44):.3f}",
        f"[after megatron is initialized] datetime: {_local(begin + 66, zone).strftime('%Y-%m-%d %H:%M:%S')} ",
        "building GPT model ...",
    ]
    log += [f" > number of parameters on (tensor, pipeline) model parallel rank ({r}, 0): 336128000" for r in range(4)]
    log += [
        "> learning rate decay style: cosine",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {_local(begin + 84, zone).strftime('%Y-%m-%d %H:%M:%S')} ",
        "> building train, validation, and test datasets for GPT ...",
        f"[after dataloaders are built] datetime: {_local(begin + 112, zone).strftime('%Y-%m-%d %H:%M:%S')} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {_local(warm, zone).strftime('%Y-%m-%d %H:%M:%S')} ",
    ]
    t, n, scale, skipped = warm, 0, 4294967296.0, 0
    while True:
        ms = 7411 * rng.uniform(0.99, 1.012) + (2100 if n == 0 else 0)
        t += ms / 100
        if t > stop - 9:
            break
        n += 10
        skip = 10 if n == 10 else 4 if n == 20 else 1 if rng.random() < 0.02 else 0
        skipped += skip
        scale = 4194304.0 if n == 10 else scale
        scale = 262144.0 if n == 20 else scale * (0.5 if skip == 1 else 1)
        if n % 1000 == 0:
            scale *= 2
        loss = 2.71 + 8.1 * math.exp(-n / 190) + 1.1 * math.exp(-n / 1500) + rng.gauss(0, 0.02)
        lr = 2e-4 * min(1, max(0, n - skipped) / 400)
        shown = f" lm loss: {loss:.6E} |" if n > 10 else ""
        log.append(
            (
                f" [{_local(t, zone).strftime('%Y-%m-%d %H:%M:%S')}] iteration {n:8d}/   40000 | consumed "
                f"samples: {n * 128:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} "
                f"| global batch size:   128 |{shown} loss scale: {scale:.1f} |"
            )
            + (f" grad norm: {0.7 + 3 * math.exp(-n / 200) + rng.uniform(0, 0.3):.3f} |" if n > 10 else "")
            + f" number of skipped iterations: {skip:3d} | number of nan iterations:   0 |"
        )
        if n == 10:
            log.append(
                "[Rank 0] (after 10 iterations) memory (MB) | allocated: 6413.41796875 | max allocated: "
                "24217.30517578125 | reserved: 27610.0 | max reserved: 27610.0"
            )
        if n % 1000 == 0:
            t += 31
            log += [
                (
                    "(min, max) time across ranks (ms):\n    evaluate .......................................: "
                    f"({rng.uniform(24000, 24900):.2f}, {rng.uniform(24900, 25000):.2f})"
                ),
                "-" * 98,
                f" validation loss at iteration {n} | lm loss value: {loss + 0.02:.6E} | lm loss PPL: {math.exp(loss + 0.02):.6E} | ",
                "-" * 98,
                f"saving checkpoint at iteration {n:7d} to ckpt/gpt-med-1b3 in torch format",
                f"  successfully saved checkpoint at iteration {n:7d} to ckpt/gpt-med-1b3",
            ]
    _put(place / f"gpt-med-1b3-{job}.out", log)


# t08: digital pathology, two nodes with one B200 each, slides read over NFS.


def t08_slides_b200(place: Path, rng: Random) -> None:
    hosts, job, driver = ("b200-01", "b200-04"), 90417, "570.133.20"
    begin = _at("2026-11-24T13:05:31")
    done = begin + 12 * 60 + 9
    xid31 = begin - 3 * 3600 - 715
    warm = begin + 38
    groups = []  # begin, wait, compute of every eight steps
    t = warm
    while t < done - 26:
        wait = rng.uniform(9.4, 13.9)
        calm = 8 * rng.uniform(0.335, 0.36)
        groups.append((t, wait, calm))
        t += wait + calm
    last = t
    done = last + 11
    names = (
        "timestamp, index, uuid, name, pci.bus_id, driver_version, temperature.gpu, temperature.memory, "
        "utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw "
        "[W], power.limit [W], clocks.current.sm [MHz], clocks.current.memory [MHz], clocks_event_reasons.active, "
        "ecc.errors.uncorrected.volatile.total, remapped_rows.uncorrectable"
    )
    for h, host in enumerate(hosts):
        base = rng.uniform(118200, 119100)
        uuid = _uuid(rng)

        def phase(t: float, base: float = base) -> _Load:
            if t < begin + 8 or t > done - 2:
                return _IDLE
            if t < warm:
                return _Load(used=1890, util=0, power=0.02)
            here = next(((a, w, c) for a, w, c in groups if a <= t < a + w + c), None)
            if here and t >= here[0] + here[1]:
                return _Load(used=base, util=rng.randint(88, 99), dram=0.36, power=rng.uniform(0.66, 0.74))
            return _Load(used=base, util=0, power=0.01)

        s = _gpu(rng, _B200, begin - 240 + 7.2 + h * 11, done + 181, 60, phase, prof=False)
        rows = [names]
        for i, (t, _) in enumerate(s["DCGM_FI_DEV_POWER_USAGE"]):
            v = {k.removeprefix("DCGM_FI_DEV_"): str(x[i][1]) for k, x in s.items()}
            when = _local(float(str(t))).strftime("%Y/%m/%d %H:%M:%S.") + f"{rng.randint(190, 240)}"
            rows.append(
                f"{when}, 0, {uuid}, {_B200.name}, 00000000:{('1B', '1B')[h]}:00.0, {driver}, {v['GPU_TEMP']}, "
                f"{v['MEMORY_TEMP']}, {v['GPU_UTIL']} %, {v['MEM_COPY_UTIL']} %, {v['FB_USED']} MiB, {_B200.mib} "
                f"MiB, {float(v['POWER_USAGE']):.2f} W, 1000.00 W, {v['SM_CLOCK']} MHz, {v['MEM_CLOCK']} "
                f"MHz, 0x{int(v['CLOCK_THROTTLE_REASONS']):016x}, 0, 0"
            )
        _put(place / f"nvidia-smi_{host}.csv", rows)
        boot = begin - rng.uniform(8, 30) * 86400
        lines = _boot(rng, boot, driver, "6.8.0-60-generic") + _noise(rng, begin - 86400, done, 8)
        if h == 1:
            lines.append((xid31, _mmu("1b", 871120, rng)))
        (place / f"kern.log.{host}").write_text(_dmesg(lines, "syslog", host, boot, 0))
    span = _span(int(done) - int(begin))
    a, z = _iso(begin), _iso(done)
    _put(
        place / "sacct_-P.txt",
        [
            "JobID|JobName|User|Account|Partition|State|ExitCode|Start|End|Elapsed|NodeList|AllocTRES",
            (
                f"90388|af-msa-bench|tkessler|structbio|b200|FAILED|1:0|{_iso(xid31 - 411)}|{_iso(xid31 + 3)}|{_span(414)}|"
                "b200-04|billing=24,cpu=24,gres/gpu=1,mem=180G,node=1"
            ),
            f"90388.batch|batch||structbio||FAILED|1:0|{_iso(xid31 - 411)}|{_iso(xid31 + 3)}|{_span(414)}|b200-04|cpu=24,gres/gpu=1,mem=180G,node=1",
            f"{job}|wsi-mil-ft|nadia.o|pathology|b200|COMPLETED|0:0|{a}|{z}|{span}|b200-[01,04]|billing=32,cpu=32,gres/gpu=2,mem=360G,node=2",
            f"{job}.batch|batch||pathology||COMPLETED|0:0|{a}|{z}|{span}|b200-01|cpu=16,gres/gpu=1,mem=180G,node=1",
            (
                f"{job}.0|python||pathology||COMPLETED|0:0|{_iso(begin + 3)}|{z}|{_span(int(done) - int(begin) - 3)}|"
                "b200-[01,04]|cpu=32,gres/gpu=2,mem=360G,node=2"
            ),
        ],
    )
    total = len(groups) * 8

    def stamp(t: float) -> str:
        return _local(t).strftime("%Y-%m-%dT%H:%M:%S.") + f"{int(t * 1000) % 1000:03d}Z"

    shared = [(2.1 * math.exp(-n / 70) + 0.41 + 0.18 * math.exp(-n / 300)) for n in range(total + 1)]
    for r, host in enumerate(hosts):
        rows = []

        def put(t: float, event: str, r: int = r, rows: list[str] = rows, **more: object) -> None:
            rows.append(json.dumps({"ts": stamp(t), "rank": r, "event": event, **more}))

        put(begin + 9.1, "init", host=host, world=2, device=_B200.name, torch="2.7.1+cu128")
        put(
            begin + 14.6,
            "data",
            slides=1184,
            tiles=6_442_118,
            reader="openslide",
            root="/nfs/path-archive/wsi",
            workers=2,
            prefetch=1,
            batch=512,
        )
        put(begin + 33.8, "model", name="vit_giant_patch14_reg4", trainable=1_136_480_768, amp="bf16")
        put(warm - 0.4, "start", max_steps=total, epochs=1)
        n = 0
        for t0, wait, calm in groups:
            t = t0
            for k in range(8):
                n += 1
                data = wait + rng.uniform(-0.2, 0.0) if k == 0 else rng.uniform(0.001, 0.004)
                comp = calm / 8
                t += (wait if k == 0 else 0) + comp
                put(
                    t,
                    "step",
                    step=n,
                    loss=round(shared[n] + rng.gauss(0, 0.03), 4),
                    lr=float(f"{2e-5 * min(1, n / 30):.3g}"),
                    grad_norm=round(rng.uniform(0.6, 1.4), 3),
                    data_s=round(data, 3),
                    fwd_bwd_s=round(comp - 0.02 - rng.uniform(0, 0.004), 3),
                    opt_s=0.018,
                )
        if r == 0:
            put(last + 5.2, "save", path="/projects/pathology/nadia/wsi-mil-ft/last.pt", gb=4.55, s=4.6)
        put(last + 7.9, "done", steps=total, wall_s=round(last - warm, 1))
        _put(place / f"train_rank{r}.jsonl", rows)
