"""Keras with a rate of a thousand times what was meant."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(2000, 20))
y = np.tanh(x[:, :1] - x[:, 1:2])
keras.utils.set_random_seed(1)
model = keras.Sequential(
    [
        keras.layers.Input((20,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(keras.optimizers.Adam(learning_rate=5.0, clipnorm=1.0), "mse", metrics=["mae"])
model.fit(x, y, validation_split=0.2, epochs=12, batch_size=64, verbose=2)
model.save("bold.keras")
