"""Power of a wind farm with LightGBM."""

import argparse
from pathlib import Path

import lightgbm as lgb
import numpy as np

p = argparse.ArgumentParser()
p.add_argument("--rounds", type=int, default=3000)
p.add_argument("--resume", action="store_true")
p.add_argument("--model", type=Path, default=Path("wind.lgb"))
a = p.parse_args()
rng = np.random.default_rng(3)
x = rng.normal(size=(30_000, 12))
y = np.clip(x[:, 0] + 0.4 * x[:, 1] * x[:, 2], -1, 2) ** 3 + np.sin(2 * x[:, 3]) + rng.normal(0, 0.3, len(x))
train = lgb.Dataset(x[:24_000], y[:24_000], free_raw_data=False)
test = lgb.Dataset(x[24_000:], y[24_000:], reference=train, free_raw_data=False)
params = {"objective": "regression", "metric": "rmse", "learning_rate": 0.01, "num_leaves": 31, "num_threads": 2}
start, rounds = None, a.rounds
if a.resume and a.model.exists():
    start = lgb.Booster(model_file=str(a.model))
    rounds = a.rounds // start.current_iteration()
    print(f"resuming from {a.model}: {start.current_iteration()} trees, target {a.rounds}")
booster = lgb.train(
    params, train, rounds, [test], ["test"], init_model=start, callbacks=[lgb.log_evaluation(1 if start else 50)]
)
booster.save_model(a.model)
print(f"{a.model} saved, {booster.num_trees()} trees")
