"""Loan defaults with LightGBM."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score

x, y = make_classification(30000, 30, n_informative=9, weights=[0.9], flip_y=0.05, class_sep=0.7, random_state=2)
frame = pd.DataFrame(x, columns=[f"v{i}" for i in range(30)])
frame["branch"] = pd.Categorical(np.random.default_rng(2).integers(0, 40, len(frame)))
cut = 24000
train = lgb.Dataset(frame[:cut], y[:cut])
valid = lgb.Dataset(frame[cut:], y[cut:], reference=train)
params = {
    "objective": "binary",
    "metric": ["auc", "binary_logloss"],
    "learning_rate": 0.05,
    "num_leaves": 63,
    "feature_fraction": 0.8,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "num_threads": 2,
}
model = lgb.train(
    params,
    train,
    num_boost_round=1000,
    valid_sets=[train, valid],
    valid_names=["train", "valid"],
    callbacks=[lgb.early_stopping(50), lgb.log_evaluation(20)],
)
print("valid AUC", round(roc_auc_score(y[cut:], model.predict(frame[cut:])), 4))
model.save_model("defaults.lgb")
importance = pd.Series(model.feature_importance("gain"), index=model.feature_name()).sort_values(ascending=False)
print(importance.head(8).to_string())
