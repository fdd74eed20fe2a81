"""Tide gauge forecast, Lightning, two nodes with two processes each."""

from datetime import timedelta

import lightning as pl
import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


class Gauge(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(72, 160), nn.SiLU(), nn.Linear(160, 12))

    def training_step(self, batch: list[Tensor], _: int) -> Tensor:
        loss = nn.functional.huber_loss(self.net(batch[0]), batch[1])
        self.log("huber", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.RAdam(self.parameters(), lr=2e-3)


def main() -> None:
    torch.set_num_threads(1)
    pl.seed_everything(1953)
    hours = torch.arange(42000.0)
    level = 2.1 * torch.sin(hours / 12.42 * 6.2832) + 0.7 * torch.sin(hours / 12.0 * 6.2832) + 0.1 * torch.randn(42000)
    cut = level.unfold(0, 84, 3)
    loader = DataLoader(TensorDataset(cut[:, :72].clone(), cut[:, 72:].clone()), batch_size=64, shuffle=True)
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=2,
        num_nodes=2,
        max_epochs=25,
        log_every_n_steps=20,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=75)),
    )
    trainer.fit(Gauge(), loader)


if __name__ == "__main__":
    main()
