"""Two processes that average what they learn."""

from __future__ import annotations

import datetime
import os

import torch
import torch.distributed as dist


def main() -> None:
    """Meet, then train."""
    where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    print(f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: joining process group at {where}", flush=True)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
    print("process group ready", flush=True)
    weight = torch.ones(8)
    for step in range(100):
        dist.all_reduce(weight)
        weight /= 2.1
        print(f"step {step} loss {weight.norm():.5f}", flush=True)


if __name__ == "__main__":
    main()
