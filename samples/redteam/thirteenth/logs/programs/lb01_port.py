"""A two-process job on a node that somebody shares."""

from __future__ import annotations

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    x = torch.ones(1)
    for step in range(100):
        dist.all_reduce(x)
        if dist.get_rank() == 0:
            print(step, flush=True)


if __name__ == "__main__":
    main()
