"""Power of a wind park: three models, the last of them learns what the trees leave."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np


def fetch() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(6000, 16)).astype("float32")
    y = np.tanh(x[:, 0]) * 3 + x[:, 1] * x[:, 2] + 0.5 * x[:, 3] + 0.2 * rng.normal(size=6000)
    np.savez("wind.npz", x=x, y=y.astype("float32"))
    print("mirror used, 6000 rows")


def halves() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    data = np.load("wind.npz")
    return data["x"][:5000], data["y"][:5000], data["x"][5000:], data["y"][5000:]


def linear() -> None:
    from sklearn.neural_network import MLPRegressor

    x, y, xt, yt = halves()
    model = MLPRegressor(hidden_layer_sizes=(8,), max_iter=15, random_state=1, verbose=True).fit(x, y)
    Path("linear.json").write_text(json.dumps({"r2": model.score(xt, yt)}))


def trees() -> None:
    import xgboost

    x, y, xt, yt = halves()
    model = xgboost.XGBRegressor(n_estimators=120, learning_rate=0.1, n_jobs=1, eval_metric="rmse")
    model.fit(x, y, eval_set=[(x, y), (xt, yt)], verbose=10)
    np.save("left.npy", y - model.predict(x))
    Path("trees.json").write_text(json.dumps({"r2": model.score(xt, yt)}))


def net() -> None:
    import torch
    from torch import nn

    torch.manual_seed(2)
    torch.set_num_threads(1)
    x, _, _, _ = halves()
    rows, left = torch.from_numpy(x), torch.from_numpy(np.load("left.npy")).float()
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(1, 26):
        total = 0.0
        for part in torch.randperm(len(rows)).split(50):
            loss = nn.functional.mse_loss(model(rows[part]).squeeze(1), left[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"residual net: epoch {epoch}/25 train_loss {total / 100:.5f}", flush=True)
        time.sleep(0.5)
    torch.save(model.state_dict(), "net.pt")
    Path("net.json").write_text(json.dumps({"loss": total / 100}))


def report() -> None:
    parts = {name: json.loads(Path(f"{name}.json").read_text()) for name in ("linear", "trees", "net")}
    Path("report.txt").write_text(json.dumps(parts, indent=1))
    print("report written:", parts)


if __name__ == "__main__":
    {"fetch": fetch, "linear": linear, "trees": trees, "net": net, "report": report}[sys.argv[1]]()
