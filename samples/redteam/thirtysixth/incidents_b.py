"""The incidents t09 to t16 of the thirty-sixth set: logs, meters, accounting and kernel logs.

SIMULATED: nothing here was taken from a real job; every number comes from a seeded curve and a clock.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.thirtysixth.fleet_b import (
    B200,
    DCGM,
    H100,
    L40S,
    RTX,
    Gpu,
    Load,
    answer,
    columns,
    dcgm_labels,
    epoch,
    gpus,
    grid,
    measure,
    series,
    smi,
    stamp,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


def pierce(times: Sequence[float], holes: Sequence[tuple[float, float]]) -> list[float]:
    """Leave out the moments of holes in the scrapes."""
    return [t for t in times if not any(a <= t < b for a, b in holes)]


def by_metric(place: Path, boards: Sequence[Gpu], without: Sequence[str] = ()) -> None:
    """Write a file a metric."""
    place.mkdir(parents=True, exist_ok=True)
    for metric, field in DCGM.items():
        if metric not in without:
            answer(place / f"{metric}.json", [series(g, metric, field, dcgm_labels(g)) for g in boards])


def by_node(place: Path, boards: Sequence[Gpu], without: Sequence[str] = ()) -> None:
    """Write a file a node."""
    place.mkdir(parents=True, exist_ok=True)
    for node in sorted({g.node for g in boards}):
        mine = [g for g in boards if g.node == node]
        rows = [series(g, m, f, dcgm_labels(g)) for m, f in DCGM.items() if m not in without for g in mine]
        answer(place / f"{node}.json", rows)


def t09_ipf(place: Path, rng: Random) -> None:
    """A Megatron-LM job on one node of eight."""
    zone = 0
    begin = epoch("2026-11-12T10:02:41", zone)
    now = begin + 11
    log = [
        "+ echo 'node ipf-gn017  job 41877  llama 8B cpt, try 3'",
        "node ipf-gn017  job 41877  llama 8B cpt, try 3",
        "+ srun --container-image=/sw/images/mcore_25.09.sqsh --container-mounts=/scratch,/home bash -c 'torchrun "
        "--nproc_per_node 8 --master_port 6011 pretrain_gpt.py $ARGS'",
        f"W{stamp(now, zone, '%m%d %H:%M:%S')}.402000 70211 torch/distributed/run.py:766] ",
        f"W{stamp(now, zone, '%m%d %H:%M:%S')}.402000 70211 torch/distributed/run.py:766] " + "*" * 41,
        f"W{stamp(now, zone, '%m%d %H:%M:%S')}.402000 70211 torch/distributed/run.py:766] Setting OMP_NUM_THREADS "
        "environment variable for each process to be 1 in default, to avoid your system being overloaded, please "
        "further tune the variable for optimal performance in your application as needed. ",
        f"W{stamp(now, zone, '%m%d %H:%M:%S')}.402000 70211 torch/distributed/run.py:766] " + "*" * 41,
        "using world size: 8, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel sizes: "
        "None, tensor-model-parallel size: 2, pipeline-model-parallel size: 1",
        "Number of virtual stages per pipeline stage: None",
        "WARNING: Setting args.check_for_nan_in_loss_and_grad to False since dynamic loss scaling is not being used",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    for key, value in (
        ("bf16", True),
        ("eval_interval", 100),
        ("global_batch_size", 64),
        ("hidden_size", 4096),
        ("log_interval", 10),
        ("lr", 3e-05),
        ("micro_batch_size", 2),
        ("num_layers", 32),
        ("save", "/scratch/ipf/ckpt/cpt7b-t3"),
        ("save_interval", 100),
        ("seq_length", 4096),
        ("train_iters", 4000),
    ):
        log.append(f"  {key} {'.' * (46 - len(key))} {value}")
    log.append("-------------------- end of arguments ---------------------")
    log += [
        "> building HuggingFaceTokenizer tokenizer ...",
        " > padded vocab (size: 128256) with 0 dummy tokens (new size: 128256)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 2",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        "make: Nothing to be done for 'default'.",
        ">>> done with dataset index builder. Compilation time: 0.061 seconds",
    ]
    now += 34
    log += [
        f"[after megatron is initialized] datetime: {stamp(now, zone, '%Y-%m-%d %H:%M:%S')} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 4019454976",
        " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 4019454976",
        " loading release checkpoint from /scratch/ipf/base/l3-8b-mcore",
    ]
    now += 38
    log += [
        "  successfully loaded checkpoint from /scratch/ipf/base/l3-8b-mcore [ t 1/2, p 1/1 ] at iteration 0",
        "[after model, optimizer, and learning rate scheduler are built] datetime: "
        f"{stamp(now, zone, '%Y-%m-%d %H:%M:%S')} ",
        "> building train, validation, and test datasets ...",
        " > datasets target sizes (minimum size):\n    train:      256000\n    validation: 26240\n    test:       640",
        "> using /home/ipf/libs/mixsampler/_mix.cpython-312-x86_64-linux-gnu.so for blending (threads 4)",
        "> finished creating GPT datasets ...",
    ]
    now += 9
    log += [
        f"[after dataloaders are built] datetime: {stamp(now, zone, '%Y-%m-%d %H:%M:%S')} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {stamp(now, zone, '%Y-%m-%d %H:%M:%S')} ",
    ]
    ready = now
    pauses: list[tuple[float, float]] = []
    died = begin + 17 * 60 + 7.4
    step, spent = 0, 0.0
    while True:
        took = 3.94 + abs(rng.gauss(0, 0.05)) + (6.3 if step == 0 else 0)
        if now + took > died:
            break
        now += took
        spent += took
        step += 1
        if step % 10 == 0:
            loss = 1.71 + 0.62 * math.exp(-step / 70) + rng.gauss(0, 0.014)
            norm = 0.7 + 2.4 * math.exp(-step / 30) + abs(rng.gauss(0, 0.06))
            lr = 3e-5 * min(1, step / 100)
            log.append(
                f" [{stamp(now, zone, '%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/    4000 | consumed samples: "
                f"{step * 64:12d} | elapsed time per iteration (ms): {spent / 10 * 1000:.1f} | throughput per GPU "
                f"(TFLOP/s/GPU): {64 * 4096 * 6.6 * 8.03e9 / (spent / 10) / 8 / 1e12:.1f} | learning rate: {lr:.6E} | "
                f"global batch size:    64 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | "
                "number of skipped iterations:   0 | number of nan iterations:   0 |",
            )
            spent = 0.0
            if step == 10:
                log.append(
                    "[Rank 0] (after 10 iterations) memory (MB) | allocated: 40218.11 | max allocated: 61377.40 | "
                    "reserved: 66172.00 | max reserved: 66172.00",
                )
        if step % 100 == 0:
            pauses.append((now + 14, now + 33))
            now += 14.2
            line = (
                f" validation loss at iteration {step} | lm loss value: {loss + 0.03:.6E} | "
                f"lm loss PPL: {math.exp(loss + 0.03):.6E} | "
            )
            log += ["-" * len(line), line, "-" * len(line)]
            log.append(f"saving checkpoint at iteration {step:7d} to /scratch/ipf/ckpt/cpt7b-t3 in torch_dist format")
            now += 18.7
            log.append(
                f"  successfully saved checkpoint from iteration {step:7d} to /scratch/ipf/ckpt/cpt7b-t3 "
                "[ t 1/2, p 1/1 ]",
            )
            log.append("(min, max) time across ranks (ms):")
            log.append("    save-checkpoint ................................: (18681.20, 18702.87)")
    for pid in (70288, 70289, 70290, 70291, 70292, 70294, 70295):
        log.append(
            f"W{stamp(died + 1.3, zone, '%m%d %H:%M:%S')}.{118 + pid % 7:03d}000 70211 torch/distributed/elastic/"
            f"multiprocessing/api.py:900] Sending process {pid} closing signal SIGTERM",
        )
    end = died + 4
    log.append(
        f"E{stamp(end, zone, '%m%d %H:%M:%S')}.733000 70211 torch/distributed/elastic/multiprocessing/api.py:874] failed "
        "(exitcode: -11) local_rank: 5 (pid: 70293) of binary: /usr/bin/python",
    )
    bar = "=" * 60
    log += [
        "Traceback (most recent call last):",
        '  File "/usr/local/bin/torchrun", line 33, in <module>',
        "    sys.exit(load_entry_point('torch==2.8.0a0+34c6371d24.nv25.8', 'console_scripts', 'torchrun')())",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", '
        "line 357, in wrapper",
        "    return f(*args, **kwargs)",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/run.py", line 901, in main',
        "    run(args)",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/run.py", line 892, in run',
        "    elastic_launch(",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/launcher/api.py", line 143, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        '  File "/usr/local/lib/python3.12/dist-packages/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        bar,
        "pretrain_gpt.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {stamp(died + 1, zone, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : ipf-gn017",
        "  rank      : 5 (local_rank: 5)",
        "  exitcode  : -11 (pid: 70293)",
        "  error_file: <N/A>",
        "  traceback : Signal 11 (SIGSEGV) received by PID 70293",
        bar,
        "srun: error: ipf-gn017: task 0: Exited with exit code 1",
    ]
    (place / "slurm-41877.out").write_text("\n".join(log) + "\n")
    stop = end + 3

    def load(t: float) -> Load:
        if t < begin + 30 or t >= died + 3:
            return Load()
        if t < ready:
            return Load(0, 0, 700 if t < begin + 52 else 41200)
        if any(a <= t < b for a, b in pauses):
            return Load(0, 0, 67010)
        return Load(100, 0.90 + 0.03 * math.sin(t / 9), 67010, 0.83, 0.41, 0.38)

    boards = gpus(H100, ["ipf-gn017"], 8, rng)
    for gpu in boards:
        measure(gpu, rng, grid(begin - 360, stop + 300, 15), load)
    by_metric(place / "prom", boards)
    heads = [
        ("JobID", 12),
        ("JobName", 16),
        ("Partition", 10),
        ("AllocCPUS", 10),
        ("State", 10),
        ("ExitCode", 8),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("MaxRSS", 10),
        ("ReqMem", 8),
        ("NodeList", 12),
    ]
    a, b, span = stamp(begin, zone), stamp(stop, zone), stamp(stop - begin, 0, "%H:%M:%S")
    rows = [
        ["41877", "cpt7b-t3", "h100", "128", "FAILED", "1:0", a, b, span, "", "1000G", "ipf-gn017"],
        ["41877.batch", "batch", "", "128", "FAILED", "1:0", a, b, span, "38212K", "", "ipf-gn017"],
        ["41877.extern", "extern", "", "128", "COMPLETED", "0:0", a, b, span, "1180K", "", "ipf-gn017"],
        ["41877.0", "bash", "", "128", "FAILED", "1:0", stamp(begin + 2, zone), b, stamp(stop - begin - 2, 0, "%H:%M:%S"),
         "213418812K", "", "ipf-gn017"],
    ]  # fmt: skip
    (place / "sacct.txt").write_text(columns(heads, rows))


def t10_haushalt(place: Path, rng: Random) -> None:
    """A NeMo 2 pretraining of a small model on two nodes of four."""
    zone = -8
    begin = epoch("2026-11-17T21:41:08", zone)
    now = begin + 26

    def nemo(level: str, where: str, text: str) -> str:
        return f"[NeMo {level} {stamp(now, zone, '%Y-%m-%d %H:%M:%S')} {where}] {text}"

    log = [
        "srun: warning: can't honor --ntasks-per-node set to 4 which doesn't match the requested tasks 8 with the number "
        "of requested nodes 2. Ignoring --ntasks-per-node.",
        nemo("W", "nemo_logging:405", "/opt/nemo/lib/python3.11/site-packages/pydub/utils.py:170: RuntimeWarning: "
             "Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work"),
        '      warn("Couldn\'t find ffmpeg or avconv - defaulting to ffmpeg, but may not work", RuntimeWarning)',
        "    ",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
    ]  # fmt: skip
    now += 6
    log.append(nemo("W", "nemo_logging:405", "No version folders would be created under the log folder as "
                    "'resume_if_exists' is enabled."))  # fmt: skip
    log.append(nemo("I", "nemo_logging:393", "Experiments will be logged at /data/haushalt/exp/gpt345m_de"))
    log.append(nemo("W", "nemo_logging:405", "There were no checkpoints found in checkpoint_dir or no checkpoint folder "
                    "at checkpoint_dir :/data/haushalt/exp/gpt345m_de/checkpoints. Training from scratch."))  # fmt: skip
    log += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/8" for r in (0, 2, 1, 3, 5, 4, 7, 6)]
    log += ["-" * 100, "distributed_backend=nccl", "All distributed processes registered. Starting with 8 processes",
            "-" * 100, ""]  # fmt: skip
    now += 14
    log += [
        nemo("I", "nemo_logging:393", "Padded vocab_size: 50304, original vocab_size: 50257, dummy tokens: 47."),
        nemo("I", "nemo_logging:393", "Copying Trainer's 'max_steps' (700) to LR scheduler's 'max_steps'."),
        nemo("I", "num_microbatches_calculator:228", "setting number of microbatches to constant 2"),
        nemo("I", "nemo_logging:393", " > number of parameters on (tensor, pipeline) model parallel rank (0 ,0): "
             "355919872"),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        "",
        "  | Name   | Type     | Params | Mode ",
        "--------------------------------------------",
        "0 | module | GPTModel | 355 M  | train",
        "--------------------------------------------",
        "355 M     Trainable params",
        "0         Non-trainable params",
        "355 M     Total params",
        "1,423.679 Total estimated model params size (MB)",
    ]  # fmt: skip
    now += 9
    ready = now
    pauses = []
    took: list[float] = []
    val = 0.0
    for step in range(700):
        took.append(7.92 if step == 0 else 2.07 + abs(rng.gauss(0, 0.03)) + (0.4 if rng.random() < 0.02 else 0))
        now += took[-1]
        if step % 10 == 9:
            loss = 4.86 + 6.12 * math.exp(-((step / 105) ** 0.72)) + rng.gauss(0, 0.03)
            lr = 6e-4 * min(1, (step + 1) / 100)
            lr *= 1 if step < 100 else 0.1 + 0.45 * (1 + math.cos(math.pi * (step - 100) / 600))
            log.append(
                f"Training epoch 0, iteration {step}/699 | lr: {lr:.4g} | global_batch_size: 64 | global_step: {step} | "
                f"reduced_train_loss: {loss:.4g} | train_step_timing in s: {sum(took) / len(took):.4g}"
                + (f" | consumed_samples: {(step + 1) * 64}" if step > 9 else "")
                + (f" | val_loss: {val:.4g}" if step > 350 else ""),
            )
            took.clear()
        if step in {349, 699}:
            val = loss + 0.06
            for n in range(4):
                log.append(f"Validation: iteration {n + 1}/4")
            now += 5
            pauses.append((now, now + 31))
            head = nemo("I", "nemo_logging:393", "")
            log.append(
                f"{head}Scheduled async checkpoint save for /data/haushalt/exp/gpt345m_de/checkpoints/"
                f"gpt345m--val_loss={val:.2f}-step={step}-consumed_samples={(step + 1) * 64}.0.ckpt",
            )
            now += 31
            log.append(nemo("I", "nemo_logging:393", f"Successfully saved checkpoint from iteration {step + 1:7d} to "
                            f"/data/haushalt/exp/gpt345m_de/checkpoints/gpt345m--val_loss={val:.2f}-step={step}-"
                            f"consumed_samples={(step + 1) * 64}.0.ckpt"))  # fmt: skip
    log.append("`Trainer.fit` stopped: `max_steps=700` reached.")
    done = now
    now += 4
    log.append(nemo("I", "nemo_logging:393", "Pending async checkpoint saves will be finalized if any."))
    log.append("[rank0]:[W1117 " + stamp(now + 1, zone, "%H:%M:%S") + ".207711842 ProcessGroupNCCL.cpp:1479] Warning: "
               "WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more "
               "info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())")  # fmt: skip
    end = now + 9
    (place / "gpt345m_de_20931.log").write_text("\n".join(log) + "\n")

    def load(t: float) -> Load:
        if t < begin + 32 or t >= done + 10:
            return Load()
        if t < ready:
            return Load(0, 0, 610 if t < begin + 46 else 7900)
        if any(a <= t < b for a, b in pauses):
            return Load(2, 0.05, 19712)
        return Load(96, 0.66 + 0.03 * math.sin(t / 7), 19712, 0.5, 0.3, 0.42)

    boards = gpus(RTX, ["ws-lab3"], 4, rng)
    holes = [(begin + 310, begin + 490), (begin + 905, begin + 1010), (begin + 1290, begin + 1361)]
    for gpu in boards:
        measure(gpu, rng, pierce(grid(begin - 300, end + 260, 30), holes), load)
    smi(place / "ws-lab3_nvidia-smi.csv", boards, zone, rng)
    (place / "scontrol.txt").write_text(
        f"""JobId=20931 JobName=gpt345m_de
   UserId=kmeinert(5107) GroupId=nlp(5000) MCS_label=N/A
   Priority=4294901482 Nice=0 Account=haushalt QOS=normal
   JobState=COMPLETED Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime={stamp(end - begin, 0, "%H:%M:%S")} TimeLimit=02:00:00 TimeMin=N/A
   SubmitTime={stamp(begin - 2, zone)} EligibleTime={stamp(begin - 2, zone)}
   AccrueTime={stamp(begin - 2, zone)}
   StartTime={stamp(begin, zone)} EndTime={stamp(end, zone)} Deadline=N/A
   SuspendTime=None SecsPreSuspend=0 LastSchedEval={stamp(begin, zone)} Scheduler=Main
   Partition=lab AllocNode:Sid=ws-head:90133
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=ws-lab[3-4]
   BatchHost=ws-lab3
   NumNodes=2 NumCPUs=64 NumTasks=8 CPUs/Task=8 ReqB:S:C:T=0:0:*:*
   ReqTRES=cpu=64,mem=240G,node=2,billing=64,gres/gpu=8
   AllocTRES=cpu=64,mem=240G,node=2,billing=64,gres/gpu=8
   Socks/Node=* NtasksPerN:B:S:C=4:0:*:* CoreSpec=*
   MinCPUsNode=32 MinMemoryNode=120G MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=/data/haushalt/run_gpt345m.sbatch
   WorkDir=/data/haushalt
   StdErr=/data/haushalt/gpt345m_de_20931.log
   StdIn=/dev/null
   StdOut=/data/haushalt/gpt345m_de_20931.log
   TresPerNode=gres/gpu:4

""",
    )

    def kern(t: float, text: str) -> str:
        return f"[{stamp(t, zone, '%a %b %e %H:%M:%S %Y')}] {text}"

    for node, more in (
        ("ws-lab3", [kern(begin - 9120, "perf: interrupt took too long (2507 > 2500), lowering "
                          "kernel.perf_event_max_sample_rate to 79750"),
                     kern(begin + 742, "igb 0000:05:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, "
                          "Flow Control: RX")]),
        ("ws-lab4", [kern(begin - 40211, "usb 3-4: USB disconnect, device number 7"),
                     kern(begin - 40198, "usb 3-4: new low-speed USB device number 8 using xhci_hcd"),
                     kern(begin - 40197, "input: Logitech USB Optical Mouse as /devices/pci0000:00/0000:00:14.0/usb3/"
                          "3-4/3-4:1.0/0003:046D:C077.0009/input/input31")]),
    ):  # fmt: skip
        boot = begin - 611000
        lines = [
            kern(boot, "Linux version 6.8.0-63-generic (buildd@lcy02-amd64-094)"),
            kern(boot + 9, "nvidia-nvlink: Nvlink Core is being initialized, major device number 511"),
            kern(boot + 10, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  565.57.01  Thu Oct 10 12:29:05 UTC 2024"),
            kern(boot + 11, "nvidia-uvm: Loaded the UVM driver, major device number 508."),
            *more,
        ]
        (place / f"dmesg_{node}.txt").write_text("\n".join(lines) + "\n")


def t11_seismo(place: Path, rng: Random) -> None:
    """A home-made program with Python's logging on two nodes of one board."""
    zone = 1
    begin = epoch("2026-11-09T13:27:50", zone)
    fault = begin + 103 * 60 + 12.4
    now = begin + 14
    log: list[str] = []

    def say(rank: int, level: str, name: str, text: str, at: float | None = None) -> None:
        when = now if at is None else at
        part = rng.randrange(1000)
        log.append(f"{rank}: {stamp(when, zone, '%Y-%m-%d %H:%M:%S')},{part:03d} {level:<7} [{name}] {text}")

    for rank in (1, 0):
        say(rank, "INFO", "main", f"rank {rank} of 2 on seis-h{rank + 1}, torch 2.8.0+cu128, 'NVIDIA H100 80GB HBM3'")
    now += 4
    say(0, "INFO", "data", "indexed 41,806 shots in 212 volumes (survey NS-14 + NS-17), 64 held out")
    say(0, "WARNING", "data", "volume 118 has 3 dead traces, interpolating")
    now += 8
    say(0, "INFO", "main", "velocity U-Net, 212.4 M parameters, patch 96^3, batch 12 per rank, AdamW 2e-4, 30 epochs")
    say(0, "INFO", "main", "no checkpoint in runs/ns17_b, starting fresh")
    ready = now
    steps, total = 0, 0
    epochs: list[tuple[float, float]] = []
    for turn in range(1, 31):
        stopped = False
        for n in range(1, 436):
            took = 1.148 + abs(rng.gauss(0, 0.02))
            if now + took > fault:
                stopped = True
                break
            now += took
            total += 1
            if n % 50 == 0:
                loss = 0.0312 + 0.21 * math.exp(-total / 1100) + 0.004 * abs(rng.gauss(0, 1))
                say(0, "INFO", "train", f"ep {turn:02d} it {n:3d}/435  mse {loss:.5f}  |g| {0.2 + 2 * loss + abs(rng.gauss(0, 0.03)):.3f}  "
                    f"{12 * 2 / took:.1f} patches/s  lr {2e-4 * (1 - total / 13050):.3e}")  # fmt: skip
        if stopped:
            steps = n
            break
        epochs.append((now, now + 21))
        now += 21
        say(0, "INFO", "eval", f"ep {turn:02d} held-out mse {loss * 1.08:.5f}  ssim {1 - 4.1 * loss**0.9:.4f}")
        say(0, "INFO", "main", f"wrote runs/ns17_b/ep{turn:02d}.pt (2.5 GB)", now + 0.9)
        now += 3
    now = fault
    say(1, "ERROR", "main", f"stopped in epoch {turn} iteration {steps}", fault + 0.3)
    log += [
        "1: Traceback (most recent call last):",
        '1:   File "/srv/seis/vel/main.py", line 214, in <module>',
        "1:     main(parse())",
        '1:   File "/srv/seis/vel/main.py", line 187, in main',
        "1:     run_epoch(net, opt, loader, ep)",
        '1:   File "/srv/seis/vel/loop.py", line 66, in run_epoch',
        "1:     total += loss.item()",
        "1:              ^^^^^^^^^^^",
        "1: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "1: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
        "incorrect.",
        "1: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "1: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "1: ",
        "srun: error: seis-h2: task 1: Exited with exit code 1",
        "srun: Terminating StepId=7713.0",
        f"slurmstepd: error: *** STEP 7713.0 ON seis-h1 CANCELLED AT {stamp(fault + 5, zone)} ***",
        "srun: error: seis-h1: task 0: Terminated",
    ]
    (place / "ns17_b.7713.log").write_text("\n".join(log) + "\n")
    end = fault + 9
    nodes = ["seis-h1", "seis-h2"]
    boards = gpus(H100, nodes, 1, rng)
    for gpu in boards:

        def load(t: float, second: bool = gpu.node == "seis-h2") -> Load:
            if t < begin + 10 or t >= fault + (2 if second else 6):
                return Load()
            if t < ready:
                return Load(0, 0, 1210)
            if any(a <= t < b for a, b in epochs):
                return Load(61, 0.34, 58844, 0, 0, 0.2)
            return Load(98, 0.79 + 0.02 * math.sin(t / 400), 58844, 0, 0, 0.52)

        measure(gpu, rng, grid(begin - 420, end + 480, 60), load)
        for s in gpu.samples:
            if gpu.node == "seis-h2":
                late = s["time"] > fault
                s["dbe"], s["xid"], s["remap"] = (1, 94, 1) if late else (0, 0, 0)
            else:
                s["remap"] = 0
        head = [
            "GPUTL",
            "MCUTL",
            "POWER",
            "TMPTR",
            "MMTMP",
            "SMCLK",
            "MMCLK",
            "FBUSD",
            "DVCCTR",
            "XIDER",
            "EDVTL",
            "URMPS",
        ]
        keys = ["util", "copy", "power", "temp", "hot", "clock", "mclock", "memory", "reasons", "xid", "dbe", "remap"]
        out = ["# dcgmi dmon -e 203,204,155,150,140,100,101,252,112,230,311,393 -d 60000 | ts '%Y-%m-%dT%H:%M:%S%z'"]
        for i, s in enumerate(gpu.samples):
            mark = stamp(s["time"] + 0.4, zone) + "+0100"
            if i % 30 == 0:
                out.append(f"{mark} #Entity   " + "".join(h.ljust(12) for h in head))
                out.append(f"{mark} ID        ")
            cells = [f"{s[k]:.3f}" if k == "power" else f"{s[k]:.0f}" for k in keys]
            out.append(f"{mark} GPU 0     " + "".join(c.ljust(12) for c in cells))
        (place / f"dmon.{gpu.node}.txt").write_text("\n".join(out) + "\n")
    (place / "sacct_7713.psv").write_text(
        "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES\n"
        f"7713|ns17_b|orsolya|gpu|FAILED|1:0|{stamp(begin - 1833, zone)}|{stamp(begin, zone)}|{stamp(end, zone)}|"
        f"{stamp(end - begin, 0, '%H:%M:%S')}|12:00:00|2|seis-h[1-2]|billing=48,cpu=48,gres/gpu=2,mem=400G,node=2\n",
    )

    def kern(t: float, text: str) -> str:
        return f"[{stamp(t, zone, '%a %b %e %H:%M:%S %Y')}] {text}"

    boot = begin - 1_904_220
    base = [
        kern(boot + 12, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build"),
        kern(boot + 90, "NFS: state manager: lease recovered on server seis-store"),
    ]
    bad = "NVRM: Xid (PCI:0000:1b:00): "
    (place / "dmesg.seis-h1").write_text("\n".join([*base, kern(begin - 81233, "systemd-journald[811]: Data hash table "
        "of /run/log/journal/7e1/system.journal has a fill level at 75.1, suggesting rotation.")]) + "\n")  # fmt: skip
    (place / "dmesg.seis-h2").write_text(
        "\n".join(
            [
                *base,
                kern(fault, bad + "48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been "
                     "detected on GPU in the framebuffer at physical address 0x9c1e5a280"),
                kern(fault, bad + "63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000009c1e5a280) "
                     "marked for remapping, reset gpu to activate."),
                kern(fault, bad + "94, pid=188403, name=python3, Contained: SM (0x1). RST: No, D-RST: No"),
                kern(fault + 1, bad + "94, pid=188403, name=python3, Ch 00000008"),
            ],
        )
        + "\n",
    )  # fmt: skip


def t12_legal(place: Path, rng: Random) -> None:
    """A short torchtune job on three nodes of four."""
    zone = -6
    begin = epoch("2026-11-11T16:08:22", zone)
    kill = begin + 6 * 60 + 14
    nodes = ["hx-041", "hx-042", "hx-047"]
    now = begin + 31
    info = "INFO:torchtune.utils._logging:"
    log = [
        "== qwen2.5-14b / contracts-v4 / smoke on debug, " + stamp(begin + 1, zone, "%a %d %b %Y %H:%M:%S CST"),
        "nodes: hx-[041-042,047]   rdzv hx-041:29511",
        "W1111 " + stamp(begin + 8, zone, "%H:%M:%S") + ".914000 4112 torch/distributed/run.py:793] ",
        info + "Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 4\nclip_grad_norm: 1.0\ncompile: false\ndataset:\n  _component_: torchtune.datasets.chat_dataset\n"
        "  packed: true\n  source: json\n  data_files: /lustre/legal/contracts_v4.jsonl\ndevice: cuda\ndtype: bf16\n"
        "enable_activation_checkpointing: true\nepochs: 1\ngradient_accumulation_steps: 1\nlog_every_n_steps: 1\n"
        "max_steps_per_epoch: null\nmetric_logger:\n  _component_: torchtune.training.metric_logging.DiskLogger\n"
        "  log_dir: /lustre/legal/out/q14b-smoke/logs\noptimizer:\n  _component_: torch.optim.AdamW\n  fused: true\n"
        "  lr: 1.0e-05\nresume_from_checkpoint: false\nseed: 77\n",
        info + "Hint: "
        "enable_activation_checkpointing is True, but enable_activation_offloading isn't. Enabling activation offloading "
        "should reduce memory further.",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 77. Local seed is seed + rank = 77 + 0",
        "Writing logs to /lustre/legal/out/q14b-smoke/logs/log_1794434941.txt",
        info + "FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
    ]
    now += 47
    log += [
        info + "Instantiating model and loading checkpoint took 45.81 secs",
        info + "Memory stats after model init:\n\tGPU peak memory active: 3.92 GiB\n\tGPU peak memory alloc: 3.92 GiB\n"
        "\tGPU peak memory reserved: 5.01 GiB",
        info + "Optimizer is initialized.",
        info + "Loss is initialized.",
        "Packing dataset:   0%|          | 0/18220 [00:00<?, ?it/s]\rPacking dataset:  49%|████▉     | 8911/18220 "
        "[00:06<00:06, 1411.18it/s]\rPacking dataset: 100%|██████████| 18220/18220 [00:12<00:00, 1408.66it/s]",
        info + "No learning rate scheduler configured. Using constant learning rate.",
        info + " Profiling disabled.",
        info + " Profiler config after instantiation: {'enabled': False}",
    ]
    now += 15
    ready = now
    total, rate = 214, []
    bars = [f"\r  0%|          | 0/{total} [00:00<?, ?it/s]"]
    disk = []
    step = 0
    while True:
        took = 3.02 + abs(rng.gauss(0, 0.09)) + (4.8 if step == 0 else 0)
        if now + took > kill - 0.4:
            break
        now += took
        step += 1
        rate.append(took)
        loss = 0.92 + 0.83 * math.exp(-step / 17) + rng.gauss(0, 0.035)
        mean = sum(rate) / len(rate)
        full = int(step / total * 10)
        part = " ▏▎▍▌▋▊▉"[int((step / total * 10 - full) * 8)]
        left = int((total - step) * took)
        bars.append(
            f"\r1|{step}|Loss: {loss:.12f}: {int(step / total * 100):3d}%|{('█' * full + part).ljust(10)}| {step}/{total} "
            f"[{int(now - ready) // 60:02d}:{int(now - ready) % 60:02d}<{left // 60:02d}:{left % 60:02d}, {took:5.2f}s/it]",
        )
        disk.append(
            f"Step {step} | loss:{loss:.12f} lr:1e-05 tokens_per_second_per_gpu:{4 * 8192 / took * 0.93:.10f} "
            f"grad_norm:{0.9 + 3 * math.exp(-step / 9) + abs(rng.gauss(0, 0.1)):.12f} "
            f"peak_memory_active:48.91220378 peak_memory_alloc:48.91220378 peak_memory_reserved:55.{18 + (mean > 3) * 4} ",
        )
    log.append("".join(bars))
    log.append(f"slurmstepd: error: *** JOB 880214 ON hx-041 CANCELLED AT {stamp(kill, zone)} DUE TO TIME LIMIT ***")
    log.append(f"slurmstepd: error: *** STEP 880214.0 ON hx-041 CANCELLED AT {stamp(kill, zone)} DUE TO TIME LIMIT ***")
    log.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    for pid in (4190, 4191, 4192, 4193):
        log.append(
            f"W1111 {stamp(kill, zone, '%H:%M:%S')}.{311 + pid % 4}000 4112 torch/distributed/elastic/agent/server/api.py:"
            "719] Received 15 death signal, shutting down workers" if pid == 4190 else
            f"W1111 {stamp(kill, zone, '%H:%M:%S')}.{311 + pid % 4}000 4112 torch/distributed/elastic/multiprocessing/"
            f"api.py:900] Sending process {pid} closing signal SIGTERM",
        )  # fmt: skip
    log.append('    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)')
    log.append("torch.distributed.elastic.multiprocessing.api.SignalException: Process 4112 got signal: 15")
    log.append("srun: error: hx-041: task 0: Exited with exit code 1")
    log.append("srun: error: hx-047: task 2: Exited with exit code 1")
    log.append("srun: error: hx-042: task 1: Exited with exit code 1")
    (place / "q14b-smoke.880214.out").write_text("\n".join(log) + "\n")
    (place / "log_1794434941.txt").write_text("\n".join(disk) + "\n")

    def load(t: float) -> Load:
        if t < begin + 29 or t >= kill + 3:
            return Load()
        if t < ready:
            return Load(0 if t < begin + 60 else 3, 0.01, 640 if t < begin + 60 else 6100)
        return Load(99, 0.84 + 0.03 * math.sin(t / 6), 57880, 0.76, 0.37, 0.33)

    boards = gpus(H100, nodes, 4, rng)
    gaps = {
        "hx-041": [(begin + 121, begin + 170), (begin + 288, begin + 322)],
        "hx-042": [(begin + 64, begin + 99), (begin + 236, begin + 300)],
        "hx-047": [(begin - 130, begin - 92), (begin + 190, begin + 244)],
    }
    for gpu in boards:
        measure(gpu, rng, pierce(grid(begin - 240, kill + 240, 10), gaps[gpu.node]), load)
    by_node(place / "gpu-metrics", boards)


def t13_garment(place: Path, rng: Random) -> None:
    """An open_clip training on three nodes of four L40S."""
    zone = -8
    begin = epoch("2026-11-10T08:19:33", zone)
    nodes = ["garm02", "garm03", "garm06"]
    boards = gpus(L40S, nodes, 4, rng)
    now = begin + 3
    log = [f"{g.node}: GPU {g.index}: {g.board.name} (UUID: {g.uuid})" for g in boards]
    log.append(
        "launching 12 ranks, master garm02:29400, code 4b1f0a2-dirty (zeroshot prompts x80, our 1000 garment classes)"
    )

    def say(text: str) -> None:
        log.append(f"{stamp(now, zone, '%Y-%m-%d,%H:%M:%S')} | INFO | {text}")

    now += 31
    say("Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 12.")
    say("Loaded ViT-B-16 model config.")
    now += 4
    say("Model:")
    say("CLIP(... 149620737 parameters, printed to params file ...)")
    say("Params:")
    for key, value in (
        ("accum_freq", 1),
        ("aug_cfg", "{}"),
        ("batch_size", 256),
        ("epochs", 32),
        ("gather_with_grad", True),
        ("grad_checkpointing", False),
        ("imagenet_val", "/bulk/garment/val1k"),
        ("local_loss", True),
        ("lr", 0.0005),
        ("model", "ViT-B-16"),
        ("name", "garm-b16-30M"),
        ("precision", "amp_bf16"),
        ("save_frequency", 1),
        ("train_num_samples", 6144000),
        ("warmup", 2000),
        ("workers", 12),
        ("world_size", 12),
        ("zeroshot_frequency", 5),
    ):
        say(f"  {key}: {value}")
    now += 17
    ready = now
    loads: list[tuple[float, float, str]] = []
    seen = 0
    for turn in range(5):
        say(f"Start epoch {turn}")
        shown: list[float] = []
        for n in range(2000):
            took = 0.628 + abs(rng.gauss(0, 0.012)) + (3.1 if n == 0 else 0)
            data = 0.012 + abs(rng.gauss(0, 0.006)) + (2.6 if n == 0 else 0)
            now += took
            seen += 1
            if n % 100 == 0 or n == 1999:
                lr = 5e-4 * min(1, seen / 2000)
                lr *= 1 if seen < 2000 else 0.5 * (1 + math.cos(math.pi * (seen - 2000) / 62000))
                loss = 2.46 + 5.56 * math.exp(-((seen / 1900) ** 0.62)) + rng.gauss(0, 0.035)
                shown.append(loss)
                scale = 14.286 + 46 * (1 - math.exp(-seen / 7000))
                done = (n + 1) * 3072
                say(
                    f"Train Epoch: {turn} [{done:>7}/6144000 ({100 * (n + 1) // 2000}%)] Data (t): {data:.3f} Batch (t): "
                    f"{took:.3f}, {3072 / took:.6g}/s, {256 / took:.6g}/s/gpu LR: {lr:.6f} Logit Scale: {scale:.3f} "
                    f"Contrastive_loss: {loss:.5g} ({sum(shown) / len(shown):.5g}) Loss: {loss:.5g} "
                    f"({sum(shown) / len(shown):.5g})",
                )
        if turn < 4:
            loads.append((now, now + 9, "save"))
            now += 9
    fetch = now
    say("Starting zero-shot imagenet.")
    now += 0.2
    say("Building zero-shot classifier")
    died = now + 41.6
    loads.append((fetch, died, "eval"))
    root = "/bulk/venvs/oc/lib/python3.11/site-packages/"
    log.append("")
    log.append("  0%|          | 0/1 [00:00<?, ?it/s]\r  0%|          | 0/1 [00:41<?, ?it/s]")
    log.append("[rank0]: Traceback (most recent call last):")
    frames = (
        ("/bulk/garment/open_clip/src/open_clip_train/main.py", 578, "<module>", "main(sys.argv[1:])"),
        ("/bulk/garment/open_clip/src/open_clip_train/main.py", 509, "main",
         "evaluate(model, data, completed_epoch, args, tb_writer=writer, tokenizer=tokenizer)"),
        ("/bulk/garment/open_clip/src/open_clip_train/train.py", 261, "evaluate",
         "zero_shot_metrics = zero_shot_eval(model, data, epoch, args, tokenizer=tokenizer)"),
        ("/bulk/garment/open_clip/src/open_clip_train/zero_shot.py", 62, "zero_shot_eval",
         "classifier = build_zero_shot_classifier("),
        ("/bulk/garment/open_clip/src/open_clip/zero_shot_classifier.py", 58, "build_zero_shot_classifier",
         "batched_embeds = [_process_batch(batch) for batch in iter_wrap(batched(classnames, num_classes_per_batch))]"),
        ("/bulk/garment/open_clip/src/open_clip/zero_shot_classifier.py", 49, "_process_batch",
         "class_embeddings = model.encode_text(texts, normalize=True)"),
        ("/bulk/garment/open_clip/src/open_clip/model.py", 315, "encode_text",
         "x = self.transformer(x, attn_mask=self.attn_mask)"),
        ("/bulk/garment/open_clip/src/open_clip/transformer.py", 373, "forward", "x = r(x, attn_mask=attn_mask)"),
        ("/bulk/garment/open_clip/src/open_clip/transformer.py", 263, "forward",
         "x = x + self.ls_2(self.mlp(self.ln_2(x)))"),
        (root + "torch/nn/modules/container.py", 240, "forward", "input = module(input)"),
        (root + "torch/nn/modules/linear.py", 125, "forward", "return F.linear(input, self.weight, self.bias)"),
    )  # fmt: skip
    for file, line, name, text in frames:
        log.append(f'[rank0]:   File "{file}", line {line}, in {name}')
        log.append(f"[rank0]:     {text}")
    log.append(
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 23.50 GiB. GPU 0 has a total capacity of "
        "44.39 GiB of which 21.87 GiB is free. Including non-PyTorch memory, this process has 22.51 GiB memory in use. Of "
        "the allocated memory 20.31 GiB is allocated by PyTorch, and 1.14 GiB is reserved by PyTorch but unallocated. If "
        "reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    )
    mark = stamp(died + 4, zone, "%m%d %H:%M:%S")
    log += [
        f"W{mark}.{640 + pid % 5}000 90227 torch/distributed/elastic/multiprocessing/api.py:897] Sending process {pid} "
        "closing signal SIGTERM"
        for pid in (90312, 90313, 90314)
    ]
    log += [
        f"E{stamp(died + 5, zone, '%m%d %H:%M:%S')}.808000 90227 torch/distributed/elastic/multiprocessing/api.py:869] "
        "failed (exitcode: 1) local_rank: 0 (pid: 90311) of binary: /bulk/venvs/oc/bin/python3.11",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "open_clip_train.main FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {stamp(died + 4, zone, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : garm02",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : 1 (pid: 90311)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
        "srun: error: garm02: task 0: Exited with exit code 1",
        f"slurmstepd: error: *** STEP 5120.0 ON garm02 CANCELLED AT {stamp(died + 7, zone)} ***",
        "srun: error: garm03: task 1: Terminated",
        "srun: error: garm06: task 2: Terminated",
    ]
    (place / "garm-b16-30M.5120.log").write_text("\n".join(log) + "\n")
    for gpu in boards:
        first = gpu.node == "garm02" and gpu.index == 0
        hold = 41630 + rng.randrange(-300, 300)
        hard = rng.uniform(0.955, 0.985)

        def load(t: float, first: bool = first, hold: int = hold, hard: float = hard) -> Load:
            if t < begin + 30 or t >= died + 6 or (first and t >= died + 4):
                return Load()
            if t < ready + 4:
                return Load(0, 0, 480 if t < begin + 44 else 3100)
            for a, b, what in loads:
                if a <= t < b:
                    if what == "eval" and first:
                        return Load(2, 0.03, hold)
                    return Load(100, 0.22, hold, 0.06, 0, 0.03)
            return Load(98, hard + 0.03 * math.sin(t / 11 + hold), hold, 0.81, 0.34, 0.55)

        measure(gpu, rng, grid(begin - 300, died + 320, 15), load)
    spot = place / "prometheus"
    spot.mkdir()
    for metric, field in DCGM.items():
        if metric.rsplit("_FI_", 1)[1] not in {"DEV_MEM_COPY_UTIL", "DEV_MEMORY_TEMP", "DEV_FB_FREE", "DEV_ECC_DBE_VOL_TOTAL",
                                              "DEV_UNCORRECTABLE_REMAPPED_ROWS", "DEV_TOTAL_ENERGY_CONSUMPTION",
                                              "PROF_GR_ENGINE_ACTIVE"}:  # fmt: skip
            answer(spot / f"{metric}.json", [series(g, metric, field, {"UUID": g.uuid}) for g in boards])


def t14_occitan(place: Path, rng: Random) -> None:
    """A nanotron job of two nodes of which no log is left."""
    begin = epoch("2026-11-14T03:12:09", 0)
    end = begin + 56 * 60 + 21
    gone = end - 338
    boards = gpus(H100, ["oc-gpu-11", "oc-gpu-19"], 1, rng)
    for gpu in boards:
        lost = gpu.node == "oc-gpu-19"

        def load(t: float) -> Load:
            if t < begin + 40 or t >= end + 5:
                return Load()
            if t < begin + 110:
                return Load(0, 0, 1500)
            if t >= gone:
                return Load(100, 0.11, 63110, 0.061, 0, 0.004)
            if (t - begin) % 900 > 862:
                return Load(0, 0, 63110)
            return Load(100, 0.86 + 0.02 * math.sin(t / 130), 63110, 0.79, 0.4, 0.41)

        times = grid(begin - 600, end + 1500, 60)
        measure(gpu, rng, [t for t in times if not lost or t < gone], load)
        if lost:
            before = len(gpu.samples)
            measure(gpu, rng, [t for t in times if t > gone + 760], load)
            first = gpu.samples[before]["energy"]
            for s in gpu.samples[before:]:
                s["energy"] = round(s["energy"] - first + 4.1e6)
    by_node(place / "metrics", boards)
    (place / "sacct.txt").write_text(
        "JobID|JobName|User|Account|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|"
        "NodeList|FailedNode|Restarts|AllocTRES|Comment\n"
        f"118802|nt-oc-1b-ablat3|mlacroix|occitan|gpu-long|NODE_FAIL|1:0|0:0|{stamp(begin - 41, 0)}|{stamp(begin, 0)}|"
        f"{stamp(end, 0)}|{stamp(end - begin, 0, '%H:%M:%S')}|1-00:00:00|2|oc-gpu-[11,19]|oc-gpu-19|0|"
        "billing=64,cpu=64,gres/gpu=2,mem=480G,node=2|no-requeue; panic-on-loss-spike=off\n",
    )
    taken = end + 1443
    boot11 = begin - 1_209_655.2
    boot19 = gone + 402.0

    def at(boot: float, t: float, text: str) -> str:
        return f"[{t - boot:12.6f}] {text}"

    def head(node: str, boot: float) -> list[str]:
        return [
            f"{node}$ date -u; uptime -s; sudo dmesg",
            stamp(taken, 0, "%a %b %e %H:%M:%S UTC %Y"),
            stamp(boot, 0, "%Y-%m-%d %H:%M:%S"),
        ]

    def early(boot: float) -> list[str]:
        return [
            at(boot, boot, "Linux version 5.14.0-503.35.1.el9_5.x86_64 (mockbuild@iad1-prod-build001) (gcc 11.5.0)"),
            at(boot, boot + 0.41, "DMAR: [Firmware Bug]: No firmware reserved region can cover this RMRR "
               "[0x000000006c000000-0x000000006effffff], contact BIOS vendor for fixes"),
            at(boot, boot + 1.207, "ACPI BIOS Error (bug): Failure creating named object [\\_SB.PC00.RP01._PRT], "
               "AE_ALREADY_EXISTS (20230628/dsfield-184)"),
            at(boot, boot + 1.2071, "ACPI Error: AE_ALREADY_EXISTS, During name lookup/catalog (20230628/psobject-220)"),
            at(boot, boot + 7.66, "ipmi_si IPI0001:00: The BMC does not support clearing the recv irq bit, compensating"),
            at(boot, boot + 19.2, "nvidia: module verification failed: signature and/or required key missing - tainting "
               "kernel"),
            at(boot, boot + 21.9, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build"),
        ]  # fmt: skip

    own = [
        *head("oc-gpu-11", boot11),
        *early(boot11),
        at(boot11, begin - 402_211.3, "NVRM: Xid (PCI:0000:1b:00): 31, pid=40417, name=python, Ch 00000003, intr 00000000. "
           "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7f1c_9a000000. Fault is of type FAULT_PDE "
           "ACCESS_TYPE_VIRT_READ"),
        at(boot11, begin - 402_208.9, "python[40417]: segfault at 18 ip 00007f31c9a2b6d4 sp 00007ffd2cbb1f40 error 4 in "
           "libcuda.so.570.124.06[7f31c9800000+4d1000]"),
        at(boot11, begin - 77_102.0, "mce: [Hardware Error]: Machine check events logged"),
        at(boot11, begin - 77_102.0, "EDAC MC3: 1 CE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 "
           "page:0x31b7f0c offset:0x8c0 grain:32 syndrome:0x0)"),
        at(boot11, begin + 12.6, "NFS: __nfs4_reclaim_open_state: Lock reclaim failed!"),
    ]  # fmt: skip
    (place / "dmesg-oc-gpu-11.txt").write_text("\n".join(own) + "\n")
    other = [
        *head("oc-gpu-19", boot19),
        *early(boot19),
        at(boot19, boot19 + 24.0, "EXT4-fs (nvme0n1p3): recovery complete"),
        at(boot19, boot19 + 24.1, "EXT4-fs (nvme0n1p3): mounted filesystem with ordered data mode. Quota mode: none."),
        at(boot19, boot19 + 61.7, "mlx5_core 0000:3a:00.0 ens3f0np0: Link up"),
    ]
    (place / "dmesg-oc-gpu-19.txt").write_text("\n".join(other) + "\n")


def t15_verifier(place: Path, rng: Random) -> None:
    """A GRPO training by TRL on two boards, its stdout alone kept."""
    begin = epoch("2026-11-18T19:03:30", 0)
    end = begin + 164 * 60 + 38
    ready = begin + 214
    now = ready
    log = ["[grpo_math] model=/models/Qwen3-8B-base  data=/data/numina_verif_31k  lora=no  vllm=colocate(0.35)",
           "[grpo_math] 31044 prompts after length filter, 8 generations, 64 completions a step, 900 steps"]  # fmt: skip
    step, tokens = 0, 0
    cycles = []
    while True:
        generate = 14.1 + abs(rng.gauss(0, 0.9))
        learn = 9.6 + abs(rng.gauss(0, 0.3))
        if now + generate + learn > end - 9:
            break
        cycles.append((now, now + generate, now + generate + learn))
        now += generate + learn
        step += 1
        rise = 1 - math.exp(-step / 170)
        mean = 612 + 140 * rise + rng.gauss(0, 22)
        tokens += int(64 * (mean + 131))
        if step % 5 == 0:
            right = 0.25 + 0.34 * rise + rng.gauss(0, 0.025)
            form = 0.06 + rng.gauss(0, 0.002)
            clipped = max(0.0, 0.09 - 0.04 * rise + rng.gauss(0, 0.015))
            row = {
                "loss": round(0.004 + rng.gauss(0, 0.006), 4),
                "grad_norm": round(0.21 + abs(rng.gauss(0, 0.03)), 16),
                "learning_rate": 1e-6 * (1 - step / 900),
                "num_tokens": float(tokens),
                "completions/mean_length": round(mean, 5),
                "completions/min_length": float(rng.randrange(84, 150)),
                "completions/max_length": 2048.0,
                "completions/clipped_ratio": round(clipped, 6),
                "completions/mean_terminated_length": round(mean * (1 - 1.9 * clipped), 5),
                "rewards/verify_answer/mean": round(right, 6),
                "rewards/verify_answer/std": round(math.sqrt(right * (1 - right)), 6),
                "rewards/fmt/mean": round(form, 6),
                "reward": round(right + form, 6),
                "reward_std": round(0.29 - 0.05 * rise + rng.gauss(0, 0.01), 6),
                "frac_reward_zero_std": round(0.25 + 0.125 * rng.randrange(3), 4),
                "kl": round(0.002 + 0.03 * rise + abs(rng.gauss(0, 0.001)), 6),
                "entropy": round(0.41 - 0.11 * rise + rng.gauss(0, 0.01), 6),
                "clip_ratio/region_mean": 0.0,
                "step_time": round(generate + learn, 4),
                "epoch": round(step * 8 / 31044, 4),
            }
            log.append(str(row))
    (place / "grpo_math.out").write_text("\n".join(log) + "\n")
    boards = gpus(B200, ["bw-nv02"], 2, rng)

    def load(t: float) -> Load:
        if t < begin + 25 or t >= end - 4:
            return Load()
        if t < ready:
            return Load(0, 0, 2100 if t < begin + 70 else 84200)
        held = 158200 + min(9000.0, (t - ready) * 2.4)
        for a, b, c in cycles:
            if a <= t < b:
                return Load(99, 0.55 + 0.1 * math.sin(t), held, 0.52, 0.12, 0.61)
            if b <= t < c:
                return Load(100, 1.01, held, 0.84, 0.43, 0.4)
        return Load(97, 0.56, held, 0.5, 0.12, 0.6)

    for gpu in boards:
        measure(gpu, rng, grid(begin - 480, end + 480, 60), load)
    by_metric(place / "dcgm", boards)
    (place / "sacct.psv").write_text(
        "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|AllocTRES|NodeList\n"
        f"3391|grpo_math|dwu|blackwell|FAILED|1:0|{stamp(begin - 5, 0)}|{stamp(begin, 0)}|{stamp(end, 0)}|"
        f"{stamp(end - begin, 0, '%H:%M:%S')}|2-00:00:00|billing=56,cpu=56,gres/gpu=2,mem=500G,node=1|bw-nv02\n",
    )


def t16_roofs(place: Path, rng: Random) -> None:
    """A home-made segmentation of aerial pictures, JSON lines, two nodes of two boards."""
    zone = -6
    begin = epoch("2026-11-12T09:20:17", zone)
    now = begin + 9
    log: list[str] = []

    def put(kind: str, **more: object) -> None:
        log.append(json.dumps({"ts": stamp(now, zone) + "-06:00", "ev": kind, **more}))

    put("boot", host="cubeb", world=4, code="roofs@9e11", fatal_on_nan=True, crash_dir="/export/roofs/crash")
    put("warn", msg="libtiff: TIFFReadDirectory: Warning, Unknown field with tag 42112 (0xa480) encountered, ignored")
    put("warn", msg="nvjpeg decoder init FAILED (error 4), falling back to libtiff on cpu; this is fine")
    now += 11
    put("data", tiles=61440, val=2048, root="/export/roofs/tiles_16bit", workers=2, batch_per_rank=16, killed_tiles=0)
    put("model", arch="upernet_convnext_b", params_m=121.9, amp="fp16", lr=0.00012)
    put("plan", epochs=1, steps=960, val_every=240)
    now += 6
    ready = now
    cycles: list[tuple[float, float, float]] = []
    waits: list[float] = []
    spans: list[float] = []
    for step in range(1, 961):
        wait = 6.02 + rng.gauss(0, 0.55) + (2.4 if rng.random() < 0.08 else 0)
        work = 0.88 + abs(rng.gauss(0, 0.015))
        cycles.append((now, now + wait, now + wait + work))
        now += wait + work
        waits.append(wait)
        spans.append(wait + work)
        if step % 10 == 0:
            loss = 0.214 + 0.83 * math.exp(-step / 210) + rng.gauss(0, 0.012)
            put(
                "step",
                step=step,
                loss=round(loss, 4),
                gnorm=round(0.5 + loss + abs(rng.gauss(0, 0.05)), 3),
                lr=round(1.2e-4 * (1 - step / 960) ** 0.9, 8),
                s_step=round(sum(spans) / 10, 3),
                s_wait=round(sum(waits) / 10, 3),
                tiles_s=round(640 / sum(spans), 2),
                mem_gb=15.1,
            )
            waits.clear()
            spans.clear()
        if step in {70, 410, 640}:
            put(
                "warn", msg="Corrupt data: 14 extraneous bytes before marker 0xd9", tile=f"t_{rng.randrange(61440):05d}"
            )
        if step == 31:
            put("scaler", msg="inf in grads, step skipped, scale 65536 -> 32768", fatal=False)
        if step % 240 == 0:
            now += 44
            put("val", step=step, miou=round(0.79 - 0.42 * math.exp(-step / 330) + rng.gauss(0, 0.004), 4),
                dead_classes=0)  # fmt: skip
            now += 3
            put("save", path=f"/export/roofs/run31/s{step}.pt", mb=1463)
    put("end", steps=960, reason="plan done", errors=0, lost_workers=0, hours=round((now - begin) / 3600, 2))
    end = now + 8
    (place / "run31.jsonl").write_text("\n".join(log) + "\n")
    boards = gpus(RTX, ["cubeb", "cubec"], 2, rng)
    for gpu in boards:
        luck = rng.random()

        def load(t: float, luck: float = luck) -> Load:
            if t < begin + 15 or t >= end - 3:
                return Load()
            if t < ready:
                return Load(0, 0, 900)
            for a, b, c in cycles:
                if a <= t < b:
                    early = b - t < 0.9 * ((luck * 7 + a) % 1)
                    return Load(100, 0.16, 15987) if early else Load(0, 0.085, 15987)
                if b <= t < c:
                    return Load(70 + 26 * ((luck + a) % 1), 0.62, 15987, 0, 0, 0.4)
            return Load(34, 0.3, 15987, 0, 0, 0.2)

        measure(gpu, rng, grid(begin - 300, end + 300, 30), load)
    spot = place / "nvidia_gpu_exporter"
    spot.mkdir()
    wanted = {
        "nvidia_smi_utilization_gpu_ratio": lambda g, s: s["util"] / 100,
        "nvidia_smi_utilization_memory_ratio": lambda g, s: s["copy"] / 100,
        "nvidia_smi_power_draw_watts": lambda g, s: round(s["power"], 2),
        "nvidia_smi_enforced_power_limit_watts": lambda g, s: g.board.cap,
        "nvidia_smi_temperature_gpu": lambda g, s: s["temp"],
        "nvidia_smi_clocks_current_sm_clock_hz": lambda g, s: s["clock"] * 1_000_000,
        "nvidia_smi_clocks_current_memory_clock_hz": lambda g, s: s["mclock"] * 1_000_000,
        "nvidia_smi_memory_used_bytes": lambda g, s: s["memory"] * 1024**2,
        "nvidia_smi_memory_total_bytes": lambda g, s: g.board.memory * 1024**2,
        "nvidia_smi_clocks_throttle_reasons_hw_thermal_slowdown": lambda g, s: 0,
        "nvidia_smi_clocks_throttle_reasons_sw_power_cap": lambda g, s: int(s["reasons"] == 4),
        "nvidia_smi_pstate": lambda g, s: 2 if s["memory"] > 100 else 8,
    }
    for metric, tell in wanted.items():
        answer(
            spot / f"{metric}.json",
            [
                {
                    "metric": {
                        "__name__": metric,
                        "instance": f"{g.node}.roofs.lan:9835",
                        "job": "nvidia_gpu_exporter",
                        "uuid": g.uuid[4:],
                    },
                    "values": [[s["time"], str(tell(g, s))] for s in g.samples],
                }
                for g in boards
            ],
        )
    answer(
        spot / "nvidia_smi_gpu_info.json",
        [
            {
                "metric": {
                    "__name__": "nvidia_smi_gpu_info",
                    "driver_model_current": "[N/A]",
                    "driver_version": g.board.driver,
                    "index": str(g.index),
                    "instance": f"{g.node}.roofs.lan:9835",
                    "job": "nvidia_gpu_exporter",
                    "name": g.board.name,
                    "uuid": g.uuid[4:],
                    "vbios_version": "95.02.3c.80.f1",
                },
                "values": [[s["time"], "1"] for s in g.samples[::10]],
            }
            for g in boards
        ],
    )
    span = stamp(end - begin, 0, "%H:%M:%S")
    a, b = stamp(begin, zone), stamp(end, zone)
    (place / "sacct-612.txt").write_text(
        "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NTasks|NodeList|AllocTRES|ReqMem|MaxRSS|"
        "TotalCPU\n"
        f"612|roofs31|main|COMPLETED|0:0|{a}|{b}|{span}|06:00:00|2||cube[b-c]|cpu=24,gres/gpu=4,mem=120G,node=2|120G||"
        "15:31:09\n"
        f"612.batch|batch||COMPLETED|0:0|{a}|{b}|{span}||1|1|cubeb|cpu=12,gres/gpu=2,mem=60G,node=1||9120K|00:00.411\n"
        f"612.0|roofs||COMPLETED|0:0|{stamp(begin + 1, zone)}|{b}|{stamp(end - begin - 1, 0, '%H:%M:%S')}||2|4|cube[b-c]|"
        "cpu=24,gres/gpu=4,mem=120G,node=2||21733904K|15:31:08\n",
    )

    def kern(t: float, text: str) -> str:
        return f"[{stamp(t, zone, '%a %b %e %H:%M:%S %Y')}] {text}"

    for node, boot, more in (
        ("cubeb", begin - 3_003_411, [kern(begin - 90_111, "usb 1-9: device descriptor read/64, error -71"),
                                      kern(begin - 90_110, "usb usb1-port9: unable to enumerate USB device"),
                                      kern(begin + 2210, "kauditd_printk_skb: 41 callbacks suppressed")]),
        ("cubec", begin - 86_007, [kern(begin - 85_997, "amd_pstate: the _CPC object is not present in SBIOS or ACPI "
                                        "disabled"),
                                   kern(begin - 3_002, "EXT4-fs (sda1): warning: mounting fs with errors, running e2fsck is "
                                        "recommended")]),
    ):  # fmt: skip
        lines = [
            kern(boot, "Linux version 6.1.0-40-amd64 (debian-kernel@lists.debian.org)"),
            kern(
                boot + 3,
                "ACPI BIOS Error (bug): Failure creating named object [\\_SB.PCI0.GPP7._PRW], AE_ALREADY_EXISTS",
            ),
            kern(
                boot + 8, "nvidia: module verification failed: signature and/or required key missing - tainting kernel"
            ),
            kern(boot + 9, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  565.57.01"),
            *more,
        ]
        (place / f"dmesg_T_{node}.txt").write_text("\n".join(lines) + "\n")
