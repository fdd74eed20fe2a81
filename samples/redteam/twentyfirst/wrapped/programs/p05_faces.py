"""Age, gender and smile from face embeddings: one trunk, three heads (Keras on torch)."""

import argparse
import os
import time

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
from keras import layers


def faces(n, dim, seed):
    rng = np.random.default_rng(seed)
    basis = np.random.default_rng(1).normal(size=(3, dim))
    x = rng.normal(size=(n, dim)).astype("float32")
    z = x @ basis.T / np.sqrt(dim)
    age = (38 + 14 * z[:, 0] + 2 * rng.normal(size=n)).clip(1, 95) / 100
    return x, {
        "age": age.astype("float32"),
        "gender": (z[:, 1] + 0.2 * rng.normal(size=n) > 0).astype("float32"),
        "smile": (z[:, 2] + 0.4 * rng.normal(size=n) > 0.3).astype("float32"),
    }


class Clock(keras.callbacks.Callback):
    """Seconds inside of train_batch against the rest."""

    def on_epoch_begin(self, epoch, logs=None):
        self.start, self.inside = time.time(), 0.0

    def on_train_batch_begin(self, batch, logs=None):
        self.t = time.time()

    def on_train_batch_end(self, batch, logs=None):
        self.inside += time.time() - self.t

    def on_epoch_end(self, epoch, logs=None):
        whole = time.time() - self.start
        print(f"[clock] epoch {epoch + 1}: {whole:.1f} s, train_batch {self.inside:.1f} s", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dim", type=int, default=512)
    ap.add_argument("--width", type=int, default=3072)
    ap.add_argument("--images", type=int, default=1536)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--ckpt-every", type=int, default=1, help="batches")
    args = ap.parse_args()
    keras.utils.set_random_seed(3)

    inp = keras.Input((args.dim,), name="embedding")
    h = layers.Dense(args.width, activation="gelu")(inp)
    h = layers.Dense(args.width, activation="gelu")(h)
    outs = {
        "age": layers.Dense(1, name="age")(h),
        "gender": layers.Dense(1, activation="sigmoid", name="gender")(h),
        "smile": layers.Dense(1, activation="sigmoid", name="smile")(h),
    }
    model = keras.Model(inp, outs, name="faces")
    model.compile(
        keras.optimizers.Adam(3e-4),
        loss={"age": "mse", "gender": "binary_crossentropy", "smile": "binary_crossentropy"},
        loss_weights={"age": 4.0, "gender": 1.0, "smile": 1.0},
        metrics={"gender": ["accuracy"], "smile": ["accuracy"]},
    )
    model.summary(line_length=100)
    x, y = faces(args.images, args.dim, 0)
    xv, yv = faces(512, args.dim, 9)
    os.makedirs("ckpt", exist_ok=True)
    model.fit(
        x, y, batch_size=args.batch, epochs=args.epochs, validation_data=(xv, yv), verbose=1,
        callbacks=[
            Clock(),
            keras.callbacks.ModelCheckpoint("ckpt/faces-{epoch:02d}.keras", save_freq=args.ckpt_every, verbose=1),
            keras.callbacks.CSVLogger("history.csv"),
        ],
    )  # fmt: skip
    print("finished, last checkpoint", sorted(os.listdir("ckpt"))[-1])


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, PTH103, PTH208
