"""Beside the trainer in the same container: watches a drop folder and answers a probe."""

import logging
import os
import random
import time
from pathlib import Path


def main() -> None:
    logging.basicConfig(format="%(asctime)s feature-sync %(levelname)s %(message)s", level=logging.INFO)
    drop, rng, n = Path("drop"), random.Random(os.getpid()), 0
    drop.mkdir(exist_ok=True)
    logging.info("watching %s every 3s", drop)
    while True:
        time.sleep(rng.uniform(1.5, 4.5))
        n += 1
        if n % 3 == 0:
            part = drop / f"usage-{n:04d}.csv"
            part.write_text(
                "\n".join(f"{rng.randrange(10**6)},{rng.random():.3f}" for _ in range(rng.randrange(200, 900)))
            )
            logging.info("picked up %s (%d bytes)", part.name, part.stat().st_size)
        elif n % 7 == 0:
            logging.warning("manifest older than 15 min, using it anyway")
        else:
            logging.info("GET /healthz 200 load=%.2f", os.getloadavg()[0])


if __name__ == "__main__":
    main()
