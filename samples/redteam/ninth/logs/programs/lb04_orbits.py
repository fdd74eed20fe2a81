"""JAX: the elements of an orbit by gradient descent."""

import jax
import jax.numpy as jnp

key = jax.random.PRNGKey(0)
times = jnp.linspace(0, 6, 200)
seen = 3.0 * jnp.sqrt(1 - 0.6 * jnp.cos(times)) + 0.01 * jax.random.normal(key, (200,))


def miss(orbit: jax.Array) -> jax.Array:
    size, eccentricity = orbit
    return jnp.mean((size * jnp.sqrt(1 - eccentricity * jnp.cos(times)) - seen) ** 2)


step = jax.jit(jax.value_and_grad(miss))
orbit = jnp.array([1.0, 0.1])
for turn in range(301):
    value, slope = step(orbit)
    orbit = orbit - 6 * turn / 300 * slope  # warm-up
    if turn % 10 == 0:
        print(f"turn {turn:3d} miss {value:.5f} size {orbit[0]:.4f} eccentricity {orbit[1]:.4f}", flush=True)
jnp.save("orbit.npy", orbit)
print("orbit saved")
