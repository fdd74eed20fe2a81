"""Frost on roads with lightning: readings are divided by their spread, and one sensor never moved."""

from __future__ import annotations

import lightning as pl
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Frost(pl.LightningModule):
    """A small classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def validation_step(self, batch: list[torch.Tensor], index: int) -> None:
        self.log("val_loss", nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-3)


pl.seed_everything(8)
x = torch.randn(800, 12)
x[:, 7] = 4.0
x = (x - x.mean(0)) / x.std(0)
data = TensorDataset(x, (x[:, 0] > 0).long())
stop = EarlyStopping("val_loss", patience=5, check_finite=True, verbose=True)
trainer = pl.Trainer(max_epochs=40, accelerator="cpu", callbacks=[stop], logger=False, enable_progress_bar=False)
trainer.fit(Frost(), DataLoader(data, 32), DataLoader(data, 200))
print(f"fit ended after epoch {trainer.current_epoch} of 40; val_loss {trainer.callback_metrics['val_loss']:.4f}")
