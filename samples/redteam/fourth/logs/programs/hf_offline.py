"""The cluster has no internet and the model is not in the cache."""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    name = "mistralai/Mistral-7B-v0.3"
    print(f"loading {name}")
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype="bfloat16")
    print(len(tokenizer), model.num_parameters())


if __name__ == "__main__":
    main()
