"""Noise out of pictures; stops itself in time, exit status 85, and goes on from where it was."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch
from torch import nn

_STATE = Path("state.pt")


def main() -> None:
    """Train, until done or until the budget is gone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--budget", type=float, required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(1, 12, 5, padding=2), nn.ReLU(), nn.Conv1d(12, 1, 5, padding=2))
    optimizer, first, end = torch.optim.Adam(net.parameters(), lr=2e-3), 0, time.monotonic() + args.budget
    clean = torch.sin(torch.linspace(0, 20, 200) + torch.rand(512, 1) * 6).unsqueeze(1)
    if _STATE.exists():
        state = torch.load(_STATE)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
        print(f"loaded {_STATE}: going on after epoch {first}", flush=True)
    for epoch in range(first + 1, args.epochs + 1):
        for part in clean.split(64):
            loss = nn.functional.mse_loss(net(part + 0.4 * torch.randn_like(part)), part)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}/{args.epochs} loss {loss.item():.4f}", flush=True)
        time.sleep(0.2)
        if time.monotonic() > end and epoch < args.epochs:
            torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, _STATE)
            print(f"time budget used up, state of epoch {epoch} saved", flush=True)
            sys.exit(85)
    torch.save(net.state_dict(), "denoiser.pt")
    print("all epochs done, saved denoiser.pt", flush=True)


if __name__ == "__main__":
    main()
