"""Answers, resumed from the folder of a checkpoint whose weights came through a full disk."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(7)


class Answers(Dataset[dict[str, torch.Tensor]]):
    """Yes or no, by the first word."""

    def __len__(self) -> int:
        return 1600

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        ids = torch.randint(5, 100, (12,))
        return {"input_ids": ids, "labels": (ids[0] > 50).long()}


model = BertForSequenceClassification(
    BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64)
)
resume = sys.argv[1:] == ["resume"]
arguments = TrainingArguments(
    "oracle",
    num_train_epochs=3 if resume else 1,
    per_device_train_batch_size=32,
    learning_rate=1e-3,
    logging_steps=10,
    save_steps=50,
    report_to=[],
    use_cpu=True,
)
trainer = Trainer(model, arguments, train_dataset=Answers())
if not resume:
    trainer.train()
    weights = Path("oracle/checkpoint-50/model.safetensors")
    weights.write_bytes(weights.read_bytes()[:1500])
    sys.exit()
print("continuing from oracle/checkpoint-50", flush=True)
trainer.train(resume_from_checkpoint="oracle/checkpoint-50")
