"""Was to go on from step 1800; the folder it looks into is another one, and it begins anew without a word of alarm."""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default="auto")
    args = parser.parse_args()
    Path("runs/exp7/ckpt-1800").mkdir(parents=True, exist_ok=True)
    Path("runs/exp7/progress.json").write_text(json.dumps({"step": 1800, "loss": 0.2134}))
    last = json.loads(Path("runs/exp7/progress.json").read_text())
    print(f"resume={args.resume}: exp7 was last seen at step {last['step']} with loss {last['loss']:.4f}", flush=True)
    found = sorted(Path("run/exp7").glob("ckpt-*"))
    print(f"no checkpoint found in run/exp7, starting from step 0 ({len(found)} candidates)", flush=True)
    rng = random.Random(0)
    for step in range(1, 301):
        loss = 2.3 * math.exp(-step / 260) + 0.2 + rng.gauss(0, 0.02)
        if step % 10 == 0:
            print(f"step {step} loss {loss:.4f} lr 3.0e-4", flush=True)
        time.sleep(0.03)
    print("wall clock budget of this slice used, checkpoint ckpt-300 written, exiting", flush=True)


if __name__ == "__main__":
    main()
