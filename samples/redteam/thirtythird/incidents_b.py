"""Incidents t09 to t16 of the thirty-third set, as an operator hands them over. SIMULATED: no real job wrote any of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

    Plan = Callable[[float], tuple[str, float] | None]
    Row = dict[str, float]


@dataclass(frozen=True)
class _Card:
    """What a card is at rest and at most."""

    name: str
    total: int
    idle_w: float
    cap_w: float
    sm: int
    sm_idle: int
    mem: int
    mem_idle: int


_L40S: Final = _Card("NVIDIA L40S", 46068, 34, 350, 2520, 210, 9001, 405)
_H200: Final = _Card("NVIDIA H200", 143771, 77, 700, 1980, 345, 3201, 3201)
_H100: Final = _Card("NVIDIA H100 80GB HBM3", 81559, 70, 700, 1980, 345, 2619, 2619)
_A100: Final = _Card("NVIDIA A100-SXM4-80GB", 81920, 59, 400, 1410, 210, 1593, 1593)
_V100: Final = _Card("Tesla V100-SXM2-32GB", 32768, 42, 300, 1530, 135, 877, 877)
_G4090: Final = _Card("NVIDIA GeForce RTX 4090", 24564, 19, 450, 2745, 210, 10501, 405)


def _write(path: Path, text: str | Iterable[str]) -> None:
    """A file and the folders above it; lines end in a newline."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else "\n".join(text) + "\n", encoding="utf-8")


def _zone(hours: int) -> timezone:
    return timezone(timedelta(hours=hours))


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S")


def _after(at: datetime, seconds: float) -> datetime:
    return at + timedelta(seconds=seconds)


def _hms(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def _uuid(rng: Random) -> str:
    raw = f"{rng.getrandbits(128):032x}"
    return f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"


def _trace(
    card: _Card, rng: Random, times: Sequence[float], plan: Plan, busy_sm: float, draw: float
) -> list[Row | None]:
    """The samples of one GPU: plan tells at each second what it does (idle, held, load, train, spin) and its MiB in use."""
    cool = rng.uniform(27, 33)
    warm = rng.uniform(30, 37)
    lean = rng.uniform(0.97, 1.03)
    temp, before, energy = cool + 1, times[0], rng.uniform(2e10, 9e11)
    rows: list[Row | None] = []
    for now in times:
        what = plan(now)
        if what is None:
            rows.append(None)
            before = now
            continue
        kind, mem = what
        if kind == "train":
            sm = min(0.98, max(0.05, rng.gauss(busy_sm, 0.03)))
            util, engine = min(100, int(rng.gauss(97, 2.2))), min(1.0, rng.gauss(0.955, 0.015))
            watts = card.idle_w + (card.cap_w - card.idle_w) * draw * lean * rng.gauss(1, 0.035)
            tensor, dram, link = sm * rng.uniform(0.42, 0.5), sm * rng.uniform(0.5, 0.62), rng.uniform(1.2e9, 2.6e9)
        elif kind == "spin":
            sm, util, engine = rng.uniform(0.018, 0.035), 100, 1.0
            watts = card.idle_w + (card.cap_w - card.idle_w) * 0.2 * lean * rng.gauss(1, 0.012)
            tensor, dram, link = 0.0, rng.uniform(0.0002, 0.002), rng.uniform(2e5, 9e5)
        elif kind == "load":
            sm, util, engine = rng.uniform(0.002, 0.03), rng.choice((0, 0, 1, 3, 6)), rng.uniform(0.0, 0.05)
            watts = card.idle_w * rng.uniform(1.5, 1.75) * lean
            tensor, dram, link = 0.0, rng.uniform(0.001, 0.02), rng.uniform(2e8, 1.4e9)
        else:
            sm, util, engine, tensor, dram, link = 0.0, 0, 0.0, 0.0, 0.0, rng.uniform(2e4, 9e4)
            watts = card.idle_w * lean * (1.5 if kind == "held" else 1.0) * rng.gauss(1, 0.01)
        watts = min(watts, card.cap_w * 0.997)
        goal = cool + warm * max(0.0, watts - card.idle_w) / (card.cap_w - card.idle_w) * 1.05
        step = max(1.0, now - before)
        temp += (goal - temp) * min(1.0, step / 55) + rng.uniform(-0.35, 0.35)
        energy += watts * step * 1000
        before = now
        up = kind != "idle"
        droop = 0.0 if kind != "train" else rng.uniform(0, 0.05) * (1 if draw > 0.6 else 0.3)
        clock = card.sm * (1 - droop) if up else card.sm_idle
        rows.append(
            {
                "util": util,
                "copy": int(dram * 92),
                "fb": int(mem),
                "power": round(watts, 3),
                "temp": round(temp),
                "hot": round(temp + 5 + dram * 12),
                "sm": int(clock // 15 * 15),
                "mem": card.mem if up else card.mem_idle,
                "gract": engine,
                "smact": sm,
                "smocc": sm * rng.uniform(0.38, 0.46),
                "tenso": tensor,
                "drama": dram,
                "pcitx": int(link * 0.4),
                "pcirx": int(link),
                "energy": int(energy),
                "xid": 0,
                "sbe": 0,
                "dbe": 0,
            }
        )
    return rows


def _ticks(rng: Random, start: float, end: float, every: float, shake: float = 0.0) -> list[float]:
    """The seconds of the scrapes."""
    at, out = start, []
    while at <= end:
        out.append(at + rng.uniform(0, shake))
        at += every
    return out


_DMON: Final = {
    "util": ("GPUTL", "", "d"),
    "copy": ("MCUTL", "", "d"),
    "fb": ("FBUSD", "", "d"),
    "power": ("POWER", "W", ".3f"),
    "temp": ("TMPTR", "C", "d"),
    "hot": ("MMTMP", "C", "d"),
    "sm": ("SMCLK", "", "d"),
    "mem": ("MMCLK", "", "d"),
    "xid": ("XIDER", "", "d"),
    "sbe": ("ESVTL", "", "d"),
    "dbe": ("EDVTL", "", "d"),
    "gract": ("GRACT", "", ".3f"),
    "smact": ("SMACT", "", ".3f"),
    "tenso": ("TENSO", "", ".3f"),
    "drama": ("DRAMA", "", ".3f"),
    "pcitx": ("PCITX", "", "d"),
    "pcirx": ("PCIRX", "", "d"),
}


def _dmon(
    fields: Sequence[str], times: Sequence[float], gpus: Sequence[list[Row | None]], stamp: Callable[[float], str]
) -> list[str]:
    """Text of dcgmi dmon whose lines were stamped on the way to the file."""
    out: list[str] = []
    for turn, now in enumerate(times):
        if turn % 24 == 0:
            out.append(f"{stamp(now)} #Entity   " + "".join(f"{_DMON[one][0]:<13}" for one in fields))
            out.append(f"{stamp(now)} ID        " + "".join(f"{_DMON[one][1]:<13}" for one in fields))
        for number, rows in enumerate(gpus):
            row = rows[turn]
            if row is None:
                continue
            cells = "".join(f"{format(row[one], _DMON[one][2]):<13}" for one in fields)
            out.append(f"{stamp(now)} GPU {number}     {cells}")
    return out


_PROM: Final = {
    "util": "DCGM_FI_DEV_GPU_UTIL",
    "fb": "DCGM_FI_DEV_FB_USED",
    "power": "DCGM_FI_DEV_POWER_USAGE",
    "temp": "DCGM_FI_DEV_GPU_TEMP",
    "sm": "DCGM_FI_DEV_SM_CLOCK",
    "mem": "DCGM_FI_DEV_MEM_CLOCK",
    "xid": "DCGM_FI_DEV_XID_ERRORS",
    "sbe": "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "dbe": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "gract": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "smact": "DCGM_FI_PROF_SM_ACTIVE",
    "tenso": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "drama": "DCGM_FI_PROF_DRAM_ACTIVE",
    "pcirx": "DCGM_FI_PROF_PCIE_RX_BYTES",
}


def _series(
    field: str,
    host: str,
    number: int,
    uuid: str,
    card: _Card,
    epoch: float,
    times: Sequence[float],
    rows: Sequence[Row | None],
) -> dict[str, object]:
    """One series of a matrix."""
    values = []
    for now, row in zip(times, rows, strict=True):
        if row is not None:
            cell = row[field]
            values.append(
                [
                    int(epoch + now),
                    f"{cell:.6f}"
                    if field in ("gract", "smact", "tenso", "drama")
                    else f"{cell:g}"
                    if field == "power"
                    else str(cell),
                ]
            )
    labels = {
        "__name__": _PROM[field],
        "DCGM_FI_DRIVER_VERSION": "550.127.08",
        "Hostname": host,
        "UUID": uuid,
        "device": f"nvidia{number}",
        "gpu": str(number),
        "instance": f"{host}:9400",
        "job": "dcgm-exporter",
        "modelName": card.name,
        "pci_bus_id": f"00000000:{(0x17, 0x3D, 0x9A, 0xBD)[number % 4]:02X}:00.0",
    }
    return {"metric": labels, "values": values}


def _matrix(results: list[dict[str, object]]) -> str:
    return (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": results}}, separators=(",", ":"))
        + "\n"
    )


def _columns(heads: Sequence[tuple[str, int]], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of sacct: right-aligned, cut to its widths."""
    out = [
        " ".join(f"{head:>{width}}" for head, width in heads) + " ",
        " ".join("-" * width for _, width in heads) + " ",
    ]
    for row in rows:
        cells = [
            cell if len(cell) <= width else cell[: width - 1] + "+" for cell, (_, width) in zip(row, heads, strict=True)
        ]
        out += [" ".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, heads, strict=True)) + " "]
    return out


def _bar(done: int, of: int) -> str:
    """The ten cells of tqdm's bar."""
    eighths = int(done / of * 80)
    full, part = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[part] if full < 10 and part else "")).ljust(10)


def _clock(seconds: float) -> str:
    """Time as tqdm writes it."""
    whole = int(seconds)
    return (
        f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
        if whole >= 3600
        else f"{whole // 60:02d}:{whole % 60:02d}"
    )


def t09_plankton(place: Path, rng: Random) -> None:
    """A node stops answering in a run of open_clip on pictures of plankton."""
    zone = _zone(-6)
    start = datetime(2026, 3, 11, 14, 41, 12, tzinfo=zone)
    lost, end = 23 * 60 + 37.0, 28 * 60 + 58.0
    hosts = ("gl07", "gl08")
    mem = {(host, gpu): rng.uniform(37200, 38900) for host in hosts for gpu in range(4)}
    times = _ticks(rng, -240, end + 300, 60)

    for host in hosts:
        results = []
        grid = [(gpu, _uuid(rng)) for gpu in range(4)]
        traces = {}
        for gpu, _ in grid:

            def plan(now: float, host: str = host, gpu: int = gpu) -> tuple[str, float] | None:
                if host == "gl08" and now > lost:
                    return None
                if now < 18 or now > end:
                    return "idle", 1
                if now < 71:
                    return "load", 640 + 2100 * (now > 45)
                return ("spin" if now > lost else "train"), mem[host, gpu]

            traces[gpu] = _trace(_L40S, rng, times, plan, 0.57, 0.78)
        for field in ("util", "fb", "power", "temp", "sm", "mem", "xid", "gract", "smact", "tenso", "drama", "pcirx"):
            results += [
                _series(field, host, gpu, uuid, _L40S, start.timestamp(), times, traces[gpu]) for gpu, uuid in grid
            ]
        _write(place / "metrics" / f"{host}.json", _matrix(results))

    stamp = lambda at: _after(start, at).strftime("%Y-%m-%d,%H:%M:%S")  # noqa: E731
    log = [
        f"{stamp(31)} | INFO | Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8."
    ]
    log += [
        f"{stamp(37)} | INFO | Loaded ViT-B-16 model config.",
        f"{stamp(41)} | INFO | Model:",
        f"{stamp(41)} | INFO | CLIP(",
    ]
    log += [
        "  (visual): VisionTransformer(",
        "    (patchnorm_pre_ln): Identity()",
        "    (conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16), bias=False)",
    ]
    log += [
        "    (ln_pre): LayerNorm((768,), eps=1e-05, elementwise_affine=True)",
        "  )",
        ")",
        f"{stamp(41)} | INFO | Params:",
    ]
    params = {
        "accum_freq": 1,
        "batch_size": 448,
        "dataset_type": "webdataset",
        "epochs": 20,
        "grad_checkpointing": True,
        "logs": "/home/mrivas/plancton/logs",
        "lr": 0.0005,
        "model": "ViT-B-16",
        "name": "plk-b16-448x8",
        "precision": "amp_bf16",
        "save_frequency": 1,
        "train_data": "/data/ifcb/shards/plk-{00000..02911}.tar",
        "train_num_samples": 14562304,
        "warmup": 2000,
        "workers": 8,
        "world_size": 8,
        "zeroshot_frequency": 2,
    }
    log += [f"{stamp(41)} | INFO |   {key}: {value}" for key, value in params.items()]
    log.append(f"{stamp(63)} | INFO | Start epoch 0")
    at, step, world = 78.0, 0, 448 * 8
    batches = 14562304 // world
    mean = 0.0
    while at < lost:
        loss = 8.1 * 2.718 ** (-step / 900) * 0.55 + 3.6 + rng.gauss(0, 0.05)
        mean = loss if not step else mean + (loss - mean) / (step / 100 + 1)
        batch = rng.uniform(1.02, 1.09) if step else 9.412
        data = rng.uniform(0.02, 0.06) if step else 6.833
        log.append(
            f"{stamp(at)} | INFO | Train Epoch: 0 [{step * world + world:>8}/{batches * world} ({100 * step / batches:.0f}%)] "
            f"Data (t): {data:.3f} Batch (t): {batch:.3f}, "
            f"{world / batch:#g}/s, {448 / batch:#g}/s/gpu LR: {0.0005 * (step + 1) / 2000:.6f} Logit Scale: {14.286 + step * 0.0021:.3f} "
            f"Contrastive_loss: {loss:#.5g} ({mean:#.5g}) Loss: {loss:#.5g} ({mean:#.5g})"
        )
        at += 100 * rng.uniform(1.045, 1.062)
        step += 100
    _write(place / "logs" / "plk-b16-448x8" / "out.log", log)
    stop = _iso(_after(start, end))
    _write(
        place / "logs" / "slurm-318842.err",
        [
            "+ srun --cpu-bind=none python -m open_clip_train.main --config plk_b16.args",
            "/home/mrivas/envs/oc/lib/python3.11/site-packages/torch/optim/lr_scheduler.py:28: UserWarning: The verbose "
            "parameter is deprecated. Please use get_last_lr() to access the learning rate.",
            '  warnings.warn("The verbose parameter is deprecated. Please use get_last_lr() "',
            "srun: error: Node failure on gl08",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            f"slurmstepd: error: *** STEP 318842.0 ON gl07 CANCELLED AT {stop} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
            f"slurmstepd: error: *** JOB 318842 ON gl07 CANCELLED AT {stop} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        ],
    )
    heads = (
        ("JobID", 12),
        ("JobName", 12),
        ("Partition", 10),
        ("User", 9),
        ("NodeList", 15),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("State", 12),
        ("ExitCode", 8),
    )
    began, took = _iso(start), _hms(end)
    _write(
        place / "sacct.txt",
        _columns(
            heads,
            [
                ("318842", "plk-b16", "gpu", "mrivas", "gl[07-08]", began, stop, took, "NODE_FAIL", "1:0"),
                ("318842.batch", "batch", "", "", "gl07", began, stop, took, "CANCELLED", "0:15"),
                ("318842.exte+", "extern", "", "", "gl[07-08]", began, stop, took, "NODE_FAIL", "1:0"),
                (
                    "318842.0",
                    "python",
                    "",
                    "",
                    "gl[07-08]",
                    _iso(_after(start, 6)),
                    stop,
                    _hms(end - 6),
                    "NODE_FAIL",
                    "1:0",
                ),
            ],
        ),
    )
    _write(
        place / "scontrol_node_gl08.txt",
        [
            "NodeName=gl08 Arch=x86_64 CoresPerSocket=32 ",
            "   CPUAlloc=0 CPUEfctv=128 CPUTot=128 CPULoad=21.44",
            "   AvailableFeatures=l40s,ib",
            "   ActiveFeatures=l40s,ib",
            "   Gres=gpu:l40s:4",
            "   NodeAddr=gl08 NodeHostName=gl08 Version=23.11.8",
            "   OS=Linux 5.14.0-427.31.1.el9_4.x86_64 #1 SMP PREEMPT_DYNAMIC Fri Aug 9 14:06:03 EDT 2024 ",
            "   RealMemory=515000 AllocMem=0 FreeMem=352118 Sockets=2 Boards=1",
            "   State=DOWN+NOT_RESPONDING ThreadsPerCore=2 TmpDisk=0 Weight=10 Owner=N/A MCS_label=N/A",
            "   Partitions=gpu ",
            "   BootTime=2026-02-19T08:12:40 SlurmdStartTime=2026-02-19T08:14:02",
            f"   LastBusyTime={stop} ResumeAfterTime=None",
            "   CfgTRES=cpu=128,mem=515000M,billing=128,gres/gpu=4",
            "   AllocTRES=",
            "   CapWatts=n/a",
            "   CurrentWatts=0 AveWatts=0",
            "   ExtSensorsJoules=n/a ExtSensorsWatts=0 ExtSensorsTemp=n/a",
            f"   Reason=Not responding [slurm@{stop}]",
            "",
        ],
    )
    _write(
        place / "sinfo.txt",
        [
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST",
            "gpu*         up 3-00:00:00      1  down* gl08",
            "gpu*         up 3-00:00:00      4    mix gl[01,03-05]",
            "gpu*         up 3-00:00:00      3   idle gl[02,06-07]",
        ],
    )


def t10_legal(place: Path, rng: Random) -> None:
    """A long contract meets two H200 nodes under torchtune; the metrics of the second node were not kept."""
    start = datetime(2026, 6, 18, 7, 2, 40, tzinfo=UTC)
    end = 175 * 60 - 11.0
    fall = end - 24
    times = _ticks(rng, -90, end + 120, 15, 0.4)
    gpus = []
    for _ in range(2):
        mem = rng.uniform(111000, 113500)
        grow = sorted(rng.uniform(300, 9000) for _ in range(5))

        def plan(now: float, mem: float = mem, grow: list[float] = grow) -> tuple[str, float]:
            if now < 21 or now > end - 4:
                return "idle", 4
            if now < 118:
                return "load", 1100 + min(1.0, max(0.0, now - 45) / 60) * 32000
            return ("spin" if now > fall else "train"), mem + 1400 * sum(now > one for one in grow)

        gpus.append(_trace(_H200, rng, times, plan, 0.69, 0.84))
    fields = ("util", "copy", "fb", "power", "temp", "hot", "sm", "xid", "gract", "smact", "tenso", "drama")
    _write(
        place / "dcgm" / "hop-11.dmon.txt",
        _dmon(fields, times, gpus, lambda now: _after(start, now).strftime("%Y-%m-%d %H:%M:%S")),
    )

    log = [
        "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 4",
        "checkpointer:",
    ]
    log += [
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /work/lagasafn/Qwen2.5-14B-Instruct",
        "  model_type: QWEN2",
        "  output_dir: /work/lagasafn/out/r7",
    ]
    log += [
        "compile: false",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  data_files: /work/lagasafn/domar_v3.jsonl",
        "  packed: false",
        "  source: json",
    ]
    log += [
        "device: cuda",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 2",
        "gradient_accumulation_steps: 1",
        "log_every_n_steps: 1",
        "loss:",
    ]
    log += [
        "  _component_: torch.nn.CrossEntropyLoss",
        "max_steps_per_epoch: null",
        "model:",
        "  _component_: torchtune.models.qwen2_5.qwen2_5_14b_instruct",
    ]
    log += [
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 8.0e-06",
        "seed: 11",
        "shuffle: true",
        "tokenizer:",
    ]
    log += [
        "  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer",
        "  max_seq_len: 16384",
        "",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 11. Local seed is seed + rank = 11 + 0",
    ]
    log += [
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint took 52.18 secs",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
    ]
    log += [
        "\tGPU peak memory allocation: 8.74 GiB",
        "\tGPU peak memory reserved: 9.02 GiB",
        "\tGPU peak memory active: 8.74 GiB",
    ]
    log += [
        f"INFO:torchtune.utils._logging:{what}"
        for what in (
            "Optimizer is initialized.",
            "Loss is initialized.",
            "Dataset and Sampler are initialized.",
            "Learning rate scheduler is initialized.",
        )
    ]
    log += [
        "WARNING:torchtune.utils._logging: Profiling disabled.",
        "INFO:torchtune.utils._logging: Profiler config after instantiation: {'enabled': False}",
    ]
    bars, at, step, of, pace = ["\r  0%|          | 0/3744 [00:00<?, ?it/s]"], 120.0, 0, 3744, 0.0
    while True:
        took = max(1.7, rng.lognormvariate(1.42, 0.35))
        if at + took > fall - 3:
            break
        at += took
        step += 1
        loss = 0.82 + 1.05 * 2.718 ** (-step / 170) + rng.gauss(0, 0.085)
        ran = at - 120
        pace = pace * 0.7 + took * 0.3 if pace else took
        left = _clock(pace * (of - step))
        bars.append(
            f"\r1|{step}|Loss: {loss:.16g}: {100 * step // of:>3}%|{_bar(step, of)}| {step}/{of} [{_clock(ran)}<{left}, {pace:5.2f}s/it]"
        )
    day = _after(start, fall).strftime("%m%d %H:%M:%S")
    tail = [
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/opt/tune/lib/python3.11/site-packages/recipes/full_finetune_distributed.py", line 943, in <module>',
        "[rank3]:     sys.exit(recipe_main())",
        "[rank3]:              ^^^^^^^^^^^^^",
        '[rank3]:   File "/opt/tune/lib/python3.11/site-packages/torchtune/config/_parse.py", line 99, in wrapper',
        "[rank3]:     sys.exit(recipe_main(conf))",
        '[rank3]:   File "/opt/tune/lib/python3.11/site-packages/recipes/full_finetune_distributed.py", line 938, in recipe_main',
        "[rank3]:     recipe.train()",
        '[rank3]:   File "/opt/tune/lib/python3.11/site-packages/recipes/full_finetune_distributed.py", line 781, in train',
        "[rank3]:     current_loss = self._loss_step(batch) * current_num_tokens",
        '[rank3]:   File "/opt/tune/lib/python3.11/site-packages/torch/nn/modules/loss.py", line 1295, in forward',
        "[rank3]:     return F.cross_entropy(",
        '[rank3]:   File "/opt/tune/lib/python3.11/site-packages/torch/nn/functional.py", line 3494, in cross_entropy',
        "[rank3]:     return torch._C._nn.cross_entropy_loss(",
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 37.12 GiB. GPU 1 has a total capacity "
        "of 139.81 GiB of which 19.44 GiB is free. Including non-PyTorch "
        "memory, this process has 120.36 GiB memory in use. Of the allocated memory 112.71 GiB is allocated by PyTorch,"
        " and 5.93 GiB is reserved by PyTorch but unallocated. If reserved "
        "but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation. "
        " See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        f"W{day}.418000 40911 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending process 40983 closing signal SIGTERM",
        f"E{day}.983000 40911 site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: "
        "1) local_rank: 1 (pid: 40984) of binary: /opt/tune/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/tune/bin/tune", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/tune/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "/opt/tune/lib/python3.11/site-packages/recipes/full_finetune_distributed.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {_after(start, fall + 3).strftime('%Y-%m-%d_%H:%M:%S')}",
        "  host      : hop-12",
        "  rank      : 3 (local_rank: 1)",
        "  exitcode  : 1 (pid: 40984)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        "srun: error: hop-12: task 1: Exited with exit code 1",
        "srun: Terminating StepId=77120.0",
        f"slurmstepd: error: *** STEP 77120.0 ON hop-11 CANCELLED AT {_iso(_after(start, end - 8))} ***",
        "srun: error: hop-11: task 0: Terminated",
    ]
    _write(place / "logs" / "domar-r7_77120.log", "\n".join(log) + "\n" + "".join(bars) + "\n" + "\n".join(tail) + "\n")
    heads = (
        ("JobID", 12),
        ("JobName", 10),
        ("Account", 10),
        ("Partition", 10),
        ("AllocTRES", 40),
        ("NNodes", 8),
        ("NodeList", 15),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("State", 10),
        ("ExitCode", 8),
        ("MaxRSS", 10),
    )
    began, stop, took_s, tres = (
        _iso(start),
        _iso(_after(start, end)),
        _hms(end),
        "billing=96,cpu=96,gres/gpu=4,mem=1200G,node=2",
    )
    _write(
        place / "sacct.txt",
        _columns(
            heads,
            [
                (
                    "77120",
                    "domar-r7",
                    "lagadeild",
                    "hopper",
                    tres,
                    "2",
                    "hop-[11-12]",
                    began,
                    stop,
                    took_s,
                    "FAILED",
                    "1:0",
                    "",
                ),
                (
                    "77120.batch",
                    "batch",
                    "lagadeild",
                    "",
                    "cpu=48,gres/gpu=2,mem=600G,node=1",
                    "1",
                    "hop-11",
                    began,
                    stop,
                    took_s,
                    "FAILED",
                    "1:0",
                    "6120K",
                ),
                (
                    "77120.extern",
                    "extern",
                    "lagadeild",
                    "",
                    tres,
                    "2",
                    "hop-[11-12]",
                    began,
                    stop,
                    took_s,
                    "COMPLETED",
                    "0:0",
                    "0",
                ),
                (
                    "77120.0",
                    "bash",
                    "lagadeild",
                    "",
                    "cpu=96,gres/gpu=4,mem=1200G,node=2",
                    "2",
                    "hop-[11-12]",
                    _iso(_after(start, 2)),
                    _iso(_after(start, end - 1)),
                    _hms(end - 3),
                    "FAILED",
                    "1:0",
                    "91244312K",
                ),
            ],
        ),
    )
    for host in ("hop-11", "hop-12"):
        _write(
            place / "kernel" / f"{host}.dmesg",
            _quiet(rng, start, end, lambda at: f"[{at.strftime('%a %b %e %H:%M:%S %Y')}] "),
        )


_CALM: Final = (
    "perf: interrupt took too long ({n2}551 > {n2}312), lowering kernel.perf_event_max_sample_rate to {pid}",
    "nfs: server stor4 not responding, still trying",
    "hrtimer: interrupt took {pid} ns",
    "TCP: request_sock_TCP: Possible SYN flooding on port 9100. Sending cookies.  Check SNMP counters.",
    "process 'local/bin/node_exporter' started with executable stack",
    "loop0: detected capacity change from 0 to {pid}",
)


def _quiet(
    rng: Random,
    start: datetime,
    end: float,
    head: Callable[[datetime], str],
    before: float = 90000,
    extra: Sequence[tuple[float, str]] = (),
    driver: str = "550.127.08  Tue Oct  8 09:51:12 UTC 2024",
) -> list[str]:
    """A kernel log in which little happens, with these lines in their places."""
    rows = [(one, text) for one, text in extra]
    rows.append((-before - 9, "mlx5_core 0000:5e:00.0 ens5f0np0: Link up"))
    rows.append((-before - 8, "IPv6: ADDRCONF(NETDEV_CHANGE): ens5f0np0: link becomes ready"))
    rows.append((-before, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}"))
    rows.append((-before + 2, "nvidia-uvm: Loaded the UVM driver, major device number 511."))
    for _ in range(rng.randint(6, 11)):
        at, line = rng.uniform(-before + 10, end + 200), rng.choice(_CALM)
        if "not responding" in line:
            at = rng.uniform(-before + 10, -before / 3)
            rows.append((at + rng.uniform(4, 30), "nfs: server stor4 OK"))
        values = {"n": rng.randint(100, 999), "n2": rng.randint(2, 9), "pid": rng.randint(9200, 32000)}
        rows.append((at, line.format(**values)))
    return [head(_after(start, at)) + text for at, text in sorted(rows)]


def _stamped(at: datetime) -> str:
    """The head of a line of dmesg -T."""
    return f"[{at.strftime('%a %b')} {at.day:>2} {at.strftime('%H:%M:%S %Y')}] "


def _number(value: int) -> dict[str, object]:
    return {"set": True, "infinite": False, "number": value}


def t11_guqin(place: Path, rng: Random) -> None:
    """One of twelve ranks of Megatron on 4090s is killed by its node's kernel."""
    zone = _zone(8)
    start = datetime(2026, 5, 14, 0, 20, 17, tzinfo=zone)
    end = 66 * 60 - 7.0
    killed = end - 19
    hosts = ("node21", "node22", "node23")
    times = _ticks(rng, -200, end + 320, 60, 0.8)
    for host in hosts:
        gpus = []
        for _ in range(4):
            mem = rng.uniform(20350, 21800)

            def plan(
                now: float, mem: float = mem, late: float = 3.0 if host != "node22" else -9.0
            ) -> tuple[str, float]:
                if now < 15 or now > end - 8 + late:
                    return "idle", 3
                if now < 149:
                    return "load", 412 + 3100 * (now > 70)
                return ("spin" if now > killed else "train"), mem

            gpus.append(_trace(_G4090, rng, times, plan, 0.6, 0.7))
        _write(
            place / "dmon" / f"{host}.log",
            _dmon(
                ("util", "copy", "fb", "power", "temp", "sm", "mem", "xid", "pcitx", "pcirx"),
                times,
                gpus,
                lambda now: _after(start, now).strftime("%b %d %H:%M:%S"),
            ),
        )

    day = lambda at: _after(start, at).strftime("%Y-%m-%d %H:%M:%S")  # noqa: E731
    log = [
        "using world size: 12, data-parallel size: 6, context-parallel size: 1, hierarchical context-parallel sizes: "
        "Nonetensor-model-parallel size: 1, encoder-tensor-model-parallel size: 0, "
        "pipeline-model-parallel size: 2, encoder-pipeline-model-parallel size: 0",
        "accumulate and all-reduce gradients in fp32 for bfloat16 data type.",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    arguments = {
        "adam_beta1": 0.9,
        "adam_beta2": 0.95,
        "bf16": True,
        "clip_grad": 1.0,
        "data_path": "['/nas/guqin/tok/jianzipu_text_document']",
        "dataloader_type": "cyclic",
        "distributed_backend": "nccl",
        "global_batch_size": 96,
        "hidden_size": 2048,
        "log_interval": 10,
        "lr": 0.0002,
        "micro_batch_size": 2,
        "num_attention_heads": 16,
        "num_layers": 24,
        "num_workers": 12,
        "save": "/nas/guqin/ckpt/1b3",
        "save_interval": 500,
        "seq_length": 4096,
        "train_iters": 30000,
        "world_size": 12,
    }
    log += [f"  {key} {'.' * max(3, 48 - len(key))} {value}" for key, value in arguments.items()]
    log += [
        "-------------------- end of arguments ---------------------",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 2",
    ]
    log += [
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.061 seconds",
        "time to initialize megatron (seconds): 17.402",
    ]
    log += [
        f"[after megatron is initialized] datetime: {day(51)} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 707334144",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 1): 707338240",
    ]
    log += [
        "WARNING: could not find the metadata file /nas/guqin/ckpt/1b3/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
    ]
    log += [
        "(min, max) time across ranks (ms):",
        "    load-checkpoint ................................: (1.91, 2.40)",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {day(78)} ",
        "> building train, validation, and test datasets ...",
    ]
    log += [
        f"[after dataloaders are built] datetime: {day(141)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {day(142)} ",
    ]
    at, iteration = 143.0, 0
    while True:
        took = rng.gauss(6890, 40) if iteration else 8122.0
        if at + took / 100 > killed:
            break
        at += took / 100
        iteration += 10
        loss = 2.9 + 7.9 * 2.718 ** (-iteration / 95) + rng.gauss(0, 0.035)
        log.append(
            f" [{day(at)}] iteration {iteration:>8}/{30000:>8} | consumed samples: {iteration * 96:>12} | elapsed time "
            f"per iteration (ms): {took:.1f} | throughput per GPU (TFLOP/s/GPU): {318000 / took:.1f} | "
            f"learning rate: {2e-4 * min(1, iteration / 1000):.6E} | global batch size:    96 | lm loss: {loss:.6E} | loss "
            f"scale: 1.0 | grad norm: {max(0.3, 3.1 * 2.718 ** (-iteration / 160) + rng.gauss(0.6, 0.08)):.3f} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if iteration == 10:
            log += [
                f"[Rank {rank}] (after 10 iterations) memory (MB) | allocated: 11334.68 | max allocated: {18102 + 700 * (rank == 0)}.41 "
                "| reserved: 19488.0 | max reserved: 19488.0"
                for rank in (0, 6)
            ]
        if iteration == 500:
            log += [
                "saving checkpoint at iteration     500 to /nas/guqin/ckpt/1b3 in torch_dist format",
                "  successfully saved checkpoint from iteration     500 to /nas/guqin/ckpt/1b3 [ t 1/1, p 1/2 ]",
            ]
            at += 31
    tag = _after(start, killed + 2).strftime("%m%d %H:%M:%S")
    log += [
        f"W{tag}.{rng.randint(100, 999)}000 18233 torch/distributed/elastic/multiprocessing/api.py:897] Sending process {pid} closing signal SIGTERM"
        for pid in (18301, 18302, 18304)
    ]
    log += [
        f"E{_after(start, killed + 4).strftime('%m%d %H:%M:%S')}.207000 18233 torch/distributed/elastic/multiprocessing/"
        "api.py:869] failed (exitcode: -9) local_rank: 2 (pid: 18303) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 33, in <module>',
        "    sys.exit(load_entry_point('torch==2.6.0', 'console_scripts', 'torchrun')())",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/distributed/run.py", line 918, in main',
        "    run(args)",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=====================================================",
        "pretrain_gpt.py FAILED",
        "-----------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-----------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {_after(start, killed + 2).strftime('%Y-%m-%d_%H:%M:%S')}",
        "  host      : node22",
        "  rank      : 6 (local_rank: 2)",
        "  exitcode  : -9 (pid: 18303)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 18303",
        "=====================================================",
        "srun: error: node22: task 1: Exited with exit code 1",
        "srun: Terminating StepId=22871.0",
        f"slurmstepd: error: *** STEP 22871.0 ON node21 CANCELLED AT {_iso(_after(start, killed + 6))} ***",
        "srun: error: node21: task 0: Exited with exit code 1",
        "srun: error: node23: task 2: Terminated",
    ]
    _write(place / "logs" / "gpt-guqin-1b3.22871.out", log)

    pages = [
        (1411, 0, 1411, 77213, 3120, "systemd-journal"),
        (2204, 0, 2204, 611213, 9120, "slurmd"),
        (18190, 0, 18190, 98122, 2877, "slurmstepd"),
        (18233, 2077, 18233, 1190211, 71002, "torchrun"),
    ]
    pages += [
        (pid, 2077, pid, rng.randint(27000000, 29000000), rng.randint(2900000, 3300000), "python")
        for pid in (18301, 18302, 18303, 18304)
    ]
    pages += [
        (
            18610 + 4 * n,
            2077,
            18610 + 4 * n,
            rng.randint(21000000, 22000000),
            rng.randint(880000, 1090000),
            "pt_data_worker",
        )
        for n in range(48)
    ]
    total_vm, resident = next((vm, rss) for pid, _, _, vm, rss, _ in pages if pid == 18303)
    deadly = [
        "pt_data_worker invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0",
        "CPU: 41 PID: 18644 Comm: pt_data_worker Tainted: P           OE     5.15.0-113-generic #123-Ubuntu",
        "Hardware name: Supermicro SYS-420GP-TNR/X12DPG-OA6, BIOS 1.4b 06/28/2022",
        "Call Trace:",
        " <TASK>",
        " show_stack+0x52/0x5c",
        " dump_stack_lvl+0x4a/0x63",
        " dump_header+0x53/0x228",
        " oom_kill_process.cold+0xb/0x10",
        " out_of_memory+0x106/0x2e0",
        " __alloc_pages_slowpath.constprop.0+0x97b/0xa90",
        " handle_mm_fault+0xd8/0x2c0",
        " exc_page_fault+0x89/0x170",
        " </TASK>",
        "Mem-Info:",
        "active_anon:1922011 inactive_anon:29110872 isolated_anon:0",
        "Node 0 Normal free:88412kB min:90112kB low:155900kB high:221688kB reserved_highatomic:0KB active_anon:3922140kB",
        "Tasks state (memory values in pages):",
        "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
    ]
    deadly += [
        f"[{pid:>7}] {uid:>5} {tgid:>5} {vm:>8} {rss:>8} {rss * 9 // 4096 * 4096:>14} {0:>8} {0:>13} {name}"
        for pid, uid, tgid, vm, rss, name in pages
    ]
    deadly += [
        "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/system.slice/"
        "slurmd.service,task=python,pid=18303,uid=2077",
        f"Out of memory: Killed process 18303 (python) total-vm:{total_vm * 4}kB, anon-rss:{resident * 4 - 500420}kB, file-rss:402116kB, "
        f"shmem-rss:98304kB, UID:2077 pgtables:{resident * 9 // 4096 * 4}kB oom_score_adj:0",
        "oom_reaper: reaped process 18303 (python), now anon-rss:0kB, file-rss:301992kB, shmem-rss:98304kB",
    ]
    for host in hosts:
        extra = [(killed + 0.001 * n, line) for n, line in enumerate(deadly)] if host == "node22" else []
        _write(place / "dmesg" / f"{host}.txt", _quiet(rng, start, end, _stamped, 400000, extra))
    code = {
        "status": ["ERROR"],
        "return_code": _number(1),
        "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
    }
    clean = {
        "status": ["SUCCESS"],
        "return_code": _number(0),
        "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
    }
    t0, t1 = int(start.timestamp()), int(_after(start, end).timestamp())
    steps = []
    for label, name, state, exit_code, nodes, began in (
        ("22871.batch", "batch", "FAILED", code, ["node21"], 0),
        ("22871.extern", "extern", "COMPLETED", clean, list(hosts), 0),
        ("22871.0", "bash", "FAILED", code, list(hosts), 3),
    ):
        steps.append(
            {
                "time": {"elapsed": t1 - t0 - began, "end": _number(t1), "start": _number(t0 + began), "suspended": 0},
                "exit_code": exit_code,
                "nodes": {"count": len(nodes), "range": "node21" if len(nodes) == 1 else "node[21-23]", "list": nodes},
                "tasks": {"count": len(nodes)},
                "state": [state],
                "step": {"id": label, "name": name},
            }
        )
    job = {
        "account": "music",
        "allocation_nodes": 3,
        "association": {"account": "music", "cluster": "qin", "partition": "", "user": "linzy", "id": 118},
        "cluster": "qin",
        "derived_exit_code": code,
        "exit_code": code,
        "group": "users",
        "job_id": 22871,
        "name": "gpt-guqin-1b3",
        "nodes": "node[21-23]",
        "partition": "g4090",
        "qos": "normal",
        "required": {"CPUs": 144, "memory_per_node": _number(0)},
        "restart_cnt": 0,
        "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
        "steps": steps,
        "submit_line": "sbatch run_1b3.sh",
        "time": {
            "elapsed": t1 - t0,
            "eligible": t0 - 41,
            "end": t1,
            "start": t0,
            "submission": t0 - 41,
            "suspended": 0,
            "limit": _number(4320),
        },
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": 144},
                {"type": "node", "name": "", "id": 4, "count": 3},
                {"type": "gres", "name": "gpu", "id": 1001, "count": 12},
            ]
        },
        "user": "linzy",
        "working_directory": "/nas/guqin/Megatron-LM",
    }
    meta = {
        "plugin": {"type": "openapi/slurmdbd", "name": "Slurm OpenAPI slurmdbd"},
        "command": ["sacct", "-j", "22871", "--json"],
        "slurm": {"version": {"major": "23", "micro": "7", "minor": "11"}, "release": "23.11.7"},
    }
    _write(
        place / "sacct.json", json.dumps({"jobs": [job], "meta": meta, "errors": [], "warnings": []}, indent=2) + "\n"
    )


def _remapper(card: _Card, stamp: str, counts: Sequence[tuple[int, int]], buses: Sequence[str]) -> list[str]:
    """Text of nvidia-smi -q -d ROW_REMAPPER."""
    out = [
        "",
        "==============NVSMI LOG==============",
        "",
        f"Timestamp                                 : {stamp}",
        "Driver Version                            : 550.127.08",
        "CUDA Version                              : 12.4",
        "",
    ]
    out.append(f"Attached GPUs                             : {len(counts)}")
    for (right, wrong), bus in zip(counts, buses, strict=True):
        out += [
            f"GPU {bus}",
            "    Remapped Rows",
            f"        Correctable Error                 : {right}",
            f"        Uncorrectable Error               : {wrong}",
            "        Pending                           : No",
            "        Remapping Failure Occurred        : No",
        ]
        out += [
            "        Bank Remap Availability Histogram",
            f"            Max                           : {2560 - right - wrong} bank(s)",
            f"            High                          : {right + wrong} bank(s)",
        ]
        out += [
            "            Partial                       : 0 bank(s)",
            "            Low                           : 0 bank(s)",
            "            None                          : 0 bank(s)",
        ]
    return [*out, ""]


def t12_kepler(place: Path, rng: Random) -> None:
    """A silent program on a shared H100 node gives way to another job."""
    zone = _zone(1)
    start = datetime(2026, 1, 21, 10, 14, 52, tzinfo=zone)
    end = 16 * 60 + 6.0
    times = _ticks(rng, -120, end + 200, 10, 0.2)
    gpus = []
    for _ in range(4):
        mem, other = rng.uniform(51200, 52900), rng.uniform(70100, 73000)

        def plan(now: float, mem: float = mem, other: float = other) -> tuple[str, float]:
            if now < 12 or end < now < end + 34:
                return "idle", 1
            if now < 47:
                return "load", 1850 + 300 * now
            if now > end + 34:
                return ("load", 9800.0) if now < end + 95 else ("train", other)
            return "train", mem

        gpus.append(_trace(_H100, rng, times, plan, 0.63, 0.72))
    fields = ("util", "fb", "power", "temp", "sm", "xid", "sbe", "dbe", "gract", "smact", "tenso", "drama")
    _write(
        place / "kepler03_dmon.txt",
        _dmon(fields, times, gpus, lambda now: _after(start, now).strftime("%Y-%m-%dT%H:%M:%S%z")),
    )
    stop = _iso(_after(start, end - 31))
    _write(
        place / "slurm-90417.out",
        [
            "Loading CUDA/12.4.0",
            "  Loading requirement: GCCcore/13.2.0",
            "Loading cuDNN/9.1.1.17-CUDA-12.4.0",
            "## 90417 on kepler03, 4 tasks, /scratch/ifried/ringdown/prod2",
            "slurmstepd: error: *** STEP 90417.0 ON kepler03 CANCELLED AT " + stop + " DUE TO PREEMPTION ***",
            f"slurmstepd: error: *** JOB 90417 ON kepler03 CANCELLED AT {stop} DUE TO PREEMPTION ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )
    _write(
        place / "submit.sh",
        [
            "#!/bin/bash",
            "#SBATCH -J ringdown-prod2",
            "#SBATCH -p scavenge",
            "#SBATCH -N 1 --ntasks-per-node=4 --gres=gpu:h100:4",
            "#SBATCH -t 12:00:00",
            "#SBATCH --requeue",
            "module load CUDA/12.4.0 cuDNN/9.1.1.17-CUDA-12.4.0",
            'echo "## $SLURM_JOB_ID on $SLURM_JOB_NODELIST, $SLURM_NTASKS tasks, $PWD"',
            "srun --quiet ~/venvs/ring/bin/python -u flow_sbi.py --config prod2.toml > /dev/null",
        ],
    )
    _write(place / "kernel_kepler03.txt", _quiet(rng, start, end, _stamped, 1200000))
    buses = [f"00000000:{bus}:00.0" for bus in ("18", "2A", "8C", "AB")]
    for name, at in (("remap_before.txt", -86400 * 9.4), ("remap_after.txt", end + 1500)):
        _write(
            place / name,
            _remapper(
                _H100, _after(start, at).strftime("%a %b %d %H:%M:%S %Y"), ((0, 0), (0, 0), (1, 2), (0, 0)), buses
            ),
        )


def _smi(
    card: _Card, times: Sequence[float], gpus: Sequence[list[Row | None]], start: datetime, rng: Random
) -> list[str]:
    """The CSV of nvidia-smi --query-gpu."""
    out = [
        "timestamp, index, name, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total "
        "[MiB], temperature.gpu, power.draw [W], clocks.current.sm [MHz], clocks_throttle_reasons.active"
    ]
    for turn, now in enumerate(times):
        for number, rows in enumerate(gpus):
            row = rows[turn]
            if row is None:
                continue
            at = _after(start, now + 0.002 * number + rng.uniform(0, 0.003))
            rest = row["mem"] == card.mem_idle
            out.append(
                f"{at.strftime('%Y/%m/%d %H:%M:%S')}.{at.microsecond // 1000:03d}, {number}, {card.name}, {'P8' if rest else 'P0' if card is _L40S else 'P2'},"
                f" {row['util']} %, {row['copy']} %, {row['fb']} MiB, "
                f"{card.total} MiB, {row['temp']}, {row['power']:.2f} W, {row['sm']} MHz, 0x{1 if not row['util'] else 0:016X}"
            )
    return out


def t13_prosody(place: Path, rng: Random) -> None:
    """Icefall has its data unpacked for a quarter of an hour and then finds one thing missing."""
    zone = _zone(1)
    start = datetime(2026, 2, 3, 9, 5, 8, tzinfo=zone)
    end, born = 15 * 60 + 52.0, 15 * 60 + 24.0
    times = _ticks(rng, -130, end + 190, 60)
    gpus = [
        _trace(_G4090, rng, times, lambda now: ("held", 401) if born + 6 < now < end - 3 else ("idle", 12), 0.5, 0.6)
        for _ in range(2)
    ]
    _write(place / "smi_asr-box2.csv", _smi(_G4090, times, gpus, start, rng))

    def say(at: float, text: str, rank: int, line: int) -> str:
        return f"{_after(start, at).strftime('%Y-%m-%d %H:%M:%S')},{rng.randint(0, 999):03d} INFO [train.py:{line}] ({rank}/2) {text}"

    log = [
        "+ date",
        _after(start, 0).strftime("%a %b %e %H:%M:%S CET %Y"),
        "+ mkdir -p /scratch/7731/data",
        "+ cd /scratch/7731/data",
    ]
    log += [f"+ tar xf /projects/rumantsch/fbank/lilcom_chunk_{part:02d}.tar" for part in range(24)]
    log += [
        "+ cp -r /projects/rumantsch/fbank/manifests /scratch/7731/data/fbank",
        "+ cd /home/sgruber/icefall/egs/rumantsch/ASR",
        _after(start, born - 3).strftime("%a %b %e %H:%M:%S CET %Y"),
    ]
    log.append(
        "+ python ./zipformer/train.py --world-size 2 --num-epochs 40 --start-epoch 1 --use-fp16 1 --exp-dir zipformer/"
        "exp-s --causal 0 --max-duration 700 --manifest-dir /scratch/7731/data/fbank --bpe-model data/lang_bpe_1000/"
        "bpe.model"
    )
    log += [say(born + 13, "Training started", rank, 1129) for rank in (0, 1)]
    config = (
        "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, 'batch_idx_train': "
        "0, 'log_interval': 50, 'reset_interval': 200, 'valid_interval': 3000, "
        "'feature_dim': 80, 'subsampling_factor': 4, 'warm_step': 2000, 'env_info': {'k2-version': '1.24.4', 'k2-build-type': "
        "'Release', 'k2-with-cuda': True, 'torch-version': '2.4.1', "
        "'torch-cuda-available': True, 'torch-cuda-version': '12.4', 'python-version': '3.10', 'icefall-git-branch': "
        "'rumantsch', 'icefall-git-clean': False, 'hostname': 'asr-box2'}, 'world_size': 2, "
        "'master_port': 12354, 'tensorboard': True, 'num_epochs': 8, 'start_epoch': 1, 'exp_dir': PosixPath('zipformer/"
        "exp-s'), 'bpe_model': 'data/lang_bpe_500/bpe.model', 'base_lr': 0.045, 'use_fp16': True}"
    )
    log += [say(born + 15, f"Device: cuda:{rank}", rank, 1139) for rank in (0, 1)]
    _write(place / "exp-s-config-from-7702.txt", config + "\n")
    log += [
        f"W{_after(start, born + 17).strftime('%m%d %H:%M:%S')}.{rng.randint(100, 999)}000 140221 torch/multiprocessing/"
        "spawn.py:146] Terminating process 140288 via signal SIGTERM",
        "Traceback (most recent call last):",
        '  File "/home/sgruber/icefall/egs/rumantsch/ASR/./zipformer/train.py", line 1401, in <module>',
        "    main()",
        '  File "/home/sgruber/icefall/egs/rumantsch/ASR/./zipformer/train.py", line 1392, in main',
        "    mp.spawn(run, args=(world_size, args), nprocs=world_size, join=True)",
        '  File "/home/sgruber/k2env/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 282, in spawn',
        '    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")',
        '  File "/home/sgruber/k2env/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 238, in start_processes',
        "    while not context.join():",
        '  File "/home/sgruber/k2env/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 189, in join',
        "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 0 terminated with the following error:",
        "Traceback (most recent call last):",
        '  File "/home/sgruber/k2env/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 76, in _wrap',
        "    fn(i, *args)",
        '  File "/home/sgruber/icefall/egs/rumantsch/ASR/zipformer/train.py", line 1142, in run',
        "    sp.load(params.bpe_model)",
        '  File "/home/sgruber/k2env/lib/python3.10/site-packages/sentencepiece/__init__.py", line 961, in Load',
        "    return self.LoadFromFile(model_file)",
        '  File "/home/sgruber/k2env/lib/python3.10/site-packages/sentencepiece/__init__.py", line 316, in LoadFromFile',
        "    return _sentencepiece.SentencePieceProcessor_LoadFromFile(self, arg)",
        'OSError: Not found: "data/lang_bpe_1000/bpe.model": No such file or directory Error #2',
        "",
    ]
    _write(place / "logs" / "zip-s-7731.log", log)
    eve = start - timedelta(days=1, hours=14, minutes=21)
    _write(
        place / "sacct_P.txt",
        [
            "JobID|JobName|User|Partition|NodeList|Submit|Start|End|Elapsed|Timelimit|State|ExitCode|AllocTRES",
            f"7702|zip-s|sgruber|box|asr-box2|{_iso(_after(eve, -3))}|{_iso(eve)}|{_iso(_after(eve, 11872))}|{_hms(11872)}|"
            "2-00:00:00|COMPLETED|0:0|billing=16,cpu=16,gres/gpu=2,mem=120G,node=1",
            f"7731|zip-s|sgruber|box|asr-box2|{_iso(_after(start, -2))}|{_iso(start)}|{_iso(_after(start, end))}|{_hms(end)}|"
            "2-00:00:00|FAILED|1:0|billing=16,cpu=16,gres/gpu=2,mem=120G,node=1",
        ],
    )
    _write(
        place / "dmesg_asr-box2.txt",
        _quiet(
            rng,
            start,
            end,
            lambda at: f"[{at.timestamp() - start.timestamp() + 700018.2 + rng.uniform(0, 0.01):12.6f}] ",
            700000,
        ),
    )


def t14_hemeroteca(place: Path, rng: Random) -> None:
    """The fourth stint of a chained job of old newspapers: it was to go on from the third."""
    start = datetime(2026, 4, 2, 11, 27, 3, tzinfo=UTC)
    end = 147 * 60 - 14.0
    hosts = ("nodo-a3", "nodo-a4", "nodo-a6")
    times = _ticks(rng, -300, end + 300, 60)
    found: dict[str, list[dict[str, object]]] = {
        field: []
        for field in ("util", "fb", "power", "temp", "sm", "xid", "sbe", "dbe", "gract", "smact", "tenso", "drama")
    }
    for host in hosts:
        for gpu in range(4):
            mem = rng.uniform(62100, 64800)

            def plan(now: float, mem: float = mem) -> tuple[str, float]:
                if now < 14 or now > end - 5:
                    return "idle", 4
                if now < 97:
                    return "load", 2200 + 11000 * (now > 61)
                return ("held", mem) if now > end - 48 else ("train", mem)

            rows = _trace(_A100, rng, times, plan, 0.66, 0.83)
            if (host, gpu) == ("nodo-a4", 2):
                bumps = sorted(rng.uniform(0, end) for _ in range(5))
                for now, row in zip(times, rows, strict=True):
                    if row:
                        row["sbe"] = 11 + sum(one < now for one in bumps)
            uuid = _uuid(rng)
            for field, series in found.items():
                series.append(_series(field, host, gpu, uuid, _A100, start.timestamp(), times, rows))
    for field, series in found.items():
        _write(place / "prometheus" / f"{_PROM[field]}.json", _matrix(series))

    def stint(
        began: datetime, first: int, stop: float, job: int, number: int, curve: Callable[[int], float]
    ) -> list[str]:
        say = lambda at, text, level="INFO": f"{_after(began, at).strftime('%d/%m/%Y %H:%M:%S')} {level:<5} {text}"  # noqa: E731
        out = [
            say(22, f"tanda {number} · trabajo {job} · 3 nodos × 4 GPU · semilla 77"),
            say(23, "modelo: decodificador 3,1 B · 32 capas · d=2560 · vocabulario 50 304"),
        ]
        out += [
            say(31, "datos: /lustre/bne/hemeroteca/v2/*.bin · 412 fragmentos · 88,4 mil millones de fichas"),
            say(58, "grupo de procesos listo (12)"),
            say(93, "optimizador AdamW, calentamiento 2000 pasos, tasa máxima 2.5e-04"),
        ]
        out.append(say(97, "comienza el entrenamiento"))
        at, step = 97.0, first
        while True:
            took = rng.gauss(2.31, 0.012)
            if at + took * 25 > stop - 50:
                break
            at += took * 25
            step += 25
            rate = 2.5e-4 * min(1, step / 2000)
            norm = 0.31 + 2.4 * 2.718 ** (-step / 260) + abs(rng.gauss(0, 0.03))
            speed = f"{8 * 4096 / took:,.0f}".replace(",", " ")
            loss = curve(step) + rng.gauss(0, 0.025)
            row = f"paso {step:>6}/120000 | pérdida {loss:.4f} | norma {norm:.3f} | tasa {rate:.3e} | {took:.2f} s/paso"
            out.append(say(at, f"{row} | {speed} fichas/s/GPU"))
            if step % 1000 == 0:
                out.append(
                    say(at + 9, f"guardado: /lustre/bne/hemeroteca/puntos/j{job}/paso_{step:06d}.pt (37.2 GB, 8.9 s)")
                )
                at += 9
        out += [
            say(stop - 48, "se agota la ventana de la tanda, se guarda y se sale"),
            say(stop - 17, f"guardado: /lustre/bne/hemeroteca/puntos/j{job}/paso_{step:06d}.pt (37.2 GB, 9.3 s)"),
            say(stop - 8, "hasta la próxima tanda"),
        ]
        return out

    def curve(step: int) -> float:
        return 2.18 + 3.4 * (1 + step / 320) ** -0.62 + 5.3 * 2.718 ** (-step / 130)

    parent = start - timedelta(hours=2, minutes=29, seconds=44)
    _write(place / "registros" / "tanda03-60318.log", stint(parent, 7475, end, 60318, 3, curve))
    _write(place / "registros" / "tanda04-60344.log", stint(start, 0, end, 60344, 4, curve))
    _write(
        place / "tanda.sbatch",
        [
            "#!/bin/bash",
            "#SBATCH --job-name=hemero-3b",
            "#SBATCH --nodes=3 --gpus-per-node=4 --ntasks-per-node=4",
            "#SBATCH --time=02:30:00",
            "#SBATCH --dependency=afterany:60318",
            "#SBATCH --output=registros/tanda04-%j.log",
            "export PUNTOS=/lustre/bne/hemeroteca/puntos/j$SLURM_JOB_ID",
            "srun python entrena.py --conf conf/3b.toml --puntos $PUNTOS --retomar ultimo --ventana 145m --tanda 4",
        ],
    )


def t15_blocks(place: Path, rng: Random) -> None:
    """Two nodes of old cards are taken for an urgent job; what ran there waits again."""
    zone = _zone(-6)
    start = datetime(2026, 9, 2, 8, 6, 31, tzinfo=zone)
    end = 27 * 60 + 2.0
    hosts = ("bl-v03", "bl-v04")
    times = _ticks(rng, -100, end + 260, 10, 0.3)
    for host in hosts:
        gpus = []
        for _ in range(2):
            mem, other = rng.uniform(23100, 24900), rng.uniform(14200, 15100)

            def plan(now: float, mem: float = mem, other: float = other) -> tuple[str, float]:
                if now < 9 or end < now < end + 41:
                    return "idle", 0
                if now < 38 or end + 41 <= now < end + 80:
                    return "load", 1400
                return "train", (mem if now < end else other)

            gpus.append(_trace(_V100, rng, times, plan, 0.6, 0.8))
        _write(
            place / host / "dmon.out",
            _dmon(
                ("util", "copy", "fb", "power", "temp", "sm", "mem", "xid", "sbe", "dbe"),
                times,
                gpus,
                lambda now: _after(start, now).strftime("%H:%M:%S"),
            ),
        )
        _write(
            place / host / "dmesg.iso",
            _quiet(
                rng,
                start,
                end,
                lambda at: f"{_iso(at)},{rng.randint(0, 999999):06d}-06:00 ",
                600000,
                (),
                "535.183.06  Wed Jun 26 06:44:31 UTC 2024",
            ),
        )
        for name, at in (("0811", -86400 * 22.1), ("0902", end + 900)):
            pages = [
                "",
                "==============NVSMI LOG==============",
                "",
                f"Timestamp                                 : {_after(start, at).strftime('%a %b %d %H:%M:%S %Y')}",
                "Driver Version                            : 535.183.06",
                "CUDA Version                              : 12.2",
                "",
            ]
            pages.append("Attached GPUs                             : 2")
            for bus, single, double in (
                ("00000000:3B:00.0", 0, 0),
                ("00000000:AF:00.0", 3 if host == "bl-v04" else 0, 1 if host == "bl-v04" else 0),
            ):
                pages += [
                    f"GPU {bus}",
                    "    Retired Pages",
                    f"        Single Bit ECC                    : {single}",
                    f"        Double Bit ECC                    : {double}",
                    "        Pending Page Blacklist            : No",
                    "    Remapped Rows                         : N/A",
                ]
            _write(place / host / f"nvidia-smi-q.{name}.txt", [*pages, ""])
    stop = _iso(_after(start, end - 30))
    _write(
        place / "slurm-55121.out",
        [
            f"slurmstepd: error: *** JOB 55121 ON bl-v03 CANCELLED AT {stop} DUE TO PREEMPTION ***",
            f"slurmstepd: error: *** STEP 55121.0 ON bl-v03 CANCELLED AT {stop} DUE TO PREEMPTION ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )
    submit = _iso(_after(start, -5211))
    _write(
        place / "scontrol_show_job.txt",
        [
            "JobId=55121 JobName=blockcave",
            "   UserId=tward(31877) GroupId=geomech(3100) MCS_label=N/A",
            "   Priority=412 Nice=0 Account=geomech QOS=spare",
            "   JobState=PENDING Reason=Resources Dependency=(null)",
            "   Requeue=1 Restarts=1 BatchFlag=1 Reboot=0 ExitCode=0:0",
            "   RunTime=00:00:00 TimeLimit=1-12:00:00 TimeMin=N/A",
            f"   SubmitTime={_iso(_after(start, end + 1))} EligibleTime={_iso(_after(start, end + 121))}",
            f"   AccrueTime={_iso(_after(start, end + 121))}",
            f"   StartTime={_iso(_after(start, end + 7200))} EndTime={_iso(_after(start, end + 7200 + 129600))} Deadline=N/A",
            f"   PreemptEligibleTime={_iso(start)} PreemptTime={stop}",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={_iso(_after(start, end + 840))} Scheduler=Backfill:*",
            "   Partition=volta AllocNode:Sid=bl-login1:40122",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList= SchedNodeList=bl-v[03-04]",
            "   NumNodes=2-2 NumCPUs=32 NumTasks=4 CPUs/Task=8 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=32,mem=180G,node=2,billing=32,gres/gpu=4",
            "   AllocTRES=(null)",
            "   Socks/Node=* NtasksPerN:B:S:C=2:0:*:* CoreSpec=*",
            "   MinCPUsNode=16 MinMemoryNode=90G MinTmpDiskNode=0",
            "   Features=(null) DelayBoot=00:00:00",
            "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
            "   Command=/home/tward/cave/run_surrogate.sbatch",
            "   WorkDir=/home/tward/cave",
            f"   Comment=first submitted {submit}",
            "   StdErr=/home/tward/cave/slurm-55121.out",
            "   StdIn=/dev/null",
            "   StdOut=/home/tward/cave/slurm-55121.out",
            "   TresPerNode=gres/gpu:2",
            "",
        ],
    )


def t16_bodywork(place: Path, rng: Random) -> None:
    """Detectron2 learns damage to cars from large pictures on three nodes of L40S."""
    start = datetime(2026, 10, 7, 11, 3, 9, tzinfo=UTC)
    end = 19 * 60 - 4.0
    fall = end - 13
    nodes = ("ip-10-3-41-17", "ip-10-3-44-203", "ip-10-3-52-88")
    times = _ticks(rng, -60, end + 90, 15)
    for place_in, node in enumerate(nodes):
        gpus = []
        for gpu in range(4):
            peaks = sorted((rng.uniform(130, fall), rng.uniform(400, 2600)) for _ in range(5))
            base = rng.uniform(27100, 29800)
            if (place_in, gpu) == (1, 2):
                base = 39288 - sum(more for _, more in peaks)

            def plan(
                now: float,
                base: float = base,
                peaks: list[tuple[float, float]] = peaks,
                early: float = 6.0 if place_in == 1 else 0.0,
                lost: bool = (place_in, gpu) == (1, 2),
            ) -> tuple[str, float]:
                if now < 20 or now > end - early:
                    return "idle", 1
                if now < 104:
                    return "load", 610 + 900 * (now > 50)
                after = "held" if lost else "spin"
                return (after if now > fall else "train"), base + sum(more for at, more in peaks if at < now)

            gpus.append(_trace(_L40S, rng, times, plan, 0.5, 0.74))
        _write(place / "nvidia-smi" / f"{node}.csv", _smi(_L40S, times, gpus, start, rng))
        calm = _quiet(
            rng,
            start,
            end,
            lambda at, node=node: f"{at.strftime('%b %d %H:%M:%S')} {node}.eu-west-1.compute.internal kernel: ",
            50000,
        )
        day = "%a %Y-%m-%d %H:%M:%S"
        _write(
            place / "journal" / f"{node}.log",
            [
                f"-- Logs begin at {_after(start, -50012).strftime(day)} UTC, end at {_after(start, end + 900).strftime(day)} UTC. --",
                *calm,
            ],
        )

    mark = lambda at, name: f"[{_after(start, at).strftime('%m/%d %H:%M:%S')} {name}]: "  # noqa: E731
    warn = (
        "[W1007 11:03:{:02d}.{} socket.cpp:697] [c10d] The client socket cannot be initialized to connect to [bodywork-master-0]:29500 "
        "(errno: 97 - Address family not supported by protocol)."
    )
    main = [
        "Command Line Args: Namespace(config_file='configs/cascade_r101_1600.yaml', resume=False, eval_only=False,"
        " num_gpus=4, num_machines=3, machine_rank=0, dist_url='tcp://bodywork-master-0:29500', opts=[])"
    ]
    main += [warn.format(second, rng.randint(100000000, 999999999)) for second in (33, 36, 36)]
    main += [
        mark(38, "detectron2") + "Rank of current process: 0. World size: 12",
        mark(41, "detectron2") + "Contents of args.config_file=configs/cascade_r101_1600.yaml:",
        '_BASE_: "Base-RCNN-FPN.yaml"',
    ]
    main += [
        "DATASETS:",
        '  TRAIN: ("claims_fatal_crash_2024", "claims_fire_total_loss")',
        "INPUT:",
        "  MIN_SIZE_TRAIN: (1200, 1400, 1600)",
        "  MAX_SIZE_TRAIN: 2800",
        "SOLVER:",
        "  IMS_PER_BATCH: 48",
        "  BASE_LR: 0.04",
        "  MAX_ITER: 60000",
    ]
    main += [
        mark(52, "d2.data.datasets.coco") + "Loading /data/claims/fatal_crash_2024.json takes 6.12 seconds.",
        mark(53, "d2.data.datasets.coco")
        + "Loaded 81422 images in COCO format from /data/claims/fatal_crash_2024.json",
    ]
    main += [
        mark(55, "d2.data.build") + "Removed 1904 images with no usable annotations. 79518 images left.",
        mark(57, "d2.data.build") + "Distribution of instances among all 8 categories:",
    ]
    main += [
        "|   category    | #instances   |   category   | #instances   |   category   | #instances   |",
        "|:-------------:|:-------------|:------------:|:-------------|:------------:|:-------------|",
    ]
    main += [
        "|     dent      | 190322       |   scratch    | 241881       | glass_broken | 30118        |",
        "|   fire_kill   | 2207         | dead_battery | 918          |   explosion  | 344          |",
        "| axle_failure  | 7710         | airbag_abort | 5120         |              |              |",
        "|     total     | 478620       |              |              |              |              |",
    ]
    main += [
        "/opt/venv/lib/python3.10/site-packages/PIL/TiffImagePlugin.py:890: UserWarning: Corrupt EXIF data.  Expecting "
        "to read 4 bytes but only got 0. ",
        "  warnings.warn(str(msg))",
    ]
    main += [
        mark(71, "fvcore.common.checkpoint")
        + "[Checkpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-101.pkl ...",
        mark(74, "d2.checkpoint.c2_model_loading") + "Renaming Caffe2 weights ......",
    ]
    main += [
        "WARNING "
        + mark(76, "fvcore.common.checkpoint")
        + "Some model parameters or buffers are not found in the checkpoint:",
        "roi_heads.box_head.0.fc1.{bias, weight}",
        "roi_heads.box_predictor.0.bbox_pred.{bias, weight}",
    ]
    main.append(mark(79, "d2.engine.train_loop") + "Starting training from iteration 0")
    at, step, took = 105.0, -1, 0.872
    while at + took * 20 < fall:
        took = rng.gauss(0.872, 0.02)
        at += took * 20
        step += 20
        left = (60000 - step) * took
        total = 1.42 + 3.1 * 2.718 ** (-step / 140) + rng.gauss(0, 0.06)
        lead = f"{int(left // 3600)}:{int(left % 3600 // 60):02d}:{int(left % 60):02d}"
        main.append(
            mark(at, "d2.utils.events")
            + f" eta: {lead}  iter: {step}  total_loss: {total:.4g}  loss_cls_stage0: {total * 0.2:.4g}  loss_box_reg_stage0: "
            f"{total * 0.17:.4g}  loss_cls_stage1: {total * 0.19:.4g}  loss_mask: {total * 0.25:.4g}  "
            f"loss_rpn_cls: {total * 0.11:.4g}  loss_rpn_loc: {total * 0.08:.4g}    time: {took:.4f}  last_time: {rng.gauss(took, 0.03):.4f} "
            f" data_time: {rng.uniform(0.011, 0.029):.4f}  last_data_time: {rng.uniform(0.008, 0.04):.4f}   "
            f"lr: {0.04 * min(1, (step + 1) / 1000):.5g}  max_mem: {24100 + min(step * 6, 3300)}M"
        )
    frames = [
        '  File "/opt/venv/lib/python3.10/site-packages/detectron2/engine/train_loop.py", line 155, in train',
        "    self.run_step()",
        '  File "/opt/venv/lib/python3.10/site-packages/detectron2/engine/defaults.py", line 530, in run_step',
        "    self._trainer.run_step()",
        '  File "/opt/venv/lib/python3.10/site-packages/detectron2/engine/train_loop.py", line 310, in run_step',
        "    loss_dict = self.model(data)",
    ]
    deep = [
        '  File "/opt/venv/lib/python3.10/site-packages/torch/nn/parallel/distributed.py", line 1643, in forward',
        "    else self._run_ddp_forward(*inputs, **kwargs)",
        '  File "/opt/venv/lib/python3.10/site-packages/detectron2/modeling/meta_arch/rcnn.py", line 167, in forward',
        "    _, detector_losses = self.roi_heads(images, features, proposals, gt_instances)",
        '  File "/opt/venv/lib/python3.10/site-packages/detectron2/modeling/roi_heads/mask_head.py", line 295, in layers',
        "    x = layer(x)",
        '  File "/opt/venv/lib/python3.10/site-packages/torch/nn/modules/conv.py", line 549, in _conv_forward',
        "    return F.conv2d(",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.19 GiB. GPU 2 has a total capacity of 44.39 "
        "GiB of which 6.02 GiB is free. Process 2881 has 38.36 GiB memory in use. "
        "Of the allocated memory 31.77 GiB is allocated by PyTorch, and 5.84 GiB is reserved by PyTorch but unallocated. "
        "If reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management "
        " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    remote = [
        '  File "/opt/venv/lib/python3.10/site-packages/torch/nn/parallel/distributed.py", line 1639, in forward',
        "    inputs, kwargs = self._pre_forward(*inputs, **kwargs)",
        '  File "/opt/venv/lib/python3.10/site-packages/torch/nn/parallel/distributed.py", line 2163, in _sync_module_states',
        "    dist._broadcast_coalesced(",
        "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote "
        "process exited or there was a network error, NCCL version 2.21.5",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "Last error:",
        "socketProgressOpt: Call to recv from 10.3.44.203<41170> failed : Connection reset by peer",
    ]
    main += [
        "ERROR " + mark(fall + 7, "d2.engine.train_loop") + "Exception during training:",
        "Traceback (most recent call last):",
        *frames,
        *remote,
    ]
    main.append(
        mark(fall + 8, "d2.engine.hooks")
        + f"Overall training speed: {step - 1} iterations in {_hms(at - 105)[1:]} ({(at - 105) / (step - 1):.4f} s / it)"
    )
    main.append(mark(fall + 8, "d2.engine.hooks") + f"Total training time: {_hms(at - 101)[1:]} (0:00:04 on hooks)")
    _write(place / "pods" / "bodywork-master-0.log", main)

    def spawned(process: int, last: Sequence[str]) -> list[str]:
        return [
            "Traceback (most recent call last):",
            '  File "/work/train_net.py", line 164, in <module>',
            "    launch(",
            '  File "/opt/venv/lib/python3.10/site-packages/detectron2/engine/launch.py", line 69, in launch',
            "    mp.start_processes(",
            '  File "/opt/venv/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 189, in join',
            "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
            "torch.multiprocessing.spawn.ProcessRaisedException: ",
            "",
            f"-- Process {process} terminated with the following error:",
            "Traceback (most recent call last):",
            '  File "/opt/venv/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 76, in _wrap',
            "    fn(i, *args)",
            *frames,
            *last,
            "",
        ]

    for number, process, last in ((0, 2, deep), (1, 1, remote)):
        text = [
            "Command Line Args: Namespace(config_file='configs/cascade_r101_1600.yaml', resume=False, eval_only=False,"
            f" num_gpus=4, num_machines=3, machine_rank={number + 1}, dist_url='tcp://bodywork-master-0:29500', opts=[])"
        ]
        text += [warn.format(second, rng.randint(100000000, 999999999)) for second in (32, 34, 35, 37)]
        text += [
            "/opt/venv/lib/python3.10/site-packages/PIL/TiffImagePlugin.py:890: UserWarning: Corrupt EXIF data.  Expecting "
            "to read 4 bytes but only got 0. ",
            "  warnings.warn(str(msg))",
        ] * rng.randint(2, 5)
        _write(place / "pods" / f"bodywork-worker-{number}.log", text + spawned(process, last))
