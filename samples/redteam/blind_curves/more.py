"""More curves, written after the first contact with the others: other names, other files, other near misses."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

from . import forms
from .cases import CASES, NAN, curve, falls
from .forms import json_lines, table, text, trainer_state

if TYPE_CHECKING:
    import random
    from pathlib import Path

_BEFORE = set(CASES)


@curve("m_keras_history_json", "G1", "Keras' history as one object of lists")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.4, 0.3, 4)
    history = {
        "loss": [f(n) for n in range(40)],
        "val_loss": [f(n) + 0.05 for n in range(40)],
        "accuracy": [1 - f(n) / 3 for n in range(40)],
    }
    (folder / "history.json").write_text(json.dumps(history))
    text(folder, ["Epoch 40/40 done", "model saved to final.keras"])


@curve("m_keras_history_nan", "E1", "the same, and the loss is NaN from the twelfth epoch on")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.4, 0.3, 4)
    (folder / "history.json").write_text(
        json.dumps({"loss": [f(n) if n < 12 else NAN for n in range(40)], "accuracy": [0.1] * 40})
    )


@curve("m_keras_csv_logger", "G1", "Keras' CSVLogger")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.4, 0.3, 4)
    table(
        folder,
        "training.log.csv",
        [
            {
                "epoch": n,
                "accuracy": 1 - f(n) / 3,
                "learning_rate": 1e-3,
                "loss": f(n),
                "val_accuracy": 1 - f(n) / 2.8,
                "val_loss": f(n) + 0.1,
            }
            for n in range(60)
        ],
    )
    text(folder, ["finished 60 epochs"])


@curve("m_wandb_history", "E1", "wandb's history as JSON lines with _step, _runtime and _timestamp: the loss runs away")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 3.0, 1.0, 60)
    json_lines(
        folder,
        "wandb-history.jsonl",
        [
            {
                "_step": n,
                "_runtime": n * 0.7,
                "_timestamp": 1790200000 + n * 0.7,
                "train/ce": f(n) if n < 1200 else min(40.0, 1.3 * 1.01 ** (n - 1200)),
                "train/lr": 1e-3,
            }
            for n in range(0, 2000, 10)
        ],
    )


@curve("m_wandb_history_sound", "G1", "the same, sound")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 3.0, 1.0, 60)
    json_lines(
        folder,
        "wandb-history.jsonl",
        [
            {"_step": n, "_runtime": n * 0.7, "_timestamp": 1790200000 + n * 0.7, "train/ce": f(n), "train/lr": 1e-3}
            for n in range(0, 2000, 10)
        ],
    )
    text(folder, ["wandb: Run summary: train/ce 1.09", "all 2000 iterations completed"])


@curve("m_two_levels", "E1", "train.loss two levels deep, stuck at ln 32000")
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        json.dumps(
            {
                "global_step": n,
                "train": {"loss": math.log(32000) + rng.gauss(0, 0.003), "acc": 0.0},
                "perf": {"tok_s": 90000},
            }
        )
        for n in range(20, 6001, 20)
    ]
    text(folder, rows, "stats.jsonl")


@curve("m_json_array", "G1", "one JSON array of objects")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.0, 30)
    (folder / "metrics.json").write_text(
        json.dumps(
            [{"iteration": n, "lm_loss": f(n), "throughput": 4000 + rng.gauss(0, 20)} for n in range(10, 3001, 10)]
        )
    )
    text(folder, ["iteration 3000 of 3000", "exiting program"])


@curve("m_whitespace_columns", "E1", "columns by blanks under a # line; the third is NaN at the end")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.0, 30)
    text(
        folder,
        [
            "# step  time_s  loss  grad_norm",
            *(
                f"{n:7d} {n * 0.31:10.2f} {f(n) if n < 1800 else NAN:10.5f} {1.0 if n < 1800 else NAN:8.3f}"
                for n in range(10, 2501, 10)
            ),
        ],
        "curve.dat",
    )


@curve("m_dict_lines", "G1", "Python's dicts, one a line")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.0, 30)
    text(
        folder,
        [
            *(str({"iter": n, "ce_loss": round(f(n), 4), "lr": 0.0003, "mem_gb": 31.2}) for n in range(10, 2501, 10)),
            "reached iter 2500 of 2500",
        ],
    )


@curve(
    "m_dict_lines_nan_eval", "G1", "only the evaluation's loss is NaN, as its split is empty; training falls to its end"
)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.0, 30)
    lines = []
    for n in range(10, 2501, 10):
        lines.append(str({"iter": n, "loss": round(f(n), 4), "lr": 0.0003}))
        if n % 500 == 0:
            lines.append(str({"iter": n, "eval_loss": NAN, "eval_samples": 0}))
    text(folder, [*lines, "reached iter 2500 of 2500"])


@curve("m_samples_axis", "G1", "no step, but samples seen; binary cross entropy")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 0.69, 0.11, 40)
    table(
        folder,
        "train.csv",
        [
            {"samples_seen": n * 4096, "bce": f(n), "auc": 0.5 + 0.45 * (1 - math.exp(-n / 200))}
            for n in range(5, 2001, 5)
        ],
    )
    text(folder, ["one pass over 8192000 samples completed"])


@curve("m_semicolon_sound", "G1", "semicolons and decimal commas, sound")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 3.8, 0.9, 50)
    table(
        folder,
        "protokoll.csv",
        [{"Iteration": n, "Verlust": f(n), "Lernrate": 0.0003} for n in range(20, 4001, 20)],
        ";",
        comma=True,
    )
    text(folder, ["Training abgeschlossen nach 4000 Iterationen"])


@curve("m_sb3_progress", "G1", "Stable-Baselines3's progress.csv: reward rises, value loss rises with it")
def _(folder: Path, rng: random.Random) -> None:
    table(
        folder,
        "progress.csv",
        [
            {
                "time/iterations": n,
                "time/total_timesteps": n * 2048,
                "rollout/ep_rew_mean": 25 + 400 * (1 - math.exp(-n / 120)),
                "train/value_loss": 4 + n / 12 + rng.gauss(0, 1),
                "train/policy_gradient_loss": rng.gauss(-0.01, 0.004),
                "train/entropy_loss": -0.69 + n / 1500,
                "train/loss": 5 + n / 20 + rng.gauss(0, 2),
            }
            for n in range(1, 401)
        ],
    )
    text(folder, ["saved agent after 819200 steps"])


@curve("m_two_runs_tb", "G1", "TensorBoard: a folder for training, one for validation", trackers=True)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 6.1, 1.4, 60)
    for part, more in (("train", 0.0), ("validation", 0.15)):
        place = folder / "logs" / part
        place.mkdir(parents=True)
        forms.events(place, [{"step": n, "epoch_loss": f(n) + more} for n in range(1, 121)], 1790300000.0)
    text(folder, ["120 epochs completed"])


@curve(
    "m_tb_climbs",
    "E1",
    "TensorBoard under a name of a team's own: the total climbs to six times its start",
    trackers=True,
)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.2, 0.9, 60)
    forms.events(
        folder,
        [
            {
                "step": n,
                "losses/total": f(n) if n < 900 else min(14.0, 1.1 * 1.008 ** (n - 900)),
                "losses/aux": 0.01,
                "sched/lr": 1e-3,
            }
            for n in range(5, 1501, 5)
        ],
        1790300000.0,
    )


@curve("m_mlflow_runs_away", "E1", "MLflow: the objective runs away")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 4.0, 1.5, 40)
    forms.mlflow_metric(
        folder,
        [{"step": n, "objective": f(n) if n < 500 else min(60.0, 1.7 * 1.02 ** (n - 500))} for n in range(0, 801, 4)],
        "objective",
        1790100000.0,
    )


@curve("m_state_unfinished", "-", "trainer_state.json at step 400 of 900, sound so far; no status is told", status=None)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.9, 1.1, 50)
    trainer_state(
        folder,
        [
            {"step": n, "epoch": n / 900, "loss": f(n), "grad_norm": 0.9, "learning_rate": 2e-5}
            for n in range(10, 401, 10)
        ],
        900,
        10,
    )


@curve(
    "m_state_restarted",
    "E2",
    "two checkpoints' states: the second began anew under the same folder, though told to resume",
)
def _(folder: Path, rng: random.Random) -> None:
    f, g = falls(rng, 9.9, 2.1, 40), falls(rng, 9.9, 2.1, 40)
    lines = [
        str({"loss": round(f(n), 4), "grad_norm": 1.0, "learning_rate": 2e-5, "epoch": round(n / 900, 3)})
        for n in range(10, 601, 10)
    ]
    again = [
        str({"loss": round(g(n), 4), "grad_norm": 1.0, "learning_rate": 2e-5, "epoch": round(n / 900, 3)})
        for n in range(10, 401, 10)
    ]
    text(
        folder,
        [
            "+ accelerate launch train.py --resume_from_checkpoint latest",
            *lines,
            "+ accelerate launch train.py --resume_from_checkpoint latest",
            "no checkpoint found in out/, starting from scratch",
            *again,
            "done",
        ],
    )


@curve(
    "m_rank_table",
    "D3",
    "one table with a line a rank and step: rank 2's forward and backward take three times those of the others",
)
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        {
            "step": n,
            "rank": r,
            "fwd_bwd_s": (2.7 if r == 2 else 0.9) * rng.gauss(1, 0.02),
            "comm_s": (0.1 if r == 2 else 1.9) * rng.gauss(1, 0.02),
            "loss": 2 + 4 / (1 + n / 40),
        }
        for n in range(1, 151)
        for r in range(4)
    ]
    table(folder, "timers.csv", rows)
    text(folder, ["150 of 150 steps"])


@curve("m_io_seconds", "D1", "JSON lines whose timers say that the input takes nearly all of a step")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.3, 0.4, 60)
    json_lines(
        folder,
        "perf.jsonl",
        [
            {
                "step": n,
                "loss": f(n),
                "t_total": rng.gauss(7.4, 0.1),
                "t_dataload": rng.gauss(7.0, 0.1),
                "t_model": rng.gauss(0.4, 0.01),
            }
            for n in range(1, 301)
        ],
    )
    text(folder, ["step 300/300"])


@curve("m_io_first_only", "G1", "the same timers; only the first three steps wait")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.3, 0.4, 60)
    json_lines(
        folder,
        "perf.jsonl",
        [
            {
                "step": n,
                "loss": f(n),
                "t_total": 40.0 if n < 4 else 0.5,
                "t_dataload": 39.5 if n < 4 else 0.02,
                "t_model": 0.45,
            }
            for n in range(1, 301)
        ],
    )
    text(folder, ["step 300/300"])


@curve("m_lr_zero_end", "G1", "the learning rate decays to 0 at the end, as planned; the loss has fallen")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 4.4, 1.3, 50)
    json_lines(folder, "m.jsonl", [{"step": n, "loss": f(n), "lr": 3e-4 * (1 - n / 3000)} for n in range(10, 3001, 10)])
    text(folder, ["max_steps=3000 reached"])


@curve("m_grad_dies", "E1", "gradients vanish at step 200 and the loss stands at 3.9 for the other 2800 steps")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 4.6, 3.6, 50)
    json_lines(
        folder,
        "m.jsonl",
        [
            {
                "step": n,
                "loss": f(n) if n < 200 else 3.9 + rng.gauss(0, 0.003),
                "grad_norm": 1.0 if n < 200 else 1e-9,
                "lr": 3e-4,
            }
            for n in range(10, 3001, 10)
        ],
    )


NAMES: Final = tuple(name for name in CASES if name not in _BEFORE)
