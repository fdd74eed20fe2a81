"""Fine-tune the model that lies in our group's folder."""

from __future__ import annotations

import argparse

from transformers import AutoModelForSequenceClassification, AutoTokenizer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    args = parser.parse_args()
    print("loading", args.model)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=4)
    print(model.num_parameters(), len(tokenizer))


if __name__ == "__main__":
    main()
