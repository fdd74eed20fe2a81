"""When a parcel arrives: boosted trees with LightGBM."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np


def main() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=(60000, 40))
    y = 30 + 4 * x[:, 0] + 3 * np.abs(x[:, 1]) + 2 * x[:, 2] * x[:, 3] + rng.normal(size=60000)
    train = lgb.Dataset(x[:50000], y[:50000])
    held = lgb.Dataset(x[50000:], y[50000:], reference=train)
    rules = {"objective": "regression", "metric": "rmse", "learning_rate": 0.01, "num_leaves": 127, "num_threads": 1}
    booster = lgb.train(
        rules, train, 5000, valid_sets=[held], valid_names=["held"], callbacks=[lgb.log_evaluation(10)]
    )
    booster.save_model("parcels.txt")
    print("model in parcels.txt, best", booster.best_score)


if __name__ == "__main__":
    main()
