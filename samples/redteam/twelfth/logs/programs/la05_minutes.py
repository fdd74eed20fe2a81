"""Goes on with the fine-tuning of a classifier of minutes by Transformers' Trainer."""

from __future__ import annotations

import sys

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(3)
torch.set_num_threads(1)


class Minutes(Dataset[dict[str, torch.Tensor]]):
    """Token ids whose first tell the class."""

    def __len__(self) -> int:
        return 640

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        generator = torch.Generator().manual_seed(index)
        ids = torch.randint(5, 500, (24,), generator=generator)
        label = index % 3
        ids[1:8] = 10 * (label + 1) + torch.randint(0, 6, (7,), generator=generator)
        return {"input_ids": ids, "attention_mask": torch.ones(24, dtype=torch.long), "labels": torch.tensor(label)}


resume = "resume" in sys.argv
config = BertConfig(
    vocab_size=500, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=3
)
arguments = TrainingArguments(
    output_dir="minutes-bert-v2" if resume else "minutes-bert",
    num_train_epochs=8 if resume else 2,
    per_device_train_batch_size=16,
    logging_steps=10,
    save_steps=40,
    learning_rate=5e-4,
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(model=BertForSequenceClassification(config), args=arguments, train_dataset=Minutes())
print(trainer.train(resume_from_checkpoint=resume or None))
