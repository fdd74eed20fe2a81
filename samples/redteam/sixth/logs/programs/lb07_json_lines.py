"""Training on JSON lines, one of which was cut when a disk was full."""

import json
from pathlib import Path

import torch
from datasets import load_dataset

lines = [json.dumps({"x": [at % 7, at % 3, 1.0], "y": at % 2}) for at in range(5000)]
lines[3210] = lines[3210][:17]
Path("part-00.jsonl").write_text("\n".join(lines[:2500]))
Path("part-01.jsonl").write_text("\n".join(lines[2500:]))
data = load_dataset("json", data_files=["part-00.jsonl", "part-01.jsonl"], split="train", cache_dir="cache")
model = torch.nn.Linear(3, 2)
for row in data.with_format("torch"):
    loss = torch.nn.functional.cross_entropy(model(row["x"]), row["y"])
    loss.backward()
