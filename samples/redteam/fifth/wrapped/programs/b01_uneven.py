"""Four ranks, and files that do not divide by four: two ranks have a batch less and leave while the others go on."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    files = [f"part-{n:03}.bin" for n in range(190)][rank::world]
    model = torch.nn.Linear(4, 1)
    for number, file in enumerate(files):
        x = torch.randn(32, 4)
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            assert p.grad is not None
            dist.all_reduce(p.grad)
            p.data -= 0.02 * p.grad / world
        if number % 5 == 0:
            print(f"[{rank}] {file} batch {number:3} loss {loss.item():.4f}", flush=True)
        time.sleep(0.2)
    print(f"[{rank}] all {len(files)} files read", flush=True)


if __name__ == "__main__":
    main()
