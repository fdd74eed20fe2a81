"""Starts two workers; the settings of the second were saved by an editor that had not finished."""

from __future__ import annotations

import json
import time
from pathlib import Path

import torch.multiprocessing as mp


def work(index: int) -> None:
    print(f"worker {index}: reading settings", flush=True)
    settings = json.loads(Path(f"worker{index}.json").read_text())
    print(f"worker {index}: rate {settings['rate']}", flush=True)
    time.sleep(60)


if __name__ == "__main__":
    Path("worker0.json").write_text('{"rate": 0.1}')
    Path("worker1.json").write_text('{"rate": 0.1,')
    mp.spawn(work, nprocs=2)
