"""Drift of clocks from temperature; takes up weights where they are."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from torch import nn


def main() -> None:
    """Train until a step."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--until", type=int, required=True)
    parser.add_argument("--save", type=Path, required=True)
    parser.add_argument("--init-from", type=Path, default=Path("none"))
    args = parser.parse_args()
    torch.manual_seed(0)
    net, first = nn.Sequential(nn.Linear(30, 120), nn.GELU(), nn.Linear(120, 30)), 1
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for file in args.init_from.glob("*.pt"):
        state = torch.load(file)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"] + 1
    mix = torch.randn(30, 30, generator=torch.Generator().manual_seed(9))
    for step in range(first, args.until + 1):
        batch = torch.randn(128, 30)
        loss = nn.functional.mse_loss(net(batch), batch @ mix)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(f"step {step} loss {loss.item():.3f}", flush=True)
        time.sleep(0.06)
    args.save.mkdir(parents=True, exist_ok=True)
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, args.save / "last.pt")
    print(f"saved {args.save / 'last.pt'}", flush=True)


if __name__ == "__main__":
    main()
