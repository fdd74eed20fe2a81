"""Tokenise and pack a corpus before pretraining."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from datasets import Dataset
from transformers import ByT5Tokenizer

WORDS = [
    "the",
    "of",
    "model",
    "data",
    "train",
    "loss",
    "run",
    "node",
    "rank",
    "slow",
    "fast",
    "weights",
    "epoch",
    "and",
    "is",
    "was",
    "with",
    "for",
    "to",
    "in",
    "on",
    "at",
]


def documents(count: int) -> list[dict[str, Any]]:
    rng = random.Random(0)
    out = []
    for number in range(count):
        length = 200 if rng.random() < 0.97 else 12000  # a few are whole books
        out.append({"id": number, "text": " ".join(rng.choice(WORDS) for _ in range(length))})
    return out


def main() -> None:
    tokenizer = ByT5Tokenizer()
    corpus = Dataset.from_list(documents(3000))
    print(corpus)

    def pack(batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        ids = tokenizer(batch["text"])["input_ids"]
        longest = max(map(len, ids))
        block = np.zeros((len(ids), longest), dtype=np.int64)  # everything as long as the longest, cut later
        for row, one in enumerate(ids):
            block[row, : len(one)] = one
        mask = block != 0
        return {"input_ids": block.tolist(), "attention_mask": mask.tolist()}

    packed = corpus.map(pack, batched=True, batch_size=200, num_proc=3, remove_columns=["text"], desc="Tokenizing")
    packed.save_to_disk("packed")
    print("saved", len(packed))


if __name__ == "__main__":
    main()
