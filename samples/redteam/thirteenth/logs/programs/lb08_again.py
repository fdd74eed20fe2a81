"""Goes on from last week's checkpoint."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn


def main() -> None:
    path = Path("last.pt")
    net = nn.Linear(10, 2)
    optimizer = torch.optim.Adam(net.parameters())
    if "--resume" in sys.argv:
        print(f"=> loading checkpoint '{path}'", flush=True)
        state = torch.load(path)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        print(f"=> loaded checkpoint (epoch {state['epoch']})", flush=True)
    for epoch in range(3):
        x = torch.randn(512, 10)
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}", flush=True)
        torch.save(
            {
                "net": net.state_dict(),
                "optimizer": optimizer.state_dict(),
                "epoch": epoch,
                "best": np.float64(loss.item()),
            },
            path,
        )


if __name__ == "__main__":
    main()
