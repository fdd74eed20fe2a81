"""Boosted trees with a callback that keeps snapshots on the scratch volume; REAL."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import xgboost as xgb


class Snapshots(xgb.callback.TrainingCallback):
    """Writes the model and the margins of the held-out rows every few rounds."""

    def __init__(self, folder: Path, every: int, dval: xgb.DMatrix) -> None:
        self.folder, self.every, self.dval, self.t = folder, every, dval, time.time()

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        if (epoch + 1) % self.every:
            return False
        raw = model.save_raw("ubj")
        p = self.folder / f"round_{epoch + 1:05d}.ubj"
        with p.open("wb") as f:
            f.write(raw)
            f.flush()
            os.fsync(f.fileno())
        np.save(self.folder / f"margin_{epoch + 1:05d}.npy", model.predict(self.dval, output_margin=True))
        print(f"snapshot {p} ({len(raw) / 1e6:.2f} MB, {time.time() - self.t:.1f} s)", flush=True)
        return False


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(4)
    x = rng.normal(size=(30000, 30)).astype(np.float32)
    y = (np.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2] + rng.normal(size=30000) * 0.7 > 0).astype(int)
    dtr, dval = xgb.DMatrix(x[:24000], y[:24000]), xgb.DMatrix(x[24000:], y[24000:])
    params = {
        "objective": "binary:logistic",
        "eta": 0.05,
        "max_depth": 7,
        "nthread": 1,
        "tree_method": "hist",
        "eval_metric": ["logloss", "auc"],
    }
    print(
        f"xgboost {xgb.__version__}: {dtr.num_row()} rows x {dtr.num_col()}, 800 rounds, snapshots every 20 in {folder}",
        flush=True,
    )
    bst = xgb.train(
        params,
        dtr,
        800,
        evals=[(dtr, "train"), (dval, "val")],
        verbose_eval=10,
        callbacks=[Snapshots(folder, 20, dval)],
    )
    bst.save_model(folder / "final.ubj")
    print("final model written", flush=True)


if __name__ == "__main__":
    main()
