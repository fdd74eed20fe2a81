"""A rate just above what the steepest direction bears: the loss falls at first, then climbs, to the planned end."""

from __future__ import annotations

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(5)
    curvature = np.concatenate([np.linspace(0.05, 1.0, 40), [4.12]])
    x = np.concatenate([rng.normal(0, 3, 40), [1e-4]])
    for epoch in range(1, 241):
        loss = 0.5 * float(curvature @ (x * x))
        x -= 0.5 * curvature * x + rng.normal(0, 1e-3, 41)
        if epoch % 4 == 0:
            print(f"Epoch {epoch:03d}: train_loss={loss:.4g} lr=0.5", flush=True)
        time.sleep(0.06)
    print("Finished training, saved model_last.pth", flush=True)


if __name__ == "__main__":
    main()
