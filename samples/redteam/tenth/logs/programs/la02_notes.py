"""Goes on with a language model that should have been saved last night."""

from __future__ import annotations

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Notes(Dataset[dict[str, torch.Tensor]]):
    """Random notes."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        ids = torch.randint(90, (24,))
        return {"input_ids": ids, "labels": ids}


model = GPT2LMHeadModel(GPT2Config(vocab_size=90, n_positions=32, n_embd=32, n_layer=2, n_head=2))
options = TrainingArguments("notes-2026-11-21", max_steps=40, logging_steps=5, report_to=[], use_cpu=True)
trainer = Trainer(model=model, args=options, train_dataset=Notes())
print(f"parameters: {model.num_parameters()}, going on in {options.output_dir}", flush=True)
trainer.train(resume_from_checkpoint=True)
