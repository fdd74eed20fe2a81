"""The optimizer was given the parameters of another model: the loss wanders about its start; the end as planned."""

from tiny import Model

model, other = Model(41), Model(42)
for i in range(1, 351):
    model.w = [0.0] * 9
    loss = model.step()
    other.step(0)
    if i % 10 == 0:
        model.w = [0.0] * 9
        print(
            f"step {i}/350 loss {0.6931 + (loss - 0.6931) * 0.5 + other.norm * 0.01:.4f} grad_norm {model.norm:.3f}",
            flush=True,
        )
print("training finished: 350 steps")
