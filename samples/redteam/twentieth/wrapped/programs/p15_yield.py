"""Yield, protein and moisture of wheat plots from reflectance, with Lightning."""

import argparse
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
TRAITS = ("yield", "protein", "moisture")


class Plots(L.LightningModule):
    """A shared trunk and a head for each trait."""

    def __init__(self, lr: float, momentum: float) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.trunk = nn.Sequential(nn.Linear(60, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.heads = nn.ModuleDict({t: nn.Linear(96, 1) for t in TRAITS})

    def losses(self, batch: tuple[torch.Tensor, torch.Tensor], stage: str) -> torch.Tensor:
        x, y = batch
        h = self.trunk(x)
        parts = {f"{stage}_{t}": nn.functional.mse_loss(self.heads[t](h)[:, 0], y[:, i]) for i, t in enumerate(TRAITS)}
        total = sum(parts.values())
        self.log_dict({**parts, f"{stage}_loss": total}, on_step=False, on_epoch=True)
        return total

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], _: int) -> torch.Tensor:
        return self.losses(batch, "train")

    def validation_step(self, batch: tuple[torch.Tensor, torch.Tensor], _: int) -> None:
        self.losses(batch, "val")

    def configure_optimizers(self) -> dict[str, object]:
        opt = torch.optim.SGD(self.parameters(), self.hparams.lr, momentum=self.hparams.momentum)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.LinearLR(opt, 0.02, 1.0, 10)}


class Lines(Callback):
    """One line an epoch."""

    def on_train_epoch_end(self, trainer: L.Trainer, _: L.LightningModule) -> None:
        m = trainer.callback_metrics
        for stage in ("train", "val"):
            row = "  ".join(f"{t} {m[f'{stage}_{t}'].item():.4g}" for t in TRAITS)
            print(
                f"epoch {trainer.current_epoch:3d}  {stage:5s}  sum {m[f'{stage}_loss'].item():.4g}  {row}", flush=True
            )


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--lr", type=float, default=0.35)
    p.add_argument("--momentum", type=float, default=0.9)
    args = p.parse_args()
    L.seed_everything(12)
    x = torch.randn(6000, 60)
    y = torch.stack([x[:, :5].sum(1), x[:, 5] * x[:, 6], x[:, 7].abs()], 1) + 0.2 * torch.randn(6000, 3)
    data = TensorDataset(x[:5000], y[:5000]), TensorDataset(x[5000:], y[5000:])
    trainer = L.Trainer(
        accelerator="cpu",
        max_epochs=args.epochs,
        logger=CSVLogger("."),
        enable_progress_bar=False,
        callbacks=[Lines(), LearningRateMonitor("epoch"), ModelCheckpoint(monitor="val_loss", save_top_k=1)],
    )
    trainer.fit(Plots(args.lr, args.momentum), DataLoader(data[0], 50, shuffle=True), DataLoader(data[1], 250))
    print("best", trainer.checkpoint_callback.best_model_path, f"{trainer.checkpoint_callback.best_model_score:.4g}")


if __name__ == "__main__":
    main()
