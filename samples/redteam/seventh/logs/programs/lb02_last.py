"""Two evenings of Lightning: the second one is to go on where the first one stopped."""

import sys

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=2e-3)


class Say(Callback):
    """One line an epoch."""

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        print(
            f"epoch {trainer.current_epoch} step {trainer.global_step} train_loss {float(trainer.callback_metrics['train_loss']):.4f}",
            flush=True,
        )


def main() -> None:
    torch.manual_seed(5)
    x = torch.randn(960, 16)
    data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True) + x[:, :1] * x[:, 1:2]), 32, shuffle=True)
    folder = "evening1" if len(sys.argv) == 1 else "evening2"
    trainer = L.Trainer(
        max_epochs=10 if len(sys.argv) == 1 else 20,
        accelerator="cpu",
        default_root_dir=folder,
        callbacks=[Say(), ModelCheckpoint(save_last=True)],
        enable_progress_bar=False,
    )
    trainer.fit(Net(), data, ckpt_path=None if len(sys.argv) == 1 else "last")


if __name__ == "__main__":
    main()
