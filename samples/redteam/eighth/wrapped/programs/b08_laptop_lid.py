"""Weights of a ranking from clicks."""

from __future__ import annotations

import time

import numpy as np


def main() -> None:
    """Two hundred epochs."""
    rng, weight = np.random.default_rng(6), np.zeros(25)
    better, worse = rng.normal(0.3, 1, (4000, 25)), rng.normal(0, 1, (4000, 25))
    for epoch in range(1, 201):
        gap = (better - worse) @ weight
        weight += 0.2 * ((better - worse) / (1 + np.exp(gap))[:, None]).mean(0)
        print(f"epoch {epoch}/200 - pairwise loss: {np.log1p(np.exp(-gap)).mean():.4f}", flush=True)
        time.sleep(0.25)


if __name__ == "__main__":
    main()
