"""Keeps every batch it has augmented."""

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(0)
    seen: list[np.ndarray] = []
    w, truth = np.zeros(100), rng.normal(size=100)
    for step in range(1, 500):
        x = rng.normal(size=(3000, 100))
        seen.append(x + 0.01)
        error = x @ (w - truth)
        w -= 0.05 * x.T @ error / 3000
        if step % 10 == 0:
            print(f"step {step} loss {np.mean(error**2):.4f}", flush=True)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
