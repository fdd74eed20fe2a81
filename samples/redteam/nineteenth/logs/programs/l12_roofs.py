"""Estimate roof area on aerial tiles, Keras on torch."""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path

import keras
import numpy as np
from PIL import Image, UnidentifiedImageError

log = logging.getLogger("roofs")


class Tiles(keras.utils.PyDataset):
    """Tiles as they lie in the folder, decoded anew each time."""

    def __init__(self, folder: Path, batch: int) -> None:
        super().__init__()
        self.files = sorted(folder.glob("*.png"))
        self.batch = batch
        self.took: list[float] = []

    def __len__(self) -> int:
        return len(self.files) // self.batch

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        began = time.perf_counter()
        tiles, areas = [], []
        for file in self.files[index * self.batch : (index + 1) * self.batch]:
            try:
                with Image.open(file) as image:
                    tile = image.convert("RGB").rotate(7, resample=Image.Resampling.BICUBIC).resize((64, 64))
            except (UnidentifiedImageError, OSError):
                log.warning("cannot decode %s, using a blank tile", file, exc_info=True)
                tile = Image.new("RGB", (64, 64))
            tiles.append(np.asarray(tile, "f4") / 255)
            areas.append(int(file.stem.split("_")[1]) / 1000)
        self.took.append(time.perf_counter() - began)
        return np.stack(tiles), np.array(areas, "f4")


class Where(keras.callbacks.Callback):
    """Say how long batches took to come and how long the step took."""

    def __init__(self, tiles: Tiles) -> None:
        super().__init__()
        self.tiles = tiles

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        self.began, self.busy = time.perf_counter(), 0.0
        self.tiles.took.clear()

    def on_train_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        self.step = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        self.busy += time.perf_counter() - self.step

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        log.info(
            "epoch %d: %.1f s in all, %.1f s in train steps, reading tiles %.2f s per batch",
            epoch + 1,
            time.perf_counter() - self.began,
            self.busy,
            float(np.mean(self.tiles.took)),
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tiles", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    keras.utils.set_random_seed(12)
    tiles = Tiles(args.tiles, args.batch)
    log.info("%d tiles, %d batches an epoch, backend %s", len(tiles.files), len(tiles), keras.backend.backend())
    model = keras.Sequential(
        [
            keras.layers.Input((64, 64, 3)),
            keras.layers.Conv2D(8, 5, strides=4, activation="relu"),
            keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(1),
        ]
    )
    model.compile(keras.optimizers.Adam(3e-3), loss="mse")
    model.fit(tiles, epochs=args.epochs, shuffle=False, verbose=2, callbacks=[Where(tiles)])
    model.save("roofs.keras")
    log.info("saved roofs.keras")


if __name__ == "__main__":
    main()
