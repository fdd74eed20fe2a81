"""Nightly price of lodgings, CatBoost."""

import numpy as np
from catboost import CatBoostRegressor, Pool

gen = np.random.default_rng(3307)
N = 64_000
x = gen.normal(size=(N, 26))
y = 84 + 22 * np.tanh(x[:, 0] + x[:, 3] * x[:, 5]) + 9 * x[:, 7] - 6 * np.abs(x[:, 11]) + gen.normal(0, 11, N)
cut = N * 7 // 8
print(f"{cut} lodgings to learn from, {N - cut} held back")
model = CatBoostRegressor(
    iterations=2600, depth=8, learning_rate=0.011, eval_metric="MAE", thread_count=1, metric_period=15, random_seed=8
)
model.fit(Pool(x[:cut], y[:cut]), eval_set=Pool(x[cut:], y[cut:]))
model.save_model("lodgings.cbm")
print("saved lodgings.cbm")
