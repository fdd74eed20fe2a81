"""The second round: twenty curves, of other trainers and other ends."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .forms import Row, at_time, cosine, fall, jsonl, lines, table, tensorboard, trainer_state

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c17_swinging(out: Path, rng: Random) -> None:
    rows = []
    for epoch in range(1, 101):
        swing = min(1.0, epoch / 25) * (1 + math.sin(epoch * 2.1 + rng.gauss(0, 0.5)))
        box, cls = 1.6 + 2.2 * swing + rng.gauss(0, 0.1), 2.1 + 6.5 * swing + rng.gauss(0, 0.3)
        good = max(0.0, 0.12 * math.exp(-epoch / 6) + rng.gauss(0, 0.0004))
        rows.append(
            {
                "epoch": epoch,
                "time": round(epoch * 41.3, 2),
                "train/box_loss": round(box, 5),
                "train/cls_loss": round(cls, 5),
            }
            | {
                "train/dfl_loss": round(1.3 + swing, 5),
                "metrics/precision(B)": round(good / 2, 5),
                "metrics/mAP50(B)": round(good, 5),
            }
            | {
                "val/box_loss": round(box * 1.15, 5),
                "val/cls_loss": round(cls * 1.3, 5),
                "lr/pg0": round(0.12 * (1 - epoch / 101), 6),
            }
        )
    table(out / "runs" / "detect" / "train7" / "results.csv", rows)
    lines(
        out / "runs" / "detect" / "train7" / "args.yaml",
        ["task: detect", "model: yolo11m.yaml", "epochs: 100", "batch: 64", "lr0: 0.12"],
    )


def c18_fairseq_nan(out: Path, rng: Random) -> None:
    text = [f"{at_time('2025-12-01 08:00:00', 0)} | INFO | fairseq_cli.train | num. shared model params: 60,526,080"]
    for update in range(100, 40001, 100):
        loss = fall(update, 13.9, 4.1, 2500, rng, 0.01) if update < 21700 else math.nan
        fields = {
            "epoch": 1 + update // 9000,
            "update": f"{update / 9000:.3f}",
            "loss": f"{loss:.3f}",
            "nll_loss": f"{loss - 1.4:.3f}",
        }
        fields |= {
            "ppl": f"{2 ** (loss - 1.4):.2f}",
            "wps": f"{rng.gauss(212000, 900):.0f}",
            "ups": "5.01",
            "num_updates": update,
        }
        fields |= {
            "lr": f"{0.0007 * math.sqrt(4000 / max(update, 4000)):.6g}",
            "gnorm": f"{abs(rng.gauss(0.6, 0.1)) if loss == loss else math.nan:.3f}",
            "train_wall": update // 5,
        }
        text.append(f"{at_time('2025-12-01 08:00:00', update / 5)} | INFO | train_inner | " + json.dumps(fields))
    lines(
        out / "wmt_ende.log",
        [*text, f"{at_time('2025-12-01 08:00:00', 8010)} | INFO | fairseq_cli.train | done training in 8010.2 seconds"],
    )


def c19_shuffled_labels(out: Path, rng: Random) -> None:
    rows = []
    for step in range(0, 15000, 50):
        loss = 2.3032 + 0.7 * math.exp(-step / 90) + rng.gauss(0, 0.006)
        rows.append(
            {
                "iter": step,
                "lr": f"{cosine(step, 15000, 0.05, 200):.5f}",
                "xent": f"{loss:.4f}",
                "train_acc": f"{rng.gauss(0.1003, 0.004):.4f}",
                "grad_l2": f"{abs(rng.gauss(0.42, 0.06)):.3f}",
                "test_acc": f"{rng.gauss(0.1, 0.002):.4f}" if step % 1000 == 0 else "",
            }
        )
    table(out / "svhn_10way_wrn16.csv", rows)


def c20_fresh_optimizer(out: Path, rng: Random) -> None:
    text = []
    for begin, end, clock in ((0, 30010, 0), (30000, 46000, 50000)):
        stamp = at_time("2026-04-10 03:00:00", clock)
        if begin:
            text += [
                f"[{stamp}] restart 1: weights from ckpt_30000.safetensors",
                f"[{stamp}] WARN optimizer shards missing for ckpt_30000 (0 of 16 found), moments set to zero",
            ]
        for step in range(begin, end, 40):
            jolt = 2.9 * math.exp(-(step - 30000) / 6000) * min(1.0, (step - 30000) / 200) if begin else 0.0
            text.append(
                f"[{at_time('2026-04-10 03:00:00', clock + 30 + (step - begin) * 1.6)}] s={step} L={fall(step, 11.2, 2.1, 3000, rng, 0.008) + jolt:.4f} |g|={abs(rng.gauss(0.5, 0.07)) * (1 + 6 * jolt):.3f} lr=2.0e-04"
            )
    lines(out / "node0.log", text)


def c21_latest_ignored(out: Path, rng: Random) -> None:
    text: list[str] = []
    for count, (first, last) in enumerate(((0, 38), (0, 17))):
        text.append(f"== job 88410 (SLURM_RESTART_COUNT={count}) host=gpu-b12 ==")
        text.append(
            "auto_resume: no earlier run, start at epoch 0"
            if not count
            else "auto_resume: last.ckpt has format 2, this build reads format 3; ignored"
        )
        for epoch in range(first, last):
            for part in range(0, 1000, 250):
                loss = fall(epoch + part / 1000, 6.9, 0.9, 8, rng, 0.01)
                text.append(
                    f"epoch={epoch:03d} it={part:04d}/1000 loss={loss:.4f} top1={max(0.1, 100 - 14.3 * loss):.2f}"
                )
            text.append(f"epoch={epoch:03d} end, saved last.ckpt")
    lines(out / "slurm-88410.out", text)


def c22_resumed_well(out: Path, rng: Random) -> None:
    rows: list[Row] = []
    for begin, end in ((0, 12400), (12001, 24001)):
        rows.append({"event": "start", "resume_from": "step_12000.pt" if begin else None, "target_steps": 24000})
        if begin:
            rows.append({"event": "loaded", "path": "step_12000.pt", "step": 12000, "optimizer": True, "rng": True})
        rows += [
            {
                "step": step,
                "train_nll": round(fall(step, 5.6, 1.15, 2200, rng, 0.012), 4),
                "lr": cosine(step, 24000, 4e-4, 500),
            }
            for step in range(begin, end, 50)
        ]
    rows += [
        {"step": 24000, "train_nll": 1.247, "lr": 0.0},
        {"event": "finished", "step": 24000, "target_steps": 24000},
    ]
    jsonl(out / "events.jsonl", rows)


def c23_ran_dry(out: Path, rng: Random) -> None:
    text = ["plan: 50000 steps, 0.5M tokens a step, shards: 3 (of 2048 listed)"]
    text += [
        f"step {step:>6}/50000  loss {fall(step, 11.0, 3.0, 900, rng, 0.012):.3f}  {rng.gauss(512, 4):.0f} ktok/s"
        for step in range(8, 1185, 8)
    ]
    lines(out / "pretrain.txt", [*text, "stream ended at step 1184: no more shards", "saved final/, exiting normally"])


def c24_three_steps(out: Path, rng: Random) -> None:
    text = [
        "***** Running training *****",
        "  Num examples = 22",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 8",
        "  Total optimization steps = 3",
        "  Number of trainable parameters = 7,241,732,096",
    ]
    for step in range(1, 4):
        row = {"loss": round(2.4 - 0.02 * step + rng.gauss(0, 0.01), 4), "grad_norm": round(rng.gauss(9, 1), 4)}
        text += [str(row | {"learning_rate": (3 - step) * 6.6e-6, "epoch": round(step / 3, 2)})]
    text.append(
        str(
            {
                "train_runtime": 18.4,
                "train_samples_per_second": 1.196,
                "train_steps_per_second": 0.163,
                "train_loss": 2.361,
                "epoch": 1.0,
            }
        )
    )
    lines(out / "finetune.log", text)


def c25_small_lora(out: Path, rng: Random) -> None:
    history: list[Row] = []
    for step in range(5, 241, 5):
        history.append(
            {
                "epoch": round(step / 80, 3),
                "grad_norm": round(abs(rng.gauss(0.8, 0.15)), 4),
                "learning_rate": cosine(step, 240, 2e-4, 10),
                "loss": round(fall(step, 1.94, 0.62, 35, rng, 0.05), 4),
                "step": step,
            }
        )
        if step % 80 == 0:
            history.append(
                {"epoch": step / 80, "eval_loss": round(0.95 - 0.08 * step / 80, 4), "eval_runtime": 12.1, "step": step}
            )
    history.append({"epoch": 3.0, "step": 240, "total_flos": 8.1e15, "train_loss": 0.8812, "train_runtime": 1460.2})
    trainer_state(out / "qlora-out" / "checkpoint-240" / "trainer_state.json", history, 240, 3, logging_steps=5)


def c26_clip(out: Path, rng: Random) -> None:
    text = []
    for epoch in range(16):
        for batch in range(0, 2400, 200):
            step = epoch * 2400 + batch
            loss = fall(step, 8.9, 0.55, 5000, rng, 0.015)
            done = f"[{batch * 4096:>8}/9830400 ({batch / 24:.0f}%)]"
            text.append(
                f"{at_time('2026-02-20 10:00:00', step * 1.1)},{rng.randint(0, 999):03d} | INFO | Train Epoch: {epoch} {done} Data (t): {abs(rng.gauss(0.02, 0.01)):.3f} Batch (t): {rng.gauss(1.1, 0.01):.3f}, 3723.1/s, 465.4/s/gpu LR: {cosine(step, 38400, 5e-4, 2000):.6f} Logit Scale: {min(100, 14.286 + step / 500):.3f} Contrastive_loss: {loss:.5g} ({loss * 1.01:.5g}) Loss: {loss:.5g} ({loss * 1.01:.5g})"
            )
        text.append(
            f"{at_time('2026-02-20 10:00:00', (epoch + 1) * 2640)},000 | INFO | Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: {0.41 * (1 - math.exp(-(epoch + 1) / 5)):.4f}"
        )
    lines(out / "out.log", text)
    lines(
        out / "params.txt",
        ["batch_size: 512", "epochs: 16", "lr: 0.0005", "model: ViT-B-32", "warmup: 2000", "world_size: 8"],
    )


def c27_collapsed(out: Path, rng: Random) -> None:
    text = []
    for epoch in range(1, 101):
        loss = -1.0 + 0.9 * math.exp(-epoch * 1.4) + abs(rng.gauss(0, 0.00004))
        text.append(
            f"Epoch: [{epoch}/100] cos {loss:.5f} emb_std {0.0884 * math.exp(-epoch * 1.5) + 0.00002:.5f} (uniform would be 0.0221) knn@200 {rng.gauss(0.102, 0.004) if epoch > 1 else 0.6:.3f}% of 1000 classes lr {cosine(epoch, 100, 0.1, 0):.4f}"
        )
    lines(out / "simsiam_r50.log", [*text, "Training complete. Saved checkpoint_0100.pth.tar"])


def c28_boosted(out: Path, rng: Random) -> None:
    text = ["params: tree_method=hist device=cuda max_depth=9 eta=0.03 objective=reg:squarederror num_boost_round=1200"]
    for number in [*range(0, 1200, 20), 1199]:
        rmse = 0.031 + 1.18 * math.exp(-number / 95)
        text.append(
            f"[{number}]\ttrain-rmse:{rmse * (1 + rng.gauss(0, 0.001)):.5f}\tvalid-rmse:{rmse * 1.08 + 0.006:.5f}"
        )
    lines(out / "xgb_demand.log", [*text, "1200 of 1200 rounds, model written to demand.ubj"])


def c29_flow(out: Path, rng: Random) -> None:
    rows = []
    for number in range(1, 401):
        nll = -1260 + 1580 * (0.75 * math.exp(-number / 40) + 0.25 / (1 + number / 60)) + rng.gauss(0, 6)
        rows.append(
            {
                "epoch": f"{number}/400",
                "neg_elbo": round(nll, 3),
                "recon": round(nll - 31 - rng.gauss(0, 1), 3),
                "kl": round(31 * (1 - math.exp(-number / 20)), 3),
                "val_neg_elbo": round(nll + 9, 3),
                "secs": round(rng.gauss(22.2, 0.2), 1),
            }
        )
    table(out / "vae_history.csv", rows)
    lines(out / "run.log", ["epochs planned: 400", "epoch 400/400 done, best val_neg_elbo at epoch 397, exit"])


def c30_decimal_commas(out: Path, rng: Random) -> None:
    rows = []
    for step in range(0, 4000, 20):
        mse = (
            fall(step, 0.91, 0.05, 300, rng, 0.05)
            if step < 2300
            else min(1e30, 0.06 * math.exp((step - 2300) / 22) * rng.lognormvariate(0, 0.2))
        )
        rows.append(
            {
                "Schritt": step,
                "MSE": f"{mse:.6g}".replace(".", ","),
                "Lernrate": "0,0008",
                "Zeit_s": f"{step * 0.21:.2f}".replace(".", ","),
            }
        )
    table(out / "verlauf.csv", rows, ";")


def c31_scale_at_minimum(out: Path, rng: Random) -> None:
    text, scale = [], 65536
    for step in range(10, 1901, 10):
        text.append(
            f"[{at_time('2026-01-05 12:00:00', step * 2)},{rng.randint(0, 999):03d}] [INFO] [logging.py:128:log_dist] [Rank 0] step={step}, skipped=0, lr=[{cosine(step, 20000, 1e-4, 1000):.6e}], mom=[(0.9, 0.95)]"
        )
        text.append(f"step {step}/20000 loss: {fall(step, 11.4, 4.0, 500, rng, 0.01):.4f}")
    for step in range(1901, 1918):
        new = max(1, scale // 2)
        text.append(
            f"[{at_time('2026-01-05 12:00:00', step * 2)},210] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {new}"
        )
        scale = new
    stack = ["Traceback (most recent call last):", '  File "/w/train.py", line 141, in <module>', "    engine.step()"]
    stack += [
        '  File "/opt/venv/lib/python3.11/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 185, in update_scale',
        "    raise Exception(",
    ]
    lines(
        out / "ds.log",
        [
            *text,
            *stack,
            "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        ],
    )


def c32_policy_lost(out: Path, rng: Random) -> None:
    rows = []
    for number in range(1, 501):
        up = 3100 / (1 + math.exp(-(number - 120) / 25)) if number < 270 else 3100 * math.exp(-(number - 270) / 4) + 12
        entropy = 1.4 - number / 400 if number < 270 else 0.0001
        value = abs(rng.gauss(40, 9)) if number < 270 else rng.lognormvariate(12, 0.6)
        rows.append(
            {
                "training_iteration": number,
                "timesteps_total": number * 40000,
                "episode_reward_mean": up + rng.gauss(0, 30 if number < 270 else 2),
                "info": {
                    "learner": {
                        "total_loss": value * 0.5 - 0.01,
                        "policy_loss": rng.gauss(-0.01, 0.004),
                        "vf_loss": value,
                        "entropy": max(0.0001, entropy),
                        "kl": abs(rng.gauss(0.01, 0.004)) if number < 270 else rng.lognormvariate(2, 1),
                    }
                },
                "stop": {"training_iteration": 500},
            }
        )
    jsonl(out / "PPO_HalfCheetah_00000" / "result.json", rows)


def c33_late_start(out: Path, rng: Random) -> None:
    text = []
    for step in range(50, 25001, 50):
        loss = 6.9 + 4 * math.exp(-step / 150) if step < 5200 else 1.75 + 5.15 * math.exp(-(step - 5200) / 1500)
        text.append(
            f"INFO:mlm:[{step}/25000] masked_lm_loss={loss * (1 + rng.gauss(0, 0.006)):.4f} lr={cosine(step, 25000, 1e-4, 6000):.2e} grad={abs(rng.gauss(0.7, 0.1)):.2f}"
        )
    lines(out / "bert_small.log", [*text, "INFO:mlm:[25000/25000] complete, mlm accuracy on dev 0.631"])


def c34_cut_line(out: Path, rng: Random) -> None:
    text = [
        f"{at_time('2026-06-01 17:20:00', step * 4.4)} step {step} of 10000: loss={fall(step, 3.8, 1.2, 500, rng, 0.02):.4f} mem=61.2G"
        for step in range(0, 640, 4)
    ]
    (out / "train.out").write_text("\n".join(text)[:-23])


def c35_dead_plateau(out: Path, rng: Random) -> None:
    points = []
    for step in range(0, 24000, 40):
        at, loss = 1_769_000_000 + step * 0.9, 10.43 + 0.39 * math.exp(-step / 60) + rng.gauss(0, 0.008)
        points += [
            (at, step, "loss/train/total", loss),
            (at, step, "metrics/train/LanguagePerplexity", math.exp(loss)),
            (at, step, "lr-DecoupledAdamW/group0", cosine(step, 24000, 6e-4, 200)),
        ]
        points += [(at, step, "l2_norm/grad/global", abs(rng.gauss(0.004, 0.0006)))]
    tensorboard(out / "tb" / "mpt-1b" / "events.out.tfevents.1769000000.h3.77.0", points)
    lines(out / "config.yaml", ["model: mpt-1b", "vocab_size: 50368", "max_duration: 24000ba", "precision: amp_bf16"])


def c36_all_background(out: Path, rng: Random) -> None:
    text = []
    for epoch in range(250):
        stamp = at_time("2026-03-14 06:00:00", epoch * 62) + f".{rng.randint(0, 999999):06d}"
        text += [
            f"{stamp}: ",
            f"{stamp}: Epoch {epoch} ",
            f"{stamp}: Current learning rate: {0.01 * (1 - epoch / 250) ** 0.9:.5f} ",
        ]
        text += [
            f"{stamp}: train_loss {rng.gauss(0.0482, 0.0007):.4f} ",
            f"{stamp}: val_loss {rng.gauss(0.0479, 0.0009):.4f} ",
            f"{stamp}: Pseudo dice [0.0, 0.0, 0.0] ",
            f"{stamp}: Epoch time: {rng.gauss(61.3, 0.4):.2f} s ",
        ]
    lines(
        out / "training_log_2026_3_14_06_00_00.txt",
        [*text, "2026-03-14 10:18:33: Training done. ", "2026-03-14 10:21:02: Mean Validation Dice:  0.0 "],
    )
