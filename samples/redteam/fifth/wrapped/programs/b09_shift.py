"""Saves and leaves when it is told to; goes on from there the next time."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from types import FrameType

FILE = Path("shift.json")


def main() -> None:
    leave = []

    def told(number: int, _: FrameType | None) -> None:
        leave.append(number)

    signal.signal(signal.SIGUSR1, told)
    rng = np.random.default_rng()
    goal = np.linspace(-1, 1, 40)
    start, w = 0, np.zeros(40)
    if FILE.exists():
        state = json.loads(FILE.read_text())
        start, w = state["step"], np.array(state["w"])
        print(f"resumed from {FILE} at step {start}", flush=True)
    for step in range(start + 1, 351):
        x = rng.normal(size=(256, 40))
        error = x @ w - x @ goal
        w -= 0.01 * x.T @ error / 256
        if step % 10 == 0:
            print(f"step {step}/350  train/loss {float(error @ error) / 256:.5f}", flush=True)
        if leave:
            FILE.write_text(json.dumps({"step": step, "w": list(w)}))
            print(f"signal {leave[0]}: state saved at step {step}, leaving for the next shift", flush=True)
            sys.exit(0)
        time.sleep(0.05)
    print("step 350 of 350 reached, training is complete", flush=True)


if __name__ == "__main__":
    main()
