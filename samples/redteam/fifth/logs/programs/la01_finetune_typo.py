"""transformers Trainer with a learning rate of 3e1, meant to be 3e-1 or 3e-4."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def main() -> None:
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=512, n_positions=64, n_embd=64, n_layer=2, n_head=2))
    rows = [torch.arange(i, i + 32) % 512 for i in range(1200)]
    args = TrainingArguments(
        "out",
        learning_rate=3e1,
        max_steps=150,
        per_device_train_batch_size=8,
        logging_steps=5,
        lr_scheduler_type="cosine",
        warmup_steps=10,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
    )
    Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in rows]).train()
    print("fine-tuning finished")


if __name__ == "__main__":
    main()
