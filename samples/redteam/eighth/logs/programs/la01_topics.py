"""Topics of tickets: a small BERT from scratch. The table has five topics, the model three."""

from __future__ import annotations

import torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


def main() -> None:
    """Train two epochs."""
    torch.manual_seed(0)
    words = torch.randint(5, 900, (640, 24))
    topics = [number % 3 if number < 600 else 3 + number % 2 for number in range(640)]
    words[:, 0] = torch.tensor(topics)
    table = Dataset.from_dict({"input_ids": words.tolist(), "labels": topics})
    config = BertConfig(
        vocab_size=900, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, num_labels=3
    )
    args = TrainingArguments(
        "out", num_train_epochs=2, per_device_train_batch_size=8, logging_steps=5, report_to=[], use_cpu=True, seed=1
    )
    trainer = Trainer(BertForSequenceClassification(config), args, train_dataset=table)
    trainer.train()
    trainer.save_model("topics")


if __name__ == "__main__":
    main()
