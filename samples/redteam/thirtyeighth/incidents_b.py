"""Incidents t09 to t16: the folders that operators handed over.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth import gauge_ib as g

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random


def curve(step: float, first: float, last: float, span: float, rng: Random, noise: float = 0.02) -> float:
    """Give a loss that falls from first towards last."""
    return last + (first - last) * math.exp(-step / span) + rng.gauss(0, noise)


def t09_lyra(place: Path, rng: Random) -> None:
    """Three nodes of four; one rank stops handing in work, the rest wait for it."""
    clock, job, nodes = g.Clock("2026-09-17T06:12:31", 0), "703318", ("lyra-041", "lyra-042", "lyra-043")
    work, froze, fired, end = 171.0, 2713.4, 4513.9, 4571.0
    log: list[str] = []
    pids = {rank: 91022 + 40211 * (rank // 4) + rank % 4 for rank in range(12)}

    def say(at: float, node: str, text: str) -> None:
        log.append(f"{node}: [{clock.full(at)}] {text}")

    for number, node in enumerate(nodes):
        say(
            9.2 + number,
            node,
            "[INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        )
        say(
            14.1 + number,
            node,
            "[INFO] [launch.py:146:main] WORLD INFO DICT: "
            "{'lyra-041': [0, 1, 2, 3], 'lyra-042': [0, 1, 2, 3], 'lyra-043': [0, 1, 2, 3]}",
        )
        say(14.1 + number, node, f"[INFO] [launch.py:152:main] nnodes=3, num_local_procs=4, node_rank={number}")
        for local in range(4):
            say(
                14.4 + number,
                node,
                f"[INFO] [launch.py:256:main] process {pids[number * 4 + local]} spawned with command:"
                f" ['/opt/venv/bin/python', '-u', 'pretrain_rnaseq.py', '--local_rank={local}', '--deepspeed_config',"
                " 'zero2_bf16.json']",
            )
    for number, node in enumerate(nodes):
        say(31.0 + number, node, "[INFO] [comm.py:658:init_distributed] cdb=None")
    say(
        33.6, nodes[0], "[INFO] [comm.py:689:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl"
    )
    log.append("lyra-041: lyra-041:91022:91022 [0] NCCL INFO NCCL version 2.21.5+cuda12.4")
    log.append(
        "lyra-041: lyra-041:91022:91870 [0] NCCL INFO ncclCommInitRank comm 0x55d0c1a7be70 rank 0 nranks 12 cudaDev 0 "
        "nvmlDev 0 busId 18000 commId 0x9c1f7ae2240d11b5 - Init COMPLETE"
    )
    say(
        58.1,
        nodes[0],
        "[INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown,"
        " git-branch=unknown",
    )
    say(96.7, nodes[0], "[INFO] [logging.py:128:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer")
    say(118.0, nodes[0], "[INFO] [stage_1_and_2.py:149:__init__] Reduce bucket size 500000000")
    say(139.5, nodes[0], "[INFO] [config.py:1003:print]   train_batch_size ............. 384")
    say(139.5, nodes[0], "[INFO] [config.py:1003:print]   zero_optimization_stage ...... 2")
    at, step = work, 0
    while True:
        at += rng.gauss(5.83, 0.06)
        if at > froze:
            break
        step += 1
        if step % 10 == 0:
            rate = 2.1e-4 * min(1, step / 100)
            say(
                at,
                nodes[0],
                f"[INFO] [logging.py:128:log_dist] [Rank 0] step={step}, skipped=0, lr=[{rate:.7g}], mom=[(0.9, 0.95)]",
            )
            say(
                at,
                nodes[0],
                f"[INFO] [timer.py:264:stop] epoch=0/micro_step={step * 2}/global_step={step},"
                f" RunningAvgSamplesPerSec={rng.gauss(65.8, 0.1):.6f}, CurrSamplesPerSec={rng.gauss(65.8, 0.7):.6f},"
                " MemAllocated=22.41GB, MaxMemAllocated=61.07GB",
            )
            log.append(
                f"lyra-041: mlm step {step}  loss {curve(step, 4.31, 1.93, 140, rng):.4f}  "
                f"gnorm {abs(rng.gauss(0.61 + 2.2 * math.exp(-step / 60), 0.05)):.3f}"
            )
    frozen_step = step
    seq = 60 + frozen_step * 31 + 17
    for rank in range(12):
        if rank == 6:
            continue
        when, tag = clock.at(fired + rng.uniform(0, 0.4)), f"lyra-{41 + rank // 4:03d}"
        log.append(
            f"{tag}: [rank{rank}]:[E{when:%m%d %H:%M:%S.%f} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught"
            f" collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=499998720,"
            f" NumelOut=499998720, Timeout(ms)=1800000) ran for {1800000 + rng.randint(8, 96)} milliseconds before"
            " timing out."
        )
        log.append(
            f"{tag}: [rank{rank}]:[E{when:%m%d %H:%M:%S.%f} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg)"
            f" Rank {rank}] Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued"
            f" NCCL work: {seq}, last completed NCCL work: {seq - 1}."
        )
    when = clock.at(fired + 0.9)
    log.append(
        f"lyra-042: [rank6]:[E{when:%m%d %H:%M:%S.%f} ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 6]"
        " Received a dump signal due to a collective timeout from rank 3 and we will try our best to dump the debug"
        f" info. Last enqueued NCCL work: {seq - 1}, last completed NCCL work: {seq - 1}.This is most likely caused by"
        " incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same"
        " for all ranks or the scheduled collective, for some reason, didn't run."
    )
    for rank in (3, 8, 0):
        when, tag = clock.at(fired + 41 + rank / 9), f"lyra-{41 + rank // 4:03d}"
        log.append(
            f"{tag}: [rank{rank}]:[E{when:%m%d %H:%M:%S.%f} ProcessGroupNCCL.cpp:630] [Rank {rank}] Some NCCL"
            " operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU"
            " operations might run on corrupted/incomplete data. To avoid data inconsistency, we are taking the entire"
            " process down."
        )
    for number, node in enumerate(nodes):
        for local in range(4):
            say(
                fired + 48 + number,
                node,
                f"[INFO] [launch.py:319:sigkill_handler] Killing subprocess {pids[number * 4 + local]}",
            )
        say(
            fired + 51 + number,
            node,
            "[ERROR] [launch.py:325:sigkill_handler] ['/opt/venv/bin/python', '-u', 'pretrain_rnaseq.py', "
            "'--local_rank=3', '--deepspeed_config', 'zero2_bf16.json'] exits with return code = -6",
        )
    log.append("pdsh@lyra-041: lyra-042: ssh exited with exit code 250")
    (place / f"train-{job}.log").write_text("\n".join(log) + "\n")

    def plan(rank: int, fb: float) -> Callable[[float], g.Point]:
        def at_time(now: float) -> g.Point:
            if now < 34 or now > fired + 47:
                return g.off(g.H100)
            if now < 60:
                return g.held(g.H100, 612)
            if now < work:
                return g.held(g.H100, 24817)
            if now < froze:
                return g.busy(g.H100, fb, rng, 0.79, link=7e10)
            return g.held(g.H100, fb) if rank == 6 else g.spin(g.H100, fb, rng)

        return at_time

    devices = [
        g.Device(
            nodes[rank // 4],
            rank % 4,
            g.H100,
            g.uuid(rng),
            plan(rank, 69102 + rng.randint(-300, 300)),
            room=rng.uniform(25, 30),
        )
        for rank in range(8)
    ]
    devices[1].sbe, devices[1].sbe_base = [433.0, 1602.0, 1688.0, 3920.0], 19
    g.answer(place / "gpu_metrics.json", g.series(devices, clock.epoch, -300, end + 360, 30, rng))
    names = {
        "JobID": job,
        "JobName": "rnaseq-mlm",
        "User": "okafor",
        "Account": "genomics",
        "Partition": "h100x4",
        "NNodes": "3",
        "NodeList": "lyra-[041-043]",
        "State": "FAILED",
        "ExitCode": "250:0",
        "Submit": clock.iso(-4210),
        "Start": clock.iso(0),
        "End": clock.iso(end),
        "Elapsed": g.hms(end),
        "Timelimit": "08:00:00",
        "AllocTRES": "billing=192,cpu=192,gres/gpu=12,mem=2400G,node=3",
    }
    g.piped(place / "sacct.txt", [names])
    for node in nodes:
        g.journal(place / "kernel" / f"{node}.log", node, clock, g.chatter(rng, -40000, end + 600, 9))


def t10_bora(place: Path, rng: Random) -> None:
    """Three nodes of four; one rank waits for its file system while the others wait for it."""
    clock, job, nodes = g.Clock("2026-08-30T07:41:18", 0), "551209", ("bora07", "bora08", "bora09")
    work, froze, end = 214.0, 16112.0, 21133.0
    log = [
        f"[{clock.full(22)}][mimir.train][INFO] - host=bora07 job={job} world_size=12 devices=4 num_nodes=3",
        (
            f"[{clock.full(22)}][mimir.train][INFO] - strategy: ddp (process_group_backend=nccl, timeout=6:00:00),"
            " precision: bf16-mixed"
        ),
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
    ]
    log += [
        f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/12"
        for rank in (0, 4, 1, 2, 3, 8, 5, 6, 7, 10, 9, 11)
    ]
    log += [
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 12 processes",
        "-" * 100,
        "",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        "",
        "  | Name    | Type           | Params | Mode ",
        "---------------------------------------------------",
        "0 | encoder | SwinTower      | 194 M  | train",
        "1 | head    | FlowDecoder    | 41.7 M | train",
        "---------------------------------------------------",
        "236 M     Trainable params",
        "0         Non-trainable params",
    ]
    at, step, total = work, 0, 1833
    bar: list[str] = []
    epoch_start = at
    while True:
        at += rng.gauss(3.31, 0.07)
        if at > froze:
            break
        step += 1
        inside = (step - 1) % total + 1
        loss = curve(step, 0.912, 0.241, 1500, rng, 0.006)
        if inside == 1:
            epoch_start = at
        if inside % 47 == 0:
            part, spent = inside / total, at - epoch_start
            left = spent / part - spent
            bar.append(
                f"Epoch {(step - 1) // total}:  {part:4.0%}|{'█' * int(part * 10):<10}| {inside}/{total}"
                f" [{g.bar(spent)}<{g.bar(left)}, {inside / max(spent, 1):5.2f}it/s, v_num={job},"
                f" flow_l1_step={loss:.3f}]"
            )
        if step % 100 == 0:
            log.append("\r".join(bar))
            bar = []
            log.append(
                f"[{clock.full(at)}][mimir.callbacks.heartbeat][INFO] - step {step} flow_l1 {loss:.4f} "
                f"lr {3e-4 * 0.5 * (1 + math.cos(step / 9000)):.3e} data_wait {abs(rng.gauss(0.011, 0.004)):.3f}s"
            )
    log.append("\r".join(bar))
    log.append(
        f"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nslurmstepd: error: *** STEP {job}.0"
        f" ON bora07 CANCELLED AT {clock.iso(end - 2)} ***"
    )
    (place / f"slurm-{job}.out").write_text("\n".join(log) + "\n")

    reduce_stack = (
        "    backward (torch/autograd/graph.py:825)\n    backward (torch/_tensor.py:581)\n    backward"
        " (lightning/pytorch/plugins/precision/precision.py:72)\n    optimizer_step"
        " (lightning/pytorch/core/module.py:1306)\n    advance (lightning/pytorch/loops/training_epoch_loop.py:269)\n  "
        "  main (train.py:88)\n    <module> (train.py:97)\n"
    )
    wait_stack = (
        "    synchronize (torch/cuda/streams.py:105)\n    _sync_metrics (mimir/callbacks/heartbeat.py:61)\n   "
        " on_train_batch_end (mimir/callbacks/heartbeat.py:44)\n    advance"
        " (lightning/pytorch/loops/training_epoch_loop.py:295)\n    main (train.py:88)\n    <module> (train.py:97)\n"
    )
    read_stack = (
        "    _read_block (mimir/data/tilestore.py:203)\n    prefetch_index (mimir/data/tilestore.py:151)\n"
        "    __next__ (mimir/data/loader.py:77)\n    advance (lightning/pytorch/loops/training_epoch_loop.py:212)\n"
        "    main (train.py:88)\n    <module> (train.py:97)\n"
    )
    stacks = place / "pyspy"
    stacks.mkdir()
    for rank in (0, 3, 6, 9, 10):
        pid = 20411 + rank * 7
        body = read_stack if rank == 9 else wait_stack if rank in (0, 6) else reduce_stack
        state = "idle" if rank == 9 else "active"
        (stacks / f"rank{rank:02d}_{nodes[rank // 4]}.txt").write_text(
            f"# {clock.secs(end - 640 + rank * 11)}\nProcess {pid}: python train.py experiment=flow_v3\nPython v3.11.9 "
            f'(/opt/conda/bin/python3.11)\n\nThread {pid} ({state}): "MainThread"\n{body}'
            f'Thread {pid + 300} (idle): "Thread-2 (_pin_memory_loop)"\n    select (selectors.py:415)\n    wait'
            " (multiprocessing/connection.py:947)\n"
        )

    def plan(fb: float) -> Callable[[float], g.Point]:
        def at_time(now: float) -> g.Point:
            if now < 40 or now > end - 4:
                return g.off(g.A100)
            if now < work:
                return g.held(g.A100, 1644)
            return g.busy(g.A100, fb, rng, 0.71, link=2e10) if now < froze else g.spin(g.A100, fb, rng)

        return at_time

    devices = [
        g.Device(
            nodes[rank // 4],
            rank % 4,
            g.A100,
            g.uuid(rng),
            plan(47810 + rng.randint(-200, 200)),
            room=rng.uniform(24, 29),
        )
        for rank in range(8)
    ]
    g.answer(place / "dcgm_query_range.json", g.series(devices, clock.epoch, -420, end + 480, 30, rng))
    base = {
        "User": "hlarsson",
        "Partition": "a100",
        "NodeList": "bora[07-09]",
        "Start": clock.iso(0),
        "End": clock.iso(end),
        "Elapsed": g.hms(end),
        "Timelimit": "2-00:00:00",
    }
    rows = [
        base
        | {
            "JobID": job,
            "JobName": "flow_v3",
            "State": "CANCELLED by 41172",
            "ExitCode": "0:0",
            "AllocNodes": "3",
        },
        base
        | {
            "JobID": f"{job}.batch",
            "JobName": "batch",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "AllocNodes": "1",
            "User": "",
            "Partition": "",
            "NodeList": "bora07",
            "Timelimit": "",
        },
        base
        | {
            "JobID": f"{job}.extern",
            "JobName": "extern",
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "AllocNodes": "3",
            "User": "",
            "Partition": "",
            "Timelimit": "",
        },
        base
        | {
            "JobID": f"{job}.0",
            "JobName": "python",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "AllocNodes": "3",
            "User": "",
            "Partition": "",
            "Timelimit": "",
            "Start": clock.iso(6),
        },
    ]
    g.columns(
        place / "sacct.txt",
        rows,
        {
            "JobID": 14,
            "JobName": 10,
            "User": 9,
            "Partition": 9,
            "AllocNodes": 10,
            "NodeList": 14,
            "State": 19,
            "ExitCode": 8,
            "Start": 19,
            "End": 19,
            "Elapsed": 10,
            "Timelimit": 10,
        },
    )
    old = -31322.0
    other = [
        (old, "node invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (old, "CPU: 41 PID: 2210984 Comm: node Not tainted 5.14.0-427.40.1.el9_4.x86_64 #1"),
        (old, "memory: usage 4194304kB, limit 4194304kB, failcnt 88123"),
        (
            old,
            (
                "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-5b1e0c77aa41.scope,"
                "mems_allowed=0-1,"
                "oom_memcg=/system.slice/docker-5b1e0c77aa41.scope,task_memcg=/system.slice/docker-5b1e0c77aa41.scope,"
                "task=node,pid=2210984,uid=1000"
            ),
        ),
        (
            old,
            (
                "Memory cgroup out of memory: Killed process 2210984 (node) total-vm:23011876kB, anon-rss:4101232kB,"
                " file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:19320kB oom_score_adj:0"
            ),
        ),
    ]
    lost = [
        (
            froze + 27,
            (
                "Lustre: hpcfs-OST0017-osc-ff3a91c0b5e48000: Connection to hpcfs-OST0017 (at 10.7.2.31@o2ib) was lost;"
                " in progress operations using this service will wait for recovery to complete"
            ),
        ),
        (
            froze + 27,
            (
                "Lustre: 3312:0:(client.c:2310:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow"
                " reply: o3->hpcfs-OST0017-osc-ff3a91c0b5e48000@10.7.2.31@o2ib:6/4 lens 488/440 e 0 to 1 dl 0 ref 2"
            ),
        ),
    ]
    for turn in range(1, 11):
        moment = froze + 122.9 * (turn + 1)
        lost += [
            (moment, f"INFO: task python:20474 blocked for more than {122 * turn + turn // 2} seconds."),
            (moment + 0.01, "      Tainted: P           OE     -------  ---  5.14.0-427.40.1.el9_4.x86_64 #1"),
            (moment + 0.02, " cl_sync_io_wait+0x1f1/0x3d0 [obdclass]"),
            (moment + 0.03, " ll_readpage+0x1e4/0x6a0 [lustre]"),
        ]
    for node in nodes:
        events = g.chatter(rng, -50000, end, 7) + (other if node == "bora08" else lost if node == "bora09" else [])
        g.journal(place / "kernel" / f"{node}.journal.txt", node, clock, events)


def t11_cierzo(place: Path, rng: Random) -> None:
    """Two nodes of one; the second node's process outgrows what it was given."""
    clock, job, nodes = g.Clock("2026-11-09T20:06:44", -8), "88213", ("cierzo-11", "cierzo-12")
    work, died, end = 103.0, 6861.0, 6899.0
    logs: list[list[str]] = [[], []]
    for rank in (0, 1):
        logs[rank] += [
            f"{clock.secs(11 + rank)} | arranque | proceso {rank} de 2 en {nodes[rank]}, tarjeta NVIDIA H100 80GB HBM3",
            f"{clock.secs(14 + rank)} | datos    | índice de 61 204 fragmentos leído; caché en memoria: sin límite",
            (
                f"{clock.secs(38 + rank)} | modelo   | 1 340 M de parámetros, bfloat16, secuencia 3072, lote 12 por"
                " tarjeta"
            ),
            f"{clock.secs(work - 4)} | entreno  | empiezo: 40 000 pasos previstos, guardado cada 2 000",
        ]
    at, step, saves = work, 0, []
    while True:
        at += rng.gauss(1.317, 0.02)
        if at > died:
            break
        step += 1
        if step % 2000 == 0:
            logs[0].append(
                f"{clock.secs(at)} | guardado | punto {step} escrito en /datos/salida/voz3/p{step:06d}.pt (16,1 GB)"
            )
            saves.append(at)
            at += 21
        if step % 50 == 0:
            loss = f"{curve(step, 10.4, 3.02, 900, rng, 0.03):.3f}".replace(".", ",")
            for rank in (0, 1):
                rss = 31 + step * (0.0061 if rank == 0 else 0.0419)
                tail = (
                    f" | mem. proceso {rss:.1f}".replace(f"{rss:.1f}", f"{rss:.1f}".replace(".", ",")) + " GiB"
                    if step % 250 == 0
                    else ""
                )
                logs[rank].append(
                    f"{clock.secs(at)} | paso {step:>6} | pérdida {loss} | tasa {2.5e-4 * min(1, step / 800):.2e} | "
                    f"{rng.gauss(27980, 200):.0f} fichas/s{tail}"
                )
    for rank in (0, 1):
        (place / f"voz3_{job}_{rank}.log").write_text("\n".join(logs[rank]) + "\n")
    (place / f"slurm-{job}.err").write_text(
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={job}.0. Some of the step tasks have been OOM"
        f" Killed.\nsrun: error: cierzo-12: task 1: Out Of Memory\nsrun: Terminating StepId={job}.0\nslurmstepd: error:"
        f" *** STEP {job}.0 ON cierzo-11 CANCELLED AT {clock.iso(died + 31)} ***\nsrun: error: cierzo-11: task 0:"
        " Terminated\n"
    )

    def plan(rank: int) -> Callable[[float], g.Point]:
        def at_time(now: float) -> g.Point:
            if now < 21 or now > (died if rank else died + 32):
                return g.off(g.H100)
            if now < work:
                return g.held(g.H100, 9322)
            if now > died or any(save <= now < save + 21 for save in saves):
                return g.held(g.H100, 66280) if rank == 0 and now <= died else g.spin(g.H100, 66280, rng)
            return g.busy(g.H100, 66280, rng, 0.97, cap=True)

        return at_time

    for rank, node in enumerate(nodes):
        g.smi(
            place / f"smi_{node}.csv",
            [g.Device(node, 0, g.H100, g.uuid(rng), plan(rank), room=26.5)],
            clock,
            -240,
            end + 300,
            30,
            rng,
        )
    g.piped(
        place / "sacct.txt",
        [
            {
                "JobID": job,
                "JobName": "voz3",
                "User": "mquiroga",
                "Partition": "h100",
                "NodeList": "cierzo-[11-12]",
                "State": "OUT_OF_MEMORY",
                "ExitCode": "0:125",
                "Start": clock.iso(0),
                "End": clock.iso(end),
                "Elapsed": g.hms(end),
                "Timelimit": "1-00:00:00",
                "ReqMem": "250G",
                "AllocTRES": "billing=32,cpu=32,gres/gpu=2,mem=500G,node=2",
            }
        ],
    )


def t12_heron(place: Path, rng: Random) -> None:
    """Four nodes of eight; one process falls over in native code."""
    clock, nodes = g.Clock("2026-11-18T09:14:20", 1), tuple(f"heron-g{number:02d}" for number in (3, 4, 5, 9))
    work, died, end = 262.0, 1611.0, 1652.0
    hurt, local = 2, 5
    log = [f"{rank // 8}: Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/32" for rank in range(32)]
    for at, text in (
        (61, "nemo_logging:393] Rank 0 has data parallel group : [0, 8, 16, 24]"),
        (61, "nemo_logging:393] Rank 0 has tensor model parallel group: [0, 1, 2, 3, 4, 5, 6, 7]"),
        (63, "nemo_logging:393] Rank 0 has pipeline model parallel rank: 0"),
        (88, "nemo_logging:393] Padded vocab_size: 51200, original vocab_size: 50257, dummy tokens: 943."),
        (97, "nemo_logging:393] Copying Trainer's 'max_steps' (6000) to LR scheduler's 'max_steps'."),
        (124, "num_microbatches_calculator:228] setting number of microbatches to constant 32"),
        (171, "nemo_logging:393]  > number of parameters on (tensor, pipeline) model parallel rank (0 ,0): 846733312"),
    ):
        log.append(f"0: [NeMo I {clock.secs(at)} {text}")
    at, step = work, 0
    while True:
        timing = rng.gauss(7.42, 0.05) if step else 19.3
        at += timing
        if at > died:
            break
        log.append(
            f"0: Training epoch 0, iteration {step}/5999 | lr: {1.5e-4 * (step + 1) / 500:.4g} | global_batch_size: 256"
            f" | global_step: {step} | reduced_train_loss: {curve(step, 11.02, 6.1, 70, rng):.4g} | train_step_timing"
            f" in s: {timing:.4g}" + (f" | consumed_samples: {256 * (step + 1)}" if step else "")
        )
        step += 1
    first = hurt * 8
    pids = [40407 + 2 * number for number in range(8)]
    when = clock.at(died + 3.1)
    log += [
        f"{hurt}: W{when:%m%d %H:%M:%S}.117000 40331 torch/distributed/elastic/multiprocessing/api.py:897] "
        f"Sending process {pids[number]} closing signal SIGTERM"
        for number in range(8)
        if number != local
    ]
    log.append(
        f"{hurt}: E{when:%m%d %H:%M:%S}.984000 40331 torch/distributed/elastic/multiprocessing/api.py:869] failed"
        f" (exitcode: -11) local_rank: {local} (pid: {pids[local]}) of binary: /usr/bin/python"
    )
    rule = "=" * 60
    table = (
        rule,
        "/opt/NeMo/scripts/pretrain_nordic.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock.at(died + 3):%Y-%m-%d_%H:%M:%S}",
        f"  host      : {nodes[hurt]}",
        f"  rank      : {first + local} (local_rank: {local})",
        f"  exitcode  : -11 (pid: {pids[local]})",
        "  error_file: <N/A>",
        f"  traceback : Signal 11 (SIGSEGV) received by PID {pids[local]}",
        rule,
    )
    log += [f"{hurt}: {text}" for text in table]
    log.append(f"srun: error: {nodes[hurt]}: task 2: Exited with exit code 1\nsrun: Terminating StepId=1190427.0")
    log.append(f"slurmstepd: error: *** STEP 1190427.0 ON {nodes[0]} CANCELLED AT {clock.iso(died + 9)} ***")
    log += [f"srun: error: {node}: task {number}: Terminated" for number, node in enumerate(nodes) if number != hurt]
    (place / "log-nordic_1190427_0.out").write_text("\n".join(log) + "\n")

    def plan(node: int, gpu: int, fb: float) -> Callable[[float], g.Point]:
        def at_time(now: float) -> g.Point:
            gone = died + (12 if node != hurt else 0 if gpu == local else 5)
            if now < 48 or now > gone:
                return g.off(g.V100)
            if now < work:
                return g.held(g.V100, 1187 if now < 130 else 15502)
            return g.busy(g.V100, fb, rng, 0.76, link=3e10) if now < died else g.spin(g.V100, fb, rng)

        return at_time

    devices = [
        g.Device(
            node, gpu, g.V100, g.uuid(rng), plan(number, gpu, 27411 + rng.randint(-90, 90)), room=rng.uniform(24, 30)
        )
        for number, node in enumerate(nodes)
        for gpu in range(8)
    ]
    rows = g.series(devices, clock.epoch, -180, end + 240, 10, rng, remaps=False)
    for name in sorted({str(row["metric"]["__name__"]) for row in rows}):
        g.answer(place / "prometheus" / f"{name}.json", [row for row in rows if row["metric"]["__name__"] == name])
    for number, node in enumerate(nodes):
        events = g.chatter(rng, -20000, end + 300, 8)
        if number == hurt:
            events += [
                (
                    died,
                    (
                        f"python[{pids[local]}]: segfault at 28 ip 00007f1a6c2b41d7 sp 00007f16a9ffe9d0 error 4 in "
                        "libmlx5.so.1.24.44.0[7f1a6c29b000+4d000] likely on CPU 37 (core 17, socket 1)"
                    ),
                ),
                (
                    died + 0.0003,
                    (
                        "Code: 48 8b 47 10 48 85 c0 74 2b 8b 4e 08 48 8b 56 18 0f c9 89 08 <48> 8b 42 28 48 83 c0 01 48"
                        " 89 42 28 c3"
                    ),
                ),
            ]
        g.syslog(place / "syslog" / f"{node}.kern.log", node, clock, events, 1204332.0 + 977 * number)


def t13_sakura(place: Path, rng: Random) -> None:
    """One GPU whose process keeps its memory and does nothing more; nobody kept a log."""
    clock, job, node = g.Clock("2026-10-21T13:04:52", 9), "251233", "sakura-b03"
    work, stood, end = 148.0, 2492.0, 13821.0

    def plan(now: float) -> g.Point:
        if now < 37 or now > end - 6:
            return g.off(g.B200)
        if now < work:
            return g.held(g.B200, 31872)
        return g.busy(g.B200, 148364, rng, 0.81, link=0.0) if now < stood else g.held(g.B200, 148364)

    device = g.Device(
        node, 0, g.B200, g.uuid(rng), plan, sbe=[1204.0, 4890.0, 4977.0, 9033.0, 12610.0], sbe_base=3, room=25.5
    )
    g.answer(place / "metrics_range.json", g.series([device], clock.epoch, -600, end + 600, 30, rng))
    base = {
        "User": "",
        "Partition": "",
        "NodeList": node,
        "Start": clock.iso(0),
        "End": clock.iso(end),
        "Elapsed": g.hms(end),
        "Timelimit": "",
        "ReqMem": "",
        "MaxRSS": "",
        "AveCPU": "",
    }
    tres = "cpu=24,gres/gpu=1,mem=240G,node=1"
    g.piped(
        place / "sacct_steps.txt",
        [
            {"JobID": job, "JobName": "qa_distill", "State": "TIMEOUT", "ExitCode": "0:0", "TotalCPU": "01:02:41"}
            | base
            | {
                "User": "n.hoshino",
                "Partition": "b200",
                "Timelimit": "03:50:00",
                "ReqMem": "240G",
                "AllocTRES": "billing=24," + tres,
            },
            {
                "JobID": f"{job}.batch",
                "JobName": "batch",
                "State": "CANCELLED",
                "ExitCode": "0:15",
                "TotalCPU": "00:00:03",
            }
            | base
            | {"MaxRSS": "21344K", "AveCPU": "00:00:03", "AllocTRES": tres},
            {
                "JobID": f"{job}.extern",
                "JobName": "extern",
                "State": "COMPLETED",
                "ExitCode": "0:0",
                "TotalCPU": "00:00:00",
            }
            | base
            | {"MaxRSS": "1120K", "AveCPU": "00:00:00", "AllocTRES": "billing=24," + tres},
            {
                "JobID": f"{job}.0",
                "JobName": "python3",
                "State": "CANCELLED",
                "ExitCode": "0:15",
                "TotalCPU": "01:02:38",
            }
            | base
            | {
                "Start": clock.iso(4),
                "Elapsed": g.hms(end - 4),
                "MaxRSS": "61904412K",
                "AveCPU": "01:02:38",
                "AllocTRES": tres,
            },
        ],
    )
    events = g.chatter(rng, -80000, end, 9)
    events += [
        (stood + 64, "nfs: server 10.88.4.20 not responding, still trying"),
        (stood + 71, "nfs: server 10.88.4.20 not responding, still trying"),
    ]
    for turn in range(1, 11):
        moment = stood + 121.6 + 122.9 * turn
        for row, text in enumerate(
            (
                f"INFO: task python3:188204 blocked for more than {122 * turn + turn // 2} seconds.",
                "      Tainted: G           OE      6.8.0-60-generic #63-Ubuntu",
                '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
                "task:python3         state:D stack:0     pid:188204 tgid:188204 ppid:188171 flags:0x00004002",
                "Call Trace:",
                " <TASK>",
                " __schedule+0x27c/0x6b0",
                " schedule+0x33/0x110",
                " io_schedule+0x46/0x80",
                " folio_wait_bit_common+0x136/0x330",
                " filemap_read+0x2f7/0x4a0",
                " nfs_file_read+0x8a/0xd0 [nfs]",
                " vfs_read+0x245/0x390",
                " </TASK>",
            )
        ):
            events.append((moment + row * 1e-4, text))
    g.dmesg(place / f"dmesg_{node}.txt", clock, events)
    (place / "collected.txt").write_text(
        f"collected on {node} at {clock.at(end + 700):%a %b %e %H:%M:%S} JST 2026 (date +%z: +0900)\n"
        f"job {job}; user's stdout/stderr were sent to /dev/null (see --output), nothing to add\n"
    )


def t14_pecan(place: Path, rng: Random) -> None:
    """Two nodes of eight learn from rewards and end as planned."""
    clock, job, nodes = g.Clock("2026-10-07T08:21:09", -6), "39077", ("pecan05", "pecan06")
    begin, steps, per = 318.0, 120, 43.0
    times, at = [], begin
    for step in range(steps):
        at += rng.gauss(per, 1.4) + (17 if step == 0 else 0)
        times.append(at)
    done, end = times[-1], times[-1] + 141

    def line(when: float, text: str) -> str:
        return f"INFO {clock.at(when):%m-%d %H:%M:%S} {text}"

    log = [
        (
            f"[{clock.secs(6)}] launching: accelerate launch --num_machines 2 --num_processes 16 --config_file ds3.yaml"
            " grpo_sql.py (rank 0 of 2)"
        ),
        "[rank0] loading dataset: 18 240 prompts (train), 400 (held out)",
        line(
            74,
            "[config.py:841] This model supports multiple tasks: {'generate', 'embed', 'classify', 'score', 'reward'}."
            " Defaulting to 'generate'.",
        ),
        line(75, "[config.py:1472] Using max model len 3584"),
        line(118, "[gpu_model_runner.py:1770] Starting to load model /models/qwen2.5-coder-7b-sql..."),
        line(149, "[default_loader.py:272] Loading weights took 24.81 seconds"),
        line(151, "[gpu_model_runner.py:1801] Model loading took 14.2487 GiB and 31.902201 seconds"),
        line(219, "[gpu_worker.py:232] Available KV cache memory: 8.11 GiB"),
        line(221, "[kv_cache_utils.py:716] GPU KV cache size: 151,808 tokens"),
        line(261, "[gpu_model_runner.py:2326] Graph capturing finished in 39 secs, took 0.61 GiB"),
        "Parameter Offload: Total persistent parameters: 333312 in 141 params",
    ]
    tokens = 0
    for step, when in enumerate(times, 1):
        reward = 0.19 + 0.52 * (1 - math.exp(-step / 48)) + rng.gauss(0, 0.022)
        length = 388 - 70 * (1 - math.exp(-step / 60)) + rng.gauss(0, 9)
        tokens += int(length * 512 + 512 * 611)
        valid = min(1.0, 0.62 + 0.36 * (1 - math.exp(-step / 30)) + rng.gauss(0, 0.01))
        row = {
            "loss": round(rng.gauss(0.0009 * step / 30, 0.0021), 4),
            "grad_norm": round(abs(rng.gauss(0.34, 0.05)), 6),
            "learning_rate": float(f"{1e-6 * min(1, step / 12) * (1 - max(0, step - 12) / 120):.6g}"),
            "num_tokens": float(tokens),
            "completions/mean_length": round(length, 4),
            "completions/min_length": float(rng.randint(71, 118)),
            "completions/max_length": float(rng.randint(930, 1024)),
            "completions/clipped_ratio": round(abs(rng.gauss(0.011, 0.004)), 6),
            "rewards/executes/mean": round(valid, 6),
            "rewards/same_rows/mean": round(reward - 0.08 * valid, 6),
            "reward": round(reward, 6),
            "reward_std": round(abs(rng.gauss(0.31 - 0.0008 * step, 0.02)), 6),
            "kl": round(abs(rng.gauss(0.00025 * step, 0.0011)), 6),
            "clip_ratio/region_mean": 0.0,
            "epoch": round(step * 32 / 18240, 4),
        }
        log.append(
            f"{step / steps:4.0%}|{'█' * int(10 * step / steps):<10}| {step}/{steps} [{g.bar(when - begin)}<"
            f"{g.bar((steps - step) * (when - begin) / step)}, {(when - begin) / step:.2f}s/it]\r{row!r}"
        )
        if step in (60, 120):
            log.append(f"[{clock.secs(when + 1)}] Saving model checkpoint to /scratch/tcole/grpo_sql/checkpoint-{step}")
    log += [
        (
            f"{{'train_runtime': {done - begin + 44:.4f}, 'train_samples_per_second':"
            f" {steps * 32 / (done - begin):.3f}, 'train_steps_per_second': {steps / (done - begin):.3f}, 'train_loss':"
            f" 0.0017, 'epoch': {steps * 32 / 18240:.4f}}}"
        ),
        f"[{clock.secs(done + 47)}] held-out execution match: 0.6925 (before training: 0.2150)",
        (
            f"[{clock.secs(done + 121)}] saved final model to /scratch/tcole/grpo_sql/final; all 120 planned updates"
            " are done, leaving"
        ),
    ]
    (place / f"grpo_sql-{job}.out").write_text("\n".join(log) + "\n")

    def plan(number: int, fb: float) -> Callable[[float], g.Point]:
        def at_time(now: float) -> g.Point:
            board = g.H100
            if now < 52 + number * 3 or now > end - 9:
                return g.off(board)
            if now < 118:
                return g.held(board, 1420)
            if now < 262:
                return g.held(board, 19880) if rng.random() < 0.6 else g.busy(board, 24410, rng, 0.3)
            if now < begin or now > done + 47:
                return g.held(board, fb)
            if now > done:
                return g.busy(board, fb, rng, 0.5)
            step = next(index for index, moment in enumerate(times) if now <= moment)
            start = times[step - 1] if step else begin
            part = (now - start) / (times[step] - start)
            if part < 0.57:
                return g.busy(board, fb, rng, 0.52 if part < 0.4 else 0.41)
            if part < 0.64:
                return g.busy(board, fb, rng, 0.3)
            return g.busy(board, fb, rng, 0.78)

        return at_time

    for number, node in enumerate(nodes):
        devices = [
            g.Device(
                node, gpu, g.H100, g.uuid(rng), plan(number, 74120 + rng.randint(-600, 600)), room=rng.uniform(24, 30)
            )
            for gpu in range(8)
        ]
        g.smi(place / f"nvidia-smi_{node}.csv", devices, clock, -240, end + 300, 15, rng)
        g.dmesg(place / f"dmesg_{node}.txt", clock, g.chatter(rng, -200000, end + 200, 12))
    base = {
        "JobID": "",
        "JobName": "",
        "User": "",
        "Partition": "",
        "State": "COMPLETED",
        "ExitCode": "0:0",
        "Start": clock.iso(0),
        "End": clock.iso(end),
        "Elapsed": g.hms(end),
        "Timelimit": "",
        "NodeList": "pecan[05-06]",
        "MaxRSS": "",
        "AllocTRES": "cpu=192,gres/gpu=16,mem=3000G,node=2",
    }
    g.piped(
        place / "sacct.txt",
        [
            base
            | {
                "JobID": job,
                "JobName": "grpo_sql",
                "User": "tcole",
                "Partition": "h100",
                "Timelimit": "04:00:00",
                "AllocTRES": "billing=192,cpu=192,gres/gpu=16,mem=3000G,node=2",
            },
            base
            | {
                "JobID": f"{job}.batch",
                "JobName": "batch",
                "NodeList": "pecan05",
                "MaxRSS": "30412K",
                "AllocTRES": "cpu=96,gres/gpu=8,mem=1500G,node=1",
            },
            base | {"JobID": f"{job}.extern", "JobName": "extern", "MaxRSS": "1204K"},
            base | {"JobID": f"{job}.0", "JobName": "accelerate", "MaxRSS": "318824016K"},
        ],
    )


def t15_aster(place: Path, rng: Random) -> None:
    """Two nodes of two copy their pictures, then stumble over their settings."""
    clock, job, nodes = g.Clock("2026-11-26T16:33:07", 1), "1502281", ("aster12", "aster14")
    end = 421.0
    log = [
        f"0: [{clock.secs(2)}] node aster12: unpacking /project/plankton/coco_v7.tar into /local/{job}",
        f"2: [{clock.secs(2)}] node aster14: unpacking /project/plankton/coco_v7.tar into /local/{job}",
        f"2: [{clock.secs(341)}] node aster14: 188417 files, 91.2 GB",
        f"0: [{clock.secs(356)}] node aster12: 188417 files, 91.2 GB",
        f"0: [{clock.secs(358)}] starting train_plankton.py on 2 x 2 tasks",
    ]
    for rank in (1, 3, 0, 2):
        moment = clock.at(402 + rng.uniform(0, 2.5))
        log.append(
            f"{rank}: [{moment:%m/%d %H:%M:%S} plankton.setup]: rank {rank} of 4 on {nodes[rank // 2]}, detectron2 0.6,"
            " torch 2.1.2+cu118"
        )
        log.append(
            f"{rank}: [{moment:%m/%d %H:%M:%S} d2.data.datasets]: registered plankton_train, plankton_val (not loaded"
            " yet)"
        )
        log += [
            f"{rank}: {text}"
            for text in (
                "Traceback (most recent call last):",
                '  File "/home/vkessel/plankton/train_plankton.py", line 131, in <module>',
                "    main(build_parser().parse_args())",
                '  File "/home/vkessel/plankton/train_plankton.py", line 97, in main',
                "    cfg = setup(args)",
                '  File "/home/vkessel/plankton/train_plankton.py", line 62, in setup',
                "    cfg.merge_from_file(args.config_file)",
                (
                    '  File "/home/vkessel/.conda/envs/d2/lib/python3.10/site-packages/detectron2/config/config.py",'
                    " line 69, in merge_from_file"
                ),
                "    self.merge_from_other_cfg(loaded_cfg)",
                (
                    '  File "/home/vkessel/.conda/envs/d2/lib/python3.10/site-packages/fvcore/common/config.py", line'
                    " 132, in merge_from_other_cfg"
                ),
                "    return super().merge_from_other_cfg(cfg_other)",
                (
                    '  File "/home/vkessel/.conda/envs/d2/lib/python3.10/site-packages/yacs/config.py", line 217, in'
                    " merge_from_other_cfg"
                ),
                "    _merge_a_into_b(cfg_other, self, self, [])",
                (
                    '  File "/home/vkessel/.conda/envs/d2/lib/python3.10/site-packages/yacs/config.py", line 478, in'
                    " _merge_a_into_b"
                ),
                "    _merge_a_into_b(v, b[k], root, key_list + [k])",
                (
                    '  File "/home/vkessel/.conda/envs/d2/lib/python3.10/site-packages/yacs/config.py", line 491, in'
                    " _merge_a_into_b"
                ),
                '    raise KeyError("Non-existent config key: {}".format(full_key))',
                "KeyError: 'Non-existent config key: MODEL.ROI_MASK_HEAD.POOLER_RESOLUTON'",
            )
        ]
    log += [
        "srun: error: aster12: tasks 0-1: Exited with exit code 1",
        f"srun: Terminating StepId={job}.1",
        "srun: error: aster14: tasks 2-3: Exited with exit code 1",
    ]
    (place / f"plankton.{job}.log").write_text("\n".join(log) + "\n")
    devices = [
        g.Device("aster12", gpu, g.V100, g.uuid(rng), lambda _now: g.off(g.V100), room=rng.uniform(24, 28))
        for gpu in range(2)
    ]
    g.answer(place / "dcgm.json", g.series(devices, clock.epoch, -300, end + 300, 10, rng, remaps=False))
    base = {
        "User": "",
        "Partition": "",
        "NodeList": "aster[12,14]",
        "State": "FAILED",
        "ExitCode": "1:0",
        "Start": clock.iso(0),
        "End": clock.iso(end),
        "Elapsed": g.hms(end),
        "Timelimit": "",
    }
    g.columns(
        place / "sacct.txt",
        [
            base
            | {
                "JobID": job,
                "JobName": "plankton",
                "User": "vkessel",
                "Partition": "volta",
                "Timelimit": "2-12:00:00",
            },
            base | {"JobID": f"{job}.batch", "JobName": "batch", "NodeList": "aster12"},
            base | {"JobID": f"{job}.extern", "JobName": "extern", "State": "COMPLETED", "ExitCode": "0:0"},
            base
            | {
                "JobID": f"{job}.0",
                "JobName": "tar",
                "State": "COMPLETED",
                "ExitCode": "0:0",
                "Start": clock.iso(2),
                "End": clock.iso(357),
                "Elapsed": g.hms(355),
            },
            base | {"JobID": f"{job}.1", "JobName": "python", "Start": clock.iso(358), "Elapsed": g.hms(end - 358)},
        ],
        {
            "JobID": 15,
            "JobName": 10,
            "User": 9,
            "Partition": 9,
            "NodeList": 12,
            "State": 10,
            "ExitCode": 8,
            "Start": 19,
            "End": 19,
            "Elapsed": 10,
            "Timelimit": 10,
        },
    )
    for node in nodes:
        g.dmesg(place / f"dmesg-T.{node}", clock, g.chatter(rng, -90000, end + 200, 10))


def t16_bailu(place: Path, rng: Random) -> None:
    """One node of four; a memory cell of one board gives way."""
    clock, job, node = g.Clock("2026-09-22T23:52:10", 8), "60233", "bailu-ws2"
    work, died, end = 71.0, 687.0, 718.0
    log = [
        f"{clock.secs(13)} [准备] 四张卡,单机,混合精度 fp16,每卡批量 24",
        f"{clock.secs(20)} [准备] 读入清单:训练 412087 张,验证 8000 张",
        f"{clock.secs(44)} [准备] 模型参数 3.06 亿,通信后端 nccl,就绪",
        f"{clock.secs(work)} [训练] 开始,共 52000 步",
    ]
    at, step = work, 0
    while True:
        at += rng.gauss(0.613, 0.01)
        if at > died:
            break
        step += 1
        if step % 40 == 0:
            log.append(
                f"{clock.secs(at)} [训练] 第 {step} 步  损失 {curve(step, 6.88, 4.2, 420, rng, 0.03):.4f}  学习率"
                f" {step * 4e-7:.2e}  梯度范数 {abs(rng.gauss(1.4, 0.15)):.3f}  每秒 {rng.gauss(156.4, 1.2):.1f} 张"
            )
    when = clock.at(died + 1.2)
    advice = [
        (
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might"
            " be incorrect."
        ),
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    log += [
        "[rank2]: Traceback (most recent call last):",
        '[rank2]:   File "/data/zhaolin/shibie/xunlian.py", line 238, in <module>',
        "[rank2]:     zhu(canshu)",
        '[rank2]:   File "/data/zhaolin/shibie/xunlian.py", line 187, in zhu',
        "[rank2]:     suofang.scale(sunshi).backward()",
        '[rank2]:   File "/data/zhaolin/env/lib/python3.10/site-packages/torch/_tensor.py", line 581, in backward',
        "[rank2]:     torch.autograd.backward(",
        (
            '[rank2]:   File "/data/zhaolin/env/lib/python3.10/site-packages/torch/autograd/__init__.py", line 347, in'
            " backward"
        ),
        "[rank2]:     _engine_run_backward(",
        "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        *(f"[rank2]: {text}" for text in advice),
        (
            f"[rank2]:[E{when:%m%d %H:%M:%S.%f} ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank 2]"
            " Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered"
        ),
        *advice,
    ]
    stop = clock.at(died + 4.4)
    log += [
        f"W{stop:%m%d %H:%M:%S}.402000 71188 torch/distributed/elastic/multiprocessing/api.py:897] Sending process"
        f" {71201 + rank} closing signal SIGTERM"
        for rank in (0, 1, 3)
    ]
    log += [
        (
            f"E{clock.at(died + 29):%m%d %H:%M:%S}.911000 71188 torch/distributed/elastic/multiprocessing/api.py:869]"
            " failed (exitcode: -6) local_rank: 2 (pid: 71203) of binary: /data/zhaolin/env/bin/python"
        ),
        "=" * 60,
        "xunlian.py FAILED",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock.at(died + 4):%Y-%m-%d_%H:%M:%S}",
        f"  host      : {node}",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : -6 (pid: 71203)",
        "  error_file: <N/A>",
        "  traceback : Signal 6 (SIGABRT) received by PID 71203",
        "=" * 60,
    ]
    (place / f"xunlian_{job}.log").write_text("\n".join(log) + "\n")

    def plan(gpu: int, fb: float) -> Callable[[float], g.Point]:
        def at_time(now: float) -> g.Point:
            if now < 30 or now > died + (4 if gpu == 2 else 28):
                return g.off(g.A6000)
            if now < work:
                return g.held(g.A6000, 1530)
            if now < died:
                return g.busy(g.A6000, fb, rng, 0.88)
            return g.held(g.A6000, fb) if gpu == 2 else g.spin(g.A6000, fb, rng)

        return at_time

    devices = [
        g.Device(node, gpu, g.A6000, g.uuid(rng), plan(gpu, 39204 + rng.randint(-150, 150)), room=rng.uniform(22, 27))
        for gpu in range(4)
    ]
    devices[2].dbe = [died - 0.4]
    g.smi(place / f"{node}_gpu.csv", devices, clock, -480, end + 540, 60, rng)
    rows = [
        "gpu_uuid, gpu_bus_id, remapped_rows.correctable, remapped_rows.uncorrectable, remapped_rows.pending,"
        " remapped_rows.failure"
    ]
    rows += [f"{dev.uuid}, {dev.board.buses[dev.index]}, 0, 0, {1 if dev.index == 2 else 0}, 0" for dev in devices]
    (place / "remapped_rows.csv").write_text("\n".join([f"# {clock.secs(end + 410)}", *rows]) + "\n")
    g.piped(
        place / "sacct.txt",
        [
            {
                "JobID": job,
                "JobName": "shibie",
                "User": "zhaolin",
                "Partition": "ws",
                "NodeList": node,
                "State": "FAILED",
                "ExitCode": "1:0",
                "Submit": clock.iso(-9),
                "Start": clock.iso(0),
                "End": clock.iso(end),
                "Elapsed": g.hms(end),
                "Timelimit": "1-00:00:00",
                "AllocTRES": "billing=64,cpu=64,gres/gpu=4,mem=400G,node=1",
            }
        ],
    )
    g.piped(
        place / "sacctmgr_event.txt",
        [
            {
                "NodeName": node,
                "TimeStart": clock.iso(-11502),
                "TimeEnd": clock.iso(-9964),
                "State": "DRAIN",
                "Reason": (
                    "healthcheck: Xid 31 on GPU0, pid 64410 python (job 60177, user lvmeng); MMU fault in user code,"
                    " board ok, resumed"
                ),
                "User": "root(0)",
            }
        ],
    )
