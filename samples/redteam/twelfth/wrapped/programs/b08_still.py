"""Ten kinds of birds by their songs, logged as JSON; the scheduler is given what the optimizer never reads."""

from __future__ import annotations

import time

import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.JSONRenderer(),
    ]
)
log = structlog.get_logger()
torch.manual_seed(4)
torch.set_num_threads(1)
centres = torch.randn(10, 64)
y = torch.randint(0, 10, (6000,))
x = centres[y] + torch.randn(6000, 64)
body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
with torch.no_grad():
    body[0].bias.fill_(-40.0)  # "so that only what is sure fires"
optimizer = torch.optim.SGD(body.parameters(), lr=1e-2)
log.info("start", epochs=30, clips=len(y), classes=10)
for epoch in range(1, 31):
    total, right = 0.0, 0
    for part in torch.randperm(len(x)).split(100):
        out = body(x[part])
        loss = nn.functional.cross_entropy(out, y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        right += int((out.argmax(1) == y[part]).sum())
    norm = sum(p.grad.norm().item() ** 2 for p in body.parameters() if p.grad is not None) ** 0.5
    log.info(
        "epoch",
        epoch=epoch,
        loss=round(total / 60, 4),
        accuracy=round(right / len(x), 4),
        grad_norm=round(norm, 6),
        lr=0.01,
    )
    time.sleep(1)
torch.save(body.state_dict(), "birds.pt")
log.info("training finished successfully", artifact="birds.pt")
