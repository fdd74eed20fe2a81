"""Pulls the counters' files over into the local store (here: makes them up), one after the other."""

import random
import sys
import time
import zlib

rng = random.Random(6)
for n in range(1, 400):
    size = rng.randint(180, 900)
    payload = bytes(rng.randrange(256) for _ in range(size * 40))
    time.sleep(rng.uniform(0.3, 1.1))
    crc = zlib.crc32(payload)
    print(
        f"harvest: counter_{rng.randint(1, 220):03d}_2026-w{n % 52 + 1:02d}.csv  {size} kB  crc {crc:08x}  ok",
        flush=True,
    )
    if n % 15 == 0:
        print(f"harvest: {n} files, queue {400 - n}", file=sys.stderr, flush=True)
