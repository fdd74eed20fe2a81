"""Levels of wells with catboost, which stops where the validation set gets no better."""

from __future__ import annotations

import numpy as np
from catboost import CatBoostRegressor, Pool

rng = np.random.default_rng(2)
x = rng.normal(size=(3000, 8))
y = 3 * x[:, 0] + x[:, 1] * x[:, 2] + rng.normal(size=3000)
model = CatBoostRegressor(
    iterations=2000,
    learning_rate=0.1,
    depth=5,
    od_type="Iter",
    od_wait=40,
    metric_period=20,
    thread_count=1,
    random_seed=2,
)
model.fit(Pool(x[:2400], y[:2400]), eval_set=Pool(x[2400:], y[2400:]))
model.save_model("wells.cbm")
print(f"kept {model.tree_count_} trees, test RMSE {model.best_score_['validation']['RMSE']:.4f}")
