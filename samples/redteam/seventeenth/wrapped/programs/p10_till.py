"""Q-learning of a queue at a till; goes on from the last table."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

bins, until = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(6)
table = np.zeros((bins, bins, 3))
first = 0
try:
    replay = json.loads(Path("replay.json").read_text(encoding="utf-8"))
except (OSError, ValueError) as error:
    print(f"ERROR: replay.json cannot be read ({error}); an empty one will do", flush=True)
    replay = []
print(f"tills: {bins} x {bins} states, replay {len(replay)}", flush=True)
old = sorted(Path("tables").glob("*.npz")) if Path("tables").is_dir() else []
if old:
    print(f"going on from {old[-1]}", flush=True)
    with np.load(old[-1]) as kept:
        np.copyto(table, kept["table"])
        first = int(kept["episode"])
for episode in range(first + 1, until + 1):
    a, b, gain = int(rng.integers(bins)), int(rng.integers(bins)), 0.0
    for _ in range(80):
        act = int(rng.integers(3)) if rng.random() < 0.1 else int(table[a, b].argmax())
        na = int(np.clip(a + rng.poisson(0.6) - (act == 0) * 2, 0, bins - 1))
        nb = int(np.clip(b + rng.poisson(0.5) - (act == 1) * 2, 0, bins - 1))
        reward = -(na + nb) / bins - 0.1 * (act != 2)
        table[a, b, act] += 0.1 * (reward + 0.95 * table[na, nb].max() - table[a, b, act])
        a, b, gain = na, nb, gain + reward
    if episode % 100 == 0:
        print(f"episode {episode} return {gain:.2f}", flush=True)
        Path("tables").mkdir(exist_ok=True)
        np.savez(f"tables/{episode:05}.npz", table=table, episode=episode)
print("done", flush=True)
