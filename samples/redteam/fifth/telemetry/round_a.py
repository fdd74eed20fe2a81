"""Twelve jobs of the first round. Each is written into an empty folder; truth_data.jsonl says what is right, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .plant import (
    A100,
    A100_40,
    DEFAULT,
    EMPTY,
    H100,
    H200,
    HELD,
    L40S,
    LEAN,
    RICH,
    SPIN,
    V100,
    WORK,
    Site,
    State,
    account,
    dmesg,
    elapsed,
    pci,
    replace,
    steps,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 1_792_400_000.0


def quiet(out: Path, site: Site, *, iso: bool = False) -> None:
    for host in site.nodes:
        dmesg(out / host / "dmesg.txt", site, [], iso=iso)


def fallen(step: int, top: float = 10.9, floor: float = 2.1, half: float = 120.0) -> float:
    return floor + (top - floor) / math.pow(1 + step / half, 0.6)


def t01_speech(out: Path, rng: Random) -> None:
    """A node's fans fail after half an hour; its clocks halve, and all wait for it."""
    site = Site(
        rng, 918204, "conformer-xl", [f"gpu-c{at}" for at in (21, 22, 23, 24)], 8, H100, DAY, DAY + 6900, 15, 0.0
    )
    hot = site.begin + 1830

    def mode(node: int, _gpu: int, at: float) -> State | None:
        if not site.begin + 95 < at < site.end - 20:
            return EMPTY
        if at < hot:
            return WORK
        if node == 2:
            return replace(WORK, clock=0.47, power=0.48, tensor=0.23, dram=0.21, sm=0.7, reasons=0x48, hot=42)
        return replace(WORK, engine=0.99, sm=0.38, tensor=0.22, dram=0.2, power=0.55, clock=1.0, reasons=0)

    site.metrics(out, RICH, mode)
    done = steps(rng, site.begin + 98, site.end - 30, lambda now: 2.87 if now < hot else 5.31)
    log = [f"{site.millis(site.begin + 4)} - asr.main - INFO - 32 processes, fused attention on, bf16"]
    for step, at, took in done:
        if step % 10 == 0:
            loss = fallen(step, 412, 31, 60) * math.exp(rng.gauss(0, 0.03))
            log.append(
                f"{site.millis(at)} - asr.main - INFO - update {step} of {done[-1][0]}, ctc+att {loss:.2f}, {took:.2f} s/update, {32 * 480 / took:.0f} frames-k/s"
            )
    log.append(
        f"{site.millis(site.end - 22)} - asr.main - INFO - {done[-1][0]} updates done, averaged checkpoint written, leaving"
    )
    write(out / "slurm-918204.out", log)
    for node, host in enumerate(site.nodes):
        dmesg(
            out / host / "dmesg.txt",
            site,
            [(hot - 30 + 7 * k, f"ipmi_si: fan FAN_MOD{k} below lower critical") for k in range(2)]
            if node == 2
            else [],
        )
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )


def t02_fsdp(out: Path, rng: Random) -> None:
    """A GPU leaves the bus; its rank fails at once, and srun ends the rest."""
    site = Site(
        rng,
        40177,
        "llama-it",
        [f"a{at:03d}" for at in range(11, 19)],
        4,
        A100_40,
        DAY + 90_000,
        DAY + 90_000 + 3340,
        30,
        2.0,
    )
    gone = site.end - 24

    def mode(node: int, gpu: int, at: float) -> State | None:
        if (node, gpu) == (5, 2) and at > gone:
            return None
        return WORK if site.begin + 140 < at < gone else EMPTY

    site.counts = {"DCGM_FI_DEV_XID_ERRORS": lambda _n, _g, _t: 0}
    site.metrics(out, DEFAULT, mode, one_file=False)
    log = [
        "0: Loading checkpoint shards: 100%|██████████| 6/6 [00:41<00:00,  6.99s/it]",
        "0: {'world': 32, 'sharding': 'full'}",
    ]
    for step, at, took in steps(rng, site.begin + 142, gone, lambda _: 4.42):
        log.append(
            f"0: [{site.local(at, '%H:%M:%S')}] step {step:5d}  loss {fallen(step, 2.4, 0.9, 90) + rng.gauss(0, 0.03):.4f}  {took:.3f}s"
        )
    frames = [
        "Traceback (most recent call last):",
        '  File "/home/mkorhonen/it/train.py", line 231, in <module>',
        "    main()",
        '  File "/home/mkorhonen/it/train.py", line 198, in main',
        "    loss.backward()",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward',
        "    torch.autograd.backward(",
        "RuntimeError: CUDA error: unknown error",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    ]
    log += [f"22: [rank22]: {frame}" for frame in frames]
    log += [
        "srun: error: a016: task 22: Exited with exit code 1",
        "srun: Terminating StepId=40177.0",
        f"0: slurmstepd: error: *** STEP 40177.0 ON a011 CANCELLED AT {site.local(gone + 9)} ***",
        "srun: error: a011: tasks 0-3: Terminated",
        "srun: error: a016: tasks 20-21,23: Terminated",
    ]
    write(out / "llama-it-40177.out", log)
    for node, host in enumerate(site.nodes):
        bad = [
            (gone, f"NVRM: GPU at PCI:0000:3a:00: {site.uuid(5, 2)}"),
            (gone + 0.1, f"NVRM: Xid ({pci(2)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
            (gone + 0.2, "NVRM: GPU 0000:3a:00.0: GPU has fallen off the bus."),
            (gone + 1.0, "NVRM: A GPU crash dump has been created. If possible, please run"),
        ]
        dmesg(out / host / "dmesg.txt", site, bad if node == 5 else [])
    site.sacct(
        out / "acct.txt",
        "FAILED",
        "1:0",
        [
            ("batch", "batch", "FAILED", "1:0"),
            ("extern", "extern", "COMPLETED", "0:0"),
            ("0", "python", "FAILED", "1:0"),
        ],
        wide=True,
    )


def t03_permute(out: Path, rng: Random) -> None:
    """A kernel of the job's own reads beyond its tensor, after an hour."""
    site = Site(
        rng, 7_310_022, "moe-perm", ["hgx-04", "hgx-05"], 8, H100, DAY + 200_000, DAY + 200_000 + 4010, 15, -5.0
    )
    bad = site.end - 12

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return replace(WORK, tensor=0.31, power=0.81) if site.begin + 70 < at < bad else EMPTY

    site.metrics(out, RICH, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 77, bad, lambda _: 1.18):
        if step % 25 == 0:
            log.append(
                f"{site.local(at, '%m/%d %H:%M:%S')} it={step} lm={fallen(step):.4f} bal={rng.uniform(0.01, 0.013):.4f} dt={took * 1000:.0f}ms drop={rng.uniform(0.2, 0.9):.2f}%"
            )
    frames = [
        "Traceback (most recent call last):",
        '  File "/work/moe/pretrain.py", line 402, in <module>',
        "    run(cfg)",
        '  File "/work/moe/layers/router.py", line 88, in forward',
        "    rows = permute_cuda.forward(hidden, index, counts)",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
        "Search for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    ]
    log += [f"[rank11]: {frame}" for frame in frames]
    clock = site.local(bad + 3, "%m%d %H:%M:%S.412000")
    log += [
        f"W{clock} 3108 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 3120 closing signal SIGTERM",
        f"E{clock} 3108 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 3 (pid: 3123) of binary: /opt/py/bin/python",
    ]
    write(out / "job.7310022.log", log)
    dmesg(out / "hgx-04" / "dmesg.txt", site, [], iso=True)
    fault = f"NVRM: Xid ({pci(3)}): 31, pid=3123, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_4 faulted @ 0x7f41_a6e00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
    dmesg(out / "hgx-05" / "dmesg.txt", site, [(bad - 0.4, fault)], iso=True)
    site.sacct(
        out / "sacct.psv", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "torchrun", "FAILED", "1:0")]
    )


def t04_ecc(out: Path, rng: Random) -> None:
    """A double-bit error in one GPU's memory, contained, and the rank it hit."""
    site = Site(
        rng,
        55190,
        "vlm-stage2",
        [f"dgx{at:02d}" for at in (3, 4, 7, 9)],
        8,
        H200,
        DAY + 300_000,
        DAY + 300_000 + 5210,
        30,
        1.0,
    )
    bad = site.end - 31

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 160 < at < bad else EMPTY

    def hit(node: int, gpu: int, at: float) -> float:
        return float((node, gpu) == (1, 6) and at > bad)

    site.counts = {
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": hit,
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": hit,
        "DCGM_FI_DEV_XID_ERRORS": lambda node, gpu, at: 94 * hit(node, gpu, at),
        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda node, gpu, _at: 3 if (node, gpu) == (3, 0) else 0,
    }
    site.metrics(out, RICH, mode)
    log = [f"{site.millis(site.begin + 150)} [INFO] stage 2, resolution 448, 32 ranks, resuming weights of stage 1"]
    for step, at, took in steps(rng, site.begin + 163, bad, lambda _: 6.02):
        log.append(
            f"{site.millis(at)} [INFO] iter: {step:>5}  total_loss: {fallen(step, 3.2, 1.2, 80) + rng.gauss(0, 0.02):.4f}  time: {took:.4f}  data_time: {rng.uniform(0.01, 0.05):.4f}  lr: 0.0001  max_mem: {rng.randint(98_000, 99_000)}M"
        )
    frames = [
        "Traceback (most recent call last):",
        '  File "train_net.py", line 166, in <module>',
        '  File "/vlm/engine/loop.py", line 311, in run_step',
        "    losses.backward()",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ]
    log += [f"[rank14]: {frame}" for frame in frames]
    log += [
        "srun: error: dgx04: task 14: Exited with exit code 1",
        "srun: Terminating StepId=55190.0",
        "srun: error: dgx03: tasks 0-7: Terminated",
        "srun: error: dgx07: tasks 16-23: Terminated",
    ]
    write(out / "logs" / "vlm-stage2.o55190", log)
    for node, host in enumerate(site.nodes):
        rows = [
            (
                bad - 1,
                f"NVRM: Xid ({pci(6)}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000a3c1e4) marked for remapping, reset gpu to activate.",
            ),
            (
                bad - 1,
                f"NVRM: Xid ({pci(6)}): 94, pid=88121, name=python3.11, Contained: CE User Channel (0x9). RST: No, D-RST: No",
            ),
            (bad + 2, f"NVRM: Xid ({pci(6)}): 45, pid=88121, name=python3.11, Ch 0000000a"),
        ]
        dmesg(out / host / "dmesg.txt", site, rows if node == 1 else [])
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python3.11", "FAILED", "1:0")]
    )


def t05_slow_board(out: Path, rng: Random) -> None:
    """One GPU takes twice as long for its part of each step; fifteen wait for it."""
    site = Site(rng, 611_408, "dlrm-nightly", ["n17", "n18"], 8, A100, DAY + 400_000, DAY + 400_000 + 5400, 15, 9.0)

    def mode(node: int, gpu: int, at: float) -> State | None:
        if not site.begin + 60 < at < site.end - 15:
            return EMPTY
        if (node, gpu) == (1, 4):
            return replace(WORK, sm=0.66, tensor=0.21, dram=0.3, power=0.78, clock=1.0, reasons=0)
        return replace(WORK, engine=0.995, sm=0.29, tensor=0.2, dram=0.17, power=0.47, clock=1.0, reasons=0)

    site.metrics(out, RICH, mode)
    done = steps(rng, site.begin + 66, site.end - 25, lambda _: 1.93)
    for rank in range(16):
        log = []
        for step, at, took in done[:: 1 if rank == 12 else 5]:
            work = took - abs(rng.gauss(0.03, 0.01)) if rank == 12 else 0.91 * math.exp(rng.gauss(0, 0.02))
            log.append(
                f"{site.local(at, '%Y/%m/%d %H:%M:%S')} r{rank} step={step} compute={work:.3f}s allreduce={took - work:.3f}s total={took:.3f}s bce={fallen(step, 0.69, 0.44, 200):.4f}"
            )
        log.append(
            f"{site.local(site.end - 20, '%Y/%m/%d %H:%M:%S')} r{rank} all {done[-1][0]} steps done, exiting cleanly"
        )
        write(out / "ranks" / f"rank{rank:02d}.log", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "dlrm", "COMPLETED", "0:0")],
    )


def t06_silent(out: Path, rng: Random) -> None:
    """One rank never comes to the next collective; the others wait for it until the watchdog ends them."""
    site = Site(
        rng,
        2_200_417,
        "gemma-cpt",
        [f"hgx-{at}" for at in range(31, 35)],
        8,
        H100,
        DAY + 500_000,
        DAY + 500_000 + 7200,
        30,
        0.0,
    )
    stop = site.end - 1850

    def mode(node: int, gpu: int, at: float) -> State | None:
        if not site.begin + 100 < at < site.end - 8:
            return EMPTY
        if at < stop:
            return WORK
        return replace(HELD, memory=WORK.memory, power=0.1) if (node, gpu) == (1, 5) else SPIN

    site.metrics(out, DEFAULT, mode)
    log = [f"[{site.local(site.begin + 30, '%Y-%m-%d %H:%M:%S')}] NCCL timeout 1800 s, world size 32"]
    done = steps(rng, site.begin + 110, stop, lambda _: 1.09)
    for step, at, took in done:
        if step % 20 == 0:
            log.append(
                f"[{site.local(at, '%Y-%m-%d %H:%M:%S')}] step={step} loss={fallen(step, 3.1, 1.9, 300) + rng.gauss(0, 0.02):.4f} tps={32 * 8192 / took:.0f}"
            )
    sequence = done[-1][0] * 74 + 11
    for rank in range(32):
        if rank == 13:
            continue
        at = site.end - 25 + rng.uniform(0, 3)
        head = f"[rank{rank}]:[E{site.local(at, '%m%d')} {site.local(at, '%H:%M:%S')}.{rng.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp"
        work = f"WorkNCCL(SeqNum={sequence}, OpType=_REDUCE_SCATTER_BASE, NumelIn=218112000, NumelOut=6816000, Timeout(ms)=1800000)"
        log.append(
            f"{head}:629] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {1800000 + rng.randint(5, 90)} milliseconds before timing out."
        )
        log.append(
            f"{head}:2168] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {sequence} PG status: last enqueued work: {sequence + 3}, last completed work: {sequence - 1}"
        )
        log.append(
            f"{head}:681] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."
        )
        log.append(f"{head}:695] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.")
    log += [
        "srun: error: hgx-31: tasks 0-7: Aborted (core dumped)",
        "srun: Terminating StepId=2200417.0",
        "srun: error: hgx-32: task 13: Terminated",
        "srun: error: hgx-33: tasks 16-23: Aborted (core dumped)",
    ]
    write(out / "gemma-cpt.2200417.out", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "FAILED",
        "6:0",
        [("batch", "batch", "FAILED", "6:0"), ("0", "python", "FAILED", "0:6")],
        derived="0:6",
    )


def t07_lost_node(out: Path, rng: Random) -> None:
    """A node falls silent; the controller takes it down five minutes later, and the job with it."""
    site = Site(
        rng,
        13_866,
        "wx-forecast",
        [f"cn{at:04d}" for at in (101, 102, 103, 107, 108, 110, 111, 112)],
        4,
        A100_40,
        DAY + 600_000,
        DAY + 600_000 + 4500,
        15,
        0.0,
    )
    dead = site.end - 306

    def mode(node: int, _gpu: int, at: float) -> State | None:
        if node == 6 and at > dead:
            return None
        if not site.begin + 60 < at < site.end:
            return EMPTY
        return WORK if at < dead else SPIN

    site.counts = {"DCGM_FI_DEV_XID_ERRORS": lambda _n, _g, _t: 0}
    site.metrics(out, LEAN, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 75, dead, lambda _: 2.31):
        if step % 10 == 0:
            log.append(
                f"{site.local(at)}Z train step {step} rmse_z500 {fallen(step, 900, 210, 150):.1f} mse {fallen(step, 1.01, 0.09, 150):.5f} {1 / took:.2f} it/s"
            )
    log += [
        "srun: error: Node failure on cn0111",
        f"slurmstepd: error: *** JOB 13866 ON cn0101 CANCELLED AT {site.local(site.end)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(out / "slurm-13866.out", log)
    write(
        out / "slurmctld.log",
        [
            f"[{site.local(site.begin)}.332] sched: Allocate JobId=13866 NodeList=cn[0101-0103,0107-0108,0110-0112] #CPUs=768 Partition=gpu",
            f"[{site.local(site.end - 180)}.018] error: Nodes cn0111 not responding",
            f"[{site.local(site.end)}.120] Killing JobId=13866 on failed node cn0111",
            f"[{site.local(site.end)}.120] error: Nodes cn0111 not responding, setting DOWN",
        ],
    )
    for node, host in enumerate(site.nodes):
        if node != 6:
            dmesg(out / host / "dmesg.txt", site, [])
    site.sacct(
        out / "sacct.txt",
        "NODE_FAIL",
        "0:0",
        [("batch", "batch", "CANCELLED", "0:15"), ("0", "python", "CANCELLED", "0:9")],
    )


def t08_long_batch(out: Path, rng: Random) -> None:
    """A validation batch of long clips asks for more than the GPU has left."""
    site = Site(rng, 90_551, "video-mae", ["g3", "g4"], 8, A100, DAY + 700_000, DAY + 700_000 + 3900, 30, 2.0)
    bad = site.end - 14

    def mode(_node: int, gpu: int, at: float) -> State | None:
        return replace(WORK, memory=0.86 + 0.01 * (gpu == 3)) if site.begin + 80 < at < bad else EMPTY

    site.metrics(out, RICH, mode)
    log = []
    done = steps(rng, site.begin + 90, bad - 60, lambda _: 1.51)
    for step, at, took in done:
        if step % 20 == 0:
            log.append(
                f"{site.local(at, '%b %d %H:%M:%S')} | epoch {step // 1200 + 1} | {step % 1200}/1200 | rec {fallen(step, 1.1, 0.41, 300):.4f} | {took:.2f}s | mem {rng.randint(66, 68)}G"
            )
    log += [f"{site.local(bad - 58, '%b %d %H:%M:%S')} | validation on 412 clips"]
    frames = [
        "Traceback (most recent call last):",
        '  File "/proj/vmae/main.py", line 144, in <module>',
        "    fit(model, loaders, args)",
        '  File "/proj/vmae/engine.py", line 92, in validate',
        "    out = model(clip)",
        '  File "/proj/vmae/model.py", line 57, in attend',
        "    weights = torch.softmax(scores.float(), dim=-1)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 13.60 GiB. GPU 3 has a total capacity of 79.25 GiB of which 10.19 GiB is free. Including non-PyTorch memory, this process has 69.05 GiB memory in use. "
        "Of the allocated memory 66.31 GiB is allocated by PyTorch, and 1.92 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
        "to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    log += [f"[rank3]: {frame}" for frame in frames]
    log += [
        "srun: error: g3: task 3: Exited with exit code 1",
        "srun: Terminating StepId=90551.0",
        "srun: error: g4: tasks 8-15: Terminated",
    ]
    write(out / "vmae_90551.log", log)
    quiet(out, site, iso=True)
    site.sacct(
        out / "sacct.txt",
        "FAILED",
        "1:0",
        [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")],
        wide=True,
    )


def t09_shuffle(out: Path, rng: Random) -> None:
    """A shuffle buffer grows until the job's memory cgroup is full."""
    site = Site(rng, 4_018_733, "rnnt-mix", ["l40-09", "l40-10"], 4, L40S, DAY + 800_000, DAY + 800_000 + 6100, 30, 0.0)
    bad = site.end - 9

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return replace(WORK, nvlink=0, tensor=0.25, power=0.86) if site.begin + 50 < at < bad else EMPTY

    site.metrics(out, DEFAULT, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 55, bad, lambda _: 0.84):
        if step % 50 == 0:
            log.append(
                f"{site.millis(at)} INFO  Epoch 1, batch {step}, loss[loss={fallen(step, 1.4, 0.21, 100):.4f}], lr: {2.1e-2 / math.sqrt(step):.2e}, {took:.2f} s"
            )
    log += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4018733.0. Some of the step tasks have been OOM Killed.",
        "srun: error: l40-10: task 6: Out Of Memory",
        "srun: Terminating StepId=4018733.0",
        "srun: error: l40-09: tasks 0-3: Terminated",
        "srun: error: l40-10: tasks 4-5,7: Terminated",
    ]
    write(out / "rnnt.log", log)
    group = "/system.slice/slurmstepd.scope/job_4018733/step_0/user"
    kill = [
        (bad, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (bad, "memory: usage 1006632960kB, limit 1006632960kB, failcnt 90211"),
        (
            bad,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=job_4018733,mems_allowed=0-1,oom_memcg={group[:-5]},task_memcg={group}/task_6,task=python3,pid=71204,uid=10417",
        ),
        (
            bad,
            "Memory cgroup out of memory: Killed process 71204 (python3) total-vm:391113924kB, anon-rss:248110112kB, file-rss:182044kB, shmem-rss:8192kB, UID:10417 pgtables:141220kB oom_score_adj:0",
        ),
    ]
    dmesg(out / "l40-09" / "dmesg.txt", site, [])
    dmesg(out / "l40-10" / "dmesg.txt", site, kill)
    site.sacct(
        out / "sacct.txt",
        "OUT_OF_MEMORY",
        "0:125",
        [("batch", "batch", "FAILED", "1:0"), ("0", "python3", "OUT_OF_MEMORY", "0:125")],
    )


def t10_low_priority(out: Path, rng: Random) -> None:
    """The scheduler takes the nodes for another job."""
    site = Site(
        rng,
        30_900,
        "sd3-ablate",
        ["h5", "h6"],
        8,
        H100,
        DAY + 900_000,
        DAY + 900_000 + 2710,
        15,
        -7.0,
        partition="scavenge",
    )

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 45 < at < site.end - 6 else EMPTY

    site.metrics(out, RICH, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 52, site.end - 34, lambda _: 0.732):
        if step % 100 == 0:
            log.append(
                f"{site.millis(at, '.')} step {step}/200000: loss {fallen(step, 0.31, 0.11, 400) + rng.gauss(0, 0.006):.5f} ({1 / took:.2f} steps/s)"
            )
    log += [
        f"slurmstepd: error: *** STEP 30900.0 ON h5 CANCELLED AT {site.local(site.end - 30)} ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 30900 ON h5 CANCELLED AT {site.local(site.end)} DUE TO PREEMPTION ***",
    ]
    write(out / "slurm-30900.out", log)
    write(
        out / "slurmctld.log",
        [
            f"[{site.local(site.end - 30)}.141] job_signal: 15 of running JobId=30900 successful 0x400001",
            f"[{site.local(site.end)}.166] job_signal: 9 of running JobId=30900 successful 0x8008",
            f"[{site.local(site.end)}.167] preempted JobId=30900 has been killed to reclaim resources for JobId=30944",
        ],
    )
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "PREEMPTED",
        "0:0",
        [("batch", "batch", "CANCELLED", "0:15"), ("0", "python", "CANCELLED", "0:9")],
    )


def t11_whole(out: Path, rng: Random) -> None:
    """A job that went well, on boards with a past: rows remapped long ago, and power at its cap."""
    site = Site(
        rng,
        918_330,
        "conformer-l",
        [f"gpu-c{at}" for at in (21, 22, 25, 26)],
        8,
        H100,
        DAY + 1_000_000,
        DAY + 1_000_000 + 5000,
        15,
        0.0,
    )

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return replace(WORK, power=0.985, clock=0.9, reasons=4) if site.begin + 90 < at < site.end - 22 else EMPTY

    site.counts = {
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda node, gpu, _at: 2 if (node, gpu) == (2, 7) else 0,
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda node, gpu, _at: 5 if (node, gpu) == (0, 1) else 0,
        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda node, gpu, _at: 41 if (node, gpu) == (0, 1) else 0,
    }
    site.metrics(out, RICH, mode)
    done = steps(rng, site.begin + 98, site.end - 40, lambda _: 2.61)
    log = [f"{site.millis(site.begin + 4)} - asr.main - INFO - 32 processes, fused attention on, bf16"]
    for step, at, took in done:
        if step % 10 == 0:
            loss = fallen(step, 398, 29, 60) * math.exp(rng.gauss(0, 0.03))
            log.append(
                f"{site.millis(at)} - asr.main - INFO - update {step} of {done[-1][0]}, ctc+att {loss:.2f}, {took:.2f} s/update, {32 * 480 / took:.0f} frames-k/s"
            )
    log.append(
        f"{site.millis(site.end - 24)} - asr.main - INFO - {done[-1][0]} updates done, averaged checkpoint written, leaving"
    )
    write(out / "slurm-918330.out", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )


def t12_old_cards(out: Path, rng: Random) -> None:
    """A job that went well on old cards; somebody else's program had faulted there days before."""
    site = Site(rng, 77_012, "bert-fi", ["v01", "v02"], 4, V100, DAY + 1_100_000, DAY + 1_100_000 + 7300, 60, 2.0)

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        if not site.begin + 50 < at < site.end - 12:
            return EMPTY
        return (
            replace(HELD, memory=0.78, power=0.2, util=0.1, engine=0.1)
            if (at - site.begin) % 1800 > 1740
            else replace(WORK, nvlink=4e10, tensor=0.22, power=0.83)
        )

    site.metrics(out, DEFAULT, mode)
    total = 6900
    rate = (site.end - site.begin - 90) / total
    log = [
        "***** Running training *****",
        "  Num examples = 883,200",
        "  Num Epochs = 2",
        f"  Total optimization steps = {total:,}",
    ]
    for step in range(50, total + 1, 50):
        loss = fallen(step, 6.9, 1.5, 300) + rng.gauss(0, 0.05)
        log.append(
            str(
                {
                    "loss": round(loss, 4),
                    "grad_norm": round(math.exp(rng.gauss(0.4, 0.2)), 6),
                    "learning_rate": 1e-4 * (1 - step / total),
                    "epoch": round(step * 2 / total, 2),
                }
            )
        )
        if step % 1725 == 0:
            log.append(
                str(
                    {
                        "eval_loss": round(loss + 0.04, 6),
                        "eval_runtime": 58.1,
                        "eval_samples_per_second": 210.3,
                        "eval_steps_per_second": 6.57,
                        "epoch": round(step * 2 / total, 2),
                    }
                )
            )
    log.append(
        str(
            {
                "train_runtime": round(rate * total, 4),
                "train_samples_per_second": 253.1,
                "train_steps_per_second": round(1 / rate, 3),
                "train_loss": 2.2871,
                "epoch": 2.0,
            }
        )
    )
    write(out / "bert-fi.out", log)
    old = site.begin - 431_000
    dmesg(
        out / "v01" / "dmesg.txt",
        site,
        [
            (
                old,
                "NVRM: Xid (PCI:0000:2a:00): 13, pid=2210, name=a.out, Graphics SM Warp Exception on (GPC 3, TPC 1, SM 0): Out Of Range Address",
            )
        ],
    )
    dmesg(out / "v02" / "dmesg.txt", site, [])
    rows = [
        [
            "77012",
            "bert-fi",
            "gpu",
            "mkorhonen",
            "COMPLETED",
            "0:0",
            "0:0",
            site.local(site.begin),
            site.local(site.end),
            elapsed(7300),
            "08:00:00",
            "2",
            "v[01-02]",
            "cpu=80,gres/gpu=8,node=2",
        ]
    ]
    account(out / "sacct.txt", rows)
