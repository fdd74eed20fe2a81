"""Salt in soil by Keras on JAX, with every callback there is; stops early, with the best weights."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

keras.utils.set_random_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(900, 40)).astype("float32")
y = (x[:, :4].sum(1) + 0.9 * rng.normal(size=900) > 0).astype("float32")
model = keras.Sequential(
    [
        keras.layers.Input((40,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
history = model.fit(
    x,
    y,
    batch_size=32,
    epochs=200,
    validation_split=0.25,
    verbose=2,
    callbacks=[
        keras.callbacks.ReduceLROnPlateau(patience=3, verbose=1),
        keras.callbacks.EarlyStopping(patience=8, restore_best_weights=True, verbose=1),
        keras.callbacks.ModelCheckpoint("salt.keras", save_best_only=True, verbose=1),
    ],
)
loss, accuracy = model.evaluate(x[675:], y[675:], verbose=0)
print(f"restored model: val_loss {loss:.4f} val_accuracy {accuracy:.4f} after {len(history.epoch)} epochs")
