"""Fills the cache of tide tables beside the training; writes to the same terminal."""

import logging
import random
import sys
import time
import zlib

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s tidecache %(levelname)-7s %(message)s")
LOG = logging.getLogger("tidecache")
PORTS = [
    "Stavanger",
    "Aberdeen",
    "Esbjerg",
    "Den Helder",
    "Lerwick",
    "Bergen",
    "Cuxhaven",
    "Oostende",
    "Brest",
    "Leith",
]


def main() -> None:
    """A port after the other, packed into memory, until there is no more to do."""
    rng = random.Random(5)
    total = 0
    for turn in range(1000):
        port = PORTS[turn % len(PORTS)]
        raw = bytes(rng.randrange(40, 90) for _ in range(rng.randrange(200_000, 900_000)))
        packed = len(zlib.compress(raw, 6))
        total += packed
        LOG.info(
            "%s %d: %d kB -> %d kB (all %.1f MB)",
            port,
            2015 + turn // len(PORTS),
            len(raw) // 1024,
            packed // 1024,
            total / 1e6,
        )
        time.sleep(rng.uniform(2.0, 6.5))


if __name__ == "__main__":
    main()
