"""Depth of snow from the weather: a network in Flax."""

from __future__ import annotations

import time
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax import serialization

EPOCHS, BATCH = 15, 128


class Snow(nn.Module):
    """Three layers."""

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for width in (64, 64):
            x = nn.relu(nn.Dense(width)(x))
        return nn.Dense(1)(x)[:, 0]


def weather(key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    one, two = jax.random.split(key)
    x = jax.random.normal(one, (count, 10))
    return x, jnp.abs(x[:, 0]) * 2 + jnp.sin(x[:, 1] * 2) + x[:, 2] + 0.1 * jax.random.normal(two, (count,))


def main() -> None:
    key, first, second = jax.random.split(jax.random.key(5), 3)
    (x, y), (xv, yv) = weather(first, 12800), weather(second, 2000)
    model, adam = Snow(), optax.adamw(optax.cosine_decay_schedule(3e-3, EPOCHS * 100))
    params = model.init(key, x[:1])
    state = adam.init(params)

    def mse(params: dict, x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.mean((model.apply(params, x) - y) ** 2)

    @jax.jit
    def step(params: dict, state: optax.OptState, x: jax.Array, y: jax.Array) -> tuple:
        loss, slope = jax.value_and_grad(mse)(params, x, y)
        change, state = adam.update(slope, state, params)
        return optax.apply_updates(params, change), state, loss, optax.global_norm(slope)

    print(f"devices: {jax.devices()}, train {len(x)}, test {len(xv)}", flush=True)
    for epoch in range(1, EPOCHS + 1):
        began = time.perf_counter()
        key, turn = jax.random.split(key)
        order = jax.random.permutation(turn, len(x)).reshape(-1, BATCH)
        for part in order:
            params, state, loss, norm = step(params, state, x[part], y[part])
        test = mse(params, xv, yv)
        print(
            f"[{epoch:2d}/{EPOCHS}] train_loss={loss:.4f} grad_norm={norm:.3f} test_mse={test:.4f} "
            f"({len(order) / (time.perf_counter() - began):.0f} it/s)",
            flush=True,
        )
    Path("snow.msgpack").write_bytes(serialization.to_bytes(params))
    print("wrote snow.msgpack", flush=True)


if __name__ == "__main__":
    main()
