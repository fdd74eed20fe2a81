"""Which mint a coin is from: photographs that a C library of ours decodes, read by two workers, with Keras."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
from pathlib import Path

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

faulthandler.register(signal.SIGTERM, chain=True)
NEW = Path("new_photographs")


class Coins(keras.utils.PyDataset):
    """Sixty batches of thumbnails."""

    def __init__(self) -> None:
        super().__init__(workers=2, use_multiprocessing=True, max_queue_size=4)

    def __len__(self) -> int:
        return 60

    def __getitem__(self, at: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(at)
        labels = rng.integers(0, 4, 32)
        coins = rng.normal(size=(32, 16, 16, 1)) + labels[:, None, None, None] * 0.3
        if at == 41 and NEW.exists():
            ctypes.string_at(8)  # the decoder trusts a length that the file gets wrong
        return coins.astype("float32"), labels


class Tell(keras.callbacks.Callback):
    """The third epoch has the new photographs."""

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        if batch % 10 == 9:
            print(f"  batch {batch + 1}/60 loss {logs['loss']:.4f} accuracy {logs['accuracy']:.3f}", flush=True)

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        if epoch == 2:
            NEW.touch()


def main() -> None:
    keras.utils.set_random_seed(1)
    net = [keras.layers.Conv2D(8, 3, activation="relu"), keras.layers.Flatten(), keras.layers.Dense(4, "softmax")]
    model = keras.Sequential([keras.Input((16, 16, 1)), *net])
    model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
    model.fit(Coins(), epochs=6, verbose=2, callbacks=[Tell()])
    model.save("coins.keras")
    print("model saved", flush=True)


if __name__ == "__main__":
    main()
