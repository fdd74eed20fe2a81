"""A digits network in Flax, weights taken over from last year's script."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState
from sklearn.datasets import load_digits


class Net(nn.Module):
    """One hidden layer."""

    width: int = 128

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(10)(x)


@jax.jit
def train_step(state: TrainState, x: jax.Array, y: jax.Array) -> tuple[TrainState, jax.Array]:
    def loss_fn(params: dict) -> jax.Array:
        logits = state.apply_fn({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main() -> None:
    print("jax", jax.__version__, jax.devices())
    digits = load_digits()
    x = jnp.asarray(digits.data / 16)
    y = jnp.asarray(digits.target)
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 28 * 28)))["params"]
    state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    for epoch in range(20):
        total = 0.0
        for begin in range(0, 1400, 64):
            state, loss = train_step(state, x[begin : begin + 64], y[begin : begin + 64])
            total += float(loss)
        print(f"epoch {epoch} loss {total / 22:.4f}")


if __name__ == "__main__":
    main()
