"""Beside the training in the same container: takes frames in from the camera and counts them."""

import random
import sys
import time

rng = random.Random(time.time())
total = 0
print("ingest: listening for station ALP-07 on /data/incoming", flush=True)
while True:
    time.sleep(rng.uniform(1.5, 6))
    got = rng.choice((1, 1, 2, 2, 3, 5))
    total += got
    dark = rng.gauss(41, 3)
    print(f"ingest: {time.strftime('%H:%M:%S')} +{got} frames (total {total}), dark level {dark:.1f}", flush=True)
    if dark > 46:
        print(f"ingest: dark level {dark:.1f} above 46, frames flagged", file=sys.stderr, flush=True)
