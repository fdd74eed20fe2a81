"""The sixth slice: a dozen usual fates in a dozen usual forms, each pair that a stride of the grid meets."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .cases import CASES, Curve
from .forms import Watch, csv_table, jsonl, megatron, mlflow, say, short, tensorboard, trainer_state
from .shapes import NAN, after, cosine, flat, leaves, norms, power_law, spike

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Told:
    """What a run reports: loss, rate and norm at each of its reports, ``every`` steps apart, and held-out losses."""

    losses: list[float]
    rates: list[float]
    norms: list[float]
    held: list[float]
    every: int

    def steps(self) -> list[int]:
        return [(i + 1) * self.every for i in range(len(self.losses))]


def _run(rng: random.Random, losses: list[float], peak: float = 3e-4, held: list[float] | None = None) -> Told:
    count = len(losses)
    tens = [losses[i] * 1.03 for i in range(count // 10 - 1, count, max(1, count // 10))][:10]
    return Told(losses, cosine(count, peak), norms(rng, count), held or tens, rng.choice((10, 20, 50)))


def _pretrains(rng: random.Random) -> Told:
    return _run(rng, power_law(rng, rng.randint(150, 500), rng.uniform(10.4, 11.9), rng.uniform(2.0, 3.4)))


def _tunes(rng: random.Random) -> Told:
    return _run(
        rng, power_law(rng, rng.randint(60, 160), rng.uniform(1.4, 2.2), rng.uniform(0.6, 1.1), noise=0.03), 2e-5
    )


def _spikes(rng: random.Random) -> Told:
    losses = power_law(rng, 400, 11.0, 2.4)
    for _ in range(3):
        losses = spike(losses, rng.uniform(0.2, 0.85), rng.uniform(1, 4), 0.006)
    return _run(rng, losses)


def _overfits(rng: random.Random) -> Told:
    held = [0.9, 0.6, 0.5, 0.47, 0.49, 0.53, 0.58, 0.63, 0.67, 0.7]
    return _run(rng, power_law(rng, 200, 1.1, 0.12, noise=0.02), 1e-4, held)


def _nan_late(rng: random.Random) -> Told:
    told = _run(rng, after(power_law(rng, 300, 10.8, 2.6), rng.uniform(0.6, 0.9), NAN))
    return Told(
        told.losses,
        told.rates,
        [NAN if math.isnan(v) else n for v, n in zip(told.losses, told.norms, strict=True)],
        told.held,
        told.every,
    )


def _nan_early(rng: random.Random) -> Told:
    told = _run(rng, after(power_law(rng, 200, 2.4, 1.2), 0.04, NAN))
    return Told(
        told.losses,
        told.rates,
        [NAN if math.isnan(v) else n for v, n in zip(told.losses, told.norms, strict=True)],
        [NAN] * 10,
        told.every,
    )


def _diverges_late(rng: random.Random) -> Told:
    return _run(rng, leaves(rng, power_law(rng, 400, 11.0, 2.3), rng.uniform(0.6, 0.8), rng.uniform(7, 11), 0.05))


def _diverges_early(rng: random.Random) -> Told:
    return _run(rng, leaves(rng, power_law(rng, 300, 10.9, 4.0), 0.08, rng.uniform(10.5, 13), 0.04), 1e-2)


def _never_learns(rng: random.Random) -> Told:
    return _run(rng, flat(rng, 200, math.log(rng.choice((32000, 50257, 128256))), 0.0007))


def _no_rate(rng: random.Random) -> Told:
    losses = flat(rng, 150, rng.uniform(2, 4), 0.006)
    return Told(losses, [0.0] * 150, norms(rng, 150, 1.4, 1.2), losses[::15], 10)


def _frozen(rng: random.Random) -> Told:
    losses = flat(rng, 150, rng.uniform(2, 4), 0.006)
    return Told(losses, cosine(150, 1e-4), [0.0] * 150, losses[::15], 10)


def _explodes(rng: random.Random) -> Told:
    losses = power_law(rng, 60, 8.0, 5.0) + [6.0 * 10 ** min(9, 0.3 * i) * rng.uniform(0.8, 1.2) for i in range(120)]
    told = _run(rng, losses, 5e-2)
    return Told(losses, told.rates, [v * 8 for v in losses], told.held, told.every)


FATES: Final[dict[str, tuple[str, str, Callable[[random.Random], Told]]]] = {
    "pretrains": ("G1", "a sound pretraining to the end of its plan", _pretrains),
    "tunes": ("G1", "a sound fine-tuning to the end of its plan", _tunes),
    "spikes": ("G1", "three spikes that came back", _spikes),
    "overfits": ("G1", "training falls all along, the held-out loss turns", _overfits),
    "nan-late": ("E1", "nan for the rest from two thirds or later on", _nan_late),
    "nan-early": ("E1", "nan from the first twentieth on", _nan_early),
    "diverges-late": ("E1", "leaves for good after two thirds", _diverges_late),
    "diverges-early": ("E1", "leaves for good in the first tenth", _diverges_early),
    "never-learns": ("E1", "at ln(vocabulary) all along", _never_learns),
    "no-rate": ("E1", "a rate of 0 all along, and a loss that does not move", _no_rate),
    "frozen": ("E1", "gradients of 0 all along, and a loss that does not move", _frozen),
    "explodes": ("E1", "up by orders of magnitude from a third on", _explodes),
}


def _held(told: Told) -> list[tuple[int, float]]:
    steps = told.steps()
    return [(steps[(i + 1) * len(steps) // 10 - 1], value) for i, value in enumerate(told.held[:10])]


def _csv(folder: Path, told: Told, _: random.Random) -> None:
    csv_table(
        folder,
        "metrics.csv",
        [
            {"step": s, "train_loss": v, "lr": r, "grad_norm": g}
            for s, v, r, g in zip(told.steps(), told.losses, told.rates, told.norms, strict=True)
        ],
    )


def _jsonl(folder: Path, told: Told, _: random.Random) -> None:
    rows: list[dict[str, float]] = [
        {"step": s, "loss": v, "learning_rate": r, "grad_norm": g}
        for s, v, r, g in zip(told.steps(), told.losses, told.rates, told.norms, strict=True)
    ]
    jsonl(folder, "train.jsonl", [*rows, *({"step": s, "val_loss": v} for s, v in _held(told))])


def _state(folder: Path, told: Told, _: random.Random) -> None:
    last = told.steps()[-1]
    rows: list[dict[str, float]] = [
        {"epoch": 3 * s / last, "grad_norm": g, "learning_rate": r, "loss": round(v, 4), "step": s}
        for s, v, r, g in zip(told.steps(), told.losses, told.rates, told.norms, strict=True)
    ]
    rows += [{"epoch": 3 * s / last, "eval_loss": v, "eval_runtime": 20.1, "step": s} for s, v in _held(told)]
    trainer_state(folder, sorted(rows, key=lambda row: row["step"]), last, f"results/checkpoint-{last}", 3)


def _hf(folder: Path, told: Told, _: random.Random) -> None:
    last = told.steps()[-1]
    lines = [
        f"{{'loss': '{short(v)}', 'grad_norm': '{short(g)}', 'learning_rate': '{short(r)}', 'epoch': '{short(3 * s / last)}'}}"
        for s, v, r, g in zip(told.steps(), told.losses, told.rates, told.norms, strict=True)
    ]
    say(
        folder,
        "slurm-77120.out",
        [
            *lines,
            f"{{'train_runtime': '5120', 'train_samples_per_second': '18.7', 'train_steps_per_second': '0.585', 'train_loss': '{short(sum(told.losses) / len(told.losses))}', 'epoch': '3'}}",
        ],
    )


def _megatron(folder: Path, told: Told, rng: random.Random) -> None:
    watch = Watch(rng, 4.1 * told.every)
    lines = megatron(watch, told.steps()[-1], told.every, told.losses, rates=told.rates, norms=told.norms)
    say(folder, "slurm-77121.out", [*lines, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


def _nemo(folder: Path, told: Told, rng: random.Random) -> None:
    last = told.steps()[-1]
    say(
        folder,
        "nemo.out",
        [
            f"Training epoch 0, iteration {s - 1}/{last - 1} | lr: {short(r)} | global_batch_size: 256 | global_step: {s - 1} | reduced_train_loss: {short(v)} | train_step_timing in s: {rng.gauss(4.2, 0.05):.4g} | consumed_samples: {s * 256}"
            for s, v, r in zip(told.steps(), told.losses, told.rates, strict=True)
        ]
        + [f"`Trainer.fit` stopped: `max_steps={last}` reached."],
    )


def _titan(folder: Path, told: Told, rng: random.Random) -> None:
    watch = Watch(rng, 2.0 * told.every)
    lines = [
        f"[titan] {watch.tick():%Y-%m-%d %H:%M:%S},101 - root - INFO - step: {s:2d}  loss: {v:8.5f}  grad_norm: {g:7.4f}  memory: 61.12GiB(77.27%)  tps: 7,031  tflops: 401.22  mfu: 40.57%"
        for s, v, g in zip(told.steps(), told.losses, told.norms, strict=True)
    ]
    say(
        folder,
        "titan.log",
        [*lines, f"[titan] {watch.tick():%Y-%m-%d %H:%M:%S},101 - root - INFO - Training completed"],
    )


def _nanogpt(folder: Path, told: Told, rng: random.Random) -> None:
    held = dict(_held(told))
    lines = []
    for s, v in zip(told.steps(), told.losses, strict=True):
        if s in held:
            lines.append(f"step {s}: train loss {v:.4f}, val loss {held[s]:.4f}")
        lines.append(f"iter {s}: loss {v:.4f}, time {rng.gauss(301, 4):.2f}ms, mfu 39.91%")
    say(folder, "train.log", lines)


def _tb(folder: Path, told: Told, _: random.Random) -> None:
    columns = {"train/loss": told.losses, "train/lr": told.rates, "train/grad_norm": told.norms}
    series = {tag: list(zip(told.steps(), values, strict=True)) for tag, values in columns.items()}
    tensorboard(folder, {**series, "val/loss": _held(told)}, 1.7733e9, 1.1)


def _wandb(folder: Path, told: Told, rng: random.Random) -> None:
    folder.joinpath("history.json").write_text(
        json.dumps(
            [
                {"_step": s, "_runtime": s * 1.1, "_timestamp": 1.7733e9 + s * 1.1, "train/loss": v, "train/lr": r}
                for s, v, r in zip(told.steps(), told.losses, told.rates, strict=True)
            ]
        )
    )


def _mlflow(folder: Path, told: Told, _: random.Random) -> None:
    begun = 1_773_300_000_000
    pairs = {
        "train_loss": list(zip(told.steps(), told.losses, strict=True)),
        "lr": list(zip(told.steps(), told.rates, strict=True)),
        "val_loss": _held(told),
    }
    mlflow(
        folder,
        {name: [{"ms": begun + s * 1000, "value": v, "step": s} for s, v in values] for name, values in pairs.items()},
        3,
        begun,
        begun + told.steps()[-1] * 1000,
    )


def _lightning(folder: Path, told: Told, _: random.Random) -> None:
    rows: list[dict[str, float]] = [
        {"epoch": i * 10 // len(told.losses), "step": s - 1, "train_loss": v, "lr-AdamW": r}
        for i, (s, v, r) in enumerate(zip(told.steps(), told.losses, told.rates, strict=True))
    ]
    rows += [{"epoch": i, "step": s - 1, "val_loss": v} for i, (s, v) in enumerate(_held(told))]
    csv_table(
        folder,
        "lightning_logs/version_0/metrics.csv",
        sorted(rows, key=lambda row: row["step"]),
        ("epoch", "lr-AdamW", "step", "train_loss", "val_loss"),
        "\r\n",
    )


FORMS: Final[dict[str, Callable[[Path, Told, random.Random], None]]] = {
    "csv": _csv, "jsonl": _jsonl, "state": _state, "hf": _hf, "megatron": _megatron, "nemo": _nemo, "titan": _titan,
    "nanogpt": _nanogpt, "tb": _tb, "wandb": _wandb, "mlflow": _mlflow, "lightning": _lightning,
}  # fmt: skip


def _register() -> tuple[str, ...]:
    names = []
    for i, (form, write) in enumerate(FORMS.items()):
        for j, (fate, (right, why, made)) in enumerate(FATES.items()):
            if (i + j) % 3 or (fate == "frozen" and form in ("nemo", "nanogpt", "mlflow", "lightning", "wandb")):
                continue

            def case(folder: Path, rng: random.Random, write=write, made=made) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
                write(folder, made(rng), rng)

            name = f"grid-{fate}-{form}"
            CASES[name] = Curve(right, why, case, 0)
            names.append(name)
    return tuple(names)


NAMES: Final = _register()
