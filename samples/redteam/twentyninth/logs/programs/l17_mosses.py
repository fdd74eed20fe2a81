"""Moss species from spore measurements (made up): Keras on torch, fit with callbacks."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

keras.utils.set_random_seed(12)
rng = np.random.default_rng(12)
centres = rng.normal(0, 1.1, (7, 18))
label = rng.integers(0, 7, 9000)
spores = (centres[label] + rng.normal(0, 1.3, (9000, 18))).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((18,)),
        keras.layers.Dense(96, activation="gelu"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(48, activation="gelu"),
        keras.layers.Dense(7, activation="softmax"),
    ]
)
model.compile(keras.optimizers.AdamW(2e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(
    spores[:7000],
    label[:7000],
    batch_size=64,
    epochs=12,
    validation_data=(spores[7000:8000], label[7000:8000]),
    callbacks=[
        keras.callbacks.ModelCheckpoint("mosses.keras", save_best_only=True),
        keras.callbacks.ReduceLROnPlateau(patience=3, factor=0.5),
        keras.callbacks.TerminateOnNaN(),
    ],
)
model.evaluate(spores[8000:], label[8000:], batch_size=200)
