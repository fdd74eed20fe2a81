"""Q-learning of a lift that has two floors to serve."""

from __future__ import annotations

import sys

import numpy as np

rng = np.random.default_rng(11)
table = np.zeros((12, 12, 2, 3))
eps, seen = 1.0, []
for episode in range(1, 3001):
    at, want, load, gain = int(rng.integers(12)), int(rng.integers(12)), 0, 0.0
    for _ in range(60):
        act = int(rng.integers(3)) if rng.random() < eps else int(table[at, want, load].argmax())
        new, reward, over = at, -1.0, False
        if act < 2:
            new = min(max(at + (1 if act else -1), 0), 11)
        elif at == want:
            reward, over = 20.0, True
        else:
            reward = -6.0
        best = 0.0 if over else table[new, want, load].max()
        table[at, want, load, act] += 0.3 * (reward + 0.97 * best - table[at, want, load, act])
        at, gain = new, gain + reward
        if over:
            break
    eps = max(0.02, eps * 0.998)
    seen.append(gain)
    if episode % 150 == 0:
        print(f"episode {episode}/3000 mean return {np.mean(seen[-150:]):8.2f} eps {eps:.3f}", flush=True)
        if episode == 300:
            print("note: unvisited corners of the table are left at zero", file=sys.stderr, flush=True)
np.save("lift.npy", table)
print(f"training complete: 3000 episodes, last 150 returned {np.mean(seen[-150:]):.2f}; lift.npy saved", flush=True)
