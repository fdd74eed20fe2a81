"""Take the noise out of pictures of pollen under the microscope, with a Trainer of one's own."""

import argparse
import time

import torch
from torch import nn


class Denoiser(nn.Module):
    """Says what to take away."""

    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(width, 1, 3, 1, 1),
        )

    def forward(self, x):
        """The picture without its noise."""
        return x - self.net(x)


class Grains:
    """Round grains on a dark ground, noisy when asked for."""

    def __init__(self, side, patch, seed=8):
        if side % patch:
            raise ValueError(f"patches of {patch} do not cover pictures of {side}")
        self.side, self.g, self.shown = side, torch.Generator().manual_seed(seed), []

    def batch(self, size):
        """Noisy and clean."""
        axis = torch.arange(self.side).float()
        at = torch.rand(size, 3, 2, generator=self.g) * self.side
        r = 3 + 5 * torch.rand(size, 3, generator=self.g)
        far = ((axis[None, None, :, None] - at[..., 0, None, None]) ** 2).add(
            (axis[None, None, None, :] - at[..., 1, None, None]) ** 2
        )
        clean = torch.sigmoid(r[..., None, None] - far.sqrt()).amax(1)[:, None]
        noisy = clean + 0.25 * torch.randn(clean.shape, generator=self.g)
        self.shown.append((noisy, clean))
        return noisy, clean


class Trainer:
    """Steps, words and keeping."""

    def __init__(self, model, data, lr=2e-3, every=20):
        self.model, self.data, self.every = model, data, every
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.step, self.began = 0, time.time()

    def log(self, **what):
        """One line."""
        print(f"[{time.strftime('%H:%M:%S')}] " + " ".join(f"{k}={v}" for k, v in what.items()), flush=True)

    def fit(self, steps):
        """All steps."""
        self.log(event="fit", steps=steps, params=sum(p.numel() for p in self.model.parameters()))
        mean = 0.0
        while self.step < steps:
            noisy, clean = self.data.batch(12)
            loss = nn.functional.mse_loss(self.model(noisy), clean)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
            mean += loss.item() / self.every
            if self.step % self.every == 0:
                psnr = -10 * torch.log10(torch.tensor(mean)).item()
                speed = self.step / (time.time() - self.began)
                self.log(step=f"{self.step}/{steps}", mse=f"{mean:.5f}", psnr=f"{psnr:.2f}", it_s=f"{speed:.1f}")
                mean = 0.0
            if self.step % 100 == 0:
                torch.save(self.model.state_dict(), "pollen.pt")
                self.log(event="kept", file="pollen.pt", step=self.step)
        self.log(event="over", s=f"{time.time() - self.began:.0f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--side", type=int, default=128)
    p.add_argument("--patch", type=int, default=48)
    p.add_argument("--steps", type=int, default=3000)
    a = p.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    print(f"pollen denoiser {vars(a)} {time.strftime('%F %T')}", flush=True)
    model = Denoiser()
    Trainer(model, Grains(a.side, a.patch)).fit(a.steps)

# ruff: noqa: ANN001, ANN003, ANN201, ANN204
