"""Rain of the next hour from the last four pictures of a radar; gradients are averaged by hand."""

import os
import time

import torch
import torch.distributed as dist
from torch import nn

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def main() -> None:
    dist.init_process_group("gloo")
    torch.manual_seed(2)
    net = nn.Sequential(
        nn.Flatten(), nn.Linear(4 * 24 * 24, 1200), nn.ReLU(), nn.Linear(1200, 900), nn.ReLU(), nn.Linear(900, 576)
    )
    size = sum(p.numel() for p in net.parameters())
    if RANK == 0:
        print(
            f"rain: {WORLD} ranks, {size / 1e6:.1f} M parameters, {4 * size / 2**20:.1f} MiB of gradients a step",
            flush=True,
        )
    optimizer = torch.optim.SGD(net.parameters(), 0.2, momentum=0.9)
    torch.manual_seed(RANK)
    for step in range(1, 2001):
        t0 = time.perf_counter()
        sky = nn.functional.interpolate(torch.rand(16, 1, 4, 4), (24, 24), mode="bilinear")
        x = torch.cat([sky.roll(k, 3) for k in range(4)], 1)
        t1 = time.perf_counter()
        loss = nn.functional.mse_loss(net(x), sky.roll(4, 3).flatten(1))
        optimizer.zero_grad()
        loss.backward()
        t2 = time.perf_counter()
        for p in net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= WORLD
        t3 = time.perf_counter()
        optimizer.step()
        if step % 4 == 0:
            t4 = time.perf_counter()
            print(
                f"rank {RANK} step {step:4d} loss {loss.item():.4f} | data {t1 - t0:.3f} s, forward and backward {t2 - t1:.3f} s, "
                f"all_reduce {t3 - t2:.3f} s, whole step {t4 - t0:.3f} s, {16 * WORLD / (t4 - t0):.1f} pictures/s",
                flush=True,
            )


if __name__ == "__main__":
    main()
