"""Segment roofs in aerial tiles: a small U-shaped net under DDP."""

import argparse
import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.set_num_threads(1)
RANK = int(os.environ["RANK"])
logging.basicConfig(
    level=logging.INFO if RANK == 0 else logging.WARNING, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s"
)
log = logging.getLogger("roofs.train")


class Net(nn.Module):
    """Down once, up once."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU())
        self.c = nn.Conv2d(36, 1, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = F.interpolate(self.b(F.max_pool2d(a, 2)), scale_factor=2.0)
        return self.c(torch.cat([a, b], 1)).squeeze(1)


def tiles(n: int, seed: int) -> TensorDataset:
    """Tiles with one to three roofs each."""
    g = torch.Generator().manual_seed(seed)
    x, y = 0.5 * torch.randn(n, 3, 32, 32, generator=g), torch.zeros(n, 32, 32)
    for i in range(n):
        for _ in range(int(torch.randint(1, 4, (1,), generator=g))):
            r, c = (int(v) for v in torch.randint(0, 22, (2,), generator=g))
            h, w = (int(v) for v in torch.randint(5, 11, (2,), generator=g))
            y[i, r : r + h, c : c + w] = 1
    x += y[:, None] * torch.tensor([0.55, -0.2, 0.15])[None, :, None, None]
    return TensorDataset(x, y)


def main() -> None:
    """Train and evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--log-every", type=int, default=250)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    world = dist.get_world_size()
    torch.manual_seed(3)
    train, valid = tiles(4000, 1), tiles(600, 2)
    model = DistributedDataParallel(Net())
    sampler = DistributedSampler(train, seed=3)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    total = args.epochs * len(loader)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, total)
    log.info("world size %d, %d tiles, %d steps per epoch, %d steps in total", world, len(train), len(loader), total)
    step, mean, start = 0, 0.0, time.time()
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.binary_cross_entropy_with_logits(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            step += 1
            mean += loss.item() / args.log_every
            if step % args.log_every == 0:
                log.info(
                    "step %d of %d (epoch %.1f): bce %.4f lr %.2e, %.1f tiles/s",
                    step,
                    total,
                    step / len(loader),
                    mean,
                    sched.get_last_lr()[0],
                    args.log_every * 16 * world / (time.time() - start),
                )
                mean, start = 0.0, time.time()
    model.eval()
    counts = torch.zeros(2, dtype=torch.float64)
    with torch.no_grad():
        for k in range(RANK, len(valid), world):
            x, y = valid[k]
            p = model.module(x[None])[0] > 0
            counts += torch.tensor([(p & (y > 0)).sum().item(), (p | (y > 0)).sum().item()], dtype=torch.float64)
    dist.all_reduce(counts)
    log.info("validation IoU %.4f over %d tiles", counts[0] / counts[1], len(valid))
    if RANK == 0:
        torch.save(model.module.state_dict(), "roofs.pt")
        log.info("weights written to roofs.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
