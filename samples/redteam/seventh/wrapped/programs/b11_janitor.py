"""Factorise a matrix of ratings."""

import time

import numpy as np


def main() -> None:
    draw = np.random.default_rng(4)
    ratings = draw.normal(size=(300, 8)) @ draw.normal(size=(8, 200))
    u, v = draw.normal(size=(300, 8)) * 0.1, draw.normal(size=(8, 200)) * 0.1
    for sweep in range(1, 1001):
        error = u @ v - ratings
        u, v = u - 0.0001 * error @ v.T, v - 0.0001 * u.T @ error
        if sweep % 20 == 0:
            np.save(f"scratch_{sweep}.npy", u)
            print(f"sweep {sweep:4d} of 1000: rmse {np.sqrt((error**2).mean()):.5f}", flush=True)
        time.sleep(0.04)


if __name__ == "__main__":
    main()
