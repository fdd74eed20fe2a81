"""Deeds by a small Llama of our own, with Transformers' Trainer, in a queue of ninety seconds."""

from __future__ import annotations

import torch
from torch.utils.data import Dataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed

set_seed(2)
succession = torch.randint(3, 200, (200, 4))


class Deeds(Dataset[dict[str, torch.Tensor]]):
    """A chain: what follows a word is one of four."""

    def __len__(self) -> int:
        return 64_000

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        ids = [i % 200]
        while len(ids) < 24:
            ids.append(int(succession[ids[-1], torch.randint(0, 4, ())]))
        return {"input_ids": torch.tensor(ids), "labels": torch.tensor(ids)}


config = LlamaConfig(
    vocab_size=200,
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=2,
    num_key_value_heads=2,
)
arguments = TrainingArguments(
    "deeds",
    max_steps=4000,
    per_device_train_batch_size=16,
    learning_rate=2e-3,
    lr_scheduler_type="cosine",
    logging_steps=20,
    save_steps=200,
    save_total_limit=2,
    report_to=[],
    use_cpu=True,
)
Trainer(LlamaForCausalLM(config), arguments, train_dataset=Deeds()).train()
