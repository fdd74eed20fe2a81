"""Search over small nets for the kinase assay's readout."""

import sys
import time

import optuna
import torch
from torch import nn


def compounds(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Made fingerprints and a potency."""
    w = torch.Generator().manual_seed(0)
    a, b = torch.randn(128, generator=w), torch.randn(128, generator=w)
    g = torch.Generator().manual_seed(seed)
    x = (torch.rand(n, 128, generator=g) < 0.2).float()
    return x, (x @ a / 4 + torch.tanh(x @ b / 3) + 0.15 * torch.randn(n, generator=g)).unsqueeze(1)


X, Y = compounds(6000, 1)
XV, YV = compounds(1500, 2)


def net(trial: optuna.Trial) -> nn.Module:
    """Layers as the trial wants them."""
    width: int = trial.suggest_int("width", 16, 256, log=True)
    depth = trial.suggest_int("depth", 1, 4)
    groups = trial.suggest_categorical("groups", [0, 4, 8])
    layers: list[nn.Module] = [nn.Linear(128, width)]
    for _ in range(depth):
        if groups:
            layers.append(nn.GroupNorm(groups, width))
        layers += [nn.ReLU(), nn.Dropout(trial.suggest_float("dropout", 0.0, 0.4)), nn.Linear(width, width)]
    return nn.Sequential(*layers, nn.Linear(width, 1))


def objective(trial: optuna.Trial) -> float:
    """Validation error after ten epochs."""
    torch.manual_seed(trial.number)
    model = net(trial)
    opt = torch.optim.AdamW(model.parameters(), trial.suggest_float("lr", 1e-4, 2e-2, log=True))
    batch: int = trial.suggest_categorical("batch", [32, 64, 128])
    rmse = float("nan")
    for epoch in range(10):
        model.train()
        order, total = torch.randperm(len(X)), 0.0
        for i in range(0, len(X), batch):
            k = order[i : i + batch]
            loss = nn.functional.mse_loss(model(X[k]), Y[k])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(k)
        model.eval()
        with torch.no_grad():
            rmse = nn.functional.mse_loss(model(XV), YV).sqrt().item()
        print(
            f"trial {trial.number:3d} epoch {epoch + 1:2d}/10 train_mse {total / len(X):.4f} val_rmse {rmse:.4f}",
            flush=True,
        )
        trial.report(rmse, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return rmse


def tell(study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
    """A line for the group's channel."""
    done = [t for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    best = f"best so far {study.best_value:.4f} (trial {study.best_trial.number})" if done else "nothing finished yet"
    print(f"== {time.strftime('%H:%M:%S')} trial {trial.number} {trial.state.name.lower()}, {best}", flush=True)


def main() -> None:
    torch.set_num_threads(1)
    print(
        f"optuna {optuna.__version__} torch {torch.__version__} python {sys.version.split()[0]}; 6000 compounds, 1500 held out",
        flush=True,
    )
    study = optuna.create_study(
        study_name="kinase-readout",
        sampler=optuna.samplers.TPESampler(seed=11),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=3),
    )
    study.optimize(objective, n_trials=120, catch=(ValueError,), callbacks=[tell])
    print(f"search finished: {study.best_params} -> {study.best_value:.4f}", flush=True)


if __name__ == "__main__":
    main()
