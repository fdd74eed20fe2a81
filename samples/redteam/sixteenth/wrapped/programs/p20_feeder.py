"""Makes the parts of a node and puts them into pipes; that of node 1 is ended by its owner's hand after seven."""

import os
import sys
from pathlib import Path

import numpy as np

me, parts = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(me)
true = np.linspace(-1, 1, 12).astype(np.float32)[:, None]
Path(f"parts{me}").mkdir(exist_ok=True)
for number in range(20):
    os.mkfifo(f"parts{me}/part{number:02}")
for number in range(parts):
    x = rng.normal(size=(1000, 12)).astype(np.float32)
    y = x @ true + 0.1 * rng.normal(size=(1000, 1)).astype(np.float32)
    with open(f"parts{me}/part{number:02}", "wb") as pipe:
        pipe.write(np.hstack([x, y]).tobytes())
