"""Soil classes from spectra with LightGBM."""
# ruff: noqa

import argparse

import lightgbm as lgb
import numpy as np

CLASSES = ["acrisol", "andosol", "cambisol", "chernozem", "ferralsol", "gleysol", "luvisol"]


def spectra(count, seed):
    rng = np.random.default_rng(seed)
    base = np.random.default_rng(0).normal(size=(len(CLASSES) + 1, 120)).cumsum(1)
    y = rng.integers(1, len(CLASSES) + 1, count)
    return base[y] + rng.normal(0, 6, (count, 120)), y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--leaves", type=int, default=31)
    args = parser.parse_args()
    print("DEBUG args", args)
    x, y = spectra(9000, 1)
    xv, yv = spectra(1500, 2)
    print("DEBUG x", x.shape, x.dtype, "mean", x.mean().round(3), "nan", np.isnan(x).sum())
    print("DEBUG y", y.shape, y.dtype, "head", y[:12])
    # continuum removal, first differences
    x, xv = np.diff(x, axis=1), np.diff(xv, axis=1)
    print("DEBUG after diff", x.shape, xv.shape)
    train = lgb.Dataset(x, y)
    valid = lgb.Dataset(xv, yv, reference=train)
    params = {
        "objective": "multiclass",
        "num_class": len(CLASSES),
        "num_leaves": args.leaves,
        "learning_rate": 0.05,
        "metric": "multi_logloss",
        "num_threads": 1,
        "verbosity": 2,
    }
    print("DEBUG >>> train")
    booster = lgb.train(params, train, args.rounds, valid_sets=[valid], callbacks=[lgb.log_evaluation(10)])
    print("DEBUG <<< train", booster.num_trees())
    pred = booster.predict(xv).argmax(1)
    print(f"accuracy {np.mean(pred == yv):.4f}")
    booster.save_model("soils.txt")


if __name__ == "__main__":
    main()
