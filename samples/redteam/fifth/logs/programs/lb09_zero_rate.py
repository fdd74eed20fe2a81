"""transformers Trainer with a warm-up of a million steps, which keeps its learning rate at nothing."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def main() -> None:
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=1000, n_positions=64, n_embd=32, n_layer=2, n_head=2))
    rows = [(i * 7 + torch.arange(32)) % 1000 for i in range(960)]
    args = TrainingArguments(
        "zero",
        learning_rate=2e-5,
        warmup_steps=100_000_000,
        num_train_epochs=5,
        per_device_train_batch_size=16,
        logging_steps=5,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in rows]).train()


if __name__ == "__main__":
    main()
