"""Who leaves a contract: gradient boosting, stopped early."""

from __future__ import annotations

import numpy as np
import xgboost as xgb


def main() -> None:
    """Train until the other half gets no better."""
    rng = np.random.default_rng(4)
    data = rng.normal(size=(6000, 12))
    data[rng.random(data.shape) < 0.05] = np.nan
    left = (np.nan_to_num(data) @ rng.normal(size=12) + rng.normal(size=6000) > 1).astype(int)
    train, held = xgb.DMatrix(data[:4000], left[:4000]), xgb.DMatrix(data[4000:], left[4000:])
    knobs = {"objective": "binary:logistic", "eval_metric": "logloss", "eta": 0.12, "nthread": 1, "use_gpu": False}
    model = xgb.train(
        knobs, train, 500, evals=[(train, "train"), (held, "held_out")], early_stopping_rounds=15, verbose_eval=5
    )
    model.save_model("churn.json")
    print(f"best round {model.best_iteration} with held-out logloss {model.best_score:.4f}; saved churn.json")


if __name__ == "__main__":
    main()
