"""Cases t01 to t08 of the thirty-fifth set: whole incidents with their GPU metrics, accounting and kernel log.

SIMULATED: nothing here was taken from a real job; formats follow what the programs print.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


# ---------------------------------------------------------------- GPUs


@dataclass(frozen=True)
class Model:
    """What a kind of GPU has and draws."""

    name: str
    fb: int  # MiB
    tdp: float
    idle: float
    clock: int
    idle_clock: int
    mem_clock: int
    warm: float  # degrees per watt
    base: float  # degrees at no power
    reserved: int = 600


V100: Final = Model("Tesla V100-SXM2-32GB", 32768, 300, 43, 1530, 135, 877, 0.105, 28, 258)
A100: Final = Model("NVIDIA A100-SXM4-80GB", 81920, 400, 62, 1410, 210, 1593, 0.088, 25, 767)
H200: Final = Model("NVIDIA H200", 143771, 700, 77, 1980, 345, 3201, 0.060, 24, 616)
A40: Final = Model("NVIDIA A40", 46068, 300, 31, 1740, 210, 7251, 0.150, 25, 570)
H100: Final = Model("NVIDIA H100 80GB HBM3", 81559, 700, 69, 1980, 345, 2619, 0.062, 23, 551)
R4090: Final = Model("NVIDIA GeForce RTX 4090", 24564, 450, 19, 2730, 210, 10501, 0.105, 31, 420)


@dataclass(frozen=True)
class Mode:
    """What a GPU does for a while: shares of one, power as a share of the limit, memory in MiB."""

    util: float = 0.0
    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    power: float = 0.0
    fb: int = 0
    wobble: float = 0.03


IDLE: Final = Mode()


@dataclass
class Sample:
    """One look at one GPU."""

    t: float
    util: int
    mcutil: int
    fb: int
    power: float
    temp: int
    mtemp: int
    clock: int
    mclock: int
    engine: float
    sm: float
    tensor: float
    dram: float
    energy: int
    reasons: int
    extra: dict[str, int] = field(default_factory=dict)


@dataclass
class Gpu:
    """One device, where it sits, and what was seen of it."""

    model: Model
    host: str
    index: int
    bus: str
    uuid: str
    samples: list[Sample] = field(default_factory=list)


BUSES: Final = ("07:00", "0F:00", "47:00", "4E:00", "87:00", "90:00", "B7:00", "BD:00")


def rack(rng: Random, model: Model, hosts: Sequence[str], each: int, buses: Sequence[str] = BUSES) -> list[Gpu]:
    def uuid() -> str:
        h = f"{rng.getrandbits(128):032x}"
        return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    return [Gpu(model, host, i, buses[i], uuid()) for host in hosts for i in range(each)]


def plan(*steps: tuple[float, Mode]) -> Callable[[float], Mode]:
    def at(t: float) -> Mode:
        mode = IDLE
        for begin, what in steps:
            if t >= begin:
                mode = what
        return mode

    return at


def share_of(what: float, shake: float) -> float:
    return min(1.0, max(0.0, what * shake))


def observe(rng: Random, gpu: Gpu, times: Iterable[float], does: Callable[[float], Mode], step: float) -> None:
    """Sample a GPU: activity is the mean since the sample before, temperature follows power with a lag."""
    model = gpu.model
    off = rng.uniform(-2.0, 2.5)
    draws = rng.uniform(0.97, 1.03)
    temp = model.base + off + model.warm * model.idle
    energy = rng.randrange(10**11, 9 * 10**11)
    last: float | None = None
    for t in times:
        gap = step if last is None else t - last
        last = t
        parts = [does(t - k * min(step, gap) / 6) for k in range(6)]
        now = parts[0]
        engine, sm, tensor, dram, share, util = (
            sum(getattr(p, a) for p in parts) / 6 for a in ("engine", "sm", "tensor", "dram", "power", "util")
        )
        shake = 1 + rng.gauss(0, now.wobble)
        busy = share > 0.01
        power = model.idle * rng.uniform(0.985, 1.02)
        if busy:
            power = min(model.tdp * 0.995, max(model.idle * 1.15, model.tdp * share * draws * shake))
        elif now.fb:
            power = model.idle * rng.uniform(1.22, 1.3)
        temp += (model.base + off + model.warm * power - temp) * (1 - math.exp(-gap / 45))
        awake = busy or now.fb > 0
        clock = (model.clock - 15 * rng.choice((0, 0, 0, 1, 2))) if awake else model.idle_clock
        energy += int(power * gap * 1000)
        gpu.samples.append(
            Sample(
                t,
                min(100, max(0, round(100 * util * (1 if util > 0.985 else shake)))),
                min(100, round(100 * share_of(dram * 1.25, shake))),
                now.fb,
                power,
                round(temp),
                round(temp + 3 + 8 * share),
                clock,
                model.mem_clock if awake or model.tdp in (300, 400, 700) else 405,
                min(1.0, share_of(engine, shake) if engine < 0.985 else engine),
                share_of(sm, shake),
                share_of(tensor, shake),
                share_of(dram, shake),
                energy,
                0 if awake else 1,
            )
        )


def ticks(begin: float, end: float, step: float, holes: Sequence[tuple[float, float]] = ()) -> list[float]:
    n = int((end - begin) / step) + 1
    return [t for t in (begin + i * step for i in range(n)) if not any(a <= t < b for a, b in holes)]


# ---------------------------------------------------------------- forms of metrics

PROM: Final[dict[str, Callable[[Gpu, Sample], str]]] = {
    "DCGM_FI_DEV_SM_CLOCK": lambda g, s: str(s.clock),
    "DCGM_FI_DEV_MEM_CLOCK": lambda g, s: str(s.mclock),
    "DCGM_FI_DEV_GPU_TEMP": lambda g, s: str(s.temp),
    "DCGM_FI_DEV_MEMORY_TEMP": lambda g, s: str(s.mtemp),
    "DCGM_FI_DEV_POWER_USAGE": lambda g, s: f"{s.power:.3f}",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda g, s: str(s.energy),
    "DCGM_FI_DEV_GPU_UTIL": lambda g, s: str(s.util),
    "DCGM_FI_DEV_MEM_COPY_UTIL": lambda g, s: str(s.mcutil),
    "DCGM_FI_DEV_XID_ERRORS": lambda g, s: str(s.extra.get("xid", 0)),
    "DCGM_FI_DEV_FB_USED": lambda g, s: str(s.fb),
    "DCGM_FI_DEV_FB_FREE": lambda g, s: str(g.model.fb - g.model.reserved - s.fb),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": lambda g, s: str(s.reasons),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda g, s: str(s.extra.get("urows", 0)),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda g, s: str(s.extra.get("crows", 0)),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda g, s: "0",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda g, s: f"{s.engine:.6f}",
    "DCGM_FI_PROF_SM_ACTIVE": lambda g, s: f"{s.sm:.6f}",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda g, s: f"{s.tensor:.6f}",
    "DCGM_FI_PROF_DRAM_ACTIVE": lambda g, s: f"{s.dram:.6f}",
}


def query_range(gpus: Sequence[Gpu], metric: str, driver: str, more: dict[str, dict[str, str]] | None = None) -> list:
    out = []
    for g in gpus:
        labels = {
            "__name__": metric,
            "DCGM_FI_DRIVER_VERSION": driver,
            "Hostname": g.host,
            "UUID": g.uuid,
            "device": f"nvidia{g.index}",
            "gpu": str(g.index),
            "instance": f"{g.host}:9400",
            "job": "dcgm-exporter",
            "modelName": g.model.name,
            "pci_bus_id": f"00000000:{g.bus}.0",
            **((more or {}).get(g.host, {})),
        }
        value = PROM[metric]
        out.append(
            {
                "metric": labels,
                "values": [[int(s.t) if s.t == int(s.t) else round(s.t, 3), value(g, s)] for s in g.samples],
            }
        )
    return out


def matrix(series: list) -> str:
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}}) + "\n"


DMON: Final[dict[str, tuple[int, int, Callable[[Gpu, Sample], str]]]] = {
    "GPUTL": (203, 7, lambda g, s: str(s.util)),
    "MCUTL": (204, 7, lambda g, s: str(s.mcutil)),
    "FBUSD": (252, 8, lambda g, s: str(s.fb)),
    "POWER": (155, 9, lambda g, s: f"{s.power:.3f}"),
    "TMPTR": (150, 7, lambda g, s: str(s.temp)),
    "SMCLK": (100, 7, lambda g, s: str(s.clock)),
    "MMCLK": (101, 7, lambda g, s: str(s.mclock)),
    "DVCCTR": (112, 8, lambda g, s: str(s.reasons)),
    "XIDER": (230, 7, lambda g, s: str(s.extra.get("xid", 0))),
    "EDVTL": (312, 7, lambda g, s: str(s.extra.get("dbe", 0))),
    "URMPS": (393, 7, lambda g, s: str(s.extra.get("urows", 0))),
    "GRACT": (1001, 7, lambda g, s: f"{s.engine:.3f}"),
    "SMACT": (1002, 7, lambda g, s: f"{s.sm:.3f}"),
    "TENSO": (1004, 7, lambda g, s: f"{s.tensor:.3f}"),
    "DRAMA": (1005, 7, lambda g, s: f"{s.dram:.3f}"),
}


def dmon(gpus: Sequence[Gpu], columns: Sequence[str], stamp: Callable[[float], str], step: int) -> str:
    """Give what ``dcgmi dmon -e ... -d ... | ts`` leaves."""
    head = "#Entity   " + "".join(f"{c:<{DMON[c][1] + 3}}" for c in columns)
    ids = ",".join(str(DMON[c][0]) for c in columns)
    lines = [f"# dcgmi dmon -e {ids} -d {step * 1000}"]
    for row in range(len(gpus[0].samples)):
        t = gpus[0].samples[row].t
        if row % 20 == 0:
            lines += [f"{stamp(t)} {head}", f"{stamp(t)} ID"]
        for g in gpus:
            s = g.samples[row]
            lines.append(
                f"{stamp(t)} GPU {g.index}     "
                + "".join(f"{DMON[c][2](g, s):<{DMON[c][1] + 3}}" for c in columns).rstrip()
            )
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- times, kernel, accounting


class Zone:
    """The cluster's local time."""

    def __init__(self, hours: int) -> None:
        self.zone = timezone(timedelta(hours=hours))

    def at(self, text: str) -> float:
        return datetime.fromisoformat(text).replace(tzinfo=self.zone).timestamp()

    def form(self, t: float, how: str) -> str:
        return datetime.fromtimestamp(t, self.zone).strftime(how)

    def slurm(self, t: float) -> str:
        return self.form(t, "%Y-%m-%dT%H:%M:%S")


def span(seconds: float) -> str:
    s = int(seconds)
    days, s = divmod(s, 86400)
    text = f"{s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"
    return f"{days}-{text}" if days else text


def clock(seconds: float) -> str:
    """Tqdm's form of a time."""
    s = int(seconds)
    return f"{s // 3600}:{s % 3600 // 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"


def bar(share: float, width: int = 10) -> str:
    eighths = " ▏▎▍▌▋▊▉"
    full = int(share * width)
    rest = int((share * width - full) * 8)
    text = "█" * full + (eighths[rest] if full < width and rest else "")
    return text.ljust(width)


def journal(zone: Zone, host: str, lines: Iterable[tuple[float, str]]) -> str:
    return "".join(f"{zone.form(t, '%b %d %H:%M:%S')} {host} kernel: {m}\n" for t, m in sorted(lines))


def syslog(zone: Zone, host: str, boot: float, lines: Iterable[tuple[float, str]]) -> str:
    return "".join(
        f"{zone.form(t, '%b')} {int(zone.form(t, '%d')):2d} {zone.form(t, '%H:%M:%S')} {host} kernel: "
        f"[{t - boot:12.6f}] {m}\n"
        for t, m in sorted(lines)
    )


def dmesg_t(zone: Zone, lines: Iterable[tuple[float, str]]) -> str:
    return "".join(
        f"[{zone.form(t, '%a %b')} {int(zone.form(t, '%d')):2d} {zone.form(t, '%H:%M:%S %Y')}] {m}\n"
        for t, m in sorted(lines)
    )


def dmesg_iso(zone: Zone, lines: Iterable[tuple[float, str]]) -> str:
    return "".join(
        f"{zone.form(t, '%Y-%m-%dT%H:%M:%S')},{int(t % 1 * 1e6):06d}{zone.form(t, '%z')[:3]}:00 {m}\n"
        for t, m in sorted(lines)
    )


def psv(columns: str, *rows: Sequence[str]) -> str:
    return "\n".join([columns, *("|".join(r) for r in rows)]) + "\n"


# ---------------------------------------------------------------- the cases


def t01_linden(place: Path, rng: Random) -> None:
    zone = Zone(0)
    start = zone.at("2026-02-03T13:07:22")
    end = start + 25 * 60 + 9
    host = "volta-04"
    gpus = rack(rng, V100, [host], 4, ("1A:00", "1C:00", "1D:00", "1E:00"))
    first, stop = start + 94, end - 11
    spe, rate = 312, 1.31
    val = 41.0
    train = Mode(0.93, 0.93, 0.7, 0.3, 0.45, 0.8, 24610, 0.04)
    busy = replace(train, util=0.72, power=0.55, wobble=0.08)
    steps: list[tuple[float, Mode]] = [(start + 38, Mode(fb=1502)), (first, train)]
    out = [
        f"== {zone.form(start, '%a %b %e %H:%M:%S UTC %Y')}  volta-04  job 88121",
        "CUDA_VISIBLE_DEVICES=0,1,2,3",
        "fold 2 / train 39936 tiles / val 4608 tiles / 11 classes",
        "",
    ]
    bars: list[str] = []
    t, epoch, loss = first, 0, 2.41
    miou = 0.31
    tail = ""
    while t < stop:
        n = 0
        begin = t
        while n < spe and t < stop:
            n += 1
            t += 1 / rate * rng.gauss(1, 0.02)
            loss += (0.42 + 1.9 * math.exp(-(epoch * spe + n) / 420) - loss) * 0.05 + rng.gauss(0, 0.012)
            if n % 24 == 0 or n == spe:
                per = (t - begin) / n
                bars.append(
                    f"\rEpoch {epoch}: {100 * n // spe:3d}%|{bar(n / spe)}| {n}/{spe} "
                    f"[{clock(t - begin)}<{clock(per * (spe - n))}, {1 / per:5.2f}it/s, v_num=88121, "
                    f"train_loss={loss:.3f}{tail}]"
                )
        if n < spe:
            break
        steps += [(t, busy), (t + val, train)]
        bars += [
            f"\rValidation DataLoader 0: {100 * k // 36:3d}%|{bar(k / 36)}| {k}/36 "
            f"[{clock(k * val / 36)}<{clock(val - k * val / 36)},  {rng.uniform(0.86, 0.91):.2f}it/s]"
            for k in range(0, 37, 6)
        ]
        t += val
        miou += (0.74 - miou) * 0.36
        tail = f", val_loss={loss + 0.06:.3f}, val_miou={miou:.3f}"
        bars.append(f"\n[fold2] epoch {epoch} mIoU {miou:.4f}  {zone.form(t, '%H:%M:%S')}\n")
        epoch += 1
    (place / "seg-fold2-88121.out").write_text("\n".join(out) + "".join(bars) + "\n", encoding="utf-8")
    for g in gpus:
        observe(rng, g, ticks(start - 360, end + 300, 60), plan(*steps, (end - 6, IDLE)), 60)
    columns = ["GPUTL", "MCUTL", "FBUSD", "POWER", "TMPTR", "SMCLK", "MMCLK", "DVCCTR", "XIDER"]
    (place / "dmon_volta-04.txt").write_text(
        dmon(gpus, columns, lambda x: zone.form(x, "%Y-%m-%dT%H:%M:%S+0000"), 60), encoding="utf-8"
    )
    (place / "scontrol_show_job_88121.txt").write_text(
        f"""JobId=88121 JobName=seg-fold2
   UserId=jhartwig(21407) GroupId=geo(2100) MCS_label=N/A
   Priority=41122 Nice=0 Account=geo-rs QOS=normal
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0
   RunTime={span(end - start)} TimeLimit=12:00:00 TimeMin=N/A
   SubmitTime={zone.slurm(start - 2231)} EligibleTime={zone.slurm(start - 2231)}
   AccrueTime={zone.slurm(start - 2231)}
   StartTime={zone.slurm(start)} EndTime={zone.slurm(end)} Deadline=N/A
   SuspendTime=None SecsPreSuspend=0 LastSchedEval={zone.slurm(start)} Scheduler=Backfill
   Partition=volta AllocNode:Sid=login2:3301127
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=volta-04
   BatchHost=volta-04
   NumNodes=1 NumCPUs=40 NumTasks=4 CPUs/Task=10 ReqB:S:C:T=0:0:*:*
   ReqTRES=cpu=40,mem=240G,node=1,billing=40,gres/gpu=4
   AllocTRES=cpu=40,mem=240G,node=1,billing=40,gres/gpu=4,gres/gpu:v100=4
   Socks/Node=* NtasksPerN:B:S:C=4:0:*:* CoreSpec=*
   MinCPUsNode=40 MinMemoryNode=240G MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=/home/jhartwig/landcover/slurm/fold.sbatch 2
   WorkDir=/home/jhartwig/landcover
   StdErr=/scratch/jhartwig/err/seg-fold2-88121.err
   StdIn=/dev/null
   StdOut=/home/jhartwig/landcover/logs/seg-fold2-88121.out
   TresPerNode=gres/gpu:v100:4

""",
        encoding="utf-8",
    )
    kernel = [
        (
            start - 5201,
            "perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
        ),
        (start - 1, "slurm.epilog.cl (211873): drop_caches: 3"),
        (end + 3, "slurm.epilog.cl (219456): drop_caches: 3"),
        (
            start - 6200.5,
            "TCP: request_sock_TCP: Possible SYN flooding on port 9100. Sending cookies.  Check SNMP counters.",
        ),
        (end + 610, "IPv6: ADDRCONF(NETDEV_CHANGE): ib0: link becomes ready"),
    ]
    (place / "journal_volta-04.txt").write_text(
        f"-- Logs begin at Mon 2026-01-12 06:11:40 UTC, end at {zone.form(end + 1200, '%a %Y-%m-%d %H:%M:%S')} UTC. --\n"
        + journal(zone, host, kernel),
        encoding="utf-8",
    )


def t02_quarry(place: Path, rng: Random) -> None:
    zone = Zone(0)
    start = zone.at("2026-01-21T07:12:31")
    end = start + 11 * 60 + 4
    hosts = ["gke-a100-pool-7c1e-4k2p", "gke-a100-pool-7c1e-9xwd", "gke-a100-pool-7c1e-tz6m"]
    gpus = rack(rng, A100, hosts, 4)
    total, per = 1248, 3.34
    first = start + 141
    seen = end - 26  # the last that reached the log
    frights = [
        "fatal: not a git repository (or any parent up to mount point /)",
        "Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
        "WARNING: Skipping import of cpp extensions due to incompatible torch version 2.6.0+cu124 for torchao version 0.14.1",
        "[W121 07:12:49.{us} socket.cpp:759] [c10d] The client socket has failed to connect to "
        "[quarry-sft-worker-0.quarry-sft.ml-train.svc.cluster.local]:29400 (errno: 111 - Connection refused).",
    ]
    rank0 = [
        "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 4",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /models/Qwen2.5-14B-Instruct",
        "  model_type: QWEN2",
        "  output_dir: /ckpt/quarry-sft",
        "compile: false",
        "dataset:",
        "  _component_: torchtune.datasets.chat_dataset",
        "  source: json",
        "  data_files: /data/quarry/dialogs_v5.jsonl",
        "device: cuda",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 2",
        "gradient_accumulation_steps: 1",
        "log_every_n_steps: 1",
        "max_steps_per_epoch: null",
        "metric_logger:",
        "  _component_: torchtune.training.metric_logging.DiskLogger",
        "  log_dir: /ckpt/quarry-sft/logs",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 1.0e-05",
        "resume_from_checkpoint: false",
        "seed: 7",
        "",
        "INFO:torchtune.utils._logging:Hint: enable_activation_checkpointing is True, but enable_activation_offloading "
        "isn't. Enabling activation offloading should reduce memory further.",
        "WARNING:torchtune.utils._logging:Optimizer in backward is disabled; ignoring invalid option "
        "'optimizer_in_bwd_lr: bad_value'",
        "INFO:torchtune.utils._logging:Set logging level of recipe. Setting random seed to 7 (rank 0: 7)",
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        f"INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took {81 + rng.random() * 9:.2f} secs",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory active: 3.34 GiB",
        "\tGPU peak memory alloc: 3.34 GiB",
        "\tGPU peak memory reserved: 3.95 GiB",
        "INFO:torchtune.utils._logging:Optimizer is initialized.",
        "INFO:torchtune.utils._logging:Loss is initialized.",
        "[rank0]:[W121 07:14:41.{us} ProcessGroupNCCL.cpp:4561] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 to perform barrier "
        "as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU "
        "mapping is incorrect. Specify device_ids in barrier() to force use of a particular device, or call "
        "init_process_group() with a device_id.",
        "INFO:torchtune.utils._logging:No learning rate scheduler configured. Using constant learning rate.",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
    ]
    us = lambda s: s.replace("{us}", f"{rng.randrange(10**9):09d}")  # noqa: E731
    lines = [
        f"+ date -u\n{zone.form(start + 3, '%a %b %e %H:%M:%S UTC %Y')}\n+ cd /workspace/quarry\n"
        "+ tune run --nnodes 3 --nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint "
        "quarry-sft-worker-0.quarry-sft.ml-train.svc.cluster.local:29400 full_finetune_distributed --config sft14b.yaml"
    ]
    lines += [us(x) for x in [*frights[:3], *rank0]]
    t, n, loss = first, 0, 1.62
    bars, disk = [], []
    while True:
        t += per * rng.gauss(1, 0.015)
        if t > seen:
            break
        n += 1
        loss += (0.94 + 0.6 * math.exp(-n / 60) - loss) * 0.25 + rng.gauss(0, 0.035)
        took = t - first
        bars.append(
            f"\r1|{n}|Loss: {loss:.16f}: {100 * n // (total // 2):3d}%|{bar(n / (total // 2))}| {n}/{total // 2} "
            f"[{clock(took)}<{clock(took / n * (total // 2 - n))},  {per + rng.gauss(0, 0.02):.2f}s/it]"
        )
        disk.append(
            f"Step {n} | loss:{loss:.16f} lr:1e-05 tokens_per_second_per_gpu:{rng.gauss(2210, 60):.4f} "
            f"grad_norm:{abs(rng.gauss(1.9, 0.3)):.6f} peak_memory_active:54.7{rng.randrange(10)} "
            f"peak_memory_reserved:61.2{rng.randrange(10)}"
        )
        if n == 37:
            bars.append(
                "\nThis is a friendly reminder - the current text generation call will exceed the model's predefined "
                "maximum length. Depending on the model, you may observe exceptions, performance degradation, or nothing "
                "at all.\nERROR:quarry.preview:sample preview failed, continuing without it: tokenizer has no chat template\n"
            )
    (place / "quarry-sft-worker-0.log").write_text("\n".join(lines) + "\n" + "".join(bars), encoding="utf-8")
    (place / "log_1768979679.txt").write_text("\n".join(disk[: len(disk) - len(disk) % 10]) + "\n", encoding="utf-8")
    for w in (1, 2):
        (place / f"quarry-sft-worker-{w}.log").write_text(
            f"+ date -u\n{zone.form(start + 3 + w, '%a %b %e %H:%M:%S UTC %Y')}\n+ cd /workspace/quarry\n"
            "+ tune run --nnodes 3 --nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint "
            "quarry-sft-worker-0.quarry-sft.ml-train.svc.cluster.local:29400 full_finetune_distributed --config sft14b.yaml\n"
            + "\n".join(us(x) for x in [*frights[:2], *([frights[3]] * w), frights[2]])
            + "\n",
            encoding="utf-8",
        )
    # a step of sharded training: steady
    train = Mode(1.0, 0.98, 0.71, 0.44, 0.41, 0.84, 64120, 0.02)
    for g in gpus:
        does = plan(
            (start + 29, Mode(fb=1180)),
            (start + 55, Mode(0.04, 0.02, 0.01, 0, 0.01, 0.19, 5060, 0.02)),
            (first - 4, replace(train, fb=64120 + g.index * 38)),
            (end, IDLE),
        )
        observe(rng, g, ticks(start - 240, end + 240, 15), does, 15)
    for w, host in enumerate(hosts):
        own = [g for g in gpus if g.host == host]
        pod = {host: {"container": "train", "namespace": "ml-train", "pod": f"quarry-sft-worker-{w}"}}
        (place / f"dcgm_{host}.json").write_text(
            matrix([s for m in PROM for s in query_range(own, m, "550.90.07", pod)]), encoding="utf-8"
        )
        boot = start - 86400 * (9 + w) - 1234.5
        veth = f"veth{rng.getrandbits(32):08x}"
        gone = end + rng.uniform(1, 3)
        (place / f"kern_{host}.log").write_text(
            syslog(
                zone,
                host,
                boot,
                [
                    (
                        boot + 2.1,
                        "ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PCI0.LNKA], AE_NOT_FOUND (20230628/psargs-330)",
                    ),
                    (
                        boot + 2.2,
                        "ACPI Error: Aborting method \\_SB._OSC due to previous error (AE_NOT_FOUND) (20230628/psparse-529)",
                    ),
                    (boot + 31, "nvidia: loading out-of-tree module taints kernel."),
                    (
                        boot + 31.1,
                        "nvidia: module verification failed: signature and/or required key missing - tainting kernel",
                    ),
                    (
                        boot + 31.9,
                        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024",
                    ),
                    (
                        start - 40000 - 300 * w,
                        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x4f1c2a offset:0x3c0 grain:32 syndrome:0x0)",
                    ),
                    (start - 2, f"eth0: renamed from tmp{rng.getrandbits(20):05x}"),
                    (start - 1.9, f"IPv6: ADDRCONF(NETDEV_CHANGE): {veth}: link becomes ready"),
                    (gone, f"cbr0: port {5 + w}({veth}) entered disabled state"),
                    (gone + 0.02, f"device {veth} left promiscuous mode"),
                ],
            ),
            encoding="utf-8",
        )


def t03_saltmarsh(place: Path, rng: Random) -> None:
    zone = Zone(0)
    start = zone.at("2026-02-18T22:41:07")
    end = start + 19 * 60 + 2
    hosts = [f"hgx-{n:02d}" for n in (11, 12, 14, 15)]
    gpus = rack(rng, H200, hosts, 2, ("1B:00", "43:00"))
    first = start + 352
    stamp = lambda t: zone.form(t, "%Y-%m-%d %H:%M:%S")  # noqa: E731
    args = {
        "adam_beta1": "0.9",
        "adam_beta2": "0.95",
        "attention_dropout": "0.0",
        "bf16": "True",
        "clip_grad": "1.0",
        "ckpt_format": "torch_dist",
        "data_parallel_size": "4",
        "data_path": "['0.72', '/lake/tok/saltmarsh_en_text_document', '0.28', '/lake/tok/saltmarsh_code_text_document']",
        "distributed_backend": "nccl",
        "eval_interval": "500",
        "eval_iters": "20",
        "exit_duration_in_mins": "None",
        "exit_interval": "25",
        "exit_on_missing_checkpoint": "False",
        "exit_signal_handler": "True",
        "ffn_hidden_size": "11008",
        "global_batch_size": "512",
        "hidden_size": "4096",
        "load": "/lake/ckpt/saltmarsh-7b",
        "log_interval": "1",
        "log_throughput": "True",
        "lr": "0.0003",
        "lr_decay_iters": "47684",
        "lr_decay_style": "cosine",
        "lr_warmup_iters": "2000",
        "max_position_embeddings": "4096",
        "micro_batch_size": "2",
        "min_lr": "3e-05",
        "num_attention_heads": "32",
        "num_layers": "32",
        "save": "/lake/ckpt/saltmarsh-7b",
        "save_interval": "1000",
        "seq_length": "4096",
        "sequence_parallel": "True",
        "tensor_model_parallel_size": "2",
        "tokenizer_type": "HuggingFaceTokenizer",
        "train_iters": "47684",
        "use_distributed_optimizer": "True",
        "weight_decay": "0.1",
        "world_size": "8",
    }
    out = [
        "+ srun --cpu-bind=none --kill-on-bad-exit=1 bash launch.sh",
        "using world size: 8, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel sizes: None"
        "tensor-model-parallel size: 2, pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
        *(f"  {k} {'.' * max(3, 46 - len(k))} {v}" for k, v in args.items()),
        "-------------------- end of arguments ---------------------",
        "> building HuggingFaceTokenizer tokenizer ...",
        " > padded vocab (size: 64000) with 256 dummy tokens (new size: 64256)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 2",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        "make: Entering directory '/opt/megatron-lm/megatron/core/datasets'",
        "make: Nothing to be done for 'default'.",
        "make: Leaving directory '/opt/megatron-lm/megatron/core/datasets'",
        ">>> done with dataset index builder. Compilation time: 0.061 seconds",
        "time to initialize megatron (seconds): 47.882",
        f"[after megatron is initialized] datetime: {stamp(start + 88)} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 3501457408",
        " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 3501457408",
        "> learning rate decay style: cosine",
        "WARNING: could not find the metadata file /lake/ckpt/saltmarsh-7b/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        "(min, max) time across ranks (ms):",
        "    load-checkpoint ................................: (3.18, 4.02)",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {stamp(start + 131)} ",
        "> building train, validation, and test datasets ...",
        " > datasets target sizes (minimum size):",
        "    train:      24414208",
        "    validation: 983040",
        "    test:       10240",
        "> building train, validation, and test datasets for GPT ...",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {stamp(start + 338)} ",
        "done with setup ...",
        "(min, max) time across ranks (ms):",
        "    model-and-optimizer-setup ......................: (42101.33, 42188.90)",
        "    train/valid/test-data-iterators-setup ..........: (205877.12, 206991.74)",
        "training ...",
        "Setting rerun_state_machine.current_iteration to 0...",
        f"[before the start of training step] datetime: {stamp(first - 13)} ",
    ]
    t, loss = first - 12, 11.62
    for i in range(1, 26):
        ms = 38211.7 if i == 1 else rng.gauss(26890, 95)
        t += ms / 1000
        loss = 11.60 - 1.15 * (1 - math.exp(-max(0, i - 3) / 15)) + rng.gauss(0, 0.012)
        gn = 21.0 * math.exp(-i / 9) + 3.1 + rng.gauss(0, 0.25)
        out.append(
            f" [{stamp(t)}] iteration {i:8d}/   47684 | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): "
            f"{ms:.1f} | throughput per GPU (TFLOP/s/GPU): {26890 / ms * 437.2:.1f} | learning rate: {3e-4 * i / 2000:.6E} | "
            f"global batch size: {512:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {gn:.3f} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if i == 1:
            out += [
                f"[Rank {r}] (after 1 iterations) memory (MB) | allocated: 41120.55 | max allocated: 93377.{r}1 | "
                f"reserved: 98214.00 | max reserved: 98214.00"
                for r in (0, 1)
            ]
    saved = t + 71
    out += [
        "saving checkpoint at iteration      25 to /lake/ckpt/saltmarsh-7b in torch_dist format",
        "  successfully saved checkpoint from iteration      25 to /lake/ckpt/saltmarsh-7b [ t 1/2, p 1/1 ]",
        f"[exiting program at iteration 25] datetime: {stamp(saved)} ",
        f"+ echo done {zone.form(end - 2, '%T')}",
        f"done {zone.form(end - 2, '%T')}",
    ]
    (place / "saltmarsh-7b_40217.out").write_text("\n".join(out) + "\n", encoding="utf-8")
    holes = [(start + 230, start + 355), (start + 691, start + 752), (end + 40, end + 75)]
    train = Mode(1.0, 0.985, 0.79, 0.52, 0.46, 0.9, 101330, 0.02)
    for g in gpus:
        own = replace(train, fb=101330 + rng.randrange(0, 260, 2))
        does = plan(
            (start + 52, Mode(fb=1012)),
            (start + 110, Mode(fb=42980)),
            (first - 12, own),
            (t, replace(own, util=0.03, engine=0.02, sm=0.01, tensor=0, dram=0.02, power=0.2)),
            (saved + 9, IDLE),
        )
        observe(rng, g, ticks(start - 120, end + 120, 5, holes), does, 5)
    for m in PROM:
        (place / f"{m}.json").write_text(matrix(query_range(gpus, m, "565.57.01")), encoding="utf-8")
    num = lambda n: {"set": True, "infinite": False, "number": n}  # noqa: E731
    okay = {
        "status": ["SUCCESS"],
        "return_code": num(0),
        "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
    }
    tres = [
        {"type": "cpu", "name": "", "id": 1, "count": 192},
        {"type": "mem", "name": "", "id": 2, "count": 1638400},
        {"type": "node", "name": "", "id": 4, "count": 4},
        {"type": "gres", "name": "gpu", "id": 1001, "count": 8},
    ]

    def step(name: str, begin: float, finish: float, nodes: list[str]) -> dict:
        return {
            "time": {"elapsed": int(finish - begin), "end": num(int(finish)), "start": num(int(begin)), "suspended": 0},
            "exit_code": okay,
            "nodes": {
                "count": len(nodes),
                "range": nodes[0] if len(nodes) == 1 else "hgx-[11-12,14-15]",
                "list": nodes,
            },
            "tasks": {"count": 8 if name == "bash" else len(nodes)},
            "state": ["COMPLETED"],
            "step": {"id": f"40217.{0 if name == 'bash' else name}", "name": name},
        }

    job = {
        "account": "lm-pre",
        "comment": {"administrator": "", "job": "", "system": ""},
        "allocation_nodes": 4,
        "association": {"account": "lm-pre", "cluster": "tidal", "partition": "", "user": "okonkwo", "id": 88},
        "cluster": "tidal",
        "derived_exit_code": okay,
        "exit_code": okay,
        "flags": ["STARTED_ON_SCHEDULE", "START_RECEIVED"],
        "group": "lm",
        "job_id": 40217,
        "name": "saltmarsh-7b",
        "nodes": "hgx-[11-12,14-15]",
        "partition": "h200",
        "qos": "long",
        "restart_cnt": 0,
        "time": {
            "elapsed": int(end - start),
            "eligible": int(start - 4),
            "end": int(end),
            "start": int(start),
            "submission": int(start - 4),
            "suspended": 0,
            "limit": num(10080),
        },
        "state": {"current": ["COMPLETED"], "reason": "None"},
        "submit_line": "sbatch pretrain_7b.sbatch",
        "steps": [
            step("batch", start, end, hosts[:1]),
            step("extern", start, end, hosts),
            step("bash", start + 4, end - 3, hosts),
        ],
        "tres": {"allocated": tres, "requested": tres},
        "user": "okonkwo",
        "working_directory": "/home/okonkwo/saltmarsh",
    }
    meta = {
        "plugin": {
            "type": "",
            "name": "",
            "data_parser": "data_parser/v0.0.42",
            "accounting_storage": "accounting_storage/slurmdbd",
        },
        "command": ["sacct", "-j", "40217", "--json"],
        "slurm": {"version": {"major": "24", "micro": "5", "minor": "11"}, "release": "24.11.5", "cluster": "tidal"},
    }
    (place / "sacct_40217.json").write_text(
        json.dumps({"jobs": [job], "meta": meta, "errors": [], "warnings": []}, indent=2) + "\n", encoding="utf-8"
    )


def t04_abacus(place: Path, rng: Random) -> None:
    zone = Zone(8)
    start = zone.at("2026-04-23T09:46:12")
    hosts = ["a100-r3n05", "a100-r3n06"]
    gpus = rack(rng, A100, hosts, 4)
    first = start + 268
    slow = 6
    total = 75
    marks: list[tuple[float, list[float], float]] = []  # begin, rollout of each rank, learning
    t = first
    for _ in range(total):
        roll = [abs(rng.gauss(17.4, 0.8)) for _ in range(8)]
        roll[slow] = rng.gauss(53.6, 1.9)
        learn = rng.gauss(12.3, 0.3)
        marks.append((t, roll, learn))
        t += max(roll) + learn + rng.uniform(0.7, 1.1)
    last = t
    end = last + 58
    stamp = lambda x: zone.form(x, "%Y-%m-%d %H:%M:%S")  # noqa: E731
    out = [
        f"[{stamp(start + 2)}] node a100-r3n05 rank0 accelerate launch --config_file fsdp8.yaml --num_machines 2 --machine_rank 0 --num_processes 8 grpo_abacus.py",
        "torch_dtype is deprecated! Use dtype instead!",
        f"[{stamp(start + 96)}] policy: Qwen2.5-3B-Instruct  dataset: abacus_math_zh 9600 题  num_generations=8 max_completion_length=1024",
        f"[{stamp(start + 97)}] 上次 (abacus-r2, 2x4, 同一配置): 31.2 s/step",
    ]
    begins = [m[0] for m in marks]
    bars: list[str] = [f"\r  0%|          | 0/{total} [00:00<?, ?it/s]"]
    tokens = 0.0
    reward = 0.41
    for i, (begin, roll, learn) in enumerate(marks, 1):
        stop = begins[i] if i < total else last
        took = stop - first
        reward += (0.66 - reward) * 0.022 + rng.gauss(0, 0.006)
        tokens += rng.gauss(38400, 1100)
        mean = rng.gauss(402, 14)
        d = {
            "loss": round(rng.gauss(0.004, 0.006), 4),
            "grad_norm": round(abs(rng.gauss(0.34, 0.04)), 6),
            "learning_rate": float(f"{1e-6 * (1 - (i - 1) / total):.6g}"),
            "num_tokens": float(int(tokens)),
            "completions/mean_length": round(mean, 4),
            "completions/min_length": float(rng.randrange(88, 140)),
            "completions/max_length": 1024.0,
            "completions/clipped_ratio": round(rng.uniform(0.015, 0.05), 6),
            "rewards/acc_reward/mean": round(reward - 0.1 * min(1, 0.8 + i / 600), 6),
            "rewards/format_reward/mean": round(min(1, 0.8 + i / 600), 6),
            "reward": round(reward, 6),
            "reward_std": round(rng.uniform(0.27, 0.33), 6),
            "frac_reward_zero_std": round(rng.choice((0.125, 0.1875, 0.25, 0.3125)), 4),
            "kl": round(0.0001 * i + rng.random() * 2e-4, 6),
            "entropy": round(0.41 - i * 0.0009 + rng.gauss(0, 0.008), 6),
            "clip_ratio/region_mean": 0.0,
            "step_time": round(stop - begin, 6),
            "epoch": round(i / 1200 * 8, 2),
        }
        bars.append(
            f"\r{100 * i // total:3d}%|{bar(i / total)}| {i}/{total} [{clock(took)}<{clock(took / i * (total - i))}, {took / i:.2f}s/it]\n{d}\n"
        )
        if i % 10 == 0:
            bars.append(
                f"[{stamp(stop)}] step {i} rollout(s) r0..r7: "
                + " ".join(f"{x:.1f}" for x in roll)
                + f" | update {learn:.1f}\n"
            )
    bars.append(
        f"{{'train_runtime': {last - first:.4f}, 'train_samples_per_second': {total * 64 / (last - first):.3f}, "
        f"'train_steps_per_second': {total / (last - first):.3f}, 'train_loss': 0.00412, 'epoch': 0.5}}\n"
        f"[{stamp(last + 31)}] 模型已保存 /data/abacus/r3/final  共 {total} 步\n"
    )
    (place / "abacus-r3.node0.log").write_text("\n".join(out) + "\n" + "".join(bars), encoding="utf-8")
    (place / "abacus-r3.node1.log").write_text(
        f"[{stamp(start + 2)}] node a100-r3n06 rank1 accelerate launch --config_file fsdp8.yaml --num_machines 2 --machine_rank 1 --num_processes 8 grpo_abacus.py\n"
        "torch_dtype is deprecated! Use dtype instead!\n",
        encoding="utf-8",
    )
    gen = Mode(1.0, 0.97, 0.5, 0.11, 0.46, 0.56, 63210, 0.02)
    spin = Mode(1.0, 1.0, 0.025, 0.0, 0.01, 0.29, 63210, 0.015)
    upd = Mode(1.0, 0.98, 0.66, 0.38, 0.42, 0.8, 63210, 0.02)

    def does(rank: int) -> Callable[[float], Mode]:
        fb = 63210 + (rank * 52) % 300

        def at(x: float) -> Mode:
            if x < start + 61 or x >= end - 14:
                return IDLE
            if x < first:
                return Mode(fb=7420 if x > start + 120 else 812)
            if x >= last:
                return Mode(fb=fb)
            begin, roll, _ = next(m for m in reversed(marks) if m[0] <= x)
            if x < begin + roll[rank]:
                mode = gen
            elif x < begin + max(roll):
                mode = spin
            else:
                mode = upd
            return replace(mode, fb=fb)

        return at

    for rank, g in enumerate(gpus):
        observe(rng, g, ticks(start - 300, end + 300, 30), does(rank), 30)
        if rank == 1:
            for s in g.samples:
                s.extra |= {"crows": 2, "urows": 1}
    for m in PROM:
        (place / f"query_range_{m}.json").write_text(matrix(query_range(gpus, m, "535.183.06")), encoding="utf-8")
    for n, host in enumerate(hosts):
        boot = start - 86400 * 23 - 811 * n
        (place / f"dmesg_{host}.txt").write_text(
            dmesg_t(
                zone,
                [
                    (
                        boot,
                        "Linux version 5.15.0-119-generic (buildd@lcy02-amd64-075) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #129-Ubuntu SMP",
                    ),
                    (
                        boot + 24,
                        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.06  Wed Jun 26 06:46:07 UTC 2024",
                    ),
                    (boot + 41, "mlx5_core 0000:0c:00.0 ibp12s0: Link up"),
                    (
                        boot + 90000,
                        "perf: interrupt took too long (3140 > 3133), lowering kernel.perf_event_max_sample_rate to 63500",
                    ),
                    (
                        start - 70211 - 99 * n,
                        "LNet: 3 peer NIs in recovery (showing 3): 10.8.3.21@o2ib, 10.8.3.22@o2ib, 10.8.3.23@o2ib",
                    ),
                    (
                        start - 69001 - 99 * n,
                        "Lustre: lfs02-OST0011-osc-ff1c: Connection restored to 10.8.3.22@o2ib (at 10.8.3.22@o2ib)",
                    ),
                ],
            ),
            encoding="utf-8",
        )


def t05_ferry(place: Path, rng: Random) -> None:
    zone = Zone(1)
    start = zone.at("2026-03-04T15:28:40")
    end = start + 109 * 60 - 12
    host = "gpu-lab-02"
    gpus = rack(rng, A40, [host], 2, ("31:00", "CA:00"))
    first = start + 77
    hit = end - 17.4
    total, per, every = 36000, 0.887, 20
    d2 = lambda x, who: f"[{zone.form(x, '%m/%d %H:%M:%S')} {who}]:"  # noqa: E731
    lines = [
        "Command Line Args: Namespace(config_file='configs/ferry_rcnn_R101.yaml', resume=False, eval_only=False, num_gpus=2, num_machines=1, machine_rank=0, dist_url='tcp://127.0.0.1:52417', opts=[])",
        f"{d2(start + 21, 'detectron2')} Rank of current process: 0. World size: 2",
        f"{d2(start + 23, 'detectron2')} Environment info:",
        "-------------------------------  ----------------------------------------------------",
        "sys.platform                     linux",
        "Python                           3.10.14",
        "detectron2                       0.6 @/home/vtanaka/env/lib/python3.10/site-packages/detectron2",
        "PyTorch                          2.1.2+cu121",
        "GPU available                    Yes",
        "GPU 0,1                          NVIDIA A40 (arch=8.6)",
        "Driver version                   535.104.05",
        "-------------------------------  ----------------------------------------------------",
        f"{d2(start + 24, 'detectron2')} Full config saved to out/ferry_r101_b/config.yaml",
        f"{d2(start + 31, 'd2.data.datasets.coco')} Loading data/ferry/train.json takes 3.41 seconds.",
        f"{d2(start + 32, 'd2.data.datasets.coco')} Loaded 41887 images in COCO format from data/ferry/train.json",
        f"{d2(start + 36, 'd2.data.build')} Removed 1204 images with no usable annotations. 40683 images left.",
        f"{d2(start + 37, 'd2.data.build')} Using training sampler TrainingSampler",
        f"{d2(start + 52, 'd2.checkpoint.detection_checkpoint')} [DetectionCheckpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-101.pkl ...",
        "WARNING "
        + d2(start + 54, "fvcore.common.checkpoint")
        + " Some model parameters or buffers are not found in the checkpoint:",
        "proposal_generator.rpn_head.anchor_deltas.{bias, weight}",
        "roi_heads.box_predictor.bbox_pred.{bias, weight}",
        "roi_heads.box_predictor.cls_score.{bias, weight}",
        f"{d2(start + 55, 'd2.engine.train_loop')} Starting training from iteration 0",
    ]
    it = int((hit - first) / per)
    n = every
    while n <= it:
        x = first + n * per
        f = 2.05 * math.exp(-n / 700) + 0.62 + 0.35 * math.exp(-n / 5000)
        tl = f + rng.gauss(0, 0.022)
        lr = 0.01 * min(1, n / 1000)
        left = int((total - n) * per)
        lines.append(
            f"{d2(x, 'd2.utils.events')}  eta: {left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}  iter: {n - 1}  total_loss: {tl:.4g}  "
            f"loss_cls: {tl * 0.34:.4g}  loss_box_reg: {tl * 0.41:.4g}  loss_rpn_cls: {tl * 0.1:.4g}  loss_rpn_loc: {tl * 0.15:.4g}    "
            f"time: {per + rng.gauss(0, 0.0012):.4f}  last_time: {per + rng.gauss(0, 0.03):.4f}  data_time: {abs(rng.gauss(0.021, 0.003)):.4f}  "
            f"last_data_time: {abs(rng.gauss(0.018, 0.006)):.4f}   lr: {lr:.5g}  max_mem: 19{700 + min(n, 6000) // 60}M"
        )
        if n % 5000 == 0:
            lines.append(
                f"{d2(x + 1, 'fvcore.common.checkpoint')} Saving checkpoint to out/ferry_r101_b/model_{n - 1:07d}.pth"
            )
        n += every
    env = "/home/vtanaka/env/lib/python3.10/site-packages"
    spawn = [
        "Traceback (most recent call last):",
        '  File "/home/vtanaka/ferry/train_net.py", line 163, in <module>',
        "    launch(",
        f'  File "{env}/detectron2/engine/launch.py", line 69, in launch',
        "    mp.start_processes(",
        f'  File "{env}/torch/multiprocessing/spawn.py", line 202, in start_processes',
        "    while not context.join():",
        f'  File "{env}/torch/multiprocessing/spawn.py", line 163, in join',
        "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 1 terminated with the following error:",
        "Traceback (most recent call last):",
        f'  File "{env}/torch/multiprocessing/spawn.py", line 74, in _wrap',
        "    fn(i, *args)",
        f'  File "{env}/detectron2/engine/launch.py", line 123, in _distributed_worker',
        "    main_func(*args)",
        '  File "/home/vtanaka/ferry/train_net.py", line 151, in main',
        "    return trainer.train()",
        f'  File "{env}/detectron2/engine/defaults.py", line 486, in train',
        "    super().train(self.start_iter, self.max_iter)",
        f'  File "{env}/detectron2/engine/train_loop.py", line 155, in train',
        "    self.run_step()",
        f'  File "{env}/detectron2/engine/defaults.py", line 496, in run_step',
        "    self._trainer.run_step()",
        f'  File "{env}/detectron2/engine/train_loop.py", line 310, in run_step',
        "    loss_dict = self.model(data)",
        f'  File "{env}/torch/nn/modules/module.py", line 1527, in _call_impl',
        "    return forward_call(*args, **kwargs)",
        f'  File "{env}/torch/nn/parallel/distributed.py", line 1519, in forward',
        "    else self._run_ddp_forward(*inputs, **kwargs)",
        f'  File "{env}/detectron2/modeling/meta_arch/rcnn.py", line 161, in forward',
        "    proposals, proposal_losses = self.proposal_generator(images, features, gt_instances)",
        f'  File "{env}/detectron2/modeling/proposal_generator/proposal_utils.py", line 103, in find_top_rpn_proposals',
        "    if not valid_mask.all():",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
        "",
        "srun: error: gpu-lab-02: task 0: Exited with exit code 1",
    ]
    (place / "slurm-190334.out").write_text("\n".join(lines + spawn) + "\n", encoding="utf-8")
    train = Mode(0.95, 0.94, 0.68, 0.21, 0.44, 0.87, 21480, 0.03)
    for g in gpus:
        own = replace(train, fb=21480 + 214 * g.index)
        stop = (end - 9, IDLE)
        lost = (
            (hit, replace(own, util=1.0, engine=1.0, sm=0.03, tensor=0, dram=0.0, power=0.34))
            if g.index == 0
            else (hit, replace(own, util=0, engine=0, sm=0, tensor=0, dram=0, power=0.0))
        )
        observe(
            rng,
            g,
            ticks(start - 300, end + 420, 15),
            plan((start + 49, Mode(fb=1890)), (first - 18, own), lost, stop),
            15,
        )
        if g.index == 1:
            for s in g.samples:
                if s.t >= hit:
                    s.extra |= {"xid": 48 if s.t < hit + 10 else 45, "dbe": 1, "urows": 1}
    columns = [
        "GPUTL",
        "MCUTL",
        "FBUSD",
        "POWER",
        "TMPTR",
        "SMCLK",
        "XIDER",
        "EDVTL",
        "URMPS",
        "GRACT",
        "SMACT",
        "TENSO",
        "DRAMA",
    ]
    (place / "dcgmi_dmon_gpu-lab-02.log").write_text(
        dmon(gpus, columns, lambda x: zone.form(x, "%Y-%m-%dT%H:%M:%S%z"), 15), encoding="utf-8"
    )
    row = ["cpu=24,gres/gpu:a40=2,gres/gpu=2,mem=160G,node=1", host]
    s, e = zone.slurm(start), zone.slurm(end)
    (place / "sacct_190334.txt").write_text(
        psv(
            "JobID|JobName|User|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|MaxRSS|AllocTRES|NodeList",
            [
                "190334",
                "ferry_r101_b",
                "vtanaka",
                "a40",
                "FAILED",
                "1:0",
                "1:0",
                zone.slurm(start - 88),
                s,
                e,
                span(end - start),
                "1-00:00:00",
                "",
                *row,
            ],
            ["190334.batch", "batch", "", "", "FAILED", "1:0", "", s, s, e, span(end - start), "", "8124K", *row],
            ["190334.extern", "extern", "", "", "COMPLETED", "0:0", "", s, s, e, span(end - start), "", "0", *row],
            [
                "190334.0",
                "python",
                "",
                "",
                "FAILED",
                "1:0",
                "",
                zone.slurm(start + 1),
                zone.slurm(start + 1),
                e,
                span(end - start - 1),
                "",
                "41288716K",
                *row,
            ],
        ),
        encoding="utf-8",
    )
    pid = rng.randrange(200000, 900000)
    (place / "journalctl_k_gpu-lab-02.txt").write_text(
        journal(
            zone,
            host,
            [
                (
                    start - 9012,
                    'audit: type=1400 audit(1772620000.114:93): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="snap.lxd.hook.install"',
                ),
                (
                    start - 4001,
                    "perf: interrupt took too long (4982 > 4975), lowering kernel.perf_event_max_sample_rate to 40000",
                ),
                (hit, f"NVRM: GPU at PCI:0000:ca:00: {gpus[1].uuid}"),
                (hit + 0.001, "NVRM: GPU Board Serial Number: 1563221009874"),
                (
                    hit + 0.002,
                    f"NVRM: Xid (PCI:0000:ca:00): 48, pid={pid}, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 5, subpartition 0.",
                ),
                (
                    hit + 0.01,
                    f"NVRM: Xid (PCI:0000:ca:00): 63, pid={pid}, name=python, Row Remapper: New row (0x00000000004c1d7a) marked for remapping, reset gpu to activate.",
                ),
                *(
                    (hit + 0.9 + k * 0.01, f"NVRM: Xid (PCI:0000:ca:00): 45, pid={pid}, name=python, Ch {16 + k:08x}")
                    for k in range(6)
                ),
                (end + 333, "usb 1-9: new high-speed USB device number 6 using xhci_hcd"),
            ],
        ),
        encoding="utf-8",
    )


def t06_hinoki(place: Path, rng: Random) -> None:
    zone = Zone(9)
    start = zone.at("2026-05-19T11:20:05")
    end = start + 23 * 60 + 2
    hosts = ["dgx-tky-a07", "dgx-tky-a11"]
    gpus = rack(rng, H100, hosts, 2, ("1B:00", "5D:00"))
    first = start + 166
    hit = end - 27.6
    per = 3.62
    total = 3600
    ds = lambda x: zone.form(x, "%Y-%m-%d %H:%M:%S") + f",{int(x % 1 * 1000):03d}"  # noqa: E731
    base = [
        f"[{ds(start + 14.2)}] [INFO] [real_accelerator.py:254:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        f"[{ds(start + 21.6)}] [INFO] [comm.py:676:init_distributed] cdb=None",
    ]
    master = [
        f"{zone.form(start + 3, '%Y-%m-%dT%H:%M:%S%z')} torchrun --nnodes=2 --nproc_per_node=2 --node_rank=0 --master_addr=hinoki-cpt-master-0 --master_port=23456 train.py --deepspeed ds_z3.json",
        *base,
        f"[{ds(start + 22.1)}] [INFO] [comm.py:707:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        f"[{ds(start + 58.3)}] [INFO] [partition_parameters.py:348:__exit__] finished initializing model - num_params = 363, num_elems = 8.03B",
        f"[{ds(start + 121.7)}] [INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed info: version=0.16.4, git-hash=unknown, git-branch=unknown",
        f"[{ds(start + 122.0)}] [INFO] [logging.py:128:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage 3 optimizer",
        f"[{ds(start + 141.2)}] [INFO] [utils.py:781:see_memory_usage] After initializing ZeRO optimizer",
        f"[{ds(start + 141.3)}] [INFO] [utils.py:782:see_memory_usage] MA 31.07 GB         Max_MA 31.9 GB         CA 33.4 GB         Max_CA 33 GB ",
        f"[{ds(start + 142.0)}] [INFO] [config.py:1001:print]   gradient_accumulation_steps .. 4",
        f"[{ds(start + 142.0)}] [INFO] [config.py:1001:print]   train_batch_size ............. 32",
        f"[{ds(start + 142.0)}] [INFO] [config.py:1001:print]   steps_per_print .............. 10",
        f"学習開始: total_steps={total} corpus=hinoki_news_v3 tokens/step=131072",
    ]
    n, x = 0, first
    while x + 10.4 * per < hit:
        n += 10
        x += sum(per * rng.gauss(1, 0.012) for _ in range(10))
        loss = 1.83 + 0.46 * math.exp(-n / 120) + rng.gauss(0, 0.014)
        lr = 2e-5 * min(1, n / 100)
        master += [
            f"[{ds(x)}] [INFO] [logging.py:128:log_dist] [Rank 0] step={n}, skipped=0, lr=[{lr:.6g}], mom=[[0.9, 0.95]]",
            f"[{ds(x + 0.004)}] [INFO] [timer.py:264:stop] epoch=0/micro_step={n * 4}/global_step={n}, RunningAvgSamplesPerSec={32 / per + rng.gauss(0, 0.01):.6f}, "
            f"CurrSamplesPerSec={32 / per + rng.gauss(0, 0.08):.6f}, MemAllocated=31.6GB, MaxMemAllocated=58.2GB",
            f"step {n}/{total} loss {loss:.4f} gnorm {abs(rng.gauss(0.9, 0.08)):.3f}",
        ]
    site = "/opt/conda/lib/python3.11/site-packages"
    advice = [
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    ]
    worker = [
        f"{zone.form(start + 4, '%Y-%m-%dT%H:%M:%S%z')} torchrun --nnodes=2 --nproc_per_node=2 --node_rank=1 --master_addr=hinoki-cpt-master-0 --master_port=23456 train.py --deepspeed ds_z3.json",
        *base,
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/workspace/train.py", line 141, in <module>',
        "[rank3]:     main()",
        '[rank3]:   File "/workspace/train.py", line 118, in main',
        "[rank3]:     engine.backward(loss)",
        f'[rank3]:   File "{site}/deepspeed/runtime/engine.py", line 2053, in backward',
        "[rank3]:     self.optimizer.backward(loss, retain_graph=retain_graph)",
        f'[rank3]:   File "{site}/deepspeed/runtime/zero/stage3.py", line 2280, in backward',
        "[rank3]:     self.loss_scaler.backward(loss.float(), retain_graph=retain_graph)",
        f'[rank3]:   File "{site}/torch/autograd/graph.py", line 825, in _engine_run_backward',
        "[rank3]:     return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "[rank3]: RuntimeError: CUDA error: unspecified launch failure",
        *(f"[rank3]: {a}" for a in advice),
        f"[rank3]:[E{zone.form(hit + 2, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: unspecified launch failure",
        *advice,
        "",
        f"W{zone.form(hit + 9, '%m%d %H:%M:%S')}.412000 61 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 87 closing signal SIGTERM",
        f"E{zone.form(hit + 11, '%m%d %H:%M:%S')}.893000 61 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 1 (pid: 88) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {zone.form(hit + 9, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : hinoki-cpt-worker-0",
        "  rank      : 3 (local_rank: 1)",
        "  exitcode  : -6 (pid: 88)",
        "  error_file: <N/A>",
        "  traceback : Signal 6 (SIGABRT) received by PID 88",
        "============================================================",
    ]
    for r in (0, 1):
        master += [
            f"[rank{r}]:[E{zone.form(hit + 13 + r, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with exception: "
            "NCCL error: remote process exited or there was a network error, NCCL version 2.21.5",
            "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
            "Last error:",
            "NET/IB : Got completion from peer 10.244.11.87<40112> with status=12 opcode=32680 len=0 vendor err 129 (Recv) hca mlx5_1",
        ]
    master += [
        f"E{zone.form(hit + 19, '%m%d %H:%M:%S')}.118000 60 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 0 (pid: 85) of binary: /opt/conda/bin/python",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train.py FAILED",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {zone.form(hit + 18, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : hinoki-cpt-master-0",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : -6 (pid: 85)",
        "  traceback : Signal 6 (SIGABRT) received by PID 85",
        "============================================================",
    ]
    (place / "hinoki-cpt-master-0.log").write_text("\n".join(master) + "\n", encoding="utf-8")
    (place / "hinoki-cpt-worker-0.log").write_text("\n".join(worker) + "\n", encoding="utf-8")
    train = Mode(0.99, 0.98, 0.72, 0.46, 0.42, 0.88, 66120, 0.03)
    for rank, g in enumerate(gpus):
        own = replace(train, fb=66120 + 92 * rank)
        lost = replace(own, util=1.0, engine=1.0, sm=0.03, tensor=0, dram=0, power=0.24)
        gone = end - (16 if rank == 2 else 8)
        does = plan((start + 23, Mode(fb=1106)), (start + 60, Mode(fb=34970)), (first, own), (hit, lost), (gone, IDLE))
        at = [start - 180 + i * 5.013 + 0.211 for i in range(int((end + 240 - start + 180) / 5.013))]
        observe(rng, g, at, does, 5)
    names = (
        "timestamp, index, uuid, pci.bus_id, utilization.gpu [%], utilization.memory [%], memory.used [MiB], power.draw [W], "
        "temperature.gpu, clocks.current.sm [MHz], clocks_event_reasons.active, ecc.errors.uncorrected.volatile.total"
    )
    for host in hosts:
        rows = [names]
        own_gpus = [g for g in gpus if g.host == host]
        for i in range(len(own_gpus[0].samples)):
            for g in own_gpus:
                s = g.samples[i]
                when = zone.form(s.t, "%Y/%m/%d %H:%M:%S") + f".{int(s.t % 1 * 1000) + g.index * 3:03d}"
                if g is gpus[3] and s.t >= hit:
                    rows.append(", ".join([when, "1", g.uuid, f"00000000:{g.bus}.0", *["[GPU is lost]"] * 8]))
                    continue
                rows.append(
                    f"{when}, {g.index}, {g.uuid}, 00000000:{g.bus}.0, {s.util} %, {s.mcutil} %, {s.fb} MiB, {s.power:.2f} W, {s.temp}, "
                    f"{s.clock} MHz, 0x{s.reasons:016X}, 0"
                )
        (place / f"nvsmi_{host}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    long = lambda x: zone.form(x, "%a, %d %b %Y %H:%M:%S %z")  # noqa: E731
    text = []
    for name, host, done, ip in (
        ("master", hosts[0], end - 5, "10.244.7.31"),
        ("worker", hosts[1], end - 14, "10.244.11.87"),
    ):
        text.append(
            f"""Name:             hinoki-cpt-{name}-0
Namespace:        nlp-cpt
Priority:         0
Node:             {host}/172.20.4.{17 if name == "master" else 21}
Start Time:       {long(start - 6)}
Labels:           training.kubeflow.org/job-name=hinoki-cpt
                  training.kubeflow.org/replica-type={name}
Status:           Failed
IP:               {ip}
Controlled By:    PyTorchJob/hinoki-cpt
Containers:
  pytorch:
    Container ID:  containerd://{rng.getrandbits(256):064x}
    Image:         registry.hinoki.internal/nlp/cpt:0.16.4-2
    Command:
      /workspace/run.sh
    State:          Terminated
      Reason:       Error
      Exit Code:    1
      Started:      {long(start)}
      Finished:     {long(done)}
    Ready:          False
    Restart Count:  0
    Limits:
      cpu:             32
      memory:          400Gi
      nvidia.com/gpu:  2
    Requests:
      cpu:             32
      memory:          400Gi
      nvidia.com/gpu:  2
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  ContainersReady   False
  PodScheduled      True
QoS Class:          Guaranteed
Events:
  Type    Reason     Age   From               Message
  ----    ------     ----  ----               -------
  Normal  Scheduled  31m   default-scheduler  Successfully assigned nlp-cpt/hinoki-cpt-{name}-0 to {host}
  Normal  Pulled     31m   kubelet            Container image "registry.hinoki.internal/nlp/cpt:0.16.4-2" already present on machine
  Normal  Created    31m   kubelet            Created container pytorch
  Normal  Started    31m   kubelet            Started container pytorch

"""
        )
    (place / "kubectl_describe_pods.txt").write_text("\n".join(text), encoding="utf-8")
    noise = [
        (start - 40111.2, "mlx5_core 0000:9a:00.0 eth2: Link up"),
        (start - 3.21, "eth0: renamed from tmpa71c2"),
        (start - 2001.4, "IPVS: rr: TCP 10.96.12.8:443 - no destination available"),
    ]
    pid = rng.randrange(1_400_000, 2_900_000)
    fault = [
        (hit, f"NVRM: GPU at PCI:0000:5d:00: {gpus[3].uuid}"),
        (hit + 0.0002, "NVRM: GPU Board Serial Number: 1653223047712"),
        (hit + 0.0003, f"NVRM: Xid (PCI:0000:5d:00): 79, pid={pid}, name=python, GPU has fallen off the bus."),
        (hit + 0.0005, "NVRM: GPU 0000:5d:00.0: GPU has fallen off the bus."),
        (hit + 0.0006, "NVRM: GPU 0000:5d:00.0: GPU serial number is 1653223047712."),
        (hit + 0.0441, "NVRM: A GPU crash dump has been created. If possible, please run"),
        (hit + 0.0442, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
        (hit + 0.0443, "NVRM: the NVIDIA kernel module is unloaded."),
        (
            hit + 0.21,
            "NVRM: Xid (PCI:0000:5d:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
        ),
        (hit - 0.02, "pcieport 0000:58:01.0: pciehp: Slot(12): Link Down"),
    ]
    (place / f"dmesg_{hosts[0]}.log").write_text(
        dmesg_iso(zone, [(a + rng.uniform(0, 0.4), b) for a, b in noise]), encoding="utf-8"
    )
    (place / f"dmesg_{hosts[1]}.log").write_text(
        dmesg_iso(zone, [(a + rng.uniform(0.9, 1.6), b) for a, b in noise] + fault), encoding="utf-8"
    )


def t07_mistral(place: Path, rng: Random) -> None:
    zone = Zone(1)
    start = zone.at("2026-01-15T00:51:33")
    end = start + 455 * 60 + 20
    host = "nice-g3"
    gpus = rack(rng, A100, [host], 1)
    stamp = lambda x: zone.form(x, "%m/%d/%Y %H:%M:%S")  # noqa: E731
    rows = 18_412_906
    out = [
        f"{stamp(start + 19)} - INFO - __main__ - args: model=/models/mistral-7b-v0.3 data=/lustre/corpus/occitan_fr_v2 max_len=4096 lora_r=32 num_train_epochs=1 max_steps=20000",
        f"{stamp(start + 19)} - INFO - __main__ - 1 process, bf16, sortie dans /lustre/runs/mistral-oc-07",
        "Loading dataset from disk:   0%|          | 0/184 [00:00<?, ?it/s]\rLoading dataset from disk: 100%|██████████| 184/184 [00:21<00:00,  8.41it/s]",
        f"{stamp(start + 44)} - INFO - __main__ - {rows} documents",
    ]
    map_begin, map_secs = start + 52, 5.62 * 3600
    group_begin, group_secs = map_begin + map_secs + 31, 1.86 * 3600
    bars = []
    for label, secs in (("Tokenisation (num_proc=12)", map_secs), ("Regroupement 4096 (num_proc=12)", group_secs)):
        for k in range(121):
            f = k / 120
            n = int(rows * f)
            took = secs * f
            rate = f"{rows / secs * rng.gauss(1, 0.06):.2f} examples/s"
            bars.append(
                f"\r{label}: {int(100 * f):3d}%|{bar(f)}| {n}/{rows} [{clock(took)}<{clock(secs - took) if k else '?'}, {rate if k else '? examples/s'}]"
            )
        bars.append("\n")
    load = group_begin + group_secs + 12
    site = "/lustre/envs/ft/lib/python3.11/site-packages"
    after = [
        f"{stamp(load)} - INFO - __main__ - blocs de 4096: 2207115, sauvegarde du cache dans /lustre/runs/mistral-oc-07/tok",
        "Loading checkpoint shards:   0%|          | 0/3 [00:00<?, ?it/s]\rLoading checkpoint shards: 100%|██████████| 3/3 [00:06<00:00,  2.11s/it]",
        f"{stamp(end - 9)} - INFO - __main__ - modèle chargé sur cpu, ajout de l'adaptateur",
        "Traceback (most recent call last):",
        '  File "/home/abonnet/ft/train.py", line 203, in <module>',
        "    main()",
        '  File "/home/abonnet/ft/train.py", line 171, in main',
        "    model = get_peft_model(model, peft_cfg)",
        "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{site}/peft/mapping_func.py", line 123, in get_peft_model',
        "    return MODEL_TYPE_TO_PEFT_MODEL_MAPPING[peft_config.task_type](",
        f'  File "{site}/peft/peft_model.py", line 1723, in __init__',
        "    super().__init__(model, peft_config, adapter_name, **kwargs)",
        f'  File "{site}/peft/tuners/tuners_utils.py", line 180, in __init__',
        "    self.inject_adapter(self.model, adapter_name, low_cpu_mem_usage=low_cpu_mem_usage, state_dict=state_dict)",
        f'  File "{site}/peft/tuners/tuners_utils.py", line 561, in inject_adapter',
        "    raise ValueError(error_msg)",
        "ValueError: Target modules {'query_key_value', 'dense'} not found in the base model. Please check the target modules and try again.",
        "srun: error: nice-g3: task 0: Exited with exit code 1",
    ]
    (place / "mistral-oc-07_71655.log").write_text(
        "\n".join(out) + "\n" + "".join(bars) + "\n".join(after) + "\n", encoding="utf-8"
    )
    holes = [(start + 4210, start + 5890), (start + 13001, start + 13440), (start + 20111, start + 21002)]
    observe(rng, gpus[0], ticks(start - 420, end + 300, 15, holes), plan(), 15)
    columns = ["GPUTL", "MCUTL", "FBUSD", "POWER", "TMPTR", "SMCLK", "XIDER", "GRACT", "SMACT", "TENSO", "DRAMA"]
    (place / "dcgmi-dmon.nice-g3.txt").write_text(
        dmon(gpus, columns, lambda x: zone.form(x, "%Y-%m-%d %H:%M:%S %z"), 15), encoding="utf-8"
    )
    (place / "sacct.txt").write_text(
        psv(
            "JobID|JobName|User|Account|Partition|QOS|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|AllocTRES|NodeList",
            [
                "71655",
                "mistral-oc-07",
                "abonnet",
                "langues",
                "a100",
                "nuit",
                "FAILED",
                "1:0",
                "2026-01-14T18:02:10",
                zone.slurm(start),
                zone.slurm(end),
                span(end - start),
                "2-00:00:00",
                "1",
                "billing=16,cpu=16,gres/gpu=1,mem=120G,node=1",
                host,
            ],
        ),
        encoding="utf-8",
    )
    (place / "journal-nice-g3.txt").write_text(
        journal(
            zone,
            host,
            [
                (
                    start - 8011,
                    "Lustre: 4120:0:(client.c:2310:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1768427000/real 1768427000]",
                ),
                (
                    start - 7990,
                    "Lustre: lus1-OST0004-osc-ffff8f3a: Connection restored to 10.20.0.14@tcp (at 10.20.0.14@tcp)",
                ),
                (
                    start + 9123,
                    "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
                ),
                (
                    start + 20007,
                    "systemd-journald[1121]: Data hash table of /run/log/journal/6f2c/system.journal has a fill level at 75.0, suggesting rotation.",
                ),
            ],
        ),
        encoding="utf-8",
    )


def t08_osmanthus(place: Path, rng: Random) -> None:
    zone = Zone(8)
    start = zone.at("2026-03-27T20:03:18")
    host = "ws4090-03"
    gpus = rack(rng, R4090, [host], 2, ("01:00", "41:00"))
    total, per, every, check = 800, 5.17, 10, 200
    first = start + 171
    vl = 0.0
    nemo = lambda x, lvl, who, msg: f"[NeMo {lvl} {zone.form(x, '%Y-%m-%d %H:%M:%S')} {who}] {msg}"  # noqa: E731
    out = [
        nemo(
            start + 41,
            "W",
            "nemo_logging:405",
            "/opt/venv/lib/python3.12/site-packages/pydub/utils.py:170: RuntimeWarning: Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work",
        ),
        '      warn("Couldn\'t find ffmpeg or avconv - defaulting to ffmpeg, but may not work", RuntimeWarning)',
        "    ",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        nemo(
            start + 58,
            "I",
            "nemo_logging:393",
            "Experiments will be logged at /work/nemo_exp/osmanthus-1b-lora/2026-03-27_20-04-16",
        ),
        nemo(start + 58, "I", "nemo_logging:393", "Rank 0 has data parallel group : [0, 1]"),
        nemo(start + 58, "I", "nemo_logging:393", "Rank 0 has tensor model parallel group: [0]"),
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2",
        "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2",
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 2 processes",
        "-" * 100,
        "",
        nemo(
            start + 104, "I", "nemo_logging:393", "Copying Trainer's 'max_steps' (800) to LR scheduler's 'max_steps'."
        ),
        nemo(
            start + 121,
            "W",
            "nemo_logging:405",
            "There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :/work/nemo_exp/osmanthus-1b-lora/checkpoints. Training from scratch.",
        ),
        nemo(
            start + 126,
            "I",
            "nemo_logging:393",
            "Restoring model weights from RestoreConfig(path='nemo:///work/base/llama32_1b', load_model_state=True, load_optim_state=False, load_artifacts=True)",
        ),
        nemo(
            start + 149,
            "I",
            "nemo_logging:393",
            "Finished restoring from RestoreConfig(path='nemo:///work/base/llama32_1b', load_model_state=True, load_optim_state=False, load_artifacts=True), cleaning up.",
        ),
        nemo(start + 150, "I", "nemo_logging:393", "Adding lora to: module.decoder.layers.0.self_attention.linear_qkv"),
        "  | Name   | Type | Params | Mode ",
        "----------------------------------------",
        "0 | module | DDP  | 1.2 B  | train",
        "----------------------------------------",
        "11.3 M    Trainable params",
        "1.2 B     Non-trainable params",
        "1.2 B     Total params",
        nemo(first - 2, "I", "nemo_logging:393", "Setting up optimizers"),
    ]
    train = Mode(0.97, 0.96, 0.7, 0.3, 0.5, 0.84, 19340, 0.025)
    val = replace(train, util=0.9, power=0.7)
    save = replace(train, util=0.02, power=0.14)
    steps: list[tuple[float, Mode]] = [(start + 60, Mode(fb=610)), (start + 140, Mode(fb=3480)), (first, train)]
    t = first
    for i in range(total):
        took = per * rng.gauss(1, 0.012) if i else 9.7
        t += took
        if (i + 1) % every == 0:
            loss = 1.22 + 0.93 * math.exp(-i / 95) + 0.1 * math.exp(-i / 500) + rng.gauss(0, 0.02)
            lr = 1e-4 * min((i + 1) / 50, 0.5 * (1 + math.cos(math.pi * max(0, i - 50) / 750)) * 0.9 + 0.1)
            out.append(
                f"Training epoch 0, iteration {i}/{total - 1} | lr: {lr:.4g} | global_batch_size: 32 | global_step: {i} | "
                f"reduced_train_loss: {loss:.4g} | train_step_timing in s: {per + rng.gauss(0, 0.02):.4g}"
                + (f" | consumed_samples: {(i + 1) * 32}" if i else "")
                + (f" | val_loss: {vl:.4g}" if i >= check else "")
            )
        if (i + 1) % check == 0:
            vl = 1.29 + 0.42 * math.exp(-(i + 1) / 260) + rng.gauss(0, 0.003)
            steps += [(t, val), (t + 22, save), (t + 29, train)]
            out += [
                *(f"Validation: iteration {k}/25" for k in (5, 10, 15, 20, 25)),
                f"Epoch 0, global step {i}: 'val_loss' reached {vl:.5f} (best {vl:.5f}), saving model to "
                f"'/work/nemo_exp/osmanthus-1b-lora/checkpoints/osmanthus--val_loss={vl:.2f}-epoch=0-consumed_samples={(i + 1) * 32}.0.ckpt' as top 3",
                nemo(
                    t + 28,
                    "I",
                    "nemo_logging:393",
                    f"Successfully saved checkpoint from iteration {i:7d} to /work/nemo_exp/osmanthus-1b-lora/checkpoints/"
                    f"osmanthus--val_loss={vl:.2f}-epoch=0-consumed_samples={(i + 1) * 32}.0.ckpt",
                ),
            ]
            t += 29
    out += [
        "`Trainer.fit` stopped: `max_steps=800` reached.",
        nemo(t + 4, "I", "nemo_logging:393", "Async finalization time took 0.002 s"),
        "finetune 完成，用时见 sacct",
    ]
    end = t + 14
    (place / "osmanthus_lora_5213.out").write_text("\n".join(out) + "\n", encoding="utf-8")
    for g in gpus:
        at = [start - 540 + i * 60.004 + 0.34 for i in range(int((end + 420 - start + 540) / 60.004))]
        observe(rng, g, at, plan(*[(a, replace(m, fb=m.fb + 66 * g.index)) for a, m in steps], (t + 9, IDLE)), 60)
    rows = [
        "timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], pstate, fan.speed [%]"
    ]
    for i in range(len(gpus[0].samples)):
        for g in gpus:
            s = g.samples[i]
            rows.append(
                f"{zone.form(s.t, '%Y/%m/%d %H:%M:%S')}.{int(s.t % 1 * 1000) + 2 * g.index:03d}, {g.index}, {g.model.name}, {s.util} %, {s.mcutil} %, {s.fb or 4} MiB, 24564 MiB, "
                f"{s.power:.2f} W, 450.00 W, {s.temp}, {s.clock} MHz, {s.mclock} MHz, {'P2' if s.fb else 'P8'}, {max(0, min(100, int((s.temp - 40) * 1.7))) if s.temp > 45 else 0} %"
            )
    (place / "smi_ws4090-03.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    tres = "billing=16,cpu=16,gres/gpu=2,mem=96G,node=1"
    s, e = zone.slurm(start), zone.slurm(end)
    (place / "sacct_5213.txt").write_text(
        psv(
            "JobID|JobName|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|MaxRSS|AllocTRES|NodeList",
            [
                "5213",
                "osmanthus-lora",
                "ws",
                "COMPLETED",
                "0:0",
                "0:0",
                zone.slurm(start - 3),
                s,
                e,
                span(end - start),
                "06:00:00",
                "",
                tres,
                host,
            ],
            ["5213.batch", "batch", "", "COMPLETED", "0:0", "", s, s, e, span(end - start), "", "6120K", tres, host],
            ["5213.extern", "extern", "", "COMPLETED", "0:0", "", s, s, e, span(end - start), "", "0", tres, host],
            [
                "5213.0",
                "python",
                "",
                "COMPLETED",
                "0:0",
                "",
                zone.slurm(start + 2),
                zone.slurm(start + 2),
                e,
                span(end - start - 2),
                "",
                "17740212K",
                tres,
                host,
            ],
        ),
        encoding="utf-8",
    )
    oom = start - 9.2 * 3600
    box = f"{rng.getrandbits(256):064x}"
    (place / "journal_kernel_ws4090-03.txt").write_text(
        journal(
            zone,
            host,
            [
                (oom, "node invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
                (
                    oom + 0.001,
                    "CPU: 11 PID: 88213 Comm: node Tainted: P           OE      6.8.0-52-generic #53~22.04.1-Ubuntu",
                ),
                (oom + 0.002, "memory: usage 4194304kB, limit 4194304kB, failcnt 20817"),
                (oom + 0.003, f"Memory cgroup stats for /system.slice/docker-{box}.scope:"),
                (
                    oom + 0.004,
                    "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name",
                ),
                (
                    oom + 0.005,
                    "[  88213]  1000 88213  3021447  1040112  1038400     1712        0 10850304        0             0 node",
                ),
                (
                    oom + 0.006,
                    f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-{box}.scope,mems_allowed=0,oom_memcg=/system.slice/docker-{box}.scope,"
                    f"task_memcg=/system.slice/docker-{box}.scope,task=node,pid=88213,uid=1000",
                ),
                (
                    oom + 0.007,
                    "Memory cgroup out of memory: Killed process 88213 (node) total-vm:12085788kB, anon-rss:4153600kB, file-rss:6848kB, shmem-rss:0kB, UID:1000 pgtables:10596kB oom_score_adj:0",
                ),
                (oom + 0.31, "docker0: port 1(veth3fa10c2) entered disabled state"),
                (start - 3377, "usb 3-2: USB disconnect, device number 4"),
                (
                    start + 2201,
                    "perf: interrupt took too long (3921 > 3918), lowering kernel.perf_event_max_sample_rate to 51000",
                ),
            ],
        ),
        encoding="utf-8",
    )
