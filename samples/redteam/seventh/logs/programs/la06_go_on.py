"""Go on with last week's Lightning checkpoint: ``go_on.py WIDTH [CHECKPOINT]``."""

import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """An encoder and a head."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(10, width), nn.GELU())
        self.head = nn.Linear(width, 1)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.head(self.encoder(batch[0])), batch[1])
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main() -> None:
    x = torch.randn(640, 10)
    data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 32, shuffle=True)
    before = sys.argv[2] if len(sys.argv) > 2 else None
    trainer = L.Trainer(max_epochs=12 if before else 6, accelerator="cpu", default_root_dir=".", log_every_n_steps=5)
    trainer.fit(Net(int(sys.argv[1])), data, ckpt_path=before)
    trainer.save_checkpoint("week.ckpt")


if __name__ == "__main__":
    main()
