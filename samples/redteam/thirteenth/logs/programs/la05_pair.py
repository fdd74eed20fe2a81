"""Two nodes, one process each."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist


def main() -> None:
    print(f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']} on {os.uname().nodename}", flush=True)
    dist.init_process_group("gloo")
    one = torch.ones(1)
    dist.all_reduce(one)
    print("sum", one.item())


if __name__ == "__main__":
    main()
