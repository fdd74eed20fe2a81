"""A small regression with Lightning that stops when the validation loss does."""

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        self.log("val_loss", nn.functional.mse_loss(self.net(batch[0]), batch[1]))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=5e-3)


class Say(Callback):
    """One line an epoch, as the queue's log has no use for a bar."""

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        print(
            {"epoch": trainer.current_epoch, **{k: round(float(v), 4) for k, v in trainer.callback_metrics.items()}},
            flush=True,
        )


def main() -> None:
    L.seed_everything(8)
    x = torch.randn(600, 6)
    data = TensorDataset(x, (x[:, :1] * x[:, 1:2] + 0.1 * torch.randn(600, 1)))
    train, val = torch.utils.data.random_split(data, [500, 100])
    stop = EarlyStopping("val_loss", patience=4, verbose=True)
    trainer = L.Trainer(
        max_epochs=60,
        accelerator="cpu",
        enable_progress_bar=False,
        callbacks=[Say(), stop, ModelCheckpoint(monitor="val_loss")],
        logger=False,
    )
    trainer.fit(Net(), DataLoader(train, 32, shuffle=True), DataLoader(val, 32))
    print("best", trainer.checkpoint_callback.best_model_path, float(trainer.checkpoint_callback.best_model_score))


if __name__ == "__main__":
    main()
