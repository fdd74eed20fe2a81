"""Baseflow regression on gauge data: lagged rain and temperature, gradient boosting, one model per catchment."""

import argparse
import pathlib
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import r2_score

PARAMS = {
    "loss": "ls",
    "n_estimators": 400,
    "learning_rate": 0.05,
    "max_depth": 4,
    "subsample": 0.7,
    "min_samples_leaf": 20,
}


def synthesise(folder: pathlib.Path, gauges: int, days: int) -> None:
    rng = np.random.default_rng(17)
    for gauge in range(gauges):
        rain = rng.gamma(0.4, 8.0, days) * (rng.random(days) < 0.35)
        temp = 9 + 8 * np.sin(np.arange(days) * 2 * np.pi / 365.25) + rng.normal(0, 2, days)
        flow = np.convolve(rain, np.exp(-np.arange(60) / 15), "full")[:days] * 0.2 + 1.5 + rng.gamma(2, 0.1, days)
        frame = pd.DataFrame(
            {"date": pd.date_range("1981-01-01", periods=days), "rain_mm": rain, "tair": temp, "q_m3s": flow}
        )
        frame.to_csv(folder / f"gauge_{gauge:03d}.csv", index=False, float_format="%.3f")


def features(frame: pd.DataFrame) -> pd.DataFrame:
    out = pd.DataFrame({"doy": frame["date"].dt.day_of_year})
    for lag in (0, 1, 2, 3, 5, 7, 10):
        out[f"rain_l{lag}"] = frame["rain_mm"].shift(lag)
        out[f"t_l{lag}"] = frame["tair"].shift(lag)
    for window in (7, 30, 90):
        out[f"rain_s{window}"] = frame["rain_mm"].rolling(window).sum()
        out[f"rain_a{window}"] = frame["rain_mm"].rolling(window).apply(lambda x: (x > 1).mean(), raw=True)
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("gauges"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("models"))
    args = parser.parse_args()
    if not args.data.exists():
        args.data.mkdir()
        synthesise(args.data, 44, 14600)
    args.out.mkdir(exist_ok=True)
    xs, ys = [], []
    start = time.time()
    files = sorted(args.data.glob("gauge_*.csv"))
    print(f"{len(files)} gauge files in {args.data}/", flush=True)
    for number, file in enumerate(files):
        frame = pd.read_csv(file, parse_dates=["date"])
        x = features(frame)
        good = x.notna().all(axis=1)
        xs.append(x[good].to_numpy(np.float32))
        ys.append(np.log1p(frame["q_m3s"][good].to_numpy()))
        if number % 10 == 9:
            print(f"  {number + 1} gauges read, {sum(map(len, xs))} rows, {time.time() - start:.1f} s", flush=True)
    x, y = np.concatenate(xs), np.concatenate(ys)
    cut = int(len(x) * 0.8)
    print(f"features: {x.shape[1]}  train rows: {cut}  test rows: {len(x) - cut}", flush=True)
    print("GBR", PARAMS, flush=True)
    model = GradientBoostingRegressor(**PARAMS, random_state=0, verbose=1)
    model.fit(x[:cut], y[:cut])
    print("R2 test", r2_score(y[cut:], model.predict(x[cut:])))
    np.save(args.out / "importances.npy", model.feature_importances_)


if __name__ == "__main__":
    main()
