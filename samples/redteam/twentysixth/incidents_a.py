"""Incidents t01 to t08 of the twenty-sixth set. SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    Work,
    account,
    bare,
    learn,
    matrix,
    milli,
    part,
    smi_csv,
    smi_exporter,
    uuid_only,
)
from samples.redteam.twentyfourth.rig_site import Hall, coarse, held, mmu, shake, spin, still
from samples.redteam.twentythird.rig_more import FULL, ISO, bar, hms, job, sacct, torchrun_end, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from samples.redteam.twentyfirst.rig_incidents import Row

ZULU = "%Y-%m-%dT%H:%M:%SZ"


def t01(place: Path, rng: Random) -> None:
    """One GPU of a fine-tuning job: worked, then held its memory until somebody ended it."""
    east, begin = -480, when(21, 17, 2, 11)
    start, stuck, gone = begin + 236, begin + 2683, begin + 7041
    mib = 92184

    def work(_n: int, _g: int, t: float) -> Work:
        if t < start + 21 or t >= gone:
            return FREE
        if t < start + 74:
            return held(1180)
        if t < start + 131:
            return Work(engine=0.06, sm=0.02, dram=0.05, mib=16900, rx=2100)
        if t >= stuck:
            return held(mib)
        if (t - start) % 611 < 24:
            return shake(Work(engine=0.91, sm=0.55, tensor=0.2, dram=0.52, mib=mib, rx=30), f"e{t}")
        return shake(Work(engine=0.97, sm=0.86, tensor=0.43, dram=0.47, mib=mib, rx=45, tx=20), f"w{t}")

    hall = Hall("H200", ["gh-n017"], 1, work, begin, begin + 7200, 30, 260101)
    matrix(place, "dcgm_gh-n017.json", hall, bare(hall, "dcgm"))
    limit = "12:00:00"
    times = (start - 64, start, gone)
    who = "CANCELLED by 30417"
    account(
        place,
        "sacct.txt",
        [
            job("6120833", "sft_mistral24b_r64", "gh200q", who, "0:0", times, east, limit, (1, "gh-n017")),
            job("6120833.bat+", "batch", "", "CANCELLED", "0:15", (start, start, gone + 1), east, "", (1, "gh-n017")),
            job("6120833.ext+", "extern", "", "COMPLETED", "0:0", (start, start, gone), east, "", (1, "gh-n017")),
        ],
        FULL,
        bars=False,
    )


def t02(place: Path, rng: Random) -> None:
    """Two nodes of A40 in Kubernetes; one of them is gone before the job's end."""
    east, begin = 0, when(27, 5, 40, 3)
    nodes = ["ws-a40-03", "ws-a40-11"]
    start, gone = begin + 196, begin + 3487.4
    abort = gone + 604.7
    mib = 34120

    def work(n: int, _g: int, t: float) -> Work:
        if t < start + 9:
            return FREE
        if t < start + 41:
            return held(690)
        if n == 0 and gone + 1.5 <= t < abort:
            return spin(mib)
        if t >= abort:
            return FREE
        since = (t - start - 41) % 640
        if since > 606 and t > start + 600:
            return shake(Work(engine=0.72, sm=0.43, tensor=0.14, dram=0.3, mib=mib - 2000), f"v{t}")
        return shake(Work(engine=0.95, sm=0.71, tensor=0.29, dram=0.5, mib=mib, rx=900, tx=700), f"w{n}{t}")

    def alter(n: int, _g: int, t: float, one: Row) -> Row | None:
        return None if n == 1 and t > gone - 3 else one

    hall = Hall("A40", nodes, 4, work, begin, begin + 4500, 10, 260202, alter=alter)
    smi_exporter(place, "nvidia_smi_exporter_range.json", hall)

    lines = []

    def say(t: float, event: str, **more: object) -> None:
        t = part(t)
        head = {"ts": f"{clock(t, 0, '%Y-%m-%dT%H:%M:%S')}.{int(t * 1000) % 1000:03d}Z", "lvl": "INFO", "msg": event}
        lines.append(json.dumps(head | more))

    say(start + 8.3, "boot", host="tissue-seg-worker-0", torch="2.7.1+cu126", world_size=8, git="9be1c07")
    say(start + 14.0, "dataset ready", split="train", tiles=418233, shards=164, root="/mnt/pathology/tcga_x20_v4")
    say(start + 14.6, "dataset ready", split="val", tiles=22017, shards=9, root="/mnt/pathology/tcga_x20_v4")
    say(start + 22.9, "model built", arch="swin_v2_b_upernet", params_m=121.3, sync_bn=True, amp="bf16")
    say(start + 38.8, "process group up", backend="nccl", ranks=8)
    step, t, pace = 0, start + 42.0, 1.166
    while True:
        t += pace * 20 * rng.gauss(1, 0.012)
        since = (t - start - 41) % 640
        if since > 606 and t > start + 600:
            mark = 0.61 + 0.21 * (1 - 1 / (1 + step / 900)) + rng.gauss(0, 0.004)
            say(
                t + 1, "validate", step=step, mean_dice=round(mark, 4), tiles=22017, secs=round(rng.gauss(31.5, 0.4), 1)
            )
            t += 34
        if t >= gone:
            break
        step += 20
        loss = learn(rng, step, 1.42, 0.31, 260)
        say(
            t,
            "train",
            step=step,
            loss=round(loss, 4),
            lr=round(min(1, step / 400) * 1.2e-4, 8),
            gnorm=round(abs(rng.gauss(0.82, 0.11)), 3),
            tiles_per_s=round(128 / pace * rng.gauss(1, 0.015), 1),
            data_wait_ms=round(abs(rng.gauss(7, 2)), 1),
        )
    stamp = clock(abort - 1.1, 0, "%m%d %H:%M:%S")
    seq = step * 9 + 114
    lines += [
        f"[rank{rank}]:[E{stamp}.{381204 + 1733 * rank} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught"
        f" collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26214400,"
        f" NumelOut=26214400, Timeout(ms)=600000) ran for {600021 + 17 * rank} milliseconds before timing out."
        for rank in range(4)
    ]
    for rank in range(4):
        lines.append(
            f"[rank{rank}]:[E{stamp}.{552310 + 2119 * rank} ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL"
            " operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU"
            " operations might run on corrupted/incomplete data."
        )
        lines.append(
            f"[rank{rank}]:[E{stamp}.{552371 + 2119 * rank} ProcessGroupNCCL.cpp:698] [Rank {rank}] To avoid data"
            " inconsistency, we are taking the entire process down."
        )
    lines += torchrun_end(abort, 0, "tissue-seg-worker-0", "segtrain/main.py", 1, 1, 72, 41, -6, "71 73 74")
    put(place, "tissue-seg-worker-0.log", lines)

    more = [
        (begin - 19123.7, mmu(hall.bus(2), 3310942, "relion_refine_m", rng)),
        (begin - 402.2, "cni0: port 9(veth5b1e90ad) entered forwarding state"),
    ]
    still(place, "dmesg_ws-a40-03.txt", rng, hall, 0, "dmesg -T", east, more)

    ready = gone + 46
    evict = ready + 300
    rows = [
        ("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"),
        (
            "76m",
            "Normal",
            "Scheduled",
            "pod/tissue-seg-worker-0",
            f"Successfully assigned histo/tissue-seg-worker-0 to {nodes[0]}",
        ),
        (
            "76m",
            "Normal",
            "Scheduled",
            "pod/tissue-seg-worker-1",
            f"Successfully assigned histo/tissue-seg-worker-1 to {nodes[1]}",
        ),
        (
            "75m",
            "Normal",
            "Pulled",
            "pod/tissue-seg-worker-0",
            'Container image "reg.ws.local/histo/seg:2.3.1" already present on machine',
        ),
        ("75m", "Normal", "Started", "pod/tissue-seg-worker-0", "Started container pytorch"),
        ("75m", "Normal", "Started", "pod/tissue-seg-worker-1", "Started container pytorch"),
        ("20m", "Normal", "NodeNotReady", f"node/{nodes[1]}", f"Node {nodes[1]} status is now: NodeNotReady"),
        ("20m", "Warning", "NodeNotReady", "pod/tissue-seg-worker-1", "Node is not ready"),
        (
            "15m",
            "Normal",
            "TaintManagerEviction",
            "pod/tissue-seg-worker-1",
            "Marking for deletion Pod histo/tissue-seg-worker-1",
        ),
    ]
    wide = [max(len(r[i]) for r in rows) + 3 for i in range(4)]
    put(place, "events.txt", ["".join(r[i].ljust(wide[i]) for i in range(4)) + r[4] for r in rows])

    words = "%a, %d %b %Y %H:%M:%S +0000"
    lost = clock(ready, 0, words)
    beat = clock(gone - 97, 0, words)
    unknown = "NodeStatusUnknown   Kubelet stopped posting node status."
    put(
        place,
        f"describe_node_{nodes[1]}.txt",
        [
            f"Name:               {nodes[1]}",
            "Roles:              gpu",
            "Labels:             beta.kubernetes.io/arch=amd64",
            f"                    kubernetes.io/hostname={nodes[1]}",
            "                    nvidia.com/gpu.count=4",
            "                    nvidia.com/gpu.product=NVIDIA-A40",
            "Taints:             node.kubernetes.io/unreachable:NoExecute",
            "                    node.kubernetes.io/unreachable:NoSchedule",
            "Unschedulable:      false",
            "Lease:",
            f"  HolderIdentity:  {nodes[1]}",
            "  AcquireTime:     <unset>",
            f"  RenewTime:       {clock(gone - 6, 0, words)}",
            "Conditions:",
            "  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message",
            "  ----             ------    -----------------                 ------------------                ------              -------",
            f"  MemoryPressure   Unknown   {beat}   {lost}   {unknown}",
            f"  DiskPressure     Unknown   {beat}   {lost}   {unknown}",
            f"  PIDPressure      Unknown   {beat}   {lost}   {unknown}",
            f"  Ready            Unknown   {beat}   {lost}   {unknown}",
            "Capacity:",
            "  cpu:                64",
            "  memory:             527984212Ki",
            "  nvidia.com/gpu:     4",
        ],
    )
    items = []
    for i in range(2):
        made = clock(start - 31, 0, ZULU)
        state: dict[str, object] = {"running": {"startedAt": clock(start + 2, 0, ZULU)}}
        meta: dict[str, object] = {
            "creationTimestamp": made,
            "labels": {
                "training.kubeflow.org/job-name": "tissue-seg",
                "training.kubeflow.org/replica-index": str(i),
                "training.kubeflow.org/replica-type": "worker",
            },
            "name": f"tissue-seg-worker-{i}",
            "namespace": "histo",
        }
        status: dict[str, object] = {"phase": "Running", "startTime": clock(start - 30, 0, ZULU)}
        if i == 0:
            state = {
                "terminated": {
                    "exitCode": 1,
                    "finishedAt": clock(abort + 4, 0, ZULU),
                    "reason": "Error",
                    "startedAt": clock(start + 2, 0, ZULU),
                }
            }
            status["phase"] = "Failed"
        else:
            meta |= {"deletionGracePeriodSeconds": 30, "deletionTimestamp": clock(evict + 30, 0, ZULU)}
            status["conditions"] = [
                {
                    "lastTransitionTime": clock(evict, 0, ZULU),
                    "message": "Taint manager: deleting due to NoExecute taint",
                    "reason": "DeletionByTaintManager",
                    "status": "True",
                    "type": "DisruptionTarget",
                },
                {"lastTransitionTime": clock(ready, 0, ZULU), "status": "False", "type": "Ready"},
            ]
        status["containerStatuses"] = [
            {"image": "reg.ws.local/histo/seg:2.3.1", "name": "pytorch", "restartCount": 0, "state": state}
        ]
        spec = {
            "containers": [
                {
                    "args": ["torchrun", "--nnodes=2", "--nproc-per-node=4", "segtrain/main.py", "exp/swinv2_x20.yaml"],
                    "image": "reg.ws.local/histo/seg:2.3.1",
                    "name": "pytorch",
                    "resources": {"limits": {"memory": "300Gi", "nvidia.com/gpu": "4"}},
                }
            ],
            "nodeName": nodes[i],
            "restartPolicy": "Never",
        }
        items.append({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status})
    put(place, "pods.json", json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4) + "\n")


def t03(place: Path, rng: Random) -> None:
    """Two nodes that never find each other on the ports of the communicator."""
    east, begin = 540, when(14, 1, 10, 8)
    nodes = ["kgx-h04", "kgx-h09"]
    start, gone = begin + 141, begin + 7391

    def work(_n: int, g: int, t: float) -> Work:
        return held(96 + 4 * g) if start + 33 <= t < gone else FREE

    hall = Hall("H100", nodes, 2, work, begin, begin + 7500, 15, 260303)
    matrix(place, "prom_range.json", hall, uuid_only(hall, "dcgm"))

    at = start + 31.4
    stamp = clock(start + 6, east, "%m%d %H:%M:%S")
    star = "*" * 41
    lines = [
        f"START TIME: {clock(start + 1, east, '%a %b %e %H:%M:%S JST %Y')}",
        f"nodes: {' '.join(nodes)}  master: {nodes[0]}:29511",
        "+ srun --wait=60 --kill-on-bad-exit=1 torchrun --nproc_per_node 2 --nnodes 2 --rdzv_id 203318 --rdzv_backend"
        f" c10d --rdzv_endpoint {nodes[0]}:29511 run_train.py --config-file configs/smol_ja_1p7b.yaml",
    ]
    for pid in (718231, 2240119):
        head = f"W{stamp}.{rng.randrange(100000, 999999)} {pid} torch/distributed/run.py:766]"
        lines += [
            f"{head} ",
            f"{head} {star}",
            f"{head} Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your"
            " system being overloaded, please further tune the variable for optimal performance in your application"
            " as needed. ",
            f"{head} {star}",
        ]
    lines.append(
        "/home/s-morita/nanotron/src/nanotron/config/config.py:263: UserWarning: `data_stages[0].data.seed` is not"
        " set, falling back to `general.seed`"
    )
    lines.append("NCCL version 2.26.2+cuda12.6")
    ips = ("10.61.8.14", "10.61.8.19")
    port = 40317
    ids = {0: (718302, 718399), 1: (718303, 718400), 2: (2240188, 2240275), 3: (2240189, 2240276)}
    comm = f"0x{rng.getrandbits(64):016x}"
    for rank, (pid, tid) in ids.items():
        host, dev = nodes[rank // 2], rank % 2
        lines += [
            f"{host}:{pid}:{pid} [{dev}] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens21f0",
            f"{host}:{pid}:{pid} [{dev}] NCCL INFO Bootstrap: Using ens21f0:{ips[rank // 2]}<0>",
            f"{host}:{pid}:{pid} [{dev}] NCCL INFO cudaDriverVersion 12080",
            f"{host}:{pid}:{tid} [{dev}] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net"
            " plugin.",
            f"{host}:{pid}:{tid} [{dev}] NCCL INFO NCCL_IB_HCA set to mlx5_0,mlx5_3",
            f"{host}:{pid}:{tid} [{dev}] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_3:1/IB [RO]; OOB"
            f" ens21f0:{ips[rank // 2]}<0>",
            f"{host}:{pid}:{tid} [{dev}] NCCL INFO Using network IB",
            f"{host}:{pid}:{tid} [{dev}] NCCL INFO NCCL_SOCKET_RETRY_CNT set by environment to 100.",
            f"{host}:{pid}:{tid} [{dev}] NCCL INFO ncclCommInitRankConfig comm 0x{rng.getrandbits(28):x}0 rank {rank}"
            f" nranks 4 cudaDev {dev} nvmlDev {dev} busId {hall.bus(dev)[:2].lower()}000 commId {comm} - Init START",
        ]
    tries = int((gone - at) // 131.3)
    for n in range(1, tries + 1):
        for rank in (2, 3):
            pid, tid = ids[rank]
            lines.append(
                f"{nodes[1]}:{pid}:{tid} [{rank - 2}] NCCL INFO socketPollConnect: connect to {ips[0]}<{port}> returned"
                f" Connection timed out, retrying ({n}/100) after sleep for {100 * n} msec"
            )
    cut = clock(gone, east, ISO)
    lines += [
        f"slurmstepd: error: *** JOB 203318 ON {nodes[0]} CANCELLED AT {cut} ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 203318.0 ON {nodes[0]} CANCELLED AT {cut} ***",
    ]
    put(place, "slurm-203318.out", lines)
    times = (start - 20, start, gone)
    sacct(
        place,
        "sacct.psv",
        [
            job(
                "203318",
                "smol_ja_1p7b",
                "h100",
                "CANCELLED by 5207",
                "0:0",
                times,
                east,
                "3-00:00:00",
                (2, "kgx-h[04,09]"),
            )
        ],
    )
    for n in range(2):
        still(place, f"kern-{nodes[n]}.log", rng, hall, n, "syslog", east, flavour="noble")


def t04(place: Path, rng: Random) -> None:
    """A short fine-tuning on four gaming cards that ends as it should."""
    begin = when(3, 13, 22, 40, month=11)
    start = begin + 38
    load = start + 26
    steps, pace = 1080, 0.452
    train = load + 9.3
    evals = train + steps / 2 * pace
    done = train + steps * pace + 2 * 12.4
    exited = done + 11

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 12 or t >= exited:
            return FREE
        if t < train:
            return held(420)
        if evals <= t < evals + 12 or done - 12.4 <= t < done:
            return Work(engine=0.83, sm=0.5, tensor=0.2, dram=0.4, mib=14980 if g else 15310)
        if t >= done:
            return held(14980)
        return shake(
            Work(engine=0.94, sm=0.63, tensor=0.3, dram=0.52, mib=14980 if g else 15310, rx=4100, tx=3900), f"w{g}{t}"
        )

    hall = Hall("4090", ["rig-b2"], 4, work, begin, begin + 660, 15, 260404)

    def labels(n: int, g: int) -> dict[str, str]:
        return bare(hall, "nvidia-dcgm-exporter")(n, g) | {
            "exported_container": "trainer",
            "exported_namespace": "support-nlp",
            "exported_pod": "ticket-router-ft-m8x2k",
            "namespace": "gpu-operator",
        }

    matrix(place, "query_range.json", hall, labels, keep=coarse)

    def log(t: float, said: str, kind: str = "INFO|run_classification.py:{}") -> str:
        return f"{clock(t, 0, '%m/%d/%Y %H:%M:%S')} - {said}"

    lines = [
        *(
            log(
                start + 13 + 0.1 * g,
                f"WARNING - __main__ - Process rank: {g}, device: cuda:{g}, n_gpu: 1, distributed training: True,"
                " 16-bits training: False",
            )
            for g in (1, 0, 3, 2)
        ),
        log(start + 15, "INFO - __main__ - load a local file for train: /data/tickets/2026q3/train.jsonl"),
        log(start + 15, "INFO - __main__ - load a local file for validation: /data/tickets/2026q3/valid.jsonl"),
        "Some weights of XLMRobertaForSequenceClassification were not initialized from the model checkpoint at"
        " /models/xlm-roberta-large and are newly initialized: ['classifier.dense.bias', 'classifier.dense.weight',"
        " 'classifier.out_proj.bias', 'classifier.out_proj.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and"
        " inference.",
        "[INFO|trainer.py:2405] {} >> ***** Running training *****",
        "[INFO|trainer.py:2406] {} >>   Num examples = 34,560",
        "[INFO|trainer.py:2407] {} >>   Num Epochs = 2",
        "[INFO|trainer.py:2408] {} >>   Instantaneous batch size per device = 16",
        "[INFO|trainer.py:2411] {} >>   Total train batch size (w. parallel, distributed & accumulation) = 64",
        "[INFO|trainer.py:2412] {} >>   Gradient Accumulation steps = 1",
        "[INFO|trainer.py:2413] {} >>   Total optimization steps = 1,080",
        "[INFO|trainer.py:2414] {} >>   Number of trainable parameters = 559,924,258",
    ]
    lines = [one.replace("{}", milli(train - 0.6, 0)) for one in lines]
    total, away = 0.0, 0.0
    for step in range(20, steps + 1, 20):
        loss = learn(rng, step, 3.1, 0.22, 95, 0.05)
        total += loss
        lr = 2e-5 * (step / 65 if step <= 65 else (steps - step) / (steps - 65))
        said = {
            "loss": round(loss, 4),
            "grad_norm": round(abs(rng.gauss(6.5, 1.9)), 6),
            "learning_rate": lr,
            "epoch": round(step / 540, 2),
        }
        t = train + step * pace + away
        left = (steps - step) * pace
        lines.append(
            f"{100 * step // steps:3d}%|{bar(step, steps)}| {step}/{steps} [{hms(t - train)}<{hms(left)},"
            f"  {1 / pace * rng.gauss(1, 0.012):.2f}it/s]"
        )
        lines.append(str(said))
        if step % 540 == 0:
            stamp = milli(t + 0.2, 0)
            lines += [
                f"[INFO|trainer.py:4309] {stamp} >> ",
                "***** Running Evaluation *****",
                f"[INFO|trainer.py:4311] {stamp} >>   Num examples = 4096",
                f"[INFO|trainer.py:4314] {stamp} >>   Batch size = 32",
                str(
                    {
                        "eval_loss": round(0.412 if step == 540 else 0.3371, 4),
                        "eval_accuracy": 0.8762 if step == 540 else 0.9016,
                        "eval_runtime": 7.9132 if step == 540 else 7.8846,
                        "eval_samples_per_second": 517.616 if step == 540 else 519.494,
                        "eval_steps_per_second": 4.044 if step == 540 else 4.058,
                        "epoch": step / 540,
                    }
                ),
                f"[INFO|trainer.py:3984] {milli(t + 8.4, 0)} >> Saving model checkpoint to"
                f" /out/ticket-router/checkpoint-{step}",
                f"[INFO|configuration_utils.py:419] {milli(t + 8.5, 0)} >> Configuration saved in"
                f" /out/ticket-router/checkpoint-{step}/config.json",
            ]
            away += 12.4
    ran = done - train
    mean = total / (steps / 20)
    lines += [
        f"[INFO|trainer.py:2676] {milli(done, 0)} >> ",
        "",
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
        "",
        "",
        str(
            {
                "train_runtime": round(ran, 4),
                "train_samples_per_second": round(69120 / ran, 3),
                "train_steps_per_second": round(steps / ran, 3),
                "train_loss": round(mean, 6),
                "epoch": 2.0,
            }
        ),
        f"100%|{bar(1, 1)}| {steps}/{steps} [{hms(ran)}<00:00,  {steps / ran:.2f}it/s]",
        f"[INFO|trainer.py:3984] {milli(done + 0.4, 0)} >> Saving model checkpoint to /out/ticket-router",
        "***** train metrics *****",
        "  epoch                    =        2.0",
        f"  train_loss               = {mean:10.4f}",
        f"  train_runtime            = {f'0:{int(ran) // 60:02d}:{ran % 60:05.2f}':>10}",
        "  train_samples            =      34560",
        f"  train_samples_per_second = {69120 / ran:10.3f}",
        f"  train_steps_per_second   = {steps / ran:10.3f}",
    ]
    put(place, "ticket-router-ft-m8x2k.log", lines)


def t05(place: Path, rng: Random) -> None:
    """Sixteen tasks of Lightning under srun, of which one is gone by a signal."""
    east, begin = -480, when(8, 22, 31, 4)
    nodes = ["lx-13", "lx-14"]
    start, died = begin + 83, begin + 1166.3
    cut = died + 22
    killed = cut + 31
    mib = 30410
    ready = start + 61

    def work(n: int, g: int, t: float) -> Work:
        if t < start + 14 or t >= killed or (n == 1 and g == 3 and t >= died + 21):
            return FREE
        if t < ready:
            return held(620)
        if n == 1 and g == 3 and t >= died:
            return held(mib)
        if t >= died + 0.6:
            return spin(mib)
        return shake(Work(engine=0.93, sm=0.68, tensor=0.31, dram=0.48, mib=mib, rx=2600, tx=1900), f"w{n}{g}{t}")

    hall = Hall("L40S", nodes, 8, work, begin, begin + 1380, 15, 260505)
    matrix(place, "query_range.json", hall, bare(hall, "dcgm-exporter"))

    lines = [
        "Seed set to 1729",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
    ]
    order = list(range(16))
    rng.shuffle(order)
    lines += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/16" for r in order]
    dash = "-" * 100
    lines += [
        dash,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 16 processes",
        dash,
        "",
    ]
    lines += [f"LOCAL_RANK: {r % 8} - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]" for r in reversed(order)]
    lines += [
        "",
        "  | Name     | Type                | Params | Mode ",
        "---------------------------------------------------------",
        "0 | backbone | VideoMAEEncoder     | 86.2 M | train",
        "1 | neck     | TemporalFPN         | 9.4 M  | train",
        "2 | head     | ActionLocalizer     | 3.1 M  | train",
        "3 | val_map  | MeanAveragePrecision| 0      | train",
        "---------------------------------------------------------",
        "98.7 M    Trainable params",
        "0         Non-trainable params",
        "98.7 M    Total params",
        "394.812   Total estimated model params size (MB)",
        "412       Modules in train mode",
        "0         Modules in eval mode",
        "SLURM auto-requeueing enabled. Setting signal handlers.",
        "",
    ]
    total, rate = 3280, 1.87
    show = []
    for step in range(0, total, 20):
        t = ready + step / rate
        if t >= died:
            break
        loss = learn(rng, step, 2.31, 0.6, 420, 0.03)
        left = f"{hms((total - step) / rate)}, {rate * rng.gauss(1, 0.01):5.2f}it/s" if step else "?, ?it/s"
        show.append(
            f"Epoch 0: {100 * step // total:3d}%|{bar(step, total)}| {step}/{total} [{hms(step / rate)}<{left},"
            f" v_num=7712, train/loss={loss:.3f}, lr={min(1.0, step / 500) * 3e-4:.2e}]"
        )
    stamp = clock(cut, east, ISO)
    ends = [
        f"srun: error: {nodes[1]}: task 11: Segmentation fault (core dumped)",
        "srun: Terminating StepId=771204.0",
        f"slurmstepd: error: *** STEP 771204.0 ON {nodes[0]} CANCELLED AT {stamp} ***",
        f"srun: error: {nodes[1]}: tasks 8-10,12-15: Killed",
        f"srun: error: {nodes[0]}: tasks 0-7: Killed",
    ]
    put(place, "actionloc_771204.out", "\n".join(lines) + "\n" + "\r".join(show) + "\n" + "\n".join(ends) + "\n")
    times = (start - 1130, start, killed + 2)
    sacct(
        place,
        "sacct.txt",
        [job("771204", "actionloc-k700", "l40s", "FAILED", "139:0", times, east, "2-00:00:00", (2, "lx-[13-14]"))],
    )
    base = 0x7F2B40000000 + rng.randrange(1 << 20) * 4096
    at = base + 0x3A51E0 + rng.randrange(0xFF)
    more = [
        (
            died + 0.0412,
            f"python[{48213}]: segfault at 18 ip {at:016x} sp 00007f29c3ffc8f0 error 4 in"
            f" libavcodec-9a7c1be6.so.60.31.102[{base:x}+d92000]",
        ),
        (
            died + 0.0413,
            "Code: 89 45 c8 48 8b 87 a0 01 00 00 48 85 c0 0f 84 7b 02 00 00 49 89 fc 4c 8b 38 4d 85 ff 74 5e 49 8b 5f"
            " 10 <48> 8b 43 18 48 89 45 b8 8b 83 94 00 00 00 83 f8 01 0f 87 c1",
        ),
    ]
    still(place, "dmesg.lx-13", rng, hall, 0, "dmesg", east)
    still(place, "dmesg.lx-14", rng, hall, 1, "dmesg", east, more)


def t06(place: Path, rng: Random) -> None:
    """Two pods of gpt-neox whose launchers tell an exit code, with only their standard output kept."""
    east, begin = -360, when(19, 15, 8, 20)
    nodes = ["pool-a100-6c2f", "pool-a100-t9wk"]
    start, died = begin + 177, begin + 3904.6
    mib = 58240
    ready = start + 112

    def work(n: int, _g: int, t: float) -> Work:
        over = died + (0.8 if n else 13.5)
        if t < start + 22 or t >= over:
            return FREE
        if t < ready:
            return held(810 if t < start + 55 else 23100)
        return shake(Work(engine=0.98, sm=0.74, tensor=0.36, dram=0.49, mib=mib, rx=1400, tx=1200), f"w{n}{t}")

    hall = Hall("A100", nodes, 1, work, begin, begin + 4380, 30, 260606)
    for n in range(2):

        def labels(i: int, g: int) -> dict[str, str]:
            return bare(hall, "nvidia-dcgm-exporter")(i, g) | {
                "exported_container": "neox",
                "exported_namespace": "lm-research",
                "exported_pod": f"pythia-repro-410m-{i}",
            }

        matrix(place, f"dcgm-{nodes[n]}.json", hall, labels, only=[n])

    def stamp(t: float) -> str:
        return f"[{milli(t, east)}]"

    argv = (
        "['/usr/bin/python', '-u', 'train.py', '--local_rank=0', '--deepspeed_config',"
        " 'eyJ0cmFpbl9iYXRjaF9zaXplIjogMjU2LCAidHJhaW5fbWljcm9fYmF0Y2hfc2l6ZV9wZXJfZ3B1IjogMzIsICJncmFkaWVudF9hY2N1bXVsYXRpb25fc3RlcHMiOiA0fQ==',"
        " '--megatron_config', 'eyJ0cmFpbl9pdGVycyI6IDE0MzAwMCwgImxyX2RlY2F5X2l0ZXJzIjogMTQzMDAwfQ==']"
    )
    for n in range(2):
        a = start + 8 + 1.3 * n
        pid = 137 if n == 0 else 141
        lines = [
            f"{stamp(a)} [INFO] [real_accelerator.py:203:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
            f"{stamp(a + 3.1)} [INFO] [launch.py:146:main] WORLD INFO DICT: {{'pythia-repro-410m-0': [0],"
            " 'pythia-repro-410m-1': [0]}",
            f"{stamp(a + 3.1)} [INFO] [launch.py:152:main] nnodes=2, num_local_procs=1, node_rank={n}",
            f"{stamp(a + 3.1)} [INFO] [launch.py:163:main] global_rank_mapping=defaultdict(<class 'list'>,"
            " {'pythia-repro-410m-0': [0], 'pythia-repro-410m-1': [1]})",
            f"{stamp(a + 3.1)} [INFO] [launch.py:164:main] dist_world_size=2",
            f"{stamp(a + 3.1)} [INFO] [launch.py:168:main] Setting CUDA_VISIBLE_DEVICES=0",
            f"{stamp(a + 3.2)} [INFO] [launch.py:256:main] process {pid} spawned with command: {argv}",
            f"{stamp(a + 17.6)} [INFO] [comm.py:637:init_distributed] cdb=None",
        ]
        if n == 0:
            lines += [
                "> initializing torch distributed ...",
                f"{stamp(a + 17.7)} [INFO] [comm.py:668:init_distributed] Initializing TorchBackend in DeepSpeed with"
                " backend nccl",
                "> initializing model parallel with size 1",
                "> setting random seeds to 1234 ...",
                f"{stamp(a + 24.1)} [INFO] [checkpointing.py:229:model_parallel_cuda_manual_seed] > initializing model"
                " parallel cuda seeds on global rank 0, model parallel rank 0, and data parallel rank 0 with model"
                " parallel seed: 3952 and data parallel seed: 1234",
                "building GPT2 model ...",
                " > number of parameters on model parallel rank 0: 405334016",
                " > total params: 405,334,016",
                "> building train, validation, and test datasets ...",
                "    reading sizes...",
                "    reading pointers...",
                "    creating numpy buffer of mmap...",
                "    creating memory view of numpy buffer...",
                "    train_0:",
                "     no. of documents:210604984",
                " > loading doc-idx mapping from /data/pile/pile_0.87_train_0_indexmap_73216000ns_2048sl_1234s_doc_idx.npy",
                "done with setups ...",
                "training ...",
            ]
            it, t, pace = 0, ready, 4.912
            while t + 10 * pace < died:
                it += 10
                t += 10 * pace * rng.gauss(1, 0.004)
                loss = learn(rng, it, 10.9, 2.7, 55, 0.006)
                ms = 1000 * pace * rng.gauss(1, 0.003)
                lr = 3e-4 * it / 1430
                lines += [
                    f"{stamp(t)} [INFO] [logging.py:96:log_dist] [Rank 0] step={it}, skipped=0, lr=[{lr:.16g},"
                    f" {lr:.16g}], mom=[[0.9, 0.95], [0.9, 0.95]]",
                    f"steps: {it} loss: {loss:.4f} iter time (s): {ms / 1000:.3f} samples/sec: {256000 / ms:.3f}",
                    f" samples/sec: {256000 / ms:.3f} | iteration {it:8d}/  143000 | elapsed time per iteration (ms):"
                    f" {ms:.1f} | learning rate: {lr:.3E} | approx flops per GPU: {6.1e5 / ms:.1f}TFLOPS | lm_loss:"
                    f" {loss * rng.gauss(1, 0.002):.6E} | number of skipped iterations:   0 | number of nan"
                    " iterations:   0 |",
                ]
        over = died + (11.9 if n == 0 else 2.2)
        lines += [
            f"{stamp(over)} [INFO] [launch.py:319:sigkill_handler] Killing subprocess {pid}",
            f"{stamp(over + 0.06)} [ERROR] [launch.py:325:sigkill_handler] {argv} exits with return code = 1",
        ]
        put(place, f"pythia-repro-410m-{n}.stdout.log", lines)
        still(place, f"dmesg-{nodes[n]}.txt", rng, hall, n, "dmesg -T", east, flavour="noble" if n < 0 else "jammy")
    ran = [clock(start + i, 0, ZULU) for i in range(2)]
    over2 = [clock(died + s, 0, ZULU) for s in (13, 3)]
    rows = [("NAME", "NODE", "PHASE", "RESTARTS", "EXIT", "REASON", "STARTED", "FINISHED")]
    rows += [(f"pythia-repro-410m-{i}", nodes[i], "Failed", "0", "1", "Error", ran[i], over2[i]) for i in range(2)]
    wide = [max(len(r[i]) for r in rows) + 3 for i in range(8)]
    put(place, "pods.txt", ["".join(c.ljust(wide[i]) for i, c in enumerate(r)).rstrip() for r in rows])


def t07(place: Path, rng: Random) -> None:
    """A detector on eight GPUs whose place is taken by a job of higher rank."""
    east, begin = 540, when(16, 4, 51, 12)
    start, cut = begin + 49, begin + 644.2
    other = cut + 63
    ready = start + 72

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 17:
            return FREE
        if t < ready:
            return held(690)
        if t < cut + 3:
            return shake(Work(engine=0.9, sm=0.58, tensor=0.24, dram=0.38, mib=27300 + 41 * g, rx=1600), f"w{g}{t}")
        if t < other:
            return FREE
        if t < other + 90:
            return held(1240)
        return shake(Work(engine=0.99, sm=0.88, tensor=0.52, dram=0.46, mib=131020, rx=300, tx=280), f"o{g}{t}")

    hall = Hall("H200", ["nv8-05"], 8, work, begin, begin + 960, 30, 260707)
    columns = (
        "index",
        "uuid",
        "pstate",
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
    smi_csv(place, "nv8-05_smi.csv", hall, 0, east, columns)

    def say(t: float, name: str, said: str, level: str = "") -> str:
        return f"[{clock(t, east, '%m/%d %H:%M:%S')} {name}]: {level}{said}"

    a = start + 22
    miss = [
        ("roi_heads.box_predictor.cls_score.weight", "(81, 1024)", "(38, 1024)"),
        ("roi_heads.box_predictor.cls_score.bias", "(81,)", "(38,)"),
        ("roi_heads.box_predictor.bbox_pred.weight", "(320, 1024)", "(148, 1024)"),
        ("roi_heads.box_predictor.bbox_pred.bias", "(320,)", "(148,)"),
        ("roi_heads.mask_head.predictor.weight", "(80, 256, 1, 1)", "(37, 256, 1, 1)"),
        ("roi_heads.mask_head.predictor.bias", "(80,)", "(37,)"),
    ]
    lines = [
        "Command Line Args: Namespace(config_file='configs/shelf_mrcnn_R101_FPN.yaml', resume=False, eval_only=False,"
        " num_gpus=8, num_machines=1, machine_rank=0, dist_url='tcp://127.0.0.1:51642', opts=[])",
        say(a, "detectron2", "Rank of current process: 0. World size: 8"),
        "[rank0]:[W1016 " + clock(a + 1, east, "%H:%M:%S") + ".418290113 ProcessGroupNCCL.cpp:4843] [PG ID 0 PG GUID 0"
        " Rank 0]  using GPU 0 as device used by this process is currently unknown. This can potentially cause a hang"
        " if this rank to GPU mapping is incorrect. You can specify device_id in init_process_group() to force use of"
        " a particular device.",
        say(a + 4, "detectron2", "Running with full config:"),
        "(...)",
        say(a + 4, "detectron2", "Full config saved to ./runs/shelf_r101/config.yaml"),
        say(
            a + 12,
            "d2.data.datasets.coco",
            "Loading /nfs/retail/shelf37/annotations/train.json takes 6.71 seconds.",
            "WARNING ",
        ),
        say(
            a + 12,
            "d2.data.datasets.coco",
            "Loaded 88412 images in COCO format from /nfs/retail/shelf37/annotations/train.json",
        ),
        say(a + 15, "d2.data.build", "Removed 1204 images with no usable annotations. 87208 images left."),
        say(a + 17, "d2.data.build", "Using training sampler TrainingSampler"),
        say(
            a + 19,
            "fvcore.common.checkpoint",
            "[Checkpointer] Loading from /models/d2/mask_rcnn_R_101_FPN_3x/model_final_a3ec72.pkl ...",
        ),
    ]
    for key, old, new in miss:
        lines.append(
            say(
                a + 21,
                "fvcore.common.checkpoint",
                f"Skip loading parameter '{key}' to the model due to incompatible shapes: {old} in the checkpoint but"
                f" {new} in the model! You might want to double check if this is expected.",
                "WARNING ",
            )
        )
    lines += [
        say(
            a + 21,
            "fvcore.common.checkpoint",
            "Some model parameters or buffers are not found in the checkpoint:",
            "WARNING ",
        ),
        *(key for key, _, _ in miss),
        say(ready - 3, "d2.engine.train_loop", "Starting training from iteration 0"),
        "/opt/conda/lib/python3.11/site-packages/torch/functional.py:539: UserWarning: torch.meshgrid: in an upcoming"
        " release, it will be required to pass the indexing argument.",
    ]
    it, t, pace, most = -1, ready, 0.322, 45000
    while t + 20 * pace < cut:
        it += 20
        t += 20 * pace * rng.gauss(1, 0.01)
        parts = [
            learn(rng, it, x, y, 240, 0.03)
            for x, y in ((1.9, 0.34), (0.61, 0.38), (0.69, 0.33), (0.09, 0.03), (0.11, 0.06))
        ]
        lr = 0.04 * min(1.0, 0.001 + it / 1000)
        lines.append(
            say(
                t,
                "d2.utils.events",
                f" eta: {int((most - it) * pace) // 3600}:{int((most - it) * pace) // 60 % 60:02d}:"
                f"{int((most - it) * pace) % 60:02d}  iter: {it}  total_loss: {sum(parts):.4g}  loss_cls: {parts[0]:.4g}"
                f"  loss_box_reg: {parts[1]:.4g}  loss_mask: {parts[2]:.4g}  loss_rpn_cls: {parts[3]:.4g}"
                f"  loss_rpn_loc: {parts[4]:.4g}    time: {pace * rng.gauss(1, 0.004):.4f}  last_time:"
                f" {pace * rng.gauss(1, 0.03):.4f}  data_time: {abs(rng.gauss(0.011, 0.002)):.4f}  last_data_time:"
                f" {abs(rng.gauss(0.008, 0.002)):.4f}   lr: {lr:.5g}  max_mem: 24518M",
            )
        )
        if it == 999:
            lines.append(
                say(t + 1, "fvcore.common.checkpoint", "Saving checkpoint to ./runs/shelf_r101/model_0000999.pth")
            )
    stamp = clock(cut, east, ISO)
    lines += [
        f"slurmstepd: error: *** JOB 91877 ON nv8-05 CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** STEP 91877.0 ON nv8-05 CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    put(place, "shelf_r101-91877.log", lines)
    still(place, "dmesg.txt", rng, hall, 0, "dmesg", east, flavour="rocky")


def t08(place: Path, rng: Random) -> None:
    """Two nodes of A100 whose job ends after one GPU's memory failed."""
    east, begin = 480, when(30, 2, 12, 30)
    nodes = ["cn-a8-021", "cn-a8-027"]
    start, hurt = begin + 262, begin + 9083.2
    bad = (1, 4)
    ends = (hurt + 74, hurt + 9)
    mib = 61300
    ready = start + 138

    def work(n: int, g: int, t: float) -> Work:
        if t < start + 25 or t >= ends[n]:
            return FREE
        if t < ready:
            return held(880)
        if (n, g) == bad and t >= hurt:
            return FREE if t >= hurt + 4 else held(mib)
        if t >= hurt + 0.5:
            return spin(mib)
        if (t - ready) % 2210 > 2140:
            return shake(Work(engine=0.8, sm=0.45, tensor=0.13, dram=0.33, mib=mib), f"v{g}{t}")
        return shake(
            Work(engine=0.93, sm=0.66, tensor=0.25, dram=0.44, mib=mib + 310 * (g % 3), rx=700, tx=520), f"w{n}{g}{t}"
        )

    def alter(n: int, g: int, t: float, one: Row) -> Row:
        if (n, g) == bad and t >= hurt:
            one |= {"XID_ERRORS": 94, "ECC_DBE_VOL_TOTAL": 1, "UNCORRECTABLE_REMAPPED_ROWS": 1}
        return one

    hall = Hall("A100", nodes, 8, work, begin, begin + 10080, 15, 260808, alter=alter)

    def labels(n: int, g: int) -> dict[str, str]:
        return bare(hall, "dcgm-exporter")(n, g) | {
            "exported_container": "pytorch",
            "exported_namespace": "asr",
            "exported_pod": f"zipformer-l-wenet-worker-{n}",
        }

    drop = ("PCIE_", "MEM_CLOCK", "FB_FREE", "TOTAL_ENERGY", "MEM_COPY")
    matrix(place, "query_range.json", hall, labels, keep=lambda name: not name.startswith(drop))
    bus = f"PCI:0000:{hall.bus(bad[1])[:2].lower()}:00"
    pid = 1190442
    more = [
        (
            hurt,
            f"NVRM: Xid ({bus}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000002c91f4)"
            " marked for remapping, reset gpu to activate.",
        ),
        (
            hurt + 0.00214,
            f"NVRM: Xid ({bus}): 94, pid={pid}, name=python3, Contained: SM (0x1). RST: No, D-RST: No",
        ),
    ]
    still(place, f"dmesg_{nodes[0]}.txt", rng, hall, 0, "dmesg -T", east)
    still(place, f"dmesg_{nodes[1]}.txt", rng, hall, 1, "dmesg -T", east, more)
    rows = [("NAME", "NODE", "PHASE", "EXITCODE", "REASON", "START", "FINISH", "IMAGE")]
    rows += [
        (
            f"zipformer-l-wenet-worker-{n}",
            nodes[n],
            "Failed",
            "1",
            "Error",
            clock(start + n, 0, ZULU),
            clock(ends[n] + 3, 0, ZULU),
            "hub.asr.lan/k2fsa/icefall:torch2.4.1-cuda12.4",
        )
        for n in range(2)
    ]
    wide = [max(len(r[i]) for r in rows) + 3 for i in range(8)]
    put(place, "pods.txt", ["".join(c.ljust(wide[i]) for i, c in enumerate(r)).rstrip() for r in rows])
