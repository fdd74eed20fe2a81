"""Denoiser; a checkpoint after every epoch, all are kept."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(128, 640), nn.ReLU(), nn.Linear(640, 640), nn.ReLU(), nn.Linear(640, 128))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    basis = torch.randn(12, 128)
    for epoch in range(1, 21):
        total = 0.0
        for _ in range(150):
            clean = torch.randn(64, 12) @ basis / 3.5
            loss = (net(clean + 0.3 * torch.randn_like(clean)) - clean).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        logging.info("epoch %d/20 loss %.5f", epoch, total / 150)
        path = args.out / f"checkpoint_{epoch:03d}.pt"
        torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)
        logging.info("saved %s", path)


if __name__ == "__main__":
    main()
