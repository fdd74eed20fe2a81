"""Delays of flights with CatBoost."""

from __future__ import annotations

import numpy as np
import pandas as pd
from catboost import CatBoostRegressor, Pool

rng = np.random.default_rng(8)
n = 15000
frame = pd.DataFrame(
    {
        "carrier": rng.choice(["LH", "OS", "LX", "SN"], n),
        "origin": rng.choice(["FRA", "MUC", "VIE", "ZRH", "BRU", "HAM"], n),
        "hour": rng.integers(5, 23, n),
        "distance": rng.gamma(3, 300, n),
        "wind": rng.gamma(2, 6, n),
    }
)
delay = (
    4
    + 0.8 * frame.hour
    + 0.6 * frame.wind * (frame.origin == "FRA")
    + 5 * (frame.carrier == "SN")
    + rng.gamma(1.5, 6, n)
)
train = Pool(frame[:12000], delay[:12000], cat_features=["carrier", "origin"])
test = Pool(frame[12000:], delay[12000:], cat_features=["carrier", "origin"])
model = CatBoostRegressor(
    iterations=500,
    learning_rate=0.08,
    depth=6,
    eval_metric="RMSE",
    od_type="Iter",
    od_wait=40,
    thread_count=2,
    train_dir="cb",
)
model.fit(train, eval_set=test, verbose=50, use_best_model=True)
print(model.get_feature_importance(prettified=True))
model.save_model("flights.cbm")
