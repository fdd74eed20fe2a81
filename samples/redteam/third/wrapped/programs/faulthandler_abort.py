"""abort() from a native library in mid-run, with faulthandler on: a 'Fatal Python error' and a stack, no exception."""

import ctypes
import faulthandler

from tiny import Model

faulthandler.enable()
model = Model(21)
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}", flush=True)
    if i == 140:
        ctypes.CDLL(None).abort()
