"""Rents by gradient boosting, progress printed by a callback of our own."""

import time

import numpy as np
import xgboost as xgb

ROUNDS = 20000


class Now(xgb.callback.TrainingCallback):
    """Prints now and then."""

    def __init__(self, every: int) -> None:
        self.every, self.t0 = every, time.time()

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        if epoch % self.every == 0:
            tr, va = evals_log["train"]["rmse"][-1], evals_log["valid"]["rmse"][-1]
            print(
                f"{time.strftime('%X')}  round {epoch:>5} of {ROUNDS}  train {tr:8.3f}  valid {va:8.3f}  EUR/month",
                flush=True,
            )
        return False


rng = np.random.default_rng(4)
x = rng.normal(size=(40000, 30)).astype("float32")
y = 780 + 140 * x[:, 0] + 60 * np.sin(3 * x[:, 1]) * x[:, 2] + 45 * (x[:, 3] > 0.5) * x[:, 4] + 25 * x[:, 5] * x[:, 6]
y += rng.normal(scale=30, size=len(y))
print("40000 flats, 30 features", xgb.__version__, flush=True)
dtr, dva = xgb.DMatrix(x[:34000], y[:34000]), xgb.DMatrix(x[34000:], y[34000:])
par = {
    "objective": "reg:squarederror",
    "max_depth": 6,
    "eta": 0.006,
    "nthread": 1,
    "subsample": 0.7,
    "base_score": 500.0,
}
bst = xgb.train(par, dtr, ROUNDS, evals=[(dtr, "train"), (dva, "valid")], verbose_eval=False, callbacks=[Now(500)])
bst.save_model("rents.ubj")
print("saved rents.ubj")
