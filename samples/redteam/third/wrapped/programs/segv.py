"""A native crash in mid-run: a null pointer is read. Nothing is printed."""

import ctypes

from tiny import Model

model = Model(8)
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}", flush=True)
    if i == 120:
        ctypes.string_at(0)
