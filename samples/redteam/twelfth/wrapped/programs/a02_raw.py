"""Writes the exports that the pipeline reads; one office exports in another encoding."""

from __future__ import annotations

import random
from pathlib import Path

random.seed(11)
words = [
    "claim",
    "water",
    "roof",
    "storm",
    "paid",
    "open",
    "denied",
    "stove",
    "fire",
    "hail",
    "glass",
    "garage",
    "visit",
    "report",
    "café",
    "façade",
]
Path("raw").mkdir()
for number in range(48):
    rows = [f"{random.randrange(5)};{' '.join(random.choices(words, k=40))}" for _ in range(4000)]
    encoding = "latin-1" if number == 41 else "utf-8"
    Path("raw", f"office_{number:02d}.csv").write_text("\n".join(rows), encoding=encoding)
