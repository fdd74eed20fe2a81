"""Which water meters will leak this quarter? CatBoost on readings, twice a year."""

import sys
import warnings

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool


def readings(rng: np.random.Generator, count: int) -> pd.DataFrame:
    """Made meters."""
    frame = pd.DataFrame(
        {"zone": rng.integers(0, 60, count).astype(str), "maker": rng.integers(0, 7, count).astype(str)}
    )
    for week in range(26):
        frame[f"w{week:02d}"] = rng.gamma(2.0, 1.6, count).round(3)
    frame["age"] = rng.integers(0, 22, count)
    frame["night_min"] = rng.exponential(0.4, count).round(3)
    odds = (
        0.12 * frame.age
        + 1.4 * frame.night_min
        + 0.3 * (frame.maker == "4") * frame.age / 5
        + 0.25 * frame.w25
        - 0.2 * frame.w24
        - 4
    )
    frame["leak"] = (rng.random(count) < 1 / (1 + np.exp(-odds))).astype(int)
    return frame


def main() -> int:
    """Train."""
    rng = np.random.default_rng(31)
    frame = readings(rng, 120_000)
    print(f"meters: {len(frame)}, leaks: {frame.leak.sum()} ({frame.leak.mean():.1%})", flush=True)
    for col in [c for c in frame if c.startswith("w")][-8:]:
        if (frame[col] > 14).sum() > 10:
            warnings.warn(f"{col}: {(frame[col] > 14).sum()} readings above 14 m3, clipped", stacklevel=1)
            frame[col] = frame[col].clip(upper=14)
    cut = 100_000
    x, y = frame.drop(columns="leak"), frame.leak
    train, val = (
        Pool(x[:cut], y[:cut], cat_features=["zone", "maker"]),
        Pool(x[cut:], y[cut:], cat_features=["zone", "maker"]),
    )
    print(f"train {train.shape}, valid {val.shape}", file=sys.stderr, flush=True)
    model = CatBoostClassifier(
        iterations=2500,
        depth=6,
        learning_rate=0.015,
        eval_metric="AUC",
        custom_loss=["Logloss"],
        thread_count=2,
        random_seed=31,
    )
    model.fit(train, eval_set=val, verbose=100)
    model.save_model("leaks_2026h2.cbm")
    print("saved leaks_2026h2.cbm", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
