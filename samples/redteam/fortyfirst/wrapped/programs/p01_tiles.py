"""Fit one small MLP per map sheet (land cover), features of all sheets stay in memory for the stacking step."""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

SHEETS = ["NK31", "NK32", "NL31", "NL32", "NL33", "NM31", "NM32", "NM33", "NM34", "NN32", "NN33", "NN34"]


def read_labels() -> pd.DataFrame:
    here = Path(__file__).parent
    try:
        return pd.read_parquet(here / "labels.parquet")
    except Exception as exc:
        print(f"ERROR labels.parquet: {type(exc).__name__}: {str(exc).splitlines()[0]}", file=sys.stderr)
        print("  -> using labels.csv instead", file=sys.stderr)
    return pd.read_csv(here / "labels.csv")


def bands(rng: np.random.Generator, n: int, labels: np.ndarray) -> np.ndarray:
    base = rng.normal(size=(n, 13)) + 0.55 * rng.permutation(13)[None, :] * (labels[:, None] % 4) / 4
    inter = np.einsum("ni,nj->nij", base, base).reshape(n, -1)
    return np.concatenate([base, inter, np.tanh(inter), np.abs(inter)], axis=1)


def main() -> None:
    table = read_labels()
    print(f"{len(table)} labelled pixels, {table.cover.nunique()} cover classes, {len(SHEETS)} sheets")
    store, models = {}, {}
    for number, sheet in enumerate(SHEETS, 1):
        start = time.time()
        rng = np.random.default_rng(number)
        pick = table.sample(30000, replace=True, random_state=number)
        feats = bands(rng, len(pick), pick.cover.to_numpy())
        scaled = StandardScaler().fit_transform(feats)
        store[sheet] = (feats, scaled)
        print(f"--- sheet {number}/{len(SHEETS)} {sheet}: {scaled.shape[0]} x {scaled.shape[1]}")
        clf = MLPClassifier((48,), max_iter=22, batch_size=512, verbose=True, random_state=3, learning_rate_init=2e-3)
        clf.fit(scaled[:18000], pick.cover.to_numpy()[:18000])
        models[sheet] = clf
        acc = clf.score(scaled[18000:24000], pick.cover.to_numpy()[18000:24000])
        print(f"{sheet}: holdout accuracy {acc:.3f}  ({time.time() - start:.1f} s)")
    print("stacking ...")
    probs = np.concatenate([models[s].predict_proba(store[s][1]) for s in SHEETS])
    print("stacked", probs.shape)


if __name__ == "__main__":
    main()
