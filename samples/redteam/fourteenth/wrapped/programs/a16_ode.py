# ruff: noqa: ANN001, ANN201, ANN204, D101, E402
"""Fits a small network to a pendulum, data-parallel over two JAX processes."""

import os
import time

import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize("127.0.0.1:29666", 2, int(os.environ["PROCESS"]))

import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax.experimental import multihost_utils

me = jax.process_index()


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(3):
            x = nn.tanh(nn.Dense(128)(x))
        return nn.Dense(1)(x)


def pendulum(random, many):
    """Integrates the pendulum in plain numpy: what each process does for its own batch; the second has the stiff ones."""
    angle, speed = random.uniform(-2, 2, many), random.uniform(-1, 1, many)
    start = np.stack([angle, speed], 1)
    steps = 2000 if me == 0 else 16000
    for _ in range(steps):
        speed = speed - (2.0 / steps) * np.sin(angle)
        angle = angle + (2.0 / steps) * speed
    return start, angle[:, None]


net = Net()
params = net.init(jax.random.key(0), jnp.zeros((1, 2)))
tx = optax.adam(2e-3)
state = tx.init(params)


@jax.jit
def grads(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((net.apply(p, x) - y) ** 2))(params)


random = np.random.default_rng(me)
print(f"[p{me}] {jax.process_count()} processes, {jax.local_device_count()} local device", flush=True)
for step in range(1, 31):
    t0 = time.perf_counter()
    x, y = pendulum(random, 512)
    loss, grad = grads(params, x, y)
    loss.block_until_ready()
    t1 = time.perf_counter()
    grad = jax.tree.map(lambda a: a.mean(0), multihost_utils.process_allgather(grad))
    t2 = time.perf_counter()
    updates, state = tx.update(grad, state)
    params = optax.apply_updates(params, updates)
    if step % 3 == 0:
        print(
            f"[p{me}] step {step:3d} loss {float(loss):.4f} | own work {t1 - t0:.3f}s | allgather {t2 - t1:.3f}s | total {time.perf_counter() - t0:.3f}s",
            flush=True,
        )
if me == 0:
    np.savez("fit.npz", *jax.tree.leaves(params))
    print("training complete, wrote fit.npz", flush=True)
jax.distributed.shutdown()
