"""Keras on torch: labels of 1 to 10 for a layer of ten units."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 20)).astype("float32")
    y = 1 + (np.abs(x[:, 0]) * 4).astype(int).clip(0, 8)
    y[3500] = 10
    model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(10, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.summary()
    model.fit(x, y, epochs=5, batch_size=64, verbose=2, shuffle=False, validation_split=0.1)
    model.save("digits.keras")


if __name__ == "__main__":
    main()
