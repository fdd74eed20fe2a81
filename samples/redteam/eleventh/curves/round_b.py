"""Round B of the histories (SIMULATED): each function fills one folder; truth_data.jsonl says what is right."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING

from .sim import Wander, cosine, fall, json_lines, power, table, tensorboard, text, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c23_catboost_info(out: Path, rnd: Random) -> None:
    """CatBoost's own folder: the detector of overfitting stopped it."""
    learn, test, left, best, best_at = [], [], [], 9.0, 0
    for k in range(4000):
        a = 0.118 + 0.57 * (1 + k / 27) ** -0.8
        b = 0.1631 + 0.53 * (1 + k / 33) ** -0.9 + max(0, k - 900) * 2.2e-6 + rnd.gauss(0, 2e-6)
        learn.append([k, f"{a:.10f}"])
        test.append([k, f"{b:.10f}"])
        left.append([k, int((4000 - k) * 41.7), int(k * 41.7 + 60)])
        if b < best:
            best, best_at = b, k
        if k - best_at >= 100:
            break
    here = out / "catboost_info"
    table(here / "learn_error.tsv", ["iter", "Logloss"], learn, "\t")
    table(here / "test_error.tsv", ["iter", "Logloss"], test, "\t")
    table(here / "time_left.tsv", ["iter", "Passed", "Remaining"], left, "\t")
    lines = [
        f"{k}:\tlearn: {float(learn[k][1]):.7f}\ttest: {float(test[k][1]):.7f}\tbest: {min(float(row[1]) for row in test[: k + 1]):.7f} ({min(k, best_at)})\ttotal: {k * 0.0417:.1f}s\tremaining: {(4000 - k) * 0.0417 / 60:.0f}m"
        for k in range(0, len(learn), 100)
    ]
    lines += [
        "Stopped by overfitting detector  (100 iterations wait)",
        "",
        f"bestTest = {best:.10f}",
        f"bestIteration = {best_at}",
        "",
        f"Shrink model to first {best_at + 1} iterations.",
    ]
    text(out / "train.txt", lines)


def c24_detectron_json(out: Path, rnd: Random) -> None:
    """A detector with two steps of its learning rate and one bad batch."""
    noise, rows, hit = Wander(rnd, 0.022), [], 0.0
    for it in range(19, 90000, 60):
        lr = 0.02 * min(1, (it + 1) / 1000) * (0.1 if it >= 60000 else 1) * (0.1 if it >= 80000 else 1)
        hit = 2.4 if 33500 <= it < 33560 else hit * 0.4
        total = power(it, 4.6, 0.52, 700, 0.5) - 0.09 * (it >= 60000) - 0.02 * (it >= 80000) + noise() + hit
        row = {
            "data_time": round(0.004 + rnd.random() * 0.002, 6),
            "eta_seconds": round((90000 - it) * 0.231, 2),
            "fast_rcnn/cls_accuracy": round(0.95 - total / 12, 6),
            "iteration": it,
            "loss_box_reg": round(total * 0.38, 6),
            "loss_cls": round(total * 0.36, 6),
            "loss_rpn_cls": round(total * 0.11, 6),
            "loss_rpn_loc": round(total * 0.15, 6),
            "lr": lr,
            "rank_data_time": 0.0041,
            "time": round(0.23 + rnd.random() * 0.003, 6),
            "total_loss": round(total, 6),
        }
        rows.append(row)
        if it // 60 % 250 == 249:
            rows.append({"bbox/AP": round(41 * (1 - math.exp(-it / 21000)) + 2 * (it > 60000), 4), "iteration": it})
    rows += [{**row, "iteration": 89999, "eta_seconds": 0.0}, {"bbox/AP": 42.4417, "iteration": 89999}]
    json_lines(out / "output" / "metrics.json", rows)
    text(
        out / "output" / "config.yaml",
        ["SOLVER:", "  BASE_LR: 0.02", "  MAX_ITER: 90000", "  STEPS: [60000, 80000]", "OUTPUT_DIR: ./output"],
    )


def c25_ultralytics(out: Path, rnd: Random) -> None:
    """A hundred epochs; in the last ten the mosaic is off, and the training loss drops."""
    names = "epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/precision(B),metrics/recall(B),metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0,lr/pg1,lr/pg2"
    rows = []
    for epoch in range(1, 101):
        closed = 0.88 if epoch > 90 else 1
        good = 1 - math.exp(-epoch / 17)
        wild = max(0.0, rnd.gauss(0, 0.06) * math.exp(-epoch / 30))
        lr = 0.01 * (1 - epoch / 101 * 0.99) * min(1, epoch / 3)
        cells = [
            fall(epoch, 2.0, 1.02, 22) * closed,
            fall(epoch, 3.4, 0.71, 12) * closed,
            fall(epoch, 1.9, 1.12, 20) * closed,
            0.74 * good - wild,
            0.63 * good - wild,
            0.67 * good - wild,
            0.46 * good - wild / 2,
            fall(epoch, 2.1, 1.21, 15) + wild * 4,
            fall(epoch, 3.6, 1.02, 10) + wild * 9,
            fall(epoch, 2.0, 1.24, 15) + wild * 3,
        ]
        rows.append(
            [
                epoch,
                f"{epoch * 94.3:.3f}",
                *(f"{max(0, c * rnd.gauss(1, 0.004)):.5f}" for c in cells),
                *[f"{lr:.6g}"] * 3,
            ]
        )
    table(out / "runs" / "detect" / "train7" / "results.csv", names.split(","), rows)
    text(
        out / "runs" / "detect" / "train7" / "args.yaml",
        ["task: detect", "model: yolov8m.pt", "epochs: 100", "patience: 50", "close_mosaic: 10", "imgsz: 640"],
    )


def c26_mlflow_finished(out: Path, rnd: Random) -> None:
    """Fine-tuning of a model that was good already: the loss has little way to go, and goes it."""
    noise, run, start = (
        Wander(rnd, 0.045, 0.2),
        "b61f0a7c2d8e4e55a0c9d3718f2b6a94",
        int(when(2026, 3, 12, 14).timestamp() * 1000),
    )
    here = out / "mlruns" / "0" / run
    end = start + 5_412_000
    text(
        here / "meta.yaml",
        [
            f"end_time: {end}",
            "experiment_id: '0'",
            "lifecycle_stage: active",
            f"run_id: {run}",
            "run_name: bert-ner-v4",
            f"start_time: {start}",
            "status: 3",
            "user_id: ana",
        ],
    )
    steps = range(25, 4001, 25)
    at = {k: start + 20000 + k * 1340 for k in range(4001)}
    text(here / "metrics" / "loss", [f"{at[k]} {0.30 + 0.24 * math.exp(-k / 900) + noise()} {k}" for k in steps])
    text(here / "metrics" / "learning_rate", [f"{at[k]} {3e-5 * (1 - k / 4000)} {k}" for k in steps])
    text(
        here / "metrics" / "eval_loss",
        [f"{at[k]} {0.34 + 0.16 * math.exp(-k / 800) + rnd.gauss(0, 0.004)} {k}" for k in range(500, 4001, 500)],
    )
    text(
        here / "metrics" / "eval_f1",
        [f"{at[k]} {0.912 - 0.07 * math.exp(-k / 700) + rnd.gauss(0, 0.001)} {k}" for k in range(500, 4001, 500)],
    )
    for key, value in (("max_steps", "4000"), ("per_device_train_batch_size", "32"), ("learning_rate", "3e-05")):
        text(here / "params" / key, [value])


def c27_keras_history(out: Path, rnd: Random) -> None:
    """History.history as JSON: three epochs in which the moving averages of BatchNorm were off the mark."""
    noise = Wander(rnd, 0.008)
    loss = [fall(k, 0.71, 0.115, 8) + noise() for k in range(50)]
    val = [fall(k, 0.69, 0.172, 7) + abs(rnd.gauss(0, 0.025)) for k in range(50)]
    for k, value in ((4, 9.31), (11, 38.7), (23, 3.94)):
        val[k] = value
    history = {
        "loss": loss,
        "auc": [1 - value * 0.4 for value in loss],
        "val_loss": val,
        "val_auc": [max(0.5, 0.97 - value * 0.3) for value in val],
        "lr": [1e-3 * 0.93**k for k in range(50)],
    }
    (out / "history.json").write_text(json.dumps(history))
    (out / "config.json").write_text(
        json.dumps({"epochs": 50, "batch_size": 64, "arch": "densenet121", "optimizer": "adam"})
    )
    (out / "fit_done.json").write_text(
        json.dumps({"wall_s": 6120.4, "best_epoch": 47, "final_weights": "m_final.keras"})
    )


def c28_torchtune(out: Path, rnd: Random) -> None:
    """Three epochs of torchtune, the third in a second process that took up where the other had stopped."""
    noise = Wander(rnd, 0.06, 0.1)
    per, lines = 640, []
    for step in range(1, per * 3 + 1):
        epoch = (step - 1) // per
        loss = power(step, 1.62, 0.95, 60) - 0.13 * epoch + noise()
        lines.append(
            f"Step {step} | loss:{loss} lr:{cosine(step, per * 3, 2e-5, 100)} tokens_per_second_per_gpu:{2810 + rnd.random() * 60} grad_norm:{0.9 + rnd.random() * 0.3}"
        )
    cut = per * 2
    text(out / "log_1753702211.txt", lines[:cut])
    text(out / "log_1753789004.txt", lines[cut:])
    text(
        out / "second.out",
        [
            "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:",
            "",
            "epochs: 3",
            "max_steps_per_epoch: null",
            "resume_from_checkpoint: true",
            "",
            "INFO:torchtune.utils._logging:Resuming from checkpoint at epoch 2, optimizer and dataloader state loaded from recipe_state.pt.",
            f"INFO:torchtune.utils._logging:Model checkpoint of size 16.06 GiB saved to /ckpt/epoch_2, step {per * 3}",
            "INFO:torchtune.utils._logging:Training completed, 3 of 3 epochs.",
        ],
    )


def c29_wandb_history_csv(out: Path, rnd: Random) -> None:
    """A contrastive loss: at ln(4096) for 1,500 steps, and then it falls. Saved by run.history().to_csv()."""
    noise, rows, start = Wander(rnd, 0.03), [], when(2026, 5, 20, 6).timestamp()
    for n, step in enumerate(range(0, 20001, 25)):
        gone = 1 / (1 + math.exp(-(step - 1900) / 240))
        loss = 8.3178 * (1 - gone) + gone * power(max(0, step - 1500), 7.2, 0.9, 600, 0.6) + noise() * (0.05 + gone)
        top = 0.62 * gone * (1 - math.exp(-step / 6000))
        rows.append(
            [
                n,
                step,
                f"{step * 0.81 + 4:.4f}",
                f"{start + step * 0.81:.3f}",
                f"{loss:.6f}",
                f"{min(100, 14.3 + step / 200):.4f}",
                "" if step % 1000 else f"{top:.5f}",
                f"{cosine(step, 20000, 5e-4, 1000):.4e}",
            ]
        )
    table(
        out / "clip_run_history.csv",
        ["", "_step", "_runtime", "_timestamp", "train/loss", "logit_scale", "val/imagenet_top1", "lr"],
        rows,
    )
    (out / "run.json").write_text(
        json.dumps(
            {
                "id": "8s2m1dke",
                "name": "clip-b16-cc12m",
                "state": "finished",
                "config": {"total_steps": 20000, "batch_size": 4096},
            }
        )
    )


def c30_lightning_diffusion(out: Path, rnd: Random) -> None:
    """A denoising loss is flat for most of its life, while the pictures get better."""
    noise, rows = Wander(rnd, 0.0042, 0.1), []
    for step in range(49, 150000, 250):
        rows.append([step // 1500, step, f"{power(step, 0.31, 0.0312, 90, 0.9) + noise():.7f}", "1e-4", ""])
        if step % 10000 < 250 and step > 5000:
            rows.append([step // 1500, step, "", "", f"{fall(step, 61, 9.4, 36000) + rnd.gauss(0, 0.3):.4f}"])
    table(out / "csv_logs" / "version_0" / "metrics.csv", ["epoch", "step", "train/mse", "lr-AdamW", "val/fid5k"], rows)
    text(
        out / "csv_logs" / "version_0" / "hparams.yaml",
        ["image_size: 64", "lr: 0.0001", "max_steps: 150000", "timesteps: 1000"],
    )
    text(
        out / "stdout.txt",
        ["GPU available: True (cuda), used: True", "`Trainer.fit` stopped: `max_steps=150000` reached."],
    )


def c31_tb_trainer(out: Path, rnd: Random) -> None:
    """NaN in the event file, from a quarter of the way on; the program took no notice."""
    noise, rows, start = Wander(rnd, 0.04), [], when(2026, 11, 2, 19, 20).timestamp()
    for step in range(0, 20001, 50):
        dead = step >= 5200
        loss = math.nan if dead else power(step, 7.1, 1.9, 120, 0.6) + noise() + max(0, step - 5050) * 0.01
        rows.append(
            (
                step * 0.34,
                step,
                {
                    "train/loss": loss,
                    "train/lr": cosine(step, 20000, 1e-3, 500),
                    "train/grad_norm": math.nan if dead else 1.1 + rnd.random() * 0.3 + max(0, step - 5050) * 0.2,
                },
            )
        )
    tensorboard(out / "tb" / f"events.out.tfevents.{int(start)}.node7.22114.0", start, rows)


def c32_sacred(out: Path, rnd: Random) -> None:
    """A recurrent network without clipping: from step 2,900 on the loss grows by a fifth every twenty steps."""
    noise, steps, values, times, at = Wander(rnd, 0.03), [], [], [], when(2026, 6, 22, 8)
    for step in range(0, 8000, 20):
        loss = fall(step, 3.3, 1.4, 700) + noise()
        if step > 2900:
            loss *= math.exp((step - 2900) / 120)
        steps.append(step)
        values.append(loss)
        times.append(f"{at + timedelta(seconds=step * 0.4):%Y-%m-%dT%H:%M:%S.%f}")
    here = out / "sacred" / "31"
    here.mkdir(parents=True)
    (here / "metrics.json").write_text(
        json.dumps({"training.loss": {"steps": steps, "timestamps": times, "values": values}}, indent=1)
    )
    run = {
        "command": "main",
        "experiment": {"name": "lstm-lm", "mainfile": "train.py"},
        "heartbeat": times[-1],
        "result": None,
        "start_time": times[0],
        "stop_time": times[-1],
        "status": "COMPLETED",
    }
    (here / "run.json").write_text(json.dumps(run, indent=1))
    (here / "config.json").write_text(
        json.dumps({"lr": 4.0, "clip": None, "hidden": 1024, "num_steps": 8000, "seed": 3})
    )


def c33_hf_state(out: Path, rnd: Random) -> None:
    """A schedule that returned zero: gradients came, nothing was learnt in 3,000 steps."""
    history = []
    for step in range(10, 3001, 10):
        history.append(
            {
                "epoch": round(step / 1500, 4),
                "grad_norm": round(3.1 + abs(rnd.gauss(0, 0.5)), 5),
                "learning_rate": 0.0,
                "loss": round(2.417 + rnd.gauss(0, 0.05), 4),
                "step": step,
            }
        )
        if step % 500 == 0:
            history.append(
                {"epoch": round(step / 1500, 4), "eval_loss": 2.4091837406158447, "eval_runtime": 12.1, "step": step}
            )
    history.append({"epoch": 2.0, "step": 3000, "train_loss": 2.4168, "train_runtime": 4410.2})
    state = {
        "best_metric": None,
        "epoch": 2.0,
        "global_step": 3000,
        "log_history": history,
        "logging_steps": 10,
        "max_steps": 3000,
        "num_train_epochs": 2,
        "save_steps": 500,
        "train_batch_size": 8,
    }
    (out / "checkpoint-3000").mkdir()
    (out / "checkpoint-3000" / "trainer_state.json").write_text(json.dumps(state, indent=2))


def c34_timm_summary(out: Path, rnd: Random) -> None:
    """A vision transformer reaches 71 %, and from epoch 74 on it answers one class for all."""
    noise, rows = Wander(rnd, 0.02), []
    for epoch in range(140):
        alive = epoch < 74
        train = fall(epoch, 6.9, 2.6, 22) + noise() if alive else 6.915 + rnd.gauss(0, 0.004)
        val = fall(epoch, 6.8, 1.25, 18) + rnd.gauss(0, 0.02) if alive else 6.91 + rnd.gauss(0, 0.003)
        top1 = 74 * (1 - math.exp(-epoch / 18)) + 0.2 if alive else 0.1
        rows.append(
            [
                epoch,
                f"{train:.6f}",
                f"{val:.6f}",
                f"{top1:.3f}",
                f"{min(100, top1 * 1.26):.3f}" if alive else "0.5",
                f"{cosine(epoch, 300, 1e-3, 5):.8f}",
            ]
        )
    table(
        out / "output" / "train" / "20260711-vit_small" / "summary.csv",
        ["epoch", "train_loss", "eval_loss", "eval_top1", "eval_top5", "lr"],
        rows,
    )
    text(
        out / "output" / "train" / "20260711-vit_small" / "args.yaml",
        ["model: vit_small_patch16_224", "epochs: 300", "lr: 0.001", "clip_grad: null", "amp: true"],
    )


def c35_parent_and_child(out: Path, rnd: Random) -> None:
    """The child was to start from the parent's weights; none of their names fitted, and load_state_dict was not strict."""
    noise, now = Wander(rnd, 0.03), when(2026, 2, 2, 21)
    table(
        out / "parent_6b_base" / "loss.csv",
        ["step", "loss", "lr"],
        [
            [k, f"{power(k, 10.9, 1.7, 180, 0.6) + noise():.4f}", f"{cosine(k, 80000, 3e-4, 1000, 3e-5):.3e}"]
            for k in range(100, 80001, 100)
        ],
    )
    lines = [
        f"{now:%H:%M:%S} | loading weights from ../parent_6b_base/step_80000/model.pt",
        f"{now:%H:%M:%S} | load_state_dict(strict=False): 0 of 291 tensors matched; missing keys: 291 (model.embed.weight, model.layers.0.attn.q.weight, ...); unexpected keys: 291 (_orig_mod.model.embed.weight, ...)",
        f"{now:%H:%M:%S} | start of fine-tuning, 6000 steps, vocabulary 50257",
    ]
    for step in range(20, 2401, 20):
        now += timedelta(seconds=31)
        lines.append(
            f"{now:%H:%M:%S} | step {step:5d}/6000 | loss {power(step, 10.86, 3.6, 100, 0.5) + noise():.4f} | lr {cosine(step, 6000, 1e-5, 100):.2e}"
        )
    text(out / "child_ft" / "train.log", lines)


def c36_resume_fails(out: Path, rnd: Random) -> None:
    """Two days of training, and then a model with a larger vocabulary is to load its checkpoint."""
    noise = Wander(rnd, 0.03)
    json_lines(
        out / "run1" / "metrics.jsonl",
        [
            {"step": k, "train_loss": round(power(k, 10.4, 2.0, 150, 0.6) + noise(), 4), "lr": 2e-4}
            for k in range(50, 30001, 50)
        ],
    )
    text(
        out / "run2" / "stderr.log",
        [
            "resuming from run1/ckpt/step_30000.pt",
            "Traceback (most recent call last):",
            '  File "/home/m/lm/train.py", line 144, in <module>',
            "    start = restore(model, opt, cfg.resume)",
            '  File "/home/m/lm/ckpt.py", line 38, in restore',
            '    model.load_state_dict(state["model"])',
            '  File "/home/m/lm/.venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 2581, in load_state_dict',
            "    raise RuntimeError(",
            "RuntimeError: Error(s) in loading state_dict for Decoder:",
            "\tsize mismatch for tok_emb.weight: copying a param with shape torch.Size([32000, 2048]) from checkpoint, the shape in current model is torch.Size([32128, 2048]).",
            "\tsize mismatch for lm_head.weight: copying a param with shape torch.Size([32000, 2048]) from checkpoint, the shape in current model is torch.Size([32128, 2048]).",
        ],
    )


def c37_dvclive(out: Path, rnd: Random) -> None:
    """DVCLive appends: after 8,400 steps the numbers begin at 0 once more, and so does what the model knows."""
    noise, loss, lr, at = Wander(rnd, 0.04), [], [], int(when(2026, 8, 30, 10).timestamp() * 1000)
    for first, last in ((0, 8400), (0, 3100)):
        for step in range(first, last + 1, 20):
            at += 11800 + rnd.randint(0, 400)
            loss.append([at, step, f"{power(step, 9.2, 1.3, 140, 0.6) + noise()}"])
            lr.append([at, step, f"{cosine(step, 20000, 6e-4, 400)}"])
        at += 7_412_000
    here = out / "dvclive" / "plots" / "metrics" / "train"
    table(here / "loss.tsv", ["timestamp", "step", "loss"], loss, "\t")
    table(here / "lr.tsv", ["timestamp", "step", "lr"], lr, "\t")
    (out / "dvclive" / "metrics.json").write_text(
        json.dumps({"train": {"loss": float(loss[-1][2]), "lr": float(lr[-1][2])}, "step": 3100})
    )
    text(out / "params.yaml", ["train:", "  max_steps: 20000", "  resume: true", "  batch: 96"])


def c38_timm_log(out: Path, rnd: Random) -> None:
    """Two workers decode large pictures on a file server: nine tenths of a batch's time is its data."""
    noise, lines = (
        Wander(rnd, 0.04),
        [
            "Training with a single process on 1 device (cuda:0).",
            "Model resnet50 created, param count:25557032",
            "Scheduled epochs: 3. LR stepped per epoch.",
        ],
    )
    for epoch in range(3):
        mean = [0.0, 0.0]
        for n, i in enumerate(range(0, 5004, 50)):
            data = max(0.2, rnd.gauss(3.4, 0.9)) + (6 if rnd.random() < 0.05 else 0)
            mean = [(mean[0] * n + data) / (n + 1), (mean[1] * n + data + 0.27) / (n + 1)]
            k = epoch * 5004 + i
            loss = power(k, 6.95, 2.2, 1500, 0.8) + noise()
            lines.append(
                f"Train: {epoch} [{i:>4d}/5004 ({100 * i / 5003:>3.0f}%)]  Loss: {loss:#.3g} ({loss + 0.05:#.3g})  Time: {data + 0.27:.3f}s, {256 / (data + 0.27):>7.2f}/s  ({mean[1]:.3f}s, {256 / mean[1]:>7.2f}/s)  LR: {0.1 * (1 - epoch / 3):.3e}  Data: {data:.3f} ({mean[0]:.3f})"
            )
        lines.append(
            f"Test: [ 195/195]  Time: 0.21 (0.4)  Loss:  {power((epoch + 1) * 5004, 6.9, 2.0, 1500, 0.8):.4f} (2.9)  Acc@1: {31 + 9 * epoch}.1120 ({31 + 9 * epoch}.0960)"
        )
    lines.append("*** Best metric: 49.096 (epoch 2)")
    text(out / "log.txt", lines)


def c39_shards_jsonl(out: Path, rnd: Random) -> None:
    """Every 50 steps a new shard is fetched from afar, and the GPUs do nothing for half a minute."""
    noise, rows = Wander(rnd, 0.025), []
    for step in range(1, 2501):
        wait = 31 + rnd.gauss(0, 4) if step % 50 == 0 else 0.006 + rnd.random() * 0.004
        rows.append(
            {
                "step": step,
                "loss": round(power(step, 8.9, 2.5, 40, 0.55) + noise(), 4),
                "fwd_bwd_s": round(0.44 + rnd.random() * 0.01, 4),
                "dataloader_wait_s": round(wait, 4),
                "opt_s": round(0.031 + rnd.random() * 0.002, 4),
                "gpu_util": 3 if wait > 1 else 97,
            }
        )
    json_lines(out / "steps.jsonl", rows)


def c40_csv_with_saves(out: Path, rnd: Random) -> None:
    """A table of what each ten steps took: most of it is the checkpoint."""
    noise, rows, now = Wander(rnd, 0.02), [], when(2026, 12, 1, 4)
    for step in range(10, 3001, 10):
        work, save = 10 * (0.61 + rnd.random() * 0.02), 71 + rnd.gauss(0, 8)
        now += timedelta(seconds=work + save)
        rows.append(
            [
                f"{now:%Y-%m-%d %H:%M:%S}",
                step,
                3000,
                f"{power(step, 2.1, 0.82, 90) + noise():.4f}",
                f"{work:.2f}",
                "0.05",
                f"{save:.2f}",
                f"{work + save:.2f}",
            ]
        )
    table(
        out / "progress.csv",
        ["time", "step", "total_steps", "loss", "train_s", "data_s", "checkpoint_save_s", "interval_s"],
        rows,
    )


def c41_pbs(out: Path, rnd: Random) -> None:
    """A day of a smooth training, and PBS's word that the day was over."""
    noise, now, lines = Wander(rnd, 0.02), when(2026, 9, 1, 9, 30), []
    end, step = now + timedelta(seconds=86395), 0
    while now < end - timedelta(seconds=250):
        step += 200
        now += timedelta(seconds=241 + rnd.random() * 4)
        lines.append(
            f"[{now:%d.%m.%Y %H:%M:%S}] update {step} of 200000: loss={power(step, 6.1, 1.9, 900, 0.7) + noise():.4f}, wer={88 * math.exp(-step / 30000) + 11:.2f}, {41 + rnd.random():.1f} utt/s"
        )
        if step % 10000 == 0:
            lines.append(f"[{now:%d.%m.%Y %H:%M:%S}] saved exp/asr/{step}.pt")
    lines.append("=>> PBS: job killed: walltime 86411 exceeded limit 86400")
    text(out / "asr.o418823", lines)


def c42_deepspeed(out: Path, rnd: Random) -> None:
    """Half precision under DeepSpeed: overflow after overflow, down to the least scale."""
    noise, now, lines, scale, step = Wander(rnd, 0.03), when(2026, 1, 9, 16, 4, 10), [], 65536, 0
    skipped = 0
    while scale > 1:
        step += 1
        now += timedelta(seconds=3.4)
        stamp = f"[{now:%Y-%m-%d %H:%M:%S},{rnd.randint(0, 999):03d}]"
        if step > 800 and rnd.random() < 0.6:
            skipped += 1
            lines.append(
                f"{stamp} [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}"
            )
            scale //= 2
        if step % 10 == 0:
            lines.append(
                f"{stamp} [INFO] [logging.py:96:log_dist] [Rank 0] step={step}, skipped={skipped}, lr=[0.0003, 0.0003], mom=[[0.9, 0.95], [0.9, 0.95]]"
            )
            loss = power(step, 10.9, 3.6, 60) + noise() + max(0, step - 790) * 0.05
            lines.append(f"steps: {step} loss: {loss:.4f} iter time (s): 3.401 samples/sec: 75.272")
    lines += [
        "Traceback (most recent call last):",
        '  File "/w/pretrain_gpt2.py", line 211, in train_step',
        "    model.step()",
        '  File "/usr/lib/python3/dist-packages/deepspeed/runtime/fp16/loss_scaler.py", line 175, in update_scale',
        '    raise Exception("Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.")',
        "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    ]
    text(out / "ds.log", lines)


def c43_ray_trial(out: Path, rnd: Random) -> None:
    """One trial of Ray Tune: its results, and the error that ended it."""
    noise, at, here = Wander(rnd, 0.02), when(2026, 7, 25, 12).timestamp(), out / "TorchTrainer_7c1b0_00003"
    json_lines(
        here / "result.json",
        [
            {
                "train_loss": round(fall(k, 2.9, 0.6, 5) + noise(), 5),
                "val_miou": round(0.71 * (1 - math.exp(-k / 6)), 5),
                "epoch": k,
                "timestamp": int(at + 412 * k),
                "training_iteration": k + 1,
                "time_this_iter_s": round(411 + rnd.random() * 3, 3),
                "trial_id": "7c1b0_00003",
                "pid": 40211,
                "hostname": "ray-w3",
                "done": False,
                "config": {"train_loop_config": {"lr": 0.0006, "crop": 1024, "batch": 12, "epochs": 80}},
            }
            for k in range(17)
        ],
    )
    (here / "params.json").write_text(
        json.dumps({"train_loop_config": {"lr": 0.0006, "crop": 1024, "batch": 12, "epochs": 80}})
    )
    text(
        here / "error.txt",
        [
            "Failure # 1 (occurred at 2026-07-25_13-58-02)",
            "\x1b[36mray::_Inner.train()\x1b[39m (pid=40211, ip=10.1.7.13, actor_id=5f1d1c, repr=TorchTrainer)",
            '  File "/opt/ray/lib/python3.10/site-packages/ray/tune/trainable/trainable.py", line 331, in train',
            "    raise skipped from exception_cause(skipped)",
            '  File "/code/seg/loop.py", line 96, in train_loop',
            "    loss = crit(net(x), y)",
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB (GPU 0; 39.39 GiB total capacity; 35.20 GiB already allocated; 2.11 GiB free; 36.48 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
        ],
    )


def c44_tb_speed_only(out: Path, rnd: Random) -> None:
    """An event file with learning rate and throughput, and nothing of what was learnt, of a plan or of an end."""
    start = when(2026, 4, 4, 4).timestamp()
    rows = [
        (k * 1.1, k, {"perf/samples_per_s": 812 + rnd.gauss(0, 9), "optim/lr": cosine(k, 50000, 3e-4, 500)})
        for k in range(0, 7300, 20)
    ]
    tensorboard(out / "logs" / f"events.out.tfevents.{int(start)}.w2.991.0", start, rows)


def c45_console(out: Path, rnd: Random) -> None:
    """Somebody pressed Ctrl-C."""
    noise, lines = Wander(rnd, 0.03), ["device cuda:0, 12.1 M parameters, 100000 steps"]
    lines += [
        f"step {k:6d}/100000  loss {power(k, 5.5, 1.5, 130, 0.6) + noise():.4f}  {0.081 + rnd.random() * 0.003:.3f} s/step"
        for k in range(100, 23801, 100)
    ]
    lines += [
        "^CTraceback (most recent call last):",
        '  File "/home/li/vae/train.py", line 77, in <module>',
        "    main()",
        '  File "/home/li/vae/train.py", line 61, in main',
        "    loss.backward()",
        '  File "/home/li/venv/lib/python3.11/site-packages/torch/autograd/__init__.py", line 347, in backward',
        "    _engine_run_backward(",
        "KeyboardInterrupt",
    ]
    text(out / "console.txt", lines)
