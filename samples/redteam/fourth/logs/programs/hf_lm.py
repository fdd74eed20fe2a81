"""A tiny GPT-2 from a configuration, trained by transformers' Trainer on text made here.

usage: hf_lm.py WHAT   WHAT: well | nolearn | resume | columns | long
"""

from __future__ import annotations

import random
import sys

import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def texts(n: int) -> list[list[int]]:
    rng = random.Random(0)
    rows = []
    for _ in range(n):
        start = rng.randrange(20)
        rows.append([(start + 3 * k) % 61 for k in range(32)])
    return rows


def main() -> None:
    what = sys.argv[1]
    torch.manual_seed(0)
    rows = texts(800)
    data = Dataset.from_dict({"input_ids": rows, "labels": rows})
    if what == "columns":
        data = Dataset.from_dict({"tokens": rows, "targets": rows})
    model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=48, n_layer=2, n_head=2))
    args = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=8,
        max_steps=20000 if what == "long" else 200,
        learning_rate=3e-3 if what != "nolearn" else 1e-12,
        logging_steps=10,
        save_steps=100,
        report_to=[],
        use_cpu=True,
        disable_tqdm=what == "nolearn",
    )
    trainer = Trainer(model=model, args=args, train_dataset=data)
    trainer.train(resume_from_checkpoint=True if what == "resume" else None)
    trainer.save_model("out/final")
    print("model saved to out/final")


if __name__ == "__main__":
    main()
