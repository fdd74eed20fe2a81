"""Says what is wrong, to nobody."""

import time

import numpy as np


def main() -> None:
    x = np.random.default_rng(0).normal(size=(1500, 200))
    w = np.zeros(200)
    for step in range(1, 200):
        for _ in range(40):
            w -= 0.01 * x.T @ (x @ w - 1) / 1500
        print("step", step, float(np.mean((x @ w - 1) ** 2)))
        time.sleep(0.05)
        if step == 150:
            np.load("validation.npy")


if __name__ == "__main__":
    main()
