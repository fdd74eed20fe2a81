"""Gradient boosting on made-up rows. usage: boost.py WHAT   WHAT: well | label."""

from __future__ import annotations

import sys

import numpy as np
import xgboost as xgb


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 10))
    y = (x[:, 0] + x[:, 1] > 0).astype(int) + (x[:, 2] > 1)
    if sys.argv[1] == "label":
        y = y + 1
    train, valid = xgb.DMatrix(x[:3200], y[:3200]), xgb.DMatrix(x[3200:], y[3200:])
    params = {"objective": "multi:softprob", "num_class": 3, "eval_metric": "mlogloss", "nthread": 1}
    booster = xgb.train(params, train, 80, evals=[(train, "train"), (valid, "valid")], verbose_eval=5)
    booster.save_model("model.ubj")
    print("best mlogloss", booster.eval(valid))


if __name__ == "__main__":
    main()
