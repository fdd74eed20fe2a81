"""The second stage of a nightly pipeline: a click model with a bug in its third epoch."""

from __future__ import annotations

import argparse
import math
import random
import time


def batches(seed: int) -> list[list[tuple[float, int]]]:
    rng = random.Random(seed)
    rows = [(rng.gauss(0, 1), 0) for _ in range(1600)]
    rows = [(x, int(rng.random() < 1 / (1 + math.exp(-2 * x)))) for x, _ in rows]
    return [rows[i : i + 32] for i in range(0, 1600, 32)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    weight = 0.0
    for epoch in range(args.epochs):
        weights = {"short": 1.0, "long": 0.5} if epoch < 2 else {"short": 1.0}
        for number, batch in enumerate(batches(epoch)):
            kind = "long" if number % 25 == 24 else "short"
            scale = weights[kind]
            loss = 0.0
            for x, y in batch:
                p = 1 / (1 + math.exp(-weight * x))
                loss -= math.log(p if y else 1 - p) / len(batch)
                weight += 0.02 * scale * (y - p) * x
            if number % 10 == 9:
                print(f"[train] epoch {epoch + 1}/{args.epochs} batch {number + 1}/50 logloss={loss:.4f}", flush=True)
            time.sleep(0.06)
    print(f"[train] finished, weight {weight:.3f}")


if __name__ == "__main__":
    main()
