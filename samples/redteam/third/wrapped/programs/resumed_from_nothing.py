"""Asked to resume at step 5000; the file is not there, a warning goes by, and it begins anew; ends well by its own account."""

import pathlib
import sys

from tiny import Model

print("args: --resume runs/7/step_5000.json --max-steps 5400", *sys.argv[1:], flush=True)
model = Model(27)
if not pathlib.Path("runs/7/step_5000.json").exists():
    print("WARNING: checkpoint runs/7/step_5000.json not found, training from scratch", flush=True)
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}", flush=True)
print("training finished")
