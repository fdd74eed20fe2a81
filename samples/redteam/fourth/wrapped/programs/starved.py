"""Reads its samples through a slow mount: seconds of waiting for hundredths of compute."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(7)
    w, steps = 4.0, 26
    for step in range(1, steps + 1):
        begin = time.perf_counter()
        time.sleep(2.1 + rng.random() * 0.4)
        data = time.perf_counter() - begin
        x = rng.uniform(0.5, 1)
        w -= 0.3 * (w - 1) * x
        whole = time.perf_counter() - begin
        print(f"Epoch: [0][{step}/{steps}] Time {whole:.3f} Data {data:.3f} Loss {(w - 1) ** 2:.4f}", flush=True)
    print("Epoch: [0] finished, best checkpoint saved")


if __name__ == "__main__":
    main()
