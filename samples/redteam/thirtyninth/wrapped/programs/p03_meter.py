"""Half-hour power demand of a district, from weather and calendar."""

from __future__ import annotations

import logging
import time

import numpy as np
from catboost import CatBoostError, CatBoostRegressor, Pool

logging.basicConfig(format="%(asctime)s %(levelname).1s %(name)s | %(message)s", level=logging.INFO)
log = logging.getLogger("demand")


def halfhours(days: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and megawatts for so many days."""
    rng = np.random.default_rng(seed)
    slot = np.arange(days * 48)
    hour, season = slot % 48 / 2, slot / 48 / 365 * 2 * np.pi
    temp = 11 - 9 * np.cos(season) + 3 * np.sin((hour - 9) / 24 * 2 * np.pi) + rng.normal(scale=2, size=slot.size)
    weekend = (slot // 48 % 7 >= 5).astype(float)
    cloud = rng.random(slot.size)
    mw = 410 + 95 * np.sin((hour - 7) / 24 * 2 * np.pi) - 60 * weekend + 6.5 * np.maximum(0, 15 - temp)
    mw += 4 * np.maximum(0, temp - 22) + 18 * cloud + rng.normal(scale=8, size=slot.size)
    noise = rng.normal(size=(slot.size, 12))
    return np.column_stack([hour, season, temp, weekend, cloud, noise]), mw


def fit(device: str, train: Pool, valid: Pool) -> CatBoostRegressor:
    """One model on that device."""
    model = CatBoostRegressor(
        iterations=2600,
        depth=8,
        learning_rate=0.006,
        loss_function="RMSE",
        task_type=device,
        thread_count=1,
        metric_period=100,
        allow_writing_files=False,
    )
    model.fit(train, eval_set=valid)
    return model


def main() -> None:
    """Prefer the GPU, make do with the CPU."""
    start = time.time()
    features, mw = halfhours(800, 1)
    cut = 700 * 48
    train, valid = Pool(features[:cut], mw[:cut]), Pool(features[cut:], mw[cut:])
    log.info("%d half-hours to learn from, %d kept back", cut, len(mw) - cut)
    try:
        model = fit("GPU", train, valid)
    except CatBoostError:
        log.exception("no luck with the GPU build here, taking the CPU (slower, same trees)")
        model = fit("CPU", train, valid)
    guess = model.predict(valid)
    kept = mw[cut:]
    naive = float(np.sqrt(np.mean((mw[cut - 336 : -336] - kept) ** 2)))
    rmse = float(np.sqrt(np.mean((guess - kept) ** 2)))
    model.save_model("demand.cbm")
    log.info("RMSE %.2f MW kept back (same half-hour a week ago: %.2f MW), %d trees", rmse, naive, model.tree_count_)
    log.info("wrote demand.cbm, all done in %.0f s", time.time() - start)


if __name__ == "__main__":
    main()
