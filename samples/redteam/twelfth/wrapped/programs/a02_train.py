"""Stage 2: a classifier of claims over the shards that the manifest names."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--manifest", type=Path, required=True)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--lr", type=float, default=1e-3)
args = parser.parse_args()
print("arguments:", vars(args), flush=True)
torch.manual_seed(1)
model = nn.Sequential(nn.EmbeddingBag(997, 64), nn.Linear(64, 5))
print(f"model has {sum(p.numel() for p in model.parameters())} parameters", flush=True)
shards = json.loads(args.manifest.read_text())
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    for name in shards:
        data = torch.load(args.manifest.parent / name)
        loss = nn.functional.cross_entropy(model(data["ids"].long()), data["labels"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch + 1}: loss {loss.item():.4f}", flush=True)
