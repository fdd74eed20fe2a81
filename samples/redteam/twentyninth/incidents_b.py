"""Incidents t09 to t16 of the twenty-ninth set, as sites would hand them over. SIMULATED."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import (
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
)
from samples.redteam.twentyfourth.rig_site import FREE, Hall, shake, still, ticks
from samples.redteam.twentythird.rig_more import FULL, ISO, bar, hms, job, sacct, torchrun_end, when

if TYPE_CHECKING:
    from pathlib import Path

OMP: Final = [
    "",
    "*****************************************",
    "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being"
    " overloaded, please further tune the variable for optimal performance in your application as needed. ",
    "*****************************************",
]


def neat(value: float) -> str:
    """A number as OLMo-core prints it."""
    if value < 0.0001:
        return f"{value:.2E}"
    if value > 1000:
        return f"{int(value):,d}"
    return f"{value:.1f}" if value > 100 else f"{value:.2f}" if value > 10 else f"{value:.4f}"


def cgroup_oom(t: float, rng: Random, name: str, gib: int, docker: bool = True) -> list[tuple[float, str]]:
    """What the kernel says when a container passes its limit of memory."""
    one, pid = f"{rng.getrandbits(256):064x}", rng.randrange(20000, 900000)
    where = f"/system.slice/docker-{one}.scope" if docker else f"/machine.slice/libpod-{one}.scope"
    kib = gib * 1048576
    return [
        (t, f"{name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (t + 0.000081, f"memory: usage {kib}kB, limit {kib}kB, failcnt {rng.randrange(300, 9000)}"),
        (t + 0.000093, "swap: usage 0kB, limit 0kB, failcnt 0"),
        (
            t + 0.000412,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={where.rsplit('/', 1)[1]},mems_allowed=0-1,"
            f"oom_memcg={where},task_memcg={where},task={name},pid={pid},uid=999",
        ),
        (
            t + 0.000437,
            f"Memory cgroup out of memory: Killed process {pid} ({name}) total-vm:{kib + 3811204}kB,"
            f" anon-rss:{kib - 40212}kB, file-rss:8124kB, shmem-rss:0kB, UID:999 pgtables:{gib * 2104}kB"
            " oom_score_adj:0",
        ),
        (t + 0.31, f"oom_reaper: reaped process {pid} ({name}), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB"),
    ]


def t09(place: Path, rng: Random) -> None:
    """OLMo-core on four nodes of H200 until the limit of 85 minutes; no kernel log."""
    east, begin = -480, when(19, 4, 11, 8, month=11)
    nodes = ["cas-h07", "cas-h08", "cas-h11", "cas-h12"]
    start = begin + 52
    cut = start + 5100 + 13.4
    gone = cut + 3.6
    train, pace = start + 171, 9.64
    saves = [train + pace * n + 1 for n in (250, 500)]

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 41 or at >= gone:
            return FREE
        if at < start + 118:
            return Work(mib=1450)
        if at < train:
            return Work(engine=0.21, sm=0.09, tensor=0.05, dram=0.06, mib=64200 + 31 * gpu)
        if any(0 <= at - s < 22 for s in saves):
            return Work(engine=0.55, sm=0.31, tensor=0.2, dram=0.19, mib=102900 + 31 * gpu, rx=310, tx=2900)
        full = Work(engine=0.992, sm=0.61, tensor=0.4, dram=0.38, mib=102900 + 31 * gpu, rx=2300, tx=2300)
        return shake(full, f"{node}{gpu}{at}", 0.96)

    hall = Hall("H200", nodes, 8, work, begin, begin + 87 * 60, 30, 29091)
    for n, name in enumerate(nodes):
        dmon(place, f"dcgm/{name}.dmon", hall, n, east, ISO)

    def say(t: float, where: str, what: str, level: str = "INFO") -> str:
        return f"[{clock(t, east)}] {level:<8} [olmo_core.{where}, rank=0] {what}"

    tstamp = "%m%d %H:%M:%S"
    log = [
        "Tue Nov 18 20:12:01 PST 2026",
        f"job 118842 on {','.join(nodes)}  head cas-h07 10.41.0.17:29400",
    ]
    log[0] = clock(start + 1, east, "%a %b %e %H:%M:%S PST %Y")
    for n in range(4):
        log.append(
            f"W{clock(start + 6 + n * 0.2, east, tstamp)}.{311 + 97 * n}000 {41022 + 371 * n}"
            " site-packages/torch/distributed/run.py:774] "
        )
        log += [
            f"W{clock(start + 6 + n * 0.2, east, tstamp)}.{311 + 97 * n}000 {41022 + 371 * n}"
            f" site-packages/torch/distributed/run.py:774] {one}"
            for one in OMP[1:]
        ]
    log += [
        f"[W{clock(start + 9, east, tstamp)}.118204772 socket.cpp:755] [c10d] The client socket cannot be"
        " initialized to"
        " connect to [cas-h07.cascade.local]:29400 (errno: 97 - Address family not supported by protocol).",
        f"[W{clock(start + 9, east, tstamp)}.640188130 socket.cpp:464] [c10d] The IPv6 network addresses of"
        " (cas-h07, 29400)"
        " cannot be retrieved (gai error: -2 - Name or service not known).",
        say(start + 44, "utils:388", "CLI environment prepared"),
        say(start + 45, "config:71", "ExperimentConfig:"),
        "{'run_name': 'tern-7b-mid3', 'launch': None,",
        " 'model': {'d_model': 4096, 'vocab_size': 100352, 'n_layers': 32, 'init_seed': 0},",
        " 'train_module': {'rank_microbatch_size': 16384, 'max_sequence_length': 8192, 'compile_model': True,",
        "  'max_grad_norm': 1.0, 'scheduler': {'warmup_steps': 0, 'alpha_f': 0.0}, 'z_loss_multiplier': 1e-05},",
        " 'trainer': {'save_overwrite': True, 'cancel_check_interval': 10, 'hard_stop': None, 'async_bookkeeping':"
        " True,",
        "  'callbacks': {'checkpointer': {'save_interval': 250, 'ephemeral_save_interval': None, 'save_async': True},",
        "   'slack_notifier': {'notify_on_failure': True, 'enabled': False},",
        "   'stability_monitor': {'window_size': 128, 'kill_on_spike': False}, 'gc': {'gc_interval': 1000}}},",
        " 'max_duration': {'value': 10000000000, 'unit': 'tokens'}, 'init_seed': 12536}",
        say(start + 52, "nn.transformer.model:317", "Number of parameters: 7,298,011,136"),
        say(start + 61, "data.numpy_dataset:604", "Reading instance offsets for 214 paths..."),
        say(
            start + 66.5,
            "io:702",
            "Request failed: Connection broken: ConnectionResetError(104, 'Connection reset by peer'), retrying in"
            " 0.5 seconds (attempt 1 of 10)",
            "WARNING",
        ),
        say(start + 71, "data.data_loader:521", "Saving global data order indices to:"),
        "'/scratch/tern/dataset-cache/global_indices_epoch1_seed12536_dsf1d9a.npy'",
        say(start + 84, "train.trainer:618", "Loading checkpoint from"),
        "'/proj/tern/ckpt/tern-7b-stage1/step112000'...",
        "/opt/conda/lib/python3.11/site-packages/torch/distributed/checkpoint/planner_helpers.py:418: FutureWarning:"
        " Please use DTensor instead and we are deprecating ShardedTensor.",
        say(start + 131, "train.checkpoint:301", "Checkpoint loaded; trainer state was not requested, skipped", "INFO"),
        say(
            start + 133,
            "train.callbacks.garbage_collector:32",
            "Automatic GC disabled for training, will run GC every 1000 steps",
        ),
        say(
            start + 134,
            "train.callbacks.checkpointer:175",
            "Creating new process group for checkpointing (needed for async checkpointing)",
        ),
        "wandb: Currently logged in as: yokafor (tern) to https://api.wandb.ai. Use `wandb login --relogin` to"
        " force relogin",
        say(start + 138, "train.trainer:1303", "Starting forward/backward dry-run batch..."),
        say(start + 169, "train.trainer:1306", "Dry-run complete"),
        say(start + 170, "train.trainer:1311", "Starting epoch 1..."),
    ]
    step, at, total = 0, train, 2384
    while True:
        step += 1
        took_ = pace * rng.gauss(1, 0.004) + (3.1 if step - 1 in (250, 500) else 0)
        at += took_
        if at > cut:
            break
        mark = f"[step={step}/{total},epoch=1"
        if step % 10 and step > 1:
            log.append(say(at, "train.callbacks.console_logger:55", f"{mark}]"))
        else:
            left = int((total - step) * pace)
            eta = f"{left // 3600}h{left % 3600 // 60:02d}m"
            log.append(say(at, "train.callbacks.console_logger:62", f"{mark},eta={eta}]"))
            loss = learn(rng, step, 2.214, 1.92, 420, 0.006)
            numbers = {
                "gpu_memory/GPU active mem (%)": 100 * 91.4 / 139.81,
                "gpu_memory/GPU active mem (GiB)": 91.4,
                "gpu_memory/GPU reserved mem (%)": 100 * 98.3 / 139.81,
                "gpu_memory/GPU reserved mem (GiB)": 98.3,
                "optim/LR (group 0)": 2.07e-4 * (1 - step / total),
                "optim/total grad norm": max(0.1, rng.gauss(0.31, 0.02)),
                "throughput/device/BPS": 1 / took_,
                "throughput/device/MFU": 3.96e2 / took_,
                "throughput/device/TPS": 131072 / took_,
                "throughput/device/data loading (s)": abs(rng.gauss(0.004, 0.001)) + 0.0002,
                "throughput/total tokens": step * 4194304,
                "train/CE loss": loss,
                "train/PPL": 2.718281828**loss,
                "train/Z loss": 0.0018 * rng.gauss(1, 0.02),
            }
            log += [f"    {name}={neat(value)}" for name, value in numbers.items()]
        if step in (250, 500):
            log.append(say(at + 1, "train.callbacks.checkpointer:402", f"Saving checkpoint for step {step} to"))
            log.append(f"'/proj/tern/ckpt/tern-7b-mid3/step{step}'...")
        if step in (252, 502):
            log.append(
                say(at + 4, "train.callbacks.checkpointer:377", f"Checkpoint for step {step - 2} saved successfully")
            )
        if step == 137:
            log += [
                "wandb: Network error (ConnectTimeout), entering retry loop.",
                "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>)",
                "wandb: Network error resolved after 0:00:48.203117, resuming normal operation.",
            ]
        if step == 318:
            log.append(
                say(
                    at + 0.2,
                    "train.callbacks.callback:61",
                    "Exception ignored while posting metrics: TimeoutError('The read operation timed out'); next"
                    " attempt"
                    " with the next batch of metrics",
                    "WARNING",
                )
            )
    log += [
        f"slurmstepd: error: *** JOB 118842 ON cas-h07 CANCELLED AT {clock(cut, east, ISO)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 118842.0 ON cas-h07 CANCELLED AT {clock(cut, east, ISO)} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        say(cut + 0.3, "train.trainer:886", "SIGTERM received", "WARNING"),
    ]
    for n in range(4):
        head = (
            f"W{clock(cut, east, tstamp)}.{702 + 41 * n}000 {41022 + 371 * n} site-packages/torch/distributed/elastic/"
        )
        log.append(f"{head}agent/server/api.py:723] Received Signals.SIGTERM death signal, shutting down workers")
        log += [
            f"{head}multiprocessing/api.py:900] Sending process {41201 + 371 * n + g} closing signal SIGTERM"
            for g in range(8)
        ]
    for n in (0, 2, 1, 3):
        log += [
            "Traceback (most recent call last):",
            '  File "/opt/conda/bin/torchrun", line 7, in <module>',
            "    sys.exit(main())",
            "             ^^^^^^",
            '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/'
            'multiprocessing/errors/__init__.py",'
            " line 357, in wrapper",
            "    return f(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^",
            '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/run.py", line 901, in main',
            "    run(args)",
            '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/'
            'multiprocessing/api.py", line 85, in'
            " _terminate_process_handler",
            '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)',
            f"torch.distributed.elastic.multiprocessing.api.SignalException: Process {41022 + 371 * n} got signal: 15",
            f"srun: error: {nodes[n]}: task {n}: Exited with exit code 1",
        ]
    put(place, "tern-mid3-118842.out", log)
    put(
        place,
        "scontrol_show_job_118842.txt",
        [
            "JobId=118842 JobName=tern-mid3",
            "   UserId=yokafor(52217) GroupId=tern(5210) MCS_label=N/A",
            "   Priority=40121 Nice=0 Account=tern QOS=normal",
            "   JobState=TIMEOUT Reason=TimeLimit Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:15",
            f"   RunTime={took(int(cut) - int(start))} TimeLimit=01:25:00 TimeMin=N/A",
            f"   SubmitTime={clock(start - 4127, east, ISO)} EligibleTime={clock(start - 4127, east, ISO)}",
            f"   AccrueTime={clock(start - 4127, east, ISO)}",
            f"   StartTime={clock(start, east, ISO)} EndTime={clock(cut, east, ISO)} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={clock(start, east, ISO)} Scheduler=Backfill",
            "   Partition=h200 AllocNode:Sid=cas-login2:3310721",
            "   ReqNodeList=(null) ExcNodeList=cas-h09",
            "   NodeList=cas-h[07-08,11-12]",
            "   BatchHost=cas-h07",
            "   NumNodes=4 NumCPUs=448 NumTasks=4 CPUs/Task=112 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=448,mem=6000G,node=4,billing=448,gres/gpu=32",
            "   AllocTRES=cpu=448,mem=6000G,node=4,billing=448,gres/gpu=32",
            "   Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*",
            "   MinCPUsNode=112 MinMemoryNode=1500G MinTmpDiskNode=0",
            "   Features=(null) DelayBoot=00:00:00",
            "   OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)",
            "   Command=/home/yokafor/tern/launch/mid3.sbatch",
            "   WorkDir=/home/yokafor/tern",
            "   StdErr=/home/yokafor/tern/out/tern-mid3-118842.out",
            "   StdIn=/dev/null",
            "   StdOut=/home/yokafor/tern/out/tern-mid3-118842.out",
            "   TresPerNode=gres/gpu:8",
            "   ",
        ],
    )


def grpo(
    rng: Random, first: float, until: float, steps: int, pace: float, total: int, lag: int = 0
) -> tuple[list[str], float]:
    """What TRL's GRPO trainer and its bar print, one record in ten steps."""
    log, tokens, at, done = [f"  0%|          | 0/{total} [00:00<?, ?it/s]"], 0.0, first, 0
    warm = 90
    while done < steps:
        span = sum(pace * rng.gauss(1, 0.05) for _ in range(10))
        if at + span > until:
            break
        at, done = at + span, done + 10
        grown = 1 - (1 + (done + lag) / 260) ** -1.1
        mean = 214 + 240 * grown + rng.gauss(0, 9)
        tokens += 640 * (mean + 131)
        right = 0.118 + 0.56 * grown + rng.gauss(0, 0.022)
        shape = min(1.0, 0.21 + 0.82 * grown**0.6 + rng.gauss(0, 0.012))
        lr = 1e-6 * done / warm if done <= warm else 1e-6 * max(0.0, 1 - (done - warm) / (total - warm))
        one = {
            "loss": round(rng.gauss(0.004, 0.011) * (0.4 + grown), 4),
            "grad_norm": round(abs(rng.gauss(0.31, 0.05)), 16),
            "learning_rate": lr,
            "num_tokens": float(int(tokens)),
            "completions/mean_length": round(mean, 5),
            "completions/min_length": float(rng.randrange(48, 92)),
            "completions/max_length": float(rng.randrange(780, 1024)),
            "completions/clipped_ratio": round(max(0.0, rng.gauss(0.011, 0.006)), 6),
            "rewards/exact_match/mean": round(right, 7),
            "rewards/exact_match/std": round(max(0.05, right * (1 - right)) ** 0.5, 7),
            "rewards/layout/mean": round(shape, 7),
            "rewards/layout/std": round(max(0.0, shape * (1 - shape)) ** 0.5, 7),
            "reward": round(right + shape, 7),
            "reward_std": round(0.52 - 0.2 * grown + rng.gauss(0, 0.02), 7),
            "frac_reward_zero_std": round(max(0.0, 0.05 + 0.3 * grown + rng.gauss(0, 0.03)), 4),
            "kl": round(0.0004 + 0.021 * grown * rng.uniform(0.93, 1.07), 7),
            "entropy": round(0.42 - 0.21 * grown + rng.gauss(0, 0.008), 7),
            "clip_ratio/region_mean": 0.0,
            "epoch": round(done * 8 / 12000, 2),
        }
        log.append(str(one))
        rate, gone = (at - first) / done, at - first
        log.append(
            f"{100 * done // total:3d}%|{bar(done, total)}| {done}/{total} [{hms(gone)}<{hms(rate * (total - done))},"
            f" {rate:5.2f}s/it]"
        )
    return log, at


def t10(place: Path, rng: Random) -> None:
    """The second job of a chain of GRPO: its name says that it goes on, its numbers that it began anew."""
    east, begin = -480, when(12, 9, 20, 0, month=11)
    nodes = ["sorrel-gpu04"]
    start = begin + 94
    first = start + 203
    lines, last = grpo(rng, first, first + 9e6, 1800, 15.86, 1800)
    end = last + 61
    stop = begin + 488 * 60
    ahead = start - 612 - 14412
    pair = Random(771)
    before, _ = grpo(pair, ahead + 197, ahead + 14405, 1800, 15.9, 1800)

    def work(_node: int, gpu: int, at: float) -> Work:
        if at < start + 38 or at >= end:
            return FREE
        if at < start + 96:
            return Work(mib=15900)
        if at < first:
            return Work(engine=0.08, sm=0.04, tensor=0.01, dram=0.03, mib=41800)
        if at > last + 3:
            return Work(engine=0.0, mib=63300)
        share = Random(f"{at}/{gpu}").uniform(0.38, 0.62)
        return Work(
            engine=0.93,
            sm=0.3 * share + 0.58 * (1 - share),
            tensor=0.07 * share + 0.37 * (1 - share),
            dram=0.55 * share + 0.33 * (1 - share),
            mib=63300 + 140 * gpu,
            rx=420,
            tx=390,
        )

    hall = Hall("H100", nodes, 2, work, begin, stop, 30, 29101)
    matrix(place, "prometheus/dcgm_query_range.json", hall, bare(hall, job="dcgm-exporter"))

    def top(number: int, t: float, deps: str) -> list[str]:
        where = f"/scratch/users/lindqvist/grpo-algebra/{number}"
        return [
            f"== {clock(t + 1, east, '%a %b %d %H:%M:%S PST %Y')} == {nodes[0]} job={number} dep={deps}",
            "accelerate launch --config_file cfg/ddp2.yaml train_grpo.py --config cfg/algebra-3b.yaml"
            f" --output_dir {where}",
            f"{clock(t + 31, east, '%m-%d %H:%M')} versions: vllm 0.10.2 / trl 0.23.1 / transformers 4.56.2 / torch"
            " 2.8.0+cu128",
            f"run: algebra-3b  model: Qwen/Qwen2.5-3B-Instruct  prompts: 12000  max_steps: 1800  out: {where}",
            "Loading checkpoint shards: 100%|██████████| 2/2 [00:01<00:00,  1.31it/s]",
            "Loading checkpoint shards: 100%|██████████| 2/2 [00:01<00:00,  1.27it/s]",
            "The tokenizer has new PAD/BOS/EOS tokens that differ from the model config and generation config. The"
            " model config and generation config were aligned accordingly, being updated with the tokenizer's values."
            " Updated tokens: {'bos_token_id': None, 'pad_token_id': 151643}.",
            "Capturing CUDA graph shapes: 100%|██████████| 35/35 [00:14<00:00,  2.39it/s]",
        ]

    old = [*top(771204, ahead, "none"), *before]
    old.append(
        f"slurmstepd: error: *** JOB 771204 ON {nodes[0]} CANCELLED AT {clock(ahead + 14412, east, ISO)} DUE TO TIME"
        " LIMIT ***"
    )
    put(place, "logs/algebra-771204.log", old)
    runtime = last - first
    closing = {
        "train_runtime": round(runtime, 4),
        "train_samples_per_second": round(1800 * 64 / runtime, 3),
        "train_steps_per_second": round(1800 / runtime, 3),
        "train_loss": 0.00412,
        "epoch": 1.2,
    }
    new = [*top(771209, start, "afterany:771204"), *lines, str(closing)]
    new.append(f"100%|██████████| 1800/1800 [{hms(runtime)}<00:00, {runtime / 1800:5.2f}s/it]")
    new.append("saved policy to /scratch/users/lindqvist/grpo-algebra/771209/final")
    put(place, "logs/algebra-771209.log", new)
    rows = [
        job(
            "771204",
            "algebra-3b",
            "gpu",
            "TIMEOUT",
            "0:0",
            (ahead - 40, ahead, ahead + 14412),
            east,
            "04:00:00",
            (1, nodes[0]),
        ),
        job("771204.batch", "batch", "", "CANCELLED", "0:15", (ahead, ahead, ahead + 14414), east, "", (1, nodes[0])),
        job("771204.exte+", "extern", "", "COMPLETED", "0:0", (ahead, ahead, ahead + 14412), east, "", (1, nodes[0])),
        job(
            "771209", "algebra-3b", "gpu", "COMPLETED", "0:0", (ahead - 12, start, end), east, "12:00:00", (1, nodes[0])
        ),
        job("771209.batch", "batch", "", "COMPLETED", "0:0", (start, start, end), east, "", (1, nodes[0])),
        job("771209.exte+", "extern", "", "COMPLETED", "0:0", (start, start, end), east, "", (1, nodes[0])),
    ]
    sacct(place, "sacct.txt", rows, bars=False)
    more = cgroup_oom(begin - 4.31 * 86400, rng, "rserver", 24)
    lines_ = [*calm(rng, begin, hall.of.driver, ib=False), *more]
    kernel(place, f"kernel-{nodes[0]}.log", lines_, "journalctl", east, nodes[0])


def t11(place: Path, rng: Random) -> None:
    """A reader of documents on eight L4 asks for more memory than one of them has."""
    east, begin = 0, when(9, 6, 2, 0, month=11)
    nodes = ["l4-a3", "l4-a4", "l4-a6", "l4-a7"]
    start = begin + 77
    train, pace = start + 96, 2.92
    crash = start + 4562.4

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 33 or at >= crash + 9:
            return FREE
        if at < train:
            return Work(mib=4100)
        if at >= crash and (node, gpu) != (2, 1):
            return Work(engine=0.99, sm=0.04, dram=0.01, mib=20100)
        if at >= crash:
            return FREE
        part = (at - train) / (crash - train)
        own = Random(f"{node}:{gpu}")
        top = 17900 + own.randrange(500)
        for share in sorted(own.uniform(0, 0.95) for _ in range(5)):
            top += own.randrange(180, 460) if part > share else 0
        if (node, gpu) == (2, 1):
            top = 18420 + 900 * (part > 0.08) + 820 * (part > 0.31) + 640 * (part > 0.6) + 400 * (part > 0.9)
        full = Work(engine=0.97, sm=0.68, tensor=0.31, dram=0.5, mib=top, rx=900, tx=700)
        return shake(full, f"{node}{gpu}{at}", 0.9)

    hall = Hall("L4", nodes, 2, work, begin, begin + 81 * 60, 60, 29111)
    matrix(place, "dcgm.json", hall, bare(hall, job="node-gpu"))
    stamp = "%m%d %H:%M:%S"

    def zh(t: float, what: str, level: str = "信息") -> str:
        return f"{clock(t, east)} [{level}] {what}"

    log = [
        f"作业 60417 节点 {' '.join(nodes)} 每节点 2 卡",
        zh(start + 31, "初始化进程组完成 world_size=8 后端=nccl"),
        zh(start + 36, "配置: 模型=版面识别-large 批大小=6 累积=2 最长边=1792 混合精度=bf16 学习率=8e-5"),
        zh(start + 39, "配置: 遇到错误时重试=3 跳过损坏样本=是 超时=1800"),
        zh(start + 52, "训练集 412,608 页, 验证集 3,200 页"),
        zh(start + 58, "参数量 386.4M, 其中可训练 386.4M"),
        f"[rank0]:[W{clock(start + 93, east, stamp)}.207741180 reducer.cpp:1430] Warning:"
        " find_unused_parameters=True was"
        " specified in DDP constructor, but did not find any unused parameters in the forward pass. This flag results"
        " in an extra traversal of the autograd graph every iteration,  which can adversely affect performance."
        " (function operator())",
        zh(train, "开始训练, 共 40000 步"),
    ]
    at, step, skipped = train, 0, 0
    while at < crash - 1:
        step += 1
        at += pace * rng.gauss(1, 0.05)
        if at > crash - 1:
            break
        if step % 20 == 0:
            loss = learn(rng, step, 6.9, 0.62, 130, 0.025)
            log.append(
                zh(
                    at,
                    f"步 {step}/40000 损失 {loss:.4f} 字符错误率 {min(0.99, loss / 8.1):.3f}"
                    f" 学习率 {8e-5 * min(1, step / 800):.2e} 每步 {pace * rng.gauss(1, 0.02):.2f}s",
                )
            )
        if rng.random() < 0.006:
            skipped += 1
            log.append("Corrupt JPEG data: premature end of data segment")
            log.append(zh(at, f"样本解码失败, 已跳过 (累计 {skipped}): OSError('image file is truncated')", "警告"))
        if step == 400:
            log.append(zh(at, "致命词表缺失: 3 个罕见字映射为 <unk>, 继续", "警告"))
        if step in (500, 1000, 1500):
            at += 14
            log.append(zh(at, f"验证 字符错误率 {0.61 * (step / 500) ** -0.7:.4f}, 保存 ckpt/step_{step}.pt"))
    log += [
        "[rank5]: Traceback (most recent call last):",
        '[rank5]:   File "/data/wyx/layout/train.py", line 318, in <module>',
        "[rank5]:     main()",
        '[rank5]:   File "/data/wyx/layout/train.py", line 266, in main',
        "[rank5]:     out = model(batch['图像'], batch['掩码'])",
        "[rank5]:           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '[rank5]:   File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1751, in'
        " _wrapped_call_impl",
        "[rank5]:     return self._call_impl(*args, **kwargs)",
        "[rank5]:            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '[rank5]:   File "/data/wyx/layout/nets/neck.py", line 91, in forward',
        "[rank5]:     attn = (q @ k.transpose(-2, -1)) * self.scale",
        "[rank5]:             ~~^~~~~~~~~~~~~~~~~~~~~",
        "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.24 GiB. GPU 1 has a total capacity of"
        " 22.03 GiB of which 841.38 MiB is free. Including non-PyTorch memory, this process has 21.20 GiB memory in"
        " use. Of the allocated memory 18.97 GiB is allocated by PyTorch, and 1.92 GiB is reserved by PyTorch but"
        " unallocated. If reserved but unallocated memory is large try setting"
        " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory"
        " Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        *torchrun_end(crash + 3, east, "l4-a6", "/data/wyx/layout/train.py", 5, 1, 218834, 218790, 1, "218833"),
        "srun: error: l4-a6: task 2: Exited with exit code 1",
        "srun: Terminating StepId=60417.0",
        f"slurmstepd: error: *** STEP 60417.0 ON l4-a3 CANCELLED AT {clock(crash + 7, east, ISO)} ***",
    ]
    for n, (name, agent) in enumerate((("l4-a3", 977120), ("l4-a4", 30412), ("l4-a7", 1400226))):
        log.append(
            f"W{clock(crash + 7, east, stamp)}.{204 + 133 * n}000 {agent}"
            " site-packages/torch/distributed/elastic/agent/"
            "server/api.py:719] Received 15 death signal, shutting down workers"
        )
        log.append(f"srun: error: {name}: task {(0, 1, 3)[n]}: Exited with exit code 1")
    put(place, "slurm-60417.out", log)
    for n, name in enumerate(nodes):
        still(place, f"dmesg/{name}.txt", Random(f"{name}11"), hall, n, "dmesg -T", east, flavour="noble")


def t12(place: Path, rng: Random) -> None:
    """A Spanish trainer of speech models on H200 reaches its limit; nobody has the metrics of the third node."""
    east, begin = 0, when(3, 1, 14, 0, month=11)
    nodes = ["ebro11", "ebro12", "ebro15", "ebro16"]
    start = begin + 134
    limit = 5 * 3600 + 20 * 60
    cut = start + limit + 21.7
    train, pace = start + 212, 3.418
    marks: list[float] = []

    log = [
        f"=== {clock(start + 2, east, '%d/%m/%Y %H:%M:%S')} trabajo 2290417 nodos: ebro[11-12,15-16] ===",
        "módulos: cuda/12.8 nccl/2.26 python/3.12",
        f"[{clock(start + 44, east, '%d/%m %H:%M:%S')}] procesos: 32 | semilla 77 | precisión bf16 | FSDP2 completo",
        f"[{clock(start + 51, east, '%d/%m %H:%M:%S')}] corpus: 61.204 h de audio, 18,9 M de segmentos, 212"
        " descartados por duración",
        f"[{clock(start + 63, east, '%d/%m %H:%M:%S')}] modelo: conformador-xl, 2.113 M de parámetros",
        f"[{clock(start + 64, east, '%d/%m %H:%M:%S')}] plan: 24000 pasos, validación cada 1000, punto de control"
        " cada 1000",
        f"[{clock(start + 70, east, '%d/%m %H:%M:%S')}] sin punto de control previo en /gpfs/proyectos/voz/xl-nov:"
        " se parte de cero",
        f"[{clock(train, east, '%d/%m %H:%M:%S')}] comienza el entrenamiento",
    ]
    at, step, saved = train, 0, 0
    while True:
        step += 1
        at += pace * rng.gauss(1, 0.02)
        if at > cut:
            break
        if step % 25 == 0:
            loss = learn(rng, step, 7.4, 0.88, 520, 0.014)
            log.append(
                f"[{clock(at, east, '%d/%m %H:%M:%S')}] paso {step:>5}/24000 | pérdida {loss:.4f} | norma"
                f" {abs(rng.gauss(0.74, 0.09)):.3f} | tasa {3e-4 * min(1, step / 2000):.2e} |"
                f" {pace * rng.gauss(1, 0.006):.2f} s/paso | mem 104,7 GiB"
            )
        if step % 1000 == 0:
            marks.append(at)
            at += 46
            wer = 0.07 + 0.81 * (1 + step / 700) ** -1.2
            log.append(
                f"[{clock(at - 17, east, '%d/%m %H:%M:%S')}] validación: pérdida"
                f" {learn(rng, step, 7.1, 0.93, 520, 0.004):.4f} WER {100 * wer:.2f} %"
            )
            log.append(
                f"[{clock(at, east, '%d/%m %H:%M:%S')}] guardado /gpfs/proyectos/voz/xl-nov/paso_{step:06d} (23,6"
                " GiB en 14,2 s)"
            )
            saved = step
    when_cut = clock(cut, east, ISO)
    log += [
        f"slurmstepd: error: *** JOB 2290417 ON ebro11 CANCELLED AT {when_cut} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 2290417.0 ON ebro11 CANCELLED AT {when_cut} DUE TO TIME LIMIT ***",
        "srun: error: ebro12: tasks 8-15: Terminated",
        "srun: error: ebro16: tasks 24-31: Terminated",
        "srun: error: ebro15: tasks 16-23: Terminated",
        "srun: error: ebro11: tasks 0-7: Terminated",
    ]
    assert saved
    put(place, "registro/xl-nov.2290417.log", log)

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 29 or at >= cut + 2:
            return FREE
        if at < train:
            return Work(mib=2300 if at < start + 70 else 41100)
        if any(29 <= at - m < 46 for m in marks):
            return Work(engine=0.12, sm=0.05, dram=0.05, mib=107800, tx=1900)
        full = Work(engine=0.985, sm=0.57, tensor=0.31, dram=0.43, mib=107800 + 20 * gpu, rx=1700, tx=1700)
        return shake(full, f"{at}{node}{gpu}", 0.94)

    hall = Hall("H200", nodes, 8, work, begin, begin + 327 * 60, 60, 29121)
    for n in (0, 1, 3):
        dmon(place, f"metricas/{nodes[n]}_dmon.txt", hall, n, east, "%Y-%m-%d %H:%M:%S")
    for name in nodes:
        lines = calm(Random(f"{name}/12"), begin, hall.of.driver)
        kernel(place, f"kernel/{name}.journal", lines, "journalctl", east, name)
    where = (4, "ebro[11-12,15-16]")
    span = (start - 1840, start, cut)
    sacct(
        place,
        "registro/sacct_2290417.txt",
        [
            job("2290417", "xl-nov", "acc_h200", "TIMEOUT", "0:0", span, east, "05:20:00", where),
            job("2290417.batch", "batch", "", "CANCELLED", "0:15", (start, start, cut + 2), east, "", (1, "ebro11")),
            job("2290417.extern", "extern", "", "COMPLETED", "0:0", (start, start, cut), east, "", where),
            job("2290417.0", "python", "", "CANCELLED", "0:15", (start + 5, start + 5, cut + 3), east, "", where),
        ],
        bars=False,
    )


def t13(place: Path, rng: Random) -> None:
    """Ten minutes of a debugging queue, used up by steps; days before, the kernel ended someone's container."""
    east, begin = -480, when(17, 22, 41, 0, month=11)
    nodes = ["wren02", "wren03"]
    start = begin + 18
    cut = start + 600 + 16.9
    train, pace = start + 58, 1.284

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 17 or at >= cut + 1.5:
            return FREE
        if at < train:
            return Work(mib=600 if at < start + 36 else 7200)
        full = Work(engine=0.98, sm=0.74, tensor=0.33, dram=0.47, mib=36400 + 15 * gpu, rx=4100, tx=4000)
        return shake(full, f"{at}|{node}{gpu}", 0.93)

    hall = Hall("L40S", nodes, 8, work, begin, begin + 11 * 60, 15, 29131)
    for n, name in enumerate(nodes):
        matrix(place, f"{name}/dcgm.json", hall, bare(hall, job="dcgm"), only=[n], form="CLOCK_THROTTLE_REASONS")
        more = cgroup_oom(begin - 6.2 * 86400, Random("wren"), "java", 16) if n == 0 else []
        still(place, f"{name}/dmesg.txt", Random(f"{name}13"), hall, n, "dmesg -T", east, more)

    def say(t: float, name: str, what: str, level: str = "INFO") -> str:
        return f"{milli(t, east)} | {level:<7} | {name} | {what}"

    log = [
        say(start + 16.418, "birdclef.launch", "world size 16, backend nccl, master wren02:29712"),
        say(start + 18.02, "birdclef.data", "train: 1,204,118 clips in 603 shards; val: 24,000 clips"),
        say(start + 22.731, "birdclef.data", "class weights: sqrt inverse frequency, 11,560 species"),
        say(start + 34.662, "birdclef.model", "perch-vit-h/14, 632.1 M params, gradient checkpointing off"),
        say(
            start + 41.207, "birdclef.model", "init from /data/ckpt/audiomae_h14.pt: 391 tensors matched, 2 new (head)"
        ),
        say(start + 57.93, "birdclef.train", "begin: 18000 steps, 96 clips a GPU, save every 2000 steps"),
    ]
    at, step = train + 11, 0
    while True:
        step += 1
        at += pace * rng.gauss(1, 0.015)
        if at > cut:
            break
        if step % 10 == 0:
            loss = learn(rng, step, 0.0718, 0.0121, 74, 0.02)
            log.append(
                say(
                    at,
                    "birdclef.train",
                    f"step {step:5d}  loss {loss:.5f}  grad {abs(rng.gauss(0.18, 0.03)):.3f}  lr"
                    f" {4e-4 * min(1, step / 600):.3e}"
                    f"  {1536 / (pace * rng.gauss(1, 0.01)):.0f} clips/s",
                )
            )
        if step == 200:
            log.append(say(at + 0.4, "birdclef.train", "top-20 confusions written to runs/dbg-1117/conf_200.csv"))
    word = clock(cut, east, ISO)
    log += [
        f"slurmstepd: error: *** JOB 33190 ON wren02 CANCELLED AT {word} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 33190.0 ON wren02 CANCELLED AT {word} DUE TO TIME LIMIT ***",
    ]
    put(place, "slurm-33190.out", log)
    both, span = (2, "wren[02-03]"), (start - 9, start, cut)
    sacct(
        place,
        "sacct.psv",
        [
            job("33190", "dbg-1117", "debug", "TIMEOUT", "0:0", span, east, "00:10:00", both),
            job("33190.batch", "batch", "", "CANCELLED", "0:15", (start, start, cut + 1), east, "", (1, "wren02")),
            job("33190.extern", "extern", "", "COMPLETED", "0:0", (start, start, cut), east, "", both),
            job("33190.0", "python3", "", "CANCELLED", "0:15", (start + 2, start + 2, cut + 2), east, "", both),
        ],
    )


def t14(place: Path, rng: Random) -> None:
    """The output of a fine-tuning that ended with status 1; what it said on the way out went to another file."""
    east, begin = 60, when(10, 14, 31, 0, month=11)
    nodes = ["kiel-a40-2"]
    start = begin + 47
    train, pace = start + 74, 4.71
    end = start + 611.2

    def work(_node: int, _gpu: int, at: float) -> Work:
        if at < start + 22 or at >= end:
            return FREE
        if at < train:
            return Work(mib=9400, engine=0.02, sm=0.01, dram=0.01)
        grown = 29800 + sum(2100 for share in (60, 150, 290) if at > train + share)
        return shake(Work(engine=0.97, sm=0.7, tensor=0.36, dram=0.44, mib=grown), f"{at}", 0.88)

    hall = Hall("A40", nodes, 1, work, begin, begin + 14 * 60, 30, 29141)
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
        "ecc.errors.corrected.volatile.total",
        "ecc.errors.uncorrected.volatile.total",
    )
    smi_csv(place, "gpu.csv", hall, 0, east, columns)
    log = [
        "job 51877 on kiel-a40-2 -- stdout here, stderr in err/sft-51877.err",
        "rows: train 48211 eval 1200, chat template: zephyr, packing: off",
        "trainable params: 41,943,040 || all params: 7,283,675,136 || trainable%: 0.5759",
    ]
    at, step = train, 0
    while at < end:
        at += sum(pace * rng.gauss(1, 0.11) for _ in range(5))
        if at > end - 9:
            break
        step += 5
        loss = learn(rng, step, 1.71, 1.03, 40, 0.03)
        one = {
            "loss": round(loss, 4),
            "grad_norm": round(abs(rng.gauss(0.62, 0.11)), 16),
            "learning_rate": 2e-4 * min(1.0, step / 90) if step <= 90 else 2e-4 * (1 - (step - 90) / 2923),
            "epoch": round(step / 3013 * 2, 4),
        }
        log.append(str(one))
    put(place, "out/sft-51877.out", log)
    head, tres = (*FULL[:9], *FULL[10:]), nodes[0]

    def row(number: str, name: str, queue: str, state: str, code: str, a: float, b: float, sent: float) -> list[str]:
        return [*job(number, name, queue, state, code, (sent, a, b), east, "", (1, tres))[:9], "1", tres]

    old, fin = start - 91200, start - 91200 + 14907
    rows = [
        row("51790", "sft", "a40", "COMPLETED", "0:0", old, fin, old - 3),
        row("51790.batch", "batch", "", "COMPLETED", "0:0", old, fin, old),
        row("51790.extern", "extern", "", "COMPLETED", "0:0", old, fin, old),
        row("51877", "sft", "a40", "FAILED", "1:0", start, end, start - 2),
        row("51877.batch", "batch", "", "FAILED", "1:0", start, end, start),
        row("51877.extern", "extern", "", "COMPLETED", "0:0", start, end, start),
    ]
    account(place, "sacct.txt", rows, head, bars=True)
    still(place, "syslog-kernel.txt", rng, hall, 0, "syslog", east)


def t15(place: Path, rng: Random) -> None:
    """A small Lightning training ends as planned; one GPU counts errors that were corrected."""
    east, begin = 60, when(24, 8, 5, 0, month=11)
    nodes = ["gpu-c2", "gpu-c5"]
    start = begin + 66
    train, batches, epochs, pace = start + 49, 460, 5, 0.547
    spans = [(batches * pace * rng.uniform(0.99, 1.02), rng.uniform(13, 15)) for _ in range(epochs)]
    ends, at = [], train
    for long, check in spans:
        ends.append((at, at + long, at + long + check))
        at += long + check + 1.7
    done = at
    end = done + 19

    def work(node: int, gpu: int, at: float) -> Work:
        if at < start + 21 or at >= done + 12:
            return FREE
        if at < train:
            return Work(mib=1900)
        if at >= done:
            return Work(mib=47300)
        if any(b <= at < c for _, b, c in ends):
            return Work(engine=0.81, sm=0.55, tensor=0.26, dram=0.36, mib=47300, rx=700, tx=100)
        full = Work(engine=0.95, sm=0.71, tensor=0.34, dram=0.49, mib=47300 + 18 * gpu, rx=1200, tx=900)
        return shake(full, f"{node},{gpu},{at}", 0.92)

    hits = [begin + t for t in (151, 388, 702, 1010, 1284)]
    hall = Hall("A100", nodes, 2, work, begin, begin + 26 * 60, 30, 29151, alter=ticks({(1, 0): hits}, start=12))
    for n, name in enumerate(nodes):
        dmon(place, f"{name}-dmon.log", hall, n, east, ISO)
        lines = calm(Random(f"{name}15"), begin, hall.of.driver)
        kernel(place, f"{name}-journal.log", lines, "journalctl", east, name)
    rule = "-" * 100
    log = [
        "Seed everything with 1234",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *(f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in (0, 2, 1, 3)),
        rule,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        rule,
        "",
        *(f"LOCAL_RANK: {r} - CUDA_VISIBLE_DEVICES: [0,1]" for r in (0, 1, 0, 1)),
        "",
        "  | Name      | Type              | Params | Mode ",
        "--------------------------------------------------------",
        "0 | encoder   | SwinUNETR         | 62.2 M | train",
        "1 | criterion | DiceCELoss        | 0      | train",
        "2 | dice      | MeanMetric        | 0      | train",
        "--------------------------------------------------------",
        "62.2 M    Trainable params",
        "0         Non-trainable params",
        "62.2 M    Total params",
        "248.754   Total estimated model params size (MB)",
        "412       Modules in train mode",
        "0         Modules in eval mode",
    ]
    best = 0.0
    for e, (long, check) in enumerate(spans):
        told = f"dice={best:.3f}" if e else ""
        parts = []
        for i in range(0, batches + 1, 92):
            loss = learn(rng, e * batches + max(i, 1), 1.93, 0.19, 210, 0.03)
            rate = f"{1 / pace * rng.gauss(1, 0.01):5.2f}it/s" if i else "?it/s"
            t = i * long / batches
            left = hms(long - t) if i else "?"
            more = ", ".join(one for one in ("v_num=881402", f"loss={loss:.3f}" if e or i else "", told) if one)
            parts.append(
                f"Epoch {e}: {100 * i // batches:3d}%|{bar(i, batches)}| {i}/{batches} [{hms(t)}<{left}, {rate},"
                f" {more}]"
            )
        best = 0.86 - 0.42 * (e + 1.3) ** -1.1 + rng.gauss(0, 0.003)
        log.append("\r".join(parts))
        log.append(f"Validation DataLoader 0: 100%|{bar(1, 1)}| 58/58 [{hms(check)}<00:00, {58 / check:5.2f}it/s]")
        log.append(
            f"Epoch {e}, global step {(e + 1) * batches}: 'dice' reached {best:.5f} (best {best:.5f}), saving model to"
            f" '/data/liver/runs/881402/e{e}-dice{best:.3f}.ckpt' as top 2"
        )
    log += [
        "`Trainer.fit` stopped: `max_epochs=5` reached.",
        f"Epoch {epochs - 1}: 100%|{bar(1, 1)}| {batches}/{batches} [{hms(sum(spans[-1]))}<00:00, "
        f"{batches / sum(spans[-1]):5.2f}it/s, v_num=881402, loss={loss:.3f}, dice={best:.3f}]",
        f"best checkpoint: /data/liver/runs/881402/e{epochs - 1}-dice{best:.3f}.ckpt",
    ]
    put(place, "swin-881402.out", log)
    both = (2, "gpu-c[2,5]")
    sacct(
        place,
        "sacct_881402.txt",
        [
            job("881402", "swin-liver", "a100", "COMPLETED", "0:0", (start - 340, start, end), east, "02:00:00", both),
            job("881402.batch", "batch", "", "COMPLETED", "0:0", (start, start, end), east, "", (1, "gpu-c2")),
            job("881402.extern", "extern", "", "COMPLETED", "0:0", (start, start, end), east, "", both),
            job("881402.0", "python", "", "COMPLETED", "0:0", (start + 2, start + 2, end - 1), east, "", both),
        ],
    )


def t16(place: Path, _rng: Random) -> None:
    """Two A100 were at work, scrapes are missing, the job ended with status 1; there is no log of any kind."""
    east, begin = 0, when(20, 16, 48, 0, month=11)
    nodes = ["nid002914"]
    start = begin + 121
    end = start + 852.0

    def work(_node: int, gpu: int, at: float) -> Work:
        if at < start + 24 or at >= end:
            return FREE
        if at < start + 95:
            return Work(mib=13800 + 400 * gpu)
        full = Work(engine=0.96, sm=0.66, tensor=0.37, dram=0.47, mib=68200 + 350 * gpu, rx=600, tx=600)
        return shake(full, f"{gpu}{at}", 0.85)

    holes = [(begin + 299, begin + 389), (begin + 629, begin + 689), (end - 141, end + 43)]
    hall = Hall("A100", nodes, 2, work, begin, begin + 20 * 60, 30, 29161, holes=holes)
    matrix(place, "dcgm_range.json", hall, bare(hall, job="dcgm"), form="CLOCK_THROTTLE_REASONS")

    def code(status: str, number: int) -> dict[str, object]:
        return {
            "status": [status],
            "return_code": {"set": True, "infinite": False, "number": number},
            "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
        }

    a, b = int(start), int(end)

    def step(name: str, label: str, state: str, status: dict[str, object]) -> dict[str, object]:
        return {
            "time": {
                "elapsed": b - a,
                "end": {"set": True, "infinite": False, "number": b},
                "start": {"set": True, "infinite": False, "number": a},
                "suspended": 0,
            },
            "exit_code": status,
            "nodes": {"count": 1, "range": nodes[0], "list": nodes},
            "tasks": {"count": 1},
            "state": [state],
            "step": {"id": f"7720316.{name}", "name": label},
        }

    bad, good = code("ERROR", 1), code("SUCCESS", 0)
    whole = {
        "jobs": [
            {
                "account": "m4419",
                "allocation_nodes": 1,
                "association": {"account": "m4419", "cluster": "pearl", "partition": "", "user": "dvries"},
                "cluster": "pearl",
                "derived_exit_code": good,
                "exit_code": bad,
                "failed_node": "",
                "flags": ["CLEAR_SCHEDULING", "STARTED_ON_BACKFILL"],
                "job_id": 7720316,
                "name": "wrap",
                "nodes": nodes[0],
                "partition": "gpu_shared",
                "qos": "normal",
                "restart_cnt": 0,
                "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
                "steps": [step("batch", "batch", "FAILED", bad), step("extern", "extern", "COMPLETED", good)],
                "submit_line": "sbatch -p gpu_shared --gres=gpu:2 -t 4:00:00 -o /dev/null --wrap=./go.sh",
                "time": {
                    "elapsed": b - a,
                    "eligible": a - 205,
                    "end": b,
                    "start": a,
                    "submission": a - 205,
                    "suspended": 0,
                    "limit": {"set": True, "infinite": False, "number": 240},
                },
                "tres": {
                    "allocated": [
                        {"type": "cpu", "name": "", "id": 1, "count": 32},
                        {"type": "mem", "name": "", "id": 2, "count": 240000},
                        {"type": "node", "name": "", "id": 4, "count": 1},
                        {"type": "gres", "name": "gpu", "id": 1001, "count": 2},
                    ]
                },
                "user": "dvries",
            }
        ],
        "meta": {
            "plugin": {
                "type": "openapi/slurmdbd",
                "name": "Slurm OpenAPI slurmdbd",
                "data_parser": "data_parser/v0.0.41",
            },
            "slurm": {
                "version": {"major": "24", "micro": "4", "minor": "05"},
                "release": "24.05.4",
                "cluster": "pearl",
            },
        },
        "errors": [],
        "warnings": [],
    }
    assert east == 0
    put(place, "sacct-7720316.json", json.dumps(whole, indent=2) + "\n")
