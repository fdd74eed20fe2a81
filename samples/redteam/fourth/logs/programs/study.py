"""An Optuna study in which some trials fail and are caught, as the library offers."""

from __future__ import annotations

import optuna
import torch
from torch import nn


def objective(trial: optuna.Trial) -> float:
    lr = trial.suggest_float("lr", 1e-4, 10.0, log=True)
    torch.manual_seed(trial.number)
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    optim = torch.optim.SGD(net.parameters(), lr=lr)
    loss = torch.tensor(0.0)
    for step in range(100):
        x = torch.randn(64, 6)
        loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
        if not torch.isfinite(loss):
            raise ValueError(f"loss became {loss.item()} at step {step} with lr {lr:.3f}")
    return float(loss)


def main() -> None:
    study = optuna.create_study(direction="minimize", sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=15, catch=(ValueError,))
    print("best value", study.best_value, "params", study.best_params)


if __name__ == "__main__":
    main()
