"""Predict speech units from filter banks with a recurrent net; goes on from the newest checkpoint in --dir."""

import argparse
import logging
import os
import re
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

log = logging.getLogger("units")


class Net(nn.Module):
    """A GRU with a linear layer on top."""

    def __init__(self, units):
        super().__init__()
        self.rnn = nn.GRU(40, 96, batch_first=True)
        self.out = nn.Linear(96, units)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


def batch(size, means, generator):
    y = torch.randint(0, len(means), (size, 30), generator=generator)
    return means[y] + 1.5 * torch.randn(size, 30, 40, generator=generator), y


def newest(folder):
    found = [(int(m[1]), p) for p in folder.glob("*.pt") if (m := re.fullmatch(r"epoch(\d+)\.pt", p.name))]
    return max(found, default=(0, None))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", type=Path, default=Path("exp"))
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--per-epoch", type=int, default=60)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s %(levelname)-7s rank0 %(message)s"
    )
    args.dir.mkdir(exist_ok=True)
    torch.manual_seed(0)
    means = torch.randn(32, 40)
    net = Net(len(means))
    model = DistributedDataParallel(net)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    first, path = newest(args.dir)
    if path:
        state = torch.load(path)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        log.info("loaded %s (epoch %d, dev loss %.4f), going on with epoch %d", path, first, state["dev"], first + 1)
    else:
        log.info("no checkpoint in %s, starting anew", args.dir)
    log.info("world size %d, host %s, pid %d", world, os.uname().nodename, os.getpid())
    for epoch in range(first + 1, args.epochs + 1):
        generator = torch.Generator().manual_seed(epoch * 100 + rank)
        began = time.time()
        total = 0.0
        for step in range(1, args.per_epoch + 1):
            x, y = batch(24, means, generator)
            loss = nn.functional.cross_entropy(model(x).transpose(1, 2), y)
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total += loss.item()
            if step % 5 == 0:
                log.info("epoch %d step %d/%d loss %.4f grad_norm %.3f", epoch, step, args.per_epoch, loss.item(), norm)
        with torch.no_grad():
            x, y = batch(200, means, torch.Generator().manual_seed(9))
            logits = net(x)
            dev = nn.functional.cross_entropy(logits.transpose(1, 2), y).item()
            right = (logits.argmax(-1) == y).float().mean().item()
        mean = total / args.per_epoch
        log.info(
            "epoch %d done in %.1f s: train loss %.4f, dev loss %.4f, dev acc %.2f %%",
            epoch,
            time.time() - began,
            mean,
            dev,
            100 * right,
        )
        if rank == 0:
            torch.save(
                {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "dev": dev},
                args.dir / f"epoch{epoch}.pt",
            )
    log.info("training finished: %d epochs", args.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
