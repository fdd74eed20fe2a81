"""A normalising flow by hand (affine couplings) for spectra of galaxies, with a head for the redshift."""

from __future__ import annotations

import sys
import time

import torch
from torch import nn

D, MAX = 24, 40000


class Coupling(nn.Module):
    """Half of the vector moves and scales the other half."""

    def __init__(self, flip: bool) -> None:
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(D // 2, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, D))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat((b, a) if self.flip else (a, b), 1), s.sum(1)


def spectra(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Lines that move with the redshift, noise on top."""
    z = torch.rand(n, 1)
    g = torch.linspace(0, 1, D)[None]
    s = torch.exp(-((g - 0.2 - 0.5 * z) ** 2) / 0.01) + 0.6 * torch.exp(-((g - 0.05 - 0.8 * z) ** 2) / 0.004)
    return (1 + 0.3 * torch.randn(n, 1)) * s + 0.08 * torch.randn(n, D), z


def main() -> int:
    torch.manual_seed(2)
    torch.set_num_threads(1)
    flow = nn.ModuleList(Coupling(bool(i % 2)) for i in range(6))
    head = nn.Sequential(nn.Linear(D, 64), nn.SiLU(), nn.Linear(64, 1))
    par = [*flow.parameters(), *head.parameters()]
    opt = torch.optim.Adam(par, lr=5e-4)
    print(f"flow: 6 couplings, dim {D}, {sum(p.numel() for p in par)} params, {MAX} iterations", flush=True)
    t0 = time.time()
    for it in range(1, MAX + 1):
        x, z = spectra(128)
        y, ld = x, torch.zeros(len(x))
        for c in flow:
            y, d = c(y)
            ld = ld + d
        prior = 0.5 * (y**2).sum(1).mean() / D
        logdet = ld.mean() / D
        reg = nn.functional.mse_loss(head(y), z)
        loss = prior - logdet + 4 * reg
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(par, 10.0)
        opt.step()
        if it % 200 == 0:
            print(
                f"it={it}/{MAX} loss={loss.item():+.4f} nll/dim={(prior - logdet).item():+.4f} prior={prior.item():.4f} "
                f"logdet/dim={logdet.item():+.4f} z_mse={reg.item():.5f} {it / (time.time() - t0):.0f}it/s",
                flush=True,
            )
        if it % 2000 == 0:
            torch.save({"flow": flow.state_dict(), "head": head.state_dict(), "it": it}, "flow.ckpt")
            print(f"checkpoint flow.ckpt @ {it}", file=sys.stderr, flush=True)
    print("all iterations done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
