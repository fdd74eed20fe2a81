"""Level of a river from the rain upstream, with JAX on two processes; gradients are gathered and averaged."""

import sys
import time

import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize("127.0.0.1:29733", 2, int(sys.argv[1]))

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402

ME = jax.process_index()
GAUGES = {0: 40, 1: 400}
"""The gauges each process has; those of the second basin are many more."""


def series(rng: np.random.Generator, number: int) -> tuple[np.ndarray, np.ndarray]:
    rain = rng.gamma(0.6, 2.0, (number, 720)).astype(np.float32)
    rain = np.stack([np.convolve(row, np.exp(-np.arange(200) / 40), "same") for row in rain])
    return rain[:, ::30] / 20, rain[:, ::30].mean(1, keepdims=True) / 20


def main() -> None:
    rng = np.random.default_rng(ME)
    key = jax.random.PRNGKey(0)
    params = {"a": 0.2 * jax.random.normal(key, (24, 32)), "b": 0.2 * jax.random.normal(key, (32, 1))}
    flat, back = ravel_pytree(params)
    opt = optax.adam(3e-3)
    state = opt.init(flat)

    @jax.jit
    def grad(flat: jax.Array, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        def loss(flat: jax.Array) -> jax.Array:
            p = back(flat)
            return jnp.mean((jnp.tanh(x @ p["a"]) @ p["b"] - y) ** 2)

        return jax.value_and_grad(loss)(flat)

    print(f"process {ME} of {jax.process_count()}: {GAUGES[ME]} gauges", flush=True)
    for step in range(1, 121):
        t0 = time.perf_counter()
        x, y = series(rng, GAUGES[ME])
        for _ in range(6 if ME else 1):  # flood waves are looked for in long records only
            np.linalg.svd(np.cov(rng.normal(size=(260, 900))))
        loss, g = grad(flat, x, y)
        g = np.asarray(g)
        t1 = time.perf_counter()
        g = multihost_utils.process_allgather(g).mean(0)
        t2 = time.perf_counter()
        change, state = opt.update(jnp.asarray(g), state)
        flat = optax.apply_updates(flat, change)
        if step % 10 == 0:
            print(
                f"process {ME} step {step}/120 mse {float(loss):.5f} own work {t1 - t0:.2f} s, waited for the other {t2 - t1:.2f} s",
                flush=True,
            )
    if ME == 0:
        np.save("scratch/river.npy", np.asarray(flat))
        print("all 120 steps made, weights in scratch/river.npy", flush=True)


if __name__ == "__main__":
    main()
