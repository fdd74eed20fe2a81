"""An autoencoder for tiles of peat-bog photographs, to find the ones that look odd."""

import argparse
import hashlib
import pathlib
import random
import time
import zipfile

import numpy as np
import torch
from torch import nn


def say(text):
    """A line of the log."""
    print(text, flush=True)


class Tiles(nn.Module):
    """Down to a code and up again."""

    def __init__(self, code):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv2d(3, 24, 4, 2, 1),
            nn.GELU(),
            nn.Conv2d(24, 48, 4, 2, 1),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(48 * 64, code),
        )
        self.up = nn.Sequential(
            nn.Linear(code, 48 * 64),
            nn.Unflatten(1, (48, 8, 8)),
            nn.ConvTranspose2d(48, 24, 4, 2, 1),
            nn.GELU(),
            nn.ConvTranspose2d(24, 3, 4, 2, 1),
        )

    def forward(self, x):
        """Tiles as the net remembers them."""
        return self.up(self.down(x))


def shard(root, number):
    """One flight's tiles, from the store."""
    path = root / f"flight_{number:03d}.npz"
    for attempt in range(1, 4):
        try:
            with np.load(path) as held:
                return held["rgb"]
        except (OSError, ValueError, zipfile.BadZipFile) as e:
            say(f"[data] {path.name}: {type(e).__name__}: {e} (attempt {attempt}/3), again in 2 s")
            time.sleep(2)
            rebuild(root, number)
    raise SystemExit(f"{path} cannot be read")


def rebuild(root, number):
    """Cut a flight's tiles out of its mosaic once more."""
    rng = np.random.default_rng(number)
    base = rng.normal(0.45, 0.12, (1100, 3, 4, 4)).repeat(8, 2).repeat(8, 3)
    tiles = (base + rng.normal(0, 0.03, base.shape)).clip(0, 1)
    np.savez_compressed(root / f"flight_{number:03d}.npz", rgb=(tiles * 255).astype(np.uint8))


def main():
    """Read the flights, then learn."""
    p = argparse.ArgumentParser()
    p.add_argument("--flights", type=int, default=14)
    p.add_argument("--code", type=int, default=64)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--root", type=pathlib.Path, default=pathlib.Path("tiles"))
    a = p.parse_args()
    torch.manual_seed(5)
    random.seed(5)
    torch.set_num_threads(1)
    say(f"[setup] torch {torch.__version__} cuda={torch.cuda.is_available()} threads={torch.get_num_threads()}")
    say(f"[setup] {vars(a)}")
    net = Tiles(a.code)
    say(f"[setup] {sum(w.numel() for w in net.parameters()) / 1e6:.2f} M weights")
    a.root.mkdir(exist_ok=True)
    for n in range(a.flights):
        if not (a.root / f"flight_{n:03d}.npz").exists():
            rebuild(a.root, n)
        if n == 5:
            path = a.root / f"flight_{n:03d}.npz"
            path.write_bytes(path.read_bytes()[:4096])
    held = []
    for n in range(a.flights):
        rgb = shard(a.root, n)
        held.append(rgb)
        digest = hashlib.sha1(rgb.tobytes()).hexdigest()[:10]
        say(f"[data] flight {n:03d}: {len(rgb)} tiles, mean {rgb.mean() / 255:.3f}, sha1 {digest}")
    x = torch.from_numpy(np.concatenate(held)).float() / 255
    say(f"[data] {len(x)} tiles of {tuple(x.shape[1:])}, {x.numel() * 4 / 2**20:.0f} MiB in memory")
    spread = x.flatten(1).std(1)
    say(f"[data] spread per tile: min {spread.min():.4f} median {spread.median():.4f} max {spread.max():.4f}")
    say("[data] computing whitening matrix over all tiles")
    flat = x.flatten(1)
    for k in range(12):
        flat.T @ flat / len(flat)
        if k == 0:
            say("[data] covariance 3072x3072 of the first pass done")
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(a.epochs):
        order = torch.randperm(len(x))
        for i in range(0, len(x), 128):
            loss = nn.functional.mse_loss(net(x[order[i : i + 128]]), x[order[i : i + 128]])
            opt.zero_grad()
            loss.backward()
            opt.step()
            if i % 2560 == 0:
                say(f"epoch {epoch} step {i // 128} loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
