"""Nowcast rain from radar strips (Keras on torch). Stays within --minutes."""

import argparse
import os
import time

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
from keras import layers


class Budget(keras.callbacks.Callback):
    def __init__(self, seconds):
        super().__init__()
        self.seconds, self.start, self.epochs = seconds, time.time(), 0

    def on_epoch_end(self, epoch, logs=None):
        self.epochs = epoch + 1

    def on_train_batch_end(self, batch, logs=None):
        if not self.model.stop_training and time.time() - self.start > self.seconds:
            print(f"\nwall-clock budget of {self.seconds:.0f} s is used up, stopping here", flush=True)
            self.model.stop_training = True


def radar(n, seed):
    rng = np.random.default_rng(seed)
    cells = rng.uniform(0, 48, (n, 1, 4)) + rng.uniform(-2, 2, (n, 1, 4)) * np.arange(10)[None, :, None]
    strip = np.exp(-((np.arange(48)[None, None, :, None] - cells[:, :, None]) ** 2) / 6).sum(-1)
    strip = (strip + 0.05 * rng.normal(size=strip.shape)).astype("float32")
    return strip[:, :9], strip[:, 9]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=80)
    ap.add_argument("--minutes", type=float, default=0.6)
    ap.add_argument("--samples", type=int, default=4096)
    args = ap.parse_args()
    keras.utils.set_random_seed(2)
    x, y = radar(args.samples, 0)
    model = keras.Sequential(
        [keras.Input((9, 48)), layers.GRU(96), layers.Dense(96, activation="relu"), layers.Dense(48)]
    )
    model.compile(keras.optimizers.Adam(1e-3), "mse", metrics=["mae"])
    budget = Budget(60 * args.minutes)
    history = None
    started = time.strftime("%H:%M:%S")
    print(f"{args.epochs} epochs planned, {args.minutes} min allowed", flush=True)
    try:
        history = model.fit(
            x, y, batch_size=64, epochs=args.epochs, validation_split=0.1, verbose=2, callbacks=[budget]
        )
    finally:
        print("---- summary ----")
        print(f"started      {started}")
        print(f"ended        {time.strftime('%H:%M:%S')}")
        print(f"epochs       {budget.epochs} of {args.epochs}")
        print(f"final loss   {history.history['loss'][-1]:.5f}" if history else "final loss   n/a")
        model.save("rain.keras")
        print("weights      rain.keras", flush=True)


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, D101
