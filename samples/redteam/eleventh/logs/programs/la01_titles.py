"""Genres of books from their titles with a small BERT, by the Trainer of Transformers, evaluated each epoch."""

from __future__ import annotations

import random

import numpy as np
import torch
from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(1)
words = {g: [random.randrange(20, 400) for _ in range(25)] for g in range(3)}


def titles(n: int) -> Dataset:
    rows: dict[str, list[object]] = {"input_ids": [], "attention_mask": [], "labels": []}
    for _ in range(n):
        g = random.randrange(3)
        ids = [
            1,
            *(random.choice(words[g]) if random.random() < 0.4 else random.randrange(20, 400) for _ in range(9)),
            2,
        ]
        rows["input_ids"].append(ids)
        rows["attention_mask"].append([1] * 11)
        rows["labels"].append(g)
    return Dataset.from_dict(rows)


def score(prediction: object) -> dict[str, float]:
    logits, labels = prediction  # type: ignore[misc]
    return {"accuracy": float((np.argmax(logits, -1) == labels).mean())}


model = BertForSequenceClassification(
    BertConfig(
        vocab_size=400, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, num_labels=3
    )
)
arguments = TrainingArguments(
    "titles",
    num_train_epochs=8,
    per_device_train_batch_size=32,
    learning_rate=7e-4,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="accuracy",
    logging_steps=25,
    report_to=[],
    use_cpu=True,
    dataloader_pin_memory=True,
)
trainer = Trainer(
    model,
    arguments,
    train_dataset=titles(1600),
    eval_dataset=titles(300),
    compute_metrics=score,
    callbacks=[EarlyStoppingCallback(2)],
)
trainer.train()
print(trainer.evaluate())
torch.save(model.state_dict(), "titles.pt")
