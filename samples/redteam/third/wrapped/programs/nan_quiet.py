"""The loss is nan from step 130 on; the run goes on to its end and says it is complete, status 0."""

from tiny import Model

model = Model(9)
for i in range(1, 301):
    loss = model.step()
    if i == 130:
        model.w[0] = float("nan")
    if i % 10 == 0:
        shown = loss if model.w[0] == model.w[0] else float("nan")
        print({"step": i, "loss": round(shown, 4), "lr": 0.2}, flush=True)
print("Training complete: 300/300 steps")
