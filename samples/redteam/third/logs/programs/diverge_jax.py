"""Optax with a rate far too high: the loss leaves for infinity."""

import jax
import jax.numpy as jnp
import optax

key = jax.random.PRNGKey(0)
x = jax.random.normal(key, (512, 8))
y = x @ jnp.arange(8.0)
w, opt = jnp.zeros(8), optax.sgd(1.3)
state = opt.init(w)


@jax.jit
def step(w: jax.Array, state: optax.OptState) -> tuple[jax.Array, optax.OptState, jax.Array]:
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    up, state = opt.update(grad, state)
    return optax.apply_updates(w, up), state, loss


for i in range(1, 501):
    w, state, loss = step(w, state)
    if i % 10 == 0:
        print(f"step {i:4d}  loss {float(loss):.6g}", flush=True)
print("done")
