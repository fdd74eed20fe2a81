"""Harder incidents, written after the first contact with the others and before the engine saw these."""

from __future__ import annotations

from typing import Final

from .incidents import (
    CASES,
    LOOP,
    MAIN,
    _dies,
    _frozen,
    book,
    case,
    failing,
    finish,
    launch,
    planned,
    torn_down,
    traceback,
    train,
)
from .papers import clock
from .world import Row, Truth, World

_BEFORE = set(CASES)


@case("h-f1-drifted-clock", nodes=4, dmesg="ctime", drift_s=-317.0, sacct="json")
def f1(w: World) -> Truth:
    launch(w)
    train(w, 75)
    node = w.rng.randrange(w.n)
    w.kern(node, "watchdog: BUG: soft lockup - CPU#17 stuck for 26s! [python3:88123]", w.now - 4)
    w.lost[node] = w.now
    w.put(w.all(), "spin", 320)
    w.go(320)
    w.shout(f"srun: error: Node failure on {w.nodes[node]}")
    w.shout("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    w.everyone("absent", 5)
    book(w, "NODE_FAIL", "1:0", step_state="CANCELLED", step_code="0:9")
    return Truth(
        "F1", "a node went silent and Slurm says so; its kernel clock is five minutes slow", nodes=[w.nodes[node]]
    )


@case("h-b2-gauge-only", metrics="shipped", dmesg="raw")
def b2_gauge(w: World) -> Truth:
    launch(w)
    train(w, 90)
    r = w.rng.randrange(w.world)
    w.bump(r, "XID_ERRORS", 79)
    w.put(w.all(), "spin", 70)
    w.go(70)
    failing(w, "1:0")
    w.has |= {"log": False, "dmesg": False}
    return Truth(
        "B2",
        "the exporter's gauge turns to XID 79 a minute before the job FAILED; no log, no kernel log",
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
        ranks=[r],
    )


@case("h-b2-rates", metrics="everything", rated="5m", layout="metric", scheme="exporter")
def b2_rates(w: World) -> Truth:
    launch(w)
    train(w, 60)
    r = w.rng.randrange(w.world)
    w.bump(r, "ECC_DBE_VOL_TOTAL", 3)
    w.bump(r, "XID_ERRORS", 95)
    w.put(w.all(), "host", w.scrape * 3)
    w.go(w.scrape * 3)
    _dies(w, r, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered")
    w.has["dmesg"] = False
    return Truth(
        "B2",
        "counters were asked for as rates, without names; the gauge and CUDA tell of an uncorrectable error",
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
        ranks=[r],
    )


@case("h-g1-rates", metrics="everything", rated="1m", layout="metric", scheme="operator")
def g1_rates(w: World) -> Truth:
    planned(w, 70)
    launch(w)
    train(w, 70)
    finish(w)
    return Truth("G1", "a sound run whose counters were asked for as rates")


@case("h-g1-blank-profiling", metrics="profiled", blank=True)
def g1_blank(w: World) -> Truth:
    planned(w, 70)
    launch(w)
    train(w, 70)
    finish(w)
    return Truth("G1", "profiling fields answer DCGM's blank value, 9223372036854775794, all along")


@case("h-c2-blank-profiling", metrics="profiled", blank=True, nodes=2, gpus=8, board="h100")
def c2_blank(w: World) -> Truth:
    launch(w)
    train(w, 60)
    r = w.rng.randrange(1, w.world)
    _frozen(w, 50, [r])
    w.everyone("absent", 10)
    book(w, "CANCELLED by 5012", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(
        "C2",
        "frozen by utilisation and power; the profiling fields are blank",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("h-nothing-by-node", by_node=True, metrics="dashboard", nodes=4)
def by_node(w: World) -> Truth:
    launch(w)
    train(w, 60)
    failing(w, "1:0")
    w.has |= {"log": False, "dmesg": False}
    return Truth(None, "node averages and FAILED: nothing tells why", outcome="cannot_decide")


@case("h-f3-by-node", by_node=True, metrics="dashboard", nodes=4)
def f3_by_node(w: World) -> Truth:
    w.limit_min = 150
    launch(w, planned=10_000_000)
    train(w, (w.start + w.limit_min * 60 - w.now) / 60)
    w.everyone("absent", 10)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth("F3", "steps went on until the limit; telemetry is averages by node")


@case("h-a2-kernels-in-one-file", nodes=6, one_kernel_file=True, dmesg="ctime")
def a2_one_file(w: World) -> Truth:
    launch(w)
    train(w, 50)
    r = w.rng.randrange(w.world)
    node = r // w.g
    w.kern(
        node,
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=slurm,mems_allowed=0-1,oom_memcg=/slurm/uid_5012/job_{w.job}/step_0,task_memcg=/slurm/uid_5012/job_{w.job}/step_0/task_{r},task=python3,pid=771233,uid=5012",
    )
    w.kern(
        node,
        "Memory cgroup out of memory: Killed process 771233 (python3) total-vm:518276120kB, anon-rss:231887304kB, file-rss:71204kB, shmem-rss:1822444kB, UID:5012 pgtables:468432kB oom_score_adj:0",
    )
    w.go(5)
    torn_down(w, r, 137)
    failing(w, "0:9", step_state="FAILED", step_code="0:9")
    return Truth("A2", "the job's own cgroup killed a rank; all nodes' kernel logs lie in one file behind host names")


@case("h-a1-log-in-utc", log_offset_min=0, offset_min=-420, style="logged", sacct="long")
def a1_utc(w: World) -> Truth:
    launch(w)
    train(w, 65)
    r = w.rng.randrange(w.world)
    traceback(
        w,
        r,
        [MAIN, LOOP, ("/home/mreyes/pt/sched.py", 31, "step", "self.lr = table[self.phase]")],
        "IndexError: list index out of range",
    )
    torn_down(w, r)
    failing(w)
    return Truth("A1", "an exception; the log counts in UTC, accounting in local time")


@case("h-g1-log-in-utc", log_offset_min=0, offset_min=540, style="mmengine", sacct="parsable")
def g1_utc(w: World) -> Truth:
    planned(w, 65)
    launch(w)
    train(w, 65)
    finish(w)
    return Truth("G1", "sound; the log counts in UTC, accounting in local time")


@case("h-f3-many-jobs", other_jobs=True, sacct="long", style="megatron")
def f3_many(w: World) -> Truth:
    w.limit_min = 120
    launch(w, planned=10_000_000)
    train(w, (w.start + w.limit_min * 60 - w.now) / 60)
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    w.everyone("absent", 20)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth("F3", "accounting lists older jobs of the user too; this one met its limit under way")


@case("h-g1-many-jobs", other_jobs=True, sacct="parsable", style="nano")
def g1_many(w: World) -> Truth:
    planned(w, 60)
    launch(w)
    train(w, 60)
    finish(w)
    return Truth("G1", "accounting lists an older job that failed; this one is sound")


@case("h-f2-headless", headless=True, sacct="long", style="hf")
def f2_headless(w: World) -> Truth:
    launch(w)
    train(w, 55)
    book(w, "PREEMPTED", "0:0", step_state="CANCELLED", step_code="0:15")
    w.everyone("absent", 2400)
    w.rows.append(Row("", "pretrain", "PENDING", "0:0", None, None))
    return Truth("F2", "sacct -n: preempted, and pending again", also=["cannot_decide"])


@case("h-d3-power-only", nodes=2, gpus=8, metrics="dashboard", board="h100")
def d3_power(w: World) -> Truth:
    r = w.rng.randrange(w.world)
    launch(w)
    f = w.steady(sm=0.85, power=0.9)
    w.put([k for k in w.all() if k != r], "train", 5400, **{**f, "step": w.step_s * 3, "work": 0.27, "wait": 0.71})
    w.put([r], "train", 5400, **{**f, "step": w.step_s * 3, "work": 0.95, "wait": 0.03})
    w.planned = int(5400 / (w.step_s * 3))
    train(w, 90, ranks=(), slower=3)
    finish(w)
    return Truth(
        "D3",
        "one GPU draws twice the power of its peers all along, all are fully utilised, steps are slow",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("h-d3-slow-node", nodes=4, gpus=4, metrics="profiled", scrape=60)
def d3_node(w: World) -> Truth:
    bad = w.rng.randrange(w.n)
    launch(w)
    f = w.steady()
    mine = [k for k in w.all() if k // w.g == bad]
    w.put(
        [k for k in w.all() if k not in mine],
        "train",
        5400,
        **{**f, "step": w.step_s * 2.4, "work": f["work"] / 2.4, "wait": 0.98 - f["work"] / 2.4},
    )
    w.put(mine, "train", 5400, **{**f, "step": w.step_s * 2.4, "work": 0.94, "wait": 0.04})
    w.planned = int(5400 / (w.step_s * 2.4))
    train(w, 90, ranks=(), slower=2.4)
    finish(w)
    return Truth(
        "D3",
        "a whole node computes all the time while the others wait",
        ranks=mine,
        nodes=[w.nodes[bad]],
        gpus=[w.uuids[k] for k in mine],
    )


@case("h-d1-coarse", nodes=1, gpus=4, metrics="shipped", scrape=60, style="logged")
def d1_coarse(w: World) -> Truth:
    w.step_s = 31.0
    planned(w, 150)
    launch(w)
    train(w, 150, work=0.04, wait=0.01)
    finish(w)
    return Truth("D1", "steps of half a minute of which one second is work, scraped once a minute by utilisation")


@case("h-c1-half-cold", nodes=4, gpus=4, style="json")
def c1_half(w: World) -> Truth:
    launch(w, loads=False)
    w.say("waiting for 16 ranks at tcp://" + w.nodes[0] + ":29400", 0)
    w.put(range(12), "host", 1800, memory=0.007)
    w.put(range(12, 16), "absent", 1800)
    w.go(1800)
    for r in range(0, 12, 4):
        w.shout(
            "torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to ("
            + w.nodes[0]
            + ", 29400).",
            r,
        )
    torn_down(w, 0)
    failing(w)
    return Truth("C1", "three nodes of four wait half an hour for the fourth; nothing was ever launched")


@case("h-c2-trigger-oom", nodes=3, gpus=8)
def c2_trigger(w: World) -> Truth:
    launch(w)
    train(w, 70)
    r = w.rng.randrange(8, w.world)
    w.kern(
        r // w.g,
        "Out of memory: Killed process 441239 (python3) total-vm:518276120kB, anon-rss:431887304kB, file-rss:71204kB, shmem-rss:1822444kB, UID:5012 pgtables:468432kB oom_score_adj:0",
    )
    w.put([k for k in w.all() if k != r], "spin", 1800)
    w.put([r], "absent", 1800)
    w.go(1800)
    for k in range(8):
        w.shout(
            f"[rank{k}]:[E ProcessGroupNCCL.cpp:683] [Rank {k}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5512, OpType=_ALLGATHER_BASE, NumelIn=9437184, NumelOut=226492416, Timeout(ms)=1800000) ran for 1800058 milliseconds before timing out.",
            k,
        )
    torn_down(w, 0, 134)
    failing(w, "0:6", step_code="0:6")
    return Truth(
        "C2",
        "a rank was killed for memory; the others froze for half an hour",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("h-e1-in-rank-files", rank_files=True, style="json", nodes=1)
def e1_ranks(w: World) -> Truth:
    planned(w, 80)
    launch(w)
    train(w, 30)
    train(w, 50, loss=lambda n: float("inf"))
    finish(w)
    return Truth("E1", "the loss is infinite for the rest of the run")


@case("h-g1-three-days", nodes=1, gpus=8, scrape=60, metrics="profiled", style="megatron")
def g1_long(w: World) -> Truth:
    w.step_s, w.limit_min = 11.0, 7200
    planned(w, 2900)
    launch(w)
    train(w, 2900)
    finish(w)
    return Truth("G1", "two days of sound training")


@case("h-g1-ninety-seconds", nodes=1, gpus=1, scrape=5, style="own")
def g1_short(w: World) -> Truth:
    w.step_s = 0.2
    planned(w, 1.5)
    launch(w)
    train(w, 1.5)
    finish(w)
    return Truth("G1", "450 steps in a minute and a half")


@case("h-g1-checkpoint-pauses", nodes=2, gpus=8, metrics="profiled", style="logged")
def g1_saves(w: World) -> Truth:
    planned(w, 120)
    launch(w)
    for k in range(4):
        train(w, 30)
        w.say(f"checkpoint {k}: writing 412 GiB", 0)
        w.put(w.all(), "host", 420)
        w.go(420)
        w.say(f"checkpoint {k}: written in 420.0 s", 0)
    finish(w)
    return Truth("G1", "seven minutes of idle GPUs at each of four saves, said to be so")


@case("h-b3-near-idle-reasons", metrics="everything", nodes=1)
def b3_near(w: World) -> Truth:
    planned(w, 60)
    launch(w)
    train(w, 30)
    w.put(w.all(), "host", 400, reason=1)
    w.go(400)
    w.say("validation on the host took 400 s", 0)
    train(w, 30)
    finish(w)
    return Truth("G1", "clocks fall and GpuIdle is set while GPUs idle, as said")


@case("h-b1-jax", style="glog", nodes=2)
def b1_jax(w: World) -> Truth:
    w.memory = 0.9
    launch(w)
    r = w.rng.randrange(w.world)
    traceback(
        w,
        r,
        [
            MAIN,
            (
                "/opt/venv/lib/python3.12/site-packages/jax/_src/interpreters/pxla.py",
                1303,
                "__call__",
                "results = self.xla_executable.execute_sharded(input_bufs)",
            ),
        ],
        "jaxlib._jax.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 41875931136 bytes.",
    )
    torn_down(w, r)
    failing(w)
    return Truth("B1", "XLA was refused 39 GiB in the first step")


NAMES: Final = tuple(name for name in CASES if name not in _BEFORE)
