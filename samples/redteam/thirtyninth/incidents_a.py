"""What eight GPU jobs left behind: metrics, accounting, kernel logs and training logs.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from samples.redteam.thirtyninth.gauge_ia import (
    A100,
    A6000,
    B200,
    H100,
    H200,
    V100,
    Gpu,
    Load,
    clock,
    dcgm,
    exporter,
    gpus,
    grid,
    identifier,
    sample,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random


def put(path: Path, lines: list[str]) -> None:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def after(start: datetime, seconds: float) -> datetime:
    """The time so many seconds later."""
    return start + timedelta(seconds=seconds)


def plain(when: datetime) -> str:
    """A time as Slurm writes it."""
    return when.strftime("%Y-%m-%dT%H:%M:%S")


def t01_distil(place: Path, rng: Random) -> None:
    """One of four GPUs has more to do at every step than the rest."""
    start, lasted, turn, slow = clock(9, 2026, 5, 19, 10, 41, 7), 359 * 60 - 22, 57 * 60 + 40, 2

    def load(index: int) -> Callable[[float], Load]:
        used = (38112, 37890, 38655, 37904)[index]

        def at(t: float) -> Load:
            if t < 4 or t > lasted - 6:
                return Load()
            if t < 95:
                return Load(used=min(used * 0.34, 90 * t), rx=3e8 if t > 40 else 1e6)
            if t < turn:
                return Load(0.965, 0.57, 0.41, 0.24, 0.82, used, 1.9e9, 1.7e9, noise=0.04)
            if index == slow:
                return Load(0.972, 0.615, 0.44, 0.26, 0.86, used + 2840, 0.86e9, 0.74e9, noise=0.04)
            return Load(1.0, 0.217 + 0.006 * index, 0.152, 0.088, 0.43, used, 0.8e9, 0.72e9, noise=0.05)

        return at

    fleet = gpus(rng, A6000, "ws-kita04", 4, load)
    times = grid(start, lasted / 60, 15, 9, 7)
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times, 56)
    gone = [
        (start.timestamp() + a, start.timestamp() + a + rng.uniform(40, 400))
        for a in (1310, 5220, 8044, 12160, 12900, 17777)
    ]
    single = {(name, rng.choice(times)) for name in fleet[0].rows[0][1] for _ in range(14)}

    def holes(_: Gpu, name: str, now: float) -> bool:
        return any(a <= now <= b for a, b in gone) or (name, now) in single

    dcgm(
        place / "dcgm_ws-kita04.json",
        fleet,
        {
            "ECC_SBE_VOL_TOTAL",
            "ECC_DBE_VOL_TOTAL",
            "UNCORRECTABLE_REMAPPED_ROWS",
            "CORRECTABLE_REMAPPED_ROWS",
            "ROW_REMAP_FAILURE",
            "NVLINK_BANDWIDTH_TOTAL",
            "MEMORY_TEMP",
        },
        holes,
    )
    end = after(start, lasted)
    tres = "billing=48,cpu=48,gres/gpu=4,mem=220G,node=1"
    put(
        place / "sacct.txt",
        [
            "JobID|JobName|Partition|Account|AllocTRES|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NodeList|MaxRSS",
            f"20718|蒸馏_语音_v3|a6000|kitalab|{tres}|COMPLETED|0:0|2026-05-19T10:40:58|{plain(start)}|{plain(end)}|05:58:38"
            "|12:00:00|ws-kita04|",
            f"20718.batch|batch||kitalab|cpu=48,gres/gpu=4,mem=220G,node=1|COMPLETED|0:0|{plain(start)}|{plain(start)}|"
            f"{plain(end)}|05:58:38||ws-kita04|1204K",
            f"20718.extern|extern||kitalab|{tres}|COMPLETED|0:0|{plain(start)}|{plain(start)}|{plain(end)}|05:58:38||"
            "ws-kita04|0",
            f"20718.0|torchrun||kitalab|cpu=48,gres/gpu=4,mem=220G,node=1|COMPLETED|0:0|{plain(after(start, 2))}|"
            f"{plain(after(start, 2))}|{plain(end)}|05:58:36||ws-kita04|60217804K",
        ],
    )
    stamp = "%a %b %e %H:%M:%S %Y"
    notes = [
        (-40100, "perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500"),
        (-8120, "usb 1-4: USB disconnect, device number 5"),
        (-8117, "usb 1-4: new full-speed USB device number 6 using xhci_hcd"),
        (-611, "nvme nvme1: 32/0/0 default/read/poll queues"),
        (7215, "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none."),
        (
            15333,
            f'audit: type=1400 audit({int(start.timestamp()) + 15333}.113:92): apparmor="STATUS" '
            f'operation="profile_replace" '
            'profile="unconfined" name="snap.firefox" pid=90412 comm="apparmor_parser"',
        ),
    ]
    put(place / "dmesg_ws-kita04.txt", [f"[{after(start, t).strftime(stamp)}] {text}" for t, text in notes])


def t02_short(place: Path, rng: Random) -> None:
    """A fan tray fails, the one GPU in use runs hot, and the hardware takes its clocks down."""
    start, lasted = clock(8, 2026, 9, 3, 22, 17, 31), 364

    def load(_: int) -> Callable[[float], Load]:
        def at(t: float) -> Load:
            if t < 3 or t > lasted - 3:
                return Load()
            if t < 24:
                return Load(used=5200 + 900 * t, rx=4.1e9)
            if t < 112:
                return Load(0.985, 0.9, 0.47, 0.58, 0.86, 151208, 2.3e9, 3.1e8, noise=0.015)
            if t < 131:
                return Load(0.988, 0.91, 0.33, 0.41, 0.55, 151208, 1.6e9, 2.2e8, clock=0.66, throttle=0x48)
            return Load(
                0.991,
                0.92,
                0.175,
                0.21,
                0.3,
                151208,
                0.84e9,
                1.1e8,
                clock=0.35 + 0.04 * math.sin(t / 13),
                throttle=0x48,
                noise=0.015,
            )

        return at

    gpu = gpus(rng, B200, "gx-b09", 1, load)[0]
    gpu.index, gpu.ambient = 5, 48
    times = grid(start, lasted / 60, 10, 3, 3)
    sample(rng, gpu, start.timestamp(), times, 62)
    zone, lines, heat = start.tzinfo, [], 55.0
    head = (
        "#Entity   GPUTL  MCUTL  FBUSD  FBFRE    POWER    TMPTR  MMTMP  SMCLK  MMCLK  DVCCTR  TVIOL          "
        "SBVTL  DBVTL  GRACT  SMACT  TENSO  DRAMA  PCITX        PCIRX"
    )
    for place_in, (now, row) in enumerate(gpu.rows):
        t = now - start.timestamp()
        if t < 24 or t > lasted:
            heat += ((52 if t < 24 else 46) - heat) * 0.2
        elif t < 112:
            heat = min(92.6, heat + (101 - heat) * 0.21)
        else:
            heat = 91.4 + rng.gauss(0, 0.7)
        when = datetime.fromtimestamp(now, zone).strftime("%Y-%m-%d %H:%M:%S")
        if place_in % 12 == 0:
            lines += [f"{when} {head}", f"{when} ID"]
        lines.append(
            f"{when} GPU 5     {row['GPU_UTIL']:<6} {row['MEM_COPY_UTIL']:<6} {row['FB_USED']:<6} {row['FB_FREE']:<8} "
            f"{row['POWER_USAGE']:<8} {round(heat):<6} {round(heat + 3):<6} {row['SM_CLOCK']:<6} {row['MEM_CLOCK']:<6} "
            f"{row['CLOCK_THROTTLE_REASONS']:<7} {row['THERMAL_VIOLATION']:<14} 0      0      "
            f"{row['PROF_GR_ENGINE_ACTIVE']:.3f}  {row['PROF_SM_ACTIVE']:.3f}  {row['PROF_PIPE_TENSOR_ACTIVE']:.3f}  "
            f"{row['PROF_DRAM_ACTIVE']:.3f}  {row['PROF_PCIE_TX_BYTES']:<12} {row['PROF_PCIE_RX_BYTES']}"
        )
    put(place / "dmon_gx-b09_gpu5.log", lines)
    put(
        place / "sacct.out",
        [
            "JobID|JobName|User|Partition|NNodes|AllocTRES|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList",
            "771204|pack-eval|hsuyc|b200|1|billing=14,cpu=14,gres/gpu:b200=1,gres/gpu=1,mem=240G,node=1|COMPLETED|0:0|"
            f"{plain(start)}|{plain(after(start, lasted))}|00:06:04|01:00:00|gx-b09",
        ],
    )
    kill = -7 * 3600 - 811
    group = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod5a1f.slice/cri-containerd-93ce07.scope"
    notes = [
        (
            kill,
            "kernel: [2210877.104411] promtail invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, "
            "oom_score_adj=969",
        ),
        (kill, "kernel: [2210877.104602] memory: usage 524288kB, limit 524288kB, failcnt 3391"),
        (
            kill,
            f"kernel: [2210877.104911] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=93ce07,"
            f"mems_allowed=0-1,oom_memcg={group},task_memcg={group},task=promtail,pid=184110,uid=0",
        ),
        (
            kill,
            "kernel: [2210877.105208] Memory cgroup out of memory: Killed process 184110 (promtail) "
            "total-vm:1988120kB, anon-rss:518332kB, file-rss:4112kB, shmem-rss:0kB, UID:0 pgtables:1404kB "
            "oom_score_adj:969",
        ),
        (-5160, "systemd[1]: Starting Daily man-db regeneration..."),
        (-5158, "systemd[1]: man-db.service: Deactivated successfully."),
        (-1744, "ipmievd: Fan sensor FAN_TRAY_6A     Lower Critical going low  (Reading 1120 < Threshold 3360 RPM)"),
        (-1744, "ipmievd: Fan sensor FAN_TRAY_6B     Lower Critical going low  (Reading 0 < Threshold 3360 RPM)"),
        (0, "slurmd[4127]: slurmd: task_p_slurmd_batch_request: 771204"),
        (1, "slurmd[4127]: slurmd: Launching batch job 771204 for UID 21544"),
        (
            109,
            "ipmievd: Temperature sensor TEMP_GPU_6      Upper Non-critical going high (Reading 91 > Threshold 90 "
            "degrees C)",
        ),
        (365, "slurmstepd[901877]: [771204.batch] done with job"),
    ]
    put(place / "syslog_gx-b09", [f"{after(start, t).strftime('%b %e %H:%M:%S')} gx-b09 {text}" for t, text in notes])


def t03_tune(place: Path, rng: Random) -> None:
    """All stops in mid-run, and nothing of what is left says by what."""
    start, lasted = clock(8, 2026, 4, 27, 15, 2, 40), 20 * 60 - 9

    def load(index: int) -> Callable[[float], Load]:
        used = 96400 + 350 * (index % 3) + (800 if index == 0 else 0)

        def at(t: float) -> Load:
            if t < 8 or t > lasted:
                return Load()
            if t < 118:
                return Load(used=min(18800, 300 * t), rx=1.1e9)
            return Load(0.974, 0.79, 0.49, 0.44, 0.77, used, 7e8, 6e8, 1.7e11, noise=0.02)

        return at

    fleet = gpus(rng, H200, "hgx-221", 8, load)
    times = grid(start, lasted / 60, 60, 6, 6)
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times)
    dcgm(place / "prom_gpu_hgx-221.json", fleet)
    run = "/data/runs/crashlog-triage-70b"
    lines = [
        "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 2",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /data/weights/Llama-3.3-70B-Instruct",
        "  model_type: LLAMA3",
        f"  output_dir: {run}",
        "  recipe_checkpoint: null",
        "clip_grad_norm: null",
        "compile: false",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  data_files: /data/sets/kernel_panic_oom_segfault_qa.jsonl",
        "  packed: true",
        "  source: json",
        "  split: train",
        "device: cuda",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 1",
        "fsdp_cpu_offload: false",
        "gradient_accumulation_steps: 1",
        "log_every_n_steps: 1",
        "max_steps_per_epoch: null",
        "metric_logger:",
        "  _component_: torchtune.training.metric_logging.DiskLogger",
        f"  log_dir: {run}/logs",
        "model:",
        "  _component_: torchtune.models.llama3_3.llama3_3_70b",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 1.0e-05",
        "resume_from_checkpoint: false",
        "seed: 90210",
        "shuffle: true",
        "tokenizer:",
        "  _component_: torchtune.models.llama3.llama3_tokenizer",
        "  max_seq_len: 2048",
        "",
        f"{after(start, 21).strftime('%H:%M:%S')} WARNING: Failed to import bitsandbytes: fatal error ignored, "
        "paged optimizers unavailable",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 90210. Local seed is seed + rank = 90210 + 0",
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        "INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 71.44 secs",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory active: 17.93 GiB",
        "\tGPU peak memory alloc: 17.93 GiB",
        "\tGPU peak memory reserved: 18.11 GiB",
        "INFO:torchtune.utils._logging:Optimizer is initialized.",
        "INFO:torchtune.utils._logging:Loss is initialized.",
        "INFO:torchtune.utils._logging:Dataset and Sampler are initialized.",
        "WARNING:torchtune.utils._logging:sample 1187: text holds the words 'Killed', 'Aborted (core dumped)' and "
        "'CUDA error: device-side assert'; kept, as corrupted-text filter is off",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
    ]
    bar, t, step, total = [], 118.0, 0, 611
    while t < lasted - 3.2:
        step, t = step + 1, t + rng.gauss(3.31, 0.06)
        loss = 0.78 + 0.94 * math.exp(-step / 60) + rng.gauss(0, 0.05)
        done, gone = round(10 * step / total), int(t - 118)
        rest = int((total - step) * 3.31)
        bar.append(
            f"1|{step}|Loss: {loss:.12f}:  {100 * step // total}%|{'█' * done}{' ' * (10 - done)}| "
            f"{step}/{total} "
            f"[{gone // 60:02d}:{gone % 60:02d}<{rest // 60:02d}:{rest % 60:02d},  3.31s/it]"
        )
    (place / "tune.log").write_text("\n".join(lines) + "\n" + "\r".join(bar), encoding="utf-8")
    boot = 4477120.0
    notes = [
        (-5000.2, "IPv6: ADDRCONF(NETDEV_CHANGE): veth3c1: link becomes ready"),
        (-4999.8, "docker0: port 3(veth3c1) entered blocking state"),
        (-312.4, "nfs: server isi-a not responding, still trying"),
        (-311.1, "nfs: server isi-a OK"),
        (-40.3, "nvidia-uvm: Loaded the UVM driver, major device number 509."),
        (460.8, "ACPI Error: No handler for Region [POWR] (00000000c1f2) [IPMI] (20210730/evregion-130)"),
        (1420.1, "docker0: port 3(veth3c1) entered disabled state"),
        (2044.6, "perf: interrupt took too long (3166 > 3141), lowering kernel.perf_event_max_sample_rate to 63000"),
    ]
    put(place / "dmesg_hgx-221.txt", [f"[{boot + t:.6f}] {text}" for t, text in notes])


def t04_shards(place: Path, rng: Random) -> None:
    """One rank stays in its read; the others wait in a gather until the watchdog's hour is over."""
    start, freeze, lasted, lost = clock(1, 2026, 2, 10, 8, 12, 9), 3731.0, 7391, ("volta-b17", 3)

    def load(node: str) -> Callable[[int], Callable[[float], Load]]:
        def one(index: int) -> Callable[[float], Load]:
            used = 27010 + 64 * ((index * 5) % 7)

            def at(t: float) -> Load:
                if t < 5 or t > lasted - 4:
                    return Load()
                if t < 140:
                    return Load(used=min(6900, 60 * t))
                if t < freeze:
                    return Load(0.95, 0.7, 0.46, 0.3, 0.79, used)
                if (node, index) == lost:
                    return Load(used=used)
                return Load(1.0, 0.06, 0.004, 0, 0.075, used)

            return at

        return one

    names, fleet = ("volta-b16", "volta-b17"), []
    times = grid(start, lasted / 60, 60, 10, 10)
    for node in names:
        fleet += gpus(rng, V100, node, 8, load(node))
    fleet[6].corrected, fleet[6].ticks = 41, sorted(rng.uniform(0, lasted) for _ in range(9))
    fleet[13].corrected, fleet[13].ticks = 3, [812.0, 5520.0]
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times, 44)
    exporter(place / "query_range.json", fleet)
    end = after(start, lasted)
    put(
        place / "sacct.txt",
        [
            "JobID           JobName  Partition   NNodes  AllocCPUS      State ExitCode               Start             "
            "    "
            "End    Elapsed  Timelimit             NodeList",
            "------------ ---------- ---------- -------- ---------- ---------- -------- ------------------- "
            "------------------- ---------- ---------- --------------------",
            f"96114         esm-fsdp2       v100        2         80     FAILED      1:0 {plain(start)} {plain(end)}   "
            f"02:03:11 "
            "1-00:00:00     volta-b[16-17]",
            f"96114.batch       batch                   1         40     FAILED      1:0 {plain(start)} {plain(end)}   "
            f"02:03:11 "
            "                    volta-b16",
            f"96114.0        torchrun                   2         80     FAILED      1:0 {plain(after(start, 3))} "
            f"{plain(end)}"
            "   02:03:08                 volta-b[16-17]",
        ],
    )
    lines = [
        "+ srun --nodes=2 --ntasks-per-node=1 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d "
        "--rdzv_endpoint=volta-b16:29411 fsdp_esm.py --hidden 2560 --layers 33 --pg-timeout-min 60"
    ]

    def say(t: float, text: str) -> None:
        lines.append(f"{after(start, t).strftime('%H:%M:%S')} {text}")

    for rank in range(16):
        say(31 + rank / 9, f"r{rank:02d} up on {names[rank // 8]} gpu {rank % 8}")
    say(96, "r00 wrapped 33 blocks, 2.81e+09 params, fp16 mixed, reshard after forward")
    t, step, shard, current = 141.0, 0, 0, [rng.randrange(6, 30) for _ in range(16)]
    order = list(range(700))
    rng.shuffle(order)
    while t < freeze:
        step, t = step + 1, t + rng.gauss(4.42, 0.05)
        if t >= freeze - 2:
            break
        if step % 10 == 0:
            loss = 2.52 + 0.42 * math.exp(-step / 210) + rng.gauss(0, 0.012)
            say(
                t,
                f"r00 step {step} loss {loss:.4f} gnorm {abs(rng.gauss(0.61, 0.08)):.3f} scale 32768 "
                f"{59.3 + rng.gauss(0, 0.5):.1f}k res/s",
            )
        for rank in range(16):
            current[rank] -= 1
            if not current[rank] and t < freeze - 40:
                current[rank], shard = rng.randrange(110, 150), shard + 1
                say(t + 0.2, f"r{rank:02d} open ur50-{order[shard]:04d}.tar")
                say(t + 0.9, f"r{rank:02d} open ur50-{order[shard]:04d}.tar ok, {rng.randrange(3900, 4100)} rows")
    say(freeze - 2, f"r11 open ur50-{order[shard + 1]:04d}.tar")
    number, base = 41877, freeze + 3600
    for rank in (r for r in range(16) if r != 11):
        late = rng.randrange(7, 96)
        lines.append(
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:563] [Rank {rank}] Watchdog caught collective operation "
            f"timeout: "
            f"WorkNCCL(SeqNum={number}, OpType=_ALLGATHER_BASE, NumelIn=4917760, NumelOut=78684160, "
            f"Timeout(ms)=3600000) ran for {3600000 + late} milliseconds before timing out."
        )
        if rank == 0:
            say(base + 1, "r00 (watchdog fired; last finished step " + str(step - 1) + ")")
    for rank in (5, 0, 14):
        lines += [
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:577] Some NCCL operations have failed or timed out. Due to "
            f"the "
            "asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete "
            "data.",
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:583] To avoid data inconsistency, we are taking the entire "
            f"process "
            "down.",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
        ]
    when = after(start, base + 21.417).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    for pid in (30416, 30417, 30418):
        lines.append(
            f"[{when}] torch.distributed.elastic.multiprocessing.api: [WARNING] Sending process {pid} closing "
            "signal SIGTERM"
        )
    lines += [
        f"[{when}] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: -6) local_rank: 5 "
        f"(pid: "
        "30421) of binary: /opt/conda/envs/esm/bin/python",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "fsdp_esm.py FAILED",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {when[:10]}_{when[11:19]}",
        "  host      : volta-b16",
        "  rank      : 5 (local_rank: 5)",
        "  exitcode  : -6 (pid: 30421)",
        "  error_file: <N/A>",
        "  traceback : Signal 6 (SIGABRT) received by PID 30421",
        "srun: error: volta-b16: task 0: Exited with exit code 1",
        "srun: Terminating StepId=96114.0",
        "srun: error: volta-b17: task 1: Exited with exit code 1",
    ]
    put(place / "slurm-96114.out", lines)


def megatron(
    start: datetime,
    first: int,
    last: int,
    pace: float,
    loss: Callable[[int], float],
    rate: Callable[[int], float],
    rng: Random,
    every: int = 10,
) -> list[str]:
    """Lines of Megatron-LM's training log."""
    lines, t = [], 0.0
    for step in range(first, last + 1, every):
        gap = pace * (1 + abs(rng.gauss(0, 0.006)))
        t += gap * every
        lines.append(
            f" [{after(start, t).strftime('%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/  120000 | consumed samples: "
            f"{step * 256:12d} | elapsed time per iteration (ms): {gap * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): "
            f"{184.0 * pace / gap:.1f} | learning rate: {rate(step):.6E} | global batch size:   256 | lm loss: "
            f"{loss(step) + rng.gauss(0, 0.011):.6E} | loss scale: 1.0 | grad norm: "
            f"{abs(rng.gauss(0.29, 0.03)) + 7 * math.exp(-step / 130):.3f} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
    return lines


def saved(step: int, folder: str) -> list[str]:
    """What Megatron-LM says of a checkpoint it writes."""
    return [
        f"saving checkpoint at iteration {step:7d} to {folder} in torch_dist format",
        f"  successfully saved checkpoint from iteration {step:7d} to {folder} [ t 1/1, p 1/1 ]",
    ]


def t05_onward(place: Path, rng: Random) -> None:
    """The second leg looks for the checkpoint in another folder and begins anew."""
    start, lasted = clock(1, 2026, 1, 22, 19, 33, 2), 368 * 60 - 14
    begun, pace = 251.0, 7.06

    def load(index: int) -> Callable[[float], Load]:
        used = 66820 + 128 * (index % 5)

        def at(t: float) -> Load:
            if t < 12 or t > lasted - 5:
                return Load()
            if t < begun:
                return Load(used=min(9800, 70 * t))
            if t > lasted - 100:
                return Load(used=used, tx=1.6e9)
            if 17960 < t < 18020:
                return Load(0.93, 0.77, 0.48, 0.48, 0.78, used, 1.6e9, 2.2e9, 1.1e11)
            return Load(0.981, 0.83, 0.51, 0.52, 0.84, used, 1.6e9, 1.5e9, 1.2e11, noise=0.012)

        return at

    names, fleet = [f"k8s-a100-{n}" for n in ("0c", "11", "1f", "24")], []
    for node in names:
        fleet += gpus(rng, A100, node, 8, load)
    for place_in, count, old in ((3, 6, 118), (20, 2, 0), (29, 14, 977)):
        fleet[place_in].corrected = old
        fleet[place_in].ticks = sorted(rng.uniform(0, lasted) for _ in range(count))
    times = grid(start, lasted / 60, 60, 6, 6)
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times)
    roles = dict(zip(names, ("master-0", "worker-0", "worker-1", "worker-2"), strict=True))

    def labels(gpu: Gpu, now: float) -> dict[str, str]:
        if start.timestamp() <= now <= start.timestamp() + lasted:
            return {"namespace": "lm-nordic", "pod": f"nord7b-leg2-{roles[gpu.node]}", "container": "pytorch"}
        return {}

    omitted = {"THERMAL_VIOLATION", "ROW_REMAP_FAILURE", "PCIE_REPLAY_COUNTER", "PROF_SM_OCCUPANCY"}
    dcgm(place / "dcgm.json", fleet, omitted, labels=labels)

    def zulu(when: datetime) -> str:
        return (when - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")

    parent = after(start, -90000)
    items: list[dict[str, object]] = []
    for leg, when, span in (("leg1", parent, 86460.0), ("leg2", start, float(lasted))):
        for node, role in roles.items():
            notes = {"lm-nordic/chain": "nord7b"} | ({"lm-nordic/continues": "nord7b-leg1"} if leg == "leg2" else {})
            folder = "/pfs/nord7b/ckpt" if leg == "leg1" else "/pfs/nord-7b/ckpt"
            items.append(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {
                        "name": f"nord7b-{leg}-{role}",
                        "namespace": "lm-nordic",
                        "annotations": notes,
                        "creationTimestamp": zulu(after(when, -31)),
                        "uid": identifier(rng)[4:],
                        "labels": {
                            "training.kubeflow.org/job-name": f"nord7b-{leg}",
                            "training.kubeflow.org/replica-type": role.split("-")[0],
                            "training.kubeflow.org/replica-index": role.split("-")[1],
                        },
                    },
                    "spec": {
                        "nodeName": node,
                        "restartPolicy": "Never",
                        "containers": [
                            {
                                "name": "pytorch",
                                "image": "registry.lm-nordic.example/megatron:24.07",
                                "args": ["bash", "/pfs/scripts/leg.sh"],
                                "env": [{"name": "CKPT", "value": folder}],
                                "resources": {"limits": {"nvidia.com/gpu": "8", "memory": "1600Gi", "cpu": "96"}},
                            }
                        ],
                    },
                    "status": {
                        "phase": "Succeeded",
                        "startTime": zulu(when),
                        "containerStatuses": [
                            {
                                "name": "pytorch",
                                "restartCount": 0,
                                "ready": False,
                                "state": {
                                    "terminated": {
                                        "exitCode": 0,
                                        "reason": "Completed",
                                        "startedAt": zulu(after(when, 2)),
                                        "finishedAt": zulu(after(when, span)),
                                    }
                                },
                            }
                        ],
                    },
                }
            )
    (place / "pods.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1) + "\n", encoding="utf-8"
    )
    old = megatron(
        after(parent, 86460 - 115 - 2400 * 7.05),
        9610,
        12000,
        7.05,
        lambda n: 2.318 - 0.00001 * (n - 9610),
        lambda n: 2.94e-4 - 1e-9 * (n - 9610),
        rng,
    )
    old[40:40] = saved(10000, "/pfs/nord7b/ckpt")
    done = after(parent, 86430).strftime("%Y-%m-%d %H:%M:%S")
    put(
        place / "logs" / "nord7b-leg1-worker-2.tail.log",
        [
            *old,
            "saving checkpoint at iteration   12000 to /pfs/nord7b/ckpt in torch_dist format",
            "  successfully saved checkpoint from iteration   12000 to /pfs/nord7b/ckpt [ t 1/1, p 1/1 ]",
            f"[exiting program after 1440.2 minutes] datetime: {done} ",
        ],
    )
    shown = {
        "bf16": True,
        "data_path": "['/pfs/tok/nordic_mix_text_document']",
        "exit_duration_in_mins": 365,
        "global_batch_size": 256,
        "hidden_size": 4096,
        "load": "/pfs/nord-7b/ckpt",
        "lr": 0.0003,
        "lr_decay_style": "cosine",
        "lr_warmup_iters": 1500,
        "num_layers": 32,
        "save": "/pfs/nord-7b/ckpt",
        "save_interval": 2500,
        "seq_length": 4096,
        "tensor_model_parallel_size": 2,
        "train_iters": 120000,
    }
    lines = [
        "using world size: 32, data-parallel size: 16, context-parallel size: 1 tensor-model-parallel size: 2, "
        "pipeline-model-parallel size: 1 ",
        "------------------------ arguments ------------------------",
    ]
    lines += [f"  {key} {'.' * (46 - len(key))} {value}" for key, value in shown.items()]
    lines += [
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 2",
        "> setting random seeds to 1234 ...",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 3473408000",
        "WARNING: could not find the metadata file /pfs/nord-7b/ckpt/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        "(min, max) time across ranks (ms):",
        "    load-checkpoint ................................: (3.11, 3.94)",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: "
        f"{after(start, 88).strftime('%Y-%m-%d %H:%M:%S')} ",
        "> building train, validation, and test datasets ...",
        f"[before the start of training step] datetime: {after(start, begun).strftime('%Y-%m-%d %H:%M:%S')} ",
    ]
    count = int((lasted - 140 - begun) / pace / 1.006 / 10) * 10
    new = megatron(
        after(start, begun),
        10,
        count,
        pace,
        lambda n: 2.58 + 8.4 * math.exp(-n / 190) + 0.9 * math.exp(-n / 1400),
        lambda n: min(3e-4, 3e-4 * n / 1500),
        rng,
    )
    new[250:250] = saved(2500, "/pfs/nord-7b/ckpt")
    lines += new
    lines += [
        f"saving checkpoint at iteration    {count + 5} to /pfs/nord-7b/ckpt in torch_dist format",
        f"  successfully saved checkpoint from iteration    {count + 5} to /pfs/nord-7b/ckpt [ t 1/1, p 1/1 ]",
        f"[exiting program after 365.1 minutes] datetime: {after(start, lasted - 22).strftime('%Y-%m-%d %H:%M:%S')} ",
    ]
    put(place / "logs" / "nord7b-leg2-worker-2.log", lines)


def t06_boxes(place: Path, rng: Random) -> None:
    """A detector learns its whole schedule and is evaluated."""
    start, lasted, steps = clock(0, 2026, 6, 30, 1, 20, 44), 143 * 60 - 31, 90000
    begun, pace = 74.0, 0.0897
    trained = begun + steps * pace

    def load(index: int) -> Callable[[float], Load]:
        used = 13980 + 210 * ((index * 3) % 8)

        def at(t: float) -> Load:
            if t < 6 or t > lasted - 3:
                return Load()
            if t < begun:
                return Load(used=min(1400, 30 * t))
            if t < trained:
                return Load(0.915, 0.52, 0.33, 0.17, 0.52, used, 1.1e9, 9e8, 1.5e10, noise=0.03)
            if t < lasted - 55:
                return Load(0.8, 0.41, 0.27, 0.13, 0.41, used, 8e8, 4e8, noise=0.05)
            return Load(used=used)

        return at

    fleet = gpus(rng, H100, "dgx-lima-3", 8, load)
    times = grid(start, lasted / 60, 15, 5, 5)
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times)
    dcgm(place / "dgx-lima-3.json", fleet)
    lines = []

    def say(t: float, who: str, text: str) -> None:
        lines.append(f"[{after(start, t).strftime('%m/%d %H:%M:%S')} {who}]: {text}")

    say(19, "detectron2", "Rank of current process: 0. World size: 8")
    say(
        21,
        "detectron2",
        "Command line arguments: Namespace(config_file='configs/reef_faster_rcnn_R_50_FPN.yaml', "
        "resume=False,"
        " eval_only=False, num_gpus=8, num_machines=1, machine_rank=0, "
        "dist_url='tcp://127.0.0.1:50161', "
        "opts=['OUTPUT_DIR', './out/reef_r50'])",
    )
    say(22, "d2.utils.env", "Using a generated random seed 23884106")
    say(41, "d2.data.datasets.coco", "Loading annotations/reef_train.json takes 11.62 seconds.")
    say(44, "d2.data.datasets.coco", "Loaded 118422 images in COCO format from annotations/reef_train.json")
    say(49, "d2.data.build", "Removed 907 images with no usable annotations. 117515 images left.")
    say(58, "d2.data.build", "Using training sampler TrainingSampler")
    say(
        64,
        "d2.checkpoint.detection_checkpoint",
        "[DetectionCheckpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-50.pkl ...",
    )
    say(72, "d2.engine.train_loop", "Starting training from iteration 0")
    rate = 0.02
    for step in range(19, steps, 20):
        t = begun + (step + 1) * pace
        drop = 0.13 if step >= 60000 else 0.0
        drop += 0.03 if step >= 80000 else 0.0
        level = 0.66 + 2.9 * math.exp(-step / 350) + 0.34 * math.exp(-step / 16000) - drop
        total = level + rng.gauss(0, 0.025)
        lr = rate * (min(1, (step + 1) / 1000) if step < 60000 else 0.1 if step < 80000 else 0.01)
        left = int((steps - step) * pace)
        say(
            t,
            "d2.utils.events",
            f" eta: {left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}  iter: {step}  total_loss: {total:.4g}  "
            f"loss_cls: "
            f"{total * 0.36:.4g}  loss_box_reg: {total * 0.42:.4g}  loss_rpn_cls: {total * 0.08:.4g}  loss_rpn_loc: "
            f"{total * 0.14:.4g}    time: {pace + rng.gauss(0, 0.0006):.4f}  last_time: "
            f"{pace + rng.gauss(0, 0.006):.4f}  "
            f"data_time: {abs(rng.gauss(0.0041, 0.0005)):.4f}  last_data_time: {abs(rng.gauss(0.0038, 0.001)):.4f}   "
            f"lr: {lr:.5g}  max_mem: 9127M",
        )
        if (step + 1) % 10000 == 0 and step + 1 < steps:
            say(t + 0.4, "fvcore.common.checkpoint", f"Saving checkpoint to ./out/reef_r50/model_{step:07d}.pth")
    say(trained + 1, "fvcore.common.checkpoint", "Saving checkpoint to ./out/reef_r50/model_final.pth")
    whole = int(trained - begun)
    say(
        trained + 2,
        "d2.engine.hooks",
        f"Overall training speed: 89998 iterations in "
        f"{whole // 3600}:{whole // 60 % 60:02d}:"
        f"{whole % 60:02d} ({pace:.4f} s / it)",
    )
    whole += 2
    say(
        trained + 2,
        "d2.engine.hooks",
        f"Total training time: {whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d} (0:00:09 on hooks)",
    )
    say(trained + 9, "d2.data.datasets.coco", "Loaded 14800 images in COCO format from annotations/reef_val.json")
    say(trained + 11, "d2.evaluation.evaluator", "Start inference on 1850 batches")
    span = lasted - 55 - trained - 14
    for part in range(11, 1850, 154):
        say(
            trained + 14 + span * part / 1850,
            "d2.evaluation.evaluator",
            f"Inference done {part}/1850. Dataloading: 0.0016 s/iter. Inference: {span / 1850 - 0.004:.4f} s/iter. "
            f"Eval: "
            f"0.0003 s/iter. Total: {span / 1850:.4f} s/iter. ETA=0:{int(span * (1 - part / 1850)) // 60:02d}:"
            f"{int(span * (1 - part / 1850)) % 60:02d}",
        )
    say(lasted - 54, "d2.evaluation.coco_evaluation", "Preparing results for COCO format ...")
    say(lasted - 50, "d2.evaluation.coco_evaluation", "Evaluating predictions with unofficial COCO API...")
    say(
        lasted - 22,
        "d2.evaluation.coco_evaluation",
        "Evaluation results for bbox: \n"
        "|   AP   |  AP50  |  AP75  |  APs   |  APm   |  APl   "
        "|\n|:------:|:------:|:------:|:------:|:------:|:------:|\n"
        "| 41.872 | 63.310 | 45.406 | 24.918 | 45.027 | 54.663 |",
    )
    say(lasted - 21, "d2.engine.defaults", "Evaluation results for reef_val in csv format:")
    say(lasted - 21, "d2.evaluation.testing", "copypaste: Task: bbox")
    say(lasted - 21, "d2.evaluation.testing", "copypaste: AP,AP50,AP75,APs,APm,APl")
    say(lasted - 21, "d2.evaluation.testing", "copypaste: 41.8724,63.3103,45.4061,24.9177,45.0270,54.6631")
    put(place / "log.txt", lines)


def t07_zip(place: Path, rng: Random) -> None:
    """A rank of the second node waits for a dead file server; the others wait for it."""
    start, freeze, lasted = clock(0, 2026, 3, 17, 4, 51, 20), 1093.0, 29 * 60 - 17
    begun = 72.0

    def load(index: int) -> Callable[[float], Load]:
        used = 58230 + 512 * (index % 4)

        def at(t: float) -> Load:
            if t < 7 or t > lasted - 4:
                return Load()
            if t < begun:
                return Load(used=min(3100, 60 * t))
            if t < freeze:
                return Load(0.94, 0.6, 0.4, 0.25, 0.6, used, 1.3e9, 1.2e9, 2.2e10, noise=0.05)
            return Load(1.0, 0.058, 0.003, 0.0, 0.083, used, 3e6, 2e6)

        return at

    fleet = gpus(rng, H100, "cyg031", 8, load)
    times = grid(start, lasted / 60, 15, 5, 4)
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times)
    dcgm(place / "cyg031_dcgm.json", fleet)
    end = after(start, lasted)
    put(
        place / "sacct.txt",
        [
            "       JobID    JobName  Partition     NNodes      NTasks      State ExitCode               Start          "
            "       "
            "End    Elapsed        NodeList ",
            "------------ ---------- ---------- ---------- ----------- ---------- -------- ------------------- "
            "------------------- ---------- --------------- ",
            f"  5518820    zipf-mls-l      gpu-h          2                 FAILED    134:0 {plain(start)} {plain(end)} "
            f"  00:28:43 "
            "   cyg[031-032] ",
            f"  5518820.b+      batch                     1           1     FAILED    134:0 {plain(start)} {plain(end)} "
            f"  00:28:43 "
            "         cyg031 ",
            f"  5518820.0      python                     2          16     FAILED      0:6 {plain(after(start, 2))} "
            f"{plain(end)}   "
            "00:28:41    cyg[031-032] ",
        ],
    )
    paths: dict[int, list[str]] = {rank: [] for rank in range(16)}

    def say(rank: int, t: float, text: str, level: str = "INFO") -> None:
        stamp = after(start, t).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
        paths[rank].append(f"{stamp} {level} {text}")

    for rank in range(16):
        node = "cyg031" if rank < 8 else "cyg032"
        say(rank, 22 + rng.random(), f"[train.py:1266] ({rank}/16) Training started")
        say(rank, 23 + rng.random(), f"[train.py:1276] ({rank}/16) Device: cuda:{rank % 8}")
        say(
            rank,
            23.9 + rng.random(),
            f"[train.py:1285] ({rank}/16) {{'best_train_loss': inf, 'log_interval': 50, "
            f"'valid_interval': 3000, 'env_info': "
            f"{{'k2-version': '1.24.4', 'torch-version': '2.4.1', 'hostname': '{node}'}}, "
            "'world_size': 16, 'num_epochs': 30, 'exp_dir': PosixPath('zipformer/exp-mls'), 'base_lr': 0.045, "
            "'max_duration': "
            "1400, 'manifest_dir': PosixPath('/archive7/mls/fbank'), 'use_fp16': True}",
        )
        say(rank, 27 + rng.random(), f"[train.py:1287] ({rank}/16) About to create model")
        say(rank, 33 + rng.random(), f"[train.py:1291] ({rank}/16) Number of model parameters: 148439574")
        say(rank, 51 + rng.random(), f"[asr_datamodule.py:226] ({rank}/16) About to create train dataset")
        say(
            rank,
            60 + rng.random(),
            f"[train.py:1386] ({rank}/16) Sanity check -- see if any of the batches in epoch 1 would cause OOM.",
        )
    pace, batch = 0.611, 0
    grim = ("fatal_crash_0031-1188", "killed_by_signal_0902-17", "dead_node_1402-5")
    while begun + batch * pace < freeze - 1:
        t = begun + batch * pace
        for rank in range(16):
            loss = 0.34 + 6.4 * math.exp(-batch / 110) + 0.62 * math.exp(-batch / 900)
            now = loss + rng.gauss(0, 0.03)
            frames = rng.uniform(21000, 27800)
            say(
                rank,
                t + rng.random() / 3,
                f"[train.py:1117] ({rank}/16) Epoch 1, batch {batch}, loss[loss={now:.4g}, "
                f"simple_loss={now * 1.09:.4g}, "
                f"pruned_loss={now * 0.91:.4g}, over {frames:.2f} frames. ], tot_loss[loss={loss:.4g}, "
                f"simple_loss={loss * 1.09:.4g}, pruned_loss={loss * 0.91:.4g}, over "
                f"{frames * min(batch + 1, 190):.2f} "
                f"frames. ], batch size: {rng.randrange(61, 140)}, lr: {0.0225 + 0.0225 * min(1, batch / 500):.2e}, "
                f"grad_scale: {2.0 if batch < 400 else 8.0 if batch < 1100 else 16.0}",
            )
            if rng.random() < 0.03:
                say(
                    rank,
                    t + 4 + rng.random(),
                    f"[train.py:1342] ({rank}/16) Exclude cut with ID {rng.choice(grim)} from training. Duration: "
                    f"{rng.uniform(0.2, 0.9):.3f}",
                    "WARNING",
                )
            if batch and batch % 400 == 0 and rank == 0:
                say(
                    rank,
                    t + 1,
                    "[scaling.py:1024] (0/16) Whitening: name=encoder.encoders.2.self_attn_weights, "
                    "num_groups=8, "
                    f"num_channels=192, metric={rng.uniform(3, 7):.2f} vs. limit=6.0",
                )
        batch += 50
    for rank, held in paths.items():
        put(place / "exp-mls" / "log" / f"log-train-{start.strftime('%Y-%m-%d-%H-%M')}-{rank}", sorted(held))
    errors = [
        "cpu-bind=MASK - cyg031, task  0  0 [2218402]: mask 0xff set",
        "/opt/k2/lib/python3.10/site-packages/lhotse/dataset/sampling/dynamic_bucketing.py:414: UserWarning: "
        "error-prone "
        "setting: buffer smaller than 10 batches; a crash of one worker may lose order",
    ]
    late, final = (after(start, freeze + gap).strftime("%m%d %H:%M:%S") for gap in (600.2, 601.4))
    for rank in (r for r in range(16) if r != 12):
        errors.append(
            f"[rank{rank}]:[E{late}.{rng.randrange(10**8, 10**9)} "
            f"ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum=6688, OpType=ALLREDUCE, NumelIn=6553728, NumelOut=6553728, "
            f"Timeout(ms)=600000) ran "
            f"for {600000 + rng.randrange(3, 99)} milliseconds before timing out."
        )
    for rank in (2, 9):
        errors += [
            f"[rank{rank}]:[E{final}.{rng.randrange(10**8, 10**9)} "
            f"ProcessGroupNCCL.cpp:1664] [PG 0 (default_pg) Rank {rank}] Exception (either an error or timeout) "
            "detected by watchdog at work: 6688, last enqueued NCCL work: 6699, last completed NCCL work: 6687.",
            f"[rank{rank}]:[E{final}.{rng.randrange(10**8, 10**9)} "
            "ProcessGroupNCCL.cpp:621] [Rank %d] Some NCCL operations have failed or timed out. Due to the "
            "asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete "
            "data." % rank,
            "terminate called after throwing an instance of 'c10::DistBackendError'",
        ]
    errors += [
        "srun: error: cyg031: task 2: Aborted (core dumped)",
        "srun: launch/slurm: _step_signal: Terminating StepId=5518820.0",
        f"slurmstepd: error: *** STEP 5518820.0 ON cyg031 CANCELLED AT {plain(after(start, lasted - 9))} ***",
        "srun: error: cyg032: task 12: Killed",
    ]
    put(place / "slurm-5518820.err", errors)
    shared = [
        (-3000, "systemd[1]: Failed to start Refresh fwupd metadata and update motd."),
        (-2999, "systemd[1]: fwupd-refresh.service: Main process exited, code=exited, status=1/FAILURE"),
        (-900, "kernel: ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PMI0._PMM], AE_NOT_FOUND"),
        (3, "slurmstepd[{pid}]: task/cgroup: _memcg_initialize: job: alloc=1024000MB mem.limit=1024000MB"),
    ]
    own = [
        (freeze - 14 + 60, "kernel: nfs: server fs-arch7 not responding, still trying"),
        (freeze + 121, "kernel: INFO: task pt_data_worker:771908 blocked for more than 122 seconds."),
        (freeze + 121, "kernel:       Not tainted 5.14.0-427.13.1.el9_4.x86_64 #1"),
        (freeze + 121, "kernel: task:pt_data_worker  state:D stack:0     pid:771908 ppid:770455 flags:0x00000002"),
        (freeze + 121, "kernel:  rpc_wait_bit_killable+0xd/0x60 [sunrpc]"),
        (freeze + 121, "kernel:  nfs4_file_open+0x1c3/0x2b0 [nfsv4]"),
        (freeze + 244, "kernel: INFO: task pt_data_worker:771908 blocked for more than 245 seconds."),
        (freeze + 367, "kernel: INFO: task pt_data_worker:771908 blocked for more than 368 seconds."),
        (lasted + 460, "kernel: nfs: server fs-arch7 OK"),
    ]
    for node, notes in (("cyg031", shared), ("cyg032", shared + own)):
        put(
            place / f"journal_{node}.txt",
            [
                f"{after(start, t).strftime('%b %d %H:%M:%S')} {node} " + text.format(pid=rng.randrange(700000, 800000))
                for t, text in notes
            ],
        )


def t08_quiet(place: Path, rng: Random) -> None:
    """A rank ends with 1, and what it said went to /dev/null."""
    start, lasted, begun = clock(9, 2026, 7, 8, 13, 27, 55), 33 * 60 + 12, 116.0

    def load(index: int) -> Callable[[float], Load]:
        used = 63340 + 190 * index

        def at(t: float) -> Load:
            if t < 9 or t > lasted - 7:
                return Load()
            if t < begun:
                return Load(used=min(5400, 70 * t))
            return Load(0.976, 0.78, 0.47, 0.45, 0.8, used, 9e8, 8e8, 6e10, noise=0.02)

        return at

    fleet = gpus(rng, A100, "pg-a12", 4, load)
    times = grid(start, lasted / 60, 10, 5, 5)
    for gpu in fleet:
        sample(rng, gpu, start.timestamp(), times)
    dcgm(place / "metrics" / "pg-a12.json", fleet)
    lines = []

    def say(t: float, level: str, who: str, text: str) -> None:
        stamp = after(start, t + 0.39 * rng.random()).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
        lines.append(f"[{stamp}] [{level}] [{who}] {text}")

    pids = [41120, 41121, 41122, 41123]
    say(
        17,
        "INFO",
        "runner.py:585:main",
        "cmd = /opt/neox/bin/python -u -m deepspeed.launcher.launch --world_info="
        "eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgM119 --master_addr=127.0.0.1 --master_port=29500 train.py "
        "--deepspeed_config ...",
    )
    say(20, "INFO", "launch.py:146:main", "WORLD INFO DICT: {'localhost': [0, 1, 2, 3]}")
    say(20, "INFO", "launch.py:163:main", "dist_world_size=4")
    lines += [
        "NeoXArgs.from_ymls() ['configs/yoruba_1b4.yml']",
        "-------------------- arguments --------------------",
        "  attention_config ................ ['flash', ...]updated",
        "  gradient_accumulation_steps ..... 8...........updated",
        "  hidden_size ..................... 2048........updated",
        "  num_layers ...................... 24..........updated",
        "  save ............................ /lus/yo1b4..updated",
        "  train_iters ..................... 26000.......updated",
        "---------------- end of arguments ----------------",
        "> building HFTokenizer tokenizer ...",
        "> initializing torch distributed ...",
        "> setting random seeds to 4021 ...",
        "building GPT2 model ...",
        " > number of parameters on model parallel rank 0: 1414647808",
        "> building train, validation, and test datasets ...",
    ]
    say(
        begun - 4,
        "INFO",
        "checkpointing.py:246:load_checkpoint",
        "no checkpoint found, beginning with fresh weights (as configured: load null)",
    )
    pace, step, t = 5.41, 0, begun
    while t + 57 < lasted - 12:
        step += 10
        span = pace * (1 + abs(rng.gauss(0, 0.004)))
        t += 10 * span
        loss = 3.9 + 6.6 * math.exp(-step / 85) + rng.gauss(0, 0.04)
        lines.append(
            f" samples/sec: {176 / span:.3f} | iteration {step:8d}/   26000 | elapsed time per iteration "
            f"(ms): "
            f"{span * 1000:.1f} | learning rate: {2e-4 * step / 520:.3E} | approx flops per GPU: "
            f"{142.0 * pace / span:.1f}TFLOPS | lm_loss: {loss:.6E} | number of skipped iterations:   0 | "
            f"number of "
            "nan iterations:   0 |"
        )
    for pid in pids:
        say(lasted - 6 + (pid - pids[0]) * 0.4, "INFO", "launch.py:319:sigkill_handler", f"Killing subprocess {pid}")
    say(
        lasted - 4,
        "ERROR",
        "launch.py:325:sigkill_handler",
        "['/opt/neox/bin/python', '-u', 'train.py', "
        "'--local_rank=3', "
        "'--deepspeed_config', '...', '--megatron_config', '...'] exits with return code = 1",
    )
    put(place / "neox-out.48813.log", lines)

    def number(value: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": value}

    first, end = int(start.timestamp()), int(start.timestamp()) + lasted
    job = {
        "account": "yoruba",
        "job_id": 48813,
        "name": "yo1b4",
        "user": "adeyemi",
        "cluster": "pagoda",
        "partition": "a100q",
        "nodes": "pg-a12",
        "allocation_nodes": 1,
        "submit_line": "sbatch -o neox-out.%j.log -e /dev/null neox.sbatch",
        "stdout": "/lus/yo1b4/neox-out.%j.log",
        "stderr": "/dev/null",
        "working_directory": "/lus/yo1b4",
        "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
        "exit_code": {
            "status": ["ERROR"],
            "return_code": number(1),
            "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
        },
        "restart_cnt": 0,
        "time": {"submission": first - 61, "start": first, "end": end, "elapsed": lasted, "limit": number(2880)},
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "count": 64},
                {"type": "mem", "name": "", "count": 491520},
                {"type": "node", "name": "", "count": 1},
                {"type": "gres", "name": "gpu", "count": 4},
            ]
        },
        "steps": [
            {
                "step": {"id": "48813.batch", "name": "batch"},
                "state": ["FAILED"],
                "exit_code": {"status": ["ERROR"], "return_code": number(1)},
                "tres": {"requested": {"max": [{"type": "mem", "name": "", "count": 88316203008}]}},
            }
        ],
    }
    answer = {"jobs": [job], "meta": {"slurm": {"release": "24.05.3"}}}
    (place / "sacct.json").write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")
    boot = 918223.0
    notes = [
        (-7000.4, "Lustre: Mounted lus-client"),
        (-1220.9, "nvidia-nvswitch: Probing device 0000:c4:00.0"),
        (2.2, "slurm.epilog.cl (40991): drop_caches: 3"),
        (2011.7, "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79000"),
        (2600.3, "slurm.epilog.cl (52217): drop_caches: 3"),
    ]
    put(place / "dmesg-pg-a12.txt", [f"[{boot + t:12.6f}] {text}" for t, text in notes])
