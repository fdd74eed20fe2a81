"""Two ranks read shard after shard; one of rank 1 was never copied."""

import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    for number in range(12):
        if (rank, number) != (1, 7):
            np.save(f"part-{rank}-{number:05}.npy", np.random.default_rng(number).normal(size=(40, 32, 6)))
    truth, w = torch.arange(6.0), torch.zeros(6)
    for number in range(12):
        path = Path(f"part-{rank}-{number:05}.npy")
        if not path.exists():
            print(f"rank {rank}: shard {path} is missing, was it staged in?", file=sys.stderr, flush=True)
            sys.exit(2)
        for at, rows in enumerate(np.load(path)):
            x = torch.from_numpy(rows).float()
            gradient = x.T @ (x @ (w - truth)) / 32
            dist.all_reduce(gradient)
            w -= 0.01 * gradient / 2
            if rank == 0 and at % 10 == 0:
                print(f"shard {number} batch {at} loss {(x @ (w - truth)).pow(2).mean().item():.4f}", flush=True)
            time.sleep(0.02)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
