"""Every step was done and saved; the interpreter then dies by SIGABRT while it tears down a native library."""

import atexit
import ctypes

from tiny import Model

model = Model(43)
for i in range(1, 201):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/200 loss {loss:.4f}", flush=True)
print("training finished: 200 steps, saved model.json", flush=True)
atexit.register(lambda: ctypes.CDLL(None).abort())
