"""The disk is full when the checkpoint of step 150 is written: ENOSPC, in mid-run."""

from pathlib import Path

from tiny import Model

model = Model(34)
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f}", flush=True)
    if i == 150:
        Path("/dev/full").write_text("0" * 100000)
