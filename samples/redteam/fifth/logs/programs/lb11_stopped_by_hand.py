"""Lightning is interrupted from the keyboard after some epochs."""

from __future__ import annotations

import lightning as pl
import torch
from lightning.pytorch.callbacks import TQDMProgressBar


class Sum(pl.LightningModule):
    """Learns to add."""

    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Linear(30, 1)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = (self.line(batch[0]) - batch[0].sum(1, keepdim=True)).pow(2).mean()
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), 0.01)


def main() -> None:
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(3200, 30)), 32)
    bar = TQDMProgressBar(refresh_rate=25)
    pl.Trainer(max_epochs=10_000, accelerator="cpu", logger=False, enable_checkpointing=False, callbacks=[bar]).fit(
        Sum(), loader
    )


if __name__ == "__main__":
    main()
