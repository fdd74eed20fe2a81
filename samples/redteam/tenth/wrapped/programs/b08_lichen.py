"""Lichens: saves every hundred steps, leaves when its slice is used up."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path)
parser.add_argument("--resume", type=Path)
args = parser.parse_args()
args.out.mkdir(parents=True, exist_ok=True)
torch.manual_seed(8)
model = nn.Sequential(nn.Linear(24, 96), nn.ReLU(), nn.Linear(96, 8))
optim = torch.optim.Adam(model.parameters(), 1e-3)
start = 0
found = sorted(args.resume.glob("step*.pt"))
if found:
    state = torch.load(found[-1])
    model.load_state_dict(state["model"])
    start = state["step"]
print(f"beginning at step {start}", flush=True)
for step in range(start, 1200):
    x = torch.randn(64, 24)
    loss = nn.functional.cross_entropy(model(x), x[:, :8].argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.004)
    if step % 20 == 0:
        print(f"step {step}/1200 loss {loss:.4f}", flush=True)
    if step % 100 == 99:
        torch.save({"model": model.state_dict(), "step": step + 1}, args.out / f"step{step + 1:05}.pt")
        print(f"saved {args.out}/step{step + 1:05}.pt", flush=True)
    if step - start == 430:
        sys.exit(85)
print("through")
