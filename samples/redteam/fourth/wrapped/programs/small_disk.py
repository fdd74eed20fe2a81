"""Writes checkpoints into a file system that is too small. usage: small_disk.py FOLDER."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path


def main() -> None:
    folder = Path(sys.argv[1])
    rng = random.Random(6)
    w = 3.0
    for step in range(1, 1001):
        x = rng.uniform(-1, 1)
        w -= 0.05 * (w - 1) * x * x
        if step % 10 == 0:
            print(f"step {step}/1000 loss {(w - 1) ** 2:.5f}", flush=True)
        if step % 50 == 0:
            path = folder / f"ckpt_{step}.bin"
            print(f"saving {path}", flush=True)
            with path.open("wb") as out:
                for _ in range(8):
                    out.write(b"\0" * 1_000_000)
        time.sleep(0.02)
    print("done")


if __name__ == "__main__":
    main()
