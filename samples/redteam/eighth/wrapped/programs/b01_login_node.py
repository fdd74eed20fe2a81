"""Topics of abstracts by matrix factors; a long job for where it was started."""

from __future__ import annotations

import numpy as np


def main() -> None:
    """Alternate for 500 rounds."""
    rng = np.random.default_rng(0)
    left, right = rng.random((1500, 60)), rng.random((60, 1200))
    counts = rng.random((1500, 60)) @ rng.random((60, 1200))
    for number in range(1, 501):
        right *= (left.T @ counts) / (left.T @ left @ right + 1e-9)
        left *= (counts @ right.T) / (left @ right @ right.T + 1e-9)
        if number % 10 == 0:
            print(f"round {number}/500 loss {np.mean((counts - left @ right) ** 2):.5f}", flush=True)


if __name__ == "__main__":
    main()
