"""A plain loop that its owner stops with Ctrl-C."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(6)
    loss = 7.3
    for step in range(1, 100_000):
        loss = 1.1 + (loss - 1.1) * 0.995 + rng.gauss(0, 0.03)
        if step % 5 == 0:
            print(f"step {step}/100000 loss {loss:.4f} tok/s {rng.gauss(5100, 40):.0f}", flush=True)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
