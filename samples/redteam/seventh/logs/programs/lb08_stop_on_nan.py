"""Keras with the guard that everybody has, and a loss that takes the logarithm of what may be nothing."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np


def log_likelihood(y: object, p: object) -> object:
    return -keras.ops.mean(y * keras.ops.log(p) + (1 - y) * keras.ops.log(1 - p))


def main() -> None:
    keras.utils.set_random_seed(4)
    draw = np.random.default_rng(4)
    x = draw.normal(size=(4000, 10)).astype("float32")
    y = (x[:, :1] + x[:, 1:2] > 0).astype("float32")
    model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
    model.compile(keras.optimizers.Adam(0.05), log_likelihood)
    model.fit(x, y, epochs=40, batch_size=40, verbose=2, callbacks=[keras.callbacks.TerminateOnNaN()])
    model.save("clicks.keras")
    print("saved clicks.keras")


if __name__ == "__main__":
    main()
