"""Incidents t07 to t12 of the twenty-first set, as the lots have them. SIMULATED."""

from __future__ import annotations

import json
import math
from random import Random
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, hms
from samples.redteam.twentieth.rig import clock, epoch, put

from .rig_incidents import (
    FREE,
    HEAD,
    Park,
    Row,
    Work,
    account,
    bare,
    calm,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    smi_csv,
    took,
    uuid_only,
)

if TYPE_CHECKING:
    from pathlib import Path

ISO = "%Y-%m-%dT%H:%M:%S"
ZULU = "%Y-%m-%dT%H:%M:%SZ"
_REPORTERS = {
    "Scheduled": "default-scheduler",
    "NodeNotReady": "node-controller",
    "TaintManagerEviction": "taint-eviction-controller",
    "PyTorchJobFailed": "pytorchjob-controller",
}


def _kind_list(items: list[dict[str, object]]) -> str:
    """What ``kubectl get ... -o json`` prints."""
    whole = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    return json.dumps(whole, indent=4) + "\n"


def t07_yolo(place: Path, rng: Random) -> None:
    """F1: a node of four loses its power in epoch 65; the others spin until the operator ends them."""
    nodes = ["gpu-w11", "gpu-w12", "gpu-w14", "gpu-w15"]
    names = ["yolo11m-master-0", "yolo11m-worker-0", "yolo11m-worker-1", "yolo11m-worker-2"]
    start = epoch("2026-11-10 01:12:30", 0)
    out = [
        f"W{clock(start + 6, 0, '%m%d %H:%M:%S')}.118000 1 torch/distributed/run.py:779] ",
        f"W{clock(start + 6, 0, '%m%d %H:%M:%S')}.118000 1 torch/distributed/run.py:779] *****************************************",
        f"W{clock(start + 6, 0, '%m%d %H:%M:%S')}.118000 1 torch/distributed/run.py:779] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        f"W{clock(start + 6, 0, '%m%d %H:%M:%S')}.118000 1 torch/distributed/run.py:779] *****************************************",
        "Ultralytics 8.3.40 🚀 Python-3.11.10 torch-2.4.1+cu124 CUDA:0 (NVIDIA L40S, 45589MiB)",
        "\x1b[34m\x1b[1mengine/trainer: \x1b[0mtask=detect, mode=train, model=yolo11m.pt, data=/data/traffic/traffic.yaml, epochs=120, time=None, patience=100, batch=1024, imgsz=640, save=True, save_period=10, cache=False, device=0,1,2,3,4,5,6,7, workers=8, project=/out, name=yolo11m, exist_ok=True, pretrained=True, optimizer=auto, verbose=True, seed=0, deterministic=False, single_cls=False, cos_lr=False, close_mosaic=10, resume=False, amp=True, fraction=1.0, save_dir=/out/yolo11m",
        "Overriding model.yaml nc=80 with nc=14",
        "YOLO11m summary: 409 layers, 20,064,222 parameters, 20,064,206 gradients, 68.3 GFLOPs",
        "Transferred 643/649 items from pretrained weights",
        "Freezing layer 'model.23.dfl.conv.weight'",
        "\x1b[34m\x1b[1mAMP: \x1b[0mrunning Automatic Mixed Precision (AMP) checks...",
        "\x1b[34m\x1b[1mAMP: \x1b[0mchecks passed ✅",
        "\x1b[34m\x1b[1mtrain: \x1b[0mScanning /data/traffic/labels/train.cache... 231904 images, 3120 backgrounds, 0 corrupt: 100%|██████████| 231904/231904 [00:00<?, ?it/s]",
        "\x1b[34m\x1b[1mval: \x1b[0mScanning /data/traffic/labels/val.cache... 9000 images, 118 backgrounds, 0 corrupt: 100%|██████████| 9000/9000 [00:00<?, ?it/s]",
        "Plotting labels to /out/yolo11m/labels.jpg... ",
        "\x1b[34m\x1b[1moptimizer:\x1b[0m 'optimizer=auto' found, ignoring 'lr0=0.01' and 'momentum=0.937' and determining best 'optimizer', 'lr0' and 'momentum' automatically... ",
        "\x1b[34m\x1b[1moptimizer:\x1b[0m SGD(lr=0.01, momentum=0.9) with parameter groups 106 weight(decay=0.0), 113 weight(decay=0.008), 112 bias(decay=0.0)",
        "Image sizes 640 train, 640 val",
        "Using 64 dataloader workers",
        "Logging results to \x1b[1m/out/yolo11m\x1b[0m",
        "Starting training for 120 epochs...",
    ]
    t = first = start + 81
    total, lost = 227, start + 96 * 60 + 11.0
    vals: list[tuple[float, float]] = []
    epoch_ = 0
    while True:
        epoch_ += 1
        dt = rng.gauss(0.352, 0.003) * total + (11 if epoch_ == 1 else 0)
        x = epoch_ * total
        box, cls, dfl = (learn(rng, x, a, b, 900, 0.006) for a, b in ((1.61, 0.98), (2.4, 0.66), (1.52, 1.07)))
        out += ["", "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size"]
        head = f"{f'{epoch_}/120':>11}{'17.9G':>11}{box:>11.4g}{cls:>11.4g}{dfl:>11.4g}{rng.randrange(150, 480):>11}{640:>11}"
        if t + dt > lost:
            done = int((lost - t) / dt * total)
            out[-1] += "".join(
                f"\r{head}: {100 * i // total:3d}%|{bar(i, total)}| {i}/{total} [{hms(i * 0.352)}<{hms((total - i) * 0.352)},  2.84it/s]"
                for i in range(0, done, 12)
            )
            break
        out.append(f"{head}: 100%|██████████| {total}/{total} [{hms(dt)}<00:00,  {total / dt:.2f}it/s]")
        t += dt
        vals.append((t, t + 8.2))
        t += 8.4
        good = 0.71 - 0.42 * (1 + x / 2600) ** -1.1
        out.append(
            f"{'Class':>22}{'Images':>11}{'Instances':>11}{'Box(P':>11}{'R':>11}{'mAP50':>11}{'mAP50-95)':>11}: 100%|██████████| 71/71 [00:08<00:00,  8.71it/s]"
        )
        cells = "".join(f"{v + rng.gauss(0, 0.003):>11.3g}" for v in (good + 0.06, good - 0.03, good, 0.68 * good))
        out.append(f"{'all':>22}{9000:>11}{61342:>11}{cells}")
    ready = lost + 47
    evict = ready + 300.6
    dead = evict + 3.1
    stamp = clock(dead, 0, "%m%d %H:%M:%S")
    out.append("")
    out.append(
        f"W{stamp}.402000 1 torch/distributed/elastic/agent/server/api.py:688] Received Signals.SIGTERM death signal, shutting down workers"
    )
    out += [
        f"W{stamp}.40{3 + i // 4}000 1 torch/distributed/elastic/multiprocessing/api.py:858] Sending process {71 + i} closing signal SIGTERM"
        for i in range(8)
    ]
    where = "/opt/conda/lib/python3.11/site-packages/torch/distributed"
    out += [
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 33, in <module>',
        "    sys.exit(load_entry_point('torch==2.4.1', 'console_scripts', 'torchrun')())",
        f'  File "{where}/run.py", line 901, in main',
        "    run(args)",
        f'  File "{where}/run.py", line 892, in run',
        "    elastic_launch(",
        f'  File "{where}/launcher/api.py", line 133, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{where}/launcher/api.py", line 255, in launch_agent',
        "    result = agent.run()",
        f'  File "{where}/elastic/agent/server/api.py", line 835, in _invoke_run',
        "    time.sleep(monitor_interval)",
        f'  File "{where}/elastic/multiprocessing/api.py", line 79, in _terminate_process_handler',
        '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)',
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15",
    ]
    put(place, "master-0.log", out)

    def work(n: int, g: int, at: float) -> Work:
        if at < start + 14 or at > dead + 2:
            return FREE
        if at < first:
            return Work(mib=2400, rx=200)
        if at > lost:
            return Work(1.0, 0.06, 0, 0.02, 31800 + 40 * g, 2, 2)
        if any(a < at < b for a, b in vals):
            return Work(0.55, 0.35, 0.12, 0.22, 31800 + 40 * g, 900, 60)
        return Work(0.98, 0.9, 0.53, 0.86 + 0.03 * (n == 1), 31800 + 40 * g, 3100, 1500)

    def alter(n: int, _g: int, at: float, row: Row) -> Row | None:
        return None if n == 2 and at > lost else row

    park = Park("L40S", nodes, 8, work, start - 90, start + 103 * 60, 15, 107, alter=alter)
    labels = bare(park, "nvidia-dcgm-exporter", namespace="gpu-operator", endpoint="gpu-metrics")
    matrix(
        place,
        "dcgm.json",
        park,
        lambda n, g: {**labels(n, g), "exported_pod": names[n], "exported_namespace": "vision"},
        form="CLOCK_THROTTLE_REASONS",
    )
    events: list[dict[str, object]] = []
    for at, kind, reason, obj, said in (
        (start, "Normal", "Scheduled", ("Pod", names[2]), f"Successfully assigned vision/{names[2]} to gpu-w14"),
        (ready, "Normal", "NodeNotReady", ("Node", "gpu-w14"), "Node gpu-w14 status is now: NodeNotReady"),
        (ready + 0.2, "Warning", "NodeNotReady", ("Pod", names[2]), "Node is not ready"),
        (evict, "Normal", "TaintManagerEviction", ("Pod", names[2]), f"Marking for deletion Pod vision/{names[2]}"),
        (
            evict + 2,
            "Normal",
            "PyTorchJobFailed",
            ("PyTorchJob", "yolo11m"),
            "PyTorchJob yolo11m is failed because 1 Worker replica(s) failed.",
        ),
        (evict + 2.6, "Normal", "Killing", ("Pod", names[0]), "Stopping container pytorch"),
        (evict + 2.7, "Normal", "Killing", ("Pod", names[1]), "Stopping container pytorch"),
        (evict + 2.7, "Normal", "Killing", ("Pod", names[3]), "Stopping container pytorch"),
    ):
        events.append(
            {
                "apiVersion": "v1",
                "count": 1,
                "firstTimestamp": clock(at, 0, ZULU),
                "involvedObject": {"kind": obj[0], "name": obj[1], "namespace": "vision"},
                "kind": "Event",
                "lastTimestamp": clock(at, 0, ZULU),
                "message": said,
                "metadata": {"name": f"{obj[1]}.{rng.getrandbits(64):016x}", "namespace": "vision"},
                "reason": reason,
                "source": {"component": _REPORTERS.get(reason, "kubelet")},
                "type": kind,
            }
        )
    put(place, "events.json", _kind_list(events))
    items: list[dict[str, object]] = []
    for host in nodes:
        up = host != "gpu-w14"
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"labels": {"nvidia.com/gpu.product": "NVIDIA-L40S"}, "name": host},
                "spec": {}
                if up
                else {
                    "taints": [
                        {
                            "effect": "NoExecute",
                            "key": "node.kubernetes.io/unreachable",
                            "timeAdded": clock(ready, 0, ZULU),
                        }
                    ]
                },
                "status": {
                    "conditions": [
                        {
                            "lastHeartbeatTime": clock(dead + 200 if up else lost - 33, 0, ZULU),
                            "lastTransitionTime": clock(start - 900000 if up else ready, 0, ZULU),
                            "message": "kubelet is posting ready status"
                            if up
                            else "Kubelet stopped posting node status.",
                            "reason": "KubeletReady" if up else "NodeStatusUnknown",
                            "status": "True" if up else "Unknown",
                            "type": "Ready",
                        }
                    ]
                },
            }
        )
    put(place, "nodes.json", _kind_list(items))
    for n, host in enumerate(nodes):
        lines = calm(Random(f"t07{n}"), start, park.of.driver, kube=True, ib=False)
        kernel(place, f"journal-{host}{'-boot-1' if n == 2 else ''}.txt", lines, "journalctl iso", 0, host)
    put(
        place,
        "gpu-w14-sel.txt",
        [
            f"   1 | {clock(lost - 4000000, 0, '%m/%d/%Y | %H:%M:%S')} | Event Logging Disabled #0x07 | Log area reset/cleared | Asserted",
            f"   2 | {clock(lost - 2, 0, '%m/%d/%Y | %H:%M:%S')} | Power Supply #0x62 | Power Supply AC lost | Asserted",
            f"   3 | {clock(lost - 2, 0, '%m/%d/%Y | %H:%M:%S')} | Power Supply #0x63 | Power Supply AC lost | Asserted",
            f"   4 | {clock(lost + 2207, 0, '%m/%d/%Y | %H:%M:%S')} | System Boot Initiated #0x84 | Initiated by power up | Asserted",
        ],
    )


def t08_oom(place: Path, rng: Random) -> None:
    """A2: the kernel kills the job's python at the cgroup's limit of memory, in step 311 of 4000."""
    east, host, job, pid = 120, "gnode17", 551203, 2210345
    start = epoch("2026-11-11 15:02:41", east)
    out = [
        f"Job {job} on {host}, {clock(start, east, '%a %b %e %H:%M:%S CEST %Y').replace('CEST', 'EET')}",
        f"{clock(start + 22, east, '%m/%d/%Y %H:%M:%S')} - WARNING - __main__ - Process rank: 0, device: cuda:0, n_gpu: 1, distributed training: False, 16-bits training: True",
        f"[INFO|configuration_utils.py:696] {milli(start + 24, east)} >> loading configuration file config.json from cache at /home/mk/.cache/huggingface/hub/models--ai-forever--mGPT/snapshots/b2d1/config.json",
        f"[INFO|modeling_utils.py:4170] {milli(start + 45, east)} >> All model checkpoint weights were used when initializing GPT2LMHeadModel.",
        f"{clock(start + 47, east, '%m/%d/%Y %H:%M:%S')} - INFO - datasets.builder - Using custom data configuration default-3f0a9d0a8d1f8d11",
        f"[INFO|trainer.py:2313] {milli(start + 61, east)} >> ***** Running training *****",
        f"[INFO|trainer.py:2314] {milli(start + 61, east)} >>   Num examples = 64,000",
        f"[INFO|trainer.py:2315] {milli(start + 61, east)} >>   Num Epochs = 1",
        f"[INFO|trainer.py:2316] {milli(start + 61, east)} >>   Instantaneous batch size per device = 8",
        f"[INFO|trainer.py:2319] {milli(start + 61, east)} >>   Total train batch size (w. parallel, distributed & accumulation) = 16",
        f"[INFO|trainer.py:2320] {milli(start + 61, east)} >>   Gradient Accumulation steps = 2",
        f"[INFO|trainer.py:2321] {milli(start + 61, east)} >>   Total optimization steps = 4,000",
        f"[INFO|trainer.py:2322] {milli(start + 61, east)} >>   Number of trainable parameters = 1,417,596,928",
    ]
    t = first = start + 62
    text = ["\r  0%|          | 0/4000 [00:00<?, ?it/s]"]
    for step in range(1, 312):
        t += rng.gauss(2.31, 0.05)
        done = t - first
        text.append(
            f"\r{100 * step // 4000:3d}%|{bar(step, 4000)}| {step}/4000 [{hms(done)}<{hms(done / step * (4000 - step))},  {rng.gauss(2.31, 0.02):.2f}s/it]"
        )
        if step % 25 == 0:
            lr = 5e-5 * (1 - step / 4000)
            text.append(
                f"\n{{'loss': {learn(rng, step, 3.61, 2.75, 40, 0.014):.4f}, 'grad_norm': {rng.gauss(1.4, 0.1):.6f}, 'learning_rate': {lr!r}, 'epoch': {step / 4000:.2f}}}\n"
            )
    out.append("".join(text))
    out[-1] += (
        f"/var/spool/slurmd/job{job:05d}/slurm_script: line 27: {pid} Killed                  python run_clm.py cfg/mgpt.json"
    )
    out.append(
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={job}.batch. Some of the step tasks have been OOM Killed."
    )
    put(place, f"slurm-{job}.out", out)
    kill = t + 1.4

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 26 or at > kill:
            return FREE
        return Work(mib=6100, rx=500) if at < first else Work(0.98, 0.85, 0.41, 0.56, 39100, 180, 90)

    park = Park("A40", [host], 1, work, start - 60, start + 15 * 60, 10, 108)
    dmon(place, "dmon.txt", park, 0, east, "%Y-%m-%dT%H:%M:%S+0200", without=("ESVTL",))
    lines = calm(Random("t08"), start, park.of.driver, ib=False)
    box = f"/slurm/uid_2041/job_{job}"
    for i, said in enumerate(
        (
            "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
            f"CPU: 21 PID: {pid} Comm: python Tainted: P           OE     5.15.0-139-generic #149-Ubuntu",
            "Hardware name: Supermicro SYS-420GP-TNR/X12DPG-OA6, BIOS 1.4b 08/23/2022",
            "Call Trace:",
            " <TASK>",
            " dump_stack_lvl+0x4a/0x63",
            " dump_header+0x53/0x228",
            " oom_kill_process.cold+0xb/0x10",
            " out_of_memory+0x106/0x2e0",
            " mem_cgroup_out_of_memory+0x13f/0x160",
            " try_charge_memcg+0x687/0x740",
            " </TASK>",
            "memory: usage 50331648kB, limit 50331648kB, failcnt 71834",
            "swap: usage 0kB, limit 9007199254740988kB, failcnt 0",
            f"Memory cgroup stats for {box}:",
            "Tasks state (memory values in pages):",
            "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
            f"[{pid - 41}]  2041 {pid - 41}     1849      811    57344        0             0 slurm_script",
            f"[{pid}]  2041 {pid} 24187610 12489113 107327488        0             0 python",
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_batch,mems_allowed=0-1,oom_memcg={box},task_memcg={box}/step_batch/task_0,task=python,pid={pid},uid=2041",
            f"Memory cgroup out of memory: Killed process {pid} (python) total-vm:96750440kB, anon-rss:49601232kB, file-rss:355220kB, shmem-rss:10240kB, UID:2041 pgtables:104812kB oom_score_adj:0",
        )
    ):
        lines.append((kill - 0.4 + 0.00012 * i, said))
    kernel(place, "dmesg-T.txt", lines, "dmesg -T", east, host)


def t09_chat(place: Path, rng: Random) -> None:
    """G1: DeepSpeed on two nodes, both epochs and the model saved; an attempt before failed at once; one node's metrics."""
    east, nodes, job = 540, ["gn21", "gn22"], 40718
    start = epoch("2026-11-12 20:15:03", east)
    east_of = {0: "gn21: ", 1: "gn22: "}

    def ds(t: float, where: str, said: str) -> str:
        return f"[{milli(t, east)}] [INFO] [{where}] {said}"

    world = "{'gn21': [0, 1], 'gn22': [0, 1]}"
    out = [
        ds(start + 6, "real_accelerator.py:219:get_accelerator", "Setting ds_accelerator to cuda (auto detect)"),
        ds(start + 8, "multinode_runner.py:81:get_cmd", "Running on the following workers: gn21,gn22"),
        ds(
            start + 8,
            "runner.py:607:main",
            "cmd = pdsh -S -f 1024 -w gn21,gn22 export PYTHONPATH=/home/sato/DeepSpeedExamples/applications/DeepSpeed-Chat/training/step1_supervised_finetuning; cd /home/sato/DeepSpeedExamples/applications/DeepSpeed-Chat/training/step1_supervised_finetuning; /home/sato/ds/bin/python -u -m deepspeed.launcher.launch --world_info=eyJnbjIxIjogWzAsIDFdLCAiZ24yMiI6IFswLCAxXX0= --node_rank=%n --master_addr=10.12.0.21 --master_port=29500 main.py --model_name_or_path /models/opt-6.7b --per_device_train_batch_size 8 --num_train_epochs 2 --zero_stage 3 --deepspeed --print_loss --output_dir ./out",
        ),
    ]
    for n in (0, 1):
        out += [
            east_of[n] + ds(start + 13 + n, "launch.py:146:main", f"WORLD INFO DICT: {world}"),
            east_of[n] + ds(start + 13 + n, "launch.py:152:main", f"nnodes=2, num_local_procs=2, node_rank={n}"),
            east_of[n] + ds(start + 13 + n, "launch.py:164:main", "dist_world_size=4"),
            east_of[n] + ds(start + 13 + n, "launch.py:168:main", "Setting CUDA_VISIBLE_DEVICES=0,1"),
        ]
    out += [
        east_of[0]
        + ds(start + 22, "comm.py:669:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl"),
        east_of[0]
        + ds(
            start + 79,
            "logging.py:107:log_dist",
            "[Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown",
        ),
        east_of[0]
        + ds(
            start + 92, "logging.py:107:log_dist", "[Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer_Stage3"
        ),
    ]
    t = start + 97.0
    out += [east_of[0] + "***** Running training *****", east_of[0] + f"***** Evaluating perplexity, Epoch 0/{2} *****"]
    evals = [(t, t + 41)]
    t += 41
    out.append(east_of[0] + "ppl: 9.731284141540527, loss: 2.275345802307129")
    per, saves = 1130, t
    for e in (0, 1):
        out.append(east_of[0] + f"Beginning of Epoch {e + 1}/2, Total Micro Batches {per}")
        for step in range(per):
            t += max(2.5, rng.gauss(3.93, 0.06))
            at = e * per + step
            base = learn(rng, at, 2.28, 1.74, 60, 0.0)
            order = list(range(4))
            rng.shuffle(order)
            for r in order:
                out.append(
                    east_of[r // 2] + f"Epoch: {e}, Step: {step}, Rank: {r}, loss = {base * rng.gauss(1, 0.035):.16g}"
                )
            if (at + 1) % 10 == 0:
                lr = 9.65e-6 * 0.5 * (1 + math.cos(math.pi * at / (2 * per)))
                out.append(
                    east_of[0]
                    + ds(
                        t,
                        "logging.py:107:log_dist",
                        f"[Rank 0] step={at + 1}, skipped=0, lr=[{lr!r}, 0.0005, {lr!r}], mom=[(0.9, 0.95), (0.9, 0.95), (0.9, 0.95)]",
                    )
                )
                out.append(
                    east_of[0]
                    + ds(
                        t,
                        "timer.py:264:stop",
                        f"epoch={e}/micro_step={step + 1}/global_step={at + 1}, RunningAvgSamplesPerSec={32 / 3.93 + rng.gauss(0, 0.003)}, CurrSamplesPerSec={32 / 3.93 * rng.gauss(1, 0.01)}, MemAllocated=27.81GB, MaxMemAllocated=63.04GB",
                    )
                )
        out.append(east_of[0] + f"***** Evaluating perplexity, Epoch {e + 1}/2 *****")
        evals.append((t, t + 41))
        t += 41.3
        loss = (1.8312, 1.7911)[e]
        out.append(east_of[0] + f"ppl: {math.exp(loss)}, loss: {loss}")
    out.append(east_of[0] + "saving the final model ...")
    saves = t
    t += 38
    for n in (0, 1):
        for r in (0, 1):
            out.append(
                east_of[n]
                + ds(t + n + 0.3 * r, "launch.py:351:main", f"Process {88120 + 700 * n + r} exits successfully.")
            )
    end = t + 5
    put(place, f"training_{job}.log", out)

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 24 or at > end - 3:
            return FREE
        if at < start + 97:
            return Work(mib=14000, rx=1200)
        if any(a < at < b for a, b in evals):
            return Work(0.94, 0.5, 0.24, 0.36, 67000, 300, 200)
        if at > saves:
            return Work(0.15, 0.02, 0, 0.05, 67000, 20, 3900)
        return Work(0.97, 0.69, 0.36, 0.45, 67000, 700, 650)

    park = Park("H100", nodes, 2, work, start - 180, end + 240, 30, 109)
    matrix(place, "prometheus.json", park, bare(park, "dcgm", partition="sft"), only=(0,))
    for n, host in enumerate(nodes):
        kernel(place, f"journal-k-{host}.txt", calm(Random(f"t09{n}"), start, park.of.driver), "journalctl", east, host)

    def line(ident: str, name: str, state: str, code: str, a: float, b: float, count: int, where: str) -> list[str]:
        queue = "sft" if "." not in ident else ""
        return [
            ident,
            name,
            queue,
            state,
            code,
            clock(a - 14, east, ISO),
            clock(a, east, ISO),
            clock(b, east, ISO),
            took(b - a),
            str(count),
            where,
        ]

    old, gone = start - 1404, start - 1404 + 47
    rows = [
        line(str(job - 3), "ds_sft", "FAILED", "1:0", old, gone, 2, "gn[21-22]"),
        line(f"{job - 3}.batch", "batch", "FAILED", "1:0", old, gone, 1, "gn21"),
        line(f"{job - 3}.extern", "extern", "COMPLETED", "0:0", old, gone, 2, "gn[21-22]"),
        line(str(job), "ds_sft", "COMPLETED", "0:0", start, end, 2, "gn[21-22]"),
        line(f"{job}.batch", "batch", "COMPLETED", "0:0", start, end, 1, "gn21"),
        line(f"{job}.extern", "extern", "COMPLETED", "0:0", start, end, 2, "gn[21-22]"),
    ]
    account(place, "sacct.txt", rows, HEAD, bars=True)


def t10_det(place: Path, rng: Random) -> None:
    """C2: the second rank waits for its files (its node lost the file server), the first waits for it until NCCL's time-out."""
    nodes = ["cn-a3-07", "cn-a3-12"]
    start = epoch("2026-11-13 03:20:10", 0)

    def mm(t: float, said: str) -> str:
        return f"{clock(t, 0, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - {said}"

    bars = "-" * 60
    out = [
        mm(
            start + 19,
            f"\n{bars}\nSystem environment:\n    sys.platform: linux\n    Python: 3.10.14 (main, May  6 2024, 19:42:50) [GCC 11.2.0]\n    CUDA available: True\n    MUSA available: False\n    numpy_random_seed: 734198221\n    GPU 0: NVIDIA H100 80GB HBM3\n    CUDA_HOME: /usr/local/cuda\n    NVCC: Cuda compilation tools, release 12.1, V12.1.105\n    PyTorch: 2.3.1+cu121\n    TorchVision: 0.18.1+cu121\n    OpenCV: 4.10.0\n    MMEngine: 0.10.5\n\nRuntime environment:\n    cudnn_benchmark: False\n    mp_cfg: {{'mp_start_method': 'fork', 'opencv_num_threads': 0}}\n    dist_cfg: {{'backend': 'nccl'}}\n    seed: 734198221\n    Distributed launcher: pytorch\n    Distributed training: True\n    GPU number: 2\n{bars}\n",
        ),
        mm(
            start + 52,
            "LR is set based on batch size of 16 and the current batch size is 16. Scaling the original LR by 1.0.",
        ),
        f'{clock(start + 66, 0, "%Y/%m/%d %H:%M:%S")} - mmengine - WARNING - "FileClient" will be deprecated in future. Please use io functions in https://mmengine.readthedocs.io/en/latest/api/fileio.html#file-io',
        mm(start + 66, "Checkpoints will be saved to /work_dirs/dino-4scale_r50_8xb2-12e_coco."),
    ]
    t = start + 67.0
    stop = start + 268.0
    it = 0
    while True:
        t += rng.gauss(0.402, 0.006) + (7 if it == 0 else 0)
        if t > stop:
            break
        it += 1
        if it % 50 == 0:
            cls, box, iou = (
                learn(rng, it, 1.1, 0.45, 900, 0.03),
                learn(rng, it, 0.72, 0.2, 700, 0.03),
                learn(rng, it, 1.3, 0.5, 800, 0.03),
            )
            whole = (cls + box + iou) * 12.8
            eta = int((12 * 7329 - it) * 0.403)
            days = f"{eta // 86400} day, " if eta >= 86400 else ""
            eta %= 86400
            out.append(
                mm(
                    t,
                    f"Epoch(train)  [1][{it:>4}/7329]  base_lr: 1.0000e-04 lr: 1.0000e-04  eta: {days}{eta // 3600}:{eta % 3600 // 60:02d}:{eta % 60:02d}  time: {0.402 + rng.gauss(0, 0.003) + (0.14 if it == 50 else 0):.4f}  data_time: {rng.uniform(0.009, 0.013):.4f}  memory: 21877  grad_norm: {rng.uniform(50, 110):.4f}  loss: {whole:.4f}  loss_cls: {cls:.4f}  loss_bbox: {box:.4f}  loss_iou: {iou:.4f}",
                )
            )
    late = stop + 600.02
    at = f"{clock(late, 0, '%m%d %H:%M:%S')}"
    seq = 71 + it * 6
    work_ = f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=6883144, NumelOut=6883144, Timeout(ms)=600000)"
    out += [
        f"[rank0]:[E{at}.731204118 ProcessGroupNCCL.cpp:563] [Rank 0] Watchdog caught collective operation timeout: {work_} ran for 600017 milliseconds before timing out.",
        f"[rank0]:[E{at}.731998201 ProcessGroupNCCL.cpp:1537] [PG 0 Rank 0] Timeout at NCCL work: {seq}, last enqueued NCCL work: {seq + 2}, last completed NCCL work: {seq - 1}.",
        f"[rank0]:[E{at}.732041870 ProcessGroupNCCL.cpp:577] [Rank 0] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"[rank0]:[E{at}.732059003 ProcessGroupNCCL.cpp:583] [Rank 0] To avoid data inconsistency, we are taking the entire process down.",
        f"[rank0]:[E{at}.744112908 ProcessGroupNCCL.cpp:1414] [PG 0 Rank 0] Process group watchdog thread terminated with exception: [Rank 0] Watchdog caught collective operation timeout: {work_} ran for 600017 milliseconds before timing out.",
        "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:565 (most recent call first):",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f1b0ad7a897 in /opt/conda/lib/python3.10/site-packages/torch/lib/libc10.so)",
        "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, 1000l> > >) + 0x1d2 (0x7f1b0c053c62 in /opt/conda/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so)",
        "frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0x1a0 (0x7f1b0c058a80 in /opt/conda/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so)",
        "",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
    ]
    die = late + 4
    stamp = clock(die, 0, "%m%d %H:%M:%S")
    out += [
        f"E{stamp}.220000 139872209336128 torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: -6) local_rank: 0 (pid: 88) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 33, in <module>',
        "    sys.exit(load_entry_point('torch==2.3.1', 'console_scripts', 'torchrun')())",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/distributed/launcher/api.py", line 263, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 56,
        "tools/train.py FAILED",
        "-" * 56,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 56,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(die, 0, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : det-dino-0",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : -6 (pid: 88)",
        "  error_file: <N/A>",
        "  traceback : Signal 6 (SIGABRT) received by PID 88",
        "=" * 56,
    ]
    put(place, "det-dino-0.log", out)
    put(
        place,
        "det-dino-1.log",
        ["loading annotations into memory...", "Done (t=14.31s)", "creating index...", "index created!"],
    )

    def work(n: int, _g: int, when: float) -> Work:
        if when < start + 24 or (n == 0 and when > die - 1):
            return FREE
        if when < start + 74:
            return Work(mib=2100)
        if when > stop - 0.5:
            return Work(1.0, 0.03, 0, 0.01, 27600, 1, 1) if n == 0 else Work(0.0, 0, 0, 0, 27600)
        return Work(0.93, 0.66, 0.24, 0.42, 27600, 900, 850)

    park = Park("H100", nodes, 1, work, start - 20, start + 15 * 60, 5, 110)
    columns = (
        "name",
        "uuid",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "memory.total",
        "power.draw",
        "clocks.current.sm",
        "temperature.gpu",
    )
    for n, host in enumerate(nodes):
        smi_csv(place, f"smi_{host}.csv", park, n, 0, columns)
        lines = calm(Random(f"t10{n}"), start, park.of.driver, kube=True, ib=False)
        if n == 1:
            lines += [
                (stop - 6.2, "mlx5_core 0000:5e:00.1 ens5f1np1: Link down"),
                (stop + 57, "nfs: server 10.40.2.11 not responding, still trying"),
                (stop + 61, "nfs: server 10.40.2.11 not responding, still trying"),
                (
                    stop + 243,
                    "INFO: task pt_data_work:3391714 blocked for more than 122 seconds.",
                ),
                (stop + 243, "      Tainted: P           OE      6.8.0-60-generic #63-Ubuntu"),
                (stop + 243, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
                (
                    stop + 243,
                    "task:pt_data_work  state:D stack:0     pid:3391714 tgid:3391714 ppid:3390020 flags:0x00000002",
                ),
                (stop + 366, "INFO: task pt_data_work:3391714 blocked for more than 245 seconds."),
            ]
        kernel(place, f"journal_{host}.txt", lines, "journalctl", 0, host)


def t11_titan(place: Path, rng: Random) -> None:
    """B2: an error of memory that ECC cannot correct ends the run in step 2700 or so; Xid 48, 63 and 94."""
    host, job, pid = "nid003117", 1284410, 611872
    start = epoch("2026-11-14 07:01:20", 0)

    def ti(t: float, said: str) -> str:
        return f"[rank0]:[titan] {milli(t, 0)} - root - INFO - {said}"

    t = start + 17
    out = [
        ti(t, "Starting job: Llama 3 1B, fineweb-edu 10BT"),
        ti(t + 1, "Building 0-D device mesh with [], []"),
        ti(t + 1.1, "[GC] Initial GC collection took 0.00 seconds"),
        ti(t + 3, "Loading tokenizer from tokenizer.json"),
        ti(
            t + 9,
            "Building llama3 1B with TransformerModelArgs(_enforced='This field is used to enforce all fields have defaults.', dim=2048, n_layers=16, n_heads=32, n_kv_heads=8, vocab_size=128256)",
        ),
        ti(t + 10, "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB memory"),
        ti(t + 10.4, "\x1b[34mModel llama3 1B \x1b[31msize: 1,498,482,688 total parameters\x1b[39m"),
        ti(t + 10.6, "Applied selective activation checkpointing to the model"),
        ti(t + 10.8, "Compiling each TransformerBlock with torch.compile"),
        ti(t + 12.0, "Peak FLOPS used for computing MFU: 9.890e+14"),
        ti(t + 12.1, "CUDA memory usage for model: 5.60GiB(7.08%)"),
        ti(t + 12.4, "Training starts at step 1"),
    ]
    first = t = t + 13.0
    fail = start + 108 * 60 + 37.0
    step, last, compiled = 0, first, 0.0
    while True:
        t += rng.gauss(2.352, 0.012) + (38 if step == 0 else 0)
        if t > fail:
            break
        step += 1
        compiled = compiled or t
        if step % 10 == 0 or step == 1:
            tps = 65536 * (1 if step == 1 else 10) / (t - last)
            last = t
            loss = learn(rng, step, 12.2, 2.62, 55, 0.01)
            grad = max(0.3, 2.2 * (1 + step / 120) ** -0.7 + rng.gauss(0.28, 0.02))
            out.append(
                ti(
                    t,
                    f"\x1b[31mstep: {step:2}  \x1b[32mloss: {loss:7.4f}  \x1b[38;2;180;60;0mgrad_norm: {grad:7.4f}  \x1b[38;2;54;234;195mmemory: 61.37GiB(77.58%)  \x1b[34mtps: {round(tps):,}  \x1b[36mtflops: {tps * 1.089e-2:,.2f}  \x1b[35mmfu: {tps * 1.089e-2 / 9.89:.2f}%\x1b[39m",
                )
            )
        if step % 1000 == 0:
            out.append(ti(t, "Saving the checkpoint (or staging if async is enabled)."))
            t += 7.1
            out.append(ti(t, "[GC] GC collection invoked by checkpointer. took 0.02 seconds"))
            out.append(ti(t, "Finished saving the checkpoint (or staging if async is enabled)in 7.11 seconds."))
            last = t
    where = "/users/hal/torchtitan/torchtitan"
    out += [
        f"[rank0]:[rank0]: {one}"
        for one in (
            "Traceback (most recent call last):",
            f'  File "{where}/train.py", line 636, in <module>',
            "    trainer.train()",
            '  File "/users/hal/env/lib/python3.12/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 357, in wrapper',
            "    return f(*args, **kwargs)",
            f'  File "{where}/train.py", line 556, in train',
            "    self.train_step(data_iterator)",
            f'  File "{where}/train.py", line 493, in train_step',
            "    global_avg_loss = loss.detach().item()",
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        )
    ]
    end = fail + 9
    when = clock(fail + 7, 0, "%m%d %H:%M:%S")
    out += [
        f"E{when}.417000 {pid - 61} torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 0 (pid: {pid}) of binary: /users/hal/env/bin/python3.12",
        "Traceback (most recent call last):",
        '  File "/users/hal/env/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/users/hal/env/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "torchtitan.train FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(fail + 1, 0, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        "  rank      : 0 (local_rank: 0)",
        f"  exitcode  : 1 (pid: {pid})",
        "  error_file: /tmp/torchelastic_k2x8w1ru/none_5d1m0v3q/attempt_0/0/error.json",
        "  traceback : Traceback (most recent call last):",
        f'    File "{where}/train.py", line 493, in train_step',
        "      global_avg_loss = loss.detach().item()",
        "  RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "=" * 60,
    ]
    out += [f"srun: error: {host}: task 0: Exited with exit code 1", f"srun: Terminating StepId={job}.0"]
    put(place, f"logs/titan-{job}.out", out)

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 28 or at > fail + 6:
            return FREE
        if at < compiled - 3:
            return Work(0.02, 0.01, 0, 0, 8200)
        return Work(0.99, 0.84, 0.41, 0.47, 64800, 60, 50) if at < fail else Work(0, 0, 0, 0, 64800)

    def alter(_n: int, _g: int, at: float, row: Row) -> Row:
        if at >= fail - 0.4:
            row["ECC_DBE_VOL_TOTAL"] = 1
        return row

    park = Park("H100", [host], 1, work, start - 200, start + 115 * 60, 15, 111, alter=alter)
    columns = (
        "index",
        "uuid",
        "pci.bus_id",
        "pstate",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "power.draw",
        "power.limit",
        "clocks.current.sm",
        "clocks_event_reasons.active",
        "ecc.errors.corrected.volatile.total",
        "ecc.errors.uncorrected.volatile.total",
    )
    smi_csv(place, "nvidia-smi.csv", park, 0, 0, columns)
    lines = calm(Random("t11"), start, park.of.driver)
    xid = "NVRM: Xid (PCI:0000:18:00):"
    lines += [
        (
            fail - 0.31,
            f"{xid} 48, pid={pid}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 3, subpartition 1.",
        ),
        (
            fail - 0.30,
            f"{xid} 63, pid={pid}, name=python, Row Remapper: New row (0x0000000009d0ba1f) marked for remapping, reset gpu to activate.",
        ),
        (fail - 0.22, f"{xid} 94, pid={pid}, name=python, Contained: SM (0x1). RST: No, D-RST: No"),
        (fail - 0.21, f"{xid} 94, pid={pid}, name=python, Ch 00000008"),
    ]
    kernel(place, "journal.txt", lines, "journalctl iso", 0, host)
    cells = [
        "FAILED",
        "1:0",
        clock(start - 3, 0, ISO),
        clock(start, 0, ISO),
        clock(end, 0, ISO),
        took(end - start),
        "1",
        host,
    ]
    account(place, "sacct.txt", [[str(job), "titan-1b", "h100", *cells]], HEAD, bars=True)


def t12_vit(place: Path, rng: Random) -> None:
    """G1: timm on eight B200, all 36 epochs; an attempt before died at once."""
    east, host, job = 540, "b200-02", 7711
    start = epoch("2026-11-15 13:05:44", east)
    out = [
        f"Training in distributed mode with multiple processes, 1 device per process.Process {r}, total 8, device cuda:{r}."
        for r in range(8)
    ]
    out += [
        "Model vit_base_patch16_224 created, param count:86567656",
        "Data processing configuration for current model + dataset:",
        "\tinput_size: (3, 224, 224)",
        "\tinterpolation: bicubic",
        "\tmean: (0.5, 0.5, 0.5)",
        "\tstd: (0.5, 0.5, 0.5)",
        "\tcrop_pct: 0.9",
        "\tcrop_mode: center",
        "Created AdamW (adamw) optimizer: lr: 0.001, betas: (0.9, 0.95), eps: 1e-08, weight_decay: 0.1, amsgrad: False, foreach: None, maximize: False, capturable: False",
        "Using native Torch AMP. Training in mixed precision.",
        "Using native Torch DistributedDataParallel.",
        "Scheduled epochs: 36. LR stepped per update.",
    ]
    t = start + 74.0
    first, per, vals, best, best_at, kept = t, 312, [], 0.0, 0, []
    for e in range(36):
        total_t = total_d = total_l = 0.0
        for i in range(per):
            data = abs(rng.gauss(0.008, 0.003)) + (5.8 if i == 0 else 0)
            dt = rng.gauss(0.531, 0.006) + data + (9 if i == 0 and e == 0 else 0)
            t += dt
            at = e * per + i
            lr = 1e-3 * (at / 1560 if at < 1560 else 0.5 * (1 + math.cos(math.pi * (at - 1560) / (36 * per - 1560))))
            loss = learn(rng, at, 6.95, 1.55, 1900, 0.02)
            total_t, total_d, total_l = total_t + dt, total_d + data, total_l + loss
            if i % 50 == 0 or i == per - 1:
                k = i + 1
                out.append(
                    f"Train: {e} [{i:>4d}/{per} ({100 * k / per:>3.0f}%)]  Loss: {loss:#.3g} ({total_l / k:#.3g})  Time: {dt:.3f}s, {4096 / dt:>7.2f}/s  ({total_t / k:.3f}s, {4096 * k / total_t:>7.2f}/s)  LR: {lr:.3e}  Data: {data:.3f} ({total_d / k:.3f})"
                )
        top1 = 79.1 - 78 * (1 + (e + 1) / 5.5) ** -1.9 + rng.gauss(0, 0.18)
        loss = 0.9 + 6 * (1 + (e + 1) / 4) ** -1.7
        begin = t
        for i in (0, 12):
            top5 = min(99, top1 + (100 - top1) * 0.72)
            took_ = rng.uniform(2.1, 2.6) if i == 0 else rng.uniform(0.1, 0.4)
            spread = rng.gauss(0, 2) if i == 0 else 0
            out.append(
                f"Test: [{i:>4d}/12]  Time: {took_:.3f} ({took_ if i == 0 else 0.41:.3f})  Loss:  {loss - spread / 40:>6.3f} ({loss:>6.3f})  Acc@1: {top1 + spread:>7.3f} ({top1:>7.3f})  Acc@5: {top5:>7.3f} ({top5:>7.3f})"
            )
        t += 5.3
        vals.append((begin, t))
        kept = sorted([*kept, (top1, e)], reverse=True)[:4]
        if top1 > best:
            best, best_at = top1, e
        out.append("Current checkpoints:")
        out += [
            f" ('./output/train/20261115-130601-vit_base_patch16_224-224/checkpoint-{k}.pth.tar', {v})" for v, k in kept
        ]
        out.append("")
        t += 1.9
    out.append(f"*** Best metric: {best} (epoch {best_at})")
    end = t + 6
    put(place, f"{job}.out", out)

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 20 or at > end - 2:
            return FREE
        if at < first + 12:
            return Work(mib=4300)
        if any(a < at < b for a, b in vals):
            return Work(0.6, 0.4, 0.15, 0.2, 98700)
        return Work(0.97, 0.77, 0.4, 0.49, 98700)

    park = Park("B200", [host], 8, work, start - 150, end + 200, 15, 112)
    matrix(
        place,
        "dcgm_by_uuid.json",
        park,
        uuid_only(park, "dcgm-exporter"),
        keep=lambda f: f[:5] not in ("GR_EN", "SM_AC", "PIPE_", "DRAM_", "PCIE_"),
    )
    put(place, "nvidia-smi-L.txt", park.listing(0))
    kernel(place, "dmesg.txt", calm(Random("t12"), start, park.of.driver), "dmesg -T", east, host)
    rows = []
    for ident, state, code, a, b in (
        (job - 1, "FAILED", "2:0", start - 391, start - 372),
        (job, "COMPLETED", "0:0", start, end),
    ):
        rows.append(
            [
                str(ident),
                "vit-b",
                "b200",
                state,
                code,
                clock(a - 2, east, ISO),
                clock(a, east, ISO),
                clock(b, east, ISO),
                took(b - a),
                "1",
                host,
            ]
        )
    account(place, "sacct.txt", rows, HEAD, bars=False)
