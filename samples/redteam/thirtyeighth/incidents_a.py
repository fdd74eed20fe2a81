"""Incidents t01 to t08, blind. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth import gauge_ia as g

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01_megatron(place: Path, rng: Random) -> None:
    """A small GPT on one board."""
    utc = g.zone(0)
    start = g.epoch(utc, 2026, 6, 9, 21, 6, 33)
    host = "quill03"
    out = [
        "using world size: 1, data-parallel size: 1, context-parallel size: 1, hierarchical context-parallel sizes: "
        "Nonetensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    for key, value in (
        ("bf16", True),
        ("clip_grad", 1.0),
        ("data_path", "['/lake/nl_court/dutch_court_text_document']"),
        ("eval_interval", 900),
        ("eval_iters", 20),
        ("exit_duration_in_mins", None),
        ("ffn_hidden_size", 3392),
        ("global_batch_size", 56),
        ("hidden_size", 848),
        ("log_interval", 30),
        ("lr", 0.00042),
        ("lr_decay_style", "cosine"),
        ("micro_batch_size", 14),
        ("num_attention_heads", 16),
        ("num_layers", 22),
        ("save", "/lake/ck/rechtbank-a"),
        ("save_interval", 900),
        ("seq_length", 1792),
        ("train_iters", 4500),
    ):
        out.append(f"  {key} {'.' * (48 - len(key))} {value}")
    out += [
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 4177 ...",
        "> compiling dataset index builder ...",
        f">>> done with dataset index builder. Compilation time: {rng.uniform(0.04, 0.08):.3f} seconds",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 234094592",
        "INFO:megatron.core.optimizer_param_scheduler:> learning rate decay style: cosine",
        "WARNING: could not find the metadata file /lake/ck/rechtbank-a/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        f"(min, max) time across ranks (ms):\n    load-checkpoint ................................: "
        f"({rng.uniform(0.5, 0.8):.2f}, 0.80)",
        "> building train, validation, and test datasets for GPT ...",
        " > datasets target sizes (minimum size):\n    train:      252000\n    validation: 6720\n    test:       1120",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {g.clock(start + 71, utc)}",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {g.clock(start + 74, utc)}",
    ]
    now = start + 74
    breaks = []

    def loss(at: int) -> float:
        return 2.61 + 8.25 * math.exp(-at / 190) + 1.4 * math.exp(-at / 1500)

    def validate(at: int, label: str) -> str:
        value = loss(at) + 0.05 + rng.gauss(0, 0.01)
        text = f" validation loss at {label} | lm loss value: {value:.6E} | lm loss PPL: {math.exp(value):.6E} | "
        return "-" * (len(text) - 1) + "\n" + text + "\n" + "-" * (len(text) - 1)

    for number in range(30, 4501, 30):
        step = rng.gauss(2229, 6) + (430 if number == 30 else 0)
        now += step * 30 / 1000
        lr = (
            4.2e-4 * min(1.0, number / 200)
            if number < 200
            else 4.2e-5 + 3.78e-4 * 0.5 * (1 + math.cos(math.pi * (number - 200) / 4300))
        )
        out.append(
            f" [{g.clock(now, utc)}] iteration {number:8d}/{4500:8d} | consumed samples: {number * 56:12d} | "
            f"elapsed time per iteration (ms): {step:.1f} | throughput per GPU (TFLOP/s/GPU): "
            f"{75.4 * 2229 / step:.1f} | learning rate: {lr:.6E} | global batch size: {56:5d} | "
            f"lm loss: {loss(number) + rng.gauss(0, 0.018):.6E} | loss scale: 1.0 | "
            f"grad norm: {0.31 + 3.4 * math.exp(-number / 110) + abs(rng.gauss(0, 0.04)):.3f} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if number == 30:
            out.append(
                "Number of parameters in transformer block in billions:  0.19\n[Rank 0] (after 30 iterations) "
                "memory (MB) | allocated: 4482.9 | max allocated: 52113.6 | reserved: 54870.0 | max reserved: "
                "54870.0"
            )
        if number % 900 == 0:
            out.append(
                f"(min, max) time across ranks (ms):\n    evaluate .......................................: "
                f"({rng.uniform(14100, 14600):.2f}, 14612.04)"
            )
            now += 14.5
            out.append(validate(number, f"iteration {number}"))
            out += [
                f"saving checkpoint at iteration {number:7d} to /lake/ck/rechtbank-a in torch_dist format",
                f"  successfully saved checkpoint from iteration {number:7d} to /lake/ck/rechtbank-a [ t 1/1, p 1/1 ]",
            ]
            breaks.append((now, now + 21, replace(g.held(g.A100, 56210), util=2)))
            now += 21
    out.append(f"[after training is done] datetime: {g.clock(now, utc)}")
    for kind in ("validation set", "test set"):
        now += 14.4
        out.append(validate(4500, f"iteration 4500 on {kind}"))
    end = now + 11
    g.write(place, "slurm-604417.out", "\n".join(out) + "\n")
    busy = g.Mode(100, 41, 0.985, 0.86, 0.42, 0.39, 0.44, 56210, 352, 1410, 0, 3.1e8)
    spans = [(start + 18, start + 58, g.held(g.A100, 512)), *g.dips(start + 74, end - 8, busy, breaks)]
    one = g.card(rng, host, 5, g.A100, spans)
    g.write(place, "prom_quill03_gpu.json", g.matrix(rng, [one], g.ticks(start - 900, end + 900, 60)))
    g.write(
        place,
        "sacct.txt",
        g.piped(
            [
                {
                    "JobID": "604417",
                    "JobName": "rechtbank-a",
                    "Partition": "single",
                    "User": "mvdberg",
                    "State": "COMPLETED",
                    "ExitCode": "0:0",
                    "Submit": g.clock(start - 812, utc, "%Y-%m-%dT%H:%M:%S"),
                    "Start": g.clock(start, utc, "%Y-%m-%dT%H:%M:%S"),
                    "End": g.clock(end, utc, "%Y-%m-%dT%H:%M:%S"),
                    "Elapsed": g.span(end - start),
                    "Timelimit": "04:00:00",
                    "NNodes": "1",
                    "NodeList": host,
                    "AllocTRES": "billing=14,cpu=14,gres/gpu=1,mem=120G,node=1",
                }
            ]
        ),
    )
    g.write(
        place,
        "journal_quill03.txt",
        g.kernel(
            "journal",
            host,
            utc,
            [
                (start - 702, "!systemd-logind[1604]: New session 4418 of user opsbot."),
                (start - 690, "!systemd-logind[1604]: Removed session 4418."),
                (start + 1, "!slurmd[2290]: Launching batch job 604417 for UID 30518"),
                (
                    start + 2711,
                    "perf: interrupt took too long (3141 > 3130), lowering kernel.perf_event_max_sample_rate to 63000",
                ),
                (start + 6140, "!chronyd[1522]: Selected source 10.8.0.4"),
                (end + 1, "!slurmstepd[77120]: done with job"),
            ],
        ),
    )


def t02_torchtune(place: Path, rng: Random) -> None:
    """Narratives of accidents, some of them very long."""
    west = g.zone(-8)
    start = g.epoch(west, 2026, 1, 20, 22, 41, 8)
    hosts = ("mesa-l4-11", "mesa-l4-14")
    total = 2160
    step = 24.6
    rows = []
    now = start + 163
    bar = []
    number = 0
    stop = start + 390 * 60 - 31
    while now + step < stop:
        took = max(15.0, rng.gauss(step, 2.9))
        now += took
        number += 1
        value = 1.12 + 0.95 * math.exp(-number / 85) + rng.gauss(0, 0.055)
        lr = 1.5e-4 * min(1, number / 60) * (0.5 * (1 + math.cos(math.pi * max(0, number - 60) / (total - 60))))
        rows.append(
            f"Step {number} | loss:{value:.6f} lr:{lr:.10f} tokens_per_second_per_gpu:"
            f"{rng.gauss(392, 31):.4f} grad_norm:{0.42 + abs(rng.gauss(0, 0.07)):.5f} "
            f"peak_memory_active:{rng.gauss(17.9, 0.1):.4f} peak_memory_alloc:17.91 "
            f"peak_memory_reserved:{min(20.01, 18.4 + number / 300):.3f}"
        )
        done = int(number / total * 100)
        bar.append(
            f"1|{number}|Loss: {value:.6f}: {done:3d}%|{'█' * (done // 10):<10}| {number}/{total} "
            f"[{g.span(now - start - 163)}<{g.span((total - number) * step)}, {took:.2f}s/it]"
        )
    fault = now + 17.2
    end = fault + 14
    g.write(place, "out/fatal_crash_narratives/log_1768977671.txt", "\n".join(rows) + "\n")
    head = [
        "W0120 22:41:31.204000 40771 site-packages/torch/distributed/run.py:792] ",
        "W0120 22:41:31.204000 40771 site-packages/torch/distributed/run.py:792] "
        "*****************************************",
        "W0120 22:41:31.204000 40771 site-packages/torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment "
        "variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the "
        "variable for optimal performance in your application as needed.",
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 3",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  packed: false",
        "  source: json",
        "  data_files: /srv/ntsb/killed_or_injured_fatal_crash_narratives.jsonl",
        "  train_on_input: true",
        "enable_activation_checkpointing: true",
        "gradient_accumulation_steps: 4",
        "max_steps_per_epoch: null",
        "model:",
        "  _component_: torchtune.models.llama3_2.lora_llama3_2_3b",
        "  lora_rank: 24",
        "output_dir: out/fatal_crash_narratives",
        "tokenizer:",
        "  max_seq_len: null",
        "",
        "WARNING:torchtune.utils._logging:Failed to import bitsandbytes, 8-bit optimizers will be unavailable "
        "(error ignored)",
        "INFO:torchtune.utils._logging:Set logging dir to out/fatal_crash_narratives",
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        "INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 41.88 secs",
        "INFO:torchtune.utils._logging:Memory stats after model init:\n\tGPU peak memory active: 3.41 GiB\n"
        "\tGPU peak memory alloc: 3.41 GiB\n\tGPU peak memory reserved: 3.52 GiB",
        "INFO:torchtune.utils._logging:Optimizer and loss are initialized.",
        "INFO:torchtune.utils._logging:Loaded 25921 narratives; first entry: 'PILOT KILLED, engine failure, aborted "
        "takeoff, aircraft destroyed by fire'",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
        "INFO:torchtune.utils._logging: Profiling disabled.",
        "",
    ]
    trace = [
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/home/okoye/tt/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 1009,'
        " in <module>",
        "[rank3]:     sys.exit(recipe_main())",
        '[rank3]:   File "/home/okoye/tt/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 1004,'
        " in recipe_main",
        "[rank3]:     recipe.train()",
        '[rank3]:   File "/home/okoye/tt/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 862,'
        " in train",
        "[rank3]:     current_loss = self._loss_step(batch) * current_num_tokens",
        '[rank3]:   File "/home/okoye/tt/lib/python3.11/site-packages/torch/nn/modules/loss.py", line 1295, in forward',
        "[rank3]:     return F.cross_entropy(",
        '[rank3]:   File "/home/okoye/tt/lib/python3.11/site-packages/torch/nn/functional.py", line 3494, in '
        "cross_entropy",
        "[rank3]:     return torch._C._nn.cross_entropy_loss(",
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.27 GiB. GPU 1 has a total capacity "
        "of 22.04 GiB of which 1.73 GiB is free. Including non-PyTorch memory, this process has 20.30 GiB memory in "
        "use. Of the allocated memory 18.96 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but "
        "unallocated. If reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
        "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    stamp = g.clock(fault + 6, west, "%m%d %H:%M:%S")
    tail = [
        f"W{stamp}.511000 38816 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending process "
        "38849 closing signal SIGTERM",
        f"E{stamp}.902000 38816 site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed "
        "(exitcode: 1) local_rank: 1 (pid: 38850) of binary: /home/okoye/tt/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/home/okoye/tt/bin/tune", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "recipes/lora_finetune_distributed.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {g.clock(fault + 6, west, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {hosts[1]}",
        "  rank      : 3 (local_rank: 1)",
        "  exitcode  : 1 (pid: 38850)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
        f"srun: error: {hosts[1]}: task 1: Exited with exit code 1",
        "srun: Terminating StepId=118204.0",
        f"slurmstepd: error: *** STEP 118204.0 ON {hosts[0]} CANCELLED AT "
        f"{g.clock(end - 2, west, '%Y-%m-%dT%H:%M:%S')} ***",
    ]
    g.write(place, "fatal_narr-118204.log", "\n".join(head) + "\r".join(bar) + "\n" + "\n".join([*trace, *tail]) + "\n")
    cards = []
    for where in hosts:
        for index in range(2):
            spans = [
                (start + 25, start + 40, g.held(g.L4, 410, 2.1)),
                (start + 40, start + 150, g.held(g.L4, 3900, 2.1)),
            ]
            now = start + 160
            last = where == hosts[1] and index == 1
            peak = 18900
            while now < fault + (1 if last else 5):
                until = min(now + 1500, fault + (1 if last else 5))
                busy = g.Mode(98, 61, 0.95, 0.8, 0.4, 0.3, 0.5, peak, 69.5, 1290, 4, 2e9, spread=0.032)
                spans.append((now, until, g.near(rng, busy, 0.01)))
                peak = min(20780, peak + rng.randint(30, 260))
                now = until
            one = g.card(rng, where, index, g.L4, spans)
            cards.append(one)
    g.write(
        place,
        "gpu_query_range.json",
        g.matrix(
            rng,
            cards,
            g.ticks(start - 1200, end + 1800, 60),
            prof=False,
            reasons="DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
            job="gpu-metrics",
        ),
    )
    iso = "%Y-%m-%dT%H:%M:%S"
    g.write(
        place,
        "scontrol.txt",
        "\n".join(
            [
                "JobId=118204 JobName=fatal_narr",
                "   UserId=okoye(2207) GroupId=safety(2200) MCS_label=N/A",
                "   Priority=20117 Nice=0 Account=safety QOS=normal",
                "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
                "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
                f"   RunTime={g.span(end - start)} TimeLimit=20:00:00 TimeMin=N/A",
                f"   SubmitTime={g.clock(start - 66, west, iso)} EligibleTime={g.clock(start - 66, west, iso)}",
                f"   AccrueTime={g.clock(start - 66, west, iso)}",
                f"   StartTime={g.clock(start, west, iso)} EndTime={g.clock(end, west, iso)} Deadline=N/A",
                f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={g.clock(start, west, iso)} Scheduler=Main",
                "   Partition=l4 AllocNode:Sid=mesa-login1:91204",
                "   ReqNodeList=(null) ExcNodeList=(null)",
                "   NodeList=mesa-l4-[11,14]",
                "   BatchHost=mesa-l4-11",
                "   NumNodes=2 NumCPUs=32 NumTasks=2 CPUs/Task=16 ReqB:S:C:T=0:0:*:*",
                "   ReqTRES=cpu=32,mem=180G,node=2,billing=32,gres/gpu=4",
                "   AllocTRES=cpu=32,mem=180G,node=2,billing=32,gres/gpu=4",
                "   Command=/home/okoye/ntsb/tune_killed.sbatch",
                "   WorkDir=/home/okoye/ntsb",
                "   StdErr=/home/okoye/ntsb/fatal_narr-118204.log",
                "   StdIn=/dev/null",
                "   StdOut=/home/okoye/ntsb/fatal_narr-118204.log",
                "   TresPerNode=gres/gpu:2",
                "",
            ]
        )
        + "\n",
    )
    for number, where in enumerate(hosts):
        g.write(
            place,
            f"journal/{where}.txt",
            g.kernel(
                "journal",
                where,
                west,
                [
                    (
                        start - 940 + number,
                        "!systemd[1]: fwupd-refresh.service: Main process exited, code=exited, status=1/FAILURE",
                    ),
                    (start - 939 + number, "!systemd[1]: fwupd-refresh.service: Failed with result 'exit-code'."),
                    (start + 2, "!slurmd[1811]: launch task StepId=118204.0 request from UID:2207 GID:2200"),
                    (
                        start + 4022 + 31 * number,
                        "ACPI Error: No handler for Region [SYSI] (IPMI) (20221020/evregion-130)",
                    ),
                    (
                        start + 4022 + 31 * number,
                        "ACPI Error: Aborting method \\_SB.PMI0._PMM due to previous error "
                        "(AE_NOT_EXIST) (20221020/psparse-529)",
                    ),
                    (
                        start + 15030 + 7 * number,
                        "!systemd[1]: motd-news.service: Killing process 77120 (curl) with signal SIGKILL.",
                    ),
                    (end + 3, "!slurmd[1811]: Sent signal 18 to StepId=118204.0"),
                ],
            ),
        )


def t03_hydro(place: Path, rng: Random) -> None:
    """A river model of somebody's own."""
    utc = g.zone(0)
    start = g.epoch(utc, 2026, 2, 17, 13, 2, 47)
    end = start + 69 * 60 + 14
    host = "vgn2"
    now = start + 38.2
    lines = []

    def say(level: str, source: str, text: str) -> None:
        lines.append(f"{g.clock(now, utc)},{int(now % 1 * 1000):03d} {level:<7} {source:<14} {text}")

    now = start + 9.4
    say("INFO", "hydro.main", "python 3.11.9, torch 2.4.1+cu121, device Tesla V100-SXM2-32GB")
    say("INFO", "hydro.main", "catchments: 212 train / 31 held out, window 365 d, lead 14 d")
    now = start + 24.8
    say("INFO", "hydro.model", "GraphLSTM hidden=1536 edges=88412 params=64.8M")
    now = start + 31.1
    say("INFO", "hydro.data", "opened archive /mnt/rivers/era5_land.zarr (chunk reader, 1 thread)")
    stall = start + 23 * 60 + 51
    number = 0
    while now < stall:
        now += rng.gauss(8.62, 0.11)
        number += 20
        nse = 1 - (0.31 + 0.62 * math.exp(-number / 900)) + rng.gauss(0, 0.008)
        say(
            "INFO",
            "hydro.fit",
            f"batch {number:5d} of 14400  mse "
            f"{0.083 + 0.61 * math.exp(-number / 520) + rng.gauss(0, 0.004):.4f}"
            f"  nse {nse:+.3f}  {20 / rng.gauss(8.62, 0.08):.2f} batch/s",
        )
        if number % 800 == 0:
            now += 3.1
            say("INFO", "hydro.fit", f"state written to runs/loire_7/state_{number:05d}.pt")
    say("INFO", "hydro.data", "chunk 0412/2960 of era5_land.zarr requested")
    last = now
    lines.append(
        f"slurmstepd: error: *** JOB 20918 ON {host} CANCELLED AT {g.clock(end, utc, '%Y-%m-%dT%H:%M:%S')} ***"
    )
    g.write(place, "loire_7.log", "\n".join(lines) + "\n")
    busy = g.Mode(99, 58, 0.97, 0.9, 0.55, 0.34, 0.47, 23418, 297.5, 1432, 4, 9e8, spread=0.02)
    quiet = replace(g.held(g.V100, 23418, 1.33), clock=1530)
    one = g.card(
        rng,
        host,
        2,
        g.V100,
        [(start + 14, start + 33, g.held(g.V100, 448, 1.3)), (start + 33, last + 1.5, busy), (last + 1.5, end, quiet)],
    )
    g.write(place, "dcgm_vgn2.json", g.matrix(rng, [one], g.ticks(start - 300, end + 300, 10)))
    iso = "%Y-%m-%dT%H:%M:%S"
    common = {"Start": g.clock(start, utc, iso), "End": g.clock(end, utc, iso), "Elapsed": g.span(end - start)}
    g.write(
        place,
        "sacct_20918.txt",
        g.columned(
            [
                {
                    "JobID": "20918",
                    "JobName": "loire_7",
                    "Partition": "volta",
                    "State": "CANCELLED by 5102",
                    "ExitCode": "0:0",
                    **common,
                    "NodeList": host,
                },
                {
                    "JobID": "20918.batch",
                    "JobName": "batch",
                    "Partition": "",
                    "State": "CANCELLED",
                    "ExitCode": "0:15",
                    **common,
                    "NodeList": host,
                },
                {
                    "JobID": "20918.extern",
                    "JobName": "extern",
                    "Partition": "",
                    "State": "COMPLETED",
                    "ExitCode": "0:0",
                    **common,
                    "NodeList": host,
                },
            ],
            (12, 10, 10, 18, 8, 19, 19, 10, 15),
        ),
    )


def t04_maxtext(place: Path, rng: Random) -> None:
    """Eight processes of one node."""
    utc = g.zone(0)
    start = g.epoch(utc, 2026, 4, 2, 3, 17, 40)
    end = start + 531 * 60 + 22
    host = "hx-0419"
    freeze = start + 487 * 60 + 9
    logs: list[list[str]] = []
    for rank in range(8):
        logs.append(
            [
                "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
                f"I0000 00:00:{start + 14 + rank * 0.03:.6f}  {51200 + rank} service.cc:145] XLA service "
                f"0x55d{rank}ae77f10 "
                "initialized for platform CUDA (this does not guarantee that XLA will be used). Devices:",
                f"I0000 00:00:{start + 14 + rank * 0.03:.6f}  {51200 + rank} service.cc:153]   StreamExecutor device (0): "
                "NVIDIA H200, Compute Capability 9.0",
                "INFO:jax._src.xla_bridge:Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: "
                "libtpu.so: cannot open shared object file: No such file or directory",
                f"Jax distributed system initialized on GPU! process {rank} of 8",
                "System Information: Jax Version: 0.5.3",
                "System Information: Jaxlib Version: 0.5.3",
                "System Information: Jax Backend: PJRT C API\ncuda 12080",
                "Config param run_name: dead-reckoning-exit-137",
                "Config param per_device_batch_size: 5.0",
                "Config param max_target_length: 6144",
                "Config param hardware: gpu_multiprocess",
                "Config param steps: 2600",
                "Config param dataset_type: grain",
                "Config param enable_checkpointing: True",
                "Num_devices: 8, shape (1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1)",
                "No existing checkpoints found, not restoring checkpoint.",
                "number parameters: 32.096 billion",
                "Total memory size: 117.9 GB, Output size: 48.2 GB, Temp size: 69.7 GB, "
                "Argument size: 48.2 GB, Host temp size: 0.0 GB.",
                "Memstats: After params initialized:",
                f"\tUsing (GB) 48.21 / 126.37 (38.149877%) on cuda:{rank}",
            ]
        )
    now = start + 128.0
    number = 0
    saves = []
    warn = (
        "warning: optimizer state of 'fatal_head/kernel' not sharded, replicated (harmless)",
        "grain: worker 3 was killed and respawned after max_records, this is expected",
    )
    while True:
        took = 20.91 + rng.gauss(0, 0.06) + (31 if number == 0 else 0)
        if now + took > freeze:
            break
        now += took
        loss = 2.07 + 8.9 * math.exp(-number / 75) + 1.3 * math.exp(-number / 620) + rng.gauss(0, 0.02)
        for rank in range(8):
            logs[rank].append(
                f"completed step: {number}, seconds: {took + rng.gauss(0, 0.002):.3f}, TFLOP/s/device: "
                f"{6310 / took:.3f}, Tokens/s/device: {30720 / took:.3f}, total_weights: 245760, "
                f"loss: {loss:.3f}"
            )
        if number % 250 == 0:
            for rank in range(8):
                logs[rank].append(f"saved a checkpoint at step {number}")
            saves.append((now, now + 26, g.held(g.H200, 129420, 1.6)))
            now += 26
        if number in (311, 902):
            logs[rng.randrange(8)].append(warn[number == 902])
        number += 1
    iso = "%Y-%m-%dT%H:%M:%S"
    for rank in range(8):
        g.write(place, f"logs/maxtext_71833_{rank}.out", "\n".join(logs[rank]) + "\n")
    g.write(
        place,
        "logs/batch_71833.out",
        "\n".join(
            [
                "+ rm -f /dev/shm/killed.lock",
                "rm: cannot remove stale core dumps: none found (error ignored)",
                "+ srun --ntasks-per-node=8 --output=logs/maxtext_%j_%t.out python3 -m MaxText.train "
                "MaxText/configs/base.yml run_name=dead-reckoning-exit-137",
                "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
                f"slurmstepd: error: *** STEP 71833.0 ON {host} CANCELLED AT {g.clock(end - 3, utc, iso)} ***",
                f"slurmstepd: error: *** JOB 71833 ON {host} CANCELLED AT {g.clock(end - 3, utc, iso)} ***",
            ]
        )
        + "\n",
    )
    cards = []
    for index in range(8):
        busy = g.near(rng, g.Mode(100, 47, 0.985, 0.88, 0.29, 0.42, 0.41, 129420, 612, 1845, 0, 4e8, 7.4e10))
        spin = g.near(rng, g.Mode(100, 0, 0.998, 0.147, 0.036, 0, 0.004, busy.fb, 196, 1980, 0, 0, 0, spread=0.01))
        spin = replace(spin, fb=busy.fb)
        cold = replace(g.held(g.H200, busy.fb, 1.52), clock=1980)
        last = now + (11.4 if index == 5 else 12.0)
        spans = [
            (start + 15, start + 60, g.held(g.H200, 690, 1.5)),
            (start + 60, start + 128, g.held(g.H200, busy.fb, 1.5)),
            *g.dips(start + 128, last, busy, saves),
            (last, end - 1, cold if index == 5 else spin),
        ]
        cards.append(g.card(rng, host, index, g.H200, spans))
    g.write(place, "prometheus_hx-0419.json", g.matrix(rng, cards, g.ticks(start - 600, end + 600, 30)))

    def moment(begin: float, finish: float) -> dict[str, object]:
        return {
            "elapsed": int(finish - begin),
            "start": int(begin),
            "end": int(finish),
            "suspended": 0,
            "system": {"seconds": 8120, "microseconds": 0},
            "user": {"seconds": 241002, "microseconds": 0},
        }

    def number_of(value: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": value}

    def code(signal: int, name: str) -> dict[str, object]:
        return {
            "status": ["SIGNALED" if signal else "SUCCESS"],
            "return_code": number_of(0),
            "signal": {"id": number_of(signal), "name": name},
        }

    steps = [
        {
            "step": {"id": f"71833.{name}", "name": title},
            "state": [state],
            "time": moment(begin, end),
            "nodes": {"count": 1, "range": host, "list": [host]},
            "tasks": {"count": tasks},
            "exit_code": code(signal, "TERM" if signal else "NONE"),
            "kill_request_user": "",
        }
        for name, title, state, begin, tasks, signal in (
            ("batch", "batch", "CANCELLED", start, 1, 15),
            ("extern", "extern", "COMPLETED", start, 1, 0),
            ("0", "python3", "CANCELLED", start + 4, 8, 15),
        )
    ]
    g.write(
        place,
        "sacct.json",
        json.dumps(
            {
                "jobs": [
                    {
                        "account": "nav-lm",
                        "cluster": "hx",
                        "job_id": 71833,
                        "name": "dead-reckoning",
                        "user": "tbeaumont",
                        "partition": "h200",
                        "nodes": host,
                        "allocation_nodes": 1,
                        "kill_request_user": "tbeaumont",
                        "state": {"current": ["CANCELLED"], "reason": "None"},
                        "exit_code": code(0, "NONE"),
                        "derived_exit_code": code(0, "NONE"),
                        "time": {
                            **moment(start, end),
                            "eligible": int(start - 40),
                            "submission": int(start - 40),
                            "limit": number_of(1440),
                        },
                        "tres": {
                            "allocated": [
                                {"type": "cpu", "name": "", "id": 1, "count": 96},
                                {"type": "gres", "name": "gpu", "id": 1001, "count": 8},
                                {"type": "node", "name": "", "id": 4, "count": 1},
                            ]
                        },
                        "steps": steps,
                    }
                ],
                "meta": {"slurm": {"version": {"major": "24", "micro": "5", "minor": "05"}}},
                "errors": [],
                "warnings": [],
            },
            indent=1,
        )
        + "\n",
    )
    g.write(
        place,
        "dmesg_hx-0419.txt",
        g.kernel(
            "dmesg",
            host,
            utc,
            [
                (start - 86400 * 3, "ERST: Error Record Serialization Table (ERST) support is initialized."),
                (start - 86400 * 3 + 2, "EDAC skx: ECC is disabled on imc 7, error reporting off"),
                (start - 86400 * 3 + 4, "nvidia: loading out-of-tree module taints kernel."),
                (
                    start - 86400 * 3 + 4,
                    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.20  Sun Mar 30 21:01:00 UTC 2025",
                ),
                (start - 5100, "mlx5_core 0000:5e:00.0: mlx5_health: Fatal error reporter registered"),
                (
                    start + 7230,
                    "workqueue: blk_mq_run_work_fn hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
                ),
            ],
        ),
    )


def t05_clip(place: Path, rng: Random) -> None:
    """Pictures of herbaria and their labels."""
    east = g.zone(8)
    start = g.epoch(east, 2026, 5, 18, 10, 27, 55)
    hosts = ("xs-n021", "xs-n022", "xs-n025", "xs-n031")
    epochs, batches = 49, 390
    form = "%Y-%m-%d,%H:%M:%S"
    now = start + 52
    lines = []
    results = []

    def say(text: str) -> None:
        lines.append(f"{g.clock(now, east, form)} | INFO | {text}")

    say("Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.")
    say("Loaded ViT-B-16 model config.")
    now += 41
    say("Model:")
    say("CLIP(")
    say("Params:")
    for key, value in (
        ("accum_freq", 1),
        ("batch_size", 1024),
        ("beta2", 0.98),
        ("dataset_type", "webdataset"),
        ("epochs", epochs),
        ("gather_with_grad", True),
        ("local_loss", True),
        ("lr", 0.0007),
        ("name", "herbarium-b16-r3"),
        ("precision", "amp_bf16"),
        ("train_data", "/gpfs/herb/{0000..0411}.tar"),
        ("train_num_samples", 3194880),
        ("val_data", "/gpfs/herb/val/{00..05}.tar"),
        ("warmup", 1800),
        ("workers", 10),
        ("world_size", 8),
    ):
        lines.append(f"{g.clock(now, east, form)} | INFO |   {key}: {value}")
    now += 63
    lone: list[tuple[float, float]] = []
    begun = now
    total = epochs * batches
    for epoch in range(epochs):
        say(f"Start epoch {epoch}")
        for batch in range(batches):
            first = batch == 0
            took = 1.262 + abs(rng.gauss(0, 0.012)) + (rng.uniform(3.1, 6.4) if first else 0)
            now += took
            if batch % 100 and batch != batches - 1:
                continue
            step = epoch * batches + batch
            loss = 1.31 + 5.9 * math.exp(-step / 700) + 1.8 * math.exp(-step / 5200) + rng.gauss(0, 0.035)
            lr = (
                7e-4 * (step + 1) / 1800
                if step < 1800
                else 3.5e-4 * (1 + math.cos(math.pi * (step - 1800) / (total - 1800)))
            )
            done = (batch + 1) * 8192
            wait = took - 1.255 if first else rng.uniform(0.006, 0.014)
            say(
                f"Train Epoch: {epoch} [{done:>7}/3194880 ({100 * (batch + 1) // batches}%)] Data (t): "
                f"{wait:.3f} Batch (t): "
                f"{took:.3f}, {8192 / took:.3f}/s, {1024 / took:.3f}/s/gpu LR: {lr:.6f} Logit Scale: "
                f"{min(100, 14.286 + 71 * (1 - math.exp(-step / 6100))):.3f} Contrastive_loss: {loss:.5f} "
                f"({loss + 0.02:.5f}) Loss: {loss:.5f} ({loss + 0.02:.5f})"
            )
        lone.append((now + 0.5, now + 27.5))
        now += 27.5
        value = 1.02 + 2.4 * math.exp(-epoch / 6.5)
        recall = 0.71 * (1 - math.exp(-(epoch + 1) / 8)) + rng.gauss(0, 0.003)
        say(
            f"Eval Epoch: {epoch + 1} image_to_text_R@1: {recall:.4f}\t"
            f"image_to_text_R@5: {min(0.99, recall * 1.3):.4f}\t"
            f"clip_val_loss: {value:.4f}\tepoch: {epoch + 1:.4f}\tnum_samples: 21504.0000"
        )
        results.append(
            json.dumps(
                {
                    "image_to_text_R@1": round(recall, 5),
                    "clip_val_loss": round(value, 5),
                    "epoch": epoch + 1,
                    "num_samples": 21504,
                }
            )
        )
        now += 6.2
    end = now + 19
    g.write(place, "logs/herbarium-b16-r3/out.log", "\n".join(lines) + "\n")
    g.write(place, "logs/herbarium-b16-r3/checkpoints/results.jsonl", "\n".join(results) + "\n")
    g.write(
        place,
        "herb-93316.err",
        "\n".join(
            [
                "/home/guo_ym/oc/lib/python3.11/site-packages/timm/models/layers/__init__.py:48: FutureWarning: Importing from "
                "timm.models.layers is deprecated, please import via timm.layers",
                '  warnings.warn(f"Importing from {__name__} is deprecated, please import via timm.layers", FutureWarning)',
            ]
        )
        + "\n",
    )
    faulty = ""
    for number, where in enumerate(hosts):
        cards = []
        for index in range(2):
            busy = g.near(rng, g.Mode(99, 44, fb=71834, watts=561, clock=1980, reason=0))
            other = g.Mode(100, 1, fb=busy.fb, watts=189, clock=1980, reason=0, spread=0.01)
            evaluate = g.Mode(61, 12, fb=busy.fb, watts=265, clock=1980, reason=0, spread=0.03)
            mine = evaluate if number == 0 and index == 0 else other
            spans = [
                (start + 30, begun, g.held(g.H200, 1480, 1.5)),
                *g.dips(begun, end - 15, busy, [(a, b, mine) for a, b in lone]),
            ]
            cards.append(g.card(rng, where, index, g.H200, spans))
        if number == 2:
            faulty = cards[1].bus
        g.write(place, f"smi/{where}.csv", g.smi(rng, cards, start - 600 + number, end + 500, 30, east))
    iso = "%Y-%m-%dT%H:%M:%S"
    rows = []
    for ident, name, begin, finish, nodes, which, partition in (
        ("93316", "herb", start, end, 4, "xs-n[021-022,025,031]", "h200x2"),
        ("93316.batch", "batch", start, end, 1, hosts[0], ""),
        ("93316.extern", "extern", start, end, 4, "xs-n[021-022,025,031]", ""),
        ("93316.0", "python", start + 6, end - 1, 4, "xs-n[021-022,025,031]", ""),
    ):
        rows.append(
            {
                "JobID": ident,
                "JobName": name,
                "Partition": partition,
                "State": "COMPLETED",
                "ExitCode": "0:0",
                "Start": g.clock(begin, east, iso),
                "End": g.clock(finish, east, iso),
                "Elapsed": g.span(finish - begin),
                "NNodes": str(nodes),
                "NodeList": which,
            }
        )
    g.write(place, "sacct_93316.psv", g.piped(rows))
    for number, where in enumerate(hosts):
        events = [
            (
                start - 86400 * 11 + number * 13,
                "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.20  Sun Mar 30 21:01:00 UTC 2025",
            ),
            (start - 86400 * 11 + 40 + number, "mlx5_core 0000:9a:00.0 ibp154s0: Link up"),
            (
                start - 70210 + number * 9,
                "LustreError: 3011:0:(file.c:251:ll_close_inode_openhandle()) mdc close failed: rc = -5",
            ),
        ][: 2 + (number == 3)]
        if number == 2:
            events.append(
                (
                    start - 15644,
                    f"NVRM: Xid (PCI:{faulty[4:-2].lower()}): 31, pid=188402, name=python3, Ch 0000000c, "
                    "intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_4 faulted @ "
                    "0x7f52_1a400000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
                )
            )
        g.write(place, f"dmesg/{where}.log", g.kernel("dmesg", where, east, events))


def t06_kelp(place: Path, rng: Random) -> None:
    """Pictures of the sea floor, read from a slow share."""
    east = g.zone(9)
    start = g.epoch(east, 2026, 7, 8, 8, 49, 12)
    host = "kumo-l4-2"
    now = start
    lines = []

    def say(text: str) -> None:
        lines.append(f"{g.clock(now, east, '%Y/%m/%d %H:%M:%S')} [rank 0/1] {text}")

    now += 6.2
    say("kelpnet: resnet-unet, 41.7 M weights, amp=fp16, batch 18, tiles 1152x1152")
    now += 1.1
    say("source: /net/buoy/orthomosaic (66,120 tif), loader processes: 2, prefetch 1")
    now += 4.4
    total = 738
    waits = []
    for number in range(1, total + 1):
        wait = max(2.6, rng.lognormvariate(math.log(7.95), 0.33))
        work = rng.gauss(0.64, 0.02)
        waits.append(wait)
        now += wait + work
        if number % 123 == 0:
            say(f"weights -> kelp_{number:04d}.pt")
            now += 1.4
        loss = 0.21 + 0.66 * math.exp(-number / 120) + rng.gauss(0, 0.02)
        say(
            f"it {number:4d}/{total}  waited_for_batch {wait:6.2f} s  forward_backward {work:5.2f} s  "
            f"dice_loss {loss:.4f}"
            f"  lr {3e-4 * (1 - number / total):.2e}"
        )
    say(
        f"all {total} iterations done; mean wait {sum(waits) / total:.2f} s of "
        f"{sum(waits) / total + 0.64:.2f} s an iteration"
    )
    end = now + 3
    g.write(place, "kelp_rank0.log", "\n".join(lines) + "\n")
    starved = g.Mode(0, 3, 0.073, 0.061, 0.033, 0.018, 0.03, 15122, 29.5, 2040, 0, 4.4e7, spread=0.12, burst=0.075)
    one = g.card(rng, host, 0, g.L4, [(start + 5, start + 13, g.held(g.L4, 380, 2.1)), (start + 13, end, starved)])
    one.counters = {"corr": [(0, 4)], "uncorr": [(0, 1)]}
    g.write(place, f"dcgm/{host}.json", g.matrix(rng, [one], g.ticks(start - 900, end + 900, 30)))
    g.write(
        place,
        f"journal_{host}.txt",
        g.kernel(
            "journal",
            host,
            east,
            [
                (start - 611, "!systemd[1]: Starting man-db.service - Daily man-db regeneration..."),
                (start - 604, "!systemd[1]: man-db.service: Deactivated successfully."),
                (start - 2, "!slurmd[1402]: launch task StepId=3371.0 request from UID:1014 GID:1014"),
                (start + 3021, "!systemd[1]: Starting fstrim.service - Discard unused blocks..."),
                (start + 3022, "!systemd[1]: fstrim.service: Deactivated successfully."),
                (end + 2, "!slurmd[1402]: _rpc_terminate_job: uid = 970 JobId=3371"),
            ],
        ),
    )


def t07_wren(place: Path, rng: Random) -> None:
    """Eight gaming boards and a script that throws its complaints away."""
    utc = g.zone(0)
    start = g.epoch(utc, 2026, 8, 29, 15, 33, 4)
    hosts = ("wren-a", "wren-b")
    end = start + 105 * 60 + 17
    stop = end - 4.5
    rank_lines: list[list[str]] = [[] for _ in range(8)]
    now = start + 95
    number = 0
    while True:
        took = rng.gauss(6.83, 0.05)
        if now + took > stop:
            break
        now += took
        number += 1
        if number % 4:
            continue
        for rank in range(8):
            loss = 1.74 + 2.3 * math.exp(-number / 140) + rng.gauss(0, 0.05)
            rank_lines[rank].append(
                f"{g.clock(now, utc, '%H:%M:%S')} r{rank} s{number} loss={loss:.3f} "
                f"gn={0.88 + rng.gauss(0, 0.001) + 1.6 * math.exp(-number / 60):.2f} "
                f"tok/s={rng.gauss(3597, 20):.0f}"
            )
    for rank in range(8):
        head = [
            f"{g.clock(start + 12, utc, '%H:%M:%S')} r{rank} of 8 on {hosts[rank // 4]} cuda:{rank % 4}, "
            "full_shard, bf16 reduce, mbs 2 x 3072, adamw",
            f"{g.clock(start + 88, utc, '%H:%M:%S')} r{rank} wrapped 36 blocks, 4.02 B weights / 8, steps planned 6100",
        ]
        g.write(place, f"ranks/r{rank}.log", "\n".join(head + rank_lines[rank]) + "\n")
    g.write(
        place,
        "go.sh",
        "\n".join(
            [
                "#!/bin/bash",
                "#SBATCH -J songbook",
                "#SBATCH -N 2 --ntasks-per-node=4 --gpus-per-node=4 -t 16:00:00",
                "#SBATCH -o songbook.%j",
                "export MASTER_ADDR=wren-a MASTER_PORT=29177",
                "srun --kill-on-bad-exit=1 bash -c 'exec python -u shard_train.py --conf songbook.toml "
                "> ranks/r$SLURM_PROCID.log 2> /dev/null'",
            ]
        )
        + "\n",
    )
    iso = "%Y-%m-%dT%H:%M:%S"
    g.write(
        place,
        "songbook.5580",
        "\n".join(
            [
                "srun: error: wren-b: task 6: Exited with exit code 1",
                "srun: Terminating StepId=5580.0",
                f"slurmstepd: error: *** STEP 5580.0 ON wren-a CANCELLED AT {g.clock(end - 3, utc, iso)} ***",
                "srun: error: wren-b: tasks 4-5,7: Terminated",
                "srun: error: wren-a: tasks 0-3: Terminated",
            ]
        )
        + "\n",
    )
    cards = []
    for where in hosts:
        for index in range(4):
            busy = g.near(rng, g.Mode(100, 52, fb=22710, watts=331, clock=2610, reason=0))
            spans = [
                (start + 12, start + 50, g.held(g.R4090, 640, 2.7)),
                (start + 50, start + 93, g.held(g.R4090, 8120, 2.7)),
                (start + 93, stop, busy),
            ]
            cards.append(g.card(rng, where, index, g.R4090, spans))
    cards[3].counters = {"sbe": [(0, 2)] + [(start - 300 + 1391 * n, 2 + n) for n in range(1, 7)]}
    g.write(place, "query_range_wren.json", g.matrix(rng, cards, g.ticks(start - 480, end + 480, 15)))
    rows = []
    for ident, name, begin, nodes, which, state, code in (
        ("5580", "songbook", start, "2", "wren-[a-b]", "FAILED", "1:0"),
        ("5580.batch", "batch", start, "1", "wren-a", "FAILED", "1:0"),
        ("5580.extern", "extern", start, "2", "wren-[a-b]", "COMPLETED", "0:0"),
        ("5580.0", "bash", start + 3, "2", "wren-[a-b]", "FAILED", "1:0"),
    ):
        rows.append(
            {
                "JobID": ident,
                "JobName": name,
                "State": state,
                "ExitCode": code,
                "Start": g.clock(begin, utc, iso),
                "End": g.clock(end, utc, iso),
                "Elapsed": g.span(end - begin),
                "MaxRSS": {"5580.0": "17402212K", "5580.batch": "9120K", "5580.extern": "0"}.get(ident, ""),
                "ReqMem": "" if "." in ident else "240G",
                "NNodes": nodes,
                "NodeList": which,
            }
        )
    g.write(place, "acct_5580.txt", g.piped(rows))
    g.write(
        place,
        "dmesg.wren-a",
        g.kernel(
            "dmesg",
            hosts[0],
            utc,
            [
                (
                    start - 86400 * 6,
                    "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  560.35.05",
                ),
                (start - 86400 * 6 + 9, "igb 0000:29:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex"),
            ],
        ),
    )
    g.write(
        place,
        "dmesg.wren-b",
        g.kernel(
            "dmesg",
            hosts[1],
            utc,
            [
                (
                    start - 86400 * 6 + 3,
                    "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  560.35.05",
                ),
                *[
                    (
                        start - 7000 + 2903 * n,
                        "EDAC MC0: 1 CE Cannot decode normalized address on mc#0csrow#3channel#1 "
                        "(csrow:3 channel:1 page:0x0 offset:0x0 grain:64 syndrome:0x40)",
                    )
                    for n in range(4)
                ],
            ],
        ),
    )


def t08_kite(place: Path, rng: Random) -> None:
    """Two nodes, one board each."""
    east = g.zone(8)
    start = g.epoch(east, 2026, 10, 13, 19, 14, 20)
    hosts = ("kite-a", "kite-b")
    end = start + 235 * 60 + 8
    crash = end - 9.2
    form = "%m/%d/%Y %H:%M:%S"
    now = start + 44.0
    lines = []

    def say(text: str, tag: str = "INFO|DP=0|PP=0|TP=0|kite-a") -> None:
        lines.append(f"{g.clock(now, east, form)} [{tag}]: {text}")

    say(
        "Config:\nConfig(general=GeneralArgs(project='almanac', run='almanac-1b1-b', seed=811, step=None, "
        "consumed_train_samples=None, ignore_sanity_checks=True),\n       parallelism="
        "ParallelismArgs(dp=2, pp=1, tp=1, "
        "expert_parallel_size=1),\n       tokens=TokensArgs(sequence_length=2048, train_steps=21000, "
        "micro_batch_size=8, batch_accumulation_per_replica=6))",
        "INFO|DP=0|PP=0|TP=0",
    )
    now += 9
    say("Building model..", "INFO|DP=0|PP=0|TP=0")
    say("Total number of parameters: 1.12G (2136.23MiB)", "INFO|DP=0|PP=0|TP=0")
    now += 14
    say("No checkpoint path provided.", "INFO|DP=0|PP=0|TP=0")
    say(
        "[Training Plan] Stage Training Stage has 20998 remaining training steps and has consumed 0 samples",
        "INFO|DP=0|PP=0|TP=0",
    )
    now += 21
    say(
        "[Start training] datetime: " + g.clock(now, east) + ".118340 | mbs: 8 | grad_accum: 6 | global_batch_size: 96 "
        "| sequence_length: 2048 | train_steps: 21000 | start_iteration_step: 0 | consumed_train_samples: 0",
        "INFO|DP=0|PP=0|TP=0",
    )
    began = now
    number = 0
    saves = []
    while True:
        took = rng.gauss(4.68, 0.02)
        if now + took > crash:
            break
        now += took
        number += 1
        if number % 6 == 0:
            loss = 2.44 + 7.1 * math.exp(-number / 160) + 1.3 * math.exp(-number / 1700) + rng.gauss(0, 0.02)
            tokens = 196608 * number
            seen = f"{tokens / 1e6:.3g}M" if tokens < 1e9 else f"{tokens / 1e9:.3g}G"
            say(
                f"iteration: {number} / 21000 | consumed_tokens: {seen} | elapsed_time_per_iteration_ms: {took:.3g}K | "
                f"tokens_per_sec: {196.608 / took:.3g}K | tokens_per_sec_per_gpu: {98.304 / took:.3g}K | "
                f"global_batch_size: 96 | lm_loss: {loss:.3g} | lr: {3.2e-4 * min(1, number / 900):.3g} | "
                f"model_tflops_per_gpu: {695.0 / took:.3g} | hardware_tflops_per_gpu: {695.0 / took:.3g} | grad_norm: "
                f"{0.36 + 2.1 * math.exp(-number / 90) + abs(rng.gauss(0, 0.05)):.3g} | cuda_memory_allocated: 13.6G | "
                "cuda_max_memory_reserved: 58.9G | hd_total_memory_tb: 7.68T | hd_used_memory_tb: 3.11T | "
                "hd_free_memory_tb: 4.57T"
            )
        if number % 1000 == 0:
            say(f"Saving checkpoint at /pool/almanac/b/{number}", "WARNING|DP=0|PP=0|TP=0")
            saves.append((now, now + 17, g.held(g.A100, 60480)))
            now += 17
    stamp = g.clock(crash + 3.1, east, "%m%d %H:%M:%S")
    lines += [
        f"E{stamp}.440000 61102 site-packages/torch/distributed/elastic/multiprocessing/api.py:874] failed "
        "(exitcode: -11) local_rank: 0 (pid: 61177) of binary: /pool/env/nt/bin/python3",
        "Traceback (most recent call last):",
        '  File "/pool/env/nt/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/pool/env/nt/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/'
        '__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 54,
        "run_train.py FAILED",
        "-" * 54,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 54,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {g.clock(crash + 3.1, east, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : kite-b",
        "  rank      : 1 (local_rank: 0)",
        "  exitcode  : -11 (pid: 61177)",
        "  error_file: <N/A>",
        "  traceback : Signal 11 (SIGSEGV) received by PID 61177",
        "=" * 54,
        "srun: error: kite-b: task 1: Exited with exit code 1",
        "srun: Terminating StepId=40266.0",
        "slurmstepd: error: *** STEP 40266.0 ON kite-a CANCELLED AT "
        f"{g.clock(crash + 5, east, '%Y-%m-%dT%H:%M:%S')} ***",
        f"W{g.clock(crash + 5, east, '%m%d %H:%M:%S')}.871000 40112 site-packages/torch/distributed/elastic/agent/"
        "server/"
        "api.py:719] Received 15 death signal, shutting down workers",
        f"W{g.clock(crash + 5, east, '%m%d %H:%M:%S')}.872000 40112 site-packages/torch/distributed/elastic/"
        "multiprocessing/api.py:900] Sending process 40150 closing signal SIGTERM",
        "srun: error: kite-a: task 0: Exited with exit code 1",
    ]
    g.write(place, "almanac_40266.log", "\n".join(lines) + "\n")
    for place_number, where in enumerate(hosts):
        busy = g.near(rng, g.Mode(100, 43, 0.975, 0.85, 0.36, 0.45, 0.41, 60480, 371, 1410, 0, 1.2e9))
        spin = g.Mode(100, 0, 0.99, 0.13, 0.04, 0, 0.01, busy.fb, 104, 1410, 0)
        spans = [
            (start + 30, began, g.held(g.A100, 4810)),
            *g.dips(began, crash, busy, [(a, b, replace(m, fb=busy.fb)) for a, b, m in saves]),
        ]
        if not place_number:
            spans.append((crash, crash + 6.5, spin))
        one = g.card(rng, where, 0, g.A100, spans)
        times = [start - 700 + place_number * 7 + n * 30.0 for n in range(int((end - start + 1300) // 30))]
        g.write(place, f"dmon_{where}.txt", g.dmon(rng, [one], times, east))
    iso = "%Y-%m-%dT%H:%M:%S"
    g.write(
        place,
        "sacct.out",
        g.piped(
            [
                {
                    "JobIDRaw": "40266",
                    "JobName": "almanac",
                    "User": "liufang",
                    "Partition": "a100s",
                    "State": "FAILED",
                    "ExitCode": "1:0",
                    "Start": g.clock(start, east, iso),
                    "End": g.clock(end, east, iso),
                    "ElapsedRaw": str(int(end) - int(start)),
                    "NNodes": "2",
                    "NodeList": "kite-[a-b]",
                    "Reason": "None",
                }
            ]
        ),
    )
    g.write(
        place,
        "dmesg_kite-a.txt",
        g.kernel(
            "dmesg",
            hosts[0],
            east,
            [
                (
                    start - 86400 * 20,
                    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08  Wed Oct  9 03:39:58 UTC 2024",
                ),
                (start - 86400 * 4, "nfs: server pool-nas OK"),
                (start + 5033, "TCP: request_sock_TCP: Possible SYN flooding on port 10.4.1.9:9100. Sending cookies."),
            ],
        ),
    )
    then = start - 34102
    scope = "docker-9be3417c20d58f6a41c2be07f1de5590aa64bd1f3c7e6208b1d9f4ee7c35a016.scope"
    g.write(
        place,
        "dmesg_kite-b.txt",
        g.kernel(
            "dmesg",
            hosts[1],
            east,
            [
                (
                    start - 86400 * 20 + 5,
                    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08  Wed Oct  9 03:39:58 UTC 2024",
                ),
                (then, "java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
                (then + 0.1, "memory: usage 8388608kB, limit 8388608kB, failcnt 20417"),
                (
                    then + 0.2,
                    f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={scope},mems_allowed=0-1,"
                    f"oom_memcg=/system.slice/{scope},task_memcg=/system.slice/{scope},task=java,pid=22817,uid=1000",
                ),
                (
                    then + 0.3,
                    "Memory cgroup out of memory: Killed process 22817 (java) total-vm:14210776kB, "
                    "anon-rss:8301120kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:17044kB oom_score_adj:0",
                ),
                (
                    crash,
                    "python3[61177]: segfault at 7f2c5bfffff8 ip 00007f31d4b0e7c2 sp 00007f2c5c000000 error 6 in "
                    "libarrow.so.1700[7f31d3a00000+2b4c000] likely on CPU 11 (core 11, socket 0)",
                ),
                (
                    crash + 0.1,
                    "Code: 48 89 e5 41 57 41 56 41 55 41 54 53 48 81 ec 88 01 00 00 48 89 7d a8 48 89 75 a0 <e8> 99 "
                    "3c ff ff 48 8b 45 a8 48 8b 00 48 85 c0 74 1a 48 8b 40 10",
                ),
            ],
        ),
    )
