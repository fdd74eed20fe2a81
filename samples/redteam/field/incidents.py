"""The incidents and their truth. Written, and committed, before the engine saw one of them. SIMULATED.

A case is a function of a random source and of what was withheld; each variant is an incident of its own. The truth says
what an expert could tell from the folder; ``cannot_decide`` where nobody could.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .folder import COMPUTE, COPY, HOST, OFF, WAIT, Incident, Strain, Truth

Build = Callable[[str, random.Random], tuple[Incident, Truth]]
CASES: dict[str, Build] = {}

LOGLESS = "slurm+kernel+dcgm"
BLIND = "slurm+log+kernel"


def cases(
    **variants: dict[str, Any],
) -> Callable[[Callable[..., tuple[Incident, Truth]]], Callable[..., tuple[Incident, Truth]]]:
    """Register a builder once a variant, as ``name/variant``."""

    def register(build: Callable[..., tuple[Incident, Truth]]) -> Callable[..., tuple[Incident, Truth]]:
        for variant, how in variants.items():
            name = f"{build.__name__.replace('_', '-')}.{variant}"
            CASES[name] = lambda title, rng, how=how: build(title, rng, **how)  # type: ignore[misc]
        return build

    return register


def build(name: str, seed: int) -> tuple[Incident, Truth]:
    """The incident ``name`` of a seed."""
    return CASES[name](name, random.Random(f"field:{seed}:{name}"))


def undecidable(why: str, also: list[str] | None = None) -> Truth:
    return Truth(None, "cannot_decide", why=why, also=also or [])


def blame(family: str, c: Incident, ranks: list[int], why: str, also: list[str] | None = None) -> Truth:
    return Truth(
        family,
        nodes=sorted({c.nodes[r // c.g] for r in ranks}),
        gpus=[c.gpus[r].uuid for r in ranks],
        why=why,
        also=also or [],
    )


def under_way(c: Incident, seconds: float | None = None, ahead: float = 3.0) -> None:
    """Start and train for some while of a longer plan."""
    s = seconds or c.rng.uniform(700, 2000)
    c.plan(s * ahead)
    c.begin()
    c.train(max(15, int(s / c.step_s / 2)))
    c.save()
    c.train(max(15, int(s / c.step_s / 2)))


def complete(c: Incident, why: str, family: str = "G1", also: list[str] | None = None) -> tuple[Incident, Truth]:
    """End as planned."""
    c.save()
    for line in c.speaker.end(c.t, c.log_zone, c.done):
        c.say(line)
    c.stop("COMPLETED")
    # A log that tells neither what was planned nor its end, without accounting, may as well have been cut.
    open_end = "slurm" not in c.told and c.framework in ("nanogpt", "maxtext")
    return c, Truth(family, why=why, also=[*(also or []), *(["cannot_decide"] if open_end else [])])


def planned_run(c: Incident, seconds: float | None = None, **how: Any) -> None:  # noqa: ANN401
    """A whole run."""
    s = seconds or c.rng.uniform(1000, 2600)
    c.plan(s)
    c.begin()
    c.ordinary(s, **how)


def failed(c: Incident, code: str = "1:0") -> None:
    c.stop("FAILED", code)


# --- A1 -------------------------------------------------------------------------------------------------------------
@cases(default={}, single={"nodes": 1, "gpus": 1}, bare={"profile": "bare"})
def a1_import(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, rng.uniform(6, 40))
    c.trace(
        f"ModuleNotFoundError: No module named '{rng.choice(['flash_attn', 'apex', 'transformer_engine'])}'",
        range(c.world),
        [
            ("/work/train.py", 12, "<module>", "from model import Block"),
            ("/work/model.py", 3, "<module>", "import ext"),
        ],
    )
    c.elastic(0, 1)
    failed(c)
    return c, Truth("A1", why="an import failed on all ranks, GPUs cold")


@cases(default={}, bare={"profile": "bare"})
def a1_arguments(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, rng.uniform(6, 20))
    c.say("usage: train.py [-h] [--data DATA] [--lr LR] [--steps STEPS]")
    c.say("train.py: error: unrecognized arguments: --warmup-itters 200")
    c.srun_failed(0, "Exited with exit code 2")
    failed(c, "2:0")
    return c, Truth("A1", why="argparse refused the command line")


@cases(default={}, old={"profile": "old"})
def a1_data_mid_run(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.hold(WAIT, 1.0)
    c.trace(
        "KeyError: 'input_ids'",
        [r],
        [
            ("/work/train.py", 311, "<module>", "main()"),
            ("/work/data.py", 88, "collate", "ids = [b['input_ids'] for b in batch]"),
        ],
    )
    c.elastic(r, 1)
    failed(c)
    return c, Truth("A1", why="a traceback of the job's own code on one rank in mid-run")


@cases(default={}, full={"profile": "full"})
def a1_illegal_access(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.xid(
        c.gpus[r],
        31,
        f"pid={40000 + r}, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f31_00000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    c.trace(
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        [r],
        [("/work/train.py", 311, "<module>", "main()"), ("/work/kernels.py", 40, "fused", "torch.cuda.synchronize()")],
    )
    c.elastic(r, 1)
    failed(c)
    return c, Truth("A1", why="XID 31 and an illegal access of the job's own kernel: the application's doing")


@cases(default={})
def a1_assert(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c, 500)
    r = rng.randrange(c.world)
    c.say(
        "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1308: indexSelectLargeIndex: block: [142,0,0], thread: [64,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        r,
    )
    c.xid(c.gpus[r], 43, f"pid={40000 + r}, name=python, Ch 00000010")
    c.trace("RuntimeError: CUDA error: device-side assert triggered", [r])
    c.elastic(r, 1)
    failed(c)
    return c, Truth("A1", why="device-side assert; XID 43 is its consequence")


@cases(nolog={"told": LOGLESS}, nolog_full={"told": LOGLESS, "profile": "full"})
def a1_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, rng.uniform(15, 45))
    failed(c)
    return c, undecidable("FAILED 1:0 within a minute, GPUs cold, no log: who knows", ["A1"])


@cases(default={}, k8s={"told": "log+dcgm"})
def a1_handled(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1500)
    c.begin()
    c.train(c.total // 3)
    c.say("WARNING: could not upload metrics, will retry in 30 s")
    c.trace(
        "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='metrics.example.org', port=443): Max retries exceeded with url: /api",
        [0],
        [("/work/metrics.py", 41, "upload", "session.post(url)")],
    )
    c.say("INFO: metrics uploaded after 1 retry")
    c.train(c.total - c.done)
    return complete(c, "a traceback that was handled, and the run went on to its planned end")


# --- A2 -------------------------------------------------------------------------------------------------------------
@cases(default={}, bare={"profile": "bare"}, single={"nodes": 1, "gpus": 1})
def a2_host_oom(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    pid = 40000 + r
    c.dmesg(r // c.g, f"python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0")  # noqa: F541
    c.dmesg(
        r // c.g,
        f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/system.slice/slurmstepd.scope/job_{c.job}/step_0/user/task_{r % c.g},task=python,pid={pid},uid=2001",
    )
    c.dmesg(
        r // c.g,
        f"Out of memory: Killed process {pid} (python) total-vm:911200340kB, anon-rss:498200112kB, file-rss:91220kB, shmem-rss:8812kB, UID:2001 pgtables:981120kB oom_score_adj:0",
    )
    c.elastic(r, -9, "SIGKILL")
    failed(c)
    return c, Truth("A2", nodes=[], why="the kernel's OOM killer took a rank")


@cases(default={}, table={"framework": "hf"})
def a2_cgroup(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    pid = 40000 + r
    c.dmesg(
        r // c.g,
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=task_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{c.job},task_memcg=/system.slice/slurmstepd.scope/job_{c.job}/step_0/user/task_{r % c.g},task=python,pid={pid},uid=2001",
    )
    c.dmesg(
        r // c.g,
        f"Memory cgroup out of memory: Killed process {pid} (python) total-vm:211200340kB, anon-rss:98200112kB, file-rss:91220kB, shmem-rss:8812kB, UID:2001 pgtables:281120kB oom_score_adj:0",
    )
    c.say(
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={c.job}.0. Some of the step tasks have been OOM Killed."
    )
    c.srun_failed(r, "Out Of Memory")
    c.stop("OUT_OF_MEMORY", "0:125")
    return c, Truth("A2", why="the cgroup's limit, by kernel, slurmstepd and accounting")


@cases(default={}, k8s={"told": "log+dcgm"})
def a2_segfault(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.dmesg(
        r // c.g,
        f"python[{40000 + r}]: segfault at 18 ip 00007fcf71985ad8 sp 00007ffca5f09948 error 4 in libtorch_cpu.so[7fcf71844000+156000]",
    )
    c.elastic(r, -11, "SIGSEGV")
    failed(c)
    return c, Truth("A2", why="SIGSEGV in native code, by the launcher")


@cases(default={})
def a2_unknown_sender(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.srun_failed(r, "Killed")
    c.say(f"srun: Terminating StepId={c.job}.0")
    failed(c, "137:0")
    return c, Truth("A2", why="SIGKILL, by srun's word; who sent it stays open")


@cases(default={}, full={"profile": "full"})
def a2_others_oom(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    for node in range(c.n):
        when = c.start - rng.uniform(4000, 90000)
        c.dmesg(
            node,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/slurm/uid_3001/job_{c.job - 900},task_memcg=/slurm/uid_3001/job_{c.job - 900}/step_0,task=python,pid=7123,uid=3001",
            when,
        )
        c.dmesg(
            node,
            "Memory cgroup out of memory: Killed process 7123 (python) total-vm:91120034kB, anon-rss:48200112kB, file-rss:0kB, shmem-rss:0kB, UID:3001 pgtables:181120kB oom_score_adj:0",
            when,
        )
    planned_run(c)
    return complete(c, "an OOM kill of another job, hours before")


# --- B1 -------------------------------------------------------------------------------------------------------------
_OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU {k} has a total capacity of {t:.2f} GiB of which 1.11 GiB is free. Including non-PyTorch memory, this process has {u:.2f} GiB memory in use.",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB (GPU {k}; {t:.2f} GiB total capacity; {u:.2f} GiB already allocated; 1.02 GiB free; {u:.2f} GiB reserved in total by PyTorch)",
    "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 3221225472 bytes.",
)


@cases(default={}, full={"profile": "full"}, single={"nodes": 1, "gpus": 1, "profile": "bare"})
def b1_step(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c, rng.choice([60, 900]))
    r = rng.randrange(c.world)
    t = c.model.memory_mib / 1024
    c.trace(rng.choice(_OOM).format(k=r % c.g, t=t, u=t - 1.2), [r])
    c.elastic(r, 1)
    failed(c)
    return c, Truth("B1", why="the allocator's own words")


@cases(default={})
def b1_crowded(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(3000)
    c.begin()
    t = c.model.memory_mib / 1024
    c.trace(
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of {t:.2f} GiB of which 9.12 MiB is free. Process 88123 has {t - 8:.2f} GiB memory in use. Including non-PyTorch memory, this process has 7.80 GiB memory in use.",
        [0],
    )
    c.elastic(0, 1)
    failed(c)
    return c, Truth("B1", why="refused beside another process that fills the GPU")


@cases(default={}, old={"profile": "old"})
def b1_handled(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1600)
    c.begin()
    for size in (64, 32):
        c.say(f"batch size {size}: CUDA out of memory, trying {size // 2}")
        c.hold(COMPUTE, 4, effort=0.8)
    c.ordinary(1600)
    return complete(c, "the batch-size finder's tries; the run went to its end")


@cases(nolog={"told": LOGLESS, "profile": "full"})
def b1_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.kernels.memory = 0.985
    under_way(c)
    failed(c)
    return c, undecidable("memory nearly full and FAILED 1:0, but no log to say what failed")


# --- B2 -------------------------------------------------------------------------------------------------------------
def hardware_end(c: Incident, r: int, error: str | None, wait: float = 6) -> None:
    """The rank fails with CUDA's word, the job with it."""
    c.hold(WAIT, wait)
    if error:
        c.trace(error, [r])
    c.elastic(r, 1)
    failed(c)


@cases(full={"profile": "full"}, default={}, nolog={"told": LOGLESS})
def b2_fell_off(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.xid(c.gpus[r], 79, f"pid={40000 + r}, name=python, GPU has fallen off the bus.")
    c.dmesg(r // c.g, f"NVRM: GPU {c.bus(c.gpus[r])}.0: GPU has fallen off the bus.")
    c.gpus[r].gone = c.t + 3
    hardware_end(c, r, "RuntimeError: CUDA error: unspecified launch failure")
    return c, blame("B2", c, [r], "XID 79; the GPU's series stop there")


@cases(full={"profile": "full"}, default={}, gauge={"told": "slurm+log+dcgm"})
def b2_double_bit(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    g = c.gpus[r]
    g.jumps["dbe"] = [(c.t, float(rng.randint(1, 3)))]
    g.jumps["remap_unc"] = [(c.t, 1.0)]
    c.xid(
        g,
        48,
        f"pid={40000 + r}, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0.",
    )
    c.xid(
        g,
        63,
        f"pid={40000 + r}, name=python, Row Remapper: New row (0x000000000002abcd) marked for remapping, reset gpu to activate.",
        c.t + 0.4,
    )
    hardware_end(c, r, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
    return c, blame("B2", c, [r], "a new double-bit error, by kernel or gauge and by CUDA")


@cases(default={}, iso={"profile": "bare"})
def b2_contained(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.xid(c.gpus[r], 94, f"pid={40000 + r}, name=python, Contained: SM (0x1). RST: No, D-RST: No")
    hardware_end(c, r, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
    return c, blame("B2", c, [r], "XID 94 and CUDA's ECC error")


@cases(default={})
def b2_nvlink(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, model="h100", **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.xid(
        c.gpus[r],
        74,
        f"pid={40000 + r}, name=python, NVLink: fatal error detected on link 4(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
    )
    hardware_end(
        c,
        r,
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable NVLink error detected during the execution'",
    )
    return c, blame("B2", c, [r], "XID 74 fatal on one GPU")


@cases(default={}, nolog={"told": LOGLESS})
def b2_gsp(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, model="h100", **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.xid(
        c.gpus[r],
        119,
        f"pid={40000 + r}, name=python, Timeout after 45s of waiting for RPC response from GPU{r % c.g} GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).",
    )
    c.hold(WAIT, rng.uniform(20, 50))
    hardware_end(c, r, "RuntimeError: CUDA error: unknown error")
    return c, blame("B2", c, [r], "GSP time-out before the end")


@cases(default={}, full={"profile": "full"})
def b2_neighbour(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=2, gpus=4, shared=True, **how)
    c.plan(1800)
    c.begin()
    c.ordinary(900)
    g = rng.choice(c.tenants)
    c.xid(
        g,
        48,
        "pid=7001, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 2, subpartition 1.",
    )
    g.jumps["dbe"] = [(c.t, 2.0)]
    c.train(c.total - c.done)
    return complete(c, "the fault was of a GPU of another job on the node; this one completed")


@cases(default={})
def b2_neighbour_crash(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=2, gpus=4, shared=True, **how)
    c.labelled = "hpc_job"
    under_way(c)
    g = rng.choice(c.tenants)
    c.xid(g, 94, "pid=7001, name=python3, Contained: SM (0x1). RST: No, D-RST: No", c.t - 200)
    c.trace("ValueError: too many values to unpack (expected 2)", [1])
    c.elastic(1, 1)
    failed(c)
    return c, Truth("A1", why="the crash is the job's own; the XID is of a GPU that it did not hold")


@cases(full={"profile": "full"}, default={})
def b2_old(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    g = rng.choice(c.gpus)
    before = c.start - rng.uniform(90000, 170000)
    g.jumps["dbe"] = [(0.0, 1.0)]
    g.jumps["dbe_old"] = [(0.0, 4.0)]
    g.jumps["remap_unc"] = [(0.0, 2.0)]
    c.xid(
        g,
        63,
        "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000021f01) marked for remapping, reset gpu to activate.",
        before,
    )
    planned_run(c)
    return complete(c, "counters that were high before and stayed; XID of days ago")


@cases(full={"profile": "full"})
def b2_corrected(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    g = rng.choice(c.gpus)
    g.jumps["sbe"] = [(c.start + 60 * k, float(k * k)) for k in range(1, 14)]
    planned_run(c)
    return complete(c, "corrected errors only")


# --- B3 -------------------------------------------------------------------------------------------------------------
def slow_half(c: Incident, ranks: list[int], clock: float, heat: float, reasons: int) -> float:
    """The second half of a run with these GPUs held down."""
    c.plan(2200)
    c.begin()
    c.train(c.total // 3)
    begun = c.t
    for r in ranks:
        c.gpus[r].strains.append(Strain(begun, begun + 86400, clock, heat, reasons))
    c.train(c.total // 3)
    c.save()
    c.train(c.total - c.done)
    return begun


@cases(full={"profile": "full"}, full_short={"profile": "full", "step_s": 0.7})
def b3_one_hot(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    r = rng.randrange(c.world)
    slow_half(c, [r], rng.uniform(0.35, 0.6), rng.uniform(18, 28), rng.choice([0x48, 0x20, 0x60]))
    complete(c, "")
    return c, blame("B3", c, [r], "a thermal reason, clock down to half, steps longer from then on")


@cases(default={}, full={"profile": "full"}, old={"profile": "old"})
def b3_hot_node(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    node = rng.randrange(c.n)
    ranks = [c.rank(node, k) for k in range(c.g)]
    slow_half(c, ranks, rng.uniform(0.3, 0.55), rng.uniform(20, 30), 0x68)
    complete(c, "")
    return c, Truth("B3", nodes=[c.nodes[node]], why="a whole node's clocks at half, hot, steps longer")


@cases(full={"profile": "full"}, default={})
def b3_brake(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    node = rng.randrange(c.n)
    slow_half(c, [c.rank(node, k) for k in range(c.g)], rng.uniform(0.2, 0.4), -4, 0x88)
    complete(c, "")
    return c, Truth("B3", nodes=[c.nodes[node]], why="power brake: clocks at a third on a cool node, steps longer")


@cases(full={"profile": "full"}, default={})
def b3_power_cap(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.kernels.power = 1.05
    planned_run(c)
    return complete(c, "clocks dance below boost at the power cap, as they do")


@cases(full={"profile": "full"})
def b3_hot_but_fast(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    for r in range(c.g):
        c.gpus[r].strains.append(Strain(0, 9e9, 1.0, 14.0))
    planned_run(c)
    return complete(c, "a hot node whose clocks held")


@cases(full={"profile": "full"})
def b3_neighbour(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=2, gpus=4, shared=True, **how)
    planned_run(c)
    for g in c.tenants[:2]:
        g.enter(c.start - 5000, COMPUTE)
        g.strains.append(Strain(0, 9e9, 0.4, 25, 0x48))
    return complete(c, "GPUs of another job throttle")


@cases(util={"profile": "util"})
def b3_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    slow_half(c, [0], 0.45, 20, 0x48)
    complete(c, "")
    return c, undecidable("steps became longer; no clock, power, temperature or SM activity says why", ["G1"])


# --- C1 -------------------------------------------------------------------------------------------------------------
@cases(default={}, bare={"profile": "bare"})
def c1_store(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, 20)
    for r in range(0, c.world, c.g):
        c.say(f"{c.clock()} INFO initializing process group: rank {r}, world size {c.world}, init_method=env://", r)
    c.hold(OFF, rng.choice([600, 900, 1800]))
    c.trace(
        f"torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. {c.world - c.g}/{c.world} clients joined.",
        [0],
        [("/work/train.py", 40, "main", "dist.init_process_group('nccl')")],
    )
    c.elastic(0, 1)
    failed(c)
    return c, Truth("C1", why="banner, silence, store time-out; all GPUs cold")


@cases(default={}, full={"profile": "full"})
def c1_limit(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.limit_s = rng.choice([1800, 3600])
    c.hold(OFF, 25)
    for r in range(0, c.world, c.g):
        c.say(
            f"{c.clock()} INFO rank {r}/{c.world}: calling torch.distributed.init_process_group(backend=nccl, init_method=tcp://{c.nodes[0]}:29500)",
            r,
        )
    c.hold(OFF, c.limit_s - 25)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, Truth("C1", why="a banner, then nothing until the limit; no GPU was ever touched")


@cases(default={})
def c1_refused(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, 25)
    for k in range(6):
        c.say(
            f"[W{c.clock()[5:].replace('-', '').replace(' ', ' ')}.113 socket.cpp:752] [c10d] The client socket has failed to connect to [{c.nodes[0]}]:29500 (errno: 111 - Connection refused).",
            c.g,
        )
        c.hold(OFF, 90 + k)
    c.trace(
        f"torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to ({c.nodes[0]}, 29500).",
        [c.g],
        [("/work/train.py", 40, "main", "dist.init_process_group('nccl')")],
    )
    c.elastic(c.g, 1)
    failed(c)
    return c, Truth("C1", why="connection refused, then the client's time-out")


@cases(default={})
def c1_slow_start(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1500)
    c.hold(OFF, 30)
    c.say(f"{c.clock()} INFO initializing process group, world size {c.world}")
    c.begin(rng.uniform(900, 1500))
    c.ordinary(1500)
    return complete(c, "half an hour of loading, then it trained to its end")


@cases(nolog={"told": LOGLESS})
def c1_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.limit_s = 3600
    c.hold(OFF, 3600)
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, undecidable("cold GPUs for the whole hour to the limit: no log tells what it waited for", ["C1"])


# --- C2 -------------------------------------------------------------------------------------------------------------
def frozen(c: Incident, seconds: float, lost: list[int], state: int = HOST) -> None:
    """The survivors wait in a collective; those lost do something else."""
    for r in lost:
        c.gpus[r].enter(c.t, state)
    c.hold(WAIT, seconds, [r for r in range(c.world) if r not in lost])


@cases(default={}, full={"profile": "full"}, old={"profile": "old"})
def c2_watchdog(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework=rng.choice(["plain", "megatron", "titan", "hf"]), **how)
    under_way(c)
    r = rng.randrange(c.world)
    frozen(c, 602, [r])
    seq = c.done * 12 + 3
    for other in range(c.world):
        if other != r:
            c.watchdog(other, seq)
    c.elastic((r + 1) % c.world, -6, "SIGABRT")
    failed(c)
    return c, blame("C2", c, [r], "all but one rank wait in the same collective; the lost one is idle")


@cases(default={}, full={"profile": "full"}, bare={"profile": "bare"})
def c2_silent(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    frozen(c, rng.uniform(1500, 3600), [r])
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, blame("C2", c, [r], "frozen to the limit, no watchdog; one GPU idle while the others spin")


@cases(default={}, full={"profile": "full"})
def c2_cancelled(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    frozen(c, rng.uniform(2500, 5000), [r])
    c.cancelled("")
    c.stop("CANCELLED by 2001", "0:15", "CANCELLED", "0:15")
    return c, blame("C2", c, [r], "it stood still for an hour until somebody cancelled it")


@cases(default={}, full={"profile": "full"})
def c2_killed_peer(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework="plain", **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.dmesg(
        r // c.g,
        f"Out of memory: Killed process {40000 + r} (python) total-vm:911200340kB, anon-rss:498200112kB, file-rss:91220kB, shmem-rss:8812kB, UID:2001 pgtables:981120kB oom_score_adj:0",
    )
    frozen(c, 1805, [r], OFF)
    for other in range(c.world):
        if other != r:
            c.watchdog(other, c.done * 9, 1_800_000)
    c.srun_failed(r, "Killed")
    failed(c, "137:0")
    return c, blame("C2", c, [r], "a rank was killed for memory; the others froze behind it", ["A2"])


@cases(full={"profile": "full"}, default={})
def c2_all_spin(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.hold(WAIT, rng.uniform(1500, 3600))
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, Truth("C2", why="all ranks spin to the limit: a fabric's hang; nobody stands out")


@cases(full={"profile": "full", "told": LOGLESS}, default={"told": LOGLESS})
def c2_nolog(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    frozen(c, rng.uniform(2000, 3600), [r])
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, blame("C2", c, [r], "by telemetry alone: worked, then all spin but one, to the limit")


@cases(default={}, full={"profile": "full"})
def c2_evaluation(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(2000)
    c.begin()
    c.train(c.total // 2)
    c.say("running evaluation on 5000 examples")
    c.gpus[0].enter(c.t, HOST)
    c.hold(WAIT, rng.uniform(150, 280), range(1, c.world))
    c.say("evaluation done: accuracy 0.412")
    c.train(c.total - c.done)
    return complete(c, "rank 0 evaluated alone while the others waited, and it went on")


@cases(default={"told": BLIND})
def c2_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework="nanogpt", **how)
    under_way(c)
    frozen(c, 3000, [0])
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, undecidable(
        "a log without clocks ends in steps, and the limit came: frozen or not, nobody can tell", ["F3"]
    )


# --- C3 -------------------------------------------------------------------------------------------------------------
@cases(default={"nodes": 1, "gpus": 1}, bare={"nodes": 1, "gpus": 1, "profile": "bare"})
def c3_mid(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.hold(HOST, rng.uniform(2400, 5000))
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")
    return c, blame("C3", c, [0], "one GPU, memory held, nothing launched for an hour, to the limit")


@cases(default={"nodes": 1, "gpus": 1}, nolog={"nodes": 1, "gpus": 1, "told": LOGLESS})
def c3_start(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(3000)
    c.begin()
    c.say("Tokenizing dataset")
    c.hold(HOST, rng.uniform(3000, 6000))
    c.cancelled("")
    c.stop("CANCELLED by 2001", "0:15", "CANCELLED", "0:15")
    return c, blame("C3", c, [0], "weights loaded, then idle for an hour")


@cases(default={"nodes": 1, "gpus": 1})
def c3_pause(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1600)
    c.begin()
    c.train(c.total // 2)
    for k in range(10):
        c.say(f"scoring generations on CPU: {k * 10}%")
        c.hold(HOST, 50)
    c.train(c.total - c.done)
    return complete(c, "a metric on the CPU for minutes, and it went on")


# --- D1 -------------------------------------------------------------------------------------------------------------
@cases(default={}, full={"profile": "full"}, single={"nodes": 1, "gpus": 1}, timm={"framework": "timm"})
def d1_severe(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, step_s=rng.uniform(0.6, 1.2), **how)
    wait = rng.uniform(9, 16) * c.step_s
    c.total = 3 * (int(2400 / (wait + c.step_s)) // 3)
    c.begin()
    for part in range(3):
        c.train(c.total // 3, data_s=lambda _: wait * rng.uniform(0.8, 1.2))
        if part < 2:
            c.save()
    return complete(c, "every step waits ten times as long for data as it computes, on all ranks", "D1")


@cases(default={}, full={"profile": "full"})
def d1_mild(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c, data_s=lambda _: 0.25 * c.step_s)
    return complete(c, "a fifth of each step waits for data: worth a warning")


# --- D2 -------------------------------------------------------------------------------------------------------------
@cases(default={}, full={"profile": "full"})
def d2_saves(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(
        name, rng, framework=rng.choice(["plain", "megatron", "titan", "hf"]), step_s=rng.uniform(1, 2.5), **how
    )
    c.every = 1
    c.total = 90
    c.begin()
    for _ in range(90):
        c.train(1)
        c.save(rng.uniform(12, 20))
    for line in c.speaker.end(c.t, c.log_zone, c.done):
        c.say(line)
    c.stop("COMPLETED")
    return c, Truth("D2", why="a save behind every step, ten times as long as it")


@cases(full={"profile": "full"}, default={})
def d2_network(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, step_s=rng.uniform(0.8, 1.5), **how)
    c.say(f"{c.nodes[0]}:3123:3204 [0] NCCL INFO NET/IB : No device found.")
    c.say(f"{c.nodes[0]}:3123:3204 [0] NCCL INFO NET/Socket : Using [0]eno1:10.0.0.4<0>")
    c.say(f"{c.nodes[0]}:3123:3204 [0] NCCL INFO Using network Socket")
    slow = rng.uniform(9, 14) * c.step_s
    c.total = 3 * (int(2400 / (slow + c.step_s)) // 3)
    c.begin()
    c.train(c.total, comm_s=slow)
    return complete(c, "NCCL over sockets; nine tenths of each step in collectives on all ranks alike", "D2")


@cases(default={})
def d2_blocking(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.say("+ export CUDA_LAUNCH_BLOCKING=1")
    c.kernels.sm = rng.uniform(0.1, 0.2)
    c.kernels.tensor = 0.05
    c.kernels.power = 0.25
    planned_run(c)
    return complete(c, "launches were blocking, by the job's own environment; GPUs hardly worked", "D2")


# --- D3 -------------------------------------------------------------------------------------------------------------
@cases(full={"profile": "full"}, default={}, bare={"profile": "bare"})
def d3_slow_gpu(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    r = rng.randrange(c.world)
    c.step_s = rng.uniform(0.8, 1.6)
    planned_run(c, 1200, slow={r: rng.uniform(2.2, 3.5)})
    complete(c, "")
    return c, blame("D3", c, [r], "one rank works all of the step, the others wait for it")


@cases(full={"profile": "full"}, default={})
def d3_late_host(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    r = rng.randrange(c.world)
    c.step_s = rng.uniform(0.8, 1.6)
    planned_run(c, 1200, late={r: rng.uniform(1.5, 3) * c.step_s})
    complete(c, "")
    return c, blame(
        "D3",
        c,
        [r],
        "one rank comes late from its host in every step: its GPU idles while the others wait busily",
        ["D1"],
    )


@cases(default={}, full={"profile": "full"})
def d3_idle_reserved(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=1, gpus=4, shared=True, **how)
    c.labelled = None
    planned_run(c)
    return complete(c, "half of the node's GPUs were not used: not a straggler")


@cases(full={"profile": "full"})
def d3_uneven(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c, slow={r: 1.0 + 0.08 * (r // c.g) / c.n for r in range(c.world)})
    return complete(c, "stages a few percent apart")


@cases(util={"profile": "util"})
def d3_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c, 1200, slow={1: 3.0})
    complete(c, "")
    return c, undecidable("all utilisation at 100: a straggler cannot be seen, nor ruled out", ["G1"])


# --- E --------------------------------------------------------------------------------------------------------------
@cases(default={"framework": "megatron"}, json={"framework": "plain"})
def e1_nan(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1800)
    bad = c.total // 3
    fall = c.falling
    c.curve = lambda n: float("nan") if n > bad else fall(n)
    c.begin()
    c.ordinary(1800)
    return complete(c, "NaN from a third on", "E1")


@cases(default={}, full={"profile": "full"})
def e1_diverged(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.every = min(c.every, 5)
    c.plan(1800)
    bad = c.total // 2
    fall = c.falling
    c.curve = lambda n: fall(n) if n < bad else c.first_loss * rng.uniform(5, 9)
    c.begin()
    c.ordinary(1800)
    return complete(c, "the loss leapt far above its start and stayed", "E1")


@cases(default={"framework": "titan"})
def e1_spike(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.every = 1
    c.plan(1800)
    bad = c.total // 2
    fall = c.falling
    c.curve = lambda n: fall(n) * (4 if bad <= n < bad + 6 else 1)
    c.begin()
    c.ordinary(1800)
    return complete(c, "a spike that came back")


@cases(default={"framework": "megatron"})
def e1_flat(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, step_s=1.2, **how)
    c.every = 5
    c.plan(1800)
    c.curve = lambda n: c.first_loss * (1 + rng.gauss(0, 0.0004))
    c.begin()
    c.ordinary(1800)
    return complete(c, "the loss never moved in hundreds of reports", "E1")


@cases(default={})
def e2_mismatch(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(2000)
    c.begin()
    c.say("Resuming from checkpoint /ckpt/run/step_12000")
    c.trace(
        "RuntimeError: Error(s) in loading state_dict for GPT:\n\tsize mismatch for wte.weight: copying a param with shape torch.Size([50257, 1024]) from checkpoint, the shape in current model is torch.Size([50304, 1024]).",
        range(c.world),
        [("/work/train.py", 99, "resume", "model.load_state_dict(state['model'])")],
    )
    c.elastic(0, 1)
    failed(c)
    return c, Truth("E2", why="the checkpoint did not fit")


@cases(default={})
def e2_corrupt(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(2000)
    c.begin()
    c.say("loading checkpoint from /ckpt/run/iter_0004000.pt")
    c.trace(
        "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
        [0],
        [("/work/train.py", 99, "resume", "state = torch.load(path, map_location='cpu')")],
    )
    c.elastic(0, 1)
    failed(c)
    return c, Truth("E2", why="the checkpoint was torn")


@cases(default={"framework": "megatron"}, plain={"framework": "plain"})
def e2_resumed(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(4000)
    c.done = c.total // 2
    c.begin()
    c.say(f"loading checkpoint from /ckpt/run at iteration {c.done}")
    c.say(f"  successfully loaded checkpoint from /ckpt/run [ t 0/1, p 0/1 ] at iteration {c.done}")
    c.train(c.total - c.done)
    return complete(c, "a proper resume, to the planned end")


@cases(default={}, hf={"framework": "hf"})
def e3_trial(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.every = 1
    c.total = rng.choice([2, 3, 4])
    c.begin()
    c.train(c.total)
    return complete(c, "a handful of steps, as planned", "E3")


@cases(default={})
def e3_sparse(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.every = 150
    c.step_s = 2.0
    c.plan(1800)
    c.total = 450
    c.begin()
    c.train(450)
    return complete(c, "hundreds of steps, of which few were printed")


# --- F --------------------------------------------------------------------------------------------------------------
@cases(default={}, full={"profile": "full"}, nolog={"told": LOGLESS})
def f1_down(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    node = rng.randrange(1, c.n)
    c.silent[node] = c.t
    c.hold(WAIT, rng.uniform(60, 240))
    c.states[node] = ("DOWN*", "Not responding", c.t)
    c.say(f"srun: error: Node failure on {c.nodes[node]}")
    c.say(
        f"slurmstepd: error: *** STEP {c.job}.0 ON {c.nodes[0]} CANCELLED AT {c.clock().replace(' ', 'T')} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    c.stop("NODE_FAIL", "0:0", "CANCELLED", "0:15")
    return c, Truth("F1", nodes=[c.nodes[node]], why="NODE_FAIL, the node down, its series stop")


@cases(default={})
def f1_no_states(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    node = rng.randrange(1, c.n)
    c.silent[node] = c.t
    c.hold(WAIT, rng.uniform(90, 240))
    c.stop("NODE_FAIL", "0:0", "CANCELLED", "0:15")
    return c, Truth("F1", nodes=[c.nodes[node]], why="NODE_FAIL, and only one node's series stop before the end")


@cases(default={}, full={"profile": "full"})
def f1_exporter(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1800)
    c.begin()
    c.train(c.total // 2)
    for k in range(c.g):
        c.gpus[c.rank(c.n - 1, k)].gone = c.t
    c.train(c.total - c.done)
    return complete(c, "one node's exporter died; the job went on to its end")


@cases(default={})
def f1_drained(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c)
    c.states[0] = ("IDLE+DRAIN", "firmware update", c.t + 4000)
    return complete(c, "the node was drained for maintenance after the job")


@cases(default={}, full={"profile": "full"})
def f2_went_on(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework="megatron", **how)
    c.plan(2400)
    c.begin()
    c.train(c.total // 2)
    c.save()
    kept = c.done
    c.train(20)
    c.cancelled(" DUE TO PREEMPTION")
    c.stop("PREEMPTED", "0:15", "CANCELLED", "0:15")
    c.rows[0].end = c.t
    c.hold(OFF, rng.uniform(300, 900))
    again = c.t
    c.done = kept
    c.begin()
    c.say(f"  successfully loaded checkpoint from /ckpt/run [ t 0/1, p 0/1 ] at iteration {kept}")
    c.train(c.total - c.done)
    c.save()
    for line in c.speaker.end(c.t, c.log_zone, c.done):
        c.say(line)
    c.stop("COMPLETED")
    c.rows[1].start = again
    return c, Truth("F2", why="preempted, started again from its checkpoint, completed")


@cases(default={}, nolog={"told": LOGLESS})
def f2_lost(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.cancelled(" DUE TO PREEMPTION")
    c.stop("PREEMPTED", "0:15", "CANCELLED", "0:15")
    return c, Truth("F2", why="preempted, not started again")


@cases(default={"told": "log+dcgm"})
def f2_unseen(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.say("WARNING: received signal 15, terminating")
    c.stop("PREEMPTED", "0:15")
    return c, undecidable("SIGTERM, and nobody says who sent it or why", ["A2", "outside_families"])


@cases(default={}, full={"profile": "full"}, nolog={"told": LOGLESS}, blind={"told": "slurm+log"})
def f3_limit(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework=rng.choice(["plain", "megatron", "titan", "mmengine"]), **how)
    under_way(c)
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15", after=3)
    return c, Truth("F3", why="the limit came while it trained")


# --- G1 and outside ---------------------------------------------------------------------------------------------------
@cases(
    default={},
    full={"profile": "full"},
    bare={"profile": "bare"},
    old={"profile": "old"},
    k8s={"told": "log+dcgm"},
    big={"nodes": 16, "gpus": 2},
    v100={"model": "v100", "profile": "old"},
    single={"nodes": 1, "gpus": 1},
    shared={"shared": True, "nodes": 2, "gpus": 4},
    nolog_nothing={"told": BLIND},
)
def g1_plain(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c)
    for g in c.tenants:
        g.enter(c.start - 9000, rng.choice([COMPUTE, OFF, HOST]), rng.uniform(0.3, 1))
    return complete(c, "worked to its planned end")


@cases(default={"nodes": 1, "gpus": 1})
def g1_mig(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, model="a100", **how)
    c.mig = "3g.40gb"
    c.labelled = "pod"
    planned_run(c)
    return complete(c, "on a MIG instance, to its planned end")


@cases(default={}, full={"profile": "full"})
def g1_hole(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(2400)
    c.begin()
    c.train(c.total // 2)
    c.holes.append((c.t, c.t + 500))
    c.train(c.total - c.done)
    return complete(c, "Prometheus was down for eight minutes in it")


@cases(default={}, full={"profile": "full"})
def outside_cancel(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.cancelled("")
    c.stop("CANCELLED by 2001", "0:15", "CANCELLED", "0:15", after=2)
    return c, Truth(None, "outside_families", why="the user cancelled a run that trained")


@cases(default={})
def outside_disk(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.hold(HOST, 20)
    c.trace(
        "OSError: [Errno 28] No space left on device",
        [0],
        [("/work/train.py", 311, "<module>", "main()"), ("/work/train.py", 150, "save", "torch.save(state, path)")],
    )
    c.elastic(0, 1)
    failed(c)
    return c, Truth(None, "outside_families", why="the disk was full", also=["A1"])


# --- nothing to go by -------------------------------------------------------------------------------------------------
@cases(default={"told": LOGLESS}, full={"told": LOGLESS, "profile": "full"})
def nothing_failed(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    failed(c)
    return c, undecidable("busy until FAILED 1:0; no log")


@cases(default={"told": "dcgm"}, full={"told": "dcgm", "profile": "full"})
def nothing_metrics(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.stop("FAILED", "1:0")
    return c, undecidable("metrics alone: GPUs were busy, then not")


@cases(default={"told": "log+dcgm"})
def nothing_cut(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.stop("FAILED", "1:0")
    return c, undecidable("the log ends in mid-training, no accounting")


__all__ = ["CASES", "COPY", "build"]
