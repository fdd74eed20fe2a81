"""The data lie on a share that answers when it likes; the loop tells where its time goes."""

import random
import time

import numpy as np


def fetch(rng: np.random.Generator) -> np.ndarray:
    time.sleep(random.choice((0.7, 0.8, 0.9, 2.4)))
    return rng.normal(size=(256, 128))


def main() -> None:
    random.seed(6)
    rng = np.random.default_rng(6)
    truth, w = rng.normal(size=128), np.zeros(128)
    waited = worked = 0.0
    for step in range(1, 29):
        begin = time.monotonic()
        x = fetch(rng)
        got = time.monotonic()
        error = x @ (w - truth)
        for _ in range(20):
            w -= 0.02 * x.T @ (x @ (w - truth)) / 256
        end = time.monotonic()
        waited, worked = waited + got - begin, worked + end - got
        print(
            f"step {step}/28 loss {np.mean(error**2):.4f} data_time {got - begin:.3f}s compute_time {end - got:.3f}s",
            flush=True,
        )
    print(f"epoch done: {waited:.1f} s waiting for data, {worked:.1f} s computing")


if __name__ == "__main__":
    main()
