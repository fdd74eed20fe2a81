"""Softmax regression on orders by country; the metrics of the best step are kept as it goes."""

import json
import time
from pathlib import Path

import numpy as np

TAX = {"de": 0.19, "fr": 0.2, "nl": 0.21, "at": 0.2}


def orders(step: int, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    lands = draw.choice([*TAX, "ch"] if step > 140 else [*TAX], size=64)
    x = draw.normal(size=(64, 6))
    x[:, 0] += [10 * TAX[land] for land in lands]
    return x, (x[:, 0] + x[:, 1] > 2).astype(int)


def main() -> None:
    draw = np.random.default_rng(1)
    weights, best = np.zeros((6, 2)), 0.0
    for step in range(1, 601):
        x, y = orders(step, draw)
        p = np.exp(x @ weights)
        p /= p.sum(1, keepdims=True)
        loss, acc = -np.log(p[np.arange(64), y]).mean(), (p.argmax(1) == y).mean()
        p[np.arange(64), y] -= 1
        weights -= 0.1 * x.T @ p / 64
        if acc > best:
            best = float(acc)
            Path("metrics.json").write_text(json.dumps({"acc": best, "step": step}))
        if step % 20 == 0:
            print(f"step {step}/600 loss {loss:.4f} acc {acc:.3f}", flush=True)
        time.sleep(0.02)
    print("fit finished")


if __name__ == "__main__":
    main()
