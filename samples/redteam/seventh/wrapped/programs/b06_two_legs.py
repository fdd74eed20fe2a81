"""Fit a bigram table; go on from the newest checkpoint if there is one."""

import argparse
import time
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    parser.add_argument("--save-to", type=Path)
    parser.add_argument("--resume", choices=["auto"])
    args = parser.parse_args()
    found = sorted(args.save_to.glob("step_*.npy")) if args.resume else []
    table, first = (np.load(found[-1]), int(found[-1].stem[5:])) if found else (np.zeros((40, 40)), 0)
    args.save_to.mkdir(exist_ok=True)
    draw = np.random.default_rng(first)
    for step in range(first + 1, args.steps + 1):
        x = draw.integers(0, 40, size=512)
        y = (x * 7 + 3 + (draw.random(512) < 0.2)) % 40
        p = np.exp(table[x])
        p /= p.sum(1, keepdims=True)
        loss = -np.log(p[np.arange(512), y]).mean()
        p[np.arange(512), y] -= 1
        np.subtract.at(table, x, 0.005 * p)
        if step % 10 == 0 or step == first + 1:
            print(f"step {step:4d} | loss {loss:.4f} | lr 5.0e-03", flush=True)
        if step % 100 == 0:
            np.save(args.save_to / f"step_{step:06d}.npy", table)
        time.sleep(0.02)


if __name__ == "__main__":
    main()
