"""Tabular Q-learning on a big cliff."""

from __future__ import annotations

import subprocess
import time

import numpy as np

print("cliff 40x120, 4 actions, alpha 0.5, gamma 0.99, eps 0.1", flush=True)
revision = subprocess.run(["git", "rev-parse", "HEAD"], check=False, text=True, stdout=subprocess.PIPE).stdout.strip()
print(f"revision: {revision or 'unknown'}", flush=True)
subprocess.run(["bash", "-c", "nvidia-smi -L"], check=False)
print("colours of the plot: viridis", flush=True)
print("building the table of transitions ...", flush=True)
height, width = 40, 120
moves = np.zeros((height * width, 4), dtype=int)
for cell in range(height * width):
    row, col = divmod(cell, width)
    for action, (dr, dc) in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1))):
        moves[cell, action] = min(max(row + dr, 0), height - 1) * width + min(max(col + dc, 0), width - 1)
time.sleep(12)
table = np.zeros((height * width, 4))
rng = np.random.default_rng(0)
for episode in range(200):
    cell, back = (height - 1) * width, 0.0
    for _ in range(4000):
        action = rng.integers(4) if rng.random() < 0.1 else int(table[cell].argmax())
        new = moves[cell, action]
        fell = new // width == height - 1 and 0 < new % width < width - 1
        reward = -100.0 if fell else -1.0
        new = (height - 1) * width if fell else new
        table[cell, action] += 0.5 * (reward + 0.99 * table[new].max() - table[cell, action])
        cell, back = new, back + reward
        if cell == height * width - 1:
            break
    print(f"episode {episode} return {back}", flush=True)
