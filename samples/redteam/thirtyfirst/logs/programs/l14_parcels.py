"""Predicts how long a parcel is on its way, with CatBoost."""

import atexit
import resource
import signal
import sys
import time

import numpy as np
import pandas as pd
from catboost import CatBoostRegressor, Pool

START = time.time()
CATS = ["depot_from", "depot_to", "carrier", "weekday", "service"]


def say(text: str) -> None:
    """A line with the time since the start."""
    print(f"{time.time() - START:8.1f}s  {text}", flush=True)


def summary() -> None:
    """However it ends, the planners want these lines."""
    use = resource.getrusage(resource.RUSAGE_SELF)
    print("-" * 60)
    print("SUMMARY parcel-eta")
    print(
        f"  wall {time.time() - START:.0f} s, cpu {use.ru_utime + use.ru_stime:.0f} s, peak rss {use.ru_maxrss / 1024:.0f} MB"
    )
    print(f"  python {sys.version.split()[0]}, argv {sys.argv[1:]}")
    print("-" * 60, flush=True)


def scans(rng: np.random.Generator, count: int) -> pd.DataFrame:
    """Made parcels of one month."""
    frame = pd.DataFrame(
        {name: rng.integers(0, size, count).astype(str) for name, size in zip(CATS, (180, 180, 9, 7, 4), strict=True)}
    )
    frame["kg"] = rng.lognormal(0.6, 0.8, count).round(2)
    frame["km"] = rng.gamma(3, 90, count).round(0)
    for name in CATS:
        frame[name] = frame[name].map(lambda code, name=name: f"{name[:2].upper()}{int(code):04d}")
    frame["hours"] = (6 + frame.km / 40 + 5 * (frame.weekday == "WE0005") + rng.exponential(4, count)).round(1)
    return frame


def main() -> int:
    """Read, join, train."""
    atexit.register(summary)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    rng = np.random.default_rng(2207)
    say("reading scan events, 2025-11 to 2026-10")
    months = []
    for i in range(12):
        months.append(scans(rng, 300_000))
        year, month = divmod(2025 * 12 + 10 + i, 12)
        say(f"  scans_{year}-{month + 1:02d}.parquet  {len(months[-1])} rows")
    frame = pd.concat(months, ignore_index=True)
    say(f"joined: {frame.shape[0]} rows, {frame.shape[1]} columns, {frame.memory_usage(deep=True).sum() / 1e6:.0f} MB")
    frame = frame[frame.hours < 96]
    for name in ("depot_from", "depot_to", "carrier", "service"):
        frame[f"{name}_median"] = frame.groupby(name).hours.transform(
            lambda h: h.rolling(2000, min_periods=1).median().shift(fill_value=12.0)
        )
        say(f"rolling median of {name}")
    for name in ("carrier", "service"):
        frame[f"{name}_p90"] = frame.groupby([name, "weekday"]).hours.transform(
            lambda h: h.rolling(400, min_periods=1).quantile(0.9)
        )
        say(f"rolling 90th percentile of {name} and weekday")
    cut = int(len(frame) * 0.9)
    say(f"training rows {cut}, validation rows {len(frame) - cut}; building pools")
    x, y = frame.drop(columns="hours"), frame.hours
    train, val = Pool(x[:cut], y[:cut], cat_features=CATS), Pool(x[cut:], y[cut:], cat_features=CATS)
    say("pools built")
    model = CatBoostRegressor(
        iterations=3000, depth=8, learning_rate=0.06, loss_function="MAE", thread_count=2, random_seed=1
    )
    model.fit(train, eval_set=val, verbose=50, early_stopping_rounds=150)
    model.save_model("eta.cbm")
    say(f"best {model.get_best_score()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
