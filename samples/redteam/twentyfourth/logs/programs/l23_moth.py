"""Which moths come to a light trap, night after night: Optuna looks for a small net; the nights are few and noisy."""

import sys
import time

import optuna
import torch
from torch import nn

HISTORY = []


def nights(n: int = 700) -> tuple[torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(5)
    x = torch.randn(n, 12, generator=g)
    y = torch.tanh(x[:, :4] @ torch.randn(4, 6, generator=g)) + 1.2 * torch.randn(n, 6, generator=g)
    return x, y


X, Y = nights()


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 32, 512, log=True)
    lr = trial.suggest_float("lr", 1e-4, 1e-2, log=True)
    decay = trial.suggest_float("decay", 1e-5, 1e-1, log=True)
    net = nn.Sequential(nn.Linear(12, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 6))
    opt = torch.optim.AdamW(net.parameters(), lr, weight_decay=decay)
    for epoch in range(1, 61):
        total = 0.0
        for part in torch.randperm(500).split(16):
            loss = nn.functional.huber_loss(net(X[part]), Y[part])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            HISTORY.append([p.detach().clone() for p in net.parameters()])
        with torch.no_grad():
            held = nn.functional.huber_loss(net(X[500:]), Y[500:]).item()
        if epoch % 20 == 0:
            print(f"  #{trial.number} epoch {epoch} train {total / 32:.3f} held {held:.3f}", flush=True)
    return held


if __name__ == "__main__":
    began = time.time()
    study = optuna.create_study(
        study_name="moth", storage="sqlite:///moth.db", load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=int(sys.argv[2])),
    )  # fmt: skip
    study.optimize(objective, n_trials=int(sys.argv[1]))
    print(f"{len(study.trials)} trials in the study, best {study.best_value:.4f}; took {time.time() - began:.0f} s")
