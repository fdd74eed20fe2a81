"""Generate melodies: a Keras model with a training step of its own."""
# ruff: noqa

import os

os.environ["KERAS_BACKEND"] = "torch"

import argparse
import time

import keras
import numpy as np
import torch


class Melody(keras.Model):
    def __init__(self, notes, width):
        super().__init__()
        self.embed = keras.layers.Embedding(notes, width)
        self.gru = keras.layers.GRU(width, return_sequences=True)
        self.out = keras.layers.Dense(notes)

    def call(self, x):
        return self.out(self.gru(self.embed(x)))

    def train_step(self, data):
        x, y = data
        self.zero_grad()
        loss = self.compute_loss(x=x, y=y, y_pred=self(x, training=True))
        loss.backward()
        weights = list(self.trainable_weights)
        with torch.no_grad():
            self.optimizer.apply([w.value.grad for w in weights], weights)
        self._loss_tracker.update_state(loss)
        return {m.name: m.result() for m in self.metrics}


def tokens(files, seconds):
    rng = np.random.default_rng(0)
    for number in range(files):
        time.sleep(seconds * rng.uniform(0.5, 1.5))
        walk = 60 + rng.integers(-3, 4, 4096).cumsum() % 24
        yield number, walk


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=240)
    parser.add_argument("--seconds", type=float, default=0.25)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    print("keras", keras.__version__, "backend", keras.backend.backend(), "torch", torch.__version__)
    model = Melody(128, 96)
    model.compile(optimizer=keras.optimizers.Adam(2e-3), loss=keras.losses.SparseCategoricalCrossentropy(True))
    model(np.zeros((1, 64), "int32"))
    model.summary()
    kept = []
    for number, walk in tokens(args.files, args.seconds):
        kept.append(walk)
        if number % 20 == 0:
            print(f"tokenizing midi: {number}/{args.files} files, {sum(map(len, kept))} notes", flush=True)
    data = np.concatenate(kept)
    data = data[: len(data) // 65 * 65].reshape(-1, 65)
    model.fit(data[:, :-1], data[:, 1:], batch_size=32, epochs=args.epochs, verbose=2)
    model.save_weights("melody.weights.h5")
