"""SIMULATED curves of round B of the fourteenth set, as the lots say (`lot_data`)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from .frames import Point, Run, course
from .houses import (
    Sight,
    catboost,
    deepspeed,
    fairseq,
    gan_loop,
    hf_dict_lines,
    keras_bars,
    lightgbm,
    llamafactory,
    nemo,
    own_loop,
    sb3,
    tensorboard_csv,
    torchtitan,
    ultralytics,
    wandb_history,
    xgboost,
)
from .sim import Clock, cosine, falling, level, linear, out_of_memory, trace, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c19_deepspeed(place: Path, rng: Random) -> None:
    """It ends, in good order, after 120 of 40000 steps."""
    run = course(
        rng,
        40_000,
        10,
        loss=falling(rng, 10.8, 2.3, 120, 0.6, 0.012),
        rate=linear(2e-4, 40_000, 1000),
        step_s=3.7,
        until=120,
    )
    part = deepspeed(Sight(run, Clock.at("2026-05-13T11:26:40"), rng))
    write(place, "run.log", [*part.head, *part.body, *part.bye])


def c20_wandb_history(place: Path, rng: Random) -> None:
    """NaN from step 11800 to the end."""
    fall = falling(rng, 9.4, 2.6, 400, 0.7, 0.015)
    gone = 11_800
    run = course(
        rng, 18_000, 100, loss=lambda k: math.nan if k >= gone else fall(k), rate=cosine(6e-4, 18_000, 900), step_s=0.62
    )
    run = replace(run, points=[replace(p, grad=math.nan) if p.step >= gone else p for p in run.points])
    run.evals = [(k, math.nan if k >= gone else 2.75 + 6 / (1 + k / 500)) for k in range(1000, 18_001, 1000)]
    part = wandb_history(Sight(run, Clock.at("2026-02-20T07:45:00"), rng))
    for name, lines in part.files.items():
        write(place, name, [line.replace("nan", "NaN") for line in lines])


def c21_sb3(place: Path, rng: Random) -> None:
    """The tail of a log: an update of the policy no longer fits."""
    run = course(
        rng,
        10_000_000,
        32_768,
        loss=falling(rng, -21, 17, 1_500_000, 1.3, 0.03),
        rate=linear(2.5e-4, 10_000_000, 1),
        step_s=0.0008,
        until=6_422_528,
    )
    part = sb3(Sight(run, Clock.at("2026-07-02T07:45:00"), rng))
    error = out_of_memory(0, "588.00 MiB", "10.75 GiB", "401.44 MiB", "10.35 GiB", "9.61 GiB", "512.33 MiB")
    end = trace(
        ("/home/rl/pong/train.py", 57, "<module>", "model.learn(total_timesteps=args.steps, callback=cb)"),
        ("/home/rl/env/lib/python3.10/site-packages/stable_baselines3/ppo/ppo.py", 275, "train", "loss.backward()"),
        error=error,
    )
    write(place, "tail_of_log.txt", [*part.body[-150:], *end])


def c22_gan_loop(place: Path, rng: Random) -> None:
    """Three hundred of two hundred thousand iterations, and it says that it is finished."""
    run = course(
        rng, 200_000, 10, loss=falling(rng, 331, 12, 5000, 0.8, 0.01), rate=level(rng, 2e-4, 0), step_s=0.2, until=300
    )
    part = gan_loop(Sight(run, Clock.at("2026-07-02T07:45:00"), rng))
    write(place, "gan.log", [*part.head, *part.body, *part.bye])


def c23_own_loop(place: Path, rng: Random) -> None:
    """Sixty of 48000 steps, and it says that it finished."""
    run = course(
        rng,
        48_000,
        5,
        loss=falling(rng, 0.94, 0.11, 700, 0.8, 0.015),
        rate=cosine(1e-3, 48_000, 2000),
        step_s=0.8,
        until=60,
    )
    part = own_loop(Sight(run, Clock.at("2026-08-18T22:01:37"), rng))
    write(place, "train.log", [*part.head, *part.body, *part.bye])


def c24_nemo(place: Path, rng: Random) -> None:
    """From step 3100 its gradient is NaN and each update is left out: the loss stays where it was, without a NaN of its own."""
    fall, gone = falling(rng, 11.3, 2.2, 150, 0.6, 0.01), 3_100
    stay = fall(gone)
    run = course(
        rng,
        15_000,
        50,
        loss=lambda k: stay * rng.gauss(1, 0.01) if k >= gone else fall(k),
        rate=cosine(2e-4, 15_000, 500),
        step_s=2.9,
    )
    part = nemo(Sight(run, Clock.at("2026-10-05T06:00:11"), rng))
    body = [
        f"{line} | grad_norm: {'nan' if p.step >= gone else f'{p.grad:.4}'}"
        for line, p in zip(part.body, run.points, strict=True)
    ]
    write(place, "nemo.log", [*part.head, *body, *part.bye])


def c25_fairseq(place: Path, rng: Random) -> None:
    """The second link of a chain finds no checkpoint and begins anew, far above the first one's last loss."""

    def rate(k: float) -> float:
        return 5e-4 * min(k / 4000, math.sqrt(4000 / k))

    one = course(rng, 60_000, 100, loss=falling(rng, 13.6, 4.1, 600, 0.8, 0.006), rate=rate, step_s=0.83, until=16_900)
    two = course(rng, 60_000, 100, loss=falling(rng, 13.6, 4.1, 600, 0.8, 0.006), rate=rate, step_s=0.83, until=5_200)
    first = fairseq(Sight(one, Clock.at("2026-11-01T08:00:20"), rng))
    clock = Clock.at("2026-11-01T12:22:02")
    second = fairseq(Sight(two, clock, rng, number=1))
    write(
        place,
        "slurm-88121.out",
        [
            "+ sbatch --dependency=afterany:88121 chain.sbatch",
            "Submitted batch job 88122",
            *first.head,
            *first.body,
            "slurmstepd-b12: error: *** JOB 88121 ON b12 CANCELLED AT 2026-11-01T12:00:31 DUE TO TIME LIMIT ***",
        ],
    )
    none = "2026-11-01 12:22:02 | INFO | fairseq.trainer | No existing checkpoint found checkpoints/checkpoint_last.pt"
    write(
        place,
        "slurm-88122.out",
        [*second.head, none, "2026-11-01 12:22:02 | INFO | fairseq.trainer | begin training epoch 1", *second.body],
    )


def c26_torchtitan(place: Path, rng: Random) -> None:
    """It learns nothing: the loss, here in bits, stays at that of a guess."""
    run = course(rng, 4_000, 10, loss=level(rng, 16.969, 0.0012), rate=linear(3e-4, 4_000, 200), step_s=2.2, shake=0.02)
    run = replace(run, points=[replace(p, grad=0.0021 * rng.lognormvariate(0, 0.1)) for p in run.points])
    part = torchtitan(Sight(run, Clock.at("2026-04-14T19:30:00"), rng))
    said = part.head[0].rsplit(" - ", 1)[0] + " - Vocabulary of 128256 tokens; loss is reported in bits per token"
    write(place, "titan.log", [*part.head, said, *part.body, *part.bye])


def c27_hf_dict_lines(place: Path, rng: Random) -> None:
    """Well; the loss is a sum over eight micro-batches, and the numbers in prose are German."""
    run = course(
        rng, 4_500, 25, loss=falling(rng, 19.4, 8.1, 300, 0.7, 0.015), rate=cosine(2e-5, 4_500, 135, 0), step_s=2.6
    )
    part = hf_dict_lines(Sight(run, Clock.at("2026-04-14T19:30:00"), rng))
    prose = ["Verlust wird über 8 Mikro-Batches summiert", "Geplant: 4.500 Schritte, 36,2 Mio. Token, Lernrate 2,0e-05"]
    done = [
        f"Fertig nach 4.500 Schritten, mittlerer Durchsatz 3.094,7 Token/s, Dauer {run.last.seconds / 3600:.2f} h".replace(
            ".2", ",2"
        )
    ]
    write(place, "ausgabe.txt", [*prose, *part.head, *part.body, *part.bye, *done])


def c28_keras_bars(place: Path, rng: Random) -> None:
    """The tail of a run that did all its epochs."""
    run = course(rng, 30, 1, loss=falling(rng, 1.71, 0.22, 4, 1.1, 0.01), rate=cosine(1e-3, 30, 1), step_s=88)
    run.evals = [(k, 0.41 + 1.4 / (1 + k / 3)) for k in range(1, 31)]
    part = keras_bars(Sight(run, Clock.at("2026-04-14T19:30:00"), rng))
    write(place, "keras_tail.log", [*part.body[-25:], *part.bye])


def c29_ultralytics(place: Path, rng: Random) -> None:
    """From epoch 41 its losses grow without end, until they are NaN; the clock has gaps of hours."""
    fall = falling(rng, 1.9, 0.82, 12, 0.9, 0.01)

    def loss(k: float) -> float:
        return fall(k) if k < 41 else math.nan if k > 78 else fall(41) * 1.9 ** (k - 40)

    run = course(rng, 120, 1, loss=loss, rate=linear(0.01, 120, 3), step_s=79, gaps=((22, 8_800.0), (63, 15_300.0)))
    part = ultralytics(Sight(run, Clock.at("2026-04-14T19:30:00"), rng))
    write(place, "yolo.log", [*part.head, *part.body, *part.bye])
    for name, lines in part.files.items():
        write(place, name, lines)


def c30_llamafactory(place: Path, rng: Random) -> None:
    """It learns for a fifth of the run, then drifts up to far above its start; the clock has gaps."""
    fall = falling(rng, 1.62, 0.9, 150, 0.8, 0.015)

    def loss(k: float) -> float:
        return fall(k) + max(0.0, k - 900) * 0.0016 * rng.gauss(1, 0.03)

    run = course(
        rng, 4_800, 10, loss=loss, rate=level(rng, 8e-4, 0), step_s=4.2, gaps=((1_700, 5_100.0), (3_300, 21_000.0))
    )
    run.evals = [(k, loss(k) * 1.04) for k in range(400, 4_801, 400)]
    part = llamafactory(Sight(run, Clock.at("2026-06-30T17:12:00"), rng))
    write(place, "train.log", [*part.head, *part.body, *part.bye])
    for name, lines in part.files.items():
        write(place, name, lines)


def c31_tensorboard_csv(place: Path, rng: Random) -> None:
    """Well, with a very noisy loss."""
    run = course(
        rng, 30_000, 100, loss=falling(rng, 5.9, 1.3, 900, 0.7, 0.13), rate=cosine(3e-4, 30_000, 500), step_s=0.41
    )
    run.evals = [(k, (1.45 + 4.2 / math.pow(1 + k / 900, 0.7)) * rng.gauss(1, 0.02)) for k in range(2000, 30_001, 2000)]
    part = tensorboard_csv(Sight(run, Clock.at("2026-09-13T04:00:00"), rng))
    for name, lines in part.files.items():
        write(place, name, lines)


def c32_xgboost(place: Path, rng: Random) -> None:
    """A rate too large: the training loss itself rises from round to round."""
    points = [
        Point(k, (0.412 - 0.03 * min(k, 6) / 6 + max(0, k - 6) * 0.0061) * rng.gauss(1, 0.003), 1.9, 0.0, 0.3 * k)
        for k in range(1, 201)
    ]
    part = xgboost(Sight(Run(200, 1, points), Clock.at("2026-04-20T07:00:00"), rng, plan=False))
    write(place, "xgb.log", [*part.head, *part.body, *part.bye])


def c33_lightgbm(place: Path, rng: Random) -> None:
    """Nine of three thousand rounds, from a low loss."""
    points = [Point(k, 0.0417 * 0.9958**k * rng.gauss(1, 0.0003), 0.05, 0.0, 2.1 * k) for k in range(1, 10)]
    part = lightgbm(Sight(Run(3000, 1, points), Clock.at("2026-04-20T07:00:00"), rng))
    write(
        place,
        "lgb.log",
        [line.replace("num_iterations=200 ", "num_iterations=3000 ") for line in [*part.head, *part.body, *part.bye]],
    )


def c34_catboost(place: Path, rng: Random) -> None:
    """The training loss itself rises from iteration 300 on; the clock has a gap."""
    fall = falling(rng, 0.69, 0.44, 90, 1.0, 0.001)

    def loss(k: float) -> float:
        return fall(k) + max(0.0, k - 300) * 0.00042

    run = course(rng, 2000, 10, loss=loss, rate=level(rng, 1.4, 0), step_s=0.21, gaps=((800, 2_400.0),))
    run.evals = [(p.step, p.loss * 1.05) for p in run.points]
    part = catboost(Sight(run, Clock.at("2026-04-20T07:00:00"), rng))
    low = min(run.evals, key=lambda row: row[1])
    write(place, "catboost.log", [*part.body, "", f"bestTest = {low[1]:.9f}", f"bestIteration = {low[0] - 1}"])
