"""Curves c01 to c06.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from samples.redteam.thirtyninth.pens_cu import Clock, bar, fall, noisy, put, rate, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

CYAN, RED, YELLOW, GREEN, BOLD, OFF = "\x1b[36m", "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[1m", "\x1b[0m"


def c01_heron(place: Path, rng: Random) -> None:
    """A PPO policy that learned, went to pieces at about iteration 268 and stayed so to the end."""
    clock = Clock(2026, 2, 19, 14, 7, 31)
    total = 640
    lines = [
        f"{clock.text()},018\tINFO worker.py:1917 -- Started a local Ray instance. View the dashboard at "
        f"{BOLD}{GREEN}127.0.0.1:8265 {OFF}",
        f"{clock.text()},902\tWARNING algorithm_config.py:4968 -- You configured a custom `model` config (probably "
        f"through"
        " calling config.training(model=..), whereas your config uses the new API stack!",
        "env=HeronWade-v2  algo=PPO  env_runners=14  num_gpus_per_learner=1  train_batch_size_per_learner=8400  "
        f"minibatch=700  num_epochs=12  lr=0.0007  clip_param=0.3  grad_clip=None  stop: training_iteration={total}",
    ]
    for pid in (90311, 90312, 90319):
        clock.go(1)
        lines.append(
            f"{CYAN}(SingleAgentEnvRunner pid={pid}){OFF} {clock.text()},{rng.randint(100, 999)}\tWARNING "
            f"deprecation.py:50"
            " -- DeprecationWarning: `RLModule(config=[RLModuleConfig object])` has been deprecated."
        )
    clock.go(22)
    begin = clock.now
    for index in range(1, total + 1):
        clock.go(max(6.0, rng.gauss(8.4, 0.5)))
        if index < 268:
            reward = -310 + 520 * (1 - exp(-index / 90)) + rng.gauss(0, 11)
            entropy = 7.9 * exp(-index / 420) + rng.gauss(0, 0.05)
            divergence, value = abs(rng.gauss(0.017, 0.004)), abs(noisy(rng, 95 * exp(-index / 120) + 14, 0.12))
            policy, length = rng.gauss(-0.021, 0.004), 240 + 380 * (1 - exp(-index / 80)) + rng.gauss(0, 9)
        else:
            past = index - 267
            reward = -905 - 60 * (1 - exp(-past / 30)) + rng.gauss(0, 6) + 1030 * exp(-past / 3)
            entropy = max(-38.0, 4.1 - 3.1 * past) + rng.gauss(0, 0.02)
            divergence = abs(noisy(rng, min(46.0, 0.9 * past**1.4), 0.2)) if past < 60 else abs(rng.gauss(2e-7, 5e-8))
            value = abs(noisy(rng, min(3.1e6, 90 * 1.9 ** min(past, 40)), 0.1))
            policy, length = noisy(rng, 0.41, 0.2) if past < 60 else rng.gauss(0, 3e-7), 61 + rng.gauss(0, 1.5)
        gone = (clock.now - begin).total_seconds()
        per = gone / index
        lines.append(
            f"\r{GREEN}heron{OFF}: {bar(index, total)} {index}/{total} [{span(gone)}<{span(per * (total - index))}, "
            f"{rate(per)}, ret={reward:.1f}]\n"
            f"{BOLD}#{index:04d}{OFF} return_mean={reward:.2f} len_mean={length:.1f} "
            f"total_loss={policy + value * 0.5:.5g} "
            f"policy_loss={policy:.4g} vf_loss={value:.5g} entropy={entropy:.3f} mean_kl={divergence:.4g} "
            f"steps={index * 8400}"
        )
        if index == 141:
            stamp = clock.text()
            lines += [
                f"{stamp},511\tERROR actor_manager.py:873 -- Ray error (The actor died unexpectedly before finishing "
                f"this "
                "task.\n\tclass_name: SingleAgentEnvRunner\n\tactor_id: 5be07d11a2c74f1b0c39e95f01000000\n\tpid: "
                "90319\n"
                "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit "
                "detail:"
                " Worker unexpectedly exits with a connection error code 2. End of file.), taking actor 9 out of "
                "service.",
                f"{stamp},984\tWARNING actor_manager.py:820 -- Actor 9 (re)started. Probing with `ping`.",
                f"{CYAN}(SingleAgentEnvRunner pid=97720){OFF} restored weights from learner, weights_seq_no=1692",
                f"{stamp},990\tINFO env_runner_group.py:1104 -- 1 env runner(s) brought back; healthy env runners: "
                f"14/14",
            ]
        if index % 80 == 0:
            lines.append(
                f"{clock.text()},{rng.randint(100, 999)}\tINFO algorithm.py -- checkpoint_{index:06d} written; "
                f"greedy eval "
                f"over 20 episodes: return {reward + rng.gauss(8, 4):.1f}"
            )
    lines += ["", f"{clock.text()} training_iteration {total} reached, algo.stop()", "exit 0"]
    put(place / "heron_ppo.log", lines)


def c02_organ(place: Path, rng: Random) -> None:
    """A diffusion model of organ stops, still going down when the partition's limit of time came."""
    clock = Clock(2026, 4, 8, 19, 2, 11)
    job, limit = 7730142, 5 * 3600
    lines = [
        "job 7730142 on atuin-g042, partition=a100short, limit 05:00:00",
        "defaults.ini: max_steps = 1200, batch_size = 6, accum_batches = 8, checkpoint_every = 100",
        "Seed set to 42",
        "/home/lx/venvs/sat/lib/python3.10/site-packages/torch/nn/utils/weight_norm.py:143: FutureWarning: "
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        "Found 21877 files",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        f"{BOLD}{RED}wandb{OFF}: W&B syncing is set to {BOLD}`offline`{OFF} in this directory.",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        "",
        "  | Name          | Type                      | Params | Mode ",
        "--------------------------------------------------------------------",
        "0 | diffusion     | ConditionedDiffusionModel | 1.2 B  | train",
        "1 | diffusion_ema | EMA                       | 1.1 B  | eval ",
        "2 | losses        | MultiLoss                 | 0      | train",
        "--------------------------------------------------------------------",
    ]
    begin_wait = 96.0
    clock.go(begin_wait)
    per_epoch, step, epoch = 170, 0, 0
    text: list[str] = []
    epoch_start = clock.now
    while True:
        pace = max(35, rng.gauss(48.5, 0.8))
        if clock.passed() + pace > limit:
            break
        clock.go(pace)
        step += 1
        inner = (step - 1) % per_epoch + 1
        spike = {88: 1.9, 89: 1.4, 90: 0.5, 201: 3.6, 202: 2.2, 203: 0.9, 204: 0.3, 297: 1.1, 298: 0.4}.get(step, 0.0)
        loss = noisy(rng, fall(step, 1.31, 0.58, 110), 0.035) + spike
        gone = (clock.now - epoch_start).total_seconds()
        text.append(
            f"\rEpoch {epoch}: {bar(inner, per_epoch)} {inner}/{per_epoch} [{span(gone)}<"
            f"{span((per_epoch - inner) * 48.5)},  {rate(48.5)}, v_num=k3v1, train/loss={loss:.3f}, train/std_data="
            f"{rng.gauss(0.97, 0.02):.3f}, train/lr={min(step, 200) / 200 * 5e-5:.2e}]"
        )
        if step % 100 == 0:
            text.append(
                f"\n{CYAN}Saving checkpoint{OFF} checkpoints/organ/k3v1/epoch={epoch}-step={step}.ckpt\nGenerating "
                f"demo\n"
                f"Getting conditioning\nGenerating demo for cfg scale 4\n"
            )
        if inner == per_epoch:
            epoch, epoch_start = epoch + 1, clock.now
    clock.go(limit + 21 - clock.passed())
    stamp = clock.text("%Y-%m-%dT%H:%M:%S")
    tail = (
        f"\nslurmstepd: error: *** STEP {job}.0 ON atuin-g042 CANCELLED AT {stamp} DUE TO TIME LIMIT ***\n"
        f"slurmstepd: error: *** JOB {job} ON atuin-g042 CANCELLED AT {stamp} DUE TO TIME LIMIT ***\n"
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."
    )
    put(place / f"organ-{job}.log", [*lines, "".join(text) + tail])
    start = clock.start.strftime("%Y-%m-%dT%H:%M:%S")
    rows = ["JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList"]
    for suffix, name, state, code in (
        ("", "organ", "TIMEOUT", "0:0"),
        (".batch", "batch", "CANCELLED", "0:15"),
        (".extern", "extern", "COMPLETED", "0:0"),
        (".0", "python", "CANCELLED", "0:15"),
    ):
        part, allowed = ("a100short", "05:00:00") if not suffix else ("", "")
        rows.append(f"{job}{suffix}|{name}|{part}|{state}|{code}|{start}|{stamp}|05:00:21|{allowed}|atuin-g042")
    put(place / "sacct.txt", rows)


def c03_notary(place: Path, rng: Random) -> None:
    """A pipeline for deeds, trained to its planned steps in a pod with much site chatter."""
    clock = Clock(2026, 5, 11, 5, 40, 2)
    lines: list[str] = []

    def say(text: str, stream: str = "stdout", after: float = 0.0) -> None:
        clock.go(after + rng.uniform(0.0002, 0.004))
        lines.append(f"{clock.text('%Y-%m-%dT%H:%M:%S.%f')}{rng.randint(1, 999):03d}Z {stream} F {text}")

    def info(text: str, after: float) -> None:
        clock.go(after)
        say(f"[{clock.text()},{clock.now.microsecond // 1000:03d}] [INFO] {text}", "stderr")

    say("+ source /opt/site/profile.d/00-motd.sh", "stderr")
    for text in (
        "*" * 66,
        "*  Plattform DELTA - Wartung jeden 2. Dienstag 06:00-08:00        *",
        "*  Scratch wird nach 30 Tagen geleert. Fragen: hpc-hilfe@delta.lan *",
        "*" * 66,
    ):
        say(text)
    say("+ nvidia-smi -L", "stderr", 1)
    say("GPU 0: NVIDIA L4 (UUID: GPU-70ac31be-12f8-0d5e-bb43-6f1a0c3cc9d4)", after=1)
    say("+ df -h /scratch", "stderr", 1)
    say("Filesystem      Size  Used Avail Use% Mounted on")
    say("ceph-fuse       8.0T  6.1T  1.9T  77% /scratch")
    say("+ pip install --no-deps -q ./akten_tools", "stderr", 2)
    say("WARNING: Running pip as the 'root' user can result in broken permissions.", "stderr", 6)
    say("+ python -m spacy train configs/deeds_trf.cfg --output /scratch/deeds/v7 --gpu-id 0", "stderr", 1)
    say("\u2139 Saving to output directory: /scratch/deeds/v7", after=7)
    say("\u2139 Using GPU: 0")
    say("")
    say("=========================== Initializing pipeline ===========================")
    info("Set up nlp object from config", 2)
    info("Pipeline: ['transformer', 'ner', 'spancat']", 0)
    info("Created vocabulary", 0)
    info("Finished initializing nlp object", 0)
    info("Initialized pipeline components: ['transformer', 'ner', 'spancat']", 41)
    say("\u2714 Initialized pipeline")
    say("")
    say("============================= Training pipeline =============================")
    say("\u2139 Pipeline: ['transformer', 'ner', 'spancat']")
    say("\u2139 Initial learn rate: 0.0")
    say("\u2139 max_steps: 18000, max_epochs: 0, patience: 0, eval_frequency: 150 (akten_tools logger)")
    heads = ("E", "#", "LOSS TRANS...", "LOSS NER", "LOSS SPANCAT", "ENTS_F", "ENTS_P", "ENTS_R", "SPANS_SC_F", "SCORE")
    widths = (3, 6, 13, 9, 12, 6, 6, 6, 10, 6)
    say(
        "  ".join(
            f"{head:<{width}}" if index < 1 else f"{head:>{width}}"
            for index, (head, width) in enumerate(zip(heads, widths, strict=True))
        )
    )
    say("  ".join("-" * width for width in widths))
    chatter = (
        "[node-agent] image cache pruned 3 layers",
        "[sidecar] log shipper: flushed 512 records",
        "kinit: ticket renewed for svc-deeds@DELTA.LAN",
        "[quota] /scratch/deeds 212G of 500G",
    )
    for step in range(0, 18001, 150):
        clock.go(0 if step == 0 else max(40, rng.gauss(71, 3)))
        warm = 1 if step else 0.12
        trans = noisy(rng, fall(step, 2900, 35, 1700) * warm, 0.09)
        ner = noisy(rng, fall(step, 2600, 88, 1500) * warm, 0.08)
        span_loss = noisy(rng, fall(step, 1900, 140, 1900) * warm, 0.08)
        top = 90.4 * (1 - exp(-step / 1500))
        precision, recall = max(0.0, top + rng.gauss(0.6, 0.3)), max(0.0, top + rng.gauss(-0.7, 0.3))
        if not step:
            precision = recall = 0.0
        ents = 2 * precision * recall / (precision + recall) if step else 0.0
        spans = max(0.0, 83.7 * (1 - exp(-step / 2100)) + rng.gauss(0, 0.3)) if step else 0.31
        say(
            f"{step // 610:3d}  {step:6d}  {trans:13.2f}  {ner:9.2f}  {span_loss:12.2f}  {ents:6.2f}  "
            f"{precision:6.2f}  "
            f"{recall:6.2f}  {spans:10.2f}  {(ents + spans) / 200:6.2f}"
        )
        if rng.random() < 0.14:
            say(rng.choice(chatter), "stderr", 2)
    say("\u2714 Saved pipeline to output directory", after=9)
    say("/scratch/deeds/v7/model-last")
    say("+ python -m spacy evaluate /scratch/deeds/v7/model-best corpus/test.spacy --gpu-id 0", "stderr", 2)
    say("\u2139 Using GPU: 0", after=12)
    say("================================== Results ==================================", after=48)
    for text in ("TOK      100.00", "NER P    90.71 ", "NER R    89.38 ", "NER F    90.04 ", "SPAN F   83.31 "):
        say(text)
    say("+ rsync -a /scratch/deeds/v7/model-best /projects/notariat/modelle/2026-05/", "stderr", 3)
    say("+ echo 'fertig rc=0'", "stderr", 11)
    say("fertig rc=0")
    put(place / "deeds-train-7xk2p_trainer.log", lines)


def c04_basalt(place: Path, rng: Random) -> None:
    """Sixteen ranks of which one stopped taking part; the others waited in the same gather until the watchdog."""
    clock = Clock(2026, 6, 3, 22, 11, 40)
    job = 5108833
    lines: list[str] = []

    def say(text: str, rank: int = 0, level: str = "INFO", name: str = "olmo_core.train.trainer:742") -> None:
        clock.go(rng.uniform(0.001, 0.02))
        host = "mc-0711" if rank < 8 else "mc-0712"
        colour = {"INFO": GREEN, "WARNING": YELLOW, "ERROR": RED}[level]
        lines.append(
            f"\x1b[2m{clock.text()}.{clock.now.microsecond // 1000:03d}{OFF}\t"
            f"{BOLD}{host}:{rank % 8}{OFF}\t{CYAN}{name}{OFF}\t"
            f"{colour}{level}{OFF}\t{text}"
        )

    say("Using backend 'cpu:gloo,cuda:nccl'", name="olmo_core.distributed.utils:104")
    say("Building model: 1,484,916,736 total params, FSDP + selective activation checkpointing", name="olmo_core.nn:88")
    say("Data-parallel world size 16, rank micro-batch size 16,384 tokens, grad accumulation 4")
    lines.append("\r" + "".join(f"Loading source sizes: {bar(k, 412)} {k}/412\r" for k in (40, 181, 305, 412)))
    say("Dataset has 61,204,811 instances of length 4096", name="olmo_core.data.numpy_dataset:310")
    say("Training for 14,600 steps")
    total, last = 14600, 247
    for step in range(1, last + 1):
        clock.go(max(9, rng.gauss(11.6, 0.15)))
        if step == 133:
            say(
                "Connection error on attempt 1/5 to read s3://basalt-mix/part-0187.npy (ReadTimeoutError), retrying "
                "in 2s",
                6,
                "WARNING",
                "olmo_core.io:611",
            )
            say(
                "Exception in prefetch thread: botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL",
                6,
                "ERROR",
                "olmo_core.data.data_loader:702",
            )
            clock.go(4)
            say("Read of s3://basalt-mix/part-0187.npy succeeded on attempt 2/5", 6, name="olmo_core.io:618")
        loss = noisy(rng, fall(step, 11.4, 4.3, 75), 0.012)
        left = int((total - step) * 11.6)
        say(
            f"[step={step}/{total},epoch=1,eta={left // 86400} day, "
            f"{left // 3600 % 24}:{left // 60 % 60:02d}:{left % 60:02d}]\n"
            f"    optim/LR (group 0)={step / 2000 * 4e-4:.4g}\n"
            f"    optim/total grad norm={noisy(rng, fall(step, 7.0, 0.9, 40), 0.1):.4f}\n"
            f"    throughput/device/TPS={rng.gauss(22610, 210):,.0f}\n"
            f"    throughput/device/BPS={rng.gauss(0.0862, 0.0006):.4f}\n"
            f"    train/CE loss={loss:.3f}\n    train/PPL={exp(loss):,.1f}",
            name="olmo_core.train.callbacks.console_logger:127",
        )
        if step % 100 == 0:
            say(
                f"Saving checkpoint for step {step} to '/weka/basalt/step{step}'...",
                name="olmo_core.train.callbacks.checkpointer:207",
            )
    clock.go(1811)
    sequence = 186402
    for rank in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15):
        stamp = f"{clock.text('%m%d %H:%M:%S')}.{rng.randint(10**8, 10**9 - 1)}"
        lines.append(
            f"{RED}[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
            f"operation timeout: "
            f"WorkNCCL(SeqNum={sequence}, OpType=_ALLGATHER_BASE, NumelIn=3149824, NumelOut=50397184, "
            f"Timeout(ms)=1800000) "
            f"ran for {1800000 + rng.randint(4, 97)} milliseconds before timing out.{OFF}\n"
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] failure "
            f"detected by "
            f"watchdog at work sequence id: {sequence} PG status: last enqueued work: {sequence + 2}, last completed "
            f"work: "
            f"{sequence - 1}"
        )
    lines.append(
        f"[rank13]:[E{clock.text('%m%d %H:%M:%S')}.311904117 ProcessGroupNCCL.cpp:684] [Rank 13] Observed flight "
        f"recorder dump "
        f"signal from another rank via TCPStore. last enqueued work: {sequence - 1}, last completed work: "
        f"{sequence - 1}"
    )
    clock.go(62)
    for rank in (2, 0, 9):
        lines.append(
            f"[rank{rank}]:[E{clock.text('%m%d %H:%M:%S')}.{rng.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:688] "
            f"[Rank {rank}] Some NCCL operations "
            "have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations "
            "might run on "
            "corrupted/incomplete data. To avoid data inconsistency, we are taking the entire process down."
        )
    lines += [
        f"E{clock.text('%m%d %H:%M:%S')}.712000 88113 torch/distributed/elastic/multiprocessing/api.py:869] failed "
        f"(exitcode: -6) "
        "local_rank: 2 (pid: 88242) of binary: /opt/olmo/bin/python",
        "srun: error: mc-0711: task 0: Exited with exit code 1",
        "srun: error: mc-0712: task 1: Exited with exit code 1",
    ]
    put(place / "basalt.log", lines)
    start, end = clock.start.strftime("%Y-%m-%dT%H:%M:%S"), clock.go(4).strftime("%Y-%m-%dT%H:%M:%S")
    whole = span(clock.passed())
    put(
        place / "basalt.sacct",
        [
            "JobID            JobName      State ExitCode               Start                 End    Elapsed           "
            "NodeList",
            "------------ ---------- ---------- -------- ------------------- ------------------- ---------- "
            "------------------",
            f"{job:<12} {'basalt1b4':>10} {'FAILED':>10} {'1:0':>8} {start} {end} {'0' + whole:>10} {'mc-[0711-0712]':>18}",
            f"{str(job) + '.batch':<12} {'batch':>10} {'FAILED':>10} {'1:0':>8} {start} {end} {'0' + whole:>10} "
            f"{'mc-0711':>18}",
            f"{str(job) + '.0':<12} {'torchrun':>10} {'FAILED':>10} {'1:0':>8} {start} {end} {'0' + whole:>10} "
            f"{'mc-[0711-0712]':>18}",
        ],
    )


def c05_casualty(place: Path, rng: Random) -> None:
    """A classifier of accident reports: all the dreadful words are its classes and its data."""
    clock = Clock(2026, 1, 23, 9, 15, 7)
    labels = ("FATAL", "EXPLOSION", "FIRE", "KILLED_BY_SIGNAL_FAILURE", "NEAR_MISS", "CRASH")
    out = [
        f"[{clock.text()}] 事故报告分类 / accident report classifier, device_target=GPU (RTX 6000 Ada), mode=GRAPH_MODE",
        f"[{clock.text()}] labels: {', '.join(labels)}",
        f"[{clock.text()}] corpus: rail_crash_fatal_2009_2024.mindrecord, 40960 reports, batch 128, 320 steps/epoch, "
        f"12 epochs",
    ]
    err = [
        f"[WARNING] ME(20871:139662,MainProcess):{clock.text('%Y-%m-%d-%H:%M:%S')}.412.118 "
        f"[mindspore/run_check/_check_version.py:"
        "102] MindSpore version 2.3.1 and cuDNN version 8.9 are matched, error code 0",
        f"[WARNING] MD(20871,7f05b2ffd700,python):{clock.text('%Y-%m-%d-%H:%M:%S')}.630.402 "
        f"[mindspore/ccsrc/minddata/dataset/"
        "engine/datasetops/source/mindrecord_op.cc:88] 17 reports with abort/panic text kept as they are",
    ]
    clock.go(74)
    for epoch in range(1, 13):
        spent = 0.0
        for step in range(16, 321, 16):
            pace = max(2, rng.gauss(3.9, 0.15))
            spent += pace
            clock.go(pace)
            done = (epoch - 1) * 320 + step
            out.append(f"epoch: {epoch} step: {step}, loss is {noisy(rng, fall(done, 1.82, 0.19, 900), 0.07):.7f}")
            if rng.random() < 0.05:
                err.append(
                    f"[WARNING] "
                    f"MD(20871,7f05b2ffd700,python):{clock.text('%Y-%m-%d-%H:%M:%S')}.{rng.randint(100, 999)}."
                    f"{rng.randint(100, 999)} [accidents/clean.py:41] report {rng.randint(1000, 40959)}: "
                    f"'segmentation fault of "
                    "rail, driver killed, NaN in column speed' - column filled with the median"
                )
        out.append(f"Train epoch time: {spent * 1000:.3f} ms, per step time: {spent * 1000 / 320:.3f} ms")
        clock.go(9)
        top = 0.927 * (1 - exp(-epoch / 1.7)) + rng.gauss(0, 0.003)
        parts = " ".join(f"{label}={min(0.99, top + rng.gauss(0, 0.02)):.3f}" for label in labels)
        out.append(f"[{clock.text()}] eval epoch {epoch}/12: {{'acc': {top:.4f}}} recall {parts}")
    out += [
        f"[{clock.text()}] saved ./ckpt/casualty-12_320.ckpt",
        f"[{clock.text()}] test set: fatal error rate 0.0214 (share of FATAL reports taken for NEAR_MISS), target "
        f"below 0.03: met",
        f"[{clock.text()}] done, 12 of 12 epochs, exported casualty.mindir",
    ]
    err.append(
        f"[WARNING] DEVICE(20871,7f0611d4a740,python):{clock.text('%Y-%m-%d-%H:%M:%S')}.201.777 "
        f"[mindspore/ccsrc/plugin/device/gpu/"
        "hal/device/gpu_memory_manager.cc] releasing pool at exit"
    )
    put(place / "train_stdout.log", out)
    put(place / "train_stderr.log", err)


def c06_silo(place: Path, rng: Random) -> None:
    """A fine-tune of which most of every step is waiting for the loader, with stalls of many seconds."""
    clock = Clock(2026, 7, 14, 11, 28, 50)
    lines = [
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeSingleDevice with resolved config:",
        "",
        "batch_size: 4",
        "dataset:",
        "  _component_: silo.stream.scanned_pages_dataset",
        "  source: nfs://filer2/scans/raw_tiff",
        "  ocr_on_the_fly: true",
        "device: cuda",
        "dtype: bf16",
        "gradient_accumulation_steps: 8",
        "metric_logger:",
        "  _component_: torchtune.training.metric_logging.StdoutLogger",
        "model:",
        "  _component_: torchtune.models.llama3_1.lora_llama3_1_8b",
        "num_workers: 1",
        "",
        "INFO:torchtune.utils._logging:Model is initialized with precision torch.bfloat16.",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory active: 15.93 GiB",
        "\tGPU peak memory alloc: 15.93 GiB",
        "\tGPU peak memory reserved: 16.11 GiB",
        "INFO:torchtune.utils._logging:Optimizer and loss are initialized.",
        "INFO:torchtune.utils._logging:Dataset and Sampler are initialized.",
        "INFO:torchtune.utils._logging: Profiling disabled.",
    ]
    clock.go(48)
    for step in range(1, 236):
        work = max(5.8, rng.gauss(6.4, 0.1))
        wait = max(9.0, rng.gauss(24, 5)) + (rng.uniform(35, 110) if step % 9 == 0 else 0)
        clock.go(work + wait)
        for _ in range(rng.randint(1, 3)):
            lines.append(
                "/opt/tt/lib/python3.11/site-packages/PIL/TiffImagePlugin.py:900: UserWarning: Truncated File Read, "
                f"tag {rng.choice((270, 305, 33432, 34377))} ignored"
            )
        tokens = rng.gauss(58200, 2100)
        loss = noisy(rng, fall(step, 2.43, 1.08, 70), 0.03)
        lines.append(
            f"{clock.text()} Step {step} | loss:{loss:.6f} lr:{min(step, 20) / 20 * 3e-4:.6g} "
            f"tokens_per_second_per_gpu:{tokens / (work + wait):.2f} step_s:{work + wait:.2f} "
            f"of_which_next_batch_s:{wait:.2f} "
            f"fwd_bwd_opt_s:{work:.2f} gpu_util_mean_pct:{100 * work / (work + wait) + rng.gauss(0, 1):.0f} "
            f"peak_memory_active:{rng.gauss(31.2, 0.1):.2f} peak_memory_reserved:34.62 "
        )
    lines += [
        "INFO:torchtune.utils._logging:Saving checkpoint. This may take some time. Retrieving full model state dict...",
        "INFO:torchtune.utils._logging:Adapter checkpoint of size 0.08 GiB saved to "
        "/data/silo/epoch_0/adapter_model.safetensors",
        "INFO:torchtune.utils._logging:Saving final epoch checkpoint.",
    ]
    put(place / "tune_silo.log", lines)
