"""Two machines that are to meet for ignite."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta

import ignite.distributed as idist
import torch
from ignite.engine import Engine
from torch import nn

os.environ |= {"RANK": sys.argv[1], "LOCAL_RANK": "0", "WORLD_SIZE": "2"}
os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": sys.argv[2]}
print(f"node {sys.argv[1]}: meeting at {os.environ['MASTER_ADDR']}:{sys.argv[2]}, ignite, gloo", flush=True)
for attempt in range(1, 4):
    try:
        idist.initialize("gloo", timeout=timedelta(seconds=13))
        break
    except Exception as error:
        print(f"node {sys.argv[1]}: attempt {attempt} of 3: {str(error).splitlines()[0][:160]}", flush=True)
        time.sleep(2)
else:
    raise SystemExit("the other one never came")
model = idist.auto_model(nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), 0.1)


def step(engine: Engine, x: torch.Tensor) -> float:
    """One step."""
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"iteration {engine.state.iteration} loss {loss.item():.4f}", flush=True)
    return loss.item()


Engine(step).run([torch.randn(16, 8) for _ in range(50)], max_epochs=2)
idist.finalize()
