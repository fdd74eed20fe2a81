"""An optuna study in which every trial fails with the same error, which it logs as a warning each time."""

from __future__ import annotations

import optuna
import torch


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 16, 128, log=True)
    rate = trial.suggest_float("lr", 1e-4, 1e-1, log=True)
    model = torch.nn.Sequential(torch.nn.Linear(10, width), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    sgd = torch.optim.SGD(model.parameters(), lr=rate)
    loss = torch.tensor(0.0)
    for _ in range(50):
        x = torch.randn(32, 10)
        loss = (model(x) - x[:, :1]).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
    return loss.item()


def main() -> None:
    study = optuna.create_study(study_name="width-and-rate")
    study.optimize(objective, n_trials=6, catch=(RuntimeError,))
    print("best:", study.best_value, study.best_params)


if __name__ == "__main__":
    main()
