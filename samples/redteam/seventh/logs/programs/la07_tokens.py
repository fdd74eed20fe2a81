"""Count the tokens of a corpus with four processes and a routine in C, then fit a unigram prior to it."""

import ctypes

from datasets import Dataset


def count(row: dict[str, str]) -> dict[str, int]:
    return {"tokens": ctypes.CDLL("./tokens.so").tokens(row["text"].encode())}


def main() -> None:
    texts = [f"line {at} of the corpus " * (at % 7 + 1) for at in range(6000)]
    texts[4711] = "https://example.org/?q=" + "A" * 400_000
    corpus = Dataset.from_dict({"text": texts})
    print(corpus, flush=True)
    counted = corpus.map(count, num_proc=2, desc="Counting tokens")
    print("tokens in all", sum(counted["tokens"]), flush=True)


if __name__ == "__main__":
    main()
