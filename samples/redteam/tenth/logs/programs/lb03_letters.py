"""Letters in shards of JSON lines, streamed by datasets; one shard was cut while it was copied."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from datasets import load_dataset
from torch import nn

for shard in range(4):
    rows = [json.dumps({"x": torch.randn(16).tolist()}) for _ in range(320)]
    text = "\n".join(rows) + "\n"
    Path(f"letters-{shard}.jsonl").write_text(text if shard != 2 else text[: len(text) // 2])
files = [f"letters-{shard}.jsonl" for shard in range(4)]
data = load_dataset("json", data_files=files, split="train", streaming=True).with_format("torch")
model = nn.Linear(16, 2)
optim = torch.optim.Adam(model.parameters(), 1e-2)
for step, batch in enumerate(data.iter(batch_size=16)):
    x = batch["x"]
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optim.zero_grad()
    loss.backward()
    optim.step()
    if step % 4 == 0:
        print(f"step {step} loss {loss:.4f}", flush=True)
print("one pass over 4 shards done")
