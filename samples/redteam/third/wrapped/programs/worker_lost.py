"""A worker of a process pool is killed by SIGKILL in mid-run; the parent's traceback only says that a process ended abruptly."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor

from tiny import Model


def load(i: int) -> int:
    if i == 90:
        os.kill(os.getpid(), signal.SIGKILL)
    return i


if __name__ == "__main__":
    model = Model(26)
    with ProcessPoolExecutor(2) as pool:
        for i in range(1, 301):
            pool.submit(load, i).result()
            loss = model.step()
            if i % 10 == 0:
                print(f"step {i}/300 loss {loss:.4f}", flush=True)
