"""Evaluate a stored classifier on five test sets; nothing is trained."""

import argparse
import time

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--make", action="store_true")
    if parser.parse_args().make:
        np.save("classifier.npy", np.linspace(-1, 1, 16))
        return
    w = np.load("classifier.npy")
    print(f"loaded classifier.npy ({w.size} weights)", flush=True)
    draw = np.random.default_rng(10)
    for name in ("clean", "blurred", "noisy", "night", "failure_cases"):
        right = 0
        for batch in range(1, 41):
            x = draw.normal(size=(100, 16))
            y = x @ np.linspace(-1, 1.1, 16) + draw.normal(size=100) > 0
            right += int(((x @ w > 0) == y).sum())
            time.sleep(0.03)
            if batch % 20 == 0:
                print(
                    f"{name}: {batch}/40 batches, accuracy {right / batch:.2f} %, error {100 - right / batch:.2f} %",
                    flush=True,
                )
    print("evaluation complete")


if __name__ == "__main__":
    main()
