"""Counts of bicycles per hour and station with LightGBM."""

import logging
import sys
import time

import lightgbm as lgb
import numpy as np

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
log = logging.getLogger("cycles")
PARAMS = {
    "objective": "poisson",
    "learning_rate": 0.05,
    "num_leaves": 127,
    "min_data_in_leaf": 80,
    "feature_fraction": 0.8,
    "num_threads": 1,
    "seed": 3,
    "verbose": 1,
}


def history(stations: int, hours: int) -> tuple[np.ndarray, np.ndarray]:
    g = np.random.default_rng(3)
    base = g.gamma(2.0, 15.0, stations)
    rows, target = [], []
    for s in range(stations):
        t = np.arange(hours)
        day = np.exp(-(((t % 24) - 8) ** 2) / 5) + np.exp(-(((t % 24) - 17.5) ** 2) / 8) + 0.05
        rain = g.random(hours) < 0.2
        rate = base[s] * day * np.where(rain, 0.6, 1) * np.where((t // 24) % 7 > 4, 0.7, 1)
        y = g.poisson(rate)
        lags = [np.roll(y, k) for k in (1, 2, 24, 48, 168)]
        roll = [np.convolve(y, np.ones(k) / k, "same") for k in (3, 24, 168)]
        rows.append(np.stack([np.full(hours, s), t % 24, (t // 24) % 7, rain, *lags, *roll], 1)[168:])
        target.append(y[168:])
        if s % 20 == 19:
            log.info("features for %d of %d stations", s + 1, stations)
            time.sleep(0.5)
    return np.concatenate(rows).astype("float32"), np.concatenate(target)


log.info("lightgbm %s, numpy %s", lgb.__version__, np.__version__)
log.info("params %s", PARAMS)
x, y = history(220, 2200)
log.info("table %s, %.1f MB", x.shape, x.nbytes / 1e6)
cut = int(len(x) * 0.8)
log.info("binning")
train = lgb.Dataset(x[:cut], y[:cut], categorical_feature=[0, 2], params=PARAMS).construct()
valid = train.create_valid(x[cut:], y[cut:]).construct()
log.info("train %d rows, valid %d rows", train.num_data(), valid.num_data())
log.info("checking lags for leaks, station by station")
for s in range(220):
    part = x[x[:, 0] == s]
    worst = max(abs(np.corrcoef(part[:, 4 + k], part[:, 9])[0, 1]) for k in range(5))
    time.sleep(0.12)
    if s % 20 == 19:
        log.info("  up to station %d: strongest %.3f", s, worst)
log.info("boosting")
lgb.train(PARAMS, train, 400, valid_sets=[valid], callbacks=[lgb.log_evaluation(10), lgb.early_stopping(30)])
