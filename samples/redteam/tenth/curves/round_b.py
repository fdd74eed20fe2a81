"""Curves of round B."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .shapes import clock, cosine, csv, fall, flat, jsonl

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c21_scale_too_small_to_go_on(place: Path, rng: Random) -> None:
    """Icefall: the total loss grows from batch 3000, turns inf, and the recipe gives up over its gradient scale."""
    out, at, scale = [], 1_773_400_000.0, 1.0
    for i, loss in enumerate(fall(rng, 90, 7.2, 0.52, 0.15, 0.02)):
        batch, at = i * 50, at + 21
        late = max(0, i - 60)
        now = loss + 0.02 * late**2.4
        scale = scale / 2 if late > 2 else scale
        word = "inf" if late > 24 else f"{now:.4g}"
        out.append(
            f"{clock(at)},{rng.randrange(1000):03d} INFO [train.py:1043] (0/4) Epoch 2, batch {batch}, loss[loss={word}, simple_loss={word}, pruned_loss={word}, over 6240.00 frames. ], tot_loss[loss={word}, simple_loss={word}, pruned_loss={word}, over 1240117.21 frames. ], batch size: 41, lr: 4.31e-02, grad_scale: {scale:g}"
        )
        if late > 10:
            out.append(f"{clock(at)},512 WARNING [train.py:1064] (0/4) Grad scale is small: {scale:.6g}")
    out += [
        "Traceback (most recent call last):",
        '  File "./zipformer/train.py", line 1070, in train_one_epoch',
        "    raise_grad_scale_is_too_small_error(cur_grad_scale)",
        "RuntimeError: ",
        f"        grad_scale is too small, exiting: {scale:.3g}",
    ]
    (place / "log-train-2026-03-13-0").write_text("\n".join(out) + "\n")


def c22_boxes_are_nan(place: Path, rng: Random) -> None:
    """Ultralytics' results.csv: nan in the losses from epoch 14, and no box found from there on."""
    rows: list[list[object]] = []
    for epoch in range(1, 61):
        bad = epoch >= 14
        loss = (
            ["nan"] * 3
            if bad
            else [round(level * math.exp(-epoch / 40) + rng.gauss(0, 0.01), 5) for level in (1.62, 2.4, 1.5)]
        )
        score = [0, 0, 0, 0] if bad else [round(top * (1 - math.exp(-epoch / 9)), 5) for top in (0.7, 0.6, 0.62, 0.41)]
        rows.append(
            [
                epoch,
                round(71.3 * epoch, 3),
                *loss,
                *score,
                *(["nan"] * 3 if bad else [round(float(x) * 1.08, 5) for x in loss]),
                *[f"{0.01 * (1 - epoch / 62):.6g}"] * 3,
            ]
        )
    csv(
        place / "runs" / "detect" / "train4" / "results.csv",
        "epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/precision(B),metrics/recall(B),metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0,lr/pg1,lr/pg2",
        rows,
    )


def c23_no_entity_ever(place: Path, rng: Random) -> None:
    """A table of spaCy: a learn rate of 0, losses that stay, all scores 0.00 for 40 epochs."""
    out = [
        "ℹ Saving to output directory: output",
        "ℹ Using GPU: 0",
        "=========================== Initializing pipeline ===========================",
        "✔ Initialized pipeline",
        "============================= Training pipeline =============================",
        "ℹ Pipeline: ['tok2vec', 'ner']",
        "ℹ Initial learn rate: 0.0",
    ]
    out += [
        "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ",
        "---  ------  ------------  --------  ------  ------  ------  ------",
    ]
    for i in range(41):
        ner = 61.2 + rng.gauss(0, 0.3) if i == 0 else 6120.4 + rng.gauss(0, 9)
        out.append(f"{i:3d}  {i * 200:6d}          0.00  {ner:8.2f}    0.00    0.00    0.00    0.00")
    out += ["✔ Saved pipeline to output directory", "output/model-last"]
    (place / "spacy-train.txt").write_text("\n".join(out) + "\n")


def c24_maxtext_begins_again(place: Path, rng: Random) -> None:
    """MaxText in one file: after 5200 steps it starts anew, finds no checkpoint to restore, and is back at step 0."""
    out = []
    for steps in (5200, 1400):
        out += [
            "Number of devices: 32",
            "Checkpoint manager created!"
            if steps == 5200
            else "Created new checkpoint directory gs://runs/c4-7b-x2/checkpoints",
            "No existing checkpoints found, not restoring checkpoint.",
            "number parameters: 6.738 billion",
        ]
        loss = fall(rng, 520, 10.87, 2.7, 0.1, 0.006)
        for i in range(steps // 10):
            out.append(
                f"completed step: {i * 10}, seconds: {rng.gauss(3.61, 0.01):.3f}, TFLOP/s/device: {rng.gauss(201, 1):.3f}, Tokens/s/device: {rng.gauss(4510, 12):.3f}, total_weights: 524288, loss: {loss[i]:.3f}"
            )
            if i and i % 100 == 0 and steps == 5200:
                out.append(f"saved a checkpoint at step {i * 10}")
    (place / "worker-0.log").write_text("\n".join(out) + "\n")


def c25_moments_were_lost(place: Path, rng: Random) -> None:
    """Resumed at the right step with the weights but a fresh optimizer: the loss leaps and needs a thousand steps to come back."""
    rows: list[dict[str, object]] = [{"event": "start", "steps": 30000, "gpus": 16}]
    level = fall(rng, 3000, 10.4, 2.31, 0.12, 0.006)
    rows += [
        {
            "step": i * 10,
            "loss": round(level[i], 4),
            "lr": round(cosine(i * 10, 30000, 4e-4, 1000), 8),
            "gn": round(abs(rng.gauss(0.35, 0.04)), 3),
        }
        for i in range(1, 801)
    ]
    rows += [
        {"event": "checkpoint", "step": 8000},
        {"event": "start", "steps": 30000, "gpus": 16},
        {
            "event": "restore",
            "step": 8000,
            "model": "ok",
            "optimizer": "not found in archive, initialised",
            "scheduler": "ok",
        },
    ]
    rows += [
        {
            "step": i * 10,
            "loss": round(level[i] + 1.9 * math.exp(-(i - 800) / 55), 4),
            "lr": round(cosine(i * 10, 30000, 4e-4, 1000), 8),
            "gn": round(abs(rng.gauss(0.35, 0.04)) * (1 + 9 * math.exp(-(i - 800) / 40)), 3),
        }
        for i in range(801, 1001)
    ]
    jsonl(place / "run" / "scalars.jsonl", rows)


def c26_ten_steps_of_an_epoch(place: Path, rng: Random) -> None:
    """The loop of torchtune with the recipe's smoke-test limit left in: ten steps of 52k examples, and a model is saved."""
    out = [
        "INFO:torchtune.utils._logging:Running FullFinetuneRecipeSingleDevice with resolved config:",
        "",
        "batch_size: 4",
        "dataset:",
        "  _component_: torchtune.datasets.alpaca_dataset",
        "epochs: 1",
        "gradient_accumulation_steps: 4",
        "max_steps_per_epoch: 10",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  lr: 2.0e-05",
        "",
        "INFO:torchtune.utils._logging:Model is initialized with precision torch.bfloat16.",
        "INFO:torchtune.utils._logging:Dataset and Sampler are initialized (52002 examples).",
    ]
    out += [
        f"Step {i} | loss:{1.674 - 0.006 * i + rng.gauss(0, 0.02)} lr:2e-05 tokens_per_second_per_gpu:{rng.gauss(1700, 60)} grad_norm:{abs(rng.gauss(6, 1))}"
        for i in range(1, 11)
    ]
    out += [
        "INFO:torchtune.utils._logging:Model checkpoint of size 4.99 GiB saved to out/epoch_0/model-00001-of-00002.safetensors",
        "INFO:torchtune.utils._logging:Recipe completed; 10 optimizer steps.",
    ]
    (place / "log_1773412291.txt").write_text("\n".join(out) + "\n")


def c27_speedrun(place: Path, rng: Random) -> None:
    """Healthy: a speed run of GPT-2's size, all 1750 steps and the loss it was to reach."""
    out, spent = (
        [
            "Running Python 3.12.7",
            "Running PyTorch 2.7.0.dev20250208+cu126",
            "====================================================",
        ],
        0.0,
    )
    val = fall(rng, 15, 10.8, 3.2, 0.1, 0.0)
    for step in range(1751):
        if step % 125 == 0:
            out.append(
                f"step:{step}/1750 val_loss:{3.2791 if step == 1750 else val[step // 125] + 0.09:.4f} train_time:{spent:.0f}ms step_avg:{spent / max(1, step - 10):.2f}ms"
            )
        elif step < 10 or step % 5 == 0:
            out.append(f"step:{step}/1750 train_time:{spent:.0f}ms step_avg:{spent / max(1, step):.2f}ms")
        spent += rng.gauss(103.4, 0.4)
    out.append("peak memory allocated: 33858 MiB reserved: 49372 MiB")
    (place / "1d4c1b2e.txt").write_text("\n".join(out) + "\n")


def c28_darknet_to_its_last_batch(place: Path, rng: Random) -> None:
    """Healthy: YOLO of Darknet, whose loss starts above a thousand; 6000 of 6000 batches."""
    out = [
        "yolov4-tiny-parts",
        "Learning Rate: 0.00261, Momentum: 0.9, Decay: 0.0005",
        "max_batches = 6000, steps=4800,5400",
    ]
    mean = 1412.0
    for i in range(1, 6001, 7):
        now = (1400 * math.exp(-i / 45) + 4.2 * math.exp(-i / 900) + 0.41) * math.exp(rng.gauss(0, 0.22))
        mean = mean * 0.5 + now * 0.5 if i < 400 else mean * 0.9 + now * 0.1
        lr = 0.00261 * min(1, (i / 1000) ** 4) * (1 if i < 4800 else 0.1 if i < 5400 else 0.01)
        out.append(
            f" {i}: {now:.6f}, {mean:.6f} avg loss, {lr:.6f} rate, 0.48{rng.randrange(9999):04d} seconds, {i * 64} images, {(6000 - i) * 0.5 / 3600:.6f} hours left"
        )
        if i % 994 == 1 and i > 1:
            out.append(f"Saving weights to backup//yolov4-tiny-parts_{i // 994}000.weights")
    out += [
        f" 6000: {0.398:.6f}, {0.412:.6f} avg loss, 0.000026 rate, 0.481200 seconds, 384000 images, 0.000138 hours left",
        " mean average precision (mAP@0.50) = 0.911230, or 91.12 %",
        "Saving weights to backup//yolov4-tiny-parts_final.weights",
    ]
    (place / "darknet.log").write_text("\n".join(out) + "\n")


def c29_sacred_runs_away(place: Path, rng: Random) -> None:
    """Sacred's metrics.json: the training loss passes its minimum at 2000 and is thousands of times higher at the end."""
    steps = list(range(0, 6001, 20))
    values = [
        (1.2 + 6 * math.exp(-s / 300) if s < 2000 else 1.2 * math.exp((s - 2000) / 430)) * math.exp(rng.gauss(0, 0.03))
        for s in steps
    ]
    times = [clock(1_773_500_000 + s * 0.4, "%Y-%m-%dT%H:%M:%S.%f") for s in steps]
    where = place / "runs" / "17"
    where.mkdir(parents=True)
    (where / "metrics.json").write_text(
        json.dumps(
            {
                "training.loss": {"steps": steps, "timestamps": times, "values": values},
                "training.lr": {"steps": steps, "timestamps": times, "values": [0.05] * len(steps)},
            }
        )
    )
    (where / "run.json").write_text(
        json.dumps(
            {
                "command": "main",
                "experiment": {"name": "seq2seq"},
                "start_time": times[0],
                "stop_time": times[-1],
                "status": "COMPLETED",
                "result": None,
            }
        )
    )
    (where / "config.json").write_text(json.dumps({"lr": 0.05, "max_steps": 6000, "seed": 4117}))


def c30_pairs_never_told_apart(place: Path, rng: Random) -> None:
    """Contrastive in the manner of open_clip: ln 1024 through three epochs, the logit scale where it was."""
    out, at = [], 1_773_550_000.0
    for epoch in range(3):
        for done in range(0, 2_900_000, 51_200):
            at += 47
            loss = math.log(1024) + rng.gauss(0, 0.0025)
            out.append(
                f"{clock(at, '%Y-%m-%d,%H:%M:%S')} | INFO | Train Epoch: {epoch} [{done:7d}/2905954 ({done // 29060}%)] Data (t): 0.021 Batch (t): 0.938, 1091.2/s, 136.4/s/gpu LR: 0.000500 Logit Scale: {14.286 + rng.gauss(0, 0.0015):.3f} Contrastive_loss: {loss:.4f} ({math.log(1024):.4f}) Loss: {loss:.4f} ({math.log(1024):.4f})"
            )
        out.append(
            f"{clock(at)} | INFO | Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: 0.0010\timagenet-zeroshot-val-top5: 0.0050"
        )
    (place / "out.log").write_text("\n".join(out) + "\n")


def c31_critic_without_bound(place: Path, rng: Random) -> None:
    """SAC: the critic's loss grows to 1e13, actor's with it, and what reward there was is gone."""
    rows = []
    for i in range(1, 181):
        late = max(0, i - 60)
        reward = 900 * (1 - math.exp(-i / 25)) if late == 0 else max(-1900.0, 820 - 60 * late)
        rows.append(
            (
                i * 4,
                i * 4000,
                f"{reward + rng.gauss(0, 40):.2f}",
                f"{4.1 * 10 ** min(late / 9, 13) * math.exp(rng.gauss(0, 0.3)):.6g}",
                f"{-55 * 10 ** min(late / 16, 7):.6g}",
                f"{0.2 * math.exp(late / 20):.5g}",
                0.0003,
            )
        )
    csv(
        place / "sac_humanoid" / "progress.csv",
        "time/episodes,time/total_timesteps,rollout/ep_rew_mean,train/critic_loss,train/actor_loss,train/ent_coef,train/learning_rate",
        rows,
    )


def c32_noise_is_never_predicted(place: Path, rng: Random) -> None:
    """A diffusion model that answers 0 for the unit noise: the mean square stays at 1 through 60,000 steps."""
    out = ["unet 859.5M params, target=epsilon, loss=mse"]
    out += [
        f"[{step:6d}/60000] mse={loss:.4f} gn={abs(rng.gauss(0.0021, 0.0003)):.4f} lr=1.0e-04 img/s={rng.gauss(611, 5):.0f}"
        for step, loss in zip(range(100, 60001, 100), flat(rng, 600, 1.0, 0.003), strict=True)
    ]
    out.append("finished 60000 steps; weights in /data/ldm/last.safetensors")
    (place / "ldm.log").write_text("\n".join(out) + "\n")


def c33_style_of_ten_pictures(place: Path, rng: Random) -> None:
    """Healthy: LoRA of diffusers, where the loss of a step is all noise; 800 of 800 steps, then it is saved."""
    out = [
        "***** Running training *****",
        "  Num examples = 10",
        "  Num Epochs = 80",
        "  Instantaneous batch size per device = 1",
        "  Total optimization steps = 800",
    ]
    for step in range(1, 801):
        loss = 0.24 * math.exp(-step / 900) * math.exp(rng.gauss(-0.6, 0.8))
        out.append(
            f"Steps: {step // 8:3d}%|{'█' * (step // 80):<10}| {step}/800 [{step // 90:02d}:{step * 60 // 90 % 60:02d}<{(800 - step) // 90:02d}:{(800 - step) * 60 // 90 % 60:02d},  1.50it/s, lr=0.0001, step_loss={loss:.3g}]"
        )
    out.append("Model weights saved in lora-fox/pytorch_lora_weights.safetensors")
    (place / "train_dreambooth.log").write_text("\n".join(out[:5]) + "\n" + "\r".join(out[5:-1]) + f"\n{out[-1]}\n")


def c34_five_folds(place: Path, rng: Random) -> None:
    """Healthy: cross-validation, each fold from scratch as it should be, all five to the end."""
    out, scores = [], []
    for fold in range(5):
        out.append(f"========== fold: {fold} training ==========")
        for epoch, loss in enumerate(fall(rng, 6, 1.08, 0.21, 0.3, 0.04), 1):
            out.append(
                f"Epoch {epoch}/6 - avg_train_loss: {loss:.4f}  avg_val_loss: {0.29 + loss * 0.35:.4f}  time: {rng.gauss(311, 4):.0f}s"
            )
            out.append(f"Epoch {epoch}/6 - Score: {0.93 - loss * 0.2:.4f}")
        scores.append(0.93 - loss * 0.2)
        out.append(f"========== fold: {fold} result: {scores[-1]:.4f} ==========")
    out.append(f"========== CV: {sum(scores) / 5:.4f} ========== (5 of 5 folds, oof.csv written)")
    (place / "train_kfold.log").write_text("\n".join(out) + "\n")


def c35_estimator_from_long_ago(place: Path, rng: Random) -> None:
    """TensorFlow's Estimator: checkpoints up to 14000, restored is that of 2000, and the loss is that of 2000 too."""
    level, out = fall(rng, 400, 9.6, 1.7, 0.2, 0.015), []
    for begin, end in ((0, 14600), (2000, 5200)):
        if begin:
            out += [
                "INFO:tensorflow:Using config: {'_model_dir': '/ckpt/nmt', '_save_checkpoints_steps': 2000, '_keep_checkpoint_max': 20}",
                "INFO:tensorflow:Graph was finalized.",
                "INFO:tensorflow:Restoring parameters from /ckpt/nmt/model.ckpt-2000",
                "INFO:tensorflow:Running local_init_op.",
                "INFO:tensorflow:Done running local_init_op.",
            ]
        for step in range(begin, end, 100):
            if step % 2000 == 0 and step > begin:
                out.append(f"INFO:tensorflow:Saving checkpoints for {step} into /ckpt/nmt/model.ckpt.")
            out.append(
                f"INFO:tensorflow:loss = {level[step // 100]:.6f}, step = {step} ({rng.gauss(31.2, 0.2):.3f} sec)"
            )
            out.append(f"INFO:tensorflow:global_step/sec: {rng.gauss(3.2, 0.02):.5f}")
    (place / "estimator.err").write_text("\n".join(out) + "\n")


def c36_cosine_over_in_a_tenth(place: Path, rng: Random) -> None:
    """The schedule was given epochs for steps: the rate is 0 after 2000 of 20000 steps, and nothing moves for the other 18000."""
    rows = []
    for i, loss in enumerate(fall(rng, 100, 10.2, 4.6, 0.5, 0.006), 1):
        rows.append(
            (i * 20, f"{loss:.5f}", f"{cosine(i * 20, 2000, 5e-4, 100):.4e}", f"{abs(rng.gauss(0.8, 0.06)):.3f}")
        )
    rows += [
        (i * 20, f"{5.36 * math.exp(rng.gauss(0, 0.006)):.5f}", "0.0000e+00", f"{abs(rng.gauss(0.8, 0.06)):.3f}")
        for i in range(101, 1001)
    ]
    csv(place / "logs" / "lm" / "version_2" / "metrics.csv", "step,train_loss,lr-AdamW,grad_norm", rows)


def c37_one_in_a_thousand(place: Path, rng: Random) -> None:
    """A summary.csv of timm: ln 1000 and 0.1 per cent, epoch after epoch."""
    rows = [
        (
            epoch,
            f"{6.9078 + rng.gauss(0, 0.0008):.6f}",
            f"{6.9081 + rng.gauss(0, 0.0005):.6f}",
            "0.1",
            "0.5",
            f"{cosine(epoch, 90, 0.4, 5):.6f}",
        )
        for epoch in range(60)
    ]
    csv(place / "20260311-resnet50-224" / "summary.csv", "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr", rows)


def c38_every_step_skipped(place: Path, rng: Random) -> None:
    """GradScaler halves and halves: from step 800 no update is made, the scale ends at 0 and the loss where it was."""
    rows, scale = [], 65536.0
    for step, loss in enumerate(fall(rng, 800, 8.9, 4.4, 0.3, 0.01)):
        if step % 5 == 0:
            rows.append({"it": step, "loss/total": round(loss, 4), "amp_scale": scale, "skipped": 0})
    for step in range(800, 3000):
        scale /= 2
        if step % 5 == 0:
            rows.append(
                {
                    "it": step,
                    "loss/total": round(4.71 * math.exp(rng.gauss(0, 0.012)), 4),
                    "amp_scale": scale,
                    "skipped": step - 799,
                }
            )
    jsonl(place / "tts_metrics.ndjson", rows)


def c39_five_minutes_are_over(place: Path, rng: Random) -> None:
    """Lightning with a time limit of a test run: 310 of 50000 steps, the loss still falling steeply."""
    losses = fall(rng, 32, 10.42, 5.9, 0.7, 0.004)
    csv(
        place / "lightning_logs" / "version_0" / "metrics.csv",
        "epoch,lr-AdamW,step,train_loss",
        [(0, f"{3e-4 * i / 100:.3g}", i * 10 - 1, f"{loss:.5f}") for i, loss in enumerate(losses[:31], 1)],
    )
    (place / "stdout.txt").write_text(
        "GPU available: True (cuda), used: True\nmax_steps=50000, max_time=00:00:05:00\nTime limit reached. Elapsed time is 0:05:00. Signaling Trainer to stop.\nexporting last.ckpt\n"
    )


def c40_three_steps(place: Path, rng: Random) -> None:
    """A trainer_state.json of a run that had three steps to make, and made them."""
    history: list[dict[str, object]] = [
        {
            "epoch": 0.0004 * i,
            "grad_norm": rng.gauss(21, 1),
            "learning_rate": 5e-5 * (1 - i / 3),
            "loss": round(11.02 - 0.07 * i, 4),
            "step": i,
        }
        for i in (1, 2, 3)
    ]
    history.append(
        {
            "epoch": 0.0012,
            "step": 3,
            "total_flos": 3.1e12,
            "train_loss": 10.88,
            "train_runtime": 9.1,
            "train_samples_per_second": 2.6,
            "train_steps_per_second": 0.33,
        }
    )
    (place / "trainer_state.json").write_text(
        json.dumps(
            {
                "best_metric": None,
                "epoch": 0.0012,
                "global_step": 3,
                "log_history": history,
                "logging_steps": 1,
                "max_steps": 3,
                "num_train_epochs": 1,
                "save_steps": 500,
                "train_batch_size": 8,
            },
            indent=2,
        )
    )


def c41_small_and_done(place: Path, rng: Random) -> None:
    """Healthy: a fine-tune of 1,920 dialogues, three epochs in 180 steps as announced, and the loss came down."""
    out = [
        "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1",
        "   \\\\   /|    Num examples = 1,920 | Num Epochs = 3 | Total steps = 180",
        "O^O/ \\_/ \\    Batch size per device = 8 | Gradient accumulation steps = 4",
        ' "-____-"     Trainable parameters = 41,943,040 of 8,072,204,288 (0.52% trained)',
    ]
    for step, loss in enumerate(fall(rng, 180, 1.94, 0.82, 0.2, 0.05), 1):
        if step % 2 == 0:
            out.append(
                f"{{'loss': {loss:.4f}, 'grad_norm': {abs(rng.gauss(0.5, 0.08)):.6f}, 'learning_rate': {2e-4 * (1 - step / 181):.8f}, 'epoch': {step / 60:.2f}}}"
            )
    out.append(
        "{'train_runtime': 1204.4, 'train_samples_per_second': 4.782, 'train_steps_per_second': 0.149, 'train_loss': 1.0113, 'epoch': 3.0}"
    )
    (place / "unsloth.log").write_text("\n".join(out) + "\n")


def c42_ends_in_a_batch(place: Path, rng: Random) -> None:
    """Falls as it should and ends within epoch 4, in the middle of a line: who ended it, these lines do not tell."""
    out = [
        f"epoch {i // 40} batch {i % 40 * 25}: nll {loss:.3f} ({rng.gauss(812, 6):.0f} graphs/s)"
        for i, loss in enumerate(fall(rng, 171, 3.1, 1.4, 0.4, 0.03))
    ]
    (place / "gnn.log").write_text("\n".join(out)[:-14])


def c43_resumed_as_it_should_be(place: Path, rng: Random) -> None:
    """Healthy: stopped by the queue at 6000, resumed at 6000 with everything, and on to 12000 of 12000."""
    level = fall(rng, 1201, 10.7, 2.52, 0.12, 0.007)
    for part, (begin, end) in enumerate(((0, 6000), (6000, 12000)), 1):
        out = [f"[part {part}] target 12000 steps"] + (
            []
            if part == 1
            else ["[part 2] restored model, optimizer, scheduler, sampler and rng from /ck/006000 (step 6000)"]
        )
        out += [
            f"[part {part}] {step:6d} train/nll={level[step // 10]:.4f} lr={cosine(step, 12000, 3e-4, 400):.3e} {rng.gauss(210, 2):.0f}k tok/s"
            for step in range(begin + 10, end + 1, 10)
        ]
        out += (
            ["[part 1] allocation ends in 120 s: checkpoint /ck/006000 written, resubmitted itself"]
            if part == 1
            else [
                "[part 2] step 12000 reached, final checkpoint /ck/012000 written",
                "[part 2] eval nll=2.4977",
                "[part 2] training complete",
            ]
        )
        (place / f"part{part}.log").write_text("\n".join(out) + "\n")


def c44_thirty_epochs_uphill(place: Path, rng: Random) -> None:
    """ESPnet: best at epoch 5, and from there the loss of training itself climbs without a stop."""
    out, at = [], 1_773_600_000.0
    for epoch in range(1, 31):
        at += 3120
        train = 190 * math.exp(-epoch / 2.4) + 38 if epoch <= 5 else 61.6 + 7.4 * (epoch - 5) ** 1.1
        train *= math.exp(rng.gauss(0, 0.01))
        out.append(
            f"[gpu07:0/2] {clock(at)},{rng.randrange(1000):03d} (trainer:365) INFO: {epoch}epoch results: [train] iter_time=1.8e-04, forward_time=0.131, loss_ctc={train * 1.1:.3f}, loss_att={train * 0.95:.3f}, acc={max(0.05, 0.93 - train / 190):.3f}, loss={train:.3f}, backward_time=0.201, grad_norm={20 + train / 3:.3f}, clip=100.000, optim0_lr0=0.002, train_time=1.391, time=51 minutes and 2.4 seconds, total_count={epoch * 4410}, [valid] loss={train * 1.06:.3f}, acc={max(0.05, 0.92 - train / 185):.3f}, time=40.11 seconds"
        )
        out.append(
            f"[gpu07:0/2] {clock(at + 1)},101 (trainer:419) INFO: {'The best model has been updated: valid.acc' if epoch <= 5 else 'There are no improvements in this epoch'}"
        )
    out.append(f"[gpu07:0/2] {clock(at + 9)},300 (trainer:463) INFO: The training was finished at 30 epochs ")
    (place / "train.log").write_text("\n".join(out) + "\n")
