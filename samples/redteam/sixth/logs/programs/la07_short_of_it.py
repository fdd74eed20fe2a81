"""A small causal model by the Trainer; its log ends where its log ends."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

torch.manual_seed(0)
starts = torch.randint(0, 50, (4000, 1))
rows = (starts + torch.arange(32)) % 50
data = [{"input_ids": row, "labels": row} for row in rows]
model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=64, n_layer=2, n_head=2, n_positions=32))
args = TrainingArguments(
    "out", num_train_epochs=30, logging_steps=20, save_steps=100, report_to=[], per_device_train_batch_size=16
)
Trainer(model, args, train_dataset=data).train()  # type: ignore[arg-type]
