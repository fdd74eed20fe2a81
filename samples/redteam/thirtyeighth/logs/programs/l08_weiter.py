"""An MLP for the digits plus noise copies, in two sittings."""

import sys
from pathlib import Path

import joblib
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

STATE = Path("mlp_state.joblib")


def main(rounds: int) -> None:
    """Fit so many rounds more."""
    x, y = load_digits(return_X_y=True)
    xa, xb, ya, yb = train_test_split(x / 16, y, test_size=0.25, random_state=31, stratify=y)
    rng = np.random.default_rng(4)
    xa = np.concatenate([xa + rng.normal(0, 0.09 * k, xa.shape) for k in range(7)])
    ya = np.tile(ya, 7)
    if STATE.exists():
        clf = joblib.load(STATE)
        print(
            f"Loaded {STATE}: {clf.n_iter_} iterations done, last loss {clf.loss_:.8f}, accuracy {clf.score(xb, yb):.4f}",
            flush=True,
        )
        clf.set_params(max_iter=rounds)
    else:
        print("No saved state, starting new", flush=True)
        clf = MLPClassifier(
            (210, 90),
            alpha=3e-4,
            learning_rate_init=4e-4,
            batch_size=110,
            max_iter=rounds,
            warm_start=True,
            verbose=True,
            random_state=77,
            tol=2e-5,
            n_iter_no_change=12,
        )
    clf.fit(xa, ya)
    joblib.dump(clf, STATE)
    print(f"Saved {STATE} after {clf.n_iter_} iterations, test accuracy {clf.score(xb, yb):.4f}", flush=True)
    if rounds > 20:
        joblib.dump(clf, "mlp_final.joblib", compress=3)
        print("Both sittings over, wrote mlp_final.joblib", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
