"""Tree species of crown polygons from lidar and spectral features: cross-validated boosting."""

import argparse
import csv
import dataclasses
import pathlib
import random
import time

import numpy as np
import xgboost as xgb

SPECIES = [
    "Abies alba",
    "Acer pseudoplatanus",
    "Fagus sylvatica",
    "Fraxinus excelsior",
    "Larix decidua",
    "Picea abies",
    "Pinus sylvestris",
]
BANDS = [f"b{k:02d}" for k in range(1, 13)]
SHAPE = ["h_p50", "h_p95", "crown_area", "crown_vol", "intensity", "echo_ratio", "slope", "elev"]


@dataclasses.dataclass
class Summary:
    """What goes into the lab book at the end."""

    begun: float = dataclasses.field(default_factory=time.time)
    crowns: int = 0
    folds: int = 0
    rounds: int = 0
    best: float | None = None

    def show(self) -> None:
        print("\n" + "-" * 46)
        print("SUMMARY")
        for key, value in (
            ("crowns read", self.crowns),
            ("folds finished", self.folds),
            ("rounds in total", self.rounds),
            ("best mlogloss", "-" if self.best is None else f"{self.best:.4f}"),
            ("minutes", f"{(time.time() - self.begun) / 60:.2f}"),
        ):
            print(f"  {key:<18}{value!s:>24}")
        print("-" * 46, flush=True)


class Follow(xgb.callback.TrainingCallback):  # noqa: D101
    def __init__(self, fold: int, summary: Summary) -> None:
        self.fold, self.summary = fold, summary

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        loss = evals_log["held"]["mlogloss"][-1]
        self.summary.rounds += 1
        self.summary.best = min(loss, self.summary.best or loss)
        if epoch % 20 == 0:
            print(
                f"fold {self.fold} [{epoch:>4}] train {evals_log['train']['mlogloss'][-1]:.4f} held {loss:.4f}",
                flush=True,
            )
        return False


def write_survey(path: pathlib.Path, n: int, seed: int) -> None:
    """One tile's crowns as the GIS exports them; class_id is the field key of the survey (1 to 7)."""
    rng = random.Random(seed)
    means = [[random.Random(100 * s + k).gauss(0.3, 0.08) for k in range(len(BANDS))] for s in range(len(SPECIES))]
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["crown", "class_id", *BANDS, *SHAPE])
        for i in range(n):
            s = min(int(rng.betavariate(1.5, 1.4) * 7), 6)
            h = rng.gauss(17 + s, 4)
            shape = [
                h * 0.7,
                h,
                rng.gammavariate(4, 7),
                h * 20,
                rng.gauss(90, 20),
                rng.random(),
                rng.gammavariate(2, 8),
                rng.gauss(900, 200),
            ]
            out.writerow([i, s + 1, *(f"{rng.gauss(m, 0.07):.4f}" for m in means[s]), *(f"{v:.3f}" for v in shape)])


def read_tile(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    with open(path) as f:
        rows = list(csv.DictReader(f))
    x = np.array([[float(r[c]) for c in BANDS + SHAPE] for r in rows], dtype=np.float32)
    return x, np.array([int(r["class_id"]) for r in rows])


def indices(x: np.ndarray) -> np.ndarray:
    """All normalised differences of two bands."""
    b = x[:, : len(BANDS)]
    cols = [(b[:, i] - b[:, j]) / (b[:, i] + b[:, j] + 1e-6) for i in range(len(BANDS)) for j in range(i)]
    return np.concatenate([x, np.stack(cols, 1)], 1)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--tiles", type=int, default=9)
    ap.add_argument("--crowns", type=int, default=14000)
    ap.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("tiles"))
    ap.add_argument("--rounds", type=int, default=200)
    args = ap.parse_args()
    args.dir.mkdir(exist_ok=True)
    summary = Summary()
    try:
        xs, ys = [], []
        for k in range(args.tiles):
            path = args.dir / f"tile_{4410 + k}.csv"
            if not path.exists():
                write_survey(path, args.crowns, k)
            x, y = read_tile(path)
            xs.append(indices(x))
            ys.append(y)
            summary.crowns += len(y)
            print(
                f"{path.name}: {len(y)} crowns, {len(np.unique(y))} species, tallest {x[:, 13].max():.1f} m", flush=True
            )
        params = {
            "objective": "multi:softprob",
            "num_class": len(SPECIES),
            "eta": 0.1,
            "max_depth": 6,
            "eval_metric": "mlogloss",
            "tree_method": "hist",
            "nthread": 2,
            "subsample": 0.8,
        }
        print(
            f"{xs[0].shape[1]} features, {args.tiles} folds (one tile held out each), xgboost {xgb.__version__}",
            flush=True,
        )
        for k in range(args.tiles):
            dtrain = xgb.DMatrix(np.concatenate(xs[:k] + xs[k + 1 :]), np.concatenate(ys[:k] + ys[k + 1 :]))
            dheld = xgb.DMatrix(xs[k], ys[k])
            xgb.train(
                params,
                dtrain,
                args.rounds,
                evals=[(dtrain, "train"), (dheld, "held")],
                verbose_eval=False,
                callbacks=[Follow(k, summary)],
            )
            summary.folds += 1
    finally:
        summary.show()


if __name__ == "__main__":
    main()
