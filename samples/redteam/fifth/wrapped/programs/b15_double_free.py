"""An extension gives the same memory back twice, in the middle of the training."""

from __future__ import annotations

import ctypes
import faulthandler
import random
import time


def main() -> None:
    faulthandler.enable()
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    rng = random.Random(2)
    loss = 5.0
    for step in range(1, 1000):
        buffer = libc.malloc(48)
        libc.free(buffer)
        if step == 230:
            libc.free(buffer)
        loss = 0.4 + (loss - 0.4) * 0.99 + rng.gauss(0, 0.01)
        if step % 10 == 0:
            print(f"[{step:05d}] loss = {loss:.4f}", flush=True)
        time.sleep(0.04)


if __name__ == "__main__":
    main()
