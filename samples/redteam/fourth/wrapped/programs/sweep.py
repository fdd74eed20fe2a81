"""Three trials of a sweep in one process; one of them diverges and is pruned, as the sweep is made to do."""

from __future__ import annotations

import math
import random
import time


def trial(number: int, lr: float) -> float:
    rng = random.Random(number)
    w = [rng.gauss(0, 1) for _ in range(8)]
    loss = 0.0
    for step in range(1, 121):
        x = [rng.gauss(0, 1) for _ in range(8)]
        err = sum(a * b for a, b in zip(w, x, strict=True))
        w = [a - lr * err * b for a, b in zip(w, x, strict=True)]
        loss = sum(a * a for a in w)
        if step % 10 == 0:
            print(f"[trial {number}] step {step}/120 loss {loss:.4g}", flush=True)
        if not math.isfinite(loss) or loss > 1e6:
            print(f"[trial {number}] pruned: loss {loss:.3g} (diverged with lr={lr})", flush=True)
            return math.inf
        time.sleep(0.02)
    return loss


def main() -> None:
    results = {lr: trial(n, lr) for n, lr in enumerate((0.02, 0.8, 0.05))}
    best = min(results, key=lambda lr: results[lr])
    print(f"sweep finished: 3 trials, 1 pruned, best lr={best} loss={results[best]:.4g}")


if __name__ == "__main__":
    main()
