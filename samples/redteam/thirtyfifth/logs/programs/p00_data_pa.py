"""Make the files that p02 and p07 read: packed raw frames and packed recordings."""

import bz2
import hashlib
import lzma
from pathlib import Path

import numpy as np

rng = np.random.default_rng(0)
raw, calls = Path("raw"), Path("calls")
raw.mkdir(exist_ok=True)
calls.mkdir(exist_ok=True)
g = np.linspace(0, 1, 1400)
for i in range(6):
    base = 120 + 60 * np.sin((3 + i) * 6 * g)[None] * np.cos((2 + i) * 9 * g)[:, None]
    img = np.clip(base + rng.normal(0, 4, (1400, 1400)), 0, 255).astype(np.uint8)
    (raw / f"IMG_{2100 + i * 7}.raw.xz").write_bytes(lzma.compress(img.tobytes(), preset=1))
t = np.arange(60 * 16000) / 16000
sums = []
for c in range(5):
    for k in range(2):
        tone = 6000 * np.sin(6.283 * (900 + 700 * c + 60 * k) * t + 8 * np.sin(6.283 * (3 + c) * t))
        packed = bz2.compress((tone + rng.normal(0, 9000, t.shape)).clip(-32000, 32000).astype(np.int16).tobytes())
        name = f"{c}_XC{48210 + c * 13 + k}.pcm.bz2"
        (calls / name).write_bytes(packed)
        sums.append(f"{hashlib.md5(packed).hexdigest()}  {name}\n")
(calls / "MD5SUMS").write_text("".join(sums))
