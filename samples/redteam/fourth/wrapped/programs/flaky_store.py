"""Shards come from an object store that answers on the third try; each failure is logged with its traceback."""

from __future__ import annotations

import logging
import random
import socket
import time

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s | %(message)s")
log = logging.getLogger("shards")


def fetch(shard: int, attempt: int) -> list[float]:
    if attempt < 3 and shard % 3 == 1:
        with socket.create_connection(("127.0.0.1", 9), timeout=1):
            pass
    rng = random.Random(shard)
    return [rng.uniform(-2, 2) for _ in range(256)]


def load(shard: int) -> list[float]:
    for attempt in range(1, 6):
        try:
            return fetch(shard, attempt)
        except OSError:
            log.exception("could not read shard-%05d.tar (attempt %d of 5)", shard, attempt)
            time.sleep(0.3 * attempt)
    raise RuntimeError(f"shard {shard} is not readable")


def main() -> None:
    a, step = 0.0, 0
    for shard in range(10):
        data = load(shard)
        for begin in range(0, 256, 16):
            step += 1
            part = data[begin : begin + 16]
            loss = sum((a * x - 1.7 * x) ** 2 for x in part) / 16
            a -= 0.02 * sum(2 * (a * x - 1.7 * x) * x for x in part) / 16
            if step % 8 == 0:
                logging.getLogger("train").info("epoch 0 step %d/160 loss=%.5f", step, loss)
            time.sleep(0.02)
    logging.getLogger("train").info("epoch 0 done, 160 steps, a=%.4f, wrote model.json", a)


if __name__ == "__main__":
    main()
