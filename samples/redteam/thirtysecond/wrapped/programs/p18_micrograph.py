"""Noise2Noise denoiser for cryo-EM micrographs; sweep of learning rate and width over data-parallel workers."""

import argparse
import itertools
import subprocess
import sys
import time

import torch
import torch.distributed as dist
from torch import nn


class Denoiser(nn.Module):
    """Convolutions in the image, a dense bottleneck for the ice gradient."""

    def __init__(self, width: int) -> None:
        """Lay out the weights."""
        super().__init__()
        self.inp = nn.Conv2d(1, width, 3, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.out = nn.Conv2d(width, 1, 3, padding=1)
        self.ice = nn.Sequential(nn.Flatten(), nn.Linear(1024, 128 * width), nn.ReLU(), nn.Linear(128 * width, 1024))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Clean image."""
        h = torch.relu(self.inp(x))
        h = h + torch.relu(self.mid(h))
        return self.out(h) + self.ice(x).view_as(x)


class Trainer:
    """Own loop: average gradients after the backward pass, then step."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Set up the group, the model and the data."""
        dist.init_process_group("gloo")
        self.rank, self.world, self.args = dist.get_rank(), dist.get_world_size(), args
        torch.manual_seed(0)
        self.model = Denoiser(args.width)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9)
        self.gen = torch.Generator().manual_seed(100 + self.rank)
        self.say(
            f"{sum(p.numel() for p in self.model.parameters()) / 1e6:.2f}M parameters, {self.world} workers, lr {args.lr:g} width {args.width}"
        )

    def say(self, text: str) -> None:
        """Print with the rank."""
        print(f"[rank {self.rank}] {text}", flush=True)

    def batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Two noisy views of the same particles."""
        c = torch.rand(8, 2, 1, 1, generator=self.gen) * 20 + 6
        g = torch.arange(32.0)
        clean = torch.exp(-(((g.view(1, -1, 1) - c[:, 0]) ** 2 + (g.view(1, 1, -1) - c[:, 1]) ** 2) / 18)).unsqueeze(1)
        a, b = (clean + 0.3 * torch.randn(clean.shape, generator=self.gen) for _ in range(2))
        return a, b

    def step(self) -> tuple[float, float, float]:
        """One step: loss, seconds of compute, seconds of gradient exchange."""
        t0 = time.perf_counter()
        a, b = self.batch()
        loss = nn.functional.mse_loss(self.model(a), b)
        self.opt.zero_grad()
        loss.backward()
        t1 = time.perf_counter()
        for p in self.model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= self.world
        t2 = time.perf_counter()
        self.opt.step()
        return loss.item(), t1 - t0 + time.perf_counter() - t2, t2 - t1

    def fit(self) -> None:
        """All steps."""
        t0, comp, comm = time.perf_counter(), 0.0, 0.0
        for i in range(1, self.args.steps + 1):
            loss, c, x = self.step()
            comp, comm = comp + c, comm + x
            if i % 4 == 0 or i == 1:
                self.say(f"step {i:3d}/{self.args.steps} loss {loss:.4f} compute {c:.3f}s allreduce {x:.3f}s")
        wall = time.perf_counter() - t0
        mb = sum(p.numel() for p in self.model.parameters()) * 4 / 2**20
        self.say(
            f"{self.args.steps} steps in {wall:.1f}s ({wall / self.args.steps:.2f} s/step): compute {comp:.1f}s, allreduce {comm:.1f}s of {mb:.0f} MiB each"
        )
        dist.destroy_process_group()


def main() -> None:
    """Sweep, or one worker of a configuration."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--nproc", type=int, default=2)
    ap.add_argument("--steps", type=int, default=40)
    ap.add_argument("--worker", action="store_true")
    ap.add_argument("--lr", type=float, default=0.0)
    ap.add_argument("--width", type=int, default=0)
    args = ap.parse_args()
    if args.worker:
        Trainer(args).fit()
        return
    grid = list(itertools.product((0.02, 0.05), (12, 16)))[:3]
    for n, (lr, width) in enumerate(grid, 1):
        print(f"=== configuration {n}/{len(grid)}: lr={lr} width={width}", flush=True)
        cmd = [sys.executable, "-m", "torch.distributed.run", "--master-addr", "127.0.0.1", "--master-port", "29517"]
        cmd += [
            "--nproc-per-node",
            str(args.nproc),
            __file__,
            "--worker",
            "--steps",
            str(args.steps),
            "--lr",
            str(lr),
            "--width",
            str(width),
        ]
        subprocess.run(cmd, check=True)
    print(f"=== sweep over, {len(grid)} configurations", flush=True)


if __name__ == "__main__":
    main()
