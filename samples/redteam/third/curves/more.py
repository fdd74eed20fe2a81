"""More curves, with an end to them: trackers' files and logs. SIMULATED."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable
    from pathlib import Path


def state(out: Path, losses: Iterable[float], every: int, planned: int, rate: float = 5e-5) -> None:
    """The trainer_state.json of transformers."""
    history: list[dict[str, float]] = []
    for i, loss in enumerate(losses, 1):
        step = i * every
        history.append(
            {
                "epoch": round(3 * step / planned, 4),
                "grad_norm": 0.8,
                "learning_rate": rate * (1 - step / planned),
                "loss": loss,
                "step": step,
            }
        )
    step = int(history[-1]["step"])
    answer = {
        "best_metric": None,
        "epoch": round(3 * step / planned, 4),
        "global_step": step,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": every,
        "max_steps": planned,
        "num_train_epochs": 3,
        "save_steps": 500,
        "train_batch_size": 8,
    }
    (out / "trainer_state.json").write_text(json.dumps(answer, indent=2))


def fall(rng: random.Random, n: int, first: float, last: float, tau: float, noise: float = 0.02) -> list[float]:
    """A loss that falls."""
    return [(last + (first - last) * math.exp(-i / tau)) * rng.lognormvariate(0, noise) for i in range(1, n + 1)]


def text(out: Path, lines: Iterable[str]) -> None:
    """A log."""
    (out / "train.log").write_text("\n".join(lines) + "\n")


def state_ok(out: Path, rng: random.Random) -> None:
    """The plan was fulfilled and the loss fell."""
    state(out, fall(rng, 150, 2.9, 1.1, 30), 10, 1500)


def state_nan(out: Path, rng: random.Random) -> None:
    """Zero and nan, as a broken half precision shows in this file."""
    state(out, [*fall(rng, 40, 2.9, 1.5, 30), *([0.0] * 110)], 10, 1500)
    path = out / "trainer_state.json"
    data = json.loads(path.read_text())
    for row in data["log_history"][40:]:
        row["grad_norm"] = float("nan")
    path.write_text(json.dumps(data, indent=2))


def state_short(out: Path, rng: random.Random) -> None:
    """Four steps, as planned."""
    state(out, [3.1, 3.05, 3.02, 3.0], 1, 4)


def lightning_diverged(out: Path, rng: random.Random) -> None:
    """Lightning's metrics.csv with its holes: the loss goes up a thousandfold from the middle on."""
    rows = ["epoch,step,train_loss,val_loss"]
    for i in range(1, 201):
        loss = (0.4 + 2 * math.exp(-i / 20)) if i < 100 else min(2600.0, 0.4 * math.exp((i - 100) / 7))
        rows.append(f"{i // 20},{i * 50 - 1},{loss * rng.lognormvariate(0, 0.05):.6f},")
        if i % 20 == 19:
            rows.append(f"{i // 20},{i * 50 - 1},,{loss * 1.1:.6f}")
    (out / "metrics.csv").write_text("\n".join(rows) + "\n")


def board_flat(out: Path, rng: random.Random) -> None:
    """A scalar downloaded from TensorBoard: 2.303 for ten thousand steps."""
    rows = [
        "Wall time,Step,Value",
        *(f"{1.79e9 + 13 * i:.3f},{i * 50},{2.3026 * rng.lognormvariate(0, 0.002):.6f}" for i in range(1, 201)),
    ]
    (out / "run-lenet-tag-train_loss.csv").write_text("\n".join(rows) + "\n")


def log_ok(out: Path, rng: random.Random) -> None:
    """A log from its first line to its last."""
    lines = ["INFO: training for 2000 steps"]
    lines += [
        f"INFO: step {i * 20}/2000, loss={v:.3f}, lr=1.0e-03, 3.1 it/s"
        for i, v in enumerate(fall(rng, 100, 6.9, 1.9, 20, 0.06), 1)
    ]
    text(out, [*lines, "INFO: training done, best loss 1.81, elapsed 0:10:45"])


def log_spikes(out: Path, rng: random.Random) -> None:
    """Three spikes, one of them to beyond the start; all recovered from, and the end."""
    losses = fall(rng, 200, 9.0, 2.7, 35)
    for at, height in ((50, 6.5), (110, 11.0), (151, 5.0)):
        for k in range(5):
            losses[at + k] += height * math.exp(-k / 1.5)
    lines = [
        f"[step {i * 10:>5}/2000] train loss {v:.4f} | grad norm {0.6 + (v > 5) * 9:.2f}"
        for i, v in enumerate(losses, 1)
    ]
    text(out, [*lines, "Done. Trained 2000 steps."])


def log_diverged_cut(out: Path, rng: random.Random) -> None:
    """The log ends in the middle; from step 900 on the loss only climbed, far beyond its start."""
    losses = fall(rng, 160, 8.2, 2.9, 30)
    for k, i in enumerate(range(90, 160)):
        losses[i] = 3.0 * math.exp(k / 14)
    text(out, [f"step {i * 10}: train loss {v:.4f}, lr 0.0006" for i, v in enumerate(losses, 1)])


def log_resumed(out: Path, rng: random.Random) -> None:
    """Stopped at 2940, resumed from 2500, at the loss of there, to the planned end."""
    losses = fall(rng, 500, 10.5, 2.6, 60, 0.01)
    lines = [f"step {i * 10}/5000 | loss {v:.4f}" for i, v in enumerate(losses[:294], 1)]
    lines += ["=> loading checkpoint 'ckpt/step_2500.pt'", "=> loaded checkpoint 'ckpt/step_2500.pt' (step 2500)"]
    lines += [
        f"step {i * 10}/5000 | loss {v * rng.lognormvariate(0, 0.01):.4f}" for i, v in enumerate(losses[250:], 251)
    ]
    text(out, [*lines, "training finished at step 5000"])


def log_scratch(out: Path, rng: random.Random) -> None:
    """It says that it resumes at 2500, and the loss is a new model's."""
    losses = fall(rng, 294, 10.5, 2.6, 60, 0.01)
    lines = [f"step {i * 10}/5000 | loss {v:.4f}" for i, v in enumerate(losses, 1)]
    lines += [
        "=> resume requested, last step 2500",
        "=> no weights matched in ckpt/step_2500.pt (0 of 148 tensors loaded), strict=False",
    ]
    lines += [f"step {2500 + i * 10}/5000 | loss {v:.4f}" for i, v in enumerate(fall(rng, 250, 10.5, 2.6, 60, 0.01), 1)]
    text(out, [*lines, "training finished at step 5000"])


def rate_explodes(out: Path, rng: random.Random) -> None:
    """A schedule that multiplies instead of decaying: the loss turns at 3.9 and settles at 9.6, below its start, and nothing is learnt any more."""
    lines = []
    for i in range(1, 201):
        loss = 3.9 + 7 * math.exp(-i / 25) if i < 90 else 9.6 - 5.5 * math.exp(-(i - 90) / 10)
        lines.append(
            f"iter {i * 10}: loss {loss * rng.lognormvariate(0, 0.01):.4f}, lr {3e-4 * 1.03**i:.3e}, time 210.11ms, mfu 31.20%"
        )
    text(out, [*lines, "max_iters 2000 reached, exiting"])


def seasons(out: Path, rng: random.Random) -> None:
    """Data in a fixed order: the loss goes up and down by a third with each pass, and down over all; the end."""
    lines = [
        f"epoch {i // 20} step {i * 10}/4000 loss {(2 + 5 * math.exp(-i / 90)) * (1 + 0.3 * math.sin(i / 20 * 2 * math.pi)):.4f}"
        for i in range(1, 401)
    ]
    text(out, [*lines, "Training completed in 3:02:11"])


def fine_tune_small(out: Path, rng: random.Random) -> None:
    """A fine-tuning of a good model: from 1.92 to 1.80, as fine-tunings go; the end."""
    lines = [
        f"{{'loss': {v:.4f}, 'grad_norm': {rng.uniform(0.2, 0.5):.4f}, 'learning_rate': {2e-5 * (1 - i / 200):.4e}, 'epoch': {i / 100:.2f}}}"
        for i, v in enumerate(fall(rng, 200, 1.92, 1.80, 70, 0.012), 1)
    ]
    text(
        out,
        [
            *lines,
            "{'train_runtime': 5119.2, 'train_samples_per_second': 12.5, 'train_steps_per_second': 0.39, 'train_loss': 1.8391, 'epoch': 2.0}",
        ],
    )


def negative_loss(out: Path, rng: random.Random) -> None:
    """A log-likelihood of densities: below zero, and falling; the end."""
    lines = [
        f"step {i * 50}/10000 nll -{3.8 - 3.6 * math.exp(-i / 50) + rng.uniform(-0.03, 0.03):.4f} loss -{3.8 - 3.6 * math.exp(-i / 50):.4f}"
        for i in range(1, 201)
    ]
    text(out, [*lines, "finished 10000 steps"])


def accuracy_only(out: Path, rng: random.Random) -> None:
    """Nothing but accuracies by epoch, from 0.31 to 0.93; the end."""
    lines = [
        f"Epoch {e}/25 - val_acc: {0.94 - 0.66 * math.exp(-e / 5) + rng.uniform(-0.008, 0.008):.4f} - 41s"
        for e in range(1, 26)
    ]
    text(
        out,
        [
            "Training ResNet-18 on CIFAR-10",
            *lines,
            "Best val_acc: 0.9391. Model saved to best.pt",
            "Training finished.",
        ],
    )


MORE: dict[str, Callable[[Path, random.Random], None]] = {
    make.__name__: make
    for make in (
        state_ok, state_nan, state_short, lightning_diverged, board_flat, log_ok, log_spikes, log_diverged_cut, log_resumed,
        log_scratch, rate_explodes, seasons, fine_tune_small, negative_loss, accuracy_only,
    )
}  # fmt: skip
