"""The curves, each with its truth; a near-miss twin stands beside what it resembles."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from . import forms
from .forms import json_lines, plain, table, text, trainer_state

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

NAN = math.nan


@dataclass(frozen=True, slots=True)
class Curve:
    """``right`` lists the right answers, the arranged one first; ``status`` is told to the engine, or None."""

    right: str
    why: str
    write: Callable[[Path, random.Random], None]
    status: int | None = 0
    trackers: bool = False


CASES: Final[dict[str, Curve]] = {}


def curve(
    name: str, right: str, why: str, status: int | None = 0, trackers: bool = False
) -> Callable[[Callable[[Path, random.Random], None]], None]:
    """Register a curve."""

    def put(write: Callable[[Path, random.Random], None]) -> None:
        CASES[name] = Curve(right, why, write, status, trackers)

    return put


def falls(rng: random.Random, first: float, last: float, tau: float, noise: float = 0.015) -> Callable[[float], float]:
    """A loss that falls from ``first`` towards ``last``."""
    return lambda n: (last + (first - last) / (1 + n / tau) ** rng.uniform(0.69, 0.71)) * rng.gauss(1, noise)


# ---- tables


@curve("csv_ppl_falls", "G1", "perplexity falls from 812 to 19 in a table with odd names")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 6.7, 2.6, 90)
    table(
        folder,
        "progress.csv",
        [{"it": n, "ppl": math.exp(f(n)), "wps": rng.gauss(81000, 900)} for n in range(50, 6001, 50)],
    )
    text(folder, ["run finished after 6000 iterations"])


@curve("csv_decimal_comma_nan", "E1", "semicolons and decimal commas; the loss is NaN from 2300 on")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 4.1, 1.2, 60)
    table(
        folder,
        "verlauf.csv",
        [{"schritt": n, "loss": f(n) if n < 2300 else NAN, "lr": 3e-4} for n in range(20, 4001, 20)],
        ";",
        comma=True,
    )


@curve("csv_nll_explodes", "E1", "nll falls, then climbs to forty times its start")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.2, 2.2, 60)
    table(
        folder,
        "metrics.csv",
        [
            {
                "update": n,
                "nll": f(n) if n < 3000 else 2.6 * 1.006 ** (n / 4 - 750) * rng.gauss(1, 0.05),
                "gnorm": 1.1 if n < 3000 else 60.0,
            }
            for n in range(25, 6001, 25)
        ],
    )


@curve("csv_negative_nll", "G1", "a density model whose nll goes below zero, as densities may")
def _(folder: Path, rng: random.Random) -> None:
    table(
        folder,
        "metrics.csv",
        [{"update": n, "nll": -3.4 + 8.0 / (1 + n / 200) + rng.gauss(0, 0.05)} for n in range(25, 6001, 25)],
    )
    text(folder, ["training complete: 6000 updates"])


@curve("csv_elbo_rises", "G1", "an ELBO that is maximised rises from -1900 to -870")
def _(folder: Path, rng: random.Random) -> None:
    table(
        folder,
        "elbo.csv",
        [
            {
                "epoch": n,
                "train_elbo": -870 - 1030 / (1 + n / 6) + rng.gauss(0, 4),
                "valid_elbo": -884 - 1040 / (1 + n / 6) + rng.gauss(0, 5),
            }
            for n in range(1, 121)
        ],
    )
    text(folder, ["epoch 120 of 120 done, best valid_elbo at epoch 118"])


@curve("csv_three_rows_sparse", "G1", "three rows only, a report every thousand steps")
def _(folder: Path, rng: random.Random) -> None:
    table(
        folder,
        "history.csv",
        [{"step": n, "train_loss": v, "val_loss": v + 0.1} for n, v in ((1000, 4.81), (2000, 3.92), (3000, 3.55))],
    )
    text(folder, ["reached max_steps=3000, stopping"])


@curve("csv_two_steps", "E3", "two optimizer steps, all of the plan")
def _(folder: Path, rng: random.Random) -> None:
    table(folder, "history.csv", [{"step": n, "train_loss": v} for n, v in ((1, 9.81), (2, 9.74))])
    text(folder, ["reached max_steps=2, stopping", "saved model"])


@curve("csv_sum_loss", "G1", "a summed loss in the tens of thousands that falls")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 48210, 9100, 40)
    table(folder, "loss.tsv", [{"batch": n, "sum_loss": f(n), "sec": 0.41} for n in range(10, 3001, 10)], "\t")
    text(folder, ["3000 batches done"])


@curve("csv_data_wait", "D1", "each step of 5.2 s waits 4.9 s for its data, by the job's own timers")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.3, 0.4, 60)
    table(
        folder,
        "timing.csv",
        [
            {
                "step": n,
                "loss": f(n),
                "step_time_s": rng.gauss(5.2, 0.1),
                "data_wait_s": rng.gauss(4.9, 0.1),
                "compute_s": rng.gauss(0.3, 0.01),
            }
            for n in range(1, 401)
        ],
    )
    text(folder, ["400 of 400 steps done"])


@curve("csv_data_wait_small", "G1", "the same timers, a twentieth of a step waits")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.3, 0.4, 60)
    table(
        folder,
        "timing.csv",
        [
            {
                "step": n,
                "loss": f(n),
                "step_time_s": rng.gauss(5.2, 0.1),
                "data_wait_s": rng.gauss(0.26, 0.02),
                "compute_s": rng.gauss(4.9, 0.1),
            }
            for n in range(1, 401)
        ],
    )
    text(folder, ["400 of 400 steps done"])


@curve("csv_save_seconds", "D2", "a save after every step takes 11 of its 13 seconds")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.3, 0.4, 60)
    table(
        folder,
        "timing.csv",
        [
            {
                "step": n,
                "loss": f(n),
                "step_time_s": rng.gauss(13.0, 0.2),
                "checkpoint_save_s": rng.gauss(11.1, 0.2),
                "compute_s": rng.gauss(1.7, 0.05),
            }
            for n in range(1, 301)
        ],
    )
    text(folder, ["300 of 300 steps done"])


@curve("wandb_panel_flat", "E1", "a panel's CSV: the loss stays at ln(vocabulary) for 8000 steps")
def _(folder: Path, rng: random.Random) -> None:
    forms.wandb_panel(
        folder, [{"step": n, "train/loss": 10.825 + rng.gauss(0, 0.006)} for n in range(10, 8001, 40)], "train/loss"
    )


@curve("wandb_panel_warm_restarts", "G1", "cosine warm restarts: the loss rises a little after each, and ends lower")
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        {
            "step": n,
            "loss": 1.1
            + 3.0 / (1 + n / 500)
            + 0.5 * (0.5 + 0.5 * math.cos(math.pi * (n % 2000) / 2000))
            + rng.gauss(0, 0.02),
        }
        for n in range(20, 10001, 20)
    ]
    forms.wandb_panel(folder, rows, "loss")
    text(folder, ["Training finished: 10000/10000"])


# ---- JSON


@curve("jsonl_nested_nan_string", "E1", "nested metrics; the NaN is the text 'nan'")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 8.0, 2.9, 80)
    json_lines(
        folder,
        "metrics.jsonl",
        [{"step": n, "loss": f(n) if n < 700 else NAN, "tokens": float(n * 4096)} for n in range(10, 1501, 10)],
        nest="metrics",
        nan="nan",
    )


@curve("jsonl_null_loss", "E1", "NaN written as null beside a gradient norm that is null too")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 8.0, 2.9, 80)
    json_lines(
        folder,
        "train_metrics.jsonl",
        [
            {"step": n, "loss": f(n) if n < 900 else NAN, "grad_norm": 0.8 if n < 900 else NAN, "lr": 1e-4}
            for n in range(10, 1501, 10)
        ],
        nan=None,
    )


@curve(
    "jsonl_null_between",
    "G1",
    "null where the loss was not reported in that step, as half of the rows are of evaluations",
)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 8.0, 2.9, 80)
    json_lines(
        folder,
        "train_metrics.jsonl",
        [
            {"step": n, "loss": f(n) if n % 20 else NAN, "eval_loss": NAN if n % 20 else f(n) + 0.1, "lr": 1e-4}
            for n in range(10, 1501, 10)
        ],
        nan=None,
    )
    text(folder, ["step 1500/1500", "finished"])


@curve("jsonl_gan", "G1", "a GAN: the generator's loss rises, the discriminator's falls, FID falls")
def _(folder: Path, rng: random.Random) -> None:
    json_lines(
        folder,
        "log.jsonl",
        [
            {
                "step": n,
                "G_loss": 0.7 + 2.6 * n / 8000 + rng.gauss(0, 0.2),
                "D_loss": 1.38 - 0.9 * n / 8000 + rng.gauss(0, 0.08),
                "fid": 220 / (1 + n / 900) + 9,
            }
            for n in range(50, 8001, 50)
        ],
    )
    text(folder, ["8000/8000 kimg done"])


@curve("jsonl_rl_policy", "G1", "RL: policy and value losses wander and rise while the return rises")
def _(folder: Path, rng: random.Random) -> None:
    json_lines(
        folder,
        "rl.jsonl",
        [
            {
                "step": n,
                "policy_loss": rng.gauss(-0.01, 0.02),
                "value_loss": 3 + n / 900 + rng.gauss(0, 0.8),
                "entropy": 1.9 - n / 9000,
                "ep_return": 20 + 380 * (1 - math.exp(-n / 2500)) + rng.gauss(0, 12),
            }
            for n in range(50, 10001, 50)
        ],
    )
    text(folder, ["10000 of 10000 updates"])


@curve("jsonl_reward_collapses", "E1 G1 -", "RL: the reward collapses to its floor and stays; its loss says nothing")
def _(folder: Path, rng: random.Random) -> None:
    json_lines(
        folder,
        "rl.jsonl",
        [
            {
                "step": n,
                "loss": rng.gauss(0.0, 0.01),
                "reward": (310 if 2500 < n < 5000 else 310 * n / 2500 if n <= 2500 else 9) + rng.gauss(0, 5),
                "kl": 0.02 if n < 5000 else 14.0,
            }
            for n in range(50, 10001, 50)
        ],
    )


@curve("jsonl_curriculum", "G1", "longer sequences from 4000 on: the loss jumps to twice and falls again")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 6.0, 1.1, 60)
    json_lines(
        folder,
        "train.jsonl",
        [
            {
                "step": n,
                "loss": f(n) if n < 4000 else 1.2 + 1.6 / (1 + (n - 4000) / 500) + rng.gauss(0, 0.02),
                "seq_len": 1024 if n < 4000 else 8192,
            }
            for n in range(20, 9001, 20)
        ],
    )
    text(folder, ["max_steps 9000 reached"])


@curve("jsonl_fine_tune_low", "G1", "fine-tuning starts low, at 0.41, and ends at 0.33")
def _(folder: Path, rng: random.Random) -> None:
    json_lines(
        folder,
        "train.jsonl",
        [
            {"step": n, "loss": 0.33 + 0.08 / (1 + n / 100) + rng.gauss(0, 0.012), "lr": 2e-5 * (1 - n / 1500)}
            for n in range(5, 1501, 5)
        ],
    )
    text(folder, ["1500/1500 done; adapter saved"])


@curve(
    "jsonl_restart_anew",
    "E2",
    "steps go back from 5000 to 1 and the loss to its first value: a restart that loaded nothing",
)
def _(folder: Path, rng: random.Random) -> None:
    f, g = falls(rng, 10.6, 2.1, 60), falls(rng, 10.7, 2.1, 60)
    rows = [{"step": n, "loss": f(n), "time": 1790000000.0 + n} for n in range(10, 5001, 10)]
    rows += [{"step": n, "loss": g(n), "time": 1790006000.0 + n} for n in range(10, 2001, 10)]
    json_lines(folder, "train.jsonl", rows)
    text(folder, ["args: --resume latest --out runs/7", "args: --resume latest --out runs/7"], "launcher.log")


@curve("jsonl_restart_overlap", "G1", "steps go back by 200, to the last save; the loss goes on where it was")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 10.6, 2.1, 60)
    rows = [{"step": n, "loss": f(n), "time": 1790000000.0 + n} for n in range(10, 5001, 10)]
    rows += [{"step": n, "loss": f(n), "time": 1790000900.0 + n} for n in range(4810, 8001, 10)]
    json_lines(folder, "train.jsonl", rows)
    text(folder, ["resumed from step_4800", "done: 8000 of 8000 steps"])


def _ranks(folder: Path, rng: random.Random, slow: int | None) -> None:
    for r in range(8):
        rows = []
        for n in range(1, 301):
            mine = (2.3 if r == slow else 0.8) * rng.gauss(1, 0.02)
            whole = 2.4 if slow is not None else 0.9
            rows.append(
                {
                    "step": n,
                    "loss": 5 / (1 + n / 50) + 1,
                    "compute_s": mine,
                    "allreduce_wait_s": max(0.02, whole - mine),
                    "step_s": whole,
                }
            )
        json_lines(folder, f"rank{r}_metrics.jsonl", rows, rank=r)
    text(folder, ["300/300 steps"])


@curve(
    "ranks_one_slow",
    "D3",
    "rank 5 computes 2.3 s of each step, its peers 0.8 s and wait for the rest, by their own timers",
)
def _(folder: Path, rng: random.Random) -> None:
    _ranks(folder, rng, 5)


@curve("ranks_even", "G1", "eight ranks alike by their own timers")
def _(folder: Path, rng: random.Random) -> None:
    _ranks(folder, rng, None)


# ---- trackers by their real libraries


@curve("tb_nan", "E1", "TensorBoard: NaN for the last third", trackers=True)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 7.2, 2.0, 70)
    forms.events(
        folder, [{"step": n, "Loss/optim": f(n) if n < 2000 else NAN} for n in range(20, 3001, 20)], 1790100000.0
    )


@curve("tb_spike", "G1", "TensorBoard: a spike to the first value which came back", trackers=True)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 7.2, 2.0, 70)
    forms.events(
        folder,
        [
            {"step": n, "Loss/optim": f(n) + (5.0 * math.exp(-(n - 1500) / 60) if n >= 1500 else 0), "LR": 3e-4}
            for n in range(20, 3001, 20)
        ],
        1790100000.0,
    )
    text(folder, ["Finished training, 3000 steps"])


@curve(
    "wandb_offline_diverges",
    "E1",
    "wandb's own file: the loss leaves at 60 % and ends at five times its start",
    trackers=True,
)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 3.1, 0.9, 70)
    forms.wandb_run(
        folder,
        [
            {
                "step": n,
                "objective": f(n) if n < 600 else min(16.0, 1.1 * 1.03 ** (n - 600)) * rng.gauss(1, 0.03),
                "lr": 1e-3,
            }
            for n in range(1, 1001, 4)
        ],
    )


@curve("mlflow_accuracy_flat", "E1", "MLflow: cross entropy at ln 10 for 90 epochs")
def _(folder: Path, rng: random.Random) -> None:
    forms.mlflow_metric(
        folder,
        [{"step": n, "train_loss": 2.3026 + rng.gauss(0, 0.0008)} for n in range(1, 91)],
        "train_loss",
        1790100000.0,
    )


@curve("state_zero_loss", "E1", "trainer_state.json: loss 0.0 and grad_norm NaN, as fp16 leaves it")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.9, 1.1, 50)
    trainer_state(
        folder,
        [
            {
                "step": n,
                "epoch": n / 900,
                "loss": f(n) if n < 300 else 0.0,
                "grad_norm": 0.9 if n < 300 else NAN,
                "learning_rate": 2e-5,
            }
            for n in range(10, 901, 10)
        ],
        900,
        10,
    )


@curve("state_finished", "G1", "trainer_state.json at its last step, the loss fell")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 2.9, 1.1, 50)
    rows = [
        {"step": n, "epoch": n / 900, "loss": f(n), "grad_norm": 0.9, "learning_rate": 2e-5 * (1 - n / 900)}
        for n in range(10, 901, 10)
    ]
    rows.append(
        {"step": 900, "epoch": 1.0, "train_loss": 1.4, "train_runtime": 4120.0, "train_steps_per_second": 0.218}
    )
    trainer_state(folder, rows, 900, 10)


@curve("state_four_steps", "E3", "trainer_state.json: max_steps 4, all of them done")
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        {"step": n, "epoch": n / 4, "loss": 11.0 - n * 0.05, "grad_norm": 2.0, "learning_rate": 2e-5}
        for n in range(1, 5)
    ]
    trainer_state(folder, rows, 4, 1)


@curve("state_dpo", "G1", "trainer_state.json of DPO: loss from 0.69 to 0.38, margins rise")
def _(folder: Path, rng: random.Random) -> None:
    trainer_state(
        folder,
        [
            {
                "step": n,
                "epoch": n / 600,
                "loss": 0.38 + 0.313 / (1 + n / 60) + rng.gauss(0, 0.01),
                "grad_norm": 4.0,
                "learning_rate": 5e-7 * (1 - n / 600),
                "rewards/margins": n / 300,
                "rewards/accuracies": 0.5 + 0.3 * n / 600,
            }
            for n in range(5, 601, 5)
        ],
        600,
        5,
    )


# ---- what loops print


@curve("tqdm_nan", "E1", "bars by carriage return; loss=nan from 40 % on")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.4, 60)
    bars = [
        f"epoch 1:  {n // 10:>2}%|{'#' * (n // 100):<10}| {n}/1000 [{n // 120:02d}:{n // 2 % 60:02d}<{(1000 - n) // 120:02d}:{(1000 - n) // 2 % 60:02d},  2.00it/s, loss={f(n) if n < 400 else NAN:.3f}]"
        for n in range(0, 1001, 5)
    ]
    text(folder, ["\r".join(bars), "epoch 1 finished"])


@curve("tqdm_slow_eval", "G1", "bars of training, a bar of evaluation of an hour, then training again")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.4, 60)

    def bars(name: str, total: int, show: bool) -> str:
        return "\r".join(
            f"{name}: {100 * n // total:>3}%|{'█' * (10 * n // total):<10}| {n}/{total} [{n // 120:02d}:{n // 2 % 60:02d}<{(total - n) // 120:02d}:{(total - n) // 2 % 60:02d},  2.00it/s{f', loss={f(n):.3f}' if show else ''}]"
            for n in range(0, total + 1, 10)
        )

    text(folder, [bars("train", 1000, True), bars("eval", 7200, False), bars("train", 1000, True), "Done"])


@curve("print_objective_flat_zero_lr", "E1", "an objective that never moves beside lr 0 and gradients of 0")
def _(folder: Path, rng: random.Random) -> None:
    text(
        folder,
        [
            f"[{n:05d}] objective {4.6052 + rng.gauss(0, 0.0004):.4f} | lr 0.00e+00 | gnorm 0.000 | 212 ex/s"
            for n in range(50, 10001, 50)
        ]
        + ["finished"],
    )


@curve("print_bits_per_char", "G1", "bits per character, from 6.4 to 1.3")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 6.4, 1.25, 50)
    text(
        folder,
        [
            f"| epoch {1 + n // 2000} | {n:5d}/10000 batches | ms/batch 31.02 | bpc {f(n):8.3f}"
            for n in range(200, 10001, 200)
        ]
        + ["| End of training | test bpc 1.31"],
    )


@curve("print_accuracy_only", "G1 -", "nothing but accuracy, which rises to 0.93")
def _(folder: Path, rng: random.Random) -> None:
    text(
        folder,
        [
            f"epoch {n}/60 - acc {0.93 - 0.83 / (1 + n / 4):.4f} - val_acc {0.91 - 0.82 / (1 + n / 4):.4f}"
            for n in range(1, 61)
        ]
        + ["best val_acc 0.8588, checkpoint kept"],
    )


@curve("print_accuracy_at_chance", "E1 -", "accuracy at chance for 80 epochs, loss at ln 100")
def _(folder: Path, rng: random.Random) -> None:
    text(
        folder,
        [
            f"epoch {n}/80 - loss {4.6052 + rng.gauss(0, 0.0006):.4f} - acc {0.01 + rng.gauss(0, 0.0004):.4f}"
            for n in range(1, 81)
        ]
        + ["done"],
    )


@curve("print_contrastive", "G1", "a contrastive loss from ln(4096) down to 1.9, temperature falls")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 8.32, 1.7, 80)
    text(
        folder,
        [
            f"Train Epoch: 0 [{n * 4096:>9}/12800000 ({n / 31.25:.0f}%)] Data (t): 0.011 Batch (t): 0.512, 8001/s LR: 0.000500 Logit Scale: {14.3 + n / 90:.3f} Contrastive_loss: {f(n):.5g} ({f(n):.5g}) Loss: {f(n):.5g}"
            for n in range(25, 3126, 25)
        ]
        + ["Start Epoch 1", "Finished."],
    )


@curve("print_openclip_starved", "D1", "the same form: 6.1 s of 6.4 s a batch are Data (t)")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 8.32, 1.7, 80)
    text(
        folder,
        [
            f"Train Epoch: 0 [{n * 4096:>9}/12800000 ({n / 31.25:.0f}%)] Data (t): {rng.gauss(6.1, 0.1):.3f} Batch (t): {rng.gauss(6.4, 0.1):.3f}, 640/s LR: 0.000500 Logit Scale: {14.3 + n / 90:.3f} Loss: {f(n):.5g} ({f(n):.5g})"
            for n in range(25, 3126, 25)
        ]
        + ["Finished."],
    )


@curve("spacy_table", "G1", "spaCy's own table")
def _(folder: Path, rng: random.Random) -> None:
    head = [
        "============================= Training pipeline =============================",
        "ℹ Pipeline: ['tok2vec', 'ner']",
        "ℹ Initial learn rate: 0.001",
        "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ",
        "---  ------  ------------  --------  ------  ------  ------  ------",
    ]
    rows = [
        f"{n // 1000:>3}  {n:>6}  {2.2 + 60 / (1 + n / 800):>12.2f}  {90 + 5200 / (1 + n / 500):>8.2f}  {84 - 80 / (1 + n / 600):>6.2f}  {85 - 80 / (1 + n / 600):>6.2f}  {83 - 80 / (1 + n / 600):>6.2f}  {0.84 - 0.8 / (1 + n / 600):>6.2f}"
        for n in range(0, 9001, 200)
    ]
    text(folder, [*head, *rows, "✔ Saved pipeline to output directory", "output/model-last"])


@curve(
    "fairseq_json_overflow",
    "E1",
    "fairseq's JSON lines; the loss scale falls to its floor and the run stops itself",
    status=1,
)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 12.1, 4.0, 60)
    lines = []
    for n in range(100, 2001, 100):
        scale = 128 / 2 ** max(0, (n - 1500) // 50)
        told = {
            "epoch": 1,
            "update": n / 4000,
            "loss": f"{f(n):.3f}",
            "ppl": f"{2 ** f(n):.2f}",
            "num_updates": str(n),
            "gnorm": "1.2",
            "loss_scale": f"{scale:g}",
        }
        lines.append(f"2026-10-04 11:{n // 600:02d}:{n // 10 % 60:02d} | INFO | train_inner | {json.dumps(told)}")
    lines += [
        f"2026-10-04 11:03:{20 + k} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {0.0004 / 2**k:.6g}"
        for k in range(3)
    ]
    lines += [
        "Traceback (most recent call last):",
        '  File "/opt/fairseq/fairseq_cli/train.py", line 557, in cli_main',
        "    distributed_utils.call_main(cfg, main)",
        "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.",
    ]
    text(folder, lines, "train.log")


@curve("yolo_results", "G1", "YOLO's results.csv with three falling losses and blanks around names")
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        {
            "                  epoch": n,
            "         train/box_loss": 1.1 + 1.6 / (1 + n / 12),
            "         train/cls_loss": 0.6 + 3.1 / (1 + n / 8),
            "       metrics/mAP50(B)": 0.71 - 0.7 / (1 + n / 9),
        }
        for n in range(1, 101)
    ]
    table(folder, "results.csv", rows)
    text(folder, ["100 epochs completed in 3.412 hours."])


@curve("ends_high_but_fell", "G1", "an unusual scale: the loss falls from 910 to 344 in noise")
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 910, 300, 120, 0.06)
    text(folder, [f"pass={n} cost={plain(f(n))}" for n in range(1, 1201)] + ["converged: 1200 passes"])


@curve("cut_in_midst", "-", "a sound curve that stops; nothing tells whether it was to go on", status=None)
def _(folder: Path, rng: random.Random) -> None:
    f = falls(rng, 5.0, 1.4, 60)
    table(folder, "log.csv", [{"step": n, "loss": f(n)} for n in range(10, 1501, 10)])
