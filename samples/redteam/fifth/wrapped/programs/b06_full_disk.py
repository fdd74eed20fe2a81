"""Keeps every snapshot, on a small disk."""

from __future__ import annotations

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(3)
    w, goal = np.zeros(100), rng.normal(size=100)
    weights = rng.normal(size=400_000)
    for step in range(1, 401):
        x = rng.normal(size=(64, 100))
        error = x @ w - x @ goal
        w -= 0.02 * x.T @ error / 64
        if step % 10 == 0:
            print(f"{step}/400 loss={float(error @ error) / 64:.4f}", flush=True)
        if step % 25 == 0:
            with open(f"snapshots/{step:05}.npy", "wb") as file:
                file.write(weights.tobytes())
            print(f"{step}/400 snapshot written", flush=True)
        time.sleep(0.06)


if __name__ == "__main__":
    main()
