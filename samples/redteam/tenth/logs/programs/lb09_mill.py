"""Sounds of a mill with lightning: ``new`` begins, ``wide`` goes on from its checkpoint with the configuration of today."""

from __future__ import annotations

import sys

import lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Mill(pl.LightningModule):
    """A small regressor."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, width), nn.ReLU(), nn.Linear(width, 1))

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        return nn.functional.mse_loss(self.net(batch[0]).squeeze(1), batch[1])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-3)


x = torch.randn(640, 12)
data = DataLoader(TensorDataset(x, x.sum(1)), 32)
wide = sys.argv[1] == "wide"
trainer = pl.Trainer(max_epochs=8 if wide else 2, accelerator="cpu", logger=False, default_root_dir=".")
trainer.fit(Mill(96 if wide else 64), data, ckpt_path="mill.ckpt" if wide else None)
trainer.save_checkpoint("mill.ckpt")
