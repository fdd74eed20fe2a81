"""Keras stops on NaN by itself, and the program goes on to its end."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np


def main() -> None:
    keras.utils.set_random_seed(4)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6400, 16)).astype("float32")
    y = (x @ rng.normal(size=16) * 40).astype("float32")
    model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.01), "mse")
    seen = model.fit(x, y, epochs=10, batch_size=64, verbose=2, callbacks=[keras.callbacks.TerminateOnNaN()])
    print("epochs run:", len(seen.history.get("loss", [])))
    print("finished")


if __name__ == "__main__":
    main()
