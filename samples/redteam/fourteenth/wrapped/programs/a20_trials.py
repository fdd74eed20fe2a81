"""Searches width and depth of a small regressor: each trial trains in a worker of a pool."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import optuna


def train(width: int, rows: int, rate: float) -> float:
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, 40)).astype("float32")
    y = np.sin(x[:, :1]) + x[:, 1:2] * 0.5
    first = random.normal(size=(40, width)).astype("float32") / 6
    second = np.zeros((width, 1), "float32")
    for _ in range(25):
        hidden = np.maximum(x @ first, 0)
        wrong = hidden @ second - y
        second -= rate * hidden.T @ wrong / rows
    return float((wrong**2).mean())


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 16, 4096, log=True)
    rows = 2000 if trial.number < 6 else 400_000
    rate = trial.suggest_float("rate", 1e-4, 1e-3, log=True)
    return pool.submit(train, width, rows, rate).result()


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=4))
        study.optimize(objective, n_trials=30)
        print("best", study.best_params, study.best_value)
