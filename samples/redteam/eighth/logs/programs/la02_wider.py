"""Digits of made-up meters with Lightning; wants to go on with a wider net."""

from __future__ import annotations

import argparse

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Meter(L.LightningModule):
    """Two layers."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(49, hidden), nn.ReLU(), nn.Linear(hidden, 10))

    def training_step(self, batch: list[torch.Tensor], _number: int) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main() -> None:
    """Train, from a checkpoint where one is named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--resume")
    args = parser.parse_args()
    L.seed_everything(1)
    data = torch.randn(1000, 49)
    loader = DataLoader(TensorDataset(data, data[:, :10].argmax(1)), batch_size=50, shuffle=True)
    trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", logger=False, enable_checkpointing=False)
    trainer.fit(Meter(args.hidden), loader, ckpt_path=args.resume)
    trainer.save_checkpoint("last.ckpt")


if __name__ == "__main__":
    main()
