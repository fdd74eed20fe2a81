"""Incidents t09 to t16 of the twenty-fifth set: what a site hands over after a job. SIMULATED."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    PROFILED,
    Row,
    Work,
    bare,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    part,
    text,
)
from samples.redteam.twentyfourth.rig_site import Hall, boot_log, coarse, held, shake, spin, still, ticks
from samples.redteam.twentythird.rig_more import ISO, bar, hms, job, quiet, sacct, torchrun_end, when

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ZULU: Final = "%Y-%m-%dT%H:%M:%SZ"


def kube_matrix(
    place: Path,
    name: str,
    hall: Hall,
    space: str,
    pods: Sequence[str],
    times: Sequence[tuple[float, float]],
    *,
    only: Sequence[int] | None = None,
    keep: Callable[[str], bool] = bool,
    container: str = "pytorch",
) -> None:
    """Prometheus' answer with the GPU operator's labels; the pod's labels stand only while it holds the GPU."""
    found: dict[str, list[tuple[dict[str, str], list[list[object]]]]] = {}
    for n, g in hall.all(only):
        rows, (since, until) = hall.rows(n, g), times[n]
        labels = {
            "DCGM_FI_DRIVER_VERSION": hall.of.driver,
            "Hostname": hall.nodes[n],
            "UUID": hall.uuid(n, g),
            "container": "nvidia-dcgm-exporter",
            "device": f"nvidia{g}",
            "endpoint": "gpu-metrics",
            "gpu": str(g),
            "job": "nvidia-dcgm-exporter",
            "modelName": hall.of.name,
            "namespace": "gpu-operator",
            "pci_bus_id": f"00000000:{hall.bus(g)}",
            "service": "nvidia-dcgm-exporter",
        }
        mine = {
            **labels,
            "exported_container": container,
            "exported_namespace": space,
            "exported_pod": pods[n],
        }
        for field in rows[0][1]:
            if not keep(field):
                continue
            word = "CLOCKS_EVENT_REASONS" if field == "CLOCKS_EVENT_REASONS" else field
            full = f"DCGM_FI_{'PROF' if field in PROFILED else 'DEV'}_{word}"
            parts: dict[bool, list[list[object]]] = {False: [], True: []}
            for t, one in rows:
                if field in one:
                    parts[since <= t < until].append([int(t), text(field, one[field])])
            for own, values in parts.items():
                if values:
                    chosen = mine if own else labels
                    found.setdefault(full, []).append(({"__name__": full, **dict(sorted(chosen.items()))}, values))
    result = [{"metric": m, "values": v} for full in sorted(found) for m, v in found[full]]
    whole = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    put(place, name, json.dumps(whole, separators=(",", ":")))


def pod(
    name: str,
    space: str,
    group: str,
    role: str,
    index: int,
    node: str,
    image: str,
    command: Sequence[str],
    gpus: int,
    memory: str,
    begin: float,
    end: tuple[float, int] | None,
    container: str = "pytorch",
) -> dict[str, object]:
    """One pod as ``kubectl get pod -o json`` has it, without managed fields; ``end`` is when and with what code."""
    uid = f"{Random(f'{space}/{name}').getrandbits(128):032x}"
    limits = {"cpu": "48", "memory": memory, "nvidia.com/gpu": str(gpus)}
    started = clock(begin, 0, ZULU)
    if end is None:
        state: dict[str, object] = {"running": {"startedAt": started}}
        phase, ready = "Running", {"lastTransitionTime": started, "status": "True", "type": "Ready"}
    else:
        t, code = end
        state = {
            "terminated": {
                "containerID": f"containerd://{Random(uid).getrandbits(256):064x}",
                "exitCode": code,
                "finishedAt": clock(t, 0, ZULU),
                "reason": "Error" if code else "Completed",
                "startedAt": started,
            }
        }
        phase = "Failed" if code else "Succeeded"
        ready = {
            "lastTransitionTime": clock(t + 1, 0, ZULU),
            "reason": "PodFailed" if code else "PodCompleted",
            "status": "False",
            "type": "Ready",
        }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": clock(begin - 37, 0, ZULU),
            "labels": {
                "training.kubeflow.org/job-name": group,
                "training.kubeflow.org/operator-name": "pytorchjob-controller",
                "training.kubeflow.org/replica-index": str(index),
                "training.kubeflow.org/replica-type": role,
            },
            "name": name,
            "namespace": space,
            "ownerReferences": [
                {"apiVersion": "kubeflow.org/v1", "controller": True, "kind": "PyTorchJob", "name": group}
            ],
            "uid": f"{uid[:8]}-{uid[8:12]}-4{uid[13:16]}-a{uid[17:20]}-{uid[20:]}",
        },
        "spec": {
            "containers": [
                {
                    "command": list(command),
                    "image": image,
                    "imagePullPolicy": "IfNotPresent",
                    "name": container,
                    "resources": {"limits": limits, "requests": limits},
                }
            ],
            "nodeName": node,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 30,
        },
        "status": {
            "conditions": [
                {"lastTransitionTime": clock(begin - 37, 0, ZULU), "status": "True", "type": "PodScheduled"},
                {"lastTransitionTime": clock(begin - 36, 0, ZULU), "status": "True", "type": "Initialized"},
                ready,
            ],
            "containerStatuses": [
                {
                    "image": image,
                    "lastState": {},
                    "name": container,
                    "ready": end is None,
                    "restartCount": 0,
                    "started": end is None,
                    "state": state,
                }
            ],
            "phase": phase,
            "qosClass": "Guaranteed",
            "startTime": clock(begin - 36, 0, ZULU),
        },
    }


def pod_list(place: Path, name: str, items: Sequence[dict[str, object]]) -> None:
    """Write them as kubectl does."""
    whole = {"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}}
    put(place, name, json.dumps(whole, indent=4) + "\n")


def glog(t: float, east: int, mark: str, nano: int) -> str:
    """The head of a line of c10's logger."""
    return f"{mark}{clock(t, east, '%m%d %H:%M:%S')}.{nano:09d}"


def t09(place: Path, rng: Random) -> None:
    """Accelerate, GPT-2 medium: loss jumps in mid-run and never comes back; the job ends in order."""
    begin = when(9, 7, 10, month=11)
    start = begin + 211
    steps, pace = 4000, 2.06
    first = start + 83.4
    nodes = ["volta03", "volta04"]
    lines = [
        "Loading modules: cuda/12.1 gcc/11.3 python/3.10",
        "MASTER_ADDR=volta03 MASTER_PORT=29512 NNODES=2",
    ]
    stamp = "%m/%d/%Y %H:%M:%S"

    def say(t: float, said: str, who: str = "__main__") -> None:
        lines.append(f"{clock(t, 0, stamp)} - INFO - {who} - {said}")

    for rank in range(4):
        say(start + 21 + 0.2 * rank, "Distributed environment: DistributedType.MULTI_GPU  Backend: nccl")
        lines += [
            "Num processes: 4",
            f"Process index: {rank}",
            f"Local process index: {rank % 2}",
            f"Device: cuda:{rank % 2}",
            "",
            "Mixed precision type: fp16",
            "",
        ]
    say(start + 40, "tokenizer igc-bpe-32k, vocab 32000; config gpt2-medium from scratch, 354,823,168 parameters")
    say(start + 77, "blocks of 1024: train 812,455, validation 4,102")
    say(start + 83, "***** Running training *****")
    for word in (
        "  Num examples = 812455",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 8",
        "  Total train batch size (w. parallel, distributed & accumulation) = 128",
        "  Gradient Accumulation steps = 4",
        f"  Total optimization steps = {steps}",
    ):
        say(start + 83, word)
    breaks: list[tuple[float, float, Work]] = []
    t = first
    broke = 1731
    for s in range(1, steps + 1):
        t += pace * rng.gauss(1, 0.012)
        lr = 1.5e-3 * min(1.0, s / 500) if s < 500 else 1.5e-3 * 0.5 * (1 + math.cos(math.pi * (s - 500) / 3500))
        if s < broke:
            loss, norm = learn(rng, s, 10.53, 3.05, 260, 0.011), 0.72 + 3.2 * math.exp(-s / 90)
            norm *= math.exp(rng.gauss(0, 0.12)) * (1 + max(0.0, (s - 1560) / 60) ** 1.4)
        else:
            loss = 7.47 - 0.05 * min(1, (s - broke) / 900) + 1.35 * math.exp(-(s - broke) / 55)
            loss -= 3.2 * math.exp(-(s - broke) / 9)
            loss *= 1 + rng.gauss(0, 0.006)
            norm = (0.09 + 41 * math.exp(-(s - broke) / 30)) * math.exp(rng.gauss(0, 0.3))
        if s % 20 == 0 or s == 1:
            rate = 128 * 1024 / pace * rng.gauss(1, 0.008)
            say(t, f"step {s:>5d} | loss {loss:.4f} | lr {lr:.3e} | grad_norm {norm:.3f} | {rate:,.0f} tok/s")
        if s % 1000 == 0:
            low = t
            t += 61.4 * rng.gauss(1, 0.01)
            seen = {1000: 4.5127, 2000: 7.4551, 3000: 7.4287, 4000: 7.4262}[s]
            say(t, f"eval @ {s}: perplexity: {math.exp(seen):.4f} eval_loss: {seen:.4f}")
            breaks.append((low, t, Work(0.9, 0.71, 0.3, 0.41, 18120, 160, 90)))
            low = t
            say(t, f"Saving current state to /lustre/igc/gpt2m/step_{s}", "accelerate.accelerator")
            t += 11.8
            say(
                t - 4.1,
                f"Model weights saved in /lustre/igc/gpt2m/step_{s}/model.safetensors",
                "accelerate.checkpointing",
            )
            say(
                t - 0.2,
                f"Optimizer state saved in /lustre/igc/gpt2m/step_{s}/optimizer.bin",
                "accelerate.checkpointing",
            )
            say(
                t - 0.2,
                f"Scheduler state saved in /lustre/igc/gpt2m/step_{s}/scheduler.bin",
                "accelerate.checkpointing",
            )
            say(
                t - 0.1,
                f"Gradient scaler state saved in /lustre/igc/gpt2m/step_{s}/scaler.pt",
                "accelerate.checkpointing",
            )
            say(t, f"Random states saved in /lustre/igc/gpt2m/step_{s}/random_states_0.pkl", "accelerate.checkpointing")
            breaks.append((low, t, Work(0.03, 0.01, 0, 0.01, 18120)))
    say(t + 1, "done, final model in /lustre/igc/gpt2m/final")
    end = t + 9.2
    put(place, "slurm-88213.out", lines)

    def work(node: int, gpu: int, at: float) -> Work:
        if not start + 12 < at < end - 2:
            return FREE
        if at < start + 40:
            return held(310)
        if at < first:
            return held(1930)
        for low, high, other in breaks:
            if low <= at < high:
                other = replace(other, mib=18120 + 40 * gpu)
                return other if gpu + node == 0 or other.sm > 0.1 else spin(18120 + 40 * gpu)
        return shake(Work(0.985, 0.83, 0.44, 0.52, 18120 + 40 * gpu, 2300, 2250), f"{node}{gpu}{at}")

    hall = Hall("V100", nodes, 2, work, begin, begin + 152 * 60, 30, 2509)
    matrix(place, "dcgm_gpus.json", hall, bare(hall, "dcgm-exporter"))
    early = (start - 68110, start - 68052, start - 67961)
    sacct(
        place,
        "sacct.txt",
        [
            job("88197", "is-gpt2m", "volta", "FAILED", "1:0", early, 0, "06:00:00", (2, "volta[01-02]")),
            job(
                "88213",
                "is-gpt2m",
                "volta",
                "COMPLETED",
                "0:0",
                (start - 1220, start, end),
                0,
                "06:00:00",
                (2, "volta[03-04]"),
            ),
        ],
    )
    for n, host in enumerate(nodes):
        still(place, f"dmesg_{host}.txt", rng, hall, n, "dmesg", 0, flavour="rocky")


def t10(place: Path, rng: Random) -> None:
    """A node of two goes away under a job without logs; it boots again later."""
    begin = when(12, 1, 30, month=11)
    start, dead = begin + 372, begin + 221 * 60 + 17.3
    failed, back = dead + 48.6, dead + 967
    nodes = ["gpu-h-04", "gpu-h-09"]
    group, space = "sdxl-lora-v7", "team-imaging"
    pods_ = [f"{group}-master-0", f"{group}-worker-0"]

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 9 or at > failed:
            return FREE
        if at < start + 96:
            return held(2410)
        if at > dead:
            return spin(70950 + 14 * gpu)
        if (at - start) % 3600 < 70 and at - start > 3000:
            return Work(0.42, 0.2, 0.1, 0.14, 70950, 800, 900) if node == gpu == 0 else spin(70950 + 14 * gpu)
        return shake(Work(0.995, 0.95, 0.71, 0.64, 70950 + 14 * gpu, 900, 870), f"{node}{gpu}{at}", 0.98, 1.03)

    def alter(node: int, _g: int, at: float, one: Row) -> Row | None:
        return None if node == 1 and dead < at < back + 141 else one

    hall = Hall("H100", nodes, 2, work, begin, begin + 263 * 60, 60, 2510, alter)
    kube_matrix(place, "prom_dcgm.json", hall, space, pods_, [(start, failed + 2), (start, dead)])
    image = "registry.intern.example/imaging/diffusers:0.35-cu126"
    command = ["torchrun", "--nnodes=2", "--nproc-per-node=2", "train_lora_sdxl.py", "--config", "cfg/v7.yaml"]
    pod_list(
        place,
        "pods.json",
        [pod(pods_[0], space, group, "master", 0, nodes[0], image, command, 2, "400Gi", start, (failed, 1))],
    )
    boot_id = f"{rng.getrandbits(128):032x}"
    bid = f"{boot_id[:8]}-{boot_id[8:12]}-4{boot_id[13:16]}-8{boot_id[17:20]}-{boot_id[20:]}"
    up = back + 61
    events = [
        (dead + 44, "Normal", "NodeNotReady", "Node", nodes[1], f"Node {nodes[1]} status is now: NodeNotReady"),
        (dead + 44, "Warning", "NodeNotReady", "Pod", pods_[1], "Node is not ready"),
        (failed + 1, "Normal", "ExitedWithCode", "PyTorchJob", group, f"Pod: {space}.{pods_[0]} exited with code 1"),
        (
            failed + 1,
            "Warning",
            "PyTorchJobFailed",
            "PyTorchJob",
            group,
            f"PyTorchJob {group} is failed because 1 Master replica(s) failed.",
        ),
        (dead + 345, "Normal", "TaintManagerEviction", "Pod", pods_[1], f"Marking for deletion Pod {space}/{pods_[1]}"),
        (up, "Normal", "Starting", "Node", nodes[1], "Starting kubelet."),
        (up, "Warning", "InvalidDiskCapacity", "Node", nodes[1], "invalid capacity 0 on image filesystem"),
        *(
            (up + 1, "Normal", f"NodeHas{word}", "Node", nodes[1], f"Node {nodes[1]} status is now: NodeHas{word}")
            for word in ("SufficientMemory", "NoDiskPressure", "SufficientPID")
        ),
        (up + 1, "Warning", "Rebooted", "Node", nodes[1], f"Node {nodes[1]} has been rebooted, boot id: {bid}"),
        (up + 12, "Normal", "NodeReady", "Node", nodes[1], f"Node {nodes[1]} status is now: NodeReady"),
    ]
    table = [("TIME", "TYPE", "REASON", "KIND", "NAME", "MESSAGE")]
    table += [(clock(t, 0, ZULU), *rest) for t, *rest in events]
    wide = [max(len(one[i]) for one in table) for i in range(5)]
    put(
        place,
        "events.txt",
        ["   ".join([*(c.ljust(wide[i]) for i, c in enumerate(one[:5])), one[5]]) for one in table],
    )
    still(place, f"dmesg-{nodes[0]}.log", rng, hall, 0, "dmesg -T", 0, flavour="noble")
    fresh = list(boot_log(rng, begin, hall.of.driver, "noble"))[:8]
    shift = back - fresh[0][0]
    lines = [(t + shift, said) for t, said in fresh]
    lines += [
        (back + 17.9, "EXT4-fs (nvme0n1p2): recovery complete"),
        (
            back + 17.9,
            "EXT4-fs (nvme0n1p2): mounted filesystem 5b0c1f0e-7c11-4be7-9a0c-27d4d1e3f7a2 r/w with ordered data mode. Quota mode: none.",
        ),
        (back + 31.2, "mlx5_core 0000:1a:00.0 ibp26s0: Link up"),
        (back + 66.4, "cni0: port 1(veth1f0c77aa) entered blocking state"),
        (back + 66.4, "cni0: port 1(veth1f0c77aa) entered forwarding state"),
    ]
    kernel(place, f"dmesg-{nodes[1]}.log", lines, "dmesg -T", 0, nodes[1])


def t11(place: Path, rng: Random) -> None:
    """Torchtitan on two GPUs: one meets an uncorrectable memory error."""
    east = 540
    begin = when(16, 4, 5, month=11)
    start = begin + 168
    hit = begin + 51 * 60 + 33.71
    nodes = ["kgx-11", "kgx-14"]
    group, space = "titan-8b-ja", "llm-core"
    pods_ = [f"{group}-master-0", f"{group}-worker-0"]
    ended = [hit + 19.5, hit + 9.3]
    first = start + 122.0

    def work(node: int, gpu: int, at: float) -> Work:
        gone = ended[node] - 4
        if at < start + 14 or at > gone:
            return FREE
        if at < first - 12:
            return held(1650)
        if at > hit:
            return held(121900) if node else spin(121900)
        return shake(Work(0.99, 0.86, 0.53, 0.49, 121900, 3100, 3000), f"{node}{at}")

    def alter(node: int, _g: int, at: float, one: Row) -> Row:
        if node == 1 and at >= hit:
            one |= {"XID_ERRORS": 94, "ECC_DBE_VOL_TOTAL": 1, "UNCORRECTABLE_REMAPPED_ROWS": 1}
        return one

    hall = Hall("H200", nodes, 1, work, begin, begin + 72 * 60, 10, 2511, alter)
    matrix(place, "query_range.json", hall, bare(hall, "dcgm"))
    master: list[str] = []
    other: list[str] = []

    def say(rank: int, t: float, said: str, level: str = "INFO") -> None:
        (other if rank else master).append(f"[rank{rank}]:[titan] {milli(t, east)} - root - {level} - {said}")

    for rank, _box in enumerate((master, other)):
        t = start + 12.1 + 0.3 * rank
        say(rank, t, "Starting job: Llama 3 8B training")
        say(rank, t + 1.2, "[GC] Initial GC collection took 0.00 seconds")
        say(rank, t + 4.6, "Building 1-D device mesh with ['dp_shard'], [2]")
        say(rank, t + 5.3, "Loading tokenizer from tokenizer.json")
        say(rank, t + 6.9, "Preparing fineweb2-ja dataset from /data/fineweb2/jpn_Jpan")
        say(
            rank,
            t + 31.4,
            "Building llama3 8B with TransformerModelArgs(dim=4096, n_layers=32, n_heads=32, n_kv_heads=8, vocab_size=128256, max_seq_len=8192)",
        )
        say(rank, t + 31.9, "CUDA capacity: NVIDIA H200 with 139.81GiB memory")
        say(rank, t + 32.0, "Model llama3 8B size: 8,030,261,248 total parameters")
        say(rank, t + 32.1, "Applied selective activation checkpointing to the model")
        say(rank, t + 32.3, "Applied FSDP to the model")
        say(rank, t + 35.8, "Peak FLOPS used for computing MFU: 9.890e+14")
        say(rank, t + 35.8, "CUDA memory usage for model: 15.02GiB(10.74%)")
        say(
            rank,
            t + 36.0,
            "Checkpointing active. Checkpoints will be loaded from and saved to /ckpt/titan-8b-ja/checkpoint",
        )
        say(rank, t + 36.0, "Mixed precision training is handled by fully_shard")
        say(
            rank,
            t + 36.1,
            "Trainer is initialized with local batch size 2, global batch size 4, gradient accumulation steps 1, sequence length 8192, total steps 12000 (warmup 400)",
        )
        say(rank, t + 36.1, "Training starts at step 1")
    step, t = 0, first
    while t < hit - 0.7:
        step += 1
        t += (2.31 if step > 1 else 6.2) * rng.gauss(1, 0.006)
        if t >= hit:
            break
        if step == 1 or step % 10 == 0:
            loss, norm = learn(rng, step, 12.24, 2.6, 110, 0.012), 0.9 + 7 * math.exp(-step / 60) + rng.random() * 0.3
            rate = (16384 / 2.31 if step > 1 else 16384 / 6.2) * rng.gauss(1, 0.006)
            flops = rate * 5.794e10 / 1e12
            for rank in (0, 1):
                say(
                    rank,
                    t + 0.004 * rank,
                    f"step: {step:2}  loss: {loss:8.5f}  grad_norm: {norm:7.4f}  memory: {118.36 + 0.02 * rank:5.2f}GiB"
                    f"({84.66 + 0.01 * rank:.2f}%)  tps: {round(rate):,}  tflops: {flops:,.2f}  mfu: {flops / 9.89:.2f}%",
                )
        if step == 1:
            for rank in (0, 1):
                say(rank, t + 0.01, "Synchronizing and adjusting timeout for all ProcessGroups to 0:01:40")
        if step % 50 == 0:
            for rank in (0, 1):
                say(
                    rank,
                    t + 0.03,
                    f"[GC] Performing periodic GC collection took {0.01 + 0.01 * rng.random():.2f} seconds",
                )
        if step % 500 == 0:
            for rank in (0, 1):
                say(rank, t + 0.06, "Saving the checkpoint (or staging if async is enabled).")
                say(rank, t + 14.7, "[GC] GC collection invoked by checkpointer. took 0.01 seconds")
                say(rank, t + 14.8, "Finished saving the checkpoint (or staging if async is enabled)in 14.74 seconds.")
            t += 14.9
    lib = "/opt/venv/lib/python3.11/site-packages"
    trace = [
        "Traceback (most recent call last):",
        '  File "/workspace/torchtitan/torchtitan/train.py", line 684, in <module>',
        "    trainer.train()",
        f'  File "{lib}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 357, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        '  File "/workspace/torchtitan/torchtitan/train.py", line 606, in train',
        "    self.train_step(data_iterator)",
        '  File "/workspace/torchtitan/torchtitan/train.py", line 504, in train_step',
    ]
    advice = [
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    other += [
        f"[rank1]:[rank1]: {one}"
        for one in [
            *trace,
            "    grad_norm = dist_utils.clip_grad_norm_(",
            "                ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            '  File "/workspace/torchtitan/torchtitan/distributed/utils.py", line 401, in clip_grad_norm_',
            "    total_norm = total_norm.full_tensor()",
            "                 ^^^^^^^^^^^^^^^^^^^^^^^^",
            "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
            *advice,
        ]
    ]
    nano = rng.randrange(10**8, 9 * 10**8)
    other += [
        f"[rank1]:[rank1]:[{glog(hit + 0.8, east, 'E', nano)} ProcessGroupNCCL.cpp:2068] [PG ID 0 PG GUID 0(default_pg) Rank 1]"
        " Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered",
        *(f"[rank1]:{one}" for one in advice),
    ]
    other += torchrun_end(hit + 3.1, east, pods_[1], "torchtitan.train", 1, 0, 64, 1, 1, "")
    nano = rng.randrange(10**8, 9 * 10**8)
    master += [
        f"[rank0]:[rank0]:[{glog(hit + 6.2, east, 'E', nano)} ProcessGroupNCCL.cpp:700] [Rank 0] Some NCCL operations have failed or timed out."
        " Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        *(
            f"[rank0]:[rank0]: {one}"
            for one in [
                *trace,
                "    grad_norm = dist_utils.clip_grad_norm_(",
                "                ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                f'  File "{lib}/torch/distributed/_functional_collectives.py", line 138, in wait_tensor',
                "    return torch.ops._c10d_functional.wait_tensor(tensor)",
                "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:133, remote process exited or there was a network error, NCCL version 2.27.3",
                "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
                "Last error:",
                "NET/IB: Got completion from peer 10.42.7.14<50122> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2",
            ]
        ),
    ]
    master += torchrun_end(hit + 12.9, east, pods_[0], "torchtitan.train", 0, 0, 66, 1, 1, "")
    put(place, f"logs/{pods_[0]}.log", master)
    put(place, f"logs/{pods_[1]}.log", other)
    image = "harbor.kgx.example/llm/torchtitan:2026.10"
    command = [
        "torchrun",
        "--nnodes=2",
        "--nproc_per_node=1",
        "--rdzv_backend=c10d",
        "--local-ranks-filter=0",
        "--role=rank",
        "--tee=3",
        "-m",
        "torchtitan.train",
        "--job.config_file=./llama3_8b_ja.toml",
    ]
    old = start - 5 * 3600 - 411
    sandbox = [
        pod(p, "llm-sandbox", group, role, 0, node, image, command, 1, "200Gi", old + i, (old + 1288.0 + i, 0))
        for i, (p, role, node) in enumerate(zip(pods_, ("master", "worker"), ("kgx-02", "kgx-11"), strict=True))
    ]
    now = [
        pod(p, space, group, role, 0, node, image, command, 1, "200Gi", start + i, (ended[i], 1))
        for i, (p, role, node) in enumerate(zip(pods_, ("master", "worker"), nodes, strict=True))
    ]
    pod_list(place, "kubectl-get-pod-A.json", [*now, *sandbox])
    pid = 2214907
    bus = f"0000:{hall.bus(0)[:2].lower()}:00"
    faults = [
        (
            hit,
            f"NVRM: Xid (PCI:{bus}): 48, pid={pid}, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 9, subpartition 0.",
        ),
        (
            hit + 0.002,
            f"NVRM: Xid (PCI:{bus}): 63, pid={pid}, name=python3, Row Remapper: New row (0x0000000d24c6e180) marked for remapping, reset gpu to activate.",
        ),
        (hit + 0.31, f"NVRM: Xid (PCI:{bus}): 94, pid={pid}, name=python3, Contained: SM (0x1). RST: No, D-RST: No"),
    ]
    for n, host in enumerate(nodes):
        still(place, f"dmesg/{host}.txt", rng, hall, n, "dmesg -T", east, faults if n else (), flavour="noble")


def t12(place: Path, rng: Random) -> None:
    """Four ranks, one stops reading its shard for good; the others wait in an all-reduce until the watchdog ends it."""
    begin = when(18, 20, 0, month=11)
    start, froze = begin + 190, begin + 331 * 60 + 12.0
    nodes = ["ruhr1", "ruhr2"]
    first = start + 74
    lines: list[tuple[float, str]] = []

    def say(t: float, rank: int, said: str) -> None:
        lines.append((t, f"{clock(part(t), 0)} [Rang {rank}] {said}"))

    for rank in range(4):
        say(
            start + 22 + 0.1 * rank,
            rank,
            f"Prozessgruppe steht: nccl, 4 Prozesse, Karte cuda:{rank % 2} auf {nodes[rank // 2]}",
        )
    say(start + 41, 0, "Modell WetterNetz-M: 214.310.912 Parameter, bf16")
    say(start + 43, 0, "Lauf 40 Epochen zu 1875 Schritten, Stapel 4 x 24, lr 4.0e-04")
    loads: list[tuple[float, float]] = []
    t, step, shard = first, 0, 0
    stop = 0.0
    while not stop:
        if step % 625 == 0:
            spans = [3.1 + rng.random() * 1.4 for _ in range(4)]
            dead = t > froze - 1250
            for rank in range(4):
                number = shard * 4 + rank
                say(t + 0.02 * rank, rank, f"Paket {number:04d} wird gelesen: /daten/era5/teile/{number:04d}.zarr")
                if not (dead and rank == 3):
                    say(
                        t + spans[rank],
                        rank,
                        f"Paket {number:04d} bereit ({20000 + rng.randrange(900)} Felder, {spans[rank]:.1f} s)",
                    )
            loads.append((t, t + max(spans)))
            shard += 1
            if dead:
                stop = t + max(spans[:3]) + 1
                break
            t += max(spans)
        step += 1
        t += 1.94 * rng.gauss(1, 0.01)
        if step % 125 == 0:
            loss = learn(rng, step, 0.83, 0.118, 700, 0.014)
            say(
                t,
                0,
                f"Epoche {(step - 1) // 1875 + 1:2d}/40  Schritt {(step - 1) % 1875 + 1:5d}  Verlust {loss:.5f}  lr {4e-4 * min(1, step / 1000):.2e}  1.94 s/Schritt",
            )
        if step % 1875 == 0:
            low = t
            t += 47
            say(
                t,
                0,
                f"Prüfung nach Epoche {step // 1875}: RMSE z500 {61.2 + 240 * math.exp(-step / 2600) + rng.gauss(0, 0.7):.2f} m²/s²",
            )
            say(t + 4, 0, f"Stand gesichert: /daten/laeufe/m214/epoche_{step // 1875:03d}.pt")
            loads.append((low + 44, t + 4))
            t += 4.2
    over = stop + 3600.0
    seq = 9 * step + 7
    body = [one[1] for one in sorted(lines, key=lambda one: one[0])]
    for rank in (1, 0, 2):
        at = over + (0.21, 0.0, 0.44)[rank]
        nano = int(at % 1 * 1e9) + rng.randrange(9000)
        span = 3600000 + rng.randrange(8, 96)
        what = (
            f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26214400,"
            f" NumelOut=26214400, Timeout(ms)=3600000) ran for {span} milliseconds before timing out."
        )
        head = f"[rank{rank}]:[{glog(at, 0, 'E', nano)} ProcessGroupNCCL.cpp"
        pg = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"
        body += [
            f"{head}:632] {what}",
            f"{head}:2268] {pg}  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 8}, last completed work: {seq - 1}",
            f"{head}:670] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        ]
    nano = int((over + 1.2) % 1 * 1e9) + rng.randrange(9000)
    body.append(
        f"[rank3]:[{glog(over + 1.2, 0, 'E', nano)} ProcessGroupNCCL.cpp:1685] [PG ID 0 PG GUID 0(default_pg) Rank 3] Observed flight recorder dump signal from another rank via TCPStore."
    )
    body.append(
        f"[rank3]:[{glog(over + 1.2, 0, 'E', nano + 81233)} ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank 3] Received a dump signal due to a collective timeout from  rank 1"
        f" and we will try our best to dump the debug info. Last enqueued NCCL work: {seq - 1}, last completed NCCL work: {seq - 1}.This is most likely caused by incorrect usages of collectives, e.g.,"
        " wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run. Additionally, this can be caused by GIL deadlock or"
        " other reasons such as network errors or bugs in the communications library (e.g. NCCL), etc. "
    )
    crash = over + 61.0
    for rank in (1, 0, 2):
        at = crash + (0.31, 0.0, 0.52)[rank]
        nano = int(at % 1 * 1e9) + rng.randrange(9000)
        head = f"[rank{rank}]:[{glog(at, 0, 'E', nano)} ProcessGroupNCCL.cpp"
        what = (
            f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation timeout:"
            f" WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=3600000) ran for {3600000 + 40 + rank} milliseconds before timing out."
        )
        body += [
            f"{head}:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head}:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
            f"{head}:1896] {what}",
            "Exception raised from checkTimeout at /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:635 (most recent call first):",
            "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x7f1c0b9a65e8 in /opt/wn/lib/python3.11/site-packages/torch/lib/libc10.so)",
            "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, 1000l> > >) + 0x23d (0x7f1bb5c1ea6d in /opt/wn/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so)",
            "frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0xc80 (0x7f1bb5c207f0 in /opt/wn/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so)",
            "frame #3: c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x14d (0x7f1bb5c21efd in /opt/wn/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so)",
            "",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            f"  what():  {what}",
            "",
        ]
    end = crash + 34.0
    body += [
        "srun: error: ruhr1: task 1: Aborted (core dumped)",
        "srun: Terminating StepId=4417.0",
        f"slurmstepd: error: *** STEP 4417.0 ON ruhr1 CANCELLED AT {clock(crash + 2, 0, ISO)} ***",
        "srun: error: ruhr1: task 0: Aborted (core dumped)",
        "srun: error: ruhr2: task 2: Aborted (core dumped)",
        "srun: error: ruhr2: task 3: Killed",
    ]
    put(place, "wetternetz_4417.out", body)

    def work(node: int, gpu: int, at: float) -> Work:
        mib = 20310 + 60 * gpu
        if at < start + 15 or at > crash + (30 if node == gpu == 1 else 2):
            return FREE
        if at < first:
            return held(960)
        if at >= stop:
            return held(mib) if node == gpu == 1 else Work(engine=1.0, sm=0.04, dram=0.006, mib=mib)
        if any(low <= at < high for low, high in loads):
            return held(mib)
        return shake(Work(0.97, 0.74, 0.36, 0.47, mib, 2600, 2500), f"{node}{gpu}{at}")

    warm = [begin + 60 * m + 11 for m in (52, 171, 174, 266, 395)]
    hall = Hall("4090 with ECC", nodes, 2, work, begin, begin + 434 * 60, 60, 2512, ticks({(0, 1): warm}, 3))
    for n, host in enumerate(nodes):
        matrix(place, f"dcgm-{host}.json", hall, bare(hall, "dcgm"), only=[n], keep=coarse)
        still(place, f"journal-{host}.txt", rng, hall, n, "journalctl", 0, flavour="noble")
    put(
        place,
        "scontrol_show_job.txt",
        [
            "JobId=4417 JobName=m214",
            "   UserId=hbrandt(20117) GroupId=klima(20000) MCS_label=N/A",
            "   Priority=4294901731 Nice=0 Account=klima QOS=normal",
            "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
            "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=134:0",
            f"   RunTime={int(end - start) // 3600:02d}:{int(end - start) // 60 % 60:02d}:{int(end - start) % 60:02d} TimeLimit=2-00:00:00 TimeMin=N/A",
            f"   SubmitTime={clock(start - 3, 0, ISO)} EligibleTime={clock(start - 3, 0, ISO)}",
            f"   AccrueTime={clock(start - 3, 0, ISO)}",
            f"   StartTime={clock(start, 0, ISO)} EndTime={clock(end, 0, ISO)} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={clock(start, 0, ISO)} Scheduler=Main",
            "   Partition=karten AllocNode:Sid=pforte:118204",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList=ruhr[1-2]",
            "   BatchHost=ruhr1",
            "   NumNodes=2 NumCPUs=64 NumTasks=4 CPUs/Task=16 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=64,mem=240G,node=2,billing=64,gres/gpu=4",
            "   AllocTRES=cpu=64,mem=240G,node=2,billing=64,gres/gpu=4",
            "   Socks/Node=* NtasksPerN:B:S:C=2:0:*:* CoreSpec=*",
            "   MinCPUsNode=32 MinMemoryNode=120G MinTmpDiskNode=0",
            "   Features=(null) DelayBoot=00:00:00",
            "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
            "   Command=/home/hbrandt/wetternetz/lauf.sbatch",
            "   WorkDir=/home/hbrandt/wetternetz",
            "   StdErr=/home/hbrandt/wetternetz/wetternetz_4417.out",
            "   StdIn=/dev/null",
            "   StdOut=/home/hbrandt/wetternetz/wetternetz_4417.out",
            "   TresPerNode=gres/gpu:2",
            "",
        ],
    )


def t13(place: Path, rng: Random) -> None:
    """A classifier that stands at the entropy of its classes, without gradient, to the end of its plan."""
    begin = when(20, 15, 40, month=11)
    start = begin + 150
    nodes = ["al40s-w2", "al40s-w5"]
    group, space = "herb-vitb", "botany"
    pods_ = [f"{group}-master-0", f"{group}-worker-0"]
    east = -480
    lines = [
        "world 8 | rank 0 on herb-vitb-master-0",
        "train 1,598,464 img / 4271 cls | val 42,104 img",
        "vit_base_patch16 384 | 89.4M params | bf16 autocast | AdamW wd 0.3 | lr 4e-3 warm 300 it",
    ]
    per, epochs, floor = 1561, 3, math.log(4271)
    t = start + 71.0
    pauses: list[tuple[float, float]] = []
    for e in range(1, epochs + 1):
        began = t
        for i in range(1, per + 1):
            t += 1.425 * rng.gauss(1, 0.015)
            s = (e - 1) * per + i
            lr = (
                4e-3 * min(1.0, s / 300)
                if s < 300
                else 4e-3 * 0.5 * (1 + math.cos(math.pi * (s - 300) / (per * epochs - 300)))
            )
            if s < 220:
                loss = floor - 0.58 * s / 220 + rng.gauss(0.03, 0.02)
                norm, hit = 1.1 + rng.random() * 0.7 + s / 260, 0.0004 + 0.004 * s / 220
            else:
                loss = (
                    floor
                    + 0.41 * math.exp(-(s - 220) / 35) * (1 if s > 240 else (s - 220) / 20)
                    + rng.gauss(0.0012, 0.0021)
                )
                norm, hit = 5.2 * math.exp(-(s - 220) / 22), 0.00024
            norm = max(norm, 0.0003 * (1 + rng.random()))
            if i % 50 == 0 or i == 1:
                top = max(0, round(1024 * hit + rng.gauss(0, 0.5))) / 1024
                print_ = f"ep {e} it {i:4d}/{per} loss {loss:.4f} top1 {top:.4f} gn {norm:.4f} lr {lr:.2e} {1024 / 1.425 * rng.gauss(1, 0.012):.0f} img/s"
                lines.append(print_)
        low = t
        t += 52
        lines.append(
            f"== ep {e} val loss {floor + 0.0004 + 0.0002 * rng.random():.4f} top1 {10 / 42104:.5f} top5 {52 / 42104:.5f} ({(t - began) / 60:.1f} min)"
        )
        pauses.append((low, t))
        lines.append(f"saved /ckpt/herb-vitb/ep{e}.pt")
        t += 3
    lines.append(f"finished, best top1 {10 / 42104:.5f} @ ep 1")
    end = t + 4
    put(place, f"{pods_[0]}.log", lines)
    put(place, f"{pods_[1]}.log", ["world 8 | rank 4 on herb-vitb-worker-0"])

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 19 or at > end - 2:
            return FREE
        if at < start + 70:
            return held(720)
        if any(low <= at < high for low, high in pauses):
            return shake(Work(0.88, 0.6, 0.3, 0.42, 31680 + 22 * gpu, 900, 120), f"v{node}{gpu}{at}")
        return shake(Work(0.97, 0.8, 0.41, 0.58, 31680 + 22 * gpu, 2100, 1850), f"{node}{gpu}{at}")

    hall = Hall("L40S", nodes, 4, work, begin, begin + 127 * 60, 30, 2513)
    for n, host in enumerate(nodes):
        kube_matrix(place, f"{host}.json", hall, space, pods_, [(start, end), (start, end + 1)], only=[n])
    command = ["bash", "-c", "cd /code/herb && torchrun --nnodes 2 --nproc-per-node 4 fit.py --cfg vitb.json"]
    image = "docker.io/botany/torch:2.6.0-cu124"
    pod_list(
        place,
        "pods.json",
        [
            pod(p, space, group, role, 0, node, image, command, 4, "300Gi", start + i, (end + i, 0))
            for i, (p, role, node) in enumerate(zip(pods_, ("master", "worker"), nodes, strict=True))
        ],
    )
    put(
        place,
        "README.txt",
        [
            f"PyTorchJob {group}, collected {clock(begin + 127 * 60, east, '%Y-%m-%d %H:%M')} PST. No node logs, we have no root there."
        ],
    )


def t14(place: Path, rng: Random) -> None:
    """Speechbrain on L4s: one of two nodes is gone, Slurm gives the job up for it."""
    begin = when(24, 18, 2, month=11)
    start, dead = begin + 244, begin + 338 * 60 + 21.4
    given = dead + 313
    nodes = ["lg11", "lg12"]
    first = start + 88.0
    lines = [
        "speechbrain.utils.quirks - Applied quirks (see `speechbrain.utils.quirks`): [allow_tf32, disable_jit_profiling]",
        "speechbrain.utils.quirks - Excluded quirks specified by the `SB_DISABLE_QUIRKS` environment (comma-separated list): []",
        "speechbrain.core - Beginning experiment!",
        "speechbrain.core - Experiment folder: results/conformer_small_cv_cy/7775",
        "commonvoice_prepare - results/conformer_small_cv_cy/7775/save/train.csv already exists, skipping data preparation!",
        "speechbrain.dataio.encoder - Load called, but CTCTextEncoder is not empty. Loaded data will overwrite everything. This is normal if there is e.g. an unk label defined at init.",
        "speechbrain.core - Info: precision arg from hparam file is used",
        "speechbrain.core - Gradscaler enabled: `True`",
        "speechbrain.core - Using training precision: `--precision=fp16`",
        "speechbrain.core - ASR Model Statistics:",
        "* Total Number of Trainable Parameters: 13.3M",
        "* Total Number of Parameters: 13.3M",
        "* Trainable Parameters represent 100.0000% of the total size.",
        "speechbrain.utils.checkpoints - Would load a checkpoint here, but none found yet.",
    ]
    total, valid = 1184, 61
    saves: list[tuple[float, float]] = []
    t, epoch = first, 0
    pace = 0.842
    summary: list[str] = []
    kept: list[str] = []
    while t < dead:
        epoch += 1
        lines.append(f"speechbrain.utils.epoch_loop - Going into epoch {epoch}")
        low, frames = t, [f"  0%|          | 0/{total} [00:00<?, ?it/s]"]
        loss = 0.0
        for i in range(1, total + 1):
            t += pace * rng.gauss(1, 0.04)
            if t > dead:
                break
            if i % 24 == 0 or i == total:
                loss = 27 + 260 / (1 + 0.0021 * ((epoch - 1) * total + i * 0.55)) ** 0.95
                frames.append(
                    f"{100 * i // total:3d}%|{bar(i, total)}| {i}/{total} [{hms(t - low)}<{hms((total - i) * pace)}, {1 / pace * rng.gauss(1, 0.05):5.2f}it/s, train_loss={loss:.1f}]"
                )
        lines.append("\r".join(frames))
        if t > dead:
            break
        low, frames = t, [f"  0%|          | 0/{valid} [00:00<?, ?it/s]"]
        for i in range(1, valid + 1):
            t += 0.71 * rng.gauss(1, 0.05)
            if i % 8 == 0 or i == valid:
                frames.append(
                    f"{100 * i // valid:3d}%|{bar(i, valid)}| {i}/{valid} [{hms(t - low)}<{hms((valid - i) * 0.71)}, {1 / 0.71 * rng.gauss(1, 0.05):5.2f}it/s]"
                )
        lines.append("\r".join(frames))
        rate = 8e-4 * min(1.0, epoch * total / 15000)
        wer = f", valid WER: {18 + 74 * math.exp(-epoch / 9):.2f}" if epoch % 5 == 0 else ""
        said = f"epoch: {epoch}, lr: {rate:.2e}, steps: {epoch * total}, optimizer: Adam - train loss: {loss:.2f} - valid loss: {loss * 0.83 + rng.gauss(0, 0.6):.2f}, valid ACC: {0.94 - 0.72 * math.exp(-epoch / 6):.2e}{wer}"
        lines.append(f"speechbrain.utils.train_logger - {said}")
        summary.append(said)
        stamp = clock(t + 1.3, 0, "%Y-%m-%d+%H-%M-%S")
        lines.append(
            f"speechbrain.utils.checkpoints - Saved an end-of-epoch checkpoint in results/conformer_small_cv_cy/7775/save/CKPT+{stamp}+00"
        )
        kept.append(f"results/conformer_small_cv_cy/7775/save/CKPT+{stamp}+00")
        if len(kept) > 10:
            lines.append(f"speechbrain.utils.checkpoints - Deleted checkpoint in {kept.pop(0)}")
        saves.append((low, t))
        t += 3.4
    zulu = clock(given, 0, ISO)
    stamp = clock(given + 1, 0, "%m%d %H:%M:%S")
    lines += [
        "srun: error: Node failure on lg12",
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 51290.0 ON lg11 CANCELLED AT {zulu} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"slurmstepd: error: *** JOB 51290 ON lg11 CANCELLED AT {zulu} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"W{stamp}.104000 40112 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers",
        *(
            f"W{stamp}.10{5 + i}000 40112 torch/distributed/elastic/multiprocessing/api.py:900] Sending process {40188 + i} closing signal SIGTERM"
            for i in range(4)
        ),
    ]
    put(place, "slurm-51290.out", lines)
    put(place, "results/train_log.txt", summary)

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 14 or at > given + 3:
            return FREE
        if at < first:
            return held(610)
        if at > dead:
            return spin(18890 + 31 * gpu)
        if any(low <= at < high for low, high in saves):
            return shake(Work(0.72, 0.45, 0.2, 0.4, 18890 + 31 * gpu, 120, 60), f"v{node}{gpu}{at}")
        return shake(Work(0.98, 0.9, 0.5, 0.83, 18890 + 31 * gpu, 900, 870), f"{node}{gpu}{at}", 0.96, 1.03)

    def alter(node: int, _g: int, at: float, one: Row) -> Row | None:
        return None if node == 1 and at > dead else one

    hall = Hall("L4", nodes, 4, work, begin, begin + 364 * 60, 15, 2514, alter)
    for n, host in enumerate(nodes):
        dmon(place, f"dmon_{host}.log", hall, n, 0, ISO)
    span = (start - 14, start, given + 2)
    own = (start, start, given + 2)
    sacct(
        place,
        "sacct.txt",
        [
            job("51290", "cv-cy-conf", "l4", "NODE_FAIL", "1:0", span, 0, "2-00:00:00", (2, "lg[11-12]")),
            job("51290.batch", "batch", "", "CANCELLED", "0:15", own, 0, "", (1, "lg11")),
            job("51290.extern", "extern", "", "COMPLETED", "0:0", own, 0, "", (2, "lg[11-12]")),
            job(
                "51290.0",
                "torchrun",
                "",
                "NODE_FAIL",
                "1:0",
                (start + 3, start + 3, given + 2),
                0,
                "",
                (2, "lg[11-12]"),
            ),
        ],
        bars=False,
    )
    put(
        place,
        "sinfo-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {clock(given, 0, ISO)} lg12",
        ],
    )
    quiet(place, "dmesg_lg11.txt", rng, hall, 0, "dmesg -T", 0)


def t15(place: Path, rng: Random) -> None:
    """DeepSpeed over three nodes whose NCCL found no InfiniBand: the reduction takes most of each step. Still running."""
    begin = when(26, 8, 14, month=11)
    start = begin + 71
    end = begin + 17 * 60
    nodes = ["b200-r1-n3", "b200-r1-n4", "b200-r2-n1"]
    group, space = "instruct-9b-devops", "assist"
    pods_ = [f"{group}-master-0", f"{group}-worker-0", f"{group}-worker-1"]
    first = start + 212.0
    boxes: list[list[str]] = [[], [], []]
    for n, box in enumerate(boxes):
        comms = [0x55D0C0000000 + (rng.getrandbits(24) << 4) for _ in range(4)]
        box += [
            "ERROR: ld.so: object 'libjemalloc.so.2' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored."
        ]
        stamp = clock(start + 4 + n, 0, "%m%d %H:%M:%S")
        box += [
            f"W{stamp}.{218 + n}000 1 torch/distributed/run.py:774] ",
            f"W{stamp}.{218 + n}000 1 torch/distributed/run.py:774] *****************************************",
            f"W{stamp}.{218 + n}000 1 torch/distributed/run.py:774] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
            f"W{stamp}.{218 + n}000 1 torch/distributed/run.py:774] *****************************************",
        ]
        for g in range(4):
            box.append(
                f"[{milli(start + 19 + 0.1 * g, 0)}] [INFO] [real_accelerator.py:260:get_accelerator] Setting ds_accelerator to cuda (auto detect)"
            )
        for g in range(4):
            box.append(f"[{milli(start + 24 + 0.1 * g, 0)}] [INFO] [comm.py:821:init_distributed] cdb=None")
        if n == 0:
            box.append(
                f"[{milli(start + 24.6, 0)}] [INFO] [comm.py:852:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl"
            )
        for g in range(4):
            pre = f"{pods_[n]}:{112 + g}:{112 + g} [{g}] NCCL INFO"
            box += [
                f"{pre} NCCL_SOCKET_IFNAME set by environment to eth0",
                f"{pre} Bootstrap: Using eth0:10.233.{71 + n}.{18 + n}<0>",
                f"{pre} cudaDriverVersion 12090",
                f"{pre} NCCL version 2.26.2+cuda12.8",
            ]
            pre = f"{pods_[n]}:{112 + g}:{488 + g} [{g}] NCCL INFO"
            box += [
                f"{pre} NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
                f"{pre} NET/IB : No device found.",
                f"{pre} NET/Socket : Using [0]eth0:10.233.{71 + n}.{18 + n}<0>",
                f"{pre} Using network Socket",
                f"{pre} ncclCommInitRankConfig comm 0x{comms[g]:x} rank {4 * n + g} nranks 12 cudaDev {g} nvmlDev {g} busId {(0x18, 0x2A, 0x3A, 0x5D)[g]:x}000 commId 0x7d3b10c28a94e1f6 - Init START",
            ]
        for g in range(4):
            pre = f"{pods_[n]}:{112 + g}:{488 + g} [{g}] NCCL INFO"
            for c in range(2):
                if g == 0:
                    box.append(
                        f"{pre} Channel 0{c}/0 : {(4 * n + 11) % 12}[3] -> {4 * n}[0] [receive] via NET/Socket/0"
                    )
                elif g == 3:
                    box.append(
                        f"{pre} Channel 0{c}/0 : {4 * n + 3}[3] -> {(4 * n + 4) % 12}[0] [send] via NET/Socket/0"
                    )
                if g < 3:
                    box.append(f"{pre} Channel 0{c}/0 : {4 * n + g}[{g}] -> {4 * n + g + 1}[{g + 1}] via P2P/CUMEM")
            box.append(f"{pre} Connected all rings, use ring PXN 0 GDR 0")
            box.append(
                f"{pre} ncclCommInitRankConfig comm 0x{comms[g]:x} rank {4 * n + g} nranks 12 cudaDev {g} nvmlDev {g} busId {(0x18, 0x2A, 0x3A, 0x5D)[g]:x}000 commId 0x7d3b10c28a94e1f6 - Init COMPLETE"
            )
    master = boxes[0]
    master += [
        "mixture:",
        "  /data/mix/kernel_panic_threads.jsonl        118,204 conversations",
        "  /data/mix/oom_killer_qa.jsonl                64,911 conversations",
        "  /data/mix/segfault_stackexchange.jsonl      240,077 conversations",
        "  /data/mix/nccl_timeout_incidents.jsonl        9,318 conversations",
        "  /data/mix/raid_disk_failure_howto.jsonl      31,540 conversations",
        'first sample: <|user|>My pod says "Killed" and dmesg has "Out of memory: Killed process 4121 (java)". Is the node dying?<|assistant|>No. The kernel ran out of memory and',
        "/opt/venv/lib/python3.12/site-packages/transformers/modeling_utils.py:1412: UserWarning: flash_attn is not installed, falling back to sdpa",
    ]
    t = start + 150.0
    for said in (
        "[INFO] [logging.py:107:log_dist] [Rank 0] DeepSpeed info: version=0.17.2, git-hash=unknown, git-branch=unknown",
        "[INFO] [engine.py:1339:_configure_distributed_model] ********** distributed groups summary **********",
        "[INFO] [logging.py:107:log_dist] [Rank 0] DeepSpeed Flops Profiler Enabled: False",
        "[INFO] [logging.py:107:log_dist] [Rank 0] Using client Optimizer as basic optimizer",
        "[INFO] [logging.py:107:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer",
        "[INFO] [stage_1_and_2.py:151:__init__] Reduce bucket size 500000000",
        "[INFO] [stage_1_and_2.py:152:__init__] Allgather bucket size 500000000",
        "[INFO] [stage_1_and_2.py:153:__init__] CPU Offload: False",
        "[INFO] [stage_1_and_2.py:154:__init__] Round robin gradient partitioning: False",
    ):
        t += rng.uniform(0.2, 6.0)
        master.append(f"[{milli(t, 0)}] {said}")
    master += [
        f"[{milli(first - 3.1, 0)}] [INFO] [utils.py:781:see_memory_usage] After initializing ZeRO optimizer",
        f"[{milli(first - 3.1, 0)}] [INFO] [utils.py:782:see_memory_usage] MA 26.31 GB         Max_MA 27.78 GB         CA 27.91 GB         Max_CA 28 GB ",
        f"[{milli(first - 3.0, 0)}] [INFO] [utils.py:789:see_memory_usage] CPU Virtual Memory:  used = 188.42 GB, percent = 9.4%",
        f"[{milli(first - 2.2, 0)}] [INFO] [config.py:1014:print]   gradient_accumulation_steps .. 1",
        f"[{milli(first - 2.2, 0)}] [INFO] [config.py:1014:print]   train_batch_size ............. 48",
        f"[{milli(first - 2.2, 0)}] [INFO] [config.py:1014:print]   train_micro_batch_size_per_gpu  4",
        f"[{milli(first - 2.2, 0)}] [INFO] [config.py:1014:print]   wall_clock_breakdown ......... True",
        "start: 2,410 steps, 1 epoch",
    ]
    spans: list[tuple[float, float, float]] = []
    t, s = first, 0
    while True:
        fwd, inner = 402 * rng.gauss(1, 0.02), 861 * rng.gauss(1, 0.015)
        red, opt = 10480 * rng.gauss(1, 0.02), 4930 * rng.gauss(1, 0.02)
        whole = (fwd + inner + red + opt) / 1000 + 0.05
        if t + whole > end - 4:
            break
        spans.append((t, t + (fwd + inner) / 1000, t + whole))
        t += whole
        s += 1
        loss = learn(rng, s, 1.86, 0.92, 26, 0.02)
        if s % 5 == 0:
            master.append(
                f"[{milli(t - 0.012, 0)}] [INFO] [logging.py:107:log_dist] [Rank 0] step={s}, skipped=0, lr=[{2e-5 * min(1, s / 72):.6e}], mom=[[0.9, 0.95]]"
            )
            master.append(
                f"[{milli(t - 0.011, 0)}] [INFO] [timer.py:264:stop] epoch=0/micro_step={s}/global_step={s}, RunningAvgSamplesPerSec={48 / 16.73 * rng.gauss(1, 0.002):.12f}, CurrSamplesPerSec={48 / whole:.12f}, MemAllocated=27.55GB, MaxMemAllocated=104.81GB"
            )
        master.append(
            f"[{milli(t - 0.01, 0)}] [INFO] [logging.py:107:log_dist] [Rank 0] time (ms) | fwd_microstep: {fwd:.2f} | bwd_microstep: {inner + red + 0.4:.2f} | bwd_inner_microstep: {inner:.2f} | bwd_allreduce_microstep: {red:.2f} | step_microstep: {opt:.2f}"
        )
        master.append(
            f"[{milli(t - 0.009, 0)}] [INFO] [logging.py:107:log_dist] [Rank 0] time (ms) | fwd: {fwd:.2f} | bwd: {inner + red + 0.4:.2f} | bwd_inner: {inner:.2f} | bwd_allreduce: {red:.2f} | step: {opt:.2f}"
        )
        master.append(f"step {s}/2410 loss {loss:.4f} {48 * 4096 / whole:,.0f} tok/s")
    for n, box in enumerate(boxes):
        put(place, f"logs/{pods_[n]}.log", box)

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 17:
            return FREE
        if at < start + 100:
            return held(1410)
        if at < first - 14:
            return held(28950)
        if at < first:
            return Work(0.2, 0.05, 0, 0.05, 31200)
        busy = 0.08 + 0.04 * Random(f"{node}{gpu}{at}").random()
        return Work(0.992, 0.05 + 0.8 * busy, 0.5 * busy, 0.02 + 0.5 * busy, 116840 + 130 * gpu)

    hall = Hall("B200", nodes, 4, work, begin, end, 15, 2515)
    for n, host in enumerate(nodes):
        kube_matrix(place, f"dcgm/{host}.json", hall, space, pods_, [(start, 9e9)] * 3, only=[n], keep=coarse)
        still(place, f"dmesg/{host}.txt", rng, hall, n, "dmesg -T", 0, flavour="noble")
    image = "ghcr.io/assist-lab/ds-train:0.17.2"
    command = [
        "torchrun",
        "--nnodes=3",
        "--nproc-per-node=4",
        "sft.py",
        "--deepspeed",
        "ds_z2.json",
        "--mix",
        "/data/mix",
    ]
    pod_list(
        place,
        "pods.json",
        [
            pod(
                p,
                space,
                group,
                "worker" if i else "master",
                max(0, i - 1),
                node,
                image,
                command,
                4,
                "900Gi",
                start + i,
                None,
            )
            for i, (p, node) in enumerate(zip(pods_, nodes, strict=True))
        ],
    )


def t16(place: Path, rng: Random) -> None:
    """Megatron Bridge: a pretraining whose plan ends after thirty iterations, in the middle of its warm-up."""
    east = -480
    begin = when(27, 22, 31, month=11)
    start = begin + 64
    nodes = ["lab-a1", "lab-a2", "lab-a3", "lab-a4"]
    lines: list[str] = []
    built, first = start + 171.0, start + 338.0
    day = "%Y-%m-%d %H:%M:%S"
    lines += [
        "pyxis: importing docker image: nvcr.io/nvidia/nemo:25.09",
        "pyxis: imported docker image: nvcr.io/nvidia/nemo:25.09",
        "------- Task Configuration -------",
        "_target_: megatron.bridge.training.config.ConfigContainer",
        "checkpoint:",
        "  _target_: megatron.bridge.training.config.CheckpointConfig",
        "  async_save: false",
        "  ckpt_format: torch_dist",
        "  load: /scratch/emorales/llama32-1b-es/ckpt",
        "  save: /scratch/emorales/llama32-1b-es/ckpt",
        "  save_interval: 1000",
        "dataset:",
        "  _target_: megatron.bridge.training.config.GPTDatasetConfig",
        "  random_seed: 1234",
        "  sequence_length: 4096",
        "  split: 9999,8,2",
        "logger:",
        "  log_interval: 5",
        "model:",
        "  _target_: megatron.bridge.models.llama.Llama32ModelProvider1B",
        "  num_layers: 16",
        "  pipeline_model_parallel_size: 1",
        "  tensor_model_parallel_size: 2",
        "optimizer:",
        "  lr: 0.0003",
        "  min_lr: 3.0e-05",
        "scheduler:",
        "  lr_decay_iters: 40000",
        "  lr_decay_style: cosine",
        "  lr_warmup_iters: 2000",
        "train:",
        "  eval_interval: 500",
        "  eval_iters: 8",
        "  global_batch_size: 128",
        "  micro_batch_size: 1",
        "  train_iters: 30",
        "----------------------------------",
        "INFO:megatron.bridge.training.initialize:Initializing torch distributed with backend nccl, world size 8",
        "> initialized tensor model parallel with size 2",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        f"time to initialize megatron (seconds): {built - start - 41:.3f}",
        f"[after megatron is initialized] datetime: {clock(built - 20, east, day)} ",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 617924608",
        " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 617924608",
        "WARNING: could not find the metadata file /scratch/emorales/llama32-1b-es/ckpt/latest_train_state.pt",
        "    will not load any checkpoints and will start from random",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {clock(built, east, day)} ",
        "> building train, validation, and test datasets ...",
        " > datasets target sizes (minimum size):",
        "    train:      3840",
        "    validation: 1024",
        "    test:       1024",
        "INFO:megatron.core.datasets.blended_megatron_dataset_config:Let split_matrix = [(0, 0.9990008992), (0.9990008992, 0.9998001799), (0.9998001799, 1.0)]",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {clock(first - 3, east, day)} ",
        "done with setup ...",
        "(min, max) time across ranks (ms):\n    model-and-optimizer-setup ......................: (19611.04, 19702.88)\n    train/valid/test-data-iterators-setup ..........: (163820.31, 164077.15)",
        "training ...",
        "Setting rerun_state_machine.current_iteration to 0...",
        f"[before the start of training step] datetime: {clock(first, east, day)} ",
    ]
    t, seen = first, []
    for i in range(1, 31):
        took = 13.42 * rng.gauss(1, 0.008) + (9.1 if i == 1 else 0)
        t += took
        seen.append(took)
        if i == 2:
            lines.append(
                "Number of parameters in transformer block in billions:  0.97\nNumber of parameters in embedding layers in billions: 0.26\nTotal number of parameters in billions: 1.24"
            )
        if i % 5 == 0:
            ms = 1000 * sum(seen) / len(seen)
            seen = []
            loss = 11.92 - 0.0007 * i * i + rng.gauss(0, 0.01)
            lines.append(
                f"Step Time : {ms / 1000:.2f}s GPU utilization: {128 * 4096 * 8.6e9 / 8 / ms * 1000 / 1e12:.1f}MODEL_TFLOP/s/GPU"
            )
            lines.append(
                f" [{clock(t, east, day)}.{rng.randrange(10**6):06d}] iteration {i:8d}/{30:8d} | consumed samples: {128 * i:12d} | elapsed time per iteration (ms): {ms:.1f} |"
                f" learning rate: {3e-4 * i / 2000:.6E} | global batch size: {128:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {34.2 - 0.31 * i + rng.gauss(0, 0.5):.3f} |"
                " number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    trained = t
    saved = trained + 43.0
    lines += [
        f"[after training is done] datetime: {clock(trained, east, day)} ",
        "saving checkpoint at iteration      30 to /scratch/emorales/llama32-1b-es/ckpt in torch_dist format",
        "  successfully saved checkpoint from iteration      30 to /scratch/emorales/llama32-1b-es/ckpt [ t 1/2, p 1/1 ]",
    ]
    tested = saved + 38.0
    for word in ("validation", "test"):
        loss = 11.304 + (0.006 if word == "test" else 0)
        said = f" {word} loss at iteration 30 on {word} set | lm loss value: {loss:.6E} | lm loss PPL: {math.exp(loss):.6E} | "
        lines += ["Evaluating on 1024 samples", *(f"Evaluating iter {i}/8" for i in range(1, 9))]
        lines += ["-" * len(said), said, "-" * len(said)]
    end = tested + 45
    put(place, "log-llama32-1b-es_7702_0.out", lines)

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 118 or at > end - 3:
            return FREE
        if at < built:
            return held(1180)
        if at < first:
            return held(12430)
        if at < trained:
            return shake(Work(0.98, 0.77, 0.42, 0.55, 43870 + 50 * gpu, 2900, 2900), f"{node}{gpu}{at}")
        if at < saved:
            return held(43870 + 50 * gpu)
        return shake(Work(0.94, 0.6, 0.36, 0.4, 43870 + 50 * gpu, 2100, 2100), f"{node}{gpu}{at}")

    hall = Hall("A6000", nodes, 2, work, begin, begin + 21 * 60, 60, 2516)
    past = begin - 3.3 * 86400
    scope = "/system.slice/docker-4f1c0b7a92ee6d05c1a7e85b1b07b0a2a4d0eac7c05d2cf18e2f3cb5d1d7e6f3.scope"
    oom = [
        (past, "jupyter-lab invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (
            past + 0.001,
            "CPU: 11 PID: 318220 Comm: jupyter-lab Tainted: P           OE     5.15.0-151-generic #161-Ubuntu",
        ),
        (past + 0.004, "memory: usage 33554432kB, limit 33554432kB, failcnt 20418"),
        (
            past + 0.006,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-4f1c0b7a92ee.scope,mems_allowed=0-1,oom_memcg={scope},task_memcg={scope},task=python3,pid=318391,uid=1047",
        ),
        (
            past + 0.007,
            "Memory cgroup out of memory: Killed process 318391 (python3) total-vm:58204116kB, anon-rss:33018820kB, file-rss:74112kB, shmem-rss:0kB, UID:1047 pgtables:69120kB oom_score_adj:0",
        ),
        (past + 1.1, "oom_reaper: reaped process 318391 (python3), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB"),
    ]
    for n, host in enumerate(nodes):
        dmon(place, f"dmon-{host}.txt", hall, n, east, "%b %d %H:%M:%S")
        still(place, f"dmesg-{host}.txt", rng, hall, n, "dmesg -T", east, oom if n == 2 else ())
