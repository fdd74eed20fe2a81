"""Spam or not, with Keras: one output and the wrong activation for it."""

from __future__ import annotations

import keras
import numpy as np


def main() -> None:
    """Train twenty epochs."""
    rng = np.random.default_rng(8)
    words = rng.poisson(0.4, size=(2000, 120)).astype("float32")
    spam = (words[:, :15].sum(1) > 6).astype("float32")
    model = keras.Sequential(
        [
            keras.layers.Input((120,)),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(1, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.Adam(1e-3), "binary_crossentropy", metrics=["accuracy"])
    model.fit(words, spam, epochs=20, batch_size=64, validation_split=0.2, verbose=2)
    model.save("spam.keras")
    print("saved spam.keras")


if __name__ == "__main__":
    main()
