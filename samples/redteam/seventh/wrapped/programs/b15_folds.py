"""Cross-validation: one process a fold, and a table in the end."""

import ctypes
import subprocess
import sys
import time

import numpy as np


def fold(number: int) -> None:
    draw = np.random.default_rng(number)
    w = np.zeros(7)
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    for epoch in range(1, 31):
        buffer = libc.malloc(512)  # what our augmentation in C takes for a batch
        for _ in range(10):
            x = draw.normal(size=(32, 7))
            error = x @ (w - 1)
            w -= 0.03 * x.T @ error / 32
            time.sleep(0.01)
        libc.free(buffer)
        if number == 2 and epoch == 17:
            libc.free(buffer)  # a batch that was rejected is given back twice
        print(f"fold {number} epoch {epoch}/30 loss {(error**2).mean():.5f}", flush=True)


def main() -> None:
    if len(sys.argv) > 1:
        fold(int(sys.argv[1]))
        return
    states = [subprocess.run([sys.executable, __file__, str(number)], check=False).returncode for number in range(1, 5)]
    for number, state in enumerate(states, 1):
        print(f"fold {number}: {'ok' if state == 0 else 'no result'}")
    print(f"mean over {states.count(0)} folds written to cv.json")
    sys.exit(0 if states.count(0) > 1 else 1)


if __name__ == "__main__":
    main()
