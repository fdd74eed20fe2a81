"""Curves c01 to c06.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.fortyfirst.cu_help import Clock, bar, fall, noisy, put, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_azide(place: Path, rng: Random) -> None:
    """An interatomic potential for energetic materials on a partition whose owners may take the node back."""
    clock = Clock("2026-03-11T01:52:40.118")

    def info(module: str, text: str, wait: float = 0.4) -> str:
        clock.go(wait)
        return f"[{clock.say('%Y-%m-%d %H:%M:%S', milli=',')}][{module}][INFO] - {text}"

    cli = "schnetpack.cli"
    lines = [
        "   _____      __    _   __     __  ____             __",
        "  / ___/_____/ /_  / | / /__  / /_/ __ \\____ ______/ /__",
        "  \\__ \\/ ___/ __ \\/  |/ / _ \\/ __/ /_/ / __ `/ ___/ //_/",
        " ___/ / /__/ / / / /|  /  __/ /_/ ____/ /_/ / /__/ ,<",
        "/____/\\___/_/ /_/_/ |_/\\___/\\__/_/    \\__,_/\\___/_/|_|",
        "",
        info(cli, "Running on host: tin-g041"),
        "⚙ Running with the following config:",
        "├── run",
        "│   └── work_dir: /scratch/oyelaran/nitro_paint",
        "│       data_dir: /scratch/oyelaran/data",
        "│       id: 5d0c7a1e-panic-sea-2",
        "├── globals",
        "│   └── cutoff: 5.5",
        "│       lr: 0.0004",
        "│       energy_key: energy",
        "│       forces_key: forces",
        "├── data",
        "│   └── datapath: /scratch/oyelaran/data/explosives_fatal_shock.db",
        "│       batch_size: 24",
        "│       split_file: split_no_crash_no_scf_failure.npz",
        "├── trainer",
        "│   └── max_epochs: 220",
        "│       accelerator: gpu",
        "│       devices: 1",
        "└── seed: 91827",
        info(cli, "Seed with <91827>"),
        "Global seed set to 91827",
        info(cli, "Instantiating datamodule <schnetpack.data.AtomsDataModule>"),
        info(cli, "Instantiating model <schnetpack.model.NeuralNetworkPotential>", 2.2),
        info(cli, "Instantiating task <schnetpack.AtomisticTask>", 1.3),
        info(cli, "Instantiating callback <schnetpack.train.ModelCheckpoint>"),
        info(cli, "Instantiating callback <pytorch_lightning.callbacks.LearningRateMonitor>"),
        info(cli, "Instantiating callback <schnetpack.train.ExponentialMovingAverage>"),
        info(cli, "Instantiating callback <nitro.EpochPrinter>"),
        info(cli, "Instantiating logger <pytorch_lightning.loggers.tensorboard.TensorBoardLogger>"),
        info(cli, "Instantiating trainer <pytorch_lightning.Trainer>"),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        info(cli, "Logging hyperparameters.", 3.8),
        info(cli, "Starting training."),
        info(
            "nitro.data",
            "subset 'detonation_killed' : 11204 frames (trajectories ended by the bond-break abort rule)",
            4,
        ),
        info("nitro.data", "subset 'scf_error_recovered' : 3317 frames, 0 corrupt, 0 NaN forces"),
        info("nitro.data", "subset 'dead_ends' : 946 frames (fatal collisions, T > 4000 K)"),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name    | Type                   | Params",
        "---------------------------------------------------",
        "0 | model   | NeuralNetworkPotential | 618 K ",
        "1 | outputs | ModuleList             | 0     ",
        "---------------------------------------------------",
        "618 K     Trainable params",
        "0         Non-trainable params",
        "2.475     Total estimated model params size (MB)",
    ]
    best = 9e9
    for epoch in range(137):
        train = noisy(rng, fall(epoch, 0.912, 0.0183, 11), 0.035)
        value = noisy(rng, fall(epoch, 0.804, 0.0217, 12), 0.05)
        lines.append(
            info(
                "nitro.EpochPrinter",
                f"epoch {epoch:3d}/220  step {(epoch + 1) * 645}  train_loss {train:.5f}  val_loss {value:.5f}  "
                f"val_energy_MAE {value * 0.61:.4f}  val_forces_MAE {math.sqrt(value) * 0.29:.4f}  lr 4.0e-04",
                noisy(rng, 94.6, 0.012),
            )
        )
        if value < best:
            best = value
            if epoch % 4 == 0:
                lines.append(
                    info("schnetpack.train.checkpoint", f"val_loss improved, best_model written (epoch {epoch})")
                )
        if epoch in {18, 52, 77, 103, 121}:
            name = rng.choice(["RDX crash ramp", "PETN overkill", "azide sudden death", "TATB hotspot failure"])
            lines.append(
                info("nitro.probe", f"probe '{name}': fatal fragments predicted {rng.randint(11, 37)}, none unphysical")
            )
    clock.go(41)
    lines.append(
        "slurmstepd: error: *** STEP 7719306.0 ON tin-g041 CANCELLED AT "
        f"{clock.say('%Y-%m-%dT%H:%M:%S')} DUE TO PREEMPTION ***"
    )
    lines.append("srun: Job step aborted: Waiting up to 47 seconds for job step to finish.")
    lines.append(
        f"slurmstepd: error: *** JOB 7719306 ON tin-g041 CANCELLED AT {clock.say('%Y-%m-%dT%H:%M:%S')} DUE TO "
        f"PREEMPTION ***"
    )
    put(place / "nitro_paint-7719306.log", lines)


def c02_heron(place: Path, rng: Random) -> None:
    """A small GPT in plain CUDA, taken up again rightly from a checkpoint; later the curve goes."""
    rule = "+-----------------------+----------------------------------------------------+"
    rows = [
        [("Parameter", "Value")],
        [
            ("train data pattern", "/nvme/heron/edu_train_*.bin"),
            ("val data pattern", "/nvme/heron/edu_val_*.bin"),
            ("output log dir", "runs/heron_d20"),
            ("checkpoint_every", "900"),
            ("resume", "1"),
            ("micro batch size B", "24"),
            ("sequence length T", "1024"),
            ("total batch size", "393216"),
            ("LR scheduler", "cosine"),
            ("learning rate (LR)", "2.200000e-03"),
            ("warmup iterations", "350"),
            ("final LR fraction", "1.000000e-01"),
            ("weight decay", "1.000000e-01"),
            ("skip update lossz", "0.000000"),
            ("skip update gradz", "0.000000"),
            ("max_steps", "3010"),
            ("val_loss_every", "60"),
            ("val_max_steps", "30"),
            ("sample_every", "0"),
            ("use_master_weights", "enabled"),
            ("gelu_fusion", "0"),
            ("recompute", "1"),
        ],
        [("device", "NVIDIA L40S"), ("peak TFlops", "362.0"), ("precision", "BF16")],
        [
            ("weight init method", "runs/heron_d20/model_00002700.bin"),
            ("max_sequence_length T", "1024"),
            ("vocab_size V", "50257"),
            ("padded_vocab_size Vp", "50304"),
            ("num_layers L", "20"),
            ("num_heads NH", "14"),
            ("channels C", "896"),
            ("num_parameters", "238746368"),
        ],
        [("train_num_batches", "3010"), ("val_num_batches", "30")],
        [("run hellaswag", "no")],
        [("num_processes", "4"), ("zero_stage", "1")],
    ]
    lines = ["\x1b[1;36m==> heron/run.sh: newest complete checkpoint is step 2700, DONE marker found\x1b[0m"]
    shards = "\r".join(
        f"\x1b[33mshards to nvme\x1b[0m {done * 100 // 31:3d}%|{bar(done, 31, 24)}| {done}/31 [{span(done * 2.4)}<"
        f"{span((31 - done) * 2.4)},  2.41s/file]"
        for done in range(32)
    )
    lines.append(shards)
    for block in rows:
        lines.append(rule)
        lines += [f"| \x1b[1m{key:<21}\x1b[0m | {value:<50} |" for key, value in block]
    lines += [
        rule,
        "num_parameters: 238746368 => bytes: 477492736",
        "allocated 455 MiB for model parameters",
        "batch_size B=24 * seq_len T=1024 * num_processes=4 and total_batch_size=393216",
        "=> setting grad_accum_steps=4",
        "allocating 455 MiB for parameter gradients",
        "allocating 10871 MiB for activations",
        "allocating 227 MiB for AdamW optimizer state m",
        "allocating 227 MiB for AdamW optimizer state v",
        "allocating 227 MiB for master copy of params",
        "device memory usage: 13790 MiB / 45488 MiB",
        "memory per sequence: 452 MiB",
        " -> estimated maximum batch size: 94",
        "\x1b[32mresumed: step 2700, optimizer m/v, rng state and dataloader position (shard 19) restored\x1b[0m",
        "val loss 3.214822",
    ]
    turn = 2861
    level, norm = 3.2, 0.31
    total = 0.0
    for step in range(2701, 3011):
        if step < turn:
            level, norm = 3.232 - 0.00011 * (step - 2700), noisy(rng, 0.31, 0.06)
            loss = level + rng.gauss(0, 0.024)
        else:
            after = step - turn
            rise = 1 - math.exp(-after / 5.5)
            share = math.exp(-after / 70)
            loss = 3.22 + rise * 8.1 * share + rise * 4.05 * (1 - share) + rng.gauss(0, 0.05)
            norm = noisy(rng, 0.4 + 46 * rise * math.exp(-after / 16) + 1.7 * rise, 0.25)
        lossz = (loss - level) / 0.024
        normz = (norm - 0.31) / 0.02
        rate = 2.2e-4 + 0.5 * 1.98e-3 * (1 + math.cos(math.pi * (step - 350) / 2660))
        took = noisy(rng, 2114, 0.004)
        total += took
        tint = "\x1b[31m" if abs(lossz) > 6 else "\x1b[37m"
        lines.append(
            f"step {step:4d}/3010 | {tint}loss {loss:.6f} ({min(lossz, 99.9):+.2f}z)\x1b[0m| norm {norm:.4f} "
            f"({min(normz, 99.9):+.2f}z)| lr {rate:.2e} | {took:.2f} ms | {noisy(rng, 26.1, 0.004):.1f}% bf16 MFU | "
            f"{393216 / took * 1000:.0f} tok/s"
        )
        if step % 60 == 0 or step == 3010:
            lines.append(f"\x1b[35mval loss {loss + rng.gauss(0.006, 0.004):.6f}\x1b[0m")
    lines.append("Writing model to runs/heron_d20/model_00003010.bin")
    lines.append("Writing state to runs/heron_d20/state_00003010_00000.bin")
    lines.append(f"total average iteration time: {total / 310:.6f} ms")
    put(place / "heron_d20.txt", lines)


def c03_nightline(place: Path, rng: Random) -> None:
    """A Rust trainer for emergency-call notes whose host memory grows until something ends it."""
    clock = Clock("2026-05-04T19:07:12.508")

    def say(level: str, module: str, text: str, wait: float) -> str:
        clock.go(wait)
        stamp = f"{clock.say('%Y-%m-%dT%H:%M:%S', milli='.')}{rng.randint(0, 999):03d}Z"
        return f"{stamp} {level:>5} nightline::{module}: {text}"

    lines = [
        "   Compiling nightline v0.7.2 (/home/tvedt/nightline)",
        "    Finished `release` profile [optimized + debuginfo] target(s) in 1m 48s",
        "     Running `target/release/nightline train --config cfg/calls_no.toml`",
        say("INFO", "main", "backend burn-cuda 0.16 (cubecl), device CudaDevice { index: 0 }, autodiff on", 0),
        say("INFO", "main", "host: 1 node, 96 GiB in this job's slice, 12 loader threads", 0.1),
        say(
            "INFO",
            "data",
            'classes = ["panic", "killed", "abort_abortion", "poison", "crash_car", "fatal_fall", "other"]',
            2.3,
        ),
        say(
            "INFO",
            "data",
            '412 886 notes; the word "panic" stands in 31 204, "core dumped" in 0, "overdose" in 8 117',
            9.4,
        ),
        say(
            "INFO", "model", "TextEncoder { layers: 6, d_model: 384, heads: 6, dropout: 0.1 } params = 14 903 815", 0.8
        ),
        say("INFO", "train", "plan: 9 epochs, 1 613 batches each, batch 256, AdamW lr 3.5e-4, Noam warm-up 800", 0.3),
    ]
    seen = 0
    host = 11.2
    worst = ["panic", "crash_car", "fatal_fall", "killed", "poison"]
    for report in range(148):
        seen += 50
        epoch, batch = divmod(seen, 1613)
        loss = noisy(rng, fall(report, 1.94, 0.412, 19), 0.022)
        host += noisy(rng, 0.551, 0.06)
        lines.append(
            say(
                "INFO",
                "train",
                f"epoch {epoch + 1}/9 batch {batch}/1613 loss={loss:.4f} acc={min(0.97, 1 - loss * 0.36):.3f} "
                f"lr={3.5e-4 * min(seen / 800, math.sqrt(800 / seen)):.2e} {noisy(rng, 9.6, 0.015):.2f} batch/s "
                f"gpu_mem=6.1GiB rss={host:.1f}GiB",
                noisy(rng, 5.21, 0.02),
            )
        )
        if report % 13 == 6:
            name = rng.choice(worst)
            lines.append(
                say(
                    "WARN",
                    "eval",
                    f'hardest class now "{name}": recall {rng.uniform(0.55, 0.83):.3f}, false alarm '
                    f"error "
                    f"{rng.uniform(0.04, 0.12):.3f}",
                    0.2,
                )
            )
        if seen // 1613 != (seen - 50) // 1613:
            lines.append(say("INFO", "ckpt", f"saved ckpt/epoch_{epoch:02d}.mpk (recorder: NamedMpkFull)", 1.1))
    lines.append(
        "error: process didn't exit successfully: `target/release/nightline train --config cfg/calls_no.toml` "
        "(signal: 9, SIGKILL: kill)"
    )
    lines.append("make: *** [Makefile:22: train-no] Error 101")
    put(place / "train-no.log", lines)


def c04_kvist(place: Path, rng: Random) -> None:
    """A tagger for Danish parish books; the copy of the log simply ends in an epoch."""
    clock = Clock("2026-01-19T08:31:05.220")

    def say(text: str, wait: float = 0.001) -> str:
        clock.go(wait)
        return f"{clock.say('%Y-%m-%d %H:%M:%S', milli=',')} {text}"

    rule = "-" * 100
    out = [
        "*" * 72,
        "*  Søkort cluster   |  docs: https://sokort.example.dk/wiki            *",
        "*  /scratch is purged every 21 days. Be kind to the login nodes.       *",
        "*" * 72,
        "Quota for user bhjort: home 41.2G of 60G, scratch 1.9T of 5T",
        "+ module purge",
        "+ module load GCCcore/13.2.0 CUDA/12.4.0 Python/3.11.5",
        "+ source /home/bhjort/venvs/flair015/bin/activate",
        "+ nvidia-smi -L",
        "GPU 0: NVIDIA A30 (UUID: GPU-61d2f0c4-8ab1-0c1e-7c51-3e0b9a7712fd)",
        "+ python tag_kirkeboger.py --lang da --epochs 8",
        say("Reading data from /scratch/bhjort/kirkebog_ner"),
        say("Train: /scratch/bhjort/kirkebog_ner/train.conll"),
        say("Dev: /scratch/bhjort/kirkebog_ner/dev.conll"),
        say("Test: /scratch/bhjort/kirkebog_ner/test.conll"),
        say("Computing label dictionary. Progress:", 3.4),
        say(
            "Dictionary created for label 'ner' with 6 values: PER (seen 9412 times), STED (seen 7730 times), "
            "DATO (seen 6921 times), ERHVERV (seen 3108 times), SOGN (seen 2917 times), SLAEGT (seen 811 times)",
            2.1,
        ),
        say(
            "SequenceTagger predicts: Dictionary with 25 tags: O, S-PER, B-PER, E-PER, I-PER, S-STED, B-STED, E-STED, "
            "I-STED, "
            "S-DATO, B-DATO, E-DATO, I-DATO, S-ERHVERV, B-ERHVERV, E-ERHVERV, I-ERHVERV, S-SOGN, B-SOGN, E-SOGN, "
            "I-SOGN, "
            "S-SLAEGT, B-SLAEGT, E-SLAEGT, I-SLAEGT",
            6.9,
        ),
        say(rule, 1.2),
        say('Model: "SequenceTagger('),
        "  (embeddings): TransformerWordEmbeddings(",
        "    (model): XLMRobertaModel(...)",
        "  )",
        "  (locked_dropout): LockedDropout(p=0.5)",
        "  (linear): Linear(in_features=768, out_features=25, bias=True)",
        "  (loss_function): CrossEntropyLoss()",
        ')"',
        say(rule),
        say("Corpus: 13286 train + 1480 dev + 1622 test sentences"),
        say(rule),
        say("Train:  13286 sentences"),
        say("        (train_with_dev=False, train_with_test=False)"),
        say(rule),
        say("Training Params:"),
        say(' - learning_rate: "4e-05" '),
        say(' - mini_batch_size: "16"'),
        say(' - max_epochs: "8"'),
        say(' - shuffle: "True"'),
        say(rule),
        say("Plugins:"),
        say(" - LinearScheduler | warmup_fraction: '0.1'"),
        say(rule),
        say("Final evaluation on model from best epoch (best-model.pt)"),
        say(" - metric: \"('micro avg', 'f1-score')\""),
        say(rule),
        say("Computation:"),
        say(" - compute on device: cuda:0"),
        say(" - embedding storage: none"),
        say(rule),
        say('Model training base path: "/scratch/bhjort/out/kirkebog-xlmr"'),
        say(rule),
    ]
    every, whole = 83, 831
    count = 0
    for epoch in range(1, 5):
        out.append(say(rule, 0.4))
        spent = 0.0
        for tick in range(1, 11):
            count += 1
            took = noisy(rng, 20.4, 0.02)
            spent += took
            loss = noisy(rng, fall(count, 2.31, 0.071, 6), 0.02)
            at = count / 80
            rate = 4e-5 * (at / 0.1 if at < 0.1 else (1 - at) / 0.9)
            out.append(
                say(
                    f"epoch {epoch} - iter {tick * every}/{whole} - loss {loss:.8f} - time (sec): {spent:.2f} - "
                    f"samples/sec: {tick * every * 16 / spent:.2f} - lr: {rate:.6f} - momentum: 0.000000",
                    took,
                )
            )
            if epoch == 4 and tick == 6:
                break
        else:
            score = 0.61 + 0.09 * epoch - 0.011 * epoch * epoch
            out.append(say(rule, 0.9))
            out.append(say(f"EPOCH {epoch} done: loss {loss:.4f} - lr: {rate:.6f}"))
            out.append(
                say(
                    f"DEV : loss {noisy(rng, 0.176 / epoch + 0.052, 0.03):.16f} - f1-score (micro avg)  {score:.4f}",
                    13.8,
                )
            )
            out.append(say(" - 0 epochs without improvement"))
            out.append(say("saving best model", 0.2))
    put(place / "kirkebog.out", out)
    err = [
        "Lmod: loading CUDA/12.4.0 (site default is 12.2.0)",
        "perl: warning: Setting locale failed.",
        "perl: warning: Please check that your locale settings:",
        "\tLANGUAGE = (unset),",
        "\tLC_ALL = (unset),",
        '\tLANG = "da_DK.UTF-8"',
        "    are supported and installed on your system.",
        'perl: warning: Falling back to the standard locale ("C").',
        "/home/bhjort/venvs/flair015/lib/python3.11/site-packages/huggingface_hub/file_download.py:795: FutureWarning: "
        "`resume_download` is deprecated and will be removed in version 1.0.0.",
        "  warnings.warn(",
        "0it [00:00, ?it/s]",
        "1it [00:00, 5190.97it/s]",
        "13286it [00:02, 6380.44it/s]",
    ]
    for _ in range(3):
        err.append(
            "\r".join(
                f"{k * 10:3d}%|{bar(k, 10)}| {int(k * 9.3)}/93 [{span(k * 1.36)}<{span(13.6 - k * 1.36)},  6.8it/s]"
                for k in range(11)
            )
        )
    put(place / "kirkebog.err", err)


def c05_burrow(place: Path, rng: Random) -> None:
    """A world-model agent on a scavenger partition, put back in the queue once and taken up again."""
    clock = Clock("2026-06-02T14:10:51")
    out: list[str] = []
    err: list[str] = []

    def say(text: str, wait: float = 0.0) -> None:
        clock.go(wait)
        out.append(f"[{clock.say('%Y-%m-%d %H:%M:%S')}] {text}")

    def prologue(node: str, count: int) -> None:
        say("-------------------------------------------------------------")
        say(f" MARMOT prologue  job=3300871 node={node} part=scavenge restarts={count}")
        say(" Maintenance: 2026-06-16 07:00-19:00, all nodes. Mail hpc@marmot.example")
        say(" /flash usage 61% | your group 'rl-burrow' 812 GiB of 2 TiB", 1)
        say("-------------------------------------------------------------")
        say("loading modules: cuda/12.6 cudnn/9.3 apptainer/1.3.4", 2)
        say("$ apptainer exec --nv burrow.sif python dreamerv3/main.py --configs crafter size50m --run.steps 1.3e6", 1)
        say("---- Dreamer v3 ----", 9)
        say("Replay size 1e6, batch 16x64, train ratio 512, logdir /flash/rl-burrow/crafter_dig/07")
        say("JAX devices (1): [CudaDevice(id=0)]", 6)
        say("Policy devices: cuda:0  Train devices: cuda:0")
        say("Optimizer opt has 47,319,104 params.", 14)
        err.append("INFO:    underlay of /etc/localtime required more than 50 (94) bind mounts")
        err.append("ALSA lib confmisc.c:855:(parse_card) cannot find card '0'")
        err.append(
            "/opt/venv/lib/python3.11/site-packages/gym/spaces/box.py:127: UserWarning: Box bound precision "
            "lowered by "
            "casting to float32"
        )
        err.append('  logger.warn(f"Box bound precision lowered by casting to {self.dtype}")')

    def report(step: int) -> None:
        at = step / 1.3e6
        score = max(-0.9, noisy(rng, 0.4 + 12.4 * (1 - math.exp(-2.6 * at)), 0.16))
        say(f"──────────────── Step {step} ────────────────", noisy(rng, 88.5, 0.01))
        say(
            f"episode/score {score:.1f} / episode/length {int(noisy(rng, 150 + 160 * at, 0.2))} / "
            f"train/loss/image {noisy(rng, fall(step, 2140, 92, 41000), 0.03):.2f} / "
            f"train/loss/rew {noisy(rng, fall(step, 0.31, 0.052, 70000), 0.04):.3f} / "
            f"train/loss/dyn {noisy(rng, fall(step, 14.1, 5.1, 90000), 0.03):.2f} / "
            f"train/loss/policy {rng.gauss(0.0, 0.02) - 0.11:.3f} / train/opt/grad_norm {noisy(rng, 3.1, 0.2):.2f} / "
            f"fps/policy {noisy(rng, 33.6, 0.02):.1f} / fps/train {noisy(rng, 17200, 0.02):.0f}"
        )

    prologue("mar-gpu-18", 0)
    say("Did not find any checkpoint.")
    say("Writing checkpoint: /flash/rl-burrow/crafter_dig/07/ckpt")
    say("Start training loop", 31)
    step = 0
    for turn in range(1, 229):
        step = turn * 2960 + rng.randint(-20, 20)
        report(step)
        if turn % 10 == 0:
            say("Wrote checkpoint: /flash/rl-burrow/crafter_dig/07/ckpt", 4)
            kept, saved = turn, step
    clock.go(17)
    err.append(
        f"slurmstepd: error: *** JOB 3300871 ON mar-gpu-18 CANCELLED AT {clock.say('%Y-%m-%dT%H:%M:%S')} "
        "DUE TO PREEMPTION ***"
    )
    clock.go(5207)
    prologue("mar-gpu-05", 1)
    say("Found existing checkpoint.")
    say("Loading checkpoint: /flash/rl-burrow/crafter_dig/07/ckpt")
    say(f"Loaded checkpoint (step {saved}), replay holds {saved} steps in 684 chunks", 48)
    say("Start training loop", 27)
    for turn in range(kept + 1, 440):
        report(turn * 2960 + rng.randint(-20, 20))
        if turn % 10 == 0:
            say("Wrote checkpoint: /flash/rl-burrow/crafter_dig/07/ckpt", 4)
    report(1300016)
    say("Wrote checkpoint: /flash/rl-burrow/crafter_dig/07/ckpt", 4)
    say("Reached run.steps, closing environments.")
    say("MARMOT epilogue  job=3300871 rc=0  have a nice day", 6)
    put(place / "burrow-3300871.out", out)
    put(place / "burrow-3300871.err", err)


def c06_radio(place: Path, rng: Random) -> None:
    """A transducer for distress-radio speech; the batches come far slower than they are used."""
    clock = Clock("2026-02-22T21:40:03.015")

    def say(where: str, text: str, wait: float = 0.02, level: str = "INFO") -> str:
        clock.go(wait)
        return f"{clock.say('%Y-%m-%d %H:%M:%S', milli=',')} {level} [{where}] {text}"

    out = [
        say("train.py:1126", "Training started"),
        say("train.py:1136", "Device: cuda:0"),
        say(
            "train.py:1148",
            "{'frame_shift_ms': 10.0, 'log_interval': 25, 'valid_interval': 600, 'feature_dim': 80, "
            "'subsampling_factor': 4, 'warm_step': 2000, 'bpe_model': 'data/lang_bpe_500/bpe.model', 'base_lr': 0.045, "
            "'max_duration': 480, 'num_workers': 1, 'on_the_fly_feats': True, 'input_strategy': 'OnTheFlyFeatures', "
            "'exp_dir': 'zipformer/exp-mayday', 'manifest_dir': '/mnt/tape-gw/mayday/fbank', 'vocab_size': 500}",
        ),
        say("train.py:1150", "About to create model", 0.4),
        say("train.py:1154", "Number of model parameters: 65549011", 1.9),
        say(
            "asr_datamodule.py:392",
            "About to get train cuts: mayday_crash, mayday_fire, mayday_sinking, man_overboard",
            0.8,
        ),
        say("asr_datamodule.py:218", "Enable MUSAN"),
        say("asr_datamodule.py:251", "Enable SpecAugment"),
        say("asr_datamodule.py:276", "Using DynamicBucketingSampler."),
        say("train.py:1232", "Excluded 17 cuts: too short ('abort', 'killed', 'fire!')", 21.0),
        say("train.py:1346", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.", 2.2),
        say("train.py:1374", "Maximum memory allocated so far is 15116MB", 66.0),
    ]
    err = [
        "/opt/icefall/venv/lib/python3.11/site-packages/lhotse/dataset/sampling/dynamic_bucketing.py:161: "
        "UserWarning: You are "
        "using DynamicBucketingSampler with an eagerly read CutSet.",
        "  warnings.warn(",
    ]
    batch, epoch = 0, 1
    for point in range(214):
        if point == 121:
            epoch, batch = 2, 0
        loss = noisy(rng, fall(point, 7.6, 0.318, 16), 0.03)
        total = fall(point, 7.7, 0.33, 17)
        wait = max(31.0, noisy(rng, 118.0, 0.31)) if point else 40.0
        busy = noisy(rng, 8.9, 0.03)
        out.append(
            say(
                "train.py:1035",
                f"Epoch {epoch}, batch {batch}, loss[loss={loss:.4f}, simple_loss={loss * 1.21:.4f}, "
                f"pruned_loss={loss * 0.78:.4f}, over {rng.randint(9400, 11900)}.00 frames. ], "
                f"tot_loss[loss={total:.4f}, "
                f"simple_loss={total * 1.2:.4f}, pruned_loss={total * 0.79:.4f}, over {min(1 + point, 60) * 36211}.17 "
                f"frames. ], "
                f"batch size: {rng.randint(24, 61)}, lr: "
                f"{0.045 * min(1, 0.5 + point / 160) * (1 + point / 60) ** -0.5:.2e}, "
                f"grad_scale: {'8.0' if point < 60 else '16.0'}",
                wait + busy,
            )
        )
        if point:
            out.append(
                say(
                    "timing.py:57",
                    f"last 25 batches: wall {wait + busy:.1f}s = next(train_dl) {wait:.1f}s + "
                    f"forward/backward/step {busy:.1f}s; longest single fetch "
                    f"{wait * rng.uniform(0.11, 0.3):.1f}s; "
                    f"mean gpu busy {busy / (wait + busy) * 88:.0f}%",
                )
            )
        if point % 24 == 23:
            out.append(say("train.py:1064", "Computing validation loss"))
            out.append(
                say(
                    "train.py:1073",
                    f"Epoch {epoch}, validation: loss={total * 1.09:.4f}, "
                    f"simple_loss={total * 1.3:.4f}, pruned_loss={total * 0.86:.4f}, over 944034.00 frames. "
                    f"",
                    190,
                )
            )
        if rng.random() < 0.12:
            word = rng.choice(["mayday_sinking-0417-fatal", "mayday_fire-1180-panic", "mayday_crash-0033-dead_engine"])
            err.append(
                f"{clock.say('%Y-%m-%d %H:%M:%S')} lhotse.audio: opening {word}.flac took "
                f"{wait * rng.uniform(0.05, 0.11):.1f}s "
                "(/mnt/tape-gw)"
            )
        batch += 25
        if point == 120:
            out.append(say("checkpoint.py:75", "Saving checkpoint to zipformer/exp-mayday/epoch-1.pt", 1.0))
    out.append(say("checkpoint.py:75", "Saving checkpoint to zipformer/exp-mayday/epoch-2.pt", 1.0))
    out.append(say("train.py:1320", "Done!", 0.8))
    put(place / "mayday-train.log", out)
    put(place / "mayday-train.err", err)
