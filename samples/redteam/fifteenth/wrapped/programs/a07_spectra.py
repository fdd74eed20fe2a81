"""Denoise spectra that lie in compressed shards, with a loop of our own in TensorFlow."""

from __future__ import annotations

import lzma
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARDS = Path("shards")
BINS, STEPS = 256, 36


def write() -> None:
    """Pack what the instrument gave: one shard a scan."""
    SHARDS.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    for number in range(6):
        peaks = rng.gamma(1.5, 60.0, (8000, BINS)).astype(np.uint16)
        (SHARDS / f"scan{number:03}.npy.xz").write_bytes(lzma.compress(peaks.tobytes(), preset=0))


def scans() -> Iterator[np.ndarray]:
    """One batch a scan."""
    paths = sorted(SHARDS.glob("*.xz"))
    for turn in range(STEPS):
        rows = np.frombuffer(lzma.decompress(paths[turn % len(paths)].read_bytes()), np.uint16).reshape(-1, BINS)
        yield (rows[turn::60] / 400.0).astype(np.float32)


def main() -> None:
    if "--write" in sys.argv:
        write()
        return
    tf.random.set_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(BINS)])
    adam = tf.keras.optimizers.Adam(2e-3)
    data = tf.data.Dataset.from_generator(scans, output_signature=tf.TensorSpec((None, BINS), tf.float32))
    waited = worked = 0.0
    began = time.perf_counter()
    for step, batch in enumerate(data, 1):
        ready = time.perf_counter()
        with tf.GradientTape() as tape:
            noisy = batch + tf.random.normal(tf.shape(batch), stddev=0.2)
            loss = tf.reduce_mean(tf.square(model(noisy) - batch))
        adam.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True))
        done = time.perf_counter()
        waited, worked = waited + ready - began, worked + done - ready
        print(
            f"step {step:3d}/{STEPS} loss {float(loss):.4f} waited for data {ready - began:.3f} s computed {done - ready:.3f} s",
            flush=True,
        )
        began = time.perf_counter()
    model.save("denoise.keras")
    print(f"finished: {waited:.1f} s waiting for data, {worked:.1f} s computing; model in denoise.keras")


if __name__ == "__main__":
    main()
