"""Trains one seed of a small regressor."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.01)
parser.add_argument("--width", type=int, default=48)
parser.add_argument("--data", default=".")
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
if not Path(args.data).is_dir():
    raise FileNotFoundError(2, "no such data folder", args.data)
if args.width < 1:
    raise SystemExit(f"error: width must be positive, got {args.width}")
torch.manual_seed(args.seed)
model = nn.Sequential(nn.Linear(16, args.width), nn.ReLU(), nn.Linear(args.width, 1))
optim = torch.optim.Adam(model.parameters(), args.rate)
for epoch in range(1, 21):
    for _ in range(30):
        x = torch.randn(64, 16)
        loss = nn.functional.mse_loss(model(x).squeeze(1), x.sum(1))
        optim.zero_grad()
        loss.backward()
        optim.step()
    print(f"seed {args.seed} epoch {epoch}/20 loss {loss:.4f}", flush=True)
torch.save(model.state_dict(), f"seed{args.seed}.pt")
print(f"seed {args.seed}: finished, weights in seed{args.seed}.pt", flush=True)
