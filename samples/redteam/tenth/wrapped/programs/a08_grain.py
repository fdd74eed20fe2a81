"""Satellite pictures of fields, unpacked as they are needed; ``make`` packs some."""

from __future__ import annotations

import lzma
import random
import sys
import time
from pathlib import Path

import torch
from torch import nn

if sys.argv[1:] == ["make"]:
    random.seed(4)
    words = [random.randbytes(12).hex().encode() for _ in range(3000)]
    for block in range(2):
        text = b" ".join(random.choices(words, k=500_000))
        Path(f"block{block}.xz").write_bytes(lzma.compress(text, preset=0))
    sys.exit()
torch.manual_seed(4)
model = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 16))
optim = torch.optim.Adam(model.parameters(), 2e-3)
print("fields: 9 steps an epoch, 1 epoch", flush=True)
for step in range(9):
    began = time.perf_counter()
    raw = b"".join(lzma.decompress(Path(f"block{n % 2}.xz").read_bytes()) for n in range(4))
    x = torch.frombuffer(bytearray(raw[step * 1000 : step * 1000 + 64 * 512]), dtype=torch.uint8).view(64, 512) / 64 - 1
    got = time.perf_counter()
    loss = nn.functional.cross_entropy(model(x), x[:, :16].argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    now = time.perf_counter()
    print(f"step {step + 1}/9 loss {loss:.4f} data_time {got - began:.3f}s model_time {now - got:.3f}s", flush=True)
torch.save(model.state_dict(), "fields.pt")
print("epoch 1 done, wrote fields.pt")
