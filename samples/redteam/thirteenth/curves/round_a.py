"""The first round of curves: what users sent in, in the order of the desk's queue."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .sim import (
    START,
    Clock,
    Loss,
    Noise,
    bar,
    cosine,
    hms,
    linear,
    put,
    put_json,
    put_lines,
    put_table,
    stamp,
    tensorboard,
    trainer_state,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_mistral_lora(place: Path, rng: Random) -> None:
    total, loss, clock = 1860, Loss(rng, 1.71, 0.92, 60, 0.6, 0.045), Clock(rng, 3.4)
    history: list[dict[str, Any]] = []
    for step in range(10, total + 1, 10):
        clock.go(10)
        history.append(
            {
                "epoch": round(step / 620, 4),
                "grad_norm": 0.42 * math.exp(rng.gauss(0, 0.2)),
                "learning_rate": cosine(step, total, 2e-4, 56),
                "loss": round(loss(step), 4),
                "step": step,
            }
        )
        if step % 500 == 0:
            clock.rest(95)
            held = loss.mean(step) * 1.03 + rng.gauss(0, 0.004)
            history.append(
                {
                    "epoch": round(step / 620, 4),
                    "eval_loss": held,
                    "eval_runtime": 94.2 + rng.gauss(0, 0.4),
                    "eval_samples_per_second": 10.6,
                    "eval_steps_per_second": 1.33,
                    "step": step,
                }
            )
            put_json(place, f"checkpoint-{step}/trainer_state.json", trainer_state(list(history), step, total))
    runtime = (clock.at - START).total_seconds()
    mean = sum(row["loss"] for row in history if "loss" in row) / 186
    last = {
        "epoch": 3.0,
        "total_flos": 4.7e17,
        "train_loss": mean,
        "train_runtime": runtime,
        "train_samples_per_second": total * 16 / runtime,
        "train_steps_per_second": total / runtime,
    }
    history.append({**last, "step": total})
    put_json(place, f"checkpoint-{total}/trainer_state.json", trainer_state(history[:-1], total, total))
    put_json(place, "trainer_state.json", trainer_state(history, total, total))
    put_json(place, "train_results.json", last, 4)
    put_json(place, "all_results.json", last, 4)
    put_json(
        place,
        "adapter_config.json",
        {
            "base_model_name_or_path": "mistralai/Mistral-7B-v0.3",
            "bias": "none",
            "lora_alpha": 32,
            "lora_dropout": 0.05,
            "peft_type": "LORA",
            "r": 16,
            "task_type": "CAUSAL_LM",
        },
    )


def c02_factory_baichuan(place: Path, rng: Random) -> None:
    total, loss, clock = 2304, Loss(rng, 2.06, 1.21, 90, 0.6, 0.05), Clock(rng, 2.7)
    rows, history = [], []
    for step in range(5, total + 1, 5):
        clock.go(5)
        ran = (clock.at - START).total_seconds()
        broken = step >= 715
        value = round(loss(step), 4) if not broken else 0.0
        if step == 715:
            value = round(loss(step) * 0.36, 4)
        rate = cosine(min(step, 712), total, 1e-4, 115)
        rows.append(
            {
                "current_steps": step,
                "total_steps": total,
                "loss": value,
                "lr": rate,
                "epoch": round(step / 768, 2),
                "percentage": round(step / total * 100, 2),
                "elapsed_time": hms(ran),
                "remaining_time": hms(ran / step * (total - step)),
            }
        )
        history.append(
            {
                "epoch": round(step / 768, 4),
                "grad_norm": float("nan") if broken else 0.8 * math.exp(rng.gauss(0, 0.25)),
                "learning_rate": rate,
                "loss": value,
                "step": step,
            }
        )
    ran = (clock.at - START).total_seconds()
    rows.append(
        {
            "current_steps": total,
            "total_steps": total,
            "epoch": 3.0,
            "percentage": 100.0,
            "elapsed_time": hms(ran),
            "remaining_time": "0:00:00",
        }
    )
    put_lines(place, "trainer_log.jsonl", rows)
    put_json(place, "trainer_state.json", trainer_state(history, total, total))
    put(
        place,
        "llamaboard_config.yaml",
        "top.finetuning_type: lora\ntop.model_name: Baichuan2-7B-Chat\ntop.quantization_bit: none\ntrain.compute_type: fp16\ntrain.learning_rate: 1e-4\ntrain.num_train_epochs: '3.0'\ntrain.batch_size: 2\ntrain.gradient_accumulation_steps: 8\n",
    )


def c03_lightning_segment(place: Path, rng: Random) -> None:
    head = ["epoch", "lr-AdamW", "step", "train_dice", "train_loss", "val_dice", "val_loss"]
    rows: list[list[object]] = []
    loss, per_epoch, best, bad = Loss(rng, 0.88, 0.09, 150, 0.7, 0.06), 212, 9.9, 0
    noise = Noise(rng, 0.012, 0.3)
    for epoch in range(60):
        for step in range(epoch * per_epoch + 49, (epoch + 1) * per_epoch, 50):
            value = loss(step)
            rows.append([None, cosine(step, 60 * per_epoch, 3e-4, 400), step, None, None, None, None])
            rows.append([epoch, None, step, 1 - value * 0.97, value, None, None])
        end = (epoch + 1) * per_epoch - 1
        held = 0.245 + 0.5 * math.exp(-epoch / 2.6) + 0.0022 * max(0, epoch - 10) + noise()
        rows.append([epoch, None, end, None, None, 1 - held * 0.9, held])
        best, bad = (held, 0) if held < best else (best, bad + 1)
        if bad == 8:
            break
    put_table(place, "lightning_logs/version_3/metrics.csv", head, rows, end="\r\n")
    put(
        place,
        "lightning_logs/version_3/hparams.yaml",
        "backbone: resnet34\nbatch_size: 24\nlr: 0.0003\nloss: dice_bce\nmax_epochs: 60\nearly_stopping:\n  monitor: val_loss\n  mode: min\n  patience: 8\nnum_classes: 4\nprecision: 16-mixed\nseed: 1234\n",
    )


def c04_keras_cracks(place: Path, rng: Random) -> None:
    rows = []
    noise, other = Noise(rng, 0.0011, 0.2, 0), Noise(rng, 0.0004, 0.2, 0)
    for epoch in range(40):
        first = 0.31 * math.exp(-epoch * 3) if epoch < 2 else 0.0
        rows.append(
            [
                epoch,
                0.4998 + rng.gauss(0, 0.006),
                0.6932 + first + abs(noise()),
                0.001,
                0.5 + (0.0 if rng.random() < 0.8 else rng.choice([-0.0125, 0.0125])),
                0.69315 + other(),
            ]
        )
    put_table(place, "training.log", ["epoch", "accuracy", "loss", "lr", "val_accuracy", "val_loss"], rows)
    put(
        place,
        "README.txt",
        "surface cracks, yes/no, ResNet50 frozen + dense head, 40 epochs. balanced 50/50.\ncsv is from CSVLogger('training.log')\n",
    )


def c05_megatron_gpt(place: Path, rng: Random) -> None:
    total, loss, clock = 30000, Loss(rng, 10.9, 1.7, 120, 0.42, 0.012), Clock(rng, 1.62)
    out = [
        "using world size: 32, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: 1",
        "using torch.float16 for parameters ...",
        "training ...",
        "[before the start of training step] datetime: 2026-10-05 08:15:02 ",
    ]
    scale, skipped = 131072.0, 0
    for step in range(10, 9641, 10):
        took = clock.go(10) / 10 * 1000
        value, norm, rate = loss(step), 0.6 * math.exp(rng.gauss(0, 0.15)), cosine(step, total, 3e-4, 600, 3e-5)
        gone = 0
        if step > 9080:
            drift = (step - 9080) / 90
            value += min(4.9, 0.08 * math.exp(drift))
            norm *= 1 + min(40.0, math.exp(drift) / 3)
        if step >= 9200:
            gone = min(10, 2 + (step - 9200) // 40)
            scale = max(1.0, scale / 2**gone)
        elif step % 1000 == 0 and scale < 262144:
            scale *= 2
        skipped += gone
        loss_part = f" lm loss: {value:.6E} |" if gone < 10 else ""
        norm_part = f" grad norm: {norm:.3f} |" if gone < 10 else ""
        out.append(
            f" [{stamp(clock.at)}] iteration {step:8}/{total:8} | consumed samples: {step * 256:12} | elapsed time per iteration (ms): {took:.1f} | learning rate: {rate:.6E} | global batch size:   256 |{loss_part} loss scale: {scale:.1f} |{norm_part} number of skipped iterations: {gone:3} | number of nan iterations:   0 |"
        )
        if step % 1000 == 0:
            clock.rest(38)
            out.append(f"saving checkpoint at iteration {step:7} to /lustre/ckpt/gpt-1b3 in torch_dist format")
            out.append(
                f"  successfully saved checkpoint from iteration {step:7} to /lustre/ckpt/gpt-1b3 [ t 1/4, p 1/1 ]"
            )
    put(place, "gpt-1b3.log", "\n".join(out) + "\n")


def c06_own_gpt_loop(place: Path, rng: Random) -> None:
    total, loss, out = 20000, Loss(rng, 10.95, 2.9, 180, 0.5, 0.018), []
    put(
        place,
        "config/train_owt_lr.py",
        "batch_size = 12\nblock_size = 1024\ngradient_accumulation_steps = 40\nmax_iters = 20000\nlr_decay_iters = 20000\nlearning_rate = 6e-3\nmin_lr = 6e-4\nwarmup_iters = 2000\neval_interval = 1000\ngrad_clip = 0.0\n",
    )
    out += [
        "tokens per iteration will be: 491,520",
        "number of parameters: 123.59M",
        "num decayed parameter tensors: 50, with 124,354,560 parameters",
        "using fused AdamW: True",
        "compiling the model... (takes a ~minute)",
    ]
    high, wait = Noise(rng, 0.006, 0.8, 0.0), 0.0
    for step in range(0, total + 1, 10):
        value = loss(step)
        if step > 1730:
            value = value + (7.62 - value) * (1 - math.exp(-(step - 1730) / 60))
            value *= 1 + high()
        if step % 1000 == 0:
            held = value * (1 + rng.gauss(0, 0.002))
            out.append(f"step {step}: train loss {held:.4f}, val loss {held + rng.gauss(0.004, 0.003):.4f}")
            wait = 8200
        ms = 1210 * (1 + rng.gauss(0, 0.01)) + wait
        wait = 0.0
        out.append(
            f"iter {step}: loss {value:.4f}, time {ms:.2f}ms, mfu {'-100.00' if step < 50 else f'{41.6 + rng.gauss(0, 0.2):.2f}'}%"
        )
    put(place, "train.log", "\n".join(out) + "\n")


def c07_asr_metrics(place: Path, rng: Random) -> None:
    total, loss, clock = 40000, Loss(rng, 6.1, 0.34, 700, 0.75, 0.05), Clock(rng, 0.41)
    rows: list[dict[str, Any]] = []
    up = {6400: 4.6, 17350: 3.1, 28850: 5.2}
    spike = 0.0
    for step in range(50, total + 1, 50):
        took = clock.go(50)
        spike = up.get(step, spike * 0.62)
        rows.append(
            {
                "step": step,
                "time": round(clock.at.timestamp(), 3),
                "ctc_loss": round(loss(step) * (1 + (spike if spike > 0.03 else 0.0)), 5),
                "lr": cosine(step, total, 1e-3, 4000),
                "grad_norm": round(2.2 * (1 + 6 * spike) * math.exp(rng.gauss(0, 0.3)), 4),
                "utt_per_s": round(50 * 64 / took, 1),
            }
        )
        if step % 2000 == 0:
            clock.rest(130)
            rows.append(
                {
                    "step": step,
                    "time": round(clock.at.timestamp(), 3),
                    "dev_loss": round(loss.mean(step) * 1.12, 5),
                    "dev_wer": round(0.071 + 0.9 * (1 + step / 900) ** -0.95, 4),
                }
            )
    put_lines(place, "metrics.jsonl", rows)
    put(
        place,
        "stdout.txt",
        f"[{stamp(START)}] 512 conformer-m, 28.9M parameters, bf16\n[{stamp(START)}] W train: gradient norm above 10x the running mean is clipped, not skipped\n[{stamp(clock.at)}] averaged last 10 checkpoints -> exp/conformer_m/final.avg10.pt\n[{stamp(clock.at)}] finished 40000/40000 updates, best dev WER {rows[-1]['dev_wer']}\n",
    )


def c08_browser_export(place: Path, rng: Random) -> None:
    loss, rows = Loss(rng, 3.9, 1.62, 260, 0.5, 0.02), []
    for step in range(0, 23900, 48):
        value = loss(step)
        rows.append([f'"{step}"', f'"{value}"', f'"{value}"', f'"{value}"'])
    name = "dolma-410m-wsd"
    put_table(
        place,
        "wandb_export_2026-10-14T10_21_37.416+02_00.csv",
        ['"Step"', f'"{name} - train/loss"', f'"{name} - train/loss__MIN"', f'"{name} - train/loss__MAX"'],
        rows,
    )


def c09_board_two_days(place: Path, rng: Random) -> None:
    clock, loss = Clock(rng, 0.55), Loss(rng, 7.4, 2.35, 500, 0.6, 0.02)
    first, at = [], clock.at
    for step in range(25, 32425, 25):
        clock.go(25)
        first += [
            (clock.at, step, "train/loss", loss(step)),
            (clock.at, step, "train/lr", cosine(step, 80000, 5e-4, 1500)),
        ]
    tensorboard(place, "runs/lm_base/events.out.tfevents.1791187964.gpu-a03.41277.0", first, at)
    clock.rest(5 * 3600 + 412)
    again, loss, at = [], Loss(rng, 7.42, 2.35, 500, 0.6, 0.02), clock.at
    for step in range(25, 14400, 25):
        clock.go(25)
        again += [
            (clock.at, step, "train/loss", loss(step)),
            (clock.at, step, "train/lr", cosine(step, 80000, 5e-4, 1500)),
        ]
    tensorboard(place, f"runs/lm_base/events.out.tfevents.{int(at.timestamp())}.gpu-a07.9932.0", again, at)
    put(
        place,
        "submit.sh",
        "#!/bin/bash\n#SBATCH --job-name=lm_base\n#SBATCH --time=05:00:00\n#SBATCH --gres=gpu:4\n# chain: sbatch --dependency=afterany:$PREV submit.sh\nsrun python train.py --logdir runs/lm_base --max-steps 80000 --resume latest\n",
    )


def c10_roberta_tagalog(place: Path, rng: Random) -> None:
    total, loss, clock = 60000, Loss(rng, 9.8, 1.95, 400, 0.55, 0.018), Clock(rng, 1.33)
    history: list[dict[str, Any]] = []
    out = []
    while (clock.at - START).total_seconds() < 43150:
        step = len(history) * 100 + 100
        clock.go(100)
        row = {
            "epoch": round(step / 15000, 4),
            "grad_norm": 1.1 * math.exp(rng.gauss(0, 0.2)),
            "learning_rate": linear(step, total, 4e-4, 3000),
            "loss": round(loss(step), 4),
            "step": step,
        }
        history.append(row)
        out.append(
            str(
                {
                    "loss": row["loss"],
                    "grad_norm": row["grad_norm"],
                    "learning_rate": row["learning_rate"],
                    "epoch": round(step / 15000, 2),
                }
            )
        )
        if step % 5000 == 0:
            clock.rest(21)
            put_json(place, f"out/checkpoint-{step}/trainer_state.json", trainer_state(list(history), step, total))
    end = START + timedelta(hours=12, seconds=21)
    out.append(
        f"slurmstepd: error: *** JOB 884213 ON dgx-04 CANCELLED AT {stamp(end, '%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***"
    )
    put(place, "slurm-884213.out", "\n".join(out) + "\n")


def c11_swin_bar(place: Path, rng: Random) -> None:
    loss, parts, ran = (
        Loss(rng, 6.9, 1.6, 300, 0.6, 0.05),
        ["Loading weights from swin_base_patch4_window12_384_22k.pth\n"],
        0.0,
    )
    for epoch in range(4):
        ran = 0.0
        for step in range(0, 1251, 25):
            ran += 25 * 0.82 * (1 + rng.gauss(0, 0.02))
            parts.append(
                "\r"
                + bar(
                    max(1, step),
                    1251,
                    ran,
                    0.82,
                    f"Epoch {epoch}/30: ",
                    f", loss={loss(epoch * 1251 + step):.3f}, lr={cosine(epoch * 1251 + step, 37530, 1e-4, 2500):.2e}, mem=37.8G",
                )
            )
        parts.append("\n")
        parts += [
            "\r" + bar(max(1, step), 196, step * 0.4 + 1, 0.4, "Validation: ")
            for step in range(0, 196 if epoch < 3 else 120, 20)
        ]
        parts.append("\n" if epoch == 3 else f"\nval top1 {62.1 + 5 * epoch**0.5 + rng.gauss(0, 0.3):.2f}\n")
    parts.append(
        'Traceback (most recent call last):\n  File "/home/kpark/swin/main.py", line 371, in <module>\n    main(cfg)\n  File "/home/kpark/swin/main.py", line 166, in main\n    acc1 = validate(cfg, loader_val, model, save_logits=(epoch == 3))\n'
        '  File "/home/kpark/swin/main.py", line 268, in validate\n    all_logits.append(torch.cat([output, aux], dim=1))\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 768.00 MiB. GPU 0 has a total capacity of 39.39 GiB of which 402.56 MiB is free. '
        "Including non-PyTorch memory, this process has 38.99 GiB memory in use. Of the allocated memory 37.61 GiB is allocated by PyTorch, and 611.20 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)\n"
    )
    put(place, "nohup.out", "".join(parts))


def c12_mm_detector(place: Path, rng: Random) -> None:
    loss, clock, rows, out = Loss(rng, 1.9, 0.52, 500, 0.6, 0.05), Clock(rng, 1.0), [], []
    per_epoch, epochs = 1466, 12
    wait = Noise(rng, 0.22, 0.7, 0.04)
    for epoch in range(1, epochs + 1):
        for it in range(50, per_epoch + 1, 50):
            step = (epoch - 1) * per_epoch + it
            data = 2.62 * max(0.5, 1 + wait())
            took = data + 0.341 * (1 + rng.gauss(0, 0.02))
            clock.rest(50 * took)
            value = loss(step)
            rate = 0.02 * (0.1 if epoch > 8 else 1) * (0.1 if epoch > 11 else 1) * min(1.0, step / 500)
            row = {
                "lr": rate,
                "data_time": data,
                "loss": value,
                "loss_rpn_cls": value * 0.07,
                "loss_rpn_bbox": value * 0.09,
                "loss_cls": value * 0.42,
                "acc": 100 - value * 9,
                "loss_bbox": value * 0.42,
                "time": took,
                "epoch": epoch,
                "iter": step,
                "memory": 7342,
                "step": step,
            }
            rows.append(row)
            eta = (epochs * per_epoch - step) * 2.97
            out.append(
                f"{stamp(clock.at, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(train) [{epoch:3}][{it:4}/{per_epoch}]  lr: {rate:.4e}  eta: {hms(eta)}  time: {took:.4f}  data_time: {data:.4f}  memory: 7342  loss: {value:.4f}  loss_rpn_cls: {value * 0.07:.4f}  loss_rpn_bbox: {value * 0.09:.4f}  loss_cls: {value * 0.42:.4f}  acc: {100 - value * 9:.4f}  loss_bbox: {value * 0.42:.4f}"
            )
        ap = 0.385 * (1 - math.exp(-epoch / 3.2)) + (0.03 if epoch > 8 else 0)
        clock.rest(640)
        rows.append(
            {
                "coco/bbox_mAP": round(ap, 4),
                "coco/bbox_mAP_50": round(ap * 1.6, 4),
                "data_time": 2.7,
                "time": 2.81,
                "step": epoch,
            }
        )
        out.append(f"{stamp(clock.at, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Saving checkpoint at {epoch} epochs")
        out.append(
            f"{stamp(clock.at, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(val) [{epoch}][250/250]    coco/bbox_mAP: {ap:.4f}  coco/bbox_mAP_50: {ap * 1.6:.4f}  data_time: 2.7012  time: 2.8120"
        )
    put_lines(place, "20261005_081102/vis_data/20261005_081102.json", rows)
    put(place, "20261005_081102/20261005_081102.log", "\n".join(out) + "\n")


def c13_walker_ppo(place: Path, rng: Random) -> None:
    head = [
        "time/iterations",
        "time/fps",
        "time/time_elapsed",
        "time/total_timesteps",
        "rollout/ep_len_mean",
        "rollout/ep_rew_mean",
        "train/approx_kl",
        "train/clip_fraction",
        "train/clip_range",
        "train/entropy_loss",
        "train/explained_variance",
        "train/learning_rate",
        "train/loss",
        "train/n_updates",
        "train/policy_gradient_loss",
        "train/std",
        "train/value_loss",
    ]
    rows: list[list[object]] = []
    noise, total = Noise(rng, 0.05, 0.85), 5_013_504
    for it in range(1, 307):
        steps = it * 16384
        part = steps / total
        reward = 2600 / (1 + math.exp(-(part - 0.22) * 14)) * (1 + noise()) - 60
        length, kl, clip, std, explained, value = (
            min(1000, 120 + reward / 2.6),
            0.012 * math.exp(rng.gauss(0, 0.2)),
            0.14 + rng.gauss(0, 0.01),
            1.0 * math.exp(-part),
            0.93 + rng.gauss(0, 0.01),
            40 + reward / 30,
        )
        if it > 188:
            fall = 1 - math.exp(-(it - 188) / 5)
            reward = reward * (1 - fall) + fall * (-103 + rng.gauss(0, 4))
            length = length * (1 - fall) + fall * 71
            kl, clip, explained, value = (
                kl * (1 + 90 * fall * math.exp(-(it - 188) / 30)),
                0.14 + 0.55 * fall * math.exp(-(it - 188) / 40),
                explained * (1 - fall) + fall * rng.gauss(0.02, 0.05),
                value * (1 + 30 * fall * math.exp(-(it - 188) / 12)),
            )
            std = std + fall * 0.018 * (it - 188)
        ran = steps / 2380
        rows.append(
            [
                it,
                int(2380 + rng.gauss(0, 20)),
                int(ran),
                steps,
                round(length, 2),
                round(reward, 3),
                *(
                    [None] * 10
                    if it == 1
                    else [
                        kl,
                        clip,
                        0.2,
                        -2.9 - math.log(std),
                        explained,
                        0.0003,
                        value / 2,
                        (it - 1) * 10,
                        -0.004 + rng.gauss(0, 0.001),
                        std,
                    ]
                ),
                None if it == 1 else value,
            ]
        )
    put_table(place, "logs/ppo_Walker2d-v4_1/progress.csv", head, rows)
    put(
        place,
        "logs/ppo_Walker2d-v4_1/config.yml",
        "!!python/object/apply:collections.OrderedDict\n- - - batch_size\n    - 64\n  - - gae_lambda\n    - 0.95\n  - - learning_rate\n    - 0.0003\n  - - n_envs\n    - 8\n  - - n_epochs\n    - 10\n  - - n_steps\n    - 2048\n  - - n_timesteps\n    - 5000000\n",
    )


def c14_boosted_churn(place: Path, rng: Random) -> None:
    out = [
        f"{stamp(START, '%Y-%m-%d %H:%M:%S,%f')} INFO churn: 1482339 rows x 214 columns, 3.1 % positive",
        "/opt/conda/lib/python3.11/site-packages/xgboost/core.py:158: UserWarning: [08:12:51] WARNING: /workspace/src/common/error_msg.cc:27: The tree method `gpu_hist` is deprecated since 2.0.0. To use GPU training, set the `device` parameter to CUDA instead.",
        '    E.g. tree_method = "hist", device = "cuda"\n',
        "  warnings.warn(smsg, UserWarning)",
        '/opt/conda/lib/python3.11/site-packages/xgboost/core.py:158: UserWarning: [08:12:51] WARNING: /workspace/src/learner.cc:740: \nParameters: { "silent" } are not used.\n',
        "  warnings.warn(smsg, UserWarning)",
    ]
    best, at, trees = 9.0, 0, 0
    for trees in range(2000):
        train = (
            0.1094
            + 0.56 * math.exp(-trees / 9)
            + 0.022 * math.exp(-trees / 160)
            - 0.000006 * trees
            + rng.gauss(0, 0.00001)
        )
        held = (
            0.1163
            + 0.56 * math.exp(-trees / 9)
            + 0.019 * math.exp(-trees / 120)
            + 0.0000016 * max(0, trees - 420)
            + rng.gauss(0, 0.000018)
        )
        out.append(f"[{trees}]\ttrain-logloss:{train:.5f}\tvalid-logloss:{held:.5f}")
        best, at = (held, trees) if held < best else (best, at)
        if trees - at >= 100:
            break
    out += [
        f"{stamp(START + timedelta(seconds=74), '%Y-%m-%d %H:%M:%S,%f')} INFO best iteration {at}, logloss {best:.5f}",
        "/opt/conda/lib/python3.11/site-packages/xgboost/core.py:158: UserWarning: [08:13:59] WARNING: /workspace/src/common/error_msg.cc:58: Falling back to prediction using DMatrix due to mismatched devices. This might lead to higher memory usage and slower performance. XGBoost is running on: cuda:0, while the input data is on: cpu.",
        "  warnings.warn(smsg, UserWarning)",
        f"{stamp(START + timedelta(seconds=79), '%Y-%m-%d %H:%M:%S,%f')} INFO AUC 0.8713  PR-AUC 0.2244  lift@5% 7.9",
        f"{stamp(START + timedelta(seconds=80), '%Y-%m-%d %H:%M:%S,%f')} INFO model written to s3://ml-models/churn/2026-10-05/model.ubj",
    ]
    put(place, "churn_train.log", "\n".join(out) + "\n")


def c15_tracked_tabular(place: Path, rng: Random) -> None:
    run = "mlruns/417392847120/9f2c7d0b1a654c0e8a31d2b5c7e6f009"
    begin = int(START.timestamp() * 1000)
    clock, loss = Clock(rng, 21.4), Loss(rng, 0.61, 0.212, 3, 0.8, 0.012)
    train, held, auc = [], [], []
    for epoch in range(50):
        clock.go()
        at, value = int(clock.at.timestamp() * 1000), loss(epoch)
        train.append(f"{at} {value} {epoch}\n")
        held.append(f"{at} {loss.mean(epoch) * 1.05 + rng.gauss(0, 0.003)} {epoch}\n")
        auc.append(f"{at} {0.94 - 0.2 * math.exp(-epoch / 5) + rng.gauss(0, 0.002)} {epoch}\n")
    put(place, f"{run}/metrics/train_loss", "".join(train))
    put(place, f"{run}/metrics/val_loss", "".join(held))
    put(place, f"{run}/metrics/val_auc", "".join(auc))
    for key, value_ in {
        "epochs": "50",
        "lr": "0.001",
        "batch_size": "4096",
        "model": "FTTransformer",
        "seed": "7",
    }.items():
        put(place, f"{run}/params/{key}", value_)
    put(place, f"{run}/tags/mlflow.runName", "traveling-crow-418")
    put(place, f"{run}/tags/mlflow.source.name", "train_ftt.py")
    put(
        place,
        f"{run}/meta.yaml",
        f"artifact_uri: file:///home/nadia/tab/{run}/artifacts\nend_time: {int(clock.at.timestamp() * 1000) + 2210}\nentry_point_name: ''\nexperiment_id: '417392847120'\nlifecycle_stage: active\nrun_id: 9f2c7d0b1a654c0e8a31d2b5c7e6f009\nrun_name: traveling-crow-418\nrun_uuid: 9f2c7d0b1a654c0e8a31d2b5c7e6f009\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: {begin}\nstatus: 3\ntags: []\nuser_id: nadia\n",
    )


def c16_nemo_translation(place: Path, rng: Random) -> None:
    clock, loss, out = Clock(rng, 2.31), Loss(rng, 8.7, 1.52, 250, 0.55, 0.02), []
    out.append(f"[NeMo I {stamp(START)} nemo_logging:393] Rank 0 has data parallel rank: 0")
    out.append(
        f"[NeMo W {stamp(START)} nemo_logging:405] There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :/scratch/nmt/exp/checkpoints. Training from scratch."
    )
    for step in range(9, 6760, 10):
        took = clock.go(10) / 10
        out.append(
            f"Training epoch 0, iteration {step}/24999 | lr: {cosine(step, 25000, 3e-4, 1000, 3e-5):.4g} | global_batch_size: 256 | global_step: {step} | reduced_train_loss: {loss(step):.4g} | train_step_timing in s: {took:.4g} | consumed_samples: {(step + 1) * 256}"
        )
        if step % 1000 == 999:
            out.append(
                f"[NeMo I {stamp(clock.at)} nemo_logging:393] Async checkpoint save for step {step + 1} (/scratch/nmt/exp/checkpoints/step={step}-last.ckpt) finalized successfully."
            )
    clock.rest(3)
    end = stamp(clock.at, "%Y-%m-%dT%H:%M:%S")
    out.append(f"slurmstepd: error: *** STEP 55120.0 ON hgx-12 CANCELLED AT {end} DUE TO PREEMPTION ***")
    out.append("srun: Job step aborted: Waiting up to 92 seconds for job step to finish.")
    out.append(f"slurmstepd: error: *** JOB 55120 ON hgx-12 CANCELLED AT {end} DUE TO PREEMPTION ***")
    put(place, "log-nmt_55120.out", "\n".join(out) + "\n")


def c17_pallets_yolo(place: Path, rng: Random) -> None:
    head = [
        "epoch",
        "time",
        "train/box_loss",
        "train/cls_loss",
        "train/dfl_loss",
        "metrics/precision(B)",
        "metrics/recall(B)",
        "metrics/mAP50(B)",
        "metrics/mAP50-95(B)",
        "val/box_loss",
        "val/cls_loss",
        "val/dfl_loss",
        "lr/pg0",
        "lr/pg1",
        "lr/pg2",
    ]
    rows: list[list[object]] = []
    ran, noise = 0.0, Noise(rng, 0.03, 0.5)
    for epoch in range(1, 101):
        ran += 31.2 * (1 + rng.gauss(0, 0.02)) + (14 if epoch == 1 else 0)
        part = 1 - math.exp(-epoch / 14)
        late = 0.12 if epoch > 90 else 0.0
        rate = 0.01 * (1 - 0.99 * (epoch - 1) / 100)
        fine = max(0.02, 0.97 * part * (1 + noise() * (1.2 - part)))
        rows.append(
            [
                epoch,
                f"{ran:.3f}",
                *(
                    f"{v:.5f}"
                    for v in (
                        1.72 - 0.75 * part - late + rng.gauss(0, 0.01),
                        2.6 - 1.95 * part - late + rng.gauss(0, 0.012),
                        1.62 - 0.5 * part - late / 2 + rng.gauss(0, 0.006),
                        0.92 * fine,
                        0.88 * fine,
                        0.93 * fine,
                        0.64 * fine,
                        1.75 - 0.66 * part + rng.gauss(0, 0.02),
                        2.4 - 1.6 * part + rng.gauss(0, 0.03),
                        1.64 - 0.42 * part + rng.gauss(0, 0.01),
                    )
                ),
                *[f"{rate:.6g}"] * 3,
            ]
        )
    put_table(place, "runs/detect/pallets4/results.csv", head, rows)
    put(
        place,
        "runs/detect/pallets4/args.yaml",
        "task: detect\nmode: train\nmodel: yolo11m.pt\ndata: pallets.yaml\nepochs: 100\ntime: null\npatience: 100\nbatch: 32\nimgsz: 640\nsave: true\ndevice: '0'\nworkers: 8\nproject: null\nname: pallets4\npretrained: true\noptimizer: auto\nseed: 0\nclose_mosaic: 10\nresume: false\namp: true\nlr0: 0.01\nlrf: 0.01\n",
    )


def c18_crane_impala(place: Path, rng: Random) -> None:
    rows, noise = [], Noise(rng, 0.06, 0.8)
    for it in range(1, 251):
        part = it / 250
        reward = -180 + 395 / (1 + math.exp(-(part - 0.3) * 11)) * (1 + noise())
        ran = it * 41.7
        rows.append({
            "env_runners": {"episode_return_mean": reward, "episode_return_max": reward + 90 + rng.gauss(0, 9), "episode_return_min": reward - 140 + rng.gauss(0, 15), "episode_len_mean": 412 - 120 * part + rng.gauss(0, 6), "num_episodes": 96, "num_env_steps_sampled_lifetime": it * 40000},
            "learners": {"default_policy": {"total_loss": 4.2 * math.exp(-3 * part) + 0.4 + rng.gauss(0, 0.08), "policy_loss": -0.02 + rng.gauss(0, 0.01), "vf_loss": 8.1 * math.exp(-3 * part) + 0.7 + abs(rng.gauss(0, 0.1)), "entropy": 1.38 - 0.9 * part + rng.gauss(0, 0.02), "curr_kl_coeff": 0.2, "default_optimizer_learning_rate": 0.0005}},
            "num_healthy_workers": 8 if not 120 <= it < 123 else 7, "num_remote_worker_restarts": 0 if it < 120 else 1, "training_iteration": it, "timesteps_total": it * 40000, "done": it == 250, "trial_id": "5d1e2_00000",
            "date": stamp(START + timedelta(seconds=ran), "%Y-%m-%d_%H-%M-%S"), "timestamp": int(START.timestamp() + ran), "time_this_iter_s": 41.7 + rng.gauss(0, 0.8), "time_total_s": ran, "pid": 70112, "hostname": "node-rl2", "iterations_since_restore": it,
        })  # fmt: skip
    put_lines(
        place,
        "ray_results/IMPALA_2026-10-05_08-12-40/IMPALA_crane-v1_5d1e2_00000_0_2026-10-05_08-12-44/result.json",
        rows,
    )
    put_json(
        place,
        "ray_results/IMPALA_2026-10-05_08-12-40/IMPALA_crane-v1_5d1e2_00000_0_2026-10-05_08-12-44/params.json",
        {"env": "crane-v1", "lr": 0.0005, "num_env_runners": 8, "train_batch_size": 40000, "num_gpus": 1},
        None,
    )


def c19_protein_loop(place: Path, rng: Random) -> None:
    loss, clock, out = Loss(rng, 2.94, 1.83, 900, 0.5, 0.02), Clock(rng, 0.87), []
    for step in range(20, 12001, 20):
        clock.go(20)
        out.append(
            f"{stamp(clock.at)} | step {step:>7} | mlm_loss {loss(step):.4f} | ppl {math.exp(loss.mean(step)):.2f} | lr {cosine(step, 100000, 4e-4, 2000):.3e} | tok/s {int(188000 * (1 + rng.gauss(0, 0.01)))}"
        )
        if step % 2000 == 0 and step < 12000:
            clock.rest(14)
            out.append(f"{stamp(clock.at)} | saved /data/esm_small/step{step}.pt (3.7 GB)")
    clock.rest(9)
    out.append(
        'Traceback (most recent call last):\n  File "/opt/conda/lib/python3.10/site-packages/torch/serialization.py", line 850, in save\n    _save(\n  File "/opt/conda/lib/python3.10/site-packages/torch/serialization.py", line 1114, in _save\n    zip_file.write_record(name, storage, num_bytes)\n'
        "RuntimeError: [enforce fail at inline_container.cc:778] . PytorchStreamWriter failed writing file data/212: file write failed\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n"
        '  File "/home/ito/esm/pretrain.py", line 204, in <module>\n    main()\n  File "/home/ito/esm/pretrain.py", line 188, in main\n    torch.save(state, path)\n  File "/opt/conda/lib/python3.10/site-packages/torch/serialization.py", line 849, in save\n    with _open_zipfile_writer(f) as opened_zipfile:\n'
        '  File "/opt/conda/lib/python3.10/site-packages/torch/serialization.py", line 690, in __exit__\n    self.file_like.write_end_of_file()\nRuntimeError: [enforce fail at inline_container.cc:603] . unexpected pos 1291845632 vs 1291845520\n'
    )
    put(place, "pretrain.log", "\n".join(out))
    put(
        place,
        "df.txt",
        "Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme1n1     27T   27T     0 100% /data\n/dev/nvme0n1p2  1.8T  611G  1.1T  37% /\n",
    )


def c20_embedding_flat(place: Path, rng: Random) -> None:
    total, clock, history = 4200, Clock(rng, 0.92), []
    noise = Noise(rng, 0.035, 0.1)
    for step in range(20, total + 1, 20):
        clock.go(20)
        history.append(
            {
                "epoch": round(step / 1400, 4),
                "grad_norm": 11.6 * math.exp(rng.gauss(0, 0.14)),
                "learning_rate": 0.0,
                "loss": round(3.466 * (1 + noise()), 4),
                "step": step,
            }
        )
        if step % 700 == 0:
            history.append(
                {
                    "epoch": round(step / 1400, 4),
                    "eval_loss": 3.4571338653564453,
                    "eval_recall@10": 0.1124,
                    "eval_runtime": 30.1 + rng.gauss(0, 0.3),
                    "eval_samples_per_second": 132.9,
                    "eval_steps_per_second": 2.08,
                    "step": step,
                }
            )
    ran = (clock.at - START).total_seconds()
    history.append(
        {
            "epoch": 3.0,
            "step": total,
            "total_flos": 0.0,
            "train_loss": 3.4671,
            "train_runtime": ran,
            "train_samples_per_second": total * 64 / ran,
            "train_steps_per_second": total / ran,
        }
    )
    put_json(place, "bge-small-legal/trainer_state.json", trainer_state(history, total, total))


def c21_vlm_scratch(place: Path, rng: Random) -> None:
    loss, clock, rows = Loss(rng, 5.2, 1.1, 420, 0.5, 0.03), Clock(rng, 1.9), ""
    for step in range(10, 4311, 10):
        took = clock.go(10)
        rows += f'{{"step": {step}, "of": 20000, "loss": {loss(step):.5f}, "lr": {cosine(step, 20000, 1e-4, 500):.3e}, "s_per_it": {took / 10:.3f}, "t": "{stamp(clock.at, "%Y-%m-%dT%H:%M:%SZ")}"}}\n'
    put(place, "vlm/log.jsonl", rows[:-61])


def c22_wmt_fairseq(place: Path, rng: Random) -> None:
    loss, clock, out = Loss(rng, 13.1, 3.9, 600, 0.6, 0.012), Clock(rng, 0.33), []
    out.append(f"{stamp(START)} | INFO | fairseq_cli.train | task: TranslationTask")
    out.append(
        f"{stamp(START)} | INFO | fairseq_cli.train | num. shared model params: 209,911,808 (num. trained: 209,911,808)"
    )
    for update in range(100, 27901, 100):
        clock.go(100)
        value = loss(update)
        epoch = 1 + update // 4470
        out.append(
            f"{stamp(clock.at)} | INFO | train_inner | epoch {epoch:03}: {update % 4470:6} / 4470 loss={value:.3f}, nll_loss={value - 1.4:.3f}, ppl={2 ** (value - 1.4):.2f}, wps={int(98000 * (1 + rng.gauss(0, 0.02)))}, ups={3.03 + rng.gauss(0, 0.03):.2f}, wpb=32411.8, bsz=1180.2, num_updates={update}, lr={0.0007 * min(update / 4000, (4000 / update) ** 0.5):.6g}, gnorm={0.9 * math.exp(rng.gauss(0, 0.1)):.3f}, loss_scale=16, train_wall=33, gb_free=21.4, wall={int((clock.at - START).total_seconds())}"
        )
        if update % 4470 < 100:
            clock.rest(41)
            out.append(
                f"{stamp(clock.at)} | INFO | valid | epoch {epoch - 1:03} | valid on 'valid' subset | loss {loss.mean(update) * 1.02:.3f} | nll_loss {loss.mean(update) * 1.02 - 1.5:.3f} | ppl {2 ** (loss.mean(update) - 1.5):.2f} | num_updates {update}"
            )
    put(
        place,
        "train.err",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=70311.0. Some of the step tasks have been OOM Killed.\nsrun: error: gpu-n11: task 0: Out Of Memory\n",
    )
    put(place, "train.out", "\n".join(out) + "\n")
