"""A search for hyper-parameters of a demand forecast: some trials fail, some are pruned, the best one is trained anew."""

from __future__ import annotations

import math
import sys

import optuna
import torch
from torch import nn

torch.manual_seed(7)
torch.set_num_threads(1)
hours = torch.arange(6000, dtype=torch.float32)
daily = torch.sin(hours * 2 * math.pi / 24) + 0.4 * torch.sin(hours * 2 * math.pi / 168)
series = daily + 0.1 * torch.randn(6000)
window = series.unfold(0, 49, 1)
order = torch.randperm(len(window))
train, held = window[order[:4800]], window[order[4800:]]


def net(width: int, depth: int, act: str) -> nn.Sequential:
    layers: list[nn.Module] = []
    size = 48
    for _ in range(depth):
        layers += [nn.Linear(size, width), nn.ReLU() if act == "relu" else nn.Tanh()]
        size = width
    return nn.Sequential(*layers, nn.Linear(size, 1))


def epoch(model: nn.Sequential, optimizer: torch.optim.Optimizer, batch: int) -> float:
    total = 0.0
    for rows in train[torch.randperm(len(train))].split(batch):
        loss = nn.functional.mse_loss(model(rows[:, :48]).squeeze(1), rows[:, 48])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(train)


def held_out(model: nn.Sequential) -> float:
    with torch.no_grad():
        return nn.functional.mse_loss(model(held[:, :48]).squeeze(1), held[:, 48]).item()


def objective(trial: optuna.Trial) -> float:
    lr = trial.suggest_float("lr", 1e-4, 30.0, log=True)
    batch = trial.suggest_categorical("batch", [32, 128, 512])
    model = net(
        trial.suggest_int("width", 16, 96),
        trial.suggest_int("depth", 1, 4),
        trial.suggest_categorical("act", ["relu", "tanh"]),
    )
    kind = trial.suggest_categorical("optimizer", ["SGD", "Adam"])
    optimizer = getattr(torch.optim, kind)(model.parameters(), lr=lr)
    score = math.inf
    for number in range(12):
        loss = epoch(model, optimizer, batch)
        score = held_out(model)
        if not math.isfinite(loss) or not math.isfinite(score):
            raise FloatingPointError(f"loss is {loss} at epoch {number}: lr={lr:.3g} is too large for {kind}")
        trial.report(score, number)
        if trial.should_prune():
            raise optuna.TrialPruned
    return score


sampler = optuna.samplers.TPESampler(seed=3)
pruner = optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=3)
study = optuna.create_study(study_name="demand", direction="minimize", sampler=sampler, pruner=pruner)
study.optimize(objective, n_trials=24, catch=(FloatingPointError,))
states = [trial.state.name for trial in study.trials]
print({state: states.count(state) for state in sorted(set(states))}, file=sys.stderr)
best = study.best_trial
print(f"best is trial {best.number}: {best.value:.5f} with {best.params}; training it for 30 epochs", flush=True)
final = net(best.params["width"], best.params["depth"], best.params["act"])
optimizer = getattr(torch.optim, best.params["optimizer"])(final.parameters(), lr=best.params["lr"] / 2)
for number in range(1, 31):
    loss = epoch(final, optimizer, best.params["batch"])
    print(f"final epoch {number:2d}/30  train_loss={loss:.5f}  val_loss={held_out(final):.5f}", flush=True)
torch.save(final.state_dict(), "demand.pt")
print("saved demand.pt")
