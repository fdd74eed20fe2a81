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
    at_phase,
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
    slow: dict[int, float] = {}

    def warm(t: float) -> float:
        return 24.0 + min(1.0, max(0.0, (t - turn) / 900)) * 40.0

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin or t >= end:
            return FREE
        if t < begin + 95:
            return held(612 if t > begin + 30 else 3)
        since = (t - begin - 95) % 2310
        if since > 2235:
            return shake(Work(0.71, 0.38, 0.17, 0.24, 61240, 60, 30), f"{t}{gpu}v", 0.8, 1)
        if t > turn + 500 and node == 0:
            return shake(Work(0.99, 0.37, 0.17, 0.18, 64480 + 12 * gpu, 240, 170), f"{t}{gpu}", 0.9)
        return shake(Work(0.96, 0.66, 0.33, 0.37, 64480 + 12 * gpu, 420, 310), f"{t}{gpu}{node}", 0.9)

    gaps = [(begin + 31 * 60, begin + 34.6 * 60), (begin + 77 * 60, begin + 79 * 60), (begin + 118 * 60, begin + 125 * 60)]
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
        )
        dmon(place, f"telemetry/dcgmi-dmon.{host}.txt", hall, node, 0, "%Y-%m-%d %H:%M:%S")
        still(place, f"kernel/{host}.dmesg", rng, hall, node, "dmesg -T", 0, flavour="rocky")
        slow[node] = 1
    before = (begin - 93000, begin - 92940, begin - 92940 + 6127)
    sacct(
        place,
        "sacct.txt",
        [
            job("771204", "zip-l-giga", "h100", "COMPLETED", "0:0", before, 0, "08:00:00", (2, "hgx[05-06]")),
            job("771204.batch", "batch", "", "COMPLETED", "0:0", (before[1], *before[1:]), 0, "", (1, "hgx05")),
            job("771204.0", "python3", "", "COMPLETED", "0:0", (before[1] + 3, before[1] + 3, before[2] - 1), 0, "", (2, "hgx[05-06]")),
            job("771866", "zip-l-giga", "h100", "COMPLETED", "0:0", (begin - 512, begin, end), 0, "08:00:00", (2, "hgx[07,12]")),
            job("771866.batch", "batch", "", "COMPLETED", "0:0", (begin, begin, end), 0, "", (1, "hgx07")),
            job("771866.0", "python3", "", "COMPLETED", "0:0", (begin + 3, begin + 3, end - 1), 0, "", (2, "hgx[07,12]")),
        ],
        bars=False,
    )


def _pod(
    name: str, node: str, begin: float, end: float | None, code: int, gpus: int, image: str, args: Sequence[str], label: str
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
        "W1021 17:04:14.318000 1 site-packages/torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for"
        " each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for"
        " optimal performance in your application as needed. ",
        "W1021 17:04:14.318000 1 site-packages/torch/distributed/run.py:793] *****************************************",
        "Some weights of DebertaV2ForSequenceClassification were not initialized from the model checkpoint at"
        " microsoft/deberta-v3-large and are newly initialized: ['classifier.bias', 'classifier.weight', "
        "'pooler.dense.bias', 'pooler.dense.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.",
        f"{clock(first - 6, 0, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - labels: 214, train rows: 1152331, dev rows: 20000",
        "[INFO|trainer.py:2313] " + clock(first - 2, 0) + ",441 >> ***** Running training *****",
        "[INFO|trainer.py:2314] " + clock(first - 2, 0) + ",441 >>   Num examples = 1,152,331",
        "[INFO|trainer.py:2315] " + clock(first - 2, 0) + ",441 >>   Num Epochs = 1",
        "[INFO|trainer.py:2316] " + clock(first - 2, 0) + ",441 >>   Instantaneous batch size per device = 16",
        "[INFO|trainer.py:2319] " + clock(first - 2, 0)
        + ",441 >>   Total train batch size (w. parallel, distributed & accumulation) = 128",
        "[INFO|trainer.py:2320] " + clock(first - 2, 0) + ",441 >>   Gradient Accumulation steps = 1",
        "[INFO|trainer.py:2321] " + clock(first - 2, 0) + ",442 >>   Total optimization steps = 9,000",
    ]
    for step in range(50, now + 1, 50):
        lr = 2e-5 * min(1, step / 450) * (1 if step < 450 else (total - step) / (total - 450))
        loss, grad = learn(rng, step, 5.31, 0.62, 210, 0.03), 2.4 + rng.gauss(0, 0.5) + 6 / (1 + step / 100)
        log.append(str({"loss": round(loss, 4), "grad_norm": round(grad, 6), "learning_rate": lr, "epoch": round(step / 9000, 2)}))
        spent = step * per
        log.append(
            f"{100 * step // total:3d}%|{bar(step, total)}| {step}/{total} [{hms(spent)}<{hms((total - step) * per)}, "
            f" {per + rng.gauss(0, 0.015):.2f}s/it]"
        )
    seq = now * 7 + 31
    size = 26214400

    def dog(rank: int, dt: float) -> list[str]:
        t = fires + dt
        head = f"[rank{rank}]:[E{clock(t, 0, '%m%d %H:%M:%S')}.{int(t * 1e6) % 1000000:06d}000"
        return [
            f"{head} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn={size}, NumelOut={size}, Timeout(ms)=1800000) ran for"
            f" {1800041 + int(dt * 1000) % 60} milliseconds before timing out.",
            f"{head} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or"
            f" timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq + 3}, last completed NCCL work:"
            f" {seq - 1}.",
        ]

    def last(rank: int) -> list[str]:
        t = fires + 61.2 + rank * 0.03
        head = f"[rank{rank}]:[E{clock(t, 0, '%m%d %H:%M:%S')}.{int(t * 1e6) % 1000000:06d}000"
        return [
            f"{head} ProcessGroupNCCL.cpp:630] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the"
            " asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head} ProcessGroupNCCL.cpp:636] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
            f"{head} ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread"
            " terminated with exception: [Rank " + str(rank) + "] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn={size}, NumelOut={size}, Timeout(ms)=1800000) ran for"
            f" {1800041 + rank} milliseconds before timing out.",
        ]

    def agent(pids: Sequence[int], local: int, base: int) -> list[str]:
        t = end - 4
        api = "1 site-packages/torch/distributed/elastic/multiprocessing/api.py"
        stamp = clock(t, 0, "%m%d %H:%M:%S")
        return [
            *(f"W{stamp}.{612 + i}000 {api}:897] Sending process {p} closing signal SIGTERM" for i, p in enumerate(pids) if i != local),
            f"E{stamp}.901000 {api}:869] failed (exitcode: -6) local_rank: {local} (pid: {pids[local]}) of binary: /usr/bin/python3",
            "Traceback (most recent call last):",
            '  File "/usr/local/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/usr/local/lib/python3.10/dist-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
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
            return FREE if (node, gpu) == (1, 0) else spin(15310)
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
            f"NVRM: Xid (PCI:0000:{bus}:00): 48, pid=318842, name=python3, An uncorrectable double bit error (DBE) has been"
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
            line(begin + 17, "detectron2", "Command line arguments: Namespace(config_file='configs/panorex_R101.yaml',"
                 f" resume=False, eval_only=False, num_gpus=2, num_machines=2, machine_rank={rank // 2},"
                 " dist_url='tcp://mrcnn-tooth-0.mrcnn-tooth:23456', opts=[])"),
            line(begin + 18, "detectron2", "Full config saved to /out/panorex_r101/config.yaml"),
            line(begin + 41, "d2.data.datasets.coco", "Loaded 41877 images in COCO format from /data/panorex/train.json"),
            line(begin + 47, "d2.data.build", "Using training sampler TrainingSampler"),
            line(begin + 66, "d2.checkpoint.c2_model_loading", "Following weights matched with submodule backbone.bottom_up"),
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
                        f"{loss * 0.27:.4g}  loss_mask: {loss * 0.33:.4g}  loss_rpn_cls: {loss * 0.04:.4g}  loss_rpn_loc: "
                        f"{loss * 0.05:.4g}    time: {0.61 + rng.gauss(0, 0.004):.4f}  last_time: {0.61 + rng.gauss(0, 0.02):.4f}"
                        f"  data_time: {0.011 + rng.uniform(0, 0.004):.4f}  last_data_time: {0.009 + rng.uniform(0, 0.005):.4f}"
                        f"   lr: {0.02 * min(1, (it + 1) / 1000):.5g}  max_mem: 13217M",
                    )
                )
        return out

    zero = one_log(0)
    put(place, "logs/mrcnn-tooth-0.log", [
        *zero,
        f"[rank0]:[E{clock(hit + 18, 0, '%m%d %H:%M:%S')}.318842011 ProcessGroupNCCL.cpp:552] [Rank 0] Collective WorkNCCL("
        f"SeqNum={3 * 2040 + 11}, OpType=ALLREDUCE, NumelIn=6553600, NumelOut=6553600, Timeout(ms)=600000) raised the following async"
        " exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "Last error:",
        "socketProgress: Connection closed by remote peer 10.42.3.19<51266>",
    ])
    put(place, "logs/mrcnn-tooth-1.log", [
        *one_log(2),
        f"ERROR [{clock(hit + 0.6, 0, '%m/%d %H:%M:%S')} d2.engine.train_loop]: Exception during training:",
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
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ])
    put(place, "kubectl_get_pods.txt", [
        "NAME            READY   STATUS   RESTARTS   AGE   IP            NODE       NOMINATED NODE   READINESS GATES",
        "mrcnn-tooth-0   0/1     Error    0          41m   10.42.1.88    ws-rtx-2   <none>           <none>",
        "mrcnn-tooth-1   0/1     Error    0          41m   10.42.3.19    ws-rtx-5   <none>           <none>",
    ])
    put(place, "kubectl_get_events.txt", [
        "LAST SEEN   TYPE     REASON      OBJECT              MESSAGE",
        f"41m         Normal   Scheduled   pod/{pods[0]}   Successfully assigned vision/{pods[0]} to {nodes[0]}",
        f"41m         Normal   Scheduled   pod/{pods[1]}   Successfully assigned vision/{pods[1]} to {nodes[1]}",
        f"41m         Normal   Pulled      pod/{pods[0]}   Container image \"harbor.dent.local/vision/d2:0.6-cu124\" already present on machine",
        f"41m         Normal   Pulled      pod/{pods[1]}   Container image \"harbor.dent.local/vision/d2:0.6-cu124\" already present on machine",
        f"41m         Normal   Created     pod/{pods[0]}   Created container train",
        f"41m         Normal   Started     pod/{pods[0]}   Started container train",
        f"41m         Normal   Created     pod/{pods[1]}   Created container train",
        f"41m         Normal   Started     pod/{pods[1]}   Started container train",
    ])


def t12(place: Path, rng: Random) -> None:
    """Two V100 train a small GPT; one of them carries a foreign process from the ninth minute on."""
    begin = when(27, 12, 46, 3)
    turn, first, end = begin + 9 * 60 + 12, begin + 52, begin + 28 * 60 - 9
    nodes = ["volta21", "volta22"]

    def work(node: int, _gpu: int, t: float) -> Work:
        if t < begin or t >= end:
            return FREE
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
        "using world size: 2, data-parallel size: 2, context-parallel size: 1, hierarchical context-parallel sizes: None"
        "tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "using torch.float16 for parameters ...",
        "------------------------ arguments ------------------------",
        "  data_path ....................................... ['/scratch/cz_legal/cz_legal_text_document']",
        "  exit_duration_in_mins ........................... 25",
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
    while t - begin < 25 * 60 + 40:
        it += 10
        bad = t > turn
        mine = 1388 + rng.gauss(0, 6)
        other = (2931 + rng.gauss(0, 70)) if bad else 1394 + rng.gauss(0, 6)
        whole = max(mine, other) + 94 + rng.gauss(0, 5) + (220 if it == 10 else 0)
        t += whole / 100
        loss = learn(rng, it, 10.9, 3.1, 190, 0.006)
        scale = 4294967296.0 if it < 11 else 131072.0
        log.append(
            f" [{clock(t, 60, stamp)}] iteration {it:8d}/   20000 | consumed samples: {it * 64:12d} | elapsed time per iteration"
            f" (ms): {whole:.1f} | learning rate: {1.5e-4 * min(1, it / 200):.6E} | global batch size: {64:5d} | lm loss:"
            f" {loss:.6E} | loss scale: {scale:.1f} | grad norm: {0.9 + 4 / (1 + it / 60) + rng.gauss(0, 0.05):.3f} | number of"
            f" skipped iterations: {10 if it < 11 else 0:3d} | number of nan iterations: {0:3d} |"
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
    log += [
        f"saving checkpoint at iteration {it:7d} to /scratch/ckpt/gpt345m_cz in torch_dist format",
        f"  successfully saved checkpoint from iteration {it:7d} to /scratch/ckpt/gpt345m_cz [ t 1/1, p 1/1 ]",
        f"[exiting program after {(t - begin) / 60} minutes] datetime: {clock(end - 12, 60, stamp)} ",
    ]
    put(place, "gpt345m_cz.out", log)
