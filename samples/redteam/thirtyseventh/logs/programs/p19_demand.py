"""A real LightGBM forecast of demand that keeps the predictions of each round until its cgroup's limit is met."""

import argparse
import logging
import sys

import lightgbm as lgb
import numpy as np

logging.basicConfig(
    stream=sys.stdout,
    level=logging.INFO,
    format="%(asctime)s %(name)s %(levelname)s %(message)s",
    datefmt="%Y-%m-%dT%H:%M:%S",
)
log = logging.getLogger("demand")


class Trace:
    """The predictions after each round, for the plot of the quantile paths."""

    def __init__(self, x: np.ndarray) -> None:
        self.x, self.kept = x, []

    def __call__(self, env: lgb.callback.CallbackEnv) -> None:
        leaves = env.model.predict(self.x, start_iteration=env.iteration, num_iteration=1, pred_leaf=True)
        self.kept.append(np.repeat(leaves.reshape(-1, 1), 24, axis=1).astype(np.float64))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=800)
    ap.add_argument("--rows", type=int, default=60_000)
    ap.add_argument("--trace", action="store_true")
    args = ap.parse_args()
    lgb.register_logger(log)
    rng = np.random.default_rng(20)
    x = rng.normal(size=(args.rows, 24)).astype(np.float32)
    y = np.exp(0.4 * x[:, 0] + 0.3 * np.sin(2 * x[:, 1]) + 0.2 * x[:, 2] * x[:, 3]) * 20 + rng.gamma(2, 2, args.rows)
    cut = args.rows * 9 // 10
    train = lgb.Dataset(x[:cut], y[:cut])
    valid = lgb.Dataset(x[cut:], y[cut:], reference=train)
    log.info("stores=412 articles=96 rows=%d holdout=%d rounds=%d", cut, args.rows - cut, args.rounds)
    params = {
        "objective": "quantile",
        "alpha": 0.5,
        "metric": ["quantile", "l1"],
        "learning_rate": 0.03,
        "num_leaves": 47,
        "num_threads": 1,
        "seed": 1,
    }
    callbacks = [lgb.log_evaluation(10)]
    if args.trace:
        callbacks.append(Trace(x[:cut]))
    booster = lgb.train(params, train, args.rounds, valid_sets=[valid], valid_names=["holdout"], callbacks=callbacks)
    booster.save_model("model.txt")
    log.info("model.txt written, %d trees", booster.num_trees())


if __name__ == "__main__":
    main()
