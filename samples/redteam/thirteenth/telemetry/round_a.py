"""The first round of incidents, as operators sent them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lab import Lab

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _busy(node: int, gpu: int, at: float) -> str:
    return "load" if at < 72 else "work"


def t01_friday_ticket(place: Path, rng: Random) -> None:
    hit = 4311.0
    lab = Lab(
        place,
        rng,
        ["gn101", "gn102", "gn103", "gn104"],
        8,
        hit + 66,
        lambda n, g, at: "load" if at < 72 else "work" if at < hit else "spin",
    )
    lab.measure(
        seen=lambda n, g, at: (n, g) != (2, 5) or at < hit,
        constant=lambda m, n, g, at: 79.0 if (m, n, g) == ("xid", 2, 5) and at > hit else 0.0,
    )
    lab.prometheus()
    for node in range(4):
        lab.dmesg(
            node,
            [
                (hit, "NVRM: GPU at PCI:0000:bb:00: GPU-9c1e2b7a-30f1-4b1d-9a05-0c42a17e0205"),
                (
                    hit + 0.1,
                    "NVRM: Xid (PCI:0000:bb:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
                ),
                (hit + 0.2, "NVRM: GPU 0000:bb:00.0: GPU has fallen off the bus."),
                (
                    hit + 1.4,
                    "NVRM: Xid (PCI:0000:bb:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                ),
            ]
            if node == 2
            else [],
        )
    out, *_ = lab.steps(hit, 40000, lambda at: 2.14)
    stamp = lab.local(hit + 8, "%Y-%m-%d %H:%M:%S")
    out += [
        "[rank21]: Traceback (most recent call last):",
        '[rank21]:   File "/opt/train/pretrain.py", line 288, in <module>',
        "[rank21]:     main()",
        '[rank21]:   File "/opt/train/pretrain.py", line 241, in main',
        "[rank21]:     loss.backward()",
        "[rank21]: RuntimeError: CUDA error: unknown error",
        "[rank21]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        f"{stamp} [rank0] waiting for all_reduce",
        "srun: error: gn103: task 21: Exited with exit code 1",
        f"slurmstepd: error: *** STEP {lab.job}.0 ON gn101 CANCELLED AT {lab.local(hit + 62)} ***",
    ]
    lab.put(f"slurm-{lab.job}.out", out)
    lab.sacct("FAILED", "1:0", ("FAILED", "1:0"))


def t02_big_dataset(place: Path, rng: Random) -> None:
    hit = 2733.0
    lab = Lab(place, rng, ["hpc-g07", "hpc-g08"], 8, hit + 11, _busy, job=90311, offset=2)
    scope = f"/system.slice/slurmstepd.scope/job_{lab.job}/step_0/user/task_3"
    lab.dmesg(
        1,
        [
            (hit, "pt_data_worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
            (hit, f"memory: usage 943718400kB, limit 943718400kB, failcnt 88123 {''}".rstrip()),
            (
                hit,
                f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{lab.job},task_memcg={scope},task=pt_main_thread,pid=81233,uid=5022",
            ),
            (
                hit,
                "Memory cgroup out of memory: Killed process 81233 (pt_main_thread) total-vm:214871244kB, anon-rss:118723380kB, file-rss:182244kB, shmem-rss:9011200kB, UID:5022 pgtables:251880kB oom_score_adj:0",
            ),
        ],
    )
    lab.dmesg(0, [])
    out, *_ = lab.steps(hit, 12000, lambda at: 1.71)
    out += [
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={lab.job}.0. Some of the step tasks have been OOM Killed.",
        "srun: error: hpc-g08: task 11: Out Of Memory",
        f"srun: Terminating StepId={lab.job}.0",
        f"slurmstepd: error: *** STEP {lab.job}.0 ON hpc-g07 CANCELLED AT {lab.local(hit + 3)} ***",
    ]
    lab.put(f"slurm-{lab.job}.out", out)
    lab.sacct("OUT_OF_MEMORY", "0:125", ("OUT_OF_MEMORY", "0:125"))


def t03_monday_stall(place: Path, rng: Random) -> None:
    hit = 5120.0
    lab = Lab(
        place,
        rng,
        ["a01", "a02", "a03", "a04"],
        8,
        hit + 634,
        lambda n, g, at: "load" if at < 72 else "work" if at < hit else "wait" if (n, g) == (1, 3) else "spin",
        job=77120,
    )
    lab.measure()
    lab.prometheus()
    out, step, _ = lab.steps(hit, 25000, lambda at: 2.6)
    seq = step * 9 + 4
    said = f"[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=_REDUCE_SCATTER_BASE, NumelIn=218112000, NumelOut=6816000, Timeout(ms)=600000) ran for 600071 milliseconds before timing out."
    head = f"[rank0]:[E{lab.local(hit + 602, '%m%d %H:%M:%S')}.114903211 ProcessGroupNCCL.cpp:632] "
    out += [
        head + said,
        head
        + f"[PG ID 0 PG GUID 0(default_pg) Rank 0]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}",
        head
        + "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        head + "To avoid data inconsistency, we are taking the entire process down.",
        "srun: error: a01: task 0: Aborted (core dumped)",
    ]
    lab.put("rank0.log", out)
    lab.sacct("FAILED", "6:0", ("FAILED", "0:6"))


def t04_worried_admin(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["nodeb3", "nodeb4", "nodeb5", "nodeb6"], 4, 5000, _busy, job=5512, scrape=30)
    out, _, at = lab.steps(9e9, 2200, lambda at: 1.93)
    lab.seconds = at + 41
    lab.measure(constant=lambda m, n, g, at: {"sbe": 3.0, "rows": 2.0}.get(m, 0.0) if (n, g) == (1, 2) else 0.0)
    lab.prometheus()
    for node in range(4):
        lab.dmesg(
            node,
            [(740.0 + 300 * k, "pcieport 0000:c9:01.0: AER: Corrected error received: 0000:c9:01.0") for k in range(9)]
            + [
                (2100.0, "mce: [Hardware Error]: Machine check events logged"),
                (2100.1, "EDAC MC2: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0"),
            ]
            if node == 1
            else [],
        )
    out.insert(
        2, "[2026-10-12 06:41:57] nodeb3:20211:20911 [0] NCCL WARN NET/IB : GPU Direct RDMA Disabled for HCA 4 'mlx5_4'"
    )
    out.insert(
        70,
        "[rank0]:[W1012 07:01:02.221 Module.cpp:160] symbolizing C++ stack trace for exception; if this hangs, rerun with TORCH_DISABLE_ADDR2LINE=1...",
    )
    out.append(
        f"{lab.local(at + 30, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/5512/final; training finished after 2200 steps"
    )
    lab.put(f"slurm-{lab.job}.out", out)
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"))


def t05_no_metrics_kept(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["c21", "c22"], 8, 14421, _busy, job=331870, offset=-5)
    out, *_ = lab.steps(14400, 9000, lambda at: 2.41)
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP {lab.job}.0 ON c21 CANCELLED AT {lab.local(14418)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** JOB {lab.job} ON c21 CANCELLED AT {lab.local(14418)} DUE TO TIME LIMIT ***",
    ]
    lab.put("train.log", out)
    lab.sacct("TIMEOUT", "0:0", ("CANCELLED", "0:15"), "04:00:00")


def t06_one_exporter(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["r1g1", "r1g2"], 8, 4000, _busy, job=10245, scrape=60)
    out, _, at = lab.steps(9e9, 1500, lambda at: 2.88)
    lab.seconds = at + 33
    lab.measure()
    lab.prometheus(nodes=[0])
    out.append(
        f"{lab.local(at + 25, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/run7/final; training finished after 1500 steps"
    )
    lab.put("rank0.out", out)
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"))


def t07_row_d(place: Path, rng: Random) -> None:
    hit = 2400.0
    lab = Lab(
        place,
        rng,
        ["d05", "d06"],
        8,
        9000,
        lambda n, g, at: "load" if at < 72 else "work" if at < hit else "hot" if n == 1 else "lag",
        job=64200,
    )
    out, _, at = lab.steps(9e9, 3200, lambda at: 1.82 if at < hit else 3.36)
    lab.seconds = at + 29
    lab.measure(warm=lambda n, g: 67.5 if n == 1 else 27.0)
    lab.prometheus()
    lab.dmesg(0, [])
    lab.dmesg(1, [])
    out.append(
        f"{lab.local(at + 22, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/d/final; training finished after 3200 steps"
    )
    lab.put(f"slurm-{lab.job}.out", out)
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"))


def t08_video_shards(place: Path, rng: Random) -> None:
    lab = Lab(
        place,
        rng,
        ["v11", "v12"],
        4,
        6000,
        lambda n, g, at: "load" if at < 72 else "work" if (at - 72) % 31 < 5.5 else "wait",
        job=2209,
        scrape=5,
    )
    out, _, at = lab.steps(9e9, 200, lambda at: 31.0, lambda step, took: f" data_wait {took * 0.82:.3f}s")
    lab.seconds = at + 19
    lab.measure()
    lab.prometheus()
    for node in range(2):
        lab.dmesg(
            node,
            [(900.0 + 1100 * k, "nfs: server filer02 not responding, still trying") for k in range(5)]
            + [(941.0 + 1100 * k, "nfs: server filer02 OK") for k in range(5)],
        )
    out.append(
        f"{lab.local(at + 15, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/v/final; training finished after 200 steps"
    )
    lab.put("rank0.log", out)
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"), name="video")


def t09_half_speed(place: Path, rng: Random) -> None:
    lab = Lab(
        place,
        rng,
        ["e1", "e2", "e3", "e4"],
        8,
        7000,
        lambda n, g, at: "load" if at < 72 else "slow" if (n, g) == (2, 6) else "behind",
        job=30077,
    )
    out, _, at = lab.steps(9e9, 900, lambda at: 7.1)
    lab.seconds = at + 31
    lab.measure()
    lab.prometheus()
    out.append(
        f"{lab.local(at + 25, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/e/final; training finished after 900 steps"
    )
    lab.put("rank0.log", out)
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"))


def t10_breaker(place: Path, rng: Random) -> None:
    hit = 3804.0
    lab = Lab(
        place,
        rng,
        ["x201", "x202", "x203"],
        8,
        hit + 210,
        lambda n, g, at: "load" if at < 72 else "work" if at < hit else "spin",
        job=118,
    )
    lab.measure(seen=lambda n, g, at: n != 1 or at < hit)
    lab.prometheus()
    out, *_ = lab.steps(hit, 30000, lambda at: 2.2)
    out += [
        "srun: error: Node failure on x202",
        f"slurmstepd: error: *** STEP {lab.job}.0 ON x201 CANCELLED AT {lab.local(hit + 208)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    lab.put(f"slurm-{lab.job}.out", out)
    lab.put(
        "sinfo-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {lab.local(hit + 207)} x202",
        ],
    )
    lab.sacct("NODE_FAIL", "0:0", ("CANCELLED", "0:15"))


def t11_longer_context(place: Path, rng: Random) -> None:
    hit = 1411.0
    lab = Lab(place, rng, ["k3", "k4"], 8, hit + 13, _busy, job=70022)
    lab.measure(used=lambda n, g, at: None if at < 72 else min(80610.0, 61000 + at * 13.4 + g * 40))
    lab.prometheus()
    out, *_ = lab.steps(hit, 6000, lambda at: 3.3)
    out += [
        "[rank5]: Traceback (most recent call last):",
        '[rank5]:   File "/w/sft.py", line 198, in <module>',
        "[rank5]:     loss = model(**batch).loss",
        "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 5 has a total capacity of 79.11 GiB of which 472.00 MiB is free. Including non-PyTorch memory, this process has 78.64 GiB memory in use. Of the allocated memory 74.20 GiB is allocated by PyTorch, and 2.11 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        "srun: error: k3: task 5: Exited with exit code 1",
    ]
    lab.put("all_ranks.log", out)
    lab.sacct("FAILED", "1:0", ("FAILED", "1:0"), name="sft")


def t12_new_partition(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["n31", "n32", "n33", "n34"], 8, 934, lambda n, g, at: "cold", job=88)
    lab.measure()
    lab.prometheus()
    for node in range(4):
        out = [f"{lab.local(12, '%Y-%m-%d %H:%M:%S')} launch: node {node} of 4, MASTER_ADDR=n31 MASTER_PORT=29500"]
        if node:
            out += [
                f"[W{lab.local(20 + 60 * k, '%m%d %H:%M:%S')}.4401 socket.cpp:697] [c10d] The client socket has failed to connect to [n31]:29500 (errno: 113 - No route to host)."
                for k in range(15)
            ]
            out += [
                "Traceback (most recent call last):",
                '  File "/opt/train/pretrain.py", line 31, in <module>',
                '    dist.init_process_group("nccl")',
                f"torch.distributed.DistNetworkError: The client socket has timed out after 900000ms while trying to connect to (n31, 29500). [node {node}]",
            ]
        else:
            out += [
                "Traceback (most recent call last):",
                '  File "/opt/train/pretrain.py", line 31, in <module>',
                '    dist.init_process_group("nccl")',
                "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 8/32 clients joined.",
            ]
        lab.put(f"logs/n3{node + 1}.log", out)
    lab.sacct("FAILED", "1:0", ("FAILED", "1:0"))


def t13_nothing_but_charts(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["f8", "f9"], 8, 5217, _busy, job=41, scrape=30)
    lab.measure()
    lab.prometheus()
    lab.sacct("FAILED", "1:0", ("FAILED", "1:0"))


def t14_changed_my_mind(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["p2", "p3"], 4, 3920, _busy, job=60601, offset=1)
    lab.measure()
    lab.prometheus()
    out, *_ = lab.steps(3918, 20000, lambda at: 1.4)
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP {lab.job}.0 ON p2 CANCELLED AT {lab.local(3919)} ***",
    ]
    lab.put(f"slurm-{lab.job}.out", out)
    lab.sacct("CANCELLED by 5107", "0:0", ("CANCELLED", "0:15"))
