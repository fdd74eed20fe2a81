"""Yields of barley by LightGBM on a small table, which runs out of splits long before it runs out of rounds."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np

rng = np.random.default_rng(9)
x = rng.normal(size=(400, 6))
y = 2 * x[:, 0] + np.sin(x[:, 1] * 2) + 0.1 * rng.normal(size=400)
train = lgb.Dataset(x[:320], y[:320])
valid = lgb.Dataset(x[320:], y[320:], reference=train)
booster = lgb.train(
    {"objective": "regression", "num_leaves": 31, "learning_rate": 0.1, "num_threads": 1, "min_sum_hessian_in_leaf": 5},
    train,
    150,
    valid_sets=[valid],
    callbacks=[lgb.log_evaluation(10), lgb.early_stopping(20)],
)
error = float(np.sqrt(np.mean((booster.predict(x[320:]) - y[320:]) ** 2)))
print(f"rmse {error:.4f} at iteration {booster.best_iteration}, spread of the target {y[320:].std():.4f}")
