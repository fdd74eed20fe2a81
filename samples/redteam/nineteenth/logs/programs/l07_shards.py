"""Write shards of points for the diffusion toy."""

from __future__ import annotations

from pathlib import Path

import torch

if __name__ == "__main__":
    Path("shards").mkdir()
    g = torch.Generator().manual_seed(1)
    for i in range(6):
        a = 9 * torch.rand(20000, generator=g).sqrt()
        points = torch.stack([a * a.cos(), a * a.sin()], 1) / 4.5 + 0.05 * torch.randn(20000, 2, generator=g)
        torch.save(points, f"shards/points-{i:03}-of-006.pt")
