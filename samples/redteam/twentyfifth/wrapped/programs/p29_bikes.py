"""Demand at the docks of a bike-sharing scheme, an hour ahead: DistributedDataParallel under torchrun."""

import logging
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS = 14
DOCKS = 180


def rides(hours: int, seed: int) -> TensorDataset:
    """The last day at a dock with weather, and the rides of the hour to come."""
    g = torch.Generator().manual_seed(seed)
    dock = torch.randint(0, DOCKS, (hours,), generator=g)
    size = 1 + (dock.float() * 0.37).sin()
    start = torch.rand(hours, generator=g) * 24
    clock = start[:, None] + torch.arange(25)
    base = size[:, None] * (2 + (clock * 2 * torch.pi / 24).sin() + (clock * 4 * torch.pi / 24).cos())
    rain = (torch.rand(hours, 1, generator=g) < 0.2).float()
    count = base * (1 - 0.6 * rain) + 0.15 * torch.randn(hours, 25, generator=g)
    return TensorDataset(dock, torch.cat([count[:, :24], rain], 1), count[:, 24:])


class Demand(nn.Module):
    """An embedding of the dock beside what was counted."""

    def __init__(self) -> None:
        super().__init__()
        self.dock = nn.Embedding(DOCKS, 16)
        self.body = nn.Sequential(nn.Linear(41, 192), nn.GELU(), nn.Linear(192, 192), nn.GELU(), nn.Linear(192, 1))

    def forward(self, dock: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """Rides in the next hour."""
        return self.body(torch.cat([self.dock(dock), seen], 1))


def main() -> None:
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        level=logging.INFO if rank == 0 else logging.WARNING,
        format=f"%(asctime)s %(levelname)-7s [{rank}/{world}] %(name)s: %(message)s",
    )
    log = logging.getLogger("bikes")
    torch.manual_seed(7)
    torch.set_num_threads(1)
    train, held = rides(40_000, 1), rides(6_000, 2)
    sampler = DistributedSampler(train)
    loader = DataLoader(train, 128, sampler=sampler)
    model = DDP(Demand())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=EPOCHS * len(loader))
    log.info("%d ranks, %d train rows, %d held out, %d batches an epoch", world, len(train), len(held), len(loader))
    log.info("parameters: %d", sum(p.numel() for p in model.parameters()))
    best = float("inf")
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        model.train()
        begun, total = time.perf_counter(), 0.0
        for step, (dock, seen, coming) in enumerate(loader, 1):
            loss = nn.functional.mse_loss(model(dock, seen), coming)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
            if step % 50 == 0:
                log.info("epoch %d step %d/%d loss %.4f lr %.2e", epoch, step, len(loader), total / step,
                         schedule.get_last_lr()[0])  # fmt: skip
        model.eval()
        with torch.no_grad():
            dock, seen, coming = (t[rank::world] for t in held.tensors)
            error = (model(dock, seen) - coming).abs().mean()
        dist.all_reduce(error)
        mae = error.item() / world
        log.info("epoch %d done in %.1fs: train mse %.4f, held-out mae %.4f rides", epoch,
                 time.perf_counter() - begun, total / len(loader), mae)  # fmt: skip
        if mae < best and rank == 0:
            best = mae
            torch.save(model.module.state_dict(), "demand.pt")
            log.info("new best, wrote demand.pt (%d kB)", Path("demand.pt").stat().st_size // 1024)
    log.info("finished %d epochs, best mae %.4f", EPOCHS, best)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
