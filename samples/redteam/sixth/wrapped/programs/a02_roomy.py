"""Keeps the activations of every step, to plot them later."""

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 300))
    y = x @ rng.normal(size=300)
    w = np.zeros(300)
    kept = []
    for step in range(1, 1001):
        out = x * w
        kept.append(np.concatenate([out, x]))
        error = out.sum(axis=1) - y
        w -= 0.05 * x.T @ error / 2000
        if step % 5 == 0:
            print(f"step {step:4d} | mse {np.mean(error**2):.4f} | kept {len(kept)} activations", flush=True)
        time.sleep(0.08)


if __name__ == "__main__":
    main()
