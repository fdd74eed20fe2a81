"""A steady training loop, longer than anybody waits for: it is ended from outside."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(4)
    w = [rng.gauss(0, 2) for _ in range(6)]
    step = 0
    while step < 100_000:
        step += 1
        x = [rng.gauss(0, 1) for _ in range(6)]
        err = sum(a * b for a, b in zip(w, x, strict=True))
        w = [a - 0.01 * err * b for a, b in zip(w, x, strict=True)]
        if step % 10 == 0:
            print(f"step {step}/100000 loss {sum(a * a for a in w):.4f}", flush=True)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
