"""A wave equation learnt with JAX, its checks for NaN switched on."""

from __future__ import annotations

import jax
import jax.numpy as jnp

jax.config.update("jax_debug_nans", True)


def field(w: list[jax.Array], t: jax.Array) -> jax.Array:
    return jnp.tanh(t[:, None] * w[0] + w[1]) @ w[2]


def error(w: list[jax.Array], t: jax.Array) -> jax.Array:
    return jnp.mean((field(w, t) ** 2 - jnp.sin(5 * t)) ** 2)


keys = jax.random.split(jax.random.PRNGKey(0), 3)
w = [jax.random.normal(keys[0], (1, 32)), jax.random.normal(keys[1], (32,)), jax.random.normal(keys[2], (32,))]
grad = jax.jit(jax.value_and_grad(error))
t = jnp.linspace(0, 3, 200)
for step in range(400):
    loss, g = grad(w, t)
    w = [a - 0.03 * b for a, b in zip(w, g, strict=True)]
    print(f"step {step} loss {float(loss):.5g}", flush=True)
print("finished 400 steps")
