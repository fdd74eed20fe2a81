"""Tracks of bees by Lightning; the queue's limit comes first."""

from __future__ import annotations

import time

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


class Bees(lightning.LightningModule):
    """Where a bee is next."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.GRU(2, 32, batch_first=True)
        self.head = nn.Linear(32, 2)

    def _loss(self, track: torch.Tensor) -> torch.Tensor:
        return nn.functional.mse_loss(self.head(self.body(track[:, :-1])[0]), track[:, 1:])

    def training_step(self, batch: list[torch.Tensor], number: int) -> torch.Tensor:
        time.sleep(0.05)
        loss = self._loss(batch[0])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], number: int) -> None:
        self.log("val_loss", self._loss(batch[0]), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=2e-3)


lightning.seed_everything(5)
tracks = torch.cumsum(0.1 * torch.randn(2400, 40, 2), 1)
train = DataLoader(TensorDataset(tracks[:2000]), batch_size=40, shuffle=True)
held = DataLoader(TensorDataset(tracks[2000:]), batch_size=100)
trainer = lightning.Trainer(
    max_epochs=400, accelerator="cpu", logger=False, enable_checkpointing=True, log_every_n_steps=10
)
trainer.fit(Bees(), train, held)
