"""Curves c07 to c12.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.fortyfirst.cu_help import Clock, bar, fall, noisy, put, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c07_lichen(place: Path, rng: Random) -> None:
    """Images and captions of herbarium sheets; a shard that cannot be read and a failed upload, both got over."""
    clock = Clock("2026-04-08T06:12:31")

    def say(text: str, wait: float = 0.0, level: str = "INFO") -> str:
        clock.go(wait)
        return f"{clock.say('%Y-%m-%d,%H:%M:%S')} | {level} | {text}"

    samples, batch, epochs = 1228800, 1536, 6
    lines = [
        say(
            "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 4."
        ),
        say("Loaded ViT-S-16 model config.", 1),
        say("Model:", 5),
        say("CLIP(...)"),
        say("Params:"),
        say("  accum_freq: 1"),
        say("  aug_cfg: {'scale': (0.6, 1.0)}"),
        say("  batch_size: 384"),
        say("  dataset_type: webdataset"),
        say("  delete_previous_checkpoint: False"),
        say("  epochs: 6"),
        say("  log_every_n_steps: 25"),
        say("  lr: 0.0008"),
        say("  model: ViT-S-16"),
        say("  name: lichen_s16_r3"),
        say("  precision: amp_bf16"),
        say("  remote_sync: s3://bryo-lab/clip"),
        say("  remote_sync_frequency: 840"),
        say("  train_data: /data/herb/sheets-{0000..0255}.tar"),
        say("  train_num_samples: 1228800"),
        say("  val_data: /data/herb/val-{00..07}.tar"),
        say("  wd: 0.2"),
        say("  workers: 6"),
        say("  world_size: 4"),
    ]
    per = samples // batch
    done = 0
    scale = 14.286
    for epoch in range(epochs):
        lines.append(say(f"Start epoch {epoch}", 2))
        total, count = 0.0, 0
        for at in [0, *range(24, per, 25)]:
            done = epoch * per + at
            loss = noisy(rng, fall(done, 5.95, 0.71, 620), 0.022)
            total, count = total + loss, count + 1
            scale = 14.286 + 31.0 * (1 - math.exp(-done / 2400))
            took = noisy(rng, 0.742, 0.012)
            rate = 4e-4 * (1 + math.cos(math.pi * max(0, done - 500) / (epochs * per - 500))) * min(1, done / 500)
            seen = (at + 1) * batch
            lines.append(
                say(
                    f"Train Epoch: {epoch} [{seen:>7}/{samples} ({100 * seen / samples:.0f}%)] "
                    f"Data (t): {noisy(rng, 0.031, 0.1):.3f} Batch (t): {took:.3f}, {batch / took:.3f}/s, "
                    f"{batch / took / 4:.4f}/s/gpu LR: {rate:.6f} Logit Scale: {scale:.3f} "
                    f"Contrastive_loss: {loss:#.5g} ({total / count:#.5g}) Loss: {loss:#.5g} ({total / count:#.5g})",
                    took * 25,
                )
            )
            if epoch == 2 and at == 349:
                lines.append(
                    say(
                        "Handling webdataset error (ReadError('unexpected end of data @ <_io.BufferedReader "
                        "name=\\'/data/herb/sheets-0173.tar\\'>')). Ignoring.",
                        3,
                        "WARNING",
                    )
                )
            if epoch == 3 and at == 524:
                lines.append(
                    say(
                        "Error: Failed to sync with S3 bucket upload failed: "
                        "../logs/lichen_s16_r3/checkpoints/epoch_3.pt to "
                        "s3://bryo-lab/clip/lichen_s16_r3/checkpoints/epoch_3.pt Could not connect to the endpoint URL",
                        4,
                        "ERROR",
                    )
                )
                lines.append(say("remote sync failed, will try again in 840 s."))
            if epoch == 4 and at == 774:
                lines.append(say("Successfully synced with S3 bucket"))
                lines.append(say("remote sync successful."))
        good = 1 - math.exp(-(epoch + 1) / 2.6)
        lines.append(
            say(
                f"Eval Epoch: {epoch + 1} image_to_text_mean_rank: {190 - 168 * good:.4f}\timage_to_text_median_rank: "
                f"{max(2, 21 - 19 * good):.4f}\timage_to_text_R@1: {0.47 * good:.4f}\timage_to_text_R@5: "
                f"{0.74 * good:.4f}\t"
                f"text_to_image_R@1: {0.455 * good:.4f}\ttext_to_image_R@5: {0.73 * good:.4f}\t"
                f"clip_val_loss: {fall(done, 5.95, 0.83, 640):.4f}\tepoch: {epoch + 1}.0000\t"
                f"num_samples: 9600.0000",
                41,
            )
        )
    lines.append(say("Starting remote sync: final sync."))
    lines.append(say("Successfully synced with S3 bucket", 26))
    lines.append(say("Final remote sync successful."))
    lines.append(say("lichen_s16_r3: 6 epochs done, best image_to_text_R@1 at epoch 6"))
    put(place / "out.log", lines)


def c08_korpus(place: Path, rng: Random) -> None:
    """A sentence encoder for Polish tenders; the start of the log was cut off, a tokenizer warns all the time."""
    whole, first = 7420, 1180
    clock = Clock("2026-02-11T12:20:00")
    lines: list[str] = []
    loud = (
        "Asking to truncate to max_length but no maximum length is provided and the model has no predefined maximum "
        "length. "
        "Default to no truncation."
    )
    lines.append("e model has no predefined maximum length. Default to no truncation.")
    spent = first * 0.318
    clock.go(spent)
    sums: list[float] = []
    for step in range(first, whole + 1, 20):
        spent += noisy(rng, 6.36, 0.02)
        loss = noisy(rng, fall(step, 2.74, 0.238, 820), 0.04)
        sums.append(loss)
        shown = (
            f"{step * 100 // whole:3d}%|{bar(step, whole)}| {step}/{whole} "
            f"[{span(spent)}<{span((whole - step) * 0.318)}, "
        )
        if step % 100 == 0:
            lines.append(f"\r{shown} {noisy(rng, 3.14, 0.01):.2f}it/s]")
        if step % 40 == 0:
            rate = 2e-5 * (whole - step) / (whole * 0.9)
            lines.append(
                f"{{'loss': {loss:.4f}, 'grad_norm': {noisy(rng, 1.2 + 3.1 * loss, 0.15):.6f}, "
                f"'learning_rate': {rate:.10g}, 'epoch': {2 * step / whole:.2f}}}"
            )
        if step % 60 == 40:
            lines.append(loud)
        if step % 1000 == 0:
            score = 0.885 - 0.2 * math.exp(-step / 1900)
            lines.append(
                f"{{'eval_loss': {noisy(rng, fall(step, 2.7, 0.27, 830), 0.01):.6f}, "
                f"'eval_przetargi-dev_cosine_accuracy': {score:.6f}, 'eval_runtime': {noisy(rng, 38.2, 0.01):.4f}, "
                f"'eval_samples_per_second': 209.4, 'eval_steps_per_second': 6.544, 'epoch': {2 * step / whole:.2f}}}"
            )
            spent += 38
    lines.append(
        f"{{'train_runtime': {spent:.4f}, 'train_samples_per_second': {whole * 64 / spent:.3f}, "
        f"'train_steps_per_second': {whole / spent:.3f}, 'train_loss': {0.09 + sum(sums) / len(sums):.6f}, 'epoch': "
        f"2.0}}"
    )
    lines.append(f"\r100%|██████████| {whole}/{whole} [{span(spent)}<00:00,  {whole / spent:.2f}it/s]")
    lines.append(loud)
    lines.append("2026-02-11 13:09:40 - TripletEvaluator: Evaluating the model on the przetargi-test dataset:")
    lines.append("2026-02-11 13:10:19 - Accuracy Cosine Similarity:\t88.14%")
    lines.append("2026-02-11 13:10:19 - Save model to models/przetargi-mpnet/final")
    lines.append("2026-02-11 13:10:22 - koniec: 2 epoki, 7420 krokow")
    put(place / "trening.log", lines)


def c09_verdict(place: Path, rng: Random) -> None:
    """A reward model for legal summaries; it stops by its own rule when the held-out pairs gain no more."""
    clock = Clock("2026-05-27T10:03:18")

    def stamp(wait: float = 0.0) -> str:
        clock.go(wait)
        return clock.say("%Y-%m-%d %H:%M:%S", milli=",")

    lines = [
        f"[{stamp()}] [INFO] [real_accelerator.py:239:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        f"[{stamp(6)}] [INFO] [runner.py:607:main] cmd = python -u -m --save_path ./ckpt/rm_juris "
        "--train_batch_size 192 --micro_train_batch_size 6 --max_epochs 1 --max_len 3072 --eval_steps 4 --zero_stage 3 "
        "--learning_rate 7e-6 --early_stop_metric acc_mean --early_stop_patience 3 --early_stop_min_delta 0.002",
        "RewardModel(...)",
        "dataset: juris-abstract-pairs",
        "loaded juris-abstract-pairs from files, train 14976 pairs, eval 1104 pairs",
        f"[{stamp(71)}] [INFO] [utils.py:782:see_memory_usage] MA 9.41 GB         Max_MA 9.41 GB         CA 10.2 GB",
        "Train epoch:   0%|          | 0/1 [00:00<?, ?it/s]",
    ]
    whole, spent = 78, 0.0
    best, stale, best_step = 0.0, 0, 0
    for step in range(1, 49):
        spent += noisy(rng, 33.4, 0.02)
        clock.go(33.4)
        loss = noisy(rng, fall(step, 0.716, 0.338, 9.5), 0.03)
        acc = min(0.95, max(0.4, 0.86 - 0.37 * math.exp(-step / 10) + rng.gauss(0, 0.018)))
        gap = 2.1 * (1 - math.exp(-step / 14))
        rate = 7e-6 * min(1, step / 3) * (0.55 + 0.45 * math.cos(math.pi * step / whole))
        lines.append(
            f"Train step of epoch 0: {step * 100 // whole:3d}%|{bar(step, whole)}| {step}/{whole} [{span(spent)}<"
            f"{span((whole - step) * 33.4)}, {noisy(rng, 33.4, 0.01):.2f}s/it, loss={loss:.4f}, acc={acc:.3f}, "
            f"chosen_reward={gap * 0.56 + rng.gauss(0, 0.05):.3f}, "
            f"reject_reward={-gap * 0.44 + rng.gauss(0, 0.05):.3f}, "
            f"loss_mean={fall(step, 0.72, 0.345, 10):.4f}, acc_mean={0.85 - 0.36 * math.exp(-step / 11):.3f}, "
            f"lr={rate:.2e}]"
        )
        if step % 4 == 0:
            held = 0.8391 - 0.33 * math.exp(-step / 7.5) + (rng.uniform(-0.004, 0.0) if step > 36 else 0.0)
            clock.go(58)
            spent += 58
            lines.append(
                f"Eval stage of steps {step}: 100%|██████████| 46/46 [00:58<00:00,  1.26s/it, "
                f"eval_loss={fall(step, 0.71, 0.352, 9.8):.4f}, acc_mean={held:.4f}, reward_mean={gap * 0.06:.3f}, "
                f"reward_std={0.31 + gap * 0.4:.3f}]"
            )
            if held > best + 0.002:
                best, stale, best_step = held, 0, step
                lines.append(f"[{stamp()}] [early_stop] acc_mean {held:.4f} is new best, tag global_step{step} saved")
            else:
                stale += 1
                lines.append(f"[{stamp()}] [early_stop] acc_mean {held:.4f}, best {best:.4f}, patience {stale}/3")
            if stale == 3:
                break
    lines += [
        f"[{stamp()}] [early_stop] no gain of 0.002 in 3 evaluations: stopping at step {step} as configured",
        f"[{stamp(2)}] [early_stop] loading tag global_step{best_step} for the final model",
        "Train epoch: 100%|██████████| 1/1 [" + span(spent) + f"<00:00, {spent:.2f}s/it]",
        f"[{stamp(44)}] [INFO] saved reward model and tokenizer to ./ckpt/rm_juris (value_head, mean 0.12 std 1.31)",
        f"[{stamp(9)}] [INFO] [launch.py:351:main] Process 48213 exits successfully.",
        f"[{stamp()}] [INFO] [launch.py:351:main] Process 48214 exits successfully.",
        f"[{stamp(1)}] [INFO] [launch.py:351:main] Process 48216 exits successfully.",
        f"[{stamp()}] [INFO] [launch.py:351:main] Process 48215 exits successfully.",
    ]
    put(place / "rm_juris.log", lines)


def c10_district(place: Path, rng: Random) -> None:
    """A forecaster of district heating; both files end at the same step, no line and no file says why."""
    out = [
        "##############################################################",
        "#  Fjernvarme compute  -  be careful: /work is not backed up  #",
        "#  tickets: fv-hpc@example.org      planned downtime: none    #",
        "##############################################################",
        "quota: /home 71% used   /work 38% used",
        "bash: warning: setlocale: LC_ALL: cannot change locale (nb_NO.UTF-8)",
        "(base) conda: activating env nf-heat",
        "+ export NIXTLA_ID_AS_COL=1",
        "+ export OMP_NUM_THREADS=8",
        "+ python heat_nhits.py --series 2214 --horizon 72 --max-steps 1500",
        "Seed set to 17",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name         | Type          | Params | Mode ",
        "-------------------------------------------------------",
        "0 | loss         | MQLoss        | 5      | train",
        "1 | padder_train | ConstantPad1d | 0      | train",
        "2 | scaler       | TemporalNorm  | 0      | train",
        "3 | blocks       | ModuleList    | 3.9 M  | train",
        "-------------------------------------------------------",
        "3.9 M     Trainable params",
        "5         Non-trainable params",
        "3.9 M     Total params",
        "15.708    Total estimated model params size (MB)",
        "heat_nhits: input 336 h, horizon 72 h, exog: outdoor_temp wind holiday",
    ]
    rows = ["epoch,step,train_loss_step,train_loss_epoch,ptl/val_loss,lr-Adam"]
    for step in range(1, 1064):
        loss = noisy(rng, fall(step, 0.684, 0.0917, 88), 0.045)
        epoch = (step - 1) // 70
        value = f"{noisy(rng, fall(step, 0.661, 0.1034, 90), 0.012):.5f}" if step % 50 == 0 else ""
        rate = 1e-3 * 0.5 ** ((step - 1) // 500)
        out.append(
            f"step={step}/1500 epoch={epoch} v_num=4 "
            f"train_loss_step={loss:.4f}" + (f" valid_loss={value}" if value else "")
        )
        rows.append(f"{epoch},{step - 1},{loss:.6f},,{value},{rate:g}")
        if step in {212, 640, 871}:
            out.append("[fv-motd] reminder: use /scratch for temporary files, not /tmp")
        if step == 433:
            out.append("[fv-motd] the coffee machine on floor 2 works again")
    put(place / "heat_nhits.log", out)
    put(place / "metrics.csv", rows)


def c11_tern(place: Path, rng: Random) -> None:
    """A small decoder on web text, without stamps, to its planned end."""

    def say(text: str, rank: str = "DP=0|PP=0|TP=0") -> str:
        return f"[INFO|{rank}|tern-b3]: {text}"

    whole, tokens = 340, 786432
    lines = [
        say("Config:"),
        say(
            "Config(general=GeneralArgs(project='tern', run='tern-310m-fw', seed=6, step=None, "
            "consumed_train_samples=None),"
        ),
        say("       parallelism=ParallelismArgs(dp=8, pp=1, tp=1, pp_engine='1f1b', tp_mode='REDUCE_SCATTER'),"),
        say(
            "       tokens=TokensArgs(sequence_length=2048, train_steps=340, micro_batch_size=12, "
            "batch_accumulation_per_replica=4, val_check_interval=-1),"
        ),
        say("       checkpoints=CheckpointsArgs(checkpoints_path='/fsx/tern/ckpt', checkpoint_interval=170))"),
        say("Model Config:"),
        say(
            "LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=18, num_attention_heads=16, "
            "num_key_value_heads=4, vocab_size=49152)"
        ),
        say("Building model.."),
        say("Initialize RoPE Theta = 10000"),
        say("Setting PP block ranks..."),
        say("Total number of parameters: 311M (593.18MiB)"),
        say("Local number of parameters: 311M (593.18MiB)"),
        say("[After model building] Memory usage: 594.20MiB. Peak allocated: 600.11MiB Peak reserved: 624.00MiB"),
        say("No checkpoint path provided."),
        say("Parametrizing model parameters using StandardParametrizator"),
        say("[Optimizer Building] Using LearningRateForSP as learning rate"),
        say("[ZeRO sharding] Size of optimizer params per rank:"),
        *[
            say(f"[ZeRO sharding] DP Rank {rank} has 38.9M out of 311M (12.50%) params' optimizer states")
            for rank in range(8)
        ],
        say("Using dummy data generator: no; dataset fw-edu-tern, 9.2B tokens"),
        say("[Training Plan] There are 1 training stages "),
        say("[Stage Stable] start from step 1 "),
        say(
            "[Start training] datetime: - | mbs: 12 | grad_accum: 4 | global_batch_size: 384 | sequence_length: 2048 | "
            "train_steps: 340 | start_iteration_step: 0 | consumed_train_samples: 0"
        ),
    ]
    lines[-1] = lines[-1].replace("datetime: - | ", "")
    for step in range(1, whole + 1):
        loss = noisy(rng, fall(step, 11.02, 3.52, 46), 0.006)
        rate = 6e-4 * (step / 30 if step <= 30 else 0.1 + 0.45 * (1 + math.cos(math.pi * (step - 30) / (whole - 30))))
        speed = noisy(rng, 672, 0.006) if step > 1 else 91.0
        flops = speed / 672 * 187
        seen = step * tokens / 1e6
        lines.append(
            say(
                f"iteration: {step} / {whole} | consumed_tokens: {seen:.3g}M | tokens_per_sec: {speed:.0f}K | "
                f"tokens_per_sec_per_gpu: {speed / 8:.3g}K | global_batch_size: 384 | lm_loss: {loss:.3g} | lr: "
                f"{rate:.3g} | "
                f"model_tflops_per_gpu: {flops:.3g} | hardware_tflops_per_gpu: {flops:.3g} | "
                f"grad_norm: {noisy(rng, 0.42 + 5.5 * math.exp(-step / 22), 0.1):.3g} | cuda_memory_allocated: 2.31G | "
                f"cuda_max_memory_reserved: 41.7G"
            )
        )
        if step % 170 == 0:
            lines.append(say(f"Saving checkpoint at /fsx/tern/ckpt/{step}", "DP=0|PP=0|TP=0"))
            lines.append(say(f"Saved checkpoint {step}, latest.txt updated"))
    lines.append(say("Training finished: 340 / 340 steps"))
    put(place / "tern-310m-fw.log", lines)


def c12_quarry(place: Path, rng: Random) -> None:
    """A segmenter of drone views in tables of its own; the job met its limit with a third of the plan undone."""
    head = "┏━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┓"
    rule = "┡━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━┩"
    foot = "└───────┴───────────┴──────────┴──────────┴──────────┘"
    loud = (
        "!!! WARNING !!! rasterio: tile has no georeference, identity matrix returned "
        "(NotGeoreferencedWarning) -- ignoring, masks are pixel-aligned"
    )
    lines = [
        "╭──────────────── quarry-seg 2.4 ─────────────────╮",
        "│ model      SegNeXt-B, 5 classes                 │",
        "│ tiles      18 406 train / 2 110 held out        │",
        "│ plan       60 rounds x 30 reports, batch 20     │",
        "│ optimiser  AdamW 1.2e-4, poly decay             │",
        "│ device     1 x NVIDIA RTX A6000                 │",
        "╰─────────────────────────────────────────────────╯",
        "fresh start, no earlier weights in runs/quarry_24",
    ]
    done = 0
    for turn in range(1, 61):
        lines += [f"Round {turn} of 60", head, "┃ rep   ┃ dice loss ┃ CE loss  ┃ mIoU run ┃ lr       ┃", rule]
        for report in range(1, 31):
            done += 1
            dice = noisy(rng, fall(done, 0.802, 0.148, 130), 0.03)
            cross = noisy(rng, fall(done, 1.588, 0.203, 120), 0.035)
            rate = 1.2e-4 * (1 - done / 1800) ** 0.9
            lines.append(
                f"│ {report:>2}/30 │ {dice:>9.4f} │ {cross:>8.4f} │ {min(0.9, 0.93 - dice * 0.98):>8.3f} │ "
                f"{rate:>8.2e} │"
            )
            if rng.random() < 0.11:
                lines.append(loud)
            if done == 1119:
                break
        if done == 1119:
            break
        lines += [
            foot,
            f"held-out mIoU {0.79 - 0.45 * math.exp(-turn / 7) + rng.gauss(0, 0.004):.4f}  -> weights "
            f"kept in "
            f"runs/quarry_24/round_{turn:02d}.pt",
        ]
    put(place / "quarry_24.log", lines)
    put(
        place / "sacct.txt",
        [
            "       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode  Timelimit    Elapsed       "
            " NodeList ",
            "------------ ---------- ---------- ---------- ---------- ---------- -------- ---------- ---------- "
            "--------------- ",
            "904417       quarry_24         vis     geolab         12    TIMEOUT      0:0   09:30:00   09:30:14       "
            "   vis-03 ",
            "904417.batch      batch                geolab         12  CANCELLED     0:15              09:30:16       "
            "   vis-03 ",
            "904417.exte+     extern                geolab         12  COMPLETED      0:0              09:30:14       "
            "   vis-03 ",
        ],
    )
