"""Ferns by Transformers' Trainer, all of its progress in one bar."""

from __future__ import annotations

import time

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments, set_seed

set_seed(4)
torch.set_num_threads(1)


class Ferns(Dataset[dict[str, torch.Tensor]]):
    """Leaves of four ferns."""

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        generator = torch.Generator().manual_seed(index)
        label = index % 4
        time.sleep(0.002)
        return {"pixels": torch.randn(64, generator=generator) + label / 4, "labels": torch.tensor(label)}


class Net(PreTrainedModel):
    """Two layers in the library's clothes."""

    config_class = PretrainedConfig

    def __init__(self, config: PretrainedConfig) -> None:
        super().__init__(config)
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
        self.post_init()

    def forward(self, pixels: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        out = self.body(pixels)
        return {"loss": nn.functional.cross_entropy(out, labels), "logits": out}


arguments = TrainingArguments(
    "ferns",
    num_train_epochs=20,
    per_device_train_batch_size=32,
    logging_steps=50,
    learning_rate=1e-3,
    save_strategy="epoch",
    report_to=[],
    use_cpu=True,
)
Trainer(model=Net(PretrainedConfig()), args=arguments, train_dataset=Ferns()).train()
