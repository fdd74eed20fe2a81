"""Forges the marks of a mint: two networks against each other, so that neither loss is to fall."""

from __future__ import annotations

import time
import warnings

import torch
from torch import nn

torch.manual_seed(12)
torch.set_num_threads(1)


def real(count: int) -> torch.Tensor:
    angle = torch.randint(0, 8, (count,)) * (2 * torch.pi / 8)
    return torch.stack([angle.cos(), angle.sin()], 1) * 2 + 0.1 * torch.randn(count, 2)


def net(into: int, out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(into, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, out)
    )


def distance(a: torch.Tensor, b: torch.Tensor) -> float:
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


forger, judge = net(8, 2), net(2, 1)
forging = torch.optim.Adam(forger.parameters(), lr=1e-3, betas=(0.5, 0.9))
judging = torch.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.9))
bce = nn.functional.binary_cross_entropy_with_logits
one, zero = torch.ones(256, 1), torch.zeros(256, 1)
print("GAN on 8 marks: 40 epochs of 100 steps", flush=True)
best = float("inf")
for epoch in range(1, 41):
    began, sums = time.perf_counter(), [0.0, 0.0]
    for _ in range(100):
        fake = forger(torch.randn(256, 8))
        loss_d = bce(judge(real(256)), one) + bce(judge(fake.detach()), zero)
        judging.zero_grad()
        loss_d.backward()
        judging.step()
        loss_g = bce(judge(fake), one)
        forging.zero_grad()
        loss_g.backward()
        forging.step()
        sums[0] += loss_d.item()
        sums[1] += loss_g.item()
    with torch.no_grad():
        gap = distance(forger(torch.randn(1000, 8)), real(1000))
    if gap > 3 * best:
        warnings.warn(
            f"epoch {epoch}: distance {gap:.4f} is three times the best, possible mode collapse", stacklevel=1
        )
    note = ""
    if gap < best:
        best, note = gap, "  *best, saved"
        torch.save(forger.state_dict(), "forger.pt")
    print(
        f"Epoch [{epoch}/40] D_loss: {sums[0] / 100:.4f} G_loss: {sums[1] / 100:.4f} energy_distance: {gap:.4f} ({time.perf_counter() - began:.1f}s){note}",
        flush=True,
    )
print(f"Training finished. Best energy distance {best:.4f}. Weights in forger.pt", flush=True)
