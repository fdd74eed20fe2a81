"""Yield of fields of barley from weather, soil and husbandry: boosted trees, with a report of each round."""

import json
import logging
import time
import urllib.request

import numpy as np
import xgboost as xgb

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
log = logging.getLogger("barley")
BOARD = "http://127.0.0.1:29610/api/points"


class Board(xgb.callback.TrainingCallback):
    """Sends each tenth round to the board in the office."""

    def __init__(self, every: int = 10) -> None:
        self.every = every
        self.open = True
        self.begun = time.perf_counter()

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        if epoch % self.every:
            return False
        train, held = evals_log["train"]["rmse"][-1], evals_log["held"]["rmse"][-1]
        log.info("round %4d  rmse %.4f  held out %.4f  %.1f s", epoch, train, held, time.perf_counter() - self.begun)
        if self.open:
            try:
                body = json.dumps({"round": epoch, "train": train, "held": held}).encode()
                with urllib.request.urlopen(BOARD, body, timeout=3) as answer:
                    answer.read()
            except OSError:
                log.warning("board does not answer, the rest of the run goes unreported", exc_info=True)
                self.open = False
        return False


def fields(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 40)).astype(np.float32)
    rain, heat, nitrogen = x[:, 0], x[:, 1], x[:, 2]
    y = 6.4 + 0.8 * np.tanh(rain) - 0.5 * heat**2 * 0.4 + 0.6 * nitrogen * (rain > 0) + 0.3 * x[:, 3] * x[:, 4]
    return x, (y + rng.normal(0, 0.35, n)).astype(np.float32)


def main() -> None:
    log.info("xgboost %s", xgb.__version__)
    names = [f"f{i:02d}" for i in range(40)]
    train = xgb.DMatrix(*fields(120_000, 1), feature_names=names)
    held = xgb.DMatrix(*fields(20_000, 2), feature_names=names)
    log.info("%d fields to learn from, %d held out, %d columns", train.num_row(), held.num_row(), train.num_col())
    params = {"eta": 0.06, "max_depth": 7, "subsample": 0.8, "tree_method": "hist", "nthread": 1, "seed": 5}
    booster = xgb.train(
        params,
        train,
        num_boost_round=240,
        evals=[(train, "train"), (held, "held")],
        callbacks=[Board(), xgb.callback.EarlyStopping(30)],
        verbose_eval=False,
    )
    booster.save_model("barley.ubj")
    log.info("best round %d, held out rmse %.4f", booster.best_iteration, booster.best_score)
    top = sorted(booster.get_score(importance_type="gain").items(), key=lambda kv: -kv[1])[:5]
    log.info("most gain: %s", ", ".join(f"{k} {v:.1f}" for k, v in top))
    log.info("written to barley.ubj")


if __name__ == "__main__":
    main()
