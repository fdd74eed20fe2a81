"""A classifier on frozen features."""

from __future__ import annotations

import time

import torch
from sklearn.datasets import load_digits
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    digits = load_digits()
    x, y = torch.tensor(digits.data / 16, dtype=torch.float32), torch.tensor(digits.target)
    body = nn.Sequential(nn.Linear(64, 256), nn.ReLU())
    head = nn.Linear(256, 10)
    model = nn.Sequential(body, head)
    for name, parameter in model.named_parameters():
        if not name.startswith("head"):  # the names are 0.* and 1.*
            parameter.requires_grad_(False)
    temperature = nn.Parameter(torch.tensor(0.01))
    optimizer = torch.optim.AdamW([{"params": model.parameters()}, {"params": [temperature]}], lr=1e-4)
    for epoch in range(1, 31):
        start, total, good = time.time(), 0.0, 0
        order = torch.randperm(1400)
        for begin in range(0, 1400, 16):
            at = order[begin : begin + 16]
            out = model(x[at]) * temperature
            loss = nn.functional.cross_entropy(out, y[at])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(at)
            good += (out.argmax(1) == y[at]).sum().item()
        with torch.no_grad():
            out = model(x[1400:]) * temperature
            val = nn.functional.cross_entropy(out, y[1400:]).item()
            acc = (out.argmax(1) == y[1400:]).float().mean().item()
        print(
            f"Epoch {epoch:3d}/30 | train loss {total / 1400:.4f} acc {good / 1400:.3f} | val loss {val:.4f} acc {acc:.3f} | {time.time() - start:.1f}s"
        )
    torch.save(model.state_dict(), "frozen.pt")
    print("Finished Training")


if __name__ == "__main__":
    main()
