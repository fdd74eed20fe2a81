# ruff: noqa: ANN001, ANN003, ANN201
"""Which subscribers of a gym chain will leave: a multilayer perceptron, fold by fold, events as JSON lines."""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

START = time.time()


def event(name, **more):
    """One line a fact, for the collector."""
    print(json.dumps({"t": round(time.time() - START, 2), "event": name, **more}), flush=True)


def members(n=24_000, columns=48, seed=8):
    """Visits, fees, distance and so on; about one in five leaves."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns)).astype(np.float32)
    score = 1.1 * x[:, 0] - 0.8 * x[:, 3] * x[:, 4] + 0.6 * np.sin(2 * x[:, 9]) - 1.6
    return x, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    Path("churn.pid").write_text(str(os.getpid()))
    x, y = members()
    event("data", rows=len(x), columns=x.shape[1], positives=int(y.sum()))
    scores = []
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    for fold, (train, held) in enumerate(folds.split(x, y), 1):
        scale = StandardScaler().fit(x[train])
        net = MLPClassifier((256, 128), learning_rate_init=3e-4, alpha=1e-3, max_iter=60, batch_size=128, verbose=True)
        event("fold_start", fold=fold, train=len(train), held_out=len(held))
        net.fit(scale.transform(x[train]), y[train])
        auc = roc_auc_score(y[held], net.predict_proba(scale.transform(x[held]))[:, 1])
        scores.append(auc)
        event("fold_end", fold=fold, iterations=net.n_iter_, loss=round(net.loss_, 5), auc=round(auc, 4))
    event("done", auc_mean=round(float(np.mean(scores)), 4), auc_sd=round(float(np.std(scores)), 4))
