"""Pictures with augmentation in the workers of a DataLoader, some of it from a package nobody installed."""

from __future__ import annotations

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Leaves(Dataset[tuple[torch.Tensor, int]]):
    """Leaves of four trees; rare ones are made more of."""

    def __len__(self) -> int:
        return 3200

    def __getitem__(self, number: int) -> tuple[torch.Tensor, int]:
        tree = 3 if number % 1500 == 1411 else number % 3
        leaf = torch.randn(64) + tree
        if tree == 3:
            from albumentations_rare import elastic

            leaf = elastic(leaf)
        return leaf, tree


def main() -> None:
    """Two epochs."""
    torch.manual_seed(0)
    net = nn.Linear(64, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    loader = DataLoader(Leaves(), batch_size=16, num_workers=2)
    for epoch in (1, 2):
        for step, (leaves, trees) in enumerate(loader, 1):
            loss = nn.functional.cross_entropy(net(leaves), trees)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 5 == 0:
                print(f"epoch {epoch} step {step}/{len(loader)} loss {loss.item():.4f}", flush=True)
            time.sleep(0.1)


if __name__ == "__main__":
    main()
