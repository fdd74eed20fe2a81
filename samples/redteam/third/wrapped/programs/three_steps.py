"""A smoke test's setting was left in: three steps, as planned."""

from tiny import Model

model = Model(29)
print("config: max_steps=3 warmup_steps=2000 save_every=1000")
for i in range(1, 4):
    loss = model.step()
    print(f"step {i}/3 loss {loss:.4f} lr {2e-1 * i / 2000:.2e}", flush=True)
print("training finished: max_steps reached")
