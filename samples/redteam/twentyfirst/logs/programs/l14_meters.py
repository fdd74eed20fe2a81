"""Spot faulty electricity meters from their day curves (Keras on torch)."""

import argparse
import gzip
import io
import os
import time
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
from keras import layers


def write_days(folder: Path, files: int, rows: int) -> None:
    rng = np.random.default_rng(8)
    folder.mkdir(exist_ok=True)
    hours = np.linspace(0, 2 * np.pi, 288)
    for k in range(files):
        bad = rng.random(rows) < 0.3
        x = 1 + 0.5 * np.sin(hours + rng.uniform(0, 6, (rows, 1))) + 0.15 * rng.normal(size=(rows, 288))
        x[bad] *= 1 + 0.25 * (rng.random((bad.sum(), 288)) < 0.2) * rng.normal(size=(bad.sum(), 288)) * 3
        text = io.StringIO()
        np.savetxt(text, np.hstack([bad[:, None], x]), fmt="%.5f", delimiter=",")
        (folder / f"day{k:03d}.csv.gz").write_bytes(gzip.compress(text.getvalue().encode(), 1))


class Days(keras.utils.PyDataset):
    def __init__(self, folder, batch, **kw):
        super().__init__(**kw)
        self.files, self.batch = sorted(Path(folder).glob("*.csv.gz")), batch

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with gzip.open(self.files[i], "rt") as f:
            table = np.genfromtxt(f, delimiter=",", dtype="float32")
        table = table[np.random.default_rng(i).permutation(len(table))[: self.batch]]
        return table[:, 1:, None], table[:, 0]


class Watch(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.mark, self.between, self.inside = time.time(), 0.0, 0.0

    def on_train_batch_begin(self, batch, logs=None):
        now = time.time()
        self.between += now - self.mark
        self.mark = now

    def on_train_batch_end(self, batch, logs=None):
        now = time.time()
        self.inside += now - self.mark
        self.mark = now

    def on_epoch_end(self, epoch, logs=None):
        print(f"  get batch {self.between:.2f}s  fwd/bwd {self.inside:.2f}s  loss {logs['loss']:.4f}", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--files", type=int, default=16)
    ap.add_argument("--rows", type=int, default=4000)
    ap.add_argument("--batch", type=int, default=64)
    args = ap.parse_args()
    keras.utils.set_random_seed(1)
    write_days(Path("days"), args.files, args.rows)
    print(f"{args.files} files, {args.rows} meters each", flush=True)
    model = keras.Sequential(
        [
            keras.Input((288, 1)),
            layers.Conv1D(16, 7, strides=2, activation="relu"),
            layers.Conv1D(32, 5, strides=2, activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy", keras.metrics.AUC(name="auc")])
    model.fit(Days("days", args.batch), epochs=args.epochs, verbose=2, callbacks=[Watch()])
    model.save("meters.keras")
    print("saved meters.keras")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN003, ANN201, ANN204, D101
