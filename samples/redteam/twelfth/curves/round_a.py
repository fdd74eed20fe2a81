"""Round A of the curves. All of it is SIMULATED; why each answer is right stands in ``truth_data.jsonl``."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from .sim import Clock, Noise, cosine, events, grad, law, lines, save, span, table

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_hf_spikes_recover(place: Path, rng: Random) -> None:
    """Transformers' Trainer to its last step; three spikes that came back within a few hundred steps."""
    noise, total, history = Noise(rng, 0.035), 9375, list[dict[str, Any]]()
    spikes = {2300: 1.9, 5125: 2.8, 7450: 1.2}
    best = 99.0
    for step in range(25, total + 1, 25):
        bump = sum(high * math.exp(-(step - at) / 70) for at, high in spikes.items() if step >= at)
        loss = law(step, 3.4, 0.92, 300) * (1 + noise()) + bump
        row = {
            "epoch": round(step / 3125, 4),
            "grad_norm": round(grad(rng, 0.9) * (1 + 4 * bump), 6),
            "learning_rate": cosine(step, 2e-5, 280, total, 0.0),
            "loss": round(loss, 4),
            "step": step,
        }
        history.append(row)
        if step % 625 == 0:
            judged = law(step, 3.3, 1.01, 320) + rng.gauss(0, 0.008)
            best = min(best, judged)
            history.append(
                {
                    "epoch": round(step / 3125, 4),
                    "eval_loss": round(judged, 6),
                    "eval_runtime": round(rng.gauss(61.2, 0.4), 4),
                    "eval_samples_per_second": 32.1,
                    "step": step,
                }
            )
        if step in (6250, 9375):
            state = {
                "best_metric": round(best, 6),
                "best_model_checkpoint": f"out/checkpoint-{step}",
                "epoch": step / 3125,
                "eval_steps": 625,
                "global_step": step,
                "is_local_process_zero": True,
                "is_world_process_zero": True,
                "log_history": history,
                "logging_steps": 25,
                "max_steps": total,
                "num_input_tokens_seen": 0,
                "num_train_epochs": 3,
                "save_steps": 3125,
                "train_batch_size": 8,
            }
            save(place / f"out/checkpoint-{step}/trainer_state.json", json.dumps(state, indent=2) + "\n")
    done = {"epoch": 3.0, "train_loss": 1.3127, "train_runtime": 21873.4412, "train_steps_per_second": 0.429}
    save(place / "out/train_results.json", json.dumps(done, indent=4) + "\n")


def c02_nanogpt_nan_cut(place: Path, rng: Random) -> None:
    """A loop in nanoGPT's manner whose loss is nan from iteration 3120 on; the file is cut in a line."""
    noise = Noise(rng, 0.02)
    out = ["tokens per iteration will be: 491,520", "number of parameters: 123.59M", "using fused AdamW: True"]
    out.append("compiling the model... (takes a ~minute)")
    for step in range(0, 3890, 10):
        loss = law(step, 10.97, 2.9, 40, 0.62) * (1 + noise())
        if 3050 <= step < 3120:
            loss += 0.05 * math.exp((step - 3050) / 16)
        shown = f"{loss:.4f}" if step < 3120 else "nan"
        if step % 500 == 0:
            held = f"{law(step, 10.97, 2.93, 40, 0.62):.4f}" if step < 3120 else "nan"
            out.append(f"step {step}: train loss {shown}, val loss {held}")
            if 0 < step < 3120:
                out.append("saving checkpoint to out-owt")
        out.append(f"iter {step}: loss {shown}, time {rng.gauss(1402, 9):.2f}ms, mfu {rng.gauss(41.2, 0.2):.2f}%")
    save(place / "nohup.out", out, cut=31)


def c03_keras_chance(place: Path, rng: Random) -> None:
    """Keras' CSVLogger: 43 epochs of ten classes at chance, while the learning rate is reduced on the plateau."""
    rows, rate = [], 0.1
    for epoch in range(43):
        if epoch and epoch % 10 == 0:
            rate *= 0.3
        loss, held = 2.3027 + abs(rng.gauss(0, 0.0005)), 2.3026 + abs(rng.gauss(0, 0.0003))
        rows.append([epoch, 0.0985 + rng.gauss(0, 0.0016), round(rate, 7), loss, 0.1, held])
    save(
        place / "training.log", table(["epoch", "accuracy", "learning_rate", "loss", "val_accuracy", "val_loss"], rows)
    )


def c04_lightning_early_stop(place: Path, rng: Random) -> None:
    """Lightning with a noisy validation, stopped early by its own callback long before ``max_epochs``."""
    noise, shake, rows = Noise(rng, 0.05), Noise(rng, 0.07, 0.1), []
    clock, best, since, log = Clock("2026-02-03 08:12:44"), 9.0, 0, list[str]()
    log.append("Trainable params: 23.5 M\n")
    epoch = step = 0
    for epoch in range(200):
        for _ in range(4):
            step += 50
            rate = 1e-3 * 0.97**epoch
            rows.append([epoch, rate, step - 1, law(step, 1.21, 0.19, 900, 0.9) * (1 + noise()), "", ""])
        held = (law(step, 1.15, 0.31, 800, 1.0) + 0.0007 * max(0, epoch - 45)) * (1 + 0.6 * shake())
        rows.append([epoch, "", step - 1, "", held, 0.93 - 0.25 * held + rng.gauss(0, 0.006)])
        if held < best:
            gain = f"improved by {best - held:.3f} >= min_delta = 0.0. New best score: {held:.3f}"
            log.append(f"{clock.comma()} INFO Metric val_loss {gain}")
            best, since = held, 0
        else:
            since += 1
        clock.tick(rng.gauss(41, 1))
        if since == 25:
            break
    log.append(
        f"{clock.comma()} INFO Monitored metric val_loss did not improve in the last 25 records. "
        f"Best score: {best:.3f}. Signaling Trainer to stop."
    )
    log.append(f"{clock.comma()} INFO best checkpoint: lightning_logs/version_3/checkpoints/best.ckpt")
    head = ["epoch", "lr-AdamW", "step", "train_loss", "val_loss", "val_acc"]
    save(place / "lightning_logs/version_3/metrics.csv", table(head, rows))
    save(
        place / "lightning_logs/version_3/hparams.yaml",
        "arch: resnet50\nlr: 0.001\nbatch_size: 96\nmax_epochs: 200\nearly_stopping_patience: 25\nseed: 7\n",
    )
    save(place / "train.log", log)


def c05_dead_after_spike(place: Path, rng: Random) -> None:
    """A spike at step 8400 from which the loss never came back: 7.3 for 5000 steps; the file is cut."""
    noise, rows = Noise(rng, 0.018), []
    for step in range(20, 13400, 20):
        after = step - 8400
        if after < 0:
            loss, norm = law(step, 11.02, 2.31, 160) * (1 + noise()), grad(rng, 0.42)
        elif after < 120:
            loss, norm = 2.9 + 6.8 * (after / 120) + rng.gauss(0, 0.4), grad(rng, 38)
        else:
            loss, norm = 7.31 + 1.9 * math.exp(-after / 300) + 0.4 * noise(), grad(rng, 0.021)
        rows.append(
            {
                "step": step,
                "loss": round(loss, 5),
                "ppl": round(math.exp(loss), 2),
                "grad_norm": round(norm, 5),
                "lr": round(cosine(step, 6e-4, 2000, 60000), 9),
                "tokens_per_sec": round(rng.gauss(412_800, 2100)),
            }
        )
    save(place / "metrics.jsonl", lines(rows), cut=47)


def c06_mlflow_silent_restart(place: Path, rng: Random) -> None:
    """MLflow: the second run says it goes on from step 12000 of the first, and begins at a fresh model's loss."""
    store = place / "mlruns/417238"
    save(
        store / "meta.yaml",
        "artifact_location: file:///nfs/ml/mlruns/417238\nexperiment_id: '417238'\nname: asr-conformer\n",
    )
    for run, name, status, first, last in (
        ("5b0f8c2e7d6a4f0c9f1f3f5ab8d0e611", "conformer-m", 4, 0, 12040),
        ("c1d24e80aa7b4be7b5d0a3dd9f2c7713", "conformer-m-cont", 3, 12000, 20000),
    ):
        noise, clock = Noise(rng, 0.025), Clock("2026-01-11 19:00:00" if not first else "2026-01-12 14:31:00")
        begin, train, held = int(clock.unix * 1000), [], []
        for step in range(first + 20, last + 1, 20):
            clock.tick(58 + rng.gauss(0, 1))
            age = step - first
            train.append(f"{int(clock.unix * 1000)} {law(age, 312.0, 14.0, 420, 1.05) * (1 + noise())} {step}")
            if step % 1000 == 0:
                held.append(f"{int(clock.unix * 1000)} {law(age, 300.0, 16.5, 450, 1.05) + rng.gauss(0, 0.4)} {step}")
        folder = store / run
        save(folder / "metrics/train_loss", train)
        save(folder / "metrics/val_loss", held)
        tags = {"mlflow.runName": name, "mlflow.source.name": "train.py", "mlflow.user": "okafor"}
        params = {"max_steps": "20000", "lr": "0.0015", "batch": "192"}
        if first:
            tags["continued_from"] = "5b0f8c2e7d6a4f0c9f1f3f5ab8d0e611"
            params["init_from"] = "runs/conformer-m/last.ckpt"
        for key, value in tags.items():
            save(folder / "tags" / key, value)
        for key, value in params.items():
            save(folder / "params" / key, value)
        meta = {
            "artifact_uri": f"file:///nfs/ml/mlruns/417238/{run}/artifacts",
            "end_time": int(clock.unix * 1000),
            "entry_point_name": "''",
            "experiment_id": "'417238'",
            "lifecycle_stage": "active",
            "run_id": run,
            "run_name": name,
            "run_uuid": run,
            "source_type": 4,
            "start_time": begin,
            "status": status,
            "user_id": "okafor",
        }
        save(folder / "meta.yaml", [f"{key}: {value}" for key, value in meta.items()])


def c07_xgboost_stopped(place: Path, rng: Random) -> None:
    """XGBoost with early stopping: rounds fall, flatten, and the rule ends them."""
    out = [
        "Loading features: 1,204,331 rows x 188 columns",
        "params: eta=0.05 max_depth=8 tree_method=hist device=cuda",
    ]
    out.append("training, num_boost_round=3000, early_stopping_rounds=60")
    best, since, at = 9.0, 0, 0
    for turn in range(3000):
        train = law(turn, 0.6731, 0.201, 45, 1.1) - turn * 2.2e-5
        held = law(turn, 0.6735, 0.262, 42, 1.25) + 3.2e-6 * max(0, turn - 420) + rng.gauss(0, 2.1e-5)
        if turn % 10 == 0:
            out.append(f"[{turn}]\ttrain-logloss:{train:.5f}\teval-logloss:{held:.5f}")
        if held < best:
            best, since, at = held, 0, turn
        else:
            since += 1
        if since == 60:
            out.append(f"[{turn}]\ttrain-logloss:{train:.5f}\teval-logloss:{held:.5f}")
            break
    out += [f"best_iteration={at} best_score={best:.5f}", "test auc 0.8912", "model written to artifacts/churn_v12.ubj"]
    save(place / "fit.log", out)


def c08_mmengine_starved(place: Path, rng: Random) -> None:
    """MMEngine: of each iteration's 3.3 s the loader takes 2.9; it learns, and finishes."""
    noise, clock, per, epochs, rows, log = Noise(rng, 0.06), Clock("2026-02-14 10:11:12"), 850, 12, [], []
    log.append("2026/02/14 10:11:12 - mmengine - INFO - Config: max_epochs = 12, train_batch_size = 2, num_workers = 1")
    for turn in range(50, per * epochs + 1, 50):
        epoch, inner = (turn - 1) // per + 1, (turn - 1) % per + 1
        wait = max(1.1, rng.lognormvariate(1.03, 0.18))
        took = wait + rng.gauss(0.41, 0.01)
        clock.tick(took * 50)
        rate = 0.02 * min(1, turn / 500) * (0.1 if epoch > 11 else 0.1 if epoch > 8 else 1)
        box, kind = law(turn, 0.52, 0.17, 900, 0.7) * (1 + noise()), law(turn, 1.9, 0.16, 300, 0.8) * (1 + noise())
        loss = box + kind + 0.06
        rows.append(
            {
                "lr": rate,
                "data_time": round(wait, 4),
                "loss": round(loss, 5),
                "loss_cls": round(kind, 5),
                "loss_bbox": round(box, 5),
                "time": round(took, 4),
                "epoch": epoch,
                "iter": turn,
                "memory": 6214,
                "step": turn,
            }
        )
        left = span((per * epochs - turn) * took)
        log.append(
            f"{clock.now:%Y/%m/%d %H:%M:%S} - mmengine - INFO - Epoch(train)  [{epoch}][{inner:3}/{per}]  lr: {rate:.4e}  "
            f"eta: {left}  time: {took:.4f}  data_time: {wait:.4f}  memory: 6214  loss: {loss:.4f}  "
            f"loss_cls: {kind:.4f}  loss_bbox: {box:.4f}"
        )
        if inner == per:
            log.append(f"{clock.now:%Y/%m/%d %H:%M:%S} - mmengine - INFO - Saving checkpoint at {epoch} epochs")
            rows.append({"coco/bbox_mAP": round(0.37 * (1 - math.exp(-epoch / 4)), 3), "step": epoch})
    save(place / "work_dirs/faster_r50/20260214_101112/20260214_101112.log", log)
    save(place / "work_dirs/faster_r50/20260214_101112/vis_data/scalars.json", lines(rows))


def c09_wandb_export_blow_up(place: Path, rng: Random) -> None:
    """A chart saved from W&B's page: the loss falls to 2.6, then climbs for 4000 steps to 60."""
    noise, rows = Noise(rng, 0.02), []
    name = "graceful-field-41 - train/loss"
    for step in range(0, 11000, 40):
        loss = law(step, 10.8, 2.2, 120) * (1 + noise())
        if step > 6900:
            loss += 0.12 * (math.exp((step - 6900) / 660) - 1) * (1 + 3 * noise())
        rows.append([step, loss, loss, loss])
    head = f'"Step","{name}","{name}__MIN","{name}__MAX"\n'
    body = "".join(",".join(f'"{value}"' for value in row) + "\n" for row in rows)
    save(place / "wandb_export_2026-03-04T10_22_51.233+01_00.csv", head + body)


def c10_tensorboard_restarts(place: Path, rng: Random) -> None:
    """Cosine restarts: the loss hops up at each and ends lower than before; all 30000 planned steps."""
    noise, clock, points = Noise(rng, 0.03), Clock("2025-12-20 01:00:00"), list[tuple[float, int, str, float]]()
    ends, begun = (2000, 6000, 14000, 30000), clock.unix
    for step in range(50, 30001, 50):
        wall = clock.tick(17.5 + rng.gauss(0, 0.3)).timestamp()
        first = max([0, *(end for end in ends if end < step)])
        last = min(end for end in ends if end >= step)
        rate = 0.5 * 3e-4 * (1 + math.cos(math.pi * (step - first) / (last - first)))
        loss = law(step, 6.9, 1.35, 700, 0.7) * (1 + noise() + 0.055 * rate / 3e-4)
        points += [(wall, step, "train/loss", loss), (wall, step, "train/lr", rate)]
        if step % 1000 == 0:
            top = 0.76 * (1 - math.exp(-step / 6000)) - 0.012 * rate / 3e-4 + rng.gauss(0, 0.002)
            points += [(wall, step, "val/loss", law(step, 6.8, 1.44, 700, 0.7) + 0.06 * rate / 3e-4)]
            points += [(wall, step, "val/top1", top)]
    events(place / "runs/sgdr_r50/events.out.tfevents.1766192400.tuva.18222.0", begun, points)
    save(
        place / "runs/sgdr_r50/config.yaml",
        "model: resnet50d\ndata: imagenet100\ntrainer:\n  max_steps: 30000\n  val_every: 1000\nsched:\n  name: cosine_restarts\n"
        "  t0: 2000\n  mult: 2\nlr: 0.0003\n",
    )


def c11_deepspeed_scale_gone(place: Path, rng: Random) -> None:
    """DeepSpeed in fp16: from step 640 every step overflows until the scale cannot fall any more, and it stops."""
    noise, clock, out, scale, steady = Noise(rng, 0.02), Clock("2026-01-30 22:40:03"), [], 65536, 0
    out.append(f"[{clock.comma()}] [INFO] [config.py:1003:print]   fp16_enabled ................. True")
    out.append(f"[{clock.comma()}] [INFO] [config.py:1003:print]   initial_dynamic_scale ........ 65536")
    step = 0
    while True:
        step += 1
        clock.tick(2.61 + rng.gauss(0, 0.02))
        stamp = f"[{clock.comma()}]"
        if step in (3, 5) or step >= 640:
            if scale == 1:
                break
            out.append(
                f"{stamp} [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. "
                f"Attempted loss scale: {scale}, reducing to {scale // 2}"
            )
            scale, steady = scale // 2, 0
        else:
            steady += 1
        if step % 10 == 0:
            loss = (
                law(step, 11.1, 2.8, 60) * (1 + noise()) if step < 638 else 4.9 + (step - 638) * 0.7 + rng.gauss(0, 0.3)
            )
            rate = cosine(step, 1.5e-4, 200, 50000)
            skipped = 2 + max(0, step - 639)
            out.append(
                f"{stamp} [INFO] [logging.py:96:log_dist] [Rank 0] step={step}, skipped={skipped}, lr=[{rate:.6e}], mom=[(0.9, 0.95)]"
            )
            out.append(
                f"steps: {step} loss: {loss:.4f} iter time (s): {rng.gauss(2.611, 0.02):.3f} samples/sec: {rng.gauss(98.1, 0.5):.3f}"
            )
    out += [
        "Traceback (most recent call last):",
        '  File "/home/liang/pretrain/train.py", line 288, in <module>',
        "    main()",
        '  File "/home/liang/pretrain/train.py", line 251, in main',
        "    engine.step()",
        '  File "/opt/venv/lib/python3.10/site-packages/deepspeed/runtime/engine.py", line 2213, in step',
        "    self._take_model_step(lr_kwargs)",
        '  File "/opt/venv/lib/python3.10/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 175, in update_scale',
        "    raise Exception(",
        "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    ]
    save(place / "pretrain.log", out)


def c12_sacred_noisy_validation(place: Path, rng: Random) -> None:
    """Sacred, COMPLETED after its 60 epochs: a small and noisy validation set, and a plateau in the midst."""
    noise, clock, epochs = Noise(rng, 0.03), Clock("2026-03-01 06:30:00"), 60
    begun, told, steps = (
        clock.now,
        {"train.loss": list[float](), "val.loss": list[float](), "val.f1": list[float]()},
        [],
    )
    stamps, cout = [], ["INFO - unet_lesions - Running command 'main'", 'INFO - unet_lesions - Started run with ID "7"']
    for epoch in range(1, epochs + 1):
        clock.tick(212 + rng.gauss(0, 3))
        eff = epoch if epoch < 18 else 18 if epoch < 31 else epoch - 13
        loss = law(eff, 0.71, 0.06, 6, 1.0) * (1 + noise())
        held = law(eff, 0.69, 0.115, 6, 1.0) * math.exp(rng.gauss(0, 0.16))
        told["train.loss"].append(loss)
        told["val.loss"].append(held)
        told["val.f1"].append(min(0.97, max(0.0, 0.93 - held * 0.9 + rng.gauss(0, 0.02))))
        steps.append(epoch)
        stamps.append(clock.now.replace(tzinfo=None).isoformat())
        cout.append(f"epoch {epoch:3d}/{epochs}  loss {loss:.4f}  val_loss {held:.4f}")
    cout += ["INFO - unet_lesions - Result: 0.871", "INFO - unet_lesions - Completed after 3:32:04"]
    folder = place / "sacred/7"
    kept = {key: {"steps": steps, "timestamps": stamps, "values": values} for key, values in told.items()}
    save(folder / "metrics.json", json.dumps(kept))
    save(folder / "config.json", json.dumps({"epochs": epochs, "lr": 3e-4, "patch": 96, "seed": 88217}, indent=2))
    save(folder / "cout.txt", cout)
    run = {
        "command": "main",
        "experiment": {"name": "unet_lesions", "mainfile": "train.py"},
        "heartbeat": clock.now.replace(tzinfo=None).isoformat(),
        "host": {"hostname": "dgx-med-2", "gpus": {"gpus": [{"model": "Tesla V100-SXM2-32GB"}]}},
        "result": 0.871,
        "start_time": begun.replace(tzinfo=None).isoformat(),
        "status": "COMPLETED",
        "stop_time": clock.now.replace(tzinfo=None).isoformat(),
    }
    save(folder / "run.json", json.dumps(run, indent=2))


def c13_save_storm(place: Path, rng: Random) -> None:
    """Every 20 steps, which take 21 s, a save of 70 to 120 s to a parallel file system: four fifths of the time."""
    noise, clock, out = Noise(rng, 0.02), Clock("2026-02-21 13:00:07"), []
    out.append(f"{clock.comma()} INFO train: total_steps=640 save_every=20 out=/lustre/p221/ckpt")
    for step in range(1, 641):
        clock.tick(1.06 + rng.gauss(0, 0.02))
        if step % 5 == 0:
            loss = law(step, 10.4, 3.1, 50) * (1 + noise())
            rate = cosine(step, 3e-4, 60, 640)
            out.append(
                f"{clock.comma()} INFO train: step {step}/640 loss {loss:.4f} lr {rate:.3e} step_time {rng.gauss(1.06, 0.01):.3f}s"
            )
        if step % 20 == 0:
            took = rng.uniform(70, 121)
            out.append(f"{clock.comma()} INFO ckpt: saving step {step} to /lustre/p221/ckpt/step_{step:06d}")
            clock.tick(took)
            out.append(f"{clock.comma()} INFO ckpt: saved 61.4 GiB in {took:.1f}s")
    out.append(f"{clock.comma()} INFO train: finished 640 steps, best val n/a")
    save(place / "train_20260221.log", out)


def c14_resume_lost_optimizer(place: Path, rng: Random) -> None:
    """The second log goes on from checkpoint-5000 with a warm-up from zero and a loss that takes 1500 steps to return."""
    total = 15000
    for run, first, last in (("log_001.txt", 0, 5230), ("log_002.txt", 5000, total)):
        noise, out = Noise(rng, 0.022), []
        if first:
            out.append("Loading model from /ckpt/nmt-big/checkpoint-5000.")
            out.append(
                "WARNING: optimizer.pt and scheduler.pt not found in /ckpt/nmt-big/checkpoint-5000, starting with a fresh optimizer"
            )
            out.append("  Continuing training from global step 5000")
        for step in range(first + 10, last + 1, 10):
            age = step - first
            loss = law(step, 9.1, 1.62, 260) * (1 + noise())
            rate = cosine(age, 7e-4, 1000, total - first, 0.02)
            norm = grad(rng, 0.61)
            if first:
                loss += 1.45 * (age / 350) * math.exp(1 - age / 350) if age < 3500 else 0
                norm *= 1 + 5 * math.exp(-abs(age - 250) / 200)
            told = {
                "loss": round(loss, 4),
                "grad_norm": round(norm, 4),
                "learning_rate": rate,
                "epoch": round(step / 4120, 2),
            }
            out.append(str(told))
        if first:
            done = {"train_runtime": 61221.7, "train_samples_per_second": 41.81, "train_loss": 2.0712, "epoch": 3.64}
            out.append(str(done))
        else:
            out.append(
                "slurmstepd: error: *** JOB 660912 ON gpu41 CANCELLED AT 2026-01-19T03:12:08 DUE TO NODE FAILURE ***"
            )
        save(place / run, out)


def c15_time_limit(place: Path, rng: Random) -> None:
    """A curve that is well, ended at three fifths of its plan by the time limit of its job."""
    noise, rows, clock = Noise(rng, 0.02), [], Clock("2026-02-07 16:02:11")
    out = [
        "+ srun --cpu-bind=none python -u train.py --config cfg/vit_h.yaml",
        "train: 50000 steps planned, resuming: no",
    ]
    for step in range(50, 30751, 50):
        clock.tick(140.4 + rng.gauss(0, 1.5))
        loss = law(step, 7.0, 0.83, 1500, 0.8) * (1 + noise())
        rows.append(
            {
                "iter": step,
                "max_iters": 50000,
                "wall": round(clock.unix, 3),
                "train_loss": round(loss, 5),
                "lr": round(cosine(step, 1.5e-3, 5000, 50000), 8),
            }
        )
        if step % 1000 == 0:
            out.append(f"{clock.plain()} step {step}/50000 loss {loss:.4f}")
    out.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    stamp = f"{clock.tick(63):%Y-%m-%dT%H:%M:%S}"
    out.append(f"slurmstepd: error: *** STEP 771024.0 ON r12n03 CANCELLED AT {stamp} DUE TO TIME LIMIT ***")
    out.append(f"slurmstepd: error: *** JOB 771024 ON r12n03 CANCELLED AT {stamp} DUE TO TIME LIMIT ***")
    save(place / "history.jsonl", lines(rows))
    save(place / "slurm-771024.out", out)


def c16_sb3_reward_rises(place: Path, rng: Random) -> None:
    """PPO of Stable-Baselines3 to its million steps: the reward rises with dips, and the value loss grows with it."""
    noise, rows, size = Noise(rng, 0.06, 0.7), [], 16384
    head = ["time/fps", "time/iterations", "time/time_elapsed", "time/total_timesteps", "rollout/ep_len_mean"]
    head += ["rollout/ep_rew_mean", "train/approx_kl", "train/clip_fraction", "train/entropy_loss"]
    head += ["train/explained_variance", "train/learning_rate", "train/loss", "train/n_updates", "train/value_loss"]
    turns = 62
    for turn in range(1, turns + 1):
        part = turn / turns
        reward = 40 + 3900 / (1 + math.exp(-9 * (part - 0.45))) * (1 + noise()) - (700 if turn in (33, 34, 47) else 0)
        value = 12 + 160 * part + abs(rng.gauss(0, 25))
        rows.append(
            [
                1021 - turn // 9,
                turn,
                turn * 16,
                turn * size,
                min(1000, 90 + reward / 4),
                round(reward, 4),
                abs(rng.gauss(0.011, 0.003)),
                0.12 + rng.gauss(0, 0.01),
                -8.5 + 4 * part,
                min(0.98, 0.3 + 0.7 * part**0.5),
                0.0003 * (1 - part),
                0.4 * value + rng.gauss(0, 4),
                turn * 10,
                value,
            ]
        )
    rows[0][6:] = [""] * 8
    folder = place / "logs/ppo/Walker2d-v4_1"
    save(folder / "progress.csv", table(head, rows))
    pairs = {"algo": "ppo", "env": "Walker2d-v4", "n_timesteps": 1000000, "seed": 2810, "eval_freq": 25000}
    yaml = "!!python/object/apply:collections.OrderedDict\n" + "".join(
        f"{'- - - ' if not at else '  - - '}{key}\n    - {value}\n" for at, (key, value) in enumerate(pairs.items())
    )
    save(folder / "Walker2d-v4/args.yml", yaml)
    save(
        place / "train.out",
        ["Using cuda device", "Log path: logs/ppo/Walker2d-v4_1", "Saving to logs/ppo/Walker2d-v4_1"],
    )


def c17_lightgbm_no_split(place: Path, rng: Random) -> None:
    """LightGBM that finds no split: both metrics stand where they stood in the first round, for 400 rounds."""
    out = [
        "[LightGBM] [Info] Auto-choosing col-wise multi-threading, the overhead of testing was 0.041822 seconds.",
        "[LightGBM] [Info] Total Bins 3060",
        "[LightGBM] [Info] Number of data points in the train set: 88120, number of used features: 12",
        "[LightGBM] [Info] Start training from score -1.386294",
    ]
    for turn in range(1, 401):
        out.append("[LightGBM] [Warning] No further splits with positive gain, best gain: -inf")
        if turn % 20 == 0:
            out.append(f"[{turn}]\ttraining's multi_logloss: 1.38629\tvalid_1's multi_logloss: 1.38631")
    out += ["fit done in 8.1s", f"accuracy on holdout: {0.25 + rng.gauss(0, 0.002):.4f} (4 classes)"]
    save(place / "lgbm.txt", out)


def c18_fairseq_no_end(place: Path, rng: Random) -> None:
    """A stretch from the midst of a fairseq log, neither its head nor its end: well as far as it goes."""
    noise, clock, out = Noise(rng, 0.012), Clock("2026-01-24 02:10:30"), []
    for step in range(21300, 38800, 100):
        clock.tick(43.7 + rng.gauss(0, 0.5))
        loss = law(step, 13.8, 3.62, 900) * (1 + noise())
        told = {
            "epoch": 1 + step // 20400,
            "update": round(step / 20400, 3),
            "loss": f"{loss:.3f}",
            "nll_loss": f"{loss - 1.43:.3f}",
            "ppl": f"{2 ** (loss - 1.43):.2f}",
            "wps": f"{rng.gauss(96120, 700):.1f}",
            "ups": "2.29",
            "wpb": f"{rng.gauss(41900, 60):.1f}",
            "bsz": f"{rng.gauss(1490, 30):.1f}",
            "num_updates": str(step),
            "lr": f"{0.0007 * (4000 / step) ** 0.5:.9f}",
            "gnorm": f"{grad(rng, 0.71):.3f}",
            "clip": "0",
            "loss_scale": "16",
            "train_wall": "43",
            "gb_free": "17.9",
            "wall": str(round(step * 0.437)),
        }
        out.append(f"{clock.plain()} | INFO | train_inner | {json.dumps(told)}")
    save(place / "part-of-train.log", out, cut=120)


def c19_wrong_base(place: Path, rng: Random) -> None:
    """A good pre-training, and the stage after it, which loads a checkpoint of another width and dies of that."""
    noise = Noise(rng, 0.02)
    rows = [
        {"step": step, "max_steps": 20000, "loss": round(law(step, 10.7, 2.45, 400) * (1 + noise()), 4)}
        for step in range(100, 20001, 100)
    ]
    save(place / "stage1/metrics.jsonl", lines(rows))
    names = [
        "model.embed_tokens.weight",
        "model.layers.0.self_attn.q_proj.weight",
        "model.layers.0.self_attn.k_proj.weight",
    ]
    shapes = [("32000, 2048", "32000, 4096"), ("2048, 2048", "4096, 4096"), ("2048, 2048", "1024, 4096")]
    save(
        place / "stage2/stage2.log",
        [
            "2026-02-11 07:55:02,118 [INFO] stage 2: init from /ckpt/stage1-small/step_20000/model.pt",
            "2026-02-11 07:55:09,740 [INFO] building model: hidden 4096, layers 32, kv heads 8",
            "2026-02-11 07:56:31,002 [INFO] loading checkpoint",
            "Traceback (most recent call last):",
            '  File "/work/sft/run.py", line 177, in <module>',
            "    main(parse())",
            '  File "/work/sft/run.py", line 121, in main',
            "    model.load_state_dict(torch.load(args.init, map_location='cpu')['model'])",
            '  File "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py", line 2584, in load_state_dict',
            "    raise RuntimeError(",
            "RuntimeError: Error(s) in loading state_dict for LlamaForCausalLM:",
            *(
                f"\tsize mismatch for {name}: copying a param with shape torch.Size([{old}]) from checkpoint, "
                f"the shape in current model is torch.Size([{new}])."
                for name, (old, new) in zip(names, shapes, strict=True)
            ),
        ],
    )


def c20_forty_steps(place: Path, rng: Random) -> None:
    """A fine-tuning over three epochs that a forgotten ``max_steps`` ended in the midst of its warm-up."""
    out, history = (
        ["***** Running training *****", "  Num examples = 412,880", "  Num Epochs = 1"],
        list[dict[str, Any]](),
    )
    out += [
        "  Total train batch size (w. parallel, distributed & accumulation) = 64",
        "  Total optimization steps = 40",
    ]
    for step in range(1, 41):
        loss = 2.31 - 0.0011 * step + rng.gauss(0, 0.035)
        row = {
            "loss": round(loss, 4),
            "grad_norm": round(grad(rng, 3.1), 4),
            "learning_rate": 1e-5 * step / 600,
            "epoch": round(step / 6451, 4),
        }
        out.append(str(row))
        history.append({**row, "step": step})
    out.append(str({"train_runtime": 188.2, "train_samples_per_second": 13.6, "train_loss": 2.2874, "epoch": 0.01}))
    args = {
        "output_dir": "out/med-7b-final",
        "num_train_epochs": 3.0,
        "max_steps": 40,
        "warmup_steps": 600,
        "learning_rate": 1e-5,
    }
    save(place / "out/med-7b-final/args.json", json.dumps(args, indent=2))
    save(place / "train.log", out)
    state = {"epoch": 0.0062, "global_step": 40, "max_steps": 40, "num_train_epochs": 1, "log_history": history}
    save(place / "out/med-7b-final/trainer_state.json", json.dumps(state, indent=2))


def c21_data_ran_out(place: Path, rng: Random) -> None:
    """A stream that was empty after 3120 of 10000 steps: the Trainer warns, stops, and reports as if all were well."""
    noise, out = Noise(rng, 0.025), ["***** Running training *****", "  Total optimization steps = 10,000"]
    for step in range(20, 3121, 20):
        row = {
            "loss": round(law(step, 4.2, 1.71, 300) * (1 + noise()), 4),
            "grad_norm": round(grad(rng, 1.2), 4),
            "learning_rate": cosine(step, 1e-4, 300, 10000, 0.0),
            "epoch": round(step / 10000, 4),
        }
        out.append(str(row))
    out.append(
        "There seems to be not a single sample in your epoch_iterator, stopping training at step 3120! This is expected if "
        "you're using an IterableDataset and set num_steps (10000) higher than the number of available samples."
    )
    out.append("\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n")
    out.append(str({"train_runtime": 9120.5, "train_steps_per_second": 1.096, "train_loss": 2.1077, "epoch": 0.312}))
    save(place / "stream_pretrain.out", out)


def c22_one_slow_rank(place: Path, rng: Random) -> None:
    """Eight ranks' own timings: rank 5 computes twice as long as the others, and they wait for it; cut anywhere."""
    noise, rows = Noise(rng, 0.02), list[list[dict[str, Any]]]([] for _ in range(8))
    for step in range(10, 4210, 10):
        works = [rng.gauss(0.512, 0.006) * (2.08 if rank == 5 else 1) for rank in range(8)]
        whole = max(works) + rng.gauss(0.071, 0.004)
        loss = law(step, 9.8, 2.7, 200)
        for rank, work in enumerate(works):
            rows[rank].append(
                {
                    "step": step,
                    "rank": rank,
                    "loss": round(loss * (1 + noise()), 4),
                    "fwd_bwd_s": round(work, 4),
                    "allreduce_wait_s": round(whole - work, 4),
                    "step_s": round(whole + 0.02, 4),
                }
            )
    for rank, told in enumerate(rows):
        save(place / f"timing/rank{rank}.jsonl", lines(told), cut=rng.randrange(5, 90))
