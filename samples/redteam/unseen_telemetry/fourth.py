"""The fourth slice: other words and numbers for what the first three showed, and twins beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import talk
from .incidents import CASES, Truth, blame, done, fails, incident, sound
from .job import FULL, Job, Run
from .machine import Mode, holding, waiting
from .third import all_along, cancelled

if TYPE_CHECKING:
    import random

FIRST = frozenset(CASES)


def _cold(job: Job, until: float, memory: float = 0.008) -> None:
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(memory))]
    job.stop(until)


@incident("c1-store-refused")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h200",
        4,
        framework="nemo",
        every=30,
        minutes=32,
        papers={"log", "sacct", "dcgm"},
        options={"sacct": "json"},
    )
    _cold(job, job.end - 50)
    for rank in (8, 16, 24):
        talk.raised(
            job,
            1815 + rank * 0.1,
            rank,
            [
                (
                    "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py",
                    151,
                    "_create_tcp_store",
                    "store = TCPStore(",
                )
            ],
            f"torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.\ntorch.distributed.DistNetworkError: The client socket has failed to connect to any network address of ({job.hosts[0]}, 29400). The client socket has failed to connect to {job.hosts[0]}:29400 (errno: 111 - Connection refused).",
            prefix=False,
        )
        job.say(1822, f"srun: error: {job.hosts[rank // 8]}: task {rank // 8}: Exited with exit code 1")
    fails(job)
    return job, Truth("C1", "three agents of four cannot reach the store of the first; nothing was ever launched")


@incident("c1-barrier-of-the-store")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 4, framework="plain", every=60, minutes=34, options={"log": "ranks"})
    _cold(job, job.end - 40, 0.011)
    for rank in range(24):
        talk.raised(
            job,
            1900 + rank * 0.05,
            rank,
            [
                ("/home/tnovak/run/train.py", 47, "main", 'dist.init_process_group("nccl")'),
                (
                    "/opt/conda/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py",
                    1361,
                    "init_process_group",
                    "_store_based_barrier(rank, store, group_name, world_size, timeout)",
                ),
            ],
            f"torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank {rank}, for key: store_based_barrier_key:1 (world_size=32, num_workers_joined=24, timeout=0:30:00)",
            prefix=False,
        )
    fails(job)
    return job, Truth("C1", "24 of 32 ranks wait half an hour for the rest; nothing was ever launched")


@incident("c1-near-import-error-on-one-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=16, papers={"log", "sacct", "dcgm"})
    for gpu in job.gpus[job.hosts[0]]:
        gpu.plan = [(30, holding(0.008))]
    job.stop(job.end - 30)
    for rank in range(8, 16):
        talk.raised(
            job,
            14 + 0.01 * rank,
            rank,
            [("/home/tnovak/run/train.py", 9, "<module>", "import flash_attn")],
            "ModuleNotFoundError: No module named 'flash_attn'",
        )
    talk.torchrun_fails(job, 16, 8, 1)
    talk.raised(
        job,
        915,
        0,
        [("/home/tnovak/run/train.py", 52, "main", 'dist.init_process_group("nccl", timeout=timedelta(minutes=15))')],
        "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 8/16 clients joined.",
    )
    talk.torchrun_fails(job, 918, 0, 1)
    fails(job)
    return job, Truth("A1", "a package is missing on the second node; the first waits for it in vain")


@incident("c2-mismatch-of-sizes")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="megatron", every=30, minutes=66)
    talk.head(job, 9000)
    froze = job.end - 1300
    job.train(until=job.end - 30)
    last = talk.progress(job, 9000, froze)
    for _, gpu in job.every_gpu():
        gpu.then(froze, waiting(0.8))
    job.stop(job.end - 30)
    talk.watchdogs(
        job,
        froze + 1203,
        last * 30,
        [rank for rank in range(16) if rank != 11],
        limit_s=1200,
        op="_REDUCE_SCATTER_BASE",
    )
    talk.watchdogs(job, froze + 1204, last * 30 - 1, [11], limit_s=1200, op="_ALLGATHER_BASE")
    talk.torchrun_fails(job, froze + 1215, 0, -6, "pretrain_gpt.py")
    fails(job)
    host, gpu = job.rank(11)
    return job, Truth(
        "C2",
        "rank 11 is still in the collective before the one that all others wait in",
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(11,),
    )


@incident("c2-first-collective-no-trace")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=15, minutes=18, papers={"log", "sacct", "dcgm"})
    talk.head(job, 9000)
    froze = 300.0
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.plan = [(30, holding(0.3)), (froze, holding(0.3) if rank == 12 else waiting(0.3))]
    job.stop(job.end - 60)
    talk.watchdogs(job, froze + 601, 1, [rank for rank in range(16) if rank != 12], op="BROADCAST")
    talk.torchrun_fails(job, froze + 612, 0, -6, "torchtitan.train")
    fails(job)
    return job, Truth(
        "C2",
        "rank 12 does not come to the first broadcast; its GPU idles while the others poll",
        also=("C1",),
        **blame(job, 12),
    )


@incident("c2-switch-lost")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="plain", every=30, minutes=121)
    talk.head(job, 9000)
    froze = job.end - 700
    job.train(until=job.end - 40)
    last = talk.progress(job, 9000, froze)
    for _, gpu in job.every_gpu():
        gpu.then(froze, waiting(0.8))
    job.stop(job.end - 40)
    for host in job.hosts[:2]:
        job.kernel_says(
            froze - 2,
            host,
            "mlx5_core 0000:0c:00.0 mlx5_0: Port: 1 Link DOWN",
            "mlx5_core 0000:2a:00.0 mlx5_1: Port: 1 Link DOWN",
        )
    talk.watchdogs(job, froze + 602, last * 12, list(range(32)))
    talk.torchrun_fails(job, froze + 620, 0, -6)
    fails(job)
    return job, Truth("C2", "links of two nodes went down, all ranks wait until the watchdogs end them")


@incident("d3-power-half")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "a100",
        2,
        framework="titan",
        every=15,
        minutes=120,
        step_s=6.0,
        options={"only": "GPU_UTIL POWER_USAGE FB_USED", "dcgm": "metric"},
    )
    all_along(
        job,
        lambda rank, _, mode: (
            mode
            if rank == 3
            else replace(mode, engine=0.99, sm=mode.sm * 0.42, tensor=mode.tensor * 0.4, dram=mode.dram * 0.4)
        ),
    )
    return job, Truth(
        "D3", "all utilised alike, rank 3 draws 340 W, the other fifteen 200 W, all along", **blame(job, 3)
    )


@incident("d3-near-power-by-slot")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "a100",
        2,
        framework="titan",
        every=15,
        minutes=120,
        step_s=2.0,
        options={"only": "GPU_UTIL POWER_USAGE FB_USED", "dcgm": "metric"},
    )
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.chip = 1.09 if rank == 3 else gpu.chip
    sound(job)
    done(job)
    return job, Truth("G1", "rank 3's board draws a tenth more than the others for the same work, as boards do")


@incident("d3-narrow-link")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "l40s", 2, 4, framework="plain", every=30, minutes=120, step_s=3.0, metrics=FULL)
    all_along(
        job,
        lambda rank, _, mode: (
            replace(mode, engine=0.37, sm=0.3, tensor=0.14, dram=0.13)
            if rank == 5
            else replace(mode, engine=0.995, sm=0.36, tensor=0.14, dram=0.13)
        ),
    )
    job.kernel_says(
        -8000,
        job.hosts[1],
        "nvidia 0000:2d:00.0: 15.752 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x2 link at 0000:2a:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)",
    )
    return job, Truth("D3", "one card sits on a link of two lanes and is late to every collective", **blame(job, 5))


@incident("b2-sxid-switch")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="titan", every=15, minutes=92)
    talk.head(job, 9000)
    hit = job.end - 60
    job.train(until=hit + 20)
    talk.progress(job, 9000, hit)
    host = job.hosts[0]
    job.kernel_says(
        hit,
        host,
        "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 12028, Data {0x00000004, 0x00000004, 0x00000000}, egress non-posted PRIV error",
        "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 41 LTSSM Fault Up",
    )
    talk.xid(
        job,
        hit + 0.5,
        host,
        6,
        74,
        "NVLink: fatal error detected on link 3(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)",
        process=False,
    )
    talk.raised(
        job,
        hit + 2,
        6,
        [("/opt/torchtitan/torchtitan/train.py", 512, "train_step", "loss.backward()")],
        "torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution",
    )
    talk.torchrun_fails(job, hit + 4, 6, 1, "torchtitan.train")
    fails(job)
    return job, Truth("B2", "a switch of NVLink reports a fatal fault, and GPU 6 loses a link", **blame(job, 6))


@incident("b3-power-supply")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h200", 2, framework="nemo", every=30, minutes=140, step_s=5.0)
    talk.head(job, 9000)
    job.train(until=job.end - 12)
    begin, host = 3500.0, job.hosts[0]
    for node, gpu in job.every_gpu():
        mode = gpu.at(begin)
        gpu.between(
            begin,
            job.end - 12,
            replace(mode, clock=0.42)
            if node == host
            else replace(mode, tensor=mode.tensor * 0.45, sm=mode.sm * 0.5, dram=mode.dram * 0.45),
        )
        gpu.then(job.end - 10, Mode())
    talk.progress(job, 9000, job.end - 15, step_s=lambda second: 5.0 if second < begin else 11.0)
    talk.tail(job, job.end - 8)
    job.slurm_ends("COMPLETED")
    return job, Truth(
        "B3",
        "one node's clocks fall to two fifths while it is cool: a power supply is gone; steps take 2.2 times as long",
        nodes=(host,),
    )


@incident("d1-by-utilisation-alone")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "a100",
        2,
        framework="hf",
        every=10,
        minutes=110,
        step_s=12.0,
        options={"only": "GPU_UTIL FB_USED POWER_USAGE", "labels": "avg"},
    )
    all_along(job, lambda _, __, mode: replace(mode, engine=0.06, sm=0.05, tensor=0.024, dram=0.022, step_s=12.0))
    return job, Truth("D1", "bursts of work of 0.7 s every 12 s on all GPUs, by utilisation and power alone")


@incident("f1-drained-under-way")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 4, framework="plain", every=30, minutes=150)
    sound(job)
    host = job.hosts[2].split(".")[0]
    done(job)
    job.options["node"] = (
        f"NodeName={host} Arch=x86_64 CoresPerSocket=64\n   CPUAlloc=96 CPUEfctv=128 CPUTot=128 CPULoad=11.02\n   Gres=gpu:a100:8\n   State=ALLOCATED+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   BootTime={job.when(-400_000):%Y-%m-%dT%H:%M:%S} SlurmdStartTime={job.when(-399_000):%Y-%m-%dT%H:%M:%S}\n   Reason=NHC: check_fs_used /tmp [root@{job.when(5000):%Y-%m-%dT%H:%M:%S}]\n"
    )
    return job, Truth("G1", "a node was drained by a health check while the job ran; it went on to its planned end")


@incident("g1-ends-early-by-plan")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=30, minutes=120)
    sound(job)
    job.say(
        job.end - 12,
        f"{job.when(job.end - 12):%Y-%m-%d %H:%M:%S} [INFO] train.py:240 early stopping: validation loss did not improve for 5 evaluations",
    )
    done(job)
    return job, Truth("G1", "stopped early by its own rule, and said so")


@incident("f2-signal-and-self-requeue")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="plain", every=60, minutes=300, limit_min=120)
    cut, back = 7080.0, 7600.0
    total = int((cut - job.warm_s) / job.step_s + (job.end - back - 260) / job.step_s)
    talk.head(job, total)
    job.train(until=cut)
    last = talk.progress(job, total, cut - 60)
    job.say(
        cut - 50,
        f"{job.when(cut - 50):%Y-%m-%d %H:%M:%S} [INFO] train.py:300 received SIGUSR1, saving and requeueing job {job.job_id}",
        f"{job.when(cut - 5):%Y-%m-%d %H:%M:%S} [INFO] train.py:308 checkpoint step {last} written; scontrol requeue {job.job_id}",
    )
    cancelled(job, cut, " DUE TO JOB REQUEUE")
    for _, gpu in job.every_gpu():
        gpu.plan += [(back, holding(0.4)), (back + 200, job.work), (job.end - 10, Mode())]
    job.say(back + 90, f"{job.when(back + 90):%Y-%m-%d %H:%M:%S} [INFO] train.py:140 resumed from step {last}")
    talk.progress(job, total, job.end - 15, begin=back + 200, first=last)
    done(job)
    job.runs = [Run(0, cut, "REQUEUED", "0:0", "CANCELLED", "0:15"), Run(back, job.end, "COMPLETED")]
    return job, Truth("F2", "it requeued itself before its limit, resumed and finished")


NAMES = tuple(name for name in CASES if name not in FIRST)
