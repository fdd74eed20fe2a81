"""A ridge of random features of soil spectra, by numpy; the spectra are texts in xz."""

from __future__ import annotations

import lzma
import sys
import time
from pathlib import Path

import numpy as np

here = Path("spectra")
if sys.argv[1:] == ["make"]:
    here.mkdir()
    rng = np.random.default_rng(1)
    for part in range(6):
        block = rng.normal(size=(8000, 120))
        text = "\n".join(";".join(f"{v:.9f}" for v in row) for row in block)
        (here / f"{part}.csv.xz").write_bytes(lzma.compress(text.encode(), preset=1))
    raise SystemExit
rng = np.random.default_rng(2)
mix, true = rng.normal(size=(120, 64)) / 11, rng.normal(size=(120, 1)) / 11
w, b = np.zeros((64, 1)), 0.0
waited = worked = 0.0
print("6 parts of spectra, 3 passes, features 64", flush=True)
for batch in range(18):
    began = time.perf_counter()
    parts = []
    for part in range(batch, batch + 5):  # rows of five parts, mixed
        text = lzma.decompress((here / f"{part % 6}.csv.xz").read_bytes()).decode()
        rows = [[float(v.replace(",", ".").strip()) for v in line.split(";")] for line in text.split("\n")]
        parts.append(np.array(rows)[batch % 5 :: 5])
    x = np.concatenate(parts)
    got = time.perf_counter()
    y = x @ true
    for _ in range(4):
        h = np.tanh(x @ mix)
        miss = h @ w + b - y
        w -= 0.3 * h.T @ miss / len(x)
        b -= 0.3 * float(miss.mean())
    done = time.perf_counter()
    waited, worked = waited + got - began, worked + done - got
    print(
        f"batch {batch + 1}/18 mse {float((miss**2).mean()):.4f} fetch {got - began:.2f}s fit {done - got:.3f}s",
        flush=True,
    )
print(f"finished: fetching {waited:.1f} s, fitting {worked:.1f} s", flush=True)
