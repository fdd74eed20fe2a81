# ruff: noqa: D101
"""Kind of roof from aerial tiles; Lightning, one process a socket, each started by the site's launcher."""

import json
import logging
from pathlib import Path

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("roofs")
logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")

KINDS = ("flat", "gable", "hip", "mansard", "shed")


def tiles(n: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, len(KINDS), (n,), generator=g)
    base = torch.randn(len(KINDS), 3, 24, 24, generator=torch.Generator().manual_seed(1))
    x = 0.05 * base[y] + torch.randn(n, 3, 24, 24, generator=g)
    return TensorDataset(x, y)


class Roofs(L.LightningModule):
    def __init__(self, lr: float = 5e-4) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(3, 24, 3, 2), nn.ReLU(), nn.Conv2d(24, 48, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(5)
        )
        self.net(torch.zeros(1, 3, 24, 24))

    def training_step(self, batch: list, i: int) -> torch.Tensor:
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list, i: int) -> None:
        x, y = batch
        out = self.net(x)
        self.log("val_loss", nn.functional.cross_entropy(out, y), prog_bar=True, sync_dist=True)
        self.log("val_acc", (out.argmax(1) == y).float().mean(), prog_bar=True, sync_dist=True)

    def on_validation_epoch_end(self) -> None:
        got = self.trainer.callback_metrics
        log.info(
            "rank %d epoch %d: val_loss %.4f val_acc %.4f",
            self.global_rank,
            self.current_epoch,
            got["val_loss"],
            got["val_acc"],
        )

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=0.05)


def statistics(data: TensorDataset) -> tuple[float, float]:
    """Mean and spread of the tiles, from the cache where it can be read."""
    path = Path("cache/stats.json")
    try:
        kept = json.loads(path.read_text())
        return kept["mean"], kept["std"]
    except (OSError, ValueError, KeyError):
        log.exception("statistics could not be read from %s, taking them from the tiles", path)
        x = data.tensors[0]
        return x.mean().item(), x.std().item()


if __name__ == "__main__":
    L.seed_everything(11)
    torch.set_num_threads(1)
    train, val = tiles(12000, 5), tiles(1500, 6)
    mean, std = statistics(train)
    log.info("mean %.4f std %.4f, %d tiles to train on", mean, std, len(train))
    for part in (train, val):
        part.tensors = ((part.tensors[0] - mean) / std, part.tensors[1])
    trainer = L.Trainer(
        max_epochs=8,
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        enable_progress_bar=False,
        logger=False,
        default_root_dir="runs",
    )
    trainer.fit(Roofs(), DataLoader(train, 64, shuffle=True), DataLoader(val, 128))
    best = trainer.callback_metrics["val_acc"].item()
    log.info(
        "rank %d done, accuracy %.4f, checkpoint %s",
        trainer.global_rank,
        best,
        trainer.checkpoint_callback.best_model_path,
    )
