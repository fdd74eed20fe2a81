"""Which customers leave: CatBoost."""

import argparse

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=800)
    p.add_argument("--rows", type=int, default=40000)
    args = p.parse_args()
    rng = np.random.default_rng(6)
    table = pd.DataFrame(rng.normal(size=(args.rows, 18)), columns=[f"f{i}" for i in range(18)])
    table["plan"] = rng.choice(["basic", "plus", "pro", "family"], args.rows)
    table["region"] = rng.choice([f"R{i:02d}" for i in range(30)], args.rows)
    score = table.f0 - 0.6 * table.f1 * table.f2 + 0.8 * (table.plan == "basic") + rng.logistic(size=args.rows)
    left = (score > 1.2).astype(int)
    cut = int(0.8 * args.rows)
    names = ["plan", "region"]
    train, test = Pool(table[:cut], left[:cut], names), Pool(table[cut:], left[cut:], names)
    model = CatBoostClassifier(
        iterations=args.rounds,
        learning_rate=0.05,
        depth=6,
        eval_metric="AUC",
        custom_metric=["Logloss"],
        thread_count=2,
        random_seed=6,
        metric_period=20,
        train_dir="catboost_info",
    )
    model.fit(train, eval_set=test, use_best_model=True)
    print(model.get_feature_importance(prettified=True).head(6).to_string(index=False))
    model.save_model("churn.cbm")
    print("saved churn.cbm,", model.tree_count_, "trees")


if __name__ == "__main__":
    main()
