"""Jobs that were scored later."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .site import SPIN, Reading, Site

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_NOON = datetime(2026, 3, 11, 12, 4, 30, tzinfo=UTC)


def _usual(_minute: float, _node: int, _gpu: int, reading: Reading) -> Reading:
    return reading


def t07_slow_gpu(place: Path, rng: Random) -> None:
    """From minute 22 one GPU of 32 takes thrice as long for the same work, at full clock; 31 wait for it."""
    job = Site(place, rng, 5512, ("k1", "k2", "k3", "k4"), 8, 75, _NOON)

    def change(minute: float, node: int, gpu: int, reading: Reading) -> Reading:
        if 22 <= minute < 75 and (node, gpu) != (2, 6):
            reading.update(PROF_SM_ACTIVE=0.26, PROF_PIPE_TENSOR_ACTIVE=0.13, DEV_POWER_USAGE=301, DEV_GPU_TEMP=50)
        elif 22 <= minute < 75:
            reading.update(PROF_SM_ACTIVE=0.74, PROF_PIPE_TENSOR_ACTIVE=0.13, DEV_POWER_USAGE=342)
        return reading

    job.metrics(change)
    job.sacct("COMPLETED", "0:0")
    for node in job.nodes:
        job.kernel(node)
    for rank in range(32):
        out, minute, step = [], 1.0, 0
        while minute < 73:
            pace = 1.02 if minute < 22 else 2.94
            work = pace * 0.93 if rank == 22 or minute < 22 else 0.95
            step, minute = step + 20, minute + pace / 3
            out.append(
                f"{job.clock(minute)} rank={rank} step={step} loss={job.loss(step):.4f} "
                f"step_ms={pace * 1000:.0f} compute_ms={work * rng.gauss(1000, 8):.0f} "
                f"allreduce_wait_ms={(pace - work) * 1000:.0f}"
            )
        job.write(f"ranks/rank_{rank:02}.log", [*out, f"{job.clock(74.8)} rank={rank} finished"])


def t08_slow_host(place: Path, rng: Random) -> None:
    """One host of eight: its processors are taken by others, its four GPUs get work late, all others wait."""
    nodes = tuple(f"acc{i:03}" for i in range(40, 48))
    job = Site(place, rng, 300417, nodes, 4, 90, _NOON)

    def change(minute: float, node: int, _gpu: int, reading: Reading) -> Reading:
        if 1 <= minute < 90:
            slow = node == 4
            reading.update(
                DEV_GPU_UTIL=41 if slow else 100,
                PROF_GR_ENGINE_ACTIVE=0.4 if slow else 0.99,
                PROF_SM_ACTIVE=0.24,
                PROF_PIPE_TENSOR_ACTIVE=0.12,
                DEV_POWER_USAGE=262,
                DEV_GPU_TEMP=47,
            )
        return reading

    job.metrics(change)
    job.sacct("COMPLETED", "0:0")
    for node in nodes:
        job.kernel(node)
    load = {node: 214.6 if node == "acc044" else 9.1 + rng.random() for node in nodes}
    host = [f'node_load1{{instance="{node}:9100"}} {value:.2f}' for node, value in load.items()]
    job.write("node_exporter_at_13h.prom", ["# TYPE node_load1 gauge", *host])
    for rank in range(32):
        own = 3.06 if rank // 4 == 4 else 0.86
        out = [
            f"{job.stamp(1 + i * 0.53)} acc{40 + rank // 4:03} r{rank:02} it {i * 10}: "
            f"loss {job.loss(i * 10, 9.8, 3.0):.3f} [iter 3.18 s, "
            f"own work {own * rng.gauss(1, 0.02):.2f} s, waiting for peers {3.18 - own:.2f} s]"
            for i in range(1, 167)
        ]
        job.write(f"logs/r{rank:02}.txt", [*out, f"{job.stamp(89.8)} r{rank:02} training complete"])


def t09_input_starvation(place: Path, rng: Random) -> None:
    """Readers of small files: of each seven seconds of a step six pass in waiting for a batch."""
    job = Site(place, rng, 61203, ("vision1", "vision2"), 8, 122, _NOON)

    def change(minute: float, _node: int, _gpu: int, reading: Reading) -> Reading:
        if 1 <= minute < 122:
            part = rng.choice((0, 0, 0.04, 0.1, 0.22, 0.45))
            reading.update(
                DEV_GPU_UTIL=round(part * 100),
                PROF_GR_ENGINE_ACTIVE=part,
                PROF_SM_ACTIVE=part * 0.8,
                PROF_PIPE_TENSOR_ACTIVE=part * 0.4,
                PROF_DRAM_ACTIVE=part / 2,
                DEV_POWER_USAGE=120 + 300 * part,
                DEV_GPU_TEMP=38,
            )
        return reading

    job.metrics(change)
    job.sacct("COMPLETED", "0:0")
    for node in job.nodes:
        job.kernel(node)
    out, minute = [], 1.0
    for i in range(1020):
        wait = abs(rng.gauss(6.0, 1.4))
        minute += (wait + 0.92) / 60
        if minute < 121:
            out.append(
                f"{job.at(minute):%m-%d %H:%M:%S} Epoch: [0][{i}/1020]  Time {wait + 0.92:.3f}  Data {wait:.3f}  "
                f"Loss {job.loss(i, 6.9, 2.2):.4f}  Acc@1 {min(70, i / 15):.2f}"
            )
    job.write("slurm-61203.out", ["workers: 2, storage: /nfs/home/imgs", *out, "Epoch 0 done, 1/1"])


def t10_save_storm(place: Path, rng: Random) -> None:
    """Somebody set the interval of saving to one: each step is followed by 24 seconds of writing."""
    job = Site(place, rng, 8841, ("m07", "m08"), 4, 64, _NOON)

    def change(minute: float, _node: int, _gpu: int, reading: Reading) -> Reading:
        if 1 <= minute < 64:
            part = rng.choice((0, 0, 0, 0, 0.02, 0.3))
            reading.update(
                DEV_GPU_UTIL=round(part * 100),
                PROF_GR_ENGINE_ACTIVE=part,
                PROF_SM_ACTIVE=part * 0.6,
                PROF_PIPE_TENSOR_ACTIVE=part / 4,
                PROF_DRAM_ACTIVE=part / 3,
                DEV_POWER_USAGE=124,
                DEV_GPU_TEMP=37,
            )
        return reading

    job.metrics(change, every=10)
    job.sacct("COMPLETED", "0:0")
    for node in job.nodes:
        job.kernel(node)
    out = ["config: save_interval=1 keep_last=3 max_steps=140 shard=/lustre/ck"]
    for i in range(1, 141):
        at = 1 + i * 0.447
        out += [
            f"{job.clock(at - 0.41)} step {i}/140 loss {job.loss(i, 10.2, 4.4, 40):.4f} step_time 2.41s",
            f"{job.clock(at - 0.01)} saved /lustre/ck/step_{i:06} (112.4 GB) in {rng.gauss(24.3, 0.5):.1f}s",
        ]
    job.write("logs/rank0.log", [*out, f"{job.clock(63.8)} max_steps reached, exiting"])


def t11_node_down(place: Path, rng: Random) -> None:
    """A node is gone from one sample to the next; the scheduler sees it down and ends the job."""
    job = Site(place, rng, 17760, ("e11", "e12", "e13", "e14"), 8, 133, _NOON)

    def change(minute: float, node: int, _gpu: int, reading: Reading) -> Reading | None:
        if minute > 127.2 and node == 2:
            return None
        if 127.2 < minute < 133:
            reading.update(SPIN)
        return reading

    job.metrics(change, every=30)
    job.sacct("NODE_FAIL", "0:0", "CANCELLED")
    for node in job.nodes:
        if node != "e13":
            job.kernel(node)
    job.write(
        "slurmctld.log",
        [
            f"[{_NOON:%Y-%m-%dT%H:%M:%S}.114] sched/backfill: _start_job: Started JobId=17760 in h100 on e[11-14]",
            f"[{job.iso(131)}.530] error: Nodes e13 not responding",
            f"[{job.iso(133)}.002] error: Nodes e13 not responding, setting DOWN",
            f"[{job.iso(133)}.003] Killing JobId=17760 on failed node e13",
        ],
    )
    out = [
        f"{job.stamp(1 + i * 0.25)} step {i * 10} of 20000: loss {job.loss(i * 10):.4f}, "
        f"{rng.gauss(1.5, 0.01):.3f} s/step"
        for i in range(1, 505)
    ]
    end = job.iso(133)
    out += [
        "srun: error: Node failure on e13",
        f"slurmstepd: error: *** STEP 17760.0 ON e11 CANCELLED AT {end} "
        "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    job.write("slurm-17760.out", out)


def t12_sockets(place: Path, rng: Random) -> None:
    """No fast network was found: all goes by TCP, every rank alike, a step takes fourteen seconds."""
    nodes = tuple(f"ib-{i}" for i in range(1, 9))
    job = Site(place, rng, 20088, nodes, 4, 150, _NOON)

    def change(minute: float, _node: int, _gpu: int, reading: Reading) -> Reading:
        if 1 <= minute < 150:
            reading.update(
                DEV_GPU_UTIL=100,
                PROF_GR_ENGINE_ACTIVE=1,
                PROF_SM_ACTIVE=0.07,
                PROF_PIPE_TENSOR_ACTIVE=0.03,
                PROF_DRAM_ACTIVE=0.04,
                DEV_POWER_USAGE=168,
                DEV_GPU_TEMP=43,
            )
        return reading

    job.metrics(change, every=30)
    job.sacct("COMPLETED", "0:0")
    for node in nodes:
        job.kernel(node)
    for rank in range(0, 32, 4):
        node = nodes[rank // 4]
        pre = f"{node}:{7000 + rank}:{7100 + rank} [0] NCCL INFO"
        out = [
            f"{pre} NET/IB : No device found.",
            f"{pre} NET/Socket : Using [0]eth0:10.8.0.{rank + 1}<0>",
            f"{pre} Using network Socket",
            f"{pre} Channel 00/0 : {rank}[0] -> {(rank + 4) % 32}[0] [send] via NET/Socket/0",
            f"{pre} ncclCommInitRank comm 0x5581aa{rank:02x}0 "
            f"rank {rank} nranks 32 cudaDev 0 busId 18000 - Init COMPLETE",
        ]
        out += [
            f"{job.clock(1 + i * 1.19)} r{rank} step {i * 5}/620 loss {job.loss(i * 5, 9.1, 3.9, 150):.4f} "
            f"(fwd 0.31 s, bwd 0.66 s, grad sync {rng.gauss(13.3, 0.2):.2f} s)"
            for i in range(1, 125)
        ]
        job.write(f"logs/{node}.r{rank}.log", [*out, f"{job.clock(149.8)} r{rank} reached 620/620, done"])


def t13_double_bit(place: Path, rng: Random) -> None:
    """An uncorrectable error of memory in the midst of the run; the counter goes from none to one, the rank ends."""
    job = Site(place, rng, 70055, ("zeus2", "zeus5"), 4, 81, _NOON)

    def change(minute: float, node: int, gpu: int, reading: Reading) -> Reading:
        if (node, gpu) == (0, 2) and minute > 80:
            reading.update(DEV_ECC_DBE_VOL_TOTAL=1, DEV_XID_ERRORS=48, DEV_UNCORRECTABLE_REMAPPED_ROWS=1)
        return reading

    job.metrics(change)
    job.sacct("FAILED", "1:0")
    where = "NVRM: Xid (PCI:0000:5d:00):"
    job.kernel(
        "zeus2",
        [
            (
                80.01,
                f"{where} 48, pid=31877, name=python3, An uncorrectable double bit error (DBE) has been detected "
                "on GPU in the framebuffer at partition 6, subpartition 0.",
            ),
            (
                80.02,
                f"{where} 63, pid=31877, name=python3, Row Remapper: New row marked for remapping, "
                "reset gpu to activate.",
            ),
            (80.03, f"{where} 94, pid=31877, name=python3, Contained: SM (0x1). RST: No, D-RST: No"),
            (80.4, f"{where} 45, pid=31877, name=python3, Ch 00000008, errorString CTX SWITCH TIMEOUT"),
        ],
    )
    job.kernel("zeus5")
    for rank in range(8):
        out = [
            f"{job.clock(1 + i * 0.5)} [{rank}] update {i * 12} objective {job.loss(i * 12, 8.2, 2.2):.4f}"
            for i in range(158)
        ]
        if rank == 2:
            out += [
                "[rank2]: Traceback (most recent call last):",
                '[rank2]:   File "/app/fit.py", line 90, in step',
                "[rank2]:     torch.nn.utils.clip_grad_norm_(params, 1.0)",
                "[rank2]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
            ]
        job.write(f"logs/{rank}.txt", out)


def t14_host_memory(place: Path, rng: Random) -> None:
    """The limit of the job's memory is reached on one host; the kernel ends a rank, no traceback of it."""
    job = Site(place, rng, 40990, ("c1", "c2"), 4, 57, _NOON)
    job.metrics(_usual)
    job.sacct("OUT_OF_MEMORY", "0:125")
    job.kernel("c1")
    group = f"/system.slice/slurmstepd.scope/job_{job.job}/step_0/user/task_3"
    job.kernel(
        "c2",
        [
            (56.2, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
            (56.2, "memory: usage 524288000kB, limit 524288000kB, failcnt 88120"),
            (
                56.21,
                f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg={group[: group.index('/step')]},"
                f"task_memcg={group},task=python3,pid=20117,uid=4402",
            ),
            (
                56.22,
                "Memory cgroup out of memory: Killed process 20117 (python3) total-vm:201882340kB, "
                "anon-rss:148220112kB, file-rss:91220kB, shmem-rss:20480kB, UID:4402 pgtables:301200kB oom_score_adj:0",
            ),
        ],
    )
    out = [
        f"{job.clock(1 + i * 0.2)} step {i * 5} loss {job.loss(i * 5):.4f} host_rss {88 + i * 1.48:.0f} GB"
        for i in range(276)
    ]
    out += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=40990.0. Some of the step tasks have been OOM Killed.",
        "srun: error: c2: task 7: Out Of Memory",
        "srun: Terminating StepId=40990.0",
    ]
    job.write("slurm-40990.out", out)


def t15_evaluation_breaks(place: Path, rng: Random) -> None:
    """Two thousand good steps, then the first evaluation asks for a key that is not there, on every rank."""
    job = Site(place, rng, 66123, ("a3", "a4", "a5"), 4, 49, _NOON)
    job.metrics(_usual)
    job.sacct("FAILED", "1:0")
    for node in job.nodes:
        job.kernel(node)
    for rank in range(12):
        out = [
            f"{job.clock(1 + i * 0.24)} INFO step {i * 10}/30000 loss={job.loss(i * 10):.4f} "
            f"gn={rng.uniform(0.2, 0.6):.2f}"
            for i in range(1, 201)
        ]
        out += [
            f"{job.clock(49)} INFO evaluation at step 2000",
            "Traceback (most recent call last):",
            '  File "/repo/pretrain.py", line 318, in <module>',
            "    run(cfg)",
            '  File "/repo/pretrain.py", line 274, in run',
            "    report = evaluate(model, loaders['dev'])",
            "KeyError: 'dev'",
        ]
        job.write(f"log/rank{rank}.err", out)


def t16_time_limit(place: Path, rng: Random) -> None:
    """At seven tenths of its steps, all well, when the six hours it had asked for are over."""
    job = Site(place, rng, 9917, ("h2", "h3"), 8, 360, _NOON)
    job.metrics(_usual, every=60)
    job.sacct("TIMEOUT", "0:0", "CANCELLED", limit="06:00:00")
    for node in job.nodes:
        job.kernel(node)
    out = [
        f"{job.stamp(1 + i * 0.5)} | step {i * 20:6d} / 20000 | "
        f"loss {job.loss(i * 20, 10.8, 2.7, 2200):.4f} | 1.50 s/step"
        for i in range(1, 718)
    ]
    end = job.iso(360)
    out += [
        f"slurmstepd: error: *** JOB 9917 ON h2 CANCELLED AT {end} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 9917.0 ON h2 CANCELLED AT {end} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    job.write("h2-9917.log", out)


def t17_cancelled(place: Path, rng: Random) -> None:
    """Its owner ends it after an hour and a quarter; nothing was wrong with it."""
    job = Site(place, rng, 55018, ("w1", "w2", "w3", "w4"), 4, 76, _NOON)
    job.metrics(_usual, every=30)
    job.sacct("CANCELLED by 5012", "0:0", "CANCELLED", limit="2-00:00:00")
    for node in job.nodes:
        job.kernel(node)
    out = [
        f"[{job.clock(1 + i / 3)}] {i * 15:>6}/100000 xent {job.loss(i * 15):.4f} ({rng.gauss(1.33, 0.01):.2f} s/it)"
        for i in range(1, 224)
    ]
    end = job.iso(76)
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 55018.0 ON w1 CANCELLED AT {end} ***",
    ]
    job.write("slurm-55018.out", out)


def t18_healthy_with_pauses(place: Path, rng: Random) -> None:
    """Healthy: saves and evaluations now and then, a GPU warmer than its neighbours, all steps done."""
    nodes = tuple(f"r{i}" for i in range(5))
    job = Site(place, rng, 71717, nodes, 4, 113, _NOON)

    def change(minute: float, node: int, gpu: int, reading: Reading) -> Reading:
        if 1 < minute < 113 and (node, gpu) == (3, 1):
            reading.update(DEV_GPU_TEMP=74, DEV_SM_CLOCK=1935)
        if 21 <= minute < 113 and (minute - 21) % 20.5 < 0.5:
            reading.update(DEV_GPU_UTIL=8, PROF_GR_ENGINE_ACTIVE=0.05, PROF_SM_ACTIVE=0.03, DEV_POWER_USAGE=150)
        return reading

    job.metrics(change)
    job.sacct("COMPLETED", "0:0", limit="04:00:00")
    for node in nodes:
        job.kernel(node)
    for rank in range(0, 20, 4):
        out = []
        for i in range(1, 541):
            minute = 1 + i * 0.2 + (i - 1) // 100 / 2
            out.append(f"{job.clock(minute)} rank {rank} step {i * 10}/5400 loss {job.loss(i * 10):.4f} dt 1.17")
            if i % 100 == 0:
                out.append(f"{job.clock(minute + 0.5)} rank {rank} saved ckpt-{i * 10} (31 s)")
        job.write(f"logs/n{rank // 4}.log", [*out, f"{job.clock(112.6)} rank {rank} done: 5400 steps"])
