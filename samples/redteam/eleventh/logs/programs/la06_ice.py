"""Thickness of ice in JAX with Flax and Optax: training, then going on with a wider network from the same file."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax import serialization

WIDTH = int(sys.argv[1])
STEPS = int(sys.argv[2])


class Net(nn.Module):
    """Two layers."""

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        x = nn.relu(nn.Dense(WIDTH)(x))
        return nn.Dense(1)(nn.relu(nn.Dense(WIDTH)(x)))[:, 0]


key = jax.random.PRNGKey(6)
slope = jax.random.normal(key, (16,))
net = Net()
params = net.init(key, jnp.zeros((1, 16)))
rule = optax.adamw(1e-3)
state = {"params": params, "opt": rule.init(params), "step": 0}
print(f"ice: width={WIDTH} devices={jax.devices()}", flush=True)
file = Path("ice.msgpack")
if file.exists():
    print(f"restoring from {file} ({file.stat().st_size} bytes)", flush=True)
    state = serialization.from_bytes(state, file.read_bytes())
    print(f"restored step {state['step']}", flush=True)


@jax.jit
def step(params: object, opt: object, x: jax.Array) -> tuple[object, object, jax.Array]:
    loss, grad = jax.value_and_grad(lambda p: jnp.mean((net.apply(p, x) - x @ slope) ** 2))(params)
    updates, opt = rule.update(grad, opt, params)
    return optax.apply_updates(params, updates), opt, loss


for n in range(int(state["step"]), int(state["step"]) + STEPS):
    key, part = jax.random.split(key)
    state["params"], state["opt"], loss = step(state["params"], state["opt"], jax.random.normal(part, (64, 16)))
    state["step"] = n + 1
    if (n + 1) % 50 == 0:
        print(f"step {n + 1} loss {float(loss):.4f}", flush=True)
        file.write_bytes(serialization.to_bytes(state))
print("saved", file, flush=True)
