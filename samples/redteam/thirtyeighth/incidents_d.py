"""Incidents t09 to t16 of the thirty-eighth set: what an operator hands over as a folder.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth import gauge_id as g

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random


def ramp(board: g.Board, fb: float, when: float, ready: float, host: float = 2.0e9) -> g.Point:
    """Before the first step: nobody, then a context that fills."""
    if when < ready * 0.3:
        return g.idle(board)
    part = (when - ready * 0.3) / (ready * 0.7)
    return g.Point(3, 0.01, 620 + part * fb * 0.5, board.held_w * 1.05, 0.02, 0.0, 0.03, 0.0, host, True)


def ticks(seconds: list[float], base: int = 0) -> Callable[[float], int]:
    """A counter that steps at given seconds."""
    return lambda when: base + sum(1 for n in seconds if n <= when)


def t09_gxr(place: Path, rng: Random) -> None:
    """A rank stays at a download of its next shard and its peers wait in an all-gather until the watchdog."""
    start, nodes, board = (
        datetime(2026, 2, 17, 22, 6, 14, tzinfo=g.zone(0)),
        ("gxr-n041", "gxr-n042", "gxr-n047"),
        g.H100,
    )
    ready, froze, shot, last = 196.0, 2668.0, 2668.0 + 1800.9, 76 * 60 - 4.0

    def plan(rank: int) -> Callable[[float], g.Point]:
        fb = 66240 + rank * 37 % 512

        def point(when: float) -> g.Point:
            if when < 0 or when > shot + 22 + rank % 4:
                return g.idle(board)
            if when < ready:
                return ramp(board, fb, when, ready)
            if when < froze:
                return g.busy(board, fb, 0.71, 0.79, 4.1e10)
            return g.held(board, fb) if rank == 6 else g.spin(board, fb)

        return point

    sbe = ticks(sorted(rng.uniform(-300, last) for _ in range(7)), 12)
    cards = [
        g.Card(nodes[rank // 4], rank % 4, plan(rank), board, sbe if rank == 3 else lambda _: 0) for rank in range(12)
    ]
    times = g.times_of(76, 30, rng)
    for card in cards:
        card.run(rng, times)
    g.query_range(place / "prometheus" / "dcgm_range.json", cards[:8], start)

    def ds(second: float, where: str, text: str) -> str:
        when = start + timedelta(seconds=second)
        return f"{nodes[0]}: [{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}] [INFO] [{where}] {text}"

    out = [
        ds(9.2, "real_accelerator.py:222:get_accelerator", "Setting ds_accelerator to cuda (auto detect)"),
        ds(
            21.7,
            "launch.py:146:main",
            "WORLD INFO DICT: {'gxr-n041': [0, 1, 2, 3], 'gxr-n042': [0, 1, 2, 3], 'gxr-n047': [0, 1, 2, 3]}",
        ),
        ds(21.8, "launch.py:164:main", "dist_world_size=12"),
        ds(44.1, "comm.py:658:init_distributed", "cdb=None"),
        ds(44.2, "comm.py:689:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl"),
        ds(
            71.0,
            "partition_parameters.py:348:__exit__",
            "finished initializing model - num_params = 363, num_elems = 13.02B",
        ),
        (
            f"{nodes[0]}: gxr-n041:71120:71120 [0] NCCL INFO comm 0x55d2c41b7f20 rank 0 nranks 12 cudaDev 0 nvmlDev 0"
            " busId 1b000 commId 0x8d1f0c4417a2e655 - Init COMPLETE"
        ),
        ds(188.4, "logging.py:128:log_dist", "[Rank 0] DeepSpeed Basic Optimizer = FusedAdam"),
        ds(192.9, "stage3.py:166:__init__", "Reduce bucket size 50000000"),
        f"{nodes[0]}: runtime: bf16, zero_stage=3, micro=2, accum=3, total_steps=9000, process group timeout 0:30:00",
    ]
    second, step, work = ready + 4, 0, 0
    fetch = {3: (1010.0, "0188"), 9: (1433.0, "0231"), 0: (1761.0, "0262"), 6: (2656.3, "0307")}
    told: set[int] = set()
    while second + 9.6 < froze:
        second += 9.41 + rng.gauss(0, 0.12)
        step += 1
        work += 2186
        for rank, (at, shard) in fetch.items():
            if at < second and rank not in told:
                told.add(rank)
                out.append(
                    f"{nodes[rank // 4]}: [data r{rank}] {start + timedelta(seconds=at):%H:%M:%S} local cache has no "
                    f"shard-{shard}.zst, GET https://objects.gxr.internal/corpus-v5/shard-{shard}.zst"
                )
                if rank != 6:
                    out.append(
                        f"{nodes[rank // 4]}: [data r{rank}] {start + timedelta(seconds=at + 4.4):%H:%M:%S} "
                        f"shard-{shard}.zst ok, 1.{rng.randrange(10, 99)} GiB in 4.{rng.randrange(10, 60)} s"
                    )
        if step % 5 == 0:
            loss = 2.02 + 8.6 * math.exp(-step / 38) + rng.gauss(0, 0.03)
            lr = 1.5e-4 * min(1, step / 400)
            out.append(f"{nodes[0]}: step {step}/9000 lm_loss {loss:.4f} gnorm {0.6 + 5 * math.exp(-step / 30):.3f}")
            out.append(
                ds(
                    second,
                    "logging.py:128:log_dist",
                    f"[Rank 0] step={step}, skipped=0, lr=[{lr:.6e}], mom=[(0.9, 0.95)]",
                )
            )
            out.append(
                ds(
                    second,
                    "timer.py:264:stop",
                    f"epoch=0/micro_step={step * 3}/global_step={step}, "
                    f"RunningAvgSamplesPerSec={7.65 + rng.gauss(0, 0.01):.6f}, CurrSamplesPerSec="
                    f"{7.66 + rng.gauss(0, 0.08):.6f}, MemAllocated=17.31GB, MaxMemAllocated=58.77GB",
                )
            )
    if 6 not in told:
        out.append(
            f"{nodes[1]}: [data r6] {start + timedelta(seconds=2656.3):%H:%M:%S} local cache has no "
            "shard-0307.zst, GET https://objects.gxr.internal/corpus-v5/shard-0307.zst"
        )
    stuck = work + 5
    for rank in sorted(set(range(12)) - {6}, key=lambda _: rng.random()):
        when = start + timedelta(seconds=shot + rng.uniform(0, 0.8))
        mark = f"{when:%m%d}"[1:] + f" {when:%H:%M:%S}.{rng.randrange(10**8, 10**9)}"
        out.append(
            f"{nodes[rank // 4]}: [rank{rank}]:[E{mark} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught "
            f"collective operation timeout: WorkNCCL(SeqNum={stuck}, OpType=_ALLGATHER_BASE, NumelIn=13653334, "
            f"NumelOut=163840008, Timeout(ms)=1800000) ran for 18000{rng.randrange(10, 99)} milliseconds before timing "
            "out."
        )
        out.append(
            f"{nodes[rank // 4]}: [rank{rank}]:[E{mark} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank "
            f"{rank}] Exception (either an error or timeout) detected by watchdog at work: {stuck}, last enqueued NCCL "
            f"work: {stuck}, last completed NCCL work: {stuck - 1}."
        )
    when = start + timedelta(seconds=shot + 1.2)
    mark = f"{when:%m%d}"[1:] + f" {when:%H:%M:%S}.{rng.randrange(10**8, 10**9)}"
    out.append(
        f"{nodes[1]}: [rank6]:[E{mark} ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 6] Received a"
        " dump signal due to a collective timeout from  rank 1 and we will try our best to dump the debug info. Last"
        f" enqueued NCCL work: {stuck - 1}, last completed NCCL work: {stuck - 1}.This is most likely caused by"
        " incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same"
        " for all ranks or the scheduled collective, for some reason, didn't run."
    )
    for rank in (0, 8, 5):
        out.append(
            f"{nodes[rank // 4]}: [rank{rank}]:[E{mark} ProcessGroupNCCL.cpp:630] [Rank {rank}] Some NCCL operations"
            " have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations"
            " might run on corrupted/incomplete data."
        )
        out.append(
            f"{nodes[rank // 4]}: [rank{rank}]:[E{mark} ProcessGroupNCCL.cpp:636] [Rank {rank}] To avoid data "
            "inconsistency, we are taking the entire process down."
        )
    for node in nodes:
        pid = rng.randrange(60000, 90000)
        when = start + timedelta(seconds=shot + 24.5)
        for extra in range(4):
            out.append(
                f"{node}: [{when:%Y-%m-%d %H:%M:%S},{rng.randrange(999):03d}] [INFO] [launch.py:319:sigkill_handler] "
                f"Killing subprocess {pid + extra}"
            )
        out.append(
            f"{node}: [{when:%Y-%m-%d %H:%M:%S},{rng.randrange(999):03d}] [ERROR] [launch.py:325:sigkill_handler] "
            "['/opt/env/bin/python', '-u', 'pretrain13.py', '--local_rank=3', '--cfg', 'zero3.json'] exits with return "
            "code = -6"
        )
    out += [f"pdsh@gxr-n041: {node}: ssh exited with exit code 250" for node in nodes]
    g.put(place / "slurm-661204.out", "\n".join(out) + "\n")
    end = start + timedelta(seconds=last)
    g.put(
        place / "sacct.txt",
        g.piped(
            [
                {
                    "JobID": "661204",
                    "JobName": "pre13-zero",
                    "Partition": "hopper",
                    "State": "FAILED",
                    "ExitCode": "250:0",
                    "Start": g.stamp(start),
                    "End": g.stamp(end),
                    "Elapsed": g.span(last),
                    "Timelimit": "2-00:00:00",
                    "NNodes": "3",
                    "NodeList": "gxr-n[041-042,047]",
                    "AllocTRES": "billing=288,cpu=288,gres/gpu=12,mem=2700G,node=3",
                }
            ]
        ),
    )
    for node in nodes:
        g.put(place / "journal" / f"{node}.log", g.kernel("journal", node, g.dull(rng, start, 76)))


def t10_ax(place: Path, rng: Random) -> None:
    """A rank's loader hangs on a mount that is gone; the others spin for hours until its owner notices."""
    start, nodes, board = datetime(2026, 3, 4, 1, 12, 40, tzinfo=g.zone(0)), ("ax-11", "ax-12", "ax-15"), g.A100
    ready, froze, last = 148.0, 203.4 * 60, 352 * 60 + 11.0
    batches, pace, check = 640, 2.16, 62.0
    whole = batches * pace + check

    def plan(rank: int) -> Callable[[float], g.Point]:
        fb = 58810 + rank * 53 % 400

        def point(when: float) -> g.Point:
            if when < 0 or when > last - 3:
                return g.idle(board)
            if when < ready:
                return ramp(board, fb, when, ready)
            if when < froze:
                if (when - ready) % whole > batches * pace:
                    return g.busy(board, fb, 0.58, 0.55, 2e8)
                return g.busy(board, fb, 0.81, 0.88, 2.2e10)
            return g.held(board, fb) if rank == 9 else g.spin(board, fb)

        return point

    cards = [g.Card(nodes[rank // 4], rank % 4, plan(rank), board) for rank in range(12)]
    times = g.times_of(352.2, 30, rng)
    for card in cards:
        card.run(rng, times)
    g.query_range(place / "metrics" / "gpu_query_range.json", cards[:8], start)
    out = [
        "Seed set to 7719",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
    ]
    out += [
        f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/12" for rank in rng.sample(range(12), 12)
    ]
    out += [
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 12 processes",
        "-" * 100,
        "",
    ]
    out += [f"LOCAL_RANK: {rank % 4} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for rank in range(12)]
    out += [
        "",
        "  | Name    | Type            | Params | Mode ",
        "-----------------------------------------------------",
        "0 | encoder | SegFormerB5     | 81.4 M | train",
        "1 | head    | AllMLPDecoder   | 3.1 M  | train",
        "2 | crit    | DiceFocal       | 0      | train",
        "-----------------------------------------------------",
        "84.5 M    Trainable params",
        "0         Non-trainable params",
        "84.5 M    Total params",
        "338.012   Total estimated model params size (MB)",
        "strategy: DDPStrategy(timeout=8:00:00), max_epochs=40, 640 batches an epoch",
        "",
    ]
    second, epoch, best = ready, 0, 0.0
    while second < froze:
        for batch in range(20, batches + 1, 20):
            now = second + batch * pace
            if now > froze:
                break
            x = epoch + batch / batches
            loss = 0.21 + 0.83 * math.exp(-x / 2.1) + rng.gauss(0, 0.012)
            bar = "█" * (batch * 10 // batches)
            gone, left = int(batch * pace), int((batches - batch) * pace)
            out.append(
                f"Epoch {epoch}: {batch * 100 // batches:3d}%|{bar:<10}| {batch}/640 [{gone // 60:02d}:{gone % 60:02d}<"
                f"{left // 60:02d}:{left % 60:02d},  {1 / (pace + rng.gauss(0, 0.01)):.2f}it/s, v_num=2207, "
                f"train/loss={loss:.3f}]"
            )
        second += whole
        if second < froze:
            best = 0.74 - 0.5 * math.exp(-(epoch + 1) / 2.4) + rng.gauss(0, 0.003)
            out.append(
                f"Epoch {epoch}, global step {(epoch + 1) * 640}: 'val/miou' reached {best:.5f} (best {best:.5f}),"
                f" saving model to '/proj/aerial/ckpt/e{epoch:02d}-miou{best:.3f}.ckpt' as top 2"
            )
        epoch += 1
    end = start + timedelta(seconds=last)
    out += [
        f"slurmstepd: error: *** STEP 90418.0 ON ax-11 CANCELLED AT {g.stamp(end)} ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 90418 ON ax-11 CANCELLED AT {g.stamp(end)} ***",
    ]
    out += [f"[rank: {rank}] Received SIGTERM: 15" for rank in (4, 0, 7, 2)]
    g.put(place / "aerial-90418.out", "\n".join(out) + "\n")
    base = {"Partition": "a100", "Account": "geo", "AllocCPUS": "192", "ExitCode": "0:0"}
    rows = [
        {"JobID": "90418", "JobName": "aerial-b5", "State": "CANCELLED by 20417", **base},
        {
            "JobID": "90418.batch",
            "JobName": "batch",
            "State": "CANCELLED",
            **base,
            "Partition": "",
            "AllocCPUS": "64",
            "ExitCode": "0:15",
        },
        {"JobID": "90418.0", "JobName": "python", "State": "CANCELLED", **base, "Partition": "", "ExitCode": "0:15"},
    ]
    for row in rows:
        row.update(
            {
                "Start": g.stamp(start),
                "End": g.stamp(end),
                "Elapsed": g.span(last),
                "NodeList": "ax-[11-12,15]",
                "Timelimit": "16:00:00" if row["JobID"] == "90418" else "",
            }
        )
    g.put(
        place / "sacct_90418.txt",
        g.columns(
            rows,
            {
                "JobID": 12,
                "JobName": 10,
                "Partition": 10,
                "Account": 10,
                "AllocCPUS": 10,
                "State": 10,
                "ExitCode": 8,
                "Start": 19,
                "End": 19,
                "Elapsed": 10,
                "Timelimit": 10,
                "NodeList": 15,
            },
        ),
    )
    for node in nodes:
        lines = g.dull(rng, start, 352)
        if node == "ax-12":
            at = start - timedelta(hours=31, minutes=7)
            lines += [
                (at, "node invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
                (at + timedelta(microseconds=90), "memory: usage 8388608kB, limit 8388608kB, failcnt 5512"),
                (
                    at + timedelta(microseconds=190),
                    (
                        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset="
                        "docker-7b1e0c.scope,mems_allowed=0-7,oom_memcg=/system.slice/docker-7b1e0c.scope,task_memcg="
                        "/system.slice/docker-7b1e0c.scope,task=node,pid=3120447,uid=998"
                    ),
                ),
                (
                    at + timedelta(microseconds=290),
                    (
                        "Memory cgroup out of memory: Killed process 3120447 (node) total-vm:19421180kB,"
                        " anon-rss:8290112kB, file-rss:1204kB, shmem-rss:0kB, UID:998 pgtables:21044kB oom_score_adj:0"
                    ),
                ),
            ]
        if node == "ax-15":
            gone = start + timedelta(seconds=froze - 6)
            lines += [
                (gone + timedelta(seconds=181 * n + 60), "nfs: server tiles-nas2 not responding, still trying")
                for n in range(4)
            ]
            for n in range(1, 6):
                at = gone + timedelta(seconds=122.9 * n + 40)
                lines += [
                    (
                        at,
                        (
                            f"INFO: task pt_data_worker:{(51877, 51879, 51880)[n % 3]} blocked for more than {122 * n} "
                            "seconds."
                        ),
                    ),
                    (
                        at + timedelta(microseconds=5),
                        "      Tainted: P           OE     -------  ---  5.14.0-427.42.1.el9_4.x86_64 #1",
                    ),
                    (
                        at + timedelta(microseconds=9),
                        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
                    ),
                    (at + timedelta(microseconds=14), "Call Trace:"),
                    (at + timedelta(microseconds=18), " rpc_wait_bit_killable+0x1e/0xb0 [sunrpc]"),
                    (at + timedelta(microseconds=22), " nfs4_file_open+0x1a2/0x2c0 [nfsv4]"),
                ]
        g.put(place / "kernel" / f"{node}.journal", g.kernel("journal", node, lines))


def t11_hx(place: Path, rng: Random) -> None:
    """The node of the second process runs out of memory and the process is gone without a word."""
    start, nodes, board = datetime(2026, 1, 22, 9, 41, 3, tzinfo=g.zone(-8)), ("hx-04", "hx-09"), g.H100
    ready, dead, last = 95.0, 115 * 60 - 9.0, 115 * 60 + 2.0

    def plan(rank: int) -> Callable[[float], g.Point]:
        fb = 71304 + rank * 18

        def point(when: float) -> g.Point:
            if when < 0 or when > (dead if rank else last - 2):
                return g.idle(board, 0)
            if when < ready:
                return ramp(board, fb, when, ready)
            return g.busy(board, fb, 0.9, 0.995, 0, capped=True)

        return point

    times = g.times_of(115, 30, rng)
    for rank, node in enumerate(nodes):
        card = g.Card(node, 0, plan(rank), board)
        card.run(rng, times)
        g.smi_csv(place / f"smi_{node}.csv", [card], start, rng)
    out = [
        f"{start + timedelta(seconds=12):%Y-%m-%d %H:%M:%S} [proc {n}/2 {node}] arrancando, torch 2.6.0+cu124,"
        " semilla 90"
        for n, node in enumerate(nodes)
    ]
    out += [
        (
            f"{start + timedelta(seconds=61):%Y-%m-%d %H:%M:%S} [proc 0/2 hx-04] modelo listo: 1.31 mil millones de"
            " parámetros"
        ),
        f"{start + timedelta(seconds=66):%Y-%m-%d %H:%M:%S} [proc 0/2 hx-04] meta: 24000 pasos, guardar cada 1500",
    ]
    step, second = 0, ready
    while True:
        second += 1.742 + rng.gauss(0, 0.01)
        if second > dead - 1:
            break
        step += 1
        when = start + timedelta(seconds=second)
        if step % 25 == 0:
            loss = 2.71 + 7.9 * math.exp(-step / 420) + rng.gauss(0, 0.025)
            for n, node in enumerate(nodes):
                ram = (
                    88.0 + rng.gauss(0, 0.6)
                    if n == 0
                    else min(501.9, 92.0 + (second / dead) ** 1.3 * 411) + rng.gauss(0, 0.5)
                )
                out.append(
                    f"{when:%Y-%m-%d %H:%M:%S} [proc {n}/2 {node}] paso {step} | pérdida"
                    f" {loss + rng.gauss(0, 0.02):.4f} | tasa {3e-4 * min(1, step / 500):.2e} |"
                    f" {37620 + rng.gauss(0, 160):.0f} fichas/s | memoria del nodo {ram:.1f}/503.4 GiB"
                )
        if step % 1500 == 0:
            out.append(
                f"{when:%Y-%m-%d %H:%M:%S} [proc 0/2 hx-04] punto de control guardado en salida/p{step:06d}.pt (9.8 s)"
            )
            second += 9.8
    end = start + timedelta(seconds=last)
    out += [
        "srun: error: hx-09: task 1: Killed",
        "srun: launch/slurm: _step_signal: Terminating StepId=204417.0",
        (
            "slurmstepd: error: *** STEP 204417.0 ON hx-04 CANCELLED AT"
            f" {g.stamp(start + timedelta(seconds=dead + 4))} ***"
        ),
        "srun: error: hx-04: task 0: Terminated",
    ]
    g.put(place / "salida_204417.log", "\n".join(out) + "\n")
    g.put(
        place / "sacct_P.txt",
        g.piped(
            [
                {
                    "JobID": "204417",
                    "JobName": "leng-1b3",
                    "User": "mrivas",
                    "State": "FAILED",
                    "ExitCode": "137:0",
                    "Start": g.stamp(start),
                    "End": g.stamp(end),
                    "Elapsed": g.span(last),
                    "Timelimit": "1-00:00:00",
                    "ReqMem": "0",
                    "NNodes": "2",
                    "NodeList": "hx-[04,09]",
                    "AllocTRES": "billing=96,cpu=96,gres/gpu=2,node=2",
                }
            ]
        ),
    )


def t12_vx(place: Path, rng: Random) -> None:
    """One of 32 processes dies in native code; only the launcher's summary and a kernel line say so."""
    start = datetime(2026, 5, 19, 14, 20, 7, tzinfo=g.zone(1))
    nodes, board = ("vx-201", "vx-202", "vx-203", "vx-206"), g.V100
    ready, dead, last = 232.0, 27 * 60 + 41.0, 28 * 60.0

    def plan(rank: int) -> Callable[[float], g.Point]:
        fb = 27930 + rank * 29 % 260
        off = dead + (0.3 if rank == 21 else 4 if rank // 8 == 2 else 13)

        def point(when: float) -> g.Point:
            if when < 0 or when > off:
                return g.idle(board, 0)
            if when < ready:
                return ramp(board, fb, when, ready)
            return g.busy(board, fb, 0.74, 0.83, 1.6e10) if when < dead else g.spin(board, fb)

        return point

    cards = [g.Card(nodes[rank // 8], rank % 8, plan(rank), board) for rank in range(32)]
    times = g.times_of(28, 10, rng, 240, 200)
    for card in cards:
        card.run(rng, times)
    g.query_range(place / "dcgm" / "all_nodes.json", cards, start)

    def nemo(second: float, where: str, text: str, level: str = "I") -> str:
        return f"[NeMo {level} {start + timedelta(seconds=second):%Y-%m-%d %H:%M:%S} {where}] {text}"

    out = [
        nemo(64, "nemo_logger:145", "Experiments will be logged at /results/uk_gpt/2026-05-19_14-21-11"),
        nemo(66, "megatron_strategy:310", "Fixing mis-match between ddp-config & mcore-optimizer config", "W"),
        nemo(67, "megatron_init:396", "Rank 0 has data parallel group : [0, 4, 8, 12, 16, 20, 24, 28]"),
        nemo(
            67,
            "megatron_init:418",
            "All tensor model parallel group ranks: [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], "
            "[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23], [24, 25, 26, 27], [28, 29, 30, 31]]",
        ),
        "GPU available: True (cuda), used: True",
        "----------------------------------------------------------------------",
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 32 processes",
        "----------------------------------------------------------------------",
        nemo(131, "num_microbatches_calculator:228", "setting number of microbatches to constant 16"),
        nemo(140, "base:44", "Padded vocab_size: 50688, original vocab_size: 50257, dummy tokens: 431."),
        nemo(
            171,
            "utils:302",
            "Setting up optimizer with config OptimizerConfig(optimizer='adam', lr=0.00016, fp16=True, "
            "bf16=False, loss_scale=None, use_distributed_optimizer=True, clip_grad=1.0)",
        ),
        nemo(228, "model_checkpoint:497", "Checkpointing every 500 steps, keeping top 3 by reduced_train_loss"),
    ]
    second, step = ready, 0
    while True:
        second += 7.08 + rng.gauss(0, 0.05)
        if second > dead - 2:
            break
        loss = 6.31 + 4.62 * math.exp(-step / 55) + rng.gauss(0, 0.03)
        out.append(
            f"Training epoch 0, iteration {step}/59999 | lr: {1.6e-4 * (step + 1) / 500:.4g} | global_batch_size: 256 |"
            f" global_step: {step} | reduced_train_loss: {loss:.4g} | train_step_timing in s:"
            f" {7.08 + rng.gauss(0, 0.04):.4g}" + (f" | consumed_samples: {(step + 1) * 256}" if step else "")
        )
        step += 1
    when = start + timedelta(seconds=dead + 0.9)
    pids = [41202 + n for n in range(8)]
    out += [
        f"W{when:%m%d %H:%M:%S}.{rng.randrange(10**6):06d} 41188 torch/distributed/elastic/multiprocessing/api.py:897]"
        f" Sending process {pid} closing signal SIGTERM"
        for pid in pids
        if pid != 41207
    ]
    when = start + timedelta(seconds=dead + 4.6)
    out += [
        (
            f"E{when:%m%d %H:%M:%S}.{rng.randrange(10**6):06d} 41188"
            " torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -11) local_rank: 5 (pid: 41207)"
            " of binary: /usr/bin/python3"
        ),
        "Traceback (most recent call last):",
        '  File "/usr/local/bin/torchrun", line 33, in <module>',
        "    sys.exit(load_entry_point('torch', 'console_scripts', 'torchrun')())",
        (
            "  File"
            ' "/usr/local/lib/python3.12/dist-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py",'
            " line 355, in wrapper"
        ),
        "    return f(*args, **kwargs)",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 55,
        "/work/gpt_uk.py FAILED",
        "-" * 55,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 55,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {start + timedelta(seconds=dead + 0.9):%Y-%m-%d_%H:%M:%S}",
        "  host      : vx-203",
        "  rank      : 21 (local_rank: 5)",
        "  exitcode  : -11 (pid: 41207)",
        "  error_file: <N/A>",
        "  traceback : Signal 11 (SIGSEGV) received by PID 41207",
        "=" * 55,
        "srun: error: vx-203: task 2: Exited with exit code 1",
        "srun: Terminating StepId=38812.0",
        (
            "slurmstepd: error: *** STEP 38812.0 ON vx-201 CANCELLED AT"
            f" {g.stamp(start + timedelta(seconds=dead + 10))} ***"
        ),
        "srun: error: vx-201: task 0: Terminated",
        "srun: error: vx-202: task 1: Terminated",
        "srun: error: vx-206: task 3: Terminated",
        f"job 38812 finished {start + timedelta(seconds=last):%a %d %b %H:%M:%S BST %Y}",
    ]
    g.put(place / "nemo_38812.out", "\n".join(out) + "\n")
    for node in nodes:
        lines = g.dull(rng, start, 28, "enp")
        if node == "vx-203":
            at = start + timedelta(seconds=dead, microseconds=211000)
            lines += [
                (
                    at,
                    (
                        "python3[41633]: segfault at 18 ip 00007f61c02b71e4 sp 00007f5d8a7fb9a0 error 4 in "
                        "libmlx5.so.1.24.48.0[7f61c029a000+4f000] likely on CPU 44 (core 4, socket 1)"
                    ),
                ),
                (
                    at + timedelta(microseconds=31),
                    (
                        "Code: 48 8b 47 08 4c 8b 68 10 49 8b 85 a8 00 00 00 48 85 c0 74 3a <48> 8b "
                        "50 18 48 89 d7 e8 20 41 fe ff"
                    ),
                ),
            ]
        g.put(place / "syslog" / f"{node}.kern.log", g.kernel("syslog", node, lines, rng.uniform(2e5, 6e6)))


def t13_hakusan(place: Path, rng: Random) -> None:
    """A single GPU works for an hour and then holds its memory and launches nothing until the limit."""
    start, board, node = datetime(2026, 4, 8, 23, 18, 26, tzinfo=g.zone(9)), g.B200, "hakusan-b07"
    ready, stuck, last = 205.0, 71.6 * 60, 230 * 60 + 14.0

    def plan(when: float) -> g.Point:
        if when < 0 or when > last - 4:
            return g.idle(board, 0)
        if when < ready:
            return ramp(board, 104330, when, ready)
        if when < stuck:
            if (when - ready) % 1130 > 1096:
                return g.Point(22, 0.14, 104330, board.held_w * 1.5, 0.2, 0.04, 0.1, 0.0, 2e9, True)
            return g.busy(board, 104330, 0.82, 0.84)
        return g.held(board, 104330)

    card = g.Card(node, 0, plan, board, ticks(sorted(rng.uniform(-400, last + 300) for _ in range(11)), 31))
    card.run(rng, g.times_of(230.3, 30, rng))
    g.query_range(place / "prom_hakusan-b07.json", [card], start)
    end = start + timedelta(seconds=last)
    common = {"Start": g.stamp(start), "End": g.stamp(end), "Elapsed": g.span(last), "NodeList": node}
    g.put(
        place / "sacct.psv",
        g.piped(
            [
                {
                    "JobID": "771903",
                    "JobName": "koe-tts-ft",
                    "Partition": "b200",
                    "State": "TIMEOUT",
                    "ExitCode": "0:0",
                    **common,
                    "Timelimit": "03:50:00",
                    "AllocCPUS": "18",
                    "TotalCPU": "02:04:51",
                    "MaxRSS": "",
                },
                {
                    "JobID": "771903.batch",
                    "JobName": "batch",
                    "State": "CANCELLED",
                    "ExitCode": "0:15",
                    **common,
                    "AllocCPUS": "18",
                    "TotalCPU": "02:04:51",
                    "MaxRSS": "48820416K",
                },
                {
                    "JobID": "771903.extern",
                    "JobName": "extern",
                    "State": "COMPLETED",
                    "ExitCode": "0:0",
                    **common,
                    "AllocCPUS": "18",
                    "TotalCPU": "00:00.002",
                    "MaxRSS": "712K",
                },
            ]
        ),
    )
    g.put(place / "dmesg_hakusan-b07.txt", g.kernel("dmesg", node, g.dull(rng, start, 230)))


def t14_mesa(place: Path, rng: Random) -> None:
    """A sound run of GRPO: rewards rise, all steps done, the model saved and tried."""
    start, nodes, board = datetime(2026, 6, 3, 8, 12, 9, tzinfo=g.zone(-6)), ("mesa-h3", "mesa-h4"), g.H100
    ready, pace, steps, last = 262.0, 25.7, 198, 94 * 60 + 8.0
    over = ready + pace * steps + 34 * 3

    def plan(rank: int) -> Callable[[float], g.Point]:
        fb = 70912 + rank * 61 % 700

        def point(when: float) -> g.Point:
            if when < 0 or when > last - 6:
                return g.idle(board, 0)
            if when < ready:
                return ramp(board, fb, when, ready)
            if when > over:
                return g.busy(board, fb, 0.42, 0.5) if when < over + 130 else g.held(board, fb)
            gone = when - ready
            for save in (1, 2):
                if gone > 66 * pace * save:
                    if gone < 66 * pace * save + 31:
                        return g.held(board, fb)
                    gone -= 31
            if gone > pace * steps:
                return g.held(board, fb)
            place_in = gone % pace
            if place_in < 12.9:
                return g.busy(board, fb, 0.44, 0.56)
            return g.busy(board, fb, 0.8, 0.83, 2.2e10) if place_in < 24.6 else g.held(board, fb)

        return point

    times = g.times_of(94.2, 15, rng)
    for number, node in enumerate(nodes):
        cards = [g.Card(node, n, plan(number * 8 + n), board) for n in range(8)]
        for card in cards:
            card.run(rng, times)
        g.smi_csv(place / "nvidia-smi" / f"{node}.csv", cards, start, rng)
    out = [
        (
            f"INFO {start + timedelta(seconds=74):%m-%d %H:%M:%S} [llm_engine.py:230] Initializing a V0 LLM engine"
            " (v0.8.5) with config: model='/models/qwen2.5-7b-instruct', dtype=torch.bfloat16, max_seq_len=3072,"
            " tensor_parallel_size=1"
        ),
        (
            f"INFO {start + timedelta(seconds=203):%m-%d %H:%M:%S} [worker.py:287] the current vLLM instance can use "
            "total_gpu_memory (79.11GiB) x gpu_memory_utilization (0.35) = 27.69GiB"
        ),
        (
            f"GRPO: 16 processes, num_generations=8, per_device_train_batch_size=8, max_steps={steps}, beta=0.02, vllm"
            " colocate"
        ),
        "before training: exact match on 400 held-out word problems = 0.463",
    ]
    second, total, tokens = ready, 0.0, 0
    for step in range(1, steps + 1):
        second += pace + rng.gauss(0, 0.15)
        length = 238 + 0.55 * step + rng.gauss(0, 7)
        tokens += int(128 * (length + 141))
        kl = 0.00004 + 0.031 * (1 - math.exp(-step / 95)) * (1 + rng.gauss(0, 0.08))
        total += kl * 0.02
        if step % 2 == 0:
            right = 0.47 + 0.29 * (1 - math.exp(-step / 70)) + rng.gauss(0, 0.022)
            form = min(0.999, 0.32 + 0.66 * (1 - math.exp(-step / 18)) + rng.gauss(0, 0.01))
            rate = 1e-6 * min(1, step / 10) * (1 - max(0, step - 10) / (steps - 10))
            row = {
                "loss": round(kl * 0.02, 6),
                "grad_norm": round(0.36 + rng.gauss(0, 0.04), 6),
                "learning_rate": rate,
                "num_tokens": float(tokens),
                "completions/mean_length": round(length, 4),
                "completions/min_length": float(rng.randrange(60, 95)),
                "completions/max_length": float(rng.randrange(560, 1024)),
                "completions/clipped_ratio": round(abs(rng.gauss(0.004, 0.003)), 5),
                "rewards/answer/mean": round(right, 5),
                "rewards/answer/std": round(0.47 - right * 0.08, 5),
                "rewards/form/mean": round(form, 5),
                "rewards/form/std": round(0.3 * (1.02 - form), 5),
                "reward": round(right + 0.2 * form, 5),
                "reward_std": round(0.29 - 0.1 * right + rng.gauss(0, 0.01), 5),
                "frac_reward_zero_std": round(0.12 + 0.2 * right + rng.gauss(0, 0.02), 4),
                "kl": round(kl, 6),
                "epoch": round(step * 16 / 7473, 3),
            }
            out.append(str(row))
            done, left = int(second - ready), int((steps - step) * pace)
            out.append(
                f"{step * 100 // steps:3d}%|{'█' * (step * 10 // steps):<10}| {step}/{steps} [{done // 3600:d}:"
                f"{done // 60 % 60:02d}:{done % 60:02d}<{left // 3600:d}:{left // 60 % 60:02d}:{left % 60:02d}, "
                f"{pace + rng.gauss(0, 0.1):.2f}s/it]"
            )
        if step % 66 == 0:
            second += 31
            out.append(f"Saving model checkpoint to /scratch/mesa/grpo-wp/checkpoint-{step}")
    took = second - ready
    out += [
        str(
            {
                "train_runtime": round(took, 4),
                "train_samples_per_second": round(steps * 128 / took, 3),
                "train_steps_per_second": round(steps / took, 3),
                "train_loss": total / steps,
                "epoch": round(steps * 16 / 7473, 3),
            }
        ),
        (
            f"100%|██████████| {steps}/{steps}"
            f" [{int(took) // 3600}:{int(took) // 60 % 60:02d}:{int(took) % 60:02d}<00:00, {took / steps:.2f}s/it]"
        ),
        "after training: exact match on 400 held-out word problems = 0.735",
        "model and tokenizer written to /scratch/mesa/grpo-wp/final (4 shards, 15.2 GB)",
        "all done",
    ]
    g.put(place / "grpo-wp.318870.log", "\n".join(out) + "\n")
    end = start + timedelta(seconds=last)
    common = {
        "State": "COMPLETED",
        "ExitCode": "0:0",
        "Start": g.stamp(start),
        "End": g.stamp(end),
        "Elapsed": g.span(last),
        "NodeList": "mesa-h[3-4]",
    }
    g.put(
        place / "sacct_318870.txt",
        g.piped(
            [
                {
                    "JobID": "318870",
                    "JobName": "grpo-wp",
                    "Partition": "h100",
                    **common,
                    "Timelimit": "06:00:00",
                    "NNodes": "2",
                    "MaxRSS": "",
                },
                {
                    "JobID": "318870.batch",
                    "JobName": "batch",
                    "Partition": "",
                    **common,
                    "NodeList": "mesa-h3",
                    "NNodes": "1",
                    "MaxRSS": "18420K",
                },
                {
                    "JobID": "318870.extern",
                    "JobName": "extern",
                    "Partition": "",
                    **common,
                    "NNodes": "2",
                    "MaxRSS": "0",
                },
                {
                    "JobID": "318870.0",
                    "JobName": "accelerate",
                    "Partition": "",
                    **common,
                    "NNodes": "2",
                    "MaxRSS": "214408832K",
                },
            ]
        ),
    )
    for node in nodes:
        g.put(place / "dmesg" / f"{node}.txt", g.kernel("dmesg", node, g.dull(rng, start, 94)))


def t15_pl(place: Path, rng: Random) -> None:
    """The data set is copied for minutes, then every process stops at a key that the configuration does not know."""
    start, nodes, board = datetime(2026, 2, 25, 11, 3, 52, tzinfo=g.zone(1)), ("pl-07", "pl-08"), g.V100
    spawn, crash, last = 392.0, 411.0, 7 * 60 + 1.0

    def plan(rank: int) -> Callable[[float], g.Point]:
        def point(when: float) -> g.Point:
            if when < spawn or when > crash:
                return g.idle(board, 0)
            return g.Point(0, 0.0, 306 if when < spawn + 9 else 444 + rank % 2 * 2, board.held_w, awake=True)

        return point

    cards = [g.Card(nodes[rank // 2], rank % 2, plan(rank), board) for rank in range(4)]
    times = g.times_of(7, 10, rng, 300, 240)
    for card in cards:
        card.run(rng, times)
    g.query_range(place / "dcgm_range.json", cards[:2], start)
    stage = "staging /data/vineyard/leafspots_2025.tar to /local/scratch"
    out = [f"{n}: {start + timedelta(seconds=3):%H:%M:%S} {stage} on {node}" for n, node in enumerate(nodes)]
    for tenth in range(1, 11):
        for n in range(2):
            out.append(
                f"{n}:   {tenth * 7.31:6.2f}G {tenth * 10:3d}%  {rng.uniform(208, 229):6.2f}MB/s   "
                f" 0:0{tenth * 33 // 60}:{tenth * 33 % 60:02d}"
            )
    out += [
        f"{n}: {start + timedelta(seconds=366):%H:%M:%S} unpacked 61408 files, starting train_net.py" for n in range(2)
    ]
    pack = "/opt/d2/lib/python3.10/site-packages"
    for n in (1, 0):
        out.append(
            f"{n}: Command Line Args: Namespace(config_file='configs/leafspots_r101_fpn.yaml', resume=False, "
            f"eval_only=False, num_gpus=2, num_machines=2, machine_rank={n}, dist_url='tcp://pl-07:29871', opts=[])"
        )
    for n in (0, 1):
        trace = [
            "Traceback (most recent call last):",
            '  File "/home/oriol/leafspots/train_net.py", line 163, in <module>',
            "    launch(",
            f'  File "{pack}/detectron2/engine/launch.py", line 69, in launch',
            "    mp.start_processes(",
            f'  File "{pack}/torch/multiprocessing/spawn.py", line 197, in start_processes',
            "    while not context.join():",
            f'  File "{pack}/torch/multiprocessing/spawn.py", line 158, in join',
            "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
            "torch.multiprocessing.spawn.ProcessRaisedException: ",
            "",
            f"-- Process {1 - n} terminated with the following error:",
            "Traceback (most recent call last):",
            f'  File "{pack}/torch/multiprocessing/spawn.py", line 68, in _wrap',
            "    fn(i, *args)",
            f'  File "{pack}/detectron2/engine/launch.py", line 123, in _distributed_worker',
            "    main_func(*args)",
            '  File "/home/oriol/leafspots/train_net.py", line 121, in main',
            "    cfg = setup(args)",
            '  File "/home/oriol/leafspots/train_net.py", line 109, in setup',
            "    cfg.merge_from_file(args.config_file)",
            f'  File "{pack}/detectron2/config/config.py", line 69, in merge_from_file',
            "    self.merge_from_other_cfg(loaded_cfg)",
            f'  File "{pack}/fvcore/common/config.py", line 132, in merge_from_other_cfg',
            "    return super().merge_from_other_cfg(cfg_other)",
            f'  File "{pack}/yacs/config.py", line 217, in merge_from_other_cfg',
            "    _merge_a_into_b(cfg_other, self, self, [])",
            f'  File "{pack}/yacs/config.py", line 478, in _merge_a_into_b',
            "    _merge_a_into_b(v, b[k], root, key_list + [k])",
            f'  File "{pack}/yacs/config.py", line 491, in _merge_a_into_b',
            '    raise KeyError("Non-existent config key: {}".format(full_key))',
            "KeyError: 'Non-existent config key: MODEL.ROI_HEADS.NUM_CLASS'",
            "",
        ]
        out += [f"{n}: {line}" for line in trace]
    out += [
        "srun: error: pl-07: task 0: Exited with exit code 1",
        "srun: error: pl-08: task 1: Exited with exit code 1",
    ]
    g.put(place / "slurm-15207.out", "\n".join(out) + "\n")
    end = start + timedelta(seconds=last)
    common = {
        "Account": "agro",
        "AllocCPUS": "40",
        "State": "FAILED",
        "ExitCode": "1:0",
        "Start": g.stamp(start),
        "End": g.stamp(end),
        "Elapsed": g.span(last),
    }
    rows = [
        {"JobID": "15207", "JobName": "leafspots", "Partition": "volta", **common, "NodeList": "pl-[07-08]"},
        {"JobID": "15207.batch", "JobName": "batch", **common, "AllocCPUS": "20", "NodeList": "pl-07"},
        {
            "JobID": "15207.extern",
            "JobName": "extern",
            **common,
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "NodeList": "pl-[07-08]",
        },
        {"JobID": "15207.0", "JobName": "bash", **common, "NodeList": "pl-[07-08]"},
    ]
    g.put(
        place / "sacct_15207.txt",
        g.columns(
            rows,
            {
                "JobID": 12,
                "JobName": 10,
                "Partition": 10,
                "Account": 10,
                "AllocCPUS": 10,
                "State": 10,
                "ExitCode": 8,
                "Start": 19,
                "End": 19,
                "Elapsed": 10,
                "NodeList": 15,
            },
        ),
    )
    for node in nodes:
        g.put(place / f"dmesg_{node}.txt", g.kernel("dmesg", node, g.dull(rng, start, 7, "eno")))


def t16_nanhu(place: Path, rng: Random) -> None:
    """The memory of a board gives an error that cannot be corrected, and its process ends of it."""
    start, node, board = datetime(2026, 4, 16, 15, 27, 40, tzinfo=g.zone(8)), "nanhu-a6k-03", g.A6000
    ready, fault, last = 58.0, 11 * 60 + 33.0, 12 * 60.0

    def plan(rank: int) -> Callable[[float], g.Point]:
        fb = 38114 + rank * 22

        def point(when: float) -> g.Point:
            if when < 0 or when > fault + (2 if rank == 2 else 8):
                return g.idle(board, 3)
            return ramp(board, fb, when, ready) if when < ready else g.busy(board, fb, 0.86, 0.94)

        return point

    cards = [g.Card(node, n, plan(n), board) for n in range(4)]
    cards[2].dbe = cards[2].pending = ticks([fault])
    for card in cards:
        card.run(rng, g.times_of(12, 60, rng, 540, 480))
    g.smi_csv(place / f"gpu_{node}.csv", cards, start, rng, True)

    def zh(second: float, text: str) -> str:
        return f"[{start + timedelta(seconds=second):%m-%d %H:%M:%S}] {text}"

    out = [
        zh(1, f"作业前检查 {node}:四张卡均可见,温度正常,ECC 不可纠正计数 0/0/0/0"),
        zh(
            1,
            "作业前检查:昨晚 21:40:18 有 Xid (PCI:0000:43:00): 31, pid=88412(用户 zhouyk 的作业 51790,已结束)",
        ),
        zh(14, "载入词表 32768 条,语料 9 个分片"),
        zh(37, "模型参数 4.07 亿,bf16,四卡数据并行,每卡批量 24"),
        zh(57, "开始训练,共 18000 步,每 2000 步存一次"),
    ]
    second, step = ready, 0
    while True:
        second += 0.913 + rng.gauss(0, 0.006)
        if second > fault:
            break
        step += 1
        if step % 20 == 0:
            out.append(
                zh(
                    second,
                    f"第 {step} 步 损失 {4.02 + 6.3 * math.exp(-step / 160) + rng.gauss(0, 0.03):.4f} 梯度范数 "
                    f"{0.9 + 3 * math.exp(-step / 90) + rng.gauss(0, 0.04):.2f} 学习率"
                    f" {2.5e-4 * min(1, step / 800):.3e} "
                    f"每步 {0.913 + rng.gauss(0, 0.004):.3f} 秒",
                )
            )
    out += [
        "[rank2]: Traceback (most recent call last):",
        '[rank2]:   File "/home/linwei/xunlian/zhu.py", line 214, in <module>',
        "[rank2]:     yunxing(canshu)",
        '[rank2]:   File "/home/linwei/xunlian/zhu.py", line 171, in yunxing',
        "[rank2]:     fanshu = torch.nn.utils.clip_grad_norm_(wang.parameters(), 1.0).item()",
        "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        (
            "[rank2]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace"
            " below might be incorrect."
        ),
        "[rank2]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "[rank2]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    when = start + timedelta(seconds=fault + 4)
    out += [
        f"W{when:%m%d %H:%M:%S}.{rng.randrange(10**6):06d} 23107 torch/distributed/elastic/multiprocessing/api.py:897]"
        f" Sending process {pid} closing signal SIGTERM"
        for pid in (23171, 23172, 23174)
    ]
    out += [
        f"E{when:%m%d %H:%M:%S}.{rng.randrange(10**6):06d} 23107 torch/distributed/elastic/multiprocessing/api.py:869]"
        " failed (exitcode: 1) local_rank: 2 (pid: 23173) of binary: /home/linwei/.venv/bin/python"
    ]
    g.put(place / "xunlian_52013.log", "\n".join(out) + "\n")
    end = start + timedelta(seconds=last)
    g.put(
        place / "sacct_52013.txt",
        g.piped(
            [
                {
                    "JobID": "52013",
                    "JobName": "xunlian",
                    "User": "linwei",
                    "Partition": "a6000",
                    "State": "FAILED",
                    "ExitCode": "1:0",
                    "Submit": g.stamp(start - timedelta(seconds=48)),
                    "Start": g.stamp(start),
                    "End": g.stamp(end),
                    "Elapsed": g.span(last),
                    "NodeList": node,
                    "AllocTRES": "billing=32,cpu=32,gres/gpu=4,mem=240G,node=1",
                }
            ]
        ),
    )
