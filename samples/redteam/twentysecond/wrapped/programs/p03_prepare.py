"""Split the poems and write the vocabulary."""
# ruff: noqa

import json
import random
from pathlib import Path

words = [
    "luna",
    "mar",
    "noche",
    "viento",
    "sal",
    "arena",
    "cielo",
    "verde",
    "lento",
    "sombra",
    "río",
    "calle",
    "voz",
    "ñandú",
    "pájaro",
    "corazón",
]
rng = random.Random(4)
lines = [" ".join(rng.choices(words, k=rng.randint(4, 8))) + rng.choice([".", ",", ";", ""]) for _ in range(1800)]
Path("data").mkdir(exist_ok=True)
Path("data/train.txt").write_text("\n".join(lines[:1620]), encoding="utf-8")
Path("data/valid.txt").write_text("\n".join(lines[1620:]), encoding="utf-8")
chars = sorted(set("".join(lines)))
vocab = {ch: i for i, ch in enumerate(chars)}
vocab["\n"] = len(vocab)
Path("data/vocab.json").write_text(json.dumps(vocab))
print(f"[prepare] {len(lines)} lines, {len(vocab)} symbols -> data/")
