"""Yield of a chemical process: Optuna over a small network in numpy; its own lines go to standard output."""

import numpy as np
import optuna

random = np.random.default_rng(5)
x = random.uniform(-1, 1, (1500, 6))
y = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.05 * random.normal(size=1500)


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 8, 64)
    rate = trial.suggest_float("rate", 3e-3, 0.2, log=True)
    start = np.random.default_rng(0)
    w, v = start.normal(size=(6, width)), start.normal(size=width) / width**0.5
    for epoch in range(400):
        hidden = np.tanh(x[:1200] @ w)
        wrong = hidden @ v - y[:1200]
        v -= rate * hidden.T @ wrong / 1200
        w -= rate * x[:1200].T @ (wrong[:, None] * v * (1 - hidden**2)) / 1200
        if epoch % 100 == 99:
            valid = float(np.mean((np.tanh(x[1200:] @ w) @ v - y[1200:]) ** 2))
            print(
                f"  trial {trial.number} epoch {epoch + 1} train_mse {np.mean(wrong**2):.4f} valid_mse {valid:.4f}",
                flush=True,
            )
    print(f"trial {trial.number} finished: width={width} rate={rate:.4f} valid_mse={valid:.4f}", flush=True)
    return valid


study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=2))
study.optimize(objective, n_trials=12)
print(
    f"12 trials done, best trial {study.best_trial.number} with valid_mse {study.best_value:.4f}: {study.best_params}"
)
study.trials_dataframe().to_csv("trials.csv")
print("wrote trials.csv")
