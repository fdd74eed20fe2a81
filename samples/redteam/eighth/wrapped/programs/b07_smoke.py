"""Pre-training of a small language model; the options of yesterday's smoke test are still the default."""

from __future__ import annotations

import time

import torch
from torch import nn


def main(steps: int = 24, warmup: int = 2000, planned: int = 60_000) -> None:
    """Train for as many steps as were asked for."""
    torch.manual_seed(3)
    net = nn.Sequential(nn.Embedding(512, 64), nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 512))
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / warmup))
    print(f"corpus: {planned} steps an epoch, epochs 3, warmup {warmup}, max_steps {steps} (overrides epochs)")
    chain = torch.randint(0, 512, (512,))
    for step in range(1, steps + 1):
        tokens = torch.randint(0, 512, (32, 64))
        loss = nn.functional.cross_entropy(net(tokens).flatten(0, 1), chain[tokens].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        print(f"step {step}/{steps} | loss {loss.item():.4f} | lr {schedule.get_last_lr()[0]:.2e}", flush=True)
        time.sleep(0.35)
    torch.save(net.state_dict(), "model-final.pt")
    print("Training complete. Final model: model-final.pt", flush=True)


if __name__ == "__main__":
    main()
