"""Supervised fine-tuning with trl, by an example of last year."""

from __future__ import annotations

import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel
from trl import SFTConfig, SFTTrainer

torch.manual_seed(6)
data = Dataset.from_list([{"input_ids": torch.randint(90, (24,)).tolist()} for _ in range(64)])
model = GPT2LMHeadModel(GPT2Config(vocab_size=90, n_positions=32, n_embd=32, n_layer=2, n_head=2))
print(f"{len(data)} examples, {model.num_parameters()} parameters", flush=True)
options = SFTConfig("tutor", max_seq_length=32, dataset_text_field="text", max_steps=50, logging_steps=5, report_to=[])
SFTTrainer(model=model, args=options, train_dataset=data).train()
