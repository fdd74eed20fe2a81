"""Cover of kelp from satellites, Keras on JAX; the rate was to fall."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

keras.utils.set_random_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(4096, 32)).astype("float32")
y = np.clip(x[:, :4].sum(1) / 4, 0, None).astype("float32")

model = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.02, 60, 1.9), momentum=0.9)
model.compile(optimizer=optimizer, loss="mse", metrics=["mae"])
model.fit(
    x,
    y,
    batch_size=32,
    epochs=40,
    validation_split=0.1,
    verbose=2,
    callbacks=[keras.callbacks.TerminateOnNaN(), keras.callbacks.CSVLogger("kelp.csv")],
)
model.save("kelp.keras")
print("saved kelp.keras")
