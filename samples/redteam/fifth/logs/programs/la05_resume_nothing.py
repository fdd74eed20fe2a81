"""Trainer told to resume from an output folder in which nothing was saved."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


def main() -> None:
    Path("runs/exp7").mkdir(parents=True)
    shape = BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=200)
    rows = [{"input_ids": torch.randint(0, 200, (16,)), "labels": i % 2} for i in range(64)]
    args = TrainingArguments("runs/exp7", max_steps=40, report_to=[], use_cpu=True, logging_steps=5)
    trainer = Trainer(BertForSequenceClassification(shape), args, train_dataset=rows)
    print("Resuming training in runs/exp7 ...", flush=True)
    trainer.train(resume_from_checkpoint=True)


if __name__ == "__main__":
    main()
