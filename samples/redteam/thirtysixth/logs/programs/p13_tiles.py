"""Classify tiles of two photographs and of noise with Keras on torch; what it says is in its author's words."""

import os

os.environ["KERAS_BACKEND"] = "torch"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
from sklearn.datasets import load_digits


class Diary(keras.callbacks.Callback):
    """Tell after each round how it went."""

    def on_train_begin(self, logs: dict | None = None) -> None:
        print(f"off we go, {self.params['epochs']} rounds of {self.params['steps']} bites each", flush=True)

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        logs = logs or {}
        pace = float(keras.ops.convert_to_numpy(self.model.optimizer.learning_rate))
        print(
            f"round {epoch + 1:2d} of {self.params['epochs']}  surprise {logs['loss']:.4f}  named rightly {logs['accuracy'] * 100:5.1f}%"
            f"   on the tiles kept aside: {logs['val_loss']:.4f}, {logs['val_accuracy'] * 100:5.1f}%   pace {pace:g}",
            flush=True,
        )

    def on_train_end(self, logs: dict | None = None) -> None:
        print("all rounds walked", flush=True)


def main() -> None:
    keras.utils.set_random_seed(13)
    digits = load_digits()
    x = (digits.images / 16).astype("float32")[..., None]
    y = digits.target
    order = np.random.default_rng(1).permutation(len(x))
    x, y = x[order], y[order]
    print(f"{len(x)} tiles of 8 by 8 on the table, 10 drawers to put them in, 300 kept aside")
    layers = [
        keras.layers.Input((8, 8, 1)),
        keras.layers.Conv2D(24, 3, activation="relu", padding="same"),
        keras.layers.Flatten(),
    ]
    layers += [
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(10),
    ]
    model = keras.Sequential(layers)
    print(f"the sorter has {model.count_params()} knobs")
    model.compile(
        optimizer=keras.optimizers.SGD(0.01, momentum=0.9),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    pace = keras.callbacks.LearningRateScheduler(lambda epoch, lr: min(0.01 * 1.6**epoch, 1.2))
    model.fit(
        x[300:],
        y[300:],
        batch_size=32,
        epochs=40,
        validation_data=(x[:300], y[:300]),
        verbose=0,
        callbacks=[pace, Diary()],
    )
    model.save("sorter.keras")
    print("sorter put away as sorter.keras")


if __name__ == "__main__":
    main()
