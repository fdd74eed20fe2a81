"""Incidents of round A."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .world import DEFAULT, Row, Site, utc

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _loss(step: int, rng: Random, start: float = 10.6, end: float = 2.6, tau: float = 600) -> float:
    return (end + (start - end) * math.exp(-step / tau)) * math.exp(rng.gauss(0, 0.008))


def t01_fans_of_one_node(place: Path, rng: Random) -> None:
    """From minute 30 two GPUs of a node run hot, are slowed by the hardware, and every step waits for them."""
    site = Site(place, rng, 88121, ["gpu-b06", "gpu-b07"], 8, utc("2026-03-02T08:14:00"), 80, zone=1)
    hot = site.begin + 1800

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if at < hot:
            return
        row["power"] *= 0.62
        row["sm"], row["tensor"] = row["sm"] * 0.42, row["tensor"] * 0.42
        if node == "gpu-b07" and gpu in (4, 5):
            grown = min(1.0, (at - hot) / 240)
            row |= {
                "temp": 70 + 21 * grown + rng.gauss(0, 0.5),
                "reasons": 0x68 if grown > 0.5 else 0x20,
                "clock": 1980 - 1275 * grown,
                "sm": 0.86,
            }

    site.metrics(change, tail=0)
    out = [f"{site.local(site.begin + 30)} [rank 0] 16 ranks on gpu-b06,gpu-b07; plan 2000 steps"]
    for step, at, took in site.steps(lambda t: 1.9 + 2.7 * min(1, max(0, t - hot) / 240)):
        if step % 10 == 0 and step <= 2000:
            out.append(f"{site.local(at)} [rank 0] step {step}/2000 loss {_loss(step, rng):.4f} step_time {took:.2f}s")
    site.write("slurm-88121.out", out)
    for node in site.nodes:
        site.dmesg(node, [])
    site.sacct("RUNNING", "0:0")


def t02_off_the_bus(place: Path, rng: Random) -> None:
    """GPU 6 of the third of four nodes leaves the bus in minute 41: Xid 79, and no reading of it afterwards."""
    site = Site(place, rng, 517733, [f"hgx{i:02d}" for i in (11, 12, 14, 19)], 8, utc("2026-02-11T19:02:10"), 41.6)
    lost = site.begin + 41 * 60

    def change(at: float, node: str, gpu: int, row: Row) -> bool | None:
        if at < lost:
            return None
        if node == "hgx14" and gpu == 6:
            return False
        row |= {"sm": 0.0, "tensor": 0.0, "power": 210, "engine": 1.0}
        return None

    site.metrics(change, fields=DEFAULT)
    steps = [(step, at) for step, at, _ in site.steps(lambda _: 2.2, until=lost)]
    for rank in range(32):
        lines = [f"[{site.local(site.begin + 44)}] rank {rank} ready on {site.nodes[rank // 8]} cuda:{rank % 8}"]
        if rank == 0:
            lines += [
                f"[{site.local(at)}] iter {step} lm_loss {_loss(step, rng):.4f} tgs 3911"
                for step, at in steps
                if step % 20 == 0
            ]
        if rank == 22:
            lines += [
                "Traceback (most recent call last):",
                '  File "/work/llm/main.py", line 340, in <module>',
                "    run(cfg)",
                '  File "/work/llm/loop.py", line 122, in run',
                "    loss_sum += loss.item()",
                "RuntimeError: CUDA error: unspecified launch failure",
                "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
            ]
        elif rank // 8 == 2:
            lines.append(
                f"[rank{rank}]:[E211 19:43:14.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5"
            )
        site.write(f"logs/rank_{rank:02d}.log", lines)
    site.dmesg("hgx14", [
        (lost + 1, "NVRM: GPU at PCI:0000:cb:00: GPU-5a0bb1d0-1c2e-4f5d-9a11-27d3c1c4be10"),
        (lost + 1, "NVRM: Xid (PCI:0000:cb:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        (lost + 1, "NVRM: GPU 0000:cb:00.0: GPU has fallen off the bus."),
        (lost + 2, "NVRM: Xid (PCI:0000:cb:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"),
        (lost + 9, "NVRM: Xid (PCI:0000:19:00): 45, pid=211092, name=python, Ch 00000010"),
    ])  # fmt: skip
    site.sacct("FAILED", "1:0", [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0")])


def t03_one_gpu_does_more(place: Path, rng: Random) -> None:
    """From minute 12 one GPU of eight takes three times as long for its share, at full clock; the others wait for it in NCCL."""
    site = Site(
        place,
        rng,
        40277,
        ["a100-03", "a100-08"],
        4,
        utc("2026-04-20T11:31:00"),
        55,
        chip="NVIDIA A100-SXM4-80GB",
        memory=81920,
        busy={"clock": 1410, "power": 355},
    )
    slow = site.begin + 720

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if at >= slow:
            mine = (node, gpu) == ("a100-08", 2)
            row |= {
                "engine": 0.99,
                "sm": rng.gauss(0.69, 0.01) if mine else rng.gauss(0.21, 0.01),
                "tensor": rng.gauss(0.13, 0.004),
                "dram": 0.2,
                "power": 301 if mine else 188 + rng.gauss(0, 4),
            }

    site.metrics(change, tail=0, cadence=10)
    steps = list(site.steps(lambda t: 0.62 if t < slow else 1.83))
    for rank in range(8):
        lines = []
        for step, at, took in steps:
            if step % 25 == 0:
                own = took - 0.03 if rank == 6 else min(took - 0.03, rng.gauss(0.52, 0.01))
                lines.append(
                    f"{site.local(at)} r{rank} it={step} loss={_loss(step, rng, 6.9, 1.9):.3f} iter_s={took:.3f} compute_s={own:.3f} allreduce_s={took - own:.3f}"
                )
        site.write(f"out/{site.nodes[rank // 4]}/rank{rank}.log", lines)
    site.sacct("RUNNING", "0:0")


def t04_waits_for_pictures(place: Path, rng: Random) -> None:
    """Decoding on too few cores: of each 6.6 s step 5.9 s are spent waiting for the next batch; it learns all the same."""
    site = Site(place, rng, 9931, ["n101", "n102"], 8, utc("2026-01-19T05:00:30"), 70, zone=-5)

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        burst = rng.random() < 0.1
        row |= {
            "engine": 0.62 if burst else 0.015,
            "sm": 0.41 if burst else 0.006,
            "tensor": 0.2 if burst else 0.0,
            "dram": 0.2 if burst else 0.01,
            "power": 310 if burst else 124 + rng.gauss(0, 3),
            "temp": 41,
        }

    times = [site.begin + 15 * i for i in range(280)]
    cpu = [
        (node, mode, [(at, (at - site.begin) * 16 * share + 91_000) for at in times])
        for node in site.nodes
        for mode, share in (("user", 0.985), ("idle", 0.008))
    ]
    site.metrics(
        change,
        tail=0,
        also=[
            (
                "node_cpu_seconds_total",
                {"instance": f"{node}:9100", "job": "node", "cpu": str(core), "mode": mode},
                [(t, v / 16) for t, v in values],
            )
            for node, mode, values in cpu
            for core in range(16)
        ],
    )
    out = ["DataLoader: num_workers=2 per rank, 16 ranks, ImageFolder /nfs/inat21 (jpeg)"]
    for step, at, took in site.steps(lambda _: 6.6):
        if step % 5 == 0:
            out.append(
                f"{site.local(at, '%H:%M:%S')} Epoch [0] [{step:4d}/1300]  loss: {_loss(step, rng, 9.2, 3.1, 300):.4f}  lr: 0.000800  time: {took:.4f}  data: {took - 0.71:.4f}  max mem: 41022"
            )
    site.write("slurm-9931.out", out)
    site.sacct("RUNNING", "0:0")


def t05_rank_eleven_never_comes(place: Path, rng: Random) -> None:
    """All but rank 11 wait in an all-reduce; after ten minutes the watchdog ends the job. Rank 11 says nothing at all."""
    site = Site(place, rng, 660412, ["c4-17", "c4-18"], 8, utc("2026-05-06T22:40:00"), 61)
    stuck = site.begin + 50 * 60

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if at >= stuck:
            mine = (node, gpu) == ("c4-18", 3)
            row |= {
                "engine": 0.0 if mine else 1.0,
                "sm": 0.0 if mine else 0.004,
                "tensor": 0.0,
                "dram": 0.0,
                "power": 121 if mine else 196,
                "temp": 40,
            }

    site.metrics(change)
    last = 0
    first = [f"0: {site.local(site.begin + 60)} world=16 plan=20000 steps"]
    for step, at, took in site.steps(lambda _: 1.35, until=stuck):
        last = step
        if step % 20 == 0:
            first.append(f"0: {site.local(at)} step={step} loss={_loss(step, rng):.4f} dt={took:.2f}")
    out = first
    work = (
        f"WorkNCCL(SeqNum={last * 14 + 6}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000)"
    )
    for rank in (r for r in range(16) if r != 11):
        stamp = f"{rank}: [rank{rank}]:[E506 23:40:{2 + rank % 3:02d}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp"
        out += [f"{stamp}:632] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for 6000{rng.randrange(10, 99)} milliseconds before timing out.",
                f"{stamp}:2268] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {last * 14 + 6} PG status: last enqueued work: {last * 14 + 9}, last completed work: {last * 14 + 5}"]  # fmt: skip
    out += [
        "srun: error: c4-17: tasks 0-7: Aborted (core dumped)",
        "srun: error: c4-18: tasks 8-10,12-15: Aborted (core dumped)",
        "srun: Terminating StepId=660412.0",
        "srun: error: c4-18: task 11: Killed",
    ]
    site.write("job.out", out)
    for node in site.nodes:
        site.dmesg(node, [])
    site.sacct("FAILED", "6:0", [("batch", "FAILED", "6:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "0:6")])


def t06_memory_of_the_host(place: Path, rng: Random) -> None:
    """A cache in the loader's workers grows until the job's memory limit is reached, and rank 5 is killed."""
    site = Site(
        place,
        rng,
        30119,
        ["vg21", "vg22"],
        4,
        utc("2026-03-27T14:20:00"),
        96,
        zone=2,
        chip="NVIDIA L40S",
        memory=46068,
        busy={"power": 300, "clock": 2400},
    )
    site.metrics(
        lambda *_: None,
        fields=DEFAULT,
        cadence=30,
        also=[
            (
                "node_memory_MemAvailable_bytes",
                {"instance": f"{node}:9100", "job": "node"},
                [(site.begin + 30 * i, 4.8e11 - i * 2.4e9 * (1.0 if node == "vg22" else 0.83)) for i in range(193)],
            )
            for node in site.nodes
        ],
    )
    out = []
    for step, *_ in site.steps(lambda _: 0.93):
        if step % 50 == 0:
            out.append(
                f"{{'loss': {_loss(step, rng, 4.0, 1.1, 900):.4f}, 'grad_norm': {abs(rng.gauss(0.8, 0.1)):.4f}, 'learning_rate': 2e-05, 'epoch': {step / 9000:.2f}}}"
            )
    out += [
        "W0327 17:56:02.118000 8812 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 8819 closing signal SIGTERM",
        "E0327 17:56:02.402000 8812 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 1 (pid: 8820) of binary: /opt/conda/bin/python",
        "slurmstepd-vg22: error: Detected 1 oom_kill event in StepId=30119.0. Some of the step tasks have been OOM Killed.",
        "srun: error: vg22: task 1: Out Of Memory",
    ]
    site.write("finetune.30119.log", out)
    kill = site.end - 4
    site.dmesg("vg22", [
        (kill, "pt_data_worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (kill, "memory: usage 482344960kB, limit 482344960kB, failcnt 92110"),
        (kill, "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_30119,task_memcg=/system.slice/slurmstepd.scope/job_30119/step_0/user/task_0,task=python,pid=8820,uid=5121"),
        (kill, "Memory cgroup out of memory: Killed process 8820 (python) total-vm:231004412kB, anon-rss:118200412kB, file-rss:201180kB, shmem-rss:4190208kB, UID:5121 pgtables:241180kB oom_score_adj:0"),
    ])  # fmt: skip
    site.dmesg("vg21", [])
    site.sacct(
        "OUT_OF_MEMORY",
        "0:125",
        [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "OUT_OF_MEMORY", "0:125")],
    )


def t07_warm_but_well(place: Path, rng: Random) -> None:
    """Healthy: the soft power cap at 66 degrees, rows remapped long ago, a pause for evaluation, and the planned end."""
    site = Site(place, rng, 71004, [f"dgx-{i}" for i in (2, 3, 4, 7)], 8, utc("2026-06-01T06:11:00"), 66)

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        row |= {"clock": 1755 + rng.gauss(0, 40), "reasons": 4, "power": 692 + rng.gauss(0, 6)}

    also_old = [
        (
            "DCGM_FI_DEV_ROW_REMAP_PENDING",
            {"Hostname": "dgx-3", "gpu": "5", "instance": "dgx-3:9400", "job": "dcgm"},
            [(site.begin + 15 * i, 0.0) for i in range(250)],
        )
    ]

    def rows(at: float, node: str, gpu: int, row: Row) -> None:
        change(at, node, gpu, row)
        if (node, gpu) == ("dgx-3", 5):
            row["remap_c"] = 3

    site.metrics(rows, until=site.end - 45, also=also_old)
    out = [
        "dgx-2:4111:4111 [0] NCCL INFO Bootstrap : Using ib0:10.2.0.2<0>",
        "UserWarning: torch.cuda.amp.GradScaler is deprecated",
    ]
    for step, at, took in site.steps(lambda _: 2.5, until=site.end - 60):
        if step > 1500:
            break
        if step % 10 == 0:
            out.append(
                f" [{site.local(at, '%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/    1500 | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: {3e-4 * (1 - step / 1600):.6E} | global batch size:   512 | lm loss: {_loss(step, rng, 10.9, 2.9, 250):.6E} | loss scale: 1.0 | grad norm: {abs(rng.gauss(0.6, 0.1)):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    out += [
        "[after training is done] datetime: 2026-06-01 07:15:01 ",
        "saving checkpoint at iteration    1500 to /ckpt/w in torch_dist format",
        "  successfully saved checkpoint from iteration    1500 to /ckpt/w [ t 1/8, p 1/1 ]",
    ]
    site.write("slurm-71004.out", out)
    for node in site.nodes:
        site.dmesg(node, [])
    site.sacct("COMPLETED", "0:0")


def t08_one_request_too_many(place: Path, rng: Random) -> None:
    """A long batch at step 3120 or so asks rank 3 for more than is left; nothing is wrong with the GPU."""
    site = Site(place, rng, 2210087, ["p5-a", "p5-b"], 8, utc("2026-02-24T03:30:00"), 72, busy={"fb": 73_900})
    site.metrics(lambda *_: None, fields=DEFAULT, cadence=30)
    steps = list(site.steps(lambda _: 1.36))
    for rank in range(16):
        lines = [
            f"{site.local(at)} INFO rank={rank} step={step} loss={_loss(step, rng, 3.2, 1.2, 800):.4f} seqlen={rng.randrange(2048, 9000)}"
            for step, at, _ in steps
            if step % (20 if rank == 0 else 200) == 0
        ]
        if rank == 3:
            lines += [
                "[rank3]: Traceback (most recent call last):",
                '[rank3]:   File "/code/sft/train.py", line 188, in <module>',
                "[rank3]:     main()",
                '[rank3]:   File "/code/sft/train.py", line 151, in main',
                "[rank3]:     loss.backward()",
                "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.61 GiB. GPU 3 has a total capacity of 79.18 GiB of which 6.02 GiB is free. Including non-PyTorch memory, this process has 73.15 GiB memory in use. Of the allocated memory 68.02 GiB is allocated by PyTorch, and 3.77 GiB is reserved by PyTorch but unallocated.",
            ]
        elif rank > 7:
            lines.append(
                f"[rank{rank}]:[E224 04:42:03.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.23.4"
            )
        site.write(f"ranks/{rank}.txt", lines)
    for node in site.nodes:
        site.dmesg(node, [])
    site.sacct("FAILED", "1:0", [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0")])
