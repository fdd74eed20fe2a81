"""The hydraulics of the terraces: reads gate positions from stdin, writes levels to stdout."""

import sys

import numpy as np

rng = np.random.default_rng(int(sys.argv[1]))
level, target, day = np.zeros(6), np.zeros(6), 0
for line in sys.stdin:
    word, *rest = line.split()
    if word == "season":
        level, target, day = rng.uniform(-1, 1, 6), rng.uniform(-0.5, 0.5, 6), 0
        print(*np.round(np.concatenate([level, target]), 5), flush=True)
        continue
    gates = np.clip(np.array([float(x) for x in rest]), -1, 1)
    flow = 0.2 * gates
    level = np.clip(level + flow - 0.08 * np.roll(flow, 1) + rng.normal(0, 0.02, 6), -5, 5)
    day += 1
    if day % 2 and np.abs(level).max() > 1.2:
        print(f"hydro: d{day} freeboard low on {int(np.abs(level).argmax())}", file=sys.stderr, flush=True)
    reward = -float(np.abs(level - target).mean())
    print(*np.round(np.concatenate([level, target]), 5), round(reward, 5), int(day >= 100), flush=True)
