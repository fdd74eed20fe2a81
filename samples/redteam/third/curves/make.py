"""Make training curves of many shapes, in the files that trackers and loops leave. SIMULATED: `python make.py OUT [CASE...]`."""

from __future__ import annotations

import csv
import json
import math
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = dict[str, float | int | str | None]


def noisy_fall(
    rng: random.Random, n: int, first: float, last: float, tau: float, noise: float, every: int = 10
) -> list[Row]:
    """A healthy curve: it falls, with noise."""
    return [
        {"step": i * every, "loss": (last + (first - last) * math.exp(-i / tau)) * rng.lognormvariate(0, noise)}
        for i in range(1, n + 1)
    ]


def as_csv(path: Path, rows: Sequence[Row], names: dict[str, str] | None = None) -> None:
    """Write a table; `names` renames columns."""
    names = names or {}
    keys = list(rows[0])
    with path.open("w", newline="") as f:
        out = csv.writer(f)
        out.writerow([names.get(k, k) for k in keys])
        for row in rows:
            out.writerow(
                ["" if row[k] is None else f"{row[k]:.6g}" if isinstance(row[k], float) else row[k] for k in keys]
            )


def as_lines(path: Path, rows: Sequence[Row], names: dict[str, str] | None = None) -> None:
    """Write JSON lines."""
    names = names or {}
    path.write_text("".join(json.dumps({names.get(k, k): v for k, v in row.items()}) + "\n" for row in rows))


def healthy_small_batch(out: Path, rng: random.Random) -> None:
    """Batch of one: very noisy, and yet it falls by half."""
    as_csv(out / "history.csv", noisy_fall(rng, 600, 5.1, 2.2, 150, 0.22))


def nan_from_middle(out: Path, rng: random.Random) -> None:
    """Falls, then nan to the end."""
    rows = noisy_fall(rng, 400, 9.8, 3.0, 80, 0.02)
    for row in rows[233:]:
        row["loss"] = float("nan")
    as_lines(out / "metrics.jsonl", rows)


def blown_up(out: Path, rng: random.Random) -> None:
    """Learns, then climbs in a few hundred steps to a hundred times its start, and stays there."""
    rows = noisy_fall(rng, 300, 2.3, 0.4, 60, 0.05)
    for k, row in enumerate(rows[180:]):
        row["loss"] = min(240.0, 0.5 * math.exp(k / 9)) * rng.lognormvariate(0, 0.2)
    as_csv(out / "log.csv", rows, {"loss": "train_loss"})


def spike_recovered(out: Path, rng: random.Random) -> None:
    """One spike to thrice the loss at a third of the run, over in fifty steps; then on down."""
    rows = noisy_fall(rng, 500, 10.4, 2.6, 90, 0.012)
    for k in range(12):
        rows[170 + k]["loss"] = float(rows[170 + k]["loss"] or 0) * (1 + 2.2 * math.exp(-k / 4))
    as_lines(out / "train.jsonl", rows)


def chance_level(out: Path, rng: random.Random) -> None:
    """A classifier of 1000 classes that stays at ln 1000, accuracy at 0.001, all the way."""
    rows: list[Row] = [
        {
            "epoch": e,
            "loss": math.log(1000) * rng.lognormvariate(0, 0.0015),
            "accuracy": round(0.001 + rng.uniform(-2e-4, 2e-4), 5),
            "val_loss": math.log(1000) + rng.uniform(0, 0.004),
            "val_accuracy": 0.001,
        }
        for e in range(60)
    ]
    as_csv(out / "training.log", rows)


def zero_rate(out: Path, rng: random.Random) -> None:
    """A schedule whose warm-up never ends: the rate stays at 1e-10 and nothing moves."""
    rows: list[Row] = [
        {
            "step": i * 20,
            "lr": 1e-10 * i,
            "grad_norm": 1.9 + rng.uniform(-0.2, 0.2),
            "loss": 10.82 * rng.lognormvariate(0, 0.002),
        }
        for i in range(1, 251)
    ]
    as_csv(out / "metrics.csv", rows)


def overfit(out: Path, rng: random.Random) -> None:
    """Training loss falls on; validation turns at epoch 9 and doubles. The run itself did its work."""
    rows: list[Row] = [
        {
            "epoch": e,
            "loss": 2.2 * math.exp(-e / 7) + 0.01,
            "val_loss": 1.1 + 0.9 * math.exp(-e / 3) + 0.045 * max(0, e - 9) + rng.uniform(-0.02, 0.02),
        }
        for e in range(40)
    ]
    as_csv(out / "training.log", rows)


def restarted_older(out: Path, rng: random.Random) -> None:
    """Two pieces in one file: the second begins 900 steps before the end of the first, at the loss of there, and goes on well."""
    first = noisy_fall(rng, 320, 8.0, 2.4, 100, 0.01)
    again = noisy_fall(rng, 600, 8.0, 2.4, 100, 0.01)[230:]
    as_lines(out / "metrics.jsonl", [*first, *again])


def from_scratch_again(out: Path, rng: random.Random) -> None:
    """After step 3200 the counter goes on, but the loss is that of a new model, and the lr warms up anew."""
    rows = noisy_fall(rng, 320, 10.9, 2.5, 60, 0.01)
    fresh = noisy_fall(rng, 180, 10.9, 2.5, 60, 0.01)
    for k, row in enumerate(fresh):
        row["step"] = 3200 + 10 * (k + 1)
    both = [*rows, *fresh]
    for k, row in enumerate(both):
        row["lr"] = 3e-4 * min(1, (k if k < 320 else k - 320) / 30)
    as_csv(out / "metrics.csv", both)


def tiny_run(out: Path, rng: random.Random) -> None:
    """Five steps of a model, planned as five (max_steps in the file), and the end."""
    text = [
        "max_steps: 5",
        *(f"step {i}/5: loss {11.0 - 0.02 * i + rng.uniform(-0.03, 0.03):.4f} lr 1.0e-04" for i in range(1, 6)),
        "max_steps reached, training finished",
    ]
    (out / "train.log").write_text("\n".join(text) + "\n")


def rl_reward(out: Path, rng: random.Random) -> None:
    """Reinforcement learning: reward climbs from 20 to 480; the policy loss wanders around zero, as it does."""
    rows: list[Row] = [
        {
            "timesteps": 2048 * i,
            "ep_rew_mean": 20 + 460 * (1 - math.exp(-i / 30)) + rng.gauss(0, 12),
            "policy_loss": rng.gauss(-0.004, 0.006),
            "value_loss": 40 * math.exp(-i / 40) + rng.uniform(0, 9),
            "entropy": 0.69 * math.exp(-i / 80),
        }
        for i in range(1, 121)
    ]
    as_csv(out / "progress.csv", rows)


def fp16_floor(out: Path, rng: random.Random) -> None:
    """The loss scale is halved again and again to its floor: every step skipped, and the loss of the start."""
    lines = []
    scale = 65536.0
    for i in range(1, 121):
        lines.append(f"step {i}/2000 loss 7.{rng.randrange(590, 640)} scale {scale:g} skipped")
        if scale > 1:
            lines.append(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale / 2}")
            scale /= 2
    (out / "train.log").write_text("\n".join(lines) + "\n")


def two_metrics_gan(out: Path, rng: random.Random) -> None:
    """A GAN that trains as GANs do: both losses wander and neither falls; FID falls from 210 to 14."""
    rows: list[Row] = [
        {
            "step": 500 * i,
            "loss_d": 1.1 + 0.2 * math.sin(i / 9) + rng.gauss(0, 0.06),
            "loss_g": 1.6 + 0.3 * math.sin(i / 7 + 1) + rng.gauss(0, 0.1),
            "fid": 14 + 196 * math.exp(-i / 25) + rng.uniform(-2, 2),
        }
        for i in range(1, 151)
    ]
    as_csv(out / "gan.csv", rows)


def step_schedule(out: Path, rng: random.Random) -> None:
    """A long plateau and then, as the rate is cut by ten, two cliffs down: healthy."""
    rows: list[Row] = []
    for i in range(1, 361):
        rate, level = (0.1, 1.35) if i < 160 else (0.01, 0.62) if i < 270 else (0.001, 0.48)
        rows.append(
            {"epoch": i / 4, "lr": rate, "loss": (level + 5.2 * math.exp(-i / 12)) * rng.lognormvariate(0, 0.03)}
        )
    as_lines(out / "history.jsonl", rows)


def regression_flat_good(out: Path, rng: random.Random) -> None:
    """A fine-tuning whose loss was low from the first step and stayed: healthy or not cannot be told from this file."""
    rows: list[Row] = [{"step": 10 * i, "loss": 0.0312 * rng.lognormvariate(0, 0.09)} for i in range(1, 201)]
    as_csv(out / "loss.csv", rows)


CASES: dict[str, Callable[[Path, random.Random], None]] = {
    make.__name__: make
    for make in (
        healthy_small_batch, nan_from_middle, blown_up, spike_recovered, chance_level, zero_rate, overfit, restarted_older,
        from_scratch_again, tiny_run, rl_reward, fp16_floor, two_metrics_gan, step_schedule, regression_flat_good,
    )
}  # fmt: skip


def main() -> None:
    """Write the curves that were asked for, or all."""
    from more import MORE

    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    for name, make in (CASES | MORE).items():
        if not wanted or name in wanted:
            (out / name).mkdir(parents=True, exist_ok=True)
            make(out / name, random.Random(f"third-{name}"))


if __name__ == "__main__":
    main()
