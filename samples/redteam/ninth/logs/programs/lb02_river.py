"""Lightning: levels of a river, taken up from the last checkpoint."""

import sys

import torch
from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class River(LightningModule):
    """Tomorrow's level from thirty days."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(30, 48), nn.Tanh(), nn.Linear(48, 1))

    def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def on_train_epoch_end(self) -> None:
        loss, rate = self.trainer.callback_metrics["loss"], 1e-3
        print(f"epoch {self.current_epoch} step {self.global_step} loss {loss:.4f} lr {rate}", flush=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


torch.manual_seed(0)
x = torch.randn(1600, 30)
data = TensorDataset(x, x @ torch.randn(30, 1))
keep = ModelCheckpoint(dirpath="ckpt", filename="river-{epoch}")
trainer = Trainer(
    max_epochs=int(sys.argv[1]), callbacks=[keep], logger=False, accelerator="cpu", enable_progress_bar=False
)
trainer.fit(River(), DataLoader(data, 40, shuffle=True), ckpt_path="last" if sys.argv[2:] else None)
