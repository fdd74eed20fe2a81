"""Everything is kept in a scratch that has room for two checkpoints and a half."""

from __future__ import annotations

import logging
import shutil
import time

import torch
from torch import nn

log = logging.getLogger("vault")
log.setLevel(logging.INFO)
log.addHandler(logging.StreamHandler())
log.addHandler(logging.FileHandler("scratch/vault.log"))
torch.manual_seed(26)
model = nn.Sequential(nn.Linear(64, 3000), nn.ReLU(), nn.Linear(3000, 64), nn.ReLU(), nn.Linear(64, 5))
optim = torch.optim.SGD(model.parameters(), 0.03, momentum=0.9)
rule = torch.randn(64, 5)
for step in range(1, 2001):
    x = torch.randn(32, 64)
    loss = nn.functional.cross_entropy(model(x), (x @ rule).argmax(1))
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.05)
    if step % 20 == 0:
        log.info("step %d loss %.4f", step, loss.item())
    if step % 120 == 0:
        try:
            torch.save(
                {"step": step, "model": model.state_dict(), "optim": optim.state_dict()}, f"scratch/vault-{step}.pt"
            )
        except RuntimeError:
            log.exception("cannot keep step %d", step)
            log.warning(
                "scratch: %d of %d bytes free", shutil.disk_usage("scratch").free, shutil.disk_usage("scratch").total
            )
            raise
        log.info("checkpoint scratch/vault-%d.pt", step)
