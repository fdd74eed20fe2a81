"""Incidents t01 to t08: folders as an operator hands them over.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth import gauge_ic as g

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01_millrace(place: Path, rng: Random) -> None:
    """One A100, megatron-lm, all in order."""
    node, begin, driver = "icx-gpu07", g.epoch("2026-02-18T03:41:22", 0), "550.127.08"
    log = [
        "using world size: 1, data-parallel size: 1, context-parallel size: 1, tensor-model-parallel size: 1, "
        "pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
        "  adam_beta2 ...................................... 0.95",
        "  bf16 ............................................ True",
        "  eval_interval ................................... 800",
        "  eval_iters ...................................... 24",
        "  global_batch_size ............................... 32",
        "  hidden_size ..................................... 2048",
        "  log_interval .................................... 20",
        "  lr .............................................. 0.00024",
        "  micro_batch_size ................................ 4",
        "  num_layers ...................................... 22",
        "  save ............................................ /scratch/vk/ckpt/nordtext-1b",
        "  save_interval ................................... 1600",
        "  seq_length ...................................... 2048",
        "  train_iters ..................................... 3240",
        "-------------------- end of arguments ---------------------",
        "> building SentencePieceTokenizer tokenizer ...",
        " > padded vocab (size: 48000) with 128 dummy tokens (new size: 48128)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.041 seconds",
        "time to initialize megatron (seconds): 9.118",
        f"[after megatron is initialized] datetime: {g.local(begin + 31, 0):%Y-%m-%d %H:%M:%S} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 1206847488",
        "WARNING: could not find the metadata file /scratch/vk/ckpt/nordtext-1b/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        "(min, max) time across ranks (ms):",
        "    load-checkpoint ................................: (0.61, 0.61)",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {g.local(begin + 44, 0):%Y-%m-%d %H:%M:%S} ",
        "> building train, validation, and test datasets ...",
        "    train:      103680",
        "    validation: 3840",
        "    test:       768",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {g.local(begin + 71, 0):%Y-%m-%d %H:%M:%S} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {g.local(begin + 71, 0):%Y-%m-%d %H:%M:%S} ",
    ]
    busy = g.Load(1.0, 0.985, 0.79, 0.31, 0.44, 0.38, 352, 63118, 45, 0, 4, 0.025)
    evaluate = g.Load(1.0, 0.98, 0.74, 0.29, 0.41, 0.33, 318, 63118, 40)
    save = g.Load(0.05, 0.04, 0.02, 0.01, 0.0, 0.02, 92, 63118, 1900)
    loads = [(begin + 18, g.Load(0, 0, 0, 0, 0, 0, 71, 2411)), (begin + 72, busy)]
    t = begin + 75.0

    def loss(i: int) -> float:
        return 3.61 + 7.4 / (1 + i / 95) ** 0.78 + rng.gauss(0, 0.028)

    def valid(i: int, where: str) -> None:
        nonlocal t
        loads.append((t, evaluate))
        t += 24 * 1.03 + rng.uniform(0, 1)
        loads.append((t, busy))
        v = loss(i) + 0.03
        text = (
            f" validation loss at iteration {i}{where} | lm loss value: {v:.6E} | lm loss PPL: {2.718281828**v:.6E} | "
        )
        log.extend(["-" * (len(text) - 1), text, "-" * (len(text) - 1)])

    for i in range(20, 3241, 20):
        ms = 3084 * rng.uniform(0.994, 1.008) + (1350 if i == 20 else 0)
        t += ms * 20 / 1000
        lr = 2.4e-4 * min(1, i / 160) * (1 if i < 160 else 1 - 0.9 * (i - 160) / 3080)
        log.append(
            f" [{g.local(t, 0):%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{3240:8d} | consumed samples: {i * 32:12d} | "
            f"elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {168.9 * 3084 / ms:.1f} | "
            f"learning rate: {lr:.6E} | global batch size: {32:5d} | lm loss: {loss(i):.6E} | loss scale: 1.0 | "
            f"grad norm: {max(0.21, 3.4 / (1 + i / 40)) * rng.uniform(0.85, 1.2):.3f} | "
            f"number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |"
        )
        if i == 20:
            log.append(
                "[Rank 0] (after 20 iterations) memory (MB) | allocated: 21377.83 | max allocated: 58120.41 | "
                "reserved: 61774.0 | max reserved: 61774.0"
            )
        if i % 800 == 0:
            valid(i, "")
        if i % 1600 == 0:
            loads.append((t, save))
            log.append(f"saving checkpoint at iteration {i:7d} to /scratch/vk/ckpt/nordtext-1b in torch_dist format")
            t += 21.4
            loads.append((t, busy))
            log.append(
                f"  successfully saved checkpoint from iteration {i:7d} to /scratch/vk/ckpt/nordtext-1b [ t 1/1, p 1/1 ]"
            )
    log.append(f"[after training is done] datetime: {g.local(t, 0):%Y-%m-%d %H:%M:%S} ")
    loads.append((t, save))
    t += 22
    log += [
        "saving checkpoint at iteration    3240 to /scratch/vk/ckpt/nordtext-1b in torch_dist format",
        "  successfully saved checkpoint from iteration    3240 to /scratch/vk/ckpt/nordtext-1b [ t 1/1, p 1/1 ]",
    ]
    log.append("Evaluating on 768 samples")
    valid(3240, " on validation set")
    valid(3240, " on test set")
    end = t + 9
    loads += [(end - 8, g.Load(0, 0, 0, 0, 0, 0, 84, 63118)), (end, g.Load())]
    (place / "nordtext-1b_88213.log").write_text("\n".join(log) + "\n")
    gpu = g.Gpu(node, 2, g.A100, loads)
    gpu.run(begin // 60 * 60 - 600, end + 660, 60, rng)
    g.prometheus(place / "dcgm_query_range.json", [gpu], driver)
    g.table(
        place / "sacct_88213.txt",
        [
            "JobID",
            "JobName",
            "User",
            "Partition",
            "State",
            "ExitCode",
            "Submit",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "AllocTRES",
            "NodeList",
        ],
        [
            [
                "88213",
                "nordtext-1b",
                "vkallio",
                "gpu",
                "COMPLETED",
                "0:0",
                "2026-02-18T01:58:40",
                f"{g.local(begin, 0):%Y-%m-%dT%H:%M:%S}",
                f"{g.local(end, 0):%Y-%m-%dT%H:%M:%S}",
                g.span(end - begin),
                "06:00:00",
                "billing=16,cpu=16,gres/gpu=1,mem=120G,node=1",
                node,
            ]
        ],
    )
    events = g.boot(begin - 86400 * 9.3, g.A100, 4, driver)
    events += [
        (
            begin - 40211,
            "perf: interrupt took too long (2531 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
        ),
        (begin - 1, "+slurmstepd[701122]: task/cgroup: _memcg_initialize: job: alloc=122880MB mem.limit=122880MB"),
        (begin + 4433, "+systemd[1]: Starting Cleanup of Temporary Directories..."),
        (begin + 4433, "+systemd[1]: Finished Cleanup of Temporary Directories."),
        (end + 1, "+slurmstepd[701122]: done with job"),
    ]
    g.journal(place / f"journal-{node}.log", events, 0, node)


def t02_orchard(place: Path, rng: Random) -> None:
    """Two nodes of L4, torchtune, one long sample too many."""
    nodes, hours, driver = ["lyra-03", "lyra-04"], -8, "535.183.06"
    begin = g.epoch("2025-11-12T19:07:46", hours)
    start = begin + 118
    job = "451907"
    disk, bars, t, i, lost = [], [], start, 0, begin + 389.4 * 60
    total, started = 1840, start
    while True:
        i += 1
        wait = 21.2 * rng.lognormvariate(0, 0.11)
        if t + wait > lost:
            break
        t += wait
        loss = 0.912 + 0.83 / (1 + i / 28) ** 0.7 + rng.gauss(0, 0.035)
        active = min(17.0, 14.1 + rng.lognormvariate(0, 0.5))
        lr = 3e-4 * min(1, i / 100) * (1 - max(0, i - 100) / 1900)
        disk.append(
            f"Step {i} | loss:{loss} lr:{lr} tokens_per_second_per_gpu:{rng.gauss(1342, 48)} "
            f"grad_norm:{rng.uniform(0.31, 0.72)} peak_memory_active:{active} peak_memory_alloc:{active - 0.118} "
            f"peak_memory_reserved:{min(19.2, 17.2 + i / 600 + rng.random() * 0.1)} "
        )
        spent = t - started
        bars.append(
            f"1|{i}|Loss: {loss}: {100 * i // total:3d}%|{'█' * (10 * i // total):10s}| {i}/{total} "
            f"[{g.span(spent)[1:]}<{g.span((total - i) * spent / i)[1:]}, {spent / i:5.2f}s/it]"
        )
    (place / f"log_{int(begin)}.txt").write_text("\n".join(disk) + "\n")
    head = [
        "Running with torchrun...",
        "W1112 19:07:58.104000 71144 torch/distributed/run.py:793] ",
        "W1112 19:07:58.104000 71144 torch/distributed/run.py:793] *****************************************",
        "W1112 19:07:58.104000 71144 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process "
        "to be 1 in default, to avoid your system being overloaded",
        "ERROR: ld.so: object '/opt/site/libjemalloc.so.2' from LD_PRELOAD cannot be preloaded (cannot open shared object file): "
        "ignored.",
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 2",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /lustre/models/Llama-3.2-3B-Instruct",
        "dataset:",
        "  _component_: torchtune.datasets.chat_dataset",
        "  packed: false",
        "  source: postmortem-dialogs-v4",
        "  split: train",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "gradient_accumulation_steps: 8",
        "max_steps_per_epoch: 1840",
        "model:",
        "  _component_: torchtune.models.llama3_2.lora_llama3_2_3b",
        "  lora_rank: 32",
        "tokenizer:",
        "  max_seq_len: null",
        "",
        "[W1112 19:08:21.3 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 to perform barrier as devices used "
        "by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect.",
        "lyra-03:71201:71201 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin_v8 symbol.",
        "lyra-03:71201:71201 [0] NCCL INFO NET/IB : No device found.",
        "lyra-03:71201:71201 [0] NCCL INFO NET/Socket : Using [0]enp65s0f0:10.44.7.13<0>",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 3170. Local seed is seed + rank = 3170 + 0",
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        "INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 48.71 secs",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory active: 3.01 GiB",
        "\tGPU peak memory alloc: 3.01 GiB",
        "\tGPU peak memory reserved: 3.14 GiB",
        "INFO:torchtune.utils._logging:Optimizer and loss are initialized.",
        "INFO:torchtune.utils._logging:Dataset sample 0: 'kernel panic - not syncing: Fatal exception in interrupt. What would "
        "have caused the segmentation fault?'",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
    ]
    worried = [
        "",
        "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>), retrying",
        "wandb: WARNING A graphql request initiated by the public wandb API timed out (timeout=19 sec).",
        "",
    ]
    stamp = g.local(lost, hours)
    pid = {0: 71201, 1: 71202, 2: 40877, 3: 40878}
    frames = [
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/opt/tt/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 969, in <module>',
        "[rank3]:     sys.exit(recipe_main())",
        '[rank3]:   File "/opt/tt/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 964, in recipe_main',
        "[rank3]:     recipe.train()",
        '[rank3]:   File "/opt/tt/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 842, in train',
        "[rank3]:     logits = self._model(**batch)",
        '[rank3]:   File "/opt/tt/lib/python3.11/site-packages/torchtune/modules/transformer.py", line 680, in forward',
        "[rank3]:     output = self.unembed(h)",
        '[rank3]:   File "/opt/tt/lib/python3.11/site-packages/torchtune/modules/tied_linear.py", line 22, in __call__',
        "[rank3]:     return F.linear(x, tied_module.weight)",
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.37 GiB. GPU 1 has a total capacity of 22.03 GiB of "
        "which 1.86 GiB is free. Including non-PyTorch memory, this process has 20.16 GiB memory in use. Of the allocated memory "
        "17.42 GiB is allocated by PyTorch, and 2.28 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory "
        "is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
        "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        f"W{stamp:%m%d} {stamp:%H:%M}:{min(59, stamp.second + 3):02d}.402000 40822 torch/distributed/elastic/multiprocessing/api.py:897] "
        f"Sending process {pid[2]} closing signal SIGTERM",
        f"E{stamp:%m%d} {stamp:%H:%M}:{min(59, stamp.second + 3):02d}.771000 40822 torch/distributed/elastic/multiprocessing/api.py:869] "
        f"failed (exitcode: 1) local_rank: 1 (pid: {pid[3]}) of binary: /opt/tt/bin/python3.11",
        "recipes/lora_finetune_distributed.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {g.local(lost + 3, hours):%Y-%m-%d_%H:%M:%S}",
        "  host      : lyra-04",
        "  rank      : 3 (local_rank: 1)",
        f"  exitcode  : 1 (pid: {pid[3]})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        "srun: error: lyra-04: task 1: Exited with exit code 1",
        f"srun: Terminating StepId={job}.0",
        f"slurmstepd: error: *** STEP {job}.0 ON lyra-03 CANCELLED AT {g.local(lost + 9, hours):%Y-%m-%dT%H:%M:%S} ***",
        "srun: error: lyra-03: task 0: Terminated",
    ]
    cut = len(bars) // 3
    text = (
        "\n".join(head)
        + "\n"
        + "\r".join(bars[:cut])
        + "\n".join(worried)
        + "\r".join(bars[cut:])
        + "\n"
        + "\n".join(frames)
    )
    (place / f"slurm-{job}.out").write_text(text + "\n")
    end = lost + 14
    gpus = []
    for number, node in enumerate(nodes):
        for index in range(2):
            rank = number * 2 + index
            loads = [
                (begin + 20, g.Load(0, 0, 0, 0, 0, 0, 27, 640 + 30 * index)),
                (begin + 60, g.Load(0.05, 0.04, 0.02, 0, 0, 0.02, 31, 3710)),
                (start, g.Load()),
            ]
            at, fb = start, 17100 + rng.randrange(600)
            while at < lost:
                loads.append((at, g.Load(1, 0.98, 0.8, 0.3, 0.4, 0.6, 70.8, fb, reasons=4, noise=0.02, drop=0.04)))
                at += rng.uniform(900, 3400)
                fb = min(19350 + rank * 60, fb + rng.randrange(20, 420))
            if rank == 3:
                loads += [(lost + 4, g.Load())]
            loads += [
                (lost + 5 + rank % 2, g.Load()) if rank > 1 else (lost + 1, g.Load(1, 1, 0.05, 0.01, 0, 0.01, 36, fb)),
                (end, g.Load()),
            ]
            gpu = g.Gpu(node, index, g.L4, sorted(loads, key=lambda x: x[0]))
            gpu.run(begin // 60 * 60 - 900, end + 600, 60, rng)
            gpus.append(gpu)
    g.prometheus(place / "prom_range.json", gpus, driver, profiling=False)
    (place / "scontrol_show_job.txt").write_text(
        f"JobId={job} JobName=tt-lora-postmortem\n   UserId=dreyes(52117) GroupId=nlp(5200) MCS_label=N/A\n"
        "   Priority=10442 Nice=0 Account=nlp QOS=normal\n   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n"
        "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0\n"
        f"   RunTime={g.span(end - begin)} TimeLimit=14:00:00 TimeMin=N/A\n"
        f"   SubmitTime=2025-11-12T19:07:31 EligibleTime=2025-11-12T19:07:31\n   AccrueTime=2025-11-12T19:07:31\n"
        f"   StartTime={g.local(begin, hours):%Y-%m-%dT%H:%M:%S} EndTime={g.local(end, hours):%Y-%m-%dT%H:%M:%S} Deadline=N/A\n"
        "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2025-11-12T19:07:46 Scheduler=Main\n"
        "   Partition=l4 AllocNode:Sid=login1:33871\n   ReqNodeList=(null) ExcNodeList=(null)\n   NodeList=lyra-[03-04]\n"
        "   BatchHost=lyra-03\n   NumNodes=2 NumCPUs=64 NumTasks=2 CPUs/Task=32 ReqB:S:C:T=0:0:*:*\n"
        "   ReqTRES=cpu=64,mem=240G,node=2,billing=64,gres/gpu=4\n   AllocTRES=cpu=64,mem=240G,node=2,billing=64,gres/gpu=4\n"
        "   Command=/home/dreyes/tt/run_lora.sbatch\n   WorkDir=/home/dreyes/tt\n"
        f"   StdErr=/home/dreyes/tt/slurm-{job}.out\n   StdIn=/dev/null\n   StdOut=/home/dreyes/tt/slurm-{job}.out\n"
        "   TresPerNode=gres/gpu:2\n"
    )
    for node in nodes:
        events = g.boot(begin - 86400 * 31, g.L4, 2, driver)
        events += [
            (
                begin - 7120,
                "ACPI Error: AE_NOT_FOUND, While resolving a named reference package element - \\_SB_.PR00 "
                "(20230628/dspkginit-438)",
            ),
            (begin + 8011 + rng.randrange(90), "nfs: server fs2.lyra.lan not responding, still trying"),
            (begin + 8130 + rng.randrange(9), "nfs: server fs2.lyra.lan OK"),
            (begin + 15002, "+systemd[1]: fwupd-refresh.service: Failed with result 'exit-code'."),
        ]
        g.journal(place / f"journalctl_k_{node}.txt", events, hours, node)


def t03_heron(place: Path, rng: Random) -> None:
    """One V100: the loader of the validation never hands out a batch."""
    node, driver = "vg14", "535.161.08"
    begin = g.epoch("2026-01-22T09:12:31", 0)
    end = begin + 69 * 60 + 12
    log = []

    def say(t: float, text: str, who: str = "seg.train", level: str = "INFO") -> None:
        stamp = g.local(t, 0)
        log.append(f"{stamp:%Y-%m-%d %H:%M:%S},{stamp.microsecond // 1000:03d} {level:7s} {who}: {text}")

    say(
        begin + 14.2,
        "args: Namespace(root='/data/wetlands/tiles512', epochs=40, bs=20, lr=0.0006, workers=10, amp=True, seed=77)",
    )
    say(begin + 14.9, "device cuda:0 Tesla V100-SXM2-32GB, torch 2.3.1, cuda 12.1")
    say(begin + 31.7, "found 23480 train tiles, 2610 val tiles, 9 classes", "seg.data")
    say(begin + 36.4, "unet++ / resnet34 encoder, 26.08 M parameters", "seg.model")
    loads = [(begin + 14, g.Load(0, 0, 0, 0, 0, 0, 55, 412))]
    busy = g.Load(0.97, 0.95, 0.83, 0.42, 0.27, 0.51, 296, 21890, 310, 0, 4, 0.035, 0.02)
    t = begin + 47.0
    loads.append((t, busy))
    for i in range(1, 1175):
        t += 1.013 * rng.lognormvariate(0, 0.03)
        if i % 20 == 0:
            say(
                t,
                f"ep 0 it {i:4d}/1174 loss {0.52 + 1.71 / (1 + i / 60) ** 0.8 + rng.gauss(0, 0.03):.4f} "
                f"dice {0.68 - 0.55 / (1 + i / 110) + rng.gauss(0, 0.01):.3f} "
                f"lr {6e-4 * min(1, i / 300):.2e} {20 / rng.gauss(1.013, 0.02):.1f} img/s mem 20.1G",
            )
    say(t + 0.4, f"ep 0 done, mean train loss 0.7713, {t - begin - 47:.0f} s")
    say(t + 0.5, "validating on 2610 tiles", "seg.eval")
    stuck = t + 0.6
    loads += [(stuck, g.Load(0, 0, 0, 0, 0, 0, 58, 21890, noise=0.006)), (end, g.Load())]
    (place / "train.log").write_text("\n".join(log) + "\n")
    gpu = g.Gpu(node, 3, g.V100, loads)
    gpu.run(begin - 240, end + 200, 10, rng)
    g.prometheus(place / "gpu_metrics.json", [gpu], driver)
    at = g.local(end - 190, 0)
    stack = [
        "$ date; py-spy dump --pid 1190342",
        f"{at:%a %b} {at.day} {at:%H:%M:%S} UTC {at:%Y}",
        "Process 1190342: python -u train.py --root /data/wetlands/tiles512 --bs 20 --workers 10 --amp",
        "Python v3.10.14 (/sw/envs/seg/bin/python3.10)",
        "",
        'Thread 1190342 (idle): "MainThread"',
        "    wait (threading.py:324)",
        "    get (queue.py:180)",
        "    _try_get_data (torch/utils/data/dataloader.py:1132)",
        "    _get_data (torch/utils/data/dataloader.py:1284)",
        "    _next_data (torch/utils/data/dataloader.py:1328)",
        "    __next__ (torch/utils/data/dataloader.py:631)",
        "    evaluate (seg/eval.py:41)",
        "    main (train.py:133)",
        "    <module> (train.py:151)",
        'Thread 1190811 (idle): "Thread-11 (_pin_memory_loop)"',
        "    select (selectors.py:416)",
        "    wait (multiprocessing/connection.py:931)",
        "    _poll (multiprocessing/connection.py:424)",
        "    get (multiprocessing/queues.py:113)",
        "    do_one_step (torch/utils/data/_utils/pin_memory.py:30)",
        "",
        "$ py-spy dump --pid 1190799     # one of the ten workers, all ten look like this",
        "Process 1190799: python -u train.py --root /data/wetlands/tiles512 --bs 20 --workers 10 --amp",
        "Python v3.10.14 (/sw/envs/seg/bin/python3.10)",
        "",
        'Thread 1190799 (idle): "MainThread"',
        "    acquire (logging/__init__.py:917)",
        "    handle (logging/__init__.py:966)",
        "    callHandlers (logging/__init__.py:1696)",
        "    debug (logging/__init__.py:1465)",
        "    _open_tile (seg/data.py:88)",
        "    __getitem__ (seg/data.py:61)",
        "    fetch (torch/utils/data/_utils/fetch.py:51)",
        "    _worker_loop (torch/utils/data/_utils/worker.py:308)",
    ]
    (place / "pyspy.txt").write_text("\n".join(stack) + "\n")
    columns = [
        ("JobID", 12),
        ("JobName", 10),
        ("Partition", 10),
        ("User", 9),
        ("AllocCPUS", 10),
        ("State", 20),
        ("ExitCode", 8),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("Timelimit", 10),
        ("NodeList", 15),
    ]
    s, e = f"{g.local(begin, 0):%Y-%m-%dT%H:%M:%S}", f"{g.local(end, 0):%Y-%m-%dT%H:%M:%S}"
    long = g.span(end - begin)
    g.padded(
        place / "sacct.txt",
        columns,
        [
            ["2290417", "seg-wetl", "v100", "mobrien", "12", "CANCELLED by 61803", "0:0", s, e, long, "16:00:00", node],
            ["2290417.bat+", "batch", "", "", "12", "CANCELLED", "0:15", s, e, long, "", node],
            ["2290417.ext+", "extern", "", "", "12", "COMPLETED", "0:0", s, e, long, "", node],
        ],
    )


def t04_basalt(place: Path, rng: Random) -> None:
    """Eight H200, maxtext, one process sits in the file system while seven wait for it."""
    node, driver, job = "hx-r2-n09", "570.86.15", "77120"
    begin = g.epoch("2025-09-30T16:22:05", 0)
    end = begin + 531 * 60 + 8
    log = [f"{r}: pid {318840 + r * 3} rank {r} local_gpu {r} host {node}" for r in range(8)]
    log += [
        f"{r}: 2025-09-30 16:22:2{rng.randrange(2, 9)}.{rng.randrange(10**6):06d}: E external/xla/xla/stream_executor/cuda/"
        f"cuda_dnn.cc:8454] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has "
        "already been registered"
        for r in range(8)
    ]
    log += [
        "0: WARNING: 'fatal' is not a known GCS error class, falling back to retry",
        "3: E0930 16:22:31.118204  318849 nvml_monitor.cc:61] failed to kill stale monitor: No such process (ignored)",
        "0: System Information: Jax Version: 0.5.3",
        "0: System Information: Jaxlib Version: 0.5.3",
        "0: System Information: Jax Backend: PJRT C API",
        "0: Config param per_device_batch_size: 6",
        "0: Config param dataset_type: grain",
        "0: Config param grain_train_files: /mnt/vast/corpus/fi_sv_mix/*.arrayrecord",
        "0: Config param enable_checkpointing: True",
        "0: Config param checkpoint_period: 600",
        "0: Config param ici_fsdp_parallelism: 8",
        "0: Config param steps: 6000",
        "0: Num_devices: 8, shape (1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1)",
        "0: No existing checkpoints found, not restoring checkpoint.",
        "0: number parameters: 8.030 billion",
        "0: Per train step:",
        "0:  Total TFLOPs: 3287.41 ",
        "0:  split as 87.12% learnable weight flops and 12.88% attention flops",
    ]
    loads: list[list[tuple[float, g.Load]]] = [[] for _ in range(8)]
    busy = g.Load(1, 0.99, 0.86, 0.29, 0.47, 0.36, 655, 126420, 60, 61000, 4, 0.02)
    save = g.Load(0.08, 0.06, 0.03, 0.01, 0, 0.03, 138, 126420, 4200)
    start = begin + 171
    for r in range(8):
        loads[r] += [
            (begin + 17, g.Load(0, 0, 0, 0, 0, 0, 118, 870)),
            (begin + 62, g.Load(0.02, 0.02, 0.01, 0, 0, 0.01, 124, 126420)),
            (start, busy),
        ]
    t, freeze, step = start, begin + 488.7 * 60, 0
    while True:
        took = 7.918 * rng.lognormvariate(0, 0.004) + (38 if step == 0 else 0)
        if t + took > freeze:
            break
        t += took
        loss = 2.31 + 9.4 / (1 + step / 70) ** 0.83 + rng.gauss(0, 0.03)
        log.append(
            f"0: completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {3287.41 / took:.3f}, "
            f"Tokens/s/device: {49152 / took:.3f}, total_weights: 393216, loss: {loss:.3f}"
        )
        if step and step % 600 == 0:
            log.append(f"0: saved a checkpoint at step {step}")
            for r in range(8):
                loads[r] += [(t, save), (t + 33, busy)]
            t += 33
        if step == 1404:
            log.append(
                "5: W1001 0-:--: grain worker 3: read error: Interrupted system call on shard 0219; FATAL is not set, retried "
                "(1/8), ok".replace("0-:--", f"{g.local(t, 0):%H:%M}")
            )
        if step == 2210:
            log.append(
                "0: gcsfs ERROR ConnectionResetError(104, 'Connection reset by peer') while uploading tensorboard events; "
                "will retry in 30 s"
            )
            log.append("0: tensorboard upload ok after 1 retry")
        step += 1
    freeze = t + 1.0
    spin = g.Load(1, 1, 0.118, 0.016, 0, 0.003, 208, 126420, 0, 0, 0, 0.008)
    cold = g.Load(0, 0, 0, 0, 0, 0, 121, 126420, 0, 0, 0, 0.005)
    gpus = []
    for r in range(8):
        loads[r] += [(freeze, cold if r == 5 else spin), (end, g.Load())]
        gpu = g.Gpu(node, r, g.H200, loads[r])
        gpu.run(begin // 30 * 30 - 300, end + 300, 30, rng)
        gpus.append(gpu)
    log += [
        f"slurmstepd: error: *** STEP {job}.0 ON {node} CANCELLED AT {g.local(end, 0):%Y-%m-%dT%H:%M:%S} ***",
        f"slurmstepd: error: *** JOB {job} ON {node} CANCELLED AT {g.local(end, 0):%Y-%m-%dT%H:%M:%S} ***",
    ]
    (place / f"{job}.log").write_text("\n".join(log) + "\n")
    g.prometheus(place / "prometheus.json", gpus, driver)
    events = g.boot(begin - 86400 * 4.6, g.H200, 8, driver)
    hung = freeze + 131
    for n in range(10):
        at = hung + n * 122.88
        events.append((at, f"INFO: task python3:318855 blocked for more than {122 * (n + 1) + n // 2} seconds."))
        events.append((at, "      Tainted: P           OE      6.8.0-57-generic #59-Ubuntu"))
        events.append((at, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'))
        events.append(
            (at, "task:python3         state:D stack:0     pid:318855 tgid:318855 ppid:318790 flags:0x00000002")
        )
        events += [
            (at, x)
            for x in (
                "Call Trace:",
                " <TASK>",
                " __schedule+0x27c/0x6b0",
                " schedule+0x33/0x110",
                " io_schedule+0x46/0x80",
                " folio_wait_bit_common+0x136/0x330",
                " filemap_update_page+0x2ce/0x330",
                " filemap_get_pages+0x1f8/0x2a0",
                " nfs_file_read+0xa4/0xf0 [nfs]",
                " vfs_read+0x237/0x390",
                " __x64_sys_pread64+0xa6/0xd0",
                " </TASK>",
            )
        ]
    events.append(
        (hung + 9 * 122.88 + 1, "Future hung task reports are suppressed, see sysctl kernel.hung_task_warnings")
    )
    events += [
        (freeze + 58, "nfs: server vast-vip14.store not responding, still trying"),
        (begin - 90211, "ERST: [Firmware Warn]: Firmware does not respond in time."),
        (
            begin + 9044,
            "mlx5_core 0000:29:00.0: mlx5_pcie_event:301:(pid 1881): PCIe slot advertised sufficient power (75W).",
        ),
    ]
    g.dmesg(place / f"dmesg_{node}.txt", events, 0)
    seconds = int(end - begin)
    when = {
        "elapsed": seconds,
        "eligible": int(begin) - 40,
        "end": int(end),
        "start": int(begin),
        "submission": int(begin) - 40,
        "suspended": 0,
        "limit": {"set": True, "infinite": False, "number": 1440},
    }
    fine = {
        "status": ["SUCCESS"],
        "return_code": {"set": True, "infinite": False, "number": 0},
        "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
    }
    killed = {
        "status": ["SIGNALED"],
        "return_code": {"set": False, "infinite": False, "number": 0},
        "signal": {"id": {"set": True, "infinite": False, "number": 15}, "name": "TERM"},
    }
    tres = [
        {"type": "cpu", "name": "", "id": 1, "count": 192},
        {"type": "mem", "name": "", "id": 2, "count": 1900000},
        {"type": "node", "name": "", "id": 4, "count": 1},
        {"type": "gres", "name": "gpu", "id": 1001, "count": 8},
    ]
    steps = [
        {
            "step": {"id": f"{job}.{name}", "name": label},
            "state": ["CANCELLED" if name != "extern" else "COMPLETED"],
            "exit_code": fine if name == "extern" else killed,
            "nodes": {"count": 1, "range": node, "list": [node]},
            "tasks": {"count": count},
            "time": {
                "elapsed": seconds,
                "start": {"set": True, "number": int(begin)},
                "end": {"set": True, "number": int(end) + 1},
            },
        }
        for name, label, count in (("batch", "batch", 1), ("extern", "extern", 1), ("0", "python3", 8))
    ]
    answer = {
        "jobs": [
            {
                "job_id": int(job),
                "name": "mxt-8b-fisv",
                "user": "slind",
                "account": "lm",
                "partition": "h200",
                "cluster": "hx",
                "nodes": node,
                "allocation_nodes": 1,
                "restart_cnt": 0,
                "state": {"current": ["CANCELLED"], "reason": "None"},
                "kill_request_user": "slind",
                "exit_code": fine,
                "derived_exit_code": killed,
                "time": when,
                "tres": {"allocated": tres, "requested": tres},
                "required": {"CPUs": 192},
                "steps": steps,
            }
        ],
        "meta": {
            "slurm": {"version": {"major": "24", "micro": "4", "minor": "05"}, "release": "24.05.4", "cluster": "hx"}
        },
        "errors": [],
        "warnings": [],
    }
    (place / "sacct.json").write_text(json.dumps(answer, indent=1) + "\n")


def t05_pelican(place: Path, rng: Random) -> None:
    """Four nodes of two H200, open_clip, sound; an older fault belongs to another job."""
    nodes, hours, driver, job = ["dgw-21", "dgw-22", "dgw-25", "dgw-26"], 8, "560.35.05", "130884"
    begin = g.epoch("2026-05-04T10:37:19", hours)
    log = []

    def say(t: float, text: str) -> None:
        log.append(f"{g.local(t, hours):%Y-%m-%d,%H:%M:%S} | INFO | {text}")

    say(
        begin + 52,
        "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.",
    )
    say(begin + 53, "Loaded ViT-B-16 model config.")
    say(begin + 57, "Model:")
    say(begin + 58, "Params:")
    for text in (
        "batch_size: 1024",
        "dataset_type: webdataset",
        "epochs: 24",
        "grad_checkpointing: False",
        "local_loss: True",
        "lr: 0.001",
        "model: ViT-B-16",
        "name: vitb16-herbarium",
        "precision: amp_bf16",
        "resume: None",
        "train_num_samples: 16000000",
        "warmup: 3000",
        "wd: 0.2",
        "world_size: 8",
    ):
        say(begin + 58, f"  {text}")
    busy = g.Load(0.985, 0.97, 0.7, 0.3, 0.38, 0.47, 588, 98310, 600, 30000, 4, 0.02, 0.02)
    evaluate = g.Load(0.74, 0.7, 0.5, 0.2, 0.2, 0.3, 402, 98310, 900, 0, 0, 0.12)
    loads = [(begin + 30, g.Load(0, 0, 0, 0, 0, 0, 119, 1302)), (begin + 108, busy)]
    t, done, total, per = begin + 110.0, 0, 24 * 1953, 1953
    scale = 14.286
    for epoch in range(24):
        say(t, f"Start epoch {epoch}")
        for i in range(per):
            t += 0.5478 * rng.uniform(0.99, 1.012)
            done += 1
            if i % 100 == 0 or i == per - 1:
                lr = 1e-3 * min(1, done / 3000) * (0.5 + 0.5 * max(-1, 1 - 2 * max(0, done - 3000) / (total - 3000)))
                loss = 1.34 + 7.7 / (1 + done / 900) ** 0.82 + rng.gauss(0, 0.04)
                scale = min(100, 14.286 + 62 * done / (done + 14000))
                wait, batch = rng.uniform(0.006, 0.021), 0.5478 * rng.uniform(0.98, 1.03)
                say(
                    t,
                    f"Train Epoch: {epoch} [{i * 8192 + 8192:>8}/15998976 ({100 * i / (per - 1):.0f}%)] Data (t): {wait:.3f} "
                    f"Batch (t): {batch:.3f}, {8192 / batch:#g}/s, {1024 / batch:#g}/s/gpu LR: {lr:5f} "
                    f"Logit Scale: {scale:.3f} Contrastive_loss: {loss:#.5g} ({loss + rng.uniform(0, 0.06):#.5g}) "
                    f"Loss: {loss:#.5g} ({loss + 0.03:#.5g})",
                )
        loads.append((t, evaluate))
        if epoch == 0:
            say(t + 1, "Starting zero-shot imagenet.")
        t += rng.uniform(23, 29)
        top = 0.483 * (1 - 2.718 ** (-(epoch + 1) / 6.5)) + rng.gauss(0, 0.003)
        say(
            t,
            f"Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: {top:.4f}\timagenet-zeroshot-val-top5: {top * 1.62:.4f}\t"
            f"clip_val_loss: {1.21 + 1.4 / (epoch + 1):.4f}\tepoch: {epoch + 1}.0000\tnum_samples: 40000.0000",
        )
        loads.append((t, busy))
    end = t + 21
    loads += [(t + 1, g.Load(0, 0, 0, 0, 0, 0, 121, 98310)), (end - 6, g.Load())]
    (place / "out.log").write_text("\n".join(log) + "\n")
    for number, node in enumerate(nodes):
        gpus = []
        for index in range(2):
            shift = rng.randrange(-260, 260)
            own = [(s, g.Load(**{**vars(x), "fb": x.fb + (shift if x.fb > 9000 else 0)})) for s, x in loads]
            gpu = g.Gpu(node, index, g.H200, own)
            gpus.append(gpu)
        first = begin - 420 + rng.randrange(30)
        for gpu in gpus:
            gpu.run(first, end + 380, 30.004, rng)
        g.smi(place / f"smi_{node}.csv", gpus, hours, rng)
        events = g.boot(begin - 86400 * 12.4 - number * 77, g.H200, 2, driver)
        if number == 2:
            old = begin - 5 * 3600 - 1188
            events += [
                (
                    old,
                    "NVRM: Xid (PCI:0000:43:00): 31, pid=913377, name=pt_main_thread, Ch 00000009, intr 00000000. MMU Fault: "
                    "ENGINE GRAPHICS GPC3 GPCCLIENT_T1_6 faulted @ 0x7e51_0c200000. Fault is of type FAULT_PDE "
                    "ACCESS_TYPE_VIRT_WRITE",
                ),
                (
                    old + 0.4,
                    "pt_main_thread[913377]: segfault at 7e510c2000a8 ip 00007ea1b2c4f3de sp 00007ffc5b1f0e40 error 4 in "
                    "libcuda.so.560.35.05[7ea1b2a00000+5b1000] likely on CPU 41 (core 9, socket 0)",
                ),
            ]
        events.append((begin - 3000 - rng.randrange(900), "mlx5_core 0000:17:00.0 ibp23s0: Link up"))
        g.dmesg(place / f"dmesg_{node}.log", events, hours)
    s, e = f"{g.local(begin, hours):%Y-%m-%dT%H:%M:%S}", f"{g.local(end, hours):%Y-%m-%dT%H:%M:%S}"
    tail = [s, e, g.span(end - begin)]
    g.table(
        place / "sacct.txt",
        [
            "JobID",
            "JobName",
            "User",
            "Partition",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "NNodes",
            "AllocTRES",
            "NodeList",
        ],
        [
            [
                job,
                "vitb16-herb",
                "hwlin",
                "h200",
                "COMPLETED",
                "0:0",
                *tail,
                "4",
                "billing=256,cpu=256,gres/gpu=8,mem=1600G,node=4",
                "dgw-[21-22,25-26]",
            ],
            [
                f"{job}.batch",
                "batch",
                "",
                "",
                "COMPLETED",
                "0:0",
                *tail,
                "1",
                "cpu=64,gres/gpu=2,mem=400G,node=1",
                "dgw-21",
            ],
            [
                f"{job}.extern",
                "extern",
                "",
                "",
                "COMPLETED",
                "0:0",
                *tail,
                "4",
                "billing=256,cpu=256,gres/gpu=8,mem=1600G,node=4",
                "dgw-[21-22,25-26]",
            ],
            [
                f"{job}.0",
                "python",
                "",
                "",
                "COMPLETED",
                "0:0",
                *tail,
                "4",
                "cpu=256,gres/gpu=8,mem=1600G,node=4",
                "dgw-[21-22,25-26]",
            ],
        ],
    )


def t06_wicker(place: Path, rng: Random) -> None:
    """One L4 that mostly waits for its input."""
    node, hours, driver = "tk-l4-0c", 9, "550.90.12"
    begin = g.epoch("2025-08-07T13:05:50", hours)
    end = begin + 111 * 60 + 4
    log = [
        f"[{g.local(begin + 9, hours):%H:%M:%S}] [rank 0 of 1] host {node} cuda:0 NVIDIA L4, convnext_tiny, 28.6M params, fp16",
        f"[{g.local(begin + 21, hours):%H:%M:%S}] [rank 0 of 1] 412 870 scans in 37 zip archives under /mnt/archive-nas/ledger_pages "
        "(random access, 2 readers)",
        f"[{g.local(begin + 22, hours):%H:%M:%S}] [rank 0 of 1] batch 96, 1 050 steps planned",
    ]
    t, step, busy_s = begin + 24.0, 0, 0.0
    walls: list[tuple[float, float]] = []
    while step < 1050:
        wait = 5.73 * rng.lognormvariate(0, 0.33) * 0.935
        if rng.random() < 0.02:
            wait += rng.uniform(6, 15)
        work = 0.347 * rng.lognormvariate(0, 0.03)
        wait = min(wait, max(1.0, (end - 20 - t) / max(1, 1050 - step) * 6))
        t += wait + work
        walls.append((t - work, t))
        busy_s += work
        step += 1
        if step % 5 == 0 or step == 1:
            log.append(
                f"[{g.local(t, hours):%H:%M:%S}] [rank 0 of 1] step {step:4d}/1050 loss {0.74 + 3.05 / (1 + step / 95) ** 0.9 + rng.gauss(0, 0.05):.3f}"
                f" acc {0.81 - 0.75 / (1 + step / 120) + rng.gauss(0, 0.015):.3f} waited {wait:.2f}s worked {work:.2f}s"
                f" lr {8e-4 * min(1, step / 80) * (1 - max(0, step - 80) / 1010):.2e}"
            )
        if step % 350 == 0:
            log.append(f"[{g.local(t, hours):%H:%M:%S}] [rank 0 of 1] wrote ledger_{step}.pt")
            t += 1.1
    end = t + 6
    log.append(
        f"[{g.local(t + 1, hours):%H:%M:%S}] [rank 0 of 1] all 1050 steps done, final weights in ledger_final.pt, bye"
    )
    (place / "rank0.txt").write_text("\n".join(log) + "\n")
    loads = [(begin + 12, g.Load(0, 0, 0, 0, 0, 0, 27, 402))]
    at = begin // 30 * 30
    while at < end:
        if at > begin + 24:
            share = sum(max(0.0, min(b, at) - max(a, at - 30)) for a, b in walls) / 30
            hit = any(a - 0.17 <= at <= b + 0.17 for a, b in walls)
            loads.append(
                (
                    at,
                    g.Load(
                        rng.uniform(0.3, 1.0) if hit else 0.0,
                        share,
                        share * 0.83,
                        share * 0.36,
                        share * 0.31,
                        share * 0.55,
                        29.5 + 40 * share,
                        15284,
                        20,
                        noise=0.02,
                    ),
                )
            )
        at += 30
    loads.append((end - 1, g.Load()))
    gpu = g.Gpu(node, 0, g.L4, loads, remapped=2)
    gpu.run(begin // 30 * 30 - 600, end + 300, 30, rng)
    for row in gpu.rows:
        if row["fb"] > 1000:
            row["reasons"] = 0 if row["util"] else 1
    g.prometheus(place / f"dcgm_{node}.json", [gpu], driver)
    events = g.boot(begin - 86400 * 22.8, g.L4, 1, driver)
    events += [
        (begin - 52012, "nfs4: archive-nas.tk.example: session recovered"),
        (begin - 611, "+systemd[1]: Mounted mnt-archive\\x2dnas.mount - /mnt/archive-nas."),
        (begin + 2744, "+chronyd[1009]: Selected source 10.9.0.2"),
        (end + 90, "+systemd[1]: run-user-50233.mount: Deactivated successfully."),
    ]
    g.journal(place / f"journalctl_{node}.log", events, hours, node)


def t07_quarry(place: Path, rng: Random) -> None:
    """Eight RTX 4090 on two nodes; every rank leaves with status 1 and its stderr is not there."""
    nodes, driver, job = ["gx11", "gx12"], "565.57.01", "6034"
    begin = g.epoch("2026-03-27T20:18:02", 0)
    stop = begin + 104.6 * 60
    log = [
        f"# {g.local(begin, 0):%F %T} job {job} on gx[11-12], 8 tasks, stdout here, stderr -> /local/{job}/err.<rank>",
        "world 8, mesh 1d, shard by hand: params flattened per block, all_gather before / reduce_scatter after",
        "blocks 28, dim 1792, ctx 1536, params 1.214e9, per-rank shard 1.518e8 (bf16 + fp32 master + adam)",
        "tokens per step 196608, target steps 9000, no resume",
    ]
    t, step = begin + 64.0, 0
    while True:
        wait = 2.604 * rng.lognormvariate(0, 0.012)
        if t + wait > stop:
            break
        t, step = t + wait, step + 1
        if step % 40 == 0:
            log.append(
                f"{g.local(t, 0):%T} {step:5d}  {3.02 + 7.9 / (1 + step / 130) ** 0.85 + rng.gauss(0, 0.03):.4f}  "
                f"gn {max(0.3, 2.9 / (1 + step / 90)) * rng.uniform(0.85, 1.25):.2f}  {196608 / wait / 1000:.1f} ktok/s  "
                f"lr {4.2e-4 * min(1, step / 600):.2e}"
            )
    log += [
        "srun: error: gx12: tasks 4-7: Exited with exit code 1",
        "srun: error: gx11: tasks 0-3: Exited with exit code 1",
        f"# {g.local(stop + 7, 0):%F %T} run.sh: srun gave 1, leaving",
    ]
    (place / f"quarry-{job}.out").write_text("\n".join(log) + "\n")
    gpus = []
    for node in nodes:
        for index in range(4):
            fb = 18544 + rng.randrange(-60, 60)
            busy = g.Load(1, 0, 0, 0, 0, 0.42, 331 + rng.randrange(-14, 14), fb, noise=0.045, drop=0.01)
            loads = [
                (begin + 16, g.Load(0, 0, 0, 0, 0, 0, 58, 441)),
                (begin + 58, busy),
                (stop + rng.uniform(0.5, 2.5), g.Load()),
            ]
            ticks = []
            if (node, index) == ("gx11", 2):
                ticks = sorted(begin + rng.uniform(-200, 6500) for _ in range(9))
            if (node, index) == ("gx12", 0):
                ticks = sorted(begin + rng.uniform(-200, 6500) for _ in range(3))
            gpu = g.Gpu(
                node, index, g.R4090, loads, sbe=ticks, sbe_before=214 if len(ticks) == 9 else (31 if ticks else 0)
            )
            gpu.run(begin // 15 * 15 - 300, stop + 420, 15, rng)
            gpus.append(gpu)
    g.prometheus(place / "range.json", gpus, driver)
    end = stop + 8
    for node in nodes:
        events = g.boot(begin - 86400 * 6.1 - rng.randrange(400), g.R4090, 4, driver)
        events += [
            (
                begin - 30 - rng.randrange(20),
                "EXT4-fs (nvme1n1): mounted filesystem with ordered data mode. Quota mode: none.",
            ),
            (
                begin - 26001,
                "workqueue: nv_drm_handle_hotplug_event [nvidia_drm] hogged CPU for >10000us 4 times, consider "
                "switching to WQ_UNBOUND",
            ),
        ]
        g.dmesg(place / f"dmesg-{node}.txt", events, 0)
    s, e = f"{g.local(begin, 0):%Y-%m-%dT%H:%M:%S}", f"{g.local(end, 0):%Y-%m-%dT%H:%M:%S}"
    long = g.span(end - begin)
    g.table(
        place / "sacct-P.txt",
        [
            "JobID",
            "JobName",
            "User",
            "State",
            "ExitCode",
            "DerivedExitCode",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "ReqMem",
            "MaxRSS",
            "NNodes",
            "NodeList",
        ],
        [
            [job, "quarry", "emarek", "FAILED", "1:0", "1:0", s, e, long, "12:00:00", "360G", "", "2", "gx[11-12]"],
            [f"{job}.batch", "batch", "", "FAILED", "1:0", "", s, e, long, "", "", "9120K", "1", "gx11"],
            [f"{job}.extern", "extern", "", "COMPLETED", "0:0", "", s, e, long, "", "", "1204K", "2", "gx[11-12]"],
            [
                f"{job}.0",
                "python",
                "",
                "FAILED",
                "1:0",
                "",
                f"{g.local(begin + 2, 0):%Y-%m-%dT%H:%M:%S}",
                f"{g.local(end - 1, 0):%Y-%m-%dT%H:%M:%S}",
                g.span(end - begin - 3),
                "",
                "",
                "31874420K",
                "2",
                "gx[11-12]",
            ],
        ],
    )


def t08_tamarind(place: Path, rng: Random) -> None:
    """Two nodes of one A100, nanotron, a process that dies inside a library."""
    nodes, hours, driver, job = ["sz-a17", "sz-a31"], 8, "535.230.02", "905512"
    begin = g.epoch("2025-12-05T18:52:27", hours)
    stop = begin + 234.7 * 60
    log = []

    def say(t: float, text: str, rank: int = 0) -> None:
        log.append(f"{g.local(t, hours):%m/%d/%Y %H:%M:%S} [INFO|DP={rank}|PP=0|TP=0|{nodes[rank]}]: {text}")

    say(begin + 33, "Config:")
    say(
        begin + 33,
        "Config(general=GeneralArgs(project='tamarind', run='qa-0p9b', seed=2291, step=None, consumed_train_samples=None),",
    )
    say(
        begin + 33,
        "       parallelism=ParallelismArgs(dp=2, pp=1, tp=1, pp_engine=<AllForwardAllBackwardPipelineEngine>),",
    )
    say(
        begin + 33,
        "       tokens=TokensArgs(sequence_length=2048, train_steps=14000, micro_batch_size=6, batch_accumulation_per_replica=8))",
    )
    say(begin + 49, "Total number of parameters: 897M (1711.22MiB)")
    say(
        begin + 49,
        "[After model building] Memory usage: 1719.83MiB. Peak allocated: 1720.02MiB Peak reserved: 1742.00MiB",
    )
    say(begin + 50, "No checkpoint path provided.")
    say(
        begin + 66,
        "[Start training] datetime: "
        + f"{g.local(begin + 66, hours)} | mbs: 6 | grad_accum: 8 | global_batch_size: 96 | "
        "sequence_length: 2048 | train_steps: 14000 | start_iteration_step: 0 | consumed_train_samples: 0",
    )
    busy = g.Load(1, 0.975, 0.77, 0.34, 0.41, 0.43, 338, 58944, 2400, 0, 4, 0.025)
    save = g.Load(0.03, 0.03, 0.01, 0, 0, 0.02, 97, 58944, 900)
    loads: list[list[tuple[float, g.Load]]] = [
        [(begin + 24, g.Load(0, 0, 0, 0, 0, 0, 74, 1530)), (begin + 67, busy)] for _ in nodes
    ]
    t, step = begin + 67.0, 0
    while True:
        took = 5.71 * rng.lognormvariate(0, 0.006)
        if t + took > stop:
            break
        t, step = t + took, step + 1
        if step % 10 == 0:
            loss = 2.92 + 8.2 / (1 + step / 75) ** 0.8 + rng.gauss(0, 0.03)
            say(
                t,
                f"iteration: {step} / 14000 | consumed_tokens: {step * 196608 / 1e6:.4g}M | elapsed_time_per_iteration_ms: "
                f"{took:.3g}K | tokens_per_sec: {196.608 / took:.3g}K | tokens_per_sec_per_gpu: {98.304 / took:.3g}K | "
                f"global_batch_size: 96 | lm_loss: {loss:.3g} | lr: {3e-4 * min(1, step / 500):.3g} | "
                f"model_tflops_per_gpu: {104.9 * 5.71 / took:.3g} | hardware_tflops_per_gpu: {104.9 * 5.71 / took:.3g} | "
                f"grad_norm: {max(0.35, 2.4 / (1 + step / 60)) * rng.uniform(0.88, 1.2):.3g} | cuda_memory_allocated: 12.6G | "
                "cuda_max_memory_reserved: 59.1G | hd_total_memory_tb: 3.84T | hd_used_memory_tb: 1.17T | hd_free_memory_tb: 2.67T",
            )
        if step % 1000 == 0:
            say(t, f"Saving checkpoint at /ssd/tamarind/ckpt/{step}")
            for own in loads:
                own += [(t, save), (t + 17, busy)]
            t += 17
    pid = 248117
    loads[1].append((stop, g.Load()))
    loads[0] += [(stop + 0.4, g.Load(1, 1, 0.07, 0.012, 0, 0.002, 118, 58944, noise=0.01)), (stop + 36, g.Load())]
    end = stop + 39
    stamp = g.local(stop + 2, hours)
    tag = f"{stamp:%m%d} {stamp:%H:%M:%S}.418000 248059"
    log += [
        f"E{tag} torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: -11) local_rank: 0 (pid: {pid}) of binary: "
        "/data/envs/nano/bin/python",
        "Traceback (most recent call last):",
        '  File "/data/envs/nano/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/data/envs/nano/lib/python3.10/site-packages/torch/distributed/run.py", line 879, in main',
        "    run(args)",
        '  File "/data/envs/nano/lib/python3.10/site-packages/torch/distributed/launcher/api.py", line 263, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "==========================================================",
        "run_train.py FAILED",
        "----------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "----------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {stamp:%Y-%m-%d_%H:%M:%S}",
        "  host      : sz-a31",
        "  rank      : 1 (local_rank: 0)",
        f"  exitcode  : -11 (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : Signal 11 (SIGSEGV) received by PID {pid}",
        "==========================================================",
        "srun: error: sz-a31: task 1: Exited with exit code 1",
        f"srun: Terminating StepId={job}.0",
        f"slurmstepd: error: *** STEP {job}.0 ON sz-a17 CANCELLED AT {g.local(stop + 6, hours):%Y-%m-%dT%H:%M:%S} ***",
        f"W{g.local(stop + 6, hours):%m%d %H:%M:%S}.120000 199302 torch/distributed/elastic/agent/server/api.py:688] Received Signals."
        "SIGTERM death signal, shutting down workers",
        f"W{g.local(stop + 6, hours):%m%d %H:%M:%S}.121000 199302 torch/distributed/elastic/multiprocessing/api.py:858] Sending process "
        "199377 closing signal SIGTERM",
        f"W{g.local(stop + 36, hours):%m%d %H:%M:%S}.160000 199302 torch/distributed/elastic/multiprocessing/api.py:875] Unable to "
        "shutdown process 199377 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL",
        "srun: error: sz-a17: task 0: Exited with exit code 1",
    ]
    (place / f"tamarind_{job}.out").write_text("\n".join(log) + "\n")
    for number, node in enumerate(nodes):
        gpu = g.Gpu(node, (4, 1)[number], g.A100, loads[number])
        gpu.run(begin - 330 + number * 7, end + 300, 30, rng)
        g.dmon(place / f"dcgmi_dmon_{node}.txt", [gpu], hours)
        events = g.boot(begin - 86400 * 40.2 - number * 300, g.A100, 8, driver)
        if number == 1:
            old = begin - 3 * 86400 - 20177
            events += [
                (old, "celery invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=969"),
                (old, "memory: usage 16777216kB, limit 16777216kB, failcnt 80312"),
                (
                    old,
                    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-5ac07f1e.scope,mems_allowed=0-1,oom_memcg="
                    "/kubepods.slice/kubepods-burstable.slice/pod7e1d90c4,task_memcg=/kubepods.slice/kubepods-burstable.slice/"
                    "pod7e1d90c4/cri-containerd-5ac07f1e.scope,task=celery,pid=61190,uid=1001",
                ),
                (
                    old,
                    "Memory cgroup out of memory: Killed process 61190 (celery) total-vm:21880340kB, anon-rss:16611208kB, "
                    "file-rss:20116kB, shmem-rss:0kB, UID:1001 pgtables:33104kB oom_score_adj:969",
                ),
                (
                    stop,
                    "python[248390]: segfault at 58 ip 00007f1a3d0e92c7 sp 00007f17a97f9c10 error 4 in "
                    "libmlx5.so.1.24.44.0[7f1a3d0b1000+5c000] likely on CPU 77 (core 13, socket 1)",
                ),
                (
                    stop,
                    "Code: 8b 47 18 48 89 e5 41 57 41 56 49 89 fe 41 55 41 54 53 48 83 ec 28 <48> 8b 58 58 0f b6 43 3f 3c 01 74 1a 84",
                ),
            ]
        g.dmesg(place / f"dmesg_{node}.txt", events, hours)
    s, e = f"{g.local(begin, hours):%Y-%m-%dT%H:%M:%S}", f"{g.local(end, hours):%Y-%m-%dT%H:%M:%S}"
    g.table(
        place / "sacct.txt",
        [
            "JobID",
            "JobName",
            "User",
            "Partition",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "NNodes",
            "NodeList",
        ],
        [
            [
                job,
                "tamarind-qa",
                "zyfan",
                "a100",
                "FAILED",
                "1:0",
                s,
                e,
                g.span(end - begin),
                "3-00:00:00",
                "2",
                "sz-a17,sz-a31",
            ]
        ],
    )
