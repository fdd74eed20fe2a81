"""Delay of freight trains at the border: CatBoost."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
from catboost import CatBoostRegressor, Pool


def trips(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({f"x{i:02d}": draw.normal(size=n).astype(np.float32) for i in range(24)})
    frame["wagons"] = draw.integers(8, 45, n)
    frame["operator"] = draw.choice(["dbc", "rcg", "lte", "metrans", "cargounit"], n)
    frame["border"] = draw.choice([f"b{i}" for i in range(40)], n)
    late = (
        8
        + 6 * np.sin(frame["x00"] * 2) * frame["x01"]
        + 0.4 * frame["wagons"]
        + 9 * (frame["operator"] == "lte")
        + 4 * np.abs(frame["x05"])
    )
    return frame, (late + draw.gumbel(0, 7, n)).to_numpy()


def main() -> None:
    Path("train.pid").write_text(str(os.getpid()))
    x, y = trips(120_000, 1)
    xv, yv = trips(20_000, 2)
    print(f"train {x.shape}, eval {xv.shape}, mean delay {y.mean():.2f} min", flush=True)
    model = CatBoostRegressor(
        iterations=4000,
        learning_rate=0.03,
        depth=8,
        loss_function="RMSE",
        cat_features=["operator", "border"],
        random_seed=6,
        thread_count=1,
        od_wait=200,
    )
    model.fit(
        Pool(x, y, cat_features=["operator", "border"]),
        eval_set=Pool(xv, yv, cat_features=["operator", "border"]),
        verbose=10,
    )
    model.save_model("delay.cbm")
    print("saved delay.cbm", model.get_best_score(), flush=True)


if __name__ == "__main__":
    main()
