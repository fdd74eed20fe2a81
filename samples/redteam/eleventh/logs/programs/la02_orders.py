"""Late deliveries by XGBoost, fold by fold; in the fourth month a colleague's join left holes in the label."""

from __future__ import annotations

import numpy as np
import xgboost as xgb

rng = np.random.default_rng(2)
for month in range(1, 7):
    x = rng.normal(size=(4000, 12))
    y = (x[:, 0] + 0.5 * x[:, 1] * x[:, 2] + rng.normal(size=4000) > 0).astype("float32")
    if month == 4:
        y[rng.integers(0, 4000, 9)] = np.nan
    train, test = xgb.DMatrix(x[:3000], y[:3000]), xgb.DMatrix(x[3000:], y[3000:])
    print(f"== month {month} ==", flush=True)
    booster = xgb.train(
        {
            "objective": "binary:logistic",
            "eval_metric": "logloss",
            "max_depth": 4,
            "eta": 0.15,
            "nthread": 1,
            "verbosity": 2,
        },
        train,
        40,
        evals=[(train, "train"), (test, "test")],
        verbose_eval=5,
    )
    booster.save_model(f"late-{month}.ubj")
