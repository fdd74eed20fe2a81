"""Tokens lie in a mapped file that somebody else prepares anew while this reads."""

import sys
import time

import numpy as np


def main() -> None:
    if sys.argv[1:] == ["--make"]:
        np.random.default_rng(0).integers(0, 500, 8_000_000, dtype=np.int32).tofile("tokens.bin")
        return
    tokens = np.memmap("tokens.bin", dtype=np.int32, mode="r")
    counts = np.ones((500, 500))
    rng = np.random.default_rng(1)
    for step in range(1, 4001):
        at = int(rng.integers(0, len(tokens) - 5000))
        chunk = tokens[at : at + 5000]
        p = counts[chunk[:-1], chunk[1:]] / counts.sum(1)[chunk[:-1]]
        np.add.at(counts, (chunk[:-1], chunk[1:]), 1)
        if step % 50 == 0:
            print(f"step {step}/4000 nll {-np.log(p).mean():.4f}", flush=True)
        time.sleep(0.015)


if __name__ == "__main__":
    main()
