"""A glacier's flow, fitted year by year; the batch system here is the command timeout."""

import time

import numpy as np

rng = np.random.default_rng(11)
slope, flow = rng.normal(size=48), np.zeros(48)
began = time.monotonic()
for year in range(1, 501):
    for _ in range(8):
        x = rng.normal(size=(64, 48))
        flow -= 0.004 * x.T @ (x @ (flow - slope)) / 64
    if year % 5 == 0:
        left = (time.monotonic() - began) / year * (500 - year)
        print(f"year {year:3d}/500  rmse {np.sqrt(np.mean((flow - slope) ** 2)):.4f}  {left:.0f} s left", flush=True)
    time.sleep(0.12)
print("glacier fitted")
