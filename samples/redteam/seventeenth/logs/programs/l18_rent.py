"""Rents with CatBoost."""

from __future__ import annotations

import logging

import numpy as np
from catboost import CatBoostRegressor, Pool

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
log = logging.getLogger("rent")
rng = np.random.default_rng(8)
area, rooms, floor = rng.uniform(20, 180, 12000), rng.integers(1, 7, 12000), rng.integers(0, 20, 12000)
quarter = rng.integers(0, 12, 12000)
rent = 9 * area + 40 * rooms + 12 * quarter * np.sqrt(area) - 3 * (floor - 4) ** 2 + rng.normal(0, 40, 12000)
x = np.column_stack([area, rooms, floor, quarter])
log.info("12000 flats, 9600 to learn from")
model = CatBoostRegressor(
    iterations=400, learning_rate=0.1, depth=6, thread_count=1, random_seed=0, allow_writing_files=False
)
model.fit(Pool(x[:9600], rent[:9600]), eval_set=Pool(x[9600:], rent[9600:]), verbose=25)
error = np.abs(model.predict(x[9600:]) - rent[9600:])
log.info("mean absolute error %.1f, a mean rent is %.0f", error.mean(), rent.mean())
model.save_model("rent.cbm")
log.info("rent.cbm written, best iteration %d", model.get_best_iteration())
