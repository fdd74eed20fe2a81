"""The fifth slice: what resembles that which the engine learned from the first four, on either side of the line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import talk
from .incidents import CASES, Truth, blame, done, fails, incident, sound
from .job import FULL, Job, Run
from .machine import Mode, holding, waiting
from .third import THIN, all_along

if TYPE_CHECKING:
    import random

FIRST = frozenset(CASES)


def _cold(job: Job, until: float, memory: float = 0.008) -> None:
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(memory))]
    job.stop(until)


@incident("a1-nccl-shared-memory")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 1, 4, framework="plain", every=15, minutes=2.2, papers={"log", "sacct", "dcgm"})
    _cold(job, job.end - 20)
    host = job.hosts[0]
    for rank in range(4):
        pid = job.pids[(host, rank)]
        job.say(
            60 + rank * 0.1,
            "",
            f"[{job.when(60):%Y-%m-%d %H:%M:%S}] {host}:{pid}:{pid + 200} [{rank}] misc/shmutils.cc:87 (ncclShmOpen) NCCL WARN Error: failed to extend /dev/shm/nccl-8f3XaQ to 33030532 bytes, error: No space left on device (28)",
            rank=rank,
        )
        talk.raised(
            job,
            61 + rank * 0.1,
            rank,
            [("/home/tnovak/run/train.py", 58, "main", "model = DDP(model, device_ids=[local_rank])")],
            "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nError: failed to extend /dev/shm/nccl-8f3XaQ to 33030532 bytes, error: No space left on device (28)",
        )
    talk.torchrun_fails(job, 63, 0, 1)
    fails(job)
    return job, Truth(
        "A1", "/dev/shm is too small for NCCL: an environment that must be changed, on every rank at the start"
    )


@incident("a1-first-then-refused")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=15, minutes=3, papers={"log", "sacct", "dcgm", "dmesg"})
    _cold(job, job.end - 20)
    talk.raised(
        job,
        52,
        0,
        [("/home/tnovak/run/train.py", 66, "main", "cfg = Config(**yaml.safe_load(open(args.config)))")],
        "TypeError: Config.__init__() got an unexpected keyword argument 'rope_scalling'",
    )
    talk.torchrun_fails(job, 53, 0, 1)
    for rank in range(8, 16):
        talk.raised(
            job,
            71 + 0.1 * rank,
            rank,
            [("/home/tnovak/run/train.py", 52, "main", 'dist.init_process_group("nccl")')],
            f"torch.distributed.DistNetworkError: The client socket has failed to connect to any network address of ({job.hosts[0]}, 29500). The client socket has failed to connect to {job.hosts[0]}:29500 (errno: 111 - Connection refused).",
        )
    talk.torchrun_fails(job, 74, 8, 1)
    fails(job)
    return job, Truth("A1", "a misspelt key ends rank 0; the second node then finds its store gone")


@incident("c1-agents-wait")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="titan", every=30, minutes=11.5, papers={"log", "sacct", "dcgm"})
    for node, host in enumerate(job.hosts[:2]):
        job.say(
            614 + node,
            "Traceback (most recent call last):",
            '  File "/opt/conda/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py", line 676, in run',
            "    raise RendezvousTimeoutError",
            "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
            f"srun: error: {host}: task {node}: Exited with exit code 1",
            rank=node * 8,
        )
    fails(job)
    return job, Truth(
        "C1", "two of four agents wait ten minutes for the others, whose word is not here; no worker was ever started"
    )


@incident("c2-seven-of-eight-by-watchdog")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng, "a100", 1, framework="hf", every=60, minutes=48, papers={"log", "sacct", "dcgm"}, options={"only": THIN}
    )
    talk.head(job, 9000)
    froze = job.end - 1900
    job.train(until=job.end - 30)
    talk.progress(job, 9000, froze)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.then(froze, holding(0.8) if rank == 7 else waiting(0.8))
    job.stop(job.end - 30)
    talk.watchdogs(job, froze + 1801, 88_120, list(range(7)), limit_s=1800, op="ALLGATHER")
    talk.torchrun_fails(job, froze + 1815, 0, -6, "sft.py")
    fails(job)
    return job, Truth(
        "C2", "seven ranks wait half an hour in an all-gather, the eighth idles; no profiling metrics", **blame(job, 7)
    )


@incident("c2-near-link-flap")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=30, minutes=130)
    sound(job)
    host = job.hosts[1]
    job.kernel_says(4000, host, "mlx5_core 0000:9b:00.0 mlx5_3: Port: 1 Link DOWN")
    job.kernel_says(4003, host, "mlx5_core 0000:9b:00.0 mlx5_3: Port: 1 Link ACTIVE")
    done(job)
    return job, Truth("G1", "a port was down for three seconds and NCCL retried; the run ended as planned")


@incident("d1-near-steady-third")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "l40s",
        1,
        4,
        framework="hf",
        every=10,
        minutes=80,
        step_s=0.3,
        options={"only": "GPU_UTIL FB_USED POWER_USAGE", "labels": "avg"},
    )
    all_along(job, lambda _, __, mode: replace(mode, engine=0.34, sm=0.2, tensor=0.08, dram=0.1))
    return job, Truth("G1", "a small model at a steady third of utilisation and three steps a second: slow at worst")


@incident("d1-util-alone-again")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h100",
        1,
        framework="titan",
        every=15,
        minutes=140,
        step_s=20.0,
        options={"only": "GPU_UTIL POWER_USAGE FB_USED FB_FREE", "dcgm": "metric"},
    )
    all_along(job, lambda _, __, mode: replace(mode, engine=0.05, sm=0.045, tensor=0.02, dram=0.019, step_s=20.0))
    return job, Truth(
        "D1",
        "a second of work in each 20 s, on all GPUs, by utilisation and power alone; the log tells the slow steps by its tps",
    )


@incident("d3-near-first-rank")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=30, minutes=120, step_s=2.0, options={"only": THIN})
    all_along(
        job, lambda rank, _, mode: mode if rank == 0 else replace(mode, tensor=mode.tensor * 0.9, dram=mode.dram * 0.92)
    )
    return job, Truth("G1", "rank 0 draws a twelfth more than the others, as it does a little more")


@incident("d3-power-of-two-nodes")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h200",
        2,
        framework="nemo",
        every=30,
        minutes=140,
        step_s=7.0,
        options={"only": "GPU_UTIL POWER_USAGE FB_USED GPU_TEMP SM_CLOCK", "labels": "avg"},
    )
    all_along(
        job,
        lambda rank, _, mode: (
            mode
            if rank == 13
            else replace(mode, engine=0.99, sm=mode.sm * 0.4, tensor=mode.tensor * 0.35, dram=mode.dram * 0.35)
        ),
    )
    host, _ = job.rank(13)
    return job, Truth(
        "D3",
        "full utilisation and full clocks everywhere, one GPU of sixteen draws 690 W, the others 390 W",
        nodes=(host,),
    )


@incident("f1-node-went-away-json")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h100",
        2,
        framework="nemo",
        every=60,
        minutes=160,
        papers={"log", "sacct", "dcgm"},
        options={"sacct": "json", "dcgm": "host"},
    )
    talk.head(job, 30_000)
    lost = job.end - 420
    job.train()
    talk.progress(job, 30_000, lost)
    host = job.hosts[1]
    for node, gpu in job.every_gpu():
        gpu.then(lost, Mode(gone=True) if node == host else waiting(0.8))
        gpu.plan.append((job.end - 30, Mode()))
    job.runs.append(Run(0, job.end, "NODE_FAIL", "0:0", "NODE_FAIL", "0:0"))
    return job, Truth(
        "F1",
        "a node was away for seven minutes and is back before the record ends; Slurm says NODE_FAIL",
        nodes=(host,),
    )


@incident("g1-polls-in-pipeline")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="megatron", every=30, minutes=110, metrics=FULL, step_s=9.0)
    all_along(
        job,
        lambda rank, _, mode: replace(
            mode, sm=0.62 if rank < 8 else 0.58, tensor=0.27 if rank < 8 else 0.25, dram=0.24
        ),
    )
    return job, Truth("G1", "two stages of a pipeline with a bubble of a third: usual")


NAMES = tuple(name for name in CASES if name not in FIRST)
