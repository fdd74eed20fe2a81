"""Hourly demand with XGBoost, built up in stages: each call adds rounds to the model of the last."""
# ruff: noqa

import argparse
import logging
import os

import numpy as np
import xgboost as xgb

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("demand")


def hours(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (count, 24))
    y = 30 + 8 * np.sin(3 * x[:, 0]) + 5 * x[:, 1] * x[:, 2] + 4 * np.cos(5 * x[:, 3]) + rng.normal(0, 1, count)
    return xgb.DMatrix(x, y)


class Keep(xgb.callback.TrainingCallback):
    def __init__(self, every, path):
        self.every, self.path = every, path

    def after_iteration(self, model, epoch, evals_log):
        if (epoch + 1) % self.every == 0:
            model.save_model(self.path)
            log.info("kept %s at round %d", self.path, model.num_boosted_rounds())
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--model", default="demand.ubj")
    args = parser.parse_args()
    train, test = hours(60_000, 0), hours(10_000, 1)
    before = None
    if os.path.exists(args.model):
        before = xgb.Booster(model_file=args.model)
        log.info("going on from %s, %d rounds in it", args.model, before.num_boosted_rounds())
    booster = xgb.train(
        {"eta": 0.05, "max_depth": 5, "tree_method": "hist", "nthread": 1, "eval_metric": ["rmse", "mae"]},
        train,
        num_boost_round=args.rounds,
        evals=[(train, "train"), (test, "test")],
        xgb_model=before,
        verbose_eval=20,
        callbacks=[Keep(100, args.model)],
    )
    booster.save_model(args.model)
    log.info("%d rounds in %s now; test: %s", booster.num_boosted_rounds(), args.model, booster.eval(test).strip())


if __name__ == "__main__":
    main()
