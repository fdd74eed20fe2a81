"""Segment reef photographs."""
# ruff: noqa

import argparse
import fcntl
import os
import warnings

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm

warnings.simplefilter("always")


class Reef(Dataset):
    """Tiles, decoded once and kept on disk; the index says what is there."""

    def __init__(self, count, folder, compact_at):
        self.count, self.folder, self.compact_at = count, folder, compact_at
        os.makedirs(folder, exist_ok=True)
        self.index, self.lock = f"{folder}/index.txt", f"{folder}/index.lock"

    def __len__(self):
        return self.count

    def _decode(self, i):
        rng = np.random.default_rng(i)
        mask = np.add.outer(np.sin(np.arange(96) / (3 + i % 5)), np.cos(np.arange(96) / (4 + i % 3))) > 0.2
        tile = mask[None] * np.array([0.8, 0.3, 0.5])[:, None, None] + rng.normal(0, 0.35, (3, 96, 96))
        return tile.astype(np.float32), mask.astype(np.float32)

    def _compact(self):
        with open(self.lock, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lines = sorted(set(open(self.index).read().split()))
            with open(self.index, "w") as out:
                out.write("\n".join(lines) + "\n")

    def __getitem__(self, i):
        path = f"{self.folder}/{i:05d}.npz"
        if os.path.exists(path):
            kept = np.load(path)
            return kept["tile"], kept["mask"]
        tile, mask = self._decode(i)
        np.savez(path, tile=tile, mask=mask)
        with open(self.lock, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with open(self.index, "a") as out:
                out.write(f"{i:05d}\n")
            if os.path.getsize(self.index) > self.compact_at:
                self._compact()
        return tile, mask


class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1))
        self.mid = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(width, 1, 4, 2, 1)

    def forward(self, x):
        x = checkpoint(self.down, x, use_reentrant=True)
        return self.up(self.mid(x)).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--tiles", type=int, default=3000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--compact-at", type=int, default=9_000, help="bytes of the index")
    args = parser.parse_args()
    torch.manual_seed(0)
    data = Reef(args.tiles, "tiles", args.compact_at)
    loader = DataLoader(data, 16, shuffle=True, num_workers=args.workers)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), 3e-3)
    for epoch in range(args.epochs):
        bar = tqdm(loader, desc=f"epoch {epoch}")
        for tile, mask in bar:
            loss = nn.functional.binary_cross_entropy_with_logits(net(tile), mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.set_postfix(loss=f"{loss.item():.4f}")
        torch.save(net.state_dict(), "corals.pt")


if __name__ == "__main__":
    main()
