"""One trial of the grid."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch
from torch import nn

place = Path(sys.argv[1])
config = json.loads((place / "config.json").read_text())
torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(4000, 20)
y = (x[:, :3].sum(1) > 0).long()
model = nn.Sequential(
    nn.Linear(20, config["model"]["width"]),
    nn.ReLU(),
    nn.Dropout(config["model"]["dropout"]),
    nn.Linear(config["model"]["width"], 2),
)
optimizer = torch.optim.SGD(model.parameters(), lr=config["model"]["lr"])
batch = config["train"]["batch_size"]
for _ in range(config["train"]["epochs"]):
    for part in torch.randperm(len(x)).split(batch):
        loss = nn.functional.cross_entropy(model(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    time.sleep(1)
(place / "score.json").write_text(json.dumps({"val_loss": loss.item()}))
