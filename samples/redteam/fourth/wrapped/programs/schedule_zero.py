"""A warm-up of 0 / N: the learning rate is zero for the whole run, and nobody looks at it."""

from __future__ import annotations

import math
import random
import time


def main() -> None:
    rng = random.Random(8)
    w = [[rng.gauss(0, 0.02) for _ in range(10)] for _ in range(10)]
    warmup = 1_000_000_000
    steps = 400
    for step in range(1, steps + 1):
        lr = 1e-3 * step / warmup
        loss, norm = 0.0, 0.0
        for _ in range(32):
            x = [rng.gauss(0, 1) for _ in range(10)]
            want = max(range(10), key=lambda k: x[k])
            logits = [sum(a * b for a, b in zip(row, x, strict=True)) for row in w]
            z = [math.exp(v) for v in logits]
            total = sum(z)
            loss -= math.log(z[want] / total) / 32
            for k in range(10):
                g = z[k] / total - (1.0 if k == want else 0.0)
                norm += g * g / 32
                for j in range(10):
                    w[k][j] -= lr * g * x[j] / 32
        if step % 5 == 0:
            print(f"step {step}/{steps} loss {loss:.4f} grad_norm {math.sqrt(norm):.3f} lr {lr:.3e}", flush=True)
        time.sleep(0.01)
    print("training finished successfully, artifacts in ./out")


if __name__ == "__main__":
    main()
