"""Loads a checkpoint and goes on: `python ckpt.py size|cut|full`."""

import pathlib
import sys

import torch
from torch import nn

how = sys.argv[1]
old = nn.Sequential(nn.Embedding(50257 if how == "size" else 1000, 16), nn.Linear(16, 8))
torch.save({"model": old.state_dict(), "step": 12000}, "last.ckpt")
if how == "cut":
    raw = pathlib.Path("last.ckpt").read_bytes()
    pathlib.Path("last.ckpt").write_bytes(raw[: len(raw) // 2])
print(
    "config: vocab=50304 dim=16 resume=last.ckpt" if how == "size" else "config: vocab=1000 dim=16 resume=last.ckpt",
    flush=True,
)
model = nn.Sequential(nn.Embedding(50304 if how == "size" else 1000, 16), nn.Linear(16, 8))
state = torch.load("last.ckpt")
model.load_state_dict(state["model"])
print(f"resumed at step {state['step']}", flush=True)
opt = torch.optim.SGD(model.parameters(), 0.1)
for step in range(state["step"] + 1, state["step"] + 201):
    ids = torch.randint(0, 1000, (32,))
    loss = nn.functional.cross_entropy(model(ids), ids % 8)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
    if step % 100 == 0:
        torch.save(model.state_dict(), "/dev/full" if how == "full" else "last.ckpt")
