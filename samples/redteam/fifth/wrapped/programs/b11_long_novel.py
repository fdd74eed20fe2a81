"""Far from its end when its time is over."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(14)
    loss, begin = 10.4, time.time()
    for step in range(1, 50_001):
        loss = 3.1 + (loss - 3.1) * 0.99 + rng.gauss(0, 0.04)
        time.sleep(0.04)
        if step % 10 == 0:
            left = (50_000 - step) * (time.time() - begin) / step
            print(
                f"[{step:>6}/50000] loss: {loss:.3f}  lr: {3e-4 * min(1, step / 200):.2e}  ETA {left / 60:.0f} min",
                flush=True,
            )


if __name__ == "__main__":
    main()
