"""Curves of training as people keep them. SIMULATED: no number here was measured.

`python make_curves.py OUT/curves [CASE...]` writes a folder per case, always the same bytes.
"""

# ruff: noqa: PERF401 (a case reads best in the order in which its file is written)
from __future__ import annotations

import csv
import datetime as dt
import json
import math
import random
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

CASES: dict[str, Callable[[Path, random.Random], None]] = {}
NAN, INF = float("nan"), float("inf")
Row = dict[str, Any]


def case(make: Callable[[Path, random.Random], None]) -> Callable[[Path, random.Random], None]:
    """Keep it under its own name, with dashes."""
    CASES[make.__name__.replace("_", "-")] = make
    return make


class Falling:
    """A loss that falls by a power law towards a floor, with noise that remembers."""

    def __init__(
        self,
        rng: random.Random,
        start: float,
        floor: float,
        knee: float,
        noise: float = 0.02,
        power: float = 0.8,
        memory: float = 0.6,
    ) -> None:
        self.rng, self.start, self.floor, self.knee = rng, start, floor, knee
        self.noise, self.power, self.memory, self.state = noise, power, memory, 0.0

    def __call__(self, step: float) -> float:
        mean: float = self.floor + (self.start - self.floor) * (1 + step / self.knee) ** -self.power
        self.state = self.memory * self.state + self.rng.gauss(0, self.noise) * math.sqrt(1 - self.memory**2)
        return float(mean + self.state * abs(mean))


def cosine(step: float, total: float, peak: float, warm: float, least: float = 0.0) -> float:
    """Linear warm-up, then a half cosine."""
    if step < warm:
        return peak * step / warm
    return least + (peak - least) * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warm) / (total - warm))))


def clock(first: str) -> Callable[[float], str]:
    """Seconds since `first` as the time a logger prints."""
    start = dt.datetime.fromisoformat(first).replace(tzinfo=dt.UTC)
    return lambda s: (start + dt.timedelta(seconds=s)).strftime("%Y-%m-%d %H:%M:%S")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> None:
    names = list(columns or dict.fromkeys(k for row in rows for k in row))
    with path.open("w", newline="") as out:
        table = csv.DictWriter(out, names, restval="")
        table.writeheader()
        table.writerows(rows)


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


def trainer_state(path: Path, history: list[Row], **more: object) -> None:
    """As transformers 4.5x saves it."""
    last = max((row["step"] for row in history), default=0)
    state: Row = {
        "best_global_step": None,
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": history[-1]["epoch"] if history else 0.0,
        "eval_steps": 500,
        "global_step": last,
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 10,
        "max_steps": last,
        "num_input_tokens_seen": 0,
        "num_train_epochs": 3,
        "save_steps": 500,
        "stateful_callbacks": {},
        "total_flos": 1.8e17,
        "train_batch_size": 8,
        "trial_name": None,
        "trial_params": None,
    }
    path.write_text(json.dumps({**state, **more}, indent=2))


# ---- TensorBoard: records of length, masked crc32c, Event ----


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def events(path: Path, rows: Iterable[tuple[float, int, Mapping[str, float]]]) -> None:
    """(wall, step, scalars) as `SummaryWriter.add_scalar` writes them."""

    def record(data: bytes) -> bytes:
        head = struct.pack("<Q", len(data))
        return head + masked(head) + data + masked(data)

    out: list[bytes] = []
    for wall, step, scalars in rows:
        if not out:
            out.append(record(b"\x09" + struct.pack("<d", wall) + field(3, b"brain.Event:2")))
        for tag, value in scalars.items():
            summary = field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
            out.append(record(b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary)))
    path.write_bytes(b"".join(out))


# ---- healthy ----


@case
def keras_cifar(to: Path, rng: random.Random) -> None:
    """CSVLogger beside what Keras printed; the rate falls in steps."""
    loss, held = Falling(rng, 1.75, 0.12, 6, 0.02, 1.3), Falling(rng, 1.5, 0.36, 5, 0.05, 1.4)
    rows, lines = [], []
    for epoch in range(80):
        drop = 0.55 if epoch >= 60 else 0.8 if epoch >= 40 else 1.0
        train, val = loss(epoch) * drop, held(epoch) * (0.9 if epoch >= 40 else 1)
        acc, val_acc = 1 - train / 2.7, 1 - val / 3.6
        rate = 1e-3 * (0.01 if epoch >= 60 else 0.1 if epoch >= 40 else 1)
        rows.append(
            {
                "epoch": epoch,
                "accuracy": acc,
                "learning_rate": rate,
                "loss": train,
                "val_accuracy": val_acc,
                "val_loss": val,
            }
        )
        lines += [
            f"Epoch {epoch + 1}/80",
            f"391/391 - {rng.uniform(11.2, 12.4):.0f}s - {rng.uniform(28, 31):.0f}ms/step - accuracy: {acc:.4f} - loss: {train:.4f} - val_accuracy: {val_acc:.4f} - val_loss: {val:.4f} - learning_rate: {rate:.4e}",
        ]
    write_csv(to / "history.csv", rows)
    write_lines(to / "train.out", lines)


@case
def wsd_pretrain(to: Path, rng: random.Random) -> None:
    """Warm-up, stable, decay; spikes that come back within a few lines."""
    loss, total = Falling(rng, 10.9, 2.65, 420, 0.008, 0.75), 24000
    rows, spike = [], 0.0
    for step in range(20, total + 1, 20):
        spike = rng.uniform(0.6, 2.4) if rng.random() < 0.004 else spike * 0.45
        decay = max(0.0, (step - 20000) / 4000)
        rate = 6e-4 * min(1.0, step / 1000) * (1 - decay)
        rows.append(
            {
                "step": step,
                "total_steps": total,
                "tokens": step * 524288,
                "train_loss": round(loss(step) - 0.17 * decay + spike, 4),
                "lr": rate,
                "grad_norm": round(rng.lognormvariate(-0.9, 0.25) + spike * 3, 4),
                "tok_per_s": round(rng.gauss(412000, 3000)),
            }
        )
    write_jsonl(to / "metrics.jsonl", rows)


@case
def ner_three_epochs(to: Path, rng: random.Random) -> None:
    """A small fine-tune, batches of 8: one line says little, all say much."""
    loss, history = Falling(rng, 1.9, 0.03, 40, 0.55, 1.1, 0.1), []
    total = 1317
    for step in range(10, total + 1, 10):
        history.append(
            {
                "epoch": round(step / 439, 4),
                "grad_norm": rng.lognormvariate(0.4, 0.8),
                "learning_rate": 5e-5 * (1 - step / total),
                "loss": round(abs(loss(step)), 4),
                "step": step,
            }
        )
        if step % 440 == 0:
            history.append(
                {
                    "epoch": float(step // 440),
                    "eval_f1": 0.86 + 0.02 * step / 440,
                    "eval_loss": 0.071 - 0.006 * step / 440,
                    "eval_runtime": 9.2,
                    "step": step,
                }
            )
    history.append(
        {
            "epoch": 3.0,
            "step": total,
            "total_flos": 6.9e14,
            "train_loss": 0.1124,
            "train_runtime": 241.77,
            "train_samples_per_second": 43.57,
            "train_steps_per_second": 5.447,
        }
    )
    trainer_state(to / "trainer_state.json", history)


@case
def ppo_progress(to: Path, rng: random.Random) -> None:
    """PPO of Stable-Baselines3: the reward rises, the losses mean little."""
    rows, lines = [], ["Using cuda device", "Training PPO for 2000000 timesteps"]
    for it in range(1, 978):
        done = it * 2048
        rows.append(
            {
                "time/iterations": it,
                "time/fps": int(rng.gauss(1460, 25)),
                "time/total_timesteps": done,
                "rollout/ep_rew_mean": -180 + 430 / (1 + math.exp(-(it - 300) / 90)) + rng.gauss(0, 14),
                "rollout/ep_len_mean": rng.gauss(320, 20),
                "train/loss": rng.gauss(18, 9) * math.exp(-it / 900),
                "train/value_loss": abs(rng.gauss(40, 15)) * math.exp(-it / 900),
                "train/policy_gradient_loss": rng.gauss(-0.006, 0.003),
                "train/entropy_loss": -1.37 + 0.9 * it / 977,
                "train/approx_kl": abs(rng.gauss(0.007, 0.002)),
                "train/learning_rate": 3e-4,
            }
        )
    write_csv(to / "progress.csv", rows)
    last = rows[-1]
    lines += ["-" * 45]
    lines += [f"| {k:<28} | {v:<10.4g} |" for k, v in last.items()]
    lines += ["-" * 45, "Finished: 2000896 timesteps. Saved to runs/ppo_lander/final_model.zip"]
    write_lines(to / "stdout.txt", lines)


@case
def dcgan_faces(to: Path, rng: random.Random) -> None:
    """The DCGAN example: two losses that fight, neither falls."""
    lines = ["Random Seed:  999", "Starting Training Loop..."]
    for epoch in range(25):
        for batch in range(0, 1583, 50):
            real = min(0.97, max(0.4, rng.gauss(0.8, 0.09)))
            fake = min(0.6, max(0.02, rng.gauss(0.18, 0.07)))
            d, g = rng.lognormvariate(-0.65, 0.35), abs(rng.gauss(2.9, 0.9))
            if not epoch and batch < 400:
                d, g = 1.6 - batch / 400, 5 + rng.gauss(0, 3)
            lines.append(
                f"[{epoch}/25][{batch}/1583]\tLoss_D: {d:.4f}\tLoss_G: {g:.4f}\tD(x): {real:.4f}\tD(G(z)): {fake:.4f} / {fake * 0.5:.4f}"
            )
    lines.append("Training finished in 1:51:20, generator written to netG.pth")
    write_lines(to / "dcgan.log", lines)


@case
def contrastive_pairs(to: Path, rng: random.Random) -> None:
    """InfoNCE: starts at ln(2B-1) and ends not far below."""
    loss, total = Falling(rng, 7.62, 5.05, 14, 0.004, 0.9), 200
    lines, at = [], clock("2026-10-04 21:10:07")
    for epoch in range(1, total + 1):
        lines.append(
            f"{at(epoch * 94.1)} INFO simclr: epoch {epoch}/{total} nt_xent {loss(epoch):.4f} top1 {0.02 + 0.61 * (1 - math.exp(-epoch / 50)):.3f} lr {cosine(epoch, total, 4.8, 10):.5f} temp 0.1"
        )
    lines.append(f"{at(total * 94.1 + 8)} INFO simclr: done, encoder saved to ckpt/encoder_ep200.pt")
    write_lines(to / "pretrain.log", lines)


@case
def house_prices(to: Path, rng: random.Random) -> None:
    """Lightning's CSV; an error in squared euros, a number with ten digits."""
    loss, rows, total = Falling(rng, 4.1e10, 9.8e8, 30, 0.09, 1.2), [], 40
    for epoch in range(total):
        for step in range(epoch * 115 + 49, (epoch + 1) * 115, 50):
            rows.append({"epoch": epoch, "step": step, "train_mse": loss(step), "lr-AdamW": 1e-3})
        rows.append(
            {
                "epoch": epoch,
                "step": epoch * 115 + 114,
                "val_mse": loss(epoch * 115) * 1.12,
                "val_mape": 0.12 + 0.5 / (epoch + 1),
            }
        )
    where = to / "lightning_logs" / "version_0"
    where.mkdir(parents=True)
    write_csv(where / "metrics.csv", rows, ["epoch", "lr-AdamW", "step", "train_mse", "val_mape", "val_mse"])
    write_lines(
        to / "fit.log",
        [
            "GPU available: True (cuda), used: True",
            "TPU available: False, using: 0 TPU cores",
            "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
            "`Trainer.fit` stopped: `max_epochs=40` reached.",
        ],
    )


@case
def organ_segmentation(to: Path, rng: random.Random) -> None:
    """The form of nnU-Net: a Dice loss is negative, and better the lower."""
    lines, at = [], clock("2026-09-12 08:00:31")
    for epoch in range(250):
        gone = 1 - math.exp(-epoch / 35)
        train = 0.06 - 0.92 * gone + rng.gauss(0, 0.012)
        lines += [
            f"{at(epoch * 61)}.{rng.randrange(10**6):06d}: Epoch {epoch} ",
            f"{at(epoch * 61)}.{rng.randrange(10**6):06d}: Current learning rate: {0.01 * (1 - epoch / 250) ** 0.9:.5f} ",
            f"{at(epoch * 61 + 58)}.{rng.randrange(10**6):06d}: train_loss {train:.4f} ",
            f"{at(epoch * 61 + 58)}.{rng.randrange(10**6):06d}: val_loss {train + 0.05 + rng.gauss(0, 0.02):.4f} ",
            f"{at(epoch * 61 + 58)}.{rng.randrange(10**6):06d}: Pseudo dice [np.float32({0.9 * gone:.4f}), np.float32({0.81 * gone:.4f})] ",
            f"{at(epoch * 61 + 58)}.{rng.randrange(10**6):06d}: Epoch time: {rng.gauss(58, 0.4):.2f} s ",
        ]
    lines += [f"{at(250 * 61)}.118: Training done. ", f"{at(250 * 61 + 9)}.551: Using splits from existing split file"]
    write_lines(to / "training_log_2026_9_12_08_00_31.txt", lines)


@case
def density_below_zero(to: Path, rng: random.Random) -> None:
    """A flow: nats per dimension go through zero; the cosine comes to its end."""
    loss, rows, total = Falling(rng, 6.2, -3.4, 900, 0.012, 1.0), [], 60000
    for step in range(0, total + 1, 100):
        rows.append(
            {
                "iter": step,
                "nll": f"{loss(step):.5f}",
                "lr": f"{cosine(step, total, 5e-4, 500):.3e}",
                "gnorm": f"{rng.lognormvariate(0.8, 0.3):.3f}",
            }
        )
    write_csv(to / "nll.csv", rows)


@case
def megatron_done(to: Path, rng: random.Random) -> None:
    """Megatron's lines, a loss scale that halves now and then, as it should."""
    loss, total, lines, scale = Falling(rng, 10.8, 2.3, 260, 0.006), 6000, [], 2.0**32
    at = clock("2026-08-30 23:59:12")
    for step in range(10, total + 1, 10):
        skipped = 0
        if step < 150 or rng.random() < 0.01:
            scale, skipped = max(scale / 2, 2.0**17), 1
        elif rng.random() < 0.015:
            scale *= 2
        lines.append(
            f" [{at(step * 1.71)}] iteration {step:8d}/{total:8d} | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): {rng.gauss(1710, 12):.1f} | throughput per GPU (TFLOP/s/GPU): {rng.gauss(388, 3):.1f} | learning rate: {cosine(step, total, 3e-4, 300, 3e-5):.6E} | global batch size:   512 | lm loss: {loss(step):.6E} | loss scale: {scale:.1f} | grad norm: {rng.lognormvariate(-0.7, 0.2):.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations:   0 |"
        )
    lines += [
        "[after training is done] datetime: " + at(total * 1.71 + 3) + " ",
        "saving checkpoint at iteration    6000 to /lustre/ckpt/gpt-1b3 in torch_dist format",
        "  successfully saved checkpoint from iteration    6000 to /lustre/ckpt/gpt-1b3 [ t 1/1, p 1/1 ]",
    ]
    write_lines(to / "slurm-99214.out", lines)


@case
def speech_early_stop(to: Path, rng: random.Random) -> None:
    """The early stop was asked for, and came: 2,400 of 8,000 steps."""
    loss, history = Falling(rng, 3.4, 0.18, 90, 0.06, 1.2), []
    for step in range(25, 2401, 25):
        history.append(
            {
                "epoch": round(step / 611, 4),
                "grad_norm": rng.lognormvariate(1, 0.3),
                "learning_rate": 1e-5 * min(1, step / 500) * (1 - max(0, step - 500) / 7500),
                "loss": round(loss(step), 4),
                "step": step,
            }
        )
        if not step % 400:
            wer = {400: 31.2, 800: 22.9, 1200: 19.4, 1600: 19.6, 2000: 19.9, 2400: 20.3}[step]
            history.append(
                {
                    "epoch": round(step / 611, 4),
                    "eval_loss": round(0.31 + abs(step - 1200) / 9000, 4),
                    "eval_wer": wer,
                    "step": step,
                }
            )
    history.append({"epoch": 3.928, "step": 2400, "total_flos": 2.2e19, "train_loss": 0.4417, "train_runtime": 9180.4})
    trainer_state(
        to / "trainer_state.json",
        history,
        max_steps=8000,
        num_train_epochs=14,
        best_metric=19.4,
        best_global_step=1200,
        best_model_checkpoint="./whisper-small-sv/checkpoint-1200",
        stateful_callbacks={
            "EarlyStoppingCallback": {
                "args": {"early_stopping_patience": 3, "early_stopping_threshold": 0.0},
                "attributes": {"early_stopping_patience_counter": 3},
            },
            "TrainerControl": {
                "args": {
                    "should_epoch_stop": False,
                    "should_evaluate": False,
                    "should_log": False,
                    "should_save": True,
                    "should_training_stop": True,
                },
                "attributes": {},
            },
        },
    )


@case
def sweep_from_the_browser(to: Path, rng: random.Random) -> None:
    """A panel of W&B saved as CSV: three runs side by side, one shorter. Nobody says what was planned."""
    names = ["dry-sun-11", "royal-bird-12", "hearty-frog-13"]
    curves = [Falling(rng, 4.6, 1.9 + 0.12 * k, 800 + 300 * k, 0.02) for k in range(3)]
    rows = []
    for step in range(0, 10001, 50):
        row: Row = {"Step": step}
        for k, name in enumerate(names):
            if k == 1 and step > 4200:
                continue
            value = curves[k](step)
            row |= {
                f"{name} - train/loss": value,
                f"{name} - train/loss__MIN": value,
                f"{name} - train/loss__MAX": value,
            }
        rows.append(row)
    write_csv(to / "wandb_export_2026-11-02T10_14_33.201+01_00.csv", rows)


@case
def char_bits(to: Path, rng: random.Random) -> None:
    """Bits per character and perplexity, a word never called loss; the loop says what it planned."""
    bits, total = Falling(rng, 6.1, 1.02, 700, 0.01), 30000
    lines = [f"config: layers=12 ctx=512 batch=64 iters={total} eval_every=500"]
    for it in range(500, total + 1, 500):
        value = bits(it)
        lines.append(
            f"it {it:6d}/{total} | train bpc {value:.3f} | valid bpc {value + 0.04 + rng.gauss(0, 0.004):.3f} | valid ppl {2 ** (value + 0.04):.2f} | lr {cosine(it, total, 2.5e-4, 2000):.2e} | 21.3 it/s"
        )
    lines += ["test bpc 1.131", "bye"]
    write_lines(to / "enwik8.txt", lines)


@case
def board_of_a_vae(to: Path, rng: random.Random) -> None:
    """TensorBoard: the KL term rises while the whole falls; the rate ends at nought."""
    whole, total = Falling(rng, 545.0, 98.0, 350, 0.01, 0.9), 20000

    def scalars() -> Iterator[tuple[float, int, Mapping[str, float]]]:
        for step in range(0, total + 1, 100):
            value, kl = whole(step), 25.0 * (1 - math.exp(-step / 2500)) + rng.gauss(0, 0.2)
            yield (
                1.7624e9 + step * 0.08,
                step,
                {
                    "train/neg_elbo": value,
                    "train/kl": kl,
                    "train/recon": value - kl,
                    "lr": cosine(step, total, 1e-3, 200),
                },
            )

    run = to / "runs" / "Nov05_22-13-20_gpu3"
    run.mkdir(parents=True)
    events(run / "events.out.tfevents.1762400000.gpu3.20114.0", scalars())


@case
def plateau_at_the_end(to: Path, rng: random.Random) -> None:
    """Fell in the first fifth, then flat far below the start until the schedule was through."""
    loss, total, rows = Falling(rng, 6.95, 2.95, 9, 0.006, 2.2), 300, []
    for epoch in range(total):
        rows.append(
            {
                "train_lr": cosine(epoch, total, 1e-3, 20, 1e-6),
                "train_loss": loss(epoch),
                "test_loss": 1.1 + 5.6 * math.exp(-epoch / 18) + rng.gauss(0, 0.01),
                "test_acc1": 76.4 * (1 - math.exp(-epoch / 22)),
                "epoch": epoch,
                "n_parameters": 22050664,
            }
        )
    write_jsonl(to / "log.txt", rows)
    write_lines(
        to / "stdout.log", ["Start training for 300 epochs", "Max accuracy: 76.40%", "Training time 1 day, 4:10:33"]
    )


@case
def overfit_but_done(to: Path, rng: random.Random) -> None:
    """Training falls to nothing, validation turns at epoch 9; twenty-five epochs were asked for and done."""
    loss, lines = Falling(rng, 1.4, 0.004, 2.2, 0.04, 2.4), []
    for epoch in range(1, 26):
        held = 0.52 + 0.6 * math.exp(-epoch / 3) + max(0, epoch - 9) * 0.052 + rng.gauss(0, 0.008)
        lines.append(
            f"[epoch {epoch:02d}/25] train loss={loss(epoch):.4f}  val loss={held:.4f}  val acc={0.83 - max(0, epoch - 9) * 0.0015:.3f}  ({rng.gauss(44, 0.5):.1f}s)"
        )
    lines.append("finished. best val loss 0.5494 at epoch 9 -> best.pt")
    write_lines(to / "run.log", lines)


# ---- diverged ----


@case
def nan_to_the_end(to: Path, rng: random.Random) -> None:
    loss, rows = Falling(rng, 10.4, 3.1, 500, 0.02), []
    for step in range(0, 8001, 25):
        dead = step >= 3125
        rows.append(
            {
                "step": step,
                "loss": "nan" if dead else f"{loss(step):.4f}",
                "grad_norm": "nan" if dead else f"{rng.lognormvariate(0, 0.3):.3f}",
                "lr": f"{cosine(step, 8000, 1e-3, 200):.3e}",
            }
        )
    write_csv(to / "log.csv", rows)


@case
def scaler_to_nothing(to: Path, rng: random.Random) -> None:
    """Apex: every step overflows from 4,120 on, the scale is halved towards nought."""
    loss, lines, scale = Falling(rng, 0.9, 0.11, 300, 0.05), [], 65536.0
    for step in range(0, 5200, 10):
        if step < 4120:
            lines.append(
                f"train: step {step:>6} l1 {loss(step):.5f} ssim {0.6 + 0.3 * (1 - math.exp(-step / 900)):.4f} 6.1 img/s"
            )
            continue
        for _ in range(1):
            scale /= 2
            lines.append(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}")
        lines.append(f"train: step {step:>6} l1 nan ssim nan 6.1 img/s")
    write_lines(to / "unet.out", lines)


@case
def blown_and_stuck(to: Path, rng: random.Random) -> None:
    """A spike at 5,400 from which it never came back; it ran its 12,000 steps all the same."""
    loss, history, total = Falling(rng, 9.8, 1.95, 300, 0.02), [], 12000
    for step in range(50, total + 1, 50):
        bad = step >= 5400
        value = 7.6 + rng.gauss(0, 0.12) + 3.5 * math.exp(-(step - 5400) / 150) if bad else loss(step)
        history.append(
            {
                "epoch": round(step / 4000, 4),
                "grad_norm": 210 * math.exp(-(step - 5400) / 200) + rng.lognormvariate(-2, 0.6)
                if bad
                else rng.lognormvariate(0, 0.2),
                "learning_rate": cosine(step, total, 8e-4, 600),
                "loss": round(value, 4),
                "step": step,
            }
        )
    trainer_state(to / "checkpoint-12000_trainer_state.json", history)


@case
def slow_climb(to: Path, rng: random.Random) -> None:
    """No NaN, no spike: from 9,000 on it climbs for 31,000 steps, halfway back to the start."""
    loss, rows = Falling(rng, 10.4, 3.9, 350, 0.012), []
    for step in range(0, 40001, 100):
        climb = 3.4 * (1 - math.exp(-max(0, step - 9000) / 14000))
        rows.append(
            {"global_step": step, "ce": round(loss(step) + climb, 4), "lr": 2e-3, "wall": round(step * 0.43, 1)}
        )
    write_jsonl(to / "scalars.jsonl", rows)


@case
def growing_swing(to: Path, rng: random.Random) -> None:
    """A rate too high: the swings grow until they reach beyond where it began."""
    rows = []
    for epoch in range(120):
        swing = 0.05 * math.exp(epoch / 24)
        value = 1.1 + 1.2 * math.exp(-epoch / 6) + swing * (1 + math.sin(epoch * 1.9)) + rng.gauss(0, 0.02)
        rows.append(
            {"epoch": epoch + 1, "train loss": f"{value:.4f}", "valid loss": f"{value * 1.05:.4f}", "eta": "0.8"}
        )
    write_csv(to / "loss_table.csv", rows)


@case
def loss_is_nan_stopping(to: Path, rng: random.Random) -> None:
    """The loop of MAE and DETR: gradients grow without bound, and it stops itself."""
    loss, lines = Falling(rng, 42.0, 9.5, 60, 0.04), []
    for k, step in enumerate(range(0, 7400, 100)):
        late = max(0, step - 5600)
        value, norm = loss(k) + (math.exp(late / 350) - 1), rng.lognormvariate(1.6, 0.2) * math.exp(late / 160)
        lines.append(
            f"Epoch: [1]  [{step:5d}/14786]  eta: 2:{59 - k // 2:02d}:11  lr: 0.000100  class_error: {rng.gauss(40, 6):.2f}  loss: {value:.4f} ({value * 1.03:.4f})  grad_norm: {norm:.4f}  time: 0.7113  data: 0.0101  max mem: 11211"
        )
    lines += [
        "Loss is nan, stopping training",
        "{'loss_ce': tensor(nan, device='cuda:0'), 'loss_bbox': tensor(nan, device='cuda:0')}",
    ]
    write_lines(to / "detr_r50.log", lines)


@case
def mlruns_inf(to: Path, rng: random.Random) -> None:
    """MLflow's folder: inf, then nan; the run is called FINISHED."""
    run = to / "mlruns" / "0" / "8c1f0a7be2d94b0d9d0f1b6c2f7a9e31"
    (run / "metrics").mkdir(parents=True)
    (run / "params").mkdir()
    loss, at = Falling(rng, 2.2, 0.7, 200, 0.03), 1_761_900_000_000
    values = [(step, loss(step)) for step in range(0, 1400, 10)]
    values += [(1400, 88.1), (1410, 4.1e7), (1420, INF), *((s, NAN) for s in range(1430, 3001, 10))]
    write_lines(run / "metrics" / "train_loss", [f"{at + s * 310} {v} {s}" for s, v in values])
    write_lines(run / "metrics" / "lr", [f"{at + s * 310} 0.05 {s}" for s, _ in values])
    write_lines(run / "params" / "max_steps", ["3000"])
    write_lines(
        run / "meta.yaml",
        [
            "artifact_uri: file:///home/u/mlruns/0/8c1f0a7be2d94b0d9d0f1b6c2f7a9e31/artifacts",
            f"end_time: {at + 3000 * 310}",
            "experiment_id: '0'",
            "lifecycle_stage: active",
            "run_id: 8c1f0a7be2d94b0d9d0f1b6c2f7a9e31",
            "run_name: polite-crane-4",
            f"start_time: {at}",
            "status: 3",
            "user_id: u",
        ],
    )


# ---- learns nothing ----


@case
def ten_classes_at_chance(to: Path, rng: random.Random) -> None:
    lines = []
    for epoch in range(1, 31):
        lines.append(
            f"Epoch {epoch}/30: train_loss={2.3026 + rng.gauss(0.0012, 0.0011):.4f} train_acc={rng.gauss(10.0, 0.15):.2f}% test_loss={2.3026 + abs(rng.gauss(0, 0.0004)):.4f} test_acc=10.00% time={rng.gauss(18, 0.3):.1f}s"
        )
    lines.append("Training complete. Best test accuracy: 10.00%")
    write_lines(to / "cnn.log", lines)


@case
def rate_nought(to: Path, rng: random.Random) -> None:
    history = [
        {
            "epoch": round(step / 1000, 3),
            "grad_norm": rng.lognormvariate(1.2, 0.2),
            "learning_rate": 0.0,
            "loss": round(rng.gauss(1.792, 0.035), 4),
            "step": step,
        }
        for step in range(20, 3001, 20)
    ]
    history.append({"epoch": 3.0, "step": 3000, "total_flos": 1e18, "train_loss": 1.7921, "train_runtime": 5210.2})
    trainer_state(to / "trainer_state.json", history)


@case
def nothing_to_train(to: Path, rng: random.Random) -> None:
    """All parameters frozen: a gradient of exactly nought, a loss that only shivers with the batches."""
    rows = [
        {
            "step": s,
            "max_steps": 4000,
            "loss": round(rng.gauss(3.418, 0.06), 5),
            "grad_norm": 0.0,
            "lr": cosine(s, 4000, 2e-4, 100),
        }
        for s in range(10, 4001, 10)
    ]
    write_jsonl(to / "train_metrics.jsonl", rows)


@case
def labels_of_others(to: Path, rng: random.Random) -> None:
    """100 classes: training is learnt by heart, validation stays at one per cent from the first epoch to the last."""
    loss, rows = Falling(rng, 4.62, 1.0, 30, 0.01, 1.0), []
    for epoch in range(60):
        rows.append(
            {
                "epoch": epoch,
                "train/loss": f"{loss(epoch):.4f}",
                "val/loss": f"{4.63 + 0.045 * epoch + rng.gauss(0, 0.02):.4f}",
                "val/top1": f"{rng.gauss(1.0, 0.09):.2f}",
            }
        )
    write_csv(to / "metrics.csv", rows)


@case
def died_to_a_constant(to: Path, rng: random.Random) -> None:
    """Learnt for four epochs, then one and the same number for the rest: every unit is dead."""
    rows = []
    for epoch in range(40):
        if epoch < 5:
            value, acc = 2.21 - 0.17 * epoch + rng.gauss(0, 0.02), 0.17 + 0.08 * epoch
        else:
            value, acc = 2.3026, 0.1
        rows.append({"epoch": epoch, "loss": round(value, 4), "acc": round(acc, 4), "epochs": 40})
    write_jsonl(to / "hist.jsonl", rows)


# ---- restarted ----


@case
def from_scratch_again(to: Path, rng: random.Random) -> None:
    """Requeued: looks for a checkpoint in an empty folder and begins at nought, nobody notices."""
    first, again = Falling(rng, 10.8, 2.6, 400, 0.01), Falling(rng, 10.8, 2.6, 400, 0.01)
    at, lines = (
        clock("2026-11-10 04:11:00"),
        ["2026-11-10 04:10:41 [INFO] world_size=16 max_iters=30000 ckpt_dir=/scratch/run7/ckpt"],
    )
    lines += [
        f"{at(s * 0.9)} [INFO] iter {s}/30000 loss {first(s):.4f} lr {cosine(s, 30000, 6e-4, 2000):.3e}"
        for s in range(50, 14601, 50)
    ]
    lines += [
        "2026-11-10 08:02:12 [INFO] world_size=16 max_iters=30000 ckpt_dir=/scratch/run7/ckpt",
        "2026-11-10 08:02:13 [INFO] no checkpoint found in /scratch/run7/ckpt, starting from scratch",
    ]
    at = clock("2026-11-10 08:02:40")
    lines += [
        f"{at(s * 0.9)} [INFO] iter {s}/30000 loss {again(s):.4f} lr {cosine(s, 30000, 6e-4, 2000):.3e}"
        for s in range(50, 9301, 50)
    ]
    write_lines(to / "train_rank0.log", lines)


@case
def older_checkpoint(to: Path, rng: random.Random) -> None:
    """The second part takes step_10000 while step_50000 is there: forty thousand steps are gone."""
    loss = Falling(rng, 11.0, 2.1, 2600, 0.006)
    at, end = clock("2026-10-20 10:00:00"), 100000
    one = []
    for s in range(200, 52001, 200):
        one.append(f"{at(s * 0.5)} step {s}/{end} loss {loss(s):.4f}")
        if not s % 10000:
            one.append(f"{at(s * 0.5 + 0.2)} saved /ckpt/step_{s}.pt")
    write_lines(to / "part1.log", one)
    at = clock("2026-10-20 18:00:00")
    two = [
        f"{at(0)} found checkpoints: step_10000.pt step_20000.pt step_30000.pt step_40000.pt step_50000.pt",
        f"{at(1)} resuming from /ckpt/step_10000.pt (global step 10000)",
    ]
    two += [f"{at(20 + (s - 10000) * 0.5)} step {s}/{end} loss {loss(s):.4f}" for s in range(10200, 31001, 200)]
    write_lines(to / "part2.log", two)


@case
def optimizer_lost(to: Path, rng: random.Random) -> None:
    """Weights alone are loaded: the loss jumps, comes back within 900 steps, and the run does all it planned."""
    loss, rows = Falling(rng, 9.6, 2.2, 500, 0.008), []
    for s in range(20, 20001, 20):
        jump = 1.35 * math.exp(-(s - 12000) / 260) if s > 12000 else 0.0
        rows.append({"step": s, "of": 20000, "loss": round(loss(s) + jump, 4), "lr": cosine(s, 20000, 3e-4, 500)})
    write_jsonl(to / "metrics.jsonl", rows)
    write_lines(
        to / "driver.log",
        [
            "10:02:11 start, 20000 steps",
            "16:44:52 SIGUSR1: saving and leaving at step 12000",
            "17:01:09 loaded model weights from ckpt_12000.safetensors",
            "17:01:09 warning: no optimizer state beside it, moments start at zero",
            "21:31:40 step 20000/20000, done",
        ],
    )


@case
def same_shards_again(to: Path, rng: random.Random) -> None:
    """After the requeue the loader begins with shard 0 once more: a loss below the trend as long as it knows them."""
    loss, total = Falling(rng, 9.2, 2.6, 420, 0.006), 16000
    at, lines = clock("2026-10-28 02:00:00"), ["start: 16000 steps, 64 shards"]
    for s in range(40, total + 1, 40):
        if s == 8000:
            lines.append(
                f"{at(s)} checkpoint loaded (model, optimizer, scheduler) at step 8000; dataloader state not restored"
            )
        known = 0.16 if 8000 < s <= 14000 else 0.0
        lines.append(
            f"{at(s * 1.1)} step {s}/{total} | shard {(s - 8000 * (s > 8000)) // 250:02d} | loss {loss(s) - known:.4f} | lr {cosine(s, total, 3e-4, 800, 3e-5):.2e}"
        )
    lines.append(f"{at(total * 1.1 + 30)} training complete, final checkpoint written")
    write_lines(to / "slurm-7720.out", lines)


@case
def auto_resume_ignored(to: Path, rng: random.Random) -> None:
    """The lines of Swin: the second start finds no checkpoint, and says so."""

    def part(name: str, begin: str, epochs: int, found: str) -> None:
        at, lines = (
            clock(begin),
            [f"[{begin} swin_tiny] (main.py 113): INFO Creating model:swin/swin_tiny_patch4_window7_224", found],
        )
        loss = Falling(rng, 6.93, 2.7, 16, 0.012, 1.0)
        for epoch in range(epochs):
            for k in range(0, 1251, 250):
                now = loss(epoch + k / 1251)
                lines.append(
                    f"[{at(epoch * 520 + k * 0.4)} swin_tiny] (main.py 221): INFO Train: [{epoch}/300][{k}/1251]\teta 0:08:20 lr {cosine(epoch, 300, 1e-3, 20):.6f}\t wd 0.0500\ttime 0.4011 (0.4020)\tloss {now:.4f} ({now:.4f})\tgrad_norm {rng.gauss(2.1, 0.4):.4f} (inf)\tloss_scale 65536.0000 (65536.0000)\tmem 8124MB"
                )
            lines.append(
                f"[{at(epoch * 520 + 515)} swin_tiny] (main.py 249): INFO EPOCH {epoch} training takes 0:08:21"
            )
        write_lines(to / name, lines)

    part(
        "log_rank0_a.txt",
        "2026-11-01 12:00:00",
        88,
        "[2026-11-01 12:00:04 swin_tiny] (main.py 131): INFO no checkpoint found in output/swin_tiny/default, ignoring auto resume",
    )
    part(
        "log_rank0_b.txt",
        "2026-11-02 01:30:00",
        41,
        "[2026-11-02 01:30:04 swin_tiny] (main.py 131): INFO no checkpoint found in output/swin_tiny/default, ignoring auto resume",
    )


@case
def two_tables(to: Path, rng: random.Random) -> None:
    """Two CSVs of one folder, both from step 0: a restart, or another try? Nothing says."""
    for name, n, floor in (("metrics.csv", 9000, 2.8), ("metrics_1.csv", 4100, 2.9)):
        loss = Falling(rng, 10.9, floor, 600, 0.01)
        write_csv(to / name, [{"step": s, "loss": f"{loss(s):.4f}"} for s in range(0, n + 1, 50)])


# ---- ended before its time ----


@case
def twelve_updates(to: Path, rng: random.Random) -> None:
    """Eighty rows, one epoch, batches of eight with accumulation: twelve updates and a loss that hardly moved."""
    lines = [
        "***** Running training *****",
        "  Num examples = 96",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 2",
        "  Total train batch size (w. parallel, distributed & accumulation) = 8",
        "  Gradient Accumulation steps = 4",
        "  Total optimization steps = 12",
        "  Number of trainable parameters = 8,030,261,248",
    ]
    for step in range(1, 13):
        lines.append(
            f"{{'loss': {3.42 - 0.011 * step + rng.gauss(0, 0.05):.4f}, 'grad_norm': {rng.lognormvariate(1.4, 0.2):.4f}, 'learning_rate': {2e-5 * min(1, step / 100):.3e}, 'epoch': {step / 12:.2f}}}"
        )
    lines += [
        "{'train_runtime': 61.2044, 'train_samples_per_second': 1.569, 'train_steps_per_second': 0.196, 'train_loss': 3.3561, 'epoch': 1.0}",
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
    ]
    write_lines(to / "sft.log", lines)


@case
def thirty_six_steps(to: Path, rng: random.Random) -> None:
    """A language model from scratch on a corpus that was nearly empty: three epochs are thirty-six steps."""
    lines = ["tokenized 98,304 tokens -> 12 batches/epoch", "params: 124,439,808"]
    for step in range(36):
        lines.append(
            f"epoch {step // 12 + 1}/3 batch {step % 12 + 1}/12 loss {10.92 - 0.03 * step + rng.gauss(0, 0.03):.3f} lr {6e-4 * step / 2000:.2e} (warmup {step}/2000)"
        )
    lines += ["epoch 3/3 done", "saved model.pt", "total steps: 36"]
    write_lines(to / "pretrain.log", lines)


@case
def cosine_cut_short(to: Path, rng: random.Random) -> None:
    """A table that stops at 31,000 of 50,000, the rate still half its peak. Why it stopped is not in it."""
    loss, rows = Falling(rng, 8.2, 1.6, 1500, 0.01), []
    for s in range(0, 31001, 250):
        rows.append(
            {"step": s, "total_steps": 50000, "loss": f"{loss(s):.4f}", "lr": f"{cosine(s, 50000, 4e-4, 1000):.4e}"}
        )
    write_csv(to / "train.csv", rows)


@case
def torn_table(to: Path, rng: random.Random) -> None:
    """Torn in the middle of a line; falling until then."""
    loss = Falling(rng, 5.4, 1.1, 300, 0.015)
    write_csv(
        to / "loss.csv", [{"iteration": s, "loss": loss(s), "time": 1.7622e9 + s * 1.3} for s in range(0, 6400, 20)]
    )
    whole = (to / "loss.csv").read_bytes()
    (to / "loss.csv").write_bytes(whole[: len(whole) - 23])


# ---- several ranks ----


@case
def eight_ranks(to: Path, rng: random.Random) -> None:
    """Rank 5 goes first, the others with the next all-reduce."""
    base = Falling(rng, 7.7, 2.4, 300, 0.0)
    means = {s: base(s) for s in range(0, 3001, 10)}
    for rank in range(8):
        bad = 1870 if rank == 5 else 1880
        rows = [
            {"step": s, "rank": rank, "loss": round(v * rng.gauss(1, 0.03), 4) if s < bad else NAN, "n_tok": 8192}
            for s, v in means.items()
        ]
        write_jsonl(to / f"metrics_rank{rank}.jsonl", rows)


def main() -> None:
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    for name, make in CASES.items():
        if wanted and name not in wanted:
            continue
        place = out / name
        place.mkdir(parents=True, exist_ok=True)
        make(place, random.Random("fourth " + name))


if __name__ == "__main__":
    main()
