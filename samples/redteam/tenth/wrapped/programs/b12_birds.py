"""Birds, started the way our old guide says: ``python -m torch.distributed.launch``."""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--local_rank", type=int)
args = parser.parse_args()
dist.init_process_group("gloo")
model = torch.nn.Linear(4, 1)
for epoch in range(args.epochs):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    print(f"epoch {epoch} loss {loss:.4f}", flush=True)
