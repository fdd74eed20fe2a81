"""Find rate, width and dropout of a small network with Optuna."""

from __future__ import annotations

import sqlite3

import optuna
import torch
from sklearn.datasets import load_digits
from torch import nn

digits = load_digits()
X = torch.tensor(digits.data / 16, dtype=torch.float32)
Y = torch.tensor(digits.target)


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 0, 192, step=32)
    rate = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    dropout = trial.suggest_float("dropout", 0.0, 0.6)
    if width == 0:
        raise ValueError("width 0: no hidden layer, not supported yet")
    torch.manual_seed(trial.number)
    net = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 10))
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    accuracy = 0.0
    for epoch in range(12):
        net.train()
        for begin in range(0, 1400, 64):
            loss = nn.functional.cross_entropy(net(X[begin : min(begin + 64, 1400)]), Y[begin : min(begin + 64, 1400)])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.eval()
        accuracy = (net(X[1400:]).argmax(1) == Y[1400:]).float().mean().item()
        trial.report(accuracy, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return accuracy


def main() -> None:
    print("sqlite", sqlite3.sqlite_version)
    study = optuna.create_study(
        direction="maximize",
        study_name="digits",
        storage="sqlite:///digits.db",
        load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=4),
    )
    study.optimize(objective, n_trials=40, catch=(ValueError,))
    print("Number of finished trials:", len(study.trials))
    print("Best trial:", study.best_trial.number, study.best_value)
    for key, value in study.best_params.items():
        print(f"    {key}: {value}")


if __name__ == "__main__":
    main()
