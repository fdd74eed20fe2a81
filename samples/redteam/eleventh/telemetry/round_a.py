"""Round A of the incidents (SIMULATED): each function fills one folder; truth_data.jsonl says what is right."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .lab import (
    A100,
    A100_40,
    BASIC,
    ECC,
    FAULTS,
    H100,
    H200,
    HELD,
    IDLE,
    L40S,
    LOADING,
    MEMORY_TEMP,
    PROFILING,
    REASONS,
    REMAP,
    SPIN,
    TRAIN,
    V100,
    Accounting,
    Doing,
    Fleet,
    Zone,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def epoch(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc,arg-type]


def t01_four_by_eight(out: Path, rnd: Random) -> None:
    """Rank 26 hangs in a read of a dead file server, 31 ranks wait for it in an all-reduce until the watchdog."""
    nodes, zone = [f"hgx-{k:02d}" for k in (11, 12, 14, 15)], Zone(120)
    begin, froze = epoch(2026, 5, 3, 23, 40, 12), epoch(2026, 5, 4, 1, 52, 31)
    died = froze + 604

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 25 or t > died + 20:
            return IDLE
        if t < begin + 110:
            return LOADING
        if t < froze:
            return TRAIN
        return replace(HELD, watts=0.1) if (node, gpu) == (3, 2) else SPIN

    Fleet(rnd, H100, nodes, 8, begin - 300, died + 300, 30, doing, (*BASIC, *PROFILING, *FAULTS)).write(out / "prom")
    log, t, step = [], begin + 112, 0
    log += [
        f"{zone.plain(begin + 30)} [rank 0] world size 32, 4 nodes, FSDP full shard, bf16",
        f"{zone.plain(begin + 108)} [rank 0] model built, 13.02 B parameters; begin training at step 0 of 60000",
    ]
    while t < froze:
        step += 1
        t += 2.31 + rnd.random() * 0.06
        if step % 25 == 0 and t < froze:
            loss = 1.9 + 8.9 * (1 + step / 90) ** -0.6 + rnd.gauss(0, 0.02)
            log.append(
                f"{zone.plain(t)} [rank 0] step {step} | loss {loss:.4f} | grad_norm {0.4 + rnd.random() * 0.1:.3f} | 2.33 s/step | 449 TFLOPS"
            )
    seq = step * 166 + 41
    text = f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=_REDUCE_SCATTER_BASE, NumelIn=317194240, NumelOut=9912320, Timeout(ms)=600000) ran for 6000{{}} milliseconds before timing out."
    for rank in range(32):
        if rank == 26:
            write(
                out / "ranks" / "rank26.log",
                [f"{zone.plain(froze - 7)} [rank 26] shard 0412: opening /data/fineweb/0412.bin"],
            )
            continue
        at = froze + 600 + rank % 9 / 7
        lines = log if rank == 0 else []
        lines += [
            f"[rank{rank}]:[E{zone.glog(at)} ProcessGroupNCCL.cpp:632] [Rank {rank}] {text.format(10 + rank)}",
            f"[rank{rank}]:[E{zone.glog(at + 1.1)} ProcessGroupNCCL.cpp:756] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"[rank{rank}]:[E{zone.glog(at + 1.1)} ProcessGroupNCCL.cpp:762] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        ]
        write(out / "ranks" / f"rank{rank:02d}.log", lines)
    stuck = [
        zone.dmesg(begin - 90211, "mlx5_core 0000:18:00.0: firmware version: 28.39.1002"),
        zone.dmesg(froze + 9, "nfs: server 10.40.0.21 not responding, still trying"),
    ]
    for k in (1, 2, 3, 4):
        stuck += [
            zone.dmesg(froze + 122.8 * k, f"INFO: task python:118342 blocked for more than {122 * k} seconds."),
            zone.dmesg(froze + 122.8 * k, "      Tainted: P           OE     5.15.0-113-generic #123-Ubuntu"),
            zone.dmesg(
                froze + 122.8 * k, "task:python          state:D stack:    0 pid:118342 ppid:118201 flags:0x00000000"
            ),
            zone.dmesg(froze + 122.8 * k, " nfs_wait_bit_killable+0x31/0x90 [nfs]"),
        ]
    write(out / "dmesg" / "hgx-15.dmesg", stuck)
    write(
        out / "dmesg" / "hgx-11.dmesg",
        [zone.dmesg(begin - 90317, "mlx5_core 0000:18:00.0: firmware version: 28.39.1002")],
    )
    acct = Accounting(zone, 20917, "fsdp13b", "hgx-[11-12,14-15]", 4, 8, 172800)
    rows = acct.rows(
        begin,
        died + 18,
        "FAILED",
        "6:0",
        [("batch", "FAILED", "6:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "0:6")],
    )
    write(out / "sacct.txt", [acct.header(), *rows])


def t02_two_by_eight(out: Path, rnd: Random) -> None:
    """A GPU falls off the bus; it is not sampled any more, and its rank and then all others end."""
    nodes, zone = ["a100-203", "a100-204"], Zone(-420)
    begin, fault = epoch(2026, 2, 18, 15, 5, 2), epoch(2026, 2, 18, 18, 21, 44)

    def doing(node: int, gpu: int, t: float) -> Doing | None:
        if (node, gpu) == (1, 5) and t > fault:
            return None
        if t < begin + 20 or t > fault + 45:
            return IDLE
        return LOADING if t < begin + 70 else TRAIN

    def told(node: int, gpu: int, t: float) -> dict[str, float]:
        return {"DCGM_FI_DEV_XID_ERRORS": 45} if t > fault + 20 and node == 1 and gpu != 5 else {}

    Fleet(rnd, A100, nodes, 8, begin - 240, fault + 400, 60, doing, (*BASIC, *FAULTS, *ECC, *REMAP), told).write(
        out, "node"
    )
    log, step, t = [], 0, begin + 71.0
    while t < fault:
        step += 20
        t += 31 + rnd.random()
        if t < fault:
            log.append(
                f"{zone.plain(t)},{rnd.randint(0, 999):03d} INFO trainer: step={step} loss={1.7 + 3 * (1 + step / 200) ** -0.7 + rnd.gauss(0, 0.02):.4f} lr={2e-5:.1e} samples/s=82.{rnd.randint(0, 9)}"
            )
    log += [
        "[rank13]: Traceback (most recent call last):",
        '[rank13]:   File "/work/sft/train.py", line 288, in <module>',
        "[rank13]:     main()",
        '[rank13]:   File "/work/sft/train.py", line 231, in main',
        "[rank13]:     loss.backward()",
        '[rank13]:   File "/opt/py/lib/python3.10/site-packages/torch/_tensor.py", line 522, in backward',
        "[rank13]:     torch.autograd.backward(",
        "[rank13]: RuntimeError: CUDA error: unknown error",
        "[rank13]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        f"W{zone.at(fault + 9):%m%d %H:%M:%S}.118000 2311 torch/distributed/elastic/multiprocessing/api.py:851] Sending process 2330 closing signal SIGTERM",
        f"E{zone.at(fault + 12):%m%d %H:%M:%S}.204000 2311 torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: 1) local_rank: 5 (pid: 2335) of binary: /opt/py/bin/python",
        "srun: error: a100-204: task 1: Exited with exit code 1",
        "srun: Terminating StepId=77120.0",
        "srun: error: a100-203: task 0: Terminated",
    ]
    write(out / "slurm-77120.out", log)
    write(
        out / "a100-204" / "dmesg.txt",
        [
            zone.dmesg_iso(
                begin - 871200.4, "nvidia-nvlink: Nvlink Core is being initialized, major device number 511"
            ),
            zone.dmesg_iso(fault + 0.31, "NVRM: GPU at PCI:0000:b7:00: GPU-5e2c9a11-2c9a-4e1f-9a3c-0b7f5e2c9a11"),
            zone.dmesg_iso(
                fault + 0.32,
                "NVRM: Xid (PCI:0000:b7:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            ),
            zone.dmesg_iso(fault + 0.33, "NVRM: GPU 0000:b7:00.0: GPU has fallen off the bus."),
            zone.dmesg_iso(fault + 13.0, "NVRM: Xid (PCI:0000:07:00): 45, pid=2330, name=python, Ch 00000008"),
        ],
    )
    acct = Accounting(zone, 77120, "sft", "a100-[203-204]", 2, 8, 86400)
    rows = acct.rows(begin, fault + 44, "FAILED", "1:0", [("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")])
    write(out / "sacct_77120.txt", [acct.header(), *rows])


def t03_two_by_eight(out: Path, rnd: Random) -> None:
    """The cooling of one node fails: its GPUs brake to a third of their clock, and all steps take twice as long."""
    nodes, zone = ["h200-n01", "h200-n02"], Zone(60)
    begin, hot, end = epoch(2026, 1, 28, 7, 0, 30), epoch(2026, 1, 28, 8, 12, 0), epoch(2026, 1, 28, 9, 41, 5)

    def slow(t: float) -> float:
        return min(1.0, max(0.0, (t - hot) / 420))

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 30 or t > end - 5:
            return IDLE
        if t < begin + 95:
            return LOADING
        if node == 1:
            return replace(TRAIN, clock=0.93 - 0.62 * slow(t), watts=0.82 - 0.47 * slow(t), sm=0.8)
        return replace(
            TRAIN, sm=0.78 - 0.38 * slow(t), tensor=0.42 - 0.22 * slow(t), watts=0.82 - 0.36 * slow(t), engine=0.99
        )

    def told(node: int, gpu: int, t: float) -> dict[str, float]:
        if node == 1 and hot < t < end:
            temp = 66 + 24 * slow(t)
            reasons = 0x48 if temp > 86 else 0
            return {
                "DCGM_FI_DEV_GPU_TEMP": round(temp + rnd.gauss(0, 0.6)),
                "DCGM_FI_DEV_MEMORY_TEMP": round(temp + 8),
                "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": reasons,
            }
        return {}

    metrics = (*BASIC, *MEMORY_TEMP, *REASONS, *PROFILING)
    Fleet(rnd, H200, nodes, 8, begin - 300, end + 300, 30, doing, metrics, told).write(out, "metric")
    log, step, t = [f"{zone.plain(begin + 96)} start of training: 4000 steps, world 16"], 0, begin + 96
    while step < 4000:
        step += 1
        t += 1.62 * (1 + 1.35 * slow(t)) + rnd.random() * 0.03
        if step % 20 == 0:
            loss = 1.2 + 2.0 * (1 + step / 120) ** -0.8 + rnd.gauss(0, 0.015)
            log.append(
                f"{zone.plain(t)} step {step}/4000 loss {loss:.4f} step_time {1.62 * (1 + 1.35 * slow(t)) + rnd.random() * 0.03:.2f}s"
            )
    log.append(f"{zone.plain(t + 1)} 4000 steps done, writing final checkpoint")
    log.append(f"{zone.plain(end - 6)} training finished")
    write(out / "train.out", log)
    write(
        out / "h200-n02" / "dmesg.txt",
        [zone.dmesg(hot + 390, "CPU12: Package temperature above threshold, cpu clock throttled (total events = 1)")],
    )
    acct = Accounting(zone, 31007, "dpo-70b", "h200-n[01-02]", 2, 8, 43200)
    rows = acct.rows(begin, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t04_four_by_four(out: Path, rnd: Random) -> None:
    """Somebody's processes eat the cores of one node: its ranks launch late, and twelve others wait in each step."""
    nodes, zone = [f"gn{k:03d}" for k in range(41, 45)], Zone(540)
    begin, end = epoch(2026, 7, 9, 2, 15), epoch(2026, 7, 9, 4, 40)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 20 or t > end:
            return IDLE
        if t < begin + 60:
            return LOADING
        if node == 2:
            return Doing(0.36, 0.31, 0.15, 0.17, 0.34, 0.97, 0.71)
        return Doing(0.99, 0.35, 0.15, 0.18, 0.43, 0.96, 0.71)

    hosts = {"node_load1": lambda node, _t: (214 if node == 2 else 11) + rnd.random() * 4}
    Fleet(rnd, A100_40, nodes, 4, begin - 200, end + 200, 20, doing, (*BASIC, *PROFILING), hosts=hosts).write(
        out / "metrics"
    )
    for rank in range(16):
        lines, t, step = [], begin + 61.0, 0
        slow = rank // 4 == 2
        while t < end - 90:
            step += 50
            t += 50 * 1.483
            own = 1.431 if slow else 0.522
            own *= rnd.gauss(1, 0.02)
            loss = 2.2 + 6 * (1 + step / 150) ** -0.6
            lines.append(
                f"{zone.plain(t)} r{rank:02d} {nodes[rank // 4]} step {step} loss {loss:.4f} compute {own:.3f}s wait_allreduce {max(0.02, 1.45 - own):.3f}s total 1.48s"
            )
        lines.append(f"{zone.plain(end - 6)} r{rank:02d} {nodes[rank // 4]} done, {step} of {step} steps")
        write(out / "logs" / f"rank_{rank:02d}.log", lines)
    acct = Accounting(zone, 9120044, "ssl-vit", "gn[041-044]", 4, 4, 28800)
    rows = acct.rows(begin, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t05_three_by_four(out: Path, rnd: Random) -> None:
    """The memory of a node's control group is full: the kernel kills one rank, the launcher ends the others."""
    nodes, zone = ["c07", "c08", "c09"], Zone(0)
    begin, killed = epoch(2026, 10, 2, 12, 0, 3), epoch(2026, 10, 2, 13, 47, 50)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 40 or t > killed + 32:
            return IDLE
        if t < begin + 140:
            return LOADING
        if t < killed:
            return replace(TRAIN, gusty=0.04)
        return IDLE if (node, gpu) == (2, 0) else SPIN

    Fleet(rnd, A100, nodes, 4, begin - 300, killed + 300, 15, doing, BASIC, label="kubernetes_node").write(out)
    lines, t, k = [], begin + 141.0, 0
    while t < killed:
        k += 100
        t += 70 + rnd.random()
        if t < killed:
            lines.append(
                f"INFO:root:{zone.iso(t)} iter={k} loss={0.4 + 2.5 * (1 + k / 300) ** -0.8 + rnd.gauss(0, 0.01):.4f} host_rss_gb={61 + k * 0.0172:.1f}"
            )
    lines += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=55120.0. Some of the step tasks have been OOM Killed.",
        "srun: error: c09: task 8: Out Of Memory",
        "srun: Terminating StepId=55120.0",
        f"slurmstepd: error: *** STEP 55120.0 ON c07 CANCELLED AT {zone.iso(killed + 1)} ***",
    ]
    write(out / "slurm-55120.out", lines)
    write(
        out / "c09" / "kern.log",
        [
            zone.journal(
                killed + 0.2, "c09", "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"
            ),
            zone.journal(killed + 0.2, "c09", "memory: usage 251658240kB, limit 251658240kB, failcnt 418233"),
            zone.journal(
                killed + 0.3,
                "c09",
                "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/slurm/uid_1003/job_55120,task_memcg=/slurm/uid_1003/job_55120/step_0/task_8,task=python3,pid=22817,uid=1003",
            ),
            zone.journal(
                killed + 0.3,
                "c09",
                "Memory cgroup out of memory: Killed process 22817 (python3) total-vm:151202984kB, anon-rss:87120412kB, file-rss:412204kB, shmem-rss:1048576kB, UID:1003 pgtables:182044kB oom_score_adj:0",
            ),
        ],
    )
    acct = Accounting(zone, 55120, "rank-reward", "c[07-09]", 3, 4, 172800)
    rows = acct.rows(
        begin,
        killed + 31,
        "OUT_OF_MEMORY",
        "0:125",
        [("batch", "OUT_OF_MEMORY", "0:125"), ("0", "OUT_OF_MEMORY", "0:125")],
    )
    write(out / "sacct.txt", [acct.header(), *rows])


def t06_two_by_four(out: Path, rnd: Random) -> None:
    """A batch of long sequences asks one GPU for more than it has left."""
    nodes, zone = ["l40-a", "l40-b"], Zone(330)
    begin, fail = epoch(2026, 3, 30, 5, 30), epoch(2026, 3, 30, 6, 4, 21)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 15 or t > fail + 14:
            return IDLE
        if t < begin + 55:
            return LOADING
        return replace(TRAIN, memory=min(0.955, 0.81 + (t - begin) / 14500 + 0.01 * (gpu == 3)))

    Fleet(rnd, L40S, nodes, 4, begin - 120, fail + 180, 15, doing, (*BASIC, *FAULTS), label="").write(out)
    log = [f"{zone.plain(begin + 57)} | epoch 0 | 8 ranks | bs 2 x accum 8 | max_len 8192"]
    t, k = begin + 58.0, 0
    while t < fail:
        k += 10
        t += 23 + rnd.random()
        if t < fail:
            log.append(
                f"{zone.plain(t)} | step {k} | loss {1.1 + 1.4 * (1 + k / 80) ** -0.6 + rnd.gauss(0, 0.02):.3f} | tokens 131072 | max_mem {35 + k / 90:.1f} GiB"
            )
    log += [
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/srv/ft/finetune.py", line 190, in <module>',
        "[rank3]:     out = model(**batch)",
        '[rank3]:   File "/srv/ft/.venv/lib/python3.11/site-packages/transformers/models/qwen2/modeling_qwen2.py", line 1164, in forward',
        "[rank3]:     logits = logits.float()",
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. GPU 3 has a total capacity of 44.52 GiB of which 1.93 GiB is free. Including non-PyTorch memory, this process has 42.58 GiB memory in use. Of the allocated memory 39.77 GiB is allocated by PyTorch, and 1.94 GiB is reserved by PyTorch but unallocated.",
        f"E{zone.at(fail + 6):%m%d %H:%M:%S}.551000 901 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 3 (pid: 915) of binary: /srv/ft/.venv/bin/python",
    ]
    write(out / "finetune.log", log)
    acct = Accounting(zone, 4471, "ft-qwen", "l40-[a-b]", 2, 4, 36000)
    rows = acct.rows(begin, fail + 13, "FAILED", "1:0", [("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")])
    write(out / "acct.txt", [acct.header(), *rows])
    (out / "meta.json").write_text(json.dumps({"job_id": "4471", "utc_offset_minutes": 330, "scrape_interval_s": 15}))


def t07_four_by_eight(out: Path, rnd: Random) -> None:
    """Preempted, put back into the queue, begun again two hours later from its checkpoint, and finished."""
    nodes, zone = [f"dgx{k}" for k in (5, 6, 7, 8)], Zone(-300)
    first, gone = epoch(2026, 4, 21, 13, 10), epoch(2026, 4, 21, 15, 2, 10)
    again, end = epoch(2026, 4, 21, 17, 20, 5), epoch(2026, 4, 21, 19, 20, 24)

    def doing(node: int, gpu: int, t: float) -> Doing:
        for begin, last in ((first, gone), (again, end)):
            if begin + 25 < t < last:
                return LOADING if t < begin + 90 else TRAIN
        return IDLE

    Fleet(rnd, H100, nodes, 8, first - 300, end + 300, 60, doing, (*BASIC, *FAULTS)).write(out)
    step, lines = 0, []
    for begin, last in ((first, gone), (again, end)):
        t = begin + 95
        if begin == again:
            step = 1200
            lines.append(
                f"{zone.plain(begin + 88)} resuming from /ckpt/run44/step_1200 (model, optimizer, scheduler, dataloader state)"
            )
        while t < last - 12 and step < 2600:
            step += 10
            t += 50.2 + rnd.random()
            if t < last - 12:
                lines.append(
                    f"{zone.plain(t)} step {step}/2600 loss {1.6 + 5 * (1 + step / 70) ** -0.6 + rnd.gauss(0, 0.02):.4f} 5.02 s/it"
                )
            if step % 200 == 0:
                lines.append(f"{zone.plain(t + 4)} saved /ckpt/run44/step_{step}")
        if begin == first:
            lines.append(
                f"slurmstepd: error: *** JOB 601188 ON dgx5 CANCELLED AT {zone.iso(gone - 2)} DUE TO PREEMPTION ***"
            )
    lines.append(f"{zone.plain(end - 4)} training complete")
    write(out / "run44.log", lines)
    acct = Accounting(zone, 601188, "run44", "dgx[5-8]", 4, 8, 86400)
    rows = acct.rows(first, gone, "PREEMPTED", "0:0", [("batch", "CANCELLED", "0:15"), ("0", "CANCELLED", "0:15")])
    rows += acct.rows(again, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct_D.txt", [acct.header(), *rows])


def t08_eight_by_four(out: Path, rnd: Random) -> None:
    """A path that is not there: 32 ranks end within a minute, before any kernel ran."""
    nodes, zone = [f"v{k:02d}" for k in range(20, 28)], Zone(0)
    begin = epoch(2026, 6, 15, 9, 12, 7)
    end = begin + 49

    def doing(node: int, gpu: int, t: float) -> Doing:
        return replace(IDLE, memory=0.013, clock=0.8, watts=0.05) if begin + 24 < t < end else IDLE

    Fleet(rnd, V100, nodes, 4, begin - 120, end + 120, 15, doing, BASIC).write(out, "node")
    for rank in range(32):
        write(
            out / "logs" / f"log_{rank}.txt",
            [
                f"{zone.plain(begin + 22)} rank {rank} of 32 on v{20 + rank // 4}: process group up (nccl)",
                "Traceback (most recent call last):",
                '  File "pretrain.py", line 402, in <module>',
                "    main(parse())",
                '  File "pretrain.py", line 318, in main',
                "    data = PackedDataset(cfg.data_dir, cfg.block)",
                '  File "/home/u88/pt/data.py", line 57, in __init__',
                "    self.index = np.load(root / 'index.npy', mmap_mode='r')",
                '  File "/home/u88/env/lib/python3.9/site-packages/numpy/lib/npyio.py", line 427, in load',
                '    fid = stack.enter_context(open(os_fspath(file), "rb"))',
                "FileNotFoundError: [Errno 2] No such file or directory: '/scratch/u88/pile_v3/index.npy'",
            ],
        )
    acct = Accounting(zone, 88210, "pretrain", "v[20-27]", 8, 4, 259200)
    rows = acct.rows(begin, end, "FAILED", "1:0", [("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t09_two_by_eight(out: Path, rnd: Random) -> None:
    """A run that ended as planned amid corrected errors, old faults of another job, and warnings."""
    nodes, zone = ["p4-17", "p4-18"], Zone(120)
    begin, end = epoch(2026, 9, 11, 20, 0, 40), epoch(2026, 9, 11, 22, 35, 2)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 30 or t > end - 8:
            return IDLE
        if t < begin + 100:
            return LOADING
        return replace(LOADING, memory=0.86) if (t - begin - 101) % 2449 > 2364 else TRAIN

    def told(node: int, gpu: int, t: float) -> dict[str, float]:
        if (node, gpu) != (1, 3):
            return {}
        return {
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": 3 + math.floor(max(0, t - begin) / 2500),
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 1,
            "DCGM_FI_DEV_XID_ERRORS": 31,
        }

    Fleet(rnd, A100, nodes, 8, begin - 600, end + 300, 30, doing, (*BASIC, *FAULTS, *ECC, *REMAP), told).write(out)
    lines = [
        "/opt/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py:4631: UserWarning: No device id is provided via `init_process_group` or `barrier `.",
        "p4-17:41200:41377 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
        "p4-17:41200:41377 [0] misc/nvmlwrap.cc:188 NCCL WARN Call to nvmlDeviceGetP2PStatus failed with Not Supported",
    ]
    t, k = begin + 101.0, 0
    while k < 1800:
        k += 20
        t += 98.0 + rnd.random()
        if (k - 20) % 480 == 460:
            t += 85
            lines.append(
                f"[{zone.plain(t)}] eval at {k}: loss {1.35 + 3 * (1 + k / 90) ** -0.7:.4f} ppl {math.exp(1.35 + 3 * (1 + k / 90) ** -0.7):.3f}"
            )
        lines.append(
            f"[{zone.plain(t)}] it {k:5d}/1800  loss {1.3 + 3 * (1 + k / 90) ** -0.7 + rnd.gauss(0, 0.02):.4f}  4.9 s/it"
        )
        if k == 700:
            lines += [
                f"[{zone.plain(t + 2)}] WARNING upload of logs failed, will try again in 30 s",
                "Traceback (most recent call last):",
                '  File "/opt/env/lib/python3.11/site-packages/urllib3/connectionpool.py", line 789, in urlopen',
                "    response = self._make_request(",
                "urllib3.exceptions.ProtocolError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))",
                f"[{zone.plain(t + 33)}] INFO upload of logs succeeded on attempt 2",
            ]
    lines += [
        f"[{zone.plain(end - 30)}] saving final weights",
        f"[{zone.plain(end - 9)}] all 1800 iterations done, bye",
    ]
    write(out / "train_rank0.log", lines)
    write(
        out / "p4-18" / "dmesg.txt",
        [
            zone.dmesg(
                begin - 61000,
                "NVRM: Xid (PCI:0000:4a:00): 31, pid=8821, name=pt_main_thread, Ch 0000001c, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f21_4a000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
            ),
            zone.dmesg(
                begin - 60200,
                "NVRM: Xid (PCI:0000:4a:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
            ),
            zone.dmesg(begin + 2210, "mce: [Hardware Error]: Machine check events logged"),
            zone.dmesg(begin + 2210, "EDAC skx MC2: HANDLING MCE MEMORY ERROR"),
            zone.dmesg(
                begin + 2210, "EDAC MC2: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0 (channel:1 slot:0)"
            ),
            zone.dmesg(
                begin + 5020,
                "perf: interrupt took too long (3210 > 3142), lowering kernel.perf_event_max_sample_rate to 62250",
            ),
        ],
    )
    acct = Accounting(zone, 1450, "llm-cpt", "p4-[17-18]", 2, 8, 43200)
    rows = acct.rows(
        begin,
        end,
        "COMPLETED",
        "0:0",
        [("batch", "COMPLETED", "0:0"), ("extern", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")],
    )
    write(out / "sacct.txt", [acct.header(), *rows])


def t10_four_by_eight(out: Path, rnd: Random) -> None:
    """NCCL found no InfiniBand and took the host's Ethernet: nine tenths of each step are communication, everywhere."""
    nodes, zone = [f"gb{k}" for k in range(1, 5)], Zone(480)
    begin, end = epoch(2026, 8, 2, 1, 0, 15), epoch(2026, 8, 2, 6, 20, 33)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 30 or t > end - 4:
            return IDLE
        if t < begin + 120:
            return LOADING
        return Doing(0.995, 0.13, 0.045, 0.05, 0.24, 0.99, 0.83)

    Fleet(rnd, H100, nodes, 8, begin - 300, end + 300, 60, doing, (*BASIC, *PROFILING)).write(out)
    lines = []
    for rank, node in ((0, "gb1"), (8, "gb2"), (16, "gb3"), (24, "gb4")):
        lines += [
            f"{node}:{3100 + rank}:{3190 + rank} [0] NCCL INFO cudaDriverVersion 12040",
            f"{node}:{3100 + rank}:{3190 + rank} [0] NCCL INFO Bootstrap : Using eno1:10.8.0.{rank // 8 + 11}<0>",
            f"{node}:{3100 + rank}:{3190 + rank} [0] NCCL INFO NET/IB : No device found.",
            f"{node}:{3100 + rank}:{3190 + rank} [0] NCCL INFO NET/Socket : Using [0]eno1:10.8.0.{rank // 8 + 11}<0>",
            f"{node}:{3100 + rank}:{3190 + rank} [0] NCCL INFO Using network Socket",
        ]
    t, k = begin + 122.0, 0
    while k < 1500:
        k += 10
        t += 126 + rnd.random()
        total = 12.6 + rnd.random() * 0.2
        lines.append(
            f"{zone.plain(t)} iteration {k}/1500 loss {2.0 + 6 * (1 + k / 60) ** -0.6 + rnd.gauss(0, 0.02):.4f} | fwd 0.41 s | bwd 0.86 s | grad all-reduce {total - 1.31:.2f} s (max over ranks {total - 1.3:.2f}, min {total - 1.34:.2f}) | opt 0.03 s | total {total:.2f} s"
        )
    lines.append(f"{zone.plain(end - 9)} done: 1500 iterations")
    write(out / "job_5120.log", lines)
    acct = Accounting(zone, 5120, "gpt-7b", "gb[1-4]", 4, 8, 86400)
    rows = acct.rows(begin, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct.txt", [acct.header(), *rows])
