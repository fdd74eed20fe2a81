"""Keras on a table of sensors, of which one was off for a day."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np


def main() -> None:
    keras.utils.set_random_seed(2)
    draw = np.random.default_rng(2)
    x = draw.normal(size=(2000, 12)).astype("float32")
    y = (x[:, 0] - x[:, 3] > 0).astype("float32")
    x[1400:1440, 7] = np.nan
    model = keras.Sequential([keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "mse", metrics=["accuracy"])
    model.fit(x, y, epochs=8, batch_size=50, validation_split=0.1, verbose=2)
    model.save("sensor.keras")
    print("saved sensor.keras")


if __name__ == "__main__":
    main()
