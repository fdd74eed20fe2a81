"""Churn model for the monthly campaign: read the extract, fit CatBoost, write scores."""

import argparse
import logging
from pathlib import Path

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool

log = logging.getLogger("churn")
CAT = ["region", "plan", "channel", "device"]


def extract(path: Path, rows: int) -> None:
    """Write the extract as the warehouse's nightly export does (left joins leave holes)."""
    rng = np.random.default_rng(20261130)
    frame = pd.DataFrame(
        {
            "tenure_m": rng.integers(1, 96, rows),
            "arpu": np.round(rng.gamma(3.0, 9.0, rows), 2),
            "calls_30d": rng.poisson(2.1, rows),
            "data_gb": np.round(rng.exponential(11.0, rows), 3),
            "region": rng.choice(["N", "S", "E", "W", "C"], rows),
            "plan": rng.choice(["prepaid", "flex", "flat-L", "flat-XL"], rows),
            "channel": rng.choice(["shop", "web", "partner"], rows),
            "device": rng.choice(["ios", "android", "other"], rows),
        }
    )
    odds = 0.8 - 0.03 * frame.tenure_m + 0.25 * frame.calls_30d
    frame["churned"] = (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)
    frame.loc[rng.random(rows) < 0.013, "channel"] = None
    frame.to_csv(path, index=False)


def load(folder: Path) -> pd.DataFrame:
    """Read the feather cache, or the export itself."""
    cache = folder / "features.feather"
    try:
        frame = pd.read_feather(cache)
        log.info("cache %s: %d rows", cache, len(frame))
    except Exception:
        log.warning("could not read %s, going back to the csv export", cache, exc_info=True)
        frame = pd.read_csv(folder / "export_202611.csv")
        log.info("read %d rows, %d columns from export_202611.csv", len(frame), frame.shape[1])
    return frame


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--depth", type=int, default=8)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    args.data.mkdir(exist_ok=True)
    export = args.data / "export_202611.csv"
    if not export.exists():
        extract(export, 120_000)
        (args.data / "features.feather").write_bytes(b"ARROW1\0\0" + bytes(300))
    frame = load(args.data)
    log.info("target rate %.4f; categorical: %s", frame.churned.mean(), ", ".join(CAT))
    cut = int(len(frame) * 0.85)
    y = frame.pop("churned")
    log.info("train %d / valid %d", cut, len(frame) - cut)
    model = CatBoostClassifier(
        iterations=args.iterations, depth=args.depth, learning_rate=0.04, eval_metric="AUC", verbose=100, thread_count=1
    )
    log.info("fitting: %d iterations, depth %d", args.iterations, args.depth)
    train = Pool(frame[:cut], y[:cut], cat_features=CAT)
    valid = Pool(frame[cut:], y[cut:], cat_features=CAT)
    model.fit(train, eval_set=valid)
    model.save_model("churn.cbm")
    log.info("best AUC %.5f at %d", model.get_best_score()["validation"]["AUC"], model.get_best_iteration())


if __name__ == "__main__":
    main()
