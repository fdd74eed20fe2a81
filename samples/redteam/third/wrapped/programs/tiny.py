"""A very small model that really learns: logistic regression on two clouds, in plain Python."""

from __future__ import annotations

import math
import random
import time


class Model:
    """Weights, one step of gradient descent, and the loss of it."""

    def __init__(self, seed: int = 0, lr: float = 0.2) -> None:
        self.rng = random.Random(seed)
        self.w, self.lr, self.norm = [0.0] * 9, lr, 0.0

    def batch(self, n: int = 64) -> list[tuple[list[float], int]]:
        rows = []
        for _ in range(n):
            y = self.rng.randrange(2)
            rows.append(([self.rng.gauss(0.9 * y, 1) for _ in range(8)] + [1.0], y))
        return rows

    def step(self, pause: float = 0.01) -> float:
        rows, grad, loss = self.batch(), [0.0] * 9, 0.0
        for x, y in rows:
            z = sum(a * b for a, b in zip(self.w, x, strict=True))
            p = 1 / (1 + math.exp(-max(-60.0, min(60.0, z))))
            loss -= math.log(max(1e-12, p if y else 1 - p)) / len(rows)
            for i, b in enumerate(x):
                grad[i] += (p - y) * b / len(rows)
        self.norm = math.sqrt(sum(g * g for g in grad))
        self.w = [a - self.lr * g for a, g in zip(self.w, grad, strict=True)]
        time.sleep(pause)
        return loss
