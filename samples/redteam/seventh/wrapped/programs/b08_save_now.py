"""A fit that saves when it is asked to: ``kill -USR1``."""

import signal
import time
from types import FrameType

import numpy as np

ASKED = []


def ask(number: int, _: FrameType | None) -> None:
    ASKED.append(number)
    print(f"caught signal {number} ({signal.Signals(number).name}), will save", flush=True)


def main() -> None:
    signal.signal(signal.SIGUSR1, ask)
    draw = np.random.default_rng(8)
    w = np.zeros(12)
    for step in range(1, 501):
        x = draw.normal(size=(64, 12))
        error = x @ (w - 2)
        w -= 0.01 * x.T @ error / 64
        if step % 20 == 0:
            print(f"step {step}/500  loss {(error**2).mean():.5f}", flush=True)
        if ASKED:
            ASKED.clear()
            np.save(f"asked_{step}.npy", w)
            print(f"emergency checkpoint asked_{step}.npy written, going on", flush=True)
        time.sleep(0.04)
    np.save("final.npy", w)
    print("500 steps done, final.npy written")


if __name__ == "__main__":
    main()
