"""XGBoost: which insurance claims are paid."""

import logging

import numpy as np
import xgboost as xgb

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
rng = np.random.default_rng(1)
x = rng.normal(size=(6000, 15))
x[rng.random(x.shape) < 0.05] = np.nan
paid = (np.nan_to_num(x[:, 0] * x[:, 1] + x[:, 2]) + 0.5 * rng.normal(size=6000) > 0).astype(int)
logging.warning("%d values are NaN, %d rows would fail the strict schema", np.isnan(x).sum(), np.isnan(x).any(1).sum())
fit, check = xgb.DMatrix(x[:4500], paid[:4500]), xgb.DMatrix(x[4500:], paid[4500:])
booster = xgb.train(
    {
        "objective": "binary:logistic",
        "eta": 0.2,
        "max_depth": 4,
        "n_estimator": 300,
        "eval_metric": ["error", "logloss"],
    },
    fit,
    num_boost_round=300,
    evals=[(fit, "fit"), (check, "check")],
    early_stopping_rounds=15,
    verbose_eval=5,
)
logging.info("best iteration %d, check logloss %.4f", booster.best_iteration, booster.best_score)
booster.save_model("claims.ubj")
logging.info("saved claims.ubj")
