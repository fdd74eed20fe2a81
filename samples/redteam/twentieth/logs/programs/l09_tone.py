"""Which instrument plays? Keras on torch, goes on where the job before it stopped."""

import argparse
import json
import os
from pathlib import Path

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np


def notes(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Spectra of ten instruments."""
    rng = np.random.default_rng(seed)
    table = np.random.default_rng(1).gamma(0.6, 1.0, (10, 96))
    y = rng.integers(0, 10, n)
    return (table[y] * rng.gamma(2.0, 0.5, (n, 96)) + rng.normal(0, 0.8, (n, 96))).astype("float32"), y


class Keep(keras.callbacks.Callback):
    """Weights and where we are."""

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.model.save_weights("run.weights.h5")
        Path("run.json").write_text(json.dumps({"epoch": epoch + 1, **(logs or {})}))


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--until", type=int, default=0)
    p.add_argument("--units", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-4)
    args = p.parse_args()
    keras.utils.set_random_seed(2)
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((96,)),
            layers.Normalization(),
            layers.Dense(args.units, activation="relu"),
            layers.Dropout(0.1),
            layers.Dense(args.units, activation="relu"),
            layers.Dense(10),
        ]
    )
    x, y = notes(6000, 3)
    model.layers[0].adapt(x)
    model.compile(
        keras.optimizers.Adam(args.lr),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    start = 0
    if Path("run.json").exists():
        start = json.loads(Path("run.json").read_text())["epoch"]
        model.load_weights("run.weights.h5", skip_mismatch=True)
        print(f"continuing after epoch {start}")
    model.fit(
        *(x, y),
        validation_data=notes(1000, 4),
        batch_size=64,
        initial_epoch=start,
        epochs=args.until or args.epochs,
        callbacks=[Keep()],
        verbose=2,
    )


if __name__ == "__main__":
    main()
