"""A language model of characters; goes on from its last checkpoint where there is one."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch
from torch import nn

_TEXT = "the quick brown fox jumps over the lazy dog and runs through the wet grass " * 60
_WHERE = Path("ckpt/last.pt")


def main(epochs: int) -> None:
    """Train up to this many epochs."""
    torch.manual_seed(0)
    names = sorted(set(_TEXT))
    codes = torch.tensor([names.index(letter) for letter in _TEXT])
    net = nn.Sequential(nn.Embedding(len(names), 256), nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, len(names)))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    first = 0
    if _WHERE.exists():
        print(f"resuming from {_WHERE} ({_WHERE.stat().st_size} bytes)", flush=True)
        state = torch.load(_WHERE)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"]
    for epoch in range(first, epochs):
        loss = nn.functional.cross_entropy(net(codes[:-1]), codes[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}", flush=True)
        time.sleep(0.2)
        _WHERE.parent.mkdir(exist_ok=True)
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}, _WHERE)


if __name__ == "__main__":
    main(int(sys.argv[1]))
