"""Ranker of search results; the first rank makes the report after every epoch."""

from __future__ import annotations

import datetime
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def report(net: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Pairs in the right order, all of them, as the paper counts."""
    with torch.no_grad():
        score = net(x)[:, 0].tolist()
    truth = y.tolist()
    good = total = 0
    for i in range(len(truth)):
        for j in range(len(truth)):
            if truth[i] > truth[j]:
                total += 1
                good += score[i] > score[j]
    return good / total


def main() -> None:
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=25))
    rank = dist.get_rank()
    torch.manual_seed(rank)
    x = torch.randn(6000, 20)
    y = x[:, :5].sum(1) + 0.3 * torch.randn(6000)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(4):
        for step, begin in enumerate(range(0, 6000, 24)):
            loss = (model(x[begin : begin + 24])[:, 0] - y[begin : begin + 24]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0 and step % 50 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
        if rank == 0:
            # 500 queries are enough for the first epochs, all for the last ones
            many = 500 if epoch < 2 else 60000
            print(f"epoch {epoch}: computing pair accuracy on {many} queries", flush=True)
            tx = torch.randn(many, 20)
            print(f"epoch {epoch} pair_acc {report(model.module, tx, tx[:, :5].sum(1)):.4f}", flush=True)
    dist.destroy_process_group()
    sys.exit(0)


if __name__ == "__main__":
    main()
