"""SIMULATED curves of round A of the fourteenth set, as the lots say (`lot_data`)."""

from __future__ import annotations

import json
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
    hf_trainer_state,
    lightgbm,
    llamafactory,
    megatron,
    nemo,
    own_loop,
    rllib,
    sb3,
    torchtitan,
    trl_dpo,
    wandb_history,
    xgboost,
)
from .sim import Clock, cosine, falling, level, linear, out_of_memory, trace, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_tqdm_loop(place: Path, rng: Random) -> None:
    """Only its validation is shown, by bars that know no end of the run; the log stops."""
    lines, seen = [], 0
    for _ in range(7):
        seen += 4000
        value = 1.94 + rng.gauss(0, 0.03)
        lines += [f"validating: 100%|██████████| 125/125 [00:{rng.randint(19, 24)}<00:00,  5.9{rng.randint(1, 9)}it/s]"]
        lines += [f"val @ {seen} samples: loss={value:.3f} acc={rng.gauss(0.531, 0.004):.3f}"]
    lines.append("validating:  62%|██████▏   | 78/125 [00:13<00:08,  5.88it/s]")
    write(place, "nohup.out", lines)


def c02_trl_dpo(place: Path, rng: Random) -> None:
    """Three lines of preferences, and no more."""
    run = course(
        rng, 900, 10, loss=falling(rng, 0.6931, 0.3, 900, 1.1, 0.001), rate=linear(5e-7, 900, 90), step_s=7.2, until=30
    )
    part = trl_dpo(Sight(run, Clock.at("2026-04-07T10:00:00"), rng))
    write(
        place,
        "dpo.log",
        ["Tokenizing train dataset: 100%|██████████| 14400/14400 [00:41<00:00, 349.11 examples/s]", *part.body],
    )


def c03_lightgbm(place: Path, rng: Random) -> None:
    """Two evaluations, and no more."""
    run = course(
        rng, 2000, 50, loss=falling(rng, 0.69, 0.42, 70, 0.9, 0.0006), rate=level(rng, 0.05, 0), step_s=0.4, until=100
    )
    part = lightgbm(Sight(run, Clock.at("2026-05-02T10:00:00"), rng))
    write(place, "fit.log", [*part.head, *part.body])


def c04_fairseq(place: Path, rng: Random) -> None:
    """Its loss is NaN from two thirds on; the clock has two gaps of hours."""
    fall = falling(rng, 13.9, 4.3, 700, 0.8, 0.006)
    gone = 20_700
    run = course(
        rng,
        30_000,
        100,
        loss=lambda k: math.nan if k >= gone else fall(k),
        rate=lambda k: 7e-4 * min(k / 4000, (4000 / k) ** 0.5),
        step_s=0.71,
        gaps=((8_300, 7_400.0), (15_900, 11_900.0)),
    )
    run = replace(run, points=[replace(p, grad=math.nan) if p.step >= gone else p for p in run.points])
    run.evals = [(k, run.points[k // 100 - 1].loss * 1.03) for k in range(3750 // 100 * 100, 30_001, 3700)]
    part = fairseq(Sight(run, Clock.at("2026-01-19T16:20:04"), rng))
    write(place, "train.log", [*part.head, *part.body, *part.bye])


def c05_nemo(place: Path, rng: Random) -> None:
    """The GPU's memory is full at a longer batch; the clock has a gap before it."""
    run = course(
        rng,
        12_000,
        20,
        loss=falling(rng, 11.1, 2.4, 120, 0.6, 0.01),
        rate=cosine(3e-4, 12_000, 500),
        step_s=4.4,
        until=5_460,
        gaps=((2_000, 2_900.0), (4_000, 3_050.0)),
    )
    run.evals = [(2000, 3.31), (4000, 2.98)]
    part = nemo(Sight(run, Clock.at("2026-02-08T09:00:30"), rng))
    error = out_of_memory(5, "1.96 GiB", "79.11 GiB", "1.43 GiB", "77.67 GiB", "71.20 GiB", "4.88 GiB")
    end = trace(
        ("/opt/NeMo/scripts/llm/pretrain.py", 118, "<module>", "run.run(recipe)"),
        (
            "/opt/megatron-lm/megatron/core/transformer/mlp.py",
            131,
            "forward",
            "intermediate_parallel = bias_swiglu_impl(",
        ),
        error=error,
    )
    write(place, "log_rank5.txt", [*part.head, *part.body, *(f"[rank5]: {line}" for line in end)])


def c06_sb3(place: Path, rng: Random) -> None:
    """The first attempt falls over the tracker's service; the second takes up its policy and ends as planned."""
    gain = falling(rng, 14, 212, 900_000, 1.4, 0.03)
    rate = linear(3e-4, 3_000_000, 1)
    one = course(rng, 3_000_000, 16_384, loss=gain, rate=rate, step_s=0.0005, until=1_261_568)
    two = course(rng, 3_000_000, 16_384, loss=gain, rate=rate, step_s=0.0005, first=1_245_184, until=3_014_656)
    first = sb3(Sight(one, Clock.at("2026-03-14T12:00:00"), rng))
    second = sb3(Sight(two, Clock.at("2026-03-14T19:00:00"), rng, first=1_245_184, number=1))
    fell = trace(
        ("/home/rl/ppo.py", 88, "<module>", "model.learn(3_000_000, callback=[save, track])"),
        ("/home/rl/track.py", 31, "_on_rollout_end", "requests.post(URL, json=row, timeout=10).raise_for_status()"),
        error="requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: http://track.lab.example/api/rows",
    )
    again = ["$ python ppo.py --resume logs/ppo/rl_model_1245184_steps.zip", "Loaded policy at 1245184 timesteps"]
    write(
        place,
        "ppo.log",
        ["$ python ppo.py", *first.head, *first.body, *fell, *again, *second.head, *second.body, *second.bye],
    )


def c07_catboost(place: Path, rng: Random) -> None:
    """The overfitting detector ends it, as it was set to."""
    run = course(
        rng,
        6000,
        10,
        loss=falling(rng, 0.66, 0.31, 160, 1.0, 0.0004),
        rate=level(rng, 0.03, 0),
        step_s=0.08,
        until=2410,
    )
    low = 2210
    run.evals = [(p.step, (0.356 + 0.33 / (1 + p.step / 160)) + max(0, p.step - low) * 4e-5) for p in run.points]
    part = catboost(Sight(run, Clock.at("2026-03-21T08:00:00"), rng))
    best = f"bestTest = {dict(run.evals)[low]:.9f}"
    write(
        place,
        "cat.log",
        [
            *part.body,
            "Stopped by overfitting detector  (200 iterations wait)",
            "",
            best,
            f"bestIteration = {low - 1}",
            "",
            f"Shrink model to first {low} iterations.",
        ],
    )


def c08_deepspeed(place: Path, rng: Random) -> None:
    """It learns its training set by heart, and does all its steps."""
    run = course(
        rng, 6_000, 20, loss=falling(rng, 2.9, 0.21, 500, 1.1, 0.02), rate=cosine(2e-5, 6_000, 180), step_s=2.3
    )
    part = deepspeed(Sight(run, Clock.at("2026-06-11T21:40:11"), rng))
    body = []
    for line in part.body:
        body.append(line)
        step = int(line.split()[1]) if line.startswith("step ") else 1
        if step % 500 == 0:
            value = 1.24 + 1.5 / (1 + step / 300) + max(0, step - 2200) * 0.00021
            body.append(
                f"eval | step {step} | eval_loss {value * rng.gauss(1, 0.004):.4f} | eval_ppl {math.exp(value):.2f}"
            )
    write(place, "ds.log", [*part.head, *body, *part.bye])


def c09_gan_loop(place: Path, rng: Random) -> None:
    """At work until the time limit."""
    run = course(
        rng,
        200_000,
        500,
        loss=falling(rng, 288, 11, 4000, 0.9, 0.02),
        rate=level(rng, 2e-4, 0),
        step_s=0.11,
        until=143_500,
    )
    part = gan_loop(Sight(run, Clock.at("2026-06-11T21:40:11"), rng))
    end = ["slurmstepd-gn09: error: *** JOB 771204 ON gn09 CANCELLED AT 2026-06-12T02:10:22 DUE TO TIME LIMIT ***"]
    write(place, "slurm-771204.out", [*part.head, *part.body, *end])


def c10_megatron(place: Path, rng: Random) -> None:
    """A log that ends in the middle of a line, and nothing beside it."""
    run = course(
        rng,
        40_000,
        10,
        loss=falling(rng, 11.4, 2.1, 300, 0.6, 0.008),
        rate=cosine(1.5e-4, 40_000, 800),
        step_s=3.1,
        until=9_870,
    )
    part = megatron(Sight(run, Clock.at("2026-02-26T04:10:00"), rng))
    write(place, "pretrain.log", [*part.head, *part.body[:-1], part.body[-1][:131]], end="\n")


def c11_torchtitan(place: Path, rng: Random) -> None:
    """The data are used up after sixty of ten thousand steps, and it calls that completed."""
    run = course(
        rng,
        10_000,
        10,
        loss=falling(rng, 12.2, 2.9, 60, 0.5, 0.01),
        rate=linear(3e-4, 10_000, 200),
        step_s=1.9,
        until=60,
    )
    part = torchtitan(Sight(run, Clock.at("2026-07-15T15:00:02"), rng))
    end = part.bye[0].split("Saving")[0].replace("INFO", "WARNING") + "Ran out of data; last step was canceled."
    write(place, "titan.log", [*part.head, *part.body, end, *part.bye])


def c12_hf_trainer_state(place: Path, rng: Random) -> None:
    """A checkpoint's state in the middle, and Slurm's word on its end."""
    run = course(
        rng,
        21_000,
        50,
        loss=falling(rng, 3.4, 1.5, 900, 0.8, 0.02),
        rate=linear(1e-4, 21_000, 600),
        step_s=1.4,
        until=15_500,
    )
    run.evals = [(k, 1.62 + 1.4 / (1 + k / 1200)) for k in range(500, 15_501, 500)]
    part = hf_trainer_state(Sight(run, Clock.at("2026-03-02T10:00:00"), rng, finished=False))
    for name, lines in part.files.items():
        write(place, name, lines)
    write(
        place,
        "slurm-5520871.out",
        [
            "Loading checkpoint shards: 100%|██████████| 4/4 [00:07<00:00,  1.91s/it]",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            "slurmstepd-n2011: error: *** STEP 5520871.0 ON n2011 CANCELLED AT 2026-03-02T16:00:24 DUE TO TIME LIMIT ***",
            "slurmstepd-n2011: error: *** JOB 5520871 ON n2011 CANCELLED AT 2026-03-02T16:00:24 DUE TO TIME LIMIT ***",
        ],
    )


def c13_hf_dict_lines(place: Path, rng: Random) -> None:
    """A log that names neither a step nor a loss."""
    lines = [
        "`torch_dtype` is deprecated! Use `dtype` instead!",
        "The tokenizer has new PAD/BOS/EOS tokens that differ from the model config and generation config.",
        "Map: 100%|██████████| 52002/52002 [00:17<00:00, 2944.71 examples/s]",
    ]
    for k in range(9):
        lines.append(
            str(
                {
                    "eval_runtime": round(rng.uniform(30, 33), 4),
                    "eval_samples_per_second": round(rng.uniform(60, 66), 3),
                    "eval_steps_per_second": 8.1,
                }
            )
        )
        if k % 3 == 2:
            lines.append(
                "/opt/conda/lib/python3.11/site-packages/torch/utils/checkpoint.py:85: UserWarning: None of the inputs have requires_grad=True. Gradients will be None"
            )
    write(place, "train.out", lines)


def c14_llamafactory(place: Path, rng: Random) -> None:
    """The tail of a log: a request that no longer fits."""
    run = course(
        rng,
        3_600,
        10,
        loss=falling(rng, 1.8, 0.83, 200, 0.7, 0.02),
        rate=cosine(1e-4, 3_600, 100, 0),
        step_s=5.9,
        until=2_840,
    )
    part = llamafactory(Sight(run, Clock.at("2026-08-03T13:00:00"), rng))
    error = out_of_memory(0, "2.32 GiB", "23.65 GiB", "1.08 GiB", "22.56 GiB", "20.11 GiB", "1.97 GiB")
    end = trace(
        (
            "/home/u/LLaMA-Factory/src/llamafactory/train/sft/workflow.py",
            122,
            "run_sft",
            "train_result = trainer.train()",
        ),
        (
            "/home/u/env/lib/python3.11/site-packages/torch/nn/functional.py",
            3494,
            "cross_entropy",
            "return torch._C._nn.cross_entropy_loss(",
        ),
        error=error,
    )
    write(place, "tail.log", [*part.body[-46:], *end, " 79%|███████▉  | 2843/3600 [4:39:51<1:14:31,  5.91s/it]"])
    for name, lines in part.files.items():
        write(place, name, lines[-60:])


def c15_rllib(place: Path, rng: Random) -> None:
    """The reward rises, the loss says nothing."""
    gain = falling(rng, -180, 140, 60, 1.2, 0.02)
    run = course(rng, 400, 1, loss=gain, rate=level(rng, 5e-5, 0), step_s=11)
    part = rllib(Sight(run, Clock.at("2026-05-28T18:00:00"), rng))
    write(place, "tune.log", [*part.head, *part.body, *part.bye])
    for name, lines in part.files.items():
        write(place, name, lines)


def c16_own_loop(place: Path, rng: Random) -> None:
    """Forty of 25000 steps, in bits per byte, with commas for points."""
    run = course(
        rng,
        25_000,
        2,
        loss=falling(rng, 7.9, 1.1, 90, 0.6, 0.008),
        rate=linear(6e-4, 25_000, 500),
        step_s=3.3,
        until=40,
    )
    part = own_loop(Sight(run, Clock.at("2026-09-09T09:09:09"), rng))
    commas = [
        " ".join(
            word.replace(".", ",") if word[:1].isdigit() and "pt" not in word else word for word in line.split(" ")
        )
        for line in part.body
    ]
    write(place, "lauf.log", [*part.head, "loss in bits/byte", *commas, *part.bye])


def c17_wandb_history(place: Path, rng: Random) -> None:
    """Two exports: the second goes on where the first broke off, and does all steps of the plan."""
    fall, rate = falling(rng, 6.8, 1.9, 700, 0.7, 0.02), cosine(8e-4, 24_000, 1000)
    one = course(rng, 24_000, 50, loss=fall, rate=rate, step_s=0.9, until=9_350)
    two = course(rng, 24_000, 50, loss=fall, rate=rate, step_s=0.9, first=9_000)
    one.evals = [(k, 2.0 + 4.4 / (1 + k / 800)) for k in range(1000, 9_001, 1000)]
    two.evals = [(k, 2.0 + 4.4 / (1 + k / 800)) for k in range(10_000, 24_001, 1000)]
    first = wandb_history(Sight(one, Clock.at("2026-04-20T07:00:00"), rng))
    second = wandb_history(Sight(two, Clock.at("2026-04-20T15:00:00"), rng, first=9_000, number=1))
    for name, lines in {**first.files, **second.files}.items():
        write(place, name, lines)
    write(
        place,
        "wandb-summary.json",
        [
            json.dumps(
                {
                    "_step": 24_000,
                    "_runtime": two.last.seconds,
                    "train/loss": two.last.loss,
                    "_wandb": {"runtime": round(two.last.seconds)},
                }
            )
        ],
    )


def c18_xgboost(place: Path, rng: Random) -> None:
    """Twelve of four thousand rounds, from a low loss."""
    points = [Point(k, 0.0912 * 0.9962**k * rng.gauss(1, 0.0003), 0.02, 0.0, 0.3 * k) for k in range(1, 13)]
    part = xgboost(Sight(Run(4000, 1, points), Clock.at("2026-04-20T07:00:00"), rng))
    write(place, "boost.log", [*part.head, *part.body, *part.bye])
