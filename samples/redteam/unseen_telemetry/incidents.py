"""The first slice of incidents, each with its truth; a near-miss twin stands beside what it resembles."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from . import talk
from .job import FULL, Job, Run
from .machine import Mode, holding, waiting

if TYPE_CHECKING:
    from collections.abc import Callable

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Truth:
    """``outcome`` and ``family`` as a verdict names them; ``also`` are other right answers; culprits where one is to blame."""

    family: str | None
    why: str
    outcome: str = "decided"
    also: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()


CASES: Final[dict[str, Callable[[random.Random], tuple[Job, Truth]]]] = {}


def incident(name: str) -> Callable[[Callable[[random.Random], tuple[Job, Truth]]], None]:
    """Register an incident."""

    def put(tell: Callable[[random.Random], tuple[Job, Truth]]) -> None:
        CASES[name] = tell

    return put


def build(name: str, seed: int) -> tuple[Job, Truth]:
    """The incident and its truth."""
    job, truth = CASES[name](random.Random(f"unseen/{name}/{seed}"))
    talk.chatter(job)
    return job, truth


def sound(job: Job, total: int | None = None) -> int:
    """A run from its head to its planned end; returns its steps."""
    total = total or int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10)
    job.saves()
    talk.progress(job, total, job.end - 15)
    return total


def done(job: Job) -> None:
    """It ends as planned."""
    talk.tail(job, job.end - 8)
    job.slurm_ends("COMPLETED")


def fails(job: Job, code: int = 1) -> None:
    """It ends with a status of its own."""
    job.slurm_ends("FAILED", f"{code}:0", derived=f"{code}:0")


def blame(job: Job, *ranks: int) -> dict[str, Any]:
    """Culprits by rank."""
    them = [job.rank(rank) for rank in ranks]
    return {
        "nodes": tuple(dict.fromkeys(host for host, _ in them)),
        "gpus": tuple(gpu.uuid for _, gpu in them),
        "ranks": ranks,
    }


# ---- A


@incident("a1-config-key")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="nemo", every=15, minutes=1.6, options={"sacct": "P"})
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(0.006))]
    job.stop(70)
    for rank in range(16):
        talk.raised(
            job,
            66 + rank * 0.01,
            rank,
            [
                (
                    "/opt/NeMo/examples/nlp/megatron_gpt_pretraining.py",
                    61,
                    "main",
                    "model = MegatronGPTModel(cfg.model, trainer)",
                ),
                (
                    "/opt/conda/lib/python3.11/site-packages/omegaconf/base.py",
                    231,
                    "_format_and_raise",
                    "format_and_raise(",
                ),
            ],
            "omegaconf.errors.ConfigAttributeError: Key 'rotary_interleaved' is not in struct\n    full_key: model.rotary_interleaved\n    object_type=dict",
        )
    talk.torchrun_fails(job, 70, 0, 1, "megatron_gpt_pretraining.py")
    talk.srun_says(job, 84, 0)
    fails(job)
    return job, Truth("A1", "a key that the configuration lacks, on every rank, before anything ran")


@incident("a1-one-rank-mid-run")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 4, framework="plain", every=30, minutes=172, options={"dcgm": "host", "log": "slurm"})
    talk.head(job, 40_000)
    crash = job.end - 40
    job.train(until=crash + 10)
    talk.progress(job, 40_000, crash)
    talk.raised(
        job,
        crash,
        19,
        [
            ("/home/tnovak/run/train.py", 203, "train", "for batch in loader:"),
            ("/home/tnovak/run/data/mixture.py", 118, "__iter__", "doc = self.shards[shard][offset]"),
        ],
        "IndexError: index 88213 is out of bounds for axis 0 with size 88213",
    )
    talk.torchrun_fails(job, crash + 1, 19, 1)
    talk.srun_says(job, crash + 14, 2)
    fails(job)
    return job, Truth("A1", "an index beyond a shard on one rank after hours")


@incident("a1-near-retried-read")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=30, minutes=120, metrics=FULL)
    sound(job)
    for second in (2000, 2031, 4400):
        job.say(
            second,
            f"{job.when(second):%Y-%m-%d %H:%M:%S} [WARNING] storage.py:77 read of shard-00{int(second) % 97:02d} failed, attempt 1/5",
            "Traceback (most recent call last):",
            '  File "/home/tnovak/run/storage.py", line 71, in fetch',
            "    body = response['Body'].read()",
            "botocore.exceptions.ResponseStreamingError: An error occurred while reading from response stream: IncompleteRead(81920 bytes read)",
            f"{job.when(second + 2):%Y-%m-%d %H:%M:%S} [INFO] storage.py:83 attempt 2/5 succeeded",
        )
    done(job)
    return job, Truth("G1", "reads that were retried; the run ended as planned")


@incident("a2-node-memory")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=15, minutes=95, options={"dcgm": "metric", "dmesg": "T"})
    talk.head(job, 9000)
    killed = job.end - 60
    job.train(until=killed + 15)
    talk.progress(job, 9000, killed)
    host = job.hosts[2]
    talk.oom(job, killed, host, job.pids[(host, 5)], "pt_main_thread", constrained=False)
    talk.torchrun_fails(job, killed + 2, 21, -9, "pretrain_gpt.py")
    talk.srun_says(job, killed + 20, 2)
    fails(job)
    return job, Truth("A2", "the kernel killed rank 21 as the whole node was out of memory")


@incident("a2-shm-bus-error")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "l40s",
        1,
        4,
        framework="plain",
        every=30,
        minutes=22,
        options={"sacct": "json"},
        papers={"log", "sacct", "dcgm"},
    )
    talk.head(job, 12_000)
    killed = job.end - 30
    job.train(until=killed + 8)
    talk.progress(job, 12_000, killed)
    talk.raised(
        job,
        killed,
        2,
        [
            ("/home/tnovak/run/train.py", 188, "train", "batch = next(it)"),
            (
                "/opt/conda/lib/python3.11/site-packages/torch/utils/data/dataloader.py",
                1133,
                "_try_get_data",
                "raise RuntimeError(f'DataLoader worker (pid(s) {pids_str}) exited unexpectedly') from e",
            ),
        ],
        "RuntimeError: DataLoader worker (pid 88123) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.",
        prefix=True,
    )
    job.say(
        killed - 0.1,
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
        rank=2,
    )
    talk.torchrun_fails(job, killed + 2, 2, 1)
    fails(job)
    return job, Truth("A2", "a worker of the DataLoader died of a bus error: shared memory was full")


# ---- B


@incident("b1-leak")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="plain", every=30, minutes=118, step_s=1.2, memory=0.6)
    talk.head(job, 20_000)
    refused = job.end - 30
    job.train(until=refused + 8)
    talk.progress(job, 20_000, refused)
    for _, gpu in job.every_gpu():
        base = gpu.at(job.warm_s + 1)
        for second in range(int(job.warm_s), int(refused), 120):
            gpu.between(
                second, second + 120, replace(base, memory=0.6 + 0.39 * (second - job.warm_s) / (refused - job.warm_s))
            )
        gpu.then(refused + 8, Mode())
    talk.raised(
        job,
        refused,
        6,
        [
            ("/home/tnovak/run/train.py", 219, "train", "loss.backward()"),
            (
                "/opt/conda/lib/python3.11/site-packages/torch/autograd/graph.py",
                829,
                "_engine_run_backward",
                "return Variable._execution_engine.run_backward(",
            ),
        ],
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 448.00 MiB. GPU 6 has a total capacity of 79.25 GiB of which 101.75 MiB is free. Including non-PyTorch memory, this process has 79.14 GiB memory in use. Of the allocated memory 77.60 GiB is allocated by PyTorch, and 512.11 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
    )
    talk.torchrun_fails(job, refused + 2, 6, 1)
    fails(job)
    return job, Truth("B1", "memory grew all along until a request was refused")


@incident("b1-near-preallocated")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h200", 2, framework="titan", every=30, minutes=100, memory=0.985)
    sound(job)
    done(job)
    return job, Truth("G1", "memory is 98 % full all along by the allocator's own choice; it ended as planned")


@incident("b2-bus-lost")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="titan", every=15, minutes=133, options={"dmesg": "journal", "dcgm": "one"})
    talk.head(job, 9000)
    lost = job.end - 95
    job.train(until=lost + 60)
    talk.progress(job, 9000, lost)
    host, gpu = job.rank(13)
    talk.xid(job, lost, host, gpu.index, 79, "GPU has fallen off the bus.", process=False)
    job.kernel_says(
        lost + 0.2,
        host,
        f"NVRM: GPU {gpu.bus}: GPU has fallen off the bus.",
        f"NVRM: GPU {gpu.bus}: GPU serial number is 1654{rng.randint(10**8, 10**9 - 1)}.",
        "NVRM: A GPU crash dump has been created. If possible, please run",
        "NVRM: nvidia-bug-report.sh as root to collect this data before",
        "NVRM: the NVIDIA kernel module is unloaded.",
    )
    gpu.then(lost + 1, Mode(gone=True))
    talk.raised(
        job,
        lost + 4,
        13,
        [("/opt/torchtitan/torchtitan/train.py", 512, "train_step", "loss.backward()")],
        "torch.AcceleratorError: CUDA error: unknown error\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    )
    talk.torchrun_fails(job, lost + 6, 13, -6, "torchtitan.train")
    talk.srun_says(job, lost + 40, 1)
    fails(job)
    return job, Truth("B2", "a GPU fell off the bus (XID 79) and the run with it", **blame(job, 13))


@incident("b2-contained-remap")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="megatron", every=30, minutes=210, options={"dcgm": "metric", "sacct": "json"})
    talk.head(job, 30_000)
    hit = job.end - 70
    job.train(until=hit + 25)
    talk.progress(job, 30_000, hit)
    host, gpu = job.rank(4)
    talk.xid(job, hit, host, gpu.index, 94, "Contained: CE User Channel (0x9). RST: No, D-RST: No")
    talk.xid(
        job,
        hit + 0.3,
        host,
        gpu.index,
        63,
        "Row Remapper: New row (0x000000000144b200) marked for remapping, reset gpu to activate.",
        process=False,
    )
    gpu.remapped = [(hit, 1)]
    talk.raised(
        job,
        hit + 2,
        4,
        [
            (
                "/opt/Megatron-LM/megatron/training/training.py",
                1406,
                "train_step",
                "losses_reduced = forward_backward_func(",
            )
        ],
        "RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    )
    talk.torchrun_fails(job, hit + 4, 4, 1, "pretrain_gpt.py")
    fails(job)
    return job, Truth(
        "B2", "a contained ECC error (XID 94), a row to be remapped, and the rank that met it", **blame(job, 4)
    )


@incident("b2-link")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng, "h100", 2, framework="plain", every=30, minutes=88, metrics=FULL, options={"dmesg": "raw", "meta": "1"}
    )
    talk.head(job, 9000)
    hit = job.end - 120
    job.train(until=hit + 70)
    talk.progress(job, 9000, hit)
    host, gpu = job.rank(10)
    talk.xid(
        job,
        hit,
        host,
        gpu.index,
        74,
        "NVLink: fatal error detected on link 11(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
        process=False,
    )
    gpu.crc = [(hit - 2000, 3), (hit - 300, 411), (hit, 90_233)]
    talk.raised(
        job,
        hit + 3,
        10,
        [("/home/tnovak/run/train.py", 219, "train", "loss.backward()")],
        "torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution",
    )
    talk.torchrun_fails(job, hit + 5, 10, 1)
    fails(job)
    return job, Truth("B2", "a fatal error of a link of NVLink (XID 74), met by the rank", **blame(job, 10))


@incident("b2-near-segment-fault-31")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=30, minutes=41)
    talk.head(job, 9000)
    hit = job.end - 30
    job.train(until=hit + 10)
    talk.progress(job, 9000, hit)
    host, gpu = job.rank(3)
    talk.xid(
        job,
        hit,
        host,
        gpu.index,
        31,
        "channel 0x00000012, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_4 faulted @ 0x7f31_80000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    talk.raised(
        job,
        hit + 1,
        3,
        [
            ("/home/tnovak/run/train.py", 212, "train", "out = model(batch)"),
            ("/home/tnovak/run/kernels/fused_rope.py", 64, "forward", "_rope_fwd[grid](x, cos, sin, BLOCK=1024)"),
        ],
        "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    )
    talk.torchrun_fails(job, hit + 3, 3, 1)
    fails(job)
    return job, Truth("A1", "a kernel of the job's own reads where it must not (XID 31)")


@incident("b2-near-remapped-before")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="hf", every=60, minutes=160)
    sound(job)
    for rank, rows in ((2, 3), (11, 8)):
        job.rank(rank)[1].remapped = [(-10_000, rows)]
    done(job)
    return job, Truth("G1", "rows that were remapped long before; counts never moved")


@incident("b3-hot-gpu-default")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="megatron", every=30, minutes=190, step_s=5.0)
    begin = 3600.0
    talk.head(job, 6000)
    job.train(until=job.end - 15)
    _, gpu = job.rank(6)
    for _, each in job.every_gpu():
        mode = each.at(begin)
        if each is gpu:
            slow = replace(mode, clock=0.55, hot_k=47, engine=0.99, reasons=0x60)
        else:
            slow = replace(mode, tensor=mode.tensor * 0.56, sm=mode.sm * 0.6, dram=mode.dram * 0.56)
        each.between(begin, job.end - 15, slow)
        each.then(job.end - 10, Mode())
    last = talk.progress(job, 6000, job.end - 15, step_s=lambda second: 5.0 if second < begin else 8.9)
    job.say(job.end - 10, f"[exiting program at iteration {last}] datetime: {job.when(job.end - 10):%Y-%m-%d %H:%M:%S}")
    job.slurm_ends("COMPLETED")
    return job, Truth(
        "B3", "one GPU at 90 C keeps 55 % of its clock, and every step takes 1.8 times as long", **blame(job, 6)
    )


@incident("b3-near-power-capped")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=30, minutes=120, metrics=FULL)
    job.work = replace(job.work, tensor=0.62, dram=0.5)
    sound(job)
    done(job)
    return job, Truth("G1", "every GPU at its power limit with clocks a sixth down, cool: as they should")


# ---- C


@incident("c1-absent-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="plain", every=30, minutes=31.5, options={"log": "slurm"})
    away = job.hosts[3]
    for host in job.hosts[:3]:
        for gpu in job.gpus[host]:
            gpu.plan = [(25, holding(0.007))]
    job.stop(1860)
    at = job.when(4)
    job.say(
        4,
        f"{at:%Y-%m-%d %H:%M:%S} [INFO] launch.py:41 starting 4 nodes x 8, MASTER_ADDR={job.hosts[0]} MASTER_PORT=29500",
    )
    job.say(
        1830,
        f"[W{job.when(1830):%m%d %H:%M:%S}.112093451 TCPStore.cpp:343] [c10d] TCP client failed to connect/validate to host {job.hosts[0]}:29500 - retrying",
    )
    talk.raised(
        job,
        1850,
        0,
        [
            ("/home/tnovak/run/train.py", 52, "main", 'dist.init_process_group("nccl", timeout=timedelta(minutes=30))'),
            (
                "/opt/conda/lib/python3.11/site-packages/torch/distributed/rendezvous.py",
                258,
                "_env_rendezvous_handler",
                "store = _create_c10d_store(",
            ),
        ],
        "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 24/32 clients joined.",
    )
    talk.torchrun_fails(job, 1852, 0, 1)
    fails(job)
    return job, Truth("C1", f"{away} never joined; nothing was ever launched")


@incident("c1-silent-to-limit")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 4, framework="megatron", every=60, minutes=120, limit_min=120)
    for _, gpu in job.every_gpu():
        gpu.plan = [(40, holding(0.011))]
    job.stop(job.end)
    job.say(
        20,
        "using world size: 32, data-parallel size: 4, context-parallel size: 1, tensor-model-parallel size: 8, pipeline-model-parallel size: 1",
        "> initializing torch distributed ...",
    )
    for host in job.hosts:
        job.say(
            31,
            f"{host}:{job.pids[(host, 0)]}:{job.pids[(host, 0)]} [0] NCCL INFO Bootstrap : Using eth0:10.31.0.{job.hosts.index(host) + 4}<0>",
            f"{host}:{job.pids[(host, 0)]}:{job.pids[(host, 0)]} [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)",
        )
    job.say(
        job.end,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(job.end):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
    )
    job.runs.append(Run(0, job.end + 2, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth("C1", "an initialisation that never ends: two hours of cold GPUs until the limit", also=("F3",))


@incident("c1-near-long-index")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=30, minutes=140, warm_s=1900)
    sound(job)
    job.say(
        200,
        "> building dataset index ...",
        " > WARNING: could not find index map files, building the indices on rank 0 ...",
    )
    job.say(1700, " > elasped time to build and save doc-idx mapping (seconds): 1489.112233")
    done(job)
    return job, Truth("G1", "half an hour to build an index with cold GPUs, then a sound run")


@incident("c2-one-absent")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=15, minutes=100)
    talk.head(job, 9000)
    froze = job.end - 760
    job.train(until=job.end - 40)
    last = talk.progress(job, 9000, froze)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.then(froze, holding(0.8) if rank == 9 else waiting(0.8))
        gpu.then(job.end - 40 + rng.uniform(0, 4), Mode())
    talk.watchdogs(job, froze + 640, last * 40 + 11, [rank for rank in range(16) if rank != 9])
    talk.torchrun_fails(job, froze + 650, 0, -6, "torchtitan.train")
    fails(job)
    return job, Truth(
        "C2", "rank 9 did not come to an all-reduce; its GPU idles while the others poll", **blame(job, 9)
    )


@incident("c2-storage-stuck-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 4, framework="plain", every=30, minutes=240, limit_min=240, options={"dmesg": "T"})
    talk.head(job, 30_000)
    froze = job.end - 5200
    job.train(until=job.end)
    talk.progress(job, 30_000, froze)
    host = job.hosts[1]
    for node, gpu in job.every_gpu():
        gpu.then(froze, holding(0.8) if node == host else waiting(0.8))
    job.stop(job.end)
    for i in range(4):
        for local in (0, 3):
            job.kernel_says(
                froze + 130 + 120 * i + local,
                host,
                f"INFO: task python3.11:{job.pids[(host, local)]} blocked for more than {120 * (i + 1)} seconds.",
                "      Tainted: P           OE     5.15.0-122-generic #132-Ubuntu",
                '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
                f"task:python3.11      state:D stack:    0 pid:{job.pids[(host, local)]} ppid: 81233 flags:0x00004002",
                "Call Trace:",
                " <TASK>",
                " nfs_wait_on_request+0x2c/0x40 [nfs]",
            )
    job.kernel_says(froze + 40, host, "nfs: server stor4 not responding, still trying")
    job.say(
        job.end,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(job.end):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
    )
    job.runs.append(Run(0, job.end + 3, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth("C2", "one node's ranks hang on NFS, the others poll for them until the limit", nodes=(host,))


@incident("c2-near-barrier-save")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=15, minutes=150)
    total = 1900
    talk.head(job, total)
    job.train(until=job.end - 10)
    talk.progress(job, 900, 4200)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.between(4210, 5010, holding(0.8) if rank == 0 else waiting(0.8))
    job.say(
        4208, f"{job.when(4208):%Y-%m-%d %H:%M:%S} [INFO] ckpt.py:44 consolidating full state dict on rank 0, step 900"
    )
    job.say(
        5008,
        f"{job.when(5008):%Y-%m-%d %H:%M:%S} [INFO] ckpt.py:71 saved /lustre/run/step_900.pt (412.2 GB) in 800.1 s",
    )
    talk.progress(job, total, job.end - 15, begin=5012, first=900)
    done(job)
    return job, Truth("G1", "thirteen minutes in which rank 0 writes a save, as said, and the run goes on to its end")


@incident("c3-loader-deadlock")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100p", 1, 1, framework="plain", every=30, minutes=300, limit_min=300, step_s=0.7)
    talk.head(job, 60_000)
    stuck = 4100.0
    job.train(until=job.end)
    talk.progress(job, 60_000, stuck)
    host, gpu = job.rank(0)
    gpu.then(stuck, holding(0.8))
    job.stop(job.end)
    job.say(
        job.end,
        f"slurmstepd: error: *** JOB {job.job_id} ON {host} CANCELLED AT {job.when(job.end):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
    )
    job.runs.append(Run(0, job.end + 3, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth(
        "C3",
        "memory held and nothing launched for four hours, on the only GPU",
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(0,),
    )


# ---- D


@incident("d1-bursts-default")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="hf", every=15, minutes=200, step_s=9.5)
    work = replace(job.work, engine=0.07, sm=0.055, tensor=0.026, dram=0.024)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10, mode=work)
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth(
        "D1", "GPUs work 0.7 s of each 9.5 s and idle for the rest, on all ranks alike; it learns and ends as planned"
    )


@incident("d1-near-fifth")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 2, 4, framework="plain", every=15, minutes=130, step_s=1.1)
    job.work = replace(job.work, engine=0.81, sm=0.68, tensor=0.31)
    sound(job)
    done(job)
    return job, Truth("G1", "a fifth of each step is spent elsewhere: worth a warning at most")


@incident("d2-tcp")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="plain", every=30, minutes=180, step_s=21.0, metrics=FULL)
    work = replace(job.work, engine=0.995, sm=0.11, tensor=0.031, dram=0.035, pcie=1.1, link=4)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    for host in job.hosts:
        pid = job.pids[(host, 0)]
        job.say(
            60,
            f"{host}:{pid}:{pid} [0] NCCL INFO NET/IB : No device found.",
            f"{host}:{pid}:{pid} [0] NCCL INFO NET/Socket : Using [0]eno1:10.31.0.4<0>",
            f"{host}:{pid}:{pid} [0] NCCL INFO Using network Socket",
        )
    job.train(until=job.end - 10, mode=work)
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth("D2", "all ranks alike wait nine tenths of each step of 21 s in collectives over TCP", also=())


@incident("d3-longer-batches")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="titan", every=30, minutes=150, step_s=3.6)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        mode = gpu.at(job.warm_s + 1)
        slow = (
            mode
            if rank == 2
            else replace(mode, engine=0.99, sm=mode.sm * 0.33, tensor=mode.tensor * 0.3, dram=mode.dram * 0.3)
        )
        gpu.plan = [(since, slow if planned is mode else planned) for since, planned in gpu.plan]
    talk.progress(job, total, job.end - 15)
    done(job)
    return job, Truth(
        "D3", "rank 2 computes all the time, the others a third of it and then wait for it", **blame(job, 2)
    )


@incident("d3-near-stages")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="megatron", every=30, minutes=150)
    sound(job)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        share = 1.0 if rank < 8 else 1.09
        gpu.plan = [(since, replace(mode, tensor=mode.tensor * share, sm=mode.sm * share)) for since, mode in gpu.plan]
    done(job)
    return job, Truth("G1", "the last stage of the pipeline does a tenth more, as it holds the head")


# ---- E, F, G and what none covers


@incident("e1-nan-half-way")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=30, minutes=160)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10)
    talk.progress(job, total, job.end - 15, loss=lambda step: job.loss(step, total) if step < total * 0.52 else NAN)
    done(job)
    return job, Truth("E1", "the loss is nan for the second half; GPUs and scheduler see nothing")


@incident("e2-embedding-size")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="plain", every=30, minutes=4, options={"sacct": "short"})
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(0.02)), (120, holding(0.21))]
    job.stop(200)
    job.say(8, f"{job.when(8):%Y-%m-%d %H:%M:%S} [INFO] train.py:140 resuming from /lustre/run/step_41000.pt")
    for rank in range(8):
        talk.raised(
            job,
            190 + rank * 0.02,
            rank,
            [
                ("/home/tnovak/run/train.py", 149, "resume", 'model.load_state_dict(state["model"])'),
                (
                    "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py",
                    2593,
                    "load_state_dict",
                    "raise RuntimeError(",
                ),
            ],
            "RuntimeError: Error(s) in loading state_dict for Transformer:\n\tsize mismatch for tok_embeddings.weight: copying a param with shape torch.Size([32000, 4096]) from checkpoint, the shape in current model is torch.Size([32064, 4096]).",
        )
    talk.torchrun_fails(job, 193, 0, 1)
    fails(job)
    return job, Truth("E2", "the checkpoint's embedding has 32000 rows, the model's 32064")


@incident("f1-node-lost")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=30, minutes=205, options={"dcgm": "metric"})
    talk.head(job, 30_000)
    lost = job.end - 330
    job.train(until=job.end)
    talk.progress(job, 30_000, lost)
    host = job.hosts[2]
    job.silent(host, lost)
    for node, gpu in job.every_gpu():
        if node != host:
            gpu.then(lost + 3, waiting(0.8))
            gpu.then(job.end, Mode())
    job.say(
        job.end,
        f"srun: error: Node failure on {host}",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(job.end):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    )
    job.runs.append(Run(0, job.end, "NODE_FAIL", "0:0", "NODE_FAIL", "0:0"))
    return job, Truth("F1", "a node fell silent, Slurm says so five minutes later", nodes=(host,))


@incident("f1-near-exporter-restart")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 4, framework="nemo", every=30, minutes=130)
    sound(job)
    for gpu in job.gpus[job.hosts[1]]:
        gpu.between(3000, 4300, Mode(gone=True))
    done(job)
    return job, Truth("G1", "twenty minutes without one node's exporter; the run went on")


@incident("f2-preempted-waits")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=30, minutes=71, options={"scontrol": ""})
    talk.head(job, 30_000)
    job.train()
    talk.progress(job, 30_000, job.end - 30)
    job.say(
        job.end - 20,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(job.end - 20):%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***",
    )
    job.runs = [Run(0, job.end, "PREEMPTED", "0:0", "CANCELLED", "0:15"), Run(job.end, None, "PENDING")]
    return job, Truth("F2", "preempted, and waiting again")


@incident("f3-under-way")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h200", 2, framework="nemo", every=60, minutes=240, limit_min=240, options={"scontrol": "1"})
    talk.head(job, 30_000)
    job.train()
    talk.progress(job, 30_000, job.end - 3)
    job.say(
        job.end,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(job.end):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
    )
    job.runs.append(Run(0, job.end + 4, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth("F3", "it advanced until its limit")


@incident("g1-four-nodes")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=30, minutes=180, options={"dcgm": "host"})
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run")


@incident("g1-l40s-rank-files")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "l40s",
        1,
        4,
        framework="plain",
        every=15,
        minutes=64,
        step_s=0.6,
        options={"log": "ranks", "sacct": "json", "dmesg": "raw"},
    )
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run")


@incident("outside-cancelled")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="hf", every=30, minutes=85)
    talk.head(job, 30_000)
    job.train()
    talk.progress(job, 30_000, job.end - 4)
    job.say(
        job.end,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0]} CANCELLED AT {job.when(job.end):%Y-%m-%dT%H:%M:%S} ***",
    )
    job.runs.append(Run(0, job.end + 1, "CANCELLED by 20417", "0:0", "CANCELLED", "0:15"))
    return job, Truth(None, "its user cancelled a sound run", outcome="outside_families")


@incident("nothing-failed-without-log")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, every=30, minutes=77, papers={"sacct", "dcgm", "dmesg"})
    job.train(until=job.end - 8)
    fails(job)
    return job, Truth(
        None, "FAILED with 1, no log, and nothing in metrics and kernel logs tells why", outcome="cannot_decide"
    )
