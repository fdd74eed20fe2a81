"""Find width, dropout and rate for the meter-digit net, then train the winner and test it once."""

import optuna
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

X, Y = load_digits(return_X_y=True)
REST, X_TEST, Y_REST, Y_TEST = train_test_split(X / 16.0, Y, test_size=270, random_state=71, stratify=Y)
X_FIT, X_VAL, Y_FIT, Y_VAL = train_test_split(REST, Y_REST, test_size=230, random_state=72, stratify=Y_REST)


def tensors(x: object, y: object) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def build(width: int, drop: float) -> nn.Module:
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, width, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(drop),
        nn.Linear(32 * width, 10),
    )


def epoch_of(net: nn.Module, opt: torch.optim.Optimizer, x: torch.Tensor, y: torch.Tensor) -> float:
    net.train()
    total = 0.0
    for part in torch.randperm(len(x)).split(48):
        loss = nn.functional.cross_entropy(net(x[part]), y[part])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(part)
    return total / len(x)


@torch.no_grad()
def right(net: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


def objective(trial: optuna.Trial) -> float:
    torch.manual_seed(trial.number)
    net = build(trial.suggest_int("width", 6, 30, step=4), trial.suggest_float("drop", 0.0, 0.45))
    opt = torch.optim.AdamW(net.parameters(), trial.suggest_float("lr", 2e-4, 1.5e-2, log=True))
    fit, val = tensors(X_FIT, Y_FIT), tensors(X_VAL, Y_VAL)
    for epoch in range(9):
        epoch_of(net, opt, *fit)
        trial.report(right(net, *val), epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return right(net, *val)


if __name__ == "__main__":
    torch.set_num_threads(1)
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    print(
        f"fit {len(X_FIT)}, validate {len(X_VAL)}, test {len(X_TEST)}; 22 trials of 9 epochs, then 36 epochs on {dev}"
    )
    study = optuna.create_study(
        direction="maximize",
        study_name="meter-digits",
        sampler=optuna.samplers.TPESampler(seed=19),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=3),
    )
    study.optimize(objective, n_trials=22)
    best = study.best_params
    print(f"winner: trial {study.best_trial.number} {best} -> {study.best_value:.4f}", flush=True)
    torch.manual_seed(1234)
    final = build(best["width"], best["drop"])
    adam = torch.optim.AdamW(final.parameters(), best["lr"])
    for e in range(1, 37):
        fall = epoch_of(final, adam, *tensors(REST, Y_REST))
        if e % 3 == 0:
            print(f"final epoch {e:2d}/36  loss {fall:.4f}", flush=True)
    print(f"test accuracy {right(final, *tensors(X_TEST, Y_TEST)):.4f} on {len(X_TEST)} digits never seen before")
    torch.save(final.state_dict(), "meter_digits.pt")
    print("saved meter_digits.pt, all done")
