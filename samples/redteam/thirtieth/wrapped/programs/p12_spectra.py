"""Classify Raman spectra of polymers (sorting line, 9 classes) with an MLP; spectra are cached after preprocessing."""

import json
import logging
import pathlib
import zipfile

import joblib
import numpy as np
from scipy.signal import savgol_filter
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

LOG = logging.getLogger("sorter")
CACHE = pathlib.Path("cache/spectra_v3.npz")
NAMES = ["PET", "HDPE", "PVC", "LDPE", "PP", "PS", "ABS", "PC", "PA6"]


def measure(n: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    axis = np.arange(420)
    centres = rng.uniform(20, 400, (9, 11))
    heights = rng.gamma(2, 0.5, (9, 11))
    label = rng.integers(0, 9, n)
    spectra = np.zeros((n, 420), np.float32)
    for i in range(n):
        shift = rng.normal(0, 5.0)
        amp = heights[label[i]] * rng.lognormal(0, 0.9, 11)
        spectra[i] = (amp[:, None] * np.exp(-((axis - centres[label[i]][:, None] - shift) ** 2) / 30)).sum(0)
        spectra[i] += rng.uniform(0, 3) * np.exp(-axis / rng.uniform(80, 300)) + rng.normal(0, 1.1, 420)
    flip = rng.random(n) < 0.02
    label[flip] = rng.integers(0, 9, int(flip.sum()))
    return spectra, label


def load() -> tuple[np.ndarray, np.ndarray]:
    try:
        with np.load(CACHE) as stored:
            LOG.info("cache hit: %s", CACHE)
            return stored["x"], stored["y"]
    except FileNotFoundError:
        LOG.info("no cache")
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        LOG.exception("cannot read %s: %s: %s; preprocessing again", CACHE, type(error).__name__, error)  # noqa: TRY401
    x, y = measure(14000)
    x = savgol_filter(x, 11, 3, deriv=1, axis=1).astype(np.float32)
    CACHE.parent.mkdir(exist_ok=True)
    np.savez(CACHE, x=x, y=y)
    LOG.info("%d spectra preprocessed, cache written (%.1f MB)", len(x), CACHE.stat().st_size / 1e6)
    return x, y


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    x, y = load()
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, stratify=y, random_state=1)
    LOG.info("train %s test %s", x_train.shape, x_test.shape)
    mlp = MLPClassifier(
        (256, 96),
        alpha=2e-2,
        batch_size=256,
        learning_rate_init=4e-4,
        max_iter=80,
        early_stopping=True,
        n_iter_no_change=10,
        random_state=1,
        verbose=True,
    )
    model = make_pipeline(StandardScaler(), mlp)
    model.fit(x_train, y_train)
    accuracy = model.score(x_test, y_test)
    LOG.info(
        "stopped after %d epochs, loss %.5f, best validation %.4f", mlp.n_iter_, mlp.loss_, mlp.best_validation_score_
    )
    print(classification_report(y_test, model.predict(x_test), target_names=NAMES, digits=3))
    pathlib.Path("models").mkdir(exist_ok=True)
    joblib.dump(model, "models/sorter.joblib")
    pathlib.Path("models/sorter.json").write_text(json.dumps({"test_accuracy": accuracy, "epochs": mlp.n_iter_}))
    LOG.info("test accuracy %.4f; saved models/sorter.joblib", accuracy)


if __name__ == "__main__":
    main()
