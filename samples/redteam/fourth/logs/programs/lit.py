"""A small regression in Lightning.

usage: lit.py WHAT   WHAT: well | nan | mismatch | interrupted | batch
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import lightning as pl
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WHAT = sys.argv[1]


class Regressor(pl.LightningModule):
    """Two layers."""

    def __init__(self, width: int = 32, lr: float = 1e-2) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 1))
        self.lr = lr

    def training_step(self, batch: list[torch.Tensor], batch_idx: int) -> torch.Tensor:
        x, y = batch
        if WHAT == "interrupted":
            time.sleep(0.02)
        if WHAT == "batch" and self.current_epoch == 2 and batch_idx == 5:
            x = x[:, :7]
        loss = nn.functional.mse_loss(self.net(x), y)
        if WHAT == "nan" and self.global_step > 150:
            loss = loss * torch.log(-loss)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], batch_idx: int) -> None:
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=self.lr)


def main() -> None:
    pl.seed_everything(1)
    x = torch.randn(2000, 8)
    y = x.sum(1, keepdim=True)
    train = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=32, shuffle=True)
    val = DataLoader(TensorDataset(x[1600:], y[1600:]), batch_size=100)
    stop = EarlyStopping("val_loss" if WHAT != "nan" else "train_loss", patience=5, check_finite=True, verbose=True)
    trainer = pl.Trainer(
        max_epochs=400 if WHAT == "interrupted" else 8,
        accelerator="cpu",
        callbacks=[stop, ModelCheckpoint(dirpath="ckpt", save_last=True)],
        logger=False,
        log_every_n_steps=10,
    )
    if WHAT == "interrupted":
        threading.Timer(20, os.kill, (os.getpid(), signal.SIGINT)).start()
    if WHAT == "mismatch":
        trainer.fit(Regressor(width=32), train, val)
        again = pl.Trainer(max_epochs=16, accelerator="cpu", logger=False)
        again.fit(Regressor(width=64), train, val, ckpt_path="ckpt/last.ckpt")
    else:
        trainer.fit(Regressor(), train, val)
        print("best", trainer.callback_metrics.get("val_loss"))


if __name__ == "__main__":
    main()
