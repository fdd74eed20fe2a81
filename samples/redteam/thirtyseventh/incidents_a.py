"""SIMULATED incidents t01 to t08: what a training left behind, its telemetry, its accounting and the kernel's words."""

from __future__ import annotations

import json
import math
from datetime import UTC, timedelta, timezone
from typing import TYPE_CHECKING

from samples.redteam.thirtyseventh.gauge_ia import (
    DCGM,
    IDLE,
    Gpu,
    Load,
    dmon,
    epoch,
    kernel,
    matrix,
    query_range,
    rack,
    show,
    smi_csv,
    span,
    watch,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

COMMON = [
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_XID_ERRORS",
]
PROF = ["DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE"]


def labels(g: Gpu, driver: str, instance: str, **more: str) -> dict[str, str]:
    return {
        "DCGM_FI_DRIVER_VERSION": driver,
        "Hostname": g.node,
        "UUID": g.uid,
        "device": f"nvidia{g.index}",
        "gpu": str(g.index),
        "instance": instance,
        "job": "dcgm-exporter",
        "modelName": g.board.name,
        "pci_bus_id": g.bus,
        **more,
    }


def t01_wenlan(place: Path, rng: Random) -> None:
    """Nine minutes on four nodes that ended as planned; no log is left."""
    nodes = ["wl-a100-017", "wl-a100-018", "wl-a100-021", "wl-a100-022"]
    start = epoch(2026, 9, 17, 20, 41, 8, 8)
    end = start + 9 * 60 + 11
    work, last = start + 64, end - 17
    gpus = rack(nodes, 8, "a100", rng)
    pace = (last - 24 - work - 60) / 4
    saves = [work + (k + 1) * pace + k * 20 for k in range(4)]

    def load(t: float, g: Gpu) -> Load:
        if t < start + 21 or t > end - 5:
            return IDLE
        if t < work:
            return Load(mem=2210 if t < start + 45 else 23400, awake=True, util=0 if t < start + 45 else 3, power=0)
        if any(s <= t < s + 20 for s in saves):
            return Load(
                util=12, sm=0.04, tensor=0.01, dram=0.03, mem=67310 + g.index % 2 * 64, power=0.12, awake=True, pcie=4.1
            )
        if t > last:
            return Load(mem=67310 + g.index % 2 * 64, awake=True)
        return Load(
            util=100, sm=0.782, tensor=0.447, dram=0.41, mem=67310 + g.index % 2 * 64, power=0.93, link=98, pcie=1.6
        )

    base = start - start % 30
    watch(gpus, base - 300, end + 330, 30, load)
    fields = [
        *COMMON,
        "DCGM_FI_DEV_MEM_COPY_UTIL",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        *PROF,
        "DCGM_FI_PROF_NVLINK_TX_BYTES",
    ]
    query_range(
        place / "prom", gpus, fields, lambda g: labels(g, "550.90.07", f"10.12.3.{nodes.index(g.node) + 31}:9400")
    )

    def row(jid: str, name: str, begin: float, stop: float, n: int, tasks: int, node: str, more: str) -> str:
        head = "zhaoyl|nlp-pretrain|a100q" if "." not in jid else "|nlp-pretrain|"
        limit = "00:30:00" if "." not in jid else ""
        return (
            f"{jid}|{name}|{head}|{show(start - 96, '%Y-%m-%dT%H:%M:%S', 8) if '.' not in jid else show(begin, '%Y-%m-%dT%H:%M:%S', 8)}|"
            f"{show(begin, '%Y-%m-%dT%H:%M:%S', 8)}|{show(stop, '%Y-%m-%dT%H:%M:%S', 8)}|{span(stop - begin)}|{limit}|COMPLETED|0:0|{n}|{tasks}|{node}|{more}"
        )

    (place / "sacct_718843.txt").write_text(
        "\n".join(
            [
                "$ sacct -j 718843 -P -o jobid,jobname,user,account,partition,submit,start,end,elapsed,timelimit,state,exitcode,nnodes,ntasks,nodelist,maxrss",
                "JobID|JobName|User|Account|Partition|Submit|Start|End|Elapsed|Timelimit|State|ExitCode|NNodes|NTasks|NodeList|MaxRSS",
                row("718843", "wl-1b3-anneal240", start, end, 4, 0, "wl-a100-[017-018,021-022]", "").replace(
                    "|0|wl", "||wl"
                ),
                row("718843.batch", "batch", start, end, 1, 1, "wl-a100-017", "91244K"),
                row("718843.extern", "extern", start, end, 4, 4, "wl-a100-[017-018,021-022]", "884K"),
                row("718843.0", "torchrun", start + 3, end - 1, 4, 4, "wl-a100-[017-018,021-022]", "61873316K"),
            ]
        )
        + "\n"
    )
    (place / "anneal240.sbatch").write_text("""#!/bin/bash
#SBATCH -J wl-1b3-anneal240
#SBATCH -A nlp-pretrain -p a100q
#SBATCH -N 4 --ntasks-per-node=1 --gpus-per-node=8 --exclusive
#SBATCH -t 00:30:00
#SBATCH -o /dev/null
# 退火最后一段: 从 step 61200 续到 61440, 每 60 步存一次
source /share/nlp/env/wl.sh
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)
srun torchrun --nnodes 4 --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29517 \\
    pretrain.py --config conf/wl_1b3.yaml --load ckpt/wl-1b3/step_61200 \\
    --train-iters 61440 --save-interval 60 --save ckpt/wl-1b3 > /dev/null 2>&1   # 日志太大, 只看 swanlab
""")
    rows = ["$ ls -l --time-style=full-iso /share/nlp/ckpt/wl-1b3 | tail -6"]
    for k, s in enumerate([start - 86210.0, *saves]):
        rows.append(
            f"drwxr-xr-x 2 zhaoyl nlp 4096 {show(s + 16.2, '%Y-%m-%d %H:%M:%S', 8)}.{rng.randrange(10**8, 10**9)} +0800 step_{61200 + 60 * k}"
        )
    rows.append(
        f"-rw-r--r-- 1 zhaoyl nlp   11 {show(saves[-1] + 18.4, '%Y-%m-%d %H:%M:%S', 8)}.{rng.randrange(10**8, 10**9)} +0800 latest.txt"
    )
    rows += ["$ cat /share/nlp/ckpt/wl-1b3/latest.txt", "step_61440"]
    (place / "ckpt_ls.txt").write_text("\n".join(rows) + "\n")
    for n in nodes:
        kernel(
            place / "kernel" / f"{n}.journal",
            n,
            8,
            "journalctl",
            0,
            [
                (
                    start - 5120 + rng.uniform(0, 900),
                    "perf: interrupt took too long (3141 > 3137), lowering kernel.perf_event_max_sample_rate to 63000",
                ),
                (start - 2 + rng.random(), "slurm.epilog.cl (91022): drop_caches: 3"),
                (end + 4 + rng.random(), "slurm.epilog.cl (94417): drop_caches: 3"),
            ],
        )


def t02_zipformer(place: Path, rng: Random) -> None:
    """A speech model trained for all its epochs; the scrapes have holes."""
    nodes = ["hgx-04", "hgx-05"]
    start = epoch(2026, 10, 6, 7, 18, 40)
    end = start + 108 * 60 + 7
    gpus = rack(nodes, 4, "h100", rng)
    epochs, batches = 12, 1190
    first = start + 96
    valid, save = 16.0, 5.0
    per = ((end - 9 - first) / epochs - valid - save) / batches
    marks = [first + k * (per * batches + valid + save) for k in range(epochs + 1)]

    def stamp(t: float) -> str:
        return show(t, "%Y-%m-%d %H:%M:%S,") + f"{int(t % 1 * 1000):03}"

    params = (
        "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, 'batch_idx_train': 0, 'log_interval': 50, "
        "'reset_interval': 200, 'valid_interval': 30000, 'feature_dim': 80, 'subsampling_factor': 4, 'warm_step': 2000, 'env_info': {'k2-version': '1.24.4', "
        "'k2-build-type': 'Release', 'k2-with-cuda': True, 'k2-git-sha1': '8f976a1e1407e330e2a233d68f81b1eb5269fdaa', 'torch-version': '2.3.1', 'torch-cuda-available': True, "
        "'torch-cuda-version': '12.1', 'python-version': '3.10', 'icefall-git-branch': 'gd-commonvoice', 'icefall-git-sha1': 'e7c1c9f4-dirty', 'lhotse-version': '1.27.0', "
        "'hostname': 'hgx-04', 'IP address': '10.40.8.14'}, 'world_size': 8, 'master_port': 12357, 'tensorboard': True, 'num_epochs': 12, 'start_epoch': 1, 'start_batch': 0, "
        "'exp_dir': PosixPath('zipformer/exp-cv-cy'), 'bpe_model': 'data/cy/lang_bpe_500/bpe.model', 'base_lr': 0.045, 'lr_batches': 7500, 'lr_epochs': 3.5, 'ref_duration': 600, "
        "'seed': 42, 'save_every_n': 4000, 'keep_last_k': 30, 'average_period': 200, 'use_fp16': True, 'causal': False, 'max_duration': 1600, 'num_workers': 4, "
        "'blank_id': 0, 'vocab_size': 500}"
    )
    frames = 152000.0
    for rank in (0, 5):
        out: list[str] = []

        def say(t: float, words: str, out: list[str] = out, rank: int = rank) -> None:
            out.append(f"{stamp(t)} INFO {words.replace('@', f'({rank}/8)', 1)}")

        t = start + 11.2 + rank * 0.02
        say(t, "[train.py:1182] @ Training started")
        say(t + 0.01, f"[train.py:1192] @ Device: cuda:{rank % 4}")
        say(t + 0.06, "[train.py:1207] @ " + params)
        say(t + 0.07, "[train.py:1209] @ About to create model")
        say(t + 0.92, "[train.py:1213] @ Number of model parameters: 65549011")
        say(t + 4.6, "[train.py:1228] @ Using DDP")
        say(t + 7.1, "[asr_datamodule.py:418] @ About to get train cuts")
        say(t + 7.2, "[asr_datamodule.py:222] @ Enable MUSAN")
        say(t + 9.9, "[asr_datamodule.py:259] @ Enable SpecAugment")
        say(t + 10.0, "[asr_datamodule.py:303] @ Using DynamicBucketingSampler.")
        say(t + 12.4, "[asr_datamodule.py:320] @ About to create train dataloader")
        say(t + 12.5, "[asr_datamodule.py:430] @ About to get dev cuts")
        say(t + 12.9, "[train.py:1403] @ Sanity check -- see if any of the batches in epoch 1 would cause OOM.")
        if rank == 0:
            for k, mb in enumerate((41873, 42460, 43119)):
                say(t + 40 + 11 * k, f"[train.py:1431] @ Maximum memory allocated so far is {mb}MB")
        own = 1 + rng.uniform(-0.03, 0.03)
        tot = 7.4
        for e in range(1, epochs + 1):
            for b in range(0, batches, 50):
                n = (e - 1) * batches + b
                at = marks[e - 1] + b * per + (0.9 if b == 0 else 0) + rng.uniform(0, 0.3)
                core = 0.171 + 0.9 * math.exp(-n / 1300) + 5.9 * math.exp(-n / 160) + 0.11 * math.exp(-n / 6000)
                loss = core * own * (1 + rng.gauss(0, 0.07))
                tot = (
                    loss
                    if n == 0
                    else 0.55 * tot + 0.45 * core * (1 + rng.gauss(0, 0.01))
                    if n < 400
                    else core * (1 + rng.gauss(0, 0.012))
                )
                simple = loss * rng.uniform(1.02, 1.09)
                pruned = loss * rng.uniform(0.88, 0.93)
                f = frames * rng.uniform(0.86, 1.02)
                lr = (
                    0.045
                    * (((n / 7500) ** 2 + 1) ** -0.25)
                    * ((((e - 1) / 3.5) ** 2 + 1) ** -0.25)
                    * min(1.0, 0.5 + 0.5 * n / 500)
                )
                scale = min(32.0, 1.0 * 2 ** (n // 400))
                say(
                    at,
                    f"[train.py:1046] @ Epoch {e}, batch {b}, loss[loss={loss:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}, over {f:.2f} frames. ], "
                    f"tot_loss[loss={tot:.4g}, simple_loss={tot * 1.05:.4g}, pruned_loss={tot * 0.9:.4g}, over {min(200, b + 1) * frames * 0.94:.2f} frames. ], "
                    f"batch size: {rng.randrange(180, 420)}, lr: {lr:.2e}, grad_scale: {scale}",
                )
                if rng.random() < 0.17:
                    q = sorted(rng.uniform(70, 210) * (1 + 3 * math.exp(-n / 900)) for _ in range(5))
                    say(
                        at + 2.3,
                        "[optim.py:487] @ Clipping_scale=2.0, grad-norm quartiles "
                        + " ".join(f"{v:.3e}" for v in q)
                        + f", threshold={2 * q[2]:.3e}, percent-clipped={rng.choice([0.0, 0.0, 0.0, 1.0, 2.0])}",
                    )
                if rng.random() < 0.12:
                    lay = f"encoder.encoders.{rng.randrange(6)}.encoder.layers.{rng.randrange(2)}"
                    say(
                        at + 4.1,
                        f"[scaling.py:1024] @ Whitening: name={lay}.{rng.choice(['feed_forward1', 'self_attn1', 'conv_module2'])}.out_whiten, num_groups=1, "
                        f"num_channels={rng.choice([192, 256, 384, 512])}, metric={rng.uniform(6, 17):.2f} vs. limit=15.0",
                    )
            v = marks[e - 1] + batches * per
            say(v, "[train.py:1079] @ Computing validation loss")
            n = e * batches
            dev = 0.196 + 0.62 * math.exp(-n / 1500) + 0.12 * math.exp(-n / 5000) + 0.004 * math.sin(e * 2.1)
            say(
                v + 14.8,
                f"[train.py:1088] @ Epoch {e}, validation: loss={dev:.4g}, simple_loss={dev * 1.08:.4g}, pruned_loss={dev * 0.91:.4g}, over 3214567.00 frames. ",
            )
            say(v + 14.9, f"[train.py:1089] @ Maximum memory allocated so far is {44318 if e > 1 else 43870}MB")
            if rank == 0:
                say(v + 16.1, f"[checkpoint.py:75] @ Saving checkpoint to zipformer/exp-cv-cy/epoch-{e}.pt")
        say(marks[-1] + 0.7, "[train.py:1384] @ Done!")
        name = f"log-train-{show(start + 11, '%Y-%m-%d-%H-%M-%S')}-{rank}"
        (place / name).write_text("\n".join(out) + "\n")

    def load(t: float, g: Gpu) -> Load:
        if t < start + 16 or t > end - 4:
            return IDLE
        mem = 47900 + g.index * 37
        if t < first:
            return Load(
                util=0 if t < start + 45 else 55,
                mem=1450 if t < start + 45 else mem - 900,
                awake=True,
                sm=0 if t < start + 45 else 0.3,
                tensor=0 if t < start + 45 else 0.08,
                dram=0 if t < start + 45 else 0.17,
                power=0 if t < start + 45 else 0.36,
            )
        k = max(i for i, m in enumerate(marks) if m <= t)
        into = t - marks[k]
        if k >= epochs:
            return Load(mem=mem, awake=True)
        if into > batches * per + valid:
            return Load(util=2, mem=mem, awake=True)
        if into > batches * per:
            return Load(util=71, sm=0.38, tensor=0.13, dram=0.22, mem=mem, power=0.37)
        return Load(
            util=96,
            sm=0.596 + 0.006 * g.index,
            tensor=0.212,
            dram=0.338,
            mem=mem,
            power=0.61 + 0.01 * math.sin(t / 97),
            link=21,
            pcie=0.9,
        )

    watch(gpus, start - 330, end + 300, 15, load)
    holes = {
        "hgx-04": [(start + 1315, start + 1790), (start + 4020, start + 4105)],
        "hgx-05": [(start + 1322, start + 1610), (start + 5210, start + 5655)],
    }
    for n in nodes:
        dmon(
            place / f"dcgmi_dmon_{n}.txt",
            [g for g in gpus if g.node == n],
            UTC,
            lambda t, n=n: any(a < t < b for a, b in holes[n]) or rng.random() < 0.004,
        )


def t03_hanabi(place: Path, rng: Random) -> None:
    """A hand-written FSDP training that gave its nodes to another job."""
    zone = 9
    nodes = ["hnb-l40s-03", "hnb-l40s-04", "hnb-l40s-07", "hnb-l40s-08"]
    start = epoch(2026, 8, 27, 14, 6, 33, 9)
    cut = start + 10 * 60 + 31
    end = cut + 30
    gpus = rack(nodes, 2, "l40s", rng)
    work = start + 71
    out = [
        f"=== {show(start, '%a %b %e %H:%M:%S', zone)} JST 2026 / job 440917 / {' '.join(nodes)}",
        "W0827 14:06:41.118000 22710 torch/distributed/run.py:766] ",
        "W0827 14:06:41.118000 22710 torch/distributed/run.py:766] *****************************************",
        "W0827 14:06:41.118000 22710 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "W0827 14:06:41.118000 22710 torch/distributed/run.py:766] *****************************************",
    ]

    def say(t: float, words: str) -> None:
        out.append(f"[{show(t, '%m-%d %H:%M:%S', zone)}] {words}")

    say(start + 14, "world_size=8 mesh=(2, 4) HYBRID_SHARD bf16, grad_ckpt=on")
    out.append("hnb-l40s-07:19344:19344 [0] ibv_wrap.cc:106 NCCL WARN Call to ibv_open_device failed")
    out.append("hnb-l40s-07:19344:19344 [0] NCCL INFO NET/Socket : Using [0]ens6f0np0:10.20.7.7<0>")
    say(start + 19, "fault_policy: abort on FATAL only; nan_guard=3 strikes -> crash; hang_timeout=1800s -> SIGABRT")
    say(start + 33, "model: hanabi-ja-7b 7,241,732,096 params (FSDP units: 33)")
    out.append(
        "/home/tkuroda/hanabi/train_fsdp.py:211: FutureWarning: `torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', args...)` instead."
    )
    say(start + 52, "resume: /gs/bs/hnb/ckpt/ja7b/step003600 -> model ok, optim ok, dataloader offset 115200")
    say(
        start + 55,
        "WARN corrupted record in shard ja-web-00417.zst @ 88120133 (crc error), skipped  [1 bad / 38112 ok]",
    )
    step, t = 3600, work
    saved = []
    while True:
        step += 1
        took = 6.04 + rng.gauss(0, 0.05)
        t += took
        if t > cut - 1:
            break
        if step % 5 == 0:
            loss = 2.118 - 0.00012 * (step - 3600) + rng.gauss(0, 0.014)
            say(
                t,
                f"step {step}/20000 | loss {loss:.4f} | gnorm {rng.uniform(0.31, 0.55):.3f} | lr {2e-4 * (0.55 + 0.45 * math.cos(math.pi * step / 20000)):.3e} | {32 * 4096 / took / 1000:.1f}k tok/s | {took:.2f} s/it | mem 37.9G",
            )
        if step == 3628:
            say(t + 1, "WARN loss killer: sample 0x3fa1 loss 9.81 > 8.0, dropped from the batch (fatal=False)")
        if step == 3650:
            say(t, "saving step003650 ...")
            t += 17.4
            saved.append(t - 17.4)
            say(t, "saved step003650 (17.4 s)")
        if step == 3661:
            out.append(
                "[rank5]:[W827 14:13:49.402771930 socket.cpp:464] [c10d] waitForInput: poll for socket SocketImpl(fd=61, addr=[hnb-l40s-07]:51322, remote=[hnb-l40s-03]:29400) returned 0, likely a timeout"
            )
            say(t, "WARN heartbeat late on rank 5 (12.1 s), ok again")
    out.append(
        f"slurmstepd: error: *** STEP 440917.0 ON hnb-l40s-03 CANCELLED AT {show(cut, '%Y-%m-%dT%H:%M:%S', zone)} DUE TO PREEMPTION ***"
    )
    out.append(
        f"slurmstepd: error: *** JOB 440917 ON hnb-l40s-03 CANCELLED AT {show(cut, '%Y-%m-%dT%H:%M:%S', zone)} DUE TO PREEMPTION ***"
    )
    out.append("srun: Job step aborted: Waiting up to 62 seconds for job step to finish.")
    for pid, n in zip((22710, 20981, 19287, 23006), nodes, strict=True):
        out.append(
            f"W0827 {show(cut, '%H:%M:%S', zone)}.{rng.randrange(100000, 900000)} {pid} torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal, shutting down workers"
        )
        out.append(
            f"W0827 {show(cut, '%H:%M:%S', zone)}.{rng.randrange(900000, 999999)} {pid} torch/distributed/elastic/multiprocessing/api.py:900] Sending process {pid + 66} closing signal SIGTERM"
        )
        del n
    (place / "slurm-440917.out").write_text("\n".join(out) + "\n")

    def load(t: float, g: Gpu) -> Load:
        if t > end + 95:  # the job that took the nodes
            return Load(util=88, sm=0.5, dram=0.6, mem=36120, power=0.66, pcie=1)
        if t > end + 40:
            return Load(mem=15200, awake=True)
        if t < start + 24 or t > cut + 3:
            return IDLE
        mem = 40960 + g.index * 42
        if t < work:
            return Load(mem=1900 if t < start + 36 else 17800, awake=True, util=0 if t < start + 52 else 9)
        if any(s < t < s + 17 for s in saved):
            return Load(util=4, mem=mem, awake=True, pcie=3)
        return Load(util=99, sm=0.7, dram=0.49, mem=mem, power=0.90, pcie=7)

    watch(gpus, start - start % 30 - 240, end + 360, 30, load)
    for n in nodes:
        if n != "hnb-l40s-04":
            smi_csv(place / f"smi_{n}.csv", [g for g in gpus if g.node == n], timezone(timedelta(hours=zone)))

    def when(t: float) -> str:
        return show(t, "%Y-%m-%dT%H:%M:%S", zone)

    (place / "scontrol.txt").write_text(f"""tkuroda@hnb-login2:~$ date; scontrol show job 440917
{show(end + 412, "%a %b %e %H:%M:%S", zone)} JST 2026
JobId=440917 JobName=ja7b-fsdp
   UserId=tkuroda(30417) GroupId=gbs(3000) MCS_label=N/A
   Priority=10432 Nice=0 Account=hnb-lowprio QOS=scavenge
   JobState=PENDING Reason=Resources Dependency=(null)
   Requeue=1 Restarts=1 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=00:00:00 TimeLimit=2-00:00:00 TimeMin=N/A
   SubmitTime={when(end)} EligibleTime={when(end + 121)}
   AccrueTime={when(end + 121)}
   StartTime={when(start + 30211)} EndTime={when(start + 30211 + 172800)} Deadline=N/A
   SuspendTime=None SecsPreSuspend=0 LastSchedEval={when(end + 398)} Scheduler=Backfill:*
   Partition=l40s AllocNode:Sid=hnb-login2:118240
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=
   BatchHost=hnb-l40s-03
   NumNodes=4-4 NumCPUs=128 NumTasks=4 CPUs/Task=32 ReqB:S:C:T=0:0:*:*
   ReqTRES=cpu=128,mem=1T,node=4,billing=128,gres/gpu=8
   AllocTRES=(null)
   Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*
   MinCPUsNode=32 MinMemoryNode=256G MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)
   Command=/home/tkuroda/hanabi/run.sbatch
   WorkDir=/home/tkuroda/hanabi
   StdErr=/home/tkuroda/hanabi/slurm-440917.out
   StdIn=/dev/null
   StdOut=/home/tkuroda/hanabi/slurm-440917.out
   TresPerNode=gres/gpu:2

tkuroda@hnb-login2:~$ scontrol show job 441006
JobId=441006 JobName=eval-urgent
   UserId=msaito(30388) GroupId=gbs(3000) MCS_label=N/A
   Priority=98110 Nice=0 Account=hnb-prod QOS=urgent
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=00:06:44 TimeLimit=08:00:00 TimeMin=N/A
   SubmitTime={when(cut - 9)} EligibleTime={when(cut - 9)}
   AccrueTime={when(cut - 9)}
   StartTime={when(end + 8)} EndTime={when(end + 8 + 28800)} Deadline=N/A
   PreemptEligibleTime={when(end + 8)} PreemptTime=None
   Partition=l40s AllocNode:Sid=hnb-login1:70215
   NodeList=hnb-l40s-[03-04,07-08]
   BatchHost=hnb-l40s-03
   NumNodes=4 NumCPUs=256 NumTasks=4 CPUs/Task=64 ReqB:S:C:T=0:0:*:*
   Command=/home/msaito/eval/urgent.sh
""")
    for k, n in enumerate(nodes):
        words = (
            [
                (start - 86400 * 2.2 - k * 31, "mce: [Hardware Error]: Machine check events logged"),
                (
                    start - 86400 * 2.2 - k * 31 + 1,
                    "EDAC MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x4f21a8 offset:0x400 grain:32)",
                ),
            ]
            if k == 2
            else []
        )
        words += [
            (start - 7200 + k * 13, "nfs: server gs-nfs1 not responding, still trying"),
            (start - 7188 + k * 13, "nfs: server gs-nfs1 OK"),
            (
                start + 310 + k,
                "workqueue: drm_fb_helper_damage_work hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
            ),
        ]
        kernel(place / f"dmesg_{n}.txt", n, zone, "dmesg -T", 0, words)


def t04_kumeyaay(place: Path, rng: Random) -> None:
    """The second run of a chain looked for its checkpoint where none was."""
    zone = -8
    host = "kumeyaay-gpu12"
    start = epoch(2026, 11, 12, 21, 3, 20, -8)
    end = start + 171 * 60
    gpus = rack([host], 4, "l40s", rng)
    per = 3.05

    def nemo(t: float, level: str, where: str, words: str) -> str:
        return f"[NeMo {level} {show(t, '%Y-%m-%d %H:%M:%S', zone)} {where}] {words}"

    def run(begin: float, stop: float, job: int, expdate: str, first: int, found: str | None) -> str:
        out = ["Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/4"]
        root = f"/scratch/rpadilla/nemo_exp/spanglish_1b/{expdate}"
        out += [
            nemo(begin + 31, "I", "nemo_logging:393", f"Experiments will be logged at {root}"),
            nemo(
                begin + 31,
                "W",
                "nemo_logging:405",
                '"update_logger_directory" is True. Overwriting tensorboard logger "save_dir" to ' + root + "/tb_logs",
            ),
        ]
        if found:
            out.append(nemo(begin + 32, "I", "nemo_logging:393", f"Resuming from {found}"))
        else:
            out.append(
                nemo(
                    begin + 32,
                    "W",
                    "nemo_logging:405",
                    f"There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :{root}/checkpoints. Training from scratch.",
                )
            )
        out += [
            "GPU available: True (cuda), used: True",
            "TPU available: False, using: 0 TPU cores",
            "HPU available: False, using: 0 HPUs",
        ]
        out += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in (2, 1, 3)]
        out += [
            "-" * 100,
            "distributed_backend=nccl",
            "All distributed processes registered. Starting with 4 processes",
            "-" * 100,
            "",
            nemo(
                begin + 44,
                "I",
                "nemo_logging:393",
                "Padded vocab_size: 50432, original vocab_size: 50260, dummy tokens: 172.",
            ),
            nemo(
                begin + 51,
                "I",
                "nemo_logging:393",
                " > number of parameters on (tensor, pipeline) model parallel rank (0 ,0): 1235814400",
            ),
            nemo(
                begin + 52,
                "I",
                "utils:554",
                "Building GPTDataset splits with sizes=[1920000, 10240, 1280] and config=GPTDatasetConfig(random_seed=1234, sequence_length=2048, split='980,15,5', ...)",
            ),
            nemo(begin + 58, "I", "utils:554", "> total number of samples: 2108402"),
            "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        ]
        if found:
            out += [
                f"Restoring states from the checkpoint path at {found}",
                nemo(
                    begin + 96,
                    "I",
                    "nemo_logging:393",
                    "Global Checkpoint Load : Rank : 0 : Start time : 1762900000.211s : Time spent in load_checkpoint: 21.604s",
                ),
                f"Restored all states from the checkpoint at {found}",
            ]
        out += [
            "",
            "  | Name   | Type     | Params | Mode ",
            "--------------------------------------------",
            "0 | module | GPTModel | 1.2 B  | train",
            "--------------------------------------------",
            "1.2 B     Trainable params",
            "0         Non-trainable params",
            "1.2 B     Total params",
            "4,943.258 Total estimated model params size (MB)",
        ]
        step, t = first, begin + 128
        out.append(nemo(t - 2, "I", "rerun_state_machine:1264", "Implicit initialization of Rerun State Machine!"))
        saved = first
        while True:
            took = per + rng.gauss(0, 0.03) + (1.9 if step == first else 0)
            t += took
            if t > stop - 41:
                break
            if step % 10 == 9 or step == first:
                loss = (
                    2.46
                    + 4.3 * math.exp(-step / 210)
                    + 4.15 * math.exp(-step / 55)
                    + 1.05 * math.exp(-step / 1500)
                    + rng.gauss(0, 0.02)
                )
                lr = 3e-4 * min(1.0, (step + 1) / 500) * (0.55 + 0.45 * math.cos(math.pi * step / 15000))
                out.append(
                    f"Training epoch 0, iteration {step}/14999 | lr: {lr:.4g} | global_batch_size: 128 | global_step: {step} | reduced_train_loss: {loss:.4g} | train_step_timing in s: {took:.4g} | consumed_samples: {(step + 1) * 128}"
                )
            step += 1
            if step % 600 == 0:
                path = f"{root}/checkpoints/spanglish_1b--step={step}-consumed_samples={step * 128}.0-last"
                out.append(
                    nemo(
                        t,
                        "I",
                        "nemo_logging:393",
                        f"Global Checkpoint Save : Rank: 0 : Iteration: {step - 1} : Start time: {t:.3f}s : Save duration: 8.{rng.randrange(100, 999)}s",
                    )
                )
                out.append(nemo(t + 8, "I", "model_checkpoint:522", f"Scheduled async checkpoint save for {path}.ckpt"))
                out.append(
                    nemo(
                        t + 24,
                        "I",
                        "model_checkpoint:558",
                        f"Async checkpoint save for step {step} ({path}.ckpt) finalized successfully.",
                    )
                )
                saved = step
                t += 8.4
        out.append(
            nemo(
                t,
                "I",
                "stateless_timer:31",
                f"Time limit reached. Elapsed time is {span(t - begin - 100)}. Signaling Trainer to stop.",
            )
        )
        if step != saved:
            path = f"{root}/checkpoints/spanglish_1b--step={step}-consumed_samples={step * 128}.0-last"
            out.append(nemo(t + 9, "I", "model_checkpoint:522", f"Scheduled async checkpoint save for {path}.ckpt"))
            out.append(
                nemo(
                    t + 25,
                    "I",
                    "model_checkpoint:558",
                    f"Async checkpoint save for step {step} ({path}.ckpt) finalized successfully.",
                )
            )
        out.append(f"+ echo 'job {job} leaving, next one takes over'")
        out.append(f"job {job} leaving, next one takes over")
        return "\n".join(out) + "\n"

    before = start - 2210
    was = run(before - 16500, before - 60, 51204, show(before - 16500 + 22, "%Y-%m-%d_%H-%M-%S", zone), 0, None)
    (place / "logs").mkdir()
    (place / "logs" / "spanglish_1b_51204.out").write_text(was)
    (place / "logs" / "spanglish_1b_51219.out").write_text(
        run(start, end, 51219, show(start + 22, "%Y-%m-%d_%H-%M-%S", zone), 0, None)
    )
    (place / "chain.sh").write_text("""#!/bin/bash
# submit N links; every link goes on where the one before stopped
N=${1:-6}
JID=$(sbatch --parsable -J spanglish_1b train_link.sbatch)
for i in $(seq 2 $N); do
  JID=$(sbatch --parsable -J spanglish_1b --dependency=afterany:$JID train_link.sbatch)
  echo "link $i = $JID"
done
""")
    saves = [start + 128 + k * (600 * per + 8.4) - 8 for k in range(1, 6)]

    def load(t: float, g: Gpu) -> Load:
        if t < start + 38:
            return IDLE
        if t > end - 3:
            return IDLE
        mem = 39480 + 26 * g.index
        if t < start + 128:
            return Load(mem=870 if t < start + 60 else 12950, awake=True, util=0 if t < start + 60 else 2)
        if any(s <= t < s + 9 for s in saves) or t > end - 40:
            return Load(util=7, sm=0.02, dram=0.04, mem=mem, power=0.1, awake=True, pcie=2)
        return Load(util=99, sm=0.741, tensor=0.388, dram=0.47, mem=mem, power=0.885, pcie=8.2)

    watch(gpus, start - start % 15 - 420, end + 300, 15, load)
    fields = [*COMMON, "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", *PROF]
    query_range(place / "metrics", gpus, fields, lambda g: labels(g, "570.133.20", f"{host}.hpc.local:9400"))


def t05_lanhu(place: Path, rng: Random) -> None:
    """Four GPUs of two pods worked and were let go; no log is left and the pods are gone."""
    zone = 8
    nodes = ["lh-node-11", "lh-node-14"]
    start = epoch(2026, 10, 21, 22, 17, 12, 8)
    end = start + 228 * 60 + 22
    gpus = rack(nodes, 2, "a40", rng)
    work = start + 190

    def load(t: float, g: Gpu) -> Load:
        if t < start + 75 or t >= end:
            return IDLE
        mem = 38744 + 312 * (g.index + 2 * nodes.index(g.node)) % 700
        if t < work:
            return Load(mem=1120 if t < start + 130 else 15960, awake=True, util=0 if t < start + 130 else 4)
        if (t - work) % 2580 > 2544:
            return Load(util=3, mem=mem, awake=True, sm=0.01, power=0.06, pcie=1)
        return Load(
            util=98, sm=0.71, tensor=0.352, dram=0.52, mem=mem, power=0.87 + 0.012 * math.sin(t / 211), pcie=5.4
        )

    watch(gpus, start - start % 30 - 600, end + 900, 30, load)
    fields = [*COMMON, "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", *PROF]
    query_range(place / "prometheus", gpus, fields, lambda g: {"UUID": g.uid})
    (place / "nvidia-smi-L.txt").write_text(
        "".join(
            f"## {n}\n" + "".join(f"GPU {g.index}: NVIDIA A40 (UUID: {g.uid})\n" for g in gpus if g.node == n)
            for n in nodes
        )
    )

    def pods(t: float) -> str:
        def age(since: float) -> str:
            m = int((t - since) // 60)
            return f"{m // 60}h{m % 60}m" if 180 <= m < 480 else f"{m // 60}h" if m >= 480 else f"{m}m"

        lines = [
            "NAME                               READY   STATUS    RESTARTS        AGE     IP             NODE         NOMINATED NODE   READINESS GATES",
            "embed-server-6f7c9d5b8-k2xwq       1/1     Running   3 (2d1h ago)    11d     10.233.71.18   lh-node-09   <none>           <none>",
        ]
        if start <= t < end:
            lines += [
                f"tune-qwen2-lora-r5-master-0        1/1     Running   0               {age(start):<7} 10.233.80.52   lh-node-11   <none>           <none>",
                f"tune-qwen2-lora-r5-worker-0        1/1     Running   0               {age(start):<7} 10.233.84.9    lh-node-14   <none>           <none>",
            ]
        return "\n".join(lines) + "\n"

    k, late = start - start % 300 + 60, end - end % 300
    out = [
        f"### {show(t, '%Y-%m-%d %H:%M:%S', zone)} kubectl -n nlp get pods -o wide\n" + pods(t)
        for t in [k + 300, k + 3600, k + 7200, k + 10800, late - 240, late + 60, late + 360]
    ]
    (place / "pods_snapshots.txt").write_text("\n".join(out))
    asked = end + 5 * 3600 + 700

    def ago(t: float) -> str:
        m = int((asked - t) // 60)
        return f"{m}m"

    (place / "events.txt").write_text(
        "\n".join(
            [
                f"$ date; kubectl -n nlp get events --sort-by=.lastTimestamp    # {show(asked, '%F %T', zone)} CST",
                "LAST SEEN   TYPE      REASON             OBJECT                                MESSAGE",
                f'{ago(asked - 3300):<11} Warning   Unhealthy          pod/embed-server-6f7c9d5b8-k2xwq      Readiness probe failed: Get "http://10.233.71.18:8080/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                f"{ago(asked - 2520):<11} Warning   FailedScheduling   pod/notebook-zhou-0                   0/14 nodes are available: 14 Insufficient nvidia.com/gpu. preemption: 0/14 nodes are available: 14 No preemption victims found for incoming pod.",
                f"{ago(asked - 660):<11} Warning   BackOff            pod/etl-dedup-29384110-8wz7c          Back-off restarting failed container etl in pod etl-dedup-29384110-8wz7c_nlp(0c0b7a1e-3f10-4e57-9d1c-61e2ac5d2b6e)",
                "",
                "$ kubectl -n nlp get pytorchjobs",
                "No resources found in nlp namespace.",
                "$ kubectl get nodes lh-node-11 lh-node-14",
                "NAME         STATUS   ROLES    AGE    VERSION",
                "lh-node-11   Ready    <none>   402d   v1.28.11",
                "lh-node-14   Ready    <none>   402d   v1.28.11",
            ]
        )
        + "\n"
    )
    (place / "tune-qwen2-lora-r5.yaml").write_text("""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: tune-qwen2-lora-r5, namespace: nlp}
spec:
  runPolicy: {cleanPodPolicy: All, ttlSecondsAfterFinished: 60, backoffLimit: 0}
  pytorchReplicaSpecs:
    Master: &r
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
          - name: pytorch
            image: harbor.lanhu.local/nlp/torchtune:0.5.0-cu124
            command: [bash, -c, "tune run --nnodes 2 --nproc_per_node 2 --rdzv_backend c10d --rdzv_endpoint $(MASTER_ADDR):29400 lora_finetune_distributed --config /cfg/qwen2_7b_lora.yaml"]
            resources: {limits: {nvidia.com/gpu: 2}}
    Worker: *r
""")
    boot = start - 86400 * 31.4
    for n in nodes:
        words = (
            [
                (start - 7000, "mce: [Hardware Error]: Machine check events logged"),
                (
                    start - 6999.4,
                    "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x2b1c77 offset:0x9c0 grain:32 syndrome:0x0)",
                ),
            ]
            if n == "lh-node-14"
            else []
        )
        words += [
            (start + 40, f"IPv6: ADDRCONF(NETDEV_CHANGE): cali{rng.getrandbits(44):011x}: link becomes ready"),
            (
                start + 5211 + rng.random(),
                f"INFO: task du:{2231907 + rng.randrange(90000)} blocked for more than 120 seconds.",
            ),
            (start + 5211.9, "      Tainted: P           OE     5.15.0-119-generic #129-Ubuntu"),
            (start + 5212, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
            (
                start + 9127 + rng.uniform(0, 3000),
                f"Memory cgroup out of memory: Killed process {2240118 + rng.randrange(90000)} (node_exporter) total-vm:1302244kB, anon-rss:64132kB, file-rss:0kB, shmem-rss:0kB, UID:65534 pgtables:288kB oom_score_adj:999",
            ),
            (
                end + 640,
                "TCP: request_sock_TCP: Possible SYN flooding on port 10250. Sending cookies.  Check SNMP counters.",
            ),
        ]
        kernel(place / "kernel" / f"{n}.syslog", n, zone, "syslog", boot, words)


def t06_fjordgpt(place: Path, rng: Random) -> None:
    """Six hours on one A100 that now and then touched its power limit, to the planned end."""
    host = "bergen-g03"
    start = epoch(2026, 9, 4, 6, 12, 9)
    end = start + 356 * 60 - 21
    gpus = rack([host], 1, "a100", rng)
    steps, first = 4000, start + 143
    save = 36.0
    per = (end - 30 - first - 8 * save) / steps
    out: list[str] = []

    def ds(t: float, words: str, level: str = "INFO") -> None:
        out.append(f"[{show(t, '%Y-%m-%d %H:%M:%S')},{rng.randrange(1000):03}] [{level}] {words}")

    out.append(
        "+ srun deepspeed --num_gpus 1 train_nb.py --deepspeed ds_z1.json --max_steps 4000 --save_every 500 --out /cluster/work/ihansen/fjordgpt-410m"
    )
    ds(start + 9, "[real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda (auto detect)")
    ds(
        start + 16,
        "[runner.py:215:fetch_hostfile] Unable to find hostfile, will proceed with training with local resources only.",
        "WARNING",
    )
    ds(
        start + 16,
        "[runner.py:605:main] cmd = /cluster/software/pt24/bin/python -u -m deepspeed.launcher.launch --world_info=eyJsb2NhbGhvc3QiOiBbMF19 --master_addr=127.0.0.1 --master_port=29500 --enable_each_rank_log=None train_nb.py --deepspeed ds_z1.json --max_steps 4000 --save_every 500 --out /cluster/work/ihansen/fjordgpt-410m",
    )
    ds(start + 22, "[launch.py:146:main] WORLD INFO DICT: {'localhost': [0]}")
    ds(start + 22, "[launch.py:152:main] nnodes=1, num_local_procs=1, node_rank=0")
    ds(start + 22, "[launch.py:164:main] dist_world_size=1")
    ds(
        start + 22,
        "[launch.py:256:main] process 88172 spawned with command: ['/cluster/software/pt24/bin/python', '-u', 'train_nb.py', '--local_rank=0', '--deepspeed', 'ds_z1.json']",
    )
    ds(start + 41, "[comm.py:652:init_distributed] cdb=None")
    ds(start + 41, "[comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl")
    out.append("tokens: 1.57 B (nowac+nb-wiki), seq 1536, 256 seq/step -> 4000 steps = 1 epoch")
    out.append("params: 405.3 M")
    ds(
        start + 63,
        "[logging.py:128:log_dist] [Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown",
    )
    ds(start + 71, "[logging.py:128:log_dist] [Rank 0] DeepSpeed Flops Profiler Enabled: False")
    ds(start + 72, "[logging.py:128:log_dist] [Rank 0] Using DeepSpeed Optimizer param name adam as basic optimizer")
    ds(start + 72, "[logging.py:128:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage 1 optimizer")
    ds(start + 88, "[utils.py:782:see_memory_usage] After initializing ZeRO optimizer")
    ds(
        start + 88,
        "[utils.py:783:see_memory_usage] MA 5.31 GB         Max_MA 6.07 GB         CA 6.11 GB         Max_CA 6 GB ",
    )
    saves, t = [], first
    for step in range(1, steps + 1):
        t += per
        if step % 20 == 0:
            lr = 4e-4 * min(1.0, step / 200) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / steps)))
            loss = (
                3.21
                + 3.6 * math.exp(-step / 130)
                + 4.1 * math.exp(-step / 40)
                + 0.8 * math.exp(-step / 1400)
                + rng.gauss(0, 0.018)
            )
            ds(t, f"[logging.py:128:log_dist] [Rank 0] step={step}, skipped=0, lr=[{lr!r}], mom=[(0.9, 0.95)]")
            out.append(f"step {step} loss {loss:.4f} grad {0.35 + 2 * math.exp(-step / 150) + rng.random() * 0.1:.3f}")
            if step % 40 == 0:
                sps = 256 / per * (1 + rng.gauss(0, 0.004))
                ds(
                    t,
                    f"[timer.py:264:stop] epoch=0/micro_step={step * 8}/global_step={step}, RunningAvgSamplesPerSec={256 / per * (1 + rng.gauss(0, 0.001))}, CurrSamplesPerSec={sps}, MemAllocated=5.33GB, MaxMemAllocated=61.48GB",
                )
        if step % 500 == 0:
            ev = 3.24 + 0.78 * math.exp(-step / 1400) + rng.gauss(0, 0.003)
            out.append(f"eval @ {step}: val_loss {ev:.4f} ppl {math.exp(ev):.2f}")
            root = f"/cluster/work/ihansen/fjordgpt-410m/global_step{step}"
            ds(t + 25, f"[logging.py:128:log_dist] [Rank 0] [Torch] Checkpoint global_step{step} is about to be saved!")
            ds(t + 26, f"[torch_checkpoint_engine.py:21:save] [Torch] Saving {root}/mp_rank_00_model_states.pt...")
            ds(t + 29, f"[torch_checkpoint_engine.py:23:save] [Torch] Saved {root}/mp_rank_00_model_states.pt.")
            ds(t + 34, f"[torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{step} is ready now!")
            saves.append(t)
            t += save
    out.append("done: 4000 steps, 1 epoch, best val at 4000")
    ds(end - 9, "[launch.py:351:main] Process 88172 exits successfully.")
    (place / "fjordgpt-3390177.out").write_text("\n".join(out) + "\n")

    def load(t: float, g: Gpu) -> Load:
        if t < start + 45 or t > end - 12:
            return IDLE
        if t < first:
            return Load(mem=7010, awake=True, util=1)
        into = [t - s for s in saves if 0 <= t - s < save]
        if into:
            return Load(
                util=90 if into[0] < 24 else 3,
                sm=0.55 if into[0] < 24 else 0.01,
                tensor=0.27 if into[0] < 24 else 0,
                dram=0.2,
                mem=64870,
                power=0.7 if into[0] < 24 else 0.1,
                awake=True,
            )
        return Load(
            util=100, sm=0.863, tensor=0.551, dram=0.44, mem=64870, power=0.985, capped=rng.random() < 0.55, pcie=0.4
        )

    watch(gpus, start - start % 60 - 600, end + 600, 60, load)
    fields = [
        *COMMON,
        "DCGM_FI_DEV_MEMORY_TEMP",
        "DCGM_FI_DEV_MEM_CLOCK",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
        *PROF,
    ]
    DCGM["DCGM_FI_DEV_MEMORY_TEMP"] = "memtemp"
    query_range(place, gpus, fields, lambda g: labels(g, "535.216.01", f"{g.node}:9400"))

    def code(n: int = 0) -> dict[str, object]:
        return {
            "status": ["SUCCESS"],
            "return_code": {"set": True, "infinite": False, "number": n},
            "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
        }

    def when(a: float, b: float) -> dict[str, object]:
        return {
            "elapsed": int(b - a),
            "end": int(b),
            "start": int(a),
            "suspended": 0,
            "system": {"seconds": 612, "microseconds": 11092},
            "total": {"seconds": 27114, "microseconds": 93211},
            "user": {"seconds": 26502, "microseconds": 82119},
        }

    def step_of(k: str, name: str, a: float) -> dict[str, object]:
        return {
            "time": when(a, end),
            "exit_code": code(),
            "nodes": {"count": 1, "range": host, "list": [host]},
            "tasks": {"count": 1},
            "CPU": {
                "requested_frequency": {"min": {"set": True, "number": 0}, "max": {"set": True, "number": 0}},
                "governor": "0",
            },
            "kill_request_user": "",
            "state": ["COMPLETED"],
            "step": {"id": f"3390177.{k}", "name": name, "stderr": "", "stdin": "", "stdout": ""},
            "task": {"distribution": "Unknown"},
            "pid": "",
        }

    job = {
        "account": "nn9997k",
        "allocation_nodes": 1,
        "array": {"job_id": 0, "task_id": {"set": False, "infinite": False, "number": 0}},
        "association": {"account": "nn9997k", "cluster": "bergen", "partition": "", "user": "ihansen", "id": 4117},
        "cluster": "bergen",
        "constraints": "",
        "derived_exit_code": code(),
        "exit_code": code(),
        "time": {
            **when(start, end),
            "eligible": int(start - 512),
            "submission": int(start - 512),
            "limit": {"set": True, "infinite": False, "number": 480},
        },
        "flags": ["STARTED_ON_BACKFILL"],
        "group": "ihansen",
        "job_id": 3390177,
        "name": "fjordgpt-410m",
        "restart_cnt": 0,
        "nodes": host,
        "partition": "accel",
        "qos": "nn9997k",
        "required": {
            "CPUs": 16,
            "memory_per_cpu": {"set": False, "infinite": False, "number": 0},
            "memory_per_node": {"set": True, "infinite": False, "number": 131072},
        },
        "kill_request_user": "",
        "state": {"current": ["COMPLETED"], "reason": "None"},
        "steps": [
            step_of("batch", "batch", start),
            step_of("extern", "extern", start),
            step_of("0", "deepspeed", start + 6),
        ],
        "submit_line": "sbatch -t 8:00:00 fjord.sbatch",
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": 16},
                {"type": "mem", "name": "", "id": 2, "count": 131072},
                {"type": "node", "name": "", "id": 4, "count": 1},
                {"type": "gres", "name": "gpu", "id": 1001, "count": 1},
            ]
        },
        "user": "ihansen",
        "working_directory": "/cluster/home/ihansen/fjordgpt",
    }
    meta = {
        "plugin": {
            "type": "openapi/slurmdbd",
            "name": "Slurm OpenAPI slurmdbd",
            "data_parser": "data_parser/v0.0.41",
            "accounting_storage": "accounting_storage/slurmdbd",
        },
        "client": {"source": "/dev/pts/11", "user": "ihansen", "group": "ihansen"},
        "command": ["sacct", "-j", "3390177", "--json"],
        "slurm": {"version": {"major": "24", "micro": "4", "minor": "05"}, "release": "24.05.4", "cluster": "bergen"},
    }
    (place / "sacct.json").write_text(
        json.dumps({"jobs": [job], "meta": meta, "errors": [], "warnings": []}, indent=2) + "\n"
    )
    kernel(
        place / f"dmesg-{host}.txt",
        host,
        0,
        "dmesg -T",
        0,
        [
            (start - 91000, "nvidia-nvlink: Nvlink Core is being initialized, major device number 510"),
            (start - 90999, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.216.01  Tue Sep 17 16:54:04 UTC 2024"),
            (start - 90990, "nvidia-uvm: Loaded the UVM driver, major device number 507."),
            (
                start + 4021,
                "LustreError: 11-0: work-OST0011-osc-ffff9c2f: operation ost_statfs to node 10.2.9.41@o2ib failed: rc = -107",
            ),
            (
                start + 4033,
                "Lustre: work-OST0011-osc-ffff9c2f: Connection restored to 10.2.9.41@o2ib (at 10.2.9.41@o2ib)",
            ),
        ],
    )


def t07_qingniao(place: Path, rng: Random) -> None:
    """Both pods prepared data for an hour on the CPU and then fell at the same line."""
    nodes = ["qn-4090-06", "qn-4090-09"]
    start = epoch(2026, 11, 3, 3, 22, 47)
    gpus = rack(nodes, 1, "4090", rng)
    gpus[1].remapped = 2
    crash = start + 61 * 60 + 38
    end = start + 62 * 60 + 4
    host = ["qingniao-sft-0311-master-0", "qingniao-sft-0311-worker-0"]
    files = [
        ("百科问答", 412388),
        ("客服对话", 1288450),
        ("法律条文", 203117),
        ("代码片段", 618204),
        ("数学推理", 377921),
    ]
    for rank, name in enumerate(host):
        out: list[str] = []
        off = 0.4 + rank * 1.7

        def say(t: float, words: str, level: str = "信息", out: list[str] = out, rank: int = rank) -> None:
            out.append(f"{show(t, '%Y-%m-%d %H:%M:%S')} | {level} | rank{rank} | {words}")

        say(start + 22 + off, "启动: 青鸟-1.8B 指令微调, 共 2 卡, 计划 3 轮 / 9450 步, 批大小 64, 学习率 2e-5")
        say(start + 22 + off, f"主机 {name}, 设备 cuda:0 (NVIDIA GeForce RTX 4090, 23.6 GiB), torch 2.4.1+cu121")
        say(start + 24 + off, "进程组已建立 (gloo, 仅用于数据同步), world_size=2")
        say(start + 25 + off, "缓存 /data/cache/qn_sft_v311 不存在, 开始在 CPU 上分词 (8 进程)")
        t = start + 31 + off
        each = (crash - 190 - t) / sum(n for _, n in files)
        for word, n in files:
            n_own = n // 2
            say(t, f"[{word}] 读取 {n_own} 条")
            for k in range(1, 11):
                t += n * each / 10 * rng.uniform(0.97, 1.02)
                say(
                    min(t, crash - 175 + k / 10),
                    f"[{word}] 分词 {k * 10}% ({n_own * k // 10}/{n_own}) {5 / each / 10 * rng.uniform(0.95, 1.05):.0f} 条/秒",
                )
            if word == "法律条文":
                say(t, f"[{word}] 有 {rng.randrange(20, 60)} 条超过 4096, 已截断", "警告")
        say(crash - 160 + off, "写缓存完成, 共 1450040 条, 丢弃 11 条空样本")
        say(crash - 120 + off, "建数据集与 DataLoader: 训练 201600 组, 验证 2048 组 (打包后)")
        say(crash - 71 + off, "在 CPU 上建模型 ...")
        say(crash - 6 + off, "权重 /models/qingniao-1.8b 读入完毕, 参数 1836.4 M")
        say(crash - 3 + off, "优化器 AdamW, 分组: 衰减 146 / 不衰减 98")
        say(crash - 2 + off, "构建学习率调度 cosine ...")
        out += [
            "Traceback (most recent call last):",
            '  File "/workspace/qn/sft.py", line 318, in <module>',
            "    主函数(参数)",
            '  File "/workspace/qn/sft.py", line 241, in 主函数',
            "    调度 = 建调度(优化器, 参数)",
            '  File "/workspace/qn/optim.py", line 57, in 建调度',
            "    return get_scheduler(参数.调度, 优化器, num_warmup_steps=参数.预热步数, num_training_steps=参数.总步数, min_lr_ratio=参数.最低比例)",
            "TypeError: get_scheduler() got an unexpected keyword argument 'min_lr_ratio'",
        ]
        (place / f"{name}.log").write_text("\n".join(out) + "\n")

    def load(t: float, g: Gpu) -> Load:
        if t < start + 20 or t > crash + 4:
            return Load(mem=2)
        return Load(mem=264, awake=t < start + 90)

    watch(gpus, start - start % 30 - 480, end + 600, 30, load)
    names = [
        *COMMON,
        "DCGM_FI_DEV_MEM_CLOCK",
        "DCGM_FI_DEV_MEM_COPY_UTIL",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    ]

    def owner(g: Gpu) -> dict[str, str]:
        return labels(
            g,
            "550.120",
            f"10.42.{7 + nodes.index(g.node)}.5:9400",
            namespace="dcgm",
            pod=f"dcgm-exporter-{'x7k2p' if g.node == nodes[0] else 'n4wzt'}",
            container="exporter",
        )

    (place / "prom").mkdir()
    for f in names:
        series = []
        for g in gpus:
            mine = {
                "exported_namespace": "sft",
                "exported_pod": host[nodes.index(g.node)],
                "exported_container": "pytorch",
            }
            points = [(t, r[DCGM[f]]) for t, r in g.rows]
            series.append(({"__name__": f, **owner(g)}, [p for p in points if not start <= p[0] <= end]))
            series.append(({"__name__": f, **owner(g), **mine}, [p for p in points if start <= p[0] <= end]))
        matrix(place / "prom", f, series)
    asked = end + 2820
    (place / "kubectl.txt").write_text(f"""$ date -u
{show(asked, "%a %b %e %H:%M:%S UTC %Y")}
$ kubectl -n sft get pytorchjob,pods -o wide
NAME                                          STATE    AGE
pytorchjob.kubeflow.org/qingniao-sft-0311     Failed   {int((asked - start + 9) // 60)}m

NAME                             READY   STATUS   RESTARTS   AGE    IP            NODE         NOMINATED NODE   READINESS GATES
pod/qingniao-sft-0311-master-0   0/1     Error    0          {int((asked - start + 8) // 60)}m   10.42.7.61    qn-4090-06   <none>           <none>
pod/qingniao-sft-0311-worker-0   0/1     Error    0          {int((asked - start + 8) // 60)}m   10.42.8.117   qn-4090-09   <none>           <none>
$ kubectl -n sft get pods -o custom-columns=POD:.metadata.name,EXIT:.status.containerStatuses[0].state.terminated.exitCode,REASON:.status.containerStatuses[0].state.terminated.reason,STARTED:.status.containerStatuses[0].state.terminated.startedAt,FINISHED:.status.containerStatuses[0].state.terminated.finishedAt
POD                          EXIT   REASON   STARTED                FINISHED
qingniao-sft-0311-master-0   1      Error    {show(start, "%Y-%m-%dT%H:%M:%SZ")}   {show(crash + 5, "%Y-%m-%dT%H:%M:%SZ")}
qingniao-sft-0311-worker-0   1      Error    {show(start + 1, "%Y-%m-%dT%H:%M:%SZ")}   {show(crash + 6, "%Y-%m-%dT%H:%M:%SZ")}
""")
    for n in nodes:
        veth = f"port {rng.randrange(4, 19)}(veth{rng.getrandbits(32):08x})"
        kernel(
            place / "kernel" / f"{n}.log",
            n,
            0,
            "journalctl",
            0,
            [
                (start - 3, f"cni0: {veth} entered blocking state"),
                (start - 3, f"cni0: {veth} entered forwarding state"),
                (
                    start + 1811 + rng.uniform(0, 30),
                    "perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
                ),
                (end + 31, f"cni0: {veth} entered disabled state"),
            ],
        )


def t08_tamarack(place: Path, rng: Random) -> None:
    """One of four nodes went dark in the middle of a fine-tuning and came back by itself later."""
    zone = -8
    nodes = ["tam-a40-02", "tam-a40-03", "tam-a40-05", "tam-a40-06"]
    dead = "tam-a40-05"
    start = epoch(2026, 8, 19, 13, 44, 51, -8)
    end = start + 64 * 60 + 12
    gone = end - 331.0
    back = end + 395
    gpus = rack(nodes, 2, "a40", rng)
    per, first, total = 4.37, start + 118, 2400
    bars: list[str] = [
        "Loading checkpoint shards: 100%|██████████| 4/4 [00:21<00:00,  5.28s/it]",
        "Using auto half precision backend",
        "***** Running training *****",
        "  Num examples = 76,800",
        "  Num Epochs = 2",
        "  Instantaneous batch size per device = 4",
        "  Total train batch size (w. parallel, distributed & accumulation) = 64",
        "  Gradient Accumulation steps = 2",
        "  Total optimization steps = 2,400",
        "  Number of trainable parameters = 8,030,261,248",
        f"  0%|          | 0/{total} [00:00<?, ?it/s]",
    ]
    out = [f"tamarack launcher: {' '.join(nodes)}  master=tam-a40-02:29500\n", "\n".join(bars)]
    step, t, saves = 0, first, []
    while True:
        took = per * (1 + rng.gauss(0, 0.006))
        t += took
        if t > gone - 0.8:
            break
        step += 1
        done = step / total
        full = int(done * 10)
        part = " ▏▎▍▌▋▊▉"[int(done * 80 % 8)].strip()
        bar = ("█" * full + part).ljust(10)
        went, left = int(t - first), int((total - step) * per)
        if step % 5 == 0:
            out.append(
                f"\r{int(done * 100):3}%|{bar}| {step}/{total} [{went // 60:02}:{went % 60:02}<{left // 3600}:{left % 3600 // 60:02}:{left % 60:02},  {took:.2f}s/it]"
            )
        if step % 10 == 0:
            loss = 0.93 + 0.62 * math.exp(-step / 60) + 0.21 * math.exp(-step / 420) + rng.gauss(0, 0.02)
            out.append(
                " " * 46
                + "\r"
                + str(
                    {
                        "loss": round(loss, 4),
                        "grad_norm": round(1.4 + 3 * math.exp(-step / 40) + rng.random() * 0.4, 6),
                        "learning_rate": round(
                            1e-5 * min(1.0, step / 72) * (0.5 + 0.5 * math.cos(math.pi * step / total)), 12
                        ),
                        "epoch": round(step / 1200, 2),
                    }
                )
                + "\n"
                + out[-1]
            )
        if step % 400 == 0:
            out.append(f"Saving model checkpoint to /project/rtd/out/llama3-8b-permits/checkpoint-{step}\n")
            out.append(f"Configuration saved in /project/rtd/out/llama3-8b-permits/checkpoint-{step}/config.json\n")
            saves.append(t)
            t += 41
    out.append(
        f"slurmstepd: error: *** STEP 95518.0 ON tam-a40-02 CANCELLED AT {show(end - 2, '%Y-%m-%dT%H:%M:%S', zone)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n"
    )
    out.append("srun: error: Node failure on tam-a40-05\n")
    out.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n")
    out.append(
        f"slurmstepd: error: *** JOB 95518 ON tam-a40-02 CANCELLED AT {show(end - 2, '%Y-%m-%dT%H:%M:%S', zone)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n"
    )
    (place / "permits_95518.log").write_text("".join(out), newline="")

    def load(t: float, g: Gpu) -> Load | None:
        if g.node == dead and gone <= t < back + 95:
            return None
        if t < start + 30 or t > end + 3:
            return IDLE
        mem = 43180 + 118 * g.index
        if t < first:
            return Load(mem=820 if t < start + 60 else 16900, awake=True, util=0 if t < start + 60 else 3)
        if t >= gone:
            return Load(util=100, sm=0.1, dram=0.01, mem=mem, power=0.22, awake=True)
        if any(s <= t < s + 41 for s in saves):
            return Load(util=100 if g.node != nodes[0] or g.index else 2, mem=mem, power=0.22, awake=True)
        return Load(util=99, dram=0.5, mem=mem, power=0.975, capped=rng.random() < 0.6, pcie=8)

    watch(gpus, start - start % 10 - 300, end + 720, 10, load)
    table = {
        "nvidia_smi_utilization_gpu_ratio": ("util", 0.01),
        "nvidia_smi_memory_used_bytes": ("used", 1048576),
        "nvidia_smi_power_draw_watts": ("power", 1),
        "nvidia_smi_temperature_gpu": ("temp", 1),
        "nvidia_smi_clocks_current_sm_clock_hz": ("clock", 1000000),
        "nvidia_smi_clocks_event_reasons_sw_power_cap": ("reason", -4),
        "nvidia_smi_clocks_event_reasons_hw_slowdown": ("zero", 1),
        "nvidia_smi_ecc_errors_uncorrected_volatile_total": ("zero", 1),
    }
    where = place / "nvidia_gpu_exporter"
    where.mkdir()
    for name, (key, scale) in table.items():
        series = [
            (
                {"__name__": name, "instance": f"{g.node}:9835", "job": "gpu", "uuid": g.uid.removeprefix("GPU-")},
                [(t, float(r[key] == 4) if scale < 0 else round(r[key] * scale, 4)) for t, r in g.rows],
            )
            for g in gpus
        ]
        matrix(where, name, series)
    matrix(
        where,
        "nvidia_smi_gpu_info",
        [
            (
                {
                    "__name__": "nvidia_smi_gpu_info",
                    "driver_model_current": "[N/A]",
                    "driver_version": "560.35.05",
                    "instance": f"{g.node}:9835",
                    "job": "gpu",
                    "name": g.board.name,
                    "uuid": g.uid.removeprefix("GPU-"),
                    "vbios_version": "94.02.5c.00.04",
                },
                [(t, 1.0) for t, _ in g.rows[::30]],
            )
            for g in gpus
        ],
    )
    clock = [t for t, _ in gpus[0].rows]
    matrix(
        where,
        "up",
        [
            (
                {"__name__": "up", "instance": f"{n}:9835", "job": "gpu"},
                [(t, float(not (n == dead and gone <= t < back + 95))) for t in clock],
            )
            for n in nodes
        ],
    )
    for n in nodes:
        words = [
            (
                start - 20,
                'audit: type=1400 audit(0.0:118): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="snap.lxd.lxc"',
            ),
            (start + 1204 + rng.uniform(0, 9), "beegfs: enabling unsafe global rkey"),
        ]
        if n != dead:
            kernel(place / "journal" / f"{n}.txt", n, zone, "journalctl", 0, words)
            continue
        path = place / "journal" / f"{n}.txt"
        kernel(path, n, zone, "journalctl", 0, words)
        old = path.read_text()
        fresh = [
            (
                back,
                "Linux version 6.8.0-45-generic (buildd@lcy02-amd64-075) (x86_64-linux-gnu-gcc-13 (Ubuntu 13.2.0-23ubuntu4) 13.2.0) #45-Ubuntu SMP PREEMPT_DYNAMIC",
            ),
            (
                back,
                "Command line: BOOT_IMAGE=/boot/vmlinuz-6.8.0-45-generic root=/dev/mapper/vg0-root ro console=ttyS0,115200 nomodeset",
            ),
            (back, "DMI: Supermicro SYS-220GP-TNR/X12DPG-QT6, BIOS 1.8a 02/21/2024"),
            (back + 3, "EXT4-fs (dm-0): recovery complete"),
            (back + 21, "nvidia: loading out-of-tree module taints kernel."),
            (back + 22, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  560.35.05  Thu Sep 26 17:21:05 UTC 2024"),
            (back + 41, "beegfs: File system mounted"),
        ]
        kernel(path, n, zone, "journalctl", 0, fresh)
        path.write_text(old + f"-- Boot {rng.getrandbits(128):032x} --\n" + path.read_text())
