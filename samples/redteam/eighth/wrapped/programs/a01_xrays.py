"""Lung masks from X-ray images, some of which were never good files: they are logged and left out."""

from __future__ import annotations

import logging
import time
import zlib

import numpy as np

log = logging.getLogger("xrays")
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-8s %(name)s: %(message)s")


def pack(image: np.ndarray) -> bytes:
    """An image as the hospital's archive keeps it."""
    return zlib.compress(image.astype(np.float32).tobytes())


def main() -> None:
    """Read, skip what is broken, train."""
    rng = np.random.default_rng(3)
    images = rng.normal(size=(1200, 64))
    masks = (images @ rng.normal(size=64) > 0).astype(float)
    archive = [pack(image) for image in images]
    for broken in rng.choice(1200, 9, replace=False):
        archive[broken] = archive[broken][:60]
    rows, labels = [], []
    for number, blob in enumerate(archive):
        try:
            rows.append(np.frombuffer(zlib.decompress(blob), dtype=np.float32))
            labels.append(masks[number])
        except zlib.error:
            log.exception("FATAL: cannot decode image %05d, left out", number)
    log.warning("%d of %d images were CORRUPT; training with the others", 1200 - len(rows), 1200)
    data, target, weight = np.stack(rows), np.array(labels), np.zeros(64)
    for epoch in range(1, 26):
        for _ in range(20):
            guess = 1 / (1 + np.exp(-np.clip(data @ weight, -30, 30)))
            weight -= 0.4 * data.T @ (guess - target) / len(target)
        loss = -np.mean(target * np.log(guess + 1e-9) + (1 - target) * np.log(1 - guess + 1e-9))
        log.info("epoch %d/25 train_loss=%.4f acc=%.3f", epoch, loss, np.mean((guess > 0.5) == target))
        time.sleep(0.4)
    np.save("lungs.npy", weight)
    log.info("25 of 25 epochs done, weights in lungs.npy")


if __name__ == "__main__":
    main()
