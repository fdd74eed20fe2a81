"""A matrix factorisation with side features for glacier stations, under Lightning's Trainer."""

from __future__ import annotations

import logging
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.INFO)
log = logging.getLogger("glacier")


class Stations(L.LightningModule):
    """Cell and station vectors, and a small head over both."""

    def __init__(self, cells: int, width: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.cell = nn.Embedding(cells, width)
        self.station = nn.Embedding(512, width)
        self.head = nn.Sequential(nn.Linear(2 * width, 64), nn.GELU(), nn.Linear(64, 1))

    def forward(self, cell: torch.Tensor, station: torch.Tensor) -> torch.Tensor:
        return self.head(torch.cat([self.cell(cell), self.station(station)], dim=1)).squeeze(1)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        cell, station, melt = batch
        loss = nn.functional.mse_loss(self(cell, station), melt)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=3e-3)


class Say(Callback):
    """One line every few steps."""

    def on_train_batch_end(self, trainer: L.Trainer, module: Stations, outputs: dict, batch: list, index: int) -> None:
        if trainer.global_step % 5 == 0:
            log.info("step %d loss %.4f", trainer.global_step, float(outputs["loss"]))


def main() -> None:
    L.seed_everything(11)
    n = 64 * 256
    cell, station = torch.randint(0, 400_000, (n,)), torch.randint(0, 512, (n,))
    melt = torch.sin(station / 40.0) + 0.1 * torch.randn(n)
    loader = DataLoader(TensorDataset(cell, station, melt), batch_size=256, shuffle=True)
    keep = ModelCheckpoint(
        dirpath="ckpt",
        filename="{step}",
        every_n_train_steps=1,
        save_top_k=2,
        monitor="step",
        mode="max",
        save_last=True,
    )
    trainer = L.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        profiler="simple",
        enable_progress_bar=False,
        callbacks=[keep, Say()],
    )
    trainer.fit(Stations(400_000, 64), loader)
    size = sum(f.stat().st_size for f in Path("ckpt").iterdir()) / 2**20
    log.info("fit done, ckpt/ holds %d files, %.0f MiB", len(list(Path("ckpt").iterdir())), size)


if __name__ == "__main__":
    main()
