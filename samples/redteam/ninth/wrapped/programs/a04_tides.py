"""Harmonic fit of a harbour's tides by plain gradient descent."""

import argparse
import time

import numpy as np

cli = argparse.ArgumentParser()
cli.add_argument("--lr", type=float, default=0.1)
cli.add_argument("--epochs", type=int, default=100)
args = cli.parse_args()

rng = np.random.default_rng(7)
hours = np.arange(4000)
periods = np.array([12.42, 12.0, 25.82, 23.93, 12.66])
waves = np.concatenate([f(2 * np.pi * hours[:, None] / periods) for f in (np.sin, np.cos)], axis=1)
height = waves @ rng.normal(size=10) + 0.1 * rng.normal(size=4000)
fit, check = slice(0, 3000), slice(3000, 4000)

weights = np.zeros(10)
print(f"{len(periods)} constituents, 3000 h to fit, 1000 h to check, lr={args.lr}")
for epoch in range(args.epochs):
    residual = waves[fit] @ weights - height[fit]
    for _ in range(12):
        residual = waves[fit] @ weights - height[fit]
        weights -= args.lr * 2 * waves[fit].T @ residual / 3000
    test = np.sqrt(np.mean((waves[check] @ weights - height[check]) ** 2))
    print(f"ep {epoch:03d} | fit {np.mean(residual**2):.4g} m2 | check {test:.4g} m", flush=True)
    time.sleep(0.05)
np.savez("tides.npz", weights=weights)
print("harmonic constants written to tides.npz, all good")
