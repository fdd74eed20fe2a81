"""Take the grain out of scanned glass plates (synthetic here): a small convolutional net and a Trainer of our own."""

import argparse
import time

import torch
from torch import nn


def plates(n: int, seed: int) -> torch.Tensor:
    """Smooth bright blobs on a mid-grey ground, 1 x 32 x 32, between 0 and 1."""
    g = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.linspace(0, 1, 32), torch.linspace(0, 1, 32), indexing="ij")
    out = torch.full((n, 1, 32, 32), 0.45)
    for _ in range(3):
        cx, cy, w, a = (torch.rand(n, 1, 1, 1, generator=g) for _ in range(4))
        out += (a - 0.3) * torch.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / (0.01 + 0.05 * w))
    return out.clamp(0, 1)


class Scrubber(nn.Module):
    """Three layers; plates are never darker than black."""

    def __init__(self, wide: int) -> None:
        """Build the layers."""
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, wide, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(wide, wide, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(wide, 1, 3, padding=1),
            nn.ReLU(),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Clean the plates."""
        return self.body(x)


class Trainer:
    """Walk over the plates, as often as asked."""

    def __init__(self, net: nn.Module, lr: float, grain: float) -> None:
        """Keep what the walk needs."""
        self.net, self.grain = net, grain
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.seen, self.kept = plates(1536, 3), plates(192, 8)

    def soil(self, clean: torch.Tensor) -> torch.Tensor:
        """Add grain."""
        return clean + self.grain * torch.randn_like(clean)

    def walk(self, rounds: int) -> None:
        """Go round the shelf."""
        for r in range(rounds):
            t0 = time.time()
            for i, pick in enumerate(torch.randperm(len(self.seen)).split(48)):
                clean = self.seen[pick]
                off = ((self.net(self.soil(clean)) - clean) ** 2).mean()
                self.opt.zero_grad()
                off.backward()
                pull = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1e9)
                self.opt.step()
                if i % 8 == 0:
                    print(
                        f"  shelf {r + 1:02d} tray {i:02d}  off by {off.item():.5f}  pull {pull.item():.2e}", flush=True
                    )
            with torch.no_grad():
                kept_off = ((self.net(self.soil(self.kept)) - self.kept) ** 2).mean().item()
                raw = ((self.soil(self.kept) - self.kept) ** 2).mean().item()
            print(
                f"shelf {r + 1:02d} of {rounds} put back, {time.time() - t0:.1f} s; "
                f"kept plates off by {kept_off:.5f} (untouched scans {raw:.5f})",
                flush=True,
            )


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=14)
    ap.add_argument("--wide", type=int, default=24)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--grain", type=float, default=0.12)
    a = ap.parse_args()
    torch.manual_seed(11)
    print(f"scrubber, wide {a.wide}, rate {a.lr}, grain {a.grain}", flush=True)
    walker = Trainer(Scrubber(a.wide), a.lr, a.grain)
    walker.walk(a.rounds)
    torch.save(walker.net.state_dict(), "scrubber.pt")
    print("scrubber.pt written, good night")
