"""The incidents t01 to t08 of the thirty-third set.

SIMULATED: nothing here was taken from a real job; every file comes from the code below and its randomness.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class _Card:
    """What a kind of card shows at rest and at work."""

    name: str
    total: int
    reserved: int
    idle_w: float
    tdp: float
    idle_sm: int
    sm: int
    idle_mem: int
    mem: int
    driver: str
    ambient: float = 27.0
    warm: float = 0.08


_A6000 = _Card("NVIDIA RTX A6000", 49140, 453, 22, 300, 210, 1860, 405, 7600, "550.90.07", 31, 0.165)
_4090 = _Card("NVIDIA GeForce RTX 4090", 24564, 347, 19, 450, 210, 2640, 405, 10251, "550.54.14", 30, 0.09)
_H200 = _Card("NVIDIA H200", 143771, 586, 76, 700, 345, 1980, 3201, 3201, "560.35.03", 26, 0.055)
_V100 = _Card("Tesla V100-SXM2-32GB", 32768, 268, 42, 300, 135, 1290, 877, 877, "535.183.06", 29, 0.115)
_L40S = _Card("NVIDIA L40S", 46068, 445, 33, 350, 210, 2475, 405, 9001, "550.127.05", 29, 0.105)
_H100 = _Card("NVIDIA H100 80GB HBM3", 81559, 551, 70, 700, 345, 1980, 2619, 2619, "550.127.08", 26, 0.058)


@dataclass
class _Gpu:
    """One card of a host."""

    host: str
    index: int
    uuid: str
    bus: str


@dataclass
class _Load:
    """What a GPU does at one moment."""

    util: float = 0.0
    sm: float = 0.0
    engine: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    fb: float = 0.0
    power: float = 0.0
    clock: float = 0.0
    reasons: int = -1
    link: float = 0.0
    pcie: float = 0.0


@dataclass
class _Run:
    """All samples of a case: by GPU, rows of time and values."""

    card: _Card
    gpus: list[_Gpu]
    rows: list[list[tuple[float, dict[str, float]]]] = field(default_factory=list)


def _uuid(rng: Random) -> str:
    text = f"{rng.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _cards(rng: Random, hosts: Sequence[str], count: int, buses: Sequence[str]) -> list[_Gpu]:
    return [_Gpu(host, i, "GPU-" + _uuid(rng), f"00000000:{buses[i]}:00.0") for host in hosts for i in range(count)]


def _measure(
    rng: Random,
    card: _Card,
    gpus: list[_Gpu],
    start: float,
    end: float,
    step: float,
    load: Callable[[int, float], _Load],
) -> _Run:
    """Sample every GPU; temperature follows power slowly, counters of errors are added by the case."""
    run = _Run(card, gpus)
    for i in range(len(gpus)):
        skew, warm = rng.uniform(-0.02, 0.02), card.warm * rng.uniform(0.93, 1.07)
        base = card.ambient + rng.uniform(-2, 2)
        heat: float | None = None
        energy = rng.uniform(2e9, 9e10)
        rows = []
        t = start
        while t <= end:
            now = load(i, t)
            busy = now.util > 0 or now.sm > 0
            resident = now.fb > 60
            frac = max(0.0, now.power + (rng.gauss(0, 0.012) + skew if busy else 0))
            rest = card.idle_w * (1.45 if resident else 1.0)
            power = min(rest + (card.tdp - rest) * frac + rng.gauss(0, 0.6), card.tdp * 1.012)
            target = base + warm * power
            heat = target if heat is None else heat + (target - heat) * (1 - math.exp(-step / 55))
            energy += power * step * 1000
            awake = busy or resident
            clock = now.clock or (card.sm if awake else card.idle_sm)
            row = {
                "util": round(min(100.0, now.util)),
                "power": round(power, 3),
                "temp": round(heat),
                "memtemp": round(heat + 6 + (3 if busy else 0)),
                "fb": round(now.fb),
                "clock": clock,
                "memclock": card.mem if awake else card.idle_mem,
                "reasons": now.reasons if now.reasons >= 0 else (0 if busy else 1),
                "sm": max(0.0, now.sm),
                "engine": min(1.0, max(0.0, now.engine)),
                "tensor": max(0.0, now.tensor),
                "dram": max(0.0, now.dram),
                "link": max(0.0, now.link),
                "pcie": max(0.0, now.pcie),
                "copy": min(100.0, round(now.dram * 100)),
                "energy": energy,
                "sbe": 0,
                "dbe": 0,
                "xid": 0,
                "remap": 0,
            }
            rows.append((t, row))
            t += step
        run.rows.append(rows)
    return run


_NAMES = {
    "util": "DCGM_FI_DEV_GPU_UTIL",
    "power": "DCGM_FI_DEV_POWER_USAGE",
    "temp": "DCGM_FI_DEV_GPU_TEMP",
    "memtemp": "DCGM_FI_DEV_MEMORY_TEMP",
    "fb": "DCGM_FI_DEV_FB_USED",
    "free": "DCGM_FI_DEV_FB_FREE",
    "clock": "DCGM_FI_DEV_SM_CLOCK",
    "memclock": "DCGM_FI_DEV_MEM_CLOCK",
    "reasons": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "copy": "DCGM_FI_DEV_MEM_COPY_UTIL",
    "engine": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "sm": "DCGM_FI_PROF_SM_ACTIVE",
    "tensor": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "dram": "DCGM_FI_PROF_DRAM_ACTIVE",
    "link": "DCGM_FI_PROF_NVLINK_TX_BYTES",
    "pcie": "DCGM_FI_PROF_PCIE_RX_BYTES",
    "sbe": "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "dbe": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "xid": "DCGM_FI_DEV_XID_ERRORS",
    "remap": "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
}
_BASIC = ("util", "power", "temp", "fb", "free", "clock", "memclock", "reasons", "xid")
_PROF = ("engine", "sm", "tensor", "dram")


def _value(card: _Card, name: str, row: dict[str, float]) -> str:
    if name == "free":
        return str(round(card.total - card.reserved - row["fb"]))
    if name in _PROF:
        return f"{row[name]:.6f}"
    if name == "power":
        return f"{row[name]:.3f}"
    return str(round(row[name]))


def _matrix(run: _Run, names: Iterable[str], labels: Callable[[_Gpu], dict[str, str]], pick: Iterable[int]) -> str:
    """A query_range answer with these fields of these GPUs."""
    result = []
    picked = list(pick)
    for name in names:
        for i in picked:
            metric = {"__name__": _NAMES[name], **labels(run.gpus[i])}
            values = [[round(t, 3) if t % 1 else int(t), _value(run.card, name, row)] for t, row in run.rows[i]]
            result.append({"metric": metric, "values": values})
    return (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
        + "\n"
    )


def _labels(card: _Card, job: str = "dcgm-exporter") -> Callable[[_Gpu], dict[str, str]]:
    def of(gpu: _Gpu) -> dict[str, str]:
        return {
            "DCGM_FI_DRIVER_VERSION": card.driver,
            "Hostname": gpu.host,
            "UUID": gpu.uuid,
            "device": f"nvidia{gpu.index}",
            "gpu": str(gpu.index),
            "instance": f"{gpu.host}:9400",
            "job": job,
            "modelName": card.name,
            "pci_bus_id": gpu.bus,
        }

    return of


def _uuid_only(gpu: _Gpu) -> dict[str, str]:
    return {"UUID": gpu.uuid}


def _at(text: str, hours: float = 0) -> float:
    """Seconds since the epoch of a local time."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def _local(t: float, hours: float = 0) -> datetime:
    return datetime.fromtimestamp(t, UTC).astimezone(timezone(timedelta(hours=hours)))


def _iso(t: float, hours: float = 0) -> str:
    return _local(t, hours).strftime("%Y-%m-%dT%H:%M:%S")


def _z(t: float) -> str:
    return _iso(t) + "Z"


def _span(seconds: float) -> str:
    s = int(seconds)
    return f"{s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


_CHATTER = (
    "perf: interrupt took too long ({a} > {b}), lowering kernel.perf_event_max_sample_rate to {c}000",
    "TCP: request_sock_TCP: Possible SYN flooding on port {p}. Sending cookies.  Check SNMP counters.",
    "nfs: server {nfs} not responding, still trying\0nfs: server {nfs} OK",
    (
        'audit: type=1400 audit({epoch}.{d}:{b}): apparmor="STATUS" operation="profile_replace" info="same '
        'as current profile, skipping" profile="unconfined" name="/usr/sbin/chronyd" pid={p}'
    ),
    "usb 1-14: reset high-speed USB device number 3 using xhci_hcd",
    "kauditd_printk_skb: {d} callbacks suppressed",
    "Process accounting resumed",
    "workqueue: drm_fb_helper_damage_work hogged CPU for >10000us {e} times, consider switching to WQ_UNBOUND",
    "hrtimer: interrupt took {b} ns",
    "loop{e}: detected capacity change from 0 to {c}912",
)
_POD_CHATTER = (
    "cni0: port {e}(veth{h}) entered blocking state\0cni0: port {e}(veth{h}) entered forwarding state",
    "cni0: port {e}(veth{h}) entered disabled state\0device veth{h} left promiscuous mode",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{h}: link becomes ready",
    "eth0: renamed from tmp{h}",
)


def _kernel(
    rng: Random,
    host: str,
    span: tuple[float, float],
    style: str,
    count: int,
    hours: float = 0,
    pods: bool = False,
    more: Sequence[tuple[float, str]] = (),
    skip: Sequence[int] = (),
) -> str:
    """A kernel log of everyday lines and those given, in one of the ways it is printed."""
    start, end = span
    up = rng.uniform(6e5, 7e6)
    entries = list(more)
    kinds = [line for i, line in enumerate(_CHATTER) if i not in skip] + (list(_POD_CHATTER) * 3 if pods else [])
    for _ in range(count):
        t = rng.uniform(start, end)
        words = rng.choice(kinds).format(
            a=rng.randint(2500, 5200),
            b=rng.randint(2400, 5000),
            c=rng.randint(30, 79),
            d=rng.randint(100, 999),
            e=rng.randint(2, 30),
            h=f"{rng.getrandbits(32):08x}",
            p=rng.randint(20000, 60000),
            nfs="nas01.int",
            epoch=int(t),
        )
        for n, part in enumerate(words.split("\0")):
            entries.append((t + n * rng.uniform(0.01, 9), part))
    lines = []
    for t, words in sorted(entries):
        when = _local(t, hours)
        if style == "dmesg -T":
            lines.append(f"[{when:%a %b} {when.day:2d} {when:%H:%M:%S %Y}] {words}")
        elif style == "syslog":
            lines.append(f"{when:%b} {when.day:2d} {when:%H:%M:%S} {host} kernel: [{up + t - start:12.6f}] {words}")
        else:
            lines.append(f"{when:%b} {when.day:2d} {when:%H:%M:%S} {host} kernel: {words}")
    return "\n".join(lines) + "\n"


def _write(place: Path, name: str, text: str | Iterable[str]) -> None:
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else "\n".join(text) + "\n", encoding="utf-8")


def _scontrol(values: Sequence[str]) -> str:
    return values[0] + "\n" + "".join(f"   {line}\n" for line in values[1:]) + "\n"


def t01_kelp(place: Path, rng: Random) -> None:
    """Kelp maps from drone pictures: the job reads and packs captions, then cannot build its model."""
    host = "mar-gpu03"
    start = _at("2026-03-17 09:42:08")
    end = start + 409
    gpus = _cards(rng, [host], 4, ("01", "25", "81", "C1"))
    before = start - 95

    def load(i: int, t: float) -> _Load:
        if t < before - i * 0.4:  # another job, at the limit of its power
            wave = rng.gauss(0, 0.015)
            return _Load(
                100,
                0.9 + wave,
                0.99,
                0.47 + wave,
                0.55 + wave,
                43120 + i * 64,
                0.995,
                rng.choice((1590, 1605, 1620, 1635)),
                4,
            )
        if start + 38 < t < end - 1:
            return _Load(0, 0, 0, 0, 0, 311, 0.0, 0, 1)
        return _Load(0, 0, 0, 0, 0, 4, 0.0, 0, 1)

    run = _measure(rng, _A6000, gpus, start - 128 - 30 * 24, end + 150, 30, load)
    for rows in run.rows:  # the context alone draws no more than a warm idle
        for t, row in rows:
            if start + 38 < t < end - 1:
                row["clock"], row["memclock"], row["power"] = 210, 405, row["power"] * 0.83
    names = (*_BASIC, "memtemp", "engine", "sm", "tensor", "dram", "sbe", "dbe")
    _write(place, "prom_mar-gpu03.json", _matrix(run, names, _labels(_A6000), range(4)))

    log = [
        f"== {_local(start):%a %b %d %H:%M:%S} UTC 2026 == job 20418 on {host}",
        "W0317 09:42:14.118000 140221963507520 torch/distributed/run.py:779] ",
        "W0317 09:42:14.118000 140221963507520 torch/distributed/run.py:779] *****************************************",
        (
            "W0317 09:42:14.118000 140221963507520 torch/distributed/run.py:779] Setting OMP_NUM_THREADS environment "
            "variable for each process to be 1 in default, to avoid your system being overloaded, please further "
            "tune the variable for optimal performance in your application as needed. "
        ),
        "W0317 09:42:14.118000 140221963507520 torch/distributed/run.py:779] *****************************************",
    ]
    log += [f"[rank {r}] init done, device cuda:{r}, world 4" for r in rng.sample(range(4), 4)]
    log += [
        (
            "config: {'model': '/data/models/Mistral-7B-v0.3', 'attn': 'flash_attention_2', 'seq_len': 4096, "
            "'bs': 1, 'accum': 8, 'lr': 1e-05, 'steps': 1500, 'shard': 'FULL_SHARD', 'bf16': True}"
        ),
        "loading survey captions from /data/kelp/captions_2019_2025.jsonl",
    ]
    rows, done, t = 412806, 0, 0.0
    while done < rows:
        rate = rng.gauss(1235, 45)
        left = (rows - done) / rate
        log.append(
            f"Tokenizing: {done * 100 // rows:3d}%|{'█' * (done * 10 // rows):<10}| "
            f"{done}/{rows} [{int(t) // 60:02d}:{int(t) % 60:02d}<{int(left) // 60:02d}:{int(left) % 60:02d}, "
            f"{rate:.2f} examples/s]"
        )
        step = rng.uniform(9, 12)
        done, t = min(rows, done + int(rate * step)), t + step
    log.append(
        f"Tokenizing: 100%|██████████| {rows}/{rows} [{int(t) // 60:02d}:{int(t) % 60:02d}<00:00, {rows / t:.2f} examples/s]"
    )
    log.append("packed 58,713 sequences of 4096; held out 600")
    log += [f"[rank {r}] building model" for r in rng.sample(range(4), 4)]
    site = "/home/ohalloran/envs/kelp/lib/python3.11/site-packages"
    for r in rng.sample(range(4), 4):
        trace = [
            "Traceback (most recent call last):",
            '  File "/home/ohalloran/kelp-lm/train_fsdp.py", line 231, in <module>',
            "    main()",
            '  File "/home/ohalloran/kelp-lm/train_fsdp.py", line 158, in main',
            "    model = build_model(cfg, rank)",
            "            ^^^^^^^^^^^^^^^^^^^^^^",
            '  File "/home/ohalloran/kelp-lm/train_fsdp.py", line 87, in build_model',
            "    model = AutoModelForCausalLM.from_pretrained(",
            "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{site}/transformers/models/auto/auto_factory.py", line 564, in from_pretrained',
            "    return model_class.from_pretrained(",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{site}/transformers/modeling_utils.py", line 3832, in from_pretrained',
            "    config = cls._autoset_attn_implementation(",
            "             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{site}/transformers/modeling_utils.py", line 1556, in _autoset_attn_implementation',
            "    cls._check_and_enable_flash_attn_2(",
            f'  File "{site}/transformers/modeling_utils.py", line 1648, in _check_and_enable_flash_attn_2',
            '    raise ImportError(f"{preface} the package flash_attn seems to be not installed. {install_message}")',
            (
                "ImportError: FlashAttention2 has been toggled on, but it cannot be used due to the following error: "
                "the package flash_attn seems to be not installed. Please refer to the documentation of "
                "https://huggingface.co/docs/transformers/perf_infer_gpu_one#flashattention-2 "
                "to install Flash Attention 2."
            ),
        ]
        log += [f"[rank{r}]: {line}" for line in trace]
    pid = rng.randint(210000, 280000)
    stamp = f"{_local(end - 4):%m%d %H:%M:%S}.402000 140221963507520 torch/distributed/elastic/multiprocessing/api.py"
    log += [f"W{stamp}:858] Sending process {pid + n} closing signal SIGTERM" for n in (0, 1, 3)]
    log += [
        f"E{stamp}:833] failed (exitcode: 1) local_rank: 2 (pid: {pid + 2}) of binary: /home/ohalloran/envs/kelp/bin/python",
        "Traceback (most recent call last):",
        '  File "/home/ohalloran/envs/kelp/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{site}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 348, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{site}/torch/distributed/run.py", line 901, in main',
        "    run(args)",
        f'  File "{site}/torch/distributed/launcher/api.py", line 264, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train_fsdp.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {_iso(end - 5)[:10]}_{_iso(end - 5)[11:]}",
        f"  host      : {host}.coast.example",
        "  rank      : 2 (local_rank: 2)",
        f"  exitcode  : 1 (pid: {pid + 2})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        f"srun: error: {host}: task 0: Exited with exit code 1",
    ]
    _write(place, "kelp-fsdp-20418.out", log)
    _write(
        place,
        "scontrol_show_job_20418.txt",
        _scontrol(
            [
                "JobId=20418 JobName=kelp-fsdp",
                "UserId=ohalloran(2107) GroupId=marine(2100) MCS_label=N/A",
                "Priority=10421 Nice=0 Account=marine QOS=normal",
                "JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
                "Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
                f"RunTime={_span(end - start)} TimeLimit=12:00:00 TimeMin=N/A",
                f"SubmitTime={_iso(start - 3127)} EligibleTime={_iso(start - 3127)}",
                f"AccrueTime={_iso(start - 3127)}",
                f"StartTime={_iso(start)} EndTime={_iso(end)} Deadline=N/A",
                f"SuspendTime=None SecsPreSuspend=0 LastSchedEval={_iso(start)} Scheduler=Backfill",
                "Partition=a6000 AllocNode:Sid=mar-login1:81822",
                "ReqNodeList=(null) ExcNodeList=(null)",
                f"NodeList={host}",
                f"BatchHost={host}",
                "NumNodes=1 NumCPUs=32 NumTasks=1 CPUs/Task=32 ReqB:S:C:T=0:0:*:*",
                "ReqTRES=cpu=32,mem=240G,node=1,billing=32,gres/gpu=4",
                "AllocTRES=cpu=32,mem=240G,node=1,billing=32,gres/gpu=4",
                "Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*",
                "MinCPUsNode=32 MinMemoryNode=240G MinTmpDiskNode=0",
                "Features=(null) DelayBoot=00:00:00",
                "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
                "Command=/home/ohalloran/kelp-lm/run_fsdp.sbatch",
                "WorkDir=/home/ohalloran/kelp-lm",
                "StdErr=/home/ohalloran/kelp-lm/logs/kelp-fsdp-20418.out",
                "StdIn=/dev/null",
                "StdOut=/home/ohalloran/kelp-lm/logs/kelp-fsdp-20418.out",
                "Power=",
                "TresPerNode=gres/gpu:4",
            ]
        ),
    )
    _write(place, "journalctl_k_mar-gpu03.txt", _kernel(rng, host, (start - 7000, end + 300), "journalctl", 14))


def t02_dialect(place: Path, rng: Random) -> None:
    """A small language model of dialects on borrowed nodes: it makes room for another job and comes back."""
    hosts = [f"rack2-n{n:02d}" for n in (5, 6, 7, 9)]
    gpus = _cards(rng, hosts, 2, ("41", "C1"))
    first = _at("2026-05-28 13:07:41")
    out = first + 1516
    again = out + 611
    end = first + 55 * 60 - 7

    def load(i: int, t: float) -> _Load:
        for begin, stop in ((first, out), (again, end)):
            if begin <= t < stop + 4:
                age = t - begin
                if age < 22:
                    return _Load(fb=2)
                if age < 96:  # start and compilation
                    return _Load(rng.choice((0, 0, 3, 7)), fb=22288, power=0.1)
                if (age - 96) % 640 > 622:
                    return _Load(rng.choice((0, 12)), fb=22288, power=0.12, dram=0.02)
                return _Load(
                    min(100, rng.gauss(97, 2)),
                    fb=22288 + i % 2 * 14,
                    power=0.72 + rng.gauss(0, 0.03),
                    dram=0.46,
                    clock=rng.choice((2610, 2625, 2640)),
                )
        if out + 48 < t < again - 39:  # who took the nodes
            return _Load(
                rng.choice((88, 93, 99, 100)),
                fb=16742 + i * 3,
                power=0.88 + rng.gauss(0, 0.02),
                dram=0.6,
                clock=rng.choice((2535, 2550)),
            )
        return _Load(fb=2)

    run = _measure(rng, _4090, gpus, first - 240, end + 180, 10, load)
    ticking = {1: [first + 402, first + 1203, again + 377], 6: [first + 910.0]}
    for i, rows in enumerate(run.rows):
        for t, row in rows:
            row["sbe"] = (3 if i == 1 else 0) + sum(t >= x for x in ticking.get(i, ()))
    _write(place, "gpu_range.json", _matrix(run, (*_BASIC, "copy", "sbe", "dbe"), _uuid_only, range(8)))
    listing = []
    for n, host in enumerate(hosts):
        listing += ["---------------", host, "---------------"]
        listing += [f"GPU {g.index}: {_4090.name} (UUID: {g.uuid})" for g in gpus[2 * n : 2 * n + 2]]
    _write(place, "clush_nvidia-smi-L.txt", listing)
    head = "JobID|JobName|User|Account|Partition|QOS|State|ExitCode|Submit|Start|End|Elapsed|NNodes|AllocTRES|NodeList"
    tres = "billing=64,cpu=64,gres/gpu=8,mem=480G,node=4"
    names = "rack2-n[05-07,09]"
    submit = first - 1904
    _write(
        place,
        "sacct_D_77120.txt",
        [
            head,
            (
                f"77120|mt-dialect-0.6b|nkemelu|lingua|spare|scavenger|PREEMPTED|0:0|{_iso(submit)}|{_iso(first)}|"
                f"{_iso(out)}|{_span(out - first)}|4|{tres}|{names}"
            ),
            f"77120|mt-dialect-0.6b|nkemelu|lingua|spare|scavenger|COMPLETED|0:0|{_iso(out)}|{_iso(again)}|{_iso(end)}|{_span(end - again)}|4|{tres}|{names}",
        ],
    )
    for host in hosts:
        _write(
            place,
            f"syslog/{host}.kern.log",
            _kernel(rng, host, (first - 3000, end + 200), "syslog", rng.randint(6, 12)),
        )


def t03_radio(place: Path, rng: Random) -> None:
    """A model of radio telescope spectra on two pods: it goes up, never comes down, and runs to its last step."""
    zone = 8
    hosts = ["hgx-bj-11", "hgx-bj-14"]
    gpus = _cards(rng, hosts, 1, ("3A",))
    start = _at("2026-06-09 19:36:20", zone)
    end = start + 9000
    ready = start + 118
    steps = 3600
    per = (end - 25 - ready) / steps

    def load(i: int, t: float) -> _Load:
        if t < start + 31 or t > end:
            return _Load(fb=4)
        if t < ready:
            return _Load(rng.choice((0, 0, 11)), fb=2610 if t < start + 80 else 31820, power=0.05)
        if (t - ready) % (600 * per) > 600 * per - 14:
            return _Load(rng.choice((0, 22, 41)), fb=121733, power=0.12)
        return _Load(
            min(100, rng.gauss(99, 0.8)),
            fb=121733 + i * 96,
            power=0.86 + rng.gauss(0, 0.015),
            dram=0.44 + rng.gauss(0, 0.01),
            clock=rng.choice((1905, 1920, 1935, 1950, 1980)),
        )

    run = _measure(rng, _H200, gpus, start - 300, end + 300, 30, load)
    ticks = [start + rng.uniform(200, 8800) for _ in range(5)]
    for i, host in enumerate(hosts):
        lines = [
            (
                "timestamp, index, uuid, name, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
                "memory.total [MiB], power.draw [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory "
                "[MHz], clocks_event_reasons.active, ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total"
            )
        ]
        for t, row in run.rows[i]:
            when = _local(t + rng.uniform(0.01, 0.2), zone)
            seen = 2 + sum(t >= x for x in ticks) if i == 0 else 0
            lines.append(
                f"{when:%Y/%m/%d %H:%M:%S}.{when.microsecond // 1000:03d}, 0, {gpus[i].uuid}, {_H200.name}, P0, {row['util']:.0f} "
                f"%, {row['copy']:.0f} %, {row['fb']:.0f} MiB, {_H200.total} MiB, {row['power']:.2f} W, {row['temp']:.0f}, "
                f"{row['clock']:.0f} MHz, {row['memclock']:.0f} MHz, 0x{int(row['reasons']):016x}, {seen}, 0"
            )
        _write(place, f"smi/{host}.csv", lines)

    logs: list[list[str]] = [[], []]
    pods = ["spectra-1b3-worker-0", "spectra-1b3-worker-1"]
    for r in (0, 1):
        stamp = f"{_local(start + 36 + r, zone):%Y-%m-%d %H:%M:%S}"
        logs[r] += [
            f"{stamp} [r{r}/2] host {pods[r]} dev {_H200.name} torch 2.5.1+cu124 nccl (2, 21, 5)",
            f"{stamp} [r{r}/2] data /mnt/jfs/spectra/shards-v4: 1184 shards, mine 592",
            f"{_local(start + 84 + r, zone):%Y-%m-%d %H:%M:%S} [r{r}/2] model 1.31B params, ddp wrapped, compile=on, lr 6.0e-04 warmup 200 total {steps}",
        ]
    drift = 0.0
    for step in range(10, steps + 1, 10):
        lr = (
            6e-4
            * min(1, step / 200)
            * (1 if step <= 200 else 0.1 + 0.45 * (1 + math.cos(math.pi * (step - 200) / (steps - 200))))
        )
        good = 2.62 + 6.5 * math.exp(-step / 170) + 0.9 * math.exp(-step / 900)
        if step < 1240:
            mean, norm = good, 0.55 + 2.6 * math.exp(-step / 120) + abs(rng.gauss(0, 0.06))
        elif step < 1320:
            k = (step - 1230) / 10
            mean, norm = good + 1.5 * k**1.06, rng.uniform(14, 30) * k
        else:
            drift = 0.8 * drift + rng.gauss(0, 0.03)
            mean, norm = (
                11.43 + 4.4 * math.exp(-(step - 1320) / 60) + drift,
                0.012 + abs(rng.gauss(0, 0.006)) + 3 * math.exp(-(step - 1320) / 70),
            )
        t = ready + step * per + rng.uniform(0, 0.5)
        rate = 131072 / per * rng.uniform(0.985, 1.01)
        for r in (0, 1):
            logs[r].append(
                f"{_local(t, zone):%Y-%m-%d %H:%M:%S} [r{r}/2] step {step}/{steps} loss {mean + rng.gauss(0, 0.025):.4f} "
                f"gnorm {norm:.3f} lr {lr:.3e} tok/s {rate + r * 7:.0f} mem 113.{4 + r}G"
            )
        if step % 600 == 0:
            logs[0].append(
                f"{_local(t + 13, zone):%Y-%m-%d %H:%M:%S} [r0/2] wrote /mnt/jfs/runs/spectra-1b3/ck_{step:06d}.pt (12.4s)"
            )
    for r in (0, 1):
        logs[r].append(f"{_local(end - 4, zone):%Y-%m-%d %H:%M:%S} [r{r}/2] reached step {steps}, bye")
        _write(place, f"logs/{pods[r]}.log", logs[r])
    _write(
        place,
        "kubectl_get_pods_wide.txt",
        [
            "NAME                   READY   STATUS      RESTARTS   AGE     IP             NODE        NOMINATED NODE   READINESS GATES",
            f"{pods[0]}   0/1     Completed   0          3h12m   10.244.11.37   {hosts[0]}   <none>           <none>",
            f"{pods[1]}   0/1     Completed   0          3h12m   10.244.14.90   {hosts[1]}   <none>           <none>",
        ],
    )

    def date(t: float) -> str:
        return f"{_local(t, zone):%a, %d %b %Y %H:%M:%S} +0800"

    for r in (0, 1):
        _write(
            place,
            f"kubectl_describe_{pods[r]}.txt",
            [
                f"Name:             {pods[r]}",
                "Namespace:        astro",
                "Priority:         0",
                "Service Account:  default",
                f"Node:             {hosts[r]}/172.18.6.{11 + 3 * r}",
                f"Start Time:       {date(start)}",
                "Labels:           training.kubeflow.org/job-name=spectra-1b3",
                f"                  training.kubeflow.org/replica-index={r}",
                "                  training.kubeflow.org/replica-type=worker",
                "Annotations:      <none>",
                "Status:           Succeeded",
                f"IP:               10.244.{11 + 3 * r}.{37 + 53 * r}",
                "Controlled By:  PyTorchJob/spectra-1b3",
                "Containers:",
                "  pytorch:",
                f"    Container ID:  containerd://{rng.getrandbits(256):064x}",
                "    Image:         registry.bj.example/astro/spectra:0.9.4",
                "    Port:          23456/TCP",
                "    State:          Terminated",
                "      Reason:       Completed",
                "      Exit Code:    0",
                f"      Started:      {date(start + 17)}",
                f"      Finished:     {date(end + r)}",
                "    Ready:          False",
                "    Restart Count:  0",
                "    Limits:",
                "      cpu:             24",
                "      memory:          300Gi",
                "      nvidia.com/gpu:  1",
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


def t04_hull(place: Path, rng: Random) -> None:
    """A model of ship maintenance reports on four old cards: one of them takes longer over the same work."""
    host = "volta07"
    gpus = _cards(rng, [host], 4, ("15", "16", "3A", "3B"))
    start = _at("2026-02-11 07:58:30")
    begin = start + 141
    end = start + 93 * 60
    slow = 2

    def load(i: int, t: float) -> _Load:
        if t < start + 28 or t > end - 6:
            return _Load(fb=3, reasons=1)
        if t < begin:
            return _Load(
                rng.choice((0, 0, 4, 13)), 0.01, 0.02, 0, 0.01, 1480 if t < start + 90 else 19830, 0.04, reasons=2
            )
        fb = 28914 + 22 * i
        if i == slow:
            return _Load(
                100,
                0.83 + rng.gauss(0, 0.012),
                0.985,
                0.205 + rng.gauss(0, 0.005),
                0.30,
                fb,
                0.27,
                652,
                2,
                4.1e9 + rng.gauss(0, 8e7),
                9e7,
            )
        return _Load(
            100,
            0.452 + rng.gauss(0, 0.015),
            0.99,
            0.104 + rng.gauss(0, 0.004),
            0.29,
            fb,
            0.45,
            1290,
            2,
            4.1e9 + rng.gauss(0, 8e7),
            9e7,
        )

    run = _measure(rng, _V100, gpus, start - 180, end + 120, 15, load)
    names = (*_BASIC, *_PROF, "link", "sbe", "dbe")
    _write(place, f"dcgm_{host}.json", _matrix(run, names, _labels(_V100, "gpu-nodes"), range(4)))
    stamp = f"{_local(start + 44):%Y-%m-%d %H:%M:%S}"
    steps = 640
    log = [
        (
            f"[NeMo W {stamp} nemo_logging:361] /opt/venv/lib/python3.10/site-packages/pydub/utils.py:170: RuntimeWarning: "
            "Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work"
        ),
        '      warn("Couldn\'t find ffmpeg or avconv - defaulting to ffmpeg, but may not work", RuntimeWarning)',
        "    ",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        f"[NeMo I {stamp} nemo_logging:393] Experiments will be logged at /scratch/hull/exp/hull_1p2b/{_local(start + 44):%Y-%m-%d_%H-%M-%S}",
        (
            f"[NeMo W {stamp} nemo_logging:405] The checkpoint callback was told to monitor a validation value "
            f"and trainer's max_steps was set to {steps}. Please ensure that max_steps will run for at least 1 "
            "epochs to ensure that checkpointing will not error out."
        ),
        f"[NeMo I {stamp} nemo_logging:393] Rank 0 has data parallel group : [0, 1, 2, 3]",
        f"[NeMo I {stamp} nemo_logging:393] All data parallel group ranks with context parallel combined: [[0, 1, 2, 3]]",
    ]
    log += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in rng.sample(range(4), 4)]
    log += [
        "----------------------------------------------------------------------------------------------------",
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "----------------------------------------------------------------------------------------------------",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        f"[NeMo I {_local(start + 97):%Y-%m-%d %H:%M:%S} nemo_logging:393] Padded vocab_size: 50304, original vocab_size: 50257, dummy tokens: 47.",
        (
            f"[NeMo I {_local(start + 99):%Y-%m-%d %H:%M:%S} nemo_logging:393]  > number of parameters on (tensor, "
            "pipeline) model parallel rank (0 ,0): 1213743104"
        ),
        (
            f"[NeMo I {_local(start + 103):%Y-%m-%d %H:%M:%S} utils:302] Setting up DistributedDataParallel with "
            "config DistributedDataParallelConfig(grad_reduce_in_fp32=False, overlap_grad_reduce=True, overlap_param_gather=True, "
            "use_distributed_optimizer=True, bucket_size=40000000)"
        ),
    ]
    each = (end - 22 - begin) / steps
    for step in range(steps):
        loss = 3.05 + 7.7 * math.exp(-step / 75) + 1.1 * math.exp(-step / 420) + rng.gauss(0, 0.05)
        lr = 2e-4 * min(1, (step + 1) / 50)
        log.append(
            (
                f"Training epoch 0, iteration {step}/{steps - 1} | lr: {lr:.3e} | loss_scale: 65536.0 | global_batch_size: "
                f"64 | global_step: {step} | reduced_train_loss: {loss:.4g} | train_step_timing in s: {each + rng.gauss(0, 0.05) + (9 if step == 0 else 0):.4g}"
            )
            + (f" | consumed_samples: {64 * (step + 1)}" if step else "")
        )
    log += [
        (
            f"[NeMo I {_local(end - 20):%Y-%m-%d %H:%M:%S} nemo_logging:393] Scheduled async checkpoint save for "
            f"/scratch/hull/exp/hull_1p2b/checkpoints/hull--reduced_train_loss={3.33:.4f}-epoch=0-last.ckpt"
        ),
        f"`Trainer.fit` stopped: `max_steps={steps}` reached.",
    ]
    _write(place, "nemo_log_globalrank-0_localrank-0.txt", log)
    _write(place, f"dmesg_{host}.txt", _kernel(rng, host, (start - 9000, end + 100), "dmesg -T", 15))


def t05_rivers(place: Path, rng: Random) -> None:
    """A model of river gauge bulletins, given an hour and a quarter in the short queue."""
    zone = -8
    hosts = ["ted11", "ted12", "ted14"]
    gpus = _cards(rng, hosts, 4, ("01", "41", "81", "C1"))
    start = _at("2026-01-21 22:40:13", zone)
    end = start + 4500 + 23
    begin = start + 83
    step_s, save = 11.4, 1500

    def load(i: int, t: float) -> _Load:
        if t < start + 19 or t > end - 2:
            return _Load(fb=2)
        if t < begin:
            return _Load(rng.choice((0, 0, 0, 6, 17)), fb=416 if t < start + 52 else 9870, power=0.05)
        if (t - begin) % save > save - 21 - i % 4:
            return _Load(rng.choice((0, 0, 8)), fb=22874, power=0.08, dram=0.02)
        turn = ((t - begin) % step_s) / step_s
        if turn > 0.86:  # gradients go over the network
            return _Load(100, fb=22874 + i % 4 * 10, power=0.36, dram=0.12, clock=2700)
        return _Load(
            min(100, rng.gauss(98, 1.4)),
            fb=22874 + i % 4 * 10,
            power=0.8 + rng.gauss(0, 0.025),
            dram=0.52,
            clock=rng.choice((2595, 2610, 2625, 2640)),
        )

    run = _measure(rng, _4090, gpus, start - 150, end + 125, 5, load)
    length = end - start
    gaps = [
        (0, 3, 0.21, 0.25),
        (0, 12, 0.47, 0.495),
        (4, 8, 0.66, 0.72),
        (8, 12, 0.08, 0.09),
        (8, 12, 0.31, 0.37),
        (0, 4, 0.84, 0.853),
    ]
    for i, rows in enumerate(run.rows):
        mine = [(start + a * length, start + b * length) for lo, hi, a, b in gaps if lo <= i < hi]
        run.rows[i] = [(t, row) for t, row in rows if not any(a < t < b for a, b in mine) and rng.random() > 0.006]
    names = ("util", "power", "temp", "fb", "clock", "reasons", "copy", "xid", "pcie")
    for i, rows in enumerate(run.rows):
        for _, row in rows:
            row["pcie"] = 0 if row["util"] == 0 else abs(rng.gauss(2.1e9 + i * 1e7, 5e8))
    _write(place, "query_range_gpus.json", _matrix(run, names, _uuid_only, range(12)))
    _write(
        place,
        "scontrol.txt",
        _scontrol(
            [
                "JobId=918834 JobName=nanotron-gauge-1b",
                "UserId=mvasquez(31877) GroupId=hydro(31000) MCS_label=N/A",
                "Priority=4294 Nice=0 Account=hydro QOS=short",
                "JobState=TIMEOUT Reason=TimeLimit Dependency=(null)",
                "Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:15",
                "RunTime=01:15:23 TimeLimit=01:15:00 TimeMin=N/A",
                f"SubmitTime={_iso(start - 840, zone)} EligibleTime={_iso(start - 840, zone)}",
                f"AccrueTime={_iso(start - 840, zone)}",
                f"StartTime={_iso(start, zone)} EndTime={_iso(end, zone)} Deadline=N/A",
                f"SuspendTime=None SecsPreSuspend=0 LastSchedEval={_iso(start, zone)} Scheduler=Main",
                "Partition=short AllocNode:Sid=ted-submit:2210493",
                "ReqNodeList=(null) ExcNodeList=ted13",
                "NodeList=ted[11-12,14]",
                "BatchHost=ted11",
                "NumNodes=3 NumCPUs=96 NumTasks=3 CPUs/Task=32 ReqB:S:C:T=0:0:*:*",
                "ReqTRES=cpu=96,mem=540G,node=3,billing=96,gres/gpu=12",
                "AllocTRES=cpu=96,mem=540G,node=3,billing=96,gres/gpu=12",
                "Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*",
                "MinCPUsNode=32 MinMemoryNode=180G MinTmpDiskNode=0",
                "Features=(null) DelayBoot=00:00:00",
                "OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)",
                "Command=/u/mvasquez/nanotron/slurm/gauge_1b.slurm",
                "WorkDir=/u/mvasquez/nanotron",
                "StdErr=/u/mvasquez/nanotron/slurm_out/918834.err",
                "StdIn=/dev/null",
                "StdOut=/u/mvasquez/nanotron/slurm_out/918834.out",
                "TresPerNode=gres/gpu:rtx4090:4",
            ]
        ),
    )
    for host in hosts:
        _write(
            place,
            f"kernel/{host}.txt",
            _kernel(rng, host, (start - 5000, end + 200), "journalctl", rng.randint(9, 14), zone),
        )


def _dist(stamp: str, words: str, where: str = "logging.py:96:log_dist") -> str:
    return f"[{stamp}] [INFO] [{where}] {words}"


def t06_court(place: Path, rng: Random) -> None:
    """A small model of court transcripts, trained to its end in a cluster full of loud words."""
    hosts = ["gpu-l40s-a2", "gpu-l40s-a5"]
    gpus = _cards(rng, hosts, 2, ("17", "CA"))
    start = _at("2026-04-14 13:02:48")
    end = start + 25 * 60 - 9
    begin = start + 132
    iters = 700
    each = (end - 62 - begin - 36) / iters

    def load(i: int, t: float) -> _Load:
        if t < start + 35 or t > end - 3:
            return _Load(fb=1)
        if t < begin:
            return _Load(rng.choice((0, 0, 9)), fb=2871, power=0.06)
        if t > end - 24 or abs(t - begin - each * 350 - 9) < 9:
            return _Load(rng.choice((0, 31)), fb=38654, power=0.14, dram=0.03)
        return _Load(
            min(100, rng.gauss(98.5, 1)),
            fb=38654 + 18 * (i % 2),
            power=0.84 + rng.gauss(0, 0.02),
            dram=0.49,
            clock=rng.choice((2115, 2160, 2205, 2250, 2295)),
        )

    run = _measure(rng, _L40S, gpus, start - 240, end + 240, 30, load)
    fields: dict[str, Callable[[dict[str, float]], str]] = {
        "nvidia_smi_utilization_gpu_ratio": lambda row: f"{row['util'] / 100:g}",
        "nvidia_smi_utilization_memory_ratio": lambda row: f"{row['copy'] / 100:g}",
        "nvidia_smi_memory_used_bytes": lambda row: str(round(row["fb"]) * 1048576),
        "nvidia_smi_memory_total_bytes": lambda _row: str(_L40S.total * 1048576),
        "nvidia_smi_power_draw_watts": lambda row: f"{row['power']:.2f}",
        "nvidia_smi_temperature_gpu": lambda row: f"{row['temp']:.0f}",
        "nvidia_smi_clocks_current_sm_clock_hz": lambda row: str(round(row["clock"]) * 1000000),
        "nvidia_smi_clocks_current_memory_clock_hz": lambda row: str(round(row["memclock"]) * 1000000),
        "nvidia_smi_clocks_event_reasons_gpu_idle": lambda row: str(int(row["reasons"] == 1)),
        "nvidia_smi_clocks_event_reasons_sw_power_cap": lambda _row: "0",
        "nvidia_smi_clocks_event_reasons_hw_slowdown": lambda _row: "0",
        "nvidia_smi_clocks_event_reasons_hw_thermal_slowdown": lambda _row: "0",
        "nvidia_smi_clocks_event_reasons_sw_thermal_slowdown": lambda _row: "0",
        "nvidia_smi_ecc_errors_corrected_volatile_total": lambda _row: "0",
        "nvidia_smi_ecc_errors_uncorrected_volatile_total": lambda _row: "0",
        "nvidia_smi_pstate": lambda row: "0" if row["fb"] > 60 else "8",
    }
    result = []
    for name, show in fields.items():
        for gpu, rows in zip(gpus, run.rows, strict=True):
            metric = {
                "__name__": name,
                "instance": f"{gpu.host}:9835",
                "job": "nvidia-gpu-exporter",
                "uuid": gpu.uuid[4:],
            }
            result.append({"metric": metric, "values": [[int(t), show(row)] for t, row in rows]})
    info = [
        {
            "metric": {
                "__name__": "nvidia_smi_gpu_info",
                "driver_model_current": "[N/A]",
                "driver_version": _L40S.driver,
                "index": str(gpu.index),
                "instance": f"{gpu.host}:9835",
                "job": "nvidia-gpu-exporter",
                "name": _L40S.name,
                "uuid": gpu.uuid[4:],
                "vbios_version": "95.02.66.00.02",
            },
            "values": [[int(t), "1"] for t, _ in rows],
        }
        for gpu, rows in zip(gpus, run.rows, strict=True)
    ]
    _write(
        place,
        "nvidia_smi_range.json",
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": info + result}}) + "\n",
    )

    def ds(t: float) -> str:
        return f"{_local(t):%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d}"

    pods = ["neox-transcripts-master-0", "neox-transcripts-worker-0"]
    main: list[str] = []
    other: list[str] = []
    for log in (main, other):
        log += [
            "fatal: detected dubious ownership in repository at '/workspace/gpt-neox'",
            "To add an exception for this directory, call:",
            "",
            "\tgit config --global --add safe.directory /workspace/gpt-neox",
            f"[{ds(start + 41)}] [INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
            " [WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
            " [WARNING]  async_io: please install the libaio-dev package with apt",
            (
                " [WARNING]  If libaio is already installed (perhaps from source), try setting the CFLAGS and LDFLAGS "
                "environment variables to where it can be found."
            ),
            "Unable to import Mamba kernels. Install them from our requirements/requirements-mamba.txt, or directly from https://github.com/state-spaces/mamba",
            "For s3 checkpointing, please install boto3 either using requirements/requirements-s3.txt or https://github.com/boto/boto3",
        ]
    main += [
        "NeoXArgs.configure_distributed_args() using world size: 4 and model-parallel size: 1 ",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> setting tensorboard ...",
        f"[{ds(start + 52)}] [INFO] [comm.py:652:init_distributed] cdb=None",
        f"[{ds(start + 52)}] [INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        "wandb: ERROR Error while calling W&B API: Internal Server Error (<Response [500]>)",
        "wandb: Network error (HTTPError), entering retry loop.",
        "wandb: Network error resolved after 0:00:07.214408, resuming normal operation.",
        "> initializing model parallel with size 1",
        "MPU DP: [0, 1, 2, 3]",
        "MPU PP: [0]",
        "MPU MP: [0]",
        "> setting random seeds to 1234 ...",
        f"{pods[0]}:71:71 [0] misc/ibvwrap.cc:94 NCCL WARN Call to ibv_get_device_list failed",
        f"{pods[0]}:71:71 [0] NCCL INFO NET/IB : No device found.",
        f"{pods[0]}:71:71 [0] NCCL INFO Using network Socket",
        "building GPT2 model ...",
        " > number of parameters on model parallel rank 0: 409600000",
        " > total params: 409,600,000",
        "ERROR: ninja: fused_rotary_positional_embedding not prebuilt, falling back to the torch implementation",
        "> learning rate decay style: cosine",
        "DeepSpeed is enabled.",
        _dist(ds(start + 71), "DeepSpeed info: version=0.16.3, git-hash=unknown, git-branch=unknown"),
        "Unable to load checkpoint: no checkpoint found at /ckpt/transcripts-410m, starting from random",
        "Loading checkpoint and starting from iteration 0",
        "> building train, validation, and test datasets ...",
        "    reading sizes...",
        "    reading pointers...",
        "    reading document index...",
        "    creating numpy buffer of mmap...",
        "    creating memory view of numpy buffer...",
        "    no. of documents:91844",
        "    no. of documents:4833",
        "done with setups ...",
        "time (ms) | model and optimizer: 5120.31 | train/valid/test data iterators: 2811.77",
        "training ...",
        _dist(ds(begin), "[Rank 0] step=0, skipped=0, lr=[0.0, 0.0], mom=[[0.9, 0.95], [0.9, 0.95]]"),
    ]
    other += [
        f"[{ds(start + 53)}] [INFO] [comm.py:652:init_distributed] cdb=None",
        f"{pods[1]}:66:66 [0] misc/ibvwrap.cc:94 NCCL WARN Call to ibv_get_device_list failed",
        f"{pods[1]}:66:66 [0] NCCL INFO Using network Socket",
        "W0414 13:04:01.550000 1 torch/utils/cpp_extension.py:1964] TORCH_CUDA_ARCH_LIST is not set, all archs for visible cards are included for compilation.",
    ]
    skipped = 0
    scale = 65536.0
    for it in range(10, iters + 1, 10):
        t = begin + it * each + (18 if it > 350 else 0)
        if it in (10, 20):
            skipped += 1
            rest = "but hysteresis is 2. Reducing hysteresis to 1" if it == 10 else f"reducing to {scale / 2:.0f}"
            words = f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale:.0f}, {rest}"
            main.append(f"[{ds(t - 3)}] [INFO] [loss_scaler.py:190:update_scale] {words}")
            scale /= it / 10
        lr = (
            3e-4 * min(1, it / 70) * (1 if it < 70 else 0.1 + 0.45 * (1 + math.cos(math.pi * (it - 70) / (iters - 70))))
        )
        loss = 2.95 + 6.0 * math.exp(-it / 65) + 1.9 * math.exp(-it / 330) + rng.gauss(0, 0.035)
        ms = each * 1000 + rng.gauss(0, 9)
        main += [
            _dist(ds(t), f"[Rank 0] step={it}, skipped={skipped}, lr=[{lr}, {lr}], mom=[[0.9, 0.95], [0.9, 0.95]]"),
            f"steps: {it} loss: {loss:.4f} iter time (s): {ms / 1000:.3f} samples/sec: {128000 / ms:.3f}",
            (
                f" samples/sec: {128000 / ms:.3f} | iteration {it:8d}/{iters:8d} | elapsed time per iteration (ms): "
                f"{ms:.1f} | learning rate: {lr:.3E} | approx flops per GPU: {79.4 * each * 1000 / ms:.1f}TFLOPS |"
                f" lm_loss: {loss:.6E} | loss scale: {scale:.1f} | number of skipped iterations: {int(it in (10, 20)):3d} "
                "| number of nan iterations:   0 |"
            ),
            "time (ms)" if it == 10 else "",
        ]
        if main[-1] == "":
            main.pop()
        if it in (350, 700):
            held = loss + 0.06
            main += [
                f"[{ds(t + 6)}] [INFO] [logging.py:96:log_dist] [Rank 0] [Torch] Checkpoint global_step{it} is about to be saved!",
                f"[{ds(t + 7)}] [INFO] [torch_checkpoint_engine.py:21:save] "
                f"[Torch] Saving /ckpt/transcripts-410m/global_step{it}/mp_rank_00_model_states.pt...",
                f"[{ds(t + 12)}] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved /ckpt/transcripts-410m/global_step{it}/mp_rank_00_model_states.pt.",
                f"[{ds(t + 13)}] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{it} is ready now!",
                "-" * 97,
                f" validation results at iteration {it} | lm_loss value: {held:.6E} | lm_loss_ppl value: {math.exp(held):.6E} | ",
                "-" * 97,
            ]
    main += [
        "Evaluating iter 10/10",
        "-" * 118,
        f" test results at the end of training for test data | lm_loss value: {3.27:.6E} | lm_loss_ppl value: {math.exp(3.27):.6E} | ",
        "-" * 118,
        (
            "wandb: WARNING Fatal error while uploading data. Some run data will not be synced, but it will still "
            "be written to disk. Use `wandb sync` at the end of the run to try uploading."
        ),
        (
            "[rank0]:[W414 13:27:34.118822710 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has "
            "NOT been destroyed before we destruct ProcessGroupNCCL. On normal program exit, the application "
            "should call destroy_process_group to ensure that any pending NCCL operations have finished in this "
            "process. In rare cases this process can exit before this point and block the progress of another "
            "member of the process group. This constraint has always been present,  but this warning has only "
            "been added since PyTorch 2.4 (function operator())"
        ),
    ]
    _write(place, f"logs/{pods[0]}.log", main)
    _write(place, f"logs/{pods[1]}.log", other)
    _write(
        place,
        "kubectl_get_pods.txt",
        [
            "NAME                        READY   STATUS      RESTARTS   AGE   IP             NODE          NOMINATED NODE   READINESS GATES",
            f"{pods[0]}   0/1     Completed   0          41m   10.42.2.118    {hosts[0]}   <none>           <none>",
            f"{pods[1]}   0/1     Completed   0          41m   10.42.5.27     {hosts[1]}   <none>           <none>",
        ],
    )
    _write(
        place,
        "kubectl_events.txt",
        [
            "LAST SEEN   TYPE      REASON             OBJECT                            MESSAGE",
            (
                f"41m         Warning   FailedScheduling   pod/{pods[0]}     0/9 nodes are available: 2 Insufficient "
                "nvidia.com/gpu, 7 node(s) didn't match Pod's node affinity/selector. preemption: 0/9 nodes are available: "
                "9 Preemption is not helpful for scheduling."
            ),
            f"41m         Normal    Scheduled          pod/{pods[0]}     Successfully assigned legal-nlp/{pods[0]} to {hosts[0]}",
            f"41m         Normal    Scheduled          pod/{pods[1]}     Successfully assigned legal-nlp/{pods[1]} to {hosts[1]}",
            (
                f'41m         Warning   FailedMount        pod/{pods[1]}     MountVolume.SetUp failed for volume "wandb-key" '
                ": failed to sync secret cache: timed out waiting for the condition"
            ),
            f'40m         Normal    Pulled             pod/{pods[0]}     Container image "harbor.legal.example/neox:2.1" already present on machine',
            f"40m         Normal    Started            pod/{pods[0]}     Started container pytorch",
            f'40m         Normal    Pulled             pod/{pods[1]}     Container image "harbor.legal.example/neox:2.1" already present on machine',
            f"40m         Normal    Started            pod/{pods[1]}     Started container pytorch",
            "15m         Normal    PyTorchJobSucceeded   pytorchjob/neox-transcripts    PyTorchJob legal-nlp/neox-transcripts successfully completed.",
        ],
    )
    for r in (0, 1):
        _write(
            place,
            f"kubectl_describe_{pods[r]}.txt",
            [
                f"Name:             {pods[r]}",
                "Namespace:        legal-nlp",
                "Priority:         0",
                f"Node:             {hosts[r]}/10.8.0.{32 + 3 * r}",
                f"Start Time:       {_local(start):%a, %d %b %Y %H:%M:%S} +0000",
                "Labels:           training.kubeflow.org/job-name=neox-transcripts",
                f"                  training.kubeflow.org/replica-type={('master', 'worker')[r]}",
                "Status:           Succeeded",
                "Controlled By:  PyTorchJob/neox-transcripts",
                "Containers:",
                "  pytorch:",
                f"    Container ID:  containerd://{rng.getrandbits(256):064x}",
                "    Image:         harbor.legal.example/neox:2.1",
                "    State:          Terminated",
                "      Reason:       Completed",
                "      Exit Code:    0",
                f"      Started:      {_local(start + 29 + r):%a, %d %b %Y %H:%M:%S} +0000",
                f"      Finished:     {_local(end + r):%a, %d %b %Y %H:%M:%S} +0000",
                "    Ready:          False",
                "    Restart Count:  0",
                "    Limits:",
                "      memory:          160Gi",
                "      nvidia.com/gpu:  2",
                "QoS Class:                   Burstable",
            ],
        )
        loud = [
            (
                start + 211 + 300 * r,
                "ACPI Error: No handler for Region [POWR] (00000000c2b1f0aa) [IPMI] (20230628/evregion-130)",
            ),
            (
                start + 211.01 + 300 * r,
                "ACPI Error: Aborting method \\_SB.PMI0._PMM due to previous error (AE_NOT_EXIST) (20230628/psparse-529)",
            ),
            (
                start + 640 + 90 * r,
                f"fluent-bit[{rng.randint(3000, 9000)}]: segfault at 18 ip 00007f3a11c2e0d4 sp 00007ffc8d0a1f30 error 4 in libluajit.so[7f3a11c10000+71000]",
            ),
        ]
        _write(
            place,
            f"kernel/{hosts[r]}.log",
            _kernel(rng, hosts[r], (start - 1500, end + 300), "journalctl", 14, 0, True, loud),
        )


def _number(value: int | None) -> dict[str, object]:
    return {"set": value is not None, "infinite": False, "number": value or 0}


def _exit(code: int) -> dict[str, object]:
    return {
        "status": ["SUCCESS" if code == 0 else "ERROR"],
        "return_code": _number(code),
        "signal": {"id": _number(None), "name": ""},
    }


def _tres(nodes: int, cpus: int, mem_mib: int, gpus: int) -> list[dict[str, object]]:
    return [
        {"type": "cpu", "name": "", "id": 1, "count": cpus},
        {"type": "mem", "name": "", "id": 2, "count": mem_mib},
        {"type": "node", "name": "", "id": 4, "count": nodes},
        {"type": "billing", "name": "", "id": 5, "count": cpus},
        {"type": "gres", "name": "gpu", "id": 1001, "count": gpus},
    ]


def _job(
    number: int, submit: int, start: int, end: int, state: str, code: int, steps: Sequence[tuple[str, str, int, int]]
) -> dict[str, object]:
    tres = _tres(3, 288, 1572864, 12)
    times = {
        "submission": submit,
        "eligible": submit,
        "start": start,
        "end": end,
        "elapsed": end - start,
        "suspended": 0,
    }
    spent = {"seconds": 0, "microseconds": 0}
    return {
        "account": "materials",
        "comment": {"administrator": "", "job": "", "system": ""},
        "allocation_nodes": 3,
        "array": {"job_id": 0, "task_id": _number(None), "task": ""},
        "association": {"account": "materials", "cluster": "tern", "partition": "", "user": "bsorensen", "id": 418},
        "cluster": "tern",
        "constraints": "",
        "container": "",
        "derived_exit_code": _exit(code),
        "exit_code": _exit(code),
        "flags": ["CLEAR_SCHEDULING", "STARTED_ON_BACKFILL"],
        "group": "materials",
        "job_id": number,
        "name": "alloy-sft",
        "nodes": "tern[021-023]",
        "partition": "h200",
        "priority": _number(20811),
        "qos": "normal",
        "required": {"CPUs": 288, "memory_per_cpu": _number(None), "memory_per_node": _number(524288)},
        "kill_request_user": "",
        "restart_cnt": 0,
        "state": {"current": [state], "reason": "None" if code == 0 else "NonZeroExitCode"},
        "steps": [
            {
                "time": {"elapsed": stop - begin, "start": _number(begin), "end": _number(stop), "suspended": 0},
                "exit_code": _exit(code if name != "extern" else 0),
                "nodes": {
                    "count": 1 if name == "batch" else 3,
                    "range": "tern021" if name == "batch" else "tern[021-023]",
                },
                "state": [state if name != "extern" else "COMPLETED"],
                "step": {"id": step, "name": name},
                "tasks": {"count": 1 if name == "batch" else 3},
            }
            for step, name, begin, stop in steps
        ],
        "submit_line": "sbatch alloy_sft.sbatch",
        "time": {**times, "limit": _number(240), "system": spent, "total": spent, "user": spent},
        "tres": {"allocated": tres, "requested": tres},
        "user": "bsorensen",
        "working_directory": "/projects/materials/alloy-sft",
    }


def t07_alloy(place: Path, rng: Random) -> None:
    """Fine-tuning on alloy papers: on one node a card carries a stranger's process from the middle on."""
    hosts = ["tern021", "tern022", "tern023"]
    gpus = _cards(rng, hosts, 4, ("19", "3B", "9B", "CB"))
    start = _at("2026-07-08 05:14:09")
    end = start + 71 * 60 - 18
    begin = start + 164
    comes = start + 1630
    slow = 6

    def load(i: int, t: float) -> _Load:
        if t < start + 40 or t > end - 8:
            return _Load(
                fb=4 if i != slow or t < comes else 18604,
                power=0 if i != slow or t < comes else 0.5,
                util=100 if i == slow and t > comes else 0,
                sm=0.88 if i == slow and t > comes else 0,
                engine=0.93 if i == slow and t > comes else 0,
            )
        if t < begin:
            return _Load(rng.choice((0, 0, 7, 21)), 0.01, 0.04, 0, 0.01, 620 if t < start + 95 else 34112, 0.05)
        fb = 126840 + 40 * (i % 4)
        wave = rng.gauss(0, 0.012)
        if t < comes:
            return _Load(
                100,
                0.72 + wave,
                0.99,
                0.36 + wave / 2,
                0.37 + wave / 2,
                fb,
                0.8,
                1980 - 15 * rng.randint(0, 5),
                0,
                6.1e10 + rng.gauss(0, 9e8),
                2e8,
            )
        if i == slow:
            return _Load(
                100,
                0.91 + wave / 2,
                0.995,
                0.18 + wave / 3,
                0.47 + wave,
                fb + 18600,
                0.72,
                1980,
                0,
                2.7e10 + rng.gauss(0, 5e8),
                3e8,
            )
        return _Load(
            100,
            0.33 + wave,
            0.995,
            0.155 + wave / 3,
            0.16 + wave / 3,
            fb,
            0.42,
            1980,
            0,
            2.7e10 + rng.gauss(0, 5e8),
            1.2e8,
        )

    run = _measure(rng, _H200, gpus, start - 600, end + 300, 60, load)
    names = (*_BASIC, "memtemp", *_PROF, "link", "sbe", "dbe", "remap")
    _write(
        place,
        "prometheus_dcgm.json",
        _matrix(run, names, _labels(_H200), [i for i, g in enumerate(gpus) if g.host != hosts[2]]),
    )

    steps, total = 786, 0.0
    quick = 3.42
    count = (comes - begin) / quick
    late = (end - 34 - comes) / (steps - count)
    pid = rng.randint(900000, 990000)
    log = [
        "[2026-07-08 05:14:52,611] torch.distributed.run: [WARNING] master_addr is only used for static rdzv_backend and when rdzv_endpoint is not specified.",
        "Loading checkpoint shards:   0%|          | 0/6 [00:00<?, ?it/s]",
        "Loading checkpoint shards:  50%|█████     | 3/6 [00:14<00:14,  4.86s/it]",
        "Loading checkpoint shards: 100%|██████████| 6/6 [00:28<00:00,  4.71s/it]",
        "Some weights of the model checkpoint were converted to bfloat16.",
        f"07/08/2026 05:16:10 - WARNING - __main__ - Process rank: 0, device: cuda:0, n_gpu: 1, distributed training: True, 16-bits training: False, pid {pid}",
        "[INFO|trainer.py:2405] 2026-07-08 05:16:49,204 >> ***** Running training *****",
        "[INFO|trainer.py:2406] 2026-07-08 05:16:49,204 >>   Num examples = 75,451",
        "[INFO|trainer.py:2407] 2026-07-08 05:16:49,204 >>   Num Epochs = 1",
        "[INFO|trainer.py:2408] 2026-07-08 05:16:49,204 >>   Instantaneous batch size per device = 4",
        "[INFO|trainer.py:2411] 2026-07-08 05:16:49,204 >>   Total train batch size (w. parallel, distributed & accumulation) = 96",
        "[INFO|trainer.py:2412] 2026-07-08 05:16:49,204 >>   Gradient Accumulation steps = 2",
        f"[INFO|trainer.py:2413] 2026-07-08 05:16:49,204 >>   Total optimization steps = {steps}",
        "[INFO|trainer.py:2414] 2026-07-08 05:16:49,207 >>   Number of trainable parameters = 14,770,033,664",
    ]
    summed = 0.0
    for step in range(1, steps + 1):
        took = (quick if step < count else late) + rng.gauss(0, 0.05)
        total += took
        loss = 1.02 + 0.62 * math.exp(-step / 60) + 0.14 * math.exp(-step / 300) + rng.gauss(0, 0.022)
        summed += loss
        if step % 5 == 0 or step == steps:
            left = took * (steps - step)

            def clock(s: float) -> str:
                return (
                    f"{int(s) // 3600}:{int(s) % 3600 // 60:02d}:{int(s) % 60:02d}"
                    if s >= 3600
                    else f"{int(s) // 60:02d}:{int(s) % 60:02d}"
                )

            bar = "█" * (step * 10 // steps)
            log.append(
                f"{step * 100 // steps:3d}%|{bar:<10}| {step}/{steps} [{clock(total)}<{clock(left)},  {took:.2f}s/it]"
            )
        if step % 10 == 0:
            lr = (
                1e-5
                * min(1, step / 18)
                * (1 if step < 18 else 0.5 * (1 + math.cos(math.pi * (step - 18) / (steps - 18))))
            )
            log.append(
                str(
                    {
                        "loss": round(loss, 4),
                        "grad_norm": 0.6 + abs(rng.gauss(0.3, 0.12)),
                        "learning_rate": lr,
                        "epoch": round(step / steps, 2),
                    }
                )
            )
    log += [
        "[INFO|trainer.py:2657] " + f"{_local(begin + total + 0.4):%Y-%m-%d %H:%M:%S},118 >> ",
        "",
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
        "",
        "",
        str(
            {
                "train_runtime": round(total, 4),
                "train_samples_per_second": round(75451 / total, 3),
                "train_steps_per_second": round(steps / total, 3),
                "train_loss": summed / steps,
                "epoch": 1.0,
            }
        ),
        "***** train metrics *****",
        "  epoch                    =        1.0",
        f"  train_loss               = {summed / steps:10.4f}",
        f"  train_runtime            = {_span(total)[1:]:>10}.{int(total * 100) % 100:02d}",
        "  train_samples            =      75451",
    ]
    _write(place, "alloy-sft-330127.out", log)
    s, e, old = int(start), int(end), int(start) - 50411
    jobs = [
        _job(
            329884,
            old - 900,
            old,
            old + 97,
            "FAILED",
            1,
            [
                ("batch", "batch", old, old + 97),
                ("extern", "extern", old, old + 97),
                ("0", "torchrun", old + 6, old + 96),
            ],
        ),
        _job(
            330127,
            s - 7240,
            s,
            e,
            "COMPLETED",
            0,
            [("batch", "batch", s, e), ("extern", "extern", s, e), ("0", "torchrun", s + 6, e - 1)],
        ),
    ]
    meta = {
        "plugin": {
            "type": "openapi/slurmdbd",
            "name": "Slurm OpenAPI slurmdbd",
            "data_parser": "data_parser/v0.0.41",
            "accounting_storage": "accounting_storage/slurmdbd",
        },
        "command": ["sacct", "--json", "-u", "bsorensen", "--name=alloy-sft", "-S", "2026-07-07"],
        "slurm": {"version": {"major": "24", "micro": "4", "minor": "05"}, "release": "24.05.4", "cluster": "tern"},
    }
    _write(place, "sacct.json", json.dumps({"jobs": jobs, "meta": meta, "errors": [], "warnings": []}, indent=2) + "\n")
    for host in hosts:
        _write(
            place, f"dmesg/{host}.txt", _kernel(rng, host, (start - 9000, end + 300), "dmesg -T", rng.randint(7, 13))
        )


def t08_reef(place: Path, rng: Random) -> None:
    """A detector of reef sounds in one pod: one rank draws the long clips from the start, three wait for it."""
    zone = -8
    host = "gke-reef-h100-pool-7c1e0b52-k9xq"
    gpus = _cards(rng, [host], 4, ("04", "05", "0A", "0B"))
    start = _at("2026-02-24 15:21:07", zone)
    end = start + 19 * 60 - 11
    begin = start + 74
    slow = 3

    def load(i: int, t: float) -> _Load:
        if t < start + 24 or t > end - 3:
            return _Load(fb=3)
        if t < begin:
            return _Load(rng.choice((0, 0, 5, 14)), 0.01, 0.03, 0, 0.01, 540 if t < start + 45 else 9120, 0.04)
        fb = 61230 + 130 * i + (8420 if i == slow else 0)
        wave = rng.gauss(0, 0.02)
        if i == slow:
            return _Load(
                100,
                0.79 + wave / 2,
                0.992,
                0.33 + wave / 2,
                0.38 + wave / 2,
                fb,
                0.76,
                1980 - 15 * rng.randint(0, 3),
                0,
                1.9e10 + rng.gauss(0, 6e8),
                6e8,
            )
        return _Load(
            100,
            0.27 + 0.015 * i + wave,
            0.994,
            0.085 + wave / 4,
            0.1 + wave / 4,
            fb,
            0.33,
            1980,
            0,
            1.9e10 + rng.gauss(0, 6e8),
            2.2e8,
        )

    run = _measure(rng, _H100, gpus, start - 200, end + 150, 10, load)
    names = (*_BASIC, "memtemp", *_PROF, "link", "pcie", "sbe", "dbe")
    _write(place, "dcgm_range.json", _matrix(run, names, _labels(_H100), range(4)))

    def pod(name: str, made: float, begun: float, done: float, code: int, number: str) -> dict[str, object]:
        failed = code != 0
        conditions = [
            {"lastProbeTime": None, "lastTransitionTime": _z(made), "status": "True", "type": "PodScheduled"},
            {
                "lastProbeTime": None,
                "lastTransitionTime": _z(done),
                "reason": "PodFailed" if failed else "PodCompleted",
                "status": "False",
                "type": "Ready",
            },
        ]
        ended = {
            "containerID": f"containerd://{rng.getrandbits(256):064x}",
            "exitCode": code,
            "finishedAt": _z(done),
            "reason": "Error" if failed else "Completed",
            "startedAt": _z(begun),
        }
        image = "us-west1-docker.pkg.dev/reef-acoustics/train/hydrophone:2026.02"
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "creationTimestamp": _z(made),
                "labels": {
                    "app": "hydrophone-det",
                    "batch.kubernetes.io/job-name": "hydrophone-det",
                    "job-name": "hydrophone-det",
                },
                "name": name,
                "namespace": "bioacoustics",
                "ownerReferences": [
                    {
                        "apiVersion": "batch/v1",
                        "blockOwnerDeletion": True,
                        "controller": True,
                        "kind": "Job",
                        "name": "hydrophone-det",
                        "uid": _uuid(rng),
                    }
                ],
                "resourceVersion": number,
                "uid": _uuid(rng),
            },
            "spec": {
                "containers": [
                    {
                        "args": ["--standalone", "--nproc-per-node=4", "train.py", "--config", "conf/hydro_l.yaml"],
                        "command": ["torchrun"],
                        "image": image,
                        "name": "train",
                        "resources": {"limits": {"cpu": "48", "memory": "400Gi", "nvidia.com/gpu": "4"}},
                    }
                ],
                "nodeName": host,
                "restartPolicy": "Never",
            },
            "status": {
                "conditions": conditions,
                "containerStatuses": [
                    {
                        "image": image,
                        "lastState": {},
                        "name": "train",
                        "ready": False,
                        "restartCount": 0,
                        "started": False,
                        "state": {"terminated": ended},
                    }
                ],
                "hostIP": "10.138.0.41",
                "phase": "Failed" if failed else "Succeeded",
                "qosClass": "Burstable",
                "startTime": _z(made),
            },
        }

    old = start - 80412
    items = [
        pod("hydrophone-det-9v2mn", old, old + 8, old + 52, 1, "88120377"),
        pod("hydrophone-det-tz4lw", start, start + 6, end, 0, "88734102"),
    ]
    listing = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    _write(place, "kubectl_get_pods.json", json.dumps(listing, indent=4) + "\n")
    _write(
        place,
        "journalctl_kernel.txt",
        _kernel(rng, host, (start - 2400, end + 200), "journalctl", 18, zone, True, (), (2, 4, 9)),
    )
