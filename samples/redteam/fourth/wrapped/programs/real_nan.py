"""A learning rate ten times too high: the loss grows without end and the loop goes on to its own."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(1)
    w = [rng.gauss(0, 1) for _ in range(16)]
    lr = 0.4
    for step in range(1, 301):
        x = [rng.gauss(0, 1) for _ in range(16)]
        err = sum(a * b for a, b in zip(w, x, strict=True)) - x[0]
        loss = err * err
        w = [a - lr * 2 * err * b for a, b in zip(w, x, strict=True)]
        if step % 10 == 0:
            print(f"Epoch 0 | Batch {step}/300 | Loss: {loss:.4g} | LR: {lr}", flush=True)
        time.sleep(0.02)
    print("Training complete! Model saved.")


if __name__ == "__main__":
    main()
