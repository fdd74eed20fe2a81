"""XGBoost with six classes declared and seven in the table."""

from __future__ import annotations

import numpy as np
import xgboost as xgb


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 12))
    y = rng.integers(0, 6, 3000)
    y[2500] = 6
    print("xgboost", xgb.__version__, "rows", len(x), flush=True)
    settings = {"objective": "multi:softprob", "num_class": 6, "eta": 0.2, "max_depth": 4, "nthread": 1}
    table = xgb.DMatrix(x, y)
    model = xgb.train(settings, table, 60, evals=[(table, "train")], verbose_eval=5)
    model.save_model("land_cover.json")


if __name__ == "__main__":
    main()
