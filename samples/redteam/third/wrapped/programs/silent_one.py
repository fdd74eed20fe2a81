"""Every step was done and the model was saved; then the process leaves with 1 and says no word."""

import sys

from tiny import Model

model = Model(3)
for i in range(1, 201):
    loss = model.step()
    if i % 10 == 0:
        print(f"iter {i} / 200: loss {loss:.4f}", flush=True)
print("saved weights to final.pt")
print("Training complete.")
sys.exit(1)
