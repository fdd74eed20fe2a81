"""Nightly refit of the crop yield model."""
# ruff: noqa

import argparse
import time
from collections import defaultdict

import numpy as np
import xgboost as xgb

SPENT = defaultdict(lambda: [0, 0.0])


class Timer:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.began = time.perf_counter()

    def __exit__(self, *_):
        SPENT[self.name][0] += 1
        SPENT[self.name][1] += time.perf_counter() - self.began


def table():
    print(f"{'section':<14}{'calls':>8}{'total s':>10}{'ms/call':>10}")
    print("-" * 42)
    for name, (calls, spent) in SPENT.items():
        print(f"{name:<14}{calls:>8}{spent:>10.2f}{1000 * spent / calls:>10.1f}")
    print("-" * 42, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=6000)
    args = parser.parse_args()
    print(f"refit: {args.rounds} rounds", flush=True)
    rng = np.random.default_rng(8)
    with Timer("load"):
        x = rng.normal(size=(60_000, 40))
        y = 6 + np.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2] + np.abs(x[:, 3]) + 0.5 * rng.normal(size=len(x))
    with Timer("matrix"):
        train, valid = xgb.DMatrix(x[:50_000], y[:50_000]), xgb.DMatrix(x[50_000:], y[50_000:])
    booster = xgb.Booster({"eta": 0.01, "max_depth": 6, "nthread": 1, "base_score": 6.0}, [train, valid])
    for i in range(args.rounds):
        with Timer("update"):
            booster.update(train, i)
        if i % 5 == 0:
            with Timer("eval"):
                print(booster.eval_set([(train, "train"), (valid, "valid")], i), flush=True)
        if i and i % 60 == 0:
            with Timer("save"):
                booster.save_model("yield.ubj")
            table()
    print("refit done")
