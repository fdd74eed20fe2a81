"""A rate far too high: the loss climbs from 0.7 to tens and stays there, with no nan; the run ends as planned."""

from tiny import Model

model = Model(28, lr=0.2)
for i in range(1, 301):
    if i == 60:
        model.lr = 400.0
    loss = model.step()
    if i % 10 == 0:
        print(f"step {i}/300 loss {loss:.4f} lr {model.lr:g}", flush=True)
print("training finished: 300 steps")
