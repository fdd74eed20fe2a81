"""Lightning's early stopping meets a loss that is NaN, and ends the run in good order."""

from __future__ import annotations

import lightning as pl
import torch
from lightning.pytorch.callbacks import EarlyStopping


class Rates(pl.LightningModule):
    """Learns the logarithm of a rate, and takes the root of what may be below zero."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Linear(6, 1)

    def training_step(self, batch: list[torch.Tensor], number: int) -> torch.Tensor:
        loss = (self.body(batch[0]).exp() - batch[1]).abs().pow(1.5).mean()
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        self.log("val_loss", (self.body(batch[0]).exp() - batch[1]).abs().mean(), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=2.0)


def main() -> None:
    pl.seed_everything(1)
    x = torch.randn(640, 6)
    y = (x @ torch.ones(6, 1)).clamp(-3, 3).exp()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 64)
    stop = EarlyStopping("val_loss", patience=5, verbose=True)
    fit = pl.Trainer(max_epochs=30, accelerator="cpu", logger=False, callbacks=[stop], enable_checkpointing=False)
    fit.fit(Rates(), loader, loader)
    print("done after epoch", fit.current_epoch)


if __name__ == "__main__":
    main()
