"""Make large aerial tiles, a few of them damaged on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

if __name__ == "__main__":
    Path("tiles").mkdir()
    rng = np.random.default_rng(4)
    base = rng.integers(60, 120, (1280, 1280, 3), np.uint8)
    for i in range(96):
        picture = base.copy()
        area = int(rng.integers(100, 900))
        side = int(1280 * (area / 1000) ** 0.5)
        picture[:side, :side] = (180, 70, 60)
        file = Path(f"tiles/{i:04}_{area}.png")
        Image.fromarray(picture).save(file, compress_level=1)
        if i == 37:
            file.write_bytes(file.read_bytes()[:40_000])
