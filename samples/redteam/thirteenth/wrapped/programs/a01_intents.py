"""Fine-tune a small BERT to tell what customers want."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

INTENTS = ["refund", "delivery", "invoice", "password", "cancel", "complaint"]
TEMPLATES = [
    "hello i need help with my {} please",
    "your {} is not working since monday",
    "can somebody call me about the {} of order {}",
    "{} again and again nobody answers",
]


def rows(count: int, seed: int) -> list[tuple[str, int]]:
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        intent = rng.choice(INTENTS)
        text = rng.choice(TEMPLATES).format(intent, rng.randint(1000, 9999))
        out.append((text, INTENTS.index(intent) + 1))  # ids of the CRM begin with 1
    return out


class Tickets(torch.utils.data.Dataset):
    """Texts and what they ask for."""

    def __init__(self, data: list[tuple[str, int]], tokenizer: BertTokenizerFast) -> None:
        self.data, self.tokenizer = data, tokenizer

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> dict[str, Any]:
        text, label = self.data[index]
        return {**self.tokenizer(text, truncation=True, max_length=32), "labels": label}


def main() -> None:
    words = sorted({w for t, _ in rows(2000, 1) for w in t.split()})
    Path("vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    tokenizer = BertTokenizerFast("vocab.txt")
    config = BertConfig(
        vocab_size=len(words) + 5,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        num_labels=len(INTENTS),
    )
    model = BertForSequenceClassification(config)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(INTENTS)} intents")
    args = TrainingArguments(
        output_dir="out/intents",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        learning_rate=3e-4,
        logging_steps=10,
        eval_strategy="epoch",
        use_cpu=True,
        ddp_backend="gloo",
        report_to=[],
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=Tickets(rows(2000, 1), tokenizer),
        eval_dataset=Tickets(rows(300, 2), tokenizer),
        data_collator=DataCollatorWithPadding(tokenizer),
    )
    trainer.train()
    trainer.save_model("out/intents/final")


if __name__ == "__main__":
    main()
