"""The job sets itself a limit on address space and hits it at step 60: a MemoryError with a traceback."""

import resource

from tiny import Model

model, cache = Model(11), []
resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
for i in range(1, 401):
    loss = model.step()
    cache.append(bytearray(10 << 20))
    if i % 5 == 0:
        print(f"step {i}/400 loss {loss:.4f}", flush=True)
