"""How dunes wander: which attention does best, searched with Optuna."""

from __future__ import annotations

import optuna
import torch
from torch import nn


def dunes(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    speed = torch.rand(count, 1)
    waves = torch.sin(torch.arange(24) * (0.2 + speed)) + 0.1 * torch.randn(count, 24)
    return waves[..., None], speed


class Net(nn.Module):
    """One layer of attention over a day's heights."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.rise = nn.Linear(1, width)
        self.look = nn.MultiheadAttention(width, heads, batch_first=True)
        self.out = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.tanh(self.rise(x))
        return self.out(self.look(x, x, x, need_weights=False)[0].mean(1))


def objective(trial: optuna.Trial) -> float:
    width, heads = trial.suggest_int("width", 16, 64, step=4), trial.suggest_int("heads", 1, 8)
    net = Net(width, heads)
    adam = torch.optim.Adam(net.parameters(), lr=trial.suggest_float("lr", 1e-4, 1e-2, log=True))
    x, y = dunes(2000)
    for _ in range(6):
        for part in torch.randperm(1600).split(100):
            loss = nn.functional.mse_loss(net(x[part]), y[part])
            adam.zero_grad()
            loss.backward()
            adam.step()
    with torch.no_grad():
        return nn.functional.mse_loss(net(x[1600:]), y[1600:]).item()


def main() -> None:
    torch.manual_seed(0)
    study = optuna.create_study(study_name="dunes", sampler=optuna.samplers.TPESampler(seed=12))
    study.optimize(objective, n_trials=30)
    print("best:", study.best_params, study.best_value)


if __name__ == "__main__":
    main()
