"""Two heads; the second one is used from the third epoch on."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Heads(nn.Module):
    """A body with two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(30, 64), nn.ReLU())
        self.main = nn.Linear(64, 3)
        self.side = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor, side: bool) -> tuple[torch.Tensor, torch.Tensor | None]:
        h = self.body(x)
        return self.main(h), self.side(h) if side else None


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DistributedDataParallel(Heads())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    if rank == 0:
        print(f"world size {dist.get_world_size()}", flush=True)
    for epoch in range(6):
        for step in range(40):
            x = torch.randn(16, 30)
            y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
            out, side = model(x, side=epoch >= 2)
            loss = nn.functional.cross_entropy(out, y)
            if side is not None:
                loss = loss + 0.1 * (side[:, 0] - x[:, 2]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0 and step % 10 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
