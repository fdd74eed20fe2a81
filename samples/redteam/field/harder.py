"""Harder incidents, written after the first two scores and committed before the third. SIMULATED.

Weaker signals, two culprits, whole nodes, shared nodes, restarts, one log of another zone, accounting of several jobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .folder import COMPUTE, COPY, HOST, OFF, WAIT, Incident, Row, Strain, Truth
from .incidents import (
    CASES,
    LOGLESS,
    blame,
    cases,
    complete,
    failed,
    frozen,
    hardware_end,
    planned_run,
    slow_half,
    undecidable,
    under_way,
)

if TYPE_CHECKING:
    import random

_BEFORE = frozenset(CASES)


def to_limit(c: Incident) -> None:
    c.limit_s = 60 * ((c.t - c.start) // 60)
    c.cancelled(" DUE TO TIME LIMIT")
    c.stop("TIMEOUT", "0:0", "CANCELLED", "0:15")


@cases(default={}, full={"profile": "full"})
def c2_short(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework=rng.choice(["plain", "megatron", "titan", "mmengine", "json"]), **how)
    under_way(c, 1500)
    r = rng.randrange(c.world)
    frozen(c, rng.uniform(780, 1000), [r])
    c.cancelled("")
    c.stop("CANCELLED by 2001", "0:15", "CANCELLED", "0:15")
    return c, blame("C2", c, [r], "a quarter of an hour frozen, then cancelled")


@cases(full={"profile": "full"})
def c2_channels(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.kernels.sm = rng.uniform(0.7, 0.95)
    c.kernels.power = rng.uniform(0.75, 0.95)
    c.kernels.wait_sm, c.kernels.wait_power = rng.uniform(0.17, 0.26), rng.uniform(0.15, 0.3)
    under_way(c)
    r = rng.randrange(c.world)
    frozen(c, rng.uniform(1500, 3000), [r])
    to_limit(c)
    return c, blame("C2", c, [r], "waiting channels keep a fifth of the SMs resident")


@cases(default={}, nolog={"told": LOGLESS})
def c2_two_lost(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=3, gpus=4, **how)
    under_way(c)
    node = rng.randrange(c.n)
    lost = [c.rank(node, 1), c.rank(node, 2)]
    frozen(c, rng.uniform(1500, 3000), lost)
    to_limit(c)
    return c, blame("C2", c, lost, "two ranks of one node did not come")


@cases(default={}, full={"profile": "full"})
def c2_shared(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=2, gpus=4, shared=True, **how)
    c.labelled = "hpc_job"
    under_way(c)
    r = rng.randrange(c.world)
    frozen(c, rng.uniform(1500, 3000), [r])
    to_limit(c)
    for g in c.tenants:
        g.enter(c.start - 9000, COMPUTE, rng.uniform(0.4, 1))
    return c, blame("C2", c, [r], "GPUs of other jobs on the same nodes compute all the while")


@cases(full={"profile": "full"}, default={})
def d3_twice(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, step_s=rng.uniform(1.0, 3.0), **how)
    c.kernels.sm = rng.uniform(0.6, 0.9)
    c.kernels.tensor = 0.5 * c.kernels.sm
    c.kernels.power = rng.uniform(0.7, 0.95)
    r = rng.randrange(c.world)
    planned_run(c, 1500, slow={r: rng.uniform(1.9, 2.2)})
    complete(c, "")
    return c, blame("D3", c, [r], "one rank takes twice as long")


@cases(full={"profile": "full"}, default={})
def d3_slow_node(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, nodes=4, gpus=4, step_s=rng.uniform(1.0, 3.0), **how)
    c.kernels.sm, c.kernels.power = rng.uniform(0.6, 0.9), rng.uniform(0.7, 0.95)
    node = rng.randrange(c.n)
    planned_run(c, 1200, slow={c.rank(node, k): rng.uniform(2.4, 2.6) for k in range(c.g)})
    complete(c, "")
    return c, Truth("D3", nodes=[c.nodes[node]], why="all GPUs of one node are slow: the node is the straggler")


@cases(default={"nodes": 1, "gpus": 1}, full={"nodes": 1, "gpus": 4, "profile": "full"})
def d1_bursts(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(
        name, rng, step_s=rng.uniform(0.8, 1.4), framework=rng.choice(["plain", "megatron", "titan", "json"]), **how
    )
    c.every = 5
    c.total = 210
    c.begin()
    c.train(c.total, data_s=lambda n: rng.uniform(75, 95) if n % 10 == 9 else 0.0)
    return complete(
        c, "every ten steps the buffer runs dry for a minute and a half: at work an eighth of the time", "D1", ["G1"]
    )


@cases(default={}, full={"profile": "full"})
def g1_evaluates(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(1500)
    c.begin()
    for k in range(3):
        c.train(c.total // 3)
        c.say("evaluating ...")
        c.hold(COMPUTE, rng.uniform(150, 260), effort=0.4)
        c.say(f"eval accuracy 0.{41 + k}")
    return complete(c, "a third of the time is evaluation")


@cases(default={"told": "slurm+log+dcgm"}, full={"profile": "full", "told": "slurm+log+dcgm"})
def b2_remap(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, model=rng.choice(["a100", "h100"]), **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.gpus[r].jumps["remap_unc"] = [(c.t, 1.0)]
    c.gpus[r].jumps["remap_fail"] = [(c.t, 1.0)]
    hardware_end(c, r, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
    return c, blame("B2", c, [r], "an uncorrectable row was remapped, and failed to, when CUDA met the ECC error")


@cases(default={}, full={"profile": "full"})
def b2_survived(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, model="h100", **how)
    c.plan(3000)
    c.begin()
    c.train(c.total // 3)
    c.xid(
        rng.choice(c.gpus),
        63,
        "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000021f01) marked for remapping, reset gpu to activate.",
    )
    c.train(c.total - c.done)
    return complete(c, "a row was marked for remapping; the run went on for half an hour to its planned end")


@cases(default={}, full={"profile": "full"})
def b3_everywhere(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework=rng.choice(["plain", "megatron", "hf", "mmengine", "timm"]), **how)
    c.every = 5
    slow_half(c, list(range(c.world)), rng.uniform(0.35, 0.5), rng.uniform(18, 25), 0x60)
    complete(c, "")
    return c, Truth("B3", nodes=list(c.nodes), why="the cooling failed: all clocks at less than half from a third on")


@cases(full={"profile": "full"})
def b3_brief(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.plan(2400)
    c.begin()
    c.train(c.total // 2)
    for g in c.gpus[: c.g]:
        g.strains.append(Strain(c.t, c.t + 70, 0.6, 10, 0x40))
    c.train(c.total - c.done)
    return complete(c, "a minute of throttling in an hour")


@cases(default={}, full={"profile": "full"})
def f1_rebooted(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    node = rng.randrange(1, c.n)
    c.silent[node] = c.t
    c.hold(WAIT, rng.uniform(100, 280))
    c.states[node] = ("DOWN", "Node unexpectedly rebooted", c.t)
    c.boots[node] = c.t - 60
    c.say(f"srun: error: Node failure on {c.nodes[node]}")
    c.stop("NODE_FAIL", "0:0", "CANCELLED", "0:15")
    return c, Truth("F1", nodes=[c.nodes[node]], why="the node rebooted under the job")


@cases(default={})
def f1_drained_before(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c)
    c.states[1] = ("IDLE+DRAIN", "gres/gpu count reported lower than configured", c.start - 9000)
    return complete(c, "a node that was marked for draining before; the job did not mind")


@cases(default={}, nolog={"told": LOGLESS})
def f2_pending(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    c.cancelled(" DUE TO JOB REQUEUE")
    c.stop("REQUEUED", "0:0", "CANCELLED", "0:15")
    c.rows.append(Row(c.t + 400, None, "PENDING"))
    return c, Truth("F2", why="requeued, waiting to start again")


@cases(default={})
def a1_then_teardown(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework="plain", **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.trace("AssertionError: sequence length 4097 exceeds 4096", [r])
    c.t += 2
    for other in range(c.world):
        if other != r:
            c.say(
                f"[rank{other}]:[E ProcessGroupNCCL.cpp:629] [Rank {other}] NCCL watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error",
                other,
            )
    c.elastic(r, 1)
    failed(c)
    return c, Truth("A1", why="an assertion of one rank; the others' NCCL errors follow from it")


@cases(default={})
def a2_loader(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    under_way(c)
    r = rng.randrange(c.world)
    c.dmesg(
        r // c.g,
        "Memory cgroup out of memory: Killed process 51877 (pt_data_worker) total-vm:41200340kB, anon-rss:18200112kB, file-rss:91220kB, shmem-rss:8812kB, UID:2001 pgtables:81120kB oom_score_adj:0",
    )
    c.trace("RuntimeError: DataLoader worker (pid 51877) is killed by signal: Killed. ", [r])
    c.elastic(r, 1)
    failed(c)
    return c, Truth("A2", why="a loader worker was killed for memory; its rank fell with it")


@cases(default={}, full={"profile": "full"})
def g1_container_utc(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, framework=rng.choice(["plain", "megatron", "titan"]), **how)
    c.zone, c.log_zone = rng.choice([-480, 330, 540]), 0
    planned_run(c)
    return complete(c, "the container logs in UTC, the cluster does not")


@cases(default={"told": LOGLESS}, full={"told": LOGLESS, "profile": "full"})
def nothing_ever(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, rng.uniform(1200, 3000))
    c.stop("COMPLETED")
    return c, undecidable("COMPLETED, no log, GPUs never touched")


@cases(default={"told": LOGLESS})
def nothing_done(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    planned_run(c)
    c.stop("COMPLETED")
    return c, undecidable("COMPLETED, GPUs busy, no log: whether it learned anything nobody knows", ["G1"])


@cases(default={"nodes": 1, "gpus": 1}, nolog={"nodes": 1, "gpus": 1, "told": LOGLESS})
def c3_mig(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, model="a100", framework="plain", **how)
    c.mig = "2g.20gb"
    under_way(c)
    c.hold(HOST, rng.uniform(3000, 5000))
    to_limit(c)
    return c, blame("C3", c, [0], "one MIG instance, memory held, engine at zero for an hour")


@cases(default={})
def c1_loads_for_ever(name: str, rng: random.Random, **how: Any) -> tuple[Incident, Truth]:  # noqa: ANN401
    c = Incident(name, rng, **how)
    c.hold(OFF, 20)
    c.say(f"{c.clock()} INFO loading dataset index from /lustre/data/index.bin")
    c.hold(COPY, rng.uniform(3000, 4000))
    to_limit(c)
    return c, undecidable(
        "weights on the GPUs, an index that loads, then the limit: stuck or slow, nobody knows", ["F3"]
    )


NAMES = tuple(name for name in CASES if name not in _BEFORE)
"""The incidents of this module."""
