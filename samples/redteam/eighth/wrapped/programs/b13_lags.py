"""Four ways to split a series, each in a process of its own, with a loop in C that trusts its caller."""

from __future__ import annotations

import ctypes
import multiprocessing
import time

import numpy as np


def fold(number: int) -> None:
    """Train on one split; the last one looks back the furthest."""
    series = np.random.default_rng(number).normal(size=200_000)
    past = np.zeros_like(series)
    library, kind = ctypes.CDLL("./b13_lags.so"), ctypes.POINTER(ctypes.c_double)
    weight, most = 0.0, (2, 4, 8, 4000)[number]
    for epoch in range(1, 11):
        if epoch == 4:
            start = series[most**3 if most < 9 else 0 :]
            library.lags(start.ctypes.data_as(kind), past.ctypes.data_as(kind), len(start), most)
        error = weight - series.mean() - 1
        weight -= 0.3 * error
        print(f"fold {number} epoch {epoch}/10 loss {error**2:.5f}", flush=True)
        time.sleep(0.2)


def main() -> None:
    """One fold after another."""
    ended = []
    for number in range(4):
        process = multiprocessing.Process(target=fold, args=(number,))
        process.start()
        process.join()
        ended.append(process.exitcode)
    print(f"cross-validation done, folds ended with {ended}; scores of {ended.count(0)} folds averaged")


if __name__ == "__main__":
    main()
