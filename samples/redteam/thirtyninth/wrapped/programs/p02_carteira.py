"""Default risk of a loan book, boosted trees."""

from __future__ import annotations

import numpy as np
from catboost import CatBoostClassifier, Pool

ROUNDS = 9000


def book(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a made-up loan book, and who stopped paying."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, 37)).astype(np.float32)
    score = np.sin(table[:, 0] * 1.7) + table[:, 1] * table[:, 2] - 0.6 * np.abs(table[:, 5]) + 0.4 * table[:, 9]
    flag = (score + rng.normal(scale=0.7, size=rows) > 0.3).astype(int)
    return table, flag


def main() -> None:
    """Train, rate, keep."""
    table, flag = book(31_000, 4)
    held, held_flag = book(7_000, 5)
    print(
        f"loans: {len(flag)} train / {len(held_flag)} held out, {flag.mean():.1%} bad, {ROUNDS} trees to grow",
        flush=True,
    )
    model = CatBoostClassifier(
        iterations=ROUNDS,
        depth=7,
        learning_rate=0.0025,
        eval_metric="AUC",
        thread_count=1,
        metric_period=50,
        train_dir="cb_info",
        custom_metric=["Logloss"],
    )
    model.fit(Pool(table, flag), eval_set=Pool(held, held_flag), use_best_model=True)
    model.save_model("loans.cbm")
    print("AUC held out", model.get_best_score()["validation"]["AUC"])


if __name__ == "__main__":
    main()
