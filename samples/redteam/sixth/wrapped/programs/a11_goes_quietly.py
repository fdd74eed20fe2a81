"""A vendor's library leaves in the middle and does not say why."""

import os
import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=(1000, 30))
    y = x @ rng.normal(size=30)
    w = np.zeros(30)
    for step in range(1, 1001):
        error = x @ w - y
        w -= 0.02 * x.T @ error / 1000
        if step % 10 == 0:
            print(f"{step:5d}/1000  loss={np.mean(error**2):.5f}", flush=True)
        if step == 317:
            os._exit(3)
        time.sleep(0.03)


if __name__ == "__main__":
    main()
