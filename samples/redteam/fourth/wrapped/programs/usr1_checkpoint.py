"""On SIGUSR1, some seconds before its time is up, it saves and leaves with 0, as the site's manual says."""

from __future__ import annotations

import random
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

ASKED: list[int] = []


def ask(signum: int, _: FrameType | None) -> None:
    ASKED.append(signum)


def main() -> None:
    signal.signal(signal.SIGUSR1, ask)
    rng, w = random.Random(12), 30.0
    for step in range(1, 100_001):
        x = rng.uniform(-1, 1)
        w -= 0.01 * (w - 1) * x * x
        if step % 20 == 0:
            print(f"step {step}/100000 loss {(w - 1) ** 2:.3f}", flush=True)
        if ASKED:
            print(
                f"signal {ASKED[0]} received: saving checkpoint at step {step} and leaving, to be continued", flush=True
            )
            time.sleep(1)
            print("checkpoint saved to ckpt/latest", flush=True)
            sys.exit(0)
        time.sleep(0.02)


if __name__ == "__main__":
    main()
