"""Says in one line why it stops in the middle of training; no traceback, exit 3."""

from __future__ import annotations

import os
import random
import time


def main() -> None:
    rng, w = random.Random(12), 3.0
    for step in range(1, 501):
        x = rng.uniform(-1, 1)
        w -= 0.05 * (w - 1) * x * x
        if step % 10 == 0:
            print(f"step {step}/500 loss {(w - 1) ** 2:.4f}", flush=True)
        if step == 173:
            print("FATAL: sample 88213 of shard 12 has label 1001 but num_classes is 1000, aborting", flush=True)
            print("closing tensorboard writer", flush=True)
            os._exit(3)
        time.sleep(0.02)


if __name__ == "__main__":
    main()
