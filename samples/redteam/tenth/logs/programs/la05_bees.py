"""Sounds of hives with lightning. Planned: 60 epochs."""

from __future__ import annotations

import lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Hive(pl.LightningModule):
    """A small classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 6))

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        print(f"epoch {self.current_epoch} step {self.global_step} batch {index} train_loss {loss:.4f}", flush=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-3)


pl.seed_everything(3)
x = torch.randn(4000, 40)
data = DataLoader(TensorDataset(x, x[:, :6].argmax(1)), batch_size=16)
print("plan: 60 epochs of 250 batches, 15000 steps", flush=True)
pl.Trainer(max_epochs=60, max_steps=12, accelerator="cpu", enable_progress_bar=False, logger=False).fit(Hive(), data)
