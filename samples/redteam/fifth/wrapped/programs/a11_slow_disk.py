"""Reads every batch from a share that answers in nearly a second, with one reader and no prefetch."""

from __future__ import annotations

import time

import numpy as np


class Meter:
    """A mean, as the examples of image classification keep it."""

    def __init__(self) -> None:
        self.last, self.sum, self.count = 0.0, 0.0, 0

    def update(self, value: float) -> None:
        self.last, self.sum, self.count = value, self.sum + value, self.count + 1

    def __str__(self) -> str:
        return f"{self.last:6.3f} ({self.sum / max(1, self.count):6.3f})"


def read(rng: np.random.Generator, goal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    time.sleep(0.85 + 0.15 * rng.random())
    x = rng.normal(size=(256, 32))
    return x, x @ goal


def main() -> None:
    rng = np.random.default_rng(4)
    goal = rng.normal(size=32)
    w = np.zeros(32)
    data_time, batch_time, losses = Meter(), Meter(), Meter()
    end = time.time()
    for i in range(36):
        x, y = read(rng, goal)
        data_time.update(time.time() - end)
        error = x @ w - y
        w -= 0.04 * x.T @ error / len(x)
        losses.update(float(error @ error) / len(x))
        batch_time.update(time.time() - end)
        end = time.time()
        print(f"Epoch: [0][{i + 1:2d}/36]\tTime {batch_time}\tData {data_time}\tLoss {losses}", flush=True)
    np.save("w.npy", w)


if __name__ == "__main__":
    main()
