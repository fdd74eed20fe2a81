"""Inflow forecast of a reservoir (GRU, Lightning, two processes). --ckpt continues a run."""

import argparse
import os

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def series(n, seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(n + 60).float()
    flow = 2 + torch.sin(t / 58) + 0.5 * torch.sin(t / 9.1)
    storm = (torch.rand(n + 60, generator=g) < 0.03).float() * torch.rand(n + 60, generator=g) * 4
    kernel = torch.exp(-torch.arange(20).float() / 5).flip(0)
    flow = flow + nn.functional.conv1d(nn.functional.pad(storm[None, None], (19, 0)), kernel[None, None])[0, 0]
    flow = flow + 0.1 * torch.randn(n + 60, generator=g)
    windows = flow.unfold(0, 31, 1)
    return TensorDataset(windows[:, :30, None].clone(), windows[:, 30].clone())


class Inflow(L.LightningModule):
    def __init__(self, hidden, lr, warmup):
        super().__init__()
        self.save_hyperparameters()
        self.gru, self.head = nn.GRU(1, hidden, batch_first=True), nn.Linear(hidden, 1)

    def training_step(self, batch, i):
        x, y = batch
        loss = nn.functional.mse_loss(self.head(self.gru(x)[0][:, -1])[:, 0], y)
        self.log("train_loss", loss)
        if self.global_step % 25 == 0:
            lr = self.trainer.optimizers[0].param_groups[0]["lr"]
            print(
                f"[rank {self.global_rank}] epoch {self.current_epoch} step {self.global_step} loss"
                f" {loss.item():.4g} lr {lr:.3g}"
            )
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.head(self.gru(x)[0][:, -1])[:, 0], y), sync_dist=True)

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            print(
                f"[rank {self.global_rank}] epoch {self.current_epoch} val_loss"
                f" {self.trainer.callback_metrics['val_loss']:.4g}"
            )

    def on_train_start(self):
        self.ramp_from = self.trainer.global_step

    def on_train_batch_start(self, batch, i):
        done = self.trainer.global_step - self.ramp_from
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = self.hparams.lr * min(1.0, (done + 1) / self.hparams.warmup)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--warmup", type=int, default=200)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--ckpt", default=None)
    ap.add_argument("--days", type=int, default=6400)
    args = ap.parse_args()
    L.seed_everything(5, workers=True)
    model = Inflow(48, args.lr, args.warmup)
    print(f"[rank {os.environ['RANK']}] lr {args.lr}, {args.epochs} epochs, from {args.ckpt or 'scratch'}")
    trainer = L.Trainer(
        accelerator="cpu", devices=2, strategy="ddp", max_epochs=args.epochs, enable_progress_bar=False,
        logger=CSVLogger("csv", flush_logs_every_n_steps=20), log_every_n_steps=10,
        callbacks=[ModelCheckpoint("ckpt", save_last=True)],
    )  # fmt: skip
    trainer.fit(
        model, DataLoader(series(args.days, 1), 32, shuffle=True), DataLoader(series(800, 2), 100), ckpt_path=args.ckpt
    )
    print(f"[rank {trainer.global_rank}] finished after {trainer.global_step} steps")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, D101
