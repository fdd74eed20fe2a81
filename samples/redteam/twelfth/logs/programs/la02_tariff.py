"""Lapse of insurance by CatBoost, with its own detector of overfitting."""

from __future__ import annotations

import numpy as np
from catboost import CatBoostClassifier, Pool

rng = np.random.default_rng(4)
n = 12000
age = rng.integers(18, 90, n)
brand = rng.choice(["vw", "opel", "seat", "error", "nan", "None"], n)
region = rng.choice([f"R{i}" for i in range(30)], n)
rate = rng.gamma(2.0, 200.0, n)
logit = (age - 50) / 20 - (rate - 400) / 250 + (brand == "error") * 0.8 + rng.normal(0, 1, n)
lapsed = (logit > 0.3).astype(int)
rows = np.array(list(zip(age, brand, region, rate.round(2), strict=True)), dtype=object)
train = Pool(rows[:9000], lapsed[:9000], cat_features=[1, 2], feature_names=["age", "brand", "region", "rate"])
held = Pool(rows[9000:], lapsed[9000:], cat_features=[1, 2], feature_names=["age", "brand", "region", "rate"])
model = CatBoostClassifier(
    iterations=2000,
    learning_rate=0.1,
    depth=6,
    eval_metric="AUC",
    od_type="Iter",
    od_wait=60,
    verbose=20,
    random_seed=1,
    thread_count=1,
)
model.fit(train, eval_set=held)
print("best AUC on held out", round(model.get_best_score()["validation"]["AUC"], 4), "at", model.get_best_iteration())
for name, value in model.get_feature_importance(prettified=True).to_numpy():
    print(f"  {name:8} {value:6.2f}")
model.save_model("tariff.cbm")
print("model written to tariff.cbm")
