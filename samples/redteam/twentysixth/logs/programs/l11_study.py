"""Look for a small net that tells how long dough has to prove, from what the bakery's sensors say."""

import os
import sys
import time

import optuna
import torch
from torch import nn

ROWS, COLUMNS = 24000, 14


def readings(seed=3):
    """Flour, water, salt, yeast, room, humidity and so on, and the minutes it took."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(ROWS, COLUMNS, generator=g)
    y = 62 + 9 * x[:, 0] - 14 * torch.tanh(x[:, 1] * x[:, 2]) + 5 * torch.sin(2 * x[:, 3]) + 3 * x[:, 4] * x[:, 5]
    return x, (y + 1.5 * torch.randn(ROWS, generator=g))[:, None]


X, Y = readings()
MEAN, SPREAD = Y[:20000].mean(), Y[:20000].std()
TRAIN = torch.utils.data.TensorDataset(X[:20000], (Y[:20000] - MEAN) / SPREAD)


def objective(trial):
    """Minutes the net is off, on batches of dough it has not seen."""
    width = trial.suggest_int("width", 16, 128, log=True)
    layers = trial.suggest_int("layers", 1, 4)
    lr = trial.suggest_float("lr", 3e-4, 2e-2, log=True)
    drop = trial.suggest_float("dropout", 0.0, 0.4)
    torch.manual_seed(trial.number)
    parts, size = [], COLUMNS
    for _ in range(layers):
        parts += [nn.Linear(size, width), nn.SiLU(), nn.Dropout(drop)]
        size = width
    net = nn.Sequential(*parts, nn.Linear(size, 1))
    best = torch.optim.AdamW(net.parameters(), lr=lr)
    loader = torch.utils.data.DataLoader(TRAIN, batch_size=128, shuffle=True)
    for epoch in range(6):
        net.train()
        total = 0.0
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x), y)
            best.zero_grad()
            loss.backward()
            best.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            off = ((net(X[20000:]) * SPREAD + MEAN) - Y[20000:]).abs().mean().item()
        print(
            f"  trial {trial.number} epoch {epoch} train mse {total / len(loader):.4f} val mae {off:.2f} min",
            flush=True,
        )
        trial.report(off, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return off


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"proving-time study, pid {os.getpid()}, {ROWS} doughs, python {sys.version.split()[0]}", flush=True)
    began = time.time()
    study = optuna.create_study(
        study_name="prove-v4",
        direction="minimize",
        sampler=optuna.samplers.TPESampler(seed=11),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=2),
    )
    study.optimize(objective, n_trials=200)
    print(f"best {study.best_value:.3f} min with {study.best_params}, {time.time() - began:.0f} s")

# ruff: noqa: ANN001, ANN201
