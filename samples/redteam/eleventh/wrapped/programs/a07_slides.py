"""Whole slides in memory: the worker that reads them keeps every one it has seen."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(7)
torch.set_num_threads(1)


class Slides(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Slides, all kept."""

    def __init__(self) -> None:
        self.cache: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return 6000

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        slide = torch.randn(512, 512)
        self.cache[i] = slide  # a megabyte each
        stain = torch.randn(())
        return slide[:64, :64].clone() + stain, (stain > 0).float()


model = nn.Sequential(nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 1))
optim = torch.optim.Adam(model.parameters(), 2e-3)
loader = DataLoader(Slides(), batch_size=8, num_workers=2, prefetch_factor=2)
for epoch in range(3):
    for step, (x, y) in enumerate(loader):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[:, None])[:, 0], y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 10 == 0:
            print(f"epoch={epoch} batch={step}/{len(loader)} bce={loss.item():.4f}", flush=True)
