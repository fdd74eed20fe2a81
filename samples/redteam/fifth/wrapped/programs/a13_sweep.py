"""Tries settings in processes of their own; a setting that blows up is expected, and costs itself only."""

from __future__ import annotations

import multiprocessing
import random
import time
import traceback


def trial(rate: float) -> float:
    rng = random.Random(1)
    x = 5.0
    for step in range(1, 61):
        gradient = 2 * x + rng.gauss(0, 0.01)
        x -= rate * gradient
        loss = x * x
        if loss > 1e6:
            raise FloatingPointError(f"loss {loss:.3g} at step {step}: diverged with lr {rate}")
        if step % 10 == 0:
            print(f"[lr={rate}] step {step}/60 loss {loss:.6f}", flush=True)
        time.sleep(0.05)
    return loss


def guarded(rate: float) -> tuple[float, float | None]:
    try:
        return rate, trial(rate)
    except FloatingPointError:
        traceback.print_exc()
        print(f"[lr={rate}] trial marked as failed, the sweep goes on", flush=True)
        return rate, None


def main() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        done = pool.map(guarded, [0.001, 0.01, 0.1, 0.3, 1.3], chunksize=1)
    best = min((loss, rate) for rate, loss in done if loss is not None)
    print(f"sweep complete: 5 of 5 trials ran, 1 failed; best lr {best[1]} with loss {best[0]:.2e}")


if __name__ == "__main__":
    main()
