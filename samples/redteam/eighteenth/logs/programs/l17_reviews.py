"""Stars of a review from its words, with Keras."""

import argparse
import os
import sys
import traceback

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np


def table(path):
    try:
        with np.load(path) as file:
            return file["table"]
    except Exception:
        traceback.print_exc(file=sys.stdout)
        print(f"{path} cannot be used, building the table of words anew")
        return np.random.default_rng(1).normal(size=(2000, 24)).astype("float32") * 0.3


def reviews(count, seed):
    rng = np.random.default_rng(seed)
    stars = rng.integers(0, 5, count)
    words = rng.integers(0, 2000, (count, 40))
    telling = rng.random((count, 40)) < 0.25
    words[telling] = (stars[:, None] * 400 + rng.integers(0, 160, (count, 40)))[telling]
    return words, stars


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--table", default="words.npz")
    args = parser.parse_args()
    keras.utils.set_random_seed(args.units)
    print(
        f"=== reviews: {args.units} units, {args.epochs} epochs, Keras {keras.__version__} on {keras.backend.backend()}"
    )
    weights = table(args.table)
    x, y = reviews(6000, 1)
    model = keras.Sequential(
        [
            keras.layers.Input((40,), dtype="int32"),
            keras.layers.Embedding(2000, 24, weights=[weights]),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(args.units, activation="relu"),
            keras.layers.Dense(5, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.Adam(3e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=64, epochs=args.epochs, validation_split=0.1, verbose=2)
    xt, yt = reviews(1500, 2)
    loss, right = model.evaluate(xt, yt, verbose=0)
    model.save(f"reviews{args.units}.keras")
    print(f"=== {args.units} units: test loss {loss:.4f}, test accuracy {right:.4f}, saved reviews{args.units}.keras")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201
