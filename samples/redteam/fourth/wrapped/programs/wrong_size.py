"""Resumes with a vocabulary that has grown since the checkpoint was written."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn


def model(vocab: int) -> nn.Module:
    return nn.Sequential(nn.Embedding(vocab, 32), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, vocab))


def main() -> None:
    path = Path("run7-step4000.pt")
    torch.save({"model": model(1000).state_dict(), "step": 4000}, path)
    net = model(1024)
    print("building model: vocab=1024 dim=32", flush=True)
    print(f"resuming from {path}", flush=True)
    state = torch.load(path, weights_only=True)
    net.load_state_dict(state["model"])
    print(f"resumed at step {state['step']}", flush=True)


if __name__ == "__main__":
    main()
