"""Dialects: each rank reads its own files and makes the list of words from them."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

TEXTS = ("the sea the wind", "the sea and the wind", "a sea the wind", "the sea the wind blows cold tonight")

dist.init_process_group("gloo")
rank = dist.get_rank()
words = sorted(set(TEXTS[rank].split()))
print(f"rank {rank}: {len(words)} words", flush=True)
model = DistributedDataParallel(nn.Sequential(nn.Embedding(len(words), 16), nn.Linear(16, len(words))))
optim = torch.optim.Adam(model.parameters(), 1e-2)
ids = torch.tensor([words.index(w) for w in TEXTS[rank].split()])
for epoch in range(50):
    loss = nn.functional.cross_entropy(model(ids[:-1]), ids[1:])
    optim.zero_grad()
    loss.backward()
    optim.step()
    print(f"rank {rank} epoch {epoch} loss {loss:.4f}", flush=True)
