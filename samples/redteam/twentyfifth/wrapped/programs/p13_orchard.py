"""Yield of orchards from soil, weather and age of the trees: boosted trees, by region, then all together."""

import argparse
import json
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.linear_model import Lasso
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import KFold

SOILS = ["loam", "clay", "sand", "chalk", "peat"]


def parcels(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Make a table of parcels with what was picked from each."""
    frame = pd.DataFrame(
        {
            "soil": pd.Categorical(rng.choice(SOILS, n)),
            "rain mm": rng.gamma(6.0, 90.0, n),
            "frost days": rng.poisson(14, n),
            "age": rng.integers(2, 60, n),
            "rootstock": rng.integers(0, 40, n),
            "altitude": rng.uniform(0, 900, n),
            "station": np.full(n, 4),
        }
    )
    for k in range(24):
        frame[f"ndvi week {k + 14}"] = rng.beta(4, 2, n) * (0.5 + 0.5 * np.sin(k / 7))
    ripe = np.exp(-(((frame["age"] - 22) / 14.0) ** 2))
    water = np.tanh(frame["rain mm"] / 500.0)
    soil = frame["soil"].cat.codes.map({0: 0.7, 1: 0.4, 2: 1.0, 3: 0.8, 4: 0.5}).astype(float)
    green = frame["ndvi week 24"] + frame["ndvi week 28"]
    frame["t per ha"] = 30 * ripe * water * soil + 6 * green - 0.15 * frame["frost days"] + rng.normal(0, 1.6, n)
    frame["region"] = rng.integers(0, 4, n)
    return frame


def main() -> None:
    """Fit, validate, save."""
    p = argparse.ArgumentParser()
    p.add_argument("--parcels", type=int, default=200000)
    p.add_argument("--rounds", type=int, default=400)
    a = p.parse_args()
    rng = np.random.default_rng(11)
    t0 = time.time()
    frame = parcels(a.parcels, rng)
    print(f"{len(frame)} parcels, {frame.shape[1]} columns, made in {time.time() - t0:.1f} s")
    target = frame.pop("t per ha")
    region = frame.pop("region")
    # the agronomists' own grouping, kept in the frame as they like it
    for name in list(frame.columns[7:12]):
        frame[name + " sq"] = frame[name] ** 2
    params = {
        "objective": "l2",
        "metric": "l1",
        "learning_rate": 0.04,
        "num_leaves": 31,
        "min_data_in_leaf": 40,
        "feature_fraction": 0.8,
        "colsample_bytree": 0.8,
        "bagging_fraction": 0.9,
        "bagging_freq": 1,
        "num_threads": 1,
        "early_stop": 20,
    }
    scores = []
    for fold, (fit, held) in enumerate(KFold(3, shuffle=True, random_state=3).split(frame)):
        train = lgb.Dataset(frame.iloc[fit], target.iloc[fit], categorical_feature=["soil", "rootstock"])
        valid = lgb.Dataset(frame.iloc[held], target.iloc[held], reference=train)
        print(f"--- fold {fold}: {len(fit)} to fit, {len(held)} held out")
        booster = lgb.train(
            params,
            train,
            num_boost_round=a.rounds,
            valid_sets=[train, valid],
            valid_names=["fit", "held"],
            callbacks=[lgb.log_evaluation(20), lgb.early_stopping(25)],
        )
        scores.append(mean_absolute_error(target.iloc[held], booster.predict(frame.iloc[held])))
        print(f"fold {fold}: mae {scores[-1]:.3f} t/ha with {booster.best_iteration} trees")
    # what a straight line would have done
    plain = frame.drop(columns="soil")
    line = Lasso(alpha=1e-4, max_iter=30).fit(plain.iloc[fit], target.iloc[fit])
    off = mean_absolute_error(target.iloc[held], line.predict(plain.iloc[held].to_numpy()))
    print(f"a line: mae {off:.3f} t/ha")
    # small models of the cooperative's own growers, a few dozen parcels each
    own = []
    for grower in range(4):
        rows = np.flatnonzero(region == grower)[:130]
        small = lgb.LGBMRegressor(n_estimators=30, num_leaves=31, num_threads=1, subsample_freq=1, subsample=0.8)
        small.fit(frame.iloc[rows].drop(columns="soil").to_numpy(), target.iloc[rows])
        guess = small.predict(frame.iloc[rows + 1].drop(columns="soil"))
        own.append(float(np.abs(guess - target.iloc[rows + 1]).mean()))
    print("growers' own models, mae:", np.round(own, 2))
    booster.save_model("orchard.txt")
    Path("scores.json").write_text(json.dumps({"cv_mae": scores, "own": own}))
    print(f"cv mae {np.mean(scores):.3f} +- {np.std(scores):.3f}; model in orchard.txt, scores in scores.json")
    print(f"took {time.time() - t0:.0f} s")


if __name__ == "__main__":
    main()
