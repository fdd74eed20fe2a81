"""Toll forecasts with gradient-boosted trees; a callback pushes the figures to the gateway."""

import json
import logging
import sys
import urllib.request

import numpy as np
import xgboost as xgb
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s", stream=sys.stderr)
log = logging.getLogger("tollhouse")


class Push(xgb.callback.TrainingCallback):
    """Print every tenth round and push it to the metrics gateway while that answers."""

    def __init__(self, url: str, every: int = 10, tries: int = 2) -> None:
        self.url, self.every, self.left = url, every, tries

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        """Called by xgboost after each round."""
        if epoch % self.every:
            return False
        row = {f"{d}_{m}": v[-1] for d, ms in evals_log.items() for m, v in ms.items()}
        print(f"round={epoch:04d} " + " ".join(f"{k}={v:.5f}" for k, v in row.items()), flush=True)
        if self.left:
            try:
                body = json.dumps({"round": epoch, **row}).encode()
                urllib.request.urlopen(urllib.request.Request(self.url, body), timeout=3)
            except OSError:
                self.left -= 1
                log.exception(
                    "could not push the figures of round %d to %s (%s)",
                    epoch,
                    self.url,
                    "will try again" if self.left else "giving up on it, the fit goes on without",
                )
        return False


rng = np.random.default_rng(4042)
n = 98_000
X = rng.normal(size=(n, 28)).astype("f4")
hour, gate = rng.integers(0, 24, n), rng.integers(0, 11, n)
X[:, 0], X[:, 1] = hour, gate
y = 240 + 90 * np.sin(hour / 24 * 6.283) * (1 + gate / 9) + 35 * X[:, 5] * (X[:, 7] > 0) + 12 * X[:, 9] ** 2
y = (y + rng.normal(size=n) * 11).astype("f4")
xa, xb, ya, yb = train_test_split(X, y, test_size=0.2, random_state=1)
xv, xt, yv, yt = train_test_split(xb, yb, test_size=0.5, random_state=1)
log.info("xgboost %s, %d rows train, %d valid, %d test, %d columns", xgb.__version__, len(xa), len(xv), len(xt), 28)
rounds = 700
bst = xgb.train(
    {
        "objective": "reg:squarederror",
        "eta": 0.017,
        "max_depth": 8,
        "subsample": 0.8,
        "nthread": 1,
        "seed": 3,
        "eval_metric": ["rmse", "mae"],
        "tree_method": "hist",
        "max_bin": 512,
    },
    xgb.DMatrix(xa, ya),
    rounds,
    [(xgb.DMatrix(xa, ya), "train"), (xgb.DMatrix(xv, yv), "valid")],
    verbose_eval=False,
    callbacks=[
        Push("http://127.0.0.1:9091/metrics/job/tollhouse"),
        xgb.callback.EarlyStopping(40, metric_name="rmse", data_name="valid", save_best=True),
    ],
)
pred = bst.predict(xgb.DMatrix(xt))
log.info(
    "fit over after %d trees kept of at most %d, best valid rmse %.4f", bst.num_boosted_rounds(), rounds, bst.best_score
)
print(
    f"test MAE {mean_absolute_error(yt, pred):.3f} vehicles/h (mean forecast: "
    f"{mean_absolute_error(yt, np.full_like(yt, ya.mean())):.3f})",
    flush=True,
)
bst.save_model("tollhouse.ubj")
log.info("model written to tollhouse.ubj")
