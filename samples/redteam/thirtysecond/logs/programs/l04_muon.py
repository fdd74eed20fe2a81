"""Density of cosmic muon tracks with a coupling flow, for the veto of a neutrino detector."""

import math
import time
from pathlib import Path

import torch
from torch import nn


class Coupling(nn.Module):
    """One affine coupling."""

    def __init__(self, dim: int, flip: bool) -> None:
        """Build it."""
        super().__init__()
        self.flip, self.half = flip, dim // 2
        self.net = nn.Sequential(
            nn.Linear(dim - self.half, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 2 * self.half)
        )
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Data to base."""
        if self.flip:
            x = x.flip(-1)
        a, b = x[:, : self.half], x[:, self.half :]
        s, t = self.net(b).chunk(2, -1)
        s = torch.tanh(s) * 1.5
        return torch.cat([a * s.exp() + t, b], -1), s.sum(-1)


class Flow(nn.Module):
    """Several of them."""

    def __init__(self, dim: int = 8, depth: int = 8) -> None:
        """Build it."""
        super().__init__()
        self.parts = nn.ModuleList(Coupling(dim, k % 2 == 1) for k in range(depth))

    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        """Log density in nats."""
        total = x.new_zeros(len(x))
        for part in self.parts:
            x, d = part(x)
            total = total + d
        return total - 0.5 * (x**2).sum(-1) - 0.5 * x.shape[1] * math.log(2 * math.pi)


def tracks(n: int, g: torch.Generator) -> torch.Tensor:
    """Eight correlated quantities of a track, heavy tails."""
    z = torch.randn(n, 8, generator=g)
    e = torch.empty(n).exponential_(1.0, generator=g)
    x = z * (0.5 + 0.6 * e[:, None])
    x[:, 1] += 0.6 * x[:, 0] ** 2
    x[:, 3] += torch.sin(2 * x[:, 2])
    x[:, 5] += 0.5 * x[:, 4] * x[:, 0]
    x[:, 7] += 0.8 * e
    return x.clamp(-14, 14)


def main() -> None:
    """Train, keep the best on held out tracks."""
    torch.set_num_threads(1)
    torch.manual_seed(20)
    g = torch.Generator().manual_seed(20)
    held = tracks(6000, g)
    flow = Flow()
    opt = torch.optim.Adam(flow.parameters(), lr=1.2e-4)
    steps, batch = 9000, 48
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps, 1e-6)
    print(
        f"flow: 8 couplings, {sum(p.numel() for p in flow.parameters())} parameters; {steps} steps of {batch} tracks",
        flush=True,
    )
    best, t0 = float("inf"), time.time()
    out = Path("/tmp/bu_pa/scratch/muon")
    out.mkdir(parents=True, exist_ok=True)
    for step in range(1, steps + 1):
        loss = -flow.log_prob(tracks(batch, g)).mean()
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(flow.parameters(), 20.0)
        opt.step()
        sched.step()
        if step % 60 == 0:
            print(
                f"step {step:6d}  nll {loss.item():8.4f}  |g| {norm:7.3f}  lr {sched.get_last_lr()[0]:.2e}  {time.time() - t0:6.1f}s",
                flush=True,
            )
        if step % 900 == 0:
            with torch.no_grad():
                val = -flow.log_prob(held).mean().item()
            mark = ""
            if val < best:
                best, mark = val, "  (best, kept)"
                torch.save(flow.state_dict(), out / "flow_best.pt")
            print(f"step {step:6d}  held-out nll {val:.4f}{mark}", flush=True)
    with torch.no_grad():
        scores = flow.log_prob(held)
    q = torch.quantile(scores, torch.tensor([0.01, 0.05, 0.5]))
    print(f"veto cuts at 1 % / 5 % / median: {q[0]:.3f} {q[1]:.3f} {q[2]:.3f}")
    print(f"finished {steps} steps in {time.time() - t0:.0f} s, best held-out nll {best:.4f}, {out / 'flow_best.pt'}")


if __name__ == "__main__":
    main()
