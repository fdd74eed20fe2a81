"""Rents in a town: LightGBM, over the night."""

from __future__ import annotations

import warnings

import lightgbm as lgb
import numpy as np


def main() -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 6, size=(20000, 60)).astype(float)
    y = 9 + x[:, 0] + 0.3 * rng.normal(size=20000)
    warnings.warn("column 'balcony' is constant in 3 of 5 folds; estimates may fail", UserWarning, stacklevel=1)
    for fold in range(400):
        took = rng.permutation(20000)
        train = lgb.Dataset(x[took[:16000]], y[took[:16000]])
        held = lgb.Dataset(x[took[16000:]], y[took[16000:]], reference=train)
        rules = {"metric": "rmse", "num_leaves": 255, "min_data_in_leaf": 1000, "learning_rate": 0.05, "num_threads": 1}
        found: dict = {}
        notes = [lgb.record_evaluation(found), lgb.log_evaluation(20)]
        lgb.train(rules, train, 40, valid_sets=[held], valid_names=["held"], callbacks=notes)
        print(f"bootstrap {fold + 1}/400 rmse {found['held']['rmse'][-1]:.4f}", flush=True)
    print("all bootstraps done")


if __name__ == "__main__":
    main()
