"""The Trainer goes on from a checkpoint whose weights were copied in part."""

import sys
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

torch.manual_seed(0)
rows = (torch.randint(0, 40, (800, 1)) + torch.arange(16)) % 40
data = [{"input_ids": row, "labels": row} for row in rows]
model = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_embd=32, n_layer=2, n_head=2, n_positions=16))
resume = sys.argv[1:] == ["--resume"]
args = TrainingArguments("out", max_steps=200 if resume else 50, save_steps=50, logging_steps=10, report_to=[])
if resume:
    weights = Path("out/checkpoint-50/model.safetensors")
    weights.write_bytes(weights.read_bytes()[:70000])
Trainer(model, args, train_dataset=data).train(resume_from_checkpoint=resume)  # type: ignore[arg-type]
