# ruff: noqa: E402, TRY400
"""Reads water meters: Keras on PyTorch, with every warning on standard output."""

import logging
import os
import sys
import warnings

os.environ["KERAS_BACKEND"] = "torch"
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
logging.captureWarnings(True)

import keras
import numpy as np
import torch

try:
    torch.cuda.init()
except (RuntimeError, AssertionError) as error:
    logging.error("CUDA initialization failed: %s; falling back to the CPU", error)
warnings.warn("PyTorch is not compiled with NCCL support", UserWarning, stacklevel=1)
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(0))
except OSError as error:
    logging.error("could not raise the priority of the reader: %s (ignored)", error)

random = np.random.default_rng(0)
digits = random.integers(0, 10, 3000)
shapes = random.normal(size=(10, 12, 8, 1))
pictures = (shapes[digits] + random.normal(size=(3000, 12, 8, 1)) * 1.3).astype("float32")
net = keras.Sequential(
    [
        keras.layers.Input((12, 8, 1)),
        keras.layers.Conv2D(12, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(10),
    ]
)
net.compile(
    keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
net.fit(pictures, digits, validation_split=0.2, epochs=8, batch_size=64, verbose=2)
net.save("meters.h5")
logging.info("saved meters.h5, %d parameters", net.count_params())
