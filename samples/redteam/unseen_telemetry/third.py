"""The third slice: shared nodes, thinner or odder telemetry, milder faults, and other words for what came before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import talk
from .incidents import CASES, Truth, blame, done, fails, incident, sound
from .job import FULL, Job, Run
from .machine import Mode, holding, training, waiting

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from .machine import Gpu

FIRST = frozenset(CASES)
THIN = "GPU_UTIL FB_USED FB_FREE POWER_USAGE GPU_TEMP"


def cancelled(job: Job, second: float, due: str = "") -> None:
    job.say(
        second,
        f"slurmstepd: error: *** JOB {job.job_id} ON {job.hosts[0].split('.')[0]} CANCELLED AT {job.when(second):%Y-%m-%dT%H:%M:%S}{due} ***",
    )


def all_along(
    job: Job, change: Callable[[int, Gpu, Mode], Mode], step_s: float | None = None, ends: bool = True
) -> None:
    """A run to its planned end in which each GPU does what ``change`` makes of its work."""
    total = int((job.end - job.warm_s - 30) / (step_s or job.step_s))
    talk.head(job, total)
    job.train(until=job.end - 10)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        mode = gpu.at(job.warm_s + 1)
        other = change(rank, gpu, mode)
        gpu.plan = [(since, other if planned is mode else planned) for since, planned in gpu.plan]
    talk.progress(job, total, job.end - 15, step_s=step_s)
    if ends:
        done(job)


@incident("a1-neighbour-lost-its-gpu")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, 4, framework="plain", every=30, minutes=64, options={"labels": "hpc"})
    others = job.share(4)
    for gpu in others:
        gpu.plan = [(-2000, training(rng))]
    talk.head(job, 9000)
    hit = job.end - 30
    job.train(until=hit + 9)
    talk.progress(job, 9000, hit)
    lost = others[2]
    job.kernel_says(
        hit - 1300,
        job.hosts[0],
        f"NVRM: Xid (PCI:{lost.bus[4:].lower().removesuffix('.0')}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    )
    lost.xids.append((hit - 1300, 79))
    lost.then(hit - 1299, Mode(gone=True))
    talk.raised(
        job,
        hit,
        1,
        [("/home/tnovak/run/train.py", 207, "train", "metrics.update(acc=correct / seen)")],
        "ZeroDivisionError: division by zero",
    )
    talk.torchrun_fails(job, hit + 2, 1, 1)
    fails(job)
    return job, Truth(
        "A1", "a division by zero; twenty minutes earlier a GPU of another job on the node fell off the bus"
    )


@incident("a2-killed-by-nobody-known")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="nanogpt", every=30, minutes=71, options={"sacct": "short"})
    talk.head(job, 90_000)
    killed = job.end - 40
    job.train(until=killed + 10)
    talk.progress(job, 90_000, killed)
    talk.torchrun_fails(job, killed + 1, 5, -9)
    fails(job)
    return job, Truth("A2", "SIGKILL to rank 5 without a traceback; kernel and accounting do not tell who sent it")


@incident("a2-segfault-line")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="megatron", every=30, minutes=58, options={"dmesg": "journal"})
    talk.head(job, 9000)
    killed = job.end - 40
    job.train(until=killed + 10)
    talk.progress(job, 9000, killed)
    host, gpu = job.rank(9)
    job.kernel_says(
        killed,
        host,
        f"pt_main_thread[{job.pids[(host, gpu.index)]}]: segfault at 10 ip 00007f2a1c2f91d3 sp 00007ffd8a12b0c0 error 4 in libnccl.so.2.26.2[7f2a1bc00000+a31000] likely on CPU 41 (core 9, socket 0)",
    )
    talk.torchrun_fails(job, killed + 1, 9, -11, "pretrain_gpt.py")
    fails(job)
    return job, Truth("A2", "rank 9 died of a segmentation fault in NCCL's library")


@incident("b1-fragments")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "l40s",
        1,
        4,
        framework="hf",
        every=15,
        minutes=33,
        memory=0.96,
        options={"dcgm": "metric", "sacct": "json"},
    )
    talk.head(job, 9000)
    refused = job.end - 25
    job.train(until=refused + 8)
    talk.progress(job, 9000, refused)
    talk.raised(
        job,
        refused,
        3,
        [
            (
                "/opt/conda/lib/python3.11/site-packages/transformers/trainer.py",
                3745,
                "training_step",
                "self.accelerator.backward(loss, **kwargs)",
            )
        ],
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB. GPU 3 has a total capacity of 44.42 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this process has 43.20 GiB memory in use. Of the allocated memory 33.01 GiB is allocated by PyTorch, and 9.52 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
        prefix=False,
    )
    talk.torchrun_fails(job, refused + 2, 3, 1)
    fails(job)
    return job, Truth("B1", "two GiB were refused while nine lay reserved in pieces")


@incident("b2-double-bit-no-kernel-log")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=101, metrics=FULL, papers={"log", "sacct", "dcgm"})
    talk.head(job, 9000)
    hit = job.end - 80
    job.train(until=hit + 20)
    talk.progress(job, 9000, hit)
    _, gpu = job.rank(8)
    gpu.xids, gpu.dbe, gpu.remapped = [(hit, 48)], [(hit, 2)], [(hit, 1)]
    talk.raised(
        job,
        hit + 2,
        8,
        [("/home/tnovak/run/train.py", 214, "train", "out = model(batch)")],
        "RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    )
    talk.torchrun_fails(job, hit + 4, 8, 1)
    fails(job)
    return job, Truth(
        "B2",
        "the exporter's gauge turns to 48, double-bit errors are counted, CUDA says so; no kernel log",
        **blame(job, 8),
    )


@incident("b2-gauge-at-scrape-minute")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng, "h100", 2, framework="hf", every=60, minutes=140, papers={"log", "sacct", "dcgm"}, options={"dcgm": "host"}
    )
    talk.head(job, 90_000)
    hit = job.end - 150
    job.train(until=hit + 90)
    talk.progress(job, 90_000, hit)
    _, gpu = job.rank(3)
    gpu.xids = [(hit, 79)]
    talk.raised(
        job,
        hit + 20,
        3,
        [
            (
                "/opt/conda/lib/python3.11/site-packages/accelerate/accelerator.py",
                2473,
                "backward",
                "loss.backward(**kwargs)",
            )
        ],
        "torch.AcceleratorError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    )
    talk.torchrun_fails(job, hit + 24, 3, 1)
    fails(job)
    return job, Truth(
        "B2", "launch failures on rank 3, and the gauge of its GPU says 79; scraped once a minute", **blame(job, 3)
    )


@incident("b3-cooling-lost")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=30, minutes=160, step_s=4.0)
    talk.head(job, 9000)
    job.train(until=job.end - 12)
    begin = 4000.0
    for _, gpu in job.every_gpu():
        mode = gpu.at(begin)
        gpu.between(begin, job.end - 12, replace(mode, clock=0.6, hot_k=41))
        gpu.then(job.end - 10, Mode())
    talk.progress(job, 9000, job.end - 15, step_s=lambda second: 4.0 if second < begin else 6.6)
    talk.tail(job, job.end - 8)
    job.slurm_ends("COMPLETED")
    return job, Truth(
        "B3",
        "the cooling of both nodes fails: all GPUs near 90 C at six tenths of their clocks, steps 1.65 times as long",
        nodes=tuple(job.hosts),
    )


@incident("b3-a-quarter-of-one")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=150, metrics=FULL, step_s=3.0)
    talk.head(job, 9000)
    job.train(until=job.end - 12)
    begin = 3000.0
    host, gpu = job.rank(10)
    for _, each in job.every_gpu():
        mode = each.at(begin)
        slow = (
            replace(mode, clock=0.74, hot_k=38, reasons=0x20)
            if each is gpu
            else replace(mode, tensor=mode.tensor * 0.75, sm=mode.sm * 0.78, dram=mode.dram * 0.75)
        )
        each.between(begin, job.end - 12, slow)
        each.then(job.end - 10, Mode())
    talk.progress(job, 9000, job.end - 15, step_s=lambda second: 3.0 if second < begin else 4.0)
    done(job)
    return job, Truth(
        "B3",
        "software's thermal slowdown takes a quarter of one GPU's clock, steps are a third longer",
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(10,),
    )


@incident("b3-near-hot-neighbour")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, 4, framework="plain", every=30, minutes=130, metrics=FULL, options={"labels": "hpc"})
    for i, gpu in enumerate(job.share(4)):
        work = training(rng)
        gpu.plan = [(-2000, replace(work, clock=0.5, hot_k=48, reasons=0x60) if i == 1 else work)]
    sound(job)
    done(job)
    return job, Truth("G1", "a GPU of another job on the node is throttled; ours are not")


@incident("c1-name-unknown")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=18, papers={"log", "sacct", "dcgm"})
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(0.006))]
    job.stop(job.end - 40)
    for i in range(9):
        at = job.when(40 + 100 * i)
        job.say(
            40 + 100 * i,
            f"[W{at:%m%d %H:%M:%S}.{rng.randint(0, 10**9 - 1):09d} socket.cpp:764] [c10d] The IPv4 network addresses of ({job.hosts[0]}-ib0, 29500) cannot be retrieved (gai error: -2 - Name or service not known).",
            rank=8,
        )
    talk.raised(
        job,
        960,
        8,
        [
            ("/home/tnovak/run/train.py", 52, "main", 'dist.init_process_group("nccl")'),
            (
                "/opt/conda/lib/python3.11/site-packages/torch/distributed/rendezvous.py",
                189,
                "_create_c10d_store",
                "return TCPStore(",
            ),
        ],
        f"torch.distributed.DistNetworkError: The client socket has timed out after 900000ms while trying to connect to ({job.hosts[0]}-ib0, 29500).",
    )
    talk.torchrun_fails(job, 963, 8, 1)
    fails(job)
    return job, Truth("C1", "the master's name does not resolve on the second node, whose socket times out")


@incident("c1-refused-by-firewall")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=15, minutes=13, papers={"log", "sacct", "dcgm", "dmesg"})
    for _, gpu in job.every_gpu():
        gpu.plan = [(30, holding(0.009))]
    job.stop(job.end - 60)
    host = job.hosts[1]
    for local in range(8):
        pid, rank = job.pids[(host, local)], 8 + local
        job.say(
            600 + local,
            "",
            f"[{job.when(600 + local):%Y-%m-%d %H:%M:%S}] {host}:{pid}:{pid + 211} [{local}] misc/socket.cc:89 (socketFinalizeConnect) NCCL WARN socketPollConnect: connect to 10.31.0.4<52713> returned Connection timed out(110), exceeded error retry count after 35 attempts",
            rank=rank,
        )
        talk.raised(
            job,
            602 + local,
            rank,
            [
                (
                    "/opt/torchtitan/torchtitan/distributed/utils.py",
                    288,
                    "init_distributed",
                    "torch.distributed.all_reduce(torch.zeros(1, device=device))",
                )
            ],
            "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, remote process exited or there was a network error, NCCL version 2.27.3\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketPollConnect: connect to 10.31.0.4<52713> returned Connection timed out(110), exceeded error retry count after 35 attempts",
        )
    talk.torchrun_fails(job, 612, 8, 1, "torchtitan.train")
    fails(job)
    return job, Truth("C1", "the nodes cannot connect to each other for NCCL's bootstrap; nothing was ever launched")


@incident("c2-first-collective")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=30, minutes=16)
    talk.head(job, 9000)
    froze = 240.0
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.plan = [(30, holding(0.3)), (froze, holding(0.3) if rank == 6 else waiting(0.3))]
    job.stop(job.end - 60)
    for host in job.hosts:
        for local in range(8):
            job.say(
                100,
                f"{host}:{job.pids[(host, local)]}:{job.pids[(host, local)] + 90} [{local}] NCCL INFO ncclCommInitRank comm 0x55d0c0a1e0 rank {job.hosts.index(host) * 8 + local} nranks 16 cudaDev {local} nvmlDev {local} busId {job.gpus[host][local].bus[9:11].lower()}000 commId 0x9ad9b5e4ab2566da - Init COMPLETE",
            )
    talk.watchdogs(job, froze + 603, 2, [rank for rank in range(16) if rank != 6])
    talk.torchrun_fails(job, froze + 615, 0, -6)
    fails(job)
    return job, Truth(
        "C2",
        "the communicator was made, but rank 6 does not come to the first all-reduces",
        also=("C1",),
        **blame(job, 6),
    )


@incident("c2-by-power-alone")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h100",
        2,
        framework="plain",
        every=30,
        minutes=200,
        limit_min=200,
        options={"only": THIN, "labels": "avg", "dcgm": "metric"},
    )
    talk.head(job, 30_000)
    froze = job.end - 4300
    job.train()
    talk.progress(job, 30_000, froze)
    for rank, (_, gpu) in enumerate(job.every_gpu()):
        gpu.then(froze, holding(0.8) if rank == 4 else waiting(0.8))
    job.stop(job.end)
    cancelled(job, job.end, " DUE TO TIME LIMIT")
    job.runs.append(Run(0, job.end + 3, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    host, _ = job.rank(4)
    return job, Truth(
        "C2",
        "seventy minutes of full utilisation at a third of the power, one GPU at none; averages by host and GPU",
        nodes=(host,),
    )


@incident("c2-port-down")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="megatron", every=30, minutes=83)
    talk.head(job, 9000)
    froze = job.end - 120
    job.train(until=froze + 60)
    talk.progress(job, 9000, froze)
    host = job.hosts[2]
    for _, gpu in job.every_gpu():
        gpu.then(froze, waiting(0.8))
    job.stop(froze + 60)
    job.kernel_says(froze - 4, host, "mlx5_core 0000:9b:00.0 mlx5_3: Port: 1 Link DOWN")
    for rank in (0, 8, 24):
        node, local = divmod(rank, 8)
        job.say(
            froze + 22,
            "",
            f"[{job.when(froze + 22):%Y-%m-%d %H:%M:%S}] {job.hosts[node]}:{job.pids[(job.hosts[node], local)]}:77120 [{local}] transport/net_ib.cc:2236 NCCL WARN NET/IB: Got completion from peer 10.31.0.6<40411> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=129 req_type=Send localGid fe80::1 remoteGids fe80::2 hca mlx5_3",
            rank=rank,
        )
        talk.raised(
            job,
            froze + 24,
            rank,
            [
                (
                    "/opt/Megatron-LM/megatron/training/training.py",
                    1406,
                    "train_step",
                    "losses_reduced = forward_backward_func(",
                )
            ],
            "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, remote process exited or there was a network error, NCCL version 2.27.3\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nNET/IB: Got completion from peer 10.31.0.6<40411> with status=IBV_WC_RETRY_EXC_ERR(12)",
        )
    talk.torchrun_fails(job, froze + 26, 0, 1, "pretrain_gpt.py")
    fails(job)
    return job, Truth(
        "C2",
        "a port of InfiniBand went down on one node: its peers' sends are retried until they fail",
        also=("outside_families",),
        nodes=(host,),
    )


@incident("c3-one-of-a-shared-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng, "a100", 1, 1, framework="hf", every=30, minutes=220, limit_min=220, step_s=1.1, options={"labels": "hpc"}
    )
    for gpu in job.share(7):
        gpu.plan = [(-2000, training(rng))]
    talk.head(job, 60_000)
    job.train()
    talk.progress(job, 60_000, 5000)
    host, gpu = job.rank(0)
    gpu.then(5010, holding(0.8))
    job.stop(job.end)
    cancelled(job, job.end, " DUE TO TIME LIMIT")
    job.runs.append(Run(0, job.end + 3, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth(
        "C3",
        "our only GPU idles for two hours with its memory held; the other seven of the node are others' and busy",
        nodes=(host,),
        gpus=(gpu.uuid,),
        ranks=(0,),
    )


@incident("d1-gaps-of-three-seconds")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=10, minutes=90, step_s=4.4)
    all_along(job, lambda _, __, mode: replace(mode, engine=0.2, sm=0.17, tensor=0.08, dram=0.07, step_s=4.4))
    return job, Truth("D1", "work of 0.9 s, then 3.5 s of nothing, on all GPUs at every step")


@incident("d1-near-first-epoch")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="plain", every=15, minutes=150, step_s=1.6)
    total = 4600
    talk.head(job, total)
    job.train(until=job.end - 10)
    for _, gpu in job.every_gpu():
        mode = gpu.at(job.warm_s + 1)
        gpu.between(job.warm_s + 0.5, 1000, replace(mode, engine=0.15, sm=0.12, tensor=0.06, dram=0.05, step_s=10))
    first = talk.progress(job, total, 1000, step_s=10.0)
    job.say(1001, f"{job.when(1001):%Y-%m-%d %H:%M:%S} [INFO] cache.py:91 local cache is complete (412 GB)")
    talk.progress(job, total, job.end - 15, begin=1001, first=first)
    done(job)
    return job, Truth("G1", "a cold cache starves the first twelve minutes, then it is sound for two hours")


@incident("d2-fabric-default")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="titan", every=30, minutes=180, step_s=24.0)
    all_along(job, lambda _, __, mode: replace(mode, engine=0.995, sm=0.1, tensor=0.028, dram=0.03, link=3))
    return job, Truth("D2", "all GPUs wait alike in collectives: tensor pipes at 3 %, steps of 24 s, an mfu of 6 %")


@incident("d2-near-small-model")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="plain", every=30, minutes=100, step_s=0.2, metrics=FULL, memory=0.2)
    all_along(job, lambda _, __, mode: replace(mode, engine=0.58, sm=0.27, tensor=0.09, dram=0.16))
    return job, Truth("G1", "a small model that keeps its GPUs half busy, at five steps a second: slow at worst")


@incident("d3-power-twice")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, framework="plain", every=30, minutes=140, step_s=5.0, options={"only": THIN})
    all_along(
        job,
        lambda rank, _, mode: (
            mode
            if rank == 7
            else replace(mode, engine=0.995, sm=mode.sm * 0.3, tensor=mode.tensor * 0.3, dram=mode.dram * 0.3)
        ),
    )
    return job, Truth(
        "D3",
        "utilisation is full everywhere, but rank 7 draws almost twice the power of all others, all along",
        **blame(job, 7),
    )


@incident("d3-replays")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="plain", every=30, minutes=140, step_s=5.0)
    all_along(
        job,
        lambda rank, _, mode: (
            replace(mode, engine=0.46, sm=0.4, tensor=0.17, dram=0.15)
            if rank == 1
            else replace(mode, engine=0.995, sm=0.42, tensor=0.17, dram=0.16)
        ),
    )
    job.rank(1)[1].replays = [(200 + 60 * i, 812 * i) for i in range(140)]
    return job, Truth(
        "D3",
        "rank 1 replays on PCIe all along and comes late to each collective: its engine idles for half of a step",
        **blame(job, 1),
    )


@incident("e1-scale-at-one")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 1, framework="megatron", every=30, minutes=130)
    total = int((job.end - job.warm_s - 30) / job.step_s)
    talk.head(job, total)
    job.train(until=job.end - 10)
    talk.progress(
        job, total, job.end - 15, loss=lambda step: job.loss(step, total) if step < total * 0.3 else float("nan")
    )
    job.log = [
        (
            second,
            rank,
            line.replace("loss scale: 1.0", "loss scale: 65536.0" if "lm loss" in line else "loss scale: 1.0").replace(
                "skipped iterations:   0", "skipped iterations:   0" if "lm loss" in line else "skipped iterations:  10"
            ),
        )
        for second, rank, line in job.log
    ]
    done(job)
    return job, Truth("E1", "for seven tenths of the run every iteration is skipped, with a loss scale at 1")


@incident("e2-anew-in-own-words")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=60, minutes=300)
    cut, back = 9000.0, 9700.0
    talk.head(job, 30_000)
    job.train(until=cut)
    last = talk.progress(job, 30_000, cut - 10)
    cancelled(job, cut, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    for _, gpu in job.every_gpu():
        gpu.plan += [(back, holding(0.4)), (back + 200, job.work), (job.end - 10, Mode())]
    job.say(
        back + 60,
        f"{job.when(back + 60):%Y-%m-%d %H:%M:%S} [WARNING] train.py:138 --resume given but /lustre/run/latest does not exist; initialising weights",
    )
    talk.progress(job, int((job.end - back - 230) / job.step_s), job.end - 15, begin=back + 200)
    done(job)
    job.runs = [Run(0, cut, "NODE_FAIL", "0:0", "CANCELLED", "0:15"), Run(back, job.end, "COMPLETED")]
    return job, Truth("E2", f"requeued after {last} steps, told to resume, and begun from scratch", also=("F2", "F1"))


@incident("f1-batch-host")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 4, framework="titan", every=15, minutes=111, options={"sacct": "json"})
    talk.head(job, 30_000)
    lost = job.end - 310
    job.train()
    talk.progress(job, 30_000, lost)
    host = job.hosts[0]
    job.silent(host, lost)
    for node, gpu in job.every_gpu():
        if node != host:
            gpu.then(lost + 3, waiting(0.8))
            gpu.then(job.end, Mode())
    job.runs.append(Run(0, job.end, "NODE_FAIL", "0:0", "NODE_FAIL", "0:0"))
    return job, Truth(
        "F1", "the batch host itself went down: the log just stops, its series too, Slurm says NODE_FAIL", nodes=(host,)
    )


@incident("f2-node-fail-then-done")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="nemo", every=60, minutes=260)
    cut, back = 7000.0, 7900.0
    total = int((cut - job.warm_s) / job.step_s + (job.end - back - 260) / job.step_s)
    talk.head(job, total)
    job.train(until=cut)
    last = talk.progress(job, total, cut - 10)
    cancelled(job, cut, " DUE TO JOB REQUEUE")
    for _, gpu in job.every_gpu():
        gpu.plan += [(back, holding(0.4)), (back + 200, job.work), (job.end - 10, Mode())]
    job.say(
        back + 100,
        f"[NeMo I {job.when(back + 100):%Y-%m-%d %H:%M:%S} nemo_logging:393] Resuming training from checkpoint: /lustre/run/results/step={last}-last.ckpt",
        "Restored all states from the checkpoint at /lustre/run/results/step=-last.ckpt",
    )
    talk.progress(job, total, job.end - 15, begin=back + 200, first=last)
    done(job)
    job.runs = [Run(0, cut, "REQUEUED", "0:0", "CANCELLED", "0:15"), Run(back, job.end, "COMPLETED")]
    return job, Truth("F2", "requeued by an operator, resumed from its checkpoint, and finished")


@incident("f3-thin")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "h200",
        2,
        framework="titan",
        every=60,
        minutes=300,
        limit_min=300,
        options={"only": THIN, "labels": "avg", "dcgm": "metric", "scontrol": "1"},
    )
    talk.head(job, 90_000)
    job.train()
    talk.progress(job, 90_000, job.end - 3)
    cancelled(job, job.end, " DUE TO TIME LIMIT")
    job.runs.append(Run(0, job.end + 2, "TIMEOUT", "0:0", "CANCELLED", "0:15"))
    return job, Truth("F3", "it advanced until its limit; telemetry is averages by host and GPU")


@incident("g1-half-a-node")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 1, 4, framework="plain", every=30, minutes=120, options={"labels": "hpc"})
    for i, gpu in enumerate(job.share(4)):
        gpu.plan = [(-2000, training(rng)), (4000 + i, Mode())]
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run on half a node; the other half's job ends in its midst")


@incident("g1-pods")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, framework="titan", every=30, minutes=110, options={"labels": "k8s"})
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run whose series bear the labels of pods and times of scrapes")


@incident("g1-wide-window")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="plain", every=60, minutes=120, options={"before_s": "14000"})
    sound(job)
    for _, gpu in job.every_gpu():
        gpu.plan = [(-13_000, waiting(0.7)), (-3000, Mode()), *gpu.plan]
    done(job)
    return job, Truth("G1", "a sound run; the window begins hours before it, with a job of others that polled for long")


@incident("g1-generation-cycles")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng, "h100", 1, framework="plain", every=30, minutes=150, step_s=90.0, metrics=FULL, first=0.31, last=0.12
    )
    all_along(job, lambda _, __, mode: replace(mode, engine=0.9, sm=0.46, tensor=0.13, dram=0.41))
    return job, Truth(
        "G1", "reinforcement learning: steps of 90 s, mostly of generation, which reads memory and computes little"
    )


@incident("g1-averages-by-gpu")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(
        rng,
        "l40s",
        2,
        4,
        framework="hf",
        every=30,
        minutes=100,
        options={"labels": "avg", "dcgm": "metric", "sacct": "json"},
    )
    sound(job)
    done(job)
    return job, Truth("G1", "a sound run; the series were asked for as averages by host and GPU")


@incident("outside-quota")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "a100", 2, framework="nemo", every=30, minutes=87)
    talk.head(job, 9000)
    hit = job.end - 30
    job.train(until=hit + 8)
    talk.progress(job, 9000, hit)
    talk.raised(
        job,
        hit,
        0,
        [("/opt/NeMo/nemo/lightning/io/pl.py", 211, "save_checkpoint", "dist_checkpointing.save(")],
        "OSError: [Errno 122] Disk quota exceeded: '/home/tnovak/results/step=1199/__0_0.distcp'",
    )
    talk.torchrun_fails(job, hit + 2, 0, 1)
    fails(job)
    return job, Truth(None, "a save met the user's quota in mid-run", outcome="outside_families", also=("A1",))


@incident("nothing-temperatures-alone")
def _(rng: random.Random) -> tuple[Job, Truth]:
    job = Job(rng, "h100", 2, every=60, minutes=90, papers={"sacct", "dcgm"}, options={"only": "GPU_TEMP"})
    job.train(until=job.end - 5)
    fails(job)
    return job, Truth(None, "temperatures and FAILED: nothing tells why", outcome="cannot_decide")


NAMES = tuple(name for name in CASES if name not in FIRST)
