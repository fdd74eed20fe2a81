"""Trains with a meter that several threads may ask; every tenth epoch it is asked from inside."""

from __future__ import annotations

import threading
import time

import numpy as np


class Meter:
    """A running mean behind a lock."""

    def __init__(self) -> None:
        self._lock, self._seen = threading.Lock(), [0.0]

    def mean(self) -> float:
        with self._lock:
            return sum(self._seen[-10:]) / len(self._seen[-10:])

    def add(self, value: float) -> None:
        with self._lock:
            self._seen.append(value)
            if len(self._seen) == 21 and self.mean() > value:
                print("  improving", flush=True)


def main() -> None:
    """Sixty epochs."""
    rng, meter, weight = np.random.default_rng(2), Meter(), np.zeros(40)
    data = rng.normal(size=(3000, 40))
    target = data @ rng.normal(size=40)
    for epoch in range(1, 61):
        error = data @ weight - target
        weight -= 0.08 * data.T @ error / len(error)
        print(f"epoch {epoch}/60 loss {np.mean(error**2):.4f}", flush=True)
        meter.add(float(np.mean(error**2)))
        time.sleep(0.35)


if __name__ == "__main__":
    main()
