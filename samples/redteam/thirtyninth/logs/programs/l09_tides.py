"""Water level at a gauge six hours ahead, LightGBM."""

from __future__ import annotations

import lightgbm
import numpy as np

ROUNDS = 6000


def main() -> None:
    """Train and keep."""
    rng = np.random.default_rng(61)
    hours = np.arange(70_000)
    moon, sun = 2 * np.pi * hours / 12.4206, 2 * np.pi * hours / 12.0
    wind = np.convolve(rng.normal(size=hours.size), np.ones(18) / 18, "same") * 4
    level = 1.9 * np.cos(moon) + 0.7 * np.cos(sun + 0.5) + 0.21 * wind * np.abs(wind) + rng.normal(0, 0.05, hours.size)
    past = np.column_stack([np.roll(level, lag) for lag in range(48)] + [np.roll(wind, lag) for lag in range(12)])
    table, goal = past[60:-6], level[66:]
    cut = 60_000
    train = lightgbm.Dataset(table[:cut], goal[:cut])
    valid = lightgbm.Dataset(table[cut:], goal[cut:], reference=train)
    print(f"gauge 7: {cut} hours to learn, {len(goal) - cut} to check, {ROUNDS} rounds", flush=True)
    booster = lightgbm.train(
        {
            "objective": "regression",
            "metric": ["rmse", "mae"],
            "num_leaves": 95,
            "learning_rate": 0.0032,
            "num_threads": 1,
            "seed": 61,
        },
        train,
        num_boost_round=ROUNDS,
        valid_sets=[train, valid],
        valid_names=["learn", "check"],
        callbacks=[lightgbm.log_evaluation(25)],
    )
    booster.save_model("gauge7.txt")
    print("saved gauge7.txt")


if __name__ == "__main__":
    main()
