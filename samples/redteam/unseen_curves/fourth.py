"""The fourth slice: nothing but shapes, each in a plain form that any loop or tracker may leave behind."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

from .cases import CASES, Curve
from .forms import csv_table, jsonl, say, tensorboard, trainer_state
from .shapes import NAN, after, cosine, flat, leaves, power_law, spike

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    Shape = Callable[[random.Random], list[float]]


def _as(form: str, folder: Path, rng: random.Random, losses: list[float], every: int) -> None:
    """The curve in one of six forms; JSON lines and logs have a rate too, the others nothing but step and loss."""
    rates = cosine(len(losses), 3e-4)
    steps = [(i + 1) * every for i in range(len(losses))]
    if form == "csv":
        csv_table(folder, "loss.csv", [{"step": step, "loss": loss} for step, loss in zip(steps, losses, strict=True)])
    elif form == "jsonl":
        rows = [{"step": step, "loss": loss, "lr": lr} for step, loss, lr in zip(steps, losses, rates, strict=True)]
        jsonl(folder, "log.jsonl", rows)
    elif form == "state":
        rows = [
            {
                "epoch": step / steps[-1],
                "grad_norm": rng.uniform(0.5, 1.2),
                "learning_rate": lr,
                "loss": loss,
                "step": step,
            }
            for step, loss, lr in zip(steps, losses, rates, strict=True)
        ]
        trainer_state(folder, rows, steps[-1], f"out/checkpoint-{steps[-1]}")
    elif form == "tb":
        tensorboard(folder, {"train/loss": list(zip(steps, losses, strict=True))}, 1.77e9 + rng.randint(0, 10**6), 1.3)
    elif form == "wandb":
        csv_table(
            folder,
            "wandb_export.csv",
            [{"Step": s, "lunar-pine-9 - loss": v} for s, v in zip(steps, losses, strict=True)],
        )
    elif form == "json":
        folder.joinpath("curve.json").write_text(json.dumps({"steps": steps, "loss": losses}))
    else:
        lines = [
            f"step {s:>7}/{steps[-1]} | loss {v:.4f} | lr {r:.2e}" for s, v, r in zip(steps, losses, rates, strict=True)
        ]
        say(folder, "train.log", lines)


def _sawtooth(rng: random.Random) -> list[float]:
    return [1.9 / (1 + e) ** 0.5 - 0.002 * i + rng.gauss(0, 0.015) for e in range(6) for i in range(50)]


def _wild(rng: random.Random) -> list[float]:
    return [3.1 + (0.2 + 5 * i / 300) * abs(math.sin(i / 5)) + rng.gauss(0, 0.05) for i in range(300)]


def _blip(value: float) -> Shape:
    def made(rng: random.Random) -> list[float]:
        losses = power_law(rng, 300, 9.8, 2.2)
        losses[170] = value
        return losses

    return made


def _bump(rng: random.Random) -> list[float]:
    return [10.8 + i * 0.2 for i in range(6)] + power_law(rng, 294, 11.9, 2.5)


def _forgets(rng: random.Random) -> list[float]:
    return leaves(rng, power_law(rng, 300, 9.2, 3.9), 0.4, 9.1, 0.03)


SHAPES: Final[tuple[tuple[str, str, str, int | None, int, str, Shape], ...]] = (
    (
        "rises-in-warm-up",
        "jsonl",
        "G1",
        0,
        20,
        "from 10.8 up to 11.9 in the first six reports, then down to 2.5",
        _bump,
    ),
    (
        "waits-then-falls",
        "csv",
        "G1 -",
        0,
        50,
        "flat at 6.9 for a quarter of the run, then it falls to 1.1",
        lambda r: flat(r, 100, 6.9, 0.004) + power_law(r, 300, 6.9, 1.1),
    ),
    ("sawtooth", "tb", "G1", 0, 10, "steps down at each of six epochs", _sawtooth),
    (
        "last-two-nan",
        "state",
        "E1",
        0,
        10,
        "nan in the last two reports: what it leaves behind is nan",
        lambda r: [*power_law(r, 198, 3.0, 1.4), NAN, NAN],
    ),
    (
        "one-nan-between",
        "csv",
        "G1",
        0,
        25,
        "one report is nan, the next is as before, and it goes on to its end",
        _blip(NAN),
    ),
    ("one-inf-between", "log", "G1", 0, 25, "one report is inf, the next is as before", _blip(math.inf)),
    (
        "rises-from-the-start",
        "wandb",
        "E1",
        None,
        10,
        "from 2.3 up to 8, from the first report to the last",
        lambda r: [2.3 + 5.7 * i / 250 + r.gauss(0, 0.05) for i in range(250)],
    ),
    (
        "fine-tuning-rises",
        "state",
        "E1",
        0,
        10,
        "fine-tuning rises from 0.8 to 1.6, steadily, over the whole run",
        lambda r: [0.8 + 0.8 * i / 200 + r.gauss(0, 0.02) for i in range(200)],
    ),
    (
        "flat-then-away",
        "jsonl",
        "E1",
        0,
        10,
        "at ln 1000 for half of the run, then up to 44 for good",
        lambda r: leaves(r, flat(r, 300, 6.908, 0.001), 0.5, 44.0, 0.1),
    ),
    ("swings-grow", "csv", "E1 -", 0, 10, "it swings between 3 and ever higher values, up to 8", _wild),
    (
        "ten-reports",
        "log",
        "G1",
        0,
        1000,
        "ten reports, from 4.1 to 2.0, to the last step of the plan",
        lambda r: power_law(r, 10, 4.1, 2.0),
    ),
    (
        "ten-reports-nan",
        "json",
        "E1",
        None,
        1000,
        "ten reports, the last five are nan",
        lambda r: after(power_law(r, 10, 4.1, 2.0), 0.5, NAN),
    ),
    (
        "half-as-much-again",
        "tb",
        "E1 -",
        0,
        20,
        "at seven tenths it jumps from 2.0 to 3.0 and never comes back",
        lambda r: leaves(r, power_law(r, 400, 10.9, 1.9), 0.7, 3.0, 0.01),
    ),
    (
        "zero-from-the-start",
        "csv",
        "E1 -",
        0,
        10,
        "exactly 0 in every report: all labels are masked",
        lambda _: [0.0] * 200,
    ),
    (
        "always-the-same",
        "jsonl",
        "E1",
        0,
        10,
        "2.302585 in every report, to the last digit",
        lambda _: [2.302585] * 200,
    ),
    (
        "falls-a-little",
        "log",
        "G1 -",
        0,
        10,
        "from 3.10 to 2.93, slowly and steadily",
        lambda r: [3.1 - 0.17 * i / 300 + r.gauss(0, 0.006) for i in range(300)],
    ),
    (
        "large-numbers",
        "tb",
        "G1",
        0,
        10,
        "a summed loss from 1.2e6 down to 2e5",
        lambda r: power_law(r, 200, 1.2e6, 2.0e5),
    ),
    (
        "to-the-sky",
        "wandb",
        "E1",
        0,
        10,
        "up to 1e12 at three tenths, and there it stays",
        lambda r: power_law(r, 90, 3.0, 2.0) + [1e12 * r.uniform(0.8, 1.2) for _ in range(210)],
    ),
    ("forgets-all", "json", "E1", 0, 10, "falls from 9.2 to 4.5, then is back at 9.1 for the rest", _forgets),
    (
        "harder-data",
        "csv",
        "G1",
        0,
        10,
        "harder data from the middle on: from 1.2 up to 2.4, then down to 1.5",
        lambda r: power_law(r, 200, 3.1, 1.2) + power_law(r, 200, 2.4, 1.5),
    ),
    (
        "spike-at-the-end",
        "jsonl",
        "G1 -",
        0,
        10,
        "a spike in the last hundredth that is on its way back when the run ends as planned",
        lambda r: spike(power_law(r, 400, 9.9, 2.1), 0.985, 2.0, 0.003),
    ),
    (
        "classes-forgotten",
        "log",
        "E1",
        0,
        10,
        "from 2.3 down to 0.4, then at two thirds back to 2.303 and flat",
        lambda r: power_law(r, 200, 2.3, 0.4) + flat(r, 100, 2.3026, 0.0003),
    ),
    (
        "huge-then-learns",
        "csv",
        "G1",
        0,
        10,
        "starts at 3200 by its initialisation and falls to 2.4",
        lambda r: [3200 * math.exp(-i / 3) + v for i, v in enumerate(power_law(r, 300, 9.0, 2.4))],
    ),
    (
        "noise-of-small-batches",
        "wandb",
        "G1 -",
        0,
        1,
        "batches of one: from 2.6 to 1.5 in noise of a third",
        lambda r: power_law(r, 1200, 2.6, 1.5, noise=0.33),
    ),
)


def _register() -> tuple[str, ...]:
    for name, form, right, status, every, why, shape in SHAPES:

        def write(folder: Path, rng: random.Random, form: str = form, every: int = every, shape: Shape = shape) -> None:
            _as(form, folder, rng, shape(rng), every)

        CASES[name] = Curve(right, why, write, status)
    return tuple(name for name, *_ in SHAPES)


NAMES: Final = _register()
