"""Mosses by Flax: what Orbax kept of the small model is to be the beginning of the wide one."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import optax
import orbax.checkpoint as ocp
from absl import logging
from flax import nnx

logging.set_verbosity(logging.INFO)
width = int(sys.argv[1])
where = Path("moss-ckpt").resolve()


class Net(nnx.Module):
    """One hidden layer."""

    def __init__(self, width: int) -> None:
        keys = nnx.Rngs(0)
        self.hidden = nnx.Linear(20, width, rngs=keys)
        self.out = nnx.Linear(width, 6, rngs=keys)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.out(nnx.relu(self.hidden(x)))


x = jax.random.normal(jax.random.key(1), (3000, 20))
y = (x @ jax.random.normal(jax.random.key(2), (20, 6))).argmax(1)
graph, state = nnx.split(Net(width))
checkpointer = ocp.StandardCheckpointer()
if where.exists():
    logging.info("restoring %s", where)
    state = checkpointer.restore(where, jax.tree.map(ocp.utils.to_shape_dtype_struct, state))
    logging.info("restored")
rule = optax.adam(2e-3)
moments = rule.init(state)


def cost(state: nnx.State, part: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(nnx.merge(graph, state)(x[part]), y[part]).mean()


step = jax.jit(jax.value_and_grad(cost))
for epoch in range(1, 9):
    for part in jax.random.permutation(jax.random.key(epoch), 3000).reshape(30, 100):
        loss, slope = step(state, part)
        change, moments = rule.update(slope, moments)
        state = optax.apply_updates(state, change)
    logging.info("epoch %d/8 loss %.4f", epoch, loss)
checkpointer.save(where, state, force=True)
checkpointer.wait_until_finished()
logging.info("saved %s", where)
