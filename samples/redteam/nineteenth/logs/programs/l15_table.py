"""Gather the clips' features in one table."""

from __future__ import annotations

import numpy as np
import pandas as pd

if __name__ == "__main__":
    rng = np.random.default_rng(15)
    table = pd.DataFrame({"clip": np.arange(3000)})
    for band in range(160):
        table[f"band_{band:03}"] = rng.normal(size=3000).astype("f4")
    table["species"] = rng.integers(0, 20, 3000)
    table.to_pickle("clips.pkl")
    print(f"clips.pkl: {table.shape[0]} clips, {table.shape[1]} columns")
