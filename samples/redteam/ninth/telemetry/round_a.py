"""Round A: eight incidents. What happened in each stands in its first line; SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.ninth.shapes import fall, stamp, write

from .site import Site

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from .site import Row

DAY = 1772409600.0
"""2026-03-02, midnight UTC."""


def t01_hot_node(place: Path, rng: Random) -> None:
    # the cooling of one of two nodes weakens after 35 minutes: 88 C, hardware slowdown, clocks and pace down by 40 %
    site = Site(
        place, rng, ("dgx-b07", "dgx-b08"), 8, "H100", DAY + 30600, DAY + 30600 + 7800, 518803, "pt-13b", cadence=30
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if not (2100 < at < 7800):
            return
        if node == 1:
            row |= {
                "DEV_GPU_TEMP": round(rng.gauss(88, 1)),
                "DEV_MEMORY_TEMP": round(rng.gauss(97, 1)),
                "DEV_SM_CLOCK": rng.choice((1095, 1140, 1170)),
            }
            row |= {"DEV_CLOCK_THROTTLE_REASONS": 0x48, "DEV_POWER_USAGE": round(rng.gauss(395, 8), 3)}
        else:
            row |= {
                "PROF_SM_ACTIVE": round(rng.gauss(0.37, 0.02), 4),
                "PROF_PIPE_TENSOR_ACTIVE": round(rng.gauss(0.23, 0.02), 4),
                "DEV_POWER_USAGE": round(rng.gauss(470, 8), 3),
            }

    site.metrics(change)
    lines = [
        f"{stamp(at)} | INFO | step {step:6d}/2900 | loss {fall(rng, step, 10.7, 2.6, 500):.4f} | {secs:.3f} s/it | lr 2.0e-04"
        for step, at, secs in site.steps(lambda at: 1.86 if at < 2100 else 3.05, site.end, 2900)
    ]
    write(
        place / "slurm-518803.out",
        [*lines, f"{stamp(site.end - 12)} | INFO | 2900 of 2900 steps done, final checkpoint saved"],
    )
    site.sacct("COMPLETED", "0:0")
    site.dmesg(1, [])


def t02_off_the_bus(place: Path, rng: Random) -> None:
    # GPU 5 of the third of four nodes falls off the bus in minute 47; its rank says so first, the others lose their peer
    site = Site(
        place, rng, ("cn0229", "cn0230", "cn0231", "cn0232"), 8, "A100", DAY + 3600, DAY + 3600 + 2910, 90417, "moe-16e"
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if at >= 2850 and (node, gpu) == (2, 5):
            row.clear()
        elif at >= 2830 and (node, gpu) == (2, 5):
            row |= {"DEV_XID_ERRORS": 79}
        elif 2830 <= at < 2910:
            row |= site.waiting(node, gpu)

    site.metrics(change, split="node")
    site.dmesg(
        2,
        [
            (2829.2, "NVRM: GPU at PCI:0000:c3:00: " + site.uuid(2, 5)),
            (2829.2, "NVRM: Xid (PCI:0000:c3:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
            (2829.3, "NVRM: GPU 0000:c3:00.0: GPU has fallen off the bus."),
            (
                2829.9,
                "NVRM: Xid (PCI:0000:c3:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
            ),
        ],
    )
    site.dmesg(0, [])
    for rank in (0, 9, 21, 30):
        lines = [
            f"[{stamp(at)}][rank{rank}] it={step} loss={fall(rng, step, 11.1, 3.0, 400):.3f} t={secs:.2f}s"
            for step, at, secs in site.steps(lambda _: 2.2, site.begin + 2829)
        ]
        if rank == 21:
            lines += [
                "Traceback (most recent call last):",
                '  File "/home/projects/moe/pretrain.py", line 412, in <module>',
                "    main()",
                '  File "/home/projects/moe/pretrain.py", line 371, in main',
                "    torch.cuda.synchronize()",
                '  File "/opt/venv/lib/python3.11/site-packages/torch/cuda/__init__.py", line 1040, in synchronize',
                "    return torch._C._cuda_synchronize()",
                "RuntimeError: CUDA error: unspecified launch failure",
                "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
            ]
        else:
            lines += [
                f"[rank{rank}]:[E302 01:47:2{rank % 7}.211904872 ProcessGroupNCCL.cpp:2068] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.26.2",
                "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
            ]
        write(place / "logs" / f"rank{rank}.log", lines)
    site.sacct("FAILED", "1:0", hosts="cn[0229-0232]")


def t03_loud_neighbour(place: Path, rng: Random) -> None:
    # after 20 minutes the processors of one host are busy with something else: its four ranks compute for 2.4 s, all others wait
    site = Site(
        place, rng, ("n1", "n2", "n3", "n4"), 4, "H100", DAY + 50000, DAY + 50000 + 5400, 7713, "asr-xl", cadence=20
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if not (1200 < at < 5400):
            return
        if node == 2:  # kernels come late: the engine has holes, what runs is work
            row |= {
                "DEV_GPU_UTIL": round(rng.gauss(44, 4)),
                "PROF_GR_ENGINE_ACTIVE": round(rng.gauss(0.42, 0.03), 4),
                "PROF_SM_ACTIVE": round(rng.gauss(0.27, 0.02), 4),
            }
        else:  # mostly the collective's spin
            row |= {
                "DEV_GPU_UTIL": 100,
                "PROF_GR_ENGINE_ACTIVE": 0.998,
                "PROF_SM_ACTIVE": round(rng.gauss(0.25, 0.02), 4),
            }
        row |= {
            "PROF_PIPE_TENSOR_ACTIVE": round(rng.gauss(0.15, 0.01), 4),
            "PROF_NVLINK_TX_BYTES": round(rng.gauss(2.4e10, 1e9)),
            "DEV_POWER_USAGE": round(rng.gauss(300, 9), 3),
        }

    site.metrics(change)
    marks = list(site.steps(lambda at: 1.02 if at < 1200 else 2.5, site.end - 30, 20000))
    for rank in range(16):
        lines = []
        for step, at, secs in marks:
            own = secs - 0.07 if rank // 4 == 2 or secs < 1.5 else 0.94
            lines.append(
                f"{stamp(at)} r{rank:02d} step {step} loss {fall(rng, step, 6.2, 0.9, 600):.4f} compute {own + rng.gauss(0, 0.01):.3f}s allreduce_wait {secs - own + abs(rng.gauss(0, 0.01)):.3f}s total {secs:.3f}s"
            )
        write(place / "ranks" / f"rank_{rank:02d}.log", [*lines, f"{stamp(site.end - 9)} r{rank:02d} finished"])
    load = [
        [at, f"{rng.gauss(212, 9) if node == 2 and at > site.begin + 1190 else rng.gauss(19, 2):.2f}"]
        for node in range(4)
        for at in range(int(site.begin), int(site.end), 20)
    ]
    size = len(load) // 4
    series = [
        {
            "metric": {"__name__": "node_load1", "instance": f"{name}:9100", "job": "node"},
            "values": load[i * size : (i + 1) * size],
        }
        for i, name in enumerate(site.nodes)
    ]
    write(
        place / "prom" / "node_load1.json",
        [json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})],
    )
    site.sacct("COMPLETED", "0:0", hosts="n[1-4]")


def t04_starved(place: Path, rng: Random) -> None:
    # a file system that cannot deliver: 4 s for each batch, 0.5 s of work, on all 16 GPUs from the first step on
    site = Site(
        place, rng, ("hgx21", "hgx22"), 8, "H100", DAY + 70000, DAY + 70000 + 6000, 330981, "video-mae", resident=0.62
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if site.start <= at < 6000:
            row |= {
                "DEV_GPU_UTIL": rng.choice((0, 0, 0, 3, 8, 0, 21, 64)),
                "PROF_GR_ENGINE_ACTIVE": round(rng.uniform(0.05, 0.14), 4),
                "PROF_SM_ACTIVE": round(rng.uniform(0.03, 0.07), 4),
            }
            row |= {
                "PROF_PIPE_TENSOR_ACTIVE": round(rng.uniform(0.01, 0.03), 4),
                "PROF_DRAM_ACTIVE": round(rng.uniform(0.02, 0.05), 4),
                "DEV_POWER_USAGE": round(rng.gauss(148, 9), 3),
                "DEV_GPU_TEMP": 36 + gpu // 2,
                "PROF_NVLINK_TX_BYTES": round(rng.gauss(4e9, 4e8)),
            }

    site.metrics(change)
    lines = [
        f"Epoch: [0] [{step:5d}/1290] lr: 0.000150 loss: {fall(rng, step, 1.02, 0.58, 300):.4f} data: {secs - 0.5 + rng.gauss(0, 0.02):.4f} time: {secs:.4f} max mem: 50533"
        for step, _, secs in site.steps(lambda _: rng.uniform(3.2, 5.6), site.end - 100, 1290)
    ]
    write(place / "slurm-330981.out", [*lines, "Epoch 0 done, checkpoint-0.pth written"])
    site.sacct("COMPLETED", "0:0")


def t05_frozen(place: Path, rng: Random) -> None:
    # minute 52: rank 19 stops between two collectives and stays; all others spin until their watchdogs give up
    site = Site(
        place,
        rng,
        ("gpu-a-01", "gpu-a-02", "gpu-a-03", "gpu-a-04"),
        8,
        "H100",
        DAY + 9000,
        DAY + 9000 + 3745,
        61250,
        "llm-30b",
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if 3130 <= at < 3745:
            row |= site.idle(node, gpu, resident=True) if (node, gpu) == (2, 3) else site.waiting(node, gpu)

    site.metrics(change, split="metric")
    marks = list(site.steps(lambda _: 4.1, site.begin + 3130, every=5))
    for rank in range(32):
        lines = [
            f"{stamp(at)} [{rank:02d}] iter {step:5d} lm_loss {fall(rng, step, 10.8, 3.3, 200):.4f} iter_time {secs:.2f}"
            for step, at, secs in marks
        ]
        if rank != 19:
            where = f"[rank{rank}]:[E302 03:32:2{rank % 10}.40{rank:02d}11832 ProcessGroupNCCL.cpp"
            work = "WorkNCCL(SeqNum=60219, OpType=_REDUCE_SCATTER_BASE, NumelIn=58720256, NumelOut=1835008, Timeout(ms)=600000)"
            lines += [
                f"{where}:632] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for 6000{rank:02d} milliseconds before timing out.",
                f"{where}:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: 60219 PG status: last enqueued work: 60221, last completed work: 60218",
                f"{where}:684] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
            ]
        write(place / "logs" / f"rank{rank}.log", lines)
    write(
        place / "slurm-61250.err",
        [
            "srun: error: gpu-a-01: tasks 0-7: Aborted (core dumped)",
            "srun: error: gpu-a-04: tasks 24-31: Aborted (core dumped)",
            "srun: Terminating StepId=61250.0",
            "srun: error: gpu-a-03: task 19: Killed",
        ],
    )
    site.sacct("FAILED", "134:0", step=("FAILED", "0:6"), hosts="gpu-a-[01-04]")
    for node in range(4):
        site.dmesg(node, [])


def t06_node_lost(place: Path, rng: Random) -> None:
    # one of eight nodes is gone from one second to the next; Slurm says so and cancels the job
    names = tuple(f"nid00{n}" for n in range(1180, 1188))
    site = Site(place, rng, names, 4, "A100", DAY + 20000, DAY + 20000 + 4500, 771203, "climate-fno", cadence=30)

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if node == 3 and at >= 4185:
            row.clear()
        elif 4185 <= at < 4500:
            row |= site.waiting(node, gpu)

    site.metrics(change)
    lines = [
        f"{stamp(at)} step={step} rel_l2={fall(rng, step, 0.98, 0.07, 700):.5f} sps={64 / secs:.1f}"
        for step, at, secs in site.steps(lambda _: 0.9, site.begin + 4185, every=50)
    ]
    done = stamp(site.end, "%Y-%m-%dT%H:%M:%S")
    lines += [
        "srun: error: Node failure on nid001183",
        f"slurmstepd: error: *** JOB 771203 ON nid001180 CANCELLED AT {done} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"slurmstepd: error: *** STEP 771203.0 ON nid001180 CANCELLED AT {done} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    write(place / "slurm-771203.out", lines)
    write(
        place / "sinfo-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {done} nid001183",
        ],
    )
    site.sacct("NODE_FAIL", "0:0", step=("CANCELLED", "0:15"), hosts="nid[001180-001187]")


def t07_host_memory(place: Path, rng: Random) -> None:
    # a cache grows in the host's memory until the job's cgroup is full: the kernel kills rank 6
    site = Site(
        place,
        rng,
        ("vm-gpu-11", "vm-gpu-12"),
        4,
        "A100",
        DAY + 40000,
        DAY + 40000 + 3342,
        20477,
        "rerank",
        resident=0.5,
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if 3330 <= at < 3342:
            row |= site.idle(node, gpu) if (node, gpu) == (1, 2) else site.waiting(node, gpu)

    site.metrics(change)
    mem = "oom_memcg=/system.slice/slurmstepd.scope/job_20477,task_memcg=/system.slice/slurmstepd.scope/job_20477/step_0/user/task_6,task=python,pid=88123,uid=5012"
    site.dmesg(
        1,
        [
            (3329.1, "pt_data_worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
            (3329.2, "memory: usage 503316480kB, limit 503316480kB, failcnt 90213"),
            (3329.3, f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,{mem}"),
            (
                3329.3,
                "Memory cgroup out of memory: Killed process 88123 (python) total-vm:271208112kB, anon-rss:198113204kB, file-rss:210432kB, shmem-rss:8192kB, UID:5012 pgtables:402112kB oom_score_adj:0",
            ),
            (3329.9, "oom_reaper: reaped process 88123 (python), now anon-rss:0kB, file-rss:0kB, shmem-rss:8192kB"),
        ],
    )
    lines = [
        f"{stamp(at)} train | step {step} | margin_loss {fall(rng, step, 0.98, 0.22, 900):.4f} | {1 / secs:.2f} it/s"
        for step, at, secs in site.steps(lambda _: 0.48, site.begin + 3328, every=25)
    ]
    lines += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=20477.0. Some of the step tasks have been OOM Killed.",
        "srun: error: vm-gpu-12: task 6: Out Of Memory",
        "srun: Terminating StepId=20477.0",
    ]
    write(place / "slurm-20477.out", lines)
    site.sacct("OUT_OF_MEMORY", "0:125", step=("OUT_OF_MEMORY", "0:125"))


def t08_soft_cap(place: Path, rng: Random) -> None:
    # twin of t01: software holds the power at 560 W, clocks a little down, cool, the pace the same from first to last
    site = Site(
        place, rng, ("dgx-b11", "dgx-b12"), 8, "H100", DAY + 30600, DAY + 30600 + 6000, 518911, "pt-13b", cadence=30
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if site.start <= at < 6000:
            row |= {
                "DEV_CLOCK_THROTTLE_REASONS": 4,
                "DEV_SM_CLOCK": rng.choice((1740, 1755, 1770)),
                "DEV_POWER_USAGE": round(rng.gauss(558, 4), 3),
            }

    site.metrics(change)
    lines = [
        f"{stamp(at)} | INFO | step {step:6d}/2900 | loss {fall(rng, step, 10.7, 2.6, 500):.4f} | {secs:.3f} s/it | lr 2.0e-04"
        for step, at, secs in site.steps(lambda _: 1.98, site.end, 2900)
    ]
    write(
        place / "slurm-518911.out",
        [*lines, f"{stamp(site.end - 12)} | INFO | 2900 of 2900 steps done, final checkpoint saved"],
    )
    site.sacct("COMPLETED", "0:0")
    site.dmesg(1, [])
