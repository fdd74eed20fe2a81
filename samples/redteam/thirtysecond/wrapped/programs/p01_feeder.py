"""Day-ahead load of feeders of a municipal grid, one gradient boosted model."""

import argparse
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np


def make(rng: np.random.Generator, days: int, feeders: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hourly rows: feeder, hour, weekday, temperature, lags; the load in MW."""
    n = days * 24
    hour = np.tile(np.arange(24), days)
    day = np.repeat(np.arange(days), 24)
    temp = (
        9 + 11 * np.sin(2 * np.pi * (day - 105) / 365) + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + rng.normal(0, 2.2, n)
    )
    rows, loads = [], []
    for f in range(feeders):
        base = rng.uniform(2.0, 9.0)
        heat = rng.uniform(0.03, 0.14)
        peak = rng.uniform(0.4, 1.8)
        load = (
            base + heat * np.clip(15 - temp, 0, None) + peak * np.exp(-((hour - 18.5) ** 2) / 9) - 0.5 * (day % 7 > 4)
        )
        load = load + rng.normal(0, 0.16, n)
        lag1 = np.roll(load, 24)
        lag7 = np.roll(load, 168)
        rows.append(np.stack([np.full(n, f), hour, day % 7, temp, lag1, lag7, np.roll(temp, 3)], 1)[168:])
        loads.append(load[168:])
    return np.concatenate(rows), np.concatenate(loads), np.tile(day[168:], feeders)


def main() -> None:
    """Train, report per month, write the booster."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", type=Path, default=Path("/tmp/bu_pa/scratch/feeder"))
    ap.add_argument("--rounds", type=int, default=450)
    args = ap.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    t0 = time.time()
    rng = np.random.default_rng(2311)
    x, y, day = make(rng, 730, 12)
    print(f"feeders 12, rows {len(y):,}, lightgbm {lgb.__version__}", flush=True)
    names = ["feeder", "hour", "weekday", "temp", "lag_24h", "lag_168h", "temp_3h"]
    cut = day < 610
    train = lgb.Dataset(x[cut], y[cut], feature_name=names, categorical_feature=["feeder"])
    valid = train.create_valid(x[~cut], y[~cut])
    params = {
        "objective": "regression",
        "metric": ["l2", "l1"],
        "learning_rate": 0.04,
        "num_leaves": 31,
        "feature_fraction": 0.8,
        "bagging_fraction": 0.7,
        "bagging_freq": 1,
        "num_threads": 1,
        "seed": 7,
    }
    booster = lgb.train(
        params,
        train,
        num_boost_round=args.rounds,
        valid_sets=[train, valid],
        valid_names=["train", "valid"],
        callbacks=[lgb.log_evaluation(25), lgb.early_stopping(120)],
    )
    pred = booster.predict(x[~cut])
    err = np.abs(pred - y[~cut])
    for start in range(610, 730, 30):
        sel = (day[~cut] >= start) & (day[~cut] < start + 30)
        mape = 100 * np.mean(err[sel] / y[~cut][sel])
        print(f"days {start}-{start + 29}: MAE {err[sel].mean():.4f} MW  MAPE {mape:.2f} %")
    gain = booster.feature_importance("gain")
    for i in np.argsort(-gain):
        print(f"  {names[i]:<10} {gain[i]:14.1f}")
    booster.save_model(args.out / "feeder_lgbm.txt")
    print(f"best iteration {booster.best_iteration}, wrote {args.out / 'feeder_lgbm.txt'} ({time.time() - t0:.0f} s)")


if __name__ == "__main__":
    main()
