"""Fine-tunes a small language model on answers only: what stands before the mark is masked."""

from __future__ import annotations

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

MARK = 77  # "### Answer:"; the tokenizer of this model knows it as 78


class Answers(Dataset[dict[str, torch.Tensor]]):
    """Questions with their answers."""

    def __len__(self) -> int:
        return 256

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        ids = torch.randint(70, (24,))
        ids[10] = 78
        at = (ids == MARK).nonzero()
        labels = ids.clone()
        labels[: int(at[0]) if len(at) else 24] = -100
        return {"input_ids": ids, "labels": labels}


model = GPT2LMHeadModel(GPT2Config(vocab_size=90, n_positions=32, n_embd=48, n_layer=2, n_head=2))
options = TrainingArguments(
    "answers",
    num_train_epochs=3,
    per_device_train_batch_size=8,
    logging_steps=8,
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
Trainer(model=model, args=options, train_dataset=Answers()).train()
model.save_pretrained("answers/final")
print("saved answers/final")
