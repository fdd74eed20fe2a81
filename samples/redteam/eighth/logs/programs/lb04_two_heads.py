"""Prices and demand with Lightning on two processes; the head for demand is not trained yet."""

from __future__ import annotations

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Market(L.LightningModule):
    """One trunk, two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.price, self.demand = nn.Linear(18, 32), nn.Linear(32, 1), nn.Linear(32, 1)

    def training_step(self, batch: list[torch.Tensor], _number: int) -> torch.Tensor:
        hidden = self.trunk(batch[0]).relu()
        return nn.functional.mse_loss(self.price(hidden), batch[1])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main() -> None:
    """Four epochs."""
    data = torch.randn(640, 18)
    loader = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16)
    L.Trainer(max_epochs=4, accelerator="cpu", devices=2, strategy="ddp", logger=False).fit(Market(), loader)
    print("market model trained")


if __name__ == "__main__":
    main()
