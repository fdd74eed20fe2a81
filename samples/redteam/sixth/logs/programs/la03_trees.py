"""Boosted trees that stop where the validation says so."""

import numpy as np
import xgboost as xgb

rng = np.random.default_rng(0)
x = rng.normal(size=(4000, 12))
y = x[:, 0] * x[:, 1] + np.sin(x[:, 2]) + rng.normal(size=4000) * 0.3
train, valid = xgb.DMatrix(x[:3000], y[:3000]), xgb.DMatrix(x[3000:], y[3000:])
booster = xgb.train(
    {"eta": 0.1, "max_depth": 4, "eval_metric": "rmse", "nthread": 1, "silent": 1},
    train,
    num_boost_round=400,
    evals=[(train, "train"), (valid, "valid")],
    early_stopping_rounds=10,
    verbose_eval=10,
)
print(f"stopped early: best iteration {booster.best_iteration}, valid rmse {booster.best_score:.4f}")
booster.save_model("trees.json")
print("model written to trees.json")
