"""Find beats in pulse curves with Lightning."""

from __future__ import annotations

import argparse
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Pulse(L.LightningModule):
    """A stack of convolutions over time."""

    def __init__(self, width: int = 64, lr: float = 1e-3) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv1d(1, width, 9, padding=4),
            nn.GELU(),
            nn.Conv1d(width, width, 9, padding=4),
            nn.GELU(),
            nn.Conv1d(width, 1, 9, padding=4),
        )

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        x, y = batch
        loss = nn.functional.binary_cross_entropy_with_logits(self.net(x), y)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def on_train_epoch_end(self) -> None:
        print(f"epoch {self.current_epoch} loss {float(self.trainer.callback_metrics['loss']):.4f}")

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), self.hparams["lr"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--ckpt-dir", type=Path, default=Path("ckpt"))
    args = parser.parse_args()
    L.seed_everything(9)
    beats = (torch.rand(2000, 1, 256) < 0.03).float()
    shape = torch.exp(-(torch.arange(-8, 9).float() ** 2) / 8)[None, None]
    x = nn.functional.conv1d(beats, shape, padding=8) + 0.2 * torch.randn(2000, 1, 256)
    last = args.ckpt_dir / "last.ckpt"
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        callbacks=[ModelCheckpoint(args.ckpt_dir, save_last=True)],
    )
    if last.exists():
        print(f"found {last}, resuming")
    trainer.fit(
        Pulse(args.width),
        DataLoader(TensorDataset(x, beats), 40, shuffle=True),
        ckpt_path=last if last.exists() else None,
    )
    print("training finished")


if __name__ == "__main__":
    main()
