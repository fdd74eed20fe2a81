"""Captions of museum labels: is this sentence about the maker, the place or the material."""

import random

import torch
from torch.utils.data import Dataset
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(21)
torch.set_num_threads(1)


class Sentences(Dataset):
    """Made up captions, 40 words each."""

    def __init__(self, size: int, seed: int) -> None:
        draw = random.Random(seed)
        self.rows = []
        for _ in range(size):
            label = draw.randrange(3)
            words = [draw.randrange(5 + 18 * label, 125 + 18 * label) for _ in range(24)]
            self.rows.append({"input_ids": torch.tensor(words), "labels": torch.tensor(label)})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict[str, torch.Tensor]:
        return self.rows[at]


config = DistilBertConfig(vocab_size=300, dim=96, n_layers=3, n_heads=4, hidden_dim=256, num_labels=3)
model = DistilBertForSequenceClassification(config)
print(f"labels: 12000 sentences, {model.num_parameters():,} parameters")
args = TrainingArguments(
    "labels-out", num_train_epochs=6, per_device_train_batch_size=16, learning_rate=5e-5, logging_steps=25,
    eval_strategy="steps", eval_steps=200, save_strategy="no", report_to=[], use_cpu=True, warmup_steps=50,
)  # fmt: skip
trainer = Trainer(model=model, args=args, train_dataset=Sentences(12000, 1), eval_dataset=Sentences(300, 2))
trainer.train()
print("done")
