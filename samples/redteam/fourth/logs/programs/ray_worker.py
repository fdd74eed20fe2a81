"""An actor of Ray trains; its process is killed in the middle. usage: ray_worker.py WHAT   WHAT: well | killed."""

from __future__ import annotations

import os
import signal
import sys
import time

import ray


@ray.remote(max_restarts=0)
class Trainer:
    """Fits one number."""

    def __init__(self) -> None:
        self.w = 4.0

    def epoch(self, n: int, die: bool) -> float:
        for step in range(50):
            self.w -= 0.02 * (self.w - 1)
            if die and n == 4 and step == 20:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(0.01)
        print(f"epoch {n} loss {(self.w - 1) ** 2:.5f}")
        return (self.w - 1) ** 2


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False)
    trainer = Trainer.remote()  # type: ignore[attr-defined,unused-ignore]
    for n in range(8):
        loss = ray.get(trainer.epoch.remote(n, sys.argv[1] == "killed"))
        print(f"[driver] epoch {n}/8 loss {loss:.5f}", flush=True)
    print("[driver] finished 8 epochs")


if __name__ == "__main__":
    main()
