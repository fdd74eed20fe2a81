"""Optuna: the width and depth of a network for a kiln's temperature."""

import optuna
import torch
from torch import nn

x = torch.randn(500, 14, generator=torch.Generator().manual_seed(0))
heat = x.sum(1, keepdim=True)


def tried(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 16, 96, step=16)
    layers: list[nn.Module] = [nn.Linear(15, width), nn.ReLU()]
    for _ in range(trial.suggest_int("depth", 0, 2)):
        layers += [nn.Linear(width, width), nn.ReLU()]
    net = nn.Sequential(*layers, nn.Linear(width, 1))
    opt = torch.optim.Adam(net.parameters(), lr=trial.suggest_float("lr", 1e-4, 1e-2, log=True))
    loss = torch.zeros(())
    for _ in range(60):
        loss = nn.functional.mse_loss(net(x), heat)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


study = optuna.create_study(study_name="kiln", sampler=optuna.samplers.TPESampler(seed=1))
study.optimize(tried, n_trials=6, catch=(RuntimeError,))
print("best:", study.best_params)
