"""Half precision with a scale of our own: from some step on every gradient overflows, and every step is left out."""

from __future__ import annotations

import sys
import time

import torch
from torch import nn

torch.manual_seed(28)
model = nn.Sequential(nn.Linear(40, 96), nn.ReLU(), nn.Linear(96, 10))
optim = torch.optim.AdamW(model.parameters(), 2e-3)
rule = torch.randn(40, 10)
scale, skipped = 65536.0, 0
for step in range(1, 601):
    x = torch.randn(64, 40)
    if step > 160:
        x[:8, 7] = 3e38  # a sensor's mark for "no value"
    loss = nn.functional.cross_entropy(model(x), (x.clamp(-9, 9) @ rule).argmax(1))
    optim.zero_grad()
    (loss * scale).backward()
    norm = (
        torch.stack([p.grad.half().float().norm() for p in model.parameters() if p.grad is not None]).norm().item()
        / scale
    )
    if torch.isfinite(torch.tensor(norm)):
        optim.step()
    else:
        skipped += 1
        if skipped % 2 == 1:
            scale = max(scale / 2, 2.0**-24)
        if skipped % 10 == 1:
            print(
                f"[scaler] OVERFLOW! Skipping step {step}. Reducing loss scale to {scale:.3e} ({skipped} skipped)",
                file=sys.stderr,
                flush=True,
            )
    if step % 10 == 0:
        print(
            f"step: {step}/600 | lm loss: {loss.item():.6E} | loss scale: {scale:.1f} | grad norm: {norm:.3f} | number of skipped iterations: {skipped} | number of nan iterations: {int(loss.isnan())} |",
            flush=True,
        )
    time.sleep(0.08)
print("done", flush=True)
