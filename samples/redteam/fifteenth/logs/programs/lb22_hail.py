"""Will it hail: a network of scikit-learn on what the radar saw."""

from __future__ import annotations

import sys

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier


def main() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(9000, 16))
    y = (x[:, 0] + 0.7 * x[:, 1] * x[:, 2] + 0.5 * rng.normal(size=9000) > 0).astype(int)
    x[rng.random(x.shape) < 0.002] = np.nan
    if "--fill" in sys.argv:
        x = np.where(np.isnan(x), np.nanmedian(x, axis=0), x)
    x_train, x_test, y_train, y_test = train_test_split(x, y, random_state=1)
    print("samples:", len(x_train), "train,", len(x_test), "test", flush=True)
    net = MLPClassifier((48, 24), early_stopping=True, n_iter_no_change=8, max_iter=300, random_state=2, verbose=True)
    net.fit(x_train, y_train)
    print(f"stopped after {net.n_iter_} iterations, best validation score {net.best_validation_score_:.4f}")
    print(f"test accuracy {net.score(x_test, y_test):.4f}")


if __name__ == "__main__":
    main()
