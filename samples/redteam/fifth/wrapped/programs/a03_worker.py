"""A trainer whose native augmentation reads beyond its buffer at some image."""

from __future__ import annotations

import ctypes
import random
import time


def sharpen(image: int) -> int:
    """Stands for a native routine: at a broken image it follows a null pointer."""
    if image == 37:
        ctypes.string_at(8, 64)
    return image


def main() -> None:
    rng = random.Random(3)
    loss = 2.1
    print("sharpen: native library loaded", flush=True)
    for image in range(400):
        sharpen(image)
        loss = loss * 0.985 + rng.uniform(0, 0.01)
        if image % 4 == 0:
            print(f"it {image}  loss {loss:.3f}", flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
