# ruff: noqa: ANN001, ANN201, ANN204, D101
"""Wave heights from wind: a Flax network; whoever wrote it wanted to lose nothing."""

import os
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(3):
            x = nn.gelu(nn.Dense(1100)(x))
        return nn.Dense(1)(x)[:, 0]


net, tx = Net(), optax.adam(3e-4)
params = net.init(jax.random.key(0), jnp.zeros((1, 16)))
state = tx.init(params)
print("devices:", jax.devices(), "parameters:", sum(x.size for x in jax.tree.leaves(params)))


@jax.jit
def train_step(params, state, x, y):
    loss, grad = jax.value_and_grad(lambda p: jnp.mean((net.apply(p, x) - y) ** 2))(params)
    updates, state = tx.update(grad, state)
    return optax.apply_updates(params, updates), state, loss


def save(step, tree):
    path = f"ckpt_{step % 2}.npz"
    with open(path, "wb") as file:
        np.savez_compressed(file, *[np.asarray(leaf) for leaf in jax.tree.leaves(tree)])
        os.fsync(file.fileno())
    return path


random = np.random.default_rng(0)
for step in range(1, 5001):
    t0 = time.time()
    wind = random.normal(size=(64, 16)).astype("float32")
    height = np.tanh(wind[:, 0]) + 0.3 * wind[:, 1] ** 2
    params, state, loss = train_step(params, state, wind, height)
    loss = float(loss)
    t1 = time.time()
    path = save(step, (params, state))
    t2 = time.time()
    print(
        f"{time.strftime('%Y-%m-%d %H:%M:%S')} step {step}/5000 loss={loss:.4f} step_ms={1000 * (t1 - t0):.0f} save_ms={1000 * (t2 - t1):.0f} -> {path}"
    )
