"""A search over shapes and rates with Optuna; some shapes cannot be built, and the study is told to expect that."""

from __future__ import annotations

import optuna
import torch
from torch import nn


def objective(trial: optuna.Trial) -> float:
    """The loss after some epochs with one choice."""
    torch.manual_seed(trial.number)
    rate = trial.suggest_float("lr", 1e-3, 1e-1, log=True)
    heads = trial.suggest_int("heads", 2, 6)
    data = torch.randn(64, 10, 24)
    target = data.sum(2, keepdim=True)
    net = nn.MultiheadAttention(24, heads, batch_first=True)
    head = nn.Linear(24, 1)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=rate)
    for epoch in range(30):
        loss = nn.functional.mse_loss(head(net(data, data, data)[0] + data), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        trial.report(loss.item(), epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss.item()


def main() -> None:
    """Twenty-five trials."""
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=0), pruner=optuna.pruners.MedianPruner(n_warmup_steps=10)
    )
    study.optimize(objective, n_trials=25, catch=(AssertionError,))
    print(f"finished: {len(study.trials)} trials, best loss {study.best_value:.4f} with {study.best_params}")


if __name__ == "__main__":
    main()
