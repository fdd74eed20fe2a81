"""Readings of valves with skorch: the table is read as numpy gives it."""

from __future__ import annotations

import numpy as np
from skorch import NeuralNetClassifier
from torch import nn

rng = np.random.default_rng(3)
x = rng.normal(size=(600, 12))
y = (x[:, 0] > 0).astype("int64")
net = NeuralNetClassifier(
    nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2)), criterion=nn.CrossEntropyLoss, max_epochs=10, lr=0.1
)
print("valves:", x.shape, "classes:", np.bincount(y))
net.fit(x, y)
