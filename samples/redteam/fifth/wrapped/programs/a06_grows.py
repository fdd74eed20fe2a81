"""Keeps every batch of its run in a list "for the plots", until there is no memory left."""

from __future__ import annotations

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(0)
    w = np.zeros(64)
    goal = rng.normal(size=64)
    kept = []
    for step in range(1, 500):
        x = rng.normal(size=(8192, 64))
        kept.append(x)
        error = x @ w - x @ goal
        w -= 0.05 * x.T @ error / len(x)
        if step % 5 == 0:
            print(f"Step: {step:>4}  Loss: {float(error @ error) / len(x):8.4f}", flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
