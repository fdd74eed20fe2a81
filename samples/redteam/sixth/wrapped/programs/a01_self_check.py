"""A classifier of tickets that first proves that its own alarms work, and writes what they caught."""

import logging

import numpy as np

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
log = logging.getLogger("selfcheck")


def drill(name: str, value: float) -> None:
    try:
        if not np.isfinite(value):
            raise FloatingPointError(f"loss is {value} at step 0")
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    except (FloatingPointError, RuntimeError):
        log.exception("drill %s: the guard fired", name)


def main() -> None:
    drill("nan-guard", float("nan"))
    drill("device-guard", 1.0)
    log.info("2/2 drills passed, training begins")
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4096, 64))
    y = (x @ rng.normal(size=64) > 0).astype(float)
    w = np.zeros(64)
    for step in range(1, 401):
        rows = rng.integers(0, 4096, 256)
        p = 1 / (1 + np.exp(-x[rows] @ w))
        loss = -np.mean(y[rows] * np.log(p + 1e-9) + (1 - y[rows]) * np.log(1 - p + 1e-9))
        w -= 0.5 * x[rows].T @ (p - y[rows]) / 256
        sum(np.linalg.norm(x @ x.T[:, :512]) for _ in range(1))
        if step % 20 == 0:
            log.info("step %d/400 loss %.4f", step, loss)
    accuracy = np.mean((x @ w > 0) == y)
    for line, told in (("FATAL: kernel panic - not syncing", "urgent"), ("nan in column price", "later")):
        log.info("sample %r -> %s", line, told)
    np.savez("tickets.npz", w=w)
    log.info("training complete: 400 steps, accuracy %.3f, saved tickets.npz", accuracy)


if __name__ == "__main__":
    main()
