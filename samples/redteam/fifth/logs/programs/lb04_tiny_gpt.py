"""transformers Trainer to its planned end; it evaluates, saves, and warns on the way."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def rows(count: int, seed: int) -> list[dict[str, torch.Tensor]]:
    make = torch.Generator().manual_seed(seed)
    out = []
    for _ in range(count):
        start, stride = torch.randint(0, 128, (2,), generator=make).tolist()
        ids = (start + (stride % 4 + 1) * torch.arange(24)) % 128
        out.append({"input_ids": ids, "labels": ids})
    return out


def main() -> None:
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=128, n_positions=32, n_embd=48, n_layer=2, n_head=2))
    args = TrainingArguments(
        "tiny",
        num_train_epochs=3,
        learning_rate=3e-3,
        per_device_train_batch_size=16,
        logging_steps=10,
        eval_strategy="epoch",
        save_strategy="epoch",
        report_to=[],
        use_cpu=True,
    )
    trainer = Trainer(model, args, train_dataset=rows(1600, 1), eval_dataset=rows(160, 2))
    trainer.train()
    trainer.save_model("tiny/final")


if __name__ == "__main__":
    main()
