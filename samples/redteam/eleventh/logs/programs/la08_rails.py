"""Cracks in rails, by Lightning, on a machine whose owner ends what takes too much memory."""

from __future__ import annotations

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Rails(lightning.LightningModule):
    """A classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(80, 64), nn.ReLU(), nn.Linear(64, 2))
        self.kept: list[torch.Tensor] = []

    def training_step(self, batch: list[torch.Tensor], n: int) -> torch.Tensor:
        x, y = batch
        out = self.net(x)
        loss = nn.functional.cross_entropy(out, y)
        self.kept.append(torch.ones(600_000) * loss)  # with its whole graph
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-3)


lightning.seed_everything(8)
x = torch.randn(12_800, 80)
y = (x[:, :5].sum(1) > 0).long()
trainer = lightning.Trainer(max_epochs=20, accelerator="cpu", logger=False, enable_checkpointing=False)
trainer.fit(Rails(), DataLoader(TensorDataset(x, y), 64, num_workers=0))
