"""save_steps was set to 1: most of the time goes into checkpoints."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path


def main() -> None:
    rng, w = random.Random(12), 3.0
    folder = Path("ckpt")
    folder.mkdir(exist_ok=True)
    blob = bytes(8_000_000)
    for step in range(1, 61):
        begin = time.perf_counter()
        x = rng.uniform(-1, 1)
        w -= 0.2 * (w - 1) * x * x
        time.sleep(0.05)
        compute = time.perf_counter() - begin
        path = folder / f"step-{step}.pt"
        with path.open("wb") as out:
            out.write(blob)
            out.flush()
            os.fsync(out.fileno())
            time.sleep(0.4)
        save = time.perf_counter() - begin - compute
        print(f"step {step}/60 loss {(w - 1) ** 2:.4f} compute_time {compute:.2f}s", flush=True)
        print(f"saved checkpoint {path} in {save:.2f}s", flush=True)
        if step > 2:
            (folder / f"step-{step - 2}.pt").unlink()
    print("finished 60 steps")


if __name__ == "__main__":
    main()
