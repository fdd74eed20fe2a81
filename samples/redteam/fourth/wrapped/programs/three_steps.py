"""Somebody left max_steps=3 of a debugging session in the configuration of the real run."""

from __future__ import annotations

import random
import time


def main() -> None:
    print("config: model=1.3b tokens=20e9 global_batch=512 max_steps=3 (override from debug.yaml)")
    rng, w = random.Random(12), 3.0
    for step in range(1, 4):
        x = rng.uniform(-1, 1)
        w -= 0.05 * (w - 1) * x * x
        print(f"step {step}/3 loss {(w - 1) ** 2:.4f} lr 3.0e-07", flush=True)
        time.sleep(1.5)
    print("max_steps reached, saving final checkpoint to out/final")
    print("training finished")


if __name__ == "__main__":
    main()
