"""A search in which no trial can work."""

import numpy as np
import optuna


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
    x = np.random.default_rng(trial.number).normal(size=(100, 8))
    w = np.zeros(9)
    for _ in range(50):
        w -= rate * x.T @ (x @ w - 1.0)
    return float(np.mean((x @ w - 1.0) ** 2))


study = optuna.create_study(study_name="ridge")
study.optimize(objective, n_trials=6, catch=(ValueError,))
print("best value", study.best_value)
