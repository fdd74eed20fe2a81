"""A two-layer net by hand; keeps each epoch's activations to draw them later."""

from __future__ import annotations

import time

import numpy as np

rng = np.random.default_rng(3)
x = rng.normal(size=(6000, 64))
y = np.sin(x[:, :8].sum(1, keepdims=True))
a, b = rng.normal(size=(64, 256)) / 8, rng.normal(size=(256, 1)) / 16
kept: list[np.ndarray] = []
print("samples 6000, hidden 256, 120 epochs", flush=True)
for epoch in range(120):
    total = 0.0
    for i in range(0, 6000, 200):
        h = np.tanh(x[i : i + 200] @ a)
        miss = h @ b - y[i : i + 200]
        total += float((miss**2).sum())
        gb = h.T @ miss / 200
        ga = x[i : i + 200].T @ ((miss @ b.T) * (1 - h**2)) / 200
        a -= 0.1 * ga
        b -= 0.1 * gb
    kept.append(np.tanh(x @ a))
    print(f"epoch {epoch + 1}/120 mse {total / 6000:.4f} ({time.process_time():.1f} s cpu)", flush=True)
np.savez("drawn.npz", *kept[::10])
print("done", flush=True)
