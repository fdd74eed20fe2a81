"""Jobs that were scored first."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from .site import SPIN, Reading, Site

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_COLD: Reading = {
    **SPIN,
    "DEV_GPU_UTIL": 0,
    "PROF_GR_ENGINE_ACTIVE": 0,
    "PROF_SM_ACTIVE": 0,
    "PROF_DRAM_ACTIVE": 0,
    "DEV_POWER_USAGE": 113,
}


def t01_power_brake(place: Path, rng: Random) -> None:
    """A rack's supply fails: one node of four is braked by the board, and all wait for it to the end."""
    job = Site(place, rng, 88120, ("gn21", "gn22", "gn23", "gn24"), 8, 70)

    def change(minute: float, node: int, _gpu: int, reading: Reading) -> Reading:
        if 31 <= minute < 70:
            if node == 2:
                reading.update(DEV_CLOCK_THROTTLE_REASONS=136, DEV_SM_CLOCK=585, DEV_POWER_USAGE=214, DEV_GPU_TEMP=44)
            else:
                reading.update(PROF_SM_ACTIVE=0.27, PROF_PIPE_TENSOR_ACTIVE=0.13, DEV_POWER_USAGE=308, DEV_GPU_TEMP=49)
        return reading

    job.metrics(change)
    job.sacct("COMPLETED", "0:0")
    for node in job.nodes:
        job.kernel(node)
    for rank in range(0, 32, 8):
        out, minute, step = [], 1.0, 0
        while minute < 69.5:
            pace = 3.41 if minute > 31 else 1.16
            step, minute = step + 10, minute + pace / 6
            out.append(
                f"{job.stamp(minute)} rank{rank} INFO iter {step} loss {job.loss(step):.4f} "
                f"iter_time {pace * rng.gauss(1, 0.01):.3f} s"
            )
        job.write(f"logs/rank{rank:02}.log", [*out, f"{job.stamp(69.8)} rank{rank} INFO training done"])


def t02_off_the_bus(place: Path, rng: Random) -> None:
    """XID 79: a GPU is gone in the midst of the run; its rank fails, the others after it."""
    job = Site(place, rng, 90233, ("hpc-g04", "hpc-g05"), 8, 46)

    def change(minute: float, node: int, gpu: int, reading: Reading) -> Reading | None:
        if minute > 44.1 and (node, gpu) == (1, 5):
            return None
        if 44.1 < minute < 46:
            reading.update(SPIN)
        return reading

    job.metrics(change, every=30)
    job.sacct("FAILED", "1:0")
    job.kernel("hpc-g04")
    fell = "NVRM: Xid (PCI:0000:9a:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    job.kernel(
        "hpc-g05",
        [
            (44.07, "pcieport 0000:97:01.0: AER: Uncorrected (Fatal) error received: 0000:9a:00.0"),
            (44.09, "NVRM: GPU at PCI:0000:9a:00: GPU-9e0c51d2-7741-0a35-bb1f-8c3c4ad2e0f1"),
            (44.1, fell),
            (44.11, "NVRM: GPU 0000:9a:00.0: GPU has fallen off the bus."),
            (
                44.3,
                "NVRM: Xid (PCI:0000:9a:00): 154, GPU recovery action changed from 0x0 (None) "
                "to 0x2 (Node Reboot Required)",
            ),
        ],
    )
    for rank in range(16):
        out = [f"[{job.clock(1 + i * 0.31)}] it {i * 20:5d}/20000 | lm loss {job.loss(i * 20):.3f}" for i in range(140)]
        if rank == 13:
            out += [
                "Traceback (most recent call last):",
                '  File "/work/lm/train.py", line 402, in <module>',
                "    main()",
                '  File "/work/lm/train.py", line 371, in main',
                "    total += loss.item()",
                "RuntimeError: CUDA error: unspecified launch failure",
                "CUDA kernel errors might be asynchronously reported at some other API call, "
                "so the stacktrace below might be incorrect.",
            ]
        else:
            out += [
                f"[rank{rank}]:[E1006 22:25:{30 + rank:02}.118 ProcessGroupNCCL.cpp:2068] "
                f"[PG 0 (default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: "
                "remote process exited or there was a network error, NCCL version 2.21.5",
            ]
        job.write(f"logs/rank_{rank}.out", out)


def t03_one_left_the_loop(place: Path, rng: Random) -> None:
    """A rank goes elsewhere: the other 31 wait in a collective until the time limit, no watchdog on."""
    job = Site(place, rng, 91877, ("n101", "n102", "n103", "n104"), 8, 240)

    def change(minute: float, node: int, gpu: int, reading: Reading) -> Reading:
        if 96.4 < minute < 240:
            reading.update(_COLD if (node, gpu) == (1, 2) else SPIN)
        return reading

    job.metrics(change, every=60)
    job.sacct("TIMEOUT", "0:0", "CANCELLED", limit="04:00:00")
    for node in job.nodes:
        job.kernel(node)
    for rank in range(32):
        last = 571 if rank == 10 else 572
        out = [
            f"{job.at(1 + i / 6):%m/%d %H:%M:%S} [r{rank}] step={i * 4} nll={job.loss(i * 4):.4f} "
            f"tok/s={rng.gauss(11800, 90):.0f}"
            for i in range(last)
        ]
        if rank == 0:
            end = job.iso(240)
            out = ["env: TORCH_NCCL_ASYNC_ERROR_HANDLING=0 TORCH_NCCL_ENABLE_MONITORING=0", *out]
            out.append(f"slurmstepd: error: *** STEP 91877.0 ON n101 CANCELLED AT {end} DUE TO TIME LIMIT ***")
        job.write(f"out/r{rank}.txt", out)


def t04_long_sequence(place: Path, rng: Random) -> None:
    """CUDA out of memory on one rank, at a batch longer than the others."""
    job = Site(place, rng, 45001, ("dgx-03", "dgx-07"), 4, 33, busy={"DEV_FB_USED": 76900, "DEV_FB_FREE": 4104})
    job.metrics(lambda _minute, _node, _gpu, reading: reading)
    job.sacct("FAILED", "1:0")
    for node in job.nodes:
        job.kernel(node)
    for rank in range(8):
        out = [
            f"{job.clock(1 + i * 0.4)} train step {i * 8} loss {job.loss(i * 8, 4.1, 1.2):.4f} lr 2.0e-05"
            for i in range(78)
        ]
        if rank == 5:
            out += [
                "[rank5]: Traceback (most recent call last):",
                '[rank5]:   File "/home/mira/sft/run.py", line 233, in <module>',
                "[rank5]:     loss.backward()",
                '[rank5]:   File "/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward',
                "[rank5]:     torch.autograd.backward(",
                "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.72 GiB. GPU 1 "
                "has a total capacity of 79.11 GiB of which 3.94 GiB is free. Including non-PyTorch memory, "
                "this process has 75.16 GiB memory in use. Of the allocated memory 71.02 GiB is allocated by PyTorch, "
                "and 2.61 GiB is reserved by PyTorch but unallocated.",
                f"{job.clock(33)} srun: error: dgx-07: task 5: Exited with exit code 1",
            ]
        job.write(f"logs/{job.job}_{rank}.log", out)


def t05_preempted_and_back(place: Path, rng: Random) -> None:
    """Preempted after an hour, queued again, goes on from its checkpoint and ends as planned."""
    job = Site(place, rng, 120994, ("cn5", "cn6", "cn9"), 4, 172)

    def change(minute: float, _node: int, _gpu: int, reading: Reading) -> Reading | None:
        return None if 63 <= minute < 92 else reading  # others' job: not ours to read

    job.metrics(change, every=30)
    head = "JobID|JobName|State|ExitCode|Submit|Start|End|Elapsed|NNodes|NodeList|Timelimit"
    rows = [head]
    for first, last, state in ((0, 63, "PREEMPTED"), (92, 172, "COMPLETED")):
        span = f"{job.iso(first)}|{job.iso(last)}|0{timedelta(minutes=last - first)}"
        submit = job.iso(first - 4)
        rows.append(f"{job.job}|vit-g|{state}|0:0|{submit}|{span}|3|cn[5-6,9]|08:00:00")
        step = "CANCELLED|0:15" if state == "PREEMPTED" else "COMPLETED|0:0"
        rows.append(f"{job.job}.0|python|{step}|{submit}|{span}|3|cn[5-6,9]|")
    job.write("sacct-D.txt", rows)
    for node in job.nodes:
        job.kernel(node)
    out = []
    for i in range(346):
        minute = 1 + i * 0.4 + (0 if i < 154 else 31.6)
        if i == 154:
            stop = job.iso(63)
            out += [
                f"slurmstepd: error: *** STEP {job.job}.0 ON cn5 CANCELLED AT {stop} DUE TO PREEMPTION ***",
                f"{job.stamp(92.6)} resumed from /scratch/vit-g/ckpt_01530.pt (step 1530)",
            ]
        out.append(f"{job.stamp(minute)} step {i * 10}/3450 loss {job.loss(i * 10, 6.9, 1.8, 700):.4f}")
    job.write(f"slurm-{job.job}.out", [*out, f"{job.stamp(171.8)} step 3450/3450, bye"])


def t06_healthy_power_cap(place: Path, rng: Random) -> None:
    """Healthy: at the power cap as it should be, an old remapped row, an end as planned."""
    job = Site(place, rng, 77410, ("pod1-07", "pod1-12"), 8, 58)

    def change(minute: float, node: int, gpu: int, reading: Reading) -> Reading:
        reading["DEV_UNCORRECTABLE_REMAPPED_ROWS"] = int((node, gpu) == (0, 3))
        if 1 < minute < 58 and rng.random() < 0.4:
            reading.update(DEV_CLOCK_THROTTLE_REASONS=4, DEV_SM_CLOCK=1830, DEV_POWER_USAGE=693)
        return reading

    job.metrics(change)
    job.sacct("COMPLETED", "0:0", limit="02:00:00")
    for node in job.nodes:
        job.kernel(node)
    out = [
        f" [{job.stamp(1 + i * 0.14)}] iteration {i * 5:8}/    2000 "
        f"| consumed samples: {i * 5120:12} "
        f"| elapsed time per iteration (ms): {rng.gauss(1680, 12):.1f} | learning rate: {3e-4 * (1 - i / 440):.6E} | "
        f"lm loss: {job.loss(i * 5):.6E} | grad norm: {rng.uniform(0.3, 0.9):.3f} |"
        for i in range(1, 401)
    ]
    job.write("logs/pretrain.log", [*out, "[after training is done] datetime: 2026-10-06 22:37:14"])
