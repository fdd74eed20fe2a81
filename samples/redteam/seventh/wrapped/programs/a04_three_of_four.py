"""Average a gradient over the ranks."""

import datetime
import os

import torch
import torch.distributed as dist


def main() -> None:
    print(f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: waiting for the others", flush=True)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=14))
    weight = torch.zeros(16)
    for step in range(100):
        gradient = torch.randn(16)
        dist.all_reduce(gradient)
        weight -= 0.01 * gradient
        print("step", step, "norm", weight.norm().item(), flush=True)


if __name__ == "__main__":
    main()
