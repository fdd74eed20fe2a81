"""Keras on JAX: `python keras_fit.py ok|shape`."""

import os
import sys

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(4096, 32)).astype("float32")
y = (x[:, :4].sum(1) > 0).astype("int32")
model = keras.Sequential(
    [
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(2 if sys.argv[1] == "ok" else 3, activation="softmax"),
    ]
)
model.compile(
    "adam", "sparse_categorical_crossentropy" if sys.argv[1] == "ok" else "binary_crossentropy", metrics=["accuracy"]
)
model.fit(x, y, epochs=8, batch_size=64, validation_split=0.2, verbose=2)
model.save("model.keras")
print("saved model.keras")
