"""Sweep for the freight price model: depth x eta x subsample."""

import itertools
import time

import numpy as np
import xgboost as xgb


class Every(xgb.callback.TrainingCallback):
    """Print a line every `n` rounds."""

    def __init__(self, tag: str, n: int, rounds: int) -> None:
        super().__init__()
        self.tag, self.n, self.rounds = tag, n, rounds

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        if (epoch + 1) % self.n == 0:
            train, valid = (evals_log[k]["rmse"][-1] for k in ("train", "valid"))
            print(
                f"{time.strftime('%H:%M:%S')} {self.tag} round {epoch + 1}/{self.rounds} train-rmse:{train:.5f} valid-rmse:{valid:.5f}",
                flush=True,
            )
        return False


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Shipments."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(n, 30)).astype(np.float32)
    y = (
        4
        + 0.8 * np.exp(0.4 * x[:, 0])
        + x[:, 1] * (x[:, 2] > 0.3)
        + 0.5 * np.sin(3 * x[:, 3])
        + 0.15 * rng.normal(size=n)
    )
    return x, y.astype(np.float32)


def main() -> None:
    """Go through the grid."""
    x, y = table(50_000)
    train, valid = xgb.DMatrix(x[:42_000], y[:42_000], nthread=1), xgb.DMatrix(x[42_000:], y[42_000:], nthread=1)
    grid = list(itertools.product((4, 6, 8), (0.05, 0.1), (0.7, 1.0)))
    rounds = 200
    print(
        f"xgboost {xgb.__version__}: {len(grid)} configurations x {rounds} rounds, rows {train.num_row()}/{valid.num_row()}",
        flush=True,
    )
    for k, (depth, eta, sub) in enumerate(grid, 1):
        tag = f"[{k}/{len(grid)} d{depth} eta{eta} ss{sub}]"
        log: dict = {}
        params = {"max_depth": depth, "eta": eta, "subsample": sub, "nthread": 1, "seed": 1, "tree_method": "hist"}
        xgb.train(
            params,
            train,
            rounds,
            [(train, "train"), (valid, "valid")],
            evals_result=log,
            verbose_eval=False,
            callbacks=[Every(tag, 25, rounds)],
        )
        best = min(log["valid"]["rmse"])
        print(f"{tag} best valid-rmse {best:.5f}", flush=True)
        with open("sweep.csv", "a") as f:
            f.write(f"{depth},{eta},{sub},{best:.5f}\n")


if __name__ == "__main__":
    main()
