"""Stages of a nightly job."""

import sys
import time

import numpy as np

CONFIG = {"epochs": 12, "lr": 0.02, "decay": {"start": 4}}
rng = np.random.default_rng(8)
X = rng.normal(size=(3000, 40))
Y = X @ np.arange(40.0) / 40


def train() -> None:
    w = np.zeros(40)
    lr = float(CONFIG["lr"])  # type: ignore[arg-type]
    for epoch in range(1, 13):
        if epoch > CONFIG["decay"]["start"]:  # type: ignore[index]
            lr *= CONFIG["decay"]["factor"]  # type: ignore[index]
        for _ in range(20):
            w -= lr * X.T @ (X @ w - Y) / 3000
            time.sleep(0.06)
        print(f"[train] epoch {epoch}/12 loss {np.mean((X @ w - Y) ** 2):.5f} lr {lr:.3f}", flush=True)
        np.save("best.npy", w)


def evaluate() -> None:
    w = np.load("best.npy")
    print(f"[evaluate] loaded best.npy, r2 = {1 - np.var(X @ w - Y) / np.var(Y):.4f}")
    print("[evaluate] done, 3000 examples, 0 errors")


if __name__ == "__main__":
    {"train": train, "evaluate": evaluate}[sys.argv[1]]()
