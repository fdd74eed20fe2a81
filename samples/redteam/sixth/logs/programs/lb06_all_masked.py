"""Every label is masked: the template that marks where the answer begins never matches."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

torch.manual_seed(0)
rows = (torch.randint(0, 40, (1200, 1)) + torch.arange(16)) % 40
data = []
for row in rows:
    start = (row == 99).nonzero()
    labels = row.clone()
    labels[: int(start[0]) if len(start) else len(row)] = -100
    data.append({"input_ids": row, "labels": labels})
model = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=2, n_positions=16))
args = TrainingArguments("out", num_train_epochs=2, logging_steps=20, save_strategy="no", report_to=[])
Trainer(model, args, train_dataset=data).train()  # type: ignore[arg-type]
