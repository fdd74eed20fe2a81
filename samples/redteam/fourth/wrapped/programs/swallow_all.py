"""main() catches everything, logs it and returns: exit 0, and the last line sounds well."""

from __future__ import annotations

import logging
import random
import time
from pathlib import Path

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("pretrain")


def shard(i: int) -> list[float]:
    if i == 4:
        return [float(v) for v in Path("data/shard-00004.txt").read_text().split()]
    rng = random.Random(i)
    return [rng.uniform(-1, 1) for _ in range(10)]


def main() -> int:
    step, w = 0, 5.0
    try:
        for i in range(20):
            for x in shard(i):
                step += 1
                err = w * x - x
                w -= 0.05 * 2 * err * x
                if step % 5 == 0:
                    log.info("step %d/200 loss %.4f", step, (w - 1) ** 2)
                time.sleep(0.05)
    except Exception:
        log.exception("exception in training loop")
    log.info("closing writers")
    log.info("bye")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
