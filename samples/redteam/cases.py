"""The incidents: for each family positives, near misses that look alike, and twins whose evidence is missing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from . import writers
from .fleet import OFF, RESIDENT, SAVE, SPIN, TRAIN, Work, scaled
from .incident import Incident, Truth

Build = Callable[[random.Random], tuple[Incident, Truth]]
CASES: dict[str, Build] = {}


def case(build: Build) -> Build:
    """Register under the function's name."""
    CASES[build.__name__.replace("_", "-")] = build
    return build


def undecidable(why: str, also: list[str] | None = None) -> Truth:
    return Truth(None, "cannot_decide", "unknown", why=why, also=also or [])


def ordinary(
    c: Incident, rng: random.Random, blocks: int | None = None, steps: int | None = None, step_s: float | None = None
) -> float:
    """A stretch of healthy training with saves and evaluations now and then; returns the step time."""
    s = step_s or rng.uniform(1.2, 6.0)
    blocks = blocks or rng.randint(2, 4)
    per = steps or max(40, int(rng.uniform(500, 1500) / s))
    for b in range(blocks):
        c.train(per, s)
        if b < blocks - 1:
            c.save(rng.uniform(12, 60))
            if rng.random() < 0.5:
                c.evaluate(rng.uniform(20, 90))
    return s


def plan(c: Incident, total: int = 20000) -> None:
    c.total = total


ELASTIC = "torch/distributed/elastic/multiprocessing"


def torchrun_summary(
    c: Incident, rank: int, code: int, signal: str = "", t: float | None = None, others: list[int] | None = None
) -> None:
    """Torchrun's last words on the node of the failing rank."""
    when = c.t if t is None else t
    wall = writers.local(when, c.offset)
    tail = f"exitcode  : {code} (pid: {41000 + rank})" + (f"  ({signal})" if signal else " ")
    trace = (
        f"Signal {-code} ({signal}) received by PID {41000 + rank}"
        if signal
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    for o in others or []:
        c.log(
            f"W{wall:%m%d %H:%M:%S}.263000 40961 {ELASTIC}/api.py:900] Sending process {41000 + o} closing signal SIGTERM",
            when,
        )
    for line in [
        f"E{wall:%m%d %H:%M:%S}.381000 40961 {ELASTIC}/api.py:874] failed (exitcode: {code}) local_rank: {rank % c.g} (pid: {41000 + rank}) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 33, in <module>',
        "    sys.exit(load_entry_point('torch', 'console_scripts', 'torchrun')())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {wall:%Y-%m-%d_%H:%M:%S}",
        f"  host      : {c.nodes[rank // c.g]}",
        f"  rank      : {rank} (local_rank: {rank % c.g})",
        f"  {tail}",
        "  error_file: <N/A>",
        f"  traceback : {trace}",
        "============================================================",
    ]:
        c.log(line, when)
    c.log(f"srun: error: {c.nodes[rank // c.g]}: task {rank // c.g}: Exited with exit code 1", when + 1)


def traceback(c: Incident, rank: int, frames: list[tuple[str, int, str, str]], error: str, prefix: bool = True) -> None:
    p = f"[rank{rank}]: " if prefix else ""
    c.log(f"{p}Traceback (most recent call last):")
    for file, line, fn, code in frames:
        c.log(f'{p}  File "{file}", line {line}, in {fn}')
        c.log(f"{p}    {code}")
    c.log(f"{p}{error}")


MAIN = ("/workspace/train.py", 412, "<module>", "main()")


def watchdog(
    c: Incident,
    survivors: list[int],
    seq: int,
    op: str = "ALLREDUCE",
    minutes: int = 10,
    numel: int = 26214400,
    t: float | None = None,
) -> None:
    when = c.t if t is None else t
    for r in survivors:
        wall = writers.local(when + 0.02 * r, c.offset)
        head = f"[rank{r}]:[E{wall:%m%d %H:%M:%S}.{int(when * 1e9) % 10**9:09d} ProcessGroupNCCL.cpp:632] "
        c.log(
            head
            + f"[Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={minutes * 60000}) ran for {minutes * 60000 + 41} milliseconds before timing out.",
            when + 0.02 * r,
        )
        c.log(
            head
            + f"[PG ID 0 PG GUID 0(default_pg) Rank {r}] failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 3}, last completed work: {seq - 1}",
            when + 0.02 * r,
        )
        c.log(head + f"[Rank {r}] To avoid data inconsistency, we are taking the entire process down.", when + 0.03 * r)


# ---- A1 -----------------------------------------------------------------------------------------------------------------


@case
def a1_peft(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a1-peft", "positive", rng, framework="hf")
    c.boot_job(load_s=25, compile_s=0, total=1000)
    c.lines = [
        x
        for x in c.lines
        if "Running training" not in x[1]
        and "Num " not in x[1]
        and "Total" not in x[1]
        and "Gradient Acc" not in x[1]
        and "Instantaneous" not in x[1]
    ]
    c.phases[-1].work = OFF
    for r in range(c.n * c.g):
        traceback(
            c,
            r,
            [
                MAIN,
                (
                    "/opt/conda/lib/python3.11/site-packages/peft/tuners/tuners_utils.py",
                    553,
                    "inject_adapter",
                    "raise ValueError(error_msg)",
                ),
            ],
            "ValueError: Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again.",
            prefix=False,
        )
    torchrun_summary(c, 0, 1)
    c.account("FAILED", "1:0")
    return c, Truth("A1", attribution="job", why="same ValueError on all ranks before any kernel")


@case
def a1_dataset(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a1-dataset", "positive", rng, framework="megatron", gpus=8)
    c.boot_job(load_s=30, compile_s=0)
    c.lines = [
        x
        for x in c.lines
        if "dataloaders" not in x[1]
        and "setup" not in x[1]
        and "training ..." not in x[1]
        and "before the start" not in x[1]
    ]
    traceback(
        c,
        3,
        [
            MAIN,
            (
                "/workspace/megatron/core/datasets/indexed_dataset.py",
                382,
                "__init__",
                "self.initialize(path_prefix, multimodal, mmap, object_storage_config)",
            ),
        ],
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/pile/pile_text_document.idx'",
    )
    torchrun_summary(c, 3, 1)
    c.account("FAILED", "1:0")
    return c, Truth("A1", attribution="job", why="data set missing at start-up")


@case
def a1_port(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a1-port", "near_miss", rng, framework="plain", nodes=1, gpus=8)
    c.phase("import", 24, OFF)
    c.trainer = writers.Trainer("plain", c.offset, 100, 1, 8)
    traceback(
        c,
        0,
        [MAIN, ("/workspace/train.py", 71, "main", 'dist.init_process_group("nccl")')],
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use",
        prefix=False,
    )
    c.log(f"srun: error: {c.nodes[0]}: task 0: Exited with exit code 1", c.t + 1)
    c.account("FAILED", "1:0")
    return c, Truth(
        "A1",
        attribution="job",
        why="looks like rendezvous, but the port is taken: an exact exception at once",
        also=["C1"],
    )


@case
def a1_mid_run(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a1-mid-run", "near_miss", rng)
    c.boot_job()
    ordinary(c, rng)
    bad = rng.randrange(c.n * c.g)
    traceback(
        c,
        bad,
        [
            MAIN,
            (
                "/workspace/data/collate.py",
                88,
                "pad",
                "assert len(ids) <= self.max_len, f'sequence {i} has {len(ids)} tokens'",
            ),
        ],
        "AssertionError: sequence 17 has 8213 tokens",
    )
    torchrun_summary(c, bad, 1)
    c.account("FAILED", "1:0")
    return c, Truth("A1", attribution="job", sub_mode="mid_run", why="own code raises after training began")


@case
def a1_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a1-no-log", "missing", rng)
    c.boot_job(load_s=30, compile_s=0)
    c.phases[-1].work = OFF
    c.logs["train"] = False
    c.account("FAILED", "1:0")
    return c, undecidable("cold GPUs and exit 1, but no log: which exception, or whether one, is unknown")


# ---- A2 -----------------------------------------------------------------------------------------------------------------


@case
def a2_host_oom(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a2-host-oom", "positive", rng, nodes=1, gpus=rng.choice([4, 8]))
    c.boot_job()
    ordinary(c, rng)
    bad = rng.randrange(c.g)
    c.dmesg(c.t, 0, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0")
    c.dmesg(c.t, 0, "memory: usage 536870912kB, limit 536870912kB, failcnt 91281")
    c.dmesg(
        c.t,
        0,
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{c.job},task_memcg=/system.slice/slurmstepd.scope/job_{c.job}/step_0/user/task_0,task=python3,pid={41000 + bad},uid=2001",
    )
    c.dmesg(
        c.t,
        0,
        f"Memory cgroup out of memory: Killed process {41000 + bad} (python3) total-vm:181025364kB, anon-rss:91314060kB, file-rss:80032kB, shmem-rss:0kB, UID:2001 pgtables:2100kB oom_score_adj:0",
    )
    c.t += 3
    torchrun_summary(c, bad, -9, "SIGKILL", others=[r for r in range(c.g) if r != bad])
    c.log(
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={c.job}.0. Some of the step tasks have been OOM Killed.",
        c.t + 2,
    )
    c.account("OUT_OF_MEMORY", "0:125")
    c.quiet_kernel()
    return c, Truth("A2", attribution="job", why="the job's cgroup limit; SIGKILL without traceback")


@case
def a2_segfault(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a2-segfault", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    bad = rng.randrange(c.n * c.g)
    c.dmesg(
        c.t,
        bad // c.g,
        f"python3[{41000 + bad}]: segfault at 18 ip 00007fcf71985ad8 sp 00007ffca5f09948 error 4 in libtorch_cpu.so[167ad8,7fcf71844000+156000] likely on CPU 3 (core 3, socket 0)",
    )
    c.log("Fatal Python error: Segmentation fault")
    c.t += 2
    torchrun_summary(c, bad, -11, "SIGSEGV")
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, Truth("A2", attribution="job", why="native crash, SIGSEGV, no Python traceback", also=[])


@case
def a2_teardown_kills(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a2-teardown-kills", "near_miss", rng, nodes=1)
    c.boot_job()
    ordinary(c, rng)
    bad = rng.randrange(c.g)
    gib = c.board.memory_mib / 1024
    traceback(
        c,
        bad,
        [MAIN, ("/workspace/model.py", 210, "forward", "h = self.mlp(self.norm2(h))")],
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU {bad} has a total capacity of {gib:.2f} GiB of which 1.12 GiB is free. Process {41000 + bad} has {gib - 1.4:.2f} GiB memory in use. Of the allocated memory {gib - 4:.2f} GiB is allocated by PyTorch, and 1.21 GiB is reserved by PyTorch but unallocated.",
    )
    for r in range(c.g):
        if r != bad:
            wall = writers.local(c.t + 30, c.offset)
            c.log(
                f"W{wall:%m%d %H:%M:%S}.263000 40961 {ELASTIC}/api.py:916] Unable to shutdown process {41000 + r} via SIGTERM, forcefully exiting via SIGKILL",
                c.t + 30,
            )
    torchrun_summary(c, bad, 1)
    c.phase("hang", 31, SPIN)
    c.account("FAILED", "1:0")
    return c, Truth("B1", attribution="job", why="SIGKILLs are the launcher's teardown; the first failure is CUDA OOM")


@case
def a2_silent_end(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("a2-silent-end", "missing", rng)
    c.boot_job()
    ordinary(c, rng)
    return c, undecidable("log stops at a step, GPUs go idle, no exit status, no kernel log: who ended it is unknown")


# ---- B1 -----------------------------------------------------------------------------------------------------------------


@case
def b1_forward(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b1-forward", "positive", rng)
    c.memory_share = 0.86
    c.boot_job()
    ordinary(c, rng)
    bad = rng.randrange(c.n * c.g)
    gib = c.board.memory_mib / 1024
    traceback(
        c,
        bad,
        [
            MAIN,
            ("/workspace/train.py", 233, "train", "loss = model(batch)"),
            ("/workspace/model.py", 210, "forward", "att = F.softmax(att, dim=-1)"),
        ],
        f"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 GiB. GPU {bad % c.g} has a total capacty of {gib:.2f} GiB of which {gib * 0.12:.2f} GiB is free. Including non-PyTorch memory, this process has {gib * 0.87:.2f} GiB memory in use. Of the allocated memory {gib * 0.8:.2f} GiB is allocated by PyTorch, and 2.10 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.",
    )
    torchrun_summary(c, bad, 1)
    c.account("FAILED", "1:0")
    return c, Truth("B1", attribution="job", why="one refused request; the sampled peak stays below capacity")


@case
def b1_then_watchdog(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b1-then-watchdog", "positive", rng, nodes=2, gpus=4, framework="plain")
    c.boot_job()
    ordinary(c, rng)
    bad = rng.randrange(8)
    gib = c.board.memory_mib / 1024
    traceback(
        c,
        bad,
        [
            MAIN,
            (
                "/opt/conda/lib/python3.10/site-packages/torch/optim/adamw.py",
                176,
                "step",
                "state['exp_avg'] = torch.zeros_like(p)",
            ),
        ],
        f"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU {bad % 4}; {gib:.2f} GiB total capacity; {gib - 2:.2f} GiB already allocated; 210.50 MiB free; {gib - 1:.2f} GiB reserved in total by PyTorch)",
    )
    torchrun_summary(c, bad, 1, others=[r for r in range(8) if r // 4 == bad // 4 and r != bad])
    other = 1 - bad // 4
    c.change(c.t, c.t + 605, node=other, work=SPIN)
    c.change(c.t, c.t + 605, node=1 - other, work=OFF)
    c.phase("hang", 600, SPIN)
    watchdog(c, list(range(other * 4, other * 4 + 4)), 8123)
    c.phase("teardown", 5, OFF)
    c.account("FAILED", "1:0")
    return c, Truth(
        "B1", attribution="job", why="OOM on one rank first; the other node's watchdog is the cascade", also=["C2"]
    )


@case
def b1_handled(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b1-handled", "near_miss", rng, framework="plain")
    c.boot_job(compile_s=0)
    c.log(
        c.trainer.plain(
            c.t,
            "batch size 16 does not fit: CUDA out of memory. Tried to allocate 9.20 GiB. Retrying with batch size 8",
        )
    )
    ordinary(c, rng)
    c.finish()
    return c, Truth("G1", attribution="none", why="an OOM that the batch-size finder handled; the run ended as planned")


@case
def b1_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b1-no-log", "missing", rng)
    c.memory_share = 0.985
    c.boot_job()
    ordinary(c, rng)
    c.logs["train"] = False
    c.account("FAILED", "1:0")
    return c, undecidable(
        "memory nearly full and exit 1, without a log: full memory is normal with a caching allocator"
    )


# ---- B2 -----------------------------------------------------------------------------------------------------------------


def hardware(c: Incident, rng: random.Random, log: str = "cuda") -> tuple[int, int, int, float]:
    """A healthy stretch that ends at a hardware fault of one GPU; returns node, gpu, rank, time."""
    c.boot_job()
    ordinary(c, rng)
    node, gpu = rng.randrange(c.n), rng.randrange(c.g)
    return node, gpu, node * c.g + gpu, c.t


def cuda_error(c: Incident, rank: int, text: str) -> None:
    traceback(
        c,
        rank,
        [
            MAIN,
            ("/workspace/train.py", 240, "train", "loss.backward()"),
            (
                "/opt/conda/lib/python3.11/site-packages/torch/autograd/graph.py",
                825,
                "_engine_run_backward",
                "return Variable._execution_engine.run_backward(",
            ),
        ],
        f"RuntimeError: CUDA error: {text}",
    )
    c.log(
        f"[rank{rank}]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
    )


def b2_truth(c: Incident, node: int, gpu: int, why: str) -> Truth:
    return Truth("B2", attribution="infrastructure", nodes=[c.nodes[node]], gpus=[c.uuids[node][gpu]], why=why)


@case
def b2_xid79(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-xid79", "positive", rng)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(t, node, gpu, 79, "GPU has fallen off the bus.", gauge=False)
    c.dmesg(t + 0.1, node, f"NVRM: GPU 0000:{c.bus[gpu].lower()}:00.0: GPU has fallen off the bus.")
    c.xid(
        t + 1, node, gpu, 154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", gauge=False
    )
    c.change(t, node=node, gpu=gpu, gone=True)
    cuda_error(c, rank, "unspecified launch failure")
    c.phase("hang", 20, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, b2_truth(c, node, gpu, "XID 79 at the end, the GPU's series stop")


@case
def b2_dbe(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-dbe", "positive", rng, ecc=True)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(t, node, gpu, 48, "DBE (double bit error) ECC Error detected: 0x1f, HBM", pid=41000 + rank)
    c.xid(t + 0.3, node, gpu, 63, "Row Remapper: New row (0x0000000a12) marked for remapping, reset gpu to activate.")
    c.xid(t + 0.5, node, gpu, 45, "Ch 00000008", pid=41000 + rank)
    c.count(t, node, gpu, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 1)
    c.count(t, node, gpu, "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 1)
    cuda_error(c, rank, "uncorrectable ECC error encountered")
    c.phase("hang", 25, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, b2_truth(c, node, gpu, "volatile DBE 0 to 1, XID 48 and 63 at the abnormal end")


@case
def b2_contained(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-contained", "positive", rng, board=rng.choice(["a100", "h100"]))
    node, gpu, rank, t = hardware(c, rng)
    uncontained = rng.random() < 0.5
    c.xid(
        t,
        node,
        gpu,
        95 if uncontained else 94,
        "Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No"
        if uncontained
        else "Contained: CE User Channel (0x9). RST: No, D-RST: No",
        pid=41000 + rank,
    )
    for k in range(6):
        c.xid(t + 0.4 + k / 50, node, gpu, 45, f"Ch 000000{k:02x}", pid=41000 + rank, gauge=False)
    cuda_error(c, rank, "uncorrectable ECC error encountered")
    c.phase("hang", 15, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, b2_truth(c, node, gpu, "XID 94/95 then the CUDA ECC error on that rank")


@case
def b2_nvlink(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-nvlink", "positive", rng, gpus=8, board="h100")
    node, gpu, rank, t = hardware(c, rng)
    c.xid(t, node, gpu, 74, "NVLink: fatal error detected on link 5(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")
    c.count(t, node, gpu, "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 211)
    cuda_error(c, rank, "uncorrectable NVLink error detected during the execution")
    c.phase("hang", 15, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, b2_truth(c, node, gpu, "XID 74 fatal and CUDA's NVLink error")


@case
def b2_remap_failure(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-remap-failure", "positive", rng, board=rng.choice(["a100", "h100"]), ecc=True)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(t, node, gpu, 64, "Row Remapper: Failed to remap row, no spare rows in bank")
    c.count(t, node, gpu, "DCGM_FI_DEV_ROW_REMAP_FAILURE", 1)
    c.count(t, node, gpu, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 1)
    cuda_error(c, rank, "uncorrectable ECC error encountered")
    c.phase("hang", 15, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    return c, b2_truth(c, node, gpu, "row remap failure turned 1 at the end with XID 64")


@case
def b2_metrics_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-metrics-only", "positive", rng, ecc=True)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(t - 5, node, gpu, 48, "", dmesg=False)
    c.count(t - 5, node, gpu, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 2)
    cuda_error(c, rank, "uncorrectable ECC error encountered")
    c.phase("hang", 40, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    return c, b2_truth(c, node, gpu, "no kernel log: XID gauge 0 to 48 and volatile DBE 0 to 2 at the end")


@case
def b2_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-no-log", "positive", rng, ecc=True)
    node, gpu, _rank, t = hardware(c, rng)
    c.xid(t - 2, node, gpu, 48, "", dmesg=False)
    c.count(t - 2, node, gpu, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 1)
    c.phase("hang", 45, SPIN)
    c.logs["train"] = False
    c.account("FAILED", "1:0")
    return c, b2_truth(c, node, gpu, "metrics and scheduler agree: a new DBE within seconds of an abnormal end")


@case
def b2_frozen(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-frozen", "positive", rng, profiled=True, gpus=8)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(
        t,
        node,
        gpu,
        119,
        "Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20803032 0x58c).",
        pid=41000 + rank,
        gauge=False,
    )
    c.xid(t + 40, node, gpu, 79, "GPU has fallen off the bus.", gauge=False)
    c.change(t, node=node, gpu=gpu, gone=True)
    c.phase("hang", 605, SPIN)
    watchdog(c, [r for r in range(c.n * c.g) if r != rank], 40111, "_ALLGATHER_BASE")
    c.phase("teardown", 5, OFF)
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, Truth(
        "C2",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="survivors froze; the trigger is XID 119/79 on one GPU (B2 first in the chain)",
        also=["B2"],
    )


@case
def b2_stale_xid(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-stale-xid", "near_miss", rng, ecc=True)
    c.boot_job()
    ordinary(c, rng)
    c.base[(0, 1, "DCGM_FI_DEV_XID_ERRORS")] = 48
    c.base[(0, 1, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")] = 1
    c.base[(0, 1, "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS")] = 1
    bad = rng.randrange(c.n * c.g)
    traceback(
        c,
        bad,
        [MAIN, ("/workspace/data.py", 31, "__getitem__", "return json.loads(line)")],
        "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 220 (char 219)",
    )
    torchrun_summary(c, bad, 1)
    c.account("FAILED", "1:0")
    return c, Truth(
        "A1",
        attribution="job",
        sub_mode="mid_run",
        why="XID gauge and DBE counter are flat the whole run: old; own code raised",
    )


@case
def b2_app_xid(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-app-xid", "near_miss", rng, ecc=True)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(
        t,
        node,
        gpu,
        31,
        "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f41_12000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        pid=41000 + rank,
    )
    c.xid(t + 0.2, node, gpu, 43, "Ch 00000008", pid=41000 + rank)
    cuda_error(c, rank, "an illegal memory access was encountered")
    c.phase("hang", 15, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    c.quiet_kernel()
    return c, Truth(
        "A1",
        attribution="job",
        sub_mode="mid_run",
        why="XID 31/43 by the job's own pid with an illegal access: application fault, counters clean",
    )


@case
def b2_corrected(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-corrected", "near_miss", rng, ecc=True, board=rng.choice(["a100", "h100", "h200"]))
    c.boot_job()
    ordinary(c, rng)
    t = (c.start + c.t) / 2
    for k in range(9):
        c.count(t + 40 * k, 0, 0, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", rng.randint(1, 6))
    c.xid(t, 0, 0, 63, "Row Remapper: New row (0x0000000a12) marked for remapping, reset gpu to activate.")
    c.count(t, 0, 0, "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", 1)
    ordinary(c, rng)
    c.finish()
    c.quiet_kernel()
    return c, Truth(
        "G1",
        attribution="none",
        why="corrected errors and a recorded remap in mid-run; finished as planned (a latent warning)",
    )


@case
def b2_launch_failure(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b2-launch-failure", "missing", rng, ecc=False, xid=False)
    _node, _gpu, rank, _t = hardware(c, rng)
    cuda_error(c, rank, "unspecified launch failure")
    c.phase("hang", 15, SPIN)
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    return c, undecidable(
        "unspecified launch failure: application bug or hardware; no kernel log, no XID, no ECC series", also=["A1"]
    )


# ---- B3 -----------------------------------------------------------------------------------------------------------------


def slow_node(c: Incident, rng: random.Random, factor: float) -> tuple[float, float]:
    """Healthy training, then all steps longer by ``factor``; returns begin and end of the slow part."""
    c.boot_job()
    s = rng.uniform(2.0, 6.0)
    c.train(int(900 / s), s)
    t0 = c.t
    wait = scaled(TRAIN, sm=0.72 / factor + 0.03, tensor=0.38 / factor, dram=0.45 / factor, power=0.12 + 0.7 / factor)
    c.train(int(1800 / s / factor), s * factor, wait, util=1 / factor)
    return t0, c.t


@case
def b3_thermal(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-thermal", "positive", rng, gpus=8, board=rng.choice(["a100", "h100", "h200"]))
    factor = rng.uniform(1.6, 2.3)
    t0, t1 = slow_node(c, rng, factor)
    node = rng.randrange(c.n)
    c.change(t0, t1, node=node, clock=1 / factor, reasons=0x8 | 0x40, heat_c=38, work=scaled(TRAIN, power=1.0))
    c.finish()
    return c, Truth(
        "B3",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        gpus=[],
        why="HW thermal slowdown on all GPUs of one node, clocks down, all steps slower",
    )


@case
def b3_thermal_one(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-thermal-one", "positive", rng, board=rng.choice(["a100", "h100"]))
    factor = rng.uniform(1.6, 2.2)
    t0, t1 = slow_node(c, rng, factor)
    node, gpu = rng.randrange(c.n), rng.randrange(c.g)
    c.change(t0, t1, node=node, gpu=gpu, clock=1 / factor, reasons=0x8 | 0x40, heat_c=35, work=scaled(TRAIN, power=1.0))
    c.account("TIMEOUT", "0:0")
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
        c.t + 1,
    )
    c.limit_min = max(1, round((c.t - c.start) / 60))
    return c, Truth(
        "B3",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="one GPU in HW thermal slowdown holds all; the time limit is a consequence",
        also=["F3"],
    )


@case
def b3_brake(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-brake", "positive", rng, gpus=8, board=rng.choice(["a100", "h100"]))
    factor = rng.uniform(2.2, 3.5)
    t0, t1 = slow_node(c, rng, factor)
    node = rng.randrange(c.n)
    c.change(t0, t1, node=node, clock=1 / factor, reasons=0x8 | 0x80, work=scaled(TRAIN, power=0.8))
    c.finish()
    return c, Truth(
        "B3",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        why="power brake on one node: clocks at a fraction, cool, all steps slower",
    )


@case
def b3_violation(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-violation", "positive", rng, gpus=8, board=rng.choice(["a100", "h100"]), reasons=False)
    factor = rng.uniform(1.7, 2.2)
    t0, t1 = slow_node(c, rng, factor)
    node, gpu = rng.randrange(c.n), rng.randrange(c.g)
    c.change(t0, t1, node=node, gpu=gpu, clock=1 / factor, heat_c=38, work=scaled(TRAIN, power=1.0))
    t = t0
    while t < t1:
        c.count(t, node, gpu, "DCGM_FI_DEV_THERMAL_VIOLATION", 9.0e9)
        t += 15
    c.finish()
    return c, Truth(
        "B3",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="no reasons mask, but the thermal violation counter runs, clocks down, hot, steps slower",
    )


@case
def b3_power_cap(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-power-cap", "near_miss", rng, board=rng.choice(["h100", "a100", "l40s"]))
    c.boot_job()
    s = rng.uniform(1.5, 4)
    c.train(int(2400 / s), s, scaled(TRAIN, power=1.06, tensor=0.5, sm=0.85))
    c.finish()
    return c, Truth(
        "G1", attribution="none", why="software power cap all along, clocks 5-12 % down, cool, steps constant"
    )


@case
def b3_idle_clocks(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-idle-clocks", "near_miss", rng)
    c.boot_job()
    s = rng.uniform(2, 5)
    c.train(int(800 / s), s)
    t = c.t
    c.evaluate(rng.uniform(300, 500), scaled(RESIDENT, engine=0.0))
    c.change(t, c.t, clock=0.2, reasons=0x1)
    c.train(int(800 / s), s)
    c.finish()
    return c, Truth("G1", attribution="none", why="idle clocks in a CPU evaluation; steps are as fast after as before")


@case
def b3_util_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("b3-util-only", "missing", rng, reasons=False, profiled=False, ecc=False)
    slow_node(c, rng, rng.uniform(1.8, 2.2))
    c.keep_metrics = {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED"}
    c.node_exporter = False
    return c, undecidable(
        "steps twice as long from mid-run, then the log stops; no clocks, reasons, temperature, no accounting"
    )


# ---- C1 -----------------------------------------------------------------------------------------------------------------


@case
def c1_store_timeout(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c1-store-timeout", "positive", rng, nodes=rng.choice([2, 4]), framework="plain")
    c.trainer = writers.Trainer("plain", c.offset, 1000, 10, c.n * c.g, c.stamped)
    c.log(c.trainer.plain(c.t + 9, f"initializing process group: world size {c.n * c.g}, backend nccl"), c.t + 9)
    c.phase("cold", 1830, OFF)
    for r in range(c.g, 2 * c.g):
        traceback(
            c,
            r,
            [MAIN, ("/workspace/train.py", 71, "main", 'dist.init_process_group("nccl")')],
            f"torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to ({c.nodes[0]}, 29500).",
            prefix=False,
        )
    c.account("FAILED", "1:0")
    return c, Truth("C1", attribution="", why="all cold, banner, silence, late socket time-out")


@case
def c1_init(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c1-init", "positive", rng, nodes=2, gpus=8, framework="megatron")
    c.boot_job(load_s=30, compile_s=0)
    c.lines = [
        x
        for x in c.lines
        if "after megatron" not in x[1]
        and "dataloaders" not in x[1]
        and "setup" not in x[1]
        and "training ..." not in x[1]
        and "before the start" not in x[1]
    ]
    for r in range(16):
        c.log(
            f"{c.nodes[r // 8]}:{41000 + r}:{42000 + r} [{r % 8}] NCCL INFO ncclCommInitRank comm 0x55d1 rank {r} nranks 16 cudaDev {r % 8} nvmlDev {r % 8} busId {c.bus[r % 8].lower()}000 commId 0x9ad9b5e4ab2566da - Init START"
        )
    c.phase("cold", 3600, scaled(RESIDENT, power=0.05))
    c.memory_share = 0.006
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth(
        "C1",
        attribution="",
        why="communicator set-up began on all and ended on none; cold for an hour; the limit is the disposition",
    )


@case
def c1_barrier(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c1-barrier", "positive", rng, nodes=2, gpus=4, framework="deepspeed")
    c.boot_job(load_s=20, compile_s=0)
    c.phase("cold", 1800, RESIDENT)
    c.memory_share = 0.005
    for r in range(7):
        traceback(
            c,
            r,
            [MAIN, ("/workspace/train.py", 71, "main", "deepspeed.init_distributed()")],
            f"torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank: {r}, for key: store_based_barrier_key:1 (world_size=8, num_workers_joined=7, timeout=0:30:00)",
            prefix=False,
        )
    c.account("FAILED", "1:0")
    return c, Truth("C1", attribution="", why="7 of 8 joined the store barrier; cold until the time-out")


@case
def c1_slow_load(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c1-slow-load", "near_miss", rng)
    c.boot_job(load_s=rng.uniform(1300, 2000))
    ordinary(c, rng)
    c.finish()
    return c, Truth(
        "G1", attribution="none", why="cold for half an hour while weights load, then trains and ends as planned"
    )


@case
def c1_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c1-no-log", "missing", rng)
    c.phase("cold", 5400, OFF)
    c.trainer = writers.Trainer("plain", c.offset, 10, 1, 1)
    c.logs["train"] = False
    c.account("FAILED", "1:0")
    return c, undecidable("cold for 90 minutes, exit 1, no log: rendezvous, data preparation or a stuck host")


# ---- C2 -----------------------------------------------------------------------------------------------------------------


def freeze(
    c: Incident, rng: random.Random, minutes: float, spin: Work | None = None, lost: Work = OFF
) -> tuple[int, float]:
    """All healthy, then one GPU goes cold and the others spin."""
    c.boot_job()
    ordinary(c, rng)
    rank = rng.randrange(c.n * c.g)
    t = c.t
    c.change(t, t + minutes * 60 - 1, node=rank // c.g, gpu=rank % c.g, work=lost)
    c.phase("hang", minutes * 60, spin or scaled(SPIN, sm=rng.choice([0.0, 0.004, 0.06, 0.1])))
    return rank, t


def c2_truth(c: Incident, rank: int, why: str, attribution: str = "", also: list[str] | None = None) -> Truth:
    return Truth(
        "C2",
        attribution=attribution,
        nodes=[c.nodes[rank // c.g]],
        gpus=[c.uuids[rank // c.g][rank % c.g]],
        why=why,
        also=also or [],
    )


@case
def c2_watchdog(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-watchdog", "positive", rng, profiled=True)
    rank, _ = freeze(c, rng, 10.1)
    watchdog(c, [r for r in range(c.n * c.g) if r != rank], 5512, rng.choice(["ALLREDUCE", "_REDUCE_SCATTER_BASE"]))
    c.account("FAILED", "1:0")
    return c, c2_truth(c, rank, "survivors at engine 1.0 with SM near 0, the lost rank cold, watchdog on all others")


@case
def c2_no_watchdog(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-no-watchdog", "positive", rng, profiled=True, interval=30)
    rank, _ = freeze(c, rng, rng.uniform(60, 120))
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, c2_truth(c, rank, "frozen an hour or more without watchdog; the limit ended it")


@case
def c2_util_power(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-util-power", "positive", rng, profiled=False, reasons=False, ecc=False)
    rank, _ = freeze(c, rng, rng.uniform(25, 45), lost=RESIDENT)
    c.keep_metrics = set(writers.UTIL_ONLY)
    c.log("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, c2_truth(c, rank, "GPU_UTIL 100 at idle-like power on all but one, which is at 0; steps stopped")


@case
def c2_mismatch(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-mismatch", "positive", rng, nodes=2, gpus=4, profiled=True)
    rank, _t = freeze(c, rng, 10.1, lost=SPIN)
    watchdog(c, [r for r in range(8) if r != rank], 9001, "ALLREDUCE")
    watchdog(c, [rank], 9000, "BROADCAST", numel=1)
    c.account("FAILED", "1:0")
    return c, c2_truth(c, rank, "all spin; the log shows one rank in another collective with a lower number")


@case
def c2_oom_trigger(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-oom-trigger", "positive", rng, nodes=2, gpus=4, profiled=True, framework="plain")
    rank, t = freeze(c, rng, 10.1)
    node = rank // 4
    c.dmesg(
        t,
        node,
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{c.job},task_memcg=/system.slice/slurmstepd.scope/job_{c.job}/step_0/user/task_{rank},task=python3,pid={41000 + rank},uid=2001",
    )
    c.dmesg(
        t,
        node,
        f"Memory cgroup out of memory: Killed process {41000 + rank} (python3) total-vm:181025364kB, anon-rss:91314060kB, file-rss:80032kB, shmem-rss:0kB, UID:2001 pgtables:2100kB oom_score_adj:0",
    )
    watchdog(c, [r for r in range(8) if r != rank], 771, "_ALLGATHER_BASE")
    c.account("OUT_OF_MEMORY", "0:125")
    c.quiet_kernel()
    return c, c2_truth(
        c,
        rank,
        "a rank was OOM-killed, the others froze until the watchdog: C2 with A2 first in the chain",
        "job",
        also=["A2"],
    )


@case
def c2_still_running(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-still-running", "positive", rng, profiled=True)
    rank, _t = freeze(c, rng, 40, lost=RESIDENT)
    c.margin = 0
    c.runs = [
        writers.Run("", "train", "RUNNING", "0:0", c.start, None),
        writers.Run(".batch", "batch", "RUNNING", "0:0", c.start, None),
    ]
    return c, c2_truth(
        c, rank, "collected while it hangs: 40 min without a step, one GPU cold, the others at engine 1 with SM 0"
    )


@case
def c2_long_save(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-long-save", "near_miss", rng, profiled=True)
    c.boot_job()
    s = rng.uniform(2, 5)
    c.train(int(800 / s), s)
    t = c.t
    c.save(rng.uniform(300, 480), SPIN)
    c.change(t, c.t, node=0, gpu=0, work=SAVE)
    c.train(int(900 / s), s)
    c.finish()
    return c, Truth(
        "G1",
        attribution="none",
        why="rank 0 writes a checkpoint for minutes while the others wait in a barrier; goes on and ends as planned",
    )


@case
def c2_blackout(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-blackout", "missing", rng)
    _rank, t = freeze(c, rng, 40)
    c.gaps.append((t - 30, math.inf, None))
    c.node_exporter = False
    return c, undecidable("metrics and log end together; no accounting: frozen, killed or only no longer observed")


# ---- C3 -----------------------------------------------------------------------------------------------------------------


@case
def c3_mid(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-mid", "positive", rng, nodes=1, gpus=1)
    c.boot_job()
    ordinary(c, rng)
    c.phase("hang", rng.uniform(5000, 9000), RESIDENT)
    c.interval = c.collect = 30
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth("C3", attribution="job", why="memory resident, engine 0 for hours after the last step")


@case
def c3_start(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-start", "positive", rng, nodes=1, gpus=1, framework="plain")
    c.boot_job(load_s=60, compile_s=0)
    c.phase("hang", rng.uniform(5000, 9000), RESIDENT)
    c.interval = c.collect = 30
    c.memory_share = 0.3
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth("C3", attribution="job", why="context and memory, never a launch, until the limit")


@case
def c3_cancelled(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-cancelled", "positive", rng, nodes=1, gpus=1, profiled=False)
    c.boot_job()
    ordinary(c, rng)
    c.phase("hang", rng.uniform(3000, 5000), RESIDENT)
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} ***"
    )
    c.account("CANCELLED by 2001", "0:15")
    return c, Truth(
        "C3",
        attribution="job",
        why="idle for an hour with memory resident before a person ended it",
        also=["outside_families"],
    )


@case
def c3_eval(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-eval", "near_miss", rng, nodes=1, gpus=1)
    c.boot_job()
    s = rng.uniform(1, 3)
    c.train(int(900 / s), s)
    c.evaluate(rng.uniform(900, 1500), RESIDENT)
    c.train(int(900 / s), s)
    c.finish()
    return c, Truth("G1", attribution="none", why="an evaluation on the CPU, then training goes on and ends as planned")


@case
def c3_tail(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-tail", "near_miss", rng, nodes=1, gpus=1)
    c.boot_job()
    ordinary(c, rng)
    for text in c.trainer.finished(c.t, c.step):
        c.log(text)
    c.log("uploading artifacts to s3://models/run (41 GB)", c.t + 1)
    c.phase("upload", 2400, RESIDENT)
    c.log("upload done")
    c.account("COMPLETED", "0:0")
    return c, Truth("G1", attribution="none", why="trained to the end; the idle tail is an upload")


@case
def c3_no_util(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-no-util", "missing", rng, nodes=1, gpus=1, profiled=False, ecc=False, reasons=False)
    c.boot_job()
    ordinary(c, rng)
    c.phase("unknown", 1500, TRAIN)
    c.keep_metrics = {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"}
    c.node_exporter = False
    return c, undecidable(
        "the log stops and memory stays; no utilisation, power or clock, no accounting: buffered output or a hang"
    )


# ---- D1 -----------------------------------------------------------------------------------------------------------------


@case
def d1_severe(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d1-severe", "positive", rng, gpus=8, nodes=1, profiled=True)
    c.boot_job(compile_s=0)
    s = rng.uniform(9, 16)
    c.every = 1
    c.trainer.every = 1
    c.cpu_busy = 0.97
    c.train(int(3000 / s), s, scaled(TRAIN, duty=rng.uniform(0.05, 0.1), period_s=s), jitter=0.15, util=0.08)
    c.finish()
    return c, Truth("D1", attribution="job", why="engine about 8 % in step-scale bursts, 10 s steps, CPUs full")


@case
def d1_util(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d1-util", "positive", rng, gpus=4, nodes=2, profiled=False, interval=5)
    c.boot_job(compile_s=0)
    c.collect = 5
    s = rng.uniform(14, 25)
    c.every = c.trainer.every = 1
    c.iowait, c.cpu_busy = 0.6, 0.1
    c.node_exporter = True
    c.train(int(3000 / s), s, scaled(TRAIN, duty=rng.uniform(0.05, 0.09), period_s=s), jitter=0.1, util=0.07)
    c.finish()
    return c, Truth("D1", attribution="job", why="GPU_UTIL 0 most of the time with bursts each step, host in iowait")


@case
def d1_mild(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d1-mild", "near_miss", rng)
    c.boot_job()
    s = rng.uniform(1.5, 3)
    c.train(int(2400 / s), s, scaled(TRAIN, duty=rng.uniform(0.68, 0.8), period_s=s), jitter=0.06, util=0.75)
    c.finish()
    return c, Truth("G1", attribution="none", why="a duty of about 75 %: a warning, no failure")


@case
def d1_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d1-no-log", "missing", rng, profiled=False)
    c.boot_job(compile_s=0)
    s = rng.uniform(9, 16)
    c.train(int(2400 / s), s, scaled(TRAIN, duty=0.15, period_s=s), show=False)
    c.logs["train"] = False
    c.account("COMPLETED", "0:0")
    return c, undecidable(
        "GPU_UTIL about 15 % and nothing about what the job did: inference, preprocessing or starved training",
        also=["D1"],
    )


# ---- D2 -----------------------------------------------------------------------------------------------------------------


@case
def d2_saves(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d2-saves", "positive", rng, framework=rng.choice(["hf", "megatron", "titan", "plain"]), every=1)
    c.boot_job(compile_s=0)
    s = rng.uniform(3, 6)
    pause = rng.uniform(28, 45)
    for _ in range(int(2400 / (s + pause))):
        c.train(1, s)
        c.save(pause)
    c.finish()
    return c, Truth("D2", attribution="job", sub_mode="save_storm", why="a save after each step takes most of the time")


@case
def d2_interconnect(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident(
        "d2-interconnect",
        "positive",
        rng,
        nodes=rng.choice([2, 4]),
        gpus=8,
        profiled=True,
        board=rng.choice(["h100", "a100"]),
        every=1,
    )
    c.boot_job()
    for r in range(0, c.n * c.g, c.g):
        c.log(f"{c.nodes[r // c.g]}:{41000 + r}:{42000 + r} [0] NCCL INFO NET/IB : No device found.")
        c.log(
            f"{c.nodes[r // c.g]}:{41000 + r}:{42000 + r} [0] NCCL INFO NET/Socket : Using [0]eth0:10.2.{r // c.g}.7<0>"
        )
        c.log(
            f"{c.nodes[r // c.g]}:{41000 + r}:{42000 + r} [0] NCCL INFO Channel 00/0 : {r}[0] -> {(r + c.g) % (c.n * c.g)}[0] [send] via NET/Socket/0"
        )
    s = rng.uniform(25, 45)
    c.train(int(3600 / s), s, Work(1.0, 0.11, 0.03, 0.05, 0.18, 1.0, 0.5), util=0.07)
    c.finish()
    return c, Truth(
        "D2",
        attribution="infrastructure",
        sub_mode="interconnect",
        why="engine 1.0, SM 0.1 on all ranks alike, NCCL over TCP sockets, steps advance",
        also=[],
    )


@case
def d2_interconnect_quiet(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident(
        "d2-interconnect-quiet",
        "positive",
        rng,
        nodes=4,
        gpus=8,
        profiled=True,
        board=rng.choice(["h100", "h200"]),
        framework=rng.choice(["megatron", "titan"]),
        every=1,
    )
    c.boot_job()
    s = rng.uniform(25, 45)
    c.train(int(3000 / s), s, Work(1.0, 0.10, 0.025, 0.05, 0.17, 1.0, 0.5), util=0.06)
    c.finish()
    return c, Truth(
        "D2",
        attribution="infrastructure",
        sub_mode="interconnect",
        why="engine 1.0 with SM 0.1 and tensor 0.03 on all ranks, MFU 3 %, steps advance: they wait in collectives",
    )


@case
def d2_blocking(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d2-blocking", "positive", rng, nodes=1, gpus=8, profiled=True, framework="plain", every=1)
    c.log("CUDA_LAUNCH_BLOCKING=1")
    c.log("NCCL_DEBUG=WARN")
    c.boot_job()
    s = rng.uniform(5, 9)
    c.train(int(2400 / s), s, Work(0.45, 0.18, 0.06, 0.1, 0.25, 1.0, 0.5), util=0.2)
    c.finish()
    return c, Truth(
        "D2",
        attribution="job",
        sub_mode="launch_blocking",
        why="CUDA_LAUNCH_BLOCKING=1 in the environment, engine and SM low on all ranks alike",
    )


@case
def d2_small_model(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d2-small-model", "near_miss", rng, nodes=1, gpus=4, profiled=True)
    c.boot_job()
    c.train(2000, 0.6, Work(0.6, 0.3, 0.1, 0.15, 0.3, 1.0, 0.4), util=0.3)
    c.finish()
    return c, Truth("G1", attribution="none", why="a small model leaves the GPU half used; steps steady, finished")


@case
def d2_unobserved(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d2-unobserved", "missing", rng, profiled=True)
    c.boot_job()
    c.train(80, 30, Work(1.0, 0.11, 0.03, 0.05, 0.18, 1.0, 0.5), show=False)
    c.logs["train"] = False
    c.margin = 0
    c.phases = c.phases[-1:]
    return c, undecidable("engine 1.0 and SM 0.1 everywhere, no log, no accounting: slow and frozen look the same")


# ---- D3 -----------------------------------------------------------------------------------------------------------------


def straggler(c: Incident, rng: random.Random, slow_from: int = 0) -> tuple[int, int]:
    node, gpu = rng.randrange(c.n), rng.randrange(c.g)
    c.boot_job()
    s = rng.uniform(2, 5)
    if slow_from:
        c.train(slow_from, s)
    t = c.t
    c.train(int(2400 / s / 2.8), s * 2.8, Work(1.0, 0.25, 0.13, 0.15, 0.32, 1.0, 0.5), util=0.36)
    c.change(t, c.t, node=node, gpu=gpu, work=Work(0.98, 0.78, 0.2, 0.3, 0.55, 1.0, 0.5))
    return node, gpu


@case
def d3_sm(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-sm", "positive", rng, profiled=True, every=1)
    node, gpu = straggler(c, rng)
    c.finish()
    return c, Truth(
        "D3",
        attribution="",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="one GPU at SM 0.78 all the time, the others at 0.25 with engine 1.0",
    )


@case
def d3_onset(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-onset", "positive", rng, profiled=True, every=1, board="l40s", gpus=4, reasons=False)
    node, gpu = straggler(c, rng, slow_from=220)
    c.finish()
    return c, Truth(
        "D3",
        attribution="",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="from mid-run on one GPU works all the time, the others wait; steps 2.8 times as long",
    )


@case
def d3_power(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-power", "positive", rng, profiled=False, every=1, gpus=8, reasons=False)
    node, gpu = straggler(c, rng, slow_from=200)
    c.keep_metrics = {*writers.UTIL_ONLY, "DCGM_FI_DEV_MEM_COPY_UTIL"}
    c.finish()
    return c, Truth(
        "D3",
        attribution="",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="GPU_UTIL 100 everywhere; power and memory traffic high on one GPU only; steps 2.8 times as long",
        also=["cannot_decide"],
    )


@case
def d3_pipeline(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-pipeline", "near_miss", rng, profiled=True, nodes=2, gpus=8, framework="megatron")
    c.boot_job()
    ordinary(c, rng)
    c.change(c.start + 200, c.t, node=1, work=scaled(TRAIN, sm=0.83, tensor=0.45, power=0.9))
    c.finish()
    return c, Truth(
        "G1", attribution="none", why="the later pipeline stages carry 15 % more work; steps steady, finished"
    )


@case
def d3_hot(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-hot", "near_miss", rng, profiled=True)
    c.boot_job()
    ordinary(c, rng)
    c.change(c.start + 300, c.t, node=0, gpu=2, heat_c=10, clock=0.95)
    c.finish()
    return c, Truth("G1", attribution="none", why="one GPU is 10 C warmer at a clock 5 % lower; steps as before")


@case
def d3_util_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-util-only", "missing", rng, profiled=False, reasons=False, ecc=False, every=1)
    straggler(c, rng, slow_from=220)
    c.keep_metrics = {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED"}
    c.node_exporter = False
    return c, undecidable(
        "steps 2.8 times as long from mid-run, log stops in the run; GPU_UTIL 100 everywhere, nothing else"
    )


# ---- E ------------------------------------------------------------------------------------------------------------------


@case
def e1_nan(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e1-nan", "positive", rng, framework=rng.choice(["plain", "hf", "titan", "nemo"]))
    c.boot_job()
    s = rng.uniform(1.5, 4)
    normal = c.loss_at
    at = c.step + rng.randint(100, 200)
    c.loss_at = lambda n: normal(n) if n < at else math.nan
    c.grad_at = lambda n: rng.uniform(0.8, 1.4) if n < at else math.nan
    c.train(at + int(1200 / s), s)
    c.finish()
    return c, Truth("E1", attribution="job", why="loss NaN from mid-run to the end, exit 0")


@case
def e1_spike(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e1-spike", "positive", rng, framework=rng.choice(["megatron", "hf", "plain", "deepspeed"]))
    c.boot_job()
    s = rng.uniform(1.5, 4)
    normal = c.loss_at
    at = rng.randint(150, 250)
    c.loss_at = lambda n: normal(n) if n < at else 14.5 + rng.gauss(0, 0.6) + min(8.0, (n - at) * 0.05)
    c.grad_at = lambda n: rng.uniform(0.8, 1.4) if n < at else rng.uniform(30, 900)
    c.train(at + int(1500 / s), s)
    c.finish()
    return c, Truth("E1", attribution="job", why="loss jumps from about 4 to above its start (11) and stays there")


@case
def e1_plateau(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e1-plateau", "positive", rng, framework=rng.choice(["megatron", "titan", "plain", "nemo"]))
    c.boot_job()
    c.loss_at = lambda n: 10.82 + rng.gauss(0, 0.012)
    c.grad_at = lambda n: 0.0
    c.lr_at = lambda n: 0.0
    s = rng.uniform(1.2, 3)
    c.train(int(3600 / s), s)
    c.finish()
    return c, Truth("E1", attribution="job", why="loss at ln(vocabulary) throughout, grad norm 0, lr 0")


@case
def e1_dead(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e1-dead", "positive", rng, framework=rng.choice(["titan", "hf", "plain"]))
    c.boot_job()
    c.loss_at = lambda n: 10.9 - 3.2 * min(1, n / 90) + rng.gauss(0, 0.02) if n < 260 else 7.71 + rng.gauss(0, 0.015)
    c.grad_at = lambda n: 1.2 if n < 260 else 0.0001
    c.train(1400, rng.uniform(1.2, 2.4))
    c.finish()
    return c, Truth(
        "E1", attribution="job", why="stopped learning at 7.7 with a gradient norm near zero for four fifths of the run"
    )


@case
def e1_recovered(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e1-recovered", "near_miss", rng, framework=rng.choice(["megatron", "titan", "plain"]), every=1)
    c.boot_job()
    normal = c.loss_at
    at = rng.randint(200, 300)
    c.loss_at = lambda n: normal(n) + (6 * math.exp(-(n - at) / 8) if n >= at else 0)
    c.train(900, rng.uniform(1.5, 2.5))
    c.finish()
    return c, Truth("G1", attribution="none", why="one spike that recovers within 30 steps")


@case
def e1_no_loss(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e1-no-loss", "missing", rng, framework="plain")
    c.boot_job()
    c.train(600, 2.0, show=False)
    for k in range(0, 600, 20):
        c.log(
            c.trainer.plain(c.t - 1200 + 2 * k, f"throughput {rng.uniform(11800, 12200):.0f} tok/s"), c.t - 1200 + 2 * k
        )
    return c, undecidable("throughput only, no loss, no end, no accounting")


@case
def e2_silent(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e2-silent", "positive", rng, framework=rng.choice(["megatron", "titan", "plain"]), every=5)
    c.boot_job()
    s = rng.uniform(2, 4)
    c.train(int(1500 / s), s)
    c.save(30)
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.account("TIMEOUT", "0:0")
    first = "\n".join(x for _, x in sorted(c.lines, key=lambda p: p[0])) + "\n"
    parent, parent_runs = (
        c.job,
        writers.sacct_text(
            "p2-long",
            c.job,
            c.runs,
            {
                "user": "ana",
                "partition": "gpu",
                "cpus": "64",
                "limit": writers.elapsed((c.t - c.start) // 60 * 60),
                "nnodes": str(c.n),
                "tres": f"gres/gpu={c.n * c.g},node={c.n}",
                "nodes": ",".join(c.nodes),
            },
            c.offset,
        ),
    )
    c.extra_files = {f"slurm-{parent}.out": first, "sacct-parent.txt": parent_runs}
    c.lines, c.runs = [], []
    c.phase("gap", 240, OFF)
    c.job += 1
    c.log_name = f"slurm-{c.job}.out"
    begin = c.t
    c.facts_extra = {"reason": "Dependency"}
    c.boot_job(compile_s=0)
    c.train(int(1200 / s), s)
    c.account("COMPLETED", "0:0", begin=begin)
    c.runs_form = "p2-long"
    for text in c.trainer.finished(c.t, c.step):
        c.log(text)
    c.meta = True
    return c, Truth(
        "E2",
        attribution="job",
        why="the child run starts at step 1 with a loss far above the parent's tail, no load marker",
        also=["cannot_decide"],
    )


@case
def e2_crash(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e2-crash", "positive", rng, framework=rng.choice(["megatron", "titan", "plain"]))
    c.boot_job(load_s=70, compile_s=0)
    c.lines = c.lines[:2]
    c.log(
        " loading checkpoint from /ckpt/run at iteration 5000"
        if c.framework == "megatron"
        else c.trainer.titan(c.t, "Loading the checkpoint from outputs/checkpoint/step-5000.")
        if c.framework == "titan"
        else c.trainer.plain(c.t, "loading checkpoint ckpt/step_5000.pt")
    )
    traceback(
        c,
        0,
        [
            MAIN,
            (
                "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py",
                2581,
                "load_state_dict",
                "raise RuntimeError(",
            ),
        ],
        "RuntimeError: Error(s) in loading state_dict for GPT:",
    )
    c.log(
        "[rank0]: \tsize mismatch for embed.weight: copying a param with shape torch.Size([50304, 4096]) from checkpoint, the shape in current model is torch.Size([50432, 4096])."
    )
    torchrun_summary(c, 0, 1)
    c.account("FAILED", "1:0")
    return c, Truth("E2", attribution="job", why="size mismatch while loading the checkpoint")


@case
def e2_resumed(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e2-resumed", "near_miss", rng, framework=rng.choice(["megatron", "titan", "plain", "hf"]))
    c.boot_job(resume=5000, total=5600)
    c.train(600, rng.uniform(1.5, 3))
    c.finish()
    return c, Truth("G1", attribution="none", why="resumed at 5000 with a marker, went on, finished")


@case
def e2_cut(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e2-cut", "missing", rng, framework="plain")
    c.boot_job(load_s=70, compile_s=0)
    c.lines = c.lines[:2]
    c.log(c.trainer.plain(c.t, "loading checkpoint ckpt/step_5000.pt"))
    c.account("FAILED", "1:0")
    return c, undecidable("exit 1 after 'loading checkpoint' and not a word more: the error was lost", also=[])


@case
def e3_short(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e3-short", "positive", rng, framework=rng.choice(["hf", "plain", "titan"]), every=1)
    c.boot_job(load_s=1500, compile_s=0, total=4)
    c.train(4, 3.0)
    c.finish()
    return c, Truth("E3", attribution="job", why="four steps in an allocation of half an hour")


@case
def e3_sparse_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e3-sparse-log", "near_miss", rng, framework=rng.choice(["megatron", "plain", "titan"]), every=200)
    c.boot_job(total=3000)
    c.train(3000, 1.1)
    c.finish()
    return c, Truth("G1", attribution="none", why="fifteen lines, but 3000 steps")


@case
def e3_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("e3-no-log", "missing", rng)
    c.boot_job(load_s=600, compile_s=0)
    c.train(5, 3.0)
    c.logs["train"] = False
    c.account("COMPLETED", "0:0")
    return c, undecidable("exit 0 after a short burst; how many steps were meant or done is unknown")


# ---- F ------------------------------------------------------------------------------------------------------------------


@case
def f1_node(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f1-node", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    node = rng.randrange(c.n)
    t = c.t
    c.gaps.append((t, math.inf, node))
    c.phase("hang", 290, SPIN)
    c.log(f"srun: error: Node failure on {c.nodes[node]}")
    c.log(
        f"slurmstepd: error: *** STEP {c.job}.0 ON {c.nodes[1 - node if c.n == 2 else (node + 1) % c.n]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    c.account("NODE_FAIL", "1:0")
    return c, Truth(
        "F1",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        why="NODE_FAIL, srun names the node, its metrics stop then, the others are well",
    )


@case
def f1_metrics(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f1-metrics", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    node = rng.randrange(c.n)
    c.gaps.append((c.t, math.inf, node))
    c.phase("hang", 320, SPIN)
    c.account("NODE_FAIL", "1:0")
    c.logs["train"] = rng.random() < 0.7
    return c, Truth(
        "F1",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        why="NODE_FAIL and exactly one node's metrics stop minutes before",
    )


@case
def f1_exporter(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f1-exporter", "near_miss", rng)
    c.boot_job()
    ordinary(c, rng)
    c.gaps.append(((c.start + c.t) / 2, math.inf, rng.randrange(c.n)))
    ordinary(c, rng)
    c.finish()
    return c, Truth("G1", attribution="none", why="one exporter died, the job went on and finished")


@case
def f1_drained(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f1-drained", "near_miss", rng, ecc=True)
    node, gpu, rank, t = hardware(c, rng)
    c.xid(t, node, gpu, 79, "GPU has fallen off the bus.", gauge=False)
    c.change(t, node=node, gpu=gpu, gone=True)
    cuda_error(c, rank, "unspecified launch failure")
    torchrun_summary(c, rank, 1)
    c.account("FAILED", "1:0")
    c.extra_files["sinfo.txt"] = (
        f"REASON               USER      TIMESTAMP           NODELIST\nGPU lost by NHC      root      {writers.local(c.t + 60, c.offset):%Y-%m-%dT%H:%M:%S} {c.nodes[node]}\n"
    )
    return c, b2_truth(c, node, gpu, "the node was drained after the GPU fell off: B2, not node down")


@case
def f1_unknown(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f1-unknown", "missing", rng)
    c.boot_job()
    ordinary(c, rng)
    rng.randrange(c.n)
    c.gaps.append((c.t - 20, math.inf, None))
    return c, undecidable(
        "log and all metrics stop together; no accounting: node, network of the monitoring, or a plain end"
    )


def preempted(c: Incident, rng: random.Random) -> float:
    c.boot_job()
    ordinary(c, rng)
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***"
    )
    return c.t


@case
def f2_recovered(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f2-recovered", "positive", rng, framework=rng.choice(["megatron", "titan", "plain"]))
    preempted(c, rng)
    c.account("PREEMPTED", "0:0")
    step = c.step
    c.phase("gap", 400, OFF)
    begin = c.t
    c.facts_extra = {"restarts": "1"}
    c.boot_job(resume=step, total=step + 400)
    c.train(400, 2.0)
    for text in c.trainer.finished(c.t, c.step):
        c.log(text)
    c.account("COMPLETED", "0:0", begin=begin)
    return c, Truth(
        "F2",
        attribution="scheduler",
        sub_mode="recovered",
        why="PREEMPTED, then a second run of the same job resumes and completes",
    )


@case
def f2_pending(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f2-pending", "positive", rng)
    preempted(c, rng)
    c.account("PREEMPTED", "0:0")
    c.runs.append(writers.Run("", "train", "PENDING", "0:0", None, None))
    c.facts_extra = {"reason": "BeginTime", "restarts": "1"}
    return c, Truth("F2", attribution="scheduler", sub_mode="pending", why="PREEMPTED and queued again")


@case
def f2_lost(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f2-lost", "positive", rng)
    preempted(c, rng)
    c.account("PREEMPTED", "0:0")
    return c, Truth("F2", attribution="scheduler", sub_mode="lost", why="PREEMPTED, nothing after it")


@case
def f2_cancelled(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f2-cancelled", "near_miss", rng)
    c.boot_job()
    ordinary(c, rng)
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} ***"
    )
    c.account("CANCELLED by 2001", "0:0")
    return c, Truth(None, "outside_families", "", why="the user cancelled a healthy run")


@case
def f2_sigterm(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f2-sigterm", "missing", rng, framework="plain")
    c.boot_job()
    ordinary(c, rng)
    wall = writers.local(c.t, c.offset)
    c.log(
        f"W{wall:%m%d %H:%M:%S}.536000 40961 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers"
    )
    c.log("torch.distributed.elastic.multiprocessing.api.SignalException: Process 40961 got signal: 15")
    return c, undecidable(
        "SIGTERM from outside, no accounting: preemption, time limit, scancel or eviction", also=["outside_families"]
    )


@case
def f3_limit(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f3-limit", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth("F3", attribution="", why="progress until the limit")


@case
def f3_log_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f3-log-only", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    return c, Truth("F3", attribution="", why="slurmstepd names the limit, GPUs busy to the end; no accounting")


@case
def f3_no_log(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f3-no-log", "positive", rng, profiled=True)
    c.boot_job()
    ordinary(c, rng)
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    c.logs["train"] = False
    return c, Truth(
        "F3",
        attribution="",
        why="accounting says TIMEOUT, all GPUs at work (SM, tensor, power) to the end: no hang under it",
    )


@case
def f3_after_eval(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f3-after-eval", "near_miss", rng)
    c.boot_job()
    ordinary(c, rng)
    c.evaluate(rng.uniform(60, 120))
    c.lines = c.lines[:-1] if c.framework in ("hf", "lightning", "plain", "deepspeed") else c.lines
    c.log(
        f"slurmstepd: error: *** JOB {c.job} ON {c.nodes[0]} CANCELLED AT {writers.local(c.t, c.offset):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth("F3", attribution="", why="the limit fell into an evaluation: no hang")


# ---- G1 -----------------------------------------------------------------------------------------------------------------


def healthy(c: Incident, why: str) -> tuple[Incident, Truth]:
    c.finish()
    return c, Truth("G1", attribution="none", why=why)


@case
def g1_pauses(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-pauses", "positive", rng, profiled=True)
    c.boot_job(compile_s=240)
    s = rng.uniform(1.5, 4)
    for _ in range(3):
        c.train(int(600 / s), s)
        c.evaluate(rng.uniform(90, 240))
        c.save(rng.uniform(30, 120))
    c.train(int(300 / s), s)
    return healthy(c, "evaluations, saves, compile")


@case
def g1_old_ecc(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-old-ecc", "positive", rng, ecc=True)
    c.boot_job()
    ordinary(c, rng)
    c.base[(0, 0, "DCGM_FI_DEV_XID_ERRORS")] = 63
    c.base[(0, 0, "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL")] = 4
    c.base[(c.n - 1, 2, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL")] = 190
    c.base[(c.n - 1, 2, "DCGM_FI_DEV_XID_ERRORS")] = 31
    return healthy(c, "old counters and a stale XID gauge")


@case
def g1_early_node(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-early-node", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    t = c.t
    c.phase("tail", 200, RESIDENT)
    c.change(t - 4, math.inf, node=c.n - 1, work=OFF)
    return healthy(c, "one node is idle minutes before the others at the end")


@case
def g1_scary(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-scary", "positive", rng, framework=rng.choice(["plain", "megatron", "hf"]))
    c.boot_job()
    s = rng.uniform(1.5, 3)
    c.train(200, s)
    for x in [
        "WARNING: could not import apex, falling back to torch",
        "Traceback (most recent call last):",
        '  File "/workspace/utils/wandb_safe.py", line 22, in log',
        "    run.log(metrics)",
        "wandb.errors.CommError: Network error (ConnectionError), entering retry loop.",
        "error: failed to push metrics, will retry",
        "[W socket.cpp:697] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 99 - Cannot assign requested address).",
        "NCCL WARN NET/IB : mlx5_3:1 Got async event : client reregistration",
        "UserWarning: The AccumulateGrad node's stream does not match",
        "Failed to send telemetry: killed retry timer",
    ]:
        c.log(x)
    c.train(500, s)
    return healthy(c, "frightening lines that were handled")


@case
def g1_util_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-util-only", "positive", rng, profiled=False, reasons=False, ecc=False, interval=60)
    c.boot_job()
    s = rng.uniform(4, 8)
    for _ in range(6):
        c.train(int(5400 / s), s)
        c.save(60)
    c.keep_metrics = set(writers.UTIL_ONLY)
    return healthy(c, "nine hours with four series a GPU")


@case
def g1_mig(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-mig", "positive", rng, nodes=1, gpus=rng.choice([1, 2]), board="a100", profiled=True)
    c.mig = [("3g.40gb", "1"), ("3g.40gb", "2")]
    c.boot_job()
    ordinary(c, rng)
    return healthy(c, "MIG slices")


@case
def g1_gaps(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-gaps", "positive", rng)
    c.boot_job()
    ordinary(c, rng)
    span = c.t - c.start
    for k in (0.3, 0.55, 0.8):
        c.gaps.append((c.start + k * span, c.start + k * span + rng.uniform(60, 300), rng.choice([None, 0])))
    return healthy(c, "Prometheus was away three times")


@case
def g1_v100(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-v100", "positive", rng, board="v100", nodes=8, gpus=4, profiled=False, interval=30)
    c.boot_job()
    ordinary(c, rng)
    return healthy(c, "eight nodes of V100")


@case
def g1_default_sacct(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-default-sacct", "positive", rng)
    c.runs_form = "default"
    c.boot_job()
    ordinary(c, rng)
    return healthy(c, "accounting in default columns only")


@case
def g1_slow(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-slow", "positive", rng, nodes=1, gpus=8, profiled=True, board="a100")
    c.boot_job()
    c.train(500, 4.0, Work(0.9, 0.42, 0.14, 0.2, 0.45, 0.85, 4.0), util=0.4)
    return healthy(c, "healthy but slow")


@case
def g1_metrics_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-metrics-only", "missing", rng)
    c.boot_job()
    ordinary(c, rng)
    c.logs["train"] = False
    return c, undecidable("busy, then idle; no log, no accounting: an end as planned and a crash look the same")


@case
def g1_accounting_only(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-accounting-only", "missing", rng)
    c.boot_job()
    ordinary(c, rng)
    c.logs["train"] = False
    c.telemetry = False
    c.account("COMPLETED", "0:0")
    c.telemetry = False
    return c, undecidable("COMPLETED and nothing else: an absence of errors is no health")


# ---- second round: what the first mending made likely to go wrong -------------------------------------------------------


def crowd(c: Incident, rng: random.Random) -> None:
    """The query was for the whole partition: nodes of other jobs stand in the answer."""
    c.strangers = [
        ("other-job-01", 8, scaled(TRAIN, sm=0.9, tensor=0.5)),
        ("other-job-02", 8, OFF),
        ("other-job-03", 4, scaled(TRAIN, sm=0.2, tensor=0.05, power=0.4)),
    ]


@case
def c2_crowd(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-crowd", "positive", rng, profiled=True)
    crowd(c, rng)
    rank, _ = freeze(c, rng, rng.uniform(25, 50), lost=RESIDENT)
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, c2_truth(c, rank, "frozen for half an hour; nodes of other jobs are in the metrics")


@case
def d3_crowd(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d3-crowd", "positive", rng, profiled=True, every=1)
    crowd(c, rng)
    node, gpu = straggler(c, rng, slow_from=150)
    c.finish()
    return c, Truth(
        "D3",
        nodes=[c.nodes[node]],
        gpus=[c.uuids[node][gpu]],
        why="one GPU of the job works while its peers wait; other jobs' nodes are busier",
    )


@case
def g1_crowd(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("g1-crowd", "near_miss", rng, profiled=True)
    crowd(c, rng)
    c.boot_job()
    ordinary(c, rng)
    return healthy(c, "other jobs' nodes, one idle and one with an XID gauge, are none of ours")


@case
def c3_shared(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c3-shared", "positive", rng, nodes=1, gpus=1, framework="plain")
    crowd(c, rng)
    c.boot_job()
    ordinary(c, rng)
    c.phase("hang", rng.uniform(4000, 6000), RESIDENT)
    c.interval = c.collect = 30
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth(
        "C3",
        attribution="job",
        why="the one GPU of the job idles with memory resident; other jobs' nodes are in the metrics",
    )


@case
def d1_half(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d1-half", "near_miss", rng, profiled=False, interval=15)
    c.boot_job()
    s = rng.uniform(8, 14)
    c.train(int(2400 / s), s, scaled(TRAIN, duty=0.45, period_s=s), jitter=0.05, util=0.5)
    c.finish()
    return c, Truth("G1", attribution="none", why="busy 45 % of each long step: a warning, no starvation")


@case
def d2_degraded(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("d2-degraded", "near_miss", rng, profiled=True, every=1, nodes=4)
    c.boot_job()
    c.train(200, 3.0)
    c.train(70, 40.0, Work(1.0, 0.1, 0.03, 0.05, 0.18, 1.0, 0.5), util=0.07)
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth(
        "D2",
        sub_mode="interconnect",
        why="from mid-run on ranks mostly wait, but steps go on to the limit: no freeze",
        also=["F3", "cannot_decide"],
    )


@case
def c2_channels(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("c2-channels", "positive", rng, profiled=True, board="a100")
    rank, _ = freeze(c, rng, rng.uniform(20, 40), spin=scaled(SPIN, sm=0.22, power=0.2))
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, c2_truth(c, rank, "NCCL with 24 channels keeps 24 of 108 SMs resident while it waits")


@case
def f3_in_save(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident("f3-in-save", "near_miss", rng, profiled=True)
    c.boot_job()
    for _k in range(3):
        c.train(200, 3.0)
        pause = rng.uniform(260, 330)
        t = c.t
        c.save(pause, SPIN)
        c.change(t, c.t, node=0, gpu=0, work=SAVE)
    c.lines = c.lines[:-1] if c.framework != "lightning" else c.lines
    c.limit_min = round((c.t - c.start) / 60)
    c.account("TIMEOUT", "0:0")
    return c, Truth("F3", why="the limit fell into a save of the usual length")


@case
def b3_default_counters(rng: random.Random) -> tuple[Incident, Truth]:
    c = Incident(
        "b3-default-counters", "positive", rng, gpus=8, board=rng.choice(["a100", "h100"]), reasons=False, ecc=False
    )
    factor = rng.uniform(1.8, 2.3)
    t0, t1 = slow_node(c, rng, factor)
    node = rng.randrange(c.n)
    c.change(t0, t1, node=node, clock=1 / factor, heat_c=38, work=scaled(TRAIN, power=1.0))
    c.finish()
    return c, Truth(
        "B3",
        attribution="infrastructure",
        nodes=[c.nodes[node]],
        why="dcgm-exporter's default counters: no reasons, but clocks halved, hot, steps twice as long",
        also=["D3"],
    )


def build(name: str, seed: int) -> tuple[Incident, Truth]:
    """The incident ``name`` of ``seed``."""
    c, truth = CASES[name](random.Random(f"redteam:{seed}:{name}"))
    if c.done:
        Incident.planned = c.step
        c, truth = CASES[name](random.Random(f"redteam:{seed}:{name}"))
        Incident.planned = None
    assert c.name == name, (c.name, name)
    return c, truth
