"""A denoiser of 32x32 images with a Trainer of its own, run by sbatch (p01_petal.sh); REAL."""

from __future__ import annotations

import argparse
import math
import socket
import sys
import time
from pathlib import Path

import torch
from torch import nn


def say(text: str) -> None:
    print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] {text}", flush=True)


class Petals(torch.utils.data.Dataset):
    """Smooth coloured blobs, drawn once."""

    def __init__(self, n: int, seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.linspace(-1, 1, 32), torch.linspace(-1, 1, 32), indexing="ij")
        k = torch.rand(n, 3, 4, generator=g)
        ang = torch.atan2(yy, xx)[None, None]
        rad = (xx**2 + yy**2).sqrt()[None, None]
        petals = (1 + (2 + 5 * k[..., 0:1].round(decimals=1)).unsqueeze(-1) * 0) * torch.cos(
            5 * ang + 6.28 * k[..., 1][..., None, None]
        )
        self.x = (torch.sigmoid(8 * (0.3 + 0.4 * k[..., 2][..., None, None] - rad + 0.15 * petals)) * 2 - 1).float()

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> torch.Tensor:
        return self.x[i]


class Net(nn.Module):
    """A small plain denoiser."""

    def __init__(self, w: int = 32) -> None:
        super().__init__()
        self.inp = nn.Conv2d(4, w, 3, padding=1)
        self.mid = nn.ModuleList([nn.Conv2d(w, w, 3, padding=1) for _ in range(4)])
        self.out = nn.Conv2d(w, 3, 3, padding=1)

    def forward(self, x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.inp(torch.cat([x, s[:, None, None, None].expand(-1, 1, 32, 32)], 1)))
        for layer in self.mid:
            h = h + torch.relu(layer(h))
        return self.out(h)


class Trainer:
    """The loop: noise, predict it, step, sometimes look at held-out images."""

    def __init__(self, args: argparse.Namespace) -> None:
        torch.manual_seed(args.seed)
        self.args = args
        self.train_set, self.val_set = Petals(2048, 1), Petals(128, 2)
        self.net = Net()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=args.lr)
        self.step = 0
        n = sum(p.numel() for p in self.net.parameters())
        say(f"Trainer: {n / 1e3:.1f}k params, {len(self.train_set)} train / {len(self.val_set)} val images 3x32x32")
        say(f"Trainer: adam lr={args.lr:g} warmup={args.warmup} bs={args.bs} max_steps={args.steps}")

    def loss(self, x: torch.Tensor) -> torch.Tensor:
        s = torch.rand(len(x)) * 0.9 + 0.1
        eps = torch.randn_like(x)
        return (self.net(x + s[:, None, None, None] * eps, s) - eps).square().mean()

    @torch.no_grad()
    def validate(self) -> None:
        torch.manual_seed(7)
        x = self.val_set.x
        eps = torch.randn_like(x)
        s = torch.full((len(x),), 0.5)
        mse = (self.net(x + 0.5 * eps, s) - eps).square().mean().item()
        psnr = 10 * math.log10(4 / max(mse * 0.25, 1e-12))
        say(f"val  step {self.step:5d}  mse {mse:.4f}  psnr@0.5 {psnr:.2f} dB")

    def save(self) -> None:
        p = Path(self.args.out) / f"step{self.step:06d}.pt"
        p.parent.mkdir(parents=True, exist_ok=True)
        torch.save({"net": self.net.state_dict(), "step": self.step}, p)
        say(f"saved {p}")

    def fit(self) -> None:
        t0, seen = time.monotonic(), 0
        while self.step < self.args.steps:
            loader = torch.utils.data.DataLoader(self.train_set, batch_size=self.args.bs, shuffle=True, drop_last=True)
            for x in loader:
                lr = self.args.lr * min(1.0, (self.step + 1) / self.args.warmup)
                self.opt.param_groups[0]["lr"] = lr
                loss = self.loss(x)
                self.opt.zero_grad()
                loss.backward()
                gn = nn.utils.get_total_norm([p.grad for p in self.net.parameters()])
                self.opt.step()
                self.step += 1
                seen += len(x)
                if self.step % 20 == 0:
                    rate = seen / (time.monotonic() - t0)
                    say(
                        f"step {self.step:5d}/{self.args.steps}  mse {loss.item():.4f}  |g| {gn.item():.3g}  lr {lr:.2e}  {rate:.0f} img/s"
                    )
                if self.step % 200 == 0:
                    self.validate()
                    self.save()
                if self.step >= self.args.steps:
                    break
        say(f"fit: {self.step} steps in {time.monotonic() - t0:.0f} s")


if __name__ == "__main__":
    torch.set_num_threads(1)
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=3e-4)
    p.add_argument("--warmup", type=int, default=500)
    p.add_argument("--bs", type=int, default=16)
    p.add_argument("--steps", type=int, default=1600)
    p.add_argument("--seed", type=int, default=3)
    p.add_argument("--out", default="ckpt")
    a = p.parse_args()
    say(f"host {socket.gethostname()}  python {sys.version.split()[0]}  torch {torch.__version__}")
    Trainer(a).fit()
