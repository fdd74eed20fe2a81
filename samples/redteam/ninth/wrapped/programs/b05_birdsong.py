"""A long fit, started by hand in a terminal."""

import time

import numpy as np

rng = np.random.default_rng(0)
song, guess = rng.normal(size=(200, 3)), np.zeros((200, 3))
for step in range(1, 100_001):
    x = rng.normal(size=(64, 200))
    off = x @ (guess - song)
    guess -= 0.002 * x.T @ off / 64
    if step % 20 == 0:
        print(f"step {step}/100000 loss {np.mean(off**2):.3f}", flush=True)
    time.sleep(0.02)
