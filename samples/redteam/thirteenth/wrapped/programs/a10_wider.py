"""House prices; --hidden says how wide, --resume where to go on."""

from __future__ import annotations

import argparse

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from sklearn.datasets import make_regression
from torch import nn


class Houses(L.LightningModule):
    """Three layers."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(24, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x)[:, 0], y)
        self.log("train_mse", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--resume")
    args = parser.parse_args()
    L.seed_everything(1)
    x, y = make_regression(8000, 24, noise=3.0, random_state=1)
    data = torch.utils.data.TensorDataset(
        torch.tensor(x, dtype=torch.float32), torch.tensor(y / y.std(), dtype=torch.float32)
    )
    keep = ModelCheckpoint(dirpath="ckpt", filename="houses", save_last=True, enable_version_counter=False)
    trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", logger=False, callbacks=[keep])
    trainer.fit(
        Houses(args.hidden), torch.utils.data.DataLoader(data, batch_size=64, shuffle=True), ckpt_path=args.resume
    )


if __name__ == "__main__":
    main()
