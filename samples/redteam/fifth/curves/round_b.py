"""Seventeen runs of the second round, written before anything was known of how the first was met."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .lab import NAN, Walk, clock, cosine, events, fall, linear, lines, millis, records, table

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c14_swings(out: Path, rng: Random) -> None:
    """`numpy.savetxt` of step and two losses, which swing ever wider."""
    noise, rows = Walk(rng, 0.02), ["# step train dev"]
    for step in range(0, 9001, 10):
        wide = 0.02 * math.exp(max(0, step - 2500) / 1100)
        swing = wide * (1.0 + math.sin(step / 37.0) + 0.4 * math.sin(step / 11.0 + 1))
        loss = fall(step, 4.1, 0.71, 120.0, 0.9) + min(swing, 9.0 + rng.uniform(0, 2)) + noise()
        rows.append(f"{step:.6e} {max(loss, 0.3):.6e} {max(loss, 0.3) + 0.05 + abs(noise()):.6e}")
    lines(out / "losses.txt", rows)


def c15_half_precision(out: Path, rng: Random) -> None:
    """The scale of the loss halves until nothing is left of it; no update is made any more."""
    noise, rows, scale, skipped, now = Walk(rng, 0.05), [], 65536.0, 0, 1_792_011_000.0
    for update in range(1, 16001, 20):
        now += 20 * 0.41
        broken = update > 3900
        if broken:
            scale, skipped = max(scale / 2, 6.103515625e-05), skipped + 20
        elif update % 2000 == 1 and update > 1:
            scale = min(scale * 2, 131072.0)
        loss = fall(min(update, 3900), 9.9, 3.1, 150.0, 0.7) + noise()
        row = {
            "num_updates": update,
            "loss": round(loss, 3),
            "gnorm": NAN if broken else round(math.exp(rng.gauss(0.1, 0.2)), 3),
        }
        rows.append(
            {
                **row,
                "loss_scale": scale,
                "skipped": skipped,
                "lr": round(5e-4 * min(1.0, (4000 / max(update, 1)) ** 0.5) * min(1, update / 4000), 9),
                "train_wall": round(now - 1_792_011_000.0),
            }
        )
    records(out / "train_stats.json", rows)


def c16_mlruns(out: Path, rng: Random) -> None:
    """A folder of MLflow: a regression whose gradients explode."""
    run = out / "mlruns" / "412880934118276315" / "9f1be3c27d1c4b0e8a6b1dd6a31f7f0c"
    (run / "metrics").mkdir(parents=True)
    (run / "params").mkdir()
    begin, noise = 1_790_700_000_000, Walk(rng, 0.04)
    rows: dict[str, list[str]] = {"train_mse": [], "grad_norm": [], "val_mse": []}
    for step in range(1, 1801):
        at = begin + step * 1310
        loss = fall(step, 1.02, 0.12, 40.0, 0.8) * math.exp(noise())
        norm = 0.7 * math.exp(rng.gauss(0, 0.2))
        if step > 960:
            norm *= math.exp(min((step - 960) * 0.06, 60))
            loss += 0.02 * math.exp(min((step - 975) * 0.055, 55))
        rows["train_mse"].append(f"{at} {loss} {step}")
        rows["grad_norm"].append(f"{at} {norm} {step}")
        if step % 100 == 0:
            rows["val_mse"].append(f"{at + 900} {loss * 1.04} {step}")
    for name, told in rows.items():
        lines(run / "metrics" / name, told)
    for name, value in {"optimizer": "sgd", "lr": "0.05", "momentum": "0.9", "clip": "None", "steps": "1800"}.items():
        (run / "params" / name).write_text(value)
    about = {
        "artifact_location": "file:///home/ilse/flow/mlruns/412880934118276315",
        "experiment_id": "'412880934118276315'",
    }
    lines(
        run.parent / "meta.yaml",
        [f"{key}: {value}" for key, value in about.items()] + ["lifecycle_stage: active", "name: surrogate"],
    )
    meta = {
        "artifact_uri": f"file:///home/ilse/flow/mlruns/412880934118276315/{run.name}/artifacts",
        "end_time": begin + 1801 * 1310,
        "experiment_id": "'412880934118276315'",
        "lifecycle_stage": "active",
        "run_id": run.name,
        "run_name": "nosy-shrike-512",
        "source_name": "''",
        "start_time": begin,
        "status": 3,
        "user_id": "ilse",
    }
    lines(run / "meta.yaml", [f"{key}: {value}" for key, value in meta.items()])


def c17_frozen_board(out: Path, rng: Random) -> None:
    """TensorBoard: four classes, a gradient of exactly nothing."""
    scalars, noise = [], Walk(rng, 0.006, 0.0)
    for step in range(20, 6001, 20):
        after = step * 0.62
        told = {
            "train/cross_entropy": 1.3871 + noise(),
            "train/accuracy": 0.25 + rng.gauss(0, 0.011),
            "train/grad_norm": 0.0,
            "train/lr": 5e-5,
        }
        if step % 1000 == 0:
            told |= {"eval/cross_entropy": 1.3868, "eval/accuracy": 0.2497}
        scalars += [(after, step, tag, value) for tag, value in told.items()]
    (out / "tb").mkdir()
    events(out / "tb" / "events.out.tfevents.1792110031.nlp-3.20114.0", 1_792_110_031.0, scalars)


def c18_clicks(out: Path, rng: Random) -> None:
    """A click model whose labels had been sorted apart from their rows."""
    log, now = (
        ["loading /feature-store/clicks/2026-09 (88 files)", "rows 211,004,118  positives 50.02%"],
        1_790_000_500.0,
    )
    for epoch in range(1, 41):
        now += 611 + rng.uniform(-9, 9)
        log.append(
            f"{clock(now)}  epoch {epoch:02d}/40  train_bce {0.6931 + rng.gauss(0.0002, 0.00012):.4f}  valid_bce {0.6931 + abs(rng.gauss(0, 0.00015)):.4f}  valid_auc {rng.gauss(0.5, 0.0006):.4f}  lr 1.0e-03"
        )
    lines(out / "ctr_train.log", log)


def c19_pong(out: Path, rng: Random) -> None:
    """progress.csv of Stable-Baselines3: ten million steps at the worst score there is."""
    header = [
        "rollout/ep_len_mean",
        "rollout/ep_rew_mean",
        "time/fps",
        "time/iterations",
        "time/time_elapsed",
        "time/total_timesteps",
        "train/approx_kl",
        "train/clip_fraction",
        "train/entropy_loss",
        "train/explained_variance",
        "train/learning_rate",
        "train/loss",
        "train/n_updates",
        "train/policy_gradient_loss",
        "train/value_loss",
    ]
    rows, each = [], 8 * 128
    for iteration in range(10, 9766, 10):
        reward = -20.4 + rng.gauss(0, 0.09)
        rows.append(
            [
                f"{rng.gauss(3790, 30):.2f}",
                f"{max(-21.0, reward):.2f}",
                int(rng.gauss(1912, 12)),
                iteration,
                iteration * each // 1912,
                iteration * each,
                f"{abs(rng.gauss(2e-9, 2e-9)):.6e}",
                "0.0",
                f"{-1.7917 + abs(rng.gauss(0, 3e-5)):.6f}",
                f"{rng.gauss(0.0, 0.004):.5f}",
                "0.0",
                f"{rng.gauss(0.021, 0.003):.5f}",
                iteration * 4,
                f"{rng.gauss(0, 2e-5):.3e}",
                f"{rng.gauss(0.062, 0.006):.4f}",
            ]
        )
    table(out / "progress.csv", header, rows)


def c20_cartpole(out: Path, rng: Random) -> None:
    """A policy that learns, in Stable-Baselines3's own tables; its value loss rises, as it should."""
    log = ["Using cuda device", "Wrapping the env with a `Monitor` wrapper", "Wrapping the env in a DummyVecEnv."]
    for iteration in range(1, 99):
        reward = 21 + 472 / (1 + math.exp(-(iteration - 26) / 7)) + rng.gauss(0, 4)
        shown = [
            ("rollout/", None),
            ("   ep_len_mean", f"{reward:.0f}"),
            ("   ep_rew_mean", f"{reward:.0f}"),
            ("time/", None),
            ("   fps", f"{rng.gauss(1410, 25):.0f}"),
            ("   iterations", str(iteration)),
            ("   time_elapsed", str(iteration * 2048 // 1410)),
            ("   total_timesteps", str(iteration * 2048)),
        ]
        if iteration > 1:
            shown += [
                ("train/", None),
                ("   approx_kl", f"{abs(rng.gauss(0.008, 0.003)):.7f}"),
                ("   clip_fraction", f"{rng.uniform(0.03, 0.12):.4f}"),
                ("   entropy_loss", f"{-0.686 + 0.0018 * iteration:.3f}"),
                ("   learning_rate", "0.0003"),
                ("   loss", f"{abs(rng.gauss(3 + iteration / 5, 2)):.3g}"),
                ("   n_updates", str(10 * iteration - 10)),
                ("   value_loss", f"{abs(rng.gauss(14 + iteration / 2, 6)):.3g}"),
            ]
        log.append("-" * 41)
        log += [f"| {name:23}| {value or '':12} |" for name, value in shown]
        log.append("-" * 41)
    log += [
        "200704 of 200000 timesteps done",
        "evaluate_policy: mean_reward=500.00 +/- 0.00 over 20 episodes",
        "model saved to zoo/ppo_cartpole.zip",
    ]
    lines(out / "ppo.out", log)


def c21_pairs(out: Path, rng: Random) -> None:
    """A chart downloaded from W&B, and the console's last lines."""
    noise, run = Walk(rng, 0.035), "amber-flower-7 - loss/contrastive"
    rows = []
    for step in range(0, 48001, 48):
        loss = f"{fall(step, 10.39, 0.62, 420.0, 0.62) + noise():.6f}"
        rows.append([step, loss, loss, loss])
    table(out / "wandb_export_2026-10-04T09_12_44.218+02_00.csv", ["Step", run, f"{run}__MIN", f"{run}__MAX"], rows)
    lines(
        out / "output.log",
        [
            f"epoch {at}/32  imagenet zero-shot top1 {61.3 - 58 * math.exp(-at / 6.5):.2f}  logit_scale {14.3 + 2.68 * at:.1f}"
            for at in range(1, 33)
        ]
        + [
            "training complete, 32 epochs, 48000 steps",
            "wandb: Run summary:",
            "wandb:          epoch 32",
            "wandb: zeroshot/top1 60.88",
            "wandb: Synced 5 W&B file(s), 0 media file(s), 2 artifact file(s) and 0 other file(s)",
        ],
    )


def c22_one_point(out: Path, rng: Random) -> None:
    """All images are mapped to one point: the loss is that of guessing among the batch."""
    log = ["nt-xent, batch 256, temperature 0.1, projector 2048-512-128"]
    for epoch in range(100):
        for batch in range(0, 391, 130):
            early = 0.19 * math.exp(-(epoch * 391 + batch) / 220)
            log.append(
                f"[epoch {epoch:03d} it {batch:04d}] nt_xent {5.5452 + early + abs(rng.gauss(0, 0.0008)):.4f} pos_sim {0.9996 - early / 3:.4f} neg_sim {0.9996 - early / 3:.4f} lr {cosine(epoch, 100, 0.6, 10):.4f}"
            )
        if epoch % 10 == 9:
            log.append(f"[epoch {epoch:03d}] knn-20 top1 {rng.gauss(10.0, 0.05):.2f}")
    lines(out / "simclr.log", log)


def c23_streets(out: Path, rng: Random) -> None:
    """A segmentation in the manner of OpenMMLab."""
    noise, now, log = Walk(rng, 0.05, 0.2), 1_791_512_000.0, list[str]()
    for it in range(50, 80001, 50):
        now += 50 * 0.37
        loss = fall(it, 2.71, 0.11, 900.0, 0.75) * math.exp(noise())
        if it % 250 == 0:
            rate = 0.01 * (1 - it / 80000) ** 0.9 + 1e-4 * (it / 80000)
            left = int((80000 - it) * 0.37)
            log.append(
                f"{clock(now, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Iter(train) [{it:5d}/80000]  base_lr: {rate:.4e} lr: {rate:.4e}  eta: {left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}  time: {rng.gauss(0.37, 0.004):.4f}  data_time: {rng.uniform(0.004, 0.012):.4f}  memory: 9612  loss: {loss * 1.4:.4f}  decode.loss_ce: {loss:.4f}  decode.acc_seg: {96.2 - 40 * math.exp(-it / 9000):.4f}  aux.loss_ce: {loss * 0.4:.4f}"
            )
        if it % 8000 == 0:
            log.append(
                f"{clock(now + 2, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Saving checkpoint at {it} iterations"
            )
            log.append(
                f"{clock(now + 95, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Iter(val) [500/500]    aAcc: {95.9 - 9 * math.exp(-it / 20000):.4f}  mIoU: {78.4 - 33 * math.exp(-it / 18000):.4f}  mAcc: {85.6 - 30 * math.exp(-it / 18000):.4f}  data_time: 0.0031  time: 0.1880"
            )
            now += 95
    lines(out / "20261009_021320.log", log)


def c24_molecules(out: Path, rng: Random) -> None:
    """A regression with a long flat rate and a short decay to nothing."""
    noise, rows = Walk(rng, 0.02), []
    for epoch in range(1, 301):
        rate = 5e-4 * min(1.0, epoch / 10, (300 - epoch) / 30)
        mae = (
            (fall(epoch, 0.51, 0.021, 9.0, 0.85) - 0.004 * max(0.0, (epoch - 270) / 30))
            * math.exp(noise())
            * (2.6 if epoch in (88, 143) else 1.0)
        )
        rows.append([epoch, f"{mae:.5f}", f"{mae * 1.11 + 0.001:.5f}", f"{rate:.3e}", f"{rng.gauss(71.2, 0.8):.1f}"])
    table(out / "epochs.tsv", ["epoch", "train_mae_eV", "valid_mae_eV", "lr", "seconds"], rows, "\t")
    (out / "summary.json").write_text(
        json.dumps(
            {"status": "completed", "epochs_planned": 300, "epochs_run": 300, "test_mae_eV": 0.0458, "exit_code": 0},
            indent=1,
        )
    )


def c25_requeued_folders(out: Path, rng: Random) -> None:
    """A job that was put back into the queue keeps one table a start; the second begins anew."""
    noise = Walk(rng, 0.04)
    for start, last in ((0, 18400), (1, 11250)):
        place = out / f"start_{start}"
        place.mkdir()
        rows = [
            [
                step,
                f"{1_791_900_000 + start * 41_000 + step * 2.1:.1f}",
                f"{fall(step, 9.92, 2.35, 260.0, 0.6) + noise():.4f}",
                f"{cosine(step, 40000, 3e-4, 500, 3e-5):.4e}",
            ]
            for step in range(50, last + 1, 50)
        ]
        table(place / "metrics.csv", ["step", "unix_time", "loss", "lr"], rows)
    lines(
        out / "config.yaml",
        [
            "model: t5-large",
            "total_steps: 40000",
            "checkpoint:",
            "  dir: /p/ckpt/t5l",
            "  every: 1000",
            "  resume: last",
            "slurm:",
            "  requeue: true",
        ],
    )
    lines(
        out / "ckpt_ls.txt",
        [
            "total 18",
            *[
                f"drwxr-x--- 2 jo ml 4096 {clock(1_791_900_000 + at * 2100, '%b %d %H:%M')} step_{at}000"
                for at in range(1, 19)
            ],
        ],
    )


def c26_stale_link(out: Path, rng: Random) -> None:
    """`latest` still pointed at iteration 10000 when the run was started again after 48000."""
    now, noise, log = 1_788_300_000.0, Walk(rng, 0.025), list[str]()

    def part(first: int, last: int) -> None:
        nonlocal now
        for it in range(first + 40, last + 1, 40):
            now += 40 * 1.12
            log.append(
                f"{clock(now)} it {it}/50000 xent {fall(it, 10.5, 1.7, 400.0, 0.55) + noise():.4f} lr {linear(it, 50000, 5e-4, 2000):.3e} gpu_h {it * 1.12 * 64 / 3600:.0f}"
            )
            if it % 2000 == 0:
                log.append(f"{clock(now + 5)} checkpoint it{it:06d} written")

    log += [f"{clock(now)} job 1 of 2, no checkpoint yet, fresh weights"]
    part(0, 48640)
    now += 7000
    log += [
        f"{clock(now)} job 2 of 2",
        f"{clock(now + 40)} loading /nfs/ck/fr-base/latest -> it010000",
        f"{clock(now + 55)} loaded, continuing at iteration 10000",
    ]
    part(10000, 21040)
    log += [
        f"{clock(now)} budget of this project is used up, stopping at iteration 21040 of 50000",
        f"{clock(now + 6)} checkpoint it021040 written",
    ]
    lines(out / "fr-base.log", log)


def c27_first_dozen(out: Path, rng: Random) -> None:
    """One epoch of a dozen batches, under a warm-up of two thousand steps."""
    log = [
        "Seed set to 7",
        "GPU available: True (cuda), used: True",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        "train documents: 371 (filtered from 9,114,027)",
        "warmup_steps=2000 max_epochs=1",
    ]
    log += [
        f"step {step:3d}  train_loss {11.04 - 0.012 * step + rng.gauss(0, 0.01):.4f}  lr {3e-4 * step / 2000:.2e}"
        for step in range(1, 13)
    ]
    log += ["`Trainer.fit` stopped: `max_epochs=1` reached.", "saved weights to out/final.ckpt (12 steps, 31.4 s)"]
    lines(out / "fit.log", log)


def c28_wrong_way(out: Path, rng: Random) -> None:
    """Keras stops after four of two hundred epochs: its patience watched accuracy and waited for less."""
    log = []
    for epoch in range(1, 5):
        seen = 0.22 + 0.11 * epoch
        log.append(f"Epoch {epoch}/200")
        log.append(
            f"1563/1563 - {rng.randint(38, 43)}s - {rng.randint(24, 27)}ms/step - accuracy: {seen + rng.gauss(0, 0.004):.4f} - loss: {2.2 - 0.29 * epoch:.4f} - val_accuracy: {seen + 0.02:.4f} - val_loss: {2.15 - 0.28 * epoch:.4f}"
        )
    log += [
        "Epoch 4: early stopping",
        "Restoring model weights from the end of the best epoch: 1.",
        "planned 200 epochs, ran 4; test accuracy 0.3502",
    ]
    lines(out / "cifar.out", log)


def c29_two_fifths(out: Path, rng: Random) -> None:
    """Copied in mid-run, or left by a run that died: the file cannot say."""
    noise, now, rows = Walk(rng, 0.03), 1_792_200_000.0, []
    for step in range(25, 20601, 25):
        now += 25 * 0.93
        rows.append(
            json.dumps(
                {
                    "ts": millis(now, "."),
                    "step": step,
                    "of": 50000,
                    "loss": round(fall(step, 10.9, 2.2, 250.0, 0.6) + noise(), 4),
                    "lr": round(cosine(step, 50000, 2.5e-4, 1000), 9),
                }
            )
        )
    (out / "log.jsonl").write_text("\n".join(rows) + f'\n{{"ts": "{clock(now + 23)[:14]}')


def c30_three_rates(out: Path, rng: Random) -> None:
    """Three runs of a search over rates, all of them too high."""
    for name, rate in (("lr_0.01", 0.01), ("lr_0.03", 0.03), ("lr_0.1", 0.1)):
        place, noise, rows = out / name, Walk(rng, 0.06), []
        place.mkdir()
        for step in range(10, 3001, 10):
            loss = fall(step, 7.6, 3.0, 80.0, 0.8) + noise()
            if rate == 0.01 and step > 700:
                loss = 6.9 + 2.2 * math.exp(-(step - 700) / 300) + noise(3.0)
            if rate == 0.03 and step > 310:
                loss = loss + (step - 310) * 0.31 * math.exp(rng.gauss(0, 0.2))
            if rate == 0.1:
                loss = 7.6 + step * rng.uniform(1.4, 2.9) if step < 120 else NAN
            rows.append({"step": step, "train_loss": loss, "lr": rate, "max_steps": 3000})
        records(place / "log.jsonl", rows)
