"""Nitrate in wells from land use and geology: MLPRegressor, one run per district."""

import argparse
import datetime
import pickle
import traceback
import urllib.request

import numpy as np
from sklearn.metrics import mean_absolute_error
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler


def say(text: str) -> None:
    print(f"[{datetime.datetime.now():%d.%m. %H:%M:%S}] {text}", flush=True)  # noqa: DTZ005


def wells(district: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(sum(map(ord, district)))
    x = rng.normal(0, 1, (45000, 40))
    w = rng.normal(0, 1, (40, 6))
    y = np.tanh(x @ w / 5).sum(1) + 0.5 * np.maximum(x[:, 0] * x[:, 1], 0) + rng.normal(0, 0.25, 45000)
    return x, 20 + 8 * y


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("district")
    ap.add_argument("--iter", type=int, default=40)
    a = ap.parse_args()
    say(f"district {a.district}")
    try:
        urllib.request.urlopen("http://127.0.0.1:8091/landuse/" + a.district, timeout=3)
    except OSError:
        traceback.print_exc()
        say("land use service not answering, taking last month's copy")
    x, y = wells(a.district)
    x = StandardScaler().fit_transform(x)
    mean, std = y[:40000].mean(), y[:40000].std()
    say(f"{len(y)} samples, median {np.median(y):.1f} mg/l")
    model = MLPRegressor(
        hidden_layer_sizes=(160, 80),
        alpha=1e-3,
        learning_rate_init=3e-4,
        batch_size=128,
        max_iter=a.iter,
        tol=1e-6,
        random_state=0,
        verbose=True,
    )
    model.fit(x[:40000], (y[:40000] - mean) / std)
    say(f"MAE {mean_absolute_error(y[40000:], model.predict(x[40000:]) * std + mean):.2f} mg/l")
    with open(f"wells_{a.district}.pkl", "wb") as file:
        pickle.dump(model, file)
    say(f"wrote wells_{a.district}.pkl")


if __name__ == "__main__":
    main()
