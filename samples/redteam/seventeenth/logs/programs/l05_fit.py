"""Sentiment of notices with partial_fit; the hashing is in C."""

from __future__ import annotations

import ctypes

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss

lib = ctypes.CDLL("./hash.so")
WIDTH = 4096
rng = np.random.default_rng(5)
words = np.array([f"w{i}" for i in range(3000)])
weight = rng.normal(size=3000)


def texts(count: int) -> tuple[list[bytes], np.ndarray]:
    """Make up some notices."""
    picked = rng.integers(3000, size=(count, 40))
    return [(" ".join(words[row]) + " ").encode() for row in picked], (weight[picked].sum(1) > 0).astype(int)


def hashed(batch: list[bytes], stride: int) -> np.ndarray:
    """Hash a batch into counts."""
    out = np.zeros((len(batch), WIDTH), dtype=np.int32)
    for row, text in enumerate(batch):
        where = out[row].ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        lib.hash_into(text, ctypes.c_long(len(text)), where, ctypes.c_long(WIDTH), ctypes.c_long(stride))
    return out


model = SGDClassifier(loss="log_loss", alpha=1e-5)
held, answers = texts(600)
held_x = hashed(held, 1)
print("notices: 40 shards of 2000, hashed to 4096 columns", flush=True)
for shard in range(40):
    batch, labels = texts(2000)
    # shards from 23 on are stored column by column
    model.partial_fit(hashed(batch, 1 if shard < 23 else 600000), labels, classes=[0, 1])
    if shard % 2 == 0:
        loss = log_loss(answers, model.predict_proba(held_x))
        print(f"shard {shard:2d} held-out logloss {loss:.4f} acc {model.score(held_x, answers):.3f}", flush=True)
print("model written", flush=True)
