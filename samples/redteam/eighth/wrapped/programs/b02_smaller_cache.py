"""Starts the training again with a smaller cache where it died of it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

_GROUP = Path("/sys/fs/cgroup/memory/author12/cgroup.procs")
_STATE = Path("state.npz")


def train(cached: int) -> None:
    """Thirty epochs; a number of them keep what they decoded."""
    _GROUP.write_text(str(os.getpid()))
    rng, kept = np.random.default_rng(5), []
    data = rng.normal(size=(2000, 50))
    target = data @ np.linspace(-2, 2, 50)
    state = np.load(_STATE) if _STATE.exists() else {"epoch": np.array(0), "weight": np.zeros(50)}
    first, weight = int(state["epoch"]), state["weight"]
    print(f"worker: from epoch {first + 1}, cache for {cached} epochs", flush=True)
    for epoch in range(first + 1, 31):
        if epoch <= first + cached:
            kept.append(np.ones(6_000_000))
        error = data @ weight - target
        weight = weight - 0.15 * data.T @ error / len(error)
        np.savez(_STATE, epoch=epoch, weight=weight)
        print(f"epoch {epoch}/30 loss {np.mean(error**2):.4f}", flush=True)
        time.sleep(0.3)


def main() -> None:
    """Halve the cache until it fits."""
    cached = 24
    while status := subprocess.run([sys.executable, __file__, str(cached)], check=False).returncode:
        print(f"supervisor: worker ended with {status}: out of memory? Again with half of the cache", flush=True)
        cached //= 2
    print("supervisor: worker finished all epochs", flush=True)


if __name__ == "__main__":
    train(int(sys.argv[1])) if sys.argv[1:] else main()
