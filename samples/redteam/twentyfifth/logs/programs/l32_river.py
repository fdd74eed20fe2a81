"""What is usual in the level of a river: an autoencoder over weeks of gauges, with Lightning, one process a pod."""

import os
from datetime import timedelta

import lightning as L
import torch
from lightning.pytorch.plugins.environments import KubeflowEnvironment
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class River(L.LightningModule):
    """A week of quarter hours squeezed into sixteen numbers."""

    def __init__(self, width: int = 256, code: int = 16) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.squeeze = nn.Sequential(nn.Linear(672, width), nn.SiLU(), nn.Linear(width, code))
        self.unfold = nn.Sequential(nn.Linear(code, width), nn.SiLU(), nn.Linear(width, 672))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        """How far what comes out is from what went in."""
        (week,) = batch
        loss = nn.functional.mse_loss(self.unfold(self.squeeze(week)), week)
        self.log("train_loss", loss, prog_bar=True, sync_dist=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam as ever."""
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def gauges() -> TensorDataset:
    """Levels with rain now and then."""
    g = torch.Generator().manual_seed(31)
    t = torch.arange(672) / 96
    level = 1 + 0.2 * (t * 6.28 + torch.rand(4000, 1, generator=g) * 6.28).sin()
    rain = torch.rand(4000, 1, generator=g) * 7
    return TensorDataset(level + 1.5 * (t > rain) * (-(t - rain).clamp(min=0)).exp())


if __name__ == "__main__":
    print(f"river: torch {torch.__version__}, lightning {L.__version__}, rank {os.environ['RANK']}", flush=True)
    print(f"river: master {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
    L.seed_everything(31)
    trainer = L.Trainer(
        accelerator="cpu", devices=1, num_nodes=int(os.environ["WORLD_SIZE"]), max_epochs=40, logger=False,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=20)),
        plugins=[KubeflowEnvironment()],
    )  # fmt: skip
    trainer.fit(River(), DataLoader(gauges(), batch_size=64, shuffle=True))
