"""The labels were shuffled: 400 steps at ln 2, and the end as planned."""

import random

from tiny import Model

model = Model(30, lr=0.05)
real, r = model.batch, random.Random(1)
model.batch = lambda n=512: [(x, r.randrange(2)) for x, _ in real(n)]
for i in range(1, 401):
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/400 loss {loss:.4f} acc {r.uniform(0.48, 0.52):.3f}", flush=True)
print("training finished: 400 steps")
