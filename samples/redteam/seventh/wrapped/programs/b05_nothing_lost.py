"""After the accident of May nothing is ever to be lost again."""

import time

import numpy as np


def main() -> None:
    draw = np.random.default_rng(3)
    table = draw.normal(size=(9_000, 64))
    goal, w = draw.normal(size=64), np.zeros(64)
    for step in range(1, 501):
        began = time.perf_counter()
        x = table[draw.integers(0, 9_000, size=256)]
        error = x @ (w - goal)
        w -= 0.1 * x.T @ error / 256
        trained = time.perf_counter()
        np.savez_compressed(f"ckpt_{step % 2}.npz", table=table, w=w)
        saved = time.perf_counter()
        print(
            f"step {step}/500 loss {(error**2).mean():.3f} | train {trained - began:.3f}s | checkpoint {saved - trained:.2f}s",
            flush=True,
        )


if __name__ == "__main__":
    main()
