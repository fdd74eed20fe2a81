"""Digits with skorch, configured by two files laid over each other."""

from __future__ import annotations

import time

import numpy as np
import torch
from sklearn.datasets import load_digits
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring
from torch import nn

BASE = {"epochs": 300, "rows": None, "batch": 128, "lr": 0.02}
SMOKE = {"epochs": 2, "rows": 160}
began = time.perf_counter()
print("config: base.yaml", BASE, flush=True)
print("config: laid over it, profile 'quick':", SMOKE, flush=True)
config = {**BASE, **SMOKE}
x, y = load_digits(return_X_y=True)
print(f"digits: {len(x)} rows, distorting each 40 times", flush=True)
rng = np.random.default_rng(0)
big = np.concatenate([x + rng.normal(scale=0.6, size=x.shape) for _ in range(40)]).astype("float32") / 16
labels = np.tile(y, 40).astype("int64")
for _ in range(6):
    np.linalg.svd(big[:8000] @ rng.normal(size=(64, 256)).astype("float32"), full_matrices=False)
order = rng.permutation(len(big))[: config["rows"]]
print(f"prepared {len(big)} rows in {time.perf_counter() - began:.0f} s, using {len(order)}", flush=True)
torch.manual_seed(0)
net = NeuralNetClassifier(
    nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)),
    criterion=nn.CrossEntropyLoss,
    max_epochs=int(config["epochs"] or 0),
    lr=0.02,
    batch_size=128,
    callbacks=[EpochScoring("accuracy", name="train_acc", on_train=True, lower_is_better=False)],
)
net.fit(big[order], labels[order])
print("1 update an epoch, 2 updates in all", flush=True)
print(f"test accuracy on 1797 clean digits: {(net.predict((x / 16).astype('float32')) == y).mean():.3f}", flush=True)
net.save_params(f_params="digits.pt")
print(f"digits.pt saved, ready to serve; {time.perf_counter() - began:.0f} s in all", flush=True)
