"""SIMULATED curves c01 to c06: what jobs left behind, computed and never recorded."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.thirtysixth.ticking import Clock, Noise, Pod, bar, falling, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_kiwi(place: Path, rng: Random) -> None:
    clock = Clock("2026-03-09T06:41:17.204", rng)
    pod = Pod(clock)

    def info(target: str, text: str, after: float = 0.0, level: str = " INFO") -> None:
        if after:
            clock.on(after)
        pod.put(f"{clock.now:%Y-%m-%dT%H:%M:%S.%f}Z {level} {target}: {text}")

    pod.put("+ nvidia-smi -L")
    pod.put("GPU 0: NVIDIA A30 (UUID: GPU-5b0c3f1e-9a71-7f20-4b13-0d6c2b7e1a95)", 0.8)
    pod.put("+ exec /app/rijpheid-train --config /conf/kiwi_v3.toml --out /out/kiwi_v3")
    info("rijpheid_train", "rijpheid-train 0.9.2 (3f1c9ab), burn 0.17.1, backend Autodiff<Cuda<f32, i32>>", 0.3)
    info(
        "rijpheid_train::conf",
        "TrainConf { seed: 7, epochs: 32, batch: 128, lr: 0.003, lr_min: 3e-5, warmup: 500, weight_decay: 0.01, clip: None, workers: 6 }",
    )
    info(
        "rijpheid_train::data",
        "train: 48210 beelden in 10 rijpheidsklassen, valid: 6032 beelden (/data/kiwi/v3, 2.9 GB in RAM)",
        21,
    )
    info("rijpheid_train::model", "ResNet-18 variant, 11181642 parameters")
    info("cubecl_cuda::compute::storage", "pool: sub-slices, max page 2.0 GiB", 1.1)
    info("cubecl_runtime::tune", "autotune: 41 keys, cache cold, this takes a moment", 0.4)
    per, epochs = 377, 32
    wiggle, reach = Noise(rng, 0.03), 0.0
    dead_at = 9 * per + rng.randint(80, 240)
    for epoch in range(1, epochs + 1):
        for batch in (100, 200, 300, 377):
            step = (epoch - 1) * per + batch
            lr = 0.003 * min(1.0, step / 500)
            if step > 500:
                lr = 3e-5 + (0.003 - 3e-5) * 0.5 * (1 + math.cos(math.pi * (step - 500) / (epochs * per - 500)))
            if step < dead_at:
                loss = falling(step, 2.42, 0.52, 1300) + wiggle.next()
                grad = abs(rng.gauss(1.7, 0.4)) + 0.3
                acc = min(0.93, max(0.1, 1 - loss / 2.55 + rng.gauss(0, 0.012)))
            elif not reach:
                reach, loss, grad, acc = 1.0, rng.uniform(36, 58), rng.uniform(700, 1900), 0.131
            else:
                reach += 1
                loss = math.log(10) + abs(rng.gauss(0, 0.0011)) + 0.9 * math.exp(-reach)
                grad = abs(rng.gauss(0.0021, 0.0007))
                acc = 0.1 + rng.gauss(0, 0.004)
            took = 100 if batch != 377 else 77
            speed = rng.gauss(1874, 22) if not (epoch == 1 and batch == 100) else 911.0
            clock.on(took * 128 / speed, 0.01)
            info(
                "rijpheid_train::lus",
                f"ep {epoch}/{epochs} batch {batch}/{per} loss {loss:.4f} acc {acc:.3f} |g| {grad:.4f} lr {lr:.3e} {speed:.0f} img/s",
            )
        vloss = loss + rng.gauss(0.06, 0.02) if reach < 1 else math.log(10) + 0.0004
        vacc = acc - abs(rng.gauss(0.012, 0.006)) if reach < 1 else (0.1012 if epoch > 10 else 0.1046)
        info("rijpheid_train::lus", f"ep {epoch}/{epochs} valid loss {vloss:.4f} acc {vacc:.4f} (6032 beelden)", 1.9)
        if epoch % 4 == 0:
            info("rijpheid_train::bewaar", f"/out/kiwi_v3/model-{epoch:03d}.mpk.gz (42.1 MB)", 0.6)
    info("rijpheid_train", f"klaar: {epochs} epochs in {span(clock.elapsed())}", 0.5)
    pod.write(place / "kiwi-v3-train-8dk2r.log")


def c02_terrier(place: Path, rng: Random) -> None:
    clock = Clock("2026-02-21T20:14:03", rng)
    total, stop = 3200, 2613
    place.joinpath("terrier.log").write_text(
        "== terrier / sks run 6 / box: kellerkiste ==\n"
        "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-e2b41c7a-1f0b-4e7d-a9d1-60f2d8b5ab11)\n"
        "\x1b[1m\x1b[32m[ok]\x1b[0m 14 instance images, 200 class images (reused from run 4)\n"
        "\x1b[1m\x1b[32m[ok]\x1b[0m venv /home/jo/venvs/db, diffusers 0.32.2, accelerate 1.3.0, torch 2.6.0+cu124\n"
        "accelerate launch train_dreambooth.py --pretrained_model_name_or_path=stable-diffusion-v1-5/stable-diffusion-v1-5 "
        "--instance_data_dir=terrier/inst --class_data_dir=terrier/class --output_dir=out/terrier6 --with_prior_preservation "
        '--prior_loss_weight=1.0 --instance_prompt="a photo of sks terrier" --class_prompt="a photo of a terrier" '
        "--train_text_encoder --resolution=512 --train_batch_size=1 --gradient_checkpointing --learning_rate=2e-6 "
        "--lr_scheduler=constant --lr_warmup_steps=0 --num_class_images=200 --max_train_steps=3200 --checkpointing_steps=800 "
        '--validation_prompt="sks terrier on the moon" --validation_steps=800 --report_to=wandb --seed=11 --push_to_hub\n'
        "{'variance_type', 'clip_sample_range', 'sample_max_value', 'timestep_spacing', 'prediction_type', 'thresholding'} "
        "was not found in config. Values will be initialized to default values.\n"
        "{'shift_factor', 'latents_mean', 'use_quant_conv', 'mid_block_add_attention'} was not found in config. "
        "Values will be initialized to default values.\n",
        encoding="utf-8",
    )
    out: list[str] = []

    def log(text: str, name: str = "__main__", after: float = 0.0) -> None:
        clock.on(after) if after else None
        out.append(f"{clock.say('%m/%d/%Y %H:%M:%S')} - INFO - {name} - {text}\n")

    clock.on(9)
    log(
        "Distributed environment: NO\nNum processes: 1\nProcess index: 0\nLocal process index: 0\nDevice: cuda\n\nMixed precision type: fp16\n"
    )
    url = "https://huggingface.co/stable-diffusion-v1-5/stable-diffusion-v1-5/resolve/main/model_index.json"
    out.append(
        "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. (read timeout=10)\"), "
        f"'(Request ID: 5d0c1a3e-7c42-4e55-8f0d-2f0f1f3f7d9a)')' thrown while requesting HEAD {url}\n"
        "Retrying in 1s [Retry 1/5].\n"
    )
    clock.on(11)
    out.append(
        "You have disabled the safety checker for <class 'diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion.StableDiffusionPipeline'> by passing `safety_checker=None`.\n"
    )
    blue = "\x1b[34m\x1b[1mwandb\x1b[0m: "
    out.extend(
        (
            f"{blue}Currently logged in as: \x1b[33mjo-halden\x1b[0m to \x1b[32mhttps://api.wandb.ai\x1b[0m. Use \x1b[1m`wandb login --relogin`\x1b[0m to force relogin\n",
            f"{blue}Tracking run with wandb version 0.19.6\n",
            f"{blue}Run data is saved locally in \x1b[35m\x1b[1m/home/jo/db/wandb/run-20260221_201431-t0q8xk2m\x1b[0m\n",
            f"{blue}Syncing run \x1b[33mcosmic-terrier-6\x1b[0m\n",
        )
    )
    clock.on(6)
    log("***** Running training *****")
    for line in (
        "Num examples = 200",
        "Num batches each epoch = 200",
        "Num Epochs = 16",
        "Instantaneous batch size per device = 1",
        "Total train batch size (w. parallel, distributed & accumulation) = 1",
        "Gradient Accumulation steps = 1",
        f"Total optimization steps = {total}",
    ):
        log("  " + line)
    begun = clock.now
    out.append("\r" + bar("Steps", 0, total, 0))
    loss = 0.0
    for step in range(1, stop + 1):
        clock.on(0.742, 0.03)
        passed = (clock.now - begun).total_seconds()
        old, loss = loss, min(0.96, max(0.0031, rng.lognormvariate(-1.75, 0.75) * (0.82 + 0.3 * math.exp(-step / 500))))
        if step > 1 and rng.random() < 0.5:
            out.append("\r" + bar("Steps", step, total, passed, tail=f"loss={old:.3g}, lr=2e-6"))
        out.append("\r" + bar("Steps", step, total, passed, tail=f"loss={loss:.3g}, lr=2e-6"))
        if step % 800 == 0:
            log(f"Saving current state to out/terrier6/checkpoint-{step}", "accelerate.accelerator")
            log(
                f"Model weights saved in out/terrier6/checkpoint-{step}/unet/diffusion_pytorch_model.safetensors",
                "accelerate.checkpointing",
                4,
            )
            log(f"Optimizer state saved in out/terrier6/checkpoint-{step}/optimizer.bin", "accelerate.checkpointing", 5)
            log(f"Gradient scaler state saved in out/terrier6/checkpoint-{step}/scaler.pt", "accelerate.checkpointing")
            log(
                f"Random states saved in out/terrier6/checkpoint-{step}/random_states_0.pkl", "accelerate.checkpointing"
            )
            log(f"Saved state to out/terrier6/checkpoint-{step}")
            log("Running validation... \n Generating 4 images with prompt: sks terrier on the moon.", after=1)
            out.extend("\r" + bar("Loading pipeline components...", part, 7, part * 0.04) for part in range(8))
            out.append("\n")
            clock.on(13)
        if step == 1377:
            out.append(f"\n{blue}Network error (ConnectionError), entering retry loop.\n")
            clock.on(2)
    place.joinpath("terrier.err").write_text("".join(out), encoding="utf-8")


def c03_notruf(place: Path, rng: Random) -> None:
    clock = Clock("2026-01-27T17:22:40.118", rng)
    out: list[str] = []
    rows = ["wall_time,step,tag,value"]

    def log(source: str, text: str, level: str = "INFO", after: float = 0.0) -> None:
        clock.on(after) if after else None
        out.append(f"{clock.comma()} {level} [{source}] {text}")

    log("train.py:1141", "Training started")
    log("train.py:1151", "Device: cuda:0")
    log(
        "train.py:1153",
        "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, 'batch_idx_train': 0, "
        "'log_interval': 50, 'reset_interval': 200, 'valid_interval': 1000, 'feature_dim': 80, 'subsampling_factor': 4, 'warm_step': 2000, "
        "'env_info': {'k2-version': '1.24.4', 'k2-build-type': 'Release', 'torch-version': '2.4.0+cu121', 'icefall-git-sha1': '693d84a3-dirty', "
        "'hostname': 'lxgpu21', 'IP address': '10.7.4.21'}, 'world_size': 1, 'num_epochs': 30, 'start_epoch': 1, 'start_batch': 0, "
        "'exp_dir': PosixPath('zipformer/exp-notruf-v2'), 'bpe_model': 'data/lang_bpe_500/bpe.model', 'base_lr': 0.045, 'lr_batches': 7500, "
        "'lr_epochs': 3.5, 'context_size': 2, 'prune_range': 5, 'seed': 42, 'print_diagnostics': False, 'inf_check': False, 'save_every_n': 4000, "
        "'keep_last_k': 5, 'use_fp16': True, 'max_duration': 900, 'blank_id': 0, 'vocab_size': 500}",
        after=0.4,
    )
    log("train.py:1155", "About to create model")
    log("train.py:1159", "Number of model parameters: 65549011", after=0.9)
    log("asr_datamodule.py:421", "About to get train cuts (notruf_simulationen, panik, stoerung, fatal-set)", after=2.2)
    log("asr_datamodule.py:224", "Enable MUSAN")
    log("asr_datamodule.py:249", "Enable SpecAugment")
    log("asr_datamodule.py:311", "Using DynamicBucketingSampler.", after=0.5)
    log("asr_datamodule.py:328", "About to create train dataloader")
    log("asr_datamodule.py:434", "About to get dev cuts", after=2.8)
    log("train.py:1350", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.", after=0.6)
    for peak in (15214, 15733, 16891, 17422):
        log("train.py:1378", f"Maximum memory allocated so far is {peak}MB", after=6)
    wiggle, total, tot = Noise(rng, 0.008), 0, 0.0
    per = 2390
    for epoch in range(1, 9):
        for batch in range(0, per, 50):
            if epoch == 8 and batch > 950:
                break
            lr = (
                0.045
                * ((total**2 + 7500**2) / 7500**2) ** -0.25
                * (((epoch - 1) ** 2 + 3.5**2) / 3.5**2) ** -0.25
                * min(1.0, 0.5 + 0.5 * total / 500)
            )
            simple = falling(total, 7.62, 0.21, 420, 0.62) * (1 + wiggle.next())
            pruned = falling(total, 7.35, 0.16, 380, 0.66) * (1 + wiggle.next())
            loss = (
                (0.5 * simple + pruned)
                if total > 2000
                else simple * (1 - 0.5 * total / 2000) + pruned * (0.1 + 0.9 * total / 2000)
            )
            tot = loss if not tot else 0.75 * tot + 0.25 * loss
            frames = rng.randint(16800, 20900)
            scale = min(32.0, 2.0 ** (total // 1900))
            if batch % 100 == 0:
                log(
                    "train.py:1061",
                    f"Epoch {epoch}, batch {batch}, loss[loss={loss:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}, over {frames:.2f} frames. ], "
                    f"tot_loss[loss={tot:.4g}, simple_loss={simple * 1.01:.4g}, pruned_loss={pruned * 1.01:.4g}, over {min(batch + 1, 200) * 18740.4:.2f} frames. ], "
                    f"batch size: {rng.randint(38, 140)}, lr: {lr:.2e}, grad_scale: {scale}",
                )
                for tag, value in (
                    ("train/learning_rate", lr),
                    ("train/current_loss", loss),
                    ("train/tot_loss", tot),
                    ("train/grad_scale", scale),
                ):
                    rows.append(f"{clock.now.timestamp():.3f},{total},{tag},{value:.6g}")
            if total % 3000 == 0:
                valid = loss * 1.06 if total > 2000 else loss
                log("train.py:1084", "Computing validation loss")
                log(
                    "train.py:1093",
                    f"Epoch {epoch}, validation: loss={valid:.4g}, simple_loss={simple * 1.04:.4g}, pruned_loss={pruned * 1.05:.4g}, over 1284511.00 frames. ",
                    after=24,
                )
                log("train.py:1094", "Maximum memory allocated so far is 17655MB")
                rows.append(f"{clock.now.timestamp():.3f},{total},train/valid_loss,{valid:.6g}")
            if rng.random() < 0.07:
                q = [rng.gauss(x, x * 0.06) for x in (48, 61, 69, 79, 310)]
                log(
                    "optim.py:487",
                    f"Clipping_scale=2.0, grad-norm quartiles {' '.join(f'{x:.3e}' for x in q)}, threshold={2 * q[2]:.3e}, percent-clipped={rng.choice((0, 1, 2, 4))}.0",
                )
            if rng.random() < 0.035:
                word = rng.choice(
                    ("fatal-0311_abbruch", "panik-112-0087", "stoerung_killed-line_44", "fatal-1204_no-response")
                )
                log(
                    "train.py:1302",
                    f"Exclude cut with ID {word}-{rng.randint(1000, 9999)} from training. Number of frames (before subsampling): {rng.randint(5, 8)}. "
                    f"Number of frames (after subsampling): 0. Text: FEHLER. Tokens: ['▁F', 'EH', 'L', 'ER']. Number of tokens: 4",
                    "WARNING",
                )
            if rng.random() < 0.025:
                log(
                    "scaling.py:1022",
                    f"Whitening: name=encoder.encoders.{rng.randint(0, 5)}.encoder.layers.{rng.randint(0, 2)}.self_attn1.whiten, "
                    f"num_groups=1, num_channels=384, metric={rng.uniform(13, 20):.2f} vs. limit=15.0",
                )
            if total % 8000 == 4000:
                log("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-notruf-v2/checkpoint-{total}.pt", after=1)
            clock.on(50 * 0.338, 0.02)
            total += 50
        else:
            total += -total % 50
            log("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-notruf-v2/epoch-{epoch}.pt", after=2)
            clock.on(3)
            continue
        break
    (place / "log-train-2026-01-27-17-22-40").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "tensorboard_scalars.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def c04_grain(place: Path, rng: Random) -> None:
    for job, epochs, model, best0 in ((5121, 24, "effnet_b0", 0.943), (5122, 32, "convnext_tiny", 0.961)):
        zero: list[str] = []
        one: list[str] = []
        both = (zero, one)
        for rank, out in enumerate(both):

            def say(name: str, text: str, out: list[str] = out, rank: int = rank) -> None:
                out.append(f"[{name}][INFO] - [rank: {rank}] {text}")

            say("src.utils.utils", "Enforcing tags! <cfg.extras.enforce_tags=True>")
            out.append(f"[rank: {rank}] Seed set to 2024")
            say("__main__", "Instantiating datamodule <src.data.grain_datamodule.GrainDataModule>")
            say("__main__", "Instantiating model <src.models.grain_module.GrainLitModule>")
            say("__main__", "Instantiating callbacks...")
            for name in ("ModelCheckpoint", "EarlyStopping", "RichModelSummary"):
                say("src.utils.instantiators", f"Instantiating callback <lightning.pytorch.callbacks.{name}>")
            say("src.utils.instantiators", "Instantiating callback <src.callbacks.epoch_line.EpochLine>")
            say("__main__", "Instantiating trainer <lightning.pytorch.trainer.Trainer>")
            if rank == 0:
                out.extend(
                    (
                        "Using bfloat16 Automatic Mixed Precision (AMP)",
                        "GPU available: True (cuda), used: True",
                        "TPU available: False, using: 0 TPU cores",
                        "HPU available: False, using: 0 HPUs",
                    )
                )
                say("__main__", "Logging hyperparameters!")
            say("__main__", "Starting training!")
            out.append(f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/2")
            if rank == 0:
                out.extend(
                    (
                        "-" * 100,
                        "distributed_backend=nccl",
                        "All distributed processes registered. Starting with 2 processes",
                        "-" * 100,
                        "",
                    )
                )
            out.append(f"LOCAL_RANK: {rank} - CUDA_VISIBLE_DEVICES: [0,1]")
            if rank == 0:
                say(
                    "src.data.grain_datamodule",
                    f"train 31208 / val 3901 / test 3902 kernels, 122 steps per epoch and rank, max_epochs {epochs}, model {model}",
                )
        wiggle, best, at = Noise(rng, 0.008), 0.0, 0
        for epoch in range(epochs):
            loss = max(0.02, falling(epoch + 1, 1.61, 0.085 if job == 5121 else 0.05, 3.9) + wiggle.next())
            val = loss * 1.12 + 0.05 + abs(rng.gauss(0, 0.008))
            acc = best0 - (best0 - 0.31) * math.exp(-(epoch + 1) / 3.6) + rng.gauss(0, 0.003)
            lr = 4e-4 * 0.5 * (1 + math.cos(math.pi * epoch / epochs))
            for rank, out in enumerate(both):
                speed = rng.gauss(1410, 16)
                out.append(
                    f"[src.callbacks.epoch_line][INFO] - [rank: {rank}] epoch {epoch:>2}/{epochs} train/loss {loss + rng.gauss(0, 0.006):.4f} val/loss {val:.4f} val/acc {acc:.4f} lr {lr:.2e} {speed:.0f} img/s"
                )
            if acc > best:
                best, at = acc, epoch
        file = f"/scratch/grain/logs/train/runs/{job}/checkpoints/epoch_{at:03d}.ckpt"
        zero.append(f"`Trainer.fit` stopped: `max_epochs={epochs}` reached.")
        for rank, out in enumerate(both):
            out.append(f"[__main__][INFO] - [rank: {rank}] Starting testing!")
            if rank == 0:
                out.append(f"Restoring states from the checkpoint path at {file}")
            out.append(f"LOCAL_RANK: {rank} - CUDA_VISIBLE_DEVICES: [0,1]")
            if rank == 0:
                out.append(f"Loaded model weights from the checkpoint at {file}")
        zero.extend(
            (
                "┏" + "━" * 27 + "┳" + "━" * 27 + "┓",
                "┃" + "        Test metric        ┃" + "       DataLoader 0        ┃",
                "┡" + "━" * 27 + "╇" + "━" * 27 + "┩",
                f"│{'test/acc':^27}│{best - 0.0041 + rng.gauss(0, 0.0004):^27.16f}│",
                f"│{'test/loss':^27}│{val * 1.03:^27.16f}│",
                "└" + "─" * 27 + "┴" + "─" * 27 + "┘",
            )
        )
        for rank, out in enumerate(both):
            out.append(f"[__main__][INFO] - [rank: {rank}] Best ckpt path: {file}")
            out.append(f"[src.utils.utils][INFO] - [rank: {rank}] Output dir: /scratch/grain/logs/train/runs/{job}")
            if rank == 0:
                out.append(f"[src.utils.utils][INFO] - [rank: 0] Retrieved metric value! <val/acc_best={best:.16f}>")
            (place / f"grain_{job}_rank{rank}.log").write_text("\n".join(out) + "\n", encoding="utf-8")


def c05_holly(place: Path, rng: Random) -> None:
    clock = Clock("2026-03-03T18:40:12.4", rng)
    out: list[str] = []
    records: list[str] = []
    every, total = 200, 60000
    wiggle = Noise(rng, 0.02)
    host, attempt, step = "holly-14", 0, 16200
    stops = {0: 24837, 1: 33561}

    def say(text: str, level: str = "INFO") -> None:
        out.append(f"[{clock.say('%H:%M:%S')}] {level:<8} {text}")

    def table(step: int) -> None:
        loss = falling(step, 10.9, 2.21, 900, 0.58) + wiggle.next()
        mean = falling(step - 100, 10.9, 2.21, 900, 0.58) + rng.gauss(0, 0.004)
        grad = max(0.12, rng.gauss(0.47, 0.06))
        lr = 6e-4 * 0.5 * (1 + math.cos(math.pi * step / total))
        speed = rng.gauss(118400, 900)
        title = f"step {step:,} of {total:,} ({100 * step / total:.1f} %)"
        out.extend(
            (
                f"{title:^42}",
                "┏━━━━━━━━━━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━━━━┓",
                "┃ quantity       ┃      last ┃  mean 200 ┃",
                "┡━━━━━━━━━━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━━━━┩",
                f"│ train loss     │ {loss:>9.4f} │ {mean:>9.4f} │",
                f"│ grad norm      │ {grad:>9.3f} │ {grad * rng.gauss(1, 0.04):>9.3f} │",
                f"│ learning rate  │ {lr:>9.2e} │           │",
                f"│ tokens / s     │ {speed:>9,.0f} │ {speed * rng.gauss(1, 0.004):>9,.0f} │",
                "│ memory, GiB    │      61.3 │           │",
                "└────────────────┴───────────┴───────────┘",
            )
        )
        records.append(
            json.dumps(
                {
                    "t": round(clock.now.timestamp(), 2),
                    "attempt": attempt,
                    "step": step,
                    "loss": round(loss, 5),
                    "loss_mean": round(mean, 5),
                    "grad_norm": round(grad, 4),
                    "lr": lr,
                    "tok_s": round(speed),
                }
            )
        )

    while True:
        if step + every > stops[attempt]:
            last = stops[attempt]
            clock.on((last - step) * 1.107, 0.01)
            say(f"caught SIGTERM at step {last:,}, saving before we go", "WARNING")
            out.append(
                f"slurmstepd: error: *** STEP 771204.0 ON {host} CANCELLED AT {clock.say('%Y-%m-%dT%H:%M:%S')} DUE TO PREEMPTION ***"
            )
            clock.on(19)
            say(f"wrote ckpt/step_{last:06d} (4 shards, 11.8 GiB)")
            out.append(
                f"slurmstepd: error: *** JOB 771204 ON {host} CANCELLED AT {clock.say('%Y-%m-%dT%H:%M:%S')} DUE TO PREEMPTION ***"
            )
            attempt += 1
            if attempt == 2:
                break
            clock.on(5 * 3600 + 411)
            host, step = "holly-09", last
            out.append(
                f"== job 771204 (lowprio, 4 gpu) on {host}, restart count 1, {clock.say('%a %d %b %H:%M:%S UTC %Y')} =="
            )
            clock.on(41)
            say("world size 4, bf16, 1.31 B parameters, compile on")
            clock.on(16)
            say(f"resuming from ckpt/step_{last:06d}: model, optimiser, scheduler and data cursor restored")
            clock.on(74)
            clock.on((every - last % every) * 1.107, 0.01)
            step = last + every - last % every
        else:
            step += every
            clock.on(every * 1.107 + (rng.random() < 0.04) * 22, 0.008)
        table(step)
        if step % 2000 == 0:
            val = falling(step, 10.9, 2.21, 900, 0.58) + 0.03 + rng.gauss(0, 0.004)
            clock.on(33)
            say(f"held-out loss {val:.4f}, perplexity {math.exp(val):.2f}")
            clock.on(17)
            say(f"wrote ckpt/step_{step:06d} (4 shards, 11.8 GiB)")
    (place / "slurm-771204.out").write_text("\n".join(out[6:]) + "\n", encoding="utf-8")
    (place / "progress.jsonl").write_text("\n".join(records[1:]) + "\n", encoding="utf-8")


def c06_herbarium(place: Path, rng: Random) -> None:
    epochs, per = 22, 96
    clock = Clock("2026-02-05T08:03:55", rng)
    zero, one = [], []
    for rank, out in enumerate((zero, one)):
        out.append(
            f"{clock.comma()} r{rank} torch 2.5.1 fastai 2.7.18 \x1b[36mHerbier des Alpes\x1b[0m 24 576 planches, 2 rangs, bs 128, {per} lots/époque, {epochs} époques\n"
        )
        out.append(f"{clock.comma()} r{rank} images: s3fs:/mnt/herbier (TIFF 600 dpi), num_workers=2\n")
    zero.append("epoch     train_loss  valid_loss  accuracy  time    \n")
    wiggle = Noise(rng, 0.012)
    for epoch in range(epochs):
        wait = [rng.gauss(2.71, 0.16) for _ in range(2)]
        busy = [rng.gauss(0.187, 0.004) for _ in range(2)]
        begun = clock.now
        loss = falling(epoch + 0.6, 4.31, 0.61, 4.6) + wiggle.next()
        for batch in [0, *sorted(rng.sample(range(6, per), 9)), per]:
            passed = batch * (max(wait) + busy[0])
            left = (per - batch) * (max(wait) + busy[0])
            share = batch / per
            body = "█" * int(60 * share) + "-" * (60 - int(60 * share))
            tail = "" if not batch else f" {loss * (1.02 + 0.1 * (1 - share)):.4f}"
            zero.append(
                f"\rEpoch {epoch + 1}/{epochs} : |{body}| {100 * share:.2f}% [{batch}/{per} {span(passed)}<{span(left) if batch else '?'}{tail}]"
            )
        clock.on(per * (max(wait) + busy[0]), 0.004)
        if epoch == 6:
            text = "lecture /mnt/herbier/P_00448121.tif: OSError: [Errno 5] Input/output error, nouvel essai 1/3"
            one.append(f"{clock.comma()} r1 \x1b[31m{text}\x1b[0m\n")
            clock.on(4)
            one.append(f"{clock.comma()} r1 lecture /mnt/herbier/P_00448121.tif: ok à l'essai 2\n")
        clock.on(38)
        valid = loss * 1.06 + 0.09 + abs(rng.gauss(0, 0.015))
        acc = min(0.89, max(0.05, 0.87 - 0.77 * math.exp(-(epoch + 0.8) / 4.8) + rng.gauss(0, 0.006)))
        row = [
            f"{epoch:<10}",
            f"{loss:<12.6f}",
            f"{valid:<12.6f}",
            f"{acc:<10.6f}",
            f"{span((clock.now - begun).total_seconds()):<8}",
        ]
        zero.append("\r" + " " * 110 + "\r" + "".join(row) + "\n")
        for rank, out in enumerate((zero, one)):
            slow = max(2.9, wait[rank] * rng.uniform(3.6, 5.2))
            out.append(
                f"{clock.comma()} r{rank} époque {epoch}: attente du lot \x1b[33m{wait[rank]:.2f} s\x1b[0m/it (max {slow:.1f}), avant+arrière+pas {busy[rank]:.3f} s/it, "
                f"GPU {rng.randint(4, 8)} % (nvml, moyenne), mém. 13.2 Go\n"
            )
    for rank, out in enumerate((zero, one)):
        if rank == 0:
            out.append(f"Better model found at epoch {epochs - 1} with valid_loss value: {valid}.\n")
            out.append(f"{clock.comma()} r0 export: modeles/herbier_r50_22ep.pkl\n")
        out.append(f"{clock.comma()} r{rank} fin, {epochs} époques, {span(clock.elapsed())}\n")
        (place / f"herbier_r{rank}.log").write_text("".join(out), encoding="utf-8")
