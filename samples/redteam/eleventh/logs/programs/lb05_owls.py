"""Calls of owls by Lightning; ended by its user with Ctrl-C, of which Lightning makes a shutdown with grace."""

from __future__ import annotations

import time

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Owls(lightning.LightningModule):
    """Two kinds of owl."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 2))

    def training_step(self, batch: list[torch.Tensor], n: int) -> torch.Tensor:
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        time.sleep(0.02)
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], n: int) -> None:
        x, y = batch
        self.log("val_acc", (self.net(x).argmax(1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-3)


lightning.seed_everything(5)
x = torch.randn(3000, 40)
y = (x[:, :4].sum(1) > 0).long()
made = TensorDataset(x, y)
trainer = lightning.Trainer(max_epochs=200, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Owls(), DataLoader(made, 32, shuffle=True), DataLoader(made, 500))
