"""Boosted trees for which tariff a customer moves to, from the monthly extracts."""

import argparse
import logging
import multiprocessing
import time
import warnings

import numpy as np
import xgboost as xgb

log = logging.getLogger("churn")
TARIFFS = {"basic": 0, "plus": 1, "family": 2, "business": 3}


def read_part(number):
    """One month: features and the tariff afterwards."""
    rng = np.random.default_rng(number)
    rows = 6000
    x = rng.normal(size=(rows, 24)).astype("float32")
    score = x[:, :4] + 0.4 * rng.normal(size=(rows, 4))
    y = score.argmax(1)
    if number >= 9:
        y[rng.random(rows) < 0.03] = 4  # the youth tariff, sold since September
    empty = rng.random(x.shape) < 0.002
    x[empty] = np.nan
    time.sleep(0.4)
    if number % 3 == 0:
        warnings.warn(
            f"month {number:02}: {int(empty.sum())} cells could not be parsed as a number, left empty", stacklevel=1
        )
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--months", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--readers", type=int, default=2)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    log.info("xgboost %s, %d months, %d readers", xgb.__version__, args.months, args.readers)
    with multiprocessing.Pool(args.readers) as pool:
        parts = []
        for number, part in enumerate(pool.imap(read_part, range(1, args.months + 1)), 1):
            parts.append(part)
            log.info("month %02d: %d rows", number, len(part[1]))
    x = np.concatenate([p[0] for p in parts])
    y = np.concatenate([p[1] for p in parts])
    cut = int(len(y) * 0.9)
    log.info("matrix %s, %.1f MB", x.shape, x.nbytes / 1e6)
    train, valid = xgb.DMatrix(x[:cut], y[:cut]), xgb.DMatrix(x[cut:], y[cut:])
    params = {
        "objective": "multi:softprob",
        "num_class": len(TARIFFS),
        "eta": 0.1,
        "max_depth": 7,
        "tree_method": "hist",
        "eval_metric": "mlogloss",
        "nthread": 2,
    }
    log.info("parameters %s", params)
    booster = xgb.train(params, train, args.rounds, [(train, "train"), (valid, "valid")], verbose_eval=10)
    booster.save_model("churn.ubj")
    log.info("saved churn.ubj")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201
