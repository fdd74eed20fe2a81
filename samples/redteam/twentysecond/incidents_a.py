"""The incidents t01 to t06 of the twenty-second set. SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, epoch, put
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    Row,
    Work,
    account,
    calm,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    smi_exporter,
    took,
)

from .yard_incidents import Yard, dmesg_iso, in_pods, plain, victoria, xid31

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ISO = "%Y-%m-%dT%H:%M:%S"
SPIN = Work(0.997, 0.031, 0.0, 0.012, 33100)


def t01_one_network_between_them(place: Path, rng: Random) -> None:
    """C1: two of three nodes cannot reach the master's port; Lightning's store times out after ninety minutes."""
    t0 = epoch("2026-10-20T06:41:12", 0)
    nodes = ["hgx-a11", "hgx-a12", "hgx-b03"]
    out = t0 + 31.4 + 5400

    def work(n: int, g: int, t: float) -> Work:
        if n == 1 and t < t0 - 190:
            return Work(0.99, 0.95, 0.74, 0.66, 71840, 900, 800)
        return FREE

    park = Yard("H100", nodes, 4, work, t0 - 900, t0 + 5790, 15, 101)
    smi_exporter(place, "prom_nvidia_smi.json", park)
    put(
        place,
        "scontrol_show_job.txt",
        [
            "JobId=71904 JobName=seg3d-ddp",
            "   UserId=mhartl(31207) GroupId=radio(3100) MCS_label=N/A",
            "   Priority=20317 Nice=0 Account=radio QOS=normal",
            "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
            f"   RunTime={took(out + 9 - t0)} TimeLimit=1-00:00:00 TimeMin=N/A",
            f"   SubmitTime={clock(t0 - 4210, 0, ISO)} EligibleTime={clock(t0 - 4210, 0, ISO)}",
            f"   AccrueTime={clock(t0 - 4210, 0, ISO)}",
            f"   StartTime={clock(t0, 0, ISO)} EndTime={clock(out + 9, 0, ISO)} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={clock(t0, 0, ISO)} Scheduler=Backfill",
            "   Partition=hgx AllocNode:Sid=login2:118832",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList=hgx-a[11-12],hgx-b03",
            "   BatchHost=hgx-a11",
            "   NumNodes=3 NumCPUs=288 NumTasks=12 CPUs/Task=24 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=288,mem=1200G,node=3,billing=288,gres/gpu=12",
            "   AllocTRES=cpu=288,mem=1200G,node=3,billing=288,gres/gpu=12",
            "   Socks/Node=* NtasksPerN:B:S:C=4:0:*:* CoreSpec=*",
            "   Command=/home/mhartl/seg3d/jobs/ddp12.sbatch",
            "   WorkDir=/home/mhartl/seg3d",
            "   StdErr=/home/mhartl/seg3d/logs/71904.out",
            "   StdOut=/home/mhartl/seg3d/logs/71904.out",
        ],
    )
    order = rng.sample(range(12), 12)
    pre = "/home/mhartl/venvs/seg/lib/python3.11/site-packages/"
    lines = [
        f"job 71904 on hgx-a11,hgx-a12,hgx-b03, start {clock(t0, 0, '%a %b %e %H:%M:%S UTC %Y')}",
        "MASTER_ADDR=hgx-a11 MASTER_PORT=23904",
        "0: Using 16bit Automatic Mixed Precision (AMP)",
        "0: GPU available: True (cuda), used: True",
        "0: TPU available: False, using: 0 TPU cores",
        "0: HPU available: False, using: 0 HPUs",
        *(f"{r}: Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/12" for r in order),
    ]
    for r in range(4, 12):
        lines += [
            f"{r}: [W{clock(out - 5100 + r * 0.3, 0, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} socket.cpp:752] [c10d] The client socket has failed to connect to [hgx-a11]:23904 (errno: 110 - Connection timed out)."
        ]
    late = [r for r in order if r > 3]
    for r in late:
        lines += [
            f"{r}: Traceback (most recent call last):",
            f'{r}:   File "/home/mhartl/seg3d/train.py", line 143, in <module>',
            f"{r}:     trainer.fit(model, datamodule=dm, ckpt_path=args.resume)",
            f'{r}:   File "{pre}pytorch_lightning/trainer/trainer.py", line 538, in fit',
            f"{r}:     call._call_and_handle_interrupt(",
            f'{r}:   File "{pre}pytorch_lightning/strategies/ddp.py", line 199, in setup_distributed',
            f"{r}:     _init_dist_connection(self.cluster_environment, self._process_group_backend, timeout=self._timeout)",
            f'{r}:   File "{pre}lightning_fabric/utilities/distributed.py", line 297, in _init_dist_connection',
            f"{r}:     torch.distributed.init_process_group(torch_distributed_backend, rank=global_rank, world_size=world_size, **kwargs)",
            f'{r}:   File "{pre}torch/distributed/rendezvous.py", line 189, in _create_c10d_store',
            f"{r}:     return TCPStore(",
            f"{r}: torch.distributed.DistNetworkError: The client socket has timed out after 5400000ms while trying to connect to (hgx-a11, 23904).",
        ]
    lines += [
        "0: Traceback (most recent call last):",
        '0:   File "/home/mhartl/seg3d/train.py", line 143, in <module>',
        "0:     trainer.fit(model, datamodule=dm, ckpt_path=args.resume)",
        f'0:   File "{pre}torch/distributed/rendezvous.py", line 189, in _create_c10d_store',
        "0:     return TCPStore(",
        "0: torch.distributed.DistStoreError: Timed out after 5401 seconds waiting for clients. 4/12 clients joined.",
        "srun: error: hgx-b03: tasks 8-11: Exited with exit code 1",
        "srun: Terminating StepId=71904.0",
        f"slurmstepd: error: *** STEP 71904.0 ON hgx-a11 CANCELLED AT {clock(out + 3, 0, ISO)} ***",
        "srun: error: hgx-a12: tasks 4-7: Exited with exit code 1",
        "srun: error: hgx-a11: task 0: Exited with exit code 1",
        "srun: error: hgx-a11: tasks 1-3: Terminated",
    ]
    put(place, "logs/71904.out", lines)
    for n, host in enumerate(nodes):
        said = calm(rng, t0, "570.172.08")
        if n == 1:
            said.append((t0 - 40000, "mlx5_core 0000:1a:00.0: Port module event: module 0, Cable plugged"))
        dmesg_iso(place, f"dmesg/{host}.dmesg", said, 0)


def t02_hot_on_the_second_node(place: Path, rng: Random) -> None:
    """B3: seven minutes, the second node's GPU is in hardware thermal slowdown after two, all steps triple."""
    east = -300
    t0 = epoch("2026-10-27T15:22:40", east)
    nodes = ["c7n04", "c7n19"]
    go, slow, end = t0 + 48, t0 + 170, t0 + 452

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 15 <= t < end - 4:
            return FREE
        if t < go:
            return Work(0.02, 0.01, 0, 0.01, 9200)
        if t < slow or n == 1:
            return Work(0.995, 0.95, 0.48, 0.87, 61300, 90, 80)
        return Work(0.995, 0.35, 0.18, 0.32, 61300, 40, 35)

    temps = iter((66, 74, 81, 86, 88, 89, 90, 90, 91, 90, 91, 90, 90, 91))

    def alter(n: int, g: int, t: float, row: Row) -> Row:
        if n == 1 and go <= t < end - 4:
            row["GPU_TEMP"] = next(temps)
            if t >= slow:
                row |= {
                    "SM_CLOCK": rng.choice((495, 510, 525, 540)),
                    "CLOCKS_EVENT_REASONS": 0x48 | (0x20 if rng.random() < 0.6 else 0),
                    "POWER_USAGE": rng.gauss(238, 6),
                }
            elif t > go + 40:
                row |= {"CLOCKS_EVENT_REASONS": 0x20, "SM_CLOCK": 1740}
        elif n == 1 and t >= end - 4:
            row["GPU_TEMP"] = 82 if t < end + 10 else 57
        return row

    park = Yard("H100", nodes, 1, work, t0 - 60, end + 60, 30, 102, alter)
    off = ("GRACT", "SMACT", "TENSO", "DRAMA")
    for n, host in enumerate(nodes):
        dmon(place, f"{host}.dcgmi_dmon.log", park, n, east, "%b %d %H:%M:%S", off)
        lines = calm(rng, t0, "570.172.08")
        kernel(place, f"{host}.journal", lines, "journalctl", east, host)
    t, lines = go, []
    say = "[titan] {} - root - INFO - {}"
    for at, what in (
        (t0 + 14.2, "Starting job: Qwen 3 1.7B training"),
        (t0 + 15.9, "Building 1-D device mesh with ['dp_shard'], [2]"),
        (
            t0 + 16.1,
            "[GC] Initial GC collection 0.00 seconds",
        ),
        (t0 + 21.7, "Loading tokenizer from tokenizer.json"),
        (t0 + 23.0, "Preparing c4 dataset from allenai/c4"),
        (t0 + 31.3, "Building qwen3 1.7B with TransformerModelArgs(dim=2048, n_layers=28, n_heads=16)"),
        (t0 + 31.9, "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB memory"),
        (t0 + 32.2, "Model qwen3 1.7B size: 2,031,739,904 total parameters"),
        (t0 + 32.4, "Applied selective activation checkpointing to the model"),
        (t0 + 32.6, "Applied FSDP to the model"),
        (t0 + 33.5, "Peak FLOPS used for computing MFU: 9.890e+14"),
        (t0 + 33.6, "CUDA memory usage for model: 3.81GiB(4.82%)"),
        (
            t0 + 44.8,
            "Trainer is initialized with local batch size 4, global batch size 8, gradient accumulation steps 1, sequence length 4096, total steps 260 (warmup 40)",
        ),
        (t0 + 44.9, "Training starts at step 1"),
    ):
        lines.append("[rank0]:" + say.format(milli(at, east), what))
    begun = t
    for step in range(1, 261):
        hot = min(1.0, max(0.0, (t - slow + 5) / 12))
        dt = (0.78 + 0.07 * (t > go + 40) * (1 - hot) + 1.33 * hot) * rng.gauss(1, 0.015) + (6.1 if step == 1 else 0)
        t += dt
        if step == 1 or step % 5 == 0:
            spent = (t - begun) / (1 if step == 1 else 4 if step == 5 else 5)
            begun = t
            tps = 16384 / spent
            tf = tps * 1.315e10 / 1e12
            lines.append(
                "[rank0]:"
                + say.format(
                    milli(t, east),
                    f"step: {step:2d}  loss: {learn(rng, step, 12.21, 3.4, 45, 0.008):8.5f}  grad_norm: {1.1 + 3.4 / (1 + step / 9) + rng.random() * 0.2:7.4f}  memory: 58.93GiB(74.49%)  tps: {int(tps):,}  tflops: {tf:.2f}  mfu: {tf / 9.89:.2f}%",
                )
            )
    lines.append("[rank0]:" + say.format(milli(t + 0.4, east), "Sleeping 2 seconds for other ranks to complete"))
    lines.append("[rank0]:" + say.format(milli(t + 2.5, east), "Training completed"))
    lines.append("[rank0]:" + say.format(milli(t + 2.9, east), "Process group destroyed"))
    put(place, "titan-218835.out", lines)
    last = int(t + 7)
    head = ("JobID", "JobName", "State", "ExitCode", "Start", "End", "Elapsed", "Timelimit", "NNodes", "NodeList")
    span = (clock(t0, east, ISO), clock(last, east, ISO), took(last - int(t0)))
    account(
        place,
        "sacct.txt",
        [["218835", "titan-bench", "COMPLETED", "0:0", *span, "00:30:00", "2", "c7n[04,19]"]],
        head,
        bars=True,
    )


def t03_a_guest_on_one_gpu(place: Path, rng: Random) -> None:
    """D3: after 38 minutes something else shares one GPU of four; all wait for its rank."""
    east = -300
    t0 = epoch("2026-10-22T20:05:31", east)
    nodes = ["gke-h100-pool-7d1c-x4fz", "gke-h100-pool-7d1c-q0rt"]
    pods = ["mt-ende-big-worker-0", "mt-ende-big-worker-1"]
    go, turn, end = t0 + 95, t0 + 2330, t0 + 5216

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 20 <= t < end:
            return FREE
        if t < go:
            return Work(0.01, 0.0, 0, 0.0, 4100)
        if t < turn:
            return Work(0.985, 0.57, 0.29, 0.31, 38400, 210, 190)
        if (n, g) == (1, 0):
            return Work(0.998, 0.83, 0.33, 0.47, 38400 + 14370, 300, 210)
        return Work(0.996, 0.26, 0.13, 0.14, 38400, 95, 86)

    park = Yard("H100", nodes, 2, work, t0 - 120, end + 150, 30, 103)
    victoria(place, "vm_export.jsonl", park, in_pods(park, "nlp-mt", pods))
    for n, host in enumerate(nodes):
        lines = calm(rng, t0, "570.172.08", kube=True, ib=False)
        if n == 0:
            lines.append(xid31(t0 - 3 * 86400 - 4011, park.bus(1), 3302817, "python3"))
        kernel(place, f"journal-{host}.log", lines, "journalctl", east, host)
    items = []
    for n, pod in enumerate(pods):
        z = "%Y-%m-%dT%H:%M:%SZ"
        state = {
            "containerID": f"containerd://{rng.getrandbits(256):064x}",
            "exitCode": 0,
            "finishedAt": clock(end + 6 + n, 0, z),
            "reason": "Completed",
            "startedAt": clock(t0 + n, 0, z),
        }
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": pod, "namespace": "nlp-mt", "creationTimestamp": clock(t0 - 41, 0, z)},
                "spec": {
                    "nodeName": nodes[n],
                    "restartPolicy": "Never",
                    "containers": [{"name": "pytorch", "resources": {"limits": {"nvidia.com/gpu": "2"}}}],
                },
                "status": {
                    "phase": "Succeeded",
                    "startTime": clock(t0 - 40, 0, z),
                    "containerStatuses": [
                        {"name": "pytorch", "ready": False, "restartCount": 0, "state": {"terminated": state}}
                    ],
                },
            }
        )
    put(place, "kubectl_get_pods.json", json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4))
    say = "{} | INFO | {} | {}".format
    clk = lambda t: clock(t, east)  # noqa: E731
    lines = [
        say(clk(t0 + 21), "fairseq.distributed.utils", f"distributed init (rank {r}): env://") for r in range(2)
    ] + [say(clk(t0 + 24), "fairseq.distributed.utils", f"initialized host {pods[0]} as rank {r}") for r in range(2)]
    lines += [
        say(clk(t0 + 31), "fairseq.tasks.translation", "[en] dictionary: 32768 types"),
        say(clk(t0 + 31), "fairseq.tasks.translation", "[de] dictionary: 32768 types"),
        say(clk(t0 + 38), "fairseq_cli.train", "task: TranslationTask"),
        say(clk(t0 + 38), "fairseq_cli.train", "model: TransformerModel"),
        say(clk(t0 + 38), "fairseq_cli.train", "criterion: LabelSmoothedCrossEntropyCriterion"),
        say(clk(t0 + 38), "fairseq_cli.train", "num. shared model params: 209,911,808 (num. trained: 209,911,808)"),
        say(
            clk(t0 + 62), "fairseq.data.data_utils", "loaded 4,503,112 examples from: /data/wmt/data-bin/train.en-de.en"
        ),
        say(clk(t0 + 66), "fairseq_cli.train", "training on 4 devices (GPUs/TPUs)"),
        say(clk(t0 + 66), "fairseq_cli.train", "max tokens per device = 8192 and max sentences per device = None"),
        say(clk(t0 + 67), "fairseq.trainer", "No existing checkpoint found checkpoints/checkpoint_last.pt"),
        say(clk(t0 + 67), "fairseq.trainer", "loading train data for epoch 1"),
        say(clk(t0 + 90), "fairseq.trainer", "begin training epoch 1"),
        say(clk(t0 + 90), "fairseq_cli.train", "Start iterating over samples"),
    ]
    t, step, per, saved = go, 0, 4360, 0
    since = t
    while step < 18500:
        step += 1
        t += (0.19 if t < turn else 0.41) * rng.gauss(1, 0.02)
        if step % 100 == 0:
            loss = learn(rng, step, 13.9, 3.55, 900, 0.009)
            nll = loss * 1.02 - 1.45 if loss > 5 else loss * 1.06 - 1.72
            ups = 100 / (t - since)
            since = t
            got = {
                "epoch": 1 + step // per,
                "update": round(step / per, 3),
                "loss": f"{loss:.3f}",
                "nll_loss": f"{nll:.3f}",
                "ppl": f"{2**nll:.2f}",
                "wps": f"{ups * 28900 * rng.gauss(1, 0.004):.0f}",
                "ups": f"{ups:.2f}",
                "wpb": f"{rng.gauss(28900, 90):.1f}",
                "bsz": f"{rng.gauss(1032, 21):.1f}",
                "num_updates": str(step),
                "lr": f"{7e-4 * min(step / 4000, (4000 / step) ** 0.5):.6g}",
                "gnorm": f"{0.42 + 2.6 / (1 + step / 300) + rng.random() * 0.05:.3f}",
                "loss_scale": "16" if step < 8000 else "32",
                "train_wall": f"{100 / ups * 0.97:.0f}",
                "gb_free": f"{rng.gauss(40.1, 0.4):.1f}",
                "wall": f"{t - t0 - 66:.0f}",
            }
            lines.append(say(clk(t), "train_inner", json.dumps(got)))
        if step % per == 0:
            saved += 1
            vl = learn(rng, step, 12.5, 3.7, 900, 0.003)
            val = {
                "epoch": saved,
                "valid_loss": f"{vl:.3f}",
                "valid_nll_loss": f"{vl - 1.6:.3f}",
                "valid_ppl": f"{2 ** (vl - 1.6):.2f}",
                "valid_num_updates": str(step),
            }
            lines.append(say(clk(t + 1), "fairseq_cli.train", f"end of epoch {saved} (average epoch stats below)"))
            lines.append(say(clk(t + 9), "valid", json.dumps(val)))
            lines.append(
                say(
                    clk(t + 15),
                    "fairseq.checkpoint_utils",
                    f"Saved checkpoint checkpoints/checkpoint{saved}.pt (epoch {saved} @ {step} updates, score {vl:.3f}) (writing took 5.81 seconds)",
                )
            )
            lines.append(say(clk(t + 16), "fairseq.trainer", f"begin training epoch {saved + 1}"))
            t += 16
            since = t
    lines.append(
        say(clk(t + 1), "fairseq_cli.train", "Stopping training due to num_updates: 18500 >= max_update: 18500")
    )
    lines.append(say(clk(t + 15), "fairseq_cli.train", f"done training in {t + 15 - t0 - 90:.1f} seconds"))
    put(place, f"{pods[0]}.log", lines)


def t04_locked_low(place: Path, rng: Random) -> None:
    """D3: one of two GPUs stands at 885 MHz with locked clocks and works twice as long; its peer waits for it."""
    east = 330
    t0 = epoch("2026-11-03T11:48:20", east)
    end = t0 + 872

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 25 <= t < end - 6:
            return FREE
        if t < t0 + 70:
            return Work(0.03, 0.01, 0, 0.02, 30400)
        return Work(0.993, 0.89, 0.55, 0.3, 104200, 60, 55) if g else Work(0.995, 0.41, 0.25, 0.3, 104200, 60, 55)

    def alter(n: int, g: int, t: float, row: Row) -> Row:
        if g == 1 and row["SM_CLOCK"] > 345:
            row |= {"SM_CLOCK": 885, "CLOCKS_EVENT_REASONS": 2}
            row["POWER_USAGE"] = 96 + (row["POWER_USAGE"] - 96) * 0.47
            row["GPU_TEMP"] = round(29 + 0.05 * row["POWER_USAGE"])
        return row

    park = Yard("H200", ["param-gh07"], 2, work, t0 - 240, end + 180, 60, 104, alter)
    matrix(place, "dcgm_query_range.json", park, plain(park, cluster="param"))
    span = [clock(t0, east, ISO), clock(end, east, ISO), took(end - t0)]
    head = (
        "JobID",
        "JobName",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "TotalCPU",
        "MaxRSS",
        "NodeList",
    )
    job = "660412"
    account(
        place,
        "sacct.txt",
        [
            [job, "fatal_error_det", "gh", "COMPLETED", "0:0", *span, "02:41:37", "", "param-gh07"],
            [f"{job}.batch", "batch", "", "COMPLETED", "0:0", *span, "00:03.114", "14212K", "param-gh07"],
            [f"{job}.extern", "extern", "", "COMPLETED", "0:0", *span, "00:00.002", "980K", "param-gh07"],
            [
                f"{job}.0",
                "accelerate",
                "",
                "COMPLETED",
                "0:0",
                clock(t0 + 3, east, ISO),
                clock(end - 1, east, ISO),
                took(end - t0 - 4),
                "02:41:33",
                "61772804K",
                "param-gh07",
            ],
        ],
        head,
        bars=True,
    )
    lines = calm(rng, t0, "570.133.20")
    boot = lines[0][0]
    lines += [
        (boot + 1.02, "ACPI Error: AE_NOT_FOUND, Evaluating _DSM (20230628/utaddress-204)"),
        (boot + 1.91, "ERST: Error Record Serialization Table (ERST) support is initialized."),
        (boot + 2.4, "pcieport 0000:00:01.1: AER: enabled with IRQ 33"),
        (boot + 21.3, "systemd[1]: Starting kdump.service - Crash recovery kernel arming..."),
    ]
    kernel(place, "dmesg.txt", lines, "dmesg", east, "param-gh07")


def t05_the_tokens_in_memory(place: Path, rng: Random) -> None:
    """A2: the host's memory ran out on the second node, the kernel killed one rank, torchrun ended the rest."""
    t0 = epoch("2026-10-29T02:10:05", 0)
    nodes = ["ai-node21", "ai-node22", "ai-node24"]
    go, kill = t0 + 140, t0 + 3085.442
    end = kill + 21

    def work(n: int, g: int, t: float) -> Work:
        if t < t0 + 30 or t >= end or (n == 1 and t >= kill + 4):
            return FREE
        if t < go:
            return Work(0.0, 0.0, 0, 0.0, 2600)
        if (n, g) == (1, 2) and t >= kill:
            return FREE
        return Work(0.97, 0.74, 0.44, 0.41, 33100, 700, 640) if t < kill else SPIN

    park = Yard("A100-40", nodes, 4, work, t0 - 90, end + 240, 30, 105)
    for n, host in enumerate(nodes):
        matrix(
            place,
            f"metrics/dcgm_{host}.json",
            park,
            plain(park),
            only=[n],
            form="CLOCK_THROTTLE_REASONS",
        )
        lines = calm(rng, t0, "535.230.02")
        if n == 1:
            pid = 2214897
            lines += [
                (
                    kill - 0.51,
                    "python3.10 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
                ),
                (
                    kill - 0.5,
                    "CPU: 41 PID: 2215533 Comm: python3.10 Tainted: P           OE     5.15.0-139-generic #149-Ubuntu",
                ),
                (kill - 0.49, "Call Trace:"),
                (kill - 0.49, " <TASK>"),
                (kill - 0.48, " dump_stack_lvl+0x4a/0x63"),
                (kill - 0.48, " dump_header+0x53/0x228"),
                (kill - 0.47, " oom_kill_process.cold+0xb/0x10"),
                (kill - 0.47, " out_of_memory+0x106/0x2e0"),
                (kill - 0.46, "Mem-Info:"),
                (kill - 0.45, "Node 0 Normal free:91204kB min:90112kB low:348160kB high:606208kB"),
                (kill - 0.44, "Tasks state (memory values in pages):"),
                (kill - 0.43, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"),
                *(
                    (
                        kill - 0.42 + 0.001 * i,
                        f"[{pid - 2 + i}] 10078 {pid - 2 + i} {51200113 + 977 * i} {rss} {rss * 8 + 40960}        0             0 python3.10",
                    )
                    for i, rss in enumerate((30117842, 30204711, 33811906, 29988120))
                ),
                (
                    kill - 0.1,
                    f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/system.slice/slurmstepd.scope/job_40377/step_0/user/task_0,task=python3.10,pid={pid},uid=10078",
                ),
                (
                    kill,
                    f"Out of memory: Killed process {pid} (python3.10) total-vm:204808268kB, anon-rss:134922108kB, file-rss:201344kB, shmem-rss:124172kB, UID:10078 pgtables:264195kB oom_score_adj:0",
                ),
                (
                    kill + 2.1,
                    f"oom_reaper: reaped process {pid} (python3.10), now anon-rss:0kB, file-rss:138240kB, shmem-rss:124172kB",
                ),
            ]
        kernel(place, f"journal/{host}.log", lines, "journalctl iso", 0, host)
    lines = [
        f"{milli(t0 + 28, 0)} 信息 启动训练: 模型=glm-mini 1.3B 节点=3 每节点显卡=4 世界大小=12",
        f"{milli(t0 + 29, 0)} 信息 读取词元分片到内存: /share/corpus/zh_web_v4 (每个进程缓存已读分片)",
        f"{milli(t0 + 133, 0)} 信息 分片 0 已载入, 1.87 B 词元",
        f"{milli(go, 0)} 信息 开始训练, 总步数 60000, 学习率 2.0e-04",
    ]
    t, step = go, 0
    while True:
        step += 1
        t += 0.905 * rng.gauss(1, 0.012)
        if t > kill:
            break
        if step % 20 == 0:
            lines.append(
                f"{milli(t, 0)} 信息 步 {step}/60000 损失 {learn(rng, step, 10.9, 2.3, 420):.4f} 学习率 {2e-4 * min(1, step / 2000):.3e} 梯度范数 {0.6 + 3 / (1 + step / 120) + rng.random() * 0.1:.3f} 词元/秒 {rng.gauss(217000, 1900):.0f}"
            )
        if step % 600 == 0:
            lines.append(f"{milli(t + 0.2, 0)} 信息 分片 {step // 600} 已载入, 1.{rng.randrange(81, 93)} B 词元")
        if step % 1500 == 0:
            lines.append(f"{milli(t + 0.3, 0)} 信息 检查点已保存 ckpt/step_{step}.pt")
            t += 11
    w = f"{clock(kill + 1, 0, '%m%d %H:%M:%S')}"
    where = "2214801 torch/distributed/elastic/multiprocessing/api.py"
    lines += [
        *(
            f"W{w}.{304 + 2 * i}000 {where}:900] Sending process {pid} closing signal SIGTERM"
            for i, pid in enumerate((2214895, 2214896, 2214898))
        ),
        f"E{clock(kill + 3, 0, '%m%d %H:%M:%S')}.911000 {where}:874] failed (exitcode: -9) local_rank: 2 (pid: 2214897) of binary: /opt/py310/bin/python3.10",
        "Traceback (most recent call last):",
        '  File "/opt/py310/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/py310/lib/python3.10/site-packages/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "pretrain.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(kill + 1, 0, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : ai-node22",
        "  rank      : 6 (local_rank: 2)",
        "  exitcode  : -9 (pid: 2214897)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 2214897",
        "=" * 60,
        "srun: error: ai-node22: task 1: Exited with exit code 1",
        "srun: Terminating StepId=40377.0",
        f"slurmstepd: error: *** STEP 40377.0 ON ai-node21 CANCELLED AT {clock(kill + 6, 0, ISO)} ***",
        "srun: error: ai-node21: task 0: Exited with exit code 1",
        "srun: error: ai-node24: task 2: Exited with exit code 1",
    ]
    put(place, "logs/train_40377.log", lines)


def t06_no_air_in_row_nine(place: Path, rng: Random) -> None:
    """B3: after half of the run the third node gets hot; both its GPUs slow down in hardware and so all wait."""
    east = -480
    t0 = epoch("2026-10-24T21:30:00", east)
    nodes = [f"a30-{n:02d}" for n in (17, 18, 19, 20)]
    go, hot, end = t0 + 75, t0 + 9600, t0 + 20112

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 18 <= t < end - 3:
            return FREE
        if t < go:
            return Work(0.01, 0, 0, 0, 1900)
        busy = Work(0.99, 0.83, 0.41, 0.5, 19840, 800, 770)
        lag = min(1.0, max(0.0, (t - hot - 300) / 1500))
        if n == 2:
            return busy
        keep = 1 - 0.58 * lag
        return Work(0.99, 0.83 * keep, 0.41 * keep, 0.5 * keep, 19840, 800 * keep, 770 * keep)

    def alter(n: int, g: int, t: float, row: Row) -> Row:
        if n == 2 and hot < t < end - 3:
            far = min(1.0, (t - hot) / 1500)
            row["GPU_TEMP"] = min(row["GPU_TEMP"] + round(34 * far), 92 + rng.randrange(2))
            if t > hot + 300:
                lag = min(1.0, (t - hot - 300) / 1500)
                row["SM_CLOCK"] = int((1380 - 840 * lag + rng.gauss(0, 9)) // 15 * 15)
                row["CLOCKS_EVENT_REASONS"] = 0x20 if lag < 0.35 else 0x68 if rng.random() < 0.7 else 0x48
                row["POWER_USAGE"] = 152 - 74 * lag + rng.gauss(0, 2.2)
        return row

    park = Yard("A30", nodes, 2, work, t0 - 300, end + 300, 30, 106, alter)
    victoria(
        place,
        "export_dcgm.json",
        park,
        plain(park),
        keep=lambda f: f not in ("MEM_COPY_UTIL",),
    )
    job = "91120"
    span = [clock(t0, east, ISO), clock(end, east, ISO), took(end - t0)]
    inner = [clock(t0 + 2, east, ISO), clock(end - 1, east, ISO), took(end - t0 - 3)]
    head = (
        "JobID",
        "JobName",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "Timelimit",
        "NNodes",
        "NodeList",
    )
    account(
        place,
        "sacct_91120.psv",
        [
            [job, "crashfree-gpt2-nan-fix", "a30", "COMPLETED", "0:0", *span, "08:00:00", "4", "a30-[17-20]"],
            [f"{job}.batch", "batch", "", "COMPLETED", "0:0", *span, "", "1", "a30-17"],
            [f"{job}.extern", "extern", "", "COMPLETED", "0:0", *span, "", "4", "a30-[17-20]"],
            [f"{job}.0", "torchrun", "", "COMPLETED", "0:0", *inner, "", "4", "a30-[17-20]"],
        ],
        head,
        bars=True,
    )
    for n, host in enumerate(nodes):
        lines = calm(rng, t0, "535.183.06")
        if n == 2:
            count = 1
            for at in (900, 1230, 1533, 1866, 2790, 5121, 7008):
                cpu = rng.randrange(0, 64)
                lines.append(
                    (
                        hot + at,
                        f"mce: CPU{cpu}: Package temperature above threshold, cpu clock throttled (total events = {count})",
                    )
                )
                lines.append((hot + at + 0.001, f"mce: CPU{cpu}: Package temperature/speed normal"))
                count += rng.randrange(3, 900)
        dmesg_iso(place, f"dmesg.{host}.txt", lines, east)
