"""Boosted trees on a made click table with XGBoost and a callback that reports."""

import argparse
import time

import numpy as np
import xgboost as xgb


class Report(xgb.callback.TrainingCallback):
    """Prints a line every few rounds and keeps a copy of the model."""

    def __init__(self, rounds: int, every: int, copy: str) -> None:
        self.rounds, self.every, self.copy = rounds, every, copy

    def before_training(self, model: xgb.Booster) -> xgb.Booster:
        self.start = self.last = time.time()
        return model

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        n = epoch + 1
        if n % self.every == 0:
            now = time.time()
            scores = " ".join(f"{d}-{m}={v[-1]:.5f}" for d, ms in evals_log.items() for m, v in ms.items())
            left = (self.rounds - n) * (now - self.last) / self.every
            print(
                f"{time.strftime('%H:%M:%S')} [{n}/{self.rounds}] {scores} {self.every / (now - self.last):.2f} trees/s, {left / 60:.1f} min to go",
                flush=True,
            )
            self.last = now
        if n % (self.every * 10) == 0:
            model.save_model(self.copy)
            print(f"{time.strftime('%H:%M:%S')} {self.copy} written after {n} rounds", flush=True)
        return False


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=70_000)
    ap.add_argument("--rounds", type=int, default=2000)
    a = ap.parse_args()
    rng = np.random.default_rng(20)
    x = rng.normal(size=(a.rows, 36)).astype(np.float32)
    x[rng.random(x.shape) < 0.07] = np.nan
    z = np.nan_to_num(x)
    logit = (
        z[:, 0] * z[:, 1]
        + np.sin(2 * z[:, 2])
        + 0.7 * z[:, 3] * (z[:, 4] > 0)
        - 0.5 * np.abs(z[:, 5])
        + 0.4 * z[:, 6:12].sum(1)
        - 1.5
    )
    y = (rng.random(a.rows) < 1 / (1 + np.exp(-logit))).astype(np.float32)
    cut = int(a.rows * 0.85)
    dtrain, dvalid = xgb.DMatrix(x[:cut], y[:cut]), xgb.DMatrix(x[cut:], y[cut:])
    params = {
        "objective": "binary:logistic",
        "eval_metric": ["logloss", "auc"],
        "eta": 0.03,
        "max_depth": 8,
        "subsample": 0.8,
        "tree_method": "hist",
        "max_bin": 256,
        "nthread": 1,
        "seed": 20,
    }
    print("xgboost", xgb.__version__, params, flush=True)
    print(
        f"train {dtrain.num_row()} x {dtrain.num_col()}, valid {dvalid.num_row()}, ctr {y.mean():.4f}, {a.rounds} rounds",
        flush=True,
    )
    booster = xgb.train(
        params,
        dtrain,
        a.rounds,
        evals=[(dtrain, "train"), (dvalid, "valid")],
        verbose_eval=False,
        callbacks=[Report(a.rounds, 10, "ctr.ubj")],
    )
    booster.save_model("ctr-final.ubj")
    print("ctr-final.ubj written", flush=True)


if __name__ == "__main__":
    main()
