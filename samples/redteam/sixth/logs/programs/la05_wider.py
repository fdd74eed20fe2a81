"""Keras: weights of the narrow model are put into the wide one."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

width = int(sys.argv[1])
model = keras.Sequential(
    [keras.layers.Input((10,)), keras.layers.Dense(width, activation="relu"), keras.layers.Dense(1)]
)
model.compile("adam", "mse")
if len(sys.argv) > 2:
    print("continuing from", sys.argv[2], flush=True)
    model.load_weights(sys.argv[2])
x = np.random.default_rng(0).normal(size=(512, 10))
model.fit(x, x.sum(axis=1), epochs=3, verbose=2)
model.save_weights("narrow.weights.h5")
