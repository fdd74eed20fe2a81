"""The second slice of incidents: other forms, other wordings, and the twins that the first left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import talk
from .incidents import CASES, Truth, blame, done, fails, incident, sound
from .job import FULL, Job, Run
from .machine import Mode, holding, waiting

if TYPE_CHECKING:
    import random

FIRST = frozenset(CASES)


def _cancelled(job: Job, second: float, due: str = "") -> None:
    job.say(
        second,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(second):%Y-%m-%dT%H:%M:%S}{due} ***",
    )


@incident("a1-hub-offline")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "l40s",
        1,
        4,
        framework="hf",
        every=30,
        minutes=1.2,
        options={"log": "label", "sacct": "json"},
        papers={"log", "sacct", "dcgm"},
    )
    for rank in range(4):
        talk.raised(
            job,
            50 + rank * 0.1,
            rank,
            [
                ("/home/tnovak/sft/train.py", 31, "main", "model = AutoModelForCausalLM.from_pretrained(args.model)"),
                (
                    "/opt/conda/lib/python3.11/site-packages/transformers/utils/hub.py",
                    511,
                    "cached_files",
                    "raise OSError(",
                ),
            ],
            "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.\nCheck your internet connection or see how to run the library in offline mode at 'https://huggingface.co/docs/transformers/installation#offline-mode'.",
            prefix=False,
        )
    talk.torchrun_fails(job, 52, 1, 1)
    fails(job)
    return job, Truth("A1", "the model's files are neither cached nor to be had")


@incident("a1-custom-kernel-13")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="nanogpt", every=30, minutes=37, metrics=FULL, options={"dmesg": "raw"})
    talk.head(job, 9000)
    hit = job.end - 25
    job.train(until=hit + 8)
    talk.progress(job, 9000, hit)
    host, _ = job.rank(0)
    talk.xid(job, hit, host, 0, 13, "Graphics SM Warp Exception on (GPC 2, TPC 4, SM 1): Out Of Range Address")
    talk.raised(
        job,
        hit + 0.4,
        0,
        [
            (
                "/home/tnovak/gpt/model.py",
                181,
                "forward",
                "loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)",
            )
        ],
        "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    )
    job.say(
        hit - 0.2,
        "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [17,0,0] Assertion `t >= 0 && t < n_classes` failed.",
    )
    talk.torchrun_fails(job, hit + 2, 0, 1)
    fails(job)
    return job, Truth("A1", "a target outside the classes trips an assertion in a kernel (XID 13)")


@incident("a2-accounting-says-memory")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h100",
        2,
        framework="nemo",
        every=60,
        minutes=83,
        papers={"log", "sacct", "dcgm"},
        options={"scontrol": "1"},
    )
    talk.head(job, 9000)
    killed = job.end - 40
    job.train(until=killed + 10)
    talk.progress(job, 9000, killed)
    job.say(
        killed + 4,
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={job.job_id}.0. Some of the step tasks have been OOM Killed.",
        f"srun: error: {job.hosts[1]}: task 11: Out Of Memory",
        f"srun: Terminating StepId={job.job_id}.0",
    )
    job.runs.append(Run(0, job.end, "OUT_OF_MEMORY", "0:125", "OUT_OF_MEMORY", "0:125", derived="0:125"))
    return job, Truth("A2", "a task was killed for its cgroup's memory, as srun and accounting say")


@incident("a2-near-sidecar")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=120)
    sound(job)
    host = job.hosts[1]
    job.kernel_says(
        3000,
        host,
        "telegraf invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/system.slice/telegraf.service,task_memcg=/system.slice/telegraf.service,task=telegraf,pid=2231,uid=998",
        "Memory cgroup out of memory: Killed process 2231 (telegraf) total-vm:2101232kB, anon-rss:261932kB, file-rss:1032kB, shmem-rss:0kB, UID:998 pgtables:912kB oom_score_adj:0",
    )
    done(job)
    return job, Truth("G1", "a daemon of the node was killed in its own cgroup; the run ended as planned")


@incident("b1-other-tenant")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100p", 1, 2, framework="plain", every=15, minutes=5, papers={"log", "sacct", "dcgm"})
    refused = job.end - 40
    for local, gpu in enumerate(job.gpus[job.hosts[0]]):
        gpu.plan = [(-400, holding(0.71))] if local else []
        gpu.plan += [(40, holding(0.98 if local else 0.4))]
        gpu.then(refused + 8, holding(0.71) if local else Mode())
    talk.raised(
        job,
        refused,
        1,
        [("/home/tnovak/run/train.py", 120, "main", "model = model.to(device)")],
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 1 has a total capacity of 39.38 GiB of which 190.12 MiB is free. Process 31207 has 27.91 GiB memory in use. Including non-PyTorch memory, this process has 11.27 GiB memory in use. Of the allocated memory 10.80 GiB is allocated by PyTorch, and 12.50 MiB is reserved by PyTorch but unallocated.",
    )
    talk.torchrun_fails(job, refused + 2, 1, 1)
    fails(job)
    return job, Truth("B1", "a request was refused on a GPU of which another process held 28 GiB")


@incident("b2-remap-failure")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="megatron", every=30, minutes=98, options={"dcgm": "host", "dmesg": "T"})
    talk.head(job, 9000)
    hit = job.end - 66
    job.train(until=hit + 25)
    talk.progress(job, 9000, hit)
    host, gpu = job.rank(15)
    talk.xid(job, hit, host, gpu.index, 95, "Uncontained: DRAM (0x0,0x0). RST: Yes, D-RST: No", process=False)
    talk.xid(job, hit + 0.5, host, gpu.index, 64, "Row Remapper: Error recording remap data. Reset gpu.", process=False)
    gpu.remap_failed_s = hit
    talk.raised(
        job,
        hit + 1,
        15,
        [("/opt/Megatron-LM/pretrain_gpt.py", 311, "<module>", "pretrain(")],
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
    )
    talk.torchrun_fails(job, hit + 4, 15, 1, "pretrain_gpt.py")
    fails(job)
    return job, Truth("B2", "an uncontained ECC error and a row that could not be remapped", **blame(job, 15))


@incident("b2-system-processor-then-freeze")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=15, minutes=74)
    talk.head(job, 9000)
    hit = job.end - 720
    job.train(until=job.end - 30)
    last = talk.progress(job, 9000, hit)
    host, gpu = job.rank(5)
    for again in range(3):
        talk.xid(
            job,
            hit + 45 * again,
            host,
            gpu.index,
            119,
            "Timeout after 45s of waiting for RPC response from GPU5 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a068 0x4).",
        )
    for rank, (_, each) in enumerate(job.every_gpu()):
        each.then(hit, holding(0.8) if rank == 5 else waiting(0.8))
    job.stop(job.end - 30)
    talk.watchdogs(job, hit + 615, last * 40 + 3, [rank for rank in range(16) if rank != 5])
    talk.torchrun_fails(job, hit + 630, 0, -6)
    fails(job)
    return job, Truth(
        "B2",
        "a GPU's system processor stopped answering (XID 119), and the others froze",
        also=("C2",),
        **blame(job, 5),
    )


@incident("b2-near-cleanup-45")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="megatron", every=30, minutes=66)
    talk.head(job, 30_000)
    job.train()
    talk.progress(job, 30_000, job.end - 4)
    _cancelled(job, job.end)
    for host in job.hosts:
        for local in range(8):
            talk.xid(job, job.end + 1.2, host, local, 45, "Ch 00000008")
    job.runs.append(Run(0, job.end + 2, "CANCELLED by 20417", "0:0", "CANCELLED", "0:15"))
    return job, Truth(
        None, "cancelled by its user; XID 45 is the driver's tidying after that", outcome="outside_families"
    )


@incident("b2-near-remap-later")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="nemo", every=30, minutes=140)
    sound(job)
    host, gpu = job.rank(7)
    talk.xid(
        job,
        4000,
        host,
        gpu.index,
        63,
        "Row Remapper: New row (0x0000000000d1f3c0) marked for remapping, reset gpu to activate.",
        process=False,
    )
    gpu.remapped = [(4000, 1)]
    done(job)
    return job, Truth("G1", "a row is to be remapped at the next reset; the run went on for hours and ended as planned")


@incident("b3-brake-one-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="plain", every=30, minutes=170, metrics=FULL, step_s=3.0)
    talk.head(job, 9000)
    job.train(until=job.end - 10)
    begin, host = 3300.0, job.hosts[3]
    for node, gpu in job.every_gpu():
        mode = gpu.at(begin)
        slow = (
            replace(mode, clock=0.34, reasons=0x80)
            if node == host
            else replace(mode, tensor=mode.tensor * 0.38, sm=mode.sm * 0.42, dram=mode.dram * 0.38)
        )
        gpu.between(begin, job.end - 12, slow)
        gpu.then(job.end - 10, Mode())
    last = talk.progress(job, 9000, job.end - 15, step_s=lambda second: 3.0 if second < begin else 8.1)
    job.say(
        job.end - 12,
        f"{job.when(job.end - 12):%Y-%m-%d %H:%M:%S} [INFO] train.py:255 reached wall time budget at step {last}, final checkpoint written",
    )
    job.slurm_ends("COMPLETED")
    return job, Truth(
        "B3", "a power brake holds one node at a third of its clocks, steps take 2.7 times as long", nodes=(host,)
    )


@incident("b3-untimed-log")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="hf", every=30, minutes=180, step_s=2.4)
    total = int((job.end - job.warm_s - 30) / 4.1)
    talk.head(job, total)
    job.train(until=job.end - 10)
    host, gpu = job.rank(1)
    for _, each in job.every_gpu():
        mode = each.at(job.warm_s + 1)
        slow = (
            replace(mode, clock=0.58, hot_k=48)
            if each is gpu
            else replace(mode, tensor=mode.tensor * 0.58, sm=mode.sm * 0.6, dram=mode.dram * 0.58)
        )
        each.between(1500, job.end - 12, slow)
        each.then(job.end - 10, Mode())
    talk.progress(job, total, job.end - 15, step_s=lambda second: 2.4 if second < 1500 else 4.1)
    talk.tail(job, job.end - 8)
    job.slurm_ends("COMPLETED")
    return job, Truth(
        "B3",
        "one GPU at 90 C loses two fifths of its clock; the log prints no times",
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(1,),
    )


@incident("b3-near-idle-clocks")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 2, 4, framework="plain", every=15, minutes=110, metrics=FULL, step_s=1.5)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10)
    for begin in (1800, 4200):
        for _, gpu in job.every_gpu():
            gpu.between(begin, begin + 200, replace(holding(0.8), clock=0.2, reasons=1))
        job.say(begin + 1, f"{job.when(begin):%Y-%m-%d %H:%M:%S} [INFO] eval.py:30 scoring generations on CPU")
        job.say(begin + 199, f"{job.when(begin + 199):%Y-%m-%d %H:%M:%S} [INFO] eval.py:61 rouge-l 0.41")
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth("G1", "clocks fall while GPUs idle in evaluations, as they should")


@incident("c1-no-route")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h100",
        2,
        framework="plain",
        every=30,
        minutes=17,
        papers={"log", "sacct", "dcgm", "dmesg"},
        options={"log": "slurm"},
    )
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(0.009))]
    job.stop(job.end - 60)
    head_host, other = job.hosts
    job.say(
        33,
        f"{head_host}:{job.pids[(head_host, 0)]}:{job.pids[(head_host, 0)]} [0] NCCL INFO Bootstrap: Using bond0:10.31.0.4<0>",
        "NCCL version 2.26.2+cuda12.8",
    )
    for local in range(8):
        rank = 8 + local
        job.say(
            900 + local,
            "",
            f"[{job.when(900 + local):%Y-%m-%d %H:%M:%S}] {other}:{job.pids[(other, local)]}:{job.pids[(other, local)] + 300} [{local}] misc/socket.cc:63 NCCL WARN socketStartConnect: Connect to 10.31.0.4<41873> failed : No route to host",
            rank=rank,
        )
        talk.raised(
            job,
            902 + local,
            rank,
            [("/home/tnovak/run/train.py", 60, "main", "dist.barrier()")],
            "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nsocketStartConnect: Connect to 10.31.0.4<41873> failed : No route to host",
        )
    talk.torchrun_fails(job, 912, 8, 1)
    fails(job)
    return job, Truth("C1", "the second node cannot reach the first: no communicator was ever made")


@incident("c2-killed-peer-others-wait")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=130, options={"dmesg": "journal"})
    talk.head(job, 20_000)
    froze = job.end - 1960
    job.train(until=job.end - 60)
    last = talk.progress(job, 20_000, froze)
    host, gpu = job.rank(12)
    talk.oom(job, froze, host, job.pids[(host, gpu.index)], "python3.11")
    for _, each in job.every_gpu():
        each.then(froze, Mode() if each is gpu else waiting(0.8))
    job.stop(job.end - 60)
    job.say(froze + 1, f"srun: error: {host}: task 12: Killed", rank=0)
    talk.watchdogs(job, froze + 1805, last * 8 + 2, [rank for rank in range(16) if rank != 12], limit_s=1800)
    job.say(
        job.end - 30,
        f"srun: error: {job.hosts[0]}: task 0: Aborted (core dumped)",
        f"srun: Terminating StepId={job.job_id}.0",
    )
    job.slurm_ends("FAILED", "6:0", derived="6:0")
    return job, Truth(
        "C2",
        "rank 12 was killed for memory, the others waited half an hour for it",
        also=("A2",),
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(12,),
    )


@incident("c2-cancelled-after-hours")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h200", 4, framework="megatron", every=60, minutes=330, options={"dcgm": "metric", "sacct": "short"})
    talk.head(job, 60_000)
    froze = job.end - 9000
    job.train()
    talk.progress(job, 60_000, froze)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.then(froze, holding(0.8) if rank == 17 else waiting(0.8))
    job.stop(job.end)
    _cancelled(job, job.end)
    job.runs.append(Run(0, job.end + 1, "CANCELLED by 20417", "0:0", "CANCELLED", "0:15"))
    return job, Truth(
        "C2", "two and a half hours of polling GPUs and one that idles, until its user had enough", **blame(job, 17)
    )


@incident("c2-mismatched-collectives")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=15, minutes=52)
    talk.head(job, 9000)
    froze = job.end - 700
    job.train(until=job.end - 30)
    talk.progress(job, 9000, froze)
    for _, gpu in job.every_gpu():
        gpu.then(froze, waiting(0.8))
    job.stop(job.end - 30)
    talk.watchdogs(job, froze + 605, 21_404, [3], op="BROADCAST")
    talk.watchdogs(job, froze + 606, 21_404, [0, 1, 2, 4, 5, 6, 7], op="ALLREDUCE")
    talk.torchrun_fails(job, froze + 620, 3, -6)
    fails(job)
    return job, Truth(
        "C2",
        "rank 3 is in a broadcast, the others in an all-reduce of the same number",
        ranks=(3,),
        gpus=(job.rank(3)[1].uuid,),
    )


@incident("c3-never-launches")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 1, 1, framework="hf", every=30, minutes=170, options={"sacct": "json"})
    host, gpu = job.rank(0)
    gpu.plan = [(60, holding(0.34))]
    job.stop(job.end)
    job.say(70, "Loading checkpoint shards: 100%|██████████| 4/4 [00:21<00:00,  5.31s/it]")
    _cancelled(job, job.end)
    job.runs.append(Run(0, job.end + 1, "CANCELLED by 20417", "0:0", "CANCELLED", "0:15"))
    return job, Truth(
        "C3",
        "the model was loaded, then nothing was launched for almost three hours",
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(0,),
    )


@incident("c3-near-tokenising")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100p", 1, 1, framework="hf", every=30, minutes=150, warm_s=1500, step_s=0.8)
    sound(job)
    for k in range(0, 101, 10):
        job.say(
            120 + k * 12,
            f"Tokenizing train dataset (num_proc=8): {k:3d}%|{'█' * (k // 10)}{' ' * (10 - k // 10)}| {k * 8123}/812300 [{k * 12 // 60:02d}:{k * 12 % 60:02d}<00:00, 677.0 examples/s]",
        )
    done(job)
    return job, Truth("G1", "twenty minutes of tokenising on the CPU, then a sound run on one GPU")


@incident("d1-coarse-full")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=60, minutes=240, step_s=14.0, metrics=FULL)
    work = replace(job.work, engine=0.055, sm=0.048, tensor=0.02, dram=0.019, step_s=14.0)
    total = int((job.end - job.warm_s - 30) / 14)
    talk.head(job, total)
    job.train(until=job.end - 10, mode=work)
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth("D1", "an engine at a twentieth in steps of 14 s, all GPUs alike, and it learns")


@incident("d2-blocking-launches")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="plain", every=30, minutes=120, step_s=6.3, metrics=FULL)
    work = replace(job.work, engine=0.93, sm=0.16, tensor=0.07, dram=0.08)
    total = int((job.end - job.warm_s - 30) / 6.3)
    talk.head(job, total)
    job.say(5, "env: CUDA_LAUNCH_BLOCKING=1 NCCL_DEBUG=WARN OMP_NUM_THREADS=1")
    job.train(until=job.end - 10, mode=work)
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth(
        "D2", "every launch is waited for (CUDA_LAUNCH_BLOCKING=1); SMs work a sixth of the time on all ranks"
    )


@incident("d2-saves-each-step")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="nemo", every=30, minutes=150, step_s=4.0)
    work = replace(job.work, engine=0.11, sm=0.09, tensor=0.042, dram=0.04, step_s=37.0)
    total = int((job.end - job.warm_s - 30) / 37)
    talk.head(job, total)
    job.train(until=job.end - 10, mode=work)
    second = job.warm_s
    for step in range(total):
        second += 4.0
        job.say(second, talk.step_line(job, step + 1, total, second, job.loss(step + 1, total), 4.0))
        second += 33.0
        job.say(
            second,
            f"[NeMo I {job.when(second):%Y-%m-%d %H:%M:%S} nemo_logging:393] Successfully saved checkpoint from iteration {step + 1:7d} to /lustre/run/results/megatron_gpt--step={step + 1}-last.ckpt",
        )
    done(job)
    return job, Truth("D2", "a save of 33 s after every step of 4 s")


@incident("d2-near-sharded")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 8, framework="titan", every=60, minutes=120, metrics=FULL)
    job.work = replace(job.work, engine=0.99, sm=0.63, tensor=0.29, dram=0.27)
    sound(job)
    done(job)
    return job, Truth("G1", "a third of each step is communication: usual for a sharded model")


@incident("d3-late-host")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=140, step_s=4.4)
    total = int((job.end - job.warm_s - 30) / 4.4)
    talk.head(job, total)
    job.train(until=job.end - 10)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        mode = gpu.at(job.warm_s + 1)
        slow = (
            replace(mode, engine=0.41, sm=0.33, tensor=0.16, dram=0.14)
            if rank == 14
            else replace(mode, engine=0.995, sm=0.38, tensor=0.16, dram=0.15)
        )
        gpu.plan = [(since, slow if planned is mode else planned) for since, planned in gpu.plan]
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth(
        "D3",
        "rank 14 comes late to every collective: its engine idles for most of a step, all others poll",
        **blame(job, 14),
    )


@incident("d3-heavy-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=30, minutes=130, step_s=6.0, metrics=FULL)
    total = int((job.end - job.warm_s - 30) / 6)
    talk.head(job, total)
    job.train(until=job.end - 10)
    host = job.hosts[1]
    for node, gpu in job.every_gpu():
        mode = gpu.at(job.warm_s + 1)
        if node != host:
            light = replace(mode, engine=0.995, sm=mode.sm * 0.36, tensor=mode.tensor * 0.34, dram=mode.dram * 0.34)
            gpu.plan = [(since, light if planned is mode else planned) for since, planned in gpu.plan]
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth("D3", "one node's GPUs compute all the time, those of the others a third of it", nodes=(host,))


@incident("e1-leaves")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=30, minutes=150)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10)
    talk.progress(
        job,
        total,
        job.end - 15,
        loss=lambda step: job.loss(step, total) if step < total * 0.4 else 9.6 * rng.gauss(1, 0.01),
    )
    done(job)
    return job, Truth("E1", "from two fifths on the loss is at 9.6, after 3.4")


@incident("e2-requeued-from-scratch")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="nemo", every=60, minutes=300)
    total, cut, back = 30_000, 8000.0, 8600.0
    talk.head(job, total)
    job.train(until=cut)
    talk.progress(job, total, cut - 10)
    _cancelled(job, cut, " DUE TO JOB REQUEUE")
    for _, gpu in job.every_gpu():
        gpu.plan += [(back, holding(0.4)), (back + 200, job.work), (job.end - 10, Mode())]
    job.say(
        back + 60,
        f"[NeMo W {job.when(back + 60):%Y-%m-%d %H:%M:%S} nemo_logging:405] There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :/lustre/run/results/checkpoints. Training from scratch.",
    )
    talk.progress(job, int((job.end - back - 230) / job.step_s), job.end - 15, begin=back + 200)
    done(job)
    job.runs = [Run(0, cut, "REQUEUED", "0:0", "CANCELLED", "0:15"), Run(back, job.end, "COMPLETED")]
    return job, Truth("E2", "requeued, and begun from scratch without a checkpoint", also=("F2",))


@incident("e3-three-steps")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=15, minutes=5.2, warm_s=200)
    talk.head(job, 3)
    job.train(until=job.end - 10)
    talk.progress(job, 3, job.end - 15)
    done(job)
    return job, Truth("E3", "three steps are all of the plan")


@incident("f1-rebooted")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="hf", every=30, minutes=190, options={"dmesg": "T", "sacct": "json"})
    talk.head(job, 90_000)
    lost = job.end - 400
    job.train()
    talk.progress(job, 90_000, lost)
    host = job.hosts[1]
    for node, gpu in job.every_gpu():
        if node == host:
            gpu.then(lost, Mode(gone=True))
            gpu.plan.append((lost + 340, Mode()))
        else:
            gpu.then(lost + 2, waiting(0.8))
            gpu.then(job.end, Mode())
    job.kernel[host] = []
    job.kernel_says(
        lost + 200,
        host,
        "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0) 11.4.0) #132-Ubuntu SMP",
        "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-122-generic root=/dev/mapper/vg-root ro quiet",
        "mce: [Hardware Error]: Machine check events logged",
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  550.90.07  Release Build",
    )
    job.runs.append(Run(0, job.end, "NODE_FAIL", "0:0", "NODE_FAIL", "0:0"))
    return job, Truth("F1", "a node rebooted under the job, and Slurm calls it NODE_FAIL", nodes=(host,))


@incident("f2-preempted-and-back")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=60, minutes=280)
    cut, back = 6000.0, 8400.0
    total = int((cut - job.warm_s) / job.step_s + (job.end - back - 240) / job.step_s)
    talk.head(job, total)
    job.train(until=cut)
    last = talk.progress(job, total, cut - 60)
    job.say(
        cut - 40,
        f"{job.when(cut - 40):%Y-%m-%d %H:%M:%S} [INFO] train.py:310 SIGTERM received, saved checkpoint at step {last}",
    )
    _cancelled(job, cut, " DUE TO PREEMPTION")
    for _, gpu in job.every_gpu():
        gpu.plan += [(back, holding(0.4)), (back + 200, job.work), (job.end - 10, Mode())]
    job.say(
        back + 90,
        f"{job.when(back + 90):%Y-%m-%d %H:%M:%S} [INFO] train.py:140 resumed from step {last} (optimizer, scheduler and loader state restored)",
    )
    talk.progress(job, total, job.end - 15, begin=back + 200, first=last)
    done(job)
    job.runs = [Run(0, cut, "PREEMPTED", "0:0", "CANCELLED", "0:15"), Run(back, job.end, "COMPLETED")]
    return job, Truth("F2", "preempted, back after forty minutes, and finished")


@incident("f3-no-times-in-log")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 2, 4, framework="hf", every=30, minutes=180, limit_min=180, options={"sacct": "short"})
    talk.head(job, 90_000)
    job.train()
    talk.progress(job, 90_000, job.end - 3)
    _cancelled(job, job.end, " DUE TO TIME LIMIT")
    job.runs.append(Run(0, job.end + 30, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth("F3", "it learned until the limit; the log prints no times")


@incident("g1-sixteen-nodes")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 16, framework="megatron", every=60, minutes=150, options={"dcgm": "metric"})
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run on 128 GPUs")


@incident("g1-worrying-kernels")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=140)
    sound(job)
    host = job.hosts[0]
    job.kernel_says(
        2500,
        host,
        "pcieport 0000:40:01.1: AER: Corrected error received: 0000:41:00.0",
        "nvme nvme3: I/O 411 QID 7 timeout, aborting",
        "nvme nvme3: Abort status: 0x0",
        "INFO: task kworker/u256:3:88121 blocked for more than 120 seconds.",
        "mlx5_core 0000:9a:00.0: mlx5_cmd_out_err:838:(pid 0): ACCESS_REG(0x805) op_mod(0x1) failed, status bad parameter(0x3)",
    )
    job.rank(5)[1].replays = [(2500, 14)]
    done(job)
    return job, Truth("G1", "corrected errors and a slow disk; the run ended as planned")


@incident("g1-one-card")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 1, 1, framework="nanogpt", every=15, minutes=75, step_s=0.5, papers={"log", "sacct", "dcgm"})
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run on one GPU")


@incident("g1-no-log")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h200", 2, every=30, minutes=120, papers={"sacct", "dcgm", "dmesg"})
    job.train(until=job.end - 8)
    job.saves()
    job.slurm_ends("COMPLETED")
    return job, Truth("G1", "no log; accounting says COMPLETED and all GPUs worked evenly", also=("cannot_decide",))


@incident("outside-disk-full")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=30, minutes=92)
    talk.head(job, 9000)
    hit = job.end - 30
    job.train(until=hit + 8)
    talk.progress(job, 9000, hit)
    talk.raised(
        job,
        hit,
        0,
        [
            ("/home/tnovak/run/ckpt.py", 66, "save", "torch.save(state, tmp)"),
            ("/opt/conda/lib/python3.11/site-packages/torch/serialization.py", 967, "save", "_save("),
        ],
        "OSError: [Errno 28] No space left on device: '/scratch/run/step_1200.pt.tmp'",
    )
    talk.torchrun_fails(job, hit + 2, 0, 1)
    fails(job)
    return job, Truth(None, "a save found the disk full in mid-run", outcome="outside_families", also=("A1",))


@incident("nothing-metrics-alone")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, every=30, minutes=100, papers={"dcgm"})
    job.train(until=job.end + 10_000)
    return job, Truth(None, "busy GPUs to the last sample, and no word of an end", outcome="cannot_decide")


@incident("nothing-log-stops")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=30, minutes=80, papers={"log", "dmesg"})
    talk.head(job, 90_000)
    talk.progress(job, 90_000, job.end)
    return job, Truth(None, "a log that stops under way, a quiet kernel, and nothing else", outcome="cannot_decide")


NAMES = tuple(name for name in CASES if name not in FIRST)
