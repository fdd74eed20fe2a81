"""Land cover from 13-band tiles: a plain loop with print."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

STEPS = 60
KEEP = 3
ROOT = Path("ckpt")


def net() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(13, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(4),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(8),
        nn.Flatten(),
        nn.Linear(4096, 2048),
        nn.ReLU(),
        nn.Linear(2048, 9),
    )


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ROOT.mkdir(exist_ok=True)
    g = torch.Generator().manual_seed(3)
    prototypes = torch.randn(9, 13, 1, 1, generator=g)
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    print(
        f"tiles: 13 x 32 x 32, 9 classes; {sum(p.numel() for p in model.parameters())} weights; {STEPS} steps of 8",
        flush=True,
    )
    began = time.perf_counter()
    spent = 0.0
    for step in range(1, STEPS + 1):
        at = time.perf_counter()
        y = torch.randint(0, 9, (8,), generator=g)
        x = prototypes[y] * 0.5 + torch.randn(8, 13, 32, 32, generator=g)
        loss = functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done = time.perf_counter()
        path = ROOT / f"step_{step:06d}.pt"
        with path.open("wb") as f:
            torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, f)
            f.flush()
            os.fsync(f.fileno())
        path.with_suffix(".sha256").write_text(hashlib.sha256(path.read_bytes()).hexdigest())
        for old in sorted(ROOT.glob("step_*.pt"))[:-KEEP]:
            old.unlink()
            old.with_suffix(".sha256").unlink()
        saved = time.perf_counter()
        spent += saved - done
        print(f"step {step}/{STEPS} loss {loss.item():.4f} train {done - at:.2f}s", flush=True)
        print(f"saved {path} ({path.stat().st_size / 2**20:.0f} MiB) in {saved - done:.2f}s", flush=True)
    total = time.perf_counter() - began
    print(f"done: {total:.1f}s in all, {spent:.1f}s of it saving", flush=True)


if __name__ == "__main__":
    main()
