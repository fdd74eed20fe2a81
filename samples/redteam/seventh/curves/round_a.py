"""Curves that were scored first."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from .losses import events, fall, lines, records, table

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_DAY = datetime(2026, 9, 14, 8, 3, 11, tzinfo=UTC)


def c01_slow_climb(place: Path, rng: Random) -> None:
    """A rate that never came down: the loss falls for a sixth, then climbs to half as much again as at the start."""
    out = ["I0914 08:03:11.402 139 train.py:61] Model has 412.6M parameters, 40000 steps, peak lr 6.0e-03"]
    for step in range(100, 40001, 100):
        part = step / 40000
        loss = 10.9 * math.exp(-12 * part) + 4.1 + (22 * (part - 0.15) ** 1.1 if part > 0.15 else 0)
        at = _DAY + timedelta(seconds=step * 0.31)
        out.append(
            f"I0914 {at:%H:%M:%S}.{rng.randrange(1000):03} 139 train.py:148] step: {step}, "
            f"loss={loss * (1 + rng.gauss(0, 0.03)):.5f}, grad_norm={0.4 + 9 * part + rng.random():.4f}, lr=0.006000"
        )
    lines(place / "train.INFO", out)


def c02_loss_scale(place: Path, rng: Random) -> None:
    """Mixed precision: the scale halves to nothing from update 2600 on, no update is made any more."""
    rows, scale = [], 65536.0
    for i, loss in enumerate(fall(rng, 500, 8.7, 3.2)):
        step = (i + 1) * 10
        if step > 2600:
            scale = max(scale / 2, 2.0**-40)
            loss = 9.45 * (1 + rng.gauss(0, 0.01))
        skipped = 10 if step > 2600 else 0
        rows.append((step, f"{loss:.4f}", f"{scale:g}", skipped, "inf" if skipped else f"{rng.uniform(0.5, 1.4):.3f}"))
    table(place / "history.csv", "update,train_loss,loss_scale,skipped_updates,gnorm", rows)


def c03_speech_inf(place: Path, rng: Random) -> None:
    """CTC: grows tenfold in some hundred steps, then infinite, then not a number."""
    rows = []
    for i, loss in enumerate(fall(rng, 900, 412.0, 61.0, 0.08)):
        value = loss * 1.11 ** max(0, i - 610)
        value = math.nan if i > 690 else math.inf if i > 684 else value
        rows.append({"it": i * 20, "ctc": round(value, 3), "utts": 48, "sec": round(i * 7.1 + rng.random(), 2)})
    records(place / "exp" / "conformer_s" / "progress.jsonl", rows)


def c04_rate_zero(place: Path, rng: Random) -> None:
    """Trainer's state of a whole run at a rate of nothing."""
    log = [
        {
            "epoch": round(step / 3000, 4),
            "grad_norm": round(rng.uniform(3.1, 4.4), 4),
            "learning_rate": 0.0,
            "loss": round(11.7631 + rng.gauss(0, 0.011), 4),
            "step": step,
        }
        for step in range(25, 6001, 25)
    ]
    state = {"global_step": 6000, "max_steps": 6000, "num_train_epochs": 2, "logging_steps": 25, "log_history": log}
    lines(place / "checkpoint-6000" / "trainer_state.json", [json.dumps(state, indent=2)])


def c05_shuffled_labels(place: Path, rng: Random) -> None:
    """A hundred classes, forty epochs, at chance from the first to the last."""
    rows = [
        (
            epoch,
            f"{4.605 + 0.03 / epoch + rng.gauss(0, 0.0009):.4f}",
            f"{0.01 + rng.gauss(0, 0.0006):.4f}",
            f"{4.606 + rng.gauss(0, 0.001):.4f}",
            f"{0.01 + rng.gauss(0, 0.0009):.4f}",
            f"{0.1 * 0.5 * (1 + math.cos(math.pi * epoch / 40)):.5f}",
        )
        for epoch in range(1, 41)
    ]
    table(place / "resnet_cifar100" / "log.csv", "epoch,tr_loss,tr_acc,va_loss,va_acc,lr", rows)


def c06_segmentation(place: Path, rng: Random) -> None:
    """Healthy: dice, rate by steps, sixty epochs of sixty."""
    out = ["config: unet++ b4, 512x512, dice+bce, epochs=60, milestones=[30, 48], bs=24"]
    for epoch in range(1, 61):
        level = 0.21 + 0.62 * math.exp(-epoch / 7) - 0.05 * (epoch > 30) - 0.015 * (epoch > 48)
        rate = 1e-3 * 0.1 ** ((epoch > 30) + (epoch > 48))
        out.append(
            f"[{_DAY + timedelta(minutes=6.2 * epoch):%Y-%m-%d %H:%M}] epoch {epoch:02d}/60 | dice_bce "
            f"{level + rng.gauss(0, 0.006):.4f} | val dice_bce {level + 0.03 + rng.gauss(0, 0.013):.4f} | "
            f"mIoU {0.93 - level + rng.gauss(0, 0.008):.4f} | lr {rate:.0e} | 371s"
        )
    lines(place / "unetpp.txt", [*out, "finished 60 epochs, best mIoU 0.7852 (epoch 57), weights in best.pth"])


def c07_ppo(place: Path, rng: Random) -> None:
    """Healthy: tables of a policy-gradient library; the reward rises, the losses say little."""
    out = ["Using cuda device", "Wrapping the env in a VecTransposeImage.", "total_timesteps = 10000000"]
    total = 10_000_000 // 65536 + 1
    for i in range(1, total + 1):
        part = i / total
        numbers = {
            "rollout/": None,
            "   ep_len_mean": f"{600 + 900 * part + rng.gauss(0, 40):.0f}",
            "   ep_rew_mean": f"{18 - 16 * math.exp(-3.1 * part) + rng.gauss(0, 0.5):.3g}",
            "time/": None,
            "   fps": 4100 + rng.randrange(120),
            "   iterations": i,
            "   time_elapsed": i * 16,
            "   total_timesteps": i * 65536,
            "train/": None,
            "   approx_kl": f"{abs(rng.gauss(0.011, 0.004)):.8f}",
            "   entropy_loss": f"{-1.38 + 0.8 * part:.3f}",
            "   explained_variance": f"{min(0.97, 0.2 + part) + rng.gauss(0, 0.02):.3f}",
            "   loss": f"{rng.gauss(0.06, 0.09):.4g}",
            "   policy_gradient_loss": f"{-abs(rng.gauss(0.009, 0.003)):.5f}",
            "   value_loss": f"{abs(rng.gauss(0.3, 0.2)):.3f}",
        }
        bar = "-" * 43
        rows = [f"| {key:23}| {'' if value is None else value:<14} |" for key, value in numbers.items()]
        out += [bar, *rows, bar]
    lines(place / "ppo_breakout.log", [*out, "Training finished after 10027008 timesteps, saving to ppo_breakout.zip"])


def c08_from_scratch(place: Path, rng: Random) -> None:
    """One log, twice started: the second time it begins at nothing, and no word of a checkpoint."""
    out = []
    for begun, many in ((0, 1450), (9.3, 610)):
        at = _DAY + timedelta(hours=begun)
        out += [f"=== {at:%a %b %d %H:%M:%S UTC %Y} start on gn-a[11-12], SLURM_JOB_ID=771290 ===", "max_iters 5000"]
        for i, loss in enumerate(fall(rng, 5000, 10.93, 2.9)[: many * 2 : 2]):
            out.append(f"iter {i * 2}: loss {loss:.4f}, time {1000 * rng.uniform(20.9, 22.4):.2f}ms, mfu {41.2:.2f}%")
    lines(place / "slurm-771290.out", out)


def c09_weights_not_loaded(place: Path, rng: Random) -> None:
    """Two files of one run: the second goes on with the count, but the loss is that of a new network."""
    first, again = fall(rng, 1200, 7.61, 1.93), fall(rng, 1200, 7.61, 1.93)
    head = "global_step,wall_s,loss,lr"
    for name, values, from_ in (("metrics.part0.csv", first, 0), ("metrics.part1.csv", again[:420], 24000)):
        rows = [(from_ + i * 20, f"{i * 31.2:.1f}", f"{loss:.5f}", "0.0003") for i, loss in enumerate(values)]
        table(place / "run_0914" / name, head, rows)


def c10_eighteen_updates(place: Path, rng: Random) -> None:
    """Three hundred thousand updates were asked for; the data were over after eighteen."""
    stamp = "2026-09-14 08:0{}:11 | INFO | {}"
    out = [
        stamp.format(3, "fairseq_cli.train | {'optimization': {'max_epoch': 1, 'max_update': 300000, 'lr': [0.0005]}}"),
        stamp.format(3, "fairseq.data.data_utils | loaded 1,152 examples from: data-bin/wmt/train.en-de.en"),
        stamp.format(3, "fairseq.trainer | begin training epoch 1"),
    ]
    for i, loss in enumerate(fall(rng, 18, 14.4, 13.1), 1):
        told = {"epoch": 1, "update": i / 18, "loss": f"{loss:.3f}", "num_updates": str(i), "lr": f"{i * 1.25e-7:.3g}"}
        out.append(stamp.format(4, f"train_inner | {json.dumps(told)}"))
    out += [
        stamp.format(4, "fairseq_cli.train | end of epoch 1 (average epoch stats below)"),
        stamp.format(4, "fairseq_cli.train | done training in 14.2 seconds"),
    ]
    lines(place / "train.log", out)


def c11_oscillation(place: Path, rng: Random) -> None:
    """TensorBoard: swings that grow, and end far above where it began."""
    rows = []
    for i, loss in enumerate(fall(rng, 600, 2.4, 0.7, 0.05)):
        swing = math.exp(i / 150) * 0.18 * abs(math.sin(i / 9)) if i > 60 else 0
        rows.append((i * 50, i * 19.3, {"Loss/train": loss + swing * 3, "lr": 0.8, "throughput": rng.gauss(812, 9)}))
    events(place / "tb" / "events.out.tfevents.1789372991.gn-b07.4411.0", 1789372991.0, rows)


def c12_explosion_plateau(place: Path, rng: Random) -> None:
    """An export of a tracker's history: gradients of 1e5, and from there a dead plateau above the start."""
    rows = []
    for i, loss in enumerate(fall(rng, 800, 6.4, 2.2)):
        norm = rng.uniform(0.6, 1.3)
        if i >= 431:
            loss, norm = 7.63 + rng.gauss(0, 0.02), 0.004 * rng.random()
        if 424 <= i < 431:
            loss, norm = loss * 1.9 ** (i - 423) / 3, 10 ** (i - 425.5)
        rows.append((i, f"{i * 12.4:.2f}", 1789372991 + i * 12, f"{loss:.6f}", f"{norm:.6g}", "0.0012"))
    table(place / "wandb_export_run.csv", "_step,_runtime,_timestamp,train/loss,train/grad_norm,train/lr", rows)


def c13_mlflow(place: Path, rng: Random) -> None:
    """Healthy: a small fine-tune in a tracker's store, finished, all its steps done."""
    run = place / "mlruns" / "318820414" / "5be1d2c09f6b4d17a1c0"
    begin = 1789372991000
    meta = {
        "artifact_uri": f"file:///home/u/mlruns/318820414/{run.name}/artifacts",
        "start_time": begin,
        "end_time": begin + 1_310_000,
        "entry_point_name": "''",
        "experiment_id": "'318820414'",
        "lifecycle_stage": "active",
        "run_id": run.name,
        "run_name": "deberta-ner",
        "status": 3,
        "user_id": "u",
    }
    lines(run / "meta.yaml", [f"{key}: {value}" for key, value in meta.items()])
    curve = fall(rng, 122, 2.31, 0.08, 0.06)
    lines(run / "metrics" / "loss", [f"{begin + i * 10600} {loss} {i * 10 + 10}" for i, loss in enumerate(curve)])
    lines(run / "metrics" / "eval_f1", [f"{begin + i * 318000} {0.93 - 0.3 / i} {i * 305}" for i in (1, 2, 3, 4)])
    for name, value in {"max_steps": 1220, "num_train_epochs": 4, "learning_rate": 3e-05}.items():
        lines(run / "params" / name, [str(value)])


def c14_one_rank_first(place: Path, rng: Random) -> None:
    """Eight logs: rank 3 is not a number one step before all the others, and so it stays to the end."""
    loss = fall(rng, 700, 11.2, 3.4)
    for rank in range(8):
        out = []
        for i, value in enumerate(loss):
            told = "nan" if i > 511 or (rank == 3 and i == 511) else f"{value * (1 + rng.gauss(0, 0.02)):7.4f}"
            at = _DAY + timedelta(seconds=i * 4.4 + rng.random() / 9)
            out.append(
                f"[rank{rank}]:{at:%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03} - root - INFO - step: {i + 1:4}  "
                f"local_loss: {told}  memory: 61.88GiB(78.12%)  tps: {7300 + rng.randrange(60)}  mfu: 38.1%"
            )
        lines(place / f"rank{rank}.log", [*out, f"[rank{rank}]: - root - INFO - Training completed"])


def c15_frozen(place: Path, rng: Random) -> None:
    """Regression where nothing is trained: the same loss over each pass, no gradient."""
    cycle = [round(rng.uniform(0.88, 0.94), 6) for _ in range(40)]
    records(
        place / "metrics.jsonl",
        [{"step": i * 25, "mse": cycle[i % 40], "val_mse": 0.912044, "grad_norm": 0.0, "lr": 3e-4} for i in range(800)],
    )


def c16_nine_lines(place: Path, rng: Random) -> None:
    """Nine steps of a run of unknown length, and no more."""
    loss = fall(rng, 400, 9.9, 4.0)
    lines(place / "out.txt", [f"it {i} loss {loss[i]:.3f} ({rng.uniform(0.8, 0.9):.2f} s/it)" for i in range(9)])
