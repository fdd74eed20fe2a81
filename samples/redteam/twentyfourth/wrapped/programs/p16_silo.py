"""Spoilage class of grain in a silo from its sensors, with LightGBM."""

import json
import logging
import socket

import lightgbm as lgb
import numpy as np
import pandas as pd

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s [%(name)s] %(message)s")
log = logging.getLogger("silo.train")

PARAMS = {
    "objective": "multiclass",
    "num_class": 4,
    "metric": ["multi_logloss"],
    "learning_rate": 0.06,
    "num_leaves": 63,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.8,
    "num_threads": 1,
    "verbosity": 1,
    "seed": 5,
}


def thresholds() -> dict[str, float]:
    """The limits of the classes: those of the plant's service, else those in the repository."""
    try:
        with socket.create_connection(("127.0.0.1", 18471), timeout=2) as s:
            s.sendall(b"GET limits\n")
            return json.loads(s.makefile().readline())
    except OSError:
        log.warning("plant service not reachable, using the limits of 2025-09", exc_info=True)
        return {"warm": 24.0, "hot": 31.0, "humid": 14.5}


def sensors(seed: int, rows: int, limits: dict[str, float]) -> tuple[pd.DataFrame, np.ndarray]:
    """Cables with thermometers at several depths, and the air above the grain."""
    rng = np.random.default_rng(seed)
    outside = rng.normal(12, 9, rows)
    frame = {"outside_C": outside, "days_stored": rng.integers(1, 300, rows).astype(float)}
    core = pd.Series(0.4 * outside + 12 + rng.gamma(2.0, 3.0, rows)).rolling(3, min_periods=1).mean().to_numpy()
    for depth in (1, 3, 6, 9, 12):
        cable = pd.Series(core + rng.normal(0, 1.5, rows) - 0.2 * depth)
        frame[f"T_{depth}m"] = cable
        frame[f"T_{depth}m_day"] = cable.rolling(96, min_periods=1).median()
    moisture = rng.normal(13.2, 1.1, rows)
    frame["moisture[%]"] = moisture
    frame['CO2["head"]'] = 420 + 25 * np.clip(core - 20, 0, None) ** 1.3 + rng.normal(0, 30, rows)
    y = (core > limits["warm"]).astype(int) + (core > limits["hot"]) + (moisture > limits["humid"])
    return pd.DataFrame(frame), y


def main() -> None:
    log.info("lightgbm %s, numpy %s, pandas %s", lgb.__version__, np.__version__, pd.__version__)
    limits = thresholds()
    log.info("limits: %s", limits)
    silos = []
    for silo in range(1, 13):
        silos.append(sensors(silo, 300_000, limits))
        log.info("silo %02d: %d readings", silo, len(silos[-1][1]))
    x, y = pd.concat([s[0] for s in silos], ignore_index=True), np.concatenate([s[1] for s in silos])
    log.info("%d rows, %d columns; classes %s", *x.shape, np.bincount(y).tolist())
    cut = int(len(x) * 0.8)
    train = lgb.Dataset(x[:cut], label=y[:cut])
    valid = lgb.Dataset(x[cut:], label=y[cut:], reference=train)
    log.info("training with %s", json.dumps(PARAMS))
    booster = lgb.train(
        PARAMS,
        train,
        num_boost_round=600,
        valid_sets=[valid],
        valid_names=["valid"],
        callbacks=[lgb.early_stopping(40), lgb.log_evaluation(20)],
    )
    booster.save_model("silo.lgb.txt")
    log.info("best iteration %d", booster.best_iteration)


if __name__ == "__main__":
    main()
