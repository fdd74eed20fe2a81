"""Temperature of a kiln in an hour from the last six: a GRU in Keras on torch."""

import logging
import os
import time
from pathlib import Path

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(message)s")
log = logging.getLogger("kiln")
CACHE = Path("cache/windows-v3.npz")


def windows(firings: int) -> tuple[np.ndarray, np.ndarray]:
    """Cut firings of forty hours into windows of six and the hour after."""
    rng, xs, ys = np.random.default_rng(9), [], []
    for n in range(firings):
        t = np.linspace(0, 1, 240)
        burn = 20 + 1180 * np.clip(t * rng.uniform(1.6, 2.4), 0, 1) * np.exp(-(np.clip(t - 0.7, 0, 1) * 5))
        gas = np.gradient(burn) + rng.normal(0, 1, 240)
        draught = rng.normal(0, 1, 240).cumsum() / 15
        trace = np.stack([burn + rng.normal(0, 4, 240), gas, draught], 1)
        for s in range(0, 240 - 42, 3):
            xs.append(trace[s : s + 36])
            ys.append(trace[s + 41, 0] / 1200)
        if (n + 1) % 2000 == 0:
            log.info("%d of %d firings cut", n + 1, firings)
    return np.array(xs, np.float32), np.array(ys, np.float32)


def load(firings: int) -> tuple[np.ndarray, np.ndarray]:
    """Take the windows from the cache, or cut them."""
    try:
        with np.load(CACHE) as kept:
            return kept["x"], kept["y"]
    except Exception as e:  # a cache is no more than a cache
        log.error("cannot read %s: %s: %s", CACHE, type(e).__name__, e)  # noqa: TRY400
        log.warning("cutting the windows anew")
        x, y = windows(firings)
        np.savez(CACHE, x=x, y=y)
        log.info("cache written, %.1f MB", CACHE.stat().st_size / 1e6)
        return x, y


def main() -> None:
    """Fit."""
    t0 = time.time()
    log.info("keras %s on %s", keras.__version__, keras.backend.backend())
    x, y = load(8000)
    log.info("%d windows of %s, %.1f s", len(x), x.shape[1:], time.time() - t0)
    norm = keras.layers.Normalization()
    log.info("adapting the normalisation to all windows")
    norm.adapt(x)
    model = keras.Sequential([keras.Input(x.shape[1:]), norm, keras.layers.GRU(32), keras.layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    model.summary()
    log.info("hold-out: last %d windows", len(x) // 10)
    order = np.random.default_rng(1).permutation(len(x) * 9 // 10)
    stops = [keras.callbacks.EarlyStopping(patience=4), keras.callbacks.ModelCheckpoint("kiln.keras")]
    cut = len(x) * 9 // 10
    model.fit(x[order], y[order], 64, 30, verbose=2, validation_data=(x[cut:], y[cut:]), callbacks=stops)
    log.info("finished")


if __name__ == "__main__":
    main()
