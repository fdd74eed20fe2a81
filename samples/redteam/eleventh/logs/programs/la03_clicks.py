"""Clicks by LightGBM; the columns were normalised with the spread of another table, and so are all but constant."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np

rng = np.random.default_rng(3)
raw = rng.normal(size=(6000, 8))
label = (raw[:, 0] - raw[:, 3] + 0.3 * rng.normal(size=6000) > 0).astype(int)
x = np.round(raw / 1e4, 2)  # every feature became 0.0
train = lgb.Dataset(x[:5000], label[:5000])
test = lgb.Dataset(x[5000:], label[5000:], reference=train)
booster = lgb.train(
    {"objective": "binary", "metric": ["binary_logloss", "auc"], "num_threads": 1, "learning_rate": 0.1},
    train,
    100,
    valid_sets=[train, test],
    valid_names=["train", "valid"],
    callbacks=[lgb.log_evaluation(10)],
)
booster.save_model("clicks.txt.model")
print("saved clicks.txt.model")
