"""Boosted trees that tell who leaves, with a callback of one's own."""

import argparse
import time

import numpy as np
import xgboost as xgb
from sklearn.datasets import make_classification


class Report(xgb.callback.TrainingCallback):
    """Print the figures every few rounds and keep the best."""

    def __init__(self, every: int, total: int) -> None:
        super().__init__()
        self.every, self.total, self.best, self.began = every, total, 9.0, time.time()

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        if epoch % self.every == 0:
            train, valid = evals_log["train"]["logloss"][-1], evals_log["valid"]["logloss"][-1]
            auc = evals_log["valid"]["auc"][-1]
            star = " *" if valid < self.best else ""
            self.best = min(valid, self.best)
            print(
                f"[trainer] round {epoch} of {self.total}: logloss train {train:.5f} valid {valid:.5f}, auc {auc:.5f}, {time.time() - self.began:.1f} s{star}",
                flush=True,
            )
        return False


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=900)
    args = parser.parse_args()
    x, y = make_classification(
        40000, 40, n_informative=22, n_redundant=6, n_clusters_per_class=6, flip_y=0.02, random_state=17
    )
    x[np.random.default_rng(0).random(x.shape) < 0.03] = np.nan
    train, valid = xgb.DMatrix(x[:32000], y[:32000]), xgb.DMatrix(x[32000:], y[32000:])
    print(
        f"[trainer] xgboost {xgb.__version__}, {train.num_row()} customers to learn from, {valid.num_row()} to check, {train.num_col()} columns",
        flush=True,
    )
    parameters = {
        "objective": "binary:logistic",
        "eta": 0.03,
        "max_depth": 6,
        "nthread": 1,
        "eval_metric": ["logloss", "auc"],
        "tree_method": "hist",
    }
    print(f"[trainer] {parameters}", flush=True)
    booster = xgb.train(
        parameters,
        train,
        args.rounds,
        [(train, "train"), (valid, "valid")],
        verbose_eval=False,
        callbacks=[Report(20, args.rounds), xgb.callback.EarlyStopping(60, data_name="valid", metric_name="logloss")],
    )
    booster.save_model("churn.ubj")
    print(f"[trainer] best round {booster.best_iteration}, wrote churn.ubj", flush=True)


if __name__ == "__main__":
    main()
