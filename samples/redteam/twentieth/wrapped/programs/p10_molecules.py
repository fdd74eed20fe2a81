"""Keras on JAX: an autoencoder of fingerprints with heads for solubility and toxicity, its train_step our own."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "jax"

import jax
import keras
import numpy as np
from keras import layers


class Heads(keras.Model):
    """Reconstructs, and says two things about the molecule."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.encoder = keras.Sequential([layers.Dense(128, activation="gelu"), layers.Dense(code)])
        self.decoder = keras.Sequential([layers.Dense(128, activation="gelu"), layers.Dense(256)])
        self.sol, self.tox = layers.Dense(1), layers.Dense(1)
        names = ("loss", "recon_loss", "sol_mse", "tox_bce")
        self.means = [keras.metrics.Mean(name=n) for n in names]

    @property
    def metrics(self) -> list[keras.Metric]:
        return self.means

    def call(self, x: jax.Array, training: bool = False) -> tuple[jax.Array, jax.Array, jax.Array]:
        z = self.encoder(x)
        return self.decoder(z), self.sol(z), self.tox(z)

    def parts(self, trained: list, fixed: list, x: jax.Array, y: jax.Array) -> tuple[jax.Array, tuple]:
        (bits, sol, tox), fixed = self.stateless_call(trained, fixed, x)
        bce = keras.losses.BinaryCrossentropy(from_logits=True)
        recon = bce(x, bits)
        mse = keras.ops.mean((sol[:, 0] - y[:, 0]) ** 2)
        toxic = bce(y[:, 1:], tox)
        total = recon + 0.5 * mse + 0.5 * toxic
        return total, ((total, recon, mse, toxic), fixed)

    def _count(self, state: list, values: tuple) -> tuple[dict, list]:
        logs, after = {}, []
        for i, (metric, value) in enumerate(zip(self.means, values, strict=True)):
            new = metric.stateless_update_state(state[2 * i : 2 * i + 2], value)
            logs[metric.name] = metric.stateless_result(new)
            after += new
        return logs, after

    def train_step(self, state: tuple, data: tuple) -> tuple[dict, tuple]:
        trained, fixed, opt, counts = state
        x, y = data
        grad = jax.value_and_grad(self.parts, has_aux=True)
        (_, (values, fixed)), grads = grad(trained, fixed, x, y)
        trained, opt = self.optimizer.stateless_apply(opt, grads, trained)
        logs, counts = self._count(counts, values)
        return logs, (trained, fixed, opt, counts)

    def test_step(self, state: tuple, data: tuple) -> tuple[dict, tuple]:
        trained, fixed, counts = state
        _, (values, fixed) = self.parts(trained, fixed, *data)
        logs, counts = self._count(counts, values)
        return logs, (trained, fixed, counts)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--molecules", type=int, default=40000)
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--code", type=int, default=32)
    args = p.parse_args()
    keras.utils.set_random_seed(30)
    rng = np.random.default_rng(30)
    hidden = rng.normal(size=(args.molecules, 10))
    x = (hidden @ rng.normal(size=(10, 256)) - 2 + rng.logistic(size=(args.molecules, 256)) > 0).astype("float32")
    y = np.stack([hidden[:, 0] + 0.3 * rng.normal(size=len(x)), hidden[:, 1] > 0.4], 1).astype("float32")
    model = Heads(args.code)
    model.compile(keras.optimizers.AdamW(1e-3))
    model.build((None, 256))
    print("keras", keras.__version__, "backend", keras.backend.backend(), jax.devices())
    model.fit(x[2000:], y[2000:], batch_size=64, epochs=args.epochs, validation_data=(x[:2000], y[:2000]), verbose=2)
    model.save_weights("molecules.weights.h5")
    print("saved molecules.weights.h5")


if __name__ == "__main__":
    main()
