"""A search over small nets for the two-moons-in-many-dimensions task."""

import optuna
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn

TRIALS = 260

x, y = make_classification(4200, 33, n_informative=17, n_redundant=6, n_classes=5, flip_y=0.02, random_state=58)
xa, xb, ya, yb = (torch.tensor(v) for v in train_test_split(x.astype("float32"), y, test_size=0.25, random_state=2))


def objective(trial: optuna.Trial) -> float:
    """Validation accuracy of one net."""
    width = trial.suggest_int("width", 16, 260, log=True)
    depth = trial.suggest_int("depth", 1, 4)
    lr = trial.suggest_float("lr", 1e-4, 2e-2, log=True)
    drop = trial.suggest_float("dropout", 0.0, 0.45)
    parts, before = [], 33
    for _ in range(depth):
        parts += [nn.Linear(before, width), nn.ReLU(), nn.Dropout(drop)]
        before = width
    net = nn.Sequential(*parts, nn.Linear(before, 5))
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    best = 0.0
    for _epoch in range(22):
        net.train()
        for i in torch.randperm(len(xa)).split(63):
            loss = nn.functional.cross_entropy(net(xa[i]), ya[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            best = max(best, (net(xb).argmax(1) == yb).float().mean().item())
    return best


if __name__ == "__main__":
    torch.set_num_threads(1)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=12), study_name="nets-33d"
    )
    print(f"searching: {TRIALS} trials", flush=True)
    study.optimize(objective, n_trials=TRIALS)
    print("best:", study.best_value, study.best_params)
