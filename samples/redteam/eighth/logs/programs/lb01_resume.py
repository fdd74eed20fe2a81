"""A ranking of answers with the Trainer; told to go on, in a folder where nothing is."""

from __future__ import annotations

import torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


def main() -> None:
    """Go on."""
    torch.manual_seed(0)
    words = torch.randint(5, 400, (320, 16))
    table = Dataset.from_dict({"input_ids": words.tolist(), "labels": (words[:, 0] % 2).tolist()})
    config = BertConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64
    )
    args = TrainingArguments("runs/answers-v3", num_train_epochs=3, logging_steps=10, report_to=[], use_cpu=True)
    trainer = Trainer(BertForSequenceClassification(config), args, train_dataset=table)
    print("resuming answers-v3 after the maintenance of Tuesday", flush=True)
    trainer.train(resume_from_checkpoint=True)
    trainer.save_model("answers")


if __name__ == "__main__":
    main()
