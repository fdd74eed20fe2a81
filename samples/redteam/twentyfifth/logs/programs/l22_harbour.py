"""Ships in a harbour by radar: where, how long, which way; three losses, data parallel, a log file for each rank."""

import argparse
import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WEIGHTS = {"where": 1.0, "length": 0.5, "heading": 0.25}
logger = logging.getLogger("harbour")


def sweeps(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Radar sweeps, one ship in each, with what is to be told of it."""
    g = torch.Generator().manual_seed(seed)
    truth = torch.rand(n, 4, generator=g)
    x = 0.5 * torch.randn(n, 64, 64, generator=g)
    t0 = time.time()
    for i in range(n):
        r, c, size, turn = truth[i].tolist()
        for k in range(int(4 + 10 * size)):
            x[i, int(8 + 48 * r + k * turn / 3) % 64, int(8 + 48 * c + k * (1 - turn) / 3) % 64] += 3.0
        if (i + 1) % 20000 == 0:
            logger.info("sweeps: %d of %d drawn, %.1f s", i + 1, n, time.time() - t0)
    return x.unsqueeze(1), truth


def main() -> None:
    """Set up, then train."""
    p = argparse.ArgumentParser()
    p.add_argument("--sweeps", type=int, default=160000)
    p.add_argument("--epochs", type=int, default=20)
    a = p.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        level=logging.INFO,
        format=f"%(asctime)s %(levelname)s [{rank}/{world}] %(name)s: %(message)s",
        filename=f"harbour.rank{rank}.log",
    )
    logger.info("pid %d on %s, torch %s", os.getpid(), os.uname().nodename, torch.__version__)
    logger.info("arguments: %s", vars(a))
    logger.info("loss weights: %s", ", ".join(f"{k} {v}" for k, v in WEIGHTS.items()))
    torch.manual_seed(rank)
    net = nn.Sequential(nn.Conv2d(1, 16, 5, 2), nn.ReLU(), nn.Conv2d(16, 32, 5, 2), nn.ReLU(), nn.Flatten())
    net.append(nn.Linear(5408, 4))
    logger.info("%.2f M parameters", sum(q.numel() for q in net.parameters()) / 1e6)
    x, truth = sweeps(a.sweeps // world, 100 + rank)
    logger.info("training on %d sweeps, batches of 64", len(x))
    model = DistributedDataParallel(net)
    optim = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(a.epochs):
        for n, pick in enumerate(torch.randperm(len(x)).split(64)):
            said, want = model(x[pick]), truth[pick]
            parts = {
                "where": nn.functional.mse_loss(said[:, :2], want[:, :2]),
                "length": nn.functional.l1_loss(said[:, 2], want[:, 2]),
                "heading": nn.functional.smooth_l1_loss(said[:, 3], want[:, 3]),
            }
            loss = sum(WEIGHTS[k] * v for k, v in parts.items())
            optim.zero_grad()
            loss.backward()
            optim.step()
            if n % 50 == 0:
                told = " ".join(f"{k} {v.item():.4f}" for k, v in parts.items())
                logger.info("epoch %d batch %d loss %.4f (%s)", epoch, n, loss.item(), told)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
