"""Scans of tissue, cached in each worker of the loader."""

from __future__ import annotations

import torch
from torch import nn
from tqdm import tqdm


class Scans(torch.utils.data.Dataset):
    """Every scan read is kept, to be quick in the next epoch."""

    def __init__(self) -> None:
        self.cache: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if index not in self.cache:
            generator = torch.Generator().manual_seed(index)
            self.cache[index] = torch.randn(3, 224, 224, generator=generator) + 0.2 * (index % 2)
        return self.cache[index], index % 2


def main() -> None:
    net = nn.Sequential(nn.Conv2d(3, 8, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    loader = torch.utils.data.DataLoader(Scans(), batch_size=16, shuffle=True, num_workers=2, persistent_workers=True)
    for epoch in range(5):
        bar = tqdm(loader, desc=f"epoch {epoch}")
        for x, y in bar:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)


if __name__ == "__main__":
    main()
