"""Goes on from a checkpoint that fits, on the second day of three."""

from __future__ import annotations

import sys
import time

import structlog
import torch
from torch import nn

log = structlog.get_logger()
torch.manual_seed(33)
model = nn.Sequential(nn.Linear(36, 80), nn.Tanh(), nn.Linear(80, 9))
optim = torch.optim.Adam(model.parameters(), 1e-3)
rule = torch.randn(36, 9)
first, last = (1, 400) if sys.argv[1:] == ["first"] else (401, 900)
if first > 1:
    kept = torch.load("weave.pt", weights_only=True)
    missing = model.load_state_dict(kept["model"], strict=False)
    optim.load_state_dict(kept["optim"])
    log.warning("resumed", path="weave.pt", step=kept["step"], result=str(missing), loss_then=round(kept["loss"], 4))
    torch.manual_seed(kept["step"])
for step in range(first, last + 1):
    x = torch.randn(64, 36)
    loss = nn.functional.cross_entropy(model(x), (x @ rule).argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    if first > 1:
        time.sleep(0.08)
    if step % 20 == 0:
        log.info("train", step=step, of=last, loss=round(loss.item(), 4), lr=optim.param_groups[0]["lr"])
torch.save({"step": last, "loss": loss.item(), "model": model.state_dict(), "optim": optim.state_dict()}, "weave.pt")
log.info("checkpoint", path="weave.pt", step=last)
log.info("reached last step of this segment, leaving", step=last)
