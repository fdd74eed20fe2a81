"""Fit a coupling flow to hourly readings of moored buoys; one density for the outlier flags of the nightly page."""

import argparse
import math

import torch
from torch import nn

NAMES = ("hs", "tp", "wind", "gust", "sst", "press")


def readings(count: int, seed: int) -> torch.Tensor:
    """Synthetic hours: a slow season, a fetch-limited sea and the gusts above the mean wind."""
    g = torch.Generator().manual_seed(seed)
    season = torch.rand(count, generator=g) * 2 * math.pi
    wind = 7 + 2.5 * torch.cos(season) + torch.randn(count, generator=g).abs() * 3
    gust = wind * (1.2 + 0.15 * torch.rand(count, generator=g))
    hs = 0.02 * wind**2 + 0.4 * torch.randn(count, generator=g).abs()
    tp = 3.5 + 2.6 * hs.sqrt() + 0.6 * torch.randn(count, generator=g)
    sst = 11 - 4 * torch.cos(season - 0.9) + 0.5 * torch.randn(count, generator=g)
    press = 1013 - 1.1 * (wind - 8) + 5 * torch.randn(count, generator=g)
    return torch.stack([hs, tp, wind, gust, sst, press], 1)


class Coupling(nn.Module):
    """Half of the columns move the other half."""

    def __init__(self, width: int, hidden: int, flip: bool) -> None:
        super().__init__()
        self.flip, self.half = flip, width // 2
        self.net = nn.Sequential(
            nn.Linear(self.half, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, width)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)


class Flow(nn.Module):
    """Couplings one after the other, halves swapped in between."""

    def __init__(self, width: int, layers: int, hidden: int) -> None:
        super().__init__()
        self.steps = nn.ModuleList(Coupling(width, hidden, bool(i % 2)) for i in range(layers))

    def nll(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(len(x))
        for step in self.steps:
            x, logdet = step(x)
            total = total + logdet
        return (0.5 * x.square().sum(1) + 0.5 * x.shape[1] * math.log(2 * math.pi) - total).mean()


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--warm", type=int, default=20)
    ap.add_argument("--rows", type=int, default=60000)
    opt = ap.parse_args()
    torch.manual_seed(11)
    raw = readings(opt.rows, 5)
    mean, std = raw.mean(0), raw.std(0)
    data, held = ((raw - mean) / std).split([opt.rows - 6000, 6000])
    print("columns", ", ".join(f"{n} {m:.2f}±{s:.2f}" for n, m, s in zip(NAMES, mean, std, strict=True)))
    flow = Flow(len(NAMES), 8, 96)
    optim = torch.optim.SGD(flow.parameters(), lr=opt.lr, momentum=0.9)
    print(
        f"flow of 8 couplings, {sum(p.numel() for p in flow.parameters())} weights, {len(data)} rows, {opt.epochs} epochs"
    )
    for epoch in range(1, opt.epochs + 1):
        for group in optim.param_groups:
            group["lr"] = opt.lr * min(1.0, epoch / opt.warm)
        total, norm = 0.0, torch.zeros(())
        batches = data[torch.randperm(len(data))].split(500)
        for batch in batches:
            loss = flow.nll(batch)
            optim.zero_grad()
            loss.backward()
            norm = torch.nn.utils.get_total_norm([p.grad for p in flow.parameters()])
            optim.step()
            total += loss.item()
        with torch.no_grad():
            valid = flow.nll(held).item()
        lr = optim.param_groups[0]["lr"]
        print(
            f"epoch {epoch:2d}/{opt.epochs}  nll {total / len(batches):.4f}  held-out {valid:.4f}  |g| {norm:.3g}  lr {lr:.2e}"
        )
    torch.save({"flow": flow.state_dict(), "mean": mean, "std": std}, "buoys.pt")
    print("wrote buoys.pt")


if __name__ == "__main__":
    main()
