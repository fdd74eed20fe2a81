"""Search for a small net that foretells the yield of olive trees from soil and weather."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import optuna
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

SENSORS = ["ph", "clay_pct", "sand_pct", "org_c", "n_tot", "p_olsen", "k_exch", "rain_mm", "gdd", "frost_days"]


def survey(path: Path, rows: int = 6000) -> None:
    """Write the survey's table where the agronomists' export is not at hand."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(rows, len(SENSORS)))
    y = 22 + 4 * np.tanh(x[:, 7]) - 2.5 * x[:, 9] ** 2 + 1.5 * x[:, 3] * x[:, 4] + rng.normal(scale=1.2, size=rows)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*SENSORS, "kg_tree"])
        out.writerows(np.round(np.column_stack([x, y]), 4).tolist())


def table(path: Path) -> TensorDataset:
    """Read and standardise."""
    raw = np.genfromtxt(path, delimiter=",", skip_header=1)
    x, y = raw[:, :-1], raw[:, -1:]
    x = (x - x.mean(0)) / x.std(0)
    return TensorDataset(torch.from_numpy(x), torch.from_numpy((y - y.mean()) / y.std()))


def network(trial: optuna.Trial) -> nn.Sequential:
    """A perceptron of one to three layers."""
    layers: list[nn.Module] = []
    width = len(SENSORS)
    for depth in range(trial.suggest_int("n_layers", 1, 3)):
        units = trial.suggest_int(f"units_{depth}", 16, 128, log=True)
        layers += [nn.Linear(width, units), nn.GELU(), nn.Dropout(trial.suggest_float(f"drop_{depth}", 0.0, 0.4))]
        width = units
    return nn.Sequential(*layers, nn.Linear(width, 1))


class Objective:
    """RMSE on the trees left out."""

    def __init__(self, data: TensorDataset) -> None:
        self.train, self.valid = random_split(data, [0.8, 0.2], torch.Generator().manual_seed(0))

    def __call__(self, trial: optuna.Trial) -> float:
        model = network(trial)
        lr = trial.suggest_float("lr", 1e-4, 1e-2, log=True)
        optimizer = torch.optim.AdamW(
            model.parameters(), lr=lr, weight_decay=trial.suggest_float("wd", 1e-6, 1e-2, log=True)
        )
        batches = DataLoader(self.train, batch_size=trial.suggest_categorical("batch", [64, 128, 256]), shuffle=True)
        rmse = float("inf")
        for epoch in range(15):
            model.train()
            for x, y in batches:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                x, y = self.valid[:]
                rmse = nn.functional.mse_loss(model(x), y).sqrt().item()
            trial.report(rmse, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
        return rmse


def main() -> None:
    """Search."""
    torch.manual_seed(0)
    path = Path("olives.csv")
    if not path.exists():
        survey(path)
    data = table(path)
    print(f"{len(data)} trees, {len(SENSORS)} features", flush=True)
    study = optuna.create_study(
        study_name="olives",
        storage="sqlite:///olives.db",
        load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=1),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=3),
    )
    study.optimize(Objective(data), n_trials=40)
    print("best", study.best_value, study.best_params)


if __name__ == "__main__":
    main()
