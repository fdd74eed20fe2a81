"""Prices of houses on a machine that may be reclaimed: on notice it saves and leaves, and goes on when it is started again."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from types import FrameType

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
log = logging.getLogger()
torch.manual_seed(0)
torch.set_num_threads(1)
notice = False


def told(number: int, frame: FrameType | None) -> None:
    global notice
    del frame
    notice = True
    log.warning("got signal %d: this machine will be reclaimed", number)


signal.signal(signal.SIGTERM, told)
w = torch.randn(40)
model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
first = 1
if Path("state.pt").exists():
    state = torch.load("state.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    first = state["step"] + 1
    log.info("resumed from state.pt at step %d", state["step"])
else:
    log.info("no state.pt, beginning at step 1")
log.info("pid %d, steps %d to 600", os.getpid(), first)
for step in range(first, 601):
    x = torch.randn(128, 40)
    loss = nn.functional.mse_loss(model(x).squeeze(1), x @ w / 6 + 0.1 * torch.randn(128))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == first:
        Path("alive").touch()
    if step % 20 == 0:
        log.info("step %d/600 loss %.4f", step, loss.item())
    if notice or step == 600:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, "state.pt")
        log.info("saved state.pt at step %d", step)
    if notice:
        log.warning("leaving with 85, to be queued again")
        sys.exit(85)
    time.sleep(0.1)
log.info("training complete, 600 steps")
