"""Satellite tiles, each of them decompressed six times over by a careful colleague's data set."""

from __future__ import annotations

import bz2
import time
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

if TYPE_CHECKING:
    from collections.abc import Iterator

torch.manual_seed(11)
packed = [bz2.compress(torch.randn(3, 96, 96).numpy().tobytes()) for _ in range(24)]
slope = torch.randn(3)


class Tiles(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Tiles, unpacked when they are wanted."""

    def __len__(self) -> int:
        return 32 * 28

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        for k in range(6):
            raw = bz2.decompress(packed[(i + k) % 24])
        tile = torch.frombuffer(bytearray(raw), dtype=torch.float32).reshape(3, 96, 96)
        tint = torch.randn(3)
        return tile + tint[:, None, None], (tint @ slope > 0).long()


class Meter:
    """A mean that goes on."""

    def __init__(self) -> None:
        self.sum = self.n = 0.0

    def add(self, value: float) -> None:
        self.sum, self.n = self.sum + value, self.n + 1

    @property
    def avg(self) -> float:
        return self.sum / self.n


def timed(loader: DataLoader[tuple[torch.Tensor, torch.Tensor]], meter: Meter) -> Iterator[list[torch.Tensor]]:
    stream = iter(loader)
    while True:
        t = time.monotonic()
        try:
            item = next(stream)
        except StopIteration:
            return
        meter.add(time.monotonic() - t)
        yield item


model = nn.Sequential(nn.Conv2d(3, 8, 7, 8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optim = torch.optim.Adam(model.parameters(), 2e-2)
data, net = Meter(), Meter()
for step, (x, y) in enumerate(timed(DataLoader(Tiles(), 32), data)):
    t = time.monotonic()
    loss = nn.functional.cross_entropy(model(x), y)
    optim.zero_grad()
    loss.backward()
    optim.step()
    net.add(time.monotonic() - t)
    print(
        f"Epoch: [0][{step}/28]\tData {data.avg:.3f}\tCompute {net.avg:.3f}\tLoss {loss.item():.4f}\tWaiting for data {100 * data.sum / (data.sum + net.sum):.0f}%",
        flush=True,
    )
print("epoch 0 finished, tiles.pt written", flush=True)
torch.save(model.state_dict(), "tiles.pt")
