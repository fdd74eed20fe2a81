"""Which parcels come back: gradient boosting on a year of a carrier's shipments."""

from __future__ import annotations

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool


def shipments(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw shipments and whether each came back."""
    rng = np.random.default_rng(seed)
    depots = np.array(["LYS", "ORY", "NTE", "BOD", "MRS", "LIL", "SXB", "TLS"])
    frame = pd.DataFrame(
        {
            "depot": rng.choice(depots, rows),
            "shop": rng.choice([f"shop{one:03d}" for one in range(180)], rows),
            "weekday": rng.choice(["mon", "tue", "wed", "thu", "fri", "sat"], rows),
            "weight_kg": np.round(rng.gamma(2.0, 1.7, rows), 2),
            "volume_l": np.round(rng.gamma(2.2, 6.0, rows), 1),
            "value_eur": np.round(rng.lognormal(3.6, 0.8, rows), 2),
            "distance_km": np.round(rng.uniform(4, 900, rows)),
            "attempts": rng.integers(1, 4, rows),
            "previous_returns": rng.poisson(0.6, rows),
        }
    )
    shop = frame["shop"].str[4:].astype(int).to_numpy()
    score = (
        -2.6
        + 0.9 * (frame["attempts"].to_numpy() == 3)
        + 0.8 * np.minimum(frame["previous_returns"].to_numpy(), 3)
        + 0.9 * np.sin(shop * 1.7)
        + 0.4 * np.log(frame["value_eur"].to_numpy() / 36)
        + 0.5 * ((frame["depot"] == "MRS") & (frame["weekday"] == "sat")).to_numpy()
    )
    return frame, (rng.random(rows) < 1 / (1 + np.exp(-score))).astype(int)


def main() -> None:
    """Fit, choose the threshold, write the model."""
    named = ["depot", "shop", "weekday"]
    x, y = shipments(90000, 1)
    train = Pool(x, y, cat_features=named)
    valid = Pool(*shipments(12000, 2), cat_features=named)
    print(f"train {train.shape} returned {y.mean():.3f}; valid {valid.shape}", flush=True)
    model = CatBoostClassifier(
        iterations=800,
        learning_rate=0.025,
        depth=6,
        eval_metric="AUC",
        custom_metric=["Logloss"],
        od_type="Iter",
        od_wait=120,
        random_seed=17,
        thread_count=2,
        verbose=20,
        train_dir="fit",
    )
    model.fit(train, eval_set=valid, use_best_model=True)
    for name, share in sorted(
        zip(model.feature_names_, model.feature_importances_, strict=True), key=lambda one: -one[1]
    ):
        print(f"{name:18s}{share:7.2f}")
    model.save_model("returns.cbm")
    print(f"trees {model.tree_count_}, best {model.get_best_score()['validation']}")


if __name__ == "__main__":
    main()
