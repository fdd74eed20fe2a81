"""Datasets and torch: recipes are tokenised by two processes, then a model learns their cuisine."""

import json
from pathlib import Path

from datasets import load_dataset

lines = [{"title": f"dish {n}", "steps": ["chop", "fry", "serve"][: n % 3 + 1], "cuisine": n % 4} for n in range(900)]
lines[700]["steps"] = None
Path("recipes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def tokens(row: dict[str, list[str]]) -> dict[str, list[int]]:
    return {"ids": [len(step) for step in row["steps"]]}


print("reading recipes.jsonl")
data = load_dataset("json", data_files="recipes.jsonl", split="train", cache_dir="cache")
print(data)
data = data.map(tokens, num_proc=2, desc="tokenise")
print("training on", len(data), "recipes")
