"""Density of detector sparks: affine couplings on eight channels."""

import argparse
import math

import torch
from torch import nn


class Coupling(nn.Module):
    """Half of the channels moves the other half."""

    def __init__(self, dim: int, hidden: int, flip: bool) -> None:
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(
            nn.Linear(dim // 2, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, dim)
        )
        nn.init.normal_(self.net[-1].weight, std=1e-3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        b = b * torch.exp(s) + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)


class Flow(nn.Module):
    """A stack of couplings over a unit Gaussian."""

    def __init__(self, dim: int, hidden: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Coupling(dim, hidden, bool(i % 2)) for i in range(depth))

    def nll(self, x: torch.Tensor) -> torch.Tensor:
        total = x.new_zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            total = total + ld
        return (0.5 * (x**2).sum(1) + 0.5 * x.shape[1] * math.log(2 * math.pi) - total).mean()


def sparks(n: int, g: torch.Generator) -> torch.Tensor:
    """Two arcs with a heavy tail."""
    phi = torch.rand(n, 4, generator=g) * math.pi
    side = (torch.rand(n, 1, generator=g) > 0.5).float() * 2 - 1
    r = 1 + 0.1 * torch.randn(n, 4, generator=g)
    x = torch.cat([r * torch.cos(phi) * side, r * torch.sin(phi) * side], 1)
    u = torch.rand(n, 1, generator=g).clamp_min(0.02)
    return x * (1 + 0.02 * u ** (-0.8))


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--warmup", type=int, default=1500)
    p.add_argument("--steps", type=int, default=6000)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(6)
    g = torch.Generator().manual_seed(7)
    flow = Flow(8, 128, 8)
    opt = torch.optim.Adam(flow.parameters(), a.lr)
    print(f"flow: {sum(q.numel() for q in flow.parameters())} parameters, 8 couplings, lr {a.lr}", flush=True)
    for step in range(1, a.steps + 1):
        for group in opt.param_groups:
            group["lr"] = a.lr * min(1.0, step / a.warmup)
        nll = flow.nll(sparks(128, g))
        opt.zero_grad()
        nll.backward()
        norm = nn.utils.clip_grad_norm_(flow.parameters(), 1e9)
        opt.step()
        if step % 25 == 0:
            print(
                f"it {step:5d} nll {nll.item():.4f} |g| {norm.item():.3g} lr {opt.param_groups[0]['lr']:.2e}",
                flush=True,
            )
    torch.save(flow.state_dict(), "flow.pt")
    print("saved flow.pt", flush=True)


if __name__ == "__main__":
    main()
