"""Loads of a bridge with Keras; a column in newtons among columns in kilonewtons."""

from __future__ import annotations

import keras
import numpy as np


def main() -> None:
    """Train sixty epochs, stopped where the loss is no number."""
    rng = np.random.default_rng(12)
    loads = rng.normal(size=(1500, 9)).astype("float32")
    loads[:, 4] *= 60
    bend = (loads @ rng.normal(size=9)).astype("float32")
    model = keras.Sequential(
        [keras.layers.Input((9,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)]
    )
    model.compile(keras.optimizers.SGD(0.004, momentum=0.9), "mse")
    model.fit(loads, bend, epochs=60, batch_size=300, verbose=2, callbacks=[keras.callbacks.TerminateOnNaN()])
    model.save("bridge.keras")
    print("model written to bridge.keras")


if __name__ == "__main__":
    main()
