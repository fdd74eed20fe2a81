"""A decoder written in C reads where there is nothing, in the middle of training."""

from __future__ import annotations

import ctypes
import random
import time


def decode(i: int) -> float:
    if i == 87:
        ctypes.string_at(8, 16)
    return random.Random(i).uniform(-1, 1)


def main() -> None:
    w = 4.0
    for step in range(1, 501):
        x = decode(step)
        err = w * x - x
        w -= 0.1 * err * x
        if step % 5 == 0:
            print(f"step {step} | loss {(w - 1) ** 2:.4f} | 48.2 samples/s", flush=True)
        time.sleep(0.03)
    print("training complete")


if __name__ == "__main__":
    main()
