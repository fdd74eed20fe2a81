"""Q-learning with a replay buffer that only grows; the queue gives every job 2 GB of address space."""

from __future__ import annotations

import time

import numpy as np


def main() -> None:
    """Play, remember, learn."""
    rng, weight, buffer = np.random.default_rng(0), np.zeros((128, 4)), []
    truth = rng.normal(size=(128, 4))
    for episode in range(1, 201):
        seen = rng.normal(size=(18000, 128))
        buffer.append(seen)
        batch = np.concatenate(buffer)[rng.integers(0, len(buffer) * 18000, 512)] if episode % 5 == 0 else seen[:512]
        error = batch @ weight - batch @ truth
        weight -= 0.15 * batch.T @ error / len(error)
        print(f"episode {episode:3d} | td loss {np.mean(error**2):10.5f} | buffer {len(buffer) * 18000:,}", flush=True)
        time.sleep(0.3)


if __name__ == "__main__":
    main()
