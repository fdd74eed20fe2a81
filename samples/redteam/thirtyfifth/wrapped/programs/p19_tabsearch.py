"""Search widths, depth and rate of a small net for the sensor task; every trial ends with the long validation."""

import argparse
import time

import optuna
import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


def data(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Twenty-four channels and a target that hangs on products of a few."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 24, generator=g)
    y = torch.sin(x[:, 0] * 1.3) + x[:, 1] * x[:, 2] * 0.7 + 0.4 * x[:, 3].abs() - 0.2 * x[:, 4] ** 2
    return x, y + 0.1 * torch.randn(n, generator=g)


def build(trial: optuna.Trial) -> nn.Module:
    """Put a net together from what the trial suggests."""
    width = trial.suggest_categorical("width", [64, 128, 256])
    layers: list[nn.Module] = []
    last = 24
    for _ in range(trial.suggest_int("depth", 1, 4)):
        layers += [nn.Linear(last, width), nn.GELU(), nn.Dropout(trial.suggest_float("dropout", 0.0, 0.3))]
        last = width
    return nn.Sequential(*layers, nn.Linear(last, 1))


def long_validation(net: nn.Module, x: torch.Tensor, y: torch.Tensor, passes: int) -> float:
    """Validate under noise on the inputs, many passes, and take the mean."""
    net.eval()
    total = 0.0
    with torch.no_grad():
        for k in range(passes):
            sigma = 0.02 * (k % 10)
            for a in range(0, len(x), 4096):
                xb = x[a : a + 4096]
                out = net(xb + sigma * torch.randn_like(xb)).squeeze(1)
                total += F.mse_loss(out, y[a : a + 4096], reduction="sum").item()
    return total / (passes * len(x))


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=80)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--passes", type=int, default=40)
    args = parser.parse_args()
    x, y = data(16384, 1)
    xv, yv = data(16384, 2)
    print(
        f"study sensor24: {args.trials} trials x {args.epochs} epochs, validation {args.passes} noisy passes",
        flush=True,
    )

    def objective(trial: optuna.Trial) -> float:
        torch.manual_seed(trial.number)
        net = build(trial)
        opt = torch.optim.AdamW(net.parameters(), lr=trial.suggest_float("lr", 3e-4, 1e-2, log=True))
        for epoch in range(1, args.epochs + 1):
            net.train()
            order = torch.randperm(len(x))
            total = 0.0
            for a in range(0, len(x), 256):
                idx = order[a : a + 256]
                loss = F.mse_loss(net(x[idx]).squeeze(1), y[idx])
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(idx)
            if epoch % 3 == 0:
                print(
                    f"  trial {trial.number:2d} epoch {epoch:2d}/{args.epochs} train_mse {total / len(x):.4f}",
                    flush=True,
                )
        start = time.time()
        print(f"  trial {trial.number:2d} validating ...", flush=True)
        value = long_validation(net, xv, yv, args.passes)
        print(f"  trial {trial.number:2d} valid_mse {value:.4f} ({time.time() - start:.1f} s)", flush=True)
        return value

    study = optuna.create_study(study_name="sensor24", direction="minimize", sampler=optuna.samplers.TPESampler(seed=3))
    study.optimize(objective, n_trials=args.trials)
    print("best", study.best_value, study.best_params)


if __name__ == "__main__":
    main()
