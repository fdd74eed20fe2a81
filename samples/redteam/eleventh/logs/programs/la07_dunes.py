"""Dunes from above, by Keras on JAX, with all the call-backs of a careful person."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

keras.utils.set_random_seed(7)
x = np.random.normal(size=(1500, 16, 16, 1)).astype("float32")
y = np.random.randint(0, 4, 1500)
for i, c in enumerate(y):
    x[i, 4 * c : 4 * c + 4, :, 0] += 0.3 * np.sin(np.arange(16))
model = keras.Sequential(
    [
        keras.Input((16, 16, 1)),
        keras.layers.Conv2D(12, 4, 2, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(4),
    ]
)
model.summary()
model.compile(
    keras.optimizers.Adam(2e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
model.fit(
    x,
    y,
    64,
    20,
    verbose=2,
    validation_split=0.2,
    callbacks=[
        keras.callbacks.TerminateOnNaN(),
        keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5, verbose=1, min_delta=0.01),
        keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True, verbose=1),
        keras.callbacks.ModelCheckpoint("dunes.keras", save_best_only=True, verbose=1),
    ],
)
print("evaluate:", model.evaluate(x[:300], y[:300], verbose=0))
