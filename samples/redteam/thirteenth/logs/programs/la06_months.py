"""Features of one month, and a model on them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier

USERS = {"2026-08": 9000, "2026-09": 11000, "2026-10": 12000, "2026-11": 90000}  # the new region came in November


def main() -> None:
    month = sys.argv[1]
    rng = np.random.default_rng(int(month[-2:]))
    users = USERS[month]
    print(f"reading {month}: {users} users")
    days = pd.DataFrame(rng.gamma(2.0, 1.0, (users, 30)).astype("float32"), columns=[f"d{i}" for i in range(30)])
    churn = (days.iloc[:, -7:].mean(axis=1) < 1.6).astype(int).to_numpy()
    days = days + rng.normal(0, 0.5, days.shape).astype("float32")
    print("building pair features")
    pairs = np.einsum("ni,nj->nij", days.to_numpy(), days.to_numpy()).reshape(users, -1)
    features = np.concatenate([days, pairs], 1)
    model = SGDClassifier(loss="log_loss", alpha=1e-3, random_state=0)
    for epoch in range(3):
        model.partial_fit((features - features.mean(0)) / features.std(0), churn, classes=[0, 1])
        print(f"epoch {epoch} accuracy {model.score((features - features.mean(0)) / features.std(0), churn):.4f}")
    Path("features").mkdir(exist_ok=True)
    np.save(f"features/{month}.npy", features.astype("float16"))
    print(f"{month} done")


if __name__ == "__main__":
    main()
