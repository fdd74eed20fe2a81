"""Healthy: a batch-size finder provokes the allocator until it fails, prints what it caught, and trains with the next smaller."""

import traceback

from tiny import Model


class OutOfMemoryError(RuntimeError):
    """As torch has it."""


def attempt(batch: int) -> None:
    if batch > 128:
        raise OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {batch / 16:.2f} GiB. GPU 0 has a total capacity of 15.77 GiB of which 1.19 GiB is free."
        )


batch = 1024
while True:
    try:
        attempt(batch)
        break
    except OutOfMemoryError:
        traceback.print_exc()
        batch //= 2
        print(f"auto batch size: reducing to {batch}", flush=True)
print(f"auto batch size: using {batch}", flush=True)
model = Model(4)
for i in range(1, 251):
    loss = model.step()
    if i % 10 == 0:
        print(f"epoch 1 step {i}/250 train_loss {loss:.4f}", flush=True)
print(f"epoch 1 finished. train_loss {loss:.4f}")
print("Training finished successfully.")
