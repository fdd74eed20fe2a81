"""Cleans a corpus with two processes before training; each remembers every line it has seen."""

from __future__ import annotations

from datasets import Dataset

_SEEN: dict[str, bytes] = {}


def clean(row: dict[str, str]) -> dict[str, str]:
    """Lower case, and known ever after."""
    text = row["text"].lower()
    _SEEN[text] = text.encode() * 9000
    return {"text": text}


def main() -> None:
    """Clean, then count."""
    table = Dataset.from_dict({"text": [f"Sentence {number} of the Corpus" for number in range(24_000)]})
    print(f"cleaning {len(table)} sentences", flush=True)
    table = table.map(clean, num_proc=2, desc="clean")
    print(f"clean: {len(table.unique('text'))} sentences, training starts")


if __name__ == "__main__":
    main()
