"""Where truffles grow, from soil and trees: Optuna looks for a small net."""

import sys
import time

import optuna
import torch
from torch import nn


def sites(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(33)
    x = torch.randn(n, 9, generator=g)
    score = x[:, 0] * x[:, 1] - 0.8 * x[:, 2].abs() + torch.sin(2 * x[:, 3]) + 0.6 * x[:, 4] * (x[:, 5] > 0)
    return x, (score + 0.4 * torch.randn(n, generator=g) > 0.2).long()


X, Y = sites(16_000)


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 16, 160, step=16)
    heads = trial.suggest_categorical("groups", [2, 4, 5])
    lr = trial.suggest_float("lr", 3e-4, 2e-2, log=True)
    drop = trial.suggest_float("dropout", 0.0, 0.4)
    torch.manual_seed(trial.number)
    net = nn.Sequential(
        nn.Linear(9, width), nn.GroupNorm(heads, width), nn.ReLU(), nn.Dropout(drop),
        nn.Linear(width, width), nn.GroupNorm(heads, width), nn.ReLU(), nn.Linear(width, 2),
    )  # fmt: skip
    opt = torch.optim.AdamW(net.parameters(), lr)
    accuracy = 0.0
    for epoch in range(1, 9):
        net.train()
        order, total = torch.randperm(13_000), 0.0
        for part in order.split(100):
            loss = nn.functional.cross_entropy(net(X[part]), Y[part])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            accuracy = (net(X[13_000:]).argmax(1) == Y[13_000:]).float().mean().item()
        print(f"trial {trial.number} epoch {epoch}/8 train loss {total / 130:.4f} val acc {accuracy:.4f}", flush=True)
        trial.report(accuracy, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return accuracy


if __name__ == "__main__":
    print(
        f"{time.strftime('%F %T')} optuna {optuna.__version__}, torch {torch.__version__}, {len(X)} sites", flush=True
    )
    study = optuna.create_study(
        study_name="truffle", direction="maximize", sampler=optuna.samplers.TPESampler(seed=int(sys.argv[1]))
    )
    study.optimize(objective, n_trials=40, catch=(ValueError,))
    print("best", study.best_value, study.best_params)
