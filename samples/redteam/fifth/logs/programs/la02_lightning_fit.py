"""Lightning, to its planned last epoch, with a printing callback and all of Lightning's advice."""

from __future__ import annotations

import lightning as pl
import torch


class Net(pl.LightningModule):
    """A regression."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = torch.nn.functional.mse_loss(self.body(batch[0]), batch[1])
        self.log("train_loss", loss, prog_bar=True, on_epoch=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        self.log("val_loss", torch.nn.functional.mse_loss(self.body(batch[0]), batch[1]), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=3e-3)

    def on_validation_epoch_end(self) -> None:
        told = {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()}
        print(f"\nepoch {self.current_epoch}: {told}", flush=True)


def main() -> None:
    pl.seed_everything(7)
    x = torch.randn(2000, 12)
    rows = torch.utils.data.TensorDataset(x, x.pow(2).sum(1, keepdim=True) / 12)
    train, val = torch.utils.data.random_split(rows, [1600, 400])
    fit = pl.Trainer(max_epochs=8, accelerator="cpu", logger=False)
    fit.fit(Net(), torch.utils.data.DataLoader(train, 32, shuffle=True), torch.utils.data.DataLoader(val, 100))
    print("best checkpoint:", fit.checkpoint_callback.best_model_path)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
