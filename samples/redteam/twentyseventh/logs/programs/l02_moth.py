"""Moths at the light trap: a small convolutional net over wing crops, with Lightning."""

from __future__ import annotations

import argparse
import itertools
import logging
import sqlite3
import time
from pathlib import Path

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("moth")


class Register(L.Callback):
    """Write every epoch's numbers to the group's register, which several of us use at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _write(self, epoch: int, accuracy: float) -> None:
        with sqlite3.connect(self.path, timeout=1.0) as base:
            base.execute("CREATE TABLE IF NOT EXISTS epochs (run TEXT, epoch INTEGER, accuracy REAL)")
            base.execute("INSERT INTO epochs VALUES ('moth-r18', ?, ?)", (epoch, accuracy))

    def on_validation_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        if trainer.sanity_checking:
            return
        accuracy = float(trainer.callback_metrics["val_acc"])
        for attempt in range(1, 6):
            try:
                self._write(trainer.current_epoch, accuracy)
            except sqlite3.OperationalError:
                log.exception(
                    "could not write epoch %d to %s, attempt %d of 5", trainer.current_epoch, self.path, attempt
                )
                time.sleep(1.5)
            else:
                if attempt > 1:
                    log.info("epoch %d is in the register now", trainer.current_epoch)
                return
        log.warning("epoch %d is not in the register", trainer.current_epoch)


class Moths(L.LightningModule):
    """Four convolutions and a head."""

    def __init__(self, species: int = 14, lr: float = 2e-3) -> None:
        super().__init__()
        self.save_hyperparameters()
        widths = [3, 16, 32, 48]
        self.body = nn.Sequential(
            *(
                nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.BatchNorm2d(b), nn.ReLU())
                for a, b in itertools.pairwise(widths)
            ),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Linear(4 * widths[-1], species)
        self.accuracy = MulticlassAccuracy(species, average="micro")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        scores = self(batch[0])
        self.accuracy(scores, batch[1])
        self.log("val_loss", nn.functional.cross_entropy(scores, batch[1]), prog_bar=True)
        self.log("val_acc", self.accuracy, prog_bar=True)

    def test_step(self, batch: list[torch.Tensor], batch_idx: int) -> None:
        self.accuracy(self(batch[0]), batch[1])
        self.log("test_acc", self.accuracy)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)


def crops(size: int, seed: int) -> TensorDataset:
    """Wing patterns: stripes and spots by species, blurred light."""
    draw = torch.Generator().manual_seed(seed)
    kind = torch.randint(14, (size,), generator=draw)
    axis = torch.linspace(-1, 1, 32)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    turn = kind[:, None, None] * 0.45 + 0.12 * torch.randn(size, 1, 1, generator=draw)
    stripe = torch.sin((3 + kind[:, None, None] % 5) * 2.2 * (x * turn.cos() + y * turn.sin()))
    tint = torch.stack([torch.sin(kind * 1.3 + c) for c in range(3)], 1)[:, :, None, None]
    image = stripe[:, None] * (0.6 + 0.4 * tint) + 2.4 * torch.randn(size, 3, 32, 32, generator=draw)
    return TensorDataset(image, kind)


def main() -> None:
    """Train, then test the best."""
    cli = argparse.ArgumentParser()
    cli.add_argument("--register", type=Path, default=Path("register.db"))
    cli.add_argument("--epochs", type=int, default=6)
    args = cli.parse_args()
    L.seed_everything(21)
    train = DataLoader(crops(6000, 1), 64, shuffle=True)
    valid, test = DataLoader(crops(1200, 2), 256), DataLoader(crops(1200, 3), 256)
    best = L.pytorch.callbacks.ModelCheckpoint(monitor="val_acc", mode="max", filename="moth-{epoch}-{val_acc:.3f}")
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="cpu",
        callbacks=[best, Register(args.register)],
        logger=L.pytorch.loggers.CSVLogger("runs"),
        log_every_n_steps=20,
    )
    trainer.fit(Moths(), train, valid)
    log.info("best %s (%.4f)", Path(best.best_model_path).name, best.best_model_score)
    trainer.test(dataloaders=test, ckpt_path="best")


if __name__ == "__main__":
    main()
