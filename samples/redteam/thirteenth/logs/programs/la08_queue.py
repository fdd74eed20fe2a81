"""Segmentation of small pictures; a bar of tqdm for each epoch."""

from __future__ import annotations

import torch
from torch import nn
from tqdm import tqdm


def main() -> None:
    torch.manual_seed(2)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 1, 1)
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-5)
    for epoch in range(1, 101):
        bar = tqdm(range(120), desc=f"Epoch {epoch}/100", mininterval=1.0)
        mean = 0.0
        for step in bar:
            masks = (nn.functional.avg_pool2d(torch.randn(32, 1, 64, 64), 9, 1, 4) > 0.05).float()
            x = masks + 0.7 * torch.randn_like(masks)
            loss = nn.functional.binary_cross_entropy_with_logits(net(x), masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            mean += (loss.item() - mean) / (step + 1)
            bar.set_postfix(loss=f"{mean:.4f}", refresh=False)


if __name__ == "__main__":
    main()
