"""Fits tomorrow's heat load per substation, and scores the last season's quarter."""

import argparse
import json
import logging
import pathlib
import time

import numpy as np
import xgboost as xgb

log = logging.getLogger("heatload.fit")


class Beat(xgb.callback.TrainingCallback):
    """A line every so many rounds, for whoever looks at the pod."""

    def __init__(self, every: int, rounds: int) -> None:
        self.every, self.rounds, self.t0, self.last = every, rounds, time.time(), time.time()

    def before_training(self, model: xgb.Booster) -> xgb.Booster:
        log.info("fit begins, %d rounds, %d features", self.rounds, model.num_features())
        return model

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        if epoch % self.every == 0 or epoch == self.rounds - 1:
            tr, va = evals_log["train"]["rmse"][-1], evals_log["valid"]["rmse"][-1]
            now = time.time()
            log.info(
                "round %4d/%d  train-rmse %.5f  valid-rmse %.5f  (%.1fs)", epoch, self.rounds, tr, va, now - self.last
            )
            self.last = now
        return False


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", type=pathlib.Path, required=True)
    ap.add_argument("--model", type=pathlib.Path, required=True)
    ap.add_argument("--rounds", type=int, default=600)
    ap.add_argument("--every", type=int, default=25)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    old, new = np.load(args.data / "heat_2024.npz"), np.load(args.data / "heat_2025.npz")
    cut = len(new["y"]) // 2
    dtrain = xgb.DMatrix(np.concatenate([old["x"], new["x"][:cut]]), np.concatenate([old["y"], new["y"][:cut]]))
    dvalid = xgb.DMatrix(new["x"][cut:], new["y"][cut:])
    log.info("xgboost %s, train %d rows, valid %d rows", xgb.__version__, dtrain.num_row(), dvalid.num_row())
    params = {
        "eta": 0.025,
        "max_depth": 7,
        "subsample": 0.8,
        "colsample_bytree": 0.7,
        "min_child_weight": 8,
        "tree_method": "hist",
        "objective": "reg:squarederror",
        "nthread": 1,
        "seed": 7,
    }
    res: dict = {}
    booster = xgb.train(
        params,
        dtrain,
        args.rounds,
        evals=[(dtrain, "train"), (dvalid, "valid")],
        evals_result=res,
        callbacks=[Beat(args.every, args.rounds)],
        verbose_eval=False,
    )
    booster.save_model(args.model)
    pred, true = booster.predict(dvalid), dvalid.get_label()
    mape = float(np.mean(np.abs(pred - true) / np.maximum(true, 0.5)))
    log.info("saved %s (%.1f MB)", args.model.name, args.model.stat().st_size / 1e6)
    gain = sorted(booster.get_score(importance_type="gain").items(), key=lambda kv: -kv[1])[:5]
    log.info("top features by gain: %s", ", ".join(f"{k}={v:.0f}" for k, v in gain))
    args.model.with_suffix(".metrics.json").write_text(
        json.dumps({"valid_rmse": res["valid"]["rmse"][-1], "mape": mape})
    )
    log.info("valid rmse %.4f MW, mape %.2f %%", res["valid"]["rmse"][-1], 100 * mape)


if __name__ == "__main__":
    main()
