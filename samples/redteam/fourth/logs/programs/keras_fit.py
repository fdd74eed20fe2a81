"""Keras on torch. usage: keras_fit.py WHAT   WHAT: well | nan | shapes | weights | die."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np


def model(width: int, lr: float) -> keras.Model:
    net = keras.Sequential(
        [keras.Input((12,)), keras.layers.Dense(width, activation="relu"), keras.layers.Dense(4, activation="softmax")]
    )
    net.compile(keras.optimizers.SGD(lr), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return net


def main() -> None:
    what = sys.argv[1]
    keras.utils.set_random_seed(0)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 12)).astype("float32")
    y = x[:, :4].argmax(1)
    net = model(64, 0.1)
    if what == "shapes":
        x = x[:, :11]
    if what == "nan":
        x[1500, 3] = np.nan
    if what == "weights":
        print("restoring backbone from weights/backbone.weights.h5")
        Path("weights").mkdir(exist_ok=True)
        Path("weights/backbone.weights.h5").write_bytes(
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 48123904\n"
        )
        net.load_weights("weights/backbone.weights.h5")
    net.summary()
    net.fit(x, y, epochs=6, batch_size=64, validation_split=0.1, verbose=2 if what == "nan" else 1)
    net.save("classifier.keras")
    print("saved classifier.keras")


if __name__ == "__main__":
    main()
