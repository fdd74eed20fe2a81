"""On machines that are taken back with a minute's notice: TERM is the notice, and the state is kept."""

from __future__ import annotations

import logging
import signal
import sys
import time
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from types import FrameType

logging.basicConfig(
    level=logging.INFO, format="%(asctime)s.%(msecs)03d [%(process)d] %(levelname).1s %(message)s", datefmt="%H:%M:%S"
)
told: list[int] = []


def notice(number: int, _: FrameType | None) -> None:
    logging.warning("received %s, node is being reclaimed; finishing the current step", signal.Signals(number).name)
    told.append(number)


signal.signal(signal.SIGTERM, notice)
torch.manual_seed(22)
model = nn.LSTM(16, 48, batch_first=True)
head = nn.Linear(48, 1)
optim = torch.optim.Adam([*model.parameters(), *head.parameters()], 4e-3)
for step in range(1, 5001):
    x = torch.randn(32, 20, 16)
    y = x[:, -3:, 0].sum(1)
    loss = ((head(model(x)[0][:, -1])[:, 0] - y) ** 2).mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.08)
    if step % 25 == 0:
        logging.info("global_step=%d/5000 mse=%.4f", step, loss.item())
    if told:
        torch.save({"step": step, "model": model.state_dict(), "optim": optim.state_dict()}, "preempt.pt")
        logging.warning(
            "preemption checkpoint written to preempt.pt at step %d, exiting so that the job can be requeued", step
        )
        sys.exit(0)
