"""Tide heights at four harbours: a small network written out in JAX."""

import argparse
import logging
import time

import jax
import jax.numpy as jnp
import numpy as np

log = logging.getLogger("tides")


def forward(weights, x):
    for w, b in weights[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = weights[-1]
    return x @ w + b


def loss_of(weights, x, y):
    return jnp.mean((forward(weights, x) - y) ** 2)


@jax.jit
def update(weights, moments, x, y, rate):
    loss, gradient = jax.value_and_grad(loss_of)(weights, x, y)
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, gradient)
    return jax.tree.map(lambda w, m: w - rate * m, weights, moments), moments, loss


def harbours(rng, count):
    hours = rng.uniform(0, 24 * 365, count)
    periods = np.array([12.4206, 12.0, 12.6583, 23.9345, 25.8193])
    phases = 2 * np.pi * hours[:, None] / periods
    x = np.concatenate([np.sin(phases), np.cos(phases)], 1)
    mix = np.random.default_rng(7).normal(size=(10, 4))
    y = x @ mix + 0.3 * np.tanh(2 * x[:, :4] * x[:, 4:8]) + 0.05 * rng.normal(size=(count, 4))
    return x.astype("f4"), y.astype("f4")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--width", type=int, default=96)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("jax").setLevel(logging.WARNING)
    log.info("jax %s on %s", jax.__version__, jax.devices())
    rng = np.random.default_rng(0)
    x, y = harbours(rng, 60000)
    xv, yv = harbours(rng, 5000)
    sizes = [10, args.width, args.width, 4]
    weights = [
        (jnp.array(rng.normal(size=(a, b)) / np.sqrt(a), "float32"), jnp.zeros(b)) for a, b in zip(sizes, sizes[1:])
    ]
    moments = jax.tree.map(jnp.zeros_like, weights)
    for epoch in range(1, args.epochs + 1):
        began = time.time()
        order = rng.permutation(len(x))
        rate = args.rate * 0.5 * (1 + np.cos(np.pi * (epoch - 1) / args.epochs))
        total = 0.0
        for at in range(0, len(x), 64):
            index = order[at : at + 64]
            weights, moments, loss = update(weights, moments, x[index], y[index], rate)
            total += float(loss)
        mean = total / (len(x) / 64)
        valid = float(loss_of(weights, xv, yv))
        log.info(
            "epoch %2d/%d train_loss %.5f val_loss %.5f lr %.5f %.1fs",
            epoch,
            args.epochs,
            mean,
            valid,
            rate,
            time.time() - began,
        )
    np.savez("tides.npz", *[np.asarray(leaf) for leaf in jax.tree.leaves(weights)])
    log.info("saved tides.npz, val_loss %.5f", valid)


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, B905, RUF007
