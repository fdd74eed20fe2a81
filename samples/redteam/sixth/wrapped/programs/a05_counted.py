"""Softmax regression on blobs."""

import time

import numpy as np


def main() -> None:
    rng = np.random.default_rng(2)
    centers = rng.normal(size=(5, 24)) * 1.2
    label = rng.integers(0, 5, 2500)
    x = centers[label] + rng.normal(size=(2500, 24))
    w = np.zeros((24, 5))
    for epoch in range(1, 31):
        for at in range(0, 2500, 250):
            z = x[at : at + 250] @ w
            p = np.exp(z - z.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            loss = -np.log(p[np.arange(250), label[at : at + 250]]).mean()
            p[np.arange(250), label[at : at + 250]] -= 1
            w -= 0.3 * x[at : at + 250].T @ p / 250
            time.sleep(0.04)
        print(f"epoch {epoch:2d}/30  loss {loss:.4f}  acc {np.mean((x @ w).argmax(1) == label):.3f}", flush=True)
    np.save("blobs.npy", w)
    print("training finished after 30 epochs, weights in blobs.npy", flush=True)


if __name__ == "__main__":
    main()
