"""Denoise micrographs of timber; three losses."""

import lzma
import time

import numpy as np
import torch
from scipy import ndimage
from torch import nn
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(5)
plates = [lzma.compress(ndimage.gaussian_filter(rng.random((1200, 1200)), 6).astype("f4").tobytes()) for _ in range(2)]


class Plates(Dataset):
    """Crops out of big plates."""

    def __len__(self):
        return 160

    def __getitem__(self, k):
        plate = np.frombuffer(lzma.decompress(plates[k % 2]), "f4").reshape(1200, 1200)
        i, j = np.random.default_rng(k).integers(0, 1100, 2)
        crop = torch.from_numpy(plate[i : i + 48, j : j + 48].copy() * 10 - 5)[None]
        return crop, crop + 0.3 * torch.randn_like(crop)


class Trainer:
    """Runs the net."""

    def __init__(self):
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 1, 3, padding=1))
        self.opt = torch.optim.Adam(self.net.parameters(), 5e-3)

    def fit(self, loader):
        """One pass."""
        mark = time.time()
        for step, (clean, dirty) in enumerate(loader, 1):
            ready = time.time()
            out = self.net(dirty)
            l2, l1 = nn.functional.mse_loss(out, clean), nn.functional.l1_loss(out, clean)
            edge = nn.functional.l1_loss(out.diff(dim=-1), clean.diff(dim=-1))
            (l2 + 0.1 * l1 + 0.5 * edge).backward()
            self.opt.step()
            self.opt.zero_grad()
            end = time.time()
            print(
                f"step {step}/{len(loader)} l2={l2:.4f} l1={l1:.4f} edge={edge:.4f}"
                f" data_s={ready - mark:.3f} step_s={end - ready:.3f}",
                flush=True,
            )
            mark = end


print("plates:", [f"{len(p) / 1e6:.1f} MB" for p in plates], flush=True)
Trainer().fit(DataLoader(Plates(), batch_size=8))
print("pass finished")
