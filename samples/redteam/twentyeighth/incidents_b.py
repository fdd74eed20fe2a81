"""Incidents t09 to t16 of the twenty-eighth set, as their sites would hand them over. SIMULATED."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    Row,
    Work,
    bare,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    smi_csv,
    smi_exporter,
)
from samples.redteam.twentyfourth.rig_site import Hall, boot_log, coarse, held, mmu, shake, spin, step_rows, still
from samples.redteam.twentythird.rig_more import bar, hms, job, sacct, when

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def t09(place: Path, rng: Random) -> None:
    """Two H100 nodes train a zipformer; the second runs hot from the middle on."""
    begin = when(14, 6, 12, 40)
    end, turn = begin + 148 * 60 - 41, begin + 61 * 60
    nodes = ["hgx07", "hgx12"]

    def warm(t: float) -> float:
        return 31.0 if t > end else 24.0 + min(1.0, max(0.0, (t - turn) / 900)) * 50.0

    def slowed(_node: int, _gpu: int, _at: float, one: Row) -> Row:
        if int(one["CLOCKS_EVENT_REASONS"]) & 0x20 and one["GPU_TEMP"] >= 84:
            one["CLOCKS_EVENT_REASONS"] = int(one["CLOCKS_EVENT_REASONS"]) | 0x48
        return one

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin or t >= end:
            return FREE
        if t < begin + 95:
            return held(612 if t > begin + 30 else 3)
        since = (t - begin - 95) % 2310
        if since > 2235:
            return shake(Work(0.71, 0.38, 0.17, 0.24, 61240, 60, 30), f"{t}{gpu}v", 0.8, 1)
        if t > turn + 840 and node == 0:
            return shake(Work(0.99, 0.28, 0.13, 0.14, 64480 + 12 * gpu, 240, 170), f"{t}{gpu}", 0.9)
        return shake(Work(0.96, 0.66, 0.33, 0.37, 64480 + 12 * gpu, 420, 310), f"{t}{gpu}{node}", 0.9)

    gaps = [
        (begin + 31 * 60, begin + 34.6 * 60),
        (begin + 77 * 60, begin + 79 * 60),
        (begin + 118 * 60, begin + 125 * 60),
    ]
    for node, host in enumerate(nodes):
        hall = Hall(
            "H100",
            nodes,
            4,
            work,
            begin - 240,
            end + 200,
            30,
            2809,
            holes=gaps if node == 0 else [*gaps[:1], gaps[2]],
            air=warm if node else lambda _t: 24.0,
            hot=84.0,
            alter=slowed,
        )
        dmon(place, f"telemetry/dcgmi-dmon.{host}.txt", hall, node, 0, "%Y-%m-%d %H:%M:%S")
        still(place, f"kernel/{host}.dmesg", rng, hall, node, "dmesg -T", 0, flavour="rocky")
    before = (begin - 93000, begin - 92940, begin - 92940 + 6127)
    sacct(
        place,
        "sacct.txt",
        [
            job("771204", "zip-l-giga", "h100", "COMPLETED", "0:0", before, 0, "08:00:00", (2, "hgx[05-06]")),
            job("771204.batch", "batch", "", "COMPLETED", "0:0", (before[1], *before[1:]), 0, "", (1, "hgx05")),
            job(
                "771204.0",
                "python3",
                "",
                "COMPLETED",
                "0:0",
                (before[1] + 3, before[1] + 3, before[2] - 1),
                0,
                "",
                (2, "hgx[05-06]"),
            ),
            job(
                "771866",
                "zip-l-giga",
                "h100",
                "COMPLETED",
                "0:0",
                (begin - 512, begin, end),
                0,
                "08:00:00",
                (2, "hgx[07,12]"),
            ),
            job("771866.batch", "batch", "", "COMPLETED", "0:0", (begin, begin, end), 0, "", (1, "hgx07")),
            job(
                "771866.0", "python3", "", "COMPLETED", "0:0", (begin + 3, begin + 3, end - 1), 0, "", (2, "hgx[07,12]")
            ),
        ],
        bars=False,
    )


def _pod(
    name: str,
    node: str,
    begin: float,
    end: float | None,
    code: int,
    gpus: int,
    image: str,
    args: Sequence[str],
    label: str,
) -> dict[str, object]:
    """One pod of ``kubectl get pod -o json``."""
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    state: dict[str, object] = {"running": {"startedAt": clock(begin, 0, stamp)}}
    if end is not None:
        state = {
            "terminated": {
                "containerID": f"containerd://{Random(name).getrandbits(256):064x}",
                "exitCode": code,
                "finishedAt": clock(end, 0, stamp),
                "reason": "Completed" if code == 0 else "Error",
                "startedAt": clock(begin, 0, stamp),
            }
        }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": clock(begin - 58, 0, stamp),
            "labels": {"batch.kubernetes.io/job-name": label, "job-name": label},
            "name": name,
            "namespace": "nlp-ft",
        },
        "spec": {
            "containers": [
                {
                    "args": list(args),
                    "image": image,
                    "name": "trainer",
                    "resources": {"limits": {"nvidia.com/gpu": str(gpus), "memory": "180Gi"}},
                }
            ],
            "nodeName": node,
            "restartPolicy": "Never",
        },
        "status": {
            "containerStatuses": [
                {"image": image, "lastState": {}, "name": "trainer", "ready": False, "restartCount": 0, "state": state}
            ],
            "phase": "Running" if end is None else ("Succeeded" if code == 0 else "Failed"),
            "startTime": clock(begin - 57, 0, stamp),
        },
    }


def t10(place: Path, rng: Random) -> None:
    """A classifier on eight A40: one rank stays away from an all-reduce, and the watchdog ends it."""
    begin = when(21, 17, 4, 9)
    stuck = begin + 109 * 60 + 17.4
    fires = stuck + 1800.3
    end = fires + 66
    nodes = ["gpu-a40-03.lab", "gpu-a40-08.lab"]
    pods = ["deberta-tickets-0-7xk2m", "deberta-tickets-1-q9fzd"]
    first = begin + 141

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 20 or t >= end - 4:
            return FREE
        if t < first:
            return held(430 if t < begin + 70 else 2210)
        if t < stuck:
            if (t - first) % 1880 > 1835:
                return shake(Work(0.82, 0.61, 0.29, 0.38, 31870, 90, 20), f"{t}{gpu}e", 0.85)
            return shake(Work(0.97, 0.77, 0.41, 0.46, 37420 + 18 * gpu, 700, 640), f"{t}{gpu}", 0.92)
        if t >= fires + 2:
            return held(37424 + 18 * gpu)
        if node == 1 and gpu == 2:
            return held(37424)
        return spin(37424 + 18 * gpu)

    def alter(node: int, gpu: int, _at: float, one: Row) -> Row:
        if node == 0 and gpu == 1:
            one["XID_ERRORS"] = 31
        return one

    hall = Hall("A40", nodes, 4, work, begin - 180, end + 120, 15, 2810, alter=alter)
    dmon(place, "dcgmi_dmon_gpu-a40-03.log", hall, 0, -480, "%b %d %H:%M:%S")
    old = begin - 16890.2
    for node, host in enumerate(nodes):
        more = []
        if node == 0:
            more = [(old, mmu(hall.bus(1), 2904417, "pt_main_thread", rng))]
        lines = [*boot_log(rng, begin - 17000, hall.of.driver, "jammy"), *more]
        for i, at in enumerate((begin - 16300.4, begin - 51.2)):
            veth = f"veth{rng.getrandbits(32):08x}"
            lines.append((at, f"cni0: port {6 + i}({veth}) entered blocking state"))
            lines.append((at + 0.01, f"cni0: port {6 + i}({veth}) entered forwarding state"))
        kernel(place, f"journal-k.{host.split('.')[0]}.txt", lines, "journalctl", -480, host.split(".")[0])
    image = "registry.lab.internal/nlp/trainer:4.46-cu121"
    args = ["torchrun", "--nnodes=2", "--nproc-per-node=4", "finetune.py", "configs/tickets_v3.yaml"]
    items = [
        _pod(p, n, begin + 2 * i, end - 2 + i * 1.6, 1, 4, image, args, "deberta-tickets")
        for i, (p, n) in enumerate(zip(pods, nodes, strict=True))
    ]
    put(place, "pods.json", json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4) + "\n")

    per = 2.21
    total, now = 9000, int((stuck - first) / per)
    log = [
        "W1021 17:04:14.318000 1 site-packages/torch/distributed/run.py:793] ",
        "W1021 17:04:14.318000 1 site-packages/torch/distributed/run.py:793] *****************************************",
        "W1021 17:04:14.318000 1 site-packages/torch/distributed/run.py:793] Setting OMP_NUM_THREADS"
        " environment variable for"
        " each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for"
        " optimal performance in your application as needed. ",
        "W1021 17:04:14.318000 1 site-packages/torch/distributed/run.py:793] *****************************************",
        "Some weights of DebertaV2ForSequenceClassification were not initialized from the model checkpoint at"
        " microsoft/deberta-v3-large and are newly initialized: ['classifier.bias', 'classifier.weight', "
        "'pooler.dense.bias', 'pooler.dense.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and"
        " inference.",
        f"{clock(first - 6, 0, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - labels: 214, train rows: 1152331, dev"
        f" rows: 20000",
        "[INFO|trainer.py:2313] " + clock(first - 2, 0) + ",441 >> ***** Running training *****",
        "[INFO|trainer.py:2314] " + clock(first - 2, 0) + ",441 >>   Num examples = 1,152,331",
        "[INFO|trainer.py:2315] " + clock(first - 2, 0) + ",441 >>   Num Epochs = 1",
        "[INFO|trainer.py:2316] " + clock(first - 2, 0) + ",441 >>   Instantaneous batch size per device = 16",
        "[INFO|trainer.py:2319] "
        + clock(first - 2, 0)
        + ",441 >>   Total train batch size (w. parallel, distributed & accumulation) = 128",
        "[INFO|trainer.py:2320] " + clock(first - 2, 0) + ",441 >>   Gradient Accumulation steps = 1",
        "[INFO|trainer.py:2321] " + clock(first - 2, 0) + ",442 >>   Total optimization steps = 9,000",
    ]
    for step in range(50, now + 1, 50):
        lr = 2e-5 * min(1, step / 450) * (1 if step < 450 else (total - step) / (total - 450))
        loss, grad = learn(rng, step, 5.31, 0.62, 210, 0.03), 2.4 + rng.gauss(0, 0.5) + 6 / (1 + step / 100)
        log.append(
            str(
                {
                    "loss": round(loss, 4),
                    "grad_norm": round(grad, 6),
                    "learning_rate": lr,
                    "epoch": round(step / 9000, 2),
                }
            )
        )
        spent = step * per
        log.append(
            f"{100 * step // total:3d}%|{bar(step, total)}| {step}/{total} [{hms(spent)}<{hms((total - step) * per)}, "
            f" {per + rng.gauss(0, 0.015):.2f}s/it]"
        )
    seq = now * 7 + 31
    size = 26214400

    def dog(rank: int, dt: float) -> list[str]:
        t = fires + dt
        nano = int(t * 1e6) % 1000000 * 1000 + rng.randrange(700) * 1000 + rng.randrange(1000)
        head = f"[rank{rank}]:[E{clock(t, 0, '%m%d %H:%M:%S')}.{nano:09d}"
        return [
            f"{head} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn={size}, NumelOut={size}, Timeout(ms)=1800000) ran for"
            f" {1800041 + int(dt * 1000) % 60} milliseconds before timing out.",
            f"{head} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either"
            f" an error or"
            f" timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq + 3}, last completed"
            f" NCCL work:"
            f" {seq - 1}.",
        ]

    def last(rank: int) -> list[str]:
        t = fires + 61.2 + rank * 0.03
        nano = int(t * 1e6) % 1000000 * 1000 + rng.randrange(700) * 1000 + rng.randrange(1000)
        head = f"[rank{rank}]:[E{clock(t, 0, '%m%d %H:%M:%S')}.{nano:09d}"
        return [
            f"{head} ProcessGroupNCCL.cpp:630] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the"
            " asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head} ProcessGroupNCCL.cpp:636] [Rank {rank}] To avoid data inconsistency, we are taking the"
            f" entire process down.",
            f"{head} ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group"
            f" watchdog thread"
            " terminated with exception: [Rank " + str(rank) + "] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn={size}, NumelOut={size}, Timeout(ms)=1800000) ran for"
            f" {1800041 + rank} milliseconds before timing out.",
        ]

    def agent(pids: Sequence[int], local: int, base: int) -> list[str]:
        t = end - 4
        api = "1 site-packages/torch/distributed/elastic/multiprocessing/api.py"
        stamp = clock(t, 0, "%m%d %H:%M:%S")
        return [
            *(
                f"W{stamp}.{612 + i}000 {api}:897] Sending process {p} closing signal SIGTERM"
                for i, p in enumerate(pids)
                if i != local
            ),
            f"E{stamp}.901000 {api}:869] failed (exitcode: -6) local_rank: {local} (pid: {pids[local]}) of"
            f" binary: /usr/bin/python3",
            "Traceback (most recent call last):",
            '  File "/usr/local/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/usr/local/lib/python3.10/dist-packages/torch/distributed/launcher/api.py", line 269, in'
            " launch_agent",
            "    raise ChildFailedError(",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 52,
            "finetune.py FAILED",
            "-" * 52,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            "-" * 52,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {clock(t, 0, '%Y-%m-%d_%H:%M:%S')}",
            f"  host      : {pods[base // 4]}",
            f"  rank      : {base + local} (local_rank: {local})",
            f"  exitcode  : -6 (pid: {pids[local]})",
            "  error_file: <N/A>",
            f"  traceback : Signal 6 (SIGABRT) received by PID {pids[local]}",
            "=" * 52,
        ]

    tail0 = [one for i, r in enumerate((1, 0, 3, 2)) for one in dog(r, 0.012 + 0.021 * i)]
    tail0 += [one for r in (0, 1, 2, 3) for one in last(r)]
    put(place, f"logs/{pods[0]}.log", [*log, *tail0, *agent([71, 72, 73, 74], 0, 0)])
    tail1 = [one for i, r in enumerate((5, 7, 4)) for one in dog(r, 0.019 + 0.023 * i)]
    tail1 += [one for r in (4, 5, 7) for one in last(r)]
    put(place, f"logs/{pods[1]}.log", [*log[:6], *tail1, *agent([69, 70, 71, 72], 0, 4)])


def t11(place: Path, rng: Random) -> None:
    """Detectron2 on two workstations with ECC switched on: one card meets an error it cannot correct."""
    begin = when(8, 9, 31, 22)
    hit = begin + 21 * 60 + 38.7
    end = hit + 24
    nodes = ["ws-rtx-2", "ws-rtx-5"]
    pods = ["mrcnn-tooth-0", "mrcnn-tooth-1"]
    first = begin + 88

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 12 or t >= end:
            return FREE
        if t < first:
            return held(820)
        if t >= hit:
            return FREE if (node, gpu) == (1, 0) else spin(15310 + 110 * gpu)
        return shake(Work(0.9, 0.6, 0.22, 0.44, 15310 + 110 * gpu, 900, 400), f"{t}{node}{gpu}", 0.85)

    ticked = [begin + 200 + 61 * i + rng.uniform(0, 55) for i in range(0, 20, 3)]

    def alter(node: int, gpu: int, at: float, one: Row) -> Row:
        if (node, gpu) == (0, 1):
            one["ECC_SBE_VOL_TOTAL"] = 4 + sum(at >= t for t in ticked)
        if (node, gpu) == (1, 0):
            one["ECC_DBE_VOL_TOTAL"] = int(at >= hit)
        return one

    hall = Hall("4090 with ECC", nodes, 2, work, begin - 120, end + 180, 60, 2811, alter=alter, ecc=True)
    smi_exporter(place, "prom/nvidia_smi_export.json", hall)
    bus = hall.bus(0)[:2].lower()
    xid = [
        (
            hit,
            f"NVRM: Xid (PCI:0000:{bus}:00): 48, pid=318842, name=python3, An uncorrectable double bit error"
            f" (DBE) has been"
            " detected on GPU in the framebuffer at partition 5, subpartition 1.",
        ),
        (hit + 0.0021, f"NVRM: Xid (PCI:0000:{bus}:00): 45, pid=318842, name=python3, Ch 00000008"),
        (hit + 0.0064, f"NVRM: Xid (PCI:0000:{bus}:00): 45, pid=318842, name=python3, Ch 00000009"),
    ]
    for node, host in enumerate(nodes):
        still(place, f"{host}/dmesg.txt", rng, hall, node, "dmesg", 0, xid if node else (), flavour="noble")

    def one_log(rank: int) -> list[str]:
        def line(t: float, what: str, said: str) -> str:
            return f"[{clock(t, 0, '%m/%d %H:%M:%S')} {what}]: {said}"

        out = [
            line(begin + 14, "detectron2", f"Rank of current process: {rank}. World size: 4"),
            line(
                begin + 17,
                "detectron2",
                "Command line arguments: Namespace(config_file='configs/panorex_R101.yaml',"
                f" resume=False, eval_only=False, num_gpus=2, num_machines=2, machine_rank={rank // 2},"
                " dist_url='tcp://mrcnn-tooth-0.mrcnn-tooth:23456', opts=[])",
            ),
            line(begin + 18, "detectron2", "Full config saved to /out/panorex_r101/config.yaml"),
            line(
                begin + 41, "d2.data.datasets.coco", "Loaded 41877 images in COCO format from /data/panorex/train.json"
            ),
            line(begin + 47, "d2.data.build", "Using training sampler TrainingSampler"),
            line(
                begin + 66,
                "d2.checkpoint.c2_model_loading",
                "Following weights matched with submodule backbone.bottom_up",
            ),
            line(first, "d2.engine.train_loop", "Starting training from iteration 0"),
        ]
        n = int((hit - first) / 0.612)
        for it in range(19, n, 20):
            t = first + (it + 1) * 0.612
            if rank == 0:
                loss = learn(rng, it, 3.42, 0.71, 240, 0.03)
                left = int((90000 - it) * 0.61)
                days = f"{left // 86400} day, " if left >= 86400 else ""
                eta = f"{days}{left % 86400 // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
                out.append(
                    line(
                        t,
                        "d2.utils.events",
                        f" eta: {eta}  iter: {it}  total_loss: {loss:.4g}  loss_cls: {loss * 0.31:.4g}  loss_box_reg: "
                        f"{loss * 0.27:.4g}  loss_mask: {loss * 0.33:.4g}  loss_rpn_cls: {loss * 0.04:.4g} "
                        f" loss_rpn_loc: "
                        f"{loss * 0.05:.4g}    time: {0.61 + rng.gauss(0, 0.004):.4f}  last_time:"
                        f" {0.61 + rng.gauss(0, 0.02):.4f}"
                        f"  data_time: {0.011 + rng.uniform(0, 0.004):.4f}  last_data_time:"
                        f" {0.009 + rng.uniform(0, 0.005):.4f}"
                        f"   lr: {0.02 * min(1, (it + 1) / 1000):.5g}  max_mem: 13217M",
                    )
                )
        return out

    zero = one_log(0)
    trace = [
        "Traceback (most recent call last):",
        '  File "/opt/detectron2/detectron2/engine/train_loop.py", line 155, in train',
        "    self.run_step()",
        '  File "/opt/detectron2/detectron2/engine/defaults.py", line 530, in run_step',
        "    self._trainer.run_step()",
        '  File "/opt/detectron2/detectron2/engine/train_loop.py", line 322, in run_step',
        "    losses.backward()",
        '  File "/usr/local/lib/python3.10/site-packages/torch/_tensor.py", line 581, in backward',
        "    torch.autograd.backward(",
        '  File "/usr/local/lib/python3.10/site-packages/torch/autograd/graph.py", line 825, in _engine_run_backward',
        "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be"
        " incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    put(
        place,
        "logs/mrcnn-tooth-0.log",
        [
            *zero,
            f"[rank0]:[E{clock(hit + 18, 0, '%m%d %H:%M:%S')}.318842011 ProcessGroupNCCL.cpp:552] [Rank 0]"
            f" Collective WorkNCCL("
            f"SeqNum={3 * 2040 + 11}, OpType=ALLREDUCE, NumelIn=6553600, NumelOut=6553600, Timeout(ms)=600000)"
            f" raised the following async"
            " exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5",
            "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
            "Last error:",
            "socketProgress: Connection closed by remote peer 10.42.3.19<51266>",
        ],
    )
    put(
        place,
        "logs/mrcnn-tooth-1.log",
        [
            "Command Line Args: Namespace(config_file='configs/panorex_R101.yaml', resume=False,"
            " eval_only=False, num_gpus=2,"
            " num_machines=2, machine_rank=1, dist_url='tcp://mrcnn-tooth-0.mrcnn-tooth:23456', opts=[])",
            "Exception during training:",
            *trace,
            "Traceback (most recent call last):",
            '  File "/workspace/train_panorex.py", line 141, in <module>',
            "    launch(",
            '  File "/opt/detectron2/detectron2/engine/launch.py", line 69, in launch',
            "    mp.start_processes(",
            '  File "/usr/local/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 284, in'
            " start_processes",
            "    while not context.join():",
            '  File "/usr/local/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 203, in join',
            "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
            "torch.multiprocessing.spawn.ProcessRaisedException: ",
            "",
            "-- Process 0 terminated with the following error:",
            "Traceback (most recent call last):",
            '  File "/usr/local/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 90, in _wrap',
            "    fn(i, *args)",
            '  File "/opt/detectron2/detectron2/engine/launch.py", line 123, in _distributed_worker',
            "    main_func(*args)",
            '  File "/workspace/train_panorex.py", line 128, in main',
            "    return trainer.train()",
            '  File "/opt/detectron2/detectron2/engine/defaults.py", line 520, in train',
            "    super().train(self.start_iter, self.max_iter)",
            *trace[1:],
        ],
    )
    put(
        place,
        "kubectl_get_pods.txt",
        [
            "NAME            READY   STATUS   RESTARTS   AGE   IP            NODE       NOMINATED NODE  "
            " READINESS GATES",
            "mrcnn-tooth-0   0/1     Error    0          41m   10.42.1.88    ws-rtx-2   <none>           <none>",
            "mrcnn-tooth-1   0/1     Error    0          41m   10.42.3.19    ws-rtx-5   <none>           <none>",
        ],
    )
    put(
        place,
        "kubectl_get_events.txt",
        [
            "LAST SEEN   TYPE     REASON      OBJECT              MESSAGE",
            f"41m         Normal   Scheduled   pod/{pods[0]}   Successfully assigned vision/{pods[0]} to {nodes[0]}",
            f"41m         Normal   Scheduled   pod/{pods[1]}   Successfully assigned vision/{pods[1]} to {nodes[1]}",
            f"41m         Normal   Pulled      pod/{pods[0]}   Container image"
            f' "harbor.dent.local/vision/d2:0.6-cu124" already present on machine',
            f"41m         Normal   Pulled      pod/{pods[1]}   Container image"
            f' "harbor.dent.local/vision/d2:0.6-cu124" already present on machine',
            f"41m         Normal   Created     pod/{pods[0]}   Created container train",
            f"41m         Normal   Started     pod/{pods[0]}   Started container train",
            f"41m         Normal   Created     pod/{pods[1]}   Created container train",
            f"41m         Normal   Started     pod/{pods[1]}   Started container train",
        ],
    )


def t12(place: Path, rng: Random) -> None:
    """Two V100 train a small GPT; one of them carries a foreign process from the ninth minute on."""
    begin = when(27, 12, 46, 3)
    turn, first, end = begin + 9 * 60 + 12, begin + 52, begin + 28 * 60 - 9
    nodes = ["volta21", "volta22"]

    def work(node: int, _gpu: int, t: float) -> Work:
        alone = shake(Work(0.98, 0.52, 0.08, 0.31, 5330, 40, 20), f"{t}{node}", 0.94)
        if t < begin:
            return FREE
        if t >= end:
            return alone if node == 1 else FREE
        if t >= begin + 27 * 60 + 2:
            return Work(alone.engine, alone.sm, alone.tensor, alone.dram, 24310 + 5330) if node == 1 else held(24310)
        if t < first:
            return held(710 if t > begin + 14 else 3)
        if t < turn:
            return shake(Work(0.97, 0.68, 0.29, 0.43, 24310, 1300, 1200), f"{t}{node}", 0.94)
        if node == 1:
            return shake(Work(0.99, 0.82, 0.21, 0.47, 24310 + 5330, 700, 650), f"{t}{node}", 0.94)
        return shake(Work(0.99, 0.31, 0.13, 0.2, 24310, 640, 600), f"{t}{node}", 0.94)

    def alter(node: int, _gpu: int, _at: float, one: Row) -> Row:
        return one | {"RETIRED_SBE": 2 if node == 0 else 0, "RETIRED_DBE": int(node == 0), "RETIRED_PENDING": 0}

    hall = Hall("V100", nodes, 1, work, begin - 90, end + 75, 15, 2812, alter=alter)
    matrix(place, "query_range.json", hall, bare(hall, "dcgm"), form="CLOCK_THROTTLE_REASONS")
    stamp = "%Y-%m-%d %H:%M:%S"
    log = [
        "using world size: 2, data-parallel size: 2, context-parallel size: 1, hierarchical context-parallel"
        " sizes: None"
        "tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "using torch.float16 for parameters ...",
        "------------------------ arguments ------------------------",
        "  data_path ....................................... ['/scratch/cz_legal/cz_legal_text_document']",
        "  exit_duration_in_mins ........................... 27",
        "  global_batch_size ............................... 64",
        "  hidden_size ..................................... 1024",
        "  log_interval .................................... 10",
        "  micro_batch_size ................................ 8",
        "  num_layers ...................................... 24",
        "  timing_log_level ................................ 1",
        "  timing_log_option ............................... all",
        "  train_iters ..................................... 20000",
        "-------------------- end of arguments ---------------------",
        "setting number of microbatches to constant 4",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 354871296",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {clock(begin + 31, 60, stamp)} ",
        "> building train, validation, and test datasets ...",
        f"[after dataloaders are built] datetime: {clock(first - 3, 60, stamp)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {clock(first, 60, stamp)} ",
    ]
    t, it = first, 0
    while t - begin < 27 * 60 - 32:
        it += 10
        bad = t > turn
        mine = 1388 + rng.gauss(0, 6)
        other = (2931 + rng.gauss(0, 70)) if bad else 1394 + rng.gauss(0, 6)
        whole = max(mine, other) + 94 + rng.gauss(0, 5) + (220 if it == 10 else 0)
        t += whole / 100
        loss = learn(rng, it, 10.9, 3.1, 190, 0.006)
        scale = 4194304.0 if it < 11 else 131072.0
        skipped = {10: 10, 20: 5}.get(it, 0)
        shown = f" lm loss: {loss:.6E} |" if it > 10 else ""
        norm = f" grad norm: {0.9 + 4 / (1 + it / 60) + rng.gauss(0, 0.05):.3f} |" if it > 10 else ""
        log.append(
            f" [{clock(t, 60, stamp)}] iteration {it:8d}/   20000 | consumed samples: {it * 64:12d} | elapsed"
            f" time per iteration"
            f" (ms): {whole:.1f} | learning rate: {1.5e-4 * min(1, max(0, it - 15) / 200):.6E} | global batch"
            f" size: {64:5d} |{shown}"
            f" loss scale: {scale:.1f} |{norm} number of skipped iterations: {skipped:3d} | number of nan"
            f" iterations: {0:3d} |"
        )
        wait = [max(mine, other) - mine + 61 + rng.gauss(0, 2), max(mine, other) - other + 61 + rng.gauss(0, 2)]
        log.append("times across ranks (ms):")
        for what, pair in (
            ("forward-backward", (mine, other)),
            ("all-grads-sync", wait),
            ("optimizer", (31.2 + rng.gauss(0, 0.2), 31.4 + rng.gauss(0, 0.2) + 29 * bad)),
        ):
            log.append(f"  {what}:")
            log += [f"     rank {r:2d}: {x:.2f}" for r, x in enumerate(pair)]
    rest = int((27 * 60 - (t - begin)) / 3.02) + 1
    it, t = it + rest, t + rest * 3.02
    log += [
        f"saving checkpoint at iteration {it:7d} to /scratch/ckpt/gpt345m_cz in torch_dist format",
        f"  successfully saved checkpoint from iteration {it:7d} to /scratch/ckpt/gpt345m_cz [ t 1/1, p 1/1 ]",
        f"[exiting program after {(t - begin) / 60} minutes] datetime: {clock(end - 12, 60, stamp)} ",
    ]
    put(place, "gpt345m_cz.out", log)


def t13(place: Path, rng: Random) -> None:
    """Four pods with one L40S each train a small ranker; each node's other card is free."""
    begin = when(5, 15, 22, 31)
    end = begin + 14 * 60 - 8
    nodes = ["kn-l40s-11", "kn-l40s-12", "kn-l40s-14", "kn-l40s-17"]
    first, used = begin + 33, (0, 1, 0, 0)
    last = first + 4 * 181.6

    def work(node: int, gpu: int, t: float) -> Work:
        if gpu != used[node] or t < begin + 8 or t >= end:
            return FREE
        if t < first or t >= last:
            return held(480 if t < first else 17320)
        if (t - first) % 182 > 168:
            return shake(Work(0.72, 0.44, 0.16, 0.3, 17320, 300, 80), f"{t}{node}e", 0.85)
        return shake(Work(0.94, 0.71, 0.34, 0.5, 17320, 900, 820), f"{t}{node}", 0.92)

    hall = Hall("L40S", nodes, 2, work, begin - 120, end + 110, 10, 2813)
    pods = [f"ctr-rank-v7-{i}" for i in range(4)]
    plain = bare(hall, "dcgm-exporter")

    def labels(n: int, g: int) -> dict[str, str]:
        mine = {"exported_container": "main", "exported_namespace": "reco", "exported_pod": pods[n]}
        return plain(n, g) | (mine if g == used[n] else {})

    matrix(place, "metrics/range.json", hall, labels)
    for node, host in enumerate(nodes):
        still(place, f"dmesg/{host}.log", rng, hall, node, "dmesg -T", -360, flavour="noble")
    per_epoch, per = 260, 0.6461
    for rank, pod in enumerate(pods):
        rows: list[dict[str, object]] = []

        def say(t: float, event: str, sink: list[dict[str, object]] = rows, who: int = rank, **more: object) -> None:
            t += rng.uniform(0.001, 0.09)
            stamp = clock(t, 0, "%Y-%m-%dT%H:%M:%S") + f".{int(t * 1000) % 1000:03d}Z"
            sink.append({"ts": stamp, "lvl": "info", "rank": who, "event": event, **more})

        say(begin + 6.1 + 0.2 * rank, "boot", host=pod, node=nodes[rank], world=4, torch="2.3.1+cu121", device="cuda:0")
        say(begin + 11.7 + 0.1 * rank, "pg_ready", backend="nccl", took_s=round(1.9 + rng.random(), 2))
        say(begin + 27.4 + rank, "shards_open", n=64, rows=133120 * 64)
        t, step = first, 0
        for epoch in range(4):
            for _ in range(per_epoch // 20):
                step += 20
                t += 20 * per * rng.gauss(1, 0.002)
                if rank == 0:
                    loss = learn(rng, step, 0.6931, 0.412, 130, 0.008)
                    say(
                        t,
                        "step",
                        step=step,
                        epoch=epoch,
                        bce=round(loss, 5),
                        lr=round(1e-3 * min(1, step / 100), 7),
                        ex_per_s=round(4 * 2048 / per * rng.gauss(1, 0.006)),
                        gnorm=round(0.31 + rng.gauss(0, 0.02), 4),
                    )
            t += 13.6
            if rank == 0:
                auc = 0.7612 + 0.0181 * (1 - 0.42**epoch) + rng.gauss(0, 0.0004)
                say(
                    t,
                    "eval",
                    epoch=epoch,
                    auc=round(auc, 5),
                    bce=round(0.447 - 0.021 * (1 - 0.5**epoch), 5),
                    rows=1048576,
                )
        if rank == 0:
            say(t + 58.2, "ckpt", path="s3://reco-models/ctr-rank/v7/final.pt", mb=4102)
        say(end - 3 + 0.1 * rank, "done", steps=step, wall_s=round(end - 3 - begin - 6))
        put(place, f"logs/{pod}.jsonl", [json.dumps(one) for one in rows])


def t14(place: Path, rng: Random) -> None:
    """A workstation with four 4090: they worked, and then they did not. No log, no accounting."""
    begin = when(18, 20, 3, 55)
    end = begin + 44 * 60 + 23

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin or t >= end:
            return FREE
        if t < begin + 41:
            return held(620)
        return shake(Work(0.94, 0.69, 0.27, 0.52, 20870 + 36 * gpu, 2100, 1900), f"{t}{gpu}", 0.9)

    hall = Hall("4090", ["deepthought"], 4, work, begin - 80, end + 140, 5, 2814)
    matrix(place, "dcgm.json", hall, bare(hall, "dcgm"), keep=coarse)
    say = [
        (begin - 340000.2, "nvme nvme1: I/O 394 (I/O Cmd) QID 12 timeout, completion polled"),
        (begin - 200321.9, "usb 1-7: device descriptor read/64, error -71"),
        (begin - 200321.4, "usb 1-7: device not accepting address 9, error -71"),
        (
            begin - 181022.3,
            "chrome_crashpad[21877]: segfault at 18 ip 00007f3fd4a1b6f0 sp 00007ffd2b8e6d40 error 4 in"
            " libc.so.6[7f3fd4a00000+195000] likely on CPU 11 (core 11, socket 0)",
        ),
        (begin - 90211.5, "pcieport 0000:00:1c.4: AER: Corrected error message received from 0000:05:00.0"),
        (begin - 90211.5, "igc 0000:05:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)"),
        (begin - 90211.5, "igc 0000:05:00.0:   device [8086:15f3] error status/mask=00000001/00002000"),
        (begin - 90211.5, "igc 0000:05:00.0:    [ 0] RxErr                  (First)"),
        (begin + 903.1, "pcieport 0000:00:1c.4: AER: Corrected error message received from 0000:05:00.0"),
        (begin + 903.1, "igc 0000:05:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)"),
        (begin + 903.1, "igc 0000:05:00.0:   device [8086:15f3] error status/mask=00000001/00002000"),
        (begin + 903.1, "igc 0000:05:00.0:    [ 0] RxErr                  (First)"),
        (
            begin + 1622.8,
            "systemd-journald[1094]: Failed to set ACL on /var/log/journal/user-1004.journal, ignoring:"
            " Operation not supported",
        ),
        (end + 61.7, "usb 1-7: device descriptor read/64, error -71"),
    ]
    still(place, "journalctl-k.txt", rng, hall, 0, "journalctl", 0, say, flavour="noble")


def t15(place: Path, rng: Random) -> None:
    """Lightning on two A100 of a node whose power shelf holds them back from the third hour on."""
    begin = when(9, 13, 11, 6)
    end = begin + 421 * 60 - 13
    turn = begin + 168 * 60 + 22
    first = begin + 64
    fast, slow_ = 1 / 2.86, 1 / 1.06
    batches, epochs = 2148, 20

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 9 or t >= end:
            return FREE
        if t < first:
            return held(610)
        return shake(Work(0.96, 0.72, 0.36, 0.42, 58230 + 20 * gpu, 900, 800), f"{t}{gpu}", 0.93)

    less = {0: 0.0, 1: 0.0}

    def braked(_node: int, gpu: int, at: float, one: Row) -> Row:
        if turn <= at < end:
            low = Random(f"{at}{gpu}p")
            old = one["POWER_USAGE"]
            one["POWER_USAGE"] = 118 + low.gauss(0, 3.1)
            less[gpu] += (old - one["POWER_USAGE"]) * 15000
            one["GPU_TEMP"] = round(
                one["GPU_TEMP"] - 0.095 * (old - one["POWER_USAGE"]) * min(1, 0.38 + (at - turn) / 500)
            )
            one["SM_CLOCK"] = 15 * low.choice((33, 34, 34, 34, 35))
            one["CLOCKS_EVENT_REASONS"] = 0x88
        one["TOTAL_ENERGY_CONSUMPTION"] -= int(less[gpu])
        return one

    hall = Hall("A100", ["aks-a100b-31874402-vmss000003"], 2, work, begin - 300, end + 240, 15, 2815, alter=braked)
    pod = "segm-unetr-train-5bq8v"
    plain = bare(hall, "nvidia-dcgm-exporter")

    def labels(n: int, g: int) -> dict[str, str]:
        return plain(n, g) | {
            "container": "nvidia-dcgm-exporter",
            "endpoint": "gpu-metrics",
            "exported_container": "unetr",
            "exported_namespace": "med-img",
            "exported_pod": pod,
            "instance": "10.224.3.41:9400",
            "namespace": "gpu-operator",
            "pod": "nvidia-dcgm-exporter-q7l2c",
        }

    matrix(place, "dcgm_range.json", hall, labels)
    log = [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2",
        "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2",
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 2 processes",
        "-" * 100,
        "",
        "/app/segm/io/dicom.py:88: UserWarning: failed to parse PatientAge in 17 series, fatal=False, skipping tag",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
        "LOCAL_RANK: 1 - CUDA_VISIBLE_DEVICES: [0,1]",
        "",
        "  | Name    | Type       | Params | Mode ",
        "-----------------------------------------------",
        "0 | net     | SwinUNETR  | 62.2 M | train",
        "1 | loss_fn | DiceCELoss | 0      | train",
        "-----------------------------------------------",
        "62.2 M    Trainable params",
        "0         Non-trainable params",
        "62.2 M    Total params",
        "248.753   Total estimated model params size (MB)",
        "[loader] corrupt slice dropped: LIDC-0417/000031.dcm (crc error), 1 of 244k",
    ]
    t = first
    total_wall = end - 40 - first
    done_fast = (turn - first) / (batches * fast + 31)
    scale = (total_wall - (turn - first)) / ((epochs - done_fast) * (batches * slow_ + 74))
    for epoch in range(epochs):
        since = t
        for done in range(0, batches + 1, 179):
            if done:
                t += 179 * (fast if t < turn else slow_ * scale) * rng.gauss(1, 0.006)
            spent = max(t - since, 0.01)
            rate = done / spent if done else 0.0
            pace = f"{rate:5.2f}it/s" if done else "?it/s"
            left = (batches - done) / rate if rate else 0
            dice = learn(rng, epoch * batches + done + 30, 1.61, 0.31, 900, 0.02)
            log.append(
                f"Epoch {epoch}: {100 * done // batches:3d}%|{bar(done, batches)}| {done}/{batches}"
                f" [{hms(spent) if done else '00:00'}<{hms(left) if done else '?'}, {pace}, v_num=41,"
                f" train_loss={dice:.3f}]"
            )
        t += 31 if t < turn else 74 * scale
        log.append(
            f"[metrics] epoch={epoch} val_dice={0.871 - 0.38 / (1 + epoch) ** 0.9:.4f}"
            f" hd95_error={31 / (1 + epoch) ** 0.6 + 4:.2f}"
        )
        if epoch == 6:
            log.append("[loader] worker 3: HTTP 503 from blob storage, retry 1/5 succeeded, no failure propagated")
    log += [
        "`Trainer.fit` stopped: `max_epochs=20` reached.",
        "[export] wrote /out/unetr_v41.onnx (249 MB), abort=False errors=0",
    ]
    put(place, "pod.log", log)


def t16(place: Path, rng: Random) -> None:
    """Two nodes with one L4 each: the second worker never meets the first."""
    begin = when(30, 10, 7, 48)
    nodes = ["nodo04", "nodo09"]
    init = begin + 5 * 60 + 52
    fails = init + 601.4
    end = fails + 13

    hall = Hall("L4", nodes, 1, lambda _n, _g, _t: FREE, begin - 60, end + 45, 15, 2816)
    columns = (
        "index",
        "name",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "memory.total",
        "power.draw",
        "clocks.current.sm",
        "clocks_event_reasons.active",
        "ecc.errors.uncorrected.volatile.total",
    )
    for node, host in enumerate(nodes):
        smi_csv(place, f"smi/{host}.csv", hall, node, 0, columns)
        more = [(begin - 21033.6, mmu(hall.bus(0), 88213, "python", rng))] if node == 0 else []
        still(place, f"dmesg/{host}.txt", rng, hall, node, "dmesg -T", 0, more, flavour="jammy", before=23000)
    tres = "billing=16,cpu=16,gres/gpu:l4=2,gres/gpu=2,mem=96G,node=2"
    rows = step_rows(
        "48107",
        "clasif-aves",
        "mruiz",
        "l4",
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        (begin, end),
        0,
        tres,
        "nodo[04,09]",
        "nodo04",
        task="python",
    )
    old = step_rows(
        "48066",
        "pde-surrogate",
        "ogarcia",
        "l4",
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        None,
        (begin - 25212, begin - 21030),
        0,
        "billing=8,cpu=8,gres/gpu:l4=1,gres/gpu=1,mem=48G,node=1",
        "nodo04",
        "nodo04",
    )
    head = (
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "AllocTRES",
        "NodeList",
    )
    put(place, "sacct.txt", ["|".join(one) for one in (head, *old, *rows)])

    def line(t: float, rank: int, said: str) -> str:
        return f"{milli(t, 0)} [proc {rank}] {said}"

    lib = "/home/mruiz/venv/lib/python3.10/site-packages/torch/distributed"
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/mruiz/aves/entrena.py", line 203, in <module>',
        "    principal(opciones())",
        '  File "/home/mruiz/aves/entrena.py", line 131, in principal',
        "    dist.init_process_group('nccl', init_method='env://', world_size=n, rank=r)",
        f'  File "{lib}/c10d_logger.py", line 83, in wrapper',
        "    return func(*args, **kwargs)",
        f'  File "{lib}/c10d_logger.py", line 97, in wrapper',
        "    func_return = func(*args, **kwargs)",
        f'  File "{lib}/distributed_c10d.py", line 1520, in init_process_group',
        "    store, rank, world_size = next(rendezvous_iterator)",
        f'  File "{lib}/rendezvous.py", line 269, in _env_rendezvous_handler',
        "    store = _create_c10d_store(",
        f'  File "{lib}/rendezvous.py", line 189, in _create_c10d_store',
        "    return TCPStore(",
    ]
    first = [
        line(begin + 9, 0, "entrenamiento de clasificador de aves, semilla 11, nodo nodo04"),
        line(begin + 9.4, 0, "copiando espectrogramas a /tmp/mruiz (38 GB)..."),
        line(init - 8, 0, "copia terminada: 212044 ficheros"),
        line(init, 0, "uniendo procesos: MASTER_ADDR=nodo04 MASTER_PORT=29517 rango=0 total=2"),
        *trace,
        "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.",
    ]
    second = [
        line(begin + 9.2, 1, "entrenamiento de clasificador de aves, semilla 11, nodo nodo09"),
        line(begin + 9.6, 1, "copiando espectrogramas a /tmp/mruiz (38 GB)..."),
        line(init - 13, 1, "copia terminada: 212044 ficheros"),
        line(init - 5, 1, "uniendo procesos: MASTER_ADDR=nodo04 MASTER_PORT=29517 rango=1 total=2"),
        f"[W{clock(fails - 4, 0, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} socket.cpp:697] [c10d] The client"
        f" socket has timed"
        " out after 600000ms while trying to connect to (nodo04, 29517).",
        *trace,
        "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to"
        " (nodo04, 29517).",
    ]
    put(place, "salida/aves-48107-0.out", first)
    put(place, "salida/aves-48107-1.out", second)
    put(
        place,
        "salida/aves-48107.out",
        [
            "srun: error: nodo09: task 1: Exited with exit code 1",
            "srun: error: nodo04: task 0: Exited with exit code 1",
        ],
    )
