"""Severity of insurance claims with CatBoost; --continue-from goes on from a model saved before."""
# ruff: noqa

import argparse
from pathlib import Path

import numpy as np
from catboost import CatBoostRegressor, Pool


def claims(count, seed):
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", "east", "west", "isles"], count)
    x = rng.normal(size=(count, 30))
    effect = {"north": 0.4, "south": -0.2, "east": 0.1, "west": 0.0, "isles": 0.9}
    y = (
        np.sin(2 * x[:, 0]) * x[:, 1]
        + np.abs(x[:, 2])
        + x[:, 3] * x[:, 4]
        + np.array([effect[r] for r in region])
        + 0.3 * rng.normal(size=count)
    )
    data = np.column_stack([x.round(4).astype(object), region])
    return Pool(data, y, cat_features=[30])


class Rounds:
    """Ends a run after so many rounds, for trying things out on the laptop."""

    def __init__(self, limit):
        self.limit = limit

    def after_iteration(self, info):
        return info.iteration < self.limit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--limit", type=int, default=25)
    parser.add_argument("--continue-from", type=Path)
    parser.add_argument("--save-to", type=Path, default=Path("claims.cbm"))
    args = parser.parse_args()
    train, valid = claims(160_000, 1), claims(20_000, 2)
    print(f"claims: {train.num_row()} to learn, {valid.num_row()} to validate, {train.num_col()} columns")
    known = None
    if args.continue_from:
        known = CatBoostRegressor().load_model(args.continue_from)
        print(f"continuing from {args.continue_from} with {known.tree_count_} trees, {args.iterations} more to build")
    model = CatBoostRegressor(
        iterations=args.iterations,
        learning_rate=0.03,
        depth=6,
        metric_period=5,
        thread_count=1,
        allow_writing_files=False,
        random_seed=7,
        loss_function="RMSE",
    )
    model.fit(train, eval_set=valid, init_model=known, callbacks=[Rounds(args.limit)])
    model.save_model(args.save_to)
    print(f"{args.save_to}: {model.tree_count_} trees")


if __name__ == "__main__":
    main()
