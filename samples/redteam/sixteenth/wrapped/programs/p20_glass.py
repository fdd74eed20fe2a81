"""Colours of old glass from its elements, with JAX on two nodes; each reads its parts of the data as the feeder makes them."""

import sys
import time
from pathlib import Path

import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize("127.0.0.1:29766", 2, int(sys.argv[1]))

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402

ME = jax.process_index()


def feed(number: int) -> np.ndarray:
    """What the feeder of this node has put into its pipe for this part."""
    path = f"parts{ME}/part{number:02}"
    for _ in range(600):
        if Path(path).exists():
            break
        time.sleep(0.1)
    with open(path, "rb") as pipe:
        return np.frombuffer(pipe.read(), np.float32).reshape(-1, 13)


def main() -> None:
    w = jnp.zeros((12, 1))
    grad = jax.jit(jax.value_and_grad(lambda w, x, y: jnp.mean((x @ w - y) ** 2)))
    print(f"node {ME}: {jax.process_count()} processes, 12 elements", flush=True)
    step = 0
    for number in range(20):
        rows = feed(number)
        for start in range(0, len(rows), 50):
            x, y = rows[start : start + 50, :12], rows[start : start + 50, 12:]
            loss, g = grad(w, x, y)
            w = w - 0.02 * multihost_utils.process_allgather(g).mean(0)
            step += 1
            time.sleep(0.05)
            if step % 10 == 0:
                print(
                    f"{time.strftime('%H:%M:%S')} node {ME} step {step} part {number} loss {float(loss):.4f}",
                    flush=True,
                )
    print(f"node {ME}: done after {step} steps", flush=True)


if __name__ == "__main__":
    main()
