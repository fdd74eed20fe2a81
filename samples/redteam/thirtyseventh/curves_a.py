"""Curves of the thirty-seventh set, first half. SIMULATED: all numbers come from curves and clocks computed here."""

from __future__ import annotations

from datetime import UTC, datetime
from math import cos, log, pi
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from samples.redteam.thirtyseventh.ticking import Clock, Curve, bar

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_kestrel_cont(place: Path, rng: Random) -> None:
    """A continuation in a pod, printed with f-strings."""
    clock = Clock(datetime(2026, 10, 7, 21, 14, 3, 118204, tzinfo=UTC), rng)
    lines: list[str] = []

    def say(text: str, after: float = 0.01) -> None:
        clock.tick(after, 0.3)
        lines.append(clock.pod(text))

    say("+ export RUN=kestrel-07 PART=2")
    say("+ nvidia-smi -L", 0.4)
    for gpu in range(4):
        tail = "".join(rng.choice("0123456789abcdef") for _ in range(12))
        say(f"GPU {gpu}: NVIDIA A100-SXM4-80GB (UUID: GPU-{rng.randrange(16**8):08x}-71c2-b0d4-9a55-{tail})")
    say("+ ls -1 /mnt/ckpt/kestrel-07", 0.3)
    for step in (36000, 40000, 44000, 48000):
        say(f"step_{step:06d}.pt")
    say("+ tail -n 3 /mnt/ckpt/kestrel-07/part1.log")
    before = Curve(10.9, 2.38, 5200, 0.006, rng)
    for step in (47900, 47950, 48000):
        say(
            f"step={step:>6d} loss={before.at(step):.4f} gn={rng.gauss(0.41, 0.03):.3f} lr=2.11e-04 tok/s={rng.gauss(388000, 1500):,.0f}"
        )
    say(
        "+ exec torchrun --standalone --nproc_per_node=4 train.py --config kestrel.py --run kestrel-07 "
        "--init_from /mnt/ckpt/kestrel-07/step_048000.pt --max_steps 60000",
        0.1,
    )
    say("[rank 0] torch 2.5.1+cu124, world size 4, bf16", 14)
    say("[rank 0] data: /mnt/tok/web_v3 412 shards, 98.1B tokens; val: 1 shard", 3.2)
    say("[rank 0] model: 24 layers, d=1536, vocab=50304 -> 757.4M params", 2.6)
    say("[rank 0] optimizer: AdamW, 2 groups (decay 98 tensors, no decay 194 tensors)", 0.4)
    say("[rank 0] schedule: warmup 1000, cosine to 3e-05, peak 3e-04, max_steps 60000", 0.01)
    say("[rank 0] torch.compile ...", 0.01)
    curve = Curve(10.96, 2.36, 4600, 0.006, rng, spikes=((9140, 1.9, 110), (21420, 2.6, 160), (33830, 1.2, 90)))
    every, last = 200, 60000
    clock.tick(61)
    for step in range(0, last + 1, every):
        if step:
            clock.tick(every * 1.352 + (rng.uniform(20, 70) if rng.random() < 0.02 else 0), 0.004)
        loss = curve.at(step)
        hot = any(0 <= step - at < 160 for at, _, _ in curve.spikes)
        norm = rng.gauss(9, 2) if hot else 0.39 + 3.2 * (0.5 ** (step / 500)) + abs(rng.gauss(0, 0.03))
        warm = 3e-4 * min(1.0, (step + 1) / 1000)
        rate = warm if step < 1000 else 3e-5 + 1.35e-4 * (1 + cos(pi * (step - 1000) / (last - 1000)))
        speed = rng.gauss(387800, 1700) if step else 9120.0
        lines.append(clock.pod(f"step={step:>6d} loss={loss:.4f} gn={norm:.3f} lr={rate:.2e} tok/s={speed:,.0f}"))
        if step and step % 6000 == 0:
            say(f"        val_loss={curve.at(step) + 0.03:.4f} ({rng.uniform(17, 19):.1f}s)", 18)
            say(f"        wrote /mnt/ckpt/kestrel-07/p2_step_{step:06d}.pt ({rng.uniform(6, 9):.1f}s)", 7.4)
    say(f"[rank 0] done: {last} steps in {last * 1.357 / 3600:.2f} h", 1.5)
    say("+ touch /mnt/ckpt/kestrel-07/PART2_DONE", 3)
    (place / "kestrel-07-p2-wk8xz.log").write_text("\n".join(lines) + "\n")


STORY = (
    "Once upon a time, there was a little fox named Pim. Pim liked to sit by the pond and look at the big moon. One night",
    'the moon was not there. Pim was sad. "Where did you go?" he asked. His mom said, "The moon is hiding behind a',
    'cloud. It will come back soon." Pim waited and waited, and then the cloud went away. Pim was so happy that he',
    "jumped up and down.<|endoftext|>Tim and Lily were playing in the yard. They found a red box with a",
)


def c02_tinystories(place: Path, rng: Random) -> None:
    """The tail of llm.c's output, as a pod's log."""
    clock = Clock(datetime(2026, 8, 19, 3, 41, 7, 402118, tzinfo=UTC), rng)
    total, first = 1850, 1528
    curve = Curve(10.98, 1.42, 190, 0.009, rng, power=0.62)
    losses: list[float] = []
    norms: list[float] = []
    lines: list[str] = []

    def save(step: int) -> None:
        lines.append(clock.pod(f"Writing model to log_ts/model_{step:08d}.bin"))
        clock.tick(1.1, 0.2)
        lines.append(clock.pod(f"Writing state to log_ts/state_{step:08d}_00000.bin"))
        clock.tick(2.3, 0.2)

    for step in range(first - 140, total + 1):
        loss = curve.at(step)
        norm = abs(rng.gauss(0.36, 0.03)) + 0.02
        losses, norms = [*losses[-127:], loss], [*norms[-127:], norm]
        lz = (loss - fmean(losses)) / (pstdev(losses) or 1)
        nz = (norm - fmean(norms)) / (pstdev(norms) or 1)
        if step < first:
            continue
        rate = 6e-4 * 0.5 * (1 + cos(pi * (step - 1 - 60) / (total - 60)))
        took = abs(rng.gauss(1391.4, 2.6)) + (rng.uniform(20, 90) if rng.random() < 0.015 else 0)
        speed = 262144 / took * 1000
        mfu = speed * 8.03e8 / 312e12 * 100
        clock.tick(took / 1000)
        lines.append(
            clock.pod(
                f"step {step:4d}/{total} | loss {loss:7.6f} ({lz:+.2f}z)| norm {norm:6.4f} ({nz:+.2f}z)| lr {rate:.2e} | "
                f"{took:.2f} ms | {mfu:.1f}% bf16 MFU | {speed:.0f} tok/s"
            )
        )
        if step % 50 == 0 or step == total:
            clock.tick(4.2, 0.02)
            lines.append(clock.pod(f"val loss {curve.at(step) * 1.012 - 0.004 * rng.random():.6f}"))
        if step % 200 == 0 or step == total:
            clock.tick(3.7, 0.1)
            lines.extend(clock.pod(part) for part in ("generating:", "---", *STORY, "---"))
            save(step)
    lines.append(clock.pod("total average iteration time: 1391.836214 ms"))
    (place / "llmc-ts-d12-0.log").write_text("\n".join(lines) + "\n")


def c03_byt5_span(place: Path, rng: Random) -> None:
    """T5X's log with the prefixes' times cut off."""
    total, end = 250000, 176430
    lines = [
        "xla_bridge.py:889] Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
        "xla_bridge.py:889] Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file",
        "train.py:171] Process ID: 0",
        "gin_utils.py:83] Gin Configuration:",
        "gin_utils.py:85] from __gin__ import dynamic_registration",
        "gin_utils.py:85] BATCH_SIZE = 256",
        "gin_utils.py:85] MIXTURE_OR_TASK_NAME = 'nordic_span_corruption'",
        "gin_utils.py:85] MODEL_DIR = '/scratch/project_465/byt5_nordic_base'",
        "gin_utils.py:85] TASK_FEATURE_LENGTHS = {'inputs': 1024, 'targets': 189}",
        f"gin_utils.py:85] TRAIN_STEPS = {total}",
        "gin_utils.py:85] train.eval_period = 5000",
        "gin_utils.py:85] train.stats_period = 250",
        "gin_utils.py:85] utils.SaveCheckpointConfig.period = 5000",
        "gin_utils.py:85] partitioning.PjitPartitioner.num_partitions = 1",
        "train.py:204] Using seed: 48112739, dropout seed: 48112739",
        "partitioning.py:437] global_mesh axis_names: ('data', 'model')",
        "partitioning.py:438] global_mesh devices: [[cuda(id=0)] [cuda(id=1)] [cuda(id=2)] [cuda(id=3)] [cuda(id=4)] [cuda(id=5)] [cuda(id=6)] [cuda(id=7)]]",
        "train.py:349] Initializing parameters from scratch.",
        "utils.py:1938] Total number of parameters: 581653248",
        "train.py:430] Starting training for 250000 steps",
        "trainer.py:428] Compiling train step ...",
        "trainer.py:443] Compiled train step in 94.8 seconds",
        "train.py:577] BEGIN Train loop.",
    ]
    curve = Curve(6.34, 0.88, 9800, 0.005, rng, power=0.6)
    pace, step = 5.62, 0
    stats = 0
    while step < end:
        step = min(end, step + max(1, round(rng.gauss(pace * 10.04, 1.4) * (0.4 if rng.random() < 0.01 else 1))) * 2)
        if rng.random() < 0.45:
            lines.append(f"trainer.py:516] Training: step {step}")
        while stats + 250 <= step:
            stats += 250
            loss, rate = curve.at(stats), 1 / max(stats, 10000) ** 0.5
            sps = rng.gauss(pace, 0.03)
            acc = 1 - 0.24 * loss if loss < 3 else 0.9 / loss
            lines.append(
                f"logging_writer.py:64] [{stats}] accuracy={acc:.6f}, cross_ent_loss={loss * 48230:.3f}, "
                f"learning_rate={rate:.6g}, learning_rate/current={rate:.6g}, loss={loss * 48384:.3f}, "
                f"loss_per_nonpadding_target_token={loss:.6f}, nonpadding_fraction={rng.gauss(0.9968, 0.0004):.6f}, "
                f"timing/seconds={250 / sps:.4f}, timing/seqs_per_second={sps * 256:.2f}, "
                f"timing/seqs_per_second_per_core={sps * 32:.3f}, timing/steps_per_second={sps:.5f}, "
                f"z_loss={rng.gauss(112, 4):.3f}, z_loss_per_all_target_tokens={rng.gauss(0.00231, 0.0001):.6f}"
            )
            if stats % 5000 == 0:
                lines += [
                    f"train.py:652] Epoch {stats // 5000 - 1} of 50",
                    "train.py:690] Evaluating training_eval/nordic_span_corruption",
                    f"logging_writer.py:64] [{stats}] accuracy={acc * 0.993:.6f}, loss_per_nonpadding_target_token={loss * 1.02:.6f}, "
                    f"timing/seqs={5120}",
                    "train.py:706] Saving checkpoint.",
                    f"checkpoints.py:741] Saving checkpoint for step {stats} to /scratch/project_465/byt5_nordic_base/checkpoint_{stats}.tmp-1",
                    f"checkpoints.py:779] Saved checkpoint {stats} in {rng.uniform(11, 19):.2f} seconds",
                ]
    lab = "/opt/venv/lib/python3.11/site-packages"
    poll = "external/xla/xla/stream_executor/cuda/cuda_event.cc:29] Error polling for event status: failed to query event: "
    bad = "CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"
    lines += [
        f"E {poll}{bad}",
        f"E external/xla/xla/stream_executor/cuda/cuda_driver.cc:1138] could not synchronize on CUDA context: {bad} :: "
        "*** Begin stack trace ***",
        "",
        "\t",
        "\t",
        "\tclone",
        "*** End stack trace ***",
        "",
        "Traceback (most recent call last):",
        f'  File "{lab}/t5x/train.py", line 852, in <module>',
        "    config_utils.run(main)",
        f'  File "{lab}/t5x/config_utils.py", line 214, in run',
        "    app.run(",
        f'  File "{lab}/absl/app.py", line 308, in run',
        "    _run_main(main, args)",
        f'  File "{lab}/t5x/train.py", line 848, in _main',
        "    train_using_gin()",
        f'  File "{lab}/gin/config.py", line 1582, in gin_wrapper',
        "    return fn(*new_args, **new_kwargs)",
        f'  File "{lab}/t5x/train.py", line 668, in train',
        "    train_summary = trainer.train(",
        f'  File "{lab}/t5x/trainer.py", line 533, in train',
        "    self.train_state, metrics_update = train_step_fn(",
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to execute XLA Runtime executable: run time error: custom call "
        f"'xla.gpu.graph.launch' failed: Failed to launch CUDA graph: {bad}; current tracing scope: fusion.4418; "
        "current profiling annotation: XlaModule:#hlo_module=pjit_train_with_lr,program_id=212#.",
        "  In call to configurable 'train' (<function train at 0x7f0b1d24b880>)",
        f"E external/xla/xla/stream_executor/gpu/gpu_stream.cc:72] error destroying CUDA event in device 5: {bad}",
        f"E external/xla/xla/stream_executor/cuda/cuda_driver.cc:852] failed to free device memory at 0x7ee1d8000000; result: {bad}",
    ]
    (place / "byt5_nordic_rank0.log").write_text("\n".join(lines) + "\n")


def c04_nhits_retail(place: Path, rng: Random) -> None:
    """NeuralForecast under Slurm with Lightning's bars left in."""
    begin = datetime(2026, 9, 28, 16, 2, 11, tzinfo=UTC)
    clock = Clock(begin, rng)
    limit = 4 * 3600
    out: list[str] = [
        "== retail_nhits on g3-12, Mon Sep 28 16:02:13 CEST 2026\n",
        "18 442 Reihen, 2016-01-04 .. 2026-09-13\n",
        "\x1b[1;36mNHITS\x1b[0m h=56 input_size=280 max_steps=40000 val_check_steps=1450 batch_size=128 windows_batch_size=1024 lr=3e-4\n",
        "2026-09-28 16:03:02,417\tINFO util.py:154 -- Missing packages: ['ipywidgets']. Run `pip install -U ipywidgets`, "
        "then restart the notebook server for rich notebook output.\n",
        "Seed set to 11\n",
        "Using 16bit Automatic Mixed Precision (AMP)\n",
        "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs\n",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]\n",
        "\n  | Name         | Type          | Params | Mode \n" + "-" * 55 + "\n"
        "0 | loss         | DistributionLoss | 5      | train\n1 | padder_train | ConstantPad1d | 0      | train\n"
        "2 | scaler       | TemporalNorm  | 0      | train\n3 | blocks       | ModuleList    | 41.7 M | train\n"
        + "-"
        * 55
        + "\n"
        "41.7 M    Trainable params\n5         Non-trainable params\n41.7 M    Total params\n"
        "166.812   Total estimated model params size (MB)\n",
    ]
    clock.tick(77)
    curve = Curve(4.91, 2.07, 2600, 0.013, rng)
    step, per, epoch, valid, mean = 0, 145, 0, 0.0, 0.0
    while (clock.now - begin).total_seconds() < limit - 9:
        spent, seen = 0.0, []
        for batch in range(1, per + 1):
            took = max(0.2, rng.gauss(0.565, 0.02)) + (rng.uniform(1, 6) if rng.random() < 0.003 else 0)
            clock.tick(took)
            spent += took
            step += 1
            loss = curve.at(step)
            seen.append(loss)
            extra = f"v_num=3, train_loss_step={loss:.3f}"
            extra += f", train_loss_epoch={mean:.3f}" if epoch else ""
            extra += f", valid_loss={valid:.3f}" if valid else ""
            if batch % 12 == 0 or batch == per:
                out.append("\r" + bar(f"Epoch {epoch}: ", batch, per, spent, extra))
            if (clock.now - begin).total_seconds() >= limit + 14:
                break
            if step % 1450 == 0:
                out.append("\n\rValidation: |          | 0/? [00:00<?, ?it/s]\x1b[A")
                for piece in range(1, 11):
                    clock.tick(1.9, 0.1)
                    out.append(f"\n\r{bar('Validation DataLoader 0: ', piece, 10, piece * 1.9)}\x1b[A")
                out.append("\n\r" + " " * 90 + "\r\x1b[A")
                valid = curve.at(step) * 1.06
        mean = sum(seen) / len(seen)
        epoch += 1
    out.append(
        f"slurmstepd: error: *** JOB 7712045 ON g3-12 CANCELLED AT {clock.now:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***\n"
    )
    (place / "retail_nhits-7712045.out").write_text("".join(out), newline="")
    span = int((clock.now - begin).total_seconds())
    took_text = f"{span // 3600:02d}:{span % 3600 // 60:02d}:{span % 60:02d}"
    ends = f"{clock.now:%Y-%m-%dT%H:%M:%S}"
    head = ("JobID", "JobName", "Partition", "State", "ExitCode", "Timelimit", "Elapsed", "Start", "End", "NodeList")
    rows = [
        head,
        tuple("-" * 19 if at in (7, 8) else "-" * 12 for at in range(10)),
        (
            "7712045",
            "retail_nhits",
            "gpu_4h",
            "TIMEOUT",
            "0:0",
            "04:00:00",
            took_text,
            f"{begin:%Y-%m-%dT%H:%M:%S}",
            ends,
            "g3-12",
        ),
        ("7712045.batch", "batch", "", "CANCELLED", "0:15", "", took_text, f"{begin:%Y-%m-%dT%H:%M:%S}", ends, "g3-12"),
        (
            "7712045.extern",
            "extern",
            "",
            "COMPLETED",
            "0:0",
            "",
            took_text,
            f"{begin:%Y-%m-%dT%H:%M:%S}",
            ends,
            "g3-12",
        ),
    ]
    text = "\n".join(" ".join(f"{cell:>{19 if at in (7, 8) else 14}}" for at, cell in enumerate(row)) for row in rows)
    (place / "sacct.txt").write_text(
        "$ sacct -j 7712045 -o jobid,jobname,partition,state,exitcode,timelimit,elapsed,start,end,nodelist\n"
        + text
        + "\n"
    )


TICKETS = (
    "RuntimeError: CUDA out of memory while opening the report viewer",
    "Kernel panic - not syncing after the firmware update, laptop dead",
    "Segmentation fault (core dumped) when exporting to PDF",
    "GPU has fallen off the bus, Xid 79, workstation in room 4.17",
    "process killed by the OOM killer every night at 02:00",
    "NaN in all cells of the pivot table",
    "NCCL WARN unhandled system error in the demo of the AI course",
)


def c05_ticket_embed(place: Path, rng: Random) -> None:
    """Sentence Transformers 3 over help-desk tickets."""
    begin = datetime(2026, 7, 14, 8, 30, 41, 220000, tzinfo=UTC)
    clock = Clock(begin, rng)
    steps, every = 3300, 15
    out, err = [], []

    def note(text: str, where: list[str] = out) -> None:
        where.append(f"{clock.now:%Y-%m-%d %H:%M:%S} - {text}")

    note("Use pytorch device_name: cuda:0")
    note("Load pretrained SentenceTransformer: intfloat/multilingual-e5-base")
    clock.tick(11)
    note("train: 211,200 (anchor, positive, negative) triplets in /net/filer2/helpdesk/triplets.sqlite, dev: 2,000")
    note("three of them:")
    out.extend(f"    anchor: {text!r}" for text in rng.sample(TICKETS, 3))
    note(f"batch 64, 1 epoch, {steps} steps, MultipleNegativesRankingLoss, bf16, 1x NVIDIA L40S")
    err += [
        "/home/ines/venvs/st3/lib/python3.11/site-packages/torch/utils/data/dataloader.py:617: UserWarning: This DataLoader will create "
        "8 worker processes in total. Our suggested max number of worker in current system is 4, which is smaller than what this DataLoader "
        "is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the "
        "worker number to avoid potential slowness/freeze if necessary.",
        "Token indices sequence length is longer than the specified maximum sequence length for this model (731 > 512). Running this "
        "sequence through the model will result in indexing errors",
    ]
    curve = Curve(2.94, 0.61, 620, 0.025, rng)
    waits: list[float] = []
    shown: list[float] = []
    computed: list[float] = []
    run = clock.now
    for step in range(1, steps + 1):
        wait = max(0.8, rng.lognormvariate(log(6.1), 0.45)) + (rng.uniform(20, 55) if rng.random() < 0.012 else 0)
        busy = max(0.2, rng.gauss(0.36, 0.015))
        clock.tick(wait + busy)
        waits.append(wait)
        computed.append(busy)
        if step % every == 0:
            rate = 2e-5 * min(step / 330, (steps - step) / (steps - 330))
            shown.append(curve.at(step))
            out.append(
                str(
                    {
                        "loss": round(shown[-1], 4),
                        "grad_norm": round(abs(rng.gauss(5.2, 0.8)) + 0.4, 6),
                        "learning_rate": rate,
                        "epoch": round(step / steps, 2),
                    }
                )
            )
            if step % 60 == 0:
                share = sum(computed) / (sum(waits) + sum(computed))
                note(
                    f"step {step}: batch fetched in {fmean(waits):.2f} s on average (max {max(waits):.1f}), forward/backward/optimizer "
                    f"{fmean(computed):.2f} s, gpu util {100 * share + rng.uniform(-0.6, 0.6):.0f} %, {rng.uniform(88, 97):.0f} W"
                )
                waits, computed = [], []
        if step % 30 == 0:
            err.append("\r" + bar("", step, steps, (clock.now - run).total_seconds()))
        if step % 550 == 0:
            clock.tick(41, 0.05)
            acc = 0.71 + 0.22 * (1 - 0.5 ** (step / 700)) + rng.gauss(0, 0.004)
            note(
                "TripletEvaluator: Evaluating the model on the dev-tickets dataset in epoch "
                f"{step / steps:.2f} after {step} steps:"
            )
            note(f"Accuracy Cosine Similarity:\t{100 * acc:.2f}%")
            note(f"hardest miss: {rng.choice(TICKETS)!r} -> {rng.choice(TICKETS)!r}")
            out.append(
                str(
                    {
                        "eval_dev-tickets_cosine_accuracy": round(acc, 6),
                        "eval_runtime": round(rng.gauss(41, 1), 4),
                        "eval_samples_per_second": 0.0,
                        "eval_steps_per_second": 0.0,
                        "epoch": round(step / steps, 2),
                    }
                )
            )
    spent = (clock.now - run).total_seconds()
    out.append(
        str(
            {
                "train_runtime": round(spent, 4),
                "train_samples_per_second": round(211200 / spent, 3),
                "train_steps_per_second": round(steps / spent, 3),
                "train_loss": fmean(shown),
                "epoch": 1.0,
            }
        )
    )
    note("Save model to /net/filer2/helpdesk/models/e5-tickets-v3/final")
    clock.tick(9)
    note("fertig")
    bars = "".join(part for part in err[2:])
    (place / "train_e5.log").write_text("\n".join(out) + "\n")
    (place / "train_e5.err").write_text("\n".join(err[:2]) + "\n" + bars + "\n", newline="")


def c06_palets(place: Path, rng: Random) -> None:
    """YOLOX on one GPU, the end of its log."""
    clock = Clock(datetime(2026, 6, 2, 23, 17, 44, tzinfo=UTC), rng)
    iters, first, last, stop = 1172, 61, 97, 830
    spikes = tuple(
        ((epoch - first) * iters + rng.randrange(100, 1000), rng.uniform(2.5, 9), rng.uniform(40, 110))
        for epoch in (68, 79, 91)
    )
    curve = Curve(5.9, 3.6, 30000, 0.05, rng, power=0.9, spikes=spikes)
    lines: list[str] = []

    def say(where: str, text: str) -> None:
        lines.append(f"{clock.now:%Y-%m-%d %H:%M:%S} | INFO     | {where} - {text}")

    best = 0.0
    for epoch in range(first, last + 1):
        if epoch != first:
            say("yolox.core.trainer:203", f"---> start train epoch{epoch}")
        size = 640
        for step in range(50, iters + 1, 50):
            if epoch == first and step < 700:
                continue
            pace = max(0.2, rng.gauss(0.31, 0.012)) * (size / 640) ** 1.4
            clock.tick(50 * pace)
            loss = curve.at((epoch - first) * iters + step)
            iou, cls = loss * 0.36, loss * 0.125
            rate = 5e-4 + 9.5e-3 * 0.5 * (1 + cos(pi * (epoch + step / iters - 5) / 180))
            left = int(((200 - epoch) * iters + iters - step) * 0.318)
            days, rest = divmod(left, 86400)
            eta = (
                f"{days} day{'s' if days > 1 else ''}, " if days else ""
            ) + f"{rest // 3600}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
            say(
                "yolox.core.trainer:266",
                f"epoch: {epoch}/200, iter: {step}/{iters}, gpu mem: 17304Mb, mem: {rng.gauss(41.2, 0.1):.1f}Gb, iter_time: {pace:.3f}s, "
                f"data_time: {abs(rng.gauss(0.004, 0.002)):.3f}s, total_loss: {loss:.1f}, iou_loss: {iou:.1f}, l1_loss: 0.0, "
                f"conf_loss: {loss - iou - cls:.1f}, cls_loss: {cls:.1f}, lr: {rate:.3e}, size: {size}, ETA: {eta}",
            )
            if epoch == last and step >= stop - 30:
                break
            size = rng.choice((480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800))
        if epoch == last:
            break
        clock.tick(8)
        say("yolox.core.trainer:391", "Save weights to ./YOLOX_outputs/palets_m")
        if epoch % 5 == 0:
            clock.tick(74, 0.05)
            low = 0.39 + 0.09 * (1 - 0.5 ** ((epoch - 55) / 25)) + rng.gauss(0, 0.003)
            say("yolox.evaluators.coco_evaluator:256", "Evaluate in main process...")
            lines += [
                "Loading and preparing results...",
                f"DONE (t={rng.uniform(0.4, 0.9):.2f}s)",
                "creating index...",
                "index created!",
            ]
            say("yolox.core.trainer:379", "")
            lines += [
                f"Average forward time: {rng.uniform(6.1, 6.6):.2f} ms, Average NMS time: {rng.uniform(0.8, 1.0):.2f} ms, Average inference time: 7.20 ms",
                f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {low:.3f}",
                f" Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = {low * 1.51:.3f}",
                f" Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {low * 1.22:.3f}",
            ]
            best = max(best, low)
            say("yolox.core.trainer:391", "Save weights to ./YOLOX_outputs/palets_m")
    lines.append(
        "entrena_palets.sh: línea 22: 1190342 Violación de segmento  (`core' generado) python tools/train.py "
        "-f exps/palets_m.py -d 1 -b 32 --fp16 -o -c yolox_m.pth"
    )
    lines.append("fin: código 139")
    (place / "palets_m.log").write_text("\n".join(lines) + "\n")
