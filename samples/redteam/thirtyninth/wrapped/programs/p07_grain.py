"""Protein content of grain from its near-infrared spectrum."""

from __future__ import annotations

import platform
import time

import lightning as pl
import numpy as np
import torch
from scipy.signal import savgol_filter
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SETTINGS = {"width": 192, "lr": 8e-4, "epochs": 40, "batch": 128, "schedule": {"name": "cosine", "warmup": 300}}


class Spectra(pl.LightningDataModule):
    """Smoothed derivatives of spectra."""

    def setup(self, stage: str) -> None:
        """Simulate, smooth and split."""
        rng = np.random.default_rng(17)
        axis = np.linspace(0, 1, 700)
        count = 26_000
        protein = rng.uniform(8, 17, size=count)
        bands = np.exp(-((axis - 0.62) ** 2) / 0.002) * protein[:, None] / 20
        water = np.exp(-((axis - 0.35) ** 2) / 0.01) * rng.uniform(0.5, 1, size=(count, 1))
        raw = bands + water + rng.normal(scale=0.02, size=(count, 700))
        print(f"[{stage}] {count} spectra, smoothing ...", flush=True)
        tick = time.time()
        smooth = np.stack([savgol_filter(row, 31, 3, deriv=1) for row in raw])
        scatter = np.stack([np.polyval(np.polyfit(axis, row, 5), axis) for row in raw])
        print(f"[{stage}] {count} spectra smoothed in {time.time() - tick:.1f}s")
        both = torch.tensor(np.stack([smooth, raw - scatter], 1), dtype=torch.float32)
        self.sets = torch.utils.data.random_split(
            TensorDataset(both, torch.tensor(protein, dtype=torch.float32)), [23_500, 2500]
        )

    def train_dataloader(self) -> DataLoader:
        """Shuffled."""
        return DataLoader(self.sets[0], batch_size=SETTINGS["batch"], shuffle=True)

    def val_dataloader(self) -> DataLoader:
        """In order."""
        return DataLoader(self.sets[1], batch_size=256)


class Protein(pl.LightningModule):
    """A small convolutional regressor."""

    def __init__(self, width: int, lr: float, schedule: dict[str, object]) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv1d(2, 32, 9, stride=3),
            nn.GELU(),
            nn.Conv1d(32, 64, 9, stride=3),
            nn.GELU(),
            nn.Flatten(),
            nn.LazyLinear(width),
            nn.GELU(),
            nn.Linear(width, 1),
        )

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        """Squared error."""
        loss = nn.functional.mse_loss(self.net(batch[0]).squeeze(1), batch[1])
        self.log("mse", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], index: int) -> None:
        """Error in per cent protein."""
        self.log("val_rmse", nn.functional.mse_loss(self.net(batch[0]).squeeze(1), batch[1]).sqrt(), prog_bar=True)

    def configure_optimizers(self) -> dict[str, object]:
        """AdamW on a cosine."""
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        total = self.hparams.schedule["total_steps"]
        warm = self.hparams.schedule["warmup"]
        plan = torch.optim.lr_scheduler.SequentialLR(
            opt,
            [
                torch.optim.lr_scheduler.LinearLR(opt, 0.01, total_iters=warm),
                torch.optim.lr_scheduler.CosineAnnealingLR(opt, total - warm),
            ],
            [warm],
        )
        return {"optimizer": opt, "lr_scheduler": {"scheduler": plan, "interval": "step"}}


def main() -> None:
    """Fit, and say at the end how far it came."""
    begun = time.time()
    pl.seed_everything(17)
    trainer = pl.Trainer(
        max_epochs=SETTINGS["epochs"], accelerator="auto", devices=1, logger=False, log_every_n_steps=20
    )
    model = Protein(SETTINGS["width"], SETTINGS["lr"], SETTINGS["schedule"])
    try:
        trainer.fit(model, datamodule=Spectra())
    finally:
        best = trainer.callback_metrics.get("val_rmse")
        print("\n" + "-" * 46)
        print(f"{'host':<22}{platform.node()}")
        print(f"{'minutes':<22}{(time.time() - begun) / 60:.2f}")
        print(f"{'epochs':<22}{trainer.current_epoch} of {SETTINGS['epochs']}")
        print(f"{'optimizer steps':<22}{trainer.global_step}")
        print(f"{'val_rmse (% protein)':<22}{'-' if best is None else f'{best:.3f}'}")
        print("-" * 46, flush=True)


if __name__ == "__main__":
    main()
