"""How high will the loaf rise? Optuna looks for a small net on a bakery's oven records."""

import logging
import sys

import optuna
import torch
from torch import nn

torch.set_num_threads(1)
g = torch.Generator().manual_seed(3)
X = torch.randn(3000, 8, generator=g)
Y = (
    1.5 * X[:, :1].tanh() + X[:, 1:2] * X[:, 2:3] - 0.7 * X[:, 3:4] ** 2 + 0.2 * torch.randn(3000, 1, generator=g)
).float()
Y = (Y - Y.mean()) / Y.std()


def fit(p: dict, epochs: int, trial: optuna.Trial | None = None) -> float:
    """Trains one net; gives its error on the last 600 bakes."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for i in range(p["layers"]):
        layers += [nn.Linear(8 if i == 0 else p["width"], p["width"]), nn.SiLU(), nn.Dropout(p["dropout"])]
    net = nn.Sequential(*layers, nn.Linear(p["width"], 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=p["lr"])
    error = float("nan")
    for epoch in range(epochs):
        net.train()
        order, total = torch.randperm(2400), 0.0
        for part in order.split(64):
            loss = nn.functional.mse_loss(net(X[part]), Y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(part) / 2400
        net.eval()
        with torch.no_grad():
            error = nn.functional.mse_loss(net(X[2400:]), Y[2400:]).item()
        if trial is None:
            print(f"final epoch {epoch + 1:2d}/{epochs}  train {total:.4f}  valid {error:.4f}")
        else:
            trial.report(error, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
    if trial is None:
        torch.save(net.state_dict(), "loaf.pt")
    return error


def objective(trial: optuna.Trial) -> float:
    """One draw."""
    p = {
        "layers": trial.suggest_int("layers", 1, 3),
        "width": trial.suggest_categorical("width", [16, 32, 64]),
        "dropout": trial.suggest_float("dropout", 0.0, 0.3),
        "lr": trial.suggest_float("lr", 1e-4, 3e-2, log=True),
    }
    return fit(p, 12, trial)


if __name__ == "__main__":
    optuna.logging.get_logger("optuna").addHandler(logging.StreamHandler(sys.stdout))
    optuna.logging.disable_default_handler()
    pruner = optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=3)
    study = optuna.create_study(study_name="loaf", sampler=optuna.samplers.TPESampler(seed=1), pruner=pruner)
    study.optimize(objective, n_trials=20)
    done = [t for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    print(f"{len(study.trials)} trials, {len(done)} complete, {len(study.trials) - len(done)} pruned")
    print(f"best: {study.best_value:.4f} {study.best_params}")
    fit(study.best_params, 20)
    print("saved loaf.pt")
