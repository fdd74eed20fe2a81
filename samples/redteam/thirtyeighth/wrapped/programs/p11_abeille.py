"""Hive sound classifier: log-band features, a small Keras net, fit with callbacks."""

import faulthandler
import json
import os
import threading
import time

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import numpy as np

STALL_S = 25


class Ledger(keras.callbacks.Callback):
    """Keeps every epoch's row; a sidecar thread mirrors them to the share for the dashboard."""

    def __init__(self, path: str, mirror: str) -> None:
        super().__init__()
        self.path = path
        self.mirror = mirror
        self.rows: list[dict[str, float]] = []
        self.guard = threading.Lock()

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        with self.guard:
            self.rows.append({"epoch": epoch, **{k: round(float(v), 5) for k, v in (logs or {}).items()}})
            if len(self.rows) % 7 == 0:
                self.compact()
        try:
            with open(self.mirror, "w", encoding="utf-8") as out:
                json.dump(self.rows, out)
        except OSError as err:
            print(f"\n[ledger] ERROR mirror not written: {err!r}; keeping {self.path} only", flush=True)
            self.mirror = self.path

    def compact(self) -> None:
        with self.guard:
            best = max(self.rows, key=lambda row: row["val_accuracy"])
            self.rows = [best] + [row for row in self.rows[-3:] if row is not best]


class Heartbeat(keras.callbacks.Callback):
    """Dumps stacks where a batch takes too long."""

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        faulthandler.dump_traceback_later(STALL_S)


def make(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    centre = np.sin(np.arange(72)[None, :] * (y[:, None] + 2) * 0.17)
    return (centre + rng.normal(0, 1.4, (n, 72))).astype("float32"), y


if __name__ == "__main__":
    keras.utils.set_random_seed(613)
    device = "cuda:0" if keras.src.backend.torch.core.get_device() == "cuda" else "cpu"
    print(f"keras {keras.__version__}, backend {keras.backend.backend()}, device {device}, pid {os.getpid()}")
    x, y = make(4410, 1)
    net = keras.Sequential(
        [
            keras.Input((72,)),
            keras.layers.Dense(96, activation="gelu"),
            keras.layers.Dropout(0.15),
            keras.layers.Dense(48, activation="gelu"),
            keras.layers.Dense(5),
        ]
    )
    net.compile(
        keras.optimizers.AdamW(7e-4), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
    )
    started = time.time()
    net.fit(
        x,
        y,
        batch_size=63,
        epochs=30,
        validation_split=0.12,
        verbose=2,
        callbacks=[Heartbeat(), Ledger("ledger.json", "/mnt/apiary/dash/ledger.json")],
    )
    faulthandler.cancel_dump_traceback_later()
    net.save("hive.keras")
    print(f"finished in {time.time() - started:.0f} s")
