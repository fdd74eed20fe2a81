"""Late parcels: CatBoost on scans of a sorting centre; every line of ours is JSON."""

import json
import sys
import time
from pathlib import Path

import catboost
import numpy as np
import pandas as pd


def say(event: str, **fields: object) -> None:
    """One line of JSON."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    print(json.dumps({"ts": now, "level": "info", "logger": "parcel.train", "event": event, **fields}), flush=True)


def shard(day: int, n: int = 400_000) -> pd.DataFrame:
    """The scans of one day."""
    rng = np.random.default_rng(day)
    frame = pd.DataFrame(
        {
            "depot": rng.choice([f"D{k:03d}" for k in range(140)], n),
            "service": rng.choice(["std", "exp", "eco", "bulky"], n, p=[0.6, 0.15, 0.2, 0.05]),
            "weight_kg": rng.lognormal(0.6, 0.9, n),
            "hops": rng.integers(1, 7, n),
            "hour": rng.integers(0, 24, n),
            "km": rng.gamma(2.0, 140.0, n),
        }
    )
    risk = -3 + 0.25 * frame.hops + 0.002 * frame.km + 0.8 * (frame.service == "eco") + 0.5 * (frame.hour > 19)
    frame["late"] = (rng.random(n) < 1 / (1 + np.exp(-risk))).astype(int)
    return frame


def main() -> None:
    """Load, clean, pool, fit."""
    say("start", argv=sys.argv[1:], catboost=catboost.__version__, pandas=pd.__version__, python=sys.version.split()[0])
    say(
        "config",
        iterations=800,
        depth=8,
        learning_rate=0.06,
        loss_function="Logloss",
        task_type="CPU",
        thread_count=2,
        days=120,
    )
    frames, rows = [], 0
    for day in range(120):
        frame = shard(day)
        rows += len(frame)
        frames.append(frame.sample(8000, random_state=day))
        say(
            "shard",
            path=f"s3://scans/2026/d={day:03d}.parquet",
            rows=len(frame),
            kept=8000,
            total=rows,
            late=round(float(frame.late.mean()), 4),
        )
    data = pd.concat(frames, ignore_index=True)
    for name in ("depot", "service"):
        say("categorical", column=name, distinct=int(data[name].nunique()), top=str(data[name].mode()[0]))
    say("split", train=int(len(data) * 0.9), valid=len(data) - int(len(data) * 0.9))
    cut = int(len(data) * 0.9)
    cols = ["depot", "service", "weight_kg", "hops", "hour", "km"]
    train = catboost.Pool(data[cols][:cut], data.late[:cut], cat_features=["depot", "service"])
    valid = catboost.Pool(data[cols][cut:], data.late[cut:], cat_features=["depot", "service"])
    say(
        "pools", train=list(train.shape), valid=list(valid.shape), mb=round(data.memory_usage(deep=True).sum() / 1e6, 1)
    )
    model = catboost.CatBoostClassifier(
        iterations=800,
        depth=8,
        learning_rate=0.06,
        thread_count=2,
        verbose=20,
        train_dir="/tmp/bu_pa/scratch/catboost_info",
    )
    model.fit(train, eval_set=valid)
    model.save_model(Path("/tmp/bu_pa/scratch/parcel.cbm").as_posix())
    say("done", valid_logloss=float(model.best_score_["validation"]["Logloss"]))


if __name__ == "__main__":
    main()
