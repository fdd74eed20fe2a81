"""Predict what a bicycle station will lack tomorrow, with CatBoost."""

import argparse
import multiprocessing
import warnings

import numpy as np
from catboost import CatBoostRegressor, Pool


def read(month):
    rng = np.random.default_rng(month)
    rows = 9000
    x = rng.normal(size=(rows, 18)).astype("float32")
    station = rng.integers(0, 300, rows)
    y = 3 * np.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2] + (station % 17) / 5 + rng.normal(size=rows)
    if month in (2, 7):
        warnings.warn(
            f"month {month}: clock of {rng.integers(2, 9)} stations runs ahead, times were cut to midnight",
            stacklevel=1,
        )
    return x, station, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--months", type=int, default=9)
    parser.add_argument("--trees", type=int, default=6000)
    args = parser.parse_args()
    with multiprocessing.Pool(2) as pool:
        parts = pool.map(read, range(1, args.months + 1))
    x = np.concatenate([p[0] for p in parts])
    station = np.concatenate([p[1] for p in parts])
    y = np.concatenate([p[2] for p in parts])
    rows = [[*map(float, r), str(s)] for r, s in zip(x, station)]
    cut = len(rows) * 8 // 9
    print(f"{len(rows)} days at stations, {len(set(station))} stations", flush=True)
    train = Pool(rows[:cut], y[:cut], cat_features=[18])
    valid = Pool(rows[cut:], y[cut:], cat_features=[18])
    model = CatBoostRegressor(
        iterations=args.trees, learning_rate=0.03, depth=6, thread_count=1, metric_period=10, early_stopping_rounds=300
    )
    model.fit(train, eval_set=valid)
    model.save_model("bikes.cbm")
    print(f"best RMSE {model.get_best_score()['validation']['RMSE']:.4f}, saved bikes.cbm")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, B905
