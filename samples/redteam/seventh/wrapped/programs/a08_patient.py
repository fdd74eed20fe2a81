"""Keep a training going: start it again, from its last checkpoint, as often as it takes (four times at most)."""

import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np


def fetch(step: int) -> np.ndarray:
    """A batch from the object store, which has its bad moments."""
    left = Path(f"hiccup{step}")
    if step in (60, 130) and not left.exists():
        left.touch()
        raise ConnectionResetError(104, "Connection reset by peer")
    return np.random.default_rng(step).normal(size=(64, 5))


def train() -> None:
    store = Path("last.npz")
    kept = np.load(store) if store.exists() else {"step": 0, "w": np.zeros(5)}
    first, w = int(kept["step"]), kept["w"].copy()
    print(f"starting at step {first}" if first == 0 else f"resumed from {store} at step {first}", flush=True)
    for step in range(first + 1, 301):
        x = fetch(step)
        error = x @ (w - np.arange(5))
        w -= 0.02 * x.T @ error / 64
        if step % 10 == 0:
            np.savez(store, step=step, w=w)
            print(f"step {step}/300 loss {(error**2).mean():.5f}", flush=True)
        time.sleep(0.03)
    print("training complete: 300/300 steps")


def main() -> None:
    if "--worker" in sys.argv:
        try:
            train()
        except OSError:
            traceback.print_exc()
            sys.exit(75)
        return
    for attempt in range(1, 5):
        status = subprocess.run([sys.executable, __file__, "--worker"], check=False).returncode
        print(f"[keeper] attempt {attempt}: exit {status}", flush=True)
        if status == 0:
            return
        time.sleep(1)
    sys.exit("[keeper] gave up")


if __name__ == "__main__":
    main()
