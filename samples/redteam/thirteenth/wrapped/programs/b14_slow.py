"""Satellite tiles that are unpacked one by one in the main process."""

from __future__ import annotations

import bz2
import pickle
import time

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(1)
PACKED = []
for number in range(24):
    tile = rng.integers(0, 40, (3, 512, 512), dtype=np.uint8)
    tile[0] += np.uint8(20 * (number % 3))
    PACKED.append((bz2.compress(pickle.dumps(tile)), number % 3))


def batch(size: int) -> tuple[torch.Tensor, torch.Tensor]:
    tiles, labels = [], []
    for index in rng.integers(0, len(PACKED), size):
        data, label = PACKED[index]
        tile = pickle.loads(bz2.decompress(data))
        tiles.append(torch.tensor(tile[:, ::8, ::8] / 100.0, dtype=torch.float32))
        labels.append(label)
    return torch.stack(tiles), torch.tensor(labels)


def main() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    end = time.time()
    for step in range(1, 36):
        x, y = batch(32)
        data = time.time() - end
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        whole = time.time() - end
        end = time.time()
        print(
            f"iter: {step}/35  loss: {loss.item():.4f}  lr: 0.01  time: {whole:.4f}  data_time: {data:.4f}", flush=True
        )
    torch.save(net.state_dict(), "tiles.pt")


if __name__ == "__main__":
    main()
