# ruff: noqa: ANN001, ANN201, PTH105
"""Demand for the next day by LightGBM, with the tree count kept beside the booster."""

import os
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np
from rich.console import Console
from rich.table import Table

console = Console(width=100, force_terminal=False, log_path=False)
ROUNDS = 160


def keep(every: int):
    def callback(env) -> None:
        done = env.model.current_iteration()
        if done % every == 0:
            env.model.save_model("demand.tmp")
            os.replace("demand.tmp", "demand.model")
            (_, name, value, _), *_ = env.evaluation_result_list
            console.log(f"round {done:4d}/{ROUNDS}  valid {name} = {value:.4f}  [booster kept in demand.model]")
        time.sleep(0.2)

    return callback


random = np.random.default_rng(1)
x = random.normal(size=(4000, 20))
y = 3 * x[:, 0] - 2 * np.maximum(x[:, 1], 0) + x[:, 2] * x[:, 3] + random.normal(size=4000) * 0.3
sheet = Table("setting", "value", title="demand forecast")
for key in ("SLURM_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_JOB_PARTITION", "SLURMD_NODENAME"):
    sheet.add_row(key.removeprefix("SLURM_").lower(), os.environ.get(key, "-"))
console.print(sheet)
before = Path("demand.model") if Path("demand.model").exists() else None
trees = lgb.Booster(model_file=before).num_trees() if before else 0
console.log(f"continuing from {before} with {trees} rounds" if before else "starting afresh")
train, valid = lgb.Dataset(x[:3000], y[:3000]), lgb.Dataset(x[3000:], y[3000:])
model = lgb.train(
    {"objective": "l2", "metric": "rmse", "learning_rate": 0.05, "verbose": -1, "num_threads": 1},
    train,
    ROUNDS - trees,
    [valid],
    init_model=before,
    callbacks=[keep(10)],
)
model.save_model("final.model")
console.log(f"[bold]finished[/bold]: {model.num_trees()} trees, wrote final.model")
