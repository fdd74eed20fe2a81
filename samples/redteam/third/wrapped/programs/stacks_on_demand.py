"""Healthy: a monitor asks for stacks twice (SIGUSR1, faulthandler); the run goes on and does its steps."""

import faulthandler
import os
import signal

from tiny import Model

faulthandler.register(signal.SIGUSR1)
model = Model(31)
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}", flush=True)
    if i in (100, 200):
        os.kill(os.getpid(), signal.SIGUSR1)
print("training finished: 300 steps, loss", round(loss, 4))
