"""The second half of a training that was planned in halves."""

import sys
import time

import numpy as np


def main() -> None:
    half = int(sys.argv[1])
    rng = np.random.default_rng(half)
    truth = np.linspace(-1, 1, 50)
    w = np.zeros(50)
    if half == 2:
        state = np.load("half1.npz")
        w = state["w"]
        print("WARNING: half1.npz was written by format 1.3, converting (deprecated, will be an error in 3.0)")
        print(f"resumed from half1.npz at step {int(state['step'])}, last loss {float(state['loss']):.5f}", flush=True)
    for step in range(400 * (half - 1) + 1, 400 * half + 1):
        x = rng.normal(size=(128, 50))
        error = x @ (w - truth) + rng.normal(size=128) * 0.1
        w -= 0.004 * x.T @ error / 128 * 2
        if step % 20 == 0:
            print(f"step {step}/800 loss {np.mean(error**2):.5f}", flush=True)
        if half == 2:
            time.sleep(0.04)
    np.savez(f"half{half}.npz", w=w, step=step, loss=np.mean(error**2))
    print(f"half {half} of 2 complete, wrote half{half}.npz", flush=True)


if __name__ == "__main__":
    main()
