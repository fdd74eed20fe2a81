"""Dies of a shape error in mid-run; an exit handler prints a cheerful last line."""

import atexit

from tiny import Model

model = Model(6)
atexit.register(lambda: print("Training finished successfully! Best val loss 0.1183. See you next time.", flush=True))
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 | loss {loss:.4f} | lr 2.00e-01", flush=True)
    if i == 163:
        model.w.append(0.0)
