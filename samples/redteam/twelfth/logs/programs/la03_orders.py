"""Writes the documents and the configuration that ``spacy train`` is given."""

from __future__ import annotations

import random

import spacy
from spacy.tokens import DocBin

random.seed(2)
language = spacy.blank("en")
TOPICS = {
    "DELIVERY": ["parcel", "late", "courier", "address", "box", "driver", "waited", "street"],
    "REFUND": ["money", "back", "card", "invoice", "charged", "twice", "paid", "bank"],
    "DEFECT": ["broken", "error", "crashed", "killed", "dead", "fails", "smoke", "timeout"],
}
COMMON = [
    "the",
    "my",
    "a",
    "please",
    "when",
    "is",
    "it",
    "still",
    "again",
    "with",
    "your",
    "hello",
    "you",
    "we",
    "order",
]
for split, count in (("train", 1200), ("dev", 300)):
    store = DocBin()
    for _ in range(count):
        topic = random.choice(list(TOPICS))
        words = [random.choice(TOPICS[topic] if random.random() < 0.25 else COMMON) for _ in range(25)]
        doc = language(" ".join(words))
        doc.cats = {name: float(name == topic) for name in TOPICS}
        store.add(doc)
    store.to_disk(f"{split}.spacy")
